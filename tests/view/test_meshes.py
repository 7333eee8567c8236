"""Meshes of a robot's file: where they are, how a page has them, and what becomes of those that do harm."""

import base64
import pickle
import re
import sys
import time

import numpy as np
import pytest
from support.mesh_files import BOX, FACES, HOLD, TRIANGLES, dae, fan, link, obj, robot, stl, stl_text, torus, urdf
from support.tolerances import close
from support.urdf_text import example_files

import chasles as ch
from chasles.view import meshes
from chasles.view.mesh_checks import checked
from chasles.view.mesh_files import Unusable
from chasles.view.mesh_reader import pieces
from chasles.view.meshes import looks, packed
from chasles.view.scene import scene
from chasles.view.triangles import creased, merged, simplified, welded

T = np.array([[0.0, -1.0, 0.0, 0.3], [1.0, 0.0, 0.0, 0.1], [0.0, 0.0, 1.0, 0.2], [0.0, 0.0, 0.0, 1.0]])
FILES = {"box.stl": stl(), "text.stl": stl_text(), "box.obj": obj(), "box.dae": dae()}


def decoded(mesh):
    """What assets/meshes.js makes of a mesh: its corners, and the three of each triangle."""
    kinds = {"uint16": "<u2", "uint32": "<u4"}
    lists = {}
    for key in ("corners", "again", "triangles"):
        ((kind, text),) = mesh[key].items()
        lists[key] = np.frombuffer(base64.b64decode(text), kinds[kind])
    places = mesh["low"] + np.array(mesh["step"]) * lists["corners"].reshape(-1, 3)
    return np.concatenate([places, places[lists["again"]]]), lists["triangles"].reshape(-1, 3)


def volume(mesh):
    """Of what a closed surface encloses: positive where it is seen from outside."""
    a, b, c = np.moveaxis(mesh[0][mesh[1]], 1, 0)
    return float((a * np.cross(b, c)).sum()) / 6.0


def as_rows(points):
    return np.array(sorted(np.round(points, 6).tolist()))


@pytest.mark.parametrize("name", FILES)
def test_positions_are_those_of_the_file(tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name])
    found = looks(robot(tmp_path, name, scale="2 1 1").mechanism)
    assert found.doubts == [] and len(found.meshes) == 1
    corners, triangles = decoded(packed(found.meshes[0]))
    places = np.repeat(BOX * [2.0, 1.0, 1.0], 3, axis=0)  # three corners at each, since all edges are sharp
    assert close(as_rows(corners), as_rows(places), 1e-5) and triangles.shape == FACES.shape
    assert close(corners[triangles], found.meshes[0][0][found.meshes[0][1]], 1e-5)
    assert close(volume(found.meshes[0]), 2.0 * 0.3 * 0.2 * 0.1, 1e-4)
    (part,) = found.links[0]
    assert close(part.part.pose, [[0, -1, 0, 0.1], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], 1e-12)


def test_a_mirrored_mesh_is_seen_from_outside(tmp_path):
    (tmp_path / "box.stl").write_bytes(stl())
    found = looks(robot(tmp_path, "box.stl", scale="1 -1 1").mechanism)
    assert volume(found.meshes[0]) > 0.0 and found.meshes[0][0][:, 1].min() < -0.19
    mirror = np.diag([-1.0, 1.0, 1.0, 1.0])
    assert volume(pieces(dae(T=mirror), "dae")[0][:2]) > 0.0


def test_nodes_and_units_of_dae_files_count_and_the_up_axis_does_not():
    for up in ("Y_UP", "Z_UP"):
        (piece,) = pieces(dae(1000.0 * BOX, np.diag([1, 1, 1, 1]) + 1000.0 * (T - np.eye(4)), 0.001, up), "dae")
        expected = 0.001 * ((1000.0 * BOX) @ (np.eye(3) + 1000.0 * (T[:3, :3] - np.eye(3))).T + 1000.0 * T[:3, 3])
        assert close(as_rows(np.unique(piece.vertices, axis=0)), as_rows(expected), 1e-6)
    assert pieces(dae(), "dae")[0].colour == pytest.approx((0.2, 0.4, 0.6, 1.0), abs=0.003)


