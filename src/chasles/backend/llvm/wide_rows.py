"""Outputs of many columns, moved from slots into rows by a loop over tiles.

    @move(first, step, element, valid, scratch, tiles, count, zeros, cleared)     W rows of an output

Straight-line code that transposes and stores every tile of an output of a thousand columns is longer than the code that
computes it. So a segment of such a program stores values alone, each once and into a slot, however often it is an
output (most elements of a symmetric matrix are so twice), and constants likewise; then it calls the loop, which takes
the slots of a tile from a table. Tiles that are zero whatever the inputs are need none.

A tile is transposed out of memory. Of the number of a vector the bits are those of a column, of the number of a lane
those of a row, and a round exchanges one of each. The first exchanges halves of vectors, which costs nothing since
halves are loaded by themselves; then come numbers inside pieces of 16 bytes, and the last moves pieces. Each is one
instruction a vector, without a table of indices: log2(W) - 1 rounds where vectors are longer than a piece.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from chasles.backend.llvm.access import counted
from chasles.backend.llvm.vector import Vector
from chasles.backend.schedule import tile
from chasles.graph.program import Program, Ref

PIECE = 16  # bytes inside which machines exchange numbers, and in units of which they move them across

GIVEN = (
    "ptr noalias %first, i64 %step, i64 %element, i64 %valid, ptr noalias %scratch, "
    "ptr noalias %tiles, i64 %count, ptr noalias %zeros, i64 %cleared"
)


def moves(b: Vector, program: Program, moved: dict[int, list[int]], first: int) -> list[str]:
    """Call @move for outputs, of which `moved` has the slots of their columns, from slot `first` on; its tables."""
    tables = []
    operands = len(program.inputs) + len(program.outputs)
    for output, slots in moved.items():
        operand = len(program.inputs) + output
        step = b.set(f"load i64, ptr {b.address('%steps', operand, 'i64')}")
        element = b.set(f"load i64, ptr {b.address('%steps', operands + operand, 'i64')}")
        base = b.set(f"load ptr, ptr {b.address('%args', operand, 'ptr')}")
        tiles, zeros = [], []
        for start in sorted({tile(len(slots), b.lanes, c) for c in range(len(slots))}):
            columns = slice(start, start + b.lanes)
            if all(_is_zero(x) for x in program.results[output][columns]):
                zeros.append(start)
            else:
                tiles += [start, *((first + slot) * b.lanes * b.bytes for slot in slots[columns])]
        tables += [_table(f"tiles{output}", tiles), _table(f"zeros{output}", zeros)]
        b.line(
            f"call void @move(ptr {b.address(base, b.set(f'mul i64 %row, {step}'))}, i64 {step}, i64 {element}, "
            f"i64 %valid, ptr %scratch, ptr @tiles{output}, i64 {len(tiles) // (1 + b.lanes)}, "
            f"ptr @zeros{output}, i64 {len(zeros)})"
        )
    return tables


def _is_zero(x: Ref | float) -> bool:
    return not isinstance(x, Ref) and repr(x) == "0.0"


def _table(name: str, words: Sequence[int]) -> str:
    return f"@{name} = internal constant [{len(words)} x i32] [{', '.join(f'i32 {word}' for word in words)}]"


def move(b: Vector) -> str:
    """@move: of the W rows from `first` on `valid` exist, and the last one stands in for those that do not."""
    in_rows = b.set(f"icmp eq i64 %element, {b.bytes}")
    b.line(f"br i1 {in_rows}, label %rows, label %columns")
    b.label("rows")
    rows = ["%first"]
    for r in range(1, b.lanes):
        more = b.set(f"icmp sgt i64 %valid, {r}")
        rows.append(b.address(rows[-1], b.set(f"select i1 {more}, i64 %step, i64 0")))
    zero = b.constant(0.0)
    with _entries(b, "%zeros", "%cleared", 1) as (column,):
        for row in rows:
            b.store_row(zero, b.address(row, column, b.scalar), b.lanes)
    with _entries(b, "%tiles", "%count", 1 + b.lanes) as (column, *slots):
        for row, value in zip(rows, transposed(b, [b.address("%scratch", s) for s in slots]), strict=True):
            b.store_row(value, b.address(row, column, b.scalar), b.lanes)
    b.line("ret void")
    b.label("columns")
    with _entries(b, "%zeros", "%cleared", 1) as (column,):
        for place in _columns(b, column):
            b.store_row(zero, place, b.lanes)
    with _entries(b, "%tiles", "%count", 1 + b.lanes) as (column, *slots):
        for place, slot in zip(_columns(b, column), slots, strict=True):
            value = b.set(f"load {b.type}, ptr {b.address('%scratch', slot)}, align {b.target.vector_bytes}")
            b.store_row(value, place, b.lanes)
    body = "\n".join(b.lines)
    return f"define internal void @move({GIVEN}) noinline {{\nentry:\n{body}\n  ret void\n}}"


def _columns(b: Vector, column: str) -> list[str]:
    """Where W columns are that follow one another."""
    places = [b.address("%first", b.set(f"mul i64 {column}, %element"))]
    while len(places) < b.lanes:
        places.append(b.address(places[-1], "%element"))
    return places


@contextmanager
def _entries(b: Vector, table: str, count: str, words: int) -> Iterator[list[str]]:
    """A loop over the entries of a table, so many words each; there may be none."""
    some, on = b.fresh("some"), b.fresh("on")
    b.line(f"br i1 {b.set(f'icmp sgt i64 {count}, 0')}, label {some}, label {on}")
    b.label(some[1:])
    with counted(b, count) as k:
        entry = b.address(table, b.set(f"mul i64 {k}, {4 * words}"))
        yield [b.set(f"zext i32 {b.set(f'load i32, ptr {b.address(entry, 4 * w)}')} to i64") for w in range(words)]
    b.line(f"br label {on}")
    b.label(on[1:])


def transposed(b: Vector, slots: list[str]) -> list[str]:
    """The W rows of the W columns at these addresses."""
    W, piece = b.lanes, PIECE // b.bytes
    pieces = W // piece
    top, inside = W.bit_length() - 2, piece.bit_length() - 1
    row_bit = {j: inside - 1 - j for j in range(inside)}  # bit of a column that a round exchanges: of a row
    if pieces == 1:
        v = [b.set(f"load {b.type}, ptr {slot}, align {b.target.vector_bytes}") for slot in slots]
    else:
        halves = top if pieces == 2 else top - 1
        row_bit[halves] = top
        v = _halves(b, slots, 1 << halves)
    for unit in [1 << j for j in range(inside)]:
        starts = [p + k for p in range(0, W, piece) for k in range(0, piece // 2, unit)]
        low = [of + k + i for k in starts for of in (0, W) for i in range(unit)]
        v = _exchanged(b, v, unit, low, [k + piece // 2 for k in low])
    if pieces == 4:
        row_bit[top] = top - 1
        low = [of + k + i for of in (0, W) for k in (0, 2 * piece) for i in range(piece)]
        v = _exchanged(b, v, 1 << top, low, [k + piece for k in low])
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
