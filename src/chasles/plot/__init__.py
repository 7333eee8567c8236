"""Pictures for papers, by matplotlib ("chasles[plot]"): `chasles.plot`.

Each function draws on the axes given as `ax`, or on those of a new Figure, and returns the Figure.
"""

from typing import TYPE_CHECKING, Any

from chasles.figures import figure, save

if TYPE_CHECKING:
    from chasles.plot.coupler_curves import coupler_curve
    from chasles.plot.ellipsoids import ellipsoid
    from chasles.plot.joint_maps import curvature_map, joint_map, manipulability_map, torque_map
    from chasles.plot.phase_portraits import phase_portrait, vector_field
    from chasles.plot.robot_picture import robot
    from chasles.plot.screw_axes import screws
    from chasles.plot.tool_paths import path
    from chasles.plot.workspaces import workspace

_WHEN_NEEDED = {
    "coupler_curve": "chasles.plot.coupler_curves",
    "curvature_map": "chasles.plot.joint_maps",
    "ellipsoid": "chasles.plot.ellipsoids",
    "joint_map": "chasles.plot.joint_maps",
    "manipulability_map": "chasles.plot.joint_maps",
    "path": "chasles.plot.tool_paths",
    "phase_portrait": "chasles.plot.phase_portraits",
    "robot": "chasles.plot.robot_picture",
    "screws": "chasles.plot.screw_axes",
    "torque_map": "chasles.plot.joint_maps",
    "vector_field": "chasles.plot.phase_portraits",
    "workspace": "chasles.plot.workspaces",
}


def __getattr__(name: str) -> Any:
    """Functions, with the rooms below that they need, imported when first used."""
    if name not in _WHEN_NEEDED:
        raise AttributeError(f"module 'chasles.plot' has no attribute {name!r}; there are {', '.join(__all__)}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_WHEN_NEEDED[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


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
