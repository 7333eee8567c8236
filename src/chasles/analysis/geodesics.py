"""Geodesics of the inertia metric: the motions of a robot that nothing drives, and paths of least energy.

Left alone without gravity a robot moves along a geodesic of M, at constant kinetic energy; with gravity it moves along
a natural motion, which makes the action stationary:

    dv/dt = -M^-1 (C(q, v) v + weight g(q)),   weight 0 or 1                                 (1)
    q(t) = integrate(q_k, x),   dx/dt = dexp^-1_{-x} v                                       (2)

(2) holds on every joint's group, with x = 0 at the start of each step, so that (1), (2) are an ordinary differential
equation in a vector space, for Butcher's Runge-Kutta method of order 6 [Butcher 1964; Munthe-Kaas 1999]. Steps are
halved until the end moves by less than a tolerance. The length of a path is the integral of the speed sqrt(v^T M v).

A field w along a curve is parallel where its covariant derivative vanishes,

    dw/dt + M^-1 C(q, v) w = 0                                                               (3)

C is that of the Christoffel symbols [COR-1], on joints that are groups too: torsion-free, C(v) w - C(w) v = M [v, w].
(3) is linear, so every piece of a curve has a matrix, and all are computed at once.

The energy of a path, and its derivative by parameters p of the path                         [OPT-1]

    J = int v^T M v dt,   dJ/dp = int [ (v^T dM/dx_k v) dx_k/dp + 2 (M v) . dv/dp ] dt       (4)

is discretised by the midpoint rule on the pieces of a sampled path:

    d = difference(q_k, q_k+1),   q_m = integrate(q_k, d/2)
    J = sum over pieces of h (d/h)^T M(q_m) (d/h),   with gravity - 2 h U(q_m): twice the action   (5)

Geodesics make J stationary, and short ones make it least; a constant M has straight ones [OPT-2]. The metric is that of
the links; friction is left out. An armature on a joint of several degrees of freedom is in M, but is no metric of its
motion as a body: the free motion then keeps its energy and is not the path of least J.

Long, because shooting, transport and energies of paths stand on one flow and are checked against each other.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

import functools
import itertools
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.errors import ModelError, ShapeError
from chasles.lie import Twist

Array = NDArray[np.float64]

SAMPLES = 32  # intervals of a motion, unless told
MOST_STEPS = 2**13  # of a whole motion; more are not tried
_A = (  # Butcher's tableau of order 6 in 7 stages
    np.array(()),
    np.array((1 / 3,)),
    np.array((0.0, 2 / 3)),
    np.array((1 / 12, 1 / 3, -1 / 12)),
    np.array((-1 / 16, 9 / 8, -3 / 16, -3 / 8)),
    np.array((0.0, 9 / 8, -3 / 8, -3 / 4, 1 / 2)),
    np.array((9 / 44, -9 / 11, 63 / 44, 18 / 11, 0.0, -16 / 11)),
)
_B = np.array([11 / 120, 0.0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120])
_FRACTIONS = np.array([1.0, 0.5, 0.25, 0.125, 0.03125, 0.0078125])  # of a Newton step, tried together


@dataclass(frozen=True, eq=False)
class Geodesic:
    """A motion that nothing drives, sampled in time; leading axes are a batch.

    t: (T,) seconds. q: (..., T, nq). qd: (..., T, n), in the joints' frames. length: (...) of the path, in sqrt(kg) m.
    energy: (...) joules, kinetic, with gravity the potential too; drift: (...) how far it strays from its first value,
    the certificate that no one has to trust. error: (...) how far the end moved when the steps were last halved.
    residual: (...) how far from the target it ends, the largest component of `difference`; 0 where there was no target.
    converged: (...) whether error and residual are within the tolerance.
    """

    t: Array
    q: Array
    qd: Array
    length: Array
    energy: Array
    drift: Array
    error: Array
    residual: Array
    converged: NDArray[np.bool_]
    gravity: bool = False


class PathEnergy(NamedTuple):
    """J of a sampled path, (...), and its derivative by motions of the samples, (..., T, n)."""

    energy: Array
    gradient: Array


def exponential_map(
    robot: Any,
    q: ArrayLike,
    v: ArrayLike,
    duration: float = 1.0,
    *,
    steps: int | None = None,
    tolerance: float = 1e-10,
    gravity: bool = False,
) -> Geodesic:
    """The geodesic from q with velocity v; with gravity the natural motion.

    q: (..., nq), v: (..., n) in the joints' frames. duration: seconds, backwards if negative. steps: how many intervals
    the result has (default: 32); how many are computed is decided by tolerance: how far the end may move, in the
    largest component of (q, duration qd) relative to 1 + that of duration v, when they are halved. Each row of a batch
    has its own. A row without an answer, as where M is singular on the way, is not `converged`.
    """
    start, velocity = _broadcast(robot, "exponential_map", q=(q, robot.nq), v=(v, robot.n))
    span, tolerance = _number("duration", duration), _positive("tolerance", tolerance)
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 1):
        raise ModelError(f"steps must be a positive integer, got {steps!r}")
    kept = SAMPLES if steps is None else int(steps)
    lead, weight = start.shape[:-1], 1.0 if gravity else 0.0
    a, b = robot.normalize(start).reshape(-1, robot.nq), velocity.reshape(-1, robot.n)
    scale = tolerance * (1.0 + np.abs(span * b).max(axis=-1))
    q_kept, v_kept = np.empty((len(a), kept + 1, robot.nq)), np.empty((len(a), kept + 1, robot.n))
    length, energy, drift, error = np.empty((4, len(a)))
    rows, count = np.arange(len(a)), kept * -(-8 // kept)
    with np.errstate(all="ignore"):  # steps too long may overflow
        coarse = _flow(robot, a, b, span, count, weight)
        while rows.size:
            count *= 2
            x, y = _flow(robot, a[rows], b[rows], span, count, weight)
            turned = robot.difference(coarse[0][-1], x[-1])
            moved = np.abs(np.concatenate([turned, span * (y[-1] - coarse[1][-1])], axis=-1)).max(axis=-1)
            hopeless = ~np.isfinite(x[-1]).all(axis=-1) & (count >= 512)
            done = (moved <= scale[rows]) | hopeless | (2 * count > MOST_STEPS)
            over, (X, Y) = rows[done], (x[:, done], y[:, done])
            q_kept[over], v_kept[over] = (np.swapaxes(z[:: count // kept], 0, 1) for z in (X, Y))
            length[over], energy[over], drift[over] = _measures(robot, span, X, Y, gravity)
            error[over] = moved[done]
            rows, coarse = rows[~done], (x[:, ~done], y[:, ~done])
    converged = error <= scale
    out = (q_kept, v_kept, length, energy, drift, error, np.zeros_like(error), converged)
    shaped: list[Any] = [z.reshape(lead + z.shape[1:])[()] for z in out]
    return Geodesic(np.linspace(0.0, span, kept + 1), *shaped, gravity=gravity)


def two_point(
    robot: Any,
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float = 1.0,
    *,
    tolerance: float = 1e-9,
    gravity: bool = False,
    guess: ArrayLike | None = None,
) -> Geodesic:
    """The geodesic from q0 to q1; with gravity the natural motion that takes `duration` from one to the other.

    q0, q1: (..., nq). A joint that turns goes to q1 as given and is not wrapped; rotations go the shorter way. guess:
    (..., n) the velocity at q0 to start from (default: that of the straight motion). The path is stationary; beyond a
    point conjugate to q0 it is not the shortest, and there may be others. Where none is found `converged` is False, and
    the path is the one that ends nearest, by `residual`. Shooting by Newton's method; where that fails, the target is
    moved out from q0 step by step, and gravity switched on with it.
    """
    start, target = _broadcast(robot, "two_point", q0=(q0, robot.nq), q1=(q1, robot.nq))
    span, tolerance = _positive("duration", duration), _positive("tolerance", tolerance)
    lead = start.shape[:-1]
    with np.errstate(all="ignore"):
        if guess is None:
            velocity = robot.difference(start, target) / span
        else:
            velocity, _ = _broadcast(robot, "two_point", guess=(guess, robot.n), q0=(start, robot.nq))
            if velocity.shape[:-1] != lead:
                raise ShapeError(f"two_point: guess must have shape {(*lead, robot.n)}, got {np.shape(guess)}")
        a, b, v = (x.reshape(-1, x.shape[-1]) for x in (start, target, velocity))
        weight = 1.0 if gravity else 0.0
        v, off = _newton(robot, a, b, v, span, 16, weight, tolerance / 8)
        for row in np.flatnonzero(~(off <= tolerance)):
            v[row], off[row] = _continuation(robot, a[row], b[row], v[row], span, gravity, tolerance / 8)
        count, again = 16, off <= tolerance
        while True:
            path = exponential_map(robot, a, v, span, tolerance=tolerance / 8, gravity=gravity)
            residual = _size(robot.difference(path.q[..., -1, :], b))
            reached = (residual <= tolerance) & path.converged
            again &= ~reached  # found with too few steps
            if not again.any() or count > 512:
                break
            count *= 2
            v[again], _ = _newton(robot, a[again], b[again], v[again], span, count, weight, tolerance / 8)
    path = replace(path, residual=residual, converged=reached)
    batch = ("q", "qd", "length", "energy", "drift", "error", "residual", "converged")
    shaped = {key: getattr(path, key).reshape(lead + getattr(path, key).shape[1:])[()] for key in batch}
    return replace(path, **shaped)


def distance(robot: Any, q0: ArrayLike, q1: ArrayLike) -> Array:
    """(...) the length of the geodesic from q0 to q1 that `two_point` finds, in sqrt(kg) m; nan where it finds none."""
    path = two_point(robot, q0, q1)
    return np.where(path.converged, path.length, np.nan)[()]


def parallel_transport(robot: Any, q: ArrayLike | Geodesic, w: ArrayLike, *, tolerance: float = 1e-10) -> Array:
    """(..., T, n) the tangent vector w carried along a curve, at every sample.

    q: (..., T, nq), joined by the motions integrate(q_k, s difference(q_k, q_k+1)), or a `Geodesic`, which is followed
    between its samples. w: (..., n) at the first sample, in the joints' frames. Inner products w1^T M w2 stay the same,
    and a geodesic carries its own velocity along. tolerance: relative to w.
    """
    tolerance = _positive("tolerance", tolerance)
    if isinstance(q, Geodesic):
        samples, velocity = q.q[..., :-1, :], q.qd[..., :-1, :]
        span, weight = (float(q.t[1] - q.t[0]) if len(q.t) > 1 else 0.0), 1.0 if q.gravity else 0.0
        lead = q.q.shape[:-2]
    else:
        curve = _samples(robot, "parallel_transport", q)
        samples, lead, span, weight = curve[..., :-1, :], curve.shape[:-2], 1.0, None
        velocity = robot.difference(samples, curve[..., 1:, :])
    vector, _ = _broadcast(robot, "parallel_transport", w=(w, robot.n), q=(np.empty((*lead, robot.nq)), robot.nq))
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
            if not unsettled.any() or count >= 512:
                return carried
        count, before = 2 * count, carried


def path_energy(robot: Any, q: ArrayLike, duration: float = 1.0, *, gravity: bool = False) -> PathEnergy:
    """J of a path sampled evenly in time, and its gradient (..., T, n) by motions of the samples in the joints' frames.

    q: (..., T, nq), T at least 2. By the midpoint rule (5), of second order in the distance of samples; with gravity
    twice the action. Along a geodesic, ends apart, the gradient vanishes as the samples become dense.
    """
    curve = _samples(robot, "path_energy", q)
    if curve.shape[-2] < 2:
        raise ShapeError(f"path_energy: q must have at least 2 samples, shape (..., T, {robot.nq}), got {curve.shape}")
    h = _positive("duration", duration) / (curve.shape[-2] - 1)
    return _path_energy(robot, curve, h, 1.0 if gravity else 0.0)


def minimum_energy_path(
    robot: Any,
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float = 1.0,
    *,
    tolerance: float = 1e-9,
    gravity: bool = False,
    points: int = 33,
) -> Geodesic:
    """The path of least energy (with gravity: of least action) from q0 to q1, (nq,) each.

    As `two_point`. Where that fails a path of `points` samples is relaxed until (5) is least, and then sewn of
    geodesics between the samples until they fit to the tolerance: `residual` is the largest gap. If they do not, the
    relaxed path itself is returned, of second order in the distance of samples: `error` is nan then, and `converged`
    says whether it is stationary.
    """
    start, target = _broadcast(robot, "minimum_energy_path", q0=(q0, robot.nq), q1=(q1, robot.nq))
    span, tolerance = _positive("duration", duration), _positive("tolerance", tolerance)
    if start.ndim != 1:
        raise ShapeError(f"minimum_energy_path: q0 and q1 must have shape ({robot.nq},), got {start.shape}")
    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 4:
        raise ModelError(f"points must be an integer of at least 4, got {points!r}")
    path = two_point(robot, start, target, span, tolerance=tolerance, gravity=gravity)
    if path.converged or not np.isfinite(start).all() or not np.isfinite(target).all():
        return path
    h = span / (int(points) - 1)
    with np.errstate(all="ignore"):
        curve, settled = _relaxed(robot, start, target, h, int(points), 1.0 if gravity else 0.0)
    pieces = robot.difference(curve[:-1], curve[1:]) / h
    ends = 1.5 * pieces[[0, -1]] - 0.5 * pieces[[1, -2]]
    rates = np.concatenate([ends[:1], (pieces[1:] + pieces[:-1]) / 2, ends[1:]])
    with np.errstate(all="ignore"):
        path = _sewn(robot, curve, rates, span, gravity, tolerance)
    if path.converged:
        return path
    t, zero, measures = path.t, np.zeros(()), _measures(robot, span, curve, rates, gravity)
    return Geodesic(t, curve, rates, *measures, zero + np.nan, zero, np.asarray(settled), gravity)


# the flow


@functools.lru_cache(maxsize=32)
def _smooth(robot: Any) -> tuple[Any, Any]:
    """The robot without friction, and without gravity too."""
    m = replace(robot.mechanism, has_friction=False)
    return type(robot)(m), type(robot)(replace(m, gravity=np.zeros(3)))


@functools.lru_cache(maxsize=32)
def _field(robot: Any) -> Any:
    """The kernel of (1), (2): dy/dt of y = (x, v), from (q, y, weight)."""
    from chasles.function import compile

    heavy, free = _smooth(robot)
    n, m = robot.n, robot.mechanism
    own = [body.columns for body, mimic in zip(m.tree.bodies, m.mimics, strict=True) if mimic is None]

    def free_motion(q: Any, y: Any, weight: Any) -> Any:
        x, v = y[:n], y[n:]
        at = heavy.integrate(q, x)
        rates, k = [], 0
        for columns in own:
            rates += [v[k]] if len(columns) == 1 else _dexp_inv(columns, x[k:], v[k:])
            k += len(columns)
        return np.concatenate([np.stack(rates), free.forward_dynamics(at, v, heavy.gravity_forces(at) * -weight)])

    return compile(free_motion, q=robot.nq, y=2 * n, weight=())


def _dexp_inv(columns: tuple[Twist, ...], x: Any, v: Any) -> list[Any]:
    """dexp^-1_{-x} v on the group of one joint, whose columns are unit vectors of se(3)."""
    X, V = (functools.reduce(Twist.__add__, [S * y[a] for a, S in enumerate(columns)]) for y in (-x, v))
    D = X.dexp_inv(V)  # (2)
    return [next(d for s, d in zip((*S.w, *S.v), (*D.w, *D.v), strict=True) if s == 1.0) for S in columns]


def _flow(robot: Any, q: Array, v: Array, span: float, count: int, weight: float) -> tuple[Array, Array]:
    """(count + 1, ..., nq) and (count + 1, ..., n): the motion (1), (2) at every step."""
    field, n, h = _field(robot), robot.n, span / count
    lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    xs, vs = np.empty((count + 1, *lead, robot.nq)), np.empty((count + 1, *lead, n))
    xs[0], vs[0] = q, v
    y = np.zeros((*lead, 2 * n))
    K, heavy = np.empty((len(_A), y.size)), np.asarray(weight)
    for k in range(count):
        y[..., :n], y[..., n:] = 0.0, vs[k]
        for i, row in enumerate(_A):
            at = y + (np.dot(row, K[:i]) * h).reshape(y.shape) if i else y
            K[i] = field(xs[k], at, heavy).ravel()  # (1), (2)
        y += (np.dot(_B, K) * h).reshape(y.shape)
        xs[k + 1], vs[k + 1] = robot.integrate(xs[k], y[..., :n]), y[..., n:]
    return xs, vs


def _measures(robot: Any, span: float, x: Array, y: Array, gravity: bool) -> tuple[Array, Array, Array]:
    """Length, energy and drift of motions sampled along the first axis."""
    kinetic = robot.kinetic_energy(x, y)
    energy = kinetic + robot.potential_energy(x) if gravity else kinetic
    length = _integral(np.sqrt(2.0 * kinetic), abs(span) / (len(x) - 1))
    return length, energy[0], np.abs(energy - energy[0]).max(axis=0)


def _integral(f: Array, h: float) -> Array:
    """Romberg's, over the first axis: trapezoids of every sample, every second, ..., extrapolated."""
    strides = [s for s in (1, 2, 4, 8) if (len(f) - 1) % s == 0]
    sums = [h * s * (f[::s].sum(axis=0) - (f[0] + f[-1]) / 2.0) for s in strides]
    for k in range(1, len(sums)):
        sums = [(4**k * fine - rough) / (4**k - 1) for fine, rough in itertools.pairwise(sums)]
    return sums[0]


