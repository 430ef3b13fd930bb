r"""The identity of one part of a proof: it shows M - mu R to be positive semidefinite at every x in X.

The matrix M is computed from the problem, never taken from the proof. The part holds when

.. math:: D \, q \, B'(M - \mu R)B = \sum_j g_j \, z_j' G_j z_j + \sum_k T_k h_k

as polynomials, coefficient by coefficient in exact arithmetic: D > 0, q > 0 (its zero is looked at apart),
each g_j is derived from conditions g >= 0 of the problem, each h_k is a condition h == 0, each G_j is proved
positive semidefinite, and the columns of B span every direction that is asked about. On X everything on the
right is positive semidefinite, so the left is. docs/theory/certificates.md takes this step by step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm

from sosgames.certificates.cliques import check_cliques
from sosgames.certificates.definite import (
    Triangle,
    congruence_failure,
    integer_triangle,
    semidefinite_failure,
)
from sosgames.certificates.derivations import (
    condition,
    derive,
    multiply,
    named_monomial,
    named_polynomial,
    raise_to,
)
from sosgames.certificates.errors import CertificateError
from sosgames.certificates.matrices import Entries, Problem, Sums, congruent, modulus_matrix
from sosgames.certificates.parts import Block, DirectionDenominator, Part, PointDenominator
from sosgames.certificates.polynomials import Monomial, Polynomial, multiply_monomials
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.tangents import affine_equations, check_chart

MAX_FACTORED_SIDE = 60
"""Side of a matrix that is factored here."""
MAX_SIDE = 2_000
"""Side of a matrix that comes with a congruence."""


def check_part(part: Part, proof: ModulusProof, problem: Problem) -> None:
    """Raise `CertificateError` unless the part proves its modulus for the user's problem."""
    entries, norm, width = _compressed(part, proof, problem)
    if isinstance(part.denominator, PointDenominator):
        _check_at_zero(entries, part.denominator, width, problem)
    w = tuple(f"w[{j}]" for j in range(width)) if part.form == "scalar" else ()
    names, side = problem.variables + w, 1 if part.form == "scalar" else width
    left = _left_side(part, entries, norm, names, w)
    for equality in part.equalities:
        h = condition(problem, equality.constraint, "==")
        for a, b, polynomial in equality.matrix:
            _row(b, side)
            product = multiply(named_polynomial(polynomial, names), h)
            left[a, b] = left.get((a, b), Polynomial()) - product / part.scale
    for number, block in enumerate(part.blocks):
        _check_semidefinite(block, f"blocks[{number}]")
    right, denominator = _right_side(part, derive(part.generators, problem), names, side)
    _check_identity(left, right, part.scale * denominator)
    check_cliques(part)


def _compressed(part: Part, proof: ModulusProof, problem: Problem) -> tuple[Entries, Entries, int]:
    """The entries of B'(M - mu R)B, those of the form that measures w, and the number of columns of B."""
    matrix = modulus_matrix(problem, proof.property, player=part.player, weights=proof.weights)
    one = Polynomial.constant(1)
    if part.chart is None:
        return matrix.minus(part.mu), {(a, a): one for a in range(matrix.side)}, matrix.side
    basis, left_out = check_chart(part.chart, affine_equations(problem, matrix.rows), matrix.rows)
    metric = tuple(Fraction(0) if a in left_out else weight for a, weight in enumerate(matrix.metric))
    entries = congruent(replace(matrix, metric=metric).minus(part.mu), basis)
    norm = congruent({(a, a): one for a in range(matrix.side) if a not in left_out}, basis)
    return entries, norm, len(basis[0])


def _check_at_zero(entries: Entries, denominator: PointDenominator, width: int, problem: Problem) -> None:
    """Where the denominator vanishes the identity says nothing, so the matrix is factored there."""
    x0 = denominator.x0
    occurring = {name for entry in entries.values() for name in entry.variables}
    if not x0 or not occurring <= x0.keys() <= set(problem.variables):
        raise CertificateError("denominator: x0 must name variables of the problem, all that the matrix has.")
    if width > MAX_FACTORED_SIDE:
        raise CertificateError(f"denominator: the matrix has more than {MAX_FACTORED_SIDE} rows.")
    values = {key: entry(x0) for key, entry in entries.items()}
    dense = [[values.get((min(a, b), max(a, b)), Fraction(0)) for b in range(width)] for a in range(width)]
    if failure := semidefinite_failure(integer_triangle(dense)):
        raise CertificateError(f"denominator: the matrix is not semidefinite at its zero x0: {failure}.")


def _left_side(
    part: Part, entries: Entries, norm: Entries, names: Sequence[str], w: Sequence[str]
) -> dict[tuple[int, int], Polynomial]:
    """q B'(M - mu R)B; in scalar form the one polynomial w'(...)w, less p(1 - w'B'Bw) over D."""
    if part.scale < 1:
        raise CertificateError("the scale must be positive.")
    multiplier = Polynomial.constant(1)
    if isinstance(part.denominator, PointDenominator):
        squares = ((Polynomial.variable(name) - value) ** 2 for name, value in part.denominator.x0.items())
        multiplier *= raise_to(sum(squares, Polynomial()), part.denominator.k)
    if part.form == "matrix":
        if part.sphere is not None or isinstance(part.denominator, DirectionDenominator):
            raise CertificateError("a sphere and a power of y belong to the scalar form only.")
        if multiplier == 1:
            return dict(entries)
        return {key: multiply(multiplier, entry) for key, entry in entries.items()}
    directions = [Polynomial.variable(name) for name in w]
    length = _quadratic_form(norm, directions)
    if isinstance(part.denominator, DirectionDenominator):
        multiplier = multiply(multiplier, raise_to(length, part.denominator.k))
    form = multiply(multiplier, _quadratic_form(entries, directions))
    if part.sphere is not None:
        form -= multiply(named_polynomial(part.sphere, names), 1 - length) / part.scale
    return {(0, 0): form}


