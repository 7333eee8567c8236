"""Steps in kernels: the same motions as stage by stage in Python, and the same said of those that end."""

import copy
import pickle

import numpy as np
import pytest
from support.floating import floating
from support.loops import four_bar, four_bar_angles, pinned
from support.tolerances import FLOAT64, close

import chasles as ch
from chasles.simulation import advance, compiled_steps, motion

METHODS = [
    "rk4",
    "semi_implicit",
    *(pytest.param(name, marks=pytest.mark.sweep) for name in ("euler", "heun", "dormand_prince")),
]


def mass():
    return ch.LagrangianSystem(2, lambda q, qd: (qd @ qd) / 2 - 9.81 * q[1], name="mass")


def bars():
    robot = four_bar()
    return ch.ConstrainedSystem(robot, pinned(robot))


def shaken():
    return ch.LagrangianSystem(2, lambda q, qd, t: (1 + 0.5 * np.sin(t)) * (qd @ qd) / 2 - np.cos(2 * t) * q[1])


def starts(system, rng, *lead):
    if isinstance(system, ch.ConstrainedSystem):
        return system.consistent(four_bar_angles(rng.uniform(-1.0, 1.0, lead)), rng.normal(size=(*lead, 3)))
    if isinstance(system, ch.Robot):
        q = np.stack([system.random(rng) for _ in range(int(np.prod(lead)))]).reshape(*lead, system.nq)
        return q, rng.normal(size=(*lead, system.n))
    return rng.normal(size=(2, *lead, system.n))


@pytest.fixture
def by_stages(monkeypatch):
    """A simulation without kernels of steps."""

    def run(*given, **options):
        with monkeypatch.context() as patch:
            patch.setattr(motion, "can_be_compiled", lambda system: False)
            return ch.simulate(*given, **options)

    return run


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("made", [floating, bars, shaken])
def test_the_same_motion(made, method, rng, by_stages, monkeypatch):
    """Over more than one chunk, with the tail of another, kept now and then; alone and in a batch."""
    system = made()
    monkeypatch.setattr(compiled_steps, "LONG", 128)
    options = {"duration": 0.3, "dt": 1e-3, "method": method, "every": 7, "t0": 0.5}
    for lead in ((), (2, 2)):
        q, qd = starts(system, rng, *lead)
        one, two = ch.simulate(system, q, qd, **options), by_stages(system, q, qd, **options)
        assert (one.t == two.t).all() and one.q.shape == two.q.shape == (*lead, 44, system.nq)
        for name in ("q", "qd", "tau", "energy"):
            assert close(getattr(one, name), getattr(two, name), FLOAT64, 1.0), name


@pytest.mark.parametrize("method", ["variational", pytest.param("variational4", marks=pytest.mark.slow)])
def test_methods_that_carry_more(method, rng, by_stages):
    robot = ch.load("planar_2r")
    q, qd = starts(robot, rng, 2)
    one, two = (run(robot, q, qd, duration=0.15, method=method) for run in (ch.simulate, by_stages))
    assert close(one.q, two.q, FLOAT64, 1.0) and close(one.qd, two.qd, FLOAT64, 1.0)


def test_kernels_are_used(monkeypatch):
    """Without a control, and with one that is sampled; many steps a call."""
    called = []
    steps = advance.CompiledSteps.__call__
    monkeypatch.setattr(advance.CompiledSteps, "__call__", lambda *x: called.append(x[3]) or steps(*x))
    robot = ch.load("planar_2r")
    ch.simulate(robot, [0.1, 0.2], [0.0, 0.0], duration=1.2)
    assert called == [1200, 688, 176]
    called.clear()
    ch.simulate(robot, [0.1, 0.2], [0.0, 0.0], lambda t, q, v: -v, duration=0.03, sample=0.01)
    assert called == [10, 10, 10]
    called.clear()
    ch.simulate(robot, [0.1, 0.2], [0.0, 0.0], lambda t, q, v: -v, duration=0.01)
    assert not called


