"""Resolved acceleration: the error is linear, the null space is free, limits and singularities are kept."""

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from support.following import NAMES, errors, path, response, robot, start, state
from support.motions import Ad, hat
from support.sweeps import sweep
from support.tolerances import close, small

import chasles as ch
from chasles import paths
from chasles.control import Limits, ResolvedAcceleration, centring

K_P, K_D = 60.0, 13.0


@pytest.mark.parametrize("name", sweep(NAMES, ["tree", "groups"]))
@pytest.mark.parametrize("inverse", ["inertia", "moore-penrose"])
def test_the_error_is_linear(name: str, inverse: Any) -> None:
    """xi'' + K_d xi' + K_p xi = 0 in closed loop, on a path, for every kind of joint."""
    law = ResolvedAcceleration(robot(name), path(name), K_p=K_P, K_d=K_D, inverse=inverse, damping=1e-6)
    q, qd = state(name)
    run = ch.simulate(robot(name), q, qd, law, duration=0.3, dt=5e-3)
    x, xd = law.error(0.0, q, qd)
    assert np.abs(x).max() > 0.01
    close(errors(law, run), response(run.t, x, xd, K_P, K_D), 1e-5)


def test_gains_that_are_matrices(rng: np.random.Generator) -> None:
    """Coupled, not symmetric: as asked for."""
    P, D = (k * np.eye(6) + 0.2 * k * rng.normal(size=(6, 6)) for k in (K_P, K_D))
    law = ResolvedAcceleration(robot("ur5"), path("ur5"), K_p=P, K_d=D)
    q, qd = state("ur5", 0.1)
    run = ch.simulate(robot("ur5"), q, qd, law, duration=0.3, dt=5e-3)
    close(errors(law, run), response(run.t, *law.error(0.0, q, qd), P, D), 1e-5)


def test_large_errors_too() -> None:
    """Linear up to half a turn, not only to first order: 2.6 rad off, nothing but a pose to hold."""
    arm = robot("ur5")
    q = start("ur5")
    xi = np.array([1.5, -1.5, 1.5, 0.1, 0.05, -0.1])
    law = ResolvedAcceleration(arm, arm.forward_kinematics(q) @ expm(-hat(xi)), K_p=4.0, K_d=4.0, damping=1e-6)
    close(law.error(0.0, q, np.zeros(6))[0], xi, 1e-9)
    run = ch.simulate(arm, q, np.zeros(6), law, duration=0.25, dt=2.5e-3)
    close(errors(law, run), response(run.t, xi, np.zeros(6), 4.0, 4.0), 1e-5)


def test_the_task_has_what_it_asks_for() -> None:
    """J qdd + Jd qd is the acceleration asked for, whatever the objective."""
    arm, (q, qd) = robot("panda"), state("panda")
    for inverse in ("inertia", "moore-penrose"):
        laws = [
            ResolvedAcceleration(arm, path("panda"), K_p=K_P, K_d=K_D, inverse=inverse, **options)
            for options in ({}, {"objective": centring(arm), "objective_gain": 30.0}, {"null_damping": 0.0})
        ]
        found = [law.joint_acceleration(0.2, q, qd) for law in laws]
        for law, qdd in zip(laws, found, strict=True):
            close(arm.acceleration(q, qd, qdd), law.acceleration(0.2, q, qd), 1e-9)
        assert np.abs(found[1] - found[0]).max() > 0.1 and np.abs(found[2] - found[0]).max() > 0.1


def test_frames_do_not_matter(rng: np.random.Generator) -> None:
    """The joint forces are the same for another tool frame, with the gains carried along, and another base."""
    arm, (q, qd), G = robot("ur5"), state("ur5"), expm(hat(rng.normal(size=6)))
    into, back = Ad(np.linalg.inv(G)), Ad(G)
    P, D = (k * np.eye(6) + 0.2 * k * rng.normal(size=(6, 6)) for k in (K_P, K_D))
    along = path("ur5")
    law = ResolvedAcceleration(arm, along, K_p=P, K_d=D)
    tool = arm.mechanism.frame(None)
    moved = arm.with_tool(tool.pose @ G)

    def turned(t: float) -> Any:
        return along(t) @ G, into @ along.velocity(t), into @ along.acceleration(t)

    other = ResolvedAcceleration(moved, turned, K_p=into @ P @ back, K_d=into @ D @ back)
    close(other(0.3, q, qd), law(0.3, q, qd), 1e-9)


