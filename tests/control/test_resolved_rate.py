"""Resolved rate: the error decays as asked, joints stay within limits, the motion can be asked between samples."""

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from support.following import NAMES, path, robot, start, state
from support.motions import hat
from support.sweeps import sweep
from support.tolerances import FINITE_DIFFERENCE, close

import chasles as ch
from chasles import paths
from chasles.control import Limits, ResolvedRate, centring


def errors(law: ResolvedRate, motion: Any) -> np.ndarray:
    return np.array([law.error(t, q, v)[0] for t, q, v in zip(motion.t, motion.q, motion.qd, strict=True)])


@pytest.mark.parametrize("name", sweep(NAMES, ["tree", "groups"]))
@pytest.mark.parametrize("inverse", ["inertia", "moore-penrose"])
def test_the_error_decays(name: str, inverse: Any) -> None:
    """xi(t) = exp(-K t) xi(0), for a matrix K, on every kind of joint."""
    K = 5.0 * np.eye(6) + 0.5 * np.random.default_rng(1).normal(size=(6, 6))
    law = ResolvedRate(robot(name), path(name), K=K, inverse=inverse, damping=1e-6)
    motion = law.follow(state(name)[0], dt=1e-2)
    found = errors(law, motion)
    assert np.abs(found[0]).max() > 0.01
    close(found, np.array([expm(-K * t) @ found[0] for t in motion.t]), 1e-5)


@pytest.mark.parametrize("name", sweep(NAMES, ["tree", "groups"]))
def test_on_the_path_it_stays(name: str) -> None:
    motion = ResolvedRate(robot(name), path(name), damping=1e-6).follow(start(name), dt=1e-2)
    close(robot(name).forward_kinematics(motion.q), path(name)(motion.t), 1e-6)
    close(robot(name).velocity(motion.q, motion.qd), path(name).velocity(motion.t), 1e-5)


def test_it_is_the_horizontal_lift() -> None:
    """Along the path, the velocity of least kinetic energy."""
    arm, q = robot("panda"), start("panda")
    law, V = ResolvedRate(arm, path("panda")), path("panda").velocity(0.4)
    here = arm.forward_kinematics(q)
    held = ResolvedRate(arm, lambda t: (here, V, np.zeros(6)))
    close(held(0.4, q), arm.horizontal_lift(q, V), 1e-9)
    lift = arm.lift_path(path("panda"), q, steps=256)
    close(law.follow(q, dt=5e-3).q[-1], lift.q[-1], 1e-6)


@pytest.mark.parametrize("name", ["panda", "groups"])
def test_between_samples(name: str) -> None:
    """q, qd and qdd belong together, and to the path; outside the motion rests."""
    own = robot(name)
    motion, h = ResolvedRate(own, path(name), damping=1e-6).follow(start(name), dt=2e-2), 1e-5
    for t in (0.013, 0.5, 0.777):
        q, qd, qdd = motion(t)
        after, before = motion(t + h), motion(t - h)
        close(own.difference(before[0], after[0]) / (2 * h), qd, FINITE_DIFFERENCE, scale=1.0)
        close((after[1] - before[1]) / (2 * h), qdd, 1e-3, scale=1.0)
        close(own.forward_kinematics(q), path(name)(t), 1e-5)
    for t, k in ((-1.0, 0), (2.0, -1)):
        q, qd, qdd = motion(t)
        close(q, motion.q[k], 0.0)
        assert not qd.any() and not qdd.any()
    close(motion(1.0)[0], motion.q[-1], 1e-12)
    assert repr(motion) == f"<JointMotion of {own.name!r}: 1 s, 51 samples>"


def test_order_four() -> None:
    for name in ("panda", "groups"):
        law = ResolvedRate(robot(name), path(name), damping=1e-6)
        ends = [law.follow(state(name)[0], dt=dt).q[-1] for dt in (0.1, 0.05, 0.0125)]
        off = [np.abs(robot(name).difference(ends[2], end)).max() for end in ends[:2]]
        assert off[1] < off[0] / 10.0 or off[1] < 1e-9


def test_order_four_on_groups() -> None:
    """Joints that turn fast, about axes that change: brackets of the second order count."""
    own, q, rng = robot("groups"), start("groups"), np.random.default_rng(3)
    T, width = own.forward_kinematics(q), np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1])
    ends = {"V0": np.array([1.0, -2.0, 0.5, 0.1, 0.2, 0.0]), "V1": np.array([-1.0, 1.0, 1.5, 0.0, 0.2, 0.1])}
    along = paths.minimum_jerk(T, T @ expm(hat(width * rng.normal(size=6))), **ends)
    law = ResolvedRate(own, along, K=1.0, damping=1e-6)
    found = [law.follow(q, dt=dt).q[-1] for dt in (0.1, 0.05, 0.025, 0.00625)]
    off = [np.abs(own.difference(found[-1], end)).max() for end in found[:-1]]
    assert off[2] > 1e-8 and off[0] > 13.0 * off[1] and off[1] > 13.0 * off[2]


