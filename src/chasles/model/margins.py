"""Margins, as one program, by which values of symbols make a mechanism: model/arrival.py without words.

Of the values, row by row, three numbers, "margins":

    good      1 where nothing is to be refused, else 0
    doubt     0 where no inertia breaks the triangle inequality, else a number that tells which links do
    regular   1 where every moving link has a mass, and an inertia about every axis, else 0

A symmetric J has no eigenvalue below -s where the pivots of J + s 1 are not negative,

    d_1 = J_11 + s,   d_2 = J_22 + s - J_12^2 / d_1,   d_3 = ...                               (1)

and principal moments a <= b <= c have a + b - c >= -2 s where tr(J)/2 1 - J has none below -s     (2)

s is far above rounding, as in model/checks.py. What is refused or doubted here is looked at again there, with words.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chasles.arguments.motions import RIGID_TOLERANCE
from chasles.graph.node import Expr
from chasles.graph.operand import Operand
from chasles.graph.program import Program
from chasles.graph.symbol import substitute
from chasles.graph.trace import Results, trace
from chasles.model.leaves import is_number, is_symbolic
from chasles.model.link import Link
from chasles.model.mechanism import LOSSES, Mechanism
from chasles.scalar import ops

_FINITE = float(np.finfo(float).max)
_PAIRS = ((0, 1), (0, 2), (1, 2))
_DOUBTED_LINKS = 50  # links that `doubt` tells apart

Of = Callable[[Any], Any]  # a number of the mechanism as a leaf


def margins(m: Mechanism) -> Program:
    """The program, whose inputs are the mechanism's symbols."""

    def compute(*leaves: list[Any]) -> Results:
        of = _leaves(m, leaves)
        bodies = [(i, _Body(link, of)) for i, link in enumerate((m.base, *m.links)) if link.is_symbolic]
        good = [condition for _, body in bodies for condition in body.conditions()]
        for S in filter(is_symbolic, m.screws):
            good += _screw(S, [of(x) for x in S])
        poses = [*m.homes, *(frame.pose for frame in (*m.frames.values(), *((m.tool,) if m.tool else ())))]
        for T in filter(is_symbolic, poses):
            good += _pose([[of(x) for x in row] for row in T])
        for x in (of(x) for what in LOSSES for x in getattr(m, what) if not is_number(x)):
            good += [_finite(x), ops.less_equal(0.0, x)]
        good += [_finite(of(x)) for x in m.gravity if not is_number(x)]
        doubt: Any = 0.0
        for i, body in bodies:
            doubt = doubt + (1.0 - _truth(body.is_possible())) * 2.0 ** (i % _DOUBTED_LINKS)
        regular = [_Body(link, of).is_regular() for link in m.links]
        yield Operand("margins", (3,)), [_truth(_all(good)), doubt, _truth(_all(regular))]

    return trace(m.symbols, compute, lambda leaves, shape: list(leaves))


def _leaves(m: Mechanism, leaves: Sequence[Any]) -> Of:
    given = m.expressions
    values = {x.name: y for x, y in zip(m.symbols, leaves, strict=True)}
    found = dict(zip(map(id, given), substitute(given, values), strict=True))
    return lambda x: float(x) if is_number(x) else found[id(x)]