def test_objectives_are_served_in_the_null_space() -> None:
    arm, q = robot("panda"), start("panda")
    hold = arm.forward_kinematics(q)
    potential = centring(arm)
    for objective in (potential, lambda q: -arm.manipulability(q)):
        law = ResolvedAcceleration(arm, hold, K_p=K_P, K_d=K_D, objective=objective, objective_gain=20.0)
        assert law.objective is not None
        run = ch.simulate(arm, q, np.zeros(7), law, duration=0.6, dt=5e-3)
        assert law.objective(run.q[-1]) < law.objective(q) - 1e-3
        assert small(errors(law, run), 1e-6)


def test_the_gradient_of_an_objective() -> None:
    """By joint motions, on groups too."""
    own, (q, v) = robot("groups"), state("groups")
    law = ResolvedAcceleration(own, path("groups"), K_p=1.0, K_d=1.0, objective=lambda q: (q @ q) * q[0] + q[-1])
    assert law.objective is not None
    h = 1e-6
    slope = (law.objective(own.integrate(q, h * v)) - law.objective(own.integrate(q, -h * v))) / (2 * h)
    close(law.objective.gradient(q) @ v, slope, 1e-6)


def test_free_motion_is_damped() -> None:
    """The part of qd that the tool does not see decays at the rate null_damping, the tool held still."""
    arm, q = robot("panda"), start("panda")
    law = ResolvedAcceleration(arm, arm.forward_kinematics(q), K_p=K_P, K_d=K_D, null_damping=4.0)
    qd = arm.null_space_projector(q) @ np.ones(7)
    run = ch.simulate(arm, q, qd, law, duration=0.5, dt=2e-3)
    energy = run.kinetic
    assert small(errors(law, run), 1e-6)
    close(np.log(energy[-1] / energy[0]), -4.0, 0.3)  # the geometry of the fibre adds a little


@pytest.mark.parametrize("heavier", [0.05])
def test_a_model_that_is_five_percent_wrong(heavier: float) -> None:
    """All masses off by five percent: the error stays near the linear one, and ends where statics says."""
    arm, (q, qd) = robot("ur5"), state("ur5")
    plant = scaled(arm, 1.0 + heavier)
    hold = arm.forward_kinematics(start("ur5"))
    law = ResolvedAcceleration(arm, hold, K_p=100.0, K_d=20.0)
    run = ch.simulate(plant, q, qd, law, duration=2.0, dt=5e-3, every=10)
    found, ideal = errors(law, run), response(run.t, *law.error(0.0, q, qd), 100.0, 20.0)
    push = arm.gravity_forces(run.q[-1]) - plant.gravity_forces(run.q[-1])
    rest = arm.jacobian(run.q[-1]) @ np.linalg.solve(arm.mass_matrix(run.q[-1]), push) / 1.0
    xi = found[-1]
    close(100.0 * dexp(-xi) @ xi, rest, 1e-3)
    assert (
        np.abs(found - ideal - xi * (1 - np.exp(-10 * run.t) * (1 + 10 * run.t))[:, None]).max()
        < 0.1 * np.abs(xi).max()
    )


def scaled(arm: ch.Robot, factor: float) -> ch.Robot:
    links = [ch.Link(factor * x.mass, x.com, factor * x.inertia) for x in arm.links]
    return ch.Robot.from_screws(arm.screws, arm.homes, links, gravity=arm.gravity, limits=arm.limits)


def dexp(xi: np.ndarray) -> np.ndarray:
    """The matrix of dexp, from the exponential of a larger one."""
    w, v = hat(xi)[:3, :3], hat(np.append(xi[3:], np.zeros(3)))[:3, :3]
    ad = np.block([[w, np.zeros((3, 3))], [v, w]])
    return expm(np.block([[ad, np.eye(6)], [np.zeros((6, 12))]]))[:6, 6:]


