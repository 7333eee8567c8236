"""Robots of numbers with symbols in place of their inertias.

The ten parameters of link i, in its own frame and about its origin: the mass m_i, the first moments h_i = m_i c_i and
the second moments I_i. Equations of motion are linear in them, so that they stay short, and the combinations of them
that appear are the base parameters. A parameter that is zero stays zero.
"""

from __future__ import annotations

import numpy as np

from chasles.equations.leaves import PARAMETERS, inertia_symbol
from chasles.errors import ModelError
from chasles.formula.tree import Symbol
from chasles.robot import Robot
from chasles.symbol import symbols

DUST = 1e-12  # of the largest parameter of its kind in the robot: below it is rounding
KINDS = (slice(0, 1), slice(1, 4), slice(4, 10))


def with_inertia_symbols(robot: Robot) -> tuple[Robot, dict[str, Symbol]]:
    """The robot with symbols for the parameters of its links that are not zero, and how these are read."""
    if robot.symbols:
        raise ModelError(
            f"robot {robot.name!r} has symbols already ({', '.join(robot.symbols)}): equations() shows them; give them "
            "numbers with with_values to have others for the inertias"
        )
    numbers = robot.inertial_parameters
    given = np.zeros(numbers.shape, dtype=object)
    read: dict[str, Symbol] = {}
    for kind in KINDS:
        sizes = np.abs(numbers[:, kind])
        for link, k in np.argwhere(sizes > DUST * max(1e-300, sizes.max(initial=0.0))).tolist():
            mark = inertia_symbol(PARAMETERS[kind.start + k], link + 1)
            read[mark.name] = mark
            given[link, kind.start + k] = symbols(mark.name)
    return robot.with_inertial_parameters(given), read
