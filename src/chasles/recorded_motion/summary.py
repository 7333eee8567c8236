"""A motion in a notebook: its coordinates in a table and as curves, how far its energy changes, what occurred.

Each function takes a `Trajectory`, whose module imports this one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles import markup
from chasles.function.kernel import Kernel
from chasles.graph.interpret import interpret
from chasles.graph.program import Program
from chasles.reprs import brief, extent

Array = NDArray[np.float64]
MOST_NUMBERS = 200_000  # of all states of a motion, of which the energy is computed to be shown
LARGEST_TRACED = 16  # velocities of a robot
LARGEST_SYSTEM = 6  # coordinates of a Lagrangian, whose derivatives are traced
UNITS = ("rad", "m", "")  # of coordinates that are drawn: no quaternions


def energy_change(motion: Any) -> float | None:
    """How far the energy strays from its first value, J; None where it is not known and not soon computed.

    Nothing is compiled: the interpreter runs over all samples at once.
    """
    E = _energy(motion)
    if E is None or not E.size:
        return None
    with np.errstate(all="ignore"):
        found = extent(np.abs(E - E[..., :1]).ravel())
    return None if found is None else found[1]


def _energy(motion: Any) -> Array | None:
    if all(name in motion.known or name in motion.__dict__ for name in ("kinetic", "potential")):
        return motion.energy
    system: Any = getattr(motion.system, "system", motion.system)
    if system is None or motion.values or getattr(system, "depends_on_time", False) or not hasattr(system, "kernel"):
        return None
    largest = LARGEST_TRACED if hasattr(system, "mechanism") else LARGEST_SYSTEM
    if system.n > largest or motion.q.size + motion.qd.size > MOST_NUMBERS:
        return None
    try:
        K = _interpreted(system.kernel("kinetic_energy"), motion.q, motion.qd)
        return K + _interpreted(system.kernel("potential_energy"), motion.q)
    except Exception:  # of a function of the user's, which repr does not let out
        return None


def _interpreted(kernel: Kernel, *states: Array) -> Array:
    """What a function of states (..., T, k) that gives one number is, (..., T)."""
    body = kernel.program
    program = body if isinstance(body, Program) else body.program
    with np.errstate(all="ignore"):
        ((found,),) = interpret(program, [list(np.moveaxis(x, -1, 0)) for x in states])
    return np.broadcast_to(np.asarray(found, dtype=float), states[0].shape[:-1])


def html(motion: Any, title: str) -> markup.Markup:
    """A block about a motion; of a batch, the first one is drawn."""
    lead = motion.q.shape[:-2]
    many, labels = math.prod(lead), motion.labels
    notes = [] if not lead else [f"shown: the first of {many}" if many else "no motion"]
    change = energy_change(motion)
    if change is not None:
        notes.append(markup.joined(["energy changes by up to ", markup.number(change, "J", 2)]))
    if motion.signals:
        notes.append(f"signals: {', '.join(f'{name} {x.shape}' for name, x in motion.signals.items())}")
    parts: list[Any] = [markup.joined(notes, "; ")]
    if many and len(motion):
        q = motion.q[(0,) * len(lead)]
        parts += [_curves(motion.t, q, labels.q, labels.q_units, unit) for unit in UNITS if unit in labels.q_units]
        parts.append(_table(q, labels.q, labels.q_units))
    events = [(x.name, markup.number(x.t, "s"), brief(x.row) if x.row else "") for x in motion.events]
    if events:
        parts.append(markup.table(["event", "at", "row"], events))
    return markup.block("Trajectory", *parts, about=title)


def _curves(t: Array, q: Array, names: tuple[str, ...], units: tuple[str, ...], unit: str) -> markup.Markup:
    """The coordinates of one unit; of many, those that move farthest come first."""
    chosen = [k for k, of in enumerate(units) if of == unit]
    if len(chosen) > markup.MOST_CURVES:
        chosen.sort(key=lambda k: np.subtract(*(extent(q[:, k]) or (0.0, 0.0))))
    return markup.curves_svg(t, q.T[chosen], [names[k] for k in chosen], unit=unit, title="q")


def _table(q: Array, names: tuple[str, ...], units: tuple[str, ...]) -> markup.Markup:
    rows = []
    for name, unit, x in zip(names, units, q.T, strict=True):
        low, high = extent(x) or (np.nan, np.nan)
        rows.append((name, float(x[0]), float(x[-1]), low, high, markup.units(unit if unit != "1" else "")))
    return markup.table(["q", "first", "last", "least", "greatest", ""], rows)
