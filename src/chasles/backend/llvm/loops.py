"""Loops inside programs, as LLVM IR: W rows at once, each with its own end.

    @loopN(scratch, part)     runs a loop on the slots of a region of scratch memory

The region holds, in this order: the flat inputs of the loop (what is carried, given, and comes each time); the outputs
of its step; the results of what is carried, the last until, the records; the slice that comes with the iteration; then
what the step's segments pass to one another, and the regions of loops in the step. An iteration takes its slice where
active, calls the step's segments, then

    result = new where active,   active' = active and until = 0,   carried = new where active'                    (1)

so that a row that has stopped repeats its last iteration and raises no flag that it has not raised; the loop ends after
`count` iterations, or when no row is active. Now and then it asks whether it is called off (host/interruption.py).

A loop of one iteration is a call: the outputs of its step are its results, and nothing is moved.
"""

from dataclasses import replace
from typing import Any

from chasles.backend.calls import is_call, written_out
from chasles.backend.llvm import careful, tape
from chasles.backend.llvm.access import BatchRows, ScratchSlots, load_slot, store_slot
from chasles.backend.llvm.emit import PART, LoopPlace, SegmentEmitter
from chasles.backend.llvm.imports import imported
from chasles.backend.llvm.target import Target
from chasles.backend.llvm.vector import Vector
from chasles.backend.llvm.wide_rows import move
from chasles.backend.schedule import Plan, between_looks, cut, fusions, row_cost
from chasles.backend.tape import Tape
from chasles.errors import CompileError
from chasles.graph.program import Loop, Program
from chasles.lazy import lazy


class Region:
    """The slots of a loop, from the beginning of its region on."""

    def __init__(self, loop: Loop, plan: Plan) -> None:
        """plan: of its step."""
        self.loop, self.plan = loop, plan
        self.is_call = is_call(loop)

    @lazy
    def inputs(self) -> dict[str, int]:
        return _places((o.name, o.size) for o in self.loop.inputs)

    @lazy
    def stepped(self) -> dict[str, int]:
        """The outputs of the step."""
        first = sum(o.size for o in self.loop.inputs)
        return _places(((o.name, o.size) for o in self.loop.step.outputs), first)

    @lazy
    def results(self) -> dict[str, int]:
        """The outputs of the loop."""
        if self.is_call:
            return self.stepped
        first = sum(o.size for o in (*self.loop.inputs, *self.loop.step.outputs))
        return _places(((o.name, o.size) for o in self.loop.outputs), first)

    @property
    def outputs(self) -> list[int]:
        """The slot of each flat element of the outputs."""
        return [self.results[o.name] + i for o in self.loop.outputs for i in range(o.size)]

    @lazy
    def unread(self) -> frozenset[int]:
        """The flat inputs that no iteration reads."""
        step = self.loop.step
        read = {args for op, args in step.nodes if op == "input"}
        place = {o.name: (k, o.size) for k, o in enumerate(step.inputs)}
        found = set()
        for o in self.loop.inputs:
            k, size = place[o.name]
            first = self.inputs[o.name]
            found |= {first + i for i in range(o.size) if (k, i % size) not in read}
        return frozenset(found)

    @lazy
    def slices(self) -> dict[str, int]:
        """What comes with an iteration."""
        first = sum(o.size for o in (*self.loop.inputs, *self.loop.step.outputs, *self.loop.outputs))
        return _places(((o.name, o.size) for o in self.loop.step.inputs if o.name in self.loop.each), first)

    @property
    def inner(self) -> int:
        """Where the step's own slots begin."""
        slices = (o for o in self.loop.step.inputs if o.name in self.loop.each)
        return sum(o.size for o in (*self.loop.inputs, *self.loop.step.outputs, *self.loop.outputs, *slices))


def _places(sizes: Any, first: int = 0) -> dict[str, int]:
    places = {}
    for name, size in sizes:
        places[name] = first
        first += size
    return places


