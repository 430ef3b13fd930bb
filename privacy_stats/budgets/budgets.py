"""One budget per user, public, and the few public levels that users are grouped by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_stats.budgets.amounts import BILLION, LARGEST, Kind, parse_amount, parse_amounts
from privacy_stats.errors import ArgumentError, DocumentError


@dataclass(frozen=True, slots=True)
class Budgets:
    """What each user grants: pure epsilon or zCDP rho, as whole billionths.

    Use `Budgets.pure` or `Budgets.zcdp`; the plain constructor takes billionths.

    Parameters
    ----------
    kind : {"pure", "zcdp"}
        The notion of privacy, the same for all users.
    billionths : ndarray of int64, shape (n_users,)
        Budgets in units of 10^-9; made read-only.

    Attributes
    ----------
    ladder : ndarray of int64
        The distinct budgets, ascending.
    rung : ndarray of int32, shape (n_users,)
        Where each user's budget stands on the ladder.

    Raises
    ------
    ArgumentError
        If a budget is not between one billionth and the largest in use.

    Notes
    -----
    A budget is public: it must be fixed before the value is seen and must not depend on it.

    Examples
    --------
    >>> budgets = Budgets.pure([0.5, 1, 1, 2])
    >>> budgets
    Budgets(pure, n_users=4, epsilon from 0.5 to 2 in 3 levels)
    >>> budgets.levels
    (Fraction(1, 2), Fraction(1, 1), Fraction(2, 1))
    """

    kind: Kind
    billionths: NDArray[np.int64]
    ladder: NDArray[np.int64] = field(init=False, repr=False)
    rung: NDArray[np.int32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in LARGEST:
            raise ArgumentError(f"kind: got {self.kind!r}, wanted 'pure' or 'zcdp'")
        array = np.array(self.billionths)
        if array.ndim != 1 or array.dtype.kind not in "iu" or array.size == 0:
            raise ArgumentError("billionths: wanted a non-empty one-dimensional array of integers")
        outside = (array < 1) | (array > LARGEST[self.kind])
        if outside.any():
            row = int(np.argmax(outside))
            raise ArgumentError(
                f"billionths in row {row}: got {array[row]}, wanted 1 to {LARGEST[self.kind]}"
            )
        ladder, rung = np.unique(array.astype(np.int64), return_inverse=True)
        columns: dict[str, NDArray[Any]] = {
            "billionths": array.astype(np.int64),
            "ladder": ladder,
            "rung": rung.astype(np.int32),
        }
        for name, column in columns.items():
            column.setflags(write=False)
            object.__setattr__(self, name, column)

    @classmethod
    def pure(cls, epsilon: ArrayLike) -> Budgets:
        """Pure budgets: the probability of any report changes by at most a factor exp(epsilon).

        Parameters
        ----------
        epsilon : array_like, shape (n_users,)
            Positive numbers; read as `parse_amount` says.

        Raises
        ------
        ArgumentError
            Naming the first row that is zero, negative, NaN, infinite or below 1e-9.
        """
        return cls("pure", parse_amounts(epsilon, "pure"))

    @classmethod
    def zcdp(cls, rho: ArrayLike) -> Budgets:
        """zCDP budgets: the Rényi divergence of order alpha is at most ``rho * alpha`` for all alpha > 1.

        Parameters
        ----------
        rho : array_like, shape (n_users,)
            Positive numbers; read as `parse_amount` says.

        Raises
        ------
        ArgumentError
            Naming the first row that is zero, negative, NaN, infinite or below 1e-9.
        """
        return cls("zcdp", parse_amounts(rho, "zcdp"))

    def __len__(self) -> int:
        return self.billionths.size

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Budgets)
            and self.kind == other.kind
            and np.array_equal(self.billionths, other.billionths)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        symbol = "epsilon" if self.kind == "pure" else "rho"
        low, high = int(self.ladder[0]) / BILLION, int(self.ladder[-1]) / BILLION
        spread = f"{symbol} from {low:g} to {high:g} in {self.ladder.size} levels"
        return f"Budgets({self.kind}, n_users={len(self)}, {spread})"

    @property
    def levels(self) -> tuple[Fraction, ...]:
        """The distinct budgets, ascending, as exact rationals: what a round announces."""
        return tuple(Fraction(int(b), BILLION) for b in self.ladder)

    @property
    def counts(self) -> tuple[int, ...]:
        """Number of users at each of `levels`; as public as the budgets."""
        return tuple(np.bincount(self.rung, minlength=self.ladder.size).tolist())

    def rounded_down(self, levels: Iterable[float | str | Fraction]) -> Budgets:
        """Lower every budget to the highest of the public `levels` that does not exceed it.

        Few levels keep a round small (the server counts per level); a round takes at most 65,536.

        Parameters
        ----------
        levels : iterable of numbers
            Public levels, read as budgets are.

        Raises
        ------
        ArgumentError
            If a user's budget lies below every level.

        Examples
        --------
        >>> Budgets.pure([0.7, 1.2, 9]).rounded_down([0.5, 1, 4]).levels
        (Fraction(1, 2), Fraction(1, 1), Fraction(4, 1))
        """
        public = np.unique(np.array([parse_amount(x, self.kind) for x in levels], dtype=np.int64))
        index = np.searchsorted(public, self.ladder, side="right") - 1
        if index[0] < 0:
            row = int(np.argmin(self.billionths))
            raise ArgumentError(
                f"levels: the budget in row {row}, {int(self.billionths[row]) / BILLION:g}, "
                "is below the lowest level; add a lower level or leave the user out"
            )
        return Budgets(self.kind, public[index][self.rung])

    def share(self, part: Fraction) -> Budgets:
        """Return `part` of every budget, rounded down to billionths; shares that sum to 1 never overspend.

        Parameters
        ----------
        part : Fraction
            In (0, 1].

        Raises
        ------
        ArgumentError
            If `part` is outside (0, 1] or leaves somebody less than one billionth.

        Examples
        --------
        >>> from fractions import Fraction
        >>> Budgets.zcdp([1, 0.1]).share(Fraction(1, 3)).levels
        (Fraction(33333333, 1000000000), Fraction(333333333, 1000000000))
        """
        if not 0 < part <= 1:
            raise ArgumentError(f"part: got {part}, wanted a fraction in (0, 1]")
        shared = [int(b) * part.numerator // part.denominator for b in self.ladder]
        return Budgets(self.kind, np.array(shared, dtype=np.int64)[self.rung])

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary that `from_dict` reads back."""
        return {"kind": self.kind, "billionths": self.billionths.tolist()}

    @classmethod
    def from_dict(cls, document: Any) -> Budgets:
        """Read what `to_dict` wrote.

        Raises
        ------
        DocumentError
            If the document is not of that form.
        """
        if not isinstance(document, dict) or set(document) != {"kind", "billionths"}:
            raise DocumentError("budgets: wanted an object with 'kind' and 'billionths'")
        numbers = document["billionths"]
        if not isinstance(numbers, list) or not all(type(b) is int and 0 < b < 2**62 for b in numbers):
            raise DocumentError("budgets: 'billionths' must be a list of positive integers")
        kind: Any = document["kind"]
        if kind not in ("pure", "zcdp"):
            raise DocumentError("budgets: 'kind' must be 'pure' or 'zcdp'")
        try:
            return cls(kind, np.array(numbers, dtype=np.int64))
        except ArgumentError as error:
            raise DocumentError(f"budgets: {error}") from None
