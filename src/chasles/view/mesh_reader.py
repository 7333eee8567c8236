"""Meshes of STL, OBJ and DAE files as arrays, by the package trimesh; whatever is wrong with a file is an `Unusable`.

Lengths are metres: those of a DAE file are multiplied by its unit. Its nodes move what they hold; its up axis is not
looked at, as in ROS, where a mesh stands in the frame of its link as its numbers say. Textures are not read.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.view.mesh_checks import check_triangles, checked
from chasles.view.mesh_files import MeshFolders, Unusable

KINDS = ("stl", "obj", "dae")
LARGEST_LIBRARY = 10**6  # bytes of a file of materials
_UNKNOWN = (102, 102, 102, 255)  # the colour that trimesh gives to a material that is described nowhere
Colour = tuple[float, float, float, float]


class Piece(NamedTuple):
    """Triangles of one colour. vertices: (n, 3), m. faces: (m, 3) indices. colour: red, green, blue, alpha, or None."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    colour: Colour | None


def missing() -> str | None:
    """Why no mesh can be read here: the package that is missing, and how to get it."""
    try:
        import collada  # noqa: F401  # pyright: ignore
        import trimesh  # noqa: F401  # pyright: ignore
    except ImportError as error:
        return f'meshes need {error.name}: pip install "chasles[meshes]"'
    return None


def read(name: str, folders: MeshFolders) -> list[Piece]:
    """The pieces of the mesh that a robot's file calls by that name."""
    kind = name.rpartition(".")[2].lower()
    if kind not in KINDS:
        raise Unusable("it is not one of the kinds that are read: STL, OBJ, DAE")
    path, data = folders.read(name)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return pieces(data, kind, _Library(folders, path.parent))
    except Unusable:
        raise
    except Exception as error:  # of trimesh or pycollada, of any type
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise Unusable(f"it is broken: {said[:200]}") from None


def pieces(data: bytes, kind: str, library: Any = None) -> list[Piece]:
    """The pieces of the bytes of a file; those of the same colour together."""
    data, unit = checked(data, kind)
    found = _loaded(data, kind, library)
    if not found and kind == "dae":  # materials that refer to what is not there take their shapes with them
        found = _loaded(_without_materials(data), kind, None)
    triangles = sum(len(piece.faces) for piece in found)
    if not triangles:
        raise Unusable("it has no triangles")
    check_triangles(triangles)
    return [Piece(unit * piece.vertices, piece.faces, piece.colour) for piece in _by_colour(found)]


def _without_materials(data: bytes) -> bytes:
    """A DAE file without the elements that give materials to its shapes."""
    begin, end = b"<bind_material>", b"</bind_material>"
    kept, at = [], 0
    while (start := data.find(begin, at)) >= 0 and (stop := data.find(end, start)) >= 0:
        kept.append(data[at:start])
        at = stop + len(end)
    return b"".join([*kept, data[at:]])


def _loaded(data: bytes, kind: str, library: Any) -> list[Piece]:
    from trimesh.exchange import dae, obj, stl  # type: ignore[import-not-found]  # arrays, before trimesh adds to them

    reader: Any = {"stl": stl.load_stl, "obj": obj.load_obj, "dae": dae.load_collada}[kind]
    given = reader(io.BytesIO(data), resolver=library if kind == "obj" else None)
    if "geometry" not in given:
        return [_piece(given, np.eye(4))] if len(given.get("faces", ())) else []
    shapes = given["geometry"]
    edges = given.get("graph") or [{"geometry": name} for name in shapes]
    placed = [(shapes[edge["geometry"]], edge.get("matrix", np.eye(4))) for edge in edges]
    return [_piece(shape, np.asarray(T, dtype=float)) for shape, T in placed if len(shape.get("faces", ()))]


def _piece(shape: dict[str, Any], T: NDArray[np.float64]) -> Piece:
    vertices, faces = np.asarray(shape["vertices"], dtype=float), np.asarray(shape["faces"], dtype=np.int64)
    if vertices.shape[1:] != (3,) or faces.shape[1:] != (3,) or faces.min() < 0 or faces.max() >= len(vertices):
        raise Unusable("a triangle has a corner that is not there")
    vertices = vertices @ T[:3, :3].T + T[:3, 3]
    if not np.isfinite(vertices).all():
        raise Unusable("a corner is not finite")
    turned = faces[:, ::-1] if np.linalg.det(T[:3, :3]) < 0.0 else faces
    return Piece(vertices, turned, _colour(shape.get("visual")))


def _colour(visual: Any) -> Colour | None:
    """Of a material, where there is one and it has no texture instead."""
    material = getattr(visual, "material", None)
    for key in ("baseColorFactor", "diffuse"):
        value = getattr(material, key, None)
        if value is not None and len(value) in (3, 4) and tuple(value) != _UNKNOWN:
            rgba = np.asarray(value, dtype=float).ravel() / (255.0 if np.asarray(value).dtype == np.uint8 else 1.0)
            rgba = np.clip(np.nan_to_num(np.append(rgba, 1.0)[:4]), 0.0, 1.0)
            return (float(rgba[0]), float(rgba[1]), float(rgba[2]), float(rgba[3]) or 1.0)
    return None


def _by_colour(given: list[Piece]) -> list[Piece]:
    together: dict[Colour | None, list[Piece]] = {}
    for piece in given:
        together.setdefault(piece.colour, []).append(piece)
    out = []
    for colour, same in together.items():
        starts = np.cumsum([0, *(len(piece.vertices) for piece in same[:-1])])
        faces = np.concatenate([piece.faces + start for piece, start in zip(same, starts, strict=True)])
        out.append(Piece(np.concatenate([piece.vertices for piece in same]), faces, colour))
    return out


class _Library:
    """Answers trimesh, which asks for the file of materials that an OBJ file names: one in the allowed folders."""

    def __init__(self, folders: MeshFolders, near: Path) -> None:
        self.folders, self.near = folders, near

    def get(self, name: str) -> bytes:
        if not str(name).lower().endswith(".mtl"):
            raise FileNotFoundError(name)
        try:
            return self.folders.read(str(name), self.near, LARGEST_LIBRARY)[1]
        except Unusable as error:
            raise FileNotFoundError(str(error)) from None

    __getitem__ = get
