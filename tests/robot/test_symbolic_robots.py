"""Robots of symbols compute what those of numbers do: functions, derivatives, and what they cost."""

from dataclasses import replace

import numpy as np
import pytest
from support.random_trees import random_mechanism
from support.sweeps import sweep
from support.symbolic import FUNCTIONS, PLACES, SMALL, VALUES, Symbols, agree, planar_arm, results, symbolised
from support.tolerances import close

import chasles as ch
from chasles.graph.symbol import symbol


@pytest.mark.parametrize("place", sweep(PLACES, 1))
@pytest.mark.parametrize("seed", sweep(range(6), 1))
def test_numbers_replaced_by_symbols_give_the_same(seed, place):
    m = replace(random_mechanism(seed, n=4), has_friction=place == "losses")
    made, values = symbolised(m, (place,))
    agree(results(made, SMALL, seed, values), results(m, SMALL, seed))


@pytest.mark.parametrize("seed", sweep(range(10, 16), [11]))
def test_all_numbers_of_one_link_replaced(seed):
    m = random_mechanism(seed, n=5)
    made, values = symbolised(m, PLACES, rows=[m.bodies // 2])
    agree(results(made, SMALL, seed, values), results(m, SMALL, seed))


@pytest.mark.parametrize("name", sweep(["ur5", "scara"], ["scara"]))
def test_every_function_of_the_catalogue(name):
    m = ch.load(name).mechanism
    made, values = symbolised(m, ("links", "gravity"), rows=[m.bodies - 1])
    agree(results(made, FUNCTIONS, 3, values), results(m, FUNCTIONS, 3), 1e-10)


def test_the_planar_arm_is_the_textbooks():
    arm, rng = planar_arm(), np.random.default_rng(0)
    assert isinstance(arm, ch.Robot) and arm.symbols == ("m1", "l1", "m2", "l2", "g")
    q, qd, qdd = rng.normal(size=(3, 20, 2))
    v = {name: rng.uniform(0.3, 2.0, 20) for name in arm.symbols}
    m1, m2, l1, l2, g = (v[name] for name in ("m1", "m2", "l1", "l2", "g"))
    c1, c2, c12, s2 = np.cos(q[:, 0]), np.cos(q[:, 1]), np.cos(q.sum(1)), np.sin(q[:, 1])
    M22, M12 = m2 * l2**2 / 3, m2 * l2**2 / 3 + m2 * l1 * l2 * c2 / 2
    M11 = m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * c2)
    h = m2 * l1 * l2 * s2 / 2
    bias = np.stack([-h * (2 * qd[:, 0] + qd[:, 1]) * qd[:, 1], h * qd[:, 0] ** 2], 1)
    weight = np.stack([g * ((m1 / 2 + m2) * l1 * c1 + m2 * l2 / 2 * c12), g * m2 * l2 / 2 * c12], 1)
    M = np.stack([M11, M12, M12, M22], 1).reshape(-1, 2, 2)
    tau = (M @ qdd[..., None])[..., 0] + bias + weight
    assert close(arm.mass_matrix(q, **v), M, scale=1.0)
    assert close(arm.inverse_dynamics(q, qd, qdd, **v), tau, scale=1.0)
    assert close(arm.forward_dynamics(q, qd, tau, **v), qdd, 1e-09, scale=1.0)
    T = arm.forward_kinematics(q, **v)
    assert close(T[:, 0, 3], l1 * c1 + l2 * c12, scale=1.0)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_dh_parameters(convention):
    rng = np.random.default_rng(5)
    rows, made = rng.uniform(-1.0, 1.0, (4, 4)), Symbols()
    kinds = ["revolute", "prismatic", "revolute", "revolute"]
    links = [ch.Link(1.0 + i, rng.normal(size=3), (2.0, 3.0, 4.0)) for i in range(4)]
    plain = ch.Robot.from_dh([(*row, kind) for row, kind in zip(rows, kinds, strict=True)], links, convention)
    given = [(*made.array(row), kind) for row, kind in zip(rows, kinds, strict=True)]
    robot = ch.Robot.from_dh(given, links, convention)
    q, qd, qdd = rng.normal(size=(3, 4))
    expected = plain.inverse_dynamics(q, qd, qdd)
    assert close(robot.inverse_dynamics(q, qd, qdd, **made.values), expected, scale=1.0)
    lengths = [(symbol(f"a{i}"), row[1], symbol(f"d{i}"), row[3], kinds[i]) for i, row in enumerate(rows)]
    values = {f"a{i}": row[0] for i, row in enumerate(rows)} | {f"d{i}": row[2] for i, row in enumerate(rows)}
    robot = ch.Robot.from_dh(lengths, links, convention)
    assert close(robot.inverse_dynamics(q, qd, qdd, **values), expected, scale=1.0)


def test_body_screws_tool_payload_and_gravity():
    ur5, (a, m, x, g) = ch.load("ur5"), ch.symbols("a m x g")
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 6))
    T, S = np.eye(4), np.eye(4).astype(object)
    T[0, 3], S[0, 3] = 0.2, a
    plain = ur5.with_tool(T).with_payload("wrist_3_link", 1.5, [0.0, 0.1, 0.0]).with_gravity([0.0, 0.0, -3.7])
    robot = ur5.with_tool(S).with_payload("wrist_3_link", m, [0.0, x, 0.0]).with_gravity([0.0, 0.0, -g])
    values = {"a": 0.2, "m": 1.5, "x": 0.1, "g": 3.7}
    assert set(robot.symbols) == set(values)
    expected = plain.inverse_dynamics(q, qd, qdd)
    assert close(robot.inverse_dynamics(q, qd, qdd, **values), expected, scale=1.0)
    assert close(robot.jacobian(q, **values), plain.jacobian(q), scale=1.0)
    made = robot.with_values(**values)
    assert not made.symbols and type(made) is ch.Robot
    assert close(made.inverse_dynamics(q, qd, qdd), expected, scale=1.0)
    body = ch.Robot.from_body_screws([[0, 0, 1, a, 0, 0]], S, [np.eye(4)], [ch.Link(1.0, inertia=(1, 1, 1))])
    assert body.symbols == ("a",)
    assert close(body.jacobian([0.3], a=2.0)[:, 0], [0, 0, 1, 2, 0, 0])


