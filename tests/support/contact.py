"""Surfaces, pairs of them that touch, and a free body, which tests of contact share."""

import numpy as np

import chasles as ch
from chasles.surface.contact_coordinates import contact_pose
from chasles.surface.surface import Surface

GRID = [(u, v) for u in (-0.4, 0.4) for v in (-0.4, 0.4)]
EGG, ROUND, PIPE = Surface.ellipsoid(0.4, 0.5, 0.3), Surface.ellipsoid(1.0, 2.0, 0.6), Surface.cylinder(1.1)
CAP = Surface.of(
    lambda u, v: np.stack([u + 0.2 * v, v, -0.4 * u * u - 0.3 * v * v + 0.1 * u * v]), name="cap", near=GRID
)
DISH = Surface.of(lambda u, v: np.stack([u, v, 0.1 * u * u + 0.05 * v * v]), name="dish", near=GRID)
TURN = np.eye(4)
TURN[:3, :3], TURN[:3, 3] = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]], (0.3, -0.2, 0.5)
TOUCHING = {
    "spheres": (Surface.sphere(0.7), Surface.sphere(1.9)),
    "ball on ellipsoid": (Surface.sphere(0.2), Surface.ellipsoid(1.0, 2.0, 0.6)),
    "ellipsoids": (Surface.ellipsoid(0.4, 0.5, 0.3), Surface.ellipsoid(1.0, 2.0, 0.6)),
    "own": (
        Surface.of(
            lambda u, v: np.stack([u + 0.2 * v, v, -0.4 * u * u - 0.3 * v * v + 0.1 * u * v]), near=[(0, 0), (0.5, 0.5)]
        ),
        Surface.cylinder(1.1),
    ),
}
ETA, RATE = np.array([0.3, 0.5, -0.4, 0.9, 1.2]), np.array([0.7, -0.4, 0.9, 0.3, -1.1])
CLOUD = ch.Link(1.3, (0.03, -0.02, 0.05), (0.04, 0.06, 0.05))
FREE = ch.Robot.from_screws(
    np.zeros((1, 6)), [np.eye(4)], [CLOUD], kinds=["free"], tool=np.eye(4), gravity=(1.0, -2.0, -9.0)
)


def adjoint(T: np.ndarray) -> np.ndarray:
    R, (x, y, z) = T[:3, :3], T[:3, 3]
    p = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[R, np.zeros((3, 3))], [p @ R, R]])


def placed(tip: Surface, surface: Surface, count: int, seed: int = 0, least: float = -0.02, most: float = 0.1):
    """Poses (B, 4, 4) of a tip, the gaps (B,) and the Gauss frames (B, 4, 4) of the surface, by contact coordinates."""
    rng = np.random.default_rng(seed)
    eta = np.concatenate([rng.uniform(-0.6, 0.6, (count, 4)), rng.uniform(-3.0, 3.0, (count, 1))], axis=1)
    T, frame, gap = contact_pose(tip, surface)(eta), surface.frame(eta[:, 2:4]), rng.uniform(least, most, count)
    T[:, :3, 3] += gap[:, None] * frame[:, :3, 2]
    return T, gap, frame