class Functions:
    """The functions of a program and of all loops in it, each loop once."""

    def __init__(self, target: Target, dtype: str) -> None:
        self.target, self.dtype = target, dtype
        self.lanes = target.lanes(dtype)
        self.parts: list[str] = []
        self.regions: dict[Loop, tuple[str, Region, int]] = {}
        self.trigonometric = self.wide = False

    def program(self, program: Program, plan: Plan) -> int:
        """@segment0, @segment1, ... of a program on rows; the slots of scratch that they need."""
        return self._segments(program, plan, "segment", 0, lambda b: BatchRows(program, b))

    def tape(self, program: Program, pieces: Tape) -> int:
        """@segment0 of a program in pieces, and its forms; the slots of scratch that they need."""
        self.parts += tape.functions(program, pieces, self.target, self.dtype)
        self.wide = True
        self.trigonometric |= _has_sines(program)
        return pieces.slots

    def finished(self) -> str:
        """All of it, and what it calls."""
        if self.trigonometric:
            self.parts.append(careful.functions(self.target, self.dtype))
        if self.wide:
            self.parts.append(move(Vector(self.target, self.dtype)))
        self.parts.append(Vector(self.target, self.dtype).declarations())
        self.parts.append('!0 = !{!"branch_weights", i32 1, i32 1000000}')
        return "\n\n".join(self.parts)

    def _segments(self, program: Program, plan: Plan, name: str, first: int, access: Any) -> int:
        """The segments of a program whose own slots begin at `first`; where the slots that it needs end."""
        regions = [self._loop(loop) for loop in program.loops]
        behind = end = first + plan.slots
        places: dict[int, LoopPlace] = {}
        for k, (op, args) in enumerate(program.nodes):
            if op == "loop":
                function, region, size = regions[args[0]]
                at = end if plan.passes else behind
                places[k] = LoopPlace(function, at, region.outputs, region.unread, region.is_call)
                end = max(end, at + size)

        fused = fusions(program)
        for s, segment in enumerate(plan.segments):
            b = Vector(self.target, self.dtype)
            emitter = SegmentEmitter(program, segment, b, fused, access(b), places.__getitem__, first)
            self.parts.append(emitter.emit(f"{name}{s}"))
        self.wide |= bool(plan.segments[-1].moved)
        self.trigonometric |= _has_sines(program)
        return end

    def _loop(self, loop: Loop) -> tuple[str, Region, int]:
        """The function of a loop, its region, and the slots that it needs."""
        if loop not in self.regions:
            if loop.restart is not None:
                raise CompileError("a search inside a program is not compiled: call it by itself")
            name, key = f"loop{len(self.regions)}", loop
            loop = replace(loop, step=written_out(loop.step), equation=None)
            region = Region(loop, cut(loop.step, self.lanes, rows=False))
            self.regions[key] = name, region, 0  # the name is taken

            def inputs(k: int) -> int:
                operand = loop.step.inputs[k].name
                return region.slices.get(operand, region.inputs.get(operand, 0))

            def outputs(k: int) -> int:
                return region.stepped[loop.step.outputs[k].name]

            def access(b: Vector) -> ScratchSlots:
                return ScratchSlots(loop.step, b, inputs, outputs)

            size = self._segments(loop.step, region.plan, f"{name}_segment", region.inner, access)
            self.regions[key] = name, region, size
            self.parts.append(_function(name, region, Vector(self.target, self.dtype)))
            return self.regions[key]
        return self.regions[loop]


def _has_sines(program: Program) -> bool:
    return any(op in ("sin", "cos") for op, _ in program.nodes)


