"""Robot: what users hold, and all that it says of itself. Its methods, by subject, are in methods/."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from chasles import arrays
from chasles.errors import ModelError
from chasles.lazy import lazy
from chasles.model.leaves import is_number, leaf, numbers
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism
from chasles.model.poses import pose
from chasles.model.screws import joint_kind
from chasles.reprs import cut, quoted
from chasles.robot.higher_rooms import HigherRoomMethods
from chasles.robot.methods import (
    ConstructionMethods,
    ConversionMethods,
    CoordinateMethods,
    DerivativeMethods,
    DynamicsMethods,
    GeodesicMethods,
    GeometryMethods,
    InverseKinematicsMethods,
    KernelMethods,
    KinematicsMethods,
    ManipulabilityMethods,
    ParameterMethods,
    SubmersionMethods,
    VariationMethods,
)

if TYPE_CHECKING:  # the compiler is imported when something is compiled
    from chasles.function.kernel import Kernel
    from chasles.ik.problem import Problem

Array = NDArray[np.float64]

SYMBOLIC_CLASS: list[Callable[[], type[Robot]]] = []  # of robots with symbols; robot/__init__.py says which it is
_SHOWN = 20  # joints in a robot's repr


class Robot(
    ConstructionMethods,
    ConversionMethods,
    VariationMethods,
    CoordinateMethods,
    KinematicsMethods,
    DynamicsMethods,
    DerivativeMethods,
    GeometryMethods,
    GeodesicMethods,
    ParameterMethods,
    SubmersionMethods,
    ManipulabilityMethods,
    InverseKinematicsMethods,
    KernelMethods,
    HigherRoomMethods,
):
    """A robot: screws, home poses and inertias, and everything the geometry gives.

    Immutable. Arrays broadcast over leading axes like NumPy's; `n` is the number of joints. Twists are (angular,
    linear), wrenches (moment, force), units SI, angles radians. Make one with `chasles.load`, `Robot.from_screws`,
    `Robot.from_body_screws` or `Robot.from_dh`.
    """

    def __new__(cls, mechanism: Mechanism | None = None) -> Robot:
        if isinstance(mechanism, Mechanism) and mechanism.symbols:
            cls = SYMBOLIC_CLASS[0]()
        return object.__new__(cls)

    def __init__(self, mechanism: Mechanism) -> None:
        if not isinstance(mechanism, Mechanism):
            what = f"chasles.load({mechanism!r})" if isinstance(mechanism, str) else "chasles.load or Robot.from_screws"
            raise ModelError(f"a Robot is made of a Mechanism, got {type(mechanism).__name__}: use {what}")
        self._mechanism = mechanism
        self._kernels: dict[Any, Kernel] = {}
        self._problems: dict[Any, Problem] = {}
        self._quick: dict[Any, Any] = {}

    @classmethod
    def _made(cls, mechanism: Mechanism) -> Self:
        return Robot(mechanism)  # type: ignore[return-value]  # with symbols or without, whatever `cls` has

    # what the robot is

    @property
    def name(self) -> str:
        return self._mechanism.name

    @property
    def n(self) -> int:
        """The number of degrees of freedom."""
        return self._mechanism.n

    nv = n

    @property
    def nq(self) -> int:
        """The number of coordinates: n, and one more for each quaternion."""
        return self._mechanism.coupling.nq

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that follow no other, in the order of their coordinates."""
        return tuple(own.name for own in self._mechanism.own_joints)

    @property
    def mimic_names(self) -> tuple[str, ...]:
        """The joints that follow another: they are no degrees of freedom."""
        m = self._mechanism
        return tuple(name for name, mimic in zip(m.joint_names, m.mimics, strict=True) if mimic is not None)

    @property
    def link_names(self) -> tuple[str, ...]:
        return self._mechanism.link_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Every frame that can be asked for: the base, all links (merged ones too), further frames, the tool."""
        return tuple(self._mechanism.frames)

    @property
    def parents(self) -> tuple[int, ...]:
        """For each link the index of its parent, -1 for the base."""
        return self._mechanism.parents

    @property
    def screws(self) -> Array:
        """(n, 6) joint screws (angular, linear) in the space frame at home, one a velocity; mimic joints included."""
        m = self._mechanism
        if all(kind == "screw" for kind in m.kinds):
            return m.screws
        twists = [pose(m.homes[i]).Ad(S) for i, body in enumerate(m.tree.bodies) for S in body.columns]
        return numbers([arrays.from_twist(V) for V in twists])

    @property
    def homes(self) -> Array:
        """(n, 4, 4) link frames in the space frame at q = 0."""
        return self._mechanism.homes

    @property
    def links(self) -> tuple[Link, ...]:
        return self._mechanism.links

    @property
    def gravity(self) -> Array:
        """(3,) the acceleration of free fall in the space frame."""
        return self._mechanism.gravity

    @property
    def limits(self) -> Mapping[str, Array]:
        """lower and upper (nq,), velocity and effort (n,); infinite where there is none."""
        return self._mechanism.coordinate_limits

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols (`chasles.symbols`) among its numbers: arguments of each of its functions."""
        return ()

    @property
    def doubts(self) -> tuple[str, ...]:
        """What a person should look at in the robot's data."""
        return self._mechanism.doubts

    @property
    def notes(self) -> tuple[str, ...]:
        """What was merged, tidied, ignored or not carried when the robot was loaded."""
        return self._mechanism.notes

    @property
    def mechanism(self) -> Mechanism:
        """The checked description behind the robot."""
        return self._mechanism

    @lazy
    def total_mass(self) -> float:
        """kg, of all moving links, with what is merged into them; without the base and what is merged into that.

        `with_base("free")` counts the base too: it moves then.
        """
        return leaf(sum(link.mass for link in self.links))

    @lazy
    def inertial_parameters(self) -> Array:
        """(links, 10), in the link frame about its origin: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz."""
        return numbers([link.ten for link in self.links]).reshape(-1, 10)

    # as an object

    def __eq__(self, other: object) -> bool:
        return self._mechanism.key == other._mechanism.key if isinstance(other, Robot) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._mechanism.key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Robot, (self._mechanism,)

    def __repr__(self) -> str:
        m = self._mechanism
        letters = {"screw": "", "spherical": "S"}
        shown = zip(m.kinds[:_SHOWN], m.screws[:_SHOWN], strict=True)
        kinds = " ".join(letters.get(k, k) or joint_kind(S) for k, S in shown) or "none"
        kinds += " ..." * (m.bodies > _SHOWN)
        return f"<Robot {quoted(self.name)}: {m.bodies} joints ({kinds}), {self._mass_and_tool()}>"

    def _repr_html_(self) -> str:
        from chasles.robot import summary

        m = self._mechanism
        freedom = f", {self.n} degrees of freedom" if self.n != m.bodies else ""
        return summary.html(m, f"{m.bodies} joints{freedom}, {self._mass_and_tool()}")

    def _mass_and_tool(self) -> str:
        m, tool = self._mechanism, self._mechanism.tool
        link = "" if tool is None else self.link_names[tool.body] if tool.body >= 0 else m.base_name
        on = f"tool on {cut(link, 60)}" if tool else "no tool"
        mass = f"{self.total_mass:.4g}" if is_number(self.total_mass) else cut(str(self.total_mass), 60)
        return f"{mass} kg, {on}"
