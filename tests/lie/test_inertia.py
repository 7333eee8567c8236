"""Inertias, rigid and articulated, against their 6x6 matrices. [SE3-8..SE3-11, KOOL-3]"""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.fifty_digits import slope
from support.motions import (
    Ad,
    ad,
    array,
    inertias,
    mat,
    motions,
    numbers,
    rotations,
    skew,
    sym,
    twists,
    vec,
    vectors,
    wrenches,
)
from support.tolerances import EPS, ROUNDING, close

from chasles.lie import SE3, SO3, ArticulatedInertia, Mat3, SpatialInertia, Sym3, Vec3
from chasles.lie.turning import turned, turned_symmetric

SIZE = 1e4  # the largest entries that these inputs make


def size(G, *others):
    return float(np.abs(array(G)).max() * np.prod([1.0 + np.abs(array(x)).max() ** 2 for x in others]))


@given(st.floats(0.01, 10.0), vectors(), numbers(9))
def test_six_by_six(mass, com, A):
    B = np.array(A).reshape(3, 3)
    J = np.trace(B @ B.T) * np.eye(3) - B @ B.T
    G = SpatialInertia.at(mass, com, sym(J))
    r = skew(array(com))
    expected = np.block([[J - mass * r @ r, mass * r], [-mass * r, mass * np.eye(3)]])
    assert close(array(G), expected, ROUNDING, scale=1.0)
    assert np.linalg.eigvalsh(expected)[0] > -1e-12 * np.abs(expected).max()


@given(inertias(), twists(), twists())
def test_momentum_and_energy(G, V, W):
    assert close(array(G @ V), array(G) @ array(V), ROUNDING, scale=size(G))
    assert close((G @ V).pair(W), (G @ W).pair(V), ROUNDING, scale=size(G, V))
    assert (G @ V).pair(V) >= -1e-12 * size(G, V)


@given(inertias(), motions(), twists())
def test_moved(G, T, V):
    back = np.linalg.inv(Ad(array(T)))
    assert close(array(G.moved(T)), back.T @ array(G) @ back, ROUNDING, scale=size(G, T.p))
    assert close((G.moved(T) @ T.Ad(V)).pair(T.Ad(V)), (G @ V).pair(V), 1e3 * EPS, scale=size(G, T.p, V))
    assert close(array(G.moved(T).moved(T.inv())), array(G), ROUNDING, scale=size(G, T.p))
    momentum = array(T.Ad_inv_star(G @ V))
    assert close(array(G.moved(T) @ T.Ad(V)), momentum, ROUNDING, scale=size(G, T.p, V))


@given(inertias(), inertias(), twists(), st.floats(0.0, 3.0))
def test_sums(G, H, V, s):
    assert close(array(G + H), array(G) + array(H), ROUNDING, scale=size(G))
    assert close(array((G + H) - H), array(G), ROUNDING, scale=size(G) + size(H))
    assert close(array(s * G), s * array(G), ROUNDING, scale=size(G))
    assert close(array(SpatialInertia.zero() + G), array(G), 0.0)


@given(inertias(), twists())
def test_rate(G, V):
    A = ad(array(V))
    assert close(array(G.rate(V)), -A.T @ array(G) - array(G) @ A, ROUNDING, scale=size(G, V))

    def entries(t):
        moved = G.moved(SE3.exp(V * t[0]))
        return [*moved.h, *moved.S]

    rate = G.rate(V)
    assert close(slope(entries, [0.0], [1.0]), [*rate.h, *rate.S], ROUNDING, scale=size(G, V))


@given(inertias(), vectors(), numbers(9))
def test_force_on_an_acceleration_field(G, a, U):
    U = np.array(U).reshape(3, 3)
    F = G.force(a, mat(U))
    h, S = array(G.h), array(G.S)
    US = U @ S
    moment = skew(h) @ array(a) + np.array([US[2, 1] - US[1, 2], US[0, 2] - US[2, 0], US[1, 0] - US[0, 1]])
    assert close(array(F.m), moment, ROUNDING, scale=size(G, a))
    assert close(array(F.f), G.mass * array(a) + U @ h, ROUNDING, scale=size(G, a))


