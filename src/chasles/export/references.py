"""Calls to test exported code by: states drawn at random, always the same, with results in float64.

A state is left out where a result is not finite, and where inputs that differ in their last bit give results that
differ by far more: near a jump, or a singularity. The tolerance is what such inputs do to the results of the states
that are kept, and in float32 what that does to them here, with a margin: a compiler that rounds otherwise, or fuses
products into sums, does no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.export.exported import Reference
from chasles.function.kernel import Kernel
from chasles.graph.interpret import interpret
from chasles.graph.program import Loop, Program

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator], Mapping[str, Any]]  # values of some inputs, by name

CALLS = 5
TRIED = 20
MARGIN = {"float64": 100.0, "float32": 3.0}  # of the tolerance, over what the last bits of the inputs do
SINGLE_MARGIN = 10.0  # over what float32 does here
SMALLEST = {"float64": 1e-12, "float32": 1e-5}
LARGEST = {"float64": 1e-6, "float32": 1e-2}  # beyond it a state is left out


def references(body: Program | Loop, dtype: str, draw: Draw | None) -> tuple[tuple[Reference, ...], float]:
    """Some calls, and the tolerance of their results. draw: of inputs that are not just any numbers."""
    rng = np.random.default_rng(0)
    given = [_drawn(body, rng, draw, dtype) for _ in range(TRIED)]
    moved = [[_moved(x, rng, dtype) for x in row] for row in given]
    with np.errstate(all="ignore"):
        results, others = _computed(body, given), [(_computed(body, moved), MARGIN[dtype])]
        if dtype == "float32" and not _searches(body):
            others.append((_computed(body, given, dtype), SINGLE_MARGIN))
    found, largest = [], SMALLEST[dtype]
    for k, (inputs, outputs) in enumerate(zip(given, results, strict=True)):
        changes = [_difference(y, z) * c for rows, c in others for y, z in zip(outputs, rows[k], strict=True)]
        change = np.max(changes)
        if len(found) < CALLS and change <= LARGEST[dtype]:  # which a nan is not
            found.append(Reference(tuple(map(_flat, inputs)), tuple(map(_flat, outputs))))
            largest = max(largest, float(change))
    return tuple(found), 10.0 ** math.ceil(math.log10(largest) - 1e-9)


def _drawn(body: Program | Loop, rng: np.random.Generator, draw: Draw | None, dtype: str) -> list[Array]:
    """All inputs of a call; of what nobody knows, numbers between 1/2 and 3/2, which a root and a logarithm take."""
    known = draw(rng) if draw else {}
    rows = []
    for o in body.inputs:
        x = np.asarray(known.get(o.name, np.nan))
        fits = o.name in known and x.shape == o.shape  # which those of the user's own kernels need not
        rows.append(x if fits else rng.uniform(0.5, 1.5, o.shape))
    return [np.asarray(np.asarray(x, dtype), float) for x in rows]


def _moved(x: Array, rng: np.random.Generator, dtype: str) -> Array:
    """Numbers beside those, by their last bit."""
    eps = float(np.finfo(dtype).eps)
    return x * (1.0 + eps * rng.choice([-1.0, 1.0], x.shape))


def _difference(y: Array, z: Array) -> float:
    """Relative to the largest, or to 1: as `Exported.allowed` has it."""
    return float(np.abs(y - z).max(initial=0.0) / max(1.0, np.abs(y).max(initial=0.0)))


def _flat(x: Array) -> tuple[float, ...]:
    return tuple(float(y) + 0.0 for y in np.ravel(x))  # no -0.0


def _computed(body: Program | Loop, given: list[list[Array]], dtype: str = "float64") -> list[list[Array]]:
    """The outputs of every call: by machine code where there are loops, which takes the interpreter too long."""
    if _searches(body):
        return [_interpreted(body, row) for row in given]
    columns = [np.stack(column).astype(dtype) for column in zip(*given, strict=True)]
    if isinstance(body, Loop) or body.loops:
        found = Kernel(body, "reference", dtype).ufunc(*columns)
        outputs = found if isinstance(found, tuple) else (found,)
        return [[np.asarray(y[k], float) for y in outputs] for k in range(len(given))]
    leaves = [list(x.reshape(len(given), -1).T) for x in columns]
    rows = [[np.broadcast_to(np.asarray(y, float), len(given)) for y in row] for row in interpret(body, leaves)]
    return [[np.array([y[k] for y in row]) for row in rows] for k in range(len(given))]


def _interpreted(body: Program | Loop, row: list[Array]) -> list[Array]:
    leaves = [[float(y) for y in np.ravel(x)] for x in row]
    if isinstance(body, Program):
        return [np.array(y, float) for y in interpret(body, leaves)]
    flat, found = body.run([y for x in leaves for y in x]), []
    for operand in body.outputs:
        found.append(np.array(flat[: operand.size], float))
        flat = flat[operand.size :]
    return found


def _searches(body: Program | Loop) -> bool:
    """Whether it is or holds a search, which is not compiled inside of a program."""
    if isinstance(body, Loop):
        return body.restart is not None or _searches(body.step)
    return any(map(_searches, body.loops))
