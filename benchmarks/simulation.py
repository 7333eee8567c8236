"""Simulation: rollouts, single steps and gradients, beside MuJoCo's and Pinocchio's: `python benchmarks/simulation.py`.

The same robots on all sides, the same method, one thread, no contacts, no limits; nothing is recorded on the way.
MuJoCo steps a batch by `mujoco.batch`, with the steps inside its own loop, and one robot by `mj_step`. Pinocchio has no
integrators: the Runge-Kutta method is written with NumPy around `abaInParallel` on whole batches.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import mujoco
import mujoco.batch
import numpy as np
import peers
import pinocchio as pin
from constrained import four_bar as loops_of_four_bar
from figures import Figure, Target, show
from rich.console import Console
from timing import FULL, QUICK, Effort, one_thread

import chasles as ch
from chasles.report.speed import mujoco_peer

DT = 1e-3
BATCH, STEPS = 1024, 20
MANY = 5000  # steps of one motion
INTEGRATORS = {"rk4": mujoco.mjtIntegrator.mjINT_RK4, "semi_implicit": mujoco.mjtIntegrator.mjINT_EULER}
AGREED = 1e-6  # of the change of q over a rollout, beside peers


def batches(effort: Effort) -> list[Figure]:
    """RK4 steps of a Panda batch, from random states without forces."""
    model = peers.panda()
    robot = peers.robot(model)
    q, v = states(robot, BATCH)
    ours = partial(ch.Rollout(robot, steps=STEPS, every=STEPS), q, v, dt=DT)
    batch = mujoco.batch.Batch(with_method(mujoco_peer.model(robot.mechanism), "rk4"), BATCH, nthread=1)
    mj = partial(stepped_by_mujoco, batch, q, v)
    ours_end = ours().q[:, -1]
    pinocchio = partial(stepped_by_pinocchio, pin.ModelPool(model, 1), q, v)
    agree("Panda", ours_end - q, {"mujoco": mj() - q, "pinocchio": pinocchio() - q})
    own, *others = (t / BATCH / STEPS * 1e9 for t in one_thread([ours, mj, pinocchio], effort))
    bounds = {"mujoco": 40.0, "pinocchio": 30.0}
    return [
        Figure(f"Panda, RK4 step of a batch, beside {name}", own, "ns", other, of=name, target=at_least(bound))
        for (name, bound), other in zip(bounds.items(), others, strict=True)
    ]


def single_steps(effort: Effort) -> list[Figure]:
    """One UR5 and one four-bar, stepped from Python without a law, beside mj_step."""
    robot, loops = peers.robot(peers.ur5()), loops_of_four_bar()
    start, closed = [x[0] for x in states(robot, 1)], [x[0] for x in loops.state[:2]]
    cases = [
        ("UR5, RK4", robot, start, mujoco_peer.model(robot.mechanism), "rk4", 8.0),
        ("UR5, semi-implicit", robot, start, mujoco_peer.model(robot.mechanism), "semi_implicit", 4.0),
        ("four-bar, RK4", loops.constrained, closed, mujoco.MjModel.from_xml_string(loops._mjcf()), "rk4", 4.0),
    ]
    figures = []
    for title, system, (q, v), model, method, bound in cases:
        data: Any = mujoco.MjData(with_method(model, method))
        data.qpos[:], data.qvel[:] = q, v
        many = partial(ch.simulate, system, q, v, duration=MANY * DT, dt=DT, method=method, every=MANY)
        one = partial(system.step, q, v, dt=DT, method=method)
        whole, own, other = (t * 1e9 for t in one_thread([many, one, partial(mujoco.mj_step, model, data)], effort))
        for name, value in ((f"{title}, a step of simulate", whole / MANY), (f"{title}, a call of step", own)):
            figures.append(Figure(name, value, "ns", other, of="mujoco", target=at_least(bound)))
    return figures


def four_bar(effort: Effort) -> list[Figure]:
    """A batch of four-bars by RK4, the constraint exact here and soft there."""
    loops = loops_of_four_bar()
    q, v = (x[:256] for x in loops.state[:2])
    model = with_method(mujoco.MjModel.from_xml_string(loops._mjcf()), "rk4")
    ours = partial(ch.Rollout(loops.constrained, steps=STEPS, every=STEPS), q, v, dt=DT)
    theirs = partial(stepped_by_mujoco, mujoco.batch.Batch(model, len(q), nthread=1), q, v)
    own, other = (t / len(q) / STEPS * 1e9 for t in one_thread([ours, theirs], effort))
    return [Figure("four-bar, RK4 step of a batch", own, "ns", other, of="mujoco", target=at_least(4.0))]


def variational(effort: Effort) -> list[Figure]:
    """Steps of the variational integrator, each link."""
    figures = []
    for title, model in (("UR5", peers.ur5()), ("Panda", peers.panda())):
        robot = peers.robot(model)
        rollout = ch.Rollout(robot, steps=STEPS, every=STEPS, method="variational")
        ours = partial(rollout, *states(robot, BATCH), dt=2 * DT)
        (own,) = (t / BATCH / STEPS / robot.n * 1e9 for t in one_thread([ours], effort))
        figures.append(
            Figure(
                f"{title}, variational step of a batch, each link", own, "ns", target=Target("value", "at most", 100)
            )
        )
    return figures


def gradients(effort: Effort) -> list[Figure]:
    """The gradient of a rollout of 100 steps, over the rollout itself: its cost alone."""
    arm = peers.robot(peers.panda())
    whole = arm.with_inertial_parameters(ch.symbols("inertias", shape=(arm.n, 10)))
    figures = []
    for title, robot, extra, bound in (
        ("state, torques and gains", arm, (), 5.0),
        ("all inertias too", whole, ("inertias",), 8.0),
    ):
        rollout = ch.Rollout(
            robot,
            lambda t, q, qd, K: -K * qd,
            steps=100,
            parameters={"K": (arm.n,)},
            cost=lambda t, q, qd, tau: q @ q + 0.1 * (qd @ qd) + 1e-3 * (tau @ tau),
        )
        q, v = states(arm, 64)
        values = {name: arm.inertial_parameters for name in extra} | {"K": np.full(arm.n, 2.0)}
        given = (q, v, np.zeros((100, arm.n)))
        by = ("q", "qd", "tau", "K", *extra)
        calls = [
            partial(rollout.gradient, *given, by=by, dt=DT, **values),
            partial(rollout.cost, *given, dt=DT, **values),
        ]
        own, base = (t / len(q) * 1e6 for t in one_thread(calls, effort))
        name = f"Panda, gradient of 100 RK4 steps by {title}"
        figures.append(Figure(name, own, "us", base=base, target=Target("share", "at most", bound), of="the rollout"))
    return figures


def at_least(bound: float) -> Target:
    return Target("speedup", "at least", bound)


def states(robot: ch.Robot, rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.uniform(-1.0, 1.0, (rows, robot.nq)), rng.normal(size=(rows, robot.n))


def with_method(model: Any, method: str) -> Any:
    """The model, which from now on is stepped so."""
    model.opt.integrator, model.opt.timestep = INTEGRATORS[method], DT
    return model


def stepped_by_mujoco(batch: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Where the steps lead, as a copy."""
    qpos, qvel = batch.bind("qpos"), batch.bind("qvel")
    qpos[:], qvel[:] = q, v
    batch.step(nstep=STEPS)
    return qpos.copy()


