"""`chasles export ROBOT FUNCTION --to c`: a function as source files, with its test."""

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chasles.cli.page_options import Base
from chasles.cli.parsing import numbers
from chasles.cli.screen import Root, console, load, on_base, reported
from chasles.cli.subjects import is_own, own
from chasles.errors import ModelError, printable

if TYPE_CHECKING:
    from chasles.export.exported import Exported
    from chasles.export.functions import Options, Subject

NEXT = {
    "c": "cmake -S {folder} -B {folder}/build && cmake --build {folder}/build && ctest --test-dir {folder}/build",
    "cuda": "cmake -S {folder} -B {folder}/build && cmake --build {folder}/build && ctest --test-dir {folder}/build",
    "rust": "cd {folder} && cargo test",
    "js": "node --test {folder}/{test}",
    "python": "python {folder}/{test}",
    "matlab": "cd {folder} && octave-cli --eval {stem}",
    "casadi": "python {folder}/{test}",
    "latex": "cd {folder} && pdflatex {tex}",
}


@reported
def export(
    robot: Annotated[
        str,
        typer.Argument(
            help="A built-in robot (see: chasles list), a .toml, .urdf or MJCF file, or module:name or file.py:name of "
            "a system, a kernel or a function of yours."
        ),
    ],
    function: Annotated[
        str | None,
        typer.Argument(
            help="inverse_dynamics, or another function, or several with commas; step, rollout, inverse_kinematics; "
            "module:name or file.py:name of a law.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="c, cuda, matlab, python, rust, js, casadi or latex.", show_default=False)
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="FOLDER", help="Where files go to. Default: a new folder, ROBOT_FUNCTION_TO."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of the function there. Default: its own.")] = None,
    dtype: Annotated[str, typer.Option(help="float64 or float32.")] = "float64",
    frame: Annotated[str | None, typer.Option(help="Of poses, Jacobians and tasks. Default: the tool.")] = None,
    expressed: Annotated[str | None, typer.Option(help="Of twists and Jacobians: body, space or mixed.")] = None,
    rows: Annotated[str | None, typer.Option(help='Of a task: --rows "tx ty tz".')] = None,
    inputs: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Optional inputs to have: tool_wrench, link_wrenches.")
    ] = None,
    parameters: Annotated[
        str | None, typer.Option(metavar="LINKS", help="Links whose inertia is an input: ten numbers each.")
    ] = None,
    derivative: Annotated[str | None, typer.Option(metavar="INPUT", help="The derivative by an input: q.")] = None,
    method: Annotated[
        str | None, typer.Option(help="Of a step or rollout: rk4, semi_implicit, variational ...")
    ] = None,
    dt: Annotated[float | None, typer.Option(help="Seconds of a step, of a rollout too. Default: an input.")] = None,
    steps: Annotated[int | None, typer.Option(help="Of a rollout.")] = None,
    gravity: Annotated[str | None, typer.Option(metavar="NUMBERS", help='--gravity "0 0 -9.81".')] = None,
    shape: Annotated[
        list[str] | None,
        typer.Option(metavar="INPUT=SHAPE", help="Of a function of yours: --shape q=7 --shape A=3,3 --shape t=."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Files that are not of an export, or were changed, too.")
    ] = False,
    base: Base = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    root: Root = None,
) -> None:
    """Write a function as source code of another language, with a header, a build file and a test with known values.

    What was written is printed, with what to run next.
    """
    from chasles.export import targets
    from chasles.export.export import exported, written
    from chasles.export.functions import Options

    if to is None:
        raise ModelError(f"--to: say the language, one of {', '.join(targets.names())}")
    targets.find(to)
    targets.refuse_dtype(to, dtype)
    chosen = inputs.replace(",", " ").split() if inputs else ()
    links = parameters.replace(",", " ").split() if parameters else ()
    given = _shapes_of_law(function, shape) if function is not None and shape else links
    options = Options(frame, expressed, rows, chosen, given, derivative, method, dt, steps)  # type: ignore[arg-type]
    subject = _subject(robot, function, options, dtype, shape, gravity, base, root)
    made = exported(subject, name, dtype)
    stem = Path(robot.rpartition(":")[0] if is_own(robot) else robot).stem
    place = output or "_".join([*([stem] if function or is_own(robot) else []), made.name, to])
    paths = written(lambda: made, to, place, overwrite, "--{}")
    _told(made, to, Path(place), paths, as_json)


def _subject(
    text: str,
    function: str | None,
    options: "Options",
    dtype: str,
    shape: list[str] | None,
    gravity: str | None,
    base: str | None,
    root: list[str] | None,
) -> "Subject":
    from chasles.export import functions
    from chasles.function.compile import compile
    from chasles.function.kernel import Kernel

    found: Any = own(text) if is_own(text) else load(text, root)
    system = hasattr(found, "export") and hasattr(found, "nq")
    if system:
        found = on_base(found, base)
        if gravity is not None:
            found = found.with_gravity(numbers(gravity, "--gravity"))
        if function is None:
            there = ", ".join(functions.known(found))
            raise ModelError(f"{text} is a {type(found).__name__}: say which function of it; there are {there}")
        wanted: Any = own(function) if is_own(function) else [x for x in function.replace(",", " ").split() if x]
        chosen = wanted[0] if isinstance(wanted, list) and len(wanted) == 1 else wanted
        return functions.subject(found, chosen, options, dtype)
    if function is not None:
        raise ModelError(f"{text} is no robot or system, and has no function {function!r}: leave it out")
    for name, x in (("--gravity", gravity), ("--base", base)):
        if x is not None:
            raise ModelError(f"{name}: {text} is no robot")
    if not isinstance(found, Kernel):
        if not callable(found):
            raise ModelError(f"{text} is a {type(found).__name__}, and no function, kernel, robot or system")
        found = compile(found, **_shapes_of(found, text, shape))
    elif shape:
        raise ModelError(f"--shape: {text} is a kernel, and has its shapes")
    if options.derivative is not None:
        found = found.jacobian(options.derivative)
    return functions.own(found)


def _shapes_of(function: Any, text: str, shape: list[str] | None) -> dict[str, Any]:
    """The shapes of a function's inputs, all of which have to be said."""
    import inspect

    given = _shapes(shape or [])
    taken = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    missing = [p.name for p in taken if p.name not in given and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if missing or not given:
        wanted = " ".join(f"--shape {x}=..." for x in missing) or "--shape q=..."
        raise ModelError(f"{text} has arrays of unknown size: say {wanted} (a size, sizes with commas, or nothing)")
    return given


def _shapes_of_law(function: str, shape: list[str]) -> dict[str, Any]:
    """The shapes of a law's parameters."""
    given = _shapes(shape)
    if not is_own(function):
        raise ModelError(f"--shape: {function} has its shapes; those of a function of yours are said")
    for name in given:
        if name in ("t", "q", "qd"):
            raise ModelError(f"--shape: {name} of a law has the size of the robot; those of its parameters are said")
    return given


def _shapes(shape: list[str]) -> dict[str, Any]:
    """{"q": (7,), "t": ()} of "q=7", "t="."""
    from chasles.export.functions import refuse_large

    found: dict[str, Any] = {}
    for text in shape:
        name, equals, sizes = text.partition("=")
        if not equals or not name.isidentifier() or not re.fullmatch(r"(\d+(,\d+)*)?", sizes):
            raise ModelError(f"--shape must be like q=7, A=3,3 or t=, got {text!r}")
        found[name] = tuple(int(x) for x in sizes.split(",") if x)
        refuse_large(name, found[name])
    return found


def _told(made: "Exported", to: str, folder: Path, paths: list[Path], as_json: bool) -> None:
    files = [{"file": str(path), "bytes": path.stat().st_size} for path in paths]
    tested = any("test" in part for path in paths for part in path.relative_to(folder).parts)
    known = {
        "function": made.name,
        "to": to,
        "dtype": made.dtype,
        "folder": str(folder),
        "files": files,
        "operations": made.body.operations.total,
        "inputs": {o.name: list(o.shape) for o in made.body.inputs},
        "outputs": {o.name: list(o.shape) for o in made.body.outputs},
        "calls_in_test": len(made.references) if tested else 0,
        "tolerance": made.tolerance,
        "footprint": _footprint(to, paths),
        "next": _next(to, folder, paths),
    }
    if as_json:
        typer.echo(json.dumps(known, indent=2))
        return
    from chasles.export.heading import costs

    screen = console()
    arguments = ", ".join(f"{o.name}{list(o.shape)}" for o in made.body.inputs)
    results = ", ".join(f"{o.name}{list(o.shape)}" for o in made.body.outputs)
    screen.print(printable(f"{made.name}({arguments}) -> {results}, {made.dtype}"), style="bold cyan")
    for line in costs(made.body):
        screen.print(line)
    width = max(len(row["file"]) for row in files)
    for row in files:
        screen.print(printable(f"{row['file']:<{width}}  {row['bytes']:>7,} bytes"))
    if known["calls_in_test"]:
        screen.print(f"its test makes {known['calls_in_test']} calls, tolerance {made.tolerance:.0e}", style="dim")
    if not made.references:
        screen.print("it has no calls to test it by: all results are finite at no state that was tried", style="yellow")
    if known["footprint"]:
        screen.print(f"{known['footprint']}", style="dim", soft_wrap=True)
    if known["next"]:
        screen.print(f"next: {printable(known['next'])}", style="green", soft_wrap=True)


def _footprint(to: str, paths: list[Path]) -> str | None:
    """Flash and stack on a microcontroller, where its compiler is there."""
    if to != "c":
        return None
    from chasles.export.footprint import measured

    found = measured({path.name: path.read_bytes() for path in paths})
    return None if found is None else str(found)


def _next(to: str, folder: Path, paths: list[Path]) -> str:
    """The command that builds and tests what was written."""
    tests = [path for path in paths if "test" in path.stem]
    tex = next((path.name for path in paths if path.suffix == ".tex"), "")
    test = tests[0].relative_to(folder).as_posix() if tests else ""
    text = NEXT.get(to, "")
    if ("{test}" in text or "{stem}" in text) and not tests:
        return ""
    if "ctest" in text and not tests:
        text = text.rpartition(" && ")[0]
    words = {"folder": str(folder), "test": test, "stem": tests[0].stem if tests else "", "tex": tex}
    return _quoted(text, words)


def _quoted(text: str, words: dict[str, str]) -> str:
    """A command with words in it, as a shell takes it."""
    return " ".join(x if x == "&&" else shlex.quote(x.format(**words)) for x in text.split())
