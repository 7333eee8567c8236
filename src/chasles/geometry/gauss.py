"""Sectional curvature by Gauss' equation: how far the accelerations of geodesics are from being geodesic.

The robot's configurations are a submanifold of the places of all its particles, a flat space with the metric of their
masses. Moving at u the particles accelerate, in their link's frame, by a field a + U r, bilinear in velocities u and v
(newton_euler.py, polarised),

    w_u    = R^T w_u,p + s u_i                                                    (1)
    wd_uv  = R^T wd_uv,p + s x_i + (w_u x s v_i + w_v x s u_i) / 2                (2)
    a_uv   = R^T (a_uv,p + U_uv,p p_i) + t x_i + ((w_u + R^T w_u,p) x t v_i + (w_v + R^T w_v,p) x t u_i) / 2    (3)
    U_uv   = [wd_uv] + ([w_u][w_v] + [w_v][w_u]) / 2                              (4)

with S_i = (s, t). Joint accelerations x for which no joint force is needed leave the part that is normal to the
submanifold, its second fundamental form B(u, v), and with <f, g> the sum over particles,

    K = (<B(u, u), B(v, v)> - <B(u, v), B(u, v)>) / (|u|^2 |v|^2 - <u, v>^2)      (5)  [CUR-4]

The tensor of curvature.py is a difference of numbers that grow as the inverse of M; here vectors are subtracted before
they are squared, and an error of x counts by its square alone. v is made orthogonal to u first. x_k moves the particles
by x_k sqrt(M_kk), and forces are known to so much less; with M = L D L^T a field b = B(u, v) is known to

    e(b)^2 = eps^2 (|b|^2 + n sum of M_kk x_k^2) (1 + sum of z_k^2 / D_k),   |L| z = sqrt(M_kk), |L| with -|L_kj|    (6)

and K is nan where that leaves an error above LEAST_DIGITS of it, or of 1 / tr M, the trace over joints that turn. O(n)
and one solution with M.
"""

from typing import Any, NamedTuple

from chasles.dynamics.composite_body import Matrix
from chasles.dynamics.linear_solve import factored, solve_factored
from chasles.dynamics.matrices import dot
from chasles.geometry.curvature import LEAST_DIGITS, ROUNDING, turning_trace
from chasles.lie import Mat3, SpatialInertia, Vec3, Wrench
from chasles.model.coupling import Coupling
from chasles.model.tree import Tree, rotors
from chasles.scalar.ops import absolute, less, less_equal, maximum, sqrt, where

LEAST_SQUARED_SINE = 1e-12  # the squared sine of an angle below which two vectors span no plane


class Field(NamedTuple):
    """The accelerations a + U r of a link's points."""

    a: Vec3
    U: Mat3


def inner(G: SpatialInertia, f: Field, g: Field) -> Any:
    """The sum over a link's particles of the products of two fields."""
    first = f.a.dot(g.a) * G.mass + f.a.dot(g.U.dot(G.h)) + g.a.dot(f.U.dot(G.h))
    S = G.S.matrix
    return first + sum((S.dot(x).dot(y) for x, y in zip(f.U, g.U, strict=True)), start=0.0)


class _Motion:
    """A tree at q."""

    def __init__(self, tree: Tree, q: Any) -> None:
        self.tree, self.motions = tree, tree.motions(q)

    def turning(self, v: Any) -> list[tuple[Vec3, Vec3]]:
        """Of each link R^T w_p and w, in its frame."""
        out: list[tuple[Vec3, Vec3]] = []
        for body, X in zip(self.tree.bodies, self.motions, strict=True):
            carried = X.rotate_inv(out[body.parent][1]) if body.parent >= 0 else Vec3.zero()
            out.append((carried, carried + body.twist(v).w))  # (1)
        return out

    def fields(self, u: Any, v: Any, x: Any) -> list[Field]:
        """Of each link, at velocities u and v and accelerations x."""
        w_u, w_v = self.turning(u), self.turning(v)
        wd: list[Vec3] = []
        out: list[Field] = []
        for i, (body, X) in enumerate(zip(self.tree.bodies, self.motions, strict=True)):
            p = body.parent
            wd_p, (a_p, U_p) = (wd[p], out[p]) if p >= 0 else (Vec3.zero(), Field(Vec3.zero(), Mat3.skew(Vec3.zero())))
            (b_u, c_u), (b_v, c_v) = w_u[i], w_v[i]
            S_u, S_v, S_x = body.twist(u), body.twist(v), body.twist(x)
            wd.append(X.rotate_inv(wd_p) + S_x.w + (c_u.cross(S_v.w) + c_v.cross(S_u.w)) * 0.5)  # (2)
            twice = (c_u + b_u).cross(S_v.v) + (c_v + b_v).cross(S_u.v)
            a = X.rotate_inv(a_p + U_p.dot(X.p)) + S_x.v + twice * 0.5  # (3)
            A = Mat3.skew(c_u).matmul(Mat3.skew(c_v)) * 0.5
            out.append(Field(a, Mat3.skew(wd[i]) + (A + A.T)))  # (4)
        return out

    def forces(self, fields: list[Field]) -> list[Any]:
        """The joint forces that a field needs, without those of rotors."""
        F: list[Wrench] = [body.G.force(*field) for body, field in zip(self.tree.bodies, fields, strict=True)]
        for i in reversed(range(len(F))):
            p = self.tree.bodies[i].parent
            if p >= 0:
                F[p] = F[p] + self.motions[i].Ad_inv_star(F[i])
        return self.tree.pairings(F)


