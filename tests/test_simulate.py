"""Simulation in fixed steps: what is conserved, the order of the methods, batches, time, and what is refused."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.loops import (
    four_bar,
    four_bar_angles,
    pinned,
    three_arms,
    three_arms_at,
    three_arms_tied,
)
from support.tolerances import FLOAT64, close, small

import chasles as ch

g = 9.81


def kept(energy, tol, scale=0.0):
    return close(energy, np.broadcast_to(energy[..., :1], energy.shape), tol, scale)


@pytest.fixture(scope="module")
def bars():
    robot = four_bar()
    return ch.ConstrainedSystem(robot, pinned(robot))


@pytest.mark.parametrize("seconds", [4, pytest.param(60, marks=pytest.mark.slow)])
def test_closed_loop_for_long(bars, seconds):
    """A four-bar swings in steps of 1 ms: energy to 1e-6, constraint and its rate to 1e-9."""
    q, qd = bars.consistent(four_bar_angles(0.7), [2.0, 0.0, 0.0])
    motion = ch.simulate(bars, q, qd, duration=float(seconds), dt=1e-3, every=20)
    assert motion.t[-1] == seconds and motion.q.shape == (50 * seconds + 1, 3)
    assert np.ptp(motion.kinetic) > 1.0
    assert kept(motion.energy, 1e-6)
    assert small(bars.residual(motion.q), 1e-9)
    rates = np.einsum("tki,ti->tk", bars.constraint_matrix(motion.q), motion.qd)
    assert small(rates, 1e-9)
    power = np.einsum("tki,tk,ti->t", bars.constraint_matrix(motion.q), motion.multipliers, motion.qd)
    assert close(power, np.zeros_like(power), 1e-9, scale=np.abs(motion.multipliers).max())  # [CON-3]


def test_three_arms():
    """The 3x2R arm, two degrees of freedom, for 3 s."""
    robot = three_arms()
    cs = ch.ConstrainedSystem(robot, three_arms_tied(robot))
    q, qd = cs.consistent(three_arms_at((0.5, 0.35)), np.array([0.5, 0.0, 0.0, 0.3, 0.0, 0.0]))
    motion = ch.simulate(cs, q, qd, duration=3.0)
    assert kept(motion.energy, 1e-6, scale=np.ptp(motion.kinetic))
    assert small(cs.residual(motion.q), 1e-9)


def test_without_projection(bars):
    """The constraint drifts, slowly; projection takes nothing from the accuracy."""
    q, qd = bars.consistent(four_bar_angles(0.7), [2.0, 0.0, 0.0])
    free, held = (ch.simulate(bars, q, qd, duration=2.0, dt=4e-3, project=p) for p in (False, True))
    drift = np.abs(bars.residual(free.q)).max()
    assert 1e-10 < drift < 1e-4 and small(bars.residual(held.q), 1e-11)
    assert close(free.q, held.q, 1e-3)


def disk(m=1.3, rho=0.4, I1=0.2, I2=0.35):
    def L(q, qd):
        return (m * (qd[0] ** 2 + qd[1] ** 2) + I1 * qd[2] ** 2 + I2 * qd[3] ** 2) / 2

    def rows(q):
        zero = 0.0 * q[0]
        ahead, aside = (
            np.stack([f(q[2]), h(q[2]), zero]) for f, h in ((np.cos, np.sin), (np.sin, lambda x: -np.cos(x)))
        )
        return np.stack([np.append(ahead, zero - rho), np.append(aside, zero)])

    return ch.ConstrainedSystem(ch.LagrangianSystem(4, L, name="disk"), ch.Constraint.pfaffian(rows, "rolling"))


def test_rolling_disk():
    """It keeps its energy, and rolls in the circle of [EX-7]."""
    cs, rho, w, spin = disk(), 0.4, 1.5, 4.0
    motion = ch.simulate(cs, np.zeros(4), [rho * spin, 0.0, w, spin], duration=5.0)
    assert kept(motion.energy, 1e-9)
    t = motion.t
    x, y = rho * spin / w * np.sin(w * t), rho * spin / w * (1 - np.cos(w * t))
    assert close(motion.q, np.stack([x, y, w * t, spin * t], axis=-1), 1e-9)
    A = cs.constraint_matrix(motion.q)
    assert small(np.einsum("tki,ti->tk", A, motion.qd), 1e-12)


# order


def floating():
    """Two links on a body that floats: quaternions, and bodies that turn about axes that do not meet."""
    rng = np.random.default_rng(0)
    screws = [np.zeros(6), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, -0.4, 0.0, 0.0]]
    homes = [np.eye(4) for _ in range(3)]
    for k, z in enumerate((0.0, 0.2, 0.4)):
        homes[k][:3, 3] = rng.normal(size=3) * 0.1 + [0.0, 0.0, z]
    links = [
        ch.Link(2.0, (0.1, 0.0, 0.05), (0.1, 0.15, 0.2)),
        ch.Link(1.0, (0.0, 0.1, 0.1), (0.02, 0.03, 0.02)),
        ch.Link(0.7, (0.05, 0.0, 0.1), (0.01, 0.02, 0.02)),
    ]
    return ch.Robot.from_screws(screws, homes, links, kinds=("free", "screw", "screw"), name="floating")


def ratios(system, q, qd, method, steps, duration, tau=None):
    """How much smaller the error is for half the step."""
    run = [
        ch.simulate(system, q, qd, tau, duration=duration, dt=duration / k, method=method, every=k)
        for k in (*steps, 16 * steps[-1])
    ]
    exact = run[-1]
    errors = [np.linalg.norm(np.r_[system.difference(exact.q[-1], m.q[-1]), m.qd[-1] - exact.qd[-1]]) for m in run[:-1]]
    return np.array(errors[:-1]) / errors[1:]


def test_order_on_a_floating_base():
    """Halving the step divides the error by 16 (rk4) and 2 (semi_implicit), quaternions and all."""
    robot = floating()
    rng = np.random.default_rng(1)
    q, qd = robot.random(rng), rng.normal(size=robot.n) * 1.5

    def push(t, q, v):
        return np.sin(3.0 * t + np.arange(robot.n)) - 0.1 * v

    assert close(ratios(robot, q, qd, "rk4", (20, 40, 80), 0.5, push), [16.0, 16.0], 0.1)
    assert close(ratios(robot, q, qd, "semi_implicit", (100, 200, 400), 0.5, push), [2.0, 2.0], 0.15)


def test_order_under_constraints(bars):
    """Putting the state back after every step costs no order."""
    q, qd = bars.consistent(four_bar_angles(0.7), [2.0, 0.0, 0.0])
    assert close(ratios(bars, q, qd, "rk4", (20, 40, 80), 0.4), [16.0, 16.0], 0.25)
    assert close(ratios(bars, q, qd, "semi_implicit", (100, 200, 400), 0.4), [2.0, 2.0], 0.15)


def test_floating_base_keeps_energy_and_momentum():
    """Without gravity and forces: energy, momentum, and units for quaternions."""
    robot = floating().with_gravity((0.0, 0.0, 0.0))
    rng = np.random.default_rng(2)
    motion = ch.simulate(robot, robot.random(rng), rng.normal(size=robot.n), duration=2.0, dt=2e-3)
    assert kept(motion.energy, 1e-8)
    h = robot.centroidal_momentum_matrix(motion.q) @ motion.qd[..., None]
    assert close(h, np.broadcast_to(h[0], h.shape), 1e-8)
    assert close(np.linalg.norm(motion.q[:, 3:7], axis=1), np.ones(len(motion.t)))


def test_semi_implicit_energy_stays_bounded():
    """A pendulum for 200 turns: rk4's energy drifts, this one's swings."""
    system = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 + np.cos(q[0]))
    motion = ch.simulate(system, [1.0], [0.0], duration=200.0, dt=0.05, method="semi_implicit")
    error = motion.energy - motion.energy[0]
    first, last = np.abs(error[:1000]).max(), np.abs(error[-1000:]).max()
    assert last < 1.1 * first < 0.1


# time, control, batches


def test_time_dependent_system():
    """A pendulum on a shaking pivot, beside SciPy's integration of its equation."""
    m, l, a, w = 1.3, 0.7, 0.2, 3.0

    def L(q, qd, t):
        v = np.stack([a * w * np.cos(w * t) + l * np.cos(q[0]) * qd[0], l * np.sin(q[0]) * qd[0]])
        return m * (v @ v) / 2 + m * g * l * np.cos(q[0])

    motion = ch.simulate(ch.LagrangianSystem(1, L), [0.4], [0.0], duration=2.0)

    def rate(t, x):
        return x[1], (a * w**2 * np.sin(w * t) * np.cos(x[0]) - g * np.sin(x[0])) / l

    exact = solve_ivp(rate, (0.0, 2.0), [0.4, 0.0], rtol=1e-12, atol=1e-12, t_eval=motion.t)
    assert close(motion.q[:, 0], exact.y[0], 1e-9) and close(motion.qd[:, 0], exact.y[1], 1e-9)
    assert close(motion.kinetic, m * l**2 * motion.qd[:, 0] ** 2 / 2)  # what is quadratic in the rate


