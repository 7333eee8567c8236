"""Probes of house.py, each in a process of its own: `python house_probes.py NAME [N]` prints a JSON object.

Modules are counted where LLVM turns them into objects, wherever the caller is. A kernel that has nothing to do with
what is measured is made first, where what every process needs once is not to count. Seconds are the processor's, of
this process, so that a busy machine counts less.
"""

import gc
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import process_time, thread_time
from typing import Any

import numpy as np

import chasles as ch

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from support import loops

Figures = dict[str, float]
BATCH, POSES, ALONE = 4096, 2000, 300
NAMES = {"inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1, "coriolis_matrix": 2}  # and their inputs
MORE = {
    "panda": {"inverse_dynamics_derivatives": 3, "forward_dynamics_derivatives": 3, "regressor": 3},
    "ur5": {"riemann_curvature": 1, "christoffel_symbols": 1},
}


def modules(count: int) -> Figures:
    """How many modules are compiled for what the user asked one of, and for tracing, which runs nothing."""
    panda = ch.load("panda")
    _unrelated()
    figures = {}

    def gradient() -> None:
        energy = ch.compile(lambda q, qd: qd @ panda.mass_matrix(q) @ qd / 2, q=7, qd=7)
        energy.gradient("q")(np.zeros(7), np.ones(7))

    def lagrangian() -> None:
        system = ch.LagrangianSystem(2, _double_pendulum)
        system.forward_dynamics(np.ones(2), np.ones(2), np.ones(2))

    def traced() -> None:
        robot = ch.load("ur5")
        ch.compile(lambda q, qd: robot.mass_matrix(q) @ qd + robot.jacobian(q)[0], q=6, qd=6)

    def consistent() -> None:
        system, q = _four_bar()
        system.consistent(q, np.ones(3))

    calls = {"four-bar": _four_bar, "then its consistent": consistent, "dK/dq": gradient}
    calls |= {"LagrangianSystem(2)": lagrangian, "tracing only": traced}
    for name, call in calls.items():
        with _compiled() as made:
            begin = process_time()
            call()
            figures[f"{name}, s"] = process_time() - begin
        figures[f"{name}, modules"] = len(made)
    return figures


def n_four_bar(count: int) -> Figures:
    """A chain of `count` four-bars, one degree of freedom: seconds from nothing to a first forward dynamics.

    Twice: rods that hang from the bars above, 2 N + 1 joints in a row; and rods that stand, each with a bar.
    """
    figures = {}
    for title, make in (("hanging", _hanging), ("standing", _standing)):
        with _compiled() as made:
            begin = process_time()
            robot, parts, q = make(count)
            system = ch.ConstrainedSystem(robot, sum(parts[1:], parts[0]), start=q)
            figures[f"{title}, built, s"] = process_time() - begin
            still = np.zeros(robot.n)
            system.forward_dynamics(q, still, still)
            figures[f"{title}, first forward dynamics, s"] = process_time() - begin
            system.consistent(q, still)
            figures[f"{title}, and consistent, s"] = process_time() - begin
        figures[f"{title}, modules"] = len(made)
    return figures


def robots(count: int) -> Figures:
    """Robots made, used and dropped one after another: what the process holds."""
    robot, figures, begin = ch.load("planar_2r"), {}, 0.0
    q = np.ones(2)
    for k in range(count + 1):
        if k in (1, count // 2, count):  # the first has loaded what every process needs
            gc.collect()
            figures |= {f"RSS after {k}, MB": _resident(), f"maps after {k}": _maps()}
        if k == 1:
            begin = process_time()
        heavy = robot.with_payload(robot.link_names[-1], 0.1 + 1e-3 * k)
        heavy.inverse_dynamics(q, q, q)
        heavy.forward_dynamics(q, q, q)
        heavy.mass_matrix(q)
        del heavy
    figures["each, ms"] = (process_time() - begin) / count * 1e3
    return figures


def size(count: int) -> Figures:
    """Lines of IR and milliseconds to compile, after another kernel; operations with inertias as inputs."""
    _unrelated()
    figures = {}
    robot = ch.load("ur5")
    makers: dict[str, Callable[[int], Any]] = {
        "UR5 inverse dynamics": lambda k: robot.with_payload(robot.link_names[-1], k + 0.1).kernel("inverse_dynamics"),
        "no operation": lambda k: ch.compile(lambda q: q, q=k + 1),
    }
    for title, make in makers.items():
        traced, compiled = [], []
        for k in range(7):
            begin = process_time()
            kernel = make(k)
            traced.append(process_time() - begin)
            given = [np.zeros(o.shape) for o in kernel.inputs]
            begin = process_time()
            kernel(*given)
            compiled.append(process_time() - begin)
        figures |= {f"{title}, traced, ms": min(traced) * 1e3, f"{title}, first call, ms": min(compiled) * 1e3}
    figures["UR5 inverse dynamics, lines of IR"] = robot.kernel("inverse_dynamics").source.count("\n")
    figures["no operation, lines of IR"] = ch.compile(lambda q: q, q=1).source.count("\n")
    for name in ("ur5", "panda"):
        one = ch.load(name)
        for title, links in (("none", ()), ("last", one.link_names[-1:]), ("all", one.link_names)):
            total = one.kernel("inverse_dynamics", parameters=links).operations.total
            figures[f"{name} inverse dynamics, inertias as inputs: {title}, operations"] = total
    return figures


def speed(count: int) -> Figures:
    """Nanoseconds of calls on one thread, by its own clock: one row by the method, each of a batch by the kernel."""
    ch.set_num_threads(1)
    figures = {}
    for name in ("ur5", "panda"):
        robot, rng = ch.load(name), np.random.default_rng(0)
        rows = [rng.uniform(-3.0, 3.0, (BATCH, robot.n)), *rng.normal(size=(2, BATCH, robot.n))]
        for function, takes in {**NAMES, **MORE[name]}.items():
            if function in NAMES:
                alone = partial(getattr(robot, function), *(x[0].copy() for x in rows[:takes]))
                figures[f"{name} {function}, one call, ns"] = _best(alone) * 1e9
            kernel = robot.kernel(function)
            made = kernel(*rows[:takes])
            out = tuple(made) if isinstance(made, tuple) else made
            figures[f"{name} {function}, batch, ns"] = _best(partial(kernel, *rows[:takes], out=out)) / BATCH * 1e9
    for name in ("panda", "ur5", "iiwa14"):
        robot, rng = ch.load(name), np.random.default_rng(1)
        T = robot.forward_kinematics(np.stack([robot.random(rng) for _ in range(POSES)]))
        batch = _best(partial(robot.inverse_kinematics, T), rounds=5) / POSES
        figures[f"{name} inverse_kinematics, batch, ns"] = batch * 1e9
        figures[f"{name} inverse_kinematics, one call, ns"] = _best(partial(_each, robot, T[:ALONE]), 5) / ALONE * 1e9
    system, q = _four_bar()
    q = np.broadcast_to(q, (BATCH, 3)).copy()
    call = partial(system.forward_dynamics, q, np.zeros_like(q), q)
    figures["four-bar forward_dynamics, batch, ns"] = _best(call) / BATCH * 1e9
    alone = partial(system.forward_dynamics, q[0].copy(), np.zeros(3), q[0].copy())
    figures["four-bar forward_dynamics, one call, ns"] = _best(alone) * 1e9
    return figures


@contextmanager
def _compiled() -> Iterator[list[int]]:
    """The modules that become objects meanwhile, by their bytes."""
    from llvmlite.binding import TargetMachine

    real, made = TargetMachine.emit_object, []

    def counted(self: Any, module: Any) -> bytes:
        code = real(self, module)
        made.append(len(code))
        return code

    TargetMachine.emit_object = counted
    try:
        yield made
    finally:
        TargetMachine.emit_object = real


def _unrelated() -> None:
    robot = ch.load("pendulum")
    robot.kinetic_energy(np.ones(1), np.ones(1))


def _double_pendulum(q: Any, qd: Any) -> Any:
    fast = qd[0] ** 2 + 0.5 * qd[1] ** 2 + qd[0] * qd[1] * np.cos(q[0] - q[1])
    return fast + 9.81 * (2.0 * np.cos(q[0]) + np.cos(q[1]))


def _four_bar() -> tuple[Any, np.ndarray]:
    robot, q = loops.four_bar(), loops.four_bar_angles(np.array(0.7))
    system = ch.ConstrainedSystem(robot, loops.pinned(robot))
    system.forward_dynamics(q, np.zeros(3), np.zeros(3))
    return system, q


def _rods(rods: list[tuple[float, float, int, float]], frames: dict[str, Any]) -> ch.Robot:
    """Rods of 1 m and 1 kg, each with its root (x, y), parent and angle at q = 0."""
    homes = [loops.at(x, y) for x, y, _, _ in rods]
    for T, (*_, a) in zip(homes, rods, strict=True):
        T[:2, :2] = [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]
    screws = [[0.0, 0.0, 1.0, y, -x, 0.0] for x, y, _, _ in rods]
    links, parents = [loops.bar(1.0, 1.0) for _ in rods], [p for *_, p, _ in rods]
    name = "N-four-bar"
    return ch.Robot.from_screws(screws, homes, links, parents, frames=frames, gravity=loops.GRAVITY, name=name)


def _hanging(count: int) -> tuple[ch.Robot, list[ch.Constraint], np.ndarray]:
    rods, frames, a = [(0.0, 0.0, -1, np.pi / 2)], {}, -0.4
    for k in range(1, count + 1):
        rods.append((k - 1.0, 1.0, max(0, len(rods) - 2) if k > 1 else 0, 0.0))
        rods.append((float(k), 1.0, len(rods) - 1, -np.pi / 2))
        frames |= {f"foot{k}": (len(rods) - 1, loops.at(k, 0.0)), f"ground{k}": ("base", loops.at(k, 0.0))}
    robot = _rods(rods, frames)
    ties = [ch.Constraint.loop_closure(f"ground{k}", f"foot{k}", "tx ty", name=f"loop{k}") for k in range(1, count + 1)]
    q = np.zeros(robot.n)
    q[0], q[1], q[2::2] = a, -a, a
    return robot, ties, q


def _standing(count: int) -> tuple[ch.Robot, list[ch.Constraint], np.ndarray]:
    rods, frames = [], {}
    for k in range(count + 1):
        rods.append((float(k), 0.0, -1, 0.0))
        frames[f"rod{k}"] = (len(rods) - 1, loops.at(k + 1.0, 0.0))
        if k < count:
            rods.append((k + 1.0, 0.0, len(rods) - 1, 0.0))
            frames[f"bar{k}"] = (len(rods) - 1, loops.at(k + 2.0, 0.0))
    robot = _rods(rods, frames)
    ties = [ch.Constraint.loop_closure(f"rod{k + 1}", f"bar{k}", "tx ty", name=f"loop{k}") for k in range(count)]
    return robot, ties, np.array([1.2, -1.2] * count + [1.2])


def _each(robot: ch.Robot, poses: np.ndarray) -> None:
    for T in poses:
        robot.inverse_kinematics(T)


def _best(call: Callable[[], Any], rounds: int = 25, least: float = 0.004) -> float:
    """Seconds of a call in the best of several rounds."""
    call()
    begin, times = process_time(), 1
    call()
    times = max(1, int(least / max(process_time() - begin, 1e-9)))
    best = np.inf
    for _ in range(rounds):
        begin = thread_time()
        for _ in range(times):
            call()
        best = min(best, (thread_time() - begin) / times)
    return best


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def _maps() -> int:
    return Path("/proc/self/maps").read_text().count("\n")


PROBES = {"modules": modules, "n_four_bar": n_four_bar, "robots": robots, "size": size, "speed": speed}

if __name__ == "__main__":
    warnings.simplefilter("ignore", ch.ModelWarning)
    print(json.dumps(PROBES[sys.argv[1]](int(sys.argv[2]))))
