"""Derivatives of inverse dynamics: dual numbers, complex steps, Pinocchio and the seeds' formulas agree."""

import warnings
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from support.fields import along_columns
from support.leaves import gradient
from support.random_trees import CHUNKS, by_chunks, random_kinds, random_mechanism
from support.sweeps import sweep
from support.tolerances import FLOAT64, close

from chasles.dynamics.coriolis import coriolis_matrix
from chasles.dynamics.derivatives import derivatives_apart, inverse_dynamics_derivatives
from chasles.dynamics.newton_euler import newton_euler
from chasles.dynamics.second_derivatives import derivatives_along, derivatives_along_columns
from chasles.geometry.connection import christoffel_symbols, mass_matrix_derivatives
from chasles.lie import Vec3, Wrench
from chasles.model.joint import Free
from chasles.model.tree import Tree


def state(tree: Tree, seed: int) -> tuple[list[float], list[float], list[float]]:
    rng = np.random.default_rng(seed)
    q = [x for body in tree.bodies for x in body.joint.random(rng)]
    qd, qdd = rng.normal(size=(2, tree.n)).tolist()
    return q, qd, qdd


@by_chunks(CHUNKS[:3])
@pytest.mark.parametrize("make", [random_mechanism, random_kinds])
def test_against_dual_numbers(make, seeds: range) -> None:
    for seed in seeds:
        check_against_dual_numbers(make(seed).tree, seed)


def check_against_dual_numbers(tree: Tree, seed: int) -> None:
    q, qd, qdd = state(tree, seed)
    rng = np.random.default_rng(seed)
    wrenches = {i: Wrench(Vec3(*rng.normal(size=3)), Vec3(*rng.normal(size=3))) for i in range(len(tree.bodies))}
    d = inverse_dynamics_derivatives(tree, q, qd, qdd, wrenches)
    by_q = along_columns(tree, lambda x: newton_euler(tree, x, qd, qdd, wrenches).tau, q)
    by_qd = gradient(lambda x: newton_euler(tree, q, x, qdd, wrenches).tau, qd)
    by_qdd = gradient(lambda x: newton_euler(tree, q, qd, x, wrenches).tau, qdd)
    size = np.abs(by_q).max()
    assert close(d.q, by_q, FLOAT64)
    assert close(d.qd, by_qd, FLOAT64, size)
    assert close(d.qdd, by_qdd, FLOAT64)


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_set_apart(seed: int) -> None:
    """(5) of derivatives.py: forces and M X are all of it, and of a free base forces are zero by q."""
    tree = random_kinds(seed).aligned.tree
    bodies = (replace(body, armature=body.armature if i % 2 else ()) for i, body in enumerate(tree.bodies))
    tree = replace(tree, bodies=tuple(bodies))
    given = state(tree, seed)
    whole, apart = inverse_dynamics_derivatives(tree, *given), derivatives_apart(tree, *given)
    for by, forces, columns in (
        (whole.q, apart.forces.q, apart.q),
        (whole.qd, apart.forces.qd, apart.qd),
    ):
        X = np.zeros((tree.n, tree.n))
        for k, column in enumerate(columns):
            X[list(column), k] = list(column.values())
        assert X.any() and close(np.array(forces) + np.array(whole.qdd) @ X, by, FLOAT64, np.abs(whole.q).max())
    for body in tree.bodies:
        if body.parent < 0 and isinstance(body.joint, Free) and not body.armature:
            assert not np.array(apart.forces.q)[:, body.v : body.v + 6].any()


def test_against_complex_steps() -> None:
    """f(q + ih).imag / h has no cancellation: right to the last digits, by an arithmetic that knows no derivatives."""
    for seed in range(10):
        tree = random_mechanism(seed).tree
        q, qd, qdd = (np.array(x) for x in state(tree, seed))
        d = inverse_dynamics_derivatives(tree, list(q), list(qd), list(qdd))
        for k in range(tree.n):
            step = np.zeros(tree.n, dtype=complex)
            step[k] = 1e-30j
            rows = [np.array([x]) for x in q + step]  # arrays of one: NumPy's sine takes complex numbers
            found = newton_euler(tree, rows, list(qd), list(qdd)).tau
            column = [np.ravel(x)[0].imag / 1e-30 if np.iscomplexobj(x) else 0.0 for x in found]
            assert close(np.array(d.q)[:, k], column, FLOAT64, np.abs(np.array(d.q)).max())


