"""Shapes: the looks of a link, and what it collides with, kept for a viewer and never opened."""

from dataclasses import dataclass

from chasles.reprs import record


@record()
@dataclass(frozen=True, repr=False)
class Shape:
    """A shape that rides on a frame.

    frame: its name. role: "visual" or "collision". kind: "mesh", "box", "sphere", "cylinder" or "capsule". size: the
    scale of a mesh (3 numbers), the sides of a box (3), the radius of a sphere (1), radius and length along z of a
    cylinder or capsule (2); m. pose: 4 rows of 4 numbers, in that frame. file, texture: names as the robot's file has
    them. colour: red, green, blue, alpha.
    """

    frame: str
    role: str
    kind: str
    size: tuple[float, ...]
    pose: tuple[tuple[float, ...], ...]
    file: str = ""
    name: str = ""
    colour: tuple[float, ...] | None = None
    texture: str = ""
