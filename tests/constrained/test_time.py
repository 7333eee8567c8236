"""Systems that depend on time, under constraints: the same mechanisms in minimal coordinates."""

import numpy as np
import pytest
from support.tolerances import FINITE_DIFFERENCE, close

import chasles as ch
from chasles.control import GaugeControl, HybridControl

g, m, l = 9.81, 1.3, 0.7
AGREED = 1e-9


def circle(name):
    return ch.Constraint.holonomic(lambda q: (q @ q - l**2) / 2, name)


def spin(t):
    return 3.0 + 1.5 * np.cos(2.0 * t)


def bead():
    """On a hoop that is spun about its vertical diameter at a given rate: (x, y) in the hoop's plane."""

    def L(q, qd, t):
        v = np.stack([qd[0], qd[1], q[0] * spin(t)])
        return m * (v @ v) / 2 - m * g * q[1]

    return ch.ConstrainedSystem(ch.LagrangianSystem(2, L, name="bead"), circle("hoop"))


def minimal_bead():
    def L(q, qd, t):
        return m * l**2 * (qd[0] ** 2 + (np.sin(q[0]) * spin(t)) ** 2) / 2 + m * g * l * np.cos(q[0])

    return ch.LagrangianSystem(1, L)


def shaken():
    """A particle on a rod, (x, y) seen from the pivot, which shakes; its mass grows."""

    def L(q, qd, t):
        v = qd + np.stack([0.6 * np.cos(3.0 * t), 0.4 * np.sin(2.0 * t)])
        return mass(t) * ((v @ v) / 2 - g * q[1])

    return ch.ConstrainedSystem(ch.LagrangianSystem(2, L, name="shaken"), circle("rod"))


def mass(t):
    return m * (1.0 + 0.3 * t)


def minimal_shaken():
    def L(q, qd, t):
        s, c = np.sin(q[0]), np.cos(q[0])
        v = l * qd[0] * np.stack([c, s]) + np.stack([0.6 * np.cos(3.0 * t), 0.4 * np.sin(2.0 * t)])
        return mass(t) * ((v @ v) / 2 + g * l * c)

    return ch.LagrangianSystem(1, L)


CASES = {"bead": (bead, minimal_bead), "shaken": (shaken, minimal_shaken)}


@pytest.fixture(scope="module", params=CASES)
def pair(request):
    whole, minimal = CASES[request.param]
    return whole(), minimal()


def placed(th, thd):
    """q and qd of angles from hanging down, (..., 1)."""
    s, c = np.sin(th), np.cos(th)
    return l * np.concatenate([s, -c], axis=-1), l * thd * np.concatenate([c, s], axis=-1)


def angle(q):
    return np.stack([np.arctan2(q[0], -q[1])])


def test_motion(pair):
    whole, minimal = pair
    th, thd = np.array([0.7]), np.array([0.4])
    a = ch.simulate(whole, *placed(th, thd), duration=1.5)
    b = ch.simulate(minimal, th, thd, duration=1.5)
    q, qd = placed(b.q, b.qd)
    assert close(a.q, q, AGREED) and close(a.qd, qd, AGREED)
    assert np.abs(whole.residual(a.q)).max() < 1e-12
    assert close(a.potential, whole.system.potential_energy(a.q, a.t))
    still = ch.simulate(whole, *placed(th, thd), duration=1.5, method="semi_implicit", dt=1e-3)
    assert np.abs(still.q - a.q).max() < 0.05


def test_accelerations_and_multipliers(pair):
    """At many times at once; M qdd + bias = tau + A^T lambda with M and bias of that time."""
    whole, minimal = pair
    rng = np.random.default_rng(0)
    th, thd = rng.normal(size=(2, 6, 1))
    t, tau = rng.uniform(0.0, 3.0, 6), rng.normal(size=(6, 2))
    q, qd = placed(th, thd)
    qdd, multipliers = whole.forward_dynamics(q, qd, tau, t)
    along = l * np.concatenate([np.cos(th), np.sin(th)], axis=-1)
    thdd = minimal.forward_dynamics(th, thd, np.sum(along * tau, axis=-1, keepdims=True), t)
    expected = along * thdd - thd**2 * q
    assert close(qdd, expected, AGREED)
    M, bias, A = whole.mass_matrix(q, t), whole.bias_forces(q, qd, t), whole.constraint_matrix(q)
    left = np.einsum("bij,bj->bi", M, qdd) + bias - tau - np.einsum("bki,bk->bi", A, multipliers)
    assert close(left, np.zeros((6, 2)), AGREED, scale=10.0)
    assert close(whole.inverse_dynamics(q, qd, qdd, t, multipliers=multipliers), tau, AGREED, scale=10.0)
    one = whole.forward_dynamics(q[3], qd[3], tau[3], t[3])
    assert close(one.qdd, qdd[3]) and close(one.multipliers, multipliers[3])
    assert whole.depends_on_time and whole.forward_dynamics(q[:1], qd[:1], tau[:1], t).qdd.shape == (6, 2)


