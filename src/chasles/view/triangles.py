"""Triangles made few: corners that are the same welded, and of a mesh that is too fine those of a cell of a grid merged.

A cell of edge h takes the mean of its corners; triangles that lose an edge, or that are there already, go. The same h
serves all meshes of a robot, the least (to a tenth) that leaves as many triangles as are asked for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vertices = NDArray[np.float64]  # (n, 3)
Faces = NDArray[np.int64]  # (m, 3)
Mesh = tuple[Vertices, Faces]
FINEST = 2**16 - 1  # cells along the longest edge of a box around a mesh


def welded(mesh: Mesh) -> Mesh:
    """The mesh with corners at the same place made one, to a part in FINEST of its size."""
    vertices, faces = mesh
    used = np.unique(faces)
    low, high = vertices[used].min(axis=0), vertices[used].max(axis=0)
    return merged(mesh, float((high - low).max()) / FINEST or 1.0)


def merged(mesh: Mesh, h: float) -> Mesh:
    """The mesh with the corners of each cell of edge h made one."""
    vertices, faces = mesh
    used, faces = np.unique(faces, return_inverse=True)
    vertices, faces = vertices[used], faces.reshape(-1, 3)
    cells = np.floor((vertices - vertices.min(axis=0)) / h + 0.5).astype(np.int64)
    sides = cells.max(axis=0) + 1
    keys = (cells[:, 0] * sides[1] + cells[:, 1]) * sides[2] + cells[:, 2]
    _, cell, count = np.unique(keys, return_inverse=True, return_counts=True)
    means = np.stack([np.bincount(cell, weights=x) for x in vertices.T], axis=1) / count[:, None]
    return _tidy(means, cell[faces])


def _tidy(vertices: Vertices, faces: Faces) -> Mesh:
    """Without triangles that have lost an edge or are there twice, and without corners that are of none."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    first = np.argmin(faces, axis=1)[:, None]  # turned so that the least corner comes first: the side stays
    faces = np.take_along_axis(faces, (first + np.arange(3)) % 3, axis=1)
    n = len(vertices)
    keys = (faces[:, 0] * n + faces[:, 1]) * n + faces[:, 2] if n < 2**20 else None
    if keys is not None:
        faces = faces[np.sort(np.unique(keys, return_index=True)[1])]
    used, faces = np.unique(faces, return_inverse=True)
    return vertices[used], faces.reshape(-1, 3)


def simplified(meshes: list[Mesh], most: int) -> list[Mesh]:
    """The meshes, of all together at most about `most` triangles."""
    if sum(len(faces) for _, faces in meshes) <= most:
        return meshes
    size = max(float(np.ptp(vertices, axis=0).max()) for vertices, _ in meshes)
    low, high, best = size / 3000.0, size / 20.0, None
    while best is None or high / low > 1.1:
        h = np.sqrt(low * high)
        tried = [merged(mesh, h) for mesh in meshes]
        if sum(len(faces) for _, faces in tried) <= most:
            high, best = h, tried
        elif high / low <= 1.1:
            low, high = high, 2.0 * high
        else:
            low = h
    return [new if len(new[1]) else old for new, old in zip(best, meshes, strict=True)]
