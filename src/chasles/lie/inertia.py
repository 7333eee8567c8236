"""Inertias: of a rigid body, and of an articulated one.

A rigid body in a frame is its mass m, first moment h = m c and second moment S = int r r^T dm: the entries of the
4x4 pseudo-inertia [[S, h], [h^T, m]], which a motion T carries to T [[S, h], [h^T, m]] T^T. With I = tr(S) 1 - S:

    G V = (I w + h x v, m v + w x h)                                             (1)  [SE3-8]
    T:  h' = R h + m p,  S' = R S R^T + p (R h)^T + (R h) p^T + m p p^T          (2)
    dG/dt (frame at rest, body moving at V):  h' = m v + w x h,
          S' = A + A^T,  A = [w] S + v h^T                                       (3)  [KOOL-3]
    force on the acceleration field a + U r, U = [wdot] + [w]^2:
          f = m a + U h,  moment = h x a + axial(U S)                            (4)  [SE3-9]

An articulated inertia is any symmetric [[A, H], [H^T, M]]. From an origin that the old one is p away from, and P = [p]:

    H' = H + P M,   A' = A + P H'^T + H P^T                                      (5)

The Coriolis inertia of a body whose points move at rdot maps an angular velocity x to the wrench of the acceleration
x cross rdot. With p = int rdot dm, K = int rdot r^T dm and E = tr(K) 1 - K:

    B x = (E x, x cross p),   B^T (s, u) = E^T s + p cross u                     (6)

Of a body that turns at w about the origin K = [w] S and p = w x h. From an origin that the old one is t away from, and
moves away from at u, with m and h' as they are there:

    p' = p + m u,   K' = K + p t^T + u h'^T                                      (7)
"""

from typing import Any

from chasles.lie.se3 import SE3
from chasles.lie.so3 import SO3
from chasles.lie.turning import turned, turned_symmetric
from chasles.lie.twist import Twist
from chasles.lie.vec3 import Mat3, Sym3, Vec3
from chasles.lie.wrench import Wrench
from chasles.reprs import leaves_html, matrix_html, of_leaves
from chasles.scalar.ops import is_constant


class SpatialInertia:
    """Mass, first moment h and second moment S of a rigid body in a frame."""

    __slots__ = ("S", "h", "mass")

    def __init__(self, mass: Any, h: Vec3, S: Sym3) -> None:
        self.mass, self.h, self.S = mass, h, S

    @staticmethod
    def zero() -> "SpatialInertia":
        return SpatialInertia(0.0, Vec3.zero(), Sym3.zero())

    @staticmethod
    def at(mass: Any, com: Vec3, inertia: Sym3) -> "SpatialInertia":
        """From mass, centre of mass and inertia about it, in the frame's axes, by Steiner's theorem. [SE3-10]"""
        return SpatialInertia(mass, com * mass, inertia.moments() + Sym3.square(com, mass))

    @property
    def I(self) -> Sym3:  # noqa: E743
        """The rotational inertia about the frame's origin."""
        return self.S.inertia()

    def _articulated(self) -> "ArticulatedInertia":
        return ArticulatedInertia(self.I, Mat3.skew(self.h), Sym3.scalar(self.mass))

    def __add__(self, G: "SpatialInertia") -> "SpatialInertia":
        return SpatialInertia(self.mass + G.mass, self.h + G.h, self.S + G.S)

    def __sub__(self, G: "SpatialInertia") -> "SpatialInertia":
        return SpatialInertia(self.mass - G.mass, self.h - G.h, self.S - G.S)

    def __mul__(self, s: Any) -> "SpatialInertia":
        return SpatialInertia(self.mass * s, self.h * s, self.S * s)

    __rmul__ = __mul__

    def __matmul__(self, V: Twist) -> Wrench:
        """The momentum G V."""
        return Wrench(self.I.dot(V.w) + self.h.cross(V.v), V.v * self.mass + V.w.cross(self.h))  # (1)

    def moved(self, T: SE3) -> "SpatialInertia":
        """The same body seen from frame a, where T = T_ab and this inertia is in b."""
        h = T.R @ self.h
        S = self.S.congruent(T.R.matrix) + Sym3.pair(T.p, h) + Sym3.square(T.p, self.mass)
        return SpatialInertia(self.mass, h + T.p * self.mass, S)  # (2)

    def rate(self, V: Twist) -> "SpatialInertia":
        """dG/dt seen from a frame at rest, for a body moving at V: -ad_V^T G - G ad_V."""
        A = Mat3.skew(V.w).matmul(self.S.matrix) + V.v.outer(self.h)
        return SpatialInertia(0.0, V.v * self.mass + V.w.cross(self.h), A.symmetric())  # (3)

    def force(self, a: Vec3, U: Mat3) -> Wrench:
        """The wrench that moves the body's points r with acceleration a + U r."""
        S, (x, y, z) = self.S, U
        moment = Vec3(
            z.x * S.xy - y.x * S.xz + (z.z - y.y) * S.yz + z.y * S.yy - y.z * S.zz,
            x.y * S.yz - z.y * S.xy + (x.x - z.z) * S.xz + x.z * S.zz - z.x * S.xx,
            y.z * S.xz - x.z * S.yz + (y.y - x.x) * S.xy + y.x * S.xx - x.y * S.yy,
        )  # axial(U S), written out so that S's off-diagonal entries are multiplied once
        return Wrench(self.h.cross(a) + moment, a * self.mass + U.dot(self.h))  # (4)

    def __repr__(self) -> str:
        return of_leaves("SpatialInertia", mass=self.mass, h=self.h, S=self.S)

    def _repr_html_(self) -> str:
        rows = [("mass", self.mass, "kg"), ("first moment h", self.h, "kg m")]
        return leaves_html("SpatialInertia", rows, matrix_html("second moment S", self.S.matrix, "in kg m\u00b2"))


