"""Maps over two joints of a robot: curvature, manipulability, torques, or any function of its configurations.

All values of a map are one call of a compiled function. Colours span what the values do, but for the few that lie far
beyond the rest: those of curvature about zero, where a robot is flat; grey is where there is no value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import count, flag, function, real, sequence, text
from chasles.colour_scales import SIGNED, SIZES, UNKNOWN
from chasles.drawn_systems import robot_of
from chasles.errors import ModelError, ShapeError
from chasles.figures import framed, typeset
from chasles.figures import label as labelled
from chasles.literals import Metric
from chasles.model.mechanism import TENSOR_LIMIT
from chasles.model.task import Rows
from chasles.plot.colour_bars import colour_bar, colour_map
from chasles.plot.joint_plane import UNIT, Axis, Slice, Values, axes, curvature_over, grid, most_varied
from chasles.plot.systems import configuration, frame_poses, one_joint
from chasles.plot.views import plane_axes, plane_of, refuse_no_axes
from chasles.recorded_motion.labels import labels_of
from chasles.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Pair = Sequence[str | int] | None
SIZE, SLOW_SIZE = 160, 12  # cells an axis; of curvature that is computed link by link
CHOOSING, SLOW_CHOOSING, FEW = 7, 3, 3  # cells an axis on which joints are chosen; among so many, where that is slow
LARGEST_SIZE = 2000
FLATNESS = 8  # configurations that tell whether a robot is flat
OUTER = 3.0  # values so many times beyond the 98% are left out of the scale
FROM_ZERO = 0.3  # of the largest value: scales that would begin below it begin at zero
LINES = 8  # contours
NOTHING = 1e-9  # of the largest force: smaller ones are rounding


def joint_map(
    robot: Robot,
    values: Callable[[Any], Any],
    joints: Pair = None,
    *,
    at: ArrayLike | None = None,
    label: str = "",
    unit: str = "",
    about_zero: bool = False,
    size: int = SIZE,
    ax: Axes | None = None,
) -> Figure:
    """A Figure of a function of configurations over two joints, the others where `at` (nq,) has them.

    values: takes (k, nq) and returns (k,), nan where there is no value. joints: two by name or index, across and up
    (default: those over which the values vary most). label, unit: of the values, "m^2". about_zero: colours diverge
    from zero. at: by default home, or the middle of the limits where home is outside of them. size: cells an axis. ax:
    axes to draw on (default: those of a new Figure).
    """
    own = _robot("joint_map", robot)
    function(values, "q", "joint_map: values")
    flag(about_zero, "joint_map: about_zero")

    def asked(q: Array, _: str) -> Array:
        found = real(values(q), "joint_map: what values returns")
        if found.shape != (len(q),):
            raise ShapeError(f"joint_map: values must return ({len(q)},) for q {q.shape}, got {found.shape}")
        return found

    name, in_unit = text(label, "joint_map: label"), text(unit, "joint_map: unit")
    cut = _slice("joint_map", own, asked, joints, at, size, ax)
    return draw_map(cut, name, in_unit, _limits(cut, about_zero), about_zero, ax)


def curvature_map(
    robot: Robot, joints: Pair = None, *, at: ArrayLike | None = None, size: int | None = None, ax: Axes | None = None
) -> Figure:
    """A Figure of the scalar curvature of the mass matrix over two joints, colours diverging from zero.

    size: cells an axis (default: 160; 12 above 12 degrees of freedom). joints, at, ax: as of `joint_map`.
    """
    own = _robot("curvature_map", robot)
    fast = own.n <= TENSOR_LIMIT
    cells = SIZE if fast else SLOW_SIZE
    x, y, q, cells = _plane("curvature_map", own, curvature(own), joints, at, cells if size is None else size, ax, fast)
    cut = curvature_over(own, x, y, q, curvature(own), cells)
    if not np.isfinite(cut.values).any():
        raise ModelError(f"curvature_map: the mass matrix of {own.name!r} is singular over {x.name} and {y.name}")
    limit = cut.limit(own.flatness(samples=FLATNESS).is_flat)
    return draw_map(cut, "scalar curvature", UNIT, (-limit, limit), True, ax)


def manipulability_map(
    robot: Robot,
    joints: Pair = None,
    *,
    frame: str | None = None,
    rows: Rows = None,
    metric: Metric = "euclidean",
    at: ArrayLike | None = None,
    size: int = SIZE,
    ax: Axes | None = None,
) -> Figure:
    """A Figure of the manipulability of a frame (default: the tool) over two joints: zero at singularities.

    rows, metric: as of `Robot.manipulability` (default rows: the velocity of the frame's origin, in the plane of a
    planar robot). joints, at, size, ax: as of `joint_map`.
    """
    own = _robot("manipulability_map", robot)
    frame_poses("manipulability_map", own, own.neutral(), frame)
    plane = plane_of(own.mechanism)
    chosen = rows if rows is not None else " ".join(f"t{x}" for x in (plane or "xyz"))
    options = {"frame": frame, "rows": chosen, "expressed": "mixed", "metric": metric}
    many = np.atleast_2d(own.singular_values(own.neutral(), **options)).shape[-1]
    cut = _slice("manipulability_map", own, lambda q, _: own.manipulability(q, **options), joints, at, size, ax)
    unit = ("m" if many == 1 else f"m^{many}") if rows is None and metric == "euclidean" else ""
    return draw_map(cut, "manipulability", unit, _limits(cut, False), False, ax)


def torque_map(
    robot: Robot,
    joints: Pair = None,
    *,
    of: str | int | None = None,
    at: ArrayLike | None = None,
    size: int = SIZE,
    ax: Axes | None = None,
) -> Figure:
    """A Figure of the force or torque of a joint that holds a robot against gravity, over two joints.

    of: the joint, by name or index. Default: of those of one degree of freedom that with the largest share of its
    effort on the map, if all that carry something have a limit; else with the largest torque, or force where nothing
    that turns carries. joints, at, size, ax: as of `joint_map`.
    """
    own = _robot("torque_map", robot)
    if not np.any(own.gravity):
        raise ModelError(
            f"torque_map: robot {own.name!r} has no gravity, give it some: robot.with_gravity([0, 0, -9.81])"
        )
    held = None if of is None else one_joint("torque_map", own, of, "of").v.start

    def asked(q: Array, _: str) -> Array:
        forces = own.gravity_forces(q)
        return forces[:, most_loaded(own, forces) if held is None else held]

    x, y, q, cells = _plane("torque_map", own, asked, joints, at, size, ax)
    forces = own.gravity_forces(grid(x, y, q, cells))
    k = most_loaded(own, forces) if held is None else held
    cut, labels = Slice(x, y, q, forces[:, k].reshape(cells, cells)), labels_of(own, "", 0.0)
    unit = labels.forces()[k]
    name = f"holding {'force' if unit == 'N' else 'torque'} of {labels.qd[k]}"
    return draw_map(cut, name, unit, _limits(cut, True), True, ax)


def most_loaded(robot: Robot, forces: Array) -> int:
    """The velocity whose force, of forces (k, n), is the largest as `torque_map` compares them."""
    largest, effort = np.abs(forces).max(axis=0), robot.limits["effort"]
    single = np.zeros(robot.n, bool)
    single[[own.v.start for own in robot.mechanism.own_joints if own.joint.nq == 1]] = True
    loaded = single & (largest > NOTHING * largest.max())
    if not loaded.any():
        return int(single.argmax())
    if np.isfinite(effort[loaded]).all() and (effort[loaded] > 0.0).all():
        return int(np.where(loaded, largest / np.where(loaded, effort, 1.0), -1.0).argmax())
    turning = loaded & (np.array(labels_of(robot, "", 0.0).forces()) == "N m")
    return int(np.where(turning if turning.any() else loaded, largest, -1.0).argmax())


def curvature(robot: Robot) -> Values:
    """Scalar curvature of configurations (k, nq), nan where M is singular: one batch where it is compiled."""

    def values(q: Array, _: str) -> Array:
        with np.errstate(all="ignore"):
            if robot.n <= TENSOR_LIMIT:
                return robot.scalar_curvature(q)
            out = np.full(len(q), np.nan)
            for k, row in enumerate(q):
                try:
                    out[k] = robot.scalar_curvature(row)
                except np.linalg.LinAlgError:
                    continue
            return out

    return values


def draw_map(
    cut: Slice, name: str, unit: str, limits: tuple[float, float], about_zero: bool = True, ax: Any = None
) -> Figure:
    """A Figure of a slice, with a bar of its colours, which end at `limits`."""
    on = plane_axes("map", ax, 0.8)
    shown = np.ma.masked_invalid(cut.values)
    extent = (cut.x.lower, cut.x.upper, cut.y.lower, cut.y.upper)
    low, high = limits
    colours = colour_map(SIGNED if about_zero else SIZES)
    options: Any = {"cmap": colours, "vmin": low, "vmax": high, "origin": "lower", "extent": extent, "aspect": "auto"}
    image = on.imshow(shown, interpolation="none", **options)
    span = float(shown.max() - shown.min())
    if min(cut.values.shape) >= 2 and span > 1e-9 * max(abs(low), abs(high)):
        levels = np.linspace(low, high, LINES + 1)[1:-1]
        clipped = np.ma.clip(shown, low, high)
        points = [axis.points(len(cut.values)) for axis in (cut.x, cut.y)]
        lines = on.contour(*points, clipped, levels=levels, colors="#000000", linewidths=0.35, alpha=0.45)
        lines.set_linestyle("-")
    on.set_facecolor(UNKNOWN)
    for axis, joint in ((on.xaxis, cut.x), (on.yaxis, cut.y)):
        _ticks(axis, joint)
    labelled(on, x=typeset(cut.x.name, cut.x.unit), y=typeset(cut.y.name, cut.y.unit))
    beyond = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
    extend = beyond[bool(shown.min() < low), bool(shown.max() > high)]
    colour_bar(on, image, typeset(name, unit), extend)
    framed(on)
    return on.figure


def _ticks(axis: Any, joint: Axis) -> None:
    """At multiples of a quarter turn where a joint turns so far."""
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    span = joint.upper - joint.lower
    if joint.unit != "rad" or span < 1.5 * np.pi or span > 5.0 * np.pi:
        return
    axis.set_major_locator(MultipleLocator(np.pi / 2.0 if span < 2.6 * np.pi else np.pi))
    names = {0: "0", 1: "\u03c0/2", -1: "\u2212\u03c0/2", 2: "\u03c0", -2: "\u2212\u03c0"}

    def written(x: float, _: Any) -> str:
        k = round(2.0 * x / np.pi)
        whole = f"{k // 2}\u03c0" if k % 2 == 0 else f"{k}\u03c0/2"
        return names.get(k, whole.replace("-", "\u2212"))

    axis.set_major_formatter(FuncFormatter(written))


def _limits(cut: Slice, about_zero: bool) -> tuple[float, float]:
    """Where colours end: at the values' own ends, or where 98% of them do if the rest are far beyond that."""
    if about_zero:
        limit = cut.limit(False)
        return -limit, limit
    known = cut.values[np.isfinite(cut.values)]
    if not known.size:
        raise ModelError("joint_map: there is no value on the whole map, all are nan or infinite")
    low, high = float(known.min()), float(known.max())
    inner_low, inner_high = (float(x) for x in np.percentile(known, [2.0, 98.0]))
    width = inner_high - inner_low
    if width > 0.0:
        low = inner_low if inner_low - low > OUTER * width else low
        high = inner_high if high - inner_high > OUTER * width else high
    if 0.0 < low < FROM_ZERO * high:
        low = 0.0
    return (low, high) if high > low else (low - 0.5 * abs(low or 1.0), high + 0.5 * abs(high or 1.0))


