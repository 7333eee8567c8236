"""Poses, velocities, accelerations and Jacobians of frames (dynamics/kinematics.py, dynamics/jacobian.py)."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from numpy.typing import ArrayLike

from chasles.literals import Expressed
from chasles.robot.methods.base import Array, Methods
from chasles.robot.methods.forward import forward


class KinematicsMethods(Methods):
    """frame: a name of `frame_names` (default: the tool). expressed: see `velocity`."""

    @forward
    def forward_kinematics(self, q: ArrayLike, frame: str | None = None) -> Array:
        """(..., 4, 4) the pose of a frame (default: the tool) in the space frame, by the product of exponentials.

        q: (..., nq).
        """
        ...

    @forward
    def link_poses(self, q: ArrayLike) -> Array:
        """(..., links, 4, 4) the poses of all moving links in the space frame, as `link_names`. q: (..., nq)."""
        ...

    @forward
    def frame_poses(self, q: ArrayLike) -> Array:
        """(..., frames, 4, 4) the poses of all frames in the space frame, as `frame_names`. q: (..., nq)."""
        ...

    @forward
    def velocity(self, q: ArrayLike, qd: ArrayLike, frame: str | None = None, expressed: Expressed = "body") -> Array:
        """(..., 6) the twist of a frame (default: the tool). q, qd: (..., n).

        expressed: "body" in the frame's own axes at its origin; "space" in the space frame; "mixed" at the frame's
        origin in space axes.
        """
        ...

    @forward
    def acceleration(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, frame: str | None = None, expressed: Expressed = "body"
    ) -> Array:
        """(..., 6) the time derivative of `velocity`, the spatial acceleration, no gravity. q, qd, qdd: (..., n)."""
        ...

    @forward
    def classical_acceleration(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, frame: str | None = None, expressed: Expressed = "body"
    ) -> Array:
        """(..., 6) angular acceleration and the acceleration of the frame's origin, without gravity.

        expressed: "body" in the frame's axes; "mixed" in space axes. q, qd, qdd: (..., n).
        """
        ...

    @forward
    def jacobian(self, q: ArrayLike, frame: str | None = None, expressed: Expressed = "body") -> Array:
        """(..., 6, n) with `velocity(q, qd) = jacobian(q) @ qd`, of a frame (default: the tool). q: (..., n)."""
        ...

    @forward
    def jacobian_derivative(
        self, q: ArrayLike, qd: ArrayLike, frame: str | None = None, expressed: Expressed = "body"
    ) -> Array:
        """(..., 6, n) the time derivative of `jacobian` along qd. q, qd: (..., n)."""
        ...
