"""Trajectories beside those of MuJoCo and Drake: how far apart they are after a swing, by the peer's step.

    python benchmarks/trajectories.py

A UR5 and a Panda fall from rest in gravity with damped joints for a second. Ours is `dormand_prince` with a tolerance
of 1e-13. Drake is asked where it is installed (pip install drake), from the URDF that `Robot.to_urdf` writes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import mujoco
import numpy as np

import chasles as ch

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from support.swings import DURATION, damped, of_mujoco, ours, start


def of_drake(robot: ch.Robot, dt: float) -> np.ndarray:
    """The same by Drake's Runge-Kutta method of order 5, in fixed steps."""
    from pydrake.multibody.parsing import Parser  # type: ignore[import-not-found]
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph  # type: ignore[import-not-found]
    from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator  # type: ignore[import-not-found]
    from pydrake.systems.framework import DiagramBuilder  # type: ignore[import-not-found]

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=0.0)
    Parser(plant).AddModelsFromString(robot.to_urdf(), "urdf")
    plant.mutable_gravity_field().set_gravity_vector(robot.mechanism.gravity)
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(robot.mechanism.base_name))
    plant.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.SetPositions(context, start(robot))
    integrator = ResetIntegratorFromFlags(simulator, "runge_kutta5", dt)
    integrator.set_fixed_step_mode(True)
    simulator.Initialize()
    simulator.AdvanceTo(DURATION)
    return np.concatenate([plant.GetPositions(context), plant.GetVelocities(context)])


def rows() -> Iterator[tuple[str, str, float]]:
    """Robot, peer and the largest difference."""
    for name in ("ur5", "panda"):
        robot = damped(name)
        exact = ours(robot)
        yield name, "ours, tolerance 1e-9", np.abs(ours(robot, 1e-9) - exact).max()
        for integrator, steps in (("RK4", (4e-3, 2e-3, 1e-3)), ("implicit", (2e-3, 1e-3, 5e-4))):
            for dt in steps:
                off = np.abs(of_mujoco(robot, integrator, dt) - exact).max()
                yield name, f"MuJoCo {mujoco.__version__}, {integrator}, dt = {dt:g}", off
        if find_spec("pydrake") is not None:
            for dt in (4e-3, 2e-3, 1e-3):
                yield name, f"Drake, runge_kutta5, dt = {dt:g}", np.abs(of_drake(robot, dt) - exact).max()


def main() -> None:
    for name, peer, off in rows():
        print(f"{name:6s} {peer:40s} {off:.2e}")


if __name__ == "__main__":
    main()
