"""The doors of every kernel, as functions of words: compiled once, with shapes as data (descriptor.py).

loop(args, dims, steps, kernel)      a ufunc's inner loop (batches.py), of operands of any layout (layouts.py)
fast(self, argv, nargs)              one call from Python (single_calls.py)
"""

from chasles.backend.host.batches import FUNCTIONS as BATCHES
from chasles.backend.host.batches import flag_functions, min3, rows, run
from chasles.backend.host.descriptor import INPUTS, MOST_OPERANDS, MOST_STEPS, OUTPUTS, shape_of
from chasles.backend.host.interruption import all_off, begin, called_off, is_off
from chasles.backend.host.layouts import ARGS, BATCH, KERNEL, LAYOUTS, STEPS, STRIDES, flat_step, laid_out
from chasles.backend.host.layouts import QUICK as QUICK_LAYOUTS
from chasles.backend.host.single_calls import FUNCTIONS as SINGLE_CALLS
from chasles.backend.host.single_calls import fast
from chasles.backend.host.words import Word, module, stack
from chasles.backend.llvm.target import Target


def loop(args: Word, dims: Word, steps: Word, kernel: Word) -> Word:
    count = dims[0]
    if count <= 0 or all_off():
        return 0
    batch = stack(BATCH)
    batch[KERNEL] = kernel
    batch[ARGS] = stack(MOST_OPERANDS)
    for k in range(kernel[INPUTS] + kernel[OUTPUTS]):
        batch[ARGS][k] = args[k]
    batch[STRIDES] = steps
    batch[STEPS] = stack(MOST_STEPS)
    batch[LAYOUTS] = stack(MOST_OPERANDS)
    laid_out(batch, count)
    run(batch, count)
    return 0


FUNCTIONS = (*BATCHES, shape_of, loop, *SINGLE_CALLS)
EXPORTED = ("loop", "fast", "called_off")
QUICK = (*QUICK_LAYOUTS, fast, loop, run, rows, begin, called_off)  # what every call passes through, or every number


def shell(target: Target) -> str:
    """The IR of the shell for a machine."""
    return f'target triple = "{target.triple}"\n' + module(
        FUNCTIONS, EXPORTED, flag_functions(target), QUICK, (shape_of, flat_step, is_off, all_off, min3)
    )
