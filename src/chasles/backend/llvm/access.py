"""Operands of a segment, read and written: rows of a batch, or slots of scratch memory.

Rows are read and written where they lie (`args[k] + row * steps[k]`), W of them at once, transposed in registers. Of
the W rows from `row` on `valid` exist: the last one stands in for those that do not, so that no lane computes anything
a row of the batch does not. A slot is a vector of W lanes; the steps of loops work on slots.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from chasles.backend.llvm.vector import Vector
from chasles.backend.schedule import ColumnRun
from chasles.errors import CompileError
from chasles.graph.program import Program

LONG_ROW = 64  # columns beyond which the processor does not foresee the next rows by itself


def load_slot(b: Vector, slot: int) -> str:
    """The vector in a slot of %scratch."""
    pointer = b.address("%scratch", slot * b.lanes * b.bytes)
    return b.set(f"load {b.type}, ptr {pointer}, align {b.target.vector_bytes}")


def store_slot(b: Vector, slot: int, value: str) -> None:
    pointer = b.address("%scratch", slot * b.lanes * b.bytes)
    b.line(f"store {b.type} {value}, ptr {pointer}, align {b.target.vector_bytes}")


class Access(ABC):
    """Operands of a program, in tiles of W columns."""

    SIGNATURE: ClassVar[str]  # of the functions that have it

    def __init__(self, program: Program, b: Vector) -> None:
        self.program, self.b = program, b

    def begin(self) -> None:
        """What the function needs first."""
        return None

    @abstractmethod
    def load(self, operand: int, start: int, columns: Sequence[int]) -> list[str]:
        """Columns of the tile of an input that begins at `start`."""

    @abstractmethod
    def store(self, output: int, start: int, values: list[str]) -> None:
        """Columns start, start + 1, ... of an output."""

    def take(self, run: ColumnRun, slot: int) -> None:
        """Move columns of an input into slots, however many there are."""
        raise CompileError("only rows are moved whole")

    def give(self, run: ColumnRun, slot: int) -> None:
        """Move slots into columns of an output."""
        raise CompileError("only rows are moved whole")


class BatchRows(Access):
    """Rows of a batch."""

    SIGNATURE = "ptr noalias %args, ptr noalias %steps, i64 %row, i64 %valid, ptr noalias %scratch"

    def begin(self) -> None:
        self.pointers: dict[int, list[str]] = {}
        self.more = [self.b.set(f"icmp sgt i64 %valid, {r}", "more") for r in range(1, self.b.lanes)]

    def _rows(self, operand: int) -> list[str]:
        """Pointers to the W rows of an operand; past the last valid row they stay."""
        if operand not in self.pointers:
            b = self.b
            base = b.set(f"load ptr, ptr {b.address('%args', operand, 'ptr')}", "p")
            step = b.set(f"load i64, ptr {b.address('%steps', operand, 'i64')}")
            rows = [b.address(base, b.set(f"mul i64 %row, {step}"))]
            for more in self.more:
                rows.append(b.address(rows[-1], b.set(f"select i1 {more}, i64 {step}, i64 0")))
            self.pointers[operand] = rows
        return self.pointers[operand]

    def load(self, operand: int, start: int, columns: Sequence[int]) -> list[str]:
        b, size = self.b, self.program.inputs[operand].size
        count = min(b.lanes, size - start)
        rows = [b.load_row(b.address(row, start * b.bytes), count) for row in self._rows(operand)]
        if size >= LONG_ROW:  # ask for the next block's rows while this one is computed
            step = b.set(f"load i64, ptr {b.address('%steps', operand, 'i64')}")
            ahead = b.set(f"mul i64 {step}, {b.lanes}")
            for row in self._rows(operand):
                b.prefetch(b.address(b.address(row, start * b.bytes), ahead))
        transposed = b.transpose(rows)
        return [transposed[c - start] for c in columns]

    def store(self, output: int, start: int, values: list[str]) -> None:
        b, count = self.b, len(values)
        pointers = self._rows(len(self.program.inputs) + output)
        padded = values + [b.constant(0.0)] * (b.lanes - count)
        for value, pointer in zip(b.transpose(padded), pointers, strict=True):
            b.store_row(value, b.address(pointer, start * b.bytes), count)

    def take(self, run: ColumnRun, slot: int) -> None:
        b, rows = self.b, self._rows(run.operand)
        if run.backward:
            with counted(b, run.columns // run.backward) as row:
                to = b.set(f"mul i64 {row}, {run.backward}")
                source = b.set(f"sub i64 {run.column + run.columns - run.backward}, {to}")
                for c in range(0, run.backward, b.lanes):
                    count = min(b.lanes, run.backward - c)
                    at = b.set(f"mul i64 {b.set(f'add i64 {source}, {c}')}, {b.bytes}")
                    columns = b.transpose([b.load_row(b.address(x, at), count) for x in rows])
                    for pointer, value in zip(_slots_from(b, slot + c, to), columns[:count], strict=False):
                        b.line(f"store {b.type} {value}, ptr {pointer}, align {b.target.vector_bytes}")
            return
        with _tiles(b, run.columns) as column:
            at = b.set(f"mul i64 {b.set(f'add i64 {column}, {run.column}')}, {b.bytes}")
            columns = b.transpose([b.load_row(b.address(row, at), b.lanes) for row in rows])
            for pointer, value in zip(_slots_from(b, slot, column), columns, strict=True):
                b.line(f"store {b.type} {value}, ptr {pointer}, align {b.target.vector_bytes}")

    def give(self, run: ColumnRun, slot: int) -> None:
        b, rows = self.b, self._rows(len(self.program.inputs) + run.operand)
        if run.backward:
            with counted(b, run.columns // run.backward) as row:
                to = b.set(f"mul i64 {row}, {run.backward}")
                source = b.set(f"sub i64 {run.columns - run.backward}, {to}")
                for c in range(0, run.backward, b.lanes):
                    count = min(b.lanes, run.backward - c)
                    pointers = _slots_from(b, slot + c, source)[:count]
                    values = [b.set(f"load {b.type}, ptr {p}, align {b.target.vector_bytes}") for p in pointers]
                    values += [b.constant(0.0)] * (b.lanes - count)
                    at = b.set(f"mul i64 {b.set(f'add i64 {to}, {run.column + c}')}, {b.bytes}")
                    for x, value in zip(rows, b.transpose(values), strict=True):
                        b.store_row(value, b.address(x, at), count)
            return
        with _tiles(b, run.columns) as column:
            at = b.set(f"mul i64 {b.set(f'add i64 {column}, {run.column}')}, {b.bytes}")
            pointers = _slots_from(b, slot, column)
            values = [b.set(f"load {b.type}, ptr {p}, align {b.target.vector_bytes}") for p in pointers]
            for row, value in zip(rows, b.transpose(values), strict=True):
                b.store_row(value, b.address(row, at), b.lanes)


def pass_on(b: Vector, run: ColumnRun, source: int, to: int) -> None:
    """Move slots from one place to another, however many there are."""
    length = run.backward or 1
    with counted(b, run.columns // length) as row:
        there = b.set(f"mul i64 {row}, {length}")
        here = b.set(f"sub i64 {run.columns - length}, {there}") if run.backward else there
        for k in range(length):
            value = b.set(f"load {b.type}, ptr {_slots_from(b, source + k, here, 1)[0]}, align {b.target.vector_bytes}")
            b.line(f"store {b.type} {value}, ptr {_slots_from(b, to + k, there, 1)[0]}, align {b.target.vector_bytes}")


@contextmanager
def counted(b: Vector, count: int, by: int = 1, stem: str = "row") -> Iterator[str]:
    """A loop over 0, by, 2 by, ... below count."""
    before, again, done = (b.fresh(name)[1:] for name in ("before", stem, "moved"))
    at, following = b.fresh("at"), b.fresh("next")
    b.line(f"br label %{before}")
    b.label(before)
    b.line(f"br label %{again}")
    b.label(again)
    b.line(f"{at} = phi i64 [ 0, %{before} ], [ {following}, %{again} ]")
    yield at
    b.line(f"{following} = add i64 {at}, {by}")
    more = b.set(f"icmp slt i64 {following}, {count}")
    b.line(f"br i1 {more}, label %{again}, label %{done}")
    b.label(done)


@contextmanager
def _tiles(b: Vector, count: int) -> Iterator[str]:
    """A loop over the first columns of tiles, the last of which overlaps its neighbour rather than the end."""
    with counted(b, count, b.lanes, "tile") as at:
        beyond = b.set(f"icmp sgt i64 {at}, {count - b.lanes}")
        yield b.set(f"select i1 {beyond}, i64 {count - b.lanes}, i64 {at}")


def _slots_from(b: Vector, slot: int, column: str, count: int | None = None) -> list[str]:
    """Where slots are, W of them unless told, `column` slots behind `slot`."""
    first = b.address("%scratch", b.set(f"mul i64 {column}, {b.lanes * b.bytes}"))
    return [b.address(first, (slot + k) * b.lanes * b.bytes) for k in range(count or b.lanes)]


class ScratchSlots(Access):
    """Slots of scratch memory; `inputs` and `outputs` say where an operand begins."""

    SIGNATURE = "ptr noalias %scratch"

    def __init__(
        self, program: Program, b: Vector, inputs: Callable[[int], int], outputs: Callable[[int], int]
    ) -> None:
        super().__init__(program, b)
        self.inputs, self.outputs = inputs, outputs

    def load(self, operand: int, start: int, columns: Sequence[int]) -> list[str]:
        return [load_slot(self.b, self.inputs(operand) + c) for c in columns]

    def store(self, output: int, start: int, values: list[str]) -> None:
        for c, value in enumerate(values, start):
            store_slot(self.b, self.outputs(output) + c, value)
