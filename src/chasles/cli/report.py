"""`chasles report ROBOT`: one page about a robot, to be sent to a colleague."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from chasles.cli.page_files import finish, folders_of, place_of
from chasles.cli.page_options import AsJson, Base, Folder, Meshes, Open, Output, Overwrite
from chasles.cli.screen import Root, console, load, on_base, reported


@reported
def report(
    robot: Annotated[str, typer.Argument(help="A built-in robot (see: chasles list) or a .toml, .urdf or MJCF file.")],
    output: Output = None,
    overwrite: Overwrite = False,
    open_it: Open = None,
    speed: Annotated[
        bool, typer.Option(help="Measure speeds. Without, the same robot gives the same page.", show_default=False)
    ] = True,
    meshes: Meshes = True,
    folder: Folder = None,
    base: Base = None,
    as_json: AsJson = False,
    root: Root = None,
) -> None:
    """Write a page about a robot: the live robot, its joints, inertias, workspace, maps, parameters and speeds.

    Its path is printed, at a terminal after what `chasles info` shows.
    """
    from chasles.report.assembly import assembled
    from chasles.report.subject import Subject

    place = place_of(output, overwrite)
    folders = folders_of(folder)
    made = on_base(load(robot, root), base)
    subject = Subject(made, speed, meshes, folders)
    screen = console()
    if screen.is_terminal and not as_json:
        from chasles.cli.info import show
        from chasles.report.facts import facts

        show(screen, facts(made))
        screen.print()
    with _progress() as begun:
        page = assembled(subject, begun)
    finish(page, place, overwrite, open_it, as_json, facts={"doubts": made.doubts})


@contextmanager
def _progress() -> Iterator[Callable[[str], object]]:
    """Shows, at a terminal, which part is made."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    screen = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task("Report", total=None)
        yield lambda title: progress.update(task, description=f"Report: {title}")
