"""Ready-made contact constraints: a point on a surface, frictionless contact, rolling, wheels.

A surface is fixed in space, or to a frame of the robot. In its frame a point x has the implicit function F
(surface/surface.py); a tip, nearest with its point y, has the gap d along the normal n (surface/closest_points.py).
With u the velocity of what moves with the tip at a point of space less that of what moves with the surface there,

    on a surface           F(x) = 0,        rows F'(x) . u(x)                     (1)
    contact                d = 0,           rows n . u(y)                         (2)
    rolling                besides (2), t_1 . u(y) = t_2 . u(y) = 0               (3)
    without spin           besides (3), n . (w_tip - w_surface) = 0               (4)

u(y) is the slip of the tip's point of contact; t_1, t_2 are tangents, chosen from space axes that are not near n, so
that they exist everywhere. The multiplier of (2) is the normal force.

A wheel, centre c and axle a, on a plane with normal n: its lowest point is y = c - r e, e = (n - (n . a) a) normalised,

    along   (a x n) . u(y) = 0,     across   (n x (a x n)) . u(y) = 0             (5)
    height  n . c - r sqrt(1 - (n . a)^2) = h                                     (6)

The signatures and what the arguments mean are those of `Constraint`'s methods.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.arguments import direction, flag, function, not_negative, number, positive
from chasles.arguments import name as named
from chasles.arguments import point as three
from chasles.constraint.frames import MovingFrame
from chasles.constraint.part import CarriedSurface, Part, WhereItActs, holonomic_part
from chasles.errors import ModelError
from chasles.function.symbolic_kernel import symbol_or
from chasles.lazy import lazy
from chasles.robot import Robot
from chasles.surface.closest_points import closest_points, tangents
from chasles.surface.smooth import safe_sqrt, unit
from chasles.surface.surface import Surface
from chasles.system import System

Parts = tuple[Part, ...]
TANGENTIAL, TANGENTIAL_UNITS = ("tangent1", "tangent2", "spin"), ("N", "N", "N m")  # rows of (3) and (4)


def point_on_surface(frame: Any, surface: Any, point: Any, surface_frame: Any, name: str) -> Parts:
    what = f"constraint {named(name, 'the name of a constraint')!r}:"
    tip, x = named(frame, f"{what} frame", "a frame"), three(point, f"{what} point")
    shape = (
        surface
        if isinstance(surface, Surface)
        else Surface.of(implicit=function(surface, "x", f"{what} surface"), name=name)
    )
    carrier = None if surface_frame is None else named(surface_frame, f"{what} surface_frame", "a frame")
    try:
        F, slope = shape.signed()
    except ModelError as error:
        raise ModelError(f"{what} {error}") from None

    def values(system: System, q: Any) -> Any:
        A, B = MovingFrame(system, q, carrier, name), MovingFrame(system, q, tip, name)
        return F(A.inside(B.at(x)))  # (1)

    def rows(system: System, q: Any) -> Any:
        A, B = MovingFrame(system, q, carrier, name), MovingFrame(system, q, tip, name)
        at = B.at(x)
        return (A.R @ slope(A.inside(at)) @ (B.velocity(at) - A.velocity(at)))[None]  # (1)

    def points(system: System, q: Any) -> Any:
        return MovingFrame(system, q, tip, name).at(x)[None]

    place = WhereItActs("contact", points, (CarriedSurface(shape, carrier),))
    return (holonomic_part(values, name, rows, place=place),)


def point_contact(frame: Any, tip: Any, surface: Any, point: Any, surface_frame: Any, name: str) -> Parts:
    return (_Contact(frame, tip, surface, point, surface_frame, name).normal(),)


def rolling(frame: Any, tip: Any, surface: Any, spin: Any, point: Any, surface_frame: Any, name: str) -> Parts:
    spins = flag(spin, f"constraint {named(name, 'the name of a constraint')!r}: spin")
    contact = _Contact(frame, tip, surface, point, surface_frame, name)
    return (contact.normal(), contact.tangential(spins))


class _Contact:
    """A tip on a frame, and a surface on another or in space."""

    def __init__(self, frame: Any, tip: Any, surface: Any, point: Any, carrier: Any, name: str) -> None:
        what = f"constraint {named(name, 'the name of a constraint')!r}:"
        if not isinstance(surface, Surface):
            raise ModelError(f"{what} surface must be a Surface, got {type(surface).__name__}")
        if not isinstance(tip, Surface):
            tip = Surface("ball", None, None, not_negative(tip, f"{what} tip, if it is a radius,"))
        self.frame, self.tip, self.surface, self.name = named(frame, f"{what} frame", "a frame"), tip, surface, name
        self.point = three(point, f"{what} point")
        self.carrier = None if carrier is None else named(carrier, f"{what} surface_frame", "a frame")
        try:
            self.closest_points = closest_points(surface, tip)
        except ModelError as error:
            raise ModelError(f"{what} {error}") from None

    def normal(self) -> Part:
        """(2)"""

        def rows(system: System, q: Any) -> Any:
            touch = _ContactPoint(system, q, self)
            return (touch.normal @ touch.slip)[None]

        def gap(system: System, q: Any) -> Any:
            return _ContactPoint(system, q, self).found[0]

        def points(system: System, q: Any) -> Any:
            touch = _ContactPoint(system, q, self)
            return touch.A.at(touch.found[3])[None]

        surfaces = CarriedSurface(self.surface, self.carrier), CarriedSurface(self.tip, self.frame, tuple(self.point))
        place = WhereItActs("contact", points, surfaces)
        return holonomic_part(gap, self.name, rows, labels=("normal",), place=place, units=("N",))

    def tangential(self, spin: bool) -> Part:
        """(3), (4)"""

        def rows(system: System, q: Any) -> Any:
            touch = _ContactPoint(system, q, self)
            along = tangents(touch.normal).T @ touch.slip  # (3)
            if spin:
                return along
            return np.concatenate([along, (touch.normal @ (touch.B.J_w - touch.A.J_w))[None]])  # (4)

        count = 2 if spin else 3
        return Part(self.name, rows, labels=TANGENTIAL[:count], units=TANGENTIAL_UNITS[:count])


class _ContactPoint:
    """A contact of a system, at q."""

    def __init__(self, system: System, q: Any, contact: _Contact) -> None:
        self.A = MovingFrame(system, q, contact.carrier, contact.name)
        self.B = MovingFrame(system, q, contact.frame, contact.name)
        self.found = contact.closest_points(self.A.R.T @ self.B.R, self.A.inside(self.B.at(contact.point)))

    @lazy
    def normal(self) -> Any:
        """(3,) in space."""
        return self.A.R @ self.found[1]

    @lazy
    def slip(self) -> Any:
        """(3, n) u at the tip's point of contact."""
        y = self.A.at(self.found[3])
        return self.B.velocity(y) - self.A.velocity(y)


