"""Kernels of functions whose numbers may be symbols (graph/symbol.py): a Lagrangian, a constraint that somebody wrote.

Such a function is traced on symbols, its own inputs among them: what it returns are expressions, and the symbols in
them that are no inputs of it become further inputs, after all others,

    f(x) = kernel(x, symbols),   df/dx = (dkernel/dx)(x, symbols)                 (1)

which stand for themselves until `at` puts values in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from chasles.arguments import array
from chasles.errors import ModelError, SymbolError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.array import is_traced, plain, traced
from chasles.graph.node import Expr
from chasles.graph.operand import Operand
from chasles.graph.program import Program
from chasles.graph.symbol import SYMBOLS, operands, program, substitute, symbol

Values = Mapping[str, Any]


class SymbolicKernel(NamedTuple):
    """A kernel whose last inputs are symbols. given: for each what stands in its place, by default the symbol.

    owner: what has the symbols, for the message.
    """

    kernel: Kernel
    given: tuple[Any, ...]
    owner: str = "it"

    def __call__(self, *arguments: Any) -> Any:
        """At symbols: expressions. At numbers: refused as long as there are symbols without a value."""
        if self.symbols and not any(map(is_traced, arguments)):
            raise without_values(self.kernel.name, self.owner, [x.name for x in self.symbols])
        return self.kernel(*arguments, *self.given)  # (1)

    def gradient(self, name: str) -> SymbolicKernel:
        return self._replace(kernel=self.kernel.gradient(name))

    def jacobian(self, name: str) -> SymbolicKernel:
        return self._replace(kernel=self.kernel.jacobian(name))

    def at(self, values: Values) -> SymbolicKernel:
        """With values, or other expressions, in place of the symbols that are named."""
        flat = {name: plain(x).reshape(-1).tolist() for name, x in values.items()}
        return self._replace(given=tuple(_substituted(x, flat) for x in self.given))

    @property
    def symbols(self) -> tuple[Operand, ...]:
        """Those without a value."""
        return operands([leaf for x in self.given for leaf in plain(x).reshape(-1).tolist()])

    @property
    def plain(self) -> Kernel | SymbolicKernel:
        """The kernel itself where it has no symbols."""
        return self if self.given else self.kernel

    @property
    def program(self) -> Program:
        assert isinstance(self.kernel.program, Program)
        return self.kernel.program

    @property
    def inputs(self) -> tuple[Operand, ...]:
        return self.kernel.inputs

    @property
    def outputs(self) -> tuple[Operand, ...]:
        return self.kernel.outputs


def symbolic_kernel(function: Callable[..., Any], **shapes: Any) -> SymbolicKernel:
    """A function of arrays as `compile` takes it, that returns one array, and in which symbols may stand."""
    sizes = {name: shape if isinstance(shape, tuple) else (shape,) for name, shape in shapes.items()}
    marks = tuple(Operand(f"{name}'", shape) for name, shape in sizes.items())  # names that no symbol has
    value = plain(function(**{name: traced(symbol(x.name, x.shape)) for name, x in zip(shapes, marks, strict=True)}))
    leaves = [x if type(x) is Expr else float(x) for x in value.reshape(-1).tolist()]
    others = tuple(x for x in operands(leaves) if x not in marks)
    made = program(leaves, (*marks, *others))
    inputs = (*(Operand(*x) for x in sizes.items()), *(Operand(f"{x.name}'", x.shape) for x in others))
    body = replace(made, inputs=inputs, outputs=(Operand("output", value.shape),))
    name = getattr(function, "__name__", "function")
    kernel = Kernel(body, name if name.isidentifier() else "function")
    return SymbolicKernel(kernel, tuple(traced(symbol(x.name, x.shape)) for x in others))


def traced_kernel(function: Callable[..., Any], **shapes: Any) -> Kernel | SymbolicKernel:
    """The kernel of a function, or its symbolic one where symbols stand in it."""
    try:
        return compile(function, **shapes)
    except SymbolError:
        return symbolic_kernel(function, **shapes).plain


def kernel_like(x: Any, function: Callable[..., Any], **shapes: Any) -> Kernel | SymbolicKernel:
    """The kernel of a function that is called at x: the symbolic one where x is of symbols."""
    return symbolic_kernel(function, **shapes) if is_symbolic(x) else compile(function, **shapes)


def valued(function: Callable[..., Any], values: Values, shapes: Mapping[str, Any]) -> Callable[..., Any]:
    """A function of traced arrays of these shapes, by position, with values in place of symbols."""

    def at_values(*arguments: Any) -> Any:
        return symbolic_kernel(lambda **given: function(*given.values()), **shapes).at(values)(*arguments)

    return at_values


def is_symbolic(x: Any) -> bool:
    """Whether symbols are among the elements of x."""
    return any(type(leaf) is Expr and leaf.graph is SYMBOLS for leaf in plain(x).flat)


def symbols_of(kernels: Sequence[Any]) -> tuple[Operand, ...]:
    """The symbols without a value in kernels, each once."""
    return tuple(dict.fromkeys(x for kernel in kernels for x in getattr(kernel, "symbols", ())))


def without_values(function: str, owner: str, names: Sequence[str], use: str = "system") -> ModelError:
    """The error of a function that needs numbers where its owner has symbols."""
    values = ", ".join(f"{name}=..." for name in names)
    return ModelError(
        f"{function}: {owner} has the symbols {', '.join(names)}, and this needs numbers: use "
        f"{use}.with_values({values})"
    )


def refuse_unknown(owner: str, known: Sequence[str], values: Values) -> None:
    """Raise ModelError of a value for a symbol that the owner does not have."""
    for name in values:
        if name not in known:
            raise ModelError(f"with_values: {owner} has no symbol {name!r}; it has {', '.join(known) or 'none'}")


def checked_values(values: Values, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """Values of the shapes of their symbols: numbers, or expressions of symbols."""
    return {
        name: array(x, f"with_values: {name}", shapes[name], finite=True, symbols=True) for name, x in values.items()
    }


def symbol_or(check: Callable[[Any, str], float], x: Any, what: str) -> Any:
    """A number, checked, or an expression of symbols as it is."""
    return x if type(x) is Expr and x.graph is SYMBOLS else check(x, what)


def _substituted(x: Any, values: Mapping[str, list[Any]]) -> Any:
    found = plain(x)
    made = np.empty(found.size, object)
    made[:] = substitute(found.reshape(-1).tolist(), values)
    numbers = not any(type(leaf) is Expr for leaf in made)
    return made.astype(float).reshape(found.shape) if numbers else traced(made.reshape(found.shape))
