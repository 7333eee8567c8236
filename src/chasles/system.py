"""Systems, as a robot and a Lagrangian system both are: coordinates, and equations of motion M qdd + bias = tau.

A system whose equations depend on time has a true `depends_on_time`, and its functions of q and qd take t last.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike


@runtime_checkable
class System(Protocol):
    """nq coordinates q and n velocities v; functions of arrays, broadcast over leading axes, and of traced arrays.

    What has these functions can be put under constraints and simulated: a `Robot`, a `LagrangianSystem`, your own.
    Where the equations depend on time, `depends_on_time` is true and functions of q and qd take t last.
    """

    @property
    def name(self) -> str: ...

    @property
    def n(self) -> int: ...

    @property
    def nq(self) -> int: ...

    def neutral(self) -> Any:
        """(nq,) the home configuration."""
        ...

    def random(self, rng: Any = None) -> Any:
        """(nq,) some configuration."""
        ...

    def integrate(self, q: ArrayLike, v: ArrayLike) -> Any:
        """(..., nq) where unit time at velocity v leads from q."""
        ...

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Any:
        """(..., n) the v with integrate(q0, v) = q1."""
        ...

    def coordinate_rates(self, q: ArrayLike, v: ArrayLike) -> Any:
        """(..., nq) dq/dt at velocity v, linear in v."""
        ...

    def mass_matrix(self, q: ArrayLike) -> Any:
        """(..., n, n)"""
        ...

    def bias_forces(self, q: ArrayLike, qd: ArrayLike) -> Any:
        """(..., n) all that stands beside M qdd in the equations of motion."""
        ...

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> Any:
        """(..., n, n) of the Christoffel symbols."""
        ...

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Any:
        """(..., n) the accelerations."""
        ...

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Any: ...

    def potential_energy(self, q: ArrayLike) -> Any: ...


def when(system: Any, t: Any) -> tuple[Any, ...]:
    """The arguments that say the time to a system's functions: t, or none where nothing depends on it."""
    return (t,) if getattr(system, "depends_on_time", False) else ()
