r"""From an approximate solution straight to one that can be rounded, where an interior point is known.

With W the positive diagonal matrices whose image is the metric (`sosgames.sos.interior`), in units where
W = I: an approximate solution :math:`(\tilde Q, \tau)` is moved onto the equations by averages over the
entries of the first block, and with :math:`\lambda` the smallest eigenvalue of what comes out,

.. math:: \tilde Q - \lambda I \succeq 0 \quad \text{proves} \quad \tau + \lambda .

So every iterate of a solver proves a bound, whether its Gram matrices are semidefinite or not. And the
largest margin at a modulus mu is its distance from the optimum: no second program could find more room.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sosgames.conic.forms import GramSolution
from sosgames.conic.gram_cones import Assembly
from sosgames.conic.problem import FloatArray, svec_scale
from sosgames.conic.systems import GramSystem, Scaling
from sosgames.conic.weighted import weighted
from sosgames.sos.interior import interior_weights
from sosgames.sos.program import SosProgram, triangle_of

EXACTNESS = 1e-9
"""How far the image of W may lie from the metric."""
PATIENCE = 2
"""Looks in a row without progress that end a solve."""


class Interior:
    """A modulus system in units where the identity matrices have the metric as their image."""

    def __init__(self, system: GramSystem, assembly: Assembly, n_first: int) -> None:
        self.system, self.assembly, self.n_first = system, assembly, n_first
        self._first = system.A[:, :n_first]
        self._norms: FloatArray = np.asarray(self._first.multiply(self._first).sum(axis=1)).reshape(-1)

    def reached(self, solution: GramSolution) -> GramSolution:
        """What a solution proves in floating point: the identity met, the smallest eigenvalue about 0."""
        q = np.concatenate([triangle_of(gram) * svec_scale(len(gram)) for gram in solution.grams])
        system = self.system
        missing = system.b - system.A @ q - system.F @ solution.free - system.c * solution.tau
        share = np.divide(missing, self._norms, out=np.zeros_like(missing), where=self._norms > 0)
        q[: self.n_first] += share @ self._first
        met = replace(solution, grams=tuple(system.grams(q)))
        return self.lowered(met, -min(float(np.linalg.eigvalsh(gram)[0]) for gram in met.grams))

    def lowered(self, solution: GramSolution, delta: float) -> GramSolution:
        """The solution with delta I added to every Gram matrix, so with delta less in tau."""
        grams = tuple(gram + delta * np.eye(len(gram)) for gram in solution.grams)
        return replace(solution, grams=grams, tau=solution.tau - delta)


def find_interior(program: SosProgram, scaling: Scaling, system: GramSystem) -> Interior | None:
    """The modulus system of a program in the units of its interior point; None where none is known.

    None too for rows in units of their own: a step along the metric would hide what is small in a small row.
    """
    weights = None if scaling.spread_bits or not program.blocks else interior_weights(program)
    if weights is None:
        return None
    scaled = [np.ldexp(w, k) for w, k in zip(weights, scaling.block_bits, strict=True)]
    inner, assembly = weighted(system, scaled)
    identity = np.concatenate([triangle_of(np.eye(side)) for side in inner.sides])
    if np.abs(inner.A @ identity - inner.c).max(initial=0.0) > EXACTNESS * np.abs(inner.c).max(initial=0.0):
        return None
    n_first = int(program.offsets[sum(block.generator == 0 for block in program.blocks)])
    return Interior(inner, assembly, n_first)


class Watch:
    """Looks at a solver's points, keeps the one that proves most, and says when that is enough.

    Parameters
    ----------
    interior
        What is solved.
    enough
        The tau that ends the solve, or None.
    accuracy
        Progress of the best tau, relative, below which a look counts as one without.
    """

    def __init__(self, interior: Interior, enough: float | None, accuracy: float) -> None:
        self.interior, self.enough, self.accuracy = interior, enough, accuracy
        self.best: GramSolution | None = None
        self._idle = 0

    def __call__(self, solution: GramSolution) -> bool:
        before = self.best
        tau = self.keep(solution).tau
        if self.enough is not None and tau >= self.enough:
            return True
        is_idle = before is not None and tau - before.tau <= self.accuracy * (1 + abs(tau))
        self._idle = self._idle + 1 if is_idle else 0
        return self._idle >= PATIENCE

    def keep(self, solution: GramSolution) -> GramSolution:
        """The best of what was seen."""
        found = self.interior.reached(solution)
        if self.best is None or found.tau > self.best.tau:
            self.best = found
        return self.best
