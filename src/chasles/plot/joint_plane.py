"""Values over two joints of a robot: the joints, the grid, the values on it.

The plane is divided into size x size equal cells, and values are those at the cells' centres. Curvature is unknown
where M is singular or nearly: where its smallest eigenvalue, joints measured so that the largest M_ii met is one, is
below 1e-10 of the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.model.joint import ScrewJoint
from chasles.model.screws import joint_kind
from chasles.robot import Robot

Array = NDArray[np.float64]
Values = Callable[[Array, str], Array]  # of configurations (k, nq), and what to call the work

UNIT = "1/(kg m^2)"  # of scalar curvature
LEAST_EIGENVALUE = 1e-10


@dataclass(frozen=True)
class Axis:
    """A screw joint that is an axis of the picture: its number from 1, its coordinate's index, and where it goes."""

    name: str
    number: int
    coordinate: int
    unit: str
    lower: float
    upper: float

    def points(self, size: int) -> Array:
        """The centres of that many equal cells."""
        return self.lower + (self.upper - self.lower) * (np.arange(size) + 0.5) / size

    @property
    def label(self) -> str:
        return f"{self.name} ({self.unit})"


@dataclass(frozen=True)
class Slice:
    """values: (size, size), a row for each point of y and a column for each of x; nan where not known. at: (nq,)."""

    x: Axis
    y: Axis
    at: Array
    values: Array

    def extreme(self, find: Callable[[Array], Any]) -> tuple[float, Array]:
        """The value that np.nanargmin or np.nanargmax finds, and its configuration."""
        row, column = np.unravel_index(int(find(self.values)), self.values.shape)
        q = self.at.copy()
        q[self.x.coordinate], q[self.y.coordinate] = (
            axis.points(len(self.values))[k] for axis, k in ((self.x, column), (self.y, row))
        )
        return float(self.values[row, column]), q

    def limit(self, flat: bool) -> float:
        """Where colours end: at the largest size, or at what 98% stay below where the rest is beyond three times that.

        Of a flat robot far beyond the values, which are rounding.
        """
        sizes = np.abs(self.values[np.isfinite(self.values)])
        largest = float(sizes.max(initial=0.0))
        if flat or not largest:
            return 1e3 * largest or 1.0
        most = float(np.percentile(sizes, 98.0))
        return most if 0.0 < 3.0 * most < largest else largest


def axes(robot: Robot) -> list[Axis]:
    """The screw joints that move: over their limits, or a turn or from -1 to 1 m where those are missing."""
    out = []
    for i, (_, name, joint, place, _) in enumerate(robot.mechanism.own_joints):
        if not isinstance(joint, ScrewJoint):
            continue
        S = np.array([*joint.S.w, *joint.S.v], dtype=float)
        half = 1.0 if joint_kind(S) == "P" else np.pi / float(np.linalg.norm(S[:3]))
        lower, upper = (float(robot.limits[key][place.start]) for key in ("lower", "upper"))
        if not np.isfinite(lower):
            lower = -half if not np.isfinite(upper) else min(-half, upper - 2.0 * half)
        if not np.isfinite(upper):
            upper = max(half, lower + 2.0 * half)
        if upper > lower:
            out.append(Axis(name, i + 1, place.start, "m" if joint_kind(S) == "P" else "rad", lower, upper))
    return out


def most_varied(known: list[Axis], at: Array, values: Values, points: int) -> tuple[Axis, Axis]:
    """The two joints over which values vary most on points x points values of each pair; else the first two.

    How much is the median range of the rows times that of the columns, where all products are zero their sum: medians,
    since a single value near a singular M is as large as you like; times, since the first joint, say, has no part.
    """
    pairs = list(combinations(known, 2))
    rows = np.concatenate([grid(x, y, at, points) for x, y in pairs])
    return pairs[0] if len(pairs) == 1 else widest(pairs, values(rows, "choosing joints"), points)


def widest(pairs: list[tuple[Axis, Axis]], values: Array, points: int) -> tuple[Axis, Axis]:
    """The pair whose part of the values, points x points numbers a pair, varies most, as `most_varied` says."""
    found = values.reshape(len(pairs), points, points)
    ranges = [(_range(one), _range(one.T)) for one in found]
    scores = [(along_x * along_y, along_x + along_y) for along_x, along_y in ranges]
    return pairs[scores.index(max(scores))]


def _range(rows: Array) -> float:
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not len(rows):
        return 0.0
    found = float(np.median(np.ptp(rows, axis=1)))
    return found if found > 1e-6 * float(np.abs(rows).max()) else 0.0


def curvature_over(robot: Robot, x: Axis, y: Axis, at: Array, curvature: Values, size: int) -> Slice:
    """The curvature over two joints, the others at `at`."""
    q = grid(x, y, at, size)
    values = curvature(q, "curvature")
    M, rng = robot.mass_matrix(q), np.random.default_rng(0)
    elsewhere = robot.mass_matrix(np.array([robot.random(rng) for _ in range(16)]))  # M may be singular on the plane
    s = np.sqrt(np.diagonal(np.concatenate([M, elsewhere]), axis1=1, axis2=2).max(axis=0))
    eigenvalues = np.linalg.eigvalsh(M / (s[:, None] * s))
    known = np.isfinite(values) & (eigenvalues[:, 0] > LEAST_EIGENVALUE * eigenvalues[:, -1])
    return Slice(x, y, at, np.where(known, values, np.nan).reshape(size, size))


def grid(x: Axis, y: Axis, at: Array, size: int) -> Array:
    """(size^2, nq), x fastest."""
    q = np.tile(at, (size, size, 1))
    q[..., x.coordinate], q[..., y.coordinate] = x.points(size), y.points(size)[:, None]
    return q.reshape(size * size, -1)


def others(robot: Robot, cut: Slice) -> str:
    """Words for where the joints are that do not move."""
    home, moved = robot.neutral(), []
    for _, name, _, place, _ in robot.mechanism.own_joints:
        if place.start not in (cut.x.coordinate, cut.y.coordinate) and (cut.at[place] != home[place]).any():
            moved.append(f"{name} = {' '.join(f'{x + 0.0:.4g}' for x in cut.at[place])}")
    if robot.n == 2:
        return "no others"
    return "the others at home" + (f" but {', '.join(moved)}" if moved else "")
