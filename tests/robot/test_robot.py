"""The Robot as its user holds it: shapes, lists, frames, wrenches, variations, mistakes."""

import pickle
import warnings

import numpy as np
import pytest
from support.random_trees import random_mechanism
from support.tolerances import EXACT, close

import chasles as ch
from chasles.dynamics.newton_euler import newton_euler


@pytest.fixture(scope="module")
def panda() -> ch.Robot:
    return ch.load("panda")


@pytest.fixture(scope="module")
def state() -> tuple[np.ndarray, ...]:
    return tuple(np.random.default_rng(1).normal(size=(4, 7)))


def branched() -> ch.Robot:
    screws = [ch.screw([0, 0, 1]), ch.screw([0, 1, 0], [1, 0, 0]), ch.prismatic([1, 0, 0])]
    homes = [np.eye(4)] * 3
    return ch.Robot.from_screws(screws, homes, [ch.Link(1.0, [0.2, 0, 0.1], [1, 1, 1])] * 3, [-1, 0, 0])


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (0,), (4, 0, 2)])
def test_functions_broadcast_over_leading_axes(
    panda: ch.Robot, shape: tuple[int, ...], rng: np.random.Generator
) -> None:
    q, qd, qdd = rng.normal(size=(*shape, 7)), rng.normal(size=7), rng.normal(size=(*shape, 7))
    tau = panda.inverse_dynamics(q, qd, qdd)
    assert tau.shape == (*shape, 7)
    assert panda.mass_matrix(q).shape == (*shape, 7, 7)
    assert panda.jacobian(q).shape == (*shape, 6, 7)
    assert panda.forward_kinematics(q).shape == (*shape, 4, 4)
    assert panda.link_poses(q).shape == (*shape, 7, 4, 4)
    assert panda.kinetic_energy(q, qd).shape == shape
    assert isinstance(panda.kinetic_energy(np.ones(7), qd), np.float64)
    assert panda.joint_wrenches(q, qd, qdd).shape == (*shape, 7, 6)
    for index in np.ndindex(shape):
        assert np.array_equal(tau[index], panda.inverse_dynamics(q[index], qd, qdd[index]))


def test_lists_and_integers_are_accepted(panda: ch.Robot) -> None:
    expected = panda.inverse_dynamics(np.ones(7), np.zeros(7), np.ones(7))
    assert np.array_equal(panda.inverse_dynamics([1] * 7, [0] * 7, (1,) * 7), expected)
    assert np.array_equal(panda.mass_matrix(np.ones(7, np.float32)), panda.mass_matrix(np.ones(7)))


def test_wrench_signs(panda: ch.Robot, state: tuple[np.ndarray, ...], rng: np.random.Generator) -> None:
    """tau = M qdd + C qd + g + J^T tool_wrench - sum of J_i^T link_wrenches_i [NE-3]."""
    q, qd, qdd, _ = state
    F, L = rng.normal(size=6), rng.normal(size=(7, 6))
    free = panda.mass_matrix(q) @ qdd + panda.coriolis_matrix(q, qd) @ qd + panda.gravity_forces(q)
    on_links = sum(panda.jacobian(q, frame=name).T @ L[i] for i, name in enumerate(panda.link_names))
    tau = panda.inverse_dynamics(q, qd, qdd, tool_wrench=F, link_wrenches=L)
    assert close(tau, free + panda.jacobian(q).T @ F - on_links)
    assert close(panda.forward_dynamics(q, qd, tau, tool_wrench=F, link_wrenches=L), qdd, 1e-9)
    assert close(panda.forward_dynamics_by_solving(q, qd, tau, tool_wrench=F, link_wrenches=L), qdd, 1e-9)
    assert close(panda.bias_forces(q, qd, F, L), tau - panda.mass_matrix(q) @ qdd)


def test_moving_base_is_a_moving_frame(panda: ch.Robot, state: tuple[np.ndarray, ...]) -> None:
    """A base accelerating upwards is more gravity [NE-4]; a spinning base adds what a joint below it would."""
    q, qd, qdd, _ = state
    up = panda.inverse_dynamics(q, qd, qdd, base_acceleration=[0, 0, 0, 0, 0, 9.81])
    assert close(up, panda.with_gravity([0, 0, -19.62]).inverse_dynamics(q, qd, qdd))
    turntable = ch.Robot.from_screws(
        np.vstack([ch.screw([0, 0, 1]), panda.screws]),
        np.concatenate([np.eye(4)[None], panda.homes]),
        [ch.Link(1.0, inertia=[1, 1, 1]), *panda.links],
    )
    full = turntable.inverse_dynamics([0, *q], [2.0, *qd], [0.7, *qdd])[1:]
    moving = panda.inverse_dynamics(
        q, qd, qdd, base_velocity=[0, 0, 2, 0, 0, 0], base_acceleration=[0, 0, 0.7, 0, 0, 0]
    )
    assert close(moving, full)


