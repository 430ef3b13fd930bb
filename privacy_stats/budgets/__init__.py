"""How much each user allows to be learnt: budgets, conversions between notions, and what was spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privacy_stats.lazy import lazily

if TYPE_CHECKING:
    from privacy_stats.budgets.amounts import BILLION, LARGEST, Kind, parse_amount, parse_amounts
    from privacy_stats.budgets.budgets import Budgets
    from privacy_stats.budgets.conversions import approximate_epsilon, pure_within_zcdp, zcdp_of_pure
    from privacy_stats.budgets.ledger import Ledger

__all__ = [
    "BILLION",
    "LARGEST",
    "Budgets",
    "Kind",
    "Ledger",
    "approximate_epsilon",
    "parse_amount",
    "parse_amounts",
    "pure_within_zcdp",
    "zcdp_of_pure",
]

# A device reads one amount, without arrays.
__getattr__, __dir__ = lazily(
    __name__,
    {
        "amounts": ("BILLION", "LARGEST", "Kind", "parse_amount", "parse_amounts"),
        "budgets": ("Budgets",),
        "conversions": ("approximate_epsilon", "pure_within_zcdp", "zcdp_of_pure"),
        "ledger": ("Ledger",),
    },
)
