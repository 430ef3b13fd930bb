"""Studies: what an estimate would be worth on values that are at hand."""

from privacy_stats.studies.repetition import repeat_estimates

__all__ = ["repeat_estimates"]
