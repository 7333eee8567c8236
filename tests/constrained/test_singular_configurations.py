"""Singular configurations: where branches cross and the rank falls, the motion is that of the branch of qd."""

from functools import cache

import numpy as np
import pytest
from support.loops import parallelogram, planar
from support.tolerances import FLOAT64, close

import chasles as ch

g = 9.81


def particle(n, **given):
    """The last coordinate is upwards."""
    return ch.LagrangianSystem(n, lambda q, qd: qd @ qd / 2 - g * q[-1], **given)


def holonomic(h, name="h"):
    return ch.Constraint.holonomic(h, name)


@cache
def cross():
    return ch.ConstrainedSystem(particle(2), holonomic(lambda q: q[0] * q[1], "cross"))


def test_two_lines():
    """On either line gravity moves along it only; nothing changes at the crossing."""
    for x in (1e-3, 1e-9, 0.0, -1e-9):
        assert close(cross().forward_dynamics([x, 0.0], [1.0, 0.0], np.zeros(2)).qdd, np.zeros(2), scale=g)
        assert close(cross().forward_dynamics([0.0, x], [0.0, 1.0], np.zeros(2)).qdd, [0.0, -g])
    assert np.isnan(cross().forward_dynamics([0.0, 0.0], [1.0, 0.0], np.zeros(2)).multipliers).all()
    moving = cross().forward_dynamics([0.0, 0.0], [1.0, 0.0], [0.0, g])  # which needs no force
    assert close(moving.qdd, np.zeros(2), scale=g) and close(moving.multipliers, np.zeros(1), scale=g)


@pytest.mark.parametrize("x", [0.0, -0.5])
def test_energy_through_a_crossing(x):
    """Steps that meet the crossing."""
    run = ch.simulate(cross(), [x, 0.0], [1.0, 0.0], duration=1.0, dt=1e-2)
    assert np.abs(run.q[:, 0]).min() < 1e-12
    assert close(run.energy, np.full(101, 0.5)) and close(run.q[:, 0], x + run.t)


HOME, SIDES = np.array([0.0, 0.0, np.pi]), {"parallel": [1.0, -1.0, 1.0], "crossed": [1.0, -2.0, -1.0]}


def moved(cs, q, qd, qdd, h):
    """A state on the constraint, h seconds on."""
    x = cs.project(cs.integrate(q, h * qd + h * h / 2 * qdd))
    return x, cs.projections(x).P_T @ (qd + h * qdd)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("rows", [2, 3])
def test_parallelogram(rows, side):
    """The limit along the motion, from states before and after."""
    cs, qd, tau = parallelogram(rows), np.array(SIDES[side]), np.array([0.3, 0.1, 0.2])
    qdd, multipliers = cs.forward_dynamics(HOME, qd, tau)
    near = [moved(cs, HOME, qd, qdd, h) for h in (1e-3, -1e-3)]
    assert close(qdd, np.mean([cs.forward_dynamics(*x, tau).qdd for x in near], axis=0), 1e-4)
    S = np.mean([cs.second_fundamental_form(*x) for x in near], axis=0)
    assert close(cs.second_fundamental_form(HOME, qd), S, 1e-3, scale=1.0) and np.isnan(multipliers).all()


def test_parallelogram_by_other_constraints():
    """Angles that are equal all along, which have full rank."""
    cs, tau = parallelogram(3), np.array([0.3, 0.1, 0.2])
    same = holonomic(lambda q: np.stack([q[0] + q[1], q[2] - q[0] - np.pi]), "same")
    plain, qd = ch.ConstrainedSystem(cs.system, same), np.array(SIDES["parallel"])
    for speed in (1e-3, 1.0, -1e3):
        expected = plain.forward_dynamics(HOME, speed * qd, tau).qdd
        assert close(cs.forward_dynamics(HOME, speed * qd, tau).qdd, expected)
        expected = plain.second_fundamental_form(HOME, speed * qd)
        assert close(cs.second_fundamental_form(HOME, speed * qd), expected, scale=speed**2)


