"""Implicit methods: stiff systems in long steps, derivatives of rollouts, and rows that do not converge."""

from typing import Any

import numpy as np
import pytest
from support import orders
from support.orders import kernel_of_step, stepped
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles import integrators
from chasles.integrators.equations import equations
from chasles.integrators.newton import held, root
from chasles.simulation.rollout_kernels import rollout_kernel

IMPLICIT = ["sdirk3", "radau"]


def governor(spring: float = 2e6, damper: float = 2e3) -> ch.LagrangianSystem:
    """A flyball governor: q = (angle of the spindle, of the arms, height of the sleeve). The sleeve is held to the arms
    by links that give a little, a stiff spring and damper, and its own spring is soft."""
    m, M, l, J, g = 0.5, 1.0, 0.2, 0.02, 9.81

    def stretch(q: Any) -> Any:
        return q[2] - 2.0 * l * (1.0 - np.cos(q[1]))

    def L(q: Any, qd: Any) -> Any:
        balls = m * l**2 * (qd[1] ** 2 + (np.sin(q[1]) * qd[0]) ** 2)
        kinetic = balls + J * qd[0] ** 2 / 2 + M * qd[2] ** 2 / 2
        height = -2.0 * m * g * l * np.cos(q[1]) + M * g * q[2]
        return kinetic - height - spring * stretch(q) ** 2 / 2 - 60.0 * q[2] ** 2 / 2

    def F(q: Any, qd: Any) -> Any:
        return damper * (qd[2] - 2.0 * l * np.sin(q[1]) * qd[1]) ** 2 / 2 + 0.01 * qd[1] ** 2 / 2

    return ch.LagrangianSystem(3, L, dissipation=F, name="governor")


@pytest.mark.slow
def test_a_governor_in_long_steps() -> None:
    """200 ms by 10 ms, where rk4 is lost with steps of 1.25 ms. `radau` keeps more of its order there than `sdirk3`."""
    system = governor()
    start = np.array([0.0, 0.6, 0.4 * (1.0 - np.cos(0.6))]), np.array([12.0, 0.0, 0.0])

    kernels = {m: kernel_of_step(system, lambda t, q, v: 0.0 * v, m) for m in ("rk4", "dormand_prince", *IMPLICIT)}

    def ends(method: str, steps: int) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.concatenate(stepped(kernels[method], *start, steps, 0.2))

    exact = ends("dormand_prince", 1600)
    assert not np.abs(ends("rk4", 160)).max() < 100.0
    assert close(ends("sdirk3", 20), exact, 2e-4)
    assert close(ends("radau", 20), exact, 1e-6)
    coarse, fine = (np.abs(ends("radau", steps) - exact).max() for steps in (10, 20))
    assert coarse > 8.0 * fine


@pytest.mark.parametrize("method, off", [("sdirk3", 0.06), ("radau", 1e-5)])
def test_a_stiff_pendulum_in_long_steps(method: str, off: float) -> None:
    """On a rod of 1e5 N/m, twenty times as long as rk4 can: as on one that does not give."""
    system = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2 - 1e5 * ((q @ q) ** 0.5 - 1.0) ** 2 / 2 - 9.81 * q[1])
    start, none = (np.array([1.0, 0.0]), np.zeros(2)), lambda t, q, v: 0.0 * v
    rk4, implicit = kernel_of_step(system, none, "rk4"), kernel_of_step(system, none, method)
    with np.errstate(all="ignore"):
        assert not np.abs(stepped(rk4, *start, 50, 1.0)[0]).max() < 10.0
    exact = stepped(rk4, *start, 5000, 1.0)
    assert close(stepped(implicit, *start, 50, 1.0)[0], exact[0], off)


@pytest.mark.parametrize("method", IMPLICIT)
def test_what_is_infinitely_stiff_is_damped(method: str) -> None:
    """L-stable: a deflection of a spring a million times too stiff for the step is gone after it."""
    system = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 - 1e14 * q[0] ** 2 / 2)
    step = rollout_kernel(system, steps=10, method=method)([1e-3], [0.0], 0.1, 0.0)
    assert np.abs(step.path[-1]).max() < 1e-9 and np.abs(step.velocities[-1]).max() < 1e-8
    kept = rollout_kernel(system, steps=10, method="rk4")
    with np.errstate(all="ignore"):
        assert not np.abs(kept([1e-3], [0.0], 0.1, 0.0).path[-1]).max() < 1.0


def under_gains(method: str) -> tuple[ch.Kernel, Any]:
    """The cost of a rollout by its start and gains that are stiff for the step."""
    robot = ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0])

    def law(t: Any, q: Any, qd: Any, K: Any) -> Any:
        return -K * q - 0.1 * K * qd

    given: Any = {"parameters": {"K": (2,)}, "final_cost": lambda q, qd: q @ q + qd @ qd}
    at = np.array([0.4, -0.7]), np.array([1.0, 0.5]), 0.05, 0.0, np.array([4e3, 3e3])
    return rollout_kernel(robot, law, steps=3, method=method, **given), at


