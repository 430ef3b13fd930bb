"""Comparing coefficients: one equation per key (matrix entry, monomial), built from integer codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.exponents import AnyArray, IntArray, MonomialCode, exponents_of
from sosgames.sos.program import (
    CoefficientMap,
    FreeEntries,
    GramBlock,
    Keys,
    ObjectArray,
    triangle_pairs,
)

Entry = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Unknowns:
    """The unknown multipliers and what they multiply, all in coordinates with integer coefficients."""

    blocks: tuple[GramBlock, ...]
    free: tuple[FreeEntries, ...]
    generators: Mapping[int, Polynomial]
    equations: Mapping[int, Polynomial]
    names: tuple[str, ...]
    n_rows: int

    def max_exponent(self) -> int:
        """A bound on every exponent of every product."""
        factors = [(b.exponents, 2, self.generators[b.generator]) for b in self.blocks]
        factors += [(f.exponents, 1, self.equations[f.equation]) for f in self.free]
        return max((int(e.max(initial=0)) * times + p.degree for e, times, p in factors), default=0)


@dataclass(frozen=True, slots=True)
class CoefficientEquations:
    """``coefficients @ entries = (target - mu * metric) / denominator``, one equation per key."""

    keys: Keys
    coefficients: CoefficientMap
    target: ObjectArray
    metric: ObjectArray
    denominator: int


def coefficient_equations(
    unknowns: Unknowns, matrix: Mapping[Entry, Polynomial], metric: Mapping[Entry, Fraction]
) -> CoefficientEquations:
    """The exact linear equations of the identity ``matrix - mu * metric = sum of the multipliers``."""
    largest = max([unknowns.max_exponent(), *(p.degree for p in matrix.values())])
    code = MonomialCode(len(unknowns.names), largest, unknowns.n_rows**2)
    terms = [_block_terms(b, unknowns, code) for b in unknowns.blocks]
    terms += [_free_terms(f, unknowns, code) for f in unknowns.free]
    constants = {key: Polynomial.constant(value) for key, value in metric.items()}
    target_codes, target_values = _matrix_terms(matrix, unknowns, code)
    metric_codes, metric_values = _matrix_terms(constants, unknowns, code)
    all_codes = np.concatenate([*(t[0] for t in terms), target_codes, metric_codes])
    distinct, places = np.unique(all_codes, return_inverse=True)
    denominator = lcm(*(v.denominator for v in target_values), *(v.denominator for v in metric_values))
    n_map = len(all_codes) - len(target_codes) - len(metric_codes)
    n_target = n_map + len(target_codes)
    return CoefficientEquations(
        _decode(distinct, unknowns, code),
        _assemble(terms, places[:n_map], len(distinct)),
        _integers(target_values, places[n_map:n_target], denominator, len(distinct)),
        _integers(metric_values, places[n_target:], denominator, len(distinct)),
        denominator,
    )


Terms = tuple[AnyArray, IntArray, ObjectArray, int]
"""Key codes, columns within the unknown, integer values, and the number of columns."""


def _block_terms(block: GramBlock, unknowns: Unknowns, code: MonomialCode) -> Terms:
    """Q_pq multiplies w_pq g x^(e_p + e_q) in entry (a_p, a_q), w = 2 for p < q in one row, else 1."""
    p, q = triangle_pairs(block.side)
    monomials = code.codes(block.exponents)
    keys = code.prefixed(block.rows[p] * unknowns.n_rows + block.rows[q], monomials[p] + monomials[q])
    weights = np.where((block.rows[p] == block.rows[q]) & (p != q), 2, 1)
    return _times(unknowns.generators[block.generator], keys, weights, unknowns, code)


def _free_terms(free: FreeEntries, unknowns: Unknowns, code: MonomialCode) -> Terms:
    keys = code.prefixed(free.rows * unknowns.n_rows + free.columns, code.codes(free.exponents))
    return _times(unknowns.equations[free.equation], keys, np.ones_like(free.rows), unknowns, code)


def _times(
    polynomial: Polynomial, keys: AnyArray, weights: IntArray, unknowns: Unknowns, code: MonomialCode
) -> Terms:
    """Every column once for each term of the polynomial."""
    shifts = code.codes(exponents_of(polynomial.terms, unknowns.names))
    values = integer_array([c.numerator for c in polynomial.terms.values()])
    columns = np.tile(np.arange(len(keys)), len(shifts))
    products = (shifts[:, None] + keys[None, :]).reshape(-1)
    return products, columns, (values[:, None] * weights[None, :]).reshape(-1), len(keys)


def integer_array(values: list[int]) -> ObjectArray:
    """64-bit integers where twice the values fit, else Python integers."""
    fits = all(abs(value) < 2**61 for value in values)
    return np.array(values, dtype=np.int64 if fits else object)


def _matrix_terms(
    matrix: Mapping[Entry, Polynomial], unknowns: Unknowns, code: MonomialCode
) -> tuple[AnyArray, list[Fraction]]:
    codes = [np.zeros(0, dtype=code.weights.dtype)]
    values: list[Fraction] = []
    for (a, b), polynomial in matrix.items():
        prefix = np.full(len(polynomial.terms), a * unknowns.n_rows + b)
        codes.append(code.prefixed(prefix, code.codes(exponents_of(polynomial.terms, unknowns.names))))
        values += polynomial.terms.values()
    return np.concatenate(codes), values


def _integers(values: list[Fraction], places: IntArray, denominator: int, n: int) -> ObjectArray:
    vector = np.zeros(n, dtype=object)
    for place, value in zip(places.tolist(), values, strict=True):
        vector[place] = value.numerator * (denominator // value.denominator)
    vector.setflags(write=False)
    return vector


def _assemble(terms: list[Terms], places: IntArray, n_equations: int) -> CoefficientMap:
    starts = np.cumsum([0, *(t[3] for t in terms)])
    nothing = np.zeros(0, dtype=np.int64)  # every element may have been idle
    columns = np.concatenate([nothing, *(t[1] + start for t, start in zip(terms, starts, strict=False))])
    values = np.concatenate([nothing, *(t[2] for t in terms)])
    for array in (places, columns, values):
        array.setflags(write=False)
    return CoefficientMap(places, columns, values, (n_equations, int(starts[-1])))


def _decode(codes: AnyArray, unknowns: Unknowns, code: MonomialCode) -> Keys:
    prefixes, rest = codes // code.size, codes % code.size
    exponents = np.zeros((len(codes), len(unknowns.names)), dtype=np.int64)
    for i in range(len(unknowns.names)):
        exponents[:, i] = rest % code.radix
        rest = rest // code.radix
    rows, columns = (
        part.astype(np.int64) for part in (prefixes // unknowns.n_rows, prefixes % unknowns.n_rows)
    )
    return Keys(rows, columns, exponents)
