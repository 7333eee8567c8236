"""C that a benchmark makes, compiled here and called through ctypes."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

FLAGS = ("-O3", "-march=native", "-fPIC", "-fopenmp-simd")


@cache
def compiler() -> str | None:
    """gcc, or the C compiler that there is, or None."""
    return shutil.which("gcc") or shutil.which("cc")


def version() -> str:
    """What the compiler says that it is."""
    found = compiler()
    if found is None:
        return "absent"
    return subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def library(units: Sequence[tuple[str, str]], link: Sequence[str] = ()) -> ctypes.CDLL:
    """Units of C, each with flags beside FLAGS, as one library. Its file may go once it is loaded."""
    found = compiler()
    if found is None:
        raise FileNotFoundError("no C compiler: install gcc")
    with tempfile.TemporaryDirectory() as folder:
        names = [f"unit{k}" for k in range(len(units))]
        for name, (text, flags) in zip(names, units, strict=True):
            (Path(folder) / f"{name}.c").write_text(text, "ascii")
            subprocess.run([found, *FLAGS, *flags.split(), "-c", f"{name}.c"], cwd=folder, check=True)
        objects = [f"{name}.o" for name in names]
        subprocess.run([found, "-shared", *objects, "-o", "all.so", *link], cwd=folder, check=True)
        return ctypes.CDLL(str(Path(folder) / "all.so"))


def address(array: np.ndarray) -> ctypes.c_void_p:
    """Where an array begins."""
    return ctypes.c_void_p(array.ctypes.data)