def test_colours_are_those_of_the_robots_file_or_of_the_mesh(tmp_path):
    (tmp_path / "box.dae").write_bytes(dae())
    (tmp_path / "box.mtl").write_text("newmtl red\nKd 0.8 0.1 0.1\n")
    (tmp_path / "box.obj").write_bytes(obj(before="mtllib box.mtl", material="usemtl red"))
    (tmp_path / "plain.obj").write_bytes(obj(before="mtllib none.mtl", material="usemtl red"))
    found = looks(robot(tmp_path, "box.dae", "box.obj", "plain.obj").mechanism)
    colours = [parts[0].colour for parts in found.links]
    assert close(colours[:2], [[0.2, 0.4, 0.6, 1.0], [0.8, 0.1, 0.1, 1.0]], 0.005) and colours[2] is None
    yellow = '<material name="y"><color rgba="1 1 0 0.5"/></material>'
    found = looks(robot(tmp_path, "box.dae", rest=yellow).mechanism)
    assert found.links[0][0].colour == (1.0, 1.0, 0.0, 0.5)


def test_a_mesh_that_several_links_have_is_read_and_written_once(tmp_path, monkeypatch):
    (tmp_path / "box.stl").write_bytes(stl())
    made = robot(tmp_path, "box.stl", "box.stl", "box.stl")
    found = looks(made.mechanism)
    assert len(found.meshes) == 1 and [parts[0].mesh for parts in found.links] == [0, 0, 0]
    assert all(part.part.kind != "mesh" for parts in looks(made.mechanism, meshes=False).links for part in parts)


def test_boxes_and_balls_of_the_file_are_drawn_and_links_without_shapes_are_not(tmp_path):
    shapes = ['<box size="1 2 3"/>', '<cylinder radius="0.1" length="0.4"/>', '<sphere radius="0.2"/>']
    links = [
        link(x, "m").replace('<mesh filename="m" scale="1 1 1"/>', shape)
        for x, shape in zip("abc", shapes, strict=True)
    ]
    links.append(link("d", "m").split("<visual>")[0] + "</link>")
    found = looks(ch.load_text(urdf(*links)).mechanism)
    kinds = [[(x.part.kind, x.part.size) for x in parts] for parts in found.links]
    assert kinds == [[("box", (1, 2, 3))], [("cylinder", (0.1, 0.4))], [("sphere", (0.2,))], []]


def test_meshes_of_toml_files_and_of_parts_are_found(tmp_path):
    (tmp_path / "box.stl").write_bytes(stl())
    robot(tmp_path, "box.stl", "box.stl").to_toml(tmp_path / "robot.toml")
    made = ch.load(tmp_path / "robot.toml")
    for one in (made, made.subtree("a"), pickle.loads(pickle.dumps(made))):
        found = looks(one.mechanism)
        assert found.doubts == [] and len(found.meshes) == 1


def test_without_a_file_folders_say_where(tmp_path):
    (tmp_path / "box.stl").write_bytes(stl())
    made = ch.load_text(urdf(link("a", "box.stl")))
    assert "folders=[FOLDER]" in looks(made.mechanism).doubts[0]
    assert looks(made.mechanism, [tmp_path]).doubts == []


def boom(depth=40):
    """Nodes that place each other twice, again and again."""
    twice = [f'<instance_node url="#n{i}"/>' * 2 for i in range(depth)]
    nodes = [f'<node id="n{i + 1}">{both}</node>' for i, both in enumerate(twice)]
    library = f'<library_nodes><node id="n0">{HOLD}</node>{"".join(nodes)}</library_nodes>'
    return dae(library=library, scene=f'<node id="top"><instance_node url="#n{depth}"/></node>')


