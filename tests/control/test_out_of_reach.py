"""Paths that leave the reach of an arm: it goes as far as it can, no faster than it should, and the rest is said."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.following import errors, response
from support.sweeps import sweep
from support.tolerances import close, small

import chasles as ch
from chasles import paths
from chasles.control import PoseTracking, ResolvedAcceleration, ResolvedRate

Q = np.array([0.3, 0.9])
REACH = 1.8
PLANE: dict[str, Any] = {"rows": "tx ty"}
GAINS: dict[str, Any] = {"K_p": 60.0, "K_d": 13.0}


@cache
def arm() -> ch.Robot:
    return ch.load("planar_2r")


def path(far: float) -> paths.Path:
    """To a point on the x axis, so many times as far away as the arm reaches."""
    T = arm().forward_kinematics(Q)
    to = T.copy()
    to[:3, 3] = [far * REACH, 0.0, 0.0]
    return paths.minimum_jerk(T, to, duration=1.0)


def tool(q: np.ndarray) -> np.ndarray:
    return arm().forward_kinematics(q)[..., :2, 3]


@pytest.mark.parametrize("far", sweep([1.001, 1.05, 1.5], [1.05]))
@pytest.mark.parametrize("inverse", sweep(["inertia", "moore-penrose"], ["inertia"]))
def test_resolved_acceleration(far: float, inverse: Any) -> None:
    """It stretches, and stays; what it is asked for and does not do is the residual."""
    law = ResolvedAcceleration(arm(), path(far), **GAINS, **PLANE, inverse=inverse)
    run = ch.simulate(arm(), Q, np.zeros(2), law, duration=1.8, dt=2e-2)
    assert np.abs(run.tau).max() < 160.0 and np.abs(run.qd).max() < 10.0
    assert small(tool(run.q[-1]) - [REACH, 0.0], 1e-3) and small(run.qd[-1], 0.05)
    asked = GAINS["K_p"] * (far - 1.0) * REACH
    assert close(law.residual(1.8, run.q[-1], run.qd[-1]), asked, 0.05)
    assert small(law.residual(0.0, Q, np.zeros(2)), 1e-12)


@pytest.mark.parametrize("far", sweep([1.001, 1.05, 1.5], [1.05]))
@pytest.mark.parametrize("inverse", ["inertia", "moore-penrose"])
def test_resolved_rate(far: float, inverse: Any) -> None:
    motion = ResolvedRate(arm(), path(far), **PLANE, inverse=inverse).follow(Q, duration=2.0, dt=2e-2)
    assert np.abs(motion.qd).max() < 10.0
    assert small(tool(motion.q[-1]) - [REACH, 0.0], 1e-3) and small(motion.qd[-1], 1e-3)
    assert close(motion.residual[-1], 10.0 * (far - 1.0) * REACH, 1e-3)
    assert motion.residual.shape == (101,) and small(motion.residual[:5], 1e-9)


@pytest.mark.parametrize("far", sweep([1.001, 1.05, 1.5], [1.05]))
def test_pose_tracking(far: float) -> None:
    law = PoseTracking(arm(), path(far), K_p=400.0, K_d=60.0, **PLANE)
    run = ch.simulate(arm(), Q, np.zeros(2), law, duration=1.2, dt=2e-2)
    assert np.abs(run.tau).max() < 300.0 and np.abs(run.qd).max() < 10.0
    assert small(tool(run.q[-1]) - [REACH, 0.0], 0.1)
    left = [law.residual(t, q) for t, q in zip(run.t, run.q, strict=True)]
    assert np.max(left) > 0.02 and small(left[0], 1e-12)


def test_without_a_horizon_it_is_thrown_about() -> None:
    """What the horizon is for."""
    wild = ResolvedAcceleration(arm(), path(1.05), **GAINS, **PLANE, horizon=0.0)
    with pytest.raises(ch.SimulationError, match="grows without bound"):
        ch.simulate(arm(), Q, np.zeros(2), wild, duration=1.8, dt=2e-2)
    with pytest.raises(ch.ModelError, match=r"diverges at t = 0\.42"):
        ResolvedRate(arm(), path(1.5), **PLANE, horizon=0.0).follow(Q, dt=2e-2)


def test_within_reach_nothing_changes() -> None:
    """The error is linear, nothing is left, and the horizon changes no bit."""
    laws = [ResolvedAcceleration(arm(), path(0.95), **GAINS, **PLANE, **x) for x in ({}, {"horizon": 0.0})]
    q = Q + 0.05
    runs = [ch.simulate(arm(), q, np.zeros(2), law, duration=0.3, dt=2e-2) for law in laws]
    assert (runs[0].q == runs[1].q).all()
    close(errors(laws[0], runs[0]), response(runs[0].t, *laws[0].error(0.0, q, np.zeros(2)), **GAINS), 1e-4)
    assert small([laws[0].residual(*x) for x in zip(runs[0].t, runs[0].q, runs[0].qd, strict=True)], 1e-9)
    motion = ResolvedRate(arm(), path(0.95), **PLANE).follow(Q, dt=4e-2)
    assert small(motion.residual, 1e-9) and small(tool(motion.q[-1]) - [0.95 * REACH, 0.0], 1e-4)


def drawn_back(q: np.ndarray, by: float) -> np.ndarray:
    """The tool's pose at q, nearer to the base."""
    T = arm().forward_kinematics(q)
    T[:3, 3] *= 1.0 - by
    return T


