"""Inverse kinematics: the residual is what it is said to be, limits are kept, every branch is found, nothing raises."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.motions import Ad
from support.sweeps import sweep
from support.tolerances import close
from support.ur5_branches import branches
from support.urdf_text import example_files

import chasles as ch

FILES = example_files()
ARMS = ("panda", "ur5", "iiwa14")
TOLERANCE = 1e-9


def off(robot, q, T, frame=None, rows=range(6)):
    """|(log R, p)| of T seen from the frame, by SciPy."""
    E = np.linalg.inv(robot.forward_kinematics(q, frame)) @ T
    e = np.concatenate([Rotation.from_matrix(E[..., :3, :3]).as_rotvec(), E[..., :3, 3]], axis=-1)
    return np.linalg.norm(e[..., list(rows)], axis=-1)


def reachable(robot, count, seed=0):
    rng = np.random.default_rng(seed)
    return robot.forward_kinematics(np.array([robot.random(rng) for _ in range(count)]))


def inside(robot, q):
    return bool(np.all((q >= robot.limits["lower"]) & (q <= robot.limits["upper"])))


@pytest.mark.parametrize("name", ARMS)
def test_reachable_poses(name):
    robot = ch.load(name)
    poses = np.random.default_rng(0).uniform(robot.limits["lower"], robot.limits["upper"], (10_000, robot.n))
    T = robot.forward_kinematics(poses)
    q, found, residual = robot.inverse_kinematics(T)
    assert found.sum() == 10_000  # as README.md says
    assert inside(robot, q)
    assert off(robot, q[found], T[found]).max() <= 1.01 * TOLERANCE
    assert (found == (residual <= TOLERANCE)).all()


def test_all_that_is_within_the_tolerance_is_found():
    """Of searches that end early too, before the error is down to rounding."""
    robot, q0 = ch.load("ur5"), np.array([0.3, -1.0, 1.2, 0.4, 0.5, 0.2])
    options = dict(solutions="all", attempts=20, iterations=4, tolerance=1e-3)
    _, found, residual = robot.inverse_kinematics(robot.forward_kinematics(q0), q0 + 0.05, **options)
    assert found.sum() > 1 and residual[found].max() > 1e-6


def test_residual_is_the_length_of_the_pose_error():
    robot = ch.load("panda")
    T = reachable(robot, 50)
    T[:, 0, 3] += 3.0
    q, found, residual = robot.inverse_kinematics(T)
    assert not found.any()
    assert inside(robot, q)
    assert close(residual, off(robot, q, T), 1e-9)


def test_the_nearest_configuration_is_stationary():
    """Out of reach, the gradient J^T e vanishes but for joints that are pressed against a limit."""
    robot = ch.load("panda")
    T = reachable(robot, 50)
    T[:, :3, 3] *= 2.0
    q, found, _ = robot.inverse_kinematics(T)
    lower, upper = robot.limits["lower"], robot.limits["upper"]
    E = np.linalg.inv(robot.forward_kinematics(q)) @ T
    e = np.concatenate([Rotation.from_matrix(E[:, :3, :3]).as_rotvec(), E[:, :3, 3]], axis=-1)
    down = np.einsum("bij,bi->bj", robot.jacobian(q), e)
    held = ((q <= lower) & (down < 0.0)) | ((q >= upper) & (down > 0.0))
    assert (~found).sum() > 25
    assert np.abs(down[~found] * ~held[~found]).max(-1).mean() < 1e-3
    assert np.median(np.abs(down[~found] * ~held[~found]).max(-1)) < 1e-4


@pytest.mark.parametrize(
    "limits",
    sweep([True, (-np.pi, np.pi), (0.0, 2 * np.pi)], [(0.0, 2 * np.pi)]),
    ids=["own", "half turns", "from zero"],
)
def test_every_branch_of_a_ur5(limits):
    """1,000 poses. A limit is no wall to a joint that can take every angle: all branches are there within any turn."""
    robot = ch.load("ur5")
    T = robot.forward_kinematics(np.random.default_rng(1).uniform(-np.pi, np.pi, (1000, 6)))
    q, found, _ = robot.inverse_kinematics(T, solutions="all", limits=limits)
    for k in range(len(T)):
        known, mine = branches(T[k]), q[k, found[k]]
        assert close(robot.forward_kinematics(known), np.broadcast_to(T[k], (len(known), 4, 4)))
        apart = mine[:, None] - known
        apart = np.abs(apart - 2 * np.pi * np.round(apart / (2 * np.pi))).max(-1)
        assert len(mine) == len(known)
        assert (apart.min(0) < 1e-5).all()
    lower, upper = (robot.limits["lower"], robot.limits["upper"]) if limits is True else limits
    assert ((q[found] >= lower) & (q[found] <= upper)).all()


def test_branches_that_meet_are_one():
    """The elbow straight: two solutions fall together, and the error is the square of what is left between them."""
    robot = ch.load("ur5")
    q0 = np.array([robot.random(k) for k in range(50)])
    q0[:, 2] = 0.0
    q, found, _ = robot.inverse_kinematics(robot.forward_kinematics(q0), solutions="all")
    apart = np.abs(q[:, :, None] - q[:, None]) % (2 * np.pi)
    apart = np.minimum(apart, 2 * np.pi - apart).max(-1)
    others = found[:, :, None] & found[:, None] & ~np.eye(q.shape[1], dtype=bool)
    assert np.where(others, apart, np.inf).min() > 1e-2


def test_a_singular_pose_with_endless_solutions_ends():
    """The wrist straight: joints 4 and 6 turn against each other."""
    robot = ch.load("ur5")
    T = robot.forward_kinematics([0.3, -1.0, 0.7, 0.2, 0.0, 0.4])
    _, found, residual = robot.inverse_kinematics(T, solutions="all", attempts=10)
    assert 30 < found.sum() < 5000
    assert residual[found].max() <= TOLERANCE


def test_all_solutions_come_nearest_first_and_are_padded():
    robot = ch.load("ur5")
    q0 = np.array([0.3, -1.0, 1.2, -0.5, 0.8, 0.2])
    q, found, residual = robot.inverse_kinematics(robot.forward_kinematics(q0), q0, solutions="all")
    assert close(q[0], q0, 1e-7)
    far = np.abs(q[found] - q0).max(-1)
    assert (np.diff(far) >= 0.0).all()
    assert np.isnan(q[~found]).all()
    assert np.isnan(residual[~found]).all()


def test_turns_are_those_nearest_to_the_start():
    robot = ch.load("ur5")
    here = np.array([0.3, -1.0, 1.2, -0.5, 0.8, 0.2])
    q0 = here + 2 * np.pi * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    q, _, _ = robot.inverse_kinematics(robot.forward_kinematics(here), q0, solutions="all")
    assert close(q[0, 3], q0[3], 1e-7)
    assert close(q[0, 0], here[0], 1e-7)  # 0.3 and a turn is beyond the limit


def test_a_redundant_robot_has_many_solutions():
    robot = ch.load("panda")
    T = robot.forward_kinematics(robot.random(3))
    q, found, _ = robot.inverse_kinematics(T, solutions="all", attempts=40)
    assert found.sum() > 10
    assert off(robot, q[found], T).max() <= 1.01 * TOLERANCE


def test_a_pose_alone_and_in_a_batch_and_on_threads():
    robot = ch.load("panda")
    T = reachable(robot, 9000)
    together = robot.inverse_kinematics(T)
    threads = ch.get_num_threads()
    try:
        ch.set_num_threads(2)
        assert all(np.array_equal(a, b) for a, b in zip(robot.inverse_kinematics(T), together, strict=True))
    finally:
        ch.set_num_threads(threads)
    for k in (0, 1, 17, 8999):
        alone = robot.inverse_kinematics(T[k])
        assert np.array_equal(alone.q, together.q[k])
        assert alone.residual == together.residual[k]


def test_starting_at_a_solution_stays_there():
    robot = ch.load("panda")
    q0 = np.array([robot.random(k) for k in range(20)])
    q, found, _ = robot.inverse_kinematics(robot.forward_kinematics(q0), q0)
    assert found.all()
    assert np.array_equal(q, q0)


def test_broadcasting():
    robot = ch.load("ur5")
    T, q0 = reachable(robot, 6).reshape(2, 3, 4, 4), np.zeros((3, 6))
    q, found, residual = robot.inverse_kinematics(T, q0)
    assert q.shape == (2, 3, 6)
    assert found.shape == residual.shape == (2, 3)
    assert found.all()
    every = robot.inverse_kinematics(T, q0, solutions="all")
    assert every.q.shape[:2] == (2, 3)
    assert every.found.shape == every.q.shape[:3]
    empty = robot.inverse_kinematics(T[:0])
    assert empty.q.shape == (0, 3, 6)
    assert robot.inverse_kinematics(T[:0], solutions="all").found.shape[:2] == (0, 3)


def test_unreachable_poses_give_the_nearest():
    robot = ch.load("ur5")
    T = np.eye(4)
    T[:3, 3] = [3.0, 0.0, 0.1]
    q, found, residual = robot.inverse_kinematics(T, rows="tx ty tz")
    assert not found
    reached = robot.forward_kinematics(q)[:3, 3]
    assert np.hypot(reached[0], reached[1]) > 0.9  # stretched towards it
    assert close(residual, np.linalg.norm(reached - T[:3, 3]))
    every = robot.inverse_kinematics(T, rows="tx ty tz", solutions="all")
    assert not every.found.any()
    assert close(every.residual[0], residual, 1e-3)


def test_singular_starts():
    robot = ch.load("ur5")
    T = reachable(robot, 200)
    assert robot.inverse_kinematics(T, np.zeros(6)).found.all()  # stretched, the wrist straight
    panda = ch.load("panda")
    assert panda.inverse_kinematics(reachable(panda, 200), np.zeros(7)).found.all()


def test_singular_targets_are_found():
    robot = ch.load("planar_2r")
    T = robot.forward_kinematics(np.zeros(2))
    q, _, residual = robot.inverse_kinematics(T, [0.5, 1.0], rows="tx ty tz", tolerance=1e-7)
    assert residual <= 1e-7
    assert close(robot.forward_kinematics(q)[:3, 3], T[:3, 3], 1e-6)


def test_limits():
    robot = ch.load("ur5")
    q0 = np.array([0.5, -1.0, 1.2, -0.5, 0.8, 0.2])
    T = robot.forward_kinematics(q0)
    narrow = robot.inverse_kinematics(T, limits=(q0 - 0.1, q0 + 0.1))
    assert narrow.found
    assert close(narrow.q, q0, 1e-7)
    elsewhere = robot.inverse_kinematics(T, limits=(q0 + 0.1, q0 + 0.2))
    assert not elsewhere.found
    assert ((elsewhere.q >= q0 + 0.1) & (elsewhere.q <= q0 + 0.2)).all()
    assert close(elsewhere.residual, off(robot, elsewhere.q, T), 1e-9)
    panda = ch.load("panda")
    T = panda.forward_kinematics(np.full(7, 0.5))  # joint 4 is beyond its limit there
    assert panda.inverse_kinematics(T, np.full(7, 0.5), limits=False).found
    fixed = robot.inverse_kinematics(T, limits=(0.2, 0.2))
    assert close(fixed.q, np.full(6, 0.2))


def test_rows():
    robot = ch.load("panda")
    T = reachable(robot, 100)
    for rows, count in (("tx ty tz", [3, 4, 5]), ("rx ry rz", [0, 1, 2]), ("rx ry tx ty tz", [0, 1, 3, 4, 5])):
        q, found, _ = robot.inverse_kinematics(T, rows=rows)
        assert found.all()
        assert off(robot, q, T, rows=count).max() <= 1.01 * TOLERANCE
        assert off(robot, q, T).max() > 0.1  # the others are free


def test_rows_that_leave_a_large_turn_free():
    """A pan and tilt of two joints, and limits that leave one branch: the turn about the axis is what it is."""
    screws = [ch.screw((0.0, 0.0, 1.0)), ch.screw((0.0, 1.0, 0.0))]
    tool = np.eye(4)
    tool[2, 3] = 0.5
    limits = {"lower": [-3.1, 0.05], "upper": [3.1, 3.05]}
    robot = ch.Robot.from_screws(screws, [np.eye(4)] * 2, [ch.Link(1.0, (0.1, 0.0, 0.2))] * 2, tool=tool, limits=limits)
    rng = np.random.default_rng(0)
    T = robot.forward_kinematics(rng.uniform(limits["lower"], limits["upper"], (500, 2)))
    turn = np.zeros((500, 4, 4))
    turn[:, :3, :3] = Rotation.from_rotvec(np.outer(rng.uniform(-np.pi, np.pi, 500), [0.0, 0.0, 1.0])).as_matrix()
    turn[:, 3, 3] = 1.0
    q, found, _ = robot.inverse_kinematics(T @ turn, rows="rx ry")
    assert found.all()
    assert off(robot, q, T @ turn, rows=[0, 1]).max() <= 1.01 * TOLERANCE


def test_far_away_without_limits():
    """Three slides and a wrist, 50 m away."""
    axes = np.eye(3)
    screws = [ch.prismatic(a) for a in axes] + [ch.screw(a) for a in axes[[2, 1, 0]]]
    robot = ch.Robot.from_screws(
        screws, [np.eye(4)] * 6, [ch.Link(1.0, (0.1, 0.0, 0.2), (1.0, 1.0, 1.0))] * 6, tool=np.eye(4)
    )
    rng = np.random.default_rng(0)
    q0 = np.concatenate([rng.uniform(-50.0, 50.0, (200, 3)), rng.uniform(-3.0, 3.0, (200, 3))], axis=1)
    assert robot.inverse_kinematics(robot.forward_kinematics(q0)).found.all()


def test_frames():
    robot = ch.load("panda")
    q0 = np.array([robot.random(k) for k in range(50)])
    frame = robot.frame_names[5]
    T = robot.forward_kinematics(q0, frame)
    q, found, _ = robot.inverse_kinematics(T, frame=frame)
    assert found.all()
    assert off(robot, q, T, frame).max() <= 1.01 * TOLERANCE


def test_both_hands_of_a_humanoid():
    robot = ch.load(FILES["talos_data/robots/talos_reduced.urdf"])
    hands = ("gripper_left_base_link", "gripper_right_base_link")
    rng = np.random.default_rng(0)
    q0 = np.array([robot.random(rng) for _ in range(20)])
    T = np.stack([robot.forward_kinematics(q0, hand) for hand in hands], axis=1)
    q, found, _ = robot.inverse_kinematics(T, frame=hands)
    assert found.all()
    for k, hand in enumerate(hands):
        assert off(robot, q, T[:, k], hand).max() <= 1.01 * TOLERANCE


def test_few_joints_many_rows():
    robot = ch.load("scara")  # its last joint is helical: another turn is another height
    T = reachable(robot, 4000)
    q, found, _ = robot.inverse_kinematics(T)
    assert found.all()
    assert off(robot, q, T).max() <= 1.01 * TOLERANCE


def test_free_and_planar_bases():
    for kind in ("free", "planar", "spherical"):
        with pytest.warns(ch.ModelWarning, match="mass is zero"):
            robot = ch.load("ur5").with_base(kind)
        T = reachable(robot, 50)
        q, found, _ = robot.inverse_kinematics(T)
        assert found.all()
        assert off(robot, q, T).max() <= 1.01 * TOLERANCE


def test_mimic_joints_and_branches():
    """A URDF whose fingers mimic one another, and every frame of it."""
    robot = ch.load(FILES["panda_description/urdf/panda.urdf"])
    for frame in robot.frame_names[-3:]:
        q0 = robot.random(1)
        T = robot.forward_kinematics(q0, frame)
        q, found, _ = robot.inverse_kinematics(T, frame=frame)
        assert found
        assert off(robot, q, T, frame) <= 1.01 * TOLERANCE


def test_moving_the_world():
    """A robot and its target moved together: the same answer, to rounding."""
    robot = ch.load("ur5")
    g = np.eye(4)
    g[:3, :3], g[:3, 3] = Rotation.from_rotvec([0.3, -1.2, 0.7]).as_matrix(), [0.5, -0.3, 1.1]
    tool = robot.forward_kinematics(np.zeros(6))
    moved = ch.Robot.from_screws(robot.screws @ Ad(g).T, g @ robot.homes, robot.links, tool=g @ tool)
    T = reachable(robot, 50)
    q0 = np.full(6, 0.4)
    here, there = (r.inverse_kinematics(X, q0, limits=False, attempts=1) for r, X in ((robot, T), (moved, g @ T)))
    assert np.array_equal(here.found, there.found)
    assert close(there.q[here.found], here.q[here.found], 1e-6)


def test_nan_rows_are_not_found_and_stop_nothing():
    robot = ch.load("panda")
    T = reachable(robot, 20)
    clean = robot.inverse_kinematics(T)
    T[3, 0, 3] = np.nan
    T[7, 1, 1] = np.nan
    T[9, 2, 3] = np.inf
    with np.errstate(all="raise"):
        q, found, _ = robot.inverse_kinematics(T)
    bad = [3, 7, 9]
    assert not found[bad].any()
    good = np.setdiff1d(np.arange(20), bad)
    assert np.array_equal(q[good], clean.q[good])
    every = robot.inverse_kinematics(T[bad], solutions="all", attempts=5)
    assert not every.found.any()
    assert np.isnan(every.residual).all()
    far = np.eye(4)
    far[0, 3] = 1e200
    assert not robot.inverse_kinematics(far, solutions="all", attempts=3).found.any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"T": np.eye(3)}, r"T must have shape \(\.\.\., 4, 4\), got \(3, 3\)"),
        ({"T": 2.0 * np.eye(4)}, "T is not a rigid motion"),
        ({"T": np.stack([np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0])])}, r"T\[1\] is not a rigid motion: .*reflection"),
        ({"T": np.diag([1.0, 1.0, 1.0, 2.0])}, r"last row"),
        ({"T": "here"}, "T must be real numbers"),
        ({"q0": np.zeros(5)}, r"q0 must have shape \(\.\.\., 7\), got \(5,\)"),
        ({"q0": np.zeros((3, 7)), "T": np.stack([np.eye(4)] * 2)}, "do not broadcast"),
        ({"frame": "nowhere"}, "nowhere"),
        ({"rows": "tx tw"}, "no row 'tw'"),
        ({"limits": (1.0, -1.0)}, "joint 'panda_joint1' exclude every position"),
        ({"limits": (np.zeros(3), 1.0)}, "limits must be"),
        ({"limits": "none"}, "limits must be"),
        ({"attempts": 0}, "attempts must be a positive integer"),
        ({"iterations": 2.5}, "iterations must be a positive integer"),
        ({"tolerance": -1.0}, "tolerance must be a positive number"),
        ({"tolerance": "a"}, "tolerance must be a positive number"),
        ({"solutions": "some"}, "'first' or 'all'"),
        ({"limits": 1}, "limits must be True, False or"),
    ],
)
def test_mistakes_are_named(change, message):
    robot = ch.load("panda")
    robot.inverse_kinematics(np.eye(4))  # 1 is as good a key as True
    with pytest.raises(ch.ChaslesError, match=message):
        robot.inverse_kinematics(**{"T": np.eye(4), **change})


def test_traced_values_are_refused():
    robot = ch.load("planar_2r")
    with pytest.raises(ch.ChaslesError, match="which this does not take"):
        ch.compile(lambda T: robot.inverse_kinematics(T).q, T=(4, 4))


@pytest.mark.parametrize("solutions", ["first", "all"])
def test_nan_in_a_pose_or_a_start(solutions):
    """q is nan and not found, alone and as a row of a batch, also where the frame does not depend on the joint."""
    arm = ch.load("planar_3r")
    q = np.array([0.3, 0.5, -0.4])
    elbow = {"frame": arm.link_names[1], "rows": "tx ty", "solutions": solutions}
    T = arm.forward_kinematics(q, elbow["frame"])
    right = arm.inverse_kinematics(T, q, **elbow)
    poses, starts = np.stack([T] * 3), np.stack([q] * 3)
    for place in ((0, 0), (0, 3), (2, 3), (3, 3)):
        broken = poses.copy()
        broken[1, place[0], place[1]] = np.nan
        _nan_alone_and_among_others(arm, broken, starts, elbow, right)
    for k in range(3):
        broken = starts.copy()
        broken[1, k] = np.nan if k else np.inf
        _nan_alone_and_among_others(arm, poses, broken, elbow, right)


def _nan_alone_and_among_others(arm, T, q0, options, right):
    one, many = arm.inverse_kinematics(T[1], q0[1], **options), arm.inverse_kinematics(T, q0, **options)
    for found in (one, (part[1] for part in many)):
        q, flag, residual = found
        assert np.isnan(q).all() and not np.any(flag) and np.isnan(residual).all()
    for row in (0, 2):
        assert all(np.array_equal(a[row], b, equal_nan=True) for a, b in zip(many, right, strict=True))