LAUGHS = "".join(f'<!ENTITY l{i} "{10 * f"&l{i - 1};"}">' for i in range(1, 10))
LISTED = '<polylist material="a" count="1"><input semantic="VERTEX" source="#v" offset="0"/>{}</polylist>'
COUNT, CORNERS = "<vcount>200000000</vcount>", "<p>0 1 2</p>"
LISTS = {  # of polygons: in another order, twice, one in another
    "counts.dae": (COUNT + CORNERS, "200,000,000 corners, and has not so many"),
    "late.dae": (CORNERS + COUNT, "200,000,000 corners, and has not so many"),
    "twice.dae": (COUNT + "<vcount>3</vcount>" + CORNERS, "more than one list of counts"),
    "again.dae": (CORNERS + COUNT + "<p>" + "0" * 10**6 + "</p>", "more than one list of counts, or of corners"),
    "long.dae": ("<vcount>3000003</vcount><p>" + "0 1 2 " * 1_000_001 + "</p>", "more than 1,000,000 triangles"),
    "inner.dae": (COUNT.replace("</", "<p/></") + CORNERS, "a list of numbers in it has elements"),
}
HOSTILE = {
    "claims.stl": (stl(count=2**32 - 1), "says that it has 4,294,967,295 triangles, and has room for 12"),
    "none.stl": (stl(faces=FACES[:0]), "no triangles"),
    "short.stl": (b"solid?", "no STL"),
    "empty.obj": (b"", "no triangles|broken"),
    "text.stl": (stl_text().replace(b"0.3", b"abc"), "broken|no triangles|not finite"),
    "nan.stl": (stl(np.where(BOX == 0.3, np.nan, BOX)), "not finite"),
    "nan.obj": (obj(np.where(BOX == 0.3, np.nan, BOX)), "not finite|broken|not there|no triangles"),
    "inf.dae": (dae(np.where(BOX == 0.3, np.inf, BOX)), "not finite|no triangles"),
    "huge.stl": (stl(BOX * 1e30), "reaches 3e[+]29 m, far more than the robot"),
    "millimetres.stl": (stl(BOX * 1e3), "reaches 300 m, .* is it in millimetres, and its scale 0.001"),
    "point.stl": (stl(BOX * 0.0), "without an area"),
    "index.obj": (obj() + b"\nf 1 2 4000000000", "broken|not there"),
    "materials.obj": (obj() + b"\nusemtl a" * 1001, "changes its material"),
    "polygon.obj": (obj() + b"\nf" + b" 1 2 3" * 400_000, "more than 1,000,000 triangles"),
    "goes_on.obj": (obj() + b"\nf 1" + b" \\\r\n1\x1c2 3" * 400_000 + b"\nf" * 10**6, "more than 1,000,000 triangles"),
    "text.obj": (b"\xff\xfe\x00" * 999, "broken|no triangles"),
    "unclosed.dae": (dae()[:-20], "not XML"),
    "laughs.dae": (dae(head=f"<!DOCTYPE COLLADA [<!ENTITY l0 'ha'>{LAUGHS}]>", library="&l9;"), "document type"),
    "reads.dae": (dae(head="<!DOCTYPE C [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>", library="&x;"), "document type"),
    "hidden.dae": (dae(head="<!DOCTYPE C>").decode().replace("utf-8", "utf-16").encode("utf-16"), "document type"),
    "nested.dae": (dae(library="<extra>" * 200 + "</extra>" * 200), "of them in each other"),
    "boom.dae": (boom(), "places too many shapes"),
    "circle.dae": (dae(scene='<node id="n"><instance_node url="#n"/></node>'), "inside of itself"),
    **{name: (dae(drawn=LISTED.format(lists)), why) for name, (lists, why) in LISTS.items()},
    "bound.dae": (dae(scene="", head=f"<!--{'<bind_material>' * 20_000}-->"), "no triangles"),
    "outside.dae": (dae(drawn=TRIANGLES.format("0 1 999999999")), "broken|no triangles"),
    "negative.dae": (dae(drawn=TRIANGLES.format("0 1 -7")), "broken|not there|no triangles|area"),
    "unit.dae": (dae(unit=np.nan), "unit is nan"),
    "zip.dae": (b"PK\x03\x04" + bytes(99), "not XML"),
    "mesh.glb": (b"glTF", "STL, OBJ, DAE"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_does_harm_becomes_generated_geometry_and_a_doubt(tmp_path, name):
    data, why = HOSTILE[name]
    (tmp_path / name).write_bytes(data)
    (tmp_path / "box.stl").write_bytes(stl())
    made = robot(tmp_path, name, "box.stl")
    start = time.perf_counter()
    found = looks(made.mechanism)
    assert time.perf_counter() - start < 5.0
    (doubt,) = found.doubts
    assert doubt.startswith(f"link 'a': its mesh {name!r} is not shown: ") and re.search(why, doubt)
    assert {x.part.kind for x in found.links[0]} == {"cylinder", "capsule"}
    assert [x.part.kind for x in found.links[1]] == ["mesh"]


@pytest.mark.parametrize("name", ["polygon.obj", "goes_on.obj", "long.dae"])
def test_triangles_are_counted_before_they_are_read(name):
    with pytest.raises(Unusable, match="more than 1,000,000 triangles"):
        checked(HOSTILE[name][0], name[-3:])


def test_materials_are_not_taken_from_elsewhere(tmp_path, monkeypatch):
    secret, own = tmp_path / "secret.mtl", tmp_path / "own"
    secret.write_text("newmtl red\nKd 0.8 0.1 0.1\nmap_Kd /etc/passwd\n")
    own.mkdir()
    opened = []
    monkeypatch.setattr("builtins.open", lambda path, *rest, _open=open: opened.append(str(path)) or _open(path, *rest))
    for number, mtl in enumerate((str(secret), "../secret.mtl", "/etc/passwd", "file:///etc/passwd")):
        (own / f"{number}.obj").write_bytes(obj(before=f"mtllib {mtl}", material="usemtl red"))
        found = looks(robot(own, f"{number}.obj").mechanism)
        assert found.doubts == [] and found.links[0][0].colour is None
    texture = '<image id="i"><init_from>/etc/passwd</init_from></image>'
    (own / "t.dae").write_bytes(dae(library=f"<library_images>{texture}</library_images>"))
    assert looks(robot(own, "t.dae").mechanism).doubts == []
    assert not [path for path in opened if "secret" in path or "passwd" in path]


def test_without_trimesh_one_doubt_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "box.stl").write_bytes(stl())
    made = robot(tmp_path, "box.stl", "gone.stl")
    monkeypatch.setitem(sys.modules, "trimesh", None)
    found = looks(made.mechanism)
    assert found.doubts == ['no mesh is shown: meshes need trimesh: pip install "chasles[meshes]"']
    assert repr(found.links) == repr(looks(made.mechanism, meshes=False).links) and found.meshes == []


def test_fine_meshes_are_made_coarse_and_stay_where_they_are():
    fine = torus(100)
    (few,) = simplified([fine], 5_000)
    assert 2_500 < len(few[1]) <= 5_000 and len(fine[1]) == 20_000
    assert close(volume(few), volume(fine), 0.03) and close(np.ptp(few[0], axis=0), np.ptp(fine[0], axis=0), 0.02)
    assert simplified([fine], 20_000) == [fine]


def test_what_is_made_coarse_is_noted(tmp_path, monkeypatch):
    (tmp_path / "torus.stl").write_bytes(stl(*torus(12)))
    made = robot(tmp_path, "torus.stl")
    assert scene(made, looks(made.mechanism))["notes"] == []
    monkeypatch.setattr(meshes, "MOST_TRIANGLES", 100)
    (note,) = scene(made, looks(made.mechanism))["notes"]
    assert re.fullmatch(r"meshes are drawn with \d+ of their 288 triangles", note)


def test_the_two_sides_of_a_thin_wall_stay_two():
    wall = (BOX * [1.0, 1.0, 0.01], FACES)  # a millimetre
    corners, faces = merged(wall, 0.01)
    assert np.ptp(corners[:, 2]) > 0.0009 and close(volume((corners, faces)), volume(wall), 1e-12)


def test_corners_at_one_place_are_welded():
    exploded = BOX[FACES].reshape(-1, 3), np.arange(FACES.size).reshape(-1, 3)
    corners, faces = welded(exploded)
    assert len(corners) == 8 and len(faces) == 12 and close(volume((corners, faces)), 0.006, 1e-12)


def test_many_triangles_at_a_corner_take_no_more_time_than_others():
    start = time.perf_counter()
    corners, faces = creased(fan(20_000))
    assert time.perf_counter() - start < 2.0
    assert len(corners) == 20_001 and np.unique(faces[:, 0]).size == 1


def test_corners_that_share_a_place_are_written_once(rng):
    corners, faces = creased(welded((BOX, FACES)))
    mixed = rng.permutation(len(corners))
    mesh = corners[mixed], np.argsort(mixed)[faces]
    data = packed(mesh)
    assert len(base64.b64decode(data["corners"]["uint16"])) == 8 * 3 * 2
    found = decoded(data)
    assert len(found[0]) == 24 and close(found[0][found[1]], mesh[0][mesh[1]], 1e-5)
    assert np.unique(found[1]).size == 24 and "uint32" in packed(torus(260))["triangles"]


EXAMPLES = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
}


