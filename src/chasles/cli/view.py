"""`chasles view ROBOT`: a page that shows a robot and computes with its own functions."""

from typing import Annotated

import typer

from chasles.cli.screen import Root, load, reported
from chasles.errors import ModelError, printable


@reported
def view(
    robot: Annotated[str, typer.Argument(help="A built-in robot (see: chasles list) or a .toml, .urdf or MJCF file.")],
    q: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help='Where it is, numbers with spaces or commas between: --q "0 0.5 -1". Default: home.',
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="The .html file to write. Default: a temporary one that stays."
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Write to a file that exists too.")] = False,
    open_it: Annotated[
        bool | None,
        typer.Option(
            "--open/--no-open",
            help="Open it in a browser. Default: where there is one, and neither over SSH nor in CI.",
            show_default=False,
        ),
    ] = None,
    meshes: Annotated[
        bool, typer.Option(help="Show the meshes that the file names (needs the extra chasles\\[meshes]).")
    ] = True,
    folder: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder besides the file's own that meshes may come from; again for more.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; opened with --open alone.")] = False,
    root: Root = None,
) -> None:
    """Show a robot on a page: its path is printed, and a browser opens it where there is one."""
    from chasles.web_page import opened, target, temporary, written

    place = None if output is None else target(output, "-o", overwrite, "--overwrite")
    made = load(robot, root)
    page = made.page(None if q is None else numbers(q), meshes=meshes, folders=folder or ())
    path = temporary(page) if place is None else written(page, place, "-o", overwrite)
    if as_json:
        import json

        typer.echo(json.dumps({"page": str(path), "bytes": path.stat().st_size, "doubts": page.doubts}, indent=2))
    else:
        typer.echo(printable(str(path)))
        for doubt in page.doubts:
            typer.echo(printable(f"doubt: {doubt}"), err=True)
    if open_it or (open_it is None and not as_json):
        opened(path, open_it is True)


def numbers(text: str) -> list[float]:
    """The numbers of an option, with spaces or commas between."""
    found = []
    for word in text.replace(",", " ").split():
        try:
            found.append(float(word))
        except ValueError:
            raise ModelError(f"--q: {word!r} is no number, in {text!r}") from None
    return found
