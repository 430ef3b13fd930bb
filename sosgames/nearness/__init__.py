"""The nearest game with a property, and a proof of how near one can be."""

from sosgames.nearness.front import nearest
from sosgames.nearness.kept import KeptConstraint
from sosgames.nearness.nearest_game import Change, NearestGame

__all__ = ["Change", "KeptConstraint", "NearestGame", "nearest"]