# shooting


def _newton(
    robot: Any, a: Array, b: Array, v: Array, span: float, count: int, weight: float, tolerance: float
) -> tuple[Array, Array]:
    """Velocities at a (rows, nq) that lead to b, and how far off they end; derivatives by shots, all in one batch."""
    n = robot.n
    v = v.copy()
    miss = robot.difference(_flow(robot, a, v, span, count, weight)[0][-1], b)
    off = _size(miss)
    going = (off > tolerance) & np.isfinite(off)
    for _ in range(24):
        rows = np.flatnonzero(going)
        if not rows.size:
            break
        A, B, V = a[rows, None], b[rows, None], v[rows, None]
        step = 3e-6 * (1.0 + np.abs(v[rows]).max(axis=-1))[:, None, None]
        shots = np.concatenate([V + step * np.eye(n), V - step * np.eye(n)], axis=1)
        ends = robot.difference(_flow(robot, A, shots, span, count, weight)[0][-1], B)
        slope = np.swapaxes(ends[:, :n] - ends[:, n:], -1, -2) / (2.0 * step)
        regular = np.isfinite(slope).all(axis=(-2, -1))
        inverse = np.linalg.pinv(np.where(regular[:, None, None], slope, np.eye(n)), rcond=1e-12)
        aim = V - _FRACTIONS[:, None] * np.einsum("rij,rj->ri", inverse, miss[rows])[:, None]
        misses = robot.difference(_flow(robot, A, aim, span, count, weight)[0][-1], B)
        sizes = np.where(np.isfinite(misses).all(axis=-1), np.linalg.norm(misses, axis=-1), np.inf)
        best = np.argmin(sizes, axis=-1)
        pick = np.arange(rows.size), best
        better = regular & (sizes[pick] < np.linalg.norm(miss[rows], axis=-1))
        kept = rows[better]
        v[kept], miss[kept] = aim[pick][better], misses[pick][better]
        off[kept] = _size(miss[kept])
        going[rows] = better
        going &= off > tolerance
    return v, off


