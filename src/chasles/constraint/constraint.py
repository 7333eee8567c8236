"""Constraints on a system: `chasles.Constraint`, holonomic or Pfaffian, and the ready-made ones.

    h(q) = 0,   A = (dh/dq) E,   dq/dt = E(q) v       holonomic                   (1)
    A(q) v = 0                                        Pfaffian: A may come from no h, as that of rolling    (2)

What is written on traced arrays is differentiated where it is used (rows.py). `+` puts constraints below one another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike

from chasles import markup
from chasles.arguments import function
from chasles.arguments import name as named
from chasles.constraint import contact_constraints, library
from chasles.constraint.frobenius import Integrability, integrability
from chasles.constraint.part import Labels, OfSystem, Part, holonomic_part, part_names, pfaffian_part
from chasles.errors import ModelError
from chasles.reprs import listed
from chasles.surface.surface import Surface
from chasles.system import System

ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Constraint:
    """One or several constraints on a system; add them with `+`. Made by `holonomic`, `pfaffian` and their like.

    The rows, and so the multipliers, of a ready-made one are called by their directions: closure.tx, contact.normal.
    """

    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.parts, tuple) or not all(isinstance(part, Part) for part in self.parts):
            raise ModelError("a Constraint is made by holonomic, pfaffian and their like: of a tuple of Parts")

    @staticmethod
    def holonomic(h: Callable[[Any], Any], name: str = "holonomic") -> Constraint:
        """h(q) = 0; h takes a traced array (nq,) and returns a number or an array (k,)."""
        function(h, "q", f"constraint {named(name, 'the name of a constraint')!r}: h")
        return Constraint.of(lambda system, q: h(q), name)

    @staticmethod
    def pfaffian(A: Callable[[Any], Any], name: str = "pfaffian") -> Constraint:
        """A(q) v = 0; A takes a traced array (nq,) and returns an array (k, n), or (n,) for one row."""
        return Constraint((pfaffian_part(A, name),))

    @staticmethod
    def of(h: OfSystem, name: str, rows: OfSystem | None = None, *, labels: Labels = None) -> Constraint:
        """h(system, q) = 0, for constraints that ask the system; rows (k, n), if there is a shorter way than (1).

        labels: names of the k rows, or a function of the system that gives them.
        """
        return Constraint((holonomic_part(h, name, rows, labels=labels),))

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
        return Constraint(library.loop_closure(frame_a, frame_b, rows, pose, name))

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
        return Constraint(library.distance(frame_a, frame_b, length, point_a, point_b, name))

    @staticmethod
    def fixed(values: Mapping[Any, Any], *, name: str = "fixed") -> Constraint:
        """Coordinates that stay: {joint or coordinate name, or index in q: value}.

        A joint of several degrees is fixed by its name, at all its coordinates: {"base": (x, y, theta)}.
        """
        return Constraint(library.fixed(values, name))

    @staticmethod
    def mimic(
        joint: str | int, master: str | int, *, factor: float = 1.0, offset: float = 0.0, name: str = "mimic"
    ) -> Constraint:
        """A coordinate follows another: q_joint = factor q_master + offset. By name, or by index in q."""
        return Constraint(library.mimic(joint, master, factor, offset, name))

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
        return Constraint(contact_constraints.point_on_surface(frame, surface, point, surface_frame, name))

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
        return Constraint(contact_constraints.point_contact(frame, tip, surface, point, surface_frame, name))

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
        return Constraint(contact_constraints.rolling(frame, tip, surface, spin, point, surface_frame, name))

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
        return Constraint(contact_constraints.wheel(frame, radius, axis, normal, lateral, height, name))

    def is_holonomic(self, system: System, samples: int = 16, seed: int = 0, tolerance: float = 1e-8) -> Integrability:
        """Whether the constraint comes from functions of q alone, with what says so; true where it does.

        By the theorem of Frobenius, tried at `samples` random configurations that satisfy what holonomic parts there
        are; relative to the size of the rows' derivatives.
        """
        return integrability(self.parts, system, samples, seed, tolerance)

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
        return part_names(self.parts)

    def __repr__(self) -> str:
        return f"<Constraint {listed((f'{name} ({kind})' for name, kind in self._kinds()), 200)}>"

    def _repr_html_(self) -> str:
        return markup.block("Constraint", markup.table(["name", "kind"], self._kinds()))

    def _kinds(self) -> list[tuple[str, str]]:
        return [(part.name, "holonomic" if part.values else "pfaffian") for part in self.parts]
