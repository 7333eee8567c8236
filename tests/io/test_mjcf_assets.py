"""Files that an MJCF file names: opened where the dynamics need them and they may be; no other is looked for."""

import os
import time
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from typer.testing import CliRunner

import chasles as ch
from chasles.cli.app import app
from chasles.errors import ModelError
from chasles.io import mjcf

TETRAHEDRON = """\
v 0 0 0
v 1 0 0
v 0 2 0
v 0 0 3
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""
INERTIAL = "<inertial pos='0.1 0 0' mass='2' diaginertia='1 1 1'/>"


def model(geom: str = "", inertial: str = INERTIAL, compiler: str = "", more: str = "") -> str:
    assets = "<mesh name='m' file='m.obj'/>"
    return (
        f"<mujoco><compiler meshdir='../meshes' {compiler}/><asset>{assets}{more}</asset><worldbody><body name='b'>"
        f"<joint name='j'/>{inertial}<geom type='mesh' mesh='m' {geom}/></body></worldbody></mujoco>"
    )


def loaded(path: Path | str, **options) -> ch.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        return ch.load(path, **options)


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    """A folder with one beside it that has a mesh."""
    for name in ("robots", "meshes"):
        (tmp_path / name).mkdir()
    (tmp_path / "meshes" / "m.obj").write_text(TETRAHEDRON)
    return tmp_path / "robots"


NEEDLESS = {
    "a mesh beside an inertia": model(),
    "a mesh without a density": model("density='0'", "<geom size='0.1'/>"),
    "a mesh without a mass": model("mass='0'", "<geom size='0.1'/>"),
    "a mesh of a group that does not count": model("group='2'", "<geom size='0.1'/>", "inertiagrouprange='0 1'"),
    "a mesh of a group below those that count": model(
        "group='0'", "<geom size='0.1' group='1'/>", "inertiagrouprange='1 4'"
    ),
    "no inertia from geoms": model(compiler="inertiafromgeom='false'"),
    "a texture": model(more="<texture type='2d' name='t' file='../textures/t.png'/><material name='k' texture='t'/>"),
    "a cube of textures": model(more="<texture type='cube' name='t' fileup='/t.png' fileleft='../t.png'/>"),
    "a height field": model(more="<hfield name='h' size='1 1 1 1' file='../h.png'/>").replace(
        "<worldbody>", "<worldbody><geom type='hfield' hfield='h'/>"
    ),
    "a skin": model(more="<skin name='s' file='../s.skn'/>"),
    "a mesh with a scale and a kind of inertia": model().replace(
        "'m.obj'", "'m.obj' scale='-1 0.001 1' inertia='shell' refpos='1 2 3' maxhullvert='10'"
    ),
    "a mesh of the world": model().replace("<worldbody>", "<worldbody><geom type='mesh' mesh='m'/>"),
}


@pytest.mark.parametrize("name", NEEDLESS)
def test_what_the_dynamics_do_not_need_is_not_looked_for(name: str, robots: Path) -> None:
    (robots.parent / "meshes" / "m.obj").unlink()
    os.mkfifo(robots.parent / "meshes" / "m.obj")  # it would not end
    path = robots / "r.xml"
    path.write_text(NEEDLESS[name])
    robot = loaded(path)
    ball = 1000.0 * 4.0 / 3.0 * np.pi * 1e-3
    assert robot.total_mass == pytest.approx(2.0 if INERTIAL in NEEDLESS[name] else ball)
    assert robot.joint_names == ("j",)


def test_geoms_collide_as_they_would(robots: Path) -> None:
    path = robots / "r.xml"
    path.write_text(model().replace("<worldbody>", "<worldbody><geom type='plane' size='1 1 1'/>"))
    assert "contacts are not carried: 1 pair of geoms" in loaded(path).doubts[0]


NEEDED = {
    "no inertia": model(inertial=""),
    "a mass": model("mass='3'", ""),
    "inertia from geoms": model(compiler="inertiafromgeom='true'"),
    "a shape that fits it": model(inertial="").replace("type='mesh'", "type='box'"),
    "one of two": model(inertial="").replace("<worldbody>", "<worldbody><geom type='mesh' mesh='m'/>"),
}


@pytest.mark.parametrize("name", NEEDED)
def test_meshes_that_weigh_are_opened_where_they_may_be(name: str, robots: Path) -> None:
    path, meshes = robots / "r.xml", robots.parent / "meshes"
    path.write_text(NEEDED[name])
    with pytest.raises(ModelError, match=r"r.xml:1: <mesh> file='../meshes/m.obj': a file outside of the robot's") as e:
        loaded(path)
    assert "chasles.load(file, roots=[FOLDER]), or --root FOLDER on the command line, allows it" in str(e.value)
    assert str(e.value).endswith(f"FOLDER = {str(meshes)!r}")
    own = mujoco.MjModel.from_xml_path(str(path))
    for root in (meshes, str(meshes), robots.parent, robots / ".." / "meshes"):
        robot = loaded(path, roots=[root])
        assert robot.mechanism.key == key_of(own)
    with pytest.raises(ModelError, match="outside of the robot's"):
        loaded(path, roots=[robots])


def key_of(own: mujoco.MjModel) -> tuple:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        return mjcf.from_mujoco(own, name="r").key


def test_links_of_the_file_system_are_followed(robots: Path) -> None:
    path = robots / "r.xml"
    path.write_text(model(inertial="").replace("../meshes", ""))
    (robots / "m.obj").symlink_to(robots.parent / "meshes" / "m.obj")
    assert loaded(path).total_mass == pytest.approx(1000.0)
    (robots / "inside").symlink_to(robots.parent / "meshes")
    path.write_text(model(inertial="").replace("../meshes", "inside/../meshes"))  # where no text would tell
    with pytest.raises(ModelError, match="outside of the robot's own folder"):
        loaded(path)


def test_pipes_and_folders_are_not_opened(robots: Path) -> None:
    path = robots / "r.xml"
    os.mkfifo(robots / "pipe.obj")
    (robots / "folder.obj").mkdir()
    for file, why in (("pipe", "is not a file"), ("folder", "is not a file; it is a folder")):
        path.write_text(model(inertial="").replace("../meshes", "").replace("m.obj", f"{file}.obj"))
        with pytest.raises(ModelError, match=f"r.xml:1: <mesh> file='{file}.obj': .* {why}"):
            loaded(path)
    for tag in ("<include file='pipe.obj'/>", "<asset><model file='pipe.obj'/></asset>"):
        path.write_text(f"<mujoco>\n{tag}</mujoco>")
        with pytest.raises(ModelError, match=r"r.xml:2: <(include|model)> file='pipe.obj': .* is not a file"):
            loaded(path)
    path.write_text("<mujoco><worldbody><flexcomp name='f' type='mesh' file='pipe.obj'/></worldbody></mujoco>")
    with pytest.raises(ModelError, match=r"<flexcomp> file='pipe.obj': .* is not a file"):
        loaded(path)


def test_includes_from_allowed_folders(robots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = robots.parent / "shared"
    shared.mkdir()
    (shared / "arm.xml").write_text(model())
    path = robots / "r.xml"
    path.write_text("<mujoco><include file='../shared/arm.xml'/></mujoco>")
    with pytest.raises(ModelError, match=r"<include> file='../shared/arm.xml': a file outside") as error:
        loaded(path)
    assert f"FOLDER = {str(shared)!r}" in str(error.value)
    assert loaded(path, roots=[shared]).n == 1
    monkeypatch.chdir(robots)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        assert ch.load_text(path.read_text(), "mjcf", roots=["../shared"]).n == 1
    shown = CliRunner().invoke(app, ["info", str(path), "--root", str(shared), "--json"])
    assert shown.exit_code == 0 and '"joints"' in shown.output
    assert CliRunner().invoke(app, ["info", str(path)]).exit_code == 1


def test_roots_are_folders(robots: Path) -> None:
    for roots, message in (
        (robots, "roots must be a list of folders"),
        (str(robots), "roots must be a list of folders"),
        ([robots / "none"], r"roots\[0\] must be a folder, and .*none' is none"),
        ([robots, 3], r"roots\[1\] must be the path of a file"),
        (None, "roots must be a list of folders"),
    ):
        with pytest.raises(ModelError, match=message):
            ch.load("panda", roots=roots)  # type: ignore[arg-type]


def test_meshes_of_attached_models(robots: Path) -> None:
    """Each with its own folder of meshes and its own rule of inertias."""
    (robots / "sub").mkdir()
    child = model(compiler="inertiafromgeom='true'").replace("../meshes", "../../meshes")
    (robots / "sub" / "child.xml").write_text(child)
    path = robots / "r.xml"
    path.write_text(
        "<mujoco><asset><model name='c' file='sub/child.xml'/></asset>"
        "<worldbody><attach model='c' body='b' prefix='x'/></worldbody></mujoco>"
    )
    with pytest.raises(ModelError, match=r"child.xml:1: <mesh> file='../../meshes/m.obj': a file outside"):
        loaded(path)


def test_attached_models_that_multiply_are_refused(tmp_path: Path) -> None:
    """Ten small files, each with the next one several times."""
    for k in range(10):
        attach = "".join(f"<attach model='m' prefix='p{i}_'/>" for i in range(8))
        body = f"<body name='b'>{attach}</body>" if k < 9 else "<body name='b'><geom size='1'/></body>"
        asset = f"<asset><model name='m' file='m{k + 1}.xml'/></asset>" if k < 9 else ""
        (tmp_path / f"m{k}.xml").write_text(f"<mujoco>{asset}<worldbody>{body}</worldbody></mujoco>")
    start = time.perf_counter()
    with pytest.raises(ModelError, match=r"m\d.xml:1: <attach>: more than 10,000 elements made by <replicate> and"):
        loaded(tmp_path / "m0.xml")
    for k in range(9):  # read again and again, attached once
        assets = "".join(f"<model name='m{i}' file='m{k + 1}.xml'/>" for i in range(8))
        (tmp_path / f"m{k}.xml").write_text(f"<mujoco><asset>{assets}</asset><worldbody/></mujoco>")
    with pytest.raises(ModelError, match=r"m\d.xml:1: <model>: more than"):
        loaded(tmp_path / "m0.xml")
    assert time.perf_counter() - start < 2.0


def test_what_is_included_in_a_replicate_counts_as_often(tmp_path: Path) -> None:
    (tmp_path / "many.xml").write_text("<mujoco>" + "<site/>" * 200 + "</mujoco>")
    path = tmp_path / "r.xml"
    path.write_text(
        "<mujoco><worldbody><body><geom size='1'/><replicate count='100'><include file='many.xml'/></replicate></body>"
        "</worldbody></mujoco>"
    )
    with pytest.raises(ModelError, match="<site>: more than 10,000 elements made by"):
        loaded(path)


def test_a_few_attached_models_load(tmp_path: Path) -> None:
    (tmp_path / "m.xml").write_text(
        "<mujoco><worldbody><body name='b'><joint/><geom size='1'/></body></worldbody></mujoco>"
    )
    path = tmp_path / "r.xml"
    attach = "".join(f"<attach model='m' prefix='p{i}_'/>" for i in range(8))
    path.write_text(f"<mujoco><asset><model name='m' file='m.xml'/></asset><worldbody>{attach}</worldbody></mujoco>")
    assert loaded(path).n == 8
