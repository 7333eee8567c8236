"""Assets of an MJCF file, between MuJoCo's reading and its compiling: what the dynamics do not need is not opened.

    textures, height fields, skins    never needed: they are replaced by small ones, or taken away
    meshes                            needed where a geom gives its body an inertia by one: the body has no <inertial>
                                      (or `inertiafromgeom` is true), and the geom a mass, in a group that counts. Those
                                      have to lie where files may be taken from; others become a tetrahedron

Nothing that is carried changes: positions, inertias, and the number of pairs of geoms that can collide.
"""

import math
from typing import Any

from chasles.io.mjcf_checks import Checked, joined

_POINTS = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
_FACES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
_OWN = ("usernormal", "usertexcoord", "userfacenormal", "userfacetexcoord")  # of each point or face


def without_needless(mujoco: Any, spec: Any, checked: Checked) -> None:
    """Change a mujoco.MjSpec so that compiling it opens the meshes that are needed, and nothing else."""
    weighing = {geom.meshname for geom in spec.geoms if geom.meshname and _weighs(mujoco, geom)}
    for mesh in spec.meshes:
        if not mesh.file:
            continue
        if mesh.name in weighing or mesh.plugin.active:
            folder = getattr(mesh, "compiler", spec).meshdir
            checked.check_mesh(mesh.name, joined(folder, mesh.file))
            continue
        mesh.file, mesh.content_type = "", ""
        mesh.uservert, mesh.userface, mesh.scale = _POINTS, _FACES, [1.0, 1.0, 1.0]
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        for key in _OWN:
            setattr(mesh, key, [])
    for texture in spec.textures:
        if texture.file or any(texture.cubefiles):
            texture.file, texture.content_type, texture.cubefiles = "", "", [""] * 6
            texture.builtin, texture.width, texture.height = mujoco.mjtBuiltin.mjBUILTIN_FLAT, 1, 1
    for field in spec.hfields:
        if field.file:
            field.file, field.content_type, field.nrow, field.ncol, field.userdata = "", "", 2, 2, [0.0] * 4
    for skin in list(spec.skins):
        spec.delete(skin)


def _weighs(mujoco: Any, geom: Any) -> bool:
    """Whether the inertia of a geom may count as its body's."""
    body = geom.parent
    rule = getattr(body, "compiler", None)
    if rule is None:
        return True
    given = mujoco.mjtInertiaFromGeom
    if rule.inertiafromgeom == given.mjINERTIAFROMGEOM_FALSE or body.parent is None:
        return False
    if rule.inertiafromgeom == given.mjINERTIAFROMGEOM_AUTO and body.explicitinertial:
        return False
    first, last = rule.inertiagrouprange
    return bool(first <= geom.group <= last and (geom.density if math.isnan(geom.mass) else geom.mass))
