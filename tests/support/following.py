"""Robots of many kinds whose tool can follow a path, for the tests of control laws."""

from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import expm
from support.motions import hat
from support.random_trees import random_link, random_pose, random_screw

import chasles as ch
from chasles import paths

NAMES = ("panda", "ur5", "stanford", "tree", "groups")
WAY = np.array([0.3, -0.2, 0.25, 0.05, -0.08, 0.06])


@cache
def robot(name: str) -> ch.Robot:
    """A built-in one; "tree": revolute, prismatic and helical joints, the tool not on the last link; "groups": a
    spherical and a free joint among screws."""
    if name not in ("tree", "groups"):
        return ch.load(name)
    rng = np.random.default_rng(11)
    n = 9 if name == "tree" else 4
    parents = [-1, 0, 1, 1, 2, 4, 5, 3, 6] if name == "tree" else [-1, 0, 1, 1]
    return ch.Robot.from_screws(
        [random_screw(rng) for _ in range(n)],
        [random_pose(rng) for _ in range(n)],
        [random_link(rng) for _ in range(n)],
        parents,
        tool=random_pose(rng),
        tool_link=8 if name == "tree" else 2,
        kinds=None if name == "tree" else ["spherical", "screw", "free", "screw"],
        name=name,
    )


@cache
def start(name: str) -> np.ndarray:
    """A configuration away from singularities."""
    own, rng = robot(name), np.random.default_rng(3)
    found = [own.random(rng) * 0.6 if own.nq == own.n else own.random(rng) for _ in range(60)]
    return max(found, key=lambda q: float(own.singular_values(q, metric="inertia")[-1]))


def path(name: str, duration: float = 1.0, size: float = 1.0) -> paths.Path:
    """From the tool's pose at `start`, a little turn and way."""
    T = robot(name).forward_kinematics(start(name))
    return paths.minimum_jerk(T, T @ expm(hat(size * WAY)), duration=duration)


def state(name: str, off: float = 0.03, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Near `start`, moving."""
    own, rng = robot(name), np.random.default_rng(seed)
    return own.integrate(start(name), off * rng.normal(size=own.n)), off * rng.normal(size=own.n)


def response(t: np.ndarray, x: np.ndarray, xd: np.ndarray, K_p: Any, K_d: Any) -> np.ndarray:
    """(T, k) of x'' + K_d x' + K_p x = 0."""
    k = len(x)
    P, D = (np.eye(k) * K if np.ndim(K) < 2 else np.asarray(K) for K in (K_p, K_d))
    A = np.block([[np.zeros((k, k)), np.eye(k)], [-P, -D]])
    return np.array([(expm(A * s) @ np.concatenate([x, xd]))[:k] for s in t])


def errors(law: Any, run: Any) -> np.ndarray:
    """(T, 6) the law's error along a simulation."""
    return np.array([law.error(t, q, v)[0] for t, q, v in zip(run.t, run.q, run.qd, strict=True)])
