"""`chasles geometry`: what it says of robots whose curvature is known, the picture, the data, and how it fails."""

import json
import sys

import numpy as np
import pytest
from support.tolerances import FLOAT64, close
from typer.testing import CliRunner

import chasles as ch
from chasles import zoo
from chasles.cli import heatmap
from chasles.cli.app import app
from chasles.cli.geometry import FUNCTIONS
from chasles.plot.joint_plane import Axis, Slice

SLIDES = """
name = "table"
[[links]]
name = "bridge"
mass = 1.0
home = {position = [0.0, 0.0, 0.0]}
joint = {name = "x", type = "prismatic", axis = [1, 0, 0]}
[[links]]
name = "carriage"
mass = 2.0
home = {position = [0.0, 0.0, 0.0]}
joint = {name = "y", type = "prismatic", axis = [0, 1, 0], lower = 0.25, upper = 0.75}
"""
BALL = """
name = "flail"
[[links]]
name = "handle"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.2, 0.25]
home = {position = [0.0, 0.0, 0.0]}
joint = {name = "ball", type = "spherical"}
[[links]]
name = "chain"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
home = {position = [1.0, 0.0, 0.0]}
joint = {name = "hinge", type = "revolute", axis = [0, 1, 0], point = [1, 0, 0], lower = 1.0, upper = 2.0}
"""
TIP = """
[[links]]
name = "head"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
home = {position = [2.0, 0.0, 0.0]}
joint = {name = "swivel", type = "revolute", axis = [0, 0, 1], point = [2, 0, 0]}
"""
MASSLESS = """
name = "stub"
[[links]]
name = "trunk"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
home = {position = [0.0, 0.0, 0.0]}
joint = {name = "waist", type = "revolute", axis = [0, 0, 1], point = [0, 0, 0]}
[[links]]
name = "nothing"
mass = 0.0
home = {position = [0.0, 0.0, 0.0]}
joint = {name = "idle", type = "revolute", axis = [0, 1, 0], point = [0, 0, 0]}
"""


