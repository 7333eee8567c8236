"""Simulation: `chasles.simulate`, one step of a system, and how a controller samples."""

from chasles.recorded_motion import Trajectory
from chasles.simulation.motion import simulate
from chasles.simulation.sampling import Sampling
from chasles.simulation.step import step

__all__ = ["Sampling", "Trajectory", "simulate", "step"]
