r"""A proof without a solver, for a box and a modulus slightly below an upper bound u.

.. math:: M - (u - \delta) R = (M - uR) + \delta R

The first summand gets the Gram matrix in which each coefficient is spread evenly over the entries that feed
it: the one of least norm. It is positive semidefinite for sums of even powers of linear forms and others that
are convex by their construction. The second makes everything definite. With n bounded variables,

.. math:: m^2 = \frac{1}{n + 1} \Bigl( m^2 + \sum_j t_j^2 m^2 + \sum_j (1 - t_j^2)\, m^2 \Bigr)

applied to m = 1, then to the monomials :math:`t_j` that it produces, and so on up to the level, writes 1 with
positive weights on the squares of all monomials in all blocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sosgames.certificates.parts import Part
from sosgames.conic.forms import GramSolution
from sosgames.conic.problem import FloatArray
from sosgames.conic.systems import program_scaling
from sosgames.rounding.definite import is_numerically_definite
from sosgames.rounding.dyadic import round_to_identity
from sosgames.rounding.parts import assemble_part
from sosgames.sos.exponents import exponents_of
from sosgames.sos.program import SosProgram

Weights = dict[tuple[int | None, tuple[int, ...]], float]
"""By the variable of a multiplier (None for the constant 1) and the monomial."""


def prove_by_averaging(
    program: SosProgram, upper: Fraction, delta: Fraction, *, player: str | None = None
) -> Part | None:
    """The proof of ``upper - delta`` whose Gram matrices are averages, where these are definite.

    None where they are not, or where the set is not a box.

    Parameters
    ----------
    program
        The program, for all moduli.
    upper
        A modulus at which the averages may be semidefinite: an upper bound that is known.
    delta
        What is given up for definiteness, positive.
    player
        Recorded in the part.

    Notes
    -----
    Cost: one rounding and one integer proof, linear in the coefficients and cubic in the sides; no solve.
    """
    box = _variables_of_multipliers(program)
    if box is None or program.n_free or program.tangent is not None:
        return None
    weights = _interior_weights(program, sorted({j for j in box.values() if j is not None}))
    scaling = program_scaling(program)
    metric = _metric(program)
    grams = []
    for block, bits in zip(program.blocks, scaling.block_bits, strict=True):
        keys = ((box[block.generator], tuple(e)) for e in block.exponents.tolist())
        diagonal = np.array([weights.get(key, 0.0) for key in keys]) * metric[block.rows]
        grams.append(np.diag(np.ldexp(diagonal, bits) * float(delta / scaling.size)))
    solution = GramSolution(tuple(grams), np.zeros(0), 0.0)
    identity = round_to_identity(program, scaling, solution, upper - delta)
    if identity is None or not all(is_numerically_definite(gram) for gram in identity.grams):
        return None
    return assemble_part(program, identity, player=player)


def _variables_of_multipliers(program: SosProgram) -> dict[int, int | None] | None:
    """For each generator the j in 1 - t_j^2, or None for the constant 1; None if one has another form."""
    n = len(program.coordinates.names)
    found: dict[int, int | None] = {0: None}
    for index in {block.generator for block in program.blocks} - {0}:
        image = program.coordinates.to_coordinates(program.description.polynomial(index))
        image = image * program.multiples[index]
        exponents = exponents_of(image.terms, program.coordinates.names)
        terms = {tuple(e): c for e, c in zip(exponents.tolist(), image.terms.values(), strict=True)}
        constant = terms.pop((0,) * n, None)
        if constant != 1 or list(terms.values()) != [-1] or sorted(*terms)[-1:] != [2] or sum(*terms) != 2:
            return None
        (square,) = terms
        found[index] = square.index(2)
    return found


def _interior_weights(program: SosProgram, bounded: Sequence[int]) -> Weights:
    """The weights of all squares in the identity for 1."""
    weights: Weights = defaultdict(float)
    current = {(0,) * len(program.coordinates.names): 1.0}
    for _ in range(program.level // 2):
        above: dict[tuple[int, ...], float] = defaultdict(float)
        for monomial, weight in current.items():
            share = weight / (len(bounded) + 1)
            weights[None, monomial] += share
            for j in bounded:
                weights[j, monomial] += share
                above[(*monomial[:j], monomial[j] + 1, *monomial[j + 1 :])] += share
        current = above
    for monomial, weight in current.items():
        weights[None, monomial] += weight
    return weights


def _metric(program: SosProgram) -> FloatArray:
    """The diagonal of R."""
    diagonal = np.zeros(program.n_rows)
    for a, b, value in zip(program.keys.rows, program.keys.columns, program.metric, strict=True):
        if a == b and value:
            diagonal[a] = float(Fraction(int(value), program.denominator))
    return diagonal
