"""Parts of programs and loops: named arrays, references to earlier nodes, the ends of a search; and what both offer.

Whatever reads a program or a loop without making one (its checks, its text, the interpreter) takes a `ProgramLike` or a
`LoopLike`: the classes themselves (graph/program.py) have methods that forward to them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal, NamedTuple, Protocol

from chasles.reprs import record
from chasles.scalar.leaf import Leaf

Node = tuple[str, tuple[Any, ...]]  # an operation and its arguments
Rule = Literal["steps", "fixed_point"]  # how a loop is differentiated


class Operand(NamedTuple):
    """A named array of a program: its name and shape."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(math.prod(self.shape))


@dataclass(frozen=True)
class Ref:
    """An argument that is the result of node `index` of the same program."""

    index: int


class Status(IntEnum):
    """What a step says of its attempt."""

    CONTINUE = 0
    FOUND = 1
    ENDED = 2  # this attempt is over
    REFUSED = 3  # no attempt can help


class Restart(NamedTuple):
    """A search by several attempts: the step's input that holds their number, and its output to be least."""

    attempt: str
    score: str


@record()
class Equation(NamedTuple):
    """What a loop's result x solves, F(x, g) = 0, with F_x symmetric: programs with the operands of the step, carry and
    given in, carry out. residual: F; inverse: F_x^-1 r, where r stands in the place of x.
    """

    residual: "ProgramLike"
    inverse: "ProgramLike"


class ProgramLike(Protocol):
    """The fields of a `Program`."""

    @property
    def inputs(self) -> tuple[Operand, ...]: ...
    @property
    def outputs(self) -> tuple[Operand, ...]: ...
    @property
    def nodes(self) -> tuple[Node, ...]: ...
    @property
    def results(self) -> tuple[tuple[Ref | float, ...], ...]: ...
    @property
    def loops(self) -> tuple["LoopLike", ...]: ...
    def check(self) -> None: ...
    def to_dict(self) -> dict[str, Any]: ...


class LoopLike(Protocol):
    """The fields of a `Loop`, and the operands it has as a function."""

    @property
    def step(self) -> ProgramLike: ...
    @property
    def carry(self) -> tuple[str, ...]: ...
    @property
    def count(self) -> int | None: ...
    @property
    def given(self) -> tuple[str, ...]: ...
    @property
    def each(self) -> tuple[str, ...]: ...
    @property
    def record(self) -> tuple[str, ...]: ...
    @property
    def until(self) -> str | None: ...
    @property
    def rule(self) -> Rule: ...
    @property
    def restart(self) -> Restart | None: ...
    @property
    def equation(self) -> Equation | None: ...
    @property
    def inputs(self) -> tuple[Operand, ...]: ...
    @property
    def outputs(self) -> tuple[Operand, ...]: ...
    def run(self, leaves: list[Leaf]) -> list[Leaf]: ...
    def to_dict(self) -> dict[str, Any]: ...


def signature(inputs: Sequence[Operand], outputs: Sequence[Operand]) -> str:
    """NumPy's signature of a function of these operands, such as (6),(6)->(6,6)."""

    def core(operands: Sequence[Operand]) -> str:
        return ",".join("(" + ",".join(map(str, o.shape)) + ")" for o in operands)

    return f"{core(inputs)}->{core(outputs)}"
