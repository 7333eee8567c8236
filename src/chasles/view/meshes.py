"""The shapes that a robot's file gives its links: meshes from allowed folders, boxes, spheres, cylinders, capsules.

A link whose shapes cannot be shown gets generated geometry (model/drawn_shapes.py), and a doubt that names the link,
the file and the reason; a link without any has none where others have some. A robot without shapes is generated wholly.

In a page, a mesh is its corners in whole steps of a box around it, (n, 3) of 16 bits, places of those that share one
with another, and its triangles, (m, 3) of 16 or 32 bits (view/encoding.py); assets/meshes.js takes them back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from chasles.model import drawn_shapes
from chasles.model.drawn_shapes import LINK, Part
from chasles.model.mechanism import Mechanism
from chasles.model.shape import Shape
from chasles.view import mesh_reader
from chasles.view.encoding import encoded
from chasles.view.mesh_files import MeshFolders, Unusable
from chasles.view.mesh_reader import Colour, Piece
from chasles.view.triangles import Mesh, creased, simplified, welded

MOST_TRIANGLES = 150_000  # of a robot: about two megabytes of page
MOST_READ = 300 * 10**6  # bytes of a robot's meshes
MOST_FILES = 1_000
LARGEST = 50.0  # reach of a mesh, over the size of the robot: one in millimetres is 1000 times too large
SMALLEST = 5.0  # of such a reach, m: robots whose joints meet in a point have no size
MOST_PIECES = 2_000
STEPS = 2**16 - 1


@dataclass(frozen=True)
class Drawn:
    """A part of a link. mesh: the number of its mesh, where it is one; colour: of its file, or None."""

    part: Part
    mesh: int | None = None
    colour: Colour | None = None


@dataclass
class Looks:
    """All that is drawn of a robot: parts of each link and of the base, meshes, doubts, notes on what is simplified.

    Corners of meshes are split at creases: normals at a corner are those of the triangles that have it.
    """

    links: list[list[Drawn]]
    base: list[Drawn]
    meshes: list[Mesh] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def looks(m: Mechanism, folders: Iterable[Path] = (), *, meshes: bool = True) -> Looks:
    """How a mechanism looks. folders: that meshes may be taken from besides its own. meshes: False to generate all."""
    moving, base = drawn_shapes.parts(m)
    generated = [[Drawn(part) for part in parts] for parts in (*moving, base)]
    shapes = [x for x in m.visuals if isinstance(x, Shape) and x.role == "visual" and x.frame in m.frames]
    if not meshes or not shapes:
        return Looks(generated[:-1], generated[-1])
    gathered = _Gathered(m, MeshFolders(m.file, folders))
    shown: list[list[Drawn]] = [[] for _ in generated]
    wanting: set[int] = set()
    for shape in shapes:
        with np.errstate(all="ignore"):
            found = gathered.drawn(shape)
        shown[m.frames[shape.frame].body] += found
        if not found:
            wanting.add(m.frames[shape.frame].body)
    if not any(shown):
        shown = generated
    for body in wanting:
        shown[body] = shown[body] or generated[body]
    before = sum(len(faces) for _, faces in gathered.meshes)
    few = simplified(gathered.meshes, MOST_TRIANGLES)
    after = sum(len(faces) for _, faces in few)
    notes = [f"meshes are drawn with {after:,} of their {before:,} triangles"] if after < before else []
    return Looks(shown[:-1], shown[-1], [creased(mesh) for mesh in few], gathered.doubts, notes)


class _Gathered:
    """Meshes as they are met, once each."""

    def __init__(self, m: Mechanism, folders: MeshFolders) -> None:
        self.m, self.folders = m, folders
        self.largest = max(LARGEST * drawn_shapes.size(m), SMALLEST)
        self.missing = mesh_reader.missing()
        self.meshes: list[Mesh] = []
        self.doubts: list[str] = []
        self.files: dict[str, list[Piece] | str] = {}  # or why not
        self.known: dict[tuple[str, tuple[float, ...]], list[tuple[int, Colour | None]]] = {}

    def drawn(self, shape: Shape) -> list[Drawn]:
        """The parts of a shape; none where it cannot be shown, with a doubt."""
        pose = self.m.frames[shape.frame].pose @ np.array(shape.pose, dtype=float)
        colour = _colour(shape.colour)
        if shape.kind != "mesh":
            if not min(shape.size) > 0.0:
                return []
            return [Drawn(Part(shape.kind, shape.size, pose, LINK), None, colour)]
        try:
            found = self.scaled(shape)
        except Unusable as error:
            self.doubt(shape, str(error))
            return []
        return [Drawn(Part("mesh", shape.size, pose, LINK), number, colour or own) for number, own in found]

    def doubt(self, shape: Shape, why: str) -> None:
        said = f"link {shape.frame!r}: its mesh {shape.file[-200:]!r} is not shown: {why}"
        if why == self.missing:
            said = f"no mesh is shown: {why}"
        if said not in self.doubts:
            self.doubts.append(said)

    def scaled(self, shape: Shape) -> list[tuple[int, Colour | None]]:
        """The numbers of the meshes of a file at a scale, with their colours."""
        key = (shape.file, shape.size)
        if key not in self.known:
            given = self.file(shape.file)
            scale = np.array(shape.size, dtype=float)
            meshes: list[tuple[Mesh, Colour | None]] = []
            for piece in given:
                vertices = piece.vertices * scale
                reach = float(np.abs(vertices[piece.faces]).max())
                if not reach <= self.largest:
                    hint = "; is it in millimetres, and its scale 0.001?" if 0.0005 * reach < self.largest else ""
                    raise Unusable(f"it reaches {reach:.3g} m, far more than the robot{hint}")
                faces = piece.faces[:, ::-1] if np.prod(scale) < 0.0 else piece.faces
                mesh = welded((vertices, faces))
                if len(mesh[1]):
                    meshes.append((mesh, piece.colour))
            if not meshes:
                raise Unusable("all its triangles are without an area")
            first = len(self.meshes)
            if first + len(meshes) > MOST_PIECES:
                raise Unusable(f"the robot's meshes have more than {MOST_PIECES:,} pieces of a colour")
            self.meshes += [mesh for mesh, _ in meshes]
            self.known[key] = [(first + i, colour) for i, (_, colour) in enumerate(meshes)]
        return self.known[key]

    def file(self, name: str) -> list[Piece]:
        """What is in a file, which is read once."""
        if self.missing:
            raise Unusable(self.missing)
        if name not in self.files:
            if len(self.files) >= MOST_FILES or self.folders.bytes_read > MOST_READ:
                raise Unusable(f"the robot's meshes are more than {MOST_FILES:,}, or {MOST_READ / 1e6:,.0f} MB")
            try:
                self.files[name] = mesh_reader.read(name, self.folders)
            except Unusable as error:
                self.files[name] = str(error)
        found = self.files[name]
        if isinstance(found, str):
            raise Unusable(found)
        return found


def _colour(given: tuple[float, ...] | None) -> Colour | None:
    if given is None or not np.isfinite(given).all():
        return None
    r, g, b, a = (float(x) for x in np.clip(given, 0.0, 1.0))
    return r, g, b, a


def packed(mesh: Mesh) -> dict[str, Any]:
    """A mesh in the data of a page.

    corners: of low + step * (whole numbers). again: for each corner after these, the number of that at the same place.
    """
    vertices, faces = mesh
    low = vertices.min(axis=0)
    step = np.ptp(vertices, axis=0) / STEPS
    whole = np.rint(np.divide(vertices - low, step, out=np.zeros_like(vertices), where=step > 0.0)).astype(np.int64)
    _, first, place = np.unique(whole @ (1, 2**16, 2**32), return_index=True, return_inverse=True)
    alone = np.zeros(len(vertices), dtype=bool)
    alone[first] = True
    number = np.where(alone, np.cumsum(alone), len(first) + np.cumsum(~alone)) - 1
    wide = "uint32" if len(vertices) > 2**16 else "uint16"
    return {
        "low": low.tolist(),
        "step": step.tolist(),
        "corners": encoded(whole[alone], "uint16"),
        "again": encoded(number[first[place[~alone]]], wide),
        "triangles": encoded(number[faces], wide),
    }
