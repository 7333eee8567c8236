"""Programs and loops as JavaScript: `kernel.to("js")`.

A module without dependencies, in float64 (float32 is rounded nowhere: a page has no use for it). The function exported
takes an array for each input, of its elements in C order, and gives a Float64Array, or an object of them by the names
of several outputs; arrays to write to may follow the inputs. Functions that call it often give these: nothing is then
allocated. Inside, arrays are made once, when the module is loaded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from chasles.backend.statements import Language, write
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program
from chasles.scalar.operations import OPERATIONS

PRELUDE = """function power(x, y) {
  return x === 1 || (x === -1 && (y === Infinity || y === -Infinity)) ? 1 : Math.pow(x, y);
}
"""


class JavaScript(Language):
    """Statements of JavaScript."""

    longest = 1000  # engines do not optimise functions beyond some tens of kilobytes of their own code

    operations = {name: f"Math.{row.libm}({', '.join(['{}'] * row.arity)})" for name, row in OPERATIONS.items()} | {
        "add": "{} + {}",
        "sub": "{} - {}",
        "mul": "{} * {}",
        "div": "{} / {}",
        "neg": "-{}",
        "pow": "power({}, {})",
        "less": "{} < {}",
        "less_equal": "{} <= {}",
        "and": "{} && {}",
        "or": "{} || {}",
        "not": "!{}",
        "where": "{} ? {} : {}",
    }

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "NaN"
        text = "Infinity" if math.isinf(x) else repr(abs(float(x))).removesuffix(".0")
        return f"(-{text})" if math.copysign(1.0, x) < 0.0 else text

    def at(self, array: str, index: str) -> str:
        return f"{array}[{index}]"

    def let(self, name: str, value: str, kind: str) -> None:
        self.write(f"{'let' if kind in ('variable', 'index') else 'const'} {name} = {value};")

    def set(self, place: str, value: str) -> None:
        self.write(f"{place} = {value};")

    def array(self, name: str, size: int) -> None:
        self.write(f"const {name} = {self.owner}.{name} ??= new Float64Array({size});")

    def copy(self, to: str, first: str, source: str, source_first: str, size: int) -> None:
        self.write(f"for (let i = 0; i < {size}; i++) {to}[{first} + i] = {source}[{source_first} + i];")

    def fill(self, to: str, size: int) -> None:
        self.write(f"for (let i = 0; i < {size}; i++) {to}[i] = 0;")

    def begin_function(self, name: str, inputs: Sequence[Operand], outputs: Sequence[Operand]) -> None:
        arrays = [*(self.name("x", o) for o in inputs), *(self.name("y", o) for o in outputs)]
        self.owner = name
        self.write(f"function {name}({', '.join(arrays)}) {{")
        self.depth += 1

    def begin_while(self, condition: str) -> None:
        self.write(f"while ({condition}) {{")
        self.depth += 1

    def begin_if(self, condition: str) -> None:
        self.write(f"if ({condition}) {{")
        self.depth += 1

    def end(self) -> None:
        self.depth -= 1
        self.write("}")

    def call(self, function: str, arrays: Sequence[str]) -> None:
        self.write(f"{function}({', '.join(arrays)});")


def render(body: Program | Loop, name: str, dtype: str) -> str:
    """A module that exports the function `name`."""
    language, word = JavaScript(), re.sub(r"\W", "_", name)
    write(language, body, f"{word}_of")
    text = "\n".join(language.lines)
    return f"{PRELUDE if 'power(' in text else ''}{text}\n{_exported(body, word)}"


def _exported(body: Program | Loop, word: str) -> str:
    """The function people call: arrays of results are made where none are given."""
    inputs = [f"x_{o.name}" for o in body.inputs]
    outputs = [f"y_{o.name}" for o in body.outputs]
    made = [f"{y} = new Float64Array({o.size})" for y, o in zip(outputs, body.outputs, strict=True)]
    shapes = [f" * {o.name}: {list(o.shape)}" for o in (*body.inputs, *body.outputs)]
    result = outputs[0] if len(outputs) == 1 else "{" + ", ".join(f"{o.name}: y_{o.name}" for o in body.outputs) + "}"
    doc = "\n".join(
        [
            "/**",
            f" * {', '.join(o.name for o in body.inputs)} -> {', '.join(o.name for o in body.outputs)}",
            *shapes,
            " */",
        ]
    )
    return (
        f"{doc}\nexport function {word}({', '.join([*inputs, *made])}) {{\n"
        f"  {word}_of({', '.join([*inputs, *outputs])});\n  return {result};\n}}\n"
    )
