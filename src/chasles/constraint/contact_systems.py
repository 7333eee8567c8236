"""Systems in contact coordinates: a body on or near a fixed one, and the constraints of sliding and rolling.

Body f, with the inertia G in its own frame, touches the fixed body o at eta (surface/contact_coordinates.py), or is the
gap s away from it (surface/gap_coordinates.py). With its twist V, linear in the rates,

    L = V^T G V / 2 + m g . x,   x the centre of mass                             (1)

in the coordinates eta, or (eta, s). In eta it slides; without slip and spin, v = 0 and w_z = 0, it rolls.    (2)
In (eta, s) it slides where s = 0 is held, and rolls with the rows of slip and spin too.                     (3)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles import arrays
from chasles.arguments import array, flag, instance, point
from chasles.constraint.constraint import Constraint
from chasles.constraint.contact_constraints import TANGENTIAL, TANGENTIAL_UNITS
from chasles.constraint.part import Part, holonomic_part
from chasles.lagrangian import LagrangianSystem
from chasles.lie import Twist, Vec3
from chasles.model.link import Link
from chasles.surface.contact_coordinates import (
    COORDINATES,
    body_jacobian,
    contact_jacobian,
    contact_pose,
    refuse_others,
)
from chasles.surface.contact_feasibility import refuse_infeasible
from chasles.surface.gap_coordinates import gap_twist
from chasles.surface.surface import Surface
from chasles.system import System

GRAVITY = (0.0, 0.0, -9.81)
SLIP_AND_SPIN = [3, 4, 2]  # v_x, v_y, w_z of a twist (angular, linear)


def contact_system(
    link: Link,
    surface_f: Surface,
    surface_o: Surface,
    *,
    gravity: ArrayLike = GRAVITY,
    name: str = "contact",
) -> LagrangianSystem:
    """A body, `link` in the frame of surface_f, that slides on a fixed surface_o without friction, in coordinates eta.

    gravity: (3,) in the frame of surface_o. `rolling_contact` is the constraint of rolling on it.
    """
    refuse_others(surface_f, surface_o)
    instance(link, "contact_system: link", Link)
    g, G = point(gravity, "contact_system: gravity"), np.array(_inertia(link))
    pose, J = contact_pose(surface_f, surface_o), body_jacobian(surface_f, surface_o)

    def lagrangian(eta: Any, rate: Any) -> Any:
        V, T = J(eta) @ rate, pose(eta)
        return 0.5 * (V @ (G @ V)) + link.mass * (g @ (T[:3, :3] @ np.asarray(link.com) + T[:3, 3]))  # (1)

    return LagrangianSystem(5, lagrangian, name=name, coordinate_names=COORDINATES)


def rolling_contact(
    surface_f: Surface, surface_o: Surface, *, spin: bool = False, name: str = "rolling contact"
) -> Constraint:
    """No slip, and without `spin` no turning about the normal: rows on the coordinates of `contact_system`."""
    refuse_others(surface_f, surface_o)
    spins = flag(spin, f"constraint {name!r}: spin")
    J, count = contact_jacobian(surface_f, surface_o), 2 if spins else 3

    def rows(system: System, eta: Any) -> Any:
        return J(eta)[SLIP_AND_SPIN[:count]]  # (2)

    return Constraint((Part(name, rows, labels=TANGENTIAL[:count], units=TANGENTIAL_UNITS[:count]),))


def _inertia(link: Link) -> list[list[float]]:
    """(6, 6) in the link frame."""
    G = link.spatial()
    units = [Twist(Vec3(*e[:3]), Vec3(*e[3:])) for e in np.eye(6).tolist()]
    return [arrays.from_wrench(G @ V) for V in units]


def gap_system(link: Link, surface_f: Surface, surface_o: Surface, gravity: ArrayLike = GRAVITY) -> LagrangianSystem:
    """A body near a fixed one, in the coordinates (eta, gap). link: in the frame of f. gravity: (3,), in that of o.

    Surfaces that can meet in one point nowhere are refused.
    """
    instance(link, "link", Link)
    g = array(gravity, "gravity", (3,), finite=True)
    twist, pose = gap_twist(surface_f, surface_o), contact_pose(surface_f, surface_o)
    refuse_infeasible(surface_f, surface_o)

    def lagrangian(q: Any, qd: Any) -> Any:
        V, T = twist(q, qd), pose(q[:5])
        w, v = V[:3], V[3:] + np.cross(V[:3], link.com)
        centre = T[:3, :3] @ link.com + T[:3, 3] + q[5] * surface_o.frame(q[2:4])[:3, 2]
        return 0.5 * (link.mass * (v @ v) + w @ (link.inertia @ w)) + link.mass * (g @ centre)  # (1)

    return LagrangianSystem(6, lagrangian, name="contact", coordinate_names=(*COORDINATES, "gap"))


def closed_gap() -> Constraint:
    """The gap of `gap_system` is zero: sliding without friction."""
    return Constraint((_gap(),))


def closed_gap_rolling(surface_f: Surface, surface_o: Surface) -> Constraint:
    """The gap of `gap_system` is zero, and there is no slip and no spin."""
    J = contact_jacobian(surface_f, surface_o)

    def rows(system: System, q: Any) -> Any:
        return np.concatenate([J(q[:5])[SLIP_AND_SPIN], np.zeros((3, 1))], axis=1)  # (3)

    return Constraint((_gap(), Part("contact", rows, labels=TANGENTIAL, units=TANGENTIAL_UNITS)))


def _gap() -> Part:
    return holonomic_part(lambda system, q: q[5], "contact", labels=("normal",), units=("N",))
