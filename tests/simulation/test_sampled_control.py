"""Controllers with a clock: zero-order hold, delay, resolutions, saturation; signals that are recorded."""

import numpy as np
import pytest
from support.tolerances import EXACT, close

import chasles as ch

STEP = 0.01


def slider():
    return ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, name="slider")


def law(t, q, qd):
    return 3.0 - 2.0 * q - qd


def held_by_hand(period, delay, steps, seen=lambda q, v: (q, v), given=lambda u: u):
    """q, qd and tau of a unit mass, exactly: under a constant force in each step."""
    q, v, tau, coming, rows = 0.2, 1.0, 0.0, [], []
    for k in range(steps + 1):
        if k % period == 0:
            coming.append((k + delay, given(law(k * STEP, *seen(q, v)))))
        while coming and coming[0][0] <= k:
            tau = coming.pop(0)[1]
        rows.append((q, v, tau))
        q, v = q + v * STEP + tau * STEP**2 / 2, v + tau * STEP
    return np.array(rows).T


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize(
    "period, delay", [(1, 0), (5, 0), (5, 3), (5, 5), (5, 12), (1, 2), (200, 0)], ids=lambda x: str(x)
)
def test_zero_order_hold(period, delay, every):
    """Of a whole number of steps, late by less or more than a period; kept more and less often than it is asked."""
    clock = ch.Sampling(period * STEP, delay=delay * STEP)
    run = ch.simulate(slider(), [0.2], [1.0], law, duration=0.6, dt=STEP, sample=clock, every=every)
    q, qd, tau = held_by_hand(period, delay, 60)[:, ::every]
    assert close(run.q[:, 0], q, EXACT * 10) and close(run.qd[:, 0], qd, EXACT * 10)
    assert close(run.tau[:, 0], tau, EXACT * 10)


def test_when_it_is_asked():
    asked = []
    control = lambda t, q, v: asked.append(t) or np.zeros(1)  # noqa: E731
    ch.simulate(slider(), [0.0], [0.0], control, duration=0.1, dt=STEP, sample=0.03, t0=1.0)
    assert close(asked, [1.0, 1.03, 1.06, 1.09])


def test_resolutions():
    """What an encoder, a tachometer and an amplifier round."""
    clock = ch.Sampling(0.05, position_resolution=0.1, velocity_resolution=0.25, torque_resolution=0.5)
    run = ch.simulate(slider(), [0.2], [1.0], law, duration=0.6, dt=STEP, sample=clock)
    q, _, tau = held_by_hand(
        5, 0, 60, lambda q, v: (0.1 * np.rint(q / 0.1), 0.25 * np.rint(v / 0.25)), lambda u: 0.5 * np.rint(u / 0.5)
    )
    assert close(run.q[:, 0], q) and close(run.tau[:, 0], tau) and close(run.tau % 0.5, np.zeros((61, 1)), 1e-9, 1.0)


def test_quaternions_are_not_rounded():
    ball = ch.Robot.from_screws(
        [np.zeros(6), [0, 0, 1, 0, 0, 0]], [np.eye(4)] * 2, [ch.Link(1.0, inertia=(0.1, 0.1, 0.1))] * 2,
        kinds=("spherical", "screw"),
    )  # fmt: skip
    seen = []
    start = np.array([0.1, 0.2, 0.3, 0.9, 0.26])
    clock = ch.Sampling(STEP, position_resolution=0.25)
    ch.simulate(
        ball, start, np.zeros(4), lambda t, q, v: seen.append(q) or np.zeros(4), duration=STEP, dt=STEP, sample=clock
    )
    assert close(seen[0], [0.1, 0.2, 0.3, 0.9, 0.25], EXACT)


def test_all_coordinates_of_a_planar_joint_are_rounded():
    """They are lengths and an angle; those of a free joint are a pose."""
    seen = []
    clock = ch.Sampling(STEP, position_resolution=0.25)
    for kind, start in (("planar", [0.1, 0.2, 0.9]), ("free", [0.1, 0.2, 0.3, 0.9, 0.1, 0.2, 0.9])):
        body = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [ch.Link(1.0, inertia=(0.1, 0.1, 0.1))], kinds=(kind,))
        control = lambda t, q, v: seen.append(q) or 0.0  # noqa: E731
        ch.simulate(body, start, np.zeros(body.n), control, duration=STEP, dt=STEP, sample=clock)
    assert close(seen[0], [0.0, 0.25, 1.0], EXACT) and close(seen[2], [0.1, 0.2, 0.3, 0.9, 0.1, 0.2, 0.9], EXACT)


def test_no_control_to_sample():
    one, two = (ch.simulate(slider(), [0.0], [1.0], duration=0.1, dt=STEP, sample=x) for x in (None, 0.02))
    assert (one.q == two.q).all()


@pytest.mark.parametrize("sample", [None, 0.05])
def test_saturation(sample):
    """The tau that acted is recorded: of the robot's limits, of one number, of one each."""
    robot = ch.load("ur5")
    limits = robot.limits["effort"]
    options = {"duration": 0.1, "dt": STEP, "sample": sample}
    for given, bound in ((True, limits), (20.0, np.full(6, 20.0)), (limits / 7, limits / 7)):
        run = ch.simulate(robot, np.zeros(6), np.zeros(6), lambda t, q, v: 1e3 - 1e4 * v, saturate=given, **options)
        assert (np.abs(run.tau) <= bound).all() and (run.tau[0] == bound).all()
    free = ch.simulate(robot, np.zeros(6), np.zeros(6), lambda t, q, v: np.full(6, 1e2), **options)
    same = ch.simulate(robot, np.zeros(6), np.zeros(6), lambda t, q, v: np.full(6, 1e9), saturate=1e2, **options)
    assert (free.tau == 1e2).all() and (same.q == free.q).all()


