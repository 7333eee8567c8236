"""Robots from what other tools hold, and robots for them: files as text, models of Pinocchio and MuJoCo."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from chasles.arguments import file
from chasles.robot.methods.base import Methods

if TYPE_CHECKING:
    from chasles.io.pinocchio import PinocchioTwin


class ConversionMethods(Methods):
    """A robot as other tools describe it."""

    def to_toml(self, path: str | PathLike[str] | None = None) -> str:
        """The robot as TOML text, which `chasles.load` reads back exactly; written to `path` if given.

        Meshes are written by the names of their files, as they are.
        """
        from chasles.io import toml

        text = toml.write(self._mechanism)
        if path is not None:
            file(path, "path").write_text(text, encoding="utf-8")
        return text

    def to_urdf(self, path: str | PathLike[str] | None = None) -> str:
        """The robot as URDF text, for other tools; written to `path` if given.

        Merged links are written as the links they were. Joints that URDF does not have are refused. Rotor inertia,
        another gravity, an order of joints that is not depth first, a tool elsewhere than a link called "tool", and
        that damping and friction count (`with_friction`; their values are written) are left out, each with a
        `ModelWarning`.
        """
        from chasles.io import urdf

        text = urdf.write(self._mechanism)
        if path is not None:
            file(path, "path").write_text(text, encoding="utf-8")
        return text

    def to_pinocchio(self) -> PinocchioTwin:
        """The robot as a Pinocchio model, the twin's `.model`, with the maps between its coordinates and ours.

        `twin.q`, `v`, `tau`, `jacobian` and `matrix` take ours to Pinocchio's, `twin.back_q` and so on the other way.
        """
        from chasles.io import pinocchio

        return replace(pinocchio.to_pinocchio(self._mechanism), robot=self)

    @classmethod
    def from_pinocchio(cls, model: Any) -> Self:
        """A robot from a Pinocchio model. The coordinates are ours: a continuous joint is one unwrapped angle.

        `Robot.pinocchio_twin(model)` gives the same robot with the maps between its coordinates and the model's.
        """
        from chasles.io import pinocchio

        return cls._made(pinocchio.from_pinocchio(model))

    @classmethod
    def from_mujoco(cls, model: Any) -> Self:
        """A robot from a compiled `mujoco.MjModel`, as `load` makes of an MJCF file; `doubts` has what is left out."""
        from chasles.io import mjcf

        return cls._made(mjcf.from_mujoco(model))

    @classmethod
    def pinocchio_twin(cls, model: Any) -> PinocchioTwin:
        """The robot of a Pinocchio model, the twin's `.robot`, with the maps of `to_pinocchio` for that very model."""
        from chasles.io import pinocchio

        twin = pinocchio.twin(model)
        return replace(twin, robot=cls._made(twin.mechanism))