def _quadratic_form(entries: Entries, w: Sequence[Polynomial]) -> Polynomial:
    total: dict[Monomial, Fraction] = {}
    for (a, b), entry in entries.items():
        for monomial, c in multiply(entry, w[a] * w[b]).terms.items():
            total[monomial] = total.get(monomial, Fraction(0)) + (c if a == b else 2 * c)
    return Polynomial(total)


def _right_side(
    part: Part, generators: Sequence[Polynomial], names: Sequence[str], side: int
) -> tuple[Sums, int]:
    """The integer matrix sum_j L g_j z_j'G_j z_j, and the common denominator L of the generators."""
    by_generator: dict[int, Sums] = {}
    for number, block in enumerate(part.blocks):
        if not 0 <= block.generator < len(generators):
            raise CertificateError(f"blocks[{number}]: there is no generator {block.generator}.")
        _add_square(by_generator.setdefault(block.generator, {}), block, names, side)
    scale = lcm(*(c.denominator for index in by_generator for c in generators[index].terms.values()))
    total: Sums = {}
    for index, squares in by_generator.items():
        terms = [(m, int(c * scale)) for m, c in generators[index].terms.items()]
        for key, values in squares.items():
            entry = total.setdefault(key, {})
            for other, factor in terms:
                for monomial, value in values.items():
                    product = multiply_monomials(monomial, other) if other else monomial
                    entry[product] = entry.get(product, 0) + value * factor
    return total, scale


def _add_square(squares: Sums, block: Block, names: Sequence[str], side: int) -> None:
    """Add z'Gz. With z = Ct, t the different terms (row, monomial), it is t'(C'GC)t."""
    place: dict[tuple[int, Monomial], int] = {}
    basis = [
        [(c, place.setdefault((_row(a, side), named_monomial(m, names)), len(place))) for c, a, m in vector]
        for vector in block.basis
    ]
    terms = list(place)
    gram = _between_terms(block, basis, len(terms))
    known: dict[tuple[Monomial, Monomial], Monomial] = {}
    for s, (a, m) in enumerate(terms):
        for t, (b, n) in enumerate(terms[: s + 1]):
            if value := gram[s][t]:
                monomial = known.get((m, n))
                if monomial is None:
                    monomial = known[m, n] = multiply_monomials(m, n)
                entry = squares.setdefault((a, b) if a <= b else (b, a), {})
                # Entry (a, b) has one of the products st and ts above the diagonal, or both on it.
                entry[monomial] = entry.get(monomial, 0) + (2 * value if a == b and s != t else value)


def _between_terms(block: Block, basis: Sequence[Sequence[tuple[int, int]]], width: int) -> Triangle:
    """The lower triangle of C'GC, where row p of C has the coefficients of vector p."""
    if basis == [[(1, t)] for t in range(width)]:  # every vector is one term of its own: C = I
        return block.gram
    product = [[0] * width for _ in basis]  # GC
    for p, row in enumerate(block.gram):
        for q, entry in enumerate(row):
            for c, t in basis[q]:
                product[p][t] += entry * c
            for c, t in basis[p] if p != q else ():
                product[q][t] += entry * c
    result = [[0] * (s + 1) for s in range(width)]
    for p, vector in enumerate(basis):
        for c, s in vector:
            result[s] = [v + c * u for v, u in zip(result[s], product[p], strict=False)]
    return result


def _check_identity(left: Entries, right: Sums, scale: int) -> None:
    """The left side times ``scale`` must be the right side."""
    zero = Fraction(0)
    for a, b in sorted({*left, *right}):
        wanted = left[a, b].terms if (a, b) in left else {}
        given = right.get((a, b), {})
        wrong = []
        for monomial in {**wanted, **given}:
            above, below = wanted.get(monomial, zero).as_integer_ratio()
            if above * scale != given.get(monomial, 0) * below:
                wrong.append(monomial)
        if wrong:
            place = Polynomial({min(wrong): 1})
            raise CertificateError(f"the identity fails in entry ({a}, {b}), at {place}.")


def _check_semidefinite(block: Block, where: str) -> None:
    limit = MAX_FACTORED_SIDE if block.congruence is None else MAX_SIDE
    if len(block.basis) > limit:
        raise CertificateError(f"{where}: side {len(block.basis)}; this proof is read up to {limit}.")
    if block.congruence is None:
        failure = semidefinite_failure(block.gram)
    else:
        failure = congruence_failure(block.gram, block.congruence)
    if failure:
        raise CertificateError(f"{where}: the Gram matrix is not proved semidefinite: {failure}.")


def _row(row: int, side: int) -> int:
    if not 0 <= row < side:
        raise CertificateError(f"there is no row {row}; the matrix has {side}.")
    return row