def test_friction_and_armature():
    b, f, j = ch.symbols("b f j")
    arguments = ([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [ch.Link(1.0, inertia=(1, 1, 1))])
    robot = ch.Robot.from_screws(*arguments, damping=[b], friction=[f], armature=[j]).with_friction()
    tau = robot.inverse_dynamics([0.1], [2.0], [3.0], b=0.5, f=0.25, j=2.0)
    assert close(tau, [3.0 * (1.0 + 2.0) + 0.5 * 2.0 + 0.25])


def test_derivatives_by_symbols():
    arm, rng = planar_arm(), np.random.default_rng(2)
    q, qd, qdd = rng.normal(size=(3, 2))
    kernel = arm.kernel("inverse_dynamics")
    assert [x.name for x in kernel.inputs] == ["q", "qd", "qdd", *arm.symbols]
    values = [VALUES[name] for name in arm.symbols]
    for k, name in enumerate(arm.symbols):
        step = np.zeros(len(values))
        step[k] = 1e-6
        up, down = (kernel(q, qd, qdd, *(np.array(values) + s)) for s in (step, -step))
        assert close(kernel.jacobian(name)(q, qd, qdd, *values), (up - down) / 2e-6, 1e-07, scale=1.0)


def test_derivatives_by_inertias_are_the_regressor():
    ur5 = ch.load("ur5")
    robot = ur5.with_inertial_parameters(ch.symbols("p", shape=(6, 10)))
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 6))
    kernel = robot.kernel("inverse_dynamics").jacobian("p")
    found = kernel(q, qd, qdd, ur5.inertial_parameters)
    assert close(found.reshape(6, 60), ur5.regressor(q, qd, qdd), scale=1.0)


def test_derivatives_by_homes_are_the_model_derivatives():
    ur5 = ch.load("ur5")
    m, x = ur5.mechanism, symbol("x")
    i = 2
    X = np.eye(4).astype(object)
    X[1, 3] = x  # what joint i carries moves along y of link i, its own screw with it
    H = m.homes[i] @ X @ np.linalg.inv(m.homes[i])
    homes, screws = m.homes.astype(object), m.screws.astype(object)
    from chasles.model.poses import pose, twist

    for k in range(i, m.bodies):
        homes[k] = H @ m.homes[k]
        V = pose(H).Ad(twist(m.screws[k]))
        screws[k] = [*V.w, *V.v]
    robot = ch.Robot.from_screws(screws, homes, ur5.links)
    q, qd, qdd = np.random.default_rng(4).normal(size=(3, 6))
    found = robot.kernel("inverse_dynamics").jacobian("x")(q, qd, qdd, 0.0)
    expected = ur5.inverse_dynamics_model_derivatives(q, qd, qdd).homes
    assert close(found, expected[:, i, 4], scale=1.0)


@pytest.mark.parametrize(("name", "last", "all_of_them"), [("ur5", 400, 696), ("panda", 653, 789)])
def test_inertias_cost_what_parameters_cost(name, last, all_of_them):
    robot = ch.load(name)
    p = robot.inertial_parameters.astype(object)
    p[-1] = ch.symbols("p", shape=10)
    assert int(robot.with_inertial_parameters(p).kernel("inverse_dynamics").operations) <= last
    every = robot.with_inertial_parameters(ch.symbols("p", shape=p.shape))
    assert int(every.kernel("inverse_dynamics").operations) <= all_of_them
    assert int(robot.kernel("inverse_dynamics", parameters=robot.link_names[-1]).operations) == last
    assert int(robot.kernel("inverse_dynamics", parameters=list(robot.link_names)).operations) == all_of_them


def test_a_symbol_changes_nothing_where_it_is_not():
    panda = ch.load("panda")
    robot = panda.with_gravity([0.0, 0.0, -ch.symbols("g")])
    assert int(robot.kernel("mass_matrix").operations) == int(panda.kernel("mass_matrix").operations)
    assert [x.name for x in robot.kernel("mass_matrix").inputs] == ["q", "g"]
