"""Nodes of the expression graph, folded and shared as they are made: common subexpression elimination (CSE).

A constant is a plain float; a node is an operation on nodes and floats, made at most once per graph (hash-consing), so
common subexpressions are one object. Constant folding happens in the constructor:

    x + 0 = x   x - x = 0   x * 0 = 0   x * 1 = x   x / c = x * (1/c)   c (d x) = (c d) x   x * (1/x) = x / x = 1
    negation is pulled out of products and absorbed by sums, commutative arguments are ordered

so structural zeros vanish while an algorithm is traced. Folding takes numbers to be finite: 0 * x is 0 for every x.
"""

import itertools
import math
from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from chasles.errors import TraceError
from chasles.graph import refusals
from chasles.scalar import ops
from chasles.scalar.leaf import Leaf
from chasles.scalar.operations import OPERATIONS


class Graph:
    """The nodes of one trace, in the order they were made: arguments come before what uses them.

    uniform: sums leave the signs of constants alone, so that what differs only in its constants has nodes that are
    alike. A sum that absorbs them, x + (-c) y = x - c y, may share c y with another.
    """

    __slots__ = ("count", "number", "table", "uniform")
    depth = 0  # how many steps of loops are being traced around this one
    made = itertools.count()

    def __init__(self, uniform: bool = False) -> None:
        self.uniform = uniform
        self.number = next(self.made)
        self.table: dict[tuple[Any, ...], Expr] = {}
        self.count = 0

    def input(self, operand: int, index: int) -> "Expr":
        """The node that reads flat element `index` of input `operand`."""
        return self.make("input", operand, index)

    def make(self, op: str, *args: Any) -> "Expr":
        """The node of an operation, unfolded."""
        if len(args) == 2:
            x, y = args
            key = (op, x.token if type(x) is Expr else x, y.token if type(y) is Expr else y)
        else:
            key = (op, *[x.token if type(x) is Expr else x for x in args])
        node = self.table.get(key)
        if node is None:
            node = Expr()
            node.graph, node.op, node.args, node.id, node.token = self, op, args, self.count, object()
            self.count += 1
            self.table[key] = node
        return node

    def adopt(self, x: "Expr") -> "Expr":
        """A value of another trace, as a node of this one: the step of a loop takes those of enclosing traces."""
        raise x.graph.foreign_error(x)

    def foreign_error(self, node: "Expr") -> TraceError:
        """What to say of a node of this graph that is used in another trace."""
        return TraceError("two traced values of different traces met: a traced value lives only inside its function")

    def show(self, node: "Expr") -> str:
        """The text of a node."""
        return f"x{node.args[0]}[{node.args[1]}]" if node.op == "input" else f"<{node.op} #{node.id}>"

    def reduce(self, node: "Expr") -> Any:
        """What a node is pickled as."""
        raise TraceError("a traced value lives only inside its function: it cannot be pickled")


