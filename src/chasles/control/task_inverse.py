"""The inverse of a task at a configuration, exact where joints can serve it in good time and bounded where not.

x is qd or qdd, J x = b the task, x0 what the joints would do without one. In a metric M = W W^T, with Y = S J W^-T =
U diag(s) V^T and S the scales of dynamics/task_space.py (6), so that units do not matter,

    x = x0 + J# (b - J x0),   J# = W^-T V diag(h) U^T S,   h = 1/s,  but s / d^2 below d          (1)

h is at most 1/d. d is the damping, and larger in a direction i in which what is asked for, c = U^T S (b - J x0), would
take the joints into a singularity within a time T, the horizon. With g_i = |u_i^T S (dJ/dt) W^-T v_i| of the velocity
W^-T v_i, how fast s_i changes where joints move in that direction, it is exact if s_i >= T g_i |c_i| / s_i:

    d_i^2 = max(damping^2, T^k g_i |c_i|),   k = 1 of velocities, 2 of accelerations                         (2)

Of accelerations c has the part g_i v_i^2 of a speed v_i that is there, which counts by it as it does of velocities.
Where a part 1 - p of what is asked for in a direction is left, p = min s_j h_j, the others may not go on at any speed:
Y, whose rows are of length 1, is to change by no more than itself within T. With Y_i = dY/dt of the velocity W^-T v_i,

    h_i <= 1 / ((1 - p) T^k |Y_i| |c_i|)                                                                     (3)

So a motion out of reach goes where it is nearest at rates of about 1/T, instead of being thrown about there, and within
reach nothing changes. Forces follow from accelerations of about 1/T^2: bounds on them are control/limits.py's. Damping
by what is asked for is the idea of [NakamuraHanafusa1986]; here every direction has its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.control.law import Array
from chasles.lazy import lazy
from chasles.linear_algebra import down, rowwise, times
from chasles.task.truncation import row_scales

LEAST_DAMPING = 1e-10  # of a scaled singular value: below it a direction is left out if nothing damps it
SERVED = 1e-12  # of what is asked for: with less left, the task is served in full


class TaskInverse:
    """(1) for rows of a frame's velocity. W: (..., n, n), J: (..., 6, n), all rows of the frame.

    rate: dJ/dt (..., 6, n) of a velocity (..., n). white: (..., k, n) Y, s: (..., k) its singular values.
    """

    def __init__(
        self, W: Any, J: Array, rate: Callable[[Array], Array], rows: list[int], damping: float, horizon: float
    ) -> None:
        self.W, self.J, self.rows, self.damping, self.horizon, self.rate = W, J, rows, damping, horizon, rate
        self.W_inv = rowwise(np.linalg.inv, W)
        white = J @ np.swapaxes(self.W_inv, -1, -2)
        self.S = row_scales((white * white).sum(axis=-1))[..., rows]
        self.white = self.S[..., None] * white[..., rows, :]
        self.U, self.s, self.Vt = rowwise(_thin, self.white)

    def components(self, b: Array, x0: Array) -> Array:
        """(..., k) c, of b (..., 6) and x0 (..., n)."""
        return down(self.U, self.S * (b - times(self.J, x0))[..., self.rows])

    @lazy
    def slopes(self) -> Array:
        """(..., k) g."""
        ways = self.Vt @ self.W_inv
        turned = (self.rate(ways)[..., self.rows, :] @ ways[..., None])[..., 0]
        return np.abs((np.swapaxes(self.U * self.S[..., None], -1, -2) * turned).sum(axis=-1))

    @lazy
    def turns(self) -> Array:
        """(..., k) |Y_i|, largest singular values."""
        rate = self.rate(self.Vt @ self.W_inv)[..., self.rows, :] @ np.swapaxes(self.W_inv, -1, -2)[..., None, :, :]
        return rowwise(_largest, self.S[..., None, :, None] * rate)

    def gains(self, c: Array, order: int) -> Array:
        """(..., k) h, for velocities (order 1) or accelerations (order 2)."""
        least: Any = np.maximum(self.damping, LEAST_DAMPING)
        asked = self.horizon**order * np.abs(c)
        if self.horizon:
            least = np.maximum(least, np.sqrt(asked * self.slopes))  # (2)
        damped = self.s / least**2 if self.damping else np.where(least > LEAST_DAMPING, self.s / least**2, 0.0)
        h = np.where(self.s >= least, 1.0 / np.where(self.s >= least, self.s, 1.0), damped)
        left = 1.0 - (self.s * h).min(axis=-1, keepdims=True)
        if self.horizon and (left > SERVED).any():
            fastest = np.where(left > SERVED, left * self.turns * asked, 0.0)
            h = h / np.maximum(1.0, h * fastest)  # (3)
        return h

    def moved(self, c: Array, h: Array) -> tuple[Array, Array]:
        """W^T (x - x0) and x - x0, (..., n) each, for components c."""
        y = down(self.Vt, h * c)
        return y, down(self.W_inv, y)  # (1)

    def raised(self, f: Array) -> Array:
        """(..., n) M^-1 f."""
        return down(self.W_inv, times(self.W_inv, f))

    def dual(self, x: Array, h: Array) -> Array:
        """(..., k) J#^T M x, forces in the rows of the task."""
        return self.S * times(self.U, h * times(self.Vt, down(self.W, x)))


def _thin(A: Array) -> Any:
    return np.linalg.svd(A, full_matrices=False)


def _largest(A: Array) -> Any:
    return np.linalg.svd(A, compute_uv=False)[..., 0]


def unserved(J: Array, x: Array, b: Array, rows: list[int]) -> Array:
    """(...) |J x - b| over the rows of a task: what the joints leave of it."""
    return np.linalg.norm((times(J, x) - b)[..., rows], axis=-1)
