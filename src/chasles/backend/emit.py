"""A program as LLVM IR: one function per segment, straight-line code on vectors of lanes.

`@segmentK(args, steps, row, valid, scratch)` computes the W rows from `row` on, of which `valid` exist: the last one
stands in for those that do not, so that no lane computes anything a row of the batch does not. Rows are read and
written where they lie (`args[k] + row * steps[k]`), transposed in registers. Products that only one sum uses are fused
into it. sin and cos are computed in groups, each followed by one test for arguments beyond the fast range.
"""

from chasles.backend import trig
from chasles.backend.plan import Plan, Segment, fusions
from chasles.backend.table import NAMES
from chasles.backend.target import Target
from chasles.backend.vector import Vector
from chasles.graph.program import Program, Ref
from chasles.scalar.operations import CONDITIONS

LONG_ROW = 64  # columns beyond which the processor does not foresee the next rows by itself
SIGNATURE = "ptr noalias %args, ptr noalias %steps, i64 %row, i64 %valid, ptr noalias %scratch"


class SegmentEmitter:
    """Writes one segment."""

    def __init__(self, program: Program, segment: Segment, vector: Vector, fused: dict[int, int]) -> None:
        self.program, self.segment, self.b, self.fused = program, segment, vector, fused
        self.names: dict[int, str] = {}
        self.pointers: dict[int, list[str]] = {}

    def emit(self, name: str) -> str:
        b, segment, program = self.b, self.segment, self.program
        self.more = [b.set(f"icmp sgt i64 %valid, {r}", "more") for r in range(1, b.lanes)]
        for operand, start in segment.loads:
            self._load(operand, start)
        for node, slot in segment.slots_in.items():
            pointer = b.address("%scratch", slot * b.lanes * b.bytes)
            value = b.set(f"load {b.type}, ptr {pointer}, align {b.target.vector_bytes}")
            if program.nodes[node][0] in CONDITIONS:
                value = b.set(f"fcmp une {b.type} {value}, {b.constant(0.0)}")
            self.names[node] = value
        for group in self._phases():
            self._trig([k for k in group if self.program.nodes[k][0] in ("sin", "cos")])
            for k in group:
                if self.program.nodes[k][0] not in ("input", "sin", "cos") and k not in self.fused:
                    self.names[k] = self._node(k)
        for node, slot in segment.slots_out.items():
            pointer = b.address("%scratch", slot * b.lanes * b.bytes)
            value = self.names[node]
            if program.nodes[node][0] in CONDITIONS:
                value = b.select(value, b.constant(1.0), b.constant(0.0))
            b.line(f"store {b.type} {value}, ptr {pointer}, align {b.target.vector_bytes}")
        for output, start in segment.stores:
            self._store(output, start)
        body = "\n".join(b.lines)
        return f"define internal void @{name}({SIGNATURE}) noinline {{\nentry:\n{body}\n  ret void\n}}"

    def _rows(self, operand: int) -> list[str]:
        """Pointers to the W rows of an operand; past the last valid row they stay."""
        if operand not in self.pointers:
            b = self.b
            base = b.set(f"load ptr, ptr {b.address('%args', operand, 'ptr')}", "p")
            step = b.set(f"load i64, ptr {b.address('%steps', operand, 'i64')}")
            rows = [b.address(base, b.set(f"mul i64 %row, {step}"))]
            for more in self.more:
                rows.append(b.address(rows[-1], b.set(f"select i1 {more}, i64 {step}, i64 0")))
            self.pointers[operand] = rows
        return self.pointers[operand]

    def _load(self, operand: int, start: int) -> None:
        b, size = self.b, self.program.inputs[operand].size
        count = min(b.lanes, size - start)
        rows = [b.load_row(b.address(row, start * b.bytes), count) for row in self._rows(operand)]
        if size >= LONG_ROW:  # ask for the next block's rows while this one is computed
            step = b.set(f"load i64, ptr {b.address('%steps', operand, 'i64')}")
            ahead = b.set(f"mul i64 {step}, {b.lanes}")
            for row in self._rows(operand):
                b.prefetch(b.address(b.address(row, start * b.bytes), ahead))
        columns = b.transpose(rows)
        for k in self.segment.nodes:
            op, args = self.program.nodes[k]
            if op == "input" and args[0] == operand and start <= args[1] < start + b.lanes and k not in self.names:
                self.names[k] = columns[args[1] - start]

    def _store(self, output: int, start: int) -> None:
        b, size = self.b, self.program.outputs[output].size
        count = min(b.lanes, size - start)
        columns = [self._value(r) for r in self.program.results[output][start : start + count]]
        columns += [b.constant(0.0)] * (b.lanes - count)
        pointers = self._rows(len(self.program.inputs) + output)
        for value, pointer in zip(b.transpose(columns), pointers, strict=True):
            b.store_row(value, b.address(pointer, start * b.bytes), count)

    def _value(self, x: Ref | float) -> str:
        return self.names[x.index] if isinstance(x, Ref) else self.b.constant(x)

    def _phases(self) -> list[list[int]]:
        """Nodes by how many sines or cosines of the segment lie behind them, each phase starting with its own."""
        depth: dict[int, int] = {}
        phases: list[list[int]] = [[]]
        for k in self.segment.nodes:
            op, args = self.program.nodes[k]
            behind = [] if op == "input" else [depth.get(a.index, 0) for a in args if isinstance(a, Ref)]
            depth[k] = max(behind, default=0) + (op in ("sin", "cos"))
            while len(phases) <= depth[k]:
                phases.append([])
            phases[depth[k]].append(k)
        return phases

    def _node(self, k: int) -> str:
        b = self.b
        op, args = self.program.nodes[k]
        if op in ("add", "sub"):
            for place in (1, 0):
                a = args[place]
                if isinstance(a, Ref) and a.index in self.fused:
                    x, y = (self._value(f) for f in self.program.nodes[a.index][1])
                    other = self._value(args[1 - place])
                    if op == "sub" and place == 1:
                        x = b.neg(x)  # c - x y
                    elif op == "sub":
                        other = b.neg(other)  # x y - c
                    return b.fma(x, y, other)
        x = [self._value(a) for a in args]
        match op:
            case "add" | "sub" | "mul" | "div":
                return b.op("f" + op, x[0], x[1])
            case "neg":
                return b.neg(x[0])
            case "sqrt":
                return b.sqrt(x[0])
            case "floor":
                return b.floor(x[0])
            case "where":
                return b.select(x[0], x[1], x[2])
            case "less":
                return b.less("olt", x[0], x[1])
            case "less_equal":
                return b.less("ole", x[0], x[1])
            case "and" | "or":
                return b.set(f"{op} {b.booleans} {x[0]}, {x[1]}")
            case "not":
                return b.set(f"xor {b.booleans} {x[0]}, splat (i1 true)")
        return self._by_lane(op, x)

    def _by_lane(self, op: str, x: list[str]) -> str:
        """A function of the C library, lane by lane in float64."""
        b = self.b
        pointer = b.set(f"load ptr, ptr getelementptr (ptr, ptr @chasles_table, i64 {NAMES.index(op)})", "f")
        result = "zeroinitializer"
        for lane in range(b.lanes):
            scalars = [b.set(f"extractelement {b.type} {v}, i32 {lane}") for v in x]
            if b.dtype == "float32":
                scalars = [b.set(f"fpext float {s} to double") for s in scalars]
            value = b.set(f"call double {pointer}({', '.join('double ' + s for s in scalars)})")
            if b.dtype == "float32":
                value = b.set(f"fptrunc double {value} to float")
            result = b.set(f"insertelement {b.type} {result}, {b.scalar} {value}, i32 {lane}")
        return result

    def _trig(self, group: list[int]) -> None:
        """sin and cos of a group of arguments, each reduced once, and one branch to mend lanes out of range."""
        if not group:
            return
        b = self.b
        arguments: dict[int, list[int]] = {}
        for k in group:
            arguments.setdefault(self.program.nodes[k][1][0].index, []).append(k)
        fast, any_beyond = [], ""
        for a in arguments:
            x = self.names[a]
            beyond = trig.outside(b, x)
            fast.append((x, *trig.sincos(b, x, beyond)))
            any_beyond = b.set(f"or {b.booleans} {any_beyond}, {beyond}") if any_beyond else beyond
        flags = b.set(f"bitcast {b.booleans} {any_beyond} to i{b.lanes}")
        test = b.set(f"icmp ne i{b.lanes} {flags}, 0")
        here, slow, join = (b.fresh(stem)[1:] for stem in ("fast", "slow", "join"))
        b.line(f"br label %{here}")
        b.label(here)
        b.line(f"br i1 {test}, label %{slow}, label %{join}, !prof !0")
        b.label(slow)
        mended = [(self._mend("sin", x, s), self._mend("cos", x, c)) for x, s, c in fast]
        b.line(f"br label %{join}")
        b.label(join)
        for a, (_, *quick), exact in zip(arguments, fast, mended, strict=True):
            for op, q, m in zip(("sin", "cos"), quick, exact, strict=True):
                value = b.set(f"phi {b.type} [ {q}, %{here} ], [ {m}, %{slow} ]")
                for k in arguments[a]:
                    if self.program.nodes[k][0] == op:
                        self.names[k] = value

    def _mend(self, op: str, x: str, quick: str) -> str:
        b = self.b
        return b.set(f"call {b.type} @mend({b.type} {x}, {b.type} {quick}, i64 {NAMES.index(op)})")


def mend(vector: Vector) -> str:
    """@mend(x, quick, f): lanes of `quick` whose x is out of range, replaced by the C library's f."""
    b = vector
    beyond = trig.outside(b, "%x")
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


def segments(program: Program, plan: Plan, target: Target, dtype: str) -> str:
    """The functions @segment0, @segment1, ... and what they call."""
    fused = fusions(program)
    parts = []
    for s, segment in enumerate(plan.segments):
        vector = Vector(target, dtype)
        parts.append(SegmentEmitter(program, segment, vector, fused).emit(f"segment{s}"))
    if any(op in ("sin", "cos") for op, _ in program.nodes):
        parts.append(mend(Vector(target, dtype)))
    parts.append(Vector(target, dtype).declarations())
    parts.append('!0 = !{!"branch_weights", i32 1, i32 1000000}')
    return "\n\n".join(parts)
