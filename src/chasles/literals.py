"""Options that are one of a few values: their types. `arguments.one_of` checks them."""

from typing import Literal

Expressed = Literal["body", "space", "mixed"]
"""The frame's own axes, at its origin; the space frame; space axes, at the frame's origin."""

Metric = Literal["euclidean", "inertia"]
"""What a joint velocity of length one is: |qd| = 1; kinetic energy 1/2."""

Found = Literal["first", "all"]
"""Of the solutions of a search."""
