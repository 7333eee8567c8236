"""Energies.

K = sum of <G_i V_i, V_i> / 2                                                 (1)  [MM-5]
U = - sum of m_i g . p_i,  p_i the centre of mass of link i in the space frame  (2)  [POT-1]
"""

from typing import Any

from chasles.dynamics.kinematics import poses, velocities
from chasles.model.tree import Tree


def kinetic_energy(tree: Tree, q: Any, qd: Any) -> Any:
    """K(q, qd)."""
    V = velocities(tree, tree.motions(q), qd)
    total: Any = 0.0
    for body, V_i in zip(tree.bodies, V, strict=True):
        total = total + (body.G @ V_i).pair(V_i)
        for k, rotor in enumerate(body.armature, body.v):
            total = total + rotor * (qd[k] * qd[k])
    return total * 0.5  # (1)


def potential_energy(tree: Tree, q: Any) -> Any:
    """U(q), zero for masses at the height of the space frame's origin."""
    total: Any = 0.0
    for body, T in zip(tree.bodies, poses(tree, tree.motions(q)), strict=True):
        total = total - (T.R @ body.G.h + T.p * body.G.mass).dot(tree.gravity)  # (2)
    return total
