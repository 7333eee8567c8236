"""Discrete mechanics: momenta of the discrete Lagrangian of a step, and the step that begins with given ones.

Unit time: a step of h seconds at velocities x has v = h x, and momenta p that are h times those of the motion.

    p_0(q, v) = p                                                                 (1)

is solved for v by a quasi-Newton iteration, v <- v - M(q)^-1 (p_0(q, v) - p), that wins a factor of the size of v each
time. M is factored once. The last look at p_0, which the end of the step needs anyway, gives one more correction of v,
and what is left of (1) is handed on with p_1, which is such a correction of p_1.
"""

from typing import Any

import numpy as np

from chasles.catalogue import coordinates
from chasles.catalogue.dynamics import mass_matrix
from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.dynamics.discrete_newton_euler import end_momenta, increments, start_momenta
from chasles.dynamics.linear_solve import tree_factors
from chasles.graph.trace_loop import loop
from chasles.scalar.leaf import Leaves
from chasles.scalar.ops import less, where

MOST_ITERATIONS = 30
LARGEST_CHANGE = 1e-10  # of v, relative: the next one, that of the last look, is shorter by a factor of the size of v
LARGEST_LEFT = 1e-7  # a last correction above it, relative, is none: such a row is nan


@declare("q v", {"start": ("n",), "end": ("n",)})
def discrete_momenta(robot: Traceable, options: Options, q: Leaves, v: Leaves) -> Any:
    G, tree = robot.coupling, robot.cheap
    q1 = coordinates.integrate(robot, options, q, v)
    y, (before, after) = G.velocities(v), (tree.motions(G.coordinates(x)) for x in (q, q1))
    W = increments(tree, before, y)
    return G.forces(start_momenta(tree, before, W, y)), G.forces(end_momenta(tree, after, W, y))


@declare("q p v", {"q1": ("nq",), "p1": ("n",), "moved": ("n",), "lag": ("n",)}, needs="inverse")
def discrete_step(robot: Traceable, options: Options, q: Leaves, p: Leaves, v: Leaves) -> Any:
    """Where a step ends that begins with momenta p, those at its end, its velocities and how much they lag behind
    M^-1 p; v: a guess of the lag.
    """
    G, tree = robot.coupling, robot.cheap
    motions, factors = tree.motions(G.coordinates(q)), tree_factors(mass_matrix(robot, options, q))

    def looked(v: Any) -> tuple[Any, Any, list[Any]]:
        y = G.velocities(v)
        W = increments(tree, motions, y)
        left = [a - b for a, b in zip(G.forces(start_momenta(tree, motions, W, y)), p, strict=True)]
        return W, left, factors.solve(left)

    def newton(v: Any) -> Any:
        change = looked(list(v))[2]
        found = [a - b for a, b in zip(v, change, strict=True)]
        return np.stack(found), {"until": _square(change) <= LARGEST_CHANGE**2 * _square(found)}

    straight = factors.solve(p)
    guess = [a - b for a, b in zip(straight, v, strict=True)]
    found = list(loop(newton, np.array(guess, object), count=MOST_ITERATIONS, rule="fixed_point")[0])
    W, left, change = looked(found)
    moved = [a - b for a, b in zip(found, change, strict=True)]
    q1 = coordinates.integrate(robot, options, q, moved)
    end = G.forces(end_momenta(tree, tree.motions(G.coordinates(q1)), W, G.velocities(found)))
    off = less(LARGEST_LEFT**2 * _square(moved), _square(change))
    p1 = [where(off, float("nan"), a - b) for a, b in zip(end, left, strict=True)]
    return q1, p1, moved, [a - b for a, b in zip(straight, moved, strict=True)]


def _square(v: Any) -> Any:
    total = v[0] * v[0]
    for x in v[1:]:
        total = total + x * x
    return total
