"""Motions in time: `chasles.simulate`, one step of a system, and compiled rollouts, `chasles.Rollout`."""

from chasles.recorded_motion import Event, Occurrence, Sampling, Trajectory
from chasles.simulation.compiled_rollout import Rollout, rollout
from chasles.simulation.motion import simulate
from chasles.simulation.one_step import step

__all__ = ["Event", "Occurrence", "Rollout", "Sampling", "Trajectory", "rollout", "simulate", "step"]
