"""A candidate of a benchmark: one library computing one function of a robot, a single configuration and a batch."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from chasles.errors import ChaslesError
from chasles.model.mechanism import Mechanism
from chasles.report.facts import FUNCTIONS
from chasles.robot import Robot


class NotAvailable(Exception):
    """A peer that is not installed, or cannot express the robot; says why."""


@dataclass(frozen=True)
class State:
    """A batch of q (B, nq), qd and x (B, n); x is an acceleration for inverse and a force for forward dynamics."""

    q: np.ndarray
    qd: np.ndarray
    x: np.ndarray

    @staticmethod
    def random(robot: Robot, batch: int) -> "State":
        """Positions within the limits, or within half a turn or a metre where there are none."""
        rng = np.random.default_rng(0)
        q = np.array([robot.random(rng) for _ in range(batch)])
        return State(q, rng.normal(size=(batch, robot.n)), rng.normal(size=(batch, robot.n)))

    def inputs(self, name: str) -> tuple[np.ndarray, ...]:
        """The arrays that function takes."""
        given = {"inverse_dynamics": 3, "forward_dynamics": 3, "coriolis_matrix": 2}
        return (self.q, self.qd, self.x)[: given.get(name, 1)]


def refuse_all_but_screws(mechanism: Mechanism) -> None:
    """Raises NotAvailable for what the peers' models here do not have."""
    for name, form, mimic in zip(mechanism.joint_names, mechanism.kinds, mechanism.mimics, strict=True):
        if form != "screw" or mimic is not None:
            raise NotAvailable(
                f"not expressible here: joint {name!r} {'is ' + form if mimic is None else 'mimics another'}"
            )
    if mechanism.has_friction:
        raise NotAvailable("not expressible here: the robot has friction")


@dataclass(frozen=True)
class Candidate:
    """`single` computes the first row, `batch` all rows, `results` gives the first few in our order and layout.

    looped: the library has no batch of its own, so `batch` is a Python loop.
    """

    single: Callable[[], Any]
    batch: Callable[[], Any]
    results: Callable[[int], np.ndarray]
    looped: bool = False


def chasles(robot: Robot, state: State) -> dict[str, Candidate]:
    """This library, for every function the robot has: the public method, and the kernel with `out=` given."""
    found = {}
    for name in FUNCTIONS:
        rows = state.inputs(name)
        try:
            kernel = robot.kernel(name)
            out = np.empty_like(kernel.ufunc(*rows))
        except ChaslesError:  # no tool, or no inverse of M
            continue
        method = getattr(robot, name)
        found[name] = Candidate(
            partial(method, *(x[0].copy() for x in rows)),
            partial(kernel.ufunc, *rows, out=out),
            lambda count, method=method, rows=rows: method(*(x[:count] for x in rows)),
        )
    return found
