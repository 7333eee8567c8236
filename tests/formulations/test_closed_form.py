"""The stacked closed form [CF-1..9, MM-3,4] against its own relations and against the recursions."""

import numpy as np
import pytest
from support.leaves import array, columns, derivative
from support.random_trees import by_chunks, random_mechanism, random_state, random_twist, random_wrench
from support.tolerances import EXACT, FLOAT64, close

from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.jacobian import jacobian
from chasles.dynamics.newton_euler import newton_euler, tool_wrench_on_body
from chasles.errors import FrameError, ShapeError
from chasles.formulations.closed_form import tree_factors
from chasles.model.building import mechanism
from chasles.model.coordinates import align
from chasles.model.poses import pose

chunks = by_chunks()


def tool(mech):
    return mech.tool.body, mech.tool.pose


@chunks
def test_factors_and_their_relations(seeds):
    """[CF-1] L inverts 1 - Gamma, Gamma is nilpotent; [MM-3,4] both factorizations and Q."""
    for seed in seeds:
        mech = random_mechanism(seed)
        q, *_ = random_state(seed, mech.n)
        f = tree_factors(mech.tree, q)
        one = np.eye(6 * mech.n)
        assert close(f.L @ (one - f.Gamma), one, FLOAT64, np.abs(f.L).max())
        assert close(one + f.Gamma @ f.L, f.L)
        assert not np.linalg.matrix_power(f.Gamma, mech.n).any()
        back = np.linalg.inv(f.Q)
        assert close(f.Q @ f.body.screws, f.space.screws)
        assert close(np.stack([f.space.screws[6 * i : 6 * i + 6, i] for i in range(mech.n)]), mech.screws)
        assert close(f.Q @ f.body.transport @ back, f.space.transport)
        assert close(back.T @ f.body.inertias @ back, f.space.inertias)
        M = array(mass_matrix(mech.tree, q))
        assert close(f.mass_matrix, M)
        assert close(f.space.mass_matrix, M)


@chunks
def test_inverse_dynamics_is_that_of_newton_euler(seeds):
    """[CF-3..8], in link frames as given and in aligned ones, whose offsets are not zero."""
    for seed in seeds:
        mech = random_mechanism(seed)
        q, qd, qdd = random_state(seed, mech.n)
        zero = [0.0] * mech.n
        for tree in (mech.tree, align(mech.tree).tree):
            f = tree_factors(tree, q)
            rest, bias, tau = (newton_euler(tree, q, *x).tau for x in ((zero, zero), (qd, zero), (qd, qdd)))
            size = np.abs(tau).max()
            assert close(f.gravity_forces, rest, FLOAT64, size)
            assert close(f.coriolis_vector(qd), np.subtract(bias, rest), FLOAT64, size)
            assert close(f.coriolis_matrix(qd) @ qd, np.subtract(bias, rest), FLOAT64, size)
            assert close(f.mass_matrix @ qdd + f.coriolis_vector(qd) + f.gravity_forces, tau)
            assert close(f.inverse_dynamics(qd, qdd), tau)


