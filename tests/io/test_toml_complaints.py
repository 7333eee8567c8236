"""Each complaint about a robot file, with its file and line."""

import re
from pathlib import Path

import pytest

from chasles.errors import ModelError
from chasles.io import toml

ROBOT = Path(__file__).with_name("arm.toml").read_text(encoding="utf-8")

COMPLAINTS = {
    # what is replaced: by what, the line, the message
    "syntax": ('name = "arm"', "name = arm", 1, r"not TOML: Invalid value \(column 8\)"),
    "end of file": ("rpy = [1.5707963267948966, 0.0, 0.0]}", "rpy = [1.57", 49, "not TOML"),
    "key of a robot": (
        "description",
        "descripton",
        2,
        "a robot: unknown key 'descripton'; did you mean 'description'?",
    ),
    "key of a link": ("mass = 2.0", "weight = 2.0", 28, "link 'fore': unknown key 'weight'; the keys are name, parent"),
    "key of a joint": (
        "pitch = 0.01",
        "ptich = 0.01",
        37,
        "the joint of link 'fore': unknown key 'ptich'; did you mean",
    ),
    "key of an inline joint": ("upper = 2.0", "uper = 2.0", 23, "unknown key 'uper'; did you mean 'upper'?"),
    "key of a home": ("rpy = [0.0, 0.0, 0.0]", "rotate = 1", 15, "link 'upper': home: unknown key 'rotate'"),
    "key of a frame": ('name = "camera"\nlink', 'name = "camera"\nbody', 47, "unknown key 'body'"),
    "key of the tool": (
        'link = "fore"\nhome',
        'link = "fore"\nhom',
        11,
        "the tool: unknown key 'hom'; did you mean 'home'?",
    ),
    "no name": ('name = "fore"\n', "", 25, "link 2: the key 'name' is missing"),
    "no home": ("home = {position = [1.5, 0.0, 0.0]}\n", "", 39, "link 'plate': the key 'home' is missing"),
    "no joint": ('joint = {type = "fixed"}\n', "", 39, "link 'plate': the key 'joint' is missing"),
    "no type": ('type = "helical"\n', "", 32, "the joint of link 'fore': the key 'type' is missing"),
    "no axis": ("axis = [0.0, 0.0, 1.0]\n", "", 32, "joint 'elbow': the key 'axis' is missing; a helical joint needs"),
    "no pitch": (
        "pitch = 0.01\n",
        "",
        32,
        "joint 'elbow': the key 'pitch' is missing; a helical joint needs axis, point, pitch",
    ),
    "no point": (", point = [0.0, 0.0, 0.0]", "", 23, "joint 'shoulder': the key 'point' is missing"),
    "no zz": ("zz = 0.3, ", "", 29, "link 'fore': inertia: the key 'zz' is missing"),
    "type": (
        '"helical"',
        '"ball"',
        34,
        "type must be one of revolute, prismatic, helical, fixed, .*free, .*universal, cylindrical, got 'ball'",
    ),
    "kind of name": ('name = "arm"', "name = 3", 1, "a robot: name must be a string, got 3"),
    "kind of mass": ("mass = 2.0", 'mass = "2"', 28, "link 'fore': mass must be a number, got '2'"),
    "truth as mass": ("mass = 2.0", "mass = true", 28, "link 'fore': mass must be a number, got True"),
    "shape of com": (
        "    0.0,\n    0.0,\n]",
        "    0.0,\n]",
        17,
        r"link 'upper': com must be 3 numbers, got \[0.5, 0.0\]",
    ),
    "shape of inertia": (
        "inertia = [0.1, 0.1, 0.1]",
        "inertia = [0.1]",
        22,
        "inertia.* must be 3 rows of 3 numbers, got",
    ),
    "shape of home": ("[0.0, 0.0, 0.0, 1.0]]", "[0.0, 0.0, 0.0]]", 30, "link 'fore': home must be 4 rows of 4 numbers"),
    "shape of axis": (
        "axis = [0.0, 0.0, 1.0]\n",
        "axis = [1.0]\n",
        35,
        r"joint 'elbow': axis must be 3 numbers, got \[1.0\]",
    ),
    "shape of gravity": ("[0.0, 0.0, -9.81]", "-9.81", 7, "gravity must be 3 numbers, got -9.81"),
    "nan": ("mass = 2.0", "mass = nan", 28, "link 'fore': mass has a nan or an infinity"),
    "infinite point": ("point = [1.0,", "point = [inf,", 36, "joint 'elbow': point has a nan or an infinity"),
    "nan limit": ("upper = 2.0", "upper = nan", 23, "joint 'shoulder': upper must be a number, got nan"),
    "kind of link": ('joint = {type = "fixed"}', "joint = 3", 43, "the joint of link 'plate' must be a table"),
    "kind of tool": (
        '[tool] # line 9\nlink = "fore"\nhome = {position = [2.0, 0.0, 0.0]}',
        "tool = 3",
        9,
        "the tool must be",
    ),
    "parent": ('parent = "upper"', 'parent = "uper"', 27, "link 'fore': parent: no link 'uper'; did you mean 'upper'?"),
    "later parent": ('parent = "upper"', 'parent = "plate"', 27, "its parent 'plate' must stand above it"),
    "own parent": ('parent = "upper"', 'parent = "fore"', 27, "its parent 'fore' must stand above it"),
    "link of a frame": (
        'link = "upper"',
        'link = "hand"',
        47,
        "frame 'camera': no link 'hand'; the links are base, upper",
    ),
    "link of the tool": (
        'link = "fore"\nhome',
        'link = "for"\nhome',
        10,
        "the tool: no link 'for'; did you mean 'fore'?",
    ),
    "same link": ('name = "fore"', 'name = "upper"', 26, "link name 'upper' is taken"),
    "base as link": ('name = "fore"', 'name = "base"', 26, "link name 'base' is taken"),
    "empty name": ('name = "fore"', 'name = ""', 26, "link name '' is taken"),
    "same joint": ('name = "elbow"', 'name = "shoulder"', 33, "joint name 'shoulder' is taken"),
    "same frame": ('name = "camera"', 'name = "plate"', 46, "frame name 'plate' is taken"),
    "zero axis": (
        "axis = [0.0, 0.0, 1.0]\n",
        "axis = [0, 0, 0]\n",
        35,
        "joint 'elbow': its axis is zero; give it a direction",
    ),
    "zero screw": (
        "axis = [0.0, 0.0, 1.0], point = [0.0, 0.0, 0.0]",
        "screw = [0,0,0,0,0,0]",
        23,
        "screw is zero; .* 'fixed'",
    ),
    "wrong screw": (
        "axis = [0.0, 0.0, 1.0], point = [0.0, 0.0, 0.0]",
        "screw = [0,0,0,0,0,1]",
        23,
        "not that of a revolute",
    ),
    "pitch of a screw": (
        "axis = [0.0, 0.0, 1.0], point = [0.0, 0.0, 0.0]",
        "screw = [0,0,1,0,0,1]",
        23,
        "not that of a",
    ),
    "screw and axis": (
        "point = [0.0, 0.0, 0.0]",
        "screw = [0,0,1,0,0,0]",
        23,
        "a revolute joint with a screw takes no axis",
    ),
    "axis of a fixed joint": ('type = "fixed"', 'type = "fixed", axis = [0,0,1]', 43, "a fixed joint takes no axis"),
    "pitch of a revolute joint": (
        "upper = 2.0",
        "pitch = 2.0",
        23,
        "joint 'shoulder': a revolute joint takes no pitch",
    ),
    "two rotations": ("rpy = [0.0, 0.0, 0.0]", "rpy = [0,0,0], rotation = 1", 15, "home has both rpy and rotation"),
    "home and pose": (
        "[2.0, 0.0, 0.0]}",
        "[2.0, 0.0, 0.0]}\npose = {}",
        9,
        "the tool needs home .* or pose .* one of them",
    ),
    "pose without link": ('link = "fore"\nhome', "pose", 9, "the tool: the key 'link' is missing"),
    "limits": ("upper = 2.0", "upper = 2.0, lower = 3.0", 13, "joint 'shoulder': its lower limit 3.0 is above"),
    "negative mass": ("mass = 2.0", "mass = -2.0", 25, r"link 'fore': its mass is negative \(-2.0\)"),
    "negative inertia": ("yy = 0.2", "yy = -0.2", 25, "link 'fore': its inertia has a negative eigenvalue"),
    "stretched home": (
        "[[1.0, 0.0, 0.0, 1.0]",
        "[[2.0, 0.0, 0.0, 1.0]",
        25,
        "home of link 'fore' is not a rigid motion",
    ),
    "stretched frame": (
        "rpy = [1.5707963267948966, 0.0, 0.0]",
        "rotation = [[1,0,0],[0,1,0],[0,0,2]]",
        45,
        "frame 'camera'",
    ),
    "stretched tool": (
        "[2.0, 0.0, 0.0]}",
        "[2.0, 0.0, 0.0], rotation = [[1,0,0],[0,1,0],[0,0,2]]}",
        9,
        "tool is not a",
    ),
    "frame called tool": (
        'name = "camera"',
        'name = "tool"',
        46,
        r"frame name 'tool' is that of the tool: write \[tool\]",
    ),
    "frame called like a link": ('name = "camera"', 'name = "plate"', 46, "frame name 'plate' is taken"),
    "frame called like the base": ('name = "camera"', 'name = "base"', 46, "frame name 'base' is taken"),
    "parent of a frame": (
        'name = "camera"',
        'name = "camera"\nparent = "plate"',
        47,
        "parent must be the link 'upper' or one merged into it, got 'plate'",
    ),
    "unknown parent of a frame": (
        'name = "camera"',
        'name = "camera"\nparent = "uper"',
        47,
        "parent must be the link 'upper' or one merged into it, got 'uper'; did you mean 'upper'?",
    ),
    "a frame on itself": ('name = "camera"', 'name = "camera"\nparent = "camera"', 47, "in a circle: camera -> camera"),
    "kind of parent": ('name = "camera"', 'name = "camera"\nparent = 3', 47, "frame 'camera': parent must be a string"),
    "parent of the tool": (
        'link = "fore"\nhome',
        'link = "fore"\nparent = "upper"\nhome',
        11,
        "parent must be the link",
    ),
    "parent of the tool alone": (
        'link = "fore"\nhome',
        'parent = "fore"\nhome',
        10,
        "the tool: the key 'link' is miss",
    ),
    "mount": ("mass = 2.0", 'mass = 2.0\nmount = "plate"', 29, "mount must be the link 'upper' or one merged into it"),
    "mount of a fixed link": (
        "mass = 0.5",
        'mount = "fore"',
        42,
        "link 'plate': a link with a fixed joint takes no mount",
    ),
    "inserted": ("mass = 2.0", "inserted = 1", 28, "link 'fore': inserted must be true or false, got 1"),
    "load": (
        'name = "camera"',
        'name = "camera"\nload = {mass = -1}',
        47,
        "frame 'camera': load: its mass is negative",
    ),
    "load without mass": ('name = "camera"', 'name = "camera"\nload = {}', 47, "load: the key 'mass' is missing"),
    "accepting": ('name = "arm"', 'name = "arm"\naccept_impossible = 1', 2, "accept_impossible must be true or false"),
    "tool of a fork": ('link = "fore"\nhome', "home", 9, "a tool on a branched robot needs its link"),
}


