"""A back end of a few dozen lines: programs and loops as plain Python, functions of flat lists of floats."""

from types import SimpleNamespace

import numpy as np

from chasles.graph.program import Loop, Ref

TEXT = {  # the rows of the table of operations that Python has syntax for; the others are called by their names
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "neg": "-{}",
    "less": "{} < {}",
    "less_equal": "{} <= {}",
    "and": "{} and {}",
    "or": "{} or {}",
    "not": "not {}",
    "where": "{1} if {0} else {2}",
}
PRELUDE = """from chasles.scalar.operations import OPERATIONS
globals().update((name, row.value) for name, row in OPERATIONS.items())
inf, nan = float("inf"), float("nan")
def named(flat, operands):
    rows, flat = {}, iter(flat)
    for name, size in operands:
        rows[name] = [next(flat) for _ in range(size)]
    return rows
def joined(rows, names):
    return [x for name in names for x in rows[name]]
"""
LOOP = """
def {name}(x):
    start, attempt = named(x, {inputs}), 0.0
    best = joined(start, {carry}) + [0.0, inf]
    while True:
        now, kept, end, k = start | {{{attempt!r}: [attempt]}}, {{r: [] for r in {record}}}, 0.0, 0
        while k != {count} and end == 0.0:
            come = {{e: start[e][k * size : (k + 1) * size] for e, size in {each}}}
            new = named({name}_step(joined(now | come, {fed})), {outputs})
            now |= {{c: new[c] for c in {carry}}}
            kept = {{r: kept[r] + new[r] for r in kept}}
            end, k = new[{until!r}][0] if {until!r} else 0.0, k + 1
        if not {score!r}:
            break
        if new[{score!r}][0] < best[-1] or end in (1.0, 3.0):
            best = joined(now, {carry}) + [end] + new[{score!r}]
        attempt += 1.0
        if end in (1.0, 3.0) or not attempt < start["attempts"][0]:
            return best
    kept = [(kept[r] + [0.0] * size)[:size] for r, size in {records}]
    return joined(now, {carry}) + [end] * bool({until!r}) + sum(kept, [])
"""


def render(body, name, dtype="float64"):
    """A module with the function `name`: of a flat list of all inputs, giving one of all outputs."""
    return PRELUDE + (_loop if isinstance(body, Loop) else _program)(body, name.replace("+", "_"))


def run(body, name, dtype, doc, fallback):
    """What a kernel of target="python" calls."""
    ufunc = function(body, name, dtype)
    return SimpleNamespace(ufunc=ufunc, fast=fallback(ufunc))


def function(body, name="f", dtype="float64"):
    """The function of arrays, row by row over broadcast leading axes."""
    module = {}
    exec(render(body, name, dtype), module)
    compute = module[name.replace("+", "_")]

    def ufunc(*arrays, out=None):
        pairs = [(np.asarray(x, dtype), o.shape) for x, o in zip(arrays, body.inputs, strict=True)]
        cores = [x.shape[x.ndim - len(shape) :] for x, shape in pairs]
        if cores != [o.shape for o in body.inputs]:
            raise ValueError(f"{cores} are not the shapes of {body.inputs}")
        leading = np.broadcast_shapes(*(x.shape[: x.ndim - len(shape)] for x, shape in pairs))
        rows = [np.broadcast_to(x, (*leading, *shape)).reshape((*leading, -1)) for x, shape in pairs]
        results = tuple(np.empty((*leading, *o.shape), dtype) for o in body.outputs)
        if out is not None:
            results = out if isinstance(out, tuple) else (out,)
        for index in np.ndindex(leading):
            flat = iter(compute([float(x) for row in rows for x in row[index]]))
            for result, o in zip(results, body.outputs, strict=True):
                result[index] = np.reshape([next(flat) for _ in range(o.size)], o.shape)
        results = results if out is not None else tuple(r[()] for r in results)
        return results[0] if len(results) == 1 else results

    return ufunc


def _program(program, name):
    before = "".join(_loop(loop, f"{name}_{k}") for k, loop in enumerate(program.loops))
    starts = np.cumsum([0, *(o.size for o in program.inputs)]).tolist()

    def text(a):
        return f"v{a.index}" if type(a) is Ref else f"({float(a)!r})"

    def value(op, args):
        if op == "input":
            return f"x[{starts[args[0]] + args[1]}]"
        if op == "loop":
            return f"{name}_{args[0]}([{', '.join(map(text, args[1:]))}])"
        if op == "item":
            return f"{text(args[0])}[{args[1]}]"
        return TEXT.get(op, op + "(" + ", ".join(["{}"] * len(args)) + ")").format(*map(text, args))

    lines = [f"    v{k} = {value(op, args)}\n" for k, (op, args) in enumerate(program.nodes)]
    results = ", ".join(text(r) for row in program.results for r in row)
    return f"{before}def {name}(x):\n{''.join(lines)}    return [{results}]\n"


def _loop(loop, name):
    """Iterations inside of attempts; without a restart there is one."""
    size = {o.name: o.size for o in (*loop.step.inputs, *loop.step.outputs)}
    text = LOOP.format(
        name=name,
        inputs=[(o.name, o.size) for o in loop.inputs],
        fed=[o.name for o in loop.step.inputs],
        outputs=[(o.name, o.size) for o in loop.step.outputs],
        carry=loop.carry,
        count=loop.count,
        each=[(e, size[e]) for e in loop.each],
        record=loop.record,
        records=[(r, (loop.count or 0) * size[r]) for r in loop.record],
        until=loop.until or "",
        attempt=loop.restart.attempt if loop.restart else "",
        score=loop.restart.score if loop.restart else "",
    )
    return _program(loop.step, f"{name}_step") + text
