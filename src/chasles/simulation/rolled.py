"""A rollout on numbers: what is given, checked and broadcast; the kernels called one after another; rows that end.

A row whose state is no longer finite is nan from there on, its step is reported, and no other row is disturbed.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import array, number, positive, refuse_beyond_memory, shown
from chasles.arguments.arrays import leading
from chasles.constrained import ConstrainedSystem
from chasles.errors import ModelError, caller
from chasles.recorded_motion import Trajectory
from chasles.recorded_motion.labels import labels_of
from chasles.simulation.rollout_kernels import RolloutKernels
from chasles.simulation.time_loop import Operands

Array = NDArray[np.float64]
MANY, FEW = 32, 8  # states that one call keeps


class Given(NamedTuple):
    """What a rollout starts from: q (*lead, nq), qd (*lead, n), tau as it was given, or None, and the values of
    parameters and symbols in the order of the setup's shapes."""

    q: Array
    qd: Array
    tau: Array | None
    dt: float
    t0: float
    values: tuple[Array, ...]
    lead: tuple[int, ...]


def given(
    of: Operands,
    states: Mapping[str, ArrayLike],
    tau: tuple[Any, tuple[Any, ...]] | None,
    dt: Any,
    t0: Any,
    steps: int,
    named: Mapping[str, Any],
    called: str = "rollout",
) -> Given:
    """All of it, checked. states: q and qd under the names that people give them. tau: with its shape, or None."""
    dt, t0 = positive(dt, "dt", "of seconds"), number(t0, "t0", "of seconds")
    latest = max(abs(t0), abs(t0 + steps * dt))
    if not latest < np.inf or latest + dt == latest:
        raise ModelError(f"t0 = {t0} is too large for {steps} steps of dt = {dt}: times beside it are not told apart")
    sizes = (of.system.nq, of.system.n)
    found = {
        name: array(x, f"{called}: {name}", ("...", size), finite=True)
        for (name, x), size in zip(states.items(), sizes, strict=True)
    }
    leads = {name: x.shape[:-1] for name, x in found.items()}
    forces = None
    if tau is not None:
        forces = array(tau[0], f"{called}: tau", tau[1])
        leads["tau"] = forces.shape[: forces.ndim - len(tau[1]) + 1]
    values = _values(of, named, called, leads)
    lead = leading(called, leads)
    q, qd = (np.array(np.broadcast_to(x, (*lead, x.shape[-1]))) for x in found.values())
    if isinstance(of.system, ConstrainedSystem):
        of.system.refuse_inconsistent(q, qd)
    return Given(q, qd, forces, dt, t0, values, lead)


def _values(of: Operands, named: Mapping[str, Any], called: str, leads: dict[str, Any]) -> tuple[Array, ...]:
    for name in named:
        if name not in of.shapes:
            known = ", ".join(of.shapes) or "none"
            raise ModelError(f"{called}: no parameter or symbol {shown(name)}; there are: {known}")
    missing = [name for name in of.shapes if name not in named]
    if missing:
        raise ModelError(f"{called}: give {', '.join(f'{name}=...' for name in missing)}")
    if of.symbols:
        of.system._at(called, {name: named[name] for name in of.symbols})
    values = []
    for name, shape in of.shapes.items():
        x = array(named[name], f"{called}: {name}", ("...", *shape))
        leads[name] = x.shape[: x.ndim - len(shape)]
        values.append(x)
    return tuple(values)


