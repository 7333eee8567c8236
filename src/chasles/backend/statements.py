"""Programs and loops as statements: what back ends for languages that compute step by step have in common.

A program becomes a function of arrays, one for each input and then for each output; so does a loop, and the step that
it repeats. Of a loop (its meaning is in graph/program.py) the text is

    now <- starts, k <- 0, end <- 0
    while k < count and end = 0:   step(now, given, each[k]; new),  records[k] <- new,  now <- new,  k <- k + 1

and of a search that once more in attempts. Arrays have fixed sizes and belong to one function each: nothing is
allocated while it runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from chasles.graph.operand import Operand, Ref, Status
from chasles.graph.program import Loop, Program
from chasles.scalar.operations import CONDITIONS

PASSED = "passed__"  # the operand of what parts of a program pass on


class Language(ABC):
    """Statements as text; `lines` is what has been written."""

    operations: ClassVar[
        dict[str, str]
    ]  # templates by the name of the operation, of arguments that are names or numbers
    indent = "  "
    longest: ClassVar[int | None] = None  # nodes of a function; a program of more is cut

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def write(self, line: str) -> None:
        self.lines.append(self.indent * self.depth + line)

    # what a language has its own text for

    @abstractmethod
    def number(self, x: float) -> str:
        """A constant, exact."""

    @abstractmethod
    def at(self, array: str, index: str) -> str:
        """The element of an index, from zero on."""

    @abstractmethod
    def let(self, name: str, value: str, kind: str) -> None:
        """A "number" or a "condition" by a name; or a "variable" or an "index", which is set again."""

    @abstractmethod
    def set(self, place: str, value: str) -> None:
        """Another value for a variable or an element."""

    @abstractmethod
    def array(self, name: str, size: int) -> None:
        """An array of zeros, or of whatever it held when the function was last called."""

    @abstractmethod
    def copy(self, to: str, first: str, source: str, source_first: str, size: int) -> None:
        """Elements of an array into another."""

    @abstractmethod
    def fill(self, to: str, size: int) -> None:
        """Zeros."""

    @abstractmethod
    def begin_function(self, name: str, inputs: Sequence[Operand], outputs: Sequence[Operand]) -> None: ...

    @abstractmethod
    def begin_while(self, condition: str) -> None: ...

    @abstractmethod
    def begin_if(self, condition: str) -> None: ...

    @abstractmethod
    def end(self) -> None:
        """The end of what was begun last."""

    @abstractmethod
    def call(self, function: str, arrays: Sequence[str]) -> None: ...

    # the same for all

    def name(self, kind: str, operand: Operand | str) -> str:
        """The name of an array: no operand's name alone, as it may be a word of the language."""
        return f"{kind}_{operand if isinstance(operand, str) else operand.name}"

    def apply(self, operation: str, *arguments: str) -> str:
        return self.operations[operation].format(*arguments)

    def both(self, x: str, y: str) -> str:
        return self.apply("and", f"({x})", f"({y})")

    def is_number(self, x: str, value: float) -> str:
        """The condition that x is exactly that."""
        constant = self.number(value)
        return self.both(self.apply("less_equal", x, constant), self.apply("less_equal", constant, x))


def write(language: Language, body: Program | Loop, name: str) -> None:
    """The function of a program or a loop, and before it those that it calls."""
    if isinstance(body, Program):
        _program(language, body, name)
    else:
        _program(language, body.step, f"{name}_step")
        _loop(language, body, name)


