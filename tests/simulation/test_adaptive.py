"""Steps by a tolerance: errors follow it, kernels and arrays agree, states within a step, rows that end."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from support import orders
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.simulation.adaptive import EmbeddedStep, Tolerance, adaptive_motion, adaptive_steps, error
from chasles.simulation.interpolants import by_ends

TIMES = np.linspace(0.0, orders.DURATION, 9)


@cache
def runs(name: str, traced: bool) -> EmbeddedStep:
    return EmbeddedStep(orders.case(name).system, orders.case(name).law, traced=traced)


def motion(name: str, tolerance: float, traced: bool = True) -> Any:
    start = orders.case(name).q, orders.case(name).qd
    return adaptive_motion(runs(name, traced), TIMES, *start, Tolerance(tolerance, tolerance))


@pytest.mark.parametrize("name", sweep(orders.SYSTEMS, ["spherical"]))
def test_errors_follow_the_tolerance(name: str) -> None:
    """At the end, and in between, where states are those within steps."""
    system, q, qd, _ = orders.case(name)
    kernel = orders.step_kernel(name, "dormand_prince")
    middle = orders.stepped(kernel, q, qd, 640, orders.DURATION / 2)
    for tolerance in (1e-6, 1e-9):
        found = motion(name, tolerance)
        for k, (x, v) in ((4, middle), (8, orders.exact(name))):
            off = system.difference(x, found.q[..., k, :]), found.qd[..., k, :] - v
            assert max(np.abs(part).max() for part in off) < 50.0 * tolerance * max(1.0, np.abs(v).max())
    loose, tight = (motion(name, tolerance).steps for tolerance in (1e-5, 1e-10))
    assert 5.0 < tight / loose < 15.0  # 10 for order 5, 18 for order 4


@pytest.mark.parametrize("name", sweep(orders.SYSTEMS, ["spherical"]))
def test_kernels_and_arrays_agree(name: str) -> None:
    """The same steps, whether the law is traced or called."""
    compiled, called = motion(name, 1e-7), motion(name, 1e-7, traced=False)
    assert compiled.steps == called.steps
    assert close(compiled.q, called.q, 1e-9) and close(compiled.qd, called.qd, 1e-9)


def test_constraints_hold_within_steps() -> None:
    found, bars = motion("four-bar", 1e-5), orders.case("four-bar").system
    assert np.abs(bars.residual(found.q)).max() < 1e-11
    assert np.abs(np.einsum("...ki,...i->...k", bars.constraint_matrix(found.q), found.qd)).max() < 1e-10


@pytest.mark.parametrize("name", sweep(orders.KINDS, ["spherical"]))
def test_orders_of_states_within_a_step(name: str) -> None:
    """The errors within one step: h^5 of the method's polynomials, h^4 in q and h^3 in v of cubics through its ends."""
    system, q, qd, _ = orders.case(name)
    run, errors = runs(name, True), []
    for h in (0.04, 0.02, 0.01):
        found = run.attempt(q, qd, 0.0, h, 1e-6, 1e-6)
        x, v = orders.stepped(orders.step_kernel(name, "dormand_prince"), q, qd, 40, 0.3 * h)
        both = run.within(0.0, h, (q, qd), found), by_ends(run.equations, 0.0, h, (q, qd), found[:2])
        states = [part(0.3 * h) for part in both]
        errors.append([np.linalg.norm(off) for y, u in states for off in (system.difference(x, y), u - v)])
        for part in both:
            assert close(part(h)[0], found[0], 1e-12) and close(part(h)[1], found[1], 1e-4)
            assert close(part(0.0)[0], q, 1e-12) and close(part(0.0)[1], qd, 1e-15)
    slopes = np.log2(np.array(errors)[:-1] / np.array(errors)[1:])
    assert (slopes > [4.6, 4.6, 3.6, 2.6]).all() and (slopes < [6.5, 6.5, 5.0, 4.0]).all(), slopes


