"""The gauge-invariant hybrid law, in the square-root coordinates of constrained/gauge.py.

theta are m coordinates on the constraint, qd = J thd, e = theta - theta_d; then v_r = B thd with

    B = V_2^T W^T J,   eps = B (ed + K_p e),   s = v_r - eps = B (thd_d - K_p e)         (1)
    u_r = ds/dt + Gam_r s - K_d eps,   u_o = Gam_o v_r + Lam_r^T f                       (2)  [GAU-7]
    =>  deps/dt = -(Gam_r + K_d) eps,   Lam_r^T (lambda - lambda_d + K_I z) = 0          (3)

and tau = W V [u_o; u_r] + N. Gam_r is skew, so |eps| decays at the rate K_d, exactly where K_d is a number, and no
slower than the smallest eigenvalue of its symmetric part otherwise. f = -lambda_d + K_I z (control/law.py); as printed
the law has no integral, K_I = 0. With a number K_d it does not depend on the gauge: a turn R of V_2 turns eps, s and
Gam_r with it, as ds/dt + Gam_r s is a covariant derivative. A matrix K_d is one in the frame of a reference
configuration.

Against the geometric law HYB-1, (2) is

    u_r = B (thdd_d - K'_d ed - K'_p e) + (dB/dt)(thd_d - K_p e) + Gam_r s               (4)  [GAU-8]
    K'_d = K_p + B^-1 K_d B,   K'_p = B^-1 K_d B K_p                                     (5)  [GAU-8]

gains that vary with the configuration, and in these coordinates the geometric law is, with C_1 = C + M (dJ/dt) thd,

    V^T W^-1 (tau - N) = [V_1^T W^-1 A^T f; B (thdd_d - K_v ed - K_p e)] + V^T W^-1 C_1  (6)  [GAU-9]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import vector
from chasles.constrained import ConstrainedSystem
from chasles.constrained.gauge import GaugeEquations
from chasles.control.law import Array, Desired, Measure, PositionLaw, gain
from chasles.errors import ModelError
from chasles.linear_algebra import down, solved_matrix, times
from chasles.reprs import record


@record()
class Gains(NamedTuple):
    """K'_p and K'_d of (5), (..., m, m): those of the geometric law with the same feedback at q."""

    K_p: Array
    K_d: Array


class GaugeControl(PositionLaw):
    """(2): a callable (t, q, qd) -> tau, for holonomic constraints.

    K_p: a number, (m,) or (m, m), 1/s. K_d: a number, 1/s, or (m,) or (m, m) in the frame at `reference` (nq,).
    desired, coordinates, independent, at: see `PositionLaw`, with theta for x; force, K_I, measure: see `ForceLaw`.
    """

    def __init__(
        self,
        constrained: ConstrainedSystem,
        desired: Desired,
        *,
        K_p: ArrayLike,
        K_d: ArrayLike,
        coordinates: Callable[[Any], Any] | None = None,
        independent: Sequence[str | int] | None = None,
        at: ArrayLike | None = None,
        reference: ArrayLike | None = None,
        force: ArrayLike | Callable[[float], ArrayLike] | None = None,
        K_I: ArrayLike = 0.0,
        measure: Measure | None = None,
    ) -> None:
        super().__init__(constrained, desired, coordinates, independent, at, force, K_I, measure)
        self.K_p, self.K_d = gain(K_p, self.m, "K_p"), gain(K_d, self.m, "K_d")
        if reference is None and not np.array_equal(self.K_d, np.eye(self.m) * self.K_d[0, 0]):
            raise ModelError("K_d that is not a number belongs to a frame: give reference=, a configuration")
        if reference is not None:
            vector(reference, "reference", constrained.system.nq, finite=True)
        self.gauge = constrained.gauge(reference)

    def composite_error(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., m) eps of (1); its length does not depend on the gauge."""
        e, ed = self.error(t, q, qd)
        return times(self.basis(q), ed + times(self.K_p, e))

    def basis(self, q: ArrayLike) -> Array:
        """(..., m, m) B = V_2^T W^T J."""
        return _B(self.gauge.frame(q).V_2, self.gauge.root(q), self.reduced.basis(q))

    def geometric_gains(self, q: ArrayLike) -> Gains:
        """K'_p and K'_d of (5)."""
        B = self.basis(q)
        turned = solved_matrix(B, self.K_d @ B)
        return Gains(turned @ self.K_p, self.K_p + turned)  # (5)

    def components(self, t: float, q: Array, qd: Array, f: Array) -> tuple[GaugeEquations, Array, Array]:
        """The terms of the equations at a state, u_o (..., k) and u_r (..., m) of (2)."""
        at, tangent = self.gauge.equations(q, qd), self.reduced.tangent(q, qd, t)
        B = _B(at.V_2, at.W, tangent.J)
        # the rate of V_2 lies in V_1, across W^T J
        B_rate = _B(at.V_2, at.W_rate, tangent.J) + _B(at.V_2, at.W, tangent.J_rate)
        (e, ed), (_, xd_d, xdd_d) = self.error(t, q, qd), self.wanted(t)
        rate = xd_d - times(self.K_p, e)
        eps, s = times(B, ed + times(self.K_p, e)), times(B, rate)  # (1)
        s_rate = times(B, xdd_d - times(self.K_p, ed)) + times(B_rate, rate)
        u_r = s_rate + times(at.Gam_r, s) - times(self.K_d, eps)  # (2)
        return at, times(at.Gam_o, at.v_r) + down(at.Lam_r, f, "f"), u_r

    def joint_forces(self, t: float, q: Array, qd: Array, f: Array) -> Array:
        at, u_o, u_r = self.components(t, q, qd, f)
        return at.joint_forces(u_o, u_r)


def _B(V_2: Array, W: Array, J: Array) -> Array:
    return np.swapaxes(W @ V_2, -1, -2) @ J
