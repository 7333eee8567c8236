"""The closed form: the mass matrix and every joint force as products of a few stacked matrices.

Bodies stacked, A = diag(S_1, ..., S_n) (6n, n) are the screws and G = diag(G_1, ..., G_n) (6n, 6n) the inertias in link
frames: both constant. All that moves is Gamma, one block a body, at (body, parent), and what follows from it:

    Gamma_ip = Ad(T_ip),  L = (1 - Gamma)^-1 = 1 + Gamma L,  L_ij = Ad(T_ij) for j on the path from i   (1)  [CF-1]
    B_i0     = Ad(T_i0) for bodies whose parent is the base: V_base = B V_0                            (2)  [CF-4]
    M   = A^T L^T G L A                                                                                (3)  [CF-2]
    c   = A^T L^T (-G L [ad_{A qd}] Gamma - [ad_V]^T G) L A qd,   V = L A qd                           (4)  [CF-3]
    g   = A^T L^T G L B (0, -gravity)                                                                  (5)  [CF-4]
    J_f = [0 .. Ad(T_f,body) .. 0] L A                                                                 (6)  [CF-5]
    V   = L (A qd + B V_0)
    Vd  = L (A qdd - [ad_{A qd}] (Gamma V + B V_0) + B (Vd_0 - (0, gravity)))                          (7)  [CF-7]
    tau = A^T L^T (G Vd - [ad_V]^T G V + F) = M qdd + c + g + A^T L^T F  for a base at rest            (8)  [CF-6,7]
    C   = A^T L^T (-G L [ad_{A qd}] Gamma - [ad_V]^T G + G [ad_V]) L A,  C qd = c, Mdot - 2C skew      (9)  [CF-8]

F stacks what the links exert on their surroundings. The matrix read off (4) is not passive [CF-9]; (9) is, and is not
the one of the Christoffel symbols (coriolis.py).

The same product in the space frame, where everything is seen at the home pose H_i = T_0i(0) [ParkBobrowPloen1995]:

    M = A^T L^T D L A,   A_i = Ad(H_i) S_i,  D_i = Ad(H_i^-1)^T G_i Ad(H_i^-1),  L_ip = Ad(exp(-A_i q_i))  (10)  [MM-3]
    M = S^T Gc^T J Gc S, S, J = G and Gc = L those of (3);  A = Q S, L = Q Gc Q^-1, D = Q^-T J Q^-1,
        Q = diag(Ad(H_i)), H_i absolute                                                                 (11)  [MM-4]

Dense, O(n^3): these are the factors to look at and to prove with; the recursions are the ones to compute with.
Everything broadcasts over the leading axes of q. Joints may be of any kind; symbols, friction and mimics are not
covered.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import array, is_whole, shown, vector
from chasles.errors import FrameError
from chasles.formulations.inputs import Array, vectors, whole_tree
from chasles.lie import SE3, SpatialInertia, Twist
from chasles.model.poses import pose
from chasles.model.tree import Tree, rotors
from chasles.reprs import record
from chasles.robot_like import RobotLike

__all__ = ["coriolis_matrix", "factors", "gravity_forces", "inverse_dynamics", "jacobian", "mass_matrix"]


def factors(robot: RobotLike, q: ArrayLike) -> "Factors":
    """The constant and the moving factors at q (..., nq), with the robot's tool."""
    tree = whole_tree("closed_form.factors", robot)
    return _factors("closed_form.factors", robot, tree, q)


def mass_matrix(robot: RobotLike, q: ArrayLike) -> Array:
    """(..., n, n) M(q) by (3). q: (..., nq)."""
    tree = whole_tree("closed_form.mass_matrix", robot)
    return _factors("closed_form.mass_matrix", robot, tree, q).mass_matrix


def coriolis_matrix(robot: RobotLike, q: ArrayLike, qd: ArrayLike) -> Array:
    """(..., n, n) the passive C(q, qd) of (9), which is not the one of the Christoffel symbols. q: (..., nq)."""
    tree = whole_tree("closed_form.coriolis_matrix", robot)
    x, v = vectors("closed_form.coriolis_matrix", q=(q, robot.nq), qd=(qd, robot.n))
    return _factors("closed_form.coriolis_matrix", robot, tree, x).coriolis_matrix(v)


