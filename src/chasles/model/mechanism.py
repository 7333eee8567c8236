"""A mechanism: screws, home poses, links, names, limits, frames. Immutable, checked once, comparable.

The robot is given in product-of-exponentials form in the space frame at its home configuration,

    T_i(q) = exp([S_a] q_a) ... exp([S_i] q_i) H_i,   a, ..., i the path from the base    (1)  [POE-1]

with absolute screws S and home poses H; a planar, spherical or free joint (model/joint.py) stands in the product by its
own motion in the link frame. `tree` is the same mechanism in the local form of model/tree.py [POE-3]. A link with a
zero screw is fixed: it is merged into its parent and stays addressable as a frame. Arrays have one row a moving link.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.arguments import sequence, shown
from chasles.errors import FrameError, ModelError, ModelWarning
from chasles.lazy import lazy
from chasles.lie import SE3, SO3, Mat3, Twist, Vec3
from chasles.model.checks import (
    LIMITS,
    array,
    axis,
    bounds,
    check_link,
    distinct,
    joint_kinds,
    link_index,
    losses,
    pairs,
    resolve_mimics,
    rigid,
    whole,
)
from chasles.model.coupling import Coupling
from chasles.model.joint import KINDS, Screw
from chasles.model.leaves import is_number, is_symbolic, is_zero, leaf, numbers
from chasles.model.link import Link, same
from chasles.model.tree import Body, Tree

if TYPE_CHECKING:
    from chasles.graph.operand import Operand

LOSSES = ("armature", "damping", "friction")
LARGE = 12  # degrees of freedom beyond which tensors are too large to be one program (catalogue/entry.py)


def caller() -> int:
    """How far up the stack the first line outside of chasles is: where a warning belongs."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "chasles":
        level, frame = level + 1, frame.f_back
    return level


def pose(T: Any) -> SE3:
    """The motion of a (4, 4) array of numbers or symbols."""
    rows = [[leaf(x) for x in row] for row in T]
    return SE3(SO3(Mat3(*(Vec3(*row[:3]) for row in rows[:3]))), Vec3(*(row[3] for row in rows[:3])))


def matrix(T: SE3) -> np.ndarray:
    """The (4, 4) array of a motion of numbers or symbols."""
    if not is_number(*T.p, *(x for row in T.R.matrix for x in row)):
        return numbers([*([*row, x] for row, x in zip(T.R.matrix, T.p, strict=True)), [0.0, 0.0, 0.0, 1.0]])
    out = np.eye(4)
    out[:3, :3] = [[*row] for row in T.R.matrix]
    out[:3, 3] = [*T.p]
    return out


def twist(V: Any) -> Twist:
    """The twist of six numbers or symbols (angular, linear)."""
    x = [leaf(c) for c in V]
    return Twist(Vec3(*x[:3]), Vec3(*x[3:]))


def inverse(T: np.ndarray) -> np.ndarray:
    """The inverse of a (4, 4) pose."""
    return matrix(pose(T).inv()) if is_symbolic(T) else np.linalg.inv(T)


