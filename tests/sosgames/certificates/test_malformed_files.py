"""Files made to confuse, exhaust or abuse the reader each end in one sentence that says what to change."""

from __future__ import annotations

import builtins
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sosgames.certificates.errors import InputError
from sosgames.certificates.gamefiles import read_problem
from sosgames.certificates.limits import MAX_FILE_BYTES
from sosgames.cli.app import app

ROOT = Path(__file__).resolve().parents[3]


def toml(utility: str = "x", box: str = '["0", "1"]', more: str = "", top: str = "") -> str:
    """A game file of one player, with something odd in one place."""
    return (
        f'{top}\n[[players]]\nname = "A"\nvariables = ["x"]\nutility = "{utility}"\n'
        f"strategies = {{box = {{x = {box}}}{more}}}\n"
    )


def matrix(rows: str) -> str:
    return f'variables = ["x"]\nmatrix = [{rows}]\nstrategies = {{space = ["x"]}}\n'


def data(**changes: Any) -> str:
    """The same as JSON, with keys of the player replaced, or removed by None."""
    player = {
        "name": "A",
        "variables": ["x"],
        "utility": "x",
        "strategies": {"box": {"x": [0, 1]}},
        **changes,
    }
    return json.dumps({"players": [{key: value for key, value in player.items() if value is not None}]})


def efg(body: str, head: str = 'EFG 2 R "t" { "A" "B" }') -> str:
    return f"{head}\n{body}\n"


CHOICE = 'p "" 1 1 "" { "a" "b" } 0\n'
TWO_ENDS = 't "" 1 "" { 1 2 }\nt "" 0'

