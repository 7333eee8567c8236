"""`simulate` with a tolerance and with events: the same records as in fixed steps."""

from typing import Any

import numpy as np
import pytest
from support import orders
from support.tolerances import close

import chasles as ch

FALL = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 - 9.81 * q[0])
RUNAWAY = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, forces=lambda q, qd: qd**2)
LANDS = np.sqrt(2.0 / 9.81)
HOW: Any = {"method": "dormand_prince", "tolerance": 1e-9}


def height(t: float, q: Any, qd: Any) -> Any:
    return q[0]


@pytest.mark.parametrize("name", ["spherical", "four-bar"])
def test_the_same_motion_as_in_fixed_steps(name: str) -> None:
    system, q, qd, law = orders.case(name)
    fixed = ch.simulate(system, q, qd, law, duration=0.1, dt=1e-3, every=30)
    found = ch.simulate(system, q, qd, law, duration=0.1, dt=1e-3, every=30, **HOW)
    assert (found.t == fixed.t).all() and found.q.shape == fixed.q.shape and found.events == ()
    for part in ("q", "qd", "tau", "energy"):
        assert close(getattr(found, part), getattr(fixed, part), 1e-5), part


@pytest.mark.parametrize("how", [{}, HOW], ids=["fixed", "tolerance"])
@pytest.mark.parametrize("law", [None, lambda t, q, qd: 0.0 * qd], ids=["free", "controlled"])
def test_a_terminal_event_ends_the_motion(law: Any, how: Any) -> None:
    top = ch.Event(lambda t, q, qd: q[0] - 0.5, "half", direction=-1)
    ground = ch.Event(height, "ground", terminal=True)
    found = ch.simulate(FALL, [1.0], [0.0], law, duration=2.0, dt=0.01, events=[top, ground], **how)
    assert [event.name for event in found.events] == ["half", "ground"]
    assert close([event.t for event in found.events], [np.sqrt(1.0 / 9.81), LANDS], 1e-10)
    assert len(found.t) == 47 and close(found.t, [*0.01 * np.arange(46), LANDS], 1e-10)
    assert abs(found.q[-1, 0]) < 1e-10 and close(found.energy, 9.81 * np.ones(47), 1e-9)


@pytest.mark.parametrize("how", [{}, HOW], ids=["fixed", "tolerance"])
def test_events_of_rows(how: Any) -> None:
    found = ch.simulate(FALL, [[1.0], [0.25], [9.0]], [0.0], duration=0.5, dt=0.01, events=[height], **how)
    assert [event.row for event in found.events] == [(1,), (0,)]
    assert close(found.row(0).events[0].t, LANDS, 1e-10) and found.row(2).events == ()


def test_rows_that_end() -> None:
    with pytest.warns(RuntimeWarning, match="row 1 of the batch ends at .* no step is short enough"):
        found = ch.simulate(
            RUNAWAY, [0.0], [[1.0], [4.0]], duration=0.5, dt=0.1, method="dormand_prince", tolerance=1e-6
        )
    assert np.isfinite(found.q[0]).all() and np.isnan(found.qd[1, 3:]).all() and np.isfinite(found.qd[1, :3]).all()


def test_a_motion_that_ends_and_a_control_that_fails() -> None:
    how: Any = {"duration": 0.5, "dt": 0.1, "method": "dormand_prince", "tolerance": 1e-6}
    with pytest.raises(ch.SimulationError, match="no step is short enough") as error:
        ch.simulate(RUNAWAY, [0.0], [4.0], **how)
    assert len(error.value.trajectory.t) == 3

    def fails(t: float, q: Any, qd: Any) -> Any:
        if t > 0.25:
            raise ZeroDivisionError("the law's")
        return 0.0 * qd

    with pytest.raises(ZeroDivisionError, match="the law's") as other:
        ch.simulate(FALL, [1.0], [0.0], fails, **how)
    assert "ends at t = 0." in other.value.__notes__[0]
    t = other.value.trajectory.t  # type: ignore[attr-defined]
    assert len(t) >= 2 and (np.diff(t) > 0.0).all() and t[-1] <= 0.25
    with pytest.raises(ch.ModelError, match="control returned None"):
        ch.simulate(FALL, [1.0], [0.0], lambda t, q, qd: None, **how)  # type: ignore[arg-type, return-value]


def test_a_control_that_returns_nan() -> None:
    """It is named, with time and state: within a step, at a state that is kept, of a row."""
    how: Any = {"duration": 0.5, "dt": 0.1, "method": "dormand_prince", "tolerance": 1e-6}
    for since, kept in ((0.25, 3), (0.2, 2), (0.0, 1)):
        with pytest.raises(ch.SimulationError, match=r"control returned \[nan\] for t = 0.*, q = \[") as error:
            ch.simulate(FALL, [1.0], [0.0], lambda t, q, qd, since=since: qd * (np.nan if t >= since else 0.0), **how)
        assert len(error.value.trajectory.t) == kept and np.isfinite(error.value.trajectory.q).all()
    with pytest.raises(ch.SimulationError, match=r"ends at t = 0.2, .*control returned \[nan\] for t = 0.2,") as error:
        ch.simulate(FALL, [1.0], [0.0], lambda t, q, qd: qd * (np.nan if t == 0.2 else 0.0), **how)  # between steps
    assert close(error.value.trajectory.t, [0.0, 0.1, 0.2])
    with pytest.warns(RuntimeWarning, match=r"row 1 of .* ends at t = 0.2.*control returned \[nan\] for t = 0.2"):
        found = ch.simulate(
            FALL, [[1.0], [2.0]], [0.0], lambda t, q, qd: np.array([[0.0], [np.nan if t > 0.25 else 0.0]]), **how
        )
    assert np.isfinite(found.q[0]).all() and np.isnan(found.q[1, 3:]).all() and np.isfinite(found.q[1, :3]).all()


def test_stops_and_the_distance_of_states() -> None:
    """Steps are as short as stops need, however far apart states are kept."""
    robot = ch.load("ur5")
    q, qd = robot.limits["upper"] - 0.01, np.full(6, 0.5)
    found = ch.simulate(robot, q, qd, duration=0.2, dt=0.1, stops=True, **HOW)
    fine = ch.simulate(robot, q, qd, duration=0.2, dt=1e-4, every=1000, stops=True)
    assert close(found.q, fine.q, 1e-5) and np.abs(found.signals["stops"]).max() > 0.0


REFUSED = {
    "method 'rk4' has no estimate of its error": {"tolerance": 1e-6},
    "tolerance must be a positive number": {"tolerance": -1.0},
    "method 'semi_implicit' has no estimate": {
        "tolerance": 1e-6,
        "method": "semi_implicit",
        "control": lambda t, q, qd: 0.0 * qd,
    },
    "sample and tolerance": {**HOW, "sample": 0.1, "control": lambda t, q, qd: 0.0 * qd},
    "events must be a list of Event or functions of (t, q, qd), got int": {"events": 3},
    "events[0] must be a function of (t, q, qd), got str": {"events": ["ground"]},
    "events of a batch cannot be terminal": {"q": [[1.0], [2.0]], "events": [ch.Event(height, terminal=True)]},
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message: str) -> None:
    given: Any = {"q": [1.0], "qd": [0.0], "duration": 1.0, "dt": 0.1, **REFUSED[message]}
    with pytest.raises(ch.ModelError) as error:
        ch.simulate(FALL, **given)
    assert message in str(error.value)
