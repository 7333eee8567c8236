"""Control of parallel mechanisms, in which only some joints are driven: with as many motors as needed, or more.

With the projection P_w of forces (constrained/system.py) and P_hat its columns of the driven joints, all that tau does
to the motion is P_w tau = P_hat tau_a, so that what a law asks for is

    P_hat tau_a = P_w (M J (xdd_d - K_v ed - K_p e) + M (dJ/dt) xd + bias)        (1)  [EX-11]

solved by the Moore-Penrose pseudo-inverse: the smallest tau_a. Motors beyond the m degrees of freedom squeeze the
mechanism without moving it, by any preload tau_0:

    tau_a = P_hat^+ P_w (...) + (1 - P_hat^+ P_hat) tau_0                         (2)

The motion is that of HYB-1, edd + K_v ed + K_p e = 0. Fewer motors than degrees of freedom, or a configuration where
they lose one, are refused: (1) has no solution then. One such state of a batch is nan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import vector
from chasles.constrained import ConstrainedSystem
from chasles.constrained.velocities import indices
from chasles.control.hybrid import commanded_acceleration, motion_forces
from chasles.control.law import Array, Desired, PositionLaw, gain
from chasles.errors import ModelError
from chasles.linear_algebra import decomposed, refuse_if_none, times, transposed

SMALLEST_SINGULAR_VALUE = 1e-8  # of P_hat, relative: below it is a motion that the motors cannot cause


class ParallelControl(PositionLaw):
    """(2): a callable (t, q, qd) -> tau (..., n), zero where no motor is.

    actuated: names or indices of the driven joints, of those with several degrees as in constrained/velocities.py.
    preload: (a,) tau_0 of theirs. K_p, K_v: as for `HybridControl`; the others: see `PositionLaw`. The constraints'
    force is not chosen: motors at some joints cannot cause any.
    """

    def __init__(
        self,
        constrained: ConstrainedSystem,
        desired: Desired,
        *,
        actuated: Sequence[str | int],
        K_p: ArrayLike,
        K_v: ArrayLike,
        coordinates: Callable[[Any], Any] | None = None,
        independent: Sequence[str | int] | None = None,
        at: ArrayLike | None = None,
        preload: ArrayLike | None = None,
    ) -> None:
        super().__init__(constrained, desired, coordinates, independent, at)
        self.K_p, self.K_v = gain(K_p, self.m, "K_p"), gain(K_v, self.m, "K_v")
        self.actuated = indices(constrained.system, actuated, "actuated")
        if len(self.actuated) < max(self.m, 1):
            count = len(self.actuated)
            raise ModelError(
                f"actuated: {count} driven joints cannot cause all {self.m} motions of {constrained.name!r}"
            )
        self.preload = np.zeros(len(self.actuated))
        if preload is not None:
            self.preload = vector(preload, "preload", len(self.actuated), finite=True)

    def projection(self, q: ArrayLike, t: float = 0.0) -> Array:
        """(..., n, a) P_hat."""
        return self.constrained.projections(q, t).P_w[..., self.actuated]

    def joint_forces(self, t: float, q: Array, qd: Array, f: Array) -> Array:
        vector(f, "f", self.k)
        P_w, a = self.constrained.projections(q, t).P_w, commanded_acceleration(self, self.K_p, self.K_v, t, q, qd)
        P_hat = P_w[..., self.actuated]
        full = motion_forces(self.reduced.tangent(q, qd, t), a, self.reduced.of(q, qd))
        inverse = self._inverse(P_hat)
        tau_a = times(inverse, times(P_w, full))  # (1)
        tau_a = tau_a + self.preload - times(inverse, times(P_hat, self.preload))  # (2)
        tau = np.zeros(np.shape(full))
        tau[..., self.actuated] = tau_a
        return tau

    def _inverse(self, P_hat: Array) -> Any:
        U, S, Vt = decomposed(P_hat)
        m = self.m
        good = S[..., m - 1] > SMALLEST_SINGULAR_VALUE * S[..., 0]
        refuse_if_none(
            good,
            np.isfinite(S[..., 0]),
            f"the {len(self.actuated)} driven joints cannot cause all {m} motions of {self.constrained.name!r} here",
        )
        S_m = np.where(good[..., None], S[..., :m], np.nan)
        return transposed(Vt[..., :m, :]) @ (transposed(U[..., :m]) / S_m[..., None])
