"""Things of the user's own that a command is given by name: `module:name` or `file.py:name`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any

from chasles.errors import ChaslesError, ModelError
from chasles.hints import did_you_mean


def is_own(text: str) -> bool:
    """Whether it is `module:name` or `file.py:name`, and not a robot, whose file may have a drive before it."""
    module, colon, name = text.rpartition(":")
    return bool(colon) and name.isidentifier() and len(module) > 1


def own(text: str) -> Any:
    """What a module of the user's, or a file, has under a name; modules are looked for here first."""
    module, _, name = text.rpartition(":")
    found = _module(module)
    if not hasattr(found, name):
        there = [x for x in vars(found) if not x.startswith("_")]
        raise ModelError(f"{text}: {module!r} has no {name!r}{did_you_mean(name, there, {})}")
    return getattr(found, name)


def _module(text: str) -> Any:
    path = Path(text)
    if path.suffix == ".py":
        if not path.is_file():
            raise ModelError(f"there is no file {text!r}")
        return _run(text, lambda: _of_file(path.resolve()))
    if not all(part.isidentifier() for part in text.split(".")):
        raise ModelError(f"{text!r} is neither a module nor a .py file")
    return _run(text, lambda: importlib.import_module(text))


@cache
def _of_file(path: Path) -> Any:
    """The module of a file, run once: what two names say of it belongs together."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, made)  # where classes look for their module
    spec.loader.exec_module(made)
    return made


def _run(text: str, load: Any) -> Any:
    """What runs the user's own file; its mistakes end in one line that says where."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        return load()
    except ChaslesError:
        raise
    except ModuleNotFoundError as error:
        if error.name and (text == error.name or text.startswith(f"{error.name}.")):
            raise ModelError(f"there is no module {text!r} here or installed; a file is named {text}.py:...") from None
        raise ModelError(f"{text}: {error}") from error
    except Exception as error:
        raise ModelError(f"{text} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(here)
