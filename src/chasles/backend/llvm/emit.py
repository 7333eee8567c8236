"""A program as LLVM IR in SSA form: one function per segment, straight-line SIMD code on vectors of lanes.

A segment reads its inputs and writes its outputs through an access (access.py): rows of a batch, or slots of scratch
memory. What other segments need is stored where it is computed and loaded where it is first used, so that it is in a
register for as short a time as may be. Products that only one sum uses are fused into it. sin and cos are computed in
groups, after one test for arguments beyond the fast range. A loop in the program is a call of the loop's own function
(loops.py).
"""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

from chasles.backend.llvm import careful, threefry, trig
from chasles.backend.llvm.access import Access, load_slot, pass_on, store_slot
from chasles.backend.llvm.imports import imported
from chasles.backend.llvm.vector import Vector
from chasles.backend.llvm.wide_rows import moves
from chasles.backend.schedule import Segment, tile
from chasles.graph.program import Program, Ref
from chasles.scalar.operations import CONDITIONS, OPERATIONS

PART = ", ptr %part"  # a further argument, of loops and of what calls them


class LoopPlace(NamedTuple):
    """Where a loop is: its function, the slot at which its region begins, and there the slots of its outputs and of
    those inputs that it does not read. A call leaves its inputs as they are."""

    name: str
    region: int
    outputs: list[int]
    unread: frozenset[int]
    is_call: bool


