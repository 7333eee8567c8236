"""The error of a pose, and what a velocity does to it.

T is the pose of a frame, D the one wanted. The error and what a step d of the joints does to it:

    e = (log R, p),  (R, p) = T^-1 D,      e(q + d) = e - J d + O(e^2)            (1)

in the frame's own axes, J the body Jacobian (w, v). Of an error of which only some rows count, the others do not
vanish, and the change of those that do is that of

    d(log R) = -(1 - [x]/2 + c [x]^2) w,  dp = -(v + w x p),  x = log R,  c = (1 - |x|/2 cot(|x|/2)) / |x|^2   (2)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from chasles.dynamics.jacobian import jacobian
from chasles.dynamics.matrices import dot
from chasles.lie import SE3, SO3, Twist, Vec3
from chasles.model.coupling import Coupling
from chasles.model.mechanism import OwnJoint
from chasles.model.tree import Tree
from chasles.scalar.ops import less, sqrt, where

_LEAST_SINE = 1e-18  # squared: at no rotation nothing is divided by zero


@dataclass(frozen=True)
class Chain:
    """What is moved: the joints, and the frames (body, pose on it, rows of e that count) with the unit of length l."""

    tree: Tree
    coupling: Coupling
    joints: Sequence[OwnJoint]
    frames: Sequence[tuple[int, SE3, Sequence[int]]]
    length: float


class PoseTarget(NamedTuple):
    """A pose, and the last row of the matrix that it came as."""

    motion: SE3
    last: Sequence[Any]


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


def off_rigid(T: PoseTarget) -> Any:
    """How far a matrix is from a rigid motion, squared."""
    a, b, c = T.motion.R.matrix
    off = [a.square() - 1.0, b.square() - 1.0, c.square() - 1.0, a.dot(b), a.dot(c), b.dot(c), a.dot(b.cross(c)) - 1.0]
    off += [*T.last[:3], T.last[3] - 1.0]
    return dot(off, off)


def errors(chain: Chain, q: Any, targets: Sequence[PoseTarget]) -> tuple[list[Any], list[list[Any]]]:
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


def _logarithm(R: SO3) -> tuple[Vec3, Any]:
    """log R and c of (2), without functions of a library: tan by halving the angle."""
    x, y, z, w = R.quaternion()
    v = Vec3(x, y, z)
    sine = sqrt(v.square() + _LEAST_SINE)
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


def _pose(tree: Tree, x: Any, body: int, X: SE3) -> SE3:
    """The pose of a frame at X on `body`, in the order in which its body Jacobian is made."""
    for i in tree.path(body):
        motion = tree.bodies[i].motion(x)
        X = motion.M @ (motion.E @ X)
    return X
