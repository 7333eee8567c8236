"""Batches of rows over threads, with the sticky floating-point flags that they raise, as functions of words."""

from chasles.backend.host.descriptor import CONTEXT, RANGE, SHARE
from chasles.backend.host.words import Word, address, call, call32, stack, where
from chasles.backend.llvm.target import Target

MAX_THREADS = 256
JOB = 8  # words of a thread's share: kernel, args, steps, first row, last, flags, its number, whether it was started
JOBS = MAX_THREADS * JOB
WHOLE_LINES = -64  # shares are whole multiples of 64 rows


def flags() -> Word: ...


def clear_flags() -> Word: ...


def raise_flags(raised: Word) -> Word: ...


def worker(job: Word) -> Word:
    """A thread's share of a batch, and the flags it raised."""
    kernel = job[0]
    call(kernel[RANGE], job[1], job[2], job[3], job[4], kernel[CONTEXT])
    job[5] = flags()
    return 0


def run(kernel: Word, args: Word, steps: Word, count: Word) -> Word:
    """A batch, over threads if it is large; what cannot be started is done here."""
    share = kernel[SHARE]
    threads = 1
    if share > 0 and count >= 2 * share:
        threads = min3(address("num_threads")[0], count // share, MAX_THREADS)
    if threads < 2:
        call(kernel[RANGE], args, steps, 0, count, kernel[CONTEXT])
        return 0
    jobs = stack(JOBS)
    part = (count // threads + 63) & WHOLE_LINES
    for i in range(1, threads):
        job = jobs + 8 * JOB * i
        job[0] = kernel
        job[1] = args
        job[2] = steps
        job[3] = min3(i * part, count, count)
        job[4] = count if i + 1 == threads else min3(job[3] + part, count, count)
        job[5] = 0
        job[7] = call32(address("pthread_create"), job + 48, 0, where(worker), job) == 0
        if job[7] == 0:
            worker(job)
    call(kernel[RANGE], args, steps, 0, min3(part, count, count), kernel[CONTEXT])
    for i in range(1, threads):
        job = jobs + 8 * JOB * i
        if job[7]:
            call32(address("pthread_join"), job[6], 0)
        raise_flags(job[5])
    return 0


def min3(x: Word, y: Word, z: Word) -> Word:
    least = x if x < y else y
    return least if least < z else z


FUNCTIONS = (worker, min3, run)


def flag_functions(target: Target) -> str:
    """@flags() reads the sticky flags NumPy looks at, @clear_flags() clears them, @raise_flags(x) sets them."""
    if target.is_x86:
        return f"""declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
define internal i64 @flags() alwaysinline {{
  %p = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  %v = load i32, ptr %p
  %f = and i32 %v, {target.flag_mask}
  %w = zext i32 %f to i64
  ret i64 %w
}}
define internal i64 @clear_flags() alwaysinline {{
  %p = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  %v = load i32, ptr %p
  %w = and i32 %v, -64
  store i32 %w, ptr %p
  call void @llvm.x86.sse.ldmxcsr(ptr %p)
  ret i64 0
}}
define internal i64 @raise_flags(i64 %f) {{
  %p = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  %v = load i32, ptr %p
  %g = trunc i64 %f to i32
  %w = or i32 %v, %g
  store i32 %w, ptr %p
  call void @llvm.x86.sse.ldmxcsr(ptr %p)
  ret i64 0
}}"""
    # named registers, not inline assembly: LLVM parses assembly only for the machine it runs on
    return f"""declare i64 @llvm.read_volatile_register.i64(metadata)
declare void @llvm.write_register.i64(metadata, i64)
!1 = !{{!"fpsr"}}
define internal i64 @flags() alwaysinline {{
  %v = call i64 @llvm.read_volatile_register.i64(metadata !1)
  %f = and i64 %v, {target.flag_mask}
  ret i64 %f
}}
define internal i64 @clear_flags() alwaysinline {{
  %v = call i64 @llvm.read_volatile_register.i64(metadata !1)
  %w = and i64 %v, -160
  call void @llvm.write_register.i64(metadata !1, i64 %w)
  ret i64 0
}}
define internal i64 @raise_flags(i64 %f) {{
  %v = call i64 @llvm.read_volatile_register.i64(metadata !1)
  %w = or i64 %v, %f
  call void @llvm.write_register.i64(metadata !1, i64 %w)
  ret i64 0
}}"""
