"""Derivatives that are 0 by choice: sums, products and choices of them that stay 0, whatever they are multiplied by.

The derivative of where(c, f, g) chooses as it does, so that of the side not taken is 0; where that side has no finite
slope, as sqrt at 0, a product would make it 0 * inf = nan. The *support* of a derivative is the condition under which
it may be other than 0; outside of it

    x p = 0,   x + y = 0 outside of both,   where(c, x, y) = 0 outside of (c and x's) or (not c and y's)      (1)

for every p. A derivative that is nowhere 0 by choice has the support True, and is computed as if nothing were known.
"""

from chasles.graph.node import Expr, where
from chasles.scalar.leaf import Leaf


class Supports:
    """The supports of derivatives, remembered of those that were made here; of others a choice of 0 is seen."""

    def __init__(self) -> None:
        self.known: dict[int, Leaf] = {}

    def of(self, x: Leaf) -> Leaf:
        """The support of x: a condition, True, or False for the number 0."""
        if type(x) is not Expr:
            return x != 0.0
        if x.op != "where":
            return self.known.get(x.id, True)
        support: Leaf = True
        while type(x) is Expr and x.id not in self.known and (zero := _chosen(x)):
            condition = x.args[0] if zero == 2 else _opposite(x.args[0])
            support, x = _both(support, condition), x.args[3 - zero]
        return _both(support, self.known.get(x.id, True)) if type(x) is Expr else support

    def times(self, x: Leaf, p: Leaf) -> Leaf:
        """x p, and 0 outside of the supports even where the other factor is infinite."""
        support = _both(self.of(x), self.of(p))
        if support is True or (type(p) is float and p == 1.0):
            return x * p
        return self._within(support, _inside(x) * _inside(p))  # (1)

    def times_finite(self, x: Leaf, p: Leaf) -> Leaf:
        """x p, where p is finite if all is well outside of untaken sides."""
        return self._noted(x * p, _both(self.of(x), self.of(p)))

    def plus(self, x: Leaf, y: Leaf) -> Leaf:
        """x + y; one choice, if both choose by the same condition."""
        s, t = self.of(x), self.of(y)
        a, b = _inside(x), _inside(y)
        if a is not x and b is not y:
            if s is t:
                return self._within(s, a + b)
            outer, condition = _halves(s, t)
            if condition is not None:
                return self._within(outer, _where(condition, a, b))
        return self._noted(x + y, _either(s, t))  # (1)

    def choice(self, condition: Leaf, x: Leaf, y: Leaf) -> Leaf:
        """where(condition, x, y)."""
        s, t = _both(self.of(x), condition), _both(self.of(y), _opposite(condition))
        if s is False and t is False:
            return 0.0
        return self._noted(_where(condition, x, y), _either(s, t))  # (1)

    def somewhere(self, derivatives: list[Leaf], x: Leaf) -> Leaf:
        """x, which depends on derivatives linearly: 0 where all of them are 0 by choice."""
        support: Leaf = False
        for dx in derivatives:
            support = _either(support, self.of(dx))
        return self._within(support, x)

    def _within(self, support: Leaf, x: Leaf) -> Leaf:
        """x inside of a support, 0 outside of it."""
        if type(support) is not Expr:
            return x if support else 0.0
        return self._noted(_where(support, x, 0.0), support)

    def _noted(self, x: Leaf, support: Leaf) -> Leaf:
        if type(x) is Expr and type(support) is Expr:
            self.known[x.id] = support
        return x


def _chosen(x: Leaf) -> int:
    """Which side of a choice is the number 0, 1 or 2; 0 if none."""
    if type(x) is Expr and x.op == "where":
        return next((k for k in (2, 1) if type(x.args[k]) is float and x.args[k] == 0.0), 0)
    return 0


def _inside(x: Leaf) -> Leaf:
    """What has the value of x inside of its support, and any outside."""
    while zero := _chosen(x):
        x = x.args[3 - zero]
    return x


def _where(condition: Expr, x: Leaf, y: Leaf) -> Leaf:
    return where(condition.args[0], y, x) if condition.op == "not" else where(condition, x, y)


def _opposite(condition: Leaf) -> Leaf:
    """not condition."""
    if type(condition) is not Expr:
        return not condition
    return condition.args[0] if condition.op == "not" else ~condition


def _both(s: Leaf, t: Leaf) -> Leaf:
    """s and t."""
    if s is t or t is True or s is False:
        return s
    return t if s is True or t is False else False if _opposite(s) is t else s & t


def _either(s: Leaf, t: Leaf) -> Leaf:
    """s or t."""
    if s is t or t is False or s is True:
        return s
    return t if s is False or t is True else True if _opposite(s) is t else s | t


def _halves(s: Leaf, t: Leaf) -> tuple[Leaf, Leaf]:
    """(o, c), if s is "o and c" and t is "o and not c"; (True, None) if not so."""
    if _opposite(s) is t:
        return True, s
    nested = type(s) is Expr and type(t) is Expr and s.op == t.op == "and" and s.args[0] is t.args[0]
    return s.args if nested and _opposite(s.args[1]) is t.args[1] else (True, None)
