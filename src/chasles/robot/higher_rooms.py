"""Methods of a robot that a room above it computes.

    HIGHER[method] = "module.function":   robot.method(...) is function(robot, ...), imported when called

The one exception to the rule that imports point one way. A method has the signature of its function without the first
parameter, and a docstring of its own, so that editors, `help` and type checkers see it; types in it come from below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import ArrayLike

from chasles.robot.methods.base import Methods

if TYPE_CHECKING:
    from chasles.recorded_motion import Control, Method, Simulation
    from chasles.rollout_motion import Law, RolloutMotion

HIGHER = {
    "rollout": "chasles.simulation.rollout",
    "simulate": "chasles.simulation.simulate",
}

F = TypeVar("F", bound=Callable[..., Any])


def found(method: str) -> Callable[..., Any]:
    """The function behind a method of the table."""
    module, _, function = HIGHER[method].rpartition(".")
    return getattr(import_module(module), function)


def higher(declared: F) -> F:
    """The method that this signature and the table say."""
    name = declared.__name__

    @wraps(declared)
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        return found(name)(self, *arguments, **options)

    return method  # type: ignore[return-value]


class RolloutMethods:
    """A system in the hands of rollouts: robots, Lagrangian systems and systems under constraints alike."""

    @higher
    def rollout(
        self,
        q0: ArrayLike,
        qd0: ArrayLike,
        tau_or_law: ArrayLike | Law | None = None,
        *,
        dt: float,
        steps: int | None = None,
        method: str = "rk4",
        every: int = 1,
        t0: float = 0.0,
        project: bool = True,
        parameters: Mapping[str, int | tuple[int, ...]] | None = None,
        **values: ArrayLike,
    ) -> RolloutMotion:
        """The motions from (q0, qd0) at t0 in steps of dt, compiled with their time loop: `chasles.rollout` of this.

        q0: (..., nq), qd0: (..., n). tau_or_law: joint forces (..., n), held over `steps` steps; or (..., steps, n),
        one a step, without `steps`; or a law, a function of traced (t, q, qd) of one row that returns (n,); or None.
        values: of the law's parameters, the same for all rows unless `parameters` says the shape, {"K": (6,)}, and of
        the symbols of a robot, (...), by name. every: keep one state in so many. The result has t (T,),
        q (..., T, nq), qd and tau (..., T, n), the start first. A row that does not stay finite is nan from there on,
        and `finite_steps` says where. The kernel is kept: another call with the same law compiles nothing.
        """
        ...


class HigherRoomMethods(RolloutMethods, Methods):
    """A robot in the hands of the rooms above."""

    @higher
    def simulate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        control: Control | None = None,
        *,
        duration: float,
        t0: float = 0.0,
        dt: float = 1e-3,
        method: Method = "rk4",
        project: bool = True,
        every: int = 1,
    ) -> Simulation:
        """The motion from (q, qd) at t0 over `duration` seconds in steps of dt: `chasles.simulate` of this robot.

        q: (..., nq), qd: (..., n). control: joint forces of (t, q, qd), (..., n); default: none. every: keep one state
        in so many. The result has t (T,), q (..., T, nq), qd and tau (..., T, n) and the energies. A motion that
        does not stay finite ends in a `SimulationError`, which has what was computed as its `trajectory`.
        """
        ...
