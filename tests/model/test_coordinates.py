"""Cheap coordinates: the same robot, whatever the geometry of its axes."""

import numpy as np
import pytest
from support.random_trees import random_link
from support.tolerances import close

from chasles.dynamics.articulated_body import forward_dynamics
from chasles.dynamics.newton_euler import newton_euler
from chasles.model.building import mechanism
from chasles.model.coordinates import align, regroup
from chasles.model.mechanism import Mechanism
from chasles.model.screws import screw


def leaning(angle: float, seed: int) -> Mechanism:
    """Four axes that would be parallel but for an angle each, as a file of rounded numbers gives them."""
    rng = np.random.default_rng(seed)
    screws, homes = [], []
    for _ in range(4):
        tilt = rng.normal(size=3) * angle
        point = rng.normal(size=3)
        screws.append(screw(np.array([0.0, 0.0, 1.0]) + tilt, point))
        H = np.eye(4)
        H[:3, 3] = point
        homes.append(H)
    return mechanism(screws, homes, [random_link(rng) for _ in range(4)])


@pytest.mark.parametrize("angle", [0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 0.1, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_nearly_parallel_axes_keep_their_digits(angle: float, seed: int) -> None:
    tree = leaning(angle, seed).tree
    aligned = align(tree)
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 4)).tolist()
    assert all(np.abs([*body.M.p]).max() < 60.0 for body in aligned.tree.bodies)
    for cheap in (aligned.tree, regroup(aligned.tree)):
        assert close(newton_euler(cheap, q, qd, qdd).tau, newton_euler(tree, q, qd, qdd).tau, 1e-11)
        assert close(forward_dynamics(cheap, q, qd, qdd), forward_dynamics(tree, q, qd, qdd), 1e-10)


def test_frames_lie_on_the_axes() -> None:
    aligned = align(leaning(0.5, 1).tree)
    for body in aligned.tree.bodies:
        assert (body.S.w.x, body.S.w.y, body.S.w.z) == (0.0, 0.0, 1.0)
        assert (body.S.v.x, body.S.v.y, body.S.v.z) == (0.0, 0.0, 0.0)
        assert body.M.R.matrix.a.y == 0.0 or body.M.R.matrix.a.x == 0.0  # the turn about z became an offset of q
