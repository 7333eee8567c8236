"""The text of URDF elements."""

import math
import re
from collections.abc import Iterable, Iterator

import numpy as np

from chasles.errors import ModelError
from chasles.model.shape import Shape

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLAIN = (None, "")

Looks = dict[tuple[tuple[float, ...] | None, str], str]


class Tag:
    """An element to be written."""

    def __init__(self, tag: str, /, **attributes: str) -> None:
        self.tag, self.attributes = tag, attributes
        self.children: list[Tag] = []

    def add(self, tag: str, /, **attributes: str) -> "Tag":
        self.children.append(Tag(tag, **attributes))
        return self.children[-1]

    def lines(self, indent: str = "") -> Iterator[str]:
        start = f"{indent}<{self.tag}" + "".join(f' {key}="{escaped(x)}"' for key, x in self.attributes.items())
        if not self.children:
            yield start + "/>"
            return
        yield start + ">"
        for child in self.children:
            yield from child.lines(indent + "  ")
        yield f"{indent}</{self.tag}>"


def escaped(text: str) -> str:
    if bad := _NOT_XML.search(text):
        raise ModelError(f"{text!r} cannot be written to an XML file: it has the character {bad[0]!r}")
    return "".join(_ESCAPES.get(c, c) for c in text)


def number(x: float) -> str:
    """The shortest text that reads back to the last bit."""
    return repr(float(x) + 0.0).removesuffix(".0")


def numbers(x: Iterable[float]) -> str:
    return " ".join(map(number, x))


def origin(T: np.ndarray) -> Tag:
    return Tag("origin", xyz=numbers(T[:3, 3]), rpy=numbers(rpy(T[:3, :3])))


def rpy(R: np.ndarray) -> tuple[float, float, float]:
    """Angles with R = Rz(yaw) Ry(pitch) Rx(roll), good to rounding also where pitch is a quarter turn."""
    yaw = math.atan2(R[1, 0], R[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    return math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1]), pitch, yaw


def look_names(shapes: Iterable[Shape]) -> Looks:
    """A name for each colour and texture."""
    looks = dict.fromkeys((x.colour, x.texture) for x in shapes if (x.colour, x.texture) != _PLAIN)
    return {look: f"look{k}" for k, look in enumerate(looks, start=1)}


def shape(x: Shape, looks: Looks) -> Tag:
    out = Tag(x.role, **({"name": x.name} if x.name else {}))
    out.children.append(origin(np.array(x.pose)))
    geometry = out.add("geometry")
    if x.kind == "mesh":
        geometry.add("mesh", filename=x.file, scale=numbers(x.size))
    elif x.kind == "box":
        geometry.add("box", size=numbers(x.size))
    else:
        geometry.add(x.kind, **dict(zip(("radius", "length"), map(number, x.size), strict=False)))
    if (x.colour, x.texture) in looks:
        out.add("material", name=looks[x.colour, x.texture])
    return out
