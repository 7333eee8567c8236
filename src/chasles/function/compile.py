"""The user's own functions, compiled: `chasles.compile`."""

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from chasles import arrays
from chasles.arguments import is_whole, shown
from chasles.errors import ChaslesError, ModelError, TraceError
from chasles.function.kernel import Kernel
from chasles.graph.array import plain
from chasles.graph.node import Expr, Graph
from chasles.graph.program import Operand
from chasles.graph.refusals import line, not_traceable
from chasles.graph.symbol import SYMBOLS
from chasles.graph.trace import array, trace
from chasles.lie import SE3, SO3, Twist, Vec3, Wrench
from chasles.scalar.operations import CONDITIONS


def compile(function: Callable[..., Any], *, dtype: str = "float64", **shapes: int | tuple[int, ...]) -> Kernel:
    """A Python function of arrays, as a compiled kernel.

    `shapes` names each input and its size (`q=7`) or shape (`A=(3, 3)`, `t=()`); inputs are passed by those names. The
    function receives arrays of traced scalars, which take + - * / ** % @ and these functions of NumPy: sin cos tan
    arcsin arccos arctan arctan2 sinh cosh tanh, exp exp2 expm1 log log2 log10, power sqrt cbrt square hypot, absolute
    sign maximum minimum fmax fmin clip, floor ceil trunc rint remainder, comparisons and logic for `where`, and what
    sums, multiplies and rearranges arrays (sum max mean dot einsum cross linalg.norm stack reshape ...); others are
    refused. Lie objects and the functions of a `Robot` accept traced arrays too. It returns an array, a scalar or a
    Lie object, or a tuple or a dict of them. The kernel has `.jacobian("q")`, `.gradient("q")`, `.hessian("q")`,
    `.operations`, `.source`.
    """
    if not callable(function):
        raise TraceError(f"compile takes a function, got {shown(function)}")
    if not shapes:
        raise TraceError("name the inputs and their sizes: compile(f, q=7, qd=7)")
    inputs = tuple(Operand(name, _shape(name, given)) for name, given in shapes.items())
    program = trace(inputs, lambda *x: _computed(function, dict(zip(shapes, x, strict=True))), array)
    return Kernel(program, _name(function), dtype, inspect.getdoc(function) or "")


def _computed(function: Callable[..., Any], arguments: dict[str, Any]) -> list[tuple[Operand, list[Any]]]:
    """What the function makes of traced arguments: its results with their names and leaves."""
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        raise TraceError(f"{_name(function)} does not take the inputs {', '.join(arguments)}: {error}") from None
    try:
        result = function(**arguments)
    except TraceError as error:
        place = line(error)
        if not place:
            raise
        raise TraceError(f"{_name(function)} cannot be compiled{place}: {error}") from error
    except (TypeError, IndexError) as error:
        if isinstance(error, ChaslesError):
            raise
        if said := not_traceable(error):
            raise TraceError(f"{_name(function)} cannot be compiled{line(error)}: {said}") from error
        if "ufunc" not in str(error):
            raise
        raise TraceError(  # what NumPy says of an object array
            f"{_name(function)} does what traced values cannot{line(error)}: {error}; arrays that hold some are made "
            "by np.stack, np.concatenate or np.zeros_like of a traced one, not by np.array"
        ) from error
    named = _results(result)
    if not named:
        raise TraceError(f"{_name(function)} returns nothing: an empty {type(result).__name__}")
    (graph,) = {leaf.graph for x in arguments.values() for leaf in plain(x).flat}
    found = []
    for name, value in named.items():
        array = _array(name, value)
        found.append((Operand(name, array.shape), [_leaf(name, x, graph) for x in array.reshape(-1)]))
    return found


def asked(function: Callable[..., Any], arguments: Sequence[Any], what: str) -> Any:
    """What the user's function returns of traced arguments: numbers, traced or not, in some shape that is not empty.

    What goes wrong in it is said of `what`, the name it goes by.
    """
    try:
        found = function(*arguments)
        empty = np.size(found) == 0
    except TraceError as error:
        raise type(error)(f"{what}{line(error)}: {error}") from error
    except ChaslesError:
        raise
    except (TypeError, IndexError) as error:
        if said := not_traceable(error):
            raise TraceError(f"{what}{line(error)}: {said}") from error
        if isinstance(error, IndexError):
            raise ModelError(f"{what} raises IndexError: {error}") from error
        raise TraceError(f"{what} does what traced arrays cannot: {error}. Use NumPy's functions") from error
    except Exception as error:
        if "inhomogeneous" in str(error):
            raise ModelError(f"{what} must return numbers in rows of one length") from error
        raise ModelError(f"{what} raises {type(error).__name__}: {error}") from error
    if found is None or empty:
        raise ModelError(f"{what} returns nothing")
    if isinstance(found, str) or (isinstance(found, (list, tuple)) and any(isinstance(x, str) for x in found)):
        raise ModelError(f"{what} must return numbers, got {found!r}")
    return found


def _name(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return name if name.isidentifier() else "function"


def _shape(name: str, given: int | tuple[int, ...]) -> tuple[int, ...]:
    shape = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not all(is_whole(s) and 0 < s < 2**31 for s in shape):
        raise TraceError(f"input {name!r}: its size must be a positive integer or a tuple of them, got {shown(given)}")
    return tuple(int(s) for s in shape)


def _results(result: Any) -> Mapping[str, Any]:
    if isinstance(result, Mapping):
        return {str(key): value for key, value in result.items()}
    if isinstance(result, tuple):
        fields = getattr(result, "_fields", None) or [f"output{k}" for k in range(len(result))]
        return dict(zip(fields, result, strict=True))
    return {"output": result}


def _array(name: str, value: Any) -> np.ndarray:
    if value is None:
        raise TraceError(f"{name} is None: does the function return its result?")
    if isinstance(value, SE3):
        value = arrays.from_motion(value)
    elif isinstance(value, SO3):
        value = [[*row] for row in value.matrix]
    elif isinstance(value, Twist):
        value = arrays.from_twist(value)
    elif isinstance(value, Wrench):
        value = arrays.from_wrench(value)
    elif isinstance(value, Vec3):
        value = arrays.from_vector(value)
    return plain(value)


def _leaf(name: str, x: Any, graph: Graph) -> Any:
    if isinstance(x, Expr):
        if x.graph is SYMBOLS:
            raise SYMBOLS.foreign_error(x)
        if x.graph is not graph:
            raise TraceError(f"{name} holds a value of another trace: a traced value lives only inside its function")
        if x.op in CONDITIONS:
            raise TraceError(f"{name} is a condition; return chasles.where(condition, 1.0, 0.0)")
        return x
    try:
        return float(operator.pos(x))  # which a string has not
    except (TypeError, ValueError):
        raise TraceError(f"{name} holds a {type(x).__name__}, which is not a number") from None
