"""Rotations: the group, exp and log, at 0 and at pi. [SE3-4, SE3-5]"""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from support.fifty_digits import precise_slope, slope
from support.motions import (
    angles,
    array,
    directions,
    mat,
    numbers,
    rotation_vectors,
    rotations,
    skew,
    vec,
    vectors,
)
from support.tolerances import EPS, ROUNDING, close

from chasles.lie import SO3, Mat3, Vec3


def flat_exp(w):
    return [x for row in SO3.exp(Vec3(*w)).matrix for x in row]


def flat_log(m):
    return [*SO3(Mat3(Vec3(*m[:3]), Vec3(*m[3:6]), Vec3(*m[6:]))).log()]


def precise_rotation(w):
    """The rotation of w to 50 digits, by mpmath's own matrix exponential."""
    x, y, z = (mpmath.mpf(float(c)) for c in w)
    return mpmath.expm(mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]]), method="taylor")


@given(rotations(), rotations(), rotations(), vectors())
def test_group(A, B, C, v):
    assert close(array((A @ B) @ C), array(A @ (B @ C)), ROUNDING)
    assert close(array(A @ A.inv()), np.eye(3), ROUNDING)
    assert close(array(A.inv() @ A), np.eye(3), ROUNDING)
    assert close(array((A @ B).inv()), array(B.inv() @ A.inv()), ROUNDING)
    assert close(array(A @ SO3.identity()), array(A), 0.0)
    assert close(array((A @ B) @ v), array(A @ (B @ v)), ROUNDING, scale=1.0)
    assert close(array(A @ B), array(A) @ array(B), ROUNDING)


@given(rotations(), vectors(), vectors())
def test_rotations_keep_lengths_and_crosses(R, a, b):
    assert close((R @ a).square(), a.square(), ROUNDING)
    assert close(array((R @ a).cross(R @ b)), array(R @ a.cross(b)), ROUNDING, scale=20.0)
    assert close(array(R) @ skew(array(a)) @ array(R).T, skew(array(R @ a)), ROUNDING, scale=5.0)
    assert np.linalg.det(array(R)) > 0.0


@given(rotation_vectors(20.0))
def test_exp_against_mpmath(w):
    R = precise_rotation(w)
    assert close(array(SO3.exp(w)), [[float(R[i, j]) for j in range(3)] for i in range(3)], 16 * EPS)


@given(directions(), angles(10.0))
def test_about_is_exp(s, angle):
    assert close(array(SO3.about(vec(s), angle)), array(SO3.exp(vec(s * angle))), ROUNDING)


@given(rotation_vectors())
def test_log_of_exp(w):
    back = SO3.exp(w).log()
    if math.hypot(*w) < math.pi - 1e-14:
        assert close(array(back), array(w), 16 * EPS, scale=1e-300)
    else:  # at pi both signs are right
        assert close(min(np.abs(array(back) - s * array(w)).max() for s in (1.0, -1.0)), 0.0, 16 * EPS, scale=math.pi)
    assert math.hypot(*back) <= math.pi * (1.0 + EPS)


@given(rotations())
def test_exp_of_log(R):
    assert close(array(SO3.exp(R.log())), array(R), 16 * EPS)


@pytest.mark.parametrize("axis", [*np.eye(3), *-np.eye(3), [0.6, 0.8, 0.0], [0.0, -0.6, 0.8], [2 / 3, -2 / 3, 1 / 3]])
def test_log_of_a_half_turn(axis):
    s = np.array(axis) / np.linalg.norm(axis)
    w = array(SO3(mat(2.0 * np.outer(s, s) - np.eye(3))).log())
    assert close(np.linalg.norm(w), math.pi, 4 * EPS)
    assert close(np.outer(w, w), math.pi**2 * np.outer(s, s), 8 * EPS)


@given(directions(), st.integers(1, 14).map(lambda k: 10.0**-k))
def test_log_near_pi_against_mpmath(s, gap):
    w = s * (math.pi - gap)
    R = precise_rotation(w)
    rounded = SO3(mat(np.array([[float(R[i, j]) for j in range(3)] for i in range(3)])))
    exact = math.hypot(*w)
    assert close(array(rounded.log()), w, 8 * EPS, scale=exact)


@given(rotation_vectors().filter(lambda w: w.square() > 0.0))
def test_log_on_fifty_digits(w):
    """The logarithm loses nothing but the rounding of its own constants."""
    R = precise_rotation(w)
    back = flat_log([R[i, j] for i in range(3) for j in range(3)])
    assume(math.hypot(*w) < math.pi - 1e-14)
    assert close([float(x) for x in back], array(w), 4 * EPS, scale=1e-300)


@given(rotations())
def test_quaternion_against_scipy(R):
    q = np.array([float(x) for x in R.quaternion()])
    expected = Rotation.from_matrix(array(R)).as_quat()
    assert q[3] >= 0.0
    assert close(min(np.abs(q - s * expected).max() for s in (1.0, -1.0)), 0.0, 16 * EPS, scale=1.0)


@given(numbers(3))
def test_exp_is_smooth_at_zero(dw):
    assert close(slope(flat_exp, [0.0] * 3, dw), skew(np.array(dw)).ravel(), 0.0)


@given(numbers(3))
def test_log_is_smooth_at_zero(dw):
    assert close(slope(flat_log, np.eye(3).ravel(), skew(np.array(dw)).ravel()), dw, 4 * EPS)


@given(rotation_vectors(math.pi - 0.01), numbers(3))
def test_log_undoes_exp_to_first_order(w, dw):
    R, dR = array(SO3.exp(w)).ravel(), slope(flat_exp, [*w], dw)
    assert close(slope(flat_log, R, dR), dw, 1e5 * EPS, scale=1.0)  # the derivative of log grows near pi


@given(rotation_vectors(6.0), numbers(3))
def test_derivative_of_exp_against_mpmath(w, dw):
    assert close(slope(flat_exp, [*w], dw), precise_slope(flat_exp, [*w], dw), ROUNDING, scale=1.0)
