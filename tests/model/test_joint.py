"""Joints as groups: coordinates, velocities, and what leads from one to another."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as hypothesis_arrays
from support.tolerances import EXACT, close, small

from chasles.arrays import from_motion, from_twist
from chasles.lie import Twist, Vec3
from chasles.model.joint import (
    KINDS,
    Free,
    Joint,
    Planar,
    ScrewJoint,
    Spherical,
    quaternion_exp,
    quaternion_log,
    rotation,
)
from chasles.scalar.dual import Dual

JOINTS: list[Joint] = [
    ScrewJoint(Twist(Vec3(0.0, 0.6, 0.8), Vec3(0.1, 0.2, -0.3)), 0.4),
    ScrewJoint(Twist(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 2.0, 0.0))),
    *(kind() for kind in KINDS.values()),
]
joints = pytest.mark.parametrize("joint", JOINTS, ids=lambda j: type(j).__name__)
moderate = st.floats(-2.0, 2.0)


def pose_of(joint: Joint, q: list[float]) -> np.ndarray:
    return np.array(from_motion(joint.motion(q)))


@pytest.mark.parametrize("length", [1e-310, 1e-170, 1e-8, 1.0, 1e8, 1e200, 1e308])
@pytest.mark.parametrize("joint", [Spherical(), Free()], ids=lambda j: type(j).__name__)
def test_quaternions_of_any_length_are_normalized(joint: Joint, length: float) -> None:
    q = joint.random(np.random.default_rng(0))
    long = [*q[:-4], *(x * length for x in q[-4:])]
    assert close(joint.normalize(long), q, 1e-12 if length < 1e-300 else 4e-16)


@pytest.mark.parametrize("length", [2e154, 5e199, 1e300])
@pytest.mark.parametrize("joint", [Spherical(), Free()], ids=lambda j: type(j).__name__)
def test_a_square_that_overflows_is_no_rotation(joint: Joint, length: float) -> None:
    q = joint.random(np.random.default_rng(0))
    for unit in (q[-4:], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]):
        q[-4:] = unit
        long = [*q[:-4], *(x * length for x in unit)]
        assert not np.isfinite(pose_of(joint, long)).all()
        assert not np.isfinite(joint.integrate(long, [0.1] * joint.nv)).all()
        assert not np.isfinite(joint.difference(q, long)).all()
        assert not np.isfinite(joint.difference(long, q)).all()
        assert close(pose_of(joint, [*q[:-4], *(x * 1e150 for x in unit)]), pose_of(joint, q))


@joints
@given(data=st.data())
def test_velocity_is_the_body_twist(joint: Joint, data: st.DataObject) -> None:
    """E^-1 dE/dt = [sum of S_a v_a], by a dual number through `integrate`."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    q, v = joint.random(rng), rng.normal(size=joint.nv)
    moved = joint.motion(joint.integrate([Dual(x) for x in q], [Dual(0.0, float(x)) for x in v]))
    E = from_motion(joint.motion(q))
    rate = np.array([[x.derivative if isinstance(x, Dual) else 0.0 for x in row] for row in from_motion(moved)])
    hat = np.linalg.inv(np.array(E)) @ rate
    twist = sum((np.array(from_twist(S)) * a for S, a in zip(joint.columns, v, strict=True)), np.zeros(6))
    assert close([hat[2, 1], hat[0, 2], hat[1, 0], *hat[:3, 3]], twist)


@joints
@given(data=st.data())
def test_difference_undoes_integrate(joint: Joint, data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    scale = data.draw(st.sampled_from([0.0, 1e-12, 1e-6, 1e-3, 1.0]))
    q0 = joint.random(rng)
    v = rng.uniform(-1.0, 1.0, joint.nv) * scale  # less than half a turn
    assert close(joint.difference(q0, joint.integrate(q0, list(v))), v, 1e-13, scale=1.0)
    q1 = joint.random(rng)
    arrived = joint.integrate(q0, joint.difference(q0, q1))
    assert close(pose_of(joint, arrived), pose_of(joint, q1), 1e-9)


@pytest.mark.parametrize("joint", [Spherical(), Free()], ids=lambda j: type(j).__name__)
@given(q=hypothesis_arrays(float, 7, elements=moderate), factor=st.sampled_from([-1.0, 2.0, -1e-3, 1e3]))
def test_any_multiple_of_a_quaternion_is_the_same_rotation(joint: Joint, q: np.ndarray, factor: float) -> None:
    if np.linalg.norm(q[3:]) < 1e-2:
        q[6] = 1.0
    given_q = list(q[3:]) if joint.nq == 4 else list(q)
    scaled = [*given_q[: joint.nq - 4], *(x * factor for x in given_q[joint.nq - 4 :])]
    assert close(pose_of(joint, scaled), pose_of(joint, given_q), 1e-13)
    assert close(np.linalg.norm(joint.normalize(scaled)[-4:]), 1.0, EXACT)
    assert close(pose_of(joint, joint.normalize(scaled)), pose_of(joint, given_q), 1e-13)
    zero = joint.difference(given_q, scaled)
    assert small(zero, 1e-12)  # the opposite quaternion is no turn


def test_half_turns() -> None:
    rng = np.random.default_rng(0)
    for axis in [*np.eye(3), *rng.normal(size=(20, 3))]:
        u = axis / np.linalg.norm(axis)
        for angle in (math.pi, math.pi - 1e-9, math.pi - 1e-5):
            w = quaternion_log(quaternion_exp(Vec3(*(u * angle))))
            assert close(np.linalg.norm([*w]), angle, 1e-13)
            assert close(np.abs([*w]), np.abs(u * angle), 1e-12)
        over = quaternion_log(quaternion_exp(Vec3(*(u * 4.0))))  # more than half a turn: the shorter way back
        assert close([*over], u * (4.0 - 2.0 * math.pi), 1e-12)


def test_rotation_is_scipys() -> None:
    from scipy.spatial.transform import Rotation

    for q in np.random.default_rng(1).normal(size=(50, 4)):
        assert close([[*row] for row in rotation(list(q)).matrix], Rotation.from_quat(q).as_matrix(), 1e-14)


def test_planar_angle_wraps() -> None:
    joint = Planar()
    v = joint.difference([0.0, 0.0, 0.1], [1.0, 2.0, 0.1 + 6.5 * math.pi])
    assert close(v[2], 0.5 * math.pi, 1e-12)
    assert close(pose_of(joint, joint.integrate([0.0, 0.0, 0.1], v)), pose_of(joint, [1.0, 2.0, 0.1 + 6.5 * math.pi]))
