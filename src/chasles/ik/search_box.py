"""Configurations that a search may go to, and those it starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import real, refuse_foreign, shown
from chasles.errors import ModelError
from chasles.ik.limits import Box, OwnJoints, start
from chasles.lazy import lazy
from chasles.model.checks import pitch
from chasles.model.joint import ScrewJoint
from chasles.robot_like import RobotLike

Array = NDArray[np.float64]
_TURN = 2.0 * np.pi
_ROUNDING = 1e-12  # rad, of full turns
_SLIDE = 2.0  # m, of joints without limits


@dataclass(frozen=True)
class SearchBox:
    """Limits of q (nq,), and the box of starts in them: centre (nq,) and sides (n,).

    turning: (n,) the velocities, and for joints of one degree of freedom the coordinates, of which a full turn is none.
    walls: (lower, upper), without the limits of joints that can take every angle within them: to such a joint a limit
    is no end, it goes round and is brought back by full turns.
    """

    joints: OwnJoints
    lower: Array
    upper: Array
    centre: Array
    span: Array
    turning: NDArray[np.bool_]
    walls: tuple[Array, Array]

    @staticmethod
    def of(robot: RobotLike, limits: Any) -> SearchBox:
        """limits: True for the robot's own, False for none, or (lower, upper), numbers or (nq,) each."""
        if limits is True:
            lower, upper = robot.mechanism.position_limits
        elif limits is False:
            lower, upper = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
        else:
            lower, upper = _pair(limits, robot.nq)
        m = robot.mechanism
        followed = {mimic[0] for mimic in m.mimics if mimic is not None}
        centre, span, turning = np.zeros(robot.nq), np.zeros(robot.n), np.zeros(robot.n, dtype=bool)
        for own in m.own_joints:
            joint, a, b = own.joint, own.q.start, own.v.start
            centre[own.q] = joint.neutral()
            span[own.v] = [_TURN if any(S.w) else _SLIDE for S in joint.columns]
            if isinstance(joint, ScrewJoint):
                low, high = lower[a], upper[a]
                if not low <= high or low == np.inf or high == -np.inf:
                    raise ModelError(
                        f"inverse_kinematics: the limits of joint {own.name!r} exclude every position: "
                        f"lower {low:g}, upper {high:g}"
                    )
                turning[b] = _turns(joint) and own.link not in followed
                if not turning[b] and high - low < np.inf:
                    span[b] = high - low  # another turn of a helical joint is another place
                span[b] = min(span[b], high - low)
                inside = 0.5 * (low + high) if high - low < np.inf else 0.0
                centre[a] = min(max(inside, low + 0.5 * span[b]), high - 0.5 * span[b])
        walls = lower.copy(), upper.copy()
        for own in m.own_joints:
            a, b = own.q.start, own.v.start
            if isinstance(own.joint, ScrewJoint) and turning[b] and upper[a] - lower[a] >= _TURN - _ROUNDING:
                walls[0][a], walls[1][a] = -np.inf, np.inf
        return SearchBox(m.own_joints, lower, upper, centre, span, turning, walls)

    @lazy
    def going_round(self) -> NDArray[np.int_]:
        """The coordinates of joints that turn, one each."""
        turning = (x.q.start for x in self.joints if x.joint.nq == 1 and self.turning[x.v.start])
        return np.array([*turning], dtype=int)

    def holds(self, q: Array) -> bool:
        """Whether all of q is within the limits."""
        return bool(((q >= self.lower) & (q <= self.upper)).all())

    def starts(self, count: int) -> Array:
        """(count, nq) the starts of the attempts 1 to count."""
        box = Box(self.lower, self.upper, self.centre, self.span)
        return np.stack(np.broadcast_arrays(*start(self.joints, len(self.span), np.arange(1.0, count + 1), box)), -1)

    def mirrored(self, q: Array) -> Array:
        """(..., hops, nq) configurations with one joint that turns mirrored, or turned by half, or both."""
        out = []
        for a in self.going_round:
            for new in (-q[..., a], q[..., a] + np.pi, np.pi - q[..., a]):
                hop = q.copy()
                hop[..., a] = new - _TURN * np.round((new - self.centre[a]) / _TURN)
                out.append(hop)
        return np.stack(out, axis=-2) if out else q[..., None, :]

    def nearest(self, q: Array, to: Array) -> Array:
        """q, by full turns the nearest to `to` that keeps the limits. to: (..., nq), broadcasts with q."""
        out, a = np.array(q), self.going_round
        x, lower, upper = out[..., a], self.lower[a], self.upper[a]
        few, many = np.ceil((lower - x - _ROUNDING) / _TURN), np.floor((upper - x + _ROUNDING) / _TURN)
        turns = np.clip(np.round((to[..., a] - x) / _TURN), few, many)
        moved = np.clip(x + _TURN * turns, lower, upper)
        out[..., a] = np.where((few <= many) & (turns != 0.0), moved, x)
        return out


def _turns(joint: ScrewJoint) -> bool:
    """Whether a full turn of the joint is none: not of a helical one."""
    w, v = np.array([*joint.S.w]), np.array([*joint.S.v])
    return bool(w.any()) and not pitch(w, v, float(np.linalg.norm(v)))


def _pair(limits: Any, nq: int) -> tuple[Array, Array]:
    what = "inverse_kinematics: limits must be True, False or (lower, upper)"
    if not isinstance(limits, (tuple, list, np.ndarray)) or len(limits) != 2:
        raise ModelError(f"{what}, got {shown(limits)}")
    refuse_foreign(limits, "inverse_kinematics: limits", ModelError)
    sides = [real(x, "inverse_kinematics: limits", error=ModelError) for x in limits]
    if any(x.shape not in ((), (nq,)) for x in sides):
        raise ModelError(f"{what}, numbers or ({nq},) each, got {shown(limits)}")
    lower, upper = (np.broadcast_to(x, (nq,)).copy() for x in sides)
    return lower, upper
