"""Pictures of motions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.errors import ModelError
from chasles.figures import gridded, label, legend, new_axes, new_figure, typeset
from chasles.figures.style import INK, LINE, TEXT, WIDTHS
from chasles.recorded_motion.labels import Labels

Array = NDArray[np.float64]
MOST_NAMES, IN_A_COLUMN = 40, 10  # of curves in one legend
PANEL = 1.45  # inches
NAMES = {"q": "position", "qd": "velocity", "tau": "force", "energy": "energy", "multipliers": "multiplier"}


def figure(t: Array, panels: dict[str, tuple[dict[str, Array], str]], title: str) -> Any:
    """A matplotlib Figure of panels, one above the other: curves (T,) by name, and the unit of each panel."""
    made = new_figure(WIDTHS["two columns"], 0.5 + PANEL * len(panels))
    axes: list[Any] = []
    named: list[str] = []
    for k, (name, (curves, unit)) in enumerate(panels.items()):
        axis = gridded(new_axes(made, (len(panels), 1, k + 1), sharex=axes[0] if axes else None))
        axes.append(axis)
        for text, curve in curves.items():
            axis.plot(t, curve, label=text, linewidth=LINE)
        label(axis, y=typeset(NAMES.get(name, name), unit))
        axis.margins(x=0.0)
        if "" not in curves and list(curves) != named and len(curves) <= MOST_NAMES:  # else those of the panel above
            columns = 1 + (len(curves) - 1) // IN_A_COLUMN
            legend(axis, loc="upper left", bbox_to_anchor=(1.01, 1.04), ncols=columns, labelspacing=0.25)
        named = list(curves)
    for axis in axes[:-1]:
        axis.tick_params(labelbottom=False)
    label(axes[-1], x=typeset("time", "s"))
    made.align_ylabels(axes)
    made.suptitle(title, fontsize=TEXT, color=INK, parse_math=False)
    return made


def panel(name: str, parts: dict[str, Any], labels: Labels) -> tuple[dict[str, Array], str]:
    """The curves of one panel and their unit, of the first motion of a batch."""
    energies = parts["kinetic"] is not None and parts["potential"] is not None
    if name == "energy" and energies:
        curves = {kind: _first(parts[kind], 1) for kind in ("kinetic", "potential")}
        return {**curves, "total": curves["kinetic"] + curves["potential"]}, "J"
    named = {
        "q": (labels.q, labels.q_units),
        "qd": (labels.qd, labels.rates()),
        "tau": (labels.qd, labels.forces()),
        "multipliers": (labels.rows, labels.row_units),
    }
    if name in named and parts[name] is not None:
        names, units = named[name]
        rows = _first(parts[name], 2)
        different = list(dict.fromkeys(unit for unit in units if unit and unit != "1"))
        return dict(zip(names, rows.T, strict=True)), " or ".join(different)
    if name in parts["signals"]:
        values = parts["signals"][name]
        own = values.shape[parts["q"].ndim - 1 :]
        rows = values.reshape(-1, len(parts["t"]), *own)[0].reshape(len(parts["t"]), -1)
        return ({"": rows[:, 0]} if rows.shape[1] == 1 else {f"{name}[{k}]": x for k, x in enumerate(rows.T)}), ""
    there = [*(x for x in named if parts[x] is not None), *["energy"] * energies, *parts["signals"]]
    raise ModelError(f"what must be of {', '.join(there)}, got {name!r}")


def _first(x: Array, own: int) -> Array:
    return x.reshape(-1, *x.shape[-own:])[0]