def gravity_forces(robot: RobotLike, q: ArrayLike) -> Array:
    """(..., n) g(q) by (5). q: (..., nq)."""
    tree = whole_tree("closed_form.gravity_forces", robot)
    return _factors("closed_form.gravity_forces", robot, tree, q).gravity_forces


def jacobian(robot: RobotLike, q: ArrayLike) -> Array:
    """(..., 6, n) the body Jacobian of the tool by (6). q: (..., nq)."""
    tree = whole_tree("closed_form.jacobian", robot)
    return _factors("closed_form.jacobian", robot, tree, q).jacobian()


def inverse_dynamics(robot: RobotLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
    """(..., n) tau by (7), (8). q: (..., nq), qd, qdd: (..., n)."""
    tree, n = whole_tree("closed_form.inverse_dynamics", robot), robot.n
    x, v, a = vectors("closed_form.inverse_dynamics", q=(q, robot.nq), qd=(qd, n), qdd=(qdd, n))
    return _factors("closed_form.inverse_dynamics", robot, tree, x).inverse_dynamics(v, a)


def _factors(function: str, robot: RobotLike, tree: Tree, q: ArrayLike) -> "Factors":
    (x,), tool = vectors(function, q=(q, robot.nq)), robot.mechanism.tool
    return tree_factors(tree, x, (tool.body, tool.pose) if tool else None)


@record()
@dataclass(frozen=True, eq=False, repr=False)
class Factorization:
    """M = screws^T transport^T inertias transport screws: (6n, n) and (6n, 6n) constant, (..., 6n, 6n) moving."""

    screws: np.ndarray
    inertias: np.ndarray
    transport: np.ndarray

    @property
    def jacobian(self) -> np.ndarray:
        """(..., 6n, n): the stacked Jacobian of all bodies, whose pullback of the constant metric is M."""
        return self.transport @ self.screws

    @property
    def mass_matrix(self) -> np.ndarray:
        """M(q), (..., n, n)."""
        J = self.jacobian
        return _T(J) @ self.inertias @ J


@record(gravity="m/s^2")
@dataclass(frozen=True, eq=False, repr=False)
class Factors:
    """The constant and the moving factors of the equations of motion at a configuration. All arrays are read-only.

    For b bodies and n velocities: A (6b, n), G (6b, 6b): constant. Gamma, L (..., 6b, 6b), B (..., 6b, 6): moving.
    `space` is the factorization (10), `body` is (3), and Q (6b, 6b) relates them (11). gravity (3,), m/s^2. rotors
    (n,): armatures, on the diagonal of M beside (3). tool: (body, (4, 4) pose there), or None.
    """

    A: np.ndarray
    G: np.ndarray
    Gamma: np.ndarray
    L: np.ndarray
    B: np.ndarray
    Q: np.ndarray
    space: Factorization
    gravity: np.ndarray
    rotors: np.ndarray
    tool: tuple[int, np.ndarray] | None = None

    def __post_init__(self) -> None:
        for part in (self, self.space):
            for field in fields(part):
                if isinstance(x := getattr(part, field.name), np.ndarray):
                    x.flags.writeable = False

    @property
    def n(self) -> int:
        return self.A.shape[1]

    @property
    def bodies(self) -> int:
        return self.A.shape[0] // 6

    @property
    def body(self) -> Factorization:
        """The factorization (3), in link frames: S = A, J = G, Gc = L."""
        return Factorization(self.A, self.G, self.L)

    @property
    def mass_matrix(self) -> np.ndarray:
        """M(q), (..., n, n)."""
        return self.body.mass_matrix + np.diag(self.rotors)  # (3)

    def coriolis_vector(self, qd: Any) -> np.ndarray:
        """C(q, qd) qd, (..., n), N m or N. qd: (..., n)."""
        qd = vector(qd, "qd", self.n)
        J = self.body.jacobian
        V, G = _apply(J, qd), self.G
        wrench = _apply(-G @ self.L @ _ad(_apply(self.A, qd)) @ self.Gamma - _T(_ad(V)) @ G, V)
        return _apply(_T(J), wrench)  # (4)

    def coriolis_matrix(self, qd: Any) -> np.ndarray:
        """The passive C(q, qd) of (9), (..., n, n): C qd is `coriolis_vector`, Mdot - 2C is skew. qd: (..., n)."""
        qd = vector(qd, "qd", self.n)
        J, G = self.body.jacobian, self.G
        ad_V = _ad(_apply(J, qd))
        return _T(J) @ (-G @ self.L @ _ad(_apply(self.A, qd)) @ self.Gamma - _T(ad_V) @ G + G @ ad_V) @ J  # (9)

    @property
    def gravity_forces(self) -> np.ndarray:
        """g(q), (..., n), N m or N."""
        fall = np.concatenate([np.zeros(3), -self.gravity])
        return _apply(_T(self.body.jacobian) @ self.G @ self.L @ self.B, fall)  # (5)

    def jacobian(self, body: int | None = None, T: Any = None) -> np.ndarray:
        """The body Jacobian, (..., 6, n), of the frame at T (4, 4) on `body`; of the tool where both are left out."""
        if body is None:
            if self.tool is None:
                raise FrameError("these factors have no tool: give the body (an index) and the frame's pose T in it")
            body, T = self.tool
        if not is_whole(body) or not -1 <= body < self.bodies:
            raise FrameError(f"no body {shown(body)}; there are {self.bodies}, and -1 is the base")
        J = self.body.jacobian
        if body < 0:
            return np.zeros((*J.shape[:-2], 6, self.n))
        P = np.eye(6) if T is None else _Ad(pose(array(T, "T", (4, 4), finite=True)).inv(), ())
        return P @ J[..., 6 * body : 6 * body + 6, :]  # (6)

    def inverse_dynamics(
        self,
        qd: Any,
        qdd: Any,
        tool_wrench: Any = None,
        link_wrenches: Any = None,
        base_velocity: Any = None,
        base_acceleration: Any = None,
    ) -> np.ndarray:
        """tau, (..., n).

        qd, qdd: (..., n). tool_wrench: (..., 6) that the tool exerts on its surroundings, in the tool frame.
        link_wrenches: (..., b, 6) that act on the links, each in its link's frame. base_velocity, base_acceleration:
        (..., 6) twist of the base and its time derivative, in the base frame.
        """
        qd, qdd = vector(qd, "qd", self.n), vector(qdd, "qdd", self.n)
        V_0 = vector(np.zeros(6) if base_velocity is None else base_velocity, "base_velocity", 6)
        A_0 = vector(np.zeros(6) if base_acceleration is None else base_acceleration, "base_acceleration", 6)
        fall = np.concatenate([np.zeros(3), self.gravity])
        V_base, motion = _apply(self.B, V_0), _apply(self.A, qd)
        V = _apply(self.L, motion + V_base)  # (7)
        turning = _apply(_ad(motion), _apply(self.Gamma, V) + V_base)
        Vd = _apply(self.L, _apply(self.A, qdd) - turning + _apply(self.B, A_0 - fall))  # (7)
        F = _apply(self.G, Vd) - _apply(_T(_ad(V)), _apply(self.G, V))
        if link_wrenches is not None:
            acting = array(link_wrenches, "link_wrenches", ("...", self.bodies, 6))
            F = F - acting.reshape(*acting.shape[:-2], 6 * self.bodies)
        tau = _apply(_T(self.body.jacobian), F) + self.rotors * qdd  # (8)
        if tool_wrench is not None:
            tau = tau + _apply(_T(self.jacobian()), vector(tool_wrench, "tool_wrench", 6))  # (8)
        return tau


def tree_factors(tree: Tree, q: Any, tool: tuple[int, Any] | None = None) -> Factors:
    """The factors at q (..., nq). tool: the body that carries it and its (4, 4) pose there."""
    q, n = vector(q, "q", tree.nq), tree.n
    batch, size = q.shape[:-1], 6 * len(tree.bodies)
    motions = tree.motions([q[..., i] for i in range(tree.nq)])
    H: list[SE3] = []
    moved: list[SE3] = []  # from home, in the body's own frame
    for body, motion in zip(tree.bodies, motions, strict=True):
        start = body.joint.motion(body.joint.neutral())
        home = body.M @ start
        H.append(H[body.parent] @ home if body.parent >= 0 else home)
        moved.append(start.inv() @ motion.E)

    A, G, Q, D = np.zeros((size, n)), np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size))
    A_space, B = np.zeros((size, n)), np.zeros((*batch, size, 6))
    for i, body in enumerate(tree.bodies):
        rows = slice(6 * i, 6 * i + 6)
        for k, S in enumerate(body.columns, body.v):
            A[rows, k], A_space[rows, k] = _twist(S), _twist(H[i].Ad(S))  # (3), (10)
        G[rows, rows], D[rows, rows] = _inertia(body.G), _inertia(body.G.moved(H[i]))  # (3), (10)
        Q[rows, rows] = _Ad(H[i], ())  # (11)
        if body.parent < 0:
            B[..., rows, :] = _Ad(motions[i].T.inv(), batch)  # (2)
    Gamma, L = _transport(tree, batch, lambda i: motions[i].T.inv())
    _, L_space = _transport(tree, batch, lambda i: H[i] @ moved[i].inv() @ H[i].inv())
    if tool is not None:
        tool = tool[0], np.array(tool[1], dtype=float)
        tool[1].flags.writeable = False
    return Factors(
        A,
        G,
        Gamma,
        L,
        B,
        Q,
        Factorization(A_space, D, L_space),
        np.array([*tree.gravity]),
        np.array(rotors(tree)),
        tool,
    )


