"""Integrability of constraints: the theorem of Frobenius, with a certificate.

The rows a of A leave the velocities ker A. They come from functions h(q) = 0, and so confine the configuration, exactly
where the brackets of allowed fields are allowed:

    da(v, w) = v(a w) - w(a v) - a([v, w]) = 0   for all v, w in ker A and every row a      (1)  [CON-5]

v, w with constant components are fields of the joints' frames; [v, w] is the bracket of the joints' groups, zero where
velocities are rates of coordinates. A row may be integrable only given the others: ker A is that of all rows. (1) is
tried on an orthonormal basis of ker A, at random configurations that satisfy the holonomic rows, relative to the size
of what it is the difference of. One configuration where it fails proves that the constraint is not holonomic; where it
holds at all, it is so with probability one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import count, positive
from chasles.constraint.part import Part
from chasles.constraint.projection import LARGEST_DISTANCE, newton_projection
from chasles.constraint.rows import ConstraintRows
from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.function.symbolic_kernel import without_values
from chasles.reprs import record
from chasles.riemann.structure_constants import structure_constants
from chasles.robot import Robot
from chasles.system import System

SMALLEST_SINGULAR_VALUE = 1e-8  # of A, rows of length one, that counts in its rank


@record()
@dataclass(frozen=True, eq=False, repr=False)
class Integrability:
    """Whether a constraint is holonomic, and what says so.

    worst: the largest |da(v, w)| over an orthonormal basis of the allowed velocities, relative to the terms it is made
    of. row: the row, and q (nq,) the configuration, where it is. v, w: (n,) the two velocities. rank: of all rows.
    samples: how many configurations were tried.
    """

    is_holonomic: bool
    worst: float
    row: str
    q: NDArray[np.float64]
    v: NDArray[np.float64]
    w: NDArray[np.float64]
    rank: int
    samples: int

    def __bool__(self) -> bool:
        return self.is_holonomic

    def describe(self) -> str:
        if self.is_holonomic:
            return f"holonomic: da vanishes on ker A to {self.worst:.1e} at {self.samples} configurations"
        return f"not holonomic: da(v, w) = {self.worst:.3g}, relative, of row {self.row}"

    def _headline(self) -> str:
        return self.describe()


def integrability(
    parts: tuple[Part, ...], system: System, samples: int = 16, seed: int = 0, tolerance: float = 1e-8
) -> Integrability:
    """Test (1) at `samples` random configurations."""
    if not isinstance(system, System):
        raise ModelError(f"system must be a Robot or a LagrangianSystem, got {type(system).__name__}")
    many, first = count(samples, "samples"), count(seed, "seed", least=0)
    limit = positive(tolerance, "tolerance")
    rows = ConstraintRows(system, parts)
    if rows.symbols:
        names = [x.name for x in rows.symbols]
        raise without_values("is_holonomic", "the constraint", names, "ConstrainedSystem(system, constraint)")
    brackets = structure_constants(system) if isinstance(system, Robot) else np.zeros((system.n,) * 3)
    slope = _slope(rows)
    found: Any = (-1.0,)
    rank = 0
    configurations = _configurations(rows, many, first)
    for q in configurations:
        A, da, size = _exterior_derivative(rows, slope, q, brackets)
        if not np.isfinite(da).all():
            raise ModelError(
                f"the rows of {', '.join(rows.constraint_names)} or their derivatives are not finite at q = {q}"
            )
        kernel = _null_space(A)
        rank = max(rank, system.n - kernel.shape[1])
        part = np.abs(np.einsum("kij,iv,jw->kvw", da, kernel, kernel)) / size[:, None, None]
        k, i, j = np.unravel_index(int(np.argmax(part)), part.shape) if part.size else (0, 0, 0)
        worst = float(part[k, i, j]) if part.size else 0.0
        if not worst <= found[0]:
            v, w = (kernel[:, i], kernel[:, j]) if part.size else (np.zeros(system.n),) * 2
            found = worst, rows.names[k], q, v, w
    worst, row, q, v, w = found
    return Integrability(worst <= limit, worst, row, q, v, w, rank, len(configurations))


def _slope(rows: ConstraintRows) -> Kernel:
    """(q, v, w) -> v(a w) for every row a, w constant."""
    system = rows.system
    along = compile(lambda q, w: rows.A(q) @ w, q=system.nq, w=system.n).jacobian("q")

    def slope(q: Any, v: Any, w: Any) -> Any:
        return along(q, w) @ system.coordinate_rates(q, v)

    return compile(slope, q=system.nq, v=system.n, w=system.n)


def _exterior_derivative(rows: ConstraintRows, along: Kernel, q: Any, brackets: Any) -> tuple[Any, Any, Any]:
    """A (k, n), da[k, i, j] = da_k(e_i, e_j), and the size (k,) of the terms it is made of."""
    n = rows.system.n
    one = np.eye(n)
    A = rows.A(q)
    slope = along(q, one[:, None], one[None, :]).transpose(2, 0, 1)  # e_i(a_k e_j)
    bracket = np.einsum("kl,lij->kij", A, brackets)
    da = slope - slope.transpose(0, 2, 1) - bracket  # (1)
    size = np.linalg.norm(slope, axis=(1, 2)) + np.linalg.norm(bracket, axis=(1, 2))
    size = np.maximum(size, 1e-6 * np.linalg.norm(A, axis=1))  # below it, what is left of constant rows is rounding
    return A, da, np.where(size > 0.0, size, 1.0)


def _null_space(A: Any) -> Any:
    """(n, m) an orthonormal basis of the velocities that A leaves."""
    length = np.linalg.norm(A, axis=1, keepdims=True)
    _, s, V = np.linalg.svd(A / np.where(length > 0.0, length, 1.0))
    return V[int((s > SMALLEST_SINGULAR_VALUE).sum()) :].T


def _configurations(rows: ConstraintRows, samples: int, seed: int) -> Any:
    system = rows.system
    rng = np.random.default_rng(seed)
    found, left = newton_projection(rows, np.stack([system.random(rng) for _ in range(5 * samples)]))
    good = found[left <= LARGEST_DISTANCE]
    if not len(good):
        raise ModelError(
            f"no configuration of {system.name!r} found that satisfies {', '.join(rows.constraint_names)}: "
            f"off by at least {np.nanmin(left):.3g}"
        )
    return good[:samples]
