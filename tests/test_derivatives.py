"""Derivatives and tensors by the public methods: Pinocchio on real robots, mimics, friction, wrenches, bad input."""

import warnings
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from tolerances import close
from urdf_text import example_files

import chasles as ch

SOLO = "solo_description/robots/solo12.urdf"
ROBOTS = {
    SOLO: "free",
    "ur5": None,
    "panda": None,
    "stanford": None,
    "panda on a free base": "free",
    "ur5 on a planar base": "planar",
}


@cache
def robot_of(name: str) -> ch.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        if name == SOLO:
            return ch.load(example_files()[name]).with_base("free")
        robot = ch.load(name.split()[0])
        if ROBOTS[name]:
            robot = robot.with_base(ROBOTS[name])
            robot = robot.with_payload(robot.link_names[0], 3.0, (0.1, 0.0, 0.2), (0.4, 0.3, 0.2))
        return robot


def state(robot: ch.Robot, seed: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return robot.random(rng), *rng.normal(size=(2, robot.n))


def differences(robot: ch.Robot, f, q: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """df/dq along the tangent, by central differences; that index last."""
    sides = [(f(robot.integrate(q, step * e)), f(robot.integrate(q, -step * e))) for e in np.eye(robot.n)]
    return np.stack([(a - b) / (2 * step) for a, b in sides], axis=-1)


@pytest.mark.parametrize("name", [name for name in ROBOTS if ROBOTS[name] != "planar"])
def test_pinocchio(name: str) -> None:
    """Fixed and free-flying, a quadruped too: RNEA, ABA and Coriolis in Pinocchio's tangent space, carried to ours."""
    robot = robot_of(name)
    twin = robot.to_pinocchio()
    model, data = twin.model, twin.model.createData()
    for seed in range(5):
        q, qd, qdd = state(robot, seed)
        tau = robot.inverse_dynamics(q, qd, qdd)
        x, v, a, t = twin.q(q), twin.v(qd), twin.v(qdd), twin.tau(tau)
        pin.computeRNEADerivatives(model, data, x, v, a)
        d = robot.inverse_dynamics_derivatives(q, qd, qdd)
        assert close(d.dtau_dq, twin.back_matrix(data.dtau_dq), 1e-9)
        assert close(d.dtau_dqd, twin.back_matrix(data.dtau_dv), 1e-9, np.abs(d.dtau_dq).max())
        M = np.triu(data.M) + np.triu(data.M, 1).T
        assert close(d.dtau_dqdd, twin.back_matrix(M), 1e-9)
        pin.computeABADerivatives(model, data, x, v, t)
        f = robot.forward_dynamics_derivatives(q, qd, tau)
        worse = max(1.0, np.linalg.cond(M) / 1e4)
        inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
        assert close(f.dqdd_dq, twin.back_matrix(data.ddq_dq), 1e-9 * worse)
        assert close(f.dqdd_dqd, twin.back_matrix(data.ddq_dv), 1e-9 * worse, np.abs(f.dqdd_dq).max())
        assert close(f.dqdd_dtau, twin.back_matrix(inverse), 1e-9 * worse)
        C = twin.back_matrix(pin.computeCoriolisMatrix(model, data, x, v))
        G = robot.christoffel_symbols(q)
        assert close(G @ qd, C, 1e-9)
        regressor = np.array(pin.computeJointTorqueRegressor(model, data, x, v, a))
        parameters = np.concatenate([model.inertias[j].toDynamicParameters() for j in range(1, model.njoints)])
        assert close(robot.regressor(q, qd, qdd) @ robot.inertial_parameters.ravel(), tau, 1e-9)
        assert close(twin.back_tau(regressor @ parameters), tau, 1e-9)


@pytest.mark.parametrize("name", [name for name in ROBOTS if name != SOLO])
def test_graph_differentiation_and_differences(name: str) -> None:
    """The graph of inverse dynamics, differentiated where coordinates are plain; differences along the tangent."""
    robot = robot_of(name)
    q, qd, qdd = state(robot, 1)
    d = robot.inverse_dynamics_derivatives(q, qd, qdd)
    kernel = robot.kernel("inverse_dynamics")
    size = np.abs(d.dtau_dq).max()
    if robot.nq == robot.n and not ROBOTS[name]:
        assert close(d.dtau_dq, kernel.jacobian("q")(q, qd, qdd), 1e-9)
    assert close(d.dtau_dq, differences(robot, lambda x: robot.inverse_dynamics(x, qd, qdd), q), 1e-6)
    assert close(d.dtau_dqd, kernel.jacobian("qd")(q, qd, qdd), 1e-9, size)
    assert close(d.dtau_dqdd, kernel.jacobian("qdd")(q, qd, qdd), 1e-9)


def test_wrenches_and_friction() -> None:
    robot = robot_of("ur5")
    q, qd, qdd = state(robot, 2)
    rng = np.random.default_rng(0)
    tool, links = rng.normal(size=6), rng.normal(size=(6, 6))
    d = robot.inverse_dynamics_derivatives(q, qd, qdd, tool_wrench=tool, link_wrenches=links)
    tau = robot.inverse_dynamics(q, qd, qdd, tool, links)
    assert close(d.dtau_dq, differences(robot, lambda x: robot.inverse_dynamics(x, qd, qdd, tool, links), q), 1e-6)
    f = robot.forward_dynamics_derivatives(q, qd, tau, tool, links)
    assert close(f.dqdd_dq, differences(robot, lambda x: robot.forward_dynamics(x, qd, tau, tool, links), q), 1e-6)
    plain = ch.Robot.from_screws(
        robot.screws, robot.homes, robot.links, damping=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], friction=np.ones(6)
    ).with_friction()
    assert close(
        plain.inverse_dynamics_derivatives(q, qd, qdd).dtau_dqd,
        robot.inverse_dynamics_derivatives(q, qd, qdd).dtau_dqd + np.diag([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
    )


def test_mimic_joints() -> None:
    """Everything in the robot's own coordinates: differences of its own functions."""
    base = robot_of("panda")
    robot = ch.Robot.from_screws(
        base.screws,
        base.homes,
        base.links,
        joint_names=[f"j{k}" for k in range(7)],
        mimics={"j3": ("j1", -0.5, 0.2), "j5": ("j1", 2.0, 0.0)},
    )
    assert robot.n == 5
    q, qd, qdd = state(robot, 3)
    tau = robot.inverse_dynamics(q, qd, qdd)
    d, f = robot.inverse_dynamics_derivatives(q, qd, qdd), robot.forward_dynamics_derivatives(q, qd, tau)
    assert close(d.dtau_dq, robot.kernel("inverse_dynamics").jacobian("q")(q, qd, qdd), 1e-9)
    assert close(f.dqdd_dq, robot.kernel("forward_dynamics").jacobian("q")(q, qd, tau), 1e-8)
    assert close(robot.mass_matrix_derivatives(q), robot.kernel("mass_matrix").jacobian("q")(q), 1e-9)
    assert close(robot.christoffel_symbols(q) @ qd, robot.coriolis_matrix(q, qd), 1e-9)
    assert close(robot.regressor(q, qd, qdd) @ robot.inertial_parameters.ravel(), tau, 1e-9)
    # curvature of the metric in these coordinates, from the connection and its differences
    G, up = robot.christoffel_symbols(q), robot.christoffel_symbols(q, kind=2)
    dG = differences(robot, robot.christoffel_symbols, q)
    R = dG.swapaxes(2, 3) - dG + np.einsum("rjk,ril->ijkl", up, G) - np.einsum("rjl,rik->ijkl", up, G)
    assert close(robot.riemann_curvature(q), R, 1e-6)
    second = robot.inverse_dynamics_second_derivatives(q, qd, qdd)
    for found, key in ((second.d2tau_dq_dq, "dtau_dq"), (second.d2tau_dqdd_dq, "dtau_dqdd")):
        expected = differences(robot, lambda x, k=key: getattr(robot.inverse_dynamics_derivatives(x, qd, qdd), k), q)
        assert close(found, expected, 1e-6)
    model = robot.inverse_dynamics_model_derivatives(q, qd, qdd)
    assert model.homes.shape == model.screws.shape == (5, 7, 6)


@pytest.mark.parametrize("name", ["stanford", "ur5 on a planar base"])
def test_second_derivatives(name: str) -> None:
    robot = robot_of(name)
    q, qd, qdd = state(robot, 4)
    tau = robot.inverse_dynamics(q, qd, qdd)
    second = robot.forward_dynamics_second_derivatives(q, qd, tau)
    keys = {"d2qdd_dq_dq": "dqdd_dq", "d2qdd_dqd_dq": "dqdd_dqd", "d2qdd_dtau_dq": "dqdd_dtau"}
    for key, first in keys.items():
        expected = differences(robot, lambda x, k=first: getattr(robot.forward_dynamics_derivatives(x, qd, tau), k), q)
        assert close(getattr(second, key), expected, 1e-5, 1.0), key
    by_rates = robot.kernel("forward_dynamics_derivatives").jacobian("qd")(q, qd, tau)
    assert close(second.d2qdd_dqd_dqd, by_rates[1], 1e-8, 1.0)
    rng = np.random.default_rng(5)
    dq, dqd, dqdd = rng.normal(size=(3, robot.n))
    along = robot.inverse_dynamics_derivatives_along(q, qd, qdd, dq, dqd, dqdd)
    tensors = robot.inverse_dynamics_second_derivatives(q, qd, qdd)
    assert close(along.dtau_dqdd, tensors.d2tau_dqdd_dq @ dq)
    assert close(along.dtau_dqd, tensors.d2tau_dqd_dq @ dq + tensors.d2tau_dqd_dqd @ dqd, 1e-9)


def test_batches_and_errors() -> None:
    robot = robot_of("ur5")
    q, qd, qdd = (np.random.default_rng(k).normal(size=(3, 4, 6)) for k in range(3))
    d = robot.inverse_dynamics_derivatives(q, qd[0], qdd[0, 0])
    assert d.dtau_dq.shape == (3, 4, 6, 6)
    assert close(d.dtau_dq[1, 2], robot.inverse_dynamics_derivatives(q[1, 2], qd[0, 2], qdd[0, 0]).dtau_dq, 0.0)
    assert robot.christoffel_symbols(q).shape == (3, 4, 6, 6, 6)
    assert robot.scalar_curvature(q).shape == (3, 4)
    with pytest.raises(
        ch.ShapeError, match=r"inverse_dynamics_derivatives: qd must have shape \(\.\.\., 6\), got \(5,\)"
    ):
        robot.inverse_dynamics_derivatives(q, np.zeros(5), qdd)
    with pytest.raises(ch.ModelError, match="kind must be 1 or 2, got 3"):
        robot.christoffel_symbols(q, kind=3)  # type: ignore[arg-type]
    with pytest.raises(ch.ModelError, match="order must be 1 or 2, got 0"):
        robot.mass_matrix_derivatives(q, order=0)  # type: ignore[arg-type]
    with pytest.raises(ch.FrameError, match="nowhere"):
        robot.jacobian_model_derivatives(q, frame="nowhere")


def test_singular_masses_are_refused_by_name() -> None:
    with pytest.warns(ch.ModelWarning):
        robot = ch.Robot.from_screws(
            [[0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0]], [np.eye(4)] * 2, [ch.Link(1.0, (0.3, 0, 0)), ch.Link(0.0)]
        )
    q = np.zeros(2)
    assert robot.christoffel_symbols(q).shape == (2, 2, 2)
    assert robot.inverse_dynamics_derivatives(q, q, q).dtau_dq.shape == (2, 2)
    for call in (
        lambda: robot.forward_dynamics_derivatives(q, q, q),
        lambda: robot.christoffel_symbols(q, kind=2),
        lambda: robot.riemann_curvature(q),
        lambda: robot.sectional_curvature(q, [1.0, 0.0], [0.0, 1.0]),
    ):
        with pytest.raises(ch.SingularMassMatrixError, match="joint"):
            call()


def test_rotors_of_several_degrees_have_no_curvature() -> None:
    robot = ch.Robot.from_screws(
        [np.zeros(6)],
        [np.eye(4)],
        [ch.Link(1.0, inertia=(1, 1, 1))],
        kinds=["spherical"],
        armature=[0.3],
        joint_names=["ball"],
    )
    with pytest.raises(ch.ModelError, match="joint 'ball' has several degrees of freedom and armature"):
        robot.riemann_curvature(robot.neutral())


def test_tensors_of_robots_with_few_joints() -> None:
    none = ch.Robot.from_screws(np.zeros((0, 6)), np.zeros((0, 4, 4)), [])
    assert none.christoffel_symbols(np.zeros(0)).shape == (0, 0, 0)
    one = ch.Robot.from_screws([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [ch.Link(1.0, (0.3, 0, 0))])
    assert one.riemann_curvature([0.3]).tolist() == [[[[0.0]]]]
    assert one.scalar_curvature([0.3]) == 0.0
