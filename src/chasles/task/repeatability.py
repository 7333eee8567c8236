"""Repeatability: a lift is integrable where the brackets of its columns vanish.

The columns B_i of an inverse are fields on configuration space, and with c the structure constants of the joints'
fields, [e_k, e_l] = c^a_kl e_a,

    [B_i, B_j]^a = B_i^k e_k(B_j^a) - B_j^k e_k(B_i^a) + c^a_kl B_i^k B_j^l       (1)
    V_ij = P [B_i, B_j],   P = 1 - B J                                            (2)  [RED-11a]

V is a tensor, the curvature of the connection whose horizontal spaces B spans. They are integrable, and motions of the
task that close are lifted to motions that close, exactly where V = 0 [Shamir and Yomdin 1988]; a small loop of sides
s X and t Y, X first, is lifted to one that ends s t V(X, Y) further, to leading order. A flat robot need not have
V = 0 [RED-12]. A task that is not redundant has V = 0.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.errors import ModelError
from chasles.literals import Expressed
from chasles.model.task import Task
from chasles.reprs import record
from chasles.riemann.flatness import sampled
from chasles.riemann.structure_constants import structure_constants
from chasles.robot_like import RobotLike
from chasles.task.inverse import Choice, Inverse, inverse_of

Array = NDArray[np.float64]
LEAST_SINGULAR_VALUE = (
    1e-4  # of the least singular value of the task, scaled; configurations nearer to singular are not looked at
)


@record()
@dataclass(frozen=True, eq=False, repr=False)
class Repeatability:
    """Whether a lift is integrable: whether (2) vanishes, within the tolerance, at every sample.

    relative: the largest |V| relative to |B|^2 and to what V is a difference of, without unit. worst: the largest entry
    of V there. q: (nq,) where. i, j: the columns. samples: how many configurations were looked at; skipped: how many
    more were not, as the task is singular there or nearly.
    """

    is_repeatable: bool
    worst: float
    relative: float
    q: Array
    i: int
    j: int
    samples: int
    skipped: int
    tolerance: float

    def __bool__(self) -> bool:
        return self.is_repeatable

    def describe(self) -> str:
        """The same as a sentence."""
        what = "repeatable" if self.is_repeatable else "not repeatable"
        left = f" ({self.skipped} more skipped: the task is singular there or nearly)" if self.skipped else ""
        return (
            f"{what}: the vertical part of brackets is up to {self.worst:.3g}, {self.relative:.1e} of what it is made "
            f"of (tolerance {self.tolerance:.0e}), of columns {self.i} and {self.j}; "
            f"{self.samples} configurations{left}"
        )

    __str__ = describe

    def _headline(self) -> str:
        return self.describe()


def vertical_brackets(
    robot: RobotLike, q: ArrayLike, inverse: Choice, task: Task, expressed: Expressed = "body"
) -> Array:
    """(..., n, m, m) V[a, i, j], the component a of (2), skew in i and j. [RED-11a,11b,11c]"""
    return _brackets(inverse_of(robot, inverse, task, expressed), np.asarray(q, dtype=float))[0]


def repeatability(
    robot: RobotLike,
    inverse: Choice,
    task: Task,
    expressed: Expressed = "mixed",
    *,
    samples: int = 16,
    seed: int = 0,
    tolerance: float = 1e-9,
) -> Repeatability:
    """(2) at random configurations within the limits; V is analytic, so that where it vanishes at all it is zero.

    Rows are in the axes of space at the frame's origin by default, as those of holonomy.py.
    """
    q = sampled(robot, "repeatability", samples, seed, tolerance)
    chosen = inverse_of(robot, inverse, task, expressed)
    regular = chosen.distance(q) > LEAST_SINGULAR_VALUE
    if not regular.any():
        raise ModelError(f"repeatability: the task of robot {robot.name!r} is singular at all of {len(q)} samples")
    V, scale = _brackets(chosen, q[regular])
    size = np.abs(V).max(axis=-3)
    relative = size / scale
    k, i, j = np.unravel_index(int(np.argmax(np.where(np.isnan(relative), np.inf, relative))), relative.shape)
    worst = float(relative[k, i, j])
    return Repeatability(
        worst <= tolerance,
        float(size[k, i, j]),
        worst,
        q[regular][k].copy(),
        int(i),
        int(j),
        int(regular.sum()),
        int((~regular).sum()),
        float(tolerance),
    )


def _brackets(inverse: Inverse, q: Array) -> tuple[Array, Array]:
    """V (..., n, m, m), and (..., m, m) the size of what its entries are differences of."""
    B, P, slope = inverse.vertical_slope(q)
    along = np.einsum("...ajk,...ki->...aij", slope, B)  # B_i(B_j), its vertical part
    frames = structure_constants(inverse.robot)
    twisted = np.einsum("...ab,bkl,...ki,...lj->...aij", P, frames, B, B)
    V = along - np.swapaxes(along, -1, -2) + twisted  # (1), (2)
    longest = np.abs(B).max(axis=-2)
    scale = np.abs(along).max(axis=-3)
    return V, scale + np.swapaxes(scale, -1, -2) + longest[..., :, None] * longest[..., None, :]
