"""Independent rows of systems with symbols: those at random values of the symbols.

Which rows follow from others is the same at almost all values, as it is at almost all configurations: what holds at
random ones holds, with probability one, wherever nothing special does. Lengths between 1/2 and 3/2 close every polygon.
Where the random mechanism cannot be assembled all the same, or cannot move, all rows are kept but those that are zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.constrained.independent_rows import IndependentRows, independent_rows
from chasles.constraint.rows import ConstraintRows
from chasles.errors import ModelError
from chasles.graph.array import plain, traced
from chasles.graph.symbol import symbol
from chasles.robot import Robot

Array = NDArray[np.float64]
LEAST, MOST = 0.5, 1.5  # values of symbols that are tried


def usual_rows(rows: ConstraintRows, start: Array | None = None, seed: int = 0) -> IndependentRows:
    """The independent rows at random values of the symbols. start: as of `independent_rows`, where rows have none."""
    rng, robot = np.random.default_rng(seed), rows.system
    of_robot = robot.mechanism.symbols if isinstance(robot, Robot) else ()
    values = {x.name: rng.uniform(LEAST, MOST, x.shape) for x in (*of_robot, *rows.symbols)}
    system: Any = robot
    if of_robot:  # what is not positive definite, or no rotation, is not looked at here
        system = system._view(tuple(values[x.name] for x in of_robot), True)
    if not rows.symbols:
        return independent_rows(ConstraintRows(system, rows.parts), start)
    try:
        return independent_rows(ConstraintRows(system, tuple(part.with_values(values) for part in rows.parts)))
    except ModelError:
        return _all_rows(rows)


def _all_rows(rows: ConstraintRows) -> IndependentRows:
    """All rows that are not zero as they stand."""
    A = plain(rows.A(traced(symbol("q", (rows.system.nq,)))))
    kept = tuple(k for k, row in enumerate(A) if any(type(x) is not float or x for x in row))
    if not kept:
        raise ModelError(f"the constraints {', '.join(rows.constraint_names)} say nothing: all their rows are zero")
    none, lengths = np.zeros((0, rows.system.nq)), (1.0,) * len(A)
    return IndependentRows(len(kept), kept, rows.names, none, 0.0, lengths, rows.holonomic, ())
