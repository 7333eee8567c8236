"""Xacro files: expanded where a package for it is installed, else refused with what to do."""

import os
import sys
import types
import warnings
from pathlib import Path

import pytest
from support.urdf_text import arm

import chasles as ch
from chasles.errors import ModelError, ModelWarning

PART = """\
<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="mass" default="3"/>
<xacro:macro name="arm" params="n"><link name="l${n}"><inertial><mass value="${n * $(arg mass)}"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></xacro:macro>
</robot>
"""
ROBOT = """\
<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:include filename="part.xacro"/>
<xacro:arm n="1"/><xacro:arm n="2"/>
<joint name="j" type="continuous"><parent link="l1"/><child link="l2"/><axis xyz="0 0 1"/></joint>
</robot>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package of ROS with a robot in it."""
    (tmp_path / "arms" / "urdf").mkdir(parents=True)
    (tmp_path / "arms" / "package.xml").write_text("<package><name>arms</name></package>")
    (tmp_path / "arms" / "urdf" / "part.xacro").write_text(PART)
    (tmp_path / "arms" / "urdf" / "robot.urdf.xacro").write_text(ROBOT)
    return tmp_path / "arms" / "urdf"


def test_without_a_package_for_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(
        ModelError, match=r'pip install "chasles\[xacro\]", or run `xacro robot.urdf.xacro > robot.urdf`'
    ):
        ch.load(folder / "robot.urdf.xacro")


class Document:
    """As xacro's, of a text."""

    def __init__(self, text: str) -> None:
        self.toxml = lambda: text


def test_what_a_package_for_it_makes_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for xacro: what it is asked for, what comes of its text, and of its mistakes."""
    asked, stand_in = [], types.ModuleType("xacro")
    text = arm(("revolute",))

    def process_file(path: str, mappings: dict[str, str]) -> Document:
        asked.append((path, mappings))
        return Document(text)

    stand_in.process_file = process_file  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xacro", stand_in)
    monkeypatch.setitem(sys.modules, "xacrodoc", None)
    path = folder / "robot.urdf.xacro"
    assert ch.load(path).n == 1 and asked == [(str(path), {})]
    text = text.replace('type="revolute"', 'type="revolt"')
    with pytest.raises(ModelError, match=r"robot.urdf.xacro \(expanded\):\d+: joint 'j1': its type must be one of"):
        ch.load(path)

    def fails(path: str, mappings: dict[str, str]) -> Document:
        raise KeyError("no argument\n'prefix'")

    stand_in.process_file = fails  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match=r"and xacro cannot: KeyError: .*prefix.*, run `xacro robot.urdf.xacro > "):
        ch.load(path)
    os.mkfifo(folder / "pipe.xacro")
    with pytest.raises(ModelError, match="this is not a file"):
        ch.load(folder / "pipe.xacro")


def test_xacro_itself(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import xacrodoc as finder

    path = folder / "robot.urdf.xacro"
    robot = ch.load(path)
    assert robot.name == "x" and robot.total_mass == 6.0 and robot.joint_names == ("j",)
    path.write_text(ROBOT.replace("part.xacro", "$(find arms)/urdf/part.xacro"))
    assert ch.load(path) == robot
    (folder.parent.parent / "other").mkdir()
    moved = folder.parent.parent / "other" / "robot.xacro"
    moved.write_text(path.read_text())
    finder.packages.reset()
    assert ch.load(moved, roots=[folder.parent.parent]) == robot
    path.write_text(ROBOT.replace("part.xacro", "none.xacro"))
    with pytest.raises(ModelError, match=r"xacro cannot: XacroException: No such file"):
        ch.load(path)


def test_descriptions_that_are_xacro(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, module = types.ModuleType("robot_descriptions"), types.ModuleType("robot_descriptions.arm_description")
    package.__path__ = []  # type: ignore[attr-defined]
    package.__spec__ = types.SimpleNamespace(name="robot_descriptions")  # type: ignore[assignment]
    module.XACRO_PATH = str(folder / "robot.urdf.xacro")  # type: ignore[attr-defined]
    module.XACRO_ARGS = {"mass": "5"}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "robot_descriptions", package)
    monkeypatch.setitem(sys.modules, "robot_descriptions.arm_description", module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert ch.load("arm_description").total_mass == 10.0
