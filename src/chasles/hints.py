"""Hints for names that are misspelt, or called otherwise in other libraries: "did you mean 'inverse_dynamics'?"

The tables have the names of Pinocchio, MuJoCo, Drake, Modern Robotics and the Robotics Toolbox, and what people say.
A name is looked up in a table, then among the names that there are, by difflib; case and underscores do not count.
Attributes of objects are the names of the tables as they are written there. A word of a table that does not apply where
it is asked is passed over.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

ATTRIBUTES = {
    "inverse_dynamics": "rnea rne id mj_inverse mj_rne qfrc_inverse CalcInverseDynamics newton_euler torque tau",
    "forward_dynamics": "aba fd accel mj_forward mj_fwdAcceleration CalcForwardDynamics computeAllTerms qdd dynamics",
    "mass_matrix": "crba M MassMatrix inertia inertia_matrix mj_fullM mj_crb qM CalcMassMatrix "
    "CalcMassMatrixViaInverseDynamics",
    "mass_matrix_inverse": "computeMinverse Minv mj_solveM",
    "coriolis_matrix": "computeCoriolisMatrix coriolis C VelQuadraticForces",
    "bias_forces": "nonLinearEffects nle bias qfrc_bias CalcBiasTerm h",
    "gravity_forces": "computeGeneralizedGravity computeStaticTorque gravload g gravity_vector gravity_torque "
    "CalcGravityGeneralizedForces",
    "kinetic_energy": "computeKineticEnergy CalcKineticEnergy",
    "potential_energy": "computePotentialEnergy CalcPotentialEnergy",
    "forward_kinematics": "fk fkine FKinSpace FKinBody mj_kinematics getFramePlacement CalcRelativeTransform",
    "link_poses": "fkine_all forwardKinematicsAll EvalBodyPoseInWorld link_transforms xpos oMi",
    "frame_poses": "framesForwardKinematics updateFramePlacements oMf",
    "jacobian": "J jac jacob0 jacobe JacobianSpace JacobianBody computeJointJacobian computeJointJacobians "
    "computeFrameJacobian getJointJacobian getFrameJacobian get_frame_jacobian mj_jac mj_jacBody mj_jacSite "
    "EndEffectorForces CalcJacobianSpatialVelocity frame_jacobian body_jacobian space_jacobian",
    "jacobian_derivative": "jacob0_dot jacobian_dot Jdot mj_jacDot computeJointJacobiansTimeVariation "
    "getFrameJacobianTimeVariation getJointJacobianTimeVariation",
    "jacobian_inverse": "pinv pseudoinverse jacobian_pinv",
    "velocity": "getFrameVelocity frame_velocity twist",
    "acceleration": "getFrameAcceleration frame_acceleration",
    "acceleration_bias": "bent",
    "classical_acceleration": "getFrameClassicalAcceleration",
    "inverse_kinematics": "ik ikine ikine_LM ikine_GN ikine_NR ikine_QP ik_LM ik_GN ik_NR IKinSpace IKinBody solve_ik",
    "inverse_dynamics_derivatives": "computeRNEADerivatives rnea_derivatives",
    "forward_dynamics_derivatives": "computeABADerivatives aba_derivatives mjd_transitionFD",
    "inverse_dynamics_second_derivatives": "ComputeRNEASecondOrderDerivatives",
    "centre_of_mass": "com center_of_mass centerOfMass CalcCenterOfMassPositionInWorld subtree_com",
    "centre_of_mass_jacobian": "jacobianCenterOfMass com_jacobian center_of_mass_jacobian mj_jacSubtreeCom",
    "centroidal_momentum_matrix": "ccrba computeCentroidalMap computeCentroidalMomentum centroidal_momentum Ag",
    "centroidal_momentum_matrix_derivative": "dccrba computeCentroidalMapTimeVariation dAg",
    "regressor": "computeJointTorqueRegressor torque_regressor Y",
    "kinetic_energy_regressor": "computeKineticEnergyRegressor",
    "potential_energy_regressor": "computePotentialEnergyRegressor",
    "christoffel_symbols": "christoffel gamma",
    "riemann_curvature": "riemann riemann_tensor curvature",
    "ricci_curvature": "ricci ricci_tensor",
    "task_inertia": "operational_space_inertia inertia_x Lambda",
    "task_bias": "coriolis_x",
    "task_gravity": "gravload_x",
    "workspace_acceleration": "accel_x task_acceleration",
    "null_space_projector": "nullspace null_space null_projector",
    "consistent_inverse": "dynamically_consistent_inverse",
    "coordinate_rates": "MapVelocityToQDot",
    "integrate": "mj_integratePos retract",
    "difference": "mj_differentiatePos subtract",
    "random": "randomConfiguration random_q random_configuration",
    "neutral": "home_configuration zero_configuration q0",
    "limits": "qlim joint_limits lowerPositionLimit upperPositionLimit jnt_range",
    "n": "dof ndof get_dof num_dof num_velocities njoints num_joints",
    "nq": "num_positions",
    "joint_names": "names joints",
    "link_names": "body_names bodies",
    "frame_names": "frames sites",
    "links": "inertias bodies",
    "total_mass": "mass computeTotalMass CalcTotalMass",
    "with_locked": "buildReducedModel lock_joints WeldFrames",
    "with_payload": "payload add_payload",
    "with_friction": "nofriction friction damping",
    "with_tool": "tool set_tool",
    "with_base": "floating_base set_base free_flyer",
    "to_toml": "save dump",
    "export": "codegen generate_code code_generation CodeGenerator to_c to_matlab generate lower",
    "to_urdf": "urdf export_urdf",
    "gradient": "grad",
    "hessian": "hess",
    "source": "ir llvm code",
    "assembly": "asm",
    "operations": "flops cost",
    "constraint_matrix": "A jacobian_of_constraints",
    "projections": "P projector",
    "latex": "tex to_latex as_latex",
    "text": "pretty pprint unicode to_text",
    "mathml": "html to_html to_mathml",
    "sympy": "to_sympy expr expression as_expr subs lambdify evalf",
}
"""Ours, and what others call it: methods and properties of robots, systems and kernels."""

CONSTRUCTORS = {
    "chasles.load(path) reads files": "from_urdf from_mjcf from_toml from_xml from_file from_xml_path URDF load read",
    "chasles.load_text(text) reads text": "from_urdf_string from_xml_string from_string from_text loads",
    "from_screws": "from_poe product_of_exponentials from_twists",
    "from_dh": "DH DHRobot denavit_hartenberg from_mdh",
}
"""Ours, or how one is made, and what others call it: on the classes themselves."""

MODULE = {
    "load": "from_urdf load_urdf loadURDF buildModelFromUrdf buildModelsFromUrdf from_mjcf load_mjcf "
    "buildModelFromMJCF from_xml_path load_robot from_file read open Parser MjModel URDF",
    "load_text": "from_urdf_string from_xml_string loads parse parse_urdf buildModelFromXML load_string",
    "Robot": "RobotWrapper Model MultibodyPlant DHRobot ERobot RigidBodyTree",
    "Link": "Body RigidBody Inertial",
    "SpatialInertia": "Inertia",
    "Twist": "Motion SpatialVelocity",
    "Wrench": "Force SpatialForce",
    "SE3": "Pose Transform RigidTransform Isometry3d",
    "SO3": "Rotation RotationMatrix",
    "screw": "revolute hinge ScrewToAxis",
    "prismatic": "slide slider",
    "compile": "jit function Function vmap trace codegen lambdify",
    "loop": "scan while_loop fori_loop for_loop",
    "where": "cond if_else select",
    "symbols": "symbol Symbol SX MX sym var Parameter",
    "Trajectory": "Simulation SimulationResult",
    "simulate": "simulation Simulator mj_step step odeint solve_ivp ForwardDynamicsTrajectory",
    "LagrangianSystem": "Lagrangian",
    "Constraint": "constraints contact RigidConstraintModel",
    "ConstrainedSystem": "Constrained",
    "set_num_threads": "threads num_threads set_threads",
    "paths": "trajectory trajectories ScrewTrajectory CartesianTrajectory",
    "conventions": "convert conversions",
}
"""Ours, and what others call it: names of the module chasles."""

OPTIONS = {
    "body": "local LOCAL tool end_effector tip",
    "space": "world WORLD spatial base global inertial",
    "mixed": "LOCAL_WORLD_ALIGNED hybrid world_aligned",
    "inertia": "mass kinetic dynamically_consistent consistent weighted",
    "moore-penrose": "pinv pseudo pseudoinverse moore_penrose",
    "euclidean": "identity unweighted",
    "first": "one single best",
    "all": "every many",
    "semi_implicit": "euler symplectic symplectic_euler",
    "rk4": "runge_kutta rk45 rk",
    "pinocchio": "pin",
    "mujoco": "mj mjcf",
    "mjcf": "xml mujoco",
    "cpu": "llvm host native",
    "float64": "double f64",
    "float32": "single f32",
}
"""Ours, and what others call it: values of options."""

KINDS = {
    "free": "floating free_flyer freeflyer JointModelFreeFlyer quaternion_floating 6dof freejoint",
    "spherical": "ball JointModelSpherical socket",
    "planar": "JointModelPlanar",
    "fixed": "weld rigid",
    "a turning joint is a screw, chasles.screw(axis, point)": "hinge revolute continuous rotational R",
    "a sliding joint is a screw, chasles.prismatic(axis)": "slide slider prismatic linear P",
    "a helical joint is a screw, chasles.screw(axis, point, pitch)": "helical",
}
"""Ours, or how one is made, and what others call it: kinds of joints."""


def near(given: Any, known: Iterable[str], foreign: Mapping[str, str] = OPTIONS) -> str | None:
    """The known name that is meant by what was given, or a sentence of the table; None where nothing is near."""
    names, bare = list(known), _bare(str(given))
    for ours, others in foreign.items():
        if bare in map(_bare, others.split()) and (ours in names or " " in ours):
            return ours
    by_bare = {_bare(name): name for name in names}
    if bare in by_bare:
        return by_bare[bare]
    from difflib import get_close_matches

    close = get_close_matches(bare, list(by_bare), 1)
    return by_bare[close[0]] if close else None


def method_of(name: str, methods: Iterable[str]) -> str | None:
    """The method of a robot that a name means, ours or another library's, not one that is merely near."""
    bare, ours = _bare(name), {_bare(method): method for method in methods if not method.startswith("_")}
    foreign = (own for own, others in ATTRIBUTES.items() if bare in map(_bare, others.split()))
    return ours.get(bare) or next(foreign, None)


