"""Statistics of counted reports: moments per level, the noise in them, limits of means, and what differs."""

from privacy_stats.inference.bernstein import bernstein_reach, bernstein_scale
from privacy_stats.inference.full_sum import (
    ClippingDesign,
    clipping_design,
    folded_quantile,
    ladder_limits,
)
from privacy_stats.inference.heterogeneity import Heterogeneity, heterogeneity
from privacy_stats.inference.moments import Moments, moments
from privacy_stats.inference.weighted import WeightedMean, stratified_mean, weighted_mean

__all__ = [
    "ClippingDesign",
    "Heterogeneity",
    "Moments",
    "WeightedMean",
    "bernstein_reach",
    "bernstein_scale",
    "clipping_design",
    "folded_quantile",
    "heterogeneity",
    "ladder_limits",
    "moments",
    "stratified_mean",
    "weighted_mean",
]
