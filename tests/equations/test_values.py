"""The numbers of printed equations are those of the library, of robots with all kinds of joints and other systems."""

from functools import cache

import numpy as np
import pytest
from support import textbook
from support.every_joint import coupled, state, tree
from support.formula_values import value, with_names
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.formula.statement import Statement
from chasles.formula.tree import Matrix

TOLERANCE = 1e-9


@cache
def driven() -> ch.LagrangianSystem:
    """Gyroscopic, driven in time, and damped."""

    def lagrangian(q, qd, t):
        kinetic = (1.5 + np.cos(q[1])) * qd[0] ** 2 / 2 + qd[1] ** 2 / 2 + 0.3 * qd[0] * qd[1] * np.sin(q[0])
        return kinetic + 0.7 * (q[0] * qd[1] - q[1] * qd[0]) - np.sin(q[0] - t) * q[1]

    def forces(q, qd):
        return np.stack([np.sin(q[1]), -(qd[0] ** 3)])

    def dissipation(q, qd):
        return 0.2 * (qd @ qd)

    return ch.LagrangianSystem(2, lagrangian, forces=forces, dissipation=dissipation)


ROBOTS = {
    "mimic and damping": coupled,
    "ball": lambda: tree(["spherical", "revolute"]),
    "planar base": lambda: tree(["planar", "prismatic"]),
    "branched": lambda: tree(["helical", "gear", "revolute"], [-1, 0, 0]),
    "arm": lambda: ch.load("planar_3r"),
}
FUNCTIONS = ("mass_matrix", "coriolis_matrix", "gravity_forces", "kinetic_energy", "potential_energy")
INPUTS = {name: ("q",) for name in FUNCTIONS} | dict.fromkeys(("coriolis_matrix", "kinetic_energy"), ("q", "qd"))


def numbers(eq, **arrays):
    """The values of the leaves of equations by their names."""
    known = {"tau": "tau", "multipliers": "lambda"}
    out = {"t": arrays.get("t", 0.0)}
    for key, x in arrays.items():
        symbols = getattr(eq.leaves, key, None) or [f"{known.get(key, key)}{k + 1}" for k in range(np.size(x))]
        out |= {getattr(s, "name", s): float(y) for s, y in zip(symbols, np.ravel(x), strict=True)}
    return out


def evaluated(x, values):
    return [[value(y, values) for y in row] for row in x.rows] if isinstance(x, Matrix) else value(x, values)


def right(statement, values):
    """The right of the one equation of a statement."""
    (equation,) = statement.equations
    return np.array(evaluated(equation.right, with_names(statement.where, values)))


def balance(statement, values):
    """Right less left of every equation."""
    known = with_names(statement.where, values)
    return [value(x.right, known) - value(x.left, known) for x in statement.equations]


@pytest.mark.parametrize("name", sweep(list(ROBOTS), ["mimic and damping"]))
def test_robots(name, rng):
    robot = ROBOTS[name]()
    eq = robot.equations()
    q, qd = state(robot, rng)
    qdd = rng.normal(size=robot.n)
    arrays = {"q": q, "qd": qd}
    for function in FUNCTIONS:
        found = right(eq[function], numbers(eq, **arrays))
        expected = np.asarray(getattr(robot, function)(*(arrays[x] for x in INPUTS[function])))
        assert close(found.reshape(expected.shape), expected, TOLERANCE)
    values = numbers(eq, **arrays, qdd=qdd, tau=robot.inverse_dynamics(q, qd, qdd))
    assert close(balance(eq.motion, values), np.zeros(robot.n), TOLERANCE, scale=10.0)
    frame = robot.frame_names[-1]
    there = robot.equations(frame=frame, expressed="space")
    J, T = right(there.jacobian, values), right(there.forward_kinematics, values)
    assert close(J, robot.jacobian(q, frame=frame, expressed="space"), TOLERANCE)
    assert close(T, robot.forward_kinematics(q, frame=frame), TOLERANCE)


