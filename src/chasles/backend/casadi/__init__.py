"""Programs as a `casadi.Function`: `kernel.to("casadi")`.

The function is of scalar expressions (SX), with an input and an output for each operand, of its name: a number is
1 x 1, a vector (n,) a column, a matrix (n, m) is itself, and of an array of more axes all but the last are stacked as
rows, so that `np.asarray(y).reshape(shape)` is the array of NumPy. CasADi differentiates it, maps it over columns,
compiles it; its vectors of matrices, as in Jacobians, go column by column, those of NumPy row by row.

Loops are written out, a row that has stopped staying as it is, up to MOST_OPERATIONS in all. What CasADi has no words
for is refused by name: searches, loops without a count, random numbers, float32.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from chasles.backend.statements.words import Words, word
from chasles.errors import CompileError, ModelError
from chasles.graph.operand import Operand, Ref
from chasles.graph.program import Loop, Program
from chasles.graph.run_loop import split

MOST_OPERATIONS = 200_000
RESERVED = frozenset(("jac", "hess", "null"))  # which CasADi keeps for itself
REFUSED = frozenset(("random", "normal"))
OPERATIONS = {
    "add": lambda casadi, x, y: x + y,
    "sub": lambda casadi, x, y: x - y,
    "mul": lambda casadi, x, y: x * y,
    "div": lambda casadi, x, y: x / y,
    "neg": lambda casadi, x: -x,
    "pow": lambda casadi, x, y: casadi.power(x, y),
    "less": lambda casadi, x, y: x < y,
    "less_equal": lambda casadi, x, y: x <= y,
    "and": lambda casadi, x, y: casadi.logic_and(x, y),
    "or": lambda casadi, x, y: casadi.logic_or(x, y),
    "not": lambda casadi, x: casadi.logic_not(x),
    "where": lambda casadi, c, x, y: casadi.if_else(c, x, y),
}


def render(body: Program | Loop, name: str, dtype: str) -> Any:
    """The `casadi.Function` of a body; its name and those of its operands as `words` has them."""
    casadi = _imported()
    if dtype != "float64":
        raise CompileError(f"{name}: CasADi computes in float64: take the kernel of that dtype, not of {dtype}")
    program = body if isinstance(body, Program) else body.program
    total = _operations(program, name)
    if total > MOST_OPERATIONS:
        raise CompileError(
            f"{name}: its loops written out are {total} operations, more than the {MOST_OPERATIONS} that CasADi is "
            'given: export fewer steps and repeat them by casadi.Function.mapaccum, or use "c"'
        )
    called = words(program, name)
    symbols = [casadi.SX.sym(x, *size(o)) for x, o in zip(called.inputs, program.inputs, strict=True)]
    leaves = [[x[k // x.shape[1], k % x.shape[1]] for k in range(x.numel())] for x in symbols]
    results = _Written(casadi).program(program, leaves)
    shaped = [_array(casadi, row, o) for row, o in zip(results, program.outputs, strict=True)]
    return casadi.Function(called.function, symbols, shaped, list(called.inputs), list(called.outputs))


def size(operand: Operand) -> tuple[int, int]:
    """Rows and columns of an operand."""
    *rows, last = operand.shape if len(operand.shape) > 1 else (*operand.shape, 1)
    return math.prod(rows), last


def words(body: Program | Loop, name: str) -> Words:
    """Names as CasADi takes them, with single _ and none twice; an output of an input's name, q, is q_out."""
    taken: list[str] = []

    def free(wanted: str) -> str:
        plain = found = _word(wanted)
        k = 2
        while found in taken:
            found, k = f"{plain.rstrip('_')}_{k}", k + 1
        taken.append(found)
        return found

    inputs, same = tuple(free(o.name) for o in body.inputs), {o.name for o in body.inputs}
    outputs = tuple(free(f"{o.name}_out" if o.name in same else o.name) for o in body.outputs)
    return Words(_word(name), inputs, outputs)


def _word(name: str) -> str:
    return re.sub("_+", "_", word(name, RESERVED))


def _imported() -> Any:
    try:
        import casadi
    except ImportError as error:
        raise ModelError('the target "casadi" needs CasADi: pip install "chasles[casadi]"') from error
    return casadi


def _operations(program: Program, name: str) -> int:
    """How many operations a program is with its loops written out; a loop that cannot be is refused."""
    total = program.operations.total
    for op, args in program.nodes:
        if op in REFUSED:
            raise CompileError(
                f'{name}: {op} works on bits, which CasADi does not have: use "c", "cuda", "js", "matlab", "python" or '
                '"rust"'
            )
        if op != "loop":
            continue
        loop = program.loops[args[0]]
        if loop.restart is not None or loop.count is None:
            what = "a search" if loop.restart else f"a loop of unknown length, until {loop.until}"
            raise CompileError(
                f'{name}: {what} cannot be written out for CasADi: use "c", "cuda", "js", "matlab", "python" or "rust"'
            )
        total += loop.count * _operations(loop.step, name)
    return total


def _array(casadi: Any, row: Sequence[Any], operand: Operand) -> Any:
    rows, columns = size(operand)
    return casadi.reshape(casadi.vertcat(*map(casadi.SX, row)), columns, rows).T


class _Written:
    """Programs run on expressions: every operation once, loops step by step."""

    def __init__(self, casadi: Any) -> None:
        self.casadi = casadi

    def program(self, program: Program, inputs: Sequence[Sequence[Any]]) -> list[list[Any]]:
        values: list[Any] = []
        for op, args in program.nodes:
            if op == "input":
                values.append(inputs[args[0]][args[1]])
            elif op == "item":
                values.append(values[args[0].index][args[1]])
            else:
                x = [values[a.index] if type(a) is Ref else a for a in args]
                values.append(self.loop(program.loops[x[0]], x[1:]) if op == "loop" else self.operation(op, x))
        return [[values[r.index] if type(r) is Ref else r for r in row] for row in program.results]

    def operation(self, op: str, x: Sequence[Any]) -> Any:
        if op in OPERATIONS:
            return OPERATIONS[op](self.casadi, *map(self.casadi.SX, x))
        return getattr(self.casadi, op)(*map(self.casadi.SX, x))

    def loop(self, loop: Loop, leaves: list[Any]) -> list[Any]:
        """The flat outputs of a loop; from where `until` is not 0, nothing changes and records are 0."""
        rows, count = split(leaves, loop.inputs), loop.count or 0
        state = {name: rows[name] for name in loop.carry}
        records: list[dict[str, list[Any]]] = []
        until: Any = 0.0
        for k in range(count):
            each = {name: rows[name][k * len(rows[name]) // count :] for name in loop.each}
            now = rows | state | each
            results = self.program(loop.step, [now[o.name][: o.size] for o in loop.step.inputs])
            new = {o.name: row for o, row in zip(loop.step.outputs, results, strict=True)}
            going = None if loop.until is None or k == 0 else self.casadi.eq(until, 0.0)
            state = {name: self.chosen(going, new[name], state[name]) for name in state}
            records.append({name: self.chosen(going, new[name], [0.0] * len(new[name])) for name in loop.record})
            if loop.until:
                (until,) = self.chosen(going, new[loop.until], [until])
        kept = [x for name in loop.record for row in records for x in row[name]]
        return [*(x for name in loop.carry for x in state[name]), *([until] if loop.until else []), *kept]

    def chosen(self, going: Any, new: Sequence[Any], old: Sequence[Any]) -> list[Any]:
        if going is None:
            return list(new)
        SX = self.casadi.SX
        return [self.casadi.if_else(going, SX(x), SX(y)) for x, y in zip(new, old, strict=True)]
