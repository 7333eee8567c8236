"""Options that are one of a few values: their types, and the one check of them."""

from typing import Any, Literal, get_args

from chasles.errors import ModelError

Expressed = Literal["body", "space", "mixed"]
"""The frame's own axes, at its origin; the space frame; space axes, at the frame's origin."""

Metric = Literal["euclidean", "inertia"]
"""What a joint velocity of length one is: |qd| = 1; kinetic energy 1/2."""

Found = Literal["first", "all"]
"""Of the solutions of a search."""


def one_of(what: str, value: Any, choices: Any) -> Any:
    """`value`, one of `choices`, a Literal or a tuple; what is none of them is refused by the name `what`."""
    values = get_args(choices) or choices
    named = all(isinstance(x, str) for x in values)
    if named and len(values) > 2 and not isinstance(value, str):
        raise ModelError(f"{what} must be a name, got {value!r}")
    if (named and not isinstance(value, str)) or value not in values:
        listed = f"one of {', '.join(map(str, values))}" if len(values) > 2 else " or ".join(map(repr, values))
        raise ModelError(f"{what} must be {listed}, got {value!r}")
    return value
