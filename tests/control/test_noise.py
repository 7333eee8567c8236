"""Noise and a wrong model: the spread of position and force is that of the linear loop, sampled as the law samples.

A 2R arm with its tip on a line, x along it, at rest; the law's masses are s times the arm's. With
g = (J^T M J)^-1 J^T N, and l the multiplier of the arm at rest without joint forces, both functions of x,

    xdd = -s (K_v xd + K_p (x - x_d)) + (s - 1) g(x),   lambda - lambda_d = -K_I z + (1 - s) l(x)       (1)

to first order in xd, from (5) of control/hybrid.py. Noise n of q and qd as the law reads them adds b n and d n, with
slopes of the law at rest. At times k h, with a sensor's noise n_f, semi-implicit steps and the integral of
control/integral.py are

    v' = v + h xdd,   x' = x + h v',   z = c + h e,   e' = lambda - lambda_d + n_f,   c' = c + h (e + e') / 2    (2)

a linear recursion y' = F y + E n driven by white noise, whose covariance solves P = F P F^T + E Q E^T.
"""

from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.control import HybridControl

pytestmark = pytest.mark.slow  # statistics of closed loops; their algebra is in the tests of each law

K_P, K_V, K_I, STEP = 30.0, 8.0, 6.0, 5e-3
FORCE, PLACE = -7.0, 1.0
# deviations of noise: of two positions, two velocities, and the force
ALL, POSITIONS = np.array([1e-4, 1e-4, 1e-3, 1e-3, 0.2]), np.array([2e-4, 2e-4, 0.0, 0.0, 0.0])


def arm(scale: float = 1.0) -> ch.ConstrainedSystem:
    """A 2R arm in gravity whose tip stays on the line y = 0.6; scale: of its masses and inertias."""
    robot = ch.load("planar_2r")
    links = [ch.Link(scale * x.mass, x.com, scale * np.asarray(x.inertia)) for x in robot.links]
    tool = np.eye(4)
    tool[0, 3] = 1.8
    robot = ch.Robot.from_screws(robot.screws, robot.homes, links, tool=tool, gravity=robot.gravity, name="arm")
    return ch.ConstrainedSystem(robot, ch.Constraint.holonomic(lambda q: robot.forward_kinematics(q)[1, 3] - 0.6))


def along(q: Any) -> Any:
    """The tip's x."""
    return np.stack([np.cos(q[0]) + 0.8 * np.cos(q[0] + q[1])])


def on_the_line(x: float) -> np.ndarray:
    """q of the tip's x, by the law of cosines."""
    bend = np.arccos((x * x + 0.36 - 1.64) / 1.6)
    return np.array([np.arctan2(0.6, x) - np.arctan2(0.8 * np.sin(bend), 1.0 + 0.8 * np.cos(bend)), bend])


def at_rest(t: float) -> tuple[Any, Any, Any]:
    return np.array([PLACE]), np.zeros(1), np.zeros(1)


@pytest.fixture(scope="module")
def plant() -> ch.ConstrainedSystem:
    return arm()


def controlled(model: ch.ConstrainedSystem, measure: Any = None, K: float = K_I) -> HybridControl:
    return HybridControl(model, at_rest, K_p=K_P, K_v=K_V, coordinates=along, force=[FORCE], K_I=K, measure=measure)


class Loop(NamedTuple):
    """(1) about rest: where that is, z there, and the slopes of xdd and lambda in (x, xd, z) and in noise (q, qd)."""

    x: float
    z: float
    xdd: np.ndarray
    force: np.ndarray
    b: np.ndarray
    d: np.ndarray