@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_a_later_start(method):
    """The second half of a motion, from where the first one ended: system, law and constraint see the time."""
    system = ch.LagrangianSystem(2, lambda q, qd, t: (1 + 0.5 * np.sin(t)) * (qd @ qd) / 2 - np.cos(2 * t) * q[1])
    rod = ch.ConstrainedSystem(system, ch.Constraint.holonomic(lambda q: q @ q - 1.0, "rod"))

    def push(t, q, qd):
        return np.array([np.sin(t), 0.0])

    for one, q, qd in ((system, [1.0, 0.0], [0.2, 0.5]), (rod, [1.0, 0.0], [0.0, 0.5])):
        whole = ch.simulate(one, q, qd, push, duration=1.0, dt=0.01, method=method)
        half = ch.simulate(one, whole.q[50], whole.qd[50], push, duration=0.5, dt=0.01, t0=0.5, method=method)
        assert close(half.t, whole.t[50:]) and half.t[0] == 0.5
        assert close(half.q, whole.q[50:]) and close(half.qd, whole.qd[50:]) and close(half.tau, whole.tau[50:])
        assert close(half.energy, whole.energy[50:])
        if one is rod:
            assert close(half.multipliers, whole.multipliers[50:])


def test_control():
    """tau = control(t, q, qd): asked at the stages of every step and once at the end; recorded as used."""
    asked = []

    def control(t, q, qd):
        asked.append(t)
        return 2.0 - 3.0 * qd + 0.0 * q

    system = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2)
    motion = ch.simulate(system, [0.0], [1.0], control, duration=1.0, dt=0.25)
    assert close(asked, [0.25 * k + h for k in range(4) for h in (0.0, 0.125, 0.125, 0.25)] + [1.0])
    assert close(motion.tau, 2.0 - 3.0 * motion.qd)
    asked.clear()
    motion = ch.simulate(system, [0.0], [1.0], control, duration=2.0, dt=1e-2)
    assert close(motion.qd[:, 0], 2 / 3 + np.exp(-3 * motion.t) / 3, 1e-8)
    push = ch.simulate(system, [0.0], [0.0], lambda t, q, qd: 1.0, duration=1.0, dt=0.1)
    assert close(push.q[-1], [0.5]) and push.tau.shape == (11, 1)


