"""Notation that all printers share: signs and fractions of products, names of functions, c_{12} for cos(q_1 + q_2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from fractions import Fraction
from typing import Any, NamedTuple

from chasles.errors import ModelError
from chasles.formula.names import GREEK
from chasles.formula.tree import (
    ONE,
    Call,
    Formula,
    Inverse,
    Matrix,
    Number,
    Operator,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    Transpose,
)
from chasles.scalar.operations import OPERATIONS

# Functions of the table of operations as they are written: in text and MathML, in LaTeX, in SymPy ("" for one that
# it does not know). Those with a sign of their own are printed by it: sqrt, abs, floor and where.
_PLAIN = [name for name, row in OPERATIONS.items() if (row.libm or row.rewritten) and not row.operator]
FUNCTIONS = {name: (name, rf"\{name}", name) for name in _PLAIN} | {
    **{f"a{name}": (f"a{name}", rf"\arc{name}", f"a{name}") for name in ("sin", "cos", "tan")},
    "floor": ("floor", r"\lfloor", "floor"),
    "atan2": ("atan2", r"\operatorname{atan2}", "atan2"),
    "sign": ("sgn", r"\operatorname{sgn}", "sign"),  # no operation of the table: 1, -1 or 0 by conditions there
    "abs": ("abs", r"\lvert", "Abs"),  # nor is this
    "random": ("random", r"\operatorname{random}", ""),
    "normal": ("normal", r"\operatorname{normal}", ""),
    "where": ("where", r"\begin{cases}", "Piecewise"),
}
RAISED = frozenset(name for name in FUNCTIONS if name.removesuffix("h") in ("sin", "cos", "tan"))  # sin^2 x
RELATIONS = ("<", "<=", "and", "or", "not")


def names_of(function: str) -> tuple[str, str, str]:
    """A function in text, in LaTeX, in SymPy."""
    if function not in FUNCTIONS:
        raise ModelError(f"formulas have no function {function!r}; there are {', '.join(FUNCTIONS)}")
    return FUNCTIONS[function]


class Parts(NamedTuple):
    """A product: its sign, a number that is not negative, and what stands above and below the line."""

    negative: bool
    number: Fraction | float
    above: tuple[Formula, ...]
    below: tuple[Formula, ...]


def parts(x: Formula) -> Parts:
    """A formula as a product. What is multiplied as matrices are stays in order, and only its number is taken out."""
    match x:
        case Number(value):
            negative = value < 0
            return Parts(negative, -value if negative else value, (), ())
        case Product(factors) if any(is_matrix(y) for y in factors):
            number, rest = Fraction(1), factors
            if isinstance(factors[0], Number):
                number, rest = factors[0].value, factors[1:]
            return Parts(number < 0, abs(number), tuple(rest), ())
        case Product(factors):
            out = Parts(False, Fraction(1), (), ())
            for factor in factors:
                out = _times(out, parts(factor))
            return out
        case Quotient(above, below) if is_matrix(above):
            front = parts(Quotient(ONE, below))
            under = Product(front.below) if len(front.below) > 1 else front.below[0] if front.below else None
            ahead = () if under is None else (Quotient(ONE, under),)
            return Parts(front.negative, front.number, (*ahead, above), ())
        case Quotient(above, below):
            return _times(parts(above), _turned(parts(below)))
        case Power(base, Number(value)) if value < 0 and not is_matrix(base):
            return Parts(False, Fraction(1), (), (base if value == -1 else Power(base, Number(-value)),))
    return Parts(False, Fraction(1), (x,), ())


def _times(x: Parts, y: Parts) -> Parts:
    return Parts(x.negative != y.negative, x.number * y.number, x.above + y.above, x.below + y.below)


def _turned(x: Parts) -> Parts:
    """1 / x; a number that has no exact inverse stays below."""
    if isinstance(x.number, Fraction) and x.number:
        return Parts(x.negative, 1 / x.number, x.below, x.above)
    return Parts(x.negative, Fraction(1), x.below, (Number(x.number), *x.above))


def is_matrix(x: Formula) -> bool:
    """Whether it looks like a matrix or a vector, whose factors have an order."""
    match x:
        case Matrix() | Transpose() | Inverse() | Operator():
            return True
        case Symbol(bold=bold):
            return bold
        case Product(inner) | Sum(inner):
            return any(is_matrix(y) for y in inner)
        case Quotient(above, _):
            return is_matrix(above)
    return False


def inner(x: Formula) -> Iterator[Formula]:
    """The formulas that a formula is made of, one level down."""
    yield from _formulas(getattr(x, entry.name) for entry in fields(x))  # type: ignore[arg-type]


def _formulas(values: Iterable[Any]) -> Iterator[Formula]:
    for value in values:
        if isinstance(value, Formula):
            yield value
        elif isinstance(value, tuple):
            yield from _formulas(value)


def everything(formulas: Iterable[Formula]) -> Iterator[Formula]:
    """All that occurs in formulas, in the order of reading."""
    stack = list(formulas)[::-1]
    while stack:
        x = stack.pop()
        yield x
        stack += list(inner(x))[::-1]


def abbreviations(formulas: Iterable[Formula]) -> dict[Formula, Symbol]:
    """c_1, s_{12}, c_{1-2} for the cosines and sines of sums of numbered angles: those of one letter, the one that most
    have, and unless c_1 or s_1 is something else here. Beyond nine angles there are commas: c_{1,12}."""
    found: dict[str, dict[Call, list[str]]] = {}
    taken: set[str] = set()
    for x in everything(formulas):
        if isinstance(x, Symbol) and x.letter in ("c", "s") and x.index[:1].isdecimal():
            taken.add(x.letter)
        if isinstance(x, Call) and x.function in ("cos", "sin"):
            letter, signed = _angle(x.arguments[0])
            if signed:
                found.setdefault(letter, {})[x] = signed
    most = max(found.values(), key=len, default={})
    between = "," if any(len(index) > 2 for signed in most.values() for index in signed) else ""
    out: dict[Formula, Symbol] = {}
    for x, signed in most.items():
        short, minus = x.function[0], any(index[0] == "-" for index in signed)
        index = "".join(signed)[1:] if minus else between.join(index[1:] for index in signed)
        if short not in taken:
            out[x] = Symbol(f"{x.function}({index})", short, index)
    return out


def _angle(x: Formula) -> tuple[str, list[str]]:
    """q and +1, -2 of q_1 - q_2; nothing where it is no sum of numbered angles of one letter, that one is c or s, or a
    minus is first."""
    letters, signed = set[str](), list[str]()
    for term in x.terms if isinstance(x, Sum) else (x,):
        sign = "+"
        if isinstance(term, Product) and len(term.factors) == 2 and term.factors[0] == Number(Fraction(-1)):
            sign, term = "-", term.factors[1]
        if not (isinstance(term, Symbol) and term.index.isdecimal() and not term.dots and not term.bold):
            return "", []
        letters.add(term.letter)
        signed.append(sign + term.index)
    if len(letters) > 1 or letters & {"c", "s"} or signed[0][0] == "-":
        return "", []
    return letters.pop(), signed


def figures(value: Fraction | float, digits: int) -> tuple[str, str]:
    """A number that is not negative as digits and an exponent of ten, "" for none: ("1.2", "-3"). Fractions: 7/3."""
    if isinstance(value, Fraction):
        return str(value), ""
    text = f"{value or 0.0:.{digits}g}"  # no minus zero
    mantissa, _, exponent = text.partition("e")
    return mantissa, str(int(exponent)) if exponent else ""


def is_one(value: Fraction | float, digits: int) -> bool:
    """Whether it is 1 in as many digits as are printed."""
    return figures(value, digits) == ("1", "")


def is_word(x: Symbol) -> bool:
    """Whether it is written in several letters."""
    return len(x.letter) > 1 and x.letter not in GREEK


def is_indices(x: str) -> bool:
    """Whether letters below a letter are indices or axes, as in c, ij, xx or ijk, and no word."""
    return x.isascii() and x.isalpha() and (len(x) < 3 or set(x) <= set("ijkl") or set(x) <= set("xyz"))


def begins_with_digit(x: Formula) -> bool:
    match x:
        case Number():
            return True
        case Power(base, _):
            return begins_with_digit(base)
        case Product(factors):
            return begins_with_digit(factors[0])
        case Quotient():
            p = parts(x)
            return not p.above or not is_one(p.number, 9) or begins_with_digit(p.above[0])
    return False
