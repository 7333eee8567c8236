"""Conventions of Pinocchio, Drake and MuJoCo, to ours and back; the table of all of them is in docs/conventions.md.

Vectors and Jacobians are put in another order, quaternions too, by the small functions of the first half. The second
half does it for whole robots. Each library has its own coordinates and velocities for planar, spherical and free
joints, and with v ours and y theirs

    y = X(q) v,   dy/dt = X(q) dv/dt + x(q, v),   x = (dX/dt) v                            (1)
    tau = X^T tau_y,   J = J_y X,   M = X^T M_y X,   bias = X^T (bias_y + M_y x)           (2)

where X = `velocity_map` and x = `velocity_drift`. A joint of one degree of freedom is taken to be the same number in
both. That is not so of a joint that Pinocchio reads as continuous from a URDF file, which is (cos, sin) there: a robot
does not record that it was, so `Robot.pinocchio_twin(model)` is the way for models that have one, as it is for joints
with a gear.

`joint_names` are the library's joints in its order, for example `[model.joint(j).name for j in range(model.njnt)]` of
MuJoCo or `list(model.names)[1:]` of Pinocchio; without them the joints stand in the robot's order. Every joint of the
robot has to be among them. A joint that mimics another is named only where the library has a coordinate for it, as in
MuJoCo, in Drake, and in Pinocchio unless it was told mimic=True: X then has a row for it, with the factor by which it
follows, and (1) and (2) hold as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from chasles.arguments import is_whole, names, one_of, real, shown
from chasles.errors import ModelError, ShapeError
from chasles.model.joint import rotation
from chasles.model.mechanism import Mechanism
from chasles.robot_like import RobotLike

__all__ = [
    "from_coordinates",
    "from_mujoco_jacobian",
    "from_wxyz",
    "swap_halves",
    "swap_jacobian",
    "swap_matrix",
    "to_coordinates",
    "to_wxyz",
    "unit_quaternions",
    "velocity_drift",
    "velocity_map",
]

LIBRARIES = ("pinocchio", "drake", "mujoco")
_KINDS = ("screw", "planar", "spherical", "free")  # of joints whose coordinates there are written below
_WITHOUT = {
    ("drake", "spherical"): "Drake's ball joint has roll, pitch and yaw",
    ("mujoco", "planar"): "MuJoCo has two slides and a hinge instead",
}


def swap_halves(x: Any, axis: int = -1) -> np.ndarray:
    """A twist, wrench or momentum (..., 6) with its halves swapped: (angular, linear) <-> (linear, angular).

    axis: the one of length 6; for a Jacobian (..., 6, n) use `swap_jacobian`.
    """
    if not is_whole(axis) or not -32 <= axis < 32:
        raise ModelError(f"axis must be the number of an axis, got {shown(axis)}")
    return np.roll(_checked(x, "x", 6, axis), 3, axis)


def swap_jacobian(J: Any) -> np.ndarray:
    """A Jacobian (..., 6, n) with the halves of its rows swapped: angular rows first <-> linear rows first."""
    return np.roll(_checked(J, "J", 6, -2), 3, -2)


def swap_matrix(X: Any) -> np.ndarray:
    """A (..., 6, 6) matrix between twists or wrenches (an adjoint, a spatial inertia) with both orders swapped."""
    return np.roll(_checked(_checked(X, "X", 6), "X", 6, -2), (3, 3), (-2, -1))


def to_wxyz(quaternion: Any) -> np.ndarray:
    """(..., 4) of Drake and MuJoCo, (w, x, y, z), from ours and Pinocchio's, (x, y, z, w)."""
    return np.roll(_checked(quaternion, "quaternion", 4), 1, -1)


def from_wxyz(quaternion: Any) -> np.ndarray:
    """(..., 4) ours and Pinocchio's, (x, y, z, w), from (w, x, y, z) of Drake and MuJoCo."""
    return np.roll(_checked(quaternion, "quaternion", 4), -1, -1)


