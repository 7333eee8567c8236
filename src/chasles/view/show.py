"""Pages of systems, shown: in a notebook's cell, a file, a browser."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from chasles.arguments import flag
from chasles.recorded_motion import Trajectory
from chasles.recorded_motion.trajectory import system_of
from chasles.view.page import page_of
from chasles.web_page import Page, opened_or_printed, target, temporary, written


def system_page(
    system: Any, q: ArrayLike | None = None, *, meshes: bool = True, folders: Sequence[str | PathLike[str]] = ()
) -> Page:
    """The page of a robot at q (nq,), or of a system of one under constraints.

    q: by default home, or the middle of the limits where home is outside of them. meshes: those of the robot's file,
    from its folder and `folders`; else shapes made for it.
    """
    return page_of(system, q, meshes=meshes, folders=folders)


def show_system(
    system: Any,
    q: ArrayLike | None = None,
    *,
    file: str | PathLike[str] | None = None,
    overwrite: bool = False,
    open: bool | None = None,
    meshes: bool = True,
    folders: Sequence[str | PathLike[str]] = (),
) -> Path | None:
    """Show the page of a system: see `shown_page`."""
    place = checked(file, overwrite, open)
    return shown_page(system_page(system, q, meshes=meshes, folders=folders), place, overwrite, open)


def motion_page(trajectory: Trajectory, *, meshes: bool = True, folders: Sequence[str | PathLike[str]] = ()) -> Page:
    """The page that plays a trajectory: of its first motions, if it is a batch."""
    return page_of(system_of(trajectory, "show"), trajectory=trajectory, meshes=meshes, folders=folders)


def show_motion(
    trajectory: Trajectory,
    *,
    file: str | PathLike[str] | None = None,
    overwrite: bool = False,
    open: bool | None = None,
    meshes: bool = True,
    folders: Sequence[str | PathLike[str]] = (),
) -> Path | None:
    """Show the page that plays a trajectory: see `shown_page`."""
    place = checked(file, overwrite, open)
    return shown_page(motion_page(trajectory, meshes=meshes, folders=folders), place, overwrite, open)


def checked(file: Any, overwrite: Any, open: Any) -> Path | None:
    """The file that a page is to go to, or None; asked before the page is made, which may take long."""
    flag(overwrite, "overwrite")
    if open is not None:
        flag(open, "open")
    return None if file is None else target(file, "file", overwrite)


def shown_page(page: Page, place: Path | None, overwrite: bool, open: bool | None) -> Path | None:
    """Show a page and return the path of its file, if there is one. place: as `checked` gives it.

    In a notebook it is the output of the cell. Elsewhere it is written, to `place` or a temporary one that stays, and
    opened in a browser; where there is none, its path is printed. open: True for a browser in a notebook, over SSH and
    in CI too; False to write it alone.
    """
    shown = open is None and in_notebook()
    if shown:
        from IPython.display import display  # type: ignore[import-not-found]

        display(page)
        if place is None:
            return None
    path = temporary(page) if place is None else written(page, place, "file", overwrite)
    return path if shown or open is False else opened_or_printed(path, open is True)


def in_notebook() -> bool:
    """Whether what is displayed goes to a page: a kernel of Jupyter runs this, not a terminal."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None and "spyder_kernels" not in sys.modules
