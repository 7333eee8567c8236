"""`chasles export`: functions of robots and of the user's own files, and mistakes told in one line."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from support.programs import needs
from typer.testing import CliRunner

from chasles.cli.app import app
from chasles.export import footprint

MINE = """
import chasles as ch
import numpy as np

arm = ch.load("planar_2r")
pendulum = ch.LagrangianSystem(1, lambda q, qd: qd @ qd / 2 + np.cos(q[0]), coordinate_names=["theta"])


def length(x, y):
    "The length of (x, y)."
    return np.sqrt(x @ x + y * y)


def nowhere(x):
    return np.sqrt(-1.0 - x * x)


def positive(q):
    return q[q > 0.0]


def law(t, q, qd):
    return -10.0 * q - 2.0 * qd


def with_gain(t, q, qd, K):
    return -K * q


free = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2 - 9.81 * q[1], coordinate_names=["x", "y"])
rod = ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: q @ q - 1.0, "rod"))
reduced = rod.reduced(["x"])
kernel = ch.compile(length, x=2, y=())
number = 3
"""


COMPILER = footprint.COMPILER


@pytest.fixture
def export(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(footprint, "COMPILER", "no compiler")  # which is no wheel
    (tmp_path / "mine.py").write_text(MINE)

    def run(*arguments):
        return CliRunner().invoke(app, ["export", *map(str, arguments)])

    return run


def told(done):
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_what_was_written_is_told_with_what_comes_next(export, tmp_path):
    done = export("planar_2r", "inverse_dynamics", "--to", "casadi")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("inverse_dynamics(q[2], qd[2], qdd[2]) -> tau[2], float64\n")
    assert "operations: " in done.output and "its test makes 5 calls, tolerance 1e-12" in done.output
    folder = tmp_path / "planar_2r_inverse_dynamics_casadi"
    for path in folder.iterdir():
        assert path.name in done.output or path.name == "chasles-export.json"
    assert f"next: python {folder.name}/test_inverse_dynamics.py" in done.output


def test_json(export, tmp_path):
    found = told(
        export("planar_2r", "mass_matrix,gravity_forces", "--to", "casadi", "-o", "x", "--name", "f", "--json")
    )
    assert found["function"] == "f" and found["folder"] == "x" and found["calls_in_test"] == 5
    assert found["outputs"] == {"M": [2, 2], "g": [2]} and found["operations"] > 10
    assert {row["file"]: row["bytes"] for row in found["files"]} == {
        f"x/{path.name}": path.stat().st_size
        for path in (tmp_path / "x").iterdir()
        if path.name != "chasles-export.json"
    }


def test_what_comes_next_can_be_typed(export):
    """With odd names of folders; without a test, where there is none to run."""
    for to in ("c", "python", "matlab"):
        found = told(export("planar_2r", "mass_matrix", "--to", to, "-o", f"it's {to}/x", "--json"))
        assert any(word.startswith(f"it's {to}/x") for word in shlex.split(found["next"])), found["next"]
    found = told(export("mine.py:nowhere", "--shape", "x=2", "--to", "c", "--json"))
    assert found["next"].endswith("/build") and "ctest" not in found["next"]


WAYS = [
    (("planar_2r", "rollout", "--dt", 1e-3, "--steps", 2), ["q", "qd", "t0"], ["path", "velocities", "finite_steps"]),
    (("planar_2r", "step", "--dt", 1e-3, "--method", "semi_implicit"), ["q", "qd", "tau"], ["q_after", "qd_after"]),
    (
        ("planar_2r", "jacobian", "--expressed", "space", "--frame", "link1", "--derivative", "q"),
        ["q"],
        ["dJ_dq"],
    ),
    (("planar_2r", "forward_dynamics", "--inputs", "tool_wrench"), ["q", "qd", "tau", "tool_wrench"], ["qdd"]),
    (("planar_2r", "gravity_forces", "--gravity", "0 -9.81 0"), ["q"], ["g"]),
    (("planar_2r", "mine.py:law"), ["t", "q", "qd"], ["tau"]),
    (("mine:arm", "mine:with_gain", "--shape", "K=2"), ["t", "q", "qd", "K"], ["tau"]),
    (("mine:pendulum", "forward_dynamics"), ["q", "qd", "tau"], ["qdd"]),
    (("mine.py:rod", "mine.py:reduced"), ["q", "u", "tau"], ["ud", "qd", "multipliers"]),
    (("planar_2r", "mass_matrix", "--parameters", "link2"), ["q", "parameters"], ["M"]),
    (("mine:kernel",), ["x", "y"], ["output"]),
    (("mine.py:length", "--shape", "x=2", "--shape", "y="), ["x", "y"], ["output"]),
]


@pytest.mark.parametrize(("arguments", "inputs", "outputs"), WAYS, ids=lambda x: "-".join(map(str, x))[:40])
def test_ways_to_name_a_function(export, arguments, inputs, outputs):
    found = told(export(*arguments, "--to", "casadi", "--json"))
    assert list(found["inputs"]) == inputs and list(found["outputs"]) == outputs
    assert found["calls_in_test"] == 5


def test_the_user_s_file_is_what_is_exported(export, tmp_path):
    import casadi

    told(export("mine.py:length", "--shape", "x=2", "--shape", "y=", "--to", "casadi", "-o", "x", "--json"))
    made = casadi.Function.load(str(tmp_path / "x" / "length.casadi"))
    assert np.isclose(float(made([3.0, 0.0], 4.0)), 5.0)


MISTAKES = [
    (("planar_2r", "inverse_dynamics"), "--to: say the language, one of "),
    (("planar_2r", "inverse_dynamics", "--to", "GPU"), "did you mean 'cuda'?"),
    (("planar_9r", "inverse_dynamics", "--to", "casadi"), "planar_9r"),
    (("planar_2r", "inverse_dynamcs", "--to", "casadi"), "did you mean 'inverse_dynamics'?"),
    (("planar_2r", "--to", "casadi"), "say which function of it; there are acceleration, bias_forces,"),
    (("planar_2r", "inverse_dynamics", "--to", "casadi", "--name", "1st law"), "name must be a word of letters"),
    (("planar_2r", "inverse_dynamics", "--to", "casadi", "--dtype", "half"), "dtype must be"),
    (("planar_2r", "mass_matrix", "--to", "casadi", "--frame", "tool"), "frame: mass_matrix has no such option"),
    (("planar_2r", "jacobian", "--to", "casadi", "--frame", "hand"), "hand"),
    (("planar_2r", "rollout", "--to", "casadi"), "steps: say how many steps the rollout has, as 100"),
    (("planar_2r", "rollout", "--to", "c", "--steps", "50001"), "'path' has 100,002 numbers, and 100,000 at most"),
    (("planar_2r", "mass_matrix", "--to", "js", "--dtype", "float32"), "js has float64 alone: export it in float64,"),
    (("planar_2r", "mass_matrix", "--to", "latex", "--dtype", "float32"), "or to c, cuda, matlab or rust"),
    (
        ("planar_2r", "mine.py:with_gain", "--to", "c", "--shape", "q=2"),
        "--shape: q of a law has the size of the robot",
    ),
    (("planar_2r", "mass_matrix", "--to", "c", "--shape", "q=2"), "--shape: mass_matrix has its shapes"),
    (("mine.py:length", "--to", "c", "--shape", "x=100000000", "--shape", "y="), "'x' has 100,000,000 numbers"),
    (("mine.py:length", "--to", "c", "--shape", "x=1000,1000", "--shape", "y="), "'x' has 1,000,000 numbers"),
    (("planar_2r", "inverse_kinematics", "--to", "casadi"), 'use "c", "cuda", "js", "matlab", "python" or "rust"'),
    (("mine.py:length", "--to", "casadi"), "arrays of unknown size: say --shape x=... --shape y=..."),
    (("mine.py:length", "--to", "casadi", "--shape", "x:2"), "--shape must be like q=7"),
    (("mine.py:positive", "--to", "c", "--shape", "q=3"), "of mine.py (return q[q > 0.0]): the size of x[mask]"),
    (("mine.py:lenght", "--to", "casadi"), "did you mean 'length'?"),
    (("mine.py:number", "--to", "casadi"), "is a int, and no function"),
    (("mine.py:kernel", "mass_matrix", "--to", "casadi"), "is no robot or system"),
    (("mime.py:kernel", "--to", "casadi"), "there is no file 'mime.py'"),
    (("mime:kernel", "--to", "casadi"), "there is no module 'mime'"),
    (("planar_2r", "mass_matrix", "--to", "casadi", "-o", "mine.py"), "is a file, and not a folder"),
]


@pytest.mark.parametrize(("arguments", "said"), MISTAKES, ids=lambda x: str(x)[:40])
def test_mistakes(export, tmp_path, arguments, said):
    done = export(*arguments)
    assert done.exit_code == 1 and said in " ".join(done.output.split()), done.output
    assert done.output.startswith("error: ") and {path.name for path in tmp_path.iterdir()} <= {
        "mine.py",
        "__pycache__",
    }


def test_files_of_others_stay_unless_told(export, tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "test_mass_matrix.py").write_text("mine")
    done = export("planar_2r", "mass_matrix", "--to", "casadi", "-o", "x")
    assert done.exit_code == 1 and "unless you say --overwrite" in " ".join(done.output.split())
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["test_mass_matrix.py"]
    assert export("planar_2r", "mass_matrix", "--to", "casadi", "-o", "x", "--overwrite").exit_code == 0


def test_a_file_that_fails_says_where(export, tmp_path):
    (tmp_path / "broken.py").write_text("x = 1 / 0\n")
    done = export("broken.py:x", "--to", "casadi")
    assert done.exit_code == 1 and "broken.py cannot be run: ZeroDivisionError: division by zero" in done.output


CONSOLE = re.compile(r"^```console\n\$ chasles export (.*)\n((?:.+\n)+?)```", re.MULTILINE)


def shown_in_the_documentation():
    """Commands, and all that they print."""
    blocks = CONSOLE.findall((Path(__file__).parents[2] / "docs" / "export.md").read_text())
    assert len(blocks) == 2
    return [(command.split(), expected.splitlines()) for command, expected in blocks]


def test_the_page_of_the_documentation_is_true(export):
    """But for what a Cortex-M4 takes, which its compiler says."""
    for command, expected in shown_in_the_documentation():
        told = [line for line in expected if not line.startswith("Cortex-M4")]
        assert export(*command).output.splitlines() == told


@pytest.mark.system
@needs(COMPILER)
def test_the_page_of_the_documentation_is_true_of_a_microcontroller(export, monkeypatch):
    monkeypatch.setattr(footprint, "COMPILER", COMPILER)
    for command, expected in shown_in_the_documentation():
        assert export(*command).output.splitlines() == expected
