"""The doors of every kernel, as functions of words: compiled once, with shapes as data (descriptor.py).

loop(args, dims, steps, kernel)      a ufunc's inner loop; copies operands whose rows are not contiguous
fast(self, argv, nargs)              one call from Python (single_calls.py)
"""

from chasles.backend.host.batches import FUNCTIONS as BATCHES
from chasles.backend.host.batches import clear_flags, flag_functions, min3, rows, run
from chasles.backend.host.descriptor import AXES, BYTES, ELEMENTS, INPUTS, OUTPUTS, RANGE, SIZES, shape_of
from chasles.backend.host.interruption import PART, all_off, begin, called_off, is_off
from chasles.backend.host.single_calls import FUNCTIONS as SINGLE_CALLS
from chasles.backend.host.single_calls import fast
from chasles.backend.host.words import Word, address, call, int32, module, put_int32, stack
from chasles.backend.llvm.target import Target

ROWS_COPIED = 64  # rows of a strided operand that are copied at a time,
BYTES_COPIED = 1 << 24  # or so many that they take no more than this


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


FUNCTIONS = (*BATCHES, shape_of, copy_rows, copied, moved, loop, *SINGLE_CALLS)
EXPORTED = ("loop", "fast", "called_off")
QUICK = (copy_rows, fast, loop, run, rows, begin, called_off)  # what every call passes through, or every number


def shell(target: Target) -> str:
    """The IR of the shell for a machine."""
    return f'target triple = "{target.triple}"\n' + module(
        FUNCTIONS, EXPORTED, flag_functions(target), QUICK, (shape_of, is_off, all_off, min3)
    )