@pytest.mark.parametrize("angle", [1e-3, 1e-5, 1e-6, 1e-10, 0.0])
def test_rows_that_become_parallel(angle):
    """Mixed so that none vanishes: beside the crossing, as near as can be told, and there."""
    robot, W, far = parallelogram().system, np.array([[1.0, 2.0], [0.5, -3.0]]), np.array([0.9, 0.0])
    mixed = holonomic(lambda q: W @ (robot.forward_kinematics(q, "tip0")[:2, 3] - far), "mixed")
    same = holonomic(lambda q: np.stack([q[0] + q[1], q[2] - q[0] - np.pi]), "same")
    q, qd, tau = np.array([angle, -angle, np.pi + angle]), np.array(SIDES["parallel"]), np.array([0.3, 0.1, 0.2])
    found, expected = (ch.ConstrainedSystem(robot, part).forward_dynamics(q, qd, tau) for part in (mixed, same))
    assert close(found.qdd, expected.qdd, 1e-8)
    assert np.isfinite(found.multipliers).all() == (angle > 1e-8)


def test_at_rest():
    """Not unique: that nearest to the free motion; so is what a velocity does not tell apart."""
    assert close(cross().forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.3, 0.0]).qdd, [0.3, -g])
    touching = ch.ConstrainedSystem(particle(2), holonomic(lambda q: q[1] * q[1] - q[0] ** 4, "touching"))
    qdd, multipliers = touching.forward_dynamics([0.0, 0.0], [1.0, 0.0], [0.3, 0.0])
    assert close(qdd, [0.3, -g]) and close(multipliers, [0.0], scale=g)


def heavier():
    """A particle whose mass depends on where it is."""
    return ch.LagrangianSystem(4, lambda q, qd: (1.0 + q[0] ** 2 + 0.5 * q[1] * q[3]) * (qd @ qd) / 2 - g * q[3])


def curved(q):
    return (q[0] * q[0] + 2.0 * q[1] * q[1] + 0.5 * q[2] * q[2] - 3.0) / 2


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e5])
def test_products(scale):
    """h = f g: on f = 0, where g vanishes, the motion is that under f alone. Beside another constraint."""
    bowl, wall = holonomic(curved, "f"), holonomic(lambda q: q[3] - q[0] * q[1], "wall")
    product = holonomic(lambda q: scale * curved(q) * (q[2] + q[0] * q[3] - 1.0), "f g")
    alone, both = (ch.ConstrainedSystem(heavier(), part + wall) for part in (bowl, product))
    end = holonomic(lambda q: q[2] + q[0] * q[3] - 1.0, "g")
    q = ch.ConstrainedSystem(heavier(), bowl + wall + end).project(np.array([0.7, 0.8, 0.9, 0.4]))
    rng = np.random.default_rng(0)
    qd, tau = alone.projections(q).P_T @ rng.normal(size=4), rng.normal(size=4)
    assert np.abs(both.residual(q)).max() < 1e-12 and np.linalg.norm(both.rows.A(q)[0]) < 1e-9 * scale
    assert close(both.forward_dynamics(q, qd, tau).qdd, alone.forward_dynamics(q, qd, tau).qdd)
    assert close(both.second_fundamental_form(q, qd), alone.second_fundamental_form(q, qd))


def test_pfaffian_products():
    """Rows x w(q) that vanish at x = 0: the motion is that under w(q), which rolls."""
    free = heavier()

    def w(q):
        return np.stack([np.sin(q[2]), -np.cos(q[2]), 0.1 * q[0], q[1]])

    alone, scaled = (
        ch.ConstrainedSystem(free, ch.Constraint.pfaffian(rows, "rolling")) for rows in (w, lambda q: q[0] * w(q))
    )
    rng = np.random.default_rng(1)
    q = np.array([0.0, 0.3, 0.6, -0.2])
    qd, tau = alone.projections(q).P_T @ rng.normal(size=4), rng.normal(size=4)
    assert abs(qd[0]) > 0.1 and not scaled.constraint_matrix(q).any()
    assert close(scaled.forward_dynamics(q, qd, tau).qdd, alone.forward_dynamics(q, qd, tau).qdd)
    assert close(scaled.second_fundamental_form(q, qd), alone.second_fundamental_form(q, qd))


