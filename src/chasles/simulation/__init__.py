"""Simulation: `chasles.simulate`, one step of a system, how a controller samples, and events."""

from chasles.recorded_motion import Event, Occurrence, Sampling, Trajectory
from chasles.simulation.motion import simulate
from chasles.simulation.step import step

__all__ = ["Event", "Occurrence", "Sampling", "Trajectory", "simulate", "step"]
