"""`chasles.load`: names, files, descriptions."""

import sys
import types
from pathlib import Path

import pytest
from urdf_text import arm

import chasles as ch


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
        ("arm.urdf.xacro", "run `xacro"),
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
    with pytest.raises(ch.ModelError, match=r"folder\.toml: cannot be read"):
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
