"""Machine code as generalized ufuncs of NumPy and functions of CPython, freed with the last that holds them.

A ufunc is given, as its `obj`, a tuple of all that its C structures point to: NumPy lets go of it with the ufunc. The
single-call function holds the ufunc and the words of its kernel in the tuple that is its `self`.
"""

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chasles.backend.host.addresses import numpy_api
from chasles.graph.operand import Operand, signature
from chasles.lazy import lazy

_METH_FASTCALL, _METH_KEYWORDS = 0x0080, 0x0002
_UFUNC_OBJ = object.__basicsize__ + 72  # where `obj` is in a PyUFuncObject


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("method", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


def address_of(words: bytes) -> int:
    """Where the contents of a bytes object are, for as long as it lives."""
    return ctypes.cast(ctypes.c_char_p(words), ctypes.c_void_p).value or 0


def gufunc(
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    dtype: str,
    loop: int,
    words: bytes,
    names: tuple[str, str],
    owned: Any,
) -> Any:
    """A NumPy generalized ufunc of the shell's `loop` on a kernel's words; it keeps `owned` alive. names: and doc."""
    make, _ = numpy_api()
    functions = (ctypes.c_void_p * 1)(loop)
    data = (ctypes.c_void_p * 1)(address_of(words))
    types = ctypes.create_string_buffer(bytes([12 if dtype == "float64" else 11]) * (len(inputs) + len(outputs)))
    title, doc, core = names[0].encode(), names[1].encode(), signature(inputs, outputs).encode()
    ufunc = make(
        ctypes.addressof(functions),
        ctypes.addressof(data),
        ctypes.addressof(types),
        1,
        len(inputs),
        len(outputs),
        -1,
        title,
        doc,
        0,
        core,
    )
    kept = (functions, data, types, title, doc, core, words, owned)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    ctypes.c_void_p.from_address(id(ufunc) + _UFUNC_OBJ).value = id(kept)
    return ufunc


def put(words: bytes, place: int, code: int) -> None:
    """Let a word of a kernel that was 0 point to its code: one store, so that who reads it sees the one or the other.

    The words are bytes since their contents are then in the object itself, where machine code finds them in one step;
    they may be changed since they are new (struct.pack shares none so long) and nothing but machine code reads them.
    """
    ctypes.c_int64.from_address(address_of(words) + 8 * place).value = code


class FewOrMany:
    """A ufunc for few rows, and one for many, each made when they come. most: elements of inputs that are few."""

    def __init__(self, few: Callable[[], Any], many: Callable[[], Any], most: tuple[int, ...]) -> None:
        self._few, self._many, self.most = few, many, most

    @lazy
    def few(self) -> Any:
        return self._few()

    @lazy
    def many(self) -> Any:
        return self._many()

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        few = all(np.size(x) <= most for x, most in zip(arguments, self.most, strict=False))
        return (self.few if few else self.many)(*arguments, **options)


def single_call(
    fast: int,
    words: bytes,
    name: str,
    ufunc: Callable[..., Any],
    fallback: Callable[..., Any],
    kind: type[tuple[Any, ...]] = tuple,
    bound: float | None = None,
    optional: bool = True,
) -> Any:
    """A CPython function of the shell's `fast`; `fallback` is for what neither the code nor the ufunc takes.

    kind: of the tuple that several results are. bound: the last result is left out where it is above it. optional: None
    is left out where there are too many arguments.
    """
    title = name.encode()
    definition = _MethodDef(title, fast, _METH_FASTCALL | _METH_KEYWORDS, b"")
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    limit = b"" if bound is None else struct.pack("<d", bound)
    held = words, ufunc, fallback, kind, limit, optional or None, definition, title
    return new(ctypes.addressof(definition), held, None)
