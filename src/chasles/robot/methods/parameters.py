"""Inertial parameters: regressors (dynamics/regressor.py) and base parameters (identify/base_parameters.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from chasles.robot.methods.base import Array, Methods
from chasles.robot.methods.forward import forward

if TYPE_CHECKING:
    from chasles.identify.base_parameters import BaseParameters


class ParameterMethods(Methods):
    """Linear functions of pi = `inertial_parameters.ravel()`, ten numbers a link, in the link frames.

    Armature, damping and friction are not among the parameters.
    """

    @forward
    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """(..., n, 10 links) Y with tau = Y pi + armature qdd. q: (..., nq), qd, qdd: (..., n)."""
        ...

    @forward
    def kinetic_energy_regressor(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., 10 links) y with K = y . pi + armature qd^2 / 2. q: (..., nq), qd: (..., n)."""
        ...

    @forward
    def potential_energy_regressor(self, q: ArrayLike) -> Array:
        """(..., 10 links) y with U = y . pi. q: (..., nq)."""
        ...

    @forward
    def power_regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """(..., 10 links) y with d(K + U)/dt = y . pi + armature qd qdd. q: (..., nq), qd, qdd: (..., n)."""
        ...

    def base_parameters(self, tolerance: float = 1e-9) -> BaseParameters:
        """The minimal parameters: the combinations of `inertial_parameters` that joint forces can tell apart.

        Found from the robot's structure, without sampling (with mimic joints, by sampling). tolerance: what is zero,
        relative to the robot's size; loosen it for a robot whose angles are given to few digits.
        """
        from chasles.identify.base_parameters import base_parameters

        m = self._mechanism
        return base_parameters(m.tree, m.link_names, m.coupling, tolerance=tolerance)
