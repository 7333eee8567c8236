"""Programs and loops as MATLAB: `kernel.to("matlab")`.

A function file, for MATLAB and Octave, with local functions below the one of the kernel's name. Inputs and outputs are
arrays of the operand's shape, M(i, j); of one axis, columns, and rows are taken too; scalars without axes. Inside,
arrays are columns of the elements in C order, and a function takes the arrays that it fills and gives them back.
Numbers are double, or single in a kernel of float32.

Nothing raises but wrong arguments, and nothing becomes complex: the square root of -1 is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from chasles.backend.matlab.prelude import NAMES, needed_by
from chasles.backend.statements import Kind, Language, Parameter, write
from chasles.backend.statements.numbers import rounded, shortest
from chasles.backend.statements.templates import DRAWN, SIGNS
from chasles.backend.statements.words import Words, words
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program
from chasles.scalar.operations import OPERATIONS

CLASSES = {"float64": "double", "float32": "single"}
_WORDS = """
    break case catch classdef continue else elseif end for function global if otherwise parfor persistent return spmd
    switch try while do end_try_catch end_unwind_protect endfor endfunction endif endparfor endswitch endwhile until
    unwind_protect unwind_protect_cleanup endclassdef endenumeration endevents endmethods endproperties
    ans Inf NaN nargin nargout varargin varargout abs acos asin atan atan2 bitor bitshift bitxor cos cosh double error
    exp floor islogical isnumeric isreal log log2 max mod numel permute prod reshape sin single sinh size sprintf sqrt
    tanh typecast uint32 zeros agree"""  # its words, Octave's, and what the files call
_FUNCTIONS = """
    all any arguments assert cell char class columns cross cumsum det diff disp dot e eig enumeration eps events exist
    eye false feval figure find fprintf get i import inf input inv isa isempty isequal j kron length line linspace load
    mean methods min nan ndims norm normal ones path pi plot power print properties rand randn random rank rem rows run
    save set sign sort static std struct sum tan test text title trace transpose true type var which who"""
RESERVED = frozenset(_WORDS.split())
HIDDEN = frozenset(_FUNCTIONS.split())  # by a file of this name


TEMPLATES = {
    **{name: f"{name}({', '.join(['{}'] * row.arity)})" for name, row in OPERATIONS.items() if row.libm},
    **SIGNS,
    **DRAWN,
    **{name: f"real_{name}({{}})" for name in ("asin", "acos", "log", "sqrt")},
    "pow": "power_of({}, {})",
    "not": "~{}",
    "where": "choose({}, {}, {})",
}


class Matlab(Language):
    """Statements of MATLAB."""

    title = "MATLAB"
    condition = "{} {}"
    opening = ""
    operations = TEMPLATES

    def __init__(self, dtype: str = "float64") -> None:
        super().__init__()
        self.dtype = dtype

    def number(self, x: float) -> str:
        text = literal(x, self.dtype)
        return f"({text})" if text[0] == "-" else text

    def at(self, array: str, index: int | str) -> str:
        return f"{array}({_from_one(index)})"

    def let(self, name: str, value: str, kind: Kind) -> None:
        self.set(name, value)

    def set(self, place: str, value: str) -> None:
        self.line(f"{place} = {value};")

    def array(self, name: str, size: int) -> None:
        self.set(name, zeros(size, self.dtype))

    def copy(self, to: str, first: int | str, source: str, source_first: int | str, size: int) -> None:
        if size == 1:
            self.set(self.at(to, first), self.at(source, source_first))
        elif size:
            target, value = (f"{x}({_range(at, size)})" for x, at in ((to, first), (source, source_first)))
            self.set(target, value)

    def fill(self, to: str, size: int) -> None:
        self.set(f"{to}({_range(0, size)})", "0")

    def begin_function(self, name: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> None:
        given = ", ".join(y for y, _ in outputs)
        taken = ", ".join(x for x, _ in (*inputs, *outputs))
        self.begin(f"function [{given}] = {name}({taken})")

    def end(self) -> None:
        self.depth -= 1
        self.line("end")
        if not self.depth:
            self.lines.append("")

    def call(self, function: str, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self.line(f"[{', '.join(outputs)}] = {function}({', '.join((*inputs, *outputs))});")


def render(body: Program | Loop, name: str, dtype: str) -> str:
    """The file of the function of `matlab_words(body, name)`, NAME.m."""
    return function_file(body, name, dtype, [f"{matlab_words(body, name).function.upper()}"])


def function_file(body: Program | Loop, name: str, dtype: str, about: Sequence[str]) -> str:
    """The file with what `help` says, in lines."""
    language = Matlab(dtype)
    function = write(language, body, name)
    text = "\n".join(language.lines)
    public = _public(matlab_words(body, name), body, function, dtype, about)
    return "\n".join([public, text, *needed_by(public + text, dtype)]).rstrip("\n") + "\n"


def matlab_words(body: Program | Loop, name: str) -> Words:
    """What the function and its arguments are called."""
    return words(body, name, RESERVED | NAMES | {Matlab().name("f", name)}, HIDDEN)


def literal(x: float, dtype: str = "float64") -> str:
    """A number, exact."""
    x = rounded(x, dtype)
    text = "NaN" if math.isnan(x) else "Inf" if math.isinf(x) else shortest(abs(x), dtype).removesuffix(".0")
    text = f"-{text}" if math.copysign(1.0, x) < 0.0 and not math.isnan(x) else text
    return f"single({text})" if dtype == "float32" else text


def zeros(size: int, dtype: str) -> str:
    return f"zeros({size}, 1, 'single')" if dtype == "float32" else f"zeros({size}, 1)"


def _public(called: Words, body: Program | Loop, function: str, dtype: str, about: Sequence[str]) -> str:
    """The function that people call: it looks at what is given, and gives arrays of the outputs' shapes."""
    outputs, inputs = ", ".join(called.outputs), ", ".join(called.inputs)
    lines = [f"function [{outputs}] = {called.function}({inputs})", *(f"% {line}".rstrip() for line in about)]
    if body.inputs:
        text = f"'{called.function}: {len(body.inputs)} inputs are needed, got %d'"
        lines += [f"if nargin < {len(body.inputs)}", f"  error('{called.function}:inputs', {text}, nargin);", "end"]
    for x, o in zip(called.inputs, body.inputs, strict=True):
        lines.append(f"{x} = taken({x}, {_shape(o)}, '{called.function}', '{x}');")
    lines += [f"{y} = {zeros(o.size, dtype)};" for y, o in zip(called.outputs, body.outputs, strict=True)]
    lines.append(f"[{outputs}] = {function}({', '.join((*called.inputs, *called.outputs))});")
    for y, o in zip(called.outputs, body.outputs, strict=True):
        if len(o.shape) > 1:
            lines.append(f"{y} = given({y}, {_shape(o)});")
    return "\n".join([lines[0], *(f"  {line}" if line[0] != "%" else line for line in lines[1:]), "end", ""])


def _shape(operand: Operand) -> str:
    return f"[{', '.join(map(str, operand.shape or (1,)))}]"


def _from_one(index: int | str) -> str:
    return str(index + 1) if isinstance(index, int) else f"{index} + 1"


def _range(first: int | str, size: int) -> str:
    last = str(first + size) if isinstance(first, int) else f"{first} + {size}"
    return f"{_from_one(first)}:{last}"