def test_near_a_singularity_what_is_slow_is_served_in_full() -> None:
    """By T of velocities and T^2 of accelerations: the arm is bent by 0.15 rad, the speed asked for decides."""
    q, still = np.array([0.3, 0.15]), np.zeros(2)
    slow, fast = (ResolvedAcceleration(arm(), drawn_back(q, x), **GAINS, **PLANE) for x in (0.01, 0.5))
    assert small(slow.residual(0.0, q, still), 1e-9) and fast.residual(0.0, q, still) > 1.0
    slow, fast = (ResolvedRate(arm(), drawn_back(q, x), K=6.0, **PLANE) for x in (0.002, 0.1))
    assert small(slow.residual(0.0, q), 1e-9) and fast.residual(0.0, q) > 0.1


@pytest.mark.parametrize(("order", "fastest"), [(1, 20.0), (2, 400.0)])
def test_across_a_singularity_motion_is_slow(order: int, fastest: float) -> None:
    """A straight arm cannot go outwards: across it goes as asked, up to about 1/T, or 1/T^2 of accelerations."""
    q, law = np.array([0.3, 0.0]), ResolvedRate(arm(), path(0.9), **PLANE)
    J = arm().jacobian(q)
    for across in (0.1, 1e6):
        b = np.array([0.0, 0.0, 0.0, 1.0, across, 0.0])
        x = law.redundancy.nearest(q, J, b, np.zeros(2), None, order=order)
        if across < 1.0:
            assert close((J @ x)[4], across, 1e-12)
        else:
            assert fastest / 3.0 < np.abs(x).max() < 3.0 * fastest


def test_without_damping_a_singular_direction_is_left_out() -> None:
    q, law = np.array([0.3, 0.0]), ResolvedRate(arm(), path(0.9), **PLANE, damping=0.0, horizon=0.0)
    by = law.redundancy.inverse(q, arm().jacobian(q))
    by.s = by.s * [1.0, 0.0] + [0.0, 1e-11]
    assert close(by.gains(np.ones(2), order=1), [1.0 / by.s[0], 0.0], 1e-15)


def test_a_floating_base_is_never_out_of_reach() -> None:
    """Singular values are small there, but no motion makes them smaller: all is served, at any speed."""
    links = [ch.Link(20.0, (0.1, 0.0, 0.0), (1.0, 2.0, 3.0)), ch.Link(0.5, (0.0, 0.0, 0.2), (1e-3, 1e-3, 1e-4))]
    screws = [np.zeros(6), ch.screw([0, 1, 0])]
    robot = ch.Robot.from_screws(screws, [np.eye(4)] * 2, links, kinds=("free", "screw"))
    q = robot.neutral()
    law = ResolvedRate(robot, robot.forward_kinematics(q), K=1.0)
    far = robot.integrate(q, np.array([0.5, -0.4, 0.3, 30.0, 10.0, -20.0, 0.4]))
    assert np.abs(law(0.0, far)).max() > 5.0 and small(law.residual(0.0, far), 1e-9)


def test_rows_of_a_batch() -> None:
    """Each has its own horizon: in reach and out of it."""
    q = np.array([Q, [0.01, 0.02], [0.4, 1.5]])
    for law in (ResolvedRate(arm(), path(1.5), **PLANE), ResolvedRate(arm(), path(1.5))):
        for k in range(3):
            assert close(law(0.9, q)[k], law(0.9, q[k]), 1e-12)
            assert close(law.residual(0.9, q)[k], law.residual(0.9, q[k]), 1e-12)
    force = ResolvedAcceleration(arm(), path(1.5), **GAINS, **PLANE)
    track = PoseTracking(arm(), path(1.5), **GAINS, **PLANE)
    for law in (force, track):
        assert close(law(0.9, q, q)[1], law(0.9, q[1], q[1]), 1e-12)
    assert force.residual(0.9, q, q).shape == track.residual(0.9, q).shape == (3,)


def test_limits_out_of_reach() -> None:
    """Bounds are kept there too, and count in the residual."""
    limits = ch.control.Limits(arm(), position=False, velocity=1.0, effort=False)
    motion = ResolvedRate(arm(), path(1.05), **PLANE, limits=limits).follow(Q, duration=2.0, dt=4e-2)
    assert np.abs(motion.qd).max() <= 1.0 + 1e-9 and small(tool(motion.q[-1]) - [REACH, 0.0], 2e-2)
    assert motion.residual.max() > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur5", "panda"])
