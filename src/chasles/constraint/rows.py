"""Constraints of a system as compiled functions: their rows A(q), values h(q), and rates of the rows along a motion.

Where symbols stand in them, in what a constraint was written with or in the numbers of a robot, the functions take
symbols alone (function/symbolic_kernel.py), for equations to be read; `symbols` are those that lack a value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.constraint.part import Part, part_names
from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.function.symbolic_kernel import SymbolicKernel, symbolic_kernel, symbols_of, traced_kernel
from chasles.graph.array import traced
from chasles.graph.operand import Operand
from chasles.graph.symbol import symbol
from chasles.lazy import lazy
from chasles.robot import Robot
from chasles.system import System


@dataclass(frozen=True)
class ConstraintRows:
    """The parts of a constraint on a system, as kernels."""

    system: System
    parts: tuple[Part, ...]

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Of the constraints, each once."""
        return part_names(self.parts)

    @lazy
    def symbols(self) -> tuple[Operand, ...]:
        """The symbols in rows and values."""
        return symbols_of([self.A, self.h])

    @property
    def is_symbolic(self) -> bool:
        """Whether they have symbols, or the robot has some without a value."""
        return bool(self.symbols) or _has_symbols(self.system)

    @lazy
    def _seen(self) -> Any:
        """The system that parts are told of: a robot with symbols at these symbols."""
        robot: Any = self.system
        if not _has_symbols(robot):
            return robot
        return robot._at("constraints", {x.name: traced(symbol(x.name, x.shape)) for x in robot.mechanism.symbols})

    def _of_parts(self, function: Callable[..., Any]) -> Any:
        """The kernel of what parts say at q, a symbolic one where symbols stand in it."""
        make = symbolic_kernel if _has_symbols(self.system) else traced_kernel
        return self._named(make(function, q=self.system.nq))

    def _of_rows(self, function: Callable[..., Any], **shapes: Any) -> Any:
        """The kernel of what follows from these."""
        return self._named(symbolic_kernel(function, **shapes)) if self.symbols else compile(function, **shapes)

    def _named(self, made: Kernel | SymbolicKernel) -> Any:
        """With the name of the system for messages; the kernel itself where it has no symbols."""
        return made if isinstance(made, Kernel) else made._replace(owner=f"system {self.system.name!r}").plain

    @lazy
    def A(self) -> Any:
        """(k, n) of q."""

        def constraint_matrix(q: Any) -> Any:
            return np.concatenate([part.rows(self._seen, q) for part in self.parts])

        return self._of_parts(constraint_matrix)

    @lazy
    def counts(self) -> tuple[int, ...]:
        """The rows of each part."""
        found = []
        for part in self.parts:
            kernel = self._of_parts(lambda q, part=part: part.rows(self._seen, q))
            rows = kernel.outputs[0].shape
            if len(rows) != 2 or rows[1] != self.system.n:
                raise ModelError(f"constraint {part.name!r}: its rows have shape {rows}, expected (k, {self.system.n})")
            found.append(rows[0])
        return tuple(found)

    @lazy
    def holonomic(self) -> tuple[int, ...]:
        """The rows that have values."""
        ends = np.cumsum((0, *self.counts))
        return tuple(
            r for part, a, b in zip(self.parts, ends, ends[1:], strict=False) if part.values for r in range(a, b)
        )

    @lazy
    def names(self) -> tuple[str, ...]:
        """A name for each row."""
        parts = zip(self.parts, self.counts, strict=True)
        return tuple(name for part, count in parts for name in part.row_names(self.system, count))

    @lazy
    def units(self) -> tuple[str, ...]:
        """The unit of each row's multiplier, empty where it is not known."""
        parts = zip(self.parts, self.counts, strict=True)
        return tuple(unit for part, count in parts for unit in part.row_units(count))

    @lazy
    def h(self) -> Any:
        """(k,) of q, zero in rows that have no values."""

        def residual(q: Any) -> Any:
            parts = zip(self.parts, self.counts, strict=True)
            return np.concatenate([part.values(self._seen, q) if part.values else np.zeros(k) for part, k in parts])

        return self._of_parts(residual)

    @lazy
    def row_rates(self) -> Any:
        """(k,) of q, v and w: (dA/dt) w, the rate along the motion with velocity v, by one derivative."""
        n, nq = self.system.n, self.system.nq

        def moved(q: Any, rates: Any, w: Any, s: Any) -> Any:
            return self.A(q + s * rates) @ w

        along = self._of_rows(moved, q=nq, rates=nq, w=n, s=()).jacobian("s")

        def row_rates(q: Any, v: Any, w: Any) -> Any:
            return along(q, self._seen.coordinate_rates(q, v), w, 0.0)

        return self._of_rows(row_rates, q=nq, v=n, w=n)

    @lazy
    def drift(self) -> Any:
        """(k,) of q and qd: (dA/dt) qd."""

        def constraint_drift(q: Any, qd: Any) -> Any:
            return self.row_rates(q, qd, qd)

        return self._of_rows(constraint_drift, q=self.system.nq, qd=self.system.n)

    @lazy
    def second_drift(self) -> Any:
        """(k,) of q and v: (d^2 A/dt^2) v at constant v."""
        n, nq = self.system.n, self.system.nq

        def moved(q: Any, rates: Any, v: Any, s: Any) -> Any:
            return self.drift(q + s * rates, v)

        along = self._of_rows(moved, q=nq, rates=nq, v=n, s=()).jacobian("s")

        def second_drift(q: Any, v: Any) -> Any:
            return along(q, self._seen.coordinate_rates(q, v), v, 0.0)

        return self._of_rows(second_drift, q=nq, v=n)


def _has_symbols(system: Any) -> bool:
    """Whether it is a robot with symbols, and no view of one at values."""
    return isinstance(system, Robot) and bool(system.symbols) and getattr(system, "_values", None) is None
