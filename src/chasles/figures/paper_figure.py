"""Figures whose files are fit for papers: text as text, no date, the same bytes for the same picture."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

TEXT_AS_TEXT: Any = {"svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42, "svg.hashsalt": "chasles"}
UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "ps": {"CreationDate": None},
    "eps": {"CreationDate": None},
}
DOTS = 300  # an inch, of what is made of pixels


class PaperFigure(Figure):
    """A matplotlib Figure that is saved as papers need it, and shown by notebooks."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """As of `Figure`; the kind of a file comes from its name, unless `format` says it."""
        kind = options.get("format") or (Path(fname).suffix[1:] if isinstance(fname, (str, Path)) else "png")
        written(super().savefig, fname, str(kind).lower(), **options)

    def _repr_svg_(self) -> str:
        made = io.BytesIO()
        self.savefig(made, format="svg")
        return made.getvalue().decode("utf-8")


def written(write: Callable[..., None], where: Any, kind: str, **options: Any) -> None:
    """Write by a figure's own `savefig`, and leave matplotlib's settings as they were."""
    options = {"dpi": DOTS, **options}
    if kind in UNDATED:
        options["metadata"] = {**UNDATED[kind], **(options.get("metadata") or {})}
    with mpl.rc_context(TEXT_AS_TEXT):
        write(where, **options)