class _Normal(NamedTuple):
    """B(u, v): the field of each link, and the joint accelerations x, of the tree's joints and of the robot's own."""

    fields: list[Field]
    x: list[Any]
    own: list[Any]


class _Robot(NamedTuple):
    """A robot at a configuration: its tree's motion, how joints follow, its mass matrix and the factors of it."""

    motion: _Motion
    coupling: Coupling
    M: Matrix
    factors: tuple[Matrix, list[Any]]
    loss: Any

    def normal(self, u: list[Any], v: list[Any]) -> _Normal:
        y_u, y_v = self.coupling.velocities(u), self.coupling.velocities(v)
        forces = self.motion.forces(self.motion.fields(y_u, y_v, [0.0] * len(y_u)))
        own = solve_factored(self.factors, [-f for f in self.coupling.forces(forces)])
        x = self.coupling.velocities(own)
        return _Normal(self.motion.fields(y_u, y_v, x), x, own)

    def inner(self, f: _Normal, g: _Normal) -> Any:
        total: Any = 0.0
        for body, a, b in zip(self.motion.tree.bodies, f.fields, g.fields, strict=True):
            total = total + inner(body.G, a, b)
        for rotor, a, b in zip(rotors(self.motion.tree), f.x, g.x, strict=True):
            total = total + a * b * rotor
        return total

    def doubt(self, f: _Normal, square: Any) -> Any:
        """(6), of a field of this square."""
        moved = dot([self.M[k][k] for k in range(len(self.M))], [x * x for x in f.own])
        return (square + moved * float(len(self.M))) * self.loss * ROUNDING**2


def _loss(M: Matrix, L: Matrix, D: list[Any]) -> Any:
    """The last factor of (6): how much larger solving with M makes what it is given."""
    z: list[Any] = []
    total: Any = 1.0
    for k, pivot in enumerate(D):
        z.append(sqrt(M[k][k]) + dot([absolute(x) for x in L[k][:k]], z))
        total = total + z[k] * z[k] / pivot
    return total


def sectional_curvature(tree: Tree, coupling: Coupling, M: Matrix, q: Any, u: Any, v: Any) -> Any:
    """K of the plane of u and v, velocities of the robot's own; M its mass matrix, q coordinates of the tree.

    nan where they are parallel, and where M is too near to singular.
    """
    factors = factored(M)
    robot = _Robot(_Motion(tree, q), coupling, M, factors, _loss(M, *factors))
    Mu, vv = [dot(row, u) for row in M], dot(v, [dot(row, v) for row in M])
    uu = dot(u, Mu)
    share = dot(v, Mu) / uu
    v = [y - x * share for x, y in zip(u, v, strict=True)]
    Mv = [dot(row, v) for row in M]
    rest, uv = dot(v, Mv), dot(u, Mv)
    area = uu * rest - uv * uv
    pairs = robot.normal(u, u), robot.normal(v, v), robot.normal(u, v)
    squares = [robot.inner(f, f) for f in pairs]
    e_u, e_v, e_uv = (robot.doubt(f, square) for f, square in zip(pairs, squares, strict=True))
    top = robot.inner(pairs[0], pairs[1]) - squares[2]
    doubt = e_u * squares[1] + e_v * squares[0] + e_uv * squares[2] * 4.0 + e_u * e_v + e_uv * e_uv
    least = area / turning_trace(tree, coupling, M)
    bound = maximum(top * top, least * least) * LEAST_DIGITS**2
    known = less_equal(doubt, where(less(vv * LEAST_SQUARED_SINE, rest), bound, -1.0))
    return where(known, top, 0.0) / where(known, area, 0.0)  # (5)
