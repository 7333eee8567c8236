"""The error of a pose on SE(3), by the logarithm, and the motion that makes it linear.

T, V = J qd are the pose and body twist of a frame, T_d, V_d, A_d those wanted, with A = dV/dt:

    E = T_d^-1 T,   xi = log E,   X = Ad(E^-1) V_d,   V_e = V - X                 (1)
    V_e = dexp_{-xi} xi'                                                          (2)
    dX/dt = Ad(E^-1) A_d + [X, V_e]                                               (3)

X is the velocity wanted, carried to the frame where it is: V_e is the body velocity of E. So

    V     = X + dexp_{-xi} xi'                                                    (4)
    dV/dt = dX/dt + dexp_{-xi} xi'' + (d dexp_{-xi} / dt) xi'                     (5)

give any xi' or xi'' that is asked for, exactly, while E turns by less than half a turn. The potential xi^T K xi / 2
changes at the rate <F, V_e> with

    F = dexp_{-xi}^-T K xi                                                        (6)

Where the task is the frame's origin alone, its turning is left out: with e = p - p_d in space axes

    v = R^T (p_d' - K e),   v' = R^T (p_d'' - K_d e' - K_p e) - w x v             (7)
    V_e = (0, R^T e'),   F = (0, R^T K e),   of the potential e^T K e / 2         (8)

All are the same in any space frame; (1) to (5) are the same for any choice of the body frame, if K is carried along.
[BulloMurray1999]
"""

from __future__ import annotations

from functools import cache
from typing import Any

from chasles import arrays
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.lie import SE3, SO3, Mat3, Twist, Vec3
from chasles.scalar.dual import Dual


@cache
def pose_error() -> Kernel:
    """T_d, V_d, T, V -> xi, its rate, and X."""

    def error(T_d: Any, V_d: Any, T: Any, V: Any) -> Any:
        xi, X, V_e = _error(T_d, V_d, T, V)
        return {"xi": xi, "rate": (-xi).dexp_inv(V_e), "carried": X}

    return compile(error, T_d=(4, 4), V_d=6, T=(4, 4), V=6)


@cache
def linear_velocity() -> Kernel:
    """T_d, V_d, T, K -> V of (4) with xi' = -K xi."""

    def velocity(T_d: Any, V_d: Any, T: Any, K: Any) -> Any:
        xi, X, _ = _error(T_d, V_d, T, V_d)
        return X + (-xi).dexp(_times(K, xi, -1.0))  # (4)

    return compile(velocity, T_d=(4, 4), V_d=6, T=(4, 4), K=(6, 6))


@cache
def linear_acceleration() -> Kernel:
    """T_d, V_d, A_d, T, V, K_p, K_d -> dV/dt of (5) with xi'' = -K_d xi' - K_p xi."""

    def acceleration(T_d: Any, V_d: Any, A_d: Any, T: Any, V: Any, K_p: Any, K_d: Any) -> Any:
        xi, X, V_e = _error(T_d, V_d, T, V)
        rate = (-xi).dexp_inv(V_e)  # (2)
        wanted = _times(K_p, xi, -1.0) + _times(K_d, rate, -1.0)
        moving = [Dual(x, dx) for x, dx in zip(arrays.from_twist(-xi), arrays.from_twist(-rate), strict=True)]
        moved = arrays.from_twist(arrays.twist(moving).dexp(rate))  # its derivative part: (d dexp_{-xi} / dt) xi'
        turning = arrays.twist([x.derivative for x in moved])
        return _carried_rate(T_d, A_d, T, X, V_e) + (-xi).dexp(wanted) + turning  # (5)

    return compile(acceleration, T_d=(4, 4), V_d=6, A_d=6, T=(4, 4), V=6, K_p=(6, 6), K_d=(6, 6))


@cache
def point_error() -> Kernel:
    """T_d, V_d, T, V -> (0, e) and (0, e') of (7)."""

    def error(T_d: Any, V_d: Any, T: Any, V: Any) -> Any:
        none = Vec3.zero()
        return {"xi": Twist(none, _origin(T) - _origin(T_d)), "rate": Twist(none, _sliding(T, V) - _sliding(T_d, V_d))}

    return compile(error, T_d=(4, 4), V_d=6, T=(4, 4), V=6)


@cache
def point_velocity() -> Kernel:
    """T_d, V_d, T, K -> (0, v) of (7)."""

    def velocity(T_d: Any, V_d: Any, T: Any, K: Any) -> Any:
        pull = _block(K, _origin(T) - _origin(T_d))
        return Twist(Vec3.zero(), _motion(T).R.inv() @ (_sliding(T_d, V_d) - pull))

    return compile(velocity, T_d=(4, 4), V_d=6, T=(4, 4), K=(6, 6))


