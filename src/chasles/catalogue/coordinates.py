"""Moving on configuration space: from a configuration along a velocity, and from one to another."""

from typing import Any

from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.scalar.leaf import Leaves


@declare("q v", ("nq",))
def integrate(robot: Traceable, options: Options, q: Leaves, v: Leaves) -> Any:
    moved = [j.integrate(q[a : a + j.nq], v[b : b + j.nv]) for j, a, b in robot.joints()]
    return [x for part in moved for x in part]


@declare("q v", ("nq",))
def coordinate_rates(robot: Traceable, options: Options, q: Leaves, v: Leaves) -> Any:
    rates = [j.rates(q[a : a + j.nq], v[b : b + j.nv]) for j, a, b in robot.joints()]
    return [x for part in rates for x in part]


@declare("q0 q1", ("n",))
def difference(robot: Traceable, options: Options, q0: Leaves, q1: Leaves) -> Any:
    steps = [j.difference(q0[a : a + j.nq], q1[a : a + j.nq]) for j, a, _ in robot.joints()]
    return [x for part in steps for x in part]


@declare("q", ("nq",))
def normalize(robot: Traceable, options: Options, q: Leaves) -> Any:
    return [x for j, a, _ in robot.joints() for x in j.normalize(q[a : a + j.nq])]
