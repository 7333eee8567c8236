"""Inverse and forward dynamics, mass and Coriolis matrix, in batches beside Pinocchio."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import peers
import pinocchio as pin
from figures import Figure, Target
from timing import Effort, one_thread

import chasles as ch
from chasles import zoo

BATCH, LARGE = 4096, 65536
NAMES = {"inverse_dynamics": 3, "forward_dynamics": 3, "mass_matrix": 1, "coriolis_matrix": 2}  # and their inputs
SPEEDUP = {  # batch targets: UR5 (0.95 of what it was when they were set), Panda
    "inverse_dynamics": (56.0, 50.0),
    "forward_dynamics": (56.0, 40.0),
    "mass_matrix": (57.0, 50.0),
    "coriolis_matrix": (89.0, 50.0),
}
SINGLE = 0.55  # of float64's time, at most: half, and a tenth of that for what does not shrink
OPERATIONS = (400.0, 680.0)


@dataclass(frozen=True)
class Pair:
    """A robot on both sides."""

    title: str
    model: Any

    @cached_property
    def robot(self) -> ch.Robot:
        return peers.robot(self.model)

    @cached_property
    def data(self) -> Any:
        return self.model.createData()

    def inputs(self, name: str, batch: int) -> list[np.ndarray]:
        rng = np.random.default_rng(0)
        rows = [rng.uniform(-np.pi, np.pi, (batch, self.robot.n))]
        rows += [rng.normal(size=(batch, self.robot.n)) for _ in range(2)]
        return rows[: NAMES[name]]

    def ours(self, name: str, rows: list[np.ndarray], dtype: str = "float64") -> Callable[[], Any]:
        """The kernel on a batch, into an array given."""
        kernel = self.robot.kernel(name, dtype=dtype)
        given = [x.astype(dtype) for x in rows]
        return partial(kernel.ufunc, *given, out=np.empty_like(kernel.ufunc(*given)))

    def theirs(self, name: str, rows: list[np.ndarray], threads: int = 1) -> Callable[[], Any]:
        """Pinocchio's batch call into an array given or, where it has none, its Python call for each row."""
        parallel = {"inverse_dynamics": pin.rneaInParallel, "forward_dynamics": pin.abaInParallel}
        if name in parallel:
            columns = [np.asfortranarray(x.T) for x in rows]
            out = np.empty((self.robot.n, len(rows[0])), order="F")
            return partial(parallel[name], threads, pin.ModelPool(self.model, threads), *columns, out)
        every = list(zip(*map(list, rows), strict=True))

        def loop(call: Callable[..., Any], model: Any, data: Any) -> None:
            for row in every:
                call(model, data, *row)

        return partial(loop, CALLS[name], self.model, self.data)


CALLS: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": pin.rnea,
    "forward_dynamics": pin.aba,
    "mass_matrix": pin.crba,
    "coriolis_matrix": pin.computeCoriolisMatrix,
}


def pairs() -> list[Pair]:
    return [Pair("UR5", peers.ur5()), Pair("Panda", peers.panda())]


def check(pair: Pair, tolerance: float = 1e-9) -> float:
    """The largest relative difference over all functions; raises above the tolerance."""
    worst = 0.0
    for name in NAMES:
        rows = pair.inputs(name, 64)
        ours = getattr(pair.robot, name)(*rows)
        theirs = np.array([CALLS[name](pair.model, pair.data, *row).copy() for row in zip(*rows, strict=True)])
        if name == "mass_matrix":  # Pinocchio fills the upper triangle
            theirs = np.triu(theirs) + np.triu(theirs, 1).swapaxes(1, 2)
        difference = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
        if not difference <= tolerance:
            raise SystemExit(f"{pair.title} {name}: {difference:.2g} off Pinocchio, relative; nothing is timed")
        worst = max(worst, difference)
    return worst


def batches(both: list[Pair], effort: Effort) -> list[Figure]:
    """Nanoseconds for one configuration of a batch, one thread."""
    figures = []
    for name in NAMES:
        for k, pair in enumerate(both):
            rows = pair.inputs(name, BATCH)
            times = one_thread([pair.ours(name, rows), pair.theirs(name, rows)], effort)
            ours, theirs = (t / BATCH * 1e9 for t in times)
            target = Target("speedup", "at least", SPEEDUP[name][k])
            note = "" if NAMES[name] == 3 else "Pinocchio: its Python call"
            figures.append(Figure(f"{pair.title} {name}", ours, "ns", theirs, target=target, note=note))
    return figures


def single_precision(both: list[Pair], effort: Effort) -> list[Figure]:
    """The same in float32, beside our own float64."""
    figures = []
    for name in NAMES:
        for pair in both:
            rows = pair.inputs(name, BATCH)
            calls = [pair.ours(name, rows, "float32"), pair.ours(name, rows)]
            single, double = (t / BATCH * 1e9 for t in one_thread(calls, effort))
            target = Target("share", "at most", SINGLE) if name.endswith("dynamics") else None  # not bound by stores
            figures.append(Figure(f"{pair.title} {name}", single, "ns", base=double, target=target))
    return figures


def operations(both: list[Pair]) -> list[Figure]:
    """Operation counts of inverse dynamics, here and for every built-in robot."""
    figures = []
    for k, pair in enumerate(both):
        target = Target("value", "at most", OPERATIONS[k])
        figures.append(_counted(f"{pair.title} (example-robot-data)", pair.robot, target))
    return figures + [_counted(name, ch.load(name)) for name in zoo.names()]


def _counted(title: str, robot: ch.Robot, target: Target | None = None) -> Figure:
    classical = 231 * robot.n - 124  # [ParkBobrowPloen1995] and others: multiplications and additions
    total = robot.kernel("inverse_dynamics").operations.total
    others = [f"{robot.kernel(name).operations.total} {name}" for name in list(NAMES)[1:]]
    return Figure(title, total, "", target=target, base=classical, note="; ".join(others))
