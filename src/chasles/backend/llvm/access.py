"""Operands of a segment, read and written: a batch, or slots of scratch memory.

Element c of row r of operand k of a batch is at args[k] + r steps[k] + c steps[K + k], K operands in all. It is read
and written where it lies, W rows at once, in one of two layouts: in rows, where the elements of a row follow one
another, the rows are transposed in registers; in columns, where the rows of an element do, a column is a vector. Which
it is, each operand says by itself. Of the W rows from `row` on `valid` exist: the last one stands in for those that do
not, so that no lane computes anything a row of the batch does not; where an operand is in columns, all of them do.

A slot is a vector of W lanes; the steps of loops work on slots.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar

from chasles.backend.llvm.tiles import load_columns, store_columns
from chasles.backend.llvm.vector import Vector
from chasles.backend.schedule import ColumnRun
from chasles.errors import CompileError
from chasles.graph.program import Program

LONG_ROW = 16  # columns beyond which the processor does not foresee the next rows by itself
COLUMN_AHEAD = 256  # bytes of a column that are asked for before their turn: of many columns it does not foresee all


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
    def load(self, operand: int, tiles: Mapping[int, Sequence[int]]) -> list[str]:
        """Columns of an input, tile after tile; tiles: the columns that are wanted of each, by its first one."""

    @abstractmethod
    def store(self, output: int, tiles: Mapping[int, Sequence[str]]) -> None:
        """Columns start, start + 1, ... of an output, by `start`."""

    def take(self, run: ColumnRun, slot: int) -> None:
        """Move columns of an input into slots, however many there are."""
        raise CompileError("only rows are moved whole")

    def give(self, run: ColumnRun, slot: int) -> None:
        """Move slots into columns of an output."""
        raise CompileError("only rows are moved whole")


class BatchRows(Access):
    """Rows of a batch, in rows or in columns."""

    SIGNATURE = "ptr noalias %args, ptr noalias %steps, i64 %row, i64 %valid, ptr noalias %scratch"

    def begin(self) -> None:
        self.more = [self.b.set(f"icmp sgt i64 %valid, {r}", "more") for r in range(1, self.b.lanes)]

    def _either(
        self, operand: int, rows: Callable[["Rows"], list[str]], columns: Callable[["Columns"], list[str]]
    ) -> list[str]:
        """What is found by one of two ways, by how an operand lies; ways that find values are straight lines."""
        b = self.b
        base = b.set(f"load ptr, ptr {b.address('%args', operand, 'ptr')}", "p")
        step = b.set(f"load i64, ptr {b.address('%steps', operand, 'i64')}")
        count = len(self.program.inputs) + len(self.program.outputs)
        element = b.set(f"load i64, ptr {b.address('%steps', count + operand, 'i64')}")
        first = b.address(base, b.set(f"mul i64 %row, {step}"))
        in_rows, in_columns, on = (b.fresh(stem)[1:] for stem in ("rows", "columns", "on"))
        test = b.set(f"icmp eq i64 {element}, {b.bytes}")
        b.line(f"br i1 {test}, label %{in_rows}, label %{in_columns}")
        b.label(in_rows)
        found = rows(Rows(b, first, step, self.more))
        b.line(f"br label %{on}")
        b.label(in_columns)
        others = columns(Columns(b, first, element))
        b.line(f"br label %{on}")
        b.label(on)
        return [
            b.set(f"phi {b.type} [ {x}, %{in_rows} ], [ {y}, %{in_columns} ]")
            for x, y in zip(found, others, strict=True)
        ]

    def load(self, operand: int, tiles: Mapping[int, Sequence[int]]) -> list[str]:
        size = self.program.inputs[operand].size
        return self._either(operand, lambda rows: rows.load(tiles, size), lambda columns: columns.load(tiles))

    def store(self, output: int, tiles: Mapping[int, Sequence[str]]) -> None:
        operand = len(self.program.inputs) + output
        self._either(operand, lambda rows: rows.store(tiles), lambda columns: columns.store(tiles))

    def take(self, run: ColumnRun, slot: int) -> None:
        self._either(run.operand, lambda rows: rows.take(run, slot), lambda columns: columns.take(run, slot))

    def give(self, run: ColumnRun, slot: int) -> None:
        operand = len(self.program.inputs) + run.operand
        self._either(operand, lambda rows: rows.give(run, slot), lambda columns: columns.give(run, slot))


class Rows:
    """W rows of an operand, each contiguous, a step apart; past the last valid one they stay."""

    def __init__(self, b: Vector, first: str, step: str, more: Sequence[str]) -> None:
        """more: whether there is a second row, a third, ..."""
        self.b, self.step = b, step
        self.pointers = [first]
        for also in more:
            self.pointers.append(b.address(self.pointers[-1], b.set(f"select i1 {also}, i64 {step}, i64 0")))

    def load(self, tiles: Mapping[int, Sequence[int]], size: int) -> list[str]:
        b, found = self.b, []
        ahead = b.set(f"mul i64 {self.step}, {b.lanes}") if size >= LONG_ROW else ""
        for start, columns in tiles.items():
            places = [b.address(row, start * b.bytes) for row in self.pointers]
            tile = load_columns(b, places, min(b.lanes, size - start))
            found += [tile[c - start] for c in columns]
            if ahead:  # ask for the next block's rows while this one is computed
                for place in places:
                    b.prefetch(b.address(place, ahead))
        return found

    def store(self, tiles: Mapping[int, Sequence[str]]) -> list[str]:
        b = self.b
        for start, values in tiles.items():
            store_columns(b, list(values), [b.address(row, start * b.bytes) for row in self.pointers])
        return []

    def take(self, run: ColumnRun, slot: int) -> list[str]:
        b = self.b
        if run.backward:
            with counted(b, run.columns // run.backward) as row:
                to = b.set(f"mul i64 {row}, {run.backward}")
                source = b.set(f"sub i64 {run.column + run.columns - run.backward}, {to}")
                for c in range(0, run.backward, b.lanes):
                    count = min(b.lanes, run.backward - c)
                    at = b.set(f"mul i64 {b.set(f'add i64 {source}, {c}')}, {b.bytes}")
                    columns = load_columns(b, [b.address(x, at) for x in self.pointers], count)
                    for pointer, value in zip(_slots_from(b, slot + c, to), columns, strict=False):
                        b.line(f"store {b.type} {value}, ptr {pointer}, align {b.target.vector_bytes}")
            return []
        with _tiles(b, run.columns) as column:
            at = b.set(f"mul i64 {b.set(f'add i64 {column}, {run.column}')}, {b.bytes}")
            columns = load_columns(b, [b.address(row, at) for row in self.pointers], b.lanes)
            for pointer, value in zip(_slots_from(b, slot, column), columns, strict=True):
                b.line(f"store {b.type} {value}, ptr {pointer}, align {b.target.vector_bytes}")
        return []

    def give(self, run: ColumnRun, slot: int) -> list[str]:
        b = self.b
        if run.backward:
            with counted(b, run.columns // run.backward) as row:
                to = b.set(f"mul i64 {row}, {run.backward}")
                source = b.set(f"sub i64 {run.columns - run.backward}, {to}")
                for c in range(0, run.backward, b.lanes):
                    count = min(b.lanes, run.backward - c)
                    pointers = _slots_from(b, slot + c, source)[:count]
                    values = [b.set(f"load {b.type}, ptr {p}, align {b.target.vector_bytes}") for p in pointers]
                    at = b.set(f"mul i64 {b.set(f'add i64 {to}, {run.column + c}')}, {b.bytes}")
                    store_columns(b, values, [b.address(x, at) for x in self.pointers])
            return []
        with _tiles(b, run.columns) as column:
            at = b.set(f"mul i64 {b.set(f'add i64 {column}, {run.column}')}, {b.bytes}")
            pointers = _slots_from(b, slot, column)
            values = [b.set(f"load {b.type}, ptr {p}, align {b.target.vector_bytes}") for p in pointers]
            store_columns(b, values, [b.address(row, at) for row in self.pointers])
        return []


class Columns:
    """Columns of an operand, W numbers of each from `first` on, a step apart."""

    def __init__(self, b: Vector, first: str, step: str) -> None:
        self.b, self.first, self.step = b, first, step

    def _places(self, columns: Iterable[int]) -> Iterator[str]:
        """Where columns are, each found from the one before."""
        at, place = 0, self.first
        for c in columns:
            if c != at:
                place = self.b.address(place, self._times(c - at))
                at = c
            yield place

    def _times(self, columns: int) -> str:
        return self.step if columns == 1 else self.b.set(f"mul i64 {self.step}, {columns}")

    def load(self, tiles: Mapping[int, Sequence[int]]) -> list[str]:
        b, found = self.b, []
        for place in self._places(c for columns in tiles.values() for c in columns):
            found.append(b.load_row(place, b.lanes))
            b.prefetch(b.address(place, COLUMN_AHEAD))
        return found

    def store(self, tiles: Mapping[int, Sequence[str]]) -> list[str]:
        values = {start + c: value for start, tile in tiles.items() for c, value in enumerate(tile)}
        for place, value in zip(self._places(values), values.values(), strict=True):
            self.b.store_row(value, place, self.b.lanes)
        return []

    def take(self, run: ColumnRun, slot: int) -> list[str]:
        b = self.b
        for place, pointer in self._run(run, slot, given=False):
            value = b.load_row(place, b.lanes)
            b.line(f"store {b.type} {value}, ptr {pointer}, align {b.target.vector_bytes}")
        return []

    def give(self, run: ColumnRun, slot: int) -> list[str]:
        b = self.b
        for place, pointer in self._run(run, slot, given=True):
            b.store_row(b.set(f"load {b.type}, ptr {pointer}, align {b.target.vector_bytes}"), place, b.lanes)
        return []

    def _run(self, run: ColumnRun, slot: int, given: bool) -> Iterator[tuple[str, str]]:
        """A loop over the columns of a run: where each is, and its slot. given: the order is that of the columns."""
        b, length = self.b, run.backward or 1
        with counted(b, run.columns // length) as row:
            forward = b.set(f"mul i64 {row}, {length}")
            other = b.set(f"sub i64 {run.columns - length}, {forward}") if run.backward else forward
            column, behind = (forward, other) if given else (other, forward)
            for k in range(length):
                at = b.set(f"add i64 {column}, {run.column + k}")
                place = b.address(self.first, b.set(f"mul i64 {at}, {self.step}"))
                yield place, _slots_from(b, slot + k, behind, 1)[0]


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
def counted(b: Vector, count: int | str, by: int = 1, stem: str = "row") -> Iterator[str]:
    """A loop over 0, by, 2 by, ... below count; what is done in it may branch."""
    before, again, last, done = (b.fresh(name)[1:] for name in ("before", stem, "last", "moved"))
    at, following = b.fresh("at"), b.fresh("next")
    b.line(f"br label %{before}")
    b.label(before)
    b.line(f"br label %{again}")
    b.label(again)
    b.line(f"{at} = phi i64 [ 0, %{before} ], [ {following}, %{last} ]")
    yield at
    b.line(f"br label %{last}")
    b.label(last)
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

    def load(self, operand: int, tiles: Mapping[int, Sequence[int]]) -> list[str]:
        first = self.inputs(operand)
        return [load_slot(self.b, first + c) for columns in tiles.values() for c in columns]

    def store(self, output: int, tiles: Mapping[int, Sequence[str]]) -> None:
        for start, values in tiles.items():
            for c, value in enumerate(values, start):
                store_slot(self.b, self.outputs(output) + c, value)
