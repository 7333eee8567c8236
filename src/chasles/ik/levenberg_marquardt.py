"""Levenberg-Marquardt: steps of damped least squares for inverse kinematics.

e is the error of the poses, J what the joints do to it (ik/pose_error.py); its translation counts in units of the
length l, that of the arm. Gauss and Newton's step solves J d = e; Levenberg and Marquardt's is damped, and the damping
goes to zero with the error, so that the end is quadratic:

    d = J^T (J J^T + k |e|^2 1)^-1 e     or     (J^T J + k |e|^2 1)^-1 J^T e      (1)

whichever matrix is smaller; far away |e|^2 counts no more than LARGEST_ERROR. An attempt is over when |e| has not
fallen by a hundredth in some steps. Where attempts begin and what limits do to a step: ik/limits.py.

Where no attempt leads to the pose, the nearest configuration is descended to: -J^T e is the gradient of |e|^2 / 2 also
far from zero, and

    d = (J^T J + c 1)^-1 J^T e,   c smaller after a step that was one down, larger after one that was not          (2)

which is Gauss-Newton where c is small and steepest descent where it is large.
"""

from collections.abc import Sequence
from typing import Any

from chasles.arguments.motions import RIGID_TOLERANCE
from chasles.dynamics.linear_solve import solve
from chasles.dynamics.matrices import Matrix, dot, transposed
from chasles.graph.program import Status
from chasles.ik.limits import Box, held, moved, start, within
from chasles.ik.pose_error import Chain, PoseTarget, errors, off_rigid
from chasles.scalar.ops import less, less_equal, minimum, sqrt, where

CONTINUE, FOUND, ENDED, REFUSED = (float(status) for status in Status)
MEMORY_SIZE = 3  # steps taken, the least |e|^2, steps since it fell; of (2) the last is c
LARGEST_ERROR = 4.0  # |e|^2 that the damping follows
DAMPING_FACTOR, LEAST_DAMPING = 0.05, 1e-14  # k of (1), and what is added where |e| is zero
FIRST_DAMPING, MOST_DAMPING = 1e-2, 1e8  # c of (2), to begin with, and where it gives up
LEAST_SLOPE = 1e-10  # |J^T e| at which (2) has arrived
PATIENT_STEPS, PROGRESS = 4.5, 0.98  # so many without a fall of |e|^2 by this factor
_INFINITE = 1e300


def step(
    chain: Chain,
    attempt: Any,
    memory: Any,
    q: Any,
    targets: Sequence[PoseTarget],
    box: Box,
    tolerance: Any,
    iterations: Any,
) -> tuple[Any, Any, list[Any], list[Any]]:
    """The status (graph/program.py), |e|, the memory and q after one step."""
    taken, least, since = memory
    first, joints = less(taken, 0.5), chain.joints
    starts = start(joints, chain.coupling.nv, attempt, box)
    begin = where(first, where(less(0.5, attempt), 1.0, 0.0), 0.0)
    q = [where(less(0.5, begin), new, x) for new, x in zip(starts, q, strict=True)]
    q = within(joints, q, box)

    error, columns = errors(chain, q, targets)
    units = [1.0 if r < 3 else 1.0 / chain.length for _, _, rows in chain.frames for r in rows]
    e = [x * u for x, u in zip(error, units, strict=True)]
    columns = [[x * u for x, u in zip(c, units, strict=True)] for c in columns]
    columns = held(joints, columns, [dot(c, e) for c in columns], q, box)
    size, square = dot(e, e), dot(error, error)
    d = damped(columns, e, minimum(size, LARGEST_ERROR) * DAMPING_FACTOR + LEAST_DAMPING)

    fell = less(size, where(first, _INFINITE, least * PROGRESS))
    least, since = where(fell, size, least), where(fell, 0.0, since + 1.0)
    going = where(less(since, PATIENT_STEPS), where(less(taken + 1.5, iterations), CONTINUE, ENDED), ENDED)
    going = where(less_equal(0.0, size), going, ENDED)  # which nan is not
    status = where(less_equal(square, tolerance * tolerance), FOUND, going)
    for T in targets:
        status = where(less_equal(off_rigid(T), RIGID_TOLERANCE * RIGID_TOLERANCE), status, REFUSED)
        status = where(less_equal(T.motion.p.square(), _INFINITE), status, REFUSED)
    after = within(joints, moved(joints, q, d), box)
    q = [where(less(status, 0.5), new, old) for new, old in zip(after, q, strict=True)]
    return status, sqrt(square), [taken + 1.0, least, since], q


def descend(
    chain: Chain, memory: Any, x: Any, targets: Sequence[PoseTarget], box: Box, tolerance: Any, iterations: Any
) -> tuple[Any, Any, list[Any], list[Any]]:
    """One step of (2), with e in rad and m: as `step`, x being q and the best q so far."""
    taken, least, c = memory
    first, joints, nq = less(taken, 0.5), chain.joints, len(x) // 2
    q, best = within(joints, x[:nq], box), x[nq:]
    e, columns = errors(chain, q, targets)
    size = dot(e, e)
    least = where(first, size, least)
    down = less_equal(size, least)
    least = where(down, size, least)
    best = [where(down, new, old) for new, old in zip(q, best, strict=True)]
    c = where(first, FIRST_DAMPING, where(down, c * 0.3, c * 10.0))
    gradient = [dot(column, e) for column in columns]
    columns = held(joints, columns, gradient, q, box)
    d = damped(columns, e, c)
    slope = [dot(column, e) for column in columns]
    going = where(less(taken + 1.5, iterations), where(less(c, MOST_DAMPING), CONTINUE, ENDED), ENDED)
    going = where(down, where(less(LEAST_SLOPE * LEAST_SLOPE, dot(slope, slope)), going, ENDED), going)
    going = where(less_equal(0.0, size), going, ENDED)
    status = where(less_equal(least, tolerance * tolerance), FOUND, going)
    after = within(joints, moved(joints, q, d), box)
    after = [where(down, new, old) for new, old in zip(after, best, strict=True)]  # (2), or back to the best
    return status, sqrt(least), [taken + 1.0, least, c], after + best


def damped(columns: list[list[Any]], e: list[Any], damping: Any) -> list[Any]:
    """d of (1)."""
    if len(e) <= len(columns):
        y = solve(_gram(transposed(columns), damping), e)
        return [dot(c, y) for c in columns]
    return solve(_gram(columns, damping), [dot(c, e) for c in columns])


def _gram(rows: Matrix, damping: Any) -> Matrix:
    return [[dot(a, b) + (damping if i == j else 0.0) for j, b in enumerate(rows)] for i, a in enumerate(rows)]
