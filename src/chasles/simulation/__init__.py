"""Simulation in fixed steps: `chasles.simulate`."""

from chasles.recorded_motion import Simulation
from chasles.simulation.motion import simulate

__all__ = ["Simulation", "simulate"]
