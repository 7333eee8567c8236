"""Pinocchio, which nobody here wrote, on the same random trees."""

import numpy as np
import pinocchio as pin
from support.leaves import array, columns
from support.random_trees import (
    by_chunks,
    pinocchio_model,
    random_mechanism,
    random_state,
    random_twist,
    random_wrench,
)
from support.tolerances import FLOAT64, close

from chasles.dynamics.articulated_body import forward_dynamics, mass_matrix_inverse
from chasles.dynamics.centroidal import (
    centre_of_mass,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_derivative,
)
from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.coriolis import coriolis_matrix
from chasles.dynamics.energy import kinetic_energy, potential_energy
from chasles.dynamics.jacobian import jacobian, jacobian_derivative
from chasles.dynamics.kinematics import classical, frame_motion
from chasles.dynamics.newton_euler import newton_euler, tool_wrench_on_body
from chasles.model.poses import pose

chunks = by_chunks()
ROWS = [3, 4, 5, 0, 1, 2]  # Pinocchio's spatial vectors are linear first
FORMS = {"body": pin.LOCAL, "space": pin.WORLD, "mixed": pin.LOCAL_WORLD_ALIGNED}


@chunks
def test_dynamics(seeds):
    """[NE-1,2], [MM-1], [COR-1], [FD-3], [MM-5], [POT-1]."""
    for seed in seeds:
        mech = random_mechanism(seed)
        tree, twin = mech.tree, pinocchio_model(mech)
        model, data = twin.model, twin.data
        q, qd, qdd = random_state(seed, mech.n)
        Q, V, A = twin.into(q), twin.into(qd), twin.into(qdd)
        tau = twin.columns(pin.rnea(model, data, Q, V, A))
        assert close(newton_euler(tree, q, qd, qdd).tau, tau)
        M = pin.crba(model, data, Q)
        M = twin.both(np.triu(M) + np.triu(M, 1).T)
        assert close(array(mass_matrix(tree, q)), M)
        C = twin.both(pin.computeCoriolisMatrix(model, data, Q, V))
        assert close(array(coriolis_matrix(tree, q, qd)), C, FLOAT64, np.abs(M).max())
        gravity = twin.columns(pin.computeGeneralizedGravity(model, data, Q))
        zero = [0.0] * mech.n
        assert close(newton_euler(tree, q, zero, zero).tau, gravity, FLOAT64, np.abs(tau).max())
        forces = np.asarray(qdd) * 10.0
        expected = np.empty(mech.n)
        expected[twin.order] = pin.aba(model, data, Q, V, (forces / twin.scale)[twin.order])
        expected /= twin.scale
        Minv = pin.computeMinverse(model, data, Q)
        Minv = np.triu(Minv) + np.triu(Minv, 1).T
        ours = array(mass_matrix_inverse(tree, q)) * np.outer(twin.scale, twin.scale)
        assert close(ours[np.ix_(twin.order, twin.order)], Minv)
        assert close(forward_dynamics(tree, q, qd, forces.tolist()), expected)
        assert close(kinetic_energy(tree, q, qd), pin.computeKineticEnergy(model, data, Q, V))
        U = pin.computePotentialEnergy(model, data, Q)
        assert close(potential_energy(tree, q), U, FLOAT64, 10.0 * sum(link.mass for link in mech.links))


@chunks
def test_wrenches_and_a_moving_base(seeds):
    """[NE-3,4]: wrenches on links and from the tool; a base on a free joint."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        twin = pinocchio_model(mech, floating=True)
        q, qd, qdd = random_state(seed, mech.n)
        V_0, A_0, F_tool = random_twist(rng), random_twist(rng), random_wrench(rng)
        acting = {i: random_wrench(rng) for i in range(mech.n)}
        body, T = mech.tool.body, mech.tool.pose
        external = [pin.Force.Zero() for _ in range(twin.model.njoints)]
        for i, F in acting.items():
            placement = twin.model.frames[twin.model.getFrameId(mech.link_names[i])].placement
            external[twin.joints[i]] = placement.act(pin.Force(array(F)[ROWS]))
        if body >= 0:
            acting[body] = acting[body] + tool_wrench_on_body(pose(T), F_tool)
            placement = twin.model.frames[twin.model.getFrameId("flange")].placement
            external[twin.joints[body]] -= placement.act(pin.Force(array(F_tool)[ROWS]))
        Q = np.r_[0, 0, 0, 0, 0, 0, 1, twin.into(q)]
        V, A = np.r_[array(V_0)[ROWS], twin.into(qd)], np.r_[array(A_0)[ROWS], twin.into(qdd)]
        tau = twin.columns(pin.rnea(twin.model, twin.data, Q, V, A, external))
        assert close(newton_euler(mech.tree, q, qd, qdd, acting, V_0, A_0).tau, tau)


@chunks
def test_frames(seeds):
    """[JAC-1..4], [NE-6]: pose, velocity, acceleration, Jacobians and their rates of every frame."""
    for seed in seeds:
        mech = random_mechanism(seed)
        tree, twin = mech.tree, pinocchio_model(mech)
        model, data = twin.model, twin.data
        q, qd, qdd = random_state(seed, mech.n)
        Q, V, A = twin.into(q), twin.into(qd), twin.into(qdd)
        pin.forwardKinematics(model, data, Q, V, A)
        pin.computeJointJacobians(model, data, Q)
        pin.computeJointJacobiansTimeVariation(model, data, Q, V)
        pin.updateFramePlacements(model, data)
        for name in [mech.link_names[-1], "flange"]:
            frame = mech.frames[name]
            if frame.body < 0:
                continue
            fid, T = model.getFrameId(name), pose(frame.pose)
            X, twist, acceleration = frame_motion(tree, q, qd, qdd, frame.body, T)
            assert close(array(X), data.oMf[fid].homogeneous)
            assert close(array(twist), pin.getFrameVelocity(model, data, fid).vector[ROWS])
            assert close(array(acceleration), pin.getFrameAcceleration(model, data, fid).vector[ROWS])
            expected = pin.getFrameClassicalAcceleration(model, data, fid).vector[ROWS]
            assert close(array(classical(twist, acceleration)), expected)
            for form, reference in FORMS.items():
                J = twin.spatial(pin.getFrameJacobian(model, data, fid, reference))
                assert close(columns(jacobian(tree, q, frame.body, T, form)), J)
                Jd = twin.spatial(pin.getFrameJacobianTimeVariation(model, data, fid, reference))
                ours = columns(jacobian_derivative(tree, q, qd, frame.body, T, form))
                assert close(ours, Jd, FLOAT64, np.abs(J).max())


@chunks
def test_centroidal(seeds):
    """Centre of mass, centroidal momentum matrix and its rate."""
    for seed in seeds:
        mech = random_mechanism(seed)
        tree, twin = mech.tree, pinocchio_model(mech)
        q, qd, _ = random_state(seed, mech.n)
        pin.dccrba(twin.model, twin.data, twin.into(q), twin.into(qd))
        A, Ad = twin.spatial(twin.data.Ag), twin.spatial(twin.data.dAg)
        assert close(columns(centroidal_momentum_matrix(tree, q)), A)
        assert close(columns(centroidal_momentum_matrix_derivative(tree, q, qd)), Ad, FLOAT64, np.abs(A).max())
        assert close(array(centre_of_mass(tree, q)), pin.centerOfMass(twin.model, twin.data, twin.into(q)))