def linear(plant: ch.ConstrainedSystem, s: float, K: float = K_I) -> Loop:
    still = np.zeros(2)
    line = plant.reduced(coordinates=along)

    def g(x: float) -> float:
        return float(-line.forward_dynamics(on_the_line(x), np.zeros(1), still)[0])

    def held(x: float) -> float:
        return float(plant.forward_dynamics(on_the_line(x), still, still).multipliers[0])

    x = float(scipy.optimize.brentq(lambda x: -s * K_P * (x - PLACE) + (s - 1.0) * g(x), 0.9, 1.1, xtol=1e-14))
    h, q = 1e-5, on_the_line(x)
    slope_g, slope_l = ((f(x + h) - f(x - h)) / (2 * h) for f in (g, held))
    law, z = controlled(arm(s), K=K), (1.0 - s) * held(x) / K
    noise = h * np.eye(4)
    tau = []
    for sign in (1.0, -1.0):
        law.reset([z])
        tau.append(law(0.0, q + sign * noise[:, :2], sign * noise[:, 2:]))
    change = (tau[0] - tau[1]) / (2 * h)  # (4, n) by noise
    # accelerations and multipliers are affine in tau
    quiet, moved = plant.forward_dynamics(q, still, still), plant.forward_dynamics(q, still, change)
    return Loop(
        x,
        z,
        np.array([-s * K_P + (s - 1.0) * slope_g, -s * K_V, 0.0]),
        np.array([(1.0 - s) * slope_l, 0.0, -K]),
        line.of(q, moved.qdd - quiet.qdd)[:, 0],
        (moved.multipliers - quiet.multipliers)[:, 0],
    )


class Sampled(NamedTuple):
    """(2) on y = (x, v, c, e): F (4, 4), E (4, 5), and the force's error by y and by noise (q, qd, sensor)."""

    F: np.ndarray
    E: np.ndarray
    C: np.ndarray
    D: np.ndarray

    def covariance(self, sizes: np.ndarray, lag: int = 0) -> np.ndarray:
        """(2, 2) of x and the force's error, now and `lag` steps before, for white noise of these deviations (5,)."""
        Q = np.diag(sizes**2)
        P = scipy.linalg.solve_discrete_lyapunov(self.F, self.E @ Q @ self.E.T)
        out, direct = np.stack([[1.0, 0.0, 0.0, 0.0], self.C]), np.stack([np.zeros(5), self.D])
        if not lag:
            return out @ P @ out.T + direct @ Q @ direct.T
        after = np.linalg.matrix_power(self.F, lag - 1)
        return out @ after @ (self.F @ P @ out.T + self.E @ Q @ direct.T)


def sampled(loop: Loop, h: float) -> Sampled:
    z = np.array([0.0, 0.0, 1.0, h])
    a, f = loop.xdd[0] * np.eye(4)[0] + loop.xdd[1] * np.eye(4)[1], loop.force[0] * np.eye(4)[0] + loop.force[2] * z
    v, c = np.eye(4)[1] + h * a, np.eye(4)[2] + h / 2 * (np.eye(4)[3] + f)
    force_noise, read = np.r_[loop.d, 0.0], np.r_[loop.d, 1.0]
    b = h * np.r_[loop.b, 0.0]
    F = np.stack([np.eye(4)[0] + h * v, v, c, f])
    return Sampled(F, np.stack([h * b, b, h / 2 * read, read]), f, force_noise)


def measured(
    plant: ch.ConstrainedSystem, s: float, sizes: np.ndarray, seed: int, K: float = K_I, count: int = 200
) -> tuple[np.ndarray, np.ndarray]:
    """(count, T) x and force of motions from rest under noise, after the start is forgotten."""
    loop, rng, steps = linear(plant, s, K), np.random.default_rng(seed), 3000
    noise = rng.normal(size=(steps + 1, count, 5)) * sizes

    def now(t: float) -> np.ndarray:
        return noise[round(t / STEP)]

    def measure(t: float, q: Any, qd: Any, tau: Any) -> Any:
        n = now(t)
        return plant.forward_dynamics(q - n[:, :2], qd - n[:, 2:4], tau).multipliers + n[:, 4:]

    law = controlled(arm(s), measure, K)
    law.reset(np.full((count, 1), loop.z))
    motion = ch.simulate(
        plant,
        np.tile(on_the_line(loop.x), (count, 1)),
        np.zeros((count, 2)),
        lambda t, q, qd: law(t, q + now(t)[:, :2], qd + now(t)[:, 2:4]),
        duration=steps * STEP,
        dt=STEP,
        method="semi_implicit",
    )
    assert motion.multipliers is not None
    x = np.cos(motion.q[..., 0]) + 0.8 * np.cos(motion.q[..., 0] + motion.q[..., 1])
    return x[:, 400:], motion.multipliers[:, 400:, 0]


