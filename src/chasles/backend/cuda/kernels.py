"""Kernels over a batch: one thread a row, in a loop by which any grid covers any number of rows.

`name_rows` takes arrays of (rows, size), row by row as NumPy has them. A thread that reads and writes its own row alone
wastes most of the memory's bandwidth, of wide rows 84 to 97% (a Panda's mass matrix, float64, on an H200: 0.85 billion
rows a second; 8.6 through shared memory). So the threads of a block copy their rows, which are one piece of memory, to
shared memory and back together; each row begins there an odd number of elements after the one before it, in another
bank. Operands for which 48 kB are too few are read and written by each thread.

`name_columns` takes arrays of (size, rows), element by element: neighbours of a warp are neighbours in memory, and
nothing has to be copied, however wide rows are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from chasles.backend.statements import Parameter

BYTES = 48 * 1024  # of shared memory that every device has for a block, without being asked for more
SEVERAL = 24 * 1024  # up to which blocks have twice as many threads
WORDS = frozenset(  # what kernels call their own, and what CUDA has beside C
    re.findall(
        r"\w+",
        """rows row apart first here tile at to_tile from_tile stream threadIdx blockIdx blockDim gridDim warpSize dim3
        min max clock clock64""",
    )
)
_HELPERS = {
    "to_tile": """/* Rows that are one piece of memory, into shared memory, `stride` elements from each to the next. */
static __device__ void NAME_to_tile(NUMBER *tile, int stride, const NUMBER *rows, int size, int here) {
    for (int i = (int)threadIdx.x; i < here * size; i += (int)blockDim.x) tile[i / size * stride + i % size] = rows[i];
}

""",
    "from_tile": """/* And back. */
static __device__ void NAME_from_tile(NUMBER *rows, int size, const NUMBER *tile, int stride, int here) {
    for (int i = (int)threadIdx.x; i < here * size; i += (int)blockDim.x) rows[i] = tile[i / size * stride + i % size];
}

""",
}


class Tile(NamedTuple):
    """Shared memory of a block of `threads`: of each operand, the elements from a row to the next; 0 if it has none."""

    threads: int
    strides: tuple[int, ...]

    @classmethod
    def of(cls, inputs: Sequence[Parameter], outputs: Sequence[Parameter], item: int) -> Tile:
        """The widest operands go without if all are too wide. item: bytes of a number."""
        strides = [x.size | 1 if x.size else 0 for x in (*inputs, *outputs)]
        while 32 * item * sum(strides) > BYTES:
            strides[strides.index(max(strides))] = 0
        return cls(64 if 64 * item * sum(strides) <= SEVERAL else 32, tuple(strides))

    @property
    def elements(self) -> int:
        return self.threads * sum(self.strides)

    @property
    def starts(self) -> tuple[int, ...]:
        """The first element of each operand."""
        return tuple(self.threads * sum(self.strides[:k]) for k in range(len(self.strides)))

    @property
    def whole(self) -> bool:
        """Whether every operand has its place, so that outputs may be written over inputs."""
        return all(self.strides)


def rows_kernel(
    number: str, function: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter], tile: Tile
) -> str:
    """The kernel over rows of (rows, size)."""
    operands, taken, given, arguments = (*inputs, *outputs), [], [], []
    for k, (x, stride, start) in enumerate(zip(operands, tile.strides, tile.starts, strict=True)):
        if stride:
            copy = (f"tile + {start}, {stride}", f"{x.name} + first * {x.size}, {x.size}")
            if k < len(inputs):
                taken.append(f"        {function}_to_tile({copy[0]}, {copy[1]}, here);")
            else:
                given.append(f"        {function}_from_tile({copy[1]}, {copy[0]}, here);")
            arguments.append(f"tile + {start} + at * {stride}")
        else:
            arguments.append(f"{x.name} + (first + at) * {x.size}")
    over = "may be inputs, too, where sizes are the same" if tile.whole else "are other arrays than inputs"
    lines = [
        f"/*\n * All rows of arrays of (rows, size), as NumPy has them; outputs {over}.",
        f" * Blocks have {tile.threads} threads at most.\n */",
        f'extern "C" __global__ void __launch_bounds__({tile.threads})',
        f"{function}_rows({declared(number, inputs, outputs)}) {{",
        *([f"    __shared__ {number} tile[{tile.elements}];"] if tile.elements else []),
        "    const int at = (int)threadIdx.x;",
        "    const long long apart = (long long)gridDim.x * blockDim.x;",
        "    for (long long first = (long long)blockIdx.x * blockDim.x; first < rows; first += apart) {",
        "        const int here = rows - first < (long long)blockDim.x ? (int)(rows - first) : (int)blockDim.x;",
        *taken,
        "        __syncthreads();",
        f"        if (at < here) {function}({', '.join(arguments)});",
        "        __syncthreads();",
        *given,
        "    }\n}\n",
    ]
    text = "\n".join(lines)
    needed = (helper for name, helper in _HELPERS.items() if f"{function}_{name}(" in text)
    return "".join(needed).replace("NUMBER", number).replace("NAME", function) + text


def columns_kernel(number: str, function: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> str:
    """The kernel over rows of (size, rows)."""
    operands = (*inputs, *outputs)
    inside = [*(f"now_{x.name}" for x in inputs), *(f"new_{y.name}" for y in outputs)]

    def copied(k: int, text: str) -> list[str]:
        x = operands[k]
        place = text.format(here=f"{inside[k]}[i]", there=f"{x.name}[i * rows + row]")
        return ["#pragma unroll", f"        for (int i = 0; i < {x.size}; i++) {place};"] if x.size else []

    lines = [
        "/* The same of arrays of (size, rows): element i of row k is at i * rows + k. Outputs may be inputs, too. */",
        f'extern "C" __global__ void {function}_columns({declared(number, inputs, outputs)}) {{',
        "    const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
        "    for (long long row = first; row < rows; row += (long long)gridDim.x * blockDim.x) {",
        *(f"        {number} {name}[{max(1, x.size)}];" for name, x in zip(inside, operands, strict=True)),
        *(line for k in range(len(inputs)) for line in copied(k, "{here} = {there}")),
        f"        {function}({', '.join(inside)});",
        *(line for k in range(len(inputs), len(operands)) for line in copied(k, "{there} = {here}")),
        "    }\n}\n",
    ]
    return "\n".join(lines)


def declared(number: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter]) -> str:
    """The parameters of a kernel."""
    arrays = [*(f"const {number} *{x.name}" for x in inputs), *(f"{number} *{y.name}" for y in outputs)]
    return ", ".join([*arrays, "long long rows"])
