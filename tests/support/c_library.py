"""C files as functions: compiled by the wheel `ziglang`, which is a clang, and called by ctypes.

Nothing is linked, so that zig builds no library of C first: functions of math.h are those of this process.
"""

import ctypes
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import ziglang

from chasles.backend.c import written
from chasles.function.kernel import Kernel

ZIG = Path(ziglang.__file__).parent / "zig"
WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
    "-Wdouble-promotion",
    "-Wfloat-equal",
    "-Wundef",
]
PROTOTYPES = ["-Wmissing-prototypes", "-Wstrict-prototypes"]


class Compiled:
    """A function of a library: inputs and outputs of (rows, *shape), as those of its kernel."""

    def __init__(self, function: Any, kernel: Kernel) -> None:
        self.function, self.kernel = function, kernel
        number = ctypes.c_double if kernel.dtype == "float64" else ctypes.c_float
        function.argtypes = [ctypes.c_void_p if o.shape else number for o in kernel.inputs]
        function.argtypes += [ctypes.c_void_p] * len(kernel.outputs)
        function.restype = None

    def __call__(self, *arrays: Any) -> tuple[np.ndarray, ...]:
        """The outputs, row by row; none of them are inputs."""
        kernel, rows = self.kernel, len(arrays[0])
        given = [np.array(x, kernel.dtype).reshape(rows, -1) for x in arrays]
        found = [np.full((rows, o.size), -77.0, kernel.dtype) for o in kernel.outputs]
        taken = [x if x.size else np.zeros((rows, 1), kernel.dtype) for x in (*given, *found)]
        numbers = [not o.shape for o in kernel.inputs] + [False] * len(found)
        starts = [(x.ctypes.data, x.strides[0], x[:, 0]) for x in taken]
        for k in range(rows):
            each = zip(starts, numbers, strict=True)
            self.function(*(x[k] if number else at + k * stride for (at, stride, x), number in each))
        return tuple(y.reshape(rows, *o.shape) for y, o in zip(found, kernel.outputs, strict=True))


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A folder of this process, gone with it."""
    ctypes.CDLL(None, ctypes.RTLD_GLOBAL)
    return tempfile.TemporaryDirectory(prefix="chasles-c-")


def zig(*arguments: str, folder: str | None = None) -> str:
    """What `zig cc` complains of; an error raises with it."""
    command = [str(ZIG), "cc", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])
    return done.stderr


def compiled(kernels: Mapping[str, Kernel] | Sequence[Kernel], *flags: str) -> list[Compiled]:
    """Functions of a library of several kernels, one file for each type of numbers; warnings are errors."""
    named = list(kernels.items()) if isinstance(kernels, Mapping) else [(k.name, k) for k in kernels]
    folder = Path(tempfile.mkdtemp(dir=_folder().name))
    texts: dict[str, list[str]] = {}
    functions = []
    for i, (name, kernel) in enumerate(named):
        file = written(kernel.program, f"{name} {i}" if len(named) > 1 else name, kernel.dtype)
        texts.setdefault(kernel.dtype, []).append(file.text)
        functions.append(file.words.function)
    for dtype, parts in texts.items():
        (folder / f"{dtype}.c").write_text("".join(parts), "ascii")
    strict = ["-std=c99", "-fno-sanitize=undefined", *WARNINGS, *PROTOTYPES, "-Werror"]
    target = folder / "library.so"
    files = [f"{dtype}.c" for dtype in texts]
    zig("-shared", "-nostdlib", "-fPIC", "-O1", *strict, *flags, "-o", target.name, *files, folder=str(folder))
    library = ctypes.CDLL(str(target))
    return [Compiled(getattr(library, f), kernel) for f, (_, kernel) in zip(functions, named, strict=True)]


def computed(kernel: Kernel, *arrays: Any) -> tuple[np.ndarray, ...]:
    """The outputs of a kernel's C, (rows, *shape) each, for inputs of (rows, *shape)."""
    return compiled([kernel])[0](*arrays)
