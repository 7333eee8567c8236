"""Arrays of traced scalars, which NumPy's operators and functions take by its protocols (NEP 13 and NEP 18).

The same protocols are put into the class of traced scalars here: whatever hands such scalars to people (graph/trace.py,
graph/symbol.py) imports this module.
"""

from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from chasles import reprs
from chasles.arguments import real, register
from chasles.arguments.arrays import leading as broadcast
from chasles.errors import ChaslesError, ShapeError, TraceError
from chasles.graph.interpret import interpret
from chasles.graph.node import Expr
from chasles.graph.program import Program
from chasles.graph.refusals import unknown_place, unknown_size
from chasles.graph.ufuncs import UFUNCS
from chasles.scalar import ops
from chasles.scalar.operations import CONDITIONS


def _named(module: Any, names: str) -> set[Any]:
    return {getattr(module, name) for name in names.split() if hasattr(module, name)}


_FUNCTIONS = (  # NumPy's own code for these is right on objects; other functions may pass them by unread
    _named(np, "sum prod cumsum cumprod mean average var std diff ptp max min amax amin trapezoid trapz polyval")
    | _named(np, "dot vdot inner outer tensordot einsum einsum_path cross kron trace convolve")
    | _named(np, "stack concatenate concat vstack row_stack hstack dstack column_stack block append insert delete")
    | _named(np, "split array_split hsplit vsplit dsplit unstack tile repeat resize meshgrid take take_along_axis")
    | _named(np, "reshape ravel transpose permute_dims matrix_transpose swapaxes moveaxis rollaxis squeeze expand_dims")
    | _named(np, "broadcast_to broadcast_arrays atleast_1d atleast_2d atleast_3d roll flip flipud fliplr rot90")
    | _named(np, "diag diagflat diagonal fill_diagonal triu tril tril_indices_from triu_indices_from")
    | _named(np, "shape size ndim copy copyto zeros_like ones_like full_like empty_like result_type can_cast")
    | _named(np, "array_repr array_str array2string iscomplexobj isrealobj shares_memory may_share_memory")
    | _named(np.linalg, "matrix_power multi_dot cross outer tensordot trace diagonal matrix_transpose matmul vecdot")
)
_SIZES = (  # as many elements as the numbers say
    _named(np, "nonzero flatnonzero argwhere unique unique_all unique_counts unique_inverse unique_values")
    | _named(np, "extract compress union1d intersect1d setdiff1d setxor1d trim_zeros")
)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **options: Any) -> Any:
    """np.clip, whose bounds have two names each."""
    if out is not None or options.keys() - {"min", "max"}:
        raise TraceError("np.clip of traced values takes the array and its two bounds, nothing else")
    for name, bound in (("min", a_min), ("max", a_max)):
        if options.get(name) is not None and bound is not None:
            raise TraceError(f"np.clip is given both a_{name} and {name}")
    low = options.get("min") if a_min is None else a_min
    high = options.get("max") if a_max is None else a_max
    a = a if low is None else np.maximum(a, low)
    return a if high is None else np.minimum(a, high)


MOST_SHOWN = 32  # elements that are written out