def test_joint_wrenches_carry_the_drive(panda: ch.Robot, state: tuple[np.ndarray, ...]) -> None:
    q, qd, qdd, _ = state
    F = panda.joint_wrenches(q, qd, qdd)
    local = [np.linalg.inv(adjoint(H)) @ S for H, S in zip(panda.homes, panda.screws, strict=True)]
    assert close([F[i] @ local[i] for i in range(7)], panda.inverse_dynamics(q, qd, qdd))


def test_joint_wrenches_are_those_of_the_true_inertias(panda: ch.Robot, state: tuple[np.ndarray, ...]) -> None:
    """All six components, which regrouped inertias would change: the recursion in the frames as given. [NE-1]"""
    q, qd, qdd, _ = state
    F = newton_euler(panda.mechanism.tree, *(x.tolist() for x in (q, qd, qdd))).F
    assert close(panda.joint_wrenches(q, qd, qdd), [[*w.m, *w.f] for w in F])


def test_a_light_link_is_not_a_singular_one() -> None:
    """Nine decades between inertias are a robot; a joint that moves only what another moves too is not."""
    axes, homes = [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], [1, 0, 0])], [np.eye(4)] * 2
    light = ch.Robot.from_screws(
        axes, homes, [ch.Link(1.0, [0.5, 0, 0], [1, 1, 1]), ch.Link(1e-9, [1, 0, 0], [1e-9] * 3)]
    )
    qdd = light.forward_dynamics([0, 0], [0, 0], [0.0, 1e-9])
    assert close(light.mass_matrix([0, 0]) @ qdd, [0.0, 1e-9], 1e-9)
    with pytest.warns(ch.ModelWarning):
        twice = ch.Robot.from_screws(
            [ch.screw([0, 0, 1]), ch.screw([0, 0, 1])],
            homes,
            [ch.Link(0.0), ch.Link(1.0, [0.3, 0.2, 0], [0.7, 0.8, 0.9])],
        )
    with pytest.raises(ch.SingularMassMatrixError, match="'joint1'"):
        twice.forward_dynamics([0, 0], [0, 0], [0, 0])


def test_a_mass_on_its_own_axis_is_singular() -> None:
    """Where the zero is one of rounding: the axis in general position, the moments about a point beside it."""
    axis, p = np.array([0.3, 0.5, 0.7]) / np.sqrt(0.83), np.array([0.1, 0.7, 0.3])
    robot = ch.Robot.from_screws(
        [ch.screw([0, 0, 1]), ch.screw(axis, p)],
        [np.eye(4)] * 2,
        [ch.Link(1.0, [0.5, 0, 0], [1, 1, 1]), ch.Link(1.0, p + 0.37 * axis)],
    )
    with pytest.raises(ch.SingularMassMatrixError, match="'joint2'"):
        robot.forward_dynamics([0, 0], [0, 0], [0, 0])


def test_a_robot_far_from_the_origin_keeps_its_digits() -> None:
    """The same arm here and a kilometre away, all frames at the origin."""
    away = np.array([1000.0, -500.0, 700.0])
    axes, points = [[0, 0, 1], [0, 1, 0.2], [1, 0.3, 0]], np.array([[0, 0, 0], [0.3, 0, 0.5], [0.7, 0.1, 0.4]])
    coms = points + np.array([[0.1, 0.2, 0.3], [0.2, 0, 0.1], [0.1, 0.1, -0.1]])
    near, far = (
        ch.Robot.from_screws(
            [ch.screw(s, p) for s, p in zip(axes, points + offset, strict=True)],
            [np.eye(4)] * 3,
            [ch.Link(1.0, c, [0.01, 0.02, 0.03]) for c in coms + offset],
        )
        for offset in (0.0, away)
    )
    q, qd, tau = np.array([[0.3, -0.7, 1.1], [1.0, 0.5, -0.3], [0.2, 0.1, 0.4]])
    assert close(far.mass_matrix(q), near.mass_matrix(q), 1e-11)
    assert close(far.forward_dynamics(q, qd, tau), near.forward_dynamics(q, qd, tau), 1e-10)


def adjoint(T: np.ndarray) -> np.ndarray:
    R, p = T[:3, :3], T[:3, 3]
    P = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R, np.zeros((3, 3))], [P @ R, R]])


