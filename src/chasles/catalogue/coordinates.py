"""Moving on configuration space: from a configuration along a velocity, and from one to another."""

from typing import Any

from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.scalar.leaf import Leaves


@declare("q v", ("nq",))
def integrate(robot: Traceable, options: Options, q: Leaves, v: Leaves) -> Any:
    moved = [own.joint.integrate(q[own.q], v[own.v]) for own in robot.mechanism.own_joints]
    return [x for part in moved for x in part]


@declare("q v", ("nq",))
def coordinate_rates(robot: Traceable, options: Options, q: Leaves, v: Leaves) -> Any:
    rates = [own.joint.rates(q[own.q], v[own.v]) for own in robot.mechanism.own_joints]
    return [x for part in rates for x in part]


@declare("q0 q1", ("n",))
def difference(robot: Traceable, options: Options, q0: Leaves, q1: Leaves) -> Any:
    steps = [own.joint.difference(q0[own.q], q1[own.q]) for own in robot.mechanism.own_joints]
    return [x for part in steps for x in part]


@declare("q", ("nq",))
def normalize(robot: Traceable, options: Options, q: Leaves) -> Any:
    return [x for own in robot.mechanism.own_joints for x in own.joint.normalize(q[own.q])]
