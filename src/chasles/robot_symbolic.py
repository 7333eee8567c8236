"""Robots with symbols: `Robot(mechanism)` makes one of these where numbers of the mechanism are symbols.

Every function of such a robot takes the symbols' values by name, per row, beside its own arguments; in its kernels they
are inputs, after all others, in the order of `robot.symbols`. A call makes a view of the robot at the values, whose
kernels have them filled in, and hands all else to the method of `Robot`: what a method does is said once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from chasles.errors import ModelError, ShapeError, SingularMassMatrixError
from chasles.graph.array import TracedArray
from chasles.graph.node import Expr
from chasles.methods.forward import FORWARDED
from chasles.model import arrival, symbolic
from chasles.model.leaves import is_number
from chasles.robot import Robot

_AS_THEY_ARE = ("kernel", "neutral", "random", "subtree")


class _Filled:
    """A kernel with the last of its arguments, the values of symbols, filled in."""

    def __init__(self, kernel: Any, values: tuple[Any, ...]) -> None:
        self.kernel, self.values = kernel, values

    def __call__(self, *arguments: Any) -> Any:
        return self.kernel(*arguments, *self.values)

    def fast(self, *arguments: Any) -> Any:
        return self.kernel.fast(*arguments, *self.values)

    def call(self, *arguments: Any) -> Any:
        return self.kernel.call(*arguments, *self.values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernel, name)


class SymbolicRobot(Robot):
    """A robot some of whose numbers are symbols; `symbols` are their names."""

    _values: dict[str, Any] | None = None  # of a view
    _arrived: arrival.Arrival | None = None  # what they make of the mechanism's numbers
    _last: tuple[Any, arrival.Arrival | None] | None = None  # the values that were checked last

    @property
    def symbols(self) -> tuple[str, ...]:
        return tuple(x.name for x in self._mechanism.symbols)

    def with_values(self, **values: Any) -> Robot:
        """The robot with numbers, or other expressions of symbols, in place of some of its symbols or of all."""
        given = {name: self._value("with_values", name, x) for name, x in values.items()}
        for x in self._mechanism.symbols:
            if x.name in given and np.shape(given[x.name]) != x.shape:
                raise ShapeError(f"with_values: {x.name} must have shape {x.shape}, got {np.shape(given[x.name])}")
        self._check(given)
        from chasles.model.variations import rebuilt

        flat = {name: np.asarray(x).reshape(-1).tolist() for name, x in given.items()}
        return Robot(rebuilt(symbolic.bound(self._mechanism, flat)))

    def _at(self, function: str, values: Mapping[str, Any]) -> SymbolicRobot:
        """The view of the robot at values of its symbols."""
        if not values and self._values is not None:
            return self
        missing = [name for name in self.symbols if name not in values]
        if missing:
            given = ", ".join(f"{name}=..." for name in missing)
            raise ModelError(
                f"{function}: robot {self.name!r} has the symbol{'s' * (len(missing) > 1)} {', '.join(missing)} "
                f"without a value: give {function}(..., {given}), or use robot.with_values({given})"
            )
        given = {name: self._value(function, name, values[name]) for name in self.symbols}
        view = object.__new__(SymbolicRobot)
        vars(view).update(vars(self))
        view._quick, view._values, view._arrived = {}, given, self._check(given)
        return view

    def _value(self, function: str, name: str, x: Any) -> Any:
        operand = next((o for o in self._mechanism.symbols if o.name == name), None)
        if operand is None:
            raise ModelError(
                f"{function}: robot {self.name!r} has no symbol {name!r}; it has {', '.join(self.symbols)}"
            )
        if isinstance(x, (Expr, TracedArray)):
            return x
        array = np.asarray(x)
        if array.dtype == object and not is_number(*array.reshape(-1)):
            return array.view(TracedArray)
        if array.dtype.kind not in "fiub":
            raise ShapeError(f"{function}: {name} must be real numbers, got {array.dtype} ({type(x).__name__})")
        core = len(operand.shape)
        if array.ndim < core or array.shape[array.ndim - core :] != operand.shape:
            expected = ", ".join(["...", *map(str, operand.shape)])
            raise ShapeError(f"{function}: {name} must have shape ({expected}), got {array.shape}")
        return array.astype(float)

    def _check(self, values: Mapping[str, Any]) -> arrival.Arrival | None:
        """Check what is numbers of the values, once for the same ones after another."""
        numbers = {name: x for name, x in values.items() if isinstance(x, np.ndarray) and x.dtype == float}
        key = tuple((name, x.shape, x.tobytes()) for name, x in numbers.items())
        last = self._last
        if last is None or last[0] != key:
            try:
                last = self._last = key, arrival.check(self._mechanism, numbers) if numbers else None
            except ValueError as error:
                if "broadcast" not in str(error):
                    raise
                shapes = ", ".join(f"{name} {x.shape}" for name, x in numbers.items())
                raise ShapeError(f"the leading axes of symbols' values do not broadcast: {shapes}") from None
        return last[1]

    def _make(self, names: tuple[str, ...], *options: Any, **more: Any) -> Any:
        made = super()._make(names, *options, **more)
        if self._values is None:
            return made
        if _needs_inverse(names):
            self._refuse_singular_values(names)
        return _Filled(made, tuple(self._values[x.name] for x in made.inputs if x.name in self._values))

    def _refuse_singular(self, names: tuple[str, ...], bodies: tuple[int, ...]) -> None:
        """When a kernel is made nothing is known yet; with values, `_refuse_singular_values` looks."""

    def _refuse_singular_values(self, names: tuple[str, ...]) -> None:
        """As `Robot._refuse_singular`, of the rows of values at which a link is less than a body with inertia."""
        here = self._arrived
        if here is None or here.is_regular or set(here.values) != set(self.symbols):
            return
        for row in arrival.doubtful(here):
            values = {name: [float(x[row]) for x in columns] for name, columns in here.flat.items()}
            plain = Robot(symbolic.bound(self._mechanism, values))
            try:
                plain._refuse_singular(names, ())
            except SingularMassMatrixError as error:
                raise SingularMassMatrixError(f"{error}, {here.where(row, self.symbols)}") from None
        here.is_regular = True

    def _guarded(self, key: Any, arguments: tuple[Any, ...], *options: Any) -> Any:  # type: ignore[override]
        """Row by row where the values are: what is near singular is put together from some rows only."""
        cores = {x.name: len(x.shape) for x in self._mechanism.symbols}
        values = self._values or {}
        numbers = all(isinstance(x, np.ndarray) and x.dtype == float for x in values.values())
        if not numbers or all(x.ndim == cores[name] for name, x in values.items()):
            return super()._guarded(key, arguments, *options)
        given = [np.asarray(x, dtype=float) for x in arguments]
        leads = [x.shape[:-1] for x in given] + [x.shape[: x.ndim - cores[name]] for name, x in values.items()]
        shape = np.broadcast_shapes(*leads)
        rows = []
        for index in np.ndindex(shape):
            here = {
                name: np.broadcast_to(x, (*shape, *x.shape[x.ndim - cores[name] :]))[index]
                for name, x in values.items()
            }
            q = tuple(np.broadcast_to(x, (*shape, x.shape[-1]))[index] for x in given)
            rows.append(Robot._guarded(self._at(str(key), here), key, q, *options))
        return np.array(rows).reshape(*shape, *np.shape(rows[0]))

    def _real(self, function: str, name: str, x: Any, size: int) -> Any:
        raise ModelError(f"{function}: of robots this large it needs numbers: {self._how(self.symbols)}")

    @property
    def _weightless(self) -> Any:  # type: ignore[override]
        made = Robot(replace(self._mechanism, gravity=np.zeros(3)))
        if not isinstance(made, SymbolicRobot) or self._values is None:
            return made
        return made._at("", {name: self._values[name] for name in made.symbols})

    def _how(self, names: tuple[str, ...]) -> str:
        return f"use robot.with_values({', '.join(f'{name}=...' for name in names)})"

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, symbols {' '.join(self.symbols)}>"


def _needs_inverse(names: tuple[str, ...]) -> bool:
    from chasles.catalogue import find

    return any("inverse" in find(name).needs for name in names)


def _valued(name: str) -> Callable[..., Any]:
    """A method of `Robot`, which takes the values of symbols by name too."""
    method = getattr(Robot, name)

    @wraps(method)
    def call(self: SymbolicRobot, *arguments: Any, **options: Any) -> Any:
        values = {key: options.pop(key) for key in self.symbols if key in options}
        for key in options:
            if key not in FORWARDED[name].parameters:
                known = ", ".join((*FORWARDED[name].parameters, *self.symbols))
                raise TypeError(f"{name} of robot {self.name!r} takes no {key!r}; it takes {known}")
        return method(self._at(name, values), *arguments, **options)

    return call


def _refused(name: str) -> Callable[..., Any]:
    """A method of `Robot` that needs numbers."""

    @wraps(getattr(Robot, name))
    def call(self: SymbolicRobot, *arguments: Any, **options: Any) -> Any:
        raise ModelError(
            f"{name}: robot {self.name!r} has the symbols {', '.join(self.symbols)}, and this needs numbers: "
            f"{self._how(self.symbols)}"
        )

    return call


def _is_refused(name: str) -> bool:
    kept = name.startswith(("_", "from_", "with_", "pinocchio_twin")) or name in (*FORWARDED, *_AS_THEY_ARE)
    return not kept and callable(getattr(Robot, name)) and name not in SymbolicRobot.__dict__


for _name in FORWARDED:
    setattr(SymbolicRobot, _name, _valued(_name))
for _name in dir(Robot):
    if _is_refused(_name):
        setattr(SymbolicRobot, _name, _refused(_name))
