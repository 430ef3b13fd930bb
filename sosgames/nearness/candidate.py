"""A point where a solver ended: changes of a game and the Gram matrices that go with them, as floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sosgames.conic import GramSolution
from sosgames.conic.problem import FloatArray


@dataclass(frozen=True, slots=True)
class Candidate:
    """Parameters of the family, the Gram matrices there, and the distance, all as floats."""

    z: FloatArray
    grams: Sequence[GramSolution]
    distance: float

    def towards(self, other: Candidate, share: float) -> Candidate:
        """The point of the segment to another candidate at this share of the way."""
        pairs = zip(self.grams, other.grams, strict=True)
        grams = [a.towards(b, share) for a, b in pairs]
        distance = (1 - share) * self.distance + share * other.distance
        return Candidate((1 - share) * self.z + share * other.z, grams, distance)
