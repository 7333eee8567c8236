"""Mechanisms whose numbers are expressions of symbols: the same with leaves in place of the symbols."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from chasles.model.frame import Frame
from chasles.model.leaves import is_number, is_symbolic, mapped
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism
from chasles.model.merged_links import with_frames

_ARRAYS = ("screws", "homes", "gravity", "armature", "damping", "friction")


def bound(m: Mechanism, values: Mapping[str, list[Any]]) -> Mechanism:
    """The mechanism with flat values, leaves of any kind, for its symbols; unchecked. Symbols without one stay."""
    if not m.symbols:
        return m
    from chasles.graph.symbol import substitute

    given = m.expressions
    found = dict(zip(map(id, given), substitute(given, values), strict=True))
    return _mapped(m, lambda x: x if is_number(x) else found[id(x)])


def _mapped(m: Mechanism, function: Callable[[Any], Any]) -> Mechanism:
    def link(x: Link) -> Link:
        return x.mapped(function) if x.is_symbolic else x

    def frame(f: Frame) -> Frame:
        T = mapped(function, f.pose) if is_symbolic(f.pose) else f.pose
        T.flags.writeable = False
        return replace(f, pose=T, load=f.load and link(f.load))

    arrays = {key: mapped(function, x) for key in _ARRAYS if is_symbolic(x := getattr(m, key))}
    return with_frames(replace(m, links=tuple(map(link, m.links)), base=link(m.base), **arrays), frame)
