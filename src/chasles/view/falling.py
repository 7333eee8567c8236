"""Steps of a fall in the page: a method and a length that nothing explodes with.

Classical Runge-Kutta steps of a millisecond keep the energy of arms to parts in a million over ten seconds. Damping d
at joints of small inertia decays at the rates that are the eigenvalues of M^-1 diag(d),

    h rate <= STABLE                                                              (1)

makes explicit steps of h seconds stable. Where they would have to be shorter than SHORTEST an implicit method is taken,
which is stable at any rate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chasles.robot import Robot
from chasles.simulation.stops import TIME_CONSTANT, Stops

STEP, SHORTEST = 1e-3, 5e-5  # s
STABLE = 1.5
CONFIGURATIONS = 16


class Steps(NamedTuple):
    """The name of a method of `chasles.integrators`, and the length of its steps in seconds."""

    method: str
    length: float


def fall(robot: Robot) -> dict[str, Any]:
    """The data of the page about falls."""
    chosen = steps(robot)
    return {"method": chosen.method, "step": chosen.length, "stops": stops_of(robot) is not None}


def steps(robot: Robot) -> Steps:
    """Those of a robot's fall, (1)."""
    rate = _largest_rate(robot)
    if rate * STEP <= STABLE:
        return Steps("rk4", STEP)
    whole = int(np.ceil(rate * STEP / STABLE))
    return Steps("rk4", STEP / whole) if STEP / whole >= SHORTEST else Steps("sdirk3", STEP)


def _largest_rate(robot: Robot) -> float:
    """The greatest eigenvalue of M^-1 diag(d) over some configurations, 1/s."""
    m = robot.mechanism
    if not m.has_friction or not np.any(m.damping):
        return 0.0
    rng = np.random.default_rng(0)
    q = np.stack([robot.neutral(), *(robot.random(rng) for _ in range(CONFIGURATIONS - 1))])
    friction = robot.kernel("friction_forces")
    slope = np.stack([friction(2.0 * v) - friction(v) for v in np.eye(robot.n)], axis=-1)  # without dry friction
    with np.errstate(all="ignore"):
        inverse = robot.mass_matrix_inverse(q)
    rates = np.abs(np.linalg.eigvals(np.where(np.isfinite(inverse), inverse, 0.0) @ slope))
    return float(rates.max())


def stops_of(robot: Robot) -> Stops | None:
    """The stops at the limits of the robot's joints; None where it has none, or a mass matrix that is singular."""
    lower, upper = robot.limits["lower"], robot.limits["upper"]
    if not np.isfinite([lower, upper]).any():
        return None
    try:
        stop = Stops(robot, TIME_CONSTANT, TIME_CONSTANT / 4)
    except np.linalg.LinAlgError:
        return None
    return stop if stop.of_q and np.isfinite(stop.k).all() else None
