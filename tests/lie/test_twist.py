"""Twists: the Lie algebra, screws, and the differential of exp. [SE3-1, SE3-3..SE3-5]"""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fifty_digits import precise_slope, slope
from support.motions import (
    ad,
    array,
    directions,
    hat,
    motions,
    numbers,
    twist,
    twists,
    vec,
    vee,
    wrenches,
)
from support.tolerances import EPS, ROUNDING, close

from chasles.lie import SE3, Twist, Vec3

SIZE = 30.0


def flat(V):
    return [*V.w, *V.v]


def to_twist(x):
    return Twist(Vec3(*x[:3]), Vec3(*x[3:6]))


@given(twists(), twists())
def test_bracket_is_the_commutator(V, W):
    A, B = hat(array(V)), hat(array(W))
    assert close(array(V.ad(W)), vee(A @ B - B @ A), ROUNDING, scale=SIZE)
    assert close(array(V.ad(W)), ad(array(V)) @ array(W), ROUNDING, scale=SIZE)
    assert close(array(V.ad(W)), -array(W.ad(V)), 2 * EPS, scale=SIZE)


@given(twists(), twists(), twists(), st.floats(-3.0, 3.0))
def test_lie_algebra(U, V, W, s):
    jacobi = U.ad(V.ad(W)) + V.ad(W.ad(U)) + W.ad(U.ad(V))
    assert close(array(jacobi), np.zeros(6), ROUNDING, scale=SIZE**2)
    assert close(array((U + V * s).ad(W)), array(U.ad(W) + V.ad(W) * s), ROUNDING, scale=10 * SIZE)
    assert close(array(U - V), array(U + -V), 0.0)
    assert close(array(s * U), s * array(U), 0.0)


@given(motions(), twists(), twists())
def test_adjoint_is_an_automorphism_of_the_bracket(T, V, W):
    assert close(array(T.Ad(V.ad(W))), array(T.Ad(V).ad(T.Ad(W))), ROUNDING, scale=SIZE**2)


@given(motions(), twists(), twists(), st.floats(-3.0, 3.0))
def test_forms_of_the_velocity_term_of_an_acceleration(T, V, A, rate):
    """[NE-7]: the bracket of a joint's motion with its link's velocity, with its parent's, and the other way round."""
    above, S = T.Ad_inv(V), A * rate
    own = above + S
    size = 10 * SIZE**2
    assert close(array(own.ad(S)), array(above.ad(S)), ROUNDING, scale=size)
    assert close(array(own.ad(S)), -array(S.ad(above)), ROUNDING, scale=size)


@given(twists(), twists(), wrenches())
def test_dual_of_the_bracket(V, W, F):
    assert close(V.ad_star(F).pair(W), F.pair(V.ad(W)), ROUNDING, scale=10 * SIZE)
    assert close(array(V.ad_star(F)), ad(array(V)).T @ array(F), ROUNDING, scale=SIZE)


@given(twists(), twists())
def test_ad_is_the_derivative_of_Ad(V, W):
    def moved(t):
        return flat(SE3.exp(V * t[0]).Ad(W))

    assert close(slope(moved, [0.0], [1.0]), array(V.ad(W)), ROUNDING, scale=SIZE)


@given(twists(), twists(), wrenches(), st.floats(-1.0, 1.0))
def test_ad_star_is_the_derivative_of_Ad_star(V, W, F, t):
    def power(x):
        return [SE3.exp(V * x[0]).Ad_star(F).pair(W)]

    T = SE3.exp(V * t)
    assert close(slope(power, [t], [1.0]), [T.Ad_star(F).pair(V.ad(W))], 1e3 * EPS, scale=SIZE**3)


# Screws


@given(directions(), numbers(3), st.floats(-10.0, 10.0))
def test_revolute_screw_keeps_its_axis(s, c, q):
    T = twist([*s, *np.cross(c, s)]).exp(q)
    on_axis = vec(np.array(c) + 1.7 * s)
    assert close(array(T @ on_axis), array(on_axis), ROUNDING, scale=SIZE)
    assert close(array(T @ vec(c)), c, ROUNDING, scale=SIZE)


@given(directions(), numbers(3), st.floats(-1.0, 1.0), st.floats(-10.0, 10.0))
def test_helical_screw_slides_along_its_axis(s, c, pitch, q):
    T = twist([*s, *(np.cross(c, s) + pitch * s)]).exp(q)
    assert close(array(T @ vec(c)), np.array(c) + pitch * q * s, ROUNDING, scale=SIZE)


@given(directions(), st.floats(-10.0, 10.0))
def test_prismatic_screw_is_a_translation(s, q):
    T = Twist(Vec3.zero(), vec(s)).exp(q)
    assert close(array(T.R), np.eye(3), 0.0)
    assert close(array(T.p), s * q, 0.0)


