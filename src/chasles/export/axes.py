"""Axes of operands: for each the names and units of what its elements stand for, of a robot or another system."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product as every
from math import prod
from typing import Any

from chasles.export.exported import Described
from chasles.export.facts import UNKNOWN, Fact
from chasles.export.units import Unit, product, unit
from chasles.literals import Expressed
from chasles.model.task import ROWS, TOOL, Task
from chasles.recorded_motion.labels import FORCES, Labels, labels_of

MOST_ELEMENTS = 128  # that are named one by one
Entries = list[tuple[str, Unit | None]]
TWIST = tuple(zip(["wx", "wy", "wz", "vx", "vy", "vz"], ["rad"] * 3 + ["m"] * 3, strict=True))
WRENCH = tuple(zip(["mx", "my", "mz", "fx", "fy", "fz"], ["N m"] * 3 + ["N"] * 3, strict=True))
MOMENTUM = tuple(zip(["kx", "ky", "kz", "px", "py", "pz"], ["kg m^2/s"] * 3 + ["kg m/s"] * 3, strict=True))
POSE = tuple((f"R{a}{b}" if b != "p" else f"p{a}", "m" if b == "p" else "1") for a in "xyz" for b in "xyzp") + tuple(
    (f"the constant {x}", "") for x in "0001"
)
TEN = tuple(
    zip(
        ["m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"],
        ["kg", *["kg m"] * 3, *["kg m^2"] * 6],
        strict=True,
    )
)
EXPRESSED = {
    "body": "in its own axes, at its own origin",
    "space": "in the axes and at the origin of the space frame",
    "mixed": "at its own origin, in the axes of the space frame",
}
IN_WORDS = {
    "coordinate": "coordinates",
    "velocity": "velocities",
    "force": "joint forces",
    "link": "links",
    "frame": "frames",
    "parameter": "inertial parameters, ten a link: m, m c, Ixx Ixy Iyy Ixz Iyz Izz",
    "twist": "a twist (angular, linear)",
    "wrench": "a wrench (moment, force)",
    "sample": "samples in time",
    "pose": "a pose, row by row",
}


@dataclass(frozen=True)
class Axes:
    """What a system and the options of a function say of axes."""

    labels: Labels
    frame: str | None = None
    expressed: Expressed = "body"
    task: Task = TOOL
    links: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    given_links: tuple[str, ...] = ()
    method: str = ""
    samples: int = 0
    chosen: tuple[str, ...] = ()

    @staticmethod
    def of(system: Any, **options: Any) -> Axes:
        inner = getattr(system, "system", system)
        links, frames = (tuple(getattr(inner, name, ())) for name in ("link_names", "frame_names"))
        return Axes(labels_of(system, "", 0.0), links=links, frames=frames, **options)

    def entries(self, axis: str) -> Entries:
        """The names and units along one."""
        named = self.labels
        found: list[tuple[str, str]] = {
            "coordinate": lambda: list(zip(named.q, named.q_units, strict=True)),
            "velocity": lambda: list(zip(named.qd, named.qd_units, strict=True)),
            "force": lambda: [(x, FORCES.get(u, "")) for x, u in zip(named.qd, named.qd_units, strict=True)],
            "multiplier": lambda: list(zip(named.rows, named.row_units, strict=True)),
            "twist": lambda: list(TWIST),
            "wrench": lambda: list(WRENCH),
            "momentum": lambda: list(MOMENTUM),
            "space": lambda: [(x, "m") for x in "xyz"],
            "pose": lambda: list(POSE),
            "target": lambda: self._targets(),
            "link": lambda: [(x, "1") for x in self.links],
            "frame": lambda: [(x, "1") for x in self.frames],
            "given": lambda: [(x, "1") for x in self.given_links],
            "ten": lambda: list(TEN),
            "parameter": lambda: [(f"{link} {x}", u) for link in self.links for x, u in TEN],
            "task": lambda: self._task(("rad", "m")),
            "effort": lambda: self._task(("N m", "N")),
            "chosen": lambda: [(x, "") for x in self.chosen],
            "sample": lambda: [(f"sample {k}", "1") for k in range(self.samples)],
        }[axis]()
        return [(name, unit(text)) for name, text in found]

    def _task(self, units: tuple[str, str]) -> list[tuple[str, str]]:
        return [(f"{_called(frame)} {ROWS[r]}", units[r // 3]) for frame, rows in self.task for r in rows]

    def _targets(self) -> list[tuple[str, str]]:
        if len(self.task) == 1:
            return list(POSE)
        return [(f"{_called(frame)} {x}", u) for frame, _ in self.task for x, u in POSE]

    def described(self, fact: Fact) -> Described:
        """A fact in words, with the names and units of its elements where they are not too many."""
        about = self.filled(fact.about)
        if not fact.axes:
            return Described(about if fact.unit in ("1", UNKNOWN) else f"{about}, {fact.unit}")
        if self.size(fact) <= MOST_ELEMENTS:
            elements = self._elements(fact)
            return Described(about, tuple((name, "" if u is None else str(u)) for name, u in elements))
        axes = ", ".join(IN_WORDS.get(axis.lstrip("/"), axis.lstrip("/")) for axis in fact.axes.split())
        return Described(f"{about}; indices: {axes}")

    def size(self, fact: Fact) -> int:
        """How many elements an operand has."""
        return prod(len(self.entries(axis.lstrip("/"))) for axis in fact.axes.split())

    def filled(self, about: str) -> str:
        """Words, with the names of frames and how twists are expressed."""
        frames = [frame for frame, _ in self.task] if self.task != TOOL else [self.frame]
        words = {
            "frame": " and ".join(map(_frame, frames)),
            "expressed": EXPRESSED[self.expressed],
            "method": self.method,
        }
        for key, x in words.items():
            about = about.replace(f"{{{key}}}", x)
        return about

    def _elements(self, fact: Fact) -> Entries:
        base = None if fact.unit == UNKNOWN else unit(fact.unit)
        axes = fact.axes.split()
        lists = [self.entries(axis.lstrip("/")) for axis in axes]
        powers = [-1 if axis.startswith("/") else 1 for axis in axes]
        return [
            (
                ", ".join(name for name, _ in chosen),
                product([(base, 1), *((u, power) for (_, u), power in zip(chosen, powers, strict=True))]),
            )
            for chosen in every(*lists)
        ]


def _called(frame: str | None) -> str:
    return frame or "tool"


def _frame(frame: str | None) -> str:
    return "the tool" if frame is None or frame == "tool" else f"frame {frame}"
