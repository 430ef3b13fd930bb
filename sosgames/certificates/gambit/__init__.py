"""Extensive-form games in Gambit's ``.efg`` format, as polynomials in behavioural strategies."""

from sosgames.certificates.gambit.nodes import InformationSet, Node
from sosgames.certificates.gambit.reader import read_efg
from sosgames.certificates.gambit.tree import GameTree

__all__ = ["GameTree", "InformationSet", "Node", "read_efg"]
