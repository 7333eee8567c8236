"""The loop of a search, as LLVM IR: a step is repeated in each lane until it says that it is done.

    step(attempt, memory, x, *given) -> (status, score, memory, x)

maps the state of one attempt to the next: `attempt` counts from 0, `memory` starts at zero and `x` at the row's start.
status: 0 go on, 1 found, 2 this attempt is over, 3 no attempt can help. Of a row's attempts the first one (by its
number) that finds something counts, so that what a row gives does not depend on its neighbours, its place or the number
of threads; if none does, the one of the least score. There is at least one.

    @range(args, steps, start, stop)     rows start..stop, one thread

hands each lane a row. A lane whose attempt is over begins the row's next one, or the next row; when there are no more,
it takes a further attempt of a row that is still open. So lanes wait for nothing: 8 attempts of one row, or 8 rows.
"""

from dataclasses import dataclass

from chasles.backend import emit
from chasles.backend.driver import entry
from chasles.backend.plan import Plan
from chasles.backend.target import Target
from chasles.graph.program import Operand, Program

GO_ON, FOUND, OVER, HOPELESS = 0, 1, 2, 3
_BOOK = ("slot", "attempt", "row", "next", "running", "found", "limit", "best")  # of a lane: slot, attempt; of a slot
_NONE = 1 << 62  # no attempt has found anything


@dataclass(frozen=True)
class Search:
    """A step, and what is searched with it: `inputs` are the rows `given`, the start of x and how many attempts."""

    step: Program

    @property
    def inputs(self) -> tuple[Operand, ...]:
        _, _, x, *given = self.step.inputs
        return (*given, Operand("start", x.shape), Operand("attempts", ()))

    @property
    def outputs(self) -> tuple[Operand, ...]:
        status, score, _, x = self.step.outputs
        return x, score, status

    @property
    def signature(self) -> Program:
        """A program of the same operands, and nothing in it."""
        return Program(self.inputs, self.outputs, (), ())


def functions(search: Search, cut: Plan, target: Target, lanes: int) -> str:
    """@range, what it calls, and the segments of the step."""
    given = len(search.inputs) - 2
    memory, x = (o.size for o in search.step.inputs[1:3])
    return "\n\n".join(
        [
            emit.segments(search.step, cut, target, "float64"),
            _COPY,
            _open(lanes, given, x),
            _take(lanes, given, memory, x, [o.size for o in search.inputs]),
            _keep(lanes, search, given, x),
            _finish(lanes, search),
            _assign(lanes),
            _range(search, cut, lanes, memory, x),
        ]
    )


_COPY = """define internal void @copy(ptr %to, ptr %from, i64 %count) {
entry:
  br label %element
element:
  %i = phi i64 [ 0, %entry ], [ %next, %element ]
  %f = getelementptr double, ptr %from, i64 %i
  %t = getelementptr double, ptr %to, i64 %i
  %v = load double, ptr %f
  store double %v, ptr %t
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %element, label %done
done:
  ret void
}

define internal ptr @row(ptr %args, ptr %steps, i64 %operand, i64 %row) {
  %ap = getelementptr ptr, ptr %args, i64 %operand
  %a = load ptr, ptr %ap
  %sp = getelementptr i64, ptr %steps, i64 %operand
  %s = load i64, ptr %sp
  %at = mul i64 %row, %s
  %p = getelementptr i8, ptr %a, i64 %at
  ret ptr %p
}"""


def _field(name: str, lanes: int, place: str, result: str) -> str:
    """The address of a number of the book."""
    first = _BOOK.index(name) * lanes
    return f"""  {result}o = add i64 {place}, {first}
  {result} = getelementptr i64, ptr %book, i64 {result}o"""


