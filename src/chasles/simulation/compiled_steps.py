"""Steps of a motion in kernels, under joint forces that are held: many at a time, all of them recorded.

Where a kernel gives no finite state the step is made again in Python (fixed_steps.py), which knows why: so rows are nan
also where the rank of constraints falls and where a state is not put back onto them in a few corrections.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles import integrators
from chasles.constrained import ConstrainedSystem
from chasles.function.kernel import Kernel
from chasles.graph.trace_loop import loop
from chasles.integrators.equations import Forces, equations, refuse_motionless
from chasles.integrators.method import State
from chasles.lagrangian import LagrangianSystem
from chasles.robot import Robot
from chasles.simulation.robot_kernels import kernel_of
from chasles.simulation.stops import Stops
from chasles.system import when

Array = NDArray[np.float64]
SHORT, LONG = 64, 512  # steps that a call can make: of forces that are held for a few, and of others
MOST_ROWS = 64  # of a batch that is recorded in chunks; of a larger one, every step is a call


def can_be_compiled(system: Any) -> bool:
    """Whether the steps of a system can be kernels: those of robots and Lagrangian systems, under constraints too."""
    inner = system.system if isinstance(system, ConstrainedSystem) else system
    if isinstance(system, ConstrainedSystem) and isinstance(inner, Robot) and inner.mechanism.impossible_links:
        return False  # rows whose mass matrix is indefinite are found in Python
    return isinstance(inner, (Robot, LagrangianSystem))


class CompiledSteps:
    """Steps of a system by a method, compiled when first asked for, and kept with the system."""

    def __init__(
        self, system: Any, method: str, dt: float, project: bool, stops: Stops | None, rows: int, longest: float
    ) -> None:
        """rows: of the batch. longest: how many steps forces are held at most."""
        self.system, self.method, self.dt, self.project, self.stops = system, method, dt, project, stops
        self.made = vars(system).setdefault("_steps", {})
        self.run: Any = None
        self.times = np.empty(4)
        self.most = 1 if rows > MOST_ROWS or longest == 1 else SHORT if longest <= SHORT else LONG

    def __call__(self, begin: float, first: int, many: int, state: State, tau: Array) -> tuple[Array, Array, State]:
        """q (..., many, nq) and qd (..., many, n) after each of `many` steps from step number `first`, and the state.

        Not more of them than `most`. Rows that do not stay finite are not finite at the end. begin: the time of step 0.
        """
        many = min(many, self.most)
        self.times[:] = begin, self.dt, first, first + many
        if self.run is None:
            self.run = self._kernel(state).fast
        path, velocities, *after = self.run(*state, tau, self.times)
        if many < self.most:
            path, velocities = path[..., :many, :], velocities[..., :many, :]
        return path, velocities, tuple(after)

    def _kernel(self, state: State) -> Kernel:
        key = ("steps", self.method, self.project, self.stops and self.stops.key, self.most)
        if key not in self.made:
            self.made[key] = self._compiled([x.shape[-1] for x in state])
        return self.made[key]

    def _compiled(self, sizes: list[int]) -> Kernel:
        scheme, n = integrators.find(self.method), self.system.n

        def motion(tau: Any, times: Any, **given: Any) -> Any:
            begin, dt, first, last = times
            law = equations(self.system, held_with_stops(tau, self.stops), self.project)

            def one(k: Any, *state: Any) -> Any:
                state = scheme.step(law, begin + k * dt, state, dt)
                q, v = scheme.end(law, begin + (k + 1.0) * dt, state)
                return (k + 1.0, *state), {"until": k + 1.0 >= last, "record": {"path": q, "velocities": v}}

            start = (first, *given.values())
            if self.most == 1:
                (_, *state), kept = one(*start)
                record = {name: x.reshape(1, -1) for name, x in kept["record"].items()}
            else:
                (_, *state), kept = loop(one, start, count=self.most)
                record = kept["record"]
            return {**record, **{f"state{k}_after": x for k, x in enumerate(state)}}

        before, after = ({f"state{k}{end}": size for k, size in enumerate(sizes)} for end in ("", "_after"))
        outputs = {"path": (self.most, self.system.nq), "velocities": (self.most, n), **after}
        made_from = self.method, self.project, self.stops and self.stops.key
        return kernel_of(self.system, motion, {**before, "tau": n, "times": 4}, outputs, *made_from)


def held_with_stops(tau: Any, stops: Stops | None) -> Forces:
    """Forces of (t, q, v) that are held, and those of stops."""
    return lambda t, q, v: tau if stops is None else tau + stops.forces(q, v)


def step_kernel(system: Any, method: str) -> Kernel:
    """The kernel (q, qd, tau, dt), and t where the system depends on it, -> q, qd after one step."""
    refuse_motionless(system)
    made, scheme = vars(system).setdefault("_steps", {}), integrators.find(method)
    key = "step", method
    if key not in made:
        timed = bool(when(system, 0.0))

        def step(q: Any, qd: Any, tau: Any, dt: Any, t: Any = 0.0) -> Any:
            law = equations(system, held_with_stops(tau, None))
            q, qd = scheme.end(law, t + dt, scheme.step(law, t, scheme.begin(law, t, q, qd), dt))
            return {"q_after": q, "qd_after": qd}

        inputs = {"q": system.nq, "qd": system.n, "tau": system.n, "dt": (), **({"t": ()} if timed else {})}
        made[key] = kernel_of(system, step, inputs, {"q_after": system.nq, "qd_after": system.n}, method)
    return made[key]
