"""The options of commands that write a page, and numbers in options."""

from pathlib import Path
from typing import Annotated, Any

import typer

from chasles.errors import ModelError

Output = Annotated[
    str | None,
    typer.Option(
        "-o", "--output", metavar="FILE", help="The .html file to write. Default: a temporary one that stays."
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Write to a file that exists too.")]
Open = Annotated[
    bool | None,
    typer.Option(
        "--open/--no-open",
        help="Open it in a browser. Default: where there is one, and neither over SSH nor in CI.",
        show_default=False,
    ),
]
Meshes = Annotated[bool, typer.Option(help="Show the meshes that the file names (needs the extra chasles\\[meshes]).")]
Folder = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FOLDER",
        help="A folder besides the file's own that meshes may come from; again for more.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; opened with --open alone.")]


def place_of(output: str | None, overwrite: bool) -> Path | None:
    """Where a page goes to, asked before it is made; None for a temporary file."""
    from chasles.web_page import target

    return None if output is None else target(output, "-o", overwrite, "--overwrite")


def written_page(page: Any, place: Path | None, overwrite: bool) -> Path:
    """The path of a page's file."""
    from chasles.web_page import temporary, written

    return temporary(page) if place is None else written(page, place, "-o", overwrite)


def open_page(path: Path, asked: bool | None, as_json: bool) -> None:
    """Open a page in a browser, if that was asked for, or unless JSON was."""
    from chasles.web_page import opened

    if asked or (asked is None and not as_json):
        opened(path, asked is True)


def numbers(text: str, option: str) -> list[float]:
    """The numbers of an option, with spaces or commas between."""
    found = []
    for word in text.replace(",", " ").split():
        try:
            found.append(float(word))
        except ValueError:
            raise ModelError(f"{option}: {word!r} is no number, in {text!r}") from None
    return found
