"""The two doors of a kernel, as LLVM IR.

    @loop(args, dims, steps, data)       NumPy's inner loop; copies operands whose rows are not contiguous
    @fast(self, argv, nargs)             a CPython function: exactly one row of contiguous arrays, or NumPy

@fast clears the sticky floating-point flags, computes, and looks at them: if any is raised it starts over by way of
NumPy, which knows what the user wants of it.
"""

from chasles.backend.driver import entry
from chasles.graph.program import Operand, Program

_ROWS_COPIED = 64  # rows of a strided operand that are copied at a time


def _copy(operand: Operand, scalar: str, bytes_each: int, name: str, outward: bool) -> str:
    """@name(dense, strided, rows, step, strides): copy rows between a dense buffer and a strided operand."""
    digits, offsets, scale = [], [], 1
    for d in reversed(range(len(operand.shape))):
        digits.append(f"  %q{d} = udiv i64 %e, {scale}\n  %d{d} = urem i64 %q{d}, {operand.shape[d]}")
        digits.append(f"  %sp{d} = getelementptr i64, ptr %strides, i64 {d}\n  %s{d} = load i64, ptr %sp{d}")
        digits.append(f"  %m{d} = mul i64 %d{d}, %s{d}")
        offsets.append(f"%m{d}")
        scale *= operand.shape[d]
    total, sums = "%rowat", []
    for k, o in enumerate(offsets):
        sums.append(f"  %sum{k} = add i64 {total}, {o}")
        total = f"%sum{k}"
    move = ("%dp", "%sp") if outward else ("%sp", "%dp")
    newline = "\n"
    return f"""define internal void @{name}(ptr %dense, ptr %strided, i64 %rows, i64 %step, ptr %strides) {{
entry:
  br label %row
row:
  %r = phi i64 [ 0, %entry ], [ %rn, %rowend ]
  %rowat = mul i64 %r, %step
  %dbase = mul i64 %r, {operand.size}
  br label %element
element:
  %e = phi i64 [ 0, %row ], [ %en, %element ]
{newline.join(digits)}
{newline.join(sums)}
  %sp = getelementptr i8, ptr %strided, i64 {total}
  %di = add i64 %dbase, %e
  %dp = getelementptr {scalar}, ptr %dense, i64 %di
  %x = load {scalar}, ptr {move[0]}, align {bytes_each}
  store {scalar} %x, ptr {move[1]}, align {bytes_each}
  %en = add i64 %e, 1
  %ec = icmp ult i64 %en, {operand.size}
  br i1 %ec, label %element, label %rowend
rowend:
  %rn = add i64 %r, 1
  %rc = icmp slt i64 %rn, %rows
  br i1 %rc, label %row, label %done
done:
  ret void
}}"""


def loop_function(program: Program, scalar: str, bytes_each: int) -> str:
    """@loop: NumPy's generalized inner loop."""
    operands = (*program.inputs, *program.outputs)
    k_all, k_in = len(operands), len(program.inputs)
    parts, test, first = [], [], k_all
    for k, operand in enumerate(operands):
        parts.append(_copy(operand, scalar, bytes_each, f"copy{k}", outward=k >= k_in))
        expected = bytes_each
        for d in reversed(range(len(operand.shape))):
            test.append((first + d, expected))
            expected *= operand.shape[d]
        first += len(operand.shape)
    checks, dense = [], "true"
    for i, (place, stride) in enumerate(test):
        checks.append(f"""  %tp{i} = getelementptr i64, ptr %steps, i64 {place}
  %tv{i} = load i64, ptr %tp{i}
  %te{i} = icmp eq i64 %tv{i}, {stride}
  %ta{i} = and i1 {dense}, %te{i}""")
        dense = f"%ta{i}"

    sizes = [operand.size * bytes_each for operand in operands]
    offsets = [sum(sizes[:k]) * _ROWS_COPIED for k in range(k_all)]
    setup, gather, scatter, place = [], [], [], k_all
    for k, operand in enumerate(operands):
        setup.append(f"""  %buf{k} = getelementptr i8, ptr %raw, i64 {offsets[k]}
  %dargp{k} = getelementptr ptr, ptr %dargs, i64 {k}
  store ptr %buf{k}, ptr %dargp{k}
  %dstepp{k} = getelementptr i64, ptr %dsteps, i64 {k}
  store i64 {sizes[k]}, ptr %dstepp{k}
  %argp{k} = getelementptr ptr, ptr %args, i64 {k}
  %arg{k} = load ptr, ptr %argp{k}
  %stepp{k} = getelementptr i64, ptr %steps, i64 {k}
  %step{k} = load i64, ptr %stepp{k}
  %core{k} = getelementptr i64, ptr %steps, i64 {place}""")
        call = f"""  %at{k} = mul i64 %i, %step{k}
  %here{k} = getelementptr i8, ptr %arg{k}, i64 %at{k}"""
        copy = f"  call void @copy{k}(ptr %buf{k}, ptr %here{k}, i64 %rows, i64 %step{k}, ptr %core{k})"
        gather.append(call + ("\n" + copy if k < k_in else ""))
        if k >= k_in:
            scatter.append(copy)
        place += len(operand.shape)
    newline = "\n"
    parts.append(f"""define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {{
entry:
  %count = load i64, ptr %dims
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %look, label %done
look:
{newline.join(checks)}
  br i1 {dense}, label %direct, label %copies
direct:
  call void @run(ptr %args, ptr %steps, i64 %count)
  br label %done
copies:
  %dargs = alloca ptr, i64 {k_all}
  %dsteps = alloca i64, i64 {k_all}
  {entry("malloc", "%malloc")}
  %raw = call ptr %malloc(i64 {sum(sizes) * _ROWS_COPIED + 64})
{newline.join(setup)}
  br label %chunk
chunk:
  %i = phi i64 [ 0, %copies ], [ %in, %chunk ]
  %left = sub i64 %count, %i
  %small = icmp slt i64 %left, {_ROWS_COPIED}
  %rows = select i1 %small, i64 %left, i64 {_ROWS_COPIED}
{newline.join(gather)}
  call void @range(ptr %dargs, ptr %dsteps, i64 0, i64 %rows)
{newline.join(scatter)}
  %in = add i64 %i, {_ROWS_COPIED}
  %more = icmp slt i64 %in, %count
  br i1 %more, label %chunk, label %end
end:
  {entry("free", "%free")}
  call void %free(ptr %raw)
  br label %done
done:
  ret void
}}""")
    return "\n\n".join(parts)


