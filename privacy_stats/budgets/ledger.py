"""What every user has granted and spent, in exact rationals, and which rounds they have answered."""

from __future__ import annotations

import base64
import binascii
import json
import os
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_stats.budgets.amounts import BILLION
from privacy_stats.budgets.budgets import Budgets
from privacy_stats.errors import ArgumentError, BudgetExhaustedError, DocumentError
from privacy_stats.files import whole

_VERSION = 1


class Ledger:
    """Running account of privacy budgets over rounds (sequential composition: what is spent adds up).

    A charge is all or nothing, it comes before any noise is drawn, and a user answers a round at most once,
    so a crash between charge and report loses budget and never privacy.

    Parameters
    ----------
    granted : Budgets
        The total that each user grants over all rounds.

    Examples
    --------
    >>> ledger = Ledger(Budgets.pure([1, 1]))
    >>> for round_number in range(10):
    ...     ledger.charge(f"round {round_number}", Budgets.pure([0.1, 0.05]))
    >>> ledger.spent(0), ledger.remaining(0), ledger.remaining(1)
    (Fraction(1, 1), Fraction(0, 1), Fraction(1, 2))
    >>> ledger.charge("round 10", Budgets.pure([1e-9]), users=[0])
    Traceback (most recent call last):
        ...
    privacy_stats.errors.BudgetExhaustedError: user 0: 1 of 1 is spent, 1e-09 more was asked for
    """

    def __init__(self, granted: Budgets) -> None:
        self.granted = granted
        self._spent = np.zeros(len(granted), dtype=np.int64)
        self._answered: dict[str, NDArray[np.bool_]] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        exhausted = int(np.count_nonzero(self._spent == self.granted.billionths))
        return (
            f"Ledger({self.granted.kind}, n_users={len(self.granted)}, rounds={len(self._answered)}, "
            f"exhausted={exhausted})"
        )

    def spent(self, user: int) -> Fraction:
        """Return what `user` has spent so far."""
        return Fraction(int(self._spent[user]), BILLION)

    def remaining(self, user: int) -> Fraction:
        """Return what `user` has left."""
        return Fraction(int(self.granted.billionths[user] - self._spent[user]), BILLION)

    def has_answered(self, round_id: str) -> NDArray[np.bool_]:
        """Return one truth value per user: has this round been charged already?"""
        none = np.zeros(len(self.granted), dtype=np.bool_)
        return self._answered.get(round_id, none).copy()

    def charge(self, round_id: str, amounts: Budgets, *, users: ArrayLike | None = None) -> None:
        """Spend `amounts` on one round, for all `users` or for none of them.

        Parameters
        ----------
        round_id : str
            Identity of the round (a round's fingerprint).
        amounts : Budgets
            What each user spends, of the ledger's kind.
        users : array_like of int, optional
            Row of each amount in the ledger; by default all rows in order.

        Raises
        ------
        BudgetExhaustedError
            If a user would overspend or has answered the round already; nothing is charged then.
        ArgumentError
            If the kinds differ, or `users` does not match `amounts`.
        """
        rows = self._rows(amounts, users)
        with self._lock:  # two threads that charge at once must not both pass the checks
            self._charge(round_id, amounts, rows)

    def _charge(self, round_id: str, amounts: Budgets, rows: NDArray[np.int64]) -> None:
        answered = self.has_answered(round_id)
        if answered[rows].any():
            user = int(rows[np.argmax(answered[rows])])
            raise BudgetExhaustedError(
                f"user {user}: round {round_id!r} is already answered; "
                "reuse the stored report instead of drawing anew"
            )
        over = amounts.billionths > self.granted.billionths[rows] - self._spent[rows]
        if over.any():
            at = int(np.argmax(over))
            user = int(rows[at])
            granted = int(self.granted.billionths[user]) / BILLION
            asked = int(amounts.billionths[at]) / BILLION
            raise BudgetExhaustedError(
                f"user {user}: {float(self.spent(user)):g} of {granted:g} is spent, "
                f"{asked:g} more was asked for"
            )
        self._spent[rows] += amounts.billionths
        answered[rows] = True
        self._answered[round_id] = answered

    def _rows(self, amounts: Budgets, users: ArrayLike | None) -> NDArray[np.int64]:
        if amounts.kind != self.granted.kind:
            raise ArgumentError(
                f"amounts: a {amounts.kind} amount cannot be charged to a {self.granted.kind} ledger"
            )
        rows = np.arange(len(self.granted)) if users is None else np.asarray(users)
        if rows.shape != (len(amounts),) or rows.dtype.kind not in "iu":
            raise ArgumentError(f"users: wanted {len(amounts)} row numbers, one per amount")
        rows = rows.astype(np.int64)
        if rows.size and (rows.min() < 0 or rows.max() >= len(self.granted)):
            raise ArgumentError(f"users: row numbers must lie in 0..{len(self.granted) - 1}")
        if np.unique(rows).size != rows.size:
            raise ArgumentError("users: a row number occurs twice; charge each user once per round")
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary that `from_dict` reads back."""
        rounds = {
            key: base64.b64encode(np.packbits(mask).tobytes()).decode()
            for key, mask in self._answered.items()
        }
        return {
            "format": "privacy_stats.ledger",
            "version": _VERSION,
            "granted": self.granted.to_dict(),
            "spent": self._spent.tolist(),
            "answered": rounds,
        }

    @classmethod
    def from_dict(cls, document: Any) -> Ledger:
        """Read what `to_dict` wrote.

        Raises
        ------
        DocumentError
            If the document is not of that form or somebody has spent more than was granted.
        """
        if not isinstance(document, dict) or document.get("format") != "privacy_stats.ledger":
            raise DocumentError("ledger: wanted an object of format 'privacy_stats.ledger'")
        if document.get("version") != _VERSION:
            raise DocumentError(f"ledger: version {document.get('version')!r} is not {_VERSION}")
        ledger = cls(Budgets.from_dict(document.get("granted")))
        granted, spent = ledger.granted.billionths.tolist(), document.get("spent")
        if not isinstance(spent, list) or len(spent) != len(granted):
            raise DocumentError(f"ledger: 'spent' must list {len(granted)} integers")
        if not all(type(s) is int and 0 <= s <= g for s, g in zip(spent, granted, strict=True)):
            raise DocumentError("ledger: 'spent' must lie between 0 and what was granted, for every user")
        ledger._spent[:] = spent
        rounds = document.get("answered")
        if not isinstance(rounds, dict):
            raise DocumentError("ledger: 'answered' must be an object")
        ledger._answered = {key: _unpack(text, len(granted)) for key, text in rounds.items()}
        return ledger

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the ledger as JSON; the file is replaced at once: a crash leaves the old or the new."""
        with whole(path) as part, part.open("w", encoding="utf-8") as file:
            json.dump(self.to_dict(), file)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ledger:
        """Read what `save` wrote.

        Raises
        ------
        DocumentError
            If the file is not a saved ledger.
        """
        try:
            return cls.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise DocumentError(f"ledger: {path} is not JSON ({type(error).__name__})") from None


def _unpack(text: Any, n_users: int) -> NDArray[np.bool_]:
    try:
        packed = np.frombuffer(base64.b64decode(text, validate=True), dtype=np.uint8)
    except (binascii.Error, TypeError, ValueError):
        raise DocumentError("ledger: 'answered' must hold base64 text") from None
    if packed.size != (n_users + 7) // 8:
        raise DocumentError(f"ledger: 'answered' must hold one bit for each of {n_users} users")
    return np.unpackbits(packed, count=n_users).astype(np.bool_)
