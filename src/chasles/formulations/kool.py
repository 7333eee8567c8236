"""Kool's line-coordinate form: a second opinion on inverse dynamics, all of it in the space frame.

L_i (6,) are the line coordinates of the displaced axis of joint i: (e, r x e + h e), or (0, e) for a slider. N_i (6, 6)
is the displaced inertia of link i about the origin of the space frame. With m_i its mass, r_i its centre of mass:

    N   = [[R I R^T - m [r]^2, m [r]], [-m [r], m 1]]                             (1)  [KOOL-4]
    T_k = sum of L_j qd_j over the j on the path to k                             (2)  [KOOL-1]
    E   = sum of T_k^T N_k T_k / 2                                                (3)  [KOOL-1]
    P_i = sum of N_k T_k over the k that joint i carries,  p_i = L_i^T P_i = (M qd)_i   (4)  [KOOL-1]
    dE/dq_i = Ldot_i^T P_i,  Ldot_i = ad(T_i) L_i                                 (5)  [KOOL-2]
    tau_i   = dp_i/dt - dE/dq_i + dU/dq_i = L_i^T dP_i/dt + dU/dq_i,
              Ndot = -ad(T)^T N - N ad(T)                                         (6)  [KOOL-3]
    U = - sum of m_k g . r_k,  dU/dq_i = -L_i^T sum of (m_k r_k x g, m_k g)       (7)  [POT-1]

Lines and inertias are displaced by the 6x6 matrix of a screw displacement, for |w| = 1 and a = ad(S)

    Ad(exp(S t)) = 1 + (3 s - t c)/2 a + (4 - t s - 4 c)/2 a^2 + (s - t c)/2 a^3 + (2 - t s - 2 c)/2 a^4,
                   s = sin t, c = cos t;   1 + t a  for a slider                  (8)

so that nothing is shared with the recursions but the description of the robot. O(n d) for depth d, one configuration
after the other. Rotors (armature a) are added: p += a qd, E += a qd^2 / 2. Joints are screws; friction and mimics are
not covered. [Kool] (1)-(10); the source prints r_i for tau_i in (1), and stops before (5) and (6).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.formulations.inputs import Array, row_by_row, screw_tree, vectors
from chasles.lazy import lazy
from chasles.model.poses import matrix
from chasles.model.tree import Tree, rotors
from chasles.robot_like import RobotLike

__all__ = ["gravity_forces", "inverse_dynamics", "kinetic_energy", "momenta", "potential_energy"]


def inverse_dynamics(robot: RobotLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
    """(..., n) tau by (6). q, qd, qdd: (..., n)."""
    tree, (x, v, a) = _given("kool.inverse_dynamics", robot, q=q, qd=qd, qdd=qdd)
    return row_by_row(lambda x, v, a: line_form(tree, x).generalized_forces(v, a), x, v, a) + rotors(tree) * a


def momenta(robot: RobotLike, q: ArrayLike, qd: ArrayLike) -> Array:
    """(..., n) p = M qd by (4). q, qd: (..., n)."""
    tree, (x, v) = _given("kool.momenta", robot, q=q, qd=qd)
    return row_by_row(lambda x, v: line_form(tree, x).momenta(v), x, v) + rotors(tree) * v


def kinetic_energy(robot: RobotLike, q: ArrayLike, qd: ArrayLike) -> Array:
    """(...) E by (3), J. q, qd: (..., n)."""
    tree, (x, v) = _given("kool.kinetic_energy", robot, q=q, qd=qd)
    return row_by_row(lambda x, v: line_form(tree, x).kinetic_energy(v), x, v) + (rotors(tree) * v * v).sum(-1) / 2.0


def potential_energy(robot: RobotLike, q: ArrayLike) -> Array:
    """(...) U by (7), J: zero for masses at the height of the origin. q: (..., n)."""
    tree, (x,) = _given("kool.potential_energy", robot, q=q)
    return row_by_row(lambda x: line_form(tree, x).potential_energy(), x)


def gravity_forces(robot: RobotLike, q: ArrayLike) -> Array:
    """(..., n) dU/dq by (7). q: (..., n)."""
    tree, (x,) = _given("kool.gravity_forces", robot, q=q)
    return row_by_row(lambda x: line_form(tree, x).gravity_forces(), x)


def _given(function: str, robot: RobotLike, **given: ArrayLike) -> tuple[Tree, list[Array]]:
    tree = screw_tree(function, robot)
    return tree, vectors(function, **{name: (x, robot.n) for name, x in given.items()})


@dataclass(frozen=True, eq=False)
class LineForm:
    """A robot of numbers in line coordinates at q: `L` (n, 6), `N` (n, 6, 6), both in the space frame."""

    tree: Tree
    L: np.ndarray
    N: np.ndarray

    @lazy
    def paths(self) -> list[list[int]]:
        return [self.tree.path(k) for k in range(self.tree.n)]

    def twists(self, qd: Any) -> np.ndarray:
        """T_k, (n, 6): the twist of each link, in the space frame."""
        return np.array([sum(self.L[j] * qd[j] for j in path) for path in self.paths]).reshape(-1, 6)  # (2)

    def kinetic_energy(self, qd: Any) -> float:
        """E, J."""
        return sum(0.5 * float(T @ N @ T) for T, N in zip(self.twists(qd), self.N, strict=True))  # (3)

    def momenta(self, qd: Any) -> np.ndarray:
        """p = M qd, (n,)."""
        T = self.twists(qd)
        return np.sum(self.L * self._carried([N @ V for N, V in zip(self.N, T, strict=True)]), axis=1)  # (4)

    def kinetic_energy_gradient(self, qd: Any) -> np.ndarray:
        """dE/dq at constant qd, (n,)."""
        T = self.twists(qd)
        P = self._carried([N @ V for N, V in zip(self.N, T, strict=True)])
        return np.array([(_ad(T[i]) @ self.L[i]) @ P[i] for i in range(self.tree.n)])  # (5)

    def potential_energy(self) -> float:
        """U, J: zero for masses at the height of the origin."""
        g = np.array([*self.tree.gravity])
        return -sum(float(_first_moment(N) @ g) for N in self.N)  # (7)

    def gravity_forces(self) -> np.ndarray:
        """dU/dq, (n,)."""
        g = np.array([*self.tree.gravity])
        weights = [np.concatenate([np.cross(_first_moment(N), g), N[3, 3] * g]) for N in self.N]
        return -np.sum(self.L * self._carried(weights), axis=1)  # (7)

    def generalized_forces(self, qd: Any, qdd: Any) -> np.ndarray:
        """tau = M qdd + C qd + g, (n,)."""
        T = self.twists(qd)
        rates = []
        for k, path in enumerate(self.paths):
            Td = sum((self.L[j] * qdd[j] + _ad(T[j]) @ self.L[j] * qd[j] for j in path), np.zeros(6))
            Nd = -_ad(T[k]).T @ self.N[k] - self.N[k] @ _ad(T[k])  # (6)
            rates.append(Nd @ T[k] + self.N[k] @ Td)
        return np.sum(self.L * self._carried(rates), axis=1) + self.gravity_forces()  # (6)

    def _carried(self, wrenches: list[np.ndarray]) -> np.ndarray:
        """For each joint the sum over the links that it carries, (n, 6)."""
        total = np.zeros((self.tree.n, 6))
        for path, F in zip(self.paths, wrenches, strict=True):
            total[path] += F
        return total


def line_form(tree: Tree, q: Any) -> LineForm:
    """The displaced lines and inertias at q (n,)."""
    X: list[np.ndarray] = []  # the displacement of each link from home, as Ad
    H: list[np.ndarray] = []  # home poses, as Ad
    L, N = np.zeros((tree.n, 6)), np.zeros((tree.n, 6, 6))
    for i, body in enumerate(tree.bodies):
        home = _Ad(matrix(body.M))
        H.append(H[body.parent] @ home if body.parent >= 0 else home)
        axis = H[i] @ np.array([*body.S.w, *body.S.v])
        step = _displacement(axis, float(q[i]) + body.offset)
        X.append(X[body.parent] @ step if body.parent >= 0 else step)
        L[i] = X[i] @ axis
        back = np.linalg.inv(X[i] @ H[i])
        N[i] = back.T @ _rest_inertia(body.G) @ back  # (1)
    return LineForm(tree, L, N)


def _rest_inertia(G: Any) -> np.ndarray:
    """(1) in the link's own frame, from its mass, first and second moments."""
    h, S = _skew(np.array([*G.h])), np.array([[*row] for row in G.S.matrix])
    return np.block([[np.trace(S) * np.eye(3) - S, h], [-h, G.mass * np.eye(3)]])


def _first_moment(N: np.ndarray) -> np.ndarray:
    """m r, from the block m [r]."""
    return np.array([N[2, 4], N[0, 5], N[1, 3]])


def _skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _ad(V: np.ndarray) -> np.ndarray:
    w, v = _skew(V[:3]), _skew(V[3:])
    return np.block([[w, np.zeros((3, 3))], [v, w]])


def _Ad(T: np.ndarray) -> np.ndarray:
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [_skew(p) @ R, R]])


def _displacement(S: np.ndarray, q: float) -> np.ndarray:
    """Ad(exp(S q)), (6, 6)."""
    rate = float(np.linalg.norm(S[:3]))
    if rate == 0.0:
        return np.eye(6) + q * _ad(S)  # (8)
    a, t = _ad(S / rate), q * rate
    s, c = math.sin(t), math.cos(t)
    weights = (3 * s - t * c, 4 - t * s - 4 * c, s - t * c, 2 - t * s - 2 * c)
    return np.eye(6) + sum(w / 2 * np.linalg.matrix_power(a, k) for k, w in enumerate(weights, 1))  # (8)
