"""Discrete mechanics: momenta of the discrete Lagrangian of a step, and the step that begins with given ones.

Unit time: a step of h seconds at velocities x has v = h x, and momenta p that are h times those of the motion.

    p_0(q, v) = p                                                                 (1)

is solved for v by a quasi-Newton iteration. To second order p_0 is M v + C(q, v) v / 2, with C that of the Christoffel
symbols, and its derivative along eta is, with the brackets of the joints' groups,

    (M + C(q, v)) (1 - ad_v / 2) eta                                              (2)

which at u, velocities near to v, is factored once; so each time a factor of the square of v is gained, down to the last
digits. Of deep trees, long chains and humanoids, M alone is, as articulated bodies: that is linear in the number of
links, but gains only a factor of v, and a free base is not balanced as below. The iteration begins at the solution of
what is of second order, less its lag behind v in the steps before.

p_1 - p_0 is what a step adds to the momenta, for the v that leads from q to q1 exactly as they are rounded, which is
much where a joint has turned often; a free base moves against it. What is left of (1) is carried on. So momenta that
are kept stay the same number, up to rounding of either sign.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chasles.catalogue import coordinates
from chasles.catalogue.dynamics import coriolis_matrix, mass_matrix
from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.dynamics.articulated_body import articulate, response
from chasles.dynamics.composite_body import Matrix
from chasles.dynamics.discrete_newton_euler import end_momenta, increments, start_momenta
from chasles.dynamics.linear_solve import factored_from_tips
from chasles.dynamics.matrices import dot
from chasles.graph.trace_loop import loop
from chasles.lie import Twist, Wrench
from chasles.lie.increment import Increment
from chasles.model.joint import Joint, ScrewJoint
from chasles.scalar.leaf import Leaves
from chasles.scalar.ops import less, where

DEEP = 1000  # the sum of squares of the numbers of bodies from each to the base: a row of 14, or a humanoid (1300)
MOST_ITERATIONS = 30
LARGEST_CHANGE = 1e-14  # of v, relative: the next one would be shorter by a factor of the square of v
LARGEST_ROUNDING = 1e-16  # of p, relative: what is left of (1) where nothing better is found
LARGEST_LEFT = 1e-7  # of v, relative: where the next change would be longer, there is no step, and the row is nan
SHORTEST_LEFT = 1e-10  # of v, rad or m, the same where the rounding of large coordinates is more than that


@declare("q v", {"start": ("n",), "end": ("n",)})
def discrete_momenta(robot: Traceable, options: Options, q: Leaves, v: Leaves) -> Any:
    G, tree = robot.coupling, robot.cheap
    q1 = coordinates.integrate(robot, options, q, v)
    y, (before, after) = G.velocities(v), (tree.motions(G.coordinates(x)) for x in (q, q1))
    W = increments(tree, before, y)
    return G.forces(start_momenta(tree, before, W, y)), G.forces(end_momenta(tree, after, W, y))


@declare("q u v momenta", {"q1": ("nq",), "gained": ("n",), "moved": ("n",), "lag": ("n",)}, needs="inverse")
def discrete_step(robot: Traceable, options: Options, q: Leaves, u: Leaves, v: Leaves, momenta: Leaves) -> Any:
    """Where a step ends that begins with momenta, what p_1 is beyond p_0, its velocities, and their lag behind what
    is of second order. u: velocities near to them; v: a guess of the lag.
    """
    G, tree, p = robot.coupling, robot.cheap, momenta
    motions, tangent = tree.motions(G.coordinates(q)), _tangent(robot, options, q, u)

    def back(left: Leaves) -> list[Any]:
        """(2), solved."""
        return _half_turned(robot, u, tangent.solve(left))

    def newton(v: Any) -> Any:
        y = G.velocities(list(v))
        start = G.forces(start_momenta(tree, motions, increments(tree, motions, y), y))
        left = [a - b for a, b in zip(start, p, strict=True)]
        change = back(left)
        found = [a - b for a, b in zip(v, change, strict=True)]
        done = _square(change) <= LARGEST_CHANGE**2 * _square(found)
        return np.stack(found), {"until": done | (_square(left) <= LARGEST_ROUNDING**2 * _square(p))}

    second = [a + b * 0.5 for a, b in zip(p, tangent.turning, strict=True)]
    ahead = [a - b for a, b in zip(tangent.solve(second), u, strict=True)]
    straight = [a + b for a, b in zip(u, _half_turned(robot, u, ahead), strict=True)]
    guess = [a - b for a, b in zip(straight, v, strict=True)]
    found = list(loop(newton, np.array(guess, object), count=MOST_ITERATIONS, rule="fixed_point")[0])
    rounded = _between(robot, q, coordinates.integrate(robot, options, q, found), found)
    exact = _balanced(robot, tangent.M, rounded, [a - b for a, b in zip(rounded, found, strict=True)])
    q1 = coordinates.integrate(robot, options, q, _of_groups(robot, exact, found))
    y = G.velocities(exact)
    W = increments(tree, motions, y)
    start = G.forces(start_momenta(tree, motions, W, y))
    end = G.forces(end_momenta(tree, tree.motions(G.coordinates(q1)), W, y))
    left = [a - b for a, b in zip(start, p, strict=True)]
    off = less(LARGEST_LEFT**2 * _square(found) + SHORTEST_LEFT**2, _square(back(left)))
    turned = _carried(robot, left, exact)
    gained = [e - s + (a - b) for e, s, a, b in zip(end, start, left, turned, strict=True)]
    for k in _root_screws(robot):
        gained[k] = 0.0
    gained = [where(off, math.nan, x) for x in gained]
    return q1, gained, found, [a - b for a, b in zip(straight, found, strict=True)]


class _Tangent(NamedTuple):
    """(M + C)^-1 as a function, C u, and M; of a deep tree M^-1, zeros, and no M."""

    solve: Callable[[Leaves], list[Any]]
    turning: list[Any]
    M: Matrix | None


def _tangent(robot: Traceable, options: Options, q: Leaves, u: Leaves) -> _Tangent:
    tree = robot.cheap
    if robot.coupling.is_trivial and sum(len(tree.path(i)) ** 2 for i in range(len(tree.bodies))) > DEEP:
        factors = articulate(tree, q)
        return _Tangent(lambda left: response(tree, factors, left), [0.0] * tree.n, None)
    M, C = mass_matrix(robot, options, q), coriolis_matrix(robot, options, q, u)
    sums = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(M, C, strict=True)]
    both = factored_from_tips(sums, symmetric=False)
    return _Tangent(both.solve, [dot(row, u) for row in C], M)


def _between(robot: Traceable, q: Leaves, q1: Leaves, v: Leaves) -> list[Any]:
    """v, of screws as the rounding of their angles leaves it: far from 0, q1 - q is not what was added to q."""
    exact = list(v)
    for own in robot.mechanism.own_joints:
        if isinstance(own.joint, ScrewJoint):
            offset = robot.cheap.bodies[own.link].offset
            exact[own.v.start] = (q1[own.q.start] + offset) - (q[own.q.start] + offset)
    return exact


def _balanced(robot: Traceable, M: Matrix | None, v: Leaves, rounding: Leaves) -> list[Any]:
    """v, where bodies that move freely on the base move against the momentum that the rounding of screws adds to v."""
    out = list(v)
    if M is None:
        return out
    for own in robot.mechanism.own_joints:
        if not isinstance(own.joint, ScrewJoint) and robot.cheap.bodies[own.link].parent < 0:
            rows = range(own.v.start, own.v.stop)
            added = [dot(M[i], rounding) for i in rows]
            against = factored_from_tips([[M[i][j] for j in rows] for i in rows]).solve(added)
            out[own.v] = [a - b for a, b in zip(v[own.v], against, strict=True)]
    return out


def _of_groups(robot: Traceable, v: Leaves, rest: Leaves) -> list[Any]:
    """v of joints of several degrees of freedom, and the rest."""
    out = list(rest)
    for own in robot.mechanism.own_joints:
        if not isinstance(own.joint, ScrewJoint):
            out[own.v] = v[own.v]
    return out


def _root_screws(robot: Traceable) -> list[int]:
    """The velocities of screws on the base, where nothing mimics: the momentum of all they carry, which is kept."""
    own = robot.mechanism.own_joints if robot.coupling.is_trivial else ()
    return [x.v.start for x in own if isinstance(x.joint, ScrewJoint) and robot.cheap.bodies[x.link].parent < 0]


def _half_turned(robot: Traceable, v: Leaves, eta: Leaves) -> list[Any]:
    """eta + [v, eta] / 2, the brackets those of the joints' groups."""
    out = list(eta)
    for own in robot.mechanism.own_joints:
        if not isinstance(own.joint, ScrewJoint):
            V, N = (_along(own.joint, x[own.v]) for x in (v, eta))
            turn = V.ad(N) * 0.5
            out[own.v] = [x + _component(turn, S) for x, S in zip(eta[own.v], own.joint.columns, strict=True)]
    return out


def _along(joint: Joint, v: Leaves) -> Twist:
    total = Twist.zero()
    for S, v_a in zip(joint.columns, v, strict=True):
        total = total + S * v_a
    return total


def _component(V: Twist, S: Twist) -> Any:
    """Of V along S, one of the unit twists that are the columns of a joint of several degrees of freedom."""
    return V.w.dot(S.w) + V.v.dot(S.v)


def _carried(robot: Traceable, p: Leaves, v: Leaves) -> list[Any]:
    """Momenta p of joints of several degrees of freedom, seen from where v leads: what does not turn with the body."""
    carried = list(p)
    for own in robot.mechanism.own_joints:
        if isinstance(own.joint, ScrewJoint):
            continue
        F = _along(own.joint, p[own.v])
        F = Increment.exp(_along(own.joint, v[own.v])).motion().Ad_star(Wrench(F.w, F.v))
        carried[own.v] = [F.pair(S) for S in own.joint.columns]
    return carried


def _square(v: Any) -> Any:
    total = v[0] * v[0]
    for x in v[1:]:
        total = total + x * x
    return total
