"""Dynamics of an arm as an expert writes them in CasADi, from a `pin.Model` and apart from this library.

Link i has parent p, the rotation R_i(q_i) and place r_i of its frame in p's, the joint's axis z_i, the mass m_i, the
centre c_i and the inertia I_i about it. Newton-Euler in link frames, 3-vectors throughout, a_0 = -gravity:

    w_i  = R^T w_p + z qd_i                                                     (1)
    wd_i = R^T wd_p + (R^T w_p) x z qd_i + z qdd_i                              (2)
    a_i  = R^T (a_p + wd_p x r + w_p x (w_p x r))                               (3)
    f_i  = m (a_i + wd_i x c + w_i x (w_i x c)) + sum R_k f_k                   (4)
    n_i  = I wd_i + w_i x I w_i + c x m (...) + sum R_k n_k + r_k x R_k f_k     (5)
    tau_i = z . n_i                                                             (6)

The mass matrix by composite bodies; the Coriolis matrix by columns, C e_j = B(qd, e_j) where B is the symmetric
bilinear form of (1)-(6) that is quadratic in velocities; forward dynamics by L D L^T of M, which for 6 or 7 joints is
fewer operations than articulated bodies. Scalars are CasADi's SX, which drops zeros, folds and shares as they are
built. Sines s and cosines c of the angles are inputs.
"""

from dataclasses import dataclass
from typing import Any

import casadi
import numpy as np

SMALL = 1e-10  # entries of placements that a file's rounding of pi has left: zeros to the peer
AXES = {"JointModelRX": 0, "JointModelRY": 1, "JointModelRZ": 2}


