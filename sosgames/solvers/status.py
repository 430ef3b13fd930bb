"""How a solve ended, in words that say what to do; and what every back end returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from sosgames.conic.problem import ConicPoint
from sosgames.sos.sizes import MEMORY_LIMIT


class SolverStatus(Enum):
    """How a solve ended. The value is the diagnosis and the remedy; no verdict is ever drawn from it."""

    SOLVED = "solved to the tolerance asked for."
    INACCURATE = (
        "ended close to a solution without reaching the tolerance; a looser bound may still be proved."
    )
    STOPPED = "stopped at a point that is good enough for what was asked."
    INFEASIBLE = "the solver found no feasible point; a higher level has more multipliers."
    UNBOUNDED = "the solver found the bound to grow without limit; the set may be empty."
    TIME_LIMIT = "the time limit ended the solve; raise time_limit or lower the level."
    ITERATION_LIMIT = "the iteration limit ended the solve; raise max_iterations or try another solver."
    FAILED = "the solver broke down numerically; rescale the problem or try another solver."

    @property
    def has_point(self) -> bool:
        """Whether the point that came with the status is worth rounding."""
        return self in _WITH_POINT


_WITH_POINT = frozenset(
    {
        SolverStatus.SOLVED,
        SolverStatus.INACCURATE,
        SolverStatus.STOPPED,
        SolverStatus.TIME_LIMIT,
        SolverStatus.ITERATION_LIMIT,
    }
)


@dataclass(frozen=True, slots=True)
class SolverAnswer:
    """A status, the point where the solver stopped (None when it broke down), and what it took."""

    status: SolverStatus
    point: ConicPoint | None
    solver: str
    seconds: float
    iterations: int
    detail: str = ""

    @property
    def usable_point(self) -> ConicPoint | None:
        """The point if it is worth rounding: a status alone does not say that its numbers are finite."""
        usable = self.point is not None and self.status.has_point and self.point.is_finite
        return self.point if usable else None


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """What every back end understands.

    ``tolerance`` None is the back end's own choice; ``time_limit`` in seconds, None for none;
    ``memory_limit`` in bytes, compared with an estimate before the solve. A first-order solver starts with
    ``scale`` as the weight of its equations, and shows its point to ``watch`` every so often: True ends it.
    """

    tolerance: float | None = None
    time_limit: float | None = None
    max_iterations: int | None = None
    memory_limit: int | None = MEMORY_LIMIT
    scale: float | None = None
    watch: Callable[[ConicPoint], bool] | None = None
