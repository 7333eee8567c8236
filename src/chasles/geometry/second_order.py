"""Second derivatives of the mass matrix.

Moving along e_l an inner product of columns and their brackets changes as a derivation does, once the part that only
turns everything is left out. With d the deepest joint named,

    e_l <X, Y>_d = <delta_l X, Y> + <X, delta_l Y>,   delta_l J_x = [J_x, J_l], 0 unless x is before l    (1)  [DER-1]
    delta_l [X, Y] = [delta_l X, Y] + [X, delta_l Y]                              (2)  [DER-2]

where "before" is a strict ancestor: columns of one joint are not before each other. M_ij = <J_i, J_j>, so that

    e_l e_k M_ij = <dd J_i, J_j> + <d_k J_i, d_l J_j> + <d_l J_i, d_k J_j> + <J_i, dd J_j>     (3)  [DER-5]

with dd = delta_l delta_k. All is seen from the deepest body.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from chasles.dynamics.jacobian import columns_seen
from chasles.geometry.connection import Tensor
from chasles.lie import Twist, Wrench
from chasles.model.tree import Tree


class _Seen:
    """The columns on the path to one body, their brackets and momenta, seen from it and each made once."""

    def __init__(self, path: list[tuple[int, Twist]], joint: list[int], inertia: Any) -> None:
        self.J, self.joint, self.inertia = dict(path), joint, inertia
        self.twists: dict[tuple[int, ...], Twist | None] = {}
        self.momenta: dict[tuple[int, ...], Wrench | None] = {}

    def bracket(self, x: int, y: int) -> Twist | None:
        """[J_x, J_y]; None is zero."""
        if x == y:
            return None
        if x > y:
            other = self.bracket(y, x)
            return None if other is None else -other
        if (x, y) not in self.twists:
            self.twists[x, y] = self.J[x].ad(self.J[y])
        return self.twists[x, y]

    def before(self, x: int, l: int) -> bool:
        return self.joint[x] < self.joint[l]

    def delta(self, l: int, x: int) -> Twist | None:
        return self.bracket(x, l) if self.before(x, l) else None  # (1)

    def delta_bracket(self, l: int, x: int, y: int) -> Twist | None:
        if x == y:
            return None
        if x > y:
            other = self.delta_bracket(l, y, x)
            return None if other is None else -other
        if (l, x, y) not in self.twists:
            if self.before(x, l) and self.before(y, l):
                both = self.bracket(x, y)
                total = None if both is None else both.ad(self.J[l])  # (2), by Jacobi's identity
            else:
                dx, dy = self.delta(l, x), self.delta(l, y)
                first = None if dx is None else dx.ad(self.J[y])
                total = _sum(first, None if dy is None else self.J[x].ad(dy))  # (2)
            self.twists[l, x, y] = total
        return self.twists[l, x, y]

    def delta_delta(self, l: int, k: int, x: int) -> Twist | None:
        return self.delta_bracket(l, x, k) if self.before(x, k) else None  # (2)

    def momentum(self, *key: int) -> Wrench | None:
        """Of a column (one index) or of a bracket (two)."""
        if key not in self.momenta:
            X = self.J[key[0]] if len(key) == 1 else self.bracket(*key)
            self.momenta[key] = None if X is None else self.inertia @ X
        return self.momenta[key]

    def second(self, i: int, j: int, k: int, l: int) -> Any:
        """e_l e_k M_ij."""
        total = _pair(self.momentum(j), self.delta_delta(l, k, i))  # (3)
        total = total + _pair(self.momentum(i), self.delta_delta(l, k, j))
        for a, b in ((k, l), (l, k)):
            if self.before(i, a) and self.before(j, b):
                total = total + _pair(self.momentum(i, a), self.bracket(j, b))
        return total


def _sum(X: Twist | None, Y: Twist | None) -> Twist | None:
    return Y if X is None else X if Y is None else X + Y


def _pair(F: Wrench | None, X: Twist | None) -> Any:
    return 0.0 if F is None or X is None else F.pair(X)


def mass_matrix_second_derivatives(tree: Tree, q: Any) -> list[Tensor]:
    """e_l(e_k(M_ij)) at [i][j][k][l]."""
    n = tree.n
    out = [[[[0.0] * n for _ in range(n)] for _ in range(n)] for _ in range(n)]
    motions = tree.motions(q)
    composite = tree.accumulate(motions, [body.G for body in tree.bodies])
    joint = [i for i, body in enumerate(tree.bodies) for _ in body.columns]
    for body, path in enumerate(columns_seen(tree, motions)):
        seen = _Seen(path, joint, composite[body])
        for i, j, k, l in _quadruples(list(seen.J), joint):
            value = seen.second(i, j, k, l)
            for a, b in ((i, j), (j, i)):
                out[a][b][k][l] = value
                if joint[k] != joint[l]:  # the fields commute
                    out[a][b][l][k] = value
    return out


def _quadruples(path: list[int], joint: list[int]) -> Iterator[tuple[int, int, int, int]]:
    """i <= j, k and l on a path, one at least of its end; k <= l but for columns of one joint: these in both orders."""
    end = joint[path[-1]]
    for i, j, k, l in product(path, repeat=4):
        if i <= j and (k <= l or joint[k] == joint[l]) and end in (joint[i], joint[j], joint[k], joint[l]):
            yield i, j, k, l
