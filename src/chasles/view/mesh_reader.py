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

from chasles.view.mesh_checks import checked
from chasles.view.mesh_files import MeshFolders, Unusable

KINDS = ("stl", "obj", "dae")
MOST_TRIANGLES = 3_000_000
LARGEST_LIBRARY = 10**6  # bytes of a file of materials
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
        raise Unusable(f"{', '.join(KINDS[:-1]).upper()} and {KINDS[-1].upper()} are read, and it is none of them")
    path, data = folders.read(name)
    try:
        return pieces(checked(data, kind), kind, _Library(folders, path.parent))
    except Unusable:
        raise
    except (Exception, RecursionError) as error:  # of trimesh or pycollada, of any type
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise Unusable(f"it is broken: {said[:200]}") from None


def pieces(data: bytes, kind: str, library: Any = None) -> list[Piece]:
    """The pieces of the bytes of a file; those of the same colour together."""
    import trimesh

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        scene: Any = trimesh.load_scene(io.BytesIO(data), file_type=kind, resolver=library, process=False)
        unit = _unit(scene) if kind == "dae" else 1.0
        found: list[Piece] = []
        for node in scene.graph.nodes_geometry:
            T, name = scene.graph[node]
            mesh = scene.geometry[name]
            if isinstance(mesh, trimesh.Trimesh) and len(mesh.faces):
                found.append(_piece(mesh, np.asarray(T, dtype=float), unit))
        triangles = sum(len(piece.faces) for piece in found)
    if not triangles:
        raise Unusable("it has no triangles")
    if triangles > MOST_TRIANGLES:
        raise Unusable(f"it has {triangles:,} triangles, and {MOST_TRIANGLES:,} are the most that is shown")
    return _by_colour(found)


def _piece(mesh: Any, T: NDArray[np.float64], unit: float) -> Piece:
    vertices, faces = np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int64)
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise Unusable("a triangle has a corner that is not there")
    vertices = unit * (vertices @ T[:3, :3].T + T[:3, 3])
    used = np.unique(faces)
    if not np.isfinite(vertices[used]).all():
        raise Unusable("a corner is not finite")
    turned = faces[:, ::-1] if np.linalg.det(T[:3, :3]) < 0.0 else faces
    return Piece(vertices, turned, _colour(mesh.visual))


def _unit(scene: Any) -> float:
    """The metres of a DAE file's unit; trimesh writes them as "0.001 * meters"."""
    said = next((str(mesh.metadata.get("units", "")) for mesh in scene.geometry.values()), "")
    unit = float(said.split()[0]) if "*" in said else 1.0
    if not 1e-9 < unit < 1e9:
        raise Unusable(f"its unit is {unit} m")
    return unit


def _colour(visual: Any) -> Colour | None:
    """Of a material, where there is one and it has no texture instead."""
    material = getattr(visual, "material", None)
    for key in ("baseColorFactor", "diffuse"):
        value = getattr(material, key, None)
        if value is not None and len(value) in (3, 4):
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