@pytest.mark.parametrize("name", [pytest.param(x, marks=[pytest.mark.sweep] * (x != "solo12")) for x in EXAMPLES])
@pytest.mark.filterwarnings("ignore::chasles.errors.ModelWarning")
def test_all_meshes_of_real_robots_are_found(name):
    m = ch.load(example_files()[EXAMPLES[name]]).mechanism
    found = looks(m)
    assert found.doubts == []
    wanted = {m.frames[x.frame].body for x in m.visuals if x.role == "visual" and x.kind == "mesh"}
    shown = {i for i in range(-1, m.bodies) if any(x.mesh is not None for x in ([*found.links, found.base])[i])}
    assert shown == wanted and len(wanted) > m.bodies // 2
    assert sum(len(faces) for _, faces in found.meshes) <= meshes.MOST_TRIANGLES


@pytest.mark.parametrize("kind", ["stl", "obj", "dae"])
def test_mangled_files_become_doubts(tmp_path, rng, kind):
    whole = np.frombuffer(FILES[f"box.{kind}"], np.uint8)
    for number in range(20):
        data = whole.copy()
        data[rng.integers(0, len(data), 6)] = rng.integers(0, 256, 6)
        stop = rng.integers(1, len(data)) if number % 3 else None
        (tmp_path / f"{number}.{kind}").write_bytes(data[:stop].tobytes())
        found = looks(robot(tmp_path, f"{number}.{kind}").mechanism)
        assert len(found.doubts) == (not found.meshes) and found.links[0]
