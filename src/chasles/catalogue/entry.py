"""Declarations of functions, each with every fact about it: what a catalogue is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, NamedTuple, get_args

from chasles.arguments import one_of
from chasles.errors import ModelError
from chasles.hints import ATTRIBUTES, did_you_mean
from chasles.literals import Expressed
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
    "momenta": ("n",),
}

Shape = tuple[int | str, ...]
Need = Literal["inverse", "mass", "metric", "plane"]
Use = Literal["frame", "expressed", "task"]


@dataclass(frozen=True)
class Options:
    """What is fixed when a kernel is made: the frame, how it is expressed, and the rows of frames that are a task."""

    frame: str | None = None
    expressed: Expressed = "body"
    task: Task = TOOL

    def __post_init__(self) -> None:
        one_of(self.expressed, "expressed", Expressed)


class Entry(NamedTuple):
    """A function of a robot and all that is to be known of it.

    compute: from leaves; several results are a tuple. inputs, and those that it may also have; outputs: the names and
    shapes of its results.

    needs: "inverse", a mass matrix that is regular somewhere; "mass", something that moves and has a mass; "metric", no
    rotors on joints of several degrees of freedom, where they are no part of M; "plane", two degrees of freedom.
    uses: the options that it reads.

    large: "module:function", which computes it of a robot with more than TENSOR_LIMIT degrees of freedom: called with
    the robot, the inputs, and by name those optional inputs that are given.

    parts, together: of a function of the task's inertia Lam, what it is put together from beside Lam, and how, on
    arrays, where Lam is truncated or damped (task/truncation.py).
    """

    compute: Callable[..., Any]
    inputs: tuple[str, ...]
    outputs: Mapping[str, Shape]
    optional: tuple[str, ...] = ()
    needs: frozenset[Need] = frozenset()
    uses: frozenset[Use] = frozenset()
    large: str | None = None
    parts: tuple[str, ...] = ()
    together: Callable[..., Any] | None = None

    @property
    def task(self) -> bool:
        """Whether it is a function of rows of frames."""
        return "task" in self.uses


CATALOGUE: dict[str, Entry] = {}  # of the subjects that have been imported
SUBJECTS = ("dynamics", "kinematics", "coordinates", "derivatives", "geometry", "parameters", "task", "discrete")


def find(name: str) -> Entry:
    """The function of that name; its subject is imported when it is first asked for."""
    for subject in SUBJECTS:
        if name in CATALOGUE:
            break
        import_module(f"chasles.catalogue.{subject}")
    if name not in CATALOGUE:
        hint = did_you_mean(name, CATALOGUE, ATTRIBUTES) or ";"
        raise ModelError(f"no function {name!r} to compile{hint} there are {', '.join(sorted(CATALOGUE))}")
    return CATALOGUE[name]


def catalogue() -> dict[str, Entry]:
    """All of it."""
    for subject in SUBJECTS:
        import_module(f"chasles.catalogue.{subject}")
    return CATALOGUE


def declare(
    inputs: str,
    outputs: Shape | Mapping[str, Shape],
    optional: str = "",
    *,
    needs: str = "",
    uses: str = "",
    task: bool = False,
    large: str | None = None,
    parts: str = "",
    together: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Put a function into the catalogue, with the facts of `Entry`; names are separated by blanks.

    outputs: the shape of its result, or a shape for the name of each. task: it uses "task" and "expressed".
    """
    needed: frozenset[Any] = _names(needs, Need)
    used: frozenset[Any] = _names(uses, Use) | (_names("task expressed", Use) if task else frozenset())

    def keep(compute: Callable[..., Any]) -> Callable[..., Any]:
        name = compute.__name__
        shapes = {name: outputs} if isinstance(outputs, tuple) else outputs
        facts = tuple(optional.split()), needed, used, large, tuple(parts.split()), together
        CATALOGUE[name] = Entry(compute, tuple(inputs.split()), shapes, *facts)
        return compute

    return keep


def _names(text: str, known: Any) -> frozenset[str]:
    return frozenset(one_of(name, "a fact", get_args(known)) for name in text.split())
