"""The gauge-invariant form: GAU-1 to GAU-6, on an arm, a rolling disk, and joints on groups, with gravity."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.tolerances import FINITE_DIFFERENCE, close

import chasles as ch
from chasles.constrained.gauge import GaugeFrame
from chasles.constrained.reduced import along


@cache
def arm() -> ch.ConstrainedSystem:
    """A UR5 whose tool stays on a plane and on a cylinder."""
    robot = ch.load("ur5")
    plane = ch.Constraint.holonomic(lambda q: robot.forward_kinematics(q)[2, 3] - 0.4, "plane")
    round_about = ch.Constraint.holonomic(lambda q: np.sum(robot.forward_kinematics(q)[:2, 3] ** 2) - 0.3, "cylinder")
    return ch.ConstrainedSystem(robot, plane + round_about)


@cache
def disk() -> ch.ConstrainedSystem:
    """A disk with a weight off its centre, in a plane that slopes, rolling: (x, y, theta, phi)."""

    def L(q: Any, qd: Any) -> Any:
        moving = 0.75 * (qd[0] ** 2 + qd[1] ** 2) + 0.1 * qd[2] ** 2 + 0.15 * qd[3] ** 2
        off = 0.2 * qd[2] * (qd[1] * np.cos(q[2]) - qd[0] * np.sin(q[2]))
        return moving + off - 3.0 * q[0] - 0.5 * np.sin(q[3])

    def rows(q: Any) -> Any:
        A = np.zeros_like(q, shape=(2, 4))
        A[0, 0], A[1, 1] = 1.0, 1.0
        A[0, 3], A[1, 3] = -0.5 * np.cos(q[2]), -0.5 * np.sin(q[2])
        return A

    return ch.ConstrainedSystem(ch.LagrangianSystem(4, L, name="disk"), ch.Constraint.pfaffian(rows, "rolling"))


@cache
def on_groups() -> ch.ConstrainedSystem:
    """A spherical joint and a hinge, the tip on a plane."""
    hinge, tip = np.eye(4), np.eye(4)
    hinge[0, 3], tip[0, 3] = 0.5, 0.9
    robot = ch.Robot.from_screws(
        [ch.screw([0, 0, 1]), ch.screw([0, 1, 0], [0.5, 0, 0])],
        [np.eye(4), hinge],
        [ch.Link(2.0, [0.25, 0.02, 0], [0.01, 0.05, 0.06]), ch.Link(1.0, [0.2, 0, 0.03], [0.004, 0.02, 0.021])],
        kinds=["spherical", "screw"],
        tool=tip,
        name="ball and hinge",
    )
    return ch.ConstrainedSystem(robot, ch.Constraint.holonomic(lambda q: robot.forward_kinematics(q)[2, 3] + 0.2))


SYSTEMS = {"arm": arm, "disk": disk, "groups": on_groups}


@pytest.fixture(scope="module", params=SYSTEMS)
def cs(request: Any) -> ch.ConstrainedSystem:
    return SYSTEMS[request.param]()


def states(cs: ch.ConstrainedSystem, count: int = 3) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(2)
    near = cs.project(cs.integrate(cs.project(cs.neutral()), 0.3 * rng.normal(size=(count, cs.n))))
    q, qd = cs.consistent(near, rng.normal(size=(count, cs.n)))
    return q, qd, 5.0 * rng.normal(size=(count, cs.n))


def T(M: Any) -> Any:
    return np.swapaxes(M, -1, -2)


def times(M: Any, x: Any) -> Any:
    return np.einsum("...ij,...j->...i", M, x)


def test_square_root_coordinates(cs: ch.ConstrainedSystem) -> None:
    """GAU-1: dv/dt + Gam v = u + Lam^T lambda, T = v.v / 2; with the skew connection, and with the printed one."""
    gauge, (q, qd, tau) = cs.gauge(), states(cs)
    W, W_rate, v = gauge.root(q), gauge.root_rate(q, qd), gauge.velocities(q, qd)
    close(W @ T(W), cs.mass_matrix(q))
    close(np.sum(v * v, axis=-1) / 2, cs.kinetic_energy(q, qd))
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    v_rate = times(T(W), qdd) + times(T(W_rate), qd)
    u = times(np.linalg.inv(W), tau - gauge.equations(q, qd).N)
    right = u + times(T(gauge.constraint_matrix(q)), multipliers)
    close(v_rate + times(gauge.connection(q, qd), v), right)
    if cs.nq == cs.n:
        close(v_rate + times(gauge.printed_connection(q, qd), v), right)


def test_rate_of_the_root(cs: ch.ConstrainedSystem) -> None:
    """The closed form against the derivative of the graph, and against differences."""
    gauge, (q, qd, _), h = cs.gauge(), states(cs), 1e-5
    close(gauge.root_rate(q, qd), along(gauge._W, cs.system)(q, qd))
    slope = (gauge.root(cs.integrate(q, h * qd)) - gauge.root(cs.integrate(q, -h * qd))) / (2 * h)
    close(gauge.root_rate(q, qd), slope, FINITE_DIFFERENCE, scale=np.abs(gauge.root(q)).max())


def test_skew_connection(cs: ch.ConstrainedSystem) -> None:
    """GAU-2: skew, also where the velocity is not allowed by the constraint; the formula with W and C."""
    gauge, (q, _, qd) = cs.gauge(), states(cs)
    Gam = gauge.connection(q, qd)
    assert np.abs(Gam).max() > 0.1
    close(Gam + T(Gam), np.zeros_like(Gam), scale=np.abs(Gam).max())
    W, W_rate, C = gauge.root(q), gauge.root_rate(q, qd), cs.system.coriolis_matrix(q, qd)  # type: ignore
    inverse = np.linalg.inv(W)
    close(Gam, inverse @ (C - W @ T(W_rate)) @ T(inverse))


@pytest.mark.parametrize("make", [arm, disk])
def test_printed_connection_is_not_skew(make: Any) -> None:
    """GAU-3; both give the same on v."""
    cs = make()
    gauge, (q, qd, _) = cs.gauge(), states(cs)
    Gam, v = gauge.printed_connection(q, qd), gauge.velocities(q, qd)
    assert np.abs(Gam + T(Gam)).max() > 0.1
    close(times(Gam, v), times(gauge.connection(q, qd), v))


def test_printed_connection_needs_coordinates() -> None:
    cs = on_groups()
    with pytest.raises(ch.ModelError, match="not rates of coordinates"):
        cs.gauge().printed_connection(cs.neutral(), np.zeros(cs.n))


def moving(cs: ch.ConstrainedSystem, steps: int = 60, dt: float = 1e-3) -> tuple[Any, Any, Any]:
    q, qd, tau = (x[0] for x in states(cs))
    motion = ch.simulate(cs, q, qd, lambda t, q, qd: tau / 50, duration=steps * dt, dt=dt)
    return motion.q, motion.qd, tau / 50


def test_frames_along_a_motion(cs: ch.ConstrainedSystem) -> None:
    """GAU-4: orthonormal, split by the constraint, smooth; V's rate is the closed form and turns least."""
    q, qd, _ = moving(cs)
    gauge, dt, at = cs.gauge(), 1e-3, 30
    V_1, V_2 = gauge.frames(q)
    V = np.concatenate([V_1, V_2], axis=-1)
    close(T(V) @ V, np.broadcast_to(np.eye(cs.n), V.shape))
    Lam = gauge.constraint_matrix(q)
    close(Lam @ V_2, np.zeros((len(q), cs.redundancy.rank, cs.degrees_of_freedom)), scale=np.abs(Lam).max())
    steps = np.abs(np.diff(V, axis=0)).max(axis=(1, 2))
    assert steps.max() < 0.02
    assert np.abs(np.diff(V, n=2, axis=0)).max() < 0.2 * steps.max()
    one = gauge.equations(q[at], qd[at], GaugeFrame(V_1[at], V_2[at]))
    close(one.V_2, V_2[at])
    rates = (V[at + 1] - V[at - 1]) / (2 * dt)
    close(np.concatenate([one.V_1_rate, one.V_2_rate], axis=-1), rates, 1e-4)
    close(T(one.V_2) @ one.V_2_rate, np.zeros((cs.degrees_of_freedom,) * 2), scale=1.0)


