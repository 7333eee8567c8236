"""Parts of a snapshot: robots, systems and the user's functions, and the examples' output.

Inputs are random and the same in every run: seeded by the names of the robot and of what is computed. Batches of three
rows by the kernels, the first row alone by the robot's method. A kernel of more than LIMIT operations is not compiled;
its operations are still counted. What raises an error of ours is kept as its message.
"""

import dataclasses
import re
import subprocess
import sys
import warnings
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import chasles as ch
from chasles.catalogue import catalogue
from chasles.zoo import names as zoo

ROOT = Path(__file__).parents[1]
LIMIT, BATCH = 12_000, 3
VARIED = ("pendulum", "scara", "planar_3r", "stanford", "ur5", "panda", "free", "branched")  # with all variants
EXPRESSED = ("velocity", "acceleration", "classical_acceleration", "jacobian", "jacobian_derivative", "task_inertia")
WRENCHES = ("inverse_dynamics", "joint_wrenches", "bias_forces", "forward_dynamics", "inverse_dynamics_derivatives")
SINGLE = ("forward_kinematics", "jacobian", "inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix")
BY_INERTIA = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "kinetic_energy", "coriolis_matrix")
FUSED = (("mass_matrix", "bias_forces"), ("forward_kinematics", "jacobian", "inverse_dynamics"))
TIMES = re.compile(r"\b[\d.,]+ (ns|us|ms)\b")


def names() -> list[str]:
    """The parts, those that take longest first."""
    largest = ["panda", "ur5", "branched", "free"]
    robots = [*largest, "systems", *(name for name in reversed(zoo()) if name not in largest)]
    return [*robots, *sorted(path.stem for path in (ROOT / "examples").glob("[0-9]*.py"))]


def compute(name: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays and the texts of a part."""
    warnings.simplefilter("ignore", ch.ModelWarning)
    record = Record(name)
    if (path := ROOT / "examples" / f"{name}.py").exists():
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300)
        record.texts["stdout"] = TIMES.sub(r"# \1", done.stdout)
        record.texts["exit"] = f"{done.returncode} {done.stderr[-2000:]}"
    elif name == "systems":
        import snapshot_systems

        snapshot_systems.systems(record)
    else:
        robot = MADE[name]() if name in MADE else ch.load(name)
        functions(record, robot)
        if name in VARIED:
            variants(record, robot)
            methods(record, robot)
        inverse_kinematics(record, robot)
    return record.arrays, record.texts


class Record:
    """Results by name."""

    def __init__(self, part: str) -> None:
        self.part = part
        self.arrays: dict[str, np.ndarray] = {}
        self.texts: dict[str, str] = {}

    def rng(self, name: str) -> np.random.Generator:
        return np.random.default_rng(zlib.crc32(f"{self.part}/{name}".encode()))

    def attempt(self, name: str, call: Callable[[], Any]) -> Any:
        """Keep what a call returns, or the message of its error; the value is handed on."""
        try:
            value = call()
        except (ch.ChaslesError, np.linalg.LinAlgError) as error:
            self.texts[name] = f"{type(error).__name__}: {error}"
            return None
        self.keep(name, value)
        return value

    def keep(self, name: str, value: Any) -> None:
        """Numbers as arrays, names as texts, of whatever they are in."""
        if isinstance(value, (str, bool, type(None))):
            self.texts[name] = str(value)
        elif isinstance(value, (np.ndarray, float, int, np.generic)):
            self.arrays[name] = np.array(value, order="C")
        elif isinstance(value, (tuple, list)) and value and all(isinstance(x, str) for x in value):
            self.texts[name] = ", ".join(value)
        elif isinstance(value, Mapping):
            for key, x in value.items():
                self.keep(f"{name}.{key}", x)
        elif isinstance(value, (tuple, list)):
            for key, x in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
                self.keep(f"{name}.{key}", x)
        elif dataclasses.is_dataclass(value):
            self.keep(name, {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.name[0] != "_"})
        else:
            self.texts[name] = type(value).__name__

    def kernel(self, name: str, robot: Any, make: Callable[[], Any]) -> tuple[Any, list[np.ndarray]] | None:
        """A kernel's operations and results for a batch; the kernel with its inputs, unless it is refused or large."""
        try:
            made = make()
        except ch.ChaslesError as error:
            self.texts[name] = f"{type(error).__name__}: {error}"
            return None
        inputs, outputs = (
            " ".join(f"{o.name}{list(o.shape)}" for o in operands) for operands in (made.inputs, made.outputs)
        )
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(made.operations.by_kind.items()))
        self.texts[f"{name} operations"] = f"{inputs} -> {outputs}: {made.operations.total}, {kinds}"
        if made.operations.total > LIMIT:
            self.texts[name] = f"skipped: {made.operations.total} operations"
            return None
        rng = self.rng(name)
        given = [self._input(o.name, o.shape, rng, robot).astype(made.dtype) for o in made.inputs]
        self.attempt(name, lambda: made(*given))
        return made, given

    def _input(self, name: str, shape: tuple[int, ...], rng: np.random.Generator, robot: Any) -> np.ndarray:
        if robot is not None and name in ("q", "q0", "q1"):
            return np.stack([robot.random(rng) for _ in range(BATCH)])
        if name == "parameters":  # of the last links
            rows = np.asarray(robot.inertial_parameters).reshape(-1, 10)[-shape[0] :]
            return rows * rng.uniform(0.9, 1.1, (BATCH, 1, 1)) + [1.0, *[0.0] * 3, *[0.1] * 3, *[0.0] * 3]
        return rng.normal(size=(BATCH, *shape))


