"""Mechanisms made from mechanisms: another gravity, tool, base or inertias, a payload, locked joints, a part of it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from chasles import arguments
from chasles.errors import ModelError
from chasles.hints import kind_hint
from chasles.lie import SE3
from chasles.model.building import massless, mechanism
from chasles.model.checks import check_link
from chasles.model.frame import Frame, two_tools
from chasles.model.joint import KINDS
from chasles.model.leaves import is_number, is_symbolic, numbers
from chasles.model.link import Link, same
from chasles.model.mechanism import Mechanism
from chasles.model.merged_links import carrier, descendants, with_frames, with_given_tree, with_loads
from chasles.model.names import free
from chasles.model.poses import inverse, matrix, pose, twist

_PER_LINK = ("screws", "homes", "links", "joint_names", "link_names", "kinds", "armature", "damping", "friction")


def _absolute(m: Mechanism, frame: Frame) -> np.ndarray:
    """The pose of a frame in the space frame at q = 0."""
    return m.homes[frame.body] @ frame.pose if frame.body >= 0 else frame.pose


def _arguments(m: Mechanism, shift: Mapping[int, np.ndarray] | None = None) -> dict[str, Any]:
    """What `mechanism` makes the same one of; `shift[i]` moves what is fixed to body i."""
    owner = {-1: m.base_name, **dict(enumerate(m.link_names))}

    def placed(frame: Frame) -> np.ndarray:
        home = _absolute(m, frame)
        return shift[frame.body] @ home if shift and frame.body in shift else home

    return {
        "screws": m.screws,
        "homes": m.homes,
        "links": m.links,
        "parents": m.parents,
        "name": m.name,
        "joint_names": m.joint_names,
        "link_names": m.link_names,
        "limits": m.limits,
        "frames": {
            name: (owner[frame.body], placed(frame))
            for name, frame in m.frames.items()
            if name not in (m.base_name, *m.link_names) and frame is not m.tool
        },
        "gravity": m.gravity,
        "source": m.source,
        "description": m.description,
        "file": m.file,
        "kinds": m.kinds,
        "mimics": {
            m.joint_names[i]: (m.joint_names[x[0]], x[1], x[2]) for i, x in enumerate(m.mimics) if x is not None
        },
        "armature": m.armature,
        "damping": m.damping,
        "friction": m.friction,
        "base": m.base,
        "has_friction": m.has_friction,
        "visuals": m.visuals,
        "notes": m.notes,
        "doubts": _lasting_doubts(m),
        "told": m.doubts,
        "refuse_impossible": False,  # it was accepted before
        "tool": placed(m.tool) if m.tool else None,
        "tool_link": owner[m.tool.body] if m.tool else None,
    }


def _lasting_doubts(m: Mechanism) -> list[str]:
    """The doubts that are not about the links as they are now: those arise again, or do not, when it is rebuilt."""
    arising = massless(m.links)
    for link, name in zip((m.base, *m.links), (m.base_name, *m.link_names), strict=True):
        check_link(link, name, arising, refuse=False)
    return [doubt for doubt in m.doubts if doubt not in arising]


def _rebuilt(m: Mechanism, shift: Mapping[int, np.ndarray] | None = None, **changes: Any) -> Mechanism:
    """The mechanism with some arguments changed; `shift[i]` moves what is fixed to body i."""
    return with_given_tree(mechanism(**(_arguments(m, shift) | changes)), m, moved=bool(shift))


def rebuilt(m: Mechanism) -> Mechanism:
    """The mechanism as it is made of its own numbers, checked and tidied again."""
    return _rebuilt(m)


def _named(m: Mechanism, link: Any) -> Frame:
    """The frame that an argument `link` names."""
    return m.frame(arguments.name(link, "link", f"a link or frame of robot {m.name!r}"))


def with_gravity(m: Mechanism, gravity: Any) -> Mechanism:
    """In another field of gravity, (3,)."""
    return _rebuilt(m, gravity=gravity)


def with_tool(m: Mechanism, T: Any, link: str | None = None) -> Mechanism:
    """With its tool at T (4, 4) in the frame `link` (any frame); without one, in that which the tool hangs on now.

    That is a link, moving or merged: the last one of a robot that was given no tool, and the same however often the
    tool is moved on it. Where a link is called "tool" and the tool comes to be elsewhere, that is doubted: the frame
    "tool" is the link's then, the tool is the frame None.
    """
    if link is None and m.tool is None:
        raise ModelError(f"robot {m.name!r} is branched: name the tool's link, one of {', '.join(m.link_names)}")
    relative = numbers(T, "T", (4, 4))
    frame = m.frames[m.tool.parent] if link is None and m.tool else _named(m, link)
    parent = frame.parent if frame is m.tool else frame.name
    doubts = [doubt for doubt in _lasting_doubts(m) if m.tool is None or doubt != two_tools(m.tool.parent)]
    if "tool" in m.frames and m.frames["tool"] is not m.tool and (parent != "tool" or not _is_identity(relative)):
        doubts.append(two_tools(parent))
    at = _absolute(m, frame) @ relative
    made = _rebuilt(m, tool=at, tool_link=carrier(m, frame), doubts=doubts)
    assert made.tool is not None
    where = numbers(frame.pose @ relative) if is_symbolic(at) else made.tool.pose
    tool = replace(made.tool, parent=parent, load=None, pose=where)
    return with_frames(made, lambda frame: tool if frame is made.tool else frame)


def _is_identity(T: np.ndarray) -> bool:
    return same(T, np.eye(4))


def with_payload(m: Mechanism, link: str, load: Link) -> Mechanism:
    """With a body, given in the frame of `link` (any frame: a merged link, the base), fixed to it.

    One that is no body, with a negative mass or principal inertia, is refused; one that breaks the triangle inequality
    is doubted.
    """
    frame = _named(m, link)
    if is_number(load.mass) and not 0.0 <= load.mass < np.inf:
        raise ModelError(f"payload on link {link!r}: its mass must be finite and not negative, got {load.mass}")
    doubts, found = _lasting_doubts(m), list[str]()
    try:
        check_link(load, "payload", found)
    except ModelError as error:
        raise ModelError(str(error).replace("link 'payload'", f"payload on link {link!r}", 1)) from None
    doubts += [doubt.replace("link 'payload'", f"payload on link {link!r}", 1) for doubt in found]
    carried = load.moved(frame.pose)
    if frame.body < 0:
        made = _rebuilt(m, base=m.base + carried, doubts=doubts)
    else:
        links = list(m.links)
        links[frame.body] = links[frame.body] + carried
        made = _rebuilt(m, links=links, doubts=doubts)
    if frame is m.tool:
        link, load = frame.parent, load.moved(inverse(m.frames[frame.parent].pose) @ frame.pose)
    return with_loads(made, [(link, load)])


def with_friction(m: Mechanism) -> Mechanism:
    """With the damping and dry friction of its joints in its equations of motion."""
    return replace(m, has_friction=True)


def with_inertial_parameters(m: Mechanism, parameters: Any) -> Mechanism:
    """With other inertias: (links, 10), numbers or symbols; a link whose ten numbers are its own stays as it is."""
    rows = numbers(parameters, "the inertial parameters", (m.bodies, 10))
    links = [_inertia(link, row) for link, row in zip(m.links, rows, strict=True)]
    for old, new in zip(m.links, links, strict=True):
        if new is not old:
            check_link(new, str(new.name), [])
    return _rebuilt(m, links=links)


def with_inertias(m: Mechanism, rows: Mapping[int, Any]) -> Mechanism:
    """With the ten inertial parameters of some links replaced by symbols, and nothing else looked at."""
    links = [_inertia(link, rows[i]) if i in rows else link for i, link in enumerate(m.links)]
    return replace(m, links=tuple(links))


def _inertia(link: Link, row: Any) -> Link:
    try:
        return link if same(link.ten, row) else Link.of(row, link.name)
    except ValueError as error:
        raise ModelError(f"link {link.name!r}: {error}") from None


def _numbers(joint: str, position: Any) -> np.ndarray:
    what = f"joint {joint!r}: the position to lock it at"
    return np.atleast_1d(arguments.real(position, what, error=ModelError))


def with_locked(m: Mechanism, positions: Mapping[str, Any]) -> Mechanism:
    """With some joints fixed at given positions: the home moves there, and their screws become zero.

    A joint of several degrees of freedom is locked by all its coordinates. Who mimics a locked joint is locked too.
    A position outside of the joint's limits is doubted.
    """
    arguments.mapping(positions, "positions", "joint -> position")
    fixed = {joint: _numbers(joint, position) for joint, position in positions.items()}
    for i, mimic in enumerate(m.mimics):
        if mimic is not None and m.joint_names[mimic[0]] in fixed:
            fixed[m.joint_names[i]] = fixed[m.joint_names[mimic[0]]] * mimic[1] + mimic[2]
    x = [number for body in m.tree.bodies for number in body.joint.neutral()]
    doubts = _lasting_doubts(m)
    for joint, at in fixed.items():
        if joint not in m.joint_names:
            raise ModelError(f"robot {m.name!r} has no joint {joint!r}; it has {', '.join(m.joint_names)}")
        i = m.joint_names.index(joint)
        mimic = m.mimics[i]
        if mimic is not None and joint in positions:
            raise ModelError(f"joint {joint!r} mimics another: lock {m.joint_names[mimic[0]]!r}")
        body = m.tree.bodies[i]
        if at.shape != (body.joint.nq,) or not np.isfinite(at).all():
            raise ModelError(f"joint {joint!r} needs {body.joint.nq} finite numbers to be locked at, got {at}")
        if m.kinds[i] in ("spherical", "free") and not at[-4:].any():
            raise ModelError(f"joint {joint!r}: its quaternion is zero; at home it is (0, 0, 0, 1)")
        x[body.q : body.q + body.joint.nq] = body.joint.normalize(at.tolist())
        lower, upper = m.limits["lower"][i], m.limits["upper"][i]
        if m.kinds[i] == "screw" and not lower <= at[0] <= upper:
            doubts.append(
                f"joint {joint!r} is locked at {at[0]:.6g}, outside of its limits, {lower:.6g} to {upper:.6g}"
            )
    T: list[SE3] = []
    for body in m.tree.bodies:
        motion = body.motion(x).T
        T.append(T[body.parent] @ motion if body.parent >= 0 else motion)
    homes = np.array([matrix(X) for X in T]).reshape(m.bodies, 4, 4)
    screws, kinds = [[0.0] * 6] * m.bodies, list(m.kinds)
    for i, body in enumerate(m.tree.bodies):
        if m.joint_names[i] in fixed:
            kinds[i] = "screw"
        elif m.kinds[i] == "screw":
            S = T[i].Ad(body.S)
            screws[i] = [*S.w, *S.v]
    shift = {i: homes[i] @ inverse(m.homes[i]) for i in range(m.bodies)}
    mimics = {
        m.joint_names[i]: (m.joint_names[y[0]], y[1], y[2])
        for i, y in enumerate(m.mimics)
        if y is not None and m.joint_names[i] not in fixed
    }
    made = _rebuilt(m, shift, screws=screws, homes=homes, kinds=kinds, mimics=mimics, doubts=doubts)
    locked = [(m.link_names[i], m.links[i]) for i in range(m.bodies) if m.joint_names[i] in fixed]
    return with_loads(made, locked)


def with_base(m: Mechanism, kind: str, name: str = "root_joint") -> Mechanism:
    """With its base moving by a joint of that kind, "free", "planar" or "spherical", in a world that does not.

    The world's frame is "world", or "world_2" and so on where that name is taken.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        hint = kind_hint(kind, KINDS)
        raise ModelError(
            f"a base moves by a joint whose kind is one of {', '.join(KINDS)}, got {arguments.shown(kind)}{hint}"
        )
    given = _arguments(m)
    row = {"screws": np.zeros(6), "homes": np.eye(4), "links": m.base, "joint_names": free(name, m.joint_names)}
    row |= {"link_names": m.base_name, "kinds": kind, "armature": 0.0, "damping": 0.0, "friction": 0.0}
    changes: dict[str, Any] = {key: [first, *given[key]] for key, first in row.items()}
    changes |= {
        "parents": [-1, *(p + 1 for p in m.parents)],
        "limits": {key: [-np.inf if key == "lower" else np.inf, *x] for key, x in m.limits.items()},
        "base": Link(name=free("world", m.frames)),
    }
    return _rebuilt(m, **changes)