@pytest.mark.parametrize("frame", [None, "panda_link4", "base"])
@pytest.mark.parametrize("expressed", ["body", "space", "mixed"])
def test_jacobian_velocity_and_acceleration_agree(
    panda: ch.Robot, state: tuple[np.ndarray, ...], frame: str | None, expressed: str
) -> None:
    q, qd, qdd, _ = state
    J = panda.jacobian(q, frame, expressed)
    Jd = panda.jacobian_derivative(q, qd, frame, expressed)
    assert close(panda.velocity(q, qd, frame, expressed), J @ qd, scale=1.0)
    assert close(panda.acceleration(q, qd, qdd, frame, expressed), J @ qdd + Jd @ qd, scale=1.0)
    h = 1e-6
    rate = (panda.jacobian(q + h * qd, frame, expressed) - panda.jacobian(q - h * qd, frame, expressed)) / (2 * h)
    assert close(Jd, rate, 1e-7, scale=1.0)


def test_classical_acceleration_is_that_of_the_origin(panda: ch.Robot, state: tuple[np.ndarray, ...]) -> None:
    q, qd, qdd, _ = state
    h = 1e-4
    p = [panda.forward_kinematics(q + t * qd + t * t / 2 * qdd)[:3, 3] for t in (-h, 0.0, h)]
    mixed = panda.classical_acceleration(q, qd, qdd, expressed="mixed")
    assert close(mixed[3:], (p[0] - 2 * p[1] + p[2]) / h**2, 1e-5)
    R = panda.forward_kinematics(q)[:3, :3]
    assert close(panda.classical_acceleration(q, qd, qdd), np.concatenate([R.T @ mixed[:3], R.T @ mixed[3:]]))
    assert close(panda.acceleration(q, qd, qdd, expressed="mixed"), mixed)
    with pytest.raises(ch.ModelError, match="body"):
        panda.classical_acceleration(q, qd, qdd, expressed="space")


def test_square_root_and_centre_of_mass(panda: ch.Robot, state: tuple[np.ndarray, ...]) -> None:
    q, qd, _, _ = state
    W = panda.mass_matrix_sqrt(q)
    assert close(W @ W.T, panda.mass_matrix(q))
    assert np.array_equal(W, np.triu(W))  # [FD-5]
    A = panda.centroidal_momentum_matrix(q)
    assert close(A[3:], panda.total_mass * panda.centre_of_mass_jacobian(q))
    h = 1e-6
    fall = [panda.centroidal_momentum_matrix(q + s * h * qd) for s in (1, -1)]
    assert close(panda.centroidal_momentum_matrix_derivative(q, qd), (fall[0] - fall[1]) / (2 * h), 1e-7)
    shift = [panda.centre_of_mass(q + s * h * qd) for s in (1, -1)]
    assert close(panda.centre_of_mass_jacobian(q) @ qd, (shift[0] - shift[1]) / (2 * h), 1e-7)


def test_fused_kernel_is_its_parts(panda: ch.Robot, state: tuple[np.ndarray, ...]) -> None:
    q, qd, _, _ = state
    names = ["mass_matrix", "bias_forces", "jacobian", "link_poses", "forward_kinematics"]
    fused = panda.kernel(names)
    result = fused(q, qd)
    assert result._fields == tuple(names)
    assert close(result.mass_matrix, panda.mass_matrix(q), EXACT)
    assert close(result.bias_forces, panda.bias_forces(q, qd), EXACT)
    assert close(result.jacobian, panda.jacobian(q), EXACT)
    apart = sum(panda.kernel(name).operations.total for name in names)
    assert fused.operations.total < 0.9 * apart  # poses and rotations are computed once
    outs = tuple(np.empty((3, *o.shape)) for o in fused.outputs)
    fused(np.stack([q] * 3), qd, out=outs)
    assert np.array_equal(outs[0][2], result.mass_matrix)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "kinetic_energy"])
def test_run_time_parameters(panda: ch.Robot, state: tuple[np.ndarray, ...], name: str) -> None:
    kernel = panda.kernel(name, parameters=["panda_link7", "panda_link3"])
    given = [x for x, _ in zip(state, kernel.inputs[:-1], strict=False)]
    heavy = panda.with_payload("panda_link7", 3.0, [0.0, 0.01, 0.1], [0.02, 0.02, 0.01])
    heavy = heavy.with_payload("panda_link3", 0.5, [0.1, 0.0, 0.0])
    method = getattr(heavy, name)
    for robot in (panda, heavy):
        expected = getattr(robot, name)(*given)
        assert close(kernel(*given, robot.inertial_parameters[[6, 2]]), expected, 1e-9)
    batch = np.stack([panda.inertial_parameters[[6, 2]], heavy.inertial_parameters[[6, 2]]])
    assert close(kernel(*given, batch)[1], method(*given), 1e-9)


def test_operation_budgets() -> None:
    """What the generated code may cost: [231 n - 124 is the classical count of inverse dynamics]."""
    budgets = {"ur5": (320, 720, 210, 680), "panda": (660, 1650, 460, 1600), "puma560": (380, 820, 260, 860)}
    for name, budget in budgets.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ch.ModelWarning)
            robot = ch.load(name)
        functions = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix")
        for function, most in zip(functions, budget, strict=True):
            assert robot.kernel(function).operations.total <= most, (name, function)


