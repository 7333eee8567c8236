"""`chasles.load`: names, files, descriptions."""

import os
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from support.urdf_text import arm

import chasles as ch
from chasles.io import toml, urdf


def test_by_suffix(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(arm(("revolute",), ("prismatic",)))
    robot = ch.load(tmp_path / "arm.urdf")
    assert robot.n == 2 and robot.joint_names == ("j1", "j2")
    robot.to_toml(tmp_path / "arm.toml")
    assert ch.load(tmp_path / "arm.toml") == ch.load(str(tmp_path / "arm.urdf"))
    robot.to_urdf(tmp_path / "again.urdf")
    assert ch.load(tmp_path / "again.urdf").joint_names == robot.joint_names
    (tmp_path / "arm.xml").write_text(
        '<mujoco><worldbody><body><joint name="a" axis="0 1 0"/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    assert ch.load(tmp_path / "arm.xml").joint_names == ("a",)
    twin = robot.to_pinocchio()
    assert ch.Robot.from_pinocchio(twin.model).n == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("arm.urdf.xacro", "run `xacro|cannot be read|xacro cannot"),
        ("arm.usd", "no reader for .usd; there are .toml, .urdf"),
        ("missing.urdf", "missing.urdf"),
        ("missing.toml", "missing.toml"),
        ("missing.xml", "missing.xml"),
        ("nonesuch_description", "no built-in robot"),
    ],
)
def test_mistakes(name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ch.ModelError, match=message):
        ch.load(name)


def test_unreadable_toml(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ch.ModelError, match=r"folder\.toml is a folder"):
        ch.load(tmp_path / "folder.toml")
    for digits, message in ((400, "big.toml:4: .*mass has a number too large"), (5000, "big.toml: not TOML")):
        link = 'name = "a"\nhome = {position = [0, 0, 0]}\nmass = %s\njoint = {type = "fixed"}'
        (tmp_path / "big.toml").write_text("[[links]]\n" + link % ("9" * digits))
        with pytest.raises(ch.ModelError, match=message):
            ch.load(tmp_path / "big.toml")


def test_names_of_robot_descriptions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package says where its file is; here a stand-in for it, since it fetches its files from elsewhere."""
    (tmp_path / "arm.urdf").write_text(arm(("revolute",)))
    package, module = types.ModuleType("robot_descriptions"), types.ModuleType("robot_descriptions.arm_description")
    package.__path__ = []  # type: ignore[attr-defined]
    package.__spec__ = types.SimpleNamespace(name="robot_descriptions")  # type: ignore[assignment]
    module.URDF_PATH = str(tmp_path / "arm.urdf")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "robot_descriptions", package)
    monkeypatch.setitem(sys.modules, "robot_descriptions.arm_description", module)
    assert ch.load("arm_description").n == 1
    with pytest.raises(ch.ModelError, match="no built-in robot 'leg_description'"):
        ch.load("leg_description")


def test_what_robot_descriptions_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A description that cannot be imported is there, unlike one that does not exist."""
    (tmp_path / "robot_descriptions").mkdir()
    (tmp_path / "robot_descriptions" / "__init__.py").touch()
    (tmp_path / "robot_descriptions" / "arm_description.py").write_text("import nonesuch.inside\n")
    for name in [name for name in sys.modules if name.partition(".")[0] == "robot_descriptions"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ch.ModelError, match="has arm_description, but it needs the module 'nonesuch'"):
        ch.load("arm_description")
    with pytest.raises(ch.ModelError, match="no built-in robot 'leg_description'"):
        ch.load("leg_description")
    monkeypatch.delitem(sys.modules, "robot_descriptions")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise OSError('no network')", "has arm_description, but not here: OSError: no network"),
        ("from os import nonesuch", "has arm_description, but not here: ImportError: cannot import name 'nonesuch'"),
        ("XACRO_PATH = '/x/arm.urdf.xacro'", "arm.urdf.xacro'?: (a xacro file is a program|cannot be read)"),
        ("USD_PATH = '/x/arm.usd'", "has arm_description, but neither as URDF nor as xacro or MJCF"),
    ],
)
def test_descriptions_that_do_not_load(
    code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "robot_descriptions").mkdir()
    (tmp_path / "robot_descriptions" / "__init__.py").touch()
    (tmp_path / "robot_descriptions" / "arm_description.py").write_text(code + "\n")
    for name in [name for name in sys.modules if name.partition(".")[0] == "robot_descriptions"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ch.ModelError, match=message):
        ch.load("arm_description")
    for name in [name for name in sys.modules if name.partition(".")[0] == "robot_descriptions"]:
        monkeypatch.delitem(sys.modules, name)


