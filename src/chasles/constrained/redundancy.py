"""Which rows of constraints are independent: found once, at configurations that satisfy them.

Closed loops say the same thing several times: the six equations that close a planar four-bar have rank two everywhere.
At random configurations on the constraint the rank of A is its generic one, with probability one; but equations may
also hold where they were not meant to (a turn by pi has no sine either), so the greatest rank counts. Rows are chosen
one after the other, each time the one with the largest part across those chosen before, in the median configuration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.constrained.kernels import Rows
from chasles.errors import ModelError

SAMPLES, TRIES, TOLERANCE = 12, 60, 1e-8


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


def on_constraint(
    rows: Rows, q: np.ndarray, tolerance: float = 1e-12, steps: int = 50
) -> tuple[np.ndarray, np.ndarray]:
    """Configurations (B, nq) moved onto h = 0 by Gauss and Newton, the least motion each time; what is left, (B,)."""
    q = np.array(q, dtype=float)
    if not rows.holonomic:
        return q, np.zeros(len(q))
    left = np.abs(rows.h(q)).max(axis=-1)
    for _ in range(steps):
        todo = ~(left <= tolerance)
        if not todo.any():
            break
        A, h = rows.A(q[todo])[:, list(rows.holonomic)], rows.h(q[todo])[:, list(rows.holonomic)]
        ok = np.isfinite(A).all(axis=(1, 2)) & np.isfinite(h).all(axis=1)
        step = np.zeros((len(A), rows.system.n))
        step[ok] = -np.einsum("bij,bj->bi", np.linalg.pinv(A[ok], rcond=1e-10), h[ok])
        size = np.abs(step).max(axis=1, keepdims=True)
        moved = rows.system.integrate(q[todo], step)
        better = np.abs(rows.h(moved)).max(axis=-1)
        far = ~(better < left[todo])  # then not as far
        if far.any():
            short = step * np.minimum(1.0, 1.0 / np.maximum(size, 1e-300))
            moved[far] = rows.system.integrate(q[todo][far], short[far])
            better[far] = np.abs(rows.h(moved[far])).max(axis=-1)
        stuck = ~(better < left[todo]) & (size[:, 0] < 1e-9)
        q[todo], left[todo] = moved, better
        if stuck.all():
            break
    return q, left


def _configurations(rows: Rows, seed: int) -> np.ndarray:
    system: Any = rows.system
    rng = np.random.default_rng(seed)
    starts = np.stack([system.neutral(), *(system.random(rng) for _ in range(TRIES - 1))])
    found, left = on_constraint(rows, starts)
    good = found[left <= 1e-9]
    if not len(good):
        raise ModelError(
            f"no configuration of {system.name!r} found that satisfies its constraints: at best "
            f"{_worst(rows, found, left)}. They may contradict each other, or the mechanism cannot be assembled; "
            "give start=, a configuration near one that can"
        )
    return good


def _worst(rows: Rows, q: np.ndarray, left: np.ndarray) -> str:
    """What is off in the best of configurations that all are."""
    h = np.abs(rows.h(q[int(np.argmin(np.where(np.isfinite(left), left, np.inf)))]))
    names = [rows.names[k] for k in np.argsort(-h) if not h[k] <= 1e-6 * h.max()]
    return f"{', '.join(names[:4])} {'is' if len(names) == 1 else 'are'} off by up to {h.max():.3g}"


def redundancy(rows: Rows, start: np.ndarray | None = None, seed: int = 0) -> Redundancy:
    """The independent rows. start: (nq,) near a configuration that satisfies the constraints, if random ones fail."""
    if start is None:
        q = _configurations(rows, seed)
    else:
        rng = np.random.default_rng(seed)
        near = [rows.system.integrate(start, 0.1 * rng.normal(size=rows.system.n)) for _ in range(TRIES)]
        found, left = on_constraint(rows, np.stack([start, *near]))
        q = found[left <= 1e-9]
        if not len(q):
            raise ModelError(
                f"start is near no configuration of {rows.system.name!r} that satisfies its constraints: at best "
                f"{_worst(rows, found, left)}"
            )
    A = rows.A(q)
    lengths = np.linalg.norm(A, axis=-1)
    if not np.isfinite(A).all():
        raise ModelError(f"the rows of {', '.join(rows.constraint.names)} are not finite at some configurations")
    size = np.where(lengths > 1e-12 * lengths.max(), lengths, 1.0)
    rest, kept = A / size[..., None], []
    ranks = np.linalg.matrix_rank(rest, tol=TOLERANCE * max(rest.shape[1:]))
    rank = int(ranks.max())
    generic = np.flatnonzero(ranks == rank)[:SAMPLES]  # the others are special
    rest, lengths = rest[generic], lengths[generic]
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
    usual = tuple(float(x) for x in np.median(lengths, axis=0))
    return Redundancy(rank, tuple(sorted(kept)), rows.names, len(rest), left, usual)
