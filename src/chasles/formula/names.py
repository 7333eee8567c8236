"""Symbols of names that people type: m1 is m_1, lc2 is l_{c2}, theta_2 is \\theta_2, payload stays a word.

    "m1" "m_1"        a letter and its index
    "lc2" "Ixx1"      a letter, one or two small letters, a number: they are the index; "kp" and "Ixx" too
    "theta" "mu_s"    Greek letters by their names, or as they are
    "mass2"           a word, and its number
    "my_long_name"    a word, as it is

Elements of an array of symbols are counted from 0, as they are typed and as `print` of a symbol has them: p[0, 3] is
p_{0,3}, in text p[0,3], to SymPy p_0_3. Coordinates are counted from 1, as mechanics does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chasles.formula.tree import Symbol

_GREEK = re.findall(
    "[a-z]+",
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega",
)
_SMALL = "αβγδεζηθικλμνξοπρστυφχψω"
GREEK = {
    **dict(zip(_GREEK, _SMALL, strict=True)),
    **{name.capitalize(): letter.upper() for name, letter in zip(_GREEK, _SMALL, strict=True)},
}
NAMES = {letter: name for name, letter in GREEK.items()} | {"\u00b5": "mu", "ϕ": "phi", "ϑ": "theta", "ϵ": "epsilon"}
_WORDS = {"dt"}  # of two letters, that are no letter with an index


def named(name: str, element: tuple[int, ...] = ()) -> Symbol:
    """The symbol of a name that somebody typed. element: of an array of symbols, counted from 0."""
    letter, index = _split(name)
    if not element:
        return Symbol(name, letter, index)
    place = ",".join(map(str, element))
    return Symbol("_".join((name, *map(str, element))), letter, f"{index},{place}" if index else place)


def coordinate(number: int, dots: int = 0, letter: str = "q") -> Symbol:
    """q_1, counted from 1, and its rates: "q1", "qd1", "qdd1" by their names."""
    return Symbol(f"{letter}{'d' * dots}{number}", letter, str(number), dots)


def force(number: int, letter: str = "tau") -> Symbol:
    """tau_1, the force on a coordinate."""
    return Symbol(f"{letter}{number}", letter, str(number))


def entry(array: Symbol, place: Sequence[int | str], shape: Sequence[int]) -> Symbol:
    """M_{12}, an entry of an array that has a name, counted from 1, or M_{ij}; itself where it is a scalar. Those of an
    array of more than nine rows or columns have commas, M_{1,2}, all of them."""
    if not place:
        return array
    places = list(map(str, place))
    joined = ("" if max(shape) < 10 else ",").join(places)
    index = f"{array.index},{joined}" if array.index else joined
    return Symbol("_".join((array.name, *places)), array.letter, index, array.dots)


def _split(name: str) -> tuple[str, str]:
    """Letter and index."""
    head, *rest = name.split("_")
    if rest and all(rest) and (letter := _letter(head)):
        return letter, ",".join(rest)
    if rest:
        return name, ""
    if letter := _letter(name):
        return letter, ""
    word, number = re.fullmatch(r"(.*?)(\d*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    if letter := _letter(word):
        return letter, number
    fits = len(word) == 2 or (len(word) == 3 and (number or set(word[1:]) <= set("xyz")))
    if fits and re.fullmatch("[A-Za-z][a-z]+", word) and word not in _WORDS:
        return word[0], word[1:] + number
    return (word, number) if word else (name, "")


def _letter(x: str) -> str:
    """One letter, a Greek one by its name; "" for anything else."""
    if x in GREEK:
        return x
    return NAMES.get(x, x) if len(x) == 1 and x.isalpha() else ""
