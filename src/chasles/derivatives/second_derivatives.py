"""Second derivatives of large robots: every direction by the Hessian-vector kernel, as one batch.

Compiled, the tensors of n degrees of freedom are some n times the operations of one direction
(dynamics/second_derivatives.py); here that one kernel runs on n directions. With tau(q, qd, qdd) inverse dynamics

    e_k(dtau_i/dx_j) at [i, j, k]:  the derivatives along (dq, dqd, dqdd) = (e_k, 0, 0) or (0, e_k, 0)           (1)
    d2qdd/dx dy = -M^-1 (d2tau/dx dy + dM/dx dqdd/dy + dM/dy dqdd/dx)             (2)
"""

import numpy as np
from numpy.typing import ArrayLike

from chasles.robot_like import RobotLike

Array = np.ndarray


def inverse_dynamics_tensors(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    tool_wrench: ArrayLike | None = None,
    link_wrenches: ArrayLike | None = None,
) -> tuple[Array, ...]:
    """d2tau by (q, q), (qd, q), (qd, qd) and (qdd, q), each (..., n, n, n), the last derived by last."""
    x, v, a = (np.asarray(given, dtype=float)[..., None, :] for given in (q, qd, qdd))
    tool = None if tool_wrench is None else np.asarray(tool_wrench, dtype=float)[..., None, :]
    links = None if link_wrenches is None else np.asarray(link_wrenches, dtype=float)[..., None, :, :]
    units, still = np.eye(robot.n), np.zeros(robot.n)
    qq, vq, dM = robot.inverse_dynamics_derivatives_along(x, v, a, units, still, still, tool, links)
    _, vv, _ = robot.inverse_dynamics_derivatives_along(x, v, a, still, units, still, tool, links)
    return tuple(np.moveaxis(T, -3, -1) for T in (qq, vq, vv, dM))  # (1)


def forward_dynamics_tensors(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    tool_wrench: ArrayLike | None = None,
    link_wrenches: ArrayLike | None = None,
) -> tuple[Array, ...]:
    """d2qdd by (q, q), (qd, q), (qd, qd) and (tau, q), each (..., n, n, n), the last derived by last."""
    wrenches = tool_wrench, link_wrenches
    qdd = robot.forward_dynamics(q, qd, tau, *wrenches)
    dqdd_dq, dqdd_dqd, inverse = robot.forward_dynamics_derivatives(q, qd, tau, *wrenches)
    qq, vq, vv, dM = inverse_dynamics_tensors(robot, q, qd, qdd, *wrenches)
    qq = qq + _after(dM, dqdd_dq) + np.swapaxes(_after(dM, dqdd_dq), -1, -2)
    vq = vq + _after(dM, dqdd_dqd)
    return tuple(-np.einsum("...im,...mjk->...ijk", inverse, T) for T in (qq, vq, vv, _after(dM, inverse)))


def _after(dM: Array, slope: Array) -> Array:
    """[i, j, k]: sum over m of dM_im/dq_k dqdd_m/dy_j."""
    return np.einsum("...imk,...mj->...ijk", dM, slope)  # (2)
