"""The exceptions of chasles: each names the culprit and says what to do."""

import sys
from typing import Any


class ChaslesError(Exception):
    """Base of every error raised on purpose by chasles."""


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


class ProgramError(ChaslesError, ValueError):
    """A program, or the text of one, that breaks a rule: the node, operand or version is named."""


class CompileError(ChaslesError, RuntimeError):
    """The back end could not make machine code of a graph."""


class SimulationError(ChaslesError, ArithmeticError):
    """A motion that could not go on: the time, the state and the likely cause are named.

    trajectory: what was computed until then, a `chasles.results.Simulation`; of a batch, with nan in the rows that
    ended, from there on.
    """

    def __init__(self, message: str, trajectory: Any = None) -> None:
        super().__init__(message)
        self.trajectory = trajectory


class ModelWarning(UserWarning):
    """A robot description that loads, but that a person should look at."""


class MassMatrixWarning(ModelWarning, RuntimeWarning):
    """Rows without an answer, as the mass matrix is singular or not positive definite there: the culprit is named."""


def caller() -> int:
    """How far up the stack the first line outside of chasles is: where a warning belongs."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "chasles":
        level, frame = level + 1, frame.f_back
    return level
