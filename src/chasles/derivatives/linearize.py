"""Linearisation of a robot's motion, about a state or along a trajectory.

The state is x = (dq, dqd): dq a small motion in the joints' frames, q -> integrate(q, dq), and a change of velocity.
With K = dtau/dq and D = dtau/dqd of inverse dynamics [LIN-1]

    d(dqd)/dt = -M^-1 (K dq + D dqd) + M^-1 dtau                                  (1)  [LIN-2]
    d(dq)/dt  = dqd - ad(qd) dq                                                   (2)

ad(qd) dq = [qd, dq] on the group of each joint: zero for screws, w x dq for a spherical joint. (2) because moving E to
E exp(dq) changes its velocity E^-1 dE/dt by d(dq)/dt + [qd, dq]. So dx/dt = A x + B dtau with

    A = [ -ad(qd)    1      ]      B = [ 0    ]
        [ -M^-1 K   -M^-1 D ]          [ M^-1 ]                                   (3)

Where dtau is held for a time dt, with A and B as at its start:

    exact   [Ad Bd; 0 1] = exp([A B; 0 0] dt)                                     (4)
    euler   Ad = 1 + A dt,  Bd = B dt                                             (5)
    tustin  Ad = (1 - A dt/2)^-1 (1 + A dt/2),  Bd = (1 - A dt/2)^-1 B dt         (6)

x is the difference from the motion that (q, qd, tau) belongs to, so that no constant term stands in (3), at rest or
not. (4) is exact for the linear system; for the derivative of a simulator's step differentiate that step.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import array, one_of, positive, vector
from chasles.linear_algebra import matrix_exponential
from chasles.reprs import record
from chasles.riemann.structure_constants import adjoint
from chasles.robot_like import RobotLike

Array = NDArray[np.float64]
METHODS = ("exact", "euler", "tustin")


@record()
class Linearization(NamedTuple):
    """A: (..., 2n, 2n), B: (..., 2n, n), of the state (dq, dqd) and the joint forces."""

    A: Array
    B: Array


def linearize(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    dt: float | None = None,
    method: Literal["exact", "euler", "tustin"] = "exact",
) -> Linearization:
    """A and B with dx/dt = A x + B dtau, or x' = A x + B dtau a time dt later; x = (dq, dqd).

    q: (..., nq), qd, tau: (..., n), broadcast: a trajectory is arrays (T, n). dt: seconds (default: continuous time).
    method: of discretising, "exact" with tau held, "euler", or "tustin" (bilinear).
    """
    one_of(method, "method", METHODS)
    v = vector(qd, "linearize: qd", robot.n)
    dqdd_dq, dqdd_dqd, dqdd_dtau = robot.forward_dynamics_derivatives(q, v, tau)
    n = robot.n
    A, B = np.zeros((*dqdd_dq.shape[:-2], 2 * n, 2 * n)), np.zeros((*dqdd_dq.shape[:-2], 2 * n, n))
    A[..., :n, :n] = -adjoint(robot, v)  # (2)
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :n], A[..., n:, n:], B[..., n:, :] = dqdd_dq, dqdd_dqd, dqdd_dtau  # (1)
    return Linearization(A, B) if dt is None else discretize(A, B, dt, method)


def discretize(A: ArrayLike, B: ArrayLike, dt: float, method: str = "exact") -> Linearization:
    """The discrete system of a continuous one, dx/dt = A x + B u. A: (..., m, m), B: (..., m, k), dt: seconds."""
    one_of(method, "method", METHODS)
    dt, G = positive(dt, "dt"), array(B, "discretize: B", ("...", -1, -1))
    m, k = G.shape[-2:]
    F = array(A, "discretize: A", ("...", m, m))
    one = np.eye(m)
    if method == "euler":
        return Linearization(one + F * dt, G * dt)  # (5)
    if method == "tustin":
        left = one - F * (dt / 2.0)
        inverse: Array = np.asarray(np.linalg.inv(left), dtype=np.float64)
        return Linearization(inverse @ (one + F * (dt / 2.0)), inverse @ G * dt)  # (6)
    both = np.zeros((*G.shape[:-2], m + k, m + k))
    both[..., :m, :m], both[..., :m, m:] = F, G
    held = matrix_exponential(both * dt)
    return Linearization(held[..., :m, :m], held[..., :m, m:])  # (4)
