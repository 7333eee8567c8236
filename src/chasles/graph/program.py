"""Programs and loops, as data. See docs/program.md.

A program is the live part of a graph, flat, ordered, and free of the trace that made it: straight-line code in static
single assignment (SSA), each node a value that is computed once. A loop is a program that is repeated, and a node of
other programs: so each of the two holds the other.

The step S of a loop maps what is carried from one iteration to the next; with what is given, and slice k of what comes
each time,

    x_{k+1}, r_k, u_k = S(x_k, g, e_k),     k = 0, 1, ..., count - 1                              (1)

1. `carry` names inputs of the step that are also outputs of it, of equal shapes: x. The loop takes x_0 and gives the
   last x.
2. `given` names inputs that stay the same: g. `each` names inputs that take e_k, slice k of an input of the loop of
   shape (count, *shape).
3. `until` names a scalar output u of the step. A row goes on while u is exactly 0; the iteration that makes it another
   number (nan too) is the row's last and counts: its x is the result, its r is kept, its u is an output of the loop.
   A row that has stopped disturbs no other. If `count` iterations pass first, u is 0; None: until alone ends the loop.
4. `record` names outputs r of the step that are kept of every iteration, as (count, *shape); what a row that stopped
   earlier did not reach is 0.
5. `rule` says how the loop is differentiated: by its "steps", each row by the iterations it made, or as a
   "fixed_point" (graph/loop_derivative.py), which takes `equation`, if there is one, for what defines the point.
6. `restart` makes it a search: attempts 0, 1, 2, ... (at least one, else as many as the scalar input "attempts" of the
   loop says) all begin at x_0, with the step's scalar input `restart.attempt` set to their number; u is a `Status`. The
   first attempt by its number that ends FOUND or REFUSED counts; if none does, the one of the least `restart.score`, a
   scalar output of the step (the first of equals). If no score is below infinity: x_0, infinity and 0.
   No each, no record, no derivative.

The inputs of the loop are x_0, g, e and "attempts", its outputs x, u, the score and r, by the names and in the order
of the step's. Loops nest: a step may hold loops, as ("loop", (l, *arguments)) nodes of its program.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from chasles import markup
from chasles.arguments import shown
from chasles.errors import TraceError
from chasles.graph import serial
from chasles.graph.check import check_loop, check_program
from chasles.graph.node import Expr
from chasles.graph.operand import Equation, Node, Operand, Ref, Restart, Rule, Status
from chasles.graph.run_loop import run_loop
from chasles.lazy import lazy
from chasles.reprs import listed
from chasles.scalar.leaf import Leaf, is_leaf
from chasles.scalar.operations import CONDITIONS, OPERATIONS

__all__ = ["Equation", "Loop", "Operand", "Operations", "Program", "Ref", "Restart", "Rule", "Status"]
__all__ += ["flatten", "live", "replaced"]


class Operations(NamedTuple):
    """How many operations a program is: every node but inputs, items and constants counts one, a loop too."""

    by_kind: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.by_kind.values())

    def __int__(self) -> int:
        return self.total

    def __repr__(self) -> str:
        kinds = (f"{kind} {count}" for kind, count in sorted(self.by_kind.items(), key=lambda x: -x[1]))
        return f"{self.total} operations ({listed(kinds, 200)})"

    def _repr_html_(self) -> str:
        rows = sorted(self.by_kind.items(), key=lambda x: -x[1])
        return markup.block(f"{self.total} operations", markup.table(["kind", "count"], rows))


@dataclass(frozen=True, repr=False)
class Program:
    """nodes[k] = (op, args), args being `Ref`s to earlier nodes and floats; three kinds of node carry plain indices:

        ("input", (o, i))       flat element i of inputs[o]
        ("loop", (l, *args))    runs loops[l] on the flat elements of all its inputs
        ("item", (Ref(k), i))   element i of the flat outputs of the loop that node k runs

    A loop node is no number: only its items are. results[o] holds, for each flat element of output o, a `Ref` or a
    float.
    """

    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    nodes: tuple[Node, ...]
    results: tuple[tuple[Ref | float, ...], ...]
    loops: tuple["Loop", ...] = ()

    @property
    def operations(self) -> Operations:
        return Operations(dict(Counter(op for op, _ in self.nodes if op not in ("input", "item"))))

    def check(self) -> None:
        """Refuse, by name, what is no program: an unknown operation, a wrong argument, an operand named twice."""
        check_program(self)

    def to_dict(self) -> dict[str, Any]:
        """The program in lists, strings and integers, as in its JSON."""
        return serial.to_dict(self)

    @classmethod
    def from_dict(cls, data: Any) -> "Program":
        """The program of what `to_dict` gave; what is not of its form is refused, the rest is for `check`."""
        return cls(**serial.program_fields(data, Loop.from_dict))

    def to_json(self) -> str:
        """The program as text, every number exact, with the version of the form."""
        return serial.to_json(self)

    @classmethod
    def from_json(cls, text: str) -> "Program":
        """The program that `to_json` wrote, checked."""
        return serial.from_json(cls, text)

    @property
    def is_traced(self) -> bool:
        """Whether its nodes are there already."""
        return True

    def __repr__(self) -> str:
        return f"<Program: {operands_text(self)}, {_work(self)}>"

    def _repr_html_(self) -> str:
        return markup.block("Program", operands_html(self), about=_work(self))


@dataclass(frozen=True, repr=False)
class Loop:
    """A step and how it is repeated; the module's docstring has the semantics."""

    step: Program
    carry: tuple[str, ...]
    count: int | None
    given: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    record: tuple[str, ...] = ()
    until: str | None = None
    rule: Rule = "steps"
    restart: Restart | None = None
    equation: Equation | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.step, Program):
            raise TraceError(f"the step of a loop is a Program, got {type(self.step).__name__}")
        check_loop(self)

    def __hash__(self) -> int:
        return self._hash

    @lazy
    def _hash(self) -> int:
        step = self.step
        shape = (step.inputs, step.outputs, len(step.nodes), step.nodes[-16:], step.results)
        return hash((shape, self.carry, self.count, self.given, self.each, self.record, self.until, self.rule))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # hashes differ between processes

    @property
    def inputs(self) -> tuple[Operand, ...]:
        """The starts of what is carried, what is given, what comes each time, and "attempts"."""
        return self._inputs

    @lazy
    def _inputs(self) -> tuple[Operand, ...]:
        step = {o.name: o for o in self.step.inputs}
        each = tuple(Operand(name, (self.count or 0, *step[name].shape)) for name in self.each)
        attempts = (Operand("attempts", ()),) if self.restart else ()
        return (*(step[name] for name in (*self.carry, *self.given)), *each, *attempts)

    @property
    def outputs(self) -> tuple[Operand, ...]:
        """What was carried, at the end; the last until; the score; the records."""
        return self._outputs

    @lazy
    def _outputs(self) -> tuple[Operand, ...]:
        step = {o.name: o for o in self.step.outputs}
        scalars = (*([self.until] if self.until else []), *([self.restart.score] if self.restart else []))
        records = tuple(Operand(name, (self.count or 0, *step[name].shape)) for name in self.record)
        return (*(step[name] for name in (*self.carry, *scalars)), *records)

    @lazy
    def derivatives(self) -> dict[Any, Any]:
        """What its derivatives call, as far as they were made: a loop that occurs often is differentiated once."""
        return {}

    def __repr__(self) -> str:
        return f"<Loop of {self._times()}: {operands_text(self)}, {_work(self.step)} a step>"

    def _repr_html_(self) -> str:
        return markup.block("Loop", operands_html(self), about=f"{self._times()}, {_work(self.step)} a step")

    def _times(self) -> str:
        until = f" until {self.until}" if self.until else ""
        return f"{'steps' if self.count is None else f'{self.count} steps'}{until}"

    @property
    def operations(self) -> Operations:
        """Those of one step; a loop in it counts one."""
        return self.step.operations

    @lazy
    def program(self) -> Program:
        """The program that does nothing but run it."""
        at = [(o, i) for o, operand in enumerate(self.inputs) for i in range(operand.size)]
        nodes: list[Node] = [("input", place) for place in at]
        nodes.append(("loop", (0, *(Ref(k) for k in range(len(at))))))
        results = []
        for operand in self.outputs:
            first = len(nodes)
            nodes += [("item", (Ref(len(at)), first - len(at) - 1 + i)) for i in range(operand.size)]
            results.append(tuple(Ref(first + i) for i in range(operand.size)))
        return Program(self.inputs, self.outputs, tuple(nodes), tuple(results), (self,))

    def run(self, leaves: list[Leaf]) -> list[Leaf]:
        """The flat elements of the outputs for those of the inputs, on any leaf; traced leaves make one node."""
        size = sum(operand.size for operand in self.inputs)
        if not isinstance(leaves, (list, tuple)) or len(leaves) != size:
            many = f" of {len(leaves)}" if isinstance(leaves, (list, tuple)) else ""
            raise TraceError(f"a loop runs on a list of {size} leaves, got a {type(leaves).__name__}{many}")
        for x in leaves:
            if not is_leaf(x):
                raise TraceError(f"a loop carries numbers, got {shown(x)}")
        return run_loop(self, leaves)

    def to_dict(self) -> dict[str, Any]:
        """As numbers, strings, lists and dictionaries."""
        state = self.__getstate__() | {"step": self.step.to_dict()}
        state["restart"] = self.restart and {"attempt": self.restart.attempt, "score": self.restart.score}
        del state["equation"]
        if self.equation:
            state["equation"] = {part: program.to_dict() for part, program in self.equation._asdict().items()}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in state.items()}

    @classmethod
    def from_dict(cls, data: Any) -> "Loop":
        """The loop `to_dict` was of."""
        return cls(**serial.loop_fields(data, Program.from_dict))

    def to_json(self) -> str:
        """The loop as text, every number exact, with the version of the form."""
        return serial.to_json(self)

    @classmethod
    def from_json(cls, text: str) -> "Loop":
        """The loop that `to_json` wrote, checked."""
        return serial.from_json(cls, text)

    def check(self) -> None:
        """Refuse, by name, a step, or a part of the equation, that is no program."""
        for program in (self.step, *(self.equation or ())):
            program.check()