def test_factors_are_the_closed_form(panda: ch.Robot, state: tuple[np.ndarray, ...]) -> None:
    q = state[0]
    assert close(panda.factors(q).mass_matrix, panda.mass_matrix(q))
    assert panda.factors(np.stack([q, q])).mass_matrix.shape == (2, 7, 7)
    assert close(panda.factors(q).jacobian(), panda.jacobian(q))
    with pytest.raises(ch.ShapeError, match=r"factors: q must have shape \(..., 7\), got \(6,\)"):
        panda.factors(np.zeros(6))


def test_variations(panda: ch.Robot, state: tuple[np.ndarray, ...]) -> None:
    q, qd = state[:2]
    T = np.eye(4)
    T[:3, 3] = [0.1, 0.0, 0.2]
    tooled = panda.with_tool(T)
    assert close(tooled.forward_kinematics(q), panda.forward_kinematics(q, "panda_link7") @ T)
    assert panda.with_tool(T, "panda_link3").mechanism.frame(None).body == 2
    loaded = panda.with_payload("panda_link7", 1.0, [0.0, 0.0, 0.3])
    assert close(loaded.total_mass, panda.total_mass + 1.0)
    point = panda.forward_kinematics(q, "panda_link7") @ [0.0, 0.0, 0.3, 1.0]
    gain = loaded.potential_energy(q) - panda.potential_energy(q)
    assert close(gain, 9.81 * point[2])
    locked = panda.with_locked({"panda_joint2": 0.3, "panda_joint6": 1.0})
    keep = [0, 2, 3, 4, 6]
    at, rate = q.copy(), qd.copy()
    at[[1, 5]], rate[[1, 5]] = [0.3, 1.0], 0.0
    assert close(locked.mass_matrix(q[keep]), panda.mass_matrix(at)[np.ix_(keep, keep)])
    assert close(locked.bias_forces(q[keep], qd[keep]), panda.bias_forces(at, rate)[keep])
    for frame in (None, "panda_link2", "panda_link6"):
        assert close(locked.forward_kinematics(q[keep], frame), panda.forward_kinematics(at, frame))


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_quaternions_of_any_length(panda: ch.Robot) -> None:
    free = panda.with_base("free")
    q = free.random(0)
    for length in (1e-170, 1e200):
        assert close(free.normalize([*q[:3], *(q[3:7] * length), *q[7:]]), q, 1e-15)
    zero = [*q[:3], 0.0, 0.0, 0.0, 0.0, *q[7:]]
    with pytest.warns(RuntimeWarning, match="invalid value encountered in normalize"):
        rows = free.normalize([q, zero])
    assert np.isnan(rows[1, 3:7]).all() and close(rows[0], q, 1e-15)
    with pytest.raises(ch.ModelError, match="joint 'root_joint': its quaternion is zero"):
        free.with_locked({"root_joint": [0.0] * 7})  # type: ignore[dict-item]
    locked = free.with_locked({"root_joint": [0.0] * 6 + [1e-170]})  # type: ignore[dict-item]
    assert close(locked.mass_matrix(q[7:]), panda.mass_matrix(q[7:]))


def test_locking_outside_of_the_limits_is_doubted(panda: ch.Robot) -> None:
    with pytest.warns(ch.ModelWarning, match="joint 'panda_joint1' is locked at 9, outside of its limits, -2.8973 to"):
        locked = panda.with_locked({"panda_joint1": 9.0})
    assert len(locked.doubts) == 1 and locked.n == 6
    assert panda.with_locked({"panda_joint1": 2.8973}).doubts == ()


def test_as_an_object(panda: ch.Robot) -> None:
    again = pickle.loads(pickle.dumps(panda))
    assert again == panda and hash(again) == hash(panda) and again is not panda
    assert panda != panda.with_gravity([0, 0, -1.62])
    assert panda != "panda"
    assert repr(panda) == "<Robot 'panda': 7 joints (R R R R R R R), 16.82 kg, tool on panda_link7>"
    assert not panda.screws.flags.writeable and not panda.limits["lower"].flags.writeable
    with pytest.raises(AttributeError):
        panda.n = 3  # type: ignore[misc]
    kernel = pickle.loads(pickle.dumps(panda.kernel("mass_matrix")))
    assert np.array_equal(kernel(np.ones(7)), panda.mass_matrix(np.ones(7)))


def test_unpickled_robots_are_as_immutable(panda: ch.Robot) -> None:
    m = pickle.loads(pickle.dumps(panda)).mechanism
    assert m.frames["tool"] is m.tool and m.key == panda.mechanism.key
    arrays = [m.screws, m.homes, m.gravity, m.armature, *m.limits.values(), m.tool.pose]
    for x in (*arrays, *(link.com for link in m.links), *(link.inertia for link in m.links)):
        assert not x.flags.writeable
    for table in (m.limits, m.frames, panda.mechanism.limits, panda.mechanism.frames, panda.limits):
        with pytest.raises(TypeError, match="item assignment"):
            table["a"] = 1  # type: ignore[index]


