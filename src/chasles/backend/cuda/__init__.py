"""Programs and loops as CUDA: `kernel.to("cuda")`.

One file without headers, for nvcc and for NVRTC alike: the statements of C (backend/c) as `__device__` functions, that
of the kernel's name for one row, and over it two kernels of a batch (kernels.py): `name_rows` and `name_columns`.
Numbers are `double`, or `float` in a kernel of float32. sin and cos of one angle are computed together. `random` and
`normal` are the same bits as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from chasles.backend.c import C, in_comment
from chasles.backend.c.prelude import NAMES, called_by, needed_by
from chasles.backend.cuda.kernels import WORDS, Tile, columns_kernel, rows_kernel
from chasles.backend.statements import Parameter, write
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program

_PAIR = re.compile(r"^( *)const \w+ (v\d+) = (sin|cos)f?\((v\d+)\);$")
_INSTEAD = (  # of what C takes from its headers, or tells its compiler
    (r"#include .*\n+", ""),
    (r"(?m)^static ", "static __device__ "),
    (r"\(double\)NAN", "__longlong_as_double(0x7ff8000000000000LL)"),
    (r"\bNAN\b", "__int_as_float(0x7fc00000)"),
    (r"\(double\)INFINITY", "__longlong_as_double(0x7ff0000000000000LL)"),
    (r"\bINFINITY\b", "__int_as_float(0x7f800000)"),
    (r"\bUINT64_C\((\d+)\)", r"\1ULL"),
    (r"\buint64_t\b", "unsigned long long"),
    (r"volatile const double y = x;\n *return y;", "return __dadd_rn(x, -0.0);"),
)


class Cuda(C):
    """Statements of CUDA C++."""

    title = "CUDA"
    by_value = False

    def __init__(self, dtype: str, body: Program | Loop, name: str) -> None:
        super().__init__(dtype, body, name)
        if self.public in WORDS:
            self.public = self.words[f"f {name}"] = f"{self.public}_"
        self.words |= {f"{x} of {name}": f"{self.public}_{x}" for x in (*sorted(NAMES), "to_tile", "from_tile")}
        self.words |= {f"CUDA {word}": word for word in WORDS}

    def number(self, x: float) -> str:
        text = super().number(x)
        return _without_headers(text) if "N" in text else text  # NAN, INFINITY: of float32, what is too large, too

    def head(self, function: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> str:
        head = super().head(function, inputs, outputs)
        return head.replace("void ", "__device__ void ", 1)

    def end(self) -> None:
        super().end()
        if not self.depth:
            self.lines[self.body :] = _paired(self.lines[self.body :], self.type, self.suffix)


class Written(NamedTuple):
    """A file, the function of a row, the arrays that it takes and fills, and the tile of the kernel of rows."""

    text: str
    function: str
    number: str  # the type of numbers
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    tile: Tile


def render(body: Program | Loop, name: str, dtype: str) -> str:
    """A file that defines the function of a row and the kernels of a batch."""
    return written(body, name, dtype).text


def written(body: Program | Loop, name: str, dtype: str) -> Written:
    """The same, with what others need to call it."""
    language = Cuda(dtype, body, name)
    function = write(language, body, name)
    inputs, outputs = language.parameters("x", body.inputs), language.parameters("y", body.outputs)
    tile = Tile.of(inputs, outputs, 4 if language.suffix else 8)
    rows = rows_kernel(language.type, function, inputs, outputs, tile)
    columns = columns_kernel(language.type, function, inputs, outputs)
    text = "\n".join(language.lines)
    prelude = called_by(function, _without_headers(needed_by(text, dtype)))
    text = called_by(function, text)
    operands = (*body.inputs, *body.outputs)
    about = "\n".join(_described(p, o) for p, o in zip((*inputs, *outputs), operands, strict=True))
    parts = f"{prelude}/*\n * One row.\n *\n{about}\n */\n{text}\n\n{rows}\n{columns}"
    return Written(parts, function, language.type, tuple(inputs), tuple(outputs), tile)


def _described(parameter: Parameter, operand: Operand) -> str:
    return f" * {parameter.name}: {in_comment(operand.name)}, shape {list(operand.shape)}"


def _without_headers(text: str) -> str:
    for pattern, instead in _INSTEAD:
        text = re.sub(pattern, instead, text)
    return text


def _paired(lines: Sequence[str], number: str, suffix: str) -> list[str]:
    """Statements with one call of sincos where both functions of an angle are wanted."""
    found: dict[str, dict[str, tuple[int, str]]] = {}
    for at, line in enumerate(lines):
        if match := _PAIR.match(line):
            found.setdefault(match[4], {})[match[3]] = at, match[2]
    instead: dict[int, str | None] = {}
    for angle, calls in found.items():
        if len(calls) == 2:
            (sine_at, sine), (cosine_at, cosine) = calls["sin"], calls["cos"]
            first = min(sine_at, cosine_at)
            space = lines[first][: -len(lines[first].lstrip())]
            instead |= {sine_at: None, cosine_at: None}
            instead[first] = f"{space}{number} {sine}, {cosine};\n{space}sincos{suffix}({angle}, &{sine}, &{cosine});"
    return [new for at, line in enumerate(lines) if (new := instead.get(at, line)) is not None]
