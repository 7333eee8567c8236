"""Independent rows of constraints: found once, at configurations that satisfy them.

Closed loops say the same thing several times: the six equations that close a planar four-bar have rank two everywhere.
At random configurations on the constraint the rank of A is its generic one, with probability one. As many rows are
chosen by pivoted Gram-Schmidt orthogonalisation: one after the other, each time the one with the largest part across
those chosen before, in the median configuration. Those that have values come first, as they can be put back where they
belong and the others cannot.

A row that is one combination of these at all configurations, its coefficients constant, follows from them everywhere
and is dropped. Where the coefficients vary, as in overconstrained linkages, there are configurations where another row
follows and these do not suffice: such rows are kept too, and more are kept than the rank is. Which of them are used is
chosen at each state (chosen_rows.py).

Rows are brought to one length each, that of all configurations: beside one where a row vanishes it is rounding. So is
the smallest singular value s of A where the rank falls. A configuration is known up to d / s, d being what is left
(constraint/projection.py), and it counts if

    s > c sqrt(d),   c = SMALLEST_CLEARANCE                                       (1)

Equations may also hold where they were not meant to (a turn by pi has no sine either), so the greatest rank counts; but
for assemblies that cannot move at all, where others can.

A function such as h^2, whose gradient vanishes wherever it does, is found by |A| there being nothing to |A| a little
way off, and refused. A row of a ready-made constraint like that is dropped if it stays zero where the others do: of a
link that is held at home, the tip does not rise. Not covered: several functions that do the same together, as q1 and
q1 + q2^2; and assemblies of different mobility, of which `start` chooses one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.constraint.projection import (
    LARGEST_DISTANCE,
    ROUNDING,
    ZERO_LENGTH,
    ZERO_LENGTH_RELATIVE,
    newton_projection,
    nonzero_lengths,
    row_lengths,
    size,
)
from chasles.constraint.rows import ConstraintRows
from chasles.errors import ModelError
from chasles.reprs import listed, record

Array = NDArray[np.float64]
SAMPLES, TRIES = 12, 60  # configurations that count, and those tried
SMALLEST_SINGULAR_VALUE = 1e-8  # of A, rows of length one, that counts in its rank
NEARLY_SATISFIED = 1e-3  # as far as a function like h^4 gets
LONGEST_ROUNDING = 1e-3  # a row so much shorter than others that is longer than this was meant so
BESIDE, LARGEST_FLAT = 1e-3, 1e-4  # a gradient so much smaller than one so far beside is none, but for rounding
SMALLEST_CLEARANCE = 100.0  # what second derivatives may be, relative to first ones
SMALLEST_MOTION = 1e-2  # a motion to be seen
SMALLEST_VARIATION = 1e-6  # of a row, relative: the same combination of others everywhere is off by less


class Group(NamedTuple):
    """Rows, indices into those kept, of which `rank` are independent and the others follow, in a way that varies."""

    members: tuple[int, ...]
    rank: int


@record()
@dataclass(frozen=True, eq=False, repr=False)
class IndependentRows:
    """The rows that are kept and dropped. rank: of A on the constraint. configurations: (samples, nq), that say so.

    kept: as many as the rank, or more where none of them follows from others everywhere in the same way; then `groups`
    are the rows that depend on each other. holonomic: the rows that have values. left: the largest part of a dropped
    row across the kept ones, relative to its length: zero but for rounding. lengths: of all rows, where they are
    longest; of those that vanish on the constraint, one unit beside it.
    """

    rank: int
    kept: tuple[int, ...]
    names: tuple[str, ...]
    configurations: Array
    left: float
    lengths: tuple[float, ...]
    holonomic: tuple[int, ...]
    groups: tuple[Group, ...]

    @property
    def samples(self) -> int:
        """How many configurations were looked at."""
        return len(self.configurations)

    @property
    def varies(self) -> bool:
        """Whether more rows are kept than are independent: which ones follow depends on the configuration."""
        return bool(self.groups)

    @property
    def kept_names(self) -> tuple[str, ...]:
        return tuple(self.names[k] for k in self.kept)

    @property
    def dropped_names(self) -> tuple[str, ...]:
        return tuple(name for k, name in enumerate(self.names) if k not in self.kept)

    def describe(self) -> str:
        if not self.dropped_names and not self.varies:
            return f"{len(self.names)} rows, independent at {self.samples} configurations"
        said = []
        if self.dropped_names:
            follow = "follows" if len(self.dropped_names) == 1 else "follow"
            said.append(f"{', '.join(self.dropped_names)} {follow} from the others (to {self.left:.1e})")
        for members, rank in self.groups:
            follow = "follows" if len(members) == rank + 1 else "follow"
            said.append(
                f"of {', '.join(self.kept_names[k] for k in members)} {len(members) - rank} {follow} from the others, "
                "in a way that depends on the configuration"
            )
        return f"{len(self.names)} rows of rank {self.rank} at {self.samples} configurations: {'; '.join(said)}"

    def _headline(self) -> str:
        names = listed(self.dropped_names)
        follow = f", {names} {'follows' if len(self.dropped_names) == 1 else 'follow'} from the others" if names else ""
        return f"{len(self.names)} rows of rank {self.rank} at {self.samples} configurations{follow}"


@np.errstate(all="ignore")
def independent_rows(rows: ConstraintRows, start: Array | None = None, seed: int = 0) -> IndependentRows:
    """The independent rows. start: (nq,) near a configuration that satisfies the constraints, if random ones fail."""
    rng, names = np.random.default_rng(seed), rows.names
    q, left = _configurations(rows, start, rng)
    A = rows.A(q)
    if not np.isfinite(A).all():
        raise ModelError(f"the rows of {', '.join(rows.constraint_names)} are not finite at some configurations")
    unit = _row_units(rows, q, A, rng)
    ranks, clear = _ranks(A / unit[:, None], left + ROUNDING * size(q))
    if clear.any():
        q, A, ranks = q[clear], A[clear], ranks[clear]
    if ranks.max() >= rows.system.n:
        moving = _is_mobile(rows, q, unit, ranks, rng)
        if not moving.any():
            raise ModelError(
                f"the constraints {', '.join(rows.constraint_names)} leave {rows.system.name!r} no motion at all at "
                "the configurations found; if there are others, give start=, one near them"
            )
        q, A, ranks = q[moving], A[moving], ranks[moving]
    rank = int(ranks.max())
    q, scaled = q[ranks == rank][:SAMPLES], A[ranks == rank][:SAMPLES] / unit[:, None]  # the others are special
    kept, across = pivoted(scaled, rank, list(rows.holonomic))
    kept = sorted(_with_varying(scaled, kept))
    dropped = [k for k in range(A.shape[1]) if k not in kept]
    most = float(np.linalg.norm(across[:, dropped], axis=-1).max(initial=0.0))
    lengths = tuple(float(x) for x in unit)
    groups = _groups(scaled[:, kept], rank)
    return IndependentRows(rank, tuple(kept), names, q, most, lengths, rows.holonomic, groups)


def _ranks(A: Array, d: Any) -> tuple[np.ndarray, np.ndarray]:
    """(B,) the rank of each A, and whether it is clear, (1)."""
    if not A.size:
        return np.zeros(len(A), dtype=int), np.ones(len(A), dtype=bool)
    s = np.linalg.svd(A, compute_uv=False)
    ranks = (s > SMALLEST_SINGULAR_VALUE * max(A.shape[1:])).sum(axis=-1)
    smallest = np.take_along_axis(s, np.maximum(ranks - 1, 0)[:, None], axis=-1)[:, 0]
    return ranks, (smallest > SMALLEST_CLEARANCE * np.sqrt(d)) | (ranks == 0)  # (1)


def _with_varying(A: Array, kept: list[int]) -> list[int]:
    """kept, and rows that are not everywhere the same combination of those kept. A: (B, k, n)."""
    wide = np.swapaxes(A, 0, 1).reshape(A.shape[1], -1) / np.sqrt(max(len(A), 1))
    found = list(kept)
    while found and len(found) < len(wide):
        basis = np.linalg.qr(wide[found].T)[0]
        off = np.linalg.norm(wide - wide @ basis @ basis.T, axis=-1)
        off[found] = 0.0
        if off.max() <= SMALLEST_VARIATION:
            break
        found.append(int(np.argmax(off)))
    return found


def _groups(A: Array, rank: int) -> tuple[Group, ...]:
    """The rows of A (B, k, n), of that rank, that depend on each other: linked by the projection P onto u^T A = 0."""
    k = A.shape[1]
    if k == rank:
        return ()
    U = np.linalg.svd(A)[0][..., rank:]
    P = np.abs(U @ np.swapaxes(U, -1, -2))
    linked = P.max(axis=0) > SMALLEST_VARIATION
    left, found = [i for i in range(k) if linked[i, i]], []
    while left:
        members = {left[0]}
        while more := {i for i in left if linked[i, list(members)].any()} - members:
            members |= more
        left = [i for i in left if i not in members]
        follow = np.median(np.diagonal(P, 0, -2, -1)[:, sorted(members)].sum(axis=-1))
        found.append(Group(tuple(sorted(members)), len(members) - round(float(follow))))
    whole = sum(len(group.members) - group.rank for group in found) == k - rank
    return tuple(found) if whole else (Group(tuple(range(k)), rank),)


def pivoted(rest: Array, rank: int, first: list[int]) -> tuple[list[int], Array]:
    """As many rows as the rank, out of `first` as long as those are independent; and what is left of all across them.

    rest: (B, k, n). Configurations where the rank of the chosen rows falls, though not that of all, are left out of it.
    """
    kept: list[int] = []
    independent = np.ones(len(rest), dtype=bool)
    of_first = int(_ranks(rest[:, first], 0.0)[0].max())
    while len(kept) < rank:
        parts = np.linalg.norm(rest, axis=-1)
        parts[:, kept] = 0.0
        if len(kept) < of_first:
            parts[:, [k for k in range(parts.shape[1]) if k not in first]] = 0.0
        across = np.median(parts, axis=0)
        k = int(np.argmax(across if across.max() > SMALLEST_SINGULAR_VALUE else parts.mean(axis=0)))
        kept.append(k)
        norm = np.linalg.norm(rest[:, k], axis=-1)
        there = norm > SMALLEST_SINGULAR_VALUE
        independent &= there
        e = rest[:, k] / np.where(there, norm, 1.0)[:, None] * there[:, None]
        rest = rest - np.einsum("bk,bi->bki", np.einsum("bki,bi->bk", rest, e), e)
    return kept, rest[independent]


def _is_mobile(rows: ConstraintRows, q: Array, unit: Array, ranks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(B,) whether a configuration is one of a motion: some way along what A leaves, there is another of its rank."""
    system = rows.system
    V = np.linalg.svd(rows.A(q) / unit[:, None])[2]
    free = np.arange(system.n) >= ranks[:, None]
    steps = np.einsum("bi,bij->bj", rng.normal(size=free.shape) * free, V)
    steps *= (SMALLEST_MOTION * size(q) / np.maximum(np.linalg.norm(steps, axis=-1), 1e-300))[:, None]
    there, left = newton_projection(rows, system.integrate(q, steps), tolerance=0.0)
    moved = np.linalg.norm(system.difference(q, there), axis=-1) > 0.5 * SMALLEST_MOTION * size(q)
    alike = _ranks(rows.A(there) / unit[:, None], 0.0)[0] == ranks
    return free.any(axis=-1) & (left <= LARGEST_DISTANCE) & moved & alike


