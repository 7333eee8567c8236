"""Agreement of the Moore-Penrose inverse with the horizontal lift.

Both are right inverses of J: with ranges range(J^T) and M^-1 range(J^T). So

    J^+ = B   <=>   range(J^T) is M-invariant   <=>   [M, J^+ J] = 0              (1)  [RED-3]

as where M is a multiple of 1 [RED-3d] or J^T spans coordinates that M does not couple to the rest, as on a gantry
[RED-5]. That the robot is flat, or its forward map a Riemannian submersion, or the lift integrable, is neither
necessary nor enough: [RED-3c], [RED-4], [RED-10]. J^+ depends on the units of the joints, and so does (1).
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import not_negative
from chasles.literals import Expressed
from chasles.model.task import Task
from chasles.reprs import brief, record
from chasles.robot_like import RobotLike
from chasles.task.inverse import inverse_of


@record()
@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """Whether the two inverses agree, at every configuration of a batch.

    agree: (...) whether the commutator is within the tolerance; False where there is no lift, as where M is singular.
    commutator: (...) |[M, J^+ J]| / |M|, in Frobenius' norm. difference: (...) |J^+ - B| / |J^+|. Both have no unit.
    """

    agree: Any
    commutator: Any
    difference: Any
    tolerance: float

    def __bool__(self) -> bool:
        return bool(np.all(self.agree))

    def _headline(self) -> str:
        return f"{brief(self.agree)} agree, commutator {brief(self.commutator)}, difference {brief(self.difference)}"


def inverses_agree(
    robot: RobotLike, q: ArrayLike, task: Task, expressed: Expressed = "body", tolerance: float = 1e-9
) -> Agreement:
    """The commutator of (1), and how far the inverses are apart. [RED-3a,3b]"""
    x, tolerance = np.asarray(q, dtype=float), not_negative(tolerance, "inverses_agree: tolerance")
    B = inverse_of(robot, "inertia", task, expressed).matrix(x)
    plain = inverse_of(robot, "moore-penrose", task, expressed)
    M, J, D = robot.mass_matrix(x), plain.jacobian(x), plain.matrix(x)
    P = D @ J
    commutator = _norm(M @ P - P @ M) / _norm(M)  # (1)
    difference = _norm(D - B) / np.maximum(_norm(D), np.finfo(float).tiny)
    agree = (commutator <= tolerance) & np.isfinite(difference)
    return Agreement(agree[()], commutator[()], difference[()], tolerance)


def _norm(A: NDArray[np.float64]) -> Any:
    return np.linalg.norm(A, axis=(-2, -1))
