"""Pages of commands: the file they go to, and the end of the command: told on the screen or as JSON, then opened."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chasles.errors import ModelError, printable

if TYPE_CHECKING:
    from chasles.web_page import Page


def place_of(output: str | None, overwrite: bool) -> Path | None:
    """Where a page goes to, asked before it is made; None for a temporary file."""
    from chasles.web_page import target

    return None if output is None else target(output, "-o", overwrite, "--overwrite")


def folders_of(folder: list[str] | None) -> tuple[Path, ...]:
    """The folders of --folder, asked before the page is made."""
    from chasles.arguments import file

    found = tuple(file(one, "--folder") for one in folder or ())
    for one in found:
        if not one.is_dir():
            raise ModelError(f"--folder must be a folder, and {str(one)!r} is none")
    return found


def finish(
    page: "Page",
    place: Path | None,
    overwrite: bool,
    open_it: bool | None,
    as_json: bool,
    *,
    facts: Mapping[str, Any] | None = None,
    show: Callable[[dict[str, Any]], object] | None = None,
) -> None:
    """Write a page, tell of it and open it: in a browser if that was asked for, or unless JSON was.

    Told are `facts`, the path as "page", its "bytes" and the "doubts": those of the facts and of the page. show: prints
    them at a terminal; by default the path is printed alone.
    """
    from chasles.web_page import opened, temporary, written

    path = temporary(page) if place is None else written(page, place, "-o", overwrite)
    known = {**(facts or {}), "page": str(path), "bytes": path.stat().st_size}
    known["doubts"] = [*known.get("doubts", ()), *page.doubts]
    if as_json:
        typer.echo(json.dumps(known, indent=2))
    else:
        show(known) if show else typer.echo(printable(str(path)))
        for doubt in page.doubts:
            typer.echo(printable(f"doubt: {doubt}"), err=True)
    if open_it or (open_it is None and not as_json):
        opened(path, open_it is True)