def test_quaternions_have_the_length_one(rng):
    """An arm on a base that moves: the pose of its hand and what gravity does, at a unit quaternion."""
    robot = tree(["free", "revolute"])
    eq, q = robot.equations(), state(robot, rng)[0]
    values = numbers(eq, q=q)
    assert close(right(eq.forward_kinematics, values), robot.forward_kinematics(q), TOLERANCE)
    assert close(right(eq.gravity_forces, values).ravel(), robot.gravity_forces(q), TOLERANCE)


def test_curvature_without_its_guards(rng):
    robot = ch.load("planar_2r")
    eq = robot.equations()
    q, (u, v) = rng.normal(size=2), rng.normal(size=(2, 2))
    values = numbers(eq, q=q, u=u, v=v)
    K = eq["sectional_curvature"]
    assert close(right(K, values), robot.sectional_curvature(q, u, v), TOLERANCE)
    R = {x.left.name[-7:]: x.right for x in eq["riemann_curvature"].equations}
    known = with_names(eq["riemann_curvature"].where, values)
    assert close(value(R["1_2_1_2"], known), robot.riemann_curvature(q)[0, 1, 0, 1], TOLERANCE)


def inertias(robot):
    """The inertial parameters of a robot by the names that equations give them."""
    marks = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
    names = (f"{mark}{i + 1}" for i in range(len(robot.links)) for mark in marks)
    return dict(zip(names, robot.inertial_parameters.ravel().tolist(), strict=True))


def test_a_regressor_gives_the_joint_forces(rng):
    robot = ch.load("planar_2r")
    eq = robot.equations()
    q, qd, qdd = rng.normal(size=(3, 2))
    _, Y, pi = eq.regressor.equations
    values = numbers(eq, q=q, qd=qd, qdd=qdd)
    known = inertias(robot)
    left = np.array(evaluated(Y.right, with_names(eq.regressor.where, values)))
    parameters = np.array([known[x.name] for x in pi.right.of.rows[0]])
    assert close(left @ parameters, robot.inverse_dynamics(q, qd, qdd), TOLERANCE)
    assert left.shape[1] < 20 and "left out" in eq.regressor.about


def test_symbolic_inertias_are_those_of_the_robot(rng):
    robot = ch.load("scara")
    eq = robot.equations(symbols="inertias")
    q, qd, qdd = rng.normal(size=(3, 4))
    known = inertias(robot)
    values = numbers(eq, q=q, qd=qd, qdd=qdd, tau=robot.inverse_dynamics(q, qd, qdd)) | known
    assert close(balance(eq.motion, values), np.zeros(4), TOLERANCE, scale=10.0)
    assert "I_xy" not in str(eq.mass_matrix)  # zeros stay zero


def test_a_driven_system(rng):
    system = driven()
    eq = system.equations()
    q, qd, qdd = rng.normal(size=(3, 2))
    t = 0.4
    arrays = {"q": q, "qd": qd, "qdd": qdd, "t": t}
    tau = system.inverse_dynamics(q, qd, qdd, t)
    values = numbers(eq, **arrays, tau=tau)
    assert close(balance(eq.motion, values), np.zeros(2), TOLERANCE, scale=1.0)
    for name in (
        "mass_matrix",
        "momenta",
        "driving_forces",
        "kinetic_energy",
        "potential_energy",
        "christoffel_symbols",
    ):
        assert name in eq
    for name in ("mass_matrix", "coriolis_matrix", "momenta", "driving_forces", "kinetic_energy", "potential_energy"):
        kernel = system.kernel(name)
        expected = np.asarray(kernel(*(arrays[x.name] for x in kernel.inputs)))
        assert close(right(eq[name], values).reshape(expected.shape), expected, TOLERANCE)
    assert "K: the part of L that is quadratic in the velocities; U: -L at rest" in str(eq.potential_energy)
    assert not textbook.cart_pole().equations().kinetic_energy.about
    known = right(eq.lagrangian, values)
    assert close(
        known, right(eq.kinetic_energy, values) - right(eq.potential_energy, values) + gyroscopic(q, qd), TOLERANCE
    )