@cache
def point_acceleration() -> Kernel:
    """T_d, V_d, A_d, T, V, K_p, K_d -> (0, v') of (7)."""

    def acceleration(T_d: Any, V_d: Any, A_d: Any, T: Any, V: Any, K_p: Any, K_d: Any) -> Any:
        now, wanted = arrays.twist(V), _sliding_rate(T_d, V_d, A_d)
        wanted = wanted - _block(K_d, _sliding(T, V) - _sliding(T_d, V_d)) - _block(K_p, _origin(T) - _origin(T_d))
        return Twist(Vec3.zero(), _motion(T).R.inv() @ wanted - now.w.cross(now.v))

    return compile(acceleration, T_d=(4, 4), V_d=6, A_d=6, T=(4, 4), V=6, K_p=(6, 6), K_d=(6, 6))


@cache
def potential_force() -> Kernel:
    """T_d, V_d, A_d, T, V, K_p -> X, dX/dt, V_e, F of (6), and the potential."""

    def force(T_d: Any, V_d: Any, A_d: Any, T: Any, V: Any, K_p: Any) -> Any:
        xi, X, V_e = _error(T_d, V_d, T, V)
        pull = _times(K_p, xi)
        unit = [arrays.twist([float(i == j) for j in range(6)]) for i in range(6)]
        return {
            "carried": X,
            "carried_rate": _carried_rate(T_d, A_d, T, X, V_e),
            "velocity_error": V_e,
            "force": [_dot(pull, (-xi).dexp_inv(e)) for e in unit],  # (6)
            "potential": 0.5 * _dot(pull, xi),
        }

    return compile(force, T_d=(4, 4), V_d=6, A_d=6, T=(4, 4), V=6, K_p=(6, 6))


@cache
def point_force() -> Kernel:
    """T_d, V_d, A_d, T, V, K_p -> the same for a point: X = (0, R^T p_d'), F = (0, R^T K_p e)."""

    def force(T_d: Any, V_d: Any, A_d: Any, T: Any, V: Any, K_p: Any) -> Any:
        none, into, e = Vec3.zero(), _motion(T).R.inv(), _origin(T) - _origin(T_d)
        carried, pull = into @ _sliding(T_d, V_d), _block(K_p, e)
        return {
            "carried": Twist(none, carried),
            "carried_rate": Twist(none, into @ _sliding_rate(T_d, V_d, A_d) - arrays.twist(V).w.cross(carried)),
            "velocity_error": Twist(none, arrays.twist(V).v - carried),
            "force": Twist(none, into @ pull),  # (8)
            "potential": 0.5 * pull.dot(e),
        }

    return compile(force, T_d=(4, 4), V_d=6, A_d=6, T=(4, 4), V=6, K_p=(6, 6))


def _error(T_d: Any, V_d: Any, T: Any, V: Any) -> tuple[Twist, Twist, Twist]:
    """xi, X and V_e of (1)."""
    E = _motion(T_d).inv() @ _motion(T)
    X = E.Ad_inv(arrays.twist(V_d))
    return E.log(), X, arrays.twist(V) - X


def _carried_rate(T_d: Any, A_d: Any, T: Any, X: Twist, V_e: Twist) -> Twist:
    E = _motion(T_d).inv() @ _motion(T)
    return E.Ad_inv(arrays.twist(A_d)) + X.ad(V_e)  # (3)


def _motion(T: Any) -> SE3:
    return SE3(SO3(Mat3(*(Vec3(*T[i, :3]) for i in range(3)))), Vec3(*T[:3, 3]))


def _origin(T: Any) -> Vec3:
    return Vec3(*T[:3, 3])


def _sliding(T: Any, V: Any) -> Vec3:
    """p' of a pose and its body twist."""
    return _motion(T).R @ arrays.twist(V).v


def _sliding_rate(T: Any, V: Any, A: Any) -> Vec3:
    """p'' of a pose, its body twist and that twist's derivative."""
    now = arrays.twist(V)
    return _motion(T).R @ (arrays.twist(A).v + now.w.cross(now.v))


def _block(K: Any, e: Vec3) -> Vec3:
    return Vec3(*(K[i, 3] * e.x + K[i, 4] * e.y + K[i, 5] * e.z for i in range(3, 6)))


def _times(K: Any, V: Twist, sign: float = 1.0) -> Twist:
    x = arrays.from_twist(V)
    return arrays.twist([sum((K[i, j] * x[j] for j in range(1, 6)), start=K[i, 0] * x[0]) * sign for i in range(6)])


def _dot(V: Twist, W: Twist) -> Any:
    return V.w.dot(W.w) + V.v.dot(W.v)
