"""Mimic joints: coordinates that follow others.

The joints of a tree have coordinates x and velocities y; a robot's own, q and v, are those of the joints that follow no
other. A joint that mimics joint m has x = k x_m + c, so that

    x = G q + c,   y = G v,   tau = G^T tau_y,   M = G^T M_y G,   C = G^T C_y G,   J = J_y G       (1)

with a constant G of one entry a row: power, energy and the passivity of C carry over.
"""

from dataclasses import dataclass
from typing import Any

from chasles.reprs import record


@record()
@dataclass(frozen=True, repr=False)
class Coupling:
    """For every coordinate of the tree, and every velocity, the robot's own it follows, by what factor and offset."""

    nq: int
    nv: int
    q: tuple[tuple[int, float, float], ...]
    v: tuple[tuple[int, float], ...]

    @property
    def is_trivial(self) -> bool:
        """Whether no joint mimics another."""
        return self.nv == len(self.v)

    def coordinates(self, q: Any) -> list[Any]:
        """x of q."""
        return [x if k == 1.0 and c == 0.0 else x * k + c for x, k, c in ((q[j], k, c) for j, k, c in self.q)]  # (1)

    def velocities(self, v: Any) -> list[Any]:
        """y of v; of accelerations too."""
        return [v[j] if k == 1.0 else v[j] * k for j, k in self.v]  # (1)

    def forces(self, tau: Any) -> list[Any]:
        """G^T of a list over the tree's velocities: of forces, or of the columns of a Jacobian."""
        if self.is_trivial:
            return list(tau)
        out: list[Any] = [None] * self.nv
        for value, (j, k) in zip(tau, self.v, strict=True):
            term = value if k == 1.0 else value * k
            out[j] = term if out[j] is None else out[j] + term
        return out  # (1)

    def matrix(self, M: list[list[Any]]) -> list[list[Any]]:
        """G^T M G."""
        if self.is_trivial:
            return M
        rows = [self.forces(row) for row in M]
        return [list(column) for column in zip(*(self.forces(c) for c in zip(*rows, strict=True)), strict=True)]  # (1)

    def tensor(self, T: list[Any], axes: int) -> list[Any]:
        """G on the first axes of nested lists: exact for derivatives of M, since x is affine in q."""
        if self.is_trivial:
            return T
        rows = [self.tensor(row, axes - 1) for row in T] if axes > 1 else T
        out: list[Any] = [None] * self.nv
        for row, (j, k) in zip(rows, self.v, strict=True):
            term = _scaled(row, k)
            out[j] = term if out[j] is None else _added(out[j], term)
        return out


def _scaled(T: Any, k: float) -> Any:
    return [_scaled(x, k) for x in T] if isinstance(T, list) else T if k == 1.0 else T * k


def _added(T: Any, U: Any) -> Any:
    return [_added(x, y) for x, y in zip(T, U, strict=True)] if isinstance(T, list) else T + U