def _robot(what: str, robot: Any) -> Robot:
    own = robot_of(robot, what)
    if own is not robot:
        raise ModelError(f"{what}: robot must be a Robot: under constraints its joints do not move one by one")
    return own


def _slice(what: str, robot: Robot, values: Values, joints: Pair, at: Any, size: int, ax: Any) -> Slice:
    x, y, q, cells = _plane(what, robot, values, joints, at, size, ax)
    return Slice(x, y, q, values(grid(x, y, q, cells), what).reshape(cells, cells))


def _plane(
    what: str, robot: Robot, values: Values, joints: Pair, at: Any, size: Any, ax: Any, fast: bool = True
) -> tuple[Axis, Axis, Array, int]:
    """The joints across and up, where the others are, and how many cells, checked before anything is computed."""
    cells = count(size, f"{what}: size", 2)
    if cells > LARGEST_SIZE:
        raise ModelError(f"{what}: size must be at most {LARGEST_SIZE}, got {cells}")
    q = configuration(what, robot, at, "at")
    if ax is not None:
        refuse_no_axes(what, ax)
    known = axes(robot)
    if len(known) < 2:
        raise ModelError(
            f"{what}: robot {robot.name!r} has {len(known)} joints of one degree of freedom that move, and a map "
            "needs two; draw its values over one joint, or use vector_field"
        )
    if joints is None:
        points = CHOOSING if fast else SLOW_CHOOSING
        return (*most_varied(known if fast else known[:FEW], q, values, points), q, cells)
    given = sequence(joints, f"{what}: joints", "two joints")
    if len(given) != 2:
        raise ModelError(f"{what}: joints must be two, got {len(given)}")
    own = [one_joint(what, robot, joint, "joints") for joint in given]
    picked = [axis for one in own for axis in known if axis.name == one.name]
    if len(picked) < 2 or picked[0] == picked[1]:
        raise ModelError(
            f"{what}: joints must be two that move, one of them twice or locked: {', '.join(x.name for x in own)}"
        )
    return picked[0], picked[1], q, cells