@pytest.mark.parametrize("rows", [None, "tx ty tz"])
def test_spatial_arms(name: str, rows: Any) -> None:
    """A third beyond the reach, in all rows or the origin's."""
    robot = ch.load(name)
    q = np.array([0.1, -1.0, 1.2, -1.2, 1.3, 0.2] if name == "ur5" else [0.1, -0.6, 0.2, -2.1, 0.3, 1.8, 0.4])
    T = robot.forward_kinematics(q)
    to = T.copy()
    to[:3, 3] = [1.2, 0.3, 0.3]
    along = paths.minimum_jerk(T, to, duration=2.0)
    run = ch.simulate(
        robot, q, np.zeros(robot.n), ResolvedAcceleration(robot, along, **GAINS, rows=rows), duration=3.0, dt=5e-3
    )
    assert np.abs(run.tau).max() < 200.0 and np.abs(run.qd).max() < 16.0 and small(run.qd[-1], 0.1)
    motion = ResolvedRate(robot, along, rows=rows).follow(q, duration=3.0)
    assert np.abs(motion.qd).max() < 16.0 and small(motion.qd[-1], 0.1) and motion.residual[-1] > 1.0


FAR = {"panda": (0.3, -1.0, 1.2, -0.5, 0.8, 0.4, 0.2), "ur5": (0.3, -1.0, 1.2, -0.5, 0.8, 0.4)}


@cache
def far_path(name: str, far: float) -> tuple[ch.Robot, np.ndarray, paths.Path]:
    """A robot, where it begins, and a path straight away from its base, to so many metres from it."""
    robot, q = ch.load(name), np.array(FAR[name])
    T = robot.forward_kinematics(q)
    to = T.copy()
    to[:3, 3] *= far / np.linalg.norm(T[:3, 3])
    return robot, q, paths.screw(T, to, 1.0)


@pytest.mark.parametrize("dt", sweep([4e-2, 2e-2], [4e-2]))
@pytest.mark.parametrize("case", sweep([("panda", 4.0), ("ur5", 3.0), ("panda", 2.0)], [("panda", 4.0), ("ur5", 3.0)]))
def test_metres_beyond_reach(case: tuple[str, float], dt: float) -> None:
    """Rates stay about 1/T, and long steps make them no faster."""
    robot, q, along = far_path(*case)
    motion = ResolvedRate(robot, along).follow(q, duration=1.5, dt=dt)
    assert np.abs(motion.qd).max() < 35.0 and motion.residual[-1] > 10.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda", "ur5"])
@pytest.mark.parametrize("far", [2.0, 4.0])
def test_forces_metres_beyond_reach(name: str, far: float) -> None:
    robot, q, along = far_path(name, far)
    law = ResolvedAcceleration(robot, along, **GAINS)
    run = ch.simulate(robot, q, np.zeros(robot.n), law, duration=1.0, dt=1e-2)
    assert np.abs(run.qd).max() < 50.0 and np.abs(run.tau).max() < 600.0


def test_accelerations_metres_beyond_reach() -> None:
    """Of states on the way the asked-for accelerations are about 1/T^2."""
    robot, q, along = far_path("panda", 4.0)
    motion = ResolvedRate(robot, along).follow(q, dt=4e-2)
    law = ResolvedAcceleration(robot, along, **GAINS, null_damping=0.0)
    found = law.joint_acceleration(1.0, motion.q, np.zeros(7))
    assert np.abs(found).max() < 2.0 / 0.05**2


def test_steps_that_are_too_many() -> None:
    with pytest.raises(ch.ModelError, match=r"dt = 9.99989e-321 is too short for duration = 1"):
        ResolvedRate(arm(), path(0.9)).follow(Q, dt=1e-320)
    with pytest.raises(ch.ModelError, match=r"1000000000 samples are .* bytes, .* take longer steps"):
        ResolvedRate(arm(), path(0.9)).follow(np.zeros((1000, 2)), dt=1e-9)


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf, "a", None, True])
def test_horizons_that_are_none(wrong: Any) -> None:
    for law in (ResolvedAcceleration, PoseTracking):
        with pytest.raises(ch.ModelError, match="horizon must be a number of seconds that is not negative"):
            law(arm(), path(0.9), K_p=1.0, K_d=1.0, horizon=wrong)
    with pytest.raises(ch.ModelError, match="horizon must be a number of seconds that is not negative"):
        ResolvedRate(arm(), path(0.9), horizon=wrong)


def test_a_path_is_asked_once_for_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wanted is the path's at every time, whatever was asked for before and became of it."""
    first, other, asked = path(0.5), path(0.9), []
    law: Any = ResolvedRate(arm(), first, **PLANE)
    inside = type(first).inside
    monkeypatch.setattr(type(first), "inside", lambda self, t: asked.append(t) or inside(self, t))
    for of, t in ((first, 0.3), (first, 0.6), (other, 0.6), (other, [0.6]), (other, [0.1, 0.6])):
        law.path = of
        for _ in range(2):
            for one, same in zip(law.wanted(t), of.motion(t)[:3], strict=True):
                assert np.array_equal(one, same)
                one[:] = np.nan
        assert len(asked) == 3  # of the law, and of the two lines above
        asked.clear()
