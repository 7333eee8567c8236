"""Every function of the catalogue for UR5, Panda and Talos, in one table: `python benchmarks/all_functions.py`.

Of each function: nanoseconds a row of a batch, on one thread into arrays given; microseconds of one call of the method
from Python; seconds of the first call in a new process, of one row or of a batch, whichever are more, with a cache that
holds the shell alone, and warm from the disk (`fresh_process.py`); operations; and the share of the machine's
arithmetic peak, measured in the same run (`peak.py`). Medians of interleaved rounds by the thread's clock; what takes
longer than LONG is called once. A batch is BATCH rows, or as many as have MOST bytes of outputs. Tensors of robots with
more than 12 degrees of freedom are not one kernel: their batch is FEW rows of the method.

A function whose first call takes more than --limit seconds is listed as such, as is one that a robot cannot have.
Writes all_functions.json, robot by robot, and the tables of docs/benchmarks.md.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import robots
from all_functions_page import PAGE, replaced
from fresh_process import First, NoCall, Processes, processes
from peak import instructions, peak
from rich.console import Console
from timing import FULL, QUICK, Effort, cached_in, machine, one_thread

import chasles as ch
from chasles.catalogue import catalogue
from chasles.report.speed.timing import Call, once

RESULTS = Path(__file__).parent / "all_functions.json"
BATCH = {"UR5": 4096, "Panda": 4096, "Talos": 1024}
MOST, FEW = 64 << 20, 2
LIMIT, LONG = 30, 0.2  # s

Row = dict[str, Any]


def measured(title: str, names: list[str], fresh: Processes, effort: Effort, limit: int, most: float) -> Iterator[Row]:
    """The row of each function. limit: seconds of a first call; most: the peak."""
    robot = robots.robot(title)
    for name in names:
        try:
            first = fresh.first(title, name, limit)
        except NoCall as why:
            yield {"name": name, "why_not": str(why)}
            continue
        with cached_in(str(fresh.kept)):
            yield _row(robot, title, name, first, most, effort)


def _row(robot: ch.Robot, title: str, name: str, first: First, most: float, effort: Effort) -> Row:
    chosen, (called, choice) = robots.options(title, name), robots.method(name)
    method = partial(getattr(robot, called), **chosen, **choice) if called else robot.kernel(name, **chosen)
    alone = partial(method, *robots.inputs(robot, name))
    row = {"name": name, "why_not": None, "first_s": first.cold, "warm_s": first.warm}
    if robots.no_kernel(robot, name):
        call, batch = _seconds([alone, partial(method, *robots.inputs(robot, name, FEW))], effort)
        return {**row, "call_us": call * 1e6, "batch_ns": batch / FEW * 1e9, "operations": None, "share": None}
    kernel = robot.kernel(name, **chosen)
    size = max(8, min(BATCH[title], MOST // sum(8 * max(1, operand.size) for operand in kernel.outputs) // 8 * 8))
    out = tuple(np.empty((size, *operand.shape)) for operand in kernel.outputs)
    call, batch = _seconds([alone, partial(kernel.ufunc, *robots.inputs(robot, name, size), out=out)], effort)
    return {
        **row,
        "call_us": call * 1e6,
        "batch_ns": batch / size * 1e9,
        "operations": kernel.operations.total,
        "share": instructions(kernel.program) * size / (batch * most),
    }


def _seconds(calls: list[Call], effort: Effort) -> list[float]:
    calls[0]()  # compiled
    return list(map(once, calls)) if once(calls[0]) > LONG else one_thread(calls, effort)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="+", choices=robots.TITLES, default=list(robots.TITLES))
    parser.add_argument(
        "--functions",
        nargs="+",
        choices=sorted(catalogue()),
        metavar="NAME",
        help="only these; the others stay as they were",
    )
    parser.add_argument("--limit", type=int, default=LIMIT, help=f"seconds of a first call (default {LIMIT})")
    parser.add_argument("--quick", action="store_true", help="few and short rounds: does it run? Not for figures")
    parser.add_argument("--json", type=Path, help=f"where the figures go (default {RESULTS.name} here, and the page)")
    parser.add_argument("--page", action="store_true", help="write the page from the file that is there, and end")
    options = parser.parse_args()
    path, screen = options.json or RESULTS, Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    if not options.page:
        warnings.simplefilter("ignore", ch.ModelWarning)
        ch.set_num_threads(1)
        effort, names = QUICK if options.quick else FULL, options.functions or list(catalogue())
        with processes() as fresh:
            for title in options.robots:
                described = {"chasles": ch.__version__, **machine()}
                before, most = found.get(title, {}).get("functions", []), peak(effort)
                rows = {row["name"]: row for row in before if row["name"] in catalogue()}
                for row in measured(title, names, fresh, effort, options.limit, most):
                    rows[row["name"]] = row
                    screen.print(title, *(f"{k} {v:.3g}" if isinstance(v, float) else v for k, v in row.items() if v))
                ordered = [rows[name] for name in catalogue() if name in rows]
                said = ["few and short rounds, not for figures"] * options.quick
                said += ["rows of several runs, each beside the peak of its own"] * bool(options.functions and before)
                found[title] = {"machine": described, "peak": most, "batch": BATCH[title], "said": said,
                                "functions": ordered}  # fmt: skip
                path.write_text(json.dumps(found, indent=1) + "\n")
    if path == RESULTS:
        PAGE.write_text(replaced(PAGE.read_text("utf-8"), found), "utf-8")
    screen.print(f"written to {path}", style="dim")
    return 0


if __name__ == "__main__":
    sys.exit(main())
