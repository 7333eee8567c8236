"""Loops as statements: what they mean is in graph/program.py.

    now <- starts,  k <- 0,  status <- 0
    while k < count and status = 0:
        step(now, given, each[k]; new)
        now <- new,  record[k] <- new,  status <- until of new,  k <- k + 1

and of a search all of that in attempts, of which one is kept.
"""

from __future__ import annotations

from chasles.backend.statements.language import Language
from chasles.graph.operand import Status
from chasles.graph.program import Loop


def loop_function(language: Language, loop: Loop, function: str, step: str) -> str:
    """Write the function of a loop, which calls that of its step; its name."""
    language.begin_function(function, language.parameters("x", loop.inputs), language.parameters("y", loop.outputs))
    for operand in loop.step.inputs:
        if operand.name not in loop.given:
            language.array(language.name("now", operand), operand.size)
    for operand in loop.step.outputs:
        language.array(language.name("new", operand), operand.size)
    if loop.count is not None:
        language.let("k", "0", "index")
    if loop.until:
        language.let("status", language.number(0.0), "variable")
    if loop.restart is None:
        _iterate(language, loop, step)
        _keep(language, loop)
    else:
        _search(language, loop, step)
    language.end()
    return function


def _iterate(language: Language, loop: Loop, step: str) -> None:
    """All iterations, from the starts."""
    sizes = {o.name: o.size for o in (*loop.step.inputs, *loop.step.outputs)}

    def name(kind: str, operand: str) -> str:
        return language.name(kind, operand)

    for carried in loop.carry:
        language.copy(name("now", carried), 0, name("x", carried), 0, sizes[carried])
    for record in loop.record if loop.until else ():
        language.fill(name("y", record), (loop.count or 0) * sizes[record])
    goes_on = [] if loop.count is None else [f"k < {loop.count}"]
    goes_on += [language.is_number("status", 0.0)] if loop.until else []
    language.begin_while(goes_on[0] if len(goes_on) == 1 else language.both(*goes_on))
    for each in loop.each:
        language.copy(name("now", each), 0, name("x", each), _row(sizes[each]), sizes[each])
    taken = [name("x" if o.name in loop.given else "now", o.name) for o in loop.step.inputs]
    language.call(step, taken, [name("new", o.name) for o in loop.step.outputs])
    for carried in loop.carry:
        language.copy(name("now", carried), 0, name("new", carried), 0, sizes[carried])
    for record in loop.record:
        language.copy(name("y", record), _row(sizes[record]), name("new", record), 0, sizes[record])
    if loop.until:
        language.set("status", language.at(name("new", loop.until), 0))
    if loop.count is not None:
        language.set("k", "k + 1")
    language.end()


def _row(size: int) -> str:
    """Where row k of an array begins."""
    return "k" if size == 1 else f"k * {size}"


def _keep(language: Language, loop: Loop) -> None:
    """What is carried, and how the iterations ended, as outputs."""
    sizes = {o.name: o.size for o in loop.step.outputs}
    for carried in loop.carry:
        language.copy(language.name("y", carried), 0, language.name("now", carried), 0, sizes[carried])
    if loop.until:
        language.set(language.at(language.name("y", loop.until), 0), "status")


def _search(language: Language, loop: Loop, step: str) -> None:
    """Attempts, of which the first that is settled counts, or that of the least score."""
    assert loop.restart is not None and loop.until is not None
    least, score = (language.at(language.name(kind, loop.restart.score), 0) for kind in ("y", "new"))
    settled = language.either(*(language.is_number("status", float(x)) for x in (Status.FOUND, Status.REFUSED)))
    one, zero = language.number(1.0), language.number(0.0)
    for operand in (o for o in loop.inputs if o.name in loop.carry):
        language.copy(language.name("y", operand), 0, language.name("x", operand), 0, operand.size)
    language.set(language.at(language.name("y", loop.until), 0), zero)
    language.set(least, language.number(float("inf")))
    language.let("attempt", zero, "variable")
    language.let("searching", one, "variable")
    language.begin_while(language.is_number("searching", 1.0))
    if loop.count is not None:
        language.set("k", "0")
    language.set("status", zero)
    language.set(language.at(language.name("now", loop.restart.attempt), 0), "attempt")
    _iterate(language, loop, step)
    language.begin_if(language.either(settled, language.apply("less", score, least)))
    _keep(language, loop)
    language.set(least, score)
    language.end()
    language.set("attempt", language.apply("add", "attempt", one))
    more = language.apply("less", "attempt", language.at(language.name("x", "attempts"), 0))
    again = language.both(language.apply("not", f"({settled})"), more)
    language.set("searching", language.apply("where", f"({again})", one, zero))
    language.end()
