"""Inverse and forward dynamics, the matrices of the equations of motion, energies and momentum."""

from typing import Any

from chasles import arrays
from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.dynamics import (
    articulated_body,
    centroidal,
    composite_body,
    coriolis,
    energy,
    linear_solve,
)
from chasles.dynamics.newton_euler import NewtonEuler, newton_euler
from chasles.model.leaves import leaf
from chasles.model.tree import Tree
from chasles.scalar.leaf import Leaves
from chasles.scalar.ops import less, where

SHORT = 10  # degrees of freedom: beyond it the articulated-body recursion has the fewer operations


def recursion(
    robot: Traceable, q: Leaves, qd: Leaves, qdd: Leaves, tree: Tree | None = None, **given: Any
) -> NewtonEuler:
    moving = given.get("base_velocity") is not None or given.get("base_acceleration") is not None
    tree = tree or (robot.true if moving else robot.cheap)
    G = robot.coupling
    return newton_euler(
        tree,
        G.coordinates(q),
        G.velocities(qd),
        G.velocities(qdd),
        robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches")),
        *(arrays.twist(given[k]) if given.get(k) is not None else None for k in ("base_velocity", "base_acceleration")),
    )


def _joint_forces(robot: Traceable, q: Leaves, qd: Leaves, qdd: Leaves, **given: Any) -> list[Any]:
    tau = robot.coupling.forces(recursion(robot, q, qd, qdd, **given).tau)
    return [force + loss for force, loss in zip(tau, friction(robot, qd), strict=True)]


def friction(robot: Traceable, qd: Leaves) -> list[Any]:
    """What damping and dry friction take, where the robot has them: d v + f sign(v)."""
    m, G = robot.mechanism, robot.coupling
    if not m.has_friction:
        return [0.0] * G.nv
    rates = G.velocities(qd)
    losses = []
    for i, body in enumerate(m.tree.bodies):
        for v in rates[body.v : body.v + body.joint.nv]:
            sign = where(less(0.0, v), 1.0, where(less(v, 0.0), -1.0, 0.0))
            losses.append(v * leaf(m.damping[i]) + sign * leaf(m.friction[i]))
    return G.forces(losses)


@declare("qd", ("n",))
def friction_forces(robot: Traceable, options: Options, qd: Leaves) -> Any:
    return friction(robot, qd)


@declare("q qd qdd", ("n",), "tool_wrench link_wrenches base_velocity base_acceleration")
def inverse_dynamics(robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves, **given: Any) -> Any:
    return _joint_forces(robot, q, qd, qdd, **given)


@declare("q qd qdd", ("links", 6), "tool_wrench link_wrenches base_velocity base_acceleration")
def joint_wrenches(robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves, **given: Any) -> Any:
    F = recursion(robot, q, qd, qdd, robot.true, **given).F
    return [arrays.from_wrench(X.Ad_inv_star(F[i])) for i, X in enumerate(robot.aligned.frames)]


@declare("q qd", ("n",), "tool_wrench link_wrenches")
def bias_forces(robot: Traceable, options: Options, q: Leaves, qd: Leaves, **given: Any) -> Any:
    return _joint_forces(robot, q, qd, robot.rest, **given)


@declare("q", ("n",))
def gravity_forces(robot: Traceable, options: Options, q: Leaves) -> Any:
    return robot.coupling.forces(recursion(robot, q, robot.rest, robot.rest).tau)


@declare("q", ("n", "n"))
def mass_matrix(robot: Traceable, options: Options, q: Leaves) -> Any:
    return robot.coupling.matrix(composite_body.mass_matrix(robot.cheap, robot.coupling.coordinates(q)))


@declare("q", ("n", "n"), needs="inverse")
def mass_matrix_inverse(robot: Traceable, options: Options, q: Leaves) -> Any:
    if not robot.coupling.is_trivial:
        return linear_solve.inverse(mass_matrix(robot, options, q))
    return articulated_body.mass_matrix_inverse(robot.cheap, q)


@declare("q tau", ("n",), needs="inverse")
def impulse_response(robot: Traceable, options: Options, q: Leaves, tau: Leaves) -> Any:
    if robot.coupling.is_trivial and len(tau) > SHORT:
        return articulated_body.impulse_response(robot.cheap, q, tau)
    return linear_solve.factored_from_tips(mass_matrix(robot, options, q)).solve(tau)


