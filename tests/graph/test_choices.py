"""Derivatives of choices: what is 0 by choice stays 0, forward and in reverse, however steep the side not taken is."""

import numpy as np
import pytest
from support.tolerances import EXACT, FINITE_DIFFERENCE, close

import chasles as ch
from chasles.graph.derive import gradient_program, hessian_program
from chasles.graph.diff import gradient_reverse, jacobian_forward
from chasles.graph.interpret import interpret
from chasles.graph.node import Graph
from chasles.graph.program import Operand, flatten
from chasles.graph.trace import array
from chasles.scalar.dual import Dual

where, sqrt = ch.where, np.sqrt


def positive(x):
    return where(x > 0.0, x, 0.0)


CHOICES = {
    "plain": lambda x, y: where(x > 0.0, sqrt(x), 0.0),
    "scaled": lambda x, y: where(x > 0.0, 2.0 * sqrt(x), 0.0),
    "negative": lambda x, y: where(x > 0.0, -sqrt(x), 0.0),
    "in the else": lambda x, y: where(x <= 0.0, 0.0, 3.0 * sqrt(x)),
    "scaled outside": lambda x, y: 2.0 * where(x > 0.0, sqrt(x), 0.0),
    "shared, one condition": lambda x, y: where(x > 0.0, 2.0 * sqrt(x), 0.0) + where(x > 0.0, y * sqrt(x), 0.0),
    "shared, two conditions": lambda x, y: where(x > 0.0, 2.0 * sqrt(x), 0.0) - where(x > 1.0, y * sqrt(x), 0.0),
    "shared, three": lambda x, y: sum(where(x > k, (k + 2.0) * sqrt(x), 0.0) for k in range(3)),
    "shared, and cancels": lambda x, y: where(x > 0.0, sqrt(x), 0.0) + where(x > 0.0, y - sqrt(x), 0.0),
    "shared, two sides": lambda x, y: where(x > 0.0, where(x > 1.0, 2.0 * sqrt(x), 3.0 * sqrt(x)), y * x),
    "nested": lambda x, y: where(x > 0.0, where(y > 0.0, 2.0 * sqrt(x), 0.0), 0.0),
    "nested otherwise": lambda x, y: where(y > 0.0, where(x > 0.0, 2.0 * sqrt(x), 0.0), x * y),
    "nested, the same": lambda x, y: where(x > 0.0, where(x > 0.0, 2.0 * sqrt(x), 0.0), x * y),
    "nested, the opposite": lambda x, y: where(x > 0.0, y, where(x > 0.0, 2.0 * sqrt(x), x * y)),
    "product with a nested choice": lambda x, y: y * where(x > 0.0, where(y > 1.0, x, 0.0), 0.0),
    "product with another": lambda x, y: x * where(y > 0.0, where(x < 0.0, y, 0.0), 0.0),
    "root of a choice": lambda x, y: sqrt(positive(x)),
    "root of a scaled choice": lambda x, y: sqrt(4.0 * positive(x)),
    "root of a sum of choices": lambda x, y: sqrt(positive(x) + positive(x - 1.0)),
    "root of a product": lambda x, y: sqrt((1.0 + y * y) * positive(x)),
    "root of a product with itself": lambda x, y: sqrt(x * positive(x)),
    "root of a nested choice": lambda x, y: sqrt(where(y > 0.0, positive(x), positive(x - 1.0))),
    "root of a maximum": lambda x, y: sqrt(np.maximum(x - 1.0, 0.0)),
    "root of a clipped": lambda x, y: 3.0 * sqrt(np.clip(x - 1.0, 0.0, 2.0)),
    "arccos of a clipped": lambda x, y: np.arccos(np.clip(x + 1.5, -1.0, 1.0)),
    "arcsin of a choice": lambda x, y: np.arcsin(where(x < 1.0, -1.0, 0.25 * x)),
    "power of a choice": lambda x, y: positive(x) ** 0.3,
    "arctan2 of choices": lambda x, y: np.arctan2(positive(x), 2.0 * positive(x)),
    "absolute": lambda x, y: where(x > 0.0, 2.0 * sqrt(abs(x)), 0.0) + abs(x - 0.25) * y,
    "minimum": lambda x, y: where(x > 0.0, 2.0 * sqrt(np.minimum(x, 1.0)), 0.0),
    "log": lambda x, y: where(x > 0.0, 2.0 * x * np.log(x), 0.0),
    "quotient": lambda x, y: where(x > 0.0, 3.0 * y / x, 0.0),
    "quotient of choices": lambda x, y: where(x > 0.0, positive(x) / x, 0.0),
    "power": lambda x, y: where(x > 0.0, 3.0 * x**0.3, 0.0),
    "arctan2": lambda x, y: where(x > 0.0, 3.0 * np.arctan2(x, x * y), 0.0),
    "loop": lambda x, y: where(x > 0.0, 2.0 * ch.loop(lambda z: sqrt(z) + 0.1 * z, x, count=3), 0.0),
    "loop in blocks": lambda x, y: where(x > 0.0, 2.0 * ch.loop(lambda z: sqrt(z) + 0.1 * z, x, count=20), 0.0),
    "loop of a choice": lambda x, y: ch.loop(sqrt, positive(x), count=3),
    "choice in a loop": lambda x, y: ch.loop(lambda z: where(z > 0.0, 2.0 * sqrt(z), 0.0), x, count=3),
    "choice by what is given": lambda x, y: ch.loop(
        lambda z, g: where(g > 0.0, 2.0 * sqrt(z + g), 0.0), x, given={"g": x}, count=3
    ),
}
POINTS = [(0.0, 0.7), (-1.0, 0.7), (-1.0, -0.3), (1.5, 0.7)]


