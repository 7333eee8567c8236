"""RobotLike: a robot, as the rooms below `Robot` see it.

Inverse kinematics, geodesics, submersions, linearization and the like need a robot and stand below the one class that
is one: they take whatever has these members. Arrays broadcast over leading axes; n velocities, nq coordinates. The
docstrings are `Robot`'s.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.literals import Expressed
from chasles.model.mechanism import Mechanism
from chasles.model.task import Frames, Rows

if TYPE_CHECKING:
    from chasles.function.kernel import Kernel

Array = NDArray[np.float64]


class RobotLike(Protocol):
    """What a robot is and computes, as far as others build on it."""

    def __init__(self, mechanism: Mechanism) -> None: ...

    # what it is

    @property
    def name(self) -> str: ...
    @property
    def n(self) -> int: ...
    @property
    def nq(self) -> int: ...
    @property
    def mechanism(self) -> Mechanism: ...
    @property
    def joint_names(self) -> tuple[str, ...]: ...
    @property
    def link_names(self) -> tuple[str, ...]: ...
    @property
    def symbols(self) -> tuple[str, ...]: ...
    @property
    def homes(self) -> Array: ...
    @property
    def limits(self) -> Mapping[str, Array]: ...

    # coordinates

    def random(self, rng: np.random.Generator | int | None = None) -> Array: ...
    def integrate(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array: ...
    def coordinate_rates(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def normalize(self, q: ArrayLike) -> Array: ...

    # kinematics

    def forward_kinematics(self, q: ArrayLike, frame: str | None = None) -> Array: ...
    def velocity(
        self, q: ArrayLike, qd: ArrayLike, frame: str | None = None, expressed: Expressed = "body"
    ) -> Array: ...
    def acceleration(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, frame: str | None = None, expressed: Expressed = "body"
    ) -> Array: ...
    def jacobian(self, q: ArrayLike, frame: str | None = None, expressed: Expressed = "body") -> Array: ...
    def jacobian_derivative(
        self, q: ArrayLike, qd: ArrayLike, frame: str | None = None, expressed: Expressed = "body"
    ) -> Array: ...

    # dynamics

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> Array: ...
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> Array: ...
    def bias_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> Array: ...
    def mass_matrix(self, q: ArrayLike) -> Array: ...
    def mass_matrix_inverse(self, q: ArrayLike) -> Array: ...
    def mass_matrix_sqrt(self, q: ArrayLike) -> Array: ...
    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> Array: ...
    def gravity_forces(self, q: ArrayLike) -> Array: ...
    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array: ...
    def potential_energy(self, q: ArrayLike) -> Array: ...

    # derivatives

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> tuple[Array, Array, Array]: ...
    def inverse_dynamics_derivatives_along(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        dq: ArrayLike,
        dqd: ArrayLike,
        dqdd: ArrayLike,
        tool_wrench: ArrayLike | None = None,
        link_wrenches: ArrayLike | None = None,
    ) -> tuple[Array, Array, Array]: ...

    # geometry

    def mass_matrix_derivatives(self, q: ArrayLike, order: Literal[1, 2] = 1) -> Array: ...
    def christoffel_symbols(self, q: ArrayLike, kind: Literal[1, 2] = 1) -> Array: ...
    def riemann_curvature(self, q: ArrayLike) -> Array: ...
    def sectional_curvature(self, q: ArrayLike, u: ArrayLike, v: ArrayLike) -> Array: ...

    # tasks

    def task_jacobian(
        self, q: ArrayLike, frame: Frames = None, rows: Rows = None, *, expressed: Expressed = "body"
    ) -> Array: ...
    def task_jacobian_derivative(
        self, q: ArrayLike, qd: ArrayLike, frame: Frames = None, rows: Rows = None, *, expressed: Expressed = "body"
    ) -> Array: ...
    def task_mobility(
        self, q: ArrayLike, frame: Frames = None, rows: Rows = None, *, expressed: Expressed = "body"
    ) -> Array: ...
    def consistent_inverse(
        self,
        q: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        damping: float | None = None,
    ) -> Array: ...
    def null_space_projector(
        self,
        q: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        damping: float | None = None,
    ) -> Array: ...

    # others like it

    def with_payload(
        self, link: str, mass: float, com: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Self: ...

    # all of them as compiled functions

    def kernel(
        self,
        names: str | Sequence[str],
        dtype: str = "float64",
        target: str = "cpu",
        *,
        frame: Frames = None,
        expressed: Expressed = "body",
        rows: Rows = None,
        inputs: str | Sequence[str] = (),
        parameters: str | Sequence[str] = (),
    ) -> Kernel: ...
