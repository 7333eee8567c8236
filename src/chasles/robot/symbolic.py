"""Robots with symbols: `Robot(mechanism)` makes one of these where numbers of the mechanism are symbols.

Every function of such a robot takes the symbols' values by name, per row, beside its own arguments; in its kernels they
are inputs, after all others, in the order of `robot.symbols`. A call makes a view of the robot at the values, whose
kernels have them filled in, and hands all else to the method of `Robot`: what a method does is said once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, wraps
from typing import Any, NamedTuple

import numpy as np

from chasles.arguments import array, real
from chasles.errors import ModelError, ModelWarning, ShapeError, SingularMassMatrixError, caller
from chasles.graph.array import TracedArray
from chasles.graph.node import Expr
from chasles.lazy import lazy
from chasles.model import arrival, symbolic
from chasles.model.margins import margins
from chasles.model.mechanism import Mechanism
from chasles.reprs import cut
from chasles.robot.methods.forward import FORWARDED
from chasles.robot.robot import Robot

_LEAST_PIVOT = 1e-9  # of M_kk: a pivot above it is one
_REAL = np.dtype(float)
_AS_THEY_ARE = ("equations", "export", "kernel", "neutral", "random", "rollout", "subtree")


class _Filled:
    """A kernel with the last of its arguments, the values of symbols, filled in; names: its functions, if they need
    the inverse of the mass matrix."""

    def __init__(self, kernel: Any, values: tuple[Any, ...], names: tuple[str, ...]) -> None:
        self.kernel, self.values, self.names = kernel, values, names

    def __call__(self, *arguments: Any) -> Any:
        return self.kernel(*arguments, *self.values)

    def _door(self, *options: Any) -> _FilledDoor:
        return _FilledDoor(self.kernel._door(*options), self.values, self.names)

    def call(self, *arguments: Any) -> Any:
        return self.kernel.call(*arguments, *self.values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernel, name)


class _FilledDoor(NamedTuple):
    """A kernel's door, and what belongs to it."""

    door: Callable[..., Any]
    values: tuple[Any, ...]
    names: tuple[str, ...]


class _Calls:
    """What a view calls, by the keys of methods: what is prepared for all views, with its values filled in."""

    __slots__ = ("prepared", "refuse", "values")

    def __init__(self, prepared: dict[Any, Any], values: tuple[Any, ...], refuse: Callable[..., None] | None) -> None:
        self.prepared, self.values, self.refuse = prepared, values, refuse

    def __getitem__(self, key: Any) -> Callable[..., Any]:
        (door, names), values = self.prepared[key], self.values
        if names and self.refuse:
            self.refuse(names)
        return lambda *arguments: door(*arguments, *values)

    def __setitem__(self, key: Any, made: _FilledDoor) -> None:
        self.prepared[key] = made.door, made.names


