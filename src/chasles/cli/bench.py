"""`chasles bench ROBOT`: side by side with the peers that are installed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chasles.cli.screen import Root, console, load, reported

if TYPE_CHECKING:
    from rich.console import Console


@reported
def bench(
    robot: Annotated[str, typer.Argument(help="A built-in robot (see: chasles list) or a .toml, .urdf or MJCF file.")],
    batch: Annotated[int, typer.Option(min=1, help="Configurations in a batch.")] = 4096,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Threads for batches.")] = 1,
    rounds: Annotated[int, typer.Option(min=1, help="Interleaved rounds, of which the median counts.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    root: Root = None,
) -> None:
    """Time a robot's functions, side by side with Pinocchio and MuJoCo where they are installed."""
    from chasles.report.speed.benchmark import benchmark

    figures = benchmark(load(robot, root), batch, threads, rounds, progress=_progress())
    if as_json:
        import json

        typer.echo(json.dumps(figures, indent=2))
        return
    _show(console(), figures)


@contextmanager
def _progress() -> Iterator[Callable[[str, int], None]]:
    from rich.console import Console
    from rich.progress import Progress

    screen = Console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task("compiling", total=None)
        yield lambda name, total: progress.update(task, description=name, total=total, advance=1)


def _show(screen: "Console", figures: dict[str, Any]) -> None:
    peers = [peer["name"] for peer in figures["peers"] if peer["why_not"] is None]
    n, joints = figures["batch"], figures["joints"]
    threads = "1 thread" if figures["threads"] == 1 else f"{figures['threads']} threads"
    versions = ", ".join(f"{p['name']} {p['version']}" for p in figures["peers"] if p["why_not"] is None)
    title = (
        f"{figures['robot']}, {joints} joints, batch of {n}, {threads}, float64, median of {figures['rounds']} rounds"
    )
    screen.print(title, style="bold cyan")
    screen.print(f"chasles {figures['version']}" + (f", {versions}" if versions else ""), style="dim")
    _table(screen, "One call from Python", "single_s", 1e6, "us", figures["functions"], peers)
    _table(screen, "Each configuration of a batch", "batch_s", 1e9, "ns", figures["functions"], peers)
    if any(row.get("looped") for function in figures["functions"] for row in function["peers"].values()):
        screen.print("* no batch function of its own: its Python call for each configuration, one thread", style="dim")
    differences = [
        f"{name} {max(f['peers'][name]['difference'] for f in figures['functions'] if name in f['peers']):.1e}"
        for name in peers
    ]
    if differences:
        screen.print(f"largest relative difference of the results: {', '.join(differences)}", style="dim")
    if figures["threads"] == 1:
        screen.print("times are of this thread: what other processes take of the machine is left out", style="dim")
    for peer in figures["peers"]:
        if peer["why_not"] is not None:
            screen.print(f"{peer['name']}: {peer['why_not']}", style="yellow")
    if all(peer["why_not"] == "not installed" for peer in figures["peers"]):
        screen.print("No peer is installed: pip install 'chasles[bench]'", style="yellow")


def _table(
    screen: "Console", title: str, key: str, scale: float, unit: str, functions: list[dict[str, Any]], peers: list[str]
) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("function", style="cyan", no_wrap=True)
    for heading in ("operations", f"chasles {unit}"):
        table.add_column(heading, justify="right", no_wrap=True)
    for peer in peers:
        table.add_column(f"{peer} {unit}", justify="right", no_wrap=True)
        table.add_column("ratio", justify="right", style="green", no_wrap=True)
    for function in functions:
        row = []
        for peer in peers:
            times = function["peers"].get(peer)
            if times is None:
                row += ["-", "-"]
                continue
            star = "*" if key == "batch_s" and times["looped"] else ""
            row += [_time(times[key] * scale) + star, f"{times[key] / function[key]:.1f}x"]
        table.add_row(function["name"], str(function["operations"]), _time(function[key] * scale), *row)
    screen.print(f"\n{title}", style="bold")
    screen.print(table)


def _time(x: float) -> str:
    return f"{x:,.0f}" if x >= 100.0 else f"{x:.3g}"