def _row_units(rows: ConstraintRows, q: Array, A: Array, rng: np.random.Generator) -> Array:
    """(k,) one length for each row. Refused: a constraint that is rounding beside another."""
    here = np.linalg.norm(A, axis=-1)
    flat, slope = _vanishing_rows(rows, q, rng)
    length = np.where(flat, slope, here.max(axis=0))
    ends = np.cumsum(rows.counts)
    of_part = np.repeat(
        [length[e - k : e].max(initial=0.0) for k, e in zip(rows.counts, ends, strict=True)], rows.counts
    )
    tiny = (length > ZERO_LENGTH) & (length <= ZERO_LENGTH_RELATIVE * length.max())
    meant = tiny & ((length == of_part) | (length > LONGEST_ROUNDING))  # the rest is rounding of what is longer
    if meant.any():
        raise ModelError(
            f"constraint {', '.join(rows.names[k] for k in np.flatnonzero(meant))}: its rows are less than "
            f"{ZERO_LENGTH_RELATIVE:.0e} times as long as others, which is rounding: write constraints in units that "
            "are more alike"
        )
    return nonzero_lengths(length)


def _configurations(rows: ConstraintRows, start: Array | None, rng: np.random.Generator) -> tuple[Array, Array]:
    """(B, nq) random ones that satisfy the constraints, or some near `start`; and what is left, (B,)."""
    system = rows.system
    if start is None:
        tried = [system.neutral(), *(system.random(rng) for _ in range(TRIES - 1))]
    else:
        tried = [start, *(system.integrate(start, 0.1 * rng.normal(size=system.n)) for _ in range(TRIES))]
    found, left = newton_projection(rows, np.stack(tried), tolerance=0.0)
    good = left <= LARGEST_DISTANCE
    _refuse_flat(rows, found[good if good.any() else left <= NEARLY_SATISFIED], rng)
    if good.any():
        return found[good], left[good]
    if start is None:
        raise ModelError(
            f"no configuration of {system.name!r} found that satisfies its constraints: at best "
            f"{_worst(rows, found)}. They may contradict each other, or the mechanism cannot be assembled; "
            "give start=, a configuration near one that can"
        )
    raise ModelError(
        f"start is near no configuration of {system.name!r} that satisfies its constraints: at best "
        f"{_worst(rows, found)}"
    )