@chunks
def test_wrenches_and_a_moving_base(seeds):
    """[CF-5..7], [NE-3,4]."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        q, qd, qdd = random_state(seed, mech.n)
        body, T = mech.tool.body, pose(mech.tool.pose)
        F, on_links = random_wrench(rng), {i: random_wrench(rng) for i in range(mech.n)}
        V, A = random_twist(rng), random_twist(rng)
        acting = dict(on_links)
        if body >= 0:
            acting[body] = acting[body] + tool_wrench_on_body(T, F)
        f = tree_factors(mech.tree, q, tool(mech))
        assert close(f.jacobian(), columns(jacobian(mech.tree, q, body, T, "body")))
        tau = f.inverse_dynamics(qd, qdd, array(F), array(list(on_links.values())), array(V), array(A))
        assert close(tau, newton_euler(mech.tree, q, qd, qdd, acting, V, A).tau)
        change = f.inverse_dynamics(qd, qdd, array(F)) - f.inverse_dynamics(qd, qdd)
        assert close(change, f.jacobian().T @ array(F), FLOAT64, np.abs(tau).max())


@chunks
def test_the_coriolis_matrix_is_passive(seeds):
    """[CF-8] Mdot - 2C is skew."""
    for seed in seeds:
        mech = random_mechanism(seed)
        q, qd, _ = random_state(seed, mech.n)
        Mdot = derivative(lambda x, tree=mech.tree: mass_matrix(tree, x), q, qd)
        f = tree_factors(mech.tree, q)
        C = f.coriolis_matrix(qd)
        assert close(C + C.T, Mdot, FLOAT64, np.abs(f.mass_matrix).max())


def test_the_matrix_read_off_the_coriolis_vector_is_not_passive():
    """[CF-9]: why CF-8 is needed."""
    mech = random_mechanism(3, n=4)
    q, qd, _ = random_state(3, mech.n)
    f = tree_factors(mech.tree, q)
    V = (f.L @ f.A @ qd).reshape(-1, 6)
    plain = f.coriolis_matrix(qd) - f.body.jacobian.T @ f.G @ _block_ad(V) @ f.body.jacobian
    assert close(plain @ qd, f.coriolis_vector(qd))
    Mdot = derivative(lambda x: mass_matrix(mech.tree, x), q, qd)
    assert np.abs(plain + plain.T - Mdot).max() > 0.1


def _block_ad(V):
    out = np.zeros((6 * len(V), 6 * len(V)))
    for i, x in enumerate(V):
        w, v = (np.cross(np.eye(3), part) for part in (x[:3], x[3:]))
        out[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = np.block([[w, np.zeros((3, 3))], [v, w]])
    return out


@pytest.mark.parametrize("seed", range(6))
def test_broadcasting(seed):
    """Leading axes of q, qd, qdd and the wrenches broadcast; each row is the answer for that row."""
    mech, rng = random_mechanism(seed), np.random.default_rng(seed)
    n = mech.n
    q, qd, qdd, F = rng.normal(size=(4, 1, n)), rng.normal(size=(3, n)), rng.normal(size=n), rng.normal(size=(4, 3, 6))
    links = rng.normal(size=(3, n, 6))
    f = tree_factors(mech.tree, q, tool(mech))
    tau = f.inverse_dynamics(qd, qdd, F, links, F[0, 0], F[0])
    assert tau.shape == (4, 3, n) and f.mass_matrix.shape == (4, 1, n, n) and f.jacobian().shape == (4, 1, 6, n)
    assert f.coriolis_matrix(qd).shape == (4, 3, n, n) and f.gravity_forces.shape == (4, 1, n)
    assert f.A.shape == (6 * n, n) and f.G.shape == (6 * n, 6 * n) and f.L.shape == (4, 1, 6 * n, 6 * n)
    for i in range(4):
        one = tree_factors(mech.tree, q[i, 0], tool(mech))
        assert close(f.mass_matrix[i, 0], one.mass_matrix, EXACT)
        assert close(f.space.mass_matrix[i, 0], one.space.mass_matrix, EXACT)
        assert close(f.gravity_forces[i, 0], one.gravity_forces, 1e-13)
        for j in range(3):
            assert close(f.coriolis_matrix(qd)[i, j], one.coriolis_matrix(qd[j]), 1e-13)
            expected = one.inverse_dynamics(qd[j], qdd, F[i, j], links[j], F[0, 0], F[0, j])
            assert close(tau[i, j], expected, 1e-13)


def test_a_robot_without_joints():
    f = tree_factors(mechanism([], [], []).tree, np.zeros((2, 0)))
    assert f.mass_matrix.shape == (2, 0, 0) and f.inverse_dynamics(np.zeros(0), np.zeros(0)).shape == (2, 0)
    assert f.jacobian(-1).shape == (2, 6, 0)


def test_factors_are_read_only():
    f = tree_factors(random_mechanism(0).tree, np.zeros(random_mechanism(0).n))
    for x in (f.A, f.G, f.Gamma, f.L, f.Q, f.space.transport):
        with pytest.raises(ValueError, match="read-only"):
            x[...] = 0.0


def test_what_is_refused_is_named():
    mech = random_mechanism(0, n=3)
    with pytest.raises(ShapeError, match=rf"q must have shape \(\.\.\., {mech.n}\), got \(7,\)"):
        tree_factors(mech.tree, np.zeros(7))
    f = tree_factors(mech.tree, np.zeros(mech.n))
    with pytest.raises(ShapeError, match="qd must have shape"):
        f.coriolis_vector(np.zeros(mech.n + 1))
    with pytest.raises(ShapeError, match="link_wrenches must have shape"):
        f.inverse_dynamics(np.zeros(mech.n), np.zeros(mech.n), link_wrenches=np.zeros(6))
    with pytest.raises(FrameError, match="no tool"):
        f.jacobian()
    with pytest.raises(FrameError, match="no body 9"):
        f.jacobian(9)
    assert not f.jacobian(-1).any()
