"""Facts of the functions of robots and systems: words, axes and units of every input and output, as one table.

An operand is described by the axes of its elements: `force /velocity` is a matrix with a row for each joint force and a
column for each velocity, whose unit divides. What axes there are, with their names and units: axes.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

SHORT = {
    "inverse_dynamics": "tau",
    "bias_forces": "tau",
    "gravity_forces": "g",
    "friction_forces": "tau",
    "mass_matrix": "M",
    "mass_matrix_inverse": "M_inverse",
    "mass_matrix_sqrt": "W",
    "coriolis_matrix": "C",
    "impulse_response": "qdd",
    "forward_dynamics": "qdd",
    "forward_dynamics_by_solving": "qdd",
    "cheapest_forward_dynamics": "qdd",
    "kinetic_energy": "K",
    "potential_energy": "U",
    "energy": "E",
    "momenta": "p",
    "forward_kinematics": "T",
    "link_poses": "T",
    "frame_poses": "T",
    "velocity": "V",
    "acceleration": "A",
    "classical_acceleration": "A",
    "jacobian": "J",
    "jacobian_derivative": "Jd",
    "task_jacobian": "J",
    "task_jacobian_derivative": "Jd",
    "integrate": "q_after",
    "coordinate_rates": "q_rate",
    "difference": "v",
    "regressor": "Y",
    "christoffel_symbols": "Gamma",
    "christoffel_symbols_second_kind": "Gamma",
    "constraint_matrix": "A",
}
"""What an output that has the name of its function is called in code that leaves, where nothing else has that name."""

UNKNOWN = "?"  # a unit that is none of ours, as that of the root of a mass matrix


class Fact(NamedTuple):
    """about: words, in which {frame} and {expressed} are those of the options. axes: their names, in order; those that
    begin with / divide. unit: what the product of the axes' units is multiplied by.
    """

    about: str
    axes: str = ""
    unit: str = "1"


class Function(NamedTuple):
    """about: what it computes. outputs, and inputs that are not what their name usually is."""

    about: str
    outputs: Mapping[str, Fact]
    inputs: Mapping[str, Fact] = {}


INPUTS: dict[str, Fact] = {
    "q": Fact("joint coordinates", "coordinate"),
    "q0": Fact("joint coordinates to begin at", "coordinate"),
    "q1": Fact("joint coordinates to end at", "coordinate"),
    "qd": Fact("joint velocities", "velocity", "1/s"),
    "qdd": Fact("joint accelerations", "velocity", "1/s^2"),
    "tau": Fact("joint forces", "force"),
    "u": Fact("a tangent vector", "velocity"),
    "v": Fact("joint velocities", "velocity", "1/s"),
    "dq": Fact("the direction, of q", "velocity"),
    "dqd": Fact("the direction, of qd", "velocity", "1/s"),
    "dqdd": Fact("the direction, of qdd", "velocity", "1/s^2"),
    "tool_wrench": Fact(
        "wrench (moment, force) that the tool exerts on its surroundings, in the frame of the tool; tau has J^T of it",
        "wrench",
    ),
    "link_wrenches": Fact(
        "wrenches (moment, force) that act on the links, each in the frame of its link; tau has -J^T of each",
        "link wrench",
    ),
    "base_velocity": Fact("twist (angular, linear) of the base, in its own frame", "twist", "1/s"),
    "base_acceleration": Fact("time derivative of base_velocity", "twist", "1/s^2"),
    "momenta": Fact("momenta of the step, times its duration", "force", "s^2"),
    "parameters": Fact(
        "inertial parameters of links: mass, first moment, inertia about the origin of the link's frame", "given ten"
    ),
    "t": Fact("time", "", "s"),
    "t0": Fact("time at the beginning", "", "s"),
    "dt": Fact("duration of a step", "", "s"),
    "T": Fact("pose wanted of {frame} in the space frame, row by row", "target"),
}

_DISPLACEMENT = Fact("displacement: joint velocities for unit time", "velocity")
_MASS = ("force /velocity", "s^2")


def _one(name: str, about: str, axes: str = "", unit: str = "1", **inputs: Fact) -> dict[str, Function]:
    short = re.split(r"[:;] | = |, (?![^(]*\))", about)[0]  # the function says all of it
    return {name: Function(about, {name: Fact(short, axes, unit)}, inputs)}


def _several(name: str, about: str, **outputs: tuple[str, ...]) -> dict[str, Function]:
    return {name: Function(about, {key: Fact(*x) for key, x in outputs.items()})}


def _of_model(what: str, axes: str, unit: str = "1") -> dict[str, Fact]:
    """Derivatives by the robot's geometry."""
    by = "(angular, linear), each in the frame of its joint"
    return {
        "homes": Fact(f"{what} by twists of the links' home poses {by}", f"{axes} link /twist", unit),
        "screws": Fact(f"{what} by twists of the joints' screws {by}", f"{axes} link /twist", unit),
    }


