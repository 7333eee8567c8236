"""First calls, each in a process of its own: with a cache that holds the shell alone, and warm from that cache.

A long program has two codes, for few rows and for batches, and each is compiled when it first comes: one row and a
batch are measured apart, and the slower counts. Warm, of two the quicker: what else the machine does only adds.

The shell, which all kernels share, is compiled once for a machine; a cache that holds it is what any but the very first
function of an installation meets. Timed is the first call of a method on a robot that is loaded: what it imports,
traces, compiles, loads. Modules come as bytecode, as those that pip installed do; a process imports chasles and the
robot, and is forked for each call. Seconds are the wall's or the
processor's, whichever are less: the wall's have other processes in them, the processor's all threads.
"""

import pickle
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import robots
from timing import printed

_SHELL = "import chasles; f = chasles.compile(lambda q: q + 1.0, q=1); f([0.0]); f([[0.0]])"
_PROCESS = """
import os, pickle, resource, sys, time, warnings, numpy, chasles
warnings.simplefilter("ignore")
sys.setrecursionlimit(20_000)
with open({given!r}, "rb") as file:
    robot, name, method, options, sizes = pickle.load(file)
for cache, given in sizes:
    for _ in ("cold", "warm", "warm"):
        child = os.fork()
        if child:
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if code:
                sys.exit(abs(code))
            continue
        os.environ["CHASLES_CACHE_DIR"] = cache
        resource.setrlimit(resource.RLIMIT_CPU, ({limit}, {limit} + 1))
        begin, used = time.perf_counter(), time.process_time()
        if method:
            getattr(robot, method)(*given, **options)
        else:
            robot.kernel(name, **options)(*given)
        print(min(time.perf_counter() - begin, time.process_time() - used))
        sys.exit()
"""
ROWS = 64  # of the batch


class First(NamedTuple):
    """Seconds of a first call, of one row or of a batch, whichever are more."""

    cold: float
    warm: float


class NoCall(Exception):
    """A first call that was ended at the limit, or raised; says why."""


class Processes:
    """New processes that share bytecode, and each begin with a copy of the same cache; `kept` has what all compiled."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._shell, self.kept = folder, folder / "shell", folder / "kept"
        self._environment = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        printed(_SHELL, CHASLES_CACHE_DIR=str(self._shell), **self._environment)
        self.first("UR5", "mass_matrix", 60)  # writes bytecode

    def first(self, title: str, name: str, limit: int) -> First:
        """The first call of a robot's function. Raises NoCall after `limit` seconds of the processor."""
        robot = robots.robot(title)
        method, chosen = robots.method(name)
        options = {**robots.options(title, name), **chosen}
        # tensors that are no kernel take many rows of kernels for one of theirs: a batch has no code of its own
        sizes = (None,) if robots.no_kernel(robot, name) else (None, ROWS)
        caches = [self._folder / f"cache{k}" for k in range(len(sizes))]
        given = self._folder / "given"
        calls = [(str(cache), robots.inputs(robot, name, size)) for cache, size in zip(caches, sizes, strict=True)]
        given.write_bytes(pickle.dumps((robot, name, method, options, calls)))
        for cache in caches:
            shutil.copytree(self._shell, cache)
        try:
            times = printed(_PROCESS.format(limit=limit, given=str(given)), **self._environment)
            for cache in caches:
                shutil.copytree(cache, self.kept, dirs_exist_ok=True)
        except subprocess.CalledProcessError as fault:
            ended = {signal.SIGXCPU: f"its first call takes more than {limit} s", signal.SIGKILL: "it was killed"}
            raise NoCall(ended.get(fault.returncode) or fault.stderr.strip().rpartition("\n")[2]) from fault
        finally:
            for cache in caches:
                shutil.rmtree(cache)
        return First(max(times[::3]), max(map(min, times[1::3], times[2::3])))


@contextmanager
def processes() -> Iterator[Processes]:
    """Processes, and at the end their folder is gone."""
    with tempfile.TemporaryDirectory() as folder:
        yield Processes(Path(folder))
