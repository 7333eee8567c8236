"""From the parsed data of a robot's .toml file to the mechanism; the form is that of io/toml.py."""

import pathlib
import re
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.io.toml_checks import Checked, fits, shown
from chasles.io.toml_lines import Lines, Path
from chasles.model.checks import LIMITS, rigid
from chasles.model.link import Link
from chasles.model.mechanism import Frame, Mechanism, mechanism
from chasles.model.screws import direction, is_unit, prismatic, screw, turn

_TOP = ("name", "description", "source", "gravity", "tool", "links", "frames")
_LINK = ("name", "parent", "home", "mass", "com", "inertia", "joint")
_GEOMETRY = {"revolute": ("axis", "point"), "prismatic": ("axis",), "helical": ("axis", "point", "pitch"), "fixed": ()}
_MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


class Reader(Checked):
    """Reads one robot."""

    def __init__(self, data: dict[str, Any], lines: Lines, file: str) -> None:
        super().__init__(data, lines, file)
        self.notes: list[str] = []
        self.poses: dict[str | None, tuple[str, np.ndarray]] = {}  # by the frame's name, None for the tool

    def mechanism(self) -> Mechanism:
        data = self.table(self.data, (), "a robot", _TOP, ("links",))
        links = self.tables("links")
        names: list[str] = []
        joints: list[str] = []
        parents, homes, bodies, screws, limits = [], [], [], [], []
        for i, link in enumerate(links):
            path, what = (
                ("links", i),
                f"link {link['name']!r}" if isinstance(link.get("name"), str) else f"link {i + 1}",
            )
            self.table(link, path, what, _LINK, ("name", "home", "joint"))
            parents.append(self.parent(link, path, what, names))
            names.append(self.new_name(link, path, "link", names))
            homes.append(self.home(link["home"], (*path, "home"), what))
            bodies.append(self.body(link, path, what))
            joint, S, bounds = self.joint(link["joint"], (*path, "joint"), i, names[-1], joints)
            joints.append(joint)
            screws.append(S)
            limits.append(bounds)

        frames = {}
        for i, table in enumerate(self.tables("frames")):
            path = ("frames", i)
            self.table(table, path, f"frame {i + 1}", ("name", "link", "home", "pose"), ("name", "link"))
            name = self.new_name(table, path, "frame", [*names, *frames])
            link = self.known_link(table["link"], (*path, "link"), f"frame {name!r}", names)
            frames[name] = link, self.placed(table, path, f"frame {name!r}", names, homes)
        tool = tool_link = None
        if "tool" in data:
            table = self.table(data["tool"], ("tool",), "the tool", ("link", "home", "pose"), ())
            if "link" in table:
                tool_link = self.known_link(table["link"], ("tool", "link"), "the tool", names)
            if {"home", "pose"} & set(table):
                tool = self.placed(table, ("tool",), "the tool", names, homes)
        name = self.string(data, "name", pathlib.Path(self.file).stem)
        source, description = self.string(data, "source", ""), self.string(data, "description", "")
        gravity = self.numbers(data.get("gravity", [0.0, 0.0, -9.81]), (3,), ("gravity",), "gravity")
        try:
            built = mechanism(
                np.array(screws).reshape(-1, 6),
                np.array(homes).reshape(-1, 4, 4),
                bodies,
                parents,
                name=name,
                joint_names=joints,
                link_names=names,
                limits={key: [bounds[key] for bounds in limits] for key in LIMITS},
                tool=tool,
                tool_link=tool_link,
                frames=frames,
                gravity=gravity,
                source=source,
                description=description,
            )
            return self.with_exact_poses(replace(built, notes=(*built.notes, *self.notes)))
        except ModelError as error:
            self.fail(self.culprit(str(error), names, joints), str(error))

    def culprit(self, message: str, names: list[str], joints: list[str]) -> Path:
        """Where the link, joint or frame stands that an error of the model names."""
        for kind, name in re.findall(r"(link|joint|frame) '([^']*)'", message):
            if kind != "frame" and name in (known := names if kind == "link" else joints):
                return ("links", known.index(name))
            for i, table in enumerate(self.data.get("frames", ())):
                if kind == "frame" and table["name"] == name:
                    return ("frames", i)
        return next(((key,) for key in ("tool", "gravity") if key in message), ())

    def new_name(self, table: dict[str, Any], path: Path, kind: str, taken: list[str]) -> str:
        name = self.string(table, "name", "", path, f"{kind} {path[-1] + 1}")  # type: ignore[operator]
        if not name or name == "base" or name in taken:
            self.fail(
                (*path, "name"), f"{kind} name {name!r} is taken; every name must be its own, and not 'base' or ''"
            )
        return name

    def known_link(self, x: Any, path: Path, what: str, names: list[str]) -> str:
        if x != "base" and x not in names:
            near = get_close_matches(str(x), names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the links are {', '.join(['base', *names])}"
            self.fail(path, f"{what}: no link {shown(x)}; {hint}")
        return x

    def parent(self, link: dict[str, Any], path: Path, what: str, before: list[str]) -> int:
        if "parent" not in link:
            return len(before) - 1
        x = link["parent"]
        if x not in before and any(x == other.get("name") for other in self.data["links"]):
            self.fail((*path, "parent"), f"{what}: its parent {x!r} must stand above it: list parents first")
        name = self.known_link(x, (*path, "parent"), f"{what}: parent", before)
        return before.index(name) if name in before else -1

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

    def placed(
        self, table: dict[str, Any], path: Path, what: str, names: list[str], homes: list[np.ndarray]
    ) -> np.ndarray:
        """The absolute home of a frame; its link is known."""
        if ("home" in table) == ("pose" in table):
            self.fail(path, f"{what} needs home (in the space frame) or pose (in the frame of its link), one of them")
        if "home" in table:
            return self.home(table["home"], (*path, "home"), what)
        if "link" not in table:
            self.fail(path, f"{what}: the key 'link' is missing; pose is in the frame of a link")
        T, link = self.home(table["pose"], (*path, "pose"), what), table["link"]
        self.poses[table.get("name")] = link, T
        return T if link == "base" else homes[names.index(link)] @ T

    def with_exact_poses(self, built: Mechanism) -> Mechanism:
        """The mechanism with each frame that is given by `pose`, in a body's own frame, as given to the last bit."""

        def exact(key: str | None, frame: Frame) -> Frame:
            link, T = self.poses.get(key, ("", frame.pose))
            if link not in ("base", *built.link_names):
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

    def joint(
        self, x: Any, path: Path, i: int, link: str, taken: list[str]
    ) -> tuple[str, np.ndarray, dict[str, float]]:
        """The name, screw and limits of a joint."""
        what = f"the joint of link {link!r}"
        self.table(x, path, what, ("name", "type", "axis", "point", "pitch", "screw", *LIMITS), ("type",))
        kind = x["type"]
        if kind not in _GEOMETRY:
            self.fail((*path, "type"), f"{what}: type must be one of {', '.join(_GEOMETRY)}, got {shown(kind)}")
        name = self.string(x, "name", f"{link}_fixed" if kind == "fixed" else f"joint{i + 1}", path, what)
        what = f"joint {name!r}"
        if name in taken:
            self.fail((*path, "name"), f"joint name {name!r} is taken; every name must be its own")
        wanted = ("screw",) if "screw" in x and kind != "fixed" else _GEOMETRY[kind]
        for key in ("axis", "point", "pitch", "screw"):
            if key in x and key not in wanted:
                self.fail(
                    (*path, key), f"{what}: a {kind} joint{' with a screw' * (wanted == ('screw',))} takes no {key}"
                )
            if key in wanted and key not in x:
                self.fail(path, f"{what}: the key {key!r} is missing; a {kind} joint needs {', '.join(wanted)}")
        bounds = {key: -np.inf if key == "lower" else np.inf for key in LIMITS}
        for key in LIMITS:
            if key in x:
                if not fits(x[key], ()) or x[key] != x[key]:
                    self.fail((*path, key), f"{what}: {key} must be a number, got {shown(x[key])}")
                bounds[key] = float(x[key])
        return name, self.screw(x, kind, path, what), bounds

    def screw(self, x: dict[str, Any], kind: str, path: Path, what: str) -> np.ndarray:
        if kind == "fixed":
            return np.zeros(6)
        if "screw" in x:
            S = self.numbers(x["screw"], (6,), (*path, "screw"), f"{what}: screw")
            if not S.any():
                self.fail((*path, "screw"), f"{what}: its screw is zero; a joint that does not move has type 'fixed'")
            w, v = S[:3], S[3:]
            if w.any() != (kind != "prismatic") or (kind == "revolute" and abs(w @ v) > 1e-9 * (w @ w)):
                self.fail((*path, "screw"), f"{what}: its screw {shown(x['screw'])} is not that of a {kind} joint")
            return S
        axis = self.numbers(x["axis"], (3,), (*path, "axis"), f"{what}: axis")
        if not axis.any():
            self.fail((*path, "axis"), f"{what}: its axis is zero; give it a direction")
        if not is_unit(axis):
            self.notes.append(f"{what}: its axis, of length {np.linalg.norm(axis):.17g}, was normalised")
        if kind == "prismatic":
            return prismatic(direction(axis))
        point = self.numbers(x["point"], (3,), (*path, "point"), f"{what}: point")
        return screw(axis, point, float(self.numbers(x.get("pitch", 0.0), (), (*path, "pitch"), f"{what}: pitch")))
