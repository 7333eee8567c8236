"""Paths on SE(3): invariances, derivatives, ends, least costs, oracles."""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.spatial.transform import Rotation, RotationSpline, Slerp
from support.motions import Ad, array, hat, motions, twists
from support.tolerances import EXACT, FINITE_DIFFERENCE, FLOAT64, close, small

import chasles as ch
from chasles import paths

DRAWN = np.random.default_rng(5).normal(size=(9, 6))
T0, T1, G, P0, P1 = (expm(hat(x)) for x in DRAWN[[0, 1, 2, 7, 8]])
V0, V1, A0, A1 = DRAWN[3:7]
VIA, TIMES = np.stack([T0, P0, P1, T1]), np.array([0.0, 0.7, 1.1, 2.0])
SPAN, HERE = 2.0, np.eye(4)
KINDS: dict[str, Callable[..., paths.Path]] = {
    "linear screw": lambda g=HERE: paths.screw(g @ T0, g @ T1, SPAN, "linear"),
    "cubic screw": lambda g=HERE: paths.screw(g @ T0, g @ T1, SPAN, "cubic"),
    "quintic screw": lambda g=HERE: paths.screw(g @ T0, g @ T1, SPAN),
    "geodesic": lambda g=HERE: paths.geodesic(g @ T0, g @ T1, SPAN),
    "acceleration": lambda g=HERE: paths.minimum_acceleration(g @ T0, g @ T1, V0, V1, SPAN),
    "jerk": lambda g=HERE: paths.minimum_jerk(g @ T0, g @ T1, V0, V1, A0, A1, SPAN),
    "through": lambda g=HERE: paths.through(g @ VIA, TIMES, V0, V1),
    "through, jerk": lambda g=HERE: paths.through(g @ VIA, TIMES, V0, V1, A0, A1, minimum="jerk"),
    "joined": lambda g=HERE: paths.screw(g @ T0, g @ G, 0.8) + paths.minimum_jerk(g @ G, g @ T1, duration=1.2),
    "reversed": lambda g=HERE: paths.minimum_acceleration(g @ T1, g @ T0, V0, V1, SPAN).reversed(),
}


@cache
def made(kind: str) -> paths.Path:
    return KINDS[kind]()


each = pytest.mark.parametrize("kind", KINDS)


@given(motions(), motions(), motions(), st.floats(0.0, 1.0))
def test_screws_and_geodesics_from_anywhere_to_anywhere(A: Any, B: Any, C: Any, t: float) -> None:
    """Near and at the same pose, and half a turn away, too."""
    T0, T1, G = array(A), array(B), array(C)
    for make in (paths.screw, paths.geodesic):
        path = make(T0, T1, scaling="cubic")
        close(path.end, T1, 1e-12, scale=10.0)
        turn = np.linalg.norm(path.velocity(0.5)[:3]) / 1.5
        assert turn <= np.pi + 1e-12
        if turn < np.pi - 1e-6:  # else the axis may flip
            close(make(G @ T0, G @ T1, scaling="cubic")(t), G @ path(t), 1e-8, scale=10.0)


@settings(max_examples=25, deadline=None)
@given(motions(), motions(), twists(), twists())
def test_least_acceleration_from_anywhere_to_anywhere(A: Any, B: Any, V: Any, W: Any) -> None:
    T0, T1, V0, V1 = array(A), array(B), array(V), array(W)
    path = paths.minimum_acceleration(T0, T1, V0, V1)
    close(path.end, T1, 1e-10, scale=10.0)
    close(path.velocity([0.0, 1.0]), [V0, V1], 1e-9, scale=10.0)
    at = path.motion(np.linspace(0.0, 1.0, 5))
    torque = np.einsum("tij,tj->ti", at.pose[:, :3, :3], at.jerk[:, :3])
    close(torque, np.broadcast_to(torque[0], torque.shape), 1e-8, scale=10.0)


@each
def test_ends(kind: str) -> None:
    path = made(kind)
    assert path.duration == SPAN and path.batch == ()
    close(path.start, T0, EXACT, scale=10.0)
    close(path.end, T1, FLOAT64)
    close(np.linalg.det(path(np.linspace(0, SPAN, 20))[:, :3, :3]), np.ones(20), EXACT)


