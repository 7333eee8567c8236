"""Ready-made constraints between frames, points and coordinates. Rolling and contact are in constrained/touching.py.

Loop closure. Frame b is at T_ab = (R, p) in frame a, and belongs at T_0 = (R_0, p_0). In the axes of a

    h = (log(R R_0^T), p - p_0)                                                   (1)
    dh/dt = (dexp^-1(w_ab), dp/dt),   w_ab, dp/dt the motion of b relative to a   (2)

Where all three rotations are closed dexp^-1 is left out: it is 1 where the constraint holds. The multipliers are then
the wrench that a exerts on b, at b's origin in the axes of a.

Distance of points x_a, x_b, smooth where they meet, its multiplier the force along the line that keeps them apart:

    h = (|x_b - x_a|^2 - l^2) / (2 l),   dh/dt = (x_b - x_a) . d(x_b - x_a)/dt / l        (3)

Fixed coordinates are q_i = c; of a joint of several degrees, difference(c, q_i) = 0 with the rows of its velocities.
A coordinate that follows another: q_i = k q_j + c.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.constrained.constraint import Constraint
from chasles.constrained.coordinates import coordinate, one_coordinate
from chasles.constrained.frames import Moving, chosen, frame_name, placement, positive, vector
from chasles.errors import ModelError
from chasles.lie import SO3, Mat3, Twist, Vec3
from chasles.system import System

DIRECTIONS = ("rx", "ry", "rz", "tx", "ty", "tz")


def loop_closure(
    frame_a: str, frame_b: str, rows: Any = None, pose: ArrayLike | None = None, name: str = "closure"
) -> Constraint:
    """Frame b of a robot stays where it is in frame a: at `pose` (4, 4), by default where the two coincide.

    rows: some of "rx ry rz tx ty tz" (or indices), rotations and translations of b in the axes of a; default: all six,
    of which those that say the same are dropped when a system is made. The multipliers of all six are the wrench
    (moment, force) of a on b, at b's origin in the axes of a.
    """
    a, b = frame_name(frame_a, "loop_closure: frame_a"), frame_name(frame_b, "loop_closure: frame_b")
    kept = tuple(range(6)) if rows is None else chosen(rows, DIRECTIONS, "loop_closure")
    T_0 = np.eye(4) if pose is None else placement(pose, "loop_closure: pose")
    turns, closed = any(k < 3 for k in kept), all(k in kept for k in range(3))

    def relative(A: Moving, B: Moving) -> tuple[Any, Any]:
        """log(R R_0^T) and p."""
        w = _log(A.R.T @ B.R @ T_0[:3, :3].T) if turns else np.zeros(3)
        return w, A.inside(B.p)

    def values(system: System, q: Any) -> Any:
        w, p = relative(Moving(system, q, a, name), Moving(system, q, b, name))
        return np.concatenate([w, p - T_0[:3, 3]])[list(kept)]  # (1)

    def slopes(system: System, q: Any) -> Any:
        A, B = Moving(system, q, a, name), Moving(system, q, b, name)
        turn, move = A.R.T @ (B.J_w - A.J_w), A.R.T @ (B.J_v - A.velocity(B.p))
        if turns and not closed:
            W = Twist(Vec3(*relative(A, B)[0]), Vec3.zero())
            columns = [W.dexp_inv(Twist(Vec3(*c), Vec3.zero())).w for c in turn.T]
            turn = np.stack([np.stack([*c]) for c in columns]).T
        return np.concatenate([turn, move])[list(kept)]  # (2)

    return Constraint.of(values, name, slopes)


def distance(
    frame_a: str,
    frame_b: str,
    length: float,
    point_a: ArrayLike = (0.0, 0.0, 0.0),
    point_b: ArrayLike = (0.0, 0.0, 0.0),
    name: str = "distance",
) -> Constraint:
    """A point of frame a and one of frame b stay `length` metres apart: a rod with a ball at each end.

    point_a, point_b: (3,) in their frames. The multiplier is the rod's force, pressing positive.
    """
    a, b = frame_name(frame_a, "distance: frame_a"), frame_name(frame_b, "distance: frame_b")
    l = positive(length, "distance: length")
    x_a, x_b = vector(point_a, "distance: point_a"), vector(point_b, "distance: point_b")

    def values(system: System, q: Any) -> Any:
        d = Moving(system, q, b, name).at(x_b) - Moving(system, q, a, name).at(x_a)
        return (d @ d - l * l) / (2.0 * l)  # (3)

    def rows(system: System, q: Any) -> Any:
        A, B = Moving(system, q, a, name), Moving(system, q, b, name)
        start, end = A.at(x_a), B.at(x_b)
        return ((end - start) / l @ (B.velocity(end) - A.velocity(start)))[None]  # (3)

    return Constraint.of(values, name, rows)


def fixed(values: Mapping[str | int, Any], name: str = "fixed") -> Constraint:
    """Coordinates that stay: {joint or coordinate name, or index in q: value}.

    A joint of several degrees is fixed by its name, at all its coordinates: {"base": (x, y, theta)}.
    """
    if not isinstance(values, Mapping) or not values:
        raise ModelError("fixed: name the coordinates and their values, {'elbow': 0.5}")
    given = {key: np.array(value, dtype=float) for key, value in values.items()}

    def found(system: System) -> list[tuple[Any, np.ndarray]]:
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

    return Constraint.of(h, name, rows)


def mimic(
    joint: str | int, master: str | int, factor: float = 1.0, offset: float = 0.0, name: str = "mimic"
) -> Constraint:
    """A coordinate follows another: q_joint = factor q_master + offset. By name, or by index in q."""
    k, c = float(factor), float(offset)
    if not np.isfinite([k, c]).all():
        raise ModelError(f"mimic: factor and offset must be finite, got {factor!r} and {offset!r}")

    def pair(system: System) -> tuple[Any, Any]:
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

    return Constraint.of(h, name, rows)


def _log(R: Any) -> Any:
    """(3,) the rotation vector of a matrix."""
    return np.stack([*SO3(Mat3(*(Vec3(*row) for row in R))).log()])
