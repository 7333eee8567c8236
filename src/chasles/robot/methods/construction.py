"""Robots from screws and home poses, from body screws, from Denavit-Hartenberg parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from chasles.arguments import sequence
from chasles.errors import ModelError
from chasles.model.checks import arguments, refuse_zero_screws
from chasles.model.link import Link
from chasles.robot.methods.base import Methods


class ConstructionMethods(Methods):
    """A robot's descriptions, each of which makes one."""

    @classmethod
    def from_screws(
        cls,
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
    ) -> Self:
        """A robot from its screws and home poses, all absolute, in the space frame at q = 0.

        screws: (n, 6), (angular, linear), none of them zero. homes: (n, 4, 4), the link frames. links: n of
        `Link(mass, com, inertia)`, com in the link frame, inertia about the com in link axes. parents: for each link
        the index of an earlier one, -1 for the base; None: a serial chain. tool: (4, 4), the absolute pose of the tool,
        on link `tool_link` (default: the last link of a serial robot). frames: further frames, name -> (link, absolute
        pose). limits: any of lower, upper, velocity, effort, each (n,). kinds: for each link "screw" (the default),
        "fixed", whose link is merged into its parent, "planar", "spherical" or "free", which move in the link's home
        frame; the screw of all but the first is not looked at. mimics: {joint: (joint it follows, factor, offset)}.
        armature, damping, friction: (n,), of the joints. base: the inertia of what does not move, for when it is set
        free.

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
        from chasles.model.building import mechanism
        from chasles.model.compound import taken_apart

        return cls._made(mechanism(**refuse_zero_screws(taken_apart(arguments(given)))))

    @classmethod
    def from_body_screws(
        cls, body_screws: ArrayLike, tool: ArrayLike, homes: ArrayLike, links: Sequence[Link], **options: Any
    ) -> Self:
        """A serial robot from body screws: T(q) = tool exp([B_1] q_1) ... exp([B_n] q_n).

        body_screws: (n, 6) in the tool frame at q = 0. tool: (4, 4) its absolute home pose. homes: (n, 4, 4) and links
        as for `from_screws`, which takes the other options too.
        """
        from chasles.model import screws

        return cls.from_screws(screws.space_from_body(body_screws, tool, "tool"), homes, links, tool=tool, **options)

    @classmethod
    def from_dh(
        cls,
        rows: Sequence[Any],
        links: Sequence[Link],
        convention: Literal["standard", "modified"] = "standard",
        *,
        base: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
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
        return cls.from_screws(space, homes, links, **options)
