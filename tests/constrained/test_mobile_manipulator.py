"""An arm on a cart with two driven wheels, beside equations written by hand in (v, w) and the arm's rates.

With the cart's velocity (v, s, w) in its own axes, forwards, sideways and turning, the wheels' rates (v -+ b w) / r put
in, and p = dT/d(v, s, w) where s = 0, the arm on coordinates a: the equations of Hamel on the plane's motions,

    dp_v/dt - w p_s = F_v,   dp_w/dt + v p_s = F_w,   d/dt dT/dad - dT/da + dU/da = tau_a         (1)
    dp_s/dt + w (p_v - 2 I v / r^2) = the ground's force sideways                 (2)

where the spin of the wheels, of inertia I about their axle, is no momentum of the cart's.
"""

from typing import Any

import numpy as np
import pytest
from support.tolerances import FLOAT64, close

import chasles as ch

AGREED = 1e-9
R, B, G = 0.1, 0.25, 9.81  # the wheels' radius, and half of their distance
SHOULDER, ELBOW = np.array([0.2, 0.05, 0.3]), np.array([0.0, 0.03, 0.4])  # in the cart; in the upper arm
CART, RIM = ch.Link(12.0, (0.05, 0.02, 0.15), (0.3, 0.4, 0.6)), ch.Link(0.5, (0.0, 0.0, 0.0), (0.0013, 0.0025, 0.0013))
UPPER, LOWER = ch.Link(2.0, (0.01, 0.0, 0.2), (0.03, 0.04, 0.02)), ch.Link(1.5, (0.2, 0.0, 0.01), (0.002, 0.02, 0.021))


def at(p: Any) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = p
    return T


@pytest.fixture(scope="module")
def robot() -> ch.Robot:
    """A planar cart with two wheels; a turret about z, and a boom on it that is raised about y."""
    places = [(0.0, 0.0, 0.0), (0.0, B, R), (0.0, -B, R), SHOULDER, SHOULDER + ELBOW]
    axes = [(0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0)]
    return ch.Robot.from_screws(
        [np.zeros(6), *(ch.screw(axis, p) for axis, p in zip(axes, places[1:], strict=True))],
        [at(p) for p in places],
        [CART, RIM, RIM, UPPER, LOWER],
        parents=[-1, 0, 0, 0, 3],
        kinds=["planar", *["screw"] * 4],
        joint_names=["cart", "left", "right", "turret", "boom"],
        link_names=["cart", "left wheel", "right wheel", "upper arm", "lower arm"],
        gravity=(0.0, 0.0, -G),
        name="mobile manipulator",
    )


@pytest.fixture(scope="module")
def cs(robot: ch.Robot) -> ch.ConstrainedSystem:
    wheels = ch.Constraint.wheel("left wheel", R, name="left") + ch.Constraint.wheel("right wheel", R, name="right")
    return ch.ConstrainedSystem(robot, wheels)


# by hand


def turn(axis: str, angle: Any) -> Any:
    c, s, zero = np.cos(angle), np.sin(angle), 0.0 * angle
    rows = ((c, -s, zero), (s, c, zero), (zero, zero, zero + 1.0))
    if axis == "y":
        rows = ((c, zero, s), (zero, zero + 1.0, zero), (-s, zero, c))
    return np.stack([np.stack(row) for row in rows])


def bodies(a: Any) -> Any:
    """(24,) centre and rotation of the arm's links in the cart, of its angles."""
    upper = turn("z", a[0])
    lower = upper @ turn("y", a[1])
    elbow = SHOULDER + upper @ ELBOW
    return np.concatenate(
        [SHOULDER + upper @ UPPER.com, *upper, elbow + lower @ LOWER.com, *lower],
    )


SLOPE = ch.compile(bodies, a=2).jacobian("a")


def rigid(link: ch.Link, velocity: Any, spin: Any) -> Any:
    """Kinetic energy, of the centre's velocity and the rate of the rotation (3, 3)."""
    S = np.trace(link.inertia) / 2 * np.eye(3) - link.inertia
    return 0.5 * link.mass * (velocity @ velocity) + 0.5 * np.sum((spin @ S) * spin)


def energy(u: Any, a: Any) -> Any:
    """T of u = (v, s, w, rates of the arm), all in the cart's axes."""
    v, s, w = u[0], u[1], u[2]
    zero = 0.0 * w
    carried = np.stack([np.stack([zero, -w, zero]), np.stack([w, zero, zero]), np.stack([zero, zero, zero])])
    moved = np.stack([v, s, zero])
    T = rigid(CART, moved + carried @ CART.com, carried)
    for side in (1.0, -1.0):
        centre = moved + carried @ np.array([0.0, side * B, R])
        spin = (v - side * B * w) / R
        T = T + 0.5 * RIM.mass * (centre @ centre) + 0.5 * RIM.inertia[2, 2] * w * w
        T = T + 0.5 * RIM.inertia[1, 1] * spin * spin
    z, zd = bodies(a), SLOPE(a) @ u[3:]
    for link, k in ((UPPER, 0), (LOWER, 12)):
        place, rotation = z[k : k + 3], z[k + 3 : k + 12].reshape(3, 3)
        rates = zd[k + 3 : k + 12].reshape(3, 3)
        T = T + rigid(link, moved + carried @ place + zd[k : k + 3], carried @ rotation + rates)
    return T


def height(a: Any) -> Any:
    z = bodies(a)
    return G * (UPPER.mass * z[2] + LOWER.mass * z[14])


