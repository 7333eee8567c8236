"""How the operands of a batch lie in memory, as functions of words.

    in rows      the elements of a row follow one another, the rows a step apart
    in columns   the rows of an element follow one another, the elements a step apart
    apart        neither

A range function (descriptor.py) takes rows, and blocks of as many rows as it has lanes in columns. All else goes by way
of dense copies, some rows at a time: a copy is in columns where the operand's rows are closer to one another than its
elements, so that numbers are copied along the shorter step.
"""

from chasles.backend.host.descriptor import (
    AXES,
    BYTES,
    ELEMENTS,
    INPUTS,
    LANES,
    MOST_OPERANDS,
    MOST_STEPS,
    OUTPUTS,
    RANGE,
    SIZES,
    shape_of,
)
from chasles.backend.host.words import Word, address, call, int32, put_int32, stack

# a batch: the kernel; NumPy's pointers; its steps, from row to row, then within rows; those that range takes; layouts
KERNEL, ARGS, STRIDES, STEPS, LAYOUTS, FARTHEST, BATCH = range(7)
IN_ROWS, IN_COLUMNS, APART = range(3)  # the farthest of the operands' layouts is that of the batch
SCATTERED = 1 << 62  # the elements of a row are not one step apart

ROWS_COPIED = 64  # rows that are copied at a time,
BYTES_COPIED = 1 << 14  # or so many that they take no more than this, but a block of them


def laid_out(batch: Word, count: Word) -> Word:
    """Fill in the steps that range takes, and the layouts, of a batch of so many rows."""
    kernel = batch[KERNEL]
    operands = kernel[INPUTS] + kernel[OUTPUTS]
    size = kernel[BYTES]
    blocks = kernel[LANES] > 0 and count >= kernel[LANES]
    steps = batch[STEPS]
    strides = batch[STRIDES] + 8 * operands
    batch[FARTHEST] = IN_ROWS
    for k in range(operands):
        shape = shape_of(kernel, k)
        step = batch[STRIDES][k]
        within = flat_step(shape, size, strides)
        layout = IN_ROWS
        if blocks and step == size and within != SCATTERED and (within != size or shape[ELEMENTS] == 1):
            layout = IN_COLUMNS
            within = within if within != size else 0
        elif within != size:
            layout = APART
        steps[k] = step
        steps[operands + k] = within
        batch[LAYOUTS][k] = layout
        batch[FARTHEST] = layout if layout > batch[FARTHEST] else batch[FARTHEST]
        strides += 8 * shape[AXES]
    return 0


def flat_step(shape: Word, size: Word, strides: Word) -> Word:
    """The step from one element of a flattened row to the next, if there is one; size: that of a number."""
    step = size
    if shape[ELEMENTS] > 1:
        expected = SCATTERED
        axis = shape[AXES] - 1
        while axis >= 0:
            if shape[SIZES + axis] > 1:
                if expected == SCATTERED:
                    step = strides[axis]
                elif strides[axis] != expected:
                    return SCATTERED
                expected = strides[axis] * shape[SIZES + axis]
            axis -= 1
    return step


def piece(batch: Word, first: Word, last: Word, part: Word) -> Word:
    """Some rows of a batch, of any layout."""
    kernel = batch[KERNEL]
    lanes = kernel[LANES]
    whole = last - (last - first) % lanes if lanes > 0 else first
    if first < whole:
        if batch[FARTHEST] == APART:
            copied(batch, first, whole, part)
        else:
            call(kernel[RANGE], batch[ARGS], batch[STEPS], first, whole, part)
    if whole < last:
        copied(batch, whole, last, part)
    return 0


def rows_copied(kernel: Word) -> Word:
    """How many rows at a time."""
    row = row_bytes(kernel)
    rows = ROWS_COPIED
    while rows > kernel[LANES] and rows > 1 and rows * row > BYTES_COPIED:
        rows = rows >> 1
    return rows


def row_bytes(kernel: Word) -> Word:
    total = 0
    for k in range(kernel[INPUTS] + kernel[OUTPUTS]):
        total += shape_of(kernel, k)[ELEMENTS] * kernel[BYTES]
    return total


