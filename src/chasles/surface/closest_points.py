"""Closest points of two surfaces, their normals opposite: in closed form, or by Newton's method on the relative
curvature.

Surface b is at the pose (R, p) in the frame of a. At points x_a, x_b with outward normals n, n_b, let T (3, 2) be
tangents of a, and K_a, K_b how the normals turn as the points move along them, dn = T K dx. With

    e = T^T (x_b - x_a),   s = n . (x_b - x_a),   v = T^T n_b

a and b are the tangential motions of the points after which e and v are zero, to first order:

    (K_a + K_b + s K_b K_a) a = K_b e - v,   b = (1 + s K_a) a - e                (1)

K_a + K_b is the relative curvature of [Montana 1988], regular where the surfaces meet in one point. Steps are shortened
until no normal turns by more than half a radian, and s below zero is left out of the first ones: two ellipsoids, apart
or in each other by a tenth of their thickness, are found wherever they are up to axes of 5:1, and from nearby beyond.

A point is known by alpha, where f(alpha) is all that is known of its surface: with M = T^T f' its curvature is
-M^-T (n . f'') M^-1, and it moves by M^-1 a. Otherwise it is known by x, with an implicit function F: its curvature is
T^T F'' T / |F'|, and it moves to x + T a and back onto the surface, to the foot or along F'; or, where a support map
takes normals to points, to that of n + T K a.

The gap s has the rate n . (u_b - u_a), u the velocities of the bodies at x_a or x_b, since the points move along their
surfaces. Derivatives are taken through the last two steps alone (surface/surface.py).

What (1) leads to is stationary. It is the nearest pair of its neighbourhood if the normals are opposite, not alike, and

    1 + s K_a > 0,   K_b + K_a (1 + s K_a)^-1 > 0                                 (2)

positive definite: the second derivative of the distance, and K_a + K_b > 0 where the surfaces touch or, s < 0 taken for
zero, are moved apart until they do. Where (2) does not hold, or the last step still turns a normal by more than 1e-5,
nothing was found and all is nan. Of a ball it is the foot of its centre (surface/surface.py) that is looked at so:
1 + s K_a > 0.

Surfaces that are not convex have several such pairs, and there is no telling which is found, if any. Two surfaces
without support maps are first taken from foot to foot, each to that of the other, from b's middle on: two tori were so
found at their nearest wherever they were apart, but those in each other, or in each other's hole, often are nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.array import where
from chasles.surface.contact_feasibility import refuse_infeasible
from chasles.surface.smooth import SMALLEST_SQUARE, safe_sqrt, stop_gradient, unit
from chasles.surface.surface import Surface

NEWTON_STEPS, DIFFERENTIATED_STEPS = 10, 2  # of all of them, the last that are differentiated
FOOT_TO_FOOT_ROUNDS, STEPS_TO_FOOT = 4, 4  # before them; and along F' to a foot
LARGEST_STEP_ANGLE = 0.5  # radians, that a step turns a normal by
LARGEST_LAST_ANGLE = 1e-5  # radians: where the last step turns a normal by more, nothing was found


def closest_points(a: Surface, b: Surface) -> Kernel:
    """(R (..., 3, 3), p (..., 3)) of b in a's frame -> gap (...), and in a's frame a's outward normal (..., 3) and the
    points at_a, at_b (..., 3) of the two surfaces."""
    refuse_infeasible(a, b)
    if b.radius is not None:
        return compile(_ball(a, b), R=(3, 3), p=3)
    if a.radius is not None or _rank(b) < _rank(a):
        return compile(_exchanged(closest_points(b, a)), R=(3, 3), p=3)
    for surface in (a, b):
        _side(surface, np.eye(3), np.zeros(3))  # what cannot be looked for is refused here
    return compile(lambda R, p: _by_newton(a, b, R, p), R=(3, 3), p=3)


def _rank(surface: Surface) -> int:
    """Of two surfaces the lower one is a: the other has a middle, and best a support map, to start from."""
    if surface.support is not None and not surface.hollow:
        return 4
    return 0 if surface.straight == 2 else 3 if surface.implicit is None else 2 if surface.closed is not None else 1


def _ball(a: Surface, b: Surface) -> Any:
    distance, r, middle = a.distance, b.radius, np.array(b.middle)

    def touch(R: Any, p: Any) -> Any:
        centre = p + R @ middle
        s, n, foot = distance(centre)
        touch = {"gap": s - r, "normal": n, "at_a": foot, "at_b": centre - r * n}
        if a.closed is not None:
            return touch
        off = centre - foot - s * n
        found = off @ off < LARGEST_LAST_ANGLE * LARGEST_LAST_ANGLE * (s * s + foot @ foot) + SMALLEST_SQUARE
        if a.implicit is not None and (a.support is None or a.hollow):  # it need not be convex
            T = tangents(n)
            K = _ImplicitSide(a, np.eye(3), np.zeros(3)).curvature(foot, n, T)
            found = found & _positive_definite(np.eye(2) + np.maximum(s, 0.0) * K)  # (2), of the centre
        return _or_nan(found, touch)

    return touch


def _exchanged(other: Kernel) -> Any:
    """a for b."""

    def touch(R: Any, p: Any) -> Any:
        gap, n, at_b, at_a = other(R.T, -(R.T @ p))
        return {"gap": gap, "normal": -(R @ n), "at_a": p + R @ at_a, "at_b": p + R @ at_b}

    return touch


def _by_newton(a: Surface, b: Surface, R: Any, p: Any) -> Any:
    A, B = _side(a, np.eye(3), np.zeros(3)), _side(b, R, p)
    z_a = A.start(B.middle)
    x_a, n = A.place(z_a)
    z_b = B.facing(-n, x_a)
    if a.support is None and b.support is None:
        for _ in range(FOOT_TO_FOOT_ROUNDS):
            z_a = A.start(B.place(z_b)[0])
            z_b = B.start(A.place(z_a)[0])
    steps, found = NEWTON_STEPS, True
    if a.straight == 2 and b.support is not None:  # both are where they belong
        z_a, steps = A.start(B.place(z_b)[0]), 0
    for k in range(steps):
        if k == NEWTON_STEPS - DIFFERENTIATED_STEPS:
            z_a, z_b = stop_gradient(z_a), stop_gradient(z_b)
        (x_a, n), (x_b, n_b) = A.place(z_a), B.place(z_b)
        T = tangents(n)
        K_a, K_b = A.curvature(z_a, n, T), B.curvature(z_b, n_b, T)
        e, s, v = T.T @ (x_b - x_a), n @ (x_b - x_a), T.T @ n_b
        if k < NEWTON_STEPS - DIFFERENTIATED_STEPS:
            s = np.maximum(s, 0.0)
        move = _solved(K_a + K_b + s * (K_b @ K_a), K_b @ e - v)
        turn_a, other = K_a @ move, move + s * (K_a @ move) - e  # (1)
        turn_b = K_b @ other
        left = np.maximum(turn_a @ turn_a, turn_b @ turn_b)
        if k == NEWTON_STEPS - 1:
            settled = left < LARGEST_LAST_ANGLE * LARGEST_LAST_ANGLE
            found = settled & (n @ n_b < 0.0) & _is_nearest(K_a, K_b, np.maximum(s, 0.0))
        if k < NEWTON_STEPS - DIFFERENTIATED_STEPS:
            short = np.minimum(1.0, LARGEST_STEP_ANGLE / safe_sqrt(left))
            move, turn_a, other, turn_b = short * move, short * turn_a, short * other, short * turn_b
        z_a, z_b = A.moved(z_a, n, T, move, turn_a), B.moved(z_b, n_b, T, other, turn_b)
    (x_a, n), (x_b, _) = A.place(z_a), B.place(z_b)
    touch = {"gap": n @ (x_b - x_a), "normal": n, "at_a": x_a, "at_b": x_b}
    return touch if found is True else _or_nan(found, touch)


def _or_nan(found: Any, touch: dict[str, Any]) -> dict[str, Any]:
    """What was found, or nan."""
    with np.errstate(invalid="ignore"):  # NumPy warns of the nan while tracing
        return {key: where(found, x, np.nan) for key, x in touch.items()}


def _is_nearest(K_a: Any, K_b: Any, s: Any) -> Any:
    """(2), for a gap s that is not negative."""
    P = np.eye(2) + s * K_a
    return _positive_definite(P) & _positive_definite(K_b + K_a @ _inverse(P))


def _positive_definite(M: Any) -> Any:
    """Of a symmetric (2, 2) matrix."""
    return (M[0, 0] + M[1, 1] > 0.0) & (M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0] > 0.0)


def tangents(n: Any) -> Any:
    """(3, 2) unit vectors across n and each other, from an axis that is not near n, so that they exist everywhere."""
    upright = np.abs(n[2]) < 0.8
    axis = np.stack([where(upright, 0.0, 1.0), 0.0 * n[0], where(upright, 1.0, 0.0)])
    t = unit(np.cross(axis, n))
    return np.stack([t, np.cross(n, t)]).T


class _ImplicitSide:
    """A surface with an implicit function, at the pose (R, p); its state is the point, in its own frame."""

    def __init__(self, surface: Surface, R: Any, p: Any) -> None:
        self.surface, self.R, self.p = surface, R, p
        self.F, self.slope, self.bend = surface.level, surface.level.gradient("p"), surface.level.hessian("p")
        self.middle = p + R @ np.array(surface.middle)

    def start(self, x: Any) -> Any:
        """The state near a point."""
        y = self.R.T @ (x - self.p)
        if self.surface.support is None:
            for _ in range(1 if self.surface.closed is not None else STEPS_TO_FOOT):
                y = self._back(y)
            return y
        way = unit(y - np.array(self.surface.middle))
        return self.surface.support(-way if self.surface.hollow else way)

    def facing(self, d: Any, x: Any) -> Any:
        """The state with the normal d, or near a point."""
        return self.start(x) if self.surface.support is None else self.surface.support(self.R.T @ d)

    def place(self, y: Any) -> tuple[Any, Any]:
        """The point and the outward normal."""
        return self.p + self.R @ y, self.R @ unit(self.slope(y))

    def curvature(self, y: Any, n: Any, T: Any) -> Any:
        own, g = self.R.T @ T, self.slope(y)
        return own.T @ self.bend(y) @ own / safe_sqrt(g @ g)

    def moved(self, y: Any, n: Any, T: Any, by: Any, turn: Any) -> Any:
        if self.surface.support is not None:
            return self.surface.support(self.R.T @ unit(n + T @ turn))
        return self._back(y + self.R.T @ (T @ by))

    def _back(self, y: Any) -> Any:
        if self.surface.closed is not None:
            return self.surface.distance(y)[2]
        g = self.slope(y)
        return y - self.F(y) / (g @ g) * g


class _ParametricSide:
    """A surface given by its parameters, at the pose (R, p); they are its state."""

    def __init__(self, surface: Surface, R: Any, p: Any) -> None:
        if not surface.near:
            raise ModelError(
                f"surface {surface.name!r} has no implicit(p): give Surface.of(..., near=[(u, v), ...]), parameters "
                "spread over the part that is touched, from which to look for the point of contact"
            )
        self.R, self.p, self.near = R, p, np.array(surface.near)
        self.position, self.slope = surface.position, surface.position.jacobian("alpha")
        self.bend = self.slope.jacobian("alpha")
        frames = surface.frame(self.near)
        self.points, self.normals = frames[:, :3, 3], frames[:, :3, 2]
        self.middle = p + R @ self.points.mean(axis=0)

    def start(self, x: Any) -> Any:
        y = self.R.T @ (x - self.p)
        return self._least([np.sum((y - point) ** 2) for point in self.points])

    def facing(self, d: Any, x: Any) -> Any:
        own = self.R.T @ d
        return self._least([-(own @ normal) for normal in self.normals])

    def _least(self, sizes: list[Any]) -> Any:
        alpha, least = self.near[0], sizes[0]
        for other, size in zip(self.near[1:], sizes[1:], strict=True):
            alpha = np.stack([where(size < least, x, y) for x, y in zip(other, alpha, strict=True)])
            least = np.minimum(size, least)
        return alpha

    def place(self, alpha: Any) -> tuple[Any, Any]:
        f_u, f_v = self.slope(alpha).T
        return self.p + self.R @ self.position(alpha), self.R @ unit(np.cross(f_u, f_v))

    def curvature(self, alpha: Any, n: Any, T: Any) -> Any:
        inverse = _inverse(T.T @ self.R @ self.slope(alpha))
        return -(inverse.T @ np.einsum("i,ijk->jk", self.R.T @ n, self.bend(alpha)) @ inverse)

    def moved(self, alpha: Any, n: Any, T: Any, by: Any, turn: Any) -> Any:
        return alpha + _solved(T.T @ self.R @ self.slope(alpha), by)


def _side(surface: Surface, R: Any, p: Any) -> _ImplicitSide | _ParametricSide:
    return (_ParametricSide if surface.implicit is None else _ImplicitSide)(surface, R, p)


def _inverse(M: Any) -> Any:
    """Of a (2, 2) matrix."""
    adjugate = np.stack([np.stack([M[1, 1], -M[0, 1]]), np.stack([-M[1, 0], M[0, 0]])])
    return adjugate / (M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0])


def _solved(M: Any, x: Any) -> Any:
    return _inverse(M) @ x
