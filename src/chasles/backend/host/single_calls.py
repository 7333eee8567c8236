"""The door for single calls, as functions of words: compiled once, with shapes as data (descriptor.py).

    fast(self, argv, nargs)              a CPython function (METH_FASTCALL, reached by vectorcall): exactly one row of
                                         contiguous arrays, or NumPy, or Python

`self` of fast is a tuple: the kernel's words (a bytes object), the ufunc, and a Python function for all else: arguments
that are no plain arrays, and those that NumPy refuses. fast clears the sticky floating-point flags, computes, and looks
at them: if any is raised it starts over by way of NumPy, which knows what the user wants of it.
"""

from chasles.backend.host.batches import clear_flags, flags
from chasles.backend.host.descriptor import (
    AXES,
    BYTES,
    DTYPE,
    INPUTS,
    LONG,
    LOOKS,
    OUTPUTS,
    RANGE,
    SHARE,
    SIZES,
    TYPENUM,
    shape_of,
)
from chasles.backend.host.interruption import PART, begin
from chasles.backend.host.words import Word, address, call, call32, int32, stack

MOST_OPERANDS, MOST_STEPS = 40, 80  # of a kernel that fast calls by itself

HEADER = object.__basicsize__
TYPE = HEADER // 8 - 1  # of a PyObject, in words
DATA = HEADER // 8  # of a PyArrayObject: data, nd, dimensions, strides, base, descr, flags
AXES_AT = HEADER + 8  # in bytes
DIMENSIONS = HEADER // 8 + 2
DESCR = HEADER // 8 + 5
FLAGS_AT = HEADER + 48
PLAIN = 0x0001 | 0x0100  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED
FIRST = tuple.__basicsize__ // 8  # the first item of a tuple, in words
TEXT = bytes.__basicsize__ - 1  # where the contents of a bytes object begin


def drop(objects: Word, count: Word) -> Word:
    for k in range(count):
        call(address("Py_DecRef"), objects[k])
    return 0


def fast(self: Word, argv: Word, nargs: Word) -> Word:
    kernel = self[FIRST] + TEXT
    inputs = kernel[INPUTS]
    outputs = kernel[OUTPUTS]
    if nargs != inputs:
        return in_python(self, argv, nargs)
    array_type = address("PyArray_Type")
    for k in range(inputs):
        if argv[k][TYPE] != array_type:
            return in_python(self, argv, nargs)
    if inputs + outputs > MOST_OPERANDS:
        return in_numpy(self, argv, nargs)
    args = stack(MOST_OPERANDS)
    steps = stack(MOST_STEPS)
    results = stack(MOST_OPERANDS)
    for k in range(inputs):
        x = argv[k]
        shape = shape_of(kernel, k)
        axes = shape[AXES]
        if x[DESCR] != kernel[DTYPE] or int32(x + AXES_AT) != axes or int32(x + FLAGS_AT) & PLAIN != PLAIN:
            return in_numpy(self, argv, nargs)
        sizes = x[DIMENSIONS]
        for axis in range(axes):
            if sizes[axis] != shape[SIZES + axis]:
                return in_numpy(self, argv, nargs)
        args[k] = x[DATA]
        steps[k] = 0
        steps[inputs + outputs + k] = kernel[BYTES]
    for k in range(outputs):
        shape = shape_of(kernel, inputs + k)
        y = call(address("PyArray_New"), array_type, shape[AXES], shape + 8 * SIZES, kernel[TYPENUM], 0, 0, 0, 0, 0)
        if y == 0:
            drop(results, k)
            return 0
        results[k] = y
        args[inputs + k] = y[DATA]
        steps[inputs + k] = 0
        steps[inputs + outputs + inputs + k] = kernel[BYTES]
    part = stack(PART)
    if kernel[LOOKS]:
        begin(part, kernel)
    clear_flags()
    if kernel[SHARE] == LONG:  # other threads go on meanwhile
        held = call(address("PyEval_SaveThread"))
        call(kernel[RANGE], args, steps, 0, 1, part)
        call(address("PyEval_RestoreThread"), held)
    else:
        call(kernel[RANGE], args, steps, 0, 1, part)
    if flags() != 0:
        drop(results, outputs)
        return in_numpy(self, argv, nargs)
    for k in range(outputs):
        if shape_of(kernel, inputs + k)[AXES] == 0:  # an array without axes becomes a scalar, as from any ufunc
            results[k] = call(address("PyArray_Return"), results[k])
            if results[k] == 0:
                results[k] = results[outputs - 1]
                drop(results, outputs - 1)
                return 0
    if outputs == 1:
        return results[0]
    together = call(address("PyTuple_New"), outputs)
    if together == 0:
        drop(results, outputs)
        return 0
    for k in range(outputs):
        call32(address("PyTuple_SetItem"), together, k, results[k])
    return together


def in_numpy(self: Word, argv: Word, nargs: Word) -> Word:
    """By the ufunc; what it refuses is explained in Python."""
    found = call(address("PyObject_Vectorcall"), self[FIRST + 1], argv, nargs, 0)
    if found == 0:
        wrong_type = call32(address("PyErr_ExceptionMatches"), address("TypeError"))
        if wrong_type or call32(address("PyErr_ExceptionMatches"), address("ValueError")):
            call(address("PyErr_Clear"))
            return in_python(self, argv, nargs)
    return found


def in_python(self: Word, argv: Word, nargs: Word) -> Word:
    return call(address("PyObject_Vectorcall"), self[FIRST + 2], argv, nargs, 0)


FUNCTIONS = (drop, fast, in_numpy, in_python)
