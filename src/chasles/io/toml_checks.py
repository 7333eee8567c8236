"""Parsed TOML, checked: every complaint names the file and the line, what was expected and what was given."""

from difflib import get_close_matches
from typing import Any, NoReturn

import numpy as np

from chasles.arguments import shown
from chasles.errors import ModelError
from chasles.io.toml_lines import Lines, Path

_LARGEST_NUMBER = 1e30  # squares and products of it are still numbers


class Checked:
    """Parsed data with the lines it stands on. `path` is where a value stands, `what` how a person calls it."""

    def __init__(self, data: dict[str, Any], lines: Lines, file: str) -> None:
        self.data, self.lines, self.file = data, lines, file

    def fail(self, path: Path, message: str) -> NoReturn:
        raise ModelError(f"{self.file}:{self.lines(path)}: {message}")

    def table(self, x: Any, path: Path, what: str, keys: tuple[str, ...], required: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(x, dict):
            self.fail(path, f"{what} must be a table with the keys {', '.join(keys)}, got {shown(x)}")
        for key in x:
            if key not in keys:
                near = get_close_matches(key[:80], keys, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(keys)}"
                self.fail((*path, key), f"{what}: unknown key {shown(key)}; {hint}")
        for key in required:
            if key not in x:
                self.fail(path, f"{what}: the key {key!r} is missing")
        return x

    def tables(self, key: str) -> list[Any]:
        x = self.data.get(key, [])
        if not isinstance(x, list) or not all(isinstance(item, dict) for item in x):
            self.fail((key,), f"{key} must be an array of tables: write [[{key}]] above each, got {shown(x)}")
        return x

    def string(self, table: dict[str, Any], key: str, default: str, path: Path = (), what: str = "a robot") -> str:
        x = table.get(key, default)
        if not isinstance(x, str):
            self.fail((*path, key), f"{what}: {key} must be a string, got {shown(x)}")
        return x

    def flag(self, table: dict[str, Any], key: str, path: Path = (), what: str = "a robot") -> bool:
        x = table.get(key, False)
        if not isinstance(x, bool):
            self.fail((*path, key), f"{what}: {key} must be true or false, got {shown(x)}")
        return x

    def numbers(self, x: Any, shape: tuple[int, ...], path: Path, what: str) -> np.ndarray:
        if not fits(x, shape):
            self.fail(path, f"{what} must be {_words(shape)}, got {shown(x)}")
        try:
            out = np.array(x, dtype=float)
        except OverflowError:
            self.fail(path, f"{what} has a number too large: {shown(x)}")
        if not np.isfinite(out).all():
            self.fail(path, f"{what} has a nan or an infinity: {shown(x)}")
        if np.abs(out).max() > _LARGEST_NUMBER:
            self.fail(path, f"{what} is beyond that of any robot: {shown(x)}")
        return out


def fits(x: Any, shape: tuple[int, ...]) -> bool:
    if not shape:
        return isinstance(x, (int, float)) and not isinstance(x, bool)
    return isinstance(x, list) and len(x) == shape[0] and all(fits(item, shape[1:]) for item in x)


def _words(shape: tuple[int, ...]) -> str:
    if not shape:
        return "a number"
    return f"{shape[0]} numbers" if len(shape) == 1 else f"{shape[0]} rows of {_words(shape[1:])}"
