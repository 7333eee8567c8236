"""Motions that end before their time: the error names time, state and cause, and has what was computed."""

import pickle

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch

METHODS = ["rk4", "semi_implicit"]
ROD = ch.Constraint.holonomic(lambda q: q @ q - 1.0, "rod")


def slider():
    return ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, name="slider")


def mass():
    return ch.LagrangianSystem(2, lambda q, qd: (qd @ qd) / 2 - 9.81 * q[1], name="mass")


def ended(*given, **options):
    with pytest.raises(ch.SimulationError) as error:
        ch.simulate(*given, **options)
    return error.value


def finite(motion):
    return all(np.isfinite(part).all() for part in (motion.t, motion.q, motion.qd))


SYSTEMS = {
    "robot": lambda: (ch.load("planar_2r"), [0.3, 0.4], [0.0, 0.1]),
    "lagrangian": lambda: (slider(), [1.0], [0.1]),
    "constrained": lambda: (ch.ConstrainedSystem(mass(), ROD), [1.0, 0.0], [0.0, 1.0]),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_control_that_returns_nan(name, method):
    """It is named, with the time; the motion until then is that without it, its last state too."""
    system, q, qd = SYSTEMS[name]()

    def control(t, q, qd):
        return np.full(system.n, np.nan if t > 0.0258 else 0.0)

    error = ended(system, q, qd, control, duration=0.1, method=method, every=10)
    whole = ch.simulate(system, q, qd, duration=0.1, method=method)
    last = 25 if method == "rk4" else 26  # the stage at the end of a step asks first
    assert f"the motion ends at t = {last / 1000}, q = [" in str(error)
    assert "control returned [nan" in str(error) and "for t = 0.026" in str(error)
    motion = error.trajectory
    assert finite(motion) and close(motion.t, np.array([0, 10, 20, last]) / 1000)
    for part in ("q", "qd", "energy") + ("multipliers",) * (method == "rk4" and name == "constrained"):
        assert close(getattr(motion, part), getattr(whole, part)[[0, 10, 20, last]]), part
    assert np.isnan(motion.tau[-1]).all() == (method != "rk4")


@pytest.mark.parametrize("method", METHODS)
def test_steps_that_are_too_long(method):
    """A stiff spring and damper, a robot in syrup: it grows, and the error says so."""
    arm = ch.load("planar_2r")
    for system, q, qd, control in (
        (slider(), [1.0], [0.0], lambda t, q, v: -1e8 * q - 1e6 * v),
        (arm, [0.3, 0.4], [1.0, 1.0], lambda t, q, v: -1e6 * v),
    ):
        error = ended(system, q, qd, control, duration=1.0, method=method)
        assert "grows without bound" in str(error) and "dt = 0.001" in str(error)
        assert finite(error.trajectory) and 1 < len(error.trajectory.t) < 200


@pytest.mark.parametrize("control", [None, lambda t, q, v: 0.0 * v])
def test_an_iteration_that_does_not_converge(control):
    """A joint that comes to rest under dry friction, an arm that turns fast: the method is named."""
    rubbed = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, forces=lambda q, qd: -50.0 * np.sign(qd))
    for system, qd, dt, method in (
        (rubbed, [9.3], 0.1, "sdirk3"),
        (rubbed, [9.3], 0.1, "radau"),
        (ch.load("planar_2r"), [8.0, 8.0], 0.05, "variational"),
    ):
        error = ended(system, np.zeros(system.n), qd, control, duration=2.0, dt=dt, method=method)
        assert f"{method} found no step of dt = {dt} from there" in str(error) and "smaller dt" in str(error)
        assert "without bound" not in str(error) and finite(error.trajectory) and len(error.trajectory) > 1
    runaway = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, forces=lambda q, qd: 5.0 * qd)
    error = ended(runaway, [0.0], [1e300], control, duration=9.0, dt=0.1, method="sdirk3")
    assert "grows without bound" in str(error)


@pytest.mark.parametrize("method", METHODS)
def test_what_the_system_does_not_give(method):
    """At a state that is finite: a potential without a value, a mass that vanishes."""
    root = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 + np.sqrt(q[0]))
    error = ended(root, [1.0], [-2.0], duration=2.0, dt=1e-2, method=method)
    assert "bias_forces" in str(error) and "is not finite at t = 0.5" in str(error) and finite(error.trajectory)
    light = ch.LagrangianSystem(1, lambda q, qd: q[0] * qd[0] ** 2 / 2)
    error = ended(light, [0.0], [0.0], duration=1.0, dt=0.25, method=method)
    assert "the mass matrix is singular at t = 0, q = [0.]" in str(error) and len(error.trajectory.t) == 1


def test_a_constraint_that_cannot_be_kept():
    """The error of the system is named, is the cause, and what was computed is handed back all the same."""
    rod = ch.ConstrainedSystem(mass(), ROD)
    error = ended(rod, [1.0, 0.0], [0.0, 0.1], lambda t, q, v: 1e4 * v, duration=1.0, dt=1e-2)
    assert "constraint rod is off by" in str(error) and "take a smaller dt" in str(error)
    assert isinstance(error.__cause__, ch.ModelError)
    assert finite(error.trajectory) and error.trajectory.multipliers.shape == (len(error.trajectory.t), 1)