def live(results: Iterable[Leaf]) -> list[Expr]:
    """All nodes that results are made of, and they themselves, in the order they were made."""
    found: dict[int, Expr] = {}
    stack = [x for x in results if type(x) is Expr]
    while stack:
        node = stack.pop()
        if node.id not in found:
            found[node.id] = node
            for x in node.args:
                if type(x) is Expr and x.id not in found:
                    stack.append(x)
    return [found[k] for k in sorted(found)]


def replaced(results: list[Leaf], instead: dict[int, Leaf]) -> list[Leaf]:
    """The results with other nodes in place of some, by id; what is made of these is made anew."""
    if not instead:
        return results
    found: dict[int, Leaf] = {}
    stack = [x for x in results if type(x) is Expr]
    while stack:
        node = stack[-1]
        needed = [instead[node.id]] if node.id in instead else node.args
        missing = [x for x in needed if type(x) is Expr and x.id not in found]
        if missing and node.id not in found:
            stack.extend(missing)
            continue
        stack.pop()
        args = [found[x.id] if type(x) is Expr else x for x in needed]
        same = all(x is y for x, y in zip(args, node.args, strict=False))
        found[node.id] = args[0] if node.id in instead else node if same else node.graph.make(node.op, *args)
    return [found[x.id] if type(x) is Expr else x for x in results]


