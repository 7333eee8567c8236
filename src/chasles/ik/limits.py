"""The limits of a search: where its attempts begin, and what is held within them.

Attempt k > 0 begins at the k-th point of a sequence that fills the box of configurations evenly,

    centre + span (frac(1/2 + k a_j) - 1/2),   a_j = g^-j,   g^(n+1) = g + 1      (1)

with g the golden ratio of n dimensions. A joint at a limit that the gradient J^T e presses against is held (its column
is zero), and what passes a limit is put back to it: joints of one degree of freedom have limits, others none.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from chasles.model.mechanism import OwnJoint
from chasles.scalar.ops import apply, less, less_equal, maximum, minimum, where

OwnJoints = Sequence[OwnJoint]


class Box(NamedTuple):
    """Limits of q (nq,), and the box in which attempts begin: its centre (nq,) and its sides (nv,)."""

    lower: Any
    upper: Any
    centre: Any
    span: Any


def start(joints: OwnJoints, n: int, attempt: Any, box: Box) -> list[Any]:
    """The configuration of (1) at which an attempt begins; n velocities."""
    g = 2.0
    for _ in range(60):
        g = (1.0 + g) ** (1.0 / (n + 1))
    places = [0.5 + attempt * g ** -(j + 1) for j in range(n)]
    v = [box.span[j] * (u - apply("floor", u) - 0.5) for j, u in enumerate(places)]
    return moved(joints, box.centre, v)  # (1)


def moved(joints: OwnJoints, q: Any, v: Any) -> list[Any]:
    """q after moving by v for unit time."""
    return [x for own in joints for x in own.joint.integrate(q[own.q], v[own.v])]


def within(joints: OwnJoints, q: list[Any], box: Box) -> list[Any]:
    """q, put back to the limits of joints of one degree of freedom."""
    out = list(q)
    for own in joints:
        if own.joint.nq == 1:
            a = own.q.start
            out[a] = minimum(maximum(q[a], box.lower[a]), box.upper[a])
    return out


def held(joints: OwnJoints, columns: list[Any], gradient: list[Any], q: Any, box: Box) -> list[Any]:
    """The columns, zero where a joint is at a limit that the gradient presses against."""
    out = list(columns)
    for own in joints:
        if own.joint.nq == 1:
            a, b = own.q.start, own.v.start
            free = where(less_equal(q[a], box.lower[a]), where(less(gradient[b], 0.0), 0.0, 1.0), 1.0)
            free = where(less_equal(box.upper[a], q[a]), where(less(0.0, gradient[b]), 0.0, 1.0), free)
            out[b] = [where(less(0.5, free), u, 0.0) for u in columns[b]]
    return out