def test_random_keeps_limits_on_one_side() -> None:
    link, eye = ch.Link(1.0, inertia=(1.0, 1.0, 1.0)), np.eye(4)
    limits = {"lower": [0.5, -np.inf], "upper": [np.inf, -0.5]}
    robot = ch.Robot.from_screws(
        [ch.screw([0, 0, 1]), ch.prismatic([0, 0, 1])], [eye, eye], [link, link], limits=limits
    )
    q, own = np.array([robot.random(seed) for seed in range(20)]), robot.limits
    assert ((q >= own["lower"]) & (q <= own["upper"])).all()


def test_massless_robots_have_no_centre() -> None:
    with pytest.warns(ch.ModelWarning):
        light = ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [ch.Link()], name="feather")
    empty = ch.Robot.from_screws([], [], [], name="nothing")
    for robot in (light, empty):
        q = np.zeros(robot.n)
        for call in (robot.centre_of_mass, robot.centre_of_mass_jacobian, robot.centroidal_momentum_matrix):
            with pytest.raises(ch.ModelError, match=f"has a mass in robot '{robot.name}'"):
                call(q)
        with pytest.raises(ch.ModelError, match="has a mass"):
            robot.centroidal_momentum_matrix_derivative(q, q)


def test_singular_whatever_the_parameters_are() -> None:
    with pytest.warns(ch.ModelWarning):
        robot = ch.Robot.from_screws(
            [ch.screw([0, 0, 1]), ch.screw([0, 1, 0])], [np.eye(4)] * 2, [ch.Link(1.0, [1, 0, 0]), ch.Link()]
        )
    with pytest.raises(ch.SingularMassMatrixError, match="'joint2'"):
        robot.kernel("forward_dynamics", parameters=["link1"])
    assert robot.kernel("forward_dynamics", parameters=["link2"])


@pytest.mark.filterwarnings("ignore:.*its mass is zero")
def test_the_tool_is_named_by_none_else() -> None:
    """A link may be called "tool": then that is its frame, and the tool stays the default one."""
    parts = ([ch.screw([0, 0, 1])] * 2, [np.eye(4)] * 2, [ch.Link(1.0, [1, 0, 0], [1, 1, 1])] * 2)
    with pytest.raises(ch.ModelError, match="name of the tool frame"):
        ch.Robot.from_screws(*parts, frames={"tool": (0, np.eye(4))})
    hand = np.eye(4)
    hand[0, 3] = 2.0
    robot = ch.Robot.from_screws(*parts, link_names=["tool", "b"], tool=hand, frames={"a": ("b", hand)})
    for same in (robot, robot.with_gravity([0, 0, 0]), robot.with_locked({"joint1": 0.0}), robot.with_base("free")):
        assert {"tool", "a", "b"} <= set(same.frame_names)
        assert np.array_equal(same.forward_kinematics(same.neutral(), "tool"), np.eye(4))
        assert np.array_equal(same.forward_kinematics(same.neutral()), hand)


def test_point_masses_merge_into_a_body() -> None:
    """Three on one link by fixed joints, and one as its payload: no eigenvalue is refused or doubted."""
    T = np.eye(4)
    T[:3, 3] = [0.1, 0.7, 0.3]
    screws, kinds = [ch.screw([0, 0, 1]), np.zeros(6), np.zeros(6)], ["screw", "fixed", "fixed"]
    robot = ch.Robot.from_screws(screws, [np.eye(4), T, T @ T], [ch.Link(1.0, [0.5, 0.3, 0.1])] * 3, kinds=kinds)
    loaded = robot.with_payload("link1", 2.0, [0.3, 0.2, 0.7])
    points, masses = np.array([[0.5, 0.3], [0.6, 1.0], [0.7, 1.7], [0.3, 0.2]]), np.array([1.0, 1.0, 1.0, 2.0])
    assert close(loaded.mass_matrix([0.4]), [[masses @ (points**2).sum(1)]])
    assert not loaded.doubts and loaded.total_mass == 5.0


def test_a_tiny_robot_is_a_robot_made_small() -> None:
    """Lengths of 1e-10 m, all of them kept: M goes with their square."""
    points = np.array([[0, 0, 0], [0.3, 0, 0.005], [0.7, 0.1, 0.4]])
    large, small = (
        ch.Robot.from_screws(
            [ch.screw(s, p * size) for s, p in zip([[0, 0, 1], [0, 1, 0], [1, 0, 0]], points, strict=True)],
            [np.eye(4)] * 3,
            [ch.Link(1.0, (p + np.array([0.1, 0.2, 0.3])) * size, [0.01 * size**2] * 3) for p in points],
        )
        for size in (1.0, 1e-10)
    )
    q = [0.3, -0.7, 1.1]
    assert close(small.mass_matrix(q) * 1e20, large.mass_matrix(q), 1e-12)


