"""Geoms of MJCF files as shapes: where MuJoCo has them, meshes by the names of their files."""

import mujoco
import numpy as np
import pytest
from support.mesh_files import BOX, obj, stl
from support.tolerances import close

import chasles as ch
from chasles.model.shape import Shape
from chasles.view.mesh_files import MeshFolders
from chasles.view.mesh_reader import read

TEXT = """<mujoco model="r"><compiler meshdir="assets" angle="radian"/>
<asset><mesh name="a" file="a.stl" scale="2 2 2" refpos="0.1 0.2 0.3" refquat="0.8 0.6 0 0"/>
<mesh file="b.obj" scale="1 -2 3" refpos="0.1 0 0"/><material name="red" rgba="1 0 0 1"/></asset>
<worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="arm" pos="0.1 0.2 0.3" euler="0.3 0.2 0.1"><joint name="j" axis="0 0 1"/>{inertial}
<geom name="one" type="mesh" mesh="a" pos="0.4 0.5 0.6" euler="0.1 0.2 0.3" group="2" rgba="0 1 0 0.5" contype="0"/>
<geom name="two" type="mesh" mesh="b" pos="0.1 0 0" axisangle="0 0 1 0.7" material="red"/>
<geom name="rod" type="capsule" fromto="0 0 0 0 0 1" size="0.05" mass="1"/>
<geom name="tin" type="cylinder" size="0.1 0.2" pos="1 0 0"/><geom name="egg" type="ellipsoid" size="0.1 0.2 0.3"/>
<geom name="hull" type="box" size="0.1 0.2 0.3" group="3"/></body></worldbody></mujoco>"""
INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'


@pytest.fixture(params=["the file's inertia", "the meshes' inertia"])
def path(request, tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "a.stl").write_bytes(stl())
    (tmp_path / "assets" / "b.obj").write_bytes(obj())
    path = tmp_path / "robot.xml"
    path.write_text(TEXT.format(inertial=INERTIAL if "file" in request.param else ""))
    return path


@pytest.mark.filterwarnings("ignore::chasles.errors.ModelWarning")
def test_meshes_are_where_mujoco_has_them(path):
    m = ch.load(path).mechanism
    model = mujoco.MjModel.from_xml_path(str(path))
    found: dict[str, Shape] = {shape.name: shape for shape in m.visuals}
    for name, scale, file in (("one", (2, 2, 2), "assets/a.stl"), ("two", (1, -2, 3), "assets/b.obj")):
        shape = found[name]
        assert shape.frame == "arm" and shape.size == scale and shape.file == file and shape.role == "visual"
        (piece,) = read(shape.file, MeshFolders(m.file))
        T = np.array(shape.pose)
        ours = piece.vertices * shape.size @ T[:3, :3].T + T[:3, 3]
        g = model.geom(name).id
        start = model.mesh_vertadr[model.geom_dataid[g]]
        theirs = model.mesh_vert[start : start + model.mesh_vertnum[model.geom_dataid[g]]].astype(float)
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, model.geom_quat[g])
        theirs = theirs @ R.reshape(3, 3).T + model.geom_pos[g]
        assert close(corners(ours), corners(theirs), 1e-5)
    assert found["one"].colour == pytest.approx((0, 1, 0, 0.5)) and found["two"].colour == pytest.approx((1, 0, 0, 1))


def corners(points):
    return np.unique(np.round(points, 5) + 0.0, axis=0)[: len(BOX)]


@pytest.mark.filterwarnings("ignore::chasles.errors.ModelWarning")
def test_other_geoms_are_carried_by_their_sizes(path):
    robot = ch.load(path)
    found = {shape.name: shape for shape in robot.mechanism.visuals}
    sizes = {name: (shape.kind, shape.size) for name, shape in found.items() if shape.kind != "mesh"}
    assert set(sizes) == {"rod", "tin", "hull"} and found["hull"].role == "collision" and found["rod"].colour is None
    assert sizes["tin"] == ("cylinder", (0.1, 0.4)) and sizes["hull"] == ("box", (0.2, 0.4, 0.6))
    assert sizes["rod"][0] == "capsule" and close(sizes["rod"][1], (0.05, 1.0)) and found["rod"].pose[2][3] == 0.5
    assert "the shapes of 2 geoms are not carried; their mass is in the bodies'" in robot.notes
    assert ch.load_text(robot.to_toml(), "toml").mechanism.visuals == robot.mechanism.visuals
