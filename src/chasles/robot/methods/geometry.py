"""The robot as a Riemannian manifold: the Levi-Civita connection of the inertia metric, its curvature (geometry/)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, Self

from numpy.typing import ArrayLike

from chasles.robot.methods.base import Array, Methods
from chasles.robot.methods.forward import forward, forward_by

if TYPE_CHECKING:
    from chasles.riemann.balance import Balance, Counterweight
    from chasles.riemann.flatness import Flatness, Isometry


class GeometryMethods(Methods):
    """Tensors have the equation, or the lowered index, first and derivative indices last.

    Up to 12 degrees of freedom they are compiled kernels; beyond, they are computed link by link, in NumPy. Where M is
    so near to singular that rounding leaves less than four digits, what is computed with its inverse is nan.
    """

    @forward_by("order", {1: "mass_matrix_derivatives", 2: "mass_matrix_second_derivatives"})
    def mass_matrix_derivatives(self, q: ArrayLike, order: Literal[1, 2] = 1) -> Array:
        """(..., n, n, n) dM_ij/dq_k at [i, j, k], or (..., n, n, n, n) d2M_ij/dq_k dq_l at [i, j, k, l]. q: (..., nq).

        Along the columns of the joints: on spherical and free joints derivatives are along v of `integrate(q, v)`, and
        [i, j, k, l] is the derivative along l of that along k.
        """
        ...

    @forward_by("kind", {1: "christoffel_symbols", 2: "christoffel_symbols_second_kind"})
    def christoffel_symbols(self, q: ArrayLike, kind: Literal[1, 2] = 1) -> Array:
        """(..., n, n, n) Gamma[i, j, k], i the equation: C_ij = sum over k of Gamma_ijk qd_k. q: (..., nq).

        Those of the Levi-Civita connection of the inertia metric. kind: 1, all indices down; 2, the first raised by
        M^-1. On spherical and free joints these are the connection coefficients of the body velocities,
        Gamma_ijk = <nabla of e_j along e_k, e_i>, not symmetric in j and k.
        """
        ...

    @forward
    def riemann_curvature(self, q: ArrayLike) -> Array:
        """(..., n, n, n, n) R_ijkl, all indices down: R_1212 / det M is the curvature of a surface. q: (..., nq)."""
        ...

    @forward
    def ricci_curvature(self, q: ArrayLike) -> Array:
        """(..., n, n) Ric_jl, the sum of M^ik R_ijkl. q: (..., nq)."""
        ...

    @forward
    def scalar_curvature(self, q: ArrayLike) -> Array:
        """(...) the sum of M^jl Ric_jl. q: (..., nq)."""
        ...

    @forward
    def sectional_curvature(self, q: ArrayLike, u: ArrayLike, v: ArrayLike) -> Array:
        """(...) the curvature of the surface that geodesics in the plane of u and v make. q: (..., nq), u, v: (..., n).

        In 1/(kg m^2) where joints turn. nan where u and v are parallel, or within 1e-6 of it. It keeps its digits much
        nearer to a singular M than the tensors do.
        """
        ...

    def flatness(self, samples: int = 64, seed: int = 0, tolerance: float = 1e-9) -> Flatness:
        """Whether the robot is flat, R = 0, at random configurations within its limits; the worst |R| and where."""
        from chasles.riemann.flatness import flatness

        return flatness(self, samples, seed, tolerance)

    def isometry(self, q0: ArrayLike, *, tolerance: float = 1e-9) -> Isometry:
        """Of a flat robot, the coordinates phi(q), phi(q0) = 0, in which its dynamics are linear; q0: (nq,).

        With N = dphi/dq: N^T N = M and d/dt (N qd) = N^-T (tau - g). A curved robot, by `flatness` with that
        tolerance, is refused.
        """
        from chasles.riemann.flatness import isometry

        return isometry(self, q0, tolerance=tolerance)

    def balance(self, samples: int = 64, seed: int = 0, tolerance: float = 1e-9) -> Balance:
        """Whether the mass matrix is constant, and which joints, by what they carry, change it."""
        from chasles.riemann.balance import balance

        return balance(self, samples, seed, tolerance)

    def counterweights(self, radius: float | Mapping[str, float]) -> tuple[Counterweight, ...]:
        """The masses that balance a planar chain, each at `radius` (metres; or by link) from its joint's axis."""
        from chasles.riemann.balance import counterweights

        return counterweights(self, radius)

    def balancing_coms(self) -> tuple[tuple[str, Array], ...]:
        """The centres of mass, in their link frames, that balance a planar chain with the masses it has."""
        from chasles.riemann.balance import balancing_coms

        return balancing_coms(self)

    def balanced(self, radius: float | Mapping[str, float]) -> Self:
        """The robot with its `counterweights`: its mass matrix is constant."""
        from chasles.riemann.balance import balanced

        return balanced(self, radius)
