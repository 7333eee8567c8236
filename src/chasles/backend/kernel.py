"""A kernel: a program, compiled, with named inputs and outputs."""

import functools
from collections import namedtuple
from keyword import iskeyword
from typing import Any

import numpy as np

from chasles.backend import cache, jit
from chasles.backend.module import module, search_module
from chasles.backend.search import Search
from chasles.backend.table import refuse_masked
from chasles.backend.target import host
from chasles.backend.ufunc import fastcall, gufunc, signature
from chasles.errors import ChaslesError, ModelError, ShapeError, TraceError
from chasles.graph.array import inline
from chasles.graph.derive import gradient_program, hessian_program, jacobian_program
from chasles.graph.interpret import interpret
from chasles.graph.node import Expr
from chasles.graph.program import Operand, Operations, Program

_made: dict[str, tuple[Any, Any]] = {}


def _functions(program: Program, ir: str, name: str, doc: str, dtype: str) -> tuple[Any, Any]:
    """The ufunc and the single-row function of a kernel, each made once in a process."""
    import llvmlite

    target = host()
    identity = cache.key(ir, name, repr(target), llvmlite.__version__, np.__version__)
    with jit.lock:
        if identity not in _made:
            code = cache.load(identity)
            if code is None:
                code = jit.compile_object(ir, target)
                cache.store(identity, code)
            loaded = jit.Loaded(code)
            ufunc = gufunc(program, loaded, name, doc, dtype)
            _made[identity] = (ufunc, fastcall(ufunc, loaded, name))
        return _made[identity]


class Kernel:
    """Compiled machine code, called like a NumPy function: arrays broadcast over leading axes.

    `inputs` and `outputs` name the operands and their shapes, `operations` counts the work, `source` is the LLVM IR,
    `assembly` the machine code as text, `ufunc` the NumPy generalized ufunc itself.
    """

    def __init__(self, program: Program, name: str, dtype: str = "float64", doc: str = "") -> None:
        self.program, self.name, self.dtype, self.doc = program, name, _real(dtype), doc
        self._made: tuple[Any, Any] | None = None
        self._result = None
        if len(program.outputs) > 1:
            self._result = _record(_identifier(name), tuple(o.name for o in program.outputs))

    @property
    def inputs(self) -> tuple[Operand, ...]:
        return self.program.inputs

    @property
    def outputs(self) -> tuple[Operand, ...]:
        return self.program.outputs

    @property
    def operations(self) -> Operations:
        return self.program.operations

    @property
    def signature(self) -> str:
        return signature(self.program)

    @property
    def source(self) -> str:
        """The LLVM IR."""
        return module(self.program, host(), self.dtype)

    @property
    def assembly(self) -> str:
        """The assembly of this machine."""
        return jit.assembly(self.source, host())

    @property
    def _pair(self) -> tuple[Any, Any]:
        if self._made is None:
            if any(0 in operand.shape for operand in (*self.inputs, *self.outputs)):
                self._made = _Empty(self.program, self.dtype), _Empty(self.program, self.dtype)
            else:
                self._made = _functions(self.program, self.source, self.name, self.doc, self.dtype)
        return self._made

    @property
    def ufunc(self) -> Any:
        """The NumPy generalized ufunc."""
        return self._pair[0]

    @property
    def fast(self) -> Any:
        """The function behind single calls: one row of contiguous arrays directly, all else through the ufunc."""
        return self._pair[1]

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        """Compute. `out`: an array, or a tuple of them for several outputs, to write into."""
        if len(arguments) != len(self.inputs):
            names = ", ".join(operand.name for operand in self.inputs)
            raise TypeError(f"{self.name} takes {len(self.inputs)} arguments ({names}), got {len(arguments)}")
        try:
            given = arguments if self.dtype == "float64" else tuple(map(_single, arguments))
            result = self.fast(*given) if out is None else self.ufunc(*given, out=out)
        except (ValueError, TypeError) as error:
            result = self.recover(arguments, error, out)
        return self._result(*result) if self._result else result

    def jacobian(self, name: str) -> "Kernel":
        """The derivative of every output by the input `name`: shape (*output, *input)."""
        return Kernel(jacobian_program(self.program, name), f"{self.name}_jacobian_{name}", self.dtype)

    def gradient(self, name: str) -> "Kernel":
        """The derivative of the one scalar output by the input `name`: the input's shape."""
        return Kernel(gradient_program(self.program, name), f"{self.name}_gradient_{name}", self.dtype)

    def hessian(self, name: str) -> "Kernel":
        """The second derivative of the one scalar output by the input `name`: shape (*input, *input)."""
        return Kernel(hessian_program(self.program, name), f"{self.name}_hessian_{name}", self.dtype)

    def recover(self, arguments: tuple[Any, ...], error: Exception, out: Any = None) -> Any:
        """After NumPy refused the arguments: write the program out if they are traced, else name the culprit."""
        if isinstance(error, ChaslesError):
            raise error
        if any(isinstance(leaf, Expr) for x in arguments for leaf in np.asarray(x, dtype=object).flat):
            if out is not None:
                raise TraceError(f"{self.name} of traced values takes no out=: use what it returns") from None
            return inline(self.program, arguments)
        leading = self._explain(arguments, error)
        if out is not None:
            self._explain_out(out, leading)
        raise error

    def _explain(self, arguments: tuple[Any, ...], error: Exception) -> tuple[int, ...]:
        """Raise a ShapeError that names the argument at fault; if none is, the shape of the leading axes."""
        leading: list[tuple[str, tuple[int, ...]]] = []
        for operand, x in zip(self.inputs, arguments, strict=False):
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
        if len(given) != len(self.outputs):
            names = ", ".join(operand.name for operand in self.outputs)
            raise ShapeError(f"{self.name}: out must be a tuple of {len(self.outputs)} arrays ({names})") from None
        for operand, x in zip(self.outputs, given, strict=True):
            shape = (*leading, *operand.shape)
            if not isinstance(x, np.ndarray) or not np.can_cast(self.dtype, x.dtype, "same_kind"):
                continue  # NumPy says it well
            if x.shape != shape:
                raise ShapeError(
                    f"{self.name}: out for {operand.name} must have shape {shape}, got {x.shape}"
                ) from None
            if not x.flags.writeable:
                raise ShapeError(f"{self.name}: out for {operand.name} is read-only") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.program, self.name, self.dtype, self.doc)

    def __repr__(self) -> str:
        names = ", ".join(f"{o.name}{list(o.shape)}" for o in self.inputs)
        results = ", ".join(f"{o.name}{list(o.shape)}" for o in self.outputs)
        return f"<Kernel {self.name}({names}) -> {results}, {self.dtype}, {self.operations.total} operations>"


