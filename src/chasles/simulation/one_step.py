"""One step of a system, compiled: for loops of one's own."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import number, positive
from chasles.constrained import ConstrainedSystem
from chasles.errors import ModelError
from chasles.linear_algebra import all_finite
from chasles.simulation.compiled_steps import can_be_compiled, step_kernel
from chasles.simulation.fixed_steps import FixedSteps, refuse_symbols
from chasles.system import when

Array = NDArray[np.float64]


def step(
    system: Any,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    dt: float,
    method: str = "rk4",
    t: float = 0.0,
) -> tuple[Array, Array]:
    """q (..., nq) and qd (..., n) of a system dt seconds later, by one step of a method, under joint forces tau.

    q: (..., nq), qd, tau: (..., n), held over the step (default: none). method: a name of `chasles.integrators`. t: the
    time where it begins, for systems that depend on it. Rows that do not stay finite are nan.
    """
    return _prepared(system, method, dt)(q, qd, tau, t)


def _prepared(system: Any, method: str, dt: float) -> Any:
    """The function (q, qd, tau, t) behind a method and a dt; kept with the system, which calls it, once compiled."""
    refuse_symbols(system, "step")
    if not can_be_compiled(system):
        raise ModelError(f"step: system must be a Robot, LagrangianSystem or ConstrainedSystem of them, got {system!r}")
    h, kernel = np.array(positive(dt, "dt", "of seconds")), step_kernel(system, method)

    def first(q: Any, qd: Any, tau: Any, t: Any) -> Any:
        found = _call(system, method, h, kernel.call)(q, qd, tau, t)
        if kernel.compiled:  # not where the values were traced
            vars(system)["_steps"]["call", method, dt, dt.__class__] = _call(system, method, h, kernel.fast)
        return found

    return first


def _call(system: Any, method: str, h: Array, run: Any) -> Any:
    still, timed = np.zeros(system.n), bool(when(system, 0.0))

    def call(q: Any, qd: Any, tau: Any, t: Any) -> Any:
        if t.__class__ is not float or t - t != 0.0:
            t = number(t, "step: t", "of seconds")
        if timed:
            return run(q, qd, still if tau is None else tau, h, np.array(t))
        return run(q, qd, still if tau is None else tau, h)

    def watched(q: Any, qd: Any, tau: Any, t: Any) -> Any:
        if q.__class__ is qd.__class__ is np.ndarray and q.ndim == qd.ndim == 1:  # where nothing looks at flags
            found = x, v = call(q, qd, tau, t)
        else:
            with np.errstate(all="ignore"):
                found = x, v = call(q, qd, tau, t)
        if type(x) is not np.ndarray or (v.ndim == 1 and isfinite(v.item(0))) or all_finite(x, v):
            return found
        return _again(system, method, float(h), t, q, qd, still if tau is None else tau, found)

    return watched if isinstance(system, ConstrainedSystem) else call


def _again(system: Any, method: str, dt: float, t: float, q: Any, qd: Any, tau: Any, found: Any) -> tuple[Array, Array]:
    """Rows that a kernel has no answer for, as where the rank of constraints falls, in Python."""
    run = FixedSteps(system, None, dt, method, True, False, False)
    shapes = found[0].shape[:-1]
    given = [np.broadcast_to(np.asarray(x, dtype=float), (*shapes, np.shape(x)[-1])) for x in (q, qd, tau)]
    with np.errstate(all="ignore"):
        for place in np.argwhere(~(np.isfinite(found[0]).all(axis=-1) & np.isfinite(found[1]).all(axis=-1))):
            row = tuple(place)
            x, v, run.held = (part[row] for part in given)
            if all_finite(x, v, run.held):
                state = run.scheme.step(run.equations, t, run.scheme.begin(run.equations, t, x, v), dt)
                found[0][row], found[1][row] = run.end(t + dt, state)
    return found