def operands_text(body: "Program | Loop") -> str:
    """q[6], qd[6] -> tau[6]."""
    sides = ([f"{x.name}{list(x.shape)}" for x in side] for side in (body.inputs, body.outputs))
    return " -> ".join(listed(side) for side in sides)


def operands_html(body: "Program | Loop") -> markup.Markup:
    """A table of inputs and outputs with their shapes."""
    sides = (("input", body.inputs), ("output", body.outputs))
    rows = [(side, x.name, str(x.shape)) for side, operands in sides for x in operands]
    return markup.table(["", "name", "shape"], rows)


def _work(program: Program) -> str:
    return f"{program.operations.total} operations" if program.is_traced else "not traced yet"


def flatten(inputs: tuple[Operand, ...], outputs: tuple[Operand, ...], results: list[list[Leaf]]) -> Program:
    """The program that computes `results` (nodes and floats, flat, one list per output)."""
    for output, row in zip(outputs, results, strict=True):
        if len(row) != output.size:
            raise TraceError(f"{output.name}: {len(row)} numbers for the shape {output.shape}")
    order = live(x for row in results for x in row)
    _check(order)
    refs = {node.id: Ref(k) for k, node in enumerate(order)}
    loops: dict[Loop, int] = {}

    def row_of(args: Iterable[Any]) -> tuple[Any, ...]:
        return tuple([refs[x.id] if type(x) is Expr else x for x in args])

    def arguments(node: Expr) -> tuple[Any, ...]:
        if node.op == "loop":
            return (loops.setdefault(node.args[0], len(loops)), *row_of(node.args[1:]))
        return row_of(node.args)

    nodes = tuple([(node.op, arguments(node)) for node in order])
    return Program(inputs, outputs, nodes, tuple(map(row_of, results)), tuple(loops))


_NOT_A_NUMBER = {
    "condition": "a condition is not a number: instead of (x < y) * a write chasles.where(x < y, a, 0.0)",
    "loop": "a loop is not a number: its results are its items",
}
_NOT_A_CONDITION = "a number is not a condition: instead of where(x, a, b) write chasles.where(x != 0.0, a, b)"


def _kind(op: str) -> str:
    """What a node of this operation is: "number", "condition" or "loop"."""
    return "condition" if op in CONDITIONS else "loop" if op == "loop" else "number"


def _check(nodes: list[Expr]) -> None:
    """Refuse values of another trace, conditions and loops in arithmetic, and numbers for conditions."""
    if any(node.graph is not nodes[0].graph for node in nodes):
        raise TraceError("a traced value of another trace met this one: a traced value lives only inside its function")
    if not any(_kind(node.op) != "number" or node.op == "where" for node in nodes):
        return
    for node in nodes:
        if node.op in ("input", "item"):
            continue
        args = node.args[1:] if node.op == "loop" else node.args
        takes = ("number",) * len(args) if node.op == "loop" else OPERATIONS[node.op].takes
        for x, wanted in zip(args, takes, strict=True):
            given = _kind(x.op) if type(x) is Expr else "number"
            if given != wanted:
                raise TraceError(_NOT_A_NUMBER[given] if wanted == "number" else _NOT_A_CONDITION)
