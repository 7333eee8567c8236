"""Mass matrices that are singular without the constraints: dependent coordinates, links without mass."""

from functools import cache

import numpy as np
import pytest
from support.loops import planar
from support.tolerances import close, small

import chasles as ch
from chasles.control import GaugeControl, HybridControl

MOMENTS, WEIGHT = np.array([0.5, 0.7, 0.9]), 2.0


def spin(p):
    """(3, 4) G of Euler parameters p: the angular velocity in the body is 2 G pd."""
    return np.stack(
        [
            np.stack([-p[1], p[0], p[3], -p[2]]),
            np.stack([-p[2], -p[3], p[0], p[1]]),
            np.stack([-p[3], p[2], -p[1], p[0]]),
        ]
    )


def top_lagrangian(p, pd):
    w = 2.0 * (spin(p) @ pd)
    return (MOMENTS * w) @ w / 2 - WEIGHT * (p[0] * p[0] - p[1] * p[1] - p[2] * p[2] + p[3] * p[3])


def top():
    """A heavy top by Euler parameters, whose mass matrix has rank three."""
    return ch.LagrangianSystem(4, top_lagrangian, name="top", coordinate_names=("e0", "e1", "e2", "e3"))


UNIT = ch.Constraint.holonomic(lambda p: (p @ p - 1.0) / 2, "unit")


@cache
def spinning(stabilization=0.0):
    return ch.ConstrainedSystem(top(), UNIT, stabilization=stabilization)


def kkt(cs, q, qd, tau, t=0.0):
    """qdd and multipliers by one matrix, the least of them."""
    A, n = cs.rows.A(q), cs.n
    K = np.block([[cs.mass_matrix(q, t), -A.T], [A, np.zeros((len(A), len(A)))]])
    right = np.r_[tau - cs.bias_forces(q, qd, t), -cs.acceleration_bias(q, qd)]
    x = np.linalg.lstsq(K, right, rcond=1e-12)[0]
    return x[:n], x[n:]


def top_state(rng):
    return *spinning().consistent(rng.normal(size=4), rng.normal(size=4)), rng.normal(size=4)


@pytest.mark.parametrize("stabilization", [0.0, 3.0])
def test_euler_parameters(stabilization, rng):
    """Beside the saddle-point matrix and Euler's equations, alone and in a batch."""
    cs = spinning(stabilization)
    q, qd, tau = top_state(rng)
    qd = qd + 0.2 * q * bool(stabilization)
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    right = kkt(cs, q, qd, tau)
    assert close(qdd, right[0]) and close(multipliers, right[1])
    many = cs.forward_dynamics(np.stack([q, -q]), qd, tau)
    assert close(many.qdd[0], qdd, 1e-14) and close(many.multipliers[0], multipliers, 1e-14)
    if not stabilization:
        w, wd = 2.0 * spin(q) @ qd, 2.0 * spin(q) @ qdd
        torque = spin(q) @ (tau + 4.0 * WEIGHT * np.array([0.0, q[1], q[2], 0.0])) / 2.0
        assert close(MOMENTS * wd + np.cross(w, MOMENTS * w), torque)


def test_simulation_of_euler_parameters(rng):
    """Energy and |p| = 1 are kept, and the motion is that of a robot with a ball joint."""
    q, qd, _ = top_state(rng)
    run = ch.simulate(spinning(), q, qd, duration=0.3, dt=1e-2)
    assert np.ptp(run.energy) < 1e-6 and small((run.q * run.q).sum(axis=-1) - 1.0, 1e-11)
    assert np.isfinite(run.multipliers).all()
    free = ch.LagrangianSystem(4, lambda p, pd: top_lagrangian(p, pd) + WEIGHT * (1.0 - 2.0 * (p[1] ** 2 + p[2] ** 2)))
    link = ch.Link(1.0, (0.0, 0.0, 0.0), tuple(MOMENTS))
    ball = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [link], kinds=["spherical"], gravity=(0.0, 0.0, 0.0))
    other = ch.simulate(ball, ball.neutral(), 2.0 * spin(q) @ qd, duration=0.3, dt=1e-2)
    run = ch.simulate(ch.ConstrainedSystem(free, UNIT), q, qd, duration=0.3, dt=1e-2)
    assert close(2.0 * np.einsum("ij,j->i", spin(run.q[-1]), run.qd[-1]), other.qd[-1], 1e-6)


