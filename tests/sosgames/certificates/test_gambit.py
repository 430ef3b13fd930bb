"""Game trees become the polynomials that a person derives by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import sosgames as sg
from sosgames.certificates.errors import InputError
from sosgames.certificates.expressions import parse_expression
from sosgames.certificates.gambit import GameTree, read_efg
from sosgames.certificates.gambit.recall import recall
from sosgames.certificates.gamefiles import loads, read_problem
from sosgames.certificates.games import ExactGame
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Box, Simplex


def utilities(text: str, **names: str) -> list[Polynomial]:
    """The polynomials of a tree; ``names`` gives its variables short names for a readable test."""
    game = read_efg(text).to_game()
    assert sorted(names.values()) == sorted(game.variables)
    short = {long: Polynomial.variable(name) for name, long in names.items()}
    return [player.utility.substitute(short) for player in game.players]


DRIVER = """EFG 2 R "The absent-minded driver" { "driver" } "Piccione and Rubinstein"
p "first exit" 1 1 "exit?" { "continue" "exit" } 0
p "second exit" 1 1 "exit?" { "continue" "exit" } 0
t "" 1 "motel" { 1 }
t "" 2 "home" { 4 }
t "" 3 "dangerous" { 0 }
"""


def test_the_absent_minded_driver_multiplies_by_the_same_probability_twice() -> None:
    # c: probability of "continue". Exit at once: 0. Continue and exit: 4 c (1 - c). Continue twice: 1 c**2.
    (u,) = utilities(DRIVER, c="driver_continue")
    assert u == parse_expression("4*c*(1 - c) + c**2") == parse_expression("4*c - 3*c**2")
    # The same tree with the actions in the other order: the variable is the probability e of "exit".
    swapped = """EFG 2 R "" { "driver" }
    p "" 1 1 "exit?" { "exit" "continue" } 0
    t "" 3 "dangerous" { 0 }
    p "" 1 1 "exit?" { "exit" "continue" } 0
    t "" 2 "home" { 4 }
    t "" 1 "motel" { 1 }"""
    (v,) = utilities(swapped, e="driver_exit")
    assert v == parse_expression("4*(1 - e)*e + (1 - e)**2")
    assert v.substitute({"e": parse_expression("1 - c")}) == u


WICHARDT = """EFG 2 R "Wichardt" { "one" "two" }
p "" 1 1 "first" { "L" "R" } 0
p "" 1 2 "second" { "l" "r" } 0
p "" 2 1 "guess" { "A" "B" } 0
t "" 1 "" { -1 1 }
t "" 2 "" { 1 -1 }
p "" 2 1 "guess" { "A" "B" } 0
t "" 3 "" { -5 5 }
t "" 3 "" { -5 5 }
p "" 1 2 "second" { "l" "r" } 0
p "" 2 1 "guess" { "A" "B" } 0
t "" 3 "" { -5 5 }
t "" 3 "" { -5 5 }
p "" 2 1 "guess" { "A" "B" } 0
t "" 2 "" { 1 -1 }
t "" 1 "" { -1 1 }
"""
NAMES = {"x1": "one_first_L", "x2": "one_second_l", "y": "two_A"}


def test_wichardts_game_has_the_polynomial_of_the_literature() -> None:
    # Player one forgets the first action and must repeat it: a mismatch costs 5 whatever two does. Matched
    # actions (L, l) lose 1 against A and win 1 against B; (R, r) the other way round.
    derived = parse_expression(
        "x1*x2*(-y + (1 - y)) + (1 - x1)*(1 - x2)*(y - (1 - y)) - 5*(x1*(1 - x2) + (1 - x1)*x2)"
    )
    one, two = utilities(WICHARDT, **NAMES)
    assert one == derived == parse_expression("10*x1*x2 - 2*x1*y - 4*x1 - 2*x2*y - 4*x2 + 2*y - 1")
    assert two == -derived


@pytest.mark.skipif("CERTIKIT_CASES" not in os.environ, reason="CERTIKIT_CASES names no folder of case files")
def test_wichardts_game_is_both_case_files_up_to_the_eliminated_action() -> None:
    folder = Path(os.environ["CERTIKIT_CASES"], "games")
    a, b = (read_problem(folder / f"wichardt_{letter}.toml") for letter in "ab")
    assert isinstance(a, ExactGame)
    assert isinstance(b, ExactGame)
    ours = utilities(WICHARDT, **NAMES)
    assert [player.utility for player in a.players] == ours
    flipped = {"x1": parse_expression("1 - x1"), "x2": parse_expression("1 - x2")}
    assert [player.utility for player in b.players] == [u.substitute(flipped) for u in ours]


POKER = """EFG 2 R "One card, one bet" { "Ann" "Bob" }
c "deal" 1 "" { "high" 1/3 "low" 2/3 } 0
p "" 1 1 "has high" { "bet" "pass" } 0
p "" 2 1 "" { "call" "fold" } 0
t "" 1 "showdown high" { 2 -2 }
t "" 2 "fold" { 1 -1 }
t "" 2
p "" 1 2 "has low" { "bet" "pass" } 0
p "" 2 1 0
t "" 3 "showdown low" { -2 2 }
t "" 2
t "" 4 "pass low" { -1 1 }
"""


def test_chance_weighs_the_branches_and_shared_sets_share_the_variable() -> None:
    # h, l: Ann bets on a high, a low card; c: Bob calls, not knowing the card. High (1/3): bet and call 2,
    # otherwise 1. Low (2/3): bet and call -2, bet and fold 1, pass -1.
    ann, bob = utilities(POKER, h="Ann_has_high_bet", l="Ann_has_low_bet", c="Bob_call")
    derived = parse_expression("(h*(2*c + (1 - c)) + (1 - h))/3 + 2*(l*(-2*c + (1 - c)) + (1 - l)*(-1))/3")
    assert ann == derived == parse_expression("h*c/3 - 2*l*c + 4*l/3 - 1/3")
    assert bob == -ann


ROCK_PAPER_SCISSORS = """EFG 2 R "Rock, paper, scissors" { "1" "2" }
p "" 1 1 "(1,1)" { "rock" "paper" "scissors" } 0
p "" 2 1 "(2,1)" { "rock" "paper" "scissors" } 0
t "" 1 "draw" { 0, 0 }
t "" 2 "two wins" { -1, 1 }
t "" 3 "one wins" { 1, -1 }
p "" 2 1 "(2,1)" { "rock" "paper" "scissors" } 0
t "" 3
t "" 1
t "" 2
p "" 2 1 "(2,1)" { "rock" "paper" "scissors" } 0
t "" 2
t "" 3
t "" 1
"""


def test_three_actions_are_two_variables_in_a_simplex() -> None:
    # r, p and s = 1 - r - p for player one; R, P and S for player two.
    one, two = utilities(ROCK_PAPER_SCISSORS, r="P1_rock", p="P1_paper", R="P2_rock", P="P2_paper")
    assert (
        one
        == parse_expression("r*((1 - R - P) - P) + p*(R - (1 - R - P)) + (1 - r - p)*(P - R)")
        == parse_expression("r - p - 3*r*P + 3*p*R - R + P")
    )
    assert two == -one
    game = read_efg(ROCK_PAPER_SCISSORS).to_game()
    assert [player.strategies for player in game.players] == [
        (Simplex(["P1_rock", "P1_paper"]),),
        (Simplex(["P2_rock", "P2_paper"]),),
    ]


PAID_ON_THE_WAY = """EFG 2 D "Two rounds, paid on the way" { "A" "B" }
p "" 1 1 "start" { "stop" "go" } 0
t "" 1 "stopped" { 1.50, 0.25 }
p "" 2 7 "middle" { "x" "y" "z" } 2 "toll" { -.5 1e-1 }
p "" 1 2 "end" { "u" "v" } 0
t "" 3 "three" { 3 0 }
t "" 0
t "" 2 "toll" { -0.5 0.1 }
p "" 1 2 "end" { "u" "v" } 4 "bonus" { 2 1 }
t "" 0
t "" 3
"""


def test_payoffs_inside_the_tree_add_up_along_the_path() -> None:
    # s: A stops. Otherwise both get the toll (-1/2, 1/10), then B picks x, y, or z = 1 - x - y:
    # after x: u pays (3, 0), v nothing; after y: the toll again; after z: (2, 1), and (3, 0) more for v.
    a, b = utilities(PAID_ON_THE_WAY, s="A_start_stop", u="A_end_u", x="B_x", y="B_y")
    z = "(1 - x - y)"
    assert a == parse_expression(f"3*s/2 + (1 - s)*(-1/2 + 3*x*u - y/2 + {z}*(2 + 3*(1 - u)))")
    assert b == parse_expression(f"s/4 + (1 - s)*(1/10 + y/10 + {z})")


FORGETFUL = """EFG 2 R "Forgets whether a coin was seen" { "P" }
c "" 1 "coin" { "heads" 1/2 "tails" 1/4 "edge" .25 } 0
p "" 1 1 "" { "a" "b" "c" } 0
p "" 1 1 0
t "" 1 "" { 8 }
t "" 2 "" { 16 }
t "" 0
t "" 0
t "" 0
p "" 1 1 0
t "" 0
t "" 0
p "" 1 1 0
t "" 0
t "" 0
p "" 1 1 0
t "" 0
t "" 0
t "" 3 "" { 32 }
t "" 4 "the edge" { 4 }
"""


def test_three_actions_without_memory_give_a_cubic() -> None:
    # Heads (1/2): a then a pays 8, a then b pays 16. Tails (1/4): c three times in a row pays 32. Edge: 4.
    (u,) = utilities(FORGETFUL, a="P_a", b="P_b")
    assert u == parse_expression("(8*a**2 + 16*a*b)/2 + 32*(1 - a - b)**3/4 + 4/4")


def test_sets_of_a_player_form_one_box_beside_the_simplices() -> None:
    game = read_efg(PAID_ON_THE_WAY).to_game()
    assert game.players[0].strategies == (Box({"A_start_stop": (0, 1), "A_end_u": (0, 1)}),)
    assert game.players[1].strategies == (Simplex(["B_x", "B_y"]),)
    assert game.name == "Two rounds, paid on the way"


def test_a_tree_without_a_second_action_has_no_variable_for_it() -> None:
    text = """EFG 2 R "" { "A" "B" }
    p "" 1 1 "" { "only" } 1 "" { 1 0 }
    p "" 2 1 "" { "l" "r" } 0
    t "" 2 "" { 2 5 }
    t "" 0"""
    a, b = utilities(text, q="B_l")
    assert (a, b) == (parse_expression("1 + 2*q"), parse_expression("5*q"))
    assert read_efg(text).to_game().players[0].variables == ()
    assert "only: 1 (the only action)" in read_efg(text).describe()


def test_the_legend_says_which_variable_is_which_action_and_which_is_eliminated() -> None:
    tree = read_efg(POKER)
    assert [(c.player, c.information_set, c.name, c.variables, c.eliminated) for c in tree.legend] == [
        ("Ann", 1, "has high", ("Ann_has_high_bet",), "pass"),
        ("Bob", 1, "", ("Bob_call",), "fold"),
        ("Ann", 2, "has low", ("Ann_has_low_bet",), "pass"),
    ]
    assert read_efg(ROCK_PAPER_SCISSORS).describe() == (
        "Rock, paper, scissors: 13 nodes, 2 information sets\n"
        "1: perfect recall\n"
        "2: perfect recall\n"
        "1, information set 1 '(1,1)'\n"
        "  rock: P1_rock\n"
        "  paper: P1_paper\n"
        "  scissors: 1 - P1_rock - P1_paper (eliminated)\n"
        "2, information set 1 '(2,1)'\n"
        "  rock: P2_rock\n"
        "  paper: P2_paper\n"
        "  scissors: 1 - P2_rock - P2_paper (eliminated)"
    )


def test_what_players_remember_is_stated() -> None:
    def of(text: str) -> list[str]:
        tree = read_efg(text)
        return [recall(tree, player) for player in range(len(tree.players))]

    assert of(DRIVER) == of(FORGETFUL) == ["absent-minded"]
    assert of(WICHARDT) == ["imperfect recall", "perfect recall"]
    assert of(POKER) == of(ROCK_PAPER_SCISSORS) == ["perfect recall", "perfect recall"]
    assert of(PAID_ON_THE_WAY) == ["perfect recall", "perfect recall"]


def test_names_are_legal_and_different_whatever_the_labels_are() -> None:
    text = (
        """EFG 2 R "" { "" "" "A b" "A-b" "Größe" "7" "x\\"y" }
    p "" 1 1 "" { "" "" "" } 0
    p "" 2 1 "" { "ü" "2" } 0
    p "" 3 1 "(3,1)" { "go" "no" } 0
    p "" 4 1 "(4,1)" { "go" "no" } 0
    p "" 5 1 "" { "__import__('os')" "b" } 0
    p "" 6 1 "" { "0" "1" } 0
    p "" 7 1 "" { "n\n m" "1" } 0
    """
        + 't "" 0\n' * 9
    )
    game = read_efg(text).to_game()
    assert game.variables == (
        "player_1_action_1", "player_1_action_2", "player_2_a1", "A_b_go", "A_b_go_2",
        "Gr_e_import_os", "P6_0", "x_y_n_m",
    )  # fmt: skip
    assert [p.name for p in game.players] == ["player 1", "player 2", "A b", "A-b", "Größe", "7", 'x"y']


def test_labels_cannot_drive_a_terminal() -> None:
    text = 'EFG 2 R "\x1b[2J" { "\x1b]0;x\x07" }\np "" 1 1 "\x9b" { "a\x1bc" "\u202e" } 0\nt "" 0\nt "" 0'
    shown = read_efg(text).describe() + read_efg(text).to_game().name
    assert all(c.isprintable() or c == "\n" for c in shown)


def test_a_tree_deeper_than_the_stack_is_read() -> None:
    depth = 30_000
    text = 'EFG 2 R "" { "A" }\n' + 'p "" 1 1 "" { "only" } 0\n'
    text += 'p "" 1 1 0\n' * depth + 'p "" 1 2 "" { "l" "r" } 0\nt "" 1 "" { 3 }\nt "" 0\n'
    tree = read_efg(text)
    assert len(tree.nodes) == depth + 4
    assert tree.to_game().players[0].utility == parse_expression("3*A_l")
    assert "absent-minded" in tree.describe()


def test_loading_a_gambit_file_keeps_the_tree_for_show(tmp_path: Path) -> None:
    path = tmp_path / "driver.efg"
    path.write_text(DRIVER)
    game = sg.load(path)
    assert isinstance(game.tree, GameTree)
    assert game.exact == read_problem(path) == loads(DRIVER, "efg")
    assert "exit: 1 - driver_continue (eliminated)" in game.show()
    game.save(tmp_path / "driver.toml")
    assert sg.load(tmp_path / "driver.toml") == game
    with pytest.raises(InputError, match=r"^driver\.efg: games are not written in the format 'efg'"):
        game.save(path)
    assert path.read_text() == DRIVER
