"""Gap coordinates: a body near a fixed one, by contact coordinates and the gap between them.

Body f is carried away from contact with body o at eta = (alpha_f, alpha_o, psi) by the gap s along the normal of o:

    g(eta, s) = [1, s n_o] g_of(eta),   V = K (etad, sd)                          (1)

V its twist in its own frame, K square.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.surface.contact_coordinates import body_jacobian, contact_pose
from chasles.surface.surface import Surface


def gap_twist(surface_f: Surface, surface_o: Surface) -> Kernel:
    """(q (..., 6), qd (..., 6)) -> V (..., 6) of (1), in f's frame."""
    J, pose = body_jacobian(surface_f, surface_o), contact_pose(surface_f, surface_o)
    turn = surface_o.frame.jacobian("alpha")

    def twist(q: Any, qd: Any) -> Any:
        V, n = J(q[:5]) @ qd[:5], surface_o.frame(q[2:4])[:3, 2]
        away = qd[5] * n + q[5] * (turn(q[2:4])[:3, 2] @ qd[2:4])
        return np.concatenate([V[:3], V[3:] + pose(q[:5])[:3, :3].T @ away])  # (1)

    return compile(twist, q=6, qd=6)