def _worst(rows: ConstraintRows, q: Array) -> str:
    """What is off in the best of configurations that all are."""
    h, length = np.abs(rows.h(q)), row_lengths(rows.A(q))
    usual = np.nanmedian(np.where(np.isnan(length).all(axis=0), 1.0, length), axis=0)
    off = h / usual  # where it cannot be nearer a row has no length
    worst = off.max(axis=-1)
    best = int(np.argmin(np.where(np.isfinite(worst), worst, np.inf)))
    names = [rows.names[k] for k in np.argsort(-off[best]) if not off[best, k] <= 1e-6 * worst[best]]
    return f"{', '.join(names[:4])} {'is' if len(names) == 1 else 'are'} off by up to {h[best].max():.3g}"


def _vanishing_rows(rows: ConstraintRows, q: Array, rng: np.random.Generator) -> tuple[np.ndarray, Array]:
    """(k,) rows that vanish at all q though not beside, and how long they get in one unit of motion."""
    steps = rng.normal(size=(4, len(q), rows.system.n))
    steps *= BESIDE * (size(q) / np.linalg.norm(steps, axis=-1))[..., None]
    here, beside = (np.linalg.norm(rows.A(x), axis=-1) for x in (q, rows.system.integrate(q, steps)))
    beside = beside.max(axis=0)
    flat = (here <= LARGEST_FLAT * beside) & (beside > ZERO_LENGTH * beside.max(axis=-1, keepdims=True, initial=0.0))
    return flat.all(axis=0), (beside / (BESIDE * size(q))[:, None]).max(axis=0)


