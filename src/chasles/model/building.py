"""Mechanisms from descriptions: what is given is checked, named, and its fixed links are merged.

Links come one a row, parents first, with absolute screws and home poses (model/mechanism.py). A row whose screw is zero
is fixed: its inertia is moved into the link that carries it, and it stays as a frame that knows what it weighs.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from chasles.arguments import sequence
from chasles.errors import ModelError, ModelWarning, caller
from chasles.model.checks import (
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
from chasles.model.frame import Frame, same_place, two_tools
from chasles.model.leaves import is_zero, numbers
from chasles.model.link import Link
from chasles.model.mechanism import LOSSES, Mechanism
from chasles.model.poses import relative


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
    file: str = "",
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
        file=file,
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
        raw[i] = axis(raw[i], poses[i][:3, 3], f"screw of joint {joints[i]!r}", notes)
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
            total = total + rows.links[k].moved(relative(rows.homes[i], rows.homes[k]))
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