@dataclass(frozen=True)
class Frame:
    """A frame fixed to body `body` (-1: the base) at `pose` (4, 4) in that body's frame.

    parent: the link, moving or merged, that it hangs on in the tree as it was given; "" for the base. load: what a
    merged link weighs with all that is fixed to it, in this frame; the body's inertia has it too. joint: the name of
    the fixed joint of a merged link, where it is known.
    """

    name: str
    body: int
    pose: np.ndarray = field(compare=False)
    parent: str = ""
    load: Link | None = field(default=None, compare=False)
    joint: str = field(default="", compare=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.pose.flags.writeable = False


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism:
    """The checked description of a robot. Build it with `mechanism`."""

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

    def __post_init__(self) -> None:
        for key in ("limits", "frames"):
            object.__setattr__(self, key, MappingProxyType(dict(getattr(self, key))))
        for x in (*self.__dict__.values(), *self.limits.values()):
            if isinstance(x, np.ndarray):
                x.flags.writeable = False

    def __getstate__(self) -> dict[str, Any]:
        given = {x.name: getattr(self, x.name) for x in fields(self)}
        return given | {"limits": dict(self.limits), "frames": dict(self.frames)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

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
        for entries in filter(is_symbolic, held):
            found |= {id(x): x for x in entries.reshape(-1) if not is_number(x)}
        return list(found.values())

    @lazy
    def tree(self) -> Tree:
        """The local form: relative home poses, and joints in link frames."""
        homes = [pose(H) for H in self.homes]
        bodies: list[Body] = []
        q = v = 0
        for i, parent in enumerate(self.parents):
            M = homes[parent].inv() @ homes[i] if parent >= 0 else homes[i]
            kind = self.kinds[i]
            joint = KINDS[kind]() if kind in KINDS else Screw(homes[i].Ad_inv(twist(self.screws[i])))  # [POE-3]
            rotor = leaf(self.armature[i])
            armature = () if is_zero(rotor) else (rotor,) * joint.nv
            bodies.append(Body(parent, M, joint, self.links[i].spatial(), q, v, armature))
            q, v = q + joint.nq, v + joint.nv
        return Tree(tuple(bodies), Vec3(*map(leaf, self.gravity)))

    @lazy
    def coupling(self) -> Coupling:
        """How the coordinates of the joints follow the robot's own."""
        rows: list[list[tuple[int, float, float]]] = []
        rates: list[list[tuple[int, float]]] = []
        q = v = 0
        for i, body in enumerate(self.tree.bodies):
            if self.mimics[i] is None:
                rows.append([(q + k, 1.0, 0.0) for k in range(body.joint.nq)])
                rates.append([(v + k, 1.0) for k in range(body.joint.nv)])
                q, v = q + body.joint.nq, v + body.joint.nv
            else:
                rows.append([])
                rates.append([])
        for i, mimic in enumerate(self.mimics):
            if mimic is not None:
                master, factor, offset = mimic
                rows[i] = [(rows[master][0][0], factor, offset)]
                rates[i] = [(rates[master][0][0], factor)]
        return Coupling(q, v, tuple(x for row in rows for x in row), tuple(x for row in rates for x in row))

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


class _Same:
    """An expression of symbols as part of a key: the same where it is the same node."""

    __slots__ = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.node is other.node

    def __hash__(self) -> int:
        return hash(self.node)


def _exact(x: Any) -> Any:
    return x if is_number(x) else _Same(x)


def _bytes(x: np.ndarray) -> Any:
    """The numbers of an array as something to compare."""
    return tuple(map(_exact, x.reshape(-1))) if is_symbolic(x) else np.ascontiguousarray(x).tobytes()


def _link_key(link: Link) -> tuple[Any, ...]:
    return _exact(link.mass), _bytes(link.com), _bytes(link.inertia)


def mechanism(
    screws: Any,
    homes: Any,
    links: Sequence[Link],
    parents: Sequence[int] | None = None,
    *,
    name: str = "robot",
    joint_names: Sequence[str] | None = None,
    link_names: Sequence[str] | None = None,
    limits: Mapping[str, Any] | None = None,
    tool: Any = None,
    tool_link: str | int | None = None,
    frames: Mapping[str, tuple[str | int, Any]] | None = None,
    gravity: Any = (0.0, 0.0, -9.81),
    kinds: Sequence[str] | None = None,
    mimics: Mapping[str, tuple[str, float, float]] | None = None,
    armature: Any = None,
    damping: Any = None,
    friction: Any = None,
    base: Link | None = None,
    has_friction: bool = False,
    visuals: Sequence[Any] = (),
    notes: Sequence[str] = (),
    doubts: Sequence[str] = (),
    told: Sequence[str] = (),
    refuse_impossible: bool = True,
    source: str = "",
    description: str = "",
) -> Mechanism:
    """Check a description and build the mechanism, merging fixed links. See `Robot.from_screws`.

    kinds: per link "screw", "planar", "spherical" or "free"; the screw of the last three is not looked at. mimics:
    {joint: (joint it follows, factor, offset)}. armature, damping, friction: per link, of its joint. base: the inertia
    and name of what does not move, used when it is set free. visuals: kept as they are. notes, doubts: to begin with.
    told: doubts that were warned of before, and are not again. refuse_impossible: whether an inertia with a negative
    eigenvalue is refused, or loaded with a doubt, as some files of real robots need it, whose products of inertia are
    too large.
    """
    doubts, notes = list(doubts), list(notes)
    gravity = array(gravity, (3,), "gravity")
    rows = _checked_rows(screws, homes, links, parents, base, joint_names, link_names, kinds, notes)
    rows.check_inertias(doubts, refuse_impossible)
    kept, n = rows.kept, len(rows.links)
    moving = _merged_links(rows)
    doubts += massless(moving)
    limiting = {k: v[kept] for k, v in bounds({} if limits is None else limits, n, rows.joints).items()}
    given = zip((armature, damping, friction), LOSSES, strict=True)
    lost = [numbers(losses(x, n, what, rows.joints)[kept]) for x, what in given]
    joints, forms = [rows.joints[i] for i in kept], [rows.kinds[i] for i in kept]
    follows = resolve_mimics(mimics or {}, joints, forms, rows.joints)
    table = _frames(rows, frames, notes)
    hand = _tool(rows, table, tool, tool_link, notes)
    doubts.sort(key=lambda doubt: told.index(doubt) if doubt in told else len(told))
    for doubt in doubts:
        if doubt not in told:
            warnings.warn(f"robot {name!r}: {doubt}", ModelWarning, stacklevel=caller())
    return Mechanism(
        name=str(name),
        screws=numbers(rows.screws[kept]),
        homes=numbers(rows.homes[kept]),
        links=tuple(moving),
        parents=tuple(rows.body_of(rows.parents[i]) for i in kept),
        joint_names=tuple(joints),
        link_names=tuple(rows.names[i] for i in kept),
        limits=limiting,
        frames=table,
        tool=hand,
        gravity=gravity,
        kinds=tuple(forms),
        mimics=follows,
        armature=lost[0],
        damping=lost[1],
        friction=lost[2],
        base=_merged_base(rows),
        has_friction=has_friction,
        visuals=tuple(visuals),
        doubts=tuple(doubts),
        notes=tuple(notes),
        source=source,
        description=description,
    )


def massless(links: Sequence[Link]) -> list[str]:
    """The doubts about moving links, with all that is merged into them, that have no mass."""
    return [f"link {link.name!r}: its mass is zero" for link in links if is_zero(link.mass) and not link.inserted]


@dataclass
class _Rows:
    """The links as they were given, one a row, checked. Those that are fixed are going to be merged.

    bodies: for each the moving link that it is part of, -1 for the base. kept: the rows of those.
    """

    ground: Link
    names: list[str]
    joints: list[str]
    kinds: list[str]
    screws: np.ndarray
    homes: np.ndarray
    links: list[Link]
    parents: list[int]
    fixed: list[bool] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.fixed = [kind == "screw" and is_zero(*S) for kind, S in zip(self.kinds, self.screws, strict=True)]
        for i, parent in enumerate(self.parents):
            self.bodies.append(self.body_of(parent) if self.fixed[i] else len(self.kept))
            if not self.fixed[i]:
                self.kept.append(i)

    def body_of(self, i: int) -> int:
        return self.bodies[i] if i >= 0 else -1

    def named(self, i: int) -> str:
        return self.names[i] if i >= 0 else str(self.ground.name)

    def home(self, i: int) -> np.ndarray:
        return self.homes[i] if i >= 0 else np.eye(4)

    def index(self, link: str | int) -> int:
        """The row of a link by its name or number, -1 for the base."""
        return -1 if link in (self.ground.name, -1) else link_index(link, self.names)

    def check_inertias(self, doubts: list[str], refuse_impossible: bool) -> None:
        for link, name in zip((self.ground, *self.links), (self.named(-1), *self.names), strict=True):
            check_link(link, name, doubts, refuse_impossible)

    def place(
        self, name: str, i: int, absolute: np.ndarray, parent: str = "", load: Link | None = None, joint: str = ""
    ) -> Frame:
        """The frame at an absolute pose that rides on row i."""
        body = self.body_of(i)
        T = relative(self.homes[self.kept[body]], absolute) if body >= 0 else numbers(absolute)
        T.flags.writeable = False
        return Frame(name, body, T, parent, load, joint)


def _checked_rows(
    screws: Any,
    homes: Any,
    links: Any,
    parents: Any,
    base: Link | None,
    joint_names: Sequence[str] | None,
    link_names: Sequence[str] | None,
    kinds: Sequence[str] | None,
    notes: list[str],
) -> _Rows:
    links = sequence(links, "links", "chasles.Link")
    n = len(links)
    raw = array(screws, (n, 6), "screws")
    poses = array(homes, (n, 4, 4), "homes")
    parents = whole(range(-1, n - 1) if parents is None else parents, n)
    for i, link in enumerate(links):
        if not isinstance(link, Link):
            raise ModelError(f"links[{i}] must be a chasles.Link(mass, com, inertia), got {type(link).__name__}")
    given = base or Link()
    ground = replace(given, name=given.name or "base", inserted=False)
    names = link_names if link_names is not None else [link.name or f"link{i + 1}" for i, link in enumerate(links)]
    names = distinct(names, n, "link_names", str(ground.name))
    default = [f"joint{i + 1}" for i in range(n)]
    joints = distinct(default if joint_names is None else joint_names, n, "joint_names")
    forms = joint_kinds(kinds, n, joints, raw)
    for i in range(n):
        if not -1 <= parents[i] < i:
            raise ModelError(
                f"link {names[i]!r}: parent {parents[i]} must be -1 (the base) or an earlier link: list parents first"
            )
        poses[i] = rigid(poses[i], f"home of link {names[i]!r}", notes)
        raw[i] = axis(raw[i], f"screw of joint {joints[i]!r}", notes)
    return _Rows(ground, names, joints, forms, raw, poses, links, parents)


def _frames(rows: _Rows, given: Any, notes: list[str]) -> dict[str, Frame]:
    """The frames of the base, of all links, and those given besides."""
    loads = _loads(rows)
    out = {rows.named(-1): rows.place(rows.named(-1), -1, np.eye(4))}
    for i in sorted(range(len(rows.links)), key=rows.fixed.__getitem__):  # moving first: the order a file is read in
        name, joint = rows.names[i], rows.joints[i] if rows.fixed[i] else ""
        out[name] = rows.place(name, i, rows.homes[i], rows.named(rows.parents[i]), loads.get(i), joint)
        if rows.fixed[i]:
            into = rows.kept[rows.bodies[i]] if rows.bodies[i] >= 0 else -1
            notes.append(f"link {name!r} is fixed: merged into {rows.named(into)!r}")
    for key, (link, T) in pairs(given).items():
        if key in out:
            raise ModelError(f"frame {key!r} is already the name of a link")
        at = rows.index(link)
        absolute = rigid(array(T, (4, 4), f"frame {key!r}"), f"frame {key!r}", notes)
        out[key] = rows.place(key, at, absolute, rows.named(at))
    return out


def _tool(rows: _Rows, table: dict[str, Frame], tool: Any, tool_link: Any, notes: list[str]) -> Frame | None:
    """The tool as it is given; else what is called "tool"; else the last link of a robot that does not branch.

    It is the frame "tool" too, unless that is a link's.
    """
    parents = [rows.body_of(rows.parents[i]) for i in rows.kept]
    branched = len(set(parents)) < len(parents)
    tip = [i for i, body in enumerate(rows.bodies) if body == len(rows.kept) - 1] or [-1]
    own = table.get("tool")
    if tool is not None or tool_link is not None:
        if tool_link is None and branched:
            raise ModelError("a tool on a branched robot needs its link: give tool_link")
        at = tip[-1] if tool_link is None else rows.index(tool_link)
        absolute = rows.home(at) if tool is None else rigid(array(tool, (4, 4), "tool"), "tool", notes)
        hand = rows.place("tool", at, absolute, rows.named(at))
        if own is not None and not same_place(own, hand) and (note := two_tools(rows.named(at))) not in notes:
            notes.append(note)
    elif own is not None:
        hand = replace(own, parent="tool", load=None, joint="")
    elif branched:
        return None
    else:
        hand = rows.place("tool", tip[-1], rows.home(tip[-1]), rows.named(tip[-1]))
        if len(tip) > 1:
            others = ", ".join(repr(rows.named(i)) for i in tip[:-1])
            notes.append(f"the tool is at {rows.named(tip[-1])!r}, the last of the links at the tip; others: {others}")
    table.setdefault("tool", hand)
    return hand


def same_place(x: Frame, y: Frame) -> bool:
    return x.body == y.body and same(x.pose, y.pose)


def two_tools(parent: str) -> str:
    """What there is to say where the tool is not where a link called "tool" is."""
    return f"a link is called 'tool', and that is the frame 'tool'; the tool, on {parent!r}, is the frame None"


def relative(home: np.ndarray, absolute: np.ndarray) -> np.ndarray:
    """The (4, 4) pose `absolute` seen from the frame at `home`."""
    if is_symbolic(home) and same(home, absolute):
        return np.eye(4)
    return rigid(matrix(pose(home).inv() @ pose(absolute)), "frame", [])


def _merged_links(rows: _Rows) -> list[Link]:
    """The moving links, with all that is merged into them."""
    riding: dict[int, list[int]] = {}
    for k, fixed in enumerate(rows.fixed):
        if fixed:
            riding.setdefault(rows.bodies[k], []).append(k)
    out = []
    for body, i in enumerate(rows.kept):
        total = replace(rows.links[i], name=rows.names[i])
        for k in riding.get(body, []):
            total = total + rows.links[k].moved(matrix(pose(rows.homes[i]).inv() @ pose(rows.homes[k])))
        out.append(total)
    return out


def _merged_base(rows: _Rows) -> Link:
    total = rows.ground
    for i, fixed in enumerate(rows.fixed):
        if fixed and rows.bodies[i] < 0:
            total = total + rows.links[i].moved(numbers(rows.homes[i]))
    return total


def _loads(rows: _Rows) -> dict[int, Link]:
    """For each fixed link with some inertia its own and that of all that is fixed to it, in its frame."""
    out = {i: rows.links[i] for i, fixed in enumerate(rows.fixed) if fixed}
    for i in reversed(out):
        if (parent := rows.parents[i]) in out:
            out[parent] = out[parent] + out[i].moved(relative(rows.homes[parent], rows.homes[i]))
    return {
        i: replace(x, name=None, inserted=False) for i, x in out.items() if not is_zero(x.mass, *x.inertia.reshape(-1))
    }