# name -> (content, what the sentence must say)
MALFORMED: dict[str, tuple[str | bytes, str]] = {
    # not the format at all
    "empty.toml": ("", "the key 'players' is missing"),
    "empty.json": ("", "not valid JSON"),
    "empty.efg": ("", "starts with EFG 2 R"),
    "binary.toml": (bytes(range(256)) * 20, "not UTF-8 text"),
    "binary.json": (b"\x80\x04\x95\x10\x00", "not UTF-8 text"),
    "pickle.efg": (b"cos\nsystem\n(S'touch executed'\ntR.", "starts with EFG 2 R"),
    "zeros.toml": (b"\0" * 1000, "not valid TOML"),
    "utf16.json": (data().encode("utf-16"), "not UTF-8 text"),
    "huge.toml": (b"# " + b"x" * MAX_FILE_BYTES, "larger than"),
    "huge.efg": (efg(" " * MAX_FILE_BYTES), "larger than"),
    "list.json": ("[1, 2]", "write a table of keys and values"),
    "number.json": ("7", "write a table of keys and values"),
    "wrong_ending.txt": (toml(), "the ending '.txt' is unknown"),
    # parsers under attack
    "deep_arrays.toml": ("a = " + "[" * 200_000, "nest deeper than 16"),
    "deep_tables.toml": ("a = " + "{a = " * 100_000, "nest deeper than 16"),
    "deep_arrays.json": ("[" * 200_000, "nest deeper than 16"),
    "deep_closed.json": ("[" * 5_000 + "]" * 5_000, "nest deeper than 16"),
    "deep_hidden_by_quotes.toml": ('a = ["""x"""", ' + "[" * 100_000 + ' ""]', "nest deeper than 16"),
    "deep_hidden_by_strings.toml": ("a = " + '["]", ' * 100_000, "nest deeper than 16"),
    "long_dotted_key.toml": (".".join(["a"] * 500_000) + " = 1", "at most 2,500 are read"),
    "long_quoted_key.toml": ('"a" . ' * 200_000 + "a = 1", "a dotted key has more than 16 parts"),
    "unclosed.toml": ('name = """' + '\\"""' * 400_000, 'line 1: the text that starts with " is never'),
    "integer_of_a_million_digits.toml": ("a = " + "9" * 1_000_000, "at most 2,500 are read"),
    "integer_of_a_million_digits.json": ('{"a": ' + "9" * 1_000_000 + "}", "at most 2,500 are read"),
    "hexadecimal.toml": (toml(box="[0, 0x" + "f" * 2_400 + "]"), "a number of 9,600 bits"),
    "many_keys.toml": ("\n".join(f"k{i} = 1" for i in range(100_000)), "the key 'k0' is unknown"),
    "many_tables.toml": ("[a]\n" * 250_000, "250,000 lines begin with a bracket; at most 200,000 are read"),
    "many_relations.json": (
        data(strategies={"constraints": [" <= ".join(["x"] * 700_000)]}),
        "takes more than 600,000 steps",
    ),
    "many_actions.efg": (efg('p "" 1 1 "" { ' + '"l" ' * 100_001), "more than 100,000 actions"),
    "many_payoffs.efg": (efg('t "" 1 "" { ' + "1 " * 100_000), "more than 2 payoffs for 2 players"),
    "long_probabilities.efg": (
        efg('c "" 1 "" { ' + " ".join(f'"a{k}" 1/{10**30 + 2 * k + 1}' for k in range(2000)) + " } 0"),
        "the probabilities have no common denominator that can be read",
    ),
    "long_payoffs.efg": (
        efg(
            'c "" 1 "" { ' + '"a" 1/500 ' * 500 + "} 0\n"
            + "".join(f't "" {k + 1} "" {{ 1/{10**30 + 2 * k + 1} 0 }}\n' for k in range(500))
        ),
        "a number of",
    ),
    "many_players.toml": ("[[players]]\n" * 150_000, "150,000 players; at most 10,000"),
    "many_variables.json": (
        data(variables=[f"x{k}" for k in range(60_000)]),
        "60,000 variables; at most 10,000",
    ),
    "many_constraints.json": (
        data(strategies={"constraints": ["x >= 0"] * 100_000}),
        "expanding the expressions takes more than",
    ),
    "large_matrix.json": (
        json.dumps({"variables": ["x"], "matrix": [["x"] * 500] * 500, "strategies": {"space": ["x"]}}),
        "expanding the expressions takes more than",
    ),
    # keys, types, numbers
    "duplicate_key.toml": (toml(top='name = "a"\nname = "b"'), "not valid TOML"),
    "duplicate_key.json": (data()[:-1] + ', "players": []}', "the key 'players' is given twice"),
    "nan.json": (data(strategies={"box": {"x": [0, float("nan")]}}), "NaN is not a number that can be used"),
    "infinity.json": (data(strategies={"box": {"x": [0, float("inf")]}}), "Infinity is not a number"),
    "nan.toml": (toml(box="[0, nan]"), "'nan' is not a number"),
    "infinity.toml": (toml(box="[0, +inf]"), "'+inf' is not a number"),
    "boolean.toml": (toml(box="[false, true]"), "got False; write a number"),
    "date.toml": (toml(box="[0, 2020-01-01]"), "write a number"),
    "underscore.toml": (toml(box='["0", "1_000"]'), "'1_000' is not a number"),
    "spaces.toml": (toml(box='["0", " 1 "]'), "' 1 ' is not a number"),
    "arabic_digits.toml": (toml(box='["0", "١٢"]'), "'١٢' is not a number"),
    "digit_bomb.toml": (toml(box='["0", "1e999999999"]'), "decimal exponent above"),
    "zero_denominator.toml": (toml(box='["0", "1/0"]'), "divides by zero"),
    "misspelt_key.json": (data(utilty="x"), "the key 'utilty' is unknown; did you mean 'utility'?"),
    "misspelt_set.json": (data(strategies={"boxes": {}}), "the key 'boxes' is unknown; did you mean 'box'?"),
    "no_utility.json": (data(utility=None), "the key 'utility' is missing"),
    "no_name.json": (data(name=None), "the key 'name' is missing"),
    "number_as_name.json": (data(name=5), "write a quoted text"),
    "newline_in_name.json": (data(name="A\nB"), "not one line"),
    "lone_surrogate.json": (data(name="\ud800"), "not one line"),
    "players_as_table.toml": ("[players]\n", "write a list of tables"),
    "bounds_as_text.json": (data(strategies={"box": {"x": "01"}}), "write a list in brackets"),
    "three_bounds.json": (data(strategies={"box": {"x": [0, 1, 2]}}), "give the two bounds"),
    "swapped_bounds.toml": (toml(box="[1, 0]"), "the lower bound 1 is above the upper bound 0"),
    "no_players.toml": ("players = []", "no player has a variable"),
    # variables and constraints
    "variable_with_a_dot.json": (data(variables=["x.y"]), "cannot name a variable"),
    "variable_twice.json": (data(variables=["x", "x"]), "listed twice"),
    "unknown_variable.toml": (toml("x + y"), "the variable 'y' is unknown"),
    "unrestricted.json": (data(strategies={}), "nothing restricts x; give a set, or say `space = [\"x\"]`"),
    "shared_constraint.json": (
        json.dumps(
            {
                "players": [
                    {"name": n, "variables": [v], "utility": v, "strategies": {"constraints": ["x + y <= 1"]}}
                    for n, v in (("A", "x"), ("B", "y"))
                ]
            }
        ),
        "constraints cannot be shared",
    ),
    "strict_inequality.toml": (toml(more=', constraints = ["x < 1"]'), "write <="),
    "vacuous_constraint.toml": (toml(more=', constraints = ["0 <= 1"]'), "restricts nothing"),
    "unsymmetric_matrix.toml": (matrix('["1","x"],["0","1"]'), "must be symmetric"),
    "ragged_matrix.toml": (matrix('["1","x"],["x"]'), "must be square"),
    # expressions
    "deep_parentheses.toml": (toml("(" * 300_000 + "x" + ")" * 300_000), "parentheses nest deeper than 64"),
    "giant_exponent.toml": (toml("x**99999999"), "the power is too large"),
    "tower.toml": (toml("9**9**9"), "the power is too large"),
    "multinomial.toml": (toml("(x + 1 + x**2)**90 * (x + 1)**21"), "degree 201; at most 200"),
    "division_by_variable.toml": (toml("1/x"), "only constants can divide"),
    "import.toml": (toml("__import__('os').system('touch executed')"), "'__import__(' begins a function"),
    "lambda.json": (data(utility="(lambda: open('executed', 'w'))()"), "'lambda' is unknown"),
    "call.json": (data(utility="x + sin(x)"), "'sin(' begins a function, and only polynomials are read"),
    "attribute.toml": (toml("x.__class__"), "cannot read '.'"),
    "dunder_constraint.toml": (toml(more=", constraints = [\"__import__('os') >= 0\"]"), 'cannot read "\'"'),
    "unicode_operator.toml": (toml("x − 1"), "cannot read '−'"),
    "unicode_digits.json": (data(utility="２*x"), "cannot read '２'"),
    "superscript.json": (data(utility="x²"), "cannot read '²'"),
    "underscored.json": (data(utility="1_000*x"), "an operator is missing before '_000'"),
    # Gambit
    "version.efg": (efg("", 'EFG 1 R "t" { "A" }'), "starts with EFG 2 R"),
    "strategic_form.efg": ('NFG 1 R "t" { "A" "B" } { 2 2 }', "starts with EFG 2 R"),
    "no_players.efg": (efg('t "" 0', 'EFG 2 R "t" { }'), "the list of players is empty"),
    "no_choice.efg": (efg('t "" 0'), "no player has a variable"),
    "unclosed_quote.efg": (efg('p "'), "line 2: this quotation mark is never closed"),
    "unclosed_list.efg": (efg('p "" 1 1 "" { "a" "b"'), "got 'the end of the file' in place of an action"),
    "incomplete.efg": (efg(CHOICE + 't "" 0'), "in place of a node"),
    "too_long.efg": (efg(CHOICE + TWO_ENDS + '\nt "" 0'), "line 5: the tree is complete"),
    "unknown_node.efg": (efg('x "" 1 1'), "got 'x' in place of a node"),
    "player_three.efg": (efg('p "" 3 1 "" { "a" } 0\n' + TWO_ENDS), "player 3 is not among the 2 players"),
    "chance_over_one.efg": (
        efg('c "" 1 "" { "a" 1/2 "b" 0.500001 } 0\n' + TWO_ENDS),
        "line 2: probabilities sum to 1000001/1000000, not to 1",
    ),
    "thirds_as_decimals.efg": (efg('c "" 1 "" { "a" .3 "b" .3 "c" .3 } 0'), "write fractions such as 1/3"),
    "negative_chance.efg": (efg('c "" 1 "" { "a" 3/2 "b" -1/2 } 0\n' + TWO_ENDS), "must not be negative"),
    "chance_without_numbers.efg": (efg('c "" 1 "" { "a" "b" } 0'), "in place of the probability"),
    "other_actions.efg": (
        efg(CHOICE + 'p "" 1 1 "" { "b" "a" } 0\n' + TWO_ENDS + '\nt "" 0'),
        "line 3: information set 1 of player 1 has other actions",
    ),
    "unlisted_actions.efg": (efg('p "" 2 5 0\n' + TWO_ENDS), "information set 5 of player 2 is used before"),
    "no_actions.efg": (efg('p "" 1 1 "" { } 0'), "the list of actions is empty"),
    "other_payoffs.efg": (
        efg(CHOICE + 't "" 1 "" { 1 2 }\nt "" 1 "" { 1 3 }'),
        "outcome 1 has other payoffs",
    ),
    "unlisted_payoffs.efg": (efg(CHOICE + 't "" 9\nt "" 0'), "outcome 9 is used before"),
    "one_payoff.efg": (efg('t "" 1 "" { 1 }'), "1 payoffs for 2 players"),
    "paid_nothing.efg": (efg('t "" 0 "" { 1 2 }'), "outcome 0 means no payoffs"),
    "payoff_nan.efg": (efg('t "" 1 "" { 1 nan }'), "'nan' is not a number"),
    "payoff_code.efg": (efg("t \"\" 1 \"\" { 1 __import__('os') }"), "is not a number"),
    "payoff_digits.efg": (efg('t "" 1 "" { 1 ' + "9" * 100_000 + " }"), "a number of 100,000 characters"),
    "set_number.efg": (efg('p "" 1 ' + "9" * 5_000 + ' "" { "a" }'), "in place of the number"),
    "powers_past_the_limit.efg": (
        efg(CHOICE + 'p "" 1 1 0\n' * 200 + 't "" 1 "" { 1 1 }\n' + 't "" 0\n' * 201),
        "degree 201; at most 200",
    ),
    "all_subsets.efg": (
        efg("".join(f'p "" 1 {k} "" {{ "a" "b" }} 0\nt "" 0\n' for k in range(1, 150)) + 't "" 1 "" { 1 1 }'),
        "takes more than",
    ),
    "too_many_nodes.efg": (efg(CHOICE + 'p "" 1 1 0\n' * 110_000), "more than 100,000 nodes"),
    "many_players.efg": (
        efg('t "" 0', 'EFG 2 R "" {' + ' ""' * 100_000 + " }"),
        "10,001 players; at most 10,000",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("malformed")
    for name, (content, _) in MALFORMED.items():
        (place / name).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return place


@contextmanager
def nothing_executed() -> Iterator[None]:
    """Any call of the functions that run code or programs fails the test."""

    def executed(*_: object, **__: object) -> None:
        raise AssertionError("something in the file was executed")

    with pytest.MonkeyPatch.context() as patch:
        for function in ("eval", "exec", "compile"):
            patch.setattr(builtins, function, executed)
        patch.setattr(os, "system", executed)
        yield


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_refused_in_one_sentence(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(InputError) as refusal, nothing_executed():
        read_problem(folder / name)
    sentence = str(refusal.value)
    assert sentence.startswith(f"{name}: ")
    assert re.fullmatch(r"[^\n]{10,400}[.?]", sentence), sentence
    assert MALFORMED[name][1] in sentence
    assert sorted(path.name for path in folder.iterdir()) == sorted(MALFORMED)


def test_the_shell_ends_with_the_sentence_and_code_2(folder: Path) -> None:
    small = [name for name, (content, _) in MALFORMED.items() if len(content) < 10_000]
    assert len(small) > 60
    for name in small:
        done = CliRunner().invoke(app, ["certify", str(folder / name)])
        assert (done.exit_code, done.stdout) == (2, ""), name
        assert name in done.stderr
        assert "Traceback" not in done.stderr
        assert len(done.stderr.strip().splitlines()) <= 5  # one sentence, wrapped


def test_what_is_no_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.toml", tmp_path / "a" / "b.efg", Path("nul\0.json")):
        with pytest.raises(InputError, match="the file cannot be read; "):
            read_problem(path)
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError, match=r"Is a directory|Permission denied"):
        read_problem(tmp_path / "folder.toml")


@pytest.mark.slow
def test_no_file_exhausts_stack_memory_or_patience(folder: Path) -> None:
    """Each file, in one process with little stack and memory, nothing installed and an alarm clock."""
    resource = pytest.importorskip("resource", reason="limits of processes need POSIX")
    assert resource
    program = f"""
import pathlib, resource, signal, sys
sys.path.insert(0, {str(ROOT)!r})
from sosgames.certificates.errors import InputError
from sosgames.certificates.gamefiles import read_problem
sys.setrecursionlimit(150)
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
for path in sorted(pathlib.Path({str(folder)!r}).iterdir()):
    signal.setitimer(signal.ITIMER_VIRTUAL, 10)  # seconds of this process; the default action ends it
    try:
        read_problem(path)
    except InputError:
        print(path.name)
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.splitlines() == sorted(MALFORMED)
