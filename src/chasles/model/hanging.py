"""What hangs on what: the tree of links as it was given, in which merged ones are links too.

Every frame but the base's names its parent in that tree, and a merged link's has its load: its own inertia and that of
all that is fixed to it. The body that it was merged into has the load too, so that whatever changes what is fixed to
a merged link changes the loads from there up to the body's own frame.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from chasles.model.link import Link
from chasles.model.mechanism import Frame, Mechanism


def with_frames(m: Mechanism, change: Callable[[Frame], Frame]) -> Mechanism:
    """The mechanism with all frames changed; the tool's is changed once, and stays one of them."""
    tool = m.tool and change(m.tool)
    frames = {name: tool if tool and frame is m.tool else change(frame) for name, frame in m.frames.items()}
    return replace(m, frames=frames, tool=tool)


def remembering(new: Mechanism, old: Mechanism) -> Mechanism:
    """`new`, made of the bodies of `old`, with what hangs on what in `old`."""

    def change(frame: Frame) -> Frame:
        known = old.tool if frame is new.tool else old.frames.get(frame.name)
        if known is None or not known.parent or frame.name == new.base_name:
            return frame
        return replace(frame, parent=known.parent, load=known.load)

    return with_frames(new, change)


def hanging(m: Mechanism, name: str) -> set[str]:
    """The frame of that name and all that hang on it, by joints or fixed."""
    children: dict[str, list[str]] = {}
    for key, frame in m.frames.items():
        children.setdefault(frame.parent, []).append(key)
    out, stack = set(), [name]
    while stack:
        out.add(key := stack.pop())
        stack += children.get(key, [])
    return out


def loaded(m: Mechanism, loads: Iterable[tuple[str, Link]]) -> Mechanism:
    """With loads, each in the frame that it is put on, on that and all between it and its body's own frame."""
    more: dict[str, Link] = {}
    own = {m.base_name, *m.link_names}
    for name, load in loads:
        at, where = name, m.frames[name].pose
        while at not in own:
            frame = m.frames[at]
            seen = load.moved(np.linalg.inv(frame.pose) @ where) if at != name else load
            more[at] = more[at] + seen if at in more else seen
            at = frame.parent

    def change(frame: Frame) -> Frame:
        if frame is m.tool or frame.name not in more:
            return frame
        return replace(frame, load=_sum(frame.load, more[frame.name]))

    return with_frames(m, change)


def _sum(x: Link | None, y: Link) -> Link:
    total = y if x is None else x + y
    return Link(total.mass, total.com, total.inertia)