def test_the_loop_without_noise(plant: ch.ConstrainedSystem) -> None:
    """(1) for a perfect model is HYB-1's: gains alone; noise of velocities along the line counts by K_v."""
    loop = linear(plant, 1.0)
    close(loop.x, PLACE)
    close(loop.xdd, [-K_P, -K_V, 0.0])
    close(loop.force, [0.0, 0.0, -K_I])
    J = plant.reduced(coordinates=along).basis(on_the_line(PLACE))[:, 0]
    close(loop.b[2:] @ J, -K_V, 1e-7)


def response(A: np.ndarray, y: np.ndarray, t: np.ndarray) -> np.ndarray:
    """(T, m) exp(A t) y at times (T,) that are evenly spaced."""
    step, found = scipy.linalg.expm(A * t[1]), [y]
    for _ in t[1:]:
        found.append(step @ found[-1])
    return np.stack(found)


@pytest.mark.parametrize("s", [1.05, 0.95])
def test_response_with_a_wrong_model(plant: ch.ConstrainedSystem, s: float) -> None:
    """From beside its rest, position and force follow (1): its gains, its offset, and the force that x causes."""
    loop = linear(plant, s)
    start = np.array([2e-3, 0.0, 0.01])
    law = controlled(arm(s), lambda t, q, qd, tau: plant.forward_dynamics(q, qd, tau).multipliers)
    law.reset([loop.z + start[2]])
    motion = ch.simulate(plant, on_the_line(loop.x + start[0]), np.zeros(2), law, duration=1.0, dt=4e-3)
    y = response(np.stack([[0.0, 1.0, 0.0], loop.xdd, loop.force]), start, motion.t)
    assert motion.multipliers is not None
    found = along(np.moveaxis(motion.q, -1, 0))[0] - loop.x
    close(found, y[:, 0], 5e-3)
    close(motion.multipliers[:, 0] - FORCE, y @ loop.force, 5e-3)
    assert abs(loop.x - PLACE) > 1e-3 and abs(loop.force[0]) > 0.1 and abs(loop.xdd[0] + K_P) > 1.0
    perfect = response(np.array([[0.0, 1.0], [-K_P, -K_V]]), start[:2], motion.t)
    assert np.abs(perfect[:, 0] - y[:, 0]).max() > 2e-2 * start[0]  # the test can tell


@pytest.mark.parametrize("K", sweep([K_I, 10 * K_I], [10 * K_I]))
def test_force_noise(plant: ch.ConstrainedSystem, K: float) -> None:
    """A sensor's white noise comes into the force by K_I: its variance and how long it lasts. For small steps that is
    K_I h / 2 of the sensor's variance; for larger ones it is more, and not that of Euler's integral.
    """
    size, lag = 0.5, round(1.0 / (K * STEP))
    sizes = np.array([0.0, 0.0, 0.0, 0.0, size])
    loop = sampled(linear(plant, 1.0, K), STEP)
    off = measured(plant, 1.0, sizes, 0, K)[1] - FORCE
    variance = loop.covariance(sizes)[1, 1]
    assert 0.95 < np.var(off) / variance < 1.05
    assert 0.9 < np.mean(off[:, lag:] * off[:, :-lag]) / loop.covariance(sizes, lag)[1, 1] < 1.1
    assert abs(off.mean()) < 0.05 * np.sqrt(variance)
    simple, euler = K * STEP / 2 * size**2, K * STEP / (2 - K * STEP) * size**2
    assert abs(variance / simple - 1.0) < 0.05 if K == K_I else variance > 1.3 * euler


@pytest.mark.parametrize(
    ("s", "sizes"),
    [pytest.param(1.0, ALL, marks=pytest.mark.sweep), (1.05, ALL), (1.0, POSITIONS)],
    ids=["all", "5%", "positions"],
)
def test_sensor_noise(plant: ch.ConstrainedSystem, s: float, sizes: np.ndarray) -> None:
    """With the right model, and with one 5% too heavy: the spread of x and of the force, and their means, x at its
    offset and the force as desired."""
    loop = linear(plant, s)
    expected = sampled(loop, STEP).covariance(sizes)
    x, force = measured(plant, s, sizes, 1)
    assert 0.94 < np.var(x) / expected[0, 0] < 1.06
    assert 0.96 < np.var(force) / expected[1, 1] < 1.04
    assert abs(x.mean() - loop.x) < 0.05 * np.sqrt(expected[0, 0])
    assert abs(force.mean() - FORCE) < 0.05 * np.sqrt(expected[1, 1])
