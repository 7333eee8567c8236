"""Inverse dynamics as exported C, beside Pinocchio's batch call and our own: `python benchmarks/export.py`.

A loop in C over the rows of a batch of 4,096, one thread, one row after the other: `gcc -O2` for any x86-64, and no
vectors (FLAGS). Both sides compute the same robots of example-robot-data, checked before anything is timed. Then what
is written and compiled: lines, bytes of the object file, flash and stack on a Cortex-M4 if arm-none-eabi-gcc is there.
"""

import argparse
import ctypes
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dynamics
import numpy as np
from figures import Figure, Target, save, show
from rich.console import Console
from timing import FULL, QUICK, Effort, machine, one_thread

import chasles as ch
from chasles.export.exported import Exported
from chasles.export.footprint import measured
from chasles.export.targets.c import files

FLAGS = "-std=c99 -O2 -fno-tree-vectorize -fno-tree-slp-vectorize"
RESULTS = Path(__file__).parent / "export.json"
SPEEDUP = 4.0
TOLERANCE = {"float64": 1e-13, "float32": 1e-4}
LOOP = """#include "NAME.h"
void NAME_rows(const NUMBER *q, const NUMBER *qd, const NUMBER *qdd, NUMBER *tau, int rows) {
    for (int k = 0; k < rows; k++) NAME(q + k * SIZE, qd + k * SIZE, qdd + k * SIZE, tau + k * SIZE);
}
"""


class Written:
    """Inverse dynamics of a robot as C, in a folder, compiled."""

    def __init__(self, pair: dynamics.Pair, dtype: str, folder: Path) -> None:
        self.dtype = dtype
        kernel = pair.robot.kernel("inverse_dynamics", dtype=dtype)
        name = f"{pair.title.lower()}_{dtype}"
        self.files = files(Exported(kernel.program, name, dtype))
        for file, text in self.files.items():
            (folder / file).write_text(str(text), "ascii")
        number = "double" if dtype == "float64" else "float"
        loop = LOOP.replace("NAME", name).replace("NUMBER", number).replace("SIZE", str(pair.robot.n))
        (folder / f"{name}_rows.c").write_text(loop, "ascii")
        gcc = ["gcc", *FLAGS.split()]
        subprocess.run([*gcc, "-c", f"{name}.c", "-o", f"{name}.o"], cwd=folder, check=True)
        sizes = subprocess.run(["size", f"{name}.o"], cwd=folder, check=True, capture_output=True, text=True).stdout
        self.bytes = int(sizes.splitlines()[1].split()[0])
        self.lines = str(self.files[f"{name}.c"]).count("\n")
        library = folder / f"{name}.so"
        subprocess.run([*gcc, "-fPIC", "-shared", f"{name}.c", f"{name}_rows.c", "-o", str(library), "-lm"], cwd=folder,
                       check=True)  # fmt: skip
        self.function = ctypes.CDLL(str(library))[f"{name}_rows"]

    def call(self, rows: list[np.ndarray]) -> tuple[Callable[[], Any], np.ndarray]:
        """A call on a batch, and where its results are."""
        given = [np.ascontiguousarray(x, self.dtype) for x in rows]
        out = np.empty_like(given[0])

        def call() -> None:
            self.function(*(ctypes.c_void_p(x.ctypes.data) for x in (*given, out)), len(out))

        return call, out


def loops(written: dict[tuple[str, str], Written], pairs: list[dynamics.Pair], effort: Effort) -> list[Figure]:
    """Nanoseconds for one configuration of a batch: C, Pinocchio, and, as the base, our own batch of vectors."""
    figures = []
    for pair in pairs:
        rows = pair.inputs("inverse_dynamics", dynamics.BATCH)
        for dtype, limit in TOLERANCE.items():
            call, out = written[pair.title, dtype].call(rows)
            call()
            expected = pair.robot.inverse_dynamics(*rows)
            off = float(np.abs(out - expected).max() / np.abs(expected).max())
            if not off <= limit:
                raise SystemExit(f"{pair.title} {dtype}: C is {off:.2g} off, relative; nothing is timed")
            calls = [call, pair.theirs("inverse_dynamics", rows), pair.ours("inverse_dynamics", rows, dtype)]
            ours, theirs, batch = (t / dynamics.BATCH * 1e9 for t in one_thread(calls, effort))
            number = "double" if dtype == "float64" else "float"
            note = f"off by {off:.0e}; our batch {batch:.3g} ns"
            target = Target("speedup", "at least", SPEEDUP)
            figures.append(Figure(f"{pair.title}, a loop in C, {number}", ours, "ns", theirs, target=target, note=note))
    return figures


def sizes(written: dict[tuple[str, str], Written]) -> list[Figure]:
    """What is written, and what it is compiled to."""
    figures = []
    for (robot, dtype), code in written.items():
        title = f"{robot}, {'double' if dtype == 'float64' else 'float'}"
        found = measured(code.files)
        figures += [
            Figure(f"{title}, C", code.lines, "lines"),
            Figure(f"{title}, object file, x86-64", code.bytes, "bytes", note=f"gcc {FLAGS}"),
        ]
        if found is not None:
            figures += [
                Figure(f"{title}, flash, Cortex-M4", found.flash, "bytes", note=f"C library: {found.library}"),
                Figure(f"{title}, stack, Cortex-M4", found.stack, "bytes"),
            ]
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few and short rounds: does it run? Not for figures")
    parser.add_argument("--json", type=Path, help=f"where the figures go (default {RESULTS.name} here; not if --quick)")
    options = parser.parse_args()
    ch.set_num_threads(1)
    screen = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    compiler = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    described = {"chasles": ch.__version__, **machine(), "gcc": compiler}
    screen.print(" ".join(f"{key} {value}" for key, value in described.items()), style="dim")
    pairs = dynamics.pairs()
    effort = QUICK if options.quick else FULL
    with tempfile.TemporaryDirectory() as folder:
        written = {(pair.title, dtype): Written(pair, dtype, Path(folder)) for pair in pairs for dtype in TOLERANCE}
        results = {
            f"Inverse dynamics in C, {FLAGS}, each configuration": loops(written, pairs, effort),
            "What is written, and compiled": sizes(written),
        }
    for title, figures in results.items():
        show(screen, title, figures)
    path = options.json or (None if options.quick else RESULTS)
    if path:
        save(path, described, {"batch": dynamics.BATCH, "flags": FLAGS}, results)
        screen.print(f"\n{path}", style="dim")
    return 1 if any(figure.ok is False for section in results.values() for figure in section) else 0


if __name__ == "__main__":
    raise SystemExit(main())
