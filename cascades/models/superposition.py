"""Superposition: one network whose rates are a sparse known-support part plus a low-rank part.

minimise  sum_i f_i((Theta + Psi)_i) + penalty * sum Theta + nuclear * ||Psi||_*   over Theta, Psi >= 0

with f_i the negative log-likelihood of receiver i and Theta zero off the support. The problem is jointly
convex. It is split as Psi = Z (alternating directions; Boyd et al. 2011): the likelihood side separates into
receivers and is solved by the damped coordinate descent with a quadratic term; the other side soft-thresholds
singular values. Rates are in internal units (per mean time watched) while solving, so penalties carry no
unit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cascades.errors import ArgumentError, SizeError
from cascades.exposures import Exposure, Timeline, exposure_of, timeline
from cascades.models.clocks import Ties, bin_width
from cascades.networks import Network
from cascades.optimisation.descent import descend, objective, start
from cascades.progress import progress
from cascades.superposed import SuperpositionFit
from cascades.tables import Cascades
from cascades.tables.types import Floats, Integers
from cascades.transmission import Law, as_law

BYTES_PER_ENTRY = 32


@dataclass(frozen=True, slots=True)
class Superposition:
    """Theta on an observed support plus low-rank Psi, both acting at once on every node.

    Parameters
    ----------
    support : Network, optional
        Where Theta may be; every pair when not given (then only the penalties tell the two apart).
    transmission : str or Law
    penalty : float
        Weight of sum Theta.
    nuclear : float
        Weight of the nuclear norm of Psi.
    ties, resolution
        As in `NetRate`.
    tolerance : float
        Relative primal and dual residual at which to stop.
    max_iterations : int
    max_bytes : int
        Refuse before starting when the exposures would need more memory than this.

    Notes
    -----
    Every iteration costs a singular value decomposition, O(n_nodes^3), and a few sweeps over all exposures:
    meant for up to a few hundred nodes. The diagonal of Psi carries no data and is dropped from the answer.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> rng = np.random.default_rng(0)
    >>> truth = cs.designs.random_network(10, 3.0, rng=rng)
    >>> data = cs.simulate(truth, n_cascades=200, horizon=3.0, rng=rng)
    >>> fit = cs.Superposition(support=truth, nuclear=1e4).fit(data)  # too dear: Psi vanishes
    >>> fit.psi.n_edges
    0
    """

    support: Network | None = None
    transmission: str | Law = "exponential"
    penalty: float = 0.0
    nuclear: float = 1.0
    ties: Ties = "auto"
    resolution: float | None = None
    tolerance: float = 1e-6
    max_iterations: int = 5000
    max_bytes: int = 2 * 10**9

    def __post_init__(self) -> None:
        as_law(self.transmission)
        for name in ("penalty", "nuclear"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0):
                raise ArgumentError(f"{name}: got {value}, wanted a finite number of at least 0")

    def fit(self, data: Cascades, *, quiet: bool = False) -> SuperpositionFit:
        """Solve to `tolerance` and return both parts."""
        law = as_law(self.transmission)
        width, notes = bin_width(data, self.ties, self.resolution)
        if self.support is not None and self.support.nodes != data.nodes:
            raise ArgumentError("support: its nodes differ from the table's in labels or order")
        self._refuse_what_cannot_fit(data)
        line = timeline(data, law, width=width)
        columns = [_column(line, i, self.support) for i in range(data.n_nodes)]
        state = _alternate(columns, self, width > 0.0, quiet)
        return self._answer(data, line, columns, state, notes)

    def _refuse_what_cannot_fit(self, data: Cascades) -> None:
        need = BYTES_PER_ENTRY * float(np.sum(data.sizes.astype(float) ** 2))
        if need > self.max_bytes:
            raise SizeError(
                f"the exposures need about {need / 1e9:.1f} GB, over max_bytes ({self.max_bytes / 1e9:.1f}); "
                "give fewer cascades (Cascades.select), or fit NetRate, which keeps one receiver at a time"
            )

    def _answer(
        self,
        data: Cascades,
        line: Timeline,
        columns: list[Exposure],
        state: _State,
        notes: tuple[str, ...],
    ) -> SuperpositionFit:
        grouped, n = line.width > 0.0, data.n_nodes
        theta, psi = np.zeros((n, n)), np.zeros((n, n))
        loss = 0.0
        for i, (x, rates) in enumerate(zip(columns, state.rates, strict=True)):
            loss += objective(x.pointers, x.events, x.weights, rates, x.exposures, x.n_events, grouped)
            theta[x.senders[n:], i], psi[:, i] = rates[n:], rates[:n]
        value = loss + self.penalty * theta.sum() + self.nuclear * np.linalg.norm(psi, "nuc")
        singular = np.linalg.svd(psi, compute_uv=False)
        np.fill_diagonal(psi, 0.0)
        n_events = sum(x.n_events for x in columns)
        factor = as_law(self.transmission).rate_factor(line.scale)
        if not state.converged:
            notes += (f"stopped after {self.max_iterations} iterations above the tolerance",)
        return SuperpositionFit(
            theta=Network.from_matrix(theta * factor, nodes=data.nodes),
            psi=Network.from_matrix(psi * factor, nodes=data.nodes),
            rank=int(np.sum(singular > 1e-4 * max(singular[0], 1e-300))),
            objective=float(value),
            log_likelihood=float(-loss - (0.0 if grouped else n_events * np.log(line.scale))),
            law=as_law(self.transmission),
            width=line.width * line.scale,
            iterations=state.iterations,
            n_unexplained=sum(x.n_unexplained for x in columns),
            unit=data.unit,
            notes=notes,
        )


@dataclass(slots=True, eq=False)
class _State:
    rates: list[Floats]
    iterations: int = 0
    converged: bool = False


def _column(line: Timeline, i: int, support: Network | None) -> Exposure:
    """One receiver: columns 0..n-1 are Psi, the rest Theta on its support."""
    x = exposure_of(line, i, everyone=True)
    allowed = np.arange(line.n_nodes) if support is None else support.senders[support.receivers == i]
    twice: Integers = allowed[(np.diff(x.pointers)[allowed] > 0) & (allowed != i)]
    parts = [slice(x.pointers[j], x.pointers[j + 1]) for j in twice]
    lengths = [p.stop - p.start for p in parts]
    return Exposure(
        i,
        np.concatenate([x.senders, twice]),
        np.concatenate([x.pointers, x.pointers[-1] + np.cumsum(lengths, dtype=np.int64)]),
        np.concatenate([x.events, *(x.events[p] for p in parts)]),
        np.concatenate([x.weights, *(x.weights[p] for p in parts)]),
        np.concatenate([np.where(np.arange(line.n_nodes) == i, 0.0, x.exposures), x.exposures[twice]]),
        x.n_events,
        x.n_unexplained,
    )


def _alternate(columns: list[Exposure], model: Superposition, grouped: bool, quiet: bool) -> _State:
    n = len(columns)
    state = _State([_first(x) for x in columns])
    psi = np.stack([r[:n] for r in state.rates], axis=1)
    low, dual, rho = psi.copy(), np.zeros((n, n)), 1.0 / max(float(psi.mean()), 1e-12)
    with progress(model.max_iterations, "iterations", shown=not quiet) as advance:
        while state.iterations < model.max_iterations and not state.converged:
            for i, x in enumerate(columns):
                _receiver(x, state.rates[i], (low - dual)[:, i], rho, model, grouped)
                psi[:, i] = state.rates[i][:n]
            before, low = low, _shrink(psi + dual, model.nuclear / rho)
            dual += psi - low
            primal, moved = _relative(psi - low, psi, low), _relative(low - before, dual, low)
            state.iterations += 1
            state.converged = max(primal, moved) < model.tolerance
            if state.iterations % 10 == 0 and max(primal, moved) > 3 * min(primal, moved):
                factor = 2.0 if primal > moved else 0.5
                rho, dual = rho * factor, dual / factor
            advance(1)
    return state


def _first(x: Exposure) -> Floats:
    rates: Floats = start(x.pointers, x.events, x.weights, x.exposures, x.n_events)
    return rates


def _receiver(
    x: Exposure, rates: Floats, centre: Floats, rho: float, model: Superposition, grouped: bool
) -> None:
    """One receiver's step in place: Psi pulled to `centre`, Theta with its own linear penalty."""
    n, zeros = len(centre), np.zeros(len(rates))
    linear = x.exposures.copy()
    linear[n:] += model.penalty
    quadratic, target = zeros.copy(), zeros.copy()
    quadratic[:n], target[:n] = rho, centre
    terms = (linear, quadratic, target, zeros)
    descend(x.pointers, x.events, x.weights, rates, terms, x.n_events, grouped, model.tolerance / 10, 50)


def _relative(difference: Floats, *sizes: Floats) -> float:
    """Return the Frobenius norm of a difference relative to the larger of two matrices."""
    return float(np.linalg.norm(difference)) / max(1e-12, *(float(np.linalg.norm(m)) for m in sizes))


def _shrink(matrix: Floats, threshold: float) -> Floats:
    left, singular, right = np.linalg.svd(matrix, full_matrices=False)
    shrunk: Floats = (left * np.maximum(singular - threshold, 0.0)) @ right
    return shrunk
