"""Conic problems and the two forms, by Gram matrices and by moments, that a program takes."""

from sosgames.conic.forms import GramSolution, Recovery, gram_form, moment_form
from sosgames.conic.gram_cones import Assembly, GramCone, restricted
from sosgames.conic.problem import Cones, ConicPoint, ConicProblem
from sosgames.conic.systems import (
    GramSystem,
    Scaling,
    balanced_scaling,
    margin_system,
    modulus_system,
    program_scaling,
)

__all__ = [
    "Assembly",
    "Cones",
    "ConicPoint",
    "ConicProblem",
    "GramCone",
    "GramSolution",
    "GramSystem",
    "Recovery",
    "Scaling",
    "balanced_scaling",
    "gram_form",
    "margin_system",
    "modulus_system",
    "moment_form",
    "program_scaling",
    "restricted",
]
