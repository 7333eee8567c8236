"""Ready-made constraints between frames, points and coordinates: loop closure, distance, fixed and mimic joints.

Those of contact and rolling are in contact_constraints.py.

Loop closure. Frame b is at T_ab = (R, p) in frame a, and belongs at T_0 = (R_0, p_0). In the axes of a

    h = (log(R R_0^T), p - p_0)                                                   (1)
    dh/dt = (dexp^-1(w_ab), dp/dt),   w_ab, dp/dt the motion of b relative to a   (2)

Where all three rotations are closed dexp^-1 is left out: it is 1 where the constraint holds. The multipliers are then
the wrench that a exerts on b, at b's origin in the axes of a.

Distance of points x_a, x_b, smooth where they meet, its multiplier the force along the line that keeps them apart:

    h = (|x_b - x_a|^2 - l^2) / (2 l),   dh/dt = (x_b - x_a) . d(x_b - x_a)/dt / l        (3)

Fixed coordinates are q_i = c; of a joint of several degrees, difference(c, q_i) = 0 with the rows of its velocities.
A coordinate that follows another: q_i = k q_j + c. The signatures and what the arguments mean are those of
`Constraint`'s methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from chasles.arguments import array, chosen, is_whole, number, positive, shown
from chasles.arguments import name as named
from chasles.arguments import values as finite
from chasles.constraint.coordinates import Place, coordinate, one_coordinate
from chasles.constraint.frames import MovingFrame
from chasles.constraint.part import Part, WhereItActs, holonomic_part
from chasles.errors import ModelError
from chasles.function.symbolic_kernel import symbol_or
from chasles.lie import SO3, Mat3, Twist, Vec3
from chasles.model.checks import placement
from chasles.system import System

DIRECTIONS = ("rx", "ry", "rz", "tx", "ty", "tz")
Parts = tuple[Part, ...]


def loop_closure(frame_a: Any, frame_b: Any, rows: Any, pose: Any, name: str) -> Parts:
    what = f"constraint {named(name, 'the name of a constraint')!r}:"
    a, b = named(frame_a, f"{what} frame_a", "a frame"), named(frame_b, f"{what} frame_b", "a frame")
    kept = tuple(range(6)) if rows is None else tuple(sorted(chosen(rows, DIRECTIONS, f"constraint {name!r}")))
    T_0 = np.eye(4) if pose is None else placement(pose, f"{what} pose")
    turns, closed = any(k < 3 for k in kept), all(k in kept for k in range(3))

    def relative(A: MovingFrame, B: MovingFrame) -> tuple[Any, Any]:
        """log(R R_0^T) and p."""
        w = _log(A.R.T @ B.R @ T_0[:3, :3].T) if turns else np.zeros(3)
        return w, A.inside(B.p)

    def values(system: System, q: Any) -> Any:
        w, p = relative(MovingFrame(system, q, a, name), MovingFrame(system, q, b, name))
        return np.concatenate([w, p - T_0[:3, 3]])[list(kept)]  # (1)

    def slopes(system: System, q: Any) -> Any:
        A, B = MovingFrame(system, q, a, name), MovingFrame(system, q, b, name)
        turn, move = A.R.T @ (B.J_w - A.J_w), A.R.T @ (B.J_v - A.velocity(B.p))
        if turns and not closed:
            W = Twist(Vec3(*relative(A, B)[0]), Vec3.zero())
            columns = [W.dexp_inv(Twist(Vec3(*c), Vec3.zero())).w for c in turn.T]
            turn = np.stack([np.stack([*c]) for c in columns]).T
        return np.concatenate([turn, move])[list(kept)]  # (2)

    def points(system: System, q: Any) -> Any:
        return MovingFrame(system, q, b, name).p[None]

    labels, units = tuple(DIRECTIONS[k] for k in kept), tuple("N m" if k < 3 else "N" for k in kept)
    place = WhereItActs("closure", points)
    return (holonomic_part(values, name, slopes, labels=labels, place=place, units=units),)


def distance(frame_a: Any, frame_b: Any, length: Any, point_a: Any, point_b: Any, name: str) -> Parts:
    what = f"constraint {named(name, 'the name of a constraint')!r}:"
    a, b = named(frame_a, f"{what} frame_a", "a frame"), named(frame_b, f"{what} frame_b", "a frame")
    l = symbol_or(positive, length, f"{what} length")
    x_a, x_b = _point(point_a, f"{what} point_a"), _point(point_b, f"{what} point_b")

    def values(system: System, q: Any) -> Any:
        d = MovingFrame(system, q, b, name).at(x_b) - MovingFrame(system, q, a, name).at(x_a)
        return (d @ d - l * l) / (2.0 * l)  # (3)

    def rows(system: System, q: Any) -> Any:
        A, B = MovingFrame(system, q, a, name), MovingFrame(system, q, b, name)
        start, end = A.at(x_a), B.at(x_b)
        return ((end - start) / l @ (B.velocity(end) - A.velocity(start)))[None]  # (3)

    def points(system: System, q: Any) -> Any:
        return np.stack([MovingFrame(system, q, a, name).at(x_a), MovingFrame(system, q, b, name).at(x_b)])

    return (holonomic_part(values, name, rows, place=WhereItActs("rod", points), units=("N",)),)


def fixed(values: Any, name: str) -> Parts:
    named(name, "the name of a constraint")
    if not isinstance(values, Mapping) or not values:
        raise ModelError(
            f"constraint {name!r}: name the coordinates and their values, {{'elbow': 0.5}}, got {shown(values)}"
        )
    given = {key: finite(x, f"constraint {name!r}: the value of {key!r}") for key, x in values.items()}

    def found(system: System) -> list[tuple[Place, np.ndarray]]:
        places = [(coordinate(system, key, name), value) for key, value in given.items()]
        for place, value in places:
            if value.size != place.nq or value.ndim > 1:
                raise ModelError(
                    f"constraint {name!r}: {place.name!r} has {place.nq} coordinate"
                    f"{'s' if place.nq > 1 else ''}, got a value of shape {value.shape}"
                )
        return places

    def h(system: System, q: Any) -> Any:
        return np.concatenate([place.off(q, np.reshape(value, -1)) for place, value in found(system)])

    def rows(system: System, q: Any) -> Any:
        return np.concatenate([place.rows(system, q) for place, _ in found(system)])

    def labels(system: System) -> tuple[str, ...]:
        """The joint, and which of its velocities if it has several."""
        return tuple(
            f"{place.name}[{k}]" if place.nv > 1 else place.name for place, _ in found(system) for k in range(place.nv)
        )

    return (holonomic_part(h, name, rows, labels=labels),)


def mimic(joint: Any, master: Any, factor: Any, offset: Any, name: str) -> Parts:
    named(name, "the name of a constraint")
    for key, what in ((joint, "joint"), (master, "master")):
        if not isinstance(key, str) and not is_whole(key):
            raise ModelError(f"constraint {name!r}: {what} must be a name or an index in q, got {shown(key)}")
    k = symbol_or(number, factor, f"constraint {name!r}: factor")
    c = symbol_or(number, offset, f"constraint {name!r}: offset")

    def pair(system: System) -> tuple[Place, Place]:
        i, j = one_coordinate(system, joint, name), one_coordinate(system, master, name)
        if i.q == j.q:
            raise ModelError(f"constraint {name!r}: {i.name!r} cannot follow itself")
        return i, j

    def h(system: System, q: Any) -> Any:
        i, j = pair(system)
        return q[i.q] - k * q[j.q] - c

    def rows(system: System, q: Any) -> Any:
        i, j = pair(system)
        return i.rows(system, q) - k * j.rows(system, q)

    return (holonomic_part(h, name, rows),)


def _point(x: Any, what: str) -> Any:
    """(3,) numbers, or expressions of symbols."""
    return array(x, what, (3,), finite=True, symbols=True, error=ModelError)


def _log(R: Any) -> Any:
    """(3,) the rotation vector of a matrix."""
    return np.stack([*SO3(Mat3(*(Vec3(*row) for row in R))).log()])
