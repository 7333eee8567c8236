"""The functions of a system that a page computes with, in JavaScript.

Under constraints h(q) = 0 with rows A a configuration is put back by

    q <- integrate(q, -W A^T (A W A^T)^-1 h)                                      (1)

W = 1, or zero for a velocity that is held, as of the joint that somebody moves. All joint forces that hold it differ
by A^T of something; the page shows those of the least sum of squares,

    tau = f - A^T (A A^T)^-1 A f,   f = M qdd + bias                              (2)

Rows may depend on each other: what is inverted has RELATIVE of its trace added.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from chasles import integrators
from chasles.constrained import ConstrainedSystem
from chasles.drawn_systems import robot_of
from chasles.dynamics.linear_solve import solve
from chasles.errors import SingularMassMatrixError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.array import where
from chasles.graph.trace_loop import loop
from chasles.integrators.equations import equations
from chasles.recorded_motion.interpolation import between as interpolated
from chasles.robot import Robot
from chasles.view.falling import stops_of

RELATIVE = 1e-13
MOST_CORRECTIONS, SMALLEST_CORRECTION = 30, 1e-13  # of (1); rad or m
LONGEST_CORRECTION = 0.3  # rad or m in one iteration
MOST_ITERATIONS, REACHED = 30, 1e-6  # of a search for the tool, while it is dragged; rad and m


def functions(system: Any, method: str = "rk4") -> dict[str, Kernel]:
    """By the names that the page calls them by. method: of the steps of a fall.

    Where the mass matrix is singular at every configuration, those that need its inverse are missing: nothing falls.
    """
    robot = robot_of(system)
    nq, n = robot.nq, robot.n
    shapes: dict[Any, dict[str, Any]] = {
        _look(system, robot): {"q": nq},
        _energies(robot): {"q": nq, "v": n},
        _integrate(robot): {"q": nq, "v": n},
        _difference(robot): {"q0": nq, "q1": nq},
        **_moving(system, robot, method),
        **(_closing(system) if isinstance(system, ConstrainedSystem) else {}),
    }
    found: dict[str, Kernel] = {}
    for function, given in shapes.items():
        with suppress(SingularMassMatrixError):
            found[function.__name__] = compile(function, **given)
    return found


def _look(system: Any, robot: Robot) -> Any:
    tool, marked = robot.mechanism.tool is not None, _marked(system)

    def look(q: Any) -> Any:
        poses = robot.link_poses(q)
        middle = robot.centre_of_mass(q) if robot.total_mass else np.mean(poses[:, :3, 3], axis=0)
        found = {"links": poses, "com": middle}
        if marked:
            found["marks"] = np.concatenate([part.place.points(robot, q) for part in marked])
        return found | ({"tool": robot.forward_kinematics(q), "jacobian": robot.jacobian(q)} if tool else {})

    return look


def _marked(system: Any) -> list[Any]:
    """The parts of the constraints that know where they act."""
    return [part for part in system.rows.parts if part.place] if isinstance(system, ConstrainedSystem) else []


def _energies(robot: Robot) -> Any:
    def energies(q: Any, v: Any) -> Any:
        return {"kinetic": robot.kinetic_energy(q, v), "potential": robot.potential_energy(q)}

    return energies


def _integrate(robot: Robot) -> Any:
    def integrate(q: Any, v: Any) -> Any:
        return robot.integrate(q, v)

    return integrate


def _difference(robot: Robot) -> Any:
    def difference(q0: Any, q1: Any) -> Any:
        return robot.difference(q0, q1)

    return difference


def _moving(system: Any, robot: Robot, method: str) -> dict[Any, dict[str, Any]]:
    """What moves: a step of a fall, the state between two samples, the forces of a pose and of a hand."""
    nq, n, scheme = robot.nq, robot.n, integrators.find(method)
    stop = stops_of(robot)

    def step(q: Any, v: Any, tau: Any, stops: Any, h: Any) -> Any:
        def forces(t: Any, q: Any, v: Any) -> Any:
            return tau if stop is None else tau + stops * stop.forces(q, v)

        run = equations(system, forces)
        state = scheme.step(run, 0.0, scheme.begin(run, 0.0, q, v), h)
        q, v = scheme.end(run, 0.0, state)
        return {"q": q, "v": v}

    def between(q0: Any, v0: Any, q1: Any, v1: Any, h: Any, s: Any) -> Any:
        q, v = interpolated(system, q0, v0, q1, v1, h, s)
        return {"q": q, "v": v}

    def torques(q: Any, v: Any, a: Any) -> Any:
        tau = robot.inverse_dynamics(q, v, a)
        return _least(tau, system.constraint_matrix(q)) if isinstance(system, ConstrainedSystem) else tau

    return {
        step: {"q": nq, "v": n, "tau": n, "stops": (), "h": ()},
        between: {"q0": nq, "v0": n, "q1": nq, "v1": n, "h": (), "s": ()},
        torques: {"q": nq, "v": n, "a": n},
    }


def _closing(system: ConstrainedSystem) -> dict[Any, dict[str, Any]]:
    """What constraints need besides: a configuration put back onto them, and their multipliers."""
    nq, n = system.nq, system.n
    valued = [i for i, row in enumerate(system.redundancy.kept) if row in system.rows.holonomic]
    kept = [system.redundancy.kept[i] for i in valued]

    def settle(q: Any, free: Any) -> Any:
        if not kept:
            return {"q": q, "off": np.array(0.0) * q[0]}

        def back(q: Any, off: Any) -> Any:
            h, A = system.residual(q)[kept], system.constraint_matrix(q)[valued]
            step = -free * (A.T @ _solved(A * free @ A.T, h))  # (1)
            longest = np.max(np.abs(step))
            step = step * where(longest > LONGEST_CORRECTION, LONGEST_CORRECTION / longest, 1.0)
            return (system.integrate(q, step), np.max(np.abs(h))), {"until": longest < SMALLEST_CORRECTION}

        (q, _), _ = loop(back, (q, q[0] * 0.0), count=MOST_CORRECTIONS)
        return {"q": q, "off": np.max(np.abs(system.residual(q)[kept]))}

    def reactions(q: Any, v: Any, tau: Any) -> Any:
        return system.forward_dynamics(q, v, tau).multipliers

    return {settle: {"q": nq, "free": n}, reactions: {"q": nq, "v": n, "tau": n}}


def _least(forces: Any, A: Any) -> Any:
    """(2)"""
    return forces - A.T @ _solved(A @ A.T, A @ forces)


def _solved(S: Any, right: Any) -> Any:
    """S^-1 right, of a matrix that may be singular."""
    k = S.shape[0]
    more = RELATIVE * sum(S[i, i] for i in range(k)) + 1e-300
    return np.stack(solve([[S[i, j] + (more if i == j else 0.0) for j in range(k)] for i in range(k)], list(right)))


def search(system: Any) -> tuple[Kernel, list[Any]] | None:
    """The search of inverse kinematics for the tool, and what it takes after memory, q and T.

    None without a tool, and under constraints.
    """
    robot = robot_of(system)
    if isinstance(system, ConstrainedSystem) or robot.mechanism.tool is None or not robot.n:
        return None
    rows = None if robot.n >= 6 else "tx ty tz"
    problem = robot._problem(
        frame=None, rows=rows, limits=True, attempts=1, iterations=MOST_ITERATIONS, tolerance=REACHED
    )
    kernel = problem.searches["inverse_kinematics", problem.task]
    return kernel, [np.ravel(x).tolist() for x in (*problem.given, *problem.ending)]