def subtree(m: Mechanism, link: str) -> Mechanism:
    """The part that hangs on a link, moving or merged, which becomes the base; homes are those at q = 0, seen from it.

    The base has the inertia of that link and of all that is fixed to it. Doubts that name only what is not in the part
    are left behind.
    """
    top = _named(m, link)
    below = descendants(m, link)
    kept = [i for i, name in enumerate(m.link_names) if name in below and name != link]
    if not kept:
        raise ModelError(f"nothing moves beyond {link!r} of robot {m.name!r}")
    home = _absolute(m, top)
    back = inverse(home)
    given = _arguments(m)
    changes: dict[str, Any] = {key: [given[key][i] for i in kept] for key in _PER_LINK}
    joints = changes["joint_names"]
    place = {old: new for new, old in enumerate(kept)} | {top.body: -1}
    screws = [pose(back).Ad(twist(S)) for S in changes["screws"]]
    carriers = dict(zip((m.base_name, *m.link_names), (m.base, *m.links), strict=True))
    bottom = carriers.get(link) or top.load or Link()
    tool = m.tool if m.tool and m.tool.body in kept else None
    changes |= {
        "screws": [[*S.w, *S.v] for S in screws],
        "homes": [back @ H for H in changes["homes"]],
        "parents": [place[m.parents[i]] for i in kept],
        "name": link,
        "limits": {key: x[kept] for key, x in m.limits.items()},
        "frames": {
            key: (link if m.frames[key].body == top.body else owner, back @ T)
            for key, (owner, T) in given["frames"].items()
            if key in below and key != link
        },
        "gravity": home[:3, :3].T @ m.gravity,
        "mimics": {joint: mimic for joint, mimic in given["mimics"].items() if joint in joints},
        "base": replace(bottom, name=link, inserted=False),
        "visuals": [shape for shape in m.visuals if shape.frame in below],
        "description": "",
        "tool": back @ given["tool"] if tool else None,
        "tool_link": given["tool_link"] if tool else None,
        "doubts": [doubt for doubt in given["doubts"] if _concerns(doubt, m, {*below, *joints})],
    }
    for joint, (master, *_) in changes["mimics"].items():
        if master not in joints:
            raise ModelError(f"joint {joint!r} mimics {master!r}, which is left behind")
    return _rebuilt(m, **changes)


def _concerns(doubt: str, m: Mechanism, part: set[str]) -> bool:
    """Whether a doubt is about one of these links and joints, or about none of the robot's in particular."""
    named = [name for name in (*m.frames, *m.joint_names) if repr(name) in doubt]
    return not named or any(name in part for name in named)