def _continuation(
    robot: Any, a: Array, b: Array, v: Array, span: float, gravity: bool, tolerance: float
) -> tuple[Array, float]:
    """The velocity at a (nq,) that leads to b, by targets between, and how far off; v if that comes no nearer."""
    way, s, ds = robot.difference(a, b), 0.0, 0.25
    if not np.isfinite(way).all():
        return v, np.inf
    known = [(0.0, np.zeros_like(v))]  # at rest, without gravity: an exact answer
    while s < 1.0 and ds > 1 / 256:
        ahead = min(1.0, s + ds)
        target = robot.integrate(a, ahead * way)
        if len(known) == 1:
            guess = ahead * way / span
        else:
            (s0, v0), (s1, v1) = known[-2:]
            guess = v1 + (v1 - v0) * ((ahead - s1) / (s1 - s0))
        weight = ahead if gravity else 0.0
        found, off = _newton(robot, a[None], target[None], guess[None], span, 32, weight, tolerance)
        if off[0] <= tolerance:
            known.append((ahead, found[0]))
            s, ds = ahead, 1.5 * ds
        else:
            ds /= 2
    weight = 1.0 if gravity else 0.0
    tries = np.stack([known[-1][1], v])
    ends = _flow(robot, np.broadcast_to(a, (2, a.size)), tries, span, 32, weight)[0][-1]
    sizes = _size(robot.difference(ends, b))
    best = int(np.argmin(np.where(np.isfinite(sizes), sizes, np.inf)))
    return tries[best], float(sizes[best])