def test_far_axes_are_not_helical() -> None:
    """A pitch of rounding, of a screw whose linear part is large."""
    S = ch.screw([0.3, 0.5, 0.7], [1e6, -2e6, 3e6])
    robot = ch.Robot.from_screws([S], [np.eye(4)], [ch.Link(1.0, [1e6, -2e6, 3e6], [1, 1, 1])])
    assert "(R)" in repr(robot) and 'type = "revolute"' in robot.to_toml()
    assert "(H)" in repr(ch.Robot.from_screws([ch.screw([0, 0, 1], pitch=1e-9)], [np.eye(4)], robot.links))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parents": [-1.0, 0.0]}, r"parents\[0\] must be the index of a link"),
        ({"parents": [None, 0]}, r"parents\[0\] must be the index"),
        ({"parents": ["base", "link1"]}, r"parents\[0\] must be the index"),
        ({"parents": -1}, "parents must be a list of 2 indices"),
        ({"links": ch.Link(1.0)}, "links must be a list of chasles.Link, got Link"),
        ({"links": 3}, "links must be a list"),
        ({"frames": {"a": np.eye(4)}}, r"frame 'a' must be given as \(link, absolute pose\)"),
        ({"frames": [np.eye(4)]}, "frames must be a mapping"),
        ({"limits": ([0, 0], [1, 1])}, "limits must be a mapping"),
        ({"limits": {"velocity": [1, -1]}}, "joint 'joint2': its velocity limit is negative"),
        ({"limits": {"effort": [-1, 1]}}, "joint 'joint1': its effort limit is negative"),
        ({"homes": [np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0])]}, "it is a reflection"),
        ({"gravity": [0, 0, 10**400]}, "gravity must be real numbers"),
    ],
)
def test_what_a_robot_is_not_made_of(changes: dict, message: str) -> None:
    parts = {"screws": [ch.screw([0, 0, 1])] * 2, "homes": [np.eye(4)] * 2, "links": [ch.Link(1.0)] * 2}
    with pytest.raises(ch.ModelError, match=message):
        ch.Robot.from_screws(**parts | changes)


def test_other_mistakes_in_making_a_robot(panda: ch.Robot) -> None:
    links = (ch.Link(1.0, [1, 0, 0], [1, 1, 1]) for _ in range(2))
    assert ch.Robot.from_screws([ch.screw([0, 0, 1])] * 2, [np.eye(4)] * 2, links).n == 2  # type: ignore[arg-type]
    for wrong in (["panda_joint1"], {"panda_joint1": "a"}, {"panda_joint1": [0.0, 1.0]}):
        with pytest.raises(ch.ModelError, match=r"positions must be a mapping|lock"):
            panda.with_locked(wrong)  # type: ignore[arg-type]
    with pytest.raises(ch.ModelError, match=r"use chasles.load\('panda'\)"):
        ch.Robot("panda")  # type: ignore[arg-type]
    with pytest.raises(ch.ModelError, match="2 rows of DH parameters and 1 links"):
        ch.Robot.from_dh([(1, 0, 0, 0)] * 2, [ch.Link(1.0)])
    with pytest.raises(ch.ModelError, match="payload on link 'panda_link7': its mass must be finite"):
        panda.with_payload("panda_link7", np.nan)


def test_round_trip_through_toml(tmp_path, panda: ch.Robot) -> None:
    path = tmp_path / "copy.toml"
    panda.to_toml(path)
    assert ch.load(path) == panda
    arm = ch.Robot(random_mechanism(8))
    arm.to_toml(path)
    assert ch.load(str(path)) == arm


def test_body_screws_and_dh_give_the_same_robot(panda: ch.Robot, state: tuple[np.ndarray, ...]) -> None:
    tool = panda.forward_kinematics(np.zeros(7))
    body = [np.linalg.inv(adjoint(tool)) @ S for S in panda.screws]
    again = ch.Robot.from_body_screws(body, tool, panda.homes, panda.links)
    assert close(again.forward_kinematics(state[0]), panda.forward_kinematics(state[0]))
    rows = [(1.0, 0.0, 0.0, 0.0), (0.5, 0.0, 0.0, 0.0)]
    links = [ch.Link(1.0, [-0.5, 0, 0], [0, 0, 0.1]), ch.Link(1.0, [-0.25, 0, 0], [0, 0, 0.1])]
    with pytest.warns(ch.ModelWarning, match="triangle"):
        planar = ch.Robot.from_dh(rows, links)
    assert close(planar.forward_kinematics([np.pi / 2, 0.0])[:2, 3], [0.0, 1.5])


