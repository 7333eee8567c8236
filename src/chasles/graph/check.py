"""What makes a program one: every rule of docs/program.md, each broken one refused by name."""

import math
from typing import Any

from chasles.errors import ProgramError
from chasles.graph.operand import Operand, Ref
from chasles.scalar.operations import OPERATIONS

LARGEST = 2**31  # elements of one operand
DEEPEST = 32  # axes of one operand


def check(program: Any) -> None:
    """Refuse a program that breaks a rule; the operand, node or result is named."""
    _names("input", program.inputs)
    _names("output", program.outputs)
    for loop in program.loops:
        loop.step.check()
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


def _node(program: Any, where: str, kinds: list[str], op: str, args: tuple[Any, ...]) -> str:
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
