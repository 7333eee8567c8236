"""The symbols of a system's equations: its coordinates, their rates, joint forces, multipliers, and its own symbols.

Coordinates are q_1, q_2, ... or what they are called. A screw joint's velocity is the rate of its coordinate, and so
are all of a Lagrangian system; those of other joints, velocities in the frame of the body, are v_1, v_2, ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any

from chasles.arguments import names as words
from chasles.arguments import shown
from chasles.catalogue.entry import INPUTS
from chasles.errors import ModelError
from chasles.formula.names import entry, named
from chasles.formula.results import letter
from chasles.formula.tree import Symbol
from chasles.formula.words import Words
from chasles.graph.operand import Operand
from chasles.lagrangian import LagrangianSystem
from chasles.model.joint import ScrewJoint
from chasles.robot import Robot

GIVEN = {name: name for name in (*INPUTS, "t")} | {"multipliers": "lambda", "tool_wrench": "F", "link_wrenches": "W"}
GIVEN |= {"momenta": "p", "base_velocity": "V", "base_acceleration": "A"}
PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")  # in the order of inertial_parameters


@dataclass(frozen=True)
class Leaves:
    """Symbols for every element of every input of a system's functions.

    legend: what symbols stand for, where that is not plain. own: symbols of the robot that are not read as their names.
    """

    q: tuple[Symbol, ...]
    qd: tuple[Symbol, ...]
    qdd: tuple[Symbol, ...]
    legend: tuple[Words, ...] = ()
    own: Mapping[str, Symbol] = field(default_factory=dict)

    def of(self, operand: Operand) -> list[Symbol]:
        """The elements of an input, in C order."""
        known = {"q": self.q, "qd": self.qd, "qdd": self.qdd}
        if operand.name in known:
            return list(known[operand.name])
        if operand.name in self.own:
            return [self.own[operand.name]]
        places = list(product(*map(range, operand.shape)))
        if operand.name not in GIVEN:
            return [named(operand.name, place) for place in places]
        mark = GIVEN[operand.name]
        return [Symbol(mark, mark) if not place else _from_one(mark, place, operand.shape) for place in places]

    def refuse_ambiguous(self, inputs: Sequence[Operand], outputs: Sequence[Operand] = ()) -> None:
        """Raise ModelError where two symbols have one name, or are read as one, or as an entry of the results."""
        others = [x for x in inputs if x.name not in ("q", "qd", "qdd")]
        taken: set[Any] = set()
        for x in chain(self.q, self.qd, self.qdd, *map(self.of, others)):
            if x.name in taken or _read(x) in taken:
                raise ModelError(
                    f"{x.name!r} would be the name of two symbols, of coordinates, their rates (qd1 of q1, xd of x) "
                    'and others: name the coordinates otherwise, equations(coordinates=["theta1", ...])'
                )
            taken |= {x.name, _read(x)}
        own = {key: x.name for x in others if x.name not in GIVEN for y in self.of(x) for key in (y.name, _read(y))}
        forces = [Operand(name, (len(self.qd),)) for name in ("inverse_dynamics", "constraint_forces")]
        for x in _results((*outputs, *forces)) if own else ():
            if found := own.get(_read(x)) or own.get(x.name):
                raise ModelError(f"the symbol {found!r} is read as {x.name}, a result here: give it another name")


def leaves(system: Any, coordinates: Sequence[str] | None) -> Leaves:
    """Those of a robot or a Lagrangian system. coordinates: their names, (nq,), instead of the system's own."""
    given = None if coordinates is None else _checked(coordinates, system.nq)
    if isinstance(system, LagrangianSystem):
        own = [name if name.isidentifier() else f"q{k + 1}" for k, name in enumerate(system.coordinate_names)]
        q = tuple(named(name) for name in given or own)
        told = zip(q, system.coordinate_names, strict=True)
        legend = tuple((x, f": {name}") for x, name in told if x.name != name and given is None)
        return Leaves(q, _rates(q, 1), _rates(q, 2), legend)
    return _of_robot(system, given)


