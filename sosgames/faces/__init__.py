"""Proofs at the optimum itself, where every Gram matrix is singular: facial reduction in exact arithmetic."""

from sosgames.faces.denominators import prove_with_denominator
from sosgames.faces.face import Face
from sosgames.faces.proofs import FaceProof, FaceStatus, Rung, prove_exactly

__all__ = ["Face", "FaceProof", "FaceStatus", "Rung", "prove_exactly", "prove_with_denominator"]
