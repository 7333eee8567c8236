"""Numbers checked when they arrive: the values of symbols, row by row.

The checks are those of model/checks.py, of what they could not see: an entry that is a symbol. Each error names the
link or joint, the symbols with their values, and the row. Whether there is one is found by model/margins.py first.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from chasles.arguments.motions import RIGID_TOLERANCE
from chasles.errors import ModelError
from chasles.graph.interpret import interpret
from chasles.graph.symbol import operands, program
from chasles.model.leaves import is_number, is_symbolic
from chasles.model.link import Link
from chasles.model.mechanism import LOSSES, Mechanism


class Arrival:
    """Values of symbols, arrays (..., *shape) each, and what a mechanism's entries are with them, one row a value."""

    def __init__(self, m: Mechanism, values: Mapping[str, np.ndarray]) -> None:
        self.m, self.values = m, values
        cores = {x.name: len(x.shape) for x in m.symbols}
        leads = [x.shape[: x.ndim - cores[name]] for name, x in values.items()]
        self.shape = np.broadcast_shapes(*leads)
        self.rows = int(np.prod(self.shape, dtype=int))
        self.flat: dict[str, list[np.ndarray]] = {}
        for name, x in values.items():
            core = x.shape[x.ndim - cores[name] :]
            wide = np.broadcast_to(x, (*self.shape, *core)).reshape(self.rows, int(np.prod(core, dtype=int)))
            self.flat[name] = [wide[:, k].astype(float) for k in range(wide.shape[1])]
        self.found: dict[int, np.ndarray] = {}
        known = [x for x in m.expressions if all(o.name in values for o in operands([x]))]
        if known:
            made = program(known)
            with np.errstate(all="ignore"):
                results = interpret(made, [self.flat[x.name] for x in made.inputs])[0]
            self.found = {id(x): np.broadcast_to(y, (self.rows,)) for x, y in zip(known, results, strict=True)}

    def of(self, entries: np.ndarray) -> np.ndarray | None:
        """(rows, *shape) the values of an array with symbols; None, where it has none or they are not all here."""
        flat = entries.reshape(-1).tolist()
        if is_number(*flat) or not all(is_number(x) or id(x) in self.found for x in flat):
            return None
        columns = [np.full(self.rows, x) if is_number(x) else self.found[id(x)] for x in flat]
        return np.stack(columns, axis=1).reshape(self.rows, *entries.shape)

    def refuse(self, wrong: Any, entries: Any, what: Callable[[int], str]) -> None:
        """Raise the error of the first row that is wrong."""
        if not wrong.any():
            return
        row = int(np.argmax(wrong))
        names = [x.name for x in operands(np.asarray(entries, object).reshape(-1).tolist())]
        raise ModelError(f"{what(row)}, {self.where(row, names)}")

    def where(self, row: int, names: Iterable[str]) -> str:
        """The values of some symbols in a row, as text."""
        shown = [f"{name} = {self.flat[name][0][row]:g}" if len(self.flat[name]) == 1 else name for name in names]
        index = ", ".join(map(str, np.unravel_index(row, self.shape)))
        return f"with {', '.join(shown)}{f' (row {index})' if index else ''}"


def check(m: Mechanism, values: Mapping[str, np.ndarray]) -> Arrival:
    """Refuse values of symbols with which a mechanism is none. Entries with a symbol that has no value are let pass."""
    here = Arrival(m, values)
    if not here.rows:
        return here
    for link, name in zip((m.base, *m.links), (m.base_name, *m.link_names), strict=True):
        if link.is_symbolic:
            _link(here, link, name)
    for i in range(m.bodies):
        _screw(here, m.screws[i], m.joint_names[i])
        _pose(here, m.homes[i], f"home of link {m.link_names[i]!r}")
    for name, frame in (*m.frames.items(), *((("tool", m.tool),) if m.tool else ())):
        _pose(here, frame.pose, f"frame {name!r}")
    for what in LOSSES:
        for i, joint in enumerate(m.joint_names):
            _loss(here, getattr(m, what)[i : i + 1], f"joint {joint!r}: its {what}")
    if is_symbolic(m.gravity) and (g := here.of(m.gravity)) is not None:
        here.refuse(~np.isfinite(g).all(1), m.gravity, lambda r: "gravity has a nan or an infinity")
    return here


def _link(here: Arrival, link: Link, name: str) -> None:
    stated = np.array(link.stated, object)
    x = here.of(stated)
    if x is None:
        return
    where = f"link {name!r}: its"
    here.refuse(~np.isfinite(x).all(1), stated, lambda r: f"{where} mass, com or inertia has a nan or an infinity")
    here.refuse(x[:, 0] < 0.0, stated[:1], lambda r: f"{where} mass is negative ({x[r, 0]:g})")
    J, mass, com = inertias(link, x)
    lone = (mass == 0.0) & (com != 0.0).any(1) if link.parameters else np.zeros(len(mass), bool)
    here.refuse(lone, stated[:4], lambda r: f"{where} mass is zero, and its first moment is not")
    size = np.abs(J).max((1, 2))
    skew = np.abs(J - J.transpose(0, 2, 1)).max((1, 2))
    here.refuse(skew > 1e-9 * size, stated[4:], lambda r: f"{where} inertia matrix is not symmetric")
    low, _, high = np.linalg.eigvalsh(J).T
    noise = _noise(J, mass, com)
    here.refuse(
        low < -noise,
        stated,
        lambda r: f"{where} inertia has a negative eigenvalue ({low[r]:.6g}); the largest is {high[r]:.6g}",
    )