def _open(lanes: int, given: int, x: int) -> str:
    """@open: give slot `slot` the row `row`; until something better is known, the result is its start."""
    return f"""define internal void @open(ptr %book, ptr %args, ptr %steps, i64 %slot, i64 %row) {{
{_field("row", lanes, "%slot", "%rowp")}
{_field("next", lanes, "%slot", "%nextp")}
{_field("running", lanes, "%slot", "%runningp")}
{_field("found", lanes, "%slot", "%foundp")}
{_field("limit", lanes, "%slot", "%limitp")}
{_field("best", lanes, "%slot", "%bestp")}
  %attemptsp = call ptr @row(ptr %args, ptr %steps, i64 {given + 1}, i64 %row)
  %attempts = load double, ptr %attemptsp
  %limit = fptosi double %attempts to i64
  store i64 %row, ptr %rowp
  store i64 0, ptr %nextp
  store i64 0, ptr %runningp
  store i64 {_NONE}, ptr %foundp
  store i64 %limit, ptr %limitp
  store double 0x7FF0000000000000, ptr %bestp
  %start = call ptr @row(ptr %args, ptr %steps, i64 {given}, i64 %row)
  %xp = call ptr @row(ptr %args, ptr %steps, i64 {given + 2}, i64 %row)
  call void @copy(ptr %xp, ptr %start, i64 {x})
  %scorep = call ptr @row(ptr %args, ptr %steps, i64 {given + 3}, i64 %row)
  store double 0x7FF0000000000000, ptr %scorep
  %statusp = call ptr @row(ptr %args, ptr %steps, i64 {given + 4}, i64 %row)
  store double 0.0, ptr %statusp
  ret void
}}"""


def _take(lanes: int, given: int, memory: int, x: int, sizes: list[int]) -> str:
    """@take: a lane begins the next attempt of a slot."""
    copies = "\n".join(
        f"""  %from{k} = call ptr @row(ptr %args, ptr %steps, i64 {k}, i64 %row)
  %to{k} = call ptr @row(ptr %largs, ptr %lsteps, i64 {k + 3}, i64 %lane)
  call void @copy(ptr %to{k}, ptr %from{k}, i64 {sizes[k]})"""
        for k in range(given)
    )
    arguments = "ptr %book, ptr %args, ptr %steps, ptr %largs, ptr %lsteps, i64 %lane, i64 %slot"
    zeros = "\n".join(
        f"  %m{k} = getelementptr double, ptr %memory, i64 {k}\n  store double 0.0, ptr %m{k}" for k in range(memory)
    )
    return f"""define internal void @take({arguments}) {{
{_field("slot", lanes, "%lane", "%slotp")}
{_field("attempt", lanes, "%lane", "%attemptp")}
{_field("row", lanes, "%slot", "%rowp")}
{_field("next", lanes, "%slot", "%nextp")}
{_field("running", lanes, "%slot", "%runningp")}
  %row = load i64, ptr %rowp
  %attempt = load i64, ptr %nextp
  %next = add i64 %attempt, 1
  store i64 %next, ptr %nextp
  %running = load i64, ptr %runningp
  %running1 = add i64 %running, 1
  store i64 %running1, ptr %runningp
  store i64 %slot, ptr %slotp
  store i64 %attempt, ptr %attemptp
  %number = call ptr @row(ptr %largs, ptr %lsteps, i64 0, i64 %lane)
  %attemptf = sitofp i64 %attempt to double
  store double %attemptf, ptr %number
  %memory = call ptr @row(ptr %largs, ptr %lsteps, i64 1, i64 %lane)
{zeros}
  %start = call ptr @row(ptr %args, ptr %steps, i64 {given}, i64 %row)
  %x = call ptr @row(ptr %largs, ptr %lsteps, i64 2, i64 %lane)
  call void @copy(ptr %x, ptr %start, i64 {x})
{copies}
  ret void
}}"""


