"""Mechanisms made from mechanisms: another gravity, tool or base, a payload, locked joints, a part of it."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.lie import SE3
from chasles.model.hanging import hanging, loaded, remembering, with_frames
from chasles.model.joint import KINDS
from chasles.model.link import Link
from chasles.model.mechanism import Frame, Mechanism, matrix, mechanism, pose, twist


def _absolute(m: Mechanism, frame: Frame) -> np.ndarray:
    """The pose of a frame in the space frame at q = 0."""
    return m.homes[frame.body] @ frame.pose if frame.body >= 0 else frame.pose


def _rebuilt(m: Mechanism, shift: Mapping[int, np.ndarray] | None = None, **changes: Any) -> Mechanism:
    """The mechanism with some arguments changed; `shift[i]` moves what is fixed to body i."""
    owner = {-1: m.base_name, **dict(enumerate(m.link_names))}

    def placed(frame: Frame) -> np.ndarray:
        home = _absolute(m, frame)
        return shift[frame.body] @ home if shift and frame.body in shift else home

    frames = {
        name: (owner[frame.body], placed(frame))
        for name, frame in m.frames.items()
        if name not in (m.base_name, *m.link_names) and frame is not m.tool
    }
    arguments: dict[str, Any] = {
        "screws": m.screws,
        "homes": m.homes,
        "links": m.links,
        "parents": m.parents,
        "name": m.name,
        "joint_names": m.joint_names,
        "link_names": m.link_names,
        "limits": m.limits,
        "frames": frames,
        "gravity": m.gravity,
        "source": m.source,
        "description": m.description,
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
        "refuse_impossible": False,  # it was accepted before
        "tool": placed(m.tool) if m.tool else None,
        "tool_link": owner[m.tool.body] if m.tool else None,
    }
    return remembering(mechanism(**(arguments | changes)), m)


def _named(m: Mechanism, link: Any) -> Frame:
    """The frame that an argument `link` names."""
    if not isinstance(link, str):
        raise ModelError(f"link must be the name of a link or frame of robot {m.name!r}, got {link!r}")
    return m.frame(link)


def with_gravity(m: Mechanism, gravity: Any) -> Mechanism:
    """In another field of gravity, (3,)."""
    return _rebuilt(m, gravity=gravity)


def with_tool(m: Mechanism, T: Any, link: str | None = None) -> Mechanism:
    """With its tool at T (4, 4) in the frame `link` (any frame), or of the link that has it now."""
    if link is None and m.tool is None:
        raise ModelError(f"robot {m.name!r} is branched: name the tool's link, one of {', '.join(m.link_names)}")
    try:
        relative = np.asarray(T, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"T must be numbers of shape (4, 4) ({error})") from None
    if relative.shape != (4, 4):
        raise ModelError(f"T must have shape (4, 4), got {relative.shape}")
    if link is None:
        body = m.tool.body if m.tool else -1
        home = m.homes[body] if body >= 0 else np.eye(4)
    else:
        frame = _named(m, link)
        body, home = frame.body, _absolute(m, frame)
    carrier = m.link_names[body] if body >= 0 else m.base_name
    made = _rebuilt(m, tool=home @ relative, tool_link=carrier)
    parent = carrier if link is None else m.tool.parent if m.tool and m.frames[link] is m.tool else link
    return with_frames(made, lambda frame: replace(frame, parent=parent, load=None) if frame is made.tool else frame)


def with_payload(m: Mechanism, link: str, load: Link) -> Mechanism:
    """With a body, given in the frame of `link` (any frame: a merged link, the base), fixed to it."""
    frame = _named(m, link)
    if not 0.0 <= load.mass < np.inf:
        raise ModelError(f"payload on link {link!r}: its mass must be finite and not negative, got {load.mass}")
    carried = load.moved(frame.pose)
    if frame.body < 0:
        made = _rebuilt(m, base=m.base + carried)
    else:
        links = list(m.links)
        links[frame.body] = links[frame.body] + carried
        made = _rebuilt(m, links=links)
    if frame is m.tool:
        link, load = frame.parent, load.moved(np.linalg.inv(m.frames[frame.parent].pose) @ frame.pose)
    return loaded(made, [(link, load)])


def with_friction(m: Mechanism) -> Mechanism:
    """With the damping and dry friction of its joints in its equations of motion."""
    return replace(m, has_friction=True)


def _numbers(joint: str, position: Any) -> np.ndarray:
    try:
        return np.atleast_1d(np.asarray(position, dtype=float))
    except (TypeError, ValueError):
        raise ModelError(f"joint {joint!r}: the position to lock it at must be numbers, got {position!r}") from None


def with_locked(m: Mechanism, positions: Mapping[str, Any]) -> Mechanism:
    """With some joints fixed at given positions: the home moves there, and their screws become zero.

    A joint of several degrees of freedom is locked by all its coordinates. Who mimics a locked joint is locked too.
    A position outside of the joint's limits is doubted.
    """
    if not isinstance(positions, Mapping):
        raise ModelError(f"give the joints to lock as {{joint: position}}, got {type(positions).__name__}")
    fixed = {joint: _numbers(joint, position) for joint, position in positions.items()}
    for i, mimic in enumerate(m.mimics):
        if mimic is not None and m.joint_names[mimic[0]] in fixed:
            fixed[m.joint_names[i]] = fixed[m.joint_names[mimic[0]]] * mimic[1] + mimic[2]
    x = [number for body in m.tree.bodies for number in body.joint.neutral()]
    doubts = []
    for joint, numbers in fixed.items():
        if joint not in m.joint_names:
            raise ModelError(f"robot {m.name!r} has no joint {joint!r}; it has {', '.join(m.joint_names)}")
        i = m.joint_names.index(joint)
        mimic = m.mimics[i]
        if mimic is not None and joint in positions:
            raise ModelError(f"joint {joint!r} mimics another: lock {m.joint_names[mimic[0]]!r}")
        body = m.tree.bodies[i]
        if numbers.shape != (body.joint.nq,) or not np.isfinite(numbers).all():
            raise ModelError(f"joint {joint!r} needs {body.joint.nq} finite numbers to be locked at, got {numbers}")
        if m.kinds[i] in ("spherical", "free") and not numbers[-4:].any():
            raise ModelError(f"joint {joint!r}: its quaternion is zero; at home it is (0, 0, 0, 1)")
        x[body.q : body.q + body.joint.nq] = body.joint.normalize(numbers.tolist())
        lower, upper = m.limits["lower"][i], m.limits["upper"][i]
        if m.kinds[i] == "screw" and not lower <= numbers[0] <= upper:
            doubts.append(
                f"joint {joint!r} is locked at {numbers[0]:.6g}, outside of its limits, {lower:.6g} to {upper:.6g}"
            )
    T: list[SE3] = []
    for body in m.tree.bodies:
        motion = body.motion(x).T
        T.append(T[body.parent] @ motion if body.parent >= 0 else motion)
    homes = np.array([matrix(X) for X in T]).reshape(m.bodies, 4, 4)
    screws, kinds = np.zeros((m.bodies, 6)), list(m.kinds)
    for i, body in enumerate(m.tree.bodies):
        if m.joint_names[i] in fixed:
            kinds[i] = "screw"
        elif m.kinds[i] == "screw":
            S = T[i].Ad(body.S)
            screws[i] = [*S.w, *S.v]
    shift = {i: homes[i] @ np.linalg.inv(m.homes[i]) for i in range(m.bodies)}
    mimics = {
        m.joint_names[i]: (m.joint_names[y[0]], y[1], y[2])
        for i, y in enumerate(m.mimics)
        if y is not None and m.joint_names[i] not in fixed
    }
    made = _rebuilt(m, shift, screws=screws, homes=homes, kinds=kinds, mimics=mimics, doubts=doubts)
    locked = [(m.link_names[i], m.links[i]) for i in range(m.bodies) if m.joint_names[i] in fixed]
    return loaded(made, locked)


def with_base(m: Mechanism, kind: str, name: str = "root_joint") -> Mechanism:
    """With its base moving by a joint of that kind, "free", "planar" or "spherical", in a world that does not.

    The world's frame is "world", or "world1" and so on where that name is taken.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise ModelError(f"a base moves by a joint whose kind is one of {', '.join(KINDS)}, got {kind!r}")
    taken = {*m.frames, *m.link_names}
    world = next(x for k in count() if (x := "world" if not k else f"world{k}") not in taken)
    joint = next(x for k in count() if (x := name if not k else f"{name}{k}") not in m.joint_names)
    frames = {
        key: (frame.body + 1, _absolute(m, frame))
        for key, frame in m.frames.items()
        if key not in (m.base_name, *m.link_names) and frame is not m.tool
    }
    inf = np.full(1, np.inf)
    made = mechanism(
        np.vstack([np.zeros((1, 6)), m.screws]),
        np.concatenate([np.eye(4)[None], m.homes]),
        [m.base, *m.links],
        [-1, *(p + 1 for p in m.parents)],
        name=m.name,
        joint_names=[joint, *m.joint_names],
        link_names=[m.base_name, *m.link_names],
        limits={k: np.concatenate([-inf if k == "lower" else inf, m.limits[k]]) for k in m.limits},
        frames=frames,
        gravity=m.gravity,
        kinds=[kind, *m.kinds],
        mimics={m.joint_names[i]: (m.joint_names[x[0]], x[1], x[2]) for i, x in enumerate(m.mimics) if x is not None},
        armature=[0.0, *m.armature],
        damping=[0.0, *m.damping],
        friction=[0.0, *m.friction],
        base=Link(name=world),
        has_friction=m.has_friction,
        visuals=m.visuals,
        notes=m.notes,
        refuse_impossible=False,
        source=m.source,
        description=m.description,
        tool=_absolute(m, m.tool) if m.tool else None,
        tool_link=m.tool.body + 1 if m.tool else None,
    )
    return remembering(made, m)