def test_a_robot_without_joints() -> None:
    nothing = ch.Robot.from_screws(np.zeros((0, 6)), np.zeros((0, 4, 4)), [])
    assert nothing.n == 0
    assert np.array_equal(nothing.forward_kinematics([]), np.eye(4))
    assert nothing.mass_matrix(np.zeros((5, 0))).shape == (5, 0, 0)
    assert nothing.inverse_dynamics([], [], []).shape == (0,)
    assert nothing.forward_dynamics([], [], []).shape == (0,)
    assert nothing.jacobian([]).shape == (6, 0)
    assert nothing.potential_energy([]) == 0.0


def test_a_branched_robot_has_no_tool() -> None:
    robot = branched()
    with pytest.raises(ch.FrameError, match="base, link1, link2, link3"):
        robot.forward_kinematics([0, 0, 0])
    with pytest.raises(ch.FrameError, match="branched"):
        robot.inverse_dynamics([0] * 3, [0] * 3, [0] * 3, tool_wrench=[0] * 6)
    assert robot.jacobian([0, 0, 0], frame="link3").shape == (6, 3)
    assert robot.with_tool(np.eye(4), "link2").forward_kinematics([0, 0, 0]).shape == (4, 4)


def test_massless_tip_is_refused_by_name() -> None:
    with pytest.warns(ch.ModelWarning, match="'link2': its mass is zero"):
        robot = ch.Robot.from_screws(
            [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], [1, 0, 0])],
            [np.eye(4)] * 2,
            [ch.Link(1.0, [0.5, 0, 0], [0.1, 0.1, 0.1]), ch.Link(0.0)],
            joint_names=["shoulder", "elbow"],
        )
    assert close(robot.inverse_dynamics([0, 0], [1, 1], [1, 1]), [0.35, 0.0])
    for name in ("forward_dynamics", "mass_matrix_inverse", "mass_matrix_sqrt", "forward_dynamics_by_solving"):
        with pytest.raises(ch.SingularMassMatrixError, match="joint 'elbow'"):
            robot.kernel(name)
    with pytest.raises(ch.SingularMassMatrixError, match="'elbow'"):
        robot.forward_dynamics([0, 0], [0, 0], [0, 0])


