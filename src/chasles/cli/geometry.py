"""`chasles geometry ROBOT`: a robot as a Riemannian manifold, whose metric is its mass matrix."""

import dataclasses
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from chasles.cli import heatmap
from chasles.cli.screen import Root, console, kinds_of, load, number, reported
from chasles.errors import ChaslesError, ModelError
from chasles.model.facts import kind
from chasles.model.mechanism import TENSOR_LIMIT
from chasles.plot import joint_plane
from chasles.plot.joint_plane import UNIT, Axis, Slice
from chasles.report.facts import operations
from chasles.robot import Robot

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

TENSORS = ("christoffel_symbols", "mass_matrix_derivatives", "riemann_curvature")
FUNCTIONS = (*TENSORS, "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "regressor")
SAMPLES = 64
_SLOW_SAMPLES = 8  # where tensors are computed link by link
_SIZE, _SLOW_SIZE = 40, 12  # grid points an axis
_FINE, _SLOW_FINE = 160, 24  # of a picture in a file
_CHOOSING, _SLOW_CHOOSING = 5, 3  # points an axis on which joints are chosen
_FEW = 3  # joints among which the axes are chosen where that is slow


@reported
def geometry(
    robot: Annotated[str, typer.Argument(help="A built-in robot (see: chasles list) or a .toml, .urdf or MJCF file.")],
    joints: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="A B",
            help="The joints across and up, by name or number from 1. Default: the two over which curvature varies "
            f"most on a coarse grid (of the first {_FEW} where the robot has more than {TENSOR_LIMIT} degrees of "
            "freedom).",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=VALUE",
            help="Where another joint is; again for more. Default: home, or the middle of limits that leave it out.",
            show_default=False,
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=512,
            help=f"Grid points an axis. Default: {_SIZE}, with --picture {_FINE}; above {TENSOR_LIMIT} degrees of "
            f"freedom {_SLOW_SIZE} and {_SLOW_FINE}.",
            show_default=False,
        ),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Write the slice to this PNG, SVG or PDF file too.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    root: Root = None,
) -> None:
    """Show a robot as a manifold: a slice of its curvature, flatness, balance, base parameters, operation counts."""
    if picture is not None:
        heatmap.check_file(picture)
    made = load(robot, root)
    if picture is not None and size is None:
        size = _FINE if made.n <= TENSOR_LIMIT else _SLOW_FINE
    known, cut = survey(made, joints, at or [], size, picture is not None)
    limit = 1.0 if cut is None else cut.limit(known["flatness"].get("is_flat", False))
    if cut is not None and picture is not None:
        heatmap.write(cut, limit, f"{made.name}, {joint_plane.others(made, cut)}", picture)
    if as_json:
        import json

        typer.echo(json.dumps(known, indent=2, allow_nan=False))
        return
    _show(console(), made, known, cut, limit)
    if picture is not None:
        typer.echo(f"\nwrote {picture}")


def survey(
    robot: Robot, joints: tuple[str, str] | None, at: list[str], size: int | None, needed: bool
) -> tuple[dict[str, Any], Slice | None]:
    """Everything, ready for JSON, and the slice where there is one; that is `needed` for what a person asked for."""
    from rich.console import Console
    from rich.progress import Progress

    screen, m = Console(stderr=True), robot.mechanism
    plan = _plan(robot, joints, at)
    if isinstance(plan, str) and (needed or joints is not None or at):
        raise ModelError(plan)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as progress:
        curvature = _progressing(robot, progress)
        task = progress.add_task("flatness", total=None)
        samples = SAMPLES if robot.n <= TENSOR_LIMIT else _SLOW_SAMPLES
        flatness = _told(lambda: _plain(robot.flatness(samples=samples)))
        progress.update(task, description="balance")
        balance = _told(lambda: _plain(robot.balance(samples=samples)))
        progress.update(task, description="base parameters")
        base = _told(lambda: _base(robot))
        progress.update(task, description="operations")
        counts = {name: _operations(robot, name) for name in FUNCTIONS}
        progress.remove_task(task)
        cut, curved = None, {"why": plan}
        if robot.n > 1:
            try:
                cut, curved = _curvature(robot, plan, curvature, size, flatness.get("is_flat", False))
            except ChaslesError as error:
                if needed:
                    raise
                curved = {"why": str(error)}
    known = {
        "name": robot.name,
        "description": m.description,
        "degrees_of_freedom": robot.n,
        "coordinates": robot.nq,
        "kinds": [kind(m, i) for i in range(m.bodies)],
        "scalar_curvature": curved,
        "flatness": flatness,
        "balance": balance,
        "base_parameters": base,
        "operations": counts,
    }
    return known, cut


