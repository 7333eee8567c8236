"""sin and cos of vectors some of whose lanes are out of the fast range of trig.py, as functions that are called.

@sincos(x)           sin and cos: in the fast range the bits of trig.py, beyond it those of the C library
@mend(x, quick, f)   lanes of `quick` whose x is out of range, replaced by the C library's f
"""

from chasles.backend.llvm import trig
from chasles.backend.llvm.imports import IMPORTS
from chasles.backend.llvm.target import Target
from chasles.backend.llvm.vector import Vector


def functions(target: Target, dtype: str) -> str:
    """@sincos and @mend, for a machine and a type of numbers."""
    return f"{_sincos(Vector(target, dtype))}\n\n{_mend(Vector(target, dtype))}"


def sincos(b: Vector, x: str) -> tuple[str, str]:
    """Call @sincos."""
    both = b.set(f"call {_pair(b)} @sincos({b.type} {x})")
    sin, cos = (b.set(f"extractvalue {_pair(b)} {both}, {k}") for k in (0, 1))
    return sin, cos


def _pair(b: Vector) -> str:
    return f"{{ {b.type}, {b.type} }}"


def _outside(b: Vector) -> str:
    return trig.outside(b, [trig.quarters(b, "%x")])


def _sincos(b: Vector) -> str:
    """Lanes out of range are computed as x = 0, so that they raise no flag."""
    x = b.select(_outside(b), b.constant(0.0), "%x")
    both = "poison"
    for k, (op, quick) in enumerate(zip(("sin", "cos"), trig.sincos(b, x, trig.quarters(b, x)), strict=True)):
        value = b.set(f"call {b.type} @mend({b.type} %x, {b.type} {quick}, i64 {IMPORTS.index(op)})")
        both = b.set(f"insertvalue {_pair(b)} {both}, {b.type} {value}, {k}")
    body = "\n".join(b.lines)
    return (
        f"define internal {_pair(b)} @sincos({b.type} %x) noinline cold {{\nentry:\n{body}\n  ret {_pair(b)} {both}\n}}"
    )


def _mend(b: Vector) -> str:
    """A loop over the lanes: seldom is more than one out of range, and the C library takes one at a time."""
    beyond = _outside(b)
    b.line(f"%xs = alloca {b.type}, align 64")
    b.line(f"%qs = alloca {b.type}, align 64")
    b.line(f"%bs = alloca [{b.lanes} x i8], align 64")
    b.line(f"store {b.type} %x, ptr %xs, align 64")
    b.line(f"store {b.type} %quick, ptr %qs, align 64")
    wide = b.set(f"zext {b.booleans} {beyond} to <{b.lanes} x i8>")
    b.line(f"store <{b.lanes} x i8> {wide}, ptr %bs, align 64")
    slot = b.set("getelementptr ptr, ptr @chasles_table, i64 %f")
    pointer = b.set(f"load ptr, ptr {slot}")
    widen = "%wide = fpext float %value to double\n" if b.dtype == "float32" else ""
    argument = "%wide" if b.dtype == "float32" else "%value"
    narrow = "  %narrow = fptrunc double %exact to float\n" if b.dtype == "float32" else ""
    result = "%narrow" if b.dtype == "float32" else "%exact"
    head = "\n".join(b.lines)
    return f"""define internal {b.type} @mend({b.type} %x, {b.type} %quick, i64 %f) noinline cold {{
entry:
{head}
  br label %loop
loop:
  %lane = phi i64 [ 0, %entry ], [ %next, %step ]
  %bp = getelementptr i8, ptr %bs, i64 %lane
  %flag = load i8, ptr %bp
  %out = icmp ne i8 %flag, 0
  br i1 %out, label %slow, label %step
slow:
  %xp = getelementptr {b.scalar}, ptr %xs, i64 %lane
  %value = load {b.scalar}, ptr %xp
  {widen}  %exact = call double {pointer}(double {argument})
{narrow}  %qp = getelementptr {b.scalar}, ptr %qs, i64 %lane
  store {b.scalar} {result}, ptr %qp
  br label %step
step:
  %next = add i64 %lane, 1
  %again = icmp ult i64 %next, {b.lanes}
  br i1 %again, label %loop, label %done
done:
  %mended = load {b.type}, ptr %qs, align 64
  ret {b.type} %mended
}}"""
