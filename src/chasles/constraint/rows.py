"""Constraints of a system as compiled functions: their rows A(q), values h(q), and rates of the rows along a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.constraint.part import Part, part_names
from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.lazy import lazy
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
    def A(self) -> Kernel:
        """(k, n) of q."""

        def constraint_matrix(q: Any) -> Any:
            return np.concatenate([part.rows(self.system, q) for part in self.parts])

        return compile(constraint_matrix, q=self.system.nq)

    @lazy
    def counts(self) -> tuple[int, ...]:
        """The rows of each part."""
        found = []
        for part in self.parts:
            kernel = compile(lambda q, part=part: part.rows(self.system, q), q=self.system.nq)
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
    def h(self) -> Kernel:
        """(k,) of q, zero in rows that have no values."""

        def residual(q: Any) -> Any:
            parts = zip(self.parts, self.counts, strict=True)
            return np.concatenate([part.values(self.system, q) if part.values else np.zeros(k) for part, k in parts])

        return compile(residual, q=self.system.nq)

    @lazy
    def row_rates(self) -> Kernel:
        """(k,) of q, v and w: (dA/dt) w, the rate along the motion with velocity v, by one derivative."""
        n, nq = self.system.n, self.system.nq

        def moved(q: Any, rates: Any, w: Any, s: Any) -> Any:
            return self.A(q + s * rates) @ w

        along = compile(moved, q=nq, rates=nq, w=n, s=()).jacobian("s")

        def row_rates(q: Any, v: Any, w: Any) -> Any:
            return along(q, self.system.coordinate_rates(q, v), w, 0.0)

        return compile(row_rates, q=nq, v=n, w=n)

    @lazy
    def drift(self) -> Kernel:
        """(k,) of q and qd: (dA/dt) qd."""

        def constraint_drift(q: Any, qd: Any) -> Any:
            return self.row_rates(q, qd, qd)

        return compile(constraint_drift, q=self.system.nq, qd=self.system.n)

    @lazy
    def second_drift(self) -> Kernel:
        """(k,) of q and v: (d^2 A/dt^2) v at constant v."""
        n, nq = self.system.n, self.system.nq

        def moved(q: Any, rates: Any, v: Any, s: Any) -> Any:
            return self.drift(q + s * rates, v)

        along = compile(moved, q=nq, rates=nq, v=n, s=()).jacobian("s")

        def second_drift(q: Any, v: Any) -> Any:
            return along(q, self.system.coordinate_rates(q, v), v, 0.0)

        return compile(second_drift, q=nq, v=n)