def unit_quaternions(quaternion: Any) -> np.ndarray:
    """(..., 4) of quaternions of any length but zero, in either order; nan of zero."""
    x = _checked(quaternion, "quaternion", 4)
    x = np.ldexp(x, -np.frexp(np.abs(x).max(axis=-1, keepdims=True))[1])  # its square neither overflows nor vanishes
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def from_mujoco_jacobian(jacp: Any, jacr: Any) -> np.ndarray:
    """(..., 6, n) "mixed" rows of the two halves (..., 3, n) that `mj_jac` and its like give; columns stay MuJoCo's."""
    linear, angular = _checked(jacp, "jacp", 3, -2), _checked(jacr, "jacr", 3, -2)
    if linear.shape != angular.shape:
        raise ShapeError(f"jacp and jacr must have one shape (..., 3, n), got {linear.shape} and {angular.shape}")
    return np.concatenate([angular, linear], axis=-2)


def to_coordinates(
    robot: RobotLike | Mechanism, q: Any, library: str, *, joint_names: Sequence[str] | None = None
) -> np.ndarray:
    """(..., the library's nq) the library's coordinates of ours, q (..., nq).

    library: "pinocchio", "drake" or "mujoco". joint_names: its joints in its order, those that mimic only where they
    have a coordinate there; None: the robot's, without them. A joint of one degree of freedom stays one number: for
    Pinocchio's (cos, sin) of continuous joints use `Robot.pinocchio_twin`.
    """
    parts, mechanism = [], _mechanism(robot)
    x = _checked(q, "q", mechanism.coupling.nq)
    for joint in _joints(mechanism, library, joint_names):
        own, kind = x[..., joint.q] * joint.factor + joint.offset, joint.kind
        if kind in ("free", "spherical"):  # others take their quaternions to be units
            own = np.concatenate([own[..., :-4], unit_quaternions(own[..., -4:])], -1)
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


def from_coordinates(
    robot: RobotLike | Mechanism, q: Any, library: str, *, joint_names: Sequence[str] | None = None
) -> np.ndarray:
    """(..., nq) our coordinates of the library's, q (..., its nq); the rest as of `to_coordinates`.

    Coordinates of joints that mimic are not looked at.
    """
    mechanism = _mechanism(robot)
    joints = _joints(mechanism, library, joint_names)
    sizes = [joint.nq + (joint.kind == "planar" and library == "pinocchio") for joint in joints]
    y = _checked(q, "q", sum(sizes))
    x = np.empty((*y.shape[:-1], mechanism.coupling.nq))
    start = 0
    for joint, size in zip(joints, sizes, strict=True):
        own, into = y[..., start : start + size], x[..., joint.q]
        start += size
        if joint.mimics:
            continue
        if joint.kind == "free" and library != "pinocchio":
            first = library == "drake"
            turn, place = (own[..., :4], own[..., 4:]) if first else (own[..., 3:], own[..., :3])
            into[..., :3], into[..., 3:] = place, from_wxyz(turn)
        elif joint.kind == "spherical" and library == "mujoco":
            into[...] = from_wxyz(own)
        elif joint.kind == "planar" and library == "pinocchio":
            into[..., :2], into[..., 2] = own[..., :2], np.arctan2(own[..., 3], own[..., 2])
        else:
            into[...] = own
    return x


def velocity_map(
    robot: RobotLike | Mechanism, q: Any, library: str, *, joint_names: Sequence[str] | None = None
) -> np.ndarray:
    """(..., the library's nv, n) X(q) of (1): the library's velocities of ours. q: (..., nq), ours.

    It is square and orthogonal, so that v = X^T y, unless `joint_names` has joints that mimic.
    """
    mechanism = _mechanism(robot)
    x = _checked(q, "q", mechanism.coupling.nq)
    joints = _joints(mechanism, library, joint_names)
    X = np.zeros((*x.shape[:-1], sum(joint.nv for joint in joints), mechanism.n))
    row = 0
    for joint in joints:
        block = X[..., row : row + joint.nv, joint.v]
        row += joint.nv
        if joint.kind == "free":
            R = _matrix(x[..., joint.q][..., 3:])
            if library == "drake":
                block[..., :3, :3] = block[..., 3:, 3:] = R
            else:
                block[..., :3, 3:] = R if library == "mujoco" else np.eye(3)
                block[..., 3:, :3] = np.eye(3)
        elif joint.kind == "planar" and library == "drake":
            angle = x[..., joint.q][..., 2]
            c, s = np.cos(angle), np.sin(angle)
            block[..., 0, 0], block[..., 0, 1], block[..., 1, 0], block[..., 1, 1] = c, -s, s, c
            block[..., 2, 2] = 1.0
        else:
            block[...] = np.eye(joint.nv) * joint.factor
    return X


