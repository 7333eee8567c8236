"""Brockett's trace form: a second opinion in 4x4 matrices and traces, without spatial inertias or adjoints.

A body whose rotational inertia I about its centre of mass is positive definite has the metric on 4x4 twists, with
V = [[ [w], v ], [0, 0]] in a frame at the centre of mass,

    <V, W> = tr(V M W^T) + tr(J V J W^T) / 2,  J = sqrt(det I) diag(I^-1, 0),  M = diag(0, 0, 0, m)    (1)  [BRK-1]

and in a frame p with N = T_pc the pose of the centre of mass in it

    <V, W> = tr(V M_p W^T G_p) + tr(J_p V J_p W^T) / 2,
    M_p = N M N^T,  J_p = N J N^T,  G_p = N^-T N^-1                                         (2)  [BRK-2,7]

The energy is <V, V> / 2. One free body moves by

    <Vdot, W> = <V, [V, W]>  for all W                                                      (3)  [BRK-3]
    Pi(G Vdot M + J Vdot J / 2) = Pi(V^T G V M - G V M V^T - (J V J V^T - V^T J V J) / 2)   (4)  [BRK-4]

with Pi the skew part of the 3x3 block and the last column. In a mechanism, with absolute screws A_i and home poses, the
twist of joint i as link p carries it is

    a_i = X^-1 A_i X,  X = the product of exp(A_k q_k) over the k beyond i on the path to p          (5)  [BRK-5]
    V_p = sum of a_i qd_i,  Vdot_p = sum of a_i qdd_i + sum over i before j of [a_i, a_j] qd_i qd_j  (6)  [BRK-5]
    M_ij = sum over the p that i and j both carry of <a_i, a_j>_p                                    (7)  [BRK-6]
    Gamma_kij = sum over p of (<[a_k, a_j], a_i> + <[a_k, a_i], a_j> + <[a_min(i,j), a_max(i,j)], a_k>)_p / 2
                                                                                         (8)  [BRK-6, CHR-3]
    phi_k = - sum over p of m_p (g, 0) . (T_p N_p^-1 a_k N_p e_4),  N_p the home pose of p's com     (9)  [POT-2]

and M qdd + Gamma qd qd + phi = tau. The first index of Gamma is the equation [CHR-4]; the source puts it last.
O(n d^3) for depth d, one configuration after the other. Rotors (armature) are added to the diagonal of M. Joints are
screws, and links have a mass and a positive definite inertia; friction and mimics are not covered.
[BrockettStokesPark1993], corrected: (1) has its inner 1/2, (3) has [V, W], (4) has its gyroscopic term.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.errors import ModelError
from chasles.formulations.inputs import Array, row_by_row, screw_tree, vectors
from chasles.lie import SpatialInertia
from chasles.model.poses import matrix
from chasles.model.tree import Tree, rotors
from chasles.robot_like import RobotLike

__all__ = ["christoffel_symbols", "coriolis_matrix", "gravity_forces", "inverse_dynamics", "mass_matrix"]


def mass_matrix(robot: RobotLike, q: ArrayLike) -> Array:
    """(..., n, n) M(q) by (7). q: (..., n)."""
    form, (x,) = _form("brockett.mass_matrix", robot, q=q)
    return row_by_row(form.mass_matrix, x) + np.diag(rotors(form.tree))


def christoffel_symbols(robot: RobotLike, q: ArrayLike) -> Array:
    """(..., n, n, n) Gamma of the first kind by (8); the first index is the equation. q: (..., n)."""
    form, (x,) = _form("brockett.christoffel_symbols", robot, q=q)
    return row_by_row(form.christoffel_symbols, x)


def coriolis_matrix(robot: RobotLike, q: ArrayLike, qd: ArrayLike) -> Array:
    """(..., n, n) C(q, qd), of the Christoffel symbols (8): Mdot - 2C is skew. q, qd: (..., n)."""
    form, (x, v) = _form("brockett.coriolis_matrix", robot, q=q, qd=qd)
    return row_by_row(form.coriolis_matrix, x, v)


def gravity_forces(robot: RobotLike, q: ArrayLike) -> Array:
    """(..., n) phi(q) by (9): the joint forces that hold the robot still. q: (..., n)."""
    form, (x,) = _form("brockett.gravity_forces", robot, q=q)
    return row_by_row(form.gravity_forces, x)


def inverse_dynamics(robot: RobotLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
    """(..., n) tau = M qdd + Gamma qd qd + phi, by (7), (8), (9). q, qd, qdd: (..., n)."""
    form, (x, v, a) = _form("brockett.inverse_dynamics", robot, q=q, qd=qd, qdd=qdd)
    return row_by_row(form.inverse_dynamics, x, v, a) + rotors(form.tree) * a


def _form(function: str, robot: RobotLike, **given: ArrayLike) -> "tuple[TraceForm, list[Array]]":
    tree = screw_tree(function, robot)
    return trace_form(tree, robot.link_names), vectors(function, **{k: (x, robot.n) for k, x in given.items()})


def hat(V: Any) -> np.ndarray:
    """The 4x4 matrix of a twist (angular, linear)."""
    x, y, z, *v = V
    return np.array([[0.0, -z, y, v[0]], [z, 0.0, -x, v[1]], [-y, x, 0.0, v[2]], [0.0, 0.0, 0.0, 0.0]])


def bracket(V: np.ndarray, W: np.ndarray) -> np.ndarray:
    """[V, W] = V W - W V. [SE3-1]"""
    return V @ W - W @ V


def project(X: np.ndarray) -> np.ndarray:
    """Pi: the skew part of the 3x3 block, the last column kept, the bottom row dropped."""
    out = np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = (X[:3, :3] - X[:3, :3].T) / 2, X[:3, 3]
    return out


@dataclass(frozen=True, eq=False)
class TraceMetric:
    """The inner product (2) of a body in some frame: three 4x4 matrices."""

    M: np.ndarray
    J: np.ndarray
    G: np.ndarray

    @staticmethod
    def at_com(mass: float, inertia: np.ndarray) -> "TraceMetric":
        """In a frame at the centre of mass; inertia (3, 3) positive definite, about it."""
        J = np.zeros((4, 4))
        J[:3, :3] = math.sqrt(np.linalg.det(inertia)) * np.linalg.inv(inertia)
        return TraceMetric(np.diag([0.0, 0.0, 0.0, mass]), J, np.eye(4))  # (1)

    def moved(self, T: np.ndarray) -> "TraceMetric":
        """Seen from another frame, T the (4, 4) pose of this one in it."""
        back = np.linalg.inv(T)
        return TraceMetric(T @ self.M @ T.T, T @ self.J @ T.T, back.T @ self.G @ back)  # (2)

    def inner(self, V: np.ndarray, W: np.ndarray) -> float:
        """<V, W> of two 4x4 twists."""
        return float(np.sum(V @ self.M * (self.G @ W)) + np.sum(self.J @ V @ self.J * W) / 2)  # (2)

    def inertial(self, Vd: np.ndarray) -> np.ndarray:
        """The left side of (4)."""
        return project(self.G @ Vd @ self.M + self.J @ Vd @ self.J / 2)  # (4)

    def gyroscopic(self, V: np.ndarray) -> np.ndarray:
        """The right side of (4)."""
        M, J, G = self.M, self.J, self.G
        spin = J @ V @ J @ V.T - V.T @ J @ V @ J
        return project(V.T @ G @ V @ M - G @ V @ M @ V.T - spin / 2)  # (4)

    def free_acceleration(self, V: np.ndarray) -> np.ndarray:
        """Vdot of the free body, 4x4, from the weak form (3) on the six unit twists."""
        units = [hat(e) for e in np.eye(6)]
        metric = [[self.inner(W, E) for E in units] for W in units]
        return hat(np.linalg.solve(metric, [self.inner(V, bracket(V, W)) for W in units]))  # (3)


@dataclass(frozen=True, eq=False)
class TraceForm:
    """A mechanism of numbers in the trace form. Build it with `trace_form`."""

    tree: Tree
    screws: list[np.ndarray]
    metrics: list[TraceMetric]
    coms: list[np.ndarray]

    def carried(self, p: int, q: Any) -> dict[int, np.ndarray]:
        """a_i for the joints i on the path to link p, base first."""
        X, out = np.eye(4), {}
        for i in self.tree.path(p):
            out[i] = np.linalg.inv(X) @ self.screws[i] @ X  # (5)
            X = self._step(i, q) @ X
        return dict(reversed(out.items()))

    def motion(self, p: int, q: Any, qd: Any, qdd: Any) -> tuple[np.ndarray, np.ndarray]:
        """V_p and its time derivative, 4x4, in the frame on link p that is the space frame at home."""
        V, Vd = np.zeros((4, 4)), np.zeros((4, 4))
        for i, a in self.carried(p, q).items():
            Vd = Vd + a * qdd[i] + bracket(V, a) * qd[i]  # (6)
            V = V + a * qd[i]
        return V, Vd

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M(q), (n, n)."""
        M = np.zeros((self.tree.n, self.tree.n))
        for p, metric in enumerate(self.metrics):
            a = self.carried(p, q)
            for i in a:
                for j in a:
                    M[i, j] += metric.inner(a[i], a[j])  # (7)
        return M

    def christoffel_symbols(self, q: Any) -> np.ndarray:
        """Gamma, (n, n, n), of the first kind; the first index is the equation: C_ki = sum_j Gamma_kij qd_j. [CHR-4]"""
        Gamma = np.zeros((self.tree.n,) * 3)
        for p, metric in enumerate(self.metrics):
            a = self.carried(p, q)
            pairs = {(i, j): bracket(a[i], a[j]) for i in a for j in a}
            t = {(i, j, k): metric.inner(pairs[i, j], a[k]) for i, j in pairs for k in a}
            for k, i, j in t:
                Gamma[k, i, j] += (t[k, j, i] + t[k, i, j] + t[min(i, j), max(i, j), k]) / 2  # (8)
        return Gamma

    def coriolis_matrix(self, q: Any, qd: Any) -> np.ndarray:
        """C(q, qd), (n, n)."""
        return self.christoffel_symbols(q) @ np.asarray(qd, dtype=float)

    def gravity_forces(self, q: Any) -> np.ndarray:
        """phi(q), (n,)."""
        g, phi = np.array([*self.tree.gravity, 0.0]), np.zeros(self.tree.n)
        for p, metric in enumerate(self.metrics):
            X = np.eye(4)
            for i in self.tree.path(p):
                X = self._step(i, q) @ X
            mass = np.trace(metric.M @ metric.G)
            for k, a in self.carried(p, q).items():
                phi[k] -= mass * g @ (X @ a @ self.coms[p])[:, 3]  # (9)
        return phi

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """tau = M qdd + Gamma qd qd + phi, (n,)."""
        return self.mass_matrix(q) @ qdd + self.coriolis_matrix(q, qd) @ qd + self.gravity_forces(q)

    def _step(self, i: int, q: Any) -> np.ndarray:
        return _exp(self.screws[i], float(q[i]) + self.tree.bodies[i].offset)


