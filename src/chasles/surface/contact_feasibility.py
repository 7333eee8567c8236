"""Feasibility of contact in one point: the relative curvature of two surfaces [Montana 1988] is positive definite.

K_a + K_b, both by their own outward normals, says how fast the surfaces part around a point where they touch. With
principal curvatures a_1 <= a_2 and b_1 <= b_2 it is positive definite at some angle between them if and only if

    a_1 + b_2 > 0,   a_2 + b_1 > 0                                                (1)

since these two bound its least eigenvalue, and are its eigenvalues where the principal directions are aligned.
Ready-made surfaces, whose curvatures are known all over, are refused where (1) holds at no pair of points: a plane on a
plane, an egg in a bowl that is too small for it. A user's own are looked at where they are found to touch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chasles.errors import ModelError
from chasles.surface.surface import Surface

POLE_DISTANCE = 1e-3  # radians, that the sample stays away from where u and v are singular
SMALLEST_CURVATURE = 1e-9  # of the trace, squared: a determinant below it counts as none


def refuse_infeasible(a: Surface, b: Surface) -> None:
    """Raise ModelError where two surfaces can meet in one point nowhere."""
    if a.straight + b.straight > 2:
        raise ModelError(f"surfaces {a.name!r} and {b.name!r} touch along a line or a plane, and not in a point")
    if not a.hollow and not b.hollow:  # convex, if ready-made
        return
    K_a, K_b = principal_curvatures(a), principal_curvatures(b)
    if K_a is None or K_b is None:
        return
    meets = (K_a[:, None, 0] + K_b[None, :, 1] > 0.0) & (K_a[:, None, 1] + K_b[None, :, 0] > 0.0)  # (1)
    if not meets.any():
        raise ModelError(
            f"surfaces {a.name!r} and {b.name!r} can touch in one point nowhere: their relative curvature is not "
            "positive definite for any two points of them"
        )


def principal_curvatures(surface: Surface) -> NDArray[np.float64] | None:
    """(N, 2) of a ready-made surface at points all over it, the smaller first; None of a user's own."""
    if surface.radius is not None:
        return np.full((1, 2), 1.0 / surface.radius if surface.radius > 0.0 else np.inf)
    if surface.point is None or not (surface.straight or surface.support):
        return None
    alpha = np.zeros((1, 2))
    if not surface.straight:
        u, v = np.linspace(POLE_DISTANCE - np.pi / 2, np.pi / 2 - POLE_DISTANCE, 9), np.linspace(-np.pi, np.pi, 17)
        alpha = np.stack(np.meshgrid(*((v, u) if surface.hollow else (u, v)), indexing="ij"), axis=-1).reshape(-1, 2)
    return np.asarray(np.linalg.eigvalsh(surface.forms(alpha).curvature), dtype=float)


def positive_definite(K: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(...) whether relative curvatures K (..., 2, 2) are positive definite; not where they are not numbers."""
    trace, determinant = K[..., 0, 0] + K[..., 1, 1], K[..., 0, 0] * K[..., 1, 1] - K[..., 0, 1] * K[..., 1, 0]
    return (trace > 0.0) & (determinant > SMALLEST_CURVATURE * trace * trace)
