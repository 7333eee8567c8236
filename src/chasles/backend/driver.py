"""The functions around a kernel's segments, as LLVM IR.

    @range(args, steps, start, stop)     rows start..stop, one thread: blocks of W rows, the segments in turn
    @worker(job)                         a thread's share of a batch, and the flags it raised
    @run(args, steps, count)             a batch, over threads if it is large

and @flags, @unflag, @raise for the sticky floating-point flags, which threads bring home to the caller.
"""

from chasles.backend.plan import Plan
from chasles.backend.table import NAMES
from chasles.backend.target import Target

_JOB = "{ ptr, ptr, i64, i64, i32, i64 }"
_MAX_THREADS = 256


def entry(name: str, result: str) -> str:
    """Load an entry of the table into `result`."""
    return f"{result} = load ptr, ptr getelementptr (ptr, ptr @chasles_table, i64 {NAMES.index(name)})"


def flag_functions(target: Target) -> str:
    """@flags() reads the sticky flags NumPy looks at, @unflag() clears them, @raise(i32) sets them."""
    if target.is_x86:
        return f"""declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
define internal i32 @flags() alwaysinline {{
  %p = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  %v = load i32, ptr %p
  %f = and i32 %v, {target.flag_mask}
  ret i32 %f
}}
define internal void @unflag() alwaysinline {{
  %p = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  %v = load i32, ptr %p
  %w = and i32 %v, -64
  store i32 %w, ptr %p
  call void @llvm.x86.sse.ldmxcsr(ptr %p)
  ret void
}}
define internal void @raise(i32 %f) {{
  %p = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  %v = load i32, ptr %p
  %w = or i32 %v, %f
  store i32 %w, ptr %p
  call void @llvm.x86.sse.ldmxcsr(ptr %p)
  ret void
}}"""
    # named registers, not inline assembly: LLVM parses assembly only for the machine it runs on
    return f"""declare i64 @llvm.read_volatile_register.i64(metadata)
declare void @llvm.write_register.i64(metadata, i64)
!1 = !{{!"fpsr"}}
define internal i32 @flags() alwaysinline {{
  %v = call i64 @llvm.read_volatile_register.i64(metadata !1)
  %t = trunc i64 %v to i32
  %f = and i32 %t, {target.flag_mask}
  ret i32 %f
}}
define internal void @unflag() alwaysinline {{
  %v = call i64 @llvm.read_volatile_register.i64(metadata !1)
  %w = and i64 %v, -160
  call void @llvm.write_register.i64(metadata !1, i64 %w)
  ret void
}}
define internal void @raise(i32 %f) {{
  %v = call i64 @llvm.read_volatile_register.i64(metadata !1)
  %g = zext i32 %f to i64
  %w = or i64 %v, %g
  call void @llvm.write_register.i64(metadata !1, i64 %w)
  ret void
}}"""


def range_function(plan: Plan, lanes: int, bytes_each: int) -> str:
    """@range: for each block of rows, each segment in turn."""
    scratch = plan.slots * lanes * bytes_each
    calls = "\n".join(
        f"  call void @segment{s}(ptr %args, ptr %steps, i64 %row, i64 %left, ptr %scratch)"
        for s in range(len(plan.segments))
    )
    take, give = "  %scratch = bitcast ptr null to ptr", ""
    if scratch:
        take = f"""  {entry("malloc", "%malloc")}
  %raw = call ptr %malloc(i64 {scratch + 64})
  %int = ptrtoint ptr %raw to i64
  %int63 = add i64 %int, 63
  %aligned = and i64 %int63, -64
  %scratch = inttoptr i64 %aligned to ptr"""
        give = f"""  {entry("free", "%free")}
  call void %free(ptr %raw)"""
    return f"""define internal void @range(ptr %args, ptr %steps, i64 %start, i64 %stop) {{
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


def run_function(rows_per_thread: int, threads: bool) -> str:
    """@run: split a batch of at least twice `rows_per_thread` rows."""
    if not threads:
        return """define internal void @run(ptr %args, ptr %steps, i64 %count) {
  call void @range(ptr %args, ptr %steps, i64 0, i64 %count)
  ret void
}"""
    job = f"getelementptr {_JOB}, ptr"
    return f"""define internal ptr @worker(ptr %job) {{
  %args = load ptr, ptr %job
  %p1 = {job} %job, i64 0, i32 1
  %steps = load ptr, ptr %p1
  %p2 = {job} %job, i64 0, i32 2
  %start = load i64, ptr %p2
  %p3 = {job} %job, i64 0, i32 3
  %stop = load i64, ptr %p3
  call void @range(ptr %args, ptr %steps, i64 %start, i64 %stop)
  %flags = call i32 @flags()
  %p4 = {job} %job, i64 0, i32 4
  store i32 %flags, ptr %p4
  ret ptr null
}}

