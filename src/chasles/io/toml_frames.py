"""The frames of a robot's .toml file; the form is that of io/toml.py."""

from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from chasles.arguments import shown
from chasles.errors import CONTROL, ModelError
from chasles.io.toml_checks import fits
from chasles.io.toml_joints import JointReader
from chasles.io.toml_lines import Lines, Path
from chasles.model.checks import check_link, rigid
from chasles.model.frame import Frame
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism
from chasles.model.merged_links import with_frames
from chasles.model.screws import turn

_LARGEST_ANGLE = 1e6  # rad: what is beyond is no angle that somebody meant, nor exact
_INERTIA = ("mass", "com", "inertia")
_MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")


class FrameReader(JointReader):
    """Reads frames, and the poses and inertias of links. Where a key is the name of a frame, None is the tool."""

    def __init__(self, data: dict[str, Any], lines: Lines, file: str) -> None:
        super().__init__(data, lines, file)
        self.base = Link(name="base")
        self.names: list[str] = []
        self.homes: list[np.ndarray] = []
        self.poses: dict[str | None, tuple[str, np.ndarray]] = {}
        self.parent_of: dict[str | None, tuple[str, str, Path]] = {}  # it, the link it rides on, and where that stands
        self.loads: dict[str | None, Link] = {}

    @property
    def ground(self) -> str:
        return str(self.base.name)

    def frames(self) -> dict[str, tuple[str, np.ndarray]]:
        """The [[frames]], as `mechanism` takes them."""
        out: dict[str, tuple[str, np.ndarray]] = {}
        for i, table in enumerate(self.tables("frames")):
            path = ("frames", i)
            keys = ("name", "link", "home", "pose", "parent", "load")
            self.table(table, path, f"frame {i + 1}", keys, ("name", "link"))
            name = self.new_name(table, path, "frame", [*self.names, *out])
            if name == "tool" and "parent" not in table:  # a merged link may be called so
                self.fail((*path, "name"), "frame name 'tool' is that of the tool: write [tool], with link and home")
            link = self.known_link(table["link"], (*path, "link"), f"frame {name!r}")
            out[name] = link, self.placed(table, path, f"frame {name!r}")
            self.hang(table, path, name, link, f"frame {name!r}")
            if "load" in table:
                at, what = (*path, "load"), f"frame {name!r}: load"
                self.table(table["load"], at, what, _INERTIA, ("mass",))
                self.loads[name] = self.body(table["load"], at, what)
                try:
                    check_link(self.loads[name], "", [], refuse=False)
                except ModelError as error:
                    self.fail(at, str(error).replace("link ''", what))
        return out

    def tool(self) -> tuple[str | None, np.ndarray | None]:
        """The link and the absolute home of the [tool], None where they are left out."""
        if "tool" not in self.data:
            return None, None
        table = self.table(self.data["tool"], ("tool",), "the tool", ("link", "home", "pose", "parent"), ())
        link = self.known_link(table["link"], ("tool", "link"), "the tool") if "link" in table else None
        if "parent" in table and link is None:
            self.fail(("tool", "parent"), "the tool: the key 'link' is missing; its parent is merged into that")
        self.hang(table, ("tool",), None, link or "", "the tool")
        return link, self.placed(table, ("tool",), "the tool") if {"home", "pose"} & set(table) else None

    def hang(
        self, table: dict[str, Any], path: Path, name: str | None, link: str, what: str, key: str = "parent"
    ) -> None:
        """Remember what a frame, or a link, hangs on."""
        if key in table:
            self.parent_of[name] = self.string(table, key, "", path, what), link, (*path, key)

    def finished(self, built: Mechanism) -> Mechanism:
        """The mechanism with each frame that is given by `pose`, in a body's own frame, as given to the last bit, and
        with what hung on what before it was merged."""

        def change(frame: Frame) -> Frame:
            key = None if frame is built.tool else frame.name
            link, T = self.poses.get(key, ("", frame.pose))
            if link in (self.ground, *built.link_names):
                T = rigid(T, f"frame {frame.name!r}", [])
                T.flags.writeable = False
                frame = replace(frame, pose=T)
            if key in self.parent_of:
                frame = replace(frame, parent=self.parent_of[key][0])
            return replace(frame, load=self.loads[key]) if key in self.loads else frame

        for parent, link, path in self.parent_of.values():
            known = built.frames.get(parent)
            if known is None or known is built.tool or known.body != built.frames[link].body:
                near = get_close_matches(parent, list(built.frames), 1)
                hint = f"; did you mean {near[0]!r}?" if near and near[0] != parent else ""
                self.fail(path, f"{path[-1]} must be the link {link!r} or one merged into it, got {parent!r}{hint}")
        out = with_frames(built, change)
        for parent, _, path in self.parent_of.values():
            seen, own = [parent], (out.base_name, *out.link_names)
            while seen[-1] not in own:
                seen.append(out.frames[seen[-1]].parent)
                if seen[-1] in seen[:-1]:
                    self.fail(path, f"frames hang on each other in a circle: {' -> '.join(seen)}")
        return out

    def new_name(self, table: dict[str, Any], path: Path, kind: str, taken: list[str]) -> str:
        name = self.string(table, "name", "", path, f"{kind} {path[-1] + 1}")  # type: ignore[operator]
        if not name or name == self.ground or name in taken:
            own = f"every name must be its own, and not {self.ground!r} or ''"
            self.fail((*path, "name"), f"{kind} name {name!r} is taken; {own}")
        if CONTROL.search(name):
            self.fail((*path, "name"), f"{kind} {name!r}: its name has a control character")
        return name

    def known_link(self, x: Any, path: Path, what: str) -> str:
        return self.known(x, [self.ground, *self.names], path, what, "link")

    def known(self, x: Any, among: list[str], path: Path, what: str, kind: str) -> str:
        if x not in among:
            near = get_close_matches(str(x), among, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the {kind}s are {', '.join(among)}"
            self.fail(path, f"{what}: no {kind} {shown(x)}; {hint}")
        return x

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
            angles = self.numbers(x.get("rpy", [0.0, 0.0, 0.0]), (3,), (*path, "rpy"), f"{what}: rpy")
            if np.abs(angles).max() > _LARGEST_ANGLE:
                self.fail((*path, "rpy"), f"{what}: rpy must be angles in radians, got {shown(angles.tolist())}")
            roll, pitch, yaw = angles
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

    def body(self, link: dict[str, Any], path: Path, what: str) -> Link:
        mass = self.numbers(link.get("mass", 0.0), (), (*path, "mass"), f"{what}: mass")
        com = self.numbers(link.get("com", [0.0] * 3), (3,), (*path, "com"), f"{what}: com")
        x, at = link.get("inertia", [0.0] * 3), (*path, "inertia")
        if isinstance(x, dict):
            self.table(x, at, f"{what}: inertia", _MOMENTS, _MOMENTS[:3])
            m = {k: float(self.numbers(x.get(k, 0.0), (), (*at, k), f"{what}: inertia {k}")) for k in _MOMENTS}
            J = [[m["xx"], m["xy"], m["xz"]], [m["xy"], m["yy"], m["yz"]], [m["xz"], m["yz"], m["zz"]]]
            return Link(float(mass), com, J, checked=True)
        shape = (3,) if fits(x, (3,)) else (3, 3)
        J = self.numbers(x, shape, at, f"{what}: inertia, unless 3 numbers or a table,")
        try:
            return Link(float(mass), com, J, checked=True)
        except ModelError as error:
            self.fail(at, f"{what}: {str(error).partition(': ')[2]}")
