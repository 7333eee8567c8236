"""Forward dynamics, the inverse and the square root of the mass matrix, by articulated bodies (aba).

With A = (wdot, a) the angular acceleration and the true acceleration of a link's origin, as in newton_euler.py, and
zeta what velocities add to it,

    A_i    = Ad(T_pi^-1) A_p + S_i qdd_i + zeta_i                                 (1)
    zeta_i = (w_i x s qd_i,  R^T [w_p]^2 p_i + (w_i + R^T w_p) x u qd_i)
    b_i    = G_i.force(0, [w_i]^2) - (wrench on link i)                           (2)

the articulated inertia B_i and bias b_i of what hangs on link i follow from the tips inward [FD-3],

    K_i = B_i S_i,  d_i = <K_i, S_i>,  r_i = tau_i - <b_i, S_i>
    B_p += (B_i - K_i K_i^T / d_i) seen from p                                    (3)  [FD-4]
    b_p += (b_i + (B_i - K_i K_i^T / d_i) zeta_i + K_i r_i / d_i) seen from p     (4)

and outward, from A_0 = (0, -g):

    A' = Ad(T_pi^-1) A_p + zeta_i,  qdd_i = (r_i - <K_i, A'>) / d_i,  A_i = A' + S_i qdd_i   (5)

O(n). The same d and K factor the mass matrix, M = W W^T with W upper triangular:

    W_ij = <K_j seen from i, S_i> / sqrt(d_j),  i on the path from j to the base  (6)  [FD-5]
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chasles.dynamics.composite_body import Matrix
from chasles.dynamics.kinematics import square
from chasles.lie import ArticulatedInertia, Twist, Vec3, Wrench
from chasles.model.tree import JointMotion, Tree
from chasles.scalar.ops import sqrt


@dataclass(frozen=True)
class Articulation:
    """The factors of the mass matrix at a configuration: per body, K, 1/d, and the inertia left when it may move."""

    motions: list[JointMotion]
    K: list[Wrench]
    d: list[Any]
    d_inv: list[Any]
    left: list[ArticulatedInertia]


def articulate(tree: Tree, q: Any) -> Articulation:
    """Articulated inertias from the tips inward."""
    n = tree.n
    motions = tree.motions(q)
    B = [ArticulatedInertia.rigid(body.G) for body in tree.bodies]
    out = Articulation(motions, [Wrench.zero()] * n, [0.0] * n, [0.0] * n, list(B))
    for i in reversed(range(n)):
        S, p = tree.bodies[i].S, tree.bodies[i].parent
        out.K[i] = B[i] @ S
        out.d[i] = out.K[i].pair(S)
        out.d_inv[i] = 1.0 / out.d[i]
        out.left[i] = B[i].without(out.K[i], out.d_inv[i])
        if p >= 0:
            B[p] = B[p] + motions[i].carry(out.left[i])  # (3)
    return out


def forward_dynamics(tree: Tree, q: Any, qd: Any, tau: Any, wrenches: Mapping[int, Wrench] | None = None) -> list[Any]:
    """qdd = M^-1 (tau - C qd - g + sum of J_i^T wrenches[i]); `wrenches[i]` acts on link i, in its frame."""
    factors = articulate(tree, q)
    motions = factors.motions
    zero = Vec3.zero()
    w: list[Vec3] = []
    zeta: list[Twist] = []
    b: list[Wrench] = []
    for i, body in enumerate(tree.bodies):  # base to tips
        w_p = w[body.parent] if body.parent >= 0 else zero
        X, (s, u) = motions[i], (body.S.w, body.S.v)
        carried = X.rotate_inv(w_p)
        w.append(carried + s * qd[i])
        centripetal = X.rotate_inv(square(w_p).dot(X.p))
        zeta.append(Twist(w[i].cross(s * qd[i]), centripetal + (w[i] + carried).cross(u * qd[i])))  # (1)
        b.append(body.G.force(zero, square(w[i])))  # (2)
        if wrenches and i in wrenches:
            b[i] = b[i] - wrenches[i]
    return _solve(tree, factors, tau, zeta, b, -tree.gravity)


def _solve(tree: Tree, factors: Articulation, tau: Any, zeta: list[Twist], b: list[Wrench], a_0: Vec3) -> list[Any]:
    r: list[Any] = [0.0] * tree.n
    for i in reversed(range(tree.n)):  # tips to base
        body = tree.bodies[i]
        r[i] = tau[i] - b[i].pair(body.S)
        if body.parent >= 0:
            bias = b[i] + factors.left[i] @ zeta[i] + factors.K[i] * (r[i] * factors.d_inv[i])
            b[body.parent] = b[body.parent] + factors.motions[i].Ad_inv_star(bias)  # (4)
    A: list[Twist] = []
    qdd: list[Any] = []
    for i, body in enumerate(tree.bodies):  # base to tips
        A_p = A[body.parent] if body.parent >= 0 else Twist(Vec3.zero(), a_0)
        free = factors.motions[i].Ad_inv(A_p) + zeta[i]
        qdd.append((r[i] - factors.K[i].pair(free)) * factors.d_inv[i])  # (5)
        A.append(free + body.S * qdd[i])
    return qdd


def mass_matrix_inverse(tree: Tree, q: Any) -> Matrix:
    """M(q)^-1: the accelerations of a robot at rest, without gravity, under unit joint forces."""
    n = tree.n
    factors = articulate(tree, q)
    inverse: Matrix = [[0.0] * n for _ in range(n)]
    for j in range(n):
        unit = [1.0 if k == j else 0.0 for k in range(n)]
        column = _solve(tree, factors, unit, [Twist.zero()] * n, [Wrench.zero()] * n, Vec3.zero())
        for i in range(j + 1):
            inverse[i][j] = inverse[j][i] = column[i]
    return inverse


def mass_matrix_sqrt(tree: Tree, q: Any) -> Matrix:
    """W(q), with M = W W^T; upper triangular along every path."""
    n = tree.n
    factors = articulate(tree, q)
    W: Matrix = [[0.0] * n for _ in range(n)]
    for j in range(n):
        root = sqrt(factors.d[j])
        W[j][j] = root
        F, i = factors.K[j] * (1.0 / root), j
        while (p := tree.bodies[i].parent) >= 0:
            F = factors.motions[i].Ad_inv_star(F)
            i = p
            W[i][j] = F.pair(tree.bodies[i].S)  # (6)
    return W


def singular_joint(tree: Tree) -> int | None:
    """A joint that moves no inertia at any configuration, or None: d_i = 0 against M_ii at all of sixteen samples."""
    if not tree.n:
        return None
    samples = np.random.default_rng(0).uniform(-3.0, 3.0, (tree.n, 16))
    q = list(samples)
    # NumPy's numbers divide by zero quietly, Python's do not
    bodies = [replace(body, G=body.G * np.float64(1.0)) for body in tree.bodies]
    tree = Tree(tuple(bodies), tree.gravity)
    motions = tree.motions(q)
    composite = tree.accumulate(motions, [body.G for body in tree.bodies])
    with np.errstate(all="ignore"):
        d = articulate(tree, q).d
    for i in reversed(range(tree.n)):
        S = tree.bodies[i].S
        whole = (composite[i] @ S).pair(S)
        if not np.any(d[i] > 1e-12 * np.abs(whole)):
            return i
    return None
