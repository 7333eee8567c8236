"""Robots from names, files and text: `chasles.load` and `chasles.load_text`."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from os import PathLike, fspath
from os.path import expanduser
from pathlib import Path
from typing import Any, Literal

from chasles import zoo
from chasles.arguments import folders, one_of
from chasles.errors import ModelError
from chasles.model.mechanism import Mechanism
from chasles.robot import Robot

_READERS = {  # modules of chasles.io
    ".toml": "toml",
    ".urdf": "urdf",
    ".xml": "mjcf",
    ".mjcf": "mjcf",
    ".xacro": "xacro",
}
_FORMATS = ("urdf", "mjcf", "toml")


def load(source: str | PathLike[str], *, roots: Sequence[str | PathLike[str]] = ()) -> Robot:
    """A robot: a built-in one by its name ("panda"; `chasles list` shows them), or one from a file.

    Files are .toml, .urdf, MJCF (.xml; with the extra `mujoco`) or .xacro, which is a program: trust it before you load
    it (with the extra `xacro`). The name of a description of the package
    `robot_descriptions`, such as "talos_description", loads where that package is installed (the extra `descriptions`).
    The base does not move: `with_base("free")` sets it free. `load_text` takes the text of a file.
    roots: folders, besides the file's own, from which an MJCF file may take what it includes or attaches, and meshes
    whose inertia it computes (other meshes, textures and height fields are not opened), and where a xacro file finds
    packages.
    """
    allowed = folders(roots, "roots")
    text = fspath(source) if isinstance(source, (str, PathLike)) else None
    if not isinstance(text, str):
        raise ModelError(f"load takes the name of a robot or the path of a file, got {type(source).__name__}")
    if text.lstrip("\ufeff \t\r\n").startswith("<") or "\n" in text:
        raise ModelError("load takes the name of a robot or the path of a file, got text: use chasles.load_text(text)")
    if text in zoo.names():
        return Robot(_read(zoo.path(text), []))
    path = Path(expanduser(text))
    try:
        is_file, is_folder = path.is_file(), path.is_dir()
    except (OSError, ValueError) as error:  # a name too long, or with a NUL in it
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"{_short(text)} is no robot, nor the path of a file: {reason}") from None
    if is_folder:
        raise ModelError(f"{path} is a folder: give the path of a robot's file")
    if path.suffix or is_file:
        return Robot(_read(path, allowed))
    described = _described(text, allowed)
    if described is not None:
        return Robot(described)
    from difflib import get_close_matches

    near = get_close_matches(text, zoo.names(), 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    if text.endswith("_description") and not _has_descriptions():
        hint = ' For names of robot_descriptions: pip install "chasles[descriptions]".'
    raise ModelError(
        f"no built-in robot {_short(text)} and no such file.{hint} The built-in robots: {', '.join(zoo.names())}"
    )


def load_text(
    text: str, format: Literal["urdf", "mjcf", "toml"] = "urdf", *, roots: Sequence[str | PathLike[str]] = ()
) -> Robot:
    """A robot from the text of a file, such as ROS's `robot_description`: URDF, MJCF (with the extra `mujoco`) or TOML.

    What other files the text of an MJCF file names are looked for in the working folder. roots: as for `load`.
    """
    one_of(format, "format", _FORMATS)
    allowed = folders(roots, "roots")
    if not isinstance(text, str):
        raise ModelError(f"text must be a string, the text of a robot's file, got {type(text).__name__}")
    return Robot(import_module(f"chasles.io.{format}").parse(text, **_roots(format, allowed)))


def _roots(format: str, roots: list[Path]) -> dict[str, list[Path]]:
    """What a reader that opens other files is told besides."""
    return {"roots": roots} if format in ("mjcf", "xacro") else {}


def _read(path: Path, roots: list[Path]) -> Mechanism:
    kind = path.suffix.lower()
    if kind not in _READERS:
        raise ModelError(f"{path}: no reader for {kind or 'a file without a suffix'}; there are {', '.join(_READERS)}")
    return _placed(import_module(f"chasles.io.{_READERS[kind]}").read(path, **_roots(_READERS[kind], roots)), path)


def _placed(mechanism: Mechanism, path: Path) -> Mechanism:
    """The mechanism with the path of the file that it was read from."""
    return replace(mechanism, file=str(path.absolute()))


def _short(text: str) -> str:
    return repr(text) if len(text) <= 200 else f"{text[:100]!r}... ({len(text)} characters)"


def _has_descriptions() -> bool:
    from importlib.util import find_spec

    return find_spec("robot_descriptions") is not None


def _described(name: str, roots: list[Path]) -> Mechanism | None:
    """The robot of a description of the package robot_descriptions, if it is one and that package is there."""
    if not name.isidentifier() or not name.endswith("_description") or not _has_descriptions():
        return None
    try:
        module: Any = import_module(f"robot_descriptions.{name}")
    except ModuleNotFoundError as error:
        if error.name == f"robot_descriptions.{name}":
            return None
        raise ModelError(
            f"robot_descriptions has {name}, but it needs the module {error.name!r}, which is not installed"
        ) from error
    except Exception as error:  # it fetches its files when it is imported: whatever that meets
        raise ModelError(f"robot_descriptions has {name}, but not here: {type(error).__name__}: {error}") from error
    for key in ("URDF_PATH", "MJCF_PATH"):
        if found := getattr(module, key, None):
            return _read(Path(found), roots)
    if found := getattr(module, "XACRO_PATH", None):
        from chasles.io import xacro

        needs = (getattr(module, key, None) for key in ("XACRO_ARGS", "XACRO_PACKAGE_PATHS"))
        return _placed(xacro.read(found, roots, *needs), Path(found))
    raise ModelError(f"robot_descriptions has {name}, but neither as URDF nor as xacro or MJCF")
