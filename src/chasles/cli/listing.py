"""`chasles list`: the built-in robots."""

from typing import Annotated

import typer

from chasles.cli.screen import console, kinds_of, load, number, reported


@reported
def list_robots(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with the sources in full.")] = False,
) -> None:
    """List the built-in robots."""
    import json

    from rich.table import Table

    from chasles import zoo
    from chasles.model.facts import kind

    robots = {name: load(name) for name in zoo.names()}
    if as_json:
        facts = [
            {
                "name": name,
                "joints": robot.mechanism.bodies,
                "kinds": [kind(robot.mechanism, i) for i in range(robot.mechanism.bodies)],
                "mass": robot.total_mass,
                "description": robot.mechanism.description,
                "source": " ".join(robot.mechanism.source.split()),
            }
            for name, robot in robots.items()
        ]
        typer.echo(json.dumps(facts, indent=2))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("robot", style="cyan", no_wrap=True)
    table.add_column("joints", no_wrap=True)
    table.add_column("mass kg", justify="right", no_wrap=True)
    table.add_column("description")
    for name, robot in robots.items():
        m = robot.mechanism
        kinds = kinds_of(kind(m, i) for i in range(m.bodies))
        table.add_row(name, f"{m.bodies} {kinds}", number(robot.total_mass), robot.mechanism.description)
    screen = console(200)  # a robot a line, for grep
    screen.print(table)
    screen.print("\nR revolute, P prismatic, H helical. More: chasles info ROBOT", style="dim")