def test_a_controlled_loop(bars):
    """A torque on the crank does the work that the energy gains."""
    q, qd = bars.consistent(four_bar_angles(0.7), np.zeros(3))
    motion = ch.simulate(bars, q, qd, lambda t, q, v: np.array([np.cos(t), 0.0, 0.0]), duration=1.0)
    power = motion.tau[:, 0] * motion.qd[:, 0]
    work = np.sum((power[1:] + power[:-1]) / 2 * np.diff(motion.t))
    assert close(motion.energy[-1] - motion.energy[0], work, 1e-5)


@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_batches(bars, method):
    """A batch is what its rows are: on a closed loop, and on joints of every kind."""
    rng = np.random.default_rng(3)
    q, qd = bars.consistent(four_bar_angles(rng.uniform(-1.0, 1.0, (2, 2))), rng.normal(size=(2, 2, 3)))
    robot = floating()
    cases = [(bars, q, qd), (robot, np.stack([robot.random(rng) for _ in range(3)]), rng.normal(size=robot.n))]
    for system, x, v in cases:

        def control(t, q, qd):
            return np.sin(t) - 0.2 * qd

        whole = ch.simulate(system, x, v, control, duration=0.05, dt=5e-3, method=method, every=3)
        assert close(whole.t, [0.0, 0.015, 0.03, 0.045, 0.05])
        assert whole.q.shape == (*x.shape[:-1], 5, system.nq) and whole.energy.shape == (*x.shape[:-1], 5)
        for b in np.ndindex(x.shape[:-1]):
            row = np.broadcast_to(v, (*x.shape[:-1], system.n))[b]
            one = ch.simulate(system, x[b], row, control, duration=0.05, dt=5e-3, method=method, every=3)
            for name in ("q", "qd", "tau", "kinetic", "potential", "multipliers"):
                a, c = getattr(whole, name), getattr(one, name)
                assert (a is None) == (c is None)
                assert c is None or close(a[b], c, FLOAT64, scale=1e-2), name


