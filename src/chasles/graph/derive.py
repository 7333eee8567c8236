"""Derivatives of programs, as programs. The differentiated index comes last."""

from collections.abc import Callable, Sequence
from typing import Any

from chasles.arguments import shown
from chasles.errors import TraceError
from chasles.graph.diff import gradient_reverse, jacobian
from chasles.graph.interpret import interpret
from chasles.graph.program import Operand, Program
from chasles.graph.run_loop import split
from chasles.graph.trace import trace


def _derived(program: Program, outputs: Sequence[Operand], rows: Callable[[Any, Any], Any]) -> Program:
    """The program of `rows`, which is given the inputs of another and its results, as lists of nodes."""

    def compute(*given: Any) -> Any:
        inputs = list(given)
        return zip(outputs, rows(inputs, interpret(program, inputs)), strict=True)

    return trace(program.inputs, compute, lambda leaves, _: leaves)


def _operand(program: Program, name: str) -> tuple[int, Operand]:
    for k, operand in enumerate(program.inputs if isinstance(name, str) else ()):
        if operand.name == name:
            return k, operand
    raise TraceError(f"no input {shown(name)} to differentiate by; the inputs are {[o.name for o in program.inputs]}")


def _scalar(program: Program, what: str) -> None:
    if len(program.outputs) != 1 or program.outputs[0].shape != ():
        shapes = [o.shape for o in program.outputs]
        raise TraceError(f"a {what} is of one scalar result; this function has results of shapes {shapes}")


def jacobian_program(program: Program, name: str) -> Program:
    """d output / d input, of shape (*output, *input), for every output."""
    k, operand = _operand(program, name)
    outputs = [Operand(f"d{o.name}_d{name}", (*o.shape, *operand.shape)) for o in program.outputs]

    def rows(inputs: Any, results: Any) -> Any:
        slopes = iter(jacobian([x for row in results for x in row], inputs[k]))
        return [[x for _ in row for x in next(slopes)] for row in results]

    return _derived(program, outputs, rows)


def gradient_program(program: Program, names: str | Sequence[str], value: bool = False) -> Program:
    """d scalar / d input, of the input's shape, for each of the names. value: and before them the scalar."""
    _scalar(program, "gradient")
    chosen = dict(_operand(program, name) for name in ((names,) if isinstance(names, str) else names))
    if not chosen:
        raise TraceError("a gradient is by at least one input: name it")
    (scalar,) = program.outputs
    slopes = [Operand(f"d{scalar.name}_d{o.name}", o.shape) for o in chosen.values()]

    def rows(inputs: Any, results: Any) -> Any:
        (result,) = results[0]
        *flat, last = gradient_reverse(result, [x for k in chosen for x in inputs[k]], [result])
        return [*([[last]] if value else []), *split(flat, tuple(slopes)).values()]

    return _derived(program, [*([scalar] if value else []), *slopes], rows)


def hessian_program(program: Program, name: str) -> Program:
    """d^2 scalar / d input^2, of shape (*input, *input)."""
    _scalar(program, "hessian")
    k, operand = _operand(program, name)
    output = Operand(f"d2{program.outputs[0].name}_d{name}2", (*operand.shape, *operand.shape))

    def rows(inputs: Any, results: Any) -> Any:
        slopes = jacobian(gradient_reverse(results[0][0], inputs[k]), inputs[k])
        return [[x for row in slopes for x in row]]

    return _derived(program, [output], rows)
