"""Resolved-rate control: joint velocities by which a frame follows a path, and the joint motion that they make.

    xi' = -K xi,   xi = log(T_d^-1 T)                                             (1)
    qd = J# V + N qd0                                                             (2)

V is the body twist of control/pose_error.py (4), J#, N and limits those of control/redundancy.py, qd0 = -k M^-1 df/dq.
A motion from q0 is integrated by the classical method of order 4 in the canonical coordinates of each step
(derivatives/canonical_coordinates.py). Between samples it is the cubic in these coordinates with the right rates at
both ends.                                                                        (3)
Out of reach and near singularities qd bends within small angles: there steps in which a joint turns far are halved. (4)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import array, instance, not_negative, number, positive, refuse_beyond_memory, vector
from chasles.arguments import steps as number_of_steps
from chasles.control import pose_error
from chasles.control.law import Array, gain
from chasles.control.limits import Limits
from chasles.control.pose_law import PoseLaw, Wanted
from chasles.control.redundancy import HORIZON, Inverse, Objective, Redundancy
from chasles.control.resolved_acceleration import growth
from chasles.control.task_inverse import unserved
from chasles.derivatives.canonical_coordinates import CanonicalRates
from chasles.errors import ModelError
from chasles.paths import Path
from chasles.reprs import quoted
from chasles.robot import Robot

LARGEST_STEP = 3.0  # radians or metres, of a joint: beyond it, half a turn, a motion diverges
LARGEST_UNSERVED_STEP = 0.2  # the same, where a task is served in part: longer steps of `follow` are halved
SERVED = 1e-6  # rad/s and m/s: a task with less left of it is served in full
MOST_HALVINGS = 5


class ResolvedRate(PoseLaw):
    """(2): a callable (t, q) -> qd.

    robot, path, frame, rows: see `PoseLaw` (of a function of t, A is not looked at). K: a number, (6,) or (6, 6), 1/s,
    of (1), no eigenvalue of which has a negative real part. inverse, objective, objective_gain, damping, horizon,
    limits: see `ResolvedAcceleration`. By the inverse "inertia" the gain acts through M^-1: on a joint of small inertia
    m an objective of curvature c decays at the rate k c / m, which the steps of `follow` have to resolve.
    """

    def __init__(
        self,
        robot: Robot,
        path: Wanted,
        *,
        K: ArrayLike = 10.0,
        frame: str | None = None,
        rows: Any = None,
        inverse: Inverse = "inertia",
        objective: Callable[[Any], Any] | None = None,
        objective_gain: float = 1.0,
        damping: float = 0.01,
        horizon: float = HORIZON,
        limits: Limits | bool = False,
    ) -> None:
        super().__init__(robot, path, frame, rows)
        self.K = gain(K, 6, "K")
        if growth(self.K) > 0.0:
            raise ModelError("K: the error would grow: an eigenvalue of K has a negative real part")
        self.redundancy = Redundancy(robot, frame, self.rows, inverse, damping, limits, horizon)
        self.objective = None if objective is None else Objective(robot, objective)
        self.objective_gain = not_negative(objective_gain, "objective_gain")

    def velocity(self, t: float, q: ArrayLike) -> Array:
        """(..., 6) the body twist of the frame that (1) asks for."""
        T_d, V_d, _ = self.wanted(t)
        of = pose_error.point_velocity if self.point else pose_error.linear_velocity
        return of()(T_d, V_d, self._pose(vector(q, "q", self.robot.nq)), self.K)

    def __call__(self, t: float, q: ArrayLike) -> Array:
        """(..., n) the joint velocities at a configuration."""
        return self._resolved(t, vector(q, "q", self.robot.nq))[0]

    def residual(self, t: float, q: ArrayLike) -> Array:
        """(...) |J qd - V| over the rows, in rad/s and m/s: zero where the task is served in full.

        It is not out of reach, near singularities, and where limits do not let it.
        """
        return self._resolved(t, vector(q, "q", self.robot.nq))[1]

    def _resolved(self, t: float, q: Array) -> tuple[Array, Array]:
        """qd and the residual."""
        limits, V = self.redundancy.limits, self.velocity(t, q)
        free = np.zeros((*V.shape[:-1], self.robot.n))
        if self.objective is not None:
            free = free - self.objective_gain * self.redundancy.raised(q, self.objective.gradient(q))
        J = self.robot.jacobian(q, self.frame)
        bounds = limits.velocities(q) if limits else None
        qd = self.redundancy.nearest(q, J, V, free, bounds)  # (2)
        return qd, unserved(J, qd, V, self.rows)

    def follow(self, q0: ArrayLike, duration: float | None = None, dt: float = 1e-2) -> JointMotion:
        """The motion of the joints from q0 (..., nq), over the path's duration by default, in steps of about dt.

        Its `residual` says where the path is not followed as asked for: out of reach, say.
        """
        if duration is None and not isinstance(self.path, Path):
            raise ModelError("duration must be given: what is followed is no chasles.paths.Path")
        span = positive(self.path.duration if duration is None else duration, "duration", "of seconds")  # type: ignore[union-attr]
        steps = max(1, number_of_steps(span, positive(dt, "dt", "of seconds")))
        h, robot = span / steps, self.robot
        canonical = CanonicalRates(robot)
        q = vector(q0, "q0", robot.nq, finite=True)
        refuse_beyond_memory(16.0 * steps * q.size, f"{steps} samples", "take longer steps, or follow in parts")
        found = self._resolved(0.0, q)
        qs, rates, left = [q], [found[0]], [found[1]]
        for k in range(steps):
            t = k * h
            q = self._advanced(canonical, t, q, found, h, MOST_HALVINGS)
            found = self._resolved(t + h, q)
            for kept, x in zip((qs, rates, left), (q, *found), strict=True):
                kept.append(x)
            if not (h * np.abs(rates[-1]) < LARGEST_STEP).all():
                gain = f" or for objective_gain = {self.objective_gain:.6g}, which acts through M^-1"
                raise ModelError(
                    f"follow: the motion diverges at t = {t + h:.6g}: steps of dt = {h:.3g} are too long for "
                    f"K{gain if self.objective else ''}; take a smaller dt or gain"
                )
        shape = rates[-1].shape[:-1]
        qs = [np.broadcast_to(q, (*shape, robot.nq)) for q in qs]
        times, rows = np.linspace(0.0, span, steps + 1), np.stack(left, axis=-1)
        return JointMotion(robot, times, np.stack(qs, axis=-2), np.stack(rates, axis=-2), rows)

    def _advanced(
        self, canonical: CanonicalRates, t: float, q: Array, found: tuple[Array, Array], h: float, halvings: int
    ) -> Array:
        """(..., nq) h seconds after t, where `_resolved` found (qd, residual); (4) in at most 2^halvings steps."""
        rates, left = [found[0]], [found[1]]
        for s in (h / 2, h / 2, h):
            y = s * rates[-1]
            qd, unserved_part = self._resolved(t + s, self.robot.integrate(q, y))
            rates.append(canonical.rate(y, qd))
            left.append(unserved_part)
        x1, x2, x3, x4 = rates
        whole = self.robot.integrate(q, h / 6 * (x1 + 2.0 * (x2 + x3) + x4))
        farthest = h * np.max([np.abs(x).max(axis=-1, initial=0.0) for x in rates], axis=0)
        halved = (farthest > LARGEST_UNSERVED_STEP) & (np.max(left, axis=0) > SERVED)
        if not halvings or not halved.any():
            return whole
        middle = self._advanced(canonical, t, q, found, h / 2, halvings - 1)
        t += h / 2
        end = self._advanced(canonical, t, middle, self._resolved(t, middle), h / 2, halvings - 1)
        return np.where(halved[..., None], end, whole)  # (4)


class JointMotion:
    """A motion of the joints, sampled: t (T,), q (..., T, nq), qd (..., T, n); and between samples, by calling it.

    `motion(t)` gives (q, qd, qdd) at a time, the wanted motion of `ComputedTorque`. residual: (..., T), of one that
    `ResolvedRate.follow` made what is left of the velocity that was asked for, see there; zero if not given.
    """

    def __init__(self, robot: Robot, t: Array, q: Array, qd: Array, residual: Array | None = None) -> None:
        self.robot = instance(robot, "robot", Robot)
        self.t = array(t, "t", (-1,), finite=True)
        if len(self.t) < 2 or not (np.diff(self.t) > 0.0).all():
            raise ModelError("t must be two times or more that increase")
        self.q = array(q, "q", ("...", len(self.t), robot.nq), finite=True)
        self.qd = array(qd, "qd", ("...", len(self.t), robot.n), finite=True)
        left = np.zeros(self.qd.shape[:-1]) if residual is None else residual
        self.residual = array(left, "residual", ("...", len(self.t)), finite=True)
        self._canonical = CanonicalRates(robot)

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """q (..., nq), qd and qdd (..., n) at a time; outside of its times the motion rests."""
        t = number(t, "t")
        if not self.t[0] - 1e-9 <= t <= self.t[-1] + 1e-9:
            k = 0 if t < self.t[0] else -1
            rest = np.zeros(self.qd[..., k, :].shape)
            return self.q[..., k, :], rest, rest
        k = int(np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.t) - 2))
        h, s = self.t[k + 1] - self.t[k], t - self.t[k]
        q, v, end = self.q[..., k, :], self.qd[..., k, :], self.qd[..., k + 1, :]
        x = self.robot.difference(q, self.q[..., k + 1, :])
        bend = 3.0 * x / h**2 - (2.0 * v + self._canonical.rate(x, end)) / h
        turn = (v + self._canonical.rate(x, end)) / h**2 - 2.0 * x / h**3
        y, yd, ydd = v * s + bend * s**2 + turn * s**3, v + 2 * bend * s + 3 * turn * s**2, 2 * bend + 6 * turn * s
        return self.robot.integrate(q, y), *self._canonical.velocity(y, yd, ydd)  # (3)

    def __repr__(self) -> str:
        return f"<JointMotion of {quoted(self.robot.name)}: {self.t[-1]:.6g} s, {len(self.t)} samples>"
