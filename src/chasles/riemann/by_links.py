"""The connection and the curvature link by link, on arrays: for robots too large to be one straight-line program.

The formulas of connection.py, second_order.py and curvature.py are sums over links p of the same with p's own inertia,
over the columns J on the path to p, seen from p:

    b(x, y; z) = sum over p of <[J_x, J_y], J_z>_p                                (1)  [CHR-3]

A link adds a block of d^3 or d^4 numbers, d the columns on its path. It shares nothing with the recursions there but
the definitions, and is their check too. One configuration at a time.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.jacobian import columns_seen
from chasles.geometry.curvature import ROUNDING, Curvature, one_or_nan, structure_constants, turning_trace
from chasles.lie import Twist, Vec3
from chasles.model.coupling import Coupling
from chasles.model.tree import Tree
from chasles.paths.lie import cross

Array = np.ndarray


@dataclass(frozen=True)
class _Link:
    """The columns on the path to a link, (d, 6), with their places, their order, and the link's inertia (6, 6)."""

    at: Array
    J: Array
    before: Array  # [x, y]: x on a joint strictly before y's
    G: Array

    @cached_property
    def brackets(self) -> Array:
        """(d, d, 6), [J_x, J_y]."""
        return bracket(self.J[:, None], self.J[None])


def bracket(a: Array, b: Array) -> Array:
    """(..., 6) of twists (angular, linear)."""
    (w, v), (x, y) = ((c[..., :3], c[..., 3:]) for c in (a, b))
    return np.concatenate([cross(w, x), cross(w, y) + cross(v, x)], axis=-1)


def _links(tree: Tree, q: Array) -> list[_Link]:
    joint = np.array([i for i, body in enumerate(tree.bodies) for _ in body.columns])
    out = []
    for body, path in zip(tree.bodies, columns_seen(tree, tree.motions([float(x) for x in q])), strict=True):
        at = np.array([k for k, _ in path])
        J = np.array([_row(X) for _, X in path])
        momenta = [body.G @ _unit(e) for e in np.eye(6)]
        G = np.array([[*F.m, *F.f] for F in momenta], dtype=float)
        out.append(_Link(at, J, joint[at][:, None] < joint[at][None], G))
    return out


def _row(X: Twist) -> list[Any]:
    return [*X.w, *X.v]


def _unit(x: Array) -> Twist:
    return Twist(Vec3(*map(float, x[:3])), Vec3(*map(float, x[3:])))


Links = list[_Link] | None  # those at q, where they are known already


def christoffel_symbols(tree: Tree, q: Array, links: Links = None) -> Array:
    """(n, n, n), G[i, j, k] with i the equation."""
    out = np.zeros((tree.n,) * 3)
    for link in links or _links(tree, q):
        b = np.einsum("xya,ab,zb->xyz", link.brackets, link.G, link.J)  # (1)
        later = np.where(link.before[..., None], b, -b)  # [j, k, i]: b(min(j, k), max(j, k); i)
        out[np.ix_(link.at, link.at, link.at)] += (b + b.swapaxes(1, 2) + later.transpose(2, 0, 1)) / 2
    return out


def mass_matrix_derivatives(tree: Tree, q: Array, links: Links = None) -> Array:
    """(n, n, n), e_k(M_ij) at [i, j, k]."""
    out = np.zeros((tree.n,) * 3)
    for link in links or _links(tree, q):
        d = _deltas(link)
        half = np.einsum("kia,ab,jb->ijk", d, link.G, link.J)
        out[np.ix_(link.at, link.at, link.at)] += half + half.swapaxes(0, 1)
    return out


def _deltas(link: _Link) -> Array:
    """(d, d, 6), delta_k J_i = [J_i, J_k] where i is before k."""
    return (link.brackets * link.before[..., None]).swapaxes(0, 1)


def mass_matrix_second_derivatives(tree: Tree, q: Array, links: Links = None) -> Array:
    """(n, n, n, n), e_l(e_k(M_ij)) at [i, j, k, l]."""
    out = np.zeros((tree.n,) * 4)
    for link in links or _links(tree, q):
        d = _deltas(link)
        twice = bracket(d[:, None], link.J[None, :, None]) + bracket(link.J[None, None], d[:, :, None])  # [l, k, i]
        twice = twice * link.before.T[None, ..., None]
        half = np.einsum("lkia,ab,jb->ijkl", twice, link.G, link.J)
        half += np.einsum("kia,ab,ljb->ijkl", d, link.G, d)
        out[np.ix_(link.at, link.at, link.at, link.at)] += half + half.swapaxes(0, 1)
    return out