def _transport(tree: Tree, batch: tuple[int, ...], step: Callable[[int], SE3]) -> tuple[np.ndarray, np.ndarray]:
    """Gamma, with Ad(step(i)) at (i, parent), and L, each (..., 6b, 6b)."""
    size = 6 * len(tree.bodies)
    Gamma, L = np.zeros((*batch, size, size)), np.zeros((*batch, size, size))
    for i, body in enumerate(tree.bodies):
        rows, above = slice(6 * i, 6 * i + 6), slice(6 * body.parent, 6 * body.parent + 6)
        L[..., rows, rows] = np.eye(6)  # (1)
        if body.parent >= 0:
            Gamma[..., rows, above] = _Ad(step(i), batch)  # (1)
            L[..., rows, : 6 * i] = Gamma[..., rows, above] @ L[..., above, : 6 * i]  # (1): L = 1 + Gamma L
    return Gamma, L


def _T(X: np.ndarray) -> np.ndarray:
    return np.swapaxes(X, -1, -2)


def _apply(X: np.ndarray, v: np.ndarray) -> np.ndarray:
    return (X @ v[..., None])[..., 0]


def _skew(v: np.ndarray) -> np.ndarray:
    """[v], (..., 3, 3), of v (..., 3)."""
    return np.cross(np.eye(3), v[..., None, :])