def test_without_robot_descriptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ch.ModelError, match=r'pip install "chasles\[descriptions\]"'):
        ch.load("talos_description")


@pytest.mark.parametrize("source", [None, 3, b"panda", ["panda"], ch.load("ur5")])
def test_what_is_no_name_or_path(source: Any) -> None:
    with pytest.raises(ch.ModelError, match=f"the path of a file, got {type(source).__name__}"):
        ch.load(source)


@pytest.mark.parametrize("start", ["", "\n  ", "<?xml version='1.0'?>", "\ufeff"])
def test_text_for_a_path(start: str) -> None:
    with pytest.raises(ch.ModelError, match=r"got text: use chasles\.load_text"):
        ch.load(start + arm(*[("revolute",)] * 7))


def test_names_too_long_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ch.ModelError, match=r"^'xxx.*'\.\.\. \(100000 characters\) is no robot.*File name too long"):
        ch.load("x" * 100_000)
    with pytest.raises(ch.ModelError, match="is no robot, nor the path of a file"):
        ch.load("x" * 1000 + ".urdf")
    with pytest.raises(ch.ModelError):
        ch.load("arm\0.urdf")
    for folder in ("robots", "robots.urdf"):
        (tmp_path / folder).mkdir()
        with pytest.raises(ch.ModelError, match="is a folder: give the path of a robot's file"):
            ch.load(tmp_path / folder)
    with pytest.raises(ch.ModelError, match="is a folder"):
        ch.load(".")
    (tmp_path / "arm.urdf").write_text(arm(("revolute",)))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert ch.load("~/arm.urdf").n == ch.load(Path("~/arm.urdf")).n == 1
    ch.load("~/arm.urdf").to_toml("~/arm.toml")
    ch.load("~/arm.urdf").to_urdf(Path("~/arm2.urdf"))
    assert ch.load(tmp_path / "arm.toml") == ch.load("~/arm.urdf") and (tmp_path / "arm2.urdf").is_file()


def test_load_text() -> None:
    text = arm(("revolute",), ("prismatic",))
    robot = ch.load_text(text)
    assert robot == ch.Robot(urdf.parse(text)) == ch.load_text(robot.to_toml(), "toml")
    assert ch.load_text('<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>', "mjcf").n == 1
    with pytest.raises(ch.ModelError, match="format must be one of urdf, mjcf, toml, got 'sdf'"):
        ch.load_text(text, "sdf")  # type: ignore[arg-type]
    for wrong in (None, Path("arm.urdf")):
        with pytest.raises(ch.ModelError, match="text must be a string"):
            ch.load_text(wrong)  # type: ignore[arg-type]
    with pytest.raises(ch.ModelError, match="<text>:1: not XML"):
        ch.load_text("panda")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_toml_files_that_never_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    for name in ("pipe.toml", "zero.toml"):
        with pytest.raises(ch.ModelError, match="this is not a file"):
            ch.load(tmp_path / name)
        with pytest.raises(ch.ModelError, match="this is not a file"):
            toml.read(str(tmp_path / name))
    monkeypatch.setattr("chasles.io.toml_bounds.LARGEST_TEXT", 2**20)
    (tmp_path / "large.toml").write_text("#" * 2**21)
    with pytest.raises(ch.ModelError, match=r"large\.toml:1: more than 1 MiB"):
        ch.load(tmp_path / "large.toml")
