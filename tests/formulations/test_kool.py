"""Kool's line coordinates [KOOL-1..4]: a second opinion on momenta, energies and inverse dynamics."""

import numpy as np
from support.leaves import array, columns, gradient
from support.random_trees import by_chunks, random_mechanism, random_state
from support.tolerances import FLOAT64, close

from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.energy import kinetic_energy, potential_energy
from chasles.dynamics.jacobian import jacobian
from chasles.dynamics.kinematics import poses
from chasles.dynamics.newton_euler import newton_euler
from chasles.formulations.kool import line_form
from chasles.lie import SE3
from chasles.model.coordinates import align
from chasles.model.poses import twist

UNITS = [twist(e) for e in np.eye(6)]
chunks = by_chunks()


@chunks
def test_energy_and_momenta(seeds):
    """[KOOL-1,2,4], [JAC-4]: the lines are the columns of the space Jacobian."""
    for seed in seeds:
        mech = random_mechanism(seed)
        tree = mech.tree
        q, qd, _ = random_state(seed, mech.n)
        form = line_form(tree, q)
        tip = mech.n - 1
        J = columns(jacobian(tree, q, tip, SE3.identity(), "space"))
        assert close(form.L[tree.path(tip)], J.T[tree.path(tip)])
        X = poses(tree, tree.motions(q))
        N = [array([body.G.moved(T) @ unit for unit in UNITS]) for body, T in zip(tree.bodies, X, strict=True)]
        assert close(form.N, N)
        assert close(form.momenta(qd), array(mass_matrix(tree, q)) @ qd)
        assert close(form.kinetic_energy(qd), kinetic_energy(tree, q, qd))
        slope = gradient(lambda x, tree=tree, qd=qd: kinetic_energy(tree, x, qd), q)
        assert close(form.kinetic_energy_gradient(qd), slope, FLOAT64, form.kinetic_energy(qd))
        mass_height = sum(body.G.mass for body in tree.bodies) * np.linalg.norm(mech.gravity)
        assert close(form.potential_energy(), potential_energy(tree, q), FLOAT64, mass_height)


@chunks
def test_generalized_forces(seeds):
    """[KOOL-3] is Newton-Euler, in frames as given and in aligned ones."""
    for seed in seeds:
        mech = random_mechanism(seed)
        q, qd, qdd = random_state(seed, mech.n)
        for tree in (mech.tree, align(mech.tree).tree):
            form = line_form(tree, q)
            tau = newton_euler(tree, q, qd, qdd).tau
            zero = [0.0] * mech.n
            assert close(form.generalized_forces(qd, qdd), tau)
            assert close(form.gravity_forces(), newton_euler(tree, q, zero, zero).tau, FLOAT64, np.abs(tau).max())
