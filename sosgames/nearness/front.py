"""The front door: the nearest game that is concave or monotone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sosgames.certificates.errors import shown
from sosgames.certificates.games import ExactGame
from sosgames.certificates.nearness import NORMS
from sosgames.certificates.polynomials import Monomial, monomial_degree
from sosgames.certificates.rationals import exact
from sosgames.errors import InputError, SolverError, double_precision
from sosgames.games import Game
from sosgames.games.symbolic import polynomial_from
from sosgames.nearness.approach import Approach, Member
from sosgames.nearness.claim import claimed, norm_of_changes
from sosgames.nearness.family import Coefficient, GameFamily, Tie
from sosgames.nearness.functionals import DistanceBound
from sosgames.nearness.gauge import gauge_game
from sosgames.nearness.nearest_game import NearestGame
from sosgames.nearness.programs import FamilyProgram, Question, family_program, questions
from sosgames.search import Limits, Search
from sosgames.solvers.status import SolverOptions
from sosgames.sos import lowest_level

if TYPE_CHECKING:
    from sosgames.nearness.constraints import Coefficients, OwnConstraints

CLIMB = 2


@double_precision()
def nearest(
    game: Game | ExactGame,
    property: str = "monotone",
    *,
    norm: str = "linf",
    zero_sum: bool = False,
    fixed: Mapping[str, Iterable[Any]] | None = None,
    monomials: str = "same",
    margin: Any = 0,
    constraints: Callable[[Coefficients], Any] | None = None,
    break_ties: bool = True,
    level: int | None = None,
    solver: str = "auto",
    time_limit: float | None = None,
    report: Callable[[str], None] | None = None,
) -> NearestGame:
    r"""Find the nearest game that is concave or monotone, with a proof of it and of how near one can be.

    Minimises the norm of the changes of the coefficients subject to the matrix-SOS condition of `certify`,
    which is convex in both together; rounds the changes, proves the property of the rounded game exactly, and
    proves a lower bound on the distance to *every* game with the property by linear functionals
    :math:`u \mapsto y'M_u(x)y` at rational points.

    Parameters
    ----------
    game
        The game.
    property
        "concave" or "monotone".
    norm
        Of the changes: "linf" (the largest), "l1" (their sum), "l2" (euclidean). "gauge" allows
        :math:`u_i - \varepsilon |x_i|^2` alone and minimises :math:`\varepsilon`. Ties are broken by the
        smallest euclidean change.
    zero_sum
        Keep a zero-sum game zero-sum.
    fixed
        Monomials by player whose coefficients stay, as text or SymPy: ``{"P1": ["x*y"]}``.
    monomials
        "same" changes only coefficients of monomials that the player's utility has; "all" adds every monomial
        of no higher degree in each player's variables and in all.
    margin
        The modulus that the answer must have, at least 0.
    constraints
        Your own constraints on the coefficients, in cvxpy: a function that takes the new coefficients
        (`Coefficients`: ``u["row", "x*y"]`` is a cvxpy expression) and returns a list of constraints. They
        are checked at the exact coefficients: none is violated by more than 1e-5 times the largest
        coefficient (or 1, if that is less), and `NearestGame.constraints` says by how much. Affine ones
        normally hold exactly.
    break_ties
        False takes any of the nearest games and saves the second solve, half of the time of a large game.
    level
        Degree of the identity; None tries the lowest and the next.
    solver, time_limit, report
        As in `certify`; the time is for each solve.

    Returns
    -------
    NearestGame

    Raises
    ------
    InputError
        When an argument is not what is asked for here, or no such game exists (which is then proved).
    SolverError
        When no game could be found and proved; the text says how the last solve ended. So it ends when the
        constraints leave no such game.

    Notes
    -----
    One conic problem over the coefficients and the Gram matrices, and a second one to break ties. Sources:
    Leon et al. (2025), section 5; the moment form is what first-order solvers like.

    Examples
    --------
    >>> import sosgames as sg
    >>> near = sg.nearest(sg.catalog("wichardt2008"), "monotone", zero_sum=True)
    >>> near.distance, near.distance_lower
    (Fraction(10, 1), Fraction(10, 1))
    >>> print(near.table())
      row: x1*x2  10 -> 0
      column: x1*x2  -10 -> 0
    """
    begun = time.perf_counter()
    problem = game.exact if isinstance(game, Game) else game
    report = report or (lambda _: None)
    margin_ = exact(margin, "margin")
    _check(problem, property, norm, monomials, margin_)
    _check_constraints(constraints, norm)
    limits = Limits(level=level, solver=solver, time_limit=time_limit)
    if norm == "gauge":
        return gauge_game(problem, property, margin_, limits, begun)
    family = GameFamily.free(problem, _changeable(problem, monomials, fixed or {}))
    asked = questions(family, property)
    own = None if constraints is None else _own_constraints(family, constraints)
    report("how near can a game with the property be?")
    sums = _zero_sums(family) if zero_sum else []
    bound = DistanceBound(asked, family, norm, sums)
    member = _known(problem, property, margin_, limits, own) if bound.is_zero else None
    if member is None:
        report("looking for the nearest game")
        family = family.tied([(dict.fromkeys(group, Fraction(1)), Fraction(0)) for group in sums])
        _refuse_impossible_margin(asked, family, margin_)
        try:
            member = _nearest_member(family, asked, norm, margin_, limits, own, break_ties=break_ties)
        except (InputError, SolverError):
            bound.best()  # the reason may be that there is no such game, with a proof
            raise
    lower = bound.best(norm_of_changes(problem, member.game, norm))
    return claimed(problem, member, family, norm, lower, begun, zero_sum=zero_sum)


def _own_constraints(family: GameFamily, constraints: Callable[[Coefficients], Any]) -> OwnConstraints:
    from sosgames.nearness.constraints import OwnConstraints  # cvxpy takes seconds to import

    if not family.coefficients:
        raise InputError("constraints: no coefficient may change; leave some of them out of fixed.")
    return OwnConstraints(family, constraints)


def _check(problem: object, prop: str, norm: str, monomials: str, margin: Fraction) -> None:
    if not isinstance(problem, ExactGame):
        raise InputError(f"nearest: got {type(problem).__name__}; pass a sosgames.Game.")
    if prop not in ("concave", "monotone"):
        raise InputError(f"property is {shown(prop)}; ask for 'concave' or 'monotone'.")
    if norm not in (*NORMS, "gauge"):
        raise InputError(f"norm is {shown(norm)}; it is one of {', '.join(NORMS)}, gauge.")
    if monomials not in ("same", "all"):
        raise InputError(f"monomials is {shown(monomials)}; it is 'same' or 'all'.")
    if margin < 0:
        raise InputError(f"margin is {margin}; a modulus below 0 proves no property.")


def _check_constraints(constraints: object, norm: str) -> None:
    if constraints is not None and norm == "gauge":
        raise InputError("constraints: the norm 'gauge' leaves one number to choose; use linf, l1 or l2.")
    if constraints is not None and not callable(constraints):
        raise InputError(
            f"constraints: got {type(constraints).__name__}; pass a function of the new coefficients, such as"
            " lambda u: [u['row', 'x*y'] <= 1]."
        )


def _changeable(
    problem: ExactGame, monomials: str, fixed: Mapping[str, Iterable[Any]]
) -> Iterable[Coefficient]:
    if not isinstance(fixed, Mapping):
        raise InputError(f"fixed: got {shown(fixed)}; give a player's monomials by name, {{'row': ['x*y']}}.")
    kept = {(problem.player(name).name, _monomial(m, name)) for name, listed in fixed.items() for m in listed}
    offered = list(_all_monomials(problem)) if monomials == "all" else []
    listed = [(p.name, m) for p in problem.players for m in (*p.utility.terms, *offered) if m]
    return [coefficient for coefficient in listed if coefficient not in kept]


def _monomial(value: Any, player: str) -> Monomial:
    polynomial = polynomial_from(value, f"fixed, {player}")
    if len(polynomial.terms) != 1:
        raise InputError(f"fixed, {player}: got {value}; name one monomial at a time, such as 'x*y'.")
    return next(iter(polynomial.terms))


def _all_monomials(problem: ExactGame) -> Iterable[Monomial]:
    """Every monomial of no higher degree than some utility's, in each player's variables and in all."""
    limits = [
        (p.variables, max(q.utility.degree_in(p.variables) for q in problem.players)) for p in problem.players
    ]
    total = max(p.utility.degree for p in problem.players)
    found: list[Monomial] = [()]
    for variables, limit in limits:
        own: list[Monomial] = [()]
        for name in variables:
            own = [(*m, (name, e)) if e else m for m in own for e in range(limit - monomial_degree(m) + 1)]
        found = [(*m, *n) for m in found for n in own if monomial_degree(m) + monomial_degree(n) <= total]
    return (tuple(sorted(m)) for m in found if m)


def _zero_sums(family: GameFamily) -> list[list[int]]:
    """The coefficients of each monomial, whose changes must add up to 0."""
    total = sum((p.utility for p in family.game.players[1:]), family.game.players[0].utility)
    if total:
        raise InputError("zero_sum: the utilities of this game do not add up to 0.")
    groups: dict[Monomial, list[int]] = {}
    for k, (_, monomial) in enumerate(family.coefficients):
        groups.setdefault(monomial, []).append(k)
    return list(groups.values())


def _refuse_impossible_margin(asked: list[Question], family: GameFamily, margin: Fraction) -> None:
    for question in asked if margin > 0 else ():
        entries = question.compressed(question.generic(family).entries)
        for a in range(question.n_directions):
            if (a, a) not in entries:
                name = question.matrix.rows[a] if question.tangent is None else f"direction {a + 1}"
                raise InputError(
                    f"margin: no change gives {name} a square of its own, so the modulus stays 0; pass"
                    " monomials='all' or margin=0."
                )


def _known(
    problem: ExactGame, prop: str, margin: Fraction, limits: Limits, own: OwnConstraints | None
) -> Member | None:
    """The game as it is, if it is proved to have the property and keeps the constraints."""
    kept = () if own is None else own.check([Fraction(0)] * len(own.old))
    if any(constraint.violation > 0 for constraint in kept):
        return None
    found = Search(problem, prop, limits=limits).run().result()
    if found.lower_proof is None or found.lower_proof.mu < margin:
        return None
    return Member(problem, found.lower_proof, kept)


def _nearest_member(
    family: GameFamily,
    asked: list[Question],
    norm: str,
    margin: Fraction,
    limits: Limits,
    own: OwnConstraints | None,
    *,
    break_ties: bool,
) -> Member:
    options = SolverOptions(time_limit=limits.time_limit)
    if own is not None:
        family = _tied_if_possible(family, own.equations())
    status = "no change is left free"
    for extra in (0,) if limits.level is not None else range(0, CLIMB + 1, 2):
        tied, programs = _programs(family, asked, margin, limits.level, extra)
        approach = Approach(tied, asked, programs, norm, margin, own, break_ties, limits.solver, options)
        member = next(approach.members(), None)
        if member is not None:
            return member
        status = approach.status
    if own is not None:
        _explain_contradiction(own, family, limits.solver, options)
    looser = "" if own is None else " looser constraints,"
    raise SolverError(
        f"nearest: no game could be found and proved ({status}); try{looser} a higher level, a margin above"
        " 0, another solver, or let more coefficients change with monomials='all'."
    )


def _tied_if_possible(family: GameFamily, ties: list[Tie]) -> GameFamily:
    """The family with the user's equations; without them, where their digits contradict each other."""
    try:
        return family.tied(ties)
    except InputError:
        return family


def _explain_contradiction(
    own: OwnConstraints, family: GameFamily, solver: str, options: SolverOptions
) -> None:
    from sosgames.nearness.modelled import contradict

    if contradict(own, family, solver, options):
        raise SolverError(
            "nearest: the constraints leave no coefficients at all, whatever the game's property; so says the"
            " solver, it is not proved. Drop one of " + "; ".join(map(str, own.constraints)) + "."
        )


def _programs(
    family: GameFamily, asked: list[Question], margin: Fraction, level: int | None, extra: int
) -> tuple[GameFamily, list[FamilyProgram]]:
    """The programs of all questions that are not settled by ties, and the family with these ties."""
    while True:
        lively = [q for q in asked if q.n_directions and q.generic(family).entries]
        levels = [_level(q, family, level, extra) for q in lively]
        programs = [family_program(q, family, margin, d) for q, d in zip(lively, levels, strict=True)]
        tied = family.tied([tie for program in programs for tie in program.ties()])
        if tied == family:
            return family, programs
        family = tied


def _level(question: Question, family: GameFamily, level: int | None, extra: int) -> int:
    if level is not None:
        return level
    generic = question.generic(family)
    return lowest_level(generic, family.game, tangent=question.tangent, cross_products=True) + extra
