"""Functions of robots that every language has to compute: the catalogue, rollouts, searches."""

from functools import cache
from typing import Any

import numpy as np
from support.every_joint import coupled, every_joint
from support.node import interpreted
from support.random_trees import random_kinds, random_mechanism
from support.tolerances import close

import chasles as ch
from chasles.catalogue import catalogue
from chasles.function.kernel import Kernel
from chasles.simulation.rollout_kernels import rollout_kernel

CATALOGUE = catalogue()
SHORT = tuple(f for f, item in CATALOGUE.items() if not (item.task or item.large or len(item.outputs) > 1))
REST = tuple(f for f in CATALOGUE if f not in (*SHORT, "discrete_step"))


@cache
def robot_of(name: str) -> ch.Robot:
    if name in ("every_joint", "coupled"):
        return {"every_joint": every_joint, "coupled": coupled}[name]()
    for stem, make in (("random", random_mechanism), ("kinds", random_kinds)):
        if name.startswith(stem):
            return ch.Robot(make(int(name[len(stem) :])))
    return ch.load(name)


def rollout(method: str, rng: np.random.Generator) -> tuple[Kernel, list[Any]]:
    """With a law that has a parameter and noise, forces beside it, and records of every second step."""

    def law(t, q, qd, K):
        return -K * qd + 0.1 * ch.random.normal(3.0, np.floor(1000.0 * t)) * np.sin(t)

    robot = ch.load("planar_2r")
    kernel = rollout_kernel(robot, law, steps=6, every=2, method=method, torques=True, parameters={"K": (2,)})
    given = {"dt": [[0.01]], "t0": [[0.5]], "tau": rng.normal(size=(1, 6, 2)), "K": [[0.3, 0.2]]}
    given |= {"q": rng.normal(size=(1, 2)), "qd": rng.normal(size=(1, 2))}
    return kernel, [np.reshape(given[o.name], (1, *o.shape)) for o in kernel.inputs]


def searched(name: str, rng: np.random.Generator) -> tuple[Kernel, list[Any]]:
    """Inverse kinematics: found near the start, found from far away, and out of reach."""
    robot, rows = ch.load(name), "tx ty" if name == "planar_2r" else None
    pose = robot.kernel("forward_kinematics")
    q = rng.uniform(0.3, 0.9, (3, robot.n))
    (T,) = interpreted(pose, q)
    T[2, :3, 3] += 100.0
    problem = robot._problem(frame=None, rows=rows, limits=True, attempts=4, iterations=30, tolerance=1e-10)
    kernel = problem.searches["inverse_kinematics", problem.task]
    start = q + np.array([[0.1], [2.0], [0.0]])
    given = [np.zeros((3, *kernel.inputs[0].shape)), start, T[:, None]]
    given += [np.broadcast_to(x, (3, *np.shape(x))) for x in (*problem.given, *problem.ending, 4.0)]
    return kernel, given


def found_two_of_three(name: str, kernel: Kernel, given: list[Any], outputs: Any) -> bool:
    """Whether these are the outputs of such a search."""
    _, found, status, residual = outputs
    assert list(residual <= 1e-10) == [True, True, False] and set(status[:2]) == {ch.Status.FOUND}
    pose = robot_of(name).kernel("forward_kinematics")
    assert close(interpreted(pose, found[:2])[0][:, :2, 3], given[2][:2, 0, :2, 3], 1e-9)
    return close(found[:2], interpreted(kernel, *(x[:2] for x in given))[1], 1e-9)
