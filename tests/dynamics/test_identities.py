"""Identities of mechanics on random trees: the algorithms against each other and against dual derivatives."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm
from support.leaves import array, columns, derivative, gradient
from support.motions import Ad, hat
from support.random_trees import (
    by_chunks,
    random_link,
    random_mechanism,
    random_pose,
    random_state,
    random_twist,
    random_wrench,
)
from support.tolerances import FLOAT64, close

from chasles import load
from chasles.dynamics.articulated_body import forward_dynamics, mass_matrix_inverse, mass_matrix_sqrt
from chasles.dynamics.centroidal import (
    centre_of_mass,
    centre_of_mass_jacobian,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_derivative,
    total_mass,
)
from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.coriolis import coriolis_matrix
from chasles.dynamics.energy import kinetic_energy, potential_energy
from chasles.dynamics.jacobian import jacobian, jacobian_derivative
from chasles.dynamics.kinematics import (
    accelerations,
    express_acceleration,
    express_velocity,
    frame_motion,
    frame_pose,
    poses,
    velocities,
)
from chasles.dynamics.linear_solve import inverse, solve, upper_sqrt
from chasles.dynamics.newton_euler import newton_euler
from chasles.model.building import mechanism
from chasles.model.coordinates import align, regroup
from chasles.model.joint import ScrewJoint
from chasles.model.poses import pose
from chasles.model.tree import Body, Tree
from chasles.scalar.dual import Dual

chunks = by_chunks()
FORMS = ("body", "space", "mixed")


@chunks
def test_torque_is_inertial_coriolis_and_gravity(seeds):
    """[NE-1], [MM-1], [COR-1], [POT-1]: rnea = M qdd + C qd + dU/dq; its columns at rest are M's."""
    for seed in seeds:
        mech = random_mechanism(seed)
        tree, n = mech.tree, mech.n
        q, qd, qdd = random_state(seed, n)
        zero = [0.0] * n
        tau, bias, rest = (newton_euler(tree, q, *x).tau for x in ((qd, qdd), (qd, zero), (zero, zero)))
        M, C = array(mass_matrix(tree, q)), array(coriolis_matrix(tree, q, qd))
        size = np.abs(tau).max()
        assert close(M @ qdd + bias, tau)
        assert close(C @ qd, np.subtract(bias, rest), FLOAT64, size)
        assert close(rest, gradient(lambda x, tree=tree: potential_energy(tree, x), q), FLOAT64, size)
        unit = [newton_euler(tree, q, zero, e).tau for e in np.eye(n).tolist()]
        assert close(np.subtract(unit, rest).T, M, FLOAT64, np.abs(rest).max())
        assert close(M, M.T, 0.0) and np.linalg.eigvalsh(M)[0] > 0.0
        assert close(np.dot(qd, M @ qd) / 2, kinetic_energy(tree, q, qd))  # [MM-5]


