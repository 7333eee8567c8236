"""A tree with every kind of joint, and one with a joint that mimics another, rotors and damping."""

from functools import cache
from typing import Any

import numpy as np
from support.random_trees import random_link, random_pose

import chasles as ch

AXIS, POINT = [0.36, -0.48, 0.8], [0.1, 0.2, -0.3]
SCREWS = {
    "revolute": ch.screw(AXIS, POINT),
    "prismatic": [0.0, 0.0, 0.0, *AXIS],
    "helical": ch.screw(AXIS, POINT, pitch=0.3),
    "gear": 2.5 * ch.screw(AXIS, POINT),
}
KINDS = (*SCREWS, "planar", "spherical", "free")


def tree(kinds: Any, parents: Any = None, **more: Any) -> ch.Robot:
    """Random links in a row, or as `parents` says, on joints of these kinds."""
    rng = np.random.default_rng(3)
    screws = [SCREWS.get(kind, np.zeros(6)) for kind in kinds]
    homes, links = [random_pose(rng) for _ in kinds], [random_link(rng) for _ in kinds]
    forms = ["screw" if kind in SCREWS else kind for kind in kinds]
    return ch.Robot.from_screws(screws, homes, links, parents, kinds=forms, name="-".join(kinds), **more)


@cache
def every_joint() -> ch.Robot:
    """A free base and two branches: seven links, sixteen velocities."""
    kinds = ["free", "revolute", "spherical", "helical", "planar", "gear", "prismatic"]
    return tree(kinds, [-1, 0, 1, 2, 0, 4, 5])


@cache
def coupled() -> ch.Robot:
    """Four joints, one of which follows another; rotors and damping."""
    return tree(
        ["revolute", "prismatic", "gear", "revolute"],
        joint_names=["a", "b", "c", "d"],
        mimics={"c": ("a", -1.5, 0.2)},
        armature=[0.3, 0.2, 0.1, 0.4],
        damping=[0.5, 0.4, 0.3, 0.2],
    ).with_friction()


def state(robot: ch.Robot, rng: np.random.Generator, speed: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    return robot.random(rng), speed * rng.normal(size=robot.n)
