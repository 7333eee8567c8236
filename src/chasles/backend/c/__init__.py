"""Programs and loops as C99: `kernel.to("c")`.

One file without dependencies but math.h, without a heap and without state: all functions are static but the one of the
kernel's name, which takes for each input, and then for each output, an array of its elements in C order. Arrays inside
are on the stack; their sizes are in the text. Numbers are `double`, or `float` in a kernel of float32.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from chasles.backend.c.prelude import needed_by
from chasles.backend.statements import Kind, Language, Parameter, write
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program
from chasles.scalar.operations import OPERATIONS

TYPES = {"float64": ("double", ""), "float32": ("float", "f")}  # the type, and the suffix of numbers and functions
WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
        alignas alignof bool constexpr false nullptr static_assert thread_local true typeof main
        asm catch class delete explicit export friend mutable namespace new operator private protected public template
        this throw try using virtual""",  # C, what C23 and C++ add
    )
)


class C(Language):
    """Statements of C99."""

    title = "C"
    indent = "    "

    def __init__(self, dtype: str = "float64") -> None:
        super().__init__()
        self.type, self.suffix = TYPES[dtype]
        self.operations = {
            name: f"{row.libm}{self.suffix}({', '.join(['{}'] * row.arity)})"
            for name, row in OPERATIONS.items()
            if row.libm
        } | {
            "add": "{} + {}",
            "sub": "{} - {}",
            "mul": "{} * {}",
            "div": "{} / {}",
            "neg": "-{}",
            "random": "random_number({}, {})",
            "normal": "normal_number({}, {})",
            "less": "{} < {}",
            "less_equal": "{} <= {}",
            "and": "{} && {}",
            "or": "{} || {}",
            "not": "!{}",
            "where": "{} ? {} : {}",
        }

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "NAN" if self.suffix else "(double)NAN"
        if math.isinf(x):
            text = "INFINITY" if self.suffix else "(double)INFINITY"
            return f"(-{text})" if x < 0.0 else text
        text = repr(abs(float(x))) if not self.suffix else np.format_float_positional(abs(np.float32(x)), trim="0")
        if self.suffix and len(text) > 20:
            text = np.format_float_scientific(abs(np.float32(x)), trim="0")
        if "." not in text and "e" not in text:
            text += ".0"
        return f"(-{text}{self.suffix})" if math.copysign(1.0, x) < 0.0 else f"{text}{self.suffix}"

    def at(self, array: str, index: int | str) -> str:
        return f"{array}[{index}]"

    def let(self, name: str, value: str, kind: Kind) -> None:
        kinds = {"number": f"const {self.type}", "condition": "const int", "variable": self.type, "index": "int"}
        self.line(f"{kinds[kind]} {name} = {value};")

    def set(self, place: str, value: str) -> None:
        self.line(f"{place} = {value};")

    def array(self, name: str, size: int) -> None:
        self.line(f"{self.type} {name}[{max(1, size)}];")

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
        self._begin(f"static void {name}({self.declared(inputs, outputs)})")

    def declared(self, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> str:
        """The parameters of a function, with their sizes."""
        arrays = [f"const {self.type} {x}[{max(1, size)}]" for x, size in inputs]
        return ", ".join([*arrays, *(f"{self.type} {y}[{max(1, size)}]" for y, size in outputs)]) or "void"

    def begin_while(self, condition: str) -> None:
        self._begin(f"while ({condition})")

    def begin_if(self, condition: str) -> None:
        self._begin(f"if ({condition})")

    def end(self) -> None:
        self.depth -= 1
        if not self.depth:
            body = "\n".join(self.lines[self.body :])
            unused = [x for x in self.taken if not re.search(rf"\b{x}\b", body)]
            self.lines[self.body : self.body] = [f"{self.indent}(void){x};" for x in unused]
        self.line("}")

    def call(self, function: str, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self.line(f"{function}({', '.join((*inputs, *outputs))});")

    def _begin(self, head: str) -> None:
        self.line(f"{head} {{")
        self.depth += 1


def render(body: Program | Loop, name: str, dtype: str) -> str:
    """A file that defines the function `name`."""
    language = C(dtype)
    function = write(language, body, name)
    text = "\n".join(language.lines)
    inputs, outputs = language.parameters("x", body.inputs), language.parameters("y", body.outputs)
    arguments = ", ".join(x.name for x in (*inputs, *outputs))
    head = f"void {exported_name(name)}({language.declared(inputs, outputs)})"
    doc = "\n".join(_described(p, o) for p, o in zip((*inputs, *outputs), (*body.inputs, *body.outputs), strict=True))
    public = f"/*\n{doc}\n */\n{head};\n{head} {{\n{language.indent}{function}({arguments});\n}}\n"
    return f"#include <math.h>\n\n{needed_by(text, dtype)}{text}\n\n{public}"


def exported_name(name: str) -> str:
    """The name of the function that the file of a kernel defines."""
    word = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"f_{word}" if not word or word[0].isdigit() or word[0] == "_" else f"{word}_" if word in WORDS else word


def _described(parameter: Parameter, operand: Operand) -> str:
    name = operand.name.encode("ascii", "backslashreplace").decode().replace("*/", "* /")
    return f" * {parameter.name}: {name}, shape {list(operand.shape)}"