def _size(miss: Array) -> Array:
    return np.abs(miss).max(axis=-1)


def _sewn(robot: Any, curve: Array, rates: Array, span: float, gravity: bool, tolerance: float) -> Geodesic:
    """Samples (T, nq), (T, n) moved, the first and last q apart, until each is where the motion from the one before
    arrives: multiple shooting by Newton's method, all pieces and their derivatives in one batch."""
    n, pieces, weight, step = robot.n, len(curve) - 1, 1.0 if gravity else 0.0, 3e-6
    q, v, h = curve.copy(), rates.copy(), span / (len(curve) - 1)
    free = np.setdiff1d(np.arange(2 * n * (pieces + 1)), [*range(n), *range(2 * n * pieces, 2 * n * pieces + n)])
    nudges = step * np.concatenate([np.eye(2 * n), -np.eye(2 * n)])

    def gaps(q: Array, v: Array, nudge: Array, count: int) -> Array:
        """(T - 1, k, 2n) where pieces arrive, seen from the next samples, with k nudges of their starts."""
        x, y = _flow(robot, robot.integrate(q[:-1, None], nudge[:, :n]), v[:-1, None] + nudge[:, n:], h, count, weight)
        return np.concatenate([robot.difference(q[1:, None], x[-1]), y[-1] - v[1:, None]], axis=-1)

    count, none = 8, np.zeros((1, 2 * n))
    while True:
        gap = gaps(q, v, none, count)[:, 0]
        for _ in range(24):
            slope = gaps(q, v, nudges, count)
            slope = np.swapaxes(slope[:, : 2 * n] - slope[:, 2 * n :], -1, -2) / (2.0 * step)
            if not np.abs(gap).max() > tolerance / 8 or not np.isfinite(slope).all():
                break
            A = np.zeros((pieces, 2 * n, pieces + 1, 2 * n))
            for k in range(pieces):
                A[k, :, k], A[k, :, k + 1] = slope[k], -np.eye(2 * n)
            change = np.zeros(2 * n * (pieces + 1))
            try:
                change[free] = np.linalg.solve(A.reshape(2 * n * pieces, -1)[:, free], -gap.ravel())
            except np.linalg.LinAlgError:
                break
            change = change.reshape(pieces + 1, 2 * n)
            tries = [(robot.integrate(q, s * change[:, :n]), v + s * change[:, n:]) for s in _FRACTIONS]
            found = [gaps(*each, none, count)[:, 0] for each in tries]
            sizes = [float(np.linalg.norm(x)) if np.isfinite(x).all() else np.inf for x in found]
            best = int(np.argmin(sizes))
            if not sizes[best] < np.linalg.norm(gap):
                break
            (q, v), gap = tries[best], found[best]
        fine = gaps(q, v, none, 2 * count)[:, 0]
        size, error = np.abs(fine).max(), np.abs(fine - gap).max()
        if size <= tolerance or np.abs(gap).max() > tolerance or count >= 64:
            break
        count *= 2
    x, y = _flow(robot, q[:-1], v[:-1], h, 2 * count, weight)
    length, energy, drift = _measures(robot, h, x, y, gravity)
    strays = np.abs(energy - energy[0]).max() + drift.max()
    t = np.linspace(0.0, span, pieces + 1)
    return Geodesic(t, q, v, length.sum(), energy[0], strays, error, size, np.asarray(size <= tolerance), gravity)