@pytest.mark.parametrize("name", ["planar_3r", "ur5"])
def test_mass_matrix_by_transported_screws(name, rng):
    """[MM-2]: m_ij = sum of <Ad_k A_i, Ad_k A_j>_k, with space screws moved by matrix exponentials."""
    mech = load(name).mechanism
    A, n = np.asarray(mech.screws, dtype=float), mech.n
    q = rng.uniform(-2.0, 2.0, n)
    D = []
    for H, link in zip(mech.homes, mech.links, strict=True):
        at_com = np.zeros((6, 6))
        at_com[:3, :3], at_com[3:, 3:] = link.inertia, link.mass * np.eye(3)
        T = np.array(H) @ np.block([[np.eye(3), np.array(link.com)[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
        back = Ad(np.linalg.inv(T))
        D.append(back.T @ at_com @ back)
    M, moved = np.zeros((n, n)), np.zeros((0, 6))
    for k in range(n):
        X = Ad(expm(-hat(A[k]) * q[k]))
        moved = np.vstack([moved @ X.T, A[k]])  # Ad_k^{i+1} A_i of i = 0 to k
        M[: k + 1, : k + 1] += moved @ D[k] @ moved.T
    assert close(M, array(mass_matrix(mech.tree, q.tolist())))


@chunks
def test_the_coriolis_matrix_is_that_of_the_christoffel_symbols(seeds):
    """[CHR-1], [COR-1,2] with dM/dq by dual numbers; Mdot - 2C is skew."""
    for seed in seeds:
        mech = random_mechanism(seed, n=seed % 7 + 1)
        q, qd, _ = random_state(seed, mech.n)
        dM = gradient(lambda x, tree=mech.tree: mass_matrix(tree, x), q)
        Gamma = (dM + dM.transpose(0, 2, 1) - dM.transpose(2, 1, 0)) / 2  # [i, j, k], i the equation
        C = array(coriolis_matrix(mech.tree, q, qd))
        size = np.abs(mass_matrix(mech.tree, q)).max()
        assert close(C, Gamma @ qd, FLOAT64, size)
        assert close(C + C.T, dM @ qd, FLOAT64, size)


@chunks
def test_power_balance(seeds):
    """[NE-5]: tau . qd = d(K + U)/dt, also with wrenches on the links, whose power is <F, V>."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        tree = mech.tree
        q, qd, qdd = random_state(seed, mech.n)
        on_links = {i: random_wrench(rng) for i in range(0, mech.n, 2)}

        moving = [Dual(x, dx) for x, dx in zip(q, qd, strict=True)]
        rates = [Dual(x, dx) for x, dx in zip(qd, qdd, strict=True)]
        energy = kinetic_energy(tree, moving, rates) + potential_energy(tree, moving)
        tau = newton_euler(tree, q, qd, qdd, on_links).tau
        V = velocities(tree, tree.motions(q), qd)
        power = np.dot(tau, qd) + sum(F.pair(V[i]) for i, F in on_links.items())
        assert close(power, energy.derivative, FLOAT64, np.abs(tau).max() * np.abs(qd).max())


@chunks
def test_forward_of_inverse_is_the_identity(seeds):
    """[FD-1,3,4,5], both ways, with wrenches; M^-1 and W."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        tree = mech.tree
        q, qd, qdd = random_state(seed, mech.n)
        on_links = {i: random_wrench(rng) for i in range(0, mech.n, 2)}
        tau = newton_euler(tree, q, qd, qdd, on_links).tau
        M, M_inv, W = (array(f(tree, q)) for f in (mass_matrix, mass_matrix_inverse, mass_matrix_sqrt))
        assert close(forward_dynamics(tree, q, qd, tau, on_links), qdd)
        bias = newton_euler(tree, q, qd, [0.0] * mech.n, on_links).tau
        rows = mass_matrix(tree, q)
        assert close(solve(rows, np.subtract(tau, bias).tolist()), qdd)
        assert close(inverse(rows), M_inv)
        assert close(upper_sqrt(rows), W)
        assert close(M @ M_inv, np.eye(mech.n))
        assert close(M_inv, M_inv.T, 0.0)
        assert close(W @ W.T, M)
        assert not np.tril(W, -1).any()


@chunks
def test_wrenches_act_through_jacobians(seeds):
    """[NE-3], [JAC-1,2]: a wrench on link i changes tau by -J_i^T F."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        tree = mech.tree
        q, qd, qdd = random_state(seed, mech.n)
        on_links = {i: random_wrench(rng) for i in range(mech.n)}
        change = np.subtract(newton_euler(tree, q, qd, qdd, on_links).tau, newton_euler(tree, q, qd, qdd).tau)
        J = [columns(jacobian(tree, q, i, pose(np.eye(4)), "body")) for i in on_links]
        expected = -sum(J[i].T @ array(F) for i, F in on_links.items())
        assert close(change, expected, FLOAT64, np.abs(newton_euler(tree, q, qd, qdd).tau).max())


@chunks
def test_jacobians_and_frame_motion(seeds):
    """[JAC-1..4], [NE-6], [SE3-6]: J from dual derivatives of the pose, J' from those of J, A from V = J qd."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        tree = mech.tree
        q, qd, qdd = random_state(seed, mech.n)
        body, T = int(rng.integers(mech.n)), pose(random_pose(rng))
        X, V, A = frame_motion(tree, q, qd, qdd, body, T)
        assert close(array(X), array(frame_pose(tree, q, body, T)))
        dX = gradient(lambda x, tree=tree, body=body, T=T: frame_pose(tree, x, body, T), q)
        spatial = np.einsum("ijn,jk->ikn", dX, np.linalg.inv(array(X)))  # dT/dq T^-1
        J_space = np.stack([spatial[2, 1], spatial[0, 2], spatial[1, 0], *spatial[:3, 3]])
        J_mixed = np.vstack([J_space[:3], dX[:3, 3]])
        J = {form: columns(jacobian(tree, q, body, T, form)) for form in FORMS}
        assert close(J["space"], J_space) and close(J["mixed"], J_mixed)
        assert close(array([X.Ad(c) for c in jacobian(tree, q, body, T, "body")]).T, J_space)
        for form in FORMS:
            Jd = columns(jacobian_derivative(tree, q, qd, body, T, form))
            rate = derivative(lambda x, t=tree, b=body, T=T, f=form: jacobian(t, x, b, T, f), q, qd)
            assert close(Jd, rate.T, FLOAT64, np.abs(J[form]).max())
            assert close(array(express_velocity(X, V, form)), J[form] @ qd)
            assert close(array(express_acceleration(X, V, A, form)), J[form] @ qdd + Jd @ qd)
        motions = tree.motions(q)
        V_all = velocities(tree, motions, qd)
        assert close(array(T.Ad_inv(V_all[body])), array(V))
        assert close(array(T.Ad_inv(accelerations(tree, motions, V_all, qd, qdd)[body])), array(A))
        assert close(array(poses(tree, motions)[body] @ T), array(X))


@chunks
def test_moving_base(seeds):
    """[NE-4]: one more joint that carries the base gives the same torques and link velocities."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        tree = mech.tree
        q, qd, qdd = random_state(seed, mech.n)
        V, A = random_twist(rng), random_twist(rng)
        # the base moves along a screw: its acceleration is parallel to its velocity (Pinocchio tests the general case)
        carried = [replace(b, parent=b.parent + 1, q=b.q + 1, v=b.v + 1) for b in tree.bodies]
        massless = tree.bodies[0].G * 0.0
        for twist_0, rate, gain in ((V, 1.0, 0.0), (A, 0.0, 1.0), (V, 1.3, -0.7)):
            bigger = Tree((Body(-1, pose(np.eye(4)), ScrewJoint(twist_0), massless, 0, 0), *carried), tree.gravity)
            expected = newton_euler(bigger, [0.0, *q], [rate, *qd], [gain, *qdd]).tau[1:]
            given = newton_euler(tree, q, qd, qdd, base_velocity=twist_0 * rate, base_acceleration=twist_0 * gain).tau
            assert close(given, expected)
            whole = velocities(bigger, bigger.motions([0.0, *q]), [rate, *qd])[1:]
            assert close(array(velocities(tree, tree.motions(q), qd, twist_0 * rate)), array(whole))


@chunks
def test_centroidal_momentum(seeds):
    """[KOOL-1]: A qd is the momentum about the centre of mass, dA/dt its dual derivative, dc/dq too."""
    for seed in seeds:
        mech = random_mechanism(seed)
        tree = mech.tree
        q, qd, _ = random_state(seed, mech.n)
        A, Ad = centroidal_momentum_matrix(tree, q), centroidal_momentum_matrix_derivative(tree, q, qd)
        rate = derivative(lambda x, tree=tree: centroidal_momentum_matrix(tree, x), q, qd)
        size = np.abs(columns(A)).max()
        assert close(columns(Ad), rate.T, FLOAT64, size)
        slope = gradient(lambda x, tree=tree: centre_of_mass(tree, x), q)
        assert close(columns(centre_of_mass_jacobian(tree, q)), slope)
        V = velocities(tree, tree.motions(q), qd)
        c, total = centre_of_mass(tree, q), np.zeros(6)
        for body, T, V_i in zip(tree.bodies, poses(tree, tree.motions(q)), V, strict=True):
            P = T.Ad_inv_star(body.G @ V_i)
            total += [*(P.m - c.cross(P.f)), *P.f]
        assert close(columns(A) @ qd, total, FLOAT64, size)
        assert close(total_mass(tree), sum(link.mass for link in mech.links))
        U = -total_mass(tree) * c.dot(tree.gravity)
        assert close(potential_energy(tree, q), U, FLOAT64, total_mass(tree))  # [POT-1]


@chunks
def test_align_and_regroup_change_nothing(seeds):
    """Torque, M, C, gravity and motion in cheaper coordinates; energies and poses in aligned ones."""
    for seed in seeds:
        mech, rng = random_mechanism(seed), np.random.default_rng(seed)
        tree, aligned = mech.tree, align(mech.tree)
        q, qd, qdd = random_state(seed, mech.n)
        tau = newton_euler(tree, q, qd, qdd).tau
        M, C = array(mass_matrix(tree, q)), array(coriolis_matrix(tree, q, qd))
        M_inv = array(mass_matrix_inverse(tree, q))
        for other in (aligned.tree, regroup(aligned.tree)):
            assert close(newton_euler(other, q, qd, qdd).tau, tau)
            assert close(array(mass_matrix(other, q)), M)
            assert close(array(coriolis_matrix(other, q, qd)), C, FLOAT64, np.abs(M).max())
            assert close(array(mass_matrix_inverse(other, q)), M_inv)
            assert close(forward_dynamics(other, q, qd, tau), qdd)
        assert close(kinetic_energy(aligned.tree, q, qd), kinetic_energy(tree, q, qd))
        mass = total_mass(tree)
        assert close(potential_energy(aligned.tree, q), potential_energy(tree, q), FLOAT64, mass * 10.0)
        body, T = int(rng.integers(mech.n)), pose(random_pose(rng))
        X = frame_pose(aligned.tree, q, body, aligned.pose(body, T))
        assert close(array(X), array(frame_pose(tree, q, body, T)))


@chunks
def test_aligned_and_regrouped_trees_have_the_zeros_they_promise(seeds):
    """Screws along z; revolute: no mass, h_z, S_zz; helical: no S_zz; prismatic: no second moments."""
    for seed in seeds:
        for body in regroup(align(random_mechanism(seed).tree).tree).bodies:
            S, G = body.S, body.G
            assert (S.w.x, S.w.y, S.v.x, S.v.y) == (0.0,) * 4
            zeros = [*G.S] if S.w.z == 0.0 else [G.S.zz] + ([] if S.v.z else [G.mass, G.h.z])
            assert zeros == [0.0] * len(zeros)


@pytest.mark.parametrize("angle", [3.67e-6, 1e-8, 1e-9])
def test_aligning_nearly_parallel_axes(angle):
    """1.5708 for pi/2 in a file makes axes meet far away: no link frame may go there."""
    rng = np.random.default_rng(0)
    tilts, points = rng.normal(size=4) * angle, rng.normal(size=(4, 3))
    screws = [np.r_[w, np.cross(p, w)] for w, p in zip([[0, np.sin(t), np.cos(t)] for t in tilts], points, strict=True)]
    homes, links = [random_pose(rng) for _ in tilts], [random_link(rng) for _ in tilts]
    mech = mechanism(screws, homes, links)
    q, qd, qdd = random_state(0, mech.n)
    tau = newton_euler(mech.tree, q, qd, qdd).tau
    for tree in (align(mech.tree).tree, regroup(align(mech.tree).tree)):
        assert close(newton_euler(tree, q, qd, qdd).tau, tau)
        assert close(forward_dynamics(tree, q, qd, tau), qdd)


@pytest.mark.parametrize("seed", range(10))
def test_aligned_chains_cost_least(seed):
    """M = Tx(a) Rx(alpha) Tz(d), its zeros exact, on a chain of axes in general position."""
    rng = np.random.default_rng(seed)
    w, p = rng.normal(size=(2, 5, 3))
    w /= np.linalg.norm(w, axis=1)[:, None]
    homes, links = [random_pose(rng) for _ in w], [random_link(rng) for _ in w]
    mech = mechanism(np.hstack([w, np.cross(p, w)]), homes, links)
    for body in align(mech.tree).tree.bodies[1:]:
        (first, second, third), M = body.M.R.matrix, body.M.p
        assert [*first, second.x, third.x] == [1.0, 0.0, 0.0, 0.0, 0.0]
        assert close(M.y * second.y + M.z * third.y, 0.0, FLOAT64, 1.0 + abs(M.y) + abs(M.z))
        assert [*body.S.w, *body.S.v] == [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