class ArticulatedInertia:
    """A symmetric map [[A, H], [H^T, M]] from twists to wrenches."""

    __slots__ = ("A", "H", "M")

    def __init__(self, A: Sym3, H: Mat3, M: Sym3) -> None:
        self.A, self.H, self.M = A, H, M

    @staticmethod
    def rigid(G: SpatialInertia) -> "ArticulatedInertia":
        """The same map from twists to wrenches."""
        return G._articulated()

    def __add__(self, B: "ArticulatedInertia") -> "ArticulatedInertia":
        return ArticulatedInertia(self.A + B.A, self.H + B.H, self.M + B.M)

    def __matmul__(self, V: Twist) -> Wrench:
        return Wrench(self.A.dot(V.w) + self.H.dot(V.v), self.H.T.dot(V.w) + self.M.dot(V.v))

    def without(self, F: Wrench, d_inv: Any) -> "ArticulatedInertia":
        """The inertia left when a wrench direction is free to move: B - F F^T / d."""
        m, f = F.m * d_inv, F.f * d_inv
        A = Sym3(m.x * F.m.x, m.y * F.m.y, m.z * F.m.z, m.x * F.m.y, m.x * F.m.z, m.y * F.m.z)
        M = Sym3(f.x * F.f.x, f.y * F.f.y, f.z * F.f.z, f.x * F.f.y, f.x * F.f.z, f.y * F.f.z)
        return ArticulatedInertia(self.A - A, self.H - m.outer(F.f), self.M - M)

    def moved(self, T: SE3) -> "ArticulatedInertia":
        """The same map seen from frame a, where T = T_ab: Ad_{T^-1}^T B Ad_{T^-1}."""
        A, M = (turned_symmetric(X, T.R) for X in (self.A, self.M))
        rest = ArticulatedInertia(A, turned(self.H, T.R), M)
        # x last: in the frames of model/coordinates.py p_y and p_z lead along the child's axis z. A body that is free
        # to turn about z resists (z, 0) with no wrench, seen from any point of it: these zeros last until x.
        for k in (1, 2, 0):
            rest = rest._shifted(k, [*T.p][k])
        return rest

    def _shifted(self, k: int, t: Any) -> "ArticulatedInertia":
        """(5) for p = t e_k: rows i and j of P X are -t X_j and t X_i, with i, j, k cyclic, and row k is 0."""
        if is_constant(t, 0.0):
            return self
        A, H, M = ([[*row] for row in X] for X in (self.A.matrix, self.H, self.M.matrix))
        i, j = (k + 1) % 3, (k + 2) % 3
        new = [list(row) for row in H]
        new[i] = [h - t * m for h, m in zip(H[i], M[j], strict=True)]  # (5), H'
        new[j] = [h + t * m for h, m in zip(H[j], M[i], strict=True)]
        A[i][i] = A[i][i] - t * (H[i][j] + new[i][j])  # (5), A'
        A[j][j] = A[j][j] + t * (H[j][i] + new[j][i])
        A[i][j] = A[j][i] = A[i][j] + t * (H[i][i] - new[j][j])
        A[k][i] = A[i][k] = A[k][i] - t * H[k][j]
        A[k][j] = A[j][k] = A[k][j] + t * H[k][i]
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = A
        return ArticulatedInertia(Sym3(xx, yy, zz, xy, xz, yz), Mat3(*(Vec3(*row) for row in new)), self.M)


class CoriolisInertia:
    """What a moving body's Coriolis acceleration costs: (6), kept as p and E."""

    __slots__ = ("E", "p")

    def __init__(self, p: Vec3, E: Mat3) -> None:
        self.p, self.E = p, E

    @staticmethod
    def turning(G: SpatialInertia, w: Vec3) -> "CoriolisInertia":
        """Of a body that turns at w about the frame's origin."""
        return CoriolisInertia(w.cross(G.h), -Mat3.skew(w).matmul(G.S.matrix))  # the trace of [w] S is zero

    def __add__(self, B: "CoriolisInertia") -> "CoriolisInertia":
        return CoriolisInertia(self.p + B.p, self.E + B.E)

    def turned(self, R: SO3) -> "CoriolisInertia":
        """The same in axes a, where R = R_ab."""
        return CoriolisInertia(R @ self.p, turned(self.E, R))

    def shifted(self, t: Vec3, u: Vec3, G: SpatialInertia) -> "CoriolisInertia":
        """The same seen from an origin that this one is t away from and leaves at u; G: the body's inertia there."""
        K = self.p.outer(t) + u.outer(G.h)  # what (7) adds
        trace = K.a.x + K.b.y + K.c.z
        E = Mat3(Vec3(trace, 0.0, 0.0), Vec3(0.0, trace, 0.0), Vec3(0.0, 0.0, trace)) - K
        return CoriolisInertia(self.p + u * G.mass, self.E + E)

    def __matmul__(self, x: Vec3) -> Wrench:
        return Wrench(self.E.dot(x), x.cross(self.p))  # (6)

    def transposed(self, S: Twist) -> Vec3:
        """B^T S: the moment m with m . x = <B x, S>."""
        return self.E.T.dot(S.w) + self.p.cross(S.v)  # (6)
