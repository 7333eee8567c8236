"""Names that are each their own."""

from chasles.model.names import free


def unique(name: str, taken: set[str], notes: list[str] | None = None, what: str = "") -> str:
    """`name`, or `name_2` and so on if it is taken, with a note where there are any; taken from now on."""
    own = free(name, taken)
    if own != name and notes is not None:
        notes.append(f"{what} {name!r} shares its name with another: this one is {own!r} here")
    taken.add(own)
    return own
