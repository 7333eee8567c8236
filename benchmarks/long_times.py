"""Long motions by the variational integrator: what becomes of energy and momenta over ten million steps.

    python benchmarks/long_times.py [--steps 10000000] [--dt 2e-3] [--method variational] [--json FILE] [systems ...]

No torque and no friction. Each system runs in rows from different starts, side by side, with its state handed from
chunk to chunk as it is. Energy: means and maxima over ten blocks of the run, the largest difference of two of them in
units of the band, the largest less the least of all samples. Momentum: the largest change from the start, over its
size, up to a hundredth, a tenth and the end of the run, and the power of the number of steps with which it grows,
fitted to root mean squares of rows and windows from the first hundredth on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import peers

import chasles as ch
from chasles import integrators
from chasles.graph.trace_loop import loop
from chasles.integrators.equations import equations

ROWS = 8  # the lanes of a vector
HANGING = np.array([0.0, 2.9224, -0.0238, -0.4964, 0.7249, 2.4140, -0.8993])  # of a Panda
SAMPLES = 1000  # of a chunk
BLOCKS = 10


class Case(NamedTuple):
    """A robot, starts (rows, nq) and (rows, n), and what a motion keeps, of traced (q, v, p)."""

    robot: ch.Robot
    q: np.ndarray
    v: np.ndarray
    kept: Callable[[Any, Any, Any], Any]


def panda() -> Case:
    """Swinging about where it hangs, on its base: the momentum about the vertical axis of the first joint is kept."""
    rng = np.random.default_rng(0)
    q = HANGING + 0.05 * rng.normal(size=(ROWS, 7))
    v = np.array([0.1, *6 * [0.0]]) + 0.02 * rng.normal(size=(ROWS, 7))
    return Case(ch.load("panda"), q, v, lambda q, v, p: p[:1])


def falling_panda() -> Case:
    """The same, falling from a pose in front of it: wild, with its wrist at up to a hundred radians a second."""
    rng = np.random.default_rng(0)
    q = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.8]) + 0.2 * rng.normal(size=(ROWS, 7))
    v = np.array([1.0, *6 * [0.0]]) + 0.1 * rng.normal(size=(ROWS, 7))
    return Case(ch.load("panda"), q, v, lambda q, v, p: p[:1])


def quadruped() -> Case:
    """Solo, floating, without gravity: its linear momentum is kept, and the angular one about its centre of mass."""
    path = peers.folder() / "solo_description/robots/solo12.urdf"
    robot = ch.load(path).with_base("free").with_gravity([0.0, 0.0, 0.0])
    rng = np.random.default_rng(1)
    q = np.stack([robot.neutral()] * ROWS)
    q[:, 7:] = rng.uniform(-1.0, 1.0, (ROWS, robot.n - 6))

    def kept(q: Any, v: Any, p: Any) -> Any:
        here = np.concatenate([np.zeros(3), q[3:]])  # it travels far, and what is the same everywhere is looked at here
        return robot.centroidal_momentum_matrix(here) @ v

    return Case(robot, q, rng.normal(size=(ROWS, robot.n)), kept)


def heavy_top() -> Case:
    """Of a symmetric top on a point, the momenta about the vertical and about its own axis are kept."""
    link = ch.Link(1.0, (0.0, 0.0, 0.1), (0.002, 0.002, 0.001))
    robot = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [link], kinds=["spherical"], name="heavy top")
    rng = np.random.default_rng(2)
    q = robot.normalize(np.array([0.2, 0.1, 0.0, 1.0]) + 0.1 * rng.normal(size=(ROWS, 4)))
    v = np.array([0.0, 1.0, 60.0]) + rng.normal(size=(ROWS, 3))

    def kept(q: Any, v: Any, p: Any) -> Any:
        R = robot.forward_kinematics(q)[:3, :3]
        return np.stack([(R @ p)[2], p[2]])

    return Case(robot, q, v, kept)


CASES = {"panda": panda, "falling": falling_panda, "quadruped": quadruped, "heavy top": heavy_top}


def run(case: Case, steps: int, dt: float, method: str) -> dict[str, Any]:
    """The figures of a motion of so many steps."""
    every = max(steps // (100 * SAMPLES), 1)
    chunks = steps // (every * SAMPLES)
    start, chunk = kernels(case, method, every)
    *state, momentum = start(case.q, case.v)
    size = np.linalg.norm(momentum, axis=-1)
    energies, drifts, began = [], [], time.perf_counter()
    for _ in range(chunks):
        *state, energy, found = chunk(*state, dt)
        energies.append(energy)
        drifts.append(np.linalg.norm(found - momentum[:, None], axis=-1) / size[:, None])
    spent = time.perf_counter() - began
    return figures(np.concatenate(energies, 1), np.concatenate(drifts, 1), every, spent / (chunks * every * SAMPLES))


def kernels(case: Case, method: str, every: int) -> tuple[Any, Any]:
    """(q, v) -> a state and its momentum; (a state, dt) -> that SAMPLES times `every` steps later, energy, momentum."""
    robot, scheme = case.robot, integrators.find(method)
    law = equations(robot, lambda t, q, v: np.zeros(robot.n))

    def begin(q: Any, v: Any) -> Any:
        state = scheme.begin(law, 0.0, q, v)
        return {**dict(zip("abcdefgh", state, strict=False)), "momentum": case.kept(q, v, state[1])}

    start = ch.compile(begin, q=robot.nq, v=robot.n)
    shapes: Any = {o.name: o.shape for o in start.outputs[:-1]}

    def chunk(dt: Any, **state: Any) -> Any:
        def several(*state: Any) -> Any:
            def step(*state: Any) -> Any:
                return scheme.step(law, 0.0, state, dt)

            state = loop(step, state, count=every)
            q, v = scheme.end(law, 0.0, state)
            energy = robot.kinetic_energy(q, v) + robot.potential_energy(q)
            return state, {"record": {"energy": energy, "momentum": case.kept(q, v, state[1])}}

        last, how = loop(several, tuple(state.values()), count=SAMPLES)
        return {**dict(zip(state, last, strict=True)), **how["record"]}

    return start, ch.compile(chunk, **shapes, dt=())


def figures(energy: np.ndarray, drift: np.ndarray, every: int, seconds: float) -> dict[str, Any]:
    """energy, drift: (rows, samples), one a so many steps."""
    samples = energy.shape[1] // BLOCKS * BLOCKS
    blocks = energy[:, :samples].reshape(len(energy), BLOCKS, -1)
    band = np.ptp(energy, axis=1)
    at = [samples // 2**k for k in range(7, -1, -1)]
    grown = [float(np.sqrt(np.mean(drift[:, k // 2 : k] ** 2))) for k in at]
    power = np.polyfit(np.log(at), np.log(grown), 1)[0] if all(grown) else 0.0
    return {
        "steps": samples * every,
        "band": float((band / np.abs(energy).max(axis=1)).max()),
        "block_means_over_band": float((np.ptp(blocks.mean(axis=-1), axis=1) / band).max()),
        "block_maxima_over_band": float((np.ptp(blocks.max(axis=-1), axis=1) / band).max()),
        "momentum_drift": {k * every: float(drift[:, :k].max()) for k in (samples // 100, samples // 10, samples)},
        "momentum_growth": float(power),
        "us_per_step_and_row": seconds / len(energy) * 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Long motions by the variational integrator")
    parser.add_argument("systems", nargs="*", default=list(CASES))
    parser.add_argument("--steps", type=int, default=10_000_000)
    parser.add_argument("--dt", type=float, default=2e-3)
    parser.add_argument("--method", default="variational")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    ch.set_num_threads(1)
    found = {}
    print(f"{given.method}, dt = {given.dt:g} s")
    print("system          steps  energy band  means   maxima  momentum up to 1%, 10%, 100%  growth  us a step")
    for name in given.systems:
        r = found[name] = run(CASES[name](), given.steps, given.dt, given.method)
        drift = "  ".join(f"{x:.1e}" for x in r["momentum_drift"].values())
        print(
            f"{name:10} {r['steps']:10d}  {r['band']:11.2e}  {r['block_means_over_band']:6.2%}  "
            f"{r['block_maxima_over_band']:6.2%}  {drift:28}  {r['momentum_growth']:6.2f}  "
            f"{r['us_per_step_and_row']:9.2f}",
            flush=True,
        )
    if given.json:
        given.json.write_text(json.dumps({"method": given.method, "dt": given.dt, "systems": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
