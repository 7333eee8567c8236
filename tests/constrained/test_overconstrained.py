"""Overconstrained systems: rows that follow from others in a way that depends on the configuration, none dropped."""

from functools import cache

import numpy as np
import pytest
from support.tolerances import FINITE_DIFFERENCE, close, small

import chasles as ch
from chasles.constrained import singular_configurations, system
from chasles.control import GaugeControl, HybridControl, HybridVelocityControl, ParallelControl

g, MASS, RAY = 9.81, 1.3, 0.4
UP = np.array([0.2, -0.3, 0.5])


def energy(p, pd, ud):
    return MASS * (pd @ pd) / 2 + RAY * (ud @ ud) / 2 - MASS * g * (UP @ p)


@cache
def bead(stabilization=0.0):
    """q = (p, u): a bead at p on the ray through the origin along u, which turns; three rows say that in rank two."""
    free = ch.LagrangianSystem(6, lambda q, qd: energy(q[:3], qd[:3], qd[3:]), name="bead")
    ray = ch.Constraint.holonomic(lambda q: np.cross(q[:3], q[3:]), "ray")
    unit = ch.Constraint.holonomic(lambda q: (q[3:] @ q[3:] - 1.0) / 2, "unit")
    return ch.ConstrainedSystem(free, ray + unit, stabilization=stabilization)


@cache
def bead_by_distance():
    """The same bead, p = s u: (s, u) and one row."""

    def L(x, xd):
        s, u, sd, ud = x[0], x[1:], xd[0], xd[1:]
        return energy(s * u, sd * u + s * ud, ud)

    unit = ch.Constraint.holonomic(lambda x: (x[1:] @ x[1:] - 1.0) / 2, "unit")
    return ch.ConstrainedSystem(ch.LagrangianSystem(4, L), unit)


def state(tilt, axis, rng):
    """A ray whose component along an axis is `tilt`, and a motion of it; in both descriptions."""
    u = np.roll([tilt, 0.6, 0.8], axis)
    x, xd = bead_by_distance().consistent(np.r_[0.7, u / np.linalg.norm(u)], rng.normal(size=4))
    q, qd = np.r_[x[0] * x[1:], x[1:]], np.r_[xd[0] * x[1:] + x[0] * xd[1:], xd[1:]]
    return x, xd, q, qd


TILTS = [0.3, 1e-4, 1e-7, 1e-8, 1e-11, 0.0]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("tilt", TILTS)
def test_bead_on_a_turning_ray(tilt, axis, rng):
    """Accelerations are those of the other description; the force is that of A^T, and no other multipliers are less."""
    x, xd, q, qd = state(tilt, axis, rng)
    s, u, sd, ud = x[0], x[1:], xd[0], xd[1:]
    xdd = bead_by_distance().forward_dynamics(x, xd, np.zeros(4)).qdd
    cs = bead()
    qdd, multipliers = cs.forward_dynamics(q, qd, np.zeros(6))
    assert close(qdd, np.r_[xdd[0] * u + 2 * sd * ud + s * xdd[1:], xdd[1:]], 1e-11)
    force = cs.mass_matrix(q) @ qdd + cs.bias_forces(q, qd)
    A = cs.constraint_matrix(q)
    assert close(A.T @ multipliers, force, 1e-11)
    assert close(multipliers, np.linalg.lstsq(A.T, force, rcond=1e-9)[0], 1e-9)
    cs.refuse_inconsistent(q, qd)


def test_what_is_kept():
    cs = bead()
    assert cs.redundancy.rank == 3 and cs.degrees_of_freedom == 3 and len(cs.row_names) == 4
    assert "1 follows from the others, in a way that depends on the configuration" in cs.redundancy.describe()
    assert cs.redundancy.dropped_names == ()
    twice = ch.Constraint.holonomic(lambda q: 2.0 * np.cross(q[:3], q[3:])[1:], "twice")
    again = ch.ConstrainedSystem(cs.system, cs.constraint + twice)
    assert again.redundancy.rank == 3 and len(again.row_names) == 4 and len(again.redundancy.dropped_names) == 2
    assert "follow from the others (to" in again.redundancy.describe()