def wheel(frame: Any, radius: Any, axis: Any, normal: Any, lateral: Any, height: Any, name: str) -> Parts:
    what = f"constraint {named(name, 'the name of a constraint')!r}:"
    tip, r = named(frame, f"{what} frame", "a frame"), symbol_or(positive, radius, f"{what} radius")
    axle, n = direction(axis, f"{what} axis"), direction(normal, f"{what} normal")
    across = flag(lateral, f"{what} lateral")

    def lowest(W: MovingFrame) -> Any:
        a = W.R @ axle
        return W.p - r * np.cross(unit(np.cross(a, n)), a)

    def rows(system: System, q: Any) -> Any:
        W = MovingFrame(system, q, tip, name)
        _refuse_flat_wheel(W.robot, tip, axle, n, name)
        a = W.R @ axle
        ahead = unit(np.cross(a, n))
        slip = W.velocity(lowest(W))
        found = [ahead @ slip, np.cross(n, ahead) @ slip]  # (5)
        return np.stack(found if across else found[:1])

    def points(system: System, q: Any) -> Any:
        return lowest(MovingFrame(system, q, tip, name))[None]

    labels = ("along", "across") if across else ("along",)
    rolls = Part(name, rows, labels=labels, place=WhereItActs("contact", points), units=("N",) * len(labels))
    if height is None:
        return (rolls,)
    h = symbol_or(number, height, f"{what} height")

    def off(system: System, q: Any) -> Any:
        W = MovingFrame(system, q, tip, name)
        lean = n @ (W.R @ axle)
        return n @ W.p - r * safe_sqrt(1.0 - lean * lean) - h  # (6)

    def lifts(system: System, q: Any) -> Any:
        W = MovingFrame(system, q, tip, name)
        return (n @ W.velocity(lowest(W)))[None]

    return (holonomic_part(off, name, lifts, labels=("height",), units=("N",)), rolls)


def _refuse_flat_wheel(robot: Robot, frame: str, axle: np.ndarray, n: np.ndarray, name: str) -> None:
    """A wheel whose axle is along the normal wherever it goes."""
    if robot.symbols:
        return
    rng = np.random.default_rng(0)
    q = np.stack([robot.random(rng) for _ in range(8)])
    axles = robot.forward_kinematics(q, frame)[:, :3, :3] @ axle
    if np.abs(np.cross(axles, n)).max() < 1e-9:
        raise ModelError(
            f"constraint {name!r}: the wheel lies flat: axis {axle.tolist()} in frame {frame!r} is along the normal "
            f"{n.tolist()} at every configuration; give axis, the direction of the axle in that frame"
        )
