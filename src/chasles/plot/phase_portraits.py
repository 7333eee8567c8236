"""Phase portraits: velocity over position, of a joint along motions, and the field of a system that has one.

d/dt (q, qd) = (qd, qdd(q, qd, tau))                                          (1)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import array, between, function, instance, is_whole, number, shown
from chasles.errors import ModelError
from chasles.figures import gridded, label, typeset
from chasles.figures.style import LINE, SOFT
from chasles.lagrangian import LagrangianSystem
from chasles.palette import BLUE
from chasles.plot.views import plane_axes
from chasles.recorded_motion import Trajectory
from chasles.recorded_motion.labels import Labels, labels_of
from chasles.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
CELLS = 60  # of the grid of a field, an axis
CURVES = 40  # of a batch that are drawn


def phase_portrait(
    trajectory: Trajectory, joint: str | int | None = None, *, ax: Axes | None = None, colour: str = BLUE
) -> Figure:
    """A Figure of the velocity of one coordinate over its position along a motion, or the first 40 of a batch.

    joint: the name of a coordinate, or its index (default: the only one there is). Each curve begins at a ring.
    """
    from chasles.plot.tool_paths import refuse_no_colour

    motion = instance(trajectory, "phase_portrait: trajectory", Trajectory)
    i, k = _coordinate(motion.labels, joint)
    refuse_no_colour("phase_portrait", colour)
    nq, n = motion.q.shape[-1], motion.qd.shape[-1]
    x = motion.q.reshape(-1, len(motion), nq)[:CURVES, :, i]
    y = motion.qd.reshape(-1, len(motion), n)[:CURVES, :, k]
    if not x.size:
        raise ModelError("phase_portrait: trajectory has no motion, or no samples")
    on = plane_axes("phase_portrait", ax)
    on.plot(x.T, y.T, color=colour, linestyle="-", linewidth=LINE, zorder=3)
    on.plot(x[:, 0], y[:, 0], "o", markersize=3.2, markerfacecolor="#ffffff", markeredgecolor=colour, zorder=4)
    _labelled(on, motion.labels, i, k)
    return on.figure


def vector_field(
    system: Robot | LagrangianSystem,
    q: ArrayLike = (-np.pi, np.pi),
    qd: ArrayLike = (-10.0, 10.0),
    *,
    tau: float | Callable[[Any, Any, Any], Any] = 0.0,
    density: float = 1.1,
    ax: Axes | None = None,
) -> Figure:
    """A Figure of the flow (1) of a system of one degree of freedom, in the plane of its position and velocity.

    q, qd: from where to where, two numbers each. tau: the joint's force, or a law, a function of (t, q, qd) at t = 0
    that takes q and qd (..., 1). density: of the lines. `phase_portrait` of its motions goes on the same axes.
    """
    instance(system, "vector_field: system", (Robot, LagrangianSystem))
    if system.n != 1 or system.nq != 1:
        raise ModelError(
            f"vector_field: system must have one degree of freedom, and {system.name!r} has {system.n}: "
            "lock its other joints with with_locked, or use phase_portrait for one joint of a motion"
        )
    if symbols := getattr(system, "symbols", ()):
        raise ModelError(f"vector_field: system has the symbols {', '.join(symbols)}: use robot.with_values")
    (a, b), (c, d) = (_interval(x, f"vector_field: {name}") for x, name in ((q, "q"), (qd, "qd")))
    law = function(tau, "t, q, qd", "vector_field: tau") if callable(tau) else number(tau, "vector_field: tau")
    dense = between(density, "vector_field: density", 0.01, 10.0)
    x, y = np.linspace(a, b, CELLS), np.linspace(c, d, CELLS)
    states = np.stack(np.meshgrid(x, y), axis=-1)[..., None]
    force = law(0.0, states[..., 0, :], states[..., 1, :]) if callable(law) else np.full((CELLS, CELLS, 1), law)
    force = np.broadcast_to(array(force, "vector_field: what tau returns", ("...", 1)), (CELLS, CELLS, 1))
    rates = system.forward_dynamics(states[..., 0, :], states[..., 1, :], np.ascontiguousarray(force))[..., 0]
    on = plane_axes("vector_field", ax)
    colour = {"color": SOFT, "linewidth": 0.55 * LINE, "arrowsize": 0.55, "density": dense, "zorder": 2}
    on.streamplot(x, y, states[..., 1, 0], rates, broken_streamlines=True, **colour)
    on.set(xlim=(a, b), ylim=(c, d))
    _labelled(on, labels_of(system, "", 0.0), 0, 0)
    return on.figure


def _interval(x: Any, what: str) -> tuple[float, float]:
    low, high = array(x, what, (2,), finite=True, error=ModelError)
    if not low < high:
        raise ModelError(f"{what} must go from a number to a larger one, got {shown(x)}")
    return float(low), float(high)


def _coordinate(labels: Labels, joint: Any) -> tuple[int, int]:
    """The index of a coordinate, and that of its velocity."""
    single = [(i, labels.qd.index(name)) for i, name in enumerate(labels.q) if name in labels.qd]
    names = [labels.q[i] for i, _ in single]
    if joint is None and len(labels.q) == 1:
        return 0, 0
    if isinstance(joint, str) and joint in names:
        return single[names.index(joint)]
    for i, k in single:
        if is_whole(joint) and joint == i:
            return i, k
    raise ModelError(f"phase_portrait: joint must be one of {', '.join(names)}, or its index, got {shown(joint)}")


def _labelled(ax: Any, labels: Labels, i: int, k: int) -> None:
    gridded(ax)
    ax.margins(0.05)
    label(ax, x=typeset(f"position of {labels.q[i]}", labels.q_units[i]), y=typeset("velocity", labels.rates()[k]))
