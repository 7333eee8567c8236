"""Printed formulas read back: text, LaTeX and MathML as tokens, of which a parser of ordinary notation makes a number.

It knows what people know: products before sums, powers before products, a function of what follows it. Names are known
by how a printer writes them alone.
"""

import math
import re
from operator import truediv
from xml.etree import ElementTree

from chasles.formula.latex import Latex
from chasles.formula.mathml import MathML
from chasles.formula.notation import FUNCTIONS
from chasles.formula.plain import Plain

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def quiet(function):
    """nan where a function has no value: of two branches, both are read."""

    def call(*x):
        try:
            return function(*x)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            return math.nan

    return call


CALLS = {name: quiet(getattr(math, name)) for name in FUNCTIONS if hasattr(math, name)}
floor, root, divided, raised = map(quiet, (math.floor, math.sqrt, truediv, pow))
BRACKETS = {
    r"\left(": "(",
    r"\right)": ")",
    r"\Bigl(": "(",
    r"\Bigr)": ")",
    r"\cdot": "*",
    "·": "*",
    "≤": "<=",
    r"\le": "<=",
}
LATEX = {
    **BRACKETS,
    **{latex: name for name, (_, latex, _) in FUNCTIONS.items() if name in CALLS},
    **{r"\land": "and", r"\lor": "or", r"\lnot": "not", r"\text{if }": "if", r"\text{otherwise}": "otherwise"},
    **{r"\begin{cases}": "cases", r"\end{cases}": "end", r"\frac": "frac", r"\sqrt": "root", r"\infty": "inf"},
    **{r"\left\lfloor": "⌊", r"\right\rfloor": "⌋", r"\lfloor": "⌊", r"\rfloor": "⌋"},
}
SIGNS = {**BRACKETS, "\u2212": "-", "∧": "and", "\u2228": "or", "¬": "not", "{": "cases"}


class Names:
    """Numbers by what a printer writes for their symbols."""

    def __init__(self, printer, values):
        self.values = {printer.symbol(symbol).text: value for symbol, value in values.items()}
        self.pattern = "|".join(re.escape(name) for name in sorted(self.values, key=len, reverse=True))


def tokens(kind, text, names):
    return {Plain: _plain, Latex: _latex, MathML: _mathml}[kind](text, names)


def _plain(text, names):
    number, raised = r"\d+(?:\.\d+)?(?:e-?\d+)?", "[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+"
    words = "|".join(sorted(FUNCTIONS, key=len, reverse=True))
    pattern = (
        rf"\s*(?:(?P<x>{names.pattern})|(?P<n>{number})|(?P<up>{raised})|(?P<w>{words}|if|else|and|or|not)|(?P<s>.))"
    )
    for found in re.finditer(pattern, text):
        if found["x"]:
            yield "x", names.values[found["x"]]
        elif found["n"]:
            yield "n", float(found["n"])
        elif found["up"]:
            yield from ("^", "{", ("n", float(found["up"].translate(RAISED))), "}")
        else:
            sign = found["w"] or found["s"]
            yield {"√": "root"}.get(sign, BRACKETS.get(sign, sign))


def _latex(text, names):
    commands = "|".join(re.escape(x) for x in sorted(LATEX, key=len, reverse=True))
    skipped = r"\\,|\\quad|\s"
    pattern = rf"(?P<x>{names.pattern})|(?P<c>{commands})|(?P<skip>{skipped})|(?P<n>\d+(?:\.\d+)?)|(?P<s>\\\\|.)"
    for found in re.finditer(pattern, text):
        if found["x"]:
            yield "x", names.values[found["x"]]
        elif found["n"]:
            yield "n", float(found["n"])
        elif found["c"]:
            yield LATEX[found["c"]]
        elif found["s"]:
            yield found["s"]


def _mathml(text, names):
    root = ElementTree.fromstring(f"<mrow>{text}</mrow>")
    yield from _elements(root, names)


