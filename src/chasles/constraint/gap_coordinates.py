"""A body near a fixed one, in contact coordinates and the gap between them.

Body f is carried away from contact with body o at eta = (alpha_f, alpha_o, psi) by the gap s along the normal of o:

    g(eta, s) = [1, s n_o] g_of(eta),   V = K (etad, sd)                          (1)

V its twist in its own frame, K square. Held at s = 0 it slides; with the rows of slip and spin too, it rolls.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.constraint.constraint import Constraint, Part
from chasles.constraint.contact_coordinates import COORDINATES, body_jacobian, contact_jacobian, contact_pose
from chasles.errors import ModelError, ShapeError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.lagrangian import LagrangianSystem
from chasles.model.link import Link
from chasles.surface.checks import values
from chasles.surface.contact_feasibility import refuse_apart
from chasles.surface.surface import Surface
from chasles.system import System

GRAVITY = (0.0, 0.0, -9.81)
SLIP_AND_SPIN = [3, 4, 2]  # v_x, v_y, w_z of a twist (angular, linear)


def gap_twist(surface_f: Surface, surface_o: Surface) -> Kernel:
    """(q (..., 6), qd (..., 6)) -> V (..., 6) of (1), in f's frame."""
    J, pose = body_jacobian(surface_f, surface_o), contact_pose(surface_f, surface_o)
    turn = surface_o.frame.jacobian("alpha")

    def twist(q: Any, qd: Any) -> Any:
        V, n = J(q[:5]) @ qd[:5], surface_o.frame(q[2:4])[:3, 2]
        away = qd[5] * n + q[5] * (turn(q[2:4])[:3, 2] @ qd[2:4])
        return np.concatenate([V[:3], V[3:] + pose(q[:5])[:3, :3].T @ away])  # (1)

    return compile(twist, q=6, qd=6)


def gap_system(link: Link, surface_f: Surface, surface_o: Surface, gravity: ArrayLike = GRAVITY) -> LagrangianSystem:
    """A body near a fixed one, in the coordinates (eta, gap). link: in the frame of f. gravity: (3,), in that of o.

    Surfaces that can meet in one point nowhere are refused.
    """
    if not isinstance(link, Link):
        raise ModelError(f"link must be a chasles.Link, got {type(link).__name__}")
    g = values(gravity, "gravity")
    if g.shape != (3,):
        raise ShapeError(f"gravity must have shape (3,), got {g.shape}")
    twist, pose = gap_twist(surface_f, surface_o), contact_pose(surface_f, surface_o)
    refuse_apart(surface_f, surface_o)

    def lagrangian(q: Any, qd: Any) -> Any:
        V, T = twist(q, qd), pose(q[:5])
        w, v = V[:3], V[3:] + np.cross(V[:3], link.com)
        centre = T[:3, :3] @ link.com + T[:3, 3] + q[5] * surface_o.frame(q[2:4])[:3, 2]
        return 0.5 * (link.mass * (v @ v) + w @ (link.inertia @ w)) + link.mass * (g @ centre)

    return LagrangianSystem(6, lagrangian, name="contact", coordinate_names=(*COORDINATES, "gap"))


def touching() -> Constraint:
    """The gap is zero."""
    return Constraint.of(lambda system, q: q[5], "contact", labels=("normal",))


def rolling(surface_f: Surface, surface_o: Surface) -> Constraint:
    """The gap is zero, and there is no slip and no spin."""
    J = contact_jacobian(surface_f, surface_o)

    def rows(system: System, q: Any) -> Any:
        return np.concatenate([J(q[:5])[SLIP_AND_SPIN], np.zeros((3, 1))], axis=1)

    return Constraint((*touching().parts, Part("contact", rows, labels=("tangent1", "tangent2", "spin"))))
