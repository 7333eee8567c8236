"""Derivatives, regressors and the tensors of the geometry, beside Pinocchio's Python calls where it has them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from dynamics import BATCH, Pair
from figures import Figure, Target
from timing import Effort, one_thread

PEERS: dict[str, Callable[..., Any]] = {
    "inverse_dynamics_derivatives": pin.computeRNEADerivatives,
    "forward_dynamics_derivatives": pin.computeABADerivatives,
    "regressor": pin.computeJointTorqueRegressor,
}
SPEEDUP = {"inverse_dynamics_derivatives": 20.0, "forward_dynamics_derivatives": 15.0, "regressor": 12.0}
TENSORS = {"christoffel_symbols": ("Panda", 1000.0), "riemann_curvature": ("UR5", 5000.0)}  # at most, in ns
OPERATIONS = {"inverse_dynamics_derivatives": 3500.0}  # of the Panda, at most


def _inputs(pair: Pair, count: int, batch: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    rows = [rng.uniform(-np.pi, np.pi, (batch, pair.robot.n))]
    return [*rows, *(rng.normal(size=(batch, pair.robot.n)) for _ in range(count - 1))]


def _ours(pair: Pair, name: str, rows: list[np.ndarray]) -> Callable[[], Any]:
    kernel = pair.robot.kernel(name)
    results = kernel.ufunc(*rows)
    out = tuple(map(np.empty_like, results)) if isinstance(results, tuple) else np.empty_like(results)
    return partial(kernel.ufunc, *rows, out=out)


def _theirs(pair: Pair, name: str, rows: list[np.ndarray]) -> Callable[[], Any]:
    every, call = list(zip(*map(list, rows), strict=True)), PEERS[name]

    def loop() -> None:
        for row in every:
            call(pair.model, pair.data, *row)

    return loop


def check(pair: Pair, tolerance: float = 1e-9) -> float:
    """The largest relative difference from Pinocchio; raises above the tolerance."""
    worst = 0.0
    for row in zip(*_inputs(pair, 3, 16), strict=True):
        pin.computeRNEADerivatives(pair.model, pair.data, *row)
        found = pair.robot.inverse_dynamics_derivatives(*row)
        pairs = [(found.dtau_dq, pair.data.dtau_dq.copy()), (found.dtau_dqd, pair.data.dtau_dv.copy())]
        pin.computeABADerivatives(pair.model, pair.data, *row)
        forward = pair.robot.forward_dynamics_derivatives(*row)
        pairs += [(forward.dqdd_dq, pair.data.ddq_dq.copy()), (forward.dqdd_dqd, pair.data.ddq_dv.copy())]
        pairs.append((pair.robot.regressor(*row), pin.computeJointTorqueRegressor(pair.model, pair.data, *row).copy()))
        worst = max(worst, *(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs))
    if not worst <= tolerance:
        raise SystemExit(f"{pair.title} derivatives: {worst:.2g} off Pinocchio, relative; nothing is timed")
    return worst


def batches(both: list[Pair], effort: Effort) -> list[Figure]:
    """Nanoseconds for one configuration of a batch, one thread; Pinocchio by its Python call."""
    figures = []
    for name, least in SPEEDUP.items():
        for pair in both:
            rows = _inputs(pair, 3, BATCH)
            ours, theirs = (
                t / BATCH * 1e9 for t in one_thread([_ours(pair, name, rows), _theirs(pair, name, rows)], effort)
            )
            operations = f"{pair.robot.kernel(name).operations.total} operations"
            target = Target("speedup", "at least", least) if pair.title == "Panda" else None
            figures.append(Figure(f"{pair.title} {name}", ours, "ns", theirs, target=target, note=operations))
    return figures


def tensors(both: list[Pair], effort: Effort) -> list[Figure]:
    """Nanoseconds for one configuration of a batch, one thread."""
    figures = []
    for name, (title, most) in TENSORS.items():
        for pair in both:
            rows = _inputs(pair, 1, BATCH)
            (ours,) = (t / BATCH * 1e9 for t in one_thread([_ours(pair, name, rows)], effort))
            operations = f"{pair.robot.kernel(name).operations.total} operations"
            target = Target("value", "at most", most) if pair.title == title else None
            figures.append(Figure(f"{pair.title} {name}", ours, "ns", target=target, note=operations))
    return figures


def operations(both: list[Pair]) -> list[Figure]:
    """How many operations the Panda's derivatives are."""
    panda = next(pair for pair in both if pair.title == "Panda")
    return [
        Figure(f"Panda {name}", panda.robot.kernel(name).operations.total, "", target=Target("value", "at most", most))
        for name, most in OPERATIONS.items()
    ]
