"""Brockett's trace form [BRK-1..7, CHR-3, POT-2]: a second opinion in 4x4 matrices."""

import numpy as np
import pytest
from support.leaves import array
from support.random_trees import by_chunks, random_link, random_mechanism, random_pose, random_state
from support.tolerances import FLOAT64, close

from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.coriolis import coriolis_matrix
from chasles.dynamics.kinematics import accelerations, velocities
from chasles.dynamics.newton_euler import newton_euler
from chasles.errors import ModelError
from chasles.formulations.brockett import TraceMetric, bracket, hat, trace_form
from chasles.model.building import mechanism
from chasles.model.coordinates import align, regroup
from chasles.model.link import Link
from chasles.model.poses import pose, twist

chunks = by_chunks()


@chunks
def test_equations_of_motion(seeds):
    """[BRK-6,7], [CHR-3], [COR-1], [POT-2]: M, the Christoffel C (not only C qd), gravity and tau."""
    for seed in seeds:
        mech = random_mechanism(seed, n=seed % 8 + 1)
        q, qd, qdd = random_state(seed, mech.n)
        tree = mech.tree if seed % 2 else align(mech.tree).tree
        form = trace_form(tree)
        zero = [0.0] * mech.n
        tau = newton_euler(tree, q, qd, qdd).tau
        assert close(form.mass_matrix(q), array(mass_matrix(tree, q)))
        C = array(coriolis_matrix(tree, q, qd))
        assert close(form.coriolis_matrix(q, qd), C, FLOAT64, np.abs(form.mass_matrix(q)).max())
        assert close(form.gravity_forces(q), newton_euler(tree, q, zero, zero).tau, FLOAT64, np.abs(tau).max())
        assert close(form.inverse_dynamics(q, qd, qdd), tau)


@chunks
def test_link_motions(seeds):
    """[BRK-5]: velocity and acceleration of every link by brackets."""
    for seed in seeds:
        mech = random_mechanism(seed)
        q, qd, qdd = random_state(seed, mech.n)
        form, motions = trace_form(mech.tree), mech.tree.motions(q)
        V = velocities(mech.tree, motions, qd)
        A = accelerations(mech.tree, motions, V, qd, qdd)
        for p, H in enumerate(mech.homes):
            back = np.linalg.inv(H)
            velocity, acceleration = (back @ x @ H for x in form.motion(p, q, qd, qdd))
            assert close(velocity, hat(array(V[p])))
            assert close(acceleration, hat(array(A[p])))


@pytest.mark.parametrize("seed", range(20))
def test_one_body(seed):
    """[BRK-1..4]: the inner product in any frame, the weak and the matrix equation, against G and ad^T [SE3-9]."""
    rng = np.random.default_rng(seed)
    link, T = random_link(rng), random_pose(rng)
    G_com = Link(link.mass, np.zeros(3), link.inertia).spatial()
    for metric, G in (
        (TraceMetric.at_com(link.mass, link.inertia), G_com),
        (TraceMetric.at_com(link.mass, link.inertia).moved(T), G_com.moved(pose(T))),
    ):
        x, y, z = rng.normal(size=(3, 6))
        V, W = twist(x), twist(y)
        assert close(metric.inner(hat(x), hat(y)), (G @ V).pair(W), FLOAT64, np.abs(metric.M).max())
        assert close(bracket(hat(x), hat(y)), hat(array(V.ad(W))))
        Vd = metric.free_acceleration(hat(x))
        acceleration = twist([Vd[2, 1], Vd[0, 2], Vd[1, 0], *Vd[:3, 3]])
        force = array(G @ acceleration) - array(V.ad_star(G @ V))
        assert close(force, np.zeros(6), FLOAT64, np.abs(array(G @ V)).max() * np.abs(x).max())  # free: no force
        assert close(metric.inertial(Vd), metric.gyroscopic(hat(x)))
        # not an identity: with another acceleration the matrix equation fails
        assert np.abs(metric.inertial(Vd + hat(z)) - metric.gyroscopic(hat(x))).max() > 1e-3


def test_what_the_trace_form_cannot_hold_is_named():
    def arm(link):
        return mechanism([[0, 0, 1, 0, 0, 0]] * 2, [np.eye(4)] * 2, [Link(1.0, (0, 0, 0), (1, 1, 1)), link])

    rod = arm(Link(1.0, (1.0, 0.0, 0.0), (0.0, 1.0, 1.0), "rod"))
    with pytest.raises(ModelError, match=r"link 1 \('rod'\): its inertia about the centre of mass is not positive"):
        trace_form(rod.tree, ["base link", "rod"])
    with pytest.warns(UserWarning, match="mass is zero"):
        light = arm(Link(0.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    with pytest.raises(ModelError, match="link 1: its mass is 0"):
        trace_form(light.tree)
    mech = random_mechanism(5, n=4)
    with pytest.raises(ModelError, match="not a regrouped tree"):
        trace_form(regroup(align(mech.tree).tree))
