"""Choices by held-out likelihood: fit on most cascades, score the others, take the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from cascades.mixture.result import MixtureFit
from cascades.tables import Cascades

HELD_OUT = 0.2


@dataclass(frozen=True, slots=True)
class Choice:
    """Mean held-out log-likelihood per cascade of each candidate."""

    scores: dict[str, float]

    @property
    def best(self) -> str:
        """Name of the candidate with the highest score."""
        return max(self.scores, key=lambda name: self.scores[name])

    def words(self, what: str) -> str:
        """Say what was chosen and by how much."""
        listed = ", ".join(f"{name}: {score:.4f}" for name, score in self.scores.items())
        return f"{what} {self.best} chosen by held-out log-likelihood per cascade ({listed})"


def choose(
    candidates: Mapping[str, Callable[[Cascades], MixtureFit]], data: Cascades, rng: np.random.Generator
) -> Choice:
    """Fit each candidate on 80 % of the cascades and score it on the rest.

    All candidates get the same small floor of spontaneous activation, so that an activation that a sparse
    network forbids costs much and not everything.
    """
    rest, part = data.split(1.0 - HELD_OUT, rng=rng)
    floor = floor_of(rest)
    scores = {
        name: float(np.mean(fit(rest).log_likelihood_on(part, floor=floor)))
        for name, fit in candidates.items()
    }
    return Choice(scores)


def floor_of(data: Cascades) -> float:
    """Return a hundredth of the activations per node and time watched, the floor that all models get."""
    watched = float(np.sum(data.horizons - data.first_times)) * data.n_nodes
    return 0.01 * data.n_events / watched if watched > 0 else 1e-12
