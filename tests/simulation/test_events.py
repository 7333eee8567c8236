"""Events: found to 1e-12 on states within steps, by direction, terminal or not; what is refused."""

from typing import Any

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles import integrators
from chasles.integrators.equations import equations
from chasles.simulation import Event
from chasles.simulation.adaptive import AdaptiveMotion, EmbeddedStep, Tolerance, adaptive_motion
from chasles.simulation.events import Watch
from chasles.simulation.interpolants import by_ends

FALL = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 - 9.81 * q[0])
LANDS, TOP = (0.5 + np.sqrt(0.25 + 2 * 9.81)) / 9.81, 0.5 / 9.81
SPRING = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 - q[0] ** 2 / 2)


def height(t: float, q: Any, qd: Any) -> Any:
    return q[0]


def thrown(*events: Any, duration: float = 1.0) -> AdaptiveMotion:
    """From 1 m, upwards at 0.5 m/s."""
    times = np.linspace(0.0, duration, 11)
    start = np.array([1.0]), np.array([0.5])
    return adaptive_motion(EmbeddedStep(FALL, None), times, *start, Tolerance(1e-9, 1e-9), events)


def swinging(*events: Any, tolerance: float = 1e-9, duration: float = 20.0) -> AdaptiveMotion:
    """q = sin t."""
    times, start = np.linspace(0.0, duration, 11), (np.array([0.0]), np.array([1.0]))
    return adaptive_motion(EmbeddedStep(SPRING, None), times, *start, Tolerance(tolerance, tolerance), events)


def test_times_of_a_throw() -> None:
    """Parabolas are what states within steps are exact for: times are right to 1e-12, in the order they come."""
    found = thrown(Event(height, direction=-1, terminal=True), Event(lambda t, q, qd: qd, "top"))
    top, ground = found.events
    assert (top.name, ground.name, ground.terminal, ground.row) == ("top", "height", True, ())
    assert close(top.t, TOP, 2e-12, scale=1.0) and close(ground.t, LANDS, 2e-12, scale=1.0)
    assert ground.q[0] <= 0.0 and top.qd[0] <= 0.0  # beyond the crossing
    assert close(found.t, [*np.arange(6) / 10, LANDS]) and close(found.q[-1], ground.q) and found.qd.shape == (7, 1)


def test_directions() -> None:
    """Every half turn, each turn rising and falling; the zero at the start is none."""
    asked = Event(height, "both"), Event(height, "up", direction=1), Event(height, "down", direction=-1)
    found = swinging(*asked).events
    times = {name: [e.t for e in found if e.name == name] for name in ("both", "up", "down")}
    assert close(times["both"], np.pi * np.arange(1, 7), 1e-8)
    assert close(times["down"], np.pi * np.arange(1, 7, 2), 1e-8)
    assert close(times["up"], np.pi * np.arange(2, 7, 2), 1e-8)


def test_two_crossings_within_a_step() -> None:
    """Steps are looked at in parts: a loose tolerance makes one step of what passes zero twice."""
    found = swinging(lambda t, q, qd: q[0] - 0.95, tolerance=1e-3, duration=3.0)
    assert found.steps < 12 and len(found.events) == 2
    assert close([e.t for e in found.events], [np.arcsin(0.95), np.pi - np.arcsin(0.95)], 1e-2)
    assert found.events[0].name == "<lambda>"


@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_fixed_steps(method: str) -> None:
    """By cubics through the ends of steps, whatever the method."""
    law, scheme = equations(SPRING, lambda t, q, v: 0.0 * v), integrators.find(method)
    t, h, q, v = 0.0, 0.02, np.array([0.0]), np.array([1.0])
    watch, found = Watch([height], t, q, v), []
    for k in range(200):
        after = scheme.step(law, t, (q, v), h)
        found += watch.advance(by_ends(law, t, h, (q, v), (after[0], after[1])))
        t, (q, v) = (k + 1) * h, after
    assert len(found) == 1 and close(found[0].t, np.pi, 1e-2 if method == "semi_implicit" else 1e-8)


def test_rows_of_a_batch() -> None:
    q, qd = np.array([[[1.0], [2.0]]]), np.array([[[0.0], [-1.0]]])
    run, times = EmbeddedStep(FALL, None), np.array([0.0, 1.0])
    found = adaptive_motion(run, times, q, qd, Tolerance(1e-9, 1e-9), [height]).events
    assert [e.row for e in found] == [(0, 0), (0, 1)]
    assert close([e.t for e in found], [np.sqrt(2 / 9.81), (-1.0 + np.sqrt(1.0 + 4 * 9.81)) / 9.81], 1e-11)
    with pytest.raises(ch.ModelError, match="events of a batch cannot be terminal"):
        adaptive_motion(run, times, q, qd, Tolerance(), [Event(height, terminal=True)])


def test_on_groups() -> None:
    """A ball joint that turns freely about a principal axis comes round every 2 pi / w."""
    robot = ch.Robot.from_screws(
        np.zeros((1, 6)), np.eye(4)[None], [ch.Link(1.0, (0, 0, 0), (0.1, 0.2, 0.3))], kinds=["spherical"]
    )
    start, w = np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, 2.0])
    event = Event(lambda t, q, qd: q[2] * q[3], "half turns")
    run = EmbeddedStep(robot, None)
    found = adaptive_motion(run, np.linspace(0.0, 5.0, 6), start, w, Tolerance(1e-6, 1e-6), [event])
    assert close([e.t for e in found.events], np.pi / 2 * np.arange(1, 4), 1e-11)
    assert close(np.linalg.norm(found.q, axis=-1), np.ones(6), 1e-14)


REFUSED = {
    "event: crossing must be a function of (t, q, qd), got float": lambda: Event(1.0),  # type: ignore[arg-type]
    "events[0] must be a function of (t, q, qd), got one of (q)": lambda: thrown(lambda q: q),
    "event: direction must be one of -1, 0, 1, got 2": lambda: Event(height, direction=2),  # type: ignore[arg-type]
    "event: terminal must be": lambda: Event(height, terminal="yes"),  # type: ignore[arg-type]
    "event: name": lambda: Event(height, 3),  # type: ignore[arg-type]
    "what event 'height' returns": lambda: thrown(Event(lambda t, q, qd: None, "height")),
    "event 'state' must return one number, got an array of shape (2,)": lambda: thrown(
        Event(lambda t, q, qd: np.concatenate([q, qd]), "state")
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message: str) -> None:
    with pytest.raises((ch.ModelError, ch.ShapeError)) as error:
        REFUSED[message]()
    assert message in str(error.value)
