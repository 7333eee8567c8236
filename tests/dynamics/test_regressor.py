"""Regressors: torques, energies and power are linear in the inertial parameters. [REG-1]"""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from support.random_trees import random_kinds, random_mechanism, random_state
from support.tolerances import FLOAT64, close

import chasles as ch
from chasles import arrays
from chasles.dynamics.energy import kinetic_energy, potential_energy
from chasles.dynamics.newton_euler import newton_euler
from chasles.dynamics.regressor import kinetic_regressor, potential_regressor, power_regressor, torque_regressor
from chasles.graph.interpret import interpret
from chasles.graph.node import Graph
from chasles.graph.program import Operand, Program, flatten
from chasles.lie import SE3
from chasles.model.coordinates import align
from chasles.model.mechanism import Mechanism
from chasles.model.tree import Tree
from chasles.scalar.dual import Dual

SEEDS = range(15)
MAKERS = pytest.mark.parametrize("make", [random_mechanism, random_kinds], ids=["screws", "all kinds"])
PANDA_OPERATIONS = 1572


def state(m: Mechanism, seed: int) -> list[list[float]]:
    rng = np.random.default_rng(seed + 1_000_000)
    q = [x for body in m.tree.bodies for x in body.joint.random(rng)]
    return [q, *rng.uniform(-2.0, 2.0, (2, m.n)).tolist()]


def with_parameters(tree: Tree, pi: np.ndarray) -> Tree:
    """The tree with the inertias of any numbers (10 a link), and without armatures."""
    G = [arrays.inertia(x) for x in pi.reshape(-1, 10).tolist()]
    return Tree(tuple(replace(b, G=g, armature=()) for b, g in zip(tree.bodies, G, strict=True)), tree.gravity)


def forms(m: Mechanism) -> list[tuple[Tree, list[SE3]]]:
    """The tree as given, and in cheap frames: the parameters are those of the links' own frames in both."""
    aligned = align(m.tree)
    return [(m.tree, [SE3.identity()] * m.bodies), (aligned.tree, list(aligned.frames))]


def moves(tree: Tree) -> np.ndarray:
    """(n, 10 links): whether the joint of a velocity moves the link of a parameter."""
    out = np.zeros((tree.n, len(tree.bodies)), dtype=bool)
    for p in range(len(tree.bodies)):
        for i in tree.path(p):
            out[tree.bodies[i].v : tree.bodies[i].v + tree.bodies[i].joint.nv, p] = True
    return np.repeat(out, 10, axis=1)


@MAKERS
def test_torque_is_linear_in_the_parameters(make):
    """[REG-1]: tau = Y pi of any numbers pi, in both sets of frames; zero where the joint does not move the link."""
    for seed in SEEDS:
        m = make(seed)
        x = state(m, seed)
        pi = np.random.default_rng(seed).normal(size=10 * m.bodies)
        tau = newton_euler(with_parameters(m.tree, pi), *x).tau
        for tree, frames in forms(m):
            Y = np.array(torque_regressor(tree, *x, frames))
            assert close(Y @ pi, tau, FLOAT64, np.abs(Y).max())
            assert not Y[~moves(tree)].any()


@MAKERS
def test_the_true_parameters_and_armatures_give_the_torque(make):
    for seed in SEEDS:
        m = make(seed)
        x = state(m, seed)
        pi = np.concatenate([arrays.parameters(body.G) for body in m.tree.bodies])
        rotors = [body.rotor(a) for body in m.tree.bodies for a in range(body.joint.nv)]
        for tree, frames in forms(m):
            tau = np.array(torque_regressor(tree, *x, frames)) @ pi + np.multiply(rotors, x[2])
            assert close(tau, newton_euler(m.tree, *x).tau)


