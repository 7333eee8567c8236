"""Cheaper coordinates: the same mechanism in link frames and inertias that cost least to compute with.

The equations of motion hold in any link frame, and for any inertias that give the same motion. `align` puts each link
frame's z axis on its joint axis and its x axis on the common normal with the next joint, so that

    exp(S q) = Rz(q), Tz(q) or a screw about z,   M = Tx(a) Rx(alpha) Tz(d)  on a chain           (1)

and a constant rotation about z becomes an offset of q. `regroup` moves to the parent the part K of a link's inertia
that its joint neither feels nor moves,

    K S = 0,   ad_S^T K + K ad_S = 0,                                                            (2)

which for S along z is: revolute (mass, h_z, S_zz), helical (S_zz), prismatic (all second moments); for a planar joint
(S_zz), for a spherical one (mass). Forces on links, energies and moving bases see the true inertias; joint torques, M,
C, gravity and motion do not change. The frames of planar, spherical and free joints stay where they are: their
velocities are in them.

Where a home pose is a symbol the tree falls into parts, and frames are chosen in each as if it were the whole; what is
seen from another part has symbols. A screw with symbols in its moment keeps its direction, which is a number, and its
frame moves onto the axis, at a point that is a symbol; one with symbols in its direction or its pitch stays as it is.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from chasles.lie import SE3, SO3, Mat3, SpatialInertia, Sym3, Twist, Vec3
from chasles.model.checks import SNAP_DISTANCE, pitch
from chasles.model.joint import Joint, Planar, Screw, Spherical
from chasles.model.leaves import is_number, is_symbolic, numbers
from chasles.model.link import Link
from chasles.model.poses import matrix, pose
from chasles.model.tree import Tree

_TURNING = ("revolute", "helical")  # joints with an axis that lies somewhere
NEARLY_PARALLEL = 0.1  # sine of the angle between two axes, below which their common normal is not used


class Aligned(NamedTuple):
    """A tree in cheap link frames; `frames[i]` is the new frame i in the old one, lengths below `noise` are zero."""

    tree: Tree
    frames: tuple[SE3, ...]
    noise: float = 0.0

    def pose(self, body: int, T: SE3) -> SE3:
        """A frame given in the old frame of `body`, in the new one."""
        return clean(self.frames[body].inv() @ T, self.noise) if body >= 0 else T


def clean(T: SE3, noise: float) -> SE3:
    """Round to integers what differs from them by rounding alone: rotations everywhere, translations at zero."""
    out = matrix(T)
    if is_symbolic(out):
        return _clean_symbolic(T, noise)
    near = np.rint(out[:3, :3])
    out[:3, :3] = np.where(np.abs(out[:3, :3] - near) <= SNAP_DISTANCE, near, out[:3, :3])
    size = np.abs(out[:3, 3]).max()
    out[:3, 3] = np.where(np.abs(out[:3, 3]) <= max(SNAP_DISTANCE * size, noise), 0.0, out[:3, 3])
    return pose(out + 0.0)


def _clean_symbolic(T: SE3, noise: float) -> SE3:
    """`clean` of the numbers among symbols."""

    def turned(x: Any) -> Any:
        return float(round(x)) + 0.0 if is_number(x) and abs(x - round(x)) <= SNAP_DISTANCE else x

    def moved(x: Any) -> Any:
        return 0.0 if is_number(x) and abs(x) <= noise else x

    return SE3(SO3(Mat3(*(Vec3(*map(turned, row)) for row in T.R.matrix))), Vec3(*map(moved, T.p)))


def _noise(points: np.ndarray) -> float:
    """The length that is nothing for a robot with these points: by its own size, and by how far away it is."""
    if not len(points):
        return SNAP_DISTANCE
    size = float(np.abs(points - points[0]).max())
    return SNAP_DISTANCE * size + 8.0 * np.finfo(float).eps * float(np.abs(points).max())


def _line(home: np.ndarray, joint: Joint) -> tuple[str, np.ndarray, np.ndarray, float]:
    """Kind, direction and a point of the joint axis in the space frame at q = 0, and the pitch."""
    R, p = home[:3, :3], home[:3, 3]
    if not isinstance(joint, Screw) or not is_number(*joint.S.w, *joint.S.v):
        return "group", R[:, 2], p, 0.0
    w, v = np.array([*joint.S.w]), np.array([*joint.S.v])
    rate = float(np.linalg.norm(w))
    if rate == 0.0:
        return "prismatic", R @ v / np.linalg.norm(v), p, 0.0
    h = pitch(w, v, float(np.linalg.norm(p)))
    return ("helical" if h else "revolute"), R @ w / rate, p + R @ np.cross(w, v) / rate**2, h


def _feet(a: np.ndarray, s: np.ndarray, b: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The feet of the common normal of two lines, or None where they are nearly parallel: it may lie far away, and
    numbers of that size would cost digits."""
    cross = np.cross(s, t)
    square = float(cross @ cross)
    if square < NEARLY_PARALLEL**2:
        return None
    d = b - a
    return a + s * (np.cross(d, t) @ cross / square), b + t * (np.cross(d, s) @ cross / square)


