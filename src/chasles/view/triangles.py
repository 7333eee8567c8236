"""Triangles made few: corners at one place welded, and of a mesh that is too fine those of a cell of a grid merged.

A cell of edge h takes the mean of its corners, of each of six sides that its surfaces may face apart, so that the two
sides of a thin wall stay two. Triangles that lose an edge, or that are there already, go. The same h serves all meshes
of a robot: the least, to a tenth, that leaves no more triangles than are asked for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vertices = NDArray[np.float64]  # (n, 3)
Faces = NDArray[np.int64]  # (m, 3)
Mesh = tuple[Vertices, Faces]
CREASE = np.deg2rad(35.0)
MOST_ROUNDS = 50
FINEST = 2**16 - 1  # cells along the longest edge of a box around a mesh


def welded(mesh: Mesh) -> Mesh:
    """The mesh with corners at the same place made one, to a part in FINEST of its size."""
    vertices, faces = mesh
    h = float(np.ptp(vertices, axis=0).max()) / FINEST or 1.0
    return _merged(vertices, faces, _cells(vertices, h))


def merged(mesh: Mesh, h: float) -> Mesh:
    """The mesh with the corners of each cell of edge h whose surfaces face the same side made one."""
    vertices, faces = mesh
    normals = _normals(vertices, faces)
    widest = np.argmax(np.abs(normals), axis=1)
    sides = 2 * widest + (np.take_along_axis(normals, widest[:, None], axis=1)[:, 0] > 0.0)
    return _merged(vertices, faces, 6 * _cells(vertices, h) + sides)


def _normals(vertices: Vertices, faces: Faces) -> Vertices:
    """(n, 3) sums of the normals of the triangles at each corner, weighed by area."""
    a, b, c = vertices[faces.T]
    turned = np.cross(b - a, c - a)
    sums = [np.bincount(faces.ravel(), np.repeat(x, 3), len(vertices)) for x in turned.T]
    return np.stack(sums, axis=1).astype(float)


def _cells(vertices: Vertices, h: float) -> NDArray[np.int64]:
    cells = np.floor((vertices - vertices.min(axis=0)) / h + 0.5).astype(np.int64)
    sides = cells.max(axis=0) + 1
    return (cells[:, 0] * sides[1] + cells[:, 1]) * sides[2] + cells[:, 2]


def _merged(vertices: Vertices, faces: Faces, keys: NDArray[np.int64]) -> Mesh:
    """With the corners of each key made one, at their mean; without triangles that lost an edge or are there twice."""
    _, cell, count = np.unique(keys, return_inverse=True, return_counts=True)
    means = np.stack([np.bincount(cell, weights=x) for x in vertices.T], axis=1) / count[:, None]
    faces = cell[faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    first = np.argmin(faces, axis=1)[:, None]  # turned so that the least corner comes first: the side stays
    faces = np.take_along_axis(faces, (first + np.arange(3)) % 3, axis=1)
    n = len(means)
    if n < 2**20:
        faces = faces[np.sort(np.unique((faces[:, 0] * n + faces[:, 1]) * n + faces[:, 2], return_index=True)[1])]
    used = np.zeros(n, dtype=bool)
    used[faces] = True
    return means[used], (np.cumsum(used) - 1)[faces]


def simplified(meshes: list[Mesh], most: int) -> list[Mesh]:
    """The meshes, with at most `most` triangles together, as far as they can be."""
    if sum(len(faces) for _, faces in meshes) <= most:
        return meshes
    size = max(float(np.ptp(vertices, axis=0).max()) for vertices, _ in meshes)
    low, high = size / 3000.0, size
    best = [merged(mesh, high) for mesh in meshes]
    while high / low > 1.1:
        h = float(np.sqrt(low * high))
        tried = [merged(mesh, h) for mesh in meshes]
        if sum(len(faces) for _, faces in tried) <= most:
            high, best = h, tried
        else:
            low = h
    return [new if len(new[1]) else old for new, old in zip(best, meshes, strict=True)]


def creased(mesh: Mesh, crease: float = CREASE) -> Mesh:
    """The mesh with corners split where faces meet at more than an angle, rad: then normals are smooth but there.

    Corners of two faces at one place are one if a chain of faces that meet smoothly joins them there.
    """
    vertices, faces = mesh
    a, b, c = vertices[faces.T]
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    corner = np.arange(faces.size).reshape(-1, 3)
    start, stop = corner.ravel(), np.roll(corner, -1, axis=1).ravel()  # the edges, by their corners
    ends = np.sort(np.stack([faces.ravel()[start], faces.ravel()[stop]]), axis=0)
    order = np.argsort(ends[0] * len(vertices) + ends[1], kind="stable")
    same = (np.diff(ends[:, order], axis=1) == 0).all(axis=0)
    one, other = order[:-1][same], order[1:][same]
    smooth = (normals[one // 3] * normals[other // 3]).sum(axis=1) > np.cos(crease)
    one, other = one[smooth], other[smooth]
    turned = faces.ravel()[start[one]] != faces.ravel()[start[other]]  # as of faces that look to the same side
    links = [(start[one], np.where(turned, stop[other], start[other]))]
    links += [(stop[one], np.where(turned, start[other], stop[other]))]
    first, second = (np.concatenate(x) for x in zip(*links, strict=True))
    label = np.arange(faces.size)
    for _ in range(MOST_ROUNDS):
        before = label.copy()
        np.minimum.at(label, first, label[second])
        np.minimum.at(label, second, label[first])
        label = label[label]
        if (label == before).all():
            break
    kept, again = np.unique(label, return_inverse=True)
    return vertices[faces.ravel()[kept]], again.reshape(-1, 3)