@dataclasses.dataclass(frozen=True)
class GeometryPlan:
    """What slice to make: the axes to choose from, or the two that were named, and where the other joints are."""

    axes: list[Axis]
    at: joint_plane.Array


def _plan(robot: Robot, joints: tuple[str, str] | None, at: list[str]) -> GeometryPlan | str:
    """Or why there is no slice."""
    if robot.n == 0:
        return f"robot {robot.name!r} has no degrees of freedom: there is no manifold"
    if robot.n == 1:
        return f"robot {robot.name!r} has one degree of freedom: a curve has no curvature"
    known = joint_plane.axes(robot)
    q, named = heatmap.position(robot, at)
    if joints is not None:
        picked = heatmap.chosen(robot, known, joints)
        for axis in picked:
            if axis.number - 1 in named:
                raise ModelError(f"--at places joint {axis.name!r}, which --joints makes an axis")
        return GeometryPlan([*picked], q)
    free = [axis for axis in known if axis.number - 1 not in named]
    if len(free) < 2 <= len(known):
        raise ModelError("--at places too many joints: a slice needs two that move, see --joints")
    if len(free) < 2:
        return f"robot {robot.name!r} has fewer than two joints of one degree of freedom: there is no slice to draw"
    return GeometryPlan(free, q)


def _curvature(
    robot: Robot, plan: GeometryPlan | str, curvature: joint_plane.Values, size: int | None, flat: bool
) -> tuple[Slice | None, dict[str, Any]]:
    """The slice, or none where there is no plan, and the curvature as data."""
    fast = robot.n <= TENSOR_LIMIT
    if isinstance(plan, str):
        rng = np.random.default_rng(0)
        rows = np.array([robot.random(rng) for _ in range(SAMPLES if fast else _SLOW_SAMPLES)])
        found = curvature(rows, "curvature")
        found = found[np.isfinite(found)]
        middle = float(np.median(found)) if found.size else None
        low, high = (float(found.min()), float(found.max())) if found.size else (None, None)
        return None, {"unit": UNIT, "samples": found.size, "min": low, "median": middle, "max": high, "why": plan}
    candidates = plan.axes if fast else plan.axes[:_FEW]
    if flat:
        x, y = candidates[:2]
    else:
        x, y = joint_plane.most_varied(candidates, plan.at, curvature, _CHOOSING if fast else _SLOW_CHOOSING)
    count = size or (_SIZE if fast else _SLOW_SIZE)
    cut = joint_plane.curvature_over(robot, x, y, plan.at, curvature, count)
    if not np.isfinite(cut.values).any():
        where = f"all {count} x {count} points over {x.name} and {y.name}"
        raise ModelError(f"the mass matrix of robot {robot.name!r} is singular, or nearly, at {where}")
    extremes = {key: cut.extreme(find) for key, find in (("min", np.nanargmin), ("max", np.nanargmax))}
    return cut, {
        "unit": UNIT,
        "joints": [{**dataclasses.asdict(axis), "points": axis.points(count).tolist()} for axis in (x, y)],
        "at": plan.at.tolist(),
        "values": [[_plain(value) for value in row] for row in cut.values.tolist()],
        **{key: {"value": value, "q": q.tolist()} for key, (value, q) in extremes.items()},
    }


def _progressing(robot: Robot, progress: "Progress") -> joint_plane.Values:
    """Scalar curvature, in one batch where it is compiled, else one configuration after the other."""

    def curvature(q: joint_plane.Array, what: str) -> joint_plane.Array:
        task = progress.add_task(what, total=None if robot.n <= TENSOR_LIMIT else len(q))
        try:
            with np.errstate(all="ignore"):  # where M is singular
                if robot.n <= TENSOR_LIMIT:
                    return robot.scalar_curvature(q)
                out = np.full(len(q), np.nan)
                for k, row in enumerate(q):
                    with suppress(np.linalg.LinAlgError):  # there too
                        out[k] = robot.scalar_curvature(row)
                    progress.advance(task)
                return out
        finally:
            progress.remove_task(task)

    return curvature


