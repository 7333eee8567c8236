"""Ready-made constraints of touching: a point on a surface, frictionless contact, rolling, wheels.

A surface is fixed in space, or to a frame of the robot. In its frame a point x has the implicit function F, or the
signed distance d with unit normal n at its foot (constrained/surface.py). With u the velocity of what moves with the
tip at a point of space less that of what moves with the surface there,

    on a surface           F(x) = 0,        rows F'(x) . u(x)                     (1)
    ball of radius r       d(x) = r,        rows n . u(x),   x its centre         (2)
    rolling                besides (2), t_1 . u(y) = t_2 . u(y) = 0,  y = x - r n  (3)
    without spin           besides (3), n . (w_tip - w_surface) = 0               (4)

u(y) is the slip of the ball's lowest point; t_1, t_2 are tangents, chosen from space axes that are not near n, so that
they exist everywhere. The multiplier of (2) is the normal force.

A wheel, centre c and axle a, on a plane with normal n: its lowest point is y = c - r e, e = (n - (n . a) a) normalised,

    along   (a x n) . u(y) = 0,     across   (n x (a x n)) . u(y) = 0             (5)
    height  n . c - r sqrt(1 - (n . a)^2) = h                                     (6)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.constrained.constraint import Constraint, Part
from chasles.constrained.frames import Moving, direction, frame_name, positive, root, unit, vector
from chasles.constrained.surface import Surface
from chasles.errors import ModelError
from chasles.graph.array import where
from chasles.system import System


def point_on_surface(
    frame: str,
    surface: Surface | Callable[[Any], Any],
    point: ArrayLike = (0.0, 0.0, 0.0),
    surface_frame: str | None = None,
    name: str = "on surface",
) -> Constraint:
    """A point of a frame stays on a surface: a `Surface`, or a function F(x) of the space point (3,), zero on it.

    point: (3,) in the frame. surface_frame: the frame that carries the surface, if it moves.
    """
    tip, x = frame_name(frame, f"{name}: frame"), vector(point, f"{name}: point")
    shape = surface if isinstance(surface, Surface) else Surface.of(implicit=surface, name=name)
    carrier = None if surface_frame is None else frame_name(surface_frame, f"{name}: surface_frame")
    F = shape.level

    def values(system: System, q: Any) -> Any:
        A, B = Moving(system, q, carrier, name), Moving(system, q, tip, name)
        return F(A.inside(B.at(x)))  # (1)

    def rows(system: System, q: Any) -> Any:
        A, B = Moving(system, q, carrier, name), Moving(system, q, tip, name)
        at = B.at(x)
        return (A.R @ F.gradient("p")(A.inside(at)) @ (B.velocity(at) - A.velocity(at)))[None]  # (1)

    return Constraint.of(values, name, rows)


class _Touch:
    """A ball of a system touching a surface, at q."""

    def __init__(self, system: System, q: Any, contact: _Contact) -> None:
        self.A = Moving(system, q, contact.carrier, contact.name)
        self.B = Moving(system, q, contact.tip, contact.name)
        self.centre = self.B.at(contact.centre)
        s, n, _ = contact.surface.distance(self.A.inside(self.centre))
        self.off, self.n = s - contact.radius, self.A.R @ n
        self.lowest = self.centre - contact.radius * self.n

    def slip(self, x: Any) -> Any:
        """(3, n) u at a point of space."""
        return self.B.velocity(x) - self.A.velocity(x)


class _Contact:
    def __init__(self, tip: Any, radius: float, surface: Any, centre: Any, carrier: Any, name: str) -> None:
        if not isinstance(surface, Surface):
            raise ModelError(f"{name}: surface must be a Surface, got {type(surface).__name__}")
        self.tip, self.radius, self.surface, self.name = frame_name(tip, f"{name}: frame"), radius, surface, name
        self.centre = vector(centre, f"{name}: point")
        self.carrier = None if carrier is None else frame_name(carrier, f"{name}: surface_frame")
        surface.distance  # noqa: B018  (a surface without one is refused here)

    def normal(self) -> Constraint:
        """(2)"""

        def rows(system: System, q: Any) -> Any:
            touch = _Touch(system, q, self)
            return (touch.n @ touch.slip(touch.centre))[None]

        return Constraint.of(lambda system, q: _Touch(system, q, self).off, self.name, rows)

    def tangential(self, spin: bool) -> Constraint:
        """(3), (4)"""

        def rows(system: System, q: Any) -> Any:
            touch = _Touch(system, q, self)
            n = touch.n
            upright = np.abs(n[2]) < 0.8
            axis = np.stack([where(upright, 0.0, 1.0), 0.0 * n[0], where(upright, 1.0, 0.0)])
            t_1 = unit(np.cross(axis, n))
            slip = touch.slip(touch.lowest)
            found = [t_1 @ slip, np.cross(n, t_1) @ slip]  # (3)
            if not spin:
                found.append(n @ (touch.B.J_w - touch.A.J_w))  # (4)
            return np.stack(found)

        return Constraint((Part(f"{self.name} rolling", rows),))


def point_contact(
    frame: str,
    tip: Surface | float,
    surface: Surface,
    point: ArrayLike = (0.0, 0.0, 0.0),
    surface_frame: str | None = None,
    name: str = "contact",
) -> Constraint:
    """A ball-shaped tip touches a surface from outside, without friction; the multiplier is the normal force.

    tip: its radius in metres (0: a point) or `Surface.sphere(radius)`; its centre is at `point` (3,) of the frame.
    surface_frame: the frame that carries the surface, if it moves.
    """
    return _Contact(frame, _radius(tip, name), surface, point, surface_frame, name).normal()


def rolling(
    frame: str,
    radius: float,
    surface: Surface,
    spin: bool = True,
    point: ArrayLike = (0.0, 0.0, 0.0),
    surface_frame: str | None = None,
    name: str = "contact",
) -> Constraint:
    """A ball-shaped tip touches a surface and does not slip; without `spin` it does not turn about the normal either.

    Multipliers: the normal force, then along two tangents the friction (and the moment about the normal). Arguments as
    for `point_contact`.
    """
    contact = _Contact(frame, _radius(radius, name), surface, point, surface_frame, name)
    return contact.normal() + contact.tangential(spin)


def wheel(
    frame: str,
    radius: float,
    axis: ArrayLike = (0.0, 1.0, 0.0),
    normal: ArrayLike = (0.0, 0.0, 1.0),
    lateral: bool = True,
    height: float | None = None,
    name: str = "wheel",
) -> Constraint:
    """A wheel rolls on a plane without slipping, along and, if `lateral`, across; it may lean.

    frame: of the wheel, its origin at the centre. axis: the axle, in that frame. normal: of the plane, in space.
    height: of the plane along its normal, for a wheel that nothing else keeps on it.
    """
    tip, r = frame_name(frame, f"{name}: frame"), positive(radius, f"{name}: radius")
    axle, n = direction(axis, f"{name}: axis"), direction(normal, f"{name}: normal")

    def rows(system: System, q: Any) -> Any:
        W = Moving(system, q, tip, name)
        a = W.R @ axle
        ahead = unit(np.cross(a, n))
        slip = W.velocity(W.p - r * np.cross(ahead, a))
        found = [ahead @ slip, np.cross(n, ahead) @ slip]  # (5)
        return np.stack(found if lateral else found[:1])

    rolls = Constraint((Part(name, rows),))
    if height is None:
        return rolls
    h = float(height)

    def off(system: System, q: Any) -> Any:
        W = Moving(system, q, tip, name)
        lean = n @ (W.R @ axle)
        return n @ W.p - r * root(1.0 - lean * lean) - h  # (6)

    def lifts(system: System, q: Any) -> Any:
        W = Moving(system, q, tip, name)
        a = W.R @ axle
        return (n @ W.velocity(W.p - r * np.cross(unit(np.cross(a, n)), a)))[None]

    return Constraint.of(off, f"{name} height", lifts) + rolls


def _radius(tip: Any, name: str) -> float:
    if isinstance(tip, Surface):
        if tip.radius is None:
            raise ModelError(f"{name}: the tip must be a sphere about its own origin, got {tip.name!r}")
        return tip.radius
    return positive(tip, f"{name}: radius", zero=True)
