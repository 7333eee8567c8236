"""Tidied numbers: rotations stay rotations, axes keep their length and lines theirs, whatever the tilt."""

import math

import numpy as np
import pytest
from support.sweeps import sweep
from support.tolerances import EPS, close, small

import chasles as ch
from chasles.model.checks import axis, rigid
from chasles.model.coordinates import align, regroup
from chasles.model.poses import matrix, pose
from chasles.model.rounding import clean, orthonormal, precise, rounded
from chasles.model.screws import screw, turn

TILTS = [1e-17, 1e-15, 3e-13, 9e-13, 1e-10, 1e-8, 6.7e-8, 5e-7, 1.4e-6, 1.41e-6, 1e-5, 3.0, math.pi - 6.5e-7]
FEW = [9e-13, 6.7e-8, 5e-7, 1.4e-6]
O, X = np.zeros(3), np.eye(3)[0]
BODY = ch.Link(1.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.2))


def defect(R) -> np.ndarray:
    R = np.asarray(R, dtype=float)
    return R @ R.swapaxes(-1, -2) - np.eye(3)


def at(R, p=(0.0, 0.0, 0.0)) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def tilting(tilt: float, n: int = 6) -> ch.Robot:
    """Each axis turned against the one before, and each frame too."""
    homes = [at(turn(0, tilt * i) @ turn(1, tilt), (0.1 * i, 0.2, 0.3)) for i in range(n)]
    screws = [screw(turn(0, tilt * (i + 1)) @ [0.0, 0.0, 1.0], H[:3, 3]) for i, H in enumerate(homes)]
    return ch.Robot.from_screws(screws, homes, [BODY] * n, tool=at(turn(2, tilt), (0.5, 0.0, 0.0)))


def by_screws(robot: ch.Robot, screws, homes, q) -> np.ndarray:
    """The pose of the last link, by the product of exponentials of what was given."""
    from chasles.lie import SE3
    from chasles.model.poses import twist

    T = SE3.identity()
    for S, x in zip(screws, q, strict=True):
        T = T @ twist(S).exp(float(x))
    return matrix(T @ pose(homes[-1]))


@pytest.mark.parametrize("tilt", sweep(TILTS, FEW))
def test_rotations_stay_rotations(tilt: float, rng) -> None:
    robot = tilting(tilt)
    m = robot.mechanism
    assert small(defect(m.homes[:, :3, :3]), 4 * EPS)
    assert close(np.linalg.norm(m.screws[:, :3], axis=1), np.ones(6), 4 * EPS)
    for body in (*m.tree.bodies, *m.aligned.tree.bodies, *m.regrouped.bodies):
        assert small(defect(matrix(body.M)[:3, :3]), 4 * EPS)
    for F in m.aligned.frames:
        assert small(defect(matrix(F)[:3, :3]), 4 * EPS)
    q = rng.uniform(-3.0, 3.0, (5, 6))
    assert small(defect(robot.link_poses(q)[..., :3, :3]), 16 * EPS)
    assert small(defect(robot.forward_kinematics(q)[..., :3, :3]), 16 * EPS)


@pytest.mark.parametrize("tilt", sweep(TILTS, FEW))
def test_tilts_are_kept(tilt: float, rng) -> None:
    homes = [at(turn(0, tilt), (0.0, 0.2, 0.3)), at(turn(1, tilt), (0.4, 0.0, 0.0))]
    screws = [screw(turn(1, tilt) @ [0.0, 0.0, 1.0], H[:3, 3]) for H in homes]
    robot, q = ch.Robot.from_screws(screws, homes, [BODY] * 2), rng.uniform(-3.0, 3.0, 2)
    lost = sum(x for x in (2.0 * tilt, math.sin(tilt) ** 2) if x < 2e-12)
    assert close(robot.forward_kinematics(q), by_screws(robot, screws, homes, q), 8 * EPS + lost)


def test_a_cosine_is_not_rounded_without_its_sine() -> None:
    """What a URDF file makes of rpy="3.141592 0 0", and a home turned by 1.4e-6."""
    for angle in (3.141592, 1.4e-6, math.pi / 2 + 9e-7):
        R = turn(0, angle)
        assert np.array_equal(rigid(at(R), "home", [])[:3, :3], R)
        assert np.array_equal(matrix(clean(pose(at(R)), 0.0))[:3, :3], R)
        s = R @ [0.0, 0.0, 1.0]
        assert np.array_equal(axis(np.r_[s, 0.0, 0.0, 0.0], O, "screw", [])[:3], s)


