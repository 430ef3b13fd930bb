"""Exact points and directions that bound a modulus from above."""

from sosgames.witnesses.search import Witness, find_witness

__all__ = ["Witness", "find_witness"]
