"""Programs and loops as Rust: `kernel.to("rust")`.

A file without dependencies and without unsafe code, with one public function of the kernel's name: for each input a
reference to an array of its elements in C order, or the number of a scalar, then for each output one to write to.
Arrays inside are on the stack. Numbers are f64, or f32 in a kernel of float32. Edition 2021, from Rust 1.56 on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from chasles.backend.rust.prelude import NAMES, needed_by
from chasles.backend.statements import Kind, Language, Parameter, write
from chasles.backend.statements.numbers import rounded, shortest
from chasles.backend.statements.templates import DRAWN, SIGNS
from chasles.backend.statements.words import Words, words
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program
from chasles.scalar.operations import OPERATIONS

TYPES = {"float64": "f64", "float32": "f32"}
RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
        as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop match mod
        move mut pub ref return self Self static struct super trait true type union unsafe use where while
        abstract become box do final macro override priv try typeof unsized virtual yield
        bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize core std main test
        alloc proc_macro build deps examples incremental agree""",
    )
)
ATTRIBUTES = """#![forbid(unsafe_code)]
#![allow(non_snake_case)]
#![allow(clippy::approx_constant, clippy::eq_op, clippy::excessive_precision, clippy::neg_multiply)]
#![allow(clippy::too_many_arguments)]
"""


_CALLED = {"log": "ln", "pow": "powf"}
TEMPLATES = {
    **{
        name: f"TYPE::{_CALLED.get(name, name)}({', '.join(['{}'] * row.arity)})"
        for name, row in OPERATIONS.items()
        if row.libm
    },
    **SIGNS,
    **DRAWN,
    "where": "if {} {{ {} }} else {{ {} }}",
}


