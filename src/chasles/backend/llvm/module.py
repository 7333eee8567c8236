"""A program as a module of LLVM IR, with one function for the world:

    @range(args, steps, start, stop, part)     rows start..stop, one thread: blocks of W rows, the segments in turn

Element c of row r of operand k is at args[k] + r steps[k] + c steps[K + k], K operands in all. Either the elements of a
row are side by side (rows), or the rows of an element are, in whole blocks (columns; access.py). `part`
(host/interruption.py) is for loops in the program.
"""

from chasles.backend.calls import written_out
from chasles.backend.llvm.emit import PART
from chasles.backend.llvm.imports import imported, table
from chasles.backend.llvm.loops import Functions
from chasles.backend.llvm.target import Target
from chasles.backend.schedule import cut
from chasles.backend.tape import tape
from chasles.graph.garbage import not_collected
from chasles.graph.program import Program


@not_collected()
def module(program: Program, target: Target, dtype: str) -> str:
    """The IR of a program for a machine."""
    lanes, program = target.lanes(dtype), written_out(program)
    functions = Functions(target, dtype)
    found = tape(program)
    if found:
        segments, slots = 1, functions.tape(program, found)
    else:
        plan = cut(program, lanes)
        segments, slots = len(plan.segments), functions.program(program, plan)
    parts = [
        f'target triple = "{target.triple}"',
        table(),
        functions.finished(),
        _range(segments, slots, lanes, 8 if dtype == "float64" else 4, PART * bool(program.loops)),
    ]
    return "\n\n".join(parts) + "\n"


def _range(segments: int, slots: int, lanes: int, bytes_each: int, part: str) -> str:
    """@range: for each block of rows, each segment in turn, with so many slots of scratch. part: as an argument."""
    scratch = slots * lanes * bytes_each
    calls = "\n".join(
        f"  call void @segment{s}(ptr %args, ptr %steps, i64 %row, i64 %left, ptr %scratch{part})"
        for s in range(segments)
    )
    take, give = "  %scratch = bitcast ptr null to ptr", ""
    if scratch:
        take = f"""  {imported("malloc", "%malloc")}
  %raw = call ptr %malloc(i64 {scratch + 64})
  %int = ptrtoint ptr %raw to i64
  %int63 = add i64 %int, 63
  %aligned = and i64 %int63, -64
  %scratch = inttoptr i64 %aligned to ptr"""
        give = f"""  {imported("free", "%free")}
  call void %free(ptr %raw)"""
    return f"""define void @range(ptr %args, ptr %steps, i64 %start, i64 %stop, ptr %part) {{
entry:
  %some = icmp slt i64 %start, %stop
  br i1 %some, label %begin, label %never
never:
  ret void
begin:
{take}
  br label %block
block:
  %row = phi i64 [ %start, %begin ], [ %next, %block ]
  %left = sub i64 %stop, %row
{calls}
  %next = add i64 %row, {lanes}
  %again = icmp slt i64 %next, %stop
  br i1 %again, label %block, label %done
done:
{give}
  ret void
}}"""