def trace_form(tree: Tree, names: Sequence[str] | None = None) -> TraceForm:
    """The trace form of a tree; `names` are its links', for error messages."""
    homes: list[np.ndarray] = []
    screws, metrics, coms = [], [], []
    for i, body in enumerate(tree.bodies):
        H = matrix(body.M)
        homes.append(homes[body.parent] @ H if body.parent >= 0 else H)
        screws.append(homes[i] @ hat([*body.S.w, *body.S.v]) @ np.linalg.inv(homes[i]))
        mass, com, inertia = _about_com(body.G, f"link {i}" + (f" ({names[i]!r})" if names else ""))
        N = homes[i].copy()
        N[:3, 3] += N[:3, :3] @ com
        coms.append(N)
        metrics.append(TraceMetric.at_com(mass, inertia).moved(N))
    return TraceForm(tree, screws, metrics, coms)


def _about_com(G: SpatialInertia, link: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and rotational inertia about it, if the trace form has them."""
    mass, S = float(G.mass), np.array([[*row] for row in G.S.matrix])
    hint = "the trace form needs a mass and an inertia like a real body's: not a regrouped tree, no point masses"
    if not mass > 0.0:
        raise ModelError(f"{link}: its mass is {mass:g}; {hint}")
    com = np.array([*G.h]) / mass
    S = S - mass * np.outer(com, com)
    inertia = np.trace(S) * np.eye(3) - S
    low, _, high = np.linalg.eigvalsh(inertia)
    if not low > 1e-12 * high:
        raise ModelError(f"{link}: its inertia about the centre of mass is not positive definite ({low:.6g}); {hint}")
    return mass, com, inertia


def _exp(S: np.ndarray, q: float) -> np.ndarray:
    """exp(S q) of a 4x4 screw: 1 + t s + (1 - cos t) s^2 + (t - sin t) s^3 for |w| = 1. [SE3-5]"""
    rate = math.sqrt(np.sum(S[:3, :3] ** 2) / 2)
    if rate == 0.0:
        return np.eye(4) + S * q
    s, t = S / rate, q * rate
    return np.eye(4) + s * t + s @ s * (1.0 - math.cos(t)) + s @ s @ s * (t - math.sin(t))
