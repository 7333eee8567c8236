"""A program cut into segments, and what passes between them; products fused into sums (fused multiply-add).

A long straight line of code is compiled in more than linear time, and badly: values are kept in registers and on the
stack across thousands of operations. So it is cut: each segment becomes a function, and values that outlive their
segment pass through slots of a scratch buffer. One that is short enough is left whole, since what passes costs as much
as what it saves.

Inputs and outputs move in tiles of W columns, which are transposed whole: an input tile is loaded in the first segment
that reads it, an output tile stored in the last that computes for it. Columns that go straight into a loop, or come
straight out of it, are no tiles: they move where the loop is, however many they are, in order or with their rows last
to first, and so do those that go from one loop into another. Nor are the columns of wide outputs: their values have
slots, and are moved when all are there.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from chasles.graph.program import Loop, Program, Ref
from chasles.scalar.operations import OPERATIONS

T = TypeVar("T")

ITERATIONS = 16  # about how many a loop without a count makes
WORK, MOST_STEPS = 100_000, 4096  # multiply-adds, and steps, between two looks whether a loop is called off
WHOLE, SEGMENT = 4000, 500  # operations up to which a program is one segment, and of those of a longer one
WIDE = 64  # columns of an output from which on they are moved by a loop (llvm/wide_rows.py)


class ColumnRun(NamedTuple):
    """Columns of an operand, one behind the other, that a loop takes as its inputs or gives as its outputs, from flat
    element `first` of these on: they are moved where the loop is, by code of fixed length.

    backward: the length of rows of which the loop has the last one first; 0, if all is in order. Of what goes from one
    loop into another (Segment.passed), operand and column are the node of the loop that gives it and its flat output.
    """

    loop: int
    first: int
    operand: int
    column: int
    columns: int
    backward: int = 0


class Segment:
    """Nodes in order, the tiles loaded and stored, and the slots read and written."""

    def __init__(self) -> None:
        self.nodes: list[int] = []
        self.loads: list[tuple[int, int]] = []  # (operand, first column)
        self.stores: list[tuple[int, int]] = []
        self.slots_in: dict[int, int] = {}  # node -> slot
        self.slots_out: dict[int, int] = {}
        self.taken: list[ColumnRun] = []  # by the loops in it
        self.given: list[ColumnRun] = []
        self.passed: list[ColumnRun] = []
        self.moved: dict[int, list[int]] = {}  # wide output -> the slot of each column; of the last segment
        self.constants: list[tuple[float, int]] = []  # of them, with their slots


class Plan(NamedTuple):
    """The segments of a program, in order, and the slots of scratch memory that they need."""

    segments: list[Segment]
    slots: int

    @property
    def passes(self) -> bool:
        """Whether a loop passes runs to another: the regions of its loops must lie apart."""
        return any(segment.passed for segment in self.segments)


def row_cost(body: Program | Loop) -> float:
    """About how many multiply-adds a row takes the time of, by the costs in the table of operations."""
    if isinstance(body, Loop):
        return (body.count or ITERATIONS) * row_cost(body.step)
    alone = sum(OPERATIONS[op].cost for op, _ in body.nodes if op in OPERATIONS)
    return alone + sum(row_cost(body.loops[args[0]]) for op, args in body.nodes if op == "loop")


def between_looks(cost: float) -> int:
    """Steps of a loop between two looks whether it is called off, a power of two; cost: of a step."""
    return 1 << max(0, int(min(MOST_STEPS, WORK / max(1.0, cost))).bit_length() - 1)


def tile(size: int, lanes: int, column: int) -> int:
    """The first column of the tile that holds `column`; the last tile overlaps its neighbour rather than the end."""
    start = column // lanes * lanes
    return max(0, min(start, size - lanes))


def fusions(program: Program) -> dict[int, int]:
    """Fused multiply-adds: a product used once, by a sum, is part of it. product -> sum; of a sum's two, the second."""
    nodes = program.nodes
    uses = [0] * len(nodes)
    for args in (*(args for op, args in nodes if op != "input"), *program.results):
        for a in args:
            if type(a) is Ref:
                uses[a.index] += 1
    fused = {}
    for k, (op, args) in enumerate(nodes):
        if op in ("add", "sub"):
            for a in reversed(args):
                if type(a) is Ref and nodes[a.index][0] == "mul" and uses[a.index] == 1:
                    fused[a.index] = k
                    break
    return fused


