"""Hybrid control in closed loop: HYB-1, HYB-2 and EX-11 against the exact linear response, and with wrong models."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from support.tolerances import close, small

import chasles as ch
from chasles.control import HybridControl, HybridVelocityControl, ParallelControl

K_P, K_V, K_I = 30.0, 8.0, 6.0


def response(t: Any, e: Any, ed: Any, K_p: float = K_P, K_v: float = K_V) -> np.ndarray:
    """(T, m) e of edd + K_v ed + K_p e = 0 at times (T,) that are evenly spaced."""
    step = scipy.linalg.expm(np.array([[0.0, 1.0], [-K_p, -K_v]]) * t[1])
    found = [np.stack([e, ed])]
    for _ in t[1:]:
        found.append(step @ found[-1])
    return np.stack(found)[:, 0]


def arm(scale: float = 1.0) -> ch.ConstrainedSystem:
    """A 2R arm in gravity whose tip stays on the line y = 0.6; scale: of its masses and inertias."""
    robot = ch.load("planar_2r")
    links = [ch.Link(scale * x.mass, x.com, scale * np.asarray(x.inertia)) for x in robot.links]
    tool = np.eye(4)
    tool[0, 3] = 1.8
    robot = ch.Robot.from_screws(robot.screws, robot.homes, links, tool=tool, gravity=robot.gravity, name="arm")
    return ch.ConstrainedSystem(robot, ch.Constraint.holonomic(lambda q: robot.forward_kinematics(q)[1, 3] - 0.6))


def along_the_line(q: Any) -> Any:
    """The tip's x."""
    return np.stack([np.cos(q[0]) + 0.8 * np.cos(q[0] + q[1])])


def to_and_fro(t: float) -> tuple[Any, Any, Any]:
    w = 2.0
    return (
        np.array([1.0 + 0.2 * np.sin(w * t)]),
        np.array([0.2 * w * np.cos(w * t)]),
        np.array([-0.2 * w * w * np.sin(w * t)]),
    )


def at_rest(t: float) -> tuple[Any, Any, Any]:
    return np.array([1.0]), np.zeros(1), np.zeros(1)


START = np.array([-0.5, 1.6])


@pytest.fixture(scope="module")
def plant() -> ch.ConstrainedSystem:
    return arm()


def test_holonomic(plant: ch.ConstrainedSystem) -> None:
    """HYB-1: the position error follows its equation, and the force error its own, from an integral that starts off."""
    q, qd = plant.consistent(START, [0.5, 0.2])
    law = HybridControl(
        plant, to_and_fro, K_p=K_P, K_v=K_V, coordinates=along_the_line, force=[-7.0], K_I=K_I, at=START
    )
    law.reset([0.8])
    e, ed = law.error(0.0, q, qd)
    assert np.abs(e).max() > 0.04
    motion = ch.simulate(plant, q, qd, law, duration=1.2, dt=3e-3)
    found = np.array([law.error(t, x, v)[0] for t, x, v in zip(motion.t, motion.q, motion.qd, strict=True)])
    close(found, response(motion.t, e, ed), 1e-7, scale=1.0)
    assert motion.multipliers is not None
    close(motion.multipliers + 7.0, -K_I * 0.8 * np.exp(-K_I * motion.t)[:, None], 1e-4)
    assert small(plant.residual(motion.q), 1e-10)
    again = ch.simulate(plant, q, qd, law, duration=0.03, dt=3e-3)  # which begins the integral anew
    close(again.tau, motion.tau[:11])


def test_law_by_hand(plant: ch.ConstrainedSystem) -> None:
    """HYB-1 as printed, for a parametrisation q(x) of the line."""
    x, xd = 1.1, 0.4

    def q_of(x: float) -> np.ndarray:
        r2 = x * x + 0.36
        bend = np.arccos((r2 - 1.0 - 0.64) / 1.6)
        return np.array([np.arctan2(0.6, x) - np.arctan2(0.8 * np.sin(bend), 1.0 + 0.8 * np.cos(bend)), bend])

    h = 1e-4
    J = (q_of(x + h) - q_of(x - h)) / (2 * h)
    J_rate = (q_of(x + h) - 2 * q_of(x) + q_of(x - h)) / h**2 * xd
    q, qd = q_of(x), J * xd
    law = HybridControl(plant, at_rest, K_p=K_P, K_v=K_V, coordinates=along_the_line, force=[-7.0])
    a = -K_V * xd - K_P * (x - 1.0)
    M, A = plant.mass_matrix(q), plant.constraint_matrix(q)
    C_1 = plant.bias_forces(q, qd) + M @ J_rate * xd
    close(law(0.0, q, qd), M @ J * a + C_1 + A.T @ [7.0], 1e-6)