_ARRAY_FIELDS = ("data", "nd", "dimensions", "strides", "base", "descr", "flags")  # of PyArrayObject, 8 bytes apart
_PLAIN = 0x0001 | 0x0100  # NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED


def fast_function(program: Program, dtype: str, header: int) -> str:
    """@fast: one row, by CPython's vectorcall convention. `header` is the size of PyObject on this interpreter."""
    at = {field: header + 8 * k for k, field in enumerate(_ARRAY_FIELDS)}
    k_in, k_out = len(program.inputs), len(program.outputs)
    typenum = 12 if dtype == "float64" else 11
    unused = "ptr null, ptr null, i32 0, i32 0, ptr null"
    kinds, checks, passed = [], [], ["  store ptr %self, ptr %odds"]
    for k in range(k_in):
        kinds.append(f"""
  %op{k} = getelementptr ptr, ptr %argv, i64 {k}
  %o{k} = load ptr, ptr %op{k}
  %tp{k} = getelementptr i8, ptr %o{k}, i64 {header - 8}
  %tv{k} = load ptr, ptr %tp{k}
  %te{k} = icmp eq ptr %tv{k}, %arraytype
  br i1 %te{k}, label %array{k}, label %odd
array{k}:""")
        passed.append(f"""  %qp{k} = getelementptr ptr, ptr %argv, i64 {k}
  %qv{k} = load ptr, ptr %qp{k}
  %qo{k} = getelementptr ptr, ptr %odds, i64 {k + 1}
  store ptr %qv{k}, ptr %qo{k}""")
    for k, operand in enumerate(program.inputs):
        sizes = "".join(
            f"""
  %xp{k}_{d} = getelementptr i64, ptr %dims{k}, i64 {d}
  %xv{k}_{d} = load i64, ptr %xp{k}_{d}
  %xe{k}_{d} = icmp eq i64 %xv{k}_{d}, {size}
  br i1 %xe{k}_{d}, label %ok{k}_{d}, label %slow
ok{k}_{d}:"""
            for d, size in enumerate(operand.shape)
        )
        checks.append(f"""
  %np{k} = getelementptr i8, ptr %o{k}, i64 {at["nd"]}
  %nv{k} = load i32, ptr %np{k}
  %ne{k} = icmp eq i32 %nv{k}, {len(operand.shape)}
  %cp{k} = getelementptr i8, ptr %o{k}, i64 {at["descr"]}
  %cv{k} = load ptr, ptr %cp{k}
  %ce{k} = icmp eq ptr %cv{k}, %descr
  %fp{k} = getelementptr i8, ptr %o{k}, i64 {at["flags"]}
  %fv{k} = load i32, ptr %fp{k}
  %fm{k} = and i32 %fv{k}, {_PLAIN}
  %fe{k} = icmp eq i32 %fm{k}, {_PLAIN}
  %a1{k} = and i1 %ne{k}, %ce{k}
  %a2{k} = and i1 %a1{k}, %fe{k}
  br i1 %a2{k}, label %kind{k}, label %slow
kind{k}:
  %ip{k} = getelementptr i8, ptr %o{k}, i64 {at["dimensions"]}
  %dims{k} = load ptr, ptr %ip{k}{sizes}
  %dp{k} = getelementptr i8, ptr %o{k}, i64 {at["data"]}
  %dv{k} = load ptr, ptr %dp{k}
  %sp{k} = getelementptr ptr, ptr %args, i64 {k}
  store ptr %dv{k}, ptr %sp{k}""")
    makes, drops = [], []
    for k, operand in enumerate(program.outputs):
        shape = "\n".join(
            f"  %sh{k}_{d} = getelementptr i64, ptr %shape{k}, i64 {d}\n  store i64 {size}, ptr %sh{k}_{d}"
            for d, size in enumerate(operand.shape)
        )
        undo = "\n".join(drops)
        makes.append(f"""
{shape}
  %y{k} = call ptr %new(ptr %arraytype, i32 {len(operand.shape)}, ptr %shape{k}, i32 {typenum}, {unused})
  %yz{k} = icmp eq ptr %y{k}, null
  br i1 %yz{k}, label %bad{k}, label %made{k}
bad{k}:
{undo}
  ret ptr null
made{k}:
  %yp{k} = getelementptr i8, ptr %y{k}, i64 {at["data"]}
  %yv{k} = load ptr, ptr %yp{k}
  %ys{k} = getelementptr ptr, ptr %args, i64 {k_in + k}
  store ptr %yv{k}, ptr %ys{k}""")
        drops.append(f"  call void %decref(ptr %y{k})")
    names, scalars = [], []  # an array without axes becomes a scalar, as from any ufunc
    for k, operand in enumerate(program.outputs):
        names.append(f"%y{k}" if operand.shape else f"%z{k}")
        if not operand.shape:
            scalars.append(f"  %z{k} = call ptr %scalar(ptr %y{k})")
    finish = "\n".join([f"  {entry('PyArray_Return', '%scalar')}", *scalars, ""])
    if k_out == 1:
        finish += f"  ret ptr {names[0]}"
    else:
        items = "\n".join(f"  %set{k} = call i32 %tupleset(ptr %tuple, i64 {k}, ptr {y})" for k, y in enumerate(names))
        finish += f"""  {entry("PyTuple_New", "%tuplenew")}
  {entry("PyTuple_SetItem", "%tupleset")}
  %tuple = call ptr %tuplenew(i64 {k_out})
  %tz = icmp eq ptr %tuple, null
  br i1 %tz, label %tbad, label %tmade
tbad:
  ret ptr null
tmade:
{items}
  ret ptr %tuple"""
    shapes = "\n".join(f"  %shape{k} = alloca i64, i64 {max(1, len(o.shape))}" for k, o in enumerate(program.outputs))
    newline = "\n"
    return f"""define ptr @fast(ptr %self, ptr %argv, i64 %nargs) {{
entry:
  %args = alloca ptr, i64 {k_in + k_out}
  %steps = alloca [{k_in + k_out} x i64]
  %odds = alloca ptr, i64 {k_in + 1}
{shapes}
  store [{k_in + k_out} x i64] zeroinitializer, ptr %steps
  {entry("PyArray_Type", "%arraytype")}
  {entry(dtype, "%descr")}
  {entry("PyArray_New", "%new")}
  {entry("Py_DecRef", "%decref")}
  %right = icmp eq i64 %nargs, {k_in}
  br i1 %right, label %check, label %slow
check:{"".join(kinds)}{"".join(checks)}
{"".join(makes)}
  call void @unflag()
  call void @range(ptr %args, ptr %steps, i64 0, i64 1)
  %raised = call i32 @flags()
  %clean = icmp eq i32 %raised, 0
  br i1 %clean, label %good, label %again
good:
{finish}
again:
{newline.join(drops)}
  br label %slow
odd:
{newline.join(passed)}
  {entry("unmasked", "%unmasked")}
  {entry("PyObject_Vectorcall", "%oddcall")}
  %ro = call ptr %oddcall(ptr %unmasked, ptr %odds, i64 {k_in + 1}, ptr null)
  ret ptr %ro
slow:
  {entry("PyObject_Vectorcall", "%vectorcall")}
  %r = call ptr %vectorcall(ptr %self, ptr %argv, i64 %nargs, ptr null)
  ret ptr %r
}}"""
