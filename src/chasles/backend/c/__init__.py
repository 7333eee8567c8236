"""Programs and loops as C99: `kernel.to("c")`.

One file without dependencies but math.h, without a heap and without state: all functions are static but the one of the
kernel's name, which takes for each input, and then for each output, an array of its elements in C order; an input of no
axes is a number. Arrays inside are on the stack; their sizes are in the text. Numbers are `double`, or `float` in a
kernel of float32.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from chasles.backend.c.names import ARRAYS, exported_name
from chasles.backend.c.prelude import NAMES, called_by, needed_by
from chasles.backend.statements import Kind, Language, Parameter, write
from chasles.backend.statements.numbers import shortest
from chasles.backend.statements.templates import DRAWN, SIGNS
from chasles.backend.statements.words import Words, word
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program
from chasles.scalar.operations import OPERATIONS

TYPES = {"float64": ("double", ""), "float32": ("float", "f")}  # the type, and the suffix of numbers and functions


class C(Language):
    """Statements of C99."""

    title = "C"
    indent = "    "
    operations = SIGNS | DRAWN | {"where": "{} ? {} : {}"}  # and functions of math.h
    by_value: ClassVar[bool] = True  # inputs that are numbers, of the function that is asked for
    longest = 4000  # compilers take 10 s for a function of 11,000, and 4 s in parts

    def __init__(self, dtype: str, body: Program | Loop, name: str) -> None:
        super().__init__()
        self.type, self.suffix = TYPES[dtype]
        self.public = self.words[f"f {name}"] = exported_name(name)
        self.words |= {f"{x} of {name}": f"{self.public}_{x}" for x in sorted(NAMES)}
        self.function = ""  # the one begun last
        self.arrays: dict[str, int] = {}  # numbers in arrays of each function
        self.calls: dict[str, set[str]] = {}
        self.numbers = [o for o in body.inputs if not o.shape and self.by_value]
        self.ambiguous: set[str] = set()  # names of outputs that are those of inputs too, here or in what is inside
        for part in _functions(body):
            self.ambiguous |= {o.name for o in part.inputs} & {o.name for o in part.outputs}
        self.outermost = name, {name} | ({o.name for o in body.inputs} & {o.name for o in body.outputs})

    def word(self, name: str) -> str:
        return self._word(name, name)

    def name(self, kind: str, operand: Operand | str) -> str:
        """Inputs and outputs have their own names; an output that is called as an input is has _out behind it."""
        name = operand if isinstance(operand, str) else operand.name
        if kind == "f" and name == self.outermost[0]:  # which is written last
            self.ambiguous = self.outermost[1]
        if kind == "f" or (kind == "y" and name in self.ambiguous):
            return self._word(f"{kind} {name}", name if kind == "f" else f"{name}_out")
        return self.word(name) if kind in ("x", "y") else super().name(kind, name)

    def _word(self, key: str, name: str) -> str:
        """The word of a key, the same each time: the name, or one like it that nothing else has."""
        if key not in self.words:
            found = plain = word(name, ARRAYS)
            used, k = set(self.words.values()), 2
            while found in used:
                found, k = f"{plain}_{k}", k + 1
            self.words[key] = found
        return self.words[key]

    def number(self, x: float) -> str:
        if self.suffix:
            with np.errstate(over="ignore"):
                x = float(np.float32(x))
        if math.isnan(x):
            return "NAN" if self.suffix else "(double)NAN"
        if math.isinf(x):
            text = "INFINITY" if self.suffix else "(double)INFINITY"
            return f"(-{text})" if x < 0.0 else text
        text = shortest(abs(x), "float32" if self.suffix else "float64")
        return f"(-{text}{self.suffix})" if math.copysign(1.0, x) < 0.0 else f"{text}{self.suffix}"

    def apply(self, operation: str, *values: str) -> str:
        function = OPERATIONS[operation].libm
        return f"{function}{self.suffix}({', '.join(values)})" if function else super().apply(operation, *values)

    def at(self, array: str, index: int | str) -> str:
        return array if array in self.given_by_value(self.function) else f"{array}[{index}]"

    def given_by_value(self, function: str) -> set[str]:
        """The names of inputs of a function that are numbers and no arrays."""
        return {self.word(o.name) for o in self.numbers} if function == self.public else set()

    def let(self, name: str, value: str, kind: Kind) -> None:
        kinds = {"number": f"const {self.type}", "condition": "const int", "variable": self.type, "index": "int"}
        self.line(f"{kinds[kind]} {name} = {value};")

    def set(self, place: str, value: str) -> None:
        self.line(f"{place} = {value};")

    def array(self, name: str, size: int) -> None:
        self.line(f"{self.type} {name}[{max(1, size)}];")
        self.arrays[self.function] += max(1, size)

    def copy(self, to: str, first: int | str, source: str, source_first: int | str, size: int) -> None:
        if size == 1:
            self.set(self.at(to, first), self.at(source, source_first))
        elif size:
            target, value = (
                self.at(x, "i" if at == 0 else f"{at} + i") for x, at in ((to, first), (source, source_first))
            )
            self.line(f"for (int i = 0; i < {size}; i++) {target} = {value};")

    def fill(self, to: str, size: int) -> None:
        self.line(f"for (int i = 0; i < {size}; i++) {to}[i] = {self.number(0.0)};")

    def begin_function(self, name: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> None:
        self.taken, self.body = [x.name for x in (*inputs, *outputs)], len(self.lines) + 1
        self.function, self.arrays[name], self.calls[name] = name, 0, set()
        self.begin(self.head(name, inputs, outputs))

    def head(self, function: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> str:
        """The first line of a function, without its bracket: all are static but the one that is asked for."""
        numbers = self.given_by_value(function)
        taken = [f"{self.type} {x}" if x in numbers else f"const {self.type} {x}[{max(1, n)}]" for x, n in inputs]
        taken += [f"{self.type} {y}[{max(1, n)}]" for y, n in outputs]
        return f"{'' if function == self.public else 'static '}void {function}({', '.join(taken) or 'void'})"

    def end(self) -> None:
        self.depth -= 1
        if not self.depth:
            body = "\n".join(self.lines[self.body :])
            unused = [x for x in self.taken if not re.search(rf"\b{x}\b", body)]
            self.lines[self.body : self.body] = [f"{self.indent}(void){x};" for x in unused]
        self.line("}" if self.depth else "}\n")

    def call(self, function: str, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        numbers = self.given_by_value(self.function)
        self.line(f"{function}({', '.join((*(f'&{x}' if x in numbers else x for x in inputs), *outputs))});")
        self.calls[self.function].add(function)

    def stacked(self, function: str) -> int:
        """Numbers in arrays of a function and of those that it calls, at most at a time."""
        return self.arrays[function] + max((self.stacked(inner) for inner in self.calls[function]), default=0)


class Written(NamedTuple):
    """A file, and of the function that it defines the names, the arrays it takes, those of them that are numbers,
    bytes in arrays inside, and whether outputs may be the arrays of inputs: all are read before the first is written.
    """

    text: str
    head: str
    words: Words
    parameters: tuple[Parameter, ...]
    numbers: frozenset[str]
    stack: int
    in_place: bool


def render(body: Program | Loop, name: str, dtype: str) -> str:
    """A file that defines the function `exported_name(name)`."""
    return written(body, name, dtype).text


def written(body: Program | Loop, name: str, dtype: str, header: str | None = None) -> Written:
    """The same, with what others need to call it. header: the file that declares the function; None: there is none."""
    language = C(dtype, body, name)
    function = write(language, body, name)
    text = "\n".join(language.lines).rstrip()
    inputs, outputs = language.parameters("x", body.inputs), language.parameters("y", body.outputs)
    head = language.head(function, inputs, outputs)
    about = zip((*inputs, *outputs), (*body.inputs, *body.outputs), strict=True)
    doc = "".join(f" * {p.name}: {in_comment(o.name)}, shape {list(o.shape)}\n" for p, o in about)
    declared = f'#include "{header}"\n\n' if header else ""
    declared += "#include <math.h>\n" + called_by(function, needed_by(text, dtype))
    declared += "" if header else f"/*\n{doc} */\n{head};\n\n"
    words = Words(function, tuple(x.name for x in inputs), tuple(y.name for y in outputs))
    numbers = frozenset(language.given_by_value(function))
    stack = language.stacked(function) * np.dtype(dtype).itemsize
    arrays = [x for x in words.inputs if x not in numbers]
    in_place = isinstance(body, Program) and _reads_first(language.lines[language.body :], arrays, words.outputs)
    text = f"{declared}{called_by(function, text)}\n"
    return Written(text, head, words, (*inputs, *outputs), numbers, stack, in_place)


def _reads_first(lines: Sequence[str], inputs: Sequence[str], outputs: Sequence[str]) -> bool:
    """Whether the lines of a function that name inputs all come before those that name outputs."""

    def named(names: Sequence[str]) -> list[int]:
        word = re.compile(rf"\b({'|'.join(names)})\b")
        return [k for k, line in enumerate(lines) if names and word.search(line) and "(void)" not in line]

    return max(named(inputs), default=-1) < min(named(outputs), default=len(lines))


def in_comment(text: str) -> str:
    """A line of ASCII in which no comment begins or ends, and no character is written as another."""
    plain = text.encode("ascii", "backslashreplace").decode()
    return re.sub(r"[\x00-\x1f\x7f]", " ", plain).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")


def _functions(body: Program | Loop) -> Iterator[Program | Loop]:
    """A body and all that are in it."""
    yield body
    for inside in body.loops if isinstance(body, Program) else (body.step,):
        yield from _functions(inside)
