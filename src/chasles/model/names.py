"""Names that are each their own."""

from collections.abc import Container


def free(name: str, taken: Container[str]) -> str:
    """`name`, or `name_2` and so on where that is taken."""
    own, k = name, 2
    while own in taken:
        own, k = f"{name}_{k}", k + 1
    return own
