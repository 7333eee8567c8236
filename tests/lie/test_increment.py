"""Small motions kept as R - 1 and p: the group, and full relative precision however small they are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.fifty_digits import precise
from support.motions import array, motions, numbers, twists
from support.tolerances import EPS, ROUNDING, close

from chasles.lie import SE3, Mat3, Twist, Vec3
from chasles.lie.increment import Increment

SIZE = 30.0
small = st.integers(0, 12).map(lambda k: 10.0**-k)


def flat(W):
    """R - 1 and p, as a list."""
    return [*(x for row in W.D for x in row), *W.p]


def moved(V):
    return flat(Increment.exp(Twist(Vec3(*V[:3]), Vec3(*V[3:]))))


def two(V):
    A, B = (Increment.exp(Twist(Vec3(*V[k : k + 3]), Vec3(*V[k + 3 : k + 6]))) for k in (0, 6))
    return flat(A @ B)


@given(twists(most=3.0))
def test_it_is_the_motion_of_its_twist(V):
    W = Increment.exp(V)
    assert close(array(W.motion()), array(SE3.exp(V)), ROUNDING, scale=SIZE)
    assert close([[*row] for row in W.D], array(SE3.exp(V))[:3, :3] - np.eye(3), ROUNDING, scale=1.0)


@given(twists(most=3.0), twists(most=3.0), motions())
def test_products_and_changes_of_frame(V, U, T):
    A, B = Increment.exp(V), Increment.exp(U)
    assert close(array((A @ B).motion()), array(A.motion()) @ array(B.motion()), ROUNDING, scale=SIZE)
    seen = array(T.inv()) @ array(A.motion()) @ array(T)
    assert close(array(A.seen_from(T).motion()), seen, 4 * ROUNDING, scale=SIZE)
    assert close(array((A @ Increment.identity()).motion()), array(A.motion()), 0.0)


@given(numbers(12), small)
def test_nothing_is_lost_as_motions_shrink(x, s):
    """Against fifty digits: errors are relative to the small numbers themselves, not to 1."""
    V = [s * a for a in x]
    for f, of in ((moved, V[:6]), (two, V)):
        exact = [float(y) for y in precise(f, of)]
        assert close(f(of), exact, ROUNDING, scale=s * EPS)


def test_screws_and_gears():
    slide = Increment.screw(Twist(Vec3.zero(), Vec3(0.0, 0.0, 2.0)), 0.3)
    assert flat(slide) == [0.0] * 11 + [0.6]
    for axis in ((0.0, 0.0, 1.0), (0.0, 0.0, 3.0), (0.3, -0.7, 1.2)):
        S = Twist(Vec3(*axis), Vec3(0.1, 0.2, 0.3))
        assert close(array(Increment.screw(S, 0.2).motion()), array(S.exp(0.2)), ROUNDING)


def test_the_way_back():
    """R^T - 1 = (R - 1)^T, and R^T p = p + (R - 1)^T p."""
    W = Increment.exp(Twist(Vec3(0.3, -0.2, 0.4), Vec3(1.0, 2.0, -0.5)))
    back = array(W.motion().inv())
    one = Mat3(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
    assert close([[*row] for row in W.D.T + one], back[:3, :3], ROUNDING)
    assert close([*(W.p + W.D.T.dot(W.p))], -back[:3, 3], ROUNDING)
