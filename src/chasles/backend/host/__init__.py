"""This machine's processor: programs compiled by LLVM, called as NumPy ufuncs through a shell that is compiled once.

`run` is what `target="cpu"` does. Code is freed with the last function that uses it.

One row takes a block of W rows its time. A long program has two codes therefore, with the same bits for a row: vectors
as long as the machine has them for batches, short ones for few rows. Each is made when the first such call comes.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from chasles.backend import llvm, progress
from chasles.backend.host import jit, loop_words, records
from chasles.backend.host.addresses import PROVIDED, SHELL
from chasles.backend.host.descriptor import ALONE, LONG, NARROW, RANGE, descriptor
from chasles.backend.host.single_calls import FEW_ROWS
from chasles.backend.host.ufunc import FewOrMany, address_of, gufunc, put, single_call
from chasles.backend.llvm.imports import IMPORTS, table
from chasles.backend.llvm.target import Target, host
from chasles.backend.schedule import ITERATIONS
from chasles.graph.array import UfuncProgram
from chasles.graph.deferred import recipe_of
from chasles.graph.program import Loop, Program, Status

WORK_PER_THREAD = 4_000_000  # multiply-adds that are worth a thread
SHORT_VECTORS = 16  # bytes
LONG_PROGRAM = 150  # multiply-adds of a row that are worth a code of their own for few rows;
STORE = 4  # so many is a number that is written


class Compiled:
    """A function of this machine: `ufunc` is NumPy's, `fast` the one for single calls, `door` makes others like that.

    Each holds all it needs.
    """

    def __init__(self, ufunc: Any, door: Callable[..., Any]) -> None:
        self._ufunc, self.door, self.fast = ufunc, door, door(optional=False)

    @property
    def ufunc(self) -> Any:
        return self._ufunc.many if isinstance(self._ufunc, FewOrMany) else self._ufunc


_alive: WeakValueDictionary[str, jit.Loaded] = WeakValueDictionary()


def run(
    body: Program | Loop, name: str, dtype: str, doc: str, fallback: Callable[[Any], Callable[..., Any]]
) -> Compiled:
    """The compiled function; its code is shared with all that have the same, while any of them lives.

    fallback: makes, of the ufunc, the Python function for arguments that are no plain arrays or that NumPy refuses.
    """
    with jit.lock:
        cost = _cost_if_long(body, dtype) if isinstance(body, Program) else None
        if isinstance(body, Program) and cost is not None:
            return _for_few_and_many(body, name, dtype, doc, fallback, cost)
        code, record = _found(_step(body), name, dtype)
        return assemble(body, name, dtype, doc, fallback, code, host(), record)


def known(recipe: str, dtype: str) -> bool:
    """Whether the code of a recipe's program (graph/deferred.py) is known: it need not be traced to be run."""
    return _record(recipe, dtype) is not None


def _record(recipe: str, dtype: str) -> records.Record | None:
    """The record of a recipe's program, of either code."""
    if not recipe or not records.usable():
        return None
    places = (records.named_by(recipe, kind) for kind in (dtype, _kind(dtype, SHORT_VECTORS)))
    return next(filter(None, map(records.find, places)), None)


def _cost_if_long(program: Program, dtype: str) -> float | None:
    """What a row costs of a program of which there are two codes; None where there is one."""
    if host().vector_bytes <= SHORT_VECTORS:
        return None
    record = _record(recipe_of(program), dtype) or records.record_of(program, "")
    work = record.cost + STORE * sum(operand.size for operand in program.outputs)
    return record.cost if work > LONG_PROGRAM and not record.loops else None


def _kind(dtype: str, vector_bytes: int) -> str:
    """What records say of a code: its numbers, and its vectors where they are not those of the machine."""
    return dtype if vector_bytes == host().vector_bytes else f"{dtype} in {vector_bytes} bytes"


def _found(
    program: Program, name: str, dtype: str, vector_bytes: int | None = None
) -> tuple[jit.Loaded, records.Record]:
    """The code of a program, and its record: from the disk, which needs no IR and maybe no trace, or compiled."""
    missing, target = [], host()._replace(vector_bytes=vector_bytes or host().vector_bytes)
    for place in records.names(program, _kind(dtype, target.vector_bytes)):
        record = records.find(place)
        code = record and (_alive.get(record.code) or jit.load(record.code, ("range",), IMPORTS))
        if record and code:
            break
        missing.append(place)
    else:
        code, record = _made(program, name, dtype, target)
    _alive[record.code] = code
    for place in missing:
        records.keep(place, record)
    return code, record


def _made(program: Program, name: str, dtype: str, target: Target) -> tuple[jit.Loaded, records.Record]:
    with progress.named(f"compiling {name}, {program.operations.total:,} operations"):
        ir = llvm.render(program, name, dtype, target)
        record = records.record_of(program, ir)
        code = _alive.get(record.code) or jit.load_or_compile(record.code, lambda: ir, ("range",), IMPORTS)
    return code, record


