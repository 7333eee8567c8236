"""A rollout on numbers: what is given, checked and broadcast; the kernel called chunk after chunk; rows that end.

A row whose state is no longer finite is nan from there on, its step is reported, and no other row is disturbed.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import array, number, positive, refuse_beyond_memory, shown
from chasles.arguments.arrays import leading
from chasles.constrained import ConstrainedSystem
from chasles.errors import ModelError, caller
from chasles.recorded_motion import Trajectory
from chasles.recorded_motion.labels import labels_of
from chasles.simulation.rollout import ChunkKernels
from chasles.simulation.time_loop import Operands

Array = NDArray[np.float64]


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


def rolled(kernels: ChunkKernels, of: Operands, start: Given, steps: int, method: str) -> Trajectory:
    """The motions from a start over so many steps."""
    every, lead, nq, n = kernels.every, start.lead, of.system.nq, of.system.n
    many = -(-steps // every) + 1
    size = 8.0 * many * (2.0 + np.prod(lead, dtype=float) * (nq + 2 * n))
    refuse_beyond_memory(
        size, f"{many} states of each row", "keep fewer by every=, or roll out in parts, each from t0="
    )
    at = np.append(np.arange(0, steps, every), steps)
    q, qd = np.empty((*lead, len(at), nq)), np.empty((*lead, len(at), n))
    tau = np.empty((*lead, len(at), n)) if kernels.law else _torques(kernels, start, at, steps)
    kept = [q, qd, tau] if kernels.law else [q, qd]
    with np.errstate(all="ignore"):
        k, last = _advanced(kernels, start, steps, kept)
    for whole, end in zip(kept, last, strict=True):
        whole[..., -1, :] = end
    if kernels.law and kernels.torques == "each" and start.tau is not None:
        tau[..., -1, :] += start.tau[..., -1, :]
    finite = np.asarray(k, dtype=np.int64)
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


def _advanced(kernels: ChunkKernels, start: Given, steps: int, kept: list[Array]) -> tuple[Any, list[Any]]:
    """Fill `kept`, but for the last states; the steps that rows made, and what is at their ends."""
    (every, chunk), tau = (kernels.every, kernels.chunk), start.tau
    common = (start.dt, start.t0)
    k: Any = np.zeros(start.lead)
    state: Any = (start.q, start.qd)
    if kernels.begin is not None:
        first = () if tau is None else (tau[..., 0, :] if kernels.torques == "each" else tau,)
        state = kernels.begin(*state, *common, *start.values, *first)
    records, found = kept[0].shape[-2] - 1, []
    for a in range(0, records, chunk):
        m = min(chunk, records - a)
        forces = () if tau is None else (_rows(tau, a * every, (chunk, every)) if kernels.torques == "each" else tau,)
        outputs = kernels.advance.outputs
        out = None
        if m == chunk:
            out = [np.empty((*start.lead, *o.shape)) for o in outputs]
            out[1 + kernels.state : 1 + kernels.state + len(kept)] = [x[..., a : a + m, :] for x in kept]
        arguments = (k, float(steps), *common, *state, *forces, *start.values)
        found = list(kernels.advance(*arguments, out=None if out is None else tuple(out)))
        k, state = found[0], found[1 : 1 + kernels.state]
        if m < chunk:
            for x, part in zip(kept, found[1 + kernels.state :], strict=False):
                x[..., a : a + m, :] = part[..., :m, :]
    return k, found[1 + kernels.state + len(kept) :]


def _rows(tau: Array, a: int, shape: tuple[int, int]) -> Array:
    """(..., chunk, every, n) of those given one a step, from step a on; zeros beyond the last."""
    size, lead, n = shape[0] * shape[1], tau.shape[:-2], tau.shape[-1]
    rows = tau[..., a : a + size, :]
    if rows.shape[-2] < size:
        rows = np.concatenate([rows, np.zeros((*lead, size - rows.shape[-2], n))], axis=-2)
    return rows.reshape(*lead, *shape, n)


def _torques(kernels: ChunkKernels, start: Given, at: Array, steps: int) -> Array:
    """(*lead, T, n) the joint forces at states, where no law adds any."""
    whole = (*start.lead, len(at), start.qd.shape[-1])
    if start.tau is None:
        return np.zeros(whole)
    rows = start.tau[..., np.minimum(at, steps - 1), :] if kernels.torques == "each" else start.tau[..., None, :]
    return np.array(np.broadcast_to(rows, whole))


def _ended(finite: NDArray[np.int64], start: Given, steps: int) -> str:
    """What is said of rows that ended."""
    bad = np.argwhere(finite < steps)
    row, one = tuple(int(i) for i in bad[0]), finite.ndim == 0
    who = "the motion" if one else f"row {', '.join(map(str, row))} of the batch"
    step = int(finite[row])
    others = f", and so are {len(bad) - 1} other rows" if len(bad) > 1 else ""
    return (
        f"rollout: {who} is no longer finite after {step} of {steps} steps, at t = {start.t0 + step * start.dt:.6g}: "
        f"it is nan from there on{others}. Take a smaller dt, or look at what acts on it: chasles.simulate says why"
    )
