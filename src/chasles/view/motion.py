"""A trajectory as the data of a page: samples to play, and curves to plot, thinned where there are many.

Samples are taken one in so many, with the first and the last; between them the page interpolates as `Trajectory` does.
Curves are thinned to the least and the greatest of each stretch of time, so that no peak is lost:

    a stretch of k samples -> two points, at its first time and its middle, in the order in which they occur    (1)

A motion that does not stay finite ends with its last finite sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.errors import ModelError
from chasles.recorded_motion import Trajectory
from chasles.recorded_motion.labels import labels_of
from chasles.recorded_motion.plot import panel
from chasles.recorded_motion.trajectory import parts_of
from chasles.view.encoding import encoded

Array = NDArray[np.float64]
MOST_ROWS = 8  # of a batch
SAMPLE_BYTES, CURVE_BYTES = 900_000, 400_000  # of all samples and of all curves, before base64
MOST_POINTS = 2000  # of a curve
MOST_EVENTS = 200
KINDS = {
    "q": "Joints",
    "qd": "Velocities",
    "tau": "Forces",
    "energy": "Energy",
    "multipliers": "Constraint forces",
}


def motion(trajectory: Trajectory) -> dict[str, Any]:
    """rows: the first motions of a batch. notes: what is not shown as it was recorded."""
    lead = trajectory.q.shape[:-2]
    many = int(np.prod(lead))
    if not many or not len(trajectory):
        raise ModelError(f"show: the trajectory has no motion, its q has shape {trajectory.q.shape}")
    places = [tuple(int(i) for i in np.unravel_index(k, lead)) for k in range(min(many, MOST_ROWS))]
    notes: list[str] = []
    if many > MOST_ROWS:
        notes.append(f"The first {MOST_ROWS} of {many:,} motions are shown; trajectory.row(k) has the others.")
    rows = [_row(trajectory.row(*place) if lead else trajectory, len(places), notes) for place in places]
    for row, place in zip(rows, places, strict=True):
        row["name"] = f"row {', '.join(map(str, place))}" if lead else ""
    return {"rows": rows, "notes": list(dict.fromkeys(notes)), "method": trajectory.labels.method}


def names(system: Any) -> dict[str, Any]:
    """Names and units of what the page records by itself."""
    labels = labels_of(system, "", 0.0)
    units = {
        "q_unit": labels.q_units,
        "qd_unit": labels.rates(),
        "tau_unit": labels.forces(),
        "multipliers_unit": labels.row_units,
    }
    of_all = {key: " or ".join(dict.fromkeys(x for x in given if x and x != "1")) for key, given in units.items()}
    return {"q": list(labels.q), "qd": list(labels.qd), **of_all}


def _row(whole: Trajectory, rows: int, notes: list[str]) -> dict[str, Any]:
    t = finite_part(whole, notes)
    width = 1 + t.q.shape[1] + 2 * t.qd.shape[1]
    taken = thinned(len(t), max(2, SAMPLE_BYTES // (8 * width * rows)))
    if len(taken) < len(t):
        notes.append(f"{len(t):,} samples; the page plays one in {taken[1]:,}, and plots the extremes of all.")
    panels = _panels(t)
    count = sum(len(curves) for curves, _ in panels.values())
    points = max(8, min(MOST_POINTS, CURVE_BYTES // (4 * rows * (count + 2))))
    curves = {
        key: {"title": KINDS.get(key, key), "unit": unit, **_curves(t.t, lines, points)}
        for key, (lines, unit) in panels.items()
    }
    acted = bool(np.any(t.tau))
    return {
        "count": len(taken),
        "t": encoded(t.t[taken]),
        "q": encoded(t.q[taken]),
        "qd": encoded(t.qd[taken]),
        "tau": encoded(t.tau[taken]) if acted else None,
        "panels": curves,
        "events": [{"name": e.name, "t": float(e.t)} for e in t.events[:MOST_EVENTS]],
    }


def finite_part(t: Trajectory, notes: list[str]) -> Trajectory:
    """A motion up to its last finite sample; where there is none it is refused."""
    finite = np.isfinite(t.q).all(axis=-1) & np.isfinite(t.qd).all(axis=-1) & np.isfinite(t.t)
    if finite.all():
        return t
    end = int(np.argmin(finite))
    if not end:
        raise ModelError("show: the trajectory is not finite at its first sample")
    notes.append(f"The motion is not finite after {t.t[end - 1]:.6g} s, and ends there.")
    return t[:end]


def thinned(count: int, most: int) -> NDArray[np.int64]:
    """Places of at most about `most` of so many samples: one in so many, and the last."""
    stride = -(-count // most)
    places = np.arange(0, count, stride)
    return places if places[-1] == count - 1 else np.append(places, count - 1)


def _panels(t: Trajectory) -> dict[str, tuple[dict[str, Array], str]]:
    parts = parts_of(t)
    names = ["q", "qd", *(["tau"] if np.any(t.tau) else []), *(["energy"] if parts["kinetic"] is not None else [])]
    names += ["multipliers"] if parts["multipliers"] is not None else []
    found = {name: panel(name, parts, t.labels) for name in names}
    for name in parts["signals"]:
        found[f"signal {name}" if name in KINDS else name] = panel(name, parts, t.labels)
    return found


def _curves(t: Array, curves: dict[str, Array], points: int) -> dict[str, Any]:
    times, values = extremes(t, np.array([np.asarray(x, dtype=float) for x in curves.values()]), points)
    return {"names": list(curves), "t": encoded(times), "values": encoded(values, "float32"), "count": len(times)}


def extremes(t: Array, values: Array, points: int) -> tuple[Array, Array]:
    """Times (p,) and values (curves, p), of at most `points` points, of curves (curves, T): (1). All, where few."""
    count = len(t)
    if count <= points:
        return t, values
    edges = np.unique(np.linspace(0, count, points // 2 + 1).astype(np.int64))
    starts, ends = edges[:-1], edges[1:]
    low, high = np.fmin.reduceat(values, starts, axis=1), np.fmax.reduceat(values, starts, axis=1)
    falling = _first(values, high, starts) < _first(values, low, starts)
    pairs = np.stack([np.where(falling, high, low), np.where(falling, low, high)], axis=-1)  # (1)
    times = np.stack([t[starts], t[(starts + ends) // 2]], axis=-1)
    times[-1, 1] = t[-1]
    return times.ravel(), pairs.reshape(len(values), -1)


def _first(values: Array, of: Array, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(curves, stretches) the first place of each stretch that has the value given for it; the last of all if none."""
    count = values.shape[1]
    same = values == np.repeat(of, np.diff(starts, append=count), axis=1)
    return np.minimum.reduceat(np.where(same, np.arange(count), count), starts, axis=1)
