"""Reports of many users as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_stats.errors import ArgumentError
from privacy_stats.reports.header import Header


@dataclass(frozen=True, slots=True)
class Reports:
    """Randomised reports of one round; safe to store, send and publish at the users' budgets.

    Parameters
    ----------
    header : Header
        Which round they answer.
    user : ndarray of int64, shape (n,)
        Enrolment numbers.
    stratum : ndarray of int32, shape (n,)
        Public (level, arm) pair: ``level * arms + arm``.
    report : ndarray of int32, shape (n,) or (n, width)
        What the mechanism drew.

    Raises
    ------
    ArgumentError
        If the columns are not integers of matching lengths.
    """

    header: Header
    user: NDArray[np.int64]
    stratum: NDArray[np.int32]
    report: NDArray[np.int32]

    def __post_init__(self) -> None:
        for name, dtype in (("user", np.int64), ("stratum", np.int32), ("report", np.int32)):
            object.__setattr__(self, name, _integers(name, getattr(self, name), dtype))
        if self.user.ndim != 1 or self.stratum.shape != self.user.shape:
            raise ArgumentError("stratum: wanted one entry per user")
        if self.report.ndim not in (1, 2) or len(self.report) != len(self.user):
            raise ArgumentError("report: wanted one row per user")

    def __len__(self) -> int:
        return self.user.size

    def __repr__(self) -> str:
        mark = ", simulated" if self.header.simulated else ""
        return f"Reports({self.header.survey}, round {self.header.number}, n={len(self)}{mark})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Reports)
            and self.header == other.header
            and all(
                np.array_equal(getattr(self, n), getattr(other, n)) for n in ("user", "stratum", "report")
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, rows: slice) -> Reports:
        """Return some of the rows."""
        return Reports(self.header, self.user[rows], self.stratum[rows], self.report[rows])

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, as a data frame wants them: header columns included.

        A report of several numbers becomes the columns ``report_0``, ``report_1``, ...
        """
        if self.report.ndim == 1:
            drawn = {"report": self.report}
        else:
            drawn = {f"report_{k}": self.report[:, k] for k in range(self.report.shape[1])}
        constant = {
            "round": np.full(len(self), self.header.fingerprint),
            "simulated": np.full(len(self), self.header.simulated),
        }
        return {"user": self.user, "stratum": self.stratum, **drawn, **constant}


def _integers(name: str, column: Any, dtype: type[np.signedinteger[Any]]) -> NDArray[Any]:
    array = np.asarray(column)
    if array.size == 0:
        array = array.astype(dtype)
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"{name}: got {array.dtype}, wanted integers")
    limits = np.iinfo(dtype)
    if array.size and not (limits.min <= array.min() and array.max() <= limits.max):
        raise ArgumentError(f"{name}: a number does not fit {np.dtype(dtype).name}")
    array = array.astype(dtype, copy=array.flags.writeable)
    array.setflags(write=False)
    return array
