"""Programs on polynomials: every node in normal form, as long as it stays short.

Two ways. `expanded` multiplies everything out, and gives up a node that would pass `most` terms, and all that needs it.
`shortened` gives names to sums on the way: to those of more than `shared` terms that several nodes take, to functions
of such, to what holds many factors in functions and divisors, and to the longer factor, or summand, where the result
would have more than `limit` terms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from chasles.errors import ProgramError
from chasles.graph.operand import Ref
from chasles.graph.program import Program
from chasles.simplification.coefficients import exact
from chasles.simplification.functions import apply
from chasles.simplification.polynomial import Polynomial
from chasles.simplification.table import Table
from chasles.simplification.uses import Extent

_FACTORS = 20  # of a term, those in the arguments of functions and in divisors too

Define = Callable[[Polynomial], Polynomial]


def expanded(
    table: Table, program: Program, inputs: Sequence[Sequence[Polynomial]], most: int, work: int
) -> list[list[Polynomial | None]]:
    """Every element of every output multiplied out; None where a node on the way passes `most` terms.

    work: how many products of terms are made in all, before every further product is given up.
    """
    values = expanded_nodes(table, program, inputs, most, work)
    results = [[_argument(table, values, x) for x in row] for row in program.results]
    for row in results:
        _refuse_infinite(program, "", row)
    return results


def expanded_nodes(
    table: Table, program: Program, inputs: Sequence[Sequence[Polynomial]], most: int, work: int
) -> list[Any]:
    """The value of every node, as `expanded` has it."""
    values: list[Any] = []
    for operation, arguments in _nodes(program):
        if operation == "input":
            values.append(inputs[arguments[0]][arguments[1]])
            continue
        taken = [_argument(table, values, x) for x in arguments]
        if any(x is None for x in taken):
            values.append(None)
            continue
        if operation == "mul":
            work -= len(taken[0]) * len(taken[1])
            if work < 0:
                values.append(None)
                continue
        _refuse_infinite(program, operation, taken)
        result = apply(table, operation, taken)
        too_long = isinstance(result, Polynomial) and len(result) > most
        values.append(None if too_long else result)
    return values


def shortened(
    table: Table,
    program: Program,
    inputs: Sequence[Sequence[Polynomial]],
    define: Define,
    wanted: Sequence[Sequence[bool]],
    limit: int,
    shared: int,
) -> list[list[Polynomial | None]]:
    """The wanted elements, with names for the sums that define(x) gives one."""
    values: list[Any] = []
    rows = [[x for x, want in zip(*pair, strict=True) if want] for pair in zip(program.results, wanted, strict=True)]
    uses, extent = _uses(program, rows), Extent(table)
    for k, (operation, arguments) in enumerate(_nodes(program)):
        if not uses[k]:
            values.append(None)
            continue
        if operation == "input":
            values.append(inputs[arguments[0]][arguments[1]])
            continue
        taken = [_argument(table, values, x) for x in arguments]
        if operation in _SIZES:
            taken = _within(taken, define, limit, _SIZES[operation])
        result = apply(table, operation, taken)
        long = (operation in _SIZES and len(result) > shared) or (operation not in _SIMPLE and _size(taken) > shared)
        deep = isinstance(result, Polynomial) and extent(result) > _FACTORS * limit
        if isinstance(result, Polynomial) and (deep or (uses[k] > 1 and long)) and result.value is None:
            result = define(result)
        values.append(result)
    return [
        [_argument(table, values, x) if want else None for x, want in zip(*pair, strict=True)]
        for pair in zip(program.results, wanted, strict=True)
    ]


_SIZES: dict[str, Callable[[int, int], int]] = {"mul": operator.mul, "div": operator.mul, "pow": operator.mul}
_SIZES |= {"add": operator.add, "sub": operator.add}


_SIMPLE = ("sin", "cos", "neg", *_SIZES)


def _size(arguments: list[Any]) -> int:
    """How many terms the arguments of a function have, those in conditions too."""
    return sum(len(x) if isinstance(x, Polynomial) else _size(list(x.sides)) for x in arguments)


def _within(arguments: list[Any], define: Define, limit: int, size: Callable[[int, int], int]) -> list[Any]:
    """Factors, or summands, of which the longer ones have names, as far as the result would be too long."""
    arguments = list(arguments)
    while size(len(arguments[0]), len(arguments[1])) > limit:
        longer = 0 if len(arguments[0]) >= len(arguments[1]) else 1
        if len(arguments[longer]) == 1:
            break
        arguments[longer] = define(arguments[longer])
    return arguments


def _uses(program: Program, results: list[list[Any]]) -> list[int]:
    uses = [0] * len(program.nodes)
    for row in results:
        for x in row:
            if isinstance(x, Ref):
                uses[x.index] = 1  # an element that occurs twice, as in a symmetric matrix, is no reason for a name
    for k in range(len(program.nodes) - 1, -1, -1):
        operation, arguments = program.nodes[k]
        if uses[k] and operation != "input":
            for x in arguments:
                if isinstance(x, Ref):
                    uses[x.index] += 1
    return uses


def _nodes(program: Program) -> Any:
    if program.loops:
        names = ", ".join(operand.name for operand in program.outputs)
        raise ProgramError(
            f"{names}: a loop has no formula. Take that of what it repeats, program.loops[0].step, or of a function "
            "that computes the same without a loop"
        )
    return program.nodes


def _refuse_infinite(program: Program, operation: str, arguments: Sequence[Any]) -> None:
    """Raise ProgramError where a number that is none goes into a sum or product, or is a result ("")."""
    if operation and operation not in _SIZES:
        return
    for x in arguments:
        number = x.value if isinstance(x, Polynomial) else None
        if type(number) is float and not isfinite(number):
            names = ", ".join(operand.name for operand in program.outputs)
            raise ProgramError(
                f"{names}: a number in it is {number}, and there is no formula of that: look for a division by zero, "
                "or the root or logarithm of a negative number"
            )


def _argument(table: Table, values: list[Any], x: Any) -> Any:
    return values[x.index] if isinstance(x, Ref) else Polynomial.constant(table, exact(x))