@pytest.mark.parametrize("case", COMPLAINTS)
def test_complaints_name_file_and_line(case, tmp_path):
    old, new, line, message = COMPLAINTS[case]
    text = ROBOT
    if case == "tool of a fork":
        text = text.replace('parent = "upper"', 'parent = "base"')
    assert text.count(old) >= 1
    file = tmp_path / "arm.toml"
    file.write_text(text.replace(old, new, 1) if case != "no zz" else text.replace(old, new), encoding="utf-8")
    with pytest.raises(ModelError) as error:
        toml.read(file)
    where, _, said = str(error.value).partition(": ")
    assert where == f"{file}:{line}", error.value
    assert re.search(message, said), error.value


SHAPES = {
    # the keys of a shape: the line, the message
    "frame": ("box = [1, 2, 3]", 51, "shape 1: the key 'frame' is missing"),
    "unknown frame": ('frame = "uper"', 52, "shape 1: no frame 'uper'; did you mean 'upper'?"),
    "no kind": ('frame = "upper"', 51, "shape 1 must have one of the keys mesh, box, sphere, cylinder, capsule"),
    "two kinds": ('frame = "upper"\nbox = [1, 2, 3]\nsphere = 1', 51, "must have one of the keys"),
    "role": ('frame = "upper"\nsphere = 1\nrole = "x"', 54, "role must be one of visual, collision, got 'x'"),
    "scale": ('frame = "upper"\nsphere = 1\nscale = [1, 1, 1]', 54, "a sphere takes no scale"),
    "size": ('frame = "upper"\ncylinder = 1', 53, "shape 1: cylinder must be 2 numbers, got 1"),
    "negative": ('frame = "upper"\nsphere = -1', 53, r"a sphere cannot have the size \[-1.0\]"),
    "colour": ('frame = "upper"\nsphere = 1\ncolour = [1, 1, 1]', 54, "colour must be 4 numbers"),
    "file": ('frame = "upper"\nmesh = 1', 53, "shape 1: mesh must be a string"),
    "pose": (
        'frame = "upper"\nsphere = 1\npose = {rotation = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]}',
        54,
        "shape 1: pose is not a rigid motion",
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_complaints_about_shapes(case):
    keys, line, message = SHAPES[case]
    with pytest.raises(ModelError, match=f"<text>:{line}: .*{message}"):
        toml.parse(f"{ROBOT}\n\n[[shapes]]\n{keys}\n")


def test_no_links():
    with pytest.raises(ModelError, match="<text>:1: a robot: the key 'links' is missing"):
        toml.parse('name = "empty"')
    assert toml.parse("links = []").n == 0
    with pytest.raises(ModelError, match=r"<text>:2: links must be an array of tables: write \[\[links\]\] above each"):
        toml.parse("\n[links]\nname = 3")


def test_angles_that_nobody_means():
    link = '[[links]]\nname = "a"\nhome = {position = [0, 0, 0], rpy = [%s, 0, 0]}\njoint = {type = "fixed"}'
    with pytest.raises(ModelError, match=r"link 'a': home: rpy must be angles in radians, got \[1e\+20, 0.0, 0.0\]"):
        toml.parse(link % "1e20")
    assert toml.parse(link % "100.0").bodies == 0


def test_not_text(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_bytes(b"name = \xff\xfe")
    with pytest.raises(ModelError, match=r"arm.toml: a .toml file is UTF-8 text, and this is not"):
        toml.read(file)
    with pytest.raises(ModelError, match=r"nowhere\.toml'?: cannot be read"):
        toml.read(tmp_path / "nowhere.toml")
