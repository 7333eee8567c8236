"""Robot: what users hold: how one is made, what it is, and its variations. What it computes is in methods/."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles import arrays
from chasles.arguments import file, generator, sequence
from chasles.errors import ModelError
from chasles.lazy import lazy
from chasles.model.checks import arguments, pitch
from chasles.model.leaves import is_number, is_zero, leaf, numbers
from chasles.model.link import Link
from chasles.model.mechanism import Mechanism, mechanism, pose
from chasles.robot.methods import (
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
)
from chasles.robot.methods.forward import forward

if TYPE_CHECKING:  # the compiler is imported when something is compiled
    from chasles.function.kernel import Kernel
    from chasles.ik.problem import Problem
    from chasles.io.pinocchio import PinocchioTwin

Array = NDArray[np.float64]

_SHOWN = 20  # joints in a robot's repr


class Robot(
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
):
    """A robot: screws, home poses and inertias, and everything the geometry gives.

    Immutable. Arrays broadcast over leading axes like NumPy's; `n` is the number of joints. Twists are (angular,
    linear), wrenches (moment, force), units SI, angles radians. Make one with `chasles.load`, `Robot.from_screws`,
    `Robot.from_body_screws` or `Robot.from_dh`.
    """

    def __new__(cls, mechanism: Mechanism | None = None) -> Robot:
        if isinstance(mechanism, Mechanism) and mechanism.symbols:
            from chasles.robot.symbolic import SymbolicRobot as cls
        elif cls.__name__ == "SymbolicRobot":
            cls = Robot
        return object.__new__(cls)

    def __init__(self, mechanism: Mechanism) -> None:
        if not isinstance(mechanism, Mechanism):
            what = f"chasles.load({mechanism!r})" if isinstance(mechanism, str) else "chasles.load or Robot.from_screws"
            raise ModelError(f"a Robot is made of a Mechanism, got {type(mechanism).__name__}: use {what}")
        self._mechanism = mechanism
        self._kernels: dict[Any, Kernel] = {}
        self._searches: dict[Any, Kernel] = {}
        self._problems: dict[Any, Problem] = {}
        self._quick: dict[Any, Any] = {}

    @staticmethod
    def from_screws(
        screws: ArrayLike,
        homes: ArrayLike,
        links: Sequence[Link],
        parents: Sequence[int] | None = None,
        tool: ArrayLike | None = None,
        *,
        tool_link: str | int | None = None,
        name: str = "robot",
        joint_names: Sequence[str] | None = None,
        link_names: Sequence[str] | None = None,
        limits: Mapping[str, ArrayLike] | None = None,
        frames: Mapping[str, tuple[str | int, ArrayLike]] | None = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        kinds: Sequence[str] | None = None,
        mimics: Mapping[str, tuple[str, float, float]] | None = None,
        armature: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        friction: ArrayLike | None = None,
        base: Link | None = None,
    ) -> Robot:
        """A robot from its screws and home poses, all absolute, in the space frame at q = 0.

        screws: (n, 6), (angular, linear); a zero screw is a fixed joint, whose link is merged into its parent.
        homes: (n, 4, 4), the link frames. links: n of `Link(mass, com, inertia)`, com in the link frame, inertia about
        the com in link axes. parents: for each link the index of an earlier one, -1 for the base; None: a serial chain.
        tool: (4, 4), the absolute pose of the tool, on link `tool_link` (default: the last link of a serial robot).
        frames: further frames, name -> (link, absolute pose). limits: any of lower, upper, velocity, effort, each (n,).
        kinds: for each link "screw" (the default), "planar", "spherical" or "free"; the last three move in the link's
        home frame, and their screw is not looked at. mimics: {joint: (joint it follows, factor, offset)}. armature,
        damping, friction: (n,), of the joints. base: the inertia of what does not move, for when it is set free.

        A universal or cylindrical joint is a pair of screws, `chasles.universal(axis, axis2, point)` or
        `chasles.cylindrical(axis, point)`. It becomes two joints, NAME and NAME2, with the massless link LINK_cross or
        LINK_sleeve between them; its limits, armature, damping and friction are pairs of numbers.
        """
        if isinstance(frames, Mapping) and "tool" in frames:
            raise ModelError("frame 'tool' is the name of the tool frame: give tool=... and tool_link=...")
        given = {
            "screws": screws,
            "homes": homes,
            "links": links,
            "parents": parents,
            "name": name,
            "joint_names": joint_names,
            "link_names": link_names,
            "limits": limits,
            "tool": tool,
            "tool_link": tool_link,
            "frames": frames,
            "gravity": gravity,
            "kinds": kinds,
            "mimics": mimics,
            "armature": armature,
            "damping": damping,
            "friction": friction,
            "base": base,
        }
        from chasles.model.compound import taken_apart

        return Robot(mechanism(**taken_apart(arguments(given))))

    @staticmethod
    def from_body_screws(
        body_screws: ArrayLike, tool: ArrayLike, homes: ArrayLike, links: Sequence[Link], **options: Any
    ) -> Robot:
        """A serial robot from body screws: T(q) = tool exp([B_1] q_1) ... exp([B_n] q_n).

        body_screws: (n, 6) in the tool frame at q = 0. tool: (4, 4) its absolute home pose. homes: (n, 4, 4) and links
        as for `from_screws`, which takes the other options too.
        """
        from chasles.model import screws

        return Robot.from_screws(screws.space_from_body(body_screws, tool), homes, links, tool=tool, **options)

    @staticmethod
    def from_dh(
        rows: Sequence[Any],
        links: Sequence[Link],
        convention: Literal["standard", "modified"] = "standard",
        *,
        base: ArrayLike | None = None,
        **options: Any,
    ) -> Robot:
        """A serial robot from Denavit-Hartenberg parameters.

        rows: one a joint, (a, alpha, d, theta) in metres and radians, with "prismatic" as a fifth entry where the joint
        slides, or a mapping with those keys and `type`; q = 0 is at the row's own theta and d. convention: "standard"
        (link frame at the far end, Rz Tz Tx Rx) or "modified" (link frame on the joint, Rx Tx Rz Tz). links: com and
        inertia in the DH frames. base: (4, 4) frame 0 in the space frame. Other options as for `from_screws`.
        """
        from chasles.model.dh import dh

        space, homes = dh(rows, convention, base=base)
        links = sequence(links, "links", "chasles.Link")
        if len(links) != len(space):
            raise ModelError(f"there are {len(space)} rows of DH parameters and {len(links)} links: one link a row")
        return Robot.from_screws(space, homes, links, **options)

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

    @staticmethod
    def from_pinocchio(model: Any) -> Robot:
        """A robot from a Pinocchio model. The coordinates are ours: a continuous joint is one unwrapped angle.

        `Robot.pinocchio_twin(model)` gives the same robot with the maps between its coordinates and the model's.
        """
        from chasles.io import pinocchio

        return Robot(pinocchio.from_pinocchio(model))

    @staticmethod
    def from_mujoco(model: Any) -> Robot:
        """A robot from a compiled `mujoco.MjModel`, as `load` makes of an MJCF file; `doubts` has what is left out."""
        from chasles.io import mjcf

        return Robot(mjcf.from_mujoco(model))

    @staticmethod
    def pinocchio_twin(model: Any) -> PinocchioTwin:
        """The robot of a Pinocchio model, the twin's `.robot`, with the maps of `to_pinocchio` for that very model."""
        from chasles.io import pinocchio

        twin = pinocchio.twin(model)
        return replace(twin, robot=Robot(twin.mechanism))

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
        m = self._mechanism
        return tuple(name for name, mimic in zip(m.joint_names, m.mimics, strict=True) if mimic is None)

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
        m = self._mechanism
        free = [mimic is None for mimic in m.mimics]
        sizes = [(b.joint.nq * own, b.joint.nv * own) for b, own in zip(m.tree.bodies, free, strict=True)]
        out = {}
        for key, values in m.limits.items():
            repeats = [nq if key in ("lower", "upper") else nv for nq, nv in sizes]
            out[key] = np.repeat(values, repeats)
            out[key].flags.writeable = False
        return MappingProxyType(out)

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

    # coordinates

    def neutral(self) -> Array:
        """(nq,) the home configuration: zeros, and quaternions (0, 0, 0, 1)."""
        return np.array([x for joint in self._joints() for x in joint.neutral()])

    def random(self, rng: np.random.Generator | int | None = None) -> Array:
        """(nq,) a random configuration within the limits, those of mimic joints too where all can be kept at once;
        without limits uniform over rotations, [-pi, pi] or [-1, 1] m. rng: a generator or a seed."""
        chance = generator(rng)
        q = np.array([x for joint in self._joints() for x in joint.random(chance)])
        lower, upper = self._bounds
        bounded = np.isfinite(lower) & np.isfinite(upper)
        q[bounded] = chance.uniform(lower[bounded], upper[bounded])
        return np.clip(q, lower, upper)

    @lazy
    def _bounds(self) -> tuple[Array, Array]:
        """The limits of q, lower and upper (nq,), narrowed where joints that mimic can be kept within theirs too."""
        m, (lower, upper) = self._mechanism, (self.limits[key].copy() for key in ("lower", "upper"))
        for i, mimic in enumerate(m.mimics):
            if mimic is None or not mimic[1]:
                continue
            j = m.coupling.q[m.tree.bodies[mimic[0]].q][0]
            ends = sorted((m.limits[key][i] - mimic[2]) / mimic[1] for key in ("lower", "upper"))
            if (low := max(lower[j], ends[0])) <= (high := min(upper[j], ends[1])):
                lower[j], upper[j] = low, high
        return lower, upper

    @forward
    def integrate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(..., nq) where unit time at velocity v leads from q. q: (..., nq), v: (..., n) in the joints' frames."""
        ...

    @forward
    def coordinate_rates(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(..., nq) dq/dt at velocity v; v itself but for quaternions and planar joints. q: (..., nq), v: (..., n)."""
        ...

    @forward
    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """(..., n) the v with `integrate(q0, v)` the same configuration as q1; rotations the shorter way."""
        ...

    @forward
    def normalize(self, q: ArrayLike) -> Array:
        """(..., nq) the same configuration with unit quaternions.

        Of any length: a quaternion of 1e-170 or 1e200 too. A zero one is no rotation: its row comes back as nan, with
        NumPy's warning. All other functions take quaternions whose squared length neither overflows nor vanishes.
        """
        ...

    def _joints(self) -> list[Any]:
        m = self._mechanism
        return [body.joint for body, mimic in zip(m.tree.bodies, m.mimics, strict=True) if mimic is None]

    # variations

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """The robot in another field of gravity: (3,), the acceleration of free fall in the space frame."""
        from chasles.model import variations

        return Robot(variations.with_gravity(self._mechanism, gravity))

    def with_tool(self, T: ArrayLike, link: str | None = None) -> Robot:
        """The robot with its tool at T (4, 4) in the frame of `link` (default: the link it is on now, UR5's tool0)."""
        from chasles.model import variations

        return Robot(variations.with_tool(self._mechanism, T, link))

    def with_payload(
        self, link: str, mass: float, com: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Robot:
        """The robot with a body fixed to `link`: com (3,) in the link frame, inertia (3, 3) or (3,) about it there."""
        from chasles.model import variations

        return Robot(variations.with_payload(self._mechanism, link, Link(mass, com, inertia, "payload")))

    def with_inertial_parameters(self, parameters: ArrayLike) -> Robot:
        """The robot with other inertias: (links, 10) numbers or symbols, in the order of `inertial_parameters`."""
        from chasles.model import variations

        return Robot(variations.with_inertial_parameters(self._mechanism, parameters))

    def with_values(self, **values: ArrayLike) -> Robot:
        """The robot with numbers, or other expressions of symbols, in place of some of its symbols or of all.

        A number for each name, or an array of the symbol's shape.
        """
        for name in values:
            raise ModelError(f"with_values: robot {self.name!r} has no symbols, and no {name!r}")
        return self

    def with_locked(self, positions: Mapping[str, float]) -> Robot:
        """The robot with some joints fixed at given positions, {joint name: position}; their links are merged.

        All coordinates of a joint that has several. A position outside of the joint's limits is doubted.
        """
        from chasles.model import variations

        return Robot(variations.with_locked(self._mechanism, positions))

    def with_friction(self) -> Robot:
        """The robot with its joints' damping and dry friction in inverse and forward dynamics and bias forces."""
        from chasles.model import variations

        return Robot(variations.with_friction(self._mechanism))

    def with_base(self, kind: Literal["free", "planar", "spherical"]) -> Robot:
        """The robot on a base that moves: its coordinates come first; the base link's own inertia counts."""
        from chasles.model import variations

        return Robot(variations.with_base(self._mechanism, kind))

    def subtree(self, link: str) -> Robot:
        """The part of the robot that hangs on a link, moving or merged, which becomes its base.

        What hangs on what is as it was given, before fixed links were merged. The base has the inertia of that link and
        of all that is fixed to it.
        """
        from chasles.model import variations

        return Robot(variations.subtree(self._mechanism, link))

    # as an object

    def __eq__(self, other: object) -> bool:
        return self._mechanism.key == other._mechanism.key if isinstance(other, Robot) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._mechanism.key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Robot, (self._mechanism,)

    def __repr__(self) -> str:
        m = self._mechanism
        letters = {"planar": "planar", "spherical": "S", "free": "free"}
        shown = zip(m.kinds[:_SHOWN], m.screws[:_SHOWN], strict=True)
        kinds = " ".join(letters.get(k) or joint_kind(S) for k, S in shown) or "none"
        kinds += " ..." * (m.bodies > _SHOWN)
        tool = m.tool
        on = "no tool" if tool is None else f"tool on {self.link_names[tool.body] if tool.body >= 0 else m.base_name}"
        mass = f"{self.total_mass:.4g}" if is_number(self.total_mass) else str(self.total_mass)
        return f"<Robot {self.name!r}: {m.bodies} joints ({kinds}), {mass} kg, {on}>"


def joint_kind(S: Any) -> str:
    """R, P or H: what kind of motion a screw is."""
    if is_zero(*S[:3]):
        return "P"
    if not is_number(*S):
        return "R"
    return "H" if pitch(np.asarray(S[:3]), np.asarray(S[3:])) else "R"
