"""Geoms of a MuJoCo model as shapes: those of the groups that MuJoCo shows are seen, the others are touched.

A mesh is carried by the name of its file, and not opened for it. MuJoCo moves the frame of a geom into the axes of its
mesh, T_g = T T_m, and draws scale * R^T (x - p) of a corner x of the file, where (p, R) is the mesh's reference:

    T = T_g T_m^-1                                                                              (1)
    scale * R^T (x - p) = R^T (scale * x) - R^T (scale * p)   for one scale of all axes, or R = 1    (2)

Planes, height fields, ellipsoids and meshes that are no file of their own are not carried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from chasles.io.mjcf_checks import joined
from chasles.model.joint import rotation
from chasles.model.poses import inverse
from chasles.model.shape import Shape

LAST_SEEN = 2  # of the groups that MuJoCo shows
_SPHERE, _CAPSULE, _CYLINDER, _BOX, _MESH = 2, 3, 5, 6, 7  # mujoco.mjtGeom
_GREY = (0.5, 0.5, 0.5, 1.0)  # of a geom that has no colour of its own


class MeshFile(NamedTuple):
    """A mesh as a file gives it. place: its reference, (4, 4)."""

    file: str
    scale: tuple[float, ...]
    place: np.ndarray


def mesh_files(spec: Any) -> dict[str, MeshFile]:
    """The meshes of a mujoco.MjSpec that are files, by name."""
    out: dict[str, MeshFile] = {}
    for mesh in spec.meshes:
        if mesh.file:
            folder = getattr(mesh, "compiler", spec).meshdir
            scale = tuple(map(float, mesh.scale))
            name = mesh.name or PurePath(mesh.file).stem
            out[name] = MeshFile(joined(folder, mesh.file), scale, placed(mesh.refpos, mesh.refquat))
    return out


def shapes(model: Any, named: Callable[[str, int], str], meshes: Mapping[str, MeshFile]) -> list[Shape]:
    """The shapes of the geoms that are carried."""
    found = (_shape(model, g, named, meshes) for g in range(model.ngeom))
    return [shape for shape in found if shape is not None]


def _shape(model: Any, g: int, named: Callable[[str, int], str], meshes: Mapping[str, MeshFile]) -> Shape | None:
    kind, file = int(model.geom_type[g]), ""
    a, b, c = (float(x) for x in model.geom_size[g])
    T = placed(model.geom_pos[g], model.geom_quat[g])
    forms = {_SPHERE: ("sphere", (a,)), _BOX: ("box", (2.0 * a, 2.0 * b, 2.0 * c))}
    forms |= {_CAPSULE: ("capsule", (a, 2.0 * b)), _CYLINDER: ("cylinder", (a, 2.0 * b))}
    if kind == _MESH:
        number = int(model.geom_dataid[g])
        mesh = meshes.get(named("mesh", number))
        if mesh is None:
            return None
        uniform = len(set(mesh.scale)) == 1
        if not uniform and not np.array_equal(mesh.place[:3, :3], np.eye(3)):
            return None
        back = inverse(mesh.place)
        back[:3, 3] = -mesh.place[:3, :3].T @ (np.array(mesh.scale) * mesh.place[:3, 3])  # (2)
        T = T @ inverse(placed(model.mesh_pos[number], model.mesh_quat[number])) @ back  # (1)
        form, size, file = "mesh", mesh.scale, mesh.file
    elif kind in forms:
        form, size = forms[kind]
    else:
        return None
    role = "visual" if model.geom_group[g] <= LAST_SEEN else "collision"
    frame = named("body", int(model.geom_bodyid[g]))
    rows = tuple(tuple(row) for row in T.tolist())
    return Shape(frame, role, form, size, rows, file, named("geom", g), _colour(model, g))


def _colour(model: Any, g: int) -> tuple[float, ...] | None:
    own, material = tuple(model.geom_rgba[g].tolist()), int(model.geom_matid[g])
    if own != _GREY:
        return own
    return None if material < 0 else tuple(model.mat_rgba[material].tolist())


def placed(p: Any, wxyz: Any = (1.0, 0.0, 0.0, 0.0)) -> np.ndarray:
    """(4, 4) the pose at p with the rotation of a quaternion."""
    w, x, y, z = (float(c) for c in wxyz)
    T = np.eye(4)
    T[:3, :3] = [[*row] for row in rotation([x, y, z, w]).matrix]
    T[:3, 3] = p
    return T
