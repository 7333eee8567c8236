"""Robots from Pinocchio and for it, with the way between the coordinates.

`to_pinocchio` makes the model, `from_pinocchio` the mechanism, and `twin` the mechanism with the same maps:

                 ours                                   Pinocchio's
    screw        one number q                           rate q + offset; cos and sin of q where its joint is unbounded
    planar       (x, y, theta)                          (x, y, cos theta, sin theta)
    spherical    quaternion (x, y, z, w)                the same
    free         position, quaternion; v = (w, v)       the same; v = (v, w)

Written: names, inertias (the base's too), gravity, all frames, limits, armature, damping, friction. A joint's frame is
its link's where the axis goes through the link's origin, as after reading a URDF file; elsewhere it is moved to the
nearest point of the axis. A screw that is not of unit length is Pinocchio's unit screw with `rate` its length; forces,
armature, damping and limits are scaled with it. Joints that mimic become `JointModelMimic`; the joint whose number
Pinocchio takes is the first of those that move together, so that `rate` and `offset` may be those of a mimic, and their
armature, damping and friction are added up. Of such models Pinocchio 4.1 has the forces of `rnea`, poses and Jacobians
right, but not if the mimic is helical: that is refused. Its `crba` is wrong where the tree branches beyond a mimic, and
its `aba` refuses. Whether friction is in the equations is not part of a model.

Read: all joints but ellipsoids. An unbounded joint is one angle; universal, translation, spherical-ZYX and composite
joints become chains with massless links between. The frame of a link is its first BODY frame. Frames keep their names,
made different where two share one; only the frame of a joint that stands where its link's does is left out. Position
limits of planar, spherical and free joints are not read, with a note; neither is damping or friction that differs
between the velocities of one joint, with a doubt. Armature that does is refused. Geometry models are not looked at.
"""

from chasles.io.pinocchio_reader import from_pinocchio, twin
from chasles.io.pinocchio_twin import PinocchioTwin
from chasles.io.pinocchio_writer import to_pinocchio

__all__ = ["PinocchioTwin", "from_pinocchio", "to_pinocchio", "twin"]