@MAKERS
def test_energies_and_power(make):
    """[MM-5], [POT-1], [NE-5]: K, U, and d(K + U)/dt = qd . Y pi."""
    for seed in SEEDS:
        m = make(seed)
        q, qd, qdd = state(m, seed)
        pi = np.random.default_rng(seed).normal(size=10 * m.bodies)
        given = with_parameters(m.tree, pi)
        K, U = kinetic_energy(given, q, qd), potential_energy(given, q)
        for tree, frames in forms(m):
            y = np.array(kinetic_regressor(tree, q, qd, frames))
            assert close(y @ pi, K, FLOAT64, np.abs(y).max())
            y = np.array(potential_regressor(tree, q, frames))
            assert close(y @ pi, U, FLOAT64, np.abs(y).max())
            y = np.array(power_regressor(tree, q, qd, qdd, frames))
            Y = np.array(torque_regressor(tree, q, qd, qdd, frames))
            assert close(y, np.dot(qd, Y), FLOAT64, np.abs(Y).max())


def test_power_is_the_rate_of_energy():
    """By dual numbers: d/dt of both energy regressors is the power regressor."""
    for seed in SEEDS:
        m = random_mechanism(seed)
        q, qd, qdd = random_state(seed, m.n)
        moving = [Dual(x, dx) for x, dx in zip(q, qd, strict=True)]
        rates = [Dual(x, dx) for x, dx in zip(qd, qdd, strict=True)]
        for tree, frames in forms(m):
            K, U = kinetic_regressor(tree, moving, rates, frames), potential_regressor(tree, moving, frames)
            rate = [getattr(k + u, "derivative", 0.0) for k, u in zip(K, U, strict=True)]
            assert close(power_regressor(tree, q, qd, qdd, frames), rate)


@MAKERS
def test_a_batch_in_each_leaf(make):
    m = make(7)
    states = [state(m, seed) for seed in range(4)]
    leaves = [list(np.array(part).T) for part in zip(*states, strict=True)]
    tree, frames = forms(m)[1]
    Y = torque_regressor(tree, *leaves, frames)
    Y = np.array([[np.broadcast_to(entry, 4) for entry in row] for row in Y])
    for k, x in enumerate(states):
        assert close(Y[..., k], torque_regressor(tree, *x, frames))


def traced(m: Mechanism) -> Program:
    tree, frames = forms(m)[1]
    graph, inputs = Graph(), tuple(Operand(name, (m.n,)) for name in ("q", "qd", "qdd"))
    leaves = [[graph.input(k, i) for i in range(m.n)] for k in range(3)]
    Y = torque_regressor(tree, *leaves, frames)
    return flatten(inputs, (Operand("Y", (m.n, 10 * m.bodies)),), [arrays.flat(Y)])


def test_traced_and_its_cost():
    m = ch.load("panda").mechanism
    program, x = traced(m), state(m, 0)
    tree, frames = forms(m)[0]
    assert close(interpret(program, x)[0], arrays.flat(torque_regressor(tree, *x, frames)))
    assert program.operations.total <= PANDA_OPERATIONS


@pytest.mark.filterwarnings("ignore::chasles.errors.ModelWarning")  # the floating base has no mass
@pytest.mark.parametrize(("name", "floats"), [("panda", False), ("ur5", False), ("iiwa14", True)])
def test_pinocchio(name, floats):
    """Its parameters are ours: where our link's frame is its joint's, so are the regressors."""
    robot = ch.load(name).with_base("free") if floats else ch.load(name)
    m, twin = robot.mechanism, robot.to_pinocchio()
    theirs = np.concatenate([body.toDynamicParameters() for body in list(twin.model.inertias)[1:]])
    assert close(theirs, np.ravel(robot.inertial_parameters), 1e-12)
    for seed in range(5):
        q, qd, qdd = state(m, seed)
        data = twin.model.createData()
        Y = pin.computeJointTorqueRegressor(twin.model, data, twin.q(q), twin.v(qd), twin.v(qdd))
        for tree, frames in forms(m):
            assert close(torque_regressor(tree, q, qd, qdd, frames), twin.back_tau(Y.T).T)