def slopes(f: Any, x: np.ndarray, h: float) -> np.ndarray:
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


@pytest.mark.parametrize("method", sweep(IMPLICIT, ["sdirk3"]))
def test_derivatives_of_rollouts(method: str) -> None:
    kernel, (q, *at, K) = under_gains(method)
    _, by_q, by_K = kernel.gradient(["q", "K"], value=True)(q, *at, K)
    assert close(by_q, slopes(lambda q: kernel(q, *at, K), q, 1e-5), 1e-6)
    assert close(by_K, slopes(lambda K: kernel(q, *at, K), K, 1.0), 1e-6)


@pytest.mark.slow
def test_second_derivatives_of_rollouts() -> None:
    """What Newton's iteration is not differentiated by changes no derivative."""
    kernel, (q, *at, K) = under_gains("sdirk3")
    by_K = kernel.gradient("K")
    assert close(by_K.jacobian("K")(q, *at, K), slopes(lambda K: by_K(q, *at, K), K, 1.0), 1e-6)


@pytest.mark.parametrize("method", IMPLICIT)
def test_a_row_that_does_not_converge_is_nan(method: str) -> None:
    """v' = v + h g c v'^2 has no solution for 4 h g c v > 1. The other rows are as they are alone."""
    system = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, forces=lambda q, qd: 10.0 * qd**2)
    q, qd, h = np.zeros((3, 1)), np.array([[0.2], [5.0], [0.1]]), 0.1
    kernel = rollout_kernel(system, steps=1, method=method)
    with np.errstate(all="ignore"):
        rows = kernel(q, qd, h, 0.0)
    state = integrators.find(method).step(equations(system, lambda t, q, v: 0.0 * v), 0.0, (q, qd), h)
    assert np.isnan(rows.path[1]).all() and np.isnan(rows.velocities[1]).all() and rows.finite_steps[1] == 0.0
    assert np.isnan(state[0][1]).all() and np.isnan(state[1][1]).all()
    for k in (0, 2):
        assert (rows.velocities[k] == kernel(q[k], qd[k], h, 0.0).velocities).all()
        assert close(state[1][k], rows.velocities[k, -1], 1e-11)


@pytest.mark.parametrize("method", IMPLICIT)
def test_dry_friction_that_holds_is_nan(method: str) -> None:
    """Newton's iteration goes to and fro between the two signs of a velocity that should be zero."""
    system = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, forces=lambda q, qd: -50.0 * np.sign(qd))
    q, qd, h = np.zeros((2, 1)), np.array([[0.3], [20.0]]), 0.1
    rows = rollout_kernel(system, steps=1, method=method)(q, qd, h, 0.0)
    state = integrators.find(method).step(equations(system, lambda t, q, v: 0.0 * v), 0.0, (q, qd), h)
    assert np.isnan(rows.velocities[0]).all() and np.isnan(state[1][0]).all()
    assert close(rows.velocities[1, -1], [15.0], 1e-12) and close(state[1][1], [15.0], 1e-9)


def test_derivatives_pass_by_what_is_held() -> None:
    kernel = ch.compile(lambda x: held(x) @ x, x=2)
    at = np.array([2.0, -3.0])
    assert kernel(at) == 13.0 and close(kernel.gradient("x")(at), at, 1e-15)


def test_velocities_in_canonical_coordinates() -> None:
    """v of dx/dt is what integrate gives, to terms of the fourth order in x; the rate of it leads back."""
    system = orders.case("spherical").system
    law, rng, h = equations(system, lambda t, q, v: 0.0 * v), np.random.default_rng(0), 1e-5
    q, x, xd = system.random(rng), rng.normal(size=system.n), rng.normal(size=system.n)
    errors = []
    for size in (0.4, 0.2):
        y = size * x / np.linalg.norm(x)
        v = system.difference(system.integrate(q, y - h * xd), system.integrate(q, y + h * xd)) / (2.0 * h)
        errors.append(np.abs(law.velocity(y, xd) - v).max())
        assert close(law.rate(y, law.velocity(y, xd)), xd, size**4)
    assert 3.8 < np.log2(errors[0] / errors[1]) < 4.5


def test_singular_jacobians_are_no_errors() -> None:
    """On numbers: nan where F' is zero, and others solved."""
    found = root(lambda x: x * x - [[4.0], [-1.0]], np.array([[1.0], [0.0]]), lambda x: np.ones(2))
    assert close(found[0], [2.0], 1e-12) and np.isnan(found[1]).all()
