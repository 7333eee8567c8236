"""Base parameters: the combinations of inertial parameters that joint forces can tell apart, found from the structure.

A change dG of the links' inertias is *unfelt* if no joint force changes in any state: if the mass matrix and the forces
of gravity stay. Both are pairings of the composites Gc_j(q) = dG_j + sum over children c of (Gc_c seen from j) with
the columns S of joint j, so dG is unfelt iff for all joints, columns and q

    <Gc_j(q) S, X> = 0 for X in V_j,   that is   Gc_j(q) in Ann_j                 (1)

V_j being the span of all twists that link j can get from its joint and those before it, in its own frame, and of the
field of gravity: V_base is spanned by (0, g), and V_j is the smallest space that has Ad(M_j^-1) V_p and the columns of
j and is invariant under ad of them. An inertia on link j moves with its joint by L_S G = -(ad_S^T G + G ad_S). What
may be added to a composite while joints move, unfelt there and by all before, is

    P_base = R^10,   P_j = the intersection of Ann_j and H_j,                     (2)
    H_j = the largest space in M_j^-1 P_p that all L_S leave invariant            (3)

(invariant since joint j carries it about). A composite changes only by what joints beyond do to it, so dG is unfelt iff
at one configuration every Gc_j is in

    N_j = {G in Ann_j : L_S G in H_j for the columns S of j}                      (4)

What is unfelt is thus spanned by exchanges, G in N_j added to link j and taken, seen from there, from its parent, and
there are 10 N - sum of dim N_j base parameters. (Behind a revolute joint of a generic chain N_j is what `regroup` in
model/coordinates.py moves: mass, h_z and S_zz.) No state is sampled; what is decided are ranks of small matrices of
order one, lengths in units of the robot's. The exchanges Z make dependent parameters d vanish, dim N_j of link j:

    beta = pi_c - Z_c Z_d^-1 pi_d,   Y pi = Y_c beta,   c all but d               (5)  [REG-2]

Joints that mimic others couple (1) between joints; then Z is the kernel of regressors at random states.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from chasles import arrays, markup
from chasles.arguments import between, real, vector
from chasles.dynamics.regressor import PARAMETERS, torque_regressor
from chasles.errors import ShapeError
from chasles.lie import SE3, SpatialInertia, Twist, Vec3
from chasles.linear_algebra import nan_where_unknown
from chasles.model.coordinates import align
from chasles.model.coupling import Coupling
from chasles.model.joint import ScrewJoint
from chasles.model.tree import Tree
from chasles.reprs import record

TOLERANCE = 1e-9  # of numbers of order one; below it they are zero
_DEGREES = (0, 1, 1, 1, 2, 2, 2, 2, 2, 2)  # the power of length in each parameter
_FIRST = [0, 3, 2, 1, 6, 4, 9, 5, 7, 8]  # among equals these become dependent first: m, hz, ..., Iyy, ...


@record()
@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters:
    """The base parameters beta = map @ pi of a robot with N links: Y pi = Y[:, columns] beta in every state.

    columns: (count,) those of the 10 N parameters that are independent. map: (count, 10 N), the identity in those
    columns. null_space: (10 N, 10 N - count), orthonormal: what no joint force tells. condition: of `map`, lengths in
    units of the robot's size. structural: whether found from the structure, not by sampling. all_names: of the 10 N.
    """

    columns: np.ndarray
    map: np.ndarray
    null_space: np.ndarray
    condition: float
    structural: bool
    all_names: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The independent parameters: 'm[link3]', 'hx[link3]', ...; `describe` says what is added to them."""
        return tuple(self.all_names[k] for k in self.columns)

    def reduce(self, pi: Any) -> np.ndarray:
        """beta (..., count) of the parameters pi, (..., 10 N) or (..., N, 10)."""
        x, width = real(pi, "pi"), self.map.shape[1]
        if x.ndim >= 2 and x.shape[-2:] == (width // 10, 10):
            x = x.reshape(*x.shape[:-2], width)
        if x.ndim < 1 or x.shape[-1] != width:
            raise ShapeError(f"pi must have shape (..., {width}) or (..., {width // 10}, 10), got {x.shape}")
        return x @ self.map.T  # (5)

    def regressor(self, Y: Any) -> np.ndarray:
        """The columns of a regressor (..., 10 N) that belong to beta; nan in a row where any of its columns is."""
        rows = vector(Y, "Y", self.map.shape[1])
        return nan_where_unknown(rows[..., self.columns], rows)

    def describe(self) -> list[str]:
        """Each base parameter as a sum: 'Izz[link2] + 0.13 m[link3] - ...', lengths in metres."""
        return [self._sum(int(k), row) for k, row in zip(self.columns, self.map, strict=True)]

    def _sum(self, own: int, row: np.ndarray) -> str:
        terms = [self.all_names[own]]
        for k in np.flatnonzero(row):
            if k != own:
                size = f"{abs(row[k]):.4g} ".removeprefix("1 ")
                terms.append(("- " if row[k] < 0.0 else "+ ") + size + self.all_names[k])
        return " ".join(terms)

    def _headline(self) -> str:
        how = "" if self.structural else ", found by sampling"
        return f"{self.count} of {len(self.all_names)} inertial parameters, condition {self.condition:.3g}{how}"

    def _repr_html_(self) -> str:
        kept = zip(self.columns[: markup.MOST_ROWS], self.map, strict=False)
        rows = [(self.all_names[k], self._sum(int(k), row)) for k, row in kept]
        rows += [("", "")] * (self.count - len(rows))  # counted below the table
        return markup.block("BaseParameters", markup.table(["named", "is the sum"], rows), about=self._headline())


def base_parameters(
    tree: Tree, link_names: Sequence[str], coupling: Coupling | None = None, *, tolerance: float = TOLERANCE
) -> BaseParameters:
    """The base parameters of a tree, in its own link frames; armatures are not among them.

    coupling: how joints mimic others; if they do, the result comes from sampling. tolerance: what is zero, relative to
    the robot's size; a robot whose angles are right to five digits only has more parameters than it is meant to have.
    """
    tolerance = between(tolerance, "base_parameters: tolerance", 0.0, 0.1, open_ends=True)
    N = len(tree.bodies)
    aligned = align(tree)  # frames on the axes: numbers of order one, wherever the links' own frames are
    length = _size(aligned.tree)
    unit = _scaled(aligned.tree, length)
    if coupling is None or coupling.is_trivial:
        blocks = _exchanges(unit, tolerance)
    else:
        blocks = {None: _kernel(_samples(unit, coupling), tolerance)}
    frames = [_shrunk(X, length) for X in aligned.frames]
    blocks = {i: _moved(Z, frames) for i, Z in blocks.items()}
    dependent = [k for i, Z in blocks.items() for k in _pivots(Z, i)]
    Z = np.hstack([np.zeros((10 * N, 0)), *blocks.values()])

    columns = np.setdiff1d(np.arange(10 * N), dependent)
    B = np.zeros((len(columns), 10 * N))
    B[:, columns] = np.eye(len(columns))
    B[:, dependent] = -np.linalg.solve(Z[dependent].T, Z[columns].T).T  # (5)
    B[np.abs(B) < 1e-3 * tolerance] = 0.0
    scale = length ** np.tile(_DEGREES, N).astype(float)  # pi = scale * (pi in units of the robot)
    return BaseParameters(
        columns=columns,
        map=B * scale[columns, None] / scale,
        null_space=np.linalg.qr(Z * scale[:, None])[0],
        condition=float(np.linalg.cond(B)) if N else 1.0,
        structural=None not in blocks,
        all_names=tuple(f"{parameter}[{link}]" for link in link_names for parameter in PARAMETERS),
    )


def _exchanges(tree: Tree, tolerance: float) -> dict[int | None, np.ndarray]:
    """A basis of what is unfelt: for each link, the exchanges (10 N, dim N_j) with its parent."""
    orth, kernel = partial(_orthonormal, tolerance=tolerance), partial(_kernel, tolerance=tolerance)
    motions = tree.motions([x for body in tree.bodies for x in body.joint.neutral()])
    units = arrays.inertia(np.eye(10))
    V: list[np.ndarray] = []
    P: list[np.ndarray] = []
    exchanges: dict[int | None, np.ndarray] = {}
    for i, body in enumerate(tree.bodies):
        p, home, columns = body.parent, body.M.inv(), [_unit(S) for S in body.columns]
        V_p, P_p = (V[p], P[p]) if p >= 0 else (_six(Twist(Vec3.zero(), tree.gravity))[:, None], np.eye(10))
        reach = np.stack([*(_six(home.Ad(arrays.twist(X))) for X in V_p.T), *map(_six, columns)], axis=1)
        V.append(_closed(reach, [_matrix(S.ad) for S in columns], orth))
        felt = np.array([(units @ S).pair(arrays.twist(X)) for S in columns for X in V[i].T])  # (1)
        L = [_parameters(units.rate(S)) for S in columns]
        H = _invariant(np.linalg.qr(_parameters(arrays.inertia(P_p).moved(home)))[0], L, kernel)  # (3)
        P.append(H @ kernel(felt @ H))  # (2)
        G = kernel(np.vstack([felt, *(D - H @ (H.T @ D) for D in L)]))  # (4)
        Z = exchanges[i] = np.zeros((10 * len(tree.bodies), G.shape[1]))
        Z[10 * i : 10 * i + 10] = G
        if p >= 0:
            Z[10 * p : 10 * p + 10] = -_parameters(motions[i].carry(arrays.inertia(G)))
    return exchanges


def _closed(X: np.ndarray, maps: list[np.ndarray], orth: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The smallest space that has the columns of X and is invariant under the maps."""
    X = orth(X)
    while (more := orth(np.hstack([X, *(A @ X for A in maps)]))).shape[1] > X.shape[1]:
        X = more
    return X


def _invariant(X: np.ndarray, maps: list[np.ndarray], kernel: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The largest space in that of the orthonormal columns of X that is invariant under the maps."""
    while (less := X @ kernel(np.vstack([A @ X - X @ (X.T @ A @ X) for A in maps]))).shape[1] < X.shape[1]:
        X = less
    return X


def _orthonormal(A: np.ndarray, tolerance: float) -> np.ndarray:
    """A basis of the space of the columns, which are of order one."""
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    return U[:, s > tolerance * max(1.0, s.max(initial=0.0))]


def _kernel(A: np.ndarray, tolerance: float) -> np.ndarray:
    """A basis of what A, of order one, takes to zero."""
    if not A.size:
        return np.eye(A.shape[1])
    _, s, Vt = np.linalg.svd(np.linalg.qr(A, mode="r") if A.shape[0] > A.shape[1] else A)
    return Vt[int((s > tolerance * max(1.0, s[0])).sum()) :].T


def _pivots(Z: np.ndarray, link: int | None) -> list[int]:
    """As many rows of Z as it has columns, independent ones: the largest left, again and again; of one link, or all."""
    rows = np.arange(len(Z)).reshape(-1, 10)[::-1, _FIRST]  # from the tips
    rows = rows.ravel() if link is None else rows[-1 - link]
    rest, chosen = Z[rows], []
    for _ in range(Z.shape[1]):
        norms = np.linalg.norm(rest, axis=1)
        k = int(np.argmax(norms > norms.max() * (1.0 - 1e-6)))
        e = rest[k] / norms[k]
        rest = rest - np.outer(rest @ e, e)
        chosen.append(int(rows[k]))
    return chosen


def _size(tree: Tree) -> float:
    """The largest distance between neighbouring link frames, from one to its axis, or pitch; 1 if all are zero."""
    lengths = [float(np.linalg.norm([*body.M.p])) for body in tree.bodies if body.parent >= 0]
    for S in (S for body in tree.bodies for S in body.columns):
        rate = float(np.linalg.norm([*S.w]))
        lengths.append(float(np.linalg.norm([*S.v])) / rate if rate else 0.0)
    return max(lengths, default=0.0) or 1.0


def _scaled(tree: Tree, length: float) -> Tree:
    """The tree with lengths in units of `length`, in a field of gravity of size one, if any."""
    bodies = []
    for body in tree.bodies:
        joint = body.joint
        if isinstance(joint, ScrewJoint):
            joint = replace(joint, S=Twist(joint.S.w, joint.S.v * (1.0 / length)))
        bodies.append(replace(body, M=_shrunk(body.M, length), joint=joint))
    fall = float(np.linalg.norm([*tree.gravity]))
    return Tree(tuple(bodies), tree.gravity * (1.0 / fall if fall else 0.0))


def _shrunk(T: SE3, length: float) -> SE3:
    return SE3(T.R, T.p * (1.0 / length))


def _moved(Z: np.ndarray, frames: Sequence[SE3]) -> np.ndarray:
    """Parameters of all links, seen from the frames in which theirs are `frames`."""
    return np.vstack([_parameters(arrays.inertia(Z[10 * i : 10 * i + 10]).moved(X)) for i, X in enumerate(frames)])


def _samples(tree: Tree, coupling: Coupling) -> np.ndarray:
    """The regressors of a robot with mimics at random states, stacked: three times as many rows as columns."""
    rng, states = np.random.default_rng(0), 30 * len(tree.bodies) // coupling.nv + 10
    q: list[Any] = [None] * coupling.nq
    draws = np.array([[x for body in tree.bodies for x in body.joint.random(rng)] for _ in range(states)])
    for (k, _, _), draw in zip(coupling.q, draws.T, strict=True):
        q[k] = draw
    qd, qdd = rng.normal(size=(2, coupling.nv, states))
    state = coupling.coordinates(q), coupling.velocities(qd), coupling.velocities(qdd)
    Y = torque_regressor(tree, *state, [SE3.identity()] * len(tree.bodies))
    rows = [np.array([np.broadcast_to(entry, states) for entry in row]) for row in Y]
    return np.hstack(coupling.forces(rows)).T


def _parameters(G: SpatialInertia) -> np.ndarray:
    """The parameters, as columns, of inertias whose leaves are arrays."""
    rows = arrays.parameters(G)
    return np.array([np.broadcast_to(row, np.shape(rows[4])) for row in rows])


def _six(V: Twist) -> np.ndarray:
    return np.array(arrays.from_twist(V))


def _matrix(f: Callable[[Twist], Twist]) -> np.ndarray:
    """The matrix of a linear map of twists."""
    return np.stack([_six(f(arrays.twist(e))) for e in np.eye(6)], axis=1)


def _unit(S: Twist) -> Twist:
    return S * (1.0 / float(np.linalg.norm(_six(S))))
