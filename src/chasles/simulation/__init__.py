"""Simulation in fixed steps: `chasles.simulate`."""

from chasles.recorded_motion import Simulation
from chasles.simulation.events import Event, Occurrence
from chasles.simulation.motion import simulate

__all__ = ["Event", "Occurrence", "Simulation", "simulate"]
