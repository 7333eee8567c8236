"""Robots from names and files: `chasles.load`."""

from importlib import import_module
from os import PathLike
from pathlib import Path

from chasles import zoo
from chasles.errors import ModelError
from chasles.model.mechanism import Mechanism
from chasles.robot import Robot


def load(source: str | PathLike[str]) -> Robot:
    """A robot: a built-in one by its name ("panda"; `chasles list` shows them), or one from a file.

    Files are .toml, .urdf, or MJCF (.xml; with the extra `mujoco`). The name of a description of the package
    `robot_descriptions`, such as "talos_description", loads where that package is installed. The base does not move:
    `with_base("free")` sets it free.
    """
    text = str(source)
    if text in zoo.names():
        return Robot(_read(zoo.path(text)))
    path = Path(text)
    if path.suffix or path.is_file():
        return Robot(_read(path))
    described = _described(text)
    if described is not None:
        return Robot(_read(described))
    from difflib import get_close_matches

    near = get_close_matches(text, zoo.names(), 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ModelError(
        f"no built-in robot {text!r} and no such file.{hint} The built-in robots: {', '.join(zoo.names())}"
    )


_READERS = {".toml": "toml", ".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf"}  # modules of chasles.io


def _read(path: Path) -> Mechanism:
    kind = path.suffix.lower()
    if kind == ".xacro":
        raise ModelError(f"{path}: a xacro file is a program that makes a URDF: run `xacro {path.name} > robot.urdf`")
    if kind not in _READERS:
        raise ModelError(f"{path}: no reader for {kind or 'a file without a suffix'}; there are {', '.join(_READERS)}")
    return import_module(f"chasles.io.{_READERS[kind]}").read(path)


def _described(name: str) -> Path | None:
    """The file of a description of the package robot_descriptions, if it is one and that package is there."""
    from importlib.util import find_spec

    if not name.isidentifier() or not name.endswith("_description") or find_spec("robot_descriptions") is None:
        return None
    try:
        module = import_module(f"robot_descriptions.{name}")
    except ModuleNotFoundError as error:
        if error.name == f"robot_descriptions.{name}":
            return None
        raise ModelError(
            f"robot_descriptions has {name}, but it needs the module {error.name!r}, which is not installed"
        ) from error
    found = getattr(module, "URDF_PATH", None) or getattr(module, "MJCF_PATH", None)
    return Path(found) if found else None
