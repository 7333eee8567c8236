"""Calls to test exported code by: states drawn at random, always the same, with results in float64.

A state is left out where a result is not finite, and where inputs that differ in their last bit give results that
differ by far more: near a jump, or a singularity. In float64 the tolerance is what such inputs do to the results of the
states that are kept. In float32, which the inputs are exact in, it is how far results in float32 are off here, at the
states and at inputs beside them. Either has a margin: a compiler that rounds otherwise, or fuses products into sums,
does no more. Searches are not run in float32, and have the tolerance of their inputs.
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
BESIDE = 4  # inputs beside each state, in float32
MARGIN = {"float64": 100.0, "float32": 3.0}  # over what the last bits of the inputs do
SINGLE_MARGIN = 10.0  # over how far float32 is off here
SMALLEST = {"float64": 1e-12, "float32": 1e-6}
LARGEST = {"float64": 1e-6, "float32": 1e-2}  # beyond it a state is left out


def references(body: Program | Loop, dtype: str, draw: Draw | None) -> tuple[tuple[Reference, ...], float]:
    """Some calls, and the tolerance of their results. draw: of inputs that are not just any numbers."""
    rng = np.random.default_rng(0)
    given = [_drawn(body, rng, draw, dtype) for _ in range(TRIED)]
    single = dtype == "float32" and not _searches(body)
    rows = [*given]
    for _ in range(BESIDE if single else 1):
        rows += [[_moved(x, rng, dtype) for x in row] for row in given]
    with np.errstate(all="ignore"):
        results = _computed(body, rows)
        moved = MARGIN[dtype] * _changes(results[:TRIED] * (len(rows) // TRIED), results)
        off = SINGLE_MARGIN * _changes(results, _computed(body, rows, dtype)) if single else moved
    kept = np.flatnonzero(np.maximum(moved, off) <= LARGEST[dtype])[:CALLS]  # which a nan is not
    found = tuple(Reference(tuple(map(_flat, given[k])), tuple(map(_flat, results[k]))) for k in kept)
    return found, _rounded(max([SMALLEST[dtype], *off[kept]]))


def _changes(results: list[list[Array]], others: list[list[Array]]) -> Array:
    """How much results differ at each of the states that were tried, at the most: nan where one is none."""
    changes = [
        np.max([_difference(y, z) for y, z in zip(*pair, strict=True)]) for pair in zip(results, others, strict=True)
    ]
    return np.reshape(changes, (-1, TRIED)).max(axis=0)


def _rounded(x: float) -> float:
    """Up to one digit, 1, 2 or 5: noise of the last bits does not show in it."""
    power = 10.0 ** math.floor(math.log10(x))
    return next(float(f"{c * power:.0e}") for c in (1, 2, 5, 10) if x <= c * power * (1.0 + 1e-9))


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
    return np.asarray(np.asarray(x * (1.0 + eps * rng.choice([-1.0, 1.0], x.shape)), dtype), float)


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