def functions(record: Record, robot: ch.Robot) -> None:
    """The whole catalogue; of functions that are methods too, one row by the method."""
    for name in catalogue():
        made = record.kernel(name, robot, lambda name=name: robot.kernel(name))
        method = getattr(robot, name, None)
        if made is not None and method is not None:
            record.attempt(f"{name} alone", lambda: method(*(x[0] for x in made[1])))  # noqa: B023 - called at once


def variants(record: Record, robot: ch.Robot) -> None:
    """Frames, expressions, optional inputs, float32, inertias as inputs, functions fused."""
    frame, link = robot.frame_names[0], robot.link_names[-1]
    every = {name: item.optional for name, item in catalogue().items() if hasattr(item, "optional")}

    def add(title: str, functions: Any, **options: Any) -> None:
        record.kernel(title, robot, lambda: robot.kernel(functions, **options))

    for name in EXPRESSED:
        for expressed in ("space", "mixed"):
            add(f"{name} {expressed}", name, expressed=expressed)
        add(f"{name} frame", name, frame=frame, expressed="mixed")
    add("forward_kinematics frame", "forward_kinematics", frame=frame)
    add("task_inertia rows", "task_inertia", rows="tx tz", expressed="mixed")
    for name in WRENCHES:
        optional = tuple(every.get(name, ("tool_wrench", "link_wrenches")))
        add(f"{name} optional", name, inputs=optional)
        add(f"{name} tool", name, inputs="tool_wrench")
    for name in SINGLE:
        add(f"{name} float32", name, dtype="float32")
    for name in BY_INERTIA:
        add(f"{name} parameters", name, parameters=[link])
    add("inverse_dynamics all parameters", "inverse_dynamics", parameters=list(robot.link_names))
    for group in FUSED:
        add(f"{'+'.join(group)} fused", list(group))


def methods(record: Record, robot: ch.Robot) -> None:
    """What is built on kernels: tasks, geodesics, linearisation, what the robot's structure says."""
    rng = record.rng("methods")
    q, q1 = robot.random(rng), robot.random(rng)
    qd, tau, V = rng.normal(size=(2, robot.n)), rng.normal(size=robot.n), rng.normal(size=6)
    near = robot.integrate(q, 0.1 * robot.difference(q, q1))
    calls: dict[str, Callable[[], Any]] = {
        "wrenches by method": lambda: robot.inverse_dynamics(q, qd[0], qd[1], tool_wrench=V),
        "forward with wrench": lambda: robot.forward_dynamics(q, qd[0], tau, tool_wrench=V),
        "moving base": lambda: robot.inverse_dynamics(q, *qd, base_velocity=V, base_acceleration=V[::-1]),
        "christoffel 2": lambda: robot.christoffel_symbols(q, kind=2) if robot.n < 7 else None,
        "mass order 2": lambda: robot.mass_matrix_derivatives(q, order=2) if robot.n < 7 else None,
        "linearize": lambda: robot.linearize(q, qd[0], tau, dt=0.01),
        "factors": lambda: robot.factors(q),
        "base parameters": lambda: robot.base_parameters(),
        "horizontal lift": lambda: robot.horizontal_lift(q, V[:2], rows="tx tz"),
        "jacobian inverse": lambda: robot.jacobian_inverse(q, rows="tx tz", expressed="mixed"),
        "damped": lambda: robot.task_inertia(q, rows="tx tz", damping=0.1),
        "damped bias": lambda: robot.task_bias(q, qd[0], damping=0.1, gravity=False),
        "damped projector": lambda: robot.null_space_projector(q, rows="tx ty", damping=0.1),
        "workspace acceleration": lambda: robot.workspace_acceleration(q, qd[0], tau, rows="tx tz"),
        "singular values": lambda: robot.singular_values(q, metric="inertia", rows="tx tz"),
        "manipulability": lambda: robot.manipulability(q, metric="inertia", rows="tx tz"),
        "brackets": lambda: robot.vertical_brackets(q, rows="tx tz", expressed="mixed"),
        "geodesic": lambda: _samples(robot.geodesic(q, 0.3 * qd[0], duration=0.5)),
        "path energy": lambda: robot.path_energy(np.stack([q, near, q])),
        "distance": lambda: robot.distance(q, near) if robot.n < 5 else None,
        "simulate": lambda: ch.simulate(robot, q, 0.1 * qd[0], duration=0.05, dt=0.01),
    }
    for name, call in calls.items():
        record.attempt(f"method {name}", call)


