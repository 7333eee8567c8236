"""Arrays of numbers, their shapes, and leading axes that broadcast.

A shape is written as it is meant, () for a number, (4, 4), and with "..." first where leading axes are free,
("...", 6); -1 is any length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments.leaves import described, is_symbol, refuse_foreign
from chasles.arguments.numbers import is_number
from chasles.errors import ChaslesError, ModelError, ShapeError

Array = NDArray[np.float64]
Shape = tuple[Any, ...]
DIMENSIONS = 32  # what all of NumPy's functions take


def real(
    x: Any, what: str, form: str = "real numbers", *, symbols: bool = False, error: type[ChaslesError] = ShapeError
) -> Array:
    """Real numbers in whatever shape, as an array of floats. form: what they are, for the message.

    symbols: an array that has some is one of objects, floats and symbols.
    """
    if type(x) is np.ndarray and x.dtype == np.float64 and x.ndim <= DIMENSIONS:
        return x
    refuse_foreign(x, what, error)
    try:
        found = np.asarray(x)
    except Exception as problem:  # rows of different lengths, or whatever an object does when it is asked to be one
        if isinstance(problem, ChaslesError) or not isinstance(problem, ValueError):
            raise error(f"{what} must be {form}, got a {type(x).__name__}: {problem}") from None
        raise error(f"{what} is not a rectangular array") from None
    if found.ndim > DIMENSIONS:
        raise error(f"{what} has {found.ndim} dimensions, at most {DIMENSIONS} are taken")
    if found.dtype.kind in "biuf":
        return found.astype(float, copy=False)
    if symbols and found.dtype.kind == "O" and all(is_symbol(leaf) or is_number(leaf) for leaf in found.flat):
        if any(map(is_symbol, found.flat)):
            return x if isinstance(x, np.ndarray) else found  # an array of traced values is of a class of its own
        return found.astype(float)
    raise error(f"{what} must be {form}, got {described(x, found)}")


def array(
    x: Any,
    what: str,
    shape: Shape,
    *,
    finite: bool = False,
    symbols: bool = False,
    error: type[ChaslesError] = ShapeError,
) -> Array:
    """Real numbers of a shape. finite: without nan and infinities."""
    if type(x) is np.ndarray and x.dtype == np.float64 and x.ndim <= DIMENSIONS:
        out = x
    else:
        form = f"real numbers of shape {written(shape)}" if shape else "a real number"
        out = real(x, what, form, symbols=symbols, error=error)
    if not _fits(out.shape, shape):
        raise error(f"{what} must have shape {written(shape)}, got {out.shape}")
    if finite:
        _refuse_infinite(out, what, len(shape) - 1 if shape[:1] == ("...",) else out.ndim)
    return out


def vector(x: Any, what: str, size: int = 3, *, finite: bool = False, symbols: bool = False) -> Array:
    """(..., size) real numbers."""
    if type(x) is np.ndarray and x.dtype == np.float64 and x.shape[-1:] == (size,) and not (finite or x.ndim > 31):
        return x  # at once: laws and systems ask at every step
    return array(x, what, ("...", size), finite=finite, symbols=symbols)


def values(x: Any, what: str) -> Array:
    """Finite numbers, in whatever shape."""
    out = real(x, what, error=ModelError)
    _refuse_infinite(out, what, out.ndim)
    return out


def broadcast(function: str, **given: tuple[Any, Shape]) -> tuple[Array, ...]:
    """Arrays with their shapes, ("...", n), all with the same leading axes."""
    found = {name: array(x, _said(function, name), shape) for name, (x, shape) in given.items()}
    own = {name: len(shape) - 1 for name, (_, shape) in given.items()}
    lead = leading(function, {name: x.shape[: x.ndim - own[name]] for name, x in found.items()})
    return tuple(np.broadcast_to(x, (*lead, *x.shape[x.ndim - own[name] :])) for name, x in found.items())


def together(function: str, **vectors: Any) -> None:
    """Refuse vectors (..., k) whose leading axes do not broadcast."""
    leading(function, {name: np.shape(x)[:-1] for name, x in vectors.items()})


def leading(function: str, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that leading axes broadcast to."""
    first, *others = shapes.values()
    if all(shape == first for shape in others):
        return first
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        said = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ShapeError(_said(function, f"the leading axes do not broadcast: {said}")) from None


def written(shape: Shape) -> str:
    """(..., 6), (n, 4, 4), (3,): as a person writes it."""
    sizes = ["n" if size == -1 else str(size) for size in shape]
    return f"({', '.join(sizes)}{',' * (len(sizes) == 1)})"


def place(wrong: Any, own: int = 0) -> str:
    """The first index of a batch at which something is wrong, as text; nothing where there is no batch."""
    flags = np.asarray(wrong)
    flags = flags.any(axis=tuple(range(flags.ndim - own, flags.ndim))) if own else flags
    return f", at {tuple(int(k) for k in np.argwhere(flags)[0])}" if flags.ndim else ""


def _fits(have: tuple[int, ...], want: Shape) -> bool:
    if want[:1] == ("...",):
        want = want[1:]
        if len(have) < len(want):
            return False
        have = have[len(have) - len(want) :]
    return len(have) == len(want) and all(b in (-1, a) for a, b in zip(have, want, strict=True))


def _refuse_infinite(x: np.ndarray, what: str, own: int) -> None:
    """Raise ModelError where a number is not finite; symbols are."""
    if x.dtype == object:
        bad = np.array([not is_symbol(y) and not np.isfinite(y) for y in x.reshape(-1)], bool).reshape(x.shape)
    else:
        bad = ~np.isfinite(x)
    if bad.any():
        raise ModelError(f"{what} has a nan or an infinity{place(bad, own)}")


def _said(function: str, rest: str) -> str:
    return f"{function}: {rest}" if function else rest
