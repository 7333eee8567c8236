"""Figures: the style that every picture of the library has, and their files. Matplotlib is imported when one is made.

Sizes are those of papers, one column of two or the whole page; text is 8 points, and stays text in SVG and PDF files.
Colours are those of Okabe and Ito, which people with any colour vision tell apart. Nothing of pyplot and of rcParams is
touched: all that the style says is said of the axes themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.arguments import count, file, flag, one_of, positive, sequence
from chasles.errors import ModelError
from chasles.figures.style import COLOURS, DASHES, HAIR, HEIGHT, INK, PALE, SMALL, SOFT, TEXT, WIDTHS
from chasles.markup import raised

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VIEWS = ("2d", "3d")
NEEDED = 'needs the package matplotlib: pip install "chasles[plot]"'


def figure(
    rows: int = 1,
    columns: int = 1,
    *,
    width: str | float = "one column",
    height: float | None = None,
    views: str | Sequence[str] = "2d",
) -> tuple[Figure, Any]:
    """A new Figure and its axes, an array (rows, columns), in the style of all pictures: to draw on with `ax=`.

    width: "one column" or "two columns" of a paper, or inches. height: inches (default: three quarters of a panel's
    width for each row). views: "2d" or "3d", for all axes or for each, row by row.
    """
    count(rows, "figure: rows")
    count(columns, "figure: columns")
    if isinstance(width, str):
        width = WIDTHS[one_of(width, "figure: width", tuple(WIDTHS))]
    across = positive(width, "figure: width", "of inches")
    up = HEIGHT * across / columns * rows if height is None else positive(height, "figure: height", "of inches")
    kinds = [views] * (rows * columns) if isinstance(views, str) else sequence(views, "figure: views", "views")
    for kind in kinds:
        one_of(kind, "figure: views", VIEWS)
    if len(kinds) != rows * columns:
        raise ModelError(f"figure: views must be one or {rows * columns}, one for each of the axes, got {len(kinds)}")
    made = new_figure(across, up)
    axes = np.empty((rows, columns), object)
    for k, kind in enumerate(kinds):
        axes.flat[k] = new_axes(made, (rows, columns, k + 1), kind == "3d")
    return made, axes


def new_figure(width: float, height: float, what: str = "plot") -> Figure:
    """Of that many inches, without axes. what: needs it, for the error where matplotlib is missing."""
    require(what)
    from chasles.figures.paper_figure import PaperFigure

    return PaperFigure(figsize=(width, height), dpi=200, layout="constrained")


def require(what: str) -> None:
    """Raise where matplotlib is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise ModelError(f"{what} {NEEDED}") from None


def new_axes(made: Figure, place: Any = (1, 1, 1), solid: bool = False, **options: Any) -> Any:
    """Styled axes of a figure; place: as of `add_subplot`. solid: in three dimensions."""
    place = place if isinstance(place, tuple) else (place,)
    if solid:
        from chasles.figures.solid_axes import styled_solid

        return styled_solid(made.add_subplot(*place, projection="3d", **options))
    return styled(made.add_subplot(*place, **options))


def styled(ax: Axes) -> Axes:
    """Axes in the style: thin spines below and at the left, small ticks, the colours in their order."""
    from cycler import cycler

    for side, spine in ax.spines.items():
        spine.set_linewidth(HAIR)
        spine.set_color(SOFT)
        spine.set_visible(side in ("left", "bottom"))
    ax.tick_params(labelsize=SMALL, width=HAIR, length=2.5, color=SOFT, labelcolor=INK)
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_fontsize(TEXT)
        text.set_color(INK)
    ax.set_prop_cycle(cycler(linestyle=DASHES) * cycler(color=COLOURS))
    return ax


def framed(ax: Axes) -> Axes:
    """Axes with a line all around: of maps and of pictures to scale."""
    for spine in ax.spines.values():
        spine.set_visible(True)
    return ax


def gridded(ax: Axes) -> Axes:
    """Axes with hairlines behind their curves."""
    ax.grid(True, linewidth=0.5 * HAIR, color=PALE)
    ax.set_axisbelow(True)
    return ax


def legend(ax: Axes, **options: Any) -> None:
    """The names of what is drawn, without a frame; names are shown as they are, `$` included."""
    made = ax.legend(**{"fontsize": SMALL, "frameon": False, "handlelength": 1.6, "labelcolor": INK, **options})
    for text in made.get_texts():
        text.set_parse_math(False)


def label(ax: Axes, *, x: str = "", y: str = "", title: str = "") -> None:
    """Texts of axes, as they are, where the axes have none yet."""
    for text, value in ((ax.xaxis.label, x), (ax.yaxis.label, y), (ax.title, title)):
        if value and not text.get_text():
            text.set_parse_math(False)
            text.set_text(value)


def typeset(quantity: str, unit: str = "") -> str:
    """A quantity with its unit as print has it: "force (N·m)", "curvature (1/(kg·m²))"."""
    printed = raised(re.sub("(?<!,)(?<! or) (?!or )", "\u00b7", unit))
    return f"{quantity} ({printed})" if printed else quantity


def save(figure: Figure, path: str | PathLike[str], *, overwrite: bool = True) -> None:
    """Write a Figure, of the kind its file's name says: PDF, SVG, PNG and what else matplotlib knows.

    Text stays text, and the same picture gives the same bytes: the file has no date. overwrite: a file that exists too,
    as `savefig` does; False to keep that.
    """
    require("save")
    from matplotlib.figure import Figure

    from chasles.figures.paper_figure import PaperFigure, written

    if not isinstance(figure, Figure):
        raise ModelError(f"save: figure must be a matplotlib Figure, got {type(figure).__name__}")
    where = file(path, "save: path")
    kind, kinds = where.suffix[1:].lower(), figure.canvas.get_supported_filetypes()
    if kind not in kinds:
        raise ModelError(f"save: {where.name!r} is no kind of picture; there are {', '.join(sorted(kinds))}")
    if not where.parent.is_dir():
        raise ModelError(f"save: there is no folder {where.parent}")
    if where.is_dir():
        raise ModelError(f"save: {where} is a folder")
    if not flag(overwrite, "save: overwrite") and where.exists():
        raise ModelError(f"save: {str(where)!r} exists, and is not overwritten unless you say overwrite=True")
    if isinstance(figure, PaperFigure):
        figure.savefig(where)
    else:
        written(figure.savefig, where, kind)