@pytest.mark.parametrize("dt", [2e-2, 1e-2])
def test_energy_across_the_plane(dt, rng):
    """The ray crosses planes where two of three rows are dependent: errors are those of the method, dt^4."""
    cs = bead()
    _, _, q, qd = state(0.5, 0, rng)
    qd = cs.consistent(q, np.r_[np.zeros(3), -3.0, 0.5, 0.2])[1]
    run = ch.simulate(cs, q, qd, duration=0.4, dt=dt)
    assert run.q[0, 3] > 0.1 and run.q[-1, 3] < -0.1
    assert np.ptp(run.energy) < 5.0 * dt**4
    assert np.abs(run.multipliers).max() < 30.0
    assert small(cs.residual(run.q), 1e-11)


def test_meeting_the_plane(rng):
    """A state in the plane to the last bit, and beside it by less than rounding: one and the same motion."""
    _, _, q, qd = state(0.0, 0, rng)
    tau = rng.normal(size=6)
    beside = q + 1e-16 * np.array([1.0, 0, 0, 1.0, 0, 0])
    both = bead().forward_dynamics(np.stack([q, beside, np.full(6, np.nan)]), qd, tau)
    assert close(both.qdd[1], both.qdd[0], 1e-13) and close(both.multipliers[1], both.multipliers[0], 1e-13)
    assert np.isnan(both.qdd[2]).all()
    assert close(bead().forward_dynamics(q, qd, tau).qdd, both.qdd[0], 1e-14)


@pytest.mark.parametrize("tilt", [0.3, 0.0])
def test_other_forms(tilt, rng):
    """Gauge, reduced equations, projections, the second fundamental form: in the plane as beside it."""
    cs = bead()
    _, _, q, qd = state(tilt, 0, rng)
    tau = rng.normal(size=6)
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    gauge = cs.gauge()
    at = gauge.equations(q, qd)
    moved = gauge.forward_dynamics(q, at.v_r, tau)
    assert at.V_1.shape == (6, 3) and at.Lam_r.shape == (4, 3)
    assert close(moved.multipliers, multipliers)
    vd = at.V_2 @ moved.v_rd + at.V_2_rate @ at.v_r
    W_inverse_rate = -np.linalg.solve(at.W.T, at.W_rate.T @ qd)
    assert close(np.linalg.solve(at.W.T, vd) + W_inverse_rate, qdd)
    assert close(gauge.joint_velocities(q, at.v_r), qd)
    P = cs.projections(q)
    assert close(P.P_w, gauge.projections(q)[0]) and close(P.P_T @ P.P_T, P.P_T) and close(P.P_T @ qd, qd)
    chosen = {"at": q}, {"coordinates": lambda q: q[:3]}, {"velocities": lambda q: np.eye(6)[:3]}
    for reduced in (cs.reduced(**choice) for choice in chosen):
        u = reduced.of(q, qd)
        assert close(reduced.velocities(q, u), qd) and close(reduced.multipliers(q, u, tau), multipliers)
        J, J_rate = reduced.basis(q), reduced.basis_rate(q, qd)
        assert close(J @ reduced.forward_dynamics(q, u, tau) + J_rate @ u, qdd)
    force = cs.system.mass_matrix(q) @ cs.second_fundamental_form(q, qd)
    assert close(P.P_w @ force, np.zeros(6), scale=np.abs(force).max())
    assert close(cs.constraint_matrix(q) @ cs.second_fundamental_form(q, qd), -cs.constraint_drift(q, qd))
    assert close(cs.inverse_dynamics(q, qd, qdd, multipliers=multipliers), tau)
    assert close(cs.consistent_acceleration(q, qd, qdd + 0.1 * P.P_w.T @ tau), qdd + 0.1 * P.P_w.T @ tau)
    off = cs.corrected(q + 1e-4, qd)
    assert small(cs.residual(off[0]), 1e-11) and small(cs.constraint_matrix(off[0]) @ off[1], 1e-11)


