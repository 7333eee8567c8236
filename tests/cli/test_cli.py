"""The command line, as a person meets it: what it says, how it fails."""

import json
import subprocess
import sys

import numpy as np
import pytest
from support.tolerances import FLOAT64, close
from typer.testing import CliRunner

import chasles as ch
from chasles import zoo
from chasles.cli.app import app
from chasles.report.facts import FUNCTIONS
from chasles.report.speed import benchmark
from chasles.report.speed.candidate import NotAvailable, State

BRANCHED = """
name = "branched"
[[links]]
name = "trunk"
mass = 1.0
com = [0.1, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
home = {position = [0.0, 0.0, 0.0], rpy = [0.0, 0.0, 0.0]}
joint = {name = "waist", type = "revolute", axis = [0.0, 0.0, 1.0], point = [0.0, 0.0, 0.0]}
[[links]]
name = "left"
parent = "trunk"
mass = 0.0
home = {position = [1.0, 0.0, 0.0], rpy = [0.0, 0.0, 0.0]}
joint = {name = "left_arm", type = "revolute", axis = [0.0, 1.0, 0.0], point = [1.0, 0.0, 0.0]}
[[links]]
name = "right"
parent = "trunk"
mass = 1.0
com = [0.1, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
home = {position = [1.0, 1.0, 0.0], rpy = [0.0, 0.0, 0.0]}
joint = {name = "right_arm", type = "prismatic", axis = [0.0, 1.0, 1.0]}
"""


@pytest.fixture(autouse=True)
def plain_pipe(monkeypatch):
    """No width asked for, whatever runs the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)


def run(*arguments, code=0):
    """The result of a command, which must end with that code and without a traceback."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    return result


def failure(*arguments):
    """The one line that a command fails with."""
    result = run(*arguments, code=1)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1
    return result.stderr


def test_version_and_help():
    assert run("--version").stdout.strip() == f"chasles {ch.__version__}"
    for arguments in (["--help"], ["-h"], ["list", "--help"], ["info", "--help"], ["bench", "--help"]):
        assert "Usage" in run(*arguments).stdout
    assert "info" in run(code=2).output


def test_list_has_every_robot_on_a_line():
    lines = run("list").stdout.splitlines()
    assert [line.split()[0] for line in lines[1 : 1 + len(zoo.names())]] == zoo.names()
    facts = {robot["name"]: robot for robot in json.loads(run("list", "--json").stdout)}
    assert facts["panda"]["joints"] == 7 and facts["scara"]["kinds"] == ["R", "R", "P", "H"]
    assert all(robot["description"] and robot["source"] and robot["mass"] > 0.0 for robot in facts.values())


def test_info_shows_the_robot():
    result = run("info", "panda")
    panda = ch.load("panda")
    for word in (*panda.joint_names, *panda.link_names, "panda_hand_tcp", *FUNCTIONS, "first axis", "0.649", "624"):
        assert word in result.stdout
    assert result.stderr == "" and "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 120