def copied(batch: Word, first: Word, last: Word, part: Word) -> Word:
    """Rows by way of dense copies of those operands that range does not take where they lie."""
    kernel = batch[KERNEL]
    inputs = kernel[INPUTS]
    operands = inputs + kernel[OUTPUTS]
    size = kernel[BYTES]
    rows = last - first
    blocks = kernel[LANES] > 0 and rows % kernel[LANES] == 0
    args = stack(MOST_OPERANDS)
    steps = stack(MOST_STEPS)
    moved = stack(MOST_OPERANDS)
    raw = call(address("malloc"), row_bytes(kernel) * rows + 64)
    at = (raw + 63) & -64
    strides = batch[STRIDES] + 8 * operands
    for k in range(operands):
        shape = shape_of(kernel, k)
        elements = shape[ELEMENTS]
        layout = batch[LAYOUTS][k]
        step = batch[STEPS][k]
        within = batch[STEPS][operands + k]
        args[k] = batch[ARGS][k] + first * step
        steps[k] = step
        steps[operands + k] = within if elements > 1 or blocks else size
        moved[k] = layout == APART or (layout == IN_COLUMNS and elements > 1 and blocks == 0)
        if moved[k]:
            nearest = within if within != SCATTERED else strides[shape[AXES] - 1]
            columns = blocks and step * step < nearest * nearest
            steps[k] = size if columns else elements * size
            steps[operands + k] = rows * size if columns else size
            args[k] = at
            at += elements * rows * size
            if k < inputs:
                copy(batch, k, strides, args[k], steps[k], first, rows, 0)
        strides += 8 * shape[AXES]
    call(kernel[RANGE], args, steps, 0, rows, part)
    strides = batch[STRIDES] + 8 * operands
    for k in range(operands):
        if k >= inputs and moved[k]:
            copy(batch, k, strides, args[k], steps[k], first, rows, 1)
        strides += 8 * shape_of(kernel, k)[AXES]
    call(address("free"), raw)
    return 0


def copy(
    batch: Word, operand: Word, strides: Word, dense: Word, step: Word, first: Word, rows: Word, outward: Word
) -> Word:
    """Rows of an operand into a dense copy, or out of it; step: its, from row to row."""
    kernel = batch[KERNEL]
    shape = shape_of(kernel, operand)
    size = kernel[BYTES]
    axes = shape[AXES]
    length = shape[ELEMENTS]
    apart = batch[STEPS][operand]
    stride = batch[STEPS][kernel[INPUTS] + kernel[OUTPUTS] + operand]
    if stride == SCATTERED:  # line by line along the last axis
        length = shape[SIZES + axes - 1]
        stride = strides[axes - 1]
    here = dense
    for line in range(shape[ELEMENTS] // length):
        there = batch[ARGS][operand] + first * apart
        rest = line
        axis = axes - 2
        while rest > 0:
            there += rest % shape[SIZES + axis] * strides[axis]
            rest = rest // shape[SIZES + axis]
            axis -= 1
        if step == size:  # in columns
            for _ in range(length):
                move(here, there, apart, rows, size, outward)
                here += rows * size
                there += stride
        else:
            for row in range(rows):
                move(here + row * step, there + row * apart, stride, length, size, outward)
            here += length * size
    return 0


def move(dense: Word, strided: Word, step: Word, count: Word, size: Word, outward: Word) -> Word:
    """So many numbers, side by side in a dense copy and a step apart elsewhere."""
    to = strided if outward else dense
    source = dense if outward else strided
    if step == size:
        call(address("memcpy"), to, source, count * size)
        return 0
    to_step = step if outward else size
    source_step = size if outward else step
    if size == 8:
        for _ in range(count):
            to[0] = source[0]
            to += to_step
            source += source_step
    else:
        for _ in range(count):
            put_int32(to, int32(source))
            to += to_step
            source += source_step
    return 0


FUNCTIONS = (laid_out, flat_step, piece, rows_copied, row_bytes, copied, copy, move)
QUICK = (laid_out, flat_step, copied, copy, move)
