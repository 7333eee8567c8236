"""Rules of programs and loops (docs/program.md), each broken one refused by name."""

import math
from collections.abc import Iterable
from typing import Any, get_args

from chasles.arguments import shown
from chasles.errors import ProgramError, TraceError
from chasles.graph.operand import Equation, LoopLike, Operand, ProgramLike, Ref, Restart, Rule
from chasles.scalar.operations import OPERATIONS

LARGEST = 2**31  # elements of one operand
DEEPEST = 32  # axes of one operand


def check_program(program: ProgramLike) -> None:
    """Refuse a program that breaks a rule; the operand, node or result is named."""
    _names("input", program.inputs)
    _names("output", program.outputs)
    for loop in program.loops:
        for part in (loop.step, *(loop.equation or ())):
            part.check()
        for operand in (*loop.inputs, *loop.outputs):
            _shape("operand of a loop", operand)
    kinds: list[str] = []
    for k, (op, args) in enumerate(program.nodes):
        kinds.append(_node(program, f"node {k} ({op})", kinds, op, args))
    if len(program.results) != len(program.outputs):
        raise ProgramError(f"{len(program.results)} results for {len(program.outputs)} outputs")
    for output, row in zip(program.outputs, program.results, strict=True):
        if len(row) != output.size:
            raise ProgramError(f"output {output.name!r}: {len(row)} numbers for the shape {output.shape}")
        for x in row:
            _argument(f"output {output.name!r}", kinds, x, "number")


def _names(what: str, operands: tuple[Operand, ...]) -> None:
    seen: set[str] = set()
    for operand in operands:
        if not isinstance(operand.name, str) or not operand.name:
            raise ProgramError(f"{what}: a name is a string and not empty, got {operand.name!r}")
        if operand.name in seen:
            raise ProgramError(f"two {what}s are called {operand.name!r}")
        seen.add(operand.name)
        _shape(what, operand)


def _shape(what: str, operand: Operand) -> None:
    if len(operand.shape) > DEEPEST or not all(type(n) is int and n >= 0 for n in operand.shape):
        raise ProgramError(f"{what} {operand.name!r}: a shape is at most {DEEPEST} numbers of elements")
    if math.prod(operand.shape) > LARGEST:
        raise ProgramError(f"{what} {operand.name!r}: more than {LARGEST} elements")


def _node(program: ProgramLike, where: str, kinds: list[str], op: str, args: tuple[Any, ...]) -> str:
    """Check one node; what it is: "number", "condition", or for a loop its index."""
    if op == "input":
        operand, i = _indices(where, args, 2)
        _within(where, "input", operand, len(program.inputs))
        _within(where, f"element of {program.inputs[operand].name!r}", i, program.inputs[operand].size)
        return "number"
    if op == "item":
        if len(args) != 2 or type(args[0]) is not Ref:
            raise ProgramError(f"{where}: takes the node of a loop and an index")
        _earlier(where, kinds, args[0])
        if not kinds[args[0].index].startswith("loop"):
            raise ProgramError(f"{where}: node {args[0].index} is no loop")
        (i,) = _indices(where, args[1:], 1)
        loop = program.loops[int(kinds[args[0].index][4:])]
        _within(where, "result of the loop", i, sum(o.size for o in loop.outputs))
        return "number"
    if op == "loop":
        (index,) = _indices(where, args[:1], 1)
        _within(where, "loop", index, len(program.loops))
        _count(where, args[1:], sum(o.size for o in program.loops[index].inputs))
        for x in args[1:]:
            _argument(where, kinds, x, "number")
        return f"loop{index}"
    row = OPERATIONS.get(op)
    if row is None or not row.traced:
        raise ProgramError(f"{where}: no such operation")
    _count(where, args, row.arity)
    for x, wanted in zip(args, row.takes, strict=True):
        _argument(where, kinds, x, wanted)
    return row.gives


def _indices(where: str, args: tuple[Any, ...], count: int) -> tuple[int, ...]:
    if len(args) != count or not all(type(i) is int for i in args):
        raise ProgramError(f"{where}: {count} indices expected")
    return args


def _within(where: str, what: str, i: int, count: int) -> None:
    if not 0 <= i < count:
        raise ProgramError(f"{where}: there is no {what} {i}, of {count}")


def _count(where: str, args: tuple[Any, ...], count: int) -> None:
    if len(args) != count:
        raise ProgramError(f"{where}: takes {count} arguments, got {len(args)}")


def _earlier(where: str, kinds: list[str], x: Ref) -> None:
    if type(x.index) is not int or not 0 <= x.index < len(kinds):
        raise ProgramError(f"{where}: node {x.index} is not one of the {len(kinds)} before it")


def _argument(where: str, kinds: list[str], x: Any, wanted: str) -> None:
    """Check that a Ref or a float is what is wanted, a number or a condition."""
    if type(x) is Ref:
        _earlier(where, kinds, x)
        given, name = kinds[x.index], f"node {x.index}"
    elif type(x) is float:
        given, name = "number", repr(x)
    else:
        raise ProgramError(f"{where}: an argument is a Ref or a float, got {x!r:.80}")
    if given != wanted:
        given = "loop" if given.startswith("loop") else given
        raise ProgramError(f"{where}: {name} is a {given}, not a {wanted}")


def check_loop(loop: LoopLike) -> None:
    """Refuse what is not a loop, by the name of the culprit."""
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

    if not loop.carry and not loop.record:
        raise TraceError("a loop carries something from one iteration to the next, or records it: carry is empty")
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
    if loop.equation is not None:
        _check_equation(loop, loop.equation)


def _check_fixed_point(loop: LoopLike) -> None:
    """Refuse what is carried unchanged: of one step at the end there is no telling what it depends on."""
    places = {o.name: k for k, o in enumerate(loop.step.inputs)}
    for operand, row in zip(loop.step.outputs, loop.step.results, strict=True):
        for i, r in enumerate(row if operand.name in loop.carry else ()):
            if type(r) is Ref and loop.step.nodes[r.index] == ("input", (places[operand.name], i)):
                raise TraceError(
                    f"{operand.name!r} is carried unchanged, which a fixed point is not derived by: use it in the step "
                    "without carrying it, or by given="
                )


def _check_equation(loop: LoopLike, equation: Any) -> None:
    """Refuse an equation whose programs have other operands than the step, or of a loop without the rule for it."""
    if not isinstance(equation, Equation):
        raise TraceError(f"equation is an Equation or None, got {shown(equation)}")
    if loop.rule != "fixed_point" or loop.restart or loop.until:
        raise TraceError('equation: only a loop with rule="fixed_point", and without until or restart, has one')
    carried = {o.name: o.shape for o in loop.step.outputs if o.name in loop.carry}
    for part, program in equation._asdict().items():
        if program.inputs != loop.step.inputs or {o.name: o.shape for o in program.outputs} != carried:
            raise TraceError(f"equation: the {part} must have the inputs of the step, and what is carried as outputs")


def _once(what: str, names: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TraceError(f"{what} {name!r} of the step has two roles in the loop; it may have one")
        seen.add(name)
    return seen


def _check_count(loop: LoopLike) -> None:
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
