"""From leaves to arrays, and derivatives by dual numbers, for tests."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.lie import SE3, Twist, Vec3, Wrench
from chasles.scalar.dual import Dual


def array(x: Any) -> Any:
    """Numbers, vectors, twists, wrenches, poses and nested lists of them: each as an array, twists angular first."""
    if isinstance(x, Vec3):
        return np.array([*x])
    if isinstance(x, Twist):
        return np.array([*x.w, *x.v])
    if isinstance(x, Wrench):
        return np.array([*x.m, *x.f])
    if isinstance(x, SE3):
        return np.block([[np.array([[*row] for row in x.R.matrix]), array(x.p)[:, None]], [np.eye(4)[3:]]])
    if isinstance(x, (list, tuple)):
        return np.array([array(y) for y in x])
    return x if isinstance(x, Dual) else np.asarray(x)


def columns(x: list[Any]) -> np.ndarray:
    """The matrix of a list of columns."""
    return array(x).reshape(len(x), -1).T


def derivative(f: Callable[[list[Dual]], Any], q: list[float], direction: list[float]) -> np.ndarray:
    """The derivative of f at q along a direction, as an array of the same shape as array(f(q))."""
    out = np.asarray(array(f([Dual(x, dx) for x, dx in zip(q, direction, strict=True)])), dtype=object)
    return np.reshape([y.derivative if isinstance(y, Dual) else 0.0 for y in out.ravel().tolist()], out.shape)


def gradient(f: Callable[[list[Dual]], Any], q: list[float]) -> np.ndarray:
    """All partial derivatives; the differentiated index comes last."""
    return np.stack([derivative(f, q, unit) for unit in np.eye(len(q)).tolist()], axis=-1)
