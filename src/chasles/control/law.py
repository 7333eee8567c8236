"""Laws for constrained systems, what they share: gains, what is desired, and the force with its integral.

    f = -lambda_d + K_I z,   dz/dt = lambda - lambda_d                            (1)

A^T f added to tau makes lambda - lambda_d + K_I z = 0 where the rest of tau is the motion's: the force error decays at
the rate K_I, also one that a wrong model causes and that is constant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import function, instance, number, real, vector
from chasles.constrained import ConstrainedSystem
from chasles.control.integral import ForceIntegral
from chasles.errors import ModelError, ShapeError
from chasles.linear_algebra import nan_where_unknown, times
from chasles.reprs import quoted

Array = NDArray[np.float64]
Desired = Callable[[float], Any]
Measure = Callable[[float, Array, Array, Array], ArrayLike]


class ForceLaw(ABC):
    """A law with a desired constraint force.

    constrained: the model that the law is computed with. force: (k,) the desired multipliers of the rows
    `constrained.row_names`, or a function of t (default: zero); where more rows are kept than are independent, the
    multipliers come to the least ones with the same force. K_I: 1/s, a number, (k,) or (k, k). measure:
    (t, q, qd, tau) -> the measured multipliers (..., k), asked once a call where K_I is not zero, with the tau that the
    law has just found; by default they are those of the model itself, for a plant that is not the model give its own:
    `lambda t, q, qd, tau: plant.forward_dynamics(q, qd, tau).multipliers`, or a sensor's. The law holds the force's
    integral of one motion: `begin()` before another, which `chasles.simulate` does of a law that it is given itself. A
    law inside another function, asked for a time long past, raises ModelError instead of going on from there.
    """

    def __init__(
        self,
        constrained: ConstrainedSystem,
        force: ArrayLike | Callable[[float], ArrayLike] | None,
        K_I: ArrayLike,
        measure: Measure | None,
    ) -> None:
        instance(constrained, "constrained", ConstrainedSystem, "a ConstrainedSystem")
        if measure is not None:
            function(measure, "t, q, qd, tau", "measure")
        if callable(force):
            function(force, "t", "force")
        self.constrained = constrained
        self.k, self.m = len(constrained.row_names), constrained.degrees_of_freedom
        self.K_I = gain(K_I, self.k, "K_I")
        self._force, self._measure = force, measure
        self.integral = ForceIntegral(np.zeros(self.k))
        self.force(0.0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {quoted(self.constrained.name)}: {self.m} degrees of freedom, {self.k} rows>"

    def reset(self, integral: ArrayLike | None = None) -> None:
        """Begin another motion, with the force's integral at `integral` (..., k), or zero."""
        self.integral.reset(np.zeros(self.k) if integral is None else vector(integral, "integral", self.k, finite=True))

    def begin(self) -> None:
        """Begin another motion, with the integral where `reset` put it."""
        self.integral.begin()

    def force(self, t: float) -> Array:
        """(..., k) lambda_d."""
        t = number(t, "t")
        given = self._force(t) if callable(self._force) else self._force
        return np.zeros(self.k) if given is None else vector(given, "force", self.k, finite=True)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """(..., n) the joint forces at a state; where K_I is not zero, the force error there is recorded."""
        t, q, qd = state(t, q, qd, self.constrained)
        lam_d, acts = self.force(t), bool(self.K_I.any())
        f = times(self.K_I, self.integral.at(t)) - lam_d if acts else -lam_d  # (1)
        tau = self.joint_forces(t, q, qd, f)
        if acts:
            self.integral.record(t, self.constrained.least_multipliers(q, self.measured(t, q, qd, tau) - lam_d))
        return nan_where_unknown(tau, q, qd)

    def measured(self, t: float, q: Array, qd: Array, tau: Array) -> Array:
        """(..., k) the multipliers, as the law sees them."""
        if self._measure is None:
            return self.constrained.forward_dynamics(q, qd, tau, t).multipliers
        return vector(self._measure(t, q, qd, tau), "what measure returns", self.k)

    @abstractmethod
    def joint_forces(self, t: float, q: Array, qd: Array, f: Array) -> Array:
        """(..., n) tau for the force f (..., k) of (1)."""


class PositionLaw(ForceLaw):
    """A law for a desired motion of m coordinates x on holonomic constraints.

    desired: t -> (x_d, xd_d, xdd_d), (..., m) each. coordinates: a function of a traced q that returns x (m,); or
    independent: names or indices of joints whose positions are x (default: chosen, see `ConstrainedSystem.reduced`,
    which `at` is for). Errors are differences: angles are not wrapped.
    """

    def __init__(
        self,
        constrained: ConstrainedSystem,
        desired: Desired,
        coordinates: Callable[[Any], Any] | None,
        independent: Sequence[str | int] | None,
        at: ArrayLike | None,
        force: ArrayLike | Callable[[float], ArrayLike] | None = None,
        K_I: ArrayLike = 0.0,
        measure: Measure | None = None,
    ) -> None:
        super().__init__(constrained, force, K_I, measure)
        self._refuse_nonholonomic()
        if at is not None:
            vector(at, "at", constrained.system.nq, finite=True)
        self.reduced = constrained.reduced(independent, coordinates=coordinates, at=at)
        self.reduced.refuse_without_coordinates()
        self.desired = function(desired, "t", "desired")
        self.wanted(0.0)

    def _refuse_nonholonomic(self) -> None:
        """Raise ModelError where no m coordinates say where the system is: under constraints as rolling."""
        cs = self.constrained
        if set(cs.redundancy.kept) <= set(cs.rows.holonomic):
            return
        found = cs.constraint.is_holonomic(cs.system)
        if not found:
            raise ModelError(
                f"{type(self).__name__} needs holonomic constraints, on which there are coordinates; those of "
                f"{cs.name!r} are {found.describe()}. HybridVelocityControl takes velocities instead"
            )

    def wanted(self, t: float) -> list[Array]:
        """x_d, xd_d and xdd_d."""
        return wanted(self.desired, t, 3, self.m)

    def error(self, t: float, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """e = x - x_d and ed, (..., m)."""
        x_d, xd_d, _ = self.wanted(t)
        return self.reduced.coordinates(q) - x_d, self.reduced.of(q, qd) - xd_d


def gain(K: ArrayLike, m: int, name: str) -> Array:
    """(m, m) of a number, (m,) or (m, m)."""
    given = real(K, name, f"a number, ({m},) or ({m}, {m})")
    if given.shape not in ((), (m,), (m, m)) or not np.isfinite(given).all():
        raise ShapeError(f"{name} must be a number, ({m},) or ({m}, {m}), all finite, got shape {given.shape}")
    return given if given.ndim == 2 else np.eye(m) * given


def state(t: float, q: ArrayLike, qd: ArrayLike, system: Any) -> tuple[float, Array, Array]:
    """A time, q (..., nq) and qd (..., n) of a system."""
    return number(t, "t"), vector(q, "q", system.nq), vector(qd, "qd", system.n)


def wanted(desired: Desired, t: float, parts: int, m: int) -> list[Array]:
    """What a desired motion is at t: `parts` arrays (..., m), values and derivatives."""
    found = desired(number(t, "t"))
    if not isinstance(found, (tuple, list)) or len(found) != parts:
        raise ModelError(f"desired(t) must return {parts} arrays (..., {m}): values, then derivatives by time")
    return [vector(x, "what desired returns", m, finite=True) for x in found]
