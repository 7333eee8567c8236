"""Functions of q where constraints h(q) = 0 hold: x^2 + y^2 is l^2 on a circle.

A function f is constant there if it is a multiple of one h and a constant,

    f(q) = c h(q) + d,   c = (df/dq_i) / (dh/dq_i),   d = f(q0) - c h(q0)          (1)

with c and d free of q. They are taken at a configuration q0 of whole numbers, where polynomials have no rounding, and
(1) is tried at random q and values of the symbols. Functions that are no polynomials, but for divisions, stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.equations.collected import on_symbols
from chasles.equations.sources import of_expressions
from chasles.function.kernel import Kernel
from chasles.graph.interpret import interpret
from chasles.graph.node import Expr

POLYNOMIAL = {"input", "add", "sub", "mul", "div", "neg"}
TRIALS, CLOSE = 4, 1e-9  # points at which (1) is tried, and how well it holds


def on_constraint(functions: Sequence[Any], values: Sequence[Any], nq: int) -> list[Any]:
    """Expressions of q (nq,), with (1) put in where it holds for one of the values h."""
    m = len(functions)
    made = of_expressions({"f": np.array([*functions, *values], dtype=object)})
    if not any(x.name == "q" for x in made.inputs) or any(op not in POLYNOMIAL for op, _ in made.nodes):
        return list(functions)
    q0 = {"q": [float(k + 1) for k in range(nq)]}
    at = list(on_symbols(made, q0)["f"])
    (slopes,) = on_symbols(Kernel(made, "f").jacobian("q").program, q0).values()
    found = list(functions)
    for a, b in np.ndindex(m, len(values)):
        i = next((i for i in range(nq) if type(x := slopes[m + b, i]) is Expr or x != 0.0), None)
        if i is None or found[a] is not functions[a]:
            continue
        c = slopes[a, i] / slopes[m + b, i]
        d = at[a] - c * at[m + b]  # (1)
        if _is_zero(functions[a] - c * values[b] - d, functions[a]):
            found[a] = d
    return found


def _is_zero(difference: Any, scale: Any) -> bool:
    made = of_expressions({"f": np.array([difference, scale], dtype=object)})
    rng = np.random.default_rng(0)
    given = [list(rng.uniform(0.5, 1.5, (int(np.prod(x.shape)), TRIALS))) for x in made.inputs]
    off, size = (np.abs(np.asarray(x, dtype=float)) for x in interpret(made, given)[0])
    return bool((off <= CLOSE * size).all())