def test_a_motion_that_diverges() -> None:
    """A gain too stiff for the step is named; a smaller step follows it."""
    arm, q = robot("panda"), start("panda")
    law = ResolvedRate(
        arm, path("panda"), rows="tx ty tz", objective=lambda x: (x - q) @ (x - q) / 2, objective_gain=10.0
    )
    with pytest.raises(ch.ModelError, match=r"diverges at t = .* dt = 0.01 are too long .* objective_gain = 10"):
        law.follow(q)
    assert np.isfinite(law.follow(q, duration=0.02, dt=2e-4).q).all()
    with pytest.raises(ch.ModelError, match=r"dt = 0.01 are too long for K; take a smaller dt or gain"):
        ResolvedRate(arm, path("panda"), K=1e4, horizon=0.0).follow(state("panda")[0])


def test_limits() -> None:
    """A joint at its limit stops, the others go on; speeds are kept."""
    arm, q = robot("panda"), start("panda")
    T = arm.forward_kinematics(q)
    along = paths.minimum_jerk(T, T @ expm(hat(np.array([0.0, 0.0, 0.0, 0.15, 0.0, -0.15]))))
    free = ResolvedRate(arm, along).follow(q, dt=2e-2)
    j = 0
    side = np.sign(free.q[-1, j] - q[j])
    reach = 0.5 * np.abs(free.q[:, j] - q[j]).max()
    lower, upper = arm.limits["lower"].copy(), arm.limits["upper"].copy()
    lower[j], upper[j] = sorted((q[j] - side * 1.0, q[j] + side * reach))
    limits = Limits(arm, position=(lower, upper), velocity=1.5)
    law = ResolvedRate(arm, along, limits=limits)
    motion = law.follow(q, dt=2e-2)
    assert ((motion.q >= lower - 1e-6) & (motion.q <= upper + 1e-6)).all()
    assert np.abs(motion.qd).max() <= 1.5 + 1e-6
    assert not ((free.q >= lower) & (free.q <= upper)).all()
    assert np.abs(errors(law, motion)).max() < 2e-3


def test_objective() -> None:
    arm, q = robot("panda"), start("panda")
    hold = arm.forward_kinematics(q)
    law = ResolvedRate(arm, hold, objective=centring(arm), objective_gain=5.0)
    assert law.objective is not None
    motion = law.follow(q, duration=1.0, dt=2e-2)
    values = law.objective(motion.q)
    assert (np.diff(values) < 1e-9).all() and values[-1] < values[0] - 1e-3
    close(arm.forward_kinematics(motion.q[-1]), hold, 1e-6)


def test_a_point() -> None:
    arm, q = robot("planar_2r"), np.array([0.4, 1.1])
    T = arm.forward_kinematics(q)
    law = ResolvedRate(arm, T @ expm(hat(np.array([0, 0, 0, -0.2, -0.1, 0.0]))), rows=[3, 4], K=2.0)
    motion = law.follow(q, duration=1.0, dt=1e-2)
    found = errors(law, motion)
    close(found, found[0] * np.exp(-2.0 * motion.t)[:, None], 1e-6)


def test_batches() -> None:
    arm = robot("panda")
    q = np.stack([state("panda", 0.05, seed)[0] for seed in range(3)])
    law = ResolvedRate(arm, path("panda"))
    many = law.follow(q, dt=5e-2)
    assert many.q.shape == (3, 21, 7)
    close(many.q[1], law.follow(q[1], dt=5e-2).q, 1e-11)
    close(many(0.31)[1][2], law.follow(q[2], dt=5e-2)(0.31)[1], 1e-9)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ResolvedRate(robot("ur5"), np.eye(4)).follow(np.zeros(6)), "duration must be given"),
        (lambda: ResolvedRate(robot("ur5"), path("ur5")).follow(np.zeros(5)), r"q0 must have shape \(..., 6\)"),
        (lambda: ResolvedRate(robot("ur5"), path("ur5")).follow(np.zeros(6), dt=0.0), "dt must be a positive number"),
        (lambda: ResolvedRate(robot("ur5"), path("ur5"), K=[1.0]), "K must be a number"),
        (lambda: ResolvedRate(robot("ur5"), path("ur5"), K=-1.0), "K: the error would grow"),
        (lambda: ResolvedRate(robot("ur5"), path("ur5"), K=[1, 1, -1, 1, 1, 1]), "K: the error would grow"),
    ],
)
def test_refusals(call: Any, says: str) -> None:
    with pytest.raises((ch.ModelError, ch.ShapeError), match=says):
        call()