def _across(z: np.ndarray, *candidates: np.ndarray) -> np.ndarray:
    """The first candidate with a part across z, as a unit vector across z."""
    for x in (*candidates, *np.eye(3)):
        across = x - z * (z @ x)
        length = float(np.linalg.norm(across))
        if length > 1e-9 * max(1.0, float(np.linalg.norm(x))) and length > 1e-12:
            return across / length
    raise AssertionError("unreachable: one basis vector lies across z")


def align(tree: Tree, links: Mapping[int, Link] = MappingProxyType({})) -> Aligned:
    """The tree in link frames whose z axes are the joint axes.

    links: bodies as their makers state them. Moments are formed in the new frames then, near the axis: about an origin
    far away they have lost their digits already.
    """
    shifts = [_onto_axis(body.joint) for body in tree.bodies]
    if any(x is not None for x in shifts):
        return _aligned_after(tree, links, [x or SE3.identity() for x in shifts])
    apart = [not is_number(*_entries(body.M)) for body in tree.bodies]
    up = [-1 if apart[i] else body.parent for i, body in enumerate(tree.bodies)]  # within the part
    homes: list[np.ndarray] = []
    for i, body in enumerate(tree.bodies):
        M = np.eye(4) if apart[i] else matrix(body.M)
        homes.append(homes[up[i]] @ M if up[i] >= 0 else M)
    lines = [_line(homes[i], body.joint) for i, body in enumerate(tree.bodies)]
    noise = _noise(np.array([x for H, line in zip(homes, lines, strict=True) for x in (H[:3, 3], line[2])]))
    weight, children = [1] * len(lines), [list[int]() for _ in lines]
    for i in reversed(range(len(lines))):
        if up[i] >= 0:
            weight[up[i]] += weight[i]
            children[up[i]].insert(0, i)

    chosen: list[np.ndarray] = []
    for i, body in enumerate(tree.bodies):
        above = chosen[up[i]] if up[i] >= 0 else np.eye(4)
        below = max(children[i], key=lambda c: weight[c], default=None)
        T = homes[i].copy()
        if _is_known(body.joint):
            T[:3, 3], T[:3, 0], T[:3, 2] = _frame(lines, i, up[i], below, above)
            T[:3, 1] = np.cross(T[:3, 2], T[:3, 0])
        chosen.append(T)

    bodies, frames = [], []
    for i, body in enumerate(tree.bodies):
        above = pose(chosen[up[i]]) if up[i] >= 0 else SE3.identity()
        new = pose(chosen[i])
        joint, F = body.joint, SE3.identity()
        if _is_known(joint):
            F = pose(homes[i]).inv() @ new
        if apart[i]:
            M = clean(frames[body.parent].inv(), noise) @ body.M if body.parent >= 0 else body.M
            M = clean(M @ clean(F, noise), noise)
        else:
            M = clean(above.inv() @ new, noise)
        if isinstance(joint, Screw) and _is_known(joint):
            M, joint = _along_z(M, joint, lines[i], noise)
        frames.append(F)
        back = clean(F.inv(), noise)
        G = links[i].moved(matrix(back)).spatial() if i in links else body.G.moved(back)
        bodies.append(replace(body, M=M, joint=joint, G=G))
    return Aligned(Tree(tuple(bodies), tree.gravity), tuple(frames), noise)


def _entries(T: SE3) -> list[Any]:
    return [*T.p, *(x for row in T.R.matrix for x in row)]


def _is_known(joint: Joint) -> bool:
    """Whether a joint is a screw of numbers, which a frame can be laid on."""
    return isinstance(joint, Screw) and is_number(*joint.S.w, *joint.S.v)


def _onto_axis(joint: Joint) -> SE3 | None:
    """The translation that makes a screw with symbols in its moment one of numbers: to a point of its axis."""
    if not isinstance(joint, Screw) or is_number(*joint.S.v) or not is_number(*joint.S.w):
        return None
    w, v = joint.S.w, joint.S.v
    if not any(w) or not is_number(w.dot(v)):
        return None
    return SE3(SO3.identity(), w.cross(v) * (1.0 / w.square()))


def _aligned_after(tree: Tree, links: Mapping[int, Link], shifts: list[SE3]) -> Aligned:
    """The tree aligned after its frames are moved by shifts, each in its own frame."""
    bodies = []
    for body, X in zip(tree.bodies, shifts, strict=True):
        above = shifts[body.parent].inv() if body.parent >= 0 else SE3.identity()
        joint = body.joint
        if isinstance(joint, Screw) and not is_number(*X.p):
            h = joint.S.w.dot(joint.S.v) / joint.S.w.square()
            joint = replace(joint, S=Twist(joint.S.w, joint.S.w * h))
        bodies.append(replace(body, M=above @ body.M @ X, joint=joint, G=body.G.moved(X.inv())))
    own = {i: link for i, link in links.items() if is_number(*shifts[i].p)}
    done = align(Tree(tuple(bodies), tree.gravity), own)
    return done._replace(frames=tuple(X @ F for X, F in zip(shifts, done.frames, strict=True)))


