"""Mechanisms made from mechanisms: another gravity, another tool, a payload, locked joints."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.model.link import Link
from chasles.model.mechanism import Frame, Mechanism, matrix, mechanism


def _absolute(m: Mechanism, frame: Frame) -> np.ndarray:
    """The pose of a frame in the space frame at q = 0."""
    return m.homes[frame.body] @ frame.pose if frame.body >= 0 else frame.pose


def _rebuilt(m: Mechanism, shift: Mapping[int, np.ndarray] | None = None, **changes: Any) -> Mechanism:
    """The mechanism with some arguments changed; `shift[i]` moves what is fixed to body i."""
    owner = {-1: "base", **dict(enumerate(m.link_names))}

    def placed(frame: Frame) -> np.ndarray:
        home = _absolute(m, frame)
        return shift[frame.body] @ home if shift and frame.body in shift else home

    frames = {
        name: (owner[frame.body], placed(frame))
        for name, frame in m.frames.items()
        if name not in ("base", "tool", *m.link_names)
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
        "tool": placed(m.tool) if m.tool else None,
        "tool_link": owner[m.tool.body] if m.tool else None,
    }
    return mechanism(**(arguments | changes))


def _link(m: Mechanism, link: str) -> int:
    if link not in m.link_names:
        raise ModelError(f"robot {m.name!r} has no moving link {link!r}; it has {', '.join(m.link_names)}")
    return m.link_names.index(link)


def with_gravity(m: Mechanism, gravity: Any) -> Mechanism:
    """In another field of gravity, (3,)."""
    return _rebuilt(m, gravity=gravity)


def with_tool(m: Mechanism, T: Any, link: str | None = None) -> Mechanism:
    """With its tool at T (4, 4) in the frame of `link`, or of the link that has it now."""
    if link is None and m.tool is None:
        raise ModelError(f"robot {m.name!r} is branched: name the tool's link, one of {', '.join(m.link_names)}")
    body = (m.tool.body if m.tool else -1) if link is None else -1 if link == "base" else _link(m, link)
    relative = np.asarray(T, dtype=float)
    if relative.shape != (4, 4):
        raise ModelError(f"T must have shape (4, 4), got {relative.shape}")
    home = m.homes[body] if body >= 0 else np.eye(4)
    return _rebuilt(m, tool=home @ relative, tool_link=m.link_names[body] if body >= 0 else "base")


def with_payload(m: Mechanism, link: str, load: Link) -> Mechanism:
    """With a body, given in the frame of `link`, fixed to it."""
    i = _link(m, link)
    if not load.mass >= 0.0:
        raise ModelError(f"payload on link {link!r}: its mass must not be negative, got {load.mass}")
    links = list(m.links)
    links[i] = Link.from_spatial(links[i].spatial() + load.spatial(), links[i].name)
    return _rebuilt(m, links=links)


def with_locked(m: Mechanism, positions: Mapping[str, float]) -> Mechanism:
    """With some joints fixed at given positions: the home moves there, and their screws become zero."""
    q = [0.0] * m.n
    for joint, position in positions.items():
        if joint not in m.joint_names:
            raise ModelError(f"robot {m.name!r} has no joint {joint!r}; it has {', '.join(m.joint_names)}")
        q[m.joint_names.index(joint)] = float(position)
    T = []
    for i, body in enumerate(m.tree.bodies):
        motion = body.motion(q[i]).T
        T.append(T[body.parent] @ motion if body.parent >= 0 else motion)
    homes = np.array([matrix(X) for X in T]).reshape(m.n, 4, 4)
    screws = np.zeros((m.n, 6))
    for i, body in enumerate(m.tree.bodies):
        if m.joint_names[i] not in positions:
            S = T[i].Ad(body.S)
            screws[i] = [*S.w, *S.v]
    shift = {i: homes[i] @ np.linalg.inv(m.homes[i]) for i in range(m.n)}
    return _rebuilt(m, shift, screws=screws, homes=homes)
