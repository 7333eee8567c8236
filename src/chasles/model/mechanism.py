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
from typing import Any

import numpy as np

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
    sequence,
    whole,
)
from chasles.model.coupling import Coupling
from chasles.model.joint import KINDS, Screw
from chasles.model.link import Link
from chasles.model.tree import Body, Tree

LOSSES = ("armature", "damping", "friction")


def _caller() -> int:
    """How far up the stack the first line outside of chasles is: where a warning belongs."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "chasles":
        level, frame = level + 1, frame.f_back
    return level


def pose(T: Any) -> SE3:
    """The motion of a (4, 4) array of numbers."""
    rows = [[float(x) for x in row] for row in T]
    return SE3(SO3(Mat3(*(Vec3(*row[:3]) for row in rows[:3]))), Vec3(*(row[3] for row in rows[:3])))


def matrix(T: SE3) -> np.ndarray:
    """The (4, 4) array of a motion of numbers."""
    out = np.eye(4)
    out[:3, :3] = [[*row] for row in T.R.matrix]
    out[:3, 3] = [*T.p]
    return out


def twist(V: Any) -> Twist:
    """The twist of six numbers (angular, linear)."""
    x = [float(c) for c in V]
    return Twist(Vec3(*x[:3]), Vec3(*x[3:]))


@dataclass(frozen=True)
class Frame:
    """A frame fixed to body `body` (-1: the base) at `pose` (4, 4) in that body's frame.

    parent: the link, moving or merged, that it hangs on in the tree as it was given; "" for the base. load: what a
    merged link weighs with all that is fixed to it, in this frame; the body's inertia has it too.
    """

    name: str
    body: int
    pose: np.ndarray = field(compare=False)
    parent: str = ""
    load: Link | None = field(default=None, compare=False)

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
    def tree(self) -> Tree:
        """The local form: relative home poses, and joints in link frames."""
        homes = [pose(H) for H in self.homes]
        bodies: list[Body] = []
        q = v = 0
        for i, parent in enumerate(self.parents):
            M = homes[parent].inv() @ homes[i] if parent >= 0 else homes[i]
            kind = self.kinds[i]
            joint = KINDS[kind]() if kind in KINDS else Screw(homes[i].Ad_inv(twist(self.screws[i])))  # [POE-3]
            rotor = float(self.armature[i])
            armature = (rotor,) * joint.nv if rotor else ()
            bodies.append(Body(parent, M, joint, self.links[i].spatial(), q, v, armature))
            q, v = q + joint.nq, v + joint.nv
        return Tree(tuple(bodies), Vec3(*map(float, self.gravity)))

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

            near = get_close_matches(str(name), list(self.frames), 1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            raise FrameError(
                f"robot {self.name!r} has no frame {name!r}{hint} Its frames: {', '.join(self.frames)}"
            ) from None

    @lazy
    def key(self) -> tuple[Any, ...]:
        """Everything that makes two mechanisms the same, as plain hashable data."""
        numbers = [self.screws, self.homes, self.gravity, *(self.limits[k] for k in LIMITS)]
        numbers += [self.armature, self.damping, self.friction, self.base.com, self.base.inertia]
        bodies = [(link.mass, link.com.tobytes(), link.inertia.tobytes()) for link in self.links]
        hand = self.tool
        tool = None if hand is None else (hand.name, hand.body, hand.pose.tobytes(), hand.parent)
        loads = {
            k: f.load and (f.load.mass, f.load.com.tobytes(), f.load.inertia.tobytes()) for k, f in self.frames.items()
        }
        frames = [(f.name, f.body, f.pose.tobytes(), f.parent, loads[k]) for k, f in self.frames.items()]
        names = (self.name, self.joint_names, self.link_names, self.parents, self.kinds, self.mimics, self.has_friction)
        names = (*names, self.base.name, self.base.mass)
        return (*names, *(np.ascontiguousarray(x).tobytes() for x in numbers), *bodies, tool, *frames)


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
    refuse_impossible: bool = True,
    source: str = "",
    description: str = "",
) -> Mechanism:
    """Check a description and build the mechanism, merging fixed links. See `Robot.from_screws`.

    kinds: per link "screw", "planar", "spherical" or "free"; the screw of the last three is not looked at. mimics:
    {joint: (joint it follows, factor, offset)}. armature, damping, friction: per link, of its joint. base: the inertia
    and name of what does not move, used when it is set free. visuals: kept as they are. notes, doubts: to begin with.
    refuse_impossible: whether an inertia with a negative eigenvalue is refused, or loaded with a doubt, as some files
    of real robots need it, whose products of inertia are too large.
    """
    links = sequence(links, "links", Link)
    n = len(links)
    raw = array(screws, (n, 6), "screws")
    poses = array(homes, (n, 4, 4), "homes")
    up = array(gravity, (3,), "gravity")
    if parents is None:
        parents = range(-1, n - 1)
    parents = whole(parents, n)
    for i, link in enumerate(links):
        if not isinstance(link, Link):
            raise ModelError(f"links[{i}] must be a chasles.Link(mass, com, inertia), got {type(link).__name__}")
    ground_link = base or Link(name="base")
    ground = ground_link.name or "base"
    given = link_names or [link.name or f"link{i + 1}" for i, link in enumerate(links)]
    names = distinct(given, n, "link_names", ground)
    joints = distinct(joint_names or [f"joint{i + 1}" for i in range(n)], n, "joint_names")
    forms = joint_kinds(kinds, n, joints, raw)
    doubts, notes = list(doubts), list(notes)
    check_link(ground_link, ground, doubts, refuse_impossible)
    for i in range(n):
        if not -1 <= parents[i] < i:
            raise ModelError(
                f"link {names[i]!r}: parent {parents[i]} must be -1 (the base) or an earlier link: list parents first"
            )
        check_link(links[i], names[i], doubts, refuse_impossible)
        poses[i] = rigid(poses[i], f"home of link {names[i]!r}", notes)
        raw[i] = axis(raw[i], f"screw of joint {joints[i]!r}", notes)

    index, fixed = _merge([forms[i] == "screw" and not raw[i].any() for i in range(n)], parents)
    kept = [i for i in range(n) if not fixed[i]]
    merged = _merged_links(links, poses, index, fixed, kept, names)
    doubts += [f"link {link.name!r}: its mass is zero" for link in merged if link.mass == 0.0 and not link.inserted]
    limiting = {k: v[kept] for k, v in bounds(limits or {}, n, joints).items()}
    taken = [losses(x, n, what, joints)[kept] for x, what in zip((armature, damping, friction), LOSSES, strict=True)]
    follows = resolve_mimics(mimics or {}, [joints[i] for i in kept], [forms[i] for i in kept], joints)
    riders = [i for i in range(n) if fixed[i] and index[i] < 0]
    for i in riders:
        ground_link = ground_link + links[i].moved(poses[i])

    def place(name: str, body: int, absolute: np.ndarray, parent: str = "", load: Link | None = None) -> Frame:
        T = relative(poses[kept[body]], absolute) if body >= 0 else absolute.copy()
        T.flags.writeable = False
        return Frame(name, body, T, parent, load)

    def named(i: int) -> str:
        return names[i] if i >= 0 else ground

    loads = _loads(links, poses, fixed, parents)
    table = {ground: place(ground, -1, np.eye(4))}
    for i in sorted(range(n), key=fixed.__getitem__):  # moving links first: the order a written file is read in
        table[names[i]] = place(names[i], index[i], poses[i], named(parents[i]), loads.get(i))
        if fixed[i]:
            notes.append(
                f"link {names[i]!r} is fixed: merged into {names[kept[index[i]]] if index[i] >= 0 else ground!r}"
            )
    for key, (link, T) in pairs(frames).items():
        if key in table:
            raise ModelError(f"frame {key!r} is already the name of a link")
        at = link_index(link, names) if link != ground and link != -1 else -1
        absolute = rigid(array(T, (4, 4), f"frame {key!r}"), f"frame {key!r}", notes)
        table[key] = place(key, index[at] if at >= 0 else -1, absolute, named(at))

    branched = len(kept) != len({index[parents[i]] if parents[i] >= 0 else -1 for i in kept})
    last = max((i for i in range(n) if index[i] == len(kept) - 1), default=-1)  # the last link that rides on the tip
    hand: Frame | None = None
    if tool is not None or tool_link is not None:
        at = last if tool_link is None else (-1 if tool_link in (ground, -1) else link_index(tool_link, names))
        if tool_link is None and branched:
            raise ModelError("a tool on a branched robot needs its link: give tool_link")
        home = poses[at] if at >= 0 else np.eye(4)
        absolute = home if tool is None else rigid(array(tool, (4, 4), "tool"), "tool", notes)
        hand = place("tool", index[at] if at >= 0 else -1, absolute, named(at))
    elif not branched:
        hand = place("tool", index[last] if n else -1, poses[last] if n else np.eye(4), named(last))
    if hand is not None and "tool" not in table:
        table["tool"] = hand

    for doubt in doubts:
        warnings.warn(f"robot {name!r}: {doubt}", ModelWarning, stacklevel=_caller())
    arrays = [raw[kept], poses[kept], up]
    return Mechanism(
        name=str(name),
        screws=arrays[0],
        homes=arrays[1],
        links=tuple(merged),
        parents=tuple(index[parents[i]] if parents[i] >= 0 else -1 for i in kept),
        joint_names=tuple(joints[i] for i in kept),
        link_names=tuple(names[i] for i in kept),
        limits=limiting,
        frames=table,
        tool=hand,
        gravity=up,
        kinds=tuple(forms[i] for i in kept),
        mimics=follows,
        armature=taken[0],
        damping=taken[1],
        friction=taken[2],
        base=Link(ground_link.mass, ground_link.com, ground_link.inertia, ground),
        has_friction=has_friction,
        visuals=tuple(visuals),
        doubts=tuple(doubts),
        notes=tuple(notes),
        source=source,
        description=description,
    )


def relative(home: np.ndarray, absolute: np.ndarray) -> np.ndarray:
    """The (4, 4) pose `absolute` seen from the frame at `home`."""
    return rigid(matrix(pose(home).inv() @ pose(absolute)), "frame", [])


def _merge(fixed: list[bool], parents: Sequence[int]) -> tuple[list[int], list[bool]]:
    """For each raw link the moving body it belongs to (-1: the base), and whether it is fixed."""
    index: list[int] = []
    count = 0
    for i in range(len(fixed)):
        if fixed[i]:
            index.append(index[parents[i]] if parents[i] >= 0 else -1)
        else:
            index.append(count)
            count += 1
    return index, fixed


def _merged_links(
    links: Sequence[Link], poses: np.ndarray, index: list[int], fixed: list[bool], kept: list[int], names: list[str]
) -> list[Link]:
    merged = []
    riding: dict[int, list[int]] = {}
    for k in range(len(links)):
        if fixed[k]:
            riding.setdefault(index[k], []).append(k)
    for body, i in enumerate(kept):
        total = replace(links[i], name=names[i])
        for k in riding.get(body, []):
            total = total + links[k].moved(matrix(pose(poses[i]).inv() @ pose(poses[k])))
        merged.append(total)
    return merged


def _loads(links: Sequence[Link], poses: np.ndarray, fixed: list[bool], parents: Sequence[int]) -> dict[int, Link]:
    """For each fixed link with some inertia its own and that of all that is fixed to it, in its frame."""
    out = {i: links[i] for i in range(len(links)) if fixed[i]}
    for i in reversed(out):
        if parents[i] in out:
            out[parents[i]] = out[parents[i]] + out[i].moved(relative(poses[parents[i]], poses[i]))
    return {i: Link(x.mass, x.com, x.inertia) for i, x in out.items() if x.mass or x.inertia.any()}