def _of_robot(robot: Robot, given: list[str] | None) -> Leaves:
    q = tuple(named(name) for name in given or (f"q{k + 1}" for k in range(robot.nq)))
    qd: list[Symbol] = []
    qdd: list[Symbol] = []
    legend: list[Words] = []
    for own in robot.mechanism.own_joints:
        if isinstance(own.joint, ScrewJoint):
            rate = q[own.q.start]
            qd.append(_rate(rate, 1))
            qdd.append(_rate(rate, 2))
            if own.name != rate.name and not re.search(rf"(?<!\d){own.q.start + 1}$", own.name):  # joint3 is q3
                legend.append((rate, f": {own.name}"))
            continue
        speeds = [Symbol(f"v{k + 1}", "v", str(k + 1)) for k in range(own.v.start, own.v.stop)]
        qd += speeds
        qdd += [_rate(v, 1) for v in speeds]
        kind = type(own.joint).__name__
        legend.append((*_span(q[own.q]), f": {own.name}, {_COORDINATES[kind]}"))
        legend.append((*_span(speeds), f": {own.name}, {_VELOCITIES[kind]}"))
    return Leaves(q, tuple(qd), tuple(qdd), tuple(legend))


_COORDINATES = {
    "Planar": "x, y and angle",
    "Spherical": "quaternion (x, y, z, w) of length one",
    "Free": "position, then quaternion (x, y, z, w) of length one",
}
_VELOCITIES = {
    "Planar": "linear velocity x, y and angular velocity, in its own frame",
    "Spherical": "angular velocity in its own frame",
    "Free": "angular, then linear velocity in its own frame",
}


def inertia_symbol(name: str, link: int) -> Symbol:
    """m_2, h_{x2}, I_{xx2}: a parameter of the link with that number, from 1."""
    return named(f"{name}{link}")


def _checked(coordinates: Sequence[str], nq: int) -> list[str]:
    found = list(words(coordinates, "coordinates"))
    if len(found) != nq or len(set(found)) != nq:
        raise ModelError(f"coordinates must be {nq} different names, got {shown(coordinates)}")
    for name in found:
        if not name.isidentifier():
            raise ModelError(f'coordinates must be names like "theta1" or "x", got {name!r}')
    return found


def _rates(q: Sequence[Symbol], order: int) -> tuple[Symbol, ...]:
    return tuple(_rate(x, order) for x in q)


def _rate(x: Symbol, order: int) -> Symbol:
    """The derivative of that order by time: qd1, qdd1 of q1, thetad of theta."""
    head = x.name.rstrip("0123456789")
    return Symbol(f"{head}{'d' * order}{x.name[len(head) :]}", x.letter, x.index, x.dots + order)


def _span(symbols: Sequence[Symbol]) -> Words:
    return (symbols[0],) if len(symbols) == 1 else (symbols[0], ", ..., ", symbols[-1])


def _read(x: Symbol) -> tuple[str, str, int]:
    """What is seen of a symbol; bold ones are told apart."""
    return x.letter, x.index, x.dots


def _results(outputs: Sequence[Operand]) -> Iterator[Symbol]:
    """The symbols on the left of equations: scalars, and entries of vectors, matrices and tensors."""
    for operand in outputs:
        name = operand.name.partition(" ")[0]  # of an energy in parts
        shape = operand.shape if name == operand.name else ()
        shape = shape[1:] * 2 if name == "coriolis_rates" else shape
        left = letter("coriolis_matrix" if name == "coriolis_rates" else name, len(shape))
        yield from (entry(left, place, shape) for place in product(*(range(1, size + 1) for size in shape)))


def _from_one(letter: str, place: tuple[int, ...], shape: tuple[int, ...]) -> Symbol:
    """An element of an array that is no symbol of the robot's: counted from 1."""
    ones = [str(k + 1) for k in place]
    return Symbol(letter + "_".join(ones), letter, ("" if max(shape) < 10 else ",").join(ones))