def test_least_multipliers(rng):
    """The same force with less; those that are least are their own."""
    cs = bead()
    q = np.stack([state(tilt, 0, rng)[2] for tilt in (0.3, 0.0)])
    given = rng.normal(size=(2, 4))
    least = cs.least_multipliers(q, given)
    A = np.swapaxes(cs.constraint_matrix(q), -1, -2)
    assert close(np.einsum("bij,bj->bi", A, least), np.einsum("bij,bj->bi", A, given))
    assert (np.linalg.norm(least, axis=-1) < np.linalg.norm(given, axis=-1)).all()
    assert close(cs.least_multipliers(q, least), least)


def test_stabilization(rng):
    """h'' + 2 a h' + a^2 h = 0 in rows that are consistent, in the plane too."""
    a, cs = 5.0, bead(5.0)
    _, _, q, qd = state(0.0, 0, rng)
    q[:3] *= 1.1  # the bead slides along the ray: nothing is off
    off = qd + np.r_[0.0, 0.0, 0.0, q[3:]]  # the ray gets longer
    qdd = cs.forward_dynamics(q, off, np.zeros(6)).qdd
    h, rate = cs.residual(q)[3], q[3:] @ off[3:]
    assert close(q[3:] @ qdd[3:] + off[3:] @ off[3:], -2 * a * rate - a * a * h, 1e-9)


def test_derivatives(rng):
    """Traced arrays: the derivative by the forces is that of differences, where rows change places."""
    _, _, q, qd = state(0.0, 0, rng)
    tau, cs, h = rng.normal(size=6), bead(), 1e-4
    kernel = ch.compile(lambda tau: cs.forward_dynamics(q, qd, tau).multipliers, tau=6)
    steps = h * np.eye(6)
    found = [cs.forward_dynamics(q, qd, tau + s * steps).multipliers for s in (1.0, -1.0)]
    assert close(kernel.jacobian("tau")(tau), (found[0] - found[1]).T / (2 * h), FINITE_DIFFERENCE)


WANTED = np.array([1.0, 0.4, 0.9, 0.2])


@pytest.mark.parametrize("law", [HybridControl, GaugeControl, HybridVelocityControl, ParallelControl])
def test_laws(law, rng):
    """In the plane: the motion asked for, and the least multipliers with the force asked for."""
    cs = bead()
    _, _, q, _ = state(0.0, 0, rng)
    still = [q[:3], np.zeros(3), np.zeros(3)]
    named = {"coordinates": lambda q: q[:3], "K_p": 4.0}
    if law is HybridControl:
        made = law(cs, lambda t: still, K_v=4.0, force=WANTED, **named)
    elif law is GaugeControl:
        made = law(cs, lambda t: still, K_d=4.0, force=WANTED, **named)
    elif law is HybridVelocityControl:
        made = law(cs, lambda t: still[:2], K_p=4.0, force=WANTED, velocities=lambda q: np.eye(6)[:3])
    else:
        made = law(cs, lambda t: still, actuated=range(6), K_v=4.0, **named)
    tau = made(0.0, q, np.zeros(6))
    qdd, multipliers = cs.forward_dynamics(q, np.zeros(6), tau)
    expected = 4.0 * still[0] if law is HybridVelocityControl else np.zeros(3)
    assert close(qdd[:3], expected, 1e-9, scale=1.0)
    if law is not ParallelControl:
        assert close(multipliers, cs.least_multipliers(q, WANTED), 1e-9)