@each
def test_velocity_acceleration_and_jerk_are_derivatives(kind: str) -> None:
    path, h = made(kind), 2e-5
    t = np.linspace(0.03, SPAN - 0.03, 37)
    t = t[np.abs(t[:, None] - path.knots[1:-1]).min(axis=1, initial=1.0) > 2 * h]
    at, after, before = path.motion(t), path.motion(t + h), path.motion(t - h)
    slope = (after.pose - before.pose) / (2 * h)
    close(slope, at.pose @ np.stack([hat(V) for V in at.velocity]), FINITE_DIFFERENCE, scale=1.0)
    close(at.acceleration, (after.velocity - before.velocity) / (2 * h), FINITE_DIFFERENCE, scale=1.0)
    close(at.jerk, (after.acceleration - before.acceleration) / (2 * h), FINITE_DIFFERENCE, scale=10.0)
    for name in ("velocity", "acceleration", "jerk"):
        close(getattr(path, name)(t), getattr(at, name), 0.0)


@each
def test_the_space_frame_does_not_matter(kind: str) -> None:
    t = np.linspace(0.0, SPAN, 9)
    moved, path = KINDS[kind](G).motion(t), made(kind).motion(t)
    close(moved.pose, G @ path.pose, 1e-12)
    for x, y in zip(moved[1:], path[1:], strict=True):
        close(x, y, FLOAT64)


def test_a_screw_does_not_depend_on_the_body_frame() -> None:
    t = np.linspace(0.0, 1.0, 7)
    path, moved = paths.screw(T0, T1), paths.screw(T0 @ G, T1 @ G)
    close(moved(t), path(t) @ G, 1e-13)
    close(moved.velocity(t), path.velocity(t) @ Ad(np.linalg.inv(G)).T, 1e-13)
    turned = np.eye(4)
    turned[:3, :3] = G[:3, :3]  # the others: not on the body's axes
    for make in (paths.geodesic, paths.minimum_acceleration, paths.minimum_jerk):
        close(make(T0 @ turned, T1 @ turned)(t), make(T0, T1)(t) @ turned, 1e-12)


def test_reversal() -> None:
    t = np.linspace(0.0, SPAN, 9)
    for make, back in (
        (made("quintic screw"), paths.screw(T1, T0, SPAN)),
        (made("geodesic"), paths.geodesic(T1, T0, SPAN)),
        (made("acceleration"), paths.minimum_acceleration(T1, T0, -V1, -V0, SPAN)),
        (made("jerk"), paths.minimum_jerk(T1, T0, -V1, -V0, A1, A0, SPAN)),
        (made("through"), paths.through(VIA[::-1], SPAN - TIMES[::-1], -V1, -V0)),
    ):
        for x, y in zip(make.reversed().motion(t), back.motion(t), strict=True):
            close(x, y, 1e-9)
        assert make.reversed().reversed() is make
        close(make.reversed().cost(), make.cost(), 1e-12)


def test_given_velocities_and_accelerations() -> None:
    for kind in ("acceleration", "jerk", "through", "through, jerk"):
        path = made(kind)
        close(path.velocity([0.0, SPAN]), [V0, V1])
        if "jerk" in kind:
            close(path.acceleration([0.0, SPAN]), [A0, A1])


def test_from_rest_to_rest_they_are_geodesics_in_time() -> None:
    t = np.linspace(0.0, SPAN, 11)
    for path, scaling in (
        (paths.minimum_acceleration(T0, T1, duration=SPAN), "cubic"),
        (paths.minimum_jerk(T0, T1, duration=SPAN), "quintic"),
    ):
        for x, y in zip(path.motion(t), paths.geodesic(T0, T1, SPAN, scaling).motion(t), strict=True):
            close(x, y, 1e-11)


def test_least_energy() -> None:
    """A geodesic at constant speed, the squared length over the time."""
    turn, way = np.linalg.norm(Rotation.from_matrix(T0[:3, :3].T @ T1[:3, :3]).as_rotvec()), T1[:3, 3] - T0[:3, 3]
    path = paths.geodesic(T0, T1, SPAN, "linear")
    close(path.cost(1, 3.0, 5.0), (3.0 * turn**2 + 5.0 * way @ way) / SPAN, 1e-13)
    assert paths.screw(T0, T1, SPAN, "linear").cost(1) > path.cost(1)


def test_slerp() -> None:
    s = np.linspace(0.0, 1.0, 9)
    expected = Slerp([0.0, 1.0], Rotation.from_matrix([T0[:3, :3], T1[:3, :3]]))(s).as_matrix()
    for make in (paths.screw, paths.geodesic):
        close(make(T0, T1, 1.0, "linear")(s)[:, :3, :3], expected, 1e-13)


