"""Matrices without variables: the largest modulus by exact arithmetic, no program and no solver."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from sosgames.certificates.definite import integer_triangle, semidefinite_failure
from sosgames.certificates.matrices import Basis, PolyMatrix, congruent
from sosgames.certificates.parts import Block, Part, TangentChart, Triangle
from sosgames.certificates.polynomials import Polynomial
from sosgames.errors import InputError
from sosgames.rounding.definite import lower_triangle, prove_definite

HEIGHTS = (1, 2, 3, 4, 5, 6, 8, 12, 100, 1_000, 10_000, 1_000_000)
BELOW = Fraction(1, 10**10)
TINY = Fraction(1, 10**60)

Rational = list[list[Fraction]]


def constant_modulus(matrix: PolyMatrix, *, tangent: Basis | None = None) -> Fraction:
    """A modulus of a constant matrix M: a rational mu with M - mu R positive semidefinite, exactly tested.

    It is the largest one when that is a rational of small height; otherwise it lies below the largest by at
    most about 1e-9 of the size of M. With ``tangent`` the matrices are B'MB and B'RB.

    Raises
    ------
    InputError
        When an entry is not constant.

    Notes
    -----
    One floating-point eigenvalue, then exact eliminations (cubic in the side).

    Examples
    --------
    >>> from sosgames.certificates.polynomials import Polynomial
    >>> number = Polynomial.constant
    >>> entries = {(0, 0): number(2), (0, 1): number(1), (1, 1): number(2)}
    >>> constant_modulus(PolyMatrix(("x", "y"), entries, (Fraction(1), Fraction(1))))
    Fraction(1, 1)
    """
    M, R = _constants(matrix, tangent)
    guess = _smallest_eigenvalue(M, R)
    size = max((abs(v) for row in M for v in row), default=Fraction(0)) or Fraction(1)
    candidates = {M[a][a] / R[a][a] for a in range(len(M)) if R[a][a]}  # rows of their own
    candidates |= {Fraction(guess).limit_denominator(height) for height in HEIGHTS}
    for candidate in sorted(candidates, key=lambda c: c.denominator):
        close = abs(candidate - Fraction(guess)) <= size * BELOW
        if close and _is_modulus(M, R, candidate) and not _is_modulus(M, R, candidate + size * TINY):
            return candidate
    step = size * BELOW
    while not _is_modulus(M, R, mu := _rounded_below(Fraction(guess) - step, step)):
        step *= 2
    return mu


def prove_constant(
    matrix: PolyMatrix, mu: Fraction, *, player: str | None = None, tangent: Basis | None = None
) -> Part | None:
    """The part of a proof that M - mu R is positive semidefinite, for a constant M; None when it is not.

    One block whose basis is the rows.
    """
    M, R = _constants(matrix, tangent)
    shifted = _minus(M, R, mu)
    scale = lcm(*(v.denominator for row in shifted for v in row))
    gram = np.array([[int(v * scale) for v in row] for row in shifted], dtype=object)
    congruence: Triangle | None = None
    if semidefinite_failure(lower_triangle(gram)) is not None:
        return None
    if (found := prove_definite(gram)) is not None:
        congruence = found.congruence
    basis = tuple(((1, a, ()),) for a in range(len(gram)))
    block = Block(0, basis, lower_triangle(gram), congruence)
    chart = None if tangent is None else TangentChart(tuple(tuple(int(v) for v in row) for row in tangent))
    return Part(player=player, mu=mu, scale=scale, blocks=(block,), chart=chart)


def _constants(matrix: PolyMatrix, tangent: Basis | None) -> tuple[Rational, Rational]:
    diagonal = {(a, a): Polynomial.constant(weight) for a, weight in enumerate(matrix.metric)}
    entries, side = matrix.entries, matrix.side
    if tangent is not None:
        entries, diagonal = congruent(entries, tangent), congruent(diagonal, tangent)
        side = len(tangent[0])
    if not all(p.is_constant() for p in entries.values()):
        raise InputError("constant_modulus: an entry of the matrix is not constant; build a program instead.")
    return _dense(entries, side), _dense(diagonal, side)


def _dense(entries: Mapping[tuple[int, int], Polynomial], side: int) -> Rational:
    dense = [[Fraction(0)] * side for _ in range(side)]
    for (a, b), p in entries.items():
        dense[a][b] = dense[b][a] = p.constant_term
    return dense


def _smallest_eigenvalue(M: Rational, R: Rational) -> float:
    """In floating point; OverflowError where its range does not do."""
    floats = _floats(M), _floats(R)
    if not all(np.isfinite(matrix).all() for matrix in floats):
        raise OverflowError("an entry is above the range of floating point")
    value = float(eigh(*floats, eigvals_only=True)[0])
    if not np.isfinite(value):
        raise OverflowError("the eigenvalue is above the range of floating point")
    return value


def _floats(matrix: Rational) -> NDArray[np.float64]:
    return np.array([[float(v) for v in row] for row in matrix])


def _minus(M: Rational, R: Rational, mu: Fraction) -> Rational:
    return [[m - mu * r for m, r in zip(*rows, strict=True)] for rows in zip(M, R, strict=True)]


def _is_modulus(M: Rational, R: Rational, mu: Fraction) -> bool:
    return semidefinite_failure(integer_triangle(_minus(M, R, mu))) is None


def _rounded_below(value: Fraction, unit: Fraction) -> Fraction:
    """A multiple of 1 / 2^k at most ``unit`` apart below the value."""
    denominator = 1 << max((1 / unit).__ceil__().bit_length(), 0)
    return Fraction((value * denominator).__floor__(), denominator)
