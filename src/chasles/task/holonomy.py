"""Lifts of paths, and the drift of the joints over loops of the tool.

A path T(t) of a frame, 0 <= t <= 1, with body twist V, is lifted by an inverse B of the Jacobian:

    dq/dt = B(q) V(t),   q(0) = q0                                                (1)

by Runge and Kutta's method of order 4, on joints that are groups in the canonical coordinates x of a step,
q = integrate(q_k, x) (derivatives/canonical_coordinates.py).

After every step the pose is corrected along the lift, q <- integrate(q, B e), e the way from the pose to T(t): the
frame keeps to the path, and what is left free goes as (1) says. V is in the axes of space at the frame's origin, rows
too. Of a function T(t) it is had from its five values c = 0, 1/4, ..., 1 in a step,

    T(t + c h) = T(t) exp(z(c)),   V = dexp_{-z} dz/dc / h,  z by a polynomial    (2)

of order 4 too; of an array of poses, joined by screw motions, exactly. A path whose velocity jumps must do so between
steps.

Over a loop, T(1) = T(0), the joints need not come back. What is left is the holonomy of the lift [RED-12]: vertical,
zero for every small loop where the brackets of repeatability.py vanish, and else as large as the loop's area.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles import arrays
from chasles.arguments import count, poses, vector
from chasles.arguments import function as function_of
from chasles.derivatives.canonical_coordinates import CanonicalRates
from chasles.errors import ModelError, ShapeError
from chasles.figures import SMALL, TEXT, WIDTHS, gridded, label, new_axes, new_figure, typeset
from chasles.model.task import Task
from chasles.paths.lie import exp, log, rotation_vector
from chasles.paths.lie import inverse as inverse_pose
from chasles.reprs import record
from chasles.robot_like import RobotLike
from chasles.task.inverse import Choice, Inverse, inverse_of

Array = NDArray[np.float64]
CLOSED_WITHIN = 1e-6  # metres or radians that the ends of a loop, or q0 and its start, may be apart
NODES = np.linspace(0.0, 1.0, 5)
_powers = np.vander(NODES, 5, increasing=True)
SLOPE = (np.arange(5) * np.vander(NODES, 5, increasing=True)[:, [0, 0, 1, 2, 3]]) @ np.linalg.inv(_powers)


@record()
@dataclass(frozen=True, eq=False, repr=False)
class LiftedPath:
    """A path of the joints over a path of a frame; leading axes are a batch of starts.

    t: (T,) from 0 to 1, or to the number of loops. q: (..., T, nq). residual: (...) how far the frame is from its path
    at most, metres or radians. error: (...) how far the end moves if the steps are twice as long, the largest component
    of `difference`; of order 4, a sixteenth of it is left.
    """

    t: Array
    q: Array
    residual: Any
    error: Any


@record()
@dataclass(frozen=True, eq=False, repr=False)
class Holonomy(LiftedPath):
    """The joints over a loop of a frame, passed several times.

    drift: (..., n) from q0 to the end, as `difference`. per_loop: (..., loops, n) from the start of each loop to its
    end. Both are nan where the frame does not keep to its path, as where it leaves the robot's reach. inverse: its
    name. names: of the joints.
    """

    drift: Array
    per_loop: Array
    inverse: str
    names: tuple[str, ...]

    @property
    def size(self) -> Any:
        """(...) the largest component of the drift."""
        return np.abs(self.drift).max(axis=-1)[()]

    def describe(self) -> str:
        """The same as a sentence."""
        loops = self.per_loop.shape[-2]
        if np.isnan(self.drift).any():
            return f"{self.inverse}: the frame does not keep to its path: it is {np.max(self.residual):.3g} off"
        many = f"{loops} loop{'s' * (loops > 1)}"
        return (
            f"{self.inverse}: the joints are off by up to {np.max(self.size):.3g} after {many} "
            f"(computed to {np.max(self.error) / 16.0:.0e}; the frame keeps to its path to {np.max(self.residual):.0e})"
        )

    __str__ = describe

    def plot(self) -> Any:
        """A matplotlib Figure: the joints over time, and their drift loop by loop; of the first start of a batch."""
        q = self.q.reshape(-1, *self.q.shape[-2:])[0]
        drift = self.per_loop.reshape(-1, *self.per_loop.shape[-2:])[0]
        figure = new_figure(WIDTHS["two columns"], 2.4)
        left, right = (gridded(new_axes(figure, (1, 2, k))) for k in (1, 2))
        names = self.names if len(self.names) == q.shape[-1] == drift.shape[-1] else ()
        for k, row in enumerate((q - q[0]).T):
            left.plot(self.t, row, label=names[k] if names else f"q{k}")
        label(left, x="loops", y=typeset("way from the start", "rad or m"))
        figure.legend(loc="outside right upper", fontsize=SMALL, frameon=False)
        total = np.concatenate([np.zeros((1, drift.shape[-1])), np.cumsum(drift, axis=0)])
        for row in total.T:
            right.plot(np.arange(len(total)), row, marker="o", markersize=3)
        label(right, x="loops", y=typeset("drift", "rad or m"))
        figure.suptitle(self.inverse, fontsize=TEXT)
        return figure

    def _headline(self) -> str:
        return self.describe()


def lift_path(robot: RobotLike, path: Any, q0: ArrayLike, inverse: Choice, task: Task, steps: int = 256) -> LiftedPath:
    """The path of the joints from q0 (..., nq) over a path of a frame.

    path: a function of t in [0, 1] that gives poses (..., 4, 4) for times (...), an array of poses (K, 4, 4), joined by
    screws, or a path of chasles.paths. steps: at least so many, of equal length on every piece.
    """
    curve = _curve("lift_path", path, steps)
    t, q, residual, error = _lifted("lift_path", robot, curve, q0, inverse, task, 1)
    return LiftedPath(t, q, residual, error)


def holonomy(
    robot: RobotLike, loop: Any, inverse: Choice, q0: ArrayLike, task: Task, *, loops: int = 1, steps: int = 256
) -> Holonomy:
    """What a loop of a frame, passed `loops` times, leaves in the joints [RED-12]; loop: as path of `lift_path`."""
    loops = count(loops, "holonomy: loops")
    curve = _curve("holonomy", loop, steps)
    rows = list(task[0][1])
    gap = float(np.abs(_way(curve.T[0, 0], curve.T[-1, -1])[rows]).max())
    if gap > CLOSED_WITHIN:
        raise ModelError(f"holonomy: loop does not close: its end is {gap:.3g} (m or rad) from its start")
    t, q, residual, error = _lifted("holonomy", robot, curve, q0, inverse, task, loops)
    ends = q[..., :: len(curve.T), :]
    per_loop = robot.difference(ends[..., :-1, :], ends[..., 1:, :])
    lost = ~(np.asarray(residual) <= CLOSED_WITHIN)
    per_loop = np.where(lost[..., None, None], np.nan, per_loop)
    drift = np.where(lost[..., None], np.nan, robot.difference(ends[..., 0, :], ends[..., -1, :]))
    name = inverse if isinstance(inverse, str) else "a weight" if not callable(inverse) else "a function"
    return Holonomy(t, q, residual, error, drift, per_loop, name, robot.joint_names)


class _Curve(NamedTuple):
    """Steps of a path: t (K, 5) times, T (K, 5, 4, 4) poses and V (K, 5, 6) body twists in unit time, at NODES."""

    t: Array
    T: Array
    V: Array


def starting_pose(path: Any) -> Array:
    """(4, 4) where a path begins."""
    return _curve("holonomy", path, 2).T[0, 0]


def _curve(function: str, path: Any, steps: int) -> _Curve:
    steps = count(steps, f"{function}: steps", 2)
    what = "loop" if function == "holonomy" else "path"
    if hasattr(path, "motion") and hasattr(path, "knots"):
        return _of_path(function, what, path, steps)
    if callable(path):
        return _of_function(function, what, path, steps)
    return _of_poses(function, what, path, steps)


def _times(knots: Array, steps: int) -> Array:
    """(K, 5), an even number of steps of equal length on every piece, at least `steps` in all."""
    each = [2 * max(1, int(np.ceil(steps * width / (2.0 * knots[-1])))) for width in np.diff(knots)]
    parts = [np.linspace(a, b, count + 1) for a, b, count in zip(knots[:-1], knots[1:], each, strict=True)]
    starts = np.concatenate([part[:-1] for part in parts])
    lengths = np.concatenate([np.diff(part) for part in parts])
    return starts[:, None] + lengths[:, None] * NODES


def _of_path(function: str, what: str, path: Any, steps: int) -> _Curve:
    if path.batch:
        raise ShapeError(f"{function}: {what} must be one path, got a batch {path.batch}")
    t = _times(np.asarray(path.knots, dtype=float), steps)
    inside = t + (t.mean(axis=1, keepdims=True) - t) * 1e-9  # the velocity of the piece that the step is on
    return _Curve(t / path.duration, path.motion(t).pose, path.motion(inside).velocity * path.duration)


def _of_function(function: str, what: str, path: Any, steps: int) -> _Curve:
    t = _times(np.array([0.0, 1.0]), steps)
    first = np.shape(function_of(path, "t", f"{function}: {what}")(0.0))
    if first != (4, 4):
        raise ShapeError(f"{function}: {what} must give a pose (4, 4) for a time, got {first}")
    try:
        T = np.asarray(path(t), dtype=float)
    except (TypeError, ValueError):
        T = np.empty(0)
    if T.shape != (*t.shape, 4, 4):  # it does not take arrays of times
        T = np.stack([np.asarray(path(float(x)), dtype=float) for x in t.flat]).reshape(*t.shape, 4, 4)
    T = poses(T, f"{function}: {what}")
    z = log(inverse_pose(T[:, :1]) @ T)
    slope = np.einsum("cd,kdi->kci", SLOPE, z) / (t[:, -1] - t[:, 0])[:, None, None]
    Z, D = (arrays.twist(np.moveaxis(x, -1, 0)) for x in (-z, slope))
    V = np.stack(np.broadcast_arrays(*arrays.from_twist(Z.dexp(D))), axis=-1)  # (2)
    return _Curve(t, T, V)


def _of_poses(function: str, what: str, path: Any, steps: int) -> _Curve:
    given = poses(path, f"{function}: {what}")
    if given.ndim != 3 or len(given) < 2:
        raise ShapeError(
            f"{function}: {what} must be a function of t or poses (K, 4, 4), K at least 2, got {given.shape}"
        )
    knots = np.linspace(0.0, 1.0, len(given))
    t = _times(knots, steps)
    piece = np.minimum((t.mean(axis=1) * (len(given) - 1)).astype(int), len(given) - 2)
    screw = log(inverse_pose(given[:-1]) @ given[1:])[piece][:, None]
    part = t * (len(given) - 1) - piece[:, None]
    T = given[piece][:, None] @ exp(screw * part[..., None])
    return _Curve(t, T, np.broadcast_to(screw * (len(given) - 1), (*t.shape, 6)))


def _lifted(
    function: str, robot: RobotLike, curve: _Curve, q0: ArrayLike, inverse: Choice, task: Task, loops: int
) -> tuple[Array, Array, Any, Any]:
    if len(task) != 1:
        raise ModelError(f"{function}: frame must be one frame: paths of several are not followed")
    chosen, frame, rows = inverse_of(robot, inverse, task, "mixed"), task[0][0], list(task[0][1])
    start = _start(function, robot, q0)
    gap = float(np.abs(_way(robot.forward_kinematics(start, frame), curve.T[0, 0])[..., rows]).max(initial=0.0))
    if not gap <= CLOSED_WITHIN:
        raise ModelError(f"{function}: q0 is not on the path: the frame is {gap:.3g} (m or rad) from where it starts")
    coarse = _Curve(*(_doubled(x) for x in curve))
    fine = _follow(chosen, curve, start, frame, rows, loops)
    rough = _follow(chosen, coarse, start, frame, rows, loops)
    error = np.abs(robot.difference(fine[-1], rough[-1])).max(axis=-1)
    t = np.concatenate([k + curve.t[:, 0] for k in range(loops)] + [[float(loops)]])
    target = np.concatenate([*([curve.T[:, 0]] * loops), curve.T[-1:, -1]])
    q = np.moveaxis(fine, 0, -2)
    off = np.abs(_way(robot.forward_kinematics(q, frame), target)[..., rows]).max(axis=(-2, -1))
    return t, q, off[()], error[()]


def _doubled(x: Array) -> Array:
    """Steps of twice the length: the middle of each is the end of a short one."""
    first, second = x[0::2], x[1::2]
    return np.stack([first[:, 0], first[:, 2], first[:, 4], second[:, 2], second[:, 4]], axis=1)


def _follow(inverse: Inverse, curve: _Curve, q: Array, frame: str | None, rows: list[int], loops: int) -> Array:
    """(T, ..., nq) by (1)."""
    robot, h = inverse.robot, curve.t[:, -1] - curve.t[:, 0]
    R = curve.T[..., :3, :3]
    V = np.concatenate([np.einsum("kcij,kcj->kci", R, curve.V[..., part]) for part in (slice(3), slice(3, 6))], axis=-1)
    V, canonical = V[..., rows], CanonicalRates(robot)

    def rate(q: Array, x: Array, V: Array) -> Array:
        return canonical.rate(x, np.einsum("...nm,m->...n", inverse.matrix(robot.integrate(q, x)), V))  # (1)

    def corrected(q: Array, T: Array) -> Array:
        way = _way(robot.forward_kinematics(q, frame), T)[..., rows]
        return robot.integrate(q, np.einsum("...nm,...m->...n", inverse.matrix(q), way))

    for _ in range(2):
        q = corrected(q, curve.T[0, 0])
    out = [q]
    for _ in range(loops):
        for k, step in enumerate(h):
            a = rate(q, np.zeros((*q.shape[:-1], robot.n)), V[k, 0])
            b = rate(q, a * (step / 2.0), V[k, 2])
            c = rate(q, b * (step / 2.0), V[k, 2])
            d = rate(q, c * step, V[k, 4])
            q = corrected(robot.integrate(q, (a + 2.0 * (b + c) + d) * (step / 6.0)), curve.T[k, 4])
            out.append(q)
    return np.stack(out)


def _start(function: str, robot: RobotLike, q0: ArrayLike) -> Array:
    return robot.normalize(vector(q0, f"{function}: q0", robot.nq))


def _way(T: Array, target: Array) -> Array:
    """(..., 6) how to turn and to shift T to the target, in the axes of space."""
    R = T[..., :3, :3]
    turn = rotation_vector(np.swapaxes(R, -1, -2) @ target[..., :3, :3])
    shift = target[..., :3, 3] - T[..., :3, 3]
    turned = np.einsum("...ij,...j->...i", R, turn)
    return np.concatenate(np.broadcast_arrays(turned, shift), axis=-1)
