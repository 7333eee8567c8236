"""Batches (layouts.py) over threads, with the sticky floating-point flags that they raise, as functions of words."""

from chasles.backend.host.descriptor import ALONE, INPUTS, LONG, LOOKS, OUTPUTS, RANGE, SHARE
from chasles.backend.host.interruption import (
    ASKS,
    FRESH,
    INTERVAL,
    OWN_CONTEXT,
    PART,
    WATCHED,
    begin,
    called_off,
    is_off,
)
from chasles.backend.host.interruption import FUNCTIONS as INTERRUPTION
from chasles.backend.host.layouts import (
    APART,
    ARGS,
    FARTHEST,
    IN_ROWS,
    KERNEL,
    MANY,
    STEPS,
    ahead_of_lines,
    piece,
    rows_copied,
)
from chasles.backend.host.layouts import FUNCTIONS as LAYOUTS
from chasles.backend.host.words import Word, address, call, call32, stack, where
from chasles.backend.llvm.target import Target

MAX_THREADS = 256

# a thread's share: of which batch, first row, last, flags, its number, what it unlocks at its end, its part
OF_BATCH, FIRST, LAST, FLAGS, NUMBER, ENDED, OWN_PART, JOB = *range(7), 16
JOBS = MAX_THREADS * JOB
WHOLE_LINES = -64  # shares are whole multiples of 64 rows
FEW = 16  # rows between two looks whether the batch is called off, where a row takes long
PATIENCE = INTERVAL // 1000  # us that a thread waits for another before it looks
UNLOCKED = 1  # PY_LOCK_ACQUIRED


def flags() -> Word: ...


def clear_flags() -> Word: ...


def raise_flags(raised: Word) -> Word: ...


def worker(job: Word) -> Word:
    """A thread's share of a batch, and the flags it raised."""
    rows(job[OF_BATCH], job[FIRST], job[LAST], job + 8 * OWN_PART)
    job[FLAGS] = flags()
    call(address("PyThread_release_lock"), job[ENDED])
    return 0


def rows(batch: Word, first: Word, last: Word, part: Word) -> Word:
    """Some rows at a time, until all are done or they are called off; a loop looks for that by itself."""
    kernel = batch[KERNEL]
    share = kernel[SHARE]
    some = FEW if share <= LONG else share
    if kernel[LOOKS] == ALONE:
        some = last - first
    if batch[FARTHEST] == APART:
        some = rows_copied(kernel)
    at = first
    while at < last and is_off(part) == 0:
        end = min3(at + some, last, last)
        if batch[FARTHEST] == IN_ROWS:
            call(kernel[RANGE], batch[ARGS], batch[STEPS], at, end, part)
        else:
            piece(batch, at, end, part)
        called_off(part, end - at, some)
        at = end
    return 0


def run(batch: Word, count: Word) -> Word:
    """A batch, over threads if it is large; what cannot be started is done here."""
    kernel = batch[KERNEL]
    part = stack(PART)
    begin(part, kernel)
    if batch[FARTHEST] != IN_ROWS and count >= MANY:
        ahead = ahead_of_lines(batch)
        rows(batch, 0, ahead, part)
        for k in range(kernel[INPUTS] + kernel[OUTPUTS]):
            batch[ARGS][k] += ahead * batch[STEPS][k]
        count -= ahead
    share = kernel[SHARE]
    threads = 1
    if share > 0 and count >= 2 * share:
        threads = min3(address("num_threads")[0], count // share, MAX_THREADS)
    if threads < 2:
        rows(batch, 0, count, part)
    else:
        shared(batch, count, part, threads)
    if is_off(part):
        clear_flags()
    return 0


def shared(batch: Word, count: Word, part: Word, threads: Word) -> Word:
    """A batch over so many threads, of which this one is the first."""
    jobs = stack(JOBS)
    some = (count // threads + 63) & WHOLE_LINES
    for i in range(1, threads):
        job = jobs + 8 * JOB * i
        job[OF_BATCH] = batch
        job[FIRST] = min3(i * some, count, count)
        job[LAST] = count if i + 1 == threads else min3(job[FIRST] + some, count, count)
        job[FLAGS] = 0
        own = job + 8 * OWN_PART
        own[OWN_CONTEXT] = part[OWN_CONTEXT]
        own[WATCHED] = part[WATCHED]
        own[ASKS] = 0
        own[FRESH] = 0
        job[ENDED] = call(address("PyThread_allocate_lock"))
        if job[ENDED]:
            call32(address("PyThread_acquire_lock_timed"), job[ENDED], 0, 0)
            if call32(address("pthread_create"), job + 8 * NUMBER, 0, where(worker), job):
                call(address("PyThread_free_lock"), job[ENDED])
                job[ENDED] = 0
    rows(batch, 0, min3(some, count, count), part)
    for i in range(1, threads):
        job = jobs + 8 * JOB * i
        if job[ENDED]:
            while call32(address("PyThread_acquire_lock_timed"), job[ENDED], PATIENCE, 1) != UNLOCKED:
                called_off(part, 1, 1)
            call32(address("pthread_join"), job[NUMBER], 0)
            call(address("PyThread_free_lock"), job[ENDED])
            raise_flags(job[FLAGS])
        else:
            rows(batch, job[FIRST], job[LAST], part)
    return 0


def min3(x: Word, y: Word, z: Word) -> Word:
    least = x if x < y else y
    return least if least < z else z


FUNCTIONS = (*INTERRUPTION, *LAYOUTS, worker, rows, min3, run, shared)


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
