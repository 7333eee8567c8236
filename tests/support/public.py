"""All that is public: functions, constructors and methods that can be reached from `chasles.__all__`."""

import enum
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import chasles as ch

SPECIAL = ("__call__", "__add__", "__matmul__", "__mul__", "__or__")


@dataclass(frozen=True)
class Public:
    """A function that people call. path: as they write it. owner: the class that it is a method of."""

    path: str
    function: Any
    owner: type | None = None

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """By name, but for the object itself."""
        found = dict(inspect.signature(self.function).parameters)
        if self.owner is not None:
            found.pop("self", None)
        return found


def functions() -> Iterator[Public]:
    """Every one, once."""
    seen: set[Any] = set()
    for name in ch.__all__:
        if name != "results":  # what functions return is made by them
            yield from _of(name, getattr(ch, name), seen)


def _of(path: str, x: Any, seen: set[Any]) -> Iterator[Public]:
    if isinstance(x, ModuleType):
        for name in getattr(x, "__all__", None) or [n for n, y in vars(x).items() if _own(x, n, y)]:
            yield from _of(f"{path}.{name}", getattr(x, name), seen)
    elif inspect.isclass(x):
        if x in seen or issubclass(x, (BaseException, enum.Enum)) or getattr(x, "_is_protocol", False):
            return
        seen.add(x)
        if not inspect.isabstract(x) and not hasattr(x, "_fields"):  # named tuples are what functions return
            yield Public(path, x)
        yield from methods(path, x)
    elif callable(x) and x not in seen:
        seen.add(x)
        yield Public(path, x)


def methods(path: str, owner: type) -> Iterator[Public]:
    """The methods of a class that take something, inherited ones too."""
    for name in dir(owner):
        held = inspect.getattr_static(owner, name)
        if name.startswith("_") and name not in SPECIAL:
            continue
        if isinstance(held, (staticmethod, classmethod)):
            yield Public(f"{path}.{name}", getattr(owner, name))
        elif isinstance(held, FunctionType) and (held.__module__ or "").startswith("chasles"):
            made = Public(f"{path}.{name}", held, owner)
            if made.parameters:
                yield made


def _own(module: ModuleType, name: str, x: Any) -> bool:
    return not name.startswith("_") and callable(x) and getattr(x, "__module__", "") == module.__name__