def test_on_a_sphere() -> None:
    """HYB-1 for a particle on a sphere, in latitude and longitude, with a gain for each."""
    particle = ch.LagrangianSystem(3, lambda q, qd: 0.4 * (qd @ qd) - 0.8 * 9.81 * q[2], name="particle")
    cs = ch.ConstrainedSystem(particle, ch.Constraint.holonomic(lambda q: (q @ q - 1.0) / 2, "sphere"))

    def chart(q: Any) -> Any:
        return np.stack([np.arctan2(q[2], np.sqrt(q[0] ** 2 + q[1] ** 2)), np.arctan2(q[1], q[0])])

    def desired(t: float) -> tuple[Any, Any, Any]:
        return np.array([0.3 * np.sin(t), t]), np.array([0.3 * np.cos(t), 1.0]), np.array([-0.3 * np.sin(t), 0.0])

    law = HybridControl(cs, desired, K_p=[20.0, 40.0], K_v=[6.0, 9.0], coordinates=chart, force=lambda t: [-2.0 - t])
    q, qd = cs.consistent([0.9, -0.3, 0.4], [0.2, 0.4, -0.3])
    e, ed = law.error(0.0, q, qd)
    motion = ch.simulate(cs, q, qd, law, duration=0.8, dt=4e-3)
    found = np.array([law.error(t, x, v)[0] for t, x, v in zip(motion.t, motion.q, motion.qd, strict=True)])
    for k, (K_p, K_v) in enumerate([(20.0, 6.0), (40.0, 9.0)]):
        close(found[:, k], response(motion.t, e[k], ed[k], K_p, K_v), 1e-6, scale=1.0)
    assert motion.multipliers is not None
    close(motion.multipliers[:, 0], -2.0 - motion.t)


def test_rolling_disk() -> None:
    """HYB-2: velocities of a rolling disk, the forces at its rim, and the whole motion against the law's promise."""
    weights = np.array([1.5, 1.5, 0.2, 0.3]) / 2
    disk = ch.LagrangianSystem(
        4, lambda q, qd: np.sum(weights * qd * qd) - 2.0 * q[1], coordinate_names=("x", "y", "theta", "phi")
    )

    def rows(q: Any) -> Any:
        A = np.zeros_like(q, shape=(2, 4))
        A[0, 0], A[1, 1] = 1.0, 1.0
        A[0, 3], A[1, 3] = -0.5 * np.cos(q[2]), -0.5 * np.sin(q[2])
        return A

    cs = ch.ConstrainedSystem(disk, ch.Constraint.pfaffian(rows, "rolling"))

    def desired(t: float) -> tuple[Any, Any]:
        return np.array([np.sin(t), 2.0]), np.array([np.cos(t), 0.0])

    law = HybridVelocityControl(
        cs, desired, K_p=4.0, independent=["theta", "phi"], force=[0.5, -1.0], K_I=[K_I, 2 * K_I]
    )
    law.reset([0.1, -0.2])
    q = np.array([0.0, 0.0, 0.3, 0.0])
    qd = law.reduced.velocities(q, [1.0, -1.0])
    motion = ch.simulate(cs, q, qd, law, duration=0.8, dt=2e-3)
    found = np.array([law.error(t, x, v) for t, x, v in zip(motion.t, motion.q, motion.qd, strict=True)])
    close(found, np.exp(-4.0 * motion.t)[:, None] * found[0], 1e-8)
    assert motion.multipliers is not None
    wrong = motion.multipliers - [0.5, -1.0]
    close(wrong[:, 0], -K_I * 0.1 * np.exp(-K_I * motion.t), 1e-4)
    close(wrong[:, 1], 2 * K_I * 0.2 * np.exp(-2 * K_I * motion.t), 3e-4)


