"""Rollouts as kernels: batches of motions with the time loop inside.

A method of `chasles.integrators` is traced once, whatever the number of steps; rows of a batch run side by side in the
lanes of a vector. `rollout_kernel` is the whole of a rollout as one `Kernel`, to be differentiated by any of its
inputs. `chunk_kernels` are a rollout in chunks of some states, so that one kernel serves any number of steps:
`chasles.Rollout` and `robot.rollout` call it as often as they need to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from chasles.arguments import count
from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.derive import gradients_program
from chasles.graph.node import where
from chasles.graph.program import Program
from chasles.graph.trace_loop import loop
from chasles.integrators.method import Method
from chasles.simulation.time_loop import Setup, TimeLoop, operands, setup

Law = Callable[..., Any]
Torques = Literal["none", "held", "each"]  # no forces beside the law's, the same in all steps, one a step
CHUNK = 32  # states that one call keeps


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
            carried = run.several(k, state, tau, float(steps), every, torques)
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
        kernel = cost_kernel(of, steps, torques)
        return Kernel(gradients_program(_program(kernel), by), "rollout_gradient")
    inputs = _inputs(of, steps if torques else 0)

    def beside(q: Any, qd: Any, dt: Any, t0: Any, beside_q: Any, **given: Any) -> Any:
        tau = given.pop("tau", None)
        run = TimeLoop(of, dt, t0, given)
        return {"cost": run.cost(run.system.integrate(q, beside_q), qd, tau, steps)}

    moved = compile(beside, **inputs, beside_q=system.n)
    names = tuple("beside_q" if name == "q" else name for name in by)
    whole = Kernel(gradients_program(_program(moved), names), "rollout_gradient")
    outputs = ("cost", *(f"dcost_d{name}" for name in by))

    def rollout_gradient(**given: Any) -> Any:
        return dict(zip(outputs, whole(**given, beside_q=np.zeros(system.n)), strict=True))

    return compile(rollout_gradient, **inputs)


def _program(kernel: Kernel) -> Program:
    assert isinstance(kernel.program, Program)
    return kernel.program


def _inputs(of: Setup, torques: int) -> dict[str, Any]:
    system = of.system
    shapes: dict[str, Any] = {"q": system.nq, "qd": system.n, "dt": (), "t0": ()}
    return shapes | ({"tau": (torques, system.n)} if torques else {}) | of.shapes


class ChunkKernels(NamedTuple):
    """A rollout in chunks of `chunk` states, `every` steps apart.

    begin: (q, qd, dt, t0, tau, ...) -> the method's state; None where that is (q, qd). advance: (step_number,
    last_step, dt, t0, state, tau, ...) -> the step's number, the state, path, velocities, the law's forces where there
    is one, and q, qd and the forces at the end; it goes on from a step over so many states, or to the last step. Beyond
    that, records are 0. A row that is no longer finite ends where it is.
    """

    begin: Kernel | None
    advance: Kernel
    every: int
    chunk: int
    torques: Torques
    law: bool
    state: int


def chunk_kernels(of: Setup, every: int, torques: Torques, chunk: int = CHUNK) -> ChunkKernels:
    """The kernels of a rollout, for any number of steps."""
    n, each = of.system.n, torques == "each"

    def begin(q: Any, qd: Any, dt: Any, t0: Any, **given: Any) -> Any:
        tau = given.pop("tau", 0.0)
        return tuple(TimeLoop(of, dt, t0, given).begin(q, qd, tau))

    start = compile(begin, **_inputs(of, 0), **({} if torques == "none" else {"tau": n}))
    names = tuple(f"method_state{i}" for i in range(len(start.outputs)))

    def advance(step_number: Any, last_step: Any, dt: Any, t0: Any, **given: Any) -> Any:
        start = tuple(given.pop(name) for name in names)
        steady = given.pop("tau", 0.0)
        run = TimeLoop(of, dt, t0, given)

        def several(k: Any, *state: Any, tau: Any = steady) -> Any:
            carried = run.several(k, state, tau, last_step, every, each)
            path, velocities = run.end(k, state)
            record = {"path": path, "velocities": velocities}
            if of.law is not None:
                record["forces"] = run.forces(k, state, tau[0] if each else tau)
            ended = where(carried[0] < last_step, where(carried[0] < k + float(every), 1.0, 0.0), 1.0)
            return carried, {"until": ended, "record": record}

        last, kept = loop(several, (step_number, *start), each={"tau": steady} if each else {}, count=chunk)
        k, state = last[0], last[1:]
        q, v = run.end(k, state)
        end = {"q": q, "qd": v}
        if of.law is not None:
            end["last_forces"] = run.forces(k, state, 0.0 if each else steady)
        return {"step": k, **dict(zip(names, state, strict=True)), **kept["record"], **end}

    shapes: dict[str, Any] = {"step_number": (), "last_step": (), "dt": (), "t0": ()}
    shapes |= {name: o.shape for name, o in zip(names, start.outputs, strict=True)}
    shapes |= {} if torques == "none" else {"tau": (chunk, every, n) if each else n}
    plain = type(of.scheme).begin is Method.begin
    shapes |= of.shapes
    made = compile(advance, **shapes)
    return ChunkKernels(None if plain else start, made, every, chunk, torques, of.law is not None, len(names))
