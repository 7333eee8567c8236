"""Derivatives and tensors by the public methods: Pinocchio on real robots, mimics, friction, wrenches, bad input."""

import warnings
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from support.sweeps import sweep
from support.tolerances import close
from support.urdf_text import example_files

import chasles as ch

SOLO = "solo_description/robots/solo12.urdf"
ROBOTS = {
    SOLO: "free",
    "spherical_pendulum": None,
    "ur5": None,
    "panda": None,
    "stanford": None,
    "panda on a free base": "free",
    "scara on a free base": "free",
    "ur5 on a planar base": "planar",
    "scara on a planar base": "planar",
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


@pytest.mark.parametrize(
    "name",
    sweep(
        [name for name in ROBOTS if ROBOTS[name] != "planar" and name != "spherical_pendulum"],
        ["ur5", "scara on a free base"],
    ),
)
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
        assert close(parameters, robot.inertial_parameters.ravel(), 1e-12)
        assert close(robot.regressor(q, qd, qdd), twin.back_tau(regressor.T).T, 1e-9)


@pytest.mark.parametrize(
    "name",
    sweep(
        [name for name in ROBOTS if name not in (SOLO, "spherical_pendulum")],
        ["ur5", "stanford", "scara on a free base", "scara on a planar base"],
    ),
)
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


@pytest.mark.parametrize("joints", sweep([4, 5], 1))
def test_mimic_joints(joints: int) -> None:
    """Everything in the robot's own coordinates: differences of its own functions."""
    base, names = robot_of("panda"), [f"j{k}" for k in range(joints)]
    robot = ch.Robot.from_screws(
        base.screws[:joints],
        base.homes[:joints],
        base.links[:joints],
        joint_names=names,
        mimics={name: ("j1", *way) for name, way in zip(names[3:], [(-0.5, 0.2), (2.0, 0.0)], strict=False)},
    )
    assert robot.n == 3
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
    assert model.homes.shape == model.screws.shape == (3, joints, 6)


@pytest.mark.slow
@pytest.mark.parametrize("name", sweep(["scara on a planar base", "stanford", "ur5 on a planar base"], 1))
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


@pytest.mark.slow
def test_model_derivatives_with_mimics() -> None:
    """The screw of a joint that mimics, moved: the Jacobian and the torques of a robot made anew."""
    arm = robot_of("stanford")
    names = [f"j{k}" for k in range(6)]

    def made(screws: np.ndarray) -> ch.Robot:
        mimics = {"j3": ("j1", -0.5, 0.2), "j4": ("j1", 1.0, 0.0)}
        tool = arm.forward_kinematics(arm.neutral())
        return ch.Robot.from_screws(screws, arm.homes, arm.links, joint_names=names, mimics=mimics, tool=tool)

    robot = made(arm.screws)
    q, qd, qdd = state(robot, 0)
    step = 1e-6
    for joint in (3, 5):
        H, screws = arm.homes[joint], arm.screws
        for k, x in enumerate(np.eye(6)):
            sides = []
            for s in (step, -step):
                moved = screws.copy()
                local = ch.SE3.exp(ch.Twist(ch.Vec3(*(s * x[:3])), ch.Vec3(*(s * x[3:]))))
                moved[joint] = adjoint(H) @ carried(local) @ np.linalg.inv(adjoint(H)) @ screws[joint]
                other = made(moved)
                sides.append((other.jacobian(q), other.inverse_dynamics(q, qd, qdd)))
            J, tau = ((a - b) / (2 * step) for a, b in zip(*sides, strict=True))
            assert close(robot.jacobian_model_derivatives(q).screws[:, :, joint, k], J, 1e-7, 1.0)
            found = robot.inverse_dynamics_model_derivatives(q, qd, qdd).screws[:, joint, k]
            assert close(found, tau, 1e-7, float(np.abs(robot.inverse_dynamics(q, qd, qdd)).max()))


def adjoint(T: np.ndarray) -> np.ndarray:
    R, p = T[:3, :3], T[:3, 3]
    cross = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R, np.zeros((3, 3))], [cross @ R, R]])


def carried(T: ch.SE3) -> np.ndarray:
    columns = [T.Ad(ch.Twist(ch.Vec3(*e[:3]), ch.Vec3(*e[3:]))) for e in np.eye(6).tolist()]
    return np.array([[*V.w, *V.v] for V in columns]).T


def test_operation_budgets() -> None:
    """What the Panda's kernels may cost: a sign, a zero or a shared expression lost shows here."""
    panda = robot_of("panda")
    budgets = {
        "inverse_dynamics_derivatives": 3050,
        "forward_dynamics_derivatives": 6000,
        "mass_matrix_inverse": 1100,
        "christoffel_symbols": 2500,
        "riemann_curvature": 18700,
        "regressor": 1650,
    }
    for name, most in budgets.items():
        assert panda.kernel(name).operations.total <= most, name


def test_planes_that_are_none() -> None:
    robot = robot_of("ur5")
    q, u = np.full(6, 0.3), np.arange(1.0, 7.0)
    with np.errstate(all="ignore"):
        assert np.isnan(robot.sectional_curvature(q, u, [2.0 * u, 0.1 * u, -3.3 * u])).all()
    assert np.isfinite(robot.sectional_curvature(q, u, u[::-1]))
    one = ch.Robot.from_screws([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [ch.Link(1.0, (0.3, 0, 0))])
    with pytest.raises(ch.ModelError, match="no plane"):
        one.sectional_curvature([0.1], [1.0], [2.0])


def test_rotors_are_refused_in_kernels_too() -> None:
    link = ch.Link(1.0, inertia=(1.0, 1.2, 1.4))
    robot = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [link], kinds=["spherical"], armature=[0.3])
    with pytest.raises(ch.ModelError, match="armature"):
        robot.kernel("riemann_curvature")


def test_a_bad_row_leaves_the_others_alone() -> None:
    pendulum = robot_of("spherical_pendulum")
    near = [[0.0, 0.3], [0.0, np.pi / 2 - 1e-9]]
    still, qd = np.zeros(2), np.array([0.3, 0.2])
    with np.errstate(all="ignore"):  # the second row has no answer in floating point
        both = pendulum.linearize(near, qd, still, dt=0.01).A[0]
    assert close(both, pendulum.linearize(near[0], qd, still, dt=0.01).A, 1e-14)


def test_results_pickle() -> None:
    import copy
    import pickle

    robot = robot_of("stanford")
    for result in (robot.balance(samples=4), robot.base_parameters(), robot.geodesic(robot.neutral(), np.ones(6), 0.1)):
        assert type(pickle.loads(pickle.dumps(result))) is type(result)
        copy.deepcopy(result)
