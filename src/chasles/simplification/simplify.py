"""Programs as formulas that people read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from chasles.arguments import shown
from chasles.errors import ShapeError
from chasles.formula.tree import Equation, Formula, Symbol
from chasles.graph.operand import Ref
from chasles.graph.program import Program
from chasles.simplification.coefficients import NOISE
from chasles.simplification.evaluation import expanded, shortened
from chasles.simplification.names import Names
from chasles.simplification.parallel_axes import replace_by_sums
from chasles.simplification.polynomial import Polynomial
from chasles.simplification.rational import cancelled, split
from chasles.simplification.table import ONE, Angle, Leaf, Named
from chasles.simplification.uses import Extent, used
from chasles.simplification.writing import Writer

_STATE = ("q", "q0", "q1", "u", "v", "qd", "qdd", "tau", "dq", "dqd", "dqdd", "momenta")
VARIABLES = frozenset((*_STATE, "tool_wrench", "link_wrenches", "base_velocity", "base_acceleration"))
"""Names of inputs that vary as a system moves; where a program has one of them, its other inputs are parameters."""

_MOST_TERMS = 200
_MOST_PRODUCTS = 100_000
_FACTORS = 20  # of a term, those in the arguments of its functions too


class Simplified(NamedTuple):
    """results: for each output, the formulas of its flat elements. where: of the names in them, each after those it
    needs."""

    results: tuple[tuple[Formula, ...], ...]
    where: tuple[Equation, ...]


def simplified(
    program: Program,
    leaves: Sequence[Sequence[Symbol]],
    *,
    names: Names | bool = True,
    parameters: Collection[str] | None = None,
    limit: int = 28,
) -> Simplified:
    """Every element of every output of a program as a formula of the leaves, and the names that they use.

    leaves: for each input, the symbols of its flat elements. names: whether coefficients of parameters get names; or
    the Names that several formulas share. parameters: names of the inputs that coefficients are made of; by default all
    but q, qd, tau and their like, where one of these is there. limit: the most terms of an element that is written out
    in full; a longer one has intermediate quantities.
    """
    names = names if isinstance(names, Names) else Names(coefficients=names)
    _check(program, leaves)
    for row in leaves:
        names.reserve(row)
    inputs = _inputs(program, leaves, names, parameters)
    table = names.table
    writer = Writer(names)
    replace_by_sums(table, program, inputs)
    full = expanded(table, program, inputs, _MOST_TERMS, _MOST_PRODUCTS)
    full = [_without_dust([x and split(cancelled(x)) for x in row], table.noise) for row in full]
    extent = Extent(table)
    long = [[x is None or extent(x) > _FACTORS * limit or _is_long(x, writer, limit) for x in row] for row in full]
    if any(map(any, long)):
        short = shortened(table, program, inputs, _Definer(names), long, limit // 2, limit // 7)
        full = [[b if c else a for a, b, c in zip(*rows, strict=True)] for rows in zip(full, short, long, strict=True)]
        full = [_without_dust(row, table.noise) for row in full]
    flat: list[Any] = [x for row in full for x in row]
    formulas = writer.written(flat)
    results, start = [], 0
    for row in full:
        results.append(tuple(formulas[start : start + len(row)]))
        start += len(row)
    return Simplified(tuple(results), used(formulas, names))


def _without_dust(row: list[Polynomial | None], noise: float) -> list[Polynomial | None]:
    """Elements of an output without what is dust beside the largest number in them, where more than rounding is."""
    if noise <= NOISE:
        return row
    least = noise * max((abs(float(x)) for p in row if p for x in p.terms.values()), default=0.0)
    return [p and p.above(least) for p in row]


def _is_long(polynomial: Polynomial, writer: Writer, limit: int) -> bool:
    """Whether it takes more terms than the limit, as it is written."""
    if len(polynomial) <= limit // 2:
        return False
    return writer.unsimplified_length(polynomial) > 3 * limit or writer.length(polynomial) > limit


class _Definer:
    """Intermediate quantities for polynomials: the same for multiples of the same."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def __call__(self, polynomial: Polynomial) -> Polynomial:
        table = self.names.table
        common, factor = polynomial.content()
        if len(polynomial) == 1:
            common = ONE
        number, multiple = self.names.quantity(polynomial.over(common, 1), factor)
        outside = Polynomial(table, {common: 1}, 1.0).scaled(multiple)
        return Polynomial.of_atom(table, table.atom(Named(number))) * outside


def _check(program: Program, leaves: Sequence[Sequence[Symbol]]) -> None:
    if len(leaves) != len(program.inputs):
        raise ShapeError(
            f"leaves must be a list of symbols for each of {len(program.inputs)} inputs, got {len(leaves)}"
        )
    for operand, row in zip(program.inputs, leaves, strict=True):
        if len(row) != operand.size:
            raise ShapeError(f"leaves of {operand.name} must be {operand.size} symbols, got {len(row)}")
        for x in row:
            if not isinstance(x, Symbol):
                raise ShapeError(f"leaves of {operand.name} must be symbols of formula.tree, got {shown(x)}")


def _inputs(
    program: Program, leaves: Sequence[Sequence[Symbol]], names: Names, parameters: Collection[str] | None
) -> list[list[Polynomial]]:
    """The inputs as polynomials. Angles are numbered in the order of leaves, as soon as one of their input is one."""
    varies = any(operand.name in VARIABLES for operand in program.inputs)
    turning = {
        program.nodes[args[0].index][1]
        for op, args in program.nodes
        if op in ("sin", "cos") and _is_input(program, args[0])
    }
    table, inputs = names.table, []
    for o, (operand, row) in enumerate(zip(program.inputs, leaves, strict=True)):
        parameter = varies and operand.name not in VARIABLES if parameters is None else operand.name in parameters
        inputs.append([Polynomial.of_atom(table, table.atom(Leaf(x, parameter), x.name)) for x in row])
        if any((o, i) in turning for i in range(operand.size)):
            for x in inputs[-1]:
                table.angle(Angle(next(iter(x.terms)), 1))
    return inputs


def _is_input(program: Program, x: Any) -> bool:
    return isinstance(x, Ref) and program.nodes[x.index][0] == "input"
