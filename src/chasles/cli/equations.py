"""`chasles equations ROBOT [MEMBER ...]`: the equations of a robot as text, LaTeX or SymPy's."""

from typing import TYPE_CHECKING, Annotated

import typer

from chasles.cli.screen import Root, load, on_base, reported
from chasles.errors import ModelError, printable

if TYPE_CHECKING:
    from chasles.formula.collection import Equations
    from chasles.formula.statement import Statement

ENDINGS = {".tex": "latex", ".txt": "text", ".py": "sympy"}
RECURSION = "recursion"


@reported
def equations(
    robot: Annotated[str, typer.Argument(help="A built-in robot (see: chasles list) or a .toml, .urdf or MJCF file.")],
    members: Annotated[
        list[str] | None,
        typer.Argument(
            help="mass_matrix, coriolis_matrix, gravity_forces, motion, christoffel_symbols, jacobian, regressor, "
            "recursion, ..., any function of the robot. Default: M, C and g.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Unicode text, the default.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="LaTeX for amsmath.")] = False,
    sympy: Annotated[
        bool, typer.Option("--sympy", help="SymPy's expressions (needs the extra chasles\\[sympy]).")
    ] = False,
    symbols: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT", help="inertias: symbols for masses, first moments and inertias.", show_default=False
        ),
    ] = None,
    coordinates: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help='Names of the coordinates: "theta1 theta2". Default: q1 q2 ...', show_default=False
        ),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of jacobian and forward_kinematics. Default: the tool.", show_default=False),
    ] = None,
    names: Annotated[bool, typer.Option(help="Name coefficients that return.")] = True,
    digits: Annotated[int, typer.Option(min=1, max=17, help="Digits of numbers.")] = 5,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="A .tex file, a document that compiles; or .txt, or .py for SymPy."
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Write to a file that exists too.")] = False,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help="A base that moves: free, planar or spherical. Default: fixed.", show_default=False
        ),
    ] = None,
    root: Root = None,
) -> None:
    """Print the equations of motion of a robot, or other equations of it, for people to read."""
    from chasles.equations import equations as of
    from chasles.equations.document import document, module
    from chasles.web_page import target, written

    place = None if output is None else target(output, "-o", overwrite, "--overwrite", tuple(ENDINGS))
    form = _form({"text": text, "latex": latex, "sympy": sympy}, None if place is None else place.suffix.lower())
    made = on_base(load(robot, root), base)
    words = None if coordinates is None else coordinates.replace(",", " ").split()
    eq = of(made, symbols=symbols, coordinates=words, frame=frame, names=names)
    statements = [x for name in members for x in _member(eq, name)] if members else [eq.overview]
    if form == "sympy":
        if members and RECURSION in members:
            raise ModelError("a recursion is for reading, as text or LaTeX: SymPy has no twists and poses")
        found = module({name: eq[name] for name in members or eq.main})
    elif form == "latex" and place:
        found = document(eq.title, statements, digits)
    elif form == "latex":
        heads = [f"% {printable(x.title)}\n" if len(statements) > 1 else "" for x in statements]
        found = "\n\n".join(head + x.latex(digits=digits) for head, x in zip(heads, statements, strict=True))
    else:
        found = "\n\n".join(_text(x, digits, eq.title) for x in statements)
    if place is None:
        typer.echo(found)
        return
    written(found + "\n", place, "-o", overwrite)
    typer.echo(printable(str(place)))


def _member(eq: "Equations", name: str) -> "tuple[Statement, ...]":
    """A member's statement, or those of the recursion."""
    return eq.recursion() if name == RECURSION else (eq[name],)


def _text(statement: "Statement", digits: int, title: str) -> str:
    head = "" if statement.title == title else f"{statement.title}\n"
    return head + statement.text(digits=digits)


def _form(asked: dict[str, bool], ending: str | None) -> str:
    """Of --text, --latex and --sympy, the one that was given, or that of the file."""
    given = [form for form, wanted in asked.items() if wanted]
    if len(given) > 1:
        raise ModelError(f"one form at a time: --{' or --'.join(given)}")
    if ending is not None:
        form = ENDINGS[ending]
        if given and given[0] != form:
            raise ModelError(f"-o: a {ending} file holds {form}, not {given[0]}")
        return form
    return given[0] if given else "text"
