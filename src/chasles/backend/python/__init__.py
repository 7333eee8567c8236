"""Programs and loops as Python: `kernel.to("python")`.

A module that needs nothing but `math`, for any Python from 3.8 on, with one function of the kernel's name. For each
input it takes numbers in sequences of the input's shape, lists, tuples or arrays, or all in one, in C order; a number
where there is one. It gives lists of the output's shape, a float for a scalar, and a named tuple of several outputs.
It computes in float64, as Python does; a kernel of float32 is refused.

Nothing raises but wrong arguments: outside its domain an operation is nan, past its range an infinity. Where `math`
raises, the module has functions of its own, so this is no fast way to compute; UR5 inverse dynamics takes 21 us.
"""

from __future__ import annotations

import builtins
import keyword
import math
import re
import sys
from collections.abc import Sequence

from chasles.backend.python.prelude import NAMES, needed_by
from chasles.backend.statements import Kind, Language, Parameter, write
from chasles.backend.statements.templates import SIGNS
from chasles.backend.statements.words import Words, words
from chasles.errors import CompileError
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program
from chasles.scalar.operations import OPERATIONS

LONGEST = 100  # characters of a line of what people read first
RESERVED = frozenset({*keyword.kwlist, *keyword.softkwlist, *NAMES})
HIDDEN = frozenset({*dir(builtins), *sys.stdlib_module_names})  # by a module or a function of this name


TEMPLATES = {
    **{
        name: f"_{name}({', '.join(['{}'] * row.arity)})" for name, row in OPERATIONS.items() if row.libm and row.traced
    },
    **SIGNS,
    **{name: f"math.{name}({{}})" for name in ("atan", "tanh")},
    "atan2": "math.atan2({}, {})",
    "div": "_divide({}, {})",
    "pow": "_power({}, {})",
    "random": "_random({}, {})",
    "normal": "_normal({}, {})",
    "and": "{} and {}",
    "or": "{} or {}",
    "not": "not {}",
    "where": "{1} if {0} else {2}",
}


