"""Poses and twists of numbers or symbols, as arrays and as motions of `lie`."""

from typing import Any

import numpy as np

from chasles.lie import SE3, SO3, Mat3, Twist, Vec3
from chasles.model.checks import rigid
from chasles.model.leaves import is_number, is_symbolic, leaf, numbers
from chasles.model.link import same
from chasles.model.rounding import composed, precise, rounded


def pose(T: Any) -> SE3:
    """The motion of a (4, 4) array of numbers or symbols."""
    rows = [[leaf(x) for x in row] for row in T]
    return SE3(SO3(Mat3(*(Vec3(*row[:3]) for row in rows[:3]))), Vec3(*(row[3] for row in rows[:3])))


def matrix(T: SE3) -> np.ndarray:
    """The (4, 4) array of a motion of numbers or symbols."""
    if not is_number(*T.p, *(x for row in T.R.matrix for x in row)):
        return numbers([*([*row, x] for row, x in zip(T.R.matrix, T.p, strict=True)), [0.0, 0.0, 0.0, 1.0]])
    out = np.eye(4)
    out[:3, :3] = [[*row] for row in T.R.matrix]
    out[:3, 3] = [*T.p]
    return out


def twist(V: Any) -> Twist:
    """The twist of six numbers or symbols (angular, linear)."""
    x = [leaf(c) for c in V]
    return Twist(Vec3(*x[:3]), Vec3(*x[3:]))


def inverse(T: np.ndarray) -> np.ndarray:
    """The inverse of a (4, 4) pose."""
    return matrix(pose(T).inv()) if is_symbolic(T) else np.linalg.inv(T)


def relative(home: np.ndarray, absolute: np.ndarray) -> np.ndarray:
    """The (4, 4) pose `absolute` seen from the frame at `home`, rounded once."""
    if is_symbolic(home) and same(home, absolute):
        return np.eye(4)
    H = pose(home)
    back = H.inv() if is_symbolic(home) else precise(H).inv()
    return rigid(matrix(rounded(composed(back, pose(absolute)))), "frame", [])
