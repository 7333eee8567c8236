"""The public surface, found from its own annotations: functions and methods, and the classes of chasles they return."""

import ast
import functools
import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import chasles


def members(module: ModuleType = chasles, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every public name of chasles and of its public modules, with its value."""
    own = [x for x, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    for name in getattr(module, "__all__", [x for x in own if not x.startswith("_")]):
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            yield from members(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def functions(name: str, value: Any) -> Iterator[tuple[str, FunctionType]]:
    """A function itself, and the public methods and properties of a class."""
    if inspect.isfunction(value):
        yield name, value
    elif inspect.isclass(value):
        for inner in dir(value):
            raw = inspect.getattr_static(value, inner)
            for wrapped in ("fget", "compute", "func", "__func__"):  # property, lazy, cached, class and static methods
                raw = getattr(raw, wrapped, None) or raw
            if not inner.startswith("_") and inspect.isfunction(raw):
                yield f"{name}.{inner}", raw


def result_classes(function: FunctionType) -> set[type]:
    """The classes of chasles that a function is annotated to return, alone or in a tuple or a union."""
    annotation = function.__annotations__.get("return", "")
    written = annotation if isinstance(annotation, str) else annotation_text(annotation)
    found = set()
    for name in re.findall(r"[A-Za-z_][\w.]*", written):
        value = resolved(function.__module__, name)
        if inspect.isclass(value) and value.__module__.startswith("chasles."):
            found.add(value)
    return found


def annotation_text(annotation: Any) -> str:
    return f"{annotation.__module__}.{annotation.__qualname__}" if inspect.isclass(annotation) else str(annotation)


def resolved(module: str, name: str) -> Any:
    """The value of a name in a module, where it may be imported for annotations alone."""
    head, _, rest = name.rpartition(".")
    if head.startswith("chasles."):
        return getattr(import_module(head), rest, None)
    value = vars(sys.modules[module]).get(name)
    return value if value is not None else type_only(module).get(name)


@functools.cache
def type_only(module: str) -> dict[str, Any]:
    """What a module imports from chasles, anywhere in it."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("chasles"):
            for alias in node.names:
                found[alias.asname or alias.name] = getattr(import_module(node.module or ""), alias.name, None)
    return found


def results() -> dict[type, list[str]]:
    """Every class that the public surface returns and that has no other name there, with who returns it.

    `Robot.mechanism` and what it holds are of chasles.model, for those who read the code, and not counted.
    """
    public = {id(value) for name, value in members() if not name.startswith("results.")}
    todo, seen = list(members()), set()
    found: dict[type, list[str]] = {}
    while todo:
        name, value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        for path, function in functions(name, value):
            for kind in result_classes(function):
                if id(kind) not in public and not kind.__module__.startswith("chasles.model."):
                    found.setdefault(kind, []).append(path)
                    todo.append((kind.__name__, kind))
    return found