@pytest.mark.parametrize("method", METHODS)
def test_a_constraint_that_ends(method):
    """A contact that is not found any more: its rows are nan beyond the edge of the curve."""
    edge = ch.Constraint.holonomic(lambda q: q[1] - np.sqrt(1.0 - q[0]) / 4, "edge")
    cs = ch.ConstrainedSystem(mass(), edge, start=[0.0, 0.25])
    error = ended(cs, [0.0, 0.25], [1.0, -0.125], duration=2.0, method=method, every=7)
    said = {"rk4": "a constraint has no finite rows at t = 0.68", "semi_implicit": "edge stays off by nan"}
    assert said[method] in str(error)
    assert finite(error.trajectory) and error.trajectory.q[-1, 0] > 0.9 and error.trajectory.multipliers is not None


def test_a_law_that_refuses():
    def law(t, q, v):
        if t > 0.5:
            raise ch.ModelError("this law gives up")
        return 0.0

    error = ended(slider(), [0.0], [1.0], law, duration=1.0, dt=0.125, every=3)
    assert "ends at t = 0.5" in str(error) and "this law gives up" in str(error)
    assert close(error.trajectory.t, [0.0, 0.375, 0.5]) and close(error.trajectory.q[:, 0], [0.0, 0.375, 0.5])


def test_at_the_very_end():
    """A force that is nan at the last state, which no step uses, is not handed back as if it were one."""
    error = ended(slider(), [0.0], [1.0], lambda t, q, v: np.nan if t == 1.0 else 0.0, duration=1.0, dt=0.25,
                  method="semi_implicit")  # fmt: skip
    assert "control returned [nan] for t = 1" in str(error) and finite(error.trajectory)


def test_one_row_of_a_batch():
    """The others go on as they would alone; it is nan from its end on, and warned of."""

    def cubic(t, q, v):
        return v**3

    options = {"duration": 2.0, "dt": 1e-2, "every": 5}
    with pytest.warns(RuntimeWarning, match="row 1 of the batch ends at t = 0.5.*grows without bound"):
        both = ch.simulate(slider(), np.ones((3, 1)), [[0.1], [1.0], [0.2]], cubic, **options)
    for row, speed in ((0, 0.1), (2, 0.2)):
        alone = ch.simulate(slider(), [1.0], [speed], cubic, **options)
        assert (both.q[row] == alone.q).all() and (both.energy[row] == alone.energy).all()
    good = np.isfinite(both.q[1, :, 0])
    assert good[both.t < 0.5].all() and not good[both.t > 0.6].any()
    error = ended(slider(), np.ones((2, 1)), [[2.0], [1.0]], cubic, **options)
    assert "row 0 of the batch" in str(error)
    assert np.isnan(error.trajectory.q[0, -1]).all() and np.isfinite(error.trajectory.q[1, -1]).all()


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_start_that_is_not_finite(name, wrong):
    system, *given = SYSTEMS[name]()
    for k, what in enumerate(("q", "qd")):
        broken = [np.array(x) for x in given]
        broken[k][-1] = wrong
        with pytest.raises(ch.ModelError, match=f"simulate: {what} has a nan or an infinity"):
            ch.simulate(system, broken[0], broken[1], duration=0.1)


def test_a_dead_encoder_of_a_joint_that_nothing_depends_on():
    """The base of the arm may be turned at will: its dynamics do not change, and a nan there would vanish."""
    arm = ch.load("planar_2r").with_gravity([0.0, 0.0, 0.0])
    assert np.isfinite(arm.forward_dynamics([np.nan, 0.4], np.zeros(2), np.zeros(2))).all()
    with pytest.raises(ch.ModelError, match="simulate: q has a nan or an infinity, at"):
        ch.simulate(arm, [[0.1, 0.4], [np.nan, 0.4]], np.zeros(2), duration=0.1)


TIMES = {
    "dt = 9.99989e-321 is too short for duration = 1: it takes 2**31 steps or more": {"dt": 1e-320},
    "dt = 1e-10 is too short for duration = 1: it takes 2**31 steps or more": {"dt": 1e-10},
    "duration must be a whole number of steps of dt = 2.0, got 1.0": {"dt": 2.0},
    "t0 = 1e+20 is too large for steps of dt = 0.001": {"t0": 1e20},
    "t0 = 1.7e+308 is too large": {"t0": 1.7e308, "duration": 1e308, "dt": 1e308},
    "keep fewer by every=": {"dt": 1e-9, "q": np.zeros((10_000, 1))},
}


@pytest.mark.parametrize("message", TIMES)
def test_times_and_sizes_that_are_refused(message):
    given = {"q": [0.0], "qd": [0.0], "duration": 1.0, **TIMES[message]}
    with pytest.raises(ch.ModelError) as error:
        ch.simulate(slider(), **given)
    assert message in str(error.value)


def test_numbers_that_overflow():
    assert "grows without bound" in str(ended(slider(), [0.0], [1e308], duration=20.0, dt=10.0))


def test_the_error_travels():
    """Between processes, with what was computed."""
    error = ended(slider(), [0.0], [1.0], lambda t, q, v: np.nan if t > 0.5 else 0.0, duration=1.0, dt=0.25)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and (again.trajectory.q == error.trajectory.q).all()
