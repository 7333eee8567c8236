"""Right arguments of everything public, small, so that wrong ones can be tried one at a time.

By the owner and the parameter's name: OF["Robot"]["q"]; OF[""] is for all. Where a function needs others, BY["path"].
An object to call methods of: OBJECTS["path of the class"]. What is new needs a line in one of them.
"""

import os
import tempfile
from functools import cache
from typing import Any

import numpy as np

import chasles as ch
from chasles import control, paths

ARM = ch.load("planar_2r")
BAR = ch.Link(1.0, [0.5, 0.0, 0.0], [0.1, 0.1, 0.1])
SYMBOLIC = ch.Robot.from_screws(
    [ch.screw([0, 0, 1])], [np.eye(4)], [ch.Link(ch.symbols("m"), [0.5, 0.0, 0.0], [0.1, 0.1, 0.1])]
)
PARTICLE = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2 - q[1], name="particle")
ROD = ch.Constraint.holonomic(lambda q: (q @ q - 1.0) / 2, name="rod")
SWING = ch.ConstrainedSystem(PARTICLE, ROD)
ON, ALONG = np.array([0.6, -0.8]), np.array([0.8, 0.6])  # a state of the swing
ANGLES = np.array([0.3, 0.5])
POSE = ARM.forward_kinematics(ANGLES)
NEAR = ARM.forward_kinematics(ANGLES + 0.1)
SQUARE = np.array([POSE, NEAR, POSE])
ARC = paths.screw(POSE, NEAR, 1.0)
TRIPLE = ch.compile(lambda q: q * 3.0, q=2)
LIMITED = ch.load("scara")
FLAT = ch.load("pendulum")
LENGTH = ch.compile(lambda q: q @ q, q=2)
VECTOR, OTHER = ch.Vec3(0.1, 0.2, 0.3), ch.Vec3(0.3, -0.2, 0.1)
TURN = ch.SO3.exp(VECTOR)
TWIST, WRENCH = ch.Twist(VECTOR, OTHER), ch.Wrench(VECTOR, OTHER)
INERTIA = BAR.spatial()
STEP = ch.Program.from_json(ch.compile(lambda x: {"x": x * 0.5}, x=2).program.to_json())
HALVES = ch.Loop(STEP, ("x",), 3)
MOTION = ch.simulate(ARM, ANGLES, np.zeros(2), duration=0.5, dt=0.25)
SAVED = os.path.join(tempfile.mkdtemp(), "motion.npz")
MOTION.save(SAVED)
SPHERE, PLANE = ch.Surface.sphere(0.1), ch.Surface.plane()
LINKAGE = ch.ConstrainedSystem(ARM, ch.Constraint.loop_closure("base", "tool", "ty"))  # a crank and a slider


def rest(*sizes: int) -> Any:
    """A desired motion that stays at zero."""
    return lambda t: tuple(np.zeros(size) for size in sizes)


def swinging(t: float) -> Any:
    return np.array([0.6]), np.array([0.0]), np.array([0.0])


def mujoco_model() -> Any:
    import mujoco

    return mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body><joint name='a' axis='0 0 1'/><geom size='.1'/></body></worldbody></mujoco>"
    )


def pinocchio_model() -> Any:
    return ARM.to_pinocchio().model


def picture() -> Any:
    return ch.plot.figure()[0]


mujoco_model.made = pinocchio_model.made = picture.made = True  # type: ignore[attr-defined]  # when they are asked for
LAW = {"K_p": 4.0, "K_v": 4.0, "K_d": 4.0, "K_I": 0.5, "independent": [0], "at": ON, "force": [0.0], "reference": ON}
ROLLING = np.array([0.3, 0.2, 0.1, 0.0, 0.0, 0.0])  # (alpha_f, alpha_o, psi, gap)
JOINTS = {"q": ANGLES, "qd": np.array([0.2, -0.1])}
SAMPLING: dict[str, Any] = {"cost": lambda t, q, qd, tau: qd @ qd, "dt": 0.01, "horizon": 4, "noise": 1.0, "knots": 3}
PLANNED = {
    **SAMPLING,
    "system": FLAT,
    "final_cost": lambda q, qd: q @ q,
    "effort": True,
    "method": "semi_implicit",
    "updates": 1,
    "plan": np.zeros((3, 1)),
    "numbers": [0, 1],
    "q": [0.1],
    "qd": [0.2],
}
BALL = {"link": ch.Link(1.0, inertia=(0.01, 0.01, 0.01)), "surface_f": SPHERE, "surface_o": PLANE}


