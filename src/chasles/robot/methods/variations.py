"""Robots that differ from a robot in something (model/variations.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

from numpy.typing import ArrayLike

from chasles.errors import ModelError
from chasles.model.link import Link
from chasles.robot.methods.base import Methods


class VariationMethods(Methods):
    """The same robot with something else in place of what it has. The robot itself stays as it is."""

    def with_gravity(self, gravity: ArrayLike) -> Self:
        """The robot in another field of gravity: (3,), the acceleration of free fall in the space frame."""
        from chasles.model import variations

        return self._made(variations.with_gravity(self._mechanism, gravity))

    def with_tool(self, T: ArrayLike, link: str | None = None) -> Self:
        """The robot with its tool at T (4, 4) in the frame of `link` (default: the link it is on now, UR5's tool0)."""
        from chasles.model import variations

        return self._made(variations.with_tool(self._mechanism, T, link))

    def with_payload(
        self, link: str, mass: float, com: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Self:
        """The robot with a body fixed to `link`: com (3,) in the link frame, inertia (3, 3) or (3,) about it there."""
        from chasles.model import variations

        return self._made(
            variations.with_payload(self._mechanism, link, Link(mass, com, inertia, "payload", checked=True))
        )

    def with_inertial_parameters(self, parameters: ArrayLike) -> Self:
        """The robot with other inertias: (links, 10) numbers or symbols, in the order of `inertial_parameters`."""
        from chasles.model import variations

        return self._made(variations.with_inertial_parameters(self._mechanism, parameters))

    def with_values(self, **values: ArrayLike) -> Self:
        """The robot with numbers, or other expressions of symbols, in place of some of its symbols or of all.

        A number for each name, or an array of the symbol's shape.
        """
        for name in values:
            raise ModelError(f"with_values: robot {self.name!r} has no symbols, and no {name!r}")
        return self

    def with_locked(self, positions: Mapping[str, float]) -> Self:
        """The robot with some joints fixed at given positions, {joint name: position}; their links are merged.

        All coordinates of a joint that has several. A position outside of the joint's limits is doubted.
        """
        from chasles.model import variations

        return self._made(variations.with_locked(self._mechanism, positions))

    def with_friction(self) -> Self:
        """The robot with its joints' damping and dry friction in inverse and forward dynamics and bias forces."""
        from chasles.model import variations

        return self._made(variations.with_friction(self._mechanism))

    def with_base(self, kind: Literal["free", "planar", "spherical"]) -> Self:
        """The robot on a base that moves: its coordinates come first; the base link's own inertia counts."""
        from chasles.model import variations

        return self._made(variations.with_base(self._mechanism, kind))

    def subtree(self, link: str) -> Self:
        """The part of the robot that hangs on a link, moving or merged, which becomes its base.

        What hangs on what is as it was given, before fixed links were merged. The base has the inertia of that link and
        of all that is fixed to it.
        """
        from chasles.model import variations

        return self._made(variations.subtree(self._mechanism, link))