def _along_z(M: SE3, joint: Screw, line: tuple[str, np.ndarray, np.ndarray, float], noise: float) -> tuple[SE3, Screw]:
    """The joint in a frame whose z axis is its own, and M with a turn about z made an offset."""
    kind, _, _, h = line
    rate = float(np.linalg.norm([*(joint.S.v if kind == "prismatic" else joint.S.w)]))
    if abs(rate - 1.0) <= SNAP_DISTANCE:
        rate = 1.0
    z = Vec3(0.0, 0.0, rate)
    if kind == "prismatic":
        return M, Screw(Twist(Vec3.zero(), z), joint.offset)
    S = Twist(z, z * h)
    M, extra = _unwind(M, S, noise)
    return M, Screw(S, joint.offset + extra)


def _frame(
    lines: list[Any], i: int, parent: int, below: int | None, above: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Origin, x axis and z axis of the new frame i in the space frame at q = 0."""
    kind, z, o, _ = lines[i]
    x_above, z_above, o_above = above[:3, 0], above[:3, 2], above[:3, 3]
    if kind == "prismatic":
        if below is None:
            return o_above, _across(z, x_above, np.cross(z_above, z)), z
        return o_above, _across(z, np.cross(z, lines[below][1]), x_above), z
    nearest = o + z * (z @ (o_above - o))
    if below is not None and lines[below][0] in _TURNING:
        _, t, b, _ = lines[below]
        feet = _feet(o, z, b, t)
        if feet is None:
            return nearest, _across(z, b - nearest, x_above), z
        return feet[0], _across(z, feet[1] - feet[0], np.cross(z, t)), z
    feet = _feet(o_above, z_above, o, z) if parent >= 0 and lines[parent][0] in _TURNING else None
    origin = feet[1] if feet else nearest
    if below is None:
        return origin, _across(z, x_above, np.cross(z_above, z)), z
    return origin, _across(z, np.cross(z, lines[below][1]), x_above), z


def _unwind(M: SE3, S: Twist, noise: float) -> tuple[SE3, float]:
    """M = M' exp(S t) with a sparser M'; quarter turns stay in M, where they cost nothing."""
    R = numbers(matrix(M)[:3, :3])
    if is_symbolic(R) or np.hypot(R[0, 0], R[0, 1]) < 1e-9:
        return M, 0.0
    angle = float(np.arctan2(-R[0, 1], R[0, 0]))
    quarters = angle / (np.pi / 2)
    if abs(quarters - round(quarters)) <= 1e-12:
        return M, 0.0
    t = angle / S.w.z
    return clean(M @ S.exp(-t), noise), t


def is_constant(G: SpatialInertia) -> bool:
    """Whether an inertia is plain numbers, without symbols."""
    return all(isinstance(x, float) for x in (G.mass, *G.h, *G.S))


def regroup(tree: Tree) -> Tree:
    """An aligned tree with (2) moved towards the base: fewer numbers, the same motion. Symbols stay where they are."""
    inertias = [body.G for body in tree.bodies]
    for i in reversed(range(len(inertias))):
        body, G = tree.bodies[i], inertias[i]
        above = inertias[body.parent] if body.parent >= 0 else SpatialInertia.zero()
        if not (is_constant(G) and is_constant(above) and is_number(*_entries(body.M), *_screw(body.joint))):
            continue
        K = _unfelt(body.joint, G)
        inertias[i] = G - K
        if body.parent >= 0:
            inertias[body.parent] = above + K.moved(body.M)
    return Tree(tuple(replace(b, G=G) for b, G in zip(tree.bodies, inertias, strict=True)), tree.gravity)


def _screw(joint: Joint) -> list[Any]:
    return [*joint.S.w, *joint.S.v] if isinstance(joint, Screw) else []


def _unfelt(joint: Joint, G: SpatialInertia) -> SpatialInertia:
    """The part (2) of an inertia."""
    zero = Vec3.zero()
    axial = Sym3(0.0, 0.0, G.S.zz, 0.0, 0.0, 0.0)
    match joint:
        case Screw(S=S) if S.w.z == 0.0:
            return SpatialInertia(0.0, zero, G.S)
        case Screw(S=S) if S.v.z == 0.0:
            return SpatialInertia(G.mass, Vec3(0.0, 0.0, G.h.z), axial)
        case Screw() | Planar():
            return SpatialInertia(0.0, zero, axial)
        case Spherical():
            return SpatialInertia(G.mass, zero, Sym3.zero())
    return SpatialInertia.zero()