@pytest.fixture(autouse=True)
def plain_pipe(monkeypatch):
    """No width and no colours asked for, whatever runs the tests."""
    for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def file(tmp_path):
    """A file with that robot in it."""

    def made(text):
        path = tmp_path / "robot.toml"
        path.write_text(text)
        return path

    return made


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["geometry", *map(str, arguments)])
    assert result.exit_code == code, (result.output, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def data(*arguments):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(run(*arguments, "--json").stdout, parse_constant=refuse)


def failure(*arguments):
    """The one line that the command fails with."""
    result = run(*arguments, code=1)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize(("mass", "length"), [(1.0, 1.0), (2.0, 0.5)])
def test_a_sphere_has_constant_curvature(file, mass, length):
    """Gaussian curvature 1 / (m l^2), and scalar curvature twice that."""
    text = zoo.path("spherical_pendulum").read_text()
    text = text.replace("mass = 1.0", f"mass = {mass}").replace("com = [1.0,", f"com = [{length},")
    path, expected = file(text), 2.0 / (mass * length**2)
    said = run(path, "--size", 8).stdout
    assert f"constant: {expected:.4g} 1/(kg m^2)" in said and "Gaussian curvature is half of this" in said
    assert "over azimuth across and elevation up" in said and "2 degrees of freedom RR" in said
    curved = data(path, "--size", 8)["scalar_curvature"]
    assert close(curved["values"], np.full((8, 8), expected))
    assert curved["unit"] == "1/(kg m^2)"


def test_the_poles_of_a_sphere_are_not_known():
    """M is singular there: at two of six elevations."""
    curved = data("spherical_pendulum", "--size", 6)["scalar_curvature"]
    poles = [all(value is None for value in row) for row in curved["values"]]
    assert poles == [False, True, False, False, True, False]
    assert "? M is singular, or nearly" in run("spherical_pendulum", "--size", 6).stdout
    said = run("spherical_pendulum", "--size", 2).stdout
    assert "singular, or nearly, at all 2 x 2 points over azimuth and elevation" in said and "Base parameters" in said


def test_it_says_all():
    robot = ch.load("ur5")
    result = run("ur5", "--size", 10, "--joints", "elbow_joint", 5)
    said = result.stdout
    assert "over elbow_joint across and wrist_2_joint up, the others at home" in said
    for words in ("curved: ", "not balanced: ", "36 of 60, found from the structure, condition ", "ninths of"):
        assert words in said
    for name in FUNCTIONS:
        assert said.split(name)[1].split()[0] == str(robot.kernel(name).operations.total)
    assert result.stderr == "" and "\x1b" not in said and max(map(len, said.splitlines())) <= 120


def test_the_data_are_the_robot_s():
    """A row for each value of the second joint, a column for each of the first; all of the rest too."""
    robot = ch.load("planar_3r")
    known = data("planar_3r", "--joints", 3, "joint2", "--at", "joint1=0.5", "--size", 7)
    curved = known["scalar_curvature"]
    across, up = curved["joints"]
    assert (across["name"], up["name"], across["number"], up["coordinate"]) == ("joint3", "joint2", 3, 1)
    assert close(across["points"], np.pi * (2.0 * np.arange(7) - 6.0) / 7.0)
    q = np.array([[[0.5, y, x] for x in across["points"]] for y in up["points"]])
    K = robot.scalar_curvature(q)
    assert close(curved["values"], K)
    for key, value in (("min", K.min()), ("max", K.max())):
        assert close(curved[key]["value"], value)
        assert close(robot.scalar_curvature(np.array(curved[key]["q"])), value)
    assert known["flatness"]["is_flat"] is False and known["balance"]["is_balanced"] is False
    assert set(known["balance"]["breaks"]) == {"joint2", "joint3"}
    base = robot.base_parameters()
    assert known["base_parameters"]["count"] == base.count and known["base_parameters"]["of"] == 30
    for name, count in known["operations"].items():
        assert count["total"] == robot.kernel(name).operations.total


def test_joints_that_matter_are_chosen():
    """The first joint has no part in curvature; one that is placed is no axis."""
    chosen = [axis["name"] for axis in data("planar_3r", "--size", 2)["scalar_curvature"]["joints"]]
    assert chosen == ["joint2", "joint3"]
    curved = data("planar_3r", "--size", 2, "--at", "2=0.25")["scalar_curvature"]
    assert [axis["name"] for axis in curved["joints"]] == ["joint1", "joint3"] and curved["at"][1] == 0.25
    assert "the others at home but joint2 = 0.25" in run("planar_3r", "--size", 2, "--at", "2=0.25").stdout


def test_limits_and_homes_outside_of_them(file):
    """An axis is over its limits; a joint whose limits leave zero out is in their middle."""
    path = file(BALL.replace('"spherical"', '"revolute", axis = [0, 0, 1], point = [0, 0, 0]') + TIP)
    curved = data(path, "--size", 2, "--joints", "ball", "swivel")["scalar_curvature"]
    assert curved["at"] == [0.0, 1.5, 0.0]
    curved = data(path, "--size", 2, "--joints", "hinge", "swivel")["scalar_curvature"]
    assert close(curved["joints"][0]["points"], [1.25, 1.75])
    assert close(curved["joints"][1]["points"], [-np.pi / 2.0, np.pi / 2.0])


def test_a_flat_robot(file):
    path = file(SLIDES)
    said = run(path, "--size", 4).stdout
    assert "zero, up to rounding: 0 1/(kg m^2)" in said and "flat: " in said and "balanced: " in said
    assert "x (m)" in said and "y (m)" in said
    across, up = data(path, "--size", 4)["scalar_curvature"]["joints"]
    assert (across["lower"], across["upper"], up["lower"], up["upper"]) == (-1.0, 1.0, 0.25, 0.75)


def test_one_degree_of_freedom_and_none(file):
    said = run("pendulum").stdout
    assert "1 degree of freedom R" in said and "a curve has no curvature" in said and "3 of 10" in said
    assert data("pendulum")["scalar_curvature"] == {
        "why": "robot 'pendulum' has one degree of freedom: a curve has no curvature"
    }
    said = run(file('name = "nothing"\nlinks = []\n')).stdout
    assert "0 degrees of freedom" in said and "there is no manifold" in said and "0 of 0" in said


def test_joints_of_several_degrees_of_freedom(file):
    """They are no axes; with fewer than two others, curvature is sampled."""
    path = file(BALL)
    curved = data(path)["scalar_curvature"]
    assert curved["samples"] == 64 and curved["min"] < curved["median"] < curved["max"]
    three = ", ".join(f"{key} {curved[key]:.4g}" for key in ("min", "median", "max"))
    said = run(path).stdout
    assert f"{three} 1/(kg m^2), at 64 random configurations" in said and "4 degrees of freedom SR" in said
    assert "fewer than two joints of one degree" in failure(path, "--at", "hinge=1")
    path = file(BALL + TIP)
    curved = data(path, "--size", 2, "--at", "ball=0,3,0,4")["scalar_curvature"]
    assert [axis["coordinate"] for axis in curved["joints"]] == [4, 5]
    assert close(curved["at"], [0.0, 0.6, 0.0, 0.8, 1.5, 0.0])
    error = failure(path, "--joints", "ball", "hinge")
    assert "'ball' is no axis" in error and "hinge, swivel" in error
    assert "takes 4 numbers" in failure(path, "--at", "ball=1")
    assert "no rotation" in failure(path, "--at", "ball=0,0,0,0")


def test_a_singular_robot(file):
    """What needs the inverse of M says why there is none; the rest is shown."""
    path = file(MASSLESS)
    said = " ".join(run(path).stdout.split())
    assert said.count("singular at every configuration: joint 'idle' moves no inertia") == 2
    assert "balanced: " in said and "found from the structure" in said
    known = data(path)
    assert "idle" in known["scalar_curvature"]["why"] and "idle" in known["flatness"]["why"]
    assert known["operations"]["riemann_curvature"]["total"] is None
    assert known["operations"]["regressor"]["total"] > 0
    assert "'idle'" in failure(path, "--picture", path.with_suffix(".png"))


@pytest.mark.slow
def test_a_large_robot(file):
    """Link by link, and so of fewer samples and points."""
    n = 13
    homes = np.tile(np.eye(4), (n, 1, 1))
    homes[:, 0, 3] = 0.3 * np.arange(n)
    axes = np.eye(3)[np.arange(n) % 3]
    screws = np.hstack([axes, np.cross(homes[:, :3, 3], axes)])
    links = [ch.Link(1.0, (0.15, 0.0, 0.0), (0.01, 0.02, 0.02))] * n
    robot = ch.Robot.from_screws(screws, homes, links, name="snake")
    known = data(file(robot.to_toml()), "--size", 2)
    curved = known["scalar_curvature"]
    q = np.array(curved["max"]["q"])
    assert close(curved["max"]["value"], robot.scalar_curvature(q)) and known["flatness"]["samples"] == 8
    assert "link by link above 12" in known["operations"]["christoffel_symbols"]["why"]
    assert known["operations"]["regressor"]["total"] > 0


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_picture_in_a_file(tmp_path, suffix):
    path = tmp_path / f"curvature.{suffix}"
    said = run("planar_2r", "--size", 8, "--picture", path).stdout
    assert f"wrote {path}" in said.replace("\n", "")
    assert path.read_bytes().startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix])