def stepped_by_pinocchio(pool: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The same, by NumPy around abaInParallel, whose rows are columns."""
    x, u, tau = np.asfortranarray(q.T), np.asfortranarray(v.T), np.zeros_like(v.T, order="F")

    def acceleration(x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return pin.abaInParallel(1, pool, x, u, tau)

    h = DT
    for _ in range(STEPS):
        a1 = acceleration(x, u)
        u2 = u + a1 * (h / 2)
        a2 = acceleration(x + u * (h / 2), u2)
        u3 = u + a2 * (h / 2)
        a3 = acceleration(x + u2 * (h / 2), u3)
        u4 = u + a3 * h
        a4 = acceleration(x + u3 * h, u4)
        x, u = x + (u + 2.0 * (u2 + u3) + u4) * (h / 6), u + (a1 + 2.0 * (a2 + a3) + a4) * (h / 6)
    return x.T


def agree(title: str, ours: np.ndarray, others: dict[str, np.ndarray]) -> None:
    """Stop where a peer's motion is another."""
    for name, theirs in others.items():
        off = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
        if not off <= AGREED:
            raise SystemExit(f"{title}: {off:.2g} off {name}, relative; nothing is timed")


SECTIONS: dict[str, Callable[[Effort], list[Figure]]] = {
    "Batches": batches,
    "One step from Python": single_steps,
    "Closed loops": four_bar,
    "Variational": variational,
    "Gradients": gradients,
}


def simulation(effort: Effort) -> list[Figure]:
    """All figures."""
    return [figure for section in SECTIONS.values() for figure in section(effort)]


def main() -> dict[str, list[Figure]]:
    """The figures by section, printed."""
    ch.set_num_threads(1)
    effort = QUICK if "--quick" in sys.argv else FULL
    screen = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    found = {title: section(effort) for title, section in SECTIONS.items()}
    for title, figures in found.items():
        if figures:
            show(screen, title, figures)
    return found


if __name__ == "__main__":
    main()
