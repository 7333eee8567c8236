"""Flat robots: whether the inertia metric is flat, and the coordinates in which the motion is linear.

A robot is flat where its curvature vanishes [CUR-1]. In a frame E that is orthonormal, E^T M E = 1, components of R are
in 1/(kg m^2), and so are the squares of the connection's: their ratio

    max |R_abcd| / (max |G_abc|^2 + 1 / (largest eigenvalue of M))                           (1)

has no unit. R is an analytic function of the configuration wherever M is regular: not zero somewhere, it is not zero
almost everywhere, and random configurations at which it vanishes are a certificate with probability one, up to
rounding. Flat are chains of sliding joints, a point mass on R-P or at the tip of a planar 2R, balanced chains [CUR-3].

On a flat robot a coframe N that is parallel is the derivative of coordinates phi:           [RED-13]

    d_k N = N G_k,  (G_k)^i_j = G^i_jk,  N(q0)^T N(q0) = M(q0)   =>   N^T N = M              (2)
    dphi = N dq,  phi(q0) = 0:  an isometry to R^n, as long as paths do not go round a hole  (3)
    d/dt (N qd) = N^-T (tau - g)                                                             (4)  [RED-14]

Straight lines of phi are the geodesics, so that phi^-1 is the exponential map at q0, after N(q0)^-1. Along a motion
integrate(q, s d), on any joint, the velocity d is constant and (2), (3) are one linear equation, with G_k d_k = M^-1 C,

    d/ds [N phi] = [N phi] B,   B = [ M^-1 C(q, d)  d ]
                                    [ 0             0 ]                                      (5)

solved by Magnus' series to order 6 at Gauss' points [Blanes, Casas, Ros 2000]:

    a1 = h B2,  a2 = sqrt(15) h (B3 - B1) / 3,  a3 = 10 h (B3 - 2 B2 + B1) / 3
    c = [a1, a2],  b = -[a1, 2 a3 + c] / 60,   exp(a1 + a3 / 12 + [c - 20 a1 - a3, a2 + b] / 240)    (6)

where [x, y] = y x - x y, as B stands on the right. Steps are halved until the result stays. The trace of M^-1 C is the
rate of log sqrt(det M), with a pole where M is singular: a path that meets one is recognised by it and has no result.
On a curved robot (5) depends on the path [RED-15]. The metric is that of the links; friction is no part of it.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import count, not_negative, vector
from chasles.errors import ModelError, ShapeError
from chasles.linear_algebra import matrix_exponential
from chasles.reprs import record
from chasles.riemann.geodesics import exponential_map
from chasles.robot_like import RobotLike

Array = NDArray[np.float64]

LARGEST_CONDITION = 1e10  # of M with a unit diagonal; configurations beyond it are not looked at
MOST_STEPS = 2048
TENSOR_NUMBERS = 2**22  # of curvature tensors held at a time
STEPS_AT_ONCE = 2**14  # steps computed together
_GAUSS = 0.5 + np.sqrt(0.15) * np.array([-1.0, 0.0, 1.0])


@record(worst="1/(kg m^2)")
@dataclass(frozen=True, eq=False, repr=False)
class Flatness:
    """Whether a robot is flat: whether (1) is within the tolerance at every sample.

    relative: (1) at its largest, without unit. worst: the largest component of the curvature there, in an orthonormal
    frame, 1/(kg m^2) where joints turn. q: (nq,) where that is. samples: how many configurations were looked at;
    skipped: how many more were not, as M is singular there or nearly.
    """

    is_flat: bool
    worst: float
    relative: float
    q: Array
    samples: int
    skipped: int
    tolerance: float

    def describe(self) -> str:
        """The same as a sentence."""
        what = "flat" if self.is_flat else "curved"
        left = f" ({self.skipped} more skipped: M is singular there or nearly)" if self.skipped else ""
        at = np.array2string(self.q, max_line_width=10**6, precision=3, separator=", ")
        return (
            f"{what}: |R| up to {self.worst:.3g} 1/(kg m^2), {self.relative:.1e} of what it is made of "
            f"(tolerance {self.tolerance:.0e}), at q = {at}; {self.samples} configurations{left}"
        )

    __str__ = describe

    def _headline(self) -> str:
        what = "flat" if self.is_flat else "curved"
        return (
            f"{what}, |R| up to {self.worst:.3g} 1/(kg m^2), {self.relative:.2g} of what it is made of, "
            f"{self.samples} configurations{f', {self.skipped} skipped' * bool(self.skipped)}"
        )


@record(position="sqrt(kg) m", velocity="sqrt(kg) m/s", acceleration="sqrt(kg) m/s^2")
class Linear(NamedTuple):
    """A state in flat coordinates: position phi, velocity dphi/dt, acceleration d2phi/dt2, each (..., n)."""

    position: Array
    velocity: Array
    acceleration: Array


def flatness(robot: RobotLike, samples: int = 64, seed: int = 0, tolerance: float = 1e-9) -> Flatness:
    """Whether the robot's metric is flat, from random configurations within its limits. [CUR-3]

    tolerance: of (1). Configurations at which M is singular, or so nearly that the curvature is nan, are skipped.
    """
    q = sampled(robot, "flatness", samples, seed, tolerance)
    with np.errstate(all="ignore"):  # where M is singular
        regular = _regular(robot.mass_matrix(q))
    if not regular.any():
        with np.errstate(all="ignore"):
            robot.mass_matrix_inverse(q[:1])  # refused by the joint's name where M is singular everywhere
        raise ModelError(_unknown(robot, len(q)))
    q = q[regular]
    few = -(-len(q) * robot.n**4 // TENSOR_NUMBERS)  # parts that keep the tensors of each within bounds
    parts = [_sizes(robot, part) for part in np.array_split(q, min(len(q), few))]
    size, scale = (np.concatenate(x) for x in zip(*parts, strict=True))
    known = np.isfinite(size)
    if not known.any():
        raise ModelError(_unknown(robot, len(known)))
    q, size, scale, skipped = q[known], size[known], scale[known], int((~regular).sum() + (~known).sum())
    relative = size / scale  # (1)
    k = int(np.argmax(relative))
    is_flat = bool((relative <= tolerance).all())
    return Flatness(is_flat, float(size[k]), float(relative[k]), q[k].copy(), len(q), skipped, float(tolerance))


def _unknown(robot: RobotLike, samples: int) -> str:
    return (
        f"flatness: the mass matrix of robot {robot.name!r} is singular, or of a condition worse than "
        f"{LARGEST_CONDITION:.0e}, at all of {samples} random configurations: no curvature can be told"
    )


def _sizes(robot: RobotLike, q: Array) -> tuple[Array, Array]:
    """Numerator and denominator of (1); nan where the curvature is not known."""
    M, G = robot.mass_matrix(q), robot.christoffel_symbols(q)
    with np.errstate(all="ignore"):  # where M is nearly singular
        R = robot.riemann_curvature(q)
    E: Array = np.swapaxes(np.linalg.inv(np.linalg.cholesky(M)), -1, -2).astype(np.float64)  # E^T M E = 1
    size = np.abs(_seen(R, E)).max(axis=(1, 2, 3, 4))
    return size, np.abs(_seen(G, E)).max(axis=(1, 2, 3)) ** 2 + 1.0 / np.linalg.eigvalsh(M)[:, -1]


def isometry(robot: RobotLike, q0: ArrayLike, *, tolerance: float = 1e-9) -> Isometry:
    """The flat coordinates of a flat robot that are zero at q0, (nq,). A curved robot has none and is refused.

    tolerance: up to which the robot is taken for flat, as in `flatness`.
    """
    q = _configuration(robot, "isometry", "q0", q0)
    if q.ndim != 1 or not np.isfinite(q).all():
        raise ShapeError(f"isometry: q0 must be finite numbers of shape ({robot.nq},), got shape {q.shape}")
    found = flatness(robot, tolerance=tolerance)
    if not found.is_flat:
        raise ModelError(f"isometry: robot {robot.name!r} has no flat coordinates, since it is {found}")
    M = robot.mass_matrix(q)
    if not _regular(M[None])[0]:
        raise ModelError(
            f"isometry: the mass matrix of robot {robot.name!r} is singular at q0, or nearly: take another"
        )
    return Isometry(robot, q, np.linalg.cholesky(M).T.astype(np.float64))


@record()
@dataclass(frozen=True, eq=False, repr=False)
class Isometry:
    """Coordinates phi of a flat robot in which its kinetic energy is |dphi/dt|^2 / 2.

    They are computed along the straight motion integrate(q0, s difference(q0, q)); where that meets a configuration
    with M singular, the result is nan: beyond, another isometry begins. q0: (nq,), where phi = 0. origin: (n, n) the
    coframe there, upper triangular. phi is in sqrt(kg) m.
    """

    robot: RobotLike
    q0: Array
    origin: Array

    def coframe(self, q: ArrayLike) -> Array:
        """(..., n, n) N(q), with N^T N = M: the derivative of `coordinates` by motions of the joints.

        q: (..., nq). [RED-13]
        """
        return self._at(q)[0]

    def coordinates(self, q: ArrayLike) -> Array:
        """(..., n) phi(q). q: (..., nq). [RED-13]"""
        return self._at(q)[1]

    def configuration(self, phi: ArrayLike) -> Array:
        """(..., nq) where phi is: the end of the geodesic from q0 with velocity N(q0)^-1 phi. phi: (..., n).

        nan where that geodesic meets a configuration with M singular.
        """
        x = vector(phi, "configuration: phi", self.robot.n)
        path = exponential_map(self.robot, self.q0, np.linalg.solve(self.origin, x[..., None])[..., 0], steps=8)
        return np.where(np.asarray(path.converged)[..., None], path.q[..., -1, :], np.nan)

    def velocity(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n) dphi/dt = N qd. q: (..., nq), qd: (..., n)."""
        return np.einsum("...ij,...j->...i", self.coframe(q), vector(qd, "velocity: qd", self.robot.n))

    def force(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """(..., n) N^-T tau, what joint forces are to phi. q: (..., nq), tau: (..., n)."""
        return _force(self.coframe(q), vector(tau, "force: tau", self.robot.n))

    def linear(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Linear:
        """phi and its first two derivatives in time, by (4). q: (..., nq), qd, tau: (..., n)."""
        N, phi = self._at(q)
        net = vector(tau, "linear: tau", self.robot.n) - self.robot.gravity_forces(q)
        rate = np.einsum("...ij,...j->...i", N, vector(qd, "linear: qd", self.robot.n))
        return Linear(*np.broadcast_arrays(phi, rate, _force(N, net)))  # (4)

    def _at(self, q: ArrayLike) -> tuple[Array, Array]:
        """N and phi."""
        x = _configuration(self.robot, "isometry", "q", q)
        T = _transition(self.robot, self.q0, self.robot.difference(self.q0, x))
        start = np.column_stack([self.origin, np.zeros(self.robot.n)])
        end = start @ T
        return end[..., :-1], end[..., -1]


def sampled(robot: RobotLike, function: str, samples: int, seed: int, tolerance: float) -> Array:
    """(samples, nq) random configurations within the limits; the arguments of such a test are checked here."""
    not_negative(tolerance, f"{function}: tolerance")
    count(seed, f"{function}: seed", 0)
    if not robot.n:
        raise ModelError(f"{function}: robot {robot.name!r} has no joints, and so no metric")
    count(samples, f"{function}: samples")
    rng = np.random.default_rng(seed)
    return np.stack([robot.random(rng) for _ in range(samples)])


def _regular(M: Array) -> NDArray[np.bool_]:
    """Where the condition of M, scaled to a unit diagonal so that units do not matter, is at most LARGEST_CONDITION."""
    d = np.sqrt(np.abs(np.diagonal(M, axis1=-2, axis2=-1)))
    d = np.where(d > 0.0, d, 1.0)
    unit = M / (d[..., :, None] * d[..., None, :])
    finite = np.isfinite(unit).all(axis=(-2, -1), keepdims=True)
    values = np.linalg.eigvalsh(np.where(finite, unit, 0.0))
    return values[..., 0] * LARGEST_CONDITION > values[..., -1]


def _seen(T: Array, E: Array) -> Array:
    """The components of a batch of tensors in the frames E (batch, n, n), one vector a column."""
    for axis in range(1, T.ndim):
        moved = np.moveaxis(T, axis, -1)
        flat = moved.reshape(len(T), -1, T.shape[axis]) @ E
        T = np.moveaxis(flat.reshape(moved.shape), -1, axis)
    return T


def _force(N: Array, tau: Array) -> Array:
    known = np.isfinite(N).all(axis=(-2, -1), keepdims=True)
    rows = np.where(known, np.swapaxes(N, -1, -2), np.eye(N.shape[-1]))
    return np.where(known, np.linalg.solve(rows, tau[..., None]), np.nan)[..., 0]


def _configuration(robot: RobotLike, function: str, name: str, q: ArrayLike) -> Array:
    return vector(q, f"{function}: {name}", robot.nq)


def _transition(robot: RobotLike, q: Array, way: Array, tolerance: float = 1e-10) -> Array:
    """(..., n+1, n+1) what (5) multiplies [N phi] by, from q (..., nq) along integrate(q, s way), 0 <= s <= 1."""
    n = robot.n
    lead = np.broadcast_shapes(q.shape[:-1], way.shape[:-1])
    a, d = (np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (q, way))
    out = np.full((len(a), n + 1, n + 1), np.nan)
    rows, count = np.flatnonzero(np.isfinite(d).all(axis=-1)), 4
    with np.errstate(all="ignore"):  # where M is singular
        before, _ = _steps(robot, a[rows], d[rows], count)
        while rows.size and count < MOST_STEPS:
            count *= 2
            T, rate = _steps(robot, a[rows], d[rows], count)
            change, size = (np.abs(x).max(axis=(-2, -1)) for x in (T - before, T))
            done = (change <= tolerance * size) & (rate <= 1.0)
            out[rows[done]] = T[done]
            rows, before = rows[~done], T[~done]
    return out.reshape(*lead, n + 1, n + 1)


def _steps(robot: RobotLike, q: Array, d: Array, count: int) -> tuple[Array, Array]:
    """(rows, n+1, n+1) by `count` steps of (6), and how far log sqrt(det M) changes in a step, at most."""
    if len(q) > 1 and len(q) * count > STEPS_AT_ONCE:
        parts = np.array_split(np.arange(len(q)), min(len(q), -(-len(q) * count // STEPS_AT_ONCE)))
        T, rate = zip(*(_steps(robot, q[part], d[part], count) for part in parts), strict=True)
        return np.concatenate(T), np.concatenate(rate)
    n, h = robot.n, 1.0 / count
    s = (np.arange(count)[:, None] + _GAUSS).ravel() * h
    at = robot.integrate(q[:, None], s[:, None] * d[:, None])
    A = robot.mass_matrix_inverse(at) @ robot.coriolis_matrix(at, np.broadcast_to(d[:, None], (*at.shape[:-1], n)))
    rate = h * np.abs(np.trace(A, axis1=-2, axis2=-1))
    B = np.zeros((*A.shape[:-2], n + 1, n + 1))
    B[..., :n, :n], B[..., :n, n] = A, d[:, None]  # (5)
    X = matrix_exponential(_magnus(h * B.reshape(len(q), count, 3, n + 1, n + 1)))
    T = X[:, 0]
    for k in range(1, count):
        T = T @ X[:, k]
    return T, np.where(np.isfinite(rate), rate, np.inf).max(axis=-1, initial=0.0)


def _magnus(B: Array) -> Array:
    """The exponents of (6); B: (..., 3, m, m), times h."""
    B1, B2, B3 = (B[..., k, :, :] for k in range(3))
    a1, a2, a3 = B2, (np.sqrt(15.0) / 3.0) * (B3 - B1), (10.0 / 3.0) * (B3 - 2.0 * B2 + B1)
    c = _bracket(a1, a2)
    b = _bracket(a1, 2.0 * a3 + c) / -60.0
    return a1 + a3 / 12.0 + _bracket(c - 20.0 * a1 - a3, a2 + b) / 240.0  # (6)


def _bracket(x: Array, y: Array) -> Array:
    return y @ x - x @ y
