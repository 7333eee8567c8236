"""Why a motion is no longer finite: the first number of a step that is not, and where it may come from.

In this order: what `control` returned; a force, a mass or a constraint that the system itself does not give at a state
that is finite; an implicit method whose iteration found no step from a state that is small; and else a motion that has
grown without bound, as it does where steps are too long for its fastest part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.errors import ChaslesError
from chasles.integrators.methods.semi_implicit import SemiImplicit
from chasles.integrators.tableau import ExplicitRungeKutta
from chasles.linear_algebra import all_finite
from chasles.robot import Robot
from chasles.robot.mass_watch import impossible
from chasles.simulation.fixed_steps import FixedSteps
from chasles.system import when

Array = NDArray[np.float64]
LARGEST_CONDITION = 1e14  # of a mass matrix: beyond it no digit of an acceleration is right
LARGEST_STEP = 10.0  # radians or metres: a motion that takes longer ones grows without bound


def explained(run: FixedSteps, t: float, q: Array, qd: Array, row: tuple[int, ...], alone: bool = False) -> str:
    """When, where and likely why a row of a batch ended, in the step that begins at a state (t, q, qd).

    alone: whether the stages of that step are those of the row alone.
    """
    return f"{ended_at(t, q, qd, row)}: {_cause(run, (t, q[row], qd[row]), () if alone else row)}"


def ended_at(t: float, q: Array, qd: Array, row: tuple[int, ...]) -> str:
    """When and where."""
    who = f"row {', '.join(map(str, row))} of the batch" if row else "the motion"
    return f"simulate: {who} ends at t = {t:.6g}, q = {_shown(q[row])}, qd = {_shown(qd[row])}"


def control_at_fault(run: FixedSteps, row: tuple[int, ...]) -> str:
    """What control returned for a row that is not finite, last, at a state that is; nothing if it did not."""
    for t, *state in reversed(run.stages):
        q, qd, tau = (part[row] for part in state)
        if all_finite(q, qd) and not all_finite(tau):
            return _of_control(t, q, qd, tau)
    return ""


def _of_control(t: float, q: Array, qd: Array, tau: Array) -> str:
    return f"control returned {_shown(tau)} for t = {t:.6g}, q = {_shown(q)}, qd = {_shown(qd)}"


def _cause(run: FixedSteps, start: tuple[float, Array, Array], row: tuple[int, ...]) -> str:
    for t, *state in run.stages:
        q, qd, tau = (part[row] for part in state)
        if not all_finite(q, qd) or _is_long(run, qd):
            break
        if not all_finite(tau):
            return _of_control(t, q, qd, tau)
        if not np.isfinite(_found(run.acceleration, t, q, qd, tau)).all():
            return _missing(run, t, q, qd)
    if _iterates(run.scheme) and not _is_long(run, start[2]):
        return (
            f"{run.method} found no step of dt = {run.dt:g} from there: its iteration does not converge, as near a "
            "singular pose, for steps that are too long, or where a force jumps, as dry friction does. Take a smaller "
            "dt, or an explicit method (rk4)"
        )
    return (
        f"it grows without bound. Steps of dt = {run.dt:g} are likely too long for the fastest part of the motion, or "
        "the forces drive it faster and faster: take a smaller dt, or look at what acts on it"
    )


def _is_long(run: FixedSteps, qd: Array) -> bool:
    """Whether a step at these velocities is one of a motion that grows without bound."""
    return run.dt * np.abs(qd).max(initial=0.0) > LARGEST_STEP


def _iterates(scheme: Any) -> bool:
    return not isinstance(scheme, (ExplicitRungeKutta, SemiImplicit))


def _missing(run: FixedSteps, t: float, q: Array, qd: Array) -> str:
    """What the system does not give at a state that is finite."""
    system, time = run.system, when(run.system, t)
    where = f"at t = {t:.6g}, q = {_shown(q)}"
    inertia: Any = _found(system.mass_matrix, q, *time)
    if not np.isfinite(inertia).all():
        return f"the mass matrix is not finite {where}"
    if not np.linalg.cond(inertia) < LARGEST_CONDITION:
        return f"the mass matrix is singular {where}"
    if np.linalg.eigvalsh(inertia)[..., 0].min() < 0.0:
        inner = system if run.constrained is None else run.constrained.system
        who = impossible(inner.mechanism) if isinstance(inner, Robot) else ""
        return f"the mass matrix is not positive definite {where}{': ' * bool(who)}{who}"
    if not np.isfinite(_found(system.bias_forces, q, qd, *time)).all():
        return f"bias_forces, what the Lagrangian or the forces give beside M qdd, is not finite {where}"
    if run.constrained is not None and not np.isfinite(_found(run.constrained.constraint_matrix, q)).all():
        return f"a constraint has no finite rows {where}: a contact that is not found, for one"
    return f"forward_dynamics is not finite {where}"


def _found(function: Any, *given: Any) -> Any:
    try:
        return function(*given)
    except ChaslesError:
        return np.nan


def _shown(x: Array) -> str:
    return np.array2string(x, precision=4, threshold=12, edgeitems=4, separator=", ", max_line_width=10**6)
