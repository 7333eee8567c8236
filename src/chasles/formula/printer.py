"""Printing of formulas, as far as it is the same in LaTeX, text and MathML: signs, brackets, fractions, order.

A printer is a subclass with a method for each sign: a letter with its index, a fraction, a matrix. Brackets are written
where a part binds less tightly than its place asks for.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from chasles.formula.notation import RAISED, Parts, begins_with_digit, figures, is_one, is_word, names_of, parts
from chasles.formula.spans import SOLID, Piece, Span
from chasles.formula.tree import (
    Bracket,
    Call,
    Comparison,
    Equation,
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

CHOICE, RELATION, SUM, PRODUCT, FRACTION, POWER, ATOM = range(7)


class Printer(ABC):
    """Formulas as pieces of text.

    short: symbols in place of formulas. digits: of numbers that are not exact. room: the width of the widest fraction.
    """

    bare_arguments = True  # sin q_1, without brackets
    functions_have_room = False  # whether functions are typeset with room before them
    indent = 4.0  # of lines that continue a formula
    with_beside = True  # whether the word "with" stands in the column left of the signs of equality

    def __init__(self, short: Mapping[Formula, Symbol], digits: int, room: float) -> None:
        self.short, self.digits, self.room = short, digits, room
        self._pieces: dict[int, tuple[Formula, Piece]] = {}  # of what was printed, by id: tables ask for it twice

    # signs, which a printer writes

    @abstractmethod
    def run(self, texts: Sequence[str]) -> str:
        """Texts one after the other."""

    @abstractmethod
    def mark(self, sign: str) -> Span:
        """A sign: of `+ - = ( ) [ ] , < <= and or not`, "minus" before a term, "T" "-1" "*" as exponents, "inf",
        "nan", "" "wide" "dot" between factors, "/" of a fraction in one line, "of" before an argument, "quad", "end",
        "otherwise" and "and so on" in lists."""

    @abstractmethod
    def words(self, text: str) -> Span:
        """Words in the midst of formulas."""

    @abstractmethod
    def symbol(self, x: Symbol, exponent: Span | None = None) -> Span: ...

    @abstractmethod
    def digit_string(self, text: str, exponent: str) -> Span:
        """Digits and an exponent of ten, "" for none."""

    @abstractmethod
    def ratio(self, above: Piece, below: Piece) -> Piece: ...

    @abstractmethod
    def raised(self, base: Span, exponent: Span) -> Span: ...

    @abstractmethod
    def root(self, x: Span) -> Span: ...

    @abstractmethod
    def absolute(self, x: Span) -> Span: ...

    @abstractmethod
    def floor(self, x: Span) -> Span: ...

    @abstractmethod
    def function_name(self, function: str, exponent: Span | None) -> Span: ...

    @abstractmethod
    def lie_operator(self, name: str, index: Span, star: bool) -> Span: ...

    @abstractmethod
    def matrix(self, rows: Sequence[Sequence[Span]]) -> Span: ...

    @abstractmethod
    def cases(self, choices: Sequence[tuple[Span, Span]], otherwise: Span) -> Span: ...

    @abstractmethod
    def enclosed(self, x: Piece) -> tuple[Span, ...]:
        """In brackets."""

    # formulas

    def whole(self, x: Formula, least: int = CHOICE) -> Span:
        """A formula in one line, in brackets unless it binds at least so tightly."""
        return self.joined(self.at_least(x, least))

    def at_least(self, x: Formula, least: int) -> tuple[Span, ...]:
        piece = self.piece(x)
        return piece.spans if piece.binds >= least else self.enclosed(piece)

    def piece(self, x: Formula) -> Piece:
        """A formula, and how tightly it binds."""
        kept = self._pieces.get(id(x))
        if kept is None:
            kept = self._pieces[id(x)] = x, self._piece(x)
        return kept[1]

    def _piece(self, x: Formula) -> Piece:
        if isinstance(x, (Call, Power)) and (short := self.short.get(x)):
            return Piece((self.symbol(short),), ATOM)
        match x:
            case Number() | Product() | Quotient():
                negative, piece = self.signed(x)
                spans = piece.spans if piece.binds >= PRODUCT else self.enclosed(piece)
                return Piece(self.glued(self.mark("minus"), spans), SUM) if negative else piece
            case Symbol():
                return Piece((self.symbol(x),), ATOM)
            case Sum(terms):
                return Piece(self._sum(terms), SUM)
            case Power():
                return self._power(x)
            case Call():
                return self.call(x, self.bare_arguments)
            case Comparison(relation, sides):
                return self._comparison(relation, sides)
            case Operator(name, index, argument, star):
                head = self.lie_operator(name, self.whole(index), star)
                if argument is None:
                    return Piece((head,), POWER)
                return Piece(self.glued(head, self.mark("of"), self.at_least(argument, PRODUCT)), PRODUCT)
            case Transpose(of):
                return Piece((self._script(of, self.mark("T")),), POWER)
            case Inverse(of):
                return Piece((self._script(of, self.mark("-1")),), POWER)
            case Bracket(of):
                return Piece((self.joined((self.mark("["), self.whole(of), self.mark("]"))),), ATOM)
            case Matrix(rows):
                return Piece((self.matrix([[self.whole(entry) for entry in row] for row in rows]),), ATOM)
            case Equation(left, right):
                return Piece(self._chain(left, right), CHOICE)
        raise TypeError(f"no formula: {type(x).__name__}")

    def displayed(self, x: Formula) -> Piece:
        """A formula that is the whole side of an equation."""
        return self.piece(x)

    def joined(self, spans: Sequence[Span]) -> Span:
        """One after the other, as one; its depth is that of the first."""
        depth = spans[0].depth if spans else SOLID
        return Span(self.run([x.text for x in spans]), sum(x.width for x in spans), any(x.tall for x in spans), depth)

    def between(self, left: Span, x: Piece, right: Span) -> tuple[Span, ...]:
        """Between brackets, with breaks one deeper."""
        deeper = tuple(y._replace(depth=min(y.depth + 1, SOLID)) for y in x.spans)
        return self.glued(left, deeper, right)

    def glued(self, *parts: Span | tuple[Span, ...]) -> tuple[Span, ...]:
        """One after the other, without a break between them."""
        out: list[Span] = []
        for part in parts:
            spans = (part,) if isinstance(part, Span) else part
            if out and spans:
                out[-1] = self.joined((out[-1], spans[0]))
                spans = spans[1:]
            out += spans
        return tuple(out)

    def _sum(self, terms: Sequence[Formula]) -> tuple[Span, ...]:
        out: list[Span] = []
        for k, term in enumerate(_terms(terms)):
            negative, piece = self.signed(term)
            spans = piece.spans if piece.binds >= PRODUCT else self.enclosed(piece)
            if k or negative:
                spans = self.glued(self.mark(("-" if negative else "+") if k else "minus"), spans)
            out += [spans[0]._replace(depth=0 if k else SOLID), *spans[1:]]
        return tuple(out)

    def _chain(self, left: Formula, right: Formula) -> tuple[Span, ...]:
        """a = b = c, which may be broken before b = and c."""
        out = [self.whole(left)]
        while isinstance(right, Equation):
            out.append(self.joined((self.mark("="), self.whole(right.left)))._replace(depth=0))
            right = right.right
        return (*out[:-1], *self.glued(out[-1], self.mark("="), self.piece(right).spans))

    def signed(self, x: Formula) -> tuple[bool, Piece]:
        """Whether a minus stands before it, and the rest."""
        p = parts(x)
        return p.negative, self._magnitude(x, p)

    def _magnitude(self, x: Formula, p: Parts) -> Piece:
        if not isinstance(x, (Number, Product, Quotient, Power)) or p == Parts(False, Fraction(1), (x,), ()):
            return self.piece(x)
        over, under = (p.number.numerator, p.number.denominator) if isinstance(p.number, Fraction) else (p.number, 1)
        above = [] if is_one(self._exact(over), self.digits) else [Number(self._exact(over))]
        below = [] if under == 1 else [Number(Fraction(under))]
        if not p.below and not below:
            return self.factors([*above, *p.above])
        if not p.below and not self.merged(p):
            front = self.over(self.factors(above), self.factors(below))
            rest = self.factors(p.above)
            after = rest.spans if rest.binds >= PRODUCT else self.enclosed(rest)
            first = p.above[0]
            sign = self.mark("dot" if begins_with_digit(first) else "wide" if self._wide(x, first) else "")
            return Piece(self.glued(front.spans, sign, after), PRODUCT)
        return self.over(self.factors([*above, *p.above]), self.factors([*below, *p.below]), "dot" if above else "")

    def over(self, above: Piece, below: Piece, sign: str = "") -> Piece:
        """A fraction; one that is too wide in a line, where it can be broken. sign: between 1 / below and above."""
        if below.width > self.room:
            over = above.spans if above.binds >= FRACTION else self.enclosed(above)
            return Piece(self.glued(over, self.mark("/"), self.enclosed(below)), PRODUCT)
        if above.width > self.room:
            front = self.ratio(self.factors([]), below)
            rest = above.spans if above.binds >= PRODUCT else self.enclosed(above)
            return Piece(self.glued(front.spans, self.mark(sign), rest), PRODUCT)
        return self.ratio(above, below)

    def merged(self, p: Parts) -> bool:
        """Whether a product over a number is one fraction, as l/2; else the number is in front of it."""
        return (len(p.above) == 1 and isinstance(p.above[0], Symbol) and not p.above[0].bold) or not p.above

    @staticmethod
    def _exact(x: float) -> Fraction | float:
        return Fraction(x) if isinstance(x, int) else x

    def factors(self, factors: Sequence[Formula]) -> Piece:
        """A product of what is above a line, or below it."""
        if not factors:
            return Piece((self.digit_string("1", ""),), ATOM)
        if len(factors) == 1:
            x = factors[0]
            return Piece((self._digits(x.value),), self._binds(x.value)) if isinstance(x, Number) else self.piece(x)
        out: tuple[Span, ...] = ()
        for k, x in enumerate(factors):
            after = factors[k + 1] if k + 1 < len(factors) else None
            spans = self._factor(x, after)
            if k:
                sign = "dot" if begins_with_digit(x) else "wide" if self._wide(factors[k - 1], x) else ""
                spans = self.glued(self.mark(sign), spans)
            out = self.glued(out, spans)
        return Piece(out, PRODUCT)

    def _factor(self, x: Formula, after: Formula | None) -> tuple[Span, ...]:
        if isinstance(x, Number) and not x.value < 0:
            return (self._digits(x.value),)
        bare = self.bare_arguments and (after is None or self._ends_argument(after))
        if isinstance(x, Call) and x not in self.short and not bare:
            piece = self.call(x, False)
        elif isinstance(x, Power) and isinstance(x.base, Call) and not bare:
            piece = self._power(x, False)
        elif isinstance(x, Operator) and after is None:
            return self.piece(x).spans
        else:
            piece = self.piece(x)
        return piece.spans if piece.binds >= FRACTION else self.enclosed(piece)

    def _ends_argument(self, x: Formula) -> bool:
        """Whether it is no argument to the eye: in sin q_1 qd_2 the velocity is none, in sin q_1 (a + b) the sum is."""
        x = x.base if isinstance(x, Power) and x not in self.short and not parts(x).below else x
        return isinstance(x, Symbol) or x in self.short or self._is_named_call(x)

    def _is_named_call(self, x: Formula) -> bool:
        x = x.base if isinstance(x, Power) else x
        return isinstance(x, Call) and x not in self.short and x.function not in ("sqrt", "abs", "floor", "where")

    def _wide(self, x: Formula, y: Formula) -> bool:
        """Whether two factors need room between them."""

        def word(z: Formula) -> bool:
            z = z.base if isinstance(z, Power) else z
            return isinstance(z, Symbol) and is_word(z)

        def function(z: Formula) -> bool:
            return self._is_named_call(z) or isinstance(z, Operator)

        if function(y) and self.functions_have_room:
            return False
        return word(x) or word(y) or function(x) or function(y)

    def _digits(self, value: Fraction | float) -> Span:
        if isinstance(value, float) and not math.isfinite(value):
            return self.mark("nan" if math.isnan(value) else "inf")
        return self.digit_string(*figures(value, self.digits))

    def _binds(self, value: Fraction | float) -> int:
        return PRODUCT if figures(value, self.digits)[1] else ATOM

    def _power(self, x: Power, bare: bool = True) -> Piece:
        if x in self.short:
            return Piece((self.symbol(self.short[x]),), ATOM)
        p = parts(x)
        if p.below:
            return self._magnitude(x, p)
        base, exponent = x.base, x.exponent
        if exponent == Number(Fraction(1, 2)):
            return Piece((self.root(self.whole(base)),), ATOM)
        raised = (
            isinstance(exponent, Number) and isinstance(exponent.value, Fraction) and exponent.value.denominator == 1
        )
        if isinstance(base, Call) and raised and base.function in RAISED and base not in self.short:
            return self.call(base, bare and self.bare_arguments, self.whole(exponent))
        return Piece((self._script(base, self.exponent(exponent)),), POWER)

    def exponent(self, x: Formula) -> Span:
        """What stands above, fractions of numbers in one line."""
        if isinstance(x, Number) and isinstance(x.value, Fraction) and x.value.denominator > 1:
            return self.digit_string(str(x.value), "")
        return self.whole(x)

    def _script(self, base: Formula, exponent: Span) -> Span:
        base = self.short.get(base, base) if isinstance(base, Call) else base
        if isinstance(base, Symbol):
            return self.symbol(base, exponent)
        return self.raised(self.joined(self.at_least(base, ATOM)), exponent)

    def call(self, x: Call, bare: bool, exponent: Span | None = None) -> Piece:
        """A function of its arguments; bare: one that is a symbol without brackets."""
        names_of(x.function)
        if x.function == "where":
            return Piece((self.cases(*self.choices(x)),), CHOICE)
        if x.function == "sqrt":
            return Piece((self.root(self.whole(x.arguments[0])),), ATOM)
        if x.function == "abs":
            return Piece((self.absolute(self.whole(x.arguments[0])),), ATOM)
        if x.function == "floor":
            return Piece((self.floor(self.whole(x.arguments[0])),), ATOM)
        name = self.function_name(x.function, exponent)
        first = x.arguments[0]
        if bare and len(x.arguments) == 1 and (isinstance(first, Symbol) or first in self.short):
            return Piece(self.glued(name, self.mark("of"), self.piece(first).spans), FRACTION)
        spans = self.piece(first).spans
        for argument in x.arguments[1:]:
            spans = self.glued(spans, self.mark(","), self.piece(argument).spans)
        return Piece(self.glued(name, self.enclosed(Piece(spans, CHOICE))), POWER)

    def choices(self, x: Call) -> tuple[list[tuple[Span, Span]], Span]:
        """Values with their conditions, and the value otherwise."""
        found: list[tuple[Span, Span]] = []
        rest: Formula = x
        while isinstance(rest, Call) and rest.function == "where":
            condition, value, rest = rest.arguments
            found.append((self.whole(value, RELATION), self.whole(condition)))
        return found, self.whole(rest)

    def _comparison(self, relation: str, sides: Sequence[Formula]) -> Piece:
        if relation == "not":
            return Piece(self.glued(self.mark("not"), self.at_least(sides[0], ATOM)), RELATION)
        connective = relation in ("and", "or")
        spans = self.at_least(sides[0], RELATION if connective else SUM)
        for side in sides[1:]:
            spans = self.glued(spans, self.mark(relation), self.at_least(side, RELATION if connective else SUM))
        return Piece(spans, CHOICE if connective else RELATION)


def _terms(terms: Sequence[Formula]) -> Iterator[Formula]:
    """Terms, with those of sums among them."""
    for term in terms:
        if isinstance(term, Sum):
            yield from _terms(term.terms)
        else:
            yield term
