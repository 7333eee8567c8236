"""Rigid motions: the group, its adjoint maps and their duals, exp and log. [SE3-2..SE3-7]"""

import math

import mpmath
import numpy as np
from hypothesis import given
from support.fifty_digits import slope
from support.motions import (
    Ad,
    array,
    hat,
    motions,
    numbers,
    rotation_vectors,
    twist,
    twists,
    vec,
    vectors,
    vee,
    wrenches,
)
from support.tolerances import EPS, ROUNDING, close

from chasles.lie import SE3, SO3, Twist, Vec3

SIZE = 30.0  # the largest entries that these inputs make


def flat(T):
    return [*(x for row in T.R.matrix for x in row), *T.p]


def flat_exp(V):
    return flat(SE3.exp(Twist(Vec3(*V[:3]), Vec3(*V[3:]))))


@given(motions(), motions(), motions(), vectors())
def test_group(A, B, C, r):
    assert close(array((A @ B) @ C), array(A @ (B @ C)), ROUNDING, scale=SIZE)
    assert close(array(A @ A.inv()), np.eye(4), ROUNDING, scale=SIZE)
    assert close(array(A.inv() @ A), np.eye(4), ROUNDING, scale=SIZE)
    assert close(array(A @ SE3.identity()), array(A), 0.0)
    assert close(array(A @ B), array(A) @ array(B), ROUNDING, scale=SIZE)
    assert close(array((A @ B) @ r), array(A @ (B @ r)), ROUNDING, scale=SIZE)
    assert close(array(A @ r), (array(A) @ [*r, 1.0])[:3], ROUNDING, scale=SIZE)


@given(twists(most=20.0))
def test_exp_against_mpmath(V):
    T = mpmath.expm(mpmath.matrix(hat(array(V)).tolist()), method="taylor")
    assert close(array(SE3.exp(V)), [[float(T[i, j]) for j in range(4)] for i in range(4)], 16 * EPS)


@given(rotation_vectors(math.pi - 1e-14), vectors())
def test_log_of_exp(w, v):
    back = SE3.exp(Twist(w, v)).log()
    assert close(array(back.w), array(w), 16 * EPS, scale=1e-300)
    assert close(array(back.v), array(v), ROUNDING, scale=1.0)


@given(motions())
def test_exp_of_log(T):
    assert close(array(SE3.exp(T.log())), array(T), ROUNDING)


def test_log_of_half_turns():
    for s in np.eye(3):
        T = SE3(SO3.about(vec(s), math.pi), Vec3(1.0, 2.0, 3.0))
        assert close(array(SE3.exp(T.log())), array(T), 16 * EPS)
        assert close(math.hypot(*T.log().w), math.pi, 4 * EPS)


def test_a_pure_translation_is_its_own_logarithm():
    T = SE3(SO3.identity(), Vec3(1.0, -2.0, 0.5))
    assert close(array(T.log()), [0.0, 0.0, 0.0, 1.0, -2.0, 0.5], 0.0)
    assert close(array(SE3.exp(T.log())), array(T), 0.0)


@given(motions(), twists())
def test_adjoint_is_conjugation(T, V):
    X = array(T)
    assert close(array(T.Ad(V)), Ad(X) @ array(V), ROUNDING, scale=SIZE)
    assert close(array(T.Ad(V)), vee(X @ hat(array(V)) @ np.linalg.inv(X)), ROUNDING, scale=SIZE)


@given(motions(), motions(), twists())
def test_adjoint_is_a_homomorphism(A, B, V):
    assert close(array((A @ B).Ad(V)), array(A.Ad(B.Ad(V))), ROUNDING, scale=10 * SIZE)
    assert close(array(A.Ad_inv(A.Ad(V))), array(V), ROUNDING, scale=SIZE)
    assert close(array(A.Ad_inv(V)), array(A.inv().Ad(V)), ROUNDING, scale=SIZE)


@given(motions(), twists(), wrenches())
def test_duals(T, V, F):
    assert close(T.Ad_star(F).pair(V), F.pair(T.Ad(V)), ROUNDING, scale=10 * SIZE)
    assert close(T.Ad_inv_star(F).pair(V), F.pair(T.Ad_inv(V)), ROUNDING, scale=10 * SIZE)
    assert close(array(T.Ad_star(F)), Ad(array(T)).T @ array(F), ROUNDING, scale=SIZE)
    assert close(array(T.Ad_inv_star(F)), array(T.inv().Ad_star(F)), ROUNDING, scale=SIZE)
    assert close(
        T.Ad_star(F).pair(T.Ad_inv(V)), F.pair(V), ROUNDING, scale=10 * SIZE
    )  # power does not change with the frame


@given(motions(), wrenches())
def test_a_wrench_changes_frame_as_a_twist_with_its_halves_swapped(T, F):
    swapped = T.Ad_inv(Twist(F.f, F.m))
    moved = T.Ad_star(F)
    assert close([*moved.f, *moved.m], array(swapped), ROUNDING, scale=SIZE)  # [SE3-7]


@given(numbers(6))
def test_exp_is_smooth_at_zero(dV):
    expected = hat(np.array(dV))[:3]
    assert close(slope(flat_exp, [0.0] * 6, dV), [*expected[:, :3].ravel(), *expected[:, 3]], 0.0)


@given(numbers(6))
def test_log_is_smooth_at_zero(dV):
    def flat_log(t):
        V = SE3.exp(Twist(Vec3(*t[:3]), Vec3(*t[3:]))).log()
        return [*V.w, *V.v]

    assert close(slope(flat_log, [0.0] * 6, dV), dV, 8 * EPS)


@given(twists(most=6.0), twists(), motions())
def test_velocities(V, dV, T):
    """Body, inertial, and the change of body frame X -> X T. [SE3-6]"""
    X, d = array(SE3.exp(V)), slope(flat_exp, array(V), array(dV))
    Xdot = np.zeros((4, 4))
    Xdot[:3, :3], Xdot[:3, 3] = np.reshape(d[:9], (3, 3)), d[9:]
    body, inertial = np.linalg.inv(X) @ Xdot, Xdot @ np.linalg.inv(X)
    assert close(vee(inertial), array(SE3.exp(V).Ad(twist(vee(body)))), 1e3 * EPS, scale=100.0)
    assert close(inertial[:3, 3], Xdot[:3, 3] - Xdot[:3, :3] @ X[:3, :3].T @ X[:3, 3], 1e3 * EPS, scale=100.0)
    Y, Ydot = X @ array(T), Xdot @ array(T)
    assert close(vee(np.linalg.inv(Y) @ Ydot), array(T.Ad_inv(twist(vee(body)))), 1e3 * EPS, scale=300.0)
