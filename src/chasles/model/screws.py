"""Screws, and the forms in which a chain of them is written.

A joint is a screw: direction s (|s| = 1), a point c of the axis and a pitch h in metres per radian,

    S = (s, -s x c + h s),   prismatic: S = (0, s)                                        (1)  [SE3-5]

`mechanism` takes *space* screws A and the absolute home poses H of the links, all in the space frame at q = 0. The
other forms, with M_i the home pose of link i in its parent p (H_i = H_p M_i):

    local left   T_pi = exp([P_i] q_i) M_i        A_i = Ad(H_p) P_i                       (2)  [POE-1]
    body         T = M exp([B_1] q_1) ... exp([B_n] q_n)      A_i = Ad(M) B_i             (3)  [POE-2]
    local right  T_pi = M_i exp([S_i] q_i)        A_i = Ad(H_i) S_i                       (4)  [POE-3]

M in (3) is the home pose of the tool, and the body form says nothing about the links: give their home poses beside it.
`parents` lists the parent of each link, -1 for the base; None is a serial chain. Arrays are (n, 6) and (n, 4, 4).
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.lie import SE3
from chasles.model.checks import is_unit
from chasles.model.checks import pitch as pitch_of
from chasles.model.leaves import finite, is_number, is_symbolic, is_zero, leaf, numbers
from chasles.model.poses import matrix, pose, twist
from chasles.model.rounding import SNAP_DISTANCE
from chasles.scalar.ops import cos, sin, sqrt

_PARALLEL = 1e-9  # sine of the angle between the axes of a universal joint, below which they are one


def screw(axis: Any, point: Any = (0.0, 0.0, 0.0), pitch: Any = 0.0) -> np.ndarray:
    """The (6,) screw of a revolute joint about the line through `point` along `axis`, or of a helical one.

    axis: (3,) of any length but zero, only its direction counts. point: (3,), m. pitch: m/rad, 0 for revolute.
    """
    s, c = direction(axis), _vectors(point, (3,), "point")
    pitch = leaf(numbers(pitch, "pitch", ())[()])
    if is_number(pitch) and not math.isfinite(pitch):
        raise ModelError(f"the pitch of a screw must be finite, got {pitch}; a prismatic joint is prismatic(axis)")
    return np.concatenate([s, np.cross(c, s) + pitch * s]) + 0.0  # (1)


def prismatic(axis: Any) -> np.ndarray:
    """The (6,) screw of a prismatic joint along `axis`, (3,) of any length but zero."""
    return np.concatenate([np.zeros(3), direction(axis)])  # (1)


def universal(axis: Any, axis2: Any, point: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """The (2, 6) screws of a universal joint: about `axis`, then about `axis2`, both (3,), through `point`, (3,) m.

    For `Robot.from_screws`, which makes of it two revolute joints and a massless link between them.
    """
    across = np.cross(direction(axis), direction(axis2, "axis2"))
    if not is_symbolic(across) and np.linalg.norm(across) < _PARALLEL:
        raise ModelError("its two axes are parallel; those of a universal joint cross")
    return np.array([screw(axis, point), screw(axis2, point)])


def cylindrical(axis: Any, point: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """The (2, 6) screws of a cylindrical joint: about `axis`, (3,), through `point`, (3,) m, then along it.

    For `Robot.from_screws`, which makes of it a revolute and a prismatic joint and a massless link between them.
    """
    return np.array([screw(axis, point), prismatic(axis)])


def direction(axis: Any, what: str = "axis") -> np.ndarray:
    """The (3,) unit vector along `axis`, itself where its length is 1 already."""
    s = _vectors(axis, (3,), what)
    if is_symbolic(s):
        return s / sqrt(s @ s)
    length = math.hypot(*s)
    if not (length > 0.0 and math.isfinite(length)):
        raise ModelError(f"{what} needs a direction, got {s.tolist()}")
    return s + 0.0 if is_unit(s) else s / length + 0.0


def turn(axis: int, angle: Any) -> np.ndarray:
    """The (3, 3) rotation about coordinate axis 0, 1 or 2; quarter turns are exact."""
    if not is_number(angle):
        R = np.eye(3).astype(object)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        R[i, i], R[i, j], R[j, i], R[j, j] = cos(angle), -sin(angle), sin(angle), cos(angle)
        return R
    c, s = math.cos(angle), math.sin(angle)
    if min(abs(c), abs(s)) <= min(4.0 * np.finfo(float).eps * max(1.0, abs(angle)), SNAP_DISTANCE):
        c, s = float(round(c)), float(round(s))
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R + 0.0


def space_from_body(body_screws: Any, home: Any, what: str = "home") -> np.ndarray:
    """Space screws (n, 6) of body screws (n, 6) in the tool frame, whose home pose is `home` (4, 4).

    what: the argument that the home pose is, for a message.
    """
    return _carried(_pose(home, what), body_screws, "body_screws")  # (3)


def body_from_space(screws: Any, home: Any) -> np.ndarray:
    """Body screws (n, 6) in the tool frame, whose home pose is `home` (4, 4), of space screws (n, 6)."""
    return _carried(_pose(home, "home").inv(), screws)  # (3)


def space_from_local_left(
    local: Any, relative_homes: Any, parents: Sequence[int] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Space screws and absolute homes of screws each in its *parent's* frame and homes relative to the parent."""
    H = _absolute(relative_homes, parents)
    return _carried(_above(H, parents), local), _stacked(H)  # (2)