def riemann_curvature(M: Array, G: Array, dM: Array, ddM: Array, c: Array) -> Array:
    """(n, n, n, n), R_ijkl of (1), (2) in curvature.py; c[k, l, m] the structure constants. nan where M is singular."""
    rate = ddM + ddM.swapaxes(1, 2) - ddM.transpose(2, 0, 1, 3)  # twice e_l(G_ijk) at [i, j, k, l]
    if c.any():
        fields = np.einsum("kjm,mil->ijkl", c, dM)
        rate = rate + fields - np.einsum("kim,mjl->ijkl", c, dM) - np.einsum("jim,mkl->ijkl", c, dM)
    raised = np.tensordot(_inverse(M), G, axes=(1, 0))
    part = rate.swapaxes(2, 3) / 2 + np.tensordot(raised, G, axes=(0, 0)).transpose(2, 0, 1, 3)
    R = part - part.swapaxes(2, 3)
    return R - np.einsum("klm,ijm->ijkl", c, G) if c.any() else R


AXES = {
    "mass_matrix_derivatives": 3,
    "mass_matrix_second_derivatives": 4,
    "christoffel_symbols": 3,
    "christoffel_symbols_second_kind": 3,
    "riemann_curvature": 4,
    "ricci_curvature": 2,
    "scalar_curvature": 0,
}


def tensor(name: str, tree: Tree, coupling: Coupling, q: Array) -> Array:
    """One of AXES at the robot's own coordinates q, joints that mimic included; nan where M is singular."""
    x = np.array(coupling.coordinates(list(q)), dtype=float)
    if name == "mass_matrix_derivatives":
        return _pulled(mass_matrix_derivatives(tree, x), coupling)
    if name == "mass_matrix_second_derivatives":
        return _pulled(mass_matrix_second_derivatives(tree, x), coupling)
    links = _links(tree, x)
    G = _pulled(christoffel_symbols(tree, x, links), coupling)
    if name == "christoffel_symbols":
        return G
    M = np.array(coupling.matrix(mass_matrix(tree, x.tolist())), dtype=float)
    inverse = _inverse(M)
    if name == "christoffel_symbols_second_kind":
        return np.tensordot(inverse, G, axes=(1, 0)) * one_or_nan(_ratio(M) * ROUNDING)
    dM, ddM = mass_matrix_derivatives(tree, x, links), mass_matrix_second_derivatives(tree, x, links)
    R = riemann_curvature(M, G, _pulled(dM, coupling), _pulled(ddM, coupling), constants(tree, coupling))
    found = Curvature(len(M), {}, _error(M, inverse, G, R, turning_trace(tree, coupling, M.tolist())), _ratio(M))
    if name == "riemann_curvature":
        return R * found.known
    ricci = np.einsum("ik,ijkl->jl", inverse, R) * found.known_contracted
    return ricci if name == "ricci_curvature" else np.einsum("jl,jl->", inverse, ricci)


def _error(M: Array, inverse: Array, G: Array, R: Array, trace: float) -> float:
    """The largest (4) of curvature.py."""
    raised, own, n = np.tensordot(inverse, G, axes=(1, 0)), np.einsum("rii->ri", G), np.arange(len(M))
    lost = np.einsum("rij,rij->ij", raised, G) + np.abs(np.einsum("ri,rj->ij", np.einsum("rii->ri", raised), own))
    area = np.outer(np.diag(M), np.diag(M)) - M * M
    planes = (lost != 0.0) & (n[:, None] != n)
    if not planes.any():
        return 0.0
    with np.errstate(all="ignore"):  # where M is singular
        least = np.maximum(np.abs(np.einsum("ijij->ij", R)), area / trace)
        return float((lost[planes] / least[planes]).max()) * ROUNDING


def _ratio(M: Array) -> float:
    """The largest M_kk / W_kk^2, M = W W^T with W upper triangular; nan where M is not positive definite."""
    try:
        roots = np.diag(np.linalg.cholesky(M[::-1, ::-1]))[::-1]
    except np.linalg.LinAlgError:
        return np.nan
    with np.errstate(all="ignore"):
        return float((np.diag(M) / roots**2).max())


def constants(tree: Tree, coupling: Coupling) -> Array:
    """(n, n, n), c[k, l, m] with [e_k, e_l] = sum of c[k, l, m] e_m."""
    c = np.zeros((coupling.nv,) * 3)
    for (k, l), entries in structure_constants(tree, coupling).items():
        for m, value in entries.items():
            c[k, l, m] = value
    return c


def _pulled(T: Array, coupling: Coupling) -> Array:
    """A tensor by the tree's velocities as one by the robot's own."""
    if coupling.is_trivial:
        return T
    pull = np.zeros((len(coupling.v), coupling.nv))
    for row, (own, factor) in enumerate(coupling.v):
        pull[row, own] = factor
    for axis in range(T.ndim):
        T = np.moveaxis(np.tensordot(T, pull, axes=(axis, 0)), -1, axis)
    return T


def _inverse(M: Array) -> Array:
    try:
        return np.linalg.inv(M)
    except np.linalg.LinAlgError:
        return np.full_like(M, np.nan)