def test_other_forms(rng):
    cs = spinning()
    q, qd, tau = top_state(rng)
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    M, P = cs.mass_matrix(q), cs.projections(q)
    assert close(P.P_w @ M, M @ P.P_T) and close(P.P_T @ P.P_T, P.P_T) and close(q @ P.P_T, np.zeros(4), scale=1.0)
    gauge = cs.gauge(q)
    at = gauge.equations(q, qd)
    moved = gauge.forward_dynamics(q, at.v_r, tau)
    assert close(moved.multipliers, multipliers) and close(gauge.projections(q)[0], P.P_w)
    assert close(at.v_r @ at.v_r / 2, cs.kinetic_energy(q, qd))
    Gam = gauge.connection(q, qd)
    assert close(Gam, -Gam.T, scale=1.0)
    assert close(gauge.printed_connection(q, qd) @ gauge.velocities(q, qd), Gam @ gauge.velocities(q, qd))
    vd = at.V_2 @ moved.v_rd + at.V_2_rate @ at.v_r
    assert close(np.linalg.solve(at.W.T, vd - at.W_rate.T @ qd), qdd)
    h = 1e-6
    rate = (gauge.root(q + h * qd) - gauge.root(q - h * qd)) / (2 * h)
    assert close(at.W_rate, rate, 1e-6)
    reduced = cs.reduced(at=q)
    u = reduced.of(q, qd)
    assert close(reduced.multipliers(q, u, tau), multipliers)
    assert close(reduced.basis(q) @ reduced.forward_dynamics(q, u, tau) + reduced.basis_rate(q, qd) @ u, qdd)
    assert close(cs.inverse_dynamics(q, qd, qdd, multipliers=multipliers), tau)
    back = cs.corrected(1.001 * q, qd + 0.01 * q)
    assert close(np.linalg.norm(back[0]), 1.0, 1e-12) and small(back[0] @ back[1], 1e-12)
    with pytest.raises(ch.SingularMassMatrixError, match="'top' is singular without its constraints"):
        cs.second_fundamental_form(q, qd)


@pytest.mark.parametrize("law", [HybridControl, GaugeControl])
def test_laws(law, rng):
    """Three of the parameters are asked to come to rest, and the force to a value."""
    cs, (q, qd, _) = spinning(), top_state(rng)
    more = {"K_v": 5.0} if law is HybridControl else {"K_d": 5.0}
    still = [q[1:], np.zeros(3), np.zeros(3)]
    made = law(cs, lambda t: still, K_p=2.0, coordinates=lambda p: p[1:], force=[0.7], **more)
    qdd, multipliers = cs.forward_dynamics(q, qd, made(0.0, q, qd))
    assert close(multipliers, [0.7])
    if law is HybridControl:
        assert close(qdd[1:], -5.0 * qd[1:])
    else:
        eps = made.composite_error(0.0, q, qd)
        h = 1e-5
        after = made.composite_error(0.0, *cs.consistent(q + h * qd + h * h / 2 * qdd, qd + h * qdd))
        assert close((after @ after - eps @ eps) / (2 * h), -5.0 * (eps @ eps), 1e-3)


def test_without_the_constraint_it_is_refused_by_name():
    """`coordinate e3` follows from the others; what needs no inverse is there."""
    system, q = top(), np.array([0.5, 0.5, 0.5, 0.5])
    said = "mass matrix of 'top' is singular at every configuration: coordinate 'e3' has no inertia"
    with pytest.raises(ch.SingularMassMatrixError, match=said):
        system.forward_dynamics(q, q, q)
    with pytest.raises(ch.SingularMassMatrixError, match=said):
        system.kernel("forward_dynamics")
    with pytest.raises(ch.SingularMassMatrixError, match=said):
        ch.simulate(system, q, 0.0 * q, duration=0.1)
    with pytest.raises(ch.SingularMassMatrixError, match=said):
        ch.compile(lambda q: system.forward_dynamics(q, q, q), q=4)
    assert np.linalg.matrix_rank(system.mass_matrix(q), tol=1e-9) == 3
    other = ch.ConstrainedSystem(top(), ch.Constraint.holonomic(lambda p: p[0] - p[1], "other"))
    with pytest.raises(ch.SingularMassMatrixError, match="with the constraints other too: coordinate 'e3' has no"):
        other.forward_dynamics(q, 0.0 * q, q)
    assert close(other.project(np.array([0.0, 1.0, 0.0, 0.0])), [0.5, 0.5, 0.0, 0.0])  # which needs no mass


def test_nearly_singular_is_not_singular():
    """What has little inertia of its own is solved for as it is."""
    system = ch.LagrangianSystem(2, lambda q, qd: (qd[0] + qd[1]) ** 2 / 2 + 1e-8 * qd[1] ** 2 / 2)
    assert close(system.forward_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 1.0 + 1e-8]), [0.0, 1.0], 1e-7)


