"""The door for single calls, as functions of words: compiled once, with shapes as data (descriptor.py).

    fast(self, argv, nargs, names)       a CPython function (METH_FASTCALL | METH_KEYWORDS, reached by vectorcall):
                                         one row of contiguous arrays, or a few, or NumPy, or Python

`self` of fast is a tuple (ufunc.py): the kernel's words, the ufunc, a Python function for all else, the kind of tuple
that several results are, a bound, and whether None is left out. Inputs are rows, or share their leading axes, of which
the results then have the same. fast clears the sticky floating-point flags, computes, and looks at them: if any is
raised it starts over by way of NumPy, which knows what the user wants of it. That is why there are only few rows, and
nobody waits for Python's lock meanwhile.

    None          where there are too many arguments, and the door is one of optional inputs: left out, from the last on
    lists         of floats, and floats, become arrays; whatever is no array then is for Python
    out=          arrays to write into, that fit as they are and are no part of one another or of an input
    the bound     if there is one, the last result is not returned where it is above it in every row
"""

from chasles.backend.host.batches import clear_flags, flags
from chasles.backend.host.descriptor import (
    AXES,
    BYTES,
    DTYPE,
    ELEMENTS,
    INPUTS,
    LONG,
    LOOKS,
    NARROW,
    OUTPUTS,
    RANGE,
    SHARE,
    SIZES,
    shape_of,
)
from chasles.backend.host.interruption import PART, begin
from chasles.backend.host.words import Word, address, call, call32, int32, number, number_below, stack

MOST_AT_THE_DOOR, STEPS_AT_THE_DOOR = 40, 80  # operands of a kernel that fast calls by itself, and their steps
MOST_AXES = 32  # of an array that it takes
PART_OF_SHARE = 64  # the rows of a thread's share over this are few
FEW_ROWS = 4  # that narrow code is the quicker for

HEADER = object.__basicsize__
TYPE = HEADER // 8 - 1  # of a PyObject, in words
LENGTH = HEADER // 8  # of a tuple or a bytes object
DATA = HEADER // 8  # of a PyArrayObject: data, nd, dimensions, strides, base, descr, flags
AXES_AT = HEADER + 8  # in bytes
DIMENSIONS = HEADER // 8 + 2
DESCR = HEADER // 8 + 5
FLAGS_AT = HEADER + 48
PLAIN = 0x0001 | 0x0100  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED
WRITABLE = PLAIN | 0x0400  # NPY_ARRAY_WRITEABLE
FIRST = tuple.__basicsize__ // 8  # the first item of a tuple, in words
CACHED_HASH = FIRST - LENGTH - 1  # whether a word before it keeps the hash, as from Python 3.14 on
TEXT = bytes.__basicsize__ - 1  # where the contents of a bytes object begin
LEADING, LEAD, SHARED = range(3)  # how many leading axes the inputs share, and where their sizes are
NUMPY, PYTHON, KIND, BOUND, OPTIONAL = range(FIRST + 1, FIRST + 6)  # of self, behind the kernel's words


def drop(objects: Word, count: Word) -> Word:
    for k in range(count):
        call(address("Py_DecRef"), objects[k])
    return 0


def leading_axes(kernel: Word, x: Word, shape: Word, wanted: Word) -> Word:
    """How many axes an array has before those of a shape; -1 where it does not end in them, or is not as wanted."""
    axes = shape[AXES]
    more = int32(x + AXES_AT) - axes
    if more < 0 or x[DESCR] != kernel[DTYPE] or int32(x + FLAGS_AT) & wanted != wanted:
        return -1
    sizes = x[DIMENSIONS] + 8 * more
    for axis in range(axes):
        if sizes[axis] != shape[SIZES + axis]:
            return -1
    return more


def are_same(sizes: Word, others: Word, count: Word) -> Word:
    for k in range(count):
        if sizes[k] != others[k]:
            return 0
    return 1