def _program(language: Language, program: Program, name: str) -> None:
    for k, loop in enumerate(program.loops):
        write(language, loop, f"{name}_{k}")
    count = len(program.nodes)
    parts = -(-count // language.longest) if language.longest and count else 1
    cuts = [_behind_items(program, count * j // parts) for j in range(parts + 1)]
    if parts == 1:
        language.begin_function(name, program.inputs, program.outputs)
        _nodes(language, program, name, range(count), {})
        language.end()
        return
    slots = _slots(program, cuts)
    operands = program.inputs, (*program.outputs, Operand(PASSED, (len(slots),)))
    arrays = [*(language.name("x", o) for o in operands[0]), *(language.name("y", o) for o in operands[1])]
    for j in range(parts):
        language.begin_function(f"{name}_part{j}", *operands)
        _nodes(language, program, name, range(cuts[j], cuts[j + 1]), slots)
        language.end()
    language.begin_function(name, program.inputs, program.outputs)
    language.array(arrays[-1], len(slots))
    for j in range(parts):
        language.call(f"{name}_part{j}", arrays)
    language.end()


def _behind_items(program: Program, k: int) -> int:
    """The first node from k on that is no item, so that items stay with their loop."""
    while k < len(program.nodes) and program.nodes[k][0] == "item":
        k += 1
    return k


def _slots(program: Program, cuts: list[int]) -> dict[int, int]:
    """Where values that outlive their part are kept: node -> place."""
    part = [j for j, (first, last) in enumerate(pairwise(cuts)) for _ in range(first, last)]
    slots: dict[int, int] = {}
    for k, (_, args) in enumerate(program.nodes):
        for a in args:
            if isinstance(a, Ref) and part[a.index] != part[k]:
                slots.setdefault(a.index, len(slots))
    return slots


def _nodes(language: Language, program: Program, name: str, part: range, slots: dict[int, int]) -> None:
    """The statements of nodes, and of the results among them; what earlier parts have kept is read where it is needed,
    and what later ones need is kept.
    """
    nodes = program.nodes
    known: set[int] = set()

    def value(x: Ref | float) -> str:
        if not isinstance(x, Ref):
            return language.number(x)
        if x.index not in part and x.index not in known:
            known.add(x.index)
            kept, kind = language.at(language.name("y", PASSED), str(slots[x.index])), _kind(nodes[x.index][0])
            kept = language.apply("less", language.number(0.5), kept) if kind == "condition" else kept
            language.let(f"v{x.index}", kept, kind)
        return f"v{x.index}"

    for k in part:
        op, args = nodes[k]
        if op == "loop":
            _call(language, program.loops[args[0]], f"{name}_{args[0]}", k, [value(a) for a in args[1:]])
        elif op == "input":
            language.let(f"v{k}", language.at(language.name("x", program.inputs[args[0]]), str(args[1])), "number")
        elif op == "item":
            language.let(f"v{k}", _item(language, program, args[0].index, args[1]), "number")
        else:
            language.let(f"v{k}", language.apply(op, *map(value, args)), _kind(op))
        if k in slots:
            one, zero = language.number(1.0), language.number(0.0)
            kept = language.apply("where", f"v{k}", one, zero) if _kind(op) == "condition" else f"v{k}"
            language.set(language.at(language.name("y", PASSED), str(slots[k])), kept)
    for operand, row in zip(program.outputs, program.results, strict=True):
        for i, x in enumerate(row):
            if x.index in part if isinstance(x, Ref) else part.start == 0:
                language.set(language.at(language.name("y", operand), str(i)), value(x))


def _kind(op: str) -> str:
    return "condition" if op in CONDITIONS else "number"


def _call(language: Language, loop: Loop, name: str, node: int, values: list[str]) -> None:
    """A loop on the values of all its inputs, its outputs in arrays of node's number."""
    arrays, given = [], iter(values)
    for operand in loop.inputs:
        arrays.append(language.name(f"in{node}", operand))
        language.array(arrays[-1], operand.size)
        for i in range(operand.size):
            language.set(language.at(arrays[-1], str(i)), next(given))
    for operand in loop.outputs:
        arrays.append(language.name(f"out{node}", operand))
        language.array(arrays[-1], operand.size)
    language.call(name, arrays)


def _item(language: Language, program: Program, node: int, i: int) -> str:
    """Element i of the flat outputs of the loop of a node."""
    for operand in program.loops[program.nodes[node][1][0]].outputs:  # type: ignore[index]
        if i < operand.size:
            return language.at(language.name(f"out{node}", operand), str(i))
        i -= operand.size
    raise IndexError(f"loop {node} has no such item")


def _loop(language: Language, loop: Loop, name: str) -> None:
    language.begin_function(name, loop.inputs, loop.outputs)
    for operand in loop.step.inputs:
        if operand.name not in loop.given:
            language.array(language.name("now", operand), operand.size)
    for operand in loop.step.outputs:
        language.array(language.name("new", operand), operand.size)
    language.let("k", "0", "index")
    language.let("end", language.number(0.0), "variable")
    if loop.restart is None:
        _iterations(language, loop, name)
        _keep(language, loop)
    else:
        _search(language, loop, name)
    language.end()


def _iterations(language: Language, loop: Loop, name: str) -> None:
    """All steps, from the starts; `end` is how they ended."""
    step = {o.name: o for o in (*loop.step.inputs, *loop.step.outputs)}
    for carried in loop.carry:
        language.copy(language.name("now", carried), "0", language.name("x", carried), "0", step[carried].size)
    for record in loop.record:
        language.fill(language.name("y", record), (loop.count or 0) * step[record].size)
    goes_on = [] if loop.count is None else [f"k < {loop.count}"]
    goes_on += [language.is_number("end", 0.0)] if loop.until else []
    language.begin_while(" ".join(goes_on) if len(goes_on) == 1 else language.both(*goes_on))
    for each in loop.each:
        size = step[each].size
        language.copy(language.name("now", each), "0", language.name("x", each), f"k * {size}", size)
    taken = [language.name("x" if o.name in loop.given else "now", o) for o in loop.step.inputs]
    language.call(f"{name}_step", [*taken, *(language.name("new", o) for o in loop.step.outputs)])
    for carried in loop.carry:
        language.copy(language.name("now", carried), "0", language.name("new", carried), "0", step[carried].size)
    for record in loop.record:
        size = step[record].size
        language.copy(language.name("y", record), f"k * {size}", language.name("new", record), "0", size)
    if loop.until:
        language.set("end", language.at(language.name("new", loop.until), "0"))
    language.set("k", "k + 1")
    language.end()


def _keep(language: Language, loop: Loop) -> None:
    """What is carried, and how the steps ended, as outputs."""
    sizes = {o.name: o.size for o in loop.step.outputs}
    for carried in loop.carry:
        language.copy(language.name("y", carried), "0", language.name("now", carried), "0", sizes[carried])
    if loop.until:
        language.set(language.at(language.name("y", loop.until), "0"), "end")


def _search(language: Language, loop: Loop, name: str) -> None:
    """Attempts, of which the first that is settled counts, or that of the least score."""
    assert loop.restart is not None and loop.until is not None
    score = language.at(language.name("y", loop.restart.score), "0")
    found = language.at(language.name("new", loop.restart.score), "0")
    settled = language.apply(
        "or", *(f"({language.is_number('end', float(status))})" for status in (Status.FOUND, Status.REFUSED))
    )
    for carried in loop.carry:
        size = next(o.size for o in loop.step.outputs if o.name == carried)
        language.copy(language.name("y", carried), "0", language.name("x", carried), "0", size)
    language.set(language.at(language.name("y", loop.until), "0"), language.number(0.0))
    language.set(score, language.number(float("inf")))
    language.let("attempt", language.number(0.0), "variable")
    language.let("going", language.number(1.0), "variable")
    language.begin_while(language.is_number("going", 1.0))
    language.set("k", "0")
    language.set("end", language.number(0.0))
    language.set(language.at(language.name("now", loop.restart.attempt), "0"), "attempt")
    _iterations(language, loop, name)
    language.begin_if(language.apply("or", f"({settled})", f"({language.apply('less', found, score)})"))
    _keep(language, loop)
    language.set(score, found)
    language.end()
    language.set("attempt", language.apply("add", "attempt", language.number(1.0)))
    more = language.apply("less", "attempt", language.at(language.name("x", "attempts"), "0"))
    again = language.both(language.apply("not", f"({settled})"), more)
    language.set("going", language.apply("where", f"({again})", language.number(1.0), language.number(0.0)))
    language.end()
