"""Coupler curves: what a point of a linkage of one degree of freedom describes, over all of its motion.

The configurations that satisfy h(q) = 0 are curves. One is followed from q by steps of length s along its tangent,

    q <- q + s t,  A t = 0, |t| = 1;   q <- q - A^+ h(q) until h = 0              (1)

with t on the side of the last step, so that it passes where a crank turns back, and through change points, until all
links are again where they were. Other curves, the linkage assembled in another way, are found from random
configurations by the second half of (1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import flag
from chasles.arguments import point as point_of
from chasles.constrained import ConstrainedSystem
from chasles.drawn_systems import robot_of
from chasles.errors import ModelError
from chasles.figures.style import HAIR, INK, LINE
from chasles.model.drawn_shapes import joint_point, size
from chasles.palette import SKY, VERMILLION
from chasles.plot.systems import configuration, frame_poses
from chasles.plot.views import checked_view, extended, flat, opened
from chasles.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
ORIGIN = (0.0, 0.0, 0.0)
STEP = 0.02  # s of (1), rad or m
MOST_STEPS = 20_000
CORRECTIONS, SOLVED = 30, 1e-11
SEEDS = 24  # random configurations from which other curves are looked for
HELD = 1e-9  # over the size of the robot: a point that moves less does not
RANK = 1e-7  # of a singular value of A, over the largest


def coupler_curve(
    system: ConstrainedSystem,
    frame: str | None = None,
    point: ArrayLike = ORIGIN,
    *,
    q: ArrayLike | None = None,
    branches: bool = True,
    ax: Axes | None = None,
    view: str | None = None,
) -> Figure:
    """A Figure of the curve of a point (3,) of a frame (default: the tool) over all motion of a linkage.

    system: of one degree of freedom. frame: one that moves, such as the link of the coupler. q: (nq,) on the
    constraints: the curve through it is drawn in full, and the point there (default: near home, or the middle of the
    limits where home is outside of them). branches: the curves of other assemblies too, in sky blue. ax, view: as of
    `robot`.
    """
    if not isinstance(system, ConstrainedSystem):
        raise ModelError(
            "coupler_curve: system must be a ConstrainedSystem, a robot with its loop closed, "
            f"got {type(system).__name__}"
        )
    own = robot_of(system, "coupler_curve")
    local = np.append(point_of(point, "coupler_curve: point"), 1.0)
    flag(branches, "coupler_curve: branches")
    at = configuration("coupler_curve", system, q)
    frame_poses("coupler_curve", own, at, frame)
    _refuse_no_linkage(system)
    checked_view("coupler_curve", own.mechanism, ax, view)
    found = curves(system, at) if branches else [followed(system, at)]
    drawn = [(own.forward_kinematics(rows, frame) @ local)[:, :3] for rows in found]
    _refuse_no_motion(own, frame, drawn)
    on, view = opened("coupler_curve", own.mechanism, ax, view)
    for k, points in enumerate(drawn):
        style = {"color": SKY, "linestyle": "-"} if k else {"color": VERMILLION, "linestyle": "-"}
        on.plot(*flat(points, view), linewidth=1.3 * LINE, zorder=3.5, **style)
        extended(on, points)
    here = (own.forward_kinematics(at, frame) @ local)[:3]
    for end in _joints(own, at, frame):
        on.plot(*flat(np.array([end, here]), view), color=INK, linewidth=HAIR, linestyle="-", zorder=3.2)
    on.plot(
        *flat(here[None], view),
        "o",
        color=VERMILLION,
        markeredgecolor=INK,
        markersize=4.5,
        markeredgewidth=HAIR,
        zorder=5,
    )
    return on.figure


def curves(system: ConstrainedSystem, q: Array) -> list[Array]:
    """All curves (k, nq) of configurations that are found, the one through q (nq,) first."""
    robot: Any = system.system
    found = [followed(system, q)]
    rng = np.random.default_rng(0)
    for _ in range(SEEDS):
        seed = corrected(system, robot.random(rng))
        if seed is not None and _distance(robot, np.concatenate(found), seed) > 3.0 * STEP:
            found.append(followed(system, seed))
    return found


def followed(system: ConstrainedSystem, q: Array) -> Array:
    """(k, nq) the curve of configurations through q, by (1); its last is its first again where it is closed."""
    forward, closed = _half(system, q, None)
    if closed:
        return np.array(forward)
    backward, _ = _half(system, q, -_tangent(system, q, None))
    return np.array(backward[:0:-1] + forward)


def corrected(system: ConstrainedSystem, q: Array) -> Array | None:
    """(nq,) on the constraints, from one near them; None where there is none."""
    for _ in range(CORRECTIONS):
        left = system.residual(q)
        if np.abs(left).max() < SOLVED:
            return q
        step = np.linalg.lstsq(system.rows.A(q), left, rcond=RANK)[0]
        q = system.integrate(q, -step)
    return None


def _half(system: ConstrainedSystem, q: Array, along: Array | None) -> tuple[list[Array], bool]:
    """The curve on one side of q, until all links are where they were, or where it ends; and whether it is closed."""
    robot: Any = system.system
    tangent = first = _tangent(system, q, along)
    out, left = [q], False
    for _ in range(MOST_STEPS):
        step, new = STEP, None
        while new is None and step > 1e-3 * STEP:
            new = corrected(system, system.integrate(out[-1], step * tangent))
            step /= 2.0
        if new is None or not np.isfinite(new).all():
            return out, False
        tangent = _tangent(system, new, tangent)
        away = _distance(robot, q[None], new)
        left = left or away > 2.0 * STEP
        if left and away < STEP and tangent @ first > 0.5:
            return [*out, q], True
        out.append(new)
    return out, False


def _tangent(system: ConstrainedSystem, q: Array, along: Array | None) -> Array:
    """(n,) of length one, allowed by the constraints; of several at a change point, the nearest to `along`."""
    _, values, rows = np.linalg.svd(system.rows.A(q))
    rank = int((values > RANK * values[0]).sum())
    free = rows[min(rank, len(rows) - 1) :]
    if along is None:
        return free[0]
    found = free.T @ (free @ along)
    return found / np.linalg.norm(found)


def _distance(robot: Any, rows: Array, q: Array) -> float:
    """The least over rows (k, nq) of how far links are from where q (nq,) has them, as matrices; turns do not count."""
    return float(np.abs(robot.link_poses(rows) - robot.link_poses(q)).max(axis=(1, 2, 3)).min())


def _joints(robot: Any, q: Array, frame: str | None) -> list[Array]:
    """The places of the joints of the link that carries a frame: its own, and those that it carries."""
    m = robot.mechanism
    link = m.frame(frame).body
    if link < 0:
        return []
    moved = robot.link_poses(q)[link] @ np.linalg.inv(m.homes[link])
    ends = [link, *(k for k, parent in enumerate(m.parents) if parent == link)]
    return [(moved @ [*joint_point(m, k), 1.0])[:3] for k in ends]


def _refuse_no_motion(robot: Robot, frame: str | None, drawn: list[Array]) -> None:
    """Where the point is held, as the tip of a linkage that the ground holds is."""
    if max(float(np.ptp(points, axis=0).max()) for points in drawn) > HELD * size(robot.mechanism):
        return
    links = ", ".join(repr(name) for name in robot.link_names)
    raise ModelError(
        f"coupler_curve: the point of frame {robot.mechanism.frame(frame).name!r} does not move, it is held: give "
        f"frame=, such as a link ({links}), and point=, in that frame"
    )


def _refuse_no_linkage(system: ConstrainedSystem) -> None:
    if system.degrees_of_freedom != 1:
        raise ModelError(
            f"coupler_curve: system must have one degree of freedom, and {system.name!r} has "
            f"{system.degrees_of_freedom}: hold the others with Constraint.fixed"
        )
    if any(part.values is None for part in system.constraint.parts):
        raise ModelError("coupler_curve: a constraint on velocities, such as rolling, leaves no curve to draw")