def test_velocities_that_are_no_rates():
    """A free body, of which one point keeps to two planes that cross."""
    link = ch.Link(2.0, (0.1, 0.0, 0.05), (0.1, 0.15, 0.2))
    body = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [link], kinds=("free",), name="body")
    at = np.array([0.2, -0.1, 0.3])

    def point(q):
        T = body.forward_kinematics(q)
        return T[:3, :3] @ at + T[:3, 3]

    plane = holonomic(lambda q: point(q)[0], "plane")
    planes = holonomic(lambda q: point(q)[0] * point(q)[1], "planes")
    alone, both = (ch.ConstrainedSystem(body, part) for part in (plane, planes))
    rng = np.random.default_rng(2)
    lines = ch.ConstrainedSystem(body, holonomic(lambda q: point(q)[:2], "line"))
    q = lines.project(body.random(rng))
    qd, tau = alone.projections(q).P_T @ rng.normal(size=6), rng.normal(size=6)
    assert close(both.forward_dynamics(q, qd, tau).qdd, alone.forward_dynamics(q, qd, tau).qdd)


def circle(values, **given):
    """tanh(9 z) w and exp(-5 z^2) w, w = (x, y, 0): at z = 0 the second alone holds a circle."""
    free = ch.LagrangianSystem(3, lambda q, qd: qd @ qd / 2)
    factors = {"weak": lambda q: np.tanh(9.0 * q[2]), "rod": lambda q: np.exp(-5.0 * q[2] * q[2])}
    parts = []
    for name, f in factors.items():
        if values:
            parts.append(holonomic(lambda q, f=f: f(q) * (q[0] * q[0] + q[1] * q[1] - 1.0) / 2, name))
        else:
            parts.append(ch.Constraint.pfaffian(lambda q, f=f: f(q) * np.stack([q[0], q[1], 0.0 * q[0]]), name))
    cs = ch.ConstrainedSystem(free, parts[0] + parts[1], **given)
    assert cs.row_names == ("weak", "rod") and cs.redundancy.rank == 1
    return cs


@pytest.mark.parametrize("values", [True, False])
def test_a_row_that_vanishes_beside_one_that_does_not(values):
    cs = circle(values)
    for qd in ([0.0, 2.0, 0.0], [0.0, 2.0, 0.7]):
        assert close(cs.forward_dynamics([1.0, 0.0, 0.0], qd, np.zeros(3)).qdd, [-4.0, 0.0, 0.0])
        assert close(cs.second_fundamental_form([1.0, 0.0, 0.0], qd), [-4.0, 0.0, 0.0])
    pushed = cs.forward_dynamics([1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [5.0, 1.0, 2.0])
    assert close(pushed.qdd, [-4.0, 1.0, 2.0]) and close(pushed.multipliers, [0.0, -9.0])


def test_stabilization():
    """A rate across dies out as exp(-2 a t), where a row vanishes too; what is allowed agrees with it."""
    a, qd = 5.0, np.array([0.3, 2.0, 0.0])
    cs = circle(False, stabilization=a)
    for z in (0.0, 0.4):
        q = np.array([1.0, 0.0, z])
        qdd = cs.forward_dynamics(q, qd, np.zeros(3)).qdd
        assert close(qdd, [-(0.09 + 4.0 + 2 * a * 0.3), 0.0, 0.0])
        assert close(cs.inverse_dynamics(q, qd, qdd), qdd)


def test_stabilization_of_values():
    """h'' + 2 a h' + a^2 h = 0, by forward dynamics and by what inverse dynamics allows."""
    a, q, qd = 5.0, np.array([1.1, 0.2]), np.array([0.3, 2.0])
    rod = holonomic(lambda q: (q @ q - 1.0) / 2, "rod")
    cs = ch.ConstrainedSystem(ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2), rod, stabilization=a)
    qdd = cs.forward_dynamics(q, qd, np.zeros(2)).qdd
    assert close(q @ qdd, -(qd @ qd + 2 * a * (q @ qd) + a * a * (q @ q - 1.0) / 2))
    assert close(cs.inverse_dynamics(q, qd, qdd), qdd)


