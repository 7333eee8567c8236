"""Exported CUDA on a device: whether it is right, and rows a second of a UR5 and a Panda, in both layouts.

    python benchmarks/cuda_export.py write FOLDER          where chasles is: the files
    python benchmarks/cuda_export.py run FOLDER [ROWS]     where a device and nvcc are: compiled, tested, timed

The second needs nothing but the folder, this file, and Python: no chasles.
"""

import itertools
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROBOTS = ("ur5", "panda")
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "forward_dynamics_derivatives")


def write(folder: Path) -> None:
    """A project for each robot, function and type of numbers."""
    import chasles as ch

    for robot, function, dtype in itertools.product(ROBOTS, FUNCTIONS, ("float64", "float32")):
        name = f"{robot}_{function}"
        ch.load(robot).export(function, to="cuda", folder=folder / f"{name}_{dtype}", name=name, dtype=dtype)


def run(folder: Path, rows: int) -> int:
    """Compile, test and time every project; how many are wrong."""
    projects = sorted(path.parent for path in folder.glob("*/CMakeLists.txt"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        built = list(pool.map(compiled, projects))
    return sum(not measured(*item, rows) for item in zip(projects, built, strict=True))


def compiled(project: Path) -> subprocess.CompletedProcess[str]:
    """The self-test of a project, by nvcc."""
    name = function_of(project)
    command = ["nvcc", "-O3", "-arch=native", "-Xptxas", "-v", "-o", "test", f"{name}.cu", f"{name}_test.cu"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True)


def function_of(project: Path) -> str:
    (test,) = project.glob("*_test.cu")
    return test.name.removesuffix("_test.cu")


def measured(project: Path, built: subprocess.CompletedProcess[str], rows: int) -> bool:
    """Run a self-test and print what it says; whether it is right."""
    if built.returncode:
        print(f"{project.name}: nvcc failed\n{built.stderr}")
        return False
    name = function_of(project)
    done = subprocess.run([str(project.resolve() / "test"), str(rows)], capture_output=True, text=True)
    (sizes,) = re.findall(r"sizes\[OPERANDS\] = \{(.*)\}", (project / f"{name}_test.cu").read_text())
    row = sum(map(int, sizes.split(","))) * (4 if project.name.endswith("float32") else 8)  # bytes
    for layout in ("rows", "columns"):
        errors = re.findall(rf"by {layout}: \w+ differs by (\S+)", done.stdout)
        speed = re.search(rf"by {layout}: (\S+) rows a second", done.stdout)
        cost = re.search(
            rf"function '{name}_{layout}'.*?(\d+) bytes spill stores.*?Used (\d+)", built.stderr, re.DOTALL
        )
        spilled, registers = cost.groups() if cost else ("?", "?")
        if not (speed and errors):
            print(f"{project.name} {layout}: {done.stdout}{done.stderr}")
            continue
        print(
            f"{project.name:<42} {layout:<8} {float(speed[1]) / 1e9:7.3f} G rows/s "
            f"{float(speed[1]) * row / 1e12:6.3f} TB/s  differs by {max(map(float, errors)):.0e}  "
            f"registers {registers}, spilled {spilled} bytes  {'right' if done.returncode == 0 else 'WRONG'}",
            flush=True,
        )
    return done.returncode == 0


if __name__ == "__main__":
    what, where, *more = sys.argv[1:]
    sys.exit(write(Path(where)) if what == "write" else min(1, run(Path(where), int(more[0]) if more else 1_000_000)))
