"""The game that a person writes or loads: SymPy outside, exact rational numbers inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import sympy

from sosgames.certificates.errors import InputError, counted, listed, shown
from sosgames.certificates.gambit import GameTree
from sosgames.certificates.gamefiles import read_problem, read_tree, write_problem
from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.sets import StrategySet
from sosgames.games.symbolic import expression_from, floats_in, polynomial_from


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Game:
    r"""A polynomial game: player :math:`i` picks :math:`x_i \in X_i` to maximise :math:`u_i(x_1, ..., x_n)`.

    Parameters
    ----------
    utilities
        Maps each player's name, in the game's order, to a polynomial in all variables: a SymPy expression
        or a text such as ``"4*x - 3*x**2"``. Floating-point numbers count at their exact binary value,
        and `notes` says where; write ``"0.1"`` or ``Rational(1, 10)`` to mean one tenth.
    strategies
        Maps each player's name to a set (`Box`, `Simplex`, `ProbabilitySimplex`, `Ball`, `Space`,
        `Constraints`) or to several, which are intersected. A player's variables are those of the sets, in
        their order; a player who chooses nothing is left out.
    name, source
        Labels for people; they take no part in equality.

    Attributes
    ----------
    exact : ExactGame
        What every computation and every proof uses.
    notes : tuple of str
        What was changed on the way in, for reports.
    tree : GameTree or None
        The extensive form that the game was read from; its `legend` says which variable is the probability
        of which action.

    Raises
    ------
    InputError
        When a utility is no polynomial, a set does not fit, or the players do not match.

    Examples
    --------
    >>> import sosgames as sg
    >>> x, y = sympy.symbols("x y")
    >>> utilities = {"row": x * y - x**2, "column": -x * y}
    >>> game = sg.Game(utilities, {"row": sg.Box({x: (0, 1)}), "column": sg.Ball([y])})
    >>> game
    Game('row', 'column': 2 variables, degree 2)
    >>> game.utility("row")
    -x**2 + x*y
    """

    exact: ExactGame
    notes: tuple[str, ...] = field(compare=False)
    tree: GameTree | None = field(compare=False)

    def __init__(
        self,
        utilities: Mapping[str, Any],
        strategies: Mapping[str, StrategySet | Iterable[StrategySet]],
        *,
        name: str = "",
        source: str = "",
    ) -> None:
        strangers = [player for player in strategies if player not in utilities]
        if strangers:
            known = listed([shown(player) for player in utilities])
            raise InputError(
                f"game: {shown(strangers[0])} has strategies but no utility; players are {known}."
            )
        players = tuple(_player(player, u, strategies.get(player, ())) for player, u in utilities.items())
        object.__setattr__(self, "exact", ExactGame(players, name, source))
        object.__setattr__(self, "notes", tuple(_notes(utilities)))
        object.__setattr__(self, "tree", None)

    @classmethod
    def from_exact(cls, exact: ExactGame, *, notes: Iterable[str] = (), tree: GameTree | None = None) -> Self:
        """Wrap a game that is exact already."""
        game = object.__new__(cls)
        object.__setattr__(game, "exact", exact)
        object.__setattr__(game, "notes", tuple(notes))
        object.__setattr__(game, "tree", tree)
        return game

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a game from a file; see `load`."""
        if Path(path).suffix.lower() == ".efg":
            tree = read_tree(path)
            return cls.from_exact(tree.to_game(), tree=tree)
        problem = read_problem(path)
        if not isinstance(problem, ExactGame):
            raise InputError(f"{Path(path).name}: the file holds a matrix, not a game; use load_matrix.")
        return cls.from_exact(problem)

    def save(self, path: str | Path) -> None:
        """Write the game to a ``.toml`` or ``.json`` file that `load` reads back to an equal game."""
        write_problem(self.exact, path)

    @property
    def name(self) -> str:
        """The label of the game."""
        return self.exact.name

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players, in order."""
        return tuple(player.name for player in self.exact.players)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of all variables, player after player."""
        return self.exact.variables

    @property
    def symbols(self) -> tuple[sympy.Symbol, ...]:
        """All variables as SymPy symbols, player after player."""
        return tuple(map(sympy.Symbol, self.exact.variables))

    @property
    def degree(self) -> int:
        """The largest total degree among the utilities."""
        return max(player.utility.degree for player in self.exact.players)

    def utility(self, player: str) -> sympy.Expr:
        """A player's utility as a SymPy expression."""
        return expression_from(self.exact.player(player).utility)

    def strategies(self, player: str) -> tuple[StrategySet, ...]:
        """The sets whose intersection (product, where variables differ) the player chooses from."""
        return self.exact.player(player).strategies

    def show(self) -> str:
        """The whole game as text: who chooses what from where, to maximise which polynomial.

        Examples
        --------
        >>> from sosgames.certificates.sets import Box
        >>> print(Game({"driver": "4*x - 3*x**2"}, {"driver": Box({"x": (0, 1)})}, name="taxi").show())
        taxi: 1 player, 1 variable, degree 2
        driver chooses x from Box({'x': (0, 1)})
          to maximise -3*x**2 + 4*x
        """
        lines = [f"{self.name or 'game'}: {_size(self)}"]
        lines += [f"note: {note}" for note in self.notes]
        for player in self.exact.players:
            sets = " and ".join(map(repr, player.strategies))
            chooses = (
                f"chooses {listed(player.variables, 20)} from {sets}"
                if player.variables
                else "chooses nothing"
            )
            lines += [f"{player.name} {chooses}", f"  to maximise {player.utility}"]
        if self.tree is not None:
            lines += ["", self.tree.describe()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        players = listed([repr(name) for name in self.players], 4)
        return f"Game({players}: {counted(len(self.variables), 'variable')}, degree {self.degree})"


def load(path: str | Path) -> Game:
    """Read a game from a ``.toml``, ``.json`` or Gambit ``.efg`` file.

    Numbers are exact: ``0.1`` in a file is one tenth. Nothing in the file is executed; sizes are limited.

    Raises
    ------
    InputError
        In one sentence that begins with the file's name, when it cannot be read or holds no game.

    Examples
    --------
    >>> import sosgames as sg, tempfile
    >>> game = sg.Game({"driver": "4*x - 3*x**2"}, {"driver": sg.Box({"x": (0, 1)})})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     game.save(f"{folder}/taxi.toml")
    ...     sg.load(f"{folder}/taxi.toml") == game
    True
    """
    return Game.load(path)


def _player(name: str, utility: Any, strategies: StrategySet | Iterable[StrategySet]) -> ExactPlayer:
    sets = tuple(strategies) if isinstance(strategies, Iterable) else (strategies,)
    return ExactPlayer(
        name, variables_of(sets), polynomial_from(utility, f"player {shown(name)}, utility"), sets
    )


def variables_of(sets: Iterable[StrategySet]) -> tuple[str, ...]:
    """The variables that sets mention, each once, in their order."""
    return tuple(dict.fromkeys(v for part in sets for v in getattr(part, "variables", ())))


def _notes(utilities: Mapping[str, Any]) -> Iterable[str]:
    for name, utility in utilities.items():
        floats = sorted(floats_in(utility))
        if floats:
            example = sympy.Rational(floats[0])
            yield (
                f"the utility of {name} has floating-point numbers, taken at their exact binary value"
                f" ({floats[0]} is {example})"
            )


def _size(game: Game) -> str:
    counts = counted(len(game.players), "player"), counted(len(game.variables), "variable")
    return f"{', '.join(counts)}, degree {game.degree}"
