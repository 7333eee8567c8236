"""The two doors of every kernel, as functions of words: compiled once, with shapes as data (descriptor.py).

    loop(args, dims, steps, kernel)      a ufunc's inner loop; copies operands whose rows are not contiguous
    fast(self, argv, nargs)              a CPython function (METH_FASTCALL, reached by vectorcall): exactly one row of
                                         contiguous arrays, or NumPy, or Python

`self` of fast is a tuple: the kernel's words (a bytes object), the ufunc, and a Python function for all else: arguments
that are no plain arrays, and those that NumPy refuses. fast clears the sticky floating-point flags, computes, and looks
at them: if any is raised it starts over by way of NumPy, which knows what the user wants of it.
"""

from chasles.backend.host.batches import FUNCTIONS as BATCHES
from chasles.backend.host.batches import clear_flags, flag_functions, flags, min3, rows, run
from chasles.backend.host.descriptor import (
    AXES,
    BYTES,
    DTYPE,
    ELEMENTS,
    INPUTS,
    LONG,
    LOOKS,
    OPERANDS,
    OUTPUTS,
    RANGE,
    SHARE,
    SIZES,
    TYPENUM,
)
from chasles.backend.host.interruption import PART, all_off, begin, called_off, is_off
from chasles.backend.host.words import Word, address, call, call32, int32, module, put_int32, stack
from chasles.backend.llvm.target import Target

ROWS_COPIED = 64  # rows of a strided operand that are copied at a time,
BYTES_COPIED = 1 << 24  # or so many that they take no more than this
MOST_OPERANDS = 40  # of a kernel that fast calls by itself

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


def shape_of(kernel: Word, operand: Word) -> Word:
    return kernel + 8 * kernel[OPERANDS + operand]


def copy_rows(
    shape: Word, size: Word, dense: Word, strided: Word, rows: Word, step: Word, strides: Word, outward: Word
) -> Word:
    """Copy rows between a dense buffer and a strided operand; size: bytes of a number."""
    axes = shape[AXES]
    last = shape[SIZES + axes - 1] if axes > 0 else 1
    stride = strides[axes - 1] if axes > 0 else 0
    lines = shape[ELEMENTS] // last
    at = dense
    for row in range(rows):
        for line in range(lines):
            place = strided + row * step
            rest = line
            axis = axes - 2
            while axis >= 0:
                place += rest % shape[SIZES + axis] * strides[axis]
                rest = rest // shape[SIZES + axis]
                axis -= 1
            for _ in range(last):
                to = place if outward else at
                source = at if outward else place
                if size == 8:
                    to[0] = source[0]
                else:
                    put_int32(to, int32(source))
                at += size
                place += stride
    return 0


def copied(kernel: Word, args: Word, steps: Word, count: Word) -> Word:
    """A batch by way of dense buffers, some rows at a time."""
    inputs = kernel[INPUTS]
    operands = inputs + kernel[OUTPUTS]
    size = kernel[BYTES]
    row = 1
    for k in range(operands):
        row += shape_of(kernel, k)[ELEMENTS] * size
    rows = ROWS_COPIED if row * ROWS_COPIED < BYTES_COPIED else BYTES_COPIED // row + 1
    rows = rows if rows < count else count
    raw = call(address("malloc"), row * rows + 16 * operands)
    dense_args = raw
    dense_steps = raw + 8 * operands
    at = raw + 16 * operands
    for k in range(operands):
        dense_args[k] = at
        dense_steps[k] = shape_of(kernel, k)[ELEMENTS] * size
        at += dense_steps[k] * rows
    part = stack(PART)
    begin(part, kernel)
    first = 0
    while first < count and is_off(part) == 0:
        some = rows if count - first > rows else count - first
        moved(kernel, args, steps, dense_args, first, some, 0)
        call(kernel[RANGE], dense_args, dense_steps, 0, some, part)
        moved(kernel, args, steps, dense_args, first, some, 1)
        first += rows
        called_off(part, some, ROWS_COPIED)
    call(address("free"), raw)
    if is_off(part):
        clear_flags()
    return 0


def moved(kernel: Word, args: Word, steps: Word, dense_args: Word, first: Word, rows: Word, outward: Word) -> Word:
    """The inputs into their buffers, or the outputs out of theirs."""
    inputs = kernel[INPUTS]
    operands = inputs + kernel[OUTPUTS]
    strides = steps + 8 * operands
    for k in range(operands):
        shape = shape_of(kernel, k)
        if (k >= inputs) == outward:
            here = args[k] + first * steps[k]
            copy_rows(shape, kernel[BYTES], dense_args[k], here, rows, steps[k], strides, outward)
        strides += 8 * shape[AXES]
    return 0


def loop(args: Word, dims: Word, steps: Word, kernel: Word) -> Word:
    count = dims[0]
    if count <= 0 or all_off():
        return 0
    operands = kernel[INPUTS] + kernel[OUTPUTS]
    place = operands
    for k in range(operands):
        shape = shape_of(kernel, k)
        expected = kernel[BYTES]
        axis = shape[AXES] - 1
        while axis >= 0:
            if steps[place + axis] != expected:
                copied(kernel, args, steps, count)
                return 0
            expected = expected * shape[SIZES + axis]
            axis -= 1
        place += shape[AXES]
    run(kernel, args, steps, count)
    return 0


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
    steps = stack(MOST_OPERANDS)
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
    for k in range(outputs):
        shape = shape_of(kernel, inputs + k)
        y = call(address("PyArray_New"), array_type, shape[AXES], shape + 8 * SIZES, kernel[TYPENUM], 0, 0, 0, 0, 0)
        if y == 0:
            drop(results, k)
            return 0
        results[k] = y
        args[inputs + k] = y[DATA]
        steps[inputs + k] = 0
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


FUNCTIONS = (*BATCHES, shape_of, copy_rows, copied, moved, loop, drop, fast, in_numpy, in_python)
EXPORTED = ("loop", "fast", "called_off")
QUICK = (copy_rows, fast, loop, run, rows, begin, called_off)  # what every call passes through, or every number


def shell(target: Target) -> str:
    """The IR of the shell for a machine."""
    return f'target triple = "{target.triple}"\n' + module(
        FUNCTIONS, EXPORTED, flag_functions(target), QUICK, (shape_of, is_off, all_off, min3)
    )
