"""The steps of a simulation, and what is asked of system and control at each.

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

from chasles.arguments import broadcast, flag, function, one_of, real, vector
from chasles.constrained import ConstrainedSystem
from chasles.derivatives.canonical_coordinates import CanonicalRates
from chasles.errors import ModelError, ShapeError
from chasles.recorded_motion import Control, Method
from chasles.robot import Robot
from chasles.system import System, when

Array = NDArray[np.float64]
Stage = tuple[float, Array, Array, Array]  # t, q, qd and tau, where a method asks for an acceleration


class FixedSteps:
    """What a simulation does at every step.

    stages, accelerations: those of the step under way, for `failure.py`.
    """

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
        self.stages: list[Stage] = []
        self.accelerations: list[Array] = []
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
        for name, given in (("q", x), ("qd", v)):
            vector(given, f"simulate: {name}", given.shape[-1], finite=True)
        if self.constrained is not None:
            self.constrained.refuse_inconsistent(x, v)
        begin = getattr(self.control, "begin", None)
        if callable(begin):
            begin()
        return x, v

    def begin_step(self) -> None:
        """Forget the stages of the step before."""
        self.stages.clear()
        self.accelerations.clear()

    def forces(self, t: float, q: Array, v: Array) -> Array:
        """What control asks for at a state, the beginning of a stage."""
        tau = np.zeros(v.shape) if self.control is None else self._controlled(self.control, t, q, v)
        self.stages.append((t, q, v, tau))
        return tau

    def _controlled(self, control: Control, t: float, q: Array, v: Array) -> Array:
        given = control(t, q.copy(), v.copy())
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
            qdd = self.constrained.forward_dynamics(q, v, tau, t).qdd
        else:
            qdd = self.system.forward_dynamics(q, v, tau, *when(self.system, t))
        self.accelerations.append(qdd)
        return qdd

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
