"""`chasles view ROBOT`: a page that shows a robot and computes with its own functions."""

from typing import Annotated

import typer

from chasles.cli.page_options import (
    AsJson,
    Folder,
    Meshes,
    Open,
    Output,
    Overwrite,
    numbers,
    open_page,
    place_of,
    written_page,
)
from chasles.cli.screen import Root, load, reported
from chasles.errors import printable


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
    output: Output = None,
    overwrite: Overwrite = False,
    open_it: Open = None,
    meshes: Meshes = True,
    folder: Folder = None,
    as_json: AsJson = False,
    root: Root = None,
) -> None:
    """Show a robot on a page: its path is printed, and a browser opens it where there is one."""
    place = place_of(output, overwrite)
    made = load(robot, root)
    page = made.page(None if q is None else numbers(q, "--q"), meshes=meshes, folders=folder or ())
    path = written_page(page, place, overwrite)
    if as_json:
        import json

        typer.echo(json.dumps({"page": str(path), "bytes": path.stat().st_size, "doubts": page.doubts}, indent=2))
    else:
        typer.echo(printable(str(path)))
        for doubt in page.doubts:
            typer.echo(printable(f"doubt: {doubt}"), err=True)
    open_page(path, open_it, as_json)