def _loss(here: Arrival, entry: np.ndarray, what: str) -> None:
    x = here.of(entry) if is_symbolic(entry) else None
    if x is not None:
        here.refuse(~np.isfinite(x[:, 0]), entry, lambda r: f"{what} is not finite")
        here.refuse(x[:, 0] < 0.0, entry, lambda r: f"{what} is negative ({x[r, 0]:g})")


def inertias(link: Link, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rows, 3, 3) inertia about the centre of mass, (rows,) mass, (rows, 3) centre, of rows of what a link states.

    Where the parameters have no mass, the first moment is in place of the centre.
    """
    mass = x[:, 0]
    if link.parameters is None:
        return x[:, 4:].reshape(-1, 3, 3), mass, x[:, 1:4]
    com = x[:, 1:4] / np.where(mass == 0.0, 1.0, mass)[:, None]
    J = x[:, [4, 5, 7, 5, 6, 8, 7, 8, 9]].reshape(-1, 3, 3)
    square = (com * com).sum(1)[:, None, None] * np.eye(3) - com[:, :, None] * com[:, None, :]
    return J - mass[:, None, None] * square, mass, com


def _noise(J: np.ndarray, mass: np.ndarray, com: np.ndarray) -> np.ndarray:
    return np.maximum(1e-9 * np.abs(J).max((1, 2)), 1e-15 * mass * (1.0 + 10.0 * (com * com).sum(1)))


def doubts(here: Arrival) -> dict[str, str]:
    """By the link, that its principal inertias break the triangle inequality, in the first row where they do."""
    out = {}
    for link, name in zip((here.m.base, *here.m.links), (here.m.base_name, *here.m.link_names), strict=True):
        stated = np.array(link.stated, object)
        x = here.of(stated) if link.is_symbolic else None
        if x is None or not here.rows:
            continue
        J, mass, com = inertias(link, x)
        moments = np.linalg.eigvalsh(J)
        low, middle, high = moments.T
        wrong = low + middle < high * (1.0 - 1e-9) - _noise(J, mass, com)
        if wrong.any():
            row = int(np.argmax(wrong))
            names = [x.name for x in operands(stated.tolist())]
            out[name] = (
                f"link {name!r}: its principal inertias ({', '.join(f'{x:.6g}' for x in moments[row])}) break the "
                f"triangle inequality: no distribution of mass has them, {here.where(row, names)}"
            )
    return out


def doubtful(here: Arrival, rows: np.ndarray) -> list[int]:
    """Of some rows, one for each set of numbers of links that are zero: where the mass matrix may be singular."""
    zeros = []
    for link in here.m.links:
        x = here.of(np.array(link.stated, object))
        x = np.array([link.stated] * here.rows, float) if x is None else x
        J, _, _ = inertias(link, x)
        zeros.append(np.column_stack([x == 0.0, np.linalg.eigvalsh(J)[:, 0] > 0.0]))
    _, first = np.unique(np.hstack(zeros)[rows], axis=0, return_index=True)
    return sorted(int(rows[k]) for k in first)


def _screw(here: Arrival, S: np.ndarray, joint: str) -> None:
    x = here.of(S) if is_symbolic(S) else None
    if x is None:
        return
    named = f"screw of joint {joint!r}"
    here.refuse(~np.isfinite(x).all(1), S, lambda r: f"{named} has a nan or an infinity")
    here.refuse(~x.any(1), S, lambda r: f"{named} is zero")
    if not is_number(*S[:3]):
        here.refuse(
            ~x[:, :3].any(1),
            S[:3],
            lambda r: f"{named}: its axis has no direction; of a prismatic joint the first three are the number 0",
        )


def _pose(here: Arrival, T: np.ndarray, what: str) -> None:
    x = here.of(T) if is_symbolic(T) else None
    if x is None:
        return
    here.refuse(~np.isfinite(x).all((1, 2)), T, lambda r: f"{what} has a nan or an infinity")
    R = x[:, :3, :3]
    defect = np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max((1, 2))
    here.refuse(
        defect > RIGID_TOLERANCE, T[:3, :3], lambda r: f"{what} is not a rigid motion: rotation off by {defect[r]:.2g}"
    )
    here.refuse(np.linalg.det(R) < 0.0, T[:3, :3], lambda r: f"{what} is not a rigid motion: it is a reflection")
