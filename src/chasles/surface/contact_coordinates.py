"""Contact coordinates: the kinematics of two bodies that touch, by the forms of their surfaces [Montana 1988].

Body f touches body o. Their contact coordinates are eta = (alpha_f, alpha_o, psi), the points on the two surfaces and
the angle between the Gauss frames l_f and l_o there (surface/surface.py), whose normals are opposite:

    R_lo_lf = [R_psi 0; 0 -1],   R_psi = [c -s; -s -c],   c = cos psi, s = sin psi        (1)
    g_of = g_o_lo R_lo_lf g_f_lf^-1                                               (2)

The twist of f relative to o, in l_f, is linear in the rates, J d(eta)/dt, with R_o = [0 -1; 1 0]

    w = R_psi R_o K_o M_o d(alpha_o)/dt - R_o K_f M_f d(alpha_f)/dt,   v = R_psi M_o d(alpha_o)/dt - M_f d(alpha_f)/dt
    w_z = d(psi)/dt - T_o M_o d(alpha_o)/dt - T_f M_f d(alpha_f)/dt,   v_z = 0     (3)  [EX-9]

v_z = 0 is the whole constraint of frictionless contact. In f's own frame the twist is V_of = Ad(g_f_lf) J d(eta)/dt,
and the constraint is A V_of = 0 with

    A = e_vz^T Ad(g_f_lf^-1)                                                      (4)  [EX-9]

Rolling without slip or spin is v = 0, w_z = 0:

    M_o d(alpha_o)/dt = R_psi M_f d(alpha_f)/dt,   d(psi)/dt = T_f M_f d(alpha_f)/dt + T_o M_o d(alpha_o)/dt      (5)
    w = -R_o (K_f + R_psi K_o R_psi) M_f d(alpha_f)/dt                            (6)  [EX-10]

K_f + R_psi K_o R_psi is the relative curvature: where it is not positive definite, the bodies do not touch in one point
(surface/contact_feasibility.py), and (3) is singular or describes bodies that are in each other.

Twists are (angular, linear). (3) holds for surfaces in general, their parameters orthogonal or not. A body on a fixed
surface as a Lagrangian system in eta is in constraint/contact_systems.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles import arrays
from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.lie import SE3, SO3, Mat3, Vec3
from chasles.surface.surface import Surface

COORDINATES = ("u_f", "v_f", "u_o", "v_o", "psi")
R_O = np.array([[0.0, -1.0], [1.0, 0.0]])


def contact_pose(surface_f: Surface, surface_o: Surface) -> Kernel:
    """eta (..., 5) -> (..., 4, 4) the pose of body f in body o."""
    refuse_others(surface_f, surface_o)

    def pose(eta: Any) -> Any:
        f, o = surface_f.frame(eta[:2]), surface_o.frame(eta[2:4])
        turn = _turn(eta[4])
        R = o[:3, :3] @ turn @ f[:3, :3].T
        p = o[:3, 3] - R @ f[:3, 3]
        return np.concatenate([np.concatenate([R, p[:, None]], axis=1), np.array([[0.0, 0.0, 0.0, 1.0]])])  # (2)

    return compile(pose, eta=5)


def contact_jacobian(surface_f: Surface, surface_o: Surface) -> Kernel:
    """eta (..., 5) -> J (..., 6, 5), J d(eta)/dt the twist of f relative to o in the contact frame l_f."""
    refuse_others(surface_f, surface_o)
    return compile(lambda eta: _jacobian(surface_f, surface_o, eta), eta=5)


def body_jacobian(surface_f: Surface, surface_o: Surface) -> Kernel:
    """eta (..., 5) -> (..., 6, 5) the same twist in f's own frame, Ad(g_f_lf) J."""
    refuse_others(surface_f, surface_o)
    return compile(lambda eta: _carried(surface_f, eta, _jacobian(surface_f, surface_o, eta)), eta=5)


def normal_row(surface_f: Surface) -> Kernel:
    """alpha_f (..., 2) -> A (..., 6) of (4): A V_of is the normal velocity of f's point of contact."""

    def row(alpha: Any) -> Any:
        g = _motion(surface_f.frame(alpha)).inv()
        units = [arrays.twist(e) for e in np.eye(6).tolist()]
        return np.stack([g.Ad(e).v.z for e in units])  # (4)

    return compile(row, alpha=2)


