"""Derivatives of programs, as programs. The differentiated index comes last."""

from collections.abc import Sequence

from chasles.arguments import shown
from chasles.errors import TraceError
from chasles.graph.diff import gradient_reverse, jacobian
from chasles.graph.garbage import not_collected
from chasles.graph.interpret import interpret
from chasles.graph.node import Expr, Graph
from chasles.graph.program import Operand, Program, flatten
from chasles.graph.run_loop import split
from chasles.scalar.leaf import Leaf


def _retrace(program: Program) -> tuple[list[list[Expr]], list[list[Leaf]]]:
    """The program as nodes of a new graph: its inputs and its results."""
    graph = Graph()
    inputs = [[graph.input(k, i) for i in range(operand.size)] for k, operand in enumerate(program.inputs)]
    return inputs, interpret(program, inputs)


def _operand(program: Program, name: str) -> tuple[int, Operand]:
    for k, operand in enumerate(program.inputs if isinstance(name, str) else ()):
        if operand.name == name:
            return k, operand
    raise TraceError(f"no input {shown(name)} to differentiate by; the inputs are {[o.name for o in program.inputs]}")


def _scalar(program: Program, what: str) -> None:
    if len(program.outputs) != 1 or program.outputs[0].shape != ():
        shapes = [o.shape for o in program.outputs]
        raise TraceError(f"a {what} is of one scalar result; this function has results of shapes {shapes}")


@not_collected()
def jacobian_program(program: Program, name: str) -> Program:
    """d output / d input, of shape (*output, *input), for every output."""
    k, operand = _operand(program, name)
    inputs, results = _retrace(program)
    rows = jacobian([x for row in results for x in row], inputs[k])
    flat, start = [], 0
    for row in results:
        flat.append([x for line in rows[start : start + len(row)] for x in line])
        start += len(row)
    outputs = tuple(Operand(f"d{o.name}_d{name}", (*o.shape, *operand.shape)) for o in program.outputs)
    return flatten(program.inputs, outputs, flat)


@not_collected()
def gradient_program(program: Program, names: str | Sequence[str], value: bool = False) -> Program:
    """d scalar / d input, of the input's shape, for each of the names. value: and before them the scalar."""
    _scalar(program, "gradient")
    chosen = dict(_operand(program, name) for name in ((names,) if isinstance(names, str) else names))
    if not chosen:
        raise TraceError("a gradient is by at least one input: name it")
    inputs, results = _retrace(program)
    (scalar,), (result,) = program.outputs, results[0]
    wanted = [x for k in chosen for x in inputs[k]]
    *flat, last = gradient_reverse(result, wanted, [result])
    outputs = [Operand(f"d{scalar.name}_d{o.name}", o.shape) for o in chosen.values()]
    rows = list(split(flat, tuple(outputs)).values())
    if value:
        outputs, rows = [scalar, *outputs], [[last], *rows]
    return flatten(program.inputs, tuple(outputs), rows)


@not_collected()
def hessian_program(program: Program, name: str) -> Program:
    """d^2 scalar / d input^2, of shape (*input, *input)."""
    _scalar(program, "hessian")
    k, operand = _operand(program, name)
    inputs, results = _retrace(program)
    rows = jacobian(gradient_reverse(results[0][0], inputs[k]), inputs[k])
    output = Operand(f"d2{program.outputs[0].name}_d{name}2", (*operand.shape, *operand.shape))
    return flatten(program.inputs, (output,), [[x for row in rows for x in row]])
