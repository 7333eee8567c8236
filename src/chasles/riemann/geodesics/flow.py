"""Motions that nothing drives: the flow of the inertia metric, and its exponential map.

Left alone without gravity a robot moves along a geodesic of M, at constant kinetic energy; with gravity it moves along
a natural motion, which makes the action stationary:

    dv/dt = -M^-1 (C(q, v) v + weight g(q)),   weight 0 or 1                                 (1)
    q(t) = integrate(q_k, x),   dx/dt = dexp^-1_{-x} v                                       (2)

(2) holds on every joint's group, with x = 0 at the start of each step, so that (1), (2) are an ordinary differential
equation in a vector space, for Butcher's Runge-Kutta method of order 6 [Butcher 1964; Munthe-Kaas 1999]. Steps are
halved until the end moves by less than a tolerance. The length of a path is the integral of the speed:

    length = int sqrt(v^T M v) dt                                                            (3)
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

import functools
import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import count as whole
from chasles.arguments import flag, number, positive
from chasles.lie import Twist
from chasles.reprs import brief, record
from chasles.riemann.geodesics.arguments import Array, broadcast
from chasles.robot_like import RobotLike

SAMPLES = 32  # intervals of a motion, unless told
MOST_STEPS = 2**13  # of a whole motion; more are not tried
BUTCHER_A = (  # Butcher's tableau of order 6 in 7 stages
    np.array(()),
    np.array((1 / 3,)),
    np.array((0.0, 2 / 3)),
    np.array((1 / 12, 1 / 3, -1 / 12)),
    np.array((-1 / 16, 9 / 8, -3 / 16, -3 / 8)),
    np.array((0.0, 9 / 8, -3 / 8, -3 / 4, 1 / 2)),
    np.array((9 / 44, -9 / 11, 63 / 44, 18 / 11, 0.0, -16 / 11)),
)
BUTCHER_B = np.array([11 / 120, 0.0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120])


@record(t="s", length="sqrt(kg) m", energy="J", drift="J")
@dataclass(frozen=True, eq=False, repr=False)
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

    def _headline(self) -> str:
        some = f"{brief(self.converged)} " if np.ndim(self.converged) else "" if self.converged else "not "
        span = f"{self.t[-1] - self.t[0]:.6g} s, " if len(self.t) else ""
        return f"{span}{len(self.t)} samples, length {brief(self.length)} sqrt(kg) m, {some}converged"


def exponential_map(
    robot: RobotLike,
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
    start, velocity = broadcast(robot, "geodesic", q=(q, robot.nq), v=(v, robot.n))
    span, tolerance = number(duration, "duration"), positive(tolerance, "tolerance")
    kept = SAMPLES if steps is None else whole(steps, "steps")
    lead, weight = start.shape[:-1], 1.0 if flag(gravity, "gravity") else 0.0
    a, b = robot.normalize(start).reshape(-1, robot.nq), velocity.reshape(-1, robot.n)
    scale = tolerance * (1.0 + np.abs(span * b).max(axis=-1))
    q_kept, v_kept = np.empty((len(a), kept + 1, robot.nq)), np.empty((len(a), kept + 1, robot.n))
    length, energy, drift, error = np.empty((4, len(a)))
    rows, count = np.arange(len(a)), kept * -(-8 // kept)
    with np.errstate(all="ignore"):  # steps too long may overflow
        coarse = flow(robot, a, b, span, count, weight)
        while rows.size:
            count *= 2
            x, y = flow(robot, a[rows], b[rows], span, count, weight)
            turned = robot.difference(coarse[0][-1], x[-1])
            moved = np.abs(np.concatenate([turned, span * (y[-1] - coarse[1][-1])], axis=-1)).max(axis=-1)
            hopeless = ~np.isfinite(x[-1]).all(axis=-1) & (count >= 512)
            done = (moved <= scale[rows]) | hopeless | (2 * count > MOST_STEPS)
            over, (X, Y) = rows[done], (x[:, done], y[:, done])
            q_kept[over], v_kept[over] = (np.swapaxes(z[:: count // kept], 0, 1) for z in (X, Y))
            length[over], energy[over], drift[over] = measures(robot, span, X, Y, gravity)
            error[over] = moved[done]
            rows, coarse = rows[~done], (x[:, ~done], y[:, ~done])
    converged = error <= scale
    out = (q_kept, v_kept, length, energy, drift, error, np.zeros_like(error), converged)
    shaped: list[Any] = [z.reshape(lead + z.shape[1:])[()] for z in out]
    return Geodesic(np.linspace(0.0, span, kept + 1), *shaped, gravity=gravity)


def flow(robot: RobotLike, q: Array, v: Array, span: float, count: int, weight: float) -> tuple[Array, Array]:
    """(count + 1, ..., nq) and (count + 1, ..., n): the motion (1), (2) at every step."""
    field, n, h = vector_field(robot), robot.n, span / count
    lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    xs, vs = np.empty((count + 1, *lead, robot.nq)), np.empty((count + 1, *lead, n))
    xs[0], vs[0] = q, v
    y = np.zeros((*lead, 2 * n))
    K, heavy = np.empty((len(BUTCHER_A), y.size)), np.asarray(weight)
    for k in range(count):
        y[..., :n], y[..., n:] = 0.0, vs[k]
        for i, row in enumerate(BUTCHER_A):
            at = y + (np.dot(row, K[:i]) * h).reshape(y.shape) if i else y
            K[i] = field(xs[k], at, heavy).ravel()  # (1), (2)
        y += (np.dot(BUTCHER_B, K) * h).reshape(y.shape)
        xs[k + 1], vs[k + 1] = robot.integrate(xs[k], y[..., :n]), y[..., n:]
    return xs, vs


@functools.lru_cache(maxsize=32)
def vector_field(robot: RobotLike) -> Any:
    """The kernel of (1), (2): dy/dt of y = (x, v), from (q, y, weight)."""
    from chasles.function.compile import compile

    heavy, free = _smooth(robot)
    n, own = robot.n, [x.joint.columns for x in robot.mechanism.own_joints]

    def free_motion(q: Any, y: Any, weight: Any) -> Any:
        x, v = y[:n], y[n:]
        at = heavy.integrate(q, x)
        rates, k = [], 0
        for columns in own:
            rates += [v[k]] if len(columns) == 1 else _dexp_inv(columns, x[k:], v[k:])
            k += len(columns)
        return np.concatenate([np.stack(rates), free.forward_dynamics(at, v, heavy.gravity_forces(at) * -weight)])

    return compile(free_motion, q=robot.nq, y=2 * n, weight=())


@functools.lru_cache(maxsize=32)
def _smooth(robot: RobotLike) -> tuple[Any, Any]:
    """The robot without friction, and without gravity too."""
    m = replace(robot.mechanism, has_friction=False)
    return type(robot)(m), type(robot)(replace(m, gravity=np.zeros(3)))


def _dexp_inv(columns: tuple[Twist, ...], x: Any, v: Any) -> list[Any]:
    """dexp^-1_{-x} v on the group of one joint, whose columns are unit vectors of se(3)."""
    X, V = (functools.reduce(Twist.__add__, [S * y[a] for a, S in enumerate(columns)]) for y in (-x, v))
    D = X.dexp_inv(V)  # (2)
    return [next(d for s, d in zip((*S.w, *S.v), (*D.w, *D.v), strict=True) if s == 1.0) for S in columns]


def measures(robot: RobotLike, span: float, x: Array, y: Array, gravity: bool) -> tuple[Array, Array, Array]:
    """Length, energy and drift of motions sampled along the first axis."""
    kinetic = robot.kinetic_energy(x, y)
    energy = kinetic + robot.potential_energy(x) if gravity else kinetic
    length = _integral(np.sqrt(2.0 * kinetic), abs(span) / (len(x) - 1))  # (3)
    return length, energy[0], np.abs(energy - energy[0]).max(axis=0)


def _integral(f: Array, h: float) -> Array:
    """Romberg's, over the first axis: trapezoids of every sample, every second, ..., extrapolated."""
    strides = [s for s in (1, 2, 4, 8) if (len(f) - 1) % s == 0]
    sums = [h * s * (f[::s].sum(axis=0) - (f[0] + f[-1]) / 2.0) for s in strides]
    for k in range(1, len(sums)):
        sums = [(4**k * fine - rough) / (4**k - 1) for fine, rough in itertools.pairwise(sums)]
    return sums[0]
