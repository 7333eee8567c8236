"""Orders of convergence, measured: systems with joints of every kind, and the slope of errors by the step."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from support.loops import four_bar, four_bar_angles, pinned
from support.random_trees import random_link, random_pose

import chasles as ch
from chasles import integrators
from chasles.integrators.equations import equations

DURATION = 0.4
ROWS = 4
FASTER = {"spherical": 2, "four-bar": 8}  # motions that need shorter steps
SCREWS = {
    "revolute": ch.screw([0.2, 0.9, 0.3], [0.1, -0.2, 0.3]),
    "prismatic": ch.prismatic([0.3, -0.2, 0.8]),
    "helical": ch.screw([0.5, 0.6, -0.4], [0.2, 0.1, 0.3], pitch=0.3),
    "universal": ch.universal([1.0, 0.2, 0.0], [0.0, 0.3, 1.0], [0.1, 0.2, 0.3]),
    "cylindrical": ch.cylindrical([0.3, 0.5, 0.7], [0.2, 0.1, 0.0]),
}
GROUPS = ("planar", "spherical", "free")
KINDS = (*SCREWS, *GROUPS, "mimic", "friction")
SYSTEMS = (*KINDS, "lagrangian", "four-bar")


class Case(NamedTuple):
    """A system, a batch of starts, and the joint forces that move it."""

    system: Any
    q: np.ndarray
    qd: np.ndarray
    law: Any


@cache
def case(name: str) -> Case:
    """A joint of that kind that carries another, revolute one, in gravity; or a system of another sort."""
    rng = np.random.default_rng(7)
    if name == "four-bar":
        robot = four_bar()
        bars = ch.ConstrainedSystem(robot, pinned(robot))
        return Case(bars, *bars.consistent(four_bar_angles(0.7 + 0.1 * np.arange(ROWS)), [2.0, 0.0, 0.0]), push)
    if name == "lagrangian":
        system = ch.LagrangianSystem(2, _shaken)
        return Case(system, rng.normal(size=(ROWS, 2)), rng.normal(size=(ROWS, 2)), push)
    robot = _robot(name, rng)
    q = np.stack([robot.random(rng) for _ in range(ROWS)])
    qd = rng.normal(size=(ROWS, robot.n))
    return Case(robot, q, qd, push) if name != "friction" else Case(robot, 0.1 * q, 2.0 + 0.1 * np.abs(qd), lift)


def push(t: Any, q: Any, v: Any) -> Any:
    """Joint forces of time and velocity."""
    return np.sin(6.0 * t + np.arange(v.shape[-1])) - 0.1 * v


def lift(t: Any, q: Any, v: Any) -> Any:
    """Joint forces that keep velocities positive, so that dry friction does not change its sign."""
    return 3.0 + push(t, q, v)


def _robot(name: str, rng: np.random.Generator) -> ch.Robot:
    screws = [SCREWS.get(name, SCREWS["revolute"]), ch.screw([0.1, 0.4, 0.9], [0.3, 0.2, -0.1])]
    given: dict[str, Any] = {"kinds": [name, "screw"]} if name in GROUPS else {}
    if name == "friction":
        given = {"damping": [0.4, 0.3], "friction": [0.5, 0.4]}
    if name == "mimic":
        screws += [ch.screw([0.8, 0.1, 0.2], [0.1, 0.3, 0.2])]
        given = {"joint_names": ["a", "b", "c"], "mimics": {"c": ("b", -1.3, 0.2)}}
    n = len(screws)
    homes, links = [random_pose(rng) for _ in range(n)], [random_link(rng) for _ in range(n)]
    robot = ch.Robot.from_screws(screws, homes, links, name=name, gravity=[1.0, -3.0, -9.0], **given)
    return robot.with_friction().with_gravity([0.0, 0.0, 0.0]) if name == "friction" else robot


def _shaken(q: Any, qd: Any, t: Any) -> Any:
    """A double pendulum whose gravity changes in time."""
    square = 2.0 * qd[0] ** 2 + qd[1] ** 2 + 2.0 * qd[0] * qd[1] * np.cos(q[0] - q[1])
    return square / 2 + (9.0 + np.sin(5.0 * t)) * (2.0 * np.cos(q[0]) + np.cos(q[1]))


@cache
def step_kernel(name: str, method: str) -> ch.Kernel:
    """That of a case."""
    return kernel_of_step(case(name).system, case(name).law, method)


def kernel_of_step(system: Any, law: Any, method: str) -> ch.Kernel:
    """(q, qd, t, dt) -> q and qd a step later."""
    scheme = integrators.find(method)

    def step(q: Any, qd: Any, t: Any, dt: Any) -> Any:
        here = equations(system, law)
        state = scheme.step(here, t, scheme.begin(here, t, q, qd), dt)
        q, qd = scheme.end(here, t + dt, state)
        return {"q": q, "qd": qd}

    return ch.compile(step, q=system.nq, qd=system.n, t=(), dt=())


def stepped(kernel: ch.Kernel, q: Any, qd: Any, steps: int, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """q and qd after so many steps of a kernel."""
    dt = duration / steps
    for k in range(steps):
        q, qd = kernel(q, qd, k * dt, dt)
    return q, qd


def end(name: str, method: str, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """q and qd of the batch after DURATION."""
    return stepped(step_kernel(name, method), case(name).q, case(name).qd, steps, DURATION)


@cache
def exact(name: str) -> tuple[np.ndarray, np.ndarray]:
    return end(name, "dormand_prince", 1280)


def errors(name: str, method: str, steps: tuple[int, ...]) -> np.ndarray:
    """The root of the mean square of errors of q, as `difference` gives them, and qd, for each number of steps."""
    system, (q, qd) = case(name).system, exact(name)
    found = []
    for many in steps:
        x, v = end(name, method, many)
        found.append(np.sqrt(np.mean(np.concatenate([system.difference(q, x), v - qd], axis=-1) ** 2)))
    return np.array(found)


def steps_for(name: str, method: str) -> tuple[int, int, int]:
    """Numbers of steps where errors are neither coarse nor rounding, by the order of a method."""
    first = {1: 320, 2: 80, 3: 40, 4: 20, 5: 10}[integrators.find(method).order] * FASTER.get(name, 1)
    return first, 2 * first, 4 * first


def order(name: str, method: str) -> np.ndarray:
    """(2,) the slopes of the errors: their binary logarithms where the step is halved, and halved again."""
    found = errors(name, method, steps_for(name, method))
    return np.log2(found[:-1] / found[1:])