def test_info_in_a_narrow_terminal_keeps_names_whole(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = run("info", "panda").stdout
    assert all(name in text for name in (*ch.load("panda").joint_names, "0.0825 0 0.649", "-2.897"))
    assert max(map(len, text.splitlines())) <= 80


def test_info_as_data():
    known = json.loads(run("info", "ur5", "--json").stdout)
    ur5 = ch.load("ur5")
    assert [joint["name"] for joint in known["joints"]] == list(ur5.joint_names)
    assert close([joint["screw"] for joint in known["joints"]], ur5.screws)
    assert known["operations"]["inverse_dynamics"]["total"] == ur5.kernel("inverse_dynamics").operations.total
    assert close(known["tool"]["home"], ur5.forward_kinematics(np.zeros(6)))
    first = known["first_computation"]
    assert close(first["tau"], ur5.gravity_forces(np.zeros(6)))
    assert 0.0 < first["per_configuration_s"] < first["one_call_s"] < first["first_call_s"]


@pytest.mark.parametrize(
    ("name", "expected"), [("planar_2r", 1.8), ("planar_3r", 2.2), ("scara", 0.6), ("pendulum", 1.0)]
)
def test_reach(name, expected):
    """Known where the arm can be stretched; the samples come close, and never above."""
    metres = json.loads(run("info", name, "--json").stdout)["reach"]["metres"]
    assert 0.999 * expected < metres < expected * (1.0 + FLOAT64)


def test_doubts_are_shown_once_and_not_as_warnings():
    result = run("info", "puma560")
    assert result.stdout.count("its mass is zero") == 1
    assert "ModelWarning" not in result.output


def test_a_branched_robot_with_a_massless_tip(tmp_path):
    file = tmp_path / "branched.toml"
    file.write_text(BRANCHED)
    text = run("info", file).stdout
    assert "none: the robot is branched" in text and "singular at every configuration" in text
    assert "was normalised" in text and "its mass is zero" in text
    known = json.loads(run("info", file, "--json").stdout)
    assert known["tool"] is None and known["reach"]["metres"] is None
    assert [joint["parent"] for joint in known["joints"]] == ["base", "trunk", "trunk"]
    shown = run("bench", file, "--rounds", 1, "--batch", 8).stdout
    assert "coriolis_matrix" in shown and "forward_dynamics" not in shown and "jacobian" not in shown


def test_a_robot_without_joints(tmp_path):
    file = tmp_path / "nothing.toml"
    file.write_text('name = "nothing"\nlinks = []\n')
    assert "tau = ()" in run("info", file).stdout
    assert "no joints" in failure("bench", file)


def test_mistakes_are_one_line(tmp_path):
    assert "Did you mean 'panda'?" in failure("info", "pandaa")
    assert "No such file" in failure("info", tmp_path / "missing.toml")
    assert "is a folder" in failure("bench", tmp_path)
    broken = tmp_path / "broken.toml"
    broken.write_text('name = "x\n')
    assert "broken.toml:1: not TOML" in failure("info", broken)
    broken.write_text(BRANCHED.replace("mass = 1.0", "mass = -1.0", 1))
    assert "'trunk'" in failure("info", broken)
    broken.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in failure("info", broken)


@pytest.mark.parametrize(
    "arguments",
    [
        ["info"],
        ["nonsense"],
        ["info", "panda", "--nonsense"],
        ["bench", "ur5", "--threads", "0"],
        ["bench", "ur5", "--batch", "x"],
    ],
)
def test_wrong_usage_is_exit_code_2(arguments):
    result = run(*arguments, code=2)
    assert result.stdout == "" and "Usage" in result.stderr


@pytest.mark.parametrize("name", zoo.names())
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_peers_agree(name):
    """The peers' models are the same robots, wherever they can express them."""
    robot = ch.load(name)
    state = State.random(robot, 16)
    for peer, (candidates, _) in benchmark.PEERS.items():
        try:
            found = candidates(robot.mechanism, state, 1)
        except NotAvailable as error:
            assert peer == "mujoco" and str(error)
            continue
        for function, candidate in found.items():
            expected = getattr(robot, function)(*state.inputs(function))
            scale = float(np.abs(robot.mass_matrix(state.q)).max())
            assert close(candidate.results(16), expected, FLOAT64, scale)
            candidate.single(), candidate.batch()


def test_bench():
    result = run("bench", "planar_2r", "--rounds", 1, "--batch", 64)
    assert "pinocchio" in result.stdout and "One call" in result.stdout and "2 joints" in result.stdout
    figures = json.loads(run("bench", "planar_2r", "--rounds", 1, "--batch", 64, "--json").stdout)
    assert [function["name"] for function in figures["functions"]] == list(FUNCTIONS)
    assert all(function["peers"]["pinocchio"]["difference"] < FLOAT64 for function in figures["functions"])


def test_bench_keeps_the_number_of_threads():
    before = ch.get_num_threads()
    run("bench", "pendulum", "--rounds", 1, "--batch", 4, "--threads", 3)
    assert ch.get_num_threads() == before


def test_bench_without_peers(monkeypatch):
    for name in ("pinocchio", "mujoco"):
        monkeypatch.setitem(sys.modules, name, None)
    text = run("bench", "planar_2r", "--rounds", 1, "--batch", 64).stdout
    assert "pip install 'chasles[bench]'" in text and "pinocchio: not installed" in text
    assert "inverse_dynamics" in text


def test_as_a_process():
    """The real thing: a pipe, no colours, errors on stderr."""
    command = [sys.executable, "-m", "chasles", "info"]
    done = subprocess.run([*command, "ur5"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == ""
    assert "shoulder_pan_joint" in done.stdout and "\x1b" not in done.stdout
    done = subprocess.run([*command, "nobody"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("error: no built-in robot 'nobody'") and "Traceback" not in done.stderr