def test_large_batches(rng, by_stages):
    """More rows than are recorded in chunks."""
    robot = ch.load("planar_2r")
    q, qd = starts(robot, rng, 70)
    one, two = (run(robot, q, qd, duration=0.02, dt=2e-3) for run in (ch.simulate, by_stages))
    assert close(one.q, two.q, FLOAT64) and close(one.qd, two.qd, FLOAT64)


def test_where_the_rank_falls(monkeypatch):
    """A mass on two lines that cross: the steps there, and no others, are made in Python, which knows the branch."""
    made = []
    step = advance.FixedSteps.step
    monkeypatch.setattr(advance.FixedSteps, "step", lambda *x: made.append(x[1]) or step(*x))
    cross = ch.ConstrainedSystem(mass(), ch.Constraint.holonomic(lambda q: q[0] * q[1], "lines"))
    run = ch.simulate(cross, [-0.5, 0.0], [1.0, 0.0], duration=1.0, dt=1e-2)
    assert 0 < len(made) < 5 and np.abs(np.array(made) - 0.5).max() < 0.03
    assert close(run.q[:, 0], run.t - 0.5) and close(run.energy, np.full(101, 0.5))
    at = np.array([[0.0, 0.0], [0.3, 0.0]])
    for q, qd in (cross.step(at[0], [1.0, 0.0], dt=1e-2), cross.step(at, [1.0, 0.0], dt=1e-2)):
        assert close(q, np.add(at if q.ndim == 2 else at[0], [0.01, 0.0])) and close(qd[..., 0], np.ones(q.shape[:-1]))


def test_an_end_in_the_middle_of_a_chunk(by_stages):
    """The message, the time and what was computed are those of steps in Python."""
    root = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 + np.sqrt(q[0]))
    errors = []
    for run in (ch.simulate, by_stages):
        with pytest.raises(ch.SimulationError) as error:
            run(root, [1.0], [-2.0], duration=2.0, dt=1e-2, every=3)
        errors.append(error.value)
    assert str(errors[0]) == str(errors[1]) and "is not finite at t = 0.5" in str(errors[0])
    one, two = (error.trajectory for error in errors)
    assert (one.t == two.t).all() and close(one.q, two.q) and np.isfinite(one.q).all()


def test_rows_that_end(by_stages):
    """Two rows of four, at different times: they are nan from there on, and others are what they are alone."""
    root = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 + np.sqrt(q[0]))
    qd = np.array([[0.1], [-2.0], [0.2], [-1.9]])
    options = {"duration": 2.0, "dt": 1e-2}
    with pytest.warns(RuntimeWarning, match=r"row 1 of the batch ends at t = 0\.5"):
        both = ch.simulate(root, np.ones((4, 1)), qd, **options)
    with pytest.warns(RuntimeWarning, match=r"row 1 of the batch ends at t = 0\.5"):
        slow = by_stages(root, np.ones((4, 1)), qd, **options)
    assert (np.isnan(both.q) == np.isnan(slow.q)).all() and np.isnan(both.q).any(axis=(1, 2)).tolist() == [0, 1, 0, 1]
    for row in (0, 2):
        alone = ch.simulate(root, [1.0], qd[row], **options)
        assert close(both.q[row], alone.q, FLOAT64) and close(both.energy[row], alone.energy, FLOAT64)


def test_a_step():
    """One step of each kind of system is what simulate makes, numbers or traced."""
    rng = np.random.default_rng(4)
    for system in (ch.load("planar_2r"), floating(), bars(), shaken()):
        q, qd = starts(system, rng)
        tau = rng.normal(size=system.n)
        for method in ("rk4", "semi_implicit")[: 1 + (system.n == 2)]:
            run = ch.simulate(system, q, qd, lambda t, q, v, tau=tau: tau, duration=2e-3, method=method, t0=0.5)
            x, v = q, qd
            for k in range(2):
                x, v = system.step(x, v, tau, dt=1e-3, method=method, t=0.5 + 1e-3 * k)
                assert close(x, run.q[k + 1], FLOAT64) and close(v, run.qd[k + 1], FLOAT64)
        free = ch.simulate(system, q, qd, duration=1e-3)
        assert close(system.step(q, qd, dt=1e-3)[1], free.qd[1], FLOAT64)
        rows = system.step(np.stack([q, q]), qd, dt=1e-3)
        assert rows[0].shape == (2, system.nq) and close(rows[1][1], free.qd[1], FLOAT64)
    arm = ch.load("planar_2r")
    traced = ch.compile(lambda q, qd: arm.step(q, qd, dt=0.01), q=2, qd=2)
    assert close(traced([0.1, 0.2], [0.3, 0.4])[0], arm.step([0.1, 0.2], [0.3, 0.4], dt=0.01)[0], FLOAT64)