@pytest.mark.parametrize("sample", [None, 2 * STEP])
def test_signals(sample):
    """Of functions, and of a law that has some; at the times that are kept, rows of a batch too."""

    class Law:
        count = 0

        def __call__(self, t, q, qd):
            self.count += 1
            return -qd

        def signals(self, t, q, qd):
            return {"count": self.count + 0.0 * q[..., 0], "error": q - 1.0}

    record = {"power": lambda t, q, qd, tau: np.sum(tau * qd, axis=-1), "time": lambda t, q, qd, tau: t + 0.0 * q}
    control = Law()
    run = ch.simulate(
        slider(), np.ones((2, 1)), [1.0], control, duration=0.1, dt=STEP, sample=sample, every=2, record=record
    )
    assert set(run.signals) == {"count", "error", "power", "time"} and run.signals["error"].shape == (2, 6, 1)
    assert close(run.signals["error"], run.q - 1.0, EXACT) and close(run.signals["time"][1, :, 0], run.t, EXACT)
    assert close(run.signals["power"], np.sum(run.tau * run.qd, axis=-1), EXACT)
    assert run.signals["count"][0].tolist() == [1, 2, 3, 4, 5, 6] if sample else control.count == 41


def test_what_is_refused():
    start = slider(), [0.0], [0.0], law
    for message, options in {
        "sample: period must be a whole number of steps of dt = 0.01, got 0.015": {"sample": 0.015},
        "sample: period = 1e-09 is shorter than a step of dt = 0.01": {"sample": 1e-9},
        "sample: delay must be a whole number of steps of dt = 0.01, got 0.001": {"sample": ch.Sampling(0.01, 0.001)},
        "sample must be a positive number of seconds, got 0": {"sample": 0.0},
        "sample must be a number of seconds or a Sampling": {"sample": "1 ms"},
        "saturate: 'slider' is no robot and has no limits of effort": {"saturate": True},
        "saturate must be True, False, a positive number or (1,), got -1.0": {"saturate": -1.0},
        "record['x'] must be a function of (t, q, qd, tau)": {"record": {"x": 1.0}},
        "signal 'x' must have shape": {"record": {"x": lambda t, q, v, u: np.zeros(int(1 + 100 * t))}},
    }.items():
        with pytest.raises((ch.ModelError, ch.ShapeError, ch.SimulationError)) as error:
            ch.simulate(*start, duration=0.1, dt=STEP, **options)
        assert message in str(error.value)
    with pytest.raises(ch.ModelError, match="delay must be"):
        ch.Sampling(0.01, delay=-1.0)


def test_a_sampled_control_that_is_wrong():
    """It is named with the time, as one that is asked at every stage."""
    for wrong, said in ((np.nan, "control returned [nan] for t = 0.06"), (None, "control returned None")):
        with pytest.raises(ch.SimulationError) as error:
            ch.simulate(slider(), [0.0], [1.0], lambda t, q, v, wrong=wrong: wrong if t > 0.05 else 0.0,
                        duration=0.1, dt=STEP, sample=0.03)  # fmt: skip
        assert said in str(error.value) and "the motion ends at t = 0.06" in str(error.value)
        assert close(error.value.trajectory.t, STEP * np.arange(7)) and np.isfinite(error.value.trajectory.q).all()


@pytest.mark.parametrize("given", [{"sample": ch.Sampling(STEP, delay=3 * STEP)}, {"sample": STEP}, {}], ids=str)
def test_a_control_with_a_buffer(given):
    """One that writes into its own array and returns that moves the system as one that makes a new one."""
    buffer = np.zeros(1)

    def reuses(t, q, qd):
        buffer[:] = law(t, q, qd)
        return buffer

    one, two = (
        ch.simulate(slider(), [0.2], [1.0], control, duration=0.2, dt=STEP, **given) for control in (reuses, law)
    )
    assert (one.q == two.q).all() and (one.tau == two.tau).all()


METHODS = ["rk4", "variational", "dormand_prince", "semi_implicit", "sdirk3"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("every", [1, 2])
def test_signals_of_what_a_law_remembers(method, every):
    """They are asked for after the law at the same time, and before it is asked at any stage."""

    class Law:
        seen = np.nan

        def __call__(self, t, q, qd):
            self.seen = t
            return -qd

        def signals(self, t, q, qd):
            return {"seen": self.seen}

    control = Law()
    record = {"other": lambda t, q, qd, tau: control.seen}
    run = ch.simulate(slider(), [0.2], [1.0], control, duration=0.1, dt=STEP, method=method, every=every, record=record)
    assert (run.signals["seen"] == run.t).all() and (run.signals["other"] == run.t).all()


@pytest.mark.parametrize("sample", [None, 5 * STEP])
def test_forces_at_a_terminal_event(sample):
    """They are those of the law there, or what is held; so are signals and multipliers."""
    system = ch.ConstrainedSystem(
        ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2), ch.Constraint.holonomic(lambda q: q[1], "rail")
    )
    pushes = lambda t, q, qd: np.array([-q[0], -10.0 * q[0]])  # noqa: E731
    run = ch.simulate(
        system, [0.2, 0.0], [1.0, 0.0], pushes, duration=1.0, dt=STEP, sample=sample, saturate=5.0,
        record={"force": lambda t, q, qd, tau: tau}, events=[ch.Event(lambda t, q, qd: q[0] - 0.305, terminal=True)],
    )  # fmt: skip
    at = 0.305 if sample is None else run.q[run.t <= 0.1 + 1e-9][-1, 0]
    assert close(run.tau[-1], [-at, -10.0 * at]) and close(run.signals["force"], run.tau, EXACT)
    assert close(run.multipliers[-1], [10.0 * at])
