"""The command line with robots whose joints are of every kind."""

import json
from dataclasses import replace

import numpy as np
import pytest
from support.tolerances import FLOAT64, close
from typer.testing import CliRunner

import chasles as ch
from chasles.cli.app import app
from chasles.report.speed import benchmark
from chasles.report.speed.candidate import NotAvailable, State

EVERYTHING = """
name = "crab"
friction = true
[base]
name = "world"
[tool]
link = "claw"
[[links]]
name = "shell"
mass = 2.0
inertia = [0.1, 0.1, 0.1]
home = {position = [0.0, 0.0, 1.0]}
joint = {name = "root", type = "free"}
[[links]]
name = "arm"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
home = {position = [0.0, 0.0, 1.0]}
joint = {name = "shoulder", type = "spherical", damping = 0.25}
[[links]]
name = "claw"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
home = {position = [1.0, 0.0, 1.0]}
joint = {name = "elbow", type = "revolute", axis = [0, 1, 0], point = [1, 0, 1], armature = 0.125, friction = 0.375}
[[links]]
name = "thumb"
parent = "arm"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
home = {position = [1.0, 0.0, 1.0]}
joint = {name = "pinch", type = "revolute", axis = [0, 1, 0], point = [1, 0, 1], mimic = {joint = "elbow", factor = -1}}
[[links]]
name = "leg"
parent = "world"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
home = {position = [1.0, 0.0, 1.0]}
joint = {name = "slip", type = "planar"}
"""


@pytest.fixture(autouse=True)
def plain_pipe(monkeypatch):
    """No width asked for, whatever runs the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)


def run(*arguments):
    """The result of a command, which must end well."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def test_a_robot_with_everything(tmp_path):
    file = tmp_path / "crab.toml"
    file.write_text(EVERYTHING)
    text = run("info", file).stdout
    assert "5 free S R R planar: 13 degrees of freedom, 15 coordinates" in text
    for words in (
        "world",
        "0.125",
        "0.25",
        "0.375",
        "-1 * elbow",
        "damping and friction count",
        "joint 'root' is free",
    ):
        assert words in text
    known = json.loads(run("info", file, "--json").stdout)
    robot = ch.load(file)
    assert close(known["first_computation"]["tau"], robot.inverse_dynamics(robot.neutral(), *np.zeros((2, 13))))
    assert known["joints"][3]["mimic"] == {"joint": "elbow", "factor": -1.0, "offset": 0.0}
    assert known["base"]["name"] == known["joints"][0]["parent"] == "world" and known["friction"]
    shown = run("bench", file, "--rounds", 1, "--batch", 8).stdout
    assert "forward_dynamics" in shown and shown.count("not expressible here: joint 'root' is free") == 2


def test_a_mimic_and_its_offset(tmp_path):
    """The tool is shown where it is at q = 0; the mimic is no coordinate of the reach."""
    file = tmp_path / "hand.toml"
    text = EVERYTHING.replace('type = "free"', 'type = "fixed"').replace("factor = -1", "offset = 0.5")
    text = text.replace('type = "spherical"', 'type = "revolute", axis = [0, 0, 1], point = [0, 0, 1]')
    text = text.replace('link = "claw"', 'link = "thumb"\nhome = {position = [2, 0, 1]}')
    file.write_text(text[: text.rindex("[[links]]")])
    known = json.loads(run("info", file, "--json").stdout)
    robot = ch.load(file)
    assert robot.n == 2 and close(known["tool"]["home"], robot.forward_kinematics(np.zeros(2)))
    assert close(known["reach"]["metres"], 2.0, 1e-3)
    shown = run("bench", file, "--rounds", 1, "--batch", 8).stdout
    assert shown.count("not expressible here: joint 'pinch' mimics another") == 2


def test_peers_agree_on_armature_and_refuse_friction():
    m = replace(ch.load("ur5").mechanism, armature=np.linspace(0.1, 0.6, 6))
    robot = ch.Robot(m)
    state = State.random(robot, 4)
    for candidates, _ in benchmark.PEERS.values():
        found = candidates(m, state, 1)
        for function, candidate in found.items():
            expected = getattr(robot, function)(*state.inputs(function))
            assert close(candidate.results(4), expected, FLOAT64, float(np.abs(expected).max()))
        with pytest.raises(NotAvailable, match="not expressible here: the robot has friction"):
            candidates(replace(m, has_friction=True), state, 1)
