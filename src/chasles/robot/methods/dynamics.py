"""Dynamics: forces, motions, matrices, energies, momenta, each a recursion of dynamics/."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from chasles.arguments import vector
from chasles.errors import ModelError
from chasles.robot.methods.base import Array, Methods
from chasles.robot.methods.forward import forward

if TYPE_CHECKING:
    from chasles.formulations.closed_form import Factors


class DynamicsMethods(Methods):
    """tau = M qdd + C qd + g + J^T tool_wrench; gravity as the robot has it."""

    @forward
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
    ) -> Array:
        """(..., n) the joint forces tau = M qdd + C qd + g + J^T tool_wrench - sum of J_i^T link_wrenches_i.

        By the recursive Newton-Euler algorithm (RNEA), O(n). q, qd, qdd: (..., n).
        tool_wrench: (..., 6) what the tool exerts ON its surroundings, in the tool frame.
        link_wrenches: (..., n, 6) what acts ON each link, in its link frame (mind the signs: they differ).
        base_velocity, base_acceleration: (..., 6) twist of the base and its derivative, in the base frame.
        """
        ...

    @forward
    def joint_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        base_acceleration: ArrayLike | None = None,
    ) -> Array:
        """(..., n, 6) the wrench that each joint passes on to its link, in the link frame: the joint's reaction and
        its drive together. Arguments as for `inverse_dynamics`."""
        ...

    @forward
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> Array:
        """(..., n) the accelerations qdd = M^-1 (tau - C qd - g - J^T tool_wrench + sum of J_i^T link_wrenches_i).

        By the articulated-body algorithm (ABA, Featherstone's), O(n). q, qd, tau: (..., n).
        Wrenches as for `inverse_dynamics`.
        """
        ...

    @forward
    def forward_dynamics_by_solving(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> Array:
        """(..., n) as `forward_dynamics`, by L D L^T (Cholesky) of the mass matrix: slower, a check."""
        ...

    @forward
    def mass_matrix(self, q: ArrayLike) -> Array:
        """(..., n, n) M(q), by the composite-rigid-body algorithm (CRBA). q: (..., n)."""
        ...

    @forward
    def mass_matrix_inverse(self, q: ArrayLike) -> Array:
        """(..., n, n) M(q)^-1, from articulated bodies. q: (..., n)."""
        ...

    @forward
    def mass_matrix_sqrt(self, q: ArrayLike) -> Array:
        """(..., n, n) W(q) with M = W W^T, upper triangular: a Cholesky factor from the tips on. q: (..., n)."""
        ...

    @forward
    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n, n) C(q, qd) of the Christoffel symbols: Mdot - 2C is skew. q, qd: (..., n)."""
        ...

    @forward
    def gravity_forces(self, q: ArrayLike) -> Array:
        """(..., n) g(q), the joint forces that hold the robot still. q: (..., n)."""
        ...

    @forward
    def bias_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> Array:
        """(..., n) C(q, qd) qd + g(q), and the wrenches' part if given: nonlinear effects. q, qd: (..., n)."""
        ...

    @forward
    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) joules. q, qd: (..., n)."""
        ...

    @forward
    def potential_energy(self, q: ArrayLike) -> Array:
        """(...) joules, zero for masses level with the space frame's origin. q: (..., n)."""
        ...

    @forward
    def centre_of_mass(self, q: ArrayLike) -> Array:
        """(..., 3) in the space frame. q: (..., n)."""
        ...

    @forward
    def centre_of_mass_jacobian(self, q: ArrayLike) -> Array:
        """(..., 3, n) the derivative of `centre_of_mass`. q: (..., n)."""
        ...

    @forward
    def centroidal_momentum_matrix(self, q: ArrayLike) -> Array:
        """(..., 6, n) with A(q) qd the momentum (angular, linear) about the centre of mass, in space axes (CCRBA)."""
        ...

    @forward
    def centroidal_momentum_matrix_derivative(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., 6, n) the time derivative of `centroidal_momentum_matrix` along qd. q, qd: (..., n)."""
        ...

    def factors(self, q: ArrayLike) -> Factors:
        """The stacked closed form of Park, Bobrow and Ploen at q: the factors of M = A^T L^T G L A. q: (..., n)."""
        from chasles.formulations import closed_form

        x = vector(q, "factors: q", self.nq)
        if not self._mechanism.coupling.is_trivial:
            raise ModelError(f"robot {self.name!r} has mimic joints: its mass matrix is not that of a tree")
        tool = self._mechanism.tool
        return closed_form.tree_factors(self._mechanism.tree, x, (tool.body, tool.pose) if tool else None)