# transport


def _transport(robot: Any, q: Array, v: Array, span: float, count: int, weight: float | None) -> Array:
    """(..., n, n) what (3) does to vectors, from each q along its own motion: (1), or steadily where weight is None."""
    n, h = robot.n, span / count
    P = np.broadcast_to(np.eye(n), (*q.shape[:-1], n, n))
    for _ in range(count):
        y0 = np.concatenate([np.zeros_like(v), v], axis=-1)
        K, L = [], []
        for row in _A:
            y = y0 + h * sum((c * k for c, k in zip(row, K, strict=True)), np.zeros(()))
            W = P + h * sum((c * k for c, k in zip(row, L, strict=True)), np.zeros(()))
            at, u = robot.integrate(q, y[..., :n]), y[..., n:]
            K.append(np.concatenate([v, 0.0 * v], axis=-1) if weight is None else _field(robot)(q, y, weight))
            L.append(-robot.mass_matrix_inverse(at) @ robot.coriolis_matrix(at, u) @ W)  # (3)
        y = y0 + h * np.tensordot(_B, np.stack(K), 1)
        P = P + h * np.tensordot(_B, np.stack(L), 1)
        q, v = robot.integrate(q, y[..., :n]), y[..., n:]
    return np.asarray(P)


# energy of paths