class _Shared:
    """What all views of a robot have in common. told: values of `doubt` that were looked at; doubted: links."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.names = tuple(x.name for x in mechanism.symbols)
        self.shapes = tuple((len(x.shape), x.shape) for x in mechanism.symbols)
        self.prepared: dict[Any, Any] = {}
        self.told: set[float] = set()
        self.doubted: set[str] = set()
        self.anywhere: np.ndarray | None = None  # a configuration with nothing special

    @lazy
    def margins(self) -> Any:
        from chasles.function.kernel import Kernel

        return Kernel(margins(self.mechanism), "margins").fast

    @lazy
    def weightless(self) -> Robot:
        return Robot(replace(self.mechanism, gravity=np.zeros(3)))


class SymbolicRobot(Robot):
    """A robot some of whose numbers are symbols; `symbols` are their names."""

    _values: tuple[Any, ...] | None = None  # of a view, in the order of `symbols`
    _regular = True  # whether all links have mass and inertia at these values, as far as they are numbers

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self._shared = _Shared(mechanism)

    @property
    def symbols(self) -> tuple[str, ...]:
        return self._shared.names

    def with_values(self, **values: Any) -> Robot:
        """The robot with numbers, or other expressions of symbols, in place of some of its symbols or of all."""
        given = {name: self._value("with_values", name, x) for name, x in values.items()}
        for x in self._mechanism.symbols:
            if x.name in given and np.shape(given[x.name]) != x.shape:
                raise ShapeError(f"with_values: {x.name} must have shape {x.shape}, got {np.shape(given[x.name])}")
        arrival.check(self._mechanism, _numbers(given))
        from chasles.model.variations import rebuilt

        flat = {name: np.asarray(x).reshape(-1).tolist() for name, x in given.items()}
        return Robot(rebuilt(symbolic.bound(self._mechanism, flat)))

    def _at(self, function: str, values: Mapping[str, Any]) -> SymbolicRobot:
        """The view of the robot at values of its symbols."""
        if not values and self._values is not None:
            return self
        shared = self._shared
        missing = [name for name in shared.names if name not in values]
        if missing:
            given = ", ".join(f"{name}=..." for name in missing)
            raise ModelError(
                f"{function}: robot {self.name!r} has the symbol{'s' * (len(missing) > 1)} {', '.join(missing)} "
                f"without a value: give {function}(..., {given}), or use robot.with_values({given})"
            )
        found, numbers = [], True
        for name, (core, shape) in zip(shared.names, shared.shapes, strict=True):
            x = values[name]
            if type(x) is float and not core:
                x = np.array(x)
            elif not (type(x) is np.ndarray and x.dtype == _REAL and core <= x.ndim and _tail(x, core) == shape):
                x = self._value(function, name, x)
                numbers = numbers and type(x) is np.ndarray
            found.append(x)
        return self._view(tuple(found), self._check(found, numbers))

    def _view(self, values: tuple[Any, ...], regular: bool) -> SymbolicRobot:
        view = object.__new__(SymbolicRobot)
        vars(view).update(vars(self))
        view._values, view._regular = values, regular
        view._quick = _Calls(self._shared.prepared, values, None if regular else view._refuse_singular_values)  # type: ignore[assignment]
        return view

    def _value(self, function: str, name: str, x: Any) -> Any:
        operand = next((o for o in self._mechanism.symbols if o.name == name), None)
        if operand is None:
            raise ModelError(
                f"{function}: robot {self.name!r} has no symbol {name!r}; it has {', '.join(self.symbols)}"
            )
        if isinstance(x, (Expr, TracedArray)):
            return x
        found = real(x, f"{function}: {name}", symbols=True)
        if found.dtype == object:
            return found.view(TracedArray)
        return np.array(array(found, f"{function}: {name}", ("...", *operand.shape)))

    def _check(self, values: list[Any], numbers: bool) -> bool:
        """Refuse what is no robot, as far as the values are numbers, and say what is doubtful; whether all links have
        mass and inertia."""
        if not numbers:
            self._arrived(values)
            return True
        try:
            with np.errstate(all="ignore"):
                found = self._shared.margins(*values)
        except ShapeError:
            self._arrived(values)
            raise
        if found.ndim == 1:
            good, doubt, regular = found.tolist()
            doubts = (doubt,) if doubt else ()
        else:
            good, regular = found[..., 0].all(), bool(found[..., 2].all())
            doubts = np.unique(found[..., 1]).tolist() if found[..., 1].any() else ()
        if not good:
            self._arrived(values)
        told = self._shared.told
        if doubts and not told.issuperset(doubts):
            told.update(doubts)
            self._doubt(values)
        return bool(regular)

    def _arrived(self, values: Sequence[Any]) -> arrival.Arrival:
        """What is numbers of the values, checked, with words."""
        given = _numbers(dict(zip(self.symbols, values, strict=True)))
        try:
            return arrival.check(self._mechanism, given)
        except ValueError as error:
            if "broadcast" not in str(error):
                raise
            shapes = ", ".join(f"{name} {x.shape}" for name, x in given.items())
            raise ShapeError(f"the leading axes of symbols' values do not broadcast: {shapes}") from None

    def _doubt(self, values: Sequence[Any]) -> None:
        for link, doubt in arrival.doubts(self._arrived(values)).items():
            if link not in self._shared.doubted:
                self._shared.doubted.add(link)
                warnings.warn(f"robot {self.name!r}: {doubt}", ModelWarning, stacklevel=caller())

    def _make(self, names: tuple[str, ...], *options: Any, **more: Any) -> Any:
        try:
            made = super()._make(names, *options, **more)
        except ZeroDivisionError:
            raise SingularMassMatrixError(
                f"{', '.join(names)}: the mass matrix of robot {self.name!r} is singular, whatever the values of its "
                "symbols: some joint moves no inertia of its own. Give what it carries a mass or inertia"
            ) from None
        if self._values is None:
            return made
        called = names if _needs_inverse(names) else ()
        if called and not self._regular:
            self._refuse_singular_values(called)
        return _Filled(made, self._values, called)

    def _refuse_singular(self, names: tuple[str, ...], bodies: tuple[int, ...]) -> None:
        """When a kernel is made nothing is known yet; with values, `_refuse_singular_values` looks."""

    def _refuse_singular_values(self, names: tuple[str, ...]) -> None:
        """As `Robot._refuse_singular`, of the rows of values at which a link is less than a body with inertia.

        Where the mass matrix is definite at one configuration it is not singular at every one; others are looked at.
        """
        assert self._values is not None
        shared = self._shared
        shared.anywhere = self.random(0) if shared.anywhere is None else shared.anywhere
        M = super()._make(("mass_matrix",)).fast(shared.anywhere, *self._values)
        rows = np.flatnonzero(~_definite(M.reshape(-1, *M.shape[-2:])))
        if not rows.size:
            return
        here = self._arrived(self._values)
        for row in arrival.doubtful(here, rows):
            values = {name: [float(x[row]) for x in columns] for name, columns in here.flat.items()}
            plain = Robot(symbolic.bound(self._mechanism, values))
            try:
                plain._refuse_singular(names, ())
            except SingularMassMatrixError as error:
                raise SingularMassMatrixError(f"{error}, {here.where(row, self.symbols)}") from None

    def _of_rows(self, chosen: np.ndarray) -> Any:
        assert self._values is not None
        rows = []
        for x, (core, shape) in zip(self._values, self._shared.shapes, strict=True):
            wide = np.ndim(x) > core
            rows.append(np.broadcast_to(x, (*chosen.shape, *shape))[chosen] if wide else x)
        return self._view(tuple(rows), self._regular)

    @property
    def _weightless(self) -> Any:  # type: ignore[override]
        made = self._shared.weightless
        if not isinstance(made, SymbolicRobot) or self._values is None:
            return made
        given = dict(zip(self.symbols, self._values, strict=True))
        return made._view(tuple(given[name] for name in made.symbols), self._regular)

    def _how(self, names: tuple[str, ...]) -> str:
        return f"use robot.with_values({', '.join(f'{name}=...' for name in names)})"

    def __repr__(self) -> str:
        return cut(f"{super().__repr__()[:-1]}, symbols {' '.join(self.symbols)}>")


def _numbers(values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The values that are numbers."""
    return {name: x for name, x in values.items() if type(x) is np.ndarray}


def _tail(x: np.ndarray, core: int) -> tuple[int, ...]:
    return x.shape[x.ndim - core :]


def _definite(M: np.ndarray) -> np.ndarray:
    """(rows,) whether matrices are positive definite, and not nearly singular, whatever the units are: by their
    pivots, squares of the diagonal of Cholesky's factor, beside the diagonal."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:  # one of them
        return np.array([len(M) > 1 and bool(_definite(x[None])[0]) for x in M])
    pivots, size = np.diagonal(L, axis1=1, axis2=2) ** 2, np.diagonal(M, axis1=1, axis2=2)
    return np.asarray((pivots > _LEAST_PIVOT * size).all(1))


@cache
def _needs_inverse(names: tuple[str, ...]) -> bool:
    from chasles.catalogue import find

    return any("inverse" in find(name).needs for name in names)


def _valued(name: str) -> Callable[..., Any]:
    """A method of `Robot`, which takes the values of symbols by name too."""
    method = getattr(Robot, name)

    @wraps(method)
    def call(self: SymbolicRobot, *arguments: Any, **options: Any) -> Any:
        values = {key: options.pop(key) for key in self._shared.names if key in options}
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
