"""The addresses that compiled code needs from its process: it holds none itself, so that it can be kept on disk.

The global array @chasles_table of a module is filled after loading: slot NAMES.index(name) holds the address of that
function or object.
"""

import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any

from chasles.backend.host.watch import watch
from chasles.backend.threads import num_threads

PROVIDED: dict[str, Callable[[], int]] = {}  # addresses of compiled functions that others call

SHELL = (  # what the functions of words take from the process
    "malloc",
    "free",
    "memcpy",
    "memset",
    "pthread_create",
    "pthread_join",
    "num_threads",
    "PyArray_Type",
    "PyArray_NewFromDescr",
    "PyArray_FromAny",
    "PyArray_Return",
    "PyObject_Call",
    "PyObject_Vectorcall",
    "PyFloat_Type",
    "PyList_Type",
    "PyTuple_New",
    "PyTuple_Type",
    "PyType_GenericAlloc",
    "PyErr_ExceptionMatches",
    "PyErr_Clear",
    "PyErr_Occurred",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "Py_DecRef",
    "Py_IncRef",
    "Py_AddPendingCall",
    "PyErr_CheckSignals",
    "PyErr_Fetch",
    "PyErr_Restore",
    "PyErr_SetInterrupt",
    "PyGILState_Ensure",
    "PyGILState_Release",
    "PyThread_get_thread_ident",
    "PyThread_allocate_lock",
    "PyThread_acquire_lock_timed",
    "PyThread_release_lock",
    "PyThread_free_lock",
    "clock_gettime",
    "watch",
    "Exception",
    "TypeError",
    "ValueError",
    "None",
    "out",
)

_UFUNC_FROM_SIGNATURE = 31  # place in NumPy's ufunc C API table
_ARRAY = {
    "PyArray_FromAny": 69,
    "PyArray_Return": 76,
    "PyArray_NewFromDescr": 94,
}  # places in NumPy's array C API table
_OUT = sys.intern("out")  # the name of a keyword


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
    return make, {name: array[place] for name, place in _ARRAY.items()}


@functools.cache
def addresses(names: tuple[str, ...]) -> tuple[int, ...]:
    """The addresses of functions and objects of this process; zero where there is none."""
    import numpy as np

    for block in (watch, num_threads, _OUT):  # code may run when the modules that hold them are gone, as Python ends
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(block))
    process = ctypes.CDLL(None)
    special = {
        "watch": ctypes.addressof(watch),
        "num_threads": ctypes.addressof(num_threads),
        "PyArray_Type": id(np.ndarray),
        "PyFloat_Type": id(float),
        "PyList_Type": id(list),
        "PyTuple_Type": id(tuple),
        "Exception": id(Exception),
        "TypeError": id(TypeError),
        "ValueError": id(ValueError),
        "None": id(None),
        "out": id(_OUT),
        **numpy_api()[1],
    }
    found = []
    for name in names:
        if name in PROVIDED:
            found.append(PROVIDED[name]())
        elif name in special:
            found.append(special[name])
        elif name.startswith("Py"):
            found.append(_function(ctypes.pythonapi, name))
        else:
            found.append(_function(process, name) or _libm(name))
    return tuple(found)


def _function(library: Any, name: str) -> int:
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
    except AttributeError:
        return 0


def _libm(name: str) -> int:
    import ctypes.util

    path = ctypes.util.find_library("m")
    return _function(ctypes.CDLL(path), name) if path else 0
