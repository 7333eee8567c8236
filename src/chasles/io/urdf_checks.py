"""Elements of a URDF file, checked: every complaint names the file, the line, the thing and what was expected."""

import math
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NoReturn

import numpy as np

from chasles.arguments import shown
from chasles.io.xml import Element, fail
from chasles.model.joint import rotation
from chasles.model.screws import turn

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LARGEST_NUMBER = 1e30  # squares and products of it are still numbers
_LARGEST_ANGLE = 1e4  # rad; beyond it an angle has lost the digits it needs
_MOST_NOTES = 100  # notes on what is ignored
_XACRO = "this is a xacro file; call it .xacro, or expand it first: `xacro FILE > robot.urdf`"

KNOWN = {
    "robot": (("link", "joint", "material"), ("name", "version")),
    "link": (("inertial", "visual", "collision"), ("name",)),
    "inertial": (("origin", "mass", "inertia"), ()),
    "origin": ((), ("xyz", "rpy", "quat_xyzw")),
    "mass": ((), ("value",)),
    "inertia": ((), ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
    "joint": (("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"), ("name", "type")),
    "parent": ((), ("link",)),
    "child": ((), ("link",)),
    "axis": ((), ("xyz",)),
    "limit": ((), ("lower", "upper", "velocity", "effort")),
    "dynamics": ((), ("damping", "friction")),
    "mimic": ((), ("joint", "multiplier", "offset")),
    "visual": (("origin", "geometry", "material"), ("name",)),
    "collision": (("origin", "geometry"), ("name",)),
    "geometry": (("mesh", "box", "sphere", "cylinder", "capsule"), ()),
    "mesh": ((), ("filename", "scale")),
    "box": ((), ("size",)),
    "sphere": ((), ("radius",)),
    "cylinder": ((), ("radius", "length")),
    "capsule": ((), ("radius", "length")),
    "material": (("color", "texture"), ("name",)),
    "color": ((), ("rgba",)),
    "texture": ((), ("filename",)),
}
_STRICT = {"inertial", "origin", "mass", "inertia", "parent", "child", "axis", "mimic"}  # nothing else belongs there
_REFERRING = {"gazebo", "transmission", "ros2_control", "sensor", "actuator"}  # to links and joints, by their names
_TWICE = {"iyx": "ixy", "izx": "ixz", "izy": "iyz"}  # the other half of an inertia, which URDF leaves out
_INERT = ("xacro:property", "xacro:arg")  # left from an expansion, where nothing refers to them
_MISPLACED = {"link", "joint", "inertial", "mass", "inertia", "axis", "limit", "parent", "child", "mimic", "dynamics"}


class Checked:
    """A URDF file under examination. `what` is how a person calls an element."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.notes: list[str] = []
        self.doubts: list[str] = []
        self._ignored: dict[str, list[int]] = {}
        self._surveyed: set[int] = set()

    def fail(self, element: Element, message: str) -> NoReturn:
        fail(self.file, element.line, message)

    def ignored(self) -> list[str]:
        """A note for each kind of thing that was passed over."""
        notes = [
            f"ignored: {what}"
            + (f", {len(lines)} times, first on line {lines[0]}" if lines[1:] else f" (line {lines[0]})")
            for what, lines in self._ignored.items()
        ]
        return (
            notes
            if len(notes) <= _MOST_NOTES
            else [*notes[:_MOST_NOTES], f"ignored: {len(notes) - _MOST_NOTES} kinds of things more"]
        )

    def ignore(self, element: Element, what: str) -> None:
        self._ignored.setdefault(what, []).append(element.line)

    def survey(self, element: Element, what: str) -> None:
        """Note what is unknown in an element; refuse what looks like a misspelling or stands in the wrong place."""
        if id(element) in self._surveyed:  # a material is looked at twice
            return
        self._surveyed.add(id(element))
        tags, keys = KNOWN[element.tag]
        present = {child.tag for child in element.children}
        for child in element.children:
            if child.tag in tags or child.tag in _INERT or self.is_redundant(element, child, what):
                continue
            if near := _near(child.tag, [tag for tag in tags if tag not in present or tag in ("link", "joint")]):
                self.fail(child, f"{what}: unknown <{child.tag}>; did you mean <{near}>?")
            if child.tag in _MISPLACED or element.tag in _STRICT:
                self.fail(child, f"{what}: <{child.tag}> does not belong in <{element.tag}>")
            self.ignore(child, f"<{shown(child.tag)[1:-1]}> in <{element.tag}>")
        for key in element.attributes:
            if key in keys or key.startswith("xmlns") or self.is_repeated(element, key, what):
                continue
            if near := _near(key, [k for k in keys if k not in element.attributes]):
                self.fail(element, f"{what}: <{element.tag}> has an unknown {shown(key)}; did you mean {near!r}?")
            if element.tag in _STRICT:
                self.fail(element, f"{what}: <{element.tag}> has an unknown {shown(key)}; it takes {', '.join(keys)}")
            self.ignore(element, f"{shown(key)} of <{element.tag}>")
        if element.text:
            self.ignore(element, f"text inside <{element.tag}>")

    def is_redundant(self, element: Element, child: Element, what: str) -> bool:
        """Whether a child is a <density> beside a <mass>, which says the same again; with a doubt."""
        if element.tag != "inertial" or child.tag != "density" or not element.all("mass"):
            return False
        self.doubts.append(f"{what}: the <density> on line {child.line} is not read: its mass is that of <mass>")
        return True

    def is_repeated(self, element: Element, key: str, what: str) -> bool:
        """Whether an attribute is the mirror of an entry of a symmetric inertia, and the same; with a doubt."""
        if element.tag != "inertia" or key not in _TWICE:
            return False
        own = _TWICE[key]
        x, y = self.number(element, key, what), self.number(element, own, what)
        if x != y:
            self.fail(element, f"{what}: {key}={x:g} of <inertia> is not {own}={y:g}: an inertia is symmetric")
        self.doubts.append(
            f"{what}: <inertia> on line {element.line} has {key} besides {own}, which URDF does not know"
        )
        return True

    def one(self, element: Element, tag: str, what: str) -> Element | None:
        """The child of that tag, surveyed, or None; two are refused."""
        found = element.all(tag)
        if len(found) > 1:
            self.fail(found[1], f"{what} has two <{tag}>, the first on line {found[0].line}")
        if found and tag in KNOWN:
            self.survey(found[0], what)
        return found[0] if found else None

    def needed(self, element: Element, tag: str, what: str) -> Element:
        found = self.one(element, tag, what)
        if found is None:
            self.fail(element, f"{what}: <{tag}> is missing in <{element.tag}>")
        return found

    def string(self, element: Element, key: str, what: str) -> str:
        """An attribute that must be there and not be empty."""
        if key not in element.attributes:
            self.fail(element, f"{what}: <{element.tag}> has no {key!r}")
        text = element.attributes[key]
        if "${" in text or "$(" in text:
            self.fail(element, f"{what}: {key}={text!r}: {_XACRO}")
        if not text.strip():
            self.fail(element, f"{what}: <{element.tag}> has an empty {key!r}")
        return text

    def numbers(
        self, element: Element, key: str, count: int, what: str, largest: float = _LARGEST_NUMBER
    ) -> list[float]:
        """An attribute of that many numbers, as the C locale writes them."""
        text = self.string(element, key, what)
        where = f"{what}: <{element.tag} {key}={shown(text)}>"
        words = re.findall(r"[^ \t\r\n]+", text)
        for word in words:
            if not _NUMBER.fullmatch(word):
                hint = " (with a point, not a comma)" if re.fullmatch(r"[-+\d.,eE]*,[-+\d.,eE]*", word) else ""
                self.fail(element, f"{where}: {shown(word)} is not a number{hint}")
            if abs(float(word)) > largest:
                self.fail(element, f"{where}: {shown(word)} is beyond any {key} of a robot")
        if len(words) != count:
            self.fail(element, f"{where} must be {count} number{'s'[: count > 1]}, got {len(words)}")
        return [float(word) for word in words]

    def number(
        self, element: Element, key: str, what: str, default: float | None = None, largest: float = _LARGEST_NUMBER
    ) -> float:
        if default is not None and key not in element.attributes:
            return default
        return self.numbers(element, key, 1, what, largest)[0]

    def origin(self, element: Element, what: str) -> np.ndarray:
        """The (4, 4) pose that an element's <origin> gives, the identity without one."""
        T = np.eye(4)
        origin = self.one(element, "origin", what)
        if origin is None:
            return T
        if "xyz" in origin.attributes:
            T[:3, 3] = self.numbers(origin, "xyz", 3, what)
        if "quat_xyzw" in origin.attributes:
            if "rpy" in origin.attributes:
                self.fail(origin, f"{what}: <origin> has both rpy and quat_xyzw: leave one out")
            T[:3, :3] = self.quaternion(origin, what)
        elif "rpy" in origin.attributes:
            roll, pitch, yaw = self.numbers(origin, "rpy", 3, what, _LARGEST_ANGLE)
            if max(map(abs, (roll, pitch, yaw))) > 3.0 * math.pi:
                text = f"{what}: rpy={shown(origin.attributes['rpy'])} on line {origin.line} is more than a turn"
                self.doubts.append(f"{text}; angles are in radians")
            T[:3, :3] = turn(2, yaw) @ turn(1, pitch) @ turn(0, roll) + 0.0
        return T + 0.0  # no negative zeros

    def quaternion(self, origin: Element, what: str) -> np.ndarray:
        q = self.numbers(origin, "quat_xyzw", 4, what)
        length = math.hypot(*q)
        if abs(length - 1.0) > 1e-3:
            self.fail(origin, f"{what}: <origin> quat_xyzw has length {length:.6g}, which should be 1")
        return np.array([[*row] for row in rotation(q).matrix])

    def doubt_hidden(self, root: Element) -> None:
        """Links and joints inside of something unknown, which are not read; a mere reference to one is none."""
        own = {(child.tag, child.attributes.get("name")) for child in root.children}
        for child in root.children:
            if child.tag in KNOWN["robot"][0] or child.tag in _REFERRING:
                continue
            hidden = [x for x in child.walk() if x is not child and x.tag in ("link", "joint")]
            hidden = [x for x in hidden if x.children or (x.tag, x.attributes.get("name")) not in own]
            if hidden:
                outer, more = shown(child.tag)[1:-1], f" and {len(hidden) - 1} more" if hidden[1:] else ""
                text = f"<{hidden[0].tag}> on line {hidden[0].line}{more} inside of <{outer}>: not read"
                self.doubts.append(f"{text}; what is part of the robot belongs into <robot> itself")

    def refuse_xacro(self, root: Element) -> None:
        inert, used = [], None
        for element in root.walk():
            if any("${" in text or "$(" in text for text in element.attributes.values()):
                used = used or element
            if element.tag.endswith(":include") and not element.tag.startswith("xacro:"):
                self.fail(element, f"<{element.tag}>: what it names is not read; put that into this file instead")
            if element.tag in _INERT:
                inert.append(element)
            elif element.tag.startswith("xacro:"):
                self.fail(element, f"<{element.tag}>: {_XACRO}")
        for element in root.children:
            if element.tag in ("include", "macro"):
                self.fail(element, f"<{element.tag}>: {_XACRO}")
        if inert and used:
            self.fail(used, f"<{used.tag}>: {_XACRO}")
        if inert:
            first, more = inert[0], f" and {len(inert) - 1} more" if inert[1:] else ""
            self.doubts.append(f"<{first.tag}> on line {first.line}{more}: left from a xacro file, and not read")


def _near(word: str, known: Sequence[str]) -> str | None:
    """The known word that `word` is surely meant to be."""
    word = word.lower()[:80]
    for other in known:
        if abs(len(word) - len(other)) > 2:
            continue
        match = SequenceMatcher(None, word, other)
        if sorted(word) == sorted(other) or (match.quick_ratio() >= 0.75 and match.ratio() >= 0.75):
            return other
    return None


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names for a person, the first few of many."""
    text = ", ".join(map(repr, names[:most]))
    return text + (f" and {len(names) - most} more" if len(names) > most else "")