def _base(robot: Robot) -> dict[str, Any]:
    found = robot.base_parameters()
    condition = _plain(float(found.condition))
    names = len(found.all_names)
    return {"count": found.count, "of": names, "structural": found.structural, "condition": condition}


def _operations(robot: Robot, name: str) -> dict[str, Any]:
    if name in TENSORS and robot.n > TENSOR_LIMIT:
        return {"total": None, "why": f"computed link by link above {TENSOR_LIMIT} degrees of freedom"}
    return operations(robot, name)


def _told(find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What is found, or why it is not."""
    try:
        return find()
    except ChaslesError as error:
        return {"why": str(error)}


def _plain(x: Any) -> Any:
    """As JSON has it: results by their fields and as `text`, arrays as lists, no number where there is none."""
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        fields = {field.name: _plain(getattr(x, field.name)) for field in dataclasses.fields(x)}
        return {**fields, "text": str(x)}
    if isinstance(x, Mapping):
        return {key: _plain(value) for key, value in x.items()}
    if isinstance(x, np.ndarray):
        return _plain(x.tolist())
    if isinstance(x, list | tuple):
        return [_plain(value) for value in x]
    return None if isinstance(x, float) and not np.isfinite(x) else x


def _show(screen: "Console", robot: Robot, known: dict[str, Any], cut: Slice | None, limit: float) -> None:
    from rich.text import Text

    described = f"  {known['description']}" if known["description"] else ""
    screen.print(Text.assemble((known["name"], "bold cyan"), described))
    n = known["degrees_of_freedom"]
    screen.print(f"{n} degree{'s' * (n != 1)} of freedom {kinds_of(known['kinds'])}".strip())
    screen.print("\nScalar curvature", style="bold cyan")
    _curved(screen, robot, known, cut, limit)
    for title, key in (("Flatness", "flatness"), ("Balance", "balance")):
        screen.print(f"\n{title}", style="bold cyan")
        _said(screen, known[key], "text")
    screen.print("\nBase parameters", style="bold cyan")
    base = known["base_parameters"]
    if "why" in base:
        _said(screen, base, "why")
    else:
        how = "from the structure" if base["structural"] else "by sampling"
        screen.print(f"{base['count']} of {base['of']}, found {how}, condition {number(base['condition'])}")
    screen.print("\nOperations", style="bold cyan")
    for name, count in known["operations"].items():
        total = f"{count['total']:>10}" if count["total"] is not None else f"         -  {count['why']}"
        screen.print(Text.assemble((name.ljust(28), "cyan"), total))


def _said(screen: "Console", part: dict[str, Any], key: str) -> None:
    from rich.text import Text

    screen.print(Text(part["why"], style="yellow") if "why" in part else Text(part[key]))


def _curved(screen: "Console", robot: Robot, known: dict[str, Any], cut: Slice | None, limit: float) -> None:
    from rich.text import Text

    curved = known["scalar_curvature"]
    if cut is None:
        _said(screen, curved, "why")
        if curved.get("median") is not None:
            three = ", ".join(f"{key} {number(curved[key])}" for key in ("min", "median", "max"))
            screen.print(f"{three} {UNIT}, at {curved['samples']} random configurations")
        return
    screen.print(Text(f"over {cut.x.name} across and {cut.y.name} up, {joint_plane.others(robot, cut)}"))
    coloured = screen.color_system is not None and not screen.no_color and not screen.options.ascii_only
    for line in heatmap.picture(cut, limit, screen.width, coloured):
        screen.print(line, soft_wrap=True)
    low, high = curved["min"]["value"], curved["max"]["value"]
    if known["flatness"].get("is_flat"):
        screen.print(f"zero, up to rounding: {number(max(-low, high), 1)} {UNIT}")
    elif high - low <= 1e-6 * max(abs(low), abs(high)):
        screen.print(f"constant: {number(high)} {UNIT}")
    else:
        for key in ("min", "max"):
            q = np.array(curved[key]["q"])
            place = ", ".join(f"{axis.name} = {number(q[axis.coordinate])}" for axis in (cut.x, cut.y))
            screen.print(Text(f"{key} {number(curved[key]['value'])} {UNIT} at {place}"))
    if robot.n == 2:
        screen.print("Gaussian curvature is half of this.", style="dim")