@pytest.mark.parametrize(
    "n, given",
    [
        (1, {"dissipation": lambda q, qd: 0.1 * np.sqrt(qd[0] ** 2) ** 3}),
        (2, {"forces": lambda q, qd: -0.3 * np.sqrt(qd @ qd) * qd}),
        (5, {"forces": lambda q, qd: -0.3 * np.abs(qd) * qd}),
    ],
)
def test_forces_that_have_no_derivative_at_rest(n, given, rng):
    system = ch.LagrangianSystem(n, lambda q, qd: (1.0 + q[0] ** 2) * (qd @ qd) / 2.0 - q[0], **given)
    eq = system.equations()
    q, qd, qdd = rng.normal(size=(3, n))
    values = numbers(eq, q=q, qd=qd, qdd=qdd, tau=system.inverse_dynamics(q, qd, qdd))
    assert close(balance(eq.motion, values), np.zeros(n), TOLERANCE, scale=1.0)
    assert str(eq.motion).split("\n")[0].partition(" = ")[0].startswith("τ₁ - 0.3")
    assert n < 5 or "|q̇₁|" in str(eq.motion)


def gyroscopic(q, qd):
    return 0.7 * (q[0] * qd[1] - q[1] * qd[0])


def test_a_robot_under_constraints(rng):
    """A crank and a slider, at a state that satisfies the constraint."""
    arm = ch.load("planar_2r")
    system = ch.ConstrainedSystem(arm, ch.Constraint.loop_closure("base", "tool", "ty"))
    eq = system.equations()
    q, qd = system.consistent(np.array([0.4, -0.7]), rng.normal(size=2))
    tau = rng.normal(size=2)
    qdd, multipliers = system.forward_dynamics(q, qd, tau)
    values = numbers(eq, q=q, qd=qd, qdd=qdd, tau=tau, multipliers=multipliers)
    assert close(balance(eq.motion, values), np.zeros(2), TOLERANCE, scale=10.0)
    assert close(balance(eq.constraints, values), np.zeros(2), 1e-9, scale=1.0)
    assert close(right(eq.constraint_matrix, values), system.constraint_matrix(q), TOLERANCE)
    assert close(right(eq.mass_matrix, values), system.mass_matrix(q), TOLERANCE)
    told, *said = eq.constraint_forces.equations  # in matrices, as they are long
    known = with_names(eq.constraint_forces.where, values)
    A, M, b, drift = (np.array(evaluated(x.right, known)) for x in said)
    push = A @ np.linalg.solve(M, b[:, 0] - tau) - drift[:, 0]
    assert close(np.linalg.solve(A @ np.linalg.solve(M, A.T), push), multipliers, TOLERANCE)
    assert "(A M⁻¹ Aᵀ)⁻¹ (A M⁻¹ (b - τ)" in str(Statement("", (told,)))


@pytest.mark.parametrize("make", [textbook.planar_2r, textbook.scara, textbook.elbow])
def test_symbols_of_a_robot(make, rng):
    robot = make()
    eq = robot.equations()
    given = {name: float(x) for name, x in zip(robot.symbols, rng.uniform(0.5, 2.0, len(robot.symbols)), strict=True)}
    q, qd, qdd = rng.normal(size=(3, robot.n))
    with np.errstate(all="ignore"):
        tau = robot.kernel("inverse_dynamics")(q, qd, qdd, **given)
    values = numbers(eq, q=q, qd=qd, qdd=qdd, tau=tau) | given
    assert close(balance(eq.motion, values), np.zeros(robot.n), TOLERANCE, scale=10.0)
