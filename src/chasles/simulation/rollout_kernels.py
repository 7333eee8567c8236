"""Rollouts as kernels: batches of motions with the time loop inside.

A method of `chasles.integrators` is traced once, whatever the number of steps; rows of a batch run side by side in the
lanes of a vector. `rollout_kernel` is the whole of a rollout as one `Kernel`, to be differentiated by any of its
inputs. `RolloutKernels` are a rollout in pieces of some states, so that few kernels serve any number of steps:
`chasles.Rollout` and `robot.rollout` call them as often as they need to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from chasles.arguments import count
from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.trace_loop import loop
from chasles.integrators.method import Method
from chasles.simulation.time_loop import Setup, TimeLoop, ended, operands, setup

Law = Callable[..., Any]
Torques = Literal["none", "held", "each"]  # no forces beside the law's, the same in all steps, one a step


def rollout_kernel(
    system: Any,
    control: Law | None = None,
    *,
    steps: int,
    method: str = "rk4",
    every: int = 1,
    torques: bool = False,
    parameters: Mapping[str, tuple[int, ...]] | None = None,
    cost: Law | None = None,
    final_cost: Law | None = None,
) -> Kernel:
    """The kernel of a rollout: (q, qd, dt, t0, ...) -> path (steps / every, nq), velocities (steps / every, n), and
    finite_steps (), how many steps a row made before its state was no longer finite.

    control: joint forces of traced (t, q, qd) and of `parameters` by their names, whose shapes are given; None for no
    forces. torques: one more input, tau (steps, n), held over each step and added to those of the law. cost: a number
    of traced (t, q, qd, tau), integrated over the steps; final_cost: one of (q, qd) at the end, both of parameters that
    they name too: the kernel then has the single output `cost`, and `.gradient("tau")`, `.gradient("q")` and so on are
    its derivatives. The values of a robot's symbols are inputs after all others.
    """
    if count(steps, "steps") % count(every, "every"):
        raise ModelError(f"every must divide the number of steps, {steps}; got {every}")
    of = setup(operands(system, parameters), control, method=method, cost=cost, final_cost=final_cost)
    if of.cost is not None or of.final_cost is not None:
        return cost_kernel(of, steps, torques)

    def motion(q: Any, qd: Any, dt: Any, t0: Any, **given: Any) -> Any:
        tau = given.pop("tau", None)
        run = TimeLoop(of, dt, t0, given)

        def several(k: Any, *state: Any, tau: Any = 0.0) -> Any:
            carried = run.several(k, state, tau, every, torques)
            path, velocities = run.end(carried[0], carried[1:])
            return carried, {"record": {"path": path, "velocities": velocities}}

        rows = {} if tau is None else {"tau": tau.reshape(steps // every, every, -1)}
        start = run.begin(q, qd, 0.0 if tau is None else tau[0])
        last, kept = loop(several, (0.0, *start), each=rows, count=steps // every)
        return {**kept["record"], "finite_steps": last[0]}

    return compile(motion, **_inputs(of, steps if torques else 0))


def cost_kernel(of: Setup, steps: int, torques: bool) -> Kernel:
    """(q, qd, dt, t0, ...) -> cost ()."""

    def motion_cost(q: Any, qd: Any, dt: Any, t0: Any, **given: Any) -> Any:
        tau = given.pop("tau", None)
        return {"cost": TimeLoop(of, dt, t0, given).cost(q, qd, tau, steps)}

    return compile(motion_cost, **_inputs(of, steps if torques else 0))


def gradient_kernel(of: Setup, steps: int, torques: bool, by: tuple[str, ...]) -> Kernel:
    """(q, qd, dt, t0, ...) -> cost (), and its derivatives by the inputs named; that by q in tangent coordinates."""
    system = of.system
    if "q" not in by or system.nq == system.n:
        return cost_kernel(of, steps, torques).gradient(by, value=True)
    inputs = _inputs(of, steps if torques else 0)

    def beside(q: Any, qd: Any, dt: Any, t0: Any, beside_q: Any, **given: Any) -> Any:
        tau = given.pop("tau", None)
        run = TimeLoop(of, dt, t0, given)
        return {"cost": run.cost(run.system.integrate(q, beside_q), qd, tau, steps)}

    names = tuple("beside_q" if name == "q" else name for name in by)
    whole = compile(beside, **inputs, beside_q=system.n).gradient(names, value=True)
    outputs = ("cost", *(f"dcost_d{name}" for name in by))

    def rollout_gradient(**given: Any) -> Any:
        return dict(zip(outputs, whole(**given, beside_q=np.zeros(system.n)), strict=True))

    return compile(rollout_gradient, **inputs)


class RolloutKernels:
    """A rollout in pieces, whose kernels are made when they are first needed: few, for any number of steps.

    of: what is rolled out, asked for where a kernel is to be made. keep: (key, make) -> a kernel, made once.
    """

    def __init__(
        self, of: Callable[[], Setup], torques: Torques, keep: Callable[[Any, Callable[[], Any]], Kernel | None]
    ) -> None:
        self.of, self.keep = of, keep
        self.torques: Torques = torques

    @property
    def begin(self) -> Kernel | None:
        """(q, qd, dt, t0, tau, ...) -> the method's state; None where that is (q, qd)."""
        return self.keep(("begin", self.torques), lambda: _begin_unless_plain(self.of(), self.torques))

    def advance(self, records: int, every: int, stops: bool) -> Kernel:
        """(k, dt, t0, state, tau, ...) -> k, the state, and `records` states, `every` steps apart, with q, qd and the
        forces, where there is a law. k: how many steps a row has made; it stays where the state is not finite.

        stops: one more input, last_step, at which it stops; states beyond are 0. That takes a tenth longer.
        """
        made = (self.torques, records, every, stops)
        found = self.keep(("advance", *made), lambda: _advance(self.of(), *made))
        assert found is not None
        return found

    @property
    def end(self) -> Kernel | None:
        """(k, dt, t0, state, tau, ...) -> q, qd, and the forces where there is a law; None where that is the state."""
        return self.keep(("end", self.torques), lambda: _end_unless_plain(self.of(), self.torques))


