"""Robots whose mass matrix is singular at every configuration, or at some: some joint moves no inertia of its own.

At sixteen samples, or where one is asked for, the pivots d of the articulated-body recursion are compared with M_kk, of
which each is a part, and with the moments that cancel in both. With mimic joints the mass matrix is G^T M G
(model/coupling.py), which is regular wherever the tree's M is, and may be where that is not: a massless finger follows
one with a mass. Its pivots, from the last coordinate to the first as in the recursion,

    G^T M G = U D U^T,   U upper triangular with a unit diagonal                  (1)

are then compared in the same way.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from chasles.dynamics.articulated_body import articulate
from chasles.dynamics.composite_body import mass_matrix
from chasles.lie import Vec3
from chasles.model.coupling import Coupling
from chasles.model.tree import BodyMotion, Tree

_SAMPLES = 16
_LEAST_PIVOT = 1e-12  # of M_kk: a pivot below it is none
_ROUNDING = 64.0 * np.finfo(float).eps


def singular_velocity(
    tree: Tree, coupling: Coupling, rows: np.ndarray | None = None, indefinite: bool = False
) -> int | None:
    """One of the robot's own velocities that, with those that follow it, moves no inertia anywhere, or None.

    rows: (k, nq), where to look, instead of everywhere. indefinite: whether a negative inertia is one.
    """
    if not tree.n:
        return None
    if rows is None:
        rng = np.random.default_rng(0)
        samples = np.array([[x for body in tree.bodies for x in body.joint.random(rng)] for _ in range(_SAMPLES)])
        own: dict[int, Any] = {}
        for x, (j, _, _) in zip(samples.T.copy(), coupling.q, strict=True):
            own.setdefault(j, x)
        rows = np.array([own[j] for j in range(coupling.nq)]).T
    q = coupling.coordinates(list(rows.T.copy()))
    # NumPy's numbers divide by zero quietly, Python's do not
    bodies = [replace(body, G=body.G * np.float64(1.0)) for body in tree.bodies]
    tree = Tree(tuple(bodies), tree.gravity)
    motions = tree.motions(q)
    gross = _gross_columns(tree, motions)
    composite = tree.accumulate(motions, [body.G for body in tree.bodies])
    whole = [
        (composite[i] @ S).pair(S) + b.rotor(a) for i, b in enumerate(tree.bodies) for a, S in enumerate(b.columns)
    ]
    with np.errstate(all="ignore"):
        size = abs if indefinite else lambda x: x
        k = _lost([size(d) for d in articulate(tree, q).d], whole, gross)
        if k is None or coupling.is_trivial:
            return k
        M = np.array([[x + np.zeros(len(rows)) for x in row] for row in coupling.matrix(mass_matrix(tree, q))])
        bounds = [0.0] * coupling.nv
        for x, (j, factor) in zip(gross, coupling.v, strict=True):
            bounds[j] = bounds[j] + abs(factor) * np.sqrt(x)
        return _lost(size(_pivots(M)), [M[j, j] for j in range(len(M))], [x * x for x in bounds])


def _lost(d: Any, whole: Any, gross: Any) -> int | None:
    """The last pivot that is nothing at any sample, beside the entry it is a part of and what cancels in that."""
    for k in reversed(range(len(whole))):
        if not np.any(d[k] > np.maximum(_LEAST_PIVOT * np.abs(whole[k]), _ROUNDING * gross[k])):
            return k
    return None


def _pivots(M: np.ndarray) -> np.ndarray:
    """D of (1), (n, samples), of symmetric matrices (n, n, samples)."""
    left = M.copy()
    for k in reversed(range(len(left))):
        left[:k, :k] -= left[:k, None, k] * (left[None, :k, k] / left[k, k])
    return np.array([left[k, k] for k in range(len(left))])


def _length(v: Vec3) -> Any:
    return np.sqrt(v.dot(v))


def _gross_columns(tree: Tree, motions: list[BodyMotion]) -> list[Any]:
    """For each velocity a bound of its M_kk without armature in which nothing cancels."""
    out = []
    for body, (m, h, s) in zip(tree.bodies, _gross(tree, motions), strict=True):
        for S in body.columns:
            w, v = _length(S.w), _length(S.v)
            out.append(s * w * w + 2.0 * h * v * w + m * v * v)
    return out


def _gross(tree: Tree, motions: list[BodyMotion]) -> list[tuple[Any, Any, Any]]:
    """Mass and bounds of the first and second moment of each body and all that it carries, where nothing cancels."""
    total = [(b.G.mass, _length(b.G.h), np.abs(b.G.S.xx) + np.abs(b.G.S.yy) + np.abs(b.G.S.zz)) for b in tree.bodies]
    for i in reversed(range(len(total))):
        p, (m, h, s) = tree.bodies[i].parent, total[i]
        if p >= 0:
            lever = _length(motions[i].M.p) + _length(motions[i].E.p)
            moved = (m, h + m * lever, s + 2.0 * h * lever + m * lever * lever)
            total[p] = tuple(x + y for x, y in zip(total[p], moved, strict=True))
    return total