def fast(self: Word, argv: Word, nargs: Word, names: Word) -> Word:
    kernel = self[FIRST] + TEXT
    inputs = kernel[INPUTS]
    outputs = kernel[OUTPUTS]
    if nargs != inputs:
        return without_none(self, argv, nargs, names)
    for k in range(inputs):
        if argv[k][TYPE] != address("PyArray_Type"):
            return with_arrays(self, argv, nargs, names)
    if inputs + outputs > MOST_AT_THE_DOOR:
        return in_numpy(self, argv, nargs, names)
    args = stack(MOST_AT_THE_DOOR)
    steps = stack(STEPS_AT_THE_DOOR)
    results = stack(MOST_AT_THE_DOOR)
    shared = stack(SHARED)
    rows = rows_of_inputs(kernel, argv, args, steps, shared)
    code = kernel[NARROW] if rows <= FEW_ROWS else kernel[RANGE]
    if code == 0 or (rows != 1 and (rows < 1 or rows * PART_OF_SHARE > kernel[SHARE])):
        return in_numpy(self, argv, nargs, names)
    out = 0
    if names:
        out = arrays_of_out(kernel, argv + 8 * nargs, names)
        if out == 0:
            return in_python(self, argv, nargs, names)
    made = results_for(kernel, out, args, steps, shared, results)
    if made < outputs:
        drop(results, made)
        return 0 if call(address("PyErr_Occurred")) else in_numpy(self, argv, nargs, names)
    if out and are_apart(kernel, args, steps, rows) == 0:
        drop(results, outputs)
        return in_numpy(self, argv, nargs, names)
    part = stack(PART)
    if kernel[LOOKS]:
        begin(part, kernel)
    clear_flags()
    if kernel[SHARE] == LONG:  # other threads go on meanwhile
        held = call(address("PyEval_SaveThread"))
        call(code, args, steps, 0, rows, part)
        call(address("PyEval_RestoreThread"), held)
    else:
        call(code, args, steps, 0, rows, part)
    if flags() != 0:
        drop(results, outputs)
        return in_numpy(self, argv, nargs, names)
    left = outputs
    if self[BOUND][LENGTH]:
        left = outputs - are_above(self[BOUND] + TEXT, args[inputs + outputs - 1], rows, kernel[BYTES])
        drop(results + 8 * left, outputs - left)
    if shared[LEADING] == 0 and out == 0:
        for k in range(left):
            if shape_of(kernel, inputs + k)[AXES] == 0:  # an array without axes becomes a scalar, as from any ufunc
                results[k] = call(address("PyArray_Return"), results[k])
                if results[k] == 0:  # the array is gone all the same: the others remain
                    results[k] = results[left - 1]
                    drop(results, left - 1)
                    return 0
    return results[0] if left == 1 else together(self, results, left)


def rows_of_inputs(kernel: Word, argv: Word, args: Word, steps: Word, shared: Word) -> Word:
    """How many rows the arrays are, where they are, and their leading axes; -1 where NumPy must look at them."""
    inputs = kernel[INPUTS]
    leading = 0
    lead = argv  # the sizes of leading axes, once there are some
    rows = 1
    for k in range(inputs):
        x = argv[k]
        shape = shape_of(kernel, k)
        more = leading_axes(kernel, x, shape, PLAIN)
        if more < 0:
            return -1
        steps[k] = 0
        if more > 0:
            steps[k] = shape[ELEMENTS] * kernel[BYTES]
            if leading == 0:
                leading = more
                lead = x[DIMENSIONS]
                for axis in range(leading):
                    rows = rows * lead[axis]
            elif more != leading or are_same(lead, x[DIMENSIONS], leading) == 0:
                return -1
        args[k] = x[DATA]
        steps[inputs + kernel[OUTPUTS] + k] = kernel[BYTES]
    shared[LEADING] = leading
    shared[LEAD] = lead
    return rows


def results_for(kernel: Word, out: Word, args: Word, steps: Word, shared: Word, results: Word) -> Word:
    """New arrays for the results, or those of out=, and where they are; how many, fewer than all where one cannot be
    made or does not fit."""
    inputs = kernel[INPUTS]
    outputs = kernel[OUTPUTS]
    leading = shared[LEADING]
    lead = shared[LEAD]
    sizes = stack(MOST_AXES)
    for k in range(outputs):
        shape = shape_of(kernel, inputs + k)
        if out:
            y = out[k]
            fits = leading_axes(kernel, y, shape, WRITABLE) == leading and are_same(lead, y[DIMENSIONS], leading)
            if fits == 0:
                return k
            call(address("Py_IncRef"), y)
        else:
            dimensions = shape + 8 * SIZES
            axes = leading + shape[AXES]
            if leading:
                if axes > MOST_AXES:
                    return k
                for axis in range(axes):
                    sizes[axis] = lead[axis] if axis < leading else dimensions[axis - leading]
                dimensions = sizes
            call(address("Py_IncRef"), kernel[DTYPE])  # which the array takes
            new = address("PyArray_NewFromDescr")
            y = call(new, address("PyArray_Type"), kernel[DTYPE], axes, dimensions, 0, 0, 0, 0)
            if y == 0:
                return k
        results[k] = y
        args[inputs + k] = y[DATA]
        steps[inputs + k] = shape[ELEMENTS] * kernel[BYTES]
        steps[inputs + outputs + inputs + k] = kernel[BYTES]
    return outputs


def together(self: Word, results: Word, count: Word) -> Word:
    """Results as one tuple of their kind, which holds them from now on."""
    made = 0
    if self[KIND] == address("PyTuple_Type"):
        made = call(address("PyTuple_New"), count)
    else:
        made = call(address("PyType_GenericAlloc"), self[KIND], count)
    if made == 0:
        drop(results, count)
        return 0
    if CACHED_HASH:
        made[FIRST - 1] = -1
    for k in range(count):
        made[FIRST + k] = results[k]
    return made


def is_out(names: Word) -> Word:
    """Whether out= is the only keyword."""
    return names[LENGTH] == 1 and names[FIRST] == address("out")


