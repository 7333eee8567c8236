"""chasles.formulations on robots: against the robot's own functions, and what is refused by name."""

import numpy as np
import pytest
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.formulations import adjoint_derivatives, brockett, closed_form, kool, spatial_newton_euler, three_cases

ROBOTS = ["ur5", "stanford", "scara", "iiwa14"]  # revolute, prismatic, both, redundant
ALL = [adjoint_derivatives, brockett, closed_form, kool, spatial_newton_euler, three_cases]


def branched():
    """Two arms on a body that turns, with rotors, a slider and a helical joint."""
    rng = np.random.default_rng(0)
    screws = [
        ch.screw((0, 0, 1)),
        ch.screw((0, 1, 0), (0.2, 0, 0.1)),
        ch.prismatic((1, 0, 1)),
        ch.screw((1, 0, 0), (0, 0.3, 0), 0.1),
    ]
    homes = np.tile(np.eye(4), (4, 1, 1))
    homes[:, :3, 3] = rng.normal(size=(4, 3))
    links = [ch.Link(m, rng.normal(size=3), (1.0, 1.2, 1.4)) for m in (1.0, 2.0, 0.5, 0.8)]
    return ch.Robot.from_screws(
        screws, homes, links, [-1, 0, 1, 0], armature=[0.1, 0.0, 0.3, 0.2], tool_link=2, name="branched"
    )


def state(robot, rows=(3,)):
    rng = np.random.default_rng(1)
    return rng.normal(size=(3, *rows, robot.n))


@pytest.fixture(scope="module", params=[*ROBOTS, "branched"])
def robot(request):
    return branched() if request.param == "branched" else ch.load(request.param)


def test_equations_of_motion(robot):
    q, qd, qdd = state(robot)
    tau, M, g = robot.inverse_dynamics(q, qd, qdd), robot.mass_matrix(q), robot.gravity_forces(q)
    size = float(np.abs(tau).max())
    for form in (brockett, closed_form, kool, spatial_newton_euler):
        assert close(form.inverse_dynamics(robot, q, qd, qdd), tau, FLOAT64, size)
    assert close(spatial_newton_euler.forward_dynamics(robot, q, qd, tau), robot.forward_dynamics(q, qd, tau))
    for form in (brockett, closed_form, kool):
        assert close(form.gravity_forces(robot, q), g, FLOAT64, size)
    assert close(brockett.mass_matrix(robot, q), M) and close(closed_form.mass_matrix(robot, q), M)
    assert close(brockett.coriolis_matrix(robot, q, qd), robot.coriolis_matrix(q, qd), FLOAT64, np.abs(M).max())
    own = np.einsum("...ij,...j->...i", robot.coriolis_matrix(q, qd), qd)
    passive = np.einsum("...ij,...j->...i", closed_form.coriolis_matrix(robot, q, qd), qd)
    assert close(passive, own, FLOAT64, size)
    assert close(kool.momenta(robot, q, qd), np.einsum("...ij,...j->...i", M, qd))
    assert close(kool.kinetic_energy(robot, q, qd), robot.kinetic_energy(q, qd))
    heights = robot.total_mass * 9.81
    assert close(kool.potential_energy(robot, q), robot.potential_energy(q), FLOAT64, heights)


def test_christoffel_symbols(robot):
    q, *_ = state(robot, (2,))
    expected, size = robot.christoffel_symbols(q), float(np.abs(robot.mass_matrix(q)).max())
    for form in (brockett, three_cases):
        found = form.christoffel_symbols(robot, q)
        assert found.shape == expected.shape and close(found, expected, FLOAT64, size)


def test_factors_and_jacobian(robot):
    q, *_ = state(robot)
    factors, own = closed_form.factors(robot, q), robot.factors(q)
    assert close(factors.L, own.L) and close(factors.space.mass_matrix + np.diag(own.rotors), robot.mass_matrix(q))
    assert close(closed_form.jacobian(robot, q), robot.jacobian(q))


def test_adjoint_maps_and_their_derivatives(robot):
    q, h = state(robot, ())[0], 1e-5
    j, i = robot.mechanism.tool.body, 0
    T = np.linalg.inv(robot.link_poses(q)[j]) @ robot.link_poses(q)[i]
    X = adjoint_derivatives.adjoint(robot, q, robot.link_names[j], robot.link_names[i])
    R, p = T[:3, :3], T[:3, 3]
    assert close(X[:3, :3], R) and close(X[3:, :3], np.cross(np.eye(3), p) @ R) and not X[:3, 3:].any()
    first = adjoint_derivatives.adjoint_derivative(robot, q, j, i)
    second = adjoint_derivatives.adjoint_second_derivative(robot, q, j, i)
    for k, e in enumerate(np.eye(robot.n) * h):
        slope = [adjoint_derivatives.adjoint(robot, x, j, i) for x in (q + e, q - e)]
        assert close(first[k], (slope[0] - slope[1]) / (2 * h), FINITE_DIFFERENCE)
        slope = [adjoint_derivatives.adjoint_derivative(robot, x, j, i) for x in (q + e, q - e)]
        assert close(second[k], (slope[0] - slope[1]) / (2 * h), FINITE_DIFFERENCE)


def test_the_base_is_where_adjoints_may_begin(robot):
    q = state(robot)[0]
    X = adjoint_derivatives.adjoint(robot, q, robot.mechanism.tool.body, -1)
    assert X.shape == (3, 6, 6)
    assert close(X, adjoint_derivatives.adjoint(robot, q, robot.mechanism.tool.body, robot.mechanism.base_name))


