"""The built-in robots, as data: one .toml file each, in the form of `chasles.io.toml`."""

from importlib.resources import files
from importlib.resources.abc import Traversable

from chasles.errors import ModelError


def names() -> list[str]:
    """The names of the built-in robots, sorted."""
    return sorted(
        entry.name.removesuffix(".toml") for entry in files(__name__).iterdir() if entry.name.endswith(".toml")
    )


def path(name: str) -> Traversable:
    """The file of the built-in robot `name`."""
    known = names()
    if name not in known:
        raise ModelError(f"no built-in robot {name!r}; there are {', '.join(known)}")
    return files(__name__).joinpath(f"{name}.toml")
