"""Names of functions and arguments that a language allows: ASCII, none of its own words, no two alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import NamedTuple

from chasles.graph.program import Loop, Program


class Words(NamedTuple):
    """What a body and its operands are called in a language, in their order."""

    function: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def words(
    body: Program | Loop, name: str, reserved: Collection[str], hidden: Collection[str] = (), longest: int = 63
) -> Words:
    """Names near the given ones; an output of an input's name, q, is q_out.

    reserved: what none may be. hidden: what the function may not be, as others would no longer find it.
    """
    function = word(name, {*reserved, *hidden}, longest)
    taken = {*reserved}

    def free(wanted: str) -> str:
        plain = found = word(wanted, reserved, longest - 4)
        k = 2
        while found in taken:
            found, k = f"{plain}_{k}", k + 1
        taken.add(found)
        return found

    inputs = tuple(free(o.name) for o in body.inputs)
    same = {o.name for o in body.inputs}
    return Words(function, inputs, tuple(free(f"{o.name}_out" if o.name in same else o.name) for o in body.outputs))


def word(name: str, reserved: Collection[str] = (), longest: int = 63) -> str:
    """A name in ASCII letters, digits and _ that begins with a letter: Greek letters are spelled, all else is _."""
    found = re.sub(r"[^A-Za-z0-9_]", "_", "".join(map(_spelled, name)))[: longest - 2]
    if not found or not found[0].isalpha():
        found = f"f{found}" if found.startswith("_") else f"f_{found}"
    return f"{found}_" if found in reserved else found


def _spelled(character: str) -> str:
    """A letter without its accents, the name of a Greek one."""
    if character.isascii():
        return character
    plain = unicodedata.normalize("NFKD", character)[0]
    if match := re.match(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)", unicodedata.name(plain, "")):
        return match[2].lower() if match[1] == "SMALL" else match[2].capitalize()
    return plain
