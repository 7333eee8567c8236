"""Options that are one of a few values: their types. `arguments.one_of` checks them."""

from typing import Literal

Expressed = Literal["body", "space", "mixed"]
"""The frame's own axes, at its origin; the space frame; space axes, at the frame's origin."""

Metric = Literal["euclidean", "inertia"]
"""The length of joint velocities: one where |qd| = 1; where the kinetic energy is 1/2."""

Found = Literal["first", "all"]
"""Of the solutions of a search."""