def test_a_batch():
    """Crossings among others, each for itself."""
    cs = parallelogram()
    a = np.array([0.4, 0.0, -0.7, 0.0])
    q = np.stack([a, -a, np.pi + a], axis=-1)
    qd = np.array([SIDES["parallel"], SIDES["parallel"], SIDES["parallel"], SIDES["crossed"]])
    found = cs.forward_dynamics(q, qd, np.zeros(3)).qdd
    assert close(found, np.stack([cs.forward_dynamics(x, v, np.zeros(3)).qdd for x, v in zip(q, qd, strict=True)]))
    found = cs.second_fundamental_form(q, qd)
    assert close(found, np.stack([cs.second_fundamental_form(x, v) for x, v in zip(q, qd, strict=True)]), FLOAT64)


# at rest, in batches, and in other units


def kkt(cs, q, qd, tau):
    """qdd, and the smallest multipliers, by NumPy."""
    M, A = cs.mass_matrix(q), cs.constraint_matrix(q)
    K = np.block([[M, -A.T], [A, np.zeros((len(A), len(A)))]])
    found = np.linalg.pinv(K, rcond=1e-12) @ np.r_[tau - cs.bias_forces(q, qd), -cs.constraint_drift(q, qd)]
    return found[: cs.n], found[cs.n :]


def test_where_the_rank_falls():
    """A parallelogram stretched out, where two motions meet, and at rest there: rank one instead of two."""
    cs = parallelogram(rows=3)
    assert cs.redundancy.rank == 2 and cs.redundancy.dropped_names == ("pin[2]",)
    q = np.array([0.0, 0.0, np.pi])
    assert np.linalg.matrix_rank(cs.constraint_matrix(q), tol=1e-9) == 1
    rng = np.random.default_rng(0)
    for qd, tau in zip(np.zeros((2, 3)), rng.normal(size=(2, 3)), strict=True):
        qdd, multipliers = cs.forward_dynamics(q, qd, tau)
        a, b = kkt(cs, q, qd, tau)
        assert close(qdd, a, 1e-9) and close(multipliers, b, 1e-8)
        residual = cs.mass_matrix(q) @ qdd + cs.bias_forces(q, qd) - tau - cs.constraint_matrix(q).T @ multipliers
        assert close(residual, np.zeros(3), 1e-9, scale=np.abs(tau).max())
    P_w, P_T = cs.projections(q)
    assert np.linalg.matrix_rank(P_T, tol=1e-9) == 2 and close(P_T @ P_T, P_T, 1e-9)
    assert close(P_w @ cs.mass_matrix(q), cs.mass_matrix(q) @ P_T, 1e-9)
    assert np.isfinite(cs.second_fundamental_form(q, [1.0, -1.0, 1.0])).all()


def test_smallest_multipliers():
    """Of rows that are mixed and of different size, those multipliers that are smallest as they are."""
    W, far = np.array([[1.0, 20.0], [0.5, -3.0]]), np.array([0.9, 0.0])
    robot = planar([(0.0, 0.0)], [(0.3, 0.9, 0.3)], [(0.7, 1.6, 0.7)])
    mixed = ch.Constraint.holonomic(lambda q: W @ (robot.forward_kinematics(q, "tip0")[:2, 3] - far), "mixed")
    cs = ch.ConstrainedSystem(robot, mixed)
    q, qd, tau = np.array([0.0, 0.0, np.pi]), np.zeros(3), np.array([0.3, 1.0, -0.4])
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    a, b = kkt(cs, q, qd, tau)
    assert close(qdd, a, 1e-9) and close(multipliers, b, 1e-8) and np.abs(b).min() > 1e-3


