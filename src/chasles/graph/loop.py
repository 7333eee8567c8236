"""A loop: a program repeated inside the kernel, as data.

A step S maps what is carried from one iteration to the next; with what is given, and slice k of what comes each time,

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
   "fixed_point" (graph/loop_derivative.py).
6. `restart` makes it a search: attempts 0, 1, 2, ... (at least one, else as many as the scalar input "attempts" of the
   loop says) all begin at x_0, with the step's scalar input `restart.attempt` set to their number; u is a `Status`. The
   first attempt by its number that ends FOUND or REFUSED counts; if none does, the one of the least `restart.score`, a
   scalar output of the step (the first of equals). If no score is below infinity: x_0, infinity and 0.
   No each, no record, no derivative.

The inputs of the loop are x_0, g, e and "attempts", its outputs x, u, the score and r, by the names and in the order
of the step's. Loops nest: a step may hold loops, as ("loop", (l, *arguments)) nodes of its program.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

from chasles.arguments import shown
from chasles.errors import TraceError
from chasles.graph.program import Operand, Operations, Program, Ref
from chasles.scalar.leaf import is_leaf

Rule = Literal["steps", "fixed_point"]


class Status(IntEnum):
    """What a step says of its attempt."""

    CONTINUE = 0
    FOUND = 1
    ENDED = 2  # this attempt is over
    REFUSED = 3  # no attempt can help


class Restart(NamedTuple):
    """A search by several attempts: the step's input that holds their number, and its output to be least."""

    attempt: str
    score: str


@dataclass(frozen=True)
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

    def __post_init__(self) -> None:
        _check(self)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        step = self.step
        shape = (step.inputs, step.outputs, len(step.nodes), step.nodes[-16:], step.results)
        return hash((shape, self.carry, self.count, self.given, self.each, self.record, self.until, self.rule))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # hashes differ between processes

    @cached_property
    def inputs(self) -> tuple[Operand, ...]:
        """The starts of what is carried, what is given, what comes each time, and "attempts"."""
        step = {o.name: o for o in self.step.inputs}
        each = tuple(Operand(name, (self.count or 0, *step[name].shape)) for name in self.each)
        attempts = (Operand("attempts", ()),) if self.restart else ()
        return (*(step[name] for name in (*self.carry, *self.given)), *each, *attempts)

    @cached_property
    def outputs(self) -> tuple[Operand, ...]:
        """What was carried, at the end; the last until; the score; the records."""
        step = {o.name: o for o in self.step.outputs}
        scalars = (*([self.until] if self.until else []), *([self.restart.score] if self.restart else []))
        records = tuple(Operand(name, (self.count or 0, *step[name].shape)) for name in self.record)
        return (*(step[name] for name in (*self.carry, *scalars)), *records)

    @property
    def operations(self) -> Operations:
        """Those of one step; a loop in it counts one."""
        return self.step.operations

    @cached_property
    def program(self) -> Program:
        """The program that does nothing but run it."""
        at = [(o, i) for o, operand in enumerate(self.inputs) for i in range(operand.size)]
        nodes: list[Any] = [("input", place) for place in at]
        nodes.append(("loop", (0, *(Ref(k) for k in range(len(at))))))
        results = []
        for operand in self.outputs:
            first = len(nodes)
            nodes += [("item", (Ref(len(at)), first - len(at) - 1 + i)) for i in range(operand.size)]
            results.append(tuple(Ref(first + i) for i in range(operand.size)))
        return Program(self.inputs, self.outputs, tuple(nodes), tuple(results), (self,))

    def run(self, leaves: list[Any]) -> list[Any]:
        """The flat elements of the outputs for those of the inputs, on any leaf; traced leaves make one node."""
        from chasles.graph.run_loop import run_loop

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
        return {key: list(value) if isinstance(value, tuple) else value for key, value in state.items()}

    @classmethod
    def from_dict(cls, state: Any) -> "Loop":
        """The loop `to_dict` was of."""
        from chasles.graph.serial import loop_from_dict

        return loop_from_dict(cls, state)

    def to_json(self) -> str:
        """The loop as text, every number exact, with the version of the form."""
        from chasles.graph import serial

        return serial.to_json(self)

    @classmethod
    def from_json(cls, text: str) -> "Loop":
        """The loop that `to_json` wrote, checked."""
        from chasles.graph import serial

        return serial.from_json(cls, text)

    def check(self) -> None:
        """Refuse, by name, a step that is no program."""
        self.step.check()


