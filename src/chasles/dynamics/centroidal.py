"""Centre of mass and centroidal momentum.

c   = sum of (m_i p_i) / m,  p_i the centre of mass of link i                 (1)
H_j = Ad*(T_0j^-1) Ic_j S_j: the momentum per unit qd_j, about the space origin   (2)  [KOOL-1]
A_j = (H_j.m - c x H_j.f, H_j.f): about the centre of mass, in space axes      (3)
dc/dt = sum of H_j.f qd_j / m
dH_j/dt = Ad*(T_0j^-1) (dIc_j/dt S_j + Ic_j ad(V_j) S_j)                        (4)
dA_j/dt = (dH_j.m - c x dH_j.f - dc x H_j.f, dH_j.f)                            (5)
"""

from typing import Any

from chasles.dynamics.kinematics import poses, velocities
from chasles.lie import Vec3, Wrench
from chasles.model.tree import Tree


def total_mass(tree: Tree) -> Any:
    total: Any = 0.0
    for body in tree.bodies:
        total = total + body.G.mass
    return total


def centre_of_mass(tree: Tree, q: Any) -> Vec3:
    """c(q), in the space frame."""
    moment = Vec3.zero()
    for body, T in zip(tree.bodies, poses(tree, tree.motions(q)), strict=True):
        moment = moment + T.R @ body.G.h + T.p * body.G.mass
    return moment * (1.0 / total_mass(tree))  # (1)


def momenta(tree: Tree, q: Any) -> list[Wrench]:
    """H_j: the robot's momentum per unit rate of joint j, about the origin of the space frame."""
    motions = tree.motions(q)
    composite = tree.accumulate(motions, [body.G for body in tree.bodies])
    T = poses(tree, motions)
    return [T[j].Ad_inv_star(composite[j] @ S) for j, body in enumerate(tree.bodies) for S in body.columns]  # (2)


def centre_of_mass_jacobian(tree: Tree, q: Any) -> list[Vec3]:
    """The columns dc/dq_j."""
    scale = 1.0 / total_mass(tree)
    return [H.f * scale for H in momenta(tree, q)]


def centroidal_momentum_matrix(tree: Tree, q: Any) -> list[Wrench]:
    """The columns A_j."""
    c = centre_of_mass(tree, q)
    return [Wrench(H.m - c.cross(H.f), H.f) for H in momenta(tree, q)]  # (3)


def centroidal_momentum_matrix_derivative(tree: Tree, q: Any, qd: Any) -> list[Wrench]:
    """The columns dA_j/dt."""
    motions = tree.motions(q)
    V = velocities(tree, motions, qd)
    T = poses(tree, motions)
    G = [body.G for body in tree.bodies]
    composite = tree.accumulate(motions, G)
    rate = tree.accumulate(motions, [G[i].rate(V[i]) for i in range(len(G))])
    c, H = centre_of_mass(tree, q), momenta(tree, q)
    momentum = Vec3.zero()
    for j in range(tree.n):
        momentum = momentum + H[j].f * qd[j]
    cd = momentum * (1.0 / total_mass(tree))
    columns = []
    for j, body in enumerate(tree.bodies):
        for k, S in enumerate(body.columns, body.v):
            Hd = T[j].Ad_inv_star(rate[j] @ S + composite[j] @ V[j].ad(S))  # (4)
            columns.append(Wrench(Hd.m - c.cross(Hd.f) - cd.cross(H[k].f), Hd.f))  # (5)
    return columns
