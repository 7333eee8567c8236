"""A link as its maker states it: mass, centre of mass, inertia about it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.lie import SpatialInertia, Sym3, Vec3


def numbers(x: Any) -> np.ndarray:
    """A new array of floats; text is not taken for numbers."""
    if np.asarray(x).dtype.kind in "US":
        raise TypeError("text is no number")
    return np.array(x, dtype=float)


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid body.

    mass: kg. com: (3,) centre of mass in the link frame, m. inertia: (3, 3), or (3,) for a diagonal one, about the
    centre of mass in link axes, kg m^2. name: optional. inserted: whether it stands between two joints that
    one joint was taken apart into: that it has no mass is then no mistake.
    """

    mass: float = 0.0
    com: Any = field(default=(0.0, 0.0, 0.0))
    inertia: Any = field(default=(0.0, 0.0, 0.0))
    name: str | None = None
    inserted: bool = field(default=False, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str | None):
            raise ModelError(f"the name of a link must be a string, got {self.name!r}")
        where = f"link {self.name!r}" if self.name else "link"
        try:
            mass, com, inertia = float(numbers(self.mass)), numbers(self.com), numbers(self.inertia)
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"{where}: mass, com and inertia must be numbers ({error})") from None
        if com.shape != (3,):
            raise ModelError(f"{where}: com must have shape (3,), got {com.shape}")
        if inertia.shape == (3,):
            inertia = np.diag(inertia)
        if inertia.shape != (3, 3):
            raise ModelError(
                f"{where}: inertia must have shape (3, 3), or (3,) for a diagonal one, got {inertia.shape}"
            )
        if np.abs(inertia - inertia.T).max() > 1e-9 * np.abs(inertia).max():
            raise ModelError(f"{where}: its inertia matrix is not symmetric")
        com.flags.writeable = inertia.flags.writeable = False
        for key, value in (("mass", mass), ("com", com), ("inertia", inertia)):
            object.__setattr__(self, key, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.com.flags.writeable = self.inertia.flags.writeable = False

    def spatial(self) -> SpatialInertia:
        """The inertia in the link frame."""
        c, J = self.com, self.inertia
        tensor = Sym3(*map(float, (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])))
        return SpatialInertia.at(self.mass, Vec3(*map(float, c)), tensor)

    def moved(self, T: np.ndarray) -> "Link":
        """The same body seen from frame a, where T (4, 4) = T_ab and the link is in b."""
        R, p = T[:3, :3], T[:3, 3]
        J = R @ self.inertia @ R.T
        return Link(self.mass, R @ self.com + p, 0.5 * (J + J.T), self.name, inserted=self.inserted)

    def __add__(self, other: "Link") -> "Link":
        """Both bodies, given in one frame, as one of this one's name. About their common centre nothing cancels."""
        mass = self.mass + other.mass
        if not mass:
            both = self.inserted and other.inserted
            return Link(0.0, inertia=self.inertia + other.inertia, name=self.name, inserted=both)
        near, far = (self, other) if self.mass >= other.mass else (other, self)
        d = far.com - near.com
        share = far.mass / mass
        J = self.inertia + other.inertia + near.mass * share * (d @ d * np.eye(3) - np.outer(d, d))
        return Link(mass, near.com + share * d, J, self.name)

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