def _check(loop: Loop) -> None:
    """Refuse what is not a loop, by the name of the culprit."""
    if not isinstance(loop.step, Program):
        raise TraceError(f"the step of a loop is a Program, got {type(loop.step).__name__}")
    for role in ("carry", "given", "each", "record"):
        if not isinstance(getattr(loop, role), tuple) or not all(isinstance(x, str) for x in getattr(loop, role)):
            raise TraceError(f"{role} is a tuple of names, got {shown(getattr(loop, role))}")
    if not isinstance(loop.until, str | None):
        raise TraceError(f"until is the name of an output, or None, got {shown(loop.until)}")
    if not isinstance(loop.restart, Restart | None):
        raise TraceError(f"restart is a Restart or None, got {shown(loop.restart)}")
    inputs, outputs = ({o.name: o.shape for o in side} for side in (loop.step.inputs, loop.step.outputs))
    restart = loop.restart

    def has(role: str, name: str, side: dict[str, tuple[int, ...]], scalar: bool = False) -> None:
        kind = "an input" if side is inputs else "an output"
        if name not in side:
            raise TraceError(f"{role} {name!r} is not {kind} of the step, which has {', '.join(side) or 'none'}")
        if scalar and side[name] != ():
            raise TraceError(f"{role} {name!r} must be a scalar, its shape is {side[name]}")

    if not loop.carry:
        raise TraceError("a loop carries something from one iteration to the next: carry is empty")
    for name in loop.carry:
        has("carry", name, inputs)
        has("carry", name, outputs)
        if inputs[name] != outputs[name]:
            raise TraceError(f"carry {name!r} comes in as {inputs[name]} and goes out as {outputs[name]}")
    for role, names in (("given", loop.given), ("each", loop.each)):
        for name in names:
            has(role, name, inputs)
    for name in loop.record:
        has("record", name, outputs)
    if loop.until is not None:
        has("until", loop.until, outputs, scalar=True)
    if restart:
        has("attempt", restart.attempt, inputs, scalar=True)
        has("score", restart.score, outputs, scalar=True)
    fed = _once("input", (*loop.carry, *loop.given, *loop.each, *([restart.attempt] if restart else [])))
    _once("output", (*loop.carry, *filter(None, [loop.until]), *([restart.score] if restart else []), *loop.record))
    for name in inputs:
        if name not in fed:
            raise TraceError(
                f"nothing feeds input {name!r} of the step: carry it, or say it is given or comes each time"
            )
    _check_count(loop)
    if loop.rule == "fixed_point":
        _check_fixed_point(loop)


def _check_fixed_point(loop: Loop) -> None:
    """Refuse what is carried unchanged: of one step at the end there is no telling what it depends on."""
    places = {o.name: k for k, o in enumerate(loop.step.inputs)}
    for operand, row in zip(loop.step.outputs, loop.step.results, strict=True):
        for i, r in enumerate(row if operand.name in loop.carry else ()):
            if type(r) is Ref and loop.step.nodes[r.index] == ("input", (places[operand.name], i)):
                raise TraceError(
                    f"{operand.name!r} is carried unchanged, which a fixed point is not derived by: use it in the step "
                    "without carrying it, or by given="
                )


def _once(what: str, names: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TraceError(f"{what} {name!r} of the step has two roles in the loop; it may have one")
        seen.add(name)
    return seen


def _check_count(loop: Loop) -> None:
    if loop.count is None and loop.until is None:
        raise TraceError("nothing ends the loop: give count, until, or both")
    if loop.count is not None and (type(loop.count) is not int or not 1 <= loop.count < 2**63):
        raise TraceError(f"count must be a positive integer below 2**63, or None, got {shown(loop.count)}")
    for role, names in (("each", loop.each), ("record", loop.record)):
        if names and loop.count is None:
            raise TraceError(f"{role} {names[0]!r} has one row per iteration: give count, the most there are")
        if names and (loop.restart or loop.rule == "fixed_point"):
            raise TraceError(f"{role} {names[0]!r}: a {'restart' if loop.restart else 'fixed point'} has no {role}")
    if not isinstance(loop.rule, str) or loop.rule not in get_args(Rule):
        raise TraceError(f"rule must be one of {', '.join(map(repr, get_args(Rule)))}, got {shown(loop.rule)}")
    if loop.restart and loop.until is None:
        raise TraceError("a restart needs until, the output that holds the Status of its attempt")
    if loop.restart and "attempts" in (*loop.carry, *loop.given):
        raise TraceError("'attempts' is the name of how many attempts a restart may take: rename that input")
