"""Random trees of formulas, and their values by the definition of each node."""

import math
from fractions import Fraction

from chasles.formula.names import coordinate, named
from chasles.formula.tree import (
    Call,
    Comparison,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
)

VALUES = {
    coordinate(1): 0.7,
    coordinate(2): 1.9,
    coordinate(12): 0.45,
    coordinate(1, 1): 1.3,
    coordinate(2, 2): 0.6,
    named("m1"): 2.3,
    named("lc2"): 0.85,
    named("theta"): 1.15,
    named("mass2"): 1.6,
    named("my_long_name"): 0.55,
}
RELATIONS = {"<": lambda x, y: x < y, "<=": lambda x, y: x <= y, "and": all, "or": any}


def evaluated(x, values=VALUES):
    """The value of a tree."""
    match x:
        case Number(value):
            return float(value)
        case Symbol():
            return values[x]
        case Sum(terms):
            return sum(evaluated(term, values) for term in terms)
        case Product(factors):
            return math.prod(evaluated(factor, values) for factor in factors)
        case Quotient(above, below):
            return evaluated(above, values) / evaluated(below, values)
        case Power(base, exponent):
            return evaluated(base, values) ** evaluated(exponent, values)
        case Call("where", (condition, value, otherwise)):
            return evaluated(value if evaluated(condition, values) else otherwise, values)
        case Call(function, arguments):
            return float(getattr(math, function)(*(evaluated(y, values) for y in arguments)))
        case Comparison("not", (side,)):
            return not evaluated(side, values)
        case Comparison("and" | "or", sides):
            return RELATIONS[x.relation](evaluated(side, values) for side in sides)
        case Comparison(relation, sides):
            return RELATIONS[relation](*(evaluated(side, values) for side in sides))
    raise TypeError(x)


def value_of(tree):
    """A value that is finite, not large and no matter of rounding; None of trees that have none."""
    try:
        value = evaluated(tree)
        near = evaluated(tree, {symbol: x * (1.0 + 1e-12) for symbol, x in VALUES.items()})
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):  # TypeError: of complex numbers
        return None
    if isinstance(value, complex) or not math.isfinite(value) or abs(value) > 1e60:
        return None
    return value if abs(near - value) <= 1e-8 * abs(value) else None


FLOATS = (9.81, -0.25, 1.5e-7, 250.0, -3.0, 1.0, 0.1)
EXPONENTS = (2, 3, -1, -2, Fraction(1, 2), Fraction(3, 2), 12)
FUNCTIONS = ("sin", "cos", "tan", "atan", "exp", "tanh", "log", "sqrt", "floor")


def random_tree(rng, depth=4):
    """A tree of any nodes of numbers; a number is only the first factor of a product, as tree.py says."""

    def number():
        if rng.random() < 0.4:
            return Number(float(rng.choice(FLOATS)))
        return Number(Fraction(int(rng.integers(1, 10)) * int(rng.choice([-1, 1])), int(rng.integers(1, 13))))

    def symbol():
        return list(VALUES)[rng.integers(len(VALUES))]

    def no_number(depth):
        x = grown(depth)
        return symbol() if isinstance(x, Number) else x

    def condition(depth):
        kind = rng.integers(4)
        if kind == 0 and depth:
            return Comparison("not", (condition(depth - 1),))
        if kind == 1 and depth:
            return Comparison(["and", "or"][rng.integers(2)], (condition(depth - 1), condition(depth - 1)))
        return Comparison(["<", "<="][rng.integers(2)], (grown(depth), grown(depth)))

    def grown(depth):
        if not depth or rng.random() < 0.15:
            return symbol() if rng.random() < 0.7 else number()
        below, many = depth - 1, int(rng.integers(1, 4))
        match rng.integers(8):
            case 0 | 1:
                return Sum(tuple(grown(below) for _ in range(many + 1)))
            case 2 | 3:
                factors = [no_number(below) for _ in range(many)]
                return Product((number() if many == 1 or rng.random() < 0.5 else no_number(below), *factors))
            case 4:
                return Quotient(grown(below), no_number(below))
            case 5:
                return Power(no_number(below), Number(Fraction(EXPONENTS[rng.integers(len(EXPONENTS))])))
            case 6:
                return Call(str(rng.choice(FUNCTIONS)), (grown(below),))
        if rng.random() < 0.5:
            return Call("atan2", (grown(below), grown(below)))
        return Call("where", (condition(below // 2), grown(below), grown(below)))

    return grown(depth)