def rolled(
    kernels: RolloutKernels, of: Operands, start: Given, steps: int, every: int, method: str, exact: bool
) -> Trajectory:
    """The motions from a start over so many steps. exact: by kernels that are for this number alone."""
    lead, nq, n = start.lead, of.system.nq, of.system.n
    many = -(-steps // every) + 1
    size = 8.0 * many * (2.0 + np.prod(lead, dtype=float) * (nq + 2 * n))
    refuse_beyond_memory(size, f"{many} states of each row", "keep fewer by every=, or roll out in parts")
    at = np.append(np.arange(0, steps, every), steps)
    q, qd, tau = np.empty((*lead, many, nq)), np.empty((*lead, many, n)), np.zeros((*lead, many, n))
    with np.errstate(all="ignore"):
        finite = _Run(kernels, start, steps, every, exact).filled(q, qd, tau).astype(np.int64)
    if (finite < steps).any():
        ended = at > finite[..., None]
        for part in (q, qd, tau):
            part[ended] = np.nan
        warnings.warn(_ended(finite, start, steps), RuntimeWarning, stacklevel=caller())
    named = dict(zip(of.shapes, start.values, strict=True))
    values = {name: _at_all_times(named[name], lead, shape) for name, shape in of.symbols.items()}
    labels = labels_of(of.system, method, start.dt)
    times = start.t0 + at * start.dt
    return Trajectory(times, q, qd, tau, system=of.system, labels=labels, finite_steps=finite, values=values)


def _at_all_times(x: Array, lead: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """(*lead, 1, *shape) of values (..., *shape)."""
    return np.broadcast_to(x, (*lead, *shape)).reshape(*lead, 1, *shape)


class _Run:
    """Kernels called one after another, each from where the one before ended."""

    def __init__(self, kernels: RolloutKernels, start: Given, steps: int, every: int, exact: bool) -> None:
        self.kernels, self.start, self.steps, self.every, self.exact = kernels, start, steps, every, exact
        self.each = kernels.torques == "each"
        self.k, self.state = np.zeros(start.lead), (start.q, start.qd)

    def filled(self, q: Array, qd: Array, tau: Array) -> Array:
        """(*lead) how many steps rows made; the states are put into q, qd and tau."""
        kernels, start, place, step = self.kernels, self.start, 0, 0
        if (begin := kernels.begin) is not None:
            self.state = tuple(begin(*self.state, start.dt, start.t0, *self._torques(0, ()), *start.values))
        for records, every, stops in self._pieces():
            self._advanced(records, every, stops, step, [x[..., place : place + records, :] for x in (q, qd, tau)])
            place, step = place + records, step + records * every
        end: Any = self.state
        if (last := kernels.end) is not None:
            end = last(self.k, start.dt, start.t0, *self.state, *self._torques(self.steps - 1, ()), *start.values)
        for x, y in zip((q, qd, tau), end, strict=False):
            x[..., -1, :] = y
        if len(end) == 2 and start.tau is not None:  # no law: forces are those given
            at = np.append(np.arange(0, self.steps, self.every), self.steps - 1)
            tau[...] = start.tau[..., at, :] if self.each else start.tau[..., None, :]
        return self.k

    def _pieces(self) -> list[tuple[int, int, bool]]:
        """(records, every, stops) of the calls: kernels of this number of steps alone, or of any."""
        whole, rest = divmod(self.steps, self.every)
        pieces = [(MANY, self.every, False)] * (whole // MANY)
        if self.exact:
            pieces += [(whole % MANY, self.every, False)] * bool(whole % MANY)
            return pieces + [(1, rest, False)] * bool(rest)
        left = whole % MANY + bool(rest)
        return pieces + [(FEW, self.every, True)] * -(-left // FEW)

    def _advanced(self, records: int, every: int, stops: bool, step: int, kept: Sequence[Array]) -> None:
        """Go on from a step; the states at the beginnings of `every` steps each are kept."""
        start, stop = self.start, ((float(self.steps),) if stops else ())
        kernel, size = self.kernels.advance(records, every, stops), 1 + len(self.state)
        own = kernel.outputs if stops else kernel.outputs[:size]  # states beyond the last have no place in `kept`
        out = [np.empty((*start.lead, *o.shape)) for o in own]
        out += kept[: len(kernel.outputs) - len(own)]
        tau = self._torques(step, (records, every))
        kernel(self.k, start.dt, start.t0, *self.state, *tau, *start.values, *stop, out=tuple(out))
        self.k, self.state = out[0], tuple(out[1:size])
        if stops:
            for x, y in zip(kept, out[size:], strict=False):
                x[...] = y[..., : x.shape[-2], :]

    def _torques(self, step: int, shape: tuple[int, ...]) -> tuple[Array, ...]:
        """Those given, from a step on: (..., *shape, n), where they are one a step; zeros beyond the last."""
        tau = self.start.tau
        if tau is None or not self.each:
            return () if tau is None else (tau,)
        if not shape:
            return (tau[..., step, :],)
        size, n = shape[0] * shape[1], tau.shape[-1]
        rows = tau[..., step : step + size, :]
        if rows.shape[-2] < size:
            rows = np.concatenate([rows, np.zeros((*tau.shape[:-2], size - rows.shape[-2], n))], axis=-2)
        return (rows.reshape(*tau.shape[:-2], *shape, n),)


def _ended(finite: NDArray[np.int64], start: Given, steps: int) -> str:
    """What is said of rows that ended."""
    who, row, others = _first(finite < steps)
    step = int(finite[row])
    return (
        f"rollout: {who} is no longer finite after {step} of {steps} steps, at t = {start.t0 + step * start.dt:.6g}: "
        f"it is nan from there on{others}. Take a smaller dt, or look at what acts on it: chasles.simulate says why"
    )


def warn_of_costs(cost: Array) -> None:
    """Of rows without a cost, by the first of them."""
    if np.isnan(cost).any():
        who, _, others = _first(np.isnan(cost))
        warnings.warn(
            f"rollout: the cost of {who} is nan{others}: its motion does not stay finite, or the cost function gives "
            "nan on it. Call the Rollout for the motion and its finite_steps; take a smaller dt",
            RuntimeWarning,
            stacklevel=caller(),
        )


def _first(bad: NDArray[np.bool_]) -> tuple[str, tuple[int, ...], str]:
    """The first of bad rows (...) in words, its place, and how many others there are."""
    rows = np.argwhere(bad)
    row = tuple(int(i) for i in rows[0])
    who = f"row {', '.join(map(str, row))} of the batch" if bad.ndim else "the motion"
    return who, row, f", and so are {len(rows) - 1} other rows" if len(rows) > 1 else ""
