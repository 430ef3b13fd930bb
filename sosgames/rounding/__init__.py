"""From floating-point Gram matrices to exact integer proofs."""

from sosgames.rounding.averaging import prove_by_averaging
from sosgames.rounding.constant import constant_modulus, prove_constant
from sosgames.rounding.emptiness import Contradiction, find_contradiction, vacuous_part
from sosgames.rounding.outcome import ProofStatus, ProvedBound
from sosgames.rounding.prove import prove

__all__ = [
    "Contradiction",
    "ProofStatus",
    "ProvedBound",
    "constant_modulus",
    "find_contradiction",
    "prove",
    "prove_by_averaging",
    "prove_constant",
    "vacuous_part",
]