def subtree(m: Mechanism, link: str) -> Mechanism:
    """The part that hangs on a link, moving or merged, which becomes the base; homes are those at q = 0, seen from it.

    The base has the inertia of that link and of all that is fixed to it.
    """
    top = _named(m, link)
    below = hanging(m, link)
    kept = [i for i, name in enumerate(m.link_names) if name in below and name != link]
    if not kept:
        raise ModelError(f"nothing moves beyond {link!r} of robot {m.name!r}")
    home = _absolute(m, top)
    back = np.linalg.inv(home)
    place = {old: new for new, old in enumerate(kept)} | {top.body: -1}
    names = {m.joint_names[i] for i in kept}
    mimics = {}
    for i in kept:
        mimic = m.mimics[i]
        if mimic is not None:
            if m.joint_names[mimic[0]] not in names:
                raise ModelError(f"joint {m.joint_names[i]!r} mimics {m.joint_names[mimic[0]]!r}, which is left behind")
            mimics[m.joint_names[i]] = (m.joint_names[mimic[0]], mimic[1], mimic[2])
    screws = np.zeros((len(kept), 6))
    for new, old in enumerate(kept):
        S = pose(back).Ad(twist(m.screws[old]))
        screws[new] = [*S.w, *S.v]
    frames = {
        key: (place[f.body], back @ _absolute(m, f))
        for key, f in m.frames.items()
        if key in below and key not in (link, m.base_name, *m.link_names) and f is not m.tool
    }
    carriers = dict(zip((m.base_name, *m.link_names), (m.base, *m.links), strict=True))
    bottom = carriers.get(link) or top.load or Link()
    tool = m.tool if m.tool and m.tool.body in kept else None
    made = mechanism(
        screws,
        [back @ m.homes[i] for i in kept],
        [m.links[i] for i in kept],
        [place[m.parents[i]] for i in kept],
        name=link,
        joint_names=[m.joint_names[i] for i in kept],
        link_names=[m.link_names[i] for i in kept],
        limits={k: x[kept] for k, x in m.limits.items()},
        frames=frames,
        gravity=home[:3, :3].T @ m.gravity,
        kinds=[m.kinds[i] for i in kept],
        mimics=mimics,
        armature=m.armature[kept],
        damping=m.damping[kept],
        friction=m.friction[kept],
        base=Link(bottom.mass, bottom.com, bottom.inertia, link),
        has_friction=m.has_friction,
        visuals=[shape for shape in m.visuals if shape.frame in below],
        notes=m.notes,
        refuse_impossible=False,
        source=m.source,
        tool=back @ _absolute(m, tool) if tool else None,
        tool_link=place[tool.body] if tool else None,
    )
    return remembering(made, m)
