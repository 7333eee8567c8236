"""Methods that are a signature and a docstring: they forward to the function of that name in the catalogue.

    @forward
    def jacobian(self, q: ArrayLike, frame: str | None = None, expressed: Expressed = "body") -> Array:
        \"""(..., 6, n) with `velocity(q, qd) = jacobian(q) @ qd`.\"""
        ...

The signature says all there is to say: parameters without a default are the function's inputs; `frame`, `rows` and
`expressed` are options; others that default to None are optional inputs; a return annotation other than `Array` is the
named tuple of several results. When the method is first called, a function is written for it, here

    def jacobian(self, q, frame, expressed):
        try:
            call = self._quick['jacobian', frame, expressed]
        except (KeyError, TypeError):
            pass
        else:
            return call(q)
        return self._prepare(('jacobian', frame, expressed))(q)

so that a call is one look into a dictionary, by the name and the options, and one call of machine code. What has no
options, or only that of a frame and that is the tool, is found by its name alone; where optional inputs are given, the
key says which, and all are passed on: machine code leaves out those that are None.

    damping   of functions of the task's inertia: results that are near singular, with how near, go to `_truncated`
    gravity   False: the same of the robot without gravity
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from inspect import Signature, signature
from types import FunctionType
from typing import Any, TypeVar

from chasles.lazy import lazy

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS = ("frame", "rows", "expressed")
FLAGS = ("damping", "gravity")


class Forward:
    """What is behind a method: its declaration, read.

    choice: the parameter that chooses between functions of the catalogue, if there is one, and for each of its values
    the function's name.
    """

    def __init__(self, declared: Any, choice: tuple[str, Mapping[Any, str]] | None = None) -> None:
        self.declared, self.choice = declared, choice
        self.name: str = declared.__name__
        self.method = _unwritten(self)

    @lazy
    def signature(self) -> Signature:
        return signature(self.declared)

    @lazy
    def parameters(self) -> tuple[str, ...]:
        """Of the method, but for the robot itself."""
        code = self.declared.__code__
        return code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]

    @lazy
    def inputs(self) -> tuple[str, ...]:
        """Those that must be given."""
        code = self.declared.__code__
        return code.co_varnames[1 : code.co_argcount - len(self.declared.__defaults__ or ())]

    @lazy
    def options(self) -> tuple[str, ...]:
        """What is fixed when a kernel is made, in the order in which they stand in a key, behind the name."""
        chosen = (self.choice[0],) if self.choice else ()
        return tuple(name for name in self.parameters if name in (*OPTIONS, *chosen))

    @lazy
    def optional(self) -> tuple[str, ...]:
        """Inputs that may be given."""
        return tuple(name for name in self.parameters if name not in (*self.inputs, *self.options, *FLAGS))

    @lazy
    def result(self) -> str | None:
        """The name of the tuple of several results."""
        returned = self.declared.__annotations__["return"]
        return None if returned == "Array" else returned

    @property
    def kind(self) -> type[tuple[Any, ...]]:
        """That tuple."""
        return self.declared.__globals__[self.result] if self.result else tuple

    @lazy
    def source(self) -> str:
        """The function that the method becomes."""
        code, inputs = self.declared.__code__, ", ".join(self.inputs)
        places = ["self", *code.co_varnames[1 : code.co_argcount], "*"]
        places += code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        head = ", ".join(places[:-1] if places[-1] == "*" else places)
        key = f"({', '.join([repr(self.name), *self.options])})" if self.options else repr(self.name)
        if self.options == ("frame",):
            key = f"{self.name!r} if frame is None else {key}"
        lines = [f"def {self.name}({head}):"]
        if "gravity" in self.parameters:
            lines += ["    if gravity is not True:", f"        self = self._with({self.name!r}, gravity)"]
        if self.choice:  # True is 1 to a dictionary
            option = self.choice[0]
            lines += [f"    if {option} is True:", f"        return self._prepare({key})({inputs})"]
        if "damping" in self.parameters:
            lines += ["    if damping is None:", *_look(key, f"found = call({inputs})", "        ")]
            near = f"self._truncated({key}, ({inputs},), *found)"
            lines.append(f"            return {near} if found.__class__ is tuple else found")
            lines.append(f"    return self._guarded({key}, ({inputs},), damping)")
            return "\n".join(lines) + "\n"
        if self.optional:
            lines += [
                f"    if {' is '.join(self.optional)} is None:",
                *_look(key, f"return call({inputs})", "        "),
            ]
            lines.append(f"        return self._prepare({key})({inputs})")
            given = [f"{name} is not None" for name in self.optional]
            key = f"({', '.join([repr(self.name), *self.options, *given])})"
            inputs = ", ".join((*self.inputs, *self.optional))
        lines += [*_look(key, f"return call({inputs})"), f"    return self._prepare({key})({inputs})"]
        return "\n".join(lines) + "\n"

    def write(self) -> None:
        """Make the method what its signature says; its defaults are those declared, and are there already."""
        place, made = f"<forward {self.name}>", {}
        linecache.cache[place] = len(self.source), None, self.source.splitlines(True), place
        exec(compile(self.source, place, "exec"), self.declared.__globals__, made)
        self.method.__code__ = made[self.name].__code__


def _look(key: str, then: str, indent: str = "    ") -> list[str]:
    """Lines that look for what to call, and what is done with it."""
    look = ["try:", f"    call = self._quick[{key}]", "except (KeyError, TypeError):", "    pass"]
    return [indent + line for line in (*look, "else:", f"    {then}")]


def _first(self: Any, *arguments: Any, _forward: Any, **options: Any) -> Any:
    """What every method is until it is called."""
    _forward.write()
    return _forward.method(self, *arguments, **options)


def _unwritten(made: Forward) -> Any:
    """The method, with all of its declaration but the code."""
    declared = made.declared
    method = FunctionType(_first.__code__, declared.__globals__, declared.__name__, declared.__defaults__)
    method.__kwdefaults__ = {**(declared.__kwdefaults__ or {}), "_forward": made}
    for name in ("__doc__", "__module__", "__qualname__", "__annotations__"):
        setattr(method, name, getattr(declared, name))
    method.__wrapped__ = declared  # type: ignore[attr-defined]  # where its signature is looked for
    return method


FORWARDED: dict[str, Forward] = {}  # by the method's name


def forward(declared: F) -> F:
    """The method that this signature is."""
    made = FORWARDED[declared.__name__] = Forward(declared)
    return made.method


def forward_by(option: str, functions: Mapping[Any, str]) -> Callable[[F], F]:
    """As `forward`, to the function of the catalogue that is named for the value of an option."""

    def keep(declared: F) -> F:
        made = FORWARDED[declared.__name__] = Forward(declared, (option, functions))
        return made.method

    return keep