def test_a_point_of_a_planar_arm() -> None:
    arm, q = robot("planar_2r"), np.array([0.4, 1.1])
    T = arm.forward_kinematics(q)
    law = ResolvedAcceleration(
        arm, paths.geodesic(T, T @ expm(hat(np.array([0, 0, 0, 0.2, -0.3, 0.0])))), rows="tx ty", K_p=K_P, K_d=K_D
    )
    q, qd = q + np.array([0.05, -0.1]), np.array([0.1, 0.2])
    run = ch.simulate(arm, q, qd, law, duration=0.5, dt=5e-3)
    x, xd = law.error(0.0, q, qd)
    assert not x[[0, 1, 2, 5]].any()
    close(errors(law, run), response(run.t, x, xd, K_P, K_D), 1e-5)


def test_a_planar_pose() -> None:
    arm, q = robot("planar_3r"), np.array([0.4, 1.1, -0.5])
    T = arm.forward_kinematics(q)
    to = T @ expm(hat(np.array([0, 0, 0.5, 0.2, -0.3, 0.0])))
    q, qd = q + np.array([0.05, -0.1, 0.1]), np.array([0.1, 0.2, -0.1])
    taus = []
    for rows in ("rz tx ty", None):  # all six: what the arm cannot do is zero, and left out
        law = ResolvedAcceleration(arm, paths.screw(T, to), rows=rows, K_p=K_P, K_d=K_D)
        run = ch.simulate(arm, q, qd, law, duration=0.5, dt=5e-3)
        close(errors(law, run), response(run.t, *law.error(0.0, q, qd), K_P, K_D), 1e-5)
        taus.append(run.tau)
    close(taus[0], taus[1], 1e-8)


def test_limits_of_position_velocity_and_force() -> None:
    """The tool is sent where a joint would leave its limits: joints and forces stay within theirs."""
    arm, q = robot("panda"), start("panda")
    lower, upper = arm.limits["lower"].copy(), arm.limits["upper"].copy()
    lower[0], upper[0] = q[0] - 0.03, q[0] + 0.03
    limits = Limits(arm, position=(lower, upper), velocity=0.8, effort=40.0)
    T = arm.forward_kinematics(q)
    along = paths.minimum_jerk(T, T @ expm(hat(np.array([0.0, 0.0, 0.0, 0.15, 0.0, -0.15]))), duration=0.6)
    free = ResolvedAcceleration(arm, along, K_p=K_P, K_d=K_D)
    bound = ResolvedAcceleration(arm, along, K_p=K_P, K_d=K_D, limits=limits)
    runs = [ch.simulate(arm, q, np.zeros(7), law, duration=1.0, dt=1e-2) for law in (free, bound)]
    assert not ((runs[0].q >= lower - 1e-3) & (runs[0].q <= upper + 1e-3)).all()
    assert np.abs(runs[0].qd).max() > 0.81
    run = runs[1]
    assert ((run.q >= lower - 1e-4) & (run.q <= upper + 1e-4)).all()
    assert np.abs(run.qd).max() < 0.81 and np.abs(run.tau).max() <= 40.0 * (1 + 1e-6)
    assert np.abs(errors(bound, run)[-1]).max() < 0.02  # it arrives all the same, with the joints that are left


@pytest.mark.parametrize("limits", [False, True])
def test_a_singular_start(limits: bool) -> None:
    """A stretched arm, asked to draw back along itself: finite, and within its limits if told so."""
    arm = robot("ur5")
    q = np.array([0.1, -1.0, 0.0, -1.2, 1.3, 0.2])
    T = arm.forward_kinematics(q)
    to = T.copy()
    to[:3, 3] *= 0.8
    law = ResolvedAcceleration(arm, paths.geodesic(T, to, 2.0), K_p=K_P, K_d=K_D, damping=0.03, limits=limits)
    run = ch.simulate(arm, q, np.zeros(6), law, duration=2.5, dt=1e-2)
    assert np.isfinite(run.q).all() and np.abs(run.tau).max() < 1e3
    if limits:
        assert (np.abs(run.tau) <= arm.limits["effort"] * (1 + 1e-6)).all()
        assert (np.abs(run.qd) <= arm.limits["velocity"] * 1.01).all()