ENERGY = ch.compile(energy, u=5, a=2)
MOMENTUM, ALONG, WEIGHT = ENERGY.gradient("u"), ENERGY.gradient("a"), ch.compile(height, a=2).gradient("a")
INERTIA, DRIFT = MOMENTUM.jacobian("u"), MOMENTUM.jacobian("a")
FREE = [0, 2, 3, 4]


def by_hand(u: Any, a: Any, tau: Any) -> tuple[np.ndarray, np.ndarray]:
    """The rates of (v, w, arm's rates), and the ground's forces: ahead at each wheel, sideways at both. (1), (2)"""
    full = np.array([u[0], 0.0, u[1], u[2], u[3]])
    p, M, drift = MOMENTUM(full, a), INERTIA(full, a), DRIFT(full, a) @ u[2:]
    (v, w), (left, right) = u[:2], tau[3:5] / R
    across = np.array([-w * p[1], w * (p[0] - 2 * RIM.inertia[1, 1] * v / R**2), v * p[1], 0.0, 0.0])
    forces = np.array([tau[0] + left + right, tau[1], tau[2] + B * (right - left), *(tau[5:] - WEIGHT(a))])
    rest = forces - drift - across + np.r_[0.0, 0.0, 0.0, ALONG(full, a)]
    rates = np.linalg.solve(M[np.ix_(FREE, FREE)], rest[FREE])
    sideways = M[1, FREE] @ rates - rest[1]
    spins = np.array([rates[0] - B * rates[1], rates[0] + B * rates[1]]) / R
    ahead = (tau[3:5] - RIM.inertia[1, 1] * spins) / R
    return rates, np.array([*ahead, sideways])


def state(seed: int) -> tuple[np.ndarray, ...]:
    """u = (v, w, arm's rates), the arm's angles, q, qd and joint forces."""
    rng = np.random.default_rng(seed)
    u, a, tau = rng.normal(size=4), rng.uniform(-1.0, 1.0, 2), rng.normal(size=7)
    q = np.r_[rng.normal(size=5), a]
    return u, a, q, np.array([u[0], 0.0, u[1], (u[0] - B * u[1]) / R, (u[0] + B * u[1]) / R, *u[2:]]), tau


def test_degrees_of_freedom(cs: ch.ConstrainedSystem) -> None:
    """Both wheels say that there is no motion sideways: one of four rows follows. The others cannot be integrated."""
    assert (cs.n, cs.degrees_of_freedom, cs.redundancy.rank) == (7, 4, 3)
    assert len(cs.redundancy.dropped_names) == 1 and cs.redundancy.dropped_names[0].startswith("right")
    assert cs.redundancy.left < 1e-12 and "4 rows of rank 3" in cs.redundancy.describe()
    assert not cs.constraint.is_holonomic(cs.system)


@pytest.mark.parametrize("seed", range(4))
def test_by_hand(cs: ch.ConstrainedSystem, seed: int) -> None:
    """Accelerations of all seven velocities, the friction at each wheel and the force sideways."""
    u, a, q, qd, tau = state(seed)
    close(cs.constraint_matrix(q) @ qd, np.zeros(3), FLOAT64, scale=1.0)
    close(cs.kinetic_energy(q, qd), ENERGY(np.insert(u, 1, 0.0), a), FLOAT64)
    rates, ground = by_hand(u, a, tau)
    expected = [rates[0], 0.0, rates[1], (rates[0] - B * rates[1]) / R, (rates[0] + B * rates[1]) / R, *rates[2:]]
    found = cs.forward_dynamics(q, qd, tau)
    close(found.qdd, expected, AGREED)
    # the rows are left ahead, sideways, right ahead; axle along y: ahead is x, sideways y
    close(found.multipliers, ground[[0, 2, 1]], AGREED)


def test_reduced(cs: ch.ConstrainedSystem) -> None:
    """In velocities (v, w, arm's rates) the mass matrix is that of Hamel's equations, and the accelerations agree."""
    u, a, q, qd, tau = state(5)
    reduced = cs.reduced(velocities=lambda q: np.eye(7)[[0, 2, 5, 6]])
    close(reduced.mass_matrix(q), INERTIA(np.insert(u, 1, 0.0), a)[np.ix_(FREE, FREE)], AGREED)
    close(reduced.forward_dynamics(q, u, tau), by_hand(u, a, tau)[0], AGREED)
    close(reduced.velocities(q, u), qd, FLOAT64)


def test_energy(cs: ch.ConstrainedSystem) -> None:
    """Without any force its energy stays; it neither slips nor skids, and (1) gives the same motion."""
    u, a, q, qd, _ = state(6)
    motion = ch.simulate(cs, q, qd, duration=1.0, dt=2e-3)
    assert np.ptp(motion.kinetic) > 1.0
    close(motion.energy, np.full(len(motion.t), motion.energy[0]), 1e-8)
    close(motion.qd[:, 1], np.zeros(len(motion.t)), 1e-12, scale=1.0)
    close(motion.qd[:, 3:5] * R, motion.qd[:, :1] + [-B, B] * motion.qd[:, 2:3], 1e-10)
    x = np.r_[u, a]

    def rate(x: np.ndarray) -> np.ndarray:
        return np.r_[by_hand(x[:4], x[4:], np.zeros(7))[0], x[2:4]]

    h = motion.t[1]
    for _ in motion.t[1:]:
        k_1 = rate(x)
        k_2 = rate(x + h / 2 * k_1)
        k_3 = rate(x + h / 2 * k_2)
        x = x + h / 6 * (k_1 + 2 * k_2 + 2 * k_3 + rate(x + h * k_3))
    close(motion.qd[-1, [0, 2, 5, 6]], x[:4], 1e-7)
    close(motion.q[-1, 5:], x[4:], 1e-7)