@cache
def objects() -> dict[str, Any]:
    """An object of each class, for its methods."""
    return {
        "Robot": ARM,
        "LagrangianSystem": PARTICLE,
        "ConstrainedSystem": SWING,
        "Constraint": ROD,
        "Surface": SPHERE,
        "Kernel": TRIPLE,
        "Program": STEP,
        "Loop": HALVES,
        "Link": BAR,
        "SE3": ch.SE3(TURN, VECTOR),
        "SO3": TURN,
        "Vec3": VECTOR,
        "Twist": TWIST,
        "Wrench": WRENCH,
        "SpatialInertia": INERTIA,
        "paths.Path": ARC,
        "Rollout": ch.Rollout(ARM, steps=2, final_cost=lambda q, qd: q @ q),
        "control.ComputedTorque": control.ComputedTorque(ARM, rest(2, 2, 2), K_p=1.0, K_d=1.0),
        "control.PoseTracking": control.PoseTracking(ARM, ARC, K_p=1.0, K_d=1.0),
        "control.ResolvedAcceleration": control.ResolvedAcceleration(ARM, ARC, K_p=1.0, K_d=1.0, rows="tx ty"),
        "control.ResolvedRate": control.ResolvedRate(ARM, ARC, rows="tx ty"),
        "control.JointMotion": control.JointMotion(ARM, np.array([0.0, 1.0]), np.zeros((2, 2)), np.zeros((2, 2))),
        "control.Limits": control.Limits(ARM),
        "control.MPPI": control.MPPI(FLAT, **SAMPLING, samples=3, temperature=1.0),
        "control.PredictiveSampling": control.PredictiveSampling(FLAT, **SAMPLING, samples=3),
        "control.HybridControl": law("HybridControl", "K_p K_v independent at force K_I"),
        "control.HybridVelocityControl": control.HybridVelocityControl(SWING, rest(1, 1), K_p=1.0, independent=[0]),
        "control.GaugeControl": law("GaugeControl", "K_p K_d independent at reference force K_I"),
        "control.ParallelControl": law("ParallelControl", "K_p K_v independent at", actuated=[0]),
        "control.RollingContactControl": control.RollingContactControl(**BALL, desired=rest(2, 2), K_p=1.0),
        "control.SlidingContactControl": control.SlidingContactControl(**BALL, desired=rest(5, 5, 5), K_p=1.0, K_v=1.0),
    }


@cache
def results() -> dict[str, Any]:
    """Objects that functions return and that have functions of their own."""
    found = {
        "Reduced": SWING.reduced([0]),
        "Gauge": SWING.gauge(ON),
        "BaseParameters": ARM.base_parameters(),
        "Isometry": FLAT.isometry([0.1]),
        "Factors": ARM.factors(ANGLES),
        "GaugeEquations": SWING.gauge(ON).equations(ON, ALONG),
        "PinocchioTwin": ARM.to_pinocchio(),
        "Trajectory": MOTION,
        "Page": ch.results.Page("arm", "<!doctype html>"),
        "Equations": ARM.equations(),
        "Statement": ARM.equations().mass_matrix,
        "Statements": ARM.equations().recursion(),
    }
    return found


def law(name: str, options: str, **given: Any) -> Any:
    return getattr(control, name)(SWING, swinging, **{key: LAW[key] for key in options.split()}, **given)


