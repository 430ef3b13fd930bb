"""Which solvers there are, which can be used here and why not, and which one suits a problem's size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

from sosgames.certificates.errors import shown
from sosgames.conic.forms import GramSolution, gram_form, moment_form
from sosgames.conic.problem import ConicProblem
from sosgames.conic.systems import GramSystem
from sosgames.errors import SolverError
from sosgames.solvers import clarabel_direct, interior_point, scs_direct
from sosgames.solvers.status import SolverAnswer, SolverOptions
from sosgames.sos.sizes import refuse_above

AUTO = "auto"
SMALLEST_SIDE_FOR_SCS = 6
"""From this side of the largest block on SCS in moment form is faster where it is accurate."""
LARGEST_SIDE_FOR_CLARABEL = 24
"""Up to this side Clarabel is worth its time where SCS is not accurate enough (docs/howto/solvers.md)."""
LARGEST_SIDE_FOR_INTERIOR = 80
LARGEST_SYSTEM_FOR_INTERIOR = 2_500
"""Up to these the interior-point method is worth its time where SCS is not accurate enough."""

Solve = Callable[[ConicProblem, SolverOptions], SolverAnswer]


@dataclass(frozen=True, slots=True)
class SolverRow:
    """A solver, whether it can be used here, and the reason or the advice."""

    name: str
    available: bool
    note: str


def solver_table() -> tuple[SolverRow, ...]:
    """Every solver that this package knows how to call; those behind cvxpy are tried on a tiny problem."""
    from sosgames.solvers import cvxpy_bridge  # cvxpy takes seconds to import

    rows = [
        SolverRow(
            "clarabel", True, f"interior point, direct; blocks of side up to {LARGEST_SIDE_FOR_CLARABEL}"
        ),
        SolverRow("scs", True, "first order, direct, moment form; large blocks"),
        SolverRow("interior", True, "interior point, own, moment form; degenerate problems of middle size"),
    ]
    for name in cvxpy_bridge.SEMIDEFINITE:
        reason = cvxpy_bridge.unavailable_because(name)
        rows.append(SolverRow(name.lower(), reason is None, reason or "through cvxpy"))
    return tuple(rows)


def solvers_for(sides: Sequence[int], n_equations: int) -> tuple[str, ...]:
    """The solvers that suit blocks of these sides: the first to try, then what to try if it is inaccurate."""
    side = max(sides, default=0)
    if side <= LARGEST_SIDE_FOR_CLARABEL:
        return ("clarabel",) if side < SMALLEST_SIDE_FOR_SCS else ("scs", "clarabel")
    if side <= LARGEST_SIDE_FOR_INTERIOR and n_equations <= LARGEST_SYSTEM_FOR_INTERIOR:
        return ("scs", "interior")
    return ("scs",)


def accurate_solver(sides: Sequence[int]) -> str:
    """The one solver for blocks of these sides where no second attempt is made."""
    return "clarabel" if max(sides, default=0) <= LARGEST_SIDE_FOR_CLARABEL else "scs"


def find_solver(name: str) -> Solve:
    """The solver of that name.

    Raises
    ------
    SolverError
        When there is none of that name or it cannot be used here; the text says why.
    """
    direct: dict[str, Solve] = {
        "clarabel": clarabel_direct.solve,
        "scs": scs_direct.solve,
        "interior": interior_point.solve,
    }
    if name in direct:
        return direct[name]
    if find_spec("cvxpy") is None:
        raise SolverError(f"solver {shown(name)} needs cvxpy; install it, or use 'clarabel' or 'scs'.")
    from sosgames.solvers import cvxpy_bridge

    known = cvxpy_bridge.SEMIDEFINITE
    if name.upper() not in known:
        names = ", ".join(["auto", *direct, *(n.lower() for n in known)])
        raise SolverError(f"solver {shown(name)} is not known; choose one of {names}.")
    reason = cvxpy_bridge.unavailable_because(name.upper())
    if reason is not None:
        raise SolverError(f"solver {shown(name)} cannot be used: {reason}; use 'auto' or another solver.")
    return lambda problem, options: cvxpy_bridge.solve_with(name.upper(), problem, options)


def model_solver(name: str, sides: Sequence[int]) -> str:
    """The name of the solver for a cvxpy model with blocks of these sides.

    Raises
    ------
    SolverError
        When there is none of that name, or cvxpy cannot call it here.
    """
    name = accurate_solver(sides) if name == AUTO else name
    if name == "interior":
        raise SolverError("solver 'interior' takes no cvxpy models; use 'auto', 'clarabel' or 'scs'.")
    find_solver(name)
    return name


def solver_bytes(name: str, problem: ConicProblem) -> int:
    """About how much memory a solver will take.

    Interior-point methods hold a dense matrix over the entries of each semidefinite cone, first-order ones
    little more than the data.
    """
    data = 200 * problem.n_nonzeros
    if name == "scs":
        return data + sum(100 * side**2 for side in problem.cones.semidefinite)
    if name == "interior":
        return data + 24 * problem.n_variables**2 + sum(600 * side**2 for side in problem.cones.semidefinite)
    return data + sum(24 * (side * (side + 1) // 2) ** 2 for side in problem.cones.semidefinite)


def _refuse_too_large(name: str, problem: ConicProblem, options: SolverOptions) -> None:
    side = max(problem.cones.semidefinite, default=0)
    what = f"solver {shown(name)} on {problem.cones.n_rows:,} rows with blocks of side up to {side:,}"
    advice = "use 'scs', lower the level, or raise memory_limit."
    refuse_above(solver_bytes(name, problem), options.memory_limit, what, advice)


def solve_system(
    system: GramSystem,
    solver: str = AUTO,
    options: SolverOptions | None = None,
    watch: Callable[[GramSolution], bool] | None = None,
) -> tuple[SolverAnswer, GramSolution | None]:
    """Solve a Gram system; the solution is None where the solver left no point worth rounding.

    First-order solvers show what they have to ``watch`` every so often: True ends the solve.
    """
    name = accurate_solver(system.sides) if solver == AUTO else solver
    lower = gram_form if name == "clarabel" else moment_form
    options = options or SolverOptions()
    solve = find_solver(name)
    problem, recover = lower(system)
    _refuse_too_large(name, problem, options)
    if watch is not None:
        options = replace(options, watch=lambda point: point.is_finite and watch(recover(point)))
    answer = solve(problem, options)
    point = answer.usable_point
    return answer, None if point is None else recover(point)
