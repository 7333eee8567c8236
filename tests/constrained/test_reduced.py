"""Reduced equations: against the whole system's, minimal coordinates, EX-7, CON-4, and the pitfall CON-7, CON-8."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch


@cache
def disk(m: float = 1.5, I_1: float = 0.2, I_2: float = 0.3, rho: float = 0.5) -> ch.ConstrainedSystem:
    """An upright disk that rolls on a plane: (x, y, theta heading, phi rolling)."""
    weights = np.array([m, m, I_1, I_2]) / 2.0
    system = ch.LagrangianSystem(
        4, lambda q, qd: np.sum(weights * qd * qd), name="disk", coordinate_names=("x", "y", "theta", "phi")
    )

    def rows(q: Any) -> Any:
        A = np.zeros_like(q, shape=(2, 4))
        A[0, 0], A[1, 1] = 1.0, 1.0
        A[0, 3], A[1, 3] = -rho * np.cos(q[2]), -rho * np.sin(q[2])
        return A

    return ch.ConstrainedSystem(system, ch.Constraint.pfaffian(rows, "rolling"))


@cache
def arm() -> ch.ConstrainedSystem:
    """A UR5 whose tool stays on a plane and at a distance from a point: gravity, nothing special."""
    robot = ch.load("ur5")
    plane = ch.Constraint.holonomic(lambda q: robot.forward_kinematics(q)[2, 3] - 0.4, "plane")
    point = ch.Constraint.holonomic(lambda q: np.sum(robot.forward_kinematics(q)[:2, 3] ** 2) - 0.3, "cylinder")
    return ch.ConstrainedSystem(robot, plane + point)


@cache
def on_groups() -> ch.ConstrainedSystem:
    """A spherical joint and a hinge, the tip on a plane: velocities that are rates of no coordinates."""
    robot = ch.Robot.from_screws(
        [ch.screw([0, 0, 1]), ch.screw([0, 1, 0], [0.5, 0, 0])],
        [np.eye(4), _at(0.5)],
        [ch.Link(2.0, [0.25, 0.02, 0], [0.01, 0.05, 0.06]), ch.Link(1.0, [0.2, 0, 0.03], [0.004, 0.02, 0.021])],
        kinds=["spherical", "screw"],
        tool=_at(0.9),
        name="ball and hinge",
    )
    return ch.ConstrainedSystem(robot, ch.Constraint.holonomic(lambda q: robot.forward_kinematics(q)[2, 3] + 0.2))


def _at(x: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = x
    return T


SYSTEMS = {"disk": disk, "arm": arm, "groups": on_groups}


@pytest.fixture(scope="module", params=SYSTEMS)
def cs(request: Any) -> ch.ConstrainedSystem:
    return SYSTEMS[request.param]()


def states(cs: ch.ConstrainedSystem, seed: int = 0, count: int = 4) -> tuple[Any, Any, Any]:
    """Consistent (count, nq), (count, n), and any joint forces."""
    rng = np.random.default_rng(seed)
    near = cs.project(cs.integrate(cs.project(cs.neutral()), 0.3 * rng.normal(size=(count, cs.n))))
    q, qd = cs.consistent(near, rng.normal(size=(count, cs.n)))
    return q, qd, 5.0 * rng.normal(size=(count, cs.n))


def test_basis(cs: ch.ConstrainedSystem) -> None:
    q, qd, _ = states(cs)
    r = cs.reduced(at=q[0])
    J, u = r.basis(q), r.of(q, qd)
    assert J.shape == (4, cs.n, cs.degrees_of_freedom) and len(r.names) == r.m
    close(cs.constraint_matrix(q) @ J, np.zeros((4, cs.redundancy.rank, r.m)), scale=np.abs(J).max())
    close(r.velocities(q, u), qd)
    picked = [row.argmax() for row in r.rows.A(q[0])]
    close(qd[:, picked], u)


def test_basis_rate(cs: ch.ConstrainedSystem) -> None:
    q, qd, _ = states(cs)
    r, h = cs.reduced(at=q[0]), 1e-5
    slope = (r.basis(cs.integrate(q, h * qd)) - r.basis(cs.integrate(q, -h * qd))) / (2 * h)
    close(r.basis_rate(q, qd), slope, FINITE_DIFFERENCE)


def test_motion_and_multipliers(cs: ch.ConstrainedSystem) -> None:
    q, qd, tau = states(cs)
    r = cs.reduced(at=q[0])
    u, at = r.of(q, qd), r.tangent(q, qd)
    ud = r.forward_dynamics(q, u, tau)
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    close(np.einsum("bij,bj->bi", at.J, ud) + np.einsum("bij,bj->bi", at.J_rate, u), qdd)
    close(r.multipliers(q, u, tau), multipliers)
    close(r.inverse_dynamics(q, u, ud), r.forces(q, tau))
    one = r.forward_dynamics(q[1], u[1], tau[1])
    close(one, ud[1])


@pytest.mark.parametrize("make", [disk, arm])
def test_lagrange_dalembert(make: Any) -> None:
    """CON-4: r_1 - A_1^T A_2^-T r_2 = 0 on the motion under constraints, and on no other."""
    cs = make()
    q, qd, tau = (x[0] for x in states(cs))
    chosen = cs.reduced(at=q)
    one = [int(row.argmax()) for row in chosen.rows.A(q)]
    two = [k for k in range(cs.n) if k not in one]
    A = cs.constraint_matrix(q)

    def left(qdd: np.ndarray) -> np.ndarray:
        r = cs.mass_matrix(q) @ qdd + cs.bias_forces(q, qd) - tau
        return r[one] - A[:, one].T @ np.linalg.solve(A[:, two].T, r[two])

    qdd = cs.forward_dynamics(q, qd, tau).qdd
    close(left(qdd), np.zeros(len(one)), scale=np.abs(tau).max())
    assert np.abs(left(qdd + cs.projections(q).P_T @ np.ones(cs.n))).max() > 1e-2
    close(chosen.basis(q)[two], -np.linalg.solve(A[:, two], A[:, one]))


def test_rolling_disk() -> None:
    """EX-7: diag(I_1, I_2 + m rho^2) (theta'', phi'') = (tau_theta, tau_phi)."""
    m, I_1, I_2, rho = 1.5, 0.2, 0.3, 0.5
    cs = disk(m, I_1, I_2, rho)
    r = cs.reduced(["theta", "phi"])
    q, tau = np.array([0.3, -0.2, 0.7, 0.1]), np.array([0.0, 0.0, 0.4, -0.9])
    u = np.array([1.1, -2.0])
    close(r.mass_matrix(q), np.diag([I_1, I_2 + m * rho**2]))
    close(r.bias_forces(q, u), np.zeros(2), scale=1.0)
    close(r.forward_dynamics(q, u, tau), tau[2:] / [I_1, I_2 + m * rho**2])
    c, s, ud = np.cos(0.7), np.sin(0.7), tau[3] / (I_2 + m * rho**2)
    at = r.tangent(q, r.velocities(q, u))
    qdd = at.J @ r.forward_dynamics(q, u, tau) + at.J_rate @ u
    close(qdd[:2], [rho * c * ud - rho * s * u[0] * u[1], rho * s * ud + rho * c * u[0] * u[1]])
    same = cs.reduced(velocities=lambda q: np.array([[0.0, 0, 1, 0], [0, 0, 0, 1]]))
    close(same.basis(q), r.basis(q))


def test_minimal_coordinates() -> None:
    """A particle on a circle, in the angle: m l^2 th'' + m g l sin th = tau_th."""
    m, g, length = 1.3, 9.81, 0.7
    particle = ch.LagrangianSystem(2, lambda q, qd: m / 2 * (qd @ qd) - m * g * q[1], name="particle")
    circle = ch.Constraint.holonomic(lambda q: q @ q - length**2, "circle")
    cs = ch.ConstrainedSystem(particle, circle)
    r = cs.reduced(coordinates=lambda q: np.stack([np.arctan2(q[0], -q[1])]))
    th = np.linspace(-2.0, 2.0, 9)[:, None]
    q, u = length * np.concatenate([np.sin(th), -np.cos(th)], axis=1), np.linspace(-1, 3, 9)[:, None]
    close(r.coordinates(q), th)
    close(r.forward_dynamics(q, u, np.zeros(2)), -g / length * np.sin(th))
    close(r.mass_matrix(q), np.full((9, 1, 1), m * length**2))


# the constrained Lagrangian


def slider(a: Any) -> tuple[ch.ConstrainedSystem, ch.LagrangianSystem, ch.Kernel]:
    """q = (r, s) under sd + a(r) . rd = 0; the Lagrangian with sd put in; and a."""

    def L(r: Any, rd: Any, sd: Any) -> Any:
        kinetic = 0.6 * rd[0] ** 2 + 0.4 * rd[1] ** 2 + (0.5 + 0.1 * np.cos(r[0])) * sd**2 + 0.2 * rd[0] * sd
        return kinetic - np.sin(r[0]) * np.cos(r[1])

    whole = ch.LagrangianSystem(3, lambda q, qd: L(q[:2], qd[:2], qd[2]), name="slider")
    put_in = ch.LagrangianSystem(2, lambda r, rd: L(r, rd, -(a(r) @ rd)), name="put in")
    rows = ch.Constraint.pfaffian(lambda q: np.concatenate([a(q[:2]), np.ones(1)]), "sliding")
    return ch.ConstrainedSystem(whole, rows), put_in, ch.compile(a, r=2)


SLOPES = {
    "gradient": lambda r: np.stack([2.0 * r[0] * r[1], r[0] ** 2]),
    "not a gradient": lambda r: np.stack([np.sin(r[1]), r[0] ** 2]),
}


@pytest.mark.parametrize("kind", SLOPES)
def test_constrained_lagrangian(kind: str) -> None:
    """CON-7: what L_c loses, term by term; CON-8: it is lost unless a is a gradient."""
    cs, put_in, a = slider(SLOPES[kind])
    q, rd, rdd = np.array([0.8, -0.5, 0.2]), np.array([1.2, -0.7]), np.array([0.4, 0.9])
    r = cs.reduced([0, 1])
    qd, at = r.velocities(q, rd), r.tangent(q, r.velocities(q, rd))
    qdd = at.J @ rdd + at.J_rate @ rd
    whole = at.J.T @ (at.M @ qdd + at.bias)
    slope = a.jacobian("r")(q[:2])  # [i, j]: da_i/dr_j
    lost = (at.M @ qd)[2] * (slope @ rd - slope.T @ rd)
    close(put_in.inverse_dynamics(q[:2], rd, rdd), whole - lost)  # CON-7
    motion, wrong = r.forward_dynamics(q, rd, np.zeros(3)), put_in.forward_dynamics(q[:2], rd, np.zeros(2))
    if kind == "gradient":
        close(lost, np.zeros(2), scale=1.0)
        close(wrong, motion)
    else:
        assert np.abs(lost).max() > 0.05 and np.abs(wrong - motion).max() > 0.05  # CON-8


def test_lost_terms_of_the_disk_cancel() -> None:
    """Each of the two rows of the rolling disk loses a term; together they lose none."""
    m, rho, th, u = 1.5, 0.5, 0.7, np.array([1.1, -2.0])
    c, s = np.cos(th), np.sin(th)
    slopes = [np.array([[0.0, 0.0], [rho * s, 0.0]]), np.array([[0.0, 0.0], [-rho * c, 0.0]])]  # of a_x, a_y
    momenta = [m * rho * c * u[1], m * rho * s * u[1]]
    lost = [p * (slope @ u - slope.T @ u) for p, slope in zip(momenta, slopes, strict=True)]
    assert min(np.abs(part).max() for part in lost) > 0.1
    close(sum(lost), np.zeros(2), scale=1.0)


def test_choice_of_velocities() -> None:
    cs = disk()
    for theta in (0.0, 1.5707):
        r = cs.reduced(at=[0.0, 0.0, theta, 0.0])
        assert "theta" in r.names and r.m == 2
        assert np.abs(r.basis([0.0, 0.0, theta, 0.0])).max() < 3.0
    close(cs.reduced([2, 3]).basis(np.zeros(4)), cs.reduced(["theta", "phi"]).basis(np.zeros(4)))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"independent": ["theta"]}, "needs 2 independent velocities"),
        ({"independent": ["theta", "theta"]}, "twice"),
        ({"independent": ["theta", "psi"]}, "no velocity 'psi'"),
        ({"independent": [2, 4]}, "below 4"),
        ({"independent": "theta"}, "must be a list"),
        ({"independent": [2, 3], "velocities": lambda q: np.eye(4)[:2]}, "give one of"),
        ({"coordinates": lambda q: q[:3]}, "needs 2 independent velocities"),
    ],
)
def test_refusals(arguments: Any, says: str) -> None:
    with pytest.raises(ch.ModelError, match=says):
        disk().reduced(**arguments)


def test_velocities_that_do_not_determine_the_others() -> None:
    with pytest.raises(ch.ModelError, match="do not determine"):
        disk().reduced(["y", "theta"]).basis(np.zeros(4))
    with pytest.raises(ch.ModelError, match="not those of coordinates"):
        on_groups().reduced().coordinates(on_groups().neutral())


def test_traced_and_single_rows_agree() -> None:
    """A row of X given as (n,) is one velocity."""
    particle = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2, name="particle")
    cs = ch.ConstrainedSystem(particle, ch.Constraint.pfaffian(lambda q: np.stack([np.cos(q[0]), np.sin(q[0])])))
    r = cs.reduced(velocities=lambda q: np.stack([-np.sin(q[0]), np.cos(q[0])]))
    q = np.array([0.4, 0.0])
    close(r.basis(q)[:, 0], [-np.sin(0.4), np.cos(0.4)], FLOAT64)
