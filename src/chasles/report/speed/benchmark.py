"""The measurement behind `chasles bench` and reports."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.report.speed import candidate, mujoco_peer, pinocchio_peer
from chasles.report.speed.candidate import Candidate, NotAvailable, State
from chasles.report.speed.timing import interleaved
from chasles.robot import Robot
from chasles.threads import get_num_threads, set_num_threads

PEERS = {"pinocchio": (pinocchio_peer.candidates, "pin"), "mujoco": (mujoco_peer.candidates, "mujoco")}
_CHECKED = 16  # rows whose results are compared
Progress = AbstractContextManager[Callable[[str, int], None]]  # told what is timed, and the rounds of all of it


def benchmark(
    robot: Robot,
    batch: int,
    threads: int,
    rounds: int,
    *,
    seconds: float = 0.01,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Every function of the robot, timed in turn with each peer's, as plain data.

    seconds: of a round, at least, for each single call; half of it for batches.
    """
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
        clock = thread_time if threads == 1 else perf_counter
        with progress or nullcontext(lambda what, total: None) as told:
            functions = _measure(robot, state, others, rounds, seconds, clock, told)
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
    robot: Robot,
    state: State,
    others: dict[str, dict[str, Candidate]],
    rounds: int,
    seconds: float,
    clock: Callable[[], float],
    told: Callable[[str, int], None],
) -> list[dict[str, Any]]:
    functions = []
    ours = candidate.chasles(robot, state)
    for name, mine in ours.items():
        theirs = {peer: functions[name] for peer, functions in others.items() if name in functions}
        rows = [mine, *theirs.values()]
        step = partial(told, name, 2 * rounds * len(ours))
        single = interleaved([row.single for row in rows], rounds, seconds, step, clock)
        many = interleaved([row.batch for row in rows], rounds, seconds / 2.0, step, clock)
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