def test_rank_in_a_batch():
    """One row of a batch where the rank falls does not touch the others; what is not a number stays so."""
    cs = parallelogram()
    angles = np.array([0.4, 0.0, -0.7, 1.1])
    q = np.stack([angles, -angles, np.pi + angles], axis=-1)
    qd = np.array([1.0, -1.0, 1.0])
    qdd, multipliers = cs.forward_dynamics(q, qd, np.zeros(3))
    for b in range(4):
        one = cs.forward_dynamics(q[b], qd, np.zeros(3))
        assert close(qdd[b], one.qdd) and close(multipliers[b], one.multipliers)
        assert close(cs.second_fundamental_form(q, qd)[b], cs.second_fundamental_form(q[b], qd), 1e-9)
        assert close(cs.projections(q).P_T[b], cs.projections(q[b]).P_T)
    q[2] = np.nan
    broken = cs.forward_dynamics(q, qd, np.zeros(3)).qdd
    assert np.isnan(broken[2]).all() and close(broken[[0, 1, 3]], qdd[[0, 1, 3]])
    assert np.isnan(cs.projections(q).P_T[2]).any()


def test_a_motion_through_a_fall_of_rank():
    """The parallelogram turns through its stretched position and keeps energy and constraint."""
    cs = parallelogram()
    a = -0.4
    motion = ch.simulate(cs, [a, -a, np.pi + a], [9.0, -9.0, 9.0], duration=0.1, dt=1e-3)
    crank = motion.q[:, 0]
    assert crank[0] < 0.0 < crank[-1]
    assert np.abs(cs.residual(motion.q)).max() < 1e-9
    assert close(motion.energy, np.full_like(motion.energy, motion.energy[0]), 1e-6)
    assert close(motion.q[:, 1], -crank, 1e-6)  # it stays a parallelogram
    stretched = np.array([0.0, 0.0, np.pi])
    q, qd = cs.corrected(stretched, np.array([1.0, -1.0, 1.0]))
    assert close(q, stretched) and close(qd, [1.0, -1.0, 1.0], 1e-9)
    near = np.array([0.5, -0.5, np.pi + 0.5])
    q, qd = cs.corrected(np.stack([stretched, np.full(3, np.nan), near + 1e-4]), np.ones((3, 3)))
    assert np.isnan(q[1]).all() and np.abs(cs.residual(q[[0, 2]])).max() < 1e-11  # each for itself
    assert np.abs(np.einsum("tki,ti->tk", cs.constraint_matrix(q), qd)[[0, 2]]).max() < 1e-11


def test_scale_of_rows():
    """Rows in other units give the same motion, also where the rank falls."""
    robot = planar([(0.0, 0.0)], [(0.3, 0.9, 0.3)], [(0.7, 1.6, 0.7)])
    far = np.array([0.9, 0.0])
    weights = np.array([1.0, 1e-6])
    cs = [
        ch.ConstrainedSystem(
            robot, ch.Constraint.holonomic(lambda q, w=w: w * (robot.forward_kinematics(q, "tip0")[:2, 3] - far), "pin")
        )
        for w in (np.ones(2), weights)
    ]
    for a, speed in ((0.5, 1.0), (0.0, 1.0), (0.0, 0.0)):
        q, qd, tau = np.array([a, -a, np.pi + a]), speed * np.array([1.0, -1.0, 1.0]), np.array([1.0, 0.3, -0.2])
        one, other = (system.forward_dynamics(q, qd, tau) for system in cs)
        assert close(other.qdd, one.qdd, 1e-8)
        if a or not speed:  # else there are none
            assert close(weights * other.multipliers, one.multipliers, 1e-8)
