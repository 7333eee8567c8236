"""Merged links in the tree as it was given, where they are links too: what hangs on what.

Every frame but the base's names its parent in that tree, and a merged link's has its load: its own inertia and that of
all that is fixed to it. The body that it was merged into has the load too, so that whatever changes what is fixed to
a merged link changes the loads from there up to the body's own frame.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from chasles.model.frame import Frame
from chasles.model.leaves import is_symbolic, is_zero
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism
from chasles.model.poses import inverse


def with_frames(m: Mechanism, change: Callable[[Frame], Frame]) -> Mechanism:
    """The mechanism with all frames changed; the tool's is changed once, and stays one of them."""
    tool = m.tool and change(m.tool)
    frames = {name: tool if tool and frame is m.tool else change(frame) for name, frame in m.frames.items()}
    return replace(m, frames=frames, tool=tool)


def with_given_tree(new: Mechanism, old: Mechanism, *, moved: bool = False) -> Mechanism:
    """`new`, made of the bodies of `old`, with what hangs on what in `old`.

    moved: whether frames are elsewhere on their bodies. Where not, poses with symbols are as they were, and not what
    becomes of them there and back through the space frame.
    """

    def change(frame: Frame) -> Frame:
        known = old.tool if frame is new.tool else old.frames.get(frame.name)
        if known is None or not known.parent or frame.name == new.base_name:
            return frame
        kept = is_symbolic(known.pose) and not moved and carrier(new, frame) == carrier(old, known)
        where = known.pose if kept else frame.pose
        return replace(frame, parent=known.parent, load=known.load, joint=known.joint or frame.joint, pose=where)

    return with_frames(new, change)


def carrier(m: Mechanism, frame: Frame) -> str:
    """The name of the body that a frame is on."""
    return m.link_names[frame.body] if frame.body >= 0 else m.base_name


def descendants(m: Mechanism, name: str) -> set[str]:
    """The frame of that name and all that hang on it, by joints or fixed."""
    children: dict[str, list[str]] = {}
    for key, frame in m.frames.items():
        children.setdefault(frame.parent, []).append(key)
    out, stack = set(), [name]
    while stack:
        out.add(key := stack.pop())
        stack += children.get(key, [])
    return out


def with_loads(m: Mechanism, loads: Iterable[tuple[str, Link]]) -> Mechanism:
    """With loads, each in the frame that it is put on, on that and all between it and its body's own frame."""
    more: dict[str, Link] = {}
    own = {m.base_name, *m.link_names}
    for name, load in loads:
        at, where = name, m.frames[name].pose
        while at not in own:
            frame = m.frames[at]
            seen = load.moved(inverse(frame.pose) @ where) if at != name else load
            more[at] = more[at] + seen if at in more else seen
            at = frame.parent

    def change(frame: Frame) -> Frame:
        if frame is m.tool or frame.name not in more:
            return frame
        return replace(frame, load=_sum(frame.load, more[frame.name]))

    return with_frames(m, change)


def own_inertias(m: Mechanism) -> dict[str, Link]:
    """What the base and every link, moving or merged, weighs by itself, in its own frame; links without any left out.

    That is what it carries less the loads fixed to it, in decimals as fine as the difference is good. Where loads are
    heavier than what they ride on, as only a person can write them, it is all the moving link's.
    """
    whole = dict(zip((m.base_name, *m.link_names), (m.base, *m.links), strict=True))
    riding: dict[int, dict[str, Link]] = {}
    parts: dict[str, list[Link]] = {}
    for name, frame in m.frames.items():
        if frame.load is not None and name not in whole and frame is not m.tool:
            riding.setdefault(frame.body, {})[name] = frame.load
            T = inverse(m.frames[frame.parent].pose) @ frame.pose
            parts.setdefault(frame.parent, []).append(frame.load.moved(T))
    out: dict[str, Link] = {}
    for body, (name, link) in enumerate(whole.items(), start=-1):
        loads = {name: link} | riding.get(body, {})
        rests = {key: _without(load, parts.get(key, [])) for key, load in loads.items()}
        out |= {name: link} if any(rest.mass < 0.0 for rest in rests.values()) else rests
    return {name: link for name, link in out.items() if not is_zero(link.mass, *link.inertia.reshape(-1))}


def _without(whole: Link, parts: list[Link]) -> Link:
    """What is left of a body without some parts, all given in one frame: the inverse of addition."""
    if not parts:
        return whole
    gone = sum(parts[1:], parts[0])
    mass = _decimal(whole.mass - gone.mass, whole.mass)
    if mass <= 0.0:
        J = whole.inertia - gone.inertia
        return Link(mass, inertia=_decimal(J, float(np.abs(whole.inertia).max())), checked=True)
    com = (whole.mass * whole.com - gone.mass * gone.com) / mass
    com = _decimal(com, whole.mass / mass * float(np.abs([whole.com, gone.com]).max()))
    d = gone.com - com
    shift = mass * gone.mass / whole.mass * (d @ d * np.eye(3) - np.outer(d, d))
    size = float(np.abs(whole.inertia).max() + np.abs(shift).max())
    return Link(mass, com, _decimal(whole.inertia - gone.inertia - shift, size), checked=True)


def _decimal(x: Any, size: float) -> Any:
    """x rounded to what rounding has left of it, given the size of what was subtracted."""
    if not 0.0 < size < np.inf:
        return x
    return np.round(x, min(max(14 - math.ceil(math.log10(size)), 0), 40)) + 0.0


def _sum(x: Link | None, y: Link) -> Link:
    total = y if x is None else x + y
    return replace(total, name=None, inserted=False)
