"""Protocols: from budgets to announcements, from the integers of each round to the next, and to an estimate.

One published method, one file.
"""

from privacy_stats.protocols.base import Protocol, ProtocolRound
from privacy_stats.protocols.duchi_mean import DuchiMean
from privacy_stats.protocols.guaranteed_sum import GuaranteedSum
from privacy_stats.protocols.histogram_radius import HistogramRadius
from privacy_stats.protocols.hull_diameter import HullDiameter
from privacy_stats.protocols.hybrid_mean import HybridMean
from privacy_stats.protocols.laplace_mean import LaplaceMean
from privacy_stats.protocols.naive_gaussian import NaiveGaussian
from privacy_stats.protocols.one_hot_radius import OneHotRadius
from privacy_stats.protocols.oracles import DropConservative, OptimalUniformClip, Oracle, OracleScaleRadius
from privacy_stats.protocols.piecewise_mean import PiecewiseMean
from privacy_stats.protocols.registry import protocol_from_dict
from privacy_stats.protocols.sun_diameter import SunDiameter
from privacy_stats.protocols.sun_radius import SunRadius

__all__ = [
    "DropConservative",
    "DuchiMean",
    "GuaranteedSum",
    "HistogramRadius",
    "HullDiameter",
    "HybridMean",
    "LaplaceMean",
    "NaiveGaussian",
    "OneHotRadius",
    "OptimalUniformClip",
    "Oracle",
    "OracleScaleRadius",
    "PiecewiseMean",
    "Protocol",
    "ProtocolRound",
    "SunDiameter",
    "SunRadius",
    "protocol_from_dict",
]
