"""The energy of a path, and the path of least energy.

The energy of a path, and its derivative by parameters p of the path                         [OPT-1]

    J = int v^T M v dt,   dJ/dp = int [ (v^T dM/dx_k v) dx_k/dp + 2 (M v) . dv/dp ] dt       (1)

is discretised by the midpoint rule on the pieces of a sampled path:

    d = difference(q_k, q_k+1),   q_m = integrate(q_k, d/2)
    J = sum over pieces of h (d/h)^T M(q_m) (d/h),   with gravity - 2 h U(q_m): twice the action   (2)

Geodesics make J stationary, and short ones make it least; a constant M has straight ones (OPT-2). An armature on a
joint of several degrees of freedom is in M, but is no metric of its motion as a body: the free motion then keeps its
energy and is not the path of least J.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import count, flag, positive
from chasles.errors import ShapeError
from chasles.reprs import record
from chasles.riemann.geodesics.arguments import Array, broadcast, sampled_path
from chasles.riemann.geodesics.flow import Geodesic, measures
from chasles.riemann.geodesics.shooting import sewn, two_point
from chasles.robot_like import RobotLike


@record()
class PathEnergy(NamedTuple):
    """J of a sampled path, (...), and its derivative by motions of the samples, (..., T, n)."""

    energy: Array
    gradient: Array


def path_energy(robot: RobotLike, q: ArrayLike, duration: float = 1.0, *, gravity: bool = False) -> PathEnergy:
    """J [OPT-1] of a path sampled evenly in time; its gradient (..., T, n) by motions of the samples in joints' frames.

    q: (..., T, nq), T at least 2. By the midpoint rule (2), of second order in the distance of samples; with gravity
    twice the action. Along a geodesic, ends apart, the gradient vanishes as the samples become dense.
    """
    curve = sampled_path(robot, "path_energy", q)
    if curve.shape[-2] < 2:
        raise ShapeError(f"path_energy: q must have at least 2 samples, shape (..., T, {robot.nq}), got {curve.shape}")
    h = positive(duration, "duration") / (curve.shape[-2] - 1)
    return _path_energy(robot, curve, h, 1.0 if flag(gravity, "gravity") else 0.0)


def minimum_energy_path(
    robot: RobotLike,
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float = 1.0,
    *,
    tolerance: float = 1e-9,
    gravity: bool = False,
    points: int = 33,
) -> Geodesic:
    """The path of least energy (with gravity: of least action) from q0 to q1, (nq,) each.

    As `two_point`. Where that fails a path of `points` samples is relaxed until (2) is least, and then sewn of
    geodesics between the samples until they fit to the tolerance: `residual` is the largest gap. If they do not, the
    relaxed path itself is returned, of second order in the distance of samples: `error` is nan then, and `converged`
    says whether it is stationary.
    """
    start, target = broadcast(robot, "minimum_energy_path", q0=(q0, robot.nq), q1=(q1, robot.nq))
    span, tolerance = positive(duration, "duration"), positive(tolerance, "tolerance")
    if start.ndim != 1:
        raise ShapeError(f"minimum_energy_path: q0 and q1 must have shape ({robot.nq},), got {start.shape}")
    points, gravity = count(points, "points", 4), flag(gravity, "gravity")
    path = two_point(robot, start, target, span, tolerance=tolerance, gravity=gravity)
    if path.converged or not np.isfinite(start).all() or not np.isfinite(target).all():
        return path
    h = span / (points - 1)
    with np.errstate(all="ignore"):
        curve, settled = _relaxed(robot, start, target, h, points, 1.0 if gravity else 0.0)
    pieces = robot.difference(curve[:-1], curve[1:]) / h
    ends = 1.5 * pieces[[0, -1]] - 0.5 * pieces[[1, -2]]
    rates = np.concatenate([ends[:1], (pieces[1:] + pieces[:-1]) / 2, ends[1:]])
    with np.errstate(all="ignore"):
        path = sewn(robot, curve, rates, span, gravity, tolerance)
    if path.converged:
        return path
    measured, zero = measures(robot, span, curve, rates, gravity), np.zeros(())
    return Geodesic(path.t, curve, rates, *measured, zero + np.nan, zero, np.asarray(settled), gravity)


@functools.lru_cache(maxsize=32)
def _piece(robot: RobotLike) -> tuple[Any, Any]:
    """One term of (2), with its ends moved by x = (x0, x1), and its gradient by x."""
    from chasles.function.compile import compile

    n = robot.n

    def piece(q0: Any, q1: Any, x: Any, h: Any, weight: Any) -> Any:
        a, b = robot.integrate(q0, x[:n]), robot.integrate(q1, x[n:])
        d = robot.difference(a, b)
        middle = robot.integrate(a, 0.5 * d)
        return 2.0 * h * (robot.kinetic_energy(middle, d * (1.0 / h)) - weight * robot.potential_energy(middle))  # (2)

    kernel = compile(piece, q0=robot.nq, q1=robot.nq, x=2 * n, h=(), weight=())
    return kernel, kernel.gradient("x")


def _path_energy(robot: RobotLike, curve: Array, h: float, weight: float) -> PathEnergy:
    n = robot.n
    value, slope = _piece(robot)
    a, b, x = curve[..., :-1, :], curve[..., 1:, :], np.zeros(2 * n)
    parts = slope(a, b, x, h, weight)  # (1)
    gradient = np.zeros((*curve.shape[:-1], n))
    gradient[..., :-1, :] += parts[..., :n]
    gradient[..., 1:, :] += parts[..., n:]
    return PathEnergy(value(a, b, x, h, weight).sum(axis=-1), gradient)


def _relaxed(robot: RobotLike, q0: Array, q1: Array, h: float, points: int, weight: float) -> tuple[Array, bool]:
    """The path of `points` samples for which (2) is least, by damped Newton steps; whether it is stationary."""
    n, inner = robot.n, points - 2
    way = robot.difference(q0, q1)
    curve = robot.integrate(q0, np.linspace(0.0, 1.0, points)[:, None] * way)
    curve[-1] = q1
    damping, (J, gradient) = 1e-3, _path_energy(robot, curve, h, weight)
    for _ in range(200):
        H = _hessian(robot, curve, h, weight)
        size = np.abs(np.diag(H)).max()
        while damping < 1e8:
            try:
                R = np.linalg.cholesky(H + damping * size * np.eye(inner * n))
            except np.linalg.LinAlgError:
                damping *= 10.0
                continue
            step = -np.linalg.solve(R.T, np.linalg.solve(R, gradient[1:-1].ravel())).reshape(inner, n)
            trial = curve.copy()
            trial[1:-1] = robot.integrate(curve[1:-1], step)
            least, slope = _path_energy(robot, trial, h, weight)
            if least <= J + 1e-14 * abs(J):
                break
            damping *= 10.0
        else:
            return curve, False
        curve, J, gradient, damping = trial, least, slope, damping / 10.0
        if np.abs(step).max() <= 1e-10:
            return curve, True
    return curve, False


def _hessian(robot: RobotLike, curve: Array, h: float, weight: float) -> Array:
    """The second derivative of (2) by the inner samples: central differences of the gradients of all pieces at once."""
    n, inner, step = robot.n, len(curve) - 2, 1e-5
    slope = _piece(robot)[1]
    x = step * np.eye(2 * n)[:, None, :]
    a, b = curve[:-1], curve[1:]
    blocks = (slope(a, b, x, h, weight) - slope(a, b, -x, h, weight)) / (2.0 * step)  # (2n, pieces, 2n)
    H = np.zeros((inner + 2, n, inner + 2, n))
    for k in range(len(a)):
        H[k : k + 2, :, k : k + 2, :] += blocks[:, k].reshape(2, n, 2, n)
    H = H[1:-1, :, 1:-1, :].reshape(inner * n, inner * n)
    return (H + H.T) / 2.0
