"""Laws of length whose mode wanders: a walk over half octaves as the budget grows.

A straight line that fits the groups with much budget says anything about those with little: where lengths
bend, the line is held by the precise groups and far off at the others. A walk follows the groups that have
something to say, and stays near the last of them where none has.

The weight of a path of modes is likelihood times prior over the square of the sum theta that it predicts.
Likelihood and prior are products over neighbouring groups; the square is not, but

    1 / theta**2 = integral of t exp(-t theta) dt,     t > 0,

and exp(-t theta) is a product over groups, as theta is a sum over them. So for each t the average over all
paths is that of a Markov chain, forwards and backwards, and a sum over a geometric grid of t does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from privacy_stats.protocols.octave_laws import Average, Floats, NoisyShares, OctaveLaws

RATES = tuple((fall, rise) for fall in (0.0, 0.5, 2.0) for rise in (0.0, 0.5, 2.0) if fall or rise)
"""Half octaves by which modes fall and rise on average when the budget doubles."""
_GRID = math.log(4)
"""Step of log t; the sum over t is then within 5 % of the integral."""
_NUMBERS = 1 << 22
"""Numbers in one block of values of t."""
_NEGLIGIBLE = 14.0
"""Nats below the largest weight at which a t counts no more: one in a million."""
_LEAST = 1e-80
"""What is taken for zero, far from where products of two such numbers lose digits."""


def wandering_averages(
    laws: OctaveLaws, noisy: NoisyShares, prior: float, least: float = -math.inf
) -> Iterator[Average]:
    """Average the laws over all paths of the mode, one pair of widths for all groups, for each of `RATES`.

    Cost: ``groups * pairs * modes**2`` products per t and rate, and again for each t that counts; t runs over
    half as many values as there are octaves, and a few more.

    Parameters
    ----------
    laws : OctaveLaws
        With their likelihoods.
    noisy : NoisyShares
        Budgets and users of the groups.
    prior : float
        Of each of `RATES`.
    least : float
        Logarithm of a weight; averages that weigh less are left out.
    """
    gaps = np.diff(np.log2(noisy.budget))
    n_modes = laws.length.shape[1]
    steps = [_transitions(gaps, fall, rise, n_modes) for fall, rise in RATES]
    grid = _grid(laws, noisy)
    size = max(1, _NUMBERS // laws.likelihood.size)
    for block in (grid[k : k + size] for k in range(0, len(grid), size)):
        scale, emission = _emissions(laws, noisy, np.exp(block))
        outside = math.log(prior * _GRID) + 2 * block + scale
        for step in steps:
            evidence, ahead = _forwards(emission, step)
            logs = outside + evidence
            top = float(logs.max())
            if top < least:
                continue
            kept = logs > top - _NEGLIGIBLE
            part = np.exp(logs[kept] - top)
            weight = _backwards(emission[kept], step, ahead[kept])
            mean = np.tensordot(part / part.sum(), weight, axes=(0, 0))
            yield Average(top + float(np.log(part.sum())), mean)


def _grid(laws: OctaveLaws, noisy: NoisyShares) -> Floats:
    """Return log t over all predicted sums: outside t theta is below 0.05 or above 20 for each of them."""
    users = noisy.users.sum()
    least, most = math.log(laws.length.min() * users), math.log(laws.length.max() * users)
    return np.arange(-most - 3, -least + 3 + _GRID, _GRID)


def _transitions(gaps: Floats, fall: float, rise: float, n_modes: int) -> Floats:
    """Return the probabilities of going from mode to mode between neighbouring groups.

    The mode makes steps of half an octave, up and down, as two Poisson processes over log2 budget; their
    difference has a known characteristic function. Nothing leaves the grid: rows are scaled to sum to 1.
    """
    places = 4 * n_modes
    turn = 2j * np.pi * np.fft.fftfreq(places)
    exponent = rise * (np.exp(-turn) - 1) + fall * (np.exp(turn) - 1)
    moves = np.maximum(np.fft.ifft(np.exp(gaps[:, None] * exponent), axis=1).real, 0.0)
    modes = np.arange(n_modes)
    found = moves[:, (modes[None, :] - modes[:, None]) % places]
    return np.asarray(found / found.sum(axis=2, keepdims=True))


def _emissions(laws: OctaveLaws, noisy: NoisyShares, t: Floats) -> tuple[Floats, Floats]:
    """Return likelihood times ``exp(-t theta)``: what is common as a logarithm, and the rest of every law.

    Shapes (t,) and (t, groups, pairs, modes).
    """
    best, shortest = laws.likelihood.max(axis=(1, 2)), laws.length.min()
    rest = np.exp(laws.likelihood - best[:, None, None])
    beyond = noisy.users[:, None, None] * (laws.length - shortest)
    emission = np.exp(-t[:, None, None, None] * beyond) * rest
    emission[emission < _LEAST] = 0.0
    return best.sum() - t * noisy.users.sum() * shortest, emission


def _forwards(emission: Floats, steps: Floats) -> tuple[Floats, Floats]:
    """Return the logarithm of the sum over all paths, and the weight of laws by the groups so far.

    Scaled in each group; shapes (t,) and (t, groups, pairs, modes).
    """
    n_t, groups, pairs, modes = emission.shape
    evidence = np.zeros(n_t)
    found = np.empty_like(emission)
    ahead = np.ones((n_t, pairs, modes))
    for g in range(groups):
        if g:
            ahead = ahead @ steps[g - 1]
        ahead = ahead * emission[:, g]
        evidence += np.log(_scaled(ahead))
        found[:, g] = ahead
    return evidence, found


def _backwards(emission: Floats, steps: Floats, ahead: Floats) -> Floats:
    """Return the weight of every law in every group given all groups, for every t; overwrites `ahead`."""
    back = np.ones_like(emission[:, 0])
    for g in range(emission.shape[1] - 2, -1, -1):
        back = (back * emission[:, g + 1]) @ steps[g].T
        _scaled(back)
        ahead[:, g] *= back
        _scaled(ahead[:, g])
    return ahead


def _scaled(weight: Floats) -> Floats:
    """Divide by the sum over laws, in place, and return it; what vanishes beside it becomes 0."""
    total = np.maximum(weight.sum(axis=(1, 2)), 1e-300)
    weight /= total[:, None, None]
    weight[weight < _LEAST] = 0.0
    return np.asarray(total)
