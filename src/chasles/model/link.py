"""A link as its maker states it: mass, centre of mass, inertia about it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chasles import markup
from chasles.arguments import flag, text
from chasles.arguments import function as callable_with
from chasles.errors import ModelError
from chasles.lie import SE3, SO3, Mat3, SpatialInertia, Sym3, Vec3
from chasles.model.leaves import finite, is_number, is_symbolic, is_zero, leaf, numbers
from chasles.reprs import cut, quoted


@dataclass(frozen=True, eq=False, repr=False)
class Link:
    """A rigid body.

    mass: kg. com: (3,) centre of mass in the link frame, m. inertia: (3, 3), or (3,) for a diagonal one, about the
    centre of mass in link axes, kg m^2. Any of them may be symbols. name: optional. inserted: whether it stands between
    two joints that one joint was taken apart into: that it has no mass is then no mistake. parameters: its ten inertial
    parameters, where it is known by them and some are symbols; com and inertia follow. checked: whether its numbers are
    looked at elsewhere, as those of a file are, where what no body has may be doubted; else they are here.
    """

    mass: Any = 0.0
    com: Any = field(default=(0.0, 0.0, 0.0))
    inertia: Any = field(default=(0.0, 0.0, 0.0))
    name: str | None = None
    inserted: bool = field(default=False, kw_only=True, repr=False)
    parameters: tuple[Any, ...] | None = field(default=None, kw_only=True, repr=False)
    checked: bool = field(default=False, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if self.name is not None:
            text(self.name, "the name of a link")
        flag(self.inserted, "inserted")
        flag(self.checked, "checked")
        where = f"link {self.name!r}" if self.name else "link"
        if self.parameters is not None:
            object.__setattr__(self, "parameters", tuple(map(leaf, numbers(self.parameters, "parameters", (10,)))))
            for key, value in zip(("mass", "com", "inertia"), _central(self.parameters), strict=True):
                object.__setattr__(self, key, value)
        mass, com = leaf(numbers(self.mass, f"{where}: mass", ())[()]), numbers(self.com, f"{where}: com", (3,))
        inertia = numbers(self.inertia, f"{where}: inertia")
        if inertia.shape == (3,):
            inertia = _diagonal(inertia)
        if inertia.shape != (3, 3):
            raise ModelError(
                f"{where}: inertia must have shape (3, 3), or (3,) for a diagonal one, got {inertia.shape}"
            )
        if not _is_symmetric(inertia):
            raise ModelError(f"{where}: its inertia matrix is not symmetric")
        com.flags.writeable = inertia.flags.writeable = False
        for key, value in (("mass", mass), ("com", com), ("inertia", inertia)):
            object.__setattr__(self, key, value)
        if not self.checked and (wrong := not_a_body(self)):
            raise ModelError(f"{where}: {wrong}")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.com.flags.writeable = self.inertia.flags.writeable = False

    @staticmethod
    def of(parameters: Any, name: str | None = None) -> "Link":
        """The link of ten inertial parameters in its frame: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the origin."""
        ten = tuple(leaf(x) for x in numbers(parameters, "parameters", (10,)))
        return _known_by(ten, name)

    @property
    def ten(self) -> tuple[Any, ...]:
        """Its inertial parameters, in the order of `of`."""
        return self.parameters or _ten(self.spatial())

    @property
    def stated(self) -> tuple[Any, ...]:
        """The numbers it was given by, flat: its parameters, or mass, com and inertia."""
        return self.parameters or (self.mass, *self.com, *self.inertia.reshape(-1))

    def mapped(self, function: Callable[[Any], Any]) -> "Link":
        """With a function of each number it was given by."""
        callable_with(function, "x", "function")
        new = [function(x) for x in self.stated]
        if self.parameters is not None:
            ten = tuple(leaf(x) for x in numbers(new, "parameters", (10,)))
            return _known_by(ten, self.name, inserted=self.inserted, checked=True)
        J = np.array(new[4:], object).reshape(3, 3)
        return Link(new[0], new[1:4], J, self.name, inserted=self.inserted, checked=True)

    @property
    def is_symbolic(self) -> bool:
        """Whether one of its numbers is a symbol."""
        return not is_number(self.mass) or is_symbolic(self.com) or is_symbolic(self.inertia)

    def spatial(self) -> SpatialInertia:
        """The inertia in the link frame."""
        if self.parameters is not None:
            m, hx, hy, hz, xx, xy, yy, xz, yz, zz = self.parameters
            return SpatialInertia(m, Vec3(hx, hy, hz), Sym3(xx, yy, zz, xy, xz, yz).moments())
        c, J = self.com, self.inertia
        tensor = Sym3(*map(leaf, (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])))
        return SpatialInertia.at(self.mass, Vec3(*map(leaf, c)), tensor)

    def moved(self, T: np.ndarray) -> "Link":
        """The same body seen from frame a, where T (4, 4) = T_ab and the link is in b."""
        T = numbers(T, "T", (4, 4))
        if self.is_symbolic or is_symbolic(T):
            R = SO3(Mat3(*(Vec3(*map(leaf, row)) for row in T[:3, :3])))
            G = self.spatial().moved(SE3(R, Vec3(*map(leaf, T[:3, 3]))))
            return _of_moments(G, self.name, self.inserted)
        R, p = T[:3, :3], T[:3, 3]
        J = R @ self.inertia @ R.T
        return Link(self.mass, R @ self.com + p, 0.5 * (J + J.T), self.name, inserted=self.inserted, checked=True)

    def __add__(self, other: "Link") -> "Link":
        """Both bodies, given in one frame, as one of this one's name. About their common centre nothing cancels."""
        if not isinstance(other, Link):
            return NotImplemented
        if self.is_symbolic or other.is_symbolic:
            return _of_moments(self.spatial() + other.spatial(), self.name)
        mass = self.mass + other.mass
        if not mass:
            both = self.inserted and other.inserted
            return Link(0.0, inertia=self.inertia + other.inertia, name=self.name, inserted=both, checked=True)
        near, far = (self, other) if self.mass >= other.mass else (other, self)
        d = far.com - near.com
        share = far.mass / mass
        J = self.inertia + other.inertia + near.mass * share * (d @ d * np.eye(3) - np.outer(d, d))
        return Link(mass, near.com + share * d, J, self.name, checked=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Link):
            return NotImplemented
        return (
            self.name == other.name
            and same(self.mass, other.mass)
            and same(self.com, other.com)
            and same(self.inertia, other.inertia)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        diagonal = "[" + ", ".join(_shown(self.inertia[k, k]) for k in range(3)) + "]"
        com = "[" + ", ".join(map(_shown, self.com)) + "]"
        name = f" {quoted(self.name)}" if self.name else ""
        return cut(f"<Link{name}: {_shown(self.mass)} kg, com {com} m, inertia {diagonal} kg m^2 on the diagonal>")

    def _repr_html_(self) -> str:
        rows = [("mass", markup.number(leaf(self.mass), "kg")), ("centre of mass", markup.numbers(self.com, "m"))]
        rows.append((markup.joined(["inertia about it, ", markup.units("kg m^2")]), markup.matrix(self.inertia)))
        return markup.block(f"Link {self.name or ''}", markup.table([], rows))


def same(x: Any, y: Any) -> bool:
    """Whether two arrays have the same leaves; expressions of symbols are the same where they are one node."""
    one, two = np.asarray(x), np.asarray(y)
    if not (is_symbolic(one) or is_symbolic(two)):
        return np.array_equal(one, two)
    pairs = zip(one.reshape(-1).tolist(), two.reshape(-1).tolist(), strict=False)
    return one.shape == two.shape and all(a is b or (is_number(a, b) and a == b) for a, b in pairs)


def _shown(x: Any) -> str:
    return f"{x:.4g}" if is_number(leaf(x)) else cut(str(x), 24)


def _diagonal(x: np.ndarray) -> np.ndarray:
    if not is_symbolic(x):
        return np.diag(x)
    out = np.zeros((3, 3)).astype(object)
    out[range(3), range(3)] = x
    return out


def _is_symmetric(J: np.ndarray) -> bool:
    """Whether an inertia is symmetric to rounding; entries that are symbols are, until their values tell."""
    if is_symbolic(J):
        paired = ((J[i, k], J[k, i]) for i, k in ((0, 1), (0, 2), (1, 2)))
        return all(not is_number(x, y) or abs(x - y) <= 1e-9 * max(abs(x), abs(y)) for x, y in paired)
    return not np.abs(J - J.T).max() > 1e-9 * np.abs(J).max()


def _of_moments(G: SpatialInertia, name: str | None, inserted: bool = False) -> Link:
    """The link of an inertia with symbols."""
    return _known_by(_ten(G), name, inserted=inserted, checked=True)


def _known_by(ten: tuple[Any, ...], name: str | None, inserted: bool = False, checked: bool = False) -> Link:
    """The link of ten parameters, kept as they are where they have symbols."""
    if is_number(*ten):
        return Link(*_central(ten), name, inserted=inserted, checked=checked)
    return Link(name=name, parameters=ten, inserted=inserted, checked=checked)


def not_a_body(link: Link, refuse: bool = True) -> str | None:
    """Why a link is no body. refuse: for a negative eigenvalue of its inertia too, not only a negative diagonal."""
    for what, x in (("mass", link.mass), ("com", link.com), ("inertia", link.inertia)):
        if not finite(x):
            return f"its {what} has a nan or an infinity"
    if is_number(link.mass) and link.mass < 0.0:
        return f"its mass is negative ({link.mass})"
    if link.is_symbolic:
        return None
    low, _, high = np.linalg.eigvalsh(link.inertia)
    noise = inertia_noise(link)
    if low < -noise and (refuse or np.diag(link.inertia).min() < -noise):
        return negative_eigenvalue(low, high)
    return None


def negative_eigenvalue(low: float, high: float) -> str:
    return f"its inertia has a negative eigenvalue ({low:.6g}); the largest is {high:.6g}"


def inertia_noise(link: Link) -> float:
    """An inertia that is nothing beside the link's, or is left where a maker, or a merger, computes a zero."""
    moment = link.mass * (1.0 + 10.0 * float(link.com @ link.com))
    return max(1e-9 * float(np.abs(link.inertia).max()), 1e-15 * moment)


def _ten(G: SpatialInertia) -> tuple[Any, ...]:
    J = G.I
    return (G.mass, *G.h, J.xx, J.xy, J.yy, J.xz, J.yz, J.zz)


def _central(parameters: tuple[Any, ...]) -> tuple[Any, np.ndarray, np.ndarray]:
    """Mass, centre of mass and the inertia about it, of ten parameters."""
    m, hx, hy, hz, xx, xy, yy, xz, yz, zz = parameters
    if is_zero(m):
        if is_number(hx, hy, hz) and not is_zero(hx, hy, hz):
            raise ModelError(f"a first moment of ({hx:g}, {hy:g}, {hz:g}) without a mass")
        c = Vec3.zero()
    else:
        c = Vec3(hx / m, hy / m, hz / m)
    about = (Sym3(xx, yy, zz, xy, xz, yz) - Sym3.square(c, m).inertia()).matrix
    return m, numbers([*c]), numbers([[*row] for row in about])