def test_equation_of_least_acceleration() -> None:
    """R w'' is constant, and w''' + w x w'' = 0 integrated by another method leads to the end."""
    path = made("acceleration")
    at = path.motion(np.linspace(0.0, SPAN, 9))
    torque = np.einsum("tij,tj->ti", at.pose[:, :3, :3], at.jerk[:, :3])
    close(torque, np.broadcast_to(torque[0], torque.shape), 1e-11)

    def slope(t: float, y: Any) -> Any:
        R, w, wd, wdd = y[:9].reshape(3, 3), y[9:12], y[12:15], y[15:]
        return np.concatenate([(R @ hat(np.append(w, [0, 0, 0]))[:3, :3]).ravel(), wd, wdd, -np.cross(w, wdd)])

    begin = np.concatenate([T0[:3, :3].ravel(), V0[:3], at.acceleration[0, :3], at.jerk[0, :3]])
    y = solve_ivp(slope, (0.0, SPAN), begin, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    close(y[:9].reshape(3, 3), T1[:3, :3], 1e-9)
    close(y[9:12], V1[:3], 1e-9)


def test_equation_of_least_jerk() -> None:
    """The equation as [ZefranKumarCroke1998] print it, of derivatives fitted to samples."""
    path = made("jerk")
    x = np.polynomial.Chebyshev.interpolate(lambda t: path.velocity(t)[:, 0], 40, (0.0, SPAN))
    fits = [
        np.polynomial.Chebyshev.interpolate(lambda t, k=k: path.velocity(t)[:, k], 40, (0.0, SPAN)) for k in range(3)
    ]
    assert close(x(0.3), path.velocity(0.3)[0])
    for t in (0.4, 1.0, 1.6):
        w, d1, d2, d3, d4, d5 = (np.array([f.deriv(k)(t) if k else f(t) for f in fits]) for k in range(6))
        c = np.cross
        terms = [
            d5,
            2.0 * c(w, d4),
            1.25 * c(w, c(w, d3)),
            2.5 * c(d1, d3),
            0.25 * c(w, c(w, c(w, d2))),
            1.5 * c(w, c(d1, d2)),
            -c(c(w, d2), d1),
            -0.25 * c(c(w, d1), d2),
            -0.375 * c(w, c(c(w, d1), d1)),
            -0.125 * c(c(w, c(w, d1)), d1),
        ]
        close(np.sum(terms, axis=0), np.zeros(3), 1e-6, scale=np.abs(terms).max())


@pytest.mark.parametrize(("kind", "order"), [("acceleration", 2), ("jerk", 3)])
def test_no_neighbour_is_better(kind: str, order: int) -> None:
    """Turned by eps h(t), with h and its first derivatives zero at the ends, the cost grows with eps^2."""
    path = made(kind)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    t, weights = SPAN * (nodes + 1) / 2, SPAN * weights / 2
    bump = np.polynomial.Polynomial([0, 1, -1 / SPAN]) ** 3
    rng = np.random.default_rng(0)
    for _ in range(3):
        bend = [bump * np.polynomial.Polynomial(rng.normal(size=4)) for _ in range(3)]

        def cost(eps: float, bend: Any = bend) -> float:
            def w(s: Any) -> Any:
                h, hd = (np.stack([(b.deriv(k) if k else b)(s) for b in bend], -1) * eps for k in (0, 1))
                R = Rotation.from_rotvec(h)
                angle = np.linalg.norm(h, axis=-1, keepdims=True) + 1e-300
                u = h / angle
                across = hd - u * (u * hd).sum(-1, keepdims=True)
                left = hd - across + across * np.sinc(angle / np.pi) - np.cross(u, hd) * (1 - np.cos(angle)) / angle
                return R.inv().apply(path.velocity(s)[:, :3]) + left

            fits = [np.polynomial.Chebyshev.interpolate(lambda s, k=k: w(s)[:, k], 45, (0.0, SPAN)) for k in range(3)]
            w0, w1, w2 = (np.stack([f.deriv(k)(t) if k else f(t) for f in fits], -1) for k in range(3))
            D = w1 if order == 2 else w2 + np.cross(w0, w1) / 2
            return float((D**2).sum(-1) @ weights)

        eps = 1e-3
        least, plus, minus = cost(0.0), cost(eps), cost(-eps)
        close(least, path.cost(order, 1.0, 0.0), 1e-9)
        second = (plus + minus - 2 * least) / eps**2
        assert second > 0.0 and abs(plus - minus) / (2 * eps) < 1e-4 * eps * second + 1e-6 * least


def test_least_among_paths_with_the_same_ends() -> None:
    assert paths.minimum_acceleration(T0, T1).cost(2) < paths.screw(T0, T1, scaling="cubic").cost(2)
    assert paths.minimum_jerk(T0, T1).cost(3) < paths.screw(T0, T1, scaling="quintic").cost(3)
    assert made("acceleration").cost(2) < paths.minimum_jerk(T0, T1, V0, V1, A0, A1, SPAN).cost(2)
    ends = made("acceleration").acceleration([0.0, SPAN])
    assert paths.minimum_jerk(T0, T1, V0, V1, *ends, SPAN).cost(3) < made("acceleration").cost(3)


def test_cost_and_duration() -> None:
    for order, make in ((2, paths.minimum_acceleration), (3, paths.minimum_jerk)):
        close(make(T0, T1, duration=2.0).cost(order), make(T0, T1).cost(order) / 2.0 ** (2 * order - 1), 1e-11)
        path = make(T0, T1, V0, V1)
        total, slow = path.cost(order, 2.0, 3.0), make(T0, T1, V0 / 3.0, V1 / 3.0, duration=3.0)
        close(total, 2.0 * path.cost(order, 1.0, 0.0) + 3.0 * path.cost(order, 0.0, 1.0), 1e-13)
        close(slow(np.linspace(0.0, 3.0, 5)), path(np.linspace(0.0, 1.0, 5)), 1e-10)


@pytest.mark.parametrize("kind", ["quintic screw", "geodesic", "acceleration", "jerk"])
def test_cost_of_the_origin(kind: str) -> None:
    """Its linear part, from derivatives of the origin's position."""
    path = made(kind)
    x, weights = np.polynomial.legendre.leggauss(40)
    t, weights = SPAN * (x + 1) / 2, SPAN * weights / 2
    fits = [np.polynomial.Chebyshev.interpolate(lambda s, k=k: path(s)[:, k, 3], 30, (0.0, SPAN)) for k in range(3)]
    for order in (1, 2, 3):
        expected = sum(float(f.deriv(order)(t) ** 2 @ weights) for f in fits)
        close(path.cost(order, 0.0, 1.0), expected, 1e-7)


def test_batches_one_after_another() -> None:
    ends = np.stack([T1, G])
    both = paths.screw(T0, ends) + paths.geodesic(ends, T0)
    assert both.batch == (2,)
    close(both([0.4, 1.4])[1], [paths.screw(T0, G)(0.4), paths.geodesic(G, T0)(0.4)], EXACT, scale=10.0)
    close(both.reversed()(0.6), both(1.4), EXACT, scale=10.0)


@pytest.mark.parametrize(("minimum", "kind"), [("acceleration", "acceleration"), ("jerk", "jerk")])
def test_a_path_through_its_own_poses_is_itself(minimum: Any, kind: str) -> None:
    path, times = made(kind), np.array([0.0, 0.5, 1.2, SPAN])
    ends = (V0, V1) if kind == "acceleration" else (V0, V1, A0, A1)
    again, t = paths.through(path(times), times, *ends, minimum=minimum), np.linspace(0.0, SPAN, 15)
    for x, y in zip(again.motion(t), path.motion(t), strict=True):
        close(x, y, 1e-8)


def test_through() -> None:
    for kind, continuous in (("through", 3), ("through, jerk", 4)):
        path = made(kind)
        close(path(TIMES), VIA, 1e-12)
        for t in TIMES[1:-1]:
            after, before = path.motion(t), path.motion(t - 1e-9)
            for x, y in zip(after[:continuous], before[:continuous], strict=True):
                close(x, y, 1e-6)
    held = sum(
        (paths.minimum_acceleration(*VIA[k : k + 2], duration=d) for k, d in ((1, 0.4), (2, 0.9))),
        start=paths.minimum_acceleration(*VIA[:2], duration=0.7),
    )
    assert paths.through(VIA, TIMES).cost() < 0.5 * held.cost()
    two = paths.through(VIA[[0, -1]], [0.0, SPAN], V0, V1)
    close(two(np.linspace(0, SPAN, 5)), made("acceleration")(np.linspace(0, SPAN, 5)), EXACT, scale=10.0)


def test_better_than_a_spline_of_rotation_vectors() -> None:
    spline = RotationSpline(TIMES, Rotation.from_matrix(VIA[:, :3, :3]))
    ends = np.zeros((2, 6))
    ends[:, :3] = spline([0.0, SPAN], 1)
    ours = paths.through(VIA, TIMES, *ends)
    x, weights = np.polynomial.legendre.leggauss(30)
    pieces = [(a + (b - a) * (x + 1) / 2, weights * (b - a) / 2) for a, b in pairwise(TIMES)]
    theirs = sum(float((spline(t, 2) ** 2).sum(-1) @ w) for t, w in pieces)
    assert theirs * 0.7 < ours.cost(2, 1.0, 0.0) < theirs
    turned = Rotation.from_matrix(ours(0.9)[:3, :3].T) * spline(0.9)
    assert turned.magnitude() < 0.2


def test_one_after_another() -> None:
    a, b = paths.screw(T0, G, 0.8), paths.geodesic(G, T1, 1.2)
    both = a + b
    t = np.array([[0.0, 0.3], [0.8, 1.7]])
    close(both(t), [[a(0.0), a(0.3)], [b(0.0), b(0.9)]], EXACT, scale=10.0)
    close(both.velocity(1.7), b.velocity(0.9), EXACT, scale=10.0)
    close(both.cost(), a.cost() + b.cost(), 1e-13)
    with pytest.raises(ch.ModelError, match="the second path does not start where the first ends"):
        b + a
    with pytest.raises(TypeError):
        a + 3  # type: ignore[operator]


@each
def test_it_rests_outside(kind: str) -> None:
    path = made(kind)
    close(path([-1.0, SPAN + 1.0]), [path.start, path.end], 0.0)
    for f in (path.velocity, path.acceleration, path.jerk):
        assert not f([-0.1, SPAN + 0.1]).any()
    close(path.velocity(SPAN * (1 + 1e-12)), path.velocity(SPAN), 0.0)


@pytest.mark.parametrize("make", [paths.screw, paths.geodesic, paths.minimum_acceleration, paths.minimum_jerk])
def test_batches(make: Any) -> None:
    A, B = np.stack([T0, G, T1]), np.stack([T1, T0])[:, None]
    path, t = make(A, B, duration=SPAN), np.linspace(0.0, SPAN, 8).reshape(4, 2)
    assert path.batch == (2, 3) and path(t).shape == (2, 3, 4, 2, 4, 4) and path.velocity(0.1).shape == (2, 3, 6)
    assert path.cost().shape == (2, 3)
    for i, j in ((0, 1), (1, 2), (0, 2)):
        one = make(A[j], B[i, 0], duration=SPAN)
        for x, y in zip(path.motion(t), one.motion(t), strict=True):
            close(x[i, j], y, 1e-11, scale=1.0)


@pytest.mark.parametrize("make", [paths.screw, paths.geodesic, paths.minimum_acceleration, paths.minimum_jerk])
def test_no_paths_and_no_times(make: Any) -> None:
    none = make(np.zeros((0, 4, 4)), T1)
    assert none(0.3).shape == (0, 4, 4) and none.cost().shape == (0,)
    assert make(T0, T1)(np.zeros((0, 2))).shape == (0, 2, 4, 4)


@pytest.mark.parametrize("make", [paths.screw, paths.geodesic, paths.minimum_acceleration, paths.minimum_jerk])
def test_poses_that_are_the_same(make: Any) -> None:
    path = make(T0, T0)
    t = np.linspace(0.0, 1.0, 5)
    close(path(t), np.broadcast_to(T0, (5, 4, 4)), EXACT)
    assert small(path.velocity(t), 1e-14) and path.cost() < 1e-25


def test_out_and_back() -> None:
    """From a pose to itself with a velocity: a loop."""
    path = paths.minimum_acceleration(T0, T0, V0, V0)
    close(path.end, T0, FLOAT64)
    assert path.cost() > 1.0


@pytest.mark.parametrize("make", [paths.screw, paths.geodesic, paths.minimum_acceleration, paths.minimum_jerk])
@pytest.mark.parametrize("short", [0.0, 1e-12, 1e-8, 1e-4])
def test_half_a_turn(make: Any, short: float) -> None:
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    end = T0 @ expm(hat(np.append((np.pi - short) * axis, [0.1, 0.2, 0.3])))
    path = make(T0, end)
    close(path.end, end, 1e-12)
    t, w = np.linspace(0.0, 1.0, 101), path.velocity(np.linspace(0.0, 1.0, 101))[:, :3]
    close(np.trapezoid(np.linalg.norm(w, axis=-1), t), np.pi - short, 1e-3)
    close(np.abs(w[50] @ axis), np.linalg.norm(w[50]), 1e-7)


@pytest.mark.parametrize("size", [3.0, 6.0])
def test_fast_ends(size: float) -> None:
    path = paths.minimum_acceleration(T0, T1, size * V0, -size * V1)
    close(path.velocity([0.0, 1.0]), [size * V0, -size * V1], 1e-9)
    close(path.end, T1, 1e-9)


SCALED = np.diag([2.0, 1.0, 1.0, 1.0])
MIRROR = np.diag([-1.0, 1.0, 1.0, 1.0])
ROW = np.eye(4) + np.outer([0, 0, 0, 1], [0.5, 0, 0, 0])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: paths.screw(SCALED, T1), ch.ModelError, "T0 is not a rigid motion: rotation off by 3, last row"),
        (lambda: paths.screw(T0, MIRROR), ch.ModelError, "T1 is not a rigid motion: it is a reflection"),
        (lambda: paths.geodesic(T0, ROW), ch.ModelError, r"T1 is not .* last row \[0.5, 0.0, 0.0, 1.0\]"),
        (lambda: paths.minimum_jerk([T0, SCALED], T1), ch.ModelError, r"T0 is not a rigid motion.*, at \(1,\)"),
        (lambda: paths.screw(np.eye(3), T1), ch.ShapeError, r"T0 must have shape \(..., 4, 4\), got \(3, 3\)"),
        (lambda: paths.screw(T0, "x"), ch.ShapeError, "T1 must be real numbers"),
        (lambda: paths.screw(T0, T1 * np.nan), ch.ModelError, "T1 has a nan"),
        (lambda: paths.screw(T0, T1, 0.0), ch.ModelError, "duration must be a positive number of seconds, got 0.0"),
        (lambda: paths.screw(T0, T1, scaling="septic"), ch.ModelError, "scaling must be one of linear, cubic, quintic"),
        (lambda: paths.screw(np.stack([T0] * 2), np.stack([T1] * 3)), ch.ShapeError, "leading axes do not broadcast"),
        (lambda: paths.minimum_acceleration(T0, T1, [1.0]), ch.ShapeError, r"V0 must have shape \(..., 6\)"),
        (lambda: paths.minimum_jerk(T0, T1, A1=np.full(6, np.inf)), ch.ModelError, "A1 has a nan or an infinity"),
        (lambda: paths.through(T0, [0.0]), ch.ShapeError, r"poses must have shape \(..., K, 4, 4\)"),
        (lambda: paths.through(VIA, [0.0, 1.0]), ch.ShapeError, r"times must have shape \(4,\)"),
        (lambda: paths.through(VIA, [0.0, 1.0, 1.0, 2.0]), ch.ModelError, "times must increase from 0"),
        (lambda: paths.through(VIA, [0.1, 1.0, 1.5, 2.0]), ch.ModelError, "times must increase from 0"),
        (lambda: paths.through(VIA, [-0.1, 1.0, 1.5, 2.0]), ch.ModelError, "times must increase from 0"),
        (lambda: paths.through(VIA, TIMES, minimum="snap"), ch.ModelError, "minimum must be"),
        (lambda: paths.through(VIA, TIMES, A0=A0), ch.ModelError, "for minimum='jerk' only"),
        (lambda: made("geodesic").cost(4), ch.ModelError, "order must be one of 1, 2, 3"),
        (lambda: made("geodesic")("x"), ch.ShapeError, "t must be real numbers"),
        (lambda: made("geodesic")(np.nan), ch.ModelError, "t has a nan"),
        (lambda: paths.screw(T0, T1) + paths.screw([T1], T0), ch.ModelError, "cannot follow each other"),
        (lambda: paths.minimum_jerk(T0, T1, 3000 * V0), ch.ModelError, "no path of least cost was found"),
    ],
)
def test_refusals(call: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        call()


def test_rotations_are_made_orthonormal(rng: np.random.Generator) -> None:
    rough = T0 + 1e-8 * rng.normal(size=(4, 4)) * (np.arange(4) < 3)[:, None]
    R = paths.screw(rough, T1)(0.0)[:3, :3]
    close(R.T @ R, np.eye(3), EXACT)


def test_repr() -> None:
    assert repr(made("jerk")) == "<Minimum path: 2 s>"
    assert repr(paths.screw(T0, np.stack([T1] * 3))) == "<Screw path: 1 s, (3,) of them>"
