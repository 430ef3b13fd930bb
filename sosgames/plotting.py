"""Pictures of results; matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sosgames.certificates.matrices import Basis, Entries, PolyMatrix, congruent
from sosgames.certificates.polynomials import Polynomial
from sosgames.errors import SosgamesError

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


def axes(ax: Axes | None) -> Axes:
    """The axes given, or fresh ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise SosgamesError("plotting needs matplotlib; install certikit[plot].") from missing
    return plt.subplots(layout="constrained")[1]


def plot_brackets(
    names: Sequence[str],
    levels: Sequence[Sequence[tuple[int, float]]],
    uppers: Sequence[float | None],
    ax: Axes | None = None,
    **style: Any,
) -> Axes:
    """Proved lower bounds over the level, one line a bracket, with the upper bounds as dashed lines."""
    ax = axes(ax)
    from matplotlib.ticker import MaxNLocator

    for index, (name, points, upper) in enumerate(zip(names, levels, uppers, strict=True)):
        color = f"C{index}"
        if points:
            ax.plot(
                *zip(*points, strict=True), "o-", color=color, label=f"proved lower bound, {name}", **style
            )
        if upper is not None:
            ax.axhline(upper, linestyle="--", color=color, label=f"upper bound at a point, {name}")
    ax.axhline(0, color="0.5", linewidth=0.8)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("level of the hierarchy")
    ax.set_ylabel("modulus")
    ax.legend(fontsize="small")
    return ax


def plot_gains(
    times: FloatArray,
    curves: Mapping[str, Sequence[FloatArray]],
    gaps: Mapping[str, float],
    ax: Axes | None = None,
) -> Axes:
    """Gains of straight deviations, a colour a player, with the players' gaps as dashed lines above them."""
    ax = axes(ax)
    for index, (player, gains) in enumerate(curves.items()):
        color = f"C{index}"
        for k, gain in enumerate(gains):
            ax.plot(times, gain, color=color, label=None if k else player)
        ax.axhline(gaps[player], linestyle="--", linewidth=0.8, color=color)
    ax.set_xlabel("share of the way to an end of the own strategy set")
    ax.set_ylabel("gain of deviating")
    ax.legend(fontsize="small")
    return ax


def plot_eigenvalues(
    matrix: PolyMatrix,
    tangent: Basis | None,
    inside: Sequence[Polynomial],
    ranges: Mapping[str, tuple[float, float]],
    point: Mapping[str, Fraction],
    ax: Axes | None = None,
) -> Axes:
    """The smallest eigenvalue of M over two variables, the others as in ``point``, which is marked.

    ``ranges`` names the two variables and their intervals; where a polynomial of ``inside`` is negative the
    map is left blank. Cost: 161 * 161 small eigenvalue problems.
    """
    ax = axes(ax)
    (first, across), (second, up) = ranges.items()
    grid_1, grid_2 = np.meshgrid(np.linspace(*across, 161), np.linspace(*up, 161))
    values = {name: np.full(grid_1.shape, float(value)) for name, value in point.items()}
    values |= {first: grid_1, second: grid_2}
    lowest = _smallest_eigenvalues(matrix, tangent, values)
    for polynomial in inside:
        lowest = np.where(_on_grid(polynomial, values) < 0, np.nan, lowest)
    size = float(np.nanmax(np.abs(lowest))) or 1.0
    image = ax.pcolormesh(grid_1, grid_2, lowest, cmap="RdBu", vmin=-size, vmax=size, rasterized=True)
    if np.nanmin(lowest) < 0 < np.nanmax(lowest):
        ax.contour(grid_1, grid_2, lowest, levels=[0.0], colors="k", linewidths=0.8)
    ax.plot(float(point[first]), float(point[second]), "k*", markersize=12, clip_on=False, zorder=5)
    ax.figure.colorbar(image, ax=ax, label="smallest eigenvalue")
    ax.set_xlabel(first)
    ax.set_ylabel(second)
    return ax


def _smallest_eigenvalues(
    matrix: PolyMatrix, tangent: Basis | None, values: Mapping[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Of the pencil (B'MB, B'RB), point by point."""
    R: Entries = {(a, a): Polynomial.constant(weight) for a, weight in enumerate(matrix.metric)}
    M = matrix.entries
    if tangent is not None:
        M, R = congruent(M, tangent), congruent(R, tangent)
    side = matrix.side if tangent is None else len(tangent[0])
    shape = next(iter(values.values())).shape
    dense = np.zeros((*shape, side, side))
    metric = np.zeros((side, side))
    for (a, b), entry in M.items():
        dense[..., a, b] = dense[..., b, a] = _on_grid(entry, values)
    for (a, b), entry in R.items():
        metric[a, b] = metric[b, a] = float(entry.constant_term)
    inverse = np.linalg.inv(np.linalg.cholesky(metric))
    smallest: NDArray[np.float64] = np.linalg.eigvalsh(inverse @ dense @ inverse.T)[..., 0]
    return smallest


def _on_grid(polynomial: Polynomial, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    total = np.zeros(next(iter(values.values())).shape)
    for monomial, coefficient in polynomial.terms.items():
        term = np.full(total.shape, float(coefficient))
        for name, exponent in monomial:
            term = term * values[name] ** exponent
        total += term
    return total


def plot_changes(
    names: Sequence[str], pairs: Sequence[tuple[float, float]], ax: Axes | None = None, most: int = 30
) -> Axes:
    """Old and new coefficients as two dots on a line, the first ``most`` of them."""
    ax = axes(ax)
    names, pairs = names[:most], pairs[:most]
    places = range(len(names))
    for place, (old, new) in zip(places, pairs, strict=True):
        ax.plot([old, new], [place, place], "-", color="0.7", zorder=1)
    ax.plot([old for old, _ in pairs], places, "o", color="C0", label="given")
    ax.plot([new for _, new in pairs], places, "D", color="C1", label="nearest")
    ax.set_yticks(places, names, fontsize="small")
    ax.invert_yaxis()
    ax.set_xlabel("coefficient")
    ax.legend(fontsize="small")
    return ax
