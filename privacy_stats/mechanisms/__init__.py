"""Local randomisers, one file each: what is drawn, why it is private, and how the server undoes its bias."""

from privacy_stats.mechanisms.base import Channel, Inequality, Mechanism
from privacy_stats.mechanisms.blocks import BlockChannel, BlockMechanism
from privacy_stats.mechanisms.clipped_gaussian import ClippedGaussian
from privacy_stats.mechanisms.dyadic_tree import DyadicTree
from privacy_stats.mechanisms.gaussian import Gaussian, GaussianChannel
from privacy_stats.mechanisms.hybrid import Hybrid
from privacy_stats.mechanisms.ladder import LadderGaussian
from privacy_stats.mechanisms.laplace import Laplace, LaplaceChannel
from privacy_stats.mechanisms.norm_histogram import NormHistogram
from privacy_stats.mechanisms.one_bit import OneBit, OneBitChannel
from privacy_stats.mechanisms.piecewise import Piecewise, PiecewiseChannel
from privacy_stats.mechanisms.randomised_response import RandomisedResponse, RandomisedResponseChannel
from privacy_stats.mechanisms.registry import mechanism_from_dict
from privacy_stats.mechanisms.vector_gaussian import VectorGaussian

__all__ = [
    "BlockChannel",
    "BlockMechanism",
    "Channel",
    "ClippedGaussian",
    "DyadicTree",
    "Gaussian",
    "GaussianChannel",
    "Hybrid",
    "Inequality",
    "LadderGaussian",
    "Laplace",
    "LaplaceChannel",
    "Mechanism",
    "NormHistogram",
    "OneBit",
    "OneBitChannel",
    "Piecewise",
    "PiecewiseChannel",
    "RandomisedResponse",
    "RandomisedResponseChannel",
    "VectorGaussian",
    "mechanism_from_dict",
]
