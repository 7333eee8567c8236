"""Surfaces: `Surface.sphere`, `plane`, `cylinder`, `ellipsoid`, and the user's own f(u, v) in R^3.

The Gauss frame at f(u, v) has x along f_u, z = f_u x f_v normalised (it points out of the body), y = z x x. In it, with
alpha = (u, v) [Montana 1988; MurrayLiSastry1994 (5.28)-(5.30)]

    metric      M = [x y]^T [f_u f_v]                  the contact point moves at M d(alpha)/dt            (1)
    curvature   K = [x y]^T [z_u z_v] M^-1             the normal turns by K M d(alpha)/dt                 (2)
    torsion     T = y^T [x_u x_v] M^-1                 the frame turns about z at T M d(alpha)/dt          (3)

M is diagonal where f_u and f_v are orthogonal; nothing here needs them to be. A surface may also be the zeros of F(p),
positive outside. A point p is then at the signed distance s |F'(y)| from its foot y, which solves

    y + s F'(y) = p,   F(y) = 0                                                   (4)

by Newton's method in a fixed number of steps from p, so that it can be traced; spheres, planes and cylinders have it in
closed form. Given by its parameters alone, a surface has a foot y = f(alpha) where

    (f(alpha) - p) . f_u = (f(alpha) - p) . f_v = 0                               (5)

by Gauss-Newton steps and then Newton's from the nearest of the parameters it is said to be `near`. The gradient of the
distance is the unit normal at y. Derivatives are taken through the last two of Newton's steps alone: of what they start
from they do not depend. The closest points of two surfaces are in closest_points.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import count, flag, function, not_negative, pairs, point, positive
from chasles.arguments import name as name_of
from chasles.dynamics.linear_solve import solve
from chasles.errors import ModelError
from chasles.function.compile import asked, compile
from chasles.function.kernel import Kernel
from chasles.graph.array import where
from chasles.lazy import lazy
from chasles.model.checks import placement
from chasles.reprs import record
from chasles.surface.smooth import SMALLEST_SQUARE, safe_sqrt, stop_gradient, unit

GAUSS_NEWTON_STEPS, NEWTON_STEPS = 4, 8  # to come near, and then those each of which doubles the digits


@record()
@dataclass(frozen=True, eq=False, repr=False)
class Surface:
    """A surface with outward normal. Made by `sphere`, `plane`, `cylinder`, `ellipsoid` or `of`; moved by `at`.

    `point(u, v)` (3,) and `implicit(p)`, zero on it and positive outside, work on floats and on traced scalars. Either
    may be None: contact coordinates need the first; distances need the second, or parameters (u, v) to look `near`.
    radius: of a ball about `middle`. closed: the signed distance of a point, support: the point whose normal is given,
    where they are known in closed form. straight: in how many directions it is. hollow: whether it is an inside.
    """

    name: str
    point: Callable[[Any, Any], Any] | None
    implicit: Callable[[Any], Any] | None
    radius: float | None = None
    closed: Callable[[Any], Any] | None = field(default=None, repr=False)
    near: tuple[tuple[float, float], ...] = ()
    support: Callable[[Any], Any] | None = field(default=None, repr=False)
    middle: tuple[float, float, float] = (0.0, 0.0, 0.0)
    straight: int = 0
    hollow: bool = False

    def __post_init__(self) -> None:
        name_of(self.name, "the name of a surface")
        forms = {"point": "u, v", "implicit": "p", "closed": "p", "support": "d"}
        for key, form in forms.items():
            if getattr(self, key) is not None:
                function(getattr(self, key), form, f"surface {self.name!r}: {key}")
        if self.radius is not None:
            not_negative(self.radius, f"surface {self.name!r}: radius")
        pairs(self.near, f"surface {self.name!r}: near")
        point(self.middle, f"surface {self.name!r}: middle")
        count(self.straight, f"surface {self.name!r}: straight", 0)
        flag(self.hollow, f"surface {self.name!r}: hollow")

    # which

    @staticmethod
    def sphere(radius: float) -> Surface:
        """About the origin; u latitude, v longitude, westward. Metres."""
        r = positive(radius, "sphere: radius")

        def f(u: Any, v: Any) -> Any:
            return np.stack([r * np.cos(u) * np.cos(v), -r * np.cos(u) * np.sin(v), r * np.sin(u)])

        def F(p: Any) -> Any:
            return (p @ p - r * r) / (2.0 * r)

        return Surface("sphere", f, F, r, lambda p: safe_sqrt(p @ p) - r, support=lambda d: r * d)

    @staticmethod
    def plane() -> Surface:
        """z = 0 with its normal along z; (u, v) = (x, y)."""

        def f(u: Any, v: Any) -> Any:
            return np.stack([u, v, 0.0 * u])

        return Surface("plane", f, lambda p: p[2], None, lambda p: p[2], straight=2)

    @staticmethod
    def cylinder(radius: float) -> Surface:
        """About the z axis; u the angle, v = z. Metres."""
        r = positive(radius, "cylinder: radius")

        def f(u: Any, v: Any) -> Any:
            return np.stack([r * np.cos(u), r * np.sin(u), v])

        def square(p: Any) -> Any:
            return p[0] * p[0] + p[1] * p[1]

        def F(p: Any) -> Any:
            return (square(p) - r * r) / (2.0 * r)

        return Surface("cylinder", f, F, None, lambda p: safe_sqrt(square(p)) - r, straight=1)

    @staticmethod
    def ellipsoid(a: float, b: float, c: float) -> Surface:
        """Half axes a, b, c along x, y, z, metres; u and v as those of a sphere."""
        axes = np.array([positive(x, f"ellipsoid: half axis {name}") for x, name in ((a, "a"), (b, "b"), (c, "c"))])

        def f(u: Any, v: Any) -> Any:
            return np.stack([axes[0] * np.cos(u) * np.cos(v), -axes[1] * np.cos(u) * np.sin(v), axes[2] * np.sin(u)])

        def F(p: Any) -> Any:
            return 0.5 * axes.min() * (np.sum(p * p / (axes * axes)) - 1.0)

        def support(d: Any) -> Any:
            return axes * axes * d / safe_sqrt(np.sum((axes * d) ** 2))

        return Surface("ellipsoid", f, F, support=support)

    @staticmethod
    def of(
        point: Callable[[Any, Any], Any] | None = None,
        implicit: Callable[[Any], Any] | None = None,
        *,
        name: str = "surface",
        near: Sequence[tuple[float, float]] = (),
    ) -> Surface:
        """The user's own: point(u, v) on traced scalars gives 3 numbers, f_u x f_v outward; implicit(p) one number.

        near: without implicit(p), parameters (u, v) spread over the part that is touched; the foot of a point, and
        where two surfaces touch, is looked for from the nearest of them.
        """
        if point is None and implicit is None:
            raise ModelError("a surface needs point(u, v), implicit(p), or both")
        what = f"surface {name_of(name, 'the name of a surface')!r}:"
        for f, form, key in ((point, "u, v", "point"), (implicit, "p", "implicit")):
            if f is not None:
                function(f, form, f"{what} {key}")
        found = pairs(near, f"{what} near")
        if found and point is None:
            raise ModelError(f"{what} near are parameters of point(u, v), which is not given")
        return Surface(name, point, implicit, near=found)

    def at(self, pose: ArrayLike) -> Surface:
        """The surface moved: its frame at `pose` (4, 4)."""
        T = placement(pose, f"surface {self.name!r}: pose")
        R, t = T[:3, :3], T[:3, 3]

        def moved(function: Any) -> Any:
            return None if function is None else lambda p: function(R.T @ (p - t))

        f, s = self.point, self.support
        x, y, z = R @ np.array(self.middle) + t
        return replace(
            self,
            point=None if f is None else lambda u, v: R @ np.stack([*f(u, v)]) + t,
            implicit=moved(self.implicit),
            closed=moved(self.closed),
            support=None if s is None else lambda d: R @ s(R.T @ d) + t,
            middle=(float(x), float(y), float(z)),
        )

    def inside(self) -> Surface:
        """The same surface with its normal reversed, u and v exchanged: a bowl, a pipe."""
        f, F, d, s = self.point, self.implicit, self.closed, self.support
        return replace(
            self,
            name=f"inside of {self.name}",
            point=None if f is None else lambda u, v: f(v, u),
            implicit=None if F is None else lambda p: -F(p),
            radius=None,
            closed=None if d is None else lambda p: -d(p),
            near=tuple((v, u) for u, v in self.near),
            support=None if s is None else lambda n: s(-n),
            hollow=not self.hollow,
        )

    # its geometry in the Gauss frame

    @lazy
    def position(self) -> Kernel:
        """alpha (..., 2) -> (..., 3)."""
        if self.point is None:
            raise ModelError(f"surface {self.name!r} has no parametrisation: give point(u, v)")
        f = self.point

        def position(alpha: Any) -> Any:
            p = asked(f, alpha, f"surface {self.name!r}: point(u, v)")
            if np.shape(p) != (3,):
                raise ModelError(f"surface {self.name!r}: point(u, v) must give 3 numbers, got {np.shape(p)}")
            return np.stack([*p])

        return compile(position, alpha=2)

    @lazy
    def frame(self) -> Kernel:
        """alpha (..., 2) -> (..., 4, 4) the Gauss frame, columns x, y, z and the point."""
        slope = self.position.jacobian("alpha")

        def frame(alpha: Any) -> Any:
            f_u, f_v = slope(alpha).T
            x, z = unit(f_u), unit(np.cross(f_u, f_v))
            T = np.stack([x, np.cross(z, x), z, self.position(alpha)]).T
            return np.concatenate([T, np.array([[0.0, 0.0, 0.0, 1.0]])])

        return compile(frame, alpha=2)

    @lazy
    def forms(self) -> Kernel:
        """alpha (..., 2) -> metric M (..., 2, 2), curvature K (..., 2, 2), torsion T (..., 2)."""
        slope, turn = self.position.jacobian("alpha"), self.frame.jacobian("alpha")

        def forms(alpha: Any) -> Any:
            E, dE = self.frame(alpha)[:3, :3], turn(alpha)[:3, :3]
            M = E[:, :2].T @ slope(alpha)  # (1)
            inverse = np.stack(
                [np.stack([1.0 / M[0, 0], -M[0, 1] / (M[0, 0] * M[1, 1])]), np.stack([0.0 * M[0, 0], 1.0 / M[1, 1]])]
            )  # M[1, 0] is zero: x is along f_u
            K = E[:, :2].T @ dE[:, 2] @ inverse  # (2)
            T = E[:, 1] @ dE[:, 0] @ inverse  # (3)
            M = np.stack([M[0], np.stack([0.0 * M[0, 0], M[1, 1]])])
            return {"metric": M, "curvature": K, "torsion": T}

        return compile(forms, alpha=2)

    # its distance

    @lazy
    def level(self) -> Kernel:
        """p (..., 3) -> F(p)."""
        if self.implicit is None:
            raise ModelError(f"surface {self.name!r} has no implicit(p)")
        F = self.implicit

        def field(p: Any) -> Any:
            value = asked(F, [p], f"surface {self.name!r}: implicit(p)")
            if np.shape(value) not in ((), (1,)):
                raise ModelError(f"surface {self.name!r}: implicit(p) must give one number, got {np.shape(value)}")
            return np.reshape(value, ())[()] if np.shape(value) else value

        return compile(field, p=3)

    def signed(self) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """A function of p (3,), zero on the surface and positive outside, and its gradient (3,): F, or the distance."""
        if self.implicit is not None:
            return self.level, self.level.gradient("p")
        distance = self.distance
        return lambda p: distance(p)[0], lambda p: distance(p)[1]

    @lazy
    def distance(self) -> Kernel:
        """p (..., 3) -> the signed distance (...), the unit normal (..., 3) at the foot of p, and the foot (..., 3)."""
        if self.closed is not None:
            length = compile(lambda p: self.closed(p), p=3)  # type: ignore[misc]
            normal = length.gradient("p")

            def distance(p: Any) -> Any:
                s, n = length(p), normal(p)
                return {"distance": s, "normal": n, "foot": p - s * n}

            return compile(distance, p=3)
        if self.implicit is None:
            return compile(self._by_parameters, p=3)
        F, slope, bend = self.level, self.level.gradient("p"), self.level.hessian("p")

        def by_newton(p: Any) -> Any:
            y, s = p, 0.0
            for k in range(NEWTON_STEPS):
                if k == NEWTON_STEPS - 2:
                    y, s = stop_gradient(y), stop_gradient(s)
                g, H = slope(y), bend(y)
                left = [[s * H[i, j] + (1.0 if i == j else 0.0) for j in range(3)] + [g[i]] for i in range(3)]
                off = [*(p - y - s * g), -F(y)]
                step = solve([*left, [*g, -SMALLEST_SQUARE]], off)  # (4); symmetric, the last pivot negative
                y, s = y + np.stack(step[:3]), s + step[3]
            g = slope(y)
            size = safe_sqrt(g @ g)
            return {"distance": s * size, "normal": g / size, "foot": y}

        return compile(by_newton, p=3)

    def _by_parameters(self, p: Any) -> Any:
        if not self.near:
            raise ModelError(
                f"surface {self.name!r} has no implicit(p): give Surface.of(..., near=[(u, v), ...]), parameters "
                "spread over the part that is touched, from which to look for points"
            )
        slope, bend = self.position.jacobian("alpha"), self.position.jacobian("alpha").jacobian("alpha")
        first, *others = np.array(self.near)
        alpha, least = first, np.sum((p - self.position(first)) ** 2)
        for start in others:
            square = np.sum((p - self.position(start)) ** 2)
            alpha = np.stack([where(square < least, x, y) for x, y in zip(start, alpha, strict=True)])
            least = np.minimum(square, least)
        for k in range(GAUSS_NEWTON_STEPS + NEWTON_STEPS):
            if k == GAUSS_NEWTON_STEPS + NEWTON_STEPS - 2:
                alpha = stop_gradient(alpha)
            d, J = self.position(alpha) - p, slope(alpha)
            H = J.T @ J
            if k >= GAUSS_NEWTON_STEPS:
                H = H + np.einsum("i,ijk->jk", d, bend(alpha))
            alpha = alpha - np.stack(solve([[*row] for row in H], [*(d @ J)]))  # (5)
        T = self.frame(alpha)
        return {"distance": (p - T[:3, 3]) @ T[:3, 2], "normal": T[:3, 2], "foot": T[:3, 3]}