@pytest.mark.parametrize("scale", [1.0, 1e-5, 1e4])
def test_coordinates_without_inertia(scale, rng):
    """A crank moves a slider x = sin th and that the end y = 2 x of a spring: th alone has inertia. In any units."""
    system = ch.LagrangianSystem(3, lambda q, qd: 0.8 * qd[0] ** 2 / 2 - 3.0 * (q[2] * scale) ** 2 / 2)

    weight = scale**2

    def h(q):
        return np.stack([weight * (q[2] * scale - 2.0 * q[1] / scale), q[1] / scale - np.sin(q[0])])

    cs = ch.ConstrainedSystem(system, ch.Constraint.holonomic(h, "slider"))
    th, rate = rng.normal(size=2)
    units = np.array([1.0, scale, 1.0 / scale])
    q, qd = units * [th, np.sin(th), 2.0 * np.sin(th)], units * rate * [1.0, np.cos(th), 2.0 * np.cos(th)]
    qdd, multipliers = cs.forward_dynamics(q, qd, np.zeros(3))
    acceleration = -12.0 * np.sin(th) * np.cos(th) / 0.8
    along = np.cos(th) * acceleration - np.sin(th) * rate**2
    assert close(qdd / units, [acceleration, along, 2.0 * along])
    assert close(multipliers * [weight, 1.0], [6.0 * np.sin(th), 12.0 * np.sin(th)])


def test_redundant_rows_and_dependent_coordinates(rng):
    """Both at once, in a mass matrix that depends on time: rows chosen at each state, multipliers the least."""

    def L(q, qd, t):
        return (1.0 + 0.3 * np.sin(t)) * (qd[:3] @ qd[:3]) / 2 - q[2]

    ray = ch.Constraint.holonomic(lambda q: np.cross(q[:3], q[3:]), "ray")
    unit = ch.Constraint.holonomic(lambda q: (q[3:] @ q[3:] - 1.0) / 2, "unit")
    cs = ch.ConstrainedSystem(ch.LagrangianSystem(6, L, name="bead"), ray + unit)
    assert cs.redundancy.varies
    for u in ([0.0, 0.6, 0.8], [0.6, 0.0, 0.8], [0.36, 0.48, 0.8]):
        q, qd = cs.consistent(np.r_[0.7 * np.array(u), u], rng.normal(size=6), 0.4)
        tau = rng.normal(size=6)
        qdd, multipliers = cs.forward_dynamics(q, qd, tau, 0.4)
        right = kkt(cs, q, qd, tau, 0.4)
        assert close(qdd, right[0]) and close(multipliers, right[1])


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_links_without_mass(rng):
    """A four-bar whose last bar has none: alone its robot is refused, pinned it moves."""
    light = planar([(0.0, 0.0)], [(0.3, 0.8, 0.6)], [(0.7, 1.6, 0.0)], "light")
    pin = ch.Constraint.holonomic(lambda q: light.forward_kinematics(q, "tip0")[:2, 3] - [0.9, 0.0], "pin")
    with pytest.raises(ch.SingularMassMatrixError, match="joint"):
        light.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(3))
    cs = ch.ConstrainedSystem(light, pin)
    q, qd = cs.consistent([0.5, 0.6, -2.0], rng.normal(size=3))
    tau = rng.normal(size=3)
    right = kkt(cs, q, qd, tau)
    found = cs.forward_dynamics(q, qd, tau)
    assert close(found.qdd, right[0]) and close(found.multipliers, right[1])
    free = ch.ConstrainedSystem(light, ch.Constraint.fixed({"joint00": 0.3}))
    with pytest.raises(ch.SingularMassMatrixError, match="coordinate 'joint02' has no inertia"):
        free.forward_dynamics(np.array([0.3, 0.0, 0.0]), np.zeros(3), np.zeros(3))


def test_singular_at_one_configuration():
    """Polar coordinates: at the centre the angle has no inertia, but it is held, and the motion goes through."""
    system = ch.LagrangianSystem(
        2, lambda q, qd: (qd[0] ** 2 + q[0] ** 2 * qd[1] ** 2) / 2 - 9.81 * q[0] * np.sin(q[1])
    )
    cs = ch.ConstrainedSystem(system, ch.Constraint.holonomic(lambda q: q[1] - 0.5, "slot"))
    for r in (0.3, 1e-3, 1e-6, 1e-9, 1e-13, 0.0, -0.2):
        qdd, multipliers = cs.forward_dynamics([r, 0.5], [1.0, 0.0], [0.0, 0.0])
        assert close(qdd, [-9.81 * np.sin(0.5), 0.0]) and close(multipliers, [9.81 * r * np.cos(0.5)], scale=1.0)
    assert np.isfinite(system.forward_dynamics([0.3, 0.5], [1.0, 0.0], [0.0, 0.0])).all()
