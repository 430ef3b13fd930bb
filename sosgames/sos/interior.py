r"""One as a sum of all squares with positive weights: the way into the interior, in closed form.

In the coordinates of a program, intervals are :math:`1 - t_j^2` and balls :math:`1 - \sum_j t_j^2` up to a
factor. With K generators :math:`g_k = c_k - \sum_j a_{kj} t_j^2`, c and a positive,

.. math::

    m^2 = \frac{1}{K + 1} \Bigl( m^2
        + \sum_k \frac{1}{c_k} \bigl( g_k m^2 + \sum_j a_{kj} t_j^2 m^2 \bigr) \Bigr)

applied to m = 1, then to the monomials :math:`t_j m` that it produces, and so on up to the level, writes 1
with positive weights on the squares of all monomials in all blocks; times R, the metric. So the diagonal
matrices W of these weights have the image R: where Gram matrices Q prove :math:`\mu`, the matrices
:math:`Q + \delta W` prove :math:`\mu - \delta`. And W says in which units entries of Gram matrices are alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sosgames.sos.exponents import exponents_of
from sosgames.sos.program import SosProgram

Exponents = tuple[int, ...]
Weights = Mapping[tuple[int, Exponents], float]
"""By generator and monomial."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """The generator ``constant - sum_j squares[j] t_j^2``."""

    constant: float
    squares: Mapping[int, float]


def interior_weights(program: SosProgram) -> tuple[NDArray[np.float64], ...] | None:
    """The weight of every square in the identity for R, block by block; None where none is known.

    None is known for generators of another form (faces of polytopes), for variables without a bound, and
    along affine equations.

    Cost: linear in the sides of the blocks.
    """
    bounds = _bounds(program)
    if bounds is None or program.tangent is not None:
        return None
    weights = _weights(len(program.coordinates.names), program.level // 2, bounds)
    metric = _metric(program)
    found = []
    for block in program.blocks:
        keys = [(block.generator, tuple(exponents)) for exponents in block.exponents.tolist()]
        found.append(np.array([weights.get(key, 0.0) for key in keys]) * metric[block.rows])
    return tuple(found) if all((w > 0).all() for w in found) else None


def _bounds(program: SosProgram) -> dict[int, _Bound] | None:
    """The generators other than 1 as bounds on squares; None if one has another form."""
    found = {}
    for index in {block.generator for block in program.blocks} - {0}:
        image = program.coordinates.to_coordinates(program.description.polynomial(index))
        image = image * program.multiples[index]
        exponents = exponents_of(image.terms, program.coordinates.names)
        constant, squares = 0.0, {}
        for row, coefficient in zip(exponents, image.terms.values(), strict=True):
            if not row.any():
                constant = float(coefficient)
            elif row.sum() == 2 == row.max() and coefficient < 0:
                squares[int(row.argmax())] = -float(coefficient)
            else:
                return None
        if constant <= 0:
            return None
        found[index] = _Bound(constant, squares)
    return found


def _weights(n_variables: int, half: int, bounds: Mapping[int, _Bound]) -> Weights:
    """The weights of all squares in the identity for 1."""
    weights: dict[tuple[int, Exponents], float] = defaultdict(float)
    current = {(0,) * n_variables: 1.0}
    for _ in range(half):
        above: dict[Exponents, float] = defaultdict(float)
        for monomial, weight in current.items():
            share = weight / (len(bounds) + 1)
            weights[0, monomial] += share
            for index, bound in bounds.items():
                weights[index, monomial] += share / bound.constant
                for j, a in bound.squares.items():
                    above[(*monomial[:j], monomial[j] + 1, *monomial[j + 1 :])] += share * a / bound.constant
        current = above
    for monomial, weight in current.items():
        weights[0, monomial] += weight
    return weights


def _metric(program: SosProgram) -> NDArray[np.float64]:
    """The diagonal of R."""
    diagonal = np.zeros(program.n_rows)
    for a, b, value in zip(program.keys.rows, program.keys.columns, program.metric, strict=True):
        if a == b and value:
            diagonal[a] = float(Fraction(int(value), program.denominator))
    return diagonal
