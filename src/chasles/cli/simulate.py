"""`chasles simulate ROBOT`: a motion of a robot that nobody drives, as numbers, as a file and on a page."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chasles.arguments import positive
from chasles.cli.page_files import finish, folders_of, place_of
from chasles.cli.page_options import AsJson, Base, Folder, Meshes, Open, Output, Overwrite
from chasles.cli.parsing import numbers
from chasles.cli.screen import Root, console, load, number, on_base, reported
from chasles.drawn_systems import home
from chasles.errors import ModelError, SimulationError, printable

if TYPE_CHECKING:
    from pathlib import Path

    from chasles.recorded_motion import Trajectory

_MOST_ROWS = 40  # of the table of the end state


@reported
def simulate(
    robot: Annotated[str, typer.Argument(help="A built-in robot (see: chasles list) or a .toml, .urdf or MJCF file.")],
    seconds: Annotated[float, typer.Option(help="How long it moves.")] = 5.0,
    dt: Annotated[float, typer.Option(help="Seconds of a step.")] = 1e-3,
    method: Annotated[str, typer.Option(help="A name of chasles.integrators: rk4, variational, radau, ...")] = "rk4",
    q: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help='Where it begins: --q "0 0.5 -1". Default: home, or the middle of limits that leave it out.',
            show_default=False,
        ),
    ] = None,
    qd: Annotated[
        str | None,
        typer.Option(metavar="NUMBERS", help="The velocities it begins with. Default: at rest.", show_default=False),
    ] = None,
    stops: Annotated[bool, typer.Option("--stops", help="Stops at the limits of the joints.")] = False,
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the motion too: .npz, .csv or .parquet.", show_default=False),
    ] = None,
    output: Output = None,
    overwrite: Overwrite = False,
    open_it: Open = None,
    meshes: Meshes = True,
    folder: Folder = None,
    base: Base = None,
    as_json: AsJson = False,
    root: Root = None,
) -> None:
    """Let a robot fall: the change of its energy, where it ends, and a page that plays it."""
    place = place_of(output, overwrite)
    kept = _free(save, overwrite)
    folders = folders_of(folder)
    positive(seconds, "--seconds", "of seconds")
    positive(dt, "--dt", "of seconds")
    made = on_base(load(robot, root), base)
    start = home(made) if q is None else numbers(q, "--q")
    speed = [0.0] * made.n if qd is None else numbers(qd, "--qd")
    ended = None
    try:
        motion = made.simulate(start, speed, duration=seconds, dt=dt, method=method, stops=stops)
    except SimulationError as error:
        motion, ended = error.trajectory, " ".join(str(error).split())
        if motion is None or len(motion) < 2:
            raise
    if kept is not None:
        motion.save(kept)
    page = motion.page(meshes=meshes, folders=folders)
    finish(page, place, overwrite, open_it, as_json, facts=_facts(motion, stops, kept, ended), show=_show)
    if ended is not None:
        typer.echo(printable(f"error: {ended}"), err=True)
        raise typer.Exit(1)


def _free(save: str | None, overwrite: bool) -> "Path | None":
    """The file for the motion, asked before it is computed."""
    if save is None:
        return None
    from pathlib import Path

    from chasles.recorded_motion.files import of_ending

    path = Path(save)
    of_ending(path, "--save")
    if not path.parent.is_dir():
        raise ModelError(f"--save: there is no folder {str(path.parent)!r}")
    if path.exists() and not overwrite:
        raise ModelError(f"--save: {str(path)!r} exists, and is not overwritten unless you say --overwrite")
    return path


def _facts(motion: "Trajectory", stops: bool, kept: "Path | None", ended: str | None) -> dict[str, Any]:
    import numpy as np

    with np.errstate(all="ignore"):
        labels, E = motion.labels, motion.energy
        energies = {"start": E[0], "end": E[-1], "largest_change": np.abs(E - E[0]).max()}
    end = [
        {"name": name, "qd": float(v), "unit": unit}
        for name, v, unit in zip(labels.qd, motion.qd[-1], labels.rates(), strict=True)
    ]
    return {
        "robot": labels.name,
        "seconds": float(motion.t[-1] - motion.t[0]),
        "samples": len(motion),
        "method": labels.method,
        "dt": labels.dt,
        "stops": stops,
        "energy": {key: float(x) if np.isfinite(x) else None for key, x in energies.items()},
        "q": dict(zip(labels.q, motion.q[-1].tolist(), strict=True)),
        "q_units": dict(zip(labels.q, labels.q_units, strict=True)),
        "qd": {row["name"]: row["qd"] for row in end},
        "qd_units": {row["name"]: row["unit"] for row in end},
        "saved": None if kept is None else str(kept),
        "ended": ended,
    }


def _show(found: dict[str, Any]) -> None:
    from rich.table import Table

    screen, energy = console(), found["energy"]
    screen.print(
        f"{printable(found['robot'])}, {number(found['seconds'])} s, {found['samples']:,} samples, {found['method']}, "
        f"dt {number(found['dt'])} s",
        style="bold cyan",
    )
    screen.print(
        f"energy {number(energy['start'], 6)} J, at the end {number(energy['end'], 6)} J; it changes by at most "
        f"{number(energy['largest_change'], 3)} J"
    )
    if not found["stops"]:
        screen.print("nothing stops it at the limits of its joints: --stops has stops there", style="dim")
    table = Table(box=None, pad_edge=False, header_style="bold", title=None)
    table.add_column("at the end", style="cyan", no_wrap=True)
    for _ in range(2):
        table.add_column("", justify="right", no_wrap=True)
    rows = [(name, number(x), unit.replace("1", "")) for name, x, unit in _entries(found, "q")]
    rates = [(name, number(x), unit) for name, x, unit in _entries(found, "qd")]
    if [name for name, *_ in rows] == [name for name, *_ in rates]:
        pairs = [(a[0], f"{a[1]} {a[2]}", f"{b[1]} {b[2]}") for a, b in zip(rows, rates, strict=True)]
    else:
        pairs = [(name, f"{x} {unit}", "") for name, x, unit in rows] + [(n, "", f"{x} {u}") for n, x, u in rates]
    for row in pairs[:_MOST_ROWS]:
        table.add_row(*(printable(cell) for cell in row))
    screen.print(table)
    if len(pairs) > _MOST_ROWS:
        screen.print(f"and {len(pairs) - _MOST_ROWS} more: --json has all", style="dim")
    if found["saved"] is not None:
        screen.print(printable(found["saved"]))
    screen.print(printable(found["page"]))


def _entries(found: dict[str, Any], key: str) -> list[tuple[str, float, str]]:
    return [(name, x, found[f"{key}_units"][name]) for name, x in found[key].items()]
