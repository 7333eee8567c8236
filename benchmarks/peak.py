"""The peak of this core in arithmetic, measured, and how many arithmetic instructions a program is.

Peak: fused multiply-adds (without them, products and sums) on vectors in registers, in as many independent chains as
hide their latency, a second, times lanes. A program of I instructions a row whose batch takes t seconds a row has the
share I / (t peak) of it: what the multiply pipes were busy for, were every instruction a multiply-add.

I counts sums, differences, products, quotients and roots, each one, a product that is fused into a sum none, and SINCOS
for the sine and cosine of one angle. Signs, comparisons, loads and stores, shuffles are not arithmetic here: a function
whose output is large cannot have a large share.
"""

import ctypes
from functools import cache, partial

from timing import Effort, one_thread

from chasles.backend.host.jit import Loaded, compile_object
from chasles.backend.llvm.target import Target, host
from chasles.backend.schedule import fusions
from chasles.graph.program import Program

CHAINS, TURNS = 12, 200_000  # chains: with what they share, in 16 registers
REPEATED = 5  # of which the fastest counts: it is a peak
ARITHMETIC = frozenset(("add", "sub", "mul", "div", "sqrt"))
SINCOS = {True: 23, False: 41}  # backend/llvm/trig.py, float64: with fused multiply-adds, of which there are 18, or not

_MODULE = """
@chasles_table = global [1 x ptr] zeroinitializer
declare {t} @llvm.fma.{suffix}({t}, {t}, {t})
define void @peak(i64 %turns, ptr %out) {{
entry:
  %x = load volatile {t}, ptr %out, align 64
  br label %turn
turn:
  %k = phi i64 [ 0, %entry ], [ %next, %turn ]
{phis}
{steps}
  %next = add i64 %k, 1
  %again = icmp slt i64 %next, %turns
  br i1 %again, label %turn, label %done
done:
{stores}
  ret void
}}
"""


def peak(effort: Effort, dtype: str = "float64", target: Target | None = None) -> float:
    """Arithmetic instructions a second, times lanes."""
    target = target or host()
    code, memory = _loaded(target, dtype), (ctypes.c_double * 32)()
    start = ctypes.addressof(memory) + -ctypes.addressof(memory) % 64
    run = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(code.address["peak"])
    seconds = min(one_thread([partial(run, TURNS, start)] * REPEATED, effort))
    return CHAINS * TURNS * target.lanes(dtype) / seconds


@cache
def _loaded(target: Target, dtype: str) -> Loaded:
    lanes, number = target.lanes(dtype), {"float64": ("double", "f64"), "float32": ("float", "f32")}[dtype]
    t, suffix = f"<{lanes} x {number[0]}>", f"v{lanes}{number[1]}"
    words = {
        "phis": [f"  %a{c} = phi {t} [ %x, %entry ], [ %b{c}, %turn ]" for c in range(CHAINS)],
        "steps": [_step(target, t, suffix, c) for c in range(CHAINS)],
        "stores": [f"  store volatile {t} %b{c}, ptr %out, align 64" for c in range(CHAINS)],
    }
    text = _MODULE.format(t=t, suffix=suffix, **{key: "\n".join(lines) for key, lines in words.items()})
    return Loaded(compile_object(text, target), ("peak",), ())


def _step(target: Target, t: str, suffix: str, c: int) -> str:
    """One instruction of a chain; without fused multiply-adds, every other chain is of products, the rest of sums."""
    if target.fma:
        return f"  %b{c} = call {t} @llvm.fma.{suffix}({t} %a{c}, {t} %x, {t} %x)"
    return f"  %b{c} = {('fmul', 'fadd')[c % 2]} {t} %a{c}, %x"


def instructions(program: Program, fused: bool | None = None) -> int:
    """I: arithmetic instructions of a row, with fused multiply-adds or without; by default as this machine has them."""
    fused = host().fma if fused is None else fused
    angles = {args[0] for op, args in program.nodes if op in ("sin", "cos")}
    plain = sum(op in ARITHMETIC for op, _ in program.nodes) - fused * len(fusions(program))
    loops = [program.loops[args[0]] for op, args in program.nodes if op == "loop"]
    return plain + SINCOS[fused] * len(angles) + sum((x.count or 1) * instructions(x.step, fused) for x in loops)
