"""A kernel as the shell sees it: a block of words that says where its code is and what shapes it has.

    RANGE     the address of range(args, steps, start, stop, part): rows start..stop of the operands at args[k], a row
              steps[k] bytes behind the one before, an element of a row steps[K + k] bytes behind the one before, K
              operands in all. Either elements are side by side, or rows are, and they come in blocks of LANES
              (0: not made yet)
    NARROW    the address of such a function for few rows, whose vectors may be shorter
    CONTEXT   the first word of part (interruption.py), by which range knows more (of a loop its own block of words;
              else 0)
    OPERANDS  for every input, then every output, how many words from here its shape is: axes, elements, sizes

This is the contract between compiled code and the world: any back end that makes such a range function has NumPy's
broadcasting, strides, threads, floating-point flags and single calls from the shell, which is compiled once.
"""

import struct
from collections.abc import Sequence

from chasles.backend.host.words import Word
from chasles.graph.program import Operand

RANGE = 0
CONTEXT = 1
INPUTS = 2
OUTPUTS = 3
BYTES = 4  # of a number
SHARE = 5  # rows that are worth a thread; 0: one thread does all
LONG = 64  # the least share: a row takes long
DTYPE = 6  # the address of NumPy's dtype
LOOKS = 7  # whether range looks at part: not at all, now and then (a program with loops), or
ALONE = 2  # so often that it may be given any number of rows (a loop)
LANES = 8  # rows of a block; 0: rows are never side by side
NARROW = 9
OPERANDS = 10
MOST_OPERANDS, MOST_STEPS = 64, 128  # NumPy's, of a ufunc

AXES = 0  # of a shape
ELEMENTS = 1
SIZES = 2


def shape_of(kernel: Word, operand: Word) -> Word:
    return kernel + 8 * kernel[OPERANDS + operand]


def descriptor(
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
    dtype: str,
    share: int,
    code: int,
    context: int = 0,
    described: int = 0,
    looks: int = 0,
    lanes: int = 0,
    narrow: int = 0,
) -> bytes:
    """The words of a kernel whose range functions are at `code` and `narrow`; described: where NumPy's dtype is."""
    operands = (*inputs, *outputs)
    size = 8 if dtype == "float64" else 4
    words = [code, context, len(inputs), len(outputs), size, share, described, looks, lanes, narrow]
    shapes: list[int] = []
    for operand in operands:
        words.append(OPERANDS + len(operands) + len(shapes))
        shapes += [len(operand.shape), operand.size, *operand.shape]
    return struct.pack(f"<{len(words) + len(shapes)}q", *words, *shapes)