# wrong models; noise: test_noise.py


@pytest.mark.slow
def test_mass_error(plant: ch.ConstrainedSystem) -> None:
    """5% too heavy a model: the position settles at the offset predicted, the force where it should be by its integral.

    J^T M' J K_p e = J^T (N' - N) at rest; without an integral the force is off by what the model is wrong.
    """
    model = arm(1.05)
    q, qd = plant.consistent(START, [0.0, 0.0])
    ends = {}
    for K in (0.0, K_I):
        law = HybridControl(
            model,
            at_rest,
            K_p=K_P,
            K_v=2 * np.sqrt(K_P),
            coordinates=along_the_line,
            force=[-7.0],
            K_I=K,
            measure=lambda t, q, qd, tau: plant.forward_dynamics(q, qd, tau).multipliers,
        )
        motion = ch.simulate(plant, q, qd, law, duration=4.0, dt=8e-3)
        assert motion.multipliers is not None
        end, rest = motion.q[-1], np.zeros(2)
        assert small(motion.qd[-1], 1e-6)
        J = law.reduced.basis(end)
        wrong = model.bias_forces(end, rest) - plant.bias_forces(end, rest)
        offset = np.linalg.solve(J.T @ model.mass_matrix(end) @ J * K_P, J.T @ wrong)
        assert np.abs(offset).max() > 1e-3
        close(law.error(4.0, end, rest)[0], offset, 1e-4)
        ends[K] = motion.multipliers[-1, 0]
    close(ends[K_I], -7.0, 1e-8)
    assert abs(ends[0.0] + 7.0) > 0.3


def test_mass_error_while_moving(plant: ch.ConstrainedSystem) -> None:
    """The error with a wrong model solves the linear equation that the wrong forces drive, computed by hand."""
    model = arm(1.05)
    q, qd = plant.consistent(START, [0.5, 0.2])
    law = HybridControl(model, to_and_fro, K_p=K_P, K_v=K_V, coordinates=along_the_line, force=[-7.0])
    motion = ch.simulate(plant, q, qd, law, duration=1.0, dt=2e-3)
    errors = [law.error(t, x, v) for t, x, v in zip(motion.t, motion.q, motion.qd, strict=True)]
    e, ed = np.array([x[0] for x in errors])[:, 0], np.array([x[1] for x in errors])[:, 0]
    at = law.reduced.tangent(motion.q, motion.qd)
    M, bias = plant.mass_matrix(motion.q), plant.bias_forces(motion.q, motion.qd)
    u = law.reduced.of(motion.q, motion.qd)
    a = np.array([law.acceleration(t, x, v) for t, x, v in zip(motion.t, motion.q, motion.qd, strict=True)])
    asked = np.einsum("tij,tj->ti", at.J, a) + np.einsum("tij,tj->ti", at.J_rate, u)
    wrong = np.einsum("tij,tj->ti", at.M - M, asked) + at.bias - bias
    drive = (np.einsum("tij,ti->tj", at.J, wrong) / (np.swapaxes(at.J, 1, 2) @ M @ at.J)[:, 0])[:, 0]
    edd = np.gradient(ed, motion.t, edge_order=2)
    close((edd + K_V * ed + K_P * e)[2:-2], drive[2:-2], 1e-3)
    assert np.abs(drive).max() > 0.1
    assert np.abs(e[-100:]).max() < 0.05


def test_motors_that_give_too_much(plant: ch.ConstrainedSystem) -> None:
    """By 5%: the force is off at first, and the integral takes it back."""
    law = HybridControl(
        plant,
        at_rest,
        K_p=K_P,
        K_v=K_V,
        coordinates=along_the_line,
        force=[-7.0],
        K_I=K_I,
        measure=lambda t, q, qd, tau: plant.forward_dynamics(q, qd, 1.05 * tau).multipliers,
    )
    q = plant.project(START)
    motion = ch.simulate(plant, q, np.zeros(2), lambda t, q, qd: 1.05 * law(t, q, qd), duration=4.0, dt=8e-3)
    assert motion.multipliers is not None
    wrong = np.abs(motion.multipliers[:, 0] + 7.0)
    assert wrong[0] > 0.2
    assert wrong[-1] < 1e-5