def test_a_file_of_seven_digits(rng) -> None:
    """Half turns written as 3.141592, one upon the other."""
    inertia = '<mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    links = "".join(f'<link name="l{i}"><inertial>{inertia}</inertial></link>' for i in range(5))
    joints = "".join(
        f"""<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="0 0 1"/>
        <origin xyz="0 0 0.3" rpy="3.141592 {turns}"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>"""
        for i, turns in enumerate(["0 0", "0 1.570796", "1.570796 0", "0 3.141592"])
    )
    robot = ch.load_text(f'<robot name="r">{links}{joints}</robot>')
    for body in robot.mechanism.aligned.tree.bodies:
        assert small(defect(matrix(body.M)[:3, :3]), 4 * EPS)
    assert small(defect(robot.link_poses(rng.uniform(-3.0, 3.0, (5, 4)))[..., :3, :3]), 16 * EPS)


def test_frames_far_from_the_origin_keep_their_places(rng) -> None:
    """Of two poses 1e6 m away only their difference counts."""
    far = 1e6 * np.array([1.0, -0.7, 0.3])
    home, tool = at(turn(2, 0.3) @ turn(0, 1.1), far), at(turn(1, 0.4), far + np.array([0.25, 0.5, -0.125]))
    robot = ch.Robot.from_screws([screw(X, far)], [home], [BODY], tool=tool)
    hand = robot.mechanism.tool
    assert hand is not None and close(hand.pose[:3, 3], home[:3, :3].T @ (tool[:3, 3] - far), 4 * EPS)


def test_zeros_leave_a_rotation(rng) -> None:
    """Three tilts that are set to zero beside a turn that stays."""
    R = turn(2, 0.3) @ turn(0, 7e-13) @ turn(1, -8e-13)
    for found in (rigid(at(R), "home", []), matrix(clean(pose(at(R)), 0.0))):
        assert small(defect(found[:3, :3]), 2 * EPS)
        assert np.array_equal(found[:3, :3] == 0.0, turn(2, 0.3) == 0.0)
        assert close(found[:3, :3], turn(2, 0.3), 1e-12)
        assert np.array_equal(rigid(found, "home", []), found)


def test_a_zero_among_others_leaves_a_rotation() -> None:
    """A turn about z after one about x has one zero; noise of many products hides it."""
    plain = turn(2, 0.3) @ turn(0, 0.7)
    R = turn(0, 2e-14) @ turn(1, -1e-14) @ plain
    found = matrix(clean(pose(at(R)), 0.0))[:3, :3]
    assert np.array_equal(found == 0.0, plain == 0.0) and small(defect(found), 4 * EPS)
    assert close(found, R, 1e-13)


def test_lengths_below_the_noise_are_zero() -> None:
    """What far frames leave of a length; beside it those below 1e-12 of the longest."""
    T = pose(at(np.eye(3), (3e-9, 0.5, 4e-13)))
    assert matrix(clean(T, 1e-8))[:3, 3].tolist() == [0.0, 0.5, 0.0]
    assert matrix(clean(T, 0.0))[:3, 3].tolist() == [3e-9, 0.5, 0.0]


def test_a_rate_near_one_is_a_rate(rng) -> None:
    """Only a length of one to rounding is one: 1 + 5e-13 turns that much further."""
    q = 3.0
    for rate in (1.0 + 5e-13, 1.0 - 9e-13):
        robot = ch.Robot.from_screws([rate * screw([0.0, 0.0, 1.0])], [np.eye(4)], [BODY])
        assert close(robot.forward_kinematics([q])[:2, :2], turn(2, rate * q)[:2, :2], 2 * EPS)
        assert close(robot.mass_matrix([q]), rate**2 * np.array([[0.25]]), 4 * EPS)
        slide = ch.Robot.from_screws([rate * ch.prismatic([1.0, 0.0, 0.0])], [np.eye(4)], [BODY])
        assert close(slide.forward_kinematics([q])[0, 3], rate * q, EPS)


def test_a_slow_joint_keeps_turning() -> None:
    """Components are nothing beside the axis' own length, not beside one."""
    S = 1e-13 * screw([0.0, 0.6, 0.8], (1.0, 0.0, 0.0))
    assert np.array_equal(axis(S, O, "screw", notes := []), S) and not notes
    robot = ch.Robot.from_screws([S], [np.eye(4)], [BODY])
    assert close(
        robot.mass_matrix([0.0]) * 1e26, ch.Robot.from_screws([1e13 * S], [np.eye(4)], [BODY]).mass_matrix([0.0])
    )