@pytest.mark.parametrize("name", ["panda", "groups"])
def test_batches(name: str) -> None:
    law = ResolvedAcceleration(robot(name), path(name), K_p=K_P, K_d=K_D, limits=name == "panda")
    states = [state(name, 0.1, seed) for seed in range(4)]
    q, qd = (np.stack([s[k] for s in states]).reshape(2, 2, -1) for k in (0, 1))
    tau = law(0.3, q, qd)
    for i in np.ndindex(2, 2):
        close(tau[i], law(0.3, q[i], qd[i]), 1e-9)
    many = paths.geodesic(path(name).start, np.stack([path(name).end] * 2))
    follower = ResolvedAcceleration(robot(name), many, K_p=K_P, K_d=K_D)
    close(follower(0.3, q[0], qd[0])[1], follower(0.3, q[0], qd[0, 1])[1], 10.0)
    assert follower(0.3, q[0], qd[0]).shape == (2, robot(name).n)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"robot": "panda"}, ch.ModelError, r"robot must be a chasles\.Robot, got str"),
        ({"path": np.eye(3)}, ch.ShapeError, r"path must have shape \(..., 4, 4\)"),
        ({"path": 2 * np.eye(4)}, ch.ModelError, "path is not a rigid motion"),
        ({"path": lambda t: np.eye(4)}, ch.ModelError, r"path\(t\) must return \(T, V, A\)"),
        ({"path": lambda t: (np.eye(3), 0, 0)}, ch.ShapeError, r"the pose that path\(t\) returns"),
        ({"path": lambda t: (np.eye(4), np.zeros(3), np.zeros(6))}, ch.ShapeError, r"the twist of path\(t\)"),
        ({"K_p": [1.0]}, ch.ShapeError, "K_p must be a number"),
        ({"K_d": np.nan}, ch.ShapeError, "K_d must be a number"),
        ({"K_p": -1.0}, ch.ModelError, "K_p, K_d: the error would grow"),
        ({"K_d": [1, 1, 1, 1, 1, -1]}, ch.ModelError, "K_p, K_d: the error would grow"),
        ({"frame": "hand"}, ch.FrameError, "hand"),
        ({"frame": ["tool"]}, ch.ModelError, "frame must be the name of one frame"),
        ({"rows": "x"}, ch.ModelError, "row"),
        ({"inverse": "transpose"}, ch.ModelError, "inverse must be"),
        ({"objective": 3.0}, ch.ModelError, r"objective must be a function of \(q\)"),
        ({"objective_gain": -1.0}, ch.ModelError, "objective_gain must be a number"),
        ({"null_damping": "x"}, ch.ModelError, "null_damping must be a number"),
        ({"damping": 2.0}, ch.ModelError, "damping must be a number from 0 to 1"),
        ({"limits": 3}, ch.ModelError, "limits must be True, False or control.Limits"),
    ],
)
def test_refusals(options: dict[str, Any], error: Any, says: str) -> None:
    given = {"robot": robot("panda"), "path": np.eye(4), "K_p": 1.0, "K_d": 1.0, **options}
    with pytest.raises(error, match=says):
        ResolvedAcceleration(given.pop("robot"), given.pop("path"), **given)


@pytest.mark.parametrize("gains", [(0.0, 0.0), (4.0, 0.0), (0.0, 3.0), (4.0, 4.0)])
def test_gains_that_only_just_do_not_grow(gains: tuple[float, float]) -> None:
    ResolvedAcceleration(robot("panda"), np.eye(4), K_p=gains[0], K_d=gains[1])


def test_centring_needs_limits() -> None:
    with pytest.raises(ch.ModelError, match="has no joint with a lower and an upper limit"):
        centring(robot("tree"))
