"""Functions that a kernel's code takes from the process it runs in, through the module's global array @chasles_table.

The code holds no address itself, so that it can be kept on disk; whoever loads it fills the array, slot k with the
address of the function IMPORTS[k].
"""

from chasles.scalar.operations import OPERATIONS

LIBM = tuple(operation.libm for operation in OPERATIONS.values() if operation.libm and operation.traced)
IMPORTS = (*LIBM, "malloc", "free", "called_off")


def table(count: int = len(IMPORTS)) -> str:
    """The array."""
    return f"@chasles_table = global [{count} x ptr] zeroinitializer"


def imported(name: str, result: str) -> str:
    """Load the address of an imported function into `result`."""
    return f"{result} = load ptr, ptr getelementptr (ptr, ptr @chasles_table, i64 {IMPORTS.index(name)})"
