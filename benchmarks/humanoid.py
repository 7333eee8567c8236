"""A humanoid on a floating base: Talos of example-robot-data, 38 degrees of freedom, in batches beside Pinocchio."""

import os
import time
from functools import partial
from typing import Any

import numpy as np
import peers
import pinocchio as pin
from figures import Figure, Target
from timing import Effort, one_thread

import chasles as ch

BATCH = 1024
COMPILED_IN = {"inverse_dynamics": 2.0, "forward_dynamics": 5.0}  # seconds
SPEEDUP = 15.0


def humanoid(effort: Effort) -> list[Figure]:
    """Nanoseconds each, and seconds to trace and compile without a cache."""
    file = peers.folder() / "talos_data/robots/talos_reduced.urdf"
    robot = ch.load(file).with_base("free")
    model = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(BATCH)])
    v, x = rng.normal(size=(2, BATCH, robot.n))
    swap = [3, 4, 5, 0, 1, 2, *range(6, robot.n)]  # theirs is linear first
    columns = [np.asfortranarray(rows.T) for rows in (q, v[:, swap], x[:, swap])]
    kept = os.environ.get("CHASLES_CACHE_DIR")
    os.environ["CHASLES_CACHE_DIR"] = ""  # compiling is measured
    figures = []
    try:
        for name, call in (("inverse_dynamics", pin.rneaInParallel), ("forward_dynamics", pin.abaInParallel)):
            begin = time.perf_counter()
            kernel = robot.kernel(name)
            ufunc = kernel.ufunc
            spent = time.perf_counter() - begin
            out, theirs = np.empty((BATCH, robot.n)), np.empty((robot.n, BATCH), order="F")
            calls: list[Any] = [
                partial(ufunc, q, v, x, out=out),
                partial(call, 1, pin.ModelPool(model, 1), *columns, theirs),
            ]
            ours, peer = (t / BATCH * 1e9 for t in one_thread(calls, effort))
            off = np.abs(out[:, swap] - theirs.T).max() / np.abs(theirs).max()
            note = f"{kernel.operations.total:,} operations; differs from Pinocchio by {off:.0e}"
            figures.append(
                Figure(f"Talos {name}", ours, "ns", peer, target=Target("speedup", "at least", SPEEDUP), note=note)
            )
            limit = Target("value", "at most", COMPILED_IN[name])
            figures.append(Figure(f"Talos {name}, traced and compiled", spent, "s", target=limit))
    finally:
        if kept is None:
            del os.environ["CHASLES_CACHE_DIR"]
        else:
            os.environ["CHASLES_CACHE_DIR"] = kept
    return figures
