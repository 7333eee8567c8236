"""The built-in robots, as data: one .toml file each, in the form of `chasles.io.toml`."""

from pathlib import Path

from chasles.errors import ModelError


def names() -> list[str]:
    """The names of the built-in robots, sorted."""
    return sorted(file.stem for file in Path(__file__).parent.glob("*.toml"))


def path(name: str) -> Path:
    """The file of the built-in robot `name`."""
    known = names()
    if name not in known:
        raise ModelError(f"no built-in robot {name!r}; there are {', '.join(known)}")
    return Path(__file__).with_name(f"{name}.toml")
