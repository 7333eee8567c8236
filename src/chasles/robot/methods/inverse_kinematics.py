"""Inverse kinematics: configurations for given poses, by Levenberg-Marquardt searches (ik/problem.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import proxy

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import array, one_of
from chasles.errors import ModelError
from chasles.lazy import lazy
from chasles.literals import Found
from chasles.model.task import Frames, Rows, task
from chasles.robot.methods.base import Array, Methods

if TYPE_CHECKING:
    from chasles.ik.problem import Problem, Solutions
    from chasles.ik.search import Searches


_MOST_KEPT_SEARCHES = 64  # searches with their limits and settings


class InverseKinematicsMethods(Methods):
    """Searches, many at once: a lane of the processor's vectors for each, and the loop inside the kernel."""

    def inverse_kinematics(
        self,
        T: ArrayLike,
        q0: ArrayLike | None = None,
        frame: Frames = None,
        rows: Rows = None,
        *,
        solutions: Found = "first",
        limits: Any = True,
        attempts: int = 100,
        iterations: int = 50,
        tolerance: float = 1e-9,
    ) -> Solutions:
        """Configurations at which a frame has the pose T: (q (..., nq), found (...), residual (...)).

        T: (..., 4, 4) in the space frame. frame: default the tool; a sequence of names takes T (..., frames, 4, 4) and
        places them all. rows: those of "rx ry rz tx ty tz" that must agree, in the axes of the frame ("tx ty tz": its
        origin alone); for several frames one selection each. The residual is |(log R, p)| of the pose wanted, seen from
        the frame, over these rows, in rad and m; found: it is at most `tolerance`, within the limits.

        Levenberg-Marquardt (damped Gauss-Newton) within the limits, the whole loop inside the kernel.

        Attempts begin at q0 (..., nq), by default the middle of the limits, then at points that fill them evenly, at
        most `attempts` with `iterations` steps each; the first to succeed counts, so that a pose gives the same answer
        alone and in a batch. Where none does, q is the nearest that was reached: found is False, nothing is raised.
        Where T or q0 has a nan, q is nan.

        limits: True for the robot's, False for none, or (lower, upper), numbers or (nq,) each.

        solutions="all": the distinct ones, modulo full turns, (..., K, nq) with found and residual (..., K), nearest to
        q0 first; a robot with more joints than rows has endlessly many, and gives one for each attempt, as a pose does
        that is singular and that some joint can keep while it moves.
        """
        kinds = type(limits), type(attempts), type(iterations), type(tolerance)  # True and 1 would be one key
        key = frame, rows, limits, attempts, iterations, tolerance, kinds
        try:
            problem = self._problems.get(key)
        except TypeError:  # a list or an array is no key
            key, problem = None, None
        if problem is None:
            problem = self._problem(
                frame=frame, rows=rows, limits=limits, attempts=attempts, iterations=iterations, tolerance=tolerance
            )
            if key is not None and len(self._problems) < _MOST_KEPT_SEARCHES:
                self._problems[key] = problem
        poses = _poses(T, None if frame is None or isinstance(frame, str) else len(problem.task))
        if isinstance(solutions, str) and solutions == "first":
            return problem.first(poses, q0)
        one_of(solutions, "inverse_kinematics: solutions", Found)
        from chasles.ik.all_solutions import every

        return every(problem, poses, q0)

    def _problem(
        self, *, frame: Frames, rows: Rows, limits: Any, attempts: Any, iterations: Any, tolerance: Any
    ) -> Problem:
        from chasles.ik.problem import Problem, Settings
        from chasles.ik.search_box import SearchBox

        if not self.n:
            raise ModelError(f"inverse_kinematics: robot {self.name!r} has no joints")
        settings = Settings(attempts, iterations, tolerance)
        robot = proxy(self)  # which keeps the problem, and would never be freed
        return Problem(robot, task(frame, rows), SearchBox.of(self, limits), settings, self._searches)

    @lazy
    def _searches(self) -> Searches:
        from chasles.ik.search import Searches

        return Searches(self._mechanism)


def _poses(T: ArrayLike, frames: int | None) -> Array:
    """(..., frames, 4, 4)."""
    if frames is None:
        if type(T) is np.ndarray and T.dtype == np.float64 and T.shape == (4, 4):  # at once
            return T[None]
        return array(T, "inverse_kinematics: T", ("...", 4, 4))[..., None, :, :]
    return array(T, "inverse_kinematics: T", ("...", frames, 4, 4))