def test_the_force_comes_to_what_is_asked(rng):
    """With an integral, against a load that the law does not know; parts that no force has do not wind up."""
    cs, load = bead(), 0.5 * rng.normal(size=6)
    _, _, q, _ = state(0.0, 0, rng)
    still = [q[:3], np.zeros(3), np.zeros(3)]

    def measure(t, q, qd, tau):
        return cs.forward_dynamics(q, qd, tau + load).multipliers

    law = HybridControl(
        cs, lambda t: still, K_p=100.0, K_v=20.0, coordinates=lambda q: q[:3], force=WANTED, K_I=20.0, measure=measure
    )
    run = ch.simulate(cs, q, np.zeros(6), lambda t, q, qd: law(t, q, qd) + load, duration=0.6, dt=2e-2)
    reached = cs.forward_dynamics(run.q[-1], run.qd[-1], run.tau[-1]).multipliers
    assert close(reached, cs.least_multipliers(run.q[-1], WANTED), 1e-4)
    assert np.abs(law.integral.at(0.6)).max() < 0.3


# Bricard's linkage: six equations of rank five


@cache
def bricard():
    """Six hinges, each at right angles to the next, links of one length."""
    T, screws, homes, links = np.eye(4), [], [], []
    for k in range(6):
        screws.append(ch.screw(T[:3, 2], T[:3, 3]))
        homes.append(T)
        links.append(ch.Link(1.0, (0.2, 0.01, 0.02), (0.01, 0.03, 0.03)))
        turned = np.eye(4)
        turned[1:3, 1:3] = np.array([[0.0, -1.0], [1.0, 0.0]]) * (-1.0) ** k
        turned[0, 3] = 0.4
        T = T @ turned
    robot = ch.Robot.from_screws(screws, homes, links, tool=T, gravity=(0.0, 0.0, -g), name="Bricard's")
    return ch.ConstrainedSystem(robot, ch.Constraint.loop_closure("base", "tool", name="loop"))


def bricard_angles(first):
    """cos a + cos b + cos a cos b = 0, in turn."""
    return np.stack([first, np.arccos(-np.cos(first) / (1.0 + np.cos(first)))] * 3, axis=-1)


def test_bricard():
    """All round the motion, at 90 degrees too: that of the angle alone, and forces of the size of the weights."""
    cs = bricard()
    assert cs.redundancy.rank == 5 and len(cs.row_names) == 6
    first = np.array([1.2, 1.4, np.pi / 2 - 1e-6, np.pi / 2, np.pi / 2 + 1e-9, 1.8])
    h, q, w = 1e-4, bricard_angles(first), 1.3
    slope = (bricard_angles(first + h) - bricard_angles(first - h)) / (2 * h)
    bend = (bricard_angles(first + h) - 2 * q + bricard_angles(first - h)) / h**2
    M, bias = cs.mass_matrix(q), cs.bias_forces(q, w * slope)
    force = np.einsum("bij,bj->bi", M, w**2 * bend) + bias
    along = np.einsum("bi,bij,bj->b", slope, M, slope)
    qdd = w**2 * bend - slope * (np.einsum("bi,bi->b", slope, force) / along)[:, None]
    found = cs.forward_dynamics(q, w * slope, np.zeros(6))
    assert close(found.qdd, qdd, 1e-5)
    assert np.abs(found.multipliers).max() < 60.0


@pytest.mark.slow
def test_other_forms_of_bricard(rng):
    cs, tau = bricard(), rng.normal(size=6)
    q, qd = cs.consistent(bricard_angles(np.array([1.2, np.pi / 2, 1.8])), rng.normal(size=6))
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    gauge, reduced = cs.gauge(), cs.reduced([0])
    v_r, u = gauge.equations(q, qd).v_r, reduced.of(q, qd)
    assert close(gauge.forward_dynamics(q, v_r, tau).multipliers, multipliers)
    assert close(reduced.multipliers(q, u, tau), multipliers)
    assert close(reduced.forward_dynamics(q, u, tau)[:, 0], qdd[:, 0])


