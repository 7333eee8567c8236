"""From the parsed data of a robot's .toml file to the mechanism; the form is that of io/toml.py."""

import pathlib
import re
from dataclasses import replace
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.io.toml_joints import TomlJoint
from chasles.io.toml_lines import Lines, Path
from chasles.io.toml_shapes import ShapeReader
from chasles.model.building import mechanism
from chasles.model.checks import LIMITS
from chasles.model.compound import between
from chasles.model.link import Link
from chasles.model.mechanism import LOSSES, Mechanism

_PARTS = ("base", "tool", "links", "frames", "shapes")
_TOP = ("name", "description", "source", "gravity", "friction", "accept_impossible", "doubts", *_PARTS)
_LINK = ("name", "parent", "mount", "home", "mass", "com", "inertia", "inserted", "joint")
_BASE = ("name", "mass", "com", "inertia")


class Reader(ShapeReader):
    """Reads one robot. Lists have an entry a link of the mechanism; `paths` is where each stands."""

    def __init__(self, data: dict[str, Any], lines: Lines, file: str) -> None:
        super().__init__(data, lines, file)
        self.found: list[TomlJoint] = []
        self.parents: list[int] = []
        self.bodies: list[Link] = []
        self.paths: list[Path] = []

    def mechanism(self) -> Mechanism:
        data = self.table(self.data, (), "a robot", _TOP, ("links",))
        if "base" in data:
            self.base = self.read_base(data["base"])
        for i, link in enumerate(self.tables("links")):
            self.link(link, i)
        frames = self.frames()
        tool_link, tool = self.tool()
        joints = self.found
        arguments: dict[str, Any] = {
            "name": self.string(data, "name", pathlib.Path(self.file).stem),
            "joint_names": [joint.name for joint in joints],
            "link_names": self.names,
            "limits": {key: [joint.numbers[key] for joint in joints] for key in LIMITS},
            "tool": tool,
            "tool_link": tool_link,
            "frames": frames,
            "gravity": self.numbers(data.get("gravity", [0.0, 0.0, -9.81]), (3,), ("gravity",), "gravity"),
            "kinds": [joint.kind for joint in joints],
            "mimics": self.mimics(joints, self.paths),
            **{key: [joint.numbers[key] for joint in joints] for key in LOSSES},
            "base": self.base,
            "has_friction": self.flag(data, "friction"),
            "visuals": self.shapes([self.ground, *self.names, *frames]),
            "refuse_impossible": not self.flag(data, "accept_impossible"),
            "doubts": self.doubts(data),
            "source": self.string(data, "source", ""),
            "description": self.string(data, "description", ""),
        }
        screws = np.array([joint.screw for joint in joints]).reshape(-1, 6)
        homes = np.array(self.homes).reshape(-1, 4, 4)
        try:
            built = mechanism(screws, homes, self.bodies, self.parents, **arguments)
        except ModelError as error:
            self.fail(self.culprit(str(error)), str(error))
        return self.finished(replace(built, notes=(*built.notes, *self.notes)))

    def doubts(self, data: dict[str, Any]) -> list[str]:
        """What a person should look at, of the file that the robot came from."""
        given = data.get("doubts", [])
        if not isinstance(given, list) or not all(isinstance(x, str) for x in given):
            self.fail(("doubts",), "doubts must be a list of strings")
        return given

    def link(self, link: dict[str, Any], i: int) -> None:
        """One link, and the one before it where its joint becomes two."""
        path: Path = ("links", i)
        what = f"link {link['name']!r}" if isinstance(link.get("name"), str) else f"link {i + 1}"
        self.table(link, path, what, _LINK, ("name", "home", "joint"))
        parent = self.parent(link, path, what)
        name = self.new_name(link, path, "link", self.names)
        home = self.home(link["home"], (*path, "home"), what)
        body = replace(self.body(link, path, what), inserted=self.flag(link, "inserted", path, what))
        taken = [joint.name for joint in self.found]
        joints = self.joints(link["joint"], (*path, "joint"), name, f"joint{i + 1}", taken)
        if link["joint"]["type"] == "fixed" and "mount" in link:
            self.fail((*path, "mount"), f"{what}: a link with a fixed joint takes no mount: name it as the parent")
        inside = [between(name, joint.screw) for joint in joints[1:]]
        self.hang(link, path, [*inside, name][0], self.names[parent] if parent >= 0 else self.ground, what, "mount")
        for first in inside:
            if first in (self.ground, *self.names):
                self.fail((*path, "name"), f"link name {first!r}, for the link inside the joint of {what}, is taken")
            self.add(first, parent, home, Link(inserted=True), joints[0], path)
            parent = len(self.names) - 1
        self.add(name, parent, home, body, joints[-1], path)

    def add(self, name: str, parent: int, home: np.ndarray, body: Link, joint: TomlJoint, path: Path) -> None:
        self.names.append(name)
        self.parents.append(parent)
        self.homes.append(home)
        self.bodies.append(body)
        self.found.append(joint)
        self.paths.append(path)

    def read_base(self, x: Any) -> Link:
        self.table(x, ("base",), "the base", _BASE, ())
        name = self.string(x, "name", "base", ("base",), "the base")
        if not name:
            self.fail(("base", "name"), "the base: its name is empty; leave it out, or give it one")
        body = self.body(x, ("base",), "the base")
        return Link(body.mass, body.com, body.inertia, name, checked=True)

    def culprit(self, message: str) -> Path:
        """Where the link, joint or frame stands that an error of the model names."""
        joints = [joint.name for joint in self.found]
        circle = re.search(r"mimic each other in a circle: (.*?) -> ", message)
        for kind, name in [("joint", circle[1])] if circle else re.findall(r"(link|joint|frame) '([^']*)'", message):
            if kind == "link" and name == self.ground:
                return ("base",)
            if kind != "frame" and name in (known := self.names if kind == "link" else joints):
                return self.paths[known.index(name)]
            for i, table in enumerate(self.data.get("frames", ())):
                if kind == "frame" and table["name"] == name:
                    return ("frames", i)
        return next(((key,) for key in ("tool", "gravity") if key in message), ())

    def parent(self, link: dict[str, Any], path: Path, what: str) -> int:
        if "parent" not in link:
            return len(self.names) - 1
        x = link["parent"]
        if x not in (self.ground, *self.names) and any(x == other.get("name") for other in self.data["links"]):
            self.fail((*path, "parent"), f"{what}: its parent {x!r} must stand above it: list parents first")
        name = self.known_link(x, (*path, "parent"), f"{what}: parent")
        return self.names.index(name) if name in self.names else -1
