"""Constraints: A(q) v = 0, from a function that stays zero or from the rows themselves.

A holonomic constraint is h(q) = 0, and with dq/dt = E(q) v the rates of the coordinates

    A = (dh/dq) E                                                                 (1)

A Pfaffian one is given by its rows A(q), which may come from no h: rolling. What is written on traced arrays is
differentiated where it is used (constrained/kernels.py). `+` puts constraints below one another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.function import compile
from chasles.system import System

OfSystem = Callable[[System, Any], Any]


@dataclass(frozen=True)
class Part:
    """One named constraint: its rows (k, n) at a traced q, and for a holonomic one its values (k,)."""

    name: str
    rows: OfSystem
    values: OfSystem | None = None


@dataclass(frozen=True)
class Constraint:
    """One or several constraints on a system; add them with `+`. Made by `holonomic`, `pfaffian` and their like."""

    parts: tuple[Part, ...]

    @staticmethod
    def holonomic(h: Callable[[Any], Any], name: str = "holonomic") -> Constraint:
        """h(q) = 0; h takes a traced array (nq,) and returns a number or an array (k,)."""
        if not callable(h):
            raise ModelError(f"h must be a function of q, got {type(h).__name__}")
        return Constraint.of(lambda system, q: h(q), name)

    @staticmethod
    def pfaffian(A: Callable[[Any], Any], name: str = "pfaffian") -> Constraint:
        """A(q) v = 0; A takes a traced array (nq,) and returns an array (k, n), or (n,) for one row."""
        if not callable(A):
            raise ModelError(f"A must be a function of q, got {type(A).__name__}")

        def rows(system: System, q: Any) -> Any:
            found = A(q)
            if np.ndim(found) not in (1, 2) or np.shape(found)[-1] != system.n:
                raise ModelError(
                    f"constraint {name!r}: A must return an array (k, {system.n}) or ({system.n},), "
                    f"got {np.shape(found)}"
                )
            return np.reshape(found, (-1, system.n))

        return Constraint((Part(name, rows),))

    @staticmethod
    def of(h: OfSystem, name: str, rows: OfSystem | None = None) -> Constraint:
        """h(system, q) = 0, for constraints that ask the system; rows (k, n), if there is a shorter way than (1)."""

        def values(system: System, q: Any) -> Any:
            found = h(system, q)
            if np.ndim(found) > 1:
                raise ModelError(f"constraint {name!r}: h must return a number or an array (k,), got {np.shape(found)}")
            return np.reshape(found, (-1,)) if np.ndim(found) else np.stack([found])

        def differentiated(system: System, q: Any) -> Any:
            slope = compile(lambda q: values(system, q), q=system.nq).jacobian("q")

            def along(q: Any, v: Any) -> Any:
                return slope(q) @ system.coordinate_rates(q, v)

            return compile(along, q=system.nq, v=system.n).jacobian("v")(q, np.zeros(system.n))  # (1)

        return Constraint((Part(name, rows or differentiated, values),))

    def __add__(self, other: Constraint) -> Constraint:
        if not isinstance(other, Constraint):
            return NotImplemented
        parts = list(self.parts)
        for part in other.parts:
            taken, name, k = {p.name for p in parts}, part.name, 2
            while name in taken:
                name, k = f"{part.name} {k}", k + 1
            parts.append(replace(part, name=name))
        return Constraint(tuple(parts))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts)

    def __repr__(self) -> str:
        kinds = ", ".join(f"{part.name} ({'holonomic' if part.values else 'pfaffian'})" for part in self.parts)
        return f"<Constraint {kinds}>"
