"""Ellipsoids of a frame's velocities and forces, at joint velocities and forces of length one.

    {J qd : qd^T W^-1 qd <= 1} = {x : x^T A^-1 x <= 1},   A = J W J^T             (1)
    {f : (J^T f)^T W (J^T f) <= 1} = {f : f^T A f <= 1}                           (2)

J has the rows of the frame's origin in space axes, those of its plane alone for a planar robot; W = 1, or M^-1 in the
inertia metric, where qd has a kinetic energy of 1/2 J. What is fast is weak: (2) has the axes of (1), inverted.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import one_of, positive
from chasles.constrained import ConstrainedSystem
from chasles.drawn_systems import robot_of
from chasles.errors import ModelError
from chasles.figures import legend
from chasles.figures.style import LINE
from chasles.literals import Metric
from chasles.model.drawn_shapes import size
from chasles.palette import BLUE, PURPLE, VERMILLION
from chasles.plot.solids import Piece
from chasles.plot.systems import configuration, frame_poses
from chasles.plot.views import EYES, PLANES, checked_view, flat, opened, plane_of
from chasles.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
KINDS = Literal["velocity", "force"]
UNITS = {"velocity": "m/s", "force": "N"}
COLOURS = {"velocity": BLUE, "force": VERMILLION}
LARGEST = 0.28  # half axis as drawn, over the size of the robot
SINGULAR = 1e-12  # of an eigenvalue of A, over the largest
TURN = np.linspace(0.0, 2.0 * np.pi, 73)


def ellipsoid(
    robot: Robot | ConstrainedSystem,
    q: ArrayLike | None = None,
    kind: KINDS = "velocity",
    *,
    metric: Metric = "euclidean",
    frame: str | None = None,
    scale: float | None = None,
    ax: Axes | None = None,
    view: str | None = None,
) -> Figure:
    """A Figure of the ellipsoid of velocities or forces of a frame (default: the tool) at q (nq,).

    kind: "velocity", the frame's velocities at joint velocities of length one, or "force", its forces at joint forces
    of length one. metric: "euclidean", |qd| = 1; "inertia", kinetic energy 1/2 J. scale: metres drawn for 1 m/s or 1 N
    (default: what suits the robot). The legend has the half axes. q, ax, view: as of `robot`; in a plane its outline.
    """
    own = robot_of(robot, "ellipsoid")
    if own is not robot:
        raise ModelError("ellipsoid: robot must be a Robot; under constraints its Jacobian is not that of the tool")
    at = configuration("ellipsoid", robot, q)
    one_of(kind, "ellipsoid: kind", KINDS)
    one_of(metric, "ellipsoid: metric", Metric)
    A = matrix(own, at, kind, metric, frame)
    place = frame_poses("ellipsoid", own, at, frame)[:3, 3]
    half = np.sqrt(np.maximum(0.0, np.linalg.eigvalsh(A)[::-1]))
    most = float(half.max())
    if not most > 0.0:
        raise ModelError("ellipsoid: no joint moves the frame")
    drawn = LARGEST * size(own.mechanism) / most if scale is None else positive(scale, "ellipsoid: scale")
    checked_view("ellipsoid", own.mechanism, ax, view)
    on, view = opened("ellipsoid", own.mechanism, ax, view)
    from chasles.plot.solid_artist import draw_seen

    colour = COLOURS[kind] if metric == "euclidean" else PURPLE
    B = drawn * _root(A)
    draw_seen(on, view, partial(_outline, place, B @ B.T, colour), place + np.vstack([B.T, -B.T]), 3.0)
    curves = _principal(place, drawn, A)
    for curve in curves if view == "3d" else curves[:0]:
        on.plot(*flat(curve, view), color=colour, linewidth=0.5 * LINE, linestyle="-", zorder=3.5)
    _named(on, view, kind, metric, half[: 2 if plane_of(own.mechanism) else 3], colour)
    return on.figure


def matrix(robot: Robot, q: Array, kind: str, metric: str, frame: str | None = None) -> Array:
    """(3, 3) A of (1), or its inverse for forces; zero across the plane of a planar robot."""
    frame_poses("ellipsoid", robot, q, frame)
    J = robot.jacobian(q, frame, "mixed")[3:]
    plane = plane_of(robot.mechanism)
    rows = list(PLANES[plane]) if plane else [0, 1, 2]
    W = np.eye(robot.n) if metric == "euclidean" else robot.mass_matrix_inverse(q)
    found = J[rows] @ W @ J[rows].T  # (1)
    if kind == "force":
        values = np.linalg.eigvalsh(found)
        if not values[0] > SINGULAR * values[-1]:
            raise ModelError("ellipsoid: q is singular, and forces without bound are held along some direction")
        found = np.linalg.inv(found)  # (2)
    out = np.zeros((3, 3))
    out[np.ix_(rows, rows)] = found
    return out


def _root(A: Array) -> Array:
    """B with B B^T = A."""
    values, axes = np.linalg.eigh(A)
    return axes * np.sqrt(np.maximum(0.0, values))


def _outline(place: Array, A: Array, colour: str, eye: Array) -> list[Piece]:
    """What is seen of x^T A^-1 x <= 1 from a direction: an ellipse across it."""
    first = EYES["xz"] if abs(eye @ EYES["xz"]) < 0.9 else EYES["yz"]
    first = np.cross(eye, first) / np.linalg.norm(np.cross(eye, first))
    across = np.stack([first, np.cross(eye, first)])
    ring = np.stack([np.cos(TURN), np.sin(TURN)], axis=-1)
    points = place + ring @ _root(across @ A @ across.T).T @ across
    return [Piece(points, colour, colour, float(eye @ place), opacity=0.18)]


def _principal(place: Array, drawn: float, A: Array) -> Array:
    """(3, k, 3) the ellipses through two axes each."""
    B = drawn * _root(A)
    pairs = ((1, 2), (0, 2), (0, 1))
    return np.stack([place + np.outer(np.cos(TURN), B[:, i]) + np.outer(np.sin(TURN), B[:, j]) for i, j in pairs])


def _named(ax: Any, view: str, kind: str, metric: str, half: Array, colour: str) -> None:
    from matplotlib.patches import Patch

    axes = ", ".join(f"{x:.3g}" for x in half)
    at = "" if metric == "euclidean" else ", by inertia"
    handle = Patch(facecolor=colour, alpha=0.35, edgecolor=colour, label=f"{kind}{at}: half axes {axes} {UNITS[kind]}")
    before = ax.get_legend()
    handles = [*(before.legend_handles if before else []), handle]
    legend(ax, handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), borderaxespad=0.1)
