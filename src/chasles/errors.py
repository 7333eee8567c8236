"""The exceptions of chasles: each names the culprit and says what to do.

What they say may come from a file that nobody has looked at. Characters that a terminal obeys are written out.
"""

import re
import sys
from typing import Any

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal or a log obeys: control characters, ends of lines, turns of the direction of writing; and halves of
surrogate pairs, which it cannot write."""


def printable(text: str) -> str:
    """Text in which all that a terminal would obey is written out, such as \\x1b, but for ends of lines and tabs."""
    return CONTROL.sub(lambda x: x[0] if x[0] in "\n\t" else repr(x[0])[1:-1], text)


class ChaslesError(Exception):
    """Base of every error raised on purpose by chasles."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*(printable(x) if isinstance(x, str) else x for x in arguments))


class ModelError(ChaslesError, ValueError):
    """A robot description that is not a mechanism: a link, joint or number is named."""


class ShapeError(ChaslesError, ValueError):
    """An argument of the wrong shape: the argument, the expected and the given shape are named."""


class FrameError(ChaslesError, LookupError):
    """A frame or link that the robot does not have: what it does have is listed."""


class SingularMassMatrixError(ChaslesError, ValueError):
    """The mass matrix is singular at every configuration: the joint that moves no inertia is named."""


class TraceError(ChaslesError, TypeError):
    """A traced function did something a graph cannot hold, such as branching on a traced value."""


class SymbolError(TraceError):
    """A symbol met a traced value of a function in which it has no value: the expression is named."""


class ProgramError(ChaslesError, ValueError):
    """A program, or the text of one, that breaks a rule: the node, operand or version is named."""


class CompileError(ChaslesError, RuntimeError):
    """The back end could not make machine code of a graph."""


class SimulationError(ChaslesError, ArithmeticError):
    """A motion that could not go on: the time, the state and the likely cause are named.

    trajectory: what was computed until then, a `chasles.Trajectory`; of a batch, with nan in the rows that
    ended, from there on.
    """

    def __init__(self, message: str, trajectory: Any = None) -> None:
        super().__init__(message)
        self.trajectory = trajectory


class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C in a simulation. trajectory: what was computed until then, a `chasles.Trajectory`."""

    def __init__(self, message: str = "", trajectory: Any = None) -> None:
        super().__init__(message)
        self.trajectory = trajectory


class ModelWarning(UserWarning):
    """A robot description that loads, but that a person should look at."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*(printable(x) if isinstance(x, str) else x for x in arguments))


class MassMatrixWarning(ModelWarning, RuntimeWarning):
    """Rows without an answer, as the mass matrix is singular or not positive definite there: the culprit is named."""


def caller() -> int:
    """How far up the stack the first line outside of chasles is: where a warning belongs."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "chasles":
        level, frame = level + 1, frame.f_back
    return level