class _Body:
    """A link's numbers as leaves: mass, centre, J about it."""

    def __init__(self, link: Link, of: Of) -> None:
        self.stated = [of(x) for x in link.stated]
        self.mass, *rest = self.stated
        self.com, self.parameters = rest[:3], link.parameters is not None
        if not self.parameters:
            self.J = [rest[3 + 3 * i : 6 + 3 * i] for i in range(3)]
        else:
            xx, xy, yy, xz, yz, zz = rest[3:]
            h, m = self.com, ops.where(ops.less(0.0, self.mass), self.mass, 1.0)
            c = [x / m for x in h]
            square = c[0] * h[0] + c[1] * h[1] + c[2] * h[2]
            about = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
            self.J = [[about[i][k] - square * (i == k) + c[i] * h[k] for k in range(3)] for i in range(3)]
            self.com = c
        self.size: Any = 0.0
        for x in (x for row in self.J for x in row):
            self.size = ops.maximum(self.size, ops.absolute(x))
        far = 1.0 + 10.0 * sum((x * x for x in self.com), 0.0)
        self.noise = ops.maximum(1e-9 * self.size, 1e-15 * self.mass * far)

    def conditions(self) -> list[Any]:
        """Of a body: finite, a mass, no first moment without one, J symmetric and without negative eigenvalues."""
        out = [*map(_finite, self.stated), ops.less_equal(0.0, self.mass), *_pivots(self.J, self.noise)]
        out += [ops.less_equal(ops.absolute(self.J[i][k] - self.J[k][i]), 1e-9 * self.size) for i, k in _PAIRS]
        if self.parameters:
            moment = sum(map(ops.absolute, self.com), 0.0)
            out.append(ops.less_equal(ops.where(ops.less(0.0, self.mass), 0.0, moment), 0.0))
        return out

    def is_possible(self) -> Any:
        """(2): whether a distribution of mass has such an inertia."""
        half = 0.5 * (self.J[0][0] + self.J[1][1] + self.J[2][2])
        other = [[half * (i == k) - self.J[i][k] for k in range(3)] for i in range(3)]
        return _all(_pivots(other, 0.5 * (1e-9 * self.size + self.noise)))

    def is_regular(self) -> Any:
        """Whether it has a mass, and an inertia about every axis that is more than rounding."""
        pivots = _pivots(self.J, -1e-12 * self.size)
        return _all([ops.less(0.0, self.mass), ops.less(0.0, self.size), *pivots])


def _pivots(J: list[list[Any]], s: Any) -> list[Any]:
    """Whether those of J + s 1 are not negative, (1)."""
    d1 = J[0][0] + s
    first = ops.where(ops.less(0.0, d1), d1, 1.0)
    l2, l3 = J[1][0] / first, J[2][0] / first
    d2, e = J[1][1] + s - l2 * J[1][0], J[2][1] - l2 * J[2][0]
    second = ops.where(ops.less(0.0, d2), d2, 1.0)
    d3 = J[2][2] + s - l3 * J[2][0] - e * (e / second)
    return [ops.less_equal(0.0, d) for d in (d1, d2, d3)]


def _screw(S: np.ndarray, x: list[Any]) -> list[Any]:
    """Of a screw: finite, and not zero; nor its axis, where that has symbols."""
    out = [ops.less(0.0, sum(map(ops.absolute, x), 0.0)), *map(_finite, x)]
    return out if is_number(*S[:3]) else [*out, ops.less(0.0, sum(map(ops.absolute, x[:3]), 0.0))]


def _pose(T: list[list[Any]]) -> list[Any]:
    """Of a pose: finite, its rotation orthonormal and no reflection."""
    a, b, c = ([T[i][k] for i in range(3)] for k in range(3))
    inner = [(sum((p * q for p, q in zip(x, y, strict=True)), 0.0)) for x, y in ((a, a), (b, b), (c, c))]
    cross = [(sum((p * q for p, q in zip(x, y, strict=True)), 0.0)) for x, y in ((a, b), (a, c), (b, c))]
    off = [*(x - 1.0 for x in inner), *cross]
    det = a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1])
    finite = [_finite(x) for row in T[:3] for x in row]
    return [*finite, *(ops.less_equal(ops.absolute(x), RIGID_TOLERANCE) for x in off), ops.less_equal(0.0, det)]


def _finite(x: Any) -> Any:
    return ops.less_equal(ops.absolute(x), _FINITE)


def _all(conditions: list[Any]) -> Any:
    out: Any = True
    for condition in conditions:
        if type(condition) is Expr:
            out = condition if out is True else out & condition
        elif not condition:
            return False
    return out


def _truth(condition: Any) -> Any:
    return ops.where(condition, 1.0, 0.0) if type(condition) is Expr else float(condition)
