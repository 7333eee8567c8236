"""A robot as a .toml file, everything absolute in the space frame at q = 0.

    name, description, source   strings; gravity: 3 numbers
    friction                    true: the joints' damping and friction are in the equations of motion
    doubts                      strings: what to look at, of the file that the robot came from
    accept_impossible           true: a link whose inertia has a negative eigenvalue is doubted, not refused
    [base]                      what does not move: name (default: "base"); mass, com, inertia, for when it is set free
    [[links]]                   one a link, parents first
        name                    string; parent: a link before it, or the base (default: the link just before)
        home                    {position, rpy | rotation} or 4 rows of 4 numbers; rpy: R = Rz(yaw) Ry(pitch) Rx(roll)
        mass, com, inertia      kg; m; kg m^2 about the centre of mass, in the link frame: 3 numbers (diagonal), 3 rows
                                of 3, or {xx, yy, zz, xy, xz, yz}
        mount                   the merged link that its joint hangs on, one of its parent's [[frames]] (default: the
                                parent itself); inserted: true of one that stands inside a joint, without a mass
        joint                   {name, type, ...}, of type
            revolute            axis, point
            prismatic           axis
            helical             axis, point, pitch (m/rad)
            fixed               nothing more
                                or, instead of axis, point and pitch, screw = 6 numbers (angular, linear)
            planar, spherical, free    nothing more: the joint's frame is the link's (model/joint.py)
            universal           axis, axis2, point: becomes the revolute joints NAME about axis and NAME2 about axis2,
                                and between them the massless link LINK_cross
            cylindrical         axis, point: becomes the revolute joint NAME, the prismatic joint NAME2, LINK_sleeve
                                lower, upper, velocity, effort: limits, none where left out; armature, damping,
                                friction: 0 where left out; each two numbers for a universal or cylindrical joint
            mimic               {joint, factor = 1, offset = 0}: q = factor * (q of that joint) + offset
    [tool]                      link (default: the last), and home, or pose in that link's own frame
    [[frames]]                  name, link, and home or pose
    [[shapes]]                  what can be seen, or touched: frame (a link or frame), role ("visual" or "collision",
                                the first where left out), one of mesh (a file's name; with scale, 3 numbers), box
                                (3 sides), sphere (radius), cylinder and capsule (radius, length along z), and pose, in
                                the frame; name, colour (red, green, blue, alpha), texture (a file's name)

A fixed link is written as what it has become, a frame of the link that it was merged into, with two more keys: parent,
what it hung on where that was merged too (the [tool] may have one as well), and load = {mass, com, inertia}, what it
weighs with all that was fixed to it, which is counted in `link` already. They are there for subtrees.

An axis of a length other than 1 is normalised, with a note. `write` gives a file that `read` takes back to the last
bit: it writes `screw` and `pose` where axis and point, or home, would round differently, and universal and cylindrical
joints as the two that they are.
"""

import re
import tomllib
from os import PathLike
from typing import Any

from chasles.errors import ModelError
from chasles.io import files, toml_bounds
from chasles.io.toml_lines import Lines
from chasles.io.toml_reader import Reader
from chasles.model.mechanism import Mechanism

__all__ = ["parse", "read", "write"]


def read(path: str | PathLike[str] | Any) -> Mechanism:
    """The mechanism of a .toml file: a path, or anything with `read_bytes` (a resource of a package)."""
    try:
        return parse(files.read(path).decode("utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: a .toml file is UTF-8 text, and this is not: {error}") from None


def parse(text: str, file: str = "<text>") -> Mechanism:
    """The mechanism of the text of a .toml file; `file` names it in errors."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    toml_bounds.check(text, file)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r" \(at line (\d+), column (\d+)\)| \(at end of document\)", str(error))
        line = at[1] if at and at[1] else text.count("\n") + 1
        message = str(error).replace(at[0], f" (column {at[2]})" if at[2] else "") if at else str(error)
        raise ModelError(f"{file}:{line}: not TOML: {message}") from None
    except RecursionError:
        raise ModelError(f"{file}: not TOML: brackets are nested too deeply") from None
    except ValueError as error:  # an integer of thousands of digits
        raise ModelError(f"{file}: not TOML: {error}") from None
    return Reader(data, Lines(text), file).mechanism()


def write(mechanism: Mechanism) -> str:
    """The text of a .toml file that reads back as the same mechanism."""
    from chasles.io import toml_writer  # reading is what is waited for

    return toml_writer.write(mechanism)
