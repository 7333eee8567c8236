"""A humanoid on a floating base: Talos of example-robot-data, 38 degrees of freedom, in batches beside Pinocchio.

Pinocchio by its batch call with one thread where it has one, else by its Python call for each configuration. Batches of
two sizes: three matrices of 38 by 38, as derivatives are, leave the caches at 1,024 rows. The regressor, 100 kB a row,
is stores above all: it is measured beside what plain stores reach (`store_bandwidth.py`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pinocchio as pin
import robots
from figures import Figure, Target
from store_bandwidth import stores
from timing import QUICK, Effort, one_thread

import chasles as ch

BATCHES = (256, 1024)
SPEEDUP = {
    "inverse_dynamics": 28.0,
    "forward_dynamics": 20.0,
    "mass_matrix": 15.0,
    "mass_matrix_inverse": 10.0,
    "inverse_dynamics_derivatives": 10.0,
    "forward_dynamics_derivatives": 10.0,
}
STORES, STORED = 0.7, (32, 1024)  # of the store bandwidth, at least; batches
TOLERANCE = 1e-9
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
FRAME = robots.FRAMES[robots.HUMANOID]

Results = Callable[[Any, Any], tuple[np.ndarray, ...]]  # of what Pinocchio's call returns, and of its data
PARALLEL = {"inverse_dynamics": "rneaInParallel", "forward_dynamics": "abaInParallel"}
CALLS: dict[str, tuple[str, Results]] = {
    "inverse_dynamics": ("rnea", lambda _, data: (data.tau,)),
    "forward_dynamics": ("aba", lambda _, data: (data.ddq,)),
    "mass_matrix": ("crba", lambda _, data: (_symmetric(data.M),)),
    "mass_matrix_inverse": ("computeMinverse", lambda _, data: (_symmetric(data.Minv),)),
    "coriolis_matrix": ("computeCoriolisMatrix", lambda _, data: (data.C,)),
    "jacobian": ("computeFrameJacobian", lambda x, _: (x,)),
    "inverse_dynamics_derivatives": (
        "computeRNEADerivatives",
        lambda _, data: (data.dtau_dq, data.dtau_dv, _symmetric(data.M)),
    ),
    "forward_dynamics_derivatives": (
        "computeABADerivatives",
        lambda _, data: (data.ddq_dq, data.ddq_dv, _symmetric(data.Minv)),
    ),
    "regressor": ("computeJointTorqueRegressor", lambda _, data: (data.jointTorqueRegressor,)),
}


def _symmetric(x: np.ndarray) -> np.ndarray:
    return np.triu(x) + np.triu(x, 1).T  # Pinocchio fills the upper triangle


@dataclass(frozen=True)
class Talos:
    """On both sides."""

    robot: ch.Robot
    model: Any

    @cached_property
    def data(self) -> Any:
        return self.model.createData()

    @property
    def swap(self) -> list[int]:
        """Theirs is linear first."""
        return [*ANGULAR_FIRST, *range(6, self.robot.n)]

    def theirs(self, rows: list[np.ndarray]) -> list[np.ndarray]:
        q, *rest = rows
        return [q, *(np.ascontiguousarray(x[:, self.swap]) for x in rest)]

    def kernel(self, name: str) -> ch.Kernel:
        return self.robot.kernel(name, **robots.options(robots.HUMANOID, name))

    def ours(self, name: str, rows: list[np.ndarray]) -> Callable[[], Any]:
        """The kernel on a batch, into arrays given."""
        kernel = self.kernel(name)
        out = tuple(np.empty((len(rows[0]), *operand.shape)) for operand in kernel.outputs)
        return partial(kernel.ufunc, *rows, out=out)

    def call(self, name: str) -> Callable[..., Any]:
        """Pinocchio's, of one row."""
        call = partial(getattr(pin, CALLS[name][0]), self.model, self.data)
        if name != "jacobian":
            return call
        frame = self.model.getFrameId(FRAME)
        return lambda q: call(q, frame, pin.LOCAL)

    def peer(self, name: str, rows: list[np.ndarray]) -> Callable[[], Any]:
        given = self.theirs(rows)
        if name in PARALLEL:
            columns, out = [np.asfortranarray(x.T) for x in given], np.empty((self.robot.n, len(rows[0])), order="F")
            return partial(getattr(pin, PARALLEL[name]), 1, pin.ModelPool(self.model, 1), *columns, out)
        every, call = list(zip(*map(list, given), strict=True)), self.call(name)

        def loop() -> None:
            for row in every:
                call(*row)

        return loop

    def difference(self, name: str, rows: list[np.ndarray]) -> float:
        """The largest relative difference on some rows; raises above the tolerance."""
        worst, call, kernel = 0.0, self.call(name), self.kernel(name)
        for ours, row in zip(zip(*rows, strict=True), zip(*self.theirs(rows), strict=True), strict=True):
            found, expected = kernel(*ours), CALLS[name][1](call(*row), self.data)
            for x, y in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
                z = self.angular_first(y)
                worst = max(worst, float(np.abs(x - z).max() / np.abs(z).max()))
        if not worst <= TOLERANCE:
            raise SystemExit(f"Talos {name}: {worst:.2g} off Pinocchio, relative; nothing is timed")
        return worst

    def angular_first(self, x: np.ndarray) -> np.ndarray:
        """A result of Pinocchio's in our order, along each axis of velocities or of a twist."""
        orders = {self.robot.n: np.argsort(self.swap), 6: ANGULAR_FIRST}
        for axis, size in enumerate(x.shape):
            x = np.take(x, orders[size], axis) if size in orders else x
        return x


def talos() -> Talos:
    model = pin.buildModelFromUrdf(str(robots.talos_file()), pin.JointModelFreeFlyer())
    return Talos(robots.robot(robots.HUMANOID), model)


def humanoid(effort: Effort) -> list[Figure]:
    """Nanoseconds each; of the regressor, bytes a second beside those of stores."""
    both, figures, quick = talos(), [], effort is QUICK
    for name in list(CALLS)[:3] if quick else CALLS:
        rows = robots.inputs(both.robot, name, max(BATCHES))
        off = both.difference(name, [x[:4] for x in rows])
        note = f"{both.kernel(name).operations.total:,} operations; differs from Pinocchio by {off:.0e}"
        note += "" if name in PARALLEL else "; Pinocchio: its Python call"
        target = Target("speedup", "at least", SPEEDUP[name]) if name in SPEEDUP else None
        for batch in BATCHES:
            given = [x[:batch] for x in rows]
            calls = [both.ours(name, given), both.peer(name, given)]
            ours, peer = (t / batch * 1e9 for t in one_thread(calls, effort))
            figures.append(Figure(f"Talos {name}, batch of {batch}", ours, "ns", peer, target=target, note=note))
    return figures + [_stored(both, batch, effort) for batch in STORED[: 1 if quick else None]]


def _stored(both: Talos, batch: int, effort: Effort) -> Figure:
    rows = robots.inputs(both.robot, "regressor", batch)
    size = 8 * batch * both.robot.kernel("regressor").outputs[0].size
    ours, *others = (size / t * 1e-9 for t in one_thread([both.ours("regressor", rows), *stores(size)], effort))
    target, note = Target("share", "at least", STORES), f"{size / batch / 1e3:.0f} kB a row; share: of the best stores"
    return Figure(
        f"Talos regressor written, batch of {batch}", ours, "GB/s", base=max(others), target=target, note=note
    )
