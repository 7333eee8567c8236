"""The joint tables of a robot's .toml file; the form is that of io/toml.py."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from chasles.arguments import shown
from chasles.errors import ModelError
from chasles.io.toml_checks import Checked, fits
from chasles.io.toml_lines import Lines, Path
from chasles.model.checks import LIMITS
from chasles.model.joint import KINDS
from chasles.model.mechanism import LOSSES
from chasles.model.screws import cylindrical, direction, is_unit, prismatic, screw, universal

_SCREWS = {"revolute": ("axis", "point"), "prismatic": ("axis",), "helical": ("axis", "point", "pitch")}
_PAIRS = {"universal": ("axis", "axis2", "point"), "cylindrical": ("axis", "point")}
_GEOMETRY = {**_SCREWS, "fixed": (), **dict.fromkeys(KINDS, ()), **_PAIRS}
_KEYS = ("axis", "axis2", "point", "pitch", "screw")


@dataclass
class TomlJoint:
    """A joint of the mechanism. numbers: its limits, armature, damping and friction."""

    name: str
    kind: str
    screw: np.ndarray
    numbers: dict[str, float]
    mimic: tuple[str, float, float] | None = None


class JointReader(Checked):
    """Reads joints."""

    def __init__(self, data: dict[str, Any], lines: Lines, file: str) -> None:
        super().__init__(data, lines, file)
        self.notes: list[str] = []

    def joints(self, x: Any, path: Path, link: str, default: str, taken: list[str]) -> list[TomlJoint]:
        """The joints that a table stands for, from the parent on: two of a universal or cylindrical one, else one."""
        what = f"the joint of link {link!r}"
        self.table(x, path, what, ("name", "type", *_KEYS, "mimic", *LIMITS, *LOSSES), ("type",))
        kind = x["type"]
        if not isinstance(kind, str) or kind not in _GEOMETRY:
            self.fail((*path, "type"), f"{what}: type must be one of {', '.join(_GEOMETRY)}, got {shown(kind)}")
        name = self.string(x, "name", f"{link}_fixed" if kind == "fixed" else default, path, what)
        what = f"joint {name!r}"
        wanted = ("screw",) if "screw" in x and kind in _SCREWS else _GEOMETRY[kind]
        for key in _KEYS:
            if key in x and key not in wanted:
                self.fail(
                    (*path, key), f"{what}: a {kind} joint{' with a screw' * (wanted == ('screw',))} takes no {key}"
                )
            if key in wanted and key not in x:
                self.fail(path, f"{what}: the key {key!r} is missing; a {kind} joint needs {', '.join(wanted)}")
        if "mimic" in x and kind not in _SCREWS:
            self.fail((*path, "mimic"), f"{what}: a {kind} joint takes no mimic")
        names = [name, f"{name}2"] if kind in _PAIRS else [name]
        for each in names:
            if each in taken:
                second = "" if each == name else f", for the second axis of {what},"
                self.fail((*path, "name"), f"joint name {each!r}{second} is taken; every name must be its own")
        screws = self.screws(x, kind, path, what)
        numbers = self.amounts(x, path, what, kind, len(names))
        form = kind if kind in KINDS else "screw"
        found = [TomlJoint(*given) for given in zip(names, [form] * len(names), screws, numbers, strict=True)]
        if "mimic" in x:
            found[0].mimic = self.mimic(x["mimic"], (*path, "mimic"), what)
        return found

    def amounts(self, x: dict[str, Any], path: Path, what: str, kind: str, count: int) -> list[dict[str, float]]:
        """Limits, armature, damping and friction, for each of the joints."""
        out: list[dict[str, float]] = [{} for _ in range(count)]
        for key in (*LIMITS, *LOSSES):
            given = x.get(key, [_default(key)] * count if count > 1 else _default(key))
            row = [given] if count == 1 else given
            if not fits(row, (count,)) or any(number != number for number in row):
                needs = "a number" if count == 1 else f"{count} numbers, one for each axis of a {kind} joint"
                self.fail((*path, key), f"{what}: {key} must be {needs}, got {shown(given)}")
            for joint, number in zip(out, row, strict=True):
                if key in LOSSES and not 0.0 <= number < np.inf:
                    self.fail((*path, key), f"{what}: {key} must be finite and not negative, got {shown(given)}")
                try:
                    joint[key] = float(number)
                except OverflowError:  # an integer of hundreds of digits
                    self.fail((*path, key), f"{what}: {key} has a number too large: {shown(given)}")
        return out

    def mimic(self, x: Any, path: Path, what: str) -> tuple[str, float, float]:
        what = f"{what}: mimic"
        self.table(x, path, what, ("joint", "factor", "offset"), ("joint",))
        factor = self.numbers(x.get("factor", 1.0), (), (*path, "factor"), f"{what}: factor")
        offset = self.numbers(x.get("offset", 0.0), (), (*path, "offset"), f"{what}: offset")
        return self.string(x, "joint", "", path, what), float(factor), float(offset)

    def mimics(self, joints: list[TomlJoint], paths: list[Path]) -> dict[str, tuple[str, float, float]]:
        """Who follows whom, once all joints are known."""
        names = [joint.name for joint in joints]
        for joint, path in zip(joints, paths, strict=True):
            if joint.mimic and joint.mimic[0] not in names:
                near = get_close_matches(joint.mimic[0], names, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"the joints are {', '.join(names)}"
                at = (*path, "joint", "mimic", "joint")
                self.fail(at, f"joint {joint.name!r}: mimic: no joint {joint.mimic[0]!r}; {hint}")
        return {joint.name: joint.mimic for joint in joints if joint.mimic}

    def screws(self, x: dict[str, Any], kind: str, path: Path, what: str) -> list[np.ndarray]:
        if kind not in _SCREWS and kind not in _PAIRS:
            return [np.zeros(6)]
        if "screw" in x:
            S = self.numbers(x["screw"], (6,), (*path, "screw"), f"{what}: screw")
            if not S.any():
                self.fail((*path, "screw"), f"{what}: its screw is zero; a joint that does not move has type 'fixed'")
            w, v = S[:3], S[3:]
            rounding = 1e-9 * max(w @ w, np.linalg.norm(w) * np.linalg.norm(v))
            if w.any() != (kind != "prismatic") or (kind == "revolute" and abs(w @ v) > rounding):
                self.fail((*path, "screw"), f"{what}: its screw {shown(x['screw'])} is not that of a {kind} joint")
            return [S]
        axis = self.axis(x, "axis", path, what)
        if kind == "prismatic":
            return [prismatic(direction(axis))]
        point = self.numbers(x["point"], (3,), (*path, "point"), f"{what}: point")
        pitch = self.numbers(x.get("pitch", 0.0), (), (*path, "pitch"), f"{what}: pitch")
        if kind == "cylindrical":
            return [*cylindrical(axis, point)]
        if kind == "universal":
            axis2 = self.axis(x, "axis2", path, what)
            try:
                return [*universal(axis, axis2, point)]
            except ModelError as error:
                self.fail((*path, "axis2"), f"{what}: {error}")
        return [screw(axis, point, float(pitch))]

    def axis(self, x: dict[str, Any], key: str, path: Path, what: str) -> np.ndarray:
        axis = self.numbers(x[key], (3,), (*path, key), f"{what}: {key}")
        if not axis.any():
            self.fail((*path, key), f"{what}: its {key} is zero; give it a direction")
        if not is_unit(axis):
            self.notes.append(f"{what}: its {key}, of length {np.linalg.norm(axis):.17g}, was normalised")
        return axis


def _default(key: str) -> float:
    return 0.0 if key in LOSSES else -np.inf if key == "lower" else np.inf