def test_the_start_is_not_written_to(bars):
    q, qd = bars.consistent(four_bar_angles(0.7), [2.0, 0.0, 0.0])
    before = q.copy(), qd.copy()
    motion = ch.simulate(bars, q, qd, duration=0.01)
    assert (q == before[0]).all() and (qd == before[1]).all() and close(motion.q[0], q)


class Weight:
    """A system of the user's own: two masses in the plane y up, pushed along x by cos t if it is `pushed`."""

    name, n, nq = "weight", 2, 2
    M = np.diag([1.5, 1.5])

    def __init__(self, pushed=False):
        self.depends_on_time = pushed

    def neutral(self):
        return np.zeros(2)

    def random(self, rng=None):
        return np.random.default_rng(rng).normal(size=2)

    def integrate(self, q, v):
        return np.add(q, v)

    def difference(self, q0, q1):
        return np.subtract(q1, q0)

    def coordinate_rates(self, q, v):
        return v

    def mass_matrix(self, q, t=0.0):
        return np.broadcast_to(self.M, (*np.shape(q)[:-1], 2, 2))

    def bias_forces(self, q, qd, t=0.0):
        force = np.stack([np.cos(t) if self.depends_on_time else 0.0 * t, 1.5 * g + 0.0 * t], axis=-1)
        return 0.0 * qd + force * [-1.0, 1.0]

    def coriolis_matrix(self, q, qd, t=0.0):
        return 0.0 * self.mass_matrix(q)

    def forward_dynamics(self, q, qd, tau, t=0.0):
        return (tau - self.bias_forces(q, qd, t)) / 1.5

    def kinetic_energy(self, q, qd, t=0.0):
        return 0.75 * np.sum(np.square(qd), axis=-1)

    def potential_energy(self, q, t=0.0):
        return 1.5 * g * q[..., 1]


@pytest.mark.parametrize("pushed", [False, True])
def test_a_system_of_the_users_own(pushed):
    """`System` says all that is asked of one: alone, and under a constraint."""
    system = Weight(pushed)
    assert isinstance(system, ch.System) and isinstance(ch.load("ur5"), ch.System)
    force = {"forces": lambda q, qd, t: np.stack([np.cos(t), 0.0])} if pushed else {}
    same = ch.LagrangianSystem(2, lambda q, qd: 0.75 * (qd @ qd) - 1.5 * g * q[1], **force)
    rod = ch.Constraint.holonomic(lambda q: q @ q - 1.0, "rod")
    for a, b in ((system, same), (ch.ConstrainedSystem(system, rod), ch.ConstrainedSystem(same, rod))):
        one, two = (ch.simulate(x, [0.6, -0.8], [0.8, 0.6], duration=0.2) for x in (a, b))
        assert close(one.q, two.q) and close(one.energy, two.energy)
    assert close(one.multipliers, two.multipliers)


def pendulum():
    return ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, name="slider")


REFUSED = {
    "got 'rk45'; did you mean 'rk4'?": {"method": "rk45"},
    "dt must be a positive number of seconds, got 0": {"dt": 0},
    "dt must be a positive number of seconds, got '1'": {"dt": "1"},
    "dt must be a positive number of seconds, got True": {"dt": True},
    "duration must be a positive number of seconds, got -1": {"duration": -1},
    "duration must be a positive number of seconds, got nan": {"duration": float("nan")},
    "duration must be a whole number of steps of dt = 1.0, got 0.1": {"duration": 0.1, "dt": 1.0},
    "t0 must be a finite number of seconds, got nan": {"t0": float("nan")},
    "t0 must be a finite number of seconds, got 'now'": {"t0": "now"},
    "every must be a positive integer, got 0": {"every": 0},
    "every must be a positive integer, got 1.5": {"every": 1.5},
    "system must be a Robot, LagrangianSystem or ConstrainedSystem, got str": {"system": "panda"},
    "control must be a function of (t, q, qd), got float": {"control": 1.0},
    "simulate: q must have shape (..., 1), got ()": {"q": 0.0},
    "simulate: q must have shape (..., 1), got (2,)": {"q": [0.0, 0.0]},
    "simulate: qd must have shape (..., 1), got (3,)": {"qd": np.zeros(3)},
    "simulate: the leading axes do not broadcast: q (2,), qd (3,)": {"q": np.zeros((2, 1)), "qd": np.zeros((3, 1))},
    "control must return an array of shape (1,), got (2,)": {"control": lambda t, q, qd: np.zeros(2)},
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    given = {"system": pendulum(), "q": [0.0], "qd": [0.0], "duration": 1.0, **REFUSED[message]}
    with pytest.raises((ch.ModelError, ch.ShapeError)) as error:
        ch.simulate(**given)
    assert message in str(error.value)
