"""Kernels of rollouts that are kept, for calls that make none: by the system, the law itself, and all sizes.

A law is known by its identity, and held weakly: when it goes, so does its kernel. What it reads while it is traced is a
part of the kernel; what is to change later has to be a parameter.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

_KEPT: weakref.WeakKeyDictionary[Any, dict[Any, tuple[Any, Any]]] = weakref.WeakKeyDictionary()


def kept_kernels(system: Any, law: Any, sizes: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """What `make` made when it was first asked for these; made again where the law cannot be held weakly.

    It may hold neither the system nor the law.
    """
    parts = _parts(law)
    key = (*map(id, parts), sizes)
    kept = _KEPT.setdefault(system, {})
    if key not in kept:
        made = make()
        try:
            references = [weakref.ref(part, lambda _: kept.pop(key, None)) for part in parts]
        except TypeError:
            return made
        kept[key] = made, references
    return kept[key][0]


def _parts(law: Any) -> tuple[Any, ...]:
    """What a law is: itself, or the object and the function of a method, which is another object at each mention."""
    if law is None:
        return ()
    owner, function = getattr(law, "__self__", None), getattr(law, "__func__", None)
    return (law,) if owner is None or function is None else (owner, function)
