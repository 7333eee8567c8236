"""The steps of a simulation, and what is asked of system and control at each.

The motion from a state (q, v) under joint forces tau = control(t, q, v), by a method of `chasles.integrators`, which
asks the equations of motion for accelerations and these, here, for forces. Under constraints the state is put back onto
them after every step (integrators/equations.py), unless told not to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles import integrators
from chasles.arguments import broadcast, flag, function, positive, real, shown, vector
from chasles.constrained import ConstrainedSystem
from chasles.errors import ModelError, ShapeError
from chasles.function.symbolic_kernel import without_values
from chasles.integrators.equations import equations, refuse_motionless
from chasles.integrators.method import State
from chasles.recorded_motion import Control
from chasles.robot import Robot
from chasles.simulation.stops import TIME_CONSTANT, Stops
from chasles.system import when

Array = NDArray[np.float64]
Stage = tuple[float, Array, Array, Array]  # t, q, qd and tau, where a method asks for forces


class FixedSteps:
    """What a simulation does at every step.

    stages: those of the step under way, for `failure.py`.
    """

    def __init__(
        self,
        system: Any,
        control: Control | None,
        dt: float,
        method: str,
        project: bool,
        saturate: Any,
        stops: Any,
        in_steps: bool = True,
    ) -> None:
        """in_steps: whether steps are those of dt; with a tolerance it is the distance of states that are kept."""
        self.method, self.scheme = method, integrators.find(method)
        refuse_motionless(system)
        if control is not None:
            function(control, "t, q, qd", "control")
        self.system: Any = system
        self.control, self.dt = control, dt
        self.constrained = system if isinstance(system, ConstrainedSystem) else None
        self.project = flag(project, "project") and self.constrained is not None
        inner: Any = self.constrained.system if self.constrained else system
        refuse_symbols(system, "simulate")
        self.limit = _effort_limits(inner, saturate)
        self.stops = _stops(inner, stops, dt if in_steps else 0.0)
        self.equations = equations(system, self.acting, self.project)
        self.stages: list[Stage] = []
        self.held: Array | None = None
        self.first: Stage | None = None

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
        self.first = None

    def begin_with(self, t: float, q: Array, v: Array) -> Array:
        """What control asks for at the beginning of a step, whose first stage does not ask again."""
        tau = self.forces(t, q, v)
        self.first = t, q, v, tau
        return tau

    def forces(self, t: float, q: Array, v: Array) -> Array:
        """The joint forces at a stage: of control, within their limits, or those that are held."""
        if self.held is not None:
            self.stages.append((t, q, v, self.held))
            return self.held
        if self.first is not None and self.first[1] is q and self.first[2] is v and self.first[0] == t:
            return self.first[3]
        return self.limited(self.asked(t, q, v))

    def acting(self, t: float, q: Array, v: Array) -> Array:
        """All that acts: with the forces of the stops."""
        tau = self.forces(t, q, v)
        return tau if self.stops is None else tau + self.stops.forces(q, v)

    def asked(self, t: float, q: Array, v: Array) -> Array:
        """What control returns, checked."""
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
                tau = np.broadcast_to(tau, v.shape)
            except ValueError:
                raise ShapeError(f"control must return an array of shape {v.shape}, got {tau.shape}") from None
        return tau.copy()  # control may write into its own array later

    def limited(self, tau: Array) -> Array:
        """Within the limits of effort, if there are any."""
        return tau if self.limit is None else np.clip(tau, -self.limit, self.limit)

    def acceleration(self, t: float, q: Array, v: Array, tau: Array) -> Array:
        """At a stage, once more."""
        tau = tau if self.stops is None else tau + self.stops.forces(q, v)
        if self.constrained is not None:
            return self.constrained.forward_dynamics(q, v, tau, t).qdd
        return self.system.forward_dynamics(q, v, tau, *when(self.system, t))

    def begin(self, t: float, q: Array, v: Array) -> State:
        return self.scheme.begin(self.equations, t, q, v)

    def step(self, t: float, state: State) -> State:
        return self.scheme.step(self.equations, t, state, self.dt)

    def end(self, t: float, state: State) -> tuple[Array, Array]:
        """q and v."""
        return self.scheme.end(self.equations, t, state)


def refuse_symbols(system: Any, function: str) -> None:
    """Raise ModelError of a system whose symbols have no values."""
    if names := getattr(system, "symbols", ()):
        kind = "robot" if isinstance(system, Robot) else "system"
        raise without_values(function, f"{kind} {system.name!r}", names, kind)


def _effort_limits(inner: Any, saturate: Any) -> Array | None:
    if saturate is False:
        return None
    if saturate is True:
        if not isinstance(inner, Robot):
            raise ModelError(f"saturate: {inner.name!r} is no robot and has no limits of effort: give numbers")
        return inner.limits["effort"]
    limit = real(saturate, "saturate")
    if limit.shape not in ((), (inner.n,)) or not (limit > 0.0).all():
        raise ModelError(f"saturate must be True, False, a positive number or ({inner.n},), got {shown(saturate)}")
    return np.broadcast_to(limit, (inner.n,))


def _stops(inner: Any, stops: Any, dt: float) -> Stops | None:
    if stops is False:
        return None
    return Stops(inner, TIME_CONSTANT if stops is True else positive(stops, "stops", "of seconds"), dt)
