"""A second, slow checker: it expands identities with `Polynomial`, apart from all that builds them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from sosgames.certificates.matrices import congruent
from sosgames.certificates.parts import FromConstraint, Multiple, OddRoot, Part, Product
from sosgames.certificates.polynomials import Polynomial

Matrix = dict[tuple[int, int], Polynomial]


def _polynomial(terms: Any, variables: tuple[str, ...]) -> Polynomial:
    named = {tuple(sorted((variables[i], e) for i, e in m)): c for c, m in terms}
    assert len(named) == len(terms)
    return Polynomial(named)


def _derived(part: Part, problem: Any) -> list[Polynomial]:
    known = [Polynomial.constant(1)]
    for generator in part.generators:
        match generator:
            case FromConstraint(k):
                assert problem.constraints[k].kind == ">="
                known.append(problem.constraints[k].polynomial)
            case Product(a, b):
                known.append(known[a] * known[b])
            case Multiple(a, by):
                assert by > 0
                known.append(known[a] * by)
            case OddRoot(a, root, k):
                known.append(_polynomial(root, problem.variables))
                assert known[-1] ** (2 * k + 1) == known[a]
    return known


def _right_side(part: Part, problem: Any) -> Matrix:
    total: Matrix = {}
    generators = _derived(part, problem)
    for block in part.blocks:
        vectors = [_vector(terms, problem.variables) for terms in block.basis]
        for i, row in enumerate(block.gram):
            for j, value in enumerate(row):
                product = _outer(vectors[i], vectors[j], symmetrise=i != j)
                for key, entry in product.items():
                    total[key] = total.get(key, Polynomial()) + entry * generators[block.generator] * value
    for equality in part.equalities:
        h = problem.constraints[equality.constraint]
        assert h.kind == "=="
        for a, b, terms in equality.matrix:
            assert a <= b
            t = _polynomial(terms, problem.variables)
            total[a, b] = total.get((a, b), Polynomial()) + t * h.polynomial
    return {key: p for key, p in total.items() if p}


def _vector(terms: Any, variables: tuple[str, ...]) -> dict[int, Polynomial]:
    entries: dict[int, Polynomial] = {}
    for c, row, monomial in terms:
        entries[row] = entries.get(row, Polynomial()) + _polynomial([(Fraction(c), monomial)], variables)
    return entries


def _outer(left: dict[int, Polynomial], right: dict[int, Polynomial], *, symmetrise: bool) -> Matrix:
    """The upper entries of left right', plus its transpose when asked."""
    total: Matrix = {}
    for a, p in left.items():
        for b, q in right.items():
            keys = ([(a, b)] if a <= b else []) + ([(b, a)] if symmetrise and b <= a else [])
            for key in keys:
                total[key] = total.get(key, Polynomial()) + p * q
    return total


def _left_side(part: Part, matrix: Any) -> Matrix:
    entries: Matrix = dict(matrix.entries)
    metric: Matrix = {(a, a): Polynomial.constant(weight) for a, weight in enumerate(matrix.metric)}
    if part.chart is not None:
        entries, metric = congruent(entries, part.chart.basis), congruent(metric, part.chart.basis)
    difference = dict(entries)
    for key, weight in metric.items():
        difference[key] = difference.get(key, Polynomial()) - weight * part.mu
    return {key: p * part.scale for key, p in difference.items() if p}


@pytest.fixture(scope="session")
def identity_holds() -> Callable[[Part, Any, Any], bool]:
    """Whether scale (M - mu R) equals the sum of the multipliers, coefficient by coefficient."""

    def check(part: Part, matrix: Any, problem: Any) -> bool:
        return _left_side(part, matrix) == _right_side(part, problem)

    return check