def _samples(path: Any) -> Any:
    return {key: getattr(path, key) for key in ("t", "q", "qd", "v") if hasattr(path, key)}


def inverse_kinematics(record: Record, robot: ch.Robot) -> None:
    """Poses that are reached: first and all solutions, one alone, rows, and one that is not reached."""
    rng = record.rng("inverse_kinematics")
    q = np.stack([robot.random(rng) for _ in range(20)])
    T = robot.forward_kinematics(q)
    far = T[:2].copy()
    far[:, :3, 3] += 50.0
    solve = robot.inverse_kinematics
    record.attempt("ik first", lambda: solve(T))
    record.attempt("ik alone", lambda: solve(T[0]))
    record.attempt("ik near", lambda: solve(T, q[::-1], limits=False))
    record.attempt("ik place", lambda: solve(T, rows="tx ty tz"))
    record.attempt("ik far", lambda: solve(far, attempts=5))
    record.attempt("ik nan", lambda: solve(np.full((4, 4), np.nan)))
    record.attempt("ik all", lambda: solve(T[:3], solutions="all", attempts=20))


def branched() -> ch.Robot:
    """Two arms on a ball joint: a slide, a helical and a mimic joint, rotors, friction."""
    at = np.eye(4)[None].repeat(6, axis=0)
    at[:, :3, 3] = [[0, 0, 0.1 * k] for k in range(6)]
    screws = [np.zeros(6), ch.screw((0, 1, 0), (0, 0, 0.1)), ch.prismatic((1, 0, 0)), ch.screw((0, 0, 1), (0.2, 0, 0))]
    screws += [ch.screw((1, 0, 0), (0, 0, 0.4)), ch.screw((0, 1, 0), (0, 0.1, 0.5))]
    links = [ch.Link(1.0 + k, (0.1, 0.02 * k, 0.05), (0.02, 0.03, 0.04)) for k in range(6)]
    return ch.Robot.from_screws(
        screws,
        at,
        links,
        [-1, 0, 1, 0, 3, 4],
        at[5],
        tool_link=4,
        kinds=["spherical", *["screw"] * 5],
        joint_names=["ball", "a1", "a2", "b1", "b2", "b3"],
        frames={"hand": (2, at[3])},
        mimics={"b3": ("b2", 0.5, 0.1)},
        damping=[0.0, 0.1, 0.2, 0.3, 0.0, 0.0],
        friction=[0.0, 0.1, 0.0, 0.0, 0.0, 0.0],
        armature=[0.0, 0.01, 0.0, 0.02, 0.0, 0.0],
        name="branched",
    ).with_friction()


def free() -> ch.Robot:
    """Two joints on a base that floats, with a load."""
    links = [ch.Link(1.0 + k, (0.1, 0.02 * k, 0.05), (0.02, 0.03, 0.04)) for k in range(3)]
    screws, homes = [ch.screw((0, 1, 0), (0, 0, 0.1)), ch.screw((1, 0, 0), (0, 0, 0.4))], [np.eye(4)] * 2
    robot = ch.Robot.from_screws(screws, homes, links[1:], base=links[0], name="free").with_base("free")
    return robot.with_payload(robot.link_names[-1], 0.5, (0.0, 0.1, 0.2))


MADE = {"free": free, "branched": branched}
