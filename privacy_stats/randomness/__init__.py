"""Where the bits come from: the operating system, or a seeded generator that says so."""

from privacy_stats.randomness.sources import (
    Randomness,
    SimulationRandomness,
    SystemRandomness,
    simulation_rng,
)

__all__ = ["Randomness", "SimulationRandomness", "SystemRandomness", "simulation_rng"]
