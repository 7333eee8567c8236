"""Motions in time: `chasles.simulate`, step by step, and compiled rollouts, `chasles.Rollout`."""

from chasles.recorded_motion import Simulation
from chasles.rollout_motion import RolloutMotion
from chasles.simulation.compiled_rollout import Rollout, rollout
from chasles.simulation.motion import simulate

__all__ = ["Rollout", "RolloutMotion", "Simulation", "rollout", "simulate"]