class Python(Language):
    """Statements of Python."""

    title = "Python"
    condition = "{} {}"
    opening = ":"
    indent = "    "
    operations = TEMPLATES

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[int] = []

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "math.nan"
        text = "math.inf" if math.isinf(x) else repr(abs(float(x)))
        return f"(-{text})" if math.copysign(1.0, x) < 0.0 else text

    def apply(self, operation: str, *values: str) -> str:
        if operation == "div" and _is_no_zero(values[1]):
            return f"{values[0]} / {values[1]}"
        return super().apply(operation, *values)

    def name(self, kind: str, operand: Operand | str) -> str:
        """Functions are private: the module's own is what people call."""
        return f"{'_' if kind == 'f' else ''}{super().name(kind, operand)}"

    def at(self, array: str, index: int | str) -> str:
        return f"{array}[{index}]"

    def let(self, name: str, value: str, kind: Kind) -> None:
        self.line(f"{name} = {value}")

    def set(self, place: str, value: str) -> None:
        self.line(f"{place} = {value}")

    def array(self, name: str, size: int) -> None:
        self.line(f"{name} = [0.0] * {size}")

    def copy(self, to: str, first: int | str, source: str, source_first: int | str, size: int) -> None:
        if size == 1:
            self.set(self.at(to, first), self.at(source, source_first))
        elif size:
            target, value = (f"{x}[{_slice(at, size)}]" for x, at in ((to, first), (source, source_first)))
            self.line(f"{target} = {value}")

    def fill(self, to: str, size: int) -> None:
        self.line(f"{to}[:{size}] = [0.0] * {size}")

    def begin_function(self, name: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> None:
        self.lines += ["", ""] if self.lines else []
        self.begin(f"def {name}({', '.join(x.name for x in (*inputs, *outputs))})")

    def end(self) -> None:
        if self.begun.pop() == len(self.lines):
            self.line("pass")
        self.depth -= 1

    def call(self, function: str, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self.line(f"{function}({', '.join((*inputs, *outputs))})")

    def begin(self, head: str) -> None:
        super().begin(head)
        self.begun.append(len(self.lines))


def render(body: Program | Loop, name: str, dtype: str) -> str:
    """A module with the function of `python_words(body, name)`."""
    return module(body, name, dtype, f"{name}, as Python.")


def module(body: Program | Loop, name: str, dtype: str, doc: str) -> str:
    """The module with its docstring, of one line or more."""
    if dtype != "float64":
        raise CompileError(f"{name}: Python computes in float64: print the kernel of that dtype, not of {dtype}")
    language = Python()
    function = write(language, body, name)
    called, text = python_words(body, name), "\n".join(language.lines)
    public = _public(called, body, function)
    several = _several(called, body)
    listed = "".join(f'"{x}", ' for x in [called.function, *([_class_name(called)] if several else [])])[:-2]
    typing = "NamedTuple, Sequence" if several else "Sequence"
    typing = typing if "Sequence" in public else "NamedTuple" if several else ""
    imports = "import math\n" + ("import struct\n" if re.search(r"_(random|normal)\(", text) else "")
    imports += f"from typing import {typing}\n" if typing else ""
    head = f'r"""{documentation(doc)}"""\n\nfrom __future__ import annotations\n\n{imports}\n__all__ = [{listed}]\n'
    parts = [head, several + public, *needed_by(text + public), text + "\n"]
    return "\n\n".join(parts)


def python_words(body: Program | Loop, name: str) -> Words:
    """What the function and its arguments are called."""
    return words(body, name, RESERVED, HIDDEN)


def documentation(text: str) -> str:
    """A text inside a raw docstring: it ends none, and is ASCII."""
    text = text.encode("ascii", "backslashreplace").decode().replace('"""', "'''")
    return f"{text}\n" if "\n" in text or text[-1:] in ('"', "\\") else text


def _class_name(called: Words) -> str:
    name = "".join(part[:1].upper() + part[1:] for part in called.function.split("_"))
    return f"{name}Results"


def _several(called: Words, body: Program | Loop) -> str:
    """The class of several outputs."""
    if len(body.outputs) == 1:
        return ""
    fields = [f"    {y}: {_kind(o, 'list')}" for y, o in zip(called.outputs, body.outputs, strict=True)]
    return "\n".join([f"class {_class_name(called)}(NamedTuple):", *(fields or ["    pass"]), "", "", ""])


def _public(called: Words, body: Program | Loop, function: str) -> str:
    """The function that people call: it looks at what is given, and gives lists of the outputs' shapes."""
    single = len(body.outputs) == 1
    gives = _kind(body.outputs[0], "list") if single else _class_name(called)
    takes = [f"{x}: {_kind(o, 'Sequence')}" for x, o in zip(called.inputs, body.inputs, strict=True)]
    lines = [f"def {called.function}({', '.join(takes)}) -> {gives}:"]
    if len(lines[0]) > LONGEST:
        lines = [f"def {called.function}(", *(f"    {x}," for x in takes), f") -> {gives}:"]
    for x, o in zip(called.inputs, body.inputs, strict=True):
        lines.append(f'    {x} = _taken({x}, {tuple(o.shape)}, "{called.function}: {x}")')
    lines += [f"    {y} = [0.0] * {o.size}" for y, o in zip(called.outputs, body.outputs, strict=True)]
    lines.append(f"    {function}({', '.join((*called.inputs, *called.outputs))})")
    given = [_shaped(y, o) for y, o in zip(called.outputs, body.outputs, strict=True)]
    together = given[0] if single else f"{gives}({', '.join(given)})"
    lines += [f"    return {together}", "", "", f"{called.function}.__doc__ = __doc__", ""]
    return "\n".join(lines)


def _shaped(y: str, operand: Operand) -> str:
    if not operand.shape:
        return f"{y}[0]"
    return y if len(operand.shape) == 1 else f"_shaped({y}, {tuple(operand.shape)})"


def _kind(operand: Operand, sequence: str) -> str:
    kind = "float"
    for _ in operand.shape:
        kind = f"{sequence}[{kind}]"
    return kind


def _slice(first: int | str, size: int) -> str:
    return f"{first}:{first + size}" if isinstance(first, int) else f"{first} : {first} + {size}"


def _is_no_zero(value: str) -> bool:
    return re.fullmatch(r"\(?-?[\d.e+-]+\)?", value) is not None and float(value.strip("()")) != 0.0