def program(function):
    graph = Graph()
    x = array([graph.input(0, i) for i in range(2)], (2,))
    return flatten((Operand("x", (2,)),), (Operand("y", ()),), [[function(*x)]])


def forward(p, point):
    """The gradient in forward mode."""
    graph = Graph()
    x = [graph.input(0, i) for i in range(2)]
    ((result,),) = interpret(p, [x])
    rows = jacobian_forward([result], x)
    return interpret(flatten(p.inputs, (Operand("d", (2,)),), rows), [point])[0]


def by_duals(p, point):
    results = [interpret(p, [[Dual(x, dx) for x, dx in zip(point, u, strict=True)]])[0][0] for u in np.eye(2).tolist()]
    return [y.derivative if isinstance(y, Dual) else 0.0 for y in results]


@pytest.mark.parametrize("name", CHOICES)
def test_both_modes_are_the_slope_of_the_side_taken(name):
    p = program(CHOICES[name])
    gradient = gradient_program(p, "x")
    for point in POINTS:
        x = list(point)
        found = interpret(gradient, [x])[0]
        assert close(forward(p, x), found, EXACT, scale=1.0)
        assert close(by_duals(p, x), found, EXACT, scale=1.0)
        if point[0] == 0.0:
            continue
        steps = 1e-6 * np.eye(2)
        ends = [[interpret(p, [(x + sign * step).tolist()])[0][0] for sign in (1, -1)] for step in steps]
        assert close(found, [(b - a) / 2e-6 for b, a in ends], 10 * FINITE_DIFFERENCE, scale=1.0)


def random_choices(rng, count):
    """The program of a random sum of products, sines and choices of two inputs, many of them of 0."""
    graph = Graph()
    known: list = [graph.input(0, 0), graph.input(0, 1)]

    def any_of():
        return known[rng.integers(len(known))] if rng.random() < 0.8 else float(rng.choice([0.0, 0.0, 1.0, -0.5]))

    for _ in range(count):
        x, y, z = any_of(), any_of(), any_of()
        kind = rng.integers(5)
        made = x * y if kind == 0 else x - y if kind == 1 else ch.scalar.ops.sin(x) if kind == 2 else None
        if made is None:
            condition = ch.scalar.ops.less(x, float(rng.normal()))
            made = (
                ch.scalar.ops.where(condition, *((y, 0.0) if rng.random() < 0.6 else (0.0, y)))
                if kind == 3
                else (ch.scalar.ops.where(condition, y, z))
            )
        known.append(made)
    total = sum(known[2:], 0.0 * known[0])
    return flatten((Operand("x", (2,)),), (Operand("y", ()),), [[total]])


