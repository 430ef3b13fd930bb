"""Which model predicts cascades that it has not seen?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cascades.errors import ArgumentError
from cascades.mixture.layers_fit import LayersFit
from cascades.mixture.result import MixtureFit
from cascades.models import DoubleMixture, MMRate, NetRate, Superposition
from cascades.results import NetworkFit
from cascades.superposed import SuperpositionFit
from cascades.tables import Cascades
from cascades.tables.types import Floats

Model = NetRate | Superposition | MMRate | DoubleMixture


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Log-likelihood of each cascade under each model when the cascade was left out of the fit.

    Parameters
    ----------
    names : tuple of str
    scores : (n_models, n_cascades) float array
        -inf where a model declares the cascade impossible.
    """

    names: tuple[str, ...]
    scores: Floats

    def __repr__(self) -> str:
        return f"HeldOut({', '.join(self.names)})"

    @property
    def means(self) -> Floats:
        """Mean log-likelihood per cascade of each model."""
        means: Floats = self.scores.mean(axis=1)
        return means

    @property
    def n_impossible(self) -> Floats:
        """Number of cascades that each model declares impossible."""
        counts: Floats = np.isneginf(self.scores).sum(axis=1)
        return counts

    @property
    def best(self) -> str:
        """Name of the model with the highest mean."""
        return self.names[int(np.argmax(self.means))]

    def summary(self) -> str:
        """Return a line per model: mean, and the difference to the best with its standard error."""
        top = self.scores[int(np.argmax(self.means))]
        lines = []
        for name, row, impossible in zip(self.names, self.scores, self.n_impossible, strict=True):
            if impossible:
                remedy = "background=True, or a floor, lets every node be activated by nobody"
                lines.append(f"{name}: {int(impossible)} cascades impossible under it; {remedy}")
                continue
            gap = row - top
            error = gap.std(ddof=1) / np.sqrt(len(gap))
            lines.append(
                f"{name}: {row.mean():.4f} per cascade, {gap.mean():+.4f} +- {error:.4f} to the best"
            )
        return "\n".join(lines)


def held_out(
    models: Mapping[str, Model],
    data: Cascades,
    *,
    n_folds: int = 5,
    floor: float = 0.0,
    rng: np.random.Generator,
) -> HeldOut:
    """Score models by cross-validation over cascades.

    With `floor` every model is scored as if nodes could also be activated by nobody at this rate, so that
    one impossible activation does not decide; models without a background need it.

    Densities of exact times and probabilities of grouped times are not comparable: compare models with
    the same `ties`.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> chain = cs.Network.from_edges({("a", "b"): 2.0, ("b", "c"): 1.0}, nodes="abc")
    >>> data = cs.simulate(chain, n_cascades=300, horizon=5.0, rng=np.random.default_rng(0))
    >>> models = {law: cs.NetRate(law, background=True) for law in ("exponential", "rayleigh")}
    >>> cs.held_out(models, data, rng=np.random.default_rng(1)).best
    'exponential'
    """
    if not 2 <= n_folds <= data.n_cascades:
        raise ArgumentError(f"n_folds: got {n_folds}, wanted 2 to the number of cascades, {data.n_cascades}")
    if not models:
        raise ArgumentError("models: none given; give a mapping of names to models")
    folds = np.array_split(rng.permutation(data.n_cascades), n_folds)
    scores = np.empty((len(models), data.n_cascades))
    seeds = rng.integers(2**62, size=n_folds)
    for fold, seed in zip(folds, seeds, strict=True):
        rest = np.setdiff1d(np.arange(data.n_cascades), fold)
        for m, model in enumerate(models.values()):
            fitted = _fit(model, data.select(rest), np.random.default_rng(seed))
            scores[m, fold] = fitted.log_likelihood_on(data.select(fold), floor=floor)
    return HeldOut(tuple(models), scores)


def _fit(
    model: Model, data: Cascades, rng: np.random.Generator
) -> NetworkFit | SuperpositionFit | LayersFit | MixtureFit:
    if isinstance(model, MMRate | DoubleMixture):
        return model.fit(data, rng=rng, quiet=True)
    return model.fit(data, quiet=True)