# a parallel arm with motors at its base


def parallel_arm() -> ch.ConstrainedSystem:
    """Three 2R arms on a triangle, their tips in one point, in gravity along -y; bars of 0.6 m, 1 kg."""
    bases, home = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.9)], []
    screws, homes, links, parents, frames = [], [], [], [], {}
    for k, (x, y) in enumerate(bases):
        for j in range(2):
            T = np.eye(4)
            T[:2, 3] = x + 0.6 * j, y
            screws.append(ch.screw([0, 0, 1], T[:3, 3]))
            homes.append(T)
            links.append(ch.Link(1.0, [0.3, 0, 0], [1e-3, 0.03, 0.03]))
            parents.append(2 * k if j else -1)
        T = np.eye(4)
        T[:2, 3] = x + 1.2, y
        frames[f"tip{k}"] = (2 * k + 1, T)
        d = np.array([0.5, 0.35]) - (x, y)
        bend = np.arccos((d @ d - 0.72) / 0.72)
        home += [np.arctan2(d[1], d[0]) - bend / 2, bend]
    names = [f"{where}{k}" for k in range(3) for where in ("base", "elbow")]
    robot = ch.Robot.from_screws(
        screws, homes, links, parents, frames=frames, gravity=[0, -9.81, 0], name="3x2R", joint_names=names
    )

    def tips(q: Any) -> Any:
        first = robot.forward_kinematics(q, frame="tip0")[:2, 3]
        return np.concatenate([first - robot.forward_kinematics(q, frame=f"tip{k}")[:2, 3] for k in (1, 2)])

    cs = ch.ConstrainedSystem(robot, ch.Constraint.holonomic(tips, "closure"), start=home)
    cs.home = cs.project(home)  # type: ignore[attr-defined]
    return cs


def tip(cs: ch.ConstrainedSystem) -> Any:
    return lambda q: cs.system.forward_kinematics(q, frame="tip0")[:2, 3]  # type: ignore[attr-defined]


def circle(t: float) -> tuple[Any, Any, Any]:
    c, s, r, w = np.cos(2 * t), np.sin(2 * t), 0.08, 2.0
    return (
        np.array([0.5 + r * c, 0.35 + r * s]),
        np.array([-r * w * s, r * w * c]),
        np.array([-r * w * w * c, -r * w * w * s]),
    )


MOTORS = ["base0", "base1", "base2"]


@pytest.fixture(scope="module")
def mechanism() -> ch.ConstrainedSystem:
    return parallel_arm()


def test_parallel_arm(mechanism: ch.ConstrainedSystem) -> None:
    """EX-11: three motors, two degrees of freedom; the tip's error follows its equation, elbows have no torque."""
    cs, q = mechanism, mechanism.home  # type: ignore[attr-defined]
    assert cs.degrees_of_freedom == 2 and cs.redundancy.rank == 4
    law = ParallelControl(cs, circle, actuated=MOTORS, K_p=K_P, K_v=K_V, coordinates=tip(cs), at=q)
    assert np.linalg.matrix_rank(cs.projections(q).P_w) == 2
    assert law.projection(q).shape == (6, 3) and np.linalg.matrix_rank(law.projection(q)) == 2  # EX-11b
    e, ed = law.error(0.0, q, np.zeros(6))
    motion = ch.simulate(cs, q, np.zeros(6), law, duration=0.6, dt=5e-3)
    found = np.array([law.error(t, x, v)[0] for t, x, v in zip(motion.t, motion.q, motion.qd, strict=True)])
    close(found, response(motion.t, e, ed), 1e-6, scale=0.1)
    assert not motion.tau[:, 1::2].any() and np.abs(motion.tau[:, ::2]).max() > 1.0


