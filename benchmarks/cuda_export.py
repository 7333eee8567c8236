"""Exported CUDA on a device: whether it is right, and rows a second of a UR5 and a Panda, in both layouts.

    python benchmarks/cuda_export.py write FOLDER          where chasles is: the files
    python benchmarks/cuda_export.py run FOLDER [ROWS]     where a device and nvcc are: compiled, tested, timed

The second needs nothing but the folder, this file, and Python: no chasles.
"""

import itertools
import re
import subprocess
import sys
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
    wrong = 0
    for project in sorted(path.parent for path in folder.glob("*/CMakeLists.txt")):
        (test,) = project.glob("*_test.cu")
        name = test.name.removesuffix("_test.cu")
        command = ["nvcc", "-O3", "-arch=native", "-Xptxas", "-v", "-o", "test", f"{name}.cu", test.name]
        built = subprocess.run(command, cwd=project, capture_output=True, text=True)
        if built.returncode:
            print(f"{project.name}: nvcc failed\n{built.stderr}")
            wrong += 1
            continue
        done = subprocess.run([str(project.resolve() / "test"), str(rows)], capture_output=True, text=True)
        wrong += done.returncode != 0
        item = 4 if project.name.endswith("float32") else 8
        (sizes,) = re.findall(r"sizes\[OPERANDS\] = \{(.*)\}", test.read_text())
        numbers = sum(map(int, sizes.split(",")))
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
            memory = float(speed[1]) * numbers * item / 1e12
            print(
                f"{project.name:<42} {layout:<8} {float(speed[1]) / 1e9:7.3f} G rows/s {memory:6.3f} TB/s  "
                f"differs by {max(map(float, errors)):.0e}  registers {registers}, "
                f"spilled {spilled} bytes  {'right' if done.returncode == 0 else 'WRONG'}",
                flush=True,
            )
    return wrong


if __name__ == "__main__":
    what, where, *more = sys.argv[1:]
    sys.exit(write(Path(where)) if what == "write" else min(1, run(Path(where), int(more[0]) if more else 1_000_000)))
