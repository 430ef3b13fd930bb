"""Statistics of counted reports: moments per level, the noise in them, limits of means, and what differs."""

from privacy_stats.inference.bernstein import bernstein_reach, bernstein_scale
from privacy_stats.inference.heterogeneity import Heterogeneity, heterogeneity
from privacy_stats.inference.moments import Moments, moments
from privacy_stats.inference.weighted import WeightedMean, stratified_mean, weighted_mean

__all__ = [
    "Heterogeneity",
    "Moments",
    "WeightedMean",
    "bernstein_reach",
    "bernstein_scale",
    "heterogeneity",
    "moments",
    "stratified_mean",
    "weighted_mean",
]
