"""The velocities of a system by name, and a choice of independent ones.

A joint of one degree of freedom gives its velocity its name; one of several, say `ball`, has `ball[0]`, `ball[1]`, ...,
and its own name stands for all of them. Those of a Lagrangian system have the names of its coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import is_whole, sequence, shown
from chasles.constrained.consistency import projected
from chasles.constrained.equations import ConstrainedEquations, checked
from chasles.constraint.coordinates import joints, velocity_names
from chasles.constraint.projection import LARGEST_DISTANCE, newton_projection
from chasles.errors import ModelError
from chasles.system import System

Array = NDArray[np.float64]


def indices(system: System, keys: Sequence[str | int], what: str) -> list[int]:
    """Velocities by names or indices, each once."""
    names, found = velocity_names(system), []
    for key in sequence(keys, what, "names or indices"):
        for k in _named(system, key, names, what) if isinstance(key, str) else [key]:
            if not is_whole(k) or not 0 <= k < len(names):
                raise ModelError(f"{what} must be names or indices below {len(names)}, got {shown(k)}")
            if int(k) in found:
                raise ModelError(f"{what} has {names[int(k)]!r} twice")
            found.append(int(k))
    return found


def _named(system: System, key: str, names: tuple[str, ...], what: str) -> list[int]:
    if key in names:
        return [names.index(key)]
    for place in joints(system):
        if place.name == key:
            return list(range(place.v, place.v + place.nv))
    near = get_close_matches(key, names, 1)
    hint = f" did you mean {near[0]!r}?" if near else ""
    raise ModelError(f"{what}: no velocity {key!r};{hint} there are {', '.join(names)}")


def rates_are_velocities(system: System) -> bool:
    """Whether dq/dt = v: no joints on groups."""
    return system.nq == system.n and coordinates_of(system) == {k: k for k in range(system.n)}


def coordinates_of(system: System) -> dict[int, int]:
    """The velocities that are the rate of one coordinate, and which."""
    one = np.eye(system.n)
    E = np.stack([[system.coordinate_rates(q, e) for e in one] for q in (system.random(0), system.random(1))])
    alike = np.abs(E[:, :, :, None] - one[None, :, None, :]).max(axis=(0, 1)) < 1e-12  # (nq, n)
    return {int(v): int(i) for i, v in np.argwhere(alike)}


def pivots(constrained: ConstrainedEquations, at: ArrayLike | None) -> list[int]:
    """The velocities left when each row takes the one in which it weighs most, at a configuration; M gives the units.

    Columns are taken as in a QR factorisation with column pivoting.
    """
    if at is None:
        q = _somewhere(constrained)
    else:
        q = projected(constrained, checked("project", "q", at, constrained.nq), 1e-12)
    scale = np.sqrt(np.diagonal(constrained.mass_matrix(q)))
    A = constrained.constraint_matrix(q) / np.where(scale > 0.0, scale, 1.0)
    A = A / np.maximum(np.linalg.norm(A, axis=-1, keepdims=True), 1e-300)
    rest, dependent = A, []
    for _ in range(constrained.redundancy.rank):
        length = np.linalg.norm(rest, axis=0)
        length[dependent] = -1.0
        j = int(np.argmax(length))
        if not length[j] > 1e-9 * np.linalg.norm(A):
            raise ModelError("the rank of the constraints falls at this configuration: give at=, another one")
        dependent.append(j)
        e = rest[:, j] / length[j]
        rest = rest - np.outer(e, e @ rest)
    return [k for k in range(constrained.n) if k not in dependent]


def _somewhere(constrained: ConstrainedEquations) -> Array:
    """A configuration on the constraints: near home, or else wherever one is found."""
    system = constrained.system
    rng = np.random.default_rng(0)
    starts = np.stack([system.neutral(), *(system.random(rng) for _ in range(20))])
    found, left = newton_projection(constrained.rows, starts)
    if not (left <= LARGEST_DISTANCE).any():
        raise ModelError(f"no configuration of {constrained.name!r} found that satisfies its constraints: give at=")
    return found[np.argmax(left <= LARGEST_DISTANCE)]
