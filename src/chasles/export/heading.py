"""The head of a file: what its function computes, of what, in which units, and what it costs.

Lines are ASCII, without the signs of a comment, and none ends one: a language sets its own before each. What a reader
finds there is the same in all languages, and the same bytes each time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from textwrap import wrap

from chasles.backend.statements.words import Words
from chasles.export.exported import Described, Exported
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program

WIDTH = 96
FLAT = "Arrays hold their elements in C order, matrices row by row."
VERSION: str = sys.modules["chasles"].__version__  # importing it would import rooms above this one

wrapped = partial(wrap, width=WIDTH, break_on_hyphens=False)  # lines of the head


def heading(
    function: Exported,
    words: Words,
    index: Callable[[Operand, int], str] = lambda operand, k: f"[{k}]",
    note: str = "",
) -> list[str]:
    """The lines. words: how the language calls the function and its operands; index: element k, in C order, of one;
    note: what there is to say of arrays in this language.
    """
    body = function.body
    lines = wrapped(f"{called(words.function, function.name)}: {plain(function.about)}".rstrip(": "))
    for title, names, operands in (("Inputs", words.inputs, body.inputs), ("Outputs", words.outputs, body.outputs)):
        lines += ["", f"{title}:"] if operands else []
        for word, operand in zip(names, operands, strict=True):
            lines += _operand(word, operand, function.operands.get(operand.name, Described()), index)
    lines += ["", *wrapped(note), *costs(body)]
    lines += wrapped(f"Numbers are {function.dtype}. Written by chasles {VERSION}.")
    return lines


def costs(body: Program | Loop) -> list[str]:
    """What a call computes: operations by their kinds, and those of what is repeated."""
    if isinstance(body, Loop):
        return list(_loop(body))
    return wrapped(f"{_counted(body)}.") + [line for k in range(len(body.loops)) for line in _inner(body, k)]


def plain(text: str) -> str:
    """A text in one line of ASCII in which no comment of a language begins or ends."""
    text = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return text.replace("*/", "* /").replace("/*", "/ *")


def called(word: str, name: str) -> str:
    """What a language calls something, and in quotes its own name where it is another."""
    return word if word == name else f'{word} ("{plain(name)}")'


def _operand(word: str, operand: Operand, described: Described, index: Callable[[Operand, int], str]) -> Iterator[str]:
    said, elements = [shape(operand), plain(described.about)], described.elements
    if not operand.shape:
        said += [plain(x) for element in elements for x in element if x != operand.name]
        elements = ()
    text = f"{called(word, operand.name)}: {', '.join(filter(None, said))}"
    yield from wrapped(text, initial_indent="  ", subsequent_indent="    ")
    places = [index(operand, k) for k in range(len(elements))]
    width = max(map(len, places), default=0)
    for place, (name, unit) in zip(places, elements, strict=True):
        yield f"    {place:<{width}} {', '.join(filter(None, (plain(name), plain(unit))))}"


def shape(operand: Operand) -> str:
    """ "a number", "6 numbers", "6 x 6"."""
    if len(operand.shape) > 1:
        return " x ".join(map(str, operand.shape))
    return "a number" if not operand.shape else "1 number" if operand.size == 1 else f"{operand.size} numbers"


def _counted(program: Program) -> str:
    kinds: Sequence[tuple[str, int]] = sorted(program.operations.by_kind.items(), key=lambda x: (-x[1], x[0]))
    total = program.operations.total
    listed = ", ".join(f"{kind} {count}" for kind, count in kinds)
    return f"{total} operation{'' if total == 1 else 's'}" + (f": {listed}" if listed else "")


def _inner(program: Program, k: int) -> Iterator[str]:
    """Of a loop in a program, with the numbers that it is given wherever it is called."""
    loop = program.loops[k]
    calls = [args[1:] for op, args in program.nodes if op == "loop" and args[0] == k]
    fixed, start = {}, 0
    for operand in loop.inputs:
        given = {values[start] for values in calls} if not operand.shape else set()
        x = given.pop() if len(given) == 1 else None
        fixed |= {operand.name: x} if isinstance(x, float) else {}
        start += operand.size
    yield from _loop(loop, fixed)


def _loop(loop: Loop, fixed: Mapping[str, float] = {}) -> Iterator[str]:
    yield from wrapped(f"Repeated {_searched(loop, fixed) if loop.restart else _often(loop)}: {_counted(loop.step)}.")
    for k in range(len(loop.step.loops)):
        yield from _inner(loop.step, k)


def _often(loop: Loop) -> str:
    if loop.count is None:
        return "until it ends, without a bound"
    return "once" if loop.count == 1 else f"{'at most ' if loop.until else ''}{loop.count} times"


def _searched(loop: Loop, fixed: Mapping[str, float]) -> str:
    """How often a search makes its step: as its own numbers allow, or its inputs."""
    often, attempts = fixed.get("iterations"), fixed.get("attempts")
    times = "until it ends, in" if often is None else f"at most {often:g} times in each of"
    within = "as many attempts as it is given" if attempts is None else f"at most {attempts:g} attempts"
    worst = f", {often * attempts:,.0f} times in all" if often and attempts else ""
    return f"{times} {within}{worst}"