def velocity_drift(
    robot: RobotLike | Mechanism, q: Any, v: Any, library: str, *, joint_names: Sequence[str] | None = None
) -> np.ndarray:
    """(..., the library's nv) x(q, v) of (1): its accelerations where ours are zero. q (..., nq), v (..., n): ours."""
    mechanism = _mechanism(robot)
    y = _checked(v, "v", mechanism.n)
    turning = np.zeros_like(y)  # w x v where the library keeps linear velocity in the parent's axes and we do not
    for joint in _joints(mechanism, library, joint_names):
        own, into = y[..., joint.v], turning[..., joint.v]
        if joint.kind == "free" and library != "pinocchio":
            into[..., 3:] = np.cross(own[..., :3], own[..., 3:])
        elif joint.kind == "planar" and library == "drake":
            into[..., 0], into[..., 1] = -own[..., 2] * own[..., 1], own[..., 2] * own[..., 0]
    return (velocity_map(mechanism, q, library, joint_names=joint_names) @ turning[..., None])[..., 0]


def _mechanism(robot: RobotLike | Mechanism) -> Mechanism:
    found = getattr(robot, "mechanism", robot)
    if not isinstance(found, Mechanism):
        raise ModelError(f"robot must be a chasles.Robot, got {type(robot).__name__}")
    if found.symbols:
        raise ModelError(f"robot {found.name!r} has symbols, and this needs numbers: use robot.with_values(...)")
    return found


@dataclass(frozen=True)
class _Joint:
    """A joint of the library's: its kind, and where its numbers are in our q and v, times a factor if it mimics."""

    kind: str
    q: slice
    v: slice
    factor: float = 1.0
    offset: float = 0.0
    mimics: bool = False

    @property
    def nq(self) -> int:
        return self.q.stop - self.q.start

    @property
    def nv(self) -> int:
        return self.v.stop - self.v.start


def _joints(mechanism: Mechanism, library: str, joint_names: Sequence[str] | None) -> list[_Joint]:
    """Those of the library, in its order."""
    one_of(library, "library", LIBRARIES)
    own: dict[str, _Joint] = {}
    for i, name, _, q, v in mechanism.own_joints:
        kind = mechanism.kinds[i]
        if (library, kind) in _WITHOUT:
            raise ModelError(f"joint {name!r} is {kind}: {_WITHOUT[library, kind]}")
        if kind not in _KINDS:
            raise ModelError(f"joint {name!r} is {kind}: its coordinates in {library} are not known")
        own[name] = _Joint(kind, q, v)
    if joint_names is None:
        return list(own.values())
    joint_names = names(joint_names, "joint_names")
    known = dict(own)
    for name, mimic in zip(mechanism.joint_names, mechanism.mimics, strict=True):
        if mimic is not None:
            followed, factor, offset = own[mechanism.joint_names[mimic[0]]], mimic[1], mimic[2]
            known[name] = _Joint(followed.kind, followed.q, followed.v, factor, offset, mimics=True)
    return _ordered(mechanism.name, own, known, joint_names)


def _ordered(robot: str, own: dict[str, _Joint], known: dict[str, _Joint], names: Sequence[str]) -> list[_Joint]:
    """The known joints of these names, each once, with all of the robot's own among them."""
    for k, name in enumerate(names):
        if name not in known:
            near = get_close_matches(str(name), known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"its moving joints are {', '.join(known)}"
            raise ModelError(f"joint_names: robot {robot!r} has no moving joint {name!r}; {hint}")
        if name in names[:k]:
            raise ModelError(f"joint_names: {name!r} is there twice")
    for name in own:
        if name not in names:
            raise ModelError(f"joint_names: joint {name!r} of robot {robot!r} is missing")
    return [known[name] for name in names]


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    """(..., 3, 3) of (..., 4), (x, y, z, w)."""
    rows = rotation(list(np.moveaxis(quaternion, -1, 0))).matrix
    return np.stack([np.stack([*row], axis=-1) for row in rows], axis=-2)


def _checked(x: Any, what: str, size: int, axis: int = -1) -> np.ndarray:
    """An array of that length along an axis."""
    out = np.array(real(x, what))
    if not -out.ndim <= axis < out.ndim or out.shape[axis] != size:
        raise ShapeError(f"{what} must have {size} entries along axis {axis}, got shape {out.shape}")
    return out