def runs_taken(program: Program, least: int) -> list[ColumnRun]:
    """Runs of at least so many columns of an input that follow one another in what a loop takes."""
    return [run for k in _loops(program) for run in _taken(program, k, "input", least)]


def runs_passed(program: Program, least: int) -> list[ColumnRun]:
    """Runs of at least so many outputs of a loop that follow one another in what another takes."""
    return [run for k in _loops(program) for run in _taken(program, k, "item", least)]


def _loops(program: Program) -> list[int]:
    return [k for k, (op, _) in enumerate(program.nodes) if op == "loop"]


def _taken(program: Program, loop: int, kind: str, least: int) -> list[ColumnRun]:
    """What a loop takes of nodes of a kind, in runs."""
    nodes = program.nodes

    def place(x: Any) -> tuple[int, int] | None:
        if type(x) is not Ref or nodes[x.index][0] != kind:
            return None
        of, i = nodes[x.index][1]
        return (of if kind == "input" else of.index), i

    places = [place(x) for x in nodes[loop][1][1:]]
    return [ColumnRun(loop, start, *lowest, columns, back) for start, lowest, columns, back in runs(places, least)]


def runs(places: Sequence[tuple[T, int] | None], least: int) -> list[tuple[int, tuple[T, int], int, int]]:
    """Runs of places, an array and an index each, in order or in rows of equal length of which the last one comes
    first: where each begins, its lowest place, how long it is, and the length of a row or 0.
    """
    pieces: list[tuple[int, tuple[T, int], int]] = []
    for j, at in enumerate(places):
        if at is None:
            continue
        start, first, length = pieces[-1] if pieces else (-1, at, 0)
        if start + length == j and at == (first[0], first[1] + length):
            pieces[-1] = start, first, length + 1
        else:
            pieces.append((j, at, 1))
    found, p = [], 0
    while p < len(pieces):
        start, (operand, column), length = pieces[p]
        rows = 1
        while p + rows < len(pieces) and pieces[p + rows] == (
            start + rows * length,
            (operand, column - rows * length),
            length,
        ):
            rows += 1
        if rows * length >= least:
            lowest = operand, column - (rows - 1) * length
            found.append((start, lowest, rows * length, length if rows > 1 else 0))
        p += rows
    return found


def runs_given(program: Program, least: int) -> list[ColumnRun]:
    """Outputs that are, in runs of at least so many columns, what loops give, in their order."""
    found = []
    for o, row in enumerate(program.results):
        nodes = [program.nodes[r.index] for r in row if type(r) is Ref]
        items = [args for op, args in nodes if op == "item"]
        if len(items) < len(row):
            continue
        places = runs([(loop.index, i) for loop, i in items], least)
        if sum(columns for _, _, columns, _ in places) == len(row):
            found += [ColumnRun(loop, i, o, j, columns, back) for j, (loop, i), columns, back in places]
    return found


