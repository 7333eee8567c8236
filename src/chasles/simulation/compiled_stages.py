"""Stages of explicit Runge-Kutta methods in kernels, for a control that is asked between them.

    k_i, l_i = dx/dt, dv/dt at (x_i, q_i, v_i) under tau_i,   (x, v, q)_{i+1} of these and those before            (1)

One kernel for all stages of a tableau: its numbers are an input. After the last stage x and v are those at the end of
the step (integrators/tableau.py, last_stages.py); under constraints another kernel puts the state back onto them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles import integrators
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.array import where
from chasles.integrators.equations import equations
from chasles.integrators.tableau import ExplicitRungeKutta
from chasles.simulation.compiled_steps import held_with_stops
from chasles.simulation.fixed_steps import FixedSteps
from chasles.simulation.last_stages import LastStages, of_the_last
from chasles.simulation.robot_kernels import kernel_of

Array = NDArray[np.float64]


def asks_once(method: str) -> bool:
    """Whether a method asks for forces at the beginning of a step alone, so that they are held over it."""
    scheme = integrators.find(method)
    return method == "semi_implicit" or (type(scheme) is ExplicitRungeKutta and len(scheme.a) == 1)


def has_stages(method: str) -> bool:
    """Whether the stages of a method can be kernels."""
    return type(integrators.find(method)) is ExplicitRungeKutta


class CompiledStages:
    """A step of a system, its forces asked from `run` at every stage; compiled when first asked for."""

    def __init__(self, run: FixedSteps) -> None:
        method: Any = integrators.find(run.method)
        self.run, self.made = run, vars(run.system).setdefault("_steps", {})
        self.scheme = LastStages(method)
        rows, b, c = (self.scheme.coming[name] for name in ("row", "b", "c"))
        self.c = c.tolist()
        following = np.concatenate([rows[1:], np.zeros((1, self.scheme.depth))])
        last = np.arange(len(b)) == len(b) - 1
        self.numbers = [np.array([run.dt, b[i], 0.0, last[i], *following[i]]) for i in range(len(b))]
        self.carried = np.zeros((2 + 2 * self.scheme.depth) * run.system.n)
        self.still = np.zeros(run.system.n)
        self.stage = self._kernel("stage", self._stage)
        self.settle = self._kernel("settle", self._settle) if run.project else None

    def __call__(self, t: float, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """q and v after a step from t, under tau there."""
        run, stage = self.run, self.stage.fast
        here, speed, x, carried = q, v, self.still, self.carried
        for i, numbers in enumerate(self.numbers):
            at = t + self.c[i] * run.dt
            if i:
                tau = run.forces(at, here, speed)
            numbers[2] = at
            here, speed, x, carried = stage(q, v, here, speed, x, carried, tau, numbers)
        return (here, speed) if self.settle is None else self.settle.call(here, speed, np.array(t + run.dt))

    def _kernel(self, name: str, make: Any) -> Kernel:
        run = self.run
        key = name, run.method if name == "stage" else "", run.project, run.stops and run.stops.key
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    def _stage(self) -> Kernel:
        run, depth, n, nq = self.run, self.scheme.depth, self.run.system.n, self.run.system.nq

        def stage(q: Any, v: Any, here: Any, speed: Any, x: Any, carried: Any, tau: Any, numbers: Any) -> Any:
            h, b, t, last = numbers[:4]
            law = equations(run.system, held_with_stops(tau, run.stops), project=False)
            k, l = law.rate(x, speed), law.acceleration(t, here, speed)
            moved, faster, *before = carried.reshape(-1, n)
            moved, faster = moved + k * (b * h), faster + l * (b * h)
            recent = [k, *before[: depth - 1], l, *before[depth : 2 * depth - 1]]
            x = _chosen(last, moved, of_the_last(numbers[4:], recent[:depth], h))
            change = _chosen(last, faster, of_the_last(numbers[4:], recent[depth:], h))
            carry = np.concatenate([moved, faster, *recent])
            return {"next": law.integrate(q, x), "next_speed": v + change, "next_x": x, "carry": carry}  # (1)

        size = len(self.carried)
        inputs = {"q": nq, "v": n, "here": nq, "speed": n, "x": n, "carried": size, "tau": n, "numbers": 4 + depth}
        outputs = {"next": nq, "next_speed": n, "next_x": n, "carry": size}
        return kernel_of(run.system, stage, inputs, outputs, run.method, run.stops and run.stops.key)

    def _settle(self) -> Kernel:
        run = self.run

        def settle(q: Any, v: Any, t: Any) -> Any:
            q, v = equations(run.system, held_with_stops(0.0, None)).settled(t, q, v)
            return {"q_after": q, "v_after": v}

        return compile(settle, q=run.system.nq, v=run.system.n, t=())


def _chosen(last: Any, one: Any, other: Any) -> Any:
    return where(last > 0.5, one, other)
