"""Scalar curvature over two joints (plot/joint_plane.py): which two a person means, and a terminal's picture."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.style import Style
from rich.text import Text

from chasles.cli.screen import number
from chasles.colour_scales import SIGNED, UNKNOWN, coloured
from chasles.errors import ModelError
from chasles.figures import label, new_figure, save
from chasles.plot.joint_plane import UNIT, Axis, Slice, home
from chasles.robot import Robot

Array = NDArray[np.float64]
_LEAST_COLUMNS = 36  # columns of a terminal's picture; smaller grids have larger cells


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
    q = home(robot)
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


def picture(cut: Slice, limit: float, width: int, in_colour: bool) -> list[Text]:
    """The slice in lines of text of about that width, with its axes and a legend.

    Half blocks of the colours, vermillion above zero, blue below, grey where not known; or, without colours, ninths of
    the limit: digits above zero, letters below.
    """
    size = len(cut.values)
    ends = [number(end) for end in (cut.y.upper, cut.y.lower)]
    margin = max(map(len, ends))
    columns = max(4, min(width - margin - 1, size * max(1, -(-_LEAST_COLUMNS // size))))  # two lines at least
    upright = cut.values[::-1][:, _nearest(columns, size)]
    if in_colour:
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
    return [*lines, Text(), _legend(cut, limit, in_colour)]


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


def _legend(cut: Slice, limit: float, in_colour: bool) -> Text:
    low, high = (cut.extreme(find)[0] for find in (np.nanargmin, np.nanargmax))
    line = Text()
    if not in_colour:
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
        mark = Text("\N{FULL BLOCK}", Style(color=_colour(np.nan))) if in_colour else Text("?")
        line = Text.assemble(line, "; ", mark, " M is singular, or nearly")
    return line


def _bar(values: Iterable[float]) -> Text:
    return Text.assemble(*(("\N{FULL BLOCK}", Style(color=_colour(value))) for value in values))


def _colour(x: float) -> Color:
    """Of a number from -1 to 1; those beyond are as those."""
    if not np.isfinite(x):
        return Color.parse(UNKNOWN)
    return Color.from_rgb(*coloured((x + 1.0) / 2.0, SIGNED).tolist())


def _letter(x: float) -> str:
    if not np.isfinite(x):
        return "?"
    k = max(-9, min(9, round(9.0 * float(x))))
    return "." if not k else str(k) if k > 0 else "abcdefghi"[-k - 1]


def check_file(file: Path) -> None:
    """Raises before anything is computed if no picture can be written there."""
    if not file.parent.is_dir():
        raise NotADirectoryError(0, "no such folder", str(file.parent))
    kinds = new_figure(1.0, 1.0, "--picture").canvas.get_supported_filetypes()
    if file.suffix[1:].lower() not in kinds:
        raise ModelError(f"--picture {file}: no such kind of picture; there are {', '.join(sorted(kinds))}")


def write(cut: Slice, limit: float, title: str, file: Path) -> None:
    """The slice as a picture file, of the kind its name says."""
    from chasles.plot.joint_maps import draw_map  # with matplotlib, and much else

    figure = draw_map(cut, "scalar curvature", UNIT, (-limit, limit))
    label(figure.axes[0], title=title)
    figure.axes[0].title.set_wrap(True)
    save(figure, file)
