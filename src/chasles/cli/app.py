"""The commands and what they have in common."""

from typing import Annotated

import typer

from chasles.cli.bench import bench
from chasles.cli.equations import equations
from chasles.cli.export import export
from chasles.cli.geometry import geometry
from chasles.cli.info import info
from chasles.cli.listing import list_robots
from chasles.cli.report import report
from chasles.cli.simulate import simulate
from chasles.cli.view import view

app = typer.Typer(
    name="chasles",
    help="Robot dynamics as Lie-group geometry, compiled.",
    epilog="Start with: chasles report panda",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("list")(list_robots)
app.command("info")(info)
app.command("report")(report)
app.command("equations")(equations)
app.command("view")(view)
app.command("simulate")(simulate)
app.command("export")(export)
app.command("bench")(bench)
app.command("geometry")(geometry)


def _version(wanted: bool) -> None:
    if wanted:
        import chasles

        typer.echo(f"chasles {chasles.__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
