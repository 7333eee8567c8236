"""The time loop of a rollout on traced values: what is compiled once for all rows and steps.

    (q, v)_0 -> (q, v)_1 -> ...,   t_k = t0 + k dt,   tau = law(t, q, v) + tau_k                      (1)
    J = sum over k of cost(t_k, q_k, v_k, tau) dt + final_cost(q, v)                                  (2)

by a method of `chasles.integrators`. k stays where the state of a row is no longer finite: so many steps it made.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles import integrators
from chasles.arguments import flag, is_whole, mapping, shown
from chasles.errors import ModelError
from chasles.graph.node import where
from chasles.graph.trace_loop import loop
from chasles.integrators.equations import Equations, equations, refuse_motionless
from chasles.integrators.method import Method, State
from chasles.robot import Robot
from chasles.simulation.fixed_steps import refuse_symbols
from chasles.simulation.traced_law import TracedFunction

RESERVED = (  # names that kernels and calls have for something else
    *(
        "q",
        "qd",
        "q0",
        "qd0",
        "tau",
        "tau_or_law",
        "dt",
        "t0",
        "t",
        "steps",
        "method",
        "every",
        "project",
        "parameters",
    ),
    *("by", "self", "system", "function", "dtype", "step_number", "last_step", "beside_q"),
)
Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Operands:
    """A system, and the shapes of what is given by name: parameters of functions, and the symbols of a robot."""

    system: Any
    parameters: Shapes
    symbols: Shapes

    @property
    def shapes(self) -> Shapes:
        """Of parameters, then of symbols: the last inputs of kernels."""
        return self.parameters | self.symbols


@dataclass(frozen=True, eq=False)
class Setup(Operands):
    """What is rolled out: a law, costs and a method."""

    law: TracedFunction | None
    cost: TracedFunction | None
    final_cost: TracedFunction | None
    scheme: Method
    project: bool


def operands(system: Any, parameters: Mapping[str, Any] | None) -> Operands:
    """A system and the shapes of parameters, checked."""
    refuse_motionless(system)
    if not isinstance(system, Robot):
        refuse_symbols(system, "rollout")
    named: Any = system.mechanism.symbols if isinstance(system, Robot) else ()
    symbols = {x.name: x.shape for x in named}
    for name in symbols:
        if name in RESERVED:
            raise ModelError(f"symbol {name!r} of robot {system.name!r} has the name of an argument: use with_values")
    return Operands(system, _parameters(parameters, symbols), symbols)


def setup(
    of: Operands,
    law: Any = None,
    *,
    method: str = "rk4",
    project: bool = True,
    cost: Any = None,
    final_cost: Any = None,
) -> Setup:
    """A `Setup` of what people give, or an error that names what is wrong."""

    def traced(function: Any, what: str, form: str) -> TracedFunction | None:
        return None if function is None else TracedFunction(function, what, form, of.parameters, of.symbols)

    functions = (
        traced(law, "law", "t, q, qd"),
        traced(cost, "cost", "t, q, qd, tau"),
        traced(final_cost, "final_cost", "q, qd"),
    )
    used = {name for f in functions if f is not None for name in f.takes}
    for name in of.parameters:
        if name not in used:
            who = "neither law nor costs take it" if any(functions) else "there is no law to take it"
            raise ModelError(f"no parameter {name!r}: {who}{_known(of.symbols)}")
    return Setup(of.system, of.parameters, of.symbols, *functions, integrators.find(method), flag(project, "project"))


def _known(symbols: Shapes) -> str:
    return f", and the robot has the symbols {', '.join(symbols)}" if symbols else ""


def _parameters(given: Mapping[str, Any] | None, symbols: Shapes) -> Shapes:
    shapes: Shapes = {}
    for name, size in mapping({} if given is None else given, "parameters", "name -> shape").items():
        if not isinstance(name, str) or not name.isidentifier() or name in RESERVED or name in symbols:
            taken = "" if not isinstance(name, str) or not name.isidentifier() else ": that name is taken"
            raise ModelError(f"parameters must have names of their own, got {shown(name)}{taken}")
        shape = tuple(size) if isinstance(size, (tuple, list)) else (size,)
        if not all(is_whole(x) and 0 < x < 2**31 for x in shape):
            raise ModelError(f"parameters: {name!r} must have a shape of positive integers, got {shown(size)}")
        shapes[name] = tuple(int(x) for x in shape)
    return shapes


class TimeLoop:
    """The loop of (1) on traced values. given: parameters and symbols by name."""

    def __init__(self, of: Setup, dt: Any, t0: Any, given: Mapping[str, Any]) -> None:
        self.of, self.dt, self.t0, self.given = of, dt, t0, given
        symbols = {name: given[name] for name in of.symbols}
        self.system = of.system._at("rollout", symbols) if symbols else of.system

    def time(self, k: Any) -> Any:
        return self.t0 + k * self.dt

    def equations(self, tau: Any) -> Equations:
        """The equations under the law's forces and those that are given."""
        law, n = self.of.law, self.system.n

        def forces(t: Any, q: Any, v: Any) -> Any:
            asked = np.zeros(n) if law is None else law.vector(n, t, q, v, given=self.given)
            return asked + tau

        return equations(self.system, forces, self.of.project, differentiable=True)

    def begin(self, q: Any, v: Any, tau: Any) -> State:
        return self.of.scheme.begin(self.equations(tau), self.t0, q, v)

    def end(self, k: Any, state: State) -> tuple[Any, Any]:
        return self.of.scheme.end(self.equations(0.0), self.time(k), state)

    def forces(self, k: Any, state: State, tau: Any) -> Any:
        """(n,) the joint forces at a state."""
        return self.equations(tau).forces(self.time(k), *self.end(k, state))

    def step(self, k: Any, state: State, tau: Any) -> tuple[Any, ...]:
        """k and the state after a step; k stays where the state is no longer finite."""
        after = self.of.scheme.step(self.equations(tau), self.time(k), state, self.dt)
        return k + is_finite(after), *after

    def several(self, k: Any, state: State, tau: Any, every: int, each: bool, stop: Any = None) -> tuple[Any, ...]:
        """The same after `every` steps, or at step `stop`. each: tau is (every, n), one a step."""
        if every == 1:
            return self.step(k, state, tau[0] if each else tau)

        def one(k: Any, *state: Any, **row: Any) -> Any:
            after = self.step(k, state, row.get("row", tau))
            return after if stop is None else (after, {"until": ended(k, after[0], 1, stop)})

        found = loop(one, (k, *state), count=every, each={"row": tau} if each else {})
        return found if stop is None else found[0]

    def cost(self, q: Any, v: Any, tau: Any, steps: int) -> Any:
        """J of (2), nan where the motion does not stay finite. tau: (steps, n), or None."""
        cost, final = self.of.cost, self.of.final_cost

        def step(k: Any, total: Any, *state: Any, tau: Any = 0.0) -> Any:
            law = self.equations(tau)
            if cost is not None:
                t, (q, v) = self.time(k), self.end(k, state)
                total = total + cost.number(t, q, v, law.forces(t, q, v), given=self.given) * self.dt
            return k + 1.0, total, *self.of.scheme.step(law, self.time(k), state, self.dt)

        start = self.begin(q, v, 0.0 if tau is None else tau[0])
        _, total, *state = loop(step, (0.0, 0.0, *start), each={} if tau is None else {"tau": tau}, count=steps)
        if final is not None:
            total = total + final.number(*self.end(float(steps), tuple(state)), given=self.given)
        return total * one_if_finite(state)  # (2)


def ended(before: Any, after: Any, steps: int, stop: Any) -> Any:
    """1 where a row has come to step `stop`, or has made fewer steps than it was to make: it is no longer finite."""
    return where(after < stop, where(after < before + float(steps), 1.0, 0.0), 1.0)


def is_finite(state: State) -> Any:
    """1 where all of a state is finite, else 0."""
    return where(_size(state) < math.inf, 1.0, 0.0)


def one_if_finite(state: Iterable[Any]) -> Any:
    """1 where all of a state is finite, as those before it then are, else nan: a factor of costs and of gradients."""
    return where(_size(state) < math.inf, 1.0, math.nan)


def _size(state: Iterable[Any]) -> Any:
    return sum(np.sum(np.abs(x)) for x in state)