@given(inertias(), twists(), twists())
def test_rigid_body_dynamics(G, V, Vd):
    """J Vd - ad_V^T J V is the force on the field of a rigid motion. [SE3-9]"""
    F = G @ Vd - V.ad_star(G @ V)
    w = skew(array(V.w))
    U = skew(array(Vd.w)) + w @ w
    a = array(Vd.v) + w @ array(V.v)
    assert close(array(F), array(G.force(vec(a), mat(U))), 1e3 * EPS, scale=size(G, V, Vd))


@given(st.floats(0.01, 10.0), vectors(), numbers(9), twists(), twists())
def test_newton_and_euler_away_from_the_centre_of_mass(m, com, A, V, Vd):
    """The long form of [SE3-9], and the plain one where the frame is at the centre."""
    B = np.array(A).reshape(3, 3)
    I = np.trace(B @ B.T) * np.eye(3) - B @ B.T
    w, v, wd, vd, c = (array(x) for x in (V.w, V.v, Vd.w, Vd.v, com))
    W, R = skew(w), skew(c)
    field = vd + W @ v + skew(wd) @ c + W @ W @ c
    G = SpatialInertia.at(m, com, sym(I))
    F = G @ Vd - V.ad_star(G @ V)
    assert close(array(F.f), m * field, 1e3 * EPS, scale=size(G, V, Vd))
    assert close(array(F.m), I @ wd + W @ I @ w + m * R @ field, 1e3 * EPS, scale=size(G, V, Vd))
    G = SpatialInertia.at(m, Vec3.zero(), sym(I))
    F = G @ Vd - V.ad_star(G @ V)
    assert close(array(F.m), I @ wd + W @ I @ w, 1e3 * EPS, scale=size(G, V, Vd))
    assert close(array(F.f), m * (vd + W @ v), 1e3 * EPS, scale=size(G, V, Vd))


@given(inertias(), motions(), twists(), twists())
def test_dynamics_in_any_frame(G, T, V, Vd):
    """F = J Vd - ad_V^T J V keeps its form under V = Ad_T V', F' = Ad_T^T F. [SE3-9]"""
    F = G @ Vd - V.ad_star(G @ V)
    moved, V2, Vd2 = G.moved(T.inv()), T.Ad_inv(V), T.Ad_inv(Vd)
    F2 = moved @ Vd2 - V2.ad_star(moved @ V2)
    assert close(array(F2), array(T.Ad_star(F)), 1e3 * EPS, scale=size(G, T.p, V, Vd))


@given(rotations(), numbers(9), vectors(), vectors())
def test_spatial_euler(R, A, w, wd):
    """tau^s = I^s wd^s + w^s x I^s w^s with I^s = R I R^T. [SE3-11]"""
    B = np.array(A).reshape(3, 3)
    I = sym(np.trace(B @ B.T) * np.eye(3) - B @ B.T)
    body = I.dot(wd) + w.cross(I.dot(w))
    Is, ws, wds = I.congruent(R.matrix), R @ w, R @ wd
    assert close(array(Is.dot(wds) + ws.cross(Is.dot(ws))), array(R @ body), 1e3 * EPS, scale=SIZE)


@given(st.lists(st.tuples(st.floats(0.1, 2.0), vectors()), min_size=1, max_size=6))
def test_point_masses(points):
    """The inertia of a body is the sum of its points. [SE3-10]"""
    total = SpatialInertia.zero()
    for m, r in points:
        total = total + SpatialInertia.at(m, r, Sym3.zero())
    I = sum(m * (r.square() * np.eye(3) - np.outer(array(r), array(r))) for m, r in points)
    assert close(array(total.I), I, ROUNDING, scale=1.0)
    assert close(array(total.h), sum(m * array(r) for m, r in points), ROUNDING, scale=10.0)


