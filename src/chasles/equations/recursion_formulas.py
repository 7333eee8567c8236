"""Values of recursions as formulas: where a value has a name the name stands for it, and poses are T_ab."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from chasles.equations.recursion_symbols import Leaf, PoseSymbol, ScalarSymbol, Value, Word, inverted
from chasles.formula.tree import (
    Bracket,
    Equation,
    Formula,
    Inverse,
    Matrix,
    Number,
    Operator,
    Power,
    Product,
    Sum,
    Symbol,
    Transpose,
)

E = Symbol("e", "e")
MINUS_ONE = Number(Fraction(-1))


class Names:
    """Names of values, and of poses by their two frames. number: the formula of a leaf."""

    def __init__(self, number: Callable[[Any], Formula]) -> None:
        self.number = number
        self._composed: dict[tuple[str, str], Formula] = {}
        self._symbols: dict[Value, Symbol] = {}
        self._poses: dict[Word, tuple[str, str]] = {}

    def give(self, value: Value, symbol: Symbol) -> None:
        self._symbols.setdefault(value, symbol)

    def give_pose(self, T: PoseSymbol, a: str, b: str) -> None:
        self._poses[T.word] = (a, b)
        self._poses[inverted(T.word)] = (b, a)

    def equation(self, symbol: Symbol, value: Value) -> Equation:
        """What the value is made of; the name that it has already, if that is another."""
        known = self._symbols.get(value, symbol)
        return Equation(symbol, self._made(value) if known == symbol else known)

    def pose_equation(self, T: PoseSymbol) -> Equation:
        return Equation(between(*self._poses[T.word]), _product([self._atom(*factor) for factor in T.word]))

    def new_poses(self) -> list[tuple[tuple[str, str], Formula]]:
        """The products T_ab T_bc that were written T_ac since this was last asked."""
        found = list(self._composed.items())
        self._composed.clear()
        return found

    def formula(self, value: Value) -> Formula:
        return self._symbols.get(value) or self._made(value)

    def _made(self, value: Value) -> Formula:
        x, of = value.arguments, self.formula
        match value.operation:
            case "symbol" | "columns":
                return x[0]
            case "constant":
                numbers = [self.number(leaf.leaf if isinstance(leaf, Leaf) else leaf) for leaf in x]
                return numbers[0] if len(numbers) == 1 else column(numbers)
            case "sum" | "minus" | "without":
                terms = self._terms(value)
                return terms[0] if len(terms) == 1 else Sum(tuple(terms))
            case "times":
                return _product(self._factors(value))
            case "articulated":
                return of(x[0])
            case "inverse":
                return Inverse(of(x[0]))
            case "Ad" | "Ad_star":
                return Operator("Ad", self.pose(x[0]), of(x[1]), star=value.operation == "Ad_star")
            case "ad" | "ad_star":
                return Operator("ad", of(x[0]), of(x[1]), star=value.operation == "ad_star")
            case "momentum":
                return _product([of(x[0]), of(x[1])])
            case "moved":
                back = self.pose(inverted(x[0]))
                return Product((Operator("Ad", back, star=True), of(x[1]), Operator("Ad", back)))
            case "pair":
                F, V = x
                return _product([Transpose(of(V)), of(F)] if V.has_columns else [Transpose(of(F)), of(V)])
        raise AssertionError(value.operation)

    def _terms(self, value: Value, own: bool = True) -> list[Formula]:
        """The terms of a sum, and of the sums among them that have no name; one term for any other value."""
        if not own and value in self._symbols:
            return [self._symbols[value]]
        if value.operation == "sum":
            return [term for part in value.arguments for term in self._terms(part, own=False)]
        if value.operation == "minus":
            return [_negative(term) for term in self._terms(value.arguments[0], own=False)]
        if value.operation == "without":
            B, K, d_inv = value.arguments
            K_formula = self.formula(K)
            return [
                *self._terms(B, own=False),
                _negative(_product([K_formula, self.formula(d_inv), Transpose(K_formula)])),
            ]
        return [self._made(value)]

    def _factors(self, value: Value, own: bool = True) -> list[Formula]:
        """The factors of a product in an order that is right for matrices: d^-1 r, where the code has r * (1 / d)."""
        if (not own and value in self._symbols) or value.operation != "times":
            return [self.formula(value)]
        left, right = value.arguments
        if isinstance(left, ScalarSymbol) and (right.operation in ("inverse", "constant")):
            left, right = right, left
        return self._factors(left, own=False) + self._factors(right, own=False)

    def pose(self, word: Word) -> Formula:
        """T_ab; a product T_ab T_bc is T_ac, and noted among those composed."""
        if word in self._poses:
            return between(*self._poses[word])
        pieces: list[tuple[str, str]] = []
        rest = word
        while rest:
            for size in range(len(rest), 0, -1):
                if rest[:size] in self._poses:
                    pieces.append(self._poses[rest[:size]])
                    rest = rest[size:]
                    break
            else:
                return _product([self._atom(*factor) for factor in word])
        ends = pieces[0][0], pieces[-1][1]
        self._composed.setdefault(ends, _product([between(a, b) for a, b in pieces]))
        return between(*ends)

    def _atom(self, factor: Value, inverse: bool) -> Formula:
        if factor.operation == "exp":
            S, q = factor.arguments
            found: Formula = Power(E, _product([Bracket(self.formula(S)), self.formula(q)]))
        else:
            found = factor.arguments[0]
        return Inverse(found) if inverse else found


def between(a: str, b: str, letter: str = "T") -> Symbol:
    """T_ab, the pose of frame b in frame a."""
    return Symbol(f"{letter}_{a}_{b}", letter, a + b if len(a) == len(b) == 1 else f"{a},{b}")


def column(entries: list[Formula]) -> Matrix:
    return Matrix(tuple((x,) for x in entries))


def _product(factors: list[Formula]) -> Formula:
    """A product, with the factors of products among them, and a number in front."""
    flat: list[Formula] = []
    for x in factors:
        flat += x.factors if isinstance(x, Product) else [x]
    numbers = [x for x in flat if isinstance(x, Number)]
    flat = [*numbers, *(x for x in flat if not isinstance(x, Number))]
    return flat[0] if len(flat) == 1 else Product(tuple(flat))


def _negative(x: Formula) -> Formula:
    if isinstance(x, Product) and x.factors[0] == MINUS_ONE:
        return _product(list(x.factors[1:]))
    return _product([MINUS_ONE, x])
