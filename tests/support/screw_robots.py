"""Robots of a few screws, for the tests of flatness, balance and geodesics."""

import warnings
from typing import Any

import numpy as np
from support.random_trees import random_link, random_pose

import chasles as ch

ORIGIN = np.zeros(3)


def at(*p: float) -> np.ndarray:
    """The pose of a frame at p, not turned."""
    T = np.eye(4)
    T[:3, 3] = p
    return T


def revolute(axis: Any, point: Any = ORIGIN) -> np.ndarray:
    return np.r_[axis, np.cross(point, axis)]


def prismatic(axis: Any) -> np.ndarray:
    return np.r_[ORIGIN, axis]


def quiet(*arguments: Any, **options: Any) -> ch.Robot:
    """A robot with links without mass, which is doubted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        return ch.Robot.from_screws(*arguments, **options)


def mixed() -> ch.Robot:
    """A tree with every kind of joint."""
    rng = np.random.default_rng(3)
    kinds = ["free", "screw", "spherical", "planar"]
    return ch.Robot.from_screws(
        [ch.screw([0.0, 0.6, 0.8], [0.1, 0.2, 0.3])] * 4,
        [random_pose(rng) for _ in kinds],
        [random_link(rng) for _ in kinds],
        [-1, 0, 1, 0],
        kinds=kinds,
        name="mixed",
        tool=np.eye(4),
        tool_link=2,
    )
