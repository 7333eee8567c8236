"""The forward map of a robot as a submersion, from configurations to a task: to poses, or to rows of them.

With J (m, n) the task's Jacobian, the velocities that it does not see are *vertical*, ker J; those orthogonal to them
in the inertia metric are *horizontal*. inverse.py has the inverses of J, of which the horizontal lift is one,
agreement.py says when it is the Moore-Penrose inverse, isometry.py when lengths survive, workspace.py has the motion as
the task sees it, repeatability.py says whether the lift is integrable, base_curvature.py has the curvature of the
task's space by O'Neill's formula. holonomy.py follows lifts along paths.

What Altafini's paper claims of flat chains is not true of all of them; each file says when it is.
"""

from chasles.task.agreement import Agreement, inverses_agree
from chasles.task.base_curvature import BaseCurvature, base_curvature
from chasles.task.inverse import Inverse, inverse_of
from chasles.task.isometry import partial_isometry_residual, submersion_residual, whitened_jacobian
from chasles.task.repeatability import Repeatability, repeatability, vertical_brackets
from chasles.task.spaces import horizontal_space, vertical_space
from chasles.task.workspace import differential, gradient, lifted_gradient, reduced_acceleration

__all__ = [
    "Agreement",
    "BaseCurvature",
    "Inverse",
    "Repeatability",
    "base_curvature",
    "differential",
    "gradient",
    "horizontal_space",
    "inverse_of",
    "inverses_agree",
    "lifted_gradient",
    "partial_isometry_residual",
    "reduced_acceleration",
    "repeatability",
    "submersion_residual",
    "vertical_brackets",
    "vertical_space",
    "whitened_jacobian",
]
