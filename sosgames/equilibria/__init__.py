"""Equilibria with exact gaps, and what a certificate makes of them."""

from sosgames.equilibria.equilibrium import Assurance, Equilibrium
from sosgames.equilibria.front import solve

__all__ = ["Assurance", "Equilibrium", "solve"]
