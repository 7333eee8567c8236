"""Sampling control: a plan of joint forces, improved at every call by motions with noise in it (sampled_plans.py).

A plan is a function of time that reaches over a horizon of steps of dt: forces that are held for a step each, or knots
with straight lines between them. A call at t takes the plan of the call before, from t on (its last forces where it
ends), rolls out samples of it from the present state, and makes the next plan of what they cost: how is what the laws
differ in. Its first forces are what the call returns.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import array, count, mapping, positive, real, shown
from chasles.constrained import ConstrainedSystem
from chasles.control.law import Array, state
from chasles.control.sampled_plans import costs_kernel, keys_kernel, plans_kernel
from chasles.errors import ModelError, ShapeError, SimulationError
from chasles.integrators.equations import refuse_motionless
from chasles.reprs import quoted
from chasles.robot import Robot
from chasles.system import System

AFTER = 1e-6  # of a step: times that are steps apart but for rounding are taken for it


class SamplingControl(ABC):
    """A law (t, q, qd) -> tau that looks ahead by rollouts, for one state at a time: `MPPI`, `PredictiveSampling`.

    system: the model that is rolled out, a Robot, LagrangianSystem or ConstrainedSystem. cost: a number of traced (t,
    q, qd, tau), integrated over the horizon; final_cost: one of (q, qd) at its end. Both also get those of
    `parameters`, a dict of arrays, and of the robot's symbols that they name; `set` changes parameters, and nothing is
    compiled again. dt: seconds of a step. horizon: steps. samples: how many motions; the first has no noise. noise:
    standard deviations of the forces, a number or (n,), 0 for joints without. effort: the largest forces, True for the
    robot's own, False for none, or a number or (n,), 0 for joints that nothing drives. method: that of the rollouts.
    knots: None for forces that are held for a step each, or the number of knots with straight lines between them;
    horizon is a multiple of knots - 1. updates: of the plan, in a call. symbols: values of a robot's symbols by their
    names, for all samples, or (samples, ...) one for each. seed: of the noise; the same seed makes the same motion,
    whatever the number of threads.

    plan: (horizon, n), or (knots, n), from `time` on. costs: (samples,), of the last of `iteration` updates.
    """

    with_plans: ClassVar[bool] = False  # whether rollouts give the plans of samples beside their costs

    def __init__(
        self,
        system: System | ConstrainedSystem,
        cost: Callable[..., Any],
        *,
        dt: float,
        horizon: int,
        samples: int,
        noise: ArrayLike,
        final_cost: Callable[..., Any] | None = None,
        effort: Any = True,
        method: str = "semi_implicit",
        knots: int | None = None,
        updates: int = 1,
        parameters: Mapping[str, ArrayLike] | None = None,
        symbols: Mapping[str, ArrayLike] | None = None,
        seed: int = 0,
    ) -> None:
        refuse_motionless(system)
        self.system: Any = system
        self.dt, self.horizon = positive(dt, "dt", "of seconds"), count(horizon, "horizon")
        self.samples, self.updates = count(samples, "samples", 2), count(updates, "updates")
        self.knots = None if knots is None else self._checked_knots(count(knots, "knots", 2))
        self.seed = count(seed, "seed", 0)
        self.noise = self._not_negative(noise, "noise")
        self.effort = self._largest_forces(effort)
        joints = np.flatnonzero(self.noise).tolist()
        if not joints or not np.isfinite(self.noise).all():
            raise ModelError(f"noise must be finite, and not zero for all joints, got {shown(noise)}")
        self._spread, self._numbers = self.noise[joints], np.arange(self.samples, dtype=float)
        given = mapping({} if parameters is None else parameters, "parameters", "name -> values")
        self._parameters = {name: _parameter(name, x, None) for name, x in given.items()}
        self._symbols = self._values({} if symbols is None else mapping(symbols, "symbols", "name -> values"))
        self._costs = costs_kernel(
            system,
            cost,
            final_cost,
            horizon=self.horizon,
            knots=self.knots,
            method=method,
            joints=joints,
            parameters={name: x.shape for name, x in self._parameters.items()},
            with_plans=self.with_plans,
        )
        self._plans = plans_kernel(system.n, self.knots or self.horizon, joints)
        self.reset()

    def __repr__(self) -> str:
        plans = f"{self.samples} samples of {self.horizon} steps of {self.dt:.6g} s"
        return f"<{type(self).__name__} of {quoted(self.system.name)}: {plans}>"

    def _checked_knots(self, knots: int) -> int:
        if self.horizon % (knots - 1):
            raise ModelError(f"horizon = {self.horizon} must be a multiple of knots - 1 = {knots - 1}")
        return knots

    def _not_negative(self, given: Any, name: str) -> Array:
        """(n,) of a number or of as many."""
        n = self.system.n
        found = real(given, name, f"a number or ({n},)")
        found = np.full(n, float(found)) if found.ndim == 0 else array(found, name, (n,))
        if not (found >= 0.0).all():
            raise ModelError(f"{name} must not be negative, got {shown(given)}")
        return found

    def _largest_forces(self, effort: Any) -> Array:
        if not isinstance(effort, bool):
            return self._not_negative(effort, "effort")
        inner = self.system.system if isinstance(self.system, ConstrainedSystem) else self.system
        if effort and isinstance(inner, Robot):
            return inner.limits["effort"]
        return np.full(self.system.n, np.inf)

    def _values(self, given: Mapping[str, Any]) -> dict[str, Array]:
        """Values of the symbols, one for each sample."""
        has_some = hasattr(self.system, "mechanism") and bool(self.system.symbols)
        own = {x.name: x.shape for x in self.system.mechanism.symbols} if has_some else {}
        for name in given:
            if name not in own:
                raise ModelError(f"symbols: there is no symbol {name!r}; the system has {', '.join(own) or 'none'}")
        found = {}
        for name, shape in own.items():
            if name not in given:
                raise ModelError(f"robot {self.system.name!r} has the symbol {name}: give symbols={{{name!r}: ...}}")
            x, each = real(given[name], f"symbol {name!r}"), (self.samples, *shape)
            if x.shape not in (shape, each):
                raise ShapeError(f"symbol {name!r} must have shape {shape}, or {each}, one a sample, got {x.shape}")
            found[name] = np.broadcast_to(x, each)
        if own:
            self.system._at("sampling control", found)
        return found

    @property
    def parameters(self) -> Mapping[str, Array]:
        """The parameters of the cost; `set` changes them."""
        return MappingProxyType(self._parameters)

    def set(self, **parameters: ArrayLike) -> None:
        """Change parameters of the cost, from the next call on."""
        for name in parameters:
            if name not in self._parameters:
                raise ModelError(f"there is no parameter {name!r}, but {', '.join(self._parameters) or 'none'}")
        self._parameters |= {name: _parameter(name, x, self._parameters[name].shape) for name, x in parameters.items()}

    def reset(self, plan: ArrayLike | None = None) -> None:
        """Begin another motion with a plan, (horizon, n) or (knots, n), or with zero forces."""
        shape = (self.knots or self.horizon, self.system.n)
        self._first = np.zeros(shape) if plan is None else array(plan, "plan", shape, finite=True).copy()
        self.begin()

    def begin(self) -> None:
        """Begin another motion, with the plan that `reset` was given; `chasles.simulate` does."""
        self.plan: Array = np.clip(self._first, -self.effort, self.effort)
        self.costs: Array = np.empty(0)
        self.time: float | None = None
        self.iteration = 0
        self._before, self._keys = self.plan, self._drawn()

    def _drawn(self) -> Array:
        """The keys of the noise of an update, one for each number of the plan."""
        shape = (len(self.plan), len(self._spread))
        return keys_kernel()(self.seed, self.iteration, np.arange(float(math.prod(shape)))).reshape(shape)

    @property
    def spacing(self) -> float:
        """Seconds between rows of the plan."""
        return self.dt if self.knots is None else self.dt * (self.horizon // (self.knots - 1))

    def at(self, t: ArrayLike) -> Array:
        """(..., n) the forces of the plan at times t (...): its first before it begins, its last where it has ended."""
        times, last = real(t, "t"), len(self.plan) - 1
        if not np.isfinite(times).all():
            raise ModelError(f"t must be finite, got {shown(t)}")
        place = np.clip((times - (self.time or 0.0)) / self.spacing, 0.0, last)
        below = np.floor(place + AFTER).astype(int)
        if self.knots is None:
            return self.plan[below]
        part, after = np.maximum(place - below, 0.0)[..., None], self.plan[np.minimum(below + 1, last)]
        return self.plan[below] + (after - self.plan[below]) * part

    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(n,) the joint forces at a state: the plan goes on from t, is improved, and its first row acts."""
        t, q, qd = self._state(t, q, qd)
        if self.time is not None:
            if t < self.time - AFTER * self.dt:
                raise ModelError(
                    f"the plan begins at t = {self.time:g}, after t = {t:g}: call begin() for another motion, and give "
                    "chasles.simulate sample=law.dt where its method or tolerance goes back in time"
                )
            t = max(t, self.time)
            self.plan = self.at(t + self.spacing * np.arange(len(self.plan)))
        for _ in range(self.updates):
            self.update(t, q, qd)
        return self.plan[0].copy()

    def update(self, t: float, q: ArrayLike, qd: ArrayLike) -> None:
        """Improve the plan, which is to begin at t, at a state q (nq,), qd (n,)."""
        t, q, qd = self._state(t, q, qd)
        self.time, self.iteration, self._before = t, self.iteration + 1, self.plan
        self._keys = self._drawn()
        with np.errstate(all="ignore"):
            self._roll_out(q, qd, t)
        if not np.isfinite(self.costs).any():
            raise SimulationError(
                f"no sample has a finite cost at t = {t:.6g}, q = {shown(q.tolist())}, qd = {shown(qd.tolist())}: look "
                "at the cost there, at dt, and at noise, which may drive the motion out of bounds"
            )
        self.plan = self._improved()

    def _state(self, t: float, q: ArrayLike, qd: ArrayLike) -> tuple[float, Array, Array]:
        given = state(t, q, qd, self.system)
        for name, x in zip(("q", "qd"), given[1:], strict=True):
            if x.ndim != 1:
                raise ShapeError(f"sampling control is of one state: {name} must be of one dimension, got {x.shape}")
        return given

    def _roll_out(self, q: Array, qd: Array, t: float) -> None:
        """Find the costs of all samples from a state."""
        self.costs = self._rolled_out(slice(None), q, qd, t)

    def _rolled_out(self, rows: slice, q: Array, qd: Array, t: float) -> Any:
        """What the kernel gives for some of the samples."""
        numbers, values = self._numbers[rows], {name: x[rows] for name, x in self._symbols.items()}
        return self._costs(q, qd, t, self.dt, *self._with_noise(numbers), **self._parameters, **values)

    def _with_noise(self, numbers: Any) -> tuple[Any, ...]:
        """What the kernels take of the plan and its noise, for samples of these numbers."""
        return self._before, self._keys, numbers, self._spread, self.effort

    def sampled(self, numbers: ArrayLike) -> Array:
        """(..., horizon, n), or (..., knots, n), the plans of samples of the last update, given by their numbers."""
        given = real(numbers, "numbers")
        if not ((given == np.floor(given)) & (given >= 0.0) & (given < self.samples)).all():
            raise ModelError(f"numbers must be whole, from 0 to {self.samples - 1}, got {shown(numbers)}")
        return self._plans(*self._with_noise(given))

    @property
    def best_sample(self) -> int:
        """The number of the sample of least cost in the last update."""
        if not len(self.costs):
            raise ModelError("nothing was sampled yet: call the law first")
        return int(np.argmin(np.where(np.isfinite(self.costs), self.costs, np.inf)))

    @property
    def best(self) -> Array:
        """The plan of the sample of least cost in the last update."""
        return self.sampled(self.best_sample)

    @abstractmethod
    def _improved(self) -> Array:
        """The next plan, of the costs."""


def _parameter(name: str, x: ArrayLike, shape: tuple[int, ...] | None) -> Array:
    if not isinstance(name, str) or not name.isidentifier():
        raise ModelError(f"the name of a parameter must be one that Python takes for an argument, got {shown(name)}")
    what = f"parameter {name!r}"
    found = real(x, what)
    return array(found, what, found.shape if shape is None else shape, finite=True).copy()
