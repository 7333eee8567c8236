"""Geodesics of the inertia metric and paths of least energy (riemann/geodesics)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from chasles.robot.methods.base import Array, Methods

if TYPE_CHECKING:
    from chasles.riemann.geodesics import Geodesic, PathEnergy


class GeodesicMethods(Methods):
    """Motions that nothing drives: geodesics of M without gravity, natural motions with it."""

    def geodesic(
        self,
        q: ArrayLike,
        v: ArrayLike,
        duration: float = 1.0,
        *,
        steps: int | None = None,
        tolerance: float = 1e-10,
        gravity: bool = False,
    ) -> Geodesic:
        """The geodesic from q with velocity v: the exponential map of the inertia metric, sampled in time.

        q: (..., nq), v: (..., n). duration: seconds, backwards if negative. steps: intervals of the result (default
        32); how many are computed is decided by `tolerance`. gravity: the natural motion instead.
        """
        from chasles.riemann.geodesics import exponential_map

        found = exponential_map(self, q, v, duration, steps=steps, tolerance=tolerance, gravity=gravity)
        if not np.isfinite(found.q).all():
            self.mass_matrix_inverse(found.q)  # which warns where M has none
        return found

    def geodesic_between(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        duration: float = 1.0,
        *,
        tolerance: float = 1e-9,
        gravity: bool = False,
        guess: ArrayLike | None = None,
    ) -> Geodesic:
        """The geodesic from q0 to q1, (..., nq); with gravity the natural motion that takes `duration`.

        A stationary path: beyond a conjugate point not the shortest. A joint that turns goes to q1 as given, unwrapped.
        guess: (..., n) the velocity to start the search from. Where none is found `converged` is False, and `residual`
        says how near the best one came.
        """
        from chasles.riemann.geodesics import two_point

        return two_point(self, q0, q1, duration, tolerance=tolerance, gravity=gravity, guess=guess)

    def distance(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """(...) the length in sqrt(kg) m of the geodesic that `geodesic_between` finds; nan where it finds none."""
        from chasles.riemann.geodesics import distance

        return distance(self, q0, q1)

    def minimum_energy_path(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        duration: float = 1.0,
        *,
        tolerance: float = 1e-9,
        gravity: bool = False,
        points: int = 33,
    ) -> Geodesic:
        """A path from q0 to q1, (nq,) each, of stationary and, if short, least energy; with gravity, action.

        As `geodesic_between`, and where that fails by relaxing a path of `points` samples: slower, but it finds one.
        Beyond a conjugate point what the former finds need not be least.
        """
        from chasles.riemann.geodesics import minimum_energy_path

        return minimum_energy_path(self, q0, q1, duration, tolerance=tolerance, gravity=gravity, points=points)

    def path_energy(self, q: ArrayLike, duration: float = 1.0, *, gravity: bool = False) -> PathEnergy:
        """The energy integral of qd^T M qd over a path sampled evenly in time, and its gradient by the samples.

        q: (..., T, nq); the gradient is (..., T, n). With gravity, twice the action.
        """
        from chasles.riemann.geodesics import path_energy

        return path_energy(self, q, duration, gravity=gravity)

    def parallel_transport(self, q: ArrayLike | Geodesic, w: ArrayLike, *, tolerance: float = 1e-10) -> Array:
        """(..., T, n) the tangent vector w carried along a curve q (..., T, nq), or along a `Geodesic`.

        Inner products w1^T M w2 stay the same, and a geodesic carries its own velocity along. w: (..., n).
        """
        from chasles.riemann.geodesics import parallel_transport

        return parallel_transport(self, q, w, tolerance=tolerance)
