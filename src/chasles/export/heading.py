"""The head of a file: what its function computes, of what, in which units, and what it costs.

Lines are ASCII, without the signs of a comment, and none ends one: a language sets its own before each. What a reader
finds there is the same in all languages, and the same bytes each time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from textwrap import wrap

from chasles.backend.statements.words import Words
from chasles.export.exported import Described, Exported
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program

WIDTH = 96
FLAT = "Arrays hold their elements in C order, matrices row by row."
VERSION: str = sys.modules["chasles"].__version__  # importing it would import rooms above this one

_wrapped = partial(wrap, width=WIDTH, break_on_hyphens=False)


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
    lines = _wrapped(f"{called(words.function, function.name)}: {plain(function.about)}".rstrip(": "))
    for title, names, operands in (("Inputs", words.inputs, body.inputs), ("Outputs", words.outputs, body.outputs)):
        lines += ["", f"{title}:"] if operands else []
        for word, operand in zip(names, operands, strict=True):
            lines += _operand(word, operand, function.operands.get(operand.name, Described()), index)
    lines += ["", *_wrapped(note), *costs(body)]
    lines += _wrapped(f"Numbers are {function.dtype}. Written by chasles {VERSION}.")
    return lines


def costs(body: Program | Loop) -> list[str]:
    """What a call computes: operations by their kinds, and those of what is repeated."""
    if isinstance(body, Loop):
        return list(_loop(body))
    return _wrapped(f"{_counted(body)}.") + [line for loop in body.loops for line in _loop(loop)]


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
    yield from _wrapped(text, initial_indent="  ", subsequent_indent="    ")
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


def _loop(loop: Loop) -> Iterator[str]:
    often = "until it ends" if loop.count is None else "once" if loop.count == 1 else f"at most {loop.count} times"
    if loop.count not in (None, 1) and not loop.until:
        often = f"{loop.count} times"
    attempts = ", in attempts" if loop.restart else ""
    yield from _wrapped(f"Repeated {often}{attempts}: {_counted(loop.step)}.")
    for inner in loop.step.loops:
        yield from _loop(inner)