def _function(name: str, region: Region, b: Vector) -> str:
    """@name(scratch, part)."""
    loop = region.loop
    calls = [
        f"call void @{name}_segment{s}(ptr %scratch{PART * bool(loop.step.loops)})"
        for s in range(len(region.plan.segments))
    ]
    if region.is_call:
        body = "\n  ".join(calls)
        return f"define internal void @{name}(ptr noalias %scratch{PART}) noinline {{\n  {body}\n  ret void\n}}"
    sizes = {o.name: o.size for o in loop.step.outputs}
    zero = b.constant(0.0)
    if loop.until:
        store_slot(b, region.results[loop.until], zero)
        for record in loop.record:
            _cleared(b, region.results[record], sizes[record] * (loop.count or 0))
    b.line("br label %before")
    b.label("before")
    b.line("br label %iteration")
    b.label("iteration")
    b.line("%k = phi i64 [ 0, %before ], [ %next, %watched ], [ %next, %look ]")
    if loop.until:
        b.line(f"%active = phi {b.booleans} [ splat (i1 true), %before ], [ %going, %watched ], [ %going, %look ]")
    for o in loop.step.inputs:
        if o.name in loop.each:
            base = b.address("%scratch", b.set(f"mul i64 %k, {o.size * b.lanes * b.bytes}"))
            for i in range(o.size):
                pointer = b.address(base, (region.inputs[o.name] + i) * b.lanes * b.bytes)
                value = b.set(f"load {b.type}, ptr {pointer}, align {b.target.vector_bytes}")
                at = region.slices[o.name] + i
                store_slot(b, at, b.select("%active", value, load_slot(b, at)) if loop.until else value)
    for call in calls:
        b.line(call)
    going = None
    if loop.until:
        now = load_slot(b, region.stepped[loop.until])
        last = load_slot(b, region.results[loop.until])
        store_slot(b, region.results[loop.until], b.select("%active", now, last))
        zeros = b.set(f"fcmp oeq {b.type} {now}, {zero}")
        going = "%going"
        b.line(f"%going = and {b.booleans} %active, {zeros}")
    for record in loop.record:
        base = b.address("%scratch", b.set(f"mul i64 %k, {sizes[record] * b.lanes * b.bytes}"))
        for i in range(sizes[record]):
            new = load_slot(b, region.stepped[record] + i)
            value = b.select("%active", new, zero) if going else new
            pointer = b.address(base, (region.results[record] + i) * b.lanes * b.bytes)
            b.line(f"store {b.type} {value}, ptr {pointer}, align {b.target.vector_bytes}")
    for carried in loop.carry:
        for i in range(sizes[carried]):
            new = load_slot(b, region.stepped[carried] + i)
            at, result = region.inputs[carried] + i, region.results[carried] + i
            if going:
                store_slot(b, result, b.select("%active", new, load_slot(b, result)))  # (1)
                store_slot(b, at, b.select(going, new, load_slot(b, at)))  # (1)
            else:
                store_slot(b, result, new)
                store_slot(b, at, new)
    b.line("br label %on")
    b.label("on")
    b.line("%next = add i64 %k, 1")
    again = "true" if loop.count is None else b.set(f"icmp slt i64 %next, {loop.count}")
    if going:
        flags = b.set(f"bitcast {b.booleans} %going to i{b.lanes}")
        again = b.set(f"and i1 {again}, {b.set(f'icmp ne i{b.lanes} {flags}, 0')}")
    b.line(f"br i1 {again}, label %watched, label %done")
    b.label("watched")
    some = between_looks(row_cost(loop.step))
    b.line(f"%rest = and i64 %next, {some - 1}")
    b.line("%due = icmp eq i64 %rest, 0")
    b.line("br i1 %due, label %look, label %iteration, !prof !0")
    b.label("look")
    b.line(imported("called_off", "%called_off"))
    b.line(f"%off = call i64 %called_off(ptr %part, i64 {some}, i64 {some})")
    b.line("%go = icmp eq i64 %off, 0")
    b.line("br i1 %go, label %iteration, label %done")
    b.label("done")
    body = "\n".join(b.lines)
    return f"define internal void @{name}(ptr noalias %scratch{PART}) noinline {{\nentry:\n{body}\n  ret void\n}}"


def _cleared(b: Vector, first: int, count: int) -> None:
    """Zeros in `count` slots."""
    here, again, done = (b.fresh(stem)[1:] for stem in ("before", "clear", "cleared"))
    b.line(f"br label %{here}")
    b.label(here)
    b.line(f"br label %{again}")
    b.label(again)
    at, next_at = b.fresh("at"), b.fresh("next")
    b.line(f"{at} = phi i64 [ {first}, %{here} ], [ {next_at}, %{again} ]")
    pointer = b.address("%scratch", b.set(f"mul i64 {at}, {b.lanes * b.bytes}"))
    b.line(f"store {b.type} {b.constant(0.0)}, ptr {pointer}, align {b.target.vector_bytes}")
    b.line(f"{next_at} = add i64 {at}, 1")
    more = b.set(f"icmp slt i64 {next_at}, {first + count}")
    b.line(f"br i1 {more}, label %{again}, label %{done}")
    b.label(done)
