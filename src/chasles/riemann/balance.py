"""Balanced robots: whether the mass matrix is constant, which joints change it, and counterweights for planar chains.

A robot is balanced if M does not depend on q; its motion without gravity is then M dv/dt = tau on screw joints.
(Spherical and free joints keep their gyroscopic forces.) With s_i the largest M_ii met,

    max |e_k M_ij| / sqrt(s_i s_j)                                                           (1)

is how fast joint k changes M: per radian, or per metre where k slides. All of M is looked at: a constant diagonal is
enough for planar revolute chains only (BAL-2). M is a polynomial in q and in the sines and cosines of q, in entries of
rotations for joints that are groups. If such a function is not constant its derivative is not zero almost everywhere,
so that random configurations are a certificate with probability one, up to rounding.

Moving joint k changes M by what link k and those beyond it carry. On a serial chain of revolute joints with parallel
axes, seen across the axes, r_k from axis k to the centre of mass of link k and l_k from axis k to axis k+1, both fixed
in link k, the kinetic energy in terms of the links' absolute rates w_k has no other variable terms than

    w_i w_k  l_i . R(angle from link i to link k) mu_k,  i < k,   mu_k = m_k r_k + (sum over j > k of m_j) l_k    (2)

(mu_n = m_n r_n), so that M is constant iff mu_k = 0 for every k with an l_i, i < k, that is not zero [BAL-1]: for
k = 2..n where no axes coincide. A counterweight at distance d from axis k, opposite to mu_k, has to have the mass

    |mu_k| / d                                                                               (3)

and is carried by the links before: from tip to base. Or links are made so that their centres of mass are at

    r_k = -(sum over j > k of m_j) l_k / m_k                                                 (4)

Where along the axes masses are, and products of inertia, does not matter to M. Rotors only add to its diagonal.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from chasles import markup
from chasles.arguments import positive
from chasles.errors import ModelError
from chasles.model.checks import pitch
from chasles.reprs import quoted, record
from chasles.riemann.flatness import sampled
from chasles.robot_like import RobotLike

Array = NDArray[np.float64]
R = TypeVar("R", bound=RobotLike)

RELATIVE_ZERO = 1e-12  # of the lengths and moments of a chain; below it they are zero


@record()
@dataclass(frozen=True, eq=False, repr=False)
class Balance:
    """Whether a robot's mass matrix is constant: whether (1) is within the tolerance at every sample.

    worst: (1) at its largest. joint: whose motion it is; q: (nq,) where. breaks: {joint: (1)} of the joints whose
    motion changes M, in their order; links: {joint: the link it moves}, that with all beyond carries what does it.
    samples: how many configurations were looked at.
    """

    is_balanced: bool
    worst: float
    joint: str
    q: Array
    breaks: Mapping[str, float]
    links: Mapping[str, str]
    samples: int
    tolerance: float

    def describe(self) -> str:
        """The same in words, a line for each joint that changes M."""
        looked = f"at {self.samples} configurations, of itself per rad or m (tolerance {self.tolerance:.0e})"
        if self.is_balanced:
            return f"balanced: M changes by up to {self.worst:.1e} {looked}"
        lines = [f"not balanced: M changes, {looked}, by up to"]
        for joint, size in self.breaks.items():
            lines.append(f"  {size:.3g} with joint {joint!r}, which moves link {self.links[joint]!r}")
        return "\n".join(lines)

    __str__ = describe

    def _headline(self) -> str:
        looked = f"at {self.samples} configurations, by up to {self.worst:.2g} of itself per rad or m"
        if self.is_balanced:
            return f"balanced, M changes {looked}"
        most = f"most with joint {quoted(self.joint)}, one of {len(self.breaks)}"
        return f"not balanced, M changes {looked}, {most}"

    def _repr_html_(self) -> str:
        rows = [(joint, size, self.links[joint]) for joint, size in self.breaks.items()]
        changed = markup.table(["joint", "change of M, per rad or m", "moves link"], rows) if rows else ""
        return markup.block("Balance", changed, about=self._headline())


@record(mass="kg", position="m")
class Counterweight(NamedTuple):
    """A point mass, kg, at a position (3,) in the frame of a link."""

    link: str
    mass: float
    position: Array


def balance(robot: RobotLike, samples: int = 64, seed: int = 0, tolerance: float = 1e-9) -> Balance:
    """Whether the robot's mass matrix is constant, from random configurations within its limits; if not, why.

    tolerance: of (1).
    """
    q = sampled(robot, "balance", samples, seed, tolerance)
    M, dM = robot.mass_matrix(q), robot.mass_matrix_derivatives(q)
    s = np.sqrt(np.diagonal(M, axis1=1, axis2=2).max(axis=0))
    s = np.where(s > 0.0, s, np.inf)  # a joint that moves no inertia
    change = np.abs(dM / (s[:, None, None] * s[None, :, None])).max(axis=(1, 2))  # (1): (samples, n)
    m = robot.mechanism
    rates = {own.name: change[:, own.v].max(axis=1) for own in m.own_joints}
    links = {own.name: m.link_names[own.link] for own in m.own_joints}
    largest = {joint: float(rate.max()) for joint, rate in rates.items()}
    joint = max(largest, key=lambda name: np.inf if np.isnan(largest[name]) else largest[name])
    breaks = {name: size for name, size in largest.items() if not size <= tolerance}
    return Balance(
        is_balanced=not breaks,
        worst=largest[joint],
        joint=joint,
        q=q[int(np.argmax(rates[joint]))].copy(),
        breaks=breaks,
        links=links,
        samples=len(q),
        tolerance=float(tolerance),
    )


def counterweights(robot: RobotLike, radius: float | Mapping[str, float]) -> tuple[Counterweight, ...]:
    """The point masses that make the mass matrix of a planar chain constant, tip first; none where not needed. [BAL-1]

    radius: how far from its joint's axis each is, m; for all links, or {link name: radius}. Each is at the height of
    its link's centre of mass along the axes. The robot must be serial, its joints revolute with parallel axes.
    """
    chain = _planar(robot, "counterweights")
    out: list[Counterweight] = []
    beyond = 0.0
    for k in reversed(range(len(chain.axes))):
        mu, mass = chain.moment(k, beyond), chain.masses[k]
        if chain.felt[k] and np.linalg.norm(mu) > chain.none:
            d = _radius(radius, robot.link_names[k])
            weight = float(np.linalg.norm(mu)) / d  # (3)
            place = chain.axes[k] - mu * (d / float(np.linalg.norm(mu))) + chain.heights[k]
            out.append(Counterweight(robot.link_names[k], weight, _in_link(robot, k, place)))
            mass += weight
        beyond += mass
    return tuple(out)


def balanced(robot: R, radius: float | Mapping[str, float]) -> R:
    """The robot with its `counterweights` mounted: its mass matrix is constant, which is checked."""
    out = robot
    for link, mass, position in counterweights(robot, radius):
        out = out.with_payload(link, mass, position)
    found = balance(out)
    if not found.is_balanced:
        raise ModelError(f"balanced: robot {robot.name!r} with its counterweights is {found}")
    return out


def balancing_coms(robot: RobotLike) -> tuple[tuple[str, Array], ...]:
    """Where the links of a planar chain would have their centres of mass for a constant mass matrix, masses as now.

    (link name, position (3,) in the link frame), tip first, for all links that need one; heights along the axes stay.
    The robot must be serial, its joints revolute with parallel axes.
    """
    chain = _planar(robot, "balancing_coms")
    out: list[tuple[str, Array]] = []
    beyond = 0.0
    for k in reversed(range(len(chain.axes))):
        mu, mass = chain.moment(k, beyond), chain.masses[k]
        if chain.felt[k] and np.linalg.norm(mu) > chain.none:
            if not mass > 0.0:
                raise ModelError(
                    f"balancing_coms: link {robot.link_names[k]!r} has no mass to balance what it carries: give it "
                    "one, or use counterweights"
                )
            place = chain.axes[k] + chain.arms[k] - mu / mass + chain.heights[k]  # (4)
            out.append((robot.link_names[k], _in_link(robot, k, place)))
        beyond += mass
    return tuple(out)


class _Chain(NamedTuple):
    """A planar chain at home, in the space frame: all but heights lie in the plane through the origin across the axes.

    axes: where they pass. arms: r_k. reaches: l_k, zero for the last. felt: whether mu_k is in (2). none: a moment that
    is zero.
    """

    axes: Array
    arms: Array
    reaches: Array
    heights: Array
    masses: list[float]
    felt: list[bool]
    none: float

    def moment(self, k: int, beyond: float) -> Array:
        """mu_k, with the mass beyond link k."""
        return self.masses[k] * self.arms[k] + beyond * self.reaches[k]  # (2)


def _planar(robot: RobotLike, function: str) -> _Chain:
    m = robot.mechanism

    def refused(why: str) -> ModelError:
        return ModelError(
            f"{function}: robot {robot.name!r}: {why}; what balances a robot is known for serial chains of revolute "
            "joints with parallel axes. `balance` tells of any robot which joints change its mass matrix"
        )

    if not m.bodies:
        raise refused("it has no joints")
    first = _unit(m.screws[0, :3])
    for i, (joint, kind, S) in enumerate(zip(m.joint_names, m.kinds, m.screws, strict=True)):
        if m.mimics[i] is not None:
            raise refused(f"joint {joint!r} follows another")
        if m.parents[i] != i - 1:
            raise refused(f"it is branched at joint {joint!r}")
        if kind != "screw":
            raise refused(f"joint {joint!r} is {kind}")
        if not S[:3].any():
            raise refused(f"joint {joint!r} slides")
        if pitch(S[:3], S[3:]):
            raise refused(f"joint {joint!r} is a helix")
        if np.linalg.norm(np.cross(_unit(S[:3]), first)) > 1e-9:
            raise refused(f"the axis of joint {joint!r} is not parallel to that of {m.joint_names[0]!r}")
    w, v = m.screws[:, :3], m.screws[:, 3:]
    along = np.outer(first, first)
    across = np.eye(3) - along
    axes = np.cross(w, v) / np.einsum("ki,ki->k", w, w)[:, None] @ across
    coms = np.array([home[:3, :3] @ link.com + home[:3, 3] for home, link in zip(m.homes, m.links, strict=True)])
    arms, reaches = coms @ across - axes, np.zeros_like(axes)
    reaches[:-1] = axes[1:] - axes[:-1]
    masses = [link.mass for link in m.links]
    size = float(np.linalg.norm([arms, reaches], axis=-1).max())
    long = np.linalg.norm(reaches, axis=-1) > RELATIVE_ZERO * size
    felt = [bool(long[:k].any()) for k in range(len(axes))]
    return _Chain(axes, arms, reaches, coms @ along, masses, felt, RELATIVE_ZERO * size * sum(masses))


def _unit(w: Array) -> Array:
    return w / (np.linalg.norm(w) or 1.0)


def _in_link(robot: RobotLike, k: int, point: Array) -> Array:
    """A point of the space frame at home, in the frame of link k."""
    home = robot.homes[k]
    return home[:3, :3].T @ (point - home[:3, 3])


def _radius(radius: float | Mapping[str, float], link: str) -> float:
    if isinstance(radius, Mapping) and link not in radius:
        raise ModelError(f"counterweights: link {link!r} needs one, give its radius; radii are given for {[*radius]}")
    d = radius[link] if isinstance(radius, Mapping) else radius
    return positive(d, f"counterweights: the radius on link {link!r}")
