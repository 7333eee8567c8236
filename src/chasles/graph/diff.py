"""Derivatives of graphs, forward and in reverse.

With the partial derivatives p_k = d f / d x_k of every operation f(x_1, x_2, ...):

    forward:  df = sum of p_k dx_k, from the inputs on                            (1)
    reverse:  dy/dx_k += dy/df p_k, from the result back                          (2)

Both build nodes of the same graph, so their results share work with the function and differentiate again.
"""

from typing import Any

from chasles.graph.node import Expr, call, where


def _partials(node: Expr) -> tuple[Any, ...]:
    """d node / d argument, for each argument."""
    op, x = node.op, node.args
    if op in ("add", "sub", "neg"):
        return {"add": (1.0, 1.0), "sub": (1.0, -1.0), "neg": (-1.0,)}[op]
    if op == "mul":
        return x[1], x[0]
    if op == "div":
        return 1.0 / x[1], -(node / x[1])
    if op == "where":
        return 0.0, where(x[0], 1.0, 0.0), where(x[0], 0.0, 1.0)
    if op == "atan2":
        square = x[0] * x[0] + x[1] * x[1]
        return x[1] / square, -(x[0] / square)
    if op == "pow":
        return x[1] * call("pow", x[0], x[1] - 1.0), node * call("log", x[0])
    if op in ("floor", "less", "less_equal", "and", "or", "not"):
        return (0.0,) * len(x)
    u = x[0]
    return (_SLOPES[op](u, node),)


_SLOPES: dict[str, Any] = {
    "sin": lambda u, f: call("cos", u),
    "cos": lambda u, f: -call("sin", u),
    "asin": lambda u, f: 1.0 / call("sqrt", 1.0 - u * u),
    "acos": lambda u, f: -1.0 / call("sqrt", 1.0 - u * u),
    "atan": lambda u, f: 1.0 / (1.0 + u * u),
    "sinh": lambda u, f: call("cosh", u),
    "cosh": lambda u, f: call("sinh", u),
    "tanh": lambda u, f: 1.0 - f * f,
    "exp": lambda u, f: f,
    "log": lambda u, f: 1.0 / u,
    "sqrt": lambda u, f: 0.5 / f,
}


def _ordered(results: list[Any]) -> list[Expr]:
    live: dict[int, Expr] = {}
    stack = [x for x in results if type(x) is Expr]
    while stack:
        node = stack.pop()
        if node.id not in live:
            live[node.id] = node
            if node.op != "input":
                stack.extend(x for x in node.args if type(x) is Expr)
    return [live[k] for k in sorted(live)]


def jacobian_forward(results: list[Any], inputs: list[Expr]) -> list[list[Any]]:
    """d results[i] / d inputs[j], by (1) with sparse tangents."""
    column = {x.id: j for j, x in enumerate(inputs)}
    tangents: dict[int, dict[int, Any]] = {}
    for node in _ordered(results):
        tangent: dict[int, Any] = {}
        if node.op == "input":
            if node.id in column:
                tangent[column[node.id]] = 1.0
        else:
            for x, p in zip(node.args, _partials(node), strict=True):
                if type(x) is Expr and not (type(p) is float and p == 0.0):
                    for j, dx in tangents[x.id].items():
                        tangent[j] = tangent[j] + p * dx if j in tangent else p * dx  # (1)
        tangents[node.id] = tangent
    return [[tangents[y.id].get(j, 0.0) if type(y) is Expr else 0.0 for j in range(len(inputs))] for y in results]


def gradient_reverse(result: Any, inputs: list[Expr]) -> list[Any]:
    """d result / d inputs[j], by (2)."""
    if type(result) is not Expr:
        return [0.0] * len(inputs)
    adjoints: dict[int, Any] = {result.id: 1.0}
    for node in reversed(_ordered([result])):
        adjoint = adjoints.get(node.id, 0.0)
        if node.op == "input" or (type(adjoint) is float and adjoint == 0.0):
            continue
        for x, p in zip(node.args, _partials(node), strict=True):
            if type(x) is Expr:
                adjoints[x.id] = adjoints.get(x.id, 0.0) + adjoint * p  # (2)
    return [adjoints.get(x.id, 0.0) for x in inputs]


def jacobian(results: list[Any], inputs: list[Expr]) -> list[list[Any]]:
    """d results[i] / d inputs[j], by the cheaper of the two modes."""
    if len(results) == 1:
        return [gradient_reverse(results[0], inputs)]
    return jacobian_forward(results, inputs)
