"""Poses, velocities, accelerations and Jacobians of frames."""

from typing import Any

from chasles import arrays
from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.dynamics import jacobian as jacobians
from chasles.dynamics import kinematics
from chasles.errors import ModelError
from chasles.lie import SE3, Twist
from chasles.scalar.leaf import Leaves


@declare("q", (4, 4), uses="frame")
def forward_kinematics(robot: Traceable, options: Options, q: Leaves) -> Any:
    x = robot.coupling.coordinates(q)
    return arrays.from_motion(kinematics.frame_pose(robot.true, x, *robot.frame(options.frame)))


@declare("q", ("links", 4, 4))
def link_poses(robot: Traceable, options: Options, q: Leaves) -> Any:
    T = kinematics.poses(robot.true, robot.true.motions(robot.coupling.coordinates(q)))
    return [arrays.from_motion(T[i] @ F.inv()) for i, F in enumerate(robot.aligned.frames)]


@declare("q", ("frames", 4, 4))
def frame_poses(robot: Traceable, options: Options, q: Leaves) -> Any:
    T = kinematics.poses(robot.true, robot.true.motions(robot.coupling.coordinates(q)))
    places = [robot.frame(name) for name in robot.mechanism.frames]
    return [arrays.from_motion(T[body] @ X if body >= 0 else X) for body, X in places]


def _frame_motion(robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves) -> tuple[SE3, Twist, Twist]:
    G = robot.coupling
    state = G.coordinates(q), G.velocities(qd), G.velocities(qdd)
    return kinematics.frame_motion(robot.true, *state, *robot.frame(options.frame))


@declare("q qd", (6,), uses="frame expressed")
def velocity(robot: Traceable, options: Options, q: Leaves, qd: Leaves) -> Any:
    T, V, _ = _frame_motion(robot, options, q, qd, robot.rest)
    return arrays.from_twist(kinematics.express_velocity(T, V, options.expressed))


@declare("q qd qdd", (6,), uses="frame expressed")
def acceleration(robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves) -> Any:
    T, V, A = _frame_motion(robot, options, q, qd, qdd)
    return arrays.from_twist(kinematics.express_acceleration(T, V, A, options.expressed))


@declare("q qd qdd", (6,), uses="frame expressed")
def classical_acceleration(robot: Traceable, options: Options, q: Leaves, qd: Leaves, qdd: Leaves) -> Any:
    if options.expressed == "space":
        raise ModelError('a classical acceleration is at the frame\'s origin: expressed must be "body" or "mixed"')
    T, V, A = _frame_motion(robot, options, q, qd, qdd)
    A = kinematics.classical(V, A)
    return arrays.from_twist(A if options.expressed == "body" else kinematics.turned(T, A))


@declare("q", (6, "n"), uses="frame expressed")
def jacobian(robot: Traceable, options: Options, q: Leaves) -> Any:
    x = robot.coupling.coordinates(q)
    columns = jacobians.jacobian(robot.true, x, *robot.frame(options.frame), options.expressed)
    return arrays.from_columns(robot.coupling.forces(columns), 6)


@declare("q qd", (6, "n"), uses="frame expressed")
def jacobian_derivative(robot: Traceable, options: Options, q: Leaves, qd: Leaves) -> Any:
    x, y = robot.coupling.coordinates(q), robot.coupling.velocities(qd)
    columns = jacobians.jacobian_derivative(robot.true, x, y, *robot.frame(options.frame), options.expressed)
    return arrays.from_columns(robot.coupling.forces(columns), 6)