def test_a_picture_needs_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert 'pip install "chasles[plot]"' in failure("planar_2r", "--picture", tmp_path / "curvature.png")
    assert "Scalar curvature" in run("planar_2r", "--size", 2).stdout


def test_mistakes_name_the_culprit_and_the_choices(tmp_path):
    assert "Did you mean 'planar_2r'?" in failure("planar2r")
    error = failure("ur5", "--joints", 2, "ellbow")
    assert "'ellbow'" in error and all(name in error for name in ch.load("ur5").joint_names)
    assert "'7'" in failure("ur5", "--joints", 2, 7) and "'0'" in failure("ur5", "--joints", 0, 1)
    assert "'shoulder_lift_joint' twice" in failure("ur5", "--joints", 2, "shoulder_lift_joint")
    assert "'ellbow'" in failure("ur5", "--at", "ellbow=1")
    assert "JOINT=VALUE" in failure("ur5", "--at", "elbow_joint")
    assert "takes a number" in failure("ur5", "--at", "elbow_joint=nan")
    assert "'elbow_joint', which --joints makes an axis" in failure("ur5", "--joints", 2, 3, "--at", "elbow_joint=1")
    assert "too many joints" in failure("planar_2r", "--at", "joint1=1")
    assert "a curve has no curvature" in failure("pendulum", "--picture", tmp_path / "curvature.png")
    assert "png" in failure("ur5", "--picture", tmp_path / "curvature.xyz")
    assert "no such folder" in failure("ur5", "--picture", tmp_path / "missing" / "curvature.png")
    assert "Usage" in run("ur5", "--size", 1, code=2).stderr


