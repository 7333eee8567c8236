"""A function that leaves: what its files are made of, whatever the language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chasles.graph.program import Loop, Program


@dataclass(frozen=True)
class Described:
    """What a reader has to know of an operand: in words, and of each element, in C order, its name and unit.

    about: "joint coordinates", "pose of the tool in the space frame, row by row". elements: () where they have none.
    """

    about: str = ""
    elements: tuple[tuple[str, str], ...] = ()  # (name, unit): ("shoulder_pan_joint", "rad")


@dataclass(frozen=True)
class Reference:
    """A call with its results, as the library computes them: flat float64 values of each operand, in order."""

    inputs: tuple[tuple[float, ...], ...]
    outputs: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Exported:
    """A body with its name, the type of its numbers, words about it, and calls to test it by."""

    body: Program | Loop
    name: str
    dtype: str = "float64"
    about: str = ""
    operands: Mapping[str, Described] = field(default_factory=dict)  # by the name of the operand
    references: tuple[Reference, ...] = ()
    tolerance: float = 1e-12  # of results of the self-test
    origin: str = ""  # "inverse_dynamics of ur5", whatever its name

    def allowed(self, reference: Reference) -> tuple[float, ...]:
        """How far the numbers of each output of a call may be off: the tolerance, of the largest of them or of 1."""
        return tuple(self.tolerance * max([1.0, *map(abs, output)]) for output in reference.outputs)
