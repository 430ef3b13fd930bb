"""The exact problem that a proof is about: a polynomial game, or a symmetric polynomial matrix on a set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sosgames.certificates.constraints import variable_names
from sosgames.certificates.errors import InputError, listed, shown
from sosgames.certificates.limits import MAX_PLAYERS, MAX_VARIABLES, check_count, check_size
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Constraint, StrategySet, normal_form


@dataclass(frozen=True, slots=True)
class ExactPlayer:
    """One player: variables of their own, the set that they range over, and a utility in everyone's.

    Parameters
    ----------
    name
        Not empty, one line.
    variables
        In the order that vectors of this player use. None at all for a player without a choice.
    utility
        Maximised by the player.
    strategies
        A set or several, whose product (or intersection, where they share variables) is the player's set;
        kept in `sosgames.certificates.sets.normal_form`.

    Raises
    ------
    InputError
        When a name or a set does not fit; the message names the player.
    """

    name: str
    variables: tuple[str, ...]
    utility: Polynomial
    strategies: tuple[StrategySet, ...]

    def __post_init__(self) -> None:
        where = f"player {shown(self.name)}"
        _check_label(self.name, "player", required=True)
        object.__setattr__(self, "variables", variable_names(self.variables, where))
        if not isinstance(self.utility, Polynomial):
            raise InputError(f"{where}: the utility is {shown(self.utility)}, not a polynomial.")
        check_size(self.utility, f"{where}, utility")
        object.__setattr__(self, "strategies", normal_form(self.strategies, self.variables, where))

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The conditions on the player's variables, set after set."""
        return tuple(c for part in self.strategies for c in part.constraints)


@dataclass(frozen=True, slots=True)
class ExactGame:
    r"""A polynomial game with rational coefficients.

    Player :math:`i` chooses :math:`x_i` in :math:`X_i` to maximise the polynomial :math:`u_i(x_1, ..., x_n)`.

    Parameters
    ----------
    players
        In the game's order.
    name, source
        Labels for people; they take no part in equality or in any proof.

    Attributes
    ----------
    variables : tuple of str
        All variables, player after player.
    constraints : tuple of Constraint
        All conditions, player after player; a proof names a condition by its index here.
    constraint_owner : tuple of str
        The player whose condition it is, index by index.

    Raises
    ------
    InputError
        When two players share a name or a variable, a utility has an unknown variable, or there is no
        variable at all.

    Examples
    --------
    >>> from sosgames.certificates.sets import Box
    >>> x = Polynomial.variable("x")
    >>> game = ExactGame((ExactPlayer("driver", ("x",), 4 * x - 3 * x**2, (Box({"x": (0, 1)}),)),))
    >>> game.variables, game.owner("x"), [str(c) for c in game.constraints]
    (('x',), 'driver', ['x >= 0', '-x + 1 >= 0'])
    """

    players: tuple[ExactPlayer, ...]
    name: str = field(default="", compare=False)
    source: str = field(default="", compare=False)
    variables: tuple[str, ...] = field(init=False, repr=False, compare=False)
    constraints: tuple[Constraint, ...] = field(init=False, repr=False, compare=False)
    constraint_owner: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", tuple(self.players))
        _check_label(self.name, "name")
        _check_label(self.source, "source")
        check_count(len(self.players), MAX_PLAYERS, "players")
        _refuse_shared(self.players)
        object.__setattr__(self, "variables", tuple(v for p in self.players for v in p.variables))
        check_count(len(self.variables), MAX_VARIABLES, "variables")
        if not self.variables:
            raise InputError("game: no player has a variable, so there is nothing to decide.")
        known = frozenset(self.variables)
        for player in self.players:
            _refuse_unknown(player.utility, known, f"player {shown(player.name)}, utility")
        owned = [(c, p.name) for p in self.players for c in p.constraints]
        object.__setattr__(self, "constraints", tuple(c for c, _ in owned))
        object.__setattr__(self, "constraint_owner", tuple(name for _, name in owned))

    def player(self, name: str) -> ExactPlayer:
        """The player of that name."""
        for player in self.players:
            if player.name == name:
                return player
        known = listed([shown(p.name) for p in self.players])
        raise InputError(f"game: there is no player {shown(name)}; the players are {known}.")

    def owner(self, variable: str) -> str:
        """The name of the player who chooses a variable."""
        for player in self.players:
            if variable in player.variables:
                return player.name
        raise InputError(f"game: there is no variable {shown(variable)}; it has {listed(self.variables)}.")


