"""The connection and the curvature of the inertia metric."""

from typing import Any

from chasles.catalogue import dynamics
from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.dynamics.matrices import dot, product, slices, stacked
from chasles.geometry import connection, curvature, gauss, second_order
from chasles.scalar.leaf import Leaves

TENSOR = ("n", "n", "n")


@declare("q", TENSOR, large="chasles.riemann.tensors:mass_matrix_derivatives")
def mass_matrix_derivatives(robot: Traceable, options: Options, q: Leaves) -> Any:
    x = robot.coupling.coordinates(q)
    return robot.coupling.tensor(connection.mass_matrix_derivatives(robot.cheap, x), 3)


@declare("q", ("n", "n", "n", "n"), large="chasles.riemann.tensors:mass_matrix_second_derivatives")
def mass_matrix_second_derivatives(robot: Traceable, options: Options, q: Leaves) -> Any:
    x = robot.coupling.coordinates(q)
    return robot.coupling.tensor(second_order.mass_matrix_second_derivatives(robot.cheap, x), 4)


@declare("q", TENSOR, large="chasles.riemann.tensors:christoffel_symbols")
def christoffel_symbols(robot: Traceable, options: Options, q: Leaves) -> Any:
    x = robot.coupling.coordinates(q)
    return robot.coupling.tensor(connection.christoffel_symbols(robot.cheap, x), 3)


@declare("q", TENSOR, needs="inverse", large="chasles.riemann.tensors:christoffel_symbols_second_kind")
def christoffel_symbols_second_kind(robot: Traceable, options: Options, q: Leaves) -> Any:
    inverse, M = dynamics.mass_matrix_inverse(robot, options, q), dynamics.mass_matrix(robot, options, q)
    W = dynamics.mass_matrix_sqrt(robot, options, q)
    ratio = curvature.loss_ratio(M, [W[k][k] for k in range(len(W))])
    known = curvature.one_or_nan(ratio * curvature.ROUNDING)
    inverse = [[x * known for x in row] for row in inverse]
    return stacked([product(inverse, G) for G in slices(christoffel_symbols(robot, options, q))])


@declare("q", ("n", "n", "n", "n"), needs="inverse metric", large="chasles.riemann.tensors:riemann_curvature")
def riemann_curvature(robot: Traceable, options: Options, q: Leaves) -> Any:
    return curvature.riemann_curvature(robot.cheap, robot.coupling.coordinates(q), robot.coupling)


@declare("q", ("n", "n"), needs="inverse metric", large="chasles.riemann.tensors:ricci_curvature")
def ricci_curvature(robot: Traceable, options: Options, q: Leaves) -> Any:
    found = curvature.tensor(robot.cheap, robot.coupling.coordinates(q), robot.coupling)
    known, inverse = found.known_contracted, dynamics.mass_matrix_inverse(robot, options, q)
    return [[x * known for x in row] for row in curvature.ricci_curvature(inverse, found.R())]


@declare("q", (), needs="inverse metric", large="chasles.riemann.tensors:scalar_curvature")
def scalar_curvature(robot: Traceable, options: Options, q: Leaves) -> Any:
    inverse = dynamics.mass_matrix_inverse(robot, options, q)
    ricci = ricci_curvature(robot, options, q)
    return dot([x for row in inverse for x in row], [x for row in ricci for x in row])


@declare("q u v", (), needs="inverse metric plane", large="chasles.riemann.tensors:sectional_curvature")
def sectional_curvature(robot: Traceable, options: Options, q: Leaves, u: Leaves, v: Leaves) -> Any:
    M, x = dynamics.mass_matrix(robot, options, q), robot.coupling.coordinates(q)
    return gauss.sectional_curvature(robot.true, robot.coupling, M, x, list(u), list(v))