def _ad(V: np.ndarray) -> np.ndarray:
    """[ad_V] = diag(ad_{V_1}, ..., ad_{V_n}), (..., 6n, 6n), of a stacked V (..., 6n). [SE3-1]"""
    out = np.zeros((*V.shape, V.shape[-1]))
    for k in range(0, V.shape[-1], 6):
        w, v = _skew(V[..., k : k + 3]), _skew(V[..., k + 3 : k + 6])
        out[..., k : k + 3, k : k + 3] = out[..., k + 3 : k + 6, k + 3 : k + 6] = w
        out[..., k + 3 : k + 6, k : k + 3] = v
    return out


def _Ad(T: SE3, batch: tuple[int, ...]) -> np.ndarray:
    """The matrix of Ad_T, (..., 6, 6), for a motion whose leaves broadcast to `batch`. [SE3-2]"""
    R, p, out = np.empty((*batch, 3, 3)), np.empty((*batch, 3)), np.zeros((*batch, 6, 6))
    for i, row in enumerate(T.R.matrix):
        for j, x in enumerate(row):
            R[..., i, j] = x
    for i, x in enumerate(T.p):
        p[..., i] = x
    out[..., :3, :3] = out[..., 3:, 3:] = R
    out[..., 3:, :3] = _skew(p) @ R
    return out


def _twist(V: Twist) -> np.ndarray:
    return np.array([*V.w, *V.v])


def _inertia(G: SpatialInertia) -> np.ndarray:
    """[[I, [h]], [-[h], m 1]]. [SE3-8]"""
    h = _skew(np.array([*G.h]))
    return np.block([[np.array([[*row] for row in G.I.matrix]), h], [-h, G.mass * np.eye(3)]])
