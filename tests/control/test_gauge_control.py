"""The gauge-invariant law in closed loop, GAU-7, its gains, GAU-8, and the geometric law in its coordinates, GAU-9."""

from typing import Any

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.constrained.gauge import GaugeFrame
from chasles.control import GaugeControl, HybridControl

K_P, K_D = 3.0, 5.0
START = np.array([0.4, -1.2, 0.9])


def arm(scale: float = 1.0) -> ch.ConstrainedSystem:
    """A planar 3R arm in gravity whose tip stays on the line y = -0.4; scale: of its masses and inertias."""
    robot = ch.load("planar_3r")
    tool = robot.forward_kinematics(np.zeros(3))
    links = [ch.Link(scale * x.mass, x.com, scale * np.asarray(x.inertia)) for x in robot.links]
    robot = ch.Robot.from_screws(robot.screws, robot.homes, links, tool=tool, gravity=robot.gravity, name="arm")
    line = ch.Constraint.holonomic(lambda q: robot.forward_kinematics(q)[1, 3] + 0.4, "line")
    return ch.ConstrainedSystem(robot, line)


def chart(cs: ch.ConstrainedSystem) -> Any:
    """The tip's x, and the direction of the last link."""
    robot: Any = cs.system
    return lambda q: np.stack([robot.forward_kinematics(q)[0, 3], q[0] + q[1] + q[2]])


def desired(t: float) -> tuple[Any, Any, Any]:
    c, s = np.cos(2.0 * t), np.sin(2.0 * t)
    return np.array([1.3 + 0.1 * s, 0.2 * c]), np.array([0.2 * c, -0.4 * s]), np.array([-0.4 * s, -0.8 * c])


@pytest.fixture(scope="module")
def cs() -> ch.ConstrainedSystem:
    return arm()


def law(cs: ch.ConstrainedSystem, **options: Any) -> GaugeControl:
    given: dict[str, Any] = {"K_p": K_P, "K_d": K_D, "coordinates": chart(cs), "force": [4.0], **options}
    return GaugeControl(cs, desired, **given)


def state(cs: ch.ConstrainedSystem) -> tuple[Any, Any]:
    return cs.consistent(START, [0.7, -0.3, 0.5])


def test_closed_loop(cs: ch.ConstrainedSystem) -> None:
    """GAU-7: |eps| decays at the rate K_d exactly, as Gam_r is skew, and the force is the desired one."""
    q, qd = state(cs)
    control = law(cs)
    motion = ch.simulate(cs, q, qd, control, duration=0.8, dt=8e-3)
    eps = [control.composite_error(t, x, v) for t, x, v in zip(motion.t, motion.q, motion.qd, strict=True)]
    size = np.linalg.norm(eps, axis=-1)
    assert size[0] > 0.1
    close(size, size[0] * np.exp(-K_D * motion.t), 1e-6)
    assert motion.multipliers is not None
    close(motion.multipliers, np.full_like(motion.multipliers, 4.0), 1e-8)


def test_error_equation(cs: ch.ConstrainedSystem) -> None:
    """GAU-7: deps/dt = -(Gam_r + K_d) eps, in a smooth frame and for a matrix K_d of the reference's."""
    q, qd = state(cs)
    K_d = np.array([[5.0, 1.0], [1.0, 8.0]])
    control = law(cs, K_d=K_d, reference=q)
    h, t = 1e-4, 0.3
    tau = control(t, q, qd)
    at = control.gauge.equations(q, qd)
    acceleration = cs.forward_dynamics(q, qd, tau).qdd
    here = GaugeFrame(at.V_1, at.V_2)

    def eps(s: float) -> np.ndarray:
        x, v = cs.consistent(q + s * qd + s * s / 2 * acceleration, qd + s * acceleration)
        W, V_2 = control.gauge.root(x), control.gauge.frame(x, here).V_2
        e, ed = control.error(t + s, x, v)
        return V_2.T @ W.T @ control.reduced.basis(x) @ (ed + K_P * e)

    close((eps(h) - eps(-h)) / (2 * h), -(at.Gam_r + K_d) @ eps(0.0), 1e-5)
    close(control.composite_error(t, q, qd), eps(0.0))


def test_gauge_does_not_matter(cs: ch.ConstrainedSystem) -> None:
    """The same joint forces from frames that agree with quite different ones, where K_d is a number."""
    q, qd = state(cs)
    rng = np.random.default_rng(0)
    control = law(cs)
    tau = control(0.2, q, qd)
    V_1, V_2 = control.gauge.frame(q)
    R, _ = np.linalg.qr(rng.normal(size=(2, 2)))
    control.gauge.reference = GaugeFrame(-V_1, V_2 @ R)
    close(control(0.2, q, qd), tau)
    other = law(cs, K_d=[K_D, 2 * K_D], reference=q)
    one = other(0.2, q, qd)
    other.gauge.reference = GaugeFrame(V_1, V_2 @ R)
    assert np.abs(other(0.2, q, qd) - one).max() > 1e-2
    with pytest.raises(ch.ModelError, match="give reference="):
        law(cs, K_d=[1.0, 2.0])