@declare("q", ("n", "n"), needs="inverse")
def mass_matrix_sqrt(robot: Traceable, options: Options, q: Leaves) -> Any:
    if not robot.coupling.is_trivial:
        return linear_solve.upper_sqrt(mass_matrix(robot, options, q))
    return articulated_body.mass_matrix_sqrt(robot.cheap, q)


@declare("q qd", ("n", "n"))
def coriolis_matrix(robot: Traceable, options: Options, q: Leaves, qd: Leaves) -> Any:
    G = robot.coupling
    return G.matrix(coriolis.coriolis_matrix(robot.cheap, G.coordinates(q), G.velocities(qd)))


@declare("q qd tau", ("n",), "tool_wrench link_wrenches", needs="inverse")
def forward_dynamics(robot: Traceable, options: Options, q: Leaves, qd: Leaves, tau: Leaves, **given: Any) -> Any:
    if not robot.coupling.is_trivial:  # a mimic joint closes a loop that the recursion does not see
        return forward_dynamics_by_solving(robot, options, q, qd, tau, **given)
    wrenches = robot.wrenches(given.get("tool_wrench"), given.get("link_wrenches"))
    left = [force - loss for force, loss in zip(tau, friction(robot, qd), strict=True)]
    return articulated_body.forward_dynamics(robot.cheap, q, qd, left, wrenches)


@declare("q qd tau", ("n",), "tool_wrench link_wrenches", needs="inverse")
def forward_dynamics_by_solving(
    robot: Traceable, options: Options, q: Leaves, qd: Leaves, tau: Leaves, **given: Any
) -> Any:
    bias = bias_forces(robot, options, q, qd, **given)
    left = [force - part for force, part in zip(tau, bias, strict=True)]
    return linear_solve.solve(mass_matrix(robot, options, q), left)  # [FD-1]


@declare("q qd tau", ("n",), "tool_wrench link_wrenches", needs="inverse")
def cheapest_forward_dynamics(
    robot: Traceable, options: Options, q: Leaves, qd: Leaves, tau: Leaves, **given: Any
) -> Any:
    """By whichever way has the fewer operations: for kernels that evaluate it many times, as rollouts."""
    if robot.coupling.is_trivial and len(tau) > SHORT:
        return forward_dynamics(robot, options, q, qd, tau, **given)
    bias = bias_forces(robot, options, q, qd, **given)
    left = [force - part for force, part in zip(tau, bias, strict=True)]
    return linear_solve.factored_from_tips(mass_matrix(robot, options, q)).solve(left)


@declare("q qd", ())
def kinetic_energy(robot: Traceable, options: Options, q: Leaves, qd: Leaves) -> Any:
    return energy.kinetic_energy(robot.true, robot.coupling.coordinates(q), robot.coupling.velocities(qd))


@declare("q", ())
def potential_energy(robot: Traceable, options: Options, q: Leaves) -> Any:
    return energy.potential_energy(robot.true, robot.coupling.coordinates(q))


@declare("q", (3,), needs="mass")
def centre_of_mass(robot: Traceable, options: Options, q: Leaves) -> Any:
    return arrays.from_vector(centroidal.centre_of_mass(robot.true, robot.coupling.coordinates(q)))


@declare("q", (3, "n"), needs="mass")
def centre_of_mass_jacobian(robot: Traceable, options: Options, q: Leaves) -> Any:
    columns = centroidal.centre_of_mass_jacobian(robot.true, robot.coupling.coordinates(q))
    return arrays.from_columns(robot.coupling.forces(columns), 3)


@declare("q", (6, "n"), needs="mass")
def centroidal_momentum_matrix(robot: Traceable, options: Options, q: Leaves) -> Any:
    columns = centroidal.centroidal_momentum_matrix(robot.true, robot.coupling.coordinates(q))
    return arrays.from_columns(robot.coupling.forces(columns), 6)


@declare("q qd", (6, "n"), needs="mass")
def centroidal_momentum_matrix_derivative(robot: Traceable, options: Options, q: Leaves, qd: Leaves) -> Any:
    x, y = robot.coupling.coordinates(q), robot.coupling.velocities(qd)
    columns = centroidal.centroidal_momentum_matrix_derivative(robot.true, x, y)
    return arrays.from_columns(robot.coupling.forces(columns), 6)
