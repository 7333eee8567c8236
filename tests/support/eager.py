"""A mechanism's quantities by the plain recursions on floats, mimics included: nothing is compiled."""

import numpy as np

from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.jacobian import jacobian
from chasles.dynamics.kinematics import frame_pose
from chasles.dynamics.newton_euler import newton_euler
from chasles.model.mechanism import Mechanism
from chasles.model.poses import matrix, pose


class Eager:
    """tau, M, bias, J (body) and pose, all of our coordinates, as arrays."""

    def __init__(self, m: Mechanism) -> None:
        self.m, self.follow = m, m.coupling

    def x(self, q) -> list[float]:
        return self.follow.coordinates(np.asarray(q, dtype=float).tolist())

    def tau(self, q, qd, qdd) -> np.ndarray:
        rates = [self.follow.velocities(np.asarray(v, dtype=float).tolist()) for v in (qd, qdd)]
        return np.array(self.follow.forces(newton_euler(self.m.tree, self.x(q), *rates).tau), dtype=float)

    def bias(self, q, qd) -> np.ndarray:
        return self.tau(q, qd, np.zeros(self.m.n))

    def M(self, q) -> np.ndarray:
        return np.array(self.follow.matrix(mass_matrix(self.m.tree, self.x(q))), dtype=float)

    def pose(self, q, frame) -> np.ndarray:
        at = self.m.frame(frame)
        return matrix(frame_pose(self.m.tree, self.x(q), at.body, pose(at.pose)))

    def J(self, q, frame, expressed="body") -> np.ndarray:
        at = self.m.frame(frame)
        columns = jacobian(self.m.tree, self.x(q), at.body, pose(at.pose), expressed)
        return np.array([[*V.w, *V.v] for V in self.follow.forces(columns)], dtype=float).T

    def random(self, rng: np.random.Generator) -> np.ndarray:
        joints = [body.joint for body, mimic in zip(self.m.tree.bodies, self.m.mimics, strict=True) if mimic is None]
        return np.array([x for joint in joints for x in joint.random(rng)])
