"""Characters that a terminal obeys: refused in names, written out in all other text of a robot and in what is said."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.urdf_text import arm
from typer.testing import CliRunner

import chasles as ch
from chasles.cli.app import app
from chasles.errors import CONTROL, ChaslesError, ModelError, ModelWarning, printable
from chasles.io import toml

HOSTILE = {
    "escape": "\x1b[31m",
    "bell": "\a",
    "end of line": "\n",
    "carriage return": "\r",
    "delete": "\x7f",
    "escape of eight bits": "\u009b2J",
    "other direction": "\u202e",
    "isolated": "\u2066",
    "end of paragraph": "\u2029",
}
hostile = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


def safe(text: str) -> bool:
    """Whether a terminal would obey nothing of it but the ends of its lines."""
    return not CONTROL.search(text.replace("\n", ""))


def screws(**names) -> ch.Robot:
    return ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [ch.Link(1.0, inertia=(1, 1, 1))], **names)


@hostile
def test_names_are_refused(text: str) -> None:
    name = f"a{text}b"
    for make in (
        lambda: screws(joint_names=[name]),
        lambda: screws(link_names=[name]),
        lambda: screws(frames={name: (0, np.eye(4))}),
        lambda: screws(base=ch.Link(name=name)),
    ):
        with pytest.raises(
            ModelError, match=r"(link|joint|frame) 'a\\.*b': its name has the control character"
        ) as error:
            make()
        assert safe(str(error.value)) and "\n" not in str(error.value)


@hostile
def test_names_in_files_are_refused(text: str) -> None:
    name = f"a{text}b"
    reference = "".join(f"&#{ord(c)};" if ord(c) > 31 or c in "\t\n\r" else c for c in name)
    plain = toml.write(screws().mechanism)
    escaped = "".join(f"\\u{ord(c):04x}" for c in name)
    mjcf = f"<mujoco><worldbody><body name='{reference}'><joint/><geom size='1'/></body></worldbody></mujoco>"
    for file, format in (
        (arm(("continuous",)).replace("j1", reference), "urdf"),
        (plain.replace('"joint1"', f'"{escaped}"'), "toml"),
        (plain.replace('"link1"', f'"{escaped}"'), "toml"),
        (mjcf, "mjcf"),
        (mjcf.replace("<joint", f"<joint name='{reference}'"), "mjcf"),
    ):
        with pytest.raises(ModelError, match=r"<text>:\d+: .*(control character|not XML)") as error:
            ch.load_text(file, format)  # type: ignore[arg-type]
        assert safe(str(error.value)) and "\n" not in str(error.value)


def test_other_text_is_written_out(tmp_path) -> None:
    name = "".join(f"\\u{ord(c):04x}" for c in f"a{''.join(HOSTILE.values())}b")
    lines = [x for x in toml.write(screws().mechanism).splitlines(True) if not x.startswith('name = "robot')]
    said = f'name = "{name}"\ndescription = "{name}"\nsource = "{name}"\ndoubts = ["{name}"]\n'
    path = tmp_path / "robot.toml"
    path.write_text(said + "".join(lines))
    with pytest.warns(ModelWarning) as caught:
        robot = ch.load(path)
    m = robot.mechanism
    for shown in (repr(robot), robot.name, m.description, m.source, *robot.doubts, str(caught[0].message)):
        assert safe(shown)
    for command in ("info", "geometry"):
        result = CliRunner().invoke(app, [command, str(path)])
        assert safe(result.output) and result.exit_code == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert ch.load_text(robot.to_toml(), "toml") == robot


@hostile
def test_what_is_said_is_written_out(text: str, tmp_path) -> None:
    robot = ch.load("planar_2r")
    for wrong in (
        lambda: ch.load(f"a{text}b"),
        lambda: ch.load_text(f"<robot><link name='a'/>{text}</robot", "urdf"),
        lambda: robot.jacobian([0, 0], frame=f"a{text}b"),
        lambda: robot.kernel(f"a{text}b"),
        lambda: robot.with_tool(np.eye(4), link=f"a{text}b"),
    ):
        with pytest.raises(ChaslesError) as error:
            wrong()
        assert safe(str(error.value))
    folder = tmp_path / f"a{text}b"
    folder.mkdir()
    (folder / "r.urdf").write_text("<robot/>")
    shown = CliRunner().invoke(app, ["info", str(folder / "r.urdf")])
    assert shown.exit_code == 1 and safe(shown.output)


def test_errors_are_kept_whole() -> None:
    error = pickle.loads(pickle.dumps(ModelError("a\x1bb")))
    assert (
        type(error) is ModelError and str(error) == "a\\x1bb" and ModelError().args == () and ModelError(3).args == (3,)
    )


@given(st.text())
def test_what_is_written_out_stays_so(text: str) -> None:
    once = printable(text)
    assert printable(once) == once and safe(once.replace("\t", "")) and (once == text or CONTROL.search(text))


def test_names_of_constraints_are_refused() -> None:
    with pytest.raises(ch.ModelError, match="control character"):
        ch.Constraint.holonomic(lambda q: q[0], "a\x1b[31mb")