@dataclass(frozen=True, slots=True)
class MatrixProblem:
    """A symmetric matrix of polynomials, to be proved positive semidefinite on a set.

    Parameters
    ----------
    rows
        A square, symmetric matrix.
    variables
        Of the entries and of the set.
    strategies
        The set, in the same form as a player's.
    name, source
        Labels for people.

    Examples
    --------
    >>> from sosgames.certificates.sets import Space
    >>> x = Polynomial.variable("x")
    >>> MatrixProblem(((x * x + 1, x), (x, Polynomial.constant(1))), ("x",), (Space(["x"]),)).side
    2
    """

    rows: tuple[tuple[Polynomial, ...], ...]
    variables: tuple[str, ...]
    strategies: tuple[StrategySet, ...]
    name: str = field(default="", compare=False)
    source: str = field(default="", compare=False)
    constraints: tuple[Constraint, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(tuple(row) for row in self.rows))
        object.__setattr__(self, "variables", variable_names(self.variables, "matrix"))
        _check_label(self.name, "name")
        _check_label(self.source, "source")
        if not self.variables:
            raise InputError("matrix: the list of variables is empty; name at least one.")
        check_count(len(self.variables), MAX_VARIABLES, "variables")
        self._check_entries()
        object.__setattr__(self, "strategies", normal_form(self.strategies, self.variables, "matrix"))
        object.__setattr__(self, "constraints", tuple(c for s in self.strategies for c in s.constraints))

    def _check_entries(self) -> None:
        if not self.rows:
            raise InputError("matrix: it has no rows; give at least one.")
        known = frozenset(self.variables)
        for i, row in enumerate(self.rows, start=1):
            if len(row) != self.side:
                raise InputError(
                    f"matrix, row {i}: {len(row)} entries in a matrix of {self.side} rows; it must be square."
                )
            for j, entry in enumerate(row, start=1):
                if not isinstance(entry, Polynomial):
                    raise InputError(f"matrix, row {i}, column {j}: got {shown(entry)}, not a polynomial.")
                if self.rows[j - 1][i - 1 : i] != (entry,) and j < i:
                    raise InputError(
                        f"matrix: entries ({i}, {j}) and ({j}, {i}) differ; it must be symmetric."
                    )
                check_size(entry, f"matrix, row {i}, column {j}")
                _refuse_unknown(entry, known, f"matrix, row {i}, column {j}")

    @property
    def side(self) -> int:
        """Number of rows."""
        return len(self.rows)


def _check_label(text: str, what: str, *, required: bool = False) -> None:
    if not isinstance(text, str) or not (text or not required):
        raise InputError(f"{what}: the name is {shown(text)}; give a non-empty text.")
    if not text.isprintable() or len(text) > 1_000:
        raise InputError(f"{what}: {shown(text)} is not one line of at most 1,000 printable characters.")


def _refuse_shared(players: Iterable[ExactPlayer]) -> None:
    names: set[str] = set()
    owners: dict[str, str] = {}
    for player in players:
        if player.name in names:
            raise InputError(
                f"game: two players are called {shown(player.name)}; give each a name of their own."
            )
        names.add(player.name)
        for variable in player.variables:
            if variable in owners:
                raise InputError(
                    f"game: the variable {variable} belongs to both {shown(owners[variable])} and"
                    f" {shown(player.name)}; rename one."
                )
            owners[variable] = player.name


def _refuse_unknown(polynomial: Polynomial, known: frozenset[str], where: str) -> None:
    unknown = sorted(polynomial.variables - known)
    if unknown:
        raise InputError(f"{where}: the variable {unknown[0]} is unknown; known are {listed(sorted(known))}.")
