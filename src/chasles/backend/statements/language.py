"""A language as programs and loops need it: how its statements are spelled.

A subclass has a template for every operation of the table (scalar/operations.py) and a method for each kind of
statement; `backend/javascript` is one. Blocks, of functions, loops and conditions, nest: `end` ends the latest.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from chasles.errors import CompileError
from chasles.graph.operand import Operand
from chasles.graph.program import Loop

Kind = Literal["number", "condition", "variable", "index"]


class Parameter(NamedTuple):
    """An array that a function takes, or fills."""

    name: str
    size: int


class Language(ABC):
    """Statements as text: each method appends its own to `lines`, or gives a part of one.

    Values are names or numbers; conditions may be expressions, and so may indices, from zero on: 3, `k`, `k * 7`.
    """

    title: ClassVar[str]
    operations: ClassVar[dict[str, str]]  # templates of values, by the name of the operation
    indent: ClassVar[str] = "  "
    condition: ClassVar[str] = "{} ({})"  # the head of a loop or a choice: `while (k < 3)`
    opening: ClassVar[str] = " {"  # behind the head of a block
    longest: ClassVar[int | None] = None  # operations of a function; a program of more becomes several

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0
        self.words: dict[str, str] = {}
        self.loops: dict[Loop, str] = {}  # those that are written, and their functions

    @abstractmethod
    def number(self, x: float) -> str:
        """A constant, exact; infinities, nan and -0.0 too."""

    @abstractmethod
    def at(self, array: str, index: int | str) -> str:
        """The element of an array."""

    @abstractmethod
    def let(self, name: str, value: str, kind: Kind) -> None:
        """A value that has a name from here on: a number or a condition that stays, a (number) variable or an index
        that may be set again.
        """

    @abstractmethod
    def set(self, place: str, value: str) -> None:
        """Another value for a variable, an index or an element."""

    @abstractmethod
    def array(self, name: str, size: int) -> None:
        """An array of the function begun last; what it holds is no matter."""

    @abstractmethod
    def copy(self, to: str, first: int | str, source: str, source_first: int | str, size: int) -> None:
        """`size` elements of an array into another, from indices on."""

    @abstractmethod
    def fill(self, to: str, size: int) -> None:
        """Zeros, from the first element on."""

    @abstractmethod
    def begin_function(self, name: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> None:
        """What is written until its end is in it."""

    @abstractmethod
    def end(self) -> None:
        """The end of what was begun last."""

    @abstractmethod
    def call(self, function: str, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        """A function on arrays."""

    # the same for all, or for most

    def begin_while(self, condition: str) -> None:
        """What follows is repeated while the condition holds."""
        self.begin(self.condition.format("while", condition))

    def begin_if(self, condition: str) -> None:
        """What follows is done if the condition holds."""
        self.begin(self.condition.format("if", condition))

    def begin(self, head: str) -> None:
        """A block of that head."""
        self.line(f"{head}{self.opening}")
        self.depth += 1

    def line(self, text: str) -> None:
        self.lines.append(self.indent * self.depth + text)

    def word(self, name: str) -> str:
        """A name in ASCII letters, digits and _, another for every other name."""
        if name not in self.words:
            word = plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
            taken, k = set(self.words.values()), 2
            while word in taken:
                word, k = f"{plain}_{k}", k + 1
            self.words[name] = word
        return self.words[name]

    def name(self, kind: str, operand: Operand | str) -> str:
        """The name of an array or a function: no word alone, as it may be one of the language."""
        return f"{kind}_{self.word(operand if isinstance(operand, str) else operand.name)}"

    def parameters(self, kind: str, operands: Sequence[Operand]) -> list[Parameter]:
        return [Parameter(self.name(kind, o), o.size) for o in operands]

    def apply(self, operation: str, *values: str) -> str:
        """An operation of the table."""
        if operation not in self.operations:
            raise CompileError(f"{operation}: {self.title} has no text for this operation")
        return self.operations[operation].format(*values)

    def both(self, x: str, y: str) -> str:
        return self.apply("and", f"({x})", f"({y})")

    def either(self, x: str, y: str) -> str:
        return self.apply("or", f"({x})", f"({y})")

    def is_number(self, x: str, value: float) -> str:
        """The condition that x is exactly that."""
        constant = self.number(value)
        return self.both(self.apply("less_equal", x, constant), self.apply("less_equal", constant, x))