class TracedArray(np.ndarray):
    """An object array of traced scalars and floats."""

    def tobytes(self, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        """Refused: the bytes are those of pointers, which people look up in tables of arrays."""
        raise TraceError("a traced array has no bytes yet: its numbers are known only when the kernel runs")

    tofile = dump = dumps = tobytes  # type: ignore[assignment]

    def __getitem__(self, index: Any) -> Any:
        try:
            return super().__getitem__(index)
        except IndexError as error:
            raise _refused(index, error) from None

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            super().__setitem__(index, value)
        except IndexError as error:
            raise _refused(index, error) from None

    def nonzero(self) -> Any:
        """Refused, as is np.nonzero."""
        raise unknown_size("x.nonzero()")

    def compress(self, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        """Refused, as is np.compress."""
        raise unknown_size("x.compress(mask)")

    def __repr__(self) -> str:
        whole = super().__repr__() if self.size <= MOST_SHOWN else ""
        if 0 < len(whole) <= reprs.MOST:
            return whole
        return f"<TracedArray {self.shape}: {reprs.listed(self.reshape(-1)[:3], 120)}, ...>"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.where and len(args) == 3 and not kwargs:
            return elementwise(ops.where, 3)(*args)
        if func is np.linalg.norm and len(args) == 1 and not kwargs.keys() - {"axis", "keepdims"}:
            return np.sqrt(np.sum(args[0] * args[0], **kwargs))
        if func is np.clip:
            return _clip(*args, **kwargs)
        if func in _SIZES or (func is np.where and len(args) == 1 and not kwargs):
            raise unknown_size(f"np.{func.__name__}(x)")
        if func not in _FUNCTIONS:
            raise _unknown(f"{func.__module__.replace('numpy', 'np')}.{func.__name__}")
        try:
            return _retraced(super().__array_function__(func, types, args, kwargs))
        except ChaslesError:
            raise
        except TypeError as error:
            raise _unknown(f"{func.__module__.replace('numpy', 'np')}.{func.__name__}") from error


def _refused(index: Any, error: IndexError) -> Exception:
    """What to say of an index that NumPy refuses: of a mask that it is traced, of others what NumPy says."""
    if not is_traced(index):
        return error
    mask = isinstance(index, TracedArray) and all(x is True or x is False or _is_condition(x) for x in index.flat)
    return unknown_size("x[mask]") if mask else unknown_place("the index")


def _is_condition(x: Any) -> bool:
    return isinstance(x, Expr) and x.op in CONDITIONS


def _retraced(x: Any) -> Any:
    """What a function of NumPy made of traced arrays, where it gave back plain ones."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(_retraced, x)) if type(x) in (list, tuple) else x
    return traced(x) if isinstance(x, np.ndarray) and x.dtype == object else x


def wrap(x: Any) -> Any:
    """Traced scalars, also within lists and tuples, as arrays."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(wrap, x))
    return traced(plain(x)) if isinstance(x, Expr) else x


def _unknown(name: str) -> TraceError:
    return TraceError(
        f"{name} is not known to the tracer; "
        "write it with + - * / @, NumPy's elementary functions and chasles.where, or call a robot's own functions"
    )


def traced(x: Any) -> Any:
    """An object array as a `TracedArray`; a scalar as it is."""
    return x.view(TracedArray) if isinstance(x, np.ndarray) else x


def plain(x: Any) -> Any:
    """The object array behind a `TracedArray`, or of a scalar or sequence; its numbers are Python's."""
    if isinstance(x, TracedArray):
        return x.view(np.ndarray)
    if isinstance(x, (Expr, np.generic)):
        out = np.empty((), object)
        out[()] = x if isinstance(x, Expr) else x.item()
        return out
    return np.asarray(x, dtype=object)


def elementwise(function: Any, arguments: int) -> Any:
    """A function of leaves, applied over broadcast arrays."""
    vectorized = np.frompyfunc(function, arguments, 1)
    return lambda *x: traced(vectorized(*(plain(a) for a in x)))


_PRODUCTS = tuple(getattr(np, name) for name in ("matmul", "matvec", "vecmat", "vecdot") if hasattr(np, name))
register(Expr)  # arrays of a robot's numbers may hold it
_PROGRAMS: WeakValueDictionary[int, "UfuncProgram"] = WeakValueDictionary()  # by the address of the ufunc


class UfuncProgram:
    """The program that a compiled ufunc computes, held by nothing but the ufunc."""

    def __init__(self, ufunc: Any, program: Program) -> None:
        """From now on, and while this object lives, the ufunc can be traced: its program is written out."""
        self.program = program
        _PROGRAMS[id(ufunc)] = self


def is_traced(x: Any) -> bool:
    """Whether x is a traced value, or holds one."""
    if isinstance(x, (Expr, TracedArray)):
        return True
    if isinstance(x, (list, tuple)):
        return any(map(is_traced, x))
    return isinstance(x, np.ndarray) and x.dtype == object and any(isinstance(leaf, Expr) for leaf in x.flat)


def inline(program: Program, inputs: tuple[Any, ...]) -> Any:
    """The results of a program on arrays of traced values, over broadcast leading axes."""
    arrays = [plain(x) for x in inputs]
    leading = {}
    for operand, x in zip(program.inputs, arrays, strict=True):
        core = x.ndim - len(operand.shape)
        if core < 0 or x.shape[core:] != operand.shape:
            expected = ", ".join(["...", *map(str, operand.shape)])
            raise ShapeError(f"{operand.name} must have shape ({expected}), got {x.shape}")
        leading[operand.name] = x.shape[:core]
    shape = broadcast("", leading)
    rows = [
        np.broadcast_to(x, (*shape, *o.shape)).reshape((*shape, o.size))
        for o, x in zip(program.inputs, arrays, strict=True)
    ]
    results = [np.empty((*shape, o.size), object) for o in program.outputs]
    for index in np.ndindex(shape):
        for result, values in zip(results, interpret(program, [list(row[index]) for row in rows]), strict=True):
            for k, value in enumerate(values):
                result[(*index, k)] = value
    shaped = [traced(r.reshape((*shape, *o.shape))) for o, r in zip(program.outputs, results, strict=True)]
    shaped = [x[()] if x.ndim == 0 else x for x in shaped]
    return shaped[0] if len(shaped) == 1 else tuple(shaped)


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A NumPy ufunc on traced values."""
    if "out" in options:
        (out,) = options.pop("out")
        out[...] = apply_ufunc(ufunc, method, inputs, options)
        return out
    if options.get("where", True) is not True:
        raise TraceError(f"np.{ufunc.__name__} of traced values takes no where=; use chasles.where")
    arrays = [plain(x) for x in inputs]
    if ufunc in _PRODUCTS and method == "__call__":
        return traced(ufunc(*arrays, **options))
    if method == "__call__":
        _refuse_options(ufunc, options, ("casting", "subok", "order"))
        if ufunc in UFUNCS:
            result = elementwise(UFUNCS[ufunc], ufunc.nin)(*inputs)
            return result[()] if isinstance(result, np.ndarray) and result.ndim == 0 else result
        compiled = _PROGRAMS.get(id(ufunc))
        if compiled is not None:
            return inline(compiled.program, inputs)
        if ufunc.__name__ == "clip":  # of q.clip(...); the ufunc has no public name
            return _clip(*inputs)
    if method == "accumulate" and ufunc in (np.add, np.multiply):
        _refuse_options(ufunc, options, ("axis",))
        return traced(ufunc.accumulate(arrays[0], **options))
    if method == "reduce" and ufunc in (np.add, np.multiply):
        _refuse_options(ufunc, options, ("axis", "keepdims", "initial"))
        return traced(ufunc.reduce(arrays[0], **options))
    if method == "reduce" and ufunc in (np.maximum, np.minimum):
        _refuse_options(ufunc, options, ("axis", "keepdims", "initial"))
        return _extreme(UFUNCS[ufunc], arrays[0], **options)
    raise _unknown(f"np.{ufunc.__name__}{'' if method == '__call__' else '.' + method}")


def _refuse_options(ufunc: Any, options: dict[str, Any], known: tuple[str, ...]) -> None:
    """Refuse the options of a ufunc that would change its result and are not known here."""
    for name, value in options.items():
        if name not in known and value is not None and (name, value) not in (("where", True), ("dtype", object)):
            raise TraceError(f"np.{ufunc.__name__} of traced values takes no {name}=")


def _extreme(rule: Any, x: np.ndarray, axis: Any = 0, initial: Any = None, keepdims: bool = False, **_: Any) -> Any:
    """The largest or smallest along the axes."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(k + x.ndim if k < 0 else k for k in axes)
    kept = [k for k in range(x.ndim) if k not in axes]
    shape = tuple(x.shape[k] for k in kept)
    rows = x.transpose(*axes, *kept).reshape(-1, *shape)
    if initial is not None:
        first = np.empty((1, *shape), object)
        first[...] = initial
        rows = np.concatenate([first, rows])
    result = np.frompyfunc(rule, 2, 1).reduce(rows, axis=0)
    if keepdims:
        result = plain(result).reshape([1 if k in axes else size for k, size in enumerate(x.shape)])
    return traced(result)


def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, else y, elementwise: for traced values, floats and arrays.

    Both sides are computed; where one may divide by zero, choose the denominator instead.
    """
    if any(isinstance(a, (Expr, TracedArray)) for a in (condition, x, y)):
        out = elementwise(ops.where, 3)(condition, x, y)
        return out[()] if isinstance(out, np.ndarray) and out.ndim == 0 else out
    given = {"condition": condition, "x": x, "y": y}
    shapes = {
        name: real(np.asarray(a) if isinstance(a, (bool, np.bool_)) else a, f"where: {name}").shape
        for name, a in given.items()
    }
    broadcast("where", shapes)
    return np.where(condition, x, y)


def _scalar_ufunc(self: Expr, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    return apply_ufunc(ufunc, method, inputs, options)


def _scalar_function(self: Expr, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    return func(*wrap(args), **{name: wrap(x) for name, x in kwargs.items()})


Expr.__array_ufunc__ = _scalar_ufunc  # type: ignore[attr-defined]
Expr.__array_function__ = _scalar_function  # type: ignore[attr-defined]
