"""`chasles info ROBOT`: what a robot is, what its functions cost, and a first computation."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chasles.cli.screen import Root, console, duration, kinds_of, load, number, numbers, reported

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_NEGLIGIBLE = 1e-9  # of axes, and in metres
_LOSSES = ("armature", "damping", "friction")


@reported
def info(
    robot: Annotated[str, typer.Argument(help="A built-in robot (see: chasles list) or a .toml, .urdf or MJCF file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    root: Root = None,
) -> None:
    """Show a robot: joints, masses, reach, operation counts, doubts, and a first computation with its time."""
    from chasles.report.facts import facts

    known = facts(load(robot, root))
    if as_json:
        import json

        typer.echo(json.dumps(known, indent=2))
        return
    show(console(), known)


def show(screen: "Console", known: dict[str, Any]) -> None:
    """Print facts of a robot."""
    _heading(screen, known)
    if known["joints"]:
        _section(screen, "Joints", _joints(known["joints"], known["base"]["name"], screen))
        drives = [joint for joint in known["joints"] if joint["mimic"] or any(joint[key] for key in _LOSSES)]
        if drives:
            _section(screen, "Drives", _drives(drives))
        _section(screen, "Links", _links(known["links"], screen))
    _section(screen, "Operations", _operations(known["operations"]))
    for name, count in known["operations"].items():
        if count["total"] is None:
            screen.print(f"{name}: {count['why']}", style="dim")
    _list(screen, "Doubts", known["doubts"], "yellow")
    _list(screen, "Notes", known["notes"], "")
    _computation(screen, known["first_computation"])


def _table() -> "Table":
    from rich.table import Table

    return Table(box=None, pad_edge=False, header_style="bold")


def _names(table: "Table", title: str) -> None:
    table.add_column(title, style="cyan", no_wrap=True)


def _fitting(screen: "Console", tables: Iterable["Table"]) -> "Table":
    """The first table that fits the screen as it is, or the last one."""
    table = _table()
    for table in tables:
        if table.__rich_measure__(screen, screen.options.update(width=10_000)).maximum <= screen.width:
            break
    return table


def _section(screen: "Console", title: str, body: Any) -> None:
    screen.print(f"\n{title}", style="bold cyan")
    screen.print(body)


def _heading(screen: "Console", known: dict[str, Any]) -> None:
    from rich.text import Text

    kinds = kinds_of(joint["kind"] for joint in known["joints"])
    described = f"  {known['description']}" if known["description"] else ""
    screen.print(Text.assemble((known["name"], "bold cyan"), described))
    table = _table()
    table.show_header = False
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("joints", f"{len(known['joints'])} {kinds}".strip() + _freedom(known))
    base = known["base"]
    table.add_row("mass", f"{number(known['total_mass'])} kg" + " without the base" * bool(base["mass"]))
    if base["name"] != "base" or base["mass"]:
        table.add_row("base", Text(base["name"] + (f", {number(base['mass'])} kg" if base["mass"] else "")))
    if known["friction"]:
        table.add_row("friction", "the joints' damping and friction count")
    reach = known["reach"]
    found = f"{number(reach['metres'])} m from the first axis" if reach["metres"] is not None else "unknown"
    table.add_row("reach", f"{found} ({reach['how']})")
    tool = known["tool"]
    if tool is None:
        table.add_row("tool", "none: the robot is branched")
    else:
        place = numbers(row[3] for row in tool["home"][:3])
        table.add_row("tool", f"on {tool['link']}, at ({place}) m {_home(known['first_computation'])}")
    table.add_row("gravity", f"({numbers(known['gravity'])}) m/s^2")
    table.add_row("frames", Text(", ".join(known["frames"])))
    if known["source"]:
        table.add_row("source", Text(known["source"]))
    screen.print(table)


def _freedom(known: dict[str, Any]) -> str:
    """Degrees of freedom and coordinates, where they are not one a joint."""
    n, nq = known["degrees_of_freedom"], known["coordinates"]
    if n == nq == len(known["joints"]):
        return ""
    return f": {n} degrees of freedom" + (f", {nq} coordinates" if nq != n else "")


def _home(first: dict[str, Any]) -> str:
    """Where the first computation is, and the frames are given."""
    return "at home" if any(first["q"]) else "at q = 0"


def _joints(joints: list[dict[str, Any]], base: str, screen: "Console") -> "Table":
    """Where the table is too wide, digits of points and then the parents are left out.

    Parents are left out of a narrow one too where each is just the link before.
    """
    before = [base, *(joint["link"] for joint in joints[:-1])]
    wide = screen.width >= 100
    parents = (True, False) if wide or [joint["parent"] for joint in joints] != before else (False,)
    digits = (4, 3) if wide else (3,)
    return _fitting(screen, (_joint_table(joints, shown, few) for shown in parents for few in digits))


def _joint_table(joints: list[dict[str, Any]], parents: bool, digits: int) -> "Table":
    helical = any(joint["kind"] == "H" for joint in joints)
    geared = any(abs(joint["rate"] - 1.0) > 1e-12 for joint in joints)
    table = _table()
    _names(table, "joint")
    for title in ("kind", "axis", "through m", *(["pitch m/rad"] if helical else []), *(["rate"] if geared else [])):
        table.add_column(title, no_wrap=True)
    for title in ("lower", "upper", "speed", "effort"):
        table.add_column(title, justify="right", no_wrap=True)
    if parents:
        table.add_column("parent", no_wrap=True)
    for joint in joints:
        table.add_row(
            joint["name"],
            joint["kind"],
            "-" if joint["axis"] is None else numbers(joint["axis"], dust=_NEGLIGIBLE),
            "-" if joint["point"] is None else numbers(joint["point"], digits, _NEGLIGIBLE),
            *([number(joint["pitch"]) if joint["kind"] == "H" else "-"] if helical else []),
            *([number(joint["rate"])] if geared else []),
            *(number(joint[key]) for key in ("lower", "upper", "velocity", "effort")),
            *([joint["parent"]] if parents else []),
        )
    return table


def _drives(joints: list[dict[str, Any]]) -> "Table":
    """The joints that have armature, damping or friction, or mimic another."""
    shown = [key for key in _LOSSES if any(joint[key] for joint in joints)]
    table = _table()
    _names(table, "joint")
    for key in shown:
        table.add_column(key, justify="right", no_wrap=True)
    mimics = any(joint["mimic"] for joint in joints)
    if mimics:
        table.add_column("mimics", no_wrap=True)
    for joint in joints:
        mimic = joint["mimic"]
        follows = f"{number(mimic['factor'])} * {mimic['joint']}" if mimic else "-"
        if mimic and mimic["offset"]:
            follows += f" {'-' if mimic['offset'] < 0.0 else '+'} {number(abs(mimic['offset']))}"
        row = [number(joint[key]) if joint[key] else "-" for key in shown]
        table.add_row(joint["name"], *row, *([follows] if mimics else []))
    return table


def _links(links: list[dict[str, Any]], screen: "Console") -> "Table":
    title = "inertia about it{}kg m^2 (xx yy zz)"
    forms = ((title.format(" "), 4), (title.format("\n"), 4), (title.format("\n"), 3))
    return _fitting(screen, (_link_table(links, *form) for form in forms))


def _link_table(links: list[dict[str, Any]], inertia: str, digits: int) -> "Table":
    table = _table()
    _names(table, "link")
    table.add_column("mass kg", justify="right", no_wrap=True)
    for title in ("centre of mass m", inertia):
        table.add_column(title, no_wrap=True)
    for link in links:
        diagonal = [link["inertia"][k][k] for k in range(3)]
        row = number(link["mass"]), numbers(link["com"], digits), numbers(diagonal, digits)
        table.add_row(link["name"], *row)
    return table


def _operations(counts: dict[str, dict[str, Any]]) -> "Table":
    kinds = {"mul": ("mul",), "add, sub": ("add", "sub"), "sin, cos": ("sin", "cos"), "div": ("div",)}
    named = {kind for group in kinds.values() for kind in group}
    table = _table()
    table.add_column("function", style="cyan", no_wrap=True)
    for title in ("total", *kinds, "other"):
        table.add_column(title, justify="right", no_wrap=True)
    for name, count in counts.items():
        if count["total"] is None:
            continue
        by_kind = count["by_kind"]
        row = [sum(by_kind.get(kind, 0) for kind in group) for group in kinds.values()]
        row.append(sum(value for kind, value in by_kind.items() if kind not in named))
        table.add_row(name, str(count["total"]), *map(str, row))
    return table


def _list(screen: "Console", title: str, lines: list[str], style: str) -> None:
    if lines:
        screen.print(f"\n{title}", style="bold cyan")
        for line in lines:
            screen.print(f"- {line}", style=style)


def _computation(screen: "Console", first: dict[str, Any]) -> None:
    from rich.text import Text

    screen.print("\nA first computation", style="bold cyan")
    screen.print(Text(f"inverse_dynamics at rest {_home(first)}: tau = ({numbers(first['tau'])})"))
    table = _table()
    table.show_header = False
    table.add_column(no_wrap=True)
    table.add_column(style="bold green", justify="right", no_wrap=True)
    table.add_column()
    table.add_row("the first call", duration(first["first_call_s"]), "trace, then compile or load from the cache")
    table.add_row("one call after that", duration(first["one_call_s"]), "")
    where = f"in a batch of {first['batch']}, on up to {first['threads']} threads"
    table.add_row(
        "one configuration", duration(first["per_configuration_s"]), where.replace("up to 1 threads", "1 thread")
    )
    screen.print(table)
