"""Parts of constraints: one named constraint, its rows A(q) and, where it is holonomic, the values h(q) they come from.

With dq/dt = E(q) v the rates of the coordinates, the rows of h(q) = 0 are

    A = (dh/dq) E                                                                 (1)

A Pfaffian part, A(q) v = 0, is given by its rows. `Constraint` (constraint.py) is a tuple of parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from chasles.arguments import function, names
from chasles.arguments import name as name_of
from chasles.errors import ModelError
from chasles.function.compile import asked
from chasles.function.symbolic_kernel import Values, kernel_like, valued
from chasles.surface.surface import Surface
from chasles.system import System

OfSystem = Callable[[System, Any], Any]
Labels = tuple[str, ...] | Callable[[System], tuple[str, ...]] | None


@dataclass(frozen=True)
class CarriedSurface:
    """A surface of a contact: its origin at `point` (3,) of a frame of the robot, or of space without a frame."""

    surface: Surface
    frame: str | None = None
    point: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class WhereItActs:
    """Where a constraint acts, for pictures: points (k, 3) in space at a traced q, ends of a rod, or of contact with
    surfaces, or where a loop closes.
    """

    kind: Literal["closure", "rod", "contact"]
    points: OfSystem
    surfaces: tuple[CarriedSurface, ...] = ()


@dataclass(frozen=True)
class Part:
    """One named constraint: its rows (k, n) at a traced q, and for a holonomic one its values (k,).

    labels: what its rows are called, or a function of the system that says it; without, their numbers.
    differentiated: its rows are the derivative of a function somebody wrote. place: where it acts, if it is known.
    units: of its multipliers, one for each row; without, they are not known.
    """

    name: str
    rows: OfSystem
    values: OfSystem | None = None
    labels: Labels = None
    differentiated: bool = False
    place: WhereItActs | None = None
    units: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        name_of(self.name, "the name of a constraint")

    def row_names(self, system: System, count: int) -> tuple[str, ...]:
        """A name for each of its rows on a system: closure.tx, or h[0]."""
        labels = self.labels(system) if callable(self.labels) else self.labels
        if labels is not None:
            if len(labels) != count:
                raise ModelError(f"constraint {self.name!r}: {len(labels)} labels for {count} rows")
            return tuple(f"{self.name}.{label}" for label in labels)
        return tuple(f"{self.name}[{k}]" for k in range(count)) if count > 1 else (self.name,)

    def with_values(self, values: Values) -> Part:
        """The part with values, or other expressions, in place of symbols that are named."""
        place = self.place and replace(self.place, points=_valued(self.place.points, values))
        h = self.values and _valued(self.values, values)
        return replace(self, rows=_valued(self.rows, values), values=h, place=place)

    def row_units(self, count: int) -> tuple[str, ...]:
        """The unit of each row's multiplier, empty where it is not known."""
        return ("",) * count if self.units is None else self.units


def holonomic_part(
    h: OfSystem,
    name: str,
    rows: OfSystem | None = None,
    *,
    labels: Labels = None,
    place: WhereItActs | None = None,
    units: tuple[str, ...] | None = None,
) -> Part:
    """h(system, q) = 0; rows (k, n), if there is a shorter way than (1). See `Constraint.of`."""
    function(h, "system, q", f"constraint {name_of(name, 'the name of a constraint')!r}: h")

    if rows is not None:
        function(rows, "system, q", f"constraint {name!r}: rows")
    if labels is not None and not callable(labels):
        labels = tuple(names(labels, f"constraint {name!r}: labels"))

    def values(system: System, q: Any) -> Any:
        found = asked(h, [system, q], f"constraint {name!r}: h")
        if np.ndim(found) > 1:
            raise ModelError(f"constraint {name!r}: h must return a number or an array (k,), got {np.shape(found)}")
        return np.reshape(found, (-1,)) if np.ndim(found) else np.stack([found])

    def differentiated(system: System, q: Any) -> Any:
        slope = kernel_like(q, lambda q: values(system, q), q=system.nq).jacobian("q")

        def along(q: Any, v: Any) -> Any:
            return slope(q) @ system.coordinate_rates(q, v)

        return kernel_like(q, along, q=system.nq, v=system.n).jacobian("v")(q, np.zeros(system.n))  # (1)

    return Part(name, rows or differentiated, values, labels, rows is None, place, units)


def pfaffian_part(A: Callable[[Any], Any], name: str) -> Part:
    """A(q) v = 0. See `Constraint.pfaffian`."""
    function(A, "q", f"constraint {name_of(name, 'the name of a constraint')!r}: A")

    def rows(system: System, q: Any) -> Any:
        found = asked(A, [q], f"constraint {name!r}: A")
        if np.ndim(found) not in (1, 2) or np.shape(found)[-1] != system.n:
            raise ModelError(
                f"constraint {name!r}: A must return an array (k, {system.n}) or ({system.n},), got {np.shape(found)}"
            )
        return np.reshape(found, (-1, system.n))

    return Part(name, rows)


def part_names(parts: Iterable[Part]) -> tuple[str, ...]:
    """Of the constraints, each once; one may have a holonomic part and another."""
    return tuple(dict.fromkeys(part.name for part in parts))


def _valued(function: OfSystem, values: Values) -> OfSystem:
    """A function of a system and q, with values in place of symbols."""
    return lambda system, q: valued(lambda q: function(system, q), values, {"q": system.nq})(q)