class SearchKernel(Kernel):
    """A search (backend/search.py), compiled: its rows are independent, its steps the same for all."""

    def __init__(self, search: Search, name: str, doc: str = "") -> None:
        super().__init__(search.signature, name, "float64", doc)
        self.search = search

    @property
    def operations(self) -> Operations:
        """Those of one step."""
        return self.search.step.operations

    @property
    def source(self) -> str:
        return search_module(self.search, host())

    def jacobian(self, name: str) -> Kernel:
        raise TraceError(f"{self.name} is a search, which is not differentiated")

    gradient = hessian = jacobian

    def recover(self, arguments: tuple[Any, ...], error: Exception, out: Any = None) -> Any:
        if any(isinstance(leaf, Expr) for x in arguments for leaf in np.asarray(x, dtype=object).flat):
            raise TraceError(f"{self.name} is a search, which is not traced: give it numbers") from None
        return super().recover(arguments, error, out)

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchKernel, (self.search, self.name, self.doc)


class _Empty:
    """A kernel with an empty operand (a robot without joints), which no ufunc can be: by the interpreter."""

    def __init__(self, program: Program, dtype: str) -> None:
        self.program, self.dtype = program, dtype

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        leading, flat = [], []
        for operand, x in zip(self.program.inputs, arguments, strict=True):
            array = np.asarray(x, dtype=self.dtype)
            core = len(operand.shape)
            if array.shape[array.ndim - core :] != operand.shape or array.ndim < core:
                raise ValueError(f"{operand.name}: wrong shape")
            leading.append(array.shape[: array.ndim - core])
            rows = array.reshape(*leading[-1], operand.size)
            flat.append([rows[..., k] for k in range(operand.size)])
        shape = np.broadcast_shapes(*leading)
        results = []
        for operand, row in zip(self.program.outputs, interpret(self.program, flat), strict=True):
            result = np.zeros((*shape, operand.size), self.dtype)
            for k, value in enumerate(row):
                result[..., k] = value
            results.append(result.reshape((*shape, *operand.shape))[()])
        if out is not None:
            for target, result in zip(out if isinstance(out, tuple) else (out,), results, strict=True):
                target[...] = result
            return out
        return results[0] if len(results) == 1 else tuple(results)


def _single(x: Any) -> Any:
    """x in float32, which NumPy's ufuncs do not make of float64 by themselves; a traced value is refused."""
    if type(x) is np.ndarray and x.dtype == np.float32:
        return x
    refuse_masked(x)
    return np.asarray(x).astype(np.float32, casting="same_kind")


def _real(dtype: Any) -> str:
    try:
        name = np.dtype(dtype).name
    except (TypeError, ValueError):
        name = ""
    if name not in ("float64", "float32"):
        raise ModelError(f"dtype must be float64 or float32, got {dtype!r}")
    return name


@functools.cache
def _record(name: str, fields: tuple[str, ...]) -> Any:
    """The named tuple of a kernel's results, which pickles by its name and fields: no module holds the class."""
    made: Any = namedtuple(name, fields, rename=True)
    made.__reduce__ = lambda self: (_make_record, (name, fields, tuple(self)))
    return made


def _make_record(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return _record(name, fields)(*values)


def _identifier(name: str) -> str:
    joined = "".join(c for c in name.title() if c.isalnum())
    return joined if joined.isidentifier() and not iskeyword(joined) else "Result"