def test_smallest_torques_and_preload(mechanism: ch.ConstrainedSystem) -> None:
    """Both laws move alike; that of the pseudo-inverse needs least, a preload squeezes."""
    cs = mechanism
    q, qd = cs.consistent(cs.home, np.ones(6))  # type: ignore[attr-defined]
    options: dict[str, Any] = {"actuated": MOTORS, "K_p": K_P, "K_v": K_V, "coordinates": tip(cs), "at": q}
    least = ParallelControl(cs, circle, **options)
    squeezed = ParallelControl(cs, circle, preload=[3.0, 3.0, 3.0], **options)
    full = HybridControl(cs, circle, K_p=K_P, K_v=K_V, coordinates=tip(cs), at=q)
    tau = [law(0.1, q, qd) for law in (least, squeezed, full)]
    motions = [cs.forward_dynamics(q, qd, x) for x in tau]
    close(motions[1].qdd, motions[0].qdd, scale=np.abs(motions[0].qdd).max())
    close(motions[2].qdd, motions[0].qdd)
    assert np.linalg.norm(tau[0]) < np.linalg.norm(tau[1]) - 1e-3
    assert np.abs(motions[1].multipliers - motions[0].multipliers).max() > 0.1
    P_hat = least.projection(q)
    close(tau[0][::2], np.linalg.pinv(P_hat, rcond=1e-10) @ cs.projections(q).P_w @ tau[2])


def test_two_motors_are_enough_and_one_is_not(mechanism: ch.ConstrainedSystem) -> None:
    cs = mechanism
    q, qd = cs.consistent(cs.home, np.ones(6))  # type: ignore[attr-defined]
    options: dict[str, Any] = {"K_p": K_P, "K_v": K_V, "coordinates": tip(cs), "at": q}
    two = ParallelControl(cs, circle, actuated=[0, 2], **options)
    three = ParallelControl(cs, circle, actuated=MOTORS, **options)
    moved = [cs.forward_dynamics(q, qd, law(0.0, q, qd)).qdd for law in (two, three)]
    close(moved[0], moved[1])
    with pytest.raises(ch.ModelError, match="1 driven joints cannot cause all 2 motions"):
        ParallelControl(cs, circle, actuated=["base0"], **options)(0.0, q, qd)


def test_batches_and_time(plant: ch.ConstrainedSystem) -> None:
    """Many states at once are as each alone; a time that has passed gives the integral that was used then."""
    q = plant.project(START + np.array([[0.0, 0.0], [0.05, 0.02], [-0.03, 0.1]]))
    qd = plant.consistent(q, np.ones((3, 2)))[1]
    options: dict[str, Any] = {"K_p": K_P, "K_v": K_V, "coordinates": along_the_line, "force": [-7.0]}
    law = HybridControl(plant, at_rest, **options)
    close(law(0.0, q, qd)[1], law(0.0, q[1], qd[1]))
    held = HybridControl(plant, at_rest, K_I=K_I, measure=lambda t, q, qd, tau: np.full((3, 1), t - 6.0), **options)
    first = [held(t, q, qd) for t in (0.0, 0.1, 0.2, 0.3)]
    close(held.integral.at(0.3), np.full((3, 1), 0.34))  # of 1 + t, the last step predicted: 0.345 less 0.1^2 / 2
    close(held(0.1, q, qd), first[1])
    close(held(0.4, q, qd) - first[0], 0.475 * K_I * plant.constraint_matrix(q)[:, 0])
    held.reset()
    close(held(0.3, q, qd), first[0])


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"K_p": [1.0, 2.0]}, ch.ShapeError, "K_p must be a number"),
        ({"force": [1.0, 2.0]}, ch.ShapeError, "force must have shape"),
        ({"desired": lambda t: (1.0, 0.0)}, ch.ModelError, "must return 3 arrays"),
        ({"measure": 3.0}, ch.ModelError, "measure must be a function"),
        ({"desired": lambda t: (np.zeros(2),) * 3}, ch.ShapeError, "what desired returns"),
    ],
)
def test_refusals(plant: ch.ConstrainedSystem, arguments: Any, error: Any, says: str) -> None:
    options = {"K_p": 1.0, "K_v": 1.0, "coordinates": along_the_line, **arguments}
    with pytest.raises(error, match=says):
        HybridControl(plant, options.pop("desired", at_rest), **options)