_FORCES_BY_STATE = {
    "dtau_dq": Fact("derivative of tau by q, along velocities", "force /velocity"),
    "dtau_dqd": Fact("derivative of tau by qd", "force /velocity", "s"),
    "dtau_dqdd": Fact("derivative of tau by qdd", *_MASS),
}
_TWIST = "(angular, linear), {expressed}"

FUNCTIONS: dict[str, Function] = {
    # kinematics
    **_one("forward_kinematics", "pose of {frame} in the space frame, row by row", "pose"),
    **_one("link_poses", "poses of the moving links in the space frame, each row by row", "link pose"),
    **_one("frame_poses", "poses of all frames in the space frame, each row by row", "frame pose"),
    **_one("velocity", f"twist of {{frame}} {_TWIST}", "twist", "1/s"),
    **_one("acceleration", f"time derivative of the twist of {{frame}} {_TWIST}; without gravity", "twist", "1/s^2"),
    **_one(
        "classical_acceleration",
        "angular acceleration of {frame}, then the acceleration of its origin, {expressed}; without gravity",
        "twist",
        "1/s^2",
    ),
    **_one("jacobian", f"Jacobian of {{frame}}: rows its twist {_TWIST}, columns joint velocities", "twist /velocity"),
    **_one(
        "jacobian_derivative",
        f"time derivative of the Jacobian of {{frame}}: rows its twist {_TWIST}, columns joint velocities",
        "twist /velocity",
        "1/s",
    ),
    # dynamics
    **_one("friction_forces", "joint forces that damping and dry friction take", "force"),
    **_one(
        "inverse_dynamics",
        "joint forces tau = M(q) qdd + C(q, qd) qd + g(q), by the recursive Newton-Euler algorithm",
        "force",
    ),
    **_one(
        "joint_wrenches",
        "wrench (moment, force) that each joint passes on to its link, in the frame of the link",
        "link wrench",
    ),
    **_one("bias_forces", "joint forces without acceleration, C(q, qd) qd + g(q)", "force"),
    **_one("gravity_forces", "joint forces g(q) that hold the robot still", "force"),
    **_one("mass_matrix", "mass matrix M(q)", *_MASS),
    **_one("mass_matrix_inverse", "inverse of the mass matrix", "velocity /force", "1/s^2"),
    **_one("impulse_response", "M^-1 tau: the accelerations that tau alone gives", "velocity", "1/s^2"),
    **_one("mass_matrix_sqrt", "W, upper triangular, with M = W W^T", "velocity velocity", UNKNOWN),
    **_one("coriolis_matrix", "C(q, qd) of the Christoffel symbols: dM/dt - 2 C is skew", "force /velocity", "s"),
    **_one("forward_dynamics", "joint accelerations qdd = M^-1 (tau - C(q, qd) qd - g(q))", "velocity", "1/s^2"),
    **_one("forward_dynamics_by_solving", "joint accelerations, by factors of the mass matrix", "velocity", "1/s^2"),
    **_one("cheapest_forward_dynamics", "joint accelerations, in the way with fewest operations", "velocity", "1/s^2"),
    **_one("kinetic_energy", "kinetic energy", "", "J"),
    **_one("potential_energy", "potential energy, zero for masses level with the origin of the space frame", "", "J"),
    **_one("centre_of_mass", "centre of mass in the space frame", "space"),
    **_one("centre_of_mass_jacobian", "derivative of the centre of mass, in the space frame", "space /velocity"),
    **_one(
        "centroidal_momentum_matrix",
        "A(q), with A qd the momentum (angular, linear) about the centre of mass, in the axes of the space frame",
        "momentum /velocity",
        "s",
    ),
    **_one(
        "centroidal_momentum_matrix_derivative",
        "time derivative of the matrix of the momentum (angular, linear), in the axes of the space frame",
        "momentum /velocity",
    ),
    # coordinates
    **_one("integrate", "joint coordinates that v leads to from q in unit time", "coordinate", v=_DISPLACEMENT),
    **_one("coordinate_rates", "time derivative of q at velocities v", "coordinate", "1/s"),
    **_one("difference", "displacement from q0 to q1: joint velocities for unit time", "velocity"),
    **_one("normalize", "joint coordinates with quaternions of unit length", "coordinate"),
    # derivatives
    "inverse_dynamics_derivatives": Function("derivatives of inverse dynamics by the state", _FORCES_BY_STATE),
    "inverse_dynamics_derivatives_along": Function(
        "how the derivatives of inverse dynamics change along a direction of the state", _FORCES_BY_STATE
    ),
    **_several(
        "forward_dynamics_derivatives",
        "derivatives of forward dynamics by the state",
        dqdd_dq=("derivative of qdd by q, along velocities", "velocity /velocity", "1/s^2"),
        dqdd_dqd=("derivative of qdd by qd", "velocity /velocity", "1/s"),
        dqdd_dtau=("derivative of qdd by tau, M^-1", "velocity /force", "1/s^2"),
    ),
    **_several(
        "inverse_dynamics_second_derivatives",
        "second derivatives of inverse dynamics by the state; indices: force, first and then second derivative",
        d2tau_dq_dq=("of tau by q and q", "force /velocity /velocity"),
        d2tau_dqd_dq=("of tau by qd and q", "force /velocity /velocity", "s"),
        d2tau_dqd_dqd=("of tau by qd and qd", "force /velocity /velocity", "s^2"),
        d2tau_dqdd_dq=("of tau by qdd and q", "force /velocity /velocity", "s^2"),
    ),
    **_several(
        "forward_dynamics_second_derivatives",
        "second derivatives of forward dynamics by the state; indices: acceleration, first and then second derivative",
        d2qdd_dq_dq=("of qdd by q and q", "velocity /velocity /velocity", "1/s^2"),
        d2qdd_dqd_dq=("of qdd by qd and q", "velocity /velocity /velocity", "1/s"),
        d2qdd_dqd_dqd=("of qdd by qd and qd", "velocity /velocity /velocity"),
        d2qdd_dtau_dq=("of qdd by tau and q", "velocity /force /velocity", "1/s^2"),
    ),
    "inverse_dynamics_model_derivatives": Function(
        "derivatives of inverse dynamics by the robot's geometry", _of_model("derivative of tau", "force")
    ),
    "forward_dynamics_model_derivatives": Function(
        "derivatives of forward dynamics by the robot's geometry", _of_model("derivative of qdd", "velocity", "1/s^2")
    ),
    "forward_kinematics_model_derivatives": Function(
        "twists of {frame} for changes of the robot's geometry", _of_model("twist of {frame} in its own axes", "twist")
    ),
    "jacobian_model_derivatives": Function(
        "derivatives of the Jacobian of {frame} by the robot's geometry",
        _of_model("derivative of the Jacobian of {frame} in its own axes", "twist /velocity"),
    ),
    # discrete mechanics
    "discrete_momenta": Function(
        "momenta of the discrete Lagrangian at both ends of a step, times its duration",
        {
            "start": Fact("momenta where it begins", "force", "s^2"),
            "end": Fact("momenta where it ends", "force", "s^2"),
        },
        {"v": _DISPLACEMENT},
    ),
    "discrete_step": Function(
        "a step of the discrete Lagrangian that begins with given momenta",
        {
            "q1": Fact("joint coordinates where it ends", "coordinate"),
            "gained": Fact("what the momenta gain", "force", "s^2"),
            "moved": Fact("displacement of the step", "velocity"),
            "lag": Fact("displacement less that of second order", "velocity"),
        },
        {"u": Fact("a displacement near to that of the step", "velocity"), "v": Fact("a guess of the lag", "velocity")},
    ),
    # geometry
    **_one("mass_matrix_derivatives", "dM_ij/dq_k at [i][j][k]", "force /velocity /velocity", "s^2"),
    **_one(
        "mass_matrix_second_derivatives",
        "d2M_ij/dq_k dq_l at [i][j][k][l]",
        "force /velocity /velocity /velocity",
        "s^2",
    ),
    **_one(
        "christoffel_symbols",
        "Christoffel symbols of the first kind, Gamma_ijk at [i][j][k], i the equation",
        "force /velocity /velocity",
        "s^2",
    ),
    **_one(
        "christoffel_symbols_second_kind",
        "Christoffel symbols of the second kind, Gamma^i_jk at [i][j][k]",
        "velocity /velocity /velocity",
    ),
    **_one(
        "riemann_curvature",
        "curvature tensor of the inertia metric, R_ijkl at [i][j][k][l]",
        "force /velocity /velocity /velocity",
        "s^2",
    ),
    **_one("ricci_curvature", "Ricci curvature of the inertia metric", "/velocity /velocity"),
    **_one("scalar_curvature", "scalar curvature of the inertia metric", "", UNKNOWN),
    **_one(
        "sectional_curvature",
        "curvature of the inertia metric in the plane of u and v",
        "",
        UNKNOWN,
        v=Fact("another tangent vector", "velocity"),
    ),
    # parameters
    **_one(
        "regressor", "Y(q, qd, qdd), with Y times the inertial parameters of the links the forces", "force /parameter"
    ),
    **_one("kinetic_energy_regressor", "y, with y times the inertial parameters the kinetic energy", "/parameter", "J"),
    **_one(
        "potential_energy_regressor", "y, with y times the inertial parameters the potential energy", "/parameter", "J"
    ),
    **_one("power_regressor", "y, with y times the inertial parameters the power of the joints", "/parameter", "W"),
    # task space
    **_one("task_jacobian", "Jacobian of the task, {expressed}: rows of frames' twists", "task /velocity"),
    **_one("task_jacobian_derivative", "time derivative of the Jacobian of the task", "task /velocity", "1/s"),
    **_one("task_mobility", "mobility J M^-1 J^T of the task", "task /effort", "1/s^2"),
    **_one("task_scale", "scales of the rows of the task", "task", UNKNOWN),
    **_one("task_margin", "distance of the task from a singularity, without unit"),
    **_one("task_inertia", "inertia (J M^-1 J^T)^-1 of the task", "effort /task", "s^2"),
    **_one("task_lift", "M^-1 J^T: accelerations for unit forces on the task", "velocity /effort", "1/s^2"),
    **_one("consistent_inverse", "dynamically consistent inverse of the Jacobian of the task", "velocity /task"),
    **_one("null_space_projector", "projector on the velocities that the task does not see", "velocity /velocity"),
    **_one("task_free_acceleration", "acceleration of the task without joint forces", "task", "1/s^2"),
    **_one("task_bias", "velocity and gravity forces of the task", "effort"),
    **_one("task_gravity", "gravity forces of the task", "effort"),
    **_one("manipulability", "manipulability sqrt(det(J J^T)) of the task", "", UNKNOWN),
    **_one("inertial_manipulability", "manipulability of the task, weighed by the mass matrix", "", UNKNOWN),
    **_one("white_jacobian", "Jacobian of the task in the square-root coordinates W^T qd", "task velocity", UNKNOWN),
    # systems
    **_one("energy", "energy qd . dL/dqd - L", "", "J"),
    **_one("momenta", "momenta dL/dqd", "force", "s"),
    **_one("configuration_forces", "dL/dq", "force"),
    **_one("driving_forces", "generalised forces less those of dissipation", "force"),
    **_one("constraint_matrix", "rows A(q) of the constraints, A qd = 0", "multiplier /velocity", UNKNOWN),
    **_several(
        "constrained_dynamics",
        "accelerations and multipliers of M qdd + bias = tau + A^T multipliers under the constraints",
        qdd=("joint accelerations", "velocity", "1/s^2"),
        multipliers=("multipliers of the constraints", "multiplier"),
        pivot=("smallest pivot of A M^-1 A^T, relative: 1e-6 or less where constraints lose rank",),
    ),
    "reduced_dynamics": Function(
        "the motion under constraints in independent velocities u: du/dt, all velocities, and the multipliers",
        {
            "ud": Fact("time derivative of u", "chosen", UNKNOWN),
            "qd": Fact("joint velocities", "velocity", "1/s"),
            "multipliers": Fact("multipliers of the constraints", "multiplier"),
        },
        {"u": Fact("independent velocities", "chosen", UNKNOWN)},
    ),
    **_several(
        "projections",
        "projection of velocities on those that the constraints allow",
        P_T=("projection of velocities", "velocity /velocity"),
        pivot=("smallest pivot of A M^-1 A^T, relative: 1e-6 or less where constraints lose rank",),
    ),
    # motions
    **_several(
        "step",
        "the state after a step of {method}, under joint forces that are held",
        q_after=("joint coordinates after the step", "coordinate"),
        qd_after=("joint velocities after the step", "velocity", "1/s"),
    ),
    **_several(
        "rollout",
        "states of a motion by {method}, in steps of dt from (q, qd) at t0",
        path=("joint coordinates after each step", "sample coordinate"),
        velocities=("joint velocities after each step", "sample velocity", "1/s"),
        finite_steps=("steps that were made before the state was not finite",),
    ),
    **_one("law", "joint forces of a control law at time t and state (q, qd)", "force"),
    **_several(
        "inverse_kinematics",
        "joint coordinates that give {frame} the pose T, by Levenberg-Marquardt from several starts",
        q=("joint coordinates found, or the nearest that was reached", "coordinate"),
        found=("1 where the pose is reached, within the limits and the tolerance of the search, else 0",),
        residual=("length of the error of the pose, rad and m together",),
    ),
}
