"""Pieces of URDF text for tests."""

import pathlib
import warnings

import numpy as np

from chasles.errors import ModelWarning
from chasles.model.screws import turn

INERTIAL = (
    '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><mass value="2"/>'
    '<inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial>'
)
LIMIT = '<limit lower="-1" upper="2" effort="10" velocity="3"/>'


def link(name, inside=INERTIAL):
    return f'<link name="{name}">{inside}</link>'


def joint(
    name, parent, child, type="revolute", inside='<axis xyz="0 0 1"/>' + LIMIT, origin='xyz="1 2 3" rpy="0.1 0.2 0.3"'
):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{type}"><origin {origin}/>{ends}{inside}</joint>'


def robot(*parts, name="r", head=""):
    """A robot, every part on a line of its own, the first on line 2."""
    return "\n".join([f'{head}<robot name="{name}">', *parts, "</robot>"])


def arm(*joints, links="abcdefgh"):
    """A chain a - b - c ... of the given (type, inside) joints j1, j2, ..."""
    chain = [joint(f"j{k + 1}", links[k], links[k + 1], *j) for k, j in enumerate(joints)]
    return robot(*(link(x) for x in links[: len(chain) + 1]), *chain)


def example_files():
    """Every .urdf file of the wheel example-robot-data, by its path from the folder of robots; empty without it."""
    try:
        import pinocchio
    except ImportError:
        return {}
    root = pathlib.Path(pinocchio.__file__).parents[4] / "share/example-robot-data/robots"
    return {str(file.relative_to(root)): file for file in sorted(root.rglob("*.urdf"))}


REFUSED = {  # of these files, what is said of those that Pinocchio refuses too, asked for mimics
    "alex_description/urdf/alex_psyonic_hands.urdf": r":\d+: joint 'Left_index_q2' mimics 'index_q1', which is no",
    "falcon_description/urdf/falcon.urdf": r":180: joint 'top_propeller_joint': its child 'Z_propeller' is no link",
    "ur_description/urdf/ur3.urdf": r":6: the robot has no <link>; it declares xacro",
}
FEW = (  # of these files, what each is for
    "bravo7_description/urdf/bravo7_gripper.urdf",  # a singular mass matrix, which MuJoCo refuses
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "human_description/robots/human.urdf",  # chains of links without mass
    "iris_description/robots/iris_simple.urdf",  # nothing moves
    "kinova_description/robots/kinova.urdf",  # continuous joints among others
    "panda_description/urdf/panda.urdf",  # a mimic, sliding joints
    "romeo_description/urdf/romeo_laas_small.urdf",  # an impossible inertia
    "talos_data/robots/talos_left_arm.urdf",  # mimics that are fixed joints
    "tiago_pro_description/robots/tiago_pro.urdf",  # joints on merged links come before others
    "ur_description/urdf/ur5_robot.urdf",
)


def pinocchio_q(model, x):
    """Pinocchio's configuration of coordinates x, one a joint: its continuous joints are (cos, sin)."""
    q = np.empty(model.nq)
    for j in range(1, model.njoints):
        i, angle = model.joints[j].idx_q, x[model.joints[j].idx_v]
        q[i : i + model.joints[j].nq] = angle if model.joints[j].nq == 1 else (np.cos(angle), np.sin(angle))
    return q


def rotation(roll, pitch, yaw):
    return turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)


def pose(position, angles=(0, 0, 0)):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation(*angles), position
    return T


def quietly(f, *args):
    """f(*args) without warnings of doubtful models."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return f(*args)