def _elements(x, names):
    whole = ElementTree.tostring(x, encoding="unicode") if x.tag in ("mi", "msub", "mover") else ""
    if whole in names.values:
        yield "x", names.values[whole]
        return
    children = list(x)
    match x.tag:
        case "mn":
            text = x.text.replace("\u2212", "-")
            over, _, under = text.partition("/")
            yield "n", float(over) / float(under or 1)
        case "mi" if x.text in CALLS:
            yield x.text
        case "mo" if x.text not in "\u2061\u2062":
            yield SIGNS.get(x.text, x.text)
        case "mtext":
            yield x.text
        case "mfrac":
            yield "frac"
            for child in children:
                yield from ("{", *_elements(child, names), "}")
        case "msqrt":
            yield from ("root", "{", *(t for child in children for t in _elements(child, names)), "}")
        case "msup":
            yield from (*_elements(children[0], names), "^", "{", *_elements(children[1], names), "}")
        case "msubsup":
            base = "".join(ElementTree.tostring(child, encoding="unicode") for child in children[:2])
            yield from (("x", names.values[f"<msub>{base}</msub>"]), "^", "{", *_elements(children[2], names), "}")
        case "mtable":
            for k, row in enumerate(children):
                yield from ["\\\\"] * bool(k)
                for cell in row:
                    yield from (t for child in cell for t in _elements(child, names))
            yield "end"
        case "mi":
            raise AssertionError(f"an unknown name: {whole}")
        case _:
            for child in children:
                yield from _elements(child, names)


class Reader:
    """A number, of tokens."""

    def __init__(self, tokens):
        self.tokens, self.at = list(tokens), 0

    def all(self):
        value = self.choice()
        assert self.at == len(self.tokens), f"unread: {self.tokens[self.at :]}"
        return value

    @property
    def next(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, *expected):
        token = self.next
        assert not expected or token in expected, f"{token!r} where {expected} is expected: {self.tokens}"
        self.at += 1
        return token

    def choice(self):
        value = self.connected()
        if self.next == "if":
            self.take()
            condition = self.connected()
            self.take("else")
            otherwise = self.choice()
            return value if condition else otherwise
        return value

    def connected(self):
        value, used = self.related(), set()
        while self.next in ("and", "or"):
            used.add(self.next)
            value = (all if self.take() == "and" else any)((value, self.related()))
        assert len(used) < 2, "and beside or, without brackets"
        return value

    def related(self):
        if self.next == "not":
            self.take()
            return not self.power()
        value = self.sum()
        if self.next in ("<", "<="):
            return value < self.sum() if self.take() == "<" else value <= self.sum()
        return value

    def sum(self):
        negative = self.next == "-" and self.take()
        value = -self.product() if negative else self.product()
        while self.next in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self):
        value = self.power()
        while self.next is not None and (self.next in ("*", "/") or self.begins()):
            assert self.next[0] != "n", f"digits that run on: {self.tokens}"
            sign = self.take() if self.next in ("*", "/") else "*"
            value = divided(value, self.power()) if sign == "/" else value * self.power()
        return value

    def begins(self):
        return isinstance(self.next, tuple) or self.next in ("(", "{", "frac", "root", "⌊", "cases", *CALLS)

    def power(self):
        value = self.atom()
        while self.next == "^":
            value = raised(value, self.exponent())
        return value

    def exponent(self):
        self.take("^")
        if self.next in ("{", "("):
            return self.enclosed({"{": "}", "(": ")"}[self.take()])
        return self.take()[1]

    def enclosed(self, end):
        value = self.choice()
        self.take(end)
        return value

    def atom(self):
        token = self.take()
        if isinstance(token, tuple):
            return token[1]
        match token:
            case "(":
                return self.enclosed(")")
            case "{":
                return self.enclosed("}")
            case "⌊":
                return floor(self.enclosed("⌋"))
            case "frac":
                self.take("{")
                above = self.enclosed("}")
                self.take("{")
                return divided(above, self.enclosed("}"))
            case "root":
                return root(self.enclosed({"{": "}", "(": ")"}[self.take("{", "(")]))
            case "cases":
                return self.cases()
        assert token in CALLS, f"{token!r} at {self.at} of {self.tokens}"
        exponent = self.exponent() if self.next == "^" else 1
        if self.next == "(":
            self.take()
            arguments = [self.choice()]
            while self.next == ",":
                self.take()
                arguments.append(self.choice())
            self.take(")")
        else:
            assert isinstance(self.next, tuple), "a function of nothing"
            arguments = [self.take()[1]]
        return raised(CALLS[token](*arguments), exponent)

    def cases(self):
        chosen = None
        while True:
            value = self.connected()
            if self.next == "&":
                self.take()
            if self.take("if", "otherwise") == "otherwise":
                self.take("end")
                return value if chosen is None else chosen
            if self.connected() and chosen is None:
                chosen = value
            self.take("\\\\")
