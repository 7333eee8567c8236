"""Records of the machine code that functions have, known before a function is traced or its IR is made.

A record on disk is named by what the code was made of: a recipe (graph/deferred.py), or the program itself; either with
the type of its numbers, the machine, the versions of all that take part, and a digest of this package's sources. It
holds the name of the code, which is a hash of the IR (cache.py), and what else the shell has to know.
"""

import contextlib
import functools
import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from chasles.backend.host import cache, jit
from chasles.backend.llvm.target import host
from chasles.backend.schedule import row_cost
from chasles.graph.deferred import recipe_of
from chasles.graph.program import Loop, Program, Ref

LONG = 50_000  # nodes of a program
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Record(NamedTuple):
    """The name of the code, the cost of a row (schedule.py), and whether there are loops in the program."""

    code: str
    cost: float
    loops: bool


def identity(*parts: str) -> str:
    """What names compiled code on disk: all that made it."""
    import llvmlite
    import llvmlite.binding as llvm

    versions = f"llvmlite {llvmlite.__version__}, LLVM {'.'.join(map(str, llvm.llvm_version_info))}"
    return cache.key(*parts, repr(host()), str(jit.EFFORT), versions)


def usable() -> bool:
    """Whether there are records at all."""
    with contextlib.suppress(RuntimeError):  # no home directory
        return cache.folder() is not None and sources() is not None
    return False


def names(program: Program, dtype: str) -> Iterator[str]:
    """The names of a program's records: by its recipe, if it has one, then by the program, which is traced for that.

    By a recipe alone, where the text of the program is as long as the code: few robots share such programs.
    """
    if not usable():
        return
    recipe = recipe_of(program)
    if recipe:
        yield named_by(recipe, dtype)
    if not recipe or len(program.nodes) <= LONG:
        yield identity("program", _text(program), dtype, *_versions())


def named_by(recipe: str, dtype: str) -> str:
    """The name of the record of a recipe."""
    return identity("recipe", recipe, dtype, *_versions())


def record_of(program: Program, ir: str) -> Record:
    """The record of a program that has that IR."""
    return Record(identity(ir), row_cost(program), bool(program.loops))


def find(name: str) -> Record | None:
    """The record of that name."""
    text = cache.load(name, cache.RECORD)
    if text is None:
        return None
    code, cost, loops = text.decode().split()
    return Record(code, float(cost), loops == "True")


def keep(name: str, record: Record) -> None:
    """Put a record on disk, unless the sources have changed since they were imported: they may not be what made it."""
    if _unchanged():
        cache.store(name, f"{record.code} {record.cost!r} {record.loops}".encode(), cache.RECORD)


def _versions() -> tuple[str, ...]:
    """What a program may depend on beside its recipe: these sources, and the functions that fold constants."""
    import numpy as np

    libc = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in getattr(os, "confstr_names", {}) else ""
    return sources() or "", sys.version, np.__version__, libc or ""


@functools.cache
def sources() -> str | None:
    """A digest of this package's modules; None where they cannot be read, or have changed since it was imported."""
    parts, imported = [], _imported()
    try:
        for path in _modules(_ROOT):
            with open(path, "rb", 0) as file:
                if os.fstat(file.fileno()).st_mtime >= imported:
                    return None
                parts += [path[len(_ROOT) :].encode(), file.read()]
    except OSError:
        return None
    return cache.digest(parts) if parts else None


@functools.cache
def _modules(root: str) -> list[str]:
    return sorted(
        f"{folder}{os.sep}{name}" for folder, _, files in os.walk(root) for name in files if name.endswith(".py")
    )


def _unchanged() -> bool:
    """Whether the modules are what was imported."""
    imported = _imported()
    return all(os.stat(path).st_mtime < imported for path in _modules(_ROOT))


def _imported() -> float:
    """When this package was imported."""
    return sys.modules[__name__.partition(".")[0]].__dict__["_imported"]


def _text(program: Program) -> str:
    """A program, exactly."""
    parts = [repr(program.inputs), repr(program.outputs)]
    parts += [f"{op} {_row(args)}" for op, args in program.nodes]
    parts += [_row(row) for row in program.results]
    parts += [_loop_text(loop) for loop in program.loops]
    return "\n".join(parts)


def _row(args: Any) -> str:
    return " ".join([f"%{a.index}" if type(a) is Ref else repr(a) for a in args])


def _loop_text(loop: Loop) -> str:
    fields = (loop.carry, loop.count, loop.given, loop.each, loop.record, loop.until, loop.restart)
    return f"loop {fields!r}\n{_text(loop.step)}\nend"