def test_change_of_gauge(cs: ch.ConstrainedSystem) -> None:
    """GAU-4: Gb = V^T (Gam - Om) V with Om = -(dV/dt) V^T, vb = [0; v_r], Lam V = [Lam_r 0]."""
    gauge, (q, qd, _) = cs.gauge(), states(cs)
    at, k = gauge.equations(q, qd), cs.redundancy.rank
    V, V_rate = np.concatenate([at.V_1, at.V_2], -1), np.concatenate([at.V_1_rate, at.V_2_rate], -1)
    Om = -V_rate @ T(V)
    close(Om + T(Om), np.zeros_like(Om), scale=np.abs(Om).max())
    Gb = T(V) @ (gauge.connection(q, qd) - Om) @ V
    close(Gb[..., k:, k:], at.Gam_r)
    close(Gb[..., :k, k:], at.Gam_o)
    close(at.Gam_r + T(at.Gam_r), np.zeros_like(at.Gam_r), scale=np.abs(at.Gam_o).max())
    vb = times(T(V), gauge.velocities(q, qd))
    close(vb[..., :k], np.zeros_like(vb[..., :k]), scale=np.abs(vb).max())
    close(vb[..., k:], at.v_r)
    close((gauge.constraint_matrix(q) @ V)[..., :k], at.Lam_r)


