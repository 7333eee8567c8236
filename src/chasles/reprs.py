"""Reprs of results: their kind and fields in at most three lines, numbers where they are few and shapes where many.

    @record(t="s", length="sqrt(kg) m")     of a dataclass with repr=False or a named tuple; units by field
    brief(x)                                any value in a few words
    of_leaves("Twist", w=..., v=...)        things made of leaves, or a batch of them

A record that has `_headline()` is told by that, else by its fields; one with `_repr_html_` keeps it. Nothing is
computed but least and greatest values, and of large arrays not these. The same as HTML, for notebooks: `_repr_html_`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from chasles import markup
from chasles.errors import printable

MOST = 280  # characters of a repr
FEW = 7  # numbers of an array that are shown
MOST_LOOKED_AT = 2_000_000  # numbers of an array, whose range is found
WIDEST_MATRIX = 8  # rows and columns

C = TypeVar("C", bound=type)


def record(**units: str) -> Callable[[C], C]:
    """A short repr and an HTML repr for a class with fields. units: of fields, by name."""

    def decorated(cls: C) -> C:
        def html(self: Any) -> str:
            return record_html(self, units)

        setattr(cls, "__repr__", record_repr)  # noqa: B010  # pyright knows the class, not its type variable
        if "_repr_html_" not in vars(cls):
            setattr(cls, "_repr_html_", html)  # noqa: B010
        return cls

    return decorated


def record_repr(x: Any) -> str:
    """<Solutions: q (10000, 7), found 9998 of 10000, residual (10000,) 1.2e-13 to 0.031>."""
    if hasattr(x, "_headline"):
        return cut(f"<{type(x).__name__}: {x._headline()}>")
    return of_fields(type(x).__name__, fields(x))


def of_fields(name: str, values: Mapping[str, Any]) -> str:
    """A name and values by name, as many as have room."""
    parts: list[str] = []
    room = MOST - len(name) - 8
    for key, value in values.items():
        text = f"{key} {brief(value)}"
        room -= len(text) + 2
        if room < 0:
            parts.append("...")
            break
        parts.append(text)
    return f"<{name}: {', '.join(parts)}>" if parts else f"<{name}>"


def fields(x: Any) -> dict[str, Any]:
    """The fields of a named tuple, or those of a dataclass that are for eyes, by name."""
    if hasattr(x, "_fields"):
        return dict(zip(x._fields, x, strict=True))
    return {field.name: getattr(x, field.name) for field in dataclasses.fields(x) if field.repr}


def cut(text: str, most: int = MOST) -> str:
    """Text without what a terminal obeys and, where it is long, without its middle."""
    text = printable(text)
    if len(text) <= most:
        return text
    return f"{text[: most // 2 - 2]} ... {text[len(text) - most // 2 + 3 :]}"


def quoted(name: str) -> str:
    """A name in quotation marks, shortened."""
    return repr(cut(name, 60))


def listed(words: Iterable[Any], most: int = 80) -> str:
    """Words with commas between them, as many as have room."""
    words, shown = [cut(str(word), 40) for word in words], ""
    for k, word in enumerate(words):
        longer = f"{shown}, {word}" if shown else word
        if len(longer) > most:
            return f"{shown}, and {len(words) - k} more" if shown else f"{len(words)} of them"
        shown = longer
    return shown


def figure(x: Any) -> str:
    """A number, short: all digits where they are few."""
    if isinstance(x, (bool, np.bool_, int, np.integer)):
        return str(x)
    if isinstance(x, (float, np.floating)):
        exact = repr(float(x))
        return exact if len(exact) <= 8 else f"{x:.6g}"
    return cut(str(x), 40)


def brief(x: Any, most: int = 80) -> str:
    """A value in a few words: a number, few numbers, the shape and range of many; the beginning of what is long."""
    if isinstance(x, (bool, int, float, np.number, np.bool_)):
        return figure(x)
    if isinstance(x, str):
        return quoted(x)
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        return _array(x)
    if isinstance(x, Mapping):
        return f"{{{listed((f'{key}: {brief(value, 24)}' for key, value in x.items()), most)}}}"
    if isinstance(x, (tuple, list)) and not hasattr(x, "_fields"):
        return f"({listed((brief(item, 24) for item in x), most)})"
    if callable(x) and hasattr(x, "__name__"):
        return cut(f"{x.__name__}()", 40)
    return cut(repr(x), most)


def _array(x: Any) -> str:
    shape = _shape(x.shape)
    if x.dtype.kind not in "biuf":
        return brief(x[()], 40) if x.shape == () else shape
    if x.dtype.kind == "b":
        return str(bool(x)) if x.shape == () else f"{int(np.count_nonzero(x))} of {x.size}"
    if x.shape == ():
        return figure(x[()])
    if x.ndim == 1 and x.size <= FEW:
        return f"[{', '.join(_digits(v, 4) for v in x.tolist())}]"
    found = extent(x) if x.ndim == 1 else None
    between = "" if found is None else f" {_digits(found[0])} to {_digits(found[1])}"
    return shape + between + _unknown(x)


def _digits(x: float, digits: int = 3) -> str:
    """All of a whole number, some of another one; no minus zero."""
    return str(x) if isinstance(x, int) else f"{x or 0.0:.{digits}g}"


def _unknown(*arrays: Any) -> str:
    """ ", 10 not finite" of numbers that were looked at; nothing where all are finite."""
    known = [x for x in arrays if x.dtype.kind == "f" and x.size <= MOST_LOOKED_AT]
    unknown = sum(x.size - int(np.isfinite(x).sum()) for x in known)
    return f", {unknown} not finite" if unknown else ""


def _shape(shape: Iterable[int]) -> str:
    return f"({', '.join(map(str, shape))}{',' * (len(tuple(shape)) == 1)})"


def extent(x: np.ndarray) -> tuple[float, float] | None:
    """The least and the greatest of the finite numbers of an array; None where there are none, or too many to look.

    Whole numbers stay whole.
    """
    if not 0 < x.size <= MOST_LOOKED_AT:
        return None
    if x.dtype.kind in "iu":
        return int(x.min()), int(x.max())
    finite = x[np.isfinite(x)]
    return (float(finite.min()), float(finite.max())) if finite.size else None


class Lines(tuple[str, ...]):
    """Lines of text: the tuple of them, whose repr is short, and a list in a notebook."""

    __slots__ = ()

    def __repr__(self) -> str:
        whole = super().__repr__()
        if len(whole) <= MOST:
            return whole
        room = MOST // 3
        shown = ", ".join(repr(cut(line, room)) for line in self[:2])
        return f"({shown}, and {len(self) - 2} more)" if len(self) > 2 else f"({shown})"

    def _repr_html_(self) -> str:
        return markup.listed(self) if self else markup.escaped("none")


# as HTML


def record_html(x: Any, units: Mapping[str, str]) -> str:
    """The fields of a record in a table: name, shape, and numbers or their range with the unit."""
    said = x._headline() if hasattr(x, "_headline") else ""
    rows = [(name, *_described(value, units.get(name, ""))) for name, value in fields(x).items()]
    return markup.block(type(x).__name__, markup.table(["", "shape", "value"], rows), about=markup.raised(cut(said)))


def _described(x: Any, unit: str) -> tuple[str, markup.Markup]:
    """Shape and value of a field."""
    if isinstance(x, (int, float, np.number)) and not isinstance(x, bool):
        return "", markup.number(x, unit)
    if isinstance(x, Mapping) and x:
        return "", markup.table([], [(str(key), _described(value, unit)[1]) for key, value in x.items()])
    if isinstance(x, (tuple, list)) and x and all(isinstance(word, str) for word in x):
        return "", markup.escaped(listed(x, 400))
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "iuf":
        shape = getattr(x, "shape", ())
        return _shape(shape) if shape else "", markup.escaped(brief(x, 200))
    if x.ndim == 1 and x.size <= markup.MOST_ROWS:
        return _shape(x.shape), markup.numbers(x.tolist(), unit)
    if x.ndim == 2 and 0 < max(x.shape) <= WIDEST_MATRIX:
        inner = markup.matrix(x.tolist())
        return _shape(x.shape), markup.joined([inner, markup.units(unit)]) if unit else inner
    return _shape(x.shape), between(x, unit)


def between(x: np.ndarray, unit: str = "") -> markup.Markup:
    """The range of an array, and how many of its numbers are not finite."""
    found = extent(x)
    if found is None:
        return markup.escaped("" if x.size > MOST_LOOKED_AT else "none is finite" if x.size else "empty")
    return markup.joined([markup.number(found[0]), " to ", markup.number(found[1], unit), _unknown(x)])


# of leaves


def of_leaves(name: str, *parts: Any, **named: Any) -> str:
    """Vec3(1.0, 2.0, 3.0), which makes it again; where that is too long, <Vec3: (0.33333333, 2.0, 3.0)>, and of a batch
    the ranges of its parts. Parts are leaves, or what goes through leaves."""
    given = {**{str(k): part for k, part in enumerate(parts)}, **named}
    shape = batch_of(given.values())
    if shape == ():
        inner = [str(part) for part in parts] + [f"{key}={part}" for key, part in named.items()]
        whole = f"{name}({', '.join(inner)})"
        if len(whole) <= MOST and all(_leaf(x) == str(x) for part in given.values() for x in flat(part)):
            return printable(whole)
        shown = [_nested(parts[0] if len(parts) == 1 else parts)] if parts else []
        return cut(f"<{name}: {', '.join([*shown, *(f'{key} {_nested(part)}' for key, part in named.items())])}>")
    if parts:
        named = {"": parts, **named}
    ranges = [f"{key} {text}".strip() for key, part in named.items() if (text := _ranges(part))]
    return cut(f"<{name} {_shape(shape)}{': ' * bool(ranges)}{', '.join(ranges)}>")


def _within(x: Any) -> list[Any] | None:
    """What a vector, a matrix, a rotation is made of; None of a leaf."""
    if "matrix" in getattr(type(x), "__slots__", ()):
        return list(x.matrix)
    return None if isinstance(x, (np.ndarray, str)) or not hasattr(type(x), "__iter__") else list(x)


def flat(x: Any) -> list[Any]:
    """The leaves of a leaf, a vector, a matrix, a rotation."""
    inner = _within(x)
    return [x] if inner is None else [leaf for item in inner for leaf in flat(item)]


def _nested(x: Any) -> str:
    """(1.0, 2.0, 3.0), the leaves in brackets."""
    inner = _within(x)
    return _leaf(x) if inner is None else f"({', '.join(map(_nested, inner))})"


def batch_of(parts: Iterable[Any]) -> tuple[int, ...]:
    """The shape of the batch that leaves hold; () where they are numbers."""
    shapes = [x.shape for part in parts for x in flat(part) if isinstance(x, np.ndarray)]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:  # leaves that do not fit together
        return max(shapes, key=len)


def _leaf(x: Any) -> str:
    if isinstance(x, (float, np.floating)):
        exact = repr(float(x))
        return exact if len(exact) <= 10 else f"{x:.8g}"
    if isinstance(x, np.ndarray) and x.shape == ():
        return _leaf(x[()])
    return cut(str(x), MOST)


def _ranges(part: Any) -> str:
    """from (0, 0, 1) to (0.2, 0, 1), of the components of a vector, or a number."""
    found = [extent(np.asarray(x)) if np.asarray(x).dtype.kind in "biuf" else None for x in flat(part)]
    if not 0 < len(found) <= 3 or None in found:
        return ""
    ends = [", ".join(_digits(pair[k]) for pair in found if pair) for k in (0, 1)]
    unknown = _unknown(*map(np.asarray, flat(part)))
    return ("from ({}) to ({})" if len(found) > 1 else "from {} to {}").format(*ends) + unknown


def leaves_html(name: str, rows: Iterable[tuple[str, Any, str]], *parts: Any) -> str:
    """A name, and a table of (title, leaves, unit); of a batch, the ranges. parts: what comes below."""
    rows = list(rows)
    shape = batch_of(leaves for _, leaves, _ in rows)
    shown = [(title, _leaves_html(leaves, unit, shape)) for title, leaves, unit in rows]
    return markup.block(name, markup.table([], shown), *parts, about=_shape(shape) if shape else "")


def matrix_html(name: str, rows: Iterable[Iterable[Any]], about: str = "", **parts: tuple[Any, str]) -> str:
    """A name, and a matrix of leaves. about: behind the name. parts: of which a batch shows the ranges, with units."""
    entries = [list(row) for row in rows]
    shape = batch_of(entries)
    if shape == ():
        plain = ([x[()] if isinstance(x, np.ndarray) else x for x in row] for row in entries)
        return markup.block(name, markup.matrix(plain), about=about)
    shown = [(key, _leaves_html(part, unit, shape)) for key, (part, unit) in parts.items()]
    return markup.block(name, markup.table([], shown) if shown else "", about=_shape(shape))


def _leaves_html(leaves: Any, unit: str, shape: tuple[int, ...]) -> markup.Markup:
    found = [x[()] if isinstance(x, np.ndarray) and x.shape == () else x for x in flat(leaves)]
    if shape == ():
        return markup.numbers(found, unit) if len(found) > 1 else markup.number(found[0], unit)
    texts = [between(np.asarray(x)) if np.asarray(x).dtype.kind in "biuf" else markup.escaped(x) for x in found]
    return markup.joined([markup.joined(texts, "; "), "\u202f", markup.units(unit)])
