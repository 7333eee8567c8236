"""Robots with meshes, written into a folder: a box as STL, OBJ and DAE, and files that would do harm."""

import struct

import numpy as np

import chasles as ch

BOX = np.array([[x, y, z] for x in (0.0, 0.3) for y in (0.0, 0.2) for z in (0.0, 0.1)])  # eight corners, m
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]  # seen from outside
FACES = np.array([t for a, b, c, d in SIDES for t in ((a, b, c), (a, c, d))])


def fan(n):
    """n triangles that meet in a corner, as of a flat cone."""
    angle = np.arange(n) * (2.0 * np.pi / n)
    rim = np.stack([np.cos(angle), np.sin(angle), np.full(n, -0.1)], axis=1)
    number = 1 + np.arange(n)
    return np.concatenate([np.zeros((1, 3)), rim]), np.stack([0 * number, number, 1 + number % n], axis=1)


def torus(n):
    """2 n^2 triangles around the z axis."""
    a, b = np.meshgrid(*2 * [np.arange(n) * (2.0 * np.pi / n)], indexing="ij")
    around = 1.0 + 0.3 * np.cos(b)
    corners = np.stack([np.cos(a) * around, np.sin(a) * around, 0.3 * np.sin(b)], axis=-1).reshape(-1, 3)
    i, j = np.divmod(np.arange(n * n), n)
    p, q, r, s = (((i + x) % n) * n + (j + y) % n for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return corners, np.concatenate([np.stack([p, q, r], axis=1), np.stack([p, r, s], axis=1)])


def stl(corners=BOX, faces=FACES, count=None):
    """Binary; count: the number of triangles that it claims."""
    rows = b"".join(struct.pack("<12fH", 0.0, 0.0, 0.0, *np.ravel(corners[face]), 0) for face in faces)
    return b"binary".ljust(80) + struct.pack("<I", len(faces) if count is None else count) + rows


def stl_text(corners=BOX):
    rows = ["solid box"]
    for face in corners[FACES].tolist():
        rows += ["facet normal 0 0 0", "outer loop", *(f"vertex {x!r} {y!r} {z!r}" for x, y, z in face)]
        rows += ["endloop", "endfacet"]
    return "\n".join([*rows, "endsolid box"]).encode()


def obj(corners=BOX, before="", material=""):
    rows = [before, *(f"v {x!r} {y!r} {z!r}" for x, y, z in corners.tolist()), material]
    return "\n".join([*rows, *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES.tolist())]).encode()


DAE = """<?xml version="1.0" encoding="utf-8"?>{head}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="unit" meter="{unit}"/><up_axis>{up}</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="common"><lambert><diffuse>
<color>0.2 0.4 0.6 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="24">{corners}</float_array><technique_common>
<accessor source="#pa" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{drawn}</mesh></geometry></library_geometries>
{library}<library_visual_scenes><visual_scene id="s">{scene}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
TRIANGLES = '<triangles material="a" count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>{}</p></triangles>'
HOLD = (
    '<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="a" target="#m"/>'
    "</technique_common></bind_material></instance_geometry>"
)
SCENE = f'<node id="n"><matrix>{{matrix}}</matrix>{HOLD}</node>'


def dae(corners=BOX, T=None, unit=1.0, up="Z_UP", **given):
    """A box that a node moves by T; given: parts of the text instead."""
    matrix = " ".join(map(repr, np.ravel(np.eye(4) if T is None else T).tolist()))
    parts = {"head": "", "library": "", "scene": SCENE.format(matrix=matrix)}
    parts["drawn"] = TRIANGLES.format(" ".join(map(str, FACES.ravel().tolist())))
    numbers = " ".join(map(repr, corners.ravel().tolist()))
    return DAE.format(corners=numbers, unit=unit, up=up, **(parts | given)).encode()


def link(name, mesh, scale="1 1 1", rest=""):
    return (
        f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        f'</inertial><visual><origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/><geometry><mesh filename="{mesh}" '
        f'scale="{scale}"/></geometry>{rest}</visual></link>'
    )


def urdf(*links):
    """A chain of links about z, half a metre apart, from "base"."""
    joints, above = [], "base"
    for i, text in enumerate(links):
        name = text.split('"', 2)[1]
        joints.append(
            f'<joint name="j{i}" type="continuous"><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>'
            f'<parent link="{above}"/><child link="{name}"/></joint>'
        )
        above = name
    return f'<robot name="meshes"><link name="base"/>{"".join(links)}{"".join(joints)}</robot>'


def robot(folder, *meshes, **options):
    """The robot of a file in `folder` with one link, "a", "b", ..., for each name of a mesh."""
    file = folder / "robot.urdf"
    file.write_text(urdf(*(link("abcdefgh"[i], mesh, **options) for i, mesh in enumerate(meshes))))
    return ch.load(file)
