"""`chasles view ROBOT`: a page that shows a robot and computes with its own functions."""

from typing import Annotated

import typer

from chasles.cli.page_files import finish, folders_of, place_of
from chasles.cli.page_options import AsJson, Base, Folder, Meshes, Open, Output, Overwrite
from chasles.cli.parsing import numbers
from chasles.cli.screen import Root, load, on_base, reported
from chasles.errors import ModelError


@reported
def view(
    robot: Annotated[str, typer.Argument(help="A built-in robot (see: chasles list) or a .toml, .urdf or MJCF file.")],
    q: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help='Where it is, numbers with spaces or commas between: --q "0 0.5 -1". Default: home, or the middle of '
            "limits that leave it out.",
            show_default=False,
        ),
    ] = None,
    output: Output = None,
    overwrite: Overwrite = False,
    open_it: Open = None,
    meshes: Meshes = True,
    folder: Folder = None,
    base: Base = None,
    live: Annotated[
        bool,
        typer.Option("--live", help="No file: a window with sliders, until Ctrl-C (needs the extra chasles\\[live])."),
    ] = False,
    as_json: AsJson = False,
    root: Root = None,
) -> None:
    """Show a robot on a page: its path is printed, and a browser opens it where there is one."""
    if live and (output is not None or as_json):
        raise ModelError(f"--live writes no file: leave out {'-o' if output is not None else '--json'}")
    place = place_of(output, overwrite)
    folders = folders_of(folder)
    made = on_base(load(robot, root), base)
    at = None if q is None else numbers(q, "--q")
    if live:
        with made.view(at, open=open_it, meshes=meshes, folders=folders) as window:
            window.wait()
        return
    finish(made.page(at, meshes=meshes, folders=folders), place, overwrite, open_it, as_json)
