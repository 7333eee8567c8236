"""The Stewart platform, 24 velocities and six legs tied, beside its platform's six coordinates.

The other formulation knows no tree: centres and rotations of thirteen bodies are functions z of the platform's
coordinates x = (place, roll, pitch, yaw), energies are quadratic in them with constant weights W,

    J^T (W d2z/dt2 - F) = J^T of the forces,   J = dz/dx                          (1)

and a leg's own three coordinates give the force f in its tip,  (dz/dy)^T (W d2z/dt2 - F) = tau + (db/dy)^T f  (2).
"""

from typing import Any

import numpy as np
import pytest
from support.sweeps import sweep
from support.tolerances import FLOAT64, close

import chasles as ch

AGREED = 1e-9
BELOW, ABOVE = np.deg2rad([-12, 12, 108, 132, 228, 252]), np.deg2rad([-50, 50, 70, 170, 190, 290])
FEET = np.stack([0.6 * np.cos(BELOW), 0.6 * np.sin(BELOW), 0.0 * BELOW], axis=1)
HEIGHT = np.array([0.0, 0.0, 0.8])
ANCHORS = np.stack([0.35 * np.cos(ABOVE), 0.35 * np.sin(ABOVE), 0.02 * ABOVE], axis=1)  # in the platform
PLATFORM = ch.Link(10.0, (0.03, -0.02, 0.05), (0.4, 0.45, 0.7))
TUBE, ROD = (
    ch.Link(1.2, (0.01, 0.02, 0.2), (0.028, 0.03, 0.004)),
    ch.Link(0.6, (0.02, 0.0, -0.15), (0.011, 0.012, 0.002)),
)
G = np.array([0.0, 0.0, -9.81])


def leg_frame(k: int) -> tuple[np.ndarray, float]:
    """(3, 3) axes of the leg at home, z along it, and its length."""
    d = HEIGHT + ANCHORS[k] - FEET[k]
    z = d / np.linalg.norm(d)
    y = np.cross(z, [0.0, 0.0, 1.0]) / np.linalg.norm(np.cross(z, [0.0, 0.0, 1.0]))
    return np.stack([np.cross(y, z), y, z], axis=1), float(np.linalg.norm(d))


def pose(R: Any, p: Any) -> np.ndarray:
    return np.block([[R, np.reshape(p, (3, 1))], [np.array([[0.0, 0.0, 0.0, 1.0]])]])


def robot() -> ch.Robot:
    """A free platform, and six legs of a universal joint about the leg's x and y, and a slide."""
    screws, homes, links, parents, kinds = [np.zeros(6)], [pose(np.eye(3), HEIGHT)], [PLATFORM], [-1], ["free"]
    frames = {}
    for k, foot in enumerate(FEET):
        R, length = leg_frame(k)
        head = foot + length * R[:, 2]
        screws += [ch.universal(R[:, 0], R[:, 1], foot), ch.prismatic(R[:, 2])]
        homes += [pose(R, foot), pose(R, head)]
        links += [TUBE, ROD]
        parents += [-1, len(links) - 2]
        kinds += ["screw", "screw"]
        frames |= {f"tip{k}": (len(links) - 1, pose(R, head)), f"anchor{k}": (0, pose(np.eye(3), HEIGHT + ANCHORS[k]))}
    names = ["platform", *(f"{part}{k}" for k in range(6) for part in ("hinge", "slide"))]
    return ch.Robot.from_screws(
        screws, homes, links, parents, kinds=kinds, frames=frames, joint_names=names, gravity=G, name="Stewart platform"
    )


def tied(k: int) -> ch.Constraint:
    return ch.Constraint.loop_closure(f"anchor{k}", f"tip{k}", rows="tx ty tz", name=f"leg{k}")


@pytest.fixture(scope="module")
def cs() -> ch.ConstrainedSystem:
    stewart = robot()
    legs = tied(0)
    for k in range(1, 6):
        legs = legs + tied(k)
    return ch.ConstrainedSystem(stewart, legs, start=stewart.neutral())


# the other formulation


def turned(axis: int, angle: Any) -> Any:
    c, s, one, zero = np.cos(angle), np.sin(angle), 1.0 + 0.0 * angle, 0.0 * angle
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = [[zero] * 3 for _ in range(3)]
    R[axis][axis], R[i][i], R[j][j], R[i][j], R[j][i] = one, c, c, -s, s
    return np.stack([np.stack(row) for row in R])


def attitude(x: Any) -> Any:
    return turned(2, x[5]) @ turned(1, x[4]) @ turned(0, x[3])


class Leg:
    """What is constant of a leg: its axes at home, foot and length, its anchor in the platform; of (16,) numbers."""

    def __init__(self, p: Any) -> None:
        self.R, self.foot, self.length, self.anchor = p[:9].reshape(3, 3), p[9:12], p[12], p[13:]