def _begin_unless_plain(of: Setup, torques: Torques) -> Kernel | None:
    return None if _is_plain(of) else _begin(of, torques)


def _end_unless_plain(of: Setup, torques: Torques) -> Kernel | None:
    return None if _is_plain(of) and of.law is None else _end(of, torques)


def _is_plain(of: Setup) -> bool:
    """Whether the method's state is (q, qd)."""
    return type(of.scheme).begin is Method.begin


def _begin(of: Setup, torques: Torques) -> Kernel:
    def begin(q: Any, qd: Any, dt: Any, t0: Any, **given: Any) -> Any:
        tau = given.pop("tau", 0.0)
        return tuple(TimeLoop(of, dt, t0, given).begin(q, qd, tau))

    return compile(begin, **_inputs(of, 0, torques))


def _advance(of: Setup, torques: Torques, records: int, every: int, stops: bool) -> Kernel:
    each = torques == "each"

    def advance(step_number: Any, dt: Any, t0: Any, **given: Any) -> Any:
        start, steady, stop = _state_of(given), given.pop("tau", 0.0), given.pop("last_step", None)
        run = TimeLoop(of, dt, t0, given)

        def several(k: Any, *state: Any, tau: Any = steady) -> Any:
            path, velocities = run.end(k, state)
            record = {"path": path, "velocities": velocities}
            if of.law is not None:
                record["forces"] = run.forces(k, state, tau[0] if each else tau)
            after = run.several(k, state, tau, every, each, stop)
            return after, {"record": record} | ({"until": ended(k, after[0], every, stop)} if stops else {})

        last, kept = loop(several, (step_number, *start), each={"tau": steady} if each else {}, count=records)
        state = {f"method_state{i}": x for i, x in enumerate(last[1:])}
        return {"step": last[0], **state, **kept["record"]}

    tau: dict[str, Any] = {"none": {}, "held": {"tau": of.system.n}, "each": {"tau": (records, every, of.system.n)}}
    shapes = _from_state(of, torques, tau[torques])
    shapes |= {"last_step": ()} if stops else {}
    return compile(advance, **shapes)


def _end(of: Setup, torques: Torques) -> Kernel:
    def end(step_number: Any, dt: Any, t0: Any, **given: Any) -> Any:
        state, tau = _state_of(given), given.pop("tau", 0.0)
        run = TimeLoop(of, dt, t0, given)
        q, v = run.end(step_number, state)
        return {"q": q, "qd": v} | ({} if of.law is None else {"forces": run.forces(step_number, state, tau)})

    tau: dict[str, Any] = {} if torques == "none" else {"tau": of.system.n}
    return compile(end, **_from_state(of, torques, tau))


def _from_state(of: Setup, torques: Torques, tau: dict[str, Any]) -> dict[str, Any]:
    """Shapes of (k, dt, t0, state, tau, ...)."""
    state = enumerate(_begin(of, torques).outputs)
    shapes = {"step_number": (), "dt": (), "t0": (), **{f"method_state{i}": o.shape for i, o in state}}
    return shapes | tau | of.shapes


def _state_of(given: dict[str, Any]) -> tuple[Any, ...]:
    """Taken out of what is given by name."""
    names = [name for name in given if name.startswith("method_state")]
    return tuple(given.pop(name) for name in names)


def _inputs(of: Setup, steps: int, torques: Torques = "none") -> dict[str, Any]:
    """Shapes of (q, qd, dt, t0, tau, ...): tau one a step, or of one step."""
    n = of.system.n
    shapes: dict[str, Any] = {"q": of.system.nq, "qd": n, "dt": (), "t0": ()}
    shapes |= {"tau": (steps, n)} if steps else {}
    return shapes | ({} if torques == "none" else {"tau": n}) | of.shapes
