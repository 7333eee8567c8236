"""Pictures for papers, by matplotlib ("chasles[plot]"): `chasles.plot`.

Each function draws on the axes given as `ax`, or on those of a new Figure, and returns the Figure.
"""

from chasles.figures import figure, save
from chasles.plot.coupler_curves import coupler_curve
from chasles.plot.ellipsoids import ellipsoid
from chasles.plot.joint_maps import curvature_map, joint_map, manipulability_map, torque_map
from chasles.plot.phase_portraits import phase_portrait, vector_field
from chasles.plot.robot_picture import robot
from chasles.plot.screw_axes import screws
from chasles.plot.tool_paths import path
from chasles.plot.workspaces import workspace

__all__ = [
    "coupler_curve",
    "curvature_map",
    "ellipsoid",
    "figure",
    "joint_map",
    "manipulability_map",
    "path",
    "phase_portrait",
    "robot",
    "save",
    "screws",
    "torque_map",
    "vector_field",
    "workspace",
]
