"""A program in pieces of few forms (backend/forms.py) as LLVM IR.

    @formN(scratch, piece)                          the code of a form, on the slots that an entry of the tape names
    @segment0(args, steps, row, valid, scratch)     moves inputs into slots, plays the tape, moves slots into outputs

An entry of the tape is a piece: its constants, then where in scratch memory it reads and writes, 32 bits each. @pieces
says of each which form it is for, and where it is on the tape.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from chasles.backend.forms import Tape
from chasles.backend.llvm.access import Access, BatchRows, load_slot, store_slot
from chasles.backend.llvm.emit import SegmentEmitter
from chasles.backend.llvm.target import Target
from chasles.backend.llvm.vector import Vector
from chasles.backend.llvm.wide_rows import moves
from chasles.backend.schedule import ColumnRun, fusions, plan
from chasles.graph.program import Program

PLACE = 4  # bytes of a place in scratch memory
_ESCAPED = [f"\\{k:02X}" for k in range(256)]


def functions(program: Program, tape: Tape, target: Target, dtype: str) -> Iterator[str]:
    """@form0, @form1, ... and @segment0."""
    for k, form in enumerate(tape.forms):
        b = Vector(target, dtype)
        (segment,) = plan(form, b.lanes, len(form.nodes), rows=False).segments
        yield SegmentEmitter(form, segment, b, fusions(form), Entry(form, b), {}.__getitem__).emit(f"form{k}")
    yield _played(program, tape, Vector(target, dtype))


class Entry(Access):
    """The values of a form, in the slots that an entry names, and its constants."""

    SIGNATURE = "ptr noalias %scratch, ptr noalias %piece"

    def load(self, operand: int, tiles: Mapping[int, Sequence[int]]) -> list[str]:
        columns = [c for wanted in tiles.values() for c in wanted]
        return [self._constant(c) if operand else self._value(c) for c in columns]

    def store(self, output: int, tiles: Mapping[int, Sequence[str]]) -> None:
        first = self.program.inputs[0].size
        for start, values in tiles.items():
            for c, value in enumerate(values, first + start):
                place = self._slot(c)
                self.b.line(f"store {self.b.type} {value}, ptr {place}, align {self.b.target.vector_bytes}")

    def _constant(self, k: int) -> str:
        b = self.b
        number = b.set(f"load {b.scalar}, ptr {b.address('%piece', k * b.bytes)}, align {b.bytes}")
        alone = b.set(f"insertelement {b.type} poison, {b.scalar} {number}, i32 0")
        return b.shuffle(alone, "poison", [0] * b.lanes)

    def _value(self, k: int) -> str:
        return self.b.set(f"load {self.b.type}, ptr {self._slot(k)}, align {self.b.target.vector_bytes}")

    def _slot(self, k: int) -> str:
        b = self.b
        at = b.address("%piece", self.program.inputs[1].size * b.bytes + k * PLACE)
        return b.address("%scratch", b.set(f"zext i32 {b.set(f'load i32, ptr {at}, align {PLACE}')} to i64"))


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
    starts, entries = _entries(tape, b)
    order = np.array([(piece.form, start) for piece, start in zip(tape.pieces, starts, strict=True)], np.uint32)
    tables += [_table("pieces", order.tobytes()), _table("tape", entries)]
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
    which = b.address("@pieces", b.set("mul i64 %k, 8"))
    form = b.set(f"load i32, ptr {which}, align 4")
    start = b.set(f"zext i32 {b.set(f'load i32, ptr {b.address(which, 4)}, align 4')} to i64")
    entry = b.address("@tape", start)
    forms = range(len(tape.forms))
    b.line(f"switch i32 {form}, label %form0 [ {' '.join(f'i32 {f}, label %form{f}' for f in forms)} ]")
    for f in forms:
        b.label(f"form{f}")
        b.line(f"call void @form{f}(ptr %scratch, ptr {entry})")
        b.line("br label %played")
    b.label("played")
    b.line("%next = add i64 %k, 1")
    b.line(f"%more = icmp slt i64 %next, {len(tape.pieces)}")
    b.line("br i1 %more, label %each, label %end")
    b.label("end")


def _entries(tape: Tape, b: Vector) -> tuple[list[int], bytes]:
    """Where each entry of the tape begins, and the tape."""
    parts, starts, end = [], [], 0
    for piece in tape.pieces:
        constants = np.array(piece.constants, "f8" if b.dtype == "float64" else "f4").tobytes()
        places = _places(piece.reads + piece.writes, b)
        padding = bytes(-(len(constants) + len(places)) % 8)
        parts += [constants, places, padding]
        starts.append(end)
        end += len(constants) + len(places) + len(padding)
    return starts, b"".join(parts)


def _places(slots: Sequence[int], b: Vector) -> bytes:
    return (np.array(slots, np.uint32) * (b.lanes * b.bytes)).astype(np.uint32).tobytes()


def _table(name: str, data: bytes) -> str:
    text = "".join(map(_ESCAPED.__getitem__, data))
    return f'@{name} = internal constant [{len(data)} x i8] c"{text}", align 64'