def test_reduced_equations(cs: ch.ConstrainedSystem) -> None:
    """GAU-5, with gravity: dv_r/dt, multipliers and qd are those of the whole system."""
    gauge, (q, qd, tau) = cs.gauge(), states(cs)
    at = gauge.equations(q, qd)
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    motion = gauge.forward_dynamics(q, at.v_r, tau)
    v_rate = times(T(at.W), qdd) + times(T(at.W_rate), qd)
    close(motion.v_rd, times(T(at.V_2), v_rate) + times(T(at.V_2_rate), times(T(at.W), qd)))
    close(motion.multipliers, multipliers)
    close(gauge.joint_velocities(q, at.v_r), qd)
    u_o, u_r = at.components(tau)
    close(at.joint_forces(u_o, u_r), tau)


def test_reduced_equations_along_a_motion(cs: ch.ConstrainedSystem) -> None:
    """GAU-5: the rate of v_r in the smooth gauge, by differences along a simulated motion."""
    q, qd, tau = moving(cs, 40)
    gauge, at = cs.gauge(), 20
    V_1, V_2 = gauge.frames(q)
    v_r = times(T(V_2), gauge.velocities(q, qd))
    here = GaugeFrame(V_1[at], V_2[at])
    close(gauge.forward_dynamics(q[at], v_r[at], tau, here).v_rd, (v_r[at + 1] - v_r[at - 1]) / 2e-3, 1e-4)


def test_any_gauge(cs: ch.ConstrainedSystem) -> None:
    """Turned frames give turned equations and the same multipliers."""
    rng = np.random.default_rng(5)
    q, qd, tau = (x[0] for x in states(cs))
    gauge = cs.gauge()
    V_1, V_2 = gauge.frame(q)
    R_1, R_2 = (np.linalg.qr(rng.normal(size=(V.shape[1],) * 2))[0] for V in (V_1, V_2))
    other = GaugeFrame(V_1 @ R_1, V_2 @ R_2)
    a, b = gauge.equations(q, qd), gauge.equations(q, qd, other)
    close(b.V_2, other.V_2)
    close(b.Gam_r, R_2.T @ a.Gam_r @ R_2, scale=np.abs(a.Gam_o).max())
    close(b.Gam_o, R_1.T @ a.Gam_o @ R_2)
    one, two = gauge.forward_dynamics(q, a.v_r, tau), gauge.forward_dynamics(q, b.v_r, tau, other)
    close(two.v_rd, R_2.T @ one.v_rd)
    close(two.multipliers, one.multipliers)


