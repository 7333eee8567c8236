"""Outputs of many columns, moved from slots into rows by a loop over tiles.

    @move(first, step, element, valid, scratch, tiles, count)     W rows of an output, in rows or in columns

Straight-line code that transposes and stores every tile of an output of a thousand columns is longer than the code that
computes it, and writes them in the order of computing. So segments store values alone, each once and into a slot,
however often it is an output (most elements of a symmetric matrix are so twice), and constants likewise; when all are
there the loop writes the rows from their beginning to their end, with the slots of each tile from a table. Tiles that
are zero whatever the inputs are written in rows without their slots being read.

A tile of W columns is transposed out of memory. At first the number of a vector is that of a column, and of a lane that
of a row; a round exchanges one bit of the one for one bit of the other, in pairs of vectors whose numbers differ in the
bit, until all are exchanged. With w numbers in a piece of 16 bytes the rounds are

    halves of vectors, which costs nothing since halves are loaded by themselves:  the highest bit of a row      (1)
    numbers inside pieces, log2(w) times:  bits 0, 1, ... of a column for log2(w) - 1, log2(w) - 2, ... of a row  (2)
    every second piece, where a vector has four:  the highest bit of a column for the second highest of a row    (3)

(2) and (3) are one instruction a vector each, without a table of indices, and there are log2(W) - 1 of them where
vectors are longer than a piece. What is in registers already tiles.py transposes: it cannot have (1) for nothing, and
leaves the vectors in order, which here is a matter of which row each is stored to.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from chasles.backend.llvm.access import counted
from chasles.backend.llvm.tiles import PIECE
from chasles.backend.llvm.vector import Vector
from chasles.backend.schedule import tile
from chasles.graph.program import Program, Ref

GIVEN = "ptr noalias %first, i64 %step, i64 %element, i64 %valid, ptr noalias %scratch, ptr noalias %tiles, i64 %count"


def moves(b: Vector, program: Program, moved: dict[int, list[int]], first: int) -> list[str]:
    """Call @move for outputs, of which `moved` has the slots of their columns, from slot `first` on; its tables."""
    tables = []
    operands = len(program.inputs) + len(program.outputs)
    for output, slots in moved.items():
        operand = len(program.inputs) + output
        step = b.set(f"load i64, ptr {b.address('%steps', operand, 'i64')}")
        element = b.set(f"load i64, ptr {b.address('%steps', operands + operand, 'i64')}")
        base = b.set(f"load ptr, ptr {b.address('%args', operand, 'ptr')}")
        place = b.address(base, b.set(f"mul i64 %row, {step}"))
        words = list(_words(program.results[output], slots, b.lanes, first * b.lanes * b.bytes, b.lanes * b.bytes))
        tables.append(f"@tiles{output} = internal constant [{len(words)} x i32] [i32 {', i32 '.join(map(str, words))}]")
        b.line(
            f"call void @move(ptr {place}, i64 {step}, i64 {element}, i64 %valid, "
            f"ptr %scratch, ptr @tiles{output}, i64 {len(words) // (1 + b.lanes)})"
        )
    return tables


def _words(row: Sequence[Ref | float], slots: list[int], lanes: int, first: int, size: int) -> Iterator[int]:
    """Tiles, 1 + W words each: its first column, from the end (-1, -2, ...) where all are zero; where its slots are."""
    for start in sorted({tile(len(row), lanes, c) for c in range(len(row))}):
        columns = slice(start, start + lanes)
        yield -1 - start if all(_is_zero(x) for x in row[columns]) else start
        yield from (first + slot * size for slot in slots[columns])


def _is_zero(x: Ref | float) -> bool:
    """Of a constant whether it is 0, which -0 is not."""
    return not isinstance(x, Ref) and repr(float(x)) == "0.0"


def move(b: Vector) -> str:
    """@move: of the W rows from `first` on `valid` exist, and the last one stands in for those that do not."""
    in_rows = b.set(f"icmp eq i64 %element, {b.bytes}")
    b.line(f"br i1 {in_rows}, label %rows, label %columns")
    b.label("rows")
    rows = ["%first"]
    for r in range(1, b.lanes):
        more = b.set(f"icmp sgt i64 %valid, {r}")
        rows.append(b.address(rows[-1], b.set(f"select i1 {more}, i64 %step, i64 0")))
    with _tiles(b) as (is_zero, column, slots):
        b.line(f"br i1 {is_zero}, label %zeros, label %values")
        b.label("zeros")
        for row in rows:
            b.store_row(b.constant(0.0), b.address(row, column, b.scalar), b.lanes)
        b.line("br label %on")
        b.label("values")
        for row, value in zip(rows, transposed(b, slots), strict=True):
            b.store_row(value, b.address(row, column, b.scalar), b.lanes)
        b.line("br label %on")
        b.label("on")
    b.line("ret void")
    b.label("columns")
    with _tiles(b) as (_, column, slots):
        place = b.address("%first", b.set(f"mul i64 {column}, %element"))
        for slot in slots:
            b.store_row(b.set(f"load {b.type}, ptr {slot}, align {b.target.vector_bytes}"), place, b.lanes)
            place = b.address(place, "%element")
    body = "\n".join(b.lines)
    return f"define internal void @move({GIVEN}) noinline {{\nentry:\n{body}\n  ret void\n}}"


@contextmanager
def _tiles(b: Vector) -> Iterator[tuple[str, str, list[str]]]:
    """A loop over tiles: whether one is zero, its first column, and where its slots are."""
    with counted(b, "%count", stem="tile") as k:
        entry = b.address("%tiles", b.set(f"mul i64 {k}, {4 * (1 + b.lanes)}"))
        words = [b.set(f"load i32, ptr {b.address(entry, 4 * w)}") for w in range(1 + b.lanes)]
        column, *slots = (b.set(f"sext i32 {word} to i64") for word in words)
        is_zero = b.set(f"icmp slt i64 {column}, 0")
        column = b.set(f"select i1 {is_zero}, i64 {b.set(f'xor i64 {column}, -1')}, i64 {column}")
        yield is_zero, column, [b.address("%scratch", slot) for slot in slots]


def transposed(b: Vector, slots: list[str]) -> list[str]:
    """The W rows of the W columns at these addresses."""
    W, piece = b.lanes, PIECE // b.bytes
    pieces = W // piece
    top, inside = W.bit_length() - 2, piece.bit_length() - 1  # the highest bit of W - 1; how many bits w - 1 has
    row_bit = {j: inside - 1 - j for j in range(inside)}  # bit of a column: of the row it is exchanged for
    if pieces == 1:
        v = [b.set(f"load {b.type}, ptr {slot}, align {b.target.vector_bytes}") for slot in slots]
    else:
        halves = top if pieces == 2 else top - 1
        row_bit[halves] = top
        v = _halves(b, slots, 1 << halves)  # (1)
    for unit in [1 << j for j in range(inside)]:
        starts = [p + k for p in range(0, W, piece) for k in range(0, piece // 2, unit)]
        low = [of + k + i for k in starts for of in (0, W) for i in range(unit)]
        v = _exchanged(b, v, unit, low, [k + piece // 2 for k in low])  # (2)
    if pieces == 4:
        row_bit[top] = top - 1
        low = [of + k + i for of in (0, W) for k in (0, 2 * piece) for i in range(piece)]
        v = _exchanged(b, v, 1 << top, low, [k + piece for k in low])  # (3)
    found = [""] * W
    for i, value in enumerate(v):
        found[sum((i >> column & 1) << row for column, row in row_bit.items())] = value
    return found


def _halves(b: Vector, slots: list[str], bit: int) -> list[str]:
    """The first halves of vectors i and i + bit as one vector, and the second halves."""
    half = f"<{b.lanes // 2} x {b.scalar}>"
    both = ", ".join(f"i32 {k}" for k in range(b.lanes))
    v = [""] * b.lanes
    for i in range(b.lanes):
        source = [slots[i & ~bit], slots[i | bit]]
        if i & bit:
            source = [b.address(slot, b.lanes * b.bytes // 2) for slot in source]
        x, y = (b.set(f"load {half}, ptr {slot}, align {b.target.vector_bytes // 2}") for slot in source)
        v[i] = b.set(f"shufflevector {half} {x}, {half} {y}, <{b.lanes} x i32> <{both}>")
    return v


def _exchanged(b: Vector, v: list[str], bit: int, low: list[int], high: list[int]) -> list[str]:
    """Each pair of vectors whose numbers differ in a bit, shuffled."""
    return [b.shuffle(v[i & ~bit], v[i | bit], high if i & bit else low) for i in range(len(v))]