def test_a_straightened_axis_passes_where_it_did() -> None:
    point = np.array([300.0, -200.0, 100.0])
    S = screw([9e-13, -7e-13, 1.0], point, 0.25)
    found = axis(S, point, "screw", notes := [])
    assert np.array_equal(found[:3], [0.0, 0.0, 1.0]) and "2 numbers" in notes[0]
    assert close(found, screw([0.0, 0.0, 1.0], point, 0.25), 2 * EPS)
    assert np.array_equal(axis(found, point, "screw", []), found)


def test_symbols_beside_a_tilt(rng) -> None:
    """A home whose place is a symbol keeps its rotation, and a length its symbol."""
    x = ch.symbols("x")
    homes = [np.eye(4), at(turn(0, 1.4e-6) @ turn(2, 0.5), (0.4, 0.0, 0.0))]
    placed = [homes[0], homes[1].astype(object)]
    placed[1][0, 3] = x
    screws = [screw([0.0, 0.0, 1.0]), ch.prismatic([0.0, 0.6, 0.8])]
    free = ch.Robot.from_screws(screws, placed, [BODY] * 2)
    fixed = ch.Robot.from_screws(screws, homes, [BODY] * 2)
    q = rng.uniform(-3.0, 3.0, 2)
    T = free.kernel("forward_kinematics")(q, 0.4)
    assert close(T, fixed.forward_kinematics(q), 8 * EPS)
    assert small(defect(T[:3, :3]), 8 * EPS)


def test_quarter_turns_are_found_only_where_an_angle_can_tell() -> None:
    for angle in (1e15, 1e16, 1.234e17, 2e300):
        assert small(defect(turn(0, angle)), 2 * EPS)
    assert np.array_equal(turn(2, 1e4 * math.pi / 2), np.eye(3))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_out_of_range_are_nan_and_not_an_exception() -> None:
    for home, body in (
        ((1e300, 1e290, 1.0), BODY),
        ((0.1, 0.0, 0.0), ch.Link(1e308, (10.0, 20.0, 3.0), (1.0, 1.0, 1.0))),
    ):
        robot = ch.Robot.from_screws([screw(X), screw([0.0, 0.6, 0.8], X)], [at(np.eye(3), home)] * 2, [body] * 2)
        assert not np.isfinite(robot.mass_matrix([0.1, 0.2])).all()
    for S in (screw([0.0, 0.6, 0.8], X), ch.prismatic(X)):
        for rate in (1e-200, 1e200):
            with pytest.raises(ch.ModelError, match=r"screw of joint 'joint1': its length, 1e.200, must be"):
                ch.Robot.from_screws([rate * S], [np.eye(4)], [BODY])


def test_a_needle_turns_about_itself() -> None:
    """An inertia of 1e-15 of the others is one, and what a flat body's numbers are off by is none."""
    for thin in (1e-12, 1e-15):
        needle = ch.Link(1.0, inertia=(thin, 1.0, 1.0))
        robot = ch.Robot.from_screws([screw([1.0, 0.0, 0.0])], [np.eye(4)], [needle])
        assert close(robot.mass_matrix([0.3]), [[thin]], 1e-15)
    plate = ch.Robot.from_screws([screw([0.0, 0.0, 1.0])], [np.eye(4)], [ch.Link(1.0, inertia=(0.1, 0.2, 0.1 + 0.2))])
    assert plate.mechanism.aligned.tree.bodies[0].G.S.zz == 0.0


def test_forty_digits_are_rounded_once(rng) -> None:
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    T = precise(pose(at(R * np.linalg.det(R), rng.normal(size=3))))
    assert np.array_equal(matrix(rounded(T)), matrix(T))
    whole = tilting(0.3).mechanism
    for A in (orthonormal(T.R).matrix, *(body.M.R.matrix for body in whole.unrounded_tree.bodies)):
        off = A.matmul(A.T)
        assert max(abs(float(x - (i == j))) for i, row in enumerate(off) for j, x in enumerate(row)) < 1e-29
    tree = whole.tree
    assert all(type(x) is float for body in regroup(align(tree).tree).bodies for x in (*body.M.p, *body.G.h, *body.G.S))
