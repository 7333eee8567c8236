"""Plans with noise, and what they cost: the kernels of sampling control.

Row i of a batch is a sample. Its plan, rows u_j of joint forces, is that of the law with noise,

    u_ij = clip(u_j + sigma e_ij),   e_ij = normal(key_j, i),   e_0j = 0           (1)

between the limits of effort; forces are held for a step each, or go on straight lines from knot to knot. Its cost is

    S_i = sum over the steps of c(t, q, qd, tau) dt + c_f(q, qd)                   (2)

along the motion from the present state, nan where that does not stay finite. Noise is a function of key and sample
(random.py), so that (1) is made where it is needed: beside (2), or again by itself, to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from chasles import integrators
from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.array import where
from chasles.graph.trace_loop import loop
from chasles.integrators.equations import equations
from chasles.integrators.method import State
from chasles.random import normal, uniform
from chasles.simulation.time_loop import one_if_finite
from chasles.simulation.traced_law import TracedFunction

Cost = Callable[..., Any]


class Noise:
    """(1) on traced arrays: which joints have noise, how much, and within what."""

    def __init__(self, joints: Sequence[int], sample: Any, spread: Any, effort: Any) -> None:
        """joints: of the noise, whose standard deviations are `spread`. effort: (n,) the largest force of each."""
        self.joints, self.sample, self.effort = list(joints), sample, effort
        self.spread = where(sample < 0.5, 0.0, 1.0) * spread

    def knot(self, row: Any, key: Any) -> Any:
        """(n,) u_ij of a row u_j of the plan and the key of each joint."""
        moved = list(row)
        for k, joint in enumerate(self.joints):
            moved[joint] = moved[joint] + self.spread[k] * normal(key[k], self.sample)
        tau = np.stack(moved)
        return where(tau < -self.effort, -self.effort, where(self.effort < tau, self.effort, tau))  # (1)


@cache
def keys_kernel() -> Kernel:
    """(seed, iteration, place) -> the key of a number of the plan, by its flat place in it."""
    return compile(lambda seed, iteration, place: uniform(seed, iteration, place), seed=(), iteration=(), place=())


def plans_kernel(n: int, knots: int, joints: Sequence[int]) -> Kernel:
    """(plan (knots, n), keys (knots, joints), sample, spread, effort) -> (knots, n) the plan of a sample: (1)."""

    def plans(plan: Any, keys: Any, sample: Any, spread: Any, effort: Any) -> Any:
        noise = Noise(joints, sample, spread, effort)

        def step(count: Any, row: Any, key: Any) -> Any:
            return count + 1.0, {"record": noise.knot(row, key)}

        return loop(step, 0.0, each={"row": plan, "key": keys}, count=knots)[1]["record"]

    return compile(plans, **_plan_shapes(n, knots, joints))


def costs_kernel(
    system: Any,
    cost: Cost,
    final_cost: Cost | None,
    *,
    horizon: int,
    knots: int | None,
    method: str,
    joints: Sequence[int],
    parameters: Mapping[str, tuple[int, ...]],
    with_plans: bool,
) -> Kernel:
    """(q, qd, t, dt, plan, keys, sample, spread, effort, parameters of the cost ..., symbols ...) -> (2).

    with_plans: and (1), as a second output.
    """
    symbols = tuple(system.symbols) if hasattr(system, "mechanism") else ()
    shapes: dict[str, Any] = {"q": system.nq, "qd": system.n, "t": (), "dt": ()}
    shapes |= _plan_shapes(system.n, knots or horizon, joints)
    if wrong := [name for name in symbols if name in shapes]:
        raise ModelError(f"a symbol cannot be called {wrong[0]!r} here: the kernel has an input of that name")
    if wrong := [name for name in parameters if name in {*shapes, *symbols}]:
        raise ModelError(f"a parameter of the cost cannot be called {wrong[0]!r}: the kernel has an input of that name")
    shapes |= dict(parameters)
    shapes |= {x.name: x.shape for x in system.mechanism.symbols} if symbols else {}
    running = TracedFunction(cost, "cost", "t, q, qd, tau", parameters, symbols)
    final = None if final_cost is None else TracedFunction(final_cost, "final_cost", "q, qd", parameters, symbols)
    used = (*running.takes, *(() if final is None else final.takes))
    if idle := [name for name in parameters if name not in used]:
        raise ModelError(f"no cost takes the parameter {idle[0]!r}: name it among the arguments of cost or final_cost")

    def costs(q: Any, qd: Any, t: Any, dt: Any, plan: Any, keys: Any, **given: Any) -> Any:
        noise = Noise(joints, *(given.pop(name) for name in ("sample", "spread", "effort")))
        values = {name: given[name] for name in symbols}
        motion = _Motion(system._at("rollout", values) if symbols else system, method, dt, running, given)
        along = motion.held if knots is None else motion.on_lines
        total, last, plans = along(motion.begin(t, q, qd), noise, plan, keys, horizon)
        if final is not None:
            total = total + final.number(*motion.end(*last), given=given)  # (2)
        total = total * one_if_finite(last)
        return {"cost": total, "plan": plans} if with_plans else total

    return compile(costs, **shapes)


class _Motion:
    """The time loop on traced values. What is carried: t, the cost so far, the state."""

    def __init__(self, system: Any, method: str, dt: Any, cost: TracedFunction, given: Mapping[str, Any]) -> None:
        self.system, self.scheme, self.dt = system, integrators.find(method), dt
        self.cost, self.given = cost, given

    def begin(self, t: Any, q: Any, qd: Any) -> State:
        return t, 0.0, *self.scheme.begin(self._under(np.zeros(self.system.n)), t, q, qd)

    def held(self, start: State, noise: Noise, plan: Any, keys: Any, horizon: int) -> tuple[Any, State, Any]:
        """Of forces that are held for a step each the cost, t and state at the end, and (1)."""

        def step(*carried: Any, row: Any, key: Any) -> Any:
            tau = noise.knot(row, key)
            return self._step(tau, *carried), {"record": tau}

        (t, total, *state), kept = loop(step, start, each={"row": plan, "key": keys}, count=horizon)
        return total, (t, *state), kept["record"]

    def on_lines(self, start: State, noise: Noise, plan: Any, keys: Any, horizon: int) -> tuple[Any, State, Any]:
        """The same of forces that go straight from knot to knot."""
        pieces = len(plan) - 1
        steps = horizon // pieces

        def piece(left: Any, *carried: Any, row: Any, key: Any) -> Any:
            right = noise.knot(row, key)

            def step(*carried: Any, part: Any) -> Any:
                return self._step(left + (right - left) * part, *carried)

            after = loop(step, carried, each={"part": np.arange(steps) / steps}, count=steps)
            return (right, *after), {"record": right}

        first = noise.knot(plan[0], keys[0])
        coming = {"row": plan[1:], "key": keys[1:]}
        (_, t, total, *state), kept = loop(piece, (first, *start), each=coming, count=pieces)
        return total, (t, *state), np.concatenate([first[None], kept["record"]])

    def end(self, t: Any, *state: Any) -> tuple[Any, Any]:
        return self.scheme.end(self._under(np.zeros(self.system.n)), t, state)

    def _under(self, tau: Any) -> Any:
        return equations(self.system, lambda t, q, v: tau)

    def _step(self, tau: Any, t: Any, total: Any, *state: Any) -> State:
        law = self._under(tau)
        q, v = self.scheme.end(law, t, state)
        total = total + self.cost.number(t, q, v, tau, given=self.given) * self.dt  # (2)
        return t + self.dt, total, *self.scheme.step(law, t, state, self.dt)


def _plan_shapes(n: int, knots: int, joints: Sequence[int]) -> dict[str, Any]:
    return {"plan": (knots, n), "keys": (knots, len(joints)), "sample": (), "spread": len(joints), "effort": n}
