"""A back end of a few dozen lines: programs and loops as plain Python, functions of flat lists of floats."""

import numpy as np

from chasles.graph.loop import Loop
from chasles.graph.program import Ref

TEXT = {  # one line per row of the table of operations
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "div({}, {})",
    "neg": "-{}",
    "pow": "power({}, {})",
    "less": "{} < {}",
    "less_equal": "{} <= {}",
    "and": "{} and {}",
    "or": "{} or {}",
    "not": "not {}",
    "where": "{1} if {0} else {2}",
    "atan2": "math.atan2({}, {})",
    "floor": "{0} if {0} - {0} != 0.0 else float(math.floor({0}))",
    "log": "-inf if {0} == 0.0 else quiet(math.log, {0})",
    **{
        name: f"quiet(math.{name}, {{}})"
        for name in ("sin", "cos", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "sqrt")
    },
}
PRELUDE = """import math
inf, nan = math.inf, math.nan
def quiet(f, x):
    try:
        return f(x)
    except ValueError:
        return nan
    except OverflowError:
        return f(math.copysign(inf, x))
def div(x, y):
    if y != 0.0:
        return x / y
    return nan if x == 0.0 or x != x else math.copysign(inf, x) * math.copysign(1.0, y)
def power(x, y):
    try:
        return math.pow(x, y)
    except ValueError:
        return inf if x == 0.0 else nan
    except OverflowError:
        return -inf if x < 0.0 and y % 2.0 == 1.0 else inf
"""


def render(body, name, dtype="float64"):
    """A module with the function `name`: of one flat list of all inputs, giving one of all outputs."""
    return PRELUDE + (_loop if isinstance(body, Loop) else _program)(body, name)


def run(body, name, dtype="float64", doc=""):
    """The function of arrays, row by row over broadcast leading axes."""
    module = {}
    exec(render(body, name, dtype), module)

    def call(*arrays, out=None, **named):
        arrays = [*arrays, *(named[o.name] for o in body.inputs[len(arrays) :])]
        arrays = [np.asarray(x, dtype) for x in arrays]
        pairs = list(zip(arrays, body.inputs, strict=True))
        leading = np.broadcast_shapes(*(x.shape[: x.ndim - len(o.shape)] for x, o in pairs))
        rows = [np.broadcast_to(x, (*leading, *o.shape)).reshape((*leading, o.size)) for x, o in pairs]
        results = [np.empty((*leading, o.size), dtype) for o in body.outputs]
        for index in np.ndindex(leading):
            flat = iter(module[name]([float(x) for row in rows for x in row[index]]))
            for result, o in zip(results, body.outputs, strict=True):
                result[index] = [next(flat) for _ in range(o.size)]
        shaped = [r.reshape((*leading, *o.shape))[()] for r, o in zip(results, body.outputs, strict=True)]
        return shaped[0] if len(shaped) == 1 else tuple(shaped)

    call.__name__, call.__doc__ = name, doc
    return call


def _starts(operands):
    return np.cumsum([0, *(o.size for o in operands)]).tolist()


def _slices(operands, of):
    starts = _starts(operands)
    return {o.name: f"{of}[{starts[k]}:{starts[k + 1]}]" for k, o in enumerate(operands)}


def _program(program, name):
    before = "".join(_loop(loop, f"{name}_{k}") for k, loop in enumerate(program.loops))
    starts, lines = _starts(program.inputs), [f"def {name}(x):"]

    def text(a):
        return f"v{a.index}" if type(a) is Ref else f"({float(a)!r})"

    for k, (op, args) in enumerate(program.nodes):
        if op == "input":
            value = f"x[{starts[args[0]] + args[1]}]"
        elif op == "loop":
            value = f"{name}_{args[0]}([{', '.join(map(text, args[1:]))}])"
        elif op == "item":
            value = f"{text(args[0])}[{args[1]}]"
        else:
            value = TEXT[op].format(*map(text, args))
        lines.append(f"    v{k} = {value}")
    return before + "\n".join(
        [*lines, f"    return [{', '.join(text(r) for row in program.results for r in row)}]", ""]
    )


def _loop(loop, name):
    """One run of the iterations; around it, for a restart, the attempts."""
    given = {o.name: f"given_{k}" for k, o in enumerate(loop.inputs)}
    size = {o.name: o.size for o in (*loop.step.inputs, *loop.step.outputs)}
    feed = given | {x: f"{given[x]}[k * {size[x]} : (k + 1) * {size[x]}]" for x in loop.each}
    feed |= {loop.restart.attempt: "[attempt]"} if loop.restart else {}
    out = _slices(loop.step.outputs, "y")
    lines = [
        f"    {given[o.name]} = {text}" for o, text in zip(loop.inputs, _slices(loop.inputs, "x").values(), strict=True)
    ]
    inner = [
        "    until, score, k = [0.0], [0.0], 0",
        *(f"    record_{j} = []" for j in range(len(loop.record))),
        f"    while {'True' if loop.count is None else f'k < {loop.count}'}:",
        f"        y = {name}_step({' + '.join(feed[o.name] for o in loop.step.inputs) or '[]'})",
        *(f"        {given[x]} = {out[x]}" for x in loop.carry),
        *(f"        record_{j} += {out[x]}" for j, x in enumerate(loop.record)),
        *([f"        score = {out[loop.restart.score]}"] if loop.restart else []),
        *(
            [f"        until = {out[loop.until]}", "        if until[0] != 0.0:", "            break"]
            if loop.until
            else []
        ),
        "        k += 1",
    ]
    last = " + ".join(given[x] for x in loop.carry) + (" + until" if loop.until else "")
    if loop.restart:
        inner += [
            "    if score[0] < best_score or until[0] in (1.0, 3.0):",
            f"        best, best_score = {last}, score[0]",
            "    if until[0] in (1.0, 3.0):",
            "        break",
            "    attempt += 1.0",
        ]
        starts = [f"    start_{j} = {given[x]}" for j, x in enumerate(loop.carry)]
        again = [f"    {given[x]} = start_{j}" for j, x in enumerate(loop.carry)]
        lines += [*starts, f"    attempt, best, best_score = 0.0, {last.replace('until', '[0.0]')}, inf"]
        lines += [f"    while attempt == 0.0 or attempt < {given['attempts']}[0]:"]
        lines += ["    " + line for line in (*again, *inner)]
        last = "best + [best_score]"
    else:
        lines += inner
    records = [
        f"(record_{j} + [0.0] * {loop.count * size[x]})[:{loop.count * size[x]}]" for j, x in enumerate(loop.record)
    ]
    result = " + ".join([last, *records])
    return _program(loop.step, f"{name}_step") + "\n".join([f"def {name}(x):", *lines, f"    return {result}", ""])
