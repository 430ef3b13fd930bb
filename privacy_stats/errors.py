"""The error tree: everything this package raises on purpose is a `PrivacyStatsError`.

PrivacyStatsError
├── ArgumentError          an argument is not what the function can work with (also a ValueError)
├── DocumentError          a JSON or Arrow document does not follow its schema (also a ValueError)
├── BudgetExhaustedError   a user would spend more than was granted, or answer a round twice
├── PrivacyViolationError  an inequality that privacy rests on does not hold: nothing was released
├── ReportRejectedError    the server refuses a report: wrong round, out of range, twice, simulated
└── MissingPackageError    an optional package is needed; the message says what to install
"""

from __future__ import annotations


class PrivacyStatsError(Exception):
    """Root of every error that `privacy_stats` raises on purpose."""


class ArgumentError(PrivacyStatsError, ValueError):
    """An argument is not what the function can work with."""


class DocumentError(PrivacyStatsError, ValueError):
    """A document (JSON, JSON lines, Arrow) does not follow its schema."""


class BudgetExhaustedError(PrivacyStatsError):
    """A user would spend more than was granted, or would answer a round twice."""


class PrivacyViolationError(PrivacyStatsError):
    """An inequality that privacy rests on does not hold, so nothing was released."""


class ReportRejectedError(PrivacyStatsError):
    """The server refuses a report; nothing of its batch was counted."""


class MissingPackageError(PrivacyStatsError, ImportError):
    """An optional package is needed; the message says what to install."""