@functools.lru_cache(maxsize=32)
def _piece(robot: Any) -> tuple[Any, Any]:
    """One term of (5), with its ends moved by x = (x0, x1), and its gradient by x."""
    from chasles.function import compile

    n = robot.n

    def piece(q0: Any, q1: Any, x: Any, h: Any, weight: Any) -> Any:
        a, b = robot.integrate(q0, x[:n]), robot.integrate(q1, x[n:])
        d = robot.difference(a, b)
        middle = robot.integrate(a, 0.5 * d)
        return 2.0 * h * (robot.kinetic_energy(middle, d * (1.0 / h)) - weight * robot.potential_energy(middle))  # (5)

    kernel = compile(piece, q0=robot.nq, q1=robot.nq, x=2 * n, h=(), weight=())
    return kernel, kernel.gradient("x")


def _path_energy(robot: Any, curve: Array, h: float, weight: float) -> PathEnergy:
    n = robot.n
    value, slope = _piece(robot)
    a, b, x = curve[..., :-1, :], curve[..., 1:, :], np.zeros(2 * n)
    parts = slope(a, b, x, h, weight)  # (4)
    gradient = np.zeros((*curve.shape[:-1], n))
    gradient[..., :-1, :] += parts[..., :n]
    gradient[..., 1:, :] += parts[..., n:]
    return PathEnergy(value(a, b, x, h, weight).sum(axis=-1), gradient)