def test_an_isolated_singularity_is_a_floating_point_warning() -> None:
    """Polar coordinates of a point mass: M = diag(r^2, 1), singular at the origin alone."""
    with pytest.warns(ch.ModelWarning):
        robot = ch.Robot.from_screws(
            [ch.screw([0, 0, 1]), ch.prismatic([1, 0, 0])],
            [np.eye(4)] * 2,
            [ch.Link(0.0), ch.Link(1.0)],
            gravity=[0] * 3,
        )
    q = np.array([[0.3, 1.0], [0.3, 0.0], [0.3, 2.0]])  # the middle one is the origin of polar coordinates
    with pytest.warns(RuntimeWarning, match=r"of robot 'robot' is singular at 1 of 3 configurations: joint 'joint1'"):
        qdd = robot.forward_dynamics(q, np.zeros(2), np.ones(2))
    assert close(qdd[[0, 2]], [[1.0, 1.0], [0.25, 1.0]])
    assert not np.isfinite(qdd[1]).all()
    with pytest.warns(RuntimeWarning, match=r"of robot 'robot' is singular at this configuration: joint 'joint1'"):
        robot.forward_dynamics(q[1], np.zeros(2), np.ones(2))
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        robot.forward_dynamics(q[1], np.zeros(2), np.ones(2))
    with np.errstate(all="ignore"):
        robot.forward_dynamics(q[1], np.zeros(2), np.ones(2))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r: r.mass_matrix(np.zeros(6)), ch.ShapeError, r"mass_matrix: q must have shape \(..., 7\), got \(6,\)"),
        (lambda r: r.mass_matrix(3.0), ch.ShapeError, r"q must have shape \(..., 7\), got \(\)"),
        (lambda r: r.inverse_dynamics([0] * 7, [0] * 7, [1, 2]), ch.ShapeError, r"qdd must have shape .*, got \(2,\)"),
        (
            lambda r: r.coriolis_matrix(np.zeros((3, 7)), np.zeros((2, 7))),
            ch.ShapeError,
            r"do not broadcast: q \(3,\), qd \(2,\)",
        ),
        (lambda r: r.mass_matrix("abc"), ch.ShapeError, "q must be real numbers"),
        (lambda r: r.mass_matrix(None), ch.ShapeError, "q must be real numbers"),
        (lambda r: r.mass_matrix(np.zeros(7) + 1j), ch.ShapeError, "complex128"),
        (lambda r: r.mass_matrix([[1, 2], [3]]), ch.ShapeError, "rectangular"),
        (lambda r: r.jacobian([0] * 7, frame="panda_lnk3"), ch.FrameError, "did you mean 'panda_link3'"),
        (lambda r: r.jacobian([0] * 7, expressed="world"), ch.ModelError, "body, space, mixed"),
        (lambda r: r.inverse_dynamics([0] * 7, [0] * 7, [0] * 7, [0] * 5), ch.ShapeError, r"tool_wrench .* got \(5,\)"),
        (lambda r: r.kernel("rnea"), ch.ModelError, "inverse_dynamics"),
        (lambda r: r.kernel([]), ch.ModelError, "at least one"),
        (lambda r: r.kernel("mass_matrix", target="gpu"), ch.ModelError, "gpu"),
        (lambda r: r.kernel("mass_matrix", inputs=["tool_wrench"]), ch.ModelError, "no input 'tool_wrench'"),
        (lambda r: r.kernel("mass_matrix", parameters=["hand"]), ch.ModelError, "no moving link 'hand'"),
        (lambda r: r.kernel("mass_matrix", dtype="float16"), ValueError, "float64 or float32"),
        (lambda r: r.kernel("mass_matrix", dtype="banana"), ch.ModelError, "float64 or float32, got 'banana'"),
        (lambda r: r.kernel("mass_matrix", parameters=["panda_link3"] * 2), ch.ModelError, "'panda_link3' twice"),
        (lambda r: r.kernel("mass_matrix", inputs="tool_wrench"), ch.ModelError, "no input 'tool_wrench'"),
        (lambda r: r.kernel("mass_matrix", parameters="hand"), ch.ModelError, "no moving link 'hand'"),
        (lambda r: r.jacobian([0] * 7, frame=["tool"]), ch.FrameError, "no frame"),
        (lambda r: r.kernel("jacobian", frame=["tool"]), ch.FrameError, "no frame"),
        (lambda r: r.jacobian([0] * 7, expressed=["body"]), ch.ModelError, "expressed"),
        (lambda r: r.mass_matrix(np.zeros(7, np.longdouble)), ch.ShapeError, r"q must be float64.*astype\(float\)"),
        (lambda r: r.mass_matrix(np.ma.zeros(7)), ch.ShapeError, "masked"),
        (lambda r: r.inverse_dynamics(np.zeros((3, 7)), np.zeros(7), np.ma.zeros(7)), ch.ShapeError, "masked"),
        (lambda r: r.gravity_forces(np.ma.zeros((3, 7))), ch.ShapeError, "masked"),
        (lambda r: r.kernel("mass_matrix", "float32")(np.ma.zeros(7)), ch.ShapeError, "masked"),
        (lambda r: r.kernel("mass_matrix")(np.zeros(7), 1), TypeError, r"takes 1 arguments \(q\), got 2"),
        (lambda r: r.with_locked({"elbow": 0.0}), ch.ModelError, "no joint 'elbow'"),
        (lambda r: r.with_payload("panda_link7", -1.0), ch.ModelError, "negative"),
        (lambda r: r.with_tool(np.eye(3)), ch.ModelError, r"\(4, 4\), got \(3, 3\)"),
        (lambda r: r.with_tool("a"), ch.ModelError, r"T must be real numbers of shape \(4, 4\)"),
        (lambda r: r.with_tool(np.eye(4), 3), ch.ModelError, "link must be the name of a link or frame .* got 3"),
        (lambda r: r.with_payload("x", 3), ch.FrameError, "no frame 'x'"),
        (lambda r: r.with_payload(3, 3), ch.ModelError, "link must be the name of a link or frame .* got 3"),
        (lambda r: r.subtree(3), ch.ModelError, "link must be the name of a link or frame .* got 3"),
        (lambda r: r.subtree(None), ch.ModelError, "link must be the name of a link or frame .* got None"),
        (lambda r: r.with_base(["free"]), ch.ModelError, r"one of planar, spherical, free.* got \['free'\]"),
        (lambda r: r.with_base(3), ch.ModelError, "one of planar, spherical, free.* got 3"),
        (lambda r: r.with_locked("x"), ch.ModelError, "positions must be a mapping, joint -> position, got str"),
        (lambda r: ch.load("pand"), ch.ModelError, "Did you mean 'panda'"),
        *(
            (lambda r, count=count: ch.set_num_threads(count), ValueError, "the number of threads must be")
            for count in (0, None, np.inf, np.nan, True, 1.5, "2", 1e300)
        ),
    ],
)
def test_mistakes_are_named(panda: ch.Robot, call, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(panda)


def test_one_name_is_a_list_of_one(panda: ch.Robot) -> None:
    one = panda.kernel("inverse_dynamics", inputs="tool_wrench", parameters="panda_link3")
    assert one is panda.kernel("inverse_dynamics", inputs=["tool_wrench"], parameters=["panda_link3"])


def test_the_class_can_be_looked_at() -> None:
    assert all(getattr(ch.Robot, name) is not None for name in dir(ch.Robot))
