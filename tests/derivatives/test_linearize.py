"""Linearisations: against finite differences of the motion, LIN-1 and LIN-2, and textbook systems."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from support.screw_robots import mixed
from support.tolerances import FINITE_DIFFERENCE, close

import chasles as ch
from chasles.derivatives.linearize import discretize, linearize
from chasles.linear_algebra import matrix_exponential
from chasles.riemann.structure_constants import adjoint, structure_constants


def pendulum(mass: float = 1.3, length: float = 0.6) -> ch.Robot:
    """Hanging at q = 0."""
    return ch.Robot.from_screws([ch.screw([0, -1, 0])], [np.eye(4)], [ch.Link(mass, [0, 0, -length], [0.0] * 3)])


def cart_pole(cart: float = 1.0, mass: float = 0.3, length: float = 0.5) -> ch.Robot:
    """Upright at q = 0; the tip is at x + l sin(q2)."""
    links = [ch.Link(cart, [0, 0, 0], [0.0] * 3), ch.Link(mass, [0, 0, length], [0.0] * 3)]
    return ch.Robot.from_screws([ch.prismatic([1, 0, 0]), ch.screw([0, 1, 0])], [np.eye(4)] * 2, links)


def state(robot: ch.Robot, seed: int, *lead: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    q = np.array([robot.random(rng) for _ in range(int(np.prod(lead)))]).reshape(*lead, robot.nq)
    return q, *rng.normal(size=(2, *lead, robot.n))


@pytest.mark.parametrize("make", [mixed, lambda: ch.load("panda")], ids=["mixed", "panda"])
def test_finite_differences_of_the_motion(make: Any) -> None:
    """To second order in time q(h) = integrate(q, h qd + h^2/2 qdd) and qd(h) = qd + h qdd; even terms cancel."""
    robot = make()
    q, qd, tau = state(robot, 0)
    n, h, e = robot.n, 1e-4, 1e-4

    def moved(x: Any, u: Any, t: float) -> tuple[Any, Any]:
        start, v = robot.integrate(q, x[..., :n]), qd + x[..., n:]
        a = robot.forward_dynamics(start, v, tau + u)
        return robot.integrate(start, t * v + t * t / 2 * a), v + t * a

    def flow(t: float) -> Any:
        """The derivative by (x, u) of where the motion is after t, seen from where it would be."""
        q_t, v_t = moved(np.zeros(2 * n), np.zeros(n), t)
        z = e * np.eye(3 * n)
        ends = [moved(s * z[:, : 2 * n], s * z[:, 2 * n :], t) for s in (1, -1)]
        away = [np.concatenate([robot.difference(q_t, x), v - v_t], axis=-1) for x, v in ends]
        return (away[0] - away[1]).T / (2 * e)

    A, B = linearize(robot, q, qd, tau)
    rate = (flow(h) - flow(-h)) / (2 * h)
    assert A.shape == (2 * n, 2 * n) and B.shape == (2 * n, n)
    assert close(rate, np.concatenate([A, B], axis=-1), FINITE_DIFFERENCE)


def test_lin_1_and_lin_2() -> None:
    robot = ch.load("panda")
    q, qd, tau = state(robot, 1)
    qdd = robot.forward_dynamics(q, qd, tau)
    inverse = robot.kernel("inverse_dynamics")
    K, D = (inverse.jacobian(x)(q, qd, qdd) for x in ("q", "qd"))
    M = robot.mass_matrix(q)
    A, B = linearize(robot, q, qd, tau)
    assert close(A[:7], np.concatenate([np.zeros((7, 7)), np.eye(7)], axis=-1), 0.0)
    assert close(M @ A[7:, :7], -K, 1e-9)
    assert close(M @ A[7:, 7:], -D, 1e-9)
    assert close(M @ B[7:], np.eye(7), 1e-9)
    assert close(B[:7], np.zeros((7, 7)), 0.0)
    gamma = robot.kernel("coriolis_matrix").jacobian("qd")(q, qd)  # C_ij,k = Gamma_ijk
    assert close(D, 2 * np.einsum("ijk,j->ik", gamma, qd), 1e-9)  # LIN-1


def test_pendulum() -> None:
    mass, length, angle = 1.3, 0.6, 0.4
    A, B = linearize(pendulum(mass, length), [angle], [0.7], [0.1])
    assert close(A, [[0.0, 1.0], [-9.81 / length * np.cos(angle), 0.0]])
    assert close(B, [[0.0], [1.0 / (mass * length**2)]])
    rate, dt = np.sqrt(9.81 / length), 0.05
    Ad, Bd = linearize(pendulum(mass, length), [0.0], [0.0], [0.0], dt)
    c, s = np.cos(rate * dt), np.sin(rate * dt)
    assert close(Ad, [[c, s / rate], [-rate * s, c]])
    assert close(Bd[:, 0], np.array([(1 - c) / rate**2, s / rate]) / (mass * length**2))


def test_cart_pole() -> None:
    cart, mass, length = 1.0, 0.3, 0.5
    A, B = linearize(cart_pole(cart, mass, length), np.zeros(2), np.zeros(2), np.zeros(2))
    lower = np.array([[0, -mass * 9.81 / cart], [0, (cart + mass) * 9.81 / (cart * length)]])
    assert close(A, np.block([[np.zeros((2, 2)), np.eye(2)], [lower, np.zeros((2, 2))]]))
    push = B[:, :1]  # only the cart is driven
    assert close(push[:, 0], [0, 0, 1 / cart, -1 / (cart * length)])
    assert np.linalg.matrix_rank(np.hstack([np.linalg.matrix_power(A, k) @ push for k in range(4)])) == 4
    assert max(np.linalg.eigvals(A).real) > 1.0  # it falls


def test_a_spinning_ball_sees_its_own_frame_turn() -> None:
    robot = ch.Robot.from_screws(
        np.zeros((1, 6)), [np.eye(4)], [ch.Link(1.0, [0, 0, 0], [0.2, 0.3, 0.4])], kinds=["spherical"]
    )
    w, x = np.array([0.3, -1.0, 2.0]), np.array([0.5, 0.1, -0.2])
    A, _ = linearize(robot, robot.neutral(), w, np.zeros(3))
    assert close(A[:3, :3] @ x, -np.cross(w, x))
    assert close(A[:3, 3:], np.eye(3), 0.0)


def test_brackets_are_a_lie_algebra() -> None:
    robot = mixed()
    c, rng = structure_constants(robot), np.random.default_rng(2)
    assert close(c, -np.swapaxes(c, 1, 2), 0.0)
    u, v, w = rng.normal(size=(3, robot.n))
    ad = [adjoint(robot, x) for x in (u, v, w)]
    assert close(adjoint(robot, ad[0] @ v), ad[0] @ ad[1] - ad[1] @ ad[0])  # Jacobi
    assert close(adjoint(robot, np.stack([u, v])), np.stack(ad[:2]), 0.0)
    assert not structure_constants(ch.load("panda")).any()


def test_trajectories_are_loops() -> None:
    robot = mixed()
    q, qd, tau = state(robot, 4, 2, 3)
    for dt, method in ((None, "exact"), (0.01, "exact"), (0.01, "euler"), (0.01, "tustin")):
        A, B = linearize(robot, q, qd, tau[0], dt, method)
        assert A.shape == (2, 3, 2 * robot.n, 2 * robot.n) and B.shape == (2, 3, 2 * robot.n, robot.n)
        for i in range(2):
            for j in range(3):
                one = linearize(robot, q[i, j], qd[i, j], tau[0, j], dt, method)
                assert close(A[i, j], one.A) and close(B[i, j], one.B)


def test_each_method_is_scipys(rng: np.random.Generator) -> None:
    """Both matrices of each, at a step so long that no two agree."""
    import scipy.signal  # half a second, for this test alone

    A, B = rng.normal(size=(3, 4, 4)), rng.normal(size=(3, 4, 2))
    for method, theirs in (("exact", "zoh"), ("euler", "euler"), ("tustin", "bilinear")):
        found = discretize(A, B, 0.3, method)
        for k in range(3):
            both = scipy.signal.cont2discrete((A[k], B[k], np.eye(4), np.zeros((4, 2))), 0.3, method=theirs)
            assert close(found.A[k], both[0]) and close(found.B[k], both[1])


def test_discrete_systems() -> None:
    """A held input, by SciPy; Euler and Tustin agree with it to their orders."""
    rng = np.random.default_rng(5)
    A, B = rng.normal(size=(4, 6, 6)), rng.normal(size=(4, 6, 2))
    errors = {method: [] for method in ("euler", "tustin")}
    for dt in (0.02, 0.01):
        Ad, Bd = discretize(A, B, dt)
        block = np.zeros((4, 8, 8))
        block[:, :6, :6], block[:, :6, 6:] = A * dt, B * dt
        expected = scipy.linalg.expm(block)
        assert close(Ad, expected[:, :6, :6]) and close(Bd, expected[:, :6, 6:])
        for method, list_ in errors.items():
            X, Y = discretize(A, B, dt, method)
            list_.append(max(np.abs(X - Ad).max(), np.abs(Y - Bd).max()))
    assert 1.8 < np.log2(errors["euler"][0] / errors["euler"][1]) < 2.2
    assert 2.6 < np.log2(errors["tustin"][0] / errors["tustin"][1]) < 3.2


@pytest.mark.parametrize("size", [0.0, 1e-3, 1.0, 30.0])
def test_matrix_exponential(size: float) -> None:
    X = size * np.random.default_rng(6).normal(size=(3, 5, 5))
    assert close(matrix_exponential(X), scipy.linalg.expm(X), 1e-9 if size > 1 else 1e-13)
    assert close(matrix_exponential(X[0]), matrix_exponential(X)[0], 1e-9 if size > 1 else 1e-13)


def test_mistakes_are_named() -> None:
    robot, x = pendulum(), np.zeros(1)
    with pytest.raises(ch.ModelError, match="method must be one of exact, euler, tustin, got 'rk4'"):
        linearize(robot, x, x, x, 0.1, "rk4")  # type: ignore[arg-type]
    with pytest.raises(ch.ModelError, match="dt must be a positive number, got 0"):
        linearize(robot, x, x, x, 0)
    with pytest.raises(ch.ShapeError, match="qd must have shape"):
        linearize(robot, x, np.zeros(2), x)
