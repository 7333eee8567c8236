"""Costs of making and keeping functions, here or beside another tree: `python benchmarks/house.py [PART ...]`.

    modules     LLVM modules compiled for a four-bar's forward dynamics, dK/dq, a Lagrangian system, and by tracing
    startup     the first call on a UR5 in a new process: with an empty cache, one that another robot's function has
                filled (what functions share is there, not this one), and one that has it
    n_four_bar  a chain of --loops four-bars, from nothing to a first forward dynamics
    robots      --robots robots made, used and dropped: memory and maps of the process
    size        lines of IR, milliseconds to compile, operations
    speed       calls and batches

`--against PATH` measures the source tree PATH (what is to be on PYTHONPATH) too, in turns with this one, and prints
the ratio of this one's figures to its. Each figure is the best of --rounds processes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import chasles

PROBES = Path(__file__).with_name("house_probes.py")
ROUNDS = {"modules": 1, "startup": 7, "n_four_bar": 1, "robots": 1, "size": 3, "speed": 3}
NO_CACHE = ("modules", "n_four_bar", "robots", "size")
Figures = dict[str, float]

_FIRST = """
import time
begin = time.perf_counter()
import numpy, chasles
imported = time.perf_counter()
q = numpy.zeros(6)
chasles.load("ur5").inverse_dynamics(q, q, q)
end = time.perf_counter()
print(end - imported, end - begin, time.process_time())
"""
_OTHER = """
import numpy, chasles
chasles.load("planar_2r").mass_matrix(numpy.zeros(2))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(ROUNDS)}; default all")
    parser.add_argument("--against", type=Path, help="another source tree")
    parser.add_argument("--rounds", type=int, help="processes for each figure, of each tree")
    parser.add_argument("--robots", type=int, default=1000)
    parser.add_argument("--loops", type=int, default=10)
    parser.add_argument("--json", type=Path, help="where the figures go")
    options = parser.parse_args()
    unknown = set(options.parts) - set(ROUNDS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(ROUNDS)}")
    trees = [str(Path(chasles.__file__).parents[1]), *([str(options.against.resolve())] if options.against else [])]
    counts = {"robots": options.robots, "n_four_bar": options.loops}
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts or ROUNDS:
            rounds = options.rounds or ROUNDS[part]
            found = measured(part, trees, rounds, counts.get(part, 0), Path(folder))
            results[part] = dict(zip(trees, found, strict=True))
            show(part, found)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


def measured(part: str, trees: list[str], rounds: int, count: int, folder: Path) -> list[Figures]:
    """The best of each figure, of each tree; their processes take turns."""
    best: list[Figures] = [{} for _ in trees]
    for round in range(rounds + (part == "startup")):
        for k, (tree, figures) in enumerate(zip(trees, best, strict=True)):
            room = folder / f"tree{k}"
            found = startup(tree, room) if part == "startup" else probe(part, tree, count, room)
            if part == "startup" and round == 0:
                continue  # it wrote the bytecode
            for name, value in found.items():
                figures[name] = min(value, figures.get(name, value))
    return best


def probe(part: str, tree: str, count: int, room: Path) -> Figures:
    cache = "" if part in NO_CACHE else str(room / "cache")
    return json.loads(_python([str(PROBES), part, str(count)], tree, room, cache))


def startup(tree: str, room: Path) -> Figures:
    """Milliseconds, without the import and with it."""
    figures = {}
    room.mkdir(exist_ok=True)

    def first(title: str, cache: str) -> None:
        names = ("ms", "with the import, ms", "the processor for all, ms")
        for name, word in zip(names, _python(["-c", _FIRST], tree, room, cache).split(), strict=True):
            figures[f"{title}, {name}"] = float(word) * 1e3

    with tempfile.TemporaryDirectory(dir=room) as empty, tempfile.TemporaryDirectory(dir=room) as shared:
        first("cache empty", empty)
        first("cache filled", empty)
        _python(["-c", _OTHER], tree, room, shared)
        first("cache of another function", shared)
    return figures


def _python(arguments: list[str], tree: str, room: Path, cache: str) -> str:
    """What a process prints that has the tree's chasles, and bytecode as an installed package has."""
    own = {"PYTHONPATH": tree, "CHASLES_CACHE_DIR": cache, "PYTHONDONTWRITEBYTECODE": ""}
    environment = {**os.environ, **own, "PYTHONPYCACHEPREFIX": str(room / "bytecode")}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)
    if not done.stdout and arguments[-1] != _OTHER:
        raise SystemExit(f"{' '.join(arguments)[:200]} of {tree}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def show(part: str, found: list[Figures], write: Callable[[str], None] = print) -> None:
    """A line for each figure: this tree's, the other's and the ratio."""
    names = list(dict.fromkeys(name for figures in found for name in figures))
    width = max(map(len, names))
    write(f"{part}" + (f"{'this':>{width + 13 - len(part)}}{'other':>12}{'ratio':>8}" if len(found) > 1 else ""))
    for name in names:
        values = [figures.get(name) for figures in found]
        line = f"  {name:<{width}}" + "".join(f"{'-' if v is None else format(v, '.5g'):>12}" for v in values)
        if len(values) > 1 and values[0] is not None and values[1]:
            line += f"{values[0] / values[1]:>8.2f}"
        write(line)


if __name__ == "__main__":
    main()
