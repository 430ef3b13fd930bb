"""Exact arithmetic that privacy proofs rest on: rational bounds of the exponential."""

from privacy_stats.arithmetic.exponential import BITS, SCALE, exp_bounds, tanh_half_upper

__all__ = ["BITS", "SCALE", "exp_bounds", "tanh_half_upper"]