def local_left_from_space(
    screws: Any, homes: Any, parents: Sequence[int] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Screws each in its *parent's* frame and homes relative to the parent, of space screws and absolute homes."""
    H = _poses(homes)
    return _carried([T.inv() for T in _above(H, parents)], screws), _relative(H, parents)  # (2)


def space_from_local_right(
    local: Any, relative_homes: Any, parents: Sequence[int] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Space screws and absolute homes of screws each in its *own* link's frame and homes relative to the parent."""
    H = _absolute(relative_homes, parents)
    return _carried(H, local), _stacked(H)  # (4)


def local_right_from_space(
    screws: Any, homes: Any, parents: Sequence[int] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Screws each in its *own* link's frame and homes relative to the parent, of space screws and absolute homes."""
    H = _poses(homes)
    return _carried([T.inv() for T in H], screws), _relative(H, parents)  # (4)


def _vectors(x: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """A finite array of that shape; -1 in `shape` is any number of rows."""
    if shape[0] == -1 and isinstance(x, (list, tuple, np.ndarray)) and len(x) == 0:
        return np.zeros((0, *shape[1:]))
    out = numbers(x, what, shape)
    if not finite(out):
        raise ModelError(f"{what} has a nan or an infinity")
    return out


def _pose(T: Any, what: str) -> SE3:
    return pose(_vectors(T, (4, 4), what))


def _poses(homes: Any) -> list[SE3]:
    return [pose(T) for T in _vectors(homes, (-1, 4, 4), "homes")]


def _stacked(H: list[SE3]) -> np.ndarray:
    return np.array([matrix(T) for T in H]).reshape(-1, 4, 4) + 0.0


def _up(n: int, parents: Sequence[int] | None) -> Sequence[int]:
    up = range(-1, n - 1) if parents is None else parents
    if len(up) != n:
        raise ModelError(f"parents has {len(up)} entries for {n} links")
    for i, p in enumerate(up):
        if not -1 <= p < i:
            raise ModelError(f"link {i}: parent {p} must be -1 (the base) or an earlier link: list parents first")
    return up


def _absolute(relative_homes: Any, parents: Sequence[int] | None) -> list[SE3]:
    M = _poses(relative_homes)
    H: list[SE3] = []
    for i, p in enumerate(_up(len(M), parents)):
        H.append(H[p] @ M[i] if p >= 0 else M[i])
    return H


def _relative(H: list[SE3], parents: Sequence[int] | None) -> np.ndarray:
    return _stacked([T.inv() @ H[i] for i, T in enumerate(_above(H, parents))])


def _above(H: list[SE3], parents: Sequence[int] | None) -> list[SE3]:
    """The home pose of each link's parent."""
    return [H[p] if p >= 0 else SE3.identity() for p in _up(len(H), parents)]


def _carried(T: SE3 | list[SE3], screws: Any, what: str = "screws") -> np.ndarray:
    """Ad(T_i) V_i for each row, or Ad(T) V_i with one T for all."""
    V = _vectors(screws, (-1, 6), what)
    each = [T] * len(V) if isinstance(T, SE3) else T
    if len(V) != len(each):
        raise ModelError(f"{len(V)} screws for {len(each)} homes")
    moved = [t.Ad(twist(v)) for t, v in zip(each, V, strict=True)]
    return np.array([[*W.w, *W.v] for W in moved]).reshape(-1, 6) + 0.0


def joint_kind(S: Any) -> str:
    """R, P or H: what kind of motion a screw is."""
    if is_zero(*S[:3]):
        return "P"
    if not is_number(*S):
        return "R"
    return "H" if pitch_of(np.asarray(S[:3]), np.asarray(S[3:])) else "R"
