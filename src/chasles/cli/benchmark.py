"""The measurement behind `chasles bench`."""

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from chasles.cli import candidate, mujoco_peer, pinocchio_peer
from chasles.cli.candidate import Candidate, NotAvailable, State
from chasles.cli.timing import interleaved
from chasles.errors import ModelError
from chasles.robot import Robot
from chasles.threads import get_num_threads, set_num_threads

PEERS = {"pinocchio": (pinocchio_peer.candidates, "pin"), "mujoco": (mujoco_peer.candidates, "mujoco")}
_CHECKED = 16  # rows whose results are compared


def benchmark(robot: Robot, batch: int, threads: int, rounds: int) -> dict[str, Any]:
    """Every function of the robot, timed in turn with each peer's, as plain data."""
    import chasles

    if robot.n == 0:
        raise ModelError(f"robot {robot.name!r} has no joints: there is nothing to time")
    state = State.random(robot, batch)
    others: dict[str, dict[str, Candidate]] = {}
    peers = []
    for name, (candidates, package) in PEERS.items():
        why_not = None
        try:
            others[name] = candidates(robot.mechanism, state, threads)
        except NotAvailable as error:
            why_not = str(error)
        peers.append({"name": name, "version": _version(package), "why_not": why_not})
    before = get_num_threads()
    set_num_threads(threads)
    try:
        functions = _measure(robot, state, others, rounds, thread_time if threads == 1 else perf_counter)
    finally:
        set_num_threads(before)
    return {
        "robot": robot.name,
        "joints": robot.mechanism.bodies,
        "batch": batch,
        "threads": threads,
        "rounds": rounds,
        "version": chasles.__version__,
        "peers": peers,
        "functions": functions,
    }


def _measure(
    robot: Robot, state: State, others: dict[str, dict[str, Candidate]], rounds: int, clock: Callable[[], float]
) -> list[dict[str, Any]]:
    from rich.console import Console
    from rich.progress import Progress

    functions = []
    screen = Console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task("compiling", total=None)
        ours = candidate.chasles(robot, state)
        progress.update(task, total=2 * rounds * len(ours))
        for name, mine in ours.items():
            progress.update(task, description=name)
            theirs = {peer: functions[name] for peer, functions in others.items() if name in functions}
            rows = [mine, *theirs.values()]
            step = lambda: progress.advance(task)  # noqa: E731
            single = interleaved([row.single for row in rows], rounds, 0.01, step, clock)
            many = interleaved([row.batch for row in rows], rounds, 0.005, step, clock)
            expected = mine.results(_CHECKED)
            functions.append(
                {
                    "name": name,
                    "operations": robot.kernel(name).operations.total,
                    "single_s": single[0],
                    "batch_s": many[0] / len(state.q),
                    "peers": {
                        peer: {
                            "single_s": single[k],
                            "batch_s": many[k] / len(state.q),
                            "looped": row.looped,
                            "difference": _difference(row.results(_CHECKED), expected),
                        }
                        for k, (peer, row) in enumerate(theirs.items(), 1)
                    },
                }
            )
    return functions


def _difference(x: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(x - expected).max() / max(np.abs(expected).max(), np.finfo(float).tiny))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