def falling(q, qd):
    return qd @ qd / 2 - 9.81 * q[1]


def test_systems_travel_after_a_step():
    """What is compiled is not part of them."""
    system, arm = ch.LagrangianSystem(2, falling), ch.load("planar_2r")
    for one in (system, arm):
        there = one.step([0.1, 0.2], [0.3, 0.4], dt=0.01)
        again = pickle.loads(pickle.dumps(one))
        assert "_steps" not in vars(again) and close(again.step([0.1, 0.2], [0.3, 0.4], dt=0.01), there)
        assert close(copy.copy(one).step([0.1, 0.2], [0.3, 0.4], dt=0.01), there)


def test_what_a_step_refuses():
    arm = ch.load("planar_2r")
    for message, given in {
        "dt must be a positive number of seconds, got 0": {"dt": 0},
        "dt must be a positive number of seconds, got True": {"dt": True},
        "method must be one of": {"dt": 0.1, "method": "leapfrog"},
        "step: t must be a finite number of seconds": {"dt": 0.1, "t": float("nan")},
    }.items():
        arm.step([0.1, 0.2], [0.0, 0.0], dt=1.0)
        with pytest.raises(ch.ModelError, match=message):
            arm.step([0.1, 0.2], [0.0, 0.0], **given)
    with pytest.raises(ch.ShapeError, match="qd"):
        arm.step([0.1, 0.2], [0.0], dt=1.0)
    mass = ch.symbols("m")
    robot = ch.Robot.from_screws([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [ch.Link(mass, (0.1, 0, 0), (1, 1, 1))])
    with pytest.raises(ch.ModelError, match="step: robot 'robot' has the symbols m, and this needs numbers"):
        robot.step([0.0], [0.0], dt=0.1)


@pytest.mark.parametrize("made", [floating, bars, shaken])
@pytest.mark.parametrize("method", METHODS)
def test_a_control_between_stages(made, method, rng, by_stages):
    """It is asked at the same times and states, and the motion is the same: continuous, with stops and limits too."""
    system, asked = made(), ([], [])

    def law(times):
        return lambda t, q, v: times.append(t) or np.sin(5.0 * t) - 0.3 * v

    q, qd = starts(system, rng, 2)
    options = {"duration": 0.02, "dt": 2e-3, "method": method, "saturate": 0.9}
    one = ch.simulate(system, q, qd, law(asked[0]), **options)
    two = by_stages(system, q, qd, law(asked[1]), **options)
    assert close(asked[0], asked[1], 1e-12)
    for name in ("q", "qd", "tau", "energy"):
        assert close(getattr(one, name), getattr(two, name), FLOAT64, 1.0), name


def test_rolling(by_stages):
    """A constraint that has no values: velocities alone are put back."""
    disk = ch.LagrangianSystem(3, lambda q, qd: qd @ qd / 2, name="blade")
    skate = ch.Constraint.pfaffian(lambda q: np.stack([[np.sin(q[2]), -np.cos(q[2]), 0.0 * q[0]]]), "skate")
    cs = ch.ConstrainedSystem(disk, skate)
    for law in (None, lambda t, q, v: -0.1 * v):
        one, two = (
            run(cs, np.zeros(3), [1.0, 0.0, 2.0], law, duration=0.2, dt=0.01) for run in (ch.simulate, by_stages)
        )
        assert close(one.q, two.q, FLOAT64) and close(one.multipliers, two.multipliers, FLOAT64)
