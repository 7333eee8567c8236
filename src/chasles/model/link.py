"""A link as its maker states it: mass, centre of mass, inertia about it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.lie import SpatialInertia, Sym3, Vec3


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid body.

    mass: kg. com: (3,) centre of mass in the link frame, m. inertia: (3, 3), or (3,) for a diagonal one, about the
    centre of mass in link axes, kg m^2. name: optional.
    """

    mass: float = 0.0
    com: Any = field(default=(0.0, 0.0, 0.0))
    inertia: Any = field(default=(0.0, 0.0, 0.0))
    name: str | None = None

    def __post_init__(self) -> None:
        where = f"link {self.name!r}" if self.name else "link"
        try:
            mass, com = float(self.mass), np.array(self.com, dtype=float)
            inertia = np.array(self.inertia, dtype=float)
        except (TypeError, ValueError) as error:
            raise ModelError(f"{where}: mass, com and inertia must be numbers ({error})") from None
        if com.shape != (3,):
            raise ModelError(f"{where}: com must have shape (3,), got {com.shape}")
        if inertia.shape == (3,):
            inertia = np.diag(inertia)
        if inertia.shape != (3, 3):
            raise ModelError(
                f"{where}: inertia must have shape (3, 3), or (3,) for a diagonal one, got {inertia.shape}"
            )
        com.flags.writeable = inertia.flags.writeable = False
        for key, value in (("mass", mass), ("com", com), ("inertia", inertia)):
            object.__setattr__(self, key, value)

    def spatial(self) -> SpatialInertia:
        """The inertia in the link frame."""
        c, J = self.com, self.inertia
        tensor = Sym3(*map(float, (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])))
        return SpatialInertia.at(self.mass, Vec3(*map(float, c)), tensor)

    @staticmethod
    def from_spatial(G: SpatialInertia, name: str | None = None) -> "Link":
        """The link with spatial inertia G in its frame."""
        m = float(G.mass)
        c = np.array([*G.h]) / m if m else np.zeros(3)
        J = np.array([[*row] for row in G.I.matrix])
        return Link(m, c, J - m * (c @ c * np.eye(3) - np.outer(c, c)), name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Link):
            return NotImplemented
        return (
            self.mass == other.mass
            and self.name == other.name
            and np.array_equal(self.com, other.com)
            and np.array_equal(self.inertia, other.inertia)
        )

    __hash__ = None  # type: ignore[assignment]
