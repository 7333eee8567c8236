"""The addresses a kernel needs from its process: the machine code holds none, so it can be kept on disk.

The kernel's global array @chasles_table is filled after loading: slot NAMES.index(name) holds the address of that
function or object.
"""

import ctypes
import functools
import sys
from typing import Any

from chasles.errors import ShapeError
from chasles.scalar.operations import OPERATIONS

LIBM = tuple(row.libm for row in OPERATIONS.values() if row.libm and row.traced)
NAMES = (
    *LIBM,
    "malloc",
    "free",
    "pthread_create",
    "pthread_join",
    "num_threads",
    "PyArray_Type",
    "float64",
    "float32",
    "PyArray_New",
    "PyArray_Return",
    "PyObject_Vectorcall",
    "PyTuple_New",
    "PyTuple_SetItem",
    "Py_DecRef",
    "unmasked",
)

num_threads = ctypes.c_int64(1)

_UFUNC_FROM_SIGNATURE = 31  # place in NumPy's ufunc C API table
_ARRAY_NEW, _ARRAY_RETURN = 93, 76  # PyArray_New and PyArray_Return, places in NumPy's array C API table


def refuse_masked(x: Any) -> None:
    """Refuse a masked array: a kernel reads the numbers behind the mask."""
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(x, masked.MaskedArray):
        raise ShapeError("a masked array is not taken: choose the rows to compute, or fill it by .filled(value)")


def unmasked(ufunc: Any, *arguments: Any) -> Any:
    """What a kernel calls for arguments that are not plain arrays."""
    for x in arguments:
        refuse_masked(x)
    return ufunc(*arguments)


def _capsule(capsule: Any) -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(get(capsule, None), ctypes.POINTER(ctypes.c_void_p))


@functools.cache
def numpy_api() -> tuple[Any, dict[str, int]]:
    """PyUFunc_FromFuncAndDataAndSignature, callable, and the addresses of what kernels call of NumPy."""
    from numpy._core import _multiarray_umath as core  # pyright: ignore[reportAttributeAccessIssue]

    c, p = ctypes, ctypes.c_void_p
    prototype = c.PYFUNCTYPE(
        c.py_object, p, p, p, c.c_int, c.c_int, c.c_int, c.c_int, c.c_char_p, c.c_char_p, c.c_int, c.c_char_p
    )
    make = prototype(_capsule(core._UFUNC_API)[_UFUNC_FROM_SIGNATURE])
    array = _capsule(core._ARRAY_API)
    return make, {"PyArray_New": array[_ARRAY_NEW], "PyArray_Return": array[_ARRAY_RETURN]}


@functools.cache
def addresses() -> tuple[int, ...]:
    """The addresses of NAMES in this process; zero where there is none."""
    import numpy as np

    def function(library: Any, name: str) -> int:
        try:
            return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
        except AttributeError:
            return 0

    process = ctypes.CDLL(None)
    special = {
        "num_threads": ctypes.addressof(num_threads),
        "PyArray_Type": id(np.ndarray),
        "float64": id(np.dtype(np.float64)),
        "float32": id(np.dtype(np.float32)),
        "unmasked": id(unmasked),
        **numpy_api()[1],
    }
    found = []
    for name in NAMES:
        if name in special:
            found.append(special[name])
        elif name.startswith("Py"):
            found.append(function(ctypes.pythonapi, name))
        else:
            found.append(function(process, name) or _libm(name))
    return tuple(found)


def _libm(name: str) -> int:
    import ctypes.util

    path = ctypes.util.find_library("m")
    try:
        return ctypes.cast(getattr(ctypes.CDLL(path), name), ctypes.c_void_p).value or 0 if path else 0
    except AttributeError:
        return 0
