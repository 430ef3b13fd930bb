"""Matrix-SOS programs: bases, strong set descriptions and the exact coefficient map, as integer arrays."""

from sosgames.sos.bases import MultiGradedBases, total_degree_bases
from sosgames.sos.build import build_program, lowest_level
from sosgames.sos.program import SosProgram

__all__ = ["MultiGradedBases", "SosProgram", "build_program", "lowest_level", "total_degree_bases"]
