"""Compiled rollouts as people use them: `chasles.Rollout`, made once and called often, and `robot.rollout`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import count, flag, mapping, names, real, shown, text
from chasles.errors import ModelError, ShapeError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.hints import Hinted
from chasles.recorded_motion import Law, Trajectory
from chasles.reprs import quoted
from chasles.simulation.kept_kernels import kept_kernels
from chasles.simulation.rolled import Given, given, rolled, warn_of_costs
from chasles.simulation.rollout_kernels import RolloutKernels, Torques, cost_kernel, gradient_kernel
from chasles.simulation.time_loop import operands, setup

Array = NDArray[np.float64]


class Rollout(Hinted):
    """Rollouts of a system, compiled once and called often: batches of motions with the time loop inside the kernel.

    system: a Robot, with symbols too, a LagrangianSystem or a ConstrainedSystem. law: joint forces (n,) of traced
    (t, q, qd), of one row, and of those of `parameters` that it names; a law of `chasles.control` that can be traced,
    or your own; None for none. steps: how many. method: of `chasles.integrators`. every: keep one state in so many.
    project: put states back onto the constraints after every step. parameters: names and shapes of what law and costs
    take besides, {"K": (6,)}. cost: a number of traced (t, q, qd, tau), integrated over the steps as it is at their
    beginnings; final_cost: one of (q, qd) at the end. Functions that name symbols of the robot are given them too.
    """

    def __init__(
        self,
        system: Any,
        law: Law | None = None,
        *,
        steps: int,
        method: str = "rk4",
        every: int = 1,
        project: bool = True,
        parameters: Mapping[str, int | tuple[int, ...]] | None = None,
        cost: Law | None = None,
        final_cost: Law | None = None,
    ) -> None:
        self.steps, self.every, self.method = count(steps, "steps"), count(every, "every"), method
        of = operands(system, parameters)
        self._of = setup(of, law, method=method, project=project, cost=cost, final_cost=final_cost)
        self.system, self.law = system, law
        self._kernels: dict[Any, Any] = {}
        self._probe()

    def _probe(self) -> None:
        """Trace law and costs by themselves: what is wrong with them is said now."""
        of, n = self._of, self.system.n

        def probe(t: Any, q: Any, qd: Any, **named: Any) -> Any:
            tau = np.zeros(n) + 0.0 * qd if of.law is None else of.law.vector(n, t, q, qd, given=named)
            found = [tau]
            found += [] if of.cost is None else [of.cost.number(t, q, qd, tau, given=named)]
            return tuple(found + ([] if of.final_cost is None else [of.final_cost.number(q, qd, given=named)]))

        shapes: dict[str, Any] = {"t": (), "q": self.system.nq, "qd": n, **of.shapes}
        compile(probe, **shapes)

    @property
    def parameters(self) -> dict[str, tuple[int, ...]]:
        """What is given by name: shapes of the parameters of law and costs, then of the robot's symbols."""
        return self._of.shapes

    def __call__(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        dt: float,
        t0: float = 0.0,
        **values: ArrayLike,
    ) -> Trajectory:
        """The motions from (q, qd) at t0 in steps of dt. q: (..., nq), qd: (..., n).

        tau: (..., steps, n) joint forces, each held over a step and added to the law's. values: of all parameters and
        symbols, by name, (..., *shape), so that rows may have their own. A row that is no longer finite is nan from
        there on, `finite_steps` says where, and a RuntimeWarning names the first.
        """
        start = self._given(q, qd, tau, dt, t0, values)
        kernels = RolloutKernels(lambda: self._of, "none" if tau is None else "each", self._keep)
        return rolled(kernels, self._of, start, self.steps, min(self.every, self.steps), self.method, exact=True)

    def cost(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        dt: float,
        t0: float = 0.0,
        **values: ArrayLike,
    ) -> Array:
        """(...) the cost of each row. Arguments as of a call.

        It is nan where the motion does not stay finite, and a RuntimeWarning names the first such row.
        """
        start = self._given(q, qd, tau, dt, t0, values)
        cost = _called(self._cost(tau is not None, None), start)
        warn_of_costs(cost)
        return cost

    def gradient(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        by: str | Sequence[str],
        dt: float,
        t0: float = 0.0,
        **values: ArrayLike,
    ) -> tuple[Array, dict[str, Array]]:
        """The cost (...) of each row, and its derivatives by what `by` names: "q", "qd", "tau", parameters, symbols.

        {name: (..., *shape)}, one row each, also where rows share a value: their sum is the derivative of the sum. That
        by q is in tangent coordinates, (..., n): by the x of integrate(q, x) at x = 0, which is dcost/dq where all
        joints are screws, and has no component along a quaternion of ball and free joints. All of them come of one pass
        backwards through the steps, in the kernel. They are nan where the cost is, and a RuntimeWarning says so.
        """
        chosen = tuple(names([by] if isinstance(by, str) else by, "by"))
        known = ("q", "qd", *(() if tau is None else ("tau",)), *self.parameters)
        for name in chosen:
            if name not in known or chosen.count(name) > 1:
                fault = "twice" if chosen.count(name) > 1 else "nothing that is given"
                raise ModelError(f"by names {shown(name)}, {fault}; there are {', '.join(known)}")
        if not chosen:
            raise ModelError(f"by names nothing; there are {', '.join(known)}")
        start = self._given(q, qd, tau, dt, t0, values)
        cost, *found = _called(self._cost(tau is not None, chosen), start)
        warn_of_costs(cost)
        return cost, {name: _unless_nan(cost, x) for name, x in zip(chosen, found, strict=True)}

    def _given(self, q: Any, qd: Any, tau: Any, dt: Any, t0: Any, values: Mapping[str, Any]) -> Given:
        forces = None if tau is None else (tau, ("...", self.steps, self.system.n))
        return given(self._of, {"q": q, "qd": qd}, forces, dt, t0, self.steps, values)

    def _keep(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self._kernels:
            self._kernels[key] = make()
        return self._kernels[key]

    def _cost(self, torques: bool, by: tuple[str, ...] | None) -> Kernel:
        if self._of.cost is None and self._of.final_cost is None:
            raise ModelError("this Rollout has no cost: make it with cost= or final_cost=")
        if by is None:
            return self._keep(("cost", torques), lambda: cost_kernel(self._of, self.steps, torques))
        return self._keep(("gradient", torques, by), lambda: gradient_kernel(self._of, self.steps, torques, by))

    def __repr__(self) -> str:
        return f"<Rollout of {quoted(self.system.name)}: {self.steps} steps by {self.method}>"


def rollout(
    system: Any,
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
) -> Trajectory:
    """The motions of a system from (q0, qd0) at t0 in steps of dt, with the time loop inside the kernel.

    q0: (..., nq), qd0: (..., n). tau_or_law: joint forces, held over each of `steps` steps, (..., n); or, without
    `steps` or with one axis more than q0 and qd0 have, one a step, (..., steps, n); or a law, a function of traced
    (t, q, qd) of one row that returns (n,), see `chasles.Rollout`; None for no forces. every: keep one state in so
    many, and the last. project: put states back onto the constraints after every step. values: of the law's parameters
    and the robot's symbols, by name. A symbol may have a value for each row, (...); a parameter is the same for all,
    unless `parameters` says its shape, {"K": (6,)}: then it is (..., 6). It has to say that of one whose first axes are
    those of the batch.

    The kernel is kept with the system, for the same law (the object itself, which is held weakly), method, `every` and
    shapes, whatever the numbers of rows and steps: another call compiles nothing. What a law reads when it is traced
    stays as it was then: what changes has to be a parameter.
    """
    law = tau_or_law if callable(tau_or_law) else None
    forces = None if law is not None or tau_or_law is None else real(tau_or_law, "tau_or_law", "joint forces or a law")
    rows = max(np.ndim(real(q0, "rollout: q0")), np.ndim(real(qd0, "rollout: qd0"))) - 1
    torques, number = _read(forces, steps, rows, getattr(system, "n", 0))
    shapes = dict(mapping({} if parameters is None else parameters, "parameters", "name -> shape"))
    symbols = getattr(system, "symbols", ())
    same = {x: np.shape(real(y, x)) for x, y in values.items() if x not in shapes and x not in symbols}
    of = operands(system, shapes | same)
    every = min(count(every, "every"), number)
    sizes = (text(method, "method"), flag(project, "project"), tuple(of.parameters.items()))
    shape = ("...", number, system.n) if torques == "each" else ("...", system.n)
    start = given(of, {"q0": q0, "qd0": qd0}, None if forces is None else (forces, shape), dt, t0, number, values)
    _refuse_ambiguous(same, start.lead)

    def keep(key: Any, make: Callable[[], Any]) -> Any:
        return kept_kernels(system, law, (*sizes, *key), make)

    kernels = RolloutKernels(lambda: setup(of, law, method=method, project=project), torques, keep)
    return rolled(kernels, of, start, number, every, method, exact=False)


def _refuse_ambiguous(shapes: Mapping[str, tuple[int, ...]], lead: tuple[int, ...]) -> None:
    """Raise ShapeError where a parameter of no shape that was given could be one a row. lead: of the batch."""
    for name, shape in shapes.items():
        if np.prod(lead) > 1 and shape[: len(lead)] == lead:
            raise ShapeError(
                f"rollout: {name} has shape {shape}, and the batch {lead}: give parameters={{{name!r}: "
                f"{shape[len(lead) :]}}} if each row has its own, or parameters={{{name!r}: {shape}}} if it is the "
                "same for all"
            )


def _read(forces: Any, steps: Any, rows: int, n: int) -> tuple[Torques, int]:
    """Whether joint forces are held or one a step, and the number of steps. rows: axes of the batch of states."""
    if forces is None:
        if steps is None:
            raise ModelError("steps must be given: how many steps of dt, where no joint forces say it")
        return "none", count(steps, "steps")
    if steps is None:
        if forces.ndim < 2 or forces.shape[-1] != n or not forces.shape[-2]:
            raise ShapeError(
                f"tau_or_law must have shape (..., steps, {n}), one a step, where steps= is not given; "
                f"got {forces.shape}"
            )
        return "each", forces.shape[-2]
    number = count(steps, "steps")
    if forces.ndim < rows + 2:
        return "held", number
    if forces.shape[-2:] != (number, n):
        raise ShapeError(
            f"tau_or_law has more axes than q0 and qd0, so that it must have shape (..., {number}, {n}), one a step; "
            f"got {forces.shape}. To hold rows of it over all steps, give q0 or qd0 as many axes"
        )
    return "each", number


def _called(kernel: Kernel, start: Given) -> Any:
    """A kernel of (q, qd, dt, t0, tau, values), on what is given."""
    tau = () if start.tau is None else (start.tau,)
    with np.errstate(all="ignore"):
        return kernel(start.q, start.qd, start.dt, start.t0, *tau, *start.values)


def _unless_nan(cost: Any, x: Any) -> Any:
    """Derivatives x (..., *shape), nan where the cost (...) is, also by what it does not depend on."""
    ended = np.isnan(cost)
    return np.where(ended.reshape(*ended.shape, *(1,) * (x.ndim - ended.ndim)), np.nan, x) if ended.any() else x
