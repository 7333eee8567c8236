"""Times that things take: interleaved medians as `chasles bench` has them, and whole processes."""

import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from time import thread_time
from typing import Any

from chasles.report.speed.timing import Call, interleaved

__all__ = ["FULL", "QUICK", "Effort", "cached_in", "interleaved", "machine", "one_thread", "printed"]


@dataclass(frozen=True)
class Effort:
    """How much to measure."""

    rounds: int
    least: float  # seconds each call is repeated for, in each round
    processes: int
    chains: tuple[int, ...]
    long: tuple[int, ...]  # the first is what the others are compared with


PACKAGES = ("numpy", "llvmlite", "pin", "casadi", "pin-pink", "mink", "roboticstoolbox-python")
FULL = Effort(7, 0.03, 9, (7, 15, 30, 60, 200), (50, 200, 1000))
QUICK = Effort(3, 0.002, 1, (7, 15), (7, 15))


def one_thread(calls: Sequence[Call], effort: Effort) -> list[float]:
    """Median seconds of calls that run on this thread alone, of its own time: the machine may be busy."""
    return interleaved(calls, effort.rounds, effort.least, clock=thread_time)


def printed(code: str, **environment: str) -> list[float]:
    """The numbers that Python code prints in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return [float(word) for word in run.stdout.split()]


@contextmanager
def cached_in(folder: str) -> Iterator[None]:
    """Kernels are kept in a folder meanwhile; empty: nowhere, so that compiling is measured."""
    kept = os.environ.get("CHASLES_CACHE_DIR")
    os.environ["CHASLES_CACHE_DIR"] = folder
    try:
        yield
    finally:
        if kept is None:
            del os.environ["CHASLES_CACHE_DIR"]
        else:
            os.environ["CHASLES_CACHE_DIR"] = kept


def machine() -> dict[str, Any]:
    """What this ran on."""
    import llvmlite.binding as llvm

    return {
        "cpu": _cpu(),
        "llvm_cpu": llvm.get_host_cpu_name(),
        "cores": os.cpu_count(),
        "load_average": [round(x, 2) for x in os.getloadavg()],
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