def _refuse_flat(rows: ConstraintRows, q: Array, rng: np.random.Generator) -> None:
    """Refuse a function whose gradient vanishes wherever it does, though not beside: its row would be rounding."""
    if not rows.holonomic or not len(q):
        return
    flat, slope = _vanishing_rows(rows, q, rng)
    written = np.repeat([part.differentiated for part in rows.parts], rows.counts)
    flat[[k for k in range(len(flat)) if k not in rows.holonomic]] = False
    if (flat & ~written).any():
        flat &= written | ~_stays_zero(rows, q, flat, slope, rng)
    if flat.any():
        names = [rows.names[k] for k in np.flatnonzero(flat)]
        raise ModelError(
            f"constraint {', '.join(names)}: its gradient is zero wherever it is satisfied, so that it says nothing of "
            "velocities there; give a function whose gradient is not zero where it is (h, not h squared)"
        )


def _stays_zero(rows: ConstraintRows, q: Array, flat: np.ndarray, slope: Array, rng: np.random.Generator) -> Any:
    """(k,) flat rows that are zero wherever the others are, near some q."""
    steps = rng.normal(size=(len(q), rows.system.n))
    steps *= (SMALLEST_MOTION * size(q) / np.linalg.norm(steps, axis=-1))[:, None]
    others = [k for k in rows.holonomic if not flat[k]]
    there, left = newton_projection(rows, rows.system.integrate(q, steps), only=others)
    off = np.abs(rows.h(there)) / (slope * (SMALLEST_MOTION * size(q))[:, None] ** 2)
    return flat & (np.where(left[:, None] <= LARGEST_DISTANCE, off, np.inf).min(axis=0) < LARGEST_FLAT)
