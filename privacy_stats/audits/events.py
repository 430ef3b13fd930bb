"""Events that tell two inputs apart: thresholds, single values, bit patterns, likely bins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Draws = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Event:
    """A set of reports, as a test on an array, with a name that a reader understands."""

    name: str
    contains: Callable[[Draws], NDArray[np.bool_]]


def candidates(a: Draws, b: Draws) -> Iterator[Event]:
    """Yield events that may separate draws under two inputs; chosen from these draws only.

    Parameters
    ----------
    a, b : ndarray
        Draws under each input, integers or floats, for choosing; the bound must come from other draws.
    """
    both = np.concatenate([a, b])
    edges = np.unique(np.quantile(both, np.linspace(0, 1, 201)[1:-1], method="nearest"))
    for edge in edges:
        yield Event(f"report >= {edge}", partial(np.less_equal, edge))
        yield Event(f"report <= {edge}", partial(np.greater_equal, edge))
    values, counts = np.unique(both, return_counts=True)
    for value in values[np.argsort(-counts)[:64]]:
        yield Event(f"report == {value}", partial(np.equal, value))
    yield from _likely_bins(a, b, edges)
    yield from _bit_patterns(a)


def _likely_bins(a: Draws, b: Draws, edges: Draws) -> Iterator[Event]:
    """Unions of bins in which one input is at least a certain factor likelier."""
    in_a = np.bincount(np.searchsorted(edges, a, side="right"), minlength=edges.size + 1) + 0.5
    in_b = np.bincount(np.searchsorted(edges, b, side="right"), minlength=edges.size + 1) + 0.5
    ratio = in_a / in_b
    for cut in np.unique(np.quantile(ratio, np.linspace(0.3, 0.99, 24))):
        chosen = ratio >= cut
        name = f"report in the {int(chosen.sum())} likeliest of {chosen.size} bins"
        yield Event(name, partial(_in_bins, edges, chosen))


def _bit_patterns(a: Draws) -> Iterator[Event]:
    """For floats: how fine a binary fraction the report is. For integers: its last bits."""
    if a.dtype.kind == "f":
        for k in [*range(0, 48, 6), *range(48, 62), 66, 72]:
            yield Event(f"report is a multiple of 2^-{k}", partial(_is_multiple, k))
            yield Event(f"report is no multiple of 2^-{k}", partial(_is_no_multiple, k))
        return
    for k in range(1, 9):
        for rest in {0, 1, (1 << k) - 1}:
            yield Event(f"report mod 2^{k} == {rest}", partial(_ends_in, k, rest))


def _in_bins(edges: Draws, chosen: NDArray[np.bool_], x: Draws) -> NDArray[np.bool_]:
    return np.asarray(chosen[np.searchsorted(edges, x, side="right")])


def _ends_in(k: int, rest: int, x: Draws) -> NDArray[np.bool_]:
    return np.asarray((x & ((1 << k) - 1)) == rest)


def _is_multiple(k: int, x: Draws) -> NDArray[np.bool_]:
    scaled = np.ldexp(x, k)
    return np.asarray(np.isfinite(scaled) & (scaled == np.rint(scaled)))


def _is_no_multiple(k: int, x: Draws) -> NDArray[np.bool_]:
    return ~_is_multiple(k, x)
