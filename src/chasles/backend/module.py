"""A whole module of LLVM IR for one kernel."""

from chasles.backend import border, driver, emit
from chasles.backend.plan import plan
from chasles.backend.table import NAMES
from chasles.backend.target import Target
from chasles.graph.program import Program

SEGMENT = 1500  # operations of a segment; a program of more than two is cut, into equal ones
WORK_PER_THREAD = 4_000_000  # operations times rows that are worth a thread


def module(program: Program, target: Target, dtype: str, header: int = object.__basicsize__) -> str:
    """The IR of a kernel: @loop for NumPy, @fast for single calls."""
    lanes = target.lanes(dtype)
    bytes_each = 8 if dtype == "float64" else 4
    count = program.operations.total
    pieces = 1 if count <= 2 * SEGMENT else -(-count // SEGMENT)
    cut = plan(program, lanes, max(1, -(-count // pieces)))
    share = max(64, WORK_PER_THREAD // max(1, count) // 64 * 64)
    scalar = "double" if dtype == "float64" else "float"
    parts = [
        f'target triple = "{target.triple}"',
        f"@chasles_table = global [{len(NAMES)} x ptr] zeroinitializer",
        emit.segments(program, cut, target, dtype),
        driver.flag_functions(target),
        driver.range_function(cut, lanes, bytes_each),
        driver.run_function(share, target.threads),
        border.loop_function(program, scalar, bytes_each),
        border.fast_function(program, dtype, header),
    ]
    return "\n\n".join(parts) + "\n"