def test_box():
    """m/12 diag(w^2 + h^2, l^2 + h^2, w^2 + l^2), by Gauss points, which are exact for it. [SE3-10]"""
    m, sides = 3.0, np.array([0.4, 0.7, 1.1])
    total = SpatialInertia.zero()
    for signs in np.ndindex(2, 2, 2):
        r = (2.0 * np.array(signs) - 1.0) * sides / np.sqrt(12.0)
        total = total + SpatialInertia.at(m / 8.0, vec(r), Sym3.zero())
    l, w, h = sides
    assert close(array(total.I), np.diag([w * w + h * h, l * l + h * h, w * w + l * l]) * m / 12.0, ROUNDING)
    assert close(array(total.h), np.zeros(3), ROUNDING, scale=1.0)


@given(numbers(6), rotations())
def test_symmetric_matrices(x, R):
    A = Sym3(*x)
    assert close(array(A.inertia()), np.trace(array(A)) * np.eye(3) - array(A), ROUNDING, scale=10.0)
    assert close(array(A.inertia().moments()), array(A), ROUNDING, scale=10.0)
    assert close(array(A.congruent(R.matrix)), array(R) @ array(A) @ array(R).T, ROUNDING, scale=10.0)
    assert close(float(A.trace), np.trace(array(A)), ROUNDING, scale=10.0)


@given(numbers(9), st.sampled_from(range(3)), st.floats(-7.0, 7.0))
def test_about_a_coordinate_axis(x, k, angle):
    """As R A R^T, and the trace of the block across the axis stays."""
    R = SO3.about(Vec3(*np.eye(3)[k].tolist()), angle)
    A, S = Mat3(*(Vec3(*x[i : i + 3]) for i in (0, 3, 6))), Sym3(*x[:6])
    assert close(array(turned(A, R)), array(R) @ array(A) @ array(R).T, ROUNDING, scale=10.0)
    assert close(array(turned_symmetric(S, R)), array(R) @ array(S) @ array(R).T, ROUNDING, scale=10.0)


def test_a_small_moment_keeps_its_digits():
    """A rod turned almost into the axis: what is left across it is a square, not a difference."""
    angle = math.pi / 2.0 - 1e-7
    rod = turned_symmetric(Sym3(1.0, 0.0, 0.0, 0.0, 0.0, 0.0), SO3.about(Vec3(0.0, 0.0, 1.0), angle))
    assert math.isclose(rod.xx, math.cos(angle) ** 2, rel_tol=4.0 * EPS)


# Articulated inertias


@given(inertias(), inertias(), motions(), twists())
def test_articulated_of_a_rigid_body(G, H, T, V):
    B = ArticulatedInertia.rigid(G)
    assert close(array(B), array(G), 0.0)
    assert close(array(B + ArticulatedInertia.rigid(H)), array(G) + array(H), ROUNDING, scale=size(G))
    assert close(array(B @ V), array(G @ V), ROUNDING, scale=size(G, V))
    assert close(array(B.moved(T)), array(G.moved(T)), ROUNDING, scale=size(G, T.p))


@given(inertias(), wrenches(), st.floats(0.1, 3.0), motions(), twists())
def test_articulated(G, F, d_inv, T, V):
    B = ArticulatedInertia.rigid(G).without(F, d_inv)
    f = array(F)
    expected = array(G) - np.outer(f, f) * d_inv
    scale = size(G) + 30.0
    assert close(array(B), expected, ROUNDING, scale=scale)
    assert close(array(B @ V), expected @ array(V), ROUNDING, scale=scale * 10.0)
    back = np.linalg.inv(Ad(array(T)))
    assert close(
        array(B.moved(T)), back.T @ expected @ back, ROUNDING, scale=scale * (1.0 + np.abs(array(T.p)).max() ** 2)
    )
