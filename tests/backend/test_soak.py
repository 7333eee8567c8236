"""Two processes, eight threads each, mixed calls for minutes: the same bits, and memory that does not grow.

CHASLES_SOAK_SECONDS sets how long (600).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = float(os.environ.get("CHASLES_SOAK_SECONDS", "600"))

WORKER = """
import json, os, sys, threading, time
import numpy as np
sys.path.insert(0, sys.argv[3])
import chasles as ch
from support.kernels import everything, everything_kernel, states

seconds, seed = float(sys.argv[1]), int(sys.argv[2])
ROWS = 4096
cases = []
for dtype in ("float64", "float32"):
    for name in ("ur5", "panda", "scara", "planar_2r"):
        robot = ch.load(name)
        for function in ("inverse_dynamics", "forward_dynamics", "mass_matrix", ["jacobian", "bias_forces"]):
            cases.append((lambda robot=robot, function=function, dtype=dtype: robot.kernel(function, dtype=dtype)))
    cases.append(lambda dtype=dtype: ch.compile(everything, dtype=dtype, q=5, v=(2, 3), t=()))

def as_tuple(y):
    return tuple(y) if isinstance(y, tuple) else (y,)

prepared = []
for make in cases:
    kernel = make()
    x = states(kernel, ROWS)
    prepared.append((make, x, as_tuple(kernel(*x))))
large = [np.tile(a, (8, *[1] * (a.ndim - 1))) for a in prepared[0][1]]
large_y = as_tuple(prepared[0][0]()(*large))
ur5 = ch.load("ur5")
calls, failures = [0] * 8, []
end = time.time() + seconds

def same(x, y):
    return x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes()

def work(k):
    rng = np.random.default_rng(100 * seed + k)
    while time.time() < end and not failures:
        make, x, y = prepared[rng.integers(len(prepared))]
        kernel = make() if rng.random() < 0.2 else prepared_kernels[id(make)]
        size = int(rng.choice([0, 1, 3, 8, 17, 100, 1000]))
        start = int(rng.integers(ROWS - size))
        kind = rng.integers(7)
        part, wanted = [a[start : start + size] for a in x], [b[start : start + size] for b in y]
        if kind == 0:
            part, wanted = [np.array(a[start]) for a in x], [b[start] for b in y]
        elif kind == 1:
            part = [np.asfortranarray(a) for a in part]
        elif kind == 2:
            part, wanted = [a[::-1] for a in part], [b[::-1] for b in wanted]
        elif kind == 3:
            out = tuple(np.empty_like(b) for b in wanted)
            kernel(*part, out=out if len(out) > 1 else out[0])
            found = out
        elif kind == 4:
            part = [a.tolist() for a in part] if size else part
        elif kind == 5 and rng.random() < 0.05:
            make, part, wanted = prepared[0][0], large, large_y
            kernel = prepared_kernels[id(make)]
        elif kind == 6:
            bad = [a.copy() for a in part]
            if size:
                bad[0].reshape(size, -1)[size // 2] = np.nan
            with np.errstate(all="ignore"):
                kernel(*bad)
            try:
                kernel(*[a[..., None] for a in part])
            except ch.ShapeError:
                pass
        if kind != 3:
            found = as_tuple(kernel(*part))
        if not all(same(np.asarray(a), np.asarray(b)) for a, b in zip(found, wanted, strict=True)):
            failures.append((kernel.name, kernel.dtype, int(kind), start, size))
        calls[k] += 1

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

prepared_kernels = {id(make): make() for make, _, _ in prepared}

def guarded(k):
    try:
        work(k)
    except BaseException as error:
        failures.append(repr(error))

threads = [threading.Thread(target=guarded, args=(k,)) for k in range(8)]
for t in threads:
    t.start()
memory = []
while any(t.is_alive() for t in threads):
    time.sleep(min(5.0, seconds / 40))
    memory.append(resident())
print(json.dumps({"calls": sum(calls), "failures": failures, "memory": memory}))
"""


@pytest.mark.soak
def test_soak(tmp_path):
    script = tmp_path / "soak.py"
    script.write_text(WORKER)
    tests = str(Path(__file__).parents[1])
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", str(script), str(SECONDS), str(seed), tests],
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in (1, 2)
    ]
    reports = [json.loads(process.communicate(timeout=SECONDS + 300)[0]) for process in started]
    for process, report in zip(started, reports, strict=True):
        assert process.returncode == 0 and not report["failures"], report["failures"]
        memory = report["memory"]
        warm = memory[len(memory) // 5 : len(memory) // 2]
        print(f"{report['calls']} calls, {max(warm) / 1e6:.1f} MB when warm, {memory[-2] / 1e6:.1f} MB at the end")
        assert report["calls"] > 100 * SECONDS
        assert max(memory[-len(memory) // 5 :]) < 1.05 * max(warm)
