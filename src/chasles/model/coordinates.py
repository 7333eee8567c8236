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

All of it is computed with forty digits and rounded once: the errors of a frame would be those of all that it carries.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from chasles.lie import SE3, SO3, Mat3, SpatialInertia, Sym3, Twist, Vec3
from chasles.model.checks import is_unit, pitch
from chasles.model.joint import Joint, Planar, ScrewJoint, Spherical
from chasles.model.leaves import is_number
from chasles.model.link import Link
from chasles.model.rounding import SNAP_DISTANCE, clean, composed, entries, precise, rounded, sums, tidy, unit
from chasles.model.tree import Tree

_TURNING = ("revolute", "helical")  # joints with an axis that lies somewhere
NEARLY_PARALLEL = 0.1  # sine of the angle between two axes, below which their common normal is not used
_BASIS = tuple(Vec3(*row) for row in np.eye(3).tolist())


class Aligned(NamedTuple):
    """A tree in cheap link frames; `frames[i]` is the new frame i in the old one, lengths below `noise` are zero.

    unrounded: the frames with forty digits, where no symbol is in them.
    """

    tree: Tree
    frames: tuple[SE3, ...]
    noise: float = 0.0
    unrounded: tuple[SE3, ...] = ()

    def pose(self, body: int, T: SE3) -> SE3:
        """A frame given in the old frame of `body`, in the new one."""
        if body < 0:
            return T
        return clean(composed((self.unrounded or self.frames)[body].inv(), T), self.noise)


class _Line(NamedTuple):
    """A joint axis in the space frame at q = 0: kind, unit direction, a point, pitch. With forty digits."""

    kind: str
    z: Vec3
    point: Vec3
    pitch: Any


def _noise(homes: list[SE3], lines: list[_Line]) -> float:
    """The length that is nothing for a robot with these points: by its own size, and by how far away it is."""
    points = np.array([[*map(float, x)] for H, line in zip(homes, lines, strict=True) for x in (H.p, line.point)])
    if not len(points):
        return SNAP_DISTANCE
    size = float(np.abs(points - points[0]).max())
    return SNAP_DISTANCE * size + 8.0 * np.finfo(float).eps * float(np.abs(points).max())


def _line(home: SE3, joint: Joint) -> _Line:
    if not isinstance(joint, ScrewJoint) or not is_number(*joint.S.w, *joint.S.v):
        return _Line("group", Vec3(*(row.z for row in home.R.matrix)), home.p, 0.0)
    w, v = precise(joint.S.w), precise(joint.S.v)
    if not any(w):
        return _Line("prismatic", unit(home.R @ v), home.p, 0.0)
    away = float(home.p.square().sqrt())
    turns = not pitch(np.array([*map(float, w)]), np.array([*map(float, v)]), away)
    square = w.square()
    point = home @ (w.cross(v) * (1.0 / square))
    return _Line("revolute" if turns else "helical", unit(home.R @ w), point, 0.0 if turns else w.dot(v) / square)


def _feet(a: Vec3, s: Vec3, b: Vec3, t: Vec3) -> tuple[Vec3, Vec3] | None:
    """The feet of the common normal of two lines, or None where they are nearly parallel: it may lie far away, and
    numbers of that size would cost digits."""
    cross = s.cross(t)
    square = cross.square()
    if square < NEARLY_PARALLEL**2:
        return None
    d = b - a
    return a + s * (d.cross(t).dot(cross) / square), b + t * (d.cross(s).dot(cross) / square)


def _across(z: Vec3, *candidates: Vec3) -> Vec3:
    """The first candidate with a part across z, as a unit vector across z."""
    for x in (*candidates, *map(precise, _BASIS)):
        across = x - z * z.dot(x)
        length = across.square().sqrt()
        if length > 1e-9 * max(1.0, float(x.square().sqrt())):
            return across * (1.0 / length)
    raise AssertionError("unreachable: one basis vector lies across z")


