"""Every kind of joint in a robot: the identities of mechanics hold, and files take it or refuse it by name."""

import contextlib
import pickle

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.model.joint import KINDS

BAR = ch.Link(1.5, (0.2, -0.1, 0.3), (0.03, 0.02, 0.04))
UP = ch.screw((0.0, 0.6, 0.8), (0.1, 0.0, 0.2))
each = pytest.mark.parametrize("kind", KINDS)


def chain(kind: str) -> ch.Robot:
    """A screw, a joint of that kind, and a screw."""
    homes = np.tile(np.eye(4), (3, 1, 1))
    homes[:, 2, 3] = 0.0, 0.3, 0.7
    kinds = ["screw", kind, "screw"]
    return ch.Robot.from_screws([UP, np.zeros(6), UP], homes, [BAR] * 3, kinds=kinds, joint_names=["a", "b", "c"])


@each
def test_it_moves_as_its_jacobian_says(kind: str) -> None:
    robot = chain(kind)
    rng = np.random.default_rng(0)
    q, qd, h = robot.random(rng), rng.normal(size=robot.n), 1e-6
    back, on = (robot.forward_kinematics(robot.integrate(q, s * h * qd)) for s in (-1.0, 1.0))
    hat = np.linalg.inv(robot.forward_kinematics(q)) @ (on - back) / (2.0 * h)
    V = robot.velocity(q, qd)
    assert np.abs([hat[2, 1], hat[0, 2], hat[1, 0], *hat[:3, 3]] - V).max() < 1e-8
    assert close(robot.jacobian(q) @ qd, V)
    assert close(
        robot.coordinate_rates(q, qd), (robot.integrate(q, h * qd) - robot.integrate(q, -h * qd)) / (2 * h), 1e-8
    )


@each
def test_dynamics(kind: str) -> None:
    robot = chain(kind)
    rng = np.random.default_rng(1)
    q, qd, qdd = robot.random(rng), rng.normal(size=robot.n), rng.normal(size=robot.n)
    tau = robot.inverse_dynamics(q, qd, qdd)
    M, C = robot.mass_matrix(q), robot.coriolis_matrix(q, qd)
    assert close(M @ qdd + C @ qd + robot.gravity_forces(q), tau, 1e-12)
    assert close(robot.forward_dynamics(q, qd, tau), qdd, 1e-9)
    rate = robot.mass_matrix_derivatives(q) @ qd
    assert np.abs(rate - C - C.T).max() < 1e-12 * np.abs(M).max() * 10


@each
def test_files_take_it_or_refuse_it_by_name(kind: str) -> None:
    robot = chain(kind)
    assert kind in str(robot) or kind == "spherical"
    assert ch.load_text(robot.to_toml(), "toml") == robot == pickle.loads(pickle.dumps(robot))
    for write in (robot.to_urdf, robot.to_pinocchio):
        with contextlib.suppress(ch.ModelError):
            write()
    for library in ("pinocchio", "drake", "mujoco"):
        with contextlib.suppress(ch.ModelError):
            theirs = ch.conventions.to_coordinates(robot, robot.neutral(), library)
            back = ch.conventions.from_coordinates(robot, theirs, library)
            assert close(robot.difference(robot.neutral(), back), np.zeros(robot.n), scale=1.0)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_zero_screws_are_refused_and_fixed_links_are_said_to_be(zero: float) -> None:
    homes, links = [np.eye(4)] * 2, [BAR] * 2
    with pytest.raises(ch.ModelError, match=r'joint \'elbow\': its screw is zero, .* has the kind "fixed"'):
        ch.Robot.from_screws([UP, [zero] * 6], homes, links, joint_names=["shoulder", "elbow"])
    with pytest.raises(ch.ModelError, match="joint 'joint1': its screw is zero"):
        ch.Robot.from_body_screws([[zero] * 6, UP], np.eye(4), homes, links)
    for screw in ([zero] * 6, UP):
        robot = ch.Robot.from_screws([UP, screw], homes, links, kinds=["screw", "fixed"])
        assert robot.n == 1 and robot.total_mass == 2 * BAR.mass and "link2" in robot.frame_names
