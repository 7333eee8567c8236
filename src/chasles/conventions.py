"""Between our conventions and those of Pinocchio, Drake and MuJoCo; the table of all of them is in docs/conventions.md.

Vectors and Jacobians are put in another order, quaternions too, by the small functions of the first half. The second
half does it for whole robots. Each library has its own coordinates and velocities for planar, spherical and free
joints, and with v ours and y theirs

    y = X(q) v,   dy/dt = X(q) dv/dt + x(q, v),   x = (dX/dt) v                            (1)
    tau = X^T tau_y,   J = J_y X,   M = X^T M_y X,   bias = X^T (bias_y + M_y x)           (2)

where X = `velocity_map` and x = `velocity_drift`. All other joints are the same numbers everywhere, and joints stand in
the robot's order here; `io.pinocchio` brings models of Pinocchio's, with their order and their (cos, sin).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from chasles.errors import ModelError, ShapeError
from chasles.model.joint import rotation
from chasles.model.mechanism import Mechanism

LIBRARIES = ("pinocchio", "drake", "mujoco")
_WITHOUT = {
    ("drake", "spherical"): "Drake's ball joint has roll, pitch and yaw",
    ("mujoco", "planar"): "MuJoCo has two slides and a hinge instead",
}


def swap_halves(x: Any, axis: int = -1) -> np.ndarray:
    """A twist, wrench or momentum (..., 6) with its halves swapped: (angular, linear) <-> (linear, angular).

    axis: the one of length 6; for a Jacobian (..., 6, n) use `swap_jacobian`.
    """
    x = _checked(x, "x", 6, axis)
    return np.roll(x, 3, axis)


def swap_jacobian(J: Any) -> np.ndarray:
    """A Jacobian (..., 6, n) with the halves of its rows swapped: angular rows first <-> linear rows first."""
    return swap_halves(J, -2)


def swap_matrix(X: Any) -> np.ndarray:
    """A (..., 6, 6) matrix between twists or wrenches (an adjoint, a spatial inertia) with both orders swapped."""
    return swap_halves(swap_halves(X, -1), -2)


def to_wxyz(quaternion: Any) -> np.ndarray:
    """(..., 4) of Drake and MuJoCo, (w, x, y, z), from ours and Pinocchio's, (x, y, z, w)."""
    return np.roll(_checked(quaternion, "quaternion", 4), 1, -1)


def from_wxyz(quaternion: Any) -> np.ndarray:
    """(..., 4) ours and Pinocchio's, (x, y, z, w), from (w, x, y, z) of Drake and MuJoCo."""
    return np.roll(_checked(quaternion, "quaternion", 4), -1, -1)


def from_mujoco_jacobian(jacp: Any, jacr: Any) -> np.ndarray:
    """(..., 6, n) "mixed" rows of the two halves (..., 3, n) that `mj_jac` and its like give; columns stay MuJoCo's."""
    return np.concatenate([np.asarray(jacr, dtype=float), np.asarray(jacp, dtype=float)], axis=-2)


def to_coordinates(robot: Any, q: Any, library: str) -> np.ndarray:
    """(..., nq or more) the library's coordinates of ours, q (..., nq)."""
    parts, mechanism = [], _mechanism(robot)
    x = _checked(q, "q", mechanism.coupling.nq)
    for kind, at, _ in _joints(mechanism, library):
        own = x[..., at]
        if kind in ("free", "spherical"):  # others take their quaternions to be units
            own = np.concatenate(
                [own[..., :-4], own[..., -4:] / np.linalg.norm(own[..., -4:], axis=-1, keepdims=True)], -1
            )
        if kind == "free":
            place, turn = own[..., :3], own[..., 3:]
            parts += {"pinocchio": [own], "drake": [to_wxyz(turn), place], "mujoco": [place, to_wxyz(turn)]}[library]
        elif kind == "spherical":
            parts.append(to_wxyz(own) if library == "mujoco" else own)
        elif kind == "planar" and library == "pinocchio":
            angle = own[..., 2:]
            parts += [own[..., :2], np.cos(angle), np.sin(angle)]
        else:
            parts.append(own)
    return np.concatenate([x[..., :0], *parts], axis=-1)


