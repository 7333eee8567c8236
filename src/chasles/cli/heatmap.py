"""Scalar curvature over two joints: which two, the values, and their picture on a terminal or in a file.

The plane is divided into size x size equal cells, and values are those at the cells' centres. Curvature is unknown
where M is singular or nearly: where its smallest eigenvalue, joints measured so that the largest M_ii met is one, is
below 1e-10 of the largest.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.style import Style
from rich.text import Text

from chasles.cli.screen import number
from chasles.errors import ModelError
from chasles.model.joint import ScrewJoint
from chasles.model.screws import joint_kind
from chasles.robot import Robot

Array = NDArray[np.float64]
Curvature = Callable[[Array, str], Array]  # of configurations (k, nq), and what to call the work

UNIT = "1/(kg m^2)"
LEAST_EIGENVALUE = 1e-10
_LEAST_COLUMNS = 36  # columns of a terminal's picture; smaller grids have larger cells
_RAMP = np.array([(5, 48, 97), (67, 147, 195), (247, 247, 247), (214, 96, 77), (103, 0, 31)], dtype=float)
_UNKNOWN = (110, 110, 110)


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


def joint_index(robot: Robot, given: str) -> int:
    """The joint of that name, or of that number from 1."""
    names = robot.joint_names
    if given in names:
        return names.index(given)
    if given.isdecimal() and 1 <= int(given) <= len(names):
        return int(given) - 1
    listed = ", ".join(f"{i} {name}" for i, name in enumerate(names, 1))
    raise ModelError(f"robot {robot.name!r} has no joint {given!r}; it has {listed}")


def position(robot: Robot, given: Sequence[str]) -> tuple[Array, set[int]]:
    """The configuration of JOINT=VALUE[,VALUE...] texts, and the joints they name.

    Other joints are at home, or in the middle of their limits where home is outside of those.
    """
    lower, upper = robot.limits["lower"], robot.limits["upper"]
    q = robot.neutral()
    with np.errstate(invalid="ignore"):  # the middle of infinite limits
        middle = np.where(np.isfinite(lower) & np.isfinite(upper), (lower + upper) / 2.0, np.clip(q, lower, upper))
    q = np.where((q < lower) | (q > upper), middle, q)
    joints, named = robot.mechanism.own_joints, set()
    for text in given:
        name, equals, values = text.rpartition("=")
        if not equals:
            raise ModelError(f"--at {text!r}: write JOINT=VALUE, such as {robot.joint_names[0]}=0.5")
        i = joint_index(robot, name)
        size = joints[i].joint.nq
        try:
            found = [float(value) for value in values.split(",")]
        except ValueError:
            found = []
        if len(found) != size or not np.isfinite(found).all():
            what = "a number" if size == 1 else f"{size} numbers with commas between"
            raise ModelError(f"--at {text!r}: joint {joints[i].name!r} takes {what}")
        q[joints[i].q] = found
        named.add(i)
    with np.errstate(all="ignore"):
        q = q if robot.nq == robot.n else robot.normalize(q)
    if not np.isfinite(q).all():
        raise ModelError(f"--at {' '.join(given)}: a quaternion is zero, and so no rotation")
    return q, named


def chosen(robot: Robot, known: list[Axis], given: tuple[str, str]) -> tuple[Axis, Axis]:
    """The axes that a person named."""
    picked = []
    for text in given:
        i = joint_index(robot, text)
        found = [axis for axis in known if axis.number == i + 1]
        if not found:
            rest = ", ".join(axis.name for axis in known)
            raise ModelError(
                f"joint {robot.joint_names[i]!r} is no axis: it has several degrees of freedom, or limits that let it "
                f"not move; the axes there are: {rest}"
            )
        picked += found
    if picked[0] == picked[1]:
        raise ModelError(f"--joints names {picked[0].name!r} twice: a picture needs two joints")
    return picked[0], picked[1]


def most_varied(known: list[Axis], at: Array, curvature: Curvature, points: int) -> tuple[Axis, Axis]:
    """The two joints over which curvature varies most on points x points values of each pair; else the first two.

    How much is the median range of the rows times that of the columns, where all products are zero their sum: medians,
    since a single value near a singular M is as large as you like; times, since the first joint, say, has no part.
    """
    pairs = list(combinations(known, 2))
    if len(pairs) == 1:
        return pairs[0]
    grid = np.concatenate([_grid(x, y, at, points) for x, y in pairs])
    found = curvature(grid, "choosing joints").reshape(len(pairs), points, points)
    ranges = [(_range(values), _range(values.T)) for values in found]
    scores = [(along_x * along_y, along_x + along_y) for along_x, along_y in ranges]
    return pairs[scores.index(max(scores))]


def _range(rows: Array) -> float:
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not len(rows):
        return 0.0
    found = float(np.median(np.ptp(rows, axis=1)))
    return found if found > 1e-6 * float(np.abs(rows).max()) else 0.0


def over(robot: Robot, x: Axis, y: Axis, at: Array, curvature: Curvature, size: int) -> Slice:
    """The curvature over two joints, the others at `at`."""
    q = _grid(x, y, at, size)
    values = curvature(q, "curvature")
    M, rng = robot.mass_matrix(q), np.random.default_rng(0)
    elsewhere = robot.mass_matrix(np.array([robot.random(rng) for _ in range(16)]))  # M may be singular on the plane
    s = np.sqrt(np.diagonal(np.concatenate([M, elsewhere]), axis1=1, axis2=2).max(axis=0))
    eigenvalues = np.linalg.eigvalsh(M / (s[:, None] * s))
    known = np.isfinite(values) & (eigenvalues[:, 0] > LEAST_EIGENVALUE * eigenvalues[:, -1])
    return Slice(x, y, at, np.where(known, values, np.nan).reshape(size, size))


def _grid(x: Axis, y: Axis, at: Array, size: int) -> Array:
    """(size^2, nq), x fastest."""
    q = np.tile(at, (size, size, 1))
    q[..., x.coordinate], q[..., y.coordinate] = x.points(size), y.points(size)[:, None]
    return q.reshape(size * size, -1)


def picture(cut: Slice, limit: float, width: int, coloured: bool) -> list[Text]:
    """The slice in lines of text of about that width, with its axes and a legend.

    Half blocks of the colours red above zero, blue below, grey where not known; or, without colours, ninths of the
    limit: digits above zero, letters below.
    """
    size = len(cut.values)
    ends = [number(end) for end in (cut.y.upper, cut.y.lower)]
    margin = max(map(len, ends))
    columns = max(4, min(width - margin - 1, size * max(1, -(-_LEAST_COLUMNS // size))))  # two lines at least
    upright = cut.values[::-1][:, _nearest(columns, size)]
    if coloured:
        body = _blocks(upright[_nearest(columns, size)], limit)
    else:
        body = [Text("".join(map(_letter, row / limit))) for row in upright[_nearest((columns + 1) // 2, size)]]
    sides = [ends[0], *[""] * (len(body) - 2), ends[1]]
    lines = [Text(cut.y.label, style="cyan")]
    lines += [Text.assemble(side.rjust(margin), " ", row) for side, row in zip(sides, body, strict=True)]
    left, right = number(cut.x.lower), number(cut.x.upper)
    middle = cut.x.label.center(columns - len(left) - len(right))
    if not middle.startswith(" ") or not middle.endswith(" "):
        middle = f"  {cut.x.label}  "
    lines.append(Text.assemble(" " * (margin + 1), left, (middle, "cyan"), right))
    return [*lines, Text(), _legend(cut, limit, coloured)]


def _nearest(count: int, size: int) -> NDArray[np.intp]:
    return ((np.arange(count) + 0.5) * size / count).astype(np.intp)


def _blocks(values: Array, limit: float) -> list[Text]:
    """Two rows a line: the upper in the foreground, the lower behind."""
    lines = []
    for k in range(0, len(values), 2):
        line = Text()
        for j, upper in enumerate(values[k]):
            lower = _colour(values[k + 1, j] / limit) if k + 1 < len(values) else None
            line.append("\N{UPPER HALF BLOCK}", Style(color=_colour(upper / limit), bgcolor=lower))
        lines.append(line)
    return lines


def _legend(cut: Slice, limit: float, coloured: bool) -> Text:
    low, high = (cut.extreme(find)[0] for find in (np.nanargmin, np.nanargmax))
    line = Text()
    if not coloured:
        line.append(f"1..9 above zero and a..i below, in ninths of {number(limit)} {UNIT}, . for zero")
    else:
        if low < 0.0:
            line.append(f"{number(low)} ")
            line.append_text(_bar(np.linspace(max(low / limit, -1.0), 0.0, 16)))
            line.append(" ")
        line.append("0")
        if high > 0.0:
            line.append(" ")
            line.append_text(_bar(np.linspace(0.0, min(high / limit, 1.0), 16)))
            line.append(f" {number(high)}")
        line.append(f" {UNIT}")
        if limit < max(-low, high):
            line.append(f", colours end at {number(limit)}")
    if np.isnan(cut.values).any():
        mark = Text("\N{FULL BLOCK}", Style(color=Color.from_rgb(*_UNKNOWN))) if coloured else Text("?")
        line = Text.assemble(line, "; ", mark, " M is singular, or nearly")
    return line


def _bar(values: Iterable[float]) -> Text:
    return Text.assemble(*(("\N{FULL BLOCK}", Style(color=_colour(value))) for value in values))


def _colour(x: float) -> Color:
    """Of a number from -1 to 1; those beyond are as those."""
    if not np.isfinite(x):
        return Color.from_rgb(*_UNKNOWN)
    stops = np.linspace(-1.0, 1.0, len(_RAMP))
    return Color.from_rgb(*(round(float(np.interp(x, stops, channel))) for channel in _RAMP.T))


def _letter(x: float) -> str:
    if not np.isfinite(x):
        return "?"
    k = max(-9, min(9, round(9.0 * float(x))))
    return "." if not k else str(k) if k > 0 else "abcdefghi"[-k - 1]


def check_file(file: Path) -> None:
    """Raises before anything is computed if no picture can be written there."""
    if not file.parent.is_dir():
        raise NotADirectoryError(0, "no such folder", str(file.parent))
    kinds = _figure().canvas.get_supported_filetypes()
    if file.suffix[1:].lower() not in kinds:
        raise ModelError(f"--picture {file}: no such kind of picture; there are {', '.join(sorted(kinds))}")


def write(cut: Slice, limit: float, title: str, file: Path) -> None:
    """The slice as a picture file, of the kind its name says."""
    figure = _figure()
    plot = figure.add_subplot()
    extent = (cut.x.lower, cut.x.upper, cut.y.lower, cut.y.upper)
    shown = np.ma.masked_invalid(cut.values)
    image = plot.imshow(
        shown, cmap="RdBu_r", vmin=-limit, vmax=limit, origin="lower", extent=extent, aspect="auto", rasterized=True
    )
    plot.set_facecolor([channel / 255 for channel in _UNKNOWN])
    plot.set_xlabel(cut.x.label, parse_math=False)
    plot.set_ylabel(cut.y.label, parse_math=False)
    plot.set_title(title, parse_math=False, fontsize="medium", wrap=True)
    beyond = "both" if float(np.abs(shown).max()) > limit else "neither"
    figure.colorbar(image, label=f"scalar curvature, {UNIT}", extend=beyond)
    figure.savefig(file)


def _figure() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ModelError('--picture needs the package matplotlib: pip install "chasles[plot]"') from None
    return Figure(figsize=(6.4, 5.2), dpi=150, layout="constrained")
