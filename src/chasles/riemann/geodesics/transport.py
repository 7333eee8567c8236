"""Parallel transport along curves: the covariant derivative of the inertia metric made zero.

A field w along a curve is parallel where its covariant derivative vanishes,

    dw/dt + M^-1 C(q, v) w = 0                                                               (1)

C is that of the Christoffel symbols [COR-1], on joints that are groups too: torsion-free, C(v) w - C(w) v = M [v, w].
(1) is linear, so every piece of a curve has a matrix, and all are computed at once, with the steps of flow.py.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import positive
from chasles.riemann.geodesics.arguments import Array, broadcast, sampled_path
from chasles.riemann.geodesics.flow import BUTCHER_A, BUTCHER_B, Geodesic, vector_field
from chasles.robot_like import RobotLike

MOST_STEPS = 512  # steps of a piece


def parallel_transport(robot: RobotLike, q: ArrayLike | Geodesic, w: ArrayLike, *, tolerance: float = 1e-10) -> Array:
    """(..., T, n) the tangent vector w carried along a curve, at every sample.

    q: (..., T, nq), joined by the motions integrate(q_k, s difference(q_k, q_k+1)), or a `Geodesic`, which is followed
    between its samples. w: (..., n) at the first sample, in the joints' frames. Inner products w1^T M w2 stay the same,
    and a geodesic carries its own velocity along. tolerance: relative to w; nan where it is missed, near a singular M.
    """
    tolerance = positive(tolerance, "tolerance")
    if isinstance(q, Geodesic):
        samples, velocity = q.q[..., :-1, :], q.qd[..., :-1, :]
        span, weight = (float(q.t[1] - q.t[0]) if len(q.t) > 1 else 0.0), 1.0 if q.gravity else 0.0
        lead = q.q.shape[:-2]
    else:
        curve = sampled_path(robot, "parallel_transport", q)
        samples, lead, span, weight = curve[..., :-1, :], curve.shape[:-2], 1.0, None
        velocity = robot.difference(samples, curve[..., 1:, :])
    vector, _ = broadcast(robot, "parallel_transport", w=(w, robot.n), q=(np.empty((*lead, robot.nq)), robot.nq))
    count, before = 1, None
    while True:
        P = _transport(robot, samples, velocity, span, count, weight)
        out = [vector]
        for k in range(samples.shape[-2]):
            out.append(np.einsum("...ij,...j->...i", P[..., k, :, :], out[-1]))
        carried = np.stack(out, axis=-2)
        if before is not None:
            change = np.abs(carried - before).max(axis=(-2, -1))
            unsettled = change > tolerance * np.abs(vector).max(axis=-1)
            if not unsettled.any() or count >= MOST_STEPS:
                return np.where(unsettled[..., None, None], np.nan, carried)
        count, before = 2 * count, carried


def _transport(robot: RobotLike, q: Array, v: Array, span: float, count: int, weight: float | None) -> Array:
    """(..., n, n) what (1) does to vectors, from each q along its own motion: free, or steady where weight is None."""
    n, h = robot.n, span / count
    P = np.broadcast_to(np.eye(n), (*q.shape[:-1], n, n))
    for _ in range(count):
        y0 = np.concatenate([np.zeros_like(v), v], axis=-1)
        K, L = [], []
        for row in BUTCHER_A:
            y = y0 + h * sum((c * k for c, k in zip(row, K, strict=True)), np.zeros(()))
            W = P + h * sum((c * k for c, k in zip(row, L, strict=True)), np.zeros(()))
            at, u = robot.integrate(q, y[..., :n]), y[..., n:]
            K.append(np.concatenate([v, 0.0 * v], axis=-1) if weight is None else vector_field(robot)(q, y, weight))
            L.append(-robot.mass_matrix_inverse(at) @ robot.coriolis_matrix(at, u) @ W)  # (1)
        y = y0 + h * np.tensordot(BUTCHER_B, np.stack(K), 1)
        P = P + h * np.tensordot(BUTCHER_B, np.stack(L), 1)
        q, v = robot.integrate(q, y[..., :n]), y[..., n:]
    return np.asarray(P)
