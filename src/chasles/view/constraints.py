"""Constraints as the data of a page: names of their rows, where they act, the surfaces of contacts as triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.constrained import ConstrainedSystem
from chasles.constraint.part import CarriedSurface
from chasles.model import drawn_shapes
from chasles.robot import Robot
from chasles.surface.surface import Surface
from chasles.view.encoding import encoded

ROWS, COLUMNS = 32, 48  # of the net that shows a surface
SPHERES = ("sphere", "ellipsoid")


def constraints(system: ConstrainedSystem, robot: Robot) -> dict[str, Any]:
    """rows, units: of multipliers. marks: of the points of `look`, in their order. surfaces: nets on their links."""
    placed = [part for part in system.rows.parts if part.place]
    q = robot.neutral()
    marks = [{"name": p.name, "kind": p.place.kind, "count": len(p.place.points(robot, q))} for p in placed if p.place]
    surfaces = [_net(x, robot) for part in placed if part.place for x in part.place.surfaces]
    rows, units = list(system.row_names), list(system.row_units)
    return {"rows": rows, "units": units, "marks": marks, "surfaces": [net for net in surfaces if net]}


def _net(carried: CarriedSurface, robot: Robot) -> dict[str, Any] | None:
    """Points (ROWS * COLUMNS, 3) of a surface in the axes of the body that carries it; None where it has no parameters
    to go through."""
    points = _points(carried.surface, drawn_shapes.size(robot.mechanism))
    if points is None or not np.isfinite(points).all():
        return None
    frame = robot.mechanism.frame(carried.frame) if carried.frame is not None else None
    T = np.eye(4) if frame is None else np.asarray(frame.pose, dtype=float)
    placed = (points + np.array(carried.point)) @ T[:3, :3].T + T[:3, 3]
    body = -1 if frame is None else frame.body
    bounded = not carried.surface.straight
    return {"body": body, "bounded": bounded, "rows": ROWS, "columns": COLUMNS, "points": encoded(placed, "float32")}


def _points(surface: Surface, size: float) -> Any:
    kind = surface.name.removeprefix("inside of ")
    if surface.point is None:
        if surface.radius is None or not surface.radius > 0.0:
            return None
        return Surface.sphere(surface.radius).position(_parameters(SPHERES[0], size)) + np.array(surface.middle)
    if kind in (*SPHERES, "plane", "cylinder"):
        given = _parameters(kind, size)
    elif surface.near:
        low, high = np.min(surface.near, axis=0), np.max(surface.near, axis=0)
        given = _grid((low[0], high[0]), (low[1], high[1]))
    else:
        return None
    return surface.position(given if surface.name == kind or surface.near else given[:, ::-1])


def _parameters(kind: str, size: float) -> Any:
    reach = (-1.2 * size, 1.2 * size)
    if kind == "plane":
        return _grid(reach, reach)
    if kind == "cylinder":
        return _grid((-np.pi, np.pi), reach)
    return _grid((-np.pi / 2, np.pi / 2), (-np.pi, np.pi))


def _grid(u: tuple[float, float], v: tuple[float, float]) -> Any:
    a, b = np.meshgrid(np.linspace(*u, ROWS), np.linspace(*v, COLUMNS), indexing="ij")
    return np.stack([a.ravel(), b.ravel()], axis=-1)