def numbers(k: int) -> np.ndarray:
    R, length = leg_frame(k)
    return np.r_[R.ravel(), FEET[k], length, ANCHORS[k]]


def leg_coordinates(x: Any, p: Any) -> Any:
    """(3,) the angles of the universal joint and the slide, of the platform's coordinates."""
    leg = Leg(p)
    d = leg.R.T @ (x[:3] + attitude(x) @ leg.anchor - leg.foot)
    across = np.sqrt(d[1] ** 2 + d[2] ** 2)
    return np.stack([np.arctan2(-d[1], d[2]), np.arctan2(d[0], across), np.sqrt(d @ d) - leg.length])


def leg_tip(y: Any, p: Any) -> Any:
    leg = Leg(p)
    return leg.foot + leg.R @ (turned(0, y[0]) @ turned(1, y[1]))[:, 2] * (leg.length + y[2])


def flat(R: Any, centre: Any) -> Any:
    return np.concatenate([centre, R[0], R[1], R[2]])


def leg_bodies(y: Any, p: Any) -> Any:
    """(24,) centre and rotation of tube and rod."""
    leg = Leg(p)
    R = leg.R @ turned(0, y[0]) @ turned(1, y[1])
    return np.concatenate([flat(R, leg.foot + R @ TUBE.com), flat(R, leg_tip(y, p) + R @ ROD.com)])


def platform_body(x: Any, p: Any) -> Any:
    R = attitude(x)
    return flat(R, x[:3] + R @ PLATFORM.com)


