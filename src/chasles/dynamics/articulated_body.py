"""Forward dynamics, the inverse and the square root of the mass matrix, by articulated bodies (aba).

With A = (wdot, a) the angular acceleration and the true acceleration of a link's origin, as in newton_euler.py, and
zeta what velocities add to it,

    A_i    = Ad(T_pi^-1) A_p + S_i qdd_i + zeta_i                                 (1)
    zeta_i = (w_i x s qd_i,  R^T [w_p]^2 p_i + (w_i + R^T w_p) x u qd_i)
    b_i    = G_i.force(0, [w_i]^2) - (wrench on link i)                           (2)

the articulated inertia B_i and bias b_i of what hangs on link i follow from the tips inward [FD-3],

    K_i = B_i S_i,  d_i = <K_i, S_i> + (armature of i),  r_i = tau_i - <b_i, S_i>
    B_p += (B_i - K_i K_i^T / d_i) seen from p                                    (3)  [FD-4]
    b_p += (b_i + (B_i - K_i K_i^T / d_i) zeta_i + K_i r_i / d_i) seen from p     (4)

and outward, from A_0 = (0, -g):

    A' = Ad(T_pi^-1) A_p + zeta_i,  qdd_i = (r_i - <K_i, A'>) / d_i,  A_i = A' + S_i qdd_i   (5)

O(n). For seven joints and fewer M takes fewer operations to form and to solve with, but M as it is rounded has lost
digits already where it is nearly singular, as where axes of a wrist line up: errors are 1.5 times those of (5) as a
median, and 2 to 6 times in one state of a hundred, however it is solved with.

The columns of a joint of several degrees of freedom are freed one by one, the last one first: each is a (3) and (4)
without a change of frame, and zeta belongs to the last step. The same d and K factor the mass matrix, M = W W^T with W
upper triangular:

    W = U sqrt(D),   U_ij = <K_j seen from i, S_i> / d_j,  i on the path from j to the base       (6)  [FD-5]
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from chasles.dynamics.composite_body import Matrix
from chasles.dynamics.inverse_factor import InverseFactor
from chasles.dynamics.kinematics import square
from chasles.lie import ArticulatedInertia, Twist, Vec3, Wrench
from chasles.model.tree import BodyMotion, Tree
from chasles.scalar.ops import sqrt

LONGEST = 16  # velocities on a path


class Articulation(NamedTuple):
    """The factors of the mass matrix: K, d and 1/d of every column; each body's B, and what its free joint leaves."""

    motions: list[BodyMotion]
    K: list[Wrench]
    d: list[Any]
    d_inv: list[Any]
    left: list[ArticulatedInertia]
    B: list[ArticulatedInertia]


class Accelerations(NamedTuple):
    """What joint forces do: qdd and r of every column, A and the whole bias b of every body."""

    qdd: list[Any]
    r: list[Any]
    A: list[Twist]
    b: list[Wrench]


def articulate(tree: Tree, q: Any) -> Articulation:
    """Articulated inertias from the tips inward."""
    n = tree.n
    motions = tree.motions(q)
    B = [ArticulatedInertia.rigid(body.G) for body in tree.bodies]
    out = Articulation(motions, [Wrench.zero()] * n, [0.0] * n, [0.0] * n, list(B), B)
    for i in reversed(range(len(tree.bodies))):
        body, left = tree.bodies[i], B[i]
        for a in reversed(range(body.joint.nv)):
            S, k = body.columns[a], body.v + a
            out.K[k] = left @ S
            out.d[k] = out.K[k].pair(S) + body.rotor(a)
            out.d_inv[k] = 1.0 / out.d[k]
            left = left.without(out.K[k], out.d_inv[k])
        out.left[i] = left
        if body.parent >= 0:
            B[body.parent] = B[body.parent] + motions[i].carry(left)  # (3)
    return out


def forward_dynamics(tree: Tree, q: Any, qd: Any, tau: Any, wrenches: Mapping[int, Wrench] | None = None) -> list[Any]:
    """qdd = M^-1 (tau - C qd - g + sum of J_i^T wrenches[i]); `wrenches[i]` acts on link i, in its frame. [FD-3]"""
    factors = articulate(tree, q)
    motions = factors.motions
    zero = Vec3.zero()
    w: list[Vec3] = []
    zeta: list[Twist] = []
    b: list[Wrench] = []
    for i, body in enumerate(tree.bodies):  # base to tips
        w_p = w[body.parent] if body.parent >= 0 else zero
        X, Sv = motions[i], body.twist(qd)
        carried = X.rotate_inv(w_p)
        w.append(carried + Sv.w)
        centripetal = X.rotate_inv(square(w_p).dot(X.p))
        zeta.append(Twist(w[i].cross(Sv.w), centripetal + (w[i] + carried).cross(Sv.v)))  # (1)
        b.append(body.G.force(zero, square(w[i])))  # (2)
        if wrenches and i in wrenches:
            b[i] = b[i] - wrenches[i]
    return accelerations(tree, factors, tau, zeta, b, Twist(zero, -tree.gravity)).qdd


