"""From the parsed data of a robot's .toml file to the mechanism; the form is that of io/toml.py."""

import pathlib
import re
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.io.toml_checks import fits, shown
from chasles.io.toml_joints import Joint, JointReader
from chasles.io.toml_lines import Lines, Path
from chasles.model.checks import LIMITS, rigid
from chasles.model.link import Link
from chasles.model.mechanism import LOSSES, Frame, Mechanism, mechanism
from chasles.model.screws import turn

_TOP = ("name", "description", "source", "gravity", "friction", "base", "tool", "links", "frames")
_LINK = ("name", "parent", "home", "mass", "com", "inertia", "joint")
_BASE = ("name", "mass", "com", "inertia")
_MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")
_BETWEEN = {"universal": "_cross", "cylindrical": "_sleeve"}  # the massless link of a joint that becomes two


class Reader(JointReader):
    """Reads one robot. Lists have an entry a link of the mechanism; `paths` is where each stands."""

    def __init__(self, data: dict[str, Any], lines: Lines, file: str) -> None:
        super().__init__(data, lines, file)
        self.base = Link(name="base")
        self.poses: dict[str | None, tuple[str, np.ndarray]] = {}  # by the frame's name, None for the tool
        self.names: list[str] = []
        self.found: list[Joint] = []
        self.parents: list[int] = []
        self.homes: list[np.ndarray] = []
        self.bodies: list[Link] = []
        self.paths: list[Path] = []

    @property
    def ground(self) -> str:
        return str(self.base.name)

    def mechanism(self) -> Mechanism:
        data = self.table(self.data, (), "a robot", _TOP, ("links",))
        if "base" in data:
            self.base = self.read_base(data["base"])
        for i, link in enumerate(self.tables("links")):
            self.link(link, i)
        frames = {}
        for i, table in enumerate(self.tables("frames")):
            path = ("frames", i)
            self.table(table, path, f"frame {i + 1}", ("name", "link", "home", "pose"), ("name", "link"))
            name = self.new_name(table, path, "frame", [*self.names, *frames])
            link = self.known_link(table["link"], (*path, "link"), f"frame {name!r}")
            frames[name] = link, self.placed(table, path, f"frame {name!r}")
        tool = tool_link = None
        if "tool" in data:
            table = self.table(data["tool"], ("tool",), "the tool", ("link", "home", "pose"), ())
            if "link" in table:
                tool_link = self.known_link(table["link"], ("tool", "link"), "the tool")
            if {"home", "pose"} & set(table):
                tool = self.placed(table, ("tool",), "the tool")
        has_friction = data.get("friction", False)
        if not isinstance(has_friction, bool):
            self.fail(("friction",), f"a robot: friction must be true or false, got {shown(has_friction)}")
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
            "has_friction": has_friction,
            "source": self.string(data, "source", ""),
            "description": self.string(data, "description", ""),
        }
        screws = np.array([joint.screw for joint in joints]).reshape(-1, 6)
        homes = np.array(self.homes).reshape(-1, 4, 4)
        try:
            built = mechanism(screws, homes, self.bodies, self.parents, **arguments)
            return self.with_exact_poses(replace(built, notes=(*built.notes, *self.notes)))
        except ModelError as error:
            self.fail(self.culprit(str(error)), str(error))

    def link(self, link: dict[str, Any], i: int) -> None:
        """One link, and the one before it where its joint becomes two."""
        path: Path = ("links", i)
        what = f"link {link['name']!r}" if isinstance(link.get("name"), str) else f"link {i + 1}"
        self.table(link, path, what, _LINK, ("name", "home", "joint"))
        parent = self.parent(link, path, what)
        name = self.new_name(link, path, "link", self.names)
        home = self.home(link["home"], (*path, "home"), what)
        body = self.body(link, path, what)
        taken = [joint.name for joint in self.found]
        joints = self.joints(link["joint"], (*path, "joint"), name, f"joint{i + 1}", taken)
        if len(joints) == 2:
            between = name + _BETWEEN[link["joint"]["type"]]
            if between in (self.ground, *self.names):
                self.fail((*path, "name"), f"link name {between!r}, for the link inside the joint of {what}, is taken")
            self.add(between, parent, home, Link(), joints[0], path)
            parent = len(self.names) - 1
        self.add(name, parent, home, body, joints[-1], path)

    def add(self, name: str, parent: int, home: np.ndarray, body: Link, joint: Joint, path: Path) -> None:
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
        return Link(body.mass, body.com, body.inertia, name)

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

    def new_name(self, table: dict[str, Any], path: Path, kind: str, taken: list[str]) -> str:
        name = self.string(table, "name", "", path, f"{kind} {path[-1] + 1}")  # type: ignore[operator]
        if not name or name == self.ground or name in taken:
            own = f"every name must be its own, and not {self.ground!r} or ''"
            self.fail((*path, "name"), f"{kind} name {name!r} is taken; {own}")
        return name

    def known_link(self, x: Any, path: Path, what: str) -> str:
        links = [self.ground, *self.names]
        if x not in links:
            near = get_close_matches(str(x), links, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the links are {', '.join(links)}"
            self.fail(path, f"{what}: no link {shown(x)}; {hint}")
        return x

    def parent(self, link: dict[str, Any], path: Path, what: str) -> int:
        if "parent" not in link:
            return len(self.names) - 1
        x = link["parent"]
        if x not in (self.ground, *self.names) and any(x == other.get("name") for other in self.data["links"]):
            self.fail((*path, "parent"), f"{what}: its parent {x!r} must stand above it: list parents first")
        name = self.known_link(x, (*path, "parent"), f"{what}: parent")
        return self.names.index(name) if name in self.names else -1

    def home(self, x: Any, path: Path, what: str) -> np.ndarray:
        what = f"{what}: {path[-1]}"
        if isinstance(x, list):
            return self.numbers(x, (4, 4), path, what)
        self.table(x, path, what, ("position", "rpy", "rotation"), ())
        if "rpy" in x and "rotation" in x:
            self.fail(path, f"{what} has both rpy and rotation: leave one out")
        T = np.eye(4)
        T[:3, 3] = self.numbers(x.get("position", [0.0, 0.0, 0.0]), (3,), (*path, "position"), f"{what}: position")
        if "rotation" in x:
            T[:3, :3] = self.numbers(x["rotation"], (3, 3), (*path, "rotation"), f"{what}: rotation")
        else:
            roll, pitch, yaw = self.numbers(x.get("rpy", [0.0, 0.0, 0.0]), (3,), (*path, "rpy"), f"{what}: rpy")
            T[:3, :3] = turn(2, yaw) @ turn(1, pitch) @ turn(0, roll) + 0.0
        return T

    def placed(self, table: dict[str, Any], path: Path, what: str) -> np.ndarray:
        """The absolute home of a frame; its link is known."""
        if ("home" in table) == ("pose" in table):
            self.fail(path, f"{what} needs home (in the space frame) or pose (in the frame of its link), one of them")
        if "home" in table:
            return self.home(table["home"], (*path, "home"), what)
        if "link" not in table:
            self.fail(path, f"{what}: the key 'link' is missing; pose is in the frame of a link")
        T, link = self.home(table["pose"], (*path, "pose"), what), table["link"]
        self.poses[table.get("name")] = link, T
        return T if link == self.ground else self.homes[self.names.index(link)] @ T

    def with_exact_poses(self, built: Mechanism) -> Mechanism:
        """The mechanism with each frame that is given by `pose`, in a body's own frame, as given to the last bit."""

        def exact(key: str | None, frame: Frame) -> Frame:
            link, T = self.poses.get(key, ("", frame.pose))
            if link not in (self.ground, *built.link_names):
                return frame
            T = rigid(T, f"frame {frame.name!r}", [])
            T.flags.writeable = False
            return replace(frame, pose=T)

        tool = built.tool and exact(None, built.tool)
        frames = {k: tool if f is built.tool and tool else exact(k, f) for k, f in built.frames.items()}
        return replace(built, frames=frames, tool=tool)

    def body(self, link: dict[str, Any], path: Path, what: str) -> Link:
        mass = self.numbers(link.get("mass", 0.0), (), (*path, "mass"), f"{what}: mass")
        com = self.numbers(link.get("com", [0.0] * 3), (3,), (*path, "com"), f"{what}: com")
        x, at = link.get("inertia", [0.0] * 3), (*path, "inertia")
        if isinstance(x, dict):
            self.table(x, at, f"{what}: inertia", _MOMENTS, _MOMENTS[:3])
            m = {k: float(self.numbers(x.get(k, 0.0), (), (*at, k), f"{what}: inertia {k}")) for k in _MOMENTS}
            J = [[m["xx"], m["xy"], m["xz"]], [m["xy"], m["yy"], m["yz"]], [m["xz"], m["yz"], m["zz"]]]
            return Link(float(mass), com, J)
        shape = (3,) if fits(x, (3,)) else (3, 3)
        return Link(float(mass), com, self.numbers(x, shape, at, f"{what}: inertia, unless 3 numbers or a table,"))