def arrays_of_out(kernel: Word, given: Word, names: Word) -> Word:
    """Where the arrays are that out= gives, if it is given as it should be."""
    outputs = kernel[OUTPUTS]
    if is_out(names) == 0:
        return 0
    found = given
    if given[0][TYPE] == address("PyTuple_Type"):
        if given[0][LENGTH] != outputs:
            return 0
        found = given[0] + 8 * FIRST
    elif outputs != 1:
        return 0
    for k in range(outputs):
        if found[k][TYPE] != address("PyArray_Type"):
            return 0
    return found


def are_apart(kernel: Word, args: Word, steps: Word, rows: Word) -> Word:
    """Whether no output overlaps an input or another output."""
    inputs = kernel[INPUTS]
    for k in range(inputs, inputs + kernel[OUTPUTS]):
        end = args[k] + rows * steps[k]
        for j in range(k):
            beyond = args[j] + (rows - 1) * steps[j] + shape_of(kernel, j)[ELEMENTS] * kernel[BYTES]
            if args[j] < end and args[k] < beyond:
                return 0
    return 1


def are_above(bound: Word, numbers: Word, count: Word, size: Word) -> Word:
    """Whether all numbers are above a bound, none of them nan."""
    for k in range(count):
        if number_below(bound[0], number(numbers + k * size, size)) == 0:
            return 0
    return 1


def without_none(self: Word, argv: Word, nargs: Word, names: Word) -> Word:
    """With as many None left out, from the last on, as there are arguments too many."""
    inputs = (self[FIRST] + TEXT)[INPUTS]
    if names or nargs < inputs or inputs > MOST_AT_THE_DOOR or self[OPTIONAL] == address("None"):
        return in_python(self, argv, nargs, names)
    kept = stack(MOST_AT_THE_DOOR)
    place = inputs
    many = nargs - inputs
    for j in range(nargs):
        x = argv[nargs - 1 - j]
        if many > 0 and x == address("None"):
            many -= 1
        elif place == 0:
            return in_python(self, argv, nargs, names)
        else:
            place -= 1
            kept[place] = x
    return fast(self, kept, inputs, 0)


def with_arrays(self: Word, argv: Word, nargs: Word, names: Word) -> Word:
    """With arrays in place of lists and floats, where NumPy makes arrays of the kernel's type of them."""
    kernel = self[FIRST] + TEXT
    if names or nargs > MOST_AT_THE_DOOR:
        return in_python(self, argv, nargs, names)
    given = stack(MOST_AT_THE_DOOR)
    made = stack(MOST_AT_THE_DOOR)
    count = 0
    for k in range(nargs):
        x = argv[k]
        kind = x[TYPE]
        if kind == address("PyList_Type") or kind == address("PyTuple_Type") or kind == address("PyFloat_Type"):
            x = call(address("PyArray_FromAny"), x, 0, 0, 0, 0, 0)
            if x == 0 and call32(address("PyErr_ExceptionMatches"), address("Exception")) == 0:
                drop(made, count)
                return 0
            if x == 0:
                call(address("PyErr_Clear"))
                drop(made, count)
                return in_python(self, argv, nargs, names)
            made[count] = x
            count += 1
            kind = x[TYPE] if x[DESCR] == kernel[DTYPE] else 0
        if kind != address("PyArray_Type"):
            drop(made, count)
            return in_python(self, argv, nargs, names)
        given[k] = x
    found = fast(self, given, nargs, 0)
    drop(made, count)
    return found


def in_numpy(self: Word, argv: Word, nargs: Word, names: Word) -> Word:
    """By the ufunc, but for its other keywords; what it refuses is explained in Python."""
    if names and is_out(names) == 0:
        return in_python(self, argv, nargs, names)
    found = call(address("PyObject_Vectorcall"), self[NUMPY], argv, nargs, names)
    if found == 0:
        wrong_type = call32(address("PyErr_ExceptionMatches"), address("TypeError"))
        if wrong_type or call32(address("PyErr_ExceptionMatches"), address("ValueError")):
            call(address("PyErr_Clear"))
            return in_python(self, argv, nargs, names)
    return of_kind(self, found)


def in_python(self: Word, argv: Word, nargs: Word, names: Word) -> Word:
    return of_kind(self, call(address("PyObject_Vectorcall"), self[PYTHON], argv, nargs, names))


def of_kind(self: Word, found: Word) -> Word:
    """Several results as the kind of tuple that they are to be."""
    if found == 0 or self[KIND] == found[TYPE] or found[TYPE] != address("PyTuple_Type"):
        return found
    made = call(address("PyObject_Call"), self[KIND], found, 0)
    call(address("Py_DecRef"), found)
    return made


QUICK = (fast, are_same, without_none, arrays_of_out, are_apart, are_above)
INLINED = (leading_axes, rows_of_inputs, results_for, together)
FUNCTIONS = (*QUICK, *INLINED, drop, is_out, with_arrays, in_numpy, in_python, of_kind)
