"""This machine's processor: programs compiled by LLVM, called as NumPy ufuncs through a shell that is compiled once.

`run` is what `target="cpu"` does. Code is freed with the last function that uses it.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from chasles.backend.host import cache, jit
from chasles.backend.host.addresses import SHELL
from chasles.backend.host.descriptor import descriptor
from chasles.backend.host.ufunc import gufunc, single_call
from chasles.backend.llvm import render
from chasles.backend.llvm.imports import IMPORTS
from chasles.backend.llvm.target import host
from chasles.graph.array import Behind
from chasles.graph.program import Program

WORK_PER_THREAD = 4_000_000  # operations times rows that are worth a thread


class Compiled:
    """A function of this machine: `ufunc` is NumPy's, `fast` the one for single calls. Either holds all it needs."""

    def __init__(self, ufunc: Any, fast: Any) -> None:
        self.ufunc, self.fast = ufunc, fast


_alive: WeakValueDictionary[str, Compiled] = WeakValueDictionary()


def run(body: Program, name: str, dtype: str, doc: str, otherwise: Callable[[Any], Callable[..., Any]]) -> Compiled:
    """The compiled function; the same one while somebody holds it.

    otherwise: makes, of the ufunc, the Python function for arguments that are no plain arrays or that NumPy refuses.
    """
    import numpy as np

    ir = render(body, name, dtype)
    identity = _identity(ir)
    known = f"{identity} {name} {doc}"
    with jit.lock:
        found = _alive.get(known)
        if found is None:
            code = jit.made(identity, lambda: ir, ("range",), IMPORTS)
            share = share_of(body.operations.total) if host().threads else 0
            described = id(np.dtype(dtype))
            words = descriptor(body.inputs, body.outputs, dtype, share, code.address["range"], 0, described)
            owned: list[Any] = [code]
            ufunc = gufunc(body.inputs, body.outputs, dtype, shell().address["loop"], words, (name, doc), owned)
            owned.append(Behind(ufunc, body))
            fast = single_call(ufunc, shell().address["fast"], words, name, otherwise(ufunc))
            found = _alive[known] = Compiled(ufunc, fast)
    return found


def share_of(operations: int) -> int:
    """The rows of a batch that are worth a thread."""
    return max(64, WORK_PER_THREAD // max(1, operations) // 64 * 64)


def _identity(*parts: str) -> str:
    """What names compiled code on disk: all that made it."""
    import llvmlite

    return cache.key(*parts, repr(host()), llvmlite.__version__)


@functools.cache
def shell() -> jit.Loaded:
    """The doors of all kernels (numpy_shell.py), compiled once for a machine and these sources."""

    def ir() -> str:
        from chasles.backend.host import numpy_shell

        return numpy_shell.shell(host())

    return _of_words(("numpy_shell", "batches"), ir, ("loop", "fast"))


def _of_words(sources: tuple[str, ...], ir: Callable[[], str], exported: tuple[str, ...]) -> jit.Loaded:
    """Functions of words (words.py), named on disk by the text of their sources: the IR is made only where needed."""
    here = Path(__file__).parent
    texts = [(here / f"{name}.py").read_text("utf-8") for name in ("words", "descriptor", "addresses", *sources)]
    layout = f"{object.__basicsize__} {tuple.__basicsize__} {bytes.__basicsize__}"
    with jit.lock:
        return jit.made(_identity(layout, *texts), ir, exported, SHELL, passes=True)
