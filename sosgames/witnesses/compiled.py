"""Polynomials compiled to arrays, to be evaluated at many points at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.exponents import IntArray, exponents_of

FloatArray = NDArray[np.float64]


class CompiledPolynomials:
    """Several polynomials over the same monomials: ``exponents`` (k, n) and ``coefficients`` (k, p)."""

    __slots__ = ("_degree", "coefficients", "exponents")

    def __init__(self, polynomials: Sequence[Polynomial], names: Sequence[str]) -> None:
        monomials = list(dict.fromkeys(m for p in polynomials for m in p.terms))
        position = {monomial: i for i, monomial in enumerate(monomials)}
        self.exponents: IntArray = exponents_of(monomials, names)
        self.coefficients: FloatArray = np.zeros((len(monomials), len(polynomials)))
        for j, polynomial in enumerate(polynomials):
            for monomial, coefficient in polynomial.terms.items():
                self.coefficients[position[monomial], j] = float(coefficient)
        self._degree = int(self.exponents.max(initial=0))

    @property
    def degree(self) -> int:
        """The largest total degree."""
        return int(self.exponents.sum(axis=1).max(initial=0))

    def values(self, points: FloatArray) -> FloatArray:
        """Values at points (k, n), shape (k, p)."""
        return np.asarray(self._monomials(points) @ self.coefficients)

    def gradients(self, point: FloatArray) -> FloatArray:
        """Gradients at one point (n,), shape (n, p)."""
        powers = np.vander(point, self._degree + 1, increasing=True)
        places, exponents = np.arange(len(point))[:, None], self.exponents.T
        factors = powers[places, exponents]
        before, after = np.ones_like(factors), np.ones_like(factors)  # products of the factors on either side
        np.cumprod(factors[:-1], axis=0, out=before[1:])
        after[:-1] = np.cumprod(factors[:0:-1], axis=0)[::-1]
        slopes = exponents * powers[places, np.maximum(exponents - 1, 0)]
        return np.asarray((before * slopes * after) @ self.coefficients)

    def _monomials(self, points: FloatArray) -> FloatArray:
        exponents = self.exponents
        values = np.ones((len(points), len(exponents)))
        powers = np.ones((self._degree + 1, len(points)))
        for variable in range(exponents.shape[1]):
            if exponents[:, variable].any():
                for degree in range(1, self._degree + 1):
                    powers[degree] = powers[degree - 1] * points[:, variable]
                values *= powers[exponents[:, variable]].T
        return values


class CompiledMatrix:
    """The matrix pencil M(x) - lambda R at many points: smallest eigenvalues, their vectors and gradients."""

    __slots__ = ("_columns", "_polynomials", "_rows", "_whitening", "side")

    def __init__(
        self,
        entries: Mapping[tuple[int, int], Polynomial],
        metric: FloatArray,
        names: Sequence[str],
    ) -> None:
        self.side = len(metric)
        keys = list(entries)
        self._polynomials = CompiledPolynomials([entries[key] for key in keys], names)
        self._rows = np.array([a for a, _ in keys], dtype=np.int64)
        self._columns = np.array([b for _, b in keys], dtype=np.int64)
        self._whitening = np.linalg.inv(np.linalg.cholesky(metric)).T  # V'RV = I

    @property
    def degree(self) -> int:
        """The largest total degree of an entry."""
        return self._polynomials.degree

    def eigenvalues(self, points: FloatArray) -> FloatArray:
        """The eigenvalues of the pencil at points (k, n), ascending, shape (k, side).

        Infinite, and so last in line, at points where the matrix is beyond floating point.
        """
        matrices = self._whitened(points)
        finite = np.isfinite(matrices).all(axis=(1, 2))
        values = np.full((len(points), self.side), np.inf)
        values[finite] = np.linalg.eigvalsh(matrices[finite])
        return values

    def smallest_eigenvalues(self, points: FloatArray) -> FloatArray:
        """lambda_min of the pencil at points (k, n), shape (k,)."""
        return np.asarray(self.eigenvalues(points)[:, 0])

    def smallest_pair(self, point: FloatArray) -> tuple[float, FloatArray]:
        """lambda_min at one point and a vector y of its eigenspace with y'Ry = 1."""
        matrix = self._whitened(point[None, :])[0]
        if not np.isfinite(matrix).all():
            return np.inf, np.eye(self.side)[0]
        values, vectors = np.linalg.eigh(matrix)
        return float(values[0]), self._whitening @ vectors[:, 0]

    def gradient(self, point: FloatArray, y: FloatArray) -> FloatArray:
        """The gradient in x of y'M(x)y, shape (n,)."""
        weights = np.where(self._rows == self._columns, 1.0, 2.0) * y[self._rows] * y[self._columns]
        return np.asarray(self._polynomials.gradients(point) @ weights)

    def _whitened(self, points: FloatArray) -> FloatArray:
        matrices = np.zeros((len(points), self.side, self.side))
        values = self._polynomials.values(points)
        matrices[:, self._rows, self._columns] = values
        matrices[:, self._columns, self._rows] = values
        return np.asarray(self._whitening.T @ matrices @ self._whitening)
