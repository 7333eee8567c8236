"""Derivatives of the dynamics, by the state and by the robot's geometry (dynamics/*derivatives.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from numpy.typing import ArrayLike

from chasles.reprs import record
from chasles.robot.methods.base import Array, Methods
from chasles.robot.methods.forward import forward

if TYPE_CHECKING:
    from chasles.derivatives.linearize import Linearization


@record()
class InverseDynamicsDerivatives(NamedTuple):
    """Each (..., n, n)."""

    dtau_dq: Array
    dtau_dqd: Array
    dtau_dqdd: Array


@record()
class ForwardDynamicsDerivatives(NamedTuple):
    """Each (..., n, n)."""

    dqdd_dq: Array
    dqdd_dqd: Array
    dqdd_dtau: Array


@record()
class InverseDynamicsSecondDerivatives(NamedTuple):
    """Each (..., n, n, n): [i, j, k] is the derivative by the last name's component k of d tau_i / d (first name)_j."""

    d2tau_dq_dq: Array
    d2tau_dqd_dq: Array
    d2tau_dqd_dqd: Array
    d2tau_dqdd_dq: Array


@record()
class ForwardDynamicsSecondDerivatives(NamedTuple):
    """Each (..., n, n, n): [i, j, k] is the derivative by the last name's component k of d qdd_i / d (first name)_j."""

    d2qdd_dq_dq: Array
    d2qdd_dqd_dq: Array
    d2qdd_dqd_dqd: Array
    d2qdd_dtau_dq: Array


@record()
class ModelDerivatives(NamedTuple):
    """By a twist (angular, linear) of each joint's frame; links and twist components are the last two axes.

    homes: joint and all that it carries move by it, M_j -> M_j exp(x). screws: the axis alone moves, S_j ->
    Ad(exp x) S_j, and the home pose of its link stays. Both in the link frame as it is at q_j = 0.
    """

    homes: Array
    screws: Array


class DerivativeMethods(Methods):
    """Derivatives by q are in the tangent space: along v of `integrate(q, v)`, so that nq > n is no matter."""

    @forward
    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> InverseDynamicsDerivatives:
        """(dtau_dq, dtau_dqd, dtau_dqdd), each (..., n, n), by an O(n^2) recursion. dtau_dqdd is the mass matrix.

        q: (..., nq), qd, qdd: (..., n); wrenches as for `inverse_dynamics`, constant in their frames.
        """
        ...

    @forward
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> ForwardDynamicsDerivatives:
        """(dqdd_dq, dqdd_dqd, dqdd_dtau), each (..., n, n). dqdd_dtau is the inverse of the mass matrix.

        q: (..., nq), qd, tau: (..., n); wrenches as for `forward_dynamics`, constant in their frames.
        """
        ...

    @forward
    def inverse_dynamics_derivatives_along(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        dq: ArrayLike,
        dqd: ArrayLike,
        dqdd: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> InverseDynamicsDerivatives:
        """How `inverse_dynamics_derivatives` change along a direction: Hessian-vector products, each (..., n, n).

        The derivative by t at 0 of those at (integrate(q, t dq), qd + t dqd, qdd + t dqdd). dq, dqd, dqdd: (..., n).
        """
        ...

    @forward
    def inverse_dynamics_second_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> InverseDynamicsSecondDerivatives:
        """The second derivatives of tau that are not zero, each (..., n, n, n), the index derived last at the end.

        Where one direction is enough, `inverse_dynamics_derivatives_along` is cheaper; beyond 12 degrees of freedom it
        is what this calls, for every direction. On spherical and free joints derivatives along two components of one
        joint do not commute.
        """
        ...

    @forward
    def forward_dynamics_second_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> ForwardDynamicsSecondDerivatives:
        """The second derivatives of qdd that are not zero, each (..., n, n, n), the index derived last at the end."""
        ...

    def linearize(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        dt: float | None = None,
        method: Literal["exact", "euler", "tustin"] = "exact",
    ) -> Linearization:
        """(A, B) with dx/dt = A x + B dtau, x = (dq, dqd), about states or along a trajectory.

        A: (..., 2n, 2n), B: (..., 2n, n). q: (..., nq), qd, tau: (..., n); a trajectory is arrays (T, n). dt: if given,
        x a time dt later is A x + B dtau. method: how, "exact" with tau held, "euler" or "tustin" (bilinear).
        """
        from chasles.derivatives.linearize import linearize

        return linearize(self, q, qd, tau, dt, method)

    @forward
    def forward_kinematics_model_derivatives(self, q: ArrayLike, frame: str | None = None) -> ModelDerivatives:
        """(..., 6, links, 6): the body twist of a frame (default: the tool) for unit twists of the joints' frames.

        What calibration of a robot's geometry needs. q: (..., nq).
        """
        ...

    @forward
    def jacobian_model_derivatives(self, q: ArrayLike, frame: str | None = None) -> ModelDerivatives:
        """(..., 6, n, links, 6): how the body Jacobian of a frame (default: the tool) changes. q: (..., nq)."""
        ...

    @forward
    def inverse_dynamics_model_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> ModelDerivatives:
        """(..., n, links, 6): how tau changes. By the inertias it changes as `regressor` says.

        q: (..., nq), qd, qdd: (..., n); wrenches as for `inverse_dynamics`, constant in their frames.
        """
        ...

    @forward
    def forward_dynamics_model_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> ModelDerivatives:
        """(..., n, links, 6): how qdd changes. By the inertias it changes by -M^-1 `regressor`(q, qd, qdd).

        q: (..., nq), qd, tau: (..., n); wrenches as for `forward_dynamics`, constant in their frames.
        """
        ...
