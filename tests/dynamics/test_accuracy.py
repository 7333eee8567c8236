"""Digits: what is computed in float64, beside the same numbers computed with fifty digits, and beside Pinocchio's.

The reference is a tree of its own: every link's frame is the space frame at home, and screws and inertias are lifted
from the floats that were given.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pinocchio as pin
import pytest
from support.fifty_digits import mpmath as _registered  # noqa: F401  (makes mpmath numbers leaves)
from support.random_trees import random_link, random_pose, rotation
from support.sweeps import sweep

import chasles as ch
from chasles import zoo
from chasles.dynamics.articulated_body import forward_dynamics
from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.newton_euler import newton_euler
from chasles.lie import SE3, SO3, Mat3, SpatialInertia, Sym3, Twist, Vec3
from chasles.model.joint import ScrewJoint
from chasles.model.mechanism import Mechanism
from chasles.model.tree import Body, Tree

FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
SINGULAR_NEARBY = ("isometric6", "flywheel7")  # accelerations near a singular M are as good as its condition


def exact(x) -> Any:
    return Vec3(*(mpmath.mpf(float(c)) for c in x))


def in_space(m: Mechanism, homes=None) -> Tree:
    """The mechanism with fifty digits, its link frames all the space frame at home; homes: other poses of its links."""
    bodies = []
    for i, (H, link, S) in enumerate(zip(m.homes if homes is None else homes, m.links, m.screws, strict=True)):
        T = SE3(SO3(Mat3(*map(exact, H[:3, :3]))), exact(H[:3, 3]))
        J = Sym3(*(mpmath.mpf(float(link.inertia[k])) for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
        G = SpatialInertia.at(mpmath.mpf(link.mass), exact(link.com), J).moved(T)
        joint = ScrewJoint(Twist(exact(S[:3]) if S[:3].any() else Vec3.zero(), exact(S[3:])))
        rotor: Any = (mpmath.mpf(float(m.armature[i])),) if m.armature[i] else ()
        bodies.append(Body(m.parents[i], SE3.identity(), joint, G, i, i, rotor))
    return Tree(tuple(bodies), exact(m.gravity))


def truth(tree: Tree, q, qd, qdd) -> dict[str, list[Any]]:
    x, v, a = ([mpmath.mpf(float(c)) for c in s] for s in (q, qd, qdd))
    return {
        "inverse_dynamics": newton_euler(tree, x, v, a).tau,
        "mass_matrix": [entry for row in mass_matrix(tree, x) for entry in row],
        "forward_dynamics": forward_dynamics(tree, x, v, a),
    }


def found(robot: ch.Robot, q, qd, qdd) -> dict[str, np.ndarray]:
    tau, M = robot.inverse_dynamics(q, qd, qdd), robot.mass_matrix(q)
    return {"inverse_dynamics": tau, "mass_matrix": M, "forward_dynamics": robot.forward_dynamics(q, qd, qdd)}


def error(x, expected: list[Any]) -> float:
    """The largest difference beside the largest number."""
    pairs = zip(np.ravel(x), expected, strict=True)
    return float(max(abs(mpmath.mpf(float(a)) - b) for a, b in pairs) / max(map(abs, expected)))


Compute = Callable[..., dict[str, np.ndarray]]


def errors(tree: Tree, states, *computed: Compute) -> list[dict[str, list[float]]]:
    """Of each way to compute and each function, one a state."""
    out: list[dict[str, list[float]]] = [{name: [] for name in FUNCTIONS} for _ in computed]
    for state in states:
        expected = truth(tree, *state)
        for compute, into in zip(computed, out, strict=True):
            for name, x in compute(*state).items():
                into[name].append(error(x, expected[name]))
    return out


@pytest.mark.parametrize("name", sweep(zoo.names(), ["ur5"]))
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_built_in_robots_beside_fifty_digits(name: str, rng) -> None:
    """Within 1e-15, as a median; most are within 3e-16."""
    robot = ch.load(name)
    states = rng.uniform(-1.2, 1.2, (3, 3, robot.n))
    (ours,) = errors(in_space(robot.mechanism), states, partial(found, robot))
    for function in FUNCTIONS:
        loose = 30.0 if function == "forward_dynamics" and name in SINGULAR_NEARBY else 1.0
        assert np.median(ours[function]) <= 1e-15 * loose, function


def random_arm(rng: np.random.Generator) -> ch.Robot:
    """Six revolute joints whose axes lie anywhere."""
    homes, screws = [], []
    T = np.eye(4)
    for _ in range(6):
        step = random_pose(rng)
        step[:3, 3] *= 0.3
        T = T @ step
        homes.append(T)
        screws.append(ch.screw(T[:3, :3] @ rotation(rng)[0], T[:3, 3]))
    return ch.Robot.from_screws(screws, homes, [random_link(rng) for _ in range(6)])


def pinocchio(model: Any, data: Any, q, qd, qdd) -> dict[str, np.ndarray]:
    M = pin.crba(model, data, q)
    values = pin.rnea(model, data, q, qd, qdd), np.triu(M) + np.triu(M, 1).T, pin.aba(model, data, q, qd, qdd)
    return dict(zip(FUNCTIONS, values, strict=True))


@pytest.mark.parametrize("arms", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_random_arms_beside_pinocchio(arms: int, rng) -> None:
    """No less accurate than Pinocchio, on the same numbers."""
    ways: list[dict[str, list[float]]] = [{name: [] for name in FUNCTIONS} for _ in range(2)]
    for _ in range(arms):
        robot = random_arm(rng)
        model, states = robot.to_pinocchio().model, rng.uniform(-1.5, 1.5, (2, 3, 6))
        peer = partial(pinocchio, model, model.createData())
        for way, values in zip(
            ways, errors(in_space(robot.mechanism), states, partial(found, robot), peer), strict=True
        ):
            for name in FUNCTIONS:
                way[name] += values[name]
    ours, theirs = ways
    for name in FUNCTIONS:
        assert np.median(ours[name]) <= max(1.2 * np.median(theirs[name]), 5e-16), name
        assert max(ours[name]) <= 2e-14, name


def test_link_frames_far_from_their_joints(rng) -> None:
    """Moments are formed near the axes, whatever the frames in which links are stated."""
    m = ch.load("scara").mechanism
    homes, links = m.homes.copy(), []
    for H, link in zip(homes, m.links, strict=True):
        x = rng.normal(size=3) * 1e4
        H[:3, 3] += H[:3, :3] @ x
        links.append(ch.Link(link.mass, link.com - x, link.inertia))
    robot = ch.Robot.from_screws(m.screws, homes, links)
    states = rng.uniform(-1.2, 1.2, (2, 3, robot.n))
    (ours,) = errors(in_space(robot.mechanism), states, partial(found, robot))
    for function in FUNCTIONS:
        assert max(ours[function]) <= 2e-15, function