def ramp():
    """A slice that is zero in the middle, highest at the upper right, and unknown at the lower right."""
    values = np.array([[-1.0, -0.5, np.nan], [-0.5, 0.0, 0.5], [0.0, 0.5, 1.0]])
    return Slice(Axis("across", 1, 0, "rad", 0.0, 3.0), Axis("up", 2, 1, "m", -1.0, 2.0), np.zeros(2), values)


def test_a_picture_without_colours():
    lines = [line.plain for line in heatmap.picture(ramp(), 1.0, 80, False)]
    assert lines[0] == "up (m)" and lines[1] == " 2 " + "." * 12 + "4" * 12 + "9" * 12
    assert lines[18] == "-1 " + "i" * 12 + "d" * 12 + "?" * 12
    assert lines[19].split() == ["0", "across", "(rad)", "3"] and len(lines[19]) == 3 + 36
    assert "M is singular" in lines[-1]


def test_a_picture_with_colours():
    """Vermillion above zero, blue below, white between; grey where not known."""
    lines = heatmap.picture(ramp(), 1.0, 80, True)
    assert lines[1].plain == " 2 " + "\N{UPPER HALF BLOCK}" * 36

    def colour(line, column):
        return next(span.style.color.triplet for span in lines[line].spans if span.start == 3 + column)

    assert colour(1, 0) == colour(10, 12) == (244, 244, 244)
    assert colour(1, 35) == (122, 54, 0) and colour(18, 0) == (0, 68, 107) and colour(18, 35) == (140, 145, 151)
    assert lines[-1].plain.startswith("-1 ") and " 0 " in lines[-1].plain and " 1 1/(kg m^2)" in lines[-1].plain


@pytest.mark.parametrize("coloured", [False, True])
@pytest.mark.parametrize("size", [2, 5, 40, 200])
def test_pictures_fit(size, coloured):
    cut = Slice(ramp().x, ramp().y, np.zeros(2), np.linspace(-1.0, 1.0, size * size).reshape(size, size))
    lines = heatmap.picture(cut, 1.0, 60, coloured)
    assert max(len(line.plain) for line in lines[:-1]) <= 60 and 18 <= len(lines) - 4 <= 30


def test_colours_end_before_a_spike():
    cut = ramp()
    values = np.full((20, 20), -1.0)
    values[3, 4] = 50.0
    spiked = Slice(cut.x, cut.y, cut.at, values)
    assert spiked.limit(flat=False) == 1.0 and cut.limit(flat=False) == 1.0 and cut.limit(flat=True) == 1000.0
    assert "colours end at 1" in heatmap.picture(spiked, 1.0, 80, True)[-1].plain
    value, q = spiked.extreme(np.nanargmax)
    assert value == 50.0 and close(q, [4.5 * 3.0 / 20.0, -1.0 + 3.5 * 3.0 / 20.0], FLOAT64)


def test_colours_on_a_terminal(monkeypatch):
    for name, value in (("FORCE_COLOR", "1"), ("COLORTERM", "truecolor"), ("TERM", "xterm"), ("COLUMNS", "80")):
        monkeypatch.setenv(name, value)
    said = run("planar_2r", "--size", 6).stdout
    assert "\N{UPPER HALF BLOCK}" in said and "\x1b[38;2;" in said
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\N{UPPER HALF BLOCK}" not in run("planar_2r", "--size", 6).stdout
