r"""Two conic forms of one Gram system: by its Gram matrices, or by its dual, the moments.

They have the same optimum and the same Gram matrices at it. First-order solvers are several times faster and
far more accurate on the moment form, whose variables are free; interior-point solvers hardly care.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse

from sosgames.conic.problem import Cones, ConicPoint, ConicProblem, FloatArray
from sosgames.conic.systems import GramSystem


@dataclass(frozen=True, slots=True)
class GramSolution:
    """Gram matrices, free entries and tau, in the scale of the system.

    ``moments`` is the dual solution, one number per equation, where the solver has given one.
    """

    grams: tuple[FloatArray, ...]
    free: FloatArray
    tau: float
    moments: FloatArray | None = None

    def towards(self, other: GramSolution, share: float) -> GramSolution:
        """The point of the segment to another solution at ``share`` of the way."""
        grams = tuple((1 - share) * a + share * b for a, b in zip(self.grams, other.grams, strict=True))
        free = (1 - share) * self.free + share * other.free
        return GramSolution(grams, free, (1 - share) * self.tau + share * other.tau)


@dataclass(frozen=True, slots=True)
class Recovery:
    """How to read a Gram solution off a conic point of the form that was solved."""

    system: GramSystem
    form: Literal["gram", "moment"]

    def __call__(self, point: ConicPoint) -> GramSolution:
        n_q, n_free = self.system.A.shape[1], self.system.F.shape[1]
        if self.form == "gram":
            q, free, tau = point.s[-n_q:], point.x[n_q : n_q + n_free], float(point.x[-1])
            moments = point.z[: len(self.system.b)]
        else:  # z = (f, cap - tau, q)
            free, q, tau = point.z[:n_free], point.z[n_free + 1 :], self.system.cap - float(point.z[n_free])
            moments = point.x
        return GramSolution(tuple(self.system.grams(q)), np.array(free), tau, np.array(moments))


def gram_form(system: GramSystem) -> tuple[ConicProblem, Recovery]:
    """Variables (q, f, tau); maximise tau subject to the equations, tau <= cap and q in the cone."""
    m, n_q = system.A.shape
    n_free = system.F.shape[1]
    equations = sparse.hstack([system.A, system.F, sparse.csc_array(system.c[:, None])])
    bound = sparse.csc_array(([1.0], ([0], [n_q + n_free])), shape=(1, n_q + n_free + 1))
    cone = sparse.hstack([-sparse.eye_array(n_q), sparse.csc_array((n_q, n_free + 1))])
    A = sparse.csc_array(sparse.vstack([equations, bound, cone], format="csc"))
    b = np.concatenate([system.b, [system.cap], np.zeros(n_q)])
    c = np.zeros(n_q + n_free + 1)
    c[-1] = -1.0
    return ConicProblem(A, b, c, Cones(m, 1, system.sides)), Recovery(system, "gram")


def moment_form(system: GramSystem) -> tuple[ConicProblem, Recovery]:
    r"""Variables y, one per equation: the Lagrange dual of the Gram system,

    .. math:: \min \; b'y + cap (1 - c'y) \quad \text{s.t.} \quad F'y = 0, \; c'y \le 1, \; A^*(y) \succeq 0.

    The constant ``cap`` is left out of the objective.
    """
    n_q = system.A.shape[1]
    bound = sparse.csc_array(system.c[None, :])
    A = sparse.csc_array(sparse.vstack([-system.F.T, bound, -system.A.T], format="csc"))
    n_free = system.F.shape[1]
    b = np.concatenate([np.zeros(n_free), [1.0], np.zeros(n_q)])
    problem = ConicProblem(A, b, system.b - system.cap * system.c, Cones(n_free, 1, system.sides))
    return problem, Recovery(system, "moment")
