"""The screen that commands print to, how they fail, and how numbers look."""

import functools
import io
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from chasles.errors import ChaslesError, ModelWarning, printable

if TYPE_CHECKING:
    from chasles.robot import Robot

BASES = ("free", "planar", "spherical")
F = TypeVar("F", bound=Callable[..., Any])
Root = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FOLDER",
        help="A folder besides the file's own that an MJCF file may take files from; again for more.",
        show_default=False,
    ),
]


class Screen(Console):
    """A console that cuts and folds no word, names above all: where it is too narrow, lines are longer than it."""

    def print(self, *objects: Any, **options: Any) -> None:
        before = self.width
        self.width = max(before, *map(self._least_width, objects), 1)
        try:
            super().print(*objects, **options)
        finally:
            self.width = before

    def _least_width(self, x: Any) -> int:
        """The width at which no word is cut, nor anything of a table's columns that are not wrapped."""
        wide = self.options.update(width=10_000)
        if not isinstance(x, Table):
            return Measurement.get(self, wide, Text(x) if isinstance(x, str) else x).minimum
        total = 2 * max(0, len(x.columns) - 1)  # the gaps of a table without frame
        for column in x.columns:
            cells = [Measurement.get(self, wide, cell) for cell in (column.header, *column.cells)]
            total += max(cell.maximum if column.no_wrap else cell.minimum for cell in cells)
        return total


def console(piped_width: int = 120) -> Screen:
    """Standard output: colours and the terminal's width there, plain and that wide when piped.

    COLUMNS, where it is more than 0, is the width. Text is printed as it is: names may have brackets, and letters that
    the output's encoding has not, which become "?".
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    screen = Screen(highlight=False, markup=False, emoji=False)
    asked = os.environ.get("COLUMNS", "")
    screen.width = piped_width
    if screen.is_terminal or asked.isdecimal():
        screen.width = get_terminal_size((piped_width, 24)).columns
    return screen


def reported(command: F) -> F:
    """A command whose mistakes (ours by name, the system's about files) end as one red line and exit code 1."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except BrokenPipeError:  # whoever read the output has enough of it
            raise
        except OSError as error:
            reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        except ChaslesError as error:
            reason = str(error)
        line = Text("error: " + printable(" ".join(reason.split())), style="red")
        Console(stderr=True, highlight=False).print(line, soft_wrap=True)
        raise typer.Exit(1)

    return run  # type: ignore[return-value]


def load(source: str, roots: Sequence[str] | None = None) -> "Robot":
    """The robot of that name or file, its doubts kept in it and not shown as warnings too. roots: as for `load`."""
    from chasles.loading import load

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return load(source, roots=roots or ())


def on_base(robot: "Robot", kind: str | None) -> "Robot":
    """The robot on a base of that kind, None for the one it has; doubts are not shown as warnings."""
    if kind is None:
        return robot
    from chasles.arguments import one_of

    one_of(kind, "--base", BASES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return robot.with_base(kind)  # type: ignore[arg-type]


def number(x: float | None, digits: int = 4) -> str:
    """A number as people write it, `-` where there is none."""
    return "-" if x is None or not math.isfinite(x) else f"{x + 0.0:.{digits}g}"


def numbers(values: Iterable[float], digits: int = 4, dust: float = 1e-12) -> str:
    """Several numbers with spaces between; rounding dust is zero."""
    return " ".join(number(0.0 if abs(x) < dust else x, digits) for x in values)


def kinds_of(joints: Iterable[str]) -> str:
    """The kinds of a robot's joints in a row: RRP, or with spaces where one is not a letter."""
    kinds = list(joints)
    return ("" if all(len(kind) == 1 for kind in kinds) else " ").join(kinds)


def duration(seconds: float) -> str:
    """A time with a unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
