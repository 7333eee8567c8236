"""Simulation: `chasles.simulate`, one step of a system, and how a controller samples."""

from chasles.recorded_motion import Sampling, Trajectory
from chasles.simulation.motion import simulate
from chasles.simulation.step import step

__all__ = ["Sampling", "Trajectory", "simulate", "step"]
