"""Tensors of large robots: link by link (riemann/by_links.py), one configuration after the other."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import together, vector
from chasles.errors import ModelError
from chasles.geometry import gauss
from chasles.riemann import by_links
from chasles.robot_like import RobotLike

Array = np.ndarray


def _rows(name: str) -> Callable[[RobotLike, ArrayLike], Array]:
    def tensor(robot: RobotLike, q: ArrayLike) -> Array:
        x, m = _numbers(robot, name, "q", q, robot.nq), robot.mechanism
        rows = [by_links.tensor(name, m.aligned.tree, m.coupling, row) for row in x.reshape(-1, robot.nq)]
        return np.array(rows).reshape((*x.shape[:-1], *(robot.n,) * by_links.AXES[name]))[()]

    return tensor


mass_matrix_derivatives = _rows("mass_matrix_derivatives")
mass_matrix_second_derivatives = _rows("mass_matrix_second_derivatives")
christoffel_symbols = _rows("christoffel_symbols")
christoffel_symbols_second_kind = _rows("christoffel_symbols_second_kind")
riemann_curvature = _rows("riemann_curvature")
ricci_curvature = _rows("ricci_curvature")
scalar_curvature = _rows("scalar_curvature")


def sectional_curvature(robot: RobotLike, q: ArrayLike, u: ArrayLike, v: ArrayLike) -> Array:
    planes = [_numbers(robot, "sectional_curvature", name, x, robot.n) for name, x in (("u", u), ("v", v))]
    x, m = _numbers(robot, "sectional_curvature", "q", q, robot.nq), robot.mechanism
    together("sectional_curvature", q=x, u=planes[0], v=planes[1])
    q_leaves, *leaves = ([*np.moveaxis(given, -1, 0)] for given in (x, *planes))
    M = np.moveaxis(robot.mass_matrix(x), (-2, -1), (0, 1))
    tree, coupling = m.aligned.tree, m.coupling
    K = gauss.sectional_curvature(tree, coupling, [[*row] for row in M], coupling.coordinates(q_leaves), *leaves)
    return np.asarray(K)[()]


def _numbers(robot: RobotLike, function: str, name: str, x: ArrayLike, size: int) -> Array:
    if robot.symbols:
        values = ", ".join(f"{symbol}=..." for symbol in robot.symbols)
        raise ModelError(f"{function}: of robots this large it needs numbers: use robot.with_values({values})")
    return vector(x, f"{function}: {name}", size)
