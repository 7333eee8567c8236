"""Kernel: a function with named inputs and outputs, which is a program until a number reaches it."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable, Sequence
from keyword import iskeyword
from os import PathLike
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np

from chasles import backend, markup
from chasles.arguments import flag, names, shown, text
from chasles.backend import progress
from chasles.errors import ModelError, TraceError
from chasles.function.fallback import Door, Fallback
from chasles.graph.array import is_traced
from chasles.graph.deferred import Deferred
from chasles.graph.operand import Operand, signature
from chasles.graph.program import Loop, Operations, Program, operands_html
from chasles.higher_rooms import higher
from chasles.hints import Hinted
from chasles.reprs import cut, listed, record

MOST_OPERANDS = 64  # of a NumPy ufunc


class Kernel(Hinted):
    """A function of arrays, called like NumPy's: they broadcast over leading axes.

    `inputs` and `outputs` name the operands and their shapes, `operations` counts the work, `program` is what it
    computes, `.to("llvm")` prints that for a back end. Inputs are given in order or by name. With traced values the
    program is written out and nothing is compiled; the first call with numbers compiles it, for `target`.
    """

    def __init__(
        self, program: Program | Loop, name: str, dtype: str = "float64", doc: str = "", target: str = "cpu"
    ) -> None:
        if not isinstance(program, (Program, Loop)):
            raise ModelError(f"a Kernel is made of a Program or a Loop, got {type(program).__name__}")
        self.program, self.name, self.dtype, self.target = program, text(name, "name"), _checked_dtype(dtype), target
        self.doc = text(doc, "doc")
        self._run = backend.find(target, "run")
        computed = program.step if isinstance(program, Loop) else program
        if isinstance(computed, Deferred) and not backend.knows(target, computed.recipe, self.dtype):
            with progress.named(f"tracing {self.name}"):
                computed.traced()  # what is wrong is said now
        self._compiled: Any = None
        self._own: Callable[..., Any] | None = None  # what a call is, once compiled
        self._count, self._kind = len(program.inputs), tuple
        if len(program.outputs) > 1:
            self._kind = _record(_identifier(name), tuple(o.name for o in program.outputs))

    @property
    def inputs(self) -> tuple[Operand, ...]:
        return self.program.inputs

    @property
    def outputs(self) -> tuple[Operand, ...]:
        return self.program.outputs

    @property
    def operations(self) -> Operations:
        """Of a loop: those of one step."""
        return self.program.operations

    @property
    def signature(self) -> str:
        """NumPy's signature, such as (6),(6)->(6,6)."""
        return signature(self.inputs, self.outputs)

    @overload
    def to(self, target: Literal["casadi"]) -> Any: ...
    @overload
    def to(self, target: str) -> str: ...
    def to(self, target: str) -> Any:
        """The function as text, by the back end of that name; of "casadi" a `casadi.Function`.

        "llvm" gives LLVM IR, "c" a file of C99, "cuda" one of CUDA, "rust" one of Rust, "matlab" a function file, "js"
        a module of JavaScript, "python" one of plain Python, "latex" equations to read. In a programming language it is
        one function of the kernel's name, with _ for what the language does not allow in it, of arrays of numbers, one
        for each input and output in C order; `export` writes files with heads and tests.
        """
        return backend.find(target, "render")(self.program, self.name, self.dtype)

    @higher
    def export(
        self,
        to: str,
        folder: str | PathLike[str],
        *,
        name: str | None = None,
        overwrite: bool = False,
    ) -> list[Path]:
        """Write it as source files of another language, with a test of its own that compares with this; their paths.

        to: "c", "js", ... (docs: Code that ships). folder: is made; files that are not of an export are refused unless
        `overwrite`. name: of the function there. `robot.export` says more of operands, names and units.
        """
        ...

    @property
    def source(self) -> str:
        """The LLVM IR."""
        return self.to("llvm")

    @property
    def assembly(self) -> str:
        """The assembly of this machine."""
        from chasles.backend.host import jit
        from chasles.backend.llvm.target import host

        return jit.assembly(self.source, host())

    @property
    def compiled(self) -> bool:
        """Whether a number has reached it."""
        return self._compiled is not None

    @property
    def _functions(self) -> Any:
        if self._compiled is None:
            program, name, dtype = self.program, self.name, self.dtype
            if any(0 in operand.shape for operand in (*self.inputs, *self.outputs)):
                from chasles.function.interpreted import InterpretedFunctions

                self._compiled = InterpretedFunctions(program, name, dtype)
            elif len(self.inputs) + len(self.outputs) > MOST_OPERANDS:
                raise ModelError(
                    f"{name} has {len(self.inputs)} inputs and {len(self.outputs)} outputs, more than the "
                    f"{MOST_OPERANDS} that a function of NumPy may have: put several into one array, symbols by "
                    "chasles.symbols(name, shape=...)"
                )
            else:
                fallback = functools.partial(Fallback, program, name, dtype)
                self._compiled = self._run(program, name, dtype, self.doc, fallback)
        return self._compiled

    @property
    def ufunc(self) -> Any:
        """The NumPy generalized ufunc."""
        return self._functions.ufunc

    @property
    def fast(self) -> Any:
        """The compiled function for quick calls: all inputs in order, and out=; several results are a plain tuple."""
        return self._functions.fast

    def _door(
        self,
        kind: type[tuple[Any, ...]] = tuple,
        bound: float | None = None,
        around: Callable[[Any], Any] = lambda call: call,
    ) -> Callable[..., Any]:
        """A function as `fast`; arguments that are None, where there are too many, are left out.

        kind: of the tuple that several results are. bound: the last result may be left out where it is above it in
        every row. around: a decorator of what is called where machine code alone does not do.
        """
        made = getattr(self._functions, "door", None)
        if made is not None:
            return made(kind, bound, around)
        return Door(Fallback(self.program, self.name, self.dtype, self.ufunc), kind, around)

    def call(self, *arguments: Any) -> Any:
        """As `fast`, but what is traced compiles nothing."""
        if self._compiled is None and any(map(is_traced, arguments)):
            return Fallback(self.program, self.name, self.dtype, None)(*arguments)
        return self.fast(*arguments)

    def __call__(self, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """Compute. `out`: an array, or a tuple of them for several outputs, to write into."""
        if named or len(arguments) != self._count:
            arguments = self._bound(arguments, named)
        if self._own is None:
            if any(map(is_traced, arguments)):  # which compiles nothing
                result = Fallback(self.program, self.name, self.dtype, None)(*arguments, out=out)
                return self._kind(*result) if len(self.outputs) > 1 else result
            self._own = self._door(self._kind)
        return self._own(*arguments) if out is None else self._own(*arguments, out=out)

    def _bound(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """All inputs in order, of which some are given by name."""
        names = [operand.name for operand in self.inputs]
        given = dict(zip(names, arguments, strict=False))
        for name in named:
            if name not in names or name in given:
                fault = "is given twice" if name in given else f"is no input of {self.name} ({', '.join(names)})"
                raise TypeError(f"{self.name}: {name} {fault}")
        given |= named
        if len(arguments) > len(names) or len(given) != len(names):
            count = max(len(arguments), len(given))
            missing = [name for name in names if name not in given]
            where = f"; missing: {', '.join(missing)}" if named and missing else ""
            raise TypeError(f"{self.name} takes {len(names)} arguments ({', '.join(names)}), got {count}{where}")
        return tuple(given[name] for name in names)

    def jacobian(self, name: str) -> Kernel:
        """The derivative of every output by the input `name`: shape (*output, *input)."""
        return self._derived("jacobian", name)

    def gradient(self, name: str | Sequence[str], *, value: bool = False) -> Kernel:
        """The derivative of the one scalar output by the input `name`: the input's shape. Of several names, derivatives
        by all of them, as a named tuple, at the price of one. value: the scalar itself comes with them, first."""
        chosen = name if isinstance(name, str) else tuple(names(name, "name"))
        return self._derived("gradient", chosen, flag(value, "value"))

    def hessian(self, name: str) -> Kernel:
        """The second derivative of the one scalar output by the input `name`: shape (*input, *input)."""
        return self._derived("hessian", name)

    def _derived(
        self, what: Literal["jacobian", "gradient", "hessian"], name: str | Sequence[str], *more: Any
    ) -> Kernel:
        from chasles.graph import derive

        body = self.program
        if isinstance(body, Loop) and body.restart is not None:
            raise TraceError(f"{self.name} is a search, which is not differentiated")
        program = body.program if isinstance(body, Loop) else body
        derived = getattr(derive, f"{what}_program")(program, name, *more)
        by = name if isinstance(name, str) else "_".join(name)
        return Kernel(derived, f"{self.name}_{what}_{by}", self.dtype, target=self.target)

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.program, self.name, self.dtype, self.doc, self.target)

    def __repr__(self) -> str:
        sides = (listed(f"{o.name}{list(o.shape)}" for o in side) for side in (self.inputs, self.outputs))
        return f"<Kernel {cut(self.name, 60)}({') -> '.join(sides)}, {self.dtype}{self._work()}>"

    def _repr_html_(self) -> str:
        done = "compiled" if self.compiled else "not compiled yet"
        about = f"{self.dtype}{self._work()}, {done} for {self.target}"
        return markup.block(
            f"Kernel {self.name}", cut(self.doc.partition("\n")[0]), operands_html(self.program), about=about
        )

    def _work(self) -> str:
        """The count of operations, where they are known: what is read from the disk is not traced for it."""
        program = self.program.step if isinstance(self.program, Loop) else self.program
        return f", {program.operations.total} operations" if program.is_traced else ""


def _checked_dtype(dtype: Any) -> str:
    try:
        name = "" if dtype is None else np.dtype(dtype).name
    except (TypeError, ValueError, OverflowError):
        name = ""
    if name not in ("float64", "float32"):
        raise ModelError(f"dtype must be float64 or float32, got {shown(dtype)}")
    return name


@functools.cache
def _record(name: str, fields: tuple[str, ...]) -> Any:
    """The named tuple of a kernel's results, which pickles by its name and fields: no module holds the class."""
    made: Any = record()(namedtuple(name, fields, rename=True))
    made.__reduce__ = lambda self: (_make_record, (name, fields, tuple(self)))
    return made


def _make_record(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return _record(name, fields)(*values)


def _identifier(name: str) -> str:
    joined = "".join(c for c in name.title() if c.isalnum())
    return joined if joined.isidentifier() and not iskeyword(joined) else "Result"