@pytest.mark.parametrize("seed", sweep(range(12), [2, 9]))
def test_second_derivatives(seed: int) -> None:
    tree = random_kinds(seed).tree if seed % 2 else random_mechanism(seed, 5).tree
    q, qd, qdd = state(tree, seed)
    n = tree.n
    columns = derivatives_along_columns(tree, q, qd, qdd)

    def first(which: str):
        return along_columns(tree, lambda x: getattr(inverse_dynamics_derivatives(tree, x, qd, qdd), which), q)

    size = np.abs(first("q")).max()
    for which in ("q", "qd", "qdd"):
        found = np.stack([np.array(getattr(d, which)) for d in columns], axis=-1)
        assert close(found, first(which), FLOAT64, size), which
    # (3) of second_derivatives.py
    G = np.array(christoffel_symbols(tree, q))
    by_rates = gradient(lambda v: inverse_dynamics_derivatives(tree, q, v, qdd).qd, qd)
    assert close(G + G.swapaxes(1, 2), by_rates, FLOAT64, size)
    assert close(mass_matrix_derivatives(tree, q), first("qdd"), FLOAT64, size)
    # one direction of everything is the sum of its parts
    rng = np.random.default_rng(seed)
    dq, dqd, dqdd = rng.normal(size=(3, n))
    along = derivatives_along(tree, (q, qd, qdd), (dq.tolist(), dqd.tolist(), dqdd.tolist()))
    expected = first("q") @ dq
    expected = expected + gradient(lambda v: inverse_dynamics_derivatives(tree, q, v, qdd).q, qd) @ dqd
    expected = expected + gradient(lambda a: inverse_dynamics_derivatives(tree, q, qd, a).q, qdd) @ dqdd
    assert close(along.q, expected, FLOAT64, size)


def test_linearized_inverse_dynamics() -> None:
    """[LIN-1]: dtau/dq by derivatives of M, of the connection and of the potential; dtau/dqd by the connection."""
    for seed in range(8):
        tree = random_mechanism(seed).tree
        q, qd, qdd = state(tree, seed)
        d = inverse_dynamics_derivatives(tree, q, qd, qdd)
        G, dM = np.array(christoffel_symbols(tree, q)), np.array(mass_matrix_derivatives(tree, q))
        dG = gradient(lambda x, tree=tree: christoffel_symbols(tree, x), q)
        still = [0.0] * tree.n
        stiffness = gradient(lambda x, tree=tree, o=still: newton_euler(tree, x, o, o).tau, q)
        by_q = np.einsum("ijk,j->ik", dM, qdd) + np.einsum("ijkl,j,k->il", dG, qd, qd) + stiffness
        assert close(d.q, by_q, FLOAT64)
        size = np.abs(by_q).max()
        assert close(d.qd, 2.0 * np.einsum("ijk,k->ij", G, qd), FLOAT64, size)
        assert close(np.array(d.qd) @ qd, 2.0 * np.array(coriolis_matrix(tree, q, qd)) @ qd, FLOAT64, size)


def test_stiffness_is_the_hessian_of_the_potential() -> None:
    """[POT-3]: d2U/dq_k dq_l = -sum over links beyond l of m g . [J_k] [J_l] p, in the space frame, k before l."""
    from chasles.dynamics.jacobian import jacobian
    from chasles.dynamics.kinematics import poses
    from chasles.lie import SE3

    for seed in range(8):
        tree = random_mechanism(seed).tree
        q = state(tree, seed)[0]
        still = [0.0] * tree.n
        K = np.array(inverse_dynamics_derivatives(tree, q, still, still).q)
        g, T = np.array([*tree.gravity]), poses(tree, tree.motions(q))
        expected = np.zeros_like(K)
        for i, body in enumerate(tree.bodies):
            J = np.array([[*V.w, *V.v] for V in jacobian(tree, q, i, SE3.identity(), "space")])
            moment, mass = np.array([*(T[i].R @ body.G.h)]) + np.array([*T[i].p]) * body.G.mass, body.G.mass
            for k in range(tree.n):
                for l in range(k, tree.n):
                    inner = np.cross(J[l, :3], moment) + mass * J[l, 3:]
                    expected[k, l] -= g @ np.cross(J[k, :3], inner)
        expected = np.triu(expected) + np.triu(expected, 1).T
        assert close(K, expected, FLOAT64, 1.0)
        assert close(K, K.T, FLOAT64, 1.0)


def test_one_more_look_at_pinocchio() -> None:
    """A long random chain with every sign in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = pin.buildSampleModelManipulator()
    from chasles.io.pinocchio import from_pinocchio

    tree = from_pinocchio(model).tree
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, tree.n))
    data = model.createData()
    pin.computeRNEADerivatives(model, data, q, v, a)
    d = inverse_dynamics_derivatives(tree, list(q), list(v), list(a))
    assert close(d.q, data.dtau_dq, 1e-9)
    assert close(d.qd, data.dtau_dv, 1e-9)