def _keep(lanes: int, search: Search, given: int, x: int) -> str:
    """@keep: what a lane has becomes the result of its row."""
    out = len(search.step.inputs)
    return f"""define internal void @keep(ptr %args, ptr %steps, ptr %largs, ptr %lsteps, i64 %lane, i64 %row) {{
  %fx = call ptr @row(ptr %largs, ptr %lsteps, i64 {out + 3}, i64 %lane)
  %tx = call ptr @row(ptr %args, ptr %steps, i64 {given + 2}, i64 %row)
  call void @copy(ptr %tx, ptr %fx, i64 {x})
  %fs = call ptr @row(ptr %largs, ptr %lsteps, i64 {out + 1}, i64 %lane)
  %ts = call ptr @row(ptr %args, ptr %steps, i64 {given + 3}, i64 %row)
  call void @copy(ptr %ts, ptr %fs, i64 1)
  %ft = call ptr @row(ptr %largs, ptr %lsteps, i64 {out}, i64 %lane)
  %tt = call ptr @row(ptr %args, ptr %steps, i64 {given + 4}, i64 %row)
  call void @copy(ptr %tt, ptr %ft, i64 1)
  ret void
}}"""


def _finish(lanes: int, search: Search) -> str:
    """@finish: a lane's attempt has ended with `status`; attempts after one that found something are called off."""
    out = len(search.step.inputs)
    arguments = "ptr %book, ptr %args, ptr %steps, ptr %largs, ptr %lsteps, i64 %lane, double %status"
    return f"""define internal void @finish({arguments}) {{
entry:
{_field("slot", lanes, "%lane", "%slotp")}
{_field("attempt", lanes, "%lane", "%attemptp")}
  %slot = load i64, ptr %slotp
  %attempt = load i64, ptr %attemptp
{_field("row", lanes, "%slot", "%rowp")}
{_field("running", lanes, "%slot", "%runningp")}
{_field("found", lanes, "%slot", "%foundp")}
{_field("best", lanes, "%slot", "%bestp")}
  %row = load i64, ptr %rowp
  %found = load i64, ptr %foundp
  %running = load i64, ptr %runningp
  %running1 = sub i64 %running, 1
  store i64 %running1, ptr %runningp
  store i64 -1, ptr %slotp
  %over = fcmp oeq double %status, {float(OVER)}
  br i1 %over, label %compare, label %success
compare:
  %scorep = call ptr @row(ptr %largs, ptr %lsteps, i64 {out + 1}, i64 %lane)
  %score = load double, ptr %scorep
  %best = load double, ptr %bestp
  %lower = fcmp olt double %score, %best
  %open = icmp eq i64 %found, {_NONE}
  %better = and i1 %lower, %open
  br i1 %better, label %closer, label %done
closer:
  store double %score, ptr %bestp
  call void @keep(ptr %args, ptr %steps, ptr %largs, ptr %lsteps, i64 %lane, i64 %row)
  br label %done
success:
  %hopeless = fcmp oeq double %status, {float(HOPELESS)}
  %rank = select i1 %hopeless, i64 -1, i64 %attempt
  %first = icmp slt i64 %rank, %found
  br i1 %first, label %accept, label %done
accept:
  store i64 %rank, ptr %foundp
  call void @keep(ptr %args, ptr %steps, ptr %largs, ptr %lsteps, i64 %lane, i64 %row)
  br label %other
other:
  %k = phi i64 [ 0, %accept ], [ %k1, %passed ]
{_field("slot", lanes, "%k", "%kslotp")}
{_field("attempt", lanes, "%k", "%kattemptp")}
  %kslot = load i64, ptr %kslotp
  %kattempt = load i64, ptr %kattemptp
  %same = icmp eq i64 %kslot, %slot
  %later = icmp sgt i64 %kattempt, %rank
  %vain = and i1 %same, %later
  br i1 %vain, label %call_off, label %passed
call_off:
  store i64 -1, ptr %kslotp
  %running2 = load i64, ptr %runningp
  %running3 = sub i64 %running2, 1
  store i64 %running3, ptr %runningp
  br label %passed
passed:
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, {lanes}
  br i1 %more, label %other, label %done
done:
  ret void
}}"""


