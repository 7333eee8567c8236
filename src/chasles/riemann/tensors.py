"""Tensors of large robots: link by link (riemann/by_links.py), one configuration after the other."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import together
from chasles.riemann import by_links

Array = np.ndarray


def _rows(name: str) -> Callable[[Any, ArrayLike], Array]:
    def tensor(robot: Any, q: ArrayLike) -> Array:
        x, m = robot._real(name, "q", q, robot.nq), robot.mechanism
        rows = [by_links.tensor(name, m.tree, m.coupling, row) for row in x.reshape(-1, robot.nq)]
        return np.array(rows).reshape((*x.shape[:-1], *(robot.n,) * by_links.AXES[name]))[()]

    return tensor


mass_matrix_derivatives = _rows("mass_matrix_derivatives")
mass_matrix_second_derivatives = _rows("mass_matrix_second_derivatives")
christoffel_symbols = _rows("christoffel_symbols")
christoffel_symbols_second_kind = _rows("christoffel_symbols_second_kind")
riemann_curvature = _rows("riemann_curvature")
ricci_curvature = _rows("ricci_curvature")
scalar_curvature = _rows("scalar_curvature")


def sectional_curvature(robot: Any, q: ArrayLike, u: ArrayLike, v: ArrayLike) -> Array:
    planes = [robot._real("sectional_curvature", name, x, robot.n) for name, x in (("u", u), ("v", v))]
    x = robot._real("sectional_curvature", "q", q, robot.nq)
    together("sectional_curvature", q=x, u=planes[0], v=planes[1])
    return by_links.sectional_curvature(robot.riemann_curvature(x), robot.mass_matrix(x), *planes)
