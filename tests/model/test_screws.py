"""Screws, and the four ways to write a chain of them. [POE-1..3, SE3-5]"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.motions import array, directions, motions, numbers
from support.tolerances import EPS, ROUNDING, close

from chasles.errors import ModelError
from chasles.lie import SE3
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.poses import twist
from chasles.model.screws import (
    body_from_space,
    direction,
    local_left_from_space,
    local_right_from_space,
    prismatic,
    screw,
    space_from_body,
    space_from_local_left,
    space_from_local_right,
    turn,
)

SIZE = 300.0


@st.composite
def trees(draw, most=5):
    """Space screws, absolute homes, parents and a configuration."""
    n = draw(st.integers(1, most))
    parents = [draw(st.integers(-1, i - 1)) for i in range(n)]
    homes = np.array([array(draw(motions())) for _ in range(n)])
    kinds = [draw(st.sampled_from(["revolute", "prismatic", "helical"])) for _ in range(n)]
    screws = []
    for kind in kinds:
        s, c = draw(directions()), draw(numbers(3))
        screws.append(prismatic(s) if kind == "prismatic" else screw(s, c, 0.3 if kind == "helical" else 0.0))
    return np.array(screws), homes, parents, draw(numbers(n))


def path(parents, i):
    return [*path(parents, parents[i]), i] if i >= 0 else []


def exp(S, q):
    return array(twist(S).exp(q)) if S.any() else np.eye(4)


def space_product(screws, homes, parents, q, i):
    T = np.eye(4)
    for k in path(parents, i):
        T = T @ exp(screws[k], q[k])
    return T @ homes[i]


@given(trees())
def test_local_left(tree):
    screws, homes, parents, q = tree
    P, M = local_left_from_space(screws, homes, parents)
    T = np.eye(4)
    last = len(parents) - 1
    for k in path(parents, last):
        T = T @ exp(P[k], q[k]) @ M[k]
    assert close(T, space_product(screws, homes, parents, q, last), 1e3 * EPS, scale=SIZE)
    back, absolute = space_from_local_left(P, M, parents)
    assert close(back, screws, 1e3 * EPS, scale=SIZE)
    assert close(absolute, homes, 1e3 * EPS, scale=SIZE)


@given(trees())
def test_local_right(tree):
    screws, homes, parents, q = tree
    S, M = local_right_from_space(screws, homes, parents)
    T = np.eye(4)
    last = len(parents) - 1
    for k in path(parents, last):
        T = T @ M[k] @ exp(S[k], q[k])
    assert close(T, space_product(screws, homes, parents, q, last), 1e3 * EPS, scale=SIZE)
    back, absolute = space_from_local_right(S, M, parents)
    assert close(back, screws, 1e3 * EPS, scale=SIZE)
    assert close(absolute, homes, 1e3 * EPS, scale=SIZE)


@given(trees(), motions())
def test_body(tree, tool):
    screws, _, _, q = tree
    M = array(tool)
    B = body_from_space(screws, M)
    left, right = np.eye(4), M
    for A_i, B_i, x in zip(screws, B, q, strict=True):
        left, right = left @ exp(A_i, x), right @ exp(B_i, x)
    assert close(right, left @ M, 1e3 * EPS, scale=SIZE)
    assert close(space_from_body(B, M), screws, 1e3 * EPS, scale=SIZE)


@given(trees(most=4))
def test_the_local_right_form_is_that_of_the_tree(tree):
    screws, homes, parents, _ = tree
    m = mechanism(screws, homes, [Link(1.0, inertia=(1, 1, 1))] * len(parents), parents)
    S, M = local_right_from_space(m.screws, m.homes, m.parents)
    for i, body in enumerate(m.tree.bodies):
        assert close(array(body.S), S[i], ROUNDING, scale=SIZE)
        assert close(array(body.M), M[i], ROUNDING, scale=SIZE)


def test_serial_is_the_default():
    screws, homes = [screw([0, 0, 1])] * 3, [np.eye(4)] * 3
    for f in (local_left_from_space, local_right_from_space, space_from_local_left, space_from_local_right):
        assert all(np.array_equal(x, y) for x, y in zip(f(screws, homes), f(screws, homes, [-1, 0, 1]), strict=True))


def test_screws():
    assert np.array_equal(screw([0, 0, 2]), [0, 0, 1, 0, 0, 0])
    assert np.array_equal(screw([0, 0, 1], [1, 2, 3]), [0, 0, 1, 2, -1, 0])
    assert np.array_equal(screw([0, 0, 1], [1, 2, 3], 0.5), [0, 0, 1, 2, -1, 0.5])
    assert np.array_equal(prismatic([0, -3, 0]), [0, 0, 0, 0, -1, 0])
    unit = np.array([1.0, 2.0, 3.0]) / math.sqrt(14.0)
    assert np.array_equal(direction(unit), unit)
    assert np.array_equal(direction(direction(unit * 7.0)), direction(unit * 7.0))
    assert not np.signbit(screw([-0.0, 0.0, 1.0])).any()


@given(directions(), numbers(3), st.floats(-1.0, 1.0))
def test_a_screw_moves_its_point_along_its_axis(s, c, pitch):
    S = screw(s, c, pitch)
    assert close(S[3:] + np.cross(S[:3], c), pitch * s, ROUNDING, scale=10.0)  # the velocity of the point


@pytest.mark.parametrize("axis", range(3))
def test_turns(axis):
    for quarters in range(-9, 10):
        R = turn(axis, quarters * math.pi / 2)
        assert set(R.ravel()) <= {-1.0, 0.0, 1.0} and not np.signbit(R[R == 0.0]).any()
        assert np.array_equal(R, np.linalg.matrix_power(np.rint(turn(axis, math.pi / 2)), quarters % 4))
    e = np.eye(3)[axis]
    assert close(turn(axis, 0.7), array(SE3.exp(twist([*(0.7 * e), 0, 0, 0])).R), ROUNDING)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: screw([0, 0, 0]), r"axis needs a direction, got \[0.0, 0.0, 0.0\]"),
        (lambda: screw([0, 0]), r"axis must have shape \(3,\), got \(2,\)"),
        (lambda: screw([0, 0, 1], [0, 0]), r"point must have shape \(3,\), got \(2,\)"),
        (lambda: screw([0, 0, math.nan]), "axis has a nan or an infinity"),
        (lambda: screw([0, 0, 1], pitch=math.inf), "the pitch of a screw must be finite"),
        (lambda: prismatic("x"), "axis must be real numbers"),
        (lambda: space_from_body(np.zeros((2, 5)), np.eye(4)), r"screws must have shape \(n, 6\), got \(2, 5\)"),
        (lambda: space_from_body(np.zeros((2, 6)), np.eye(3)), r"home must have shape \(4, 4\), got \(3, 3\)"),
        (lambda: space_from_local_left(np.zeros((2, 6)), [np.eye(4)]), "2 screws for 1 homes"),
        (lambda: space_from_local_left(np.zeros((1, 6)), [np.eye(4)], [0]), "link 0: parent 0 must be -1"),
        (lambda: space_from_local_left(np.zeros((1, 6)), [np.eye(4)], [-1, 0]), "parents has 2 entries for 1 links"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ModelError, match=message):
        call()


def test_nothing_is_something():
    assert space_from_body([], np.eye(4)).shape == (0, 6)
    assert [x.shape for x in space_from_local_right([], [])] == [(0, 6), (0, 4, 4)]