define internal void @run(ptr %args, ptr %steps, i64 %count) {{
entry:
  %few = icmp slt i64 %count, {2 * rows_per_thread}
  br i1 %few, label %single, label %consider
single:
  call void @range(ptr %args, ptr %steps, i64 0, i64 %count)
  ret void
consider:
  {entry("num_threads", "%np")}
  %wanted = load atomic i64, ptr %np monotonic, align 8
  %useful = sdiv i64 %count, {rows_per_thread}
  %m = call i64 @llvm.smin.i64(i64 %wanted, i64 %useful)
  %n = call i64 @llvm.smin.i64(i64 %m, i64 {_MAX_THREADS})
  %alone = icmp slt i64 %n, 2
  br i1 %alone, label %single, label %split
split:
  {entry("pthread_create", "%create")}
  {entry("pthread_join", "%join")}
  %jobs = alloca {_JOB}, i64 {_MAX_THREADS}
  %q = sdiv i64 %count, %n
  %q63 = add i64 %q, 63
  %share = and i64 %q63, -64
  br label %make
make:
  %i = phi i64 [ 1, %split ], [ %i1, %made ]
  %job = {job} %jobs, i64 %i
  %first0 = mul i64 %i, %share
  %first = call i64 @llvm.smin.i64(i64 %first0, i64 %count)
  %end0 = add i64 %first, %share
  %end1 = call i64 @llvm.smin.i64(i64 %end0, i64 %count)
  %i1 = add i64 %i, 1
  %last = icmp sge i64 %i1, %n
  %end = select i1 %last, i64 %count, i64 %end1
  store ptr %args, ptr %job
  %j1 = {job} %job, i64 0, i32 1
  store ptr %steps, ptr %j1
  %j2 = {job} %job, i64 0, i32 2
  store i64 %first, ptr %j2
  %j3 = {job} %job, i64 0, i32 3
  store i64 %end, ptr %j3
  %j4 = {job} %job, i64 0, i32 4
  store i32 0, ptr %j4
  %j5 = {job} %job, i64 0, i32 5
  %rc = call i32 %create(ptr %j5, ptr null, ptr @worker, ptr %job)
  %failed = icmp ne i32 %rc, 0
  br i1 %failed, label %inline, label %made
inline:
  store ptr null, ptr %job
  call void @range(ptr %args, ptr %steps, i64 %first, i64 %end)
  br label %made
made:
  br i1 %last, label %own, label %make
own:
  %mine = call i64 @llvm.smin.i64(i64 %share, i64 %count)
  call void @range(ptr %args, ptr %steps, i64 0, i64 %mine)
  br label %gather
gather:
  %k = phi i64 [ 1, %own ], [ %k1, %gathered ]
  %kjob = {job} %jobs, i64 %k
  %kargs = load ptr, ptr %kjob
  %started = icmp ne ptr %kargs, null
  br i1 %started, label %wait, label %gathered
wait:
  %k5 = {job} %kjob, i64 0, i32 5
  %tid = load i64, ptr %k5
  %jr = call i32 %join(i64 %tid, ptr null)
  %k4 = {job} %kjob, i64 0, i32 4
  %raised = load i32, ptr %k4
  call void @raise(i32 %raised)
  br label %gathered
gathered:
  %k1 = add i64 %k, 1
  %done = icmp sge i64 %k1, %n
  br i1 %done, label %finish, label %gather
finish:
  ret void
}}
declare i64 @llvm.smin.i64(i64, i64)"""
