"""A mechanism: screws, home poses, links, names, limits, frames. Immutable, checked once, comparable.

The robot is given in product-of-exponentials form in the space frame at its home configuration,

    T_i(q) = exp([S_a] q_a) ... exp([S_i] q_i) H_i,   a, ..., i the path from the base    (1)  [POE-1]

with absolute screws S and home poses H; a planar, spherical or free joint (model/joint.py) stands in the product by its
own motion in the link frame. `tree` is the same mechanism in the local form of model/tree.py [POE-3]. A link with a
zero screw is fixed: it is merged into its parent and stays addressable as a frame. Arrays have one row a moving link.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chasles.arguments import shown
from chasles.errors import FrameError, printable
from chasles.lazy import lazy
from chasles.lie import SE3, Twist, Vec3
from chasles.model.checks import LIMITS, is_impossible, refuse_control
from chasles.model.coordinates import Aligned, align, regroup
from chasles.model.coupling import Coupling
from chasles.model.frame import Frame
from chasles.model.joint import KINDS, Joint, ScrewJoint
from chasles.model.leaves import is_number, is_symbolic, is_zero, leaf
from chasles.model.link import Link
from chasles.model.poses import pose, twist
from chasles.model.rounding import composed, entries, orthonormal, precise, rounded
from chasles.model.tree import Body, Tree
from chasles.reprs import Lines, quoted

if TYPE_CHECKING:
    from chasles.graph.operand import Operand

LOSSES = ("armature", "damping", "friction")
TENSOR_LIMIT = 12  # degrees of freedom whose tensors are one program (catalogue/entry.py)


class OwnJoint(NamedTuple):
    """A joint that follows no other. link: its number. q, v: its part of the robot's coordinates and velocities."""

    link: int
    name: str
    joint: Joint
    q: slice
    v: slice


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism:
    """The checked description of a robot. Build it with `mechanism`.

    file: the path of the file that it was read from, "" where there was none: what `visuals` name lies near it. It is
    no part of `key`.
    """

    name: str
    screws: np.ndarray
    homes: np.ndarray
    links: tuple[Link, ...]
    parents: tuple[int, ...]
    joint_names: tuple[str, ...]
    link_names: tuple[str, ...]
    limits: Mapping[str, np.ndarray]
    frames: Mapping[str, Frame]
    tool: Frame | None
    gravity: np.ndarray
    kinds: tuple[str, ...]
    mimics: tuple[tuple[int, float, float] | None, ...]
    armature: np.ndarray
    damping: np.ndarray
    friction: np.ndarray
    base: Link
    has_friction: bool = False
    visuals: tuple[Any, ...] = ()
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    source: str = ""
    description: str = ""
    file: str = ""

    def __post_init__(self) -> None:
        for key in ("limits", "frames"):
            object.__setattr__(self, key, MappingProxyType(dict(getattr(self, key))))
        for what, names in (("link", (self.base_name, *self.link_names)), ("joint", self.joint_names)):
            refuse_control(names, what)
        refuse_control(self.frames, "frame")
        for key in ("name", "source", "description"):
            object.__setattr__(self, key, printable(getattr(self, key)))
        for key in ("doubts", "notes"):
            object.__setattr__(self, key, Lines(map(printable, getattr(self, key))))
        for x in (*self.__dict__.values(), *self.limits.values()):
            if isinstance(x, np.ndarray):
                x.flags.writeable = False

    def __getstate__(self) -> dict[str, Any]:
        given = {x.name: getattr(self, x.name) for x in fields(self)}
        return given | {"limits": dict(self.limits), "frames": dict(self.frames)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __repr__(self) -> str:
        return f"<Mechanism {quoted(self.name)}: {self.bodies} joints>"

    @property
    def bodies(self) -> int:
        """The number of moving links."""
        return len(self.parents)

    @property
    def n(self) -> int:
        """The number of degrees of freedom."""
        return self.coupling.nv

    @property
    def base_name(self) -> str:
        return self.base.name or "base"

    @lazy
    def impossible_links(self) -> tuple[str, ...]:
        """Moving links, with all that is merged into them, whose inertia has a negative eigenvalue.

        Where there is one the mass matrix need not be positive definite.
        """
        pairs = zip(self.link_names, self.links, strict=True)
        return tuple(name for name, link in pairs if not link.is_symbolic and is_impossible(link))

    @lazy
    def symbols(self) -> "tuple[Operand, ...]":
        """The symbols that stand for numbers of it, in the order of appearance."""
        expressions = self.expressions
        if not expressions:
            return ()
        from chasles.graph.symbol import operands

        return operands(expressions)

    @property
    def expressions(self) -> list[Any]:
        """Its numbers that are expressions of symbols, once each."""
        found: dict[int, Any] = {}
        bodies = (*self.links, self.base, *(f.load for f in self.frames.values() if f.load))
        held = [np.array(link.stated, object) for link in bodies if link.is_symbolic]
        held += [self.screws, self.homes, self.gravity, self.armature, self.damping, self.friction]
        held += [frame.pose for frame in (*self.frames.values(), *((self.tool,) if self.tool else ()))]
        for held_entries in filter(is_symbolic, held):
            found |= {id(x): x for x in held_entries.reshape(-1) if not is_number(x)}
        return list(found.values())

    @lazy
    def tree(self) -> Tree:
        """The local form: relative home poses, and joints in link frames."""
        bodies = (replace(x, M=rounded(x.M), joint=_rounded_joint(x.joint)) for x in self.unrounded_tree.bodies)
        return replace(self.unrounded_tree, bodies=tuple(bodies))

    @lazy
    def unrounded_tree(self) -> Tree:
        """The local form, with forty digits in home poses and screws but where there are symbols."""
        homes = [pose(H) for H in self.homes]
        homes = [SE3(orthonormal(H.R), precise(H.p)) if is_number(*entries(H)) else H for H in homes]
        bodies: list[Body] = []
        q = v = 0
        for i, parent in enumerate(self.parents):
            M = composed(homes[parent].inv(), homes[i]) if parent >= 0 else homes[i]
            kind = self.kinds[i]
            joint = KINDS[kind]() if kind in KINDS else ScrewJoint(_local(homes[i], twist(self.screws[i])))  # [POE-3]
            rotor = leaf(self.armature[i])
            armature = () if is_zero(rotor) else (rotor,) * joint.nv
            bodies.append(Body(parent, M, joint, self.links[i].spatial(), q, v, armature))
            q, v = q + joint.nq, v + joint.nv
        return Tree(tuple(bodies), Vec3(*map(leaf, self.gravity)))

    @lazy
    def aligned(self) -> Aligned:
        """The tree in cheap link frames; bodies without symbols by what their makers state."""
        return align(self.unrounded_tree, {i: link for i, link in enumerate(self.links) if not link.is_symbolic})

    @lazy
    def regrouped(self) -> Tree:
        """The tree in cheap link frames, with inertias where they cost least."""
        return regroup(self.aligned.tree)

    @lazy
    def coupling(self) -> Coupling:
        """How the coordinates of the joints follow the robot's own."""
        own = {x.link: x for x in self.own_joints}
        q: list[tuple[int, float, float]] = []
        v: list[tuple[int, float]] = []
        for i, mimic in enumerate(self.mimics):
            if mimic is None:
                q += [(k, 1.0, 0.0) for k in range(own[i].q.start, own[i].q.stop)]
                v += [(k, 1.0) for k in range(own[i].v.start, own[i].v.stop)]
            else:
                master, factor, offset = mimic
                q.append((own[master].q.start, factor, offset))
                v.append((own[master].v.start, factor))
        nq, nv = (sum(sizes) for sizes in ([x.joint.nq for x in own.values()], [x.joint.nv for x in own.values()]))
        return Coupling(nq, nv, tuple(q), tuple(v))

    @lazy
    def own_joints(self) -> tuple[OwnJoint, ...]:
        """The joints that follow no other, in the order of their coordinates."""
        out, q, v = [], 0, 0
        for i, (name, body, mimic) in enumerate(zip(self.joint_names, self.tree.bodies, self.mimics, strict=True)):
            if mimic is None:
                out.append(OwnJoint(i, name, body.joint, slice(q, q + body.joint.nq), slice(v, v + body.joint.nv)))
                q, v = out[-1].q.stop, out[-1].v.stop
        return tuple(out)

    @lazy
    def coordinate_limits(self) -> Mapping[str, np.ndarray]:
        """The limits of the robot's own joints: lower and upper (nq,), velocity and effort (n,)."""
        links, out = [own.link for own in self.own_joints], {}
        for key, values in self.limits.items():
            repeats = [own.joint.nq if key in ("lower", "upper") else own.joint.nv for own in self.own_joints]
            out[key] = np.repeat(values[links], repeats)
            out[key].flags.writeable = False
        return MappingProxyType(out)

    @lazy
    def position_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """The limits of q, lower and upper (nq,), narrowed where joints that mimic can be kept within theirs too."""
        lower, upper = (self.coordinate_limits[key].copy() for key in ("lower", "upper"))
        for i, mimic in enumerate(self.mimics):
            if mimic is None or not mimic[1]:
                continue
            j = self.coupling.q[self.tree.bodies[mimic[0]].q][0]
            ends = sorted((self.limits[key][i] - mimic[2]) / mimic[1] for key in ("lower", "upper"))
            if (low := max(lower[j], ends[0])) <= (high := min(upper[j], ends[1])):
                lower[j], upper[j] = low, high
        return lower, upper

    def frame(self, name: str | None) -> Frame:
        """The frame of that name; None means the tool."""
        if name is None:
            if self.tool is None:
                raise FrameError(
                    f"robot {self.name!r} is branched and has no tool: name a frame, one of {', '.join(self.frames)}, "
                    "or give it one with with_tool(T, link=...)"
                )
            return self.tool
        try:
            return self.frames[name]
        except (KeyError, TypeError):
            from difflib import get_close_matches

            near = get_close_matches(name, list(self.frames), 1) if isinstance(name, str) else []
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise FrameError(
                f"robot {self.name!r} has no frame {shown(name)}{hint} Its frames: {', '.join(self.frames)}"
            ) from None

    @lazy
    def key(self) -> tuple[Any, ...]:
        """Everything that makes two mechanisms the same, as plain hashable data."""
        given = [self.screws, self.homes, self.gravity, *(self.limits[k] for k in LIMITS)]
        given += [self.armature, self.damping, self.friction, self.base.com, self.base.inertia]
        bodies = [_link_key(link) for link in self.links]
        hand = self.tool
        tool = None if hand is None else (hand.name, hand.body, _bytes(hand.pose), hand.parent)
        loads = {k: f.load and _link_key(f.load) for k, f in self.frames.items()}
        frames = [(f.name, f.body, _bytes(f.pose), f.parent, loads[k]) for k, f in self.frames.items()]
        names = (self.name, self.joint_names, self.link_names, self.parents, self.kinds, self.mimics, self.has_friction)
        names = (*names, self.base.name, _exact(self.base.mass))
        return (*names, *map(_bytes, given), *bodies, tool, *frames)


def _local(home: SE3, S: Twist) -> Twist:
    """A screw of the space frame, seen from a link's."""
    lift = precise if is_number(*entries(home), *S.w, *S.v) else rounded
    return lift(home).Ad_inv(lift(S))


def _rounded_joint(joint: Joint) -> Joint:
    return replace(joint, S=rounded(joint.S)) if isinstance(joint, ScrewJoint) else joint


class _Same:
    """An expression of symbols as part of a key: the same where it is the same node."""

    __slots__ = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.node is other.node

    def __hash__(self) -> int:
        return id(self.node)


def _exact(x: Any) -> Any:
    return x if is_number(x) else _Same(x)


def _bytes(x: np.ndarray) -> Any:
    """The numbers of an array as something to compare."""
    return tuple(map(_exact, x.reshape(-1))) if is_symbolic(x) else np.ascontiguousarray(x).tobytes()


def _link_key(link: Link) -> tuple[Any, ...]:
    return _exact(link.mass), _bytes(link.com), _bytes(link.inertia)
