"""From floating-point Gram matrices to exact integer proofs."""

from sosgames.rounding.constant import constant_modulus, prove_constant
from sosgames.rounding.outcome import ProofStatus, ProvedBound
from sosgames.rounding.prove import prove

__all__ = ["ProofStatus", "ProvedBound", "constant_modulus", "prove", "prove_constant"]