def _assign(lanes: int) -> str:
    """@assign: an idle lane goes on with its own slot, opens the next row in it, or helps; false if it stays idle."""
    arguments = (
        "ptr %book, ptr %args, ptr %steps, ptr %largs, ptr %lsteps, i64 %lane, ptr %rows, i64 %stop"  # rows: the next
    )
    take = "call void @take(ptr %book, ptr %args, ptr %steps, ptr %largs, ptr %lsteps, i64 %lane, i64"
    return f"""define internal i1 @assign({arguments}) {{
entry:
{_field("found", lanes, "%lane", "%foundp")}
{_field("next", lanes, "%lane", "%nextp")}
{_field("limit", lanes, "%lane", "%limitp")}
  %found = load i64, ptr %foundp
  %next = load i64, ptr %nextp
  %limit = load i64, ptr %limitp
  %unsolved = icmp eq i64 %found, {_NONE}
  %left = icmp slt i64 %next, %limit
  %own = and i1 %unsolved, %left
  br i1 %own, label %again, label %fresh
again:
  {take} %lane)
  ret i1 true
fresh:
  %row = load i64, ptr %rows
  %exists = icmp slt i64 %row, %stop
  br i1 %exists, label %begin, label %help
begin:
  %row1 = add i64 %row, 1
  store i64 %row1, ptr %rows
  call void @open(ptr %book, ptr %args, ptr %steps, i64 %lane, i64 %row)
  {take} %lane)
  ret i1 true
help:
  %k = phi i64 [ 0, %fresh ], [ %k1, %help ]
  %chosen = phi i64 [ -1, %fresh ], [ %chosen1, %help ]
  %fewest = phi i64 [ {_NONE}, %fresh ], [ %fewest1, %help ]
{_field("found", lanes, "%k", "%kfoundp")}
{_field("next", lanes, "%k", "%knextp")}
{_field("limit", lanes, "%k", "%klimitp")}
{_field("running", lanes, "%k", "%krunningp")}
  %kfound = load i64, ptr %kfoundp
  %knext = load i64, ptr %knextp
  %klimit = load i64, ptr %klimitp
  %krunning = load i64, ptr %krunningp
  %kunsolved = icmp eq i64 %kfound, {_NONE}
  %kleft = icmp slt i64 %knext, %klimit
  %kopen = and i1 %kunsolved, %kleft
  %kfewer = icmp slt i64 %krunning, %fewest
  %ktake = and i1 %kopen, %kfewer
  %chosen1 = select i1 %ktake, i64 %k, i64 %chosen
  %fewest1 = select i1 %ktake, i64 %krunning, i64 %fewest
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, {lanes}
  br i1 %more, label %help, label %decide
decide:
  %none = icmp slt i64 %chosen1, 0
  br i1 %none, label %idle, label %assist
assist:
  {take} %chosen1)
  ret i1 true
idle:
  ret i1 false
}}"""


