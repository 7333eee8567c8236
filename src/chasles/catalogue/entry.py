"""What a catalogue is made of: functions with the names and shapes of their inputs and results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from chasles.errors import ModelError
from chasles.model.task import TOOL, Task

INPUTS: dict[str, tuple[int | str, ...]] = {
    "q": ("nq",),
    "q0": ("nq",),
    "q1": ("nq",),
    "u": ("n",),
    "v": ("n",),
    "qd": ("n",),
    "qdd": ("n",),
    "tau": ("n",),
    "dq": ("n",),
    "dqd": ("n",),
    "dqdd": ("n",),
    "tool_wrench": (6,),
    "link_wrenches": ("links", 6),
    "base_velocity": (6,),
    "base_acceleration": (6,),
}

Shape = tuple[int | str, ...]


@dataclass(frozen=True)
class Options:
    """What is fixed when a kernel is made: the frame, how it is expressed, and the rows of frames that are a task."""

    frame: str | None = None
    expressed: str = "body"
    task: Task = TOOL


@dataclass(frozen=True)
class Entry:
    """A function of a robot: its inputs, those it may also have, its results' names and shapes, and how it is computed.

    A function of several results gives them as a tuple.
    """

    compute: Callable[..., Any]
    inputs: tuple[str, ...]
    optional: tuple[str, ...]
    outputs: Mapping[str, Shape]


CATALOGUE: dict[str, Entry] = {}  # of the subjects that have been imported
SUBJECTS = ("kinematics", "dynamics", "coordinates", "derivatives", "geometry", "parameters", "task")


def find(name: str) -> Entry:
    """The function of that name; its subject is imported when it is first asked for."""
    for subject in SUBJECTS:
        if name in CATALOGUE:
            break
        import_module(f"chasles.catalogue.{subject}")
    if name not in CATALOGUE:
        raise ModelError(f"no function {name!r} to compile; there are {', '.join(sorted(CATALOGUE))}")
    return CATALOGUE[name]


def catalogue() -> dict[str, Entry]:
    """All of it."""
    for subject in SUBJECTS:
        import_module(f"chasles.catalogue.{subject}")
    return CATALOGUE


def entry(inputs: str, outputs: Shape | Mapping[str, Shape], optional: str = "") -> Callable[..., Any]:
    """Put a function into the catalogue; `outputs` is the shape of its result, or a shape for the name of each."""

    def keep(compute: Callable[..., Any]) -> Callable[..., Any]:
        name = compute.__name__
        shapes = {name: outputs} if isinstance(outputs, tuple) else outputs
        CATALOGUE[name] = Entry(compute, tuple(inputs.split()), tuple(optional.split()), shapes)
        return compute

    return keep
