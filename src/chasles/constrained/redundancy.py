"""Which rows of constraints are independent: found once, at configurations that satisfy them.

Closed loops say the same thing several times: the six equations that close a planar four-bar have rank two everywhere.
At random configurations on the constraint the rank of A is its generic one, with probability one; but equations may
also hold where they were not meant to (a turn by pi has no sine either), so the greatest rank counts. Rows are chosen
one after the other, each time the one with the largest part across those chosen before, in the median configuration.

A function such as h^2, whose gradient vanishes wherever it does, is found by |A| there being nothing to |A| a little
way off, and refused. Not covered: several functions that do the same together, as q1 and q1 + q2^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.constrained.kernels import Rows
from chasles.constrained.projection import SATISFIED, ZERO, lengths, on_constraint, size
from chasles.errors import ModelError

SAMPLES, TRIES, TOLERANCE = 12, 60, 1e-8
NEARLY = 1e-3  # as far as a function like h^4 gets
BESIDE, FLAT = 1e-3, 1e-4  # a gradient so much smaller than one so far beside is none, but for rounding


@dataclass(frozen=True, eq=False)
class Redundancy:
    """The rows that are kept and dropped. rank: of A on the constraint. samples: how many configurations say so.

    left: the largest part of a dropped row across the kept ones, relative to its length: zero but for rounding.
    lengths: the usual ones of all rows.
    """

    rank: int
    kept: tuple[int, ...]
    names: tuple[str, ...]
    samples: int
    left: float
    lengths: tuple[float, ...]

    @property
    def kept_names(self) -> tuple[str, ...]:
        return tuple(self.names[k] for k in self.kept)

    @property
    def dropped_names(self) -> tuple[str, ...]:
        return tuple(name for k, name in enumerate(self.names) if k not in self.kept)

    def describe(self) -> str:
        if not self.dropped_names:
            return f"{len(self.names)} rows, independent at {self.samples} configurations"
        follow = "follows" if len(self.dropped_names) == 1 else "follow"
        return (
            f"{len(self.names)} rows of rank {self.rank} at {self.samples} configurations: "
            f"{', '.join(self.dropped_names)} {follow} from the others (to {self.left:.1e})"
        )


def redundancy(rows: Rows, start: np.ndarray | None = None, seed: int = 0) -> Redundancy:
    """The independent rows. start: (nq,) near a configuration that satisfies the constraints, if random ones fail."""
    q = _configurations(rows, start, seed)
    A = rows.A(q)
    length = np.linalg.norm(A, axis=-1)
    if not np.isfinite(A).all():
        raise ModelError(f"the rows of {', '.join(rows.constraint.names)} are not finite at some configurations")
    unit = np.where(length > ZERO * length.max(), length, 1.0)
    rest, kept = A / unit[..., None], []
    ranks = np.linalg.matrix_rank(rest, tol=TOLERANCE * max(rest.shape[1:]))
    rank = int(ranks.max())
    generic = np.flatnonzero(ranks == rank)[:SAMPLES]  # the others are special
    rest, length = rest[generic], length[generic]
    while len(kept) < rank:
        parts = np.linalg.norm(rest, axis=-1)
        parts[:, kept] = 0.0
        across = np.median(parts, axis=0)
        k = int(np.argmax(across if across.max() > TOLERANCE else parts.mean(axis=0)))
        kept.append(k)
        norm = np.linalg.norm(rest[:, k], axis=-1)
        e = rest[:, k] / np.where(norm > TOLERANCE, norm, 1.0)[:, None] * (norm > TOLERANCE)[:, None]
        rest = rest - np.einsum("bk,bi->bki", np.einsum("bki,bi->bk", rest, e), e)
    dropped = [k for k in range(A.shape[1]) if k not in kept]
    left = float(np.linalg.norm(rest[:, dropped], axis=-1).max(initial=0.0))
    usual = tuple(float(x) for x in np.median(length, axis=0))
    return Redundancy(rank, tuple(sorted(kept)), rows.names, len(rest), left, usual)


def _configurations(rows: Rows, start: np.ndarray | None, seed: int) -> np.ndarray:
    """(B, nq) random ones that satisfy the constraints, or some near `start`."""
    system: Any = rows.system
    rng = np.random.default_rng(seed)
    if start is None:
        tried = [system.neutral(), *(system.random(rng) for _ in range(TRIES - 1))]
    else:
        tried = [start, *(system.integrate(start, 0.1 * rng.normal(size=system.n)) for _ in range(TRIES))]
    found, left = on_constraint(rows, np.stack(tried))
    good = found[left <= SATISFIED]
    _refuse_flat(rows, good if len(good) else found[left <= NEARLY], rng)
    if len(good):
        return good
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


def _worst(rows: Rows, q: np.ndarray) -> str:
    """What is off in the best of configurations that all are."""
    h = np.abs(rows.h(q))
    off = h / np.nanmedian(lengths(rows.A(q)), axis=0)  # where it cannot be nearer a row has no length
    worst = off.max(axis=-1)
    best = int(np.argmin(np.where(np.isfinite(worst), worst, np.inf)))
    names = [rows.names[k] for k in np.argsort(-off[best]) if not off[best, k] <= 1e-6 * worst[best]]
    return f"{', '.join(names[:4])} {'is' if len(names) == 1 else 'are'} off by up to {h[best].max():.3g}"


def _refuse_flat(rows: Rows, q: np.ndarray, rng: np.random.Generator) -> None:
    """Refuse a function whose gradient vanishes wherever it does, though not beside: its row would be rounding."""
    k = list(rows.holonomic)
    if not k or not len(q):
        return
    steps = rng.normal(size=(4, len(q), rows.system.n))
    steps *= BESIDE * (size(q) / np.linalg.norm(steps, axis=-1))[..., None]
    here, beside = (np.linalg.norm(rows.A(x)[..., k, :], axis=-1) for x in (q, rows.system.integrate(q, steps)))
    beside = beside.max(axis=0)
    flat = (here <= FLAT * beside) & (beside > ZERO * beside.max(axis=-1, keepdims=True))
    if flat.all(axis=0).any():
        names = [rows.names[k[r]] for r in np.flatnonzero(flat.all(axis=0))]
        raise ModelError(
            f"constraint {', '.join(names)}: its gradient is zero wherever it is satisfied, so that it says nothing of "
            "velocities there; give a function whose gradient is not zero where it is (h, not h squared)"
        )