def from_coordinates(robot: Any, q: Any, library: str) -> np.ndarray:
    """(..., nq) our coordinates of the library's."""
    mechanism = _mechanism(robot)
    joints = list(_joints(mechanism, library))
    circles = sum(kind == "planar" for kind, _, _ in joints) if library == "pinocchio" else 0
    y = _checked(q, "q", mechanism.coupling.nq + circles)
    parts, start = [], 0
    for kind, at, _ in joints:
        size = at.stop - at.start + (kind == "planar" and library == "pinocchio")
        own = y[..., start : start + size]
        start += size
        if kind == "free" and library != "pinocchio":
            first = library == "drake"
            turn, place = (own[..., :4], own[..., 4:]) if first else (own[..., 3:], own[..., :3])
            parts += [place, from_wxyz(turn)]
        elif kind == "spherical" and library == "mujoco":
            parts.append(from_wxyz(own))
        elif kind == "planar" and library == "pinocchio":
            parts += [own[..., :2], np.arctan2(own[..., 3:], own[..., 2:3])]
        else:
            parts.append(own)
    return np.concatenate([y[..., :0], *parts], axis=-1)


def velocity_map(robot: Any, q: Any, library: str) -> np.ndarray:
    """(..., n, n) X(q) of (1), orthogonal: the library's velocities of ours. q: (..., nq), ours."""
    mechanism = _mechanism(robot)
    x = _checked(q, "q", mechanism.coupling.nq)
    X = np.zeros((*x.shape[:-1], mechanism.n, mechanism.n))
    for kind, at, v in _joints(mechanism, library):
        block = X[..., v, v]
        if kind == "free":
            R = _matrix(x[..., at][..., 3:])
            if library == "drake":
                block[..., :3, :3] = block[..., 3:, 3:] = R
            else:
                block[..., :3, 3:] = R if library == "mujoco" else np.eye(3)
                block[..., 3:, :3] = np.eye(3)
        elif kind == "planar" and library == "drake":
            c, s = np.cos(x[..., at.start + 2]), np.sin(x[..., at.start + 2])
            block[..., 0, 0], block[..., 0, 1], block[..., 1, 0], block[..., 1, 1] = c, -s, s, c
            block[..., 2, 2] = 1.0
        else:
            block[...] = np.eye(v.stop - v.start)
    return X


def velocity_drift(robot: Any, q: Any, v: Any, library: str) -> np.ndarray:
    """(..., n) x(q, v) of (1): the library's accelerations where ours are zero. q: (..., nq), v: (..., n), ours."""
    mechanism = _mechanism(robot)
    y = _checked(v, "v", mechanism.n)
    turning = np.zeros_like(y)  # w x v where the library keeps linear velocity in the parent's axes and we do not
    for kind, _, at in _joints(mechanism, library):
        own, into = y[..., at], turning[..., at]
        if kind == "free" and library != "pinocchio":
            into[..., 3:] = np.cross(own[..., :3], own[..., 3:])
        elif kind == "planar" and library == "drake":
            into[..., 0], into[..., 1] = -own[..., 2] * own[..., 1], own[..., 2] * own[..., 0]
    return (velocity_map(mechanism, q, library) @ turning[..., None])[..., 0]


def _mechanism(robot: Any) -> Mechanism:
    return getattr(robot, "mechanism", robot)


def _joints(mechanism: Mechanism, library: str) -> Iterator[tuple[str, slice, slice]]:
    """Kind, place in q and place in v of each joint that follows no other."""
    if library not in LIBRARIES:
        raise ModelError(f"library must be one of {', '.join(LIBRARIES)}, got {library!r}")
    q = v = 0
    for i, body in enumerate(mechanism.tree.bodies):
        if mechanism.mimics[i] is None:
            kind = mechanism.kinds[i]
            if (library, kind) in _WITHOUT:
                raise ModelError(f"joint {mechanism.joint_names[i]!r} is {kind}: {_WITHOUT[library, kind]}")
            yield kind, slice(q, q + body.joint.nq), slice(v, v + body.joint.nv)
            q, v = q + body.joint.nq, v + body.joint.nv


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    """(..., 3, 3) of (..., 4), (x, y, z, w)."""
    rows = rotation(list(np.moveaxis(quaternion, -1, 0))).matrix
    return np.stack([np.stack([*row], axis=-1) for row in rows], axis=-2)


def _checked(x: Any, what: str, size: int, axis: int = -1) -> np.ndarray:
    """An array of that length along an axis."""
    try:
        out = np.asarray(x, dtype=float)
    except (TypeError, ValueError) as error:
        raise ShapeError(f"{what} must be numbers ({error})") from None
    if not -out.ndim <= axis < out.ndim or out.shape[axis] != size:
        raise ShapeError(f"{what} must have {size} entries along axis {axis}, got shape {out.shape}")
    return out
