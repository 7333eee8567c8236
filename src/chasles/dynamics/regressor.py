"""Regressors: torques, energies and power as linear functions of the inertial parameters.

A link has ten parameters in its frame, pi = (m, h, Ixx, Ixy, Iyy, Ixz, Iyz, Izz): mass, first moment h = m c, and the
rotational inertia I about the frame's origin. To move its points r with acceleration a + U r, U = [wdot] + [w]^2, takes
the wrench

    f(pi) = (I wdot + w x I w + h x a,  m a + U h)                                (1)  [SE3-9]

which is linear in pi: ten unit wrenches a link, made of a, wdot, U and products of w. With J_k the column of joint k
in the frame of link p, zero where k does not move p, V_p = (w, v) the twist of the link and x its origin's place,

    tau_k       = sum over p of <f_p, J_k>   + armature qdd_k                     (2)  [REG-1]
    d(K + U)/dt = sum over p of <f_p, V_p>   + armature qd . qdd                  (3)  [NE-5]
    K           = sum over p of m v.v / 2 + h . (v x w) + w . I w / 2   + armature qd . qd / 2   (4)  [MM-5]
    U           = - sum over p of m g.x + h . g                                   (5)  [POT-1]

Gravity is a base acceleration, a_0 = -g. Armatures are not among the parameters. The recursions run in any link frames:
`frames[i]` is the tree's frame i, seen from the frame in which the parameters of link i are meant, and the motion and
the columns of a link are moved there, by constants. O(n d) for depth d, about 60 operations an entry (k, p).
"""

from collections.abc import Sequence
from typing import Any

from chasles.dynamics.jacobian import columns_seen
from chasles.dynamics.kinematics import square, velocities
from chasles.dynamics.newton_euler import link_motions
from chasles.lie import SE3, Mat3, Twist, Vec3, Wrench
from chasles.model.tree import BodyMotion, Tree

PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
Row = list[Any]


def torque_regressor(tree: Tree, q: Any, qd: Any, qdd: Any, frames: Sequence[SE3]) -> list[Row]:
    """Y as rows, one a velocity, of ten entries a link: tau = Y pi + armature qdd."""
    motions = tree.motions(q)
    Y: list[Row] = [[0.0] * (10 * len(tree.bodies)) for _ in range(tree.n)]
    columns = columns_seen(tree, motions)
    for p, f in enumerate(_unit_wrenches(tree, motions, qd, qdd, frames)):
        for k, J in columns[p]:
            Y[k][10 * p : 10 * p + 10] = _pairings(f, frames[p].Ad(J))  # (2)
    return Y


def power_regressor(tree: Tree, q: Any, qd: Any, qdd: Any, frames: Sequence[SE3]) -> Row:
    """y with d(K + U)/dt = y . pi, armature aside: the power of all joint forces."""
    motions = tree.motions(q)
    V = velocities(tree, motions, qd)
    wrenches = _unit_wrenches(tree, motions, qd, qdd, frames)
    return [y for f, V_p, X in zip(wrenches, V, frames, strict=True) for y in _pairings(f, X.Ad(V_p))]  # (3)


def kinetic_regressor(tree: Tree, q: Any, qd: Any, frames: Sequence[SE3]) -> Row:
    """y with K = y . pi, armature aside."""
    y: Row = []
    for V_p, X in zip(velocities(tree, tree.motions(q), qd), frames, strict=True):
        V = X.Ad(V_p)
        w, half = V.w, V.w * 0.5
        y += [V.v.square() * 0.5, *V.v.cross(w)]
        y += [w.x * half.x, w.x * w.y, w.y * half.y, w.x * w.z, w.y * w.z, w.z * half.z]  # (4)
    return y


def potential_regressor(tree: Tree, q: Any, frames: Sequence[SE3]) -> Row:
    """y with U = y . pi; zero for masses at the height of the space frame's origin."""
    y: Row = []
    g: list[Vec3] = []  # in the link's axes
    depth: list[Any] = []  # g.x of the link's origin
    for i, (body, X) in enumerate(zip(tree.bodies, tree.motions(q), strict=True)):
        p = body.parent
        g_p, depth_p = (g[p], depth[p]) if p >= 0 else (tree.gravity, 0.0)
        g.append(X.rotate_inv(g_p))
        depth.append(depth_p + g_p.dot(X.p))
        origin = frames[i].inv().p
        y += [-(depth[i] + g[i].dot(origin)), *-(frames[i].R @ g[i]), *[0.0] * 6]  # (5)
    return y


def _unit_wrenches(
    tree: Tree, motions: list[BodyMotion], qd: Any, qdd: Any, frames: Sequence[SE3]
) -> list[list[Wrench]]:
    """df/dpi of (1) for every link, in `frames`."""
    wrenches = []
    for F, (_, w, wd, a, U) in zip(frames, link_motions(tree, motions, qd, qdd), strict=True):
        wrenches.append(_wrenches(F.R @ w, F.R @ wd, F.R @ (a + U.dot(F.inv().p))))
    return wrenches


def _wrenches(w: Vec3, wd: Vec3, a: Vec3) -> list[Wrench]:
    """The ten wrenches of (1), in the order of the parameters."""
    U = Mat3.skew(wd) + square(w)
    x, y, z = U  # U.x.y is x.y
    columns = U.T
    yz, xz, xy = w.y * w.z, w.x * w.z, w.x * w.y
    none = Vec3.zero()
    return [
        Wrench(none, a),
        Wrench(Vec3(0.0, -a.z, a.y), columns.a),
        Wrench(Vec3(a.z, 0.0, -a.x), columns.b),
        Wrench(Vec3(-a.y, a.x, 0.0), columns.c),
        Wrench(Vec3(wd.x, xz, -xy), none),
        Wrench(Vec3(-z.x, z.y, x.x - y.y), none),
        Wrench(Vec3(-yz, wd.y, xy), none),
        Wrench(Vec3(y.x, z.z - x.x, -y.z), none),
        Wrench(Vec3(y.y - z.z, -x.y, x.z), none),
        Wrench(Vec3(yz, -xz, wd.z), none),
    ]


def _pairings(f: list[Wrench], V: Twist) -> Row:
    """<f, V> of the ten wrenches."""
    return [F.pair(V) for F in f]
