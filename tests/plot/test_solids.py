"""Solids as flat shapes: their outlines, and what is painted over what."""

import numpy as np
import pytest
from support.tolerances import close, small

from chasles.model.drawn_shapes import JOINT, LINK, Part, pose_at
from chasles.plot.solids import Piece, Solid, extent, pieces

EYE = np.array([0.6, -0.48, 0.64])


def solid(kind: str, size: tuple[float, ...], place=(0.0, 0.0, 0.0), look: str = LINK) -> Solid:
    return Solid(Part(kind, size, np.eye(4), look), pose_at(np.array(place)))


def filled(found: list[Piece]) -> list[Piece]:
    return [piece for piece in found if piece.fill is not None]


def flattened(points: np.ndarray) -> np.ndarray:
    return points - np.outer(points @ EYE, EYE)


def test_a_sphere_is_a_disc_across_the_eye():
    (disc,) = pieces([solid("sphere", (0.3,), (1.0, 2.0, 3.0))], EYE)
    away = disc.points - [1.0, 2.0, 3.0]
    assert close(np.linalg.norm(away, axis=1), np.full(len(away), 0.3)) and small(away @ EYE, 1e-12)


@pytest.mark.parametrize("kind, size", [("cylinder", (0.2, 0.7)), ("box", (0.4, 0.3, 0.2)), ("capsule", (0.1, 0.8))])
def test_an_outline_is_that_of_the_solid(kind, size, rng):
    """Seen from the eye: points of the solid lie inside of the shapes, and the shapes reach no farther."""
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    one = solid(kind, size)
    one.pose[:3, :3] = R * np.sign(np.linalg.det(R))
    points = surface(kind, size, rng) @ one.pose[:3, :3].T
    seen = np.concatenate([piece.points for piece in filled(pieces([one], EYE))])
    for _ in range(50):  # supports in directions across the eye
        u = rng.normal(size=3)
        u -= (u @ EYE) * EYE
        u /= np.linalg.norm(u)
        assert abs((points @ u).max() - (seen @ u).max()) < 0.01
    low, high = extent([one])
    assert (points >= low - 1e-9).all() and (points <= high + 1e-9).all()


def surface(kind: str, size: tuple[float, ...], rng) -> np.ndarray:
    u = rng.normal(size=(40_000, 3))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    if kind == "box":
        return np.sign(u) * np.array(size) / 2.0  # the corners
    radius, length = size
    if kind == "capsule":
        return radius * u + np.outer(np.sign(u[:, 2]), [0.0, 0.0, length / 2.0])
    ring = radius * u[:, :2] / np.linalg.norm(u[:, :2], axis=1, keepdims=True)
    return np.column_stack([ring, np.sign(u[:, 2]) * length / 2.0])


def test_what_is_nearer_is_painted_over_what_is_farther():
    near, far = solid("sphere", (0.1,), EYE), solid("box", (0.1, 0.1, 0.1), -EYE)
    for order in ([near, far], [far, near]):
        found = pieces(order, EYE)
        assert close(found[-1].points.mean(axis=0), EYE, 0.1) and len(found) > 3


def test_a_long_link_passes_under_what_is_above_its_middle_alone():
    """A capsule along the view is cut into pieces, so that a ball between its ends is drawn between them."""
    link = Solid(Part("capsule", (0.05, 2.0), np.eye(4), LINK), pose_at(np.zeros(3)))
    link.pose[:3, :3] = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # its z along x
    eye = np.array([0.8, 0.0, 0.6])
    found = pieces([link, solid("sphere", (0.1,), (0.2, 0.0, 0.1))], eye)
    ball = next(k for k, piece in enumerate(found) if close_to(piece, (0.2, 0.0, 0.1)))
    middles = [float(piece.points[:, 0].mean()) for piece in found]
    assert all(middle < 0.3 for middle in middles[:ball]) and any(middle > 0.5 for middle in middles[ball:])


def close_to(piece: Piece, place) -> bool:
    return bool(np.linalg.norm(piece.points[:-1].mean(axis=0) - place) < 1e-6)


def test_a_joint_seen_along_its_axis_is_a_ring():
    found = pieces([solid("cylinder", (0.2, 0.4), look=JOINT)], np.array([0.0, 0.0, 1.0]))
    assert [piece.fill for piece in found][-1] == "#ffffff" and len(found) == 2
    assert close(np.linalg.norm(found[0].points[:, :2], axis=1), np.full(len(found[0].points), 0.2))
