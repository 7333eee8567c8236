"""The robot as a Riemannian manifold: connection and curvature (geometry/)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from chasles.errors import ModelError, ShapeError
from chasles.methods.base import COMPILED, Array, Methods
from chasles.model.leaves import is_zero

if TYPE_CHECKING:
    from chasles.analysis.balance import Balance, Counterweight
    from chasles.analysis.flatness import Flatness, Isometry

CURVED = {"riemann_curvature", "ricci_curvature", "scalar_curvature", "sectional_curvature"}


class GeometryMethods(Methods):
    """Tensors have the equation, or the lowered index, first and derivative indices last.

    Up to 12 degrees of freedom they are compiled kernels; beyond, they are computed link by link, in NumPy.
    """

    def mass_matrix_derivatives(self, q: ArrayLike, order: Literal[1, 2] = 1) -> Array:
        """(..., n, n, n) dM_ij/dq_k at [i, j, k], or (..., n, n, n, n) d2M_ij/dq_k dq_l at [i, j, k, l]. q: (..., nq).

        Along the columns of the joints: on spherical and free joints derivatives are along v of `integrate(q, v)`, and
        [i, j, k, l] is the derivative along l of that along k.
        """
        if order == 1:
            return self._tensor("mass_matrix_derivatives", q)
        if order == 2:
            return self._tensor("mass_matrix_second_derivatives", q)
        raise ModelError(f"order must be 1 or 2, got {order!r}")

    def christoffel_symbols(self, q: ArrayLike, kind: Literal[1, 2] = 1) -> Array:
        """(..., n, n, n) Gamma[i, j, k], i the equation: C_ij = sum over k of Gamma_ijk qd_k. q: (..., nq).

        kind: 1, all indices down; 2, the first raised by M^-1. On spherical and free joints these are the connection
        coefficients of the body velocities, Gamma_ijk = <nabla of e_j along e_k, e_i>, not symmetric in j and k.
        """
        if kind == 1:
            return self._tensor("christoffel_symbols", q)
        if kind == 2:
            return self._tensor("christoffel_symbols_second_kind", q)
        raise ModelError(f"kind must be 1 or 2, got {kind!r}")

    def riemann_curvature(self, q: ArrayLike) -> Array:
        """(..., n, n, n, n) R_ijkl, all indices down: R_1212 / det M is the curvature of a surface. q: (..., nq)."""
        return self._tensor("riemann_curvature", q)

    def ricci_curvature(self, q: ArrayLike) -> Array:
        """(..., n, n) Ric_jl, the sum of M^ik R_ijkl. q: (..., nq)."""
        return self._tensor("ricci_curvature", q)

    def scalar_curvature(self, q: ArrayLike) -> Array:
        """(...) the sum of M^jl Ric_jl. q: (..., nq)."""
        return self._tensor("scalar_curvature", q)

    def sectional_curvature(self, q: ArrayLike, u: ArrayLike, v: ArrayLike) -> Array:
        """(...) the curvature of the surface that geodesics in the plane of u and v make. q: (..., nq), u, v: (..., n).

        In 1/(kg m^2) where joints turn. nan where u and v are parallel, or within 1e-6 of it.
        """
        if self.n < 2:
            raise ModelError(
                f"sectional_curvature: robot {self.name!r} has fewer than two degrees of freedom: no plane"
            )
        if self.n <= COMPILED:
            return self._call("sectional_curvature", (q, u, v))
        from chasles.geometry.by_links import sectional_curvature

        planes = [self._real("sectional_curvature", name, x, self.n) for name, x in (("u", u), ("v", v))]
        try:
            np.broadcast_shapes(np.shape(q)[:-1], *(x.shape[:-1] for x in planes))
        except ValueError:
            raise ShapeError("sectional_curvature: the leading axes of q, u and v do not broadcast") from None
        return sectional_curvature(self.riemann_curvature(q), self._call("mass_matrix", (q,)), *planes)

    def flatness(self, samples: int = 64, seed: int = 0, tolerance: float = 1e-9) -> Flatness:
        """Whether the robot is flat, R = 0, at random configurations within its limits; the worst |R| and where."""
        from chasles.analysis.flatness import flatness

        return flatness(self, samples, seed, tolerance)

    def isometry(self, q0: ArrayLike, *, tolerance: float = 1e-9) -> Isometry:
        """Of a flat robot, the coordinates phi(q), phi(q0) = 0, in which its dynamics are linear; q0: (nq,).

        With N = dphi/dq: N^T N = M and d/dt (N qd) = N^-T (tau - g). A curved robot, by `flatness` with that
        tolerance, is refused.
        """
        from chasles.analysis.flatness import isometry

        return isometry(self, q0, tolerance=tolerance)

    def balance(self, samples: int = 64, seed: int = 0, tolerance: float = 1e-9) -> Balance:
        """Whether the mass matrix is constant, and which joints, by what they carry, change it."""
        from chasles.analysis.balance import balance

        return balance(self, samples, seed, tolerance)

    def counterweights(self, radius: float | Mapping[str, float]) -> tuple[Counterweight, ...]:
        """The masses that balance a planar chain, each at `radius` (metres; or by link) from its joint's axis."""
        from chasles.analysis.balance import counterweights

        return counterweights(self, radius)

    def balancing_coms(self) -> tuple[tuple[str, Array], ...]:
        """The centres of mass, in their link frames, that balance a planar chain with the masses it has."""
        from chasles.analysis.balance import balancing_coms

        return balancing_coms(self)

    def balanced(self, radius: float | Mapping[str, float]) -> Any:
        """The robot with its `counterweights`: its mass matrix is constant."""
        from chasles.analysis.balance import balanced

        return balanced(self, radius)

    def _tensor(self, name: str, q: ArrayLike) -> Any:
        if self.n <= COMPILED:
            return self._call(name, (q,))
        from chasles.geometry import by_links

        if name in CURVED:
            self._refuse_rotors((name,))
        if name in CURVED or name == "christoffel_symbols_second_kind":
            self._refuse_singular((name,))
        x = self._real(name, "q", q, self.nq)
        m = self._mechanism
        rows = [by_links.tensor(name, m.tree, m.coupling, row) for row in x.reshape(-1, self.nq)]
        return np.array(rows).reshape((*x.shape[:-1], *(self.n,) * by_links.AXES[name]))[()]

    def _refuse_rotors(self, names: tuple[str, ...]) -> None:
        """Rotors behind a joint of several degrees are forces, not part of a metric on its group."""
        m = self._mechanism
        for joint, body in zip(m.joint_names, m.tree.bodies, strict=True):
            if body.joint.nv > 1 and not is_zero(*body.armature):
                raise ModelError(
                    f"{', '.join(names)}: joint {joint!r} has several degrees of freedom and armature, which is no "
                    "part of a metric: set its armature to zero"
                )
