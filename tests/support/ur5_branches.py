"""The inverse kinematics of a UR5 in closed form: axes 2, 3, 4 parallel, axes 5 and 6 meeting at the wrist."""

import itertools

import numpy as np

SHOULDER, ASIDE, UPPER, FORE, DROP, TOOL = 0.089159, 0.10915, 0.425, 0.39225, 0.09465, 0.0823
HOME = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])


def branches(T):
    """(k, 6) every solution for a pose, angles in (-pi, pi]; k is up to 8."""
    wrist = T[:3, 3] - TOOL * T[:3, 2]
    reach, found = np.hypot(wrist[0], wrist[1]), []
    if reach < ASIDE:
        return np.zeros((0, 6))
    for side, flip, elbow in itertools.product((1.0, -1.0), repeat=3):
        q1 = side * np.arccos(ASIDE / reach) - np.arctan2(wrist[0], wrist[1])
        turn = about(2, -q1)
        A, w = turn @ T[:3, :3] @ HOME.T, turn @ wrist  # A = Ry(q2 + q3 + q4) Rz(-q5) Ry(q6)
        q5 = flip * np.arccos(np.clip(A[1, 1], -1.0, 1.0))
        s = np.sin(q5)
        q6, sum_ = np.arctan2(-A[1, 2] / s, -A[1, 0] / s), np.arctan2(-A[2, 1] / s, A[0, 1] / s)
        x, _, z = w + about(1, sum_) @ [0.0, 0.0, DROP] - [0.0, 0.0, SHOULDER]
        cosine = (x * x + z * z - UPPER**2 - FORE**2) / (2.0 * UPPER * FORE)
        if abs(cosine) <= 1.0:
            q3 = elbow * np.arccos(cosine)
            q2 = np.arctan2(-z, x) - np.arctan2(FORE * np.sin(q3), UPPER + FORE * np.cos(q3))
            found.append([q1, q2, q3, sum_ - q2 - q3, q5, q6])
    wrapped = np.array(found).reshape(-1, 6)
    return wrapped - 2.0 * np.pi * np.round(wrapped / (2.0 * np.pi))


def about(axis, angle):
    """The rotation about a coordinate axis."""
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[i, i] = R[j, j] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R