def weights(*links: ch.Link) -> np.ndarray:
    """(12, 12) for each, with energy zd^T W zd / 2: of the rotation R it is tr(Rd S Rd^T) / 2, S = tr(I) / 2 - I."""
    blocks = []
    for link in links:
        S = np.trace(link.inertia) / 2 * np.eye(3) - link.inertia
        blocks += [link.mass * np.eye(3), *[S] * 3]
    out = np.zeros((12 * len(links),) * 2)
    for k, block in enumerate(blocks):
        out[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = block
    return out


def gravity(*links: ch.Link) -> np.ndarray:
    return np.concatenate([np.r_[link.mass * G, np.zeros(9)] for link in links])


class Curve:
    """A function of m coordinates and a leg's numbers, its slope, and its acceleration along a motion."""

    def __init__(self, f: Any, m: int) -> None:
        self.f = ch.compile(lambda x, p: f(x, p), x=m, p=16)
        self.slope = self.f.jacobian("x")
        self.bend = self.slope.jacobian("x")

    def moved(self, x: Any, p: Any, xd: Any, xdd: Any) -> np.ndarray:
        return self.slope(x, p) @ xdd + np.einsum("ijk,j,k->i", self.bend(x, p), xd, xd)


LEG, BODIES, TIP, TOP = Curve(leg_coordinates, 6), Curve(leg_bodies, 3), Curve(leg_tip, 3), Curve(platform_body, 6)


def minimal(x: Any, xd: Any, tau: Any) -> tuple[np.ndarray, np.ndarray]:
    """The tree's accelerations (24,), and the force of the platform on each tip (6, 3), in space."""
    legs = [numbers(k) for k in range(6)]
    M, right = np.zeros((6, 6)), twists(x).T @ tau[:6]
    bodies: list[Any] = [(TOP, legs[0], x, np.eye(6), np.zeros(6), (PLATFORM,))]
    for p, torque in zip(legs, tau[6:].reshape(6, 3), strict=True):
        D = LEG.slope(x, p)
        bodies.append((BODIES, p, LEG.f(x, p), D, LEG.moved(x, p, xd, np.zeros(6)), (TUBE, ROD)))
        right += D.T @ torque
    for curve, p, at, D, drift, links in bodies:
        W, J = weights(*links), curve.slope(at, p) @ D
        M += J.T @ W @ J
        right += J.T @ (gravity(*links) - W @ curve.moved(at, p, D @ xd, drift))
    xdd = np.linalg.solve(M, right)  # (1)
    forces, rates = [], [platform_acceleration(x, xd, xdd)]
    for p, torque in zip(legs, tau[6:].reshape(6, 3), strict=True):
        y, yd, ydd = LEG.f(x, p), LEG.slope(x, p) @ xd, LEG.moved(x, p, xd, xdd)
        lacking = weights(TUBE, ROD) @ BODIES.moved(y, p, yd, ydd) - gravity(TUBE, ROD)
        forces.append(np.linalg.solve(TIP.slope(y, p).T, BODIES.slope(y, p).T @ lacking - torque))  # (2)
        rates.append(ydd)
    return np.concatenate(rates), np.array(forces)


def twists(x: Any) -> Any:
    """(6, 6) the platform's body twist (angular, linear) by the rates of x."""
    (a, b), zero = (x[3], x[4]), 0.0 * x[0]
    w = [
        [1.0 + zero, zero, -np.sin(b)],
        [zero, np.cos(a), np.sin(a) * np.cos(b)],
        [zero, -np.sin(a), np.cos(a) * np.cos(b)],
    ]
    turn = np.concatenate([np.zeros((3, 3)), np.stack([np.stack(row) for row in w])], axis=1)
    return np.concatenate([turn, np.concatenate([attitude(x).T, np.zeros((3, 3))], axis=1)])


def platform_acceleration(x: Any, xd: Any, xdd: Any) -> np.ndarray:
    """(6,) the rate of the body twist."""
    slope = ch.compile(twists, x=6).jacobian("x")
    return twists(x) @ xdd + np.einsum("ijk,j,k->i", slope(x), xd, xd)


def state(seed: int) -> tuple[np.ndarray, ...]:
    """x, xd, q, qd and joint forces."""
    rng = np.random.default_rng(seed)
    x = np.r_[HEIGHT, np.zeros(3)] + rng.uniform(-0.1, 0.1, 6)
    xd, tau = rng.normal(size=6), 5.0 * rng.normal(size=24)
    legs = np.array([numbers(k) for k in range(6)])
    q = np.r_[x[:3] - HEIGHT, quaternion(x[3:]), LEG.f(x, legs).ravel()]
    qd = np.r_[twists(x) @ xd, (LEG.slope(x, legs) @ xd).ravel()]
    return x, xd, q, qd, tau


def quaternion(angles: Any) -> np.ndarray:
    """(x, y, z, w) of roll, pitch and yaw."""
    (a, b, c), (d, e, f) = np.cos(np.divide(angles, 2)), np.sin(np.divide(angles, 2))
    return np.array([d * b * c - a * e * f, a * e * c + d * b * f, a * b * f - d * e * c, a * b * c + d * e * f])


@pytest.mark.slow
def test_degrees_of_freedom(cs: ch.ConstrainedSystem) -> None:
    """18 rows, none of which follows from others; a leg tied twice says nothing new."""
    assert (cs.n, cs.degrees_of_freedom, cs.redundancy.rank) == (24, 6, 18)
    assert not cs.redundancy.dropped_names and "18 rows, independent" in cs.redundancy.describe()
    q = state(0)[2]
    assert np.linalg.matrix_rank(cs.projections(q).P_w, tol=1e-9) == 6
    robot: Any = cs.system
    again = ch.ConstrainedSystem(robot, cs.constraint + tied(2), start=robot.neutral())
    assert again.redundancy.rank == 18 and len(again.redundancy.dropped_names) == 3
    assert all("leg2" in name for name in again.redundancy.dropped_names) and again.redundancy.left < 1e-9


@pytest.mark.parametrize("seed", sweep(range(3), 1))
def test_minimal_coordinates(cs: ch.ConstrainedSystem, seed: int) -> None:
    """Accelerations of all 24 velocities, and the force in every tip."""
    x, xd, q, qd, tau = state(seed)
    close(cs.residual(q), np.zeros(18), 1e-12, scale=1.0)
    close(cs.constraint_matrix(q) @ qd, np.zeros(18), 1e-12, scale=1.0)
    qdd, forces = minimal(x, xd, tau)
    found = cs.forward_dynamics(q, qd, tau)
    close(found.qdd, qdd, AGREED)
    close(found.multipliers.reshape(6, 3), forces @ attitude(x), AGREED)  # in the axes of the anchors
    assert np.abs(forces).max() > 5.0


@pytest.mark.slow
def test_reduced_to_the_platform(cs: ch.ConstrainedSystem) -> None:
    """The platform's twist as the independent velocities: the same accelerations from equations of six."""
    x, xd, q, qd, tau = state(3)
    reduced = cs.reduced(list(range(6)), at=q)
    close(reduced.forward_dynamics(q, qd[:6], tau), minimal(x, xd, tau)[0][:6], AGREED)
    close(reduced.velocities(q, qd[:6]), qd, FLOAT64)


@pytest.mark.slow
def test_energy(cs: ch.ConstrainedSystem) -> None:
    """It falls without any force: energy stays, and the legs stay tied."""
    _, _, q, qd, _ = state(4)
    motion = ch.simulate(cs, q, qd, duration=0.2, dt=1e-3)
    assert np.ptp(motion.kinetic) > 1.0
    close(motion.energy, np.full(len(motion.t), motion.energy[0]), 1e-9)
    assert np.abs(cs.residual(motion.q)).max() < 1e-11
    close(np.einsum("tki,ti->tk", cs.constraint_matrix(motion.q), motion.qd), np.zeros((len(motion.t), 18)), 1e-10, 1.0)