def _range(search: Search, cut: Plan, lanes: int, memory: int, x: int) -> str:
    """@range: all lanes step, those that have ended are given something else, until all are idle."""
    operands = (*search.step.inputs, *search.step.outputs)
    out = len(search.step.inputs)
    sizes = [8 * lanes * o.size for o in operands]
    places = [sum(-(-s // 64) * 64 for s in sizes[:k]) for k in range(len(sizes) + 1)]
    book = places[-1]
    scratch = book + -(-len(_BOOK) * lanes * 8 // 64) * 64
    total = scratch + cut.slots * lanes * 8 + 64
    setup = "\n".join(
        f"""  %lp{k} = getelementptr i8, ptr %raw64, i64 {places[k]}
  %lap{k} = getelementptr ptr, ptr %largs, i64 {k}
  store ptr %lp{k}, ptr %lap{k}
  %lsp{k} = getelementptr i64, ptr %lsteps, i64 {k}
  store i64 {8 * o.size}, ptr %lsp{k}"""
        for k, o in enumerate(operands)
    )
    calls = "\n".join(
        f"  call void @segment{s}(ptr %largs, ptr %lsteps, i64 0, i64 {lanes}, ptr %scratch)"
        for s in range(len(cut.segments))
    )
    assign = (
        "call i1 @assign(ptr %book, ptr %args, ptr %steps, ptr %largs, ptr %lsteps, i64 {lane}, ptr %rows, i64 %stop)"
    )
    return f"""define internal void @range(ptr %args, ptr %steps, i64 %start, i64 %stop) {{
entry:
  %largs = alloca ptr, i64 {len(operands)}
  %lsteps = alloca i64, i64 {len(operands)}
  %rows = alloca i64
  store i64 %start, ptr %rows
  {entry("malloc", "%malloc")}
  %raw = call ptr %malloc(i64 {total})
  %int = ptrtoint ptr %raw to i64
  %int63 = add i64 %int, 63
  %aligned = and i64 %int63, -64
  %raw64 = inttoptr i64 %aligned to ptr
  call void @llvm.memset.p0.i64(ptr %raw64, i8 0, i64 {total - 64}, i1 false)
  %book = getelementptr i8, ptr %raw64, i64 {book}
  %scratch = getelementptr i8, ptr %raw64, i64 {scratch}
{setup}
  br label %clear
clear:
  %c = phi i64 [ 0, %entry ], [ %c1, %clear ]
{_field("slot", lanes, "%c", "%cslotp")}
  store i64 -1, ptr %cslotp
  %c1 = add i64 %c, 1
  %cmore = icmp slt i64 %c1, {lanes}
  br i1 %cmore, label %clear, label %hand
hand:
  %h = phi i64 [ 0, %clear ], [ %h1, %handed ], [ 0, %ended ]
  %any = phi i1 [ false, %clear ], [ %any1, %handed ], [ false, %ended ]
{_field("slot", lanes, "%h", "%hslotp")}
  %hslot = load i64, ptr %hslotp
  %idle = icmp slt i64 %hslot, 0
  br i1 %idle, label %give, label %handed
give:
  %given = {assign.format(lane="%h")}
  br label %handed
handed:
  %works = phi i1 [ true, %hand ], [ %given, %give ]
  %any1 = or i1 %any, %works
  %h1 = add i64 %h, 1
  %hmore = icmp slt i64 %h1, {lanes}
  br i1 %hmore, label %hand, label %check
check:
  br i1 %any1, label %step, label %finished
step:
{calls}
  br label %look
look:
  %l = phi i64 [ 0, %step ], [ %l1, %looked ]
  %gone = phi i1 [ false, %step ], [ %gone1, %looked ]
{_field("slot", lanes, "%l", "%lslotp")}
  %lslot = load i64, ptr %lslotp
  %busy = icmp sge i64 %lslot, 0
  br i1 %busy, label %ask, label %looked
ask:
  %statusp = call ptr @row(ptr %largs, ptr %lsteps, i64 {out}, i64 %l)
  %status = load double, ptr %statusp
  %on = fcmp oeq double %status, {float(GO_ON)}
  br i1 %on, label %forward, label %stop_lane
forward:
  %fm = call ptr @row(ptr %largs, ptr %lsteps, i64 {out + 2}, i64 %l)
  %tm = call ptr @row(ptr %largs, ptr %lsteps, i64 1, i64 %l)
  call void @copy(ptr %tm, ptr %fm, i64 {memory})
  %fx = call ptr @row(ptr %largs, ptr %lsteps, i64 {out + 3}, i64 %l)
  %tx = call ptr @row(ptr %largs, ptr %lsteps, i64 2, i64 %l)
  call void @copy(ptr %tx, ptr %fx, i64 {x})
  br label %looked
stop_lane:
  call void @finish(ptr %book, ptr %args, ptr %steps, ptr %largs, ptr %lsteps, i64 %l, double %status)
  br label %looked
looked:
  %ends = phi i1 [ false, %look ], [ false, %forward ], [ true, %stop_lane ]
  %gone1 = or i1 %gone, %ends
  %l1 = add i64 %l, 1
  %lmore = icmp slt i64 %l1, {lanes}
  br i1 %lmore, label %look, label %after
after:
  br i1 %gone1, label %ended, label %step
ended:
  br label %hand
finished:
  {entry("free", "%free")}
  call void %free(ptr %raw)
  call void @unflag()
  ret void
}}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"""
