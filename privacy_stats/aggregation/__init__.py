"""The server's side: reports in, integers kept, nothing of the client side imported."""

from privacy_stats.aggregation.aggregator import Aggregator, aggregate
from privacy_stats.aggregation.files import aggregate_files
from privacy_stats.aggregation.frames import aggregate_frame
from privacy_stats.aggregation.state import State, merge

__all__ = ["Aggregator", "State", "aggregate", "aggregate_files", "aggregate_frame", "merge"]