class Expr:
    """A traced scalar: takes + - * / ** and the functions of `chasles.scalar.ops`, and NumPy's (by graph/array.py)."""

    __slots__ = ("__weakref__", "args", "graph", "id", "key", "op", "token")
    graph: Graph
    op: str
    args: tuple[Any, ...]
    id: int
    token: object  # the node in the keys of tables: it is hashed, the node itself is not
    key: tuple[str, bytes]  # of expressions of symbols: what they are (graph/symbol.py)

    def __add__(self, other: Any) -> Any:
        return _binary(add, self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _binary(sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _binary(lambda x, y: sub(y, x), self, other)

    def __mul__(self, other: Any) -> Any:
        return _binary(mul, self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _binary(div, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary(lambda x, y: div(y, x), self, other)

    def __neg__(self) -> Any:
        return neg(self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return ops.absolute(self)

    def __pow__(self, other: Any) -> Any:
        return _binary(power, self, other)

    def __rpow__(self, other: Any) -> Any:
        return _binary(lambda x, y: power(y, x), self, other)

    def __lt__(self, other: Any) -> Any:
        return _binary(less, self, other)

    def __le__(self, other: Any) -> Any:
        return _binary(less_equal, self, other)

    def __gt__(self, other: Any) -> Any:
        return _binary(lambda x, y: less(y, x), self, other)

    def __ge__(self, other: Any) -> Any:
        return _binary(lambda x, y: less_equal(y, x), self, other)

    def __eq__(self, other: Any) -> Any:
        return _binary(equal, self, other)

    def __ne__(self, other: Any) -> Any:
        return _binary(lambda x, y: ~equal(x, y), self, other)

    def __hash__(self) -> int:
        raise TraceError(refusals.NO_KEY)

    def __and__(self, other: Any) -> Any:
        if isinstance(other, (bool, np.bool_)):
            return self if other else False
        return _make("and", self, other)

    def __or__(self, other: Any) -> Any:
        if isinstance(other, (bool, np.bool_)):
            return True if other else self
        return _make("or", self, other)

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Any:
        return self.graph.make("not", self)

    def __bool__(self) -> bool:
        raise TraceError(refusals.NO_TRUTH)

    def __float__(self) -> float:
        raise TraceError(refusals.NO_NUMBER)

    def __index__(self) -> int:
        raise TraceError(refusals.NO_WHOLE_NUMBER)

    __int__ = __index__

    def __repr__(self) -> str:
        return self.graph.show(self)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else repr(self)

    def __reduce__(self) -> Any:
        return self.graph.reduce(self)

    __copy__ = __pos__

    def __deepcopy__(self, memo: Any) -> "Expr":
        return self


def _binary(rule: Callable[[Any, Any], Any], x: Expr, other: Any) -> Any:
    kind = type(other)
    if kind is Expr:
        return rule(x, other) if other.graph is x.graph else rule(*in_one_graph(x, other))
    if kind is float:
        return rule(x, other + 0.0)
    if isinstance(other, (int, float, np.floating, np.integer, np.bool_)):
        return rule(x, float(other) + 0.0)
    if isinstance(other, Number):  # which Python would take for different from x
        raise TraceError(f"a traced value takes floats and integers: make the {kind.__name__} a float")
    return NotImplemented


def _make(op: str, *args: Any) -> Expr:
    """The node of an operation in the one graph of the nodes among its arguments."""
    graph = None
    for x in args:
        if type(x) is Expr and x.graph is not graph:
            if graph is not None:
                return _make(op, *in_one_graph(*args))
            graph = x.graph
    assert graph is not None
    return graph.make(op, *args)


def in_one_graph(*args: Any) -> tuple[Any, ...]:
    """The arguments as nodes of one graph, the innermost of theirs, which adopts the others."""
    graph = max((x.graph for x in args if type(x) is Expr), key=lambda graph: graph.depth)
    return tuple(graph.adopt(x) if type(x) is Expr and x.graph is not graph else x for x in args)


def neg(x: Leaf) -> Leaf:
    if type(x) is float:
        return -x + 0.0
    if x.op == "neg":
        return x.args[0]
    if x.op == "sub":
        return x.graph.make("sub", x.args[1], x.args[0])
    if x.op == "mul" and type(x.args[0]) is float:
        return x.graph.make("mul", -x.args[0], x.args[1])
    return x.graph.make("neg", x)


def add(x: Leaf, y: Leaf) -> Leaf:
    if type(x) is float:
        if type(y) is float:
            return x + y
        x, y = y, x
    if type(y) is float:
        if y == 0.0:
            return x
        return x.graph.make("add", y, x)
    if y.op == "neg":
        return sub(x, y.args[0])
    if x.op == "neg":
        return sub(y, x.args[0])
    if _negative(y):
        return sub(x, neg(y))
    if _negative(x):
        return sub(y, neg(x))
    if x is y:
        return mul(2.0, x)
    if x.id > y.id:
        x, y = y, x
    return x.graph.make("add", x, y)


def _negative(x: Expr) -> bool:
    """Whether x is a product with a negative constant, and a sum absorbs the sign."""
    return x.op == "mul" and type(x.args[0]) is float and x.args[0] < 0.0 and not x.graph.uniform


def sub(x: Leaf, y: Leaf) -> Leaf:
    if x is y:
        return 0.0
    if type(y) is float:
        return x - y if type(x) is float else add(x, -y + 0.0)
    if type(x) is float:
        return neg(y) if x == 0.0 else y.graph.make("sub", x, y)
    if y.op == "neg":
        return add(x, y.args[0])
    if _negative(y):
        return add(x, neg(y))
    if x.op == "neg":
        return neg(add(x.args[0], y))
    return x.graph.make("sub", x, y)


def mul(x: Leaf, y: Leaf) -> Leaf:
    if type(y) is float:
        if type(x) is float:
            return x * y
        x, y = y, x
    if type(x) is float:
        if x == 0.0:
            return 0.0
        if x == 1.0:
            return y
        if x == -1.0:
            return neg(y)
        if y.op == "neg":
            return mul(-x, y.args[0])
        if y.op == "mul" and type(y.args[0]) is float:
            return mul(x * y.args[0], y.args[1])
        return y.graph.make("mul", x, y)
    if x.op == "neg":
        return neg(mul(x.args[0], y))
    if y.op == "neg":
        return neg(mul(x, y.args[0]))
    if x.op == "mul" and type(x.args[0]) is float and y.op == "mul" and type(y.args[0]) is float:
        return mul(x.args[0] * y.args[0], mul(x.args[1], y.args[1]))
    if _inverse(x, y) or _inverse(y, x):
        return 1.0
    if x.id > y.id:
        x, y = y, x
    return x.graph.make("mul", x, y)


def _inverse(x: Expr, y: Expr) -> bool:
    return x.op == "div" and x.args[1] is y and type(x.args[0]) is float and x.args[0] == 1.0


def div(x: Leaf, y: Leaf) -> Leaf:
    if type(y) is float:
        if type(x) is float:
            return x / y
        if y == 0.0:
            raise TraceError("division of a traced value by the constant zero")
        tiny = abs(y) <= 2.0**-1022  # its reciprocal may be infinite
        return x.graph.make("div", x, y) if tiny else mul(1.0 / y, x)
    if type(x) is float and x == 0.0:
        return 0.0
    if x is y:
        return 1.0
    if y.op == "neg":
        return neg(div(x, y.args[0]))
    if type(x) is Expr and x.op == "neg":
        return neg(div(x.args[0], y))
    return y.graph.make("div", x, y)


def power(x: Leaf, y: Leaf) -> Leaf:
    if type(y) is float:
        if y == 0.5:
            return call("sqrt", x)
        if abs(y) <= 64 and y == int(y):
            count, result, base = int(abs(y)), 1.0, x
            while count:  # by squaring
                if count & 1:
                    result = mul(result, base)
                count >>= 1
                base = mul(base, base) if count else base
            return result if y >= 0.0 else div(1.0, result)
    return _make("pow", x, y)


def less(x: Leaf, y: Leaf) -> Leaf:
    if type(x) is float and type(y) is float:
        return x < y
    return False if x is y else _make("less", x, y)


def less_equal(x: Leaf, y: Leaf) -> Leaf:
    if type(x) is float and type(y) is float:
        return x <= y
    return _make("less_equal", x, y)


def equal(x: Leaf, y: Leaf) -> Leaf:
    return less_equal(x, y) & less_equal(y, x)


def where(condition: Leaf, x: Leaf, y: Leaf) -> Leaf:
    if type(condition) is not Expr:
        return x if condition else y
    if x is y or (type(x) is float and type(y) is float and x == y):
        return x
    return _make("where", condition, _leaf(x), _leaf(y))


def _leaf(x: Leaf) -> Leaf:
    return x if type(x) is Expr else math.nan if math.isnan(x) else float(x) + 0.0  # one nan: equal programs


def call(name: str, *args: Leaf) -> Leaf:
    """The function `name` of nodes and constants."""
    args = tuple(map(_leaf, args))
    if all(type(x) is float for x in args):
        return ops.apply(name, *args)
    row = OPERATIONS[name]
    if row.parity is not None and args[0].op == "neg":
        f = call(name, args[0].args[0])
        return neg(f) if row.parity == "odd" else f
    if row.rewritten is not None:
        return row.rewritten(*args)
    return _make(name, *args)


def _function(name: str) -> Callable[..., Any]:
    return lambda *x: call(name, *x)


ops.register(
    Expr,
    {
        **{name: _function(name) for name in (*ops.UNARY, "atan2", "pow", "random", "normal")},
        "less": lambda x, y: less(_leaf(x), _leaf(y)),
        "less_equal": lambda x, y: less_equal(_leaf(x), _leaf(y)),
        "where": where,
    },
)