def test_bricard_in_motion():
    cs = bricard()
    first, h = np.pi / 2 - 0.4, 1e-5
    qd = 3.0 * (bricard_angles(first + h) - bricard_angles(first - h)) / (2 * h)
    run = ch.simulate(cs, bricard_angles(first), qd, duration=0.4, dt=4e-3)
    assert run.q[0, 0] < np.pi / 2 < run.q[-1, 0]
    assert np.ptp(run.energy) < 5e-6 and np.abs(run.multipliers).max() < 200.0


# rows that have values beside rows that have none


def test_values_come_first(rng):
    """Rows of velocities that say the same are not used where those with values will do: drift is put back."""
    free = bead().system
    unit = ch.Constraint.holonomic(lambda q: (q[3:] @ q[3:] - 1.0) / 2, "unit")
    row = ch.Constraint.pfaffian(lambda q: (1.0 + q[0] ** 2) * np.concatenate([0.0 * q[:3], q[3:]]), "row")
    cs = ch.ConstrainedSystem(free, row + unit)
    assert cs.redundancy.varies and cs.redundancy.rank == 1
    for x in (0.0, 5.0):  # where the row without values is the shorter one, and the longer one
        q, qd = cs.consistent(np.array([x, *rng.normal(size=5)]), rng.normal(size=6))
        assert small(cs.residual(cs.corrected(q + 1e-3, qd)[0]), 1e-11)


# velocities that belong to no branch


def cross():
    free = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2 - g * q[1], name="particle")
    return ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: q[0] * q[1], "cross"))


def test_a_velocity_that_is_tangent_to_no_branch():
    cs, origin, across = cross(), np.zeros(2), np.array([1.0, 1.0])
    said = "branches of the motion of 'particle' cross .* qd is tangent to none of them: constraint cross does not stay"
    with pytest.raises(ch.ModelError, match=said):
        cs.forward_dynamics(origin, across, origin)
    with pytest.raises(ch.ModelError, match=said):
        cs.second_fundamental_form(origin, across)
    with pytest.raises(ch.ModelError, match=said):
        cs.refuse_inconsistent(origin, across)
    with pytest.raises(ch.ModelError, match=said + r".* in row 1 of the batch"):
        ch.simulate(cs, np.zeros((2, 2)), np.stack([[1.0, 0.0], across]), duration=0.1)
    qdd, multipliers = cs.forward_dynamics(origin, np.stack([across, [0.0, 1.0]]), origin)
    assert np.isnan(qdd[0]).all() and np.isnan(multipliers[0]).all() and close(qdd[1], [0.0, -g])
    bent = cs.second_fundamental_form([[0.0, 0.0], [1.0, 0.0]], [across, [1.0, 0.0]])
    assert np.isnan(bent[0]).all() and close(bent[1], [0.0, 0.0], scale=1.0)
    assert close(cs.forward_dynamics(origin, [1.0, 1e-9], origin).qdd, [0.0, 0.0], 1e-7, scale=g)
    assert close(cs.forward_dynamics([0.5, 0.0], across, origin).qdd, [0.0, -4.0])  # no crossing: as it is


def test_solved_more_exactly(monkeypatch, rng):
    """What is done where A M^-1 A^T is nearly singular, done everywhere: the same motion and multipliers."""
    cs, tau = bead(), rng.normal(size=6)
    _, _, q, qd = state(0.2, 0, rng)
    right, P = cs.forward_dynamics(q, qd, tau), cs.projections(q).P_T
    for module in (system, singular_configurations):
        monkeypatch.setattr(module, "SMALLEST_PIVOT", 2.0)
    found = cs.forward_dynamics(q, qd, tau)
    assert close(found.qdd, right.qdd, 1e-12) and close(found.multipliers, right.multipliers, 1e-12)
    assert close(cs.projections(q).P_T, P, 1e-12)
