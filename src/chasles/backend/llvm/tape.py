"""A program in pieces of few forms (backend/tape.py) as LLVM IR.

    @formN(scratch, places, constants)              the code of a form
    @segment0(args, steps, row, valid, scratch)     moves inputs into slots, plays the tape, moves slots into outputs

The tape is three tables: @pieces says of each piece which form it is of, and where its entries begin in the others;
@places where in scratch memory it writes and then reads, 32 bits each, of a sum of products after how many these are;
@constants has its numbers.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from chasles.backend.forms import Products
from chasles.backend.llvm.access import Access, BatchRows, load_slot, store_slot
from chasles.backend.llvm.emit import SegmentEmitter
from chasles.backend.llvm.target import Target
from chasles.backend.llvm.vector import Vector
from chasles.backend.llvm.wide_rows import moves
from chasles.backend.schedule import ColumnRun, fusions, plan
from chasles.backend.tape import Tape
from chasles.graph.program import Program

PLACE = 4  # bytes of a place in scratch memory
_ESCAPED = [f"\\{k:02X}" for k in range(256)]


def functions(program: Program, tape: Tape, target: Target, dtype: str) -> Iterator[str]:
    """@form0, @form1, ... and @segment0."""
    for k, form in enumerate(tape.forms):
        b = Vector(target, dtype)
        if isinstance(form, Products):
            yield _sum(f"form{k}", form, b)
            continue
        (segment,) = plan(form, b.lanes, len(form.nodes), rows=False).segments
        yield SegmentEmitter(form, segment, b, fusions(form), Entry(form, b), {}.__getitem__).emit(f"form{k}")
    yield _played(program, tape, Vector(target, dtype))


class Entry(Access):
    """The values of a form, in the slots that its places name, and its constants."""

    SIGNATURE = "ptr noalias %scratch, ptr noalias %places, ptr noalias %constants"

    def load(self, operand: int, tiles: Mapping[int, Sequence[int]]) -> list[str]:
        columns = [c for wanted in tiles.values() for c in wanted]
        first = self.program.outputs[0].size
        return [self._constant(c) if operand else _value(self.b, first + c) for c in columns]

    def store(self, output: int, tiles: Mapping[int, Sequence[str]]) -> None:
        for start, values in tiles.items():
            for c, value in enumerate(values, start):
                self.b.line(f"store {self.b.type} {value}, ptr {_place(self.b, c)}, align {self.b.target.vector_bytes}")

    def _constant(self, k: int) -> str:
        b = self.b
        number = b.set(f"load {b.scalar}, ptr {b.address('%constants', k * b.bytes)}, align {b.bytes}")
        alone = b.set(f"insertelement {b.type} poison, {b.scalar} {number}, i32 0")
        return b.shuffle(alone, "poison", [0] * b.lanes)


def _word(b: Vector, at: str) -> str:
    """32 bits of a table."""
    return b.set(f"zext i32 {b.set(f'load i32, ptr {at}, align {PLACE}')} to i64")


def _place(b: Vector, k: int, places: str = "%places") -> str:
    """Where in scratch memory the entry k of a table is."""
    return b.address("%scratch", _word(b, b.address(places, k * PLACE)))


def _value(b: Vector, k: int, places: str = "%places") -> str:
    return b.set(f"load {b.type}, ptr {_place(b, k, places)}, align {b.target.vector_bytes}")


def _sum(name: str, form: Products, b: Vector) -> str:
    """@name: the code of a sum of products."""
    count, result, start = _word(b, "%places"), _place(b, 1), _value(b, 2)
    b.line("br label %term")
    b.label("term")
    k, following = b.fresh("k"), b.fresh("next")
    total, before = b.fresh("sum"), len(b.lines)
    b.line(f"{k} = phi i64 [ 0, %entry ], [ {following}, %term ]")
    term = b.address("%places", b.set(f"mul i64 {k}, {2 * PLACE}"))
    x, y = _value(b, 3, term), _value(b, 4, term)
    more = b.fma(b.neg(x) if form.minus else x, y, total)
    b.lines.insert(before, f"  {total} = phi {b.type} [ {start}, %entry ], [ {more}, %term ]")
    b.line(f"{following} = add i64 {k}, 1")
    again = b.set(f"icmp ult i64 {following}, {count}")
    b.line(f"br i1 {again}, label %term, label %done")
    b.label("done")
    b.line(f"store {b.type} {more}, ptr {result}, align {b.target.vector_bytes}")
    body = "\n".join(b.lines)
    return f"define internal void @{name}({Entry.SIGNATURE}) noinline {{\nentry:\n{body}\n  ret void\n}}"


def _played(program: Program, tape: Tape, b: Vector) -> str:
    """@segment0, and the tables that it reads."""
    access = BatchRows(program, b)
    access.begin()
    for operand, slot in tape.inputs.items():
        size = program.inputs[operand].size
        if size >= b.lanes:
            access.take(ColumnRun(0, 0, operand, 0, size), slot)
        else:
            for k, value in enumerate(access.load(operand, {0: range(size)}), slot):
                store_slot(b, k, value)
    for constant, slot in tape.constants:
        store_slot(b, slot, b.constant(constant))
    _loop(b, tape)
    tables = moves(b, program, {o: slots for o, slots in enumerate(tape.outputs) if len(slots) >= b.lanes}, 0)
    for o, slots in enumerate(tape.outputs):
        if len(slots) < b.lanes:
            access.store(o, {0: [load_slot(b, slot) for slot in slots]})
    tables += _tables(tape, b)
    body = "\n".join(b.lines)
    text = f"define internal void @segment0({access.SIGNATURE}) noinline {{\nentry:\n{body}\n  ret void\n}}"
    return "\n".join([text, *tables])


def _loop(b: Vector, tape: Tape) -> None:
    """Each piece in turn, by the code of its form."""
    b.line("br label %before")
    b.label("before")
    b.line("br label %each")
    b.label("each")
    b.line("%k = phi i64 [ 0, %before ], [ %next, %played ]")
    piece = b.address("@pieces", b.set(f"mul i64 %k, {3 * PLACE}"))
    form = b.set(f"load i32, ptr {piece}, align {PLACE}")
    places = b.address("@places", _word(b, b.address(piece, PLACE)))
    constants = b.address("@constants", _word(b, b.address(piece, 2 * PLACE)))
    forms = range(len(tape.forms))
    b.line(f"switch i32 {form}, label %form0 [ {' '.join(f'i32 {f}, label %form{f}' for f in forms)} ]")
    for f in forms:
        b.label(f"form{f}")
        b.line(f"call void @form{f}(ptr %scratch, ptr {places}, ptr {constants})")
        b.line("br label %played")
    b.label("played")
    b.line("%next = add i64 %k, 1")
    b.line(f"%more = icmp slt i64 %next, {len(tape.pieces)}")
    b.line("br i1 %more, label %each, label %end")
    b.label("end")


def _tables(tape: Tape, b: Vector) -> list[str]:
    """@pieces, @places and @constants."""
    size = b.lanes * b.bytes
    pieces: list[int] = []
    places: list[int] = []
    constants: list[float] = []
    for piece in tape.pieces:
        pieces += (piece.form, PLACE * len(places), b.bytes * len(constants))
        constants += piece.constants
        if isinstance(tape.forms[piece.form], Products):
            places.append(len(piece.reads) // 2)
        places += [size * slot for slot in piece.writes]
        places += [size * slot for slot in piece.reads]
    with np.errstate(over="ignore"):  # of constants that are infinite as float32
        numbers = np.array(constants, b.dtype)
    tables = {"pieces": np.array(pieces, np.uint32), "places": np.array(places, np.uint32), "constants": numbers}
    return [_table(name, data.tobytes()) for name, data in tables.items()]


def _table(name: str, data: bytes) -> str:
    text = "".join(map(_ESCAPED.__getitem__, data))
    return f'@{name} = internal constant [{len(data)} x i8] c"{text}", align 64'