def _relaxed(robot: Any, q0: Array, q1: Array, h: float, points: int, weight: float) -> tuple[Array, bool]:
    """The path of `points` samples for which (5) is least, by damped Newton steps; whether it is stationary."""
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


def _hessian(robot: Any, curve: Array, h: float, weight: float) -> Array:
    """The second derivative of (5) by the inner samples: central differences of the gradients of all pieces at once."""
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


# what is given


def _array(robot: Any, function: str, name: str, x: ArrayLike) -> Array:
    if not robot.n:
        raise ModelError(f"{function}: robot {robot.name!r} has no joints, and so no motions")
    try:
        return np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        raise ShapeError(f"{function}: {name} must be an array of real numbers, got {type(x).__name__}") from None


def _broadcast(robot: Any, function: str, **given: tuple[ArrayLike, int]) -> tuple[Array, ...]:
    """Arrays (..., size), with their leading axes broadcast."""
    arrays = {name: _array(robot, function, name, x) for name, (x, _) in given.items()}
    for (name, x), (_, size) in zip(arrays.items(), given.values(), strict=True):
        if x.ndim < 1 or x.shape[-1] != size:
            raise ShapeError(f"{function}: {name} must have shape (..., {size}), got {x.shape}")
    try:
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape[:-1]}" for name, x in arrays.items())
        raise ShapeError(f"{function}: the leading axes do not broadcast: {shapes}") from None
    return tuple(np.broadcast_to(x, (*lead, x.shape[-1])) for x in arrays.values())


def _samples(robot: Any, function: str, q: ArrayLike) -> Array:
    x = _array(robot, function, "q", q)
    if x.ndim < 2 or x.shape[-1] != robot.nq or x.shape[-2] < 1:
        raise ShapeError(f"{function}: q must have shape (..., T, {robot.nq}), got {x.shape}")
    return x


def _number(name: str, x: float) -> float:
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)) or not np.isfinite(x):
        raise ModelError(f"{name} must be a finite number, got {x!r}")
    return float(x)


def _positive(name: str, x: float) -> float:
    if _number(name, x) <= 0.0:
        raise ModelError(f"{name} must be positive, got {x!r}")
    return float(x)