def test_gain_map(cs: ch.ConstrainedSystem) -> None:
    """GAU-8: at a state, the law is the geometric one with gains K'_p, K'_d and another feedforward."""
    q, qd = state(cs)
    t = 0.4
    control = law(cs, K_d=np.array([[5.0, 1.0], [1.0, 8.0]]), reference=q)
    gains = control.geometric_gains(q)
    at, _, u_r = control.components(t, q, qd, np.array([-4.0]))
    e, ed = control.error(t, q, qd)
    _, thd_d, thdd_d = desired(t)
    B = control.basis(q)
    J, J_rate = control.reduced.basis(q), control.reduced.basis_rate(q, qd)
    B_rate = at.V_2_rate.T @ at.W.T @ J + at.V_2.T @ at.W_rate.T @ J + at.V_2.T @ at.W.T @ J_rate
    rate = thd_d - K_P * e
    close(u_r, B @ (thdd_d - gains.K_d @ ed - gains.K_p @ e) + B_rate @ rate + at.Gam_r @ B @ rate)
    close(gains.K_p, np.linalg.inv(B) @ control.K_d @ B * K_P)
    number = law(cs).geometric_gains(np.stack([q, q]))
    close(number.K_d, np.broadcast_to(np.eye(2) * (K_P + K_D), (2, 2, 2)))
    close(number.K_p, np.broadcast_to(np.eye(2) * K_P * K_D, (2, 2, 2)))


def test_geometric_law_in_gauge_coordinates(cs: ch.ConstrainedSystem) -> None:
    """GAU-9: V^T W^-1 (tau - N) = [V_1^T W^-1 A^T f; V_2^T W^T J (..)] + V^T W^-1 C_1."""
    q, qd = state(cs)
    t, K_v, z = 0.4, 9.0, 0.3
    geometric = HybridControl(cs, desired, K_p=20.0, K_v=K_v, coordinates=chart(cs), force=[4.0], K_I=2.0)
    geometric.reset([z])
    at = cs.gauge().equations(q, qd)
    u_o, u_r = at.components(geometric(t, q, qd))
    tangent = geometric.reduced.tangent(q, qd)
    e, ed = geometric.error(t, q, qd)
    a = desired(t)[2] - K_v * ed - 20.0 * e
    C_1 = cs.system.coriolis_matrix(q, qd) @ qd + tangent.M @ tangent.J_rate @ geometric.reduced.of(q, qd)  # type: ignore
    forward = np.linalg.solve(at.W, C_1)
    across = np.linalg.solve(at.W, cs.constraint_matrix(q).T @ [-4.0 + 2.0 * z])
    close(u_o, at.V_1.T @ (across + forward))
    close(u_r, at.V_2.T @ (at.W.T @ tangent.J @ a + forward))
    assert np.abs(at.V_1.T @ across).max() > 0.1


def test_same_motion_as_the_geometric_law(cs: ch.ConstrainedSystem) -> None:
    """On the desired motion, where there is no error, both laws give the same joint forces."""
    t = 0.4
    control = law(cs)
    geometric = HybridControl(cs, desired, K_p=20.0, K_v=9.0, coordinates=chart(cs), force=[4.0])
    q = cs.project(START)
    for _ in range(20):
        q = cs.project(q - control.reduced.basis(q) @ control.error(t, q, np.zeros(3))[0])
    qd = control.reduced.velocities(q, desired(t)[1])
    close(control.error(t, q, qd)[0], np.zeros(2), scale=1.0)
    close(control(t, q, qd), geometric(t, q, qd))


@pytest.mark.slow
def test_integral_and_mass_error(cs: ch.ConstrainedSystem) -> None:
    """K_I: a force error decays at its rate; with 5% too heavy a model the force still comes back, the motion stays."""
    q, qd = state(cs)
    control = law(cs, K_I=6.0)
    control.reset([0.5])
    motion = ch.simulate(cs, q, qd, control, duration=0.5, dt=4e-3)
    assert motion.multipliers is not None
    close(motion.multipliers[:, 0] - 4.0, -6.0 * 0.5 * np.exp(-6.0 * motion.t), 1e-3)

    def still(t: float) -> tuple[Any, Any, Any]:
        return np.array([1.3, 0.2]), np.zeros(2), np.zeros(2)

    model = arm(1.05)
    heavy = GaugeControl(
        model,
        still,
        K_p=K_P,
        K_d=K_D,
        coordinates=chart(model),
        force=[4.0],
        K_I=6.0,
        measure=lambda t, q, qd, tau: cs.forward_dynamics(q, qd, tau).multipliers,
    )
    motion = ch.simulate(cs, q, qd, heavy, duration=5.0, dt=1.25e-2)
    assert motion.multipliers is not None
    end, rest = motion.q[-1], np.zeros(3)
    close(motion.multipliers[-1], [4.0], 1e-5)
    J = heavy.reduced.basis(end)
    wrong = model.bias_forces(end, rest) - cs.bias_forces(end, rest)
    # at rest J^T M' J K'_p e = J^T (N' - N), with GAU-8's K'_p = K_p K_d
    offset = np.linalg.solve(J.T @ model.mass_matrix(end) @ J * K_P * K_D, J.T @ wrong)
    close(heavy.error(5.0, end, rest)[0], offset, 1e-4)
    assert np.abs(offset).max() > 1e-3


def test_batches(cs: ch.ConstrainedSystem) -> None:
    q = cs.project(START + np.array([[0.0, 0.0, 0.0], [0.05, 0.02, -0.1]]))
    qd = cs.consistent(q, np.ones((2, 3)))[1]
    control = law(cs)
    close(control(0.1, q, qd)[1], control(0.1, q[1], qd[1]))