def rolling_rates(surface_f: Surface, surface_o: Surface) -> Kernel:
    """(eta (..., 5), d(alpha_f)/dt (..., 2)) -> d(eta)/dt (..., 5) of rolling without slip or spin."""
    refuse_others(surface_f, surface_o)

    def rates(eta: Any, alpha_f_rate: Any) -> Any:
        return _rolling(surface_f, surface_o, eta) @ alpha_f_rate

    return compile(rates, eta=5, alpha_f_rate=2)


def rolling_jacobian(surface_f: Surface, surface_o: Surface) -> Kernel:
    """eta (..., 5) -> J_f (..., 6, 2) with V_of = J_f d(alpha_f)/dt, in f's own frame, of rolling."""
    refuse_others(surface_f, surface_o)

    def jacobian(eta: Any) -> Any:
        w = -R_O @ _relative(surface_f, surface_o, eta) @ surface_f.forms(eta[:2]).metric  # (6)
        return _carried(surface_f, eta, np.concatenate([w, np.zeros((4, 2))]))

    return compile(jacobian, eta=5)


def relative_curvature(surface_f: Surface, surface_o: Surface) -> Kernel:
    """eta (..., 5) -> (..., 2, 2) K_f + R_psi K_o R_psi, in the contact frame l_f."""
    refuse_others(surface_f, surface_o)
    return compile(lambda eta: _relative(surface_f, surface_o, eta), eta=5)


def _jacobian(surface_f: Surface, surface_o: Surface, eta: Any) -> Any:
    (M_f, K_f, T_f), (M_o, K_o, T_o) = surface_f.forms(eta[:2]), surface_o.forms(eta[2:4])
    R, one = _turn(eta[4])[:2, :2], np.array([[1.0]])
    turn = np.concatenate([-R_O @ K_f @ M_f, R @ R_O @ K_o @ M_o, np.zeros((2, 1))], axis=1)
    spin = np.concatenate([-(T_f @ M_f)[None], -(T_o @ M_o)[None], one], axis=1)
    slip = np.concatenate([-M_f, R @ M_o, np.zeros((2, 1))], axis=1)
    return np.concatenate([turn, spin, slip, np.zeros((1, 5))])  # (3)


def _relative(surface_f: Surface, surface_o: Surface, eta: Any) -> Any:
    R = _turn(eta[4])[:2, :2]
    return surface_f.forms(eta[:2]).curvature + R @ surface_o.forms(eta[2:4]).curvature @ R


def _rolling(surface_f: Surface, surface_o: Surface, eta: Any) -> Any:
    """(5, 2) d(eta)/dt by d(alpha_f)/dt."""
    (M_f, _, T_f), (M_o, _, T_o) = surface_f.forms(eta[:2]), surface_o.forms(eta[2:4])
    path = _turn(eta[4])[:2, :2] @ M_f
    v = path[1] / M_o[1, 1]
    u = (path[0] - M_o[0, 1] * v) / M_o[0, 0]
    return np.concatenate([np.eye(2), u[None], v[None], (T_f @ M_f + T_o @ path)[None]])  # (5)


def _turn(psi: Any) -> Any:
    c, s = np.cos(psi), np.sin(psi)
    zero = 0.0 * c
    return np.stack([np.stack([c, -s, zero]), np.stack([-s, -c, zero]), np.stack([zero, zero, zero - 1.0])])  # (1)


def _carried(surface_f: Surface, eta: Any, J: Any) -> Any:
    """Twists in the contact frame as columns, in f's own frame."""
    g = _motion(surface_f.frame(eta[:2]))
    columns = [arrays.from_twist(g.Ad(arrays.twist([*column]))) for column in J.T]
    return np.stack([np.stack(column) for column in columns]).T


def _motion(T: Any) -> SE3:
    return SE3(SO3(Mat3(*(Vec3(*row) for row in T[:3, :3]))), Vec3(*T[:3, 3]))


def refuse_others(*surfaces: Any) -> None:
    """Raise ModelError where surface_f or surface_o is no Surface."""
    for surface, name in zip(surfaces, ("surface_f", "surface_o"), strict=True):
        if not isinstance(surface, Surface):
            raise ModelError(f"{name} must be a Surface, got {type(surface).__name__}")