def align(tree: Tree, links: Mapping[int, Link] = MappingProxyType({})) -> Aligned:
    """The tree in link frames whose z axes are the joint axes.

    links: bodies as their makers state them. Moments are formed in the new frames then, near the axis: about an origin
    far away they have lost their digits already.
    """
    shifts = [_onto_axis(body.joint) for body in tree.bodies]
    if any(x is not None for x in shifts):
        return _aligned_after(tree, links, [x or SE3.identity() for x in shifts])
    apart = [not is_number(*entries(body.M)) for body in tree.bodies]
    up = [-1 if apart[i] else body.parent for i, body in enumerate(tree.bodies)]  # within the part
    homes: list[SE3] = []
    for i, body in enumerate(tree.bodies):
        M = SE3.identity() if apart[i] else body.M
        homes.append(composed(homes[up[i]], M) if up[i] >= 0 else precise(M))
    lines = [_line(homes[i], body.joint) for i, body in enumerate(tree.bodies)]
    noise = _noise(homes, lines)
    chosen = _chosen(tree, up, homes, lines)

    bodies, frames = [], []
    for i, body in enumerate(tree.bodies):
        joint, F = body.joint, precise(SE3.identity())
        if _is_known(joint):
            F = tidy(homes[i].inv() @ chosen[i], noise)
        if apart[i]:
            above = (clean(frames[body.parent].inv(), noise),) if body.parent >= 0 else ()
            M = clean(composed(*above, body.M, F), noise)
        else:
            M = tidy(chosen[up[i]].inv() @ chosen[i] if up[i] >= 0 else chosen[i], noise)
        if isinstance(joint, ScrewJoint) and _is_known(joint):
            M, joint = _along_z(M, joint, lines[i], noise)
        frames.append(F)
        G = _seen_from(tidy(F.inv(), noise), body.G, links.get(i))
        bodies.append(replace(body, M=rounded(M), joint=joint, G=G))
    return Aligned(Tree(tuple(bodies), tree.gravity), tuple(map(rounded, frames)), noise, tuple(frames))


def _chosen(tree: Tree, up: list[int], homes: list[SE3], lines: list[_Line]) -> list[SE3]:
    """The new frames in the space frame at q = 0."""
    weight, children = [1] * len(lines), [list[int]() for _ in lines]
    for i in reversed(range(len(lines))):
        if up[i] >= 0:
            weight[up[i]] += weight[i]
            children[up[i]].insert(0, i)
    out: list[SE3] = []
    for i, body in enumerate(tree.bodies):
        below = max(children[i], key=lambda c: weight[c], default=None)
        T = homes[i]
        if _is_known(body.joint):
            origin, x, z = _frame(lines, i, up[i], below, out[up[i]] if up[i] >= 0 else precise(SE3.identity()))
            T = SE3(SO3(Mat3(x, z.cross(x), z).T), origin)
        out.append(T)
    return out


def _seen_from(T: SE3, G: SpatialInertia, link: Link | None) -> SpatialInertia:
    """An inertia moved by T, of the link itself where that is known, since about its centre of mass nothing cancels."""
    if link is not None:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia.tolist()
        about = precise(Sym3(xx, yy, zz, xy, xz, yz)).congruent(T.R.matrix)
        place = sums(T.R @ precise(Vec3(*link.com.tolist())), precise(T.p))
        com = Vec3(*sums(place, size=max(map(abs, place))))
        mass, size = precise(link.mass), 0.2 * max(map(abs, about))  # an eps: what a flat body's are off by
        S = Sym3(*sums(about.moments(), Sym3.square(com, mass), size=size))
        return rounded(SpatialInertia(mass, com * mass, S))
    if not is_constant(G):
        return G.moved(rounded(T))
    return rounded(precise(G).moved(T))


def _is_known(joint: Joint) -> bool:
    """Whether a joint is a screw of numbers, which a frame can be laid on."""
    return isinstance(joint, ScrewJoint) and is_number(*joint.S.w, *joint.S.v)


def _onto_axis(joint: Joint) -> SE3 | None:
    """The translation that makes a screw with symbols in its moment one of numbers: to a point of its axis."""
    if not isinstance(joint, ScrewJoint) or is_number(*joint.S.v) or not is_number(*joint.S.w):
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
        if isinstance(joint, ScrewJoint) and not is_number(*X.p):
            h = joint.S.w.dot(joint.S.v) / joint.S.w.square()
            joint = replace(joint, S=Twist(joint.S.w, joint.S.w * h))
        bodies.append(replace(body, M=composed(above, body.M, X), joint=joint, G=body.G.moved(X.inv())))
    own = {i: link for i, link in links.items() if is_number(*shifts[i].p)}
    done = align(Tree(tuple(bodies), tree.gravity), own)
    frames = tuple(X @ F for X, F in zip(shifts, done.frames, strict=True))
    return done._replace(frames=frames, unrounded=())


def _along_z(M: SE3, joint: ScrewJoint, line: _Line, noise: float) -> tuple[SE3, ScrewJoint]:
    """The joint in a frame whose z axis is its own, and M with a turn about z made an offset."""
    length = float(precise(joint.S.v if line.kind == "prismatic" else joint.S.w).square().sqrt())
    rate = 1.0 if is_unit([length]) else length
    z = Vec3(0.0, 0.0, rate)
    if line.kind == "prismatic":
        return M, ScrewJoint(Twist(Vec3.zero(), z), joint.offset)
    M, angle = _unwound(M, line.pitch, noise)
    return M, ScrewJoint(Twist(z, z * float(line.pitch)), joint.offset + angle / rate)