def test_the_error_of_a_step() -> None:
    """(1): each part in units of atol + rtol times its size, that of velocities the larger of both ends."""
    x, fast, slow = np.array([0.2, 0.0]), np.array([3.0, 0.0]), np.array([1.0, 0.0])
    small, large = np.array([0.0, 1e-3]), np.array([0.062, 0.0])
    assert close(error((x, fast, slow), (small, large), 1e-2, 1e-3), 2.0, 1e-12)
    assert close(error((x, slow, fast), (small, large), 1e-2, 1e-3), 2.0, 1e-12)
    assert close(error((x, slow, fast), (large, small), 1e-2, 1e-3), 62.0 / 3.0, 1e-12)


def test_steps_are_within_the_tolerance_and_not_shorter_than_it_asks_for() -> None:
    """Where a force comes suddenly, steps are made again; elsewhere their errors are near what is allowed."""
    system = ch.LagrangianSystem(
        1, lambda q, qd, t: qd[0] ** 2 / 2 - q[0] ** 2 / 2 + 50.0 * q[0] * np.tanh(200.0 * (t - 2.0))
    )
    run = EmbeddedStep(system, None)
    steps = list(adaptive_steps(run, 0.0, np.zeros(1), np.ones(1), 4.0, Tolerance(1e-8, 1e-8)))
    errors = np.array([float(step.found[2]) for step in steps])
    assert errors.max() <= 1.0 and np.median(errors) > 0.1
    assert np.diff([step.t for step in steps]).min() < 0.1 * np.diff([step.t for step in steps[:20]]).max()


def runaway() -> ch.LagrangianSystem:
    """dv/dt = v^2, which is infinite after 1 / v seconds."""
    return ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, forces=lambda q, qd: qd**2)


def test_a_row_that_ends_is_nan_and_the_others_go_on() -> None:
    run, times = EmbeddedStep(runaway(), None), np.linspace(0.0, 0.5, 6)
    found = adaptive_motion(run, times, np.zeros((2, 1)), np.array([[1.0], [4.0]]), Tolerance(1e-6, 1e-6))
    assert close(found.qd[0, :, 0], 1.0 / (1.0 - times), 1e-5) and close(found.q[0, :, 0], -np.log(1.0 - times), 1e-5)
    assert close(found.qd[1, :3, 0], 1.0 / (0.25 - times[:3]), 1e-4) and np.isnan(found.qd[1, 3:]).all()


def test_where_no_row_is_left() -> None:
    with pytest.raises(ch.SimulationError, match=r"no step is short enough .* at t = 0\.25"):
        list(adaptive_steps(EmbeddedStep(runaway(), None), 0.0, np.zeros(1), np.array([4.0]), 0.5, Tolerance()))


def test_steps_are_no_longer_than_asked_and_end_where_asked() -> None:
    run = EmbeddedStep(ch.load("planar_2r"), None)
    steps = list(adaptive_steps(run, 1.0, np.zeros(2), np.ones(2), 1.7, Tolerance(1e-2, 1e-2), longest=0.05))
    lengths = np.diff([1.0, *(step.t for step in steps)])
    assert lengths.max() <= 0.0506 and steps[-1].t == 1.7


def test_methods_without_an_estimate_are_refused() -> None:
    with pytest.raises(ch.ModelError, match="method 'rk4' has no estimate of its error; dormand_prince has"):
        EmbeddedStep(ch.load("planar_2r"), None, "rk4")


def test_kernels_are_kept_with_the_system() -> None:
    """One for each method and with and without the projection; laws have their own."""
    system = ch.load("planar_2r")
    one, two = EmbeddedStep(system, None), EmbeddedStep(system, None)
    assert one.attempt is two.attempt and EmbeddedStep(system, None, project=False).attempt is not one.attempt
    assert EmbeddedStep(ch.load("planar_2r").with_gravity([0, 0, 0]), None).attempt is not one.attempt
    law = EmbeddedStep(system, lambda t, q, v: 1.0 - v, traced=True)
    assert law.attempt is not one.attempt and EmbeddedStep(system, None).attempt is one.attempt
