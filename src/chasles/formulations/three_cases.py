"""Christoffel symbols by the three cases of their source: the check of connection.py, for screws.

With a_x the column of joint x seen from link l, [a, b] bracketed where the deeper joint moves (adjoint_derivatives.py),
and t(x, y; z) the sum over the links l that joints x, y, z all move of <[a_x, a_y], a_z>_l, x before y,

    z <= x <= y:  Gam = (t(z, x; y) + t(z, y; x) + t(x, y; z)) / 2
    x < z <= y:   Gam = (t(z, y; x) + t(x, y; z) - t(x, z; y)) / 2                 (1)  [CHR-2]
    x <= y < z:   Gam = (t(x, y; z) - t(x, z; y) - t(y, z; x)) / 2

is the symbol of the pair (x, y), x <= y, in the equation z: our Gamma[z, x, y] = Gamma[z, y, x]. Mimics are not
covered.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.formulations.adjoint_derivatives import carried, carried_derivative
from chasles.formulations.inputs import Array, screw_tree, vectors
from chasles.geometry.connection import Tensor
from chasles.model.tree import Tree
from chasles.robot_like import RobotLike

__all__ = ["christoffel_symbols"]


def christoffel_symbols(robot: RobotLike, q: ArrayLike) -> Array:
    """(..., n, n, n) Gamma[z, x, y] of the first kind by (1), z the equation. q: (..., n). [CHR-4]"""
    tree = screw_tree("three_cases.christoffel_symbols", robot)
    (x,) = vectors("three_cases.christoffel_symbols", q=(q, robot.n))
    out = np.empty((*x.shape[:-1], *(robot.n,) * 3))
    for i, rows in enumerate(tree_symbols(tree, np.moveaxis(x, -1, 0))):  # leaves are whole batches
        for j, row in enumerate(rows):
            for k, symbol in enumerate(row):
                out[..., i, j, k] = symbol
    return out


def tree_symbols(tree: Tree, q: Any) -> Tensor:
    """Gamma[z, x, y] of a tree of screws, on any leaves, z the equation."""
    n = len(tree.bodies)
    G: Tensor = [[[0.0] * n for _ in range(n)] for _ in range(n)]
    above = [set(tree.path(l)) for l in range(n)]

    def t(x: int, y: int, z: int) -> Any:
        if x == y:
            return 0.0
        total: Any = 0.0
        for l in range(n):
            if {x, y, z} <= above[l]:
                turned = carried_derivative(tree, q, l, x, tree.bodies[x].S, y)
                total = total + (tree.bodies[l].G @ turned).pair(carried(tree, q, l, z, tree.bodies[z].S))
        return total

    for x in range(n):
        for y in range(x, n):
            for z in range(n):
                if z <= x:
                    value = t(z, x, y) + t(z, y, x) + t(x, y, z)  # (1)
                elif z <= y:
                    value = t(z, y, x) + t(x, y, z) - t(x, z, y)
                else:
                    value = t(x, y, z) - t(x, z, y) - t(y, z, x)
                G[z][x][y] = G[z][y][x] = value * 0.5
    return G
