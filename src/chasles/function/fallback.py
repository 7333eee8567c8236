"""The fallback of compiled functions, for arguments that are not simply arrays of numbers in the right shapes.

Compiled code hands them here: traced values are answered by the program written out, lists and other types by NumPy's
ufunc; what that refuses is explained, naming the argument at fault with the shape expected and the one given.
"""

import sys
from typing import Any

import numpy as np

from chasles.errors import ChaslesError, ShapeError, TraceError
from chasles.graph.array import inline, is_traced
from chasles.graph.program import Loop, Program


class Fallback:
    """The Python side of one compiled function; it holds the ufunc, never the kernel that holds it."""

    def __init__(self, program: Program | Loop, name: str, dtype: str, ufunc: Any) -> None:
        self.program, self.name, self.dtype, self.ufunc = program, name, dtype, ufunc

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        inputs = self.program.inputs
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
            for x in arguments:
                refuse_masked(x)
            given = arguments if self.dtype == "float64" else tuple(map(_single, arguments))
            return self.ufunc(*given) if out is None else self.ufunc(*given, out=out)
        except ChaslesError:
            raise
        except (ValueError, TypeError) as error:
            leading = self._explain(arguments, error)
            if out is not None:
                self._explain_out(out, leading)
            raise

    def _explain(self, arguments: tuple[Any, ...], error: Exception) -> tuple[int, ...]:
        """Raise a ShapeError that names the argument at fault; if none is, the shape of the leading axes."""
        leading: list[tuple[str, tuple[int, ...]]] = []
        for operand, x in zip(self.program.inputs, arguments, strict=False):
            try:
                array = np.asarray(x)
            except ValueError:
                raise ShapeError(f"{self.name}: {operand.name} is not a rectangular array") from None
            if not (np.issubdtype(array.dtype, np.number) or array.dtype == bool):
                raise ShapeError(
                    f"{self.name}: {operand.name} must be real numbers, got {array.dtype} ({type(x).__name__})"
                ) from error
            if np.issubdtype(array.dtype, np.complexfloating):
                raise ShapeError(f"{self.name}: {operand.name} must be real numbers, got {array.dtype}") from error
            if self.dtype == "float64" and not np.can_cast(array.dtype, np.float64):
                raise ShapeError(
                    f"{self.name}: {operand.name} must be float64 or fit in it, got {array.dtype}; "
                    f"round it by {operand.name}.astype(float)"
                ) from None
            core = len(operand.shape)
            if array.ndim < core or array.shape[array.ndim - core :] != operand.shape:
                expected = ", ".join(["...", *map(str, operand.shape)])
                raise ShapeError(
                    f"{self.name}: {operand.name} must have shape ({expected}), got {array.shape}"
                ) from None
            leading.append((operand.name, array.shape[: array.ndim - core]))
        try:
            return np.broadcast_shapes(*(shape for _, shape in leading))
        except ValueError:
            shapes = ", ".join(f"{name} {shape}" for name, shape in leading)
            raise ShapeError(f"{self.name}: the leading axes do not broadcast: {shapes}") from None

    def _explain_out(self, out: Any, leading: tuple[int, ...]) -> None:
        """Raise a ShapeError that names the array of `out` at fault; return if none is found."""
        given = out if isinstance(out, tuple) else (out,)
        if len(given) != len(self.program.outputs):
            names = ", ".join(operand.name for operand in self.program.outputs)
            raise ShapeError(
                f"{self.name}: out must be a tuple of {len(self.program.outputs)} arrays ({names})"
            ) from None
        for operand, x in zip(self.program.outputs, given, strict=True):
            shape = (*leading, *operand.shape)
            if not isinstance(x, np.ndarray) or not np.can_cast(self.dtype, x.dtype, "same_kind"):
                continue  # NumPy says it well
            if x.shape != shape:
                raise ShapeError(
                    f"{self.name}: out for {operand.name} must have shape {shape}, got {x.shape}"
                ) from None
            if not x.flags.writeable:
                raise ShapeError(f"{self.name}: out for {operand.name} is read-only") from None


def refuse_masked(x: Any) -> None:
    """Refuse a masked array: a kernel reads the numbers behind the mask."""
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(x, masked.MaskedArray):
        raise ShapeError("a masked array is not taken: choose the rows to compute, or fill it by .filled(value)")


def _single(x: Any) -> Any:
    """x in float32, which NumPy's ufuncs do not make of float64 by themselves."""
    if type(x) is np.ndarray and x.dtype == np.float32:
        return x
    return np.asarray(x).astype(np.float32, casting="same_kind")