def test_random_choices(rng):
    """Forward, in reverse and on duals they are the same, where every side is smooth."""
    for _ in range(20):
        p = random_choices(rng, 14)
        gradient = gradient_program(p, "x")
        for point in rng.normal(size=(3, 2)).tolist():
            expected = by_duals(p, point)
            size = float(np.abs(expected).max())
            assert close(interpret(gradient, [point])[0], expected, 1e-12, scale=1.0 + size)
            assert close(forward(p, point), expected, 1e-12, scale=1.0 + size)


@pytest.mark.parametrize("name", ["scaled", "shared, two conditions", "nested", "root of a scaled choice", "loop"])
def test_second_derivatives_are_finite_too(name):
    p = program(CHOICES[name])
    for point in [(0.0, 0.7), (-1.0, 0.7)]:
        assert close(interpret(hessian_program(p, "x"), [list(point)])[0], np.zeros(4), EXACT, scale=1.0)


def test_compiled():
    kernel = ch.compile(lambda x: where(x > 0.0, 2.0 * sqrt(x), 0.0) + where(x > 1.0, 3.0 * sqrt(x), 0.0), x=())
    x = np.array([-1.0, 0.0, 0.25, 4.0])
    with np.errstate(all="ignore"):
        assert close(kernel.gradient("x")(x), [0.0, 0.0, 2.0, 1.25], EXACT)


def test_duals():
    """A number that does not move has no derivative, on floats and on rows."""
    with np.errstate(all="ignore"):
        for function in (sqrt_of, lambda x: ch.scalar.ops.apply("pow", x, 0.3)):
            assert function(Dual(0.0, 0.0)).derivative == 0.0 and function(Dual(0.0, 1.0)).derivative == np.inf
            rows = function(Dual(np.array([0.0, 0.0, 4.0]), np.array([0.0, 1.0, 1.0])))
            assert rows.derivative[0] == 0.0 and rows.derivative[1] == np.inf and 0.0 < rows.derivative[2] < 1.0


def sqrt_of(x):
    return ch.scalar.ops.sqrt(x)


def kinds(function):
    p = program(function)
    return gradient_program(p, "x").operations.by_kind


def test_choices_by_one_condition_are_one():
    """The two sides of a choice that meet again are chosen between, and not added."""
    assert kinds(lambda x, y: abs(x)) == {"less": 1, "where": 1}
    both = kinds(lambda x, y: where(x < y, 2.0 * x, 5.0 * x))
    assert both == {"less": 1, "where": 1}
    nested = kinds(lambda x, y: where(x < y, where(x < 1.0, 2.0 * x, 5.0 * x), 0.0))
    assert nested == {"less": 2, "where": 2}
    same = kinds(lambda x, y: where(x < y, 2.0 * x, 0.0) + where(x < y, 5.0 * x, 0.0))
    assert same == {"less": 1, "where": 1}


@pytest.mark.parametrize("count", [60, pytest.param(1010, marks=pytest.mark.slow)])
def test_the_largest_of_many(count):
    """Every element is chosen in the one after it: a chain that is no deeper in Python's stack."""
    graph = Graph()
    x = array([graph.input(0, i) for i in range(count)], (count,))
    slope = gradient_reverse(2.0 * np.max(x * x), list(x))
    values = np.linspace(-1.0, 2.0, count)
    d = interpret(flatten((Operand("x", (count,)),), (Operand("d", (count,)),), [slope]), [list(values)])[0]
    assert close(d, np.append(np.zeros(count - 1), 8.0), EXACT)


def test_what_cannot_be_is_not_computed():
    """The side of the opposite of a condition that holds; a choice of 0 that is made good by its opposite."""
    assert "sqrt" not in kinds(lambda x, y: where(x > 0.0, y, where(x > 0.0, 2.0 * sqrt(x), x * y)))
    graph = Graph()
    x, y = (graph.input(0, i) for i in range(2))
    both = where(x < y, 2.0 * x, 0.0) * 3.0 + where(x < y, 0.0, 5.0 * x) * y
    row = jacobian_forward([ch.scalar.ops.sqrt(both)], [x, y])[0][:1]
    found = flatten((Operand("x", (2,)),), (Operand("d", (1,)),), [row]).operations.by_kind
    assert "not" not in found and "or" not in found
