"""One step of inverse kinematics, and where its attempts begin.

T is the pose of a frame, D the one wanted. The error and what a step d of the joints does to it:

    e = (log R, p),  (R, p) = T^-1 D,      e(q + d) = e - J d + O(e^2)            (1)

in the frame's own axes, J the body Jacobian (w, v). Of an error of which only some rows count, the others do not
vanish, and the change of those that do is that of

    d(log R) = -(1 - [x]/2 + c [x]^2) w,  dp = -(v + w x p),  x = log R,  c = (1 - |x|/2 cot(|x|/2)) / |x|^2   (2)

The translation counts in units of the length l, that of the arm. A step of Levenberg and Marquardt, its damping going
to zero with the error, so that the end is quadratic:

    d = J^T (J J^T + k |e|^2 1)^-1 e     or     (J^T J + k |e|^2 1)^-1 J^T e      (3)

whichever matrix is smaller; far away |e|^2 counts no more than FAR. Limits: a joint at a limit that the gradient J^T e
presses against is held (its column is zero), and what passes a limit is put back to it. An attempt is over when |e| has
not fallen by a hundredth in some steps. Attempt k > 0 begins at the k-th point of a sequence that fills the box of
configurations evenly,

    centre + span (frac(1/2 + k a_j) - 1/2),   a_j = g^-j,   g^(n+1) = g + 1      (4)

with g the golden ratio of n dimensions. Where no attempt leads to the pose, the nearest configuration is descended
from: -J^T e is the gradient of |e|^2 / 2 also far from zero, and

    d = (J^T J + c 1)^-1 J^T e,   c smaller after a step that was one down, larger after one that was not          (5)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from chasles.dynamics.jacobian import jacobian
from chasles.dynamics.linear_solve import solve
from chasles.dynamics.matrices import Matrix, dot, transposed
from chasles.graph.program import Status
from chasles.lie import SE3, SO3, Twist, Vec3
from chasles.model.coupling import Coupling
from chasles.model.joint import Joint
from chasles.model.tree import Tree
from chasles.scalar.ops import apply, less, less_equal, maximum, minimum, sqrt, where

CONTINUE, FOUND, ENDED, REFUSED = (float(status) for status in Status)
MEMORY = 3  # steps taken, the least |e|^2, steps since it fell
FAR = 4.0
DAMPING, LEAST_DAMPING = 0.05, 1e-14  # k of (3), and what is added where |e| is zero
FIRST_DAMPING, FLAT = 1e-2, 1e-10  # of (5), and the slope that is none
FLAW = 1e-6  # by how much a rotation may be none
PATIENCE, FELL = 4.5, 0.98  # steps without a fall of |e|^2 by this factor
_TINY = 1e-18
_HUGE = 1e300

Joints = Sequence[tuple[Joint, int, int]]  # with the first coordinate and the first velocity of each


@dataclass(frozen=True)
class Chain:
    """What is moved: the joints, and the frames (body, pose on it, rows of e that count) with the unit of length l."""

    tree: Tree
    coupling: Coupling
    joints: Joints
    frames: Sequence[tuple[int, SE3, Sequence[int]]]
    length: float


class Target(NamedTuple):
    """A pose, and the last row of the matrix that it came as."""

    motion: SE3
    last: Sequence[Any]


class Box(NamedTuple):
    """Limits of q (nq,), and the box in which attempts begin: its centre (nq,) and its sides (nv,)."""

    lower: Any
    upper: Any
    centre: Any
    span: Any


def pose_error(T: SE3, D: SE3) -> tuple[Twist, Any]:
    """e of (1) and c of (2)."""
    R = T.R.inv()
    x, c = _logarithm(R @ D.R)
    return Twist(x, R @ (D.p - T.p)), c


def changed(V: Twist, e: Twist, c: Any, rows: Sequence[int]) -> Twist:
    """What a velocity V of the frame takes from e: V itself where all rows of a kind count, else (2)."""
    turns, slides = sum(r < 3 for r in rows), sum(r >= 3 for r in rows)
    w, v = V.w, V.v
    if turns in (1, 2):
        xw = e.w.cross(w)
        w = w - xw * 0.5 + e.w.cross(xw) * c
    if slides in (1, 2):
        v = v + V.w.cross(e.v)
    return Twist(w, v)


def flaw(T: Target) -> Any:
    """How far a matrix is from a rigid motion, squared."""
    a, b, c = T.motion.R.matrix
    off = [a.square() - 1.0, b.square() - 1.0, c.square() - 1.0, a.dot(b), a.dot(c), b.dot(c), a.dot(b.cross(c)) - 1.0]
    off += [*T.last[:3], T.last[3] - 1.0]
    return dot(off, off)


def _logarithm(R: SO3) -> tuple[Vec3, Any]:
    """log R and c of (2), without functions of a library: tan by halving the angle."""
    x, y, z, w = R.quaternion()
    v = Vec3(x, y, z)
    sine = sqrt(v.square() + _TINY)
    t = sine / (1.0 + w)  # tan of a quarter of the angle
    for _ in range(2):
        t = t / (1.0 + sqrt(1.0 + t * t))
    s = t * t
    series: Any = 1 / 17
    for k in range(15, 0, -2):
        series = 1 / k - s * series
    angle = 16.0 * t * series
    small = less(angle, 1e-2)
    square = angle * angle
    c = where(small, 1 / 12 + square / 720, (1.0 - 0.5 * angle * w / sine) / where(small, 1.0, square))
    return v * (angle / sine), c


def step(
    chain: Chain,
    attempt: Any,
    memory: Any,
    q: Any,
    targets: Sequence[Target],
    box: Box,
    tolerance: Any,
    iterations: Any,
) -> tuple[Any, Any, list[Any], list[Any]]:
    """The status (graph/program.py), |e|, the memory and q after one step."""
    taken, least, since = memory
    first, joints = less(taken, 0.5), chain.joints
    starts = evenly(joints, chain.coupling.nv, attempt, box)
    begin = where(first, where(less(0.5, attempt), 1.0, 0.0), 0.0)
    q = [where(less(0.5, begin), new, x) for new, x in zip(starts, q, strict=True)]
    q = within(joints, q, box)

    error, columns = errors(chain, q, targets)
    units = [1.0 if r < 3 else 1.0 / chain.length for _, _, rows in chain.frames for r in rows]
    e = [x * u for x, u in zip(error, units, strict=True)]
    columns = [[x * u for x, u in zip(c, units, strict=True)] for c in columns]
    columns = held(joints, columns, [dot(c, e) for c in columns], q, box)
    size, square = dot(e, e), dot(error, error)
    d = damped(columns, e, minimum(size, FAR) * DAMPING + LEAST_DAMPING)

    fell = less(size, where(first, _HUGE, least * FELL))
    least, since = where(fell, size, least), where(fell, 0.0, since + 1.0)
    going = where(less(since, PATIENCE), where(less(taken + 1.5, iterations), CONTINUE, ENDED), ENDED)
    going = where(less_equal(0.0, size), going, ENDED)  # which nan is not
    status = where(less_equal(square, tolerance * tolerance), FOUND, going)
    for T in targets:
        status = where(less_equal(flaw(T), FLAW * FLAW), status, REFUSED)
        status = where(less_equal(T.motion.p.square(), _HUGE), status, REFUSED)
    after = within(joints, moved(joints, q, d), box)
    q = [where(less(status, 0.5), new, old) for new, old in zip(after, q, strict=True)]
    return status, sqrt(square), [taken + 1.0, least, since], q


def descend(
    chain: Chain, memory: Any, x: Any, targets: Sequence[Target], box: Box, tolerance: Any, iterations: Any
) -> tuple[Any, Any, list[Any], list[Any]]:
    """One step of (5), with e in rad and m: as `step`, x being q and the best q so far."""
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
    going = where(less(taken + 1.5, iterations), where(less(c, 1e8), CONTINUE, ENDED), ENDED)
    going = where(down, where(less(FLAT * FLAT, dot(slope, slope)), going, ENDED), going)
    going = where(less_equal(0.0, size), going, ENDED)
    status = where(less_equal(least, tolerance * tolerance), FOUND, going)
    after = within(joints, moved(joints, q, d), box)
    after = [where(down, new, old) for new, old in zip(after, best, strict=True)]  # (5), or back to the best
    return status, sqrt(least), [taken + 1.0, least, c], after + best


def evenly(joints: Joints, n: int, attempt: Any, box: Box) -> list[Any]:
    """The configuration of (4) at which an attempt begins; n velocities."""
    g = 2.0
    for _ in range(60):
        g = (1.0 + g) ** (1.0 / (n + 1))
    places = [0.5 + attempt * g ** -(j + 1) for j in range(n)]
    v = [box.span[j] * (u - apply("floor", u) - 0.5) for j, u in enumerate(places)]
    return moved(joints, box.centre, v)  # (4)


def moved(joints: Joints, q: Any, v: Any) -> list[Any]:
    """q after moving by v for unit time."""
    return [x for j, a, b in joints for x in j.integrate(q[a : a + j.nq], v[b : b + j.nv])]


def errors(chain: Chain, q: Any, targets: Sequence[Target]) -> tuple[list[Any], list[list[Any]]]:
    """The rows of e that count, of all frames, and the columns of J in the same rows."""
    x = chain.coupling.coordinates(q)
    e: list[Any] = []
    columns: list[list[Any]] = [[] for _ in range(chain.coupling.nv)]
    for (body, X, rows), D in zip(chain.frames, targets, strict=True):
        off, c = pose_error(_pose(chain.tree, x, body, X), D.motion)
        e += [[*off.w, *off.v][r] for r in rows]
        J = chain.coupling.forces(jacobian(chain.tree, x, body, X, "body"))
        for column, V in zip(columns, J, strict=True):
            S = changed(V, off, c, rows)
            column += [[*S.w, *S.v][r] for r in rows]
    return e, columns


def within(joints: Joints, q: list[Any], box: Box) -> list[Any]:
    """q, put back to the limits of joints of one degree of freedom."""
    out = list(q)
    for j, a, _ in joints:
        if j.nq == 1:
            out[a] = minimum(maximum(q[a], box.lower[a]), box.upper[a])
    return out


def held(joints: Joints, columns: list[Any], gradient: list[Any], q: Any, box: Box) -> list[Any]:
    """The columns, zero where a joint is at a limit that the gradient presses against."""
    out = list(columns)
    for j, a, b in joints:
        if j.nq == 1:
            free = where(less_equal(q[a], box.lower[a]), where(less(gradient[b], 0.0), 0.0, 1.0), 1.0)
            free = where(less_equal(box.upper[a], q[a]), where(less(0.0, gradient[b]), 0.0, 1.0), free)
            out[b] = [where(less(0.5, free), u, 0.0) for u in columns[b]]
    return out


def damped(columns: list[list[Any]], e: list[Any], damping: Any) -> list[Any]:
    """d of (3)."""
    if len(e) <= len(columns):
        y = solve(_gram(transposed(columns), damping), e)
        return [dot(c, y) for c in columns]
    return solve(_gram(columns, damping), [dot(c, e) for c in columns])


def _gram(rows: Matrix, damping: Any) -> Matrix:
    return [[dot(a, b) + (damping if i == j else 0.0) for j, b in enumerate(rows)] for i, a in enumerate(rows)]


def _pose(tree: Tree, x: Any, body: int, X: SE3) -> SE3:
    """The pose of a frame at X on `body`, in the order in which its body Jacobian is made."""
    for i in tree.path(body):
        motion = tree.bodies[i].motion(x)
        X = motion.M @ (motion.E @ X)
    return X
