"""Rows of a URDF tree, as `mechanism` takes them: one a link but the root, in the space frame at q = 0.

With H_p the home of the parent, T the joint's origin, a its axis, the home of the child is H = H_p T, and the screw
is that of the line through the origin of H along H a, or of the direction H a. A planar joint moves in the plane across
its axis. The model's moves in the x-y plane of its own frame: where the axis is not +-z, that frame is one of its own,
turned the shortest way to have its z along the axis, and the link is fixed to it.
"""

from dataclasses import dataclass

import numpy as np

from chasles.io.names import unique
from chasles.io.urdf_joints import UrdfJoint
from chasles.model.link import Link
from chasles.model.poses import matrix, pose, twist
from chasles.model.screws import prismatic, screw

_KINDS = {"planar": "planar", "floating": "free"}


@dataclass
class UrdfRow:
    """A link, and the joint it hangs on. joint: None for one that the file does not have."""

    name: str
    link: Link
    parent: int
    home: np.ndarray
    screw: np.ndarray
    kind: str
    joint_name: str
    joint: UrdfJoint | None


def rows_of(ground: str, bodies: dict[str, Link], order: list[UrdfJoint]) -> list[UrdfRow]:
    """The rows of the joints in order, parents first."""
    out: list[UrdfRow] = []
    index = {ground: -1}
    links, joints = set(bodies), {joint.name for joint in order}
    for joint in order:
        parent = index[joint.parent]
        H = joint.origin if parent < 0 else out[parent].home @ joint.origin
        S, kind = _screw(joint, H), _KINDS.get(joint.type, "screw")
        if joint.frozen is not None:
            H, S = matrix(twist(S).exp(joint.frozen) @ pose(H)), np.zeros(6)
        child = UrdfRow(joint.child, bodies[joint.child], parent, H, S, kind, joint.name, joint)
        if kind == "planar" and abs(joint.axis[2]) != 1.0:
            name = unique(f"{joint.child}_plane", links)
            tilted = H.copy()
            tilted[:3, :3] = H[:3, :3] @ _tilt(joint.axis)
            out.append(UrdfRow(name, Link(name=name), parent, tilted, S, kind, joint.name, joint))
            rest = unique(f"{joint.name}_plane", joints)
            child = UrdfRow(joint.child, bodies[joint.child], len(out) - 1, H, S, "screw", rest, None)
        index[joint.child] = len(out)
        out.append(child)
    return out


def _screw(joint: UrdfJoint, H: np.ndarray) -> np.ndarray:
    s = H[:3, :3] @ joint.axis
    if joint.type == "prismatic":
        return prismatic(s)
    return screw(s, H[:3, 3]) if joint.type in ("revolute", "continuous") else np.zeros(6)


def _tilt(axis: np.ndarray) -> np.ndarray:
    """The shortest rotation that takes z to the unit vector `axis`, which is not -z."""
    x, y, z = map(float, axis)
    k = 1.0 / (1.0 + z)
    return np.array([[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]])
