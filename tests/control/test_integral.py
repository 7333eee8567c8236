"""The integral of a force error: what it keeps and refuses, how another motion begins. Laws of positions, refused."""

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.control import GaugeControl, HybridControl, ParallelControl
from chasles.control.integral import TIMES_KEPT, ForceIntegral


def test_it_keeps_little():
    """z' = 1 - z, over many steps in the stages of Runge and Kutta: bounded memory, the right value."""
    integral, h = ForceIntegral(np.zeros(1)), 0.01
    for k in range(1000):
        for t in (k * h, (k + 0.5) * h, (k + 0.5) * h, (k + 1) * h):
            integral.record(t, 1.0 - integral.at(t))
        assert len(integral.asked) <= TIMES_KEPT
    assert close(integral.at(10.0), [1.0 - np.exp(-10.0)], 1e-4)
    used = integral.at(9.99)
    integral.record(9.99, np.full(1, 1e6))  # of a time that has passed
    assert close(integral.at(9.99), used) and abs(integral.at(10.0)[0] - 1.0) < 1e-3


def test_times_that_have_passed():
    integral = ForceIntegral([0.5])
    for t in (1.0, 1.1, 1.2):
        integral.record(t, np.ones(1))
    assert close(integral.at(1.1), [0.6])
    for t in (0.0, 1.0):  # before, and the first of a motion that has gone on
        with pytest.raises(ch.ModelError, match=r"gone on to t = 1.2: t = . has passed. `begin\(\)` begins another"):
            integral.at(t)
    integral.begin()
    assert close(integral.at(0.0), [0.5])
    integral.record(0.0, np.ones(1))
    assert close(integral.at(0.0), [0.5]) and close(integral.at(0.1), [0.6])


def swing():
    system = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2 - 9.81 * q[1], name="particle")
    return ch.ConstrainedSystem(system, ch.Constraint.holonomic(lambda q: (q @ q - 0.49) / 2, "rod"))


def law(cs, **options):
    def desired(t):
        return np.zeros(1), np.zeros(1), np.zeros(1)

    def angle(q):
        return np.stack([np.arctan2(q[0], -q[1])])

    return HybridControl(cs, desired, K_p=4.0, K_v=4.0, coordinates=angle, **options)


def test_another_motion():
    """simulate begins a law that it is given; one inside another function is not silently gone on with."""
    cs = swing()
    q, qd = np.array([0.7, 0.0]), np.zeros(2)
    held = law(cs, force=[-3.0], K_I=5.0)
    held.reset([0.4])
    first, second = (ch.simulate(cs, q, qd, held, duration=0.1, dt=5e-3) for _ in range(2))
    assert close(second.tau, first.tau) and close(second.multipliers, first.multipliers)
    assert close(first.multipliers[:, 0] + 3.0, -2.0 * np.exp(-5.0 * first.t), 1e-3)
    held.begin()
    again = ch.simulate(cs, q, qd, lambda t, q, qd: held(t, q, qd), duration=0.1, dt=5e-3)
    assert close(again.tau, first.tau)
    with pytest.raises(ch.ModelError, match=r"t = 0 has passed. `begin\(\)`"):
        ch.simulate(cs, q, qd, lambda t, q, qd: held(t, q, qd), duration=0.1, dt=5e-3)
    with pytest.raises(ch.ModelError, match="has passed"):
        held(0.0, q, qd)
    assert len(held.integral.asked) <= TIMES_KEPT


def test_any_control_is_told_that_a_motion_begins():
    class Counting:
        begun = 0

        def begin(self):
            self.begun += 1

        def __call__(self, t, q, qd):
            return np.zeros(2)

    control = Counting()
    for k in range(2):
        ch.simulate(swing(), [0.7, 0.0], [0.0, 0.0], control, duration=0.01)
        assert control.begun == k + 1


def rolling(gradient):
    """A particle under a row that is no gradient, or one."""
    system = ch.LagrangianSystem(3, lambda q, qd: qd @ qd / 2, name="sliding")

    def rows(q):
        a = np.stack([2.0 * q[0] * q[1], q[0] ** 2] if gradient else [q[1], -q[0]])
        return np.concatenate([a, np.ones(1)])

    return ch.ConstrainedSystem(system, ch.Constraint.pfaffian(rows, "rows"))


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (HybridControl, {"K_v": 1.0}),
        (GaugeControl, {"K_d": 1.0}),
        (ParallelControl, {"K_v": 1.0, "actuated": [0, 1]}),
    ],
)
def test_positions_under_constraints_that_are_not_holonomic(make, options):
    """They do not say where the system is: refused. A row that is a gradient is holonomic, however it is given."""

    def desired(t):
        return np.zeros(2), np.zeros(2), np.zeros(2)

    with pytest.raises(
        ch.ModelError, match=f"{make.__name__} needs holonomic .* not holonomic: .*HybridVelocityControl"
    ):
        make(rolling(False), desired, K_p=1.0, independent=[0, 1], **options)
    cs = rolling(True)
    control = make(cs, desired, K_p=1.0, independent=[0, 1], **options)
    q, qd = cs.consistent([0.3, -0.2, 0.1], [1.0, 0.5, 0.0])
    assert np.isfinite(control(0.0, q, qd)).all()


@pytest.mark.parametrize(("apart", "same"), [(1e-12, True), (5e-11, True), (1e-9, False), (1e-7, False)])
def test_times_that_are_one(apart: float, same: bool) -> None:
    """Within 1e-10 s a time is asked again, and its last error counts; further on it is another."""
    z = ForceIntegral([0.0])
    z.record(0.0, np.array([1.0]))
    z.record(0.5, np.array([1.0]))
    z.record(0.5 + apart, np.array([1e6]))
    assert len(z.asked) == (2 if same else 3)
    expected = 0.5 * (1.0 + 1e6) / 2.0 if same else 0.5 + apart * (1.0 + 1e6) / 2.0
    assert close(z.asked[-1].corrected, [expected], 1e-9)
