"""Every figure that the README states, beside Pinocchio's and CasADi's: `python benchmarks/run.py`.

One thread, (B, n) row-major float64, B = 4096, medians of 7 interleaved rounds, results into arrays given beforehand on
both sides where they allow it. UR5 and Panda arm (fingers locked) of example-robot-data, both sides from one model.
Pinocchio's batch calls with one thread where it has them, else its Python call for each configuration; CasADi's C as
`casadi_peer.py` has it. What runs on one thread is timed by that thread's clock, so that other processes do not count;
several threads and new processes by the wall's, which on a busy machine is their neighbours' affair too: look at the
load average.
"""

import argparse
import sys
import warnings
from functools import cache
from pathlib import Path

import chains
import columns
import constrained
import derivatives
import dynamics
import equations
import first_calls
import humanoid
import inverse_kinematics
import long_chains
import sampling
import simulation
import single_calls
import startup
import thread_scaling
import widths
from compiled_c import version
from figures import Figure, save, show
from rich.console import Console
from timing import FULL, QUICK, machine

import chasles as ch

RESULTS = Path(__file__).parent / "results.json"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few and short rounds: does it run? Not for figures")
    parser.add_argument(
        "--json", type=Path, help=f"where the figures go (default {RESULTS.name} here; not if --quick or --only)"
    )
    parser.add_argument("--short", action="store_true", help="without the long chains, which take minutes to compile")
    parser.add_argument("--only", default="", metavar="TEXT", help="only sections with that text in their title")
    options = parser.parse_args()
    effort = QUICK if options.quick else FULL
    warnings.simplefilter("ignore", ch.ModelWarning)
    ch.set_num_threads(1)
    screen = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    described = {"chasles": ch.__version__, **machine(), "compiler": version()}
    screen.print(" ".join(f"{key} {value}" for key, value in described.items()), style="dim")

    @cache
    def pairs() -> list[dynamics.Pair]:
        """The arms, once it is known that both sides agree on them."""
        made = dynamics.pairs()
        for pair in made:
            worst = max(dynamics.check(pair), derivatives.check(pair))
            screen.print(f"{pair.title}: all functions agree with Pinocchio to {worst:.1e}, relative")
        return made

    sections = {
        "Batch of 4096, one thread, each configuration": lambda: dynamics.batches(pairs(), effort),
        "Rows and columns, one thread, beside CasADi's C": lambda: columns.columns(pairs(), effort),
        "Derivatives and regressor, batch of 4096, one thread": lambda: derivatives.batches(pairs(), effort),
        "Tensors, batch of 4096, one thread": lambda: derivatives.tensors(pairs(), effort),
        "Closed loops, batch of 4096, one thread": lambda: constrained.closed_loops(effort),
        "Inverse kinematics, 10,000 poses, one thread": lambda: inverse_kinematics.inverse_kinematics(effort),
        "One call from Python": lambda: single_calls.single_calls(pairs(), effort),
        "One call, a batch of one row (share: of a single state)": lambda: single_calls.single_rows(pairs(), effort),
        "Operations of derivatives": lambda: derivatives.operations(pairs()),
        "Operations of inverse dynamics (share: of the classical 231 n - 124)": lambda: dynamics.operations(pairs()),
        "Serial chains, inverse dynamics, each joint (share: of the shortest chain's)": lambda: chains.per_joint(
            effort
        ),
        "Long chains, batch of 256, one thread, each link (share: of 50 links')": lambda: long_chains.long_chains(
            effort
        ),
        "Floating base, batches of 256 and 1024, one thread": lambda: humanoid.humanoid(effort),
        "Sampling control": lambda: sampling.sampling_control(effort),
        "Simulation, one thread": lambda: simulation.simulation(effort),
        "Equations, traced and simplified": lambda: equations.beside_sympy(effort),
        "A new process": lambda: startup.startup(effort),
        "float32, batch of 4096, one thread (share: of float64)": lambda: dynamics.single_precision(pairs(), effort),
        "Vectors of other widths (share: of what the width makes of our own)": lambda: widths.widths(pairs(), effort),
        "First calls": lambda: first_calls.first_calls(effort),
        "Threads (share: of one thread)": lambda: thread_scaling.thread_scaling(pairs(), effort),
    }
    if options.short:
        sections = {title: measure for title, measure in sections.items() if not title.startswith("Long chains")}
    chosen = {title: measure for title, measure in sections.items() if options.only.lower() in title.lower()}
    if not chosen:
        parser.error(f"no section has {options.only!r} in its title; there are: {'; '.join(sections)}")
    sections = chosen
    if columns.ABSENT:
        sections = {title: measure for title, measure in sections.items() if not title.startswith("Rows and columns")}
    absent = [*inverse_kinematics.ABSENT, *columns.ABSENT]
    if absent:
        screen.print(f"not installed, so not compared with: {', '.join(absent)}", style="dim")
    results: dict[str, list[Figure]] = {}
    for title, measure in sections.items():
        results[title] = measure()
        show(screen, title, results[title])
    verdicts = [figure.ok for section in results.values() for figure in section]
    screen.print(f"\n{verdicts.count(True)} targets met, {verdicts.count(False)} missed", style="bold")
    for title, section in results.items():
        missed = [figure.name for figure in section if figure.ok is False]
        if missed:
            screen.print(f"{title}: {'; '.join(missed)}")
    path = options.json or (None if options.quick or options.only else RESULTS)
    if path is not None:
        save(path, described, {"batch": dynamics.BATCH, "rounds": effort.rounds, "quick": options.quick}, results)
        screen.print(f"written to {path}", style="dim")
    return 0


if __name__ == "__main__":
    sys.exit(main())
