"""A robot as a .xacro file, a program that makes a URDF: the package xacro runs it, and the URDF is read (io/urdf.py).

Packages that it names, `$(find NAME)`, are looked for by xacrodoc, where that is installed (the extra `xacro`), upwards
from the file and in the folders that the user allows; else as xacro does, in an environment of ROS. What a xacro file
opens and computes is its own affair: load those that you trust.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from chasles.errors import ModelError
from chasles.io import files, urdf
from chasles.model.mechanism import Mechanism

_PROGRAM = "a xacro file is a program that makes a URDF"


def read(
    path: str | PathLike[str],
    roots: Iterable[Path] = (),
    arguments: Mapping[str, str] | None = None,
    packages: Mapping[str, str] | None = None,
) -> Mechanism:
    """The mechanism of a .xacro file. roots: where packages are. arguments: of the file. packages: folders by name."""
    xacro, finder = _installed(lambda: import_module("xacro")), _installed(lambda: import_module("xacrodoc"))
    by_hand = f"run `xacro {Path(path).name} > robot.urdf`"
    if xacro is None:
        raise ModelError(f'{path}: {_PROGRAM}: pip install "chasles[xacro]", or {by_hand}')
    files.read(path)
    try:
        if finder is not None:
            finder.packages.update_package_cache(dict(packages or {}))
            finder.packages.look_in([str(root) for root in roots])
            finder.packages.walk_up_from(path)
        text = xacro.process_file(str(path), mappings=dict(arguments or {})).toxml()
    except Exception as error:  # whatever a program meets
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise ModelError(f"{path}: {_PROGRAM}, and xacro cannot: {said[:600]}; with what it needs, {by_hand}") from None
    return urdf.parse(text, f"{path} (expanded)")


def _installed(imported: Callable[[], Any]) -> Any:
    try:
        return imported()
    except ImportError:
        return None
