"""States at which exported functions are tested: configurations within limits, on the constraints where there are some,
poses that can be reached, and numbers of the size of one for all else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.constrained import ConstrainedSystem
from chasles.errors import ChaslesError
from chasles.export.axes import Axes
from chasles.export.references import Draw
from chasles.graph.program import Loop, Program
from chasles.lagrangian import LagrangianSystem

DT = 1e-3  # s
DISPLACEMENT = 1e-2  # of a step of discrete mechanics
NORMAL = ("qd", "qdd", "tau", "u", "v", "dq", "dqd", "dqdd", "tool_wrench", "link_wrenches")
MOVING = ("base_velocity", "base_acceleration")


def drawn(system: Any, body: Program | Loop, axes: Axes) -> Draw:
    """States of a system, for the inputs of one of its functions."""
    shapes = {o.name: o.shape for o in body.inputs}
    inner = getattr(system, "system", system)

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        found: dict[str, Any] = {name: rng.normal(size=shapes[name]) for name in (*NORMAL, *MOVING) if name in shapes}
        found |= {name: inner.random(rng) for name in ("q", "q0", "q1") if name in shapes}
        found |= {name: rng.uniform() for name in ("t", "t0") if name in shapes}
        found |= {"dt": DT} if "dt" in shapes else {}
        if "T" in shapes and "q0" in shapes:
            found["T"] = _poses(system, axes, found["q0"], rng)
        if "parameters" in shapes and axes.given_links:
            found["parameters"] = np.array([inner.inertial_parameters[axes.links.index(x)] for x in axes.given_links])
        if "momenta" in shapes and not isinstance(inner, LagrangianSystem):
            step = DISPLACEMENT * rng.normal(size=inner.n)
            symbols = {name: rng.uniform(0.5, 1.5, shapes[name]) for name in inner.symbols}
            found |= {"u": step, "v": np.zeros(inner.n), **symbols}
            found["momenta"] = _mass(inner, found["q"], symbols) @ step
        return _consistent(system, found) if isinstance(system, ConstrainedSystem) else found

    return draw


def _poses(robot: Any, axes: Axes, q0: Any, rng: np.random.Generator) -> Any:
    """Of the frames at a configuration not far from where the search begins."""
    q = robot.integrate(q0, 0.3 * rng.normal(size=robot.n))
    lower, upper = robot.mechanism.position_limits
    poses = [robot.forward_kinematics(np.clip(q, lower, upper), frame) for frame, _ in axes.task]
    return poses[0] if len(poses) == 1 else np.stack(poses)


def _mass(robot: Any, q: Any, symbols: dict[str, Any]) -> Any:
    """The mass matrix; nan where such values of the symbols are those of no robot."""
    try:
        return robot.mass_matrix(q, **symbols)
    except ChaslesError:
        return np.full((robot.n, robot.n), np.nan)


def _consistent(system: ConstrainedSystem, found: dict[str, Any]) -> dict[str, Any]:
    """With a state that satisfies the constraints, where one is found near; nan otherwise."""
    if "q" in found:
        qd = found.get("qd", np.zeros(system.n))
        try:
            q, qd = system.consistent(found["q"], qd)
        except ChaslesError:
            q, qd = np.full(system.nq, np.nan), qd
        found |= {"q": q} | ({"qd": qd} if "qd" in found else {})
    return found