@given(twists().filter(lambda V: V.w.square() > 1e-4), st.floats(-3.0, 3.0))
def test_screw_of_any_length(S, q):
    assert close(array(S.exp(q)), array(SE3.exp(S * q)), 1e3 * EPS, scale=SIZE)


@given(directions(), numbers(3), st.floats(-10.0, 10.0))
def test_screw_against_mpmath(s, v, q):
    S = twist([*s, *v])
    X = mpmath.expm(mpmath.matrix(hat(array(S)).tolist()) * mpmath.mpf(q), method="taylor")
    assert close(array(S.exp(q)), [[float(X[i, j]) for j in range(4)] for i in range(4)], 32 * EPS, scale=1.0 + abs(q))


@given(directions(), numbers(3), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_screw_motions_add(s, v, q, r):
    S = twist([*s, *v])
    assert close(array(S.exp(q) @ S.exp(r)), array(S.exp(q + r)), ROUNDING, scale=SIZE)
    assert close(array(S.exp(q).inv()), array(S.exp(-q)), ROUNDING, scale=SIZE)


# The differential of exp


def precise_dexp(V, dV):
    """sum_k ad^k dV / (k+1)!, to 50 digits."""
    A = mpmath.matrix(ad(array(V)).tolist())
    term = total = mpmath.matrix(array(dV).tolist())
    for k in range(1, 200):
        term = A * term / (k + 1)
        total = total + term
    return [float(x) for x in total]


@given(twists(most=12.0), twists())
def test_dexp_against_mpmath(V, dV):
    assert close(array(V.dexp(dV)), precise_dexp(V, dV), 256 * EPS, scale=1.0)


@given(twists(most=6.0), twists())
def test_dexp_is_the_derivative_of_exp(V, dV):
    def flat_exp(x):
        T = SE3.exp(to_twist(x))
        return [*(y for row in T.R.matrix for y in row), *T.p]

    d = precise_slope(flat_exp, array(V), array(dV))
    Xdot = np.zeros((4, 4))
    Xdot[:3, :3], Xdot[:3, 3] = np.reshape(d[:9], (3, 3)), d[9:]
    X = array(SE3.exp(V))
    assert close(array(V.dexp(dV)), vee(Xdot @ np.linalg.inv(X)), 1e3 * EPS, scale=SIZE)
    assert close(array((-V).dexp(dV)), vee(np.linalg.inv(X) @ Xdot), 1e3 * EPS, scale=SIZE)  # the body form
    h = 1e-5  # and by differences in double precision, which need no trust in any derivative
    ahead, behind = (SE3.exp(V + dV * s) @ SE3.exp(V).inv() for s in (h, -h))
    assert close((array(ahead.log()) - array(behind.log())) / (2 * h), array(V.dexp(dV)), 1e-7, scale=SIZE)


@given(twists(most=2.0 * math.pi - 0.5), twists())
def test_dexp_inv_is_the_inverse(V, dV):
    assert close(array(V.dexp_inv(V.dexp(dV))), array(dV), 1e4 * EPS, scale=SIZE)
    assert close(array(V.dexp(V.dexp_inv(dV))), array(dV), 1e4 * EPS, scale=SIZE)


@given(twists(), twists())
def test_bernoulli_series(V, W):
    """dexp^-1 = 1 - ad/2 + ad^2/12 - ad^4/720 + ... for small V."""
    V = V * 0.01
    series = W - V.ad(W) * 0.5 + V.ad(V.ad(W)) * (1 / 12) - V.ad(V.ad(V.ad(V.ad(W)))) * (1 / 720)
    assert close(array(V.dexp_inv(W)), array(series), 1e-9, scale=1.0)


@given(numbers(6), numbers(6))
def test_dexp_is_smooth_at_zero(dV, W):
    bracket = array(twist(dV).ad(twist(W)))
    assert close(slope(lambda x: flat(to_twist(x).dexp(twist(W))), [0.0] * 6, dV), 0.5 * bracket, ROUNDING, scale=SIZE)
    assert close(
        slope(lambda x: flat(to_twist(x).dexp_inv(twist(W))), [0.0] * 6, dV), -0.5 * bracket, ROUNDING, scale=SIZE
    )


def test_dexp_at_zero_is_the_identity():
    W = twist([1.0, -2.0, 3.0, 0.5, 0.25, -4.0])
    for f in (Twist.zero().dexp, Twist.zero().dexp_inv):
        assert close(array(f(W)), array(W), 0.0)


@pytest.mark.parametrize("x", [2.0**0.5 - 1e-9, 2.0**0.5, 2.0**0.5 + 1e-9])
def test_no_step_where_series_and_closed_form_meet(x):
    V, W = twist([x, 0.0, 0.0, 1.0, 2.0, 3.0]), twist([1.0, 2.0, 3.0, -1.0, 0.5, 2.0])
    assert close(array(V.dexp(W)), precise_dexp(V, W), 64 * EPS)
