"""Machine code as NumPy and CPython functions."""

import ctypes
from typing import Any

from chasles.backend.jit import Loaded
from chasles.backend.table import numpy_api
from chasles.graph.array import register_program
from chasles.graph.program import Program

_METH_FASTCALL = 0x0080
_kept: list[Any] = []  # C structures that the functions point to, for as long as the process lives


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("method", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


def signature(program: Program) -> str:
    """NumPy's signature of the program, such as (6),(6)->(6,6)."""

    def core(operands: Any) -> str:
        return ",".join("(" + ",".join(map(str, o.shape)) + ")" for o in operands)

    return f"{core(program.inputs)}->{core(program.outputs)}"


def gufunc(program: Program, loaded: Loaded, name: str, doc: str, dtype: str) -> Any:
    """A NumPy generalized ufunc that runs the kernel."""
    make, _ = numpy_api()
    functions = (ctypes.c_void_p * 1)(loaded.loop)
    data = (ctypes.c_void_p * 1)(None)
    operands = len(program.inputs) + len(program.outputs)
    types = ctypes.create_string_buffer(bytes([12 if dtype == "float64" else 11]) * operands)
    title, text, core = name.encode(), doc.encode(), signature(program).encode()
    _kept.append((functions, data, types, title, text, core))
    ufunc = make(
        ctypes.addressof(functions),
        ctypes.addressof(data),
        ctypes.addressof(types),
        1,
        len(program.inputs),
        len(program.outputs),
        -1,
        title,
        text,
        0,
        core,
    )
    if program.nodes or program.results:  # a search has none
        register_program(ufunc, program)
    return ufunc


def fastcall(ufunc: Any, loaded: Loaded, name: str) -> Any:
    """A CPython function for one row of contiguous arrays, that hands everything else to the ufunc."""
    definition = _MethodDef(name.encode(), loaded.fast, _METH_FASTCALL, b"")
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    _kept.append(definition)
    return new(ctypes.addressof(definition), ufunc, None)