def test_projections(cs: ch.ConstrainedSystem) -> None:
    """GAU-6."""
    gauge, (q, _, _) = cs.gauge(), states(cs)
    P, rest = gauge.projections(q)
    close(P, cs.projections(q).P_w)
    close(rest, np.eye(cs.n) - P)


def test_reference() -> None:
    """Frames that agree with one configuration's are a continuous function of the configuration."""
    cs = disk()
    gauge = cs.gauge(reference=[0.0, 0.0, 0.2, 0.0])
    q = np.linspace([0.0, 0.0, -0.8, 0.0], [0.3, 0.1, 1.2, 2.0], 200)
    V_1, V_2 = gauge.frame(q)
    assert max(np.abs(np.diff(V, axis=0)).max() for V in (V_1, V_2)) < 0.02
    close(gauge.frame(q[::-1]).V_2, V_2[::-1])


def test_turn_on_a_sphere() -> None:
    """A particle on a sphere: around a circle of latitude the smooth gauge turns by the area enclosed."""
    particle = ch.LagrangianSystem(3, lambda q, qd: qd @ qd, name="particle")
    cs = ch.ConstrainedSystem(particle, ch.Constraint.holonomic(lambda q: q @ q - 1.0, "sphere"))
    polar, nu = 0.7, np.linspace(0.0, 2 * np.pi, 1001)
    s, c = np.sin(polar), np.cos(polar)
    V_2 = cs.gauge().frames(np.stack([s * np.cos(nu), s * np.sin(nu), np.full_like(nu, c)], axis=1)).V_2
    turn = V_2[0].T @ V_2[-1]
    close(turn[0, 0], np.cos(2 * np.pi * (1 - c)), 1e-4, scale=1.0)
    close(abs(turn[0, 1]), abs(np.sin(2 * np.pi * (1 - c))), 1e-4, scale=1.0)


def test_refusals() -> None:
    cs = disk()
    with pytest.raises(ch.ShapeError, match="reference must have shape"):
        cs.gauge(reference=np.zeros(3))
    with pytest.raises(ch.ShapeError, match="frames: q must have shape"):
        cs.gauge().frames(np.zeros(4))
    with pytest.raises(ch.ModelError, match="too far"):
        cs.gauge().frame(np.zeros(4), GaugeFrame(np.eye(4)[:, 2:], np.eye(4)[:, :2] * 0.0))


@pytest.mark.parametrize(("sine", "agrees"), [(1e-3, True), (1e-5, True), (1e-7, False), (0.0, False)])
def test_a_frame_nearly_at_right_angles(sine: float, agrees: bool) -> None:
    """One direction of the other frame is almost none of V_2's: below 1e-6 no turn of V_2 agrees best."""
    gauge, q = disk().gauge(), np.array([0.1, 0.2, 0.3, 0.4])
    V_1, V_2 = gauge.frame(q)
    cosine = np.sqrt(1.0 - sine**2)
    near = GaugeFrame(
        np.stack([sine * V_1[:, 0] + cosine * V_2[:, 0], V_1[:, 1]], axis=1),
        np.stack([sine * V_2[:, 0] - cosine * V_1[:, 0], V_2[:, 1]], axis=1),
    )
    if not agrees:
        with pytest.raises(ch.ModelError, match="too far"):
            gauge.frame(q, near)
        return
    turned = gauge.frame(q, near)
    assert close(turned.V_2 @ turned.V_2.T, V_2 @ V_2.T) and close(turned.V_2.T @ turned.V_2, np.eye(2))
    assert close(turned.V_2[:, 0], V_2[:, 0], 1e-8) and close(turned.V_1[:, 0], V_1[:, 0], 1e-8)