def test_reduced(pair):
    whole, minimal = pair
    rng = np.random.default_rng(1)
    th, thd = rng.normal(size=(2, 5, 1))
    t, tau = rng.uniform(0.0, 3.0, 5), rng.normal(size=(5, 2))
    q, qd = placed(th, thd)
    r = whole.reduced(coordinates=angle)
    force = r.forces(q, tau)
    assert close(r.forward_dynamics(q, thd, tau, t), minimal.forward_dynamics(th, thd, force, t), AGREED)
    assert close(r.mass_matrix(q, t), minimal.mass_matrix(th, t), AGREED)
    assert close(r.bias_forces(q, thd, t), minimal.bias_forces(th, thd, t), AGREED)
    assert close(r.multipliers(q, thd, tau, t), whole.forward_dynamics(q, qd, tau, t).multipliers, AGREED)


def test_control(pair):
    """HYB-1 with a model that depends on time: the error decays as promised and the force is the desired one."""
    whole, _ = pair

    def desired(t):
        return np.array([0.3 * np.sin(t)]), np.array([0.3 * np.cos(t)]), np.array([-0.3 * np.sin(t)])

    law = HybridControl(whole, desired, K_p=9.0, K_v=6.0, coordinates=angle, force=[-12.0], K_I=2.0)
    run = ch.simulate(whole, *placed(np.array([0.5]), np.array([0.0])), law, duration=1.0, dt=2e-3)
    e = np.arctan2(run.q[:, 0], -run.q[:, 1]) - 0.3 * np.sin(run.t)
    e0, ed0 = 0.5, -0.3
    assert close(e, (e0 + (ed0 + 3.0 * e0) * run.t) * np.exp(-3.0 * run.t), 1e-8)
    assert close(run.multipliers, np.full((501, 1), -12.0), 1e-8)
    with pytest.raises(ch.ModelError, match="depends on time: its kinetic energy has no connection"):
        GaugeControl(whole, desired, K_p=1.0, K_d=1.0, coordinates=angle)


def test_traced(pair):
    whole, _ = pair
    q, qd = placed(np.array([0.7]), np.array([0.4]))
    kernel = ch.compile(lambda t: whole.forward_dynamics(q, qd, np.zeros(2), t).qdd, t=())
    assert close(kernel(0.8), whole.forward_dynamics(q, qd, np.zeros(2), 0.8).qdd)
    h = 1e-5
    slope = (kernel(0.8 + h) - kernel(0.8 - h)) / (2 * h)
    assert close(kernel.jacobian("t")(0.8), slope, FINITE_DIFFERENCE)


def test_where_the_rank_falls():
    """Forces of t alone, and a row that vanishes at z = 0 where one that was dropped does not."""

    def forces(q, qd, t):
        return np.stack([3.0 + t, np.sin(t), t * t])

    free = ch.LagrangianSystem(3, lambda q, qd: qd @ qd, forces=forces, name="pushed")
    weak = ch.Constraint.pfaffian(lambda q: np.stack([q[2], 0.0 * q[2], 0.0 * q[2]]), "weak")
    cs = ch.ConstrainedSystem(free, weak + ch.Constraint.holonomic(lambda q: q[0], "wall"))
    t, q = np.array([0.5, 2.0]), np.array([[0.0, 0.2, 0.0], [0.0, 0.2, 0.4]])
    qdd, _ = cs.forward_dynamics(q, np.zeros(3), np.zeros(3), t)
    assert close(qdd, np.stack([0.0 * t, np.sin(t) / 2, t * t / 2], axis=-1))
    run = ch.simulate(cs, [0.0, 0.2, 0.0], np.zeros(3), duration=0.2, dt=0.02)
    assert close(run.q[:, 2], run.t**4 / 24)