class SegmentEmitter:
    """Writes one segment; `loops(k)` is where the loop is that node k of the program runs."""

    def __init__(
        self,
        program: Program,
        segment: Segment,
        vector: Vector,
        fused: dict[int, int],
        access: Access,
        loops: Callable[[int], LoopPlace],
        first: int = 0,
    ) -> None:
        """first: where the slots begin that the segments pass values in."""
        self.program, self.segment, self.b, self.fused = program, segment, vector, fused
        self.access, self.loops, self.first = access, loops, first
        self.names: dict[int, str] = {}
        self.items: dict[int, list[int]] = {}  # of the loops
        for k in segment.nodes:
            if program.nodes[k][0] == "item":
                self.items.setdefault(program.nodes[k][1][0].index, []).append(k)
        self.passed: tuple[LoopPlace | None, tuple[Any, ...]] = None, ()  # to the last call: what is still there

    def emit(self, name: str) -> str:
        b, segment, program = self.b, self.segment, self.program
        self.access.begin()
        for operand, starts in _by_operand(segment.loads).items():
            wanted = self._wanted(operand, starts)
            columns = {start: [program.nodes[k][1][1] for k in nodes] for start, nodes in wanted.items()}
            found = self.access.load(operand, columns)
            self.names |= dict(zip(itertools.chain(*wanted.values()), found, strict=True))
        self._keep(*self.names)
        for group in self._phases():
            self._trig([k for k in group if self.program.nodes[k][0] in ("sin", "cos")])
            self._keep(*(k for k in group if k in self.names))
            for k in group:
                op = self.program.nodes[k][0]
                if op == "loop":
                    self._loop(k)
                elif op not in ("input", "sin", "cos", "item") and k not in self.fused:
                    self.names[k] = self._node(k)
                    self._keep(k)
        for output, starts in _by_operand(segment.stores).items():
            row = program.results[output]
            tiles = {start: [self._value(r) for r in row[start : start + b.lanes]] for start in starts}
            self.access.store(output, tiles)
        for constant, slot in segment.constants:
            store_slot(b, self.first + slot, b.constant(constant))
        tables = moves(b, program, segment.moved, self.first)
        body = "\n".join(b.lines)
        given = self.access.SIGNATURE + PART * bool(self.program.loops)
        head = f"define internal void @{name}({given}) noinline alignstack({b.target.vector_bytes})"
        return "\n".join([f"{head} {{\nentry:\n{body}\n  ret void\n}}", *tables])

    def _wanted(self, operand: int, starts: list[int]) -> dict[int, list[int]]:
        """The nodes of the segment that are columns of an input, by the first columns of their tiles."""
        wanted: dict[int, list[int]] = {start: [] for start in starts}
        size = self.program.inputs[operand].size
        for k in self.segment.nodes:
            op, args = self.program.nodes[k]
            if op == "input" and args[0] == operand:
                wanted[tile(size, self.b.lanes, args[1])].append(k)
        return wanted

    def _loop(self, k: int) -> None:
        """Put the arguments of a loop into its region, run it, and take the items of it that are used."""
        args = self.program.nodes[k][1][1:]
        place = self.loops(k)
        passed = set(place.unread)
        for run in self.segment.taken:
            if run.loop == k:
                passed |= {*range(run.first, run.first + run.columns)}
                self.access.take(run, place.region + run.first)
        for run in self.segment.passed:
            if run.loop == k:
                passed |= {*range(run.first, run.first + run.columns)}
                giver = self.loops(run.operand)
                pass_on(self.b, run, giver.region + giver.outputs[run.column], place.region + run.first)
        last, before = self.passed
        if last == place:
            passed |= {slot for slot, x in enumerate(args) if type(x) is Ref and before[slot] == x}
        for slot, x in enumerate(args):
            if slot not in passed:
                store_slot(self.b, place.region + slot, self._value(x))
        region = self.b.address("%scratch", place.region * self.b.lanes * self.b.bytes)
        self.b.line(f"call void @{place.name}(ptr {region}{PART})")
        self.passed = (place, args) if place.is_call else (None, ())
        for item in self.items.get(k, ()):
            self.names[item] = load_slot(self.b, place.region + place.outputs[self.program.nodes[item][1][1]])
            self._keep(item)
        for run in self.segment.given:
            if run.loop == k:
                self.access.give(run, place.region + place.outputs[run.first])

    def _keep(self, *nodes: int) -> None:
        """Store what others read, where it is found: a register is free again."""
        b = self.b
        for k in nodes:
            if k in self.segment.slots_out:
                value = self.names[k]
                if self.program.nodes[k][0] in CONDITIONS:
                    value = b.select(value, b.constant(1.0), b.constant(0.0))
                store_slot(b, self.first + self.segment.slots_out[k], value)

    def _value(self, x: Ref | float) -> str:
        return self._named(x.index) if isinstance(x, Ref) else self.b.constant(x)

    def _named(self, k: int) -> str:
        """The value of a node; what others kept is loaded where it is used first."""
        if k not in self.names:
            b = self.b
            value = load_slot(b, self.first + self.segment.slots_in[k])
            if self.program.nodes[k][0] in CONDITIONS:
                value = b.set(f"fcmp une {b.type} {value}, {b.constant(0.0)}")
            self.names[k] = value
        return self.names[k]

    def _phases(self) -> list[list[int]]:
        """Nodes by how many sines or cosines of the segment lie behind them, each phase starting with its own."""
        depth: dict[int, int] = {}
        phases: list[list[int]] = [[]]
        for k in self.segment.nodes:
            op, args = self.program.nodes[k]
            behind = [] if op == "input" else [depth.get(a.index, 0) for a in args if isinstance(a, Ref)]
            depth[k] = max(behind, default=0) + (op in ("sin", "cos"))
            while len(phases) <= depth[k]:
                phases.append([])
            phases[depth[k]].append(k)
        return phases

    def _node(self, k: int) -> str:
        b = self.b
        op, args = self.program.nodes[k]
        if op in ("add", "sub"):
            for place in (1, 0):
                a = args[place]
                if isinstance(a, Ref) and a.index in self.fused:
                    x, y = (self._value(f) for f in self.program.nodes[a.index][1])
                    other = self._value(args[1 - place])
                    if op == "sub" and place == 1:
                        x = b.neg(x)  # c - x y
                    elif op == "sub":
                        other = b.neg(other)  # x y - c
                    return b.fma(x, y, other)
        x = [self._value(a) for a in args]
        match op:
            case "add" | "sub" | "mul" | "div":
                return b.op("f" + op, x[0], x[1])
            case "neg":
                return b.neg(x[0])
            case "sqrt":
                return b.sqrt(x[0])
            case "floor":
                return b.floor(x[0])
            case "random":
                return threefry.random(b, x[0], x[1])
            case "normal":
                return threefry.normal(b, x[0], x[1])
            case "where":
                return b.select(x[0], x[1], x[2])
            case "less":
                return b.less("olt", x[0], x[1])
            case "less_equal":
                return b.less("ole", x[0], x[1])
            case "and" | "or":
                return b.set(f"{op} {b.booleans} {x[0]}, {x[1]}")
            case "not":
                return b.set(f"xor {b.booleans} {x[0]}, splat (i1 true)")
        return self._by_lane(op, x)

    def _by_lane(self, op: str, x: list[str]) -> str:
        """A function of the C library, lane by lane in float64."""
        b = self.b
        pointer = b.fresh("f")
        b.line(imported(OPERATIONS[op].libm or op, pointer))
        result = "zeroinitializer"
        for lane in range(b.lanes):
            scalars = [b.set(f"extractelement {b.type} {v}, i32 {lane}") for v in x]
            if b.dtype == "float32":
                scalars = [b.set(f"fpext float {s} to double") for s in scalars]
            value = b.set(f"call double {pointer}({', '.join('double ' + s for s in scalars)})")
            if b.dtype == "float32":
                value = b.set(f"fptrunc double {value} to float")
            result = b.set(f"insertelement {b.type} {result}, {b.scalar} {value}, i32 {lane}")
        return result

    def _trig(self, group: list[int]) -> None:
        """sin and cos of a group of arguments, and one branch around them where lanes are out of the fast range."""
        if not group:
            return
        b = self.b
        arguments: dict[int, list[int]] = {}
        for k in group:
            arguments.setdefault(self.program.nodes[k][1][0].index, []).append(k)
        turns = {a: trig.quarters(b, self._named(a)) for a in arguments}
        flags = b.set(f"bitcast {b.booleans} {trig.outside(b, list(turns.values()))} to i{b.lanes}")
        test = b.set(f"icmp ne i{b.lanes} {flags}, 0")
        fast, slow, join = (b.fresh(stem)[1:] for stem in ("fast", "slow", "join"))
        b.line(f"br i1 {test}, label %{slow}, label %{fast}, !prof !0")
        b.label(fast)
        quick = [trig.sincos(b, self.names[a], turns[a]) for a in arguments]
        b.line(f"br label %{join}")
        b.label(slow)
        mended = [careful.sincos(b, self.names[a]) for a in arguments]
        b.line(f"br label %{join}")
        b.label(join)
        for a, near, right in zip(arguments, quick, mended, strict=True):
            for op, q, m in zip(("sin", "cos"), near, right, strict=True):
                value = b.set(f"phi {b.type} [ {q}, %{fast} ], [ {m}, %{slow} ]")
                for k in arguments[a]:
                    if self.program.nodes[k][0] == op:
                        self.names[k] = value


def _by_operand(tiles: list[tuple[int, int]]) -> dict[int, list[int]]:
    """The first columns of tiles, operand by operand."""
    found: dict[int, list[int]] = {}
    for operand, start in tiles:
        found.setdefault(operand, []).append(start)
    return found