@dataclass(frozen=True)
class Arm:
    """The numbers of a serial arm of revolute joints about axes of their frames."""

    model: Any

    @property
    def n(self) -> int:
        return self.model.nv

    def axis(self, i: int) -> np.ndarray:
        return np.eye(3)[AXES[self.model.joints[i + 1].shortname()]]

    def place(self, i: int) -> np.ndarray:
        return _clean(self.model.jointPlacements[i + 1].translation)

    def rotation(self, i: int, s: Any, c: Any) -> Any:
        """R_i: from link i to its parent."""
        x, y = [(1, 2), (2, 0), (0, 1)][AXES[self.model.joints[i + 1].shortname()]]
        turn = casadi.SX(np.eye(3))
        turn[x, x], turn[x, y], turn[y, x], turn[y, y] = c[i], -s[i], s[i], c[i]
        return casadi.SX(_clean(self.model.jointPlacements[i + 1].rotation)) @ turn

    def body(self, i: int) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, centre, inertia about it."""
        inertia = self.model.inertias[i + 1]
        return inertia.mass, _clean(inertia.lever), _clean(inertia.inertia)


def inverse_dynamics(arm: Arm, s: Any, c: Any, qd: Any, qdd: Any) -> Any:
    w, wd, a = casadi.SX(3, 1), casadi.SX(3, 1), casadi.SX(-arm.model.gravity.linear)
    R, forces, moments = [], [], []
    for i in range(arm.n):
        z, r = arm.axis(i), arm.place(i)
        m, centre, inertia = arm.body(i)
        R.append(arm.rotation(i, s, c))
        a = R[i].T @ (a + casadi.cross(wd, r) + casadi.cross(w, casadi.cross(w, r)))  # (3)
        carried = R[i].T @ w
        wd = R[i].T @ wd + casadi.cross(carried, z * qd[i]) + z * qdd[i]  # (2)
        w = carried + z * qd[i]  # (1)
        forces.append(m * (a + casadi.cross(wd, centre) + casadi.cross(w, casadi.cross(w, centre))))  # (4)
        moments.append(inertia @ wd + casadi.cross(w, inertia @ w) + casadi.cross(centre, forces[i]))  # (5)
    return _to_the_base(arm, R, forces, moments)


def mass_matrix(arm: Arm, s: Any, c: Any) -> Any:
    R = [arm.rotation(i, s, c) for i in range(arm.n)]
    mass, first, second = [], [], []  # of composite bodies, about the frame's origin
    for i in range(arm.n):
        m, centre, inertia = arm.body(i)
        mass.append(m)
        first.append(casadi.SX(m * centre))
        second.append(casadi.SX(inertia + m * (centre @ centre * np.eye(3) - np.outer(centre, centre))))
    M = casadi.SX(arm.n, arm.n)
    for i in reversed(range(arm.n)):
        z, r = arm.axis(i), arm.place(i)
        moment, force = second[i] @ z, casadi.cross(z, first[i])
        for j in range(i, -1, -1):
            M[i, j] = M[j, i] = casadi.dot(arm.axis(j), moment)
            force = R[j] @ force
            moment = R[j] @ moment + casadi.cross(arm.place(j), force)
        if i:
            turned = R[i] @ first[i]
            outer = r @ turned.T
            mass[i - 1] += mass[i]
            first[i - 1] += turned + mass[i] * r
            second[i - 1] += R[i] @ second[i] @ R[i].T + 2.0 * casadi.dot(r, turned) * np.eye(3) - outer - outer.T
            second[i - 1] += mass[i] * (r @ r * np.eye(3) - np.outer(r, r))
    return M


def coriolis_matrix(arm: Arm, s: Any, c: Any, qd: Any) -> Any:
    R = [arm.rotation(i, s, c) for i in range(arm.n)]
    w = []
    for i in range(arm.n):
        w.append((R[i].T @ w[i - 1] if i else casadi.SX(3, 1)) + arm.axis(i) * qd[i])
    return casadi.horzcat(*(_coriolis_column(arm, R, w, qd, j) for j in range(arm.n)))


def _coriolis_column(arm: Arm, R: list[Any], w: list[Any], qd: Any, j: int) -> Any:
    """B(qd, e_j): every product of velocities in (1)-(5) polarised; u are the angular velocities of e_j."""
    zero = casadi.SX(3, 1)
    wp, u, wd, a = zero, zero, zero, zero
    forces, moments = [], []
    for i in range(arm.n):
        z, r = arm.axis(i), arm.place(i)
        m, centre, inertia = arm.body(i)
        a = R[i].T @ (a + casadi.cross(wd, r) + _twice(wp, u, r))
        carried = R[i].T @ u
        own = z if i == j else zero
        wd = R[i].T @ wd + 0.5 * (casadi.cross(carried, z * qd[i]) + casadi.cross(R[i].T @ wp, own))
        u, wp = carried + own, w[i]
        forces.append(m * (a + casadi.cross(wd, centre) + _twice(wp, u, centre)))
        spun = 0.5 * (casadi.cross(wp, inertia @ u) + casadi.cross(u, inertia @ wp))
        moments.append(inertia @ wd + spun + casadi.cross(centre, forces[i]))
    return _to_the_base(arm, R, forces, moments)


def _twice(w: Any, u: Any, r: Any) -> Any:
    """w x (w x r), polarised."""
    return 0.5 * (casadi.cross(w, casadi.cross(u, r)) + casadi.cross(u, casadi.cross(w, r)))


def forward_dynamics(arm: Arm, s: Any, c: Any, qd: Any, tau: Any) -> Any:
    n, M = arm.n, mass_matrix(arm, s, c)
    x = tau - inverse_dynamics(arm, s, c, qd, casadi.SX(n, 1))
    L, D = casadi.SX(np.eye(n)), [None] * n  # M = L D L^T
    for j in range(n):
        scaled = [L[j, k] * D[k] for k in range(j)]
        D[j] = M[j, j] - sum((L[j, k] * scaled[k] for k in range(j)), casadi.SX(0.0))
        inverse = 1.0 / D[j]
        for i in range(j + 1, n):
            L[i, j] = (M[i, j] - sum((L[i, k] * scaled[k] for k in range(j)), casadi.SX(0.0))) * inverse
    for i in range(n):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
    for i in reversed(range(n)):
        x[i] /= D[i]
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]
    return x


def _to_the_base(arm: Arm, R: list[Any], forces: list[Any], moments: list[Any]) -> Any:
    """The sums of (4) and (5) from the tip on, and (6)."""
    torques = [None] * arm.n
    for i in reversed(range(arm.n)):
        torques[i] = casadi.dot(arm.axis(i), moments[i])
        if i:
            force = R[i] @ forces[i]
            forces[i - 1] += force
            moments[i - 1] += R[i] @ moments[i] + casadi.cross(arm.place(i), force)
    return casadi.vertcat(*torques)


def _clean(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < SMALL, 0.0, x)
