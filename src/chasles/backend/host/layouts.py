"""Layouts of the operands of a batch in memory, as functions of words.

    in rows      the elements of a row follow one another, the rows a step apart
    in columns   the rows of an element follow one another, the elements a step apart
    apart        neither

A range function (descriptor.py) takes rows, and blocks of as many rows as it has lanes in columns. All else goes by way
of dense copies, some rows at a time: whole blocks as columns, what remains of them as rows. Numbers are copied along
the shorter of an operand's steps.
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

# a batch: the kernel; pointers; NumPy's steps, from row to row, then within rows; those that range takes; layouts
KERNEL, ARGS, STRIDES, STEPS, LAYOUTS, FARTHEST, BATCH = range(7)
IN_ROWS, IN_COLUMNS, APART = range(3)  # the farthest of the operands' layouts is that of the batch
SCATTERED = 1 << 62  # the elements of a row are not one step apart

ROWS_COPIED = 64  # rows that are copied at a time,
BYTES_COPIED = 1 << 18  # or fewer if they take more than this,
FEWEST_COPIED = 16  # but whole blocks
LINE = 64  # bytes of the cache's lines
MANY = 512  # rows of a batch of which some are copied to have the others aligned


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


def ahead_of_lines(batch: Word) -> Word:
    """How many rows there are before the columns of the widest operand all come to a line of the cache."""
    kernel = batch[KERNEL]
    operands = kernel[INPUTS] + kernel[OUTPUTS]
    rows = 0
    widest = 0
    for k in range(operands):
        elements = shape_of(kernel, k)[ELEMENTS]
        aligned = batch[STEPS][operands + k] % LINE == 0 and batch[STEPS][k] == kernel[BYTES]
        if batch[LAYOUTS][k] != IN_ROWS and aligned and elements > widest:
            widest = elements
            rows = (-batch[ARGS][k] & (LINE - 1)) // kernel[BYTES]
    return rows


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
    while rows > FEWEST_COPIED and rows * row > BYTES_COPIED:
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
            steps[k] = size if blocks else elements * size
            steps[operands + k] = rows * size if blocks else size
            args[k] = at
            at += elements * rows * size
            if k < inputs:
                copy(batch, k, strides, args, steps, first, rows, 0)
        strides += 8 * shape[AXES]
    call(kernel[RANGE], args, steps, 0, rows, part)
    strides = batch[STRIDES] + 8 * operands
    for k in range(operands):
        if k >= inputs and moved[k]:
            copy(batch, k, strides, args, steps, first, rows, 1)
        strides += 8 * shape_of(kernel, k)[AXES]
    call(address("free"), raw)
    return 0


def copy(
    batch: Word, operand: Word, strides: Word, args: Word, steps: Word, first: Word, rows: Word, outward: Word
) -> Word:
    """Rows of an operand into a dense copy, or out of it; args, steps: of the copies."""
    kernel = batch[KERNEL]
    operands = kernel[INPUTS] + kernel[OUTPUTS]
    shape = shape_of(kernel, operand)
    axes = shape[AXES]
    length = shape[ELEMENTS]
    step = batch[STEPS][operand]
    within = batch[STEPS][operands + operand]
    if within == SCATTERED:  # line by line along the last axis
        length = shape[SIZES + axes - 1]
        within = strides[axes - 1]
    by_rows = step * step >= within * within  # along the shorter step
    lines = rows if by_rows else length
    numbers = length if by_rows else rows
    apart = step if by_rows else within
    near = within if by_rows else step
    dense = args[operand]
    dense_within = steps[operands + operand]
    dense_apart = steps[operand] if by_rows else dense_within
    dense_near = dense_within if by_rows else steps[operand]
    for line in range(shape[ELEMENTS] // length):
        place = batch[ARGS][operand] + first * step
        rest = line
        axis = axes - 2
        while rest > 0:
            place += rest % shape[SIZES + axis] * strides[axis]
            rest = rest // shape[SIZES + axis]
            axis -= 1
        if outward:
            move(place, apart, near, dense, dense_apart, dense_near, lines, numbers, kernel[BYTES])
        else:
            move(dense, dense_apart, dense_near, place, apart, near, lines, numbers, kernel[BYTES])
        dense += length * dense_within
    return 0


def move(
    to: Word,
    to_apart: Word,
    to_near: Word,
    source: Word,
    source_apart: Word,
    source_near: Word,
    lines: Word,
    numbers: Word,
    size: Word,
) -> Word:
    """Lines of so many numbers, from one place to another, each with a step between lines and one within."""
    for _line in range(lines):
        if to_near == size and source_near == size:
            call(address("memcpy"), to, source, numbers * size)
        else:
            here = to
            there = source
            for _number in range(numbers):
                if size == 8:
                    here[0] = there[0]
                else:
                    put_int32(here, int32(there))
                here += to_near
                there += source_near
        to += to_apart
        source += source_apart
    return 0


FUNCTIONS = (laid_out, ahead_of_lines, flat_step, piece, rows_copied, row_bytes, copied, copy, move)
QUICK = (laid_out, copied, copy, move)
