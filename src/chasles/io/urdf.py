"""A robot as a .urdf file.

The space frame is that of the root link, the frame of every link is where the file puts it at q = 0, and q is in the
order in which Pinocchio has it: depth first from the root, the joints of a link by name (as bytes, "10" < "9" < "a"),
whatever the order of the file. Fixed joints are merged; every link stays addressable as a frame.

    revolute, prismatic   a screw with limits; without a <limit>, unbounded, with a doubt
    continuous            a revolute joint without bounds: one angle, not (cos, sin)
    floating              a free joint
    planar                in the plane across its <axis>, as the specification says. q = (x, y, theta) is in the link
                          frame where the axis is +-z (there Pinocchio, which ignores the axis and always moves in x-y,
                          agrees), elsewhere in a frame NAME_plane whose z is the axis
    mimic                 follows its master, also through other mimics; one whose master is fixed is held where that
                          puts it; one whose master does not exist is refused
    <axis>                1 0 0 where left out; normalised, with a note; zero is refused
    <limit>               lower and upper are 0 where left out; beyond 1e300 there is no bound; a lower one above the
                          upper is taken the other way round, with a doubt
    <origin>              xyz, and rpy (R = Rz(yaw) Ry(pitch) Rx(roll)) or quat_xyzw, in a file of any version
    <inertial>            zero where left out; else <mass> and all six of <inertia> are needed. Doubted: an iyx, izx or
                          izy that says the same again, a <density> besides
    <visual> <collision>  kept as `Shape`s, mesh files by name: none is ever opened

What is unknown is ignored, with a note; but what looks like a misspelling of something known is refused, as is anything
unknown in <inertial>, <origin>, <axis>, <mimic> and their like, and a second element where one belongs. A <link> or
<joint> inside of something unknown is not read, with a doubt (<gazebo>, <transmission> and their like only name them),
and so are an <xacro:property> and <xacro:arg> that were left in a file without any other xacro, which is refused, as is
<xi:include>. Numbers are those of the C locale, finite. Every complaint begins with FILE:LINE.

The tool is the link called "tool", or else the last link of a robot that does not branch, with a note where several are
fixed to its tip: the last of them in the order above.
"""

from os import PathLike
from typing import Any

from chasles.io import files, xml
from chasles.io.urdf_reader import Reader
from chasles.io.urdf_writer import write
from chasles.model.mechanism import Mechanism

__all__ = ["parse", "read", "write"]


def read(path: str | PathLike[str] | Any) -> Mechanism:
    """The mechanism of a .urdf file: a path, or anything with `read_bytes` (a resource of a package)."""
    return parse(files.read(path), str(path))


def parse(text: str | bytes, file: str = "<text>") -> Mechanism:
    """The mechanism of the text of a .urdf file; `file` names it in errors."""
    return Reader(file).mechanism(xml.parse(text, file))
