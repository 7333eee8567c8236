"""Consistency: stabilization, projection onto the constraints, and states that do not satisfy them."""

import numpy as np
import pytest
from support.loops import disk, four_bar, four_bar_angles, on_circle, particle, pinned
from support.tolerances import close

import chasles as ch


@pytest.fixture(scope="module")
def bars():
    robot = four_bar()
    return ch.ConstrainedSystem(robot, pinned(robot))


def test_stabilization(bars):
    """h'' + 2 a h' + a^2 h = 0: rows of the equation, and the decay of an offset."""
    a = 20.0
    cs = ch.ConstrainedSystem(bars.system, bars.constraint, stabilization=a)
    rng = np.random.default_rng(0)
    q, qd, tau = rng.normal(size=(3, 3))
    qdd, _ = cs.forward_dynamics(q, qd, tau)
    A, h = cs.constraint_matrix(q), cs.residual(q)
    second = A @ qdd + cs.constraint_drift(q, qd)
    assert close(second, -2 * a * (A @ qd) - a**2 * h, 1e-9, scale=np.abs(cs.constraint_drift(q, qd)).max())
    on = four_bar_angles(0.8)
    off = on + np.array([3e-7, 0.0, 0.0])
    motion = ch.simulate(cs, off, np.zeros(3), duration=0.5, dt=1e-3, project=False)
    h, h0 = cs.residual(motion.q), cs.residual(off)
    decay = (1 + a * motion.t) * np.exp(-a * motion.t)
    assert close(h, decay[:, None] * h0, 1e-2)
    drifting = ch.simulate(bars, off, np.zeros(3), duration=0.5, dt=1e-3, project=False)
    assert np.abs(bars.residual(drifting.q[-1])).max() > 0.5 * np.abs(h0).max()
    held = ch.simulate(bars, off, np.zeros(3), duration=0.01, dt=1e-3)
    assert np.abs(bars.residual(held.q[1:])).max() < 1e-11


def test_stabilization_of_rolling():
    """A rate off a Pfaffian constraint dies out as exp(-2 a t)."""
    free = disk()
    cs = ch.ConstrainedSystem(free.system, free.constraint, stabilization=5.0)
    q, qd = np.array([0.0, 0.0, 0.4, 0.0]), np.array([0.3, -0.2, 1.0, 2.0])
    qdd, _ = cs.forward_dynamics(q, qd, np.zeros(4))
    rate = cs.constraint_matrix(q) @ qdd + cs.constraint_drift(q, qd)
    assert close(rate, -10.0 * (cs.constraint_matrix(q) @ qd))


def test_project(bars):
    on = four_bar_angles(np.array([0.3, 1.2]))
    q = bars.project(on + 0.05)
    assert q.shape == (2, 3) and np.abs(bars.residual(q)).max() < 1e-11
    with pytest.raises(ch.ModelError, match=r"q cannot be brought onto the constraints: pin\[0\] stays off by nan"):
        bars.project([np.nan, 0.0, 0.0])
    with pytest.raises(ch.ShapeError, match=r"q must have shape \(..., 3\), got \(2,\)"):
        bars.project([0.0, 0.0])


def test_unsatisfied_start(bars):
    q = four_bar_angles(0.5)
    with pytest.raises(ch.ModelError, match=r"constraint pin\[1\] is not satisfied: off by .*`consistent"):
        ch.simulate(bars, q + 0.1, np.zeros(3), duration=1.0)
    with pytest.raises(ch.ModelError, match=r"constraint pin\[\d\] is not satisfied by the velocity: off by"):
        ch.simulate(bars, q, np.ones(3), duration=1.0)
    with pytest.raises(ch.ModelError, match="simulate: q has a nan or an infinity"):
        ch.simulate(bars, np.full(3, np.nan), np.zeros(3), duration=1.0)
    starts = np.stack([q, q, q]).reshape(1, 3, 3)
    starts[0, 1] += 0.1
    with pytest.raises(
        ch.ModelError, match=r"constraint pin\[\d\] is not satisfied: off by .* in row 0, 1 of the batch"
    ):
        ch.simulate(bars, starts, np.zeros(3), duration=1.0)
    speeds = np.zeros((3, 3))
    speeds[2] = np.nan
    with pytest.raises(ch.ModelError, match=r"simulate: qd has a nan or an infinity, at \(2,\)"):
        ch.simulate(bars, starts[0, 0], speeds, duration=1.0)


def test_far_targets_and_large_steps():
    free = ch.LagrangianSystem(2, lambda q, qd: (qd @ qd) / 2)
    held = ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: q[0] - 100.0, "far"))
    assert close(held.project([0.0, 3.0]), [100.0, 3.0])
    rod = ch.ConstrainedSystem(particle(1.0), on_circle(0.7))
    with pytest.raises(ch.SimulationError, match=r"constraint circle is off by .* smaller dt"):
        ch.simulate(rod, [0.7, 0.0], [0.0, 0.0], duration=20.0, dt=0.5)
    with pytest.raises(ch.ModelError, match="whole number of steps"):
        ch.simulate(rod, [0.7, 0.0], [0.0, 0.0], duration=1.0, dt=0.7)
    with pytest.raises(ch.ModelError, match="control returned None"):
        ch.simulate(rod, [0.7, 0.0], [0.0, 0.0], lambda t, q, qd: None, duration=0.01)
