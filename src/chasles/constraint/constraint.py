"""Constraints: A(q) v = 0, from a function that stays zero or from the rows themselves.

A holonomic constraint is h(q) = 0, and with dq/dt = E(q) v the rates of the coordinates

    A = (dh/dq) E                                                                 (1)

A Pfaffian one is given by its rows A(q), which may come from no h: rolling. What is written on traced arrays is
differentiated where it is used (constrained/kernels.py). `+` puts constraints below one another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.errors import ModelError
from chasles.function.compile import asked, compile
from chasles.surface.checks import function, name_of
from chasles.system import System

if TYPE_CHECKING:
    from chasles.constraint.frobenius import Integrability
    from chasles.surface.surface import Surface

OfSystem = Callable[[System, Any], Any]
Labels = tuple[str, ...] | Callable[[System], tuple[str, ...]] | None
ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Part:
    """One named constraint: its rows (k, n) at a traced q, and for a holonomic one its values (k,).

    labels: what its rows are called, or a function of the system that says it; without, their numbers.
    differentiated: its rows are the derivative of a function somebody wrote.
    """

    name: str
    rows: OfSystem
    values: OfSystem | None = None
    labels: Labels = None
    differentiated: bool = False

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


@dataclass(frozen=True)
class Constraint:
    """One or several constraints on a system; add them with `+`. Made by `holonomic`, `pfaffian` and their like.

    The rows, and so the multipliers, of a ready-made one are called by their directions: closure.tx, contact.normal.
    """

    parts: tuple[Part, ...]

    @staticmethod
    def holonomic(h: Callable[[Any], Any], name: str = "holonomic") -> Constraint:
        """h(q) = 0; h takes a traced array (nq,) and returns a number or an array (k,)."""
        function(h, "q", f"constraint {name!r}: h")
        return Constraint.of(lambda system, q: h(q), name)

    @staticmethod
    def pfaffian(A: Callable[[Any], Any], name: str = "pfaffian") -> Constraint:
        """A(q) v = 0; A takes a traced array (nq,) and returns an array (k, n), or (n,) for one row."""
        function(A, "q", f"constraint {name!r}: A")

        def rows(system: System, q: Any) -> Any:
            found = asked(A, [q], f"constraint {name!r}: A")
            if np.ndim(found) not in (1, 2) or np.shape(found)[-1] != system.n:
                raise ModelError(
                    f"constraint {name!r}: A must return an array (k, {system.n}) or ({system.n},), "
                    f"got {np.shape(found)}"
                )
            return np.reshape(found, (-1, system.n))

        return Constraint((Part(name, rows),))

    @staticmethod
    def of(h: OfSystem, name: str, rows: OfSystem | None = None, *, labels: Labels = None) -> Constraint:
        """h(system, q) = 0, for constraints that ask the system; rows (k, n), if there is a shorter way than (1).

        labels: names of the k rows, or a function of the system that gives them.
        """

        function(h, "system, q", f"constraint {name!r}: h")

        def values(system: System, q: Any) -> Any:
            found = asked(h, [system, q], f"constraint {name!r}: h")
            if np.ndim(found) > 1:
                raise ModelError(f"constraint {name!r}: h must return a number or an array (k,), got {np.shape(found)}")
            return np.reshape(found, (-1,)) if np.ndim(found) else np.stack([found])

        def differentiated(system: System, q: Any) -> Any:
            slope = compile(lambda q: values(system, q), q=system.nq).jacobian("q")

            def along(q: Any, v: Any) -> Any:
                return slope(q) @ system.coordinate_rates(q, v)

            return compile(along, q=system.nq, v=system.n).jacobian("v")(q, np.zeros(system.n))  # (1)

        return Constraint((Part(name, rows or differentiated, values, labels, rows is None),))

    # ready-made ones

    @staticmethod
    def loop_closure(
        frame_a: str, frame_b: str, rows: Any = None, *, pose: ArrayLike | None = None, name: str = "closure"
    ) -> Constraint:
        """Frame b of a robot stays where it is in frame a: at `pose` (4, 4), by default where the two coincide.

        rows: some of "rx ry rz tx ty tz" (or indices), rotations and translations of b in the axes of a; default: all
        six, of which those that say the same are dropped when a system is made. The multipliers of all six are the
        wrench (moment, force) of a on b, at b's origin in the axes of a.
        """
        from chasles.constraint import library

        return library.loop_closure(frame_a, frame_b, rows, pose, name)

    @staticmethod
    def distance(
        frame_a: str,
        frame_b: str,
        length: float,
        *,
        point_a: ArrayLike = ORIGIN,
        point_b: ArrayLike = ORIGIN,
        name: str = "distance",
    ) -> Constraint:
        """A point of frame a and one of frame b stay `length` metres apart: a rod with a ball at each end.

        point_a, point_b: (3,) in their frames. The multiplier is the rod's force, pressing positive.
        """
        from chasles.constraint import library

        return library.distance(frame_a, frame_b, length, point_a, point_b, name)

    @staticmethod
    def fixed(values: Mapping[Any, Any], *, name: str = "fixed") -> Constraint:
        """Coordinates that stay: {joint or coordinate name, or index in q: value}.

        A joint of several degrees is fixed by its name, at all its coordinates: {"base": (x, y, theta)}.
        """
        from chasles.constraint import library

        return library.fixed(values, name)

    @staticmethod
    def mimic(
        joint: str | int, master: str | int, *, factor: float = 1.0, offset: float = 0.0, name: str = "mimic"
    ) -> Constraint:
        """A coordinate follows another: q_joint = factor q_master + offset. By name, or by index in q."""
        from chasles.constraint import library

        return library.mimic(joint, master, factor, offset, name)

    @staticmethod
    def point_on_surface(
        frame: str,
        surface: Surface | Callable[[Any], Any],
        *,
        point: ArrayLike = ORIGIN,
        surface_frame: str | None = None,
        name: str = "on surface",
    ) -> Constraint:
        """A point of a frame stays on a surface: a `Surface`, or a function F(x) of the space point (3,), zero on it.

        point: (3,) in the frame. surface_frame: the frame that carries the surface, if it moves.
        """
        from chasles.constraint import contact_constraints

        return contact_constraints.point_on_surface(frame, surface, point, surface_frame, name)

    @staticmethod
    def point_contact(
        frame: str,
        tip: Surface | float,
        surface: Surface,
        *,
        point: ArrayLike = ORIGIN,
        surface_frame: str | None = None,
        name: str = "contact",
    ) -> Constraint:
        """A tip touches a surface from outside, without friction; the multiplier is the normal force.

        tip: a `Surface` in the axes of the frame, its origin at `point` (3,) of it; or the radius in metres of a ball
        there (0: a point). surface_frame: the frame that carries the surface, if it moves. The two must meet in one
        point: two planes, a cylinder and a plane, an egg in a bowl that is too small for it, are refused. A surface
        given by parameters alone is looked for near those of its `near=`. The rows are nan where no point of contact
        is found, that is two points with opposite normals that are the nearest of their neighbourhood. Surfaces that
        are not convex may have several such pairs: any of them is found, or none, as of tori that are linked.
        """
        from chasles.constraint import contact_constraints

        return contact_constraints.point_contact(frame, tip, surface, point, surface_frame, name)

    @staticmethod
    def rolling(
        frame: str,
        tip: Surface | float,
        surface: Surface,
        *,
        spin: bool = True,
        point: ArrayLike = ORIGIN,
        surface_frame: str | None = None,
        name: str = "contact",
    ) -> Constraint:
        """A tip touches a surface and does not slip; without `spin` it does not turn about the normal either.

        Multipliers: the normal force, then along two tangents the friction (and the moment about the normal).
        Other arguments as for `point_contact`.
        """
        from chasles.constraint import contact_constraints

        return contact_constraints.rolling(frame, tip, surface, spin, point, surface_frame, name)

    @staticmethod
    def wheel(
        frame: str,
        radius: float,
        *,
        axis: ArrayLike = (0.0, 1.0, 0.0),
        normal: ArrayLike = (0.0, 0.0, 1.0),
        lateral: bool = True,
        height: float | None = None,
        name: str = "wheel",
    ) -> Constraint:
        """A wheel rolls on a plane without slipping, along and, if `lateral`, across; it may lean.

        frame: of the wheel, its origin at the centre. axis: the axle, in that frame. normal: of the plane, in space.
        height: of the plane along its normal, for a wheel that nothing else keeps on it.
        """
        from chasles.constraint import contact_constraints

        return contact_constraints.wheel(frame, radius, axis, normal, lateral, height, name)

    def is_holonomic(self, system: System, samples: int = 16, seed: int = 0, tolerance: float = 1e-8) -> Integrability:
        """Whether the constraint comes from functions of q alone, with what says so; true where it does.

        By the theorem of Frobenius, tried at `samples` random configurations that satisfy what holonomic parts there
        are; relative to the size of the rows' derivatives.
        """
        from chasles.constraint.frobenius import integrability

        return integrability(self, system, samples, seed, tolerance)

    def __add__(self, other: Constraint) -> Constraint:
        if not isinstance(other, Constraint):
            return NotImplemented
        taken, names = set(self.names), {}
        for name in other.names:
            own, k = name, 2
            while own in taken:
                own, k = f"{name} {k}", k + 1
            names[name] = own
            taken.add(own)
        return Constraint((*self.parts, *(replace(part, name=names[part.name]) for part in other.parts)))

    def __radd__(self, other: Any) -> Constraint:
        return self if type(other) is int and other == 0 else NotImplemented  # what `sum` starts from

    @property
    def names(self) -> tuple[str, ...]:
        """Of the constraints; one may have a holonomic part and another."""
        return tuple(dict.fromkeys(part.name for part in self.parts))

    def __repr__(self) -> str:
        kinds = ", ".join(f"{part.name} ({'holonomic' if part.values else 'pfaffian'})" for part in self.parts)
        return f"<Constraint {kinds}>"
