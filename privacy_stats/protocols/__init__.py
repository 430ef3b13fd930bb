"""Protocols: from budgets to announcements, from the integers of each round to the next, and to an estimate.

One published method, one file.
"""

from privacy_stats.protocols.base import Protocol, ProtocolRound
from privacy_stats.protocols.duchi_mean import DuchiMean
from privacy_stats.protocols.hybrid_mean import HybridMean
from privacy_stats.protocols.laplace_mean import LaplaceMean
from privacy_stats.protocols.naive_gaussian import NaiveGaussian
from privacy_stats.protocols.piecewise_mean import PiecewiseMean
from privacy_stats.protocols.registry import protocol_from_dict

__all__ = [
    "DuchiMean",
    "HybridMean",
    "LaplaceMean",
    "NaiveGaussian",
    "PiecewiseMean",
    "Protocol",
    "ProtocolRound",
    "protocol_from_dict",
]