def test_the_closed_form_covers_joints_that_are_groups():
    ball = ch.Link(1.0, (0.1, 0.2, 0.3), (1.0, 1.2, 1.4))
    kinds, names = ["free", "screw"], {"name": "floating", "joint_names": ["float", "turn"]}
    robot = ch.Robot.from_screws([[0.0] * 6, ch.screw((0, 0, 1))], [np.eye(4)] * 2, [ball] * 2, kinds=kinds, **names)
    rng = np.random.default_rng(0)
    q, qd, qdd = robot.random(0), *rng.normal(size=(2, robot.n))
    assert close(closed_form.inverse_dynamics(robot, q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))
    for form in (brockett, kool):
        with pytest.raises(ch.ModelError, match=r"inverse_dynamics: joint 'float' of robot 'floating' is free"):
            form.inverse_dynamics(robot, q, qd, qdd)


def test_one_row_is_one_row_of_a_batch_and_none_is_none():
    robot = ch.load("scara")
    q, qd, qdd = state(robot, (2, 1))
    tau = brockett.inverse_dynamics(robot, q, qd[:, 0], qdd[0])
    assert tau.shape == (2, 2, 4)
    assert close(tau[1, 0], brockett.inverse_dynamics(robot, q[1, 0], qd[0, 0], qdd[0, 0]), 1e-14)
    assert kool.kinetic_energy(robot, np.zeros((0, 4)), np.zeros(4)).shape == (0,)
    assert brockett.christoffel_symbols(robot, np.zeros((0, 4))).shape == (0, 4, 4, 4)
    assert np.ndim(kool.kinetic_energy(robot, np.zeros(4), np.zeros(4))) == 0


@pytest.mark.parametrize("broken", [np.nan, np.inf])
def test_a_row_that_is_not_finite_is_nan_and_stops_no_other(broken):
    robot = ch.load("scara")
    q, qd, qdd = state(robot, (2,))
    q[1, 0] = broken
    for form in (brockett, kool):
        tau = form.inverse_dynamics(robot, q, qd, qdd)
        assert np.isnan(tau[1]).all() and close(tau[0], form.inverse_dynamics(robot, q[0], qd[0], qdd[0]))


def calls():
    """Each public function with a robot and zeros."""
    for module in ALL:
        for name in vars(module):
            function = vars(module)[name]
            takes_robot = getattr(function, "__annotations__", {}).get("robot") is not None
            if takes_robot and not name.startswith("_") and function.__module__ == module.__name__:
                states = [p for p in function.__annotations__ if p in ("q", "qd", "qdd", "tau")]
                links = [0, -1] if "start" in function.__annotations__ else []
                yield pytest.param(function, len(states), links, id=f"{module.__name__.split('.')[-1]}.{name}")


CALLS = list(calls())


def test_the_public_functions_are_many():
    assert len(CALLS) == 22


@pytest.mark.parametrize("function, states, links", CALLS)
def test_what_is_not_covered_is_refused_by_name(function, states, links):
    """Mimics, friction, symbols, wrong shapes, other things than robots and numbers."""
    name = f"{function.__module__.split('.')[-1]}.{function.__name__}"
    zeros = [np.zeros(2)] * states
    args = ([ch.screw((0, 0, 1))] * 2, [np.eye(4)] * 2)
    links_of = [ch.Link(1.0, (0.1, 0, 0), (1, 1, 1))] * 2
    plain = ch.Robot.from_screws(*args, links_of)
    function(plain, *zeros, *links)
    mimic = ch.Robot.from_screws(*args, links_of, mimics={"joint2": ("joint1", 1.0, 0.0)})
    heavy = ch.Robot.from_screws(*args, [links_of[0], ch.Link(ch.symbols("m"), (0.1, 0, 0), (1, 1, 1))])
    for robot, why in (
        (mimic, "joint 'joint2' of robot 'robot' mimics another"),
        (plain.with_friction(), "counts friction"),
        (heavy, r"has symbols: use robot.with_values\(m=...\)"),
        ("ur5", "robot must be a chasles.Robot, got str"),
        (None, "robot must be a chasles.Robot, got NoneType"),
    ):
        with pytest.raises(ch.ModelError, match=f"{name}: .*{why}"):
            function(robot, *zeros, *links)
    for wrong in (np.zeros(3), 1.0, "ab", None, [[0.0], [0.0, 1.0]], np.zeros(2) * 1j, np.array(["1", "2"])):
        with pytest.raises(ch.ShapeError, match=f"{name}: q "):
            function(plain, wrong, *zeros[1:], *links)
    if states > 1:
        with pytest.raises(ch.ShapeError, match=rf"{name}: the leading axes do not broadcast: q \(2,\), qd \(3,\)"):
            function(plain, np.zeros((2, 2)), np.zeros((3, 2)), *zeros[2:])
    if links:
        for pair in ((9, 0), ("x", 0), (True, 0), (None, 0)):
            with pytest.raises(ch.FrameError, match=f"{name}: robot 'robot' has no moving link"):
                function(plain, *zeros, *pair)
        with pytest.raises(ch.FrameError, match=f"{name}: link 0 is not beyond link 1"):
            function(plain, *zeros, 0, 1)


def test_formulations_are_public():
    assert "formulations" in ch.__all__ and ch.formulations.__all__ == sorted(x.__name__.split(".")[-1] for x in ALL)
    for module in ALL:
        assert getattr(ch.formulations, module.__name__.split(".")[-1]) is module and module.__doc__