def _frame(lines: list[_Line], i: int, parent: int, below: int | None, above: SE3) -> tuple[Vec3, Vec3, Vec3]:
    """Origin, x axis and z axis of the new frame i in the space frame at q = 0."""
    kind, z, o, _ = lines[i]
    (x_above, _, z_above), o_above = above.R.matrix.T, above.p
    if kind == "prismatic":
        if below is None:
            return o_above, _across(z, x_above, z_above.cross(z)), z
        return o_above, _across(z, z.cross(lines[below].z), x_above), z
    nearest = o + z * z.dot(o_above - o)
    if below is not None and lines[below].kind in _TURNING:
        _, t, b, _ = lines[below]
        feet = _feet(o, z, b, t)
        if feet is None:
            return nearest, _across(z, b - nearest, x_above), z
        return feet[0], _across(z, feet[1] - feet[0], z.cross(t)), z
    feet = _feet(o_above, z_above, o, z) if parent >= 0 and lines[parent].kind in _TURNING else None
    origin = feet[1] if feet else nearest
    if below is None:
        return origin, _across(z, x_above, z_above.cross(z)), z
    return origin, _across(z, z.cross(lines[below].z), x_above), z


def _unwound(M: SE3, pitch: Any, noise: float) -> tuple[SE3, float]:
    """M = M' E with a sparser M', E a screw motion about z by an angle; quarter turns stay in M: they cost nothing."""
    c, s = M.R.matrix.a.x, M.R.matrix.a.y
    if not is_number(c, s) or np.hypot(float(c), float(s)) < 1e-9:
        return M, 0.0
    angle = float(np.arctan2(-float(s), float(c)))
    quarters = angle / (np.pi / 2)
    if abs(quarters - round(quarters)) <= 1e-12:
        return M, 0.0
    x = unit(precise(Vec3(c, s, 0.0)))
    back = SO3(Mat3(Vec3(x.x, -x.y, 0.0), Vec3(x.y, x.x, 0.0), Vec3(0.0, 0.0, 1.0)))
    return tidy(composed(M, SE3(back, Vec3(0.0, 0.0, -angle * pitch))), noise), angle


def is_constant(G: SpatialInertia) -> bool:
    """Whether an inertia is plain numbers, without symbols."""
    return all(isinstance(x, float) for x in (G.mass, *G.h, *G.S))


def regroup(tree: Tree) -> Tree:
    """An aligned tree with (2) moved towards the base: fewer numbers, the same motion. Symbols stay where they are."""
    inertias = [precise(body.G) if is_constant(body.G) else body.G for body in tree.bodies]
    for i in reversed(range(len(inertias))):
        body, parent = tree.bodies[i], tree.bodies[i].parent
        known = is_constant(body.G) and (parent < 0 or is_constant(tree.bodies[parent].G))
        if not (known and is_number(*entries(body.M), *_screw(body.joint))):
            continue
        K = _unfelt(body.joint, inertias[i])
        inertias[i] = inertias[i] - K
        if parent >= 0:
            inertias[parent] = _with_part(inertias[parent], precise(body.M), K)
    return Tree(tuple(replace(b, G=rounded(G)) for b, G in zip(tree.bodies, inertias, strict=True)), tree.gravity)


def _with_part(G: SpatialInertia, T: SE3, K: SpatialInertia) -> SpatialInertia:
    """G + K.moved(T), with zeros for what cancels."""
    h = T.R @ K.h
    S = sums(G.S, K.S.congruent(T.R.matrix), Sym3.pair(T.p, h), Sym3.square(T.p, K.mass))
    return SpatialInertia(G.mass + K.mass, Vec3(*sums(G.h, h, T.p * K.mass)), Sym3(*S))


def _screw(joint: Joint) -> list[Any]:
    return [*joint.S.w, *joint.S.v] if isinstance(joint, ScrewJoint) else []


def _unfelt(joint: Joint, G: SpatialInertia) -> SpatialInertia:
    """The part (2) of an inertia."""
    zero = Vec3.zero()
    axial = Sym3(0.0, 0.0, G.S.zz, 0.0, 0.0, 0.0)
    match joint:
        case ScrewJoint(S=S) if S.w.z == 0.0:
            return SpatialInertia(0.0, zero, G.S)
        case ScrewJoint(S=S) if S.v.z == 0.0:
            return SpatialInertia(G.mass, Vec3(0.0, 0.0, G.h.z), axial)
        case ScrewJoint() | Planar():
            return SpatialInertia(0.0, zero, axial)
        case Spherical():
            return SpatialInertia(G.mass, zero, Sym3.zero())
    return SpatialInertia.zero()
