"""Equations of motion and energies as textbooks write them: collected by accelerations and by products of velocities.

    sum_j M_ij qdd_j + sum_{j<=k} h_ijk qd_j qd_k + sum_j b_ij qd_j + g_i         (1)
    K = sum_i M_ii qd_i^2 / 2 + sum_{i<j} M_ij qd_i qd_j                          (2)

h_ijj = Gamma_ijj, h_ijk = 2 Gamma_ijk; b is not zero for gyroscopic Lagrangian systems alone. The coefficients are
derivatives by the velocities, at rest, of functions that have no higher powers of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from chasles.equations.sources import of_expressions
from chasles.formula.tree import ONE, ZERO, Formula, Number, Power, Product, Sum, Symbol
from chasles.function.kernel import Kernel
from chasles.graph.array import plain, traced
from chasles.graph.interpret import interpret
from chasles.graph.program import Loop, Program
from chasles.graph.symbol import symbol

Expressions = dict[str, Any]
MINUS = Number(-ONE.value)


def on_symbols(program: Program | Loop, given: Mapping[str, Any] | None = None) -> Expressions:
    """The outputs of a program at symbols of its inputs' names, or at what is given for some: arrays of expressions."""
    assert isinstance(program, Program)
    known = {name: plain(x).reshape(-1).tolist() for name, x in (given or {}).items()}
    leaves = [known.get(x.name) or np.ravel(symbol(x.name, x.shape)).tolist() for x in program.inputs]
    made = {}
    for operand, row in zip(program.outputs, interpret(program, leaves), strict=True):
        array = np.empty(len(row), object)
        array[:] = row
        made[operand.name] = traced(array.reshape(operand.shape))
    return made


class Powers(NamedTuple):
    """Coefficients of powers of velocities: constant (m,), linear (m, n), and of qd_j qd_k, (m, n (n + 1) / 2)."""

    constant: Any
    linear: Any
    quadratic: Any


def powers(functions: Any, n: int) -> Powers:
    """Those of expressions (m,) of q and qd, at most quadratic in qd (n,)."""
    made = of_expressions({"f": functions})
    rest = {"qd": [0.0] * n}
    constant = on_symbols(made, rest)["f"]
    m = len(constant)
    if not any(x.name == "qd" for x in made.inputs):
        return Powers(constant, np.zeros((m, n)), np.zeros((m, n * (n + 1) // 2)))
    kernel = Kernel(made, "f")
    slope = kernel.jacobian("qd")
    (J,) = on_symbols(slope.program, rest).values()
    if any(x.name == "qd" for x in slope.program.inputs):
        (H,) = on_symbols(slope.jacobian("qd").program, rest).values()
    else:
        H = np.zeros((m, n, n))
    pairs = combinations_with_replacement(range(n), 2)
    columns = [H[:, j, k] / 2 if j == k else H[:, j, k] for j, k in pairs]
    return Powers(constant, J, np.stack(columns, axis=-1))


def pairs_of(velocities: Sequence[Symbol]) -> list[tuple[Formula, ...]]:
    """qd_j qd_k as factors, in the order of the quadratic coefficients."""
    found = combinations_with_replacement(velocities, 2)
    return [(Power(x, Number(ONE.value * 2)),) if x is y else (x, y) for x, y in found]


def total(parts: Sequence[tuple[Formula, tuple[Formula, ...]]]) -> Formula:
    """The sum of coefficients times factors; what is zero is left out."""
    terms: list[Formula] = []
    for coefficient, factors in parts:
        if coefficient == ZERO:
            continue
        if not factors and isinstance(coefficient, Sum):
            terms += coefficient.terms
        else:
            terms.append(_times(coefficient, factors))
    return Sum(tuple(terms)) if len(terms) > 1 else terms[0] if terms else ZERO


def _times(coefficient: Formula, factors: tuple[Formula, ...]) -> Formula:
    if isinstance(coefficient, Sum) and all(map(_is_negative, coefficient.terms)):
        inner: Formula = Sum(tuple(map(_opposite, coefficient.terms)))
        return Product((MINUS, inner, *factors))
    own = coefficient.factors if isinstance(coefficient, Product) else (coefficient,)
    every = (*(x for x in own if x != ONE), *factors)
    return Product(every) if len(every) > 1 else every[0] if every else ONE


def _is_negative(x: Formula) -> bool:
    front = next(iter(x.factors)) if isinstance(x, Product) else x
    return isinstance(front, Number) and front.value < 0


def _opposite(x: Formula) -> Formula:
    """-x of what is negative."""
    if isinstance(x, Number):
        return Number(-x.value)
    assert isinstance(x, Product)
    front, *rest = x.factors
    assert isinstance(front, Number)
    factors = (*([] if front == MINUS else [Number(-front.value)]), *rest)
    return Product(factors) if len(factors) > 1 else next(iter(factors))
