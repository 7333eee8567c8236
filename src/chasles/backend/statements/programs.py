"""Programs as statements: one for each operation, `v12 = v3 * v7`.

Elements of inputs and of what loops give are named where they are first needed, so that those which only pass through,
from an input into a loop or from a loop into a result, never are: they are copied in runs, or their array itself is
handed on. A program of more operations than a function of the language should have becomes several functions; numbers
that outlive their part are kept in an array that all parts share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chasles.backend.calls import is_call, written_out
from chasles.backend.schedule import runs
from chasles.backend.statements.language import Kind, Language, Parameter
from chasles.backend.statements.loops import loop_function
from chasles.graph.operand import Ref
from chasles.graph.program import Loop, Program
from chasles.scalar.operations import CONDITIONS

KEPT = "kept"  # the array of numbers that outlive their part
SHORTEST = 8  # elements that are copied by one statement

Value = Ref | float


def write(language: Language, body: Program | Loop, name: str) -> str:
    """Write the function of a program or a loop, and before it those that it calls; its name."""
    if isinstance(body, Program):
        return _program(language, body, name)
    step = _program(language, body.step, f"{name}_step")
    return loop_function(language, body, language.name("f", name), step)


def _called(language: Language, loop: Loop, name: str) -> str:
    """The function of a loop in a program, written once; of a loop that is a call, that of its step."""
    if loop not in language.loops:
        step = _program(language, loop.step, f"{name}_step")
        call = is_call(loop)
        language.loops[loop] = step if call else loop_function(language, loop, language.name("f", name), step)
    return language.loops[loop]


def _program(language: Language, program: Program, name: str) -> str:
    program = written_out(program)
    called = [_called(language, loop, f"{name}_{k}") for k, loop in enumerate(program.loops)]
    function, parts = language.name("f", name), Parts(program, language.longest)
    inputs, outputs = language.parameters("x", program.inputs), language.parameters("y", program.outputs)
    if parts.count == 1:
        language.begin_function(function, inputs, outputs)
        _Part(language, program, called, parts, 0).write()
        language.end()
        return function
    kept = Parameter(KEPT, len(parts.slots))
    for j in range(parts.count):
        language.begin_function(f"{function}_part{j}", inputs, [*outputs, kept])
        _Part(language, program, called, parts, j).write()
        language.end()
    language.begin_function(function, inputs, outputs)
    language.array(*kept)
    for j in range(parts.count):
        language.call(f"{function}_part{j}", [x.name for x in inputs], [*(y.name for y in outputs), KEPT])
    language.end()
    return function


class Parts:
    """A program in parts: `home`, the part of each node, and `slots`, where numbers that outlive theirs are kept.

    An input is at home everywhere (-1), an item where its loop is; a result is written where it is at home, or first.
    Of each part there are its operations, the numbers it keeps for others, and the outputs that it writes, in whole or
    in part. `direct` are outputs that are written by loops.
    """

    def __init__(self, program: Program, longest: int | None) -> None:
        operations = [k for k, (op, _) in enumerate(program.nodes) if op not in ("input", "item")]
        self.count = max(1, -(-len(operations) // longest)) if longest else 1
        self.direct = dict(_straight_from_loops(program))
        self.home = [-1] * len(program.nodes)
        self.operations: list[list[int]] = [[] for _ in range(self.count)]
        for place, k in enumerate(operations):
            self.home[k] = place * self.count // len(operations)
            self.operations[self.home[k]].append(k)
        self.slots: dict[int, int] = {}
        for k, (op, args) in enumerate(program.nodes):
            if op == "item":
                self.home[k] = self.home[args[0].index]
                continue
            for a in args:
                if isinstance(a, Ref) and self.home[a.index] not in (-1, self.home[k]):
                    self.slots.setdefault(a.index, len(self.slots))
        self.kept: list[list[int]] = [[] for _ in range(self.count)]
        for k in self.slots:
            self.kept[self.home[k]].append(k)
        self.outputs: list[list[int]] = [[] for _ in range(self.count)]
        for o, row in enumerate(program.results):
            for part in sorted({self.of(x) for x in row}) if o not in self.direct.values() else ():
                self.outputs[part].append(o)

    def of(self, x: Value) -> int:
        """The part in which a result is written."""
        return max(0, self.home[x.index]) if isinstance(x, Ref) else 0


class _Part:
    """The statements of one part of a program, in a function that is begun."""

    def __init__(self, language: Language, program: Program, called: Sequence[str], parts: Parts, part: int) -> None:
        self.language, self.program, self.called, self.parts, self.part = language, program, called, parts, part
        self.inputs = language.parameters("x", program.inputs)
        self.outputs = language.parameters("y", program.outputs)
        self.given: dict[int, list[Parameter]] = {}  # the arrays of what a loop gives, by its node
        self.named: set[int] = set()
        self.counters = 0

    def write(self) -> None:
        for k in self.parts.operations[self.part]:
            op, args = self.program.nodes[k]
            if op == "loop":
                self.call(k, args[0], args[1:])
            else:
                self.language.let(f"v{k}", self.language.apply(op, *map(self.value, args)), _kind(op))
                self.named.add(k)
        for k in self.parts.kept[self.part]:
            self.keep(k, self.parts.slots[k])
        for o in self.parts.outputs[self.part]:
            here = [x if self.parts.of(x) == self.part else None for x in self.program.results[o]]
            self.fill(self.outputs[o].name, here)

    def value(self, x: Value) -> str:
        """The name of a number or condition, which it has from now on."""
        if not isinstance(x, Ref):
            return self.language.number(x)
        if x.index not in self.named:
            self.named.add(x.index)
            place, kind = self.place(x), _kind(self.program.nodes[x.index][0])
            found = self.language.at(*(place or (KEPT, self.parts.slots[x.index])))
            if kind == "condition":
                found = self.language.apply("less", self.language.number(0.5), found)
            self.language.let(f"v{x.index}", found, kind)
        return f"v{x.index}"

    def keep(self, k: int, slot: int) -> None:
        value = self.value(Ref(k))
        if _kind(self.program.nodes[k][0]) == "condition":
            value = self.language.apply("where", value, self.language.number(1.0), self.language.number(0.0))
        self.language.set(self.language.at(KEPT, slot), value)

    def place(self, x: Value | None) -> tuple[str, int] | None:
        """The array and the index of an element of an input, or of what a loop of this part gives."""
        if not isinstance(x, Ref):
            return None
        op, args = self.program.nodes[x.index]
        if op == "input":
            return self.inputs[args[0]].name, args[1]
        if op == "item" and self.parts.home[args[0].index] == self.part:
            return _element(self.given[args[0].index], args[1])
        return None

    def fill(self, array: str, values: Sequence[Value | None]) -> None:
        """Set the elements of an array, but where there is None."""
        language, done = self.language, set()
        for start, (source, first), size, row in runs([self.place(x) for x in values], SHORTEST):
            done.update(range(start, start + size))
            if row:
                self.copy_rows(array, start, source, first, size, row)
            else:
                language.copy(array, start, source, first, size)
        for i, x in enumerate(values):
            if i not in done and x is not None:
                language.set(language.at(array, i), self.value(x))

    def copy_rows(self, to: str, start: int, source: str, first: int, size: int, row: int) -> None:
        """Rows of an array into another, the last one first."""
        language, r = self.language, f"r{self.counters}"
        self.counters += 1
        language.let(r, "0", "index")
        language.begin_while(f"{r} < {size // row}")
        language.copy(to, f"{start} + {r} * {row}", source, f"{first + size - row} - {r} * {row}", row)
        language.set(r, f"{r} + 1")
        language.end()

    def call(self, node: int, index: int, values: Sequence[Value]) -> None:
        """A loop on the values of all its inputs; what it gives is in arrays of the node's number, or in results."""
        language, loop = self.language, self.program.loops[index]
        taken, start = {}, 0
        for operand in loop.inputs:
            taken[operand.name] = self.whole(values[start : start + operand.size])
            if taken[operand.name] is None:
                taken[operand.name] = language.name(f"in{node}", operand)
                language.array(taken[operand.name], operand.size)
                self.fill(taken[operand.name], values[start : start + operand.size])
            start += operand.size
        given = language.parameters(f"out{node}", loop.outputs)
        for p, (name, size) in enumerate(given):
            if (node, p) in self.parts.direct:
                given[p] = self.outputs[self.parts.direct[node, p]]
            else:
                language.array(name, size)
        self.given[node] = given
        order = loop.step.inputs if is_call(loop) else loop.inputs
        language.call(self.called[index], [taken[o.name] for o in order], [y.name for y in given])

    def whole(self, values: Sequence[Value]) -> str | None:
        """The array whose elements the values are, all and in order."""
        places = [self.place(x) for x in values]
        if not values or places[0] is None or places != [(places[0][0], i) for i in range(len(values))]:
            return None
        arrays = dict([*self.inputs, *(array for given in self.given.values() for array in given)])
        return places[0][0] if arrays[places[0][0]] == len(values) else None


def _straight_from_loops(program: Program) -> Iterator[tuple[tuple[int, int], int]]:
    """((node, p), o) where output o is output p of a loop, whole: the loop can write it."""
    for o, row in enumerate(program.results):
        nodes = [program.nodes[x.index] for x in row if isinstance(x, Ref)]
        if not nodes or len(nodes) < len(row) or any(op != "item" for op, _ in nodes):
            continue
        node, first = nodes[0][1][0].index, nodes[0][1][1]
        if [args for _, args in nodes] != [(Ref(node), first + i) for i in range(len(row))]:
            continue
        start = 0
        for p, operand in enumerate(program.loops[program.nodes[node][1][0]].outputs):
            if start == first and operand.size == len(row):
                yield (node, p), o
            start += operand.size


def _element(arrays: Sequence[Parameter], i: int) -> tuple[str, int]:
    """The array, and the index in it, of element i of arrays one behind the other."""
    for name, size in arrays:
        if i < size:
            return name, i
        i -= size
    raise IndexError(i)


def _kind(op: str) -> Kind:
    return "condition" if op in CONDITIONS else "number"
