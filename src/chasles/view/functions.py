"""The functions of a robot that a page computes with, in JavaScript."""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles import integrators
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.integrators.equations import equations
from chasles.robot import Robot


def functions(robot: Robot) -> dict[str, Kernel]:
    """By the names that the page calls them by."""
    nq, n, tool = robot.nq, robot.n, robot.mechanism.tool is not None

    def look(q: Any) -> Any:
        found = {"links": robot.link_poses(q), "com": robot.centre_of_mass(q)}
        return found | ({"tool": robot.forward_kinematics(q), "jacobian": robot.jacobian(q)} if tool else {})

    def integrate(q: Any, v: Any) -> Any:
        return robot.integrate(q, v)

    def difference(q0: Any, q1: Any) -> Any:
        return robot.difference(q0, q1)

    def torques(q: Any, v: Any, a: Any) -> Any:
        return robot.inverse_dynamics(q, v, a)

    def energies(q: Any, v: Any) -> Any:
        return {"kinetic": robot.kinetic_energy(q, v), "potential": robot.potential_energy(q)}

    def step(q: Any, v: Any, tau: Any, h: Any) -> Any:
        run = equations(robot, lambda t, q, v: tau)
        q, v = integrators.find("semi_implicit").step(run, 0.0, (q, v), h)
        return {"q": q, "v": v}

    shapes: dict[Any, dict[str, Any]] = {
        look: {"q": nq},
        integrate: {"q": nq, "v": n},
        difference: {"q0": nq, "q1": nq},
        torques: {"q": nq, "v": n, "a": n},
        energies: {"q": nq, "v": n},
        step: {"q": nq, "v": n, "tau": n, "h": ()},
    }
    return {function.__name__: compile(function, **given) for function, given in shapes.items()}


def search(robot: Robot) -> tuple[Kernel, list[Any]] | None:
    """The search of inverse kinematics for the tool, and what it takes after memory, q and T; None without a tool."""
    if robot.mechanism.tool is None or not robot.n:
        return None
    rows = None if robot.n >= 6 else "tx ty tz"
    problem = robot._problem(None, rows, True, 1, 30, 1e-6)
    kernel = problem.searches["inverse_kinematics", problem.task]
    return kernel, [np.ravel(x).tolist() for x in (*problem.given, *problem.ending)]
