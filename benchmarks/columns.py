"""Batches in columns, `(n, B).T` in and out, beside our own rows and CasADi's C in both layouts (`casadi_peer.py`).

Where B is a power of two, all columns begin in the same set of a cache, which has room for eight lines: both sides are
measured on such a batch and on one that is not.
"""

import itertools
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from compiled_c import compiler
from dynamics import BATCH, NAMES, Pair
from figures import Figure, Target
from timing import QUICK, Effort, one_thread

ROWS, COLUMNS, BESIDE_ROWS = 4.0, 1.1, 1.5  # times faster than CasADi's in rows, in columns; of the time of our rows
BATCHES = (BATCH, 15 * 256)  # of whole blocks of the peer
TOLERANCE = 1e-9
NEEDED = {"casadi": find_spec("casadi"), "gcc on Linux": compiler() if sys.platform == "linux" else None}
ABSENT = [name for name, found in NEEDED.items() if found is None]


def columns(both: list[Pair], effort: Effort) -> list[Figure]:
    """Nanoseconds for one configuration of a batch, one thread."""
    from casadi_peer import Function, fastest

    figures = []
    for batch, name, pair in itertools.product(BATCHES, NAMES, both):
        rows = pair.inputs(name, batch)
        expected = getattr(pair.robot, name)(*rows).reshape(batch, -1)
        function = Function.of(pair.model, name, NAMES[name])
        peers = [fastest(function, layout, rows, effort is QUICK) for layout in ("rows", "columns")]
        mine, out = _in_columns(pair, name, rows)
        calls = [pair.ours(name, rows), mine, *(peer.call for peer in peers)]
        in_rows, in_columns, *theirs = (t / batch * 1e9 for t in one_thread(calls, effort))
        title = f"{pair.title} {name}, {batch}"
        _check(title, out.reshape(batch, -1), expected, 0.0)
        sides = ("rows", in_rows, ROWS), ("columns", in_columns, COLUMNS)
        for peer, (layout, ours, least), other in zip(peers, sides, theirs, strict=True):
            _check(f"{title}: CasADi's C in {layout}", peer.rows, expected, TOLERANCE)
            target, note = Target("speedup", "at least", least), f"{function.instructions} lines; {peer.described}"
            figures.append(Figure(f"{title} {layout}", ours, "ns", other, target=target, note=note, of="casadi"))
        target = Target("share", "at most", BESIDE_ROWS)
        figures.append(Figure(f"{title} columns beside rows", in_columns, "ns", base=in_rows, target=target))
    return figures


def _in_columns(pair: Pair, name: str, rows: list[np.ndarray]) -> tuple[Callable[[], Any], np.ndarray]:
    """Our kernel on columns, and where its results are."""
    given = [np.ascontiguousarray(x.T).T for x in rows]
    ufunc = pair.robot.kernel(name).ufunc
    shape = ufunc(*(x[:1] for x in given)).shape[1:]
    out = np.moveaxis(np.empty((*shape, len(rows[0]))), -1, 0)
    return partial(ufunc, *given, out=out), out


def _check(what: str, found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    off = float(np.abs(found - expected).max() / np.abs(expected).max())
    if not off <= tolerance:
        raise SystemExit(f"{what}: {off:.2g} off, relative")
