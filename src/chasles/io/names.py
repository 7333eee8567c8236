"""Names that are each their own."""


def unique(name: str, taken: set[str], notes: list[str], what: str) -> str:
    """`name`, or `name_2` and so on if it is taken, with a note; taken from now on."""
    own, k = name, 2
    while own in taken:
        own, k = f"{name}_{k}", k + 1
    if own != name:
        notes.append(f"{what} {name!r} shares its name with another: this one is {own!r} here")
    taken.add(own)
    return own
