"""What an attempt to prove a modulus reached, in values and words."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from sosgames.certificates.parts import Part
from sosgames.conic.problem import FloatArray


class ProofStatus(Enum):
    """How an attempt to prove a modulus ended; the value is the diagnosis and the remedy."""

    PROVED = "an exact identity was found."
    NO_SOLUTION = "the solver left no point to round; see its status."
    NO_INTERIOR = (
        "the identity has no interior point here, so rounding cannot work; try a lower bound or level."
    )
    NOT_ROUNDED = "no rounded point passed the exact tests; ask for a smaller tolerance or a lower bound."


@dataclass(frozen=True, slots=True)
class ProvedBound:
    """What an attempt reached.

    Attributes
    ----------
    part
        The part of a proof file for ``mu``, or None. It is for the verifier to accept.
    mu
        The modulus that ``part`` is about, exact.
    numeric_mu
        What the solver takes for the optimum of this level: no proof, nan when there is none.
    status
        Diagnosis and remedy.
    solver, solver_status
        Who solved, and how that ended.
    margin
        The smallest eigenvalue of the scaled Gram matrices that the margin problem reached.
    seconds
        Wall time of solving and rounding.
    moments
        The dual solution behind ``numeric_mu``, one number per equation in units of the matrix, where
        there is one: it suggests where the matrix is smallest.
    """

    part: Part | None
    mu: Fraction | None
    numeric_mu: float
    status: ProofStatus
    solver: str
    solver_status: str
    margin: float
    seconds: float
    moments: FloatArray | None = field(default=None, repr=False, compare=False)

    @property
    def reason(self) -> str:
        """Why there is no proof, in one sentence; empty when there is one."""
        if self.status is ProofStatus.PROVED:
            return ""
        return f"{self.status.value} ({self.solver}: {self.solver_status})"
