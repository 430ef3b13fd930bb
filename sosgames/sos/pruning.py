"""Basis elements that no certificate can use, removed exactly (the diagonal rule).

Where a coefficient of M - mu R is zero for every mu and only diagonal Gram entries of one sign feed it, each
of them is zero, and with it the whole row of its positive semidefinite matrix. For sets without inequalities
this finds what half the Newton polytope finds. No certificate is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.coefficients import CoefficientEquations, Entry, Unknowns, coefficient_equations
from sosgames.sos.program import GramBlock, triangle_pairs


def without_idle_elements(
    unknowns: Unknowns,
    matrix: Mapping[Entry, Polynomial],
    metric: Mapping[Entry, Fraction],
    mu: Fraction | None = None,
) -> tuple[Unknowns, CoefficientEquations]:
    """The unknowns without idle elements, repeated until none is left, and their equations.

    Idle for every modulus, or for the modulus ``mu`` where one is given.
    """
    while True:
        equations = coefficient_equations(unknowns, matrix, metric)
        idle = _idle_columns(unknowns, equations, _vanishing(equations, mu))
        if not idle.any():
            return unknowns, equations
        unknowns = replace(unknowns, blocks=_without(unknowns.blocks, idle))


def _vanishing(equations: CoefficientEquations, mu: Fraction | None) -> NDArray[np.bool_]:
    """Which coefficients of M - mu R are zero: for every mu, or for the one given."""
    if mu is None:
        return np.asarray((equations.target == 0) & (equations.metric == 0), dtype=bool)
    return np.asarray(equations.target * mu.denominator == equations.metric * mu.numerator, dtype=bool)


def _idle_columns(
    unknowns: Unknowns, equations: CoefficientEquations, vanishing: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which columns are diagonal entries that some equation forces to zero."""
    triplets = equations.coefficients
    n_equations, n_columns = triplets.shape
    diagonal = np.zeros(n_columns, dtype=bool)
    start = 0
    for block in unknowns.blocks:
        p, q = triangle_pairs(block.side)
        diagonal[start : start + block.n_entries] = p == q
        start += block.n_entries
    on_diagonal = diagonal[triplets.columns]
    signs = np.where(triplets.values > 0, 1, -1)
    others = np.bincount(triplets.equations[~on_diagonal], minlength=n_equations)
    positive = np.bincount(triplets.equations[on_diagonal & (signs > 0)], minlength=n_equations)
    negative = np.bincount(triplets.equations[on_diagonal & (signs < 0)], minlength=n_equations)
    forced = vanishing & (others == 0) & ((positive == 0) | (negative == 0))
    idle = np.zeros(n_columns, dtype=bool)
    idle[triplets.columns[forced[triplets.equations]]] = True
    return idle


def _without(blocks: tuple[GramBlock, ...], idle: NDArray[np.bool_]) -> tuple[GramBlock, ...]:
    kept = []
    start = 0
    for block in blocks:
        p, q = triangle_pairs(block.side)
        idle_here = idle[start : start + block.n_entries][p == q]
        start += block.n_entries
        if not idle_here.any():
            kept.append(block)
        elif not idle_here.all():
            kept.append(GramBlock(block.generator, block.rows[~idle_here], block.exponents[~idle_here]))
    return tuple(kept)
