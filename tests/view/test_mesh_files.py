"""Meshes are found in the robot's own folders and packages and in those that are given, and nowhere else."""

import os
import sys
from pathlib import Path

import pytest
from support.mesh_files import obj, robot, stl

from chasles.view import mesh_files
from chasles.view.mesh_files import MeshFolders, Unusable


@pytest.fixture
def own(tmp_path):
    """ws/arm/urdf with a robot's file; ws/arm/meshes, ws/arm/urdf/below and ws/other with a mesh each."""
    urdf = tmp_path / "ws" / "arm" / "urdf"
    for folder in (urdf / "below", urdf.parent / "meshes", tmp_path / "ws" / "other" / "meshes"):
        folder.mkdir(parents=True)
        (folder / "box.stl").write_bytes(stl())
    (urdf / "robot.urdf").touch()
    return urdf


def found(own, name, *given):
    return MeshFolders(str(own / "robot.urdf"), given).find(name).relative_to(own.parents[1].resolve()).as_posix()


def package(folder, name):
    (folder / "package.xml").write_text(f"<package><name>{name}</name></package>")


def test_names_of_all_forms_are_found(own):
    assert found(own, "below/box.stl") == found(own, "below\\box.stl") == "arm/urdf/below/box.stl"
    assert found(own, str(own / "below" / "box.stl")) == "arm/urdf/below/box.stl"
    assert found(own, (own / "below" / "box.stl").as_uri()) == "arm/urdf/below/box.stl"
    assert found(own, "../meshes/box.stl") == "arm/meshes/box.stl"
    assert found(own, "package://arm/meshes/box.stl") == found(own, "package:///arm/meshes/box.stl")
    assert found(own, "package://arm/meshes/box.stl") == "arm/meshes/box.stl"


def test_packages_are_known_by_their_own_files_and_by_the_environment(own, monkeypatch):
    workspace = own.parents[1]
    name = "package://other/meshes/box.stl"
    with pytest.raises(Unusable, match="package 'other' with this file is not found: folders="):
        found(own, name)
    assert found(own, name, workspace) == found(own, name, workspace / "other") == "other/meshes/box.stl"
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nonesuch{os.pathsep}{workspace}")
    assert found(own, name) == "other/meshes/box.stl"
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    package(workspace / "other", "other")
    assert found(own, name) == "other/meshes/box.stl"
    package(own.parent, "renamed")
    assert found(own, "package://renamed/meshes/box.stl") == "arm/meshes/box.stl"


def test_what_leads_out_is_refused(own, tmp_path):
    secret = tmp_path / "secret.stl"
    secret.write_bytes(stl())
    link = own / "below" / "link.stl"
    link.symlink_to(secret)
    names = ["../../../secret.stl", str(secret), secret.as_uri(), "below/link.stl", "below/../../../../secret.stl"]
    for name in (*names, "package://arm/../../secret.stl", "package://../secret.stl", "../../other/meshes/box.stl"):
        with pytest.raises(Unusable, match=r"not in the robot's folders: folders=|is not found"):
            found(own, name)
    assert MeshFolders(str(own / "robot.urdf"), [tmp_path]).find("below/link.stl") == secret.resolve()


def test_a_folder_above_is_no_package_only_because_of_its_name(own, tmp_path):
    """As /home/user/private/secret.stl, which a file in /home/user/ws/arm/urdf calls package://user/private/secret.stl."""
    private = tmp_path / "private"
    private.mkdir()
    (private / "secret.stl").write_bytes(stl())
    for name in (f"package://{tmp_path.name}/private/secret.stl", "package://ws/other/meshes/box.stl"):
        with pytest.raises(Unusable, match="it is not in the robot's folders: folders="):
            found(own, name)
    package(own.parents[1], "any")
    assert found(own, "package://ws/other/meshes/box.stl") == "other/meshes/box.stl"


def test_a_folder_that_a_link_of_the_file_system_puts_beside_is_not_allowed(own, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "box.stl").write_bytes(stl())
    (own.parent / "assets").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unusable, match="not in the robot's folders"):
        found(own, "../assets/box.stl")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes in the file system")
def test_pipes_devices_and_folders_are_not_opened(own, monkeypatch):
    os.mkfifo(own / "pipe.stl")
    (own / "folder.stl").mkdir()
    monkeypatch.setattr(mesh_files, "open", None, raising=False)
    for name, why in (("pipe.stl", "no regular file"), ("folder.stl", "it is a folder"), ("gone.stl", "no such file")):
        with pytest.raises(Unusable, match=why):
            MeshFolders(str(own / "robot.urdf")).read(name)
    with pytest.raises(Unusable, match="no regular file"):
        MeshFolders("", [Path(os.devnull).parent]).read("null")
    with pytest.raises(Unusable, match="cannot be read"):
        MeshFolders(str(own / "robot.urdf")).read("a\0b.stl")


def test_large_files_are_not_read(own, monkeypatch):
    with open(own / "large.stl", "wb") as file:
        file.truncate(51 * 10**6)
    monkeypatch.setattr(mesh_files, "open", None, raising=False)
    with pytest.raises(Unusable, match="it has 51 MB, and 50 MB are the most"):
        MeshFolders(str(own / "robot.urdf")).read("large.stl")


def test_a_robot_knows_the_file_it_came_from_and_is_the_same_without(tmp_path):
    (tmp_path / "box.obj").write_bytes(obj())
    made = robot(tmp_path, "box.obj")
    m = made.with_gravity([0.0, 0.0, 0.0]).mechanism
    assert m.file == made.mechanism.file == str(tmp_path / "robot.urdf")
    (tmp_path / "below").mkdir()
    assert robot(tmp_path / "below", "box.obj").mechanism.key == made.mechanism.key
