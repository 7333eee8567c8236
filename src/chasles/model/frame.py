"""Frames of a mechanism: places fixed to its links, by name."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chasles.model.link import Link, same
from chasles.reprs import record


@record()
@dataclass(frozen=True, repr=False)
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


def same_place(x: Frame, y: Frame) -> bool:
    return x.body == y.body and same(x.pose, y.pose)


def two_tools(parent: str) -> str:
    """What there is to say where the tool is not where a link called "tool" is."""
    return f"a link is called 'tool', and that is the frame 'tool'; the tool, on {parent!r}, is the frame None"
