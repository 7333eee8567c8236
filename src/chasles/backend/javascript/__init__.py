"""Programs and loops as JavaScript: `kernel.to("js")`.

A module without dependencies that exports one function of the kernel's name, with _ for what JavaScript does not allow
in one. For each input the function takes the numbers of its elements in C order, as an array of any kind, or a number
alone. It gives a Float64Array, or an object of them by the names of several outputs. Arrays to write to may follow the
inputs: then nothing is allocated. It computes in float64, as JavaScript does; a kernel of float32 is refused.

Values agree with those of other back ends to rounding: Math.sin and its like may differ in the last place, and no
product is fused into a sum. `random` and `normal` are the same bits.

In V8 a step of a Panda takes 0.43 us (semi-implicit) or 1.7 us (Runge-Kutta: one function of 1,300 operations, called
four times). The same statements as WebAssembly, by LLVM, take 0.33 us and 1.28 us: not worth the linker that everybody
would need. Long programs are cut, as engines compile long functions late or not at all: for 11,000 operations V8 takes
4.9 us in parts of 1,000 and 3.2 us in one function, once that is compiled.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence

from chasles.backend.javascript.prelude import NAMES, needed_by
from chasles.backend.statements import Kind, Language, Parameter, write
from chasles.errors import CompileError
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program
from chasles.scalar.operations import OPERATIONS

WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        arguments await break case catch class const continue debugger default delete do else enum eval export extends
        false finally for function if implements import in instanceof interface let new null package private protected
        public return static super switch this throw true try typeof undefined var void while with yield
        Float64Array Infinity Math NaN RangeError Uint32Array Uint8Array""",
    )
)


class JavaScript(Language):
    """Statements of JavaScript. The arrays of a function are made once, when the module is loaded."""

    title = "JavaScript"
    longest = 1000
    operations = {
        name: f"Math.{name}({', '.join(['{}'] * row.arity)})" for name, row in OPERATIONS.items() if row.libm
    } | {
        "add": "{} + {}",
        "sub": "{} - {}",
        "mul": "{} * {}",
        "div": "{} / {}",
        "neg": "-{}",
        "pow": "power({}, {})",
        "random": "random({}, {})",
        "normal": "normal({}, {})",
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

    def at(self, array: str, index: int | str) -> str:
        return f"{array}[{index}]"

    def let(self, name: str, value: str, kind: Kind) -> None:
        self.line(f"{'let' if kind in ('variable', 'index') else 'const'} {name} = {value};")

    def set(self, place: str, value: str) -> None:
        self.line(f"{place} = {value};")

    def array(self, name: str, size: int) -> None:
        self.lines.insert(self.begun, f"const {self.owner}_{name} = new Float64Array({size});")
        self.begun += 1
        self.line(f"const {name} = {self.owner}_{name};")

    def copy(self, to: str, first: int | str, source: str, source_first: int | str, size: int) -> None:
        if size == 1:
            self.set(self.at(to, first), self.at(source, source_first))
            return
        target, value = (self.at(x, "i" if at == 0 else f"{at} + i") for x, at in ((to, first), (source, source_first)))
        self.line(f"for (let i = 0; i < {size}; i++) {target} = {value};")

    def fill(self, to: str, size: int) -> None:
        self.line(f"for (let i = 0; i < {size}; i++) {to}[i] = 0;")

    def begin_function(self, name: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> None:
        self.owner, self.begun = name, len(self.lines)
        self.begin(f"function {name}({', '.join(x.name for x in (*inputs, *outputs))})")

    def end(self) -> None:
        self.depth -= 1
        self.line("}")

    def call(self, function: str, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self.line(f"{function}({', '.join((*inputs, *outputs))});")


def render(body: Program | Loop, name: str, dtype: str) -> str:
    """A module that exports the function of `exported_name(name)`."""
    return _written(body, name, dtype, "export ")


def expression(body: Program | Loop, name: str, dtype: str) -> str:
    """The same function as an expression, for scripts that are no modules: `const f = ...;`."""
    return f"(() => {{\n{_written(body, name, dtype, '')}return {exported_name(name)};\n}})()"


def _written(body: Program | Loop, name: str, dtype: str, before: str) -> str:
    """The statements of a function and of what it needs. before: it, `export ` in a module."""
    if dtype != "float64":
        raise CompileError(f"{name}: JavaScript computes in float64: print the kernel of that dtype, not of {dtype}")
    language = JavaScript()
    function = write(language, body, name)
    text = "\n".join(language.lines) + f"\n{_exported(language, body, name, function, before)}"
    return needed_by(text) + text


def exported_name(name: str) -> str:
    """The name of the function that the module of a kernel exports."""
    word = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"_{word}" if not word or word[0].isdigit() else f"{word}_" if word in WORDS | NAMES else word


def _exported(language: JavaScript, body: Program | Loop, name: str, function: str, before: str) -> str:
    """The function people call: it looks at what is given, and makes arrays for results where there are none."""
    word = exported_name(name)
    inputs, outputs = language.parameters("x", body.inputs), language.parameters("y", body.outputs)
    taken = [f"{function}_taken_{x}" for x, _ in inputs]
    lines = [f"const {t} = new Float64Array({size});" for t, (_, size) in zip(taken, inputs, strict=True)]
    lines.append("/**")
    lines += [_described(p, o, "{number | ArrayLike<number>}") for p, o in zip(inputs, body.inputs, strict=True)]
    lines += [_described(p, o, "{Float64Array=}") for p, o in zip(outputs, body.outputs, strict=True)]
    lines.append(" */")
    made = [f"{y} = new Float64Array({size})" for y, size in outputs]
    lines.append(f"{before}function {word}({', '.join([*(x for x, _ in inputs), *made])}) {{")
    for t, (x, _), operand in zip(taken, inputs, body.inputs, strict=True):
        lines.append(f"  take({x}, {t}, {json.dumps(f'{name}: {operand.name}')});")
    for (y, size), operand in zip(outputs, body.outputs, strict=True):
        lines.append(f"  check({y}, {size}, {json.dumps(f'{name}: {operand.name}')});")
    lines.append(f"  {function}({', '.join([*taken, *(y for y, _ in outputs)])});")
    several = ", ".join(f"[{json.dumps(o.name)}]: {y}" for (y, _), o in zip(outputs, body.outputs, strict=True))
    lines += [f"  return {outputs[0].name if len(outputs) == 1 else '{ ' + several + ' }'};", "}"]
    return "\n".join(lines) + "\n"


def _described(parameter: Parameter, operand: Operand, kind: str) -> str:
    name = json.dumps(operand.name).replace("*/", "*\\/")
    return f" * @param {kind} {parameter.name} {name}, shape {list(operand.shape)}"
