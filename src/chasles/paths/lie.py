"""Rigid motions of whole batches, on arrays, by the formulas of chasles.lie: leaves are the axes of the batch."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from typing import Any

import numpy as np

from chasles import arrays
from chasles.arguments.arrays import Array
from chasles.graph.array import TracedArray, traced
from chasles.lie import SE3, SO3, Mat3, Vec3


def motion(T: Array) -> SE3:
    """(..., 4, 4) as one SE3 whose leaves are arrays (...)."""
    rows = [Vec3(T[..., i, 0], T[..., i, 1], T[..., i, 2]) for i in range(3)]
    return SE3(SO3(Mat3(*rows)), Vec3(T[..., 0, 3], T[..., 1, 3], T[..., 2, 3]))


def matrix(T: SE3, batch: tuple[int, ...]) -> Array:
    """(*batch, 4, 4)."""
    return _stacked(arrays.flat(arrays.from_motion(T)), batch).reshape(*batch, 4, 4)


def log(T: Array) -> Array:
    """(..., 6) the twist of least rotation."""
    return _stacked(arrays.from_twist(motion(T).log()), T.shape[:-2])


def exp(V: Array) -> Array:
    """(..., 4, 4)."""
    return matrix(SE3.exp(arrays.twist(np.moveaxis(V, -1, 0))), V.shape[:-1])


def rotation_vector(R: Array) -> Array:
    """(..., 3) the logarithm of rotations (..., 3, 3)."""
    rows = [Vec3(R[..., i, 0], R[..., i, 1], R[..., i, 2]) for i in range(3)]
    return _stacked([*SO3(Mat3(*rows)).log()], R.shape[:-2])


def cross(a: Array, b: Array) -> Array:
    """a x b, (..., 3): as np.cross, without its checks."""
    (x, y, z), (u, v, w) = ((c[..., 0], c[..., 1], c[..., 2]) for c in (a, b))
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def inverse(T: Array) -> Array:
    R = np.swapaxes(T[..., :3, :3], -1, -2)
    return assembled(R, -np.einsum("...ij,...j->...i", R, T[..., :3, 3]))


def assembled(R: Array, p: Array) -> Array:
    """(..., 4, 4) of a rotation and an origin."""
    out = blank((*np.broadcast_shapes(R.shape[:-2], p.shape[:-1]), 4, 4), [R, p])
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = R, p, 1.0
    return out


def rotation(Q: Array) -> Array:
    """(..., 3, 3) of quaternions (..., 4), (x, y, z, w), of any length."""
    x, y, z, w = np.moveaxis(Q, -1, 0) / np.sqrt(np.einsum("...i,...i", Q, Q))
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return _stacked(arrays.flat(rows), Q.shape[:-1]).reshape(*Q.shape[:-1], 3, 3)


def blank(shape: tuple[int, ...], leaves: list[Any]) -> Array:
    """Zeros, to be filled with what is made of leaves, traced ones too."""
    if any(isinstance(x, TracedArray) for x in leaves):
        return traced(np.full(shape, 0.0, dtype=object))
    return np.zeros(shape)


def _stacked(leaves: list[Any], batch: tuple[int, ...]) -> Array:
    out = blank((*batch, len(leaves)), leaves)
    for k, leaf in enumerate(leaves):
        out[..., k] = leaf
    return out
