"""Memory that is not there is a MemoryError, not the end of the process."""

import subprocess
import sys

import numpy as np
import pytest

import chasles as ch
from chasles.backend import host
from chasles.backend.host import jit, memory, parts


@pytest.fixture(autouse=True)
def anew(monkeypatch):
    host.shell()
    monkeypatch.setenv("CHASLES_CACHE_DIR", "")
    monkeypatch.setattr(host, "_alive", {})
    monkeypatch.setattr(memory, "_loaded", [0])


def own():
    return ch.compile(lambda x: x * 31.25 + 0.5, x=2)


@pytest.mark.parametrize("what, said", [("COMPILING", "to compile a kernel"), ("LOADING", "to load a kernel")])
def test_what_there_is_no_memory_for_is_refused(monkeypatch, what, said):
    """And is made later, when there is some."""
    kernel = own()
    with monkeypatch.context() as scarce:
        scarce.setattr(memory, what, 1 << 60)
        with pytest.raises(MemoryError, match=said):
            kernel(np.ones(2))
    assert kernel(np.ones(2)).tolist() == [31.75, 31.75]


def test_a_large_module_and_no_room_for_a_thread(monkeypatch):
    monkeypatch.setattr(parts, "PART", 100)
    monkeypatch.setattr(memory, "THREAD", 1 << 60)
    monkeypatch.setattr(jit.threading, "Thread", None)
    assert own()(np.ones(2)).tolist() == [31.75, 31.75]
    monkeypatch.setattr(memory, "COMPILING", 1 << 60)
    with pytest.raises(MemoryError, match="to compile"):
        ch.compile(lambda x: x * 31.125, x=2)(np.ones(2))


def test_few_memory_maps_left(monkeypatch, tmp_path):
    kernel, limit = own(), tmp_path / "limit"
    limit.write_text("2100\n")
    monkeypatch.setattr(memory, "_LIMIT", str(limit))
    monkeypatch.setattr(memory, "EVERY", 1)
    with pytest.raises(MemoryError, match=r"memory maps of the 2,100 that .* vm\.max_map_count=8400"):
        kernel(np.ones(2))
    limit.write_text("1000000\n")
    assert kernel(np.ones(2)).tolist() == [31.75, 31.75]


def test_maps_are_counted_rarely_and_only_where_there_is_a_limit(monkeypatch):
    counts = []
    monkeypatch.setattr(memory, "_count_maps", lambda: counts.append(1))
    for _ in range(3 * memory.EVERY):
        memory.for_loading(b"code")
    assert len(counts) == 3
    monkeypatch.undo()
    monkeypatch.setattr(memory, "_LIMIT", "/nowhere")
    memory._count_maps()


LIMITED = """
import os, resource, sys
os.environ["CHASLES_CACHE_DIR"] = ""
import numpy as np
import chasles as ch
robot = ch.load("ur5")
robot.mass_matrix(np.zeros(6))
kernel = robot.kernel("riemann_curvature")
with open("/proc/self/statm") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + int(sys.argv[1]) * 2**20,) * 2)
try:
    kernel(np.zeros(6))
except MemoryError as error:
    print(error)
else:
    print("done")
"""

MAPS = """
import mmap
import numpy as np
import chasles as ch
from chasles.backend.host import jit, memory
from chasles.backend.llvm.imports import IMPORTS
from chasles.backend.llvm.target import host
code = jit.compile_object(ch.load("planar_2r").kernel("mass_matrix").source, host())
with open(memory._LIMIT) as file:
    limit = int(file.read())
with open(memory._MAPS) as file:
    free = limit - sum(1 for _ in file)
kinds = mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE  # neighbours of one kind would be one map
held = [mmap.mmap(-1, 4096, prot=kinds[k % 2]) for k in range(free - memory.SPARE - 300)]
try:
    for _ in range(1000):
        held.append(jit.Loaded(code, ("range",), IMPORTS))
except MemoryError as error:
    print(error)
held.clear()
print(ch.load("planar_2r").mass_matrix(np.zeros(2)).shape)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("megabytes", [1, 10, 20, 30, 40, 60, 100, 200, 300, 400])
def test_a_process_whose_memory_is_limited(megabytes):
    ended = subprocess.run([sys.executable, "-c", LIMITED, str(megabytes)], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("no memory to " if megabytes < 20 else ("no memory to ", "done"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_a_process_full_of_maps():
    ended = subprocess.run([sys.executable, "-c", MAPS], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "memory maps of the" in ended.stdout and ended.stdout.endswith("(2, 2)\n")
