"""Random motions for Hypothesis, on purpose near and at 0 and pi, and the matrix formulas to judge them by."""

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from chasles.lie import SE3, SO3, Mat3, SpatialInertia, Sym3, Twist, Vec3, Wrench

_numbers = st.floats(-3.0, 3.0, allow_nan=False, allow_subnormal=False).map(lambda x: x if abs(x) > 1e-150 else 0.0)
_powers = st.integers(1, 16).map(lambda k: 10.0**-k)


def numbers(n: int) -> st.SearchStrategy[list[float]]:
    return st.lists(_numbers, min_size=n, max_size=n)


def directions() -> st.SearchStrategy[np.ndarray]:
    """Unit vectors, coordinate axes among them."""
    free = numbers(3).filter(lambda x: math.hypot(*x) > 1e-3).map(lambda x: np.array(x) / math.hypot(*x))
    return st.one_of(free, st.sampled_from([s * e for e in np.eye(3) for s in (1.0, -1.0)]))


def angles(most: float = math.pi) -> st.SearchStrategy[float]:
    """Uniform, near 0, near `most`, and exactly both."""
    near_most = _powers.map(lambda d: most - d)
    return st.one_of(st.floats(0.0, most), _powers, near_most, st.sampled_from([0.0, most]))


def rotation_vectors(most: float = math.pi) -> st.SearchStrategy[Vec3]:
    return st.builds(lambda s, t: vec(s * t), directions(), angles(most))


def vectors() -> st.SearchStrategy[Vec3]:
    return numbers(3).map(vec)


def rotations() -> st.SearchStrategy[SO3]:
    return rotation_vectors().map(SO3.exp)


def motions() -> st.SearchStrategy[SE3]:
    return st.builds(SE3, rotations(), vectors())


def twists(most: float | None = None) -> st.SearchStrategy[Twist]:
    return st.builds(Twist, vectors() if most is None else rotation_vectors(most), vectors())


def wrenches() -> st.SearchStrategy[Wrench]:
    return st.builds(Wrench, vectors(), vectors())


def inertias() -> st.SearchStrategy[SpatialInertia]:
    """Of real bodies: the second moments about the centre of mass are a square."""

    def build(mass: float, com: Vec3, A: list[float]) -> SpatialInertia:
        B = np.array(A).reshape(3, 3)
        S = B @ B.T
        return SpatialInertia.at(mass, com, sym(np.trace(S) * np.eye(3) - S))

    return st.builds(build, st.floats(0.01, 10.0), vectors(), numbers(9))


def vec(x: Any) -> Vec3:
    return Vec3(*(float(c) for c in x))


def twist(x: Any) -> Twist:
    return Twist(vec(x[:3]), vec(x[3:]))


def sym(J: np.ndarray) -> Sym3:
    return Sym3(*(float(J[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))


def mat(A: np.ndarray) -> Mat3:
    return Mat3(*(vec(row) for row in A))


def array(x: Any) -> np.ndarray:
    """Any of the objects of floats as NumPy: (3,), (3, 3), (4, 4), (6,) or (6, 6)."""
    match x:
        case Vec3():
            return np.array([*x], dtype=float)
        case Mat3():
            return np.array([[*row] for row in x], dtype=float)
        case Sym3():
            return array(x.matrix)
        case SO3():
            return array(x.matrix)
        case SE3():
            return np.block([[array(x.R), array(x.p)[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
        case Twist():
            return np.array([*x.w, *x.v], dtype=float)
        case Wrench():
            return np.array([*x.m, *x.f], dtype=float)
        case SpatialInertia():
            h = skew(array(x.h))
            return np.block([[array(x.I), h], [-h, float(x.mass) * np.eye(3)]])
        case _:
            return np.block([[array(x.A), array(x.H)], [array(x.H).T, array(x.M)]])


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def hat(V: np.ndarray) -> np.ndarray:
    """The 4x4 of a twist."""
    out = np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = skew(V[:3]), V[3:]
    return out


def vee(X: np.ndarray) -> np.ndarray:
    return np.array([X[2, 1], X[0, 2], X[1, 0], *X[:3, 3]])


def ad(V: np.ndarray) -> np.ndarray:
    w, v = skew(V[:3]), skew(V[3:])
    return np.block([[w, np.zeros((3, 3))], [v, w]])


def Ad(T: np.ndarray) -> np.ndarray:
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])