def assemble(
    body: Program | Loop,
    name: str,
    dtype: str,
    doc: str,
    fallback: Callable[[Any], Callable[..., Any]],
    code: jit.Loaded,
    target: Target,
    record: records.Record | None = None,
) -> Compiled:
    """The functions of a body whose code (of a loop: its step's) is loaded, made for `target`. record: of that code."""
    import numpy as np

    owned: list[Any] = [code]
    record = record or records.record_of(_step(body), "")
    place, context = code.address["range"], 0
    if isinstance(body, Loop):
        words = loop_words.context(body, place, target.lanes(dtype), dtype, record.cost)
        owned.append(words)
        place, context = driver().address["drive"], address_of(words)
    times = (body.count or ITERATIONS) if isinstance(body, Loop) else 1
    share = share_of(times * record.cost) if target.threads else 0
    looks = ALONE if isinstance(body, Loop) else int(record.loops)
    lanes = 0 if isinstance(body, Loop) else target.lanes(dtype)
    more = id(np.dtype(dtype)), looks, lanes, place
    words = descriptor(body.inputs, body.outputs, dtype, share, place, context, *more)
    ufunc = gufunc(body.inputs, body.outputs, dtype, shell().address["loop"], words, (name, doc), owned)
    if not isinstance(body, Loop):
        owned.append(UfuncProgram(ufunc, body))
    elif body.restart is None:
        owned.append(UfuncProgram(ufunc, body.program))
    return Compiled(ufunc, _doors(words, name, ufunc, fallback(ufunc)))


def _for_few_and_many(
    program: Program, name: str, dtype: str, doc: str, fallback: Callable[[Any], Callable[..., Any]], cost: float
) -> Compiled:
    """The functions of a long program: the code for few rows and that for many are each made when they come.

    An interrupt may come between any two lines: a code is held by all that have its words before these point to it.
    """
    import numpy as np

    inputs, outputs = program.inputs, program.outputs
    share = share_of(cost) if host().threads else 0
    words = descriptor(inputs, outputs, dtype, share, 0, 0, id(np.dtype(dtype)), 0, host().lanes(dtype))
    codes: list[jit.Loaded] = []  # that the words point to

    def few() -> Any:
        with jit.lock:
            code, record = _found(program, name, dtype, SHORT_VECTORS)
            short = host()._replace(vector_bytes=SHORT_VECTORS)
            ufunc = assemble(program, name, dtype, doc, lambda ufunc: ufunc, code, short, record).ufunc
            codes.append(code)
            put(words, NARROW, code.address["range"])
            return ufunc

    def many() -> Any:
        with jit.lock:
            code, _ = _found(program, name, dtype)
            owned: list[Any] = [codes]
            ufunc = gufunc(inputs, outputs, dtype, shell().address["loop"], words, (name, doc), owned)
            owned.append(UfuncProgram(ufunc, program))
            codes.append(code)
            put(words, RANGE, code.address["range"])
            return ufunc

    ufunc = FewOrMany(few, many, tuple(FEW_ROWS * operand.size for operand in inputs))
    return Compiled(ufunc, _doors(words, name, ufunc, fallback(ufunc)))


def _doors(words: bytes, name: str, ufunc: Any, python: Any) -> Callable[..., Any]:
    """What makes single calls of a kernel."""
    fast = shell().address["fast"]

    def door(
        kind: type[tuple[Any, ...]] = tuple,
        bound: float | None = None,
        around: Any = lambda f: f,
        optional: bool = True,
    ) -> Any:
        return single_call(fast, words, name, around(ufunc), around(python), kind, bound, optional)

    return door


def _step(body: Program | Loop) -> Program:
    return body.step if isinstance(body, Loop) else body


def share_of(cost: float) -> int:
    """The rows of a batch that are worth a thread, for what one row costs."""
    return max(LONG, int(WORK_PER_THREAD / max(1.0, cost)) // 64 * 64)


@functools.cache
def driver() -> jit.Loaded:
    """The driver of all loops (loop_driver.py), compiled once for a machine and these sources."""

    def ir() -> str:
        from chasles.backend.host import loop_driver

        return loop_driver.driver(host())

    return _load_from_sources(("loop_driver", "loop_words", "batches", "interruption", "watch"), ir, ("drive",))


@functools.cache
def shell() -> jit.Loaded:
    """The doors of all kernels (numpy_shell.py), likewise."""

    def ir() -> str:
        from chasles.backend.host import numpy_shell

        return numpy_shell.shell(host())

    return _load_from_sources(
        ("numpy_shell", "single_calls", "batches", "layouts", "interruption", "watch"),
        ir,
        ("loop", "fast", "called_off"),
    )


PROVIDED["called_off"] = lambda: shell().address["called_off"]


def _load_from_sources(sources: tuple[str, ...], ir: Callable[[], str], exported: tuple[str, ...]) -> jit.Loaded:
    """Functions of words (words.py), named on disk by the text of their sources: the IR is made only where needed."""
    here = Path(__file__).parent
    texts = [(here / f"{name}.py").read_text("utf-8") for name in ("words", "descriptor", "addresses", "jit", *sources)]
    layout = f"{object.__basicsize__} {tuple.__basicsize__} {bytes.__basicsize__} {[*map(int, Status)]} {table()}"
    with jit.lock:
        return jit.load_or_compile(records.identity(layout, *texts), ir, exported, SHELL, passes=True)
