"""Simulation in fixed steps: `chasles.simulate`.

The motion from a state (q, v) under joint forces tau = control(t, q, v). In the canonical coordinates x of each step

    q = integrate(q_k, x),   dx/dt = v + [x, v] / 2 + [x, [x, v]] / 12,   dv/dt = forward_dynamics(q, v, tau)    (1)

brackets those of the joints' groups, zero for screws: Runge-Kutta-Munthe-Kaas [Munthe-Kaas 1999], with as many terms of
the Baker-Campbell-Hausdorff series as the order of the methods needs.

    rk4              the classical Runge-Kutta method of order 4 on (1)           (2)
    semi_implicit    v' = v + h dv/dt(q, v), q' = integrate(q, h v'): order 1, keeps energies bounded    (3)
                     (symplectic Euler)

Under constraints the state is put back onto them after every step (constrained/system.py), unless told not to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import broadcast, count, flag, function, number, one_of, positive, real
from chasles.constrained import ConstrainedSystem
from chasles.derivatives.canonical_coordinates import CanonicalRates
from chasles.errors import ModelError, ShapeError
from chasles.recorded_motion import Control, Method, Simulation
from chasles.robot import Robot
from chasles.system import System, when

Array = NDArray[np.float64]


def simulate(
    system: System | ConstrainedSystem,
    q: ArrayLike,
    qd: ArrayLike,
    control: Control | None = None,
    *,
    duration: float,
    t0: float = 0.0,
    dt: float = 1e-3,
    method: Method = "rk4",
    project: bool = True,
    every: int = 1,
) -> Simulation:
    """The motion of a system from (q, qd) at t0 over `duration` seconds in steps of dt.

    q: (..., nq), qd: (..., n). control: joint forces of (t, q, qd), (..., n), asked once at every stage, with the whole
    batch (default: none); if it has a method begin(), as the laws of `chasles.control` do, that is called first.
    t0: seconds, where times begin, for systems and laws that depend on t. project: put the state back onto the
    constraints after every step, under `stabilization` too. every: keep one state in so many. A start that does not
    satisfy a constraint is refused by its name: see `ConstrainedSystem.consistent`.
    """
    run, begin = (
        _Run(system, control, positive(dt, "dt", "of seconds"), method, project),
        number(t0, "t0", "of seconds"),
    )
    x, v = run.start(q, qd)
    steps = round(positive(duration, "duration", "of seconds") / run.dt)
    if steps < 1 or abs(steps * run.dt - duration) > 1e-6 * run.dt * steps:
        raise ModelError(f"duration must be a whole number of steps of dt = {dt}, got {duration}")
    count(every, "every")
    kept = []
    for k in range(steps + 1):
        t = begin + k * run.dt
        tau = run.forces(t, x, v)
        if k % every == 0 or k == steps:
            kept.append((t, x, v, np.array(tau)))
        if k < steps:
            x, v = run.step(t, x, v, tau)
    return run.recorded(kept)


class _Run:
    """What a simulation does at every step."""

    def __init__(self, system: Any, control: Control | None, dt: float, method: Method, project: bool) -> None:
        one_of(method, "method", Method)
        if not isinstance(system, (System, ConstrainedSystem)):
            raise ModelError(
                f"system must be a Robot, LagrangianSystem or ConstrainedSystem, got {type(system).__name__}"
            )
        if control is not None:
            function(control, "t, q, qd", "control")
        self.system: Any = system
        self.control, self.dt = control, dt
        self.constrained = system if isinstance(system, ConstrainedSystem) else None
        self.project = flag(project, "project") and self.constrained is not None
        self.step = self._rk4 if method == "rk4" else self._semi_implicit
        inner = self.constrained.system if self.constrained else system
        if isinstance(inner, Robot) and inner.symbols:
            values = ", ".join(f"{name}=..." for name in inner.symbols)
            raise ModelError(
                f"simulate: robot {inner.name!r} has the symbols {', '.join(inner.symbols)}, and this needs numbers: "
                f"use robot.with_values({values})"
            )
        self.rates = CanonicalRates(inner) if isinstance(inner, Robot) else None

    def start(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        sizes = {"q": (q, ("...", self.system.nq)), "qd": (qd, ("...", self.system.n))}
        x, v = (array.copy() for array in broadcast("simulate", **sizes))
        if self.constrained is not None:
            self.constrained.refuse_inconsistent(x, v)
        begin = getattr(self.control, "begin", None)
        if callable(begin):
            begin()
        return x, v

    def forces(self, t: float, q: Array, v: Array) -> Array:
        if self.control is None:
            return np.zeros(v.shape)
        given = self.control(t, q.copy(), v.copy())
        if given is None:
            raise ModelError("control returned None: it has to return the joint forces")
        tau = real(given, "what control returns")
        if tau.shape != v.shape:
            try:
                return np.broadcast_to(tau, v.shape)
            except ValueError:
                raise ShapeError(f"control must return an array of shape {v.shape}, got {tau.shape}") from None
        return tau

    def acceleration(self, t: float, q: Array, v: Array, tau: Array) -> Array:
        if self.constrained is not None:
            return self.constrained.forward_dynamics(q, v, tau, t).qdd
        return self.system.forward_dynamics(q, v, tau, *when(self.system, t))

    def rate(self, t: float, q: Array, x: Array, v: Array) -> tuple[Array, Array]:
        """(1), at x beyond q."""
        here = self.system.integrate(q, x)
        turned = v if self.rates is None else self.rates.rate(x, v)
        return turned, self.acceleration(t, here, v, self.forces(t, here, v))

    def _rk4(self, t: float, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        h = self.dt
        x1, v1 = v, self.acceleration(t, q, v, tau)
        x2, v2 = self.rate(t + h / 2, q, x1 * (h / 2), v + v1 * (h / 2))
        x3, v3 = self.rate(t + h / 2, q, x2 * (h / 2), v + v2 * (h / 2))
        x4, v4 = self.rate(t + h, q, x3 * h, v + v3 * h)
        moved = self.system.integrate(q, (x1 + 2.0 * (x2 + x3) + x4) * (h / 6))  # (2)
        return self.back(t + h, moved, v + (v1 + 2.0 * (v2 + v3) + v4) * (h / 6))

    def _semi_implicit(self, t: float, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        faster = v + self.acceleration(t, q, v, tau) * self.dt
        return self.back(t + self.dt, self.system.integrate(q, faster * self.dt), faster)  # (3)

    def back(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        return self.constrained.corrected(q, v, t) if self.project and self.constrained else (q, v)

    def recorded(self, kept: list[tuple[float, Array, Array, Array]]) -> Simulation:
        t = np.array([row[0] for row in kept])
        q, v, tau = (np.stack([row[k] for row in kept], axis=-2) for k in (1, 2, 3))
        multipliers = None
        if self.constrained is not None:
            multipliers = self.constrained.forward_dynamics(q, v, tau, t).multipliers
        time = when(self.system, t)
        kinetic, potential = self.system.kinetic_energy(q, v, *time), self.system.potential_energy(q, *time)
        return Simulation(t, q, v, tau, multipliers, kinetic, potential)
