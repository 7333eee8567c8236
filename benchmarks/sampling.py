"""Sampling control: what a call of MPPI takes for a Panda, what of it is noise, and what a random number takes.

4,096 samples of 64 semi-implicit steps, the tool to a place: noise, limits, motions, costs and the mean of the plans.
`python benchmarks/sampling.py` shows them alone.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from figures import Figure, Target, show
from rich.console import Console
from timing import FULL, Effort, interleaved, one_thread

import chasles as ch
from chasles.control import MPPI

SAMPLES, HORIZON = 4096, 64
LONGEST_CALL = 20.0  # ms: 50 Hz
NUMBERS = 2**18


def sampling_control(effort: Effort) -> list[Figure]:
    """Milliseconds of a call on two threads; nanoseconds of a sample and step, and of a random number, on one."""
    figures = []
    for knots in (None, 17):
        law, still = _panda(knots, noise=3.0), _panda(knots, noise=0.0)
        q, qd = _START, np.zeros(7)
        calls = [partial(law.update, 0.0, q, qd), partial(still.update, 0.0, q, qd)]
        each, quiet = (t / (SAMPLES * HORIZON) * 1e9 for t in one_thread(calls, effort))
        (call,) = interleaved([partial(_on_two_threads, calls[0])], effort.rounds, effort.least)
        title = f"panda, MPPI of {SAMPLES} x {HORIZON}, {f'{knots} knots' if knots else 'noise at every step'}"
        target = Target("value", "at most", LONGEST_CALL)
        figures.append(Figure(f"{title}: a call on two threads", call * 1e3, "ms", target=target))
        note = f"{quiet:.3g} ns with noise in one joint"
        figures.append(Figure(f"{title}: a sample and step on one", each, "ns", note=note))
    rows = np.arange(float(NUMBERS))
    kernels = [ch.compile(partial(_drawn, draw), seed=(), row=()) for draw in (ch.random.uniform, ch.random.normal)]
    times = one_thread([partial(kernel, 0.0, rows) for kernel in kernels], effort)
    for name, t in zip(("uniform", "normal"), times, strict=True):
        figures.append(Figure(f"{name} random number", t / (8 * NUMBERS) * 1e9, "ns"))
    return figures


_START = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])


def _panda(knots: int | None, noise: float) -> MPPI:
    """The law; noise: in proportion to the inertias, and 0 for some in the last joint alone."""
    robot = ch.load("panda")

    def cost(t: Any, q: Any, qd: Any, tau: Any, target: Any) -> Any:
        away = robot.forward_kinematics(q)[:3, 3] - target
        return 100.0 * (away @ away) + 0.1 * (qd @ qd) + 1e-4 * (tau @ tau)

    spread = noise * np.diag(robot.mass_matrix(_START))
    law = MPPI(
        robot,
        cost,
        dt=0.01,
        horizon=HORIZON,
        samples=SAMPLES,
        noise=spread if noise else np.eye(7)[-1] * 1e-3,
        temperature=1.0,
        knots=knots,
        parameters={"target": [0.4, 0.2, 0.5]},
    )
    law.reset(np.tile(robot.gravity_forces(_START), (knots or HORIZON, 1)))
    return law


def _on_two_threads(call: Callable[[], Any]) -> None:
    ch.set_num_threads(2)
    call()
    ch.set_num_threads(1)


def _drawn(draw: Callable[..., Any], seed: Any, row: Any) -> Any:
    """The sum of eight numbers, each of its own."""
    return sum(draw(seed + k, row) for k in range(8))


if __name__ == "__main__":
    ch.set_num_threads(1)
    show(Console(width=160, highlight=False), "Sampling control", sampling_control(FULL))
