"""Derivatives by screws, home poses and inertias: the robot itself is changed, and compared."""

from dataclasses import replace

import numpy as np
import pytest
from support.fields import configuration
from support.random_trees import random_kinds, random_mechanism
from support.tolerances import close

import chasles as ch
from chasles import arrays
from chasles.dynamics.jacobian import jacobian
from chasles.dynamics.kinematics import frame_pose
from chasles.dynamics.newton_euler import newton_euler
from chasles.lie import SE3, Twist
from chasles.model.joint import ScrewJoint
from chasles.model.mechanism import Mechanism
from chasles.model.poses import pose
from chasles.model.tree import Tree

STEP = 1e-5
TOL = 2e-8  # central differences of that step


def five_links(seed: int) -> Mechanism:
    return random_mechanism(seed, 5)


def changed(tree: Tree, j: int, x: np.ndarray, what: str) -> Tree:
    """The tree with the home or the screw of joint j moved by the twist x."""
    bodies, X = list(tree.bodies), SE3.exp(arrays.twist(x.tolist()))
    body = bodies[j]
    bodies[j] = replace(body, M=body.M @ X)
    if what == "screws" and isinstance(body.joint, ScrewJoint):
        bodies[j] = replace(body, joint=replace(body.joint, S=X.Ad(body.joint.S)))
    elif what == "screws":  # the joint's own frame moves: what hangs on it moves back
        back = X.inv()
        bodies[j] = replace(bodies[j], G=body.G.moved(back))
        for c in tree.children[j]:
            bodies[c] = replace(bodies[c], M=back @ bodies[c].M)
    return Tree(tuple(bodies), tree.gravity)


def difference(f, tree: Tree, j: int, what: str) -> np.ndarray:
    """d f(tree) by the six components of the twist, the last axis."""
    steps = []
    for e in np.eye(6):
        ahead, behind = (np.array(f(changed(tree, j, s * STEP * e, what)), dtype=float) for s in (1.0, -1.0))
        steps.append((ahead - behind) / (2 * STEP))
    return np.stack(steps, axis=-1)


FEW, MORE = ((five_links, 1), (random_kinds, 3)), ((five_links, 0), (five_links, 2), (five_links, 3), (random_kinds, 1))
trees = pytest.mark.parametrize("make, seed", [*FEW, *(pytest.param(*pair, marks=pytest.mark.sweep) for pair in MORE)])


@trees
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_dynamics(make, seed: int) -> None:
    m = make(seed)
    robot, tree = ch.Robot(m), m.tree
    rng = np.random.default_rng(seed)
    q, (qd, qdd) = configuration(tree, seed), rng.normal(size=(2, tree.n))
    found = robot.inverse_dynamics_model_derivatives(q, qd, qdd)

    def tau(changed_tree: Tree) -> list[float]:
        return newton_euler(changed_tree, q, qd.tolist(), qdd.tolist()).tau

    for what in ("homes", "screws"):
        expected = np.stack([difference(tau, tree, j, what) for j in range(m.bodies)], axis=1)
        assert close(getattr(found, what), expected, TOL, float(np.abs(expected).max())), what
    forward = robot.forward_dynamics_model_derivatives(q, qd, robot.inverse_dynamics(q, qd, qdd))
    inverse = robot.mass_matrix_inverse(q)
    for ours, by_inverse in zip(forward, found, strict=True):
        assert close(ours, -np.einsum("ij,jkl->ikl", inverse, by_inverse), 1e-8)


@trees
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_tool_and_jacobian(make, seed: int) -> None:
    m = make(seed)
    robot, tree = ch.Robot(m), m.tree
    q = configuration(tree, seed)
    tool = m.frame(None)
    home = frame_pose(tree, q, tool.body, pose(tool.pose))
    moved, bent = robot.forward_kinematics_model_derivatives(q), robot.jacobian_model_derivatives(q)

    def frame(t: Tree, j: int, x: np.ndarray, what: str) -> SE3:
        """The tool's pose on its body; it moves back with a body behind the changed joint of several degrees."""
        T = pose(tool.pose)
        if what == "screws" and not isinstance(tree.bodies[j].joint, ScrewJoint) and j == tool.body:
            T = SE3.exp(arrays.twist((-x).tolist())) @ T
        return T

    for j in range(m.bodies):
        for what in ("homes", "screws"):
            twists, columns = [], []
            for e in np.eye(6):
                sides = []
                for s in (1.0, -1.0):
                    x = s * STEP * e
                    t = changed(tree, j, x, what)
                    T = frame(t, j, x, what)
                    there = frame_pose(t, q, tool.body, T)
                    J = jacobian(t, q, tool.body, T, "body")
                    sides.append((six((home.inv() @ there).log()), np.array([six(V) for V in J]).T))
                twists.append((sides[0][0] - sides[1][0]) / (2 * STEP))
                columns.append((sides[0][1] - sides[1][1]) / (2 * STEP))
            assert close(getattr(moved, what)[:, j], np.stack(twists, axis=-1), TOL, 1.0), (j, what)
            assert close(getattr(bent, what)[:, :, j], np.stack(columns, axis=-1), TOL, 1.0), (j, what)


def six(V: Twist) -> np.ndarray:
    return np.array([*V.w, *V.v], dtype=float)


def test_a_calibration_finds_the_error() -> None:
    """Gauss-Newton on tool poses recovers a screw and a home that were moved: the use these derivatives are for."""
    true = ch.load("ur5")
    m = true.mechanism
    rng = np.random.default_rng(0)
    x = np.zeros((m.bodies, 6))
    x[2] = rng.normal(size=6) * 1e-2
    T = np.array(arrays.from_motion(SE3.exp(arrays.twist(x[2].tolist()))))
    shift = m.homes[2] @ T @ np.linalg.inv(m.homes[2])
    homes, screws = m.homes.copy(), m.screws.copy()
    homes[2:] = shift @ homes[2:]
    for k in range(2, m.bodies):
        screws[k] = arrays.from_twist(pose(shift).Ad(arrays.twist(m.screws[k].tolist())))
    bent = ch.Robot.from_screws(screws, homes, m.links, tool=shift @ m.homes[m.tool.body] @ m.tool.pose)
    q = rng.uniform(-2, 2, (40, 6))
    D = true.forward_kinematics_model_derivatives(q).homes[:, :, 2]
    error = np.linalg.inv(true.forward_kinematics(q)) @ bent.forward_kinematics(q)
    twists = np.array([six(pose(E).log()) for E in error])
    estimate = np.linalg.lstsq(D.reshape(-1, 6), twists.ravel(), rcond=None)[0]
    assert close(estimate, x[2], 0.05)  # linear: to second order in the error
