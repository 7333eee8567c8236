"""Chains of hundreds of links, each in a process of its own: is everything linear in their length, and what it takes.

The process traces and compiles anew, asks for its peak memory, and only then times a batch, interleaved with the same
of a short chain and with Pinocchio's of both.
"""

import sys
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from chains import FIRST_CALLS, chain
from figures import Figure, Target
from timing import Effort, one_thread, printed

import chasles as ch
from chasles.report.speed.pinocchio_peer import model as pinocchio_model

BATCH = 256
PEER = 400  # links; Pinocchio's Data takes 64 n^3 bytes: 4 GB at 400 links, 64 GB at 1,000
NAMES = {"inverse_dynamics": "rneaInParallel", "forward_dynamics": "abaInParallel"}
GROWTH = 2.0  # of the time a link, from the short chain to a long one
MEMORY = 1500.0  # MB


def long_chains(effort: Effort) -> list[Figure]:
    """Nanoseconds a link beside the shortest chain's, seconds to trace and compile, and the memory of that."""
    short, *longer = effort.long
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import long_chains; long_chains.child({{}})"
    )
    figures = []
    for n in longer:
        for name in NAMES:
            given = f"{name!r}, {n}, {short}, {effort.rounds}, {effort.least}"
            each, base, peer, peer_base, total, spent, peak, off = printed(code.format(given), CHASLES_CACHE_DIR="")
            title = f"{n} links {name}"
            grown = Target("share", "at most", GROWTH)
            note = f"at {short} links {base:.3g} and {peer_base:.3g} ns; "
            same = f"differs from Pinocchio by {off:.0e}"
            note += same if n <= PEER else f"Pinocchio's are {PEER} links: its Data takes 64 n^3 bytes"
            figures.append(Figure(title, each, "ns", peer, base=base, target=grown, note=note))
            limit = Target("value", "at most", FIRST_CALLS[n, name]) if (n, name) in FIRST_CALLS else None
            note = f"{total:,.0f} operations, {total / n:.0f} a link"
            figures.append(Figure(f"{title}, traced and compiled", spent, "s", target=limit, note=note))
            most = Target("value", "at most", MEMORY)
            figures.append(Figure(f"{title}, peak memory of that", peak, "MB", target=most))
    return figures


def child(name: str, n: int, short: int, rounds: int, least: float) -> None:
    """Measure, in this process, and print; the cache is off."""
    import pinocchio as pin

    ch.set_num_threads(1)
    sys.setrecursionlimit(10 * n + 1000)  # the peer's model is made link by link
    robots = [chain(n), chain(short)]
    begin = process_time()  # LLVM has a thread of its own
    kernel = robots[0].kernel(name)
    ufuncs = [kernel.ufunc]
    spent, peak = process_time() - begin, _peak()
    ufuncs.append(robots[1].kernel(name).ufunc)
    calls, results = [], []
    for robot, ufunc in zip(robots, ufuncs, strict=True):
        rows, out = _rows(robot.n), np.empty((BATCH, robot.n))
        calls.append(partial(ufunc, *rows, out=out))
        results.append(out)
    peers = [min(n, PEER), short]
    for length in peers:
        model, _ = pinocchio_model(chain(length).mechanism)
        columns, out = [np.asfortranarray(x.T) for x in _rows(length)], np.empty((length, BATCH), order="F")
        calls.append(partial(getattr(pin, NAMES[name]), 1, pin.ModelPool(model, 1), *columns, out))
        results.append(out.T)
    times = one_thread(calls, Effort(rounds, least, 1, (), ()))
    each = [t / BATCH / length * 1e9 for t, length in zip(times, [n, short, *peers], strict=True)]
    k = 0 if n <= PEER else 1
    off = np.abs(results[k] - results[2 + k]).max() / np.abs(results[2 + k]).max()
    print(*each, kernel.operations.total, spent, peak, off)


def _rows(n: int) -> list[np.ndarray]:
    return [np.random.default_rng(1).normal(size=(BATCH, n)) for _ in range(3)]


def _peak() -> float:
    """The most memory this process has had, in MB. What getrusage says starts from its parent's."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            return next(float(line.split()[1]) / 1e3 for line in file if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
