"""A whole module of LLVM IR for one kernel."""

from chasles.backend import border, driver, emit
from chasles.backend import search as searching
from chasles.backend.plan import Plan, plan
from chasles.backend.search import Search
from chasles.backend.table import NAMES
from chasles.backend.target import Target
from chasles.graph.program import Program

SEGMENT = 1500  # operations of a segment; a program of more than two is cut, into equal ones
WORK_PER_THREAD = 4_000_000  # operations times rows that are worth a thread
STEPS = 16  # about how many steps a search takes for a row


def module(program: Program, target: Target, dtype: str, header: int = object.__basicsize__) -> str:
    """The IR of a kernel: @loop for NumPy, @fast for single calls."""
    lanes = target.lanes(dtype)
    cut = _cut(program, lanes)
    parts = [
        emit.segments(program, cut, target, dtype),
        driver.range_function(cut, lanes, 8 if dtype == "float64" else 4),
    ]
    return _around(parts, program, program.operations.total, target, dtype, header)


def search_module(search: Search, target: Target, header: int = object.__basicsize__) -> str:
    """The IR of a search (backend/search.py), in float64."""
    lanes = target.lanes("float64")
    parts = [searching.functions(search, _cut(search.step, lanes), target, lanes)]
    return _around(parts, search.signature, STEPS * search.step.operations.total, target, "float64", header)


def _cut(program: Program, lanes: int) -> Plan:
    count = program.operations.total
    pieces = 1 if count <= 2 * SEGMENT else -(-count // SEGMENT)
    return plan(program, lanes, max(1, -(-count // pieces)))


def _around(parts: list[str], program: Program, count: int, target: Target, dtype: str, header: int) -> str:
    """A module of these parts, which define @range, and all that surrounds them; `count`: operations for a row."""
    bytes_each, scalar = (8, "double") if dtype == "float64" else (4, "float")
    share = max(64, WORK_PER_THREAD // max(1, count) // 64 * 64)
    around = [
        f'target triple = "{target.triple}"',
        f"@chasles_table = global [{len(NAMES)} x ptr] zeroinitializer",
        driver.flag_functions(target),
        *parts,
        driver.run_function(share, target.threads),
        border.loop_function(program, scalar, bytes_each),
        border.fast_function(program, dtype, header),
    ]
    return "\n\n".join(around) + "\n"