def cut(program: Program, lanes: int, rows: bool = True) -> Plan:
    """The plan of a program: whole, or in segments of equal length. rows: its operands are rows, not slots."""
    count = program.operations.total
    pieces = 1 if count <= WHOLE else -(-count // SEGMENT)
    return plan(program, lanes, max(1, -(-count // pieces)), rows)


def plan(program: Program, lanes: int, limit: int, rows: bool = True) -> Plan:
    """Cut a program into segments of about `limit` operations; a product stays with the sum it is fused into."""
    taken, given = (runs_taken(program, 2 * lanes), runs_given(program, 2 * lanes)) if rows else ([], [])
    passed_on = runs_passed(program, 2 * lanes)
    home: dict[int, int] = {}
    count = 0
    for k, (op, _) in enumerate(program.nodes):
        if op not in ("input", "item"):
            home[k] = count // limit
            count += 1
    last = (count - 1) // limit if count else 0
    for product, total in fusions(program).items():
        home[product] = home[total]
    for k, (op, args) in enumerate(program.nodes):
        if op == "item":  # taken where the loop has run
            home[k] = home[args[0].index]

    users: dict[int, set[int]] = {}
    moved = [*taken, *passed_on]
    passed = {(run.loop, j) for run in moved for j in range(run.first + 1, run.first + 1 + run.columns)}
    for k, (op, args) in enumerate(program.nodes):
        if op != "input":
            for j, a in enumerate(args):
                if type(a) is Ref and (k, j) not in passed:
                    users.setdefault(a.index, set()).add(home[k])

    segments = [Segment() for _ in range(last + 1)]
    for run in taken:
        segments[home[run.loop]].taken.append(run)
    for run in given:
        segments[home[run.loop]].given.append(run)
    for run in passed_on:
        segments[home[run.loop]].passed.append(run)
    stored = {run.operand for run in given}
    shown = {r.index for o, row in enumerate(program.results) if o not in stored for r in row if type(r) is Ref}
    idle = {
        k for k, (op, _) in enumerate(program.nodes) if op in ("input", "item") and k not in users and k not in shown
    }
    read: dict[tuple[int, int], int] = {}  # input tile -> segment
    inputs = {k: args for k, (op, args) in enumerate(program.nodes) if op == "input" and k not in idle}
    for k, (operand, column) in inputs.items():
        key = (operand, tile(program.inputs[operand].size, lanes, column))
        first = min(users.get(k, {last}))
        read[key] = min(read.get(key, first), first)
    for k, (operand, column) in inputs.items():
        home[k] = read[operand, tile(program.inputs[operand].size, lanes, column)]
    for key, s in read.items():
        segments[s].loads.append(key)

    wide = {o: row for o, row in enumerate(program.results) if rows and len(row) >= WIDE and o not in stored}
    for o, row in enumerate(program.results):
        size = program.outputs[o].size
        if o in stored or o in wide:
            continue
        for start in sorted({tile(size, lanes, c) for c in range(size)}):
            columns = [r.index for r in row[start : start + lanes] if type(r) is Ref]
            s = max((home[k] for k in columns), default=last)
            segments[s].stores.append((o, start))
            for k in columns:
                users.setdefault(k, set()).add(s)

    for k in range(len(program.nodes)):
        if k not in idle:
            segments[home[k]].nodes.append(k)
    first = _moved(segments, home, wide)
    return Plan(segments, _slots(segments, home, users, first))


def _moved(segments: list[Segment], home: dict[int, int], wide: Mapping[int, Sequence[Ref | float]]) -> int:
    """Give every value of wide outputs a slot that it keeps, in the order of columns; how many there are."""
    slot: dict[int | str, int] = {}  # by node, or as a constant is written: 0.0 and -0.0 are two

    def place(x: Ref | float) -> int:
        return slot.setdefault(x.index if isinstance(x, Ref) else repr(float(x)), len(slot))

    segments[-1].moved = {o: [place(x) for x in row] for o, row in wide.items()}
    for x, at in slot.items():
        if isinstance(x, str):
            segments[-1].constants.append((float(x), at))
        else:
            segments[home[x]].slots_out[x] = at
    return len(slot)


def _slots(segments: list[Segment], home: dict[int, int], users: dict[int, set[int]], total: int) -> int:
    """Give every value that outlives its segment a slot, and a slot a new value when its last reader is done. total:
    slots that are taken; the values that have them keep them."""
    slot = {k: at for segment in segments for k, at in segment.slots_out.items()}
    leaving: list[list[int]] = [[] for _ in segments]
    ending: list[list[int]] = [[] for _ in segments]
    for k, where in users.items():
        if max(where) > home[k] and k not in slot:
            leaving[home[k]].append(k)
            ending[max(where)].append(k)
    free: list[int] = []
    for s, segment in enumerate(segments):
        for k in sorted(leaving[s]):
            if not free:
                free.append(total)
                total += 1
            slot[k] = free.pop()
            segment.slots_out[k] = slot[k]
        free.extend(slot[k] for k in ending[s])
    for k, where in users.items():
        for s in where:
            if s != home[k]:
                segments[s].slots_in[k] = slot[k]
    return total
