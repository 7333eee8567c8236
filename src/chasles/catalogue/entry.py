"""What a catalogue is made of: functions with the names and shapes of their inputs and results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

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
    "parameters": ("k", 10),
}

Shape = tuple[int | str, ...]


@dataclass(frozen=True)
class Options:
    """What is fixed when a kernel is made: the frame and how it is expressed."""

    frame: str | None = None
    expressed: str = "body"


@dataclass(frozen=True)
class Entry:
    """A function of a robot: its inputs, those it may also have, its results' names and shapes, and how it is computed.

    A function of several results gives them as a tuple.
    """

    compute: Callable[..., Any]
    inputs: tuple[str, ...]
    optional: tuple[str, ...]
    outputs: Mapping[str, Shape]


CATALOGUE: dict[str, Entry] = {}


def entry(inputs: str, outputs: Shape | Mapping[str, Shape], optional: str = "") -> Callable[..., Any]:
    """Put a function into the catalogue; `outputs` is the shape of its result, or a shape for the name of each."""

    def keep(compute: Callable[..., Any]) -> Callable[..., Any]:
        name = compute.__name__
        shapes = {name: outputs} if isinstance(outputs, tuple) else outputs
        CATALOGUE[name] = Entry(compute, tuple(inputs.split()), tuple(optional.split()), shapes)
        return compute

    return keep
