"""Redundant robots for the tests of submersions: random chains, gantries, arms without mass but at the tip."""

import warnings
from typing import Any

import numpy as np
from support.random_trees import random_link, rotation

import chasles as ch

X, Y, Z = np.eye(3)
BENT = np.array([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.5])  # a Panda away from singularities


def at(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def quiet(*arguments: Any, **options: Any) -> ch.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        return ch.Robot.from_screws(*arguments, **options)


def load(name: str) -> ch.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        return ch.load(name)


def random_7r(seed: int = 0) -> ch.Robot:
    rng = np.random.default_rng(seed)
    screws = [ch.screw(rotation(rng)[0], point=rng.normal(size=3)) for _ in range(7)]
    return ch.Robot.from_screws(screws, [np.eye(4)] * 7, [random_link(rng) for _ in range(7)], tool=at(1, 2, 3))


def tip_arm(link: ch.Link) -> ch.Robot:
    """The arm of isometric6 with another tip."""
    arm = load("isometric6")
    links = [*arm.links[:5], ch.Link(link.mass, (0, 0, -0.2), link.inertia)]
    return quiet(arm.screws, arm.homes, links, tool=arm.forward_kinematics(np.zeros(6)), gravity=(0, 0, 0))


def gantry(*masses: float) -> ch.Robot:
    """Sliding along x, y and z."""
    links = [ch.Link(m) for m in masses]
    return quiet([np.r_[0, 0, 0, a] for a in (X, Y, Z)], [np.eye(4)] * 3, links, tool=np.eye(4))


def in_line() -> ch.Robot:
    """Two sliding joints along x."""
    links = [ch.Link(2.0), ch.Link(1.0)]
    return ch.Robot.from_screws([np.r_[0, 0, 0, X]] * 2, [np.eye(4)] * 2, links, tool=np.eye(4))


def balanced_3r() -> ch.Robot:
    """A planar 3R with a constant mass matrix [BAL-1]: flat."""
    feet = (0.0, 0.5, 0.9)
    links = [
        ch.Link(2.0, (0.2, 0.1, 0.0), (0.1, 0.1, 0.3)),
        ch.Link(1.0, (-0.4 * 0.7, 0.0, 0.0), (0.1, 0.1, 0.2)),
        ch.Link(0.7, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)),
    ]
    screws = [ch.screw(Z, point=[x, 0, 0]) for x in feet]
    return quiet(screws, [at(x) for x in feet], links, tool=at(1.2))


def floating() -> ch.Robot:
    """A free base with two joints: 8 degrees of freedom, on a group."""
    bar = ch.Link(1.0, [0.5, 0.0, 0.1], [0.1, 0.2, 0.15])
    screws = [ch.screw(Z, point=[0.3, 0, 0]), ch.screw(Y, point=[1.0, 0, 0.2])]
    base = ch.Link(2.0, inertia=(0.3, 0.2, 0.4))
    arm = ch.Robot.from_screws(screws, [np.eye(4)] * 2, [bar] * 2, tool=at(2.0, 0.2, 0.3), base=base)
    return arm.with_base("free")


def mimicking() -> ch.Robot:
    """Three joints and one that follows."""
    bar = ch.Link(1.0, [0.5, 0.0, 0.1], [0.1, 0.2, 0.15])
    axes = ([0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1])
    screws = [ch.screw(a, point=[k, 0.1 * k, 0]) for k, a in enumerate(axes)]
    follows = {"joint3": ("joint2", -0.5, 0.2)}
    return ch.Robot.from_screws(screws, [np.eye(4)] * 4, [bar] * 4, tool=at(4.0, 0.2, 0.3), mimics=follows)


def samples(robot: ch.Robot, count: int = 4, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([robot.random(rng) for _ in range(count)])


def regular(robot: ch.Robot, count: int = 4) -> np.ndarray:
    """Configurations away from singularities of the tool's Jacobian."""
    q = samples(robot, 40)
    return q[np.linalg.svd(robot.jacobian(q), compute_uv=False)[:, -1] > 0.1][:count]


def applied(A: Any, x: Any) -> Any:
    return np.einsum("...ij,...j->...i", A, x)


ISOMETRIC, FLYWHEEL = load("isometric6"), load("flywheel7")
AXIS = np.array([1.0, 1.0, 2.0]) / np.sqrt(6.0)
E = np.eye(6)
WEIGHT = np.diag(np.arange(1.0, 8.0))
