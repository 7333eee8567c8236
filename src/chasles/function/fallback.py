"""The fallback of compiled functions, for arguments that are not simply arrays of numbers in the right shapes.

Compiled code hands them here: traced values are answered by the program written out, lists and other types by NumPy's
ufunc; what that refuses is explained, naming the argument at fault with the shape expected and the one given.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.arguments import array, real, refuse_foreign
from chasles.arguments.arrays import leading as broadcast
from chasles.errors import ChaslesError, ShapeError, TraceError
from chasles.graph.array import inline, is_traced
from chasles.graph.program import Loop, Program


class Fallback:
    """The Python side of one compiled function; it holds the ufunc, never the kernel that holds it."""

    def __init__(self, program: Program | Loop, name: str, dtype: str, ufunc: Any) -> None:
        self.program, self.name, self.dtype, self.ufunc = program, name, dtype, ufunc

    def __call__(self, *arguments: Any, out: Any = None, **others: Any) -> Any:
        inputs = self.program.inputs
        if others:
            raise TypeError(f"{self.name}: no keyword {next(iter(others))} here: inputs in order, and out=")
        if len(arguments) != len(inputs):
            names = ", ".join(operand.name for operand in inputs)
            raise TypeError(f"{self.name} takes {len(inputs)} arguments ({names}), got {len(arguments)}")
        if any(map(is_traced, arguments)):
            if out is not None:
                raise TraceError(f"{self.name} of traced values takes no out=: use what it returns")
            if not isinstance(self.program, Loop):
                return inline(self.program, arguments)
            if self.program.restart is not None:
                raise TraceError(f"{self.name} is a search, which is not traced: give it numbers")
            return inline(self.program.program, arguments)
        try:
            for operand, x in zip(self.program.inputs, arguments, strict=False):
                if not isinstance(x, (bool, np.bool_)):  # 0 and 1, as NumPy has it
                    refuse_foreign(x, f"{self.name}: {operand.name}")
            if out is not None:
                for x in out if isinstance(out, tuple) else (out,):
                    refuse_foreign(x, f"{self.name}: out")
            given = arguments if self.dtype == "float64" else tuple(map(_single, arguments))
            return self.ufunc(*given) if out is None else self.ufunc(*given, out=out)
        except ChaslesError:
            raise
        except (ValueError, TypeError, OverflowError) as error:
            said = str(error)  # not the error: its traceback would hold this frame
        leading = self._explain(arguments)
        if out is not None:
            self._explain_out(out, leading)
        raise ShapeError(f"{self.name}: {said}")

    def _explain(self, arguments: tuple[Any, ...]) -> tuple[int, ...]:
        """Raise a ShapeError that names the argument at fault; if none is, the shape of the leading axes."""
        leading: dict[str, tuple[int, ...]] = {}
        for operand, x in zip(self.program.inputs, arguments, strict=False):
            what = f"{self.name}: {operand.name}"
            real(x, what)
            given = np.asarray(x)
            if self.dtype == "float64" and not np.can_cast(given.dtype, np.float64):
                raise ShapeError(
                    f"{what} must be float64 or fit in it, got {given.dtype}; round it by {operand.name}.astype(float)"
                )
            array(given, what, ("...", *operand.shape))
            leading[operand.name] = given.shape[: given.ndim - len(operand.shape)]
        return broadcast(self.name, leading)

    def _explain_out(self, out: Any, leading: tuple[int, ...]) -> None:
        """Raise a ShapeError that names the array of `out` at fault; return if none is found."""
        given = out if isinstance(out, tuple) else (out,)
        if len(given) != len(self.program.outputs):
            names = ", ".join(operand.name for operand in self.program.outputs)
            raise ShapeError(f"{self.name}: out must be a tuple of {len(self.program.outputs)} arrays ({names})")
        for operand, x in zip(self.program.outputs, given, strict=True):
            what, shape = f"{self.name}: out for {operand.name}", (*leading, *operand.shape)
            if not isinstance(x, np.ndarray):
                raise ShapeError(f"{what} must be an array to write into, got {type(x).__name__}")
            if not np.can_cast(self.dtype, x.dtype, "same_kind"):
                raise ShapeError(f"{what} must be an array of {self.dtype}, got one of {x.dtype}")
            if x.shape != shape:
                raise ShapeError(f"{what} must have shape {shape}, got {x.shape}")
            if not x.flags.writeable:
                raise ShapeError(f"{what} is read-only")


class Door:
    """What `door` of this machine's functions gives (backend/host/single_calls.py), in Python, for those without."""

    def __init__(self, fallback: Fallback, kind: type[tuple[Any, ...]], around: Callable[[Any], Any]) -> None:
        self.inputs, self.kind, self.call = len(fallback.program.inputs), kind, around(fallback)

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        result = self.call(*without_none(arguments, self.inputs), out=out)
        return self.kind(*result) if type(result) is tuple and self.kind is not tuple else result


def without_none(arguments: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """Arguments without as many None, from the last on, as there are too many: optional inputs that are not given."""
    kept = list(arguments)
    for k in reversed(range(len(arguments))):
        if len(kept) > count and arguments[k] is None:
            del kept[k]
    return tuple(kept)


def _single(x: Any) -> Any:
    """x in float32, which NumPy's ufuncs do not make of float64 by themselves."""
    if type(x) is np.ndarray and x.dtype == np.float32:
        return x
    return np.asarray(x).astype(np.float32, casting="same_kind")