class Rust(Language):
    """Statements of Rust."""

    title = "Rust"
    condition = "{} {}"
    indent = "    "
    operations = TEMPLATES
    longest = 4000

    def __init__(self, dtype: str = "float64") -> None:
        super().__init__()
        self.type, self.dtype = TYPES[dtype], dtype

    def number(self, x: float) -> str:
        return literal(x, self.dtype)

    def apply(self, operation: str, *values: str) -> str:
        if operation == "where":
            values = (re.sub(r"^\((.*)\)$", r"\1", values[0]), *values[1:])
        text = super().apply(operation, *values)
        return f"{self.type}{text[4:]}" if text.startswith("TYPE::") else text

    def is_number(self, x: str, value: float) -> str:
        return f"{x} == {self.number(value)}"

    def at(self, array: str, index: int | str) -> str:
        return f"{array}[{index}]"

    def let(self, name: str, value: str, kind: Kind) -> None:
        declared = {"number": name, "condition": name, "variable": f"mut {name}", "index": f"mut {name}: usize"}[kind]
        self.line(f"let {declared} = {value};")

    def set(self, place: str, value: str) -> None:
        added = value.removeprefix(f"{place} + ")
        self.line(f"{place} = {value};" if added == value else f"{place} += {added};")

    def array(self, name: str, size: int) -> None:
        self.local.add(name)
        self.line(f"let mut {name} = [0.0_{self.type}; {size}];")

    def copy(self, to: str, first: int | str, source: str, source_first: int | str, size: int) -> None:
        if size == 1:
            self.set(self.at(to, first), self.at(source, source_first))
        elif size:
            target, value = (f"{x}[{_range(at, size)}]" for x, at in ((to, first), (source, source_first)))
            self.line(f"{target}.copy_from_slice(&{value});")

    def fill(self, to: str, size: int) -> None:
        self.line(f"{to}[..{size}].fill(0.0);")

    def begin_function(self, name: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> None:
        self.local: set[str] = set()
        self.taken, self.body = [x.name for x in (*inputs, *outputs)], len(self.lines) + 1
        arrays = [f"{x}: &[{self.type}; {size}]" for x, size in inputs]
        arrays += [f"{y}: &mut [{self.type}; {size}]" for y, size in outputs]
        self.begin(f"fn {name}({', '.join(arrays)})")

    def end(self) -> None:
        self.depth -= 1
        if not self.depth:
            self.lines[self.body :] = _without_warnings(self.lines[self.body :], self.taken, self.indent)
        self.line("}")
        if not self.depth:
            self.lines.append("")

    def call(self, function: str, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        taken = [f"&{x}" if x in self.local else x for x in inputs]
        taken += [f"&mut {y}" if y in self.local else y for y in outputs]
        self.line(f"{function}({', '.join(taken)});")


def render(body: Program | Loop, name: str, dtype: str) -> str:
    """A file with the function of `rust_words(body, name)`."""
    return module(body, name, dtype, [f"`{rust_words(body, name).function}`"])


def module(body: Program | Loop, name: str, dtype: str, about: Sequence[str]) -> str:
    """The file with what its documentation says, in lines."""
    language = Rust(dtype)
    function = write(language, body, name)
    text = "\n".join(language.lines)
    head = "".join(f"//! {line}".rstrip() + "\n" for line in about)
    parts = [
        f"{head}\n{ATTRIBUTES}",
        _public(rust_words(body, name), body, function, language.type),
    ]
    return "\n".join([*parts, *needed_by(text, dtype), text]).rstrip("\n") + "\n"


def rust_words(body: Program | Loop, name: str) -> Words:
    """What the function and its arguments are called."""
    return words(body, name, RESERVED | NAMES | {Rust().name("f", name)})


def literal(x: float, dtype: str = "float64") -> str:
    """A number, exact."""
    x = rounded(x, dtype)
    if math.isnan(x):
        return f"{TYPES[dtype]}::NAN"
    if math.isinf(x):
        return f"{TYPES[dtype]}::{'NEG_' if x < 0.0 else ''}INFINITY"
    return ("-" if math.copysign(1.0, x) < 0.0 else "") + shortest(abs(x), dtype)


def _public(called: Words, body: Program | Loop, function: str, kind: str) -> str:
    """The function that people call: numbers of scalars as they are, arrays of all others."""
    lines, takes, given = [], [], []
    for x, o in zip(called.inputs, body.inputs, strict=True):
        takes.append(f"{x}: {f'&[{kind}; {o.size}]' if o.shape else kind}")
        given.append(x if o.shape else f"&[{x}]")
        lines.append(_described(x, o))
    for y, o in zip(called.outputs, body.outputs, strict=True):
        takes.append(f"{y}: &mut {f'[{kind}; {o.size}]' if o.shape else kind}")
        given.append(y if o.shape else f"core::array::from_mut({y})")
        lines.append(_described(y, o))
    signature = "".join(f"    {x},\n" for x in takes)
    doc = "".join(f"/// {line}\n" for line in lines)
    return f"{doc}pub fn {called.function}(\n{signature}) {{\n    {function}({', '.join(given)});\n}}\n"


def _described(name: str, operand: Operand) -> str:
    quoted = operand.name.encode("ascii", "backslashreplace").decode()
    quoted = "" if name == operand.name else f' ("{" ".join(quoted.split())}")'
    shape = " x ".join(map(str, operand.shape)) or "a number"
    return f"- `{name}`{quoted}: {shape}"


def _without_warnings(body: list[str], taken: Sequence[str], indent: str) -> list[str]:
    """Statements without what the compiler warns of: variables that are never read, values that are set again before
    they are, arguments that are not used.
    """
    for i, line in reversed(list(enumerate(body))):
        if not (declared := re.match(r"\s*let mut (\w+)(: \w+)? = \S+;$", line)):
            continue
        name, kind = declared[1], declared[2] or ""
        uses = [k for k in range(i + 1, len(body)) if re.search(rf"\b{name}\b", body[k])]
        sets = [k for k in uses if re.match(rf"\s*{name} \+?= (?!.*\b{name}\b)", body[k])]
        if uses == sets:
            body = [text for k, text in enumerate(body) if k not in (i, *uses)]
        elif uses[0] in sets and "+=" not in body[uses[0]]:
            body[i] = f"{indent}let mut {name}{kind};"
    text = "\n".join(body)
    return [f"{indent}let _ = {x};" for x in taken if not re.search(rf"\b{x}\b", text)] + body


def _range(first: int | str, size: int) -> str:
    if isinstance(first, int):
        return f"{first}..{first + size}" if first else f"..{size}"
    first = first.removeprefix("0 + ")
    return f"{first}..{first} + {size}"