def did_you_mean(given: Any, known: Iterable[str], foreign: Mapping[str, str] = OPTIONS) -> str:
    """The end of a message that refuses a name: "; did you mean 'space'?", or nothing where nothing is near."""
    found = near(given, known, foreign) if isinstance(given, str) else None
    if found is None:
        return ""
    return f": {found}" if " " in found else f"; did you mean {found!r}?"


def kind_hint(given: Any, known: Iterable[str]) -> str:
    """The same for kinds of joints."""
    return did_you_mean(given, known, KINDS)


class MissingAttributeError(AttributeError):
    """An attribute that is not there, made of its name, what has it not, that in words, and a table.

    The hint is looked for when the error is shown: hasattr and getattr do not pay for it.
    """

    def __str__(self) -> str:
        name, owner, what, foreign = self.args
        public = [x for x in dir(owner) if not x.startswith("_")]
        return f"{what.format(owner.__name__)} has no attribute {name!r}{did_you_mean(name, public, foreign)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return AttributeError, (str(self),)


class HintedType(ABCMeta):
    """The class of classes whose missing attributes are refused with a hint: Robot.from_urdf."""

    if not TYPE_CHECKING:  # a checker would take every name for an attribute

        def __getattr__(cls, name: str) -> Any:
            if name.startswith("_"):  # asked for by copy, pickle, NumPy, notebooks
                raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
            raise MissingAttributeError(name, cls, "type object {!r}", CONSTRUCTORS)

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name not in FOREIGN or hasattr(cls, name)]


class _Foreign:
    """A name that another library has for something of ours: who asks for it is told so."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        table = CONSTRUCTORS if instance is None else ATTRIBUTES | CONSTRUCTORS
        raise MissingAttributeError(self.name, owner, "type object {!r}" if instance is None else "{!r} object", table)


class Hinted(metaclass=HintedType):
    """A class whose objects know the names that other libraries have for their attributes, and hint at ours.

    Each is a descriptor: a `__getattr__` would make every attribute slower, and single calls by a third. Misspelt names
    Python itself answers with the nearest.
    """

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in FOREIGN or hasattr(self, name)]


FOREIGN = frozenset(
    name for table in (ATTRIBUTES, CONSTRUCTORS) for others in table.values() for name in others.split()
)
for _name in FOREIGN:
    setattr(Hinted, _name, _Foreign(_name))


def _bare(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower().removeprefix("get")