ANY: dict[str, Any] = {  # wherever a parameter has this name
    "name": "thing",
    "seed": 0,
    "tolerance": 1e-6,
    "samples": 3,
    "dtype": "float64",
    "gravity": False,
    "duration": 1.0,
    "expressed": "body",
    "damping": 0.1,
    "t": 0.25,
    "robot": ARM,
    "K_p": 4.0,
    "K_v": 4.0,
    "K_d": 4.0,
    "K_I": 0.5,
    "K": 4.0,
    "T0": POSE,
    "T1": NEAR,
    "V0": np.zeros(6),
    "V1": np.zeros(6),
    "A0": np.zeros(6),
    "A1": np.zeros(6),
    "rng": 3,
    "dt": 0.01,
    "method": "rk4",
}
OF: dict[str, dict[str, Any]] = {  # of the methods and the constructor of a class, by its last name
    "Robot": {
        **dict.fromkeys(("q", "q0", "q1"), ANGLES),
        **dict.fromkeys(("qd", "qdd", "tau", "dq", "dqd", "dqdd", "w"), np.array([0.2, -0.1])),
        "u": np.array([1.0, 0.0]),
        "v": np.array([0.0, 1.0]),
        "tool_wrench": np.ones(6),
        "link_wrenches": np.ones((2, 6)),
        "base_velocity": np.zeros(6),
        "base_acceleration": np.zeros(6),
        "frame": "tool",
        "rows": "tx ty",
        "kind": 1,
        "order": 1,
        "inverse": "inertia",
        "W": np.eye(2),
        "X": np.array([1.0, 0.0]),
        "Y": np.array([0.0, 1.0]),
        "V": np.array([0.1, 0.2]),
        "theta": np.array([0.1, 0.2]),
        "T": POSE,
        "link": "link1",
        "path": SQUARE,
        "loop": SQUARE,
        "steps": 4,
        "loops": 1,
        "metric": "euclidean",
        "radius": 0.1,
        "links": [BAR, BAR],
        "screws": [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], point=[1, 0, 0])],
        "homes": [np.eye(4)] * 2,
        "tool": np.eye(4),
    },
    "plot": {
        "q": ANGLES,
        "view": "xy",
        "frames": "tool",
        "ghosts": ANGLES[None],
        "frame": "tool",
        "joint": "joint1",
        "joints": ("joint1", "joint2"),
        "at": ANGLES,
        "size": 3,
        "trajectory": MOTION,
        "system": LINKAGE,
        "figure": picture,
        "plane": "xy",
        "offset": 0.0,
        "samples": 200,
        "kind": "velocity",
        "metric": "euclidean",
        "scale": 0.1,
        "colour": "black",
        "point": [0.1, 0.2, 0.0],
        "branches": False,
        "values": lambda q: q[:, 0],
        "rows": "tx ty",
        "of": "joint1",
    },
    "formulations": {
        "q": ANGLES,
        **dict.fromkeys(("qd", "qdd", "tau"), np.array([0.2, -0.1])),
        "to": "link2",
        "start": "link1",
    },
    "LagrangianSystem": {
        **dict.fromkeys(("q", "q0", "q1", "qd", "v", "tau", "qdd"), np.array([0.2, -0.1])),
        "n": 2,
        "lagrangian": lambda q, qd: qd @ qd,
        "forces": lambda q, qd: -qd,
        "dissipation": lambda q, qd: qd @ qd,
        "coordinate_names": ["x", "y"],
    },
    "ConstrainedSystem": {
        **dict.fromkeys(("q", "q0", "q1", "start", "at", "reference"), ON),
        **dict.fromkeys(("qd", "v"), ALONG),
        "tau": np.array([0.2, -0.1]),
        "qdd": SWING.consistent_acceleration(ON, ALONG, [0.2, -0.1]),
        "system": PARTICLE,
        "constraint": ROD,
        "stabilization": 1.0,
        "independent": [0],
        "multipliers": [0.5],
        "A": SWING.constraint_matrix(ON),
    },
    "Constraint": {
        "frame_a": "base",
        "frame_b": "tool",
        "frame": "tool",
        "length": 1.0,
        "point_a": [0.0, 0.1, 0.0],
        "point_b": [0.0, 0.1, 0.0],
        "point": [0.0, 0.1, 0.0],
        "h": lambda q: q[0],
        "A": lambda q: q,
        "values": {0: 0.5},
        "rows": "tx ty",
        "pose": np.eye(4),
        "joint": 0,
        "master": 1,
        "factor": 2.0,
        "offset": 0.5,
        "tip": 0.1,
        "surface": PLANE,
        "surface_frame": "base",
        "spin": True,
        "radius": 0.1,
        "axis": [0.0, 1.0, 0.0],
        "normal": [0.0, 0.0, 1.0],
        "lateral": True,
        "height": 0.1,
        "system": PARTICLE,
        "other": ROD,
        "labels": None,
        "parts": ROD.parts,
    },
    "Surface": {
        "radius": 0.1,
        "a": 0.1,
        "b": 0.2,
        "c": 0.3,
        "pose": np.eye(4),
        "near": [(0.0, 0.1)],
        "point": lambda u, v: (u, v, u * v),
        "implicit": None,
    },
    "MPPI": {"temperature": 1.0, "t": 0.25, **PLANNED},
    "PredictiveSampling": {"t": 0.25, **PLANNED},
    "random": {"counter": 3, "shape": (2, 2)},
    "Rollout": {
        "system": ARM,
        "law": lambda t, q, qd: -qd,
        "steps": 2,
        "cost": lambda t, q, qd, tau: q @ q,
        "final_cost": lambda q, qd: q @ q,
        **JOINTS,
        "tau": np.zeros((2, 2)),
        "by": ("q", "tau"),
        "dt": 0.01,
    },
    "Link": {"mass": 1.0, "com": [0.1, 0.0, 0.0], "inertia": [0.1, 0.1, 0.1], "T": np.eye(4), "other": BAR},
    "Vec3": {"x": 0.1, "y": 0.2, "z": 0.3, "b": OTHER, "s": 2.0},
    "SO3": {"matrix": TURN.matrix, "s": ch.Vec3(0.0, 0.0, 1.0), "angle": 0.3, "w": VECTOR, "other": TURN},
    "SE3": {"R": TURN, "p": VECTOR, "V": TWIST, "F": WRENCH, "w": VECTOR, "other": ch.SE3(TURN, OTHER)},
    "Twist": {
        "w": VECTOR,
        "v": OTHER,
        "V": TWIST,
        "s": 2.0,
        "W": TWIST,
        "F": WRENCH,
        "dV": TWIST,
        "dX": TWIST,
        "q": 0.3,
    },
    "Wrench": {"m": VECTOR, "f": OTHER, "F": WRENCH, "s": 2.0, "V": TWIST},
    "SpatialInertia": {
        "mass": 1.0,
        "h": VECTOR,
        "S": INERTIA.S,
        "G": INERTIA,
        "V": TWIST,
        "s": 2.0,
        "com": VECTOR,
        "inertia": INERTIA.I,
        "a": VECTOR,
        "U": TURN.matrix,
        "T": ch.SE3(TURN, VECTOR),
    },
    "Kernel": {"program": STEP, "doc": "", "target": "cpu", "name": "q", "out": np.zeros(2)},
    "Program": {
        "inputs": STEP.inputs,
        "outputs": STEP.outputs,
        "nodes": STEP.nodes,
        "results": STEP.results,
        "loops": (),
        "data": STEP.to_dict(),
        "text": STEP.to_json(),
    },
    "Loop": {
        "step": STEP,
        "carry": ("x",),
        "count": 3,
        "given": (),
        "each": (),
        "record": (),
        "until": None,
        "rule": "steps",
        "restart": None,
        "data": HALVES.to_dict(),
        "text": HALVES.to_json(),
        "leaves": [1.0, 2.0],
    },
    "Trajectory": {"frame": "tool", "what": "q", "path": "motion.npz", "place": ()},
    "Sampling": {
        "period": 0.01,
        "delay": 0.01,
        **dict.fromkeys(("position_resolution", "velocity_resolution", "torque_resolution"), 0.1),
    },
    "Event": {"crossing": lambda t, q, qd: q[0], "name": "zero", "direction": 0, "terminal": False},
    "Reduced": {"q": ON, "qd": ALONG, "tau": np.zeros(2), "u": [0.5], "ud": [0.5]},
    "Gauge": {"q": ON, "qd": ALONG, "tau": np.zeros(2), "v_r": [0.5]},
    "GaugeEquations": {"tau": np.zeros(2), "u_o": [0.5], "u_r": [0.5]},
    "Factors": {
        **dict.fromkeys(("qd", "qdd"), np.array([0.2, -0.1])),
        "body": 1,
        "T": np.eye(4),
        "tool_wrench": np.ones(6),
        "link_wrenches": np.ones((2, 6)),
        "base_velocity": np.zeros(6),
        "base_acceleration": np.zeros(6),
    },
    "BaseParameters": {"pi": ARM.inertial_parameters, "Y": ARM.regressor(ANGLES, ANGLES, ANGLES)},
    "Isometry": {"q": [0.2], "qd": [0.1], "tau": [0.1], "phi": [0.1]},
    "PinocchioTwin": {"q": ANGLES, "v": ANGLES, "tau": ANGLES, "J": np.ones((6, 2)), "M": np.eye(2)},
    "paths": {"scaling": "quintic", "poses": SQUARE, "times": [0.0, 1.0, 2.0], "minimum": "jerk"},
    "Path": {"other": paths.screw(NEAR, POSE), "order": 2, "rotation": 1.0, "translation": 1.0, "t": [0.0, 0.5]},
    "conventions": {
        "q": ANGLES,
        "v": np.ones(2),
        "library": "mujoco",
        "joint_names": list(ARM.joint_names),
        "quaternion": [0.0, 0.0, 0.0, 1.0],
        "x": np.ones(6),
        "axis": -1,
        "J": np.ones((6, 2)),
        "X": np.ones((6, 6)),
        "jacp": np.ones((3, 2)),
        "jacr": np.ones((3, 2)),
    },
    "RollingContactControl": {
        "q": ROLLING,
        "qd": np.zeros(6),
        "tau": np.zeros(6),
        "f": np.zeros(4),
        "integral": np.zeros(4),
    },
    "SlidingContactControl": {"q": ROLLING, "qd": np.zeros(6), "tau": np.zeros(6), "f": np.zeros(1)},
    "ComputedTorque": JOINTS,
    "PoseTracking": JOINTS,
    "ResolvedAcceleration": JOINTS,
    "ResolvedRate": JOINTS,
    "Limits": JOINTS,
    "control": {
        "constrained": SWING,
        "desired": swinging,
        **LAW,
        "measure": lambda t, q, qd, tau: np.zeros(1),
        "integral": [0.0],
        "q": ON,
        "qd": ALONG,
        "tau": np.zeros(2),
        "f": np.zeros(1),
        "path": ARC,
        "frame": "tool",
        "rows": "tx ty",
        "inverse": "inertia",
        "objective": lambda q: q @ q,
        "objective_gain": 1.0,
        "null_damping": 1.0,
        "limits": False,
        "q0": ANGLES,
        "dt": 0.1,
        "actuated": [0],
        "preload": [0.0],
        "rate": 10.0,
        "position": True,
        "velocity": True,
        "effort": True,
        "acceleration": 5.0,
        "what": "q",
        "eta": np.zeros(5),
        **BALL,
    },
}
CLOSED = ch.ConstrainedSystem(ARM, ch.Constraint.holonomic(lambda q: q[0] - 0.3, name="clamp"))
DRAWN: dict[str, Any] = {"meshes": False, "folders": ()}
SHOWN: dict[str, Any] = {"file": "shown.html", "overwrite": True, "open": False, **DRAWN}
READ = {"symbols": None, "coordinates": ["a", "b"], "frame": None, "names": True}
PRINTED = {"compact": True, "digits": 4, "width": 80}
UNSAID = dict.fromkeys(("derivative", "frame", "expressed", "rows", "method", "dt", "steps"))
LEAVING: dict[str, Any] = {
    **UNSAID,
    "to": "casadi",
    "folder": "exported",
    "name": "f",
    "dtype": "float64",
    "overwrite": True,
    "inputs": (),
    "parameters": (),
}
BY: dict[str, dict[str, Any]] = {  # of one function alone
    "Robot.export": {**LEAVING, "function": "task_inertia", "rows": "tx"},
    "LagrangianSystem.export": {**LEAVING, "function": "mass_matrix"},
    "ConstrainedSystem.export": {**LEAVING, "function": "constraint_matrix"},
    "Kernel.export": {"to": "casadi", "folder": "exported", "name": "f", "overwrite": True},
    "Robot": {"mechanism": ARM.mechanism},
    "Robot.from_screws": {"gravity": [0.0, 0.0, -9.8], "damping": [0.1, 0.1]},
    "Robot.from_body_screws": {"body_screws": ARM.screws},
    "Robot.from_dh": {"rows": [(0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.3, 0.4)]},
    "Robot.from_mujoco": {"model": mujoco_model},
    "Robot.from_pinocchio": {"model": pinocchio_model},
    "Robot.pinocchio_twin": {"model": pinocchio_model},
    "Robot.kernel": {"names": "task_inertia"},
    "Robot.with_gravity": {"gravity": [0.0, 0.0, -1.6]},
    "Robot.with_base": {"kind": "free"},
    "Robot.with_inertial_parameters": {"parameters": ARM.inertial_parameters},
    "Robot.with_locked": {"positions": {"joint1": 0.2}},
    "Robot.with_payload": {"mass": 1.0},
    "Robot.subtree": {"link": "link1"},
    "Robot.path_energy": {"q": np.array([ANGLES, ANGLES + 0.1, ANGLES + 0.2])},
    "Robot.parallel_transport": {"q": np.array([ANGLES, ANGLES + 0.1, ANGLES + 0.2])},
    "Robot.reduced_acceleration": {"W": np.eye(6)},
    "Robot.balanced": {"radius": 0.1},
    "Robot.random": {"rng": 3},
    "Page.save": {"path": "saved.html", "overwrite": True},
    "Robot.page": DRAWN,
    **dict.fromkeys(("Robot.equations", "LagrangianSystem.equations", "ConstrainedSystem.equations"), READ),
    "Robot.equations": {**READ, "frame": "tool", "symbols": "inertias"},
    "Equations.recursion": {"name": "inverse_dynamics", "inputs": "tool_wrench", "links": ["link1"]},
    **dict.fromkeys(("Equations.mathml", "Equations.text", "Statement.mathml", "Statement.text"), PRINTED),
    **{name: {**PRINTED, "environment": "aligned"} for name in ("Equations.latex", "Statement.latex")},
    **{f"Statements.{name}": {"digits": 4, "width": 80} for name in ("html", "latex", "text")},
    "Statement.sympy": {"named": True},
    "Robot.report": {"speed": False, "meshes": False, "folders": ()},
    "Robot.show": SHOWN,
    "Trajectory.page": DRAWN,
    "Trajectory.show": SHOWN,
    "ConstrainedSystem.page": {"self": CLOSED, "q": ANGLES, **DRAWN},
    "ConstrainedSystem.plot": {
        "self": CLOSED,
        "q": ANGLES,
        "ax": None,
        "view": "xy",
        "frames": "tool",
        "ghosts": ANGLES[None],
    },
    "ConstrainedSystem.show": {"self": CLOSED, "q": ANGLES, **SHOWN},
    "Robot.simulate": {"tolerance": None, "events": ()},
    "LagrangianSystem.simulate": {"tolerance": None, "events": (), "duration": 0.02, "stops": False},
    "ConstrainedSystem.simulate": {"tolerance": None, "events": (), "duration": 0.02, "stops": False},
    "integrators.find": {"name": "rk4"},
    "Robot.isometry": {"self": FLAT, "q0": [0.1]},
    "plot.coupler_curve": {"q": LINKAGE.consistent(ANGLES, np.zeros(2))[0]},
    "plot.figure": {"rows": 1, "columns": 1, "width": 3.5, "height": 2.0, "views": "2d"},
    "plot.path": {"q": np.array([ANGLES, ANGLES + 0.1])},
    "plot.save": {"path": os.path.join(os.path.dirname(SAVED), "picture.svg")},
    "plot.torque_map": {"robot": ARM.with_gravity([0.0, -9.81, 0.0])},
    "plot.vector_field": {"system": FLAT, "q": (-1.0, 1.0), "qd": (-1.0, 1.0), "tau": 0.5, "density": 0.1},
    "Robot.to_toml": {"path": os.devnull},
    "Robot.to_urdf": {"path": os.devnull},
    "LagrangianSystem.kernel": {"name": "mass_matrix"},
    "Kernel": {"name": "halved"},
    "Kernel.gradient": {"self": LENGTH},
    "Kernel.hessian": {"self": LENGTH},
    "Kernel.to": {"target": "llvm"},
    "Gauge.frames": {"q": np.array([ON, ON])},
    "Link.mapped": {"function": lambda x: x},
    "Link.of": {"parameters": ARM.inertial_parameters[0]},
    "Constraint.pfaffian": {"A": lambda q: [q[1], -q[0]]},
    "Constraint.of": {"h": lambda system, q: q[0], "rows": None},
    "paths.through": {"times": [0.0, 1.0, 2.0]},
    "compile": {"function": lambda q: q * 2.0, "q": 2},
    "load": {"source": "pendulum"},
    "load_text": {"text": ARM.to_toml(), "format": "toml"},
    "loop": {"step": lambda x: x * 0.5, "carry": 1.0, "count": 3},
    "screw": {"axis": [0.0, 0.0, 1.0], "point": [1.0, 0.0, 0.0], "pitch": 0.1},
    "prismatic": {"axis": [0.0, 0.0, 1.0]},
    "cylindrical": {"axis": [0.0, 0.0, 1.0], "point": [1.0, 0.0, 0.0]},
    "universal": {"axis": [0.0, 0.0, 1.0], "axis2": [1.0, 0.0, 0.0], "point": [1.0, 0.0, 0.0]},
    "rollout": {"system": ARM, "q0": ANGLES, "qd0": np.zeros(2), "dt": 0.01, "steps": 2},
    "Robot.rollout": {"qd0": np.zeros(2), "dt": 0.01, "steps": 2},
    "LagrangianSystem.rollout": {"qd0": np.zeros(2), "dt": 0.01, "steps": 2},
    "ConstrainedSystem.rollout": {"qd0": ALONG, "dt": 0.01, "steps": 2},
    "Robot.linearize": {"method": "exact"},
    "set_num_threads": {"count": ch.get_num_threads()},
    "simulate": {
        "system": ARM,
        "q": ANGLES,
        "qd": np.zeros(2),
        "duration": 0.02,
        "dt": 0.01,
        "saturate": 1.0,
        "stops": 0.1,
        "tolerance": None,
        "events": (),
    },
    "Trajectory.load": {"path": SAVED, "system": ARM},
    "symbols": {"names": "a b"},
    "where": {"condition": np.array([True, False]), "x": np.ones(2), "y": np.zeros(2)},
    "control.HybridVelocityControl": {"desired": rest(1, 1)},
    "control.RollingContactControl": {"desired": rest(2, 2), "force": np.zeros(4), "gravity": [0.0, 0.0, -9.81]},
    "control.SlidingContactControl": {"desired": rest(5, 5, 5), "force": np.zeros(1), "gravity": [0.0, 0.0, -9.81]},
    "control.centring": {"robot": LIMITED},
    "control.ComputedTorque": {"desired": rest(2, 2, 2)},
    "control.JointMotion": {"t": np.array([0.0, 1.0]), "q": np.zeros((2, 2)), "qd": np.zeros((2, 2))},
    "control.PoseTracking.reference": {"X": np.zeros(6), "X_rate": np.zeros(6)},
}


def right(public: Any) -> dict[str, Any]:
    """The arguments of a public function by name; LookupError says which is missing."""
    found: dict[str, Any] = {}
    *owners, last = public.path.split(".")
    own = BY.get(public.path, {})
    for name, parameter in public.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        places = (own, *(OF[key] for key in (last, *reversed(owners)) if key in OF), ANY)
        place = next((x for x in places if name in x), None)
        if place is not None:
            found[name] = place[name]() if getattr(place[name], "made", False) else place[name]
        elif parameter.default is parameter.empty:
            raise LookupError(f"{public.path}: no right value of {name!r}: add one to tests/support/right_arguments.py")
    return found | {name: x for name, x in own.items() if name not in found and name != "self"}
