"""Rollouts: batches of motions with the time loop inside the kernel.

    (q, v)_0 -> (q, v)_1 -> ... -> (q, v)_steps,   tau = control(t, q, v) + tau_k

by a method of `chasles.integrators`, traced once, whatever the number of steps; rows of a batch run side by side in the
lanes of a vector. `rollout_kernel` is the function behind it as a `Kernel`, to be differentiated by any of its inputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles import integrators
from chasles.arguments import count
from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.node import where
from chasles.graph.trace_loop import loop
from chasles.integrators.equations import Equations, equations
from chasles.integrators.method import Method, State

Array = NDArray[np.float64]
Law = Callable[..., Any]


def rollout_kernel(
    system: Any,
    control: Law | None = None,
    *,
    steps: int,
    method: str = "rk4",
    every: int = 1,
    torques: bool = False,
    parameters: Mapping[str, tuple[int, ...]] | None = None,
    cost: Law | None = None,
    final_cost: Law | None = None,
) -> Kernel:
    """The kernel of a rollout: (q, qd, dt, t0, ...) -> path (steps / every, nq), velocities (steps / every, n), and
    finite_steps (), how many steps a row made before its state was no longer finite.

    control: joint forces of traced (t, q, qd) and of `parameters` by their names, whose shapes are given; None for no
    forces. torques: one more input, tau (steps, n), held over each step and added to those of the law. cost: a number
    of traced (t, q, qd, tau), integrated over the steps; final_cost: one of (q, qd) at the end: the kernel then has the
    single output `cost`, and `.gradient("tau")`, `.gradient("q")` and so on are its derivatives. The values of a
    robot's symbols are inputs after all others.
    """
    if count(steps, "steps") % count(every, "every"):
        raise ModelError(f"every must divide the number of steps, {steps}; got {every}")
    shapes: dict[str, Any] = {"q": system.nq, "qd": system.n, "dt": (), "t0": ()}
    shapes |= {"tau": (steps, system.n)} if torques else {}
    shapes |= parameters or {}
    symbols = tuple(getattr(system, "symbols", ()))
    shapes |= {x.name: x.shape for x in system.mechanism.symbols} if symbols else {}
    scheme = integrators.find(method)

    def motion(q: Any, qd: Any, dt: Any, t0: Any, **given: Any) -> Any:
        values = {name: given.pop(name) for name in symbols}
        run = _Run(system._at("rollout", values) if symbols else system, scheme, dt, control, cost)
        coming = given.pop("tau", np.zeros((0, system.n)))
        start = run.begin(t0, q, qd, given, coming)
        if cost is None and final_cost is None:
            last, record = run.recorded(start, given, coming, steps, every)
            return {**record["record"], "finite_steps": last[1]}
        last = run.steps(start, given, {"tau": coming} if torques else {}, steps)
        return {"cost": last[2] + (0.0 if final_cost is None else final_cost(*run.end(last)))}

    return compile(motion, **shapes)


class _Run:
    """The time loop on traced values. What it carries: t, how many steps were finite, the cost so far, the state."""

    def __init__(self, system: Any, scheme: Method, dt: Any, control: Law | None, cost: Law | None) -> None:
        self.system, self.scheme, self.dt, self.control, self.cost = system, scheme, dt, control, cost

    def equations(self, given: Mapping[str, Any], tau: Any) -> Equations:
        """The equations under the law's forces and those that are held."""

        def forces(t: Any, q: Any, v: Any) -> Any:
            asked = 0.0 if self.control is None else self.control(t, q, v, **given)
            return np.zeros(self.system.n) + asked + tau

        return equations(self.system, forces)

    def begin(self, t: Any, q: Any, v: Any, given: Mapping[str, Any], coming: Any) -> State:
        law = self.equations(given, coming[0] if len(coming) else 0.0)
        return t, 0.0, 0.0, *self.scheme.begin(law, t, q, v)

    def steps(self, start: State, given: Mapping[str, Any], coming: Mapping[str, Any], many: int) -> State:
        """What is carried after so many steps."""

        def step(t: Any, finite: Any, total: Any, *state: Any, tau: Any = 0.0) -> Any:
            law = self.equations(given, tau)
            if self.cost is not None:
                q, v = self.scheme.end(law, t, state)
                total = total + self.cost(t, q, v, law.forces(t, q, v)) * self.dt
            state = self.scheme.step(law, t, state, self.dt)
            return t + self.dt, finite + _is_finite(state), total, *state

        return loop(step, start, each=coming, count=many)

    def recorded(self, start: State, given: Mapping[str, Any], coming: Any, many: int, every: int) -> Any:
        """The same, with q and v kept after every so many."""

        def several(*carried: Any, **rows: Any) -> Any:
            carried = self.steps(carried, given, rows, every)
            q, v = self.end(carried)
            return carried, {"record": {"path": q, "velocities": v}}

        rows = {"tau": coming.reshape(many // every, every, -1)} if len(coming) else {}
        return loop(several, start, each=rows, count=many // every)

    def end(self, carried: State) -> tuple[Any, Any]:
        return self.scheme.end(self.equations({}, 0.0), carried[0], carried[3:])


def _is_finite(state: State) -> Any:
    """1 where all of a state is finite, else 0."""
    total = sum(np.sum(np.abs(x)) for x in state)
    return where(total < math.inf, 1.0, 0.0)
