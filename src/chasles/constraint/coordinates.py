"""The coordinates of a system by name: of a robot its joints, of a Lagrangian system its coordinates' names."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from chasles.arguments import is_whole, shown
from chasles.errors import ModelError
from chasles.model.joint import Free, Joint, Planar, Spherical
from chasles.robot import Robot
from chasles.system import System


@dataclass(frozen=True)
class Place:
    """Coordinates q to q + nq of a system, with velocities v to v + nv; `joint` where it is a whole joint of several.

    turned: a position of a planar or free joint by itself, whose rate is no velocity but a sum of them.
    """

    name: str
    q: int
    v: int
    nq: int = 1
    nv: int = 1
    joint: Joint | None = None
    turned: bool = False

    def off(self, q: Any, value: Any) -> Any:
        """(nv,) how far q is from a value."""
        if self.joint is None:
            return q[self.q : self.q + 1] - value
        return np.stack(self.joint.difference([float(x) for x in value], [*q[self.q : self.q + self.nq]]))

    def rows(self, system: System, q: Any) -> Any:
        """(nv, n) the rows of the velocities; of one coordinate, those of its rate."""
        one = np.eye(system.n)
        if self.turned:
            return np.stack([system.coordinate_rates(q, e)[self.q] for e in one])[None]
        return one[self.v : self.v + self.nv]


def coordinate(system: System, key: Any, name: str) -> Place:
    """A joint or coordinate by its name, or one coordinate by its index in q; `name` is the constraint's."""
    places = joints(system)
    if isinstance(key, str):
        for place in places:
            if place.name == key:
                return place
        names = [place.name for place in places]
        near = get_close_matches(key, names, 1)
        follows = isinstance(system, Robot) and key in system.mimic_names
        hint = " it follows another joint." if follows else f" did you mean {near[0]!r}?" if near else ""
        raise ModelError(
            f"constraint {name!r}: {system.name!r} has no coordinate {key!r};{hint} There are {', '.join(names)}"
        )
    if not is_whole(key) or not 0 <= key < system.nq:
        raise ModelError(f"constraint {name!r}: a coordinate is a name or an index below {system.nq}, got {shown(key)}")
    place = next(p for p in places if p.q <= key < p.q + p.nq)
    if place.joint is None:
        return place
    part = int(key) - place.q
    if isinstance(place.joint, Spherical) or (isinstance(place.joint, Free) and part >= 3):
        raise ModelError(
            f"constraint {name!r}: coordinate {key} belongs to a quaternion: name the joint {place.name!r}"
        )
    turned = not (isinstance(place.joint, Planar) and part == 2)
    return Place(f"{place.name}[{part}]", int(key), place.v + part, turned=turned)


def one_coordinate(system: System, key: Any, name: str) -> Place:
    """As `coordinate`, refusing joints of several degrees."""
    place = coordinate(system, key, name)
    if place.nq > 1:
        raise ModelError(f"constraint {name!r}: joint {place.name!r} has {place.nv} degrees of freedom, expected one")
    return place


def joints(system: System) -> list[Place]:
    """The joints of a robot that move by themselves, or the coordinates of another system, in their order."""
    return _joints(system) if isinstance(system, Robot) else _named(system)


def _joints(robot: Robot) -> list[Place]:
    out = []
    for _, name, joint, q, v in robot.mechanism.own_joints:
        out.append(Place(name, q.start, v.start, joint.nq, joint.nv, joint if joint.nv > 1 else None))
    return out


def _named(system: System) -> list[Place]:
    names = getattr(system, "coordinate_names", None) or [f"q{k + 1}" for k in range(system.n)]
    return [Place(name, k, k) for k, name in enumerate(names)]


def velocity_names(system: System) -> tuple[str, ...]:
    """(n,) a name for each velocity: that of its joint or coordinate, `ball[0]`, ... of a joint of several degrees."""
    names = [[p.name] if p.nv == 1 else [f"{p.name}[{k}]" for k in range(p.nv)] for p in joints(system)]
    return tuple(name for part in names for name in part)