def accelerations(
    tree: Tree, factors: Articulation, tau: Any, zeta: list[Twist], biases: list[Wrench], A_0: Twist
) -> Accelerations:
    """What forces tau give, for zeta and biases of the links in the same accelerations as that of the base, A_0."""
    r: list[Any] = [0.0] * tree.n
    b = list(biases)
    for i in reversed(range(len(tree.bodies))):  # tips to base
        body, bias = tree.bodies[i], b[i]
        for a in reversed(range(body.joint.nv)):
            k = body.v + a
            r[k] = tau[k] - bias.pair(body.columns[a])
            if body.parent >= 0 or a:
                bias = bias + factors.K[k] * (r[k] * factors.d_inv[k])
        if body.parent >= 0:
            bias = bias + factors.left[i] @ zeta[i]
            b[body.parent] = b[body.parent] + factors.motions[i].Ad_inv_star(bias)  # (4)
    A: list[Twist] = []
    qdd: list[Any] = []
    for i, body in enumerate(tree.bodies):  # base to tips
        A_p = A[body.parent] if body.parent >= 0 else A_0
        total = factors.motions[i].Ad_inv(A_p) + zeta[i]
        for k, S in enumerate(body.columns, body.v):
            qdd.append((r[k] - factors.K[k].pair(total)) * factors.d_inv[k])  # (5)
            total = total + S * qdd[k]
        A.append(total)
    return Accelerations(qdd, r, A, b)


def impulse_response(tree: Tree, q: Any, tau: Any) -> list[Any]:
    """M(q)^-1 tau: the velocities that joint impulses give a robot at rest."""
    return response(tree, articulate(tree, q), tau)


def response(tree: Tree, factors: Articulation, tau: Any) -> list[Any]:
    """The same, from the factors of M."""
    count = len(tree.bodies)
    return accelerations(tree, factors, tau, [Twist.zero()] * count, [Wrench.zero()] * count, Twist.zero()).qdd


def upper_factor(tree: Tree, factors: Articulation) -> Matrix:
    """U of (6), the entries above its diagonal."""
    U: Matrix = [[0.0] * tree.n for _ in range(tree.n)]
    for j, body in enumerate(tree.bodies):
        for a in range(body.joint.nv):
            k, i = body.v + a, j
            F = factors.K[k] * factors.d_inv[k]
            for c, S_c in enumerate(body.columns[:a], body.v):
                U[c][k] = F.pair(S_c)  # (6)
            while (p := tree.bodies[i].parent) >= 0:
                F = factors.motions[i].Ad_inv_star(F)
                i = p
                for c, S_c in enumerate(tree.bodies[i].columns, tree.bodies[i].v):
                    U[c][k] = F.pair(S_c)  # (6)
    return U


def is_deep(tree: Tree) -> bool:
    """Whether some path is so long that the inverse of (6) loses digits: derivatives of a chain of 20 parallel axes had
    2 to 3 times the errors that they have by responses. From 47 on it has more operations, too."""
    depths: list[int] = []
    for body in tree.bodies:
        depths.append((depths[body.parent] if body.parent >= 0 else 0) + body.joint.nv)
    return max(depths, default=0) > LONGEST


def inverse_factor(tree: Tree, factors: Articulation) -> InverseFactor:
    """What solves with the mass matrix for many forces."""
    return InverseFactor(upper_factor(tree, factors), factors.d_inv)


def mass_matrix_inverse(tree: Tree, q: Any) -> Matrix:
    """M(q)^-1, by the inverse of (6); of a deep tree, by its responses to unit joint forces."""
    n, factors = tree.n, articulate(tree, q)
    if not is_deep(tree):
        return inverse_factor(tree, factors).inverse()
    inverse: Matrix = [[0.0] * n for _ in range(n)]
    for j in range(n):
        column = response(tree, factors, [1.0 if k == j else 0.0 for k in range(n)])
        for i in range(j + 1):
            inverse[i][j] = inverse[j][i] = column[i]
    return inverse


def mass_matrix_sqrt(tree: Tree, q: Any) -> Matrix:
    """W(q), with M = W W^T; upper triangular along every path."""
    factors = articulate(tree, q)
    roots = [sqrt(d) for d in factors.d]
    W = [[x * root for x, root in zip(row, roots, strict=True)] for row in upper_factor(tree, factors)]
    for k, root in enumerate(roots):
        W[k][k] = root
    return W
