"""The shapes of a robot's .toml file; the form is that of io/toml.py."""

from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.io.toml_frames import FrameReader
from chasles.model.checks import rigid
from chasles.model.shape import Shape

SIZES = {"box": (3,), "sphere": (), "cylinder": (2,), "capsule": (2,)}
_ROLES = ("visual", "collision")
_KEYS = ("frame", "role", "mesh", "scale", *SIZES, "pose", "name", "colour", "texture")


class ShapeReader(FrameReader):
    """Reads shapes."""

    def shapes(self, frames: list[str]) -> list[Shape]:
        """The [[shapes]]; each rides on one of the frames."""
        return [self.shape(table, i, frames) for i, table in enumerate(self.tables("shapes"))]

    def shape(self, table: dict[str, Any], i: int, frames: list[str]) -> Shape:
        path, what = ("shapes", i), f"shape {i + 1}"
        self.table(table, path, what, _KEYS, ("frame",))
        frame = self.known(table["frame"], frames, (*path, "frame"), what, "frame")
        role = self.string(table, "role", "visual", path, what)
        if role not in _ROLES:
            self.fail((*path, "role"), f"{what}: role must be one of {', '.join(_ROLES)}, got {role!r}")
        kinds = [kind for kind in ("mesh", *SIZES) if kind in table]
        if len(kinds) != 1:
            self.fail(path, f"{what} must have one of the keys mesh, {', '.join(SIZES)}")
        kind = kinds[0]
        if kind != "mesh" and "scale" in table:
            self.fail((*path, "scale"), f"{what}: a {kind} takes no scale")
        if kind == "mesh":
            size = self.numbers(table.get("scale", [1.0] * 3), (3,), (*path, "scale"), f"{what}: scale")
        else:
            size = np.atleast_1d(self.numbers(table[kind], SIZES[kind], (*path, kind), f"{what}: {kind}"))
            if (size < 0.0).any():
                self.fail((*path, kind), f"{what}: a {kind} cannot have the size {size.tolist()}")
        T = self.home(table.get("pose", {}), (*path, "pose"), what)
        try:
            rigid(T, f"{what}: pose", [])
        except ModelError as error:
            self.fail((*path, "pose"), str(error))
        colour = table.get("colour")
        if colour is not None:
            colour = tuple(self.numbers(colour, (4,), (*path, "colour"), f"{what}: colour").tolist())
        file, name, texture = (self.string(table, key, "", path, what) for key in ("mesh", "name", "texture"))
        return Shape(
            frame, role, kind, tuple(size.tolist()), tuple(map(tuple, T.tolist())), file, name, colour, texture
        )
