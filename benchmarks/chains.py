"""Random serial chains: how the cost of a joint, and of compiling it, grows with their length."""

import time
from functools import partial

import numpy as np
from figures import Figure, Target
from timing import Effort, cached_in, one_thread

import chasles as ch
from chasles.report.speed.pinocchio_peer import model as pinocchio_model

BATCH = 4096
FIRST_CALLS = {  # s, at most
    (60, "mass_matrix"): 1.5,
    (60, "coriolis_matrix"): 4.0,
    (100, "mass_matrix"): 4.0,
    (1000, "inverse_dynamics"): 6.0,
    (1000, "forward_dynamics"): 15.0,
}


def chain(n: int, seed: int = 0) -> ch.Robot:
    """n revolute joints about random lines, links of random masses: no zero to profit from."""
    rng = np.random.default_rng(seed)
    T, homes, screws, links = np.eye(4), [], [], []
    for _ in range(n):
        step = np.eye(4)
        step[:3, :3], step[:3, 3] = _rotation(rng), 0.3 * rng.normal(size=3)
        T = T @ step
        U, _, Vt = np.linalg.svd(T[:3, :3])
        T[:3, :3] = U @ Vt
        homes.append(T.copy())
        screws.append(ch.screw(T[:3, 2], T[:3, 3]))
        A = rng.normal(size=(3, 3))
        spread = 0.1 * A @ A.T
        links.append(ch.Link(rng.uniform(0.5, 2.0), 0.1 * rng.normal(size=3), np.trace(spread) * np.eye(3) - spread))
    return ch.Robot.from_screws(screws, homes, links, name=f"chain of {n}")


def per_joint(effort: Effort) -> list[Figure]:
    """Nanoseconds per joint of inverse dynamics, one thread, beside the shortest chain's; traced and compiled anew."""
    import pinocchio as pin

    ours, theirs, notes = [], [], []
    with cached_in(""):
        for n in effort.chains:
            robot = chain(n)
            begin = time.perf_counter()
            kernel = robot.kernel("inverse_dynamics")
            traced = time.perf_counter()
            ufunc = kernel.ufunc
            compiled = time.perf_counter()
            total = kernel.operations.total
            notes.append(
                f"{total:,} operations, traced in {traced - begin:.2f} s, compiled in {compiled - traced:.2f} s"
            )
            rng = np.random.default_rng(1)
            rows = [rng.normal(size=(BATCH, n)) for _ in range(3)]
            ours.append(partial(ufunc, *rows, out=np.empty((BATCH, n))))
            model, _ = pinocchio_model(robot.mechanism)
            columns = [np.asfortranarray(x.T) for x in rows]
            out = np.empty((n, BATCH), order="F")
            theirs.append(partial(pin.rneaInParallel, 1, pin.ModelPool(model, 1), *columns, out))
    each, peers = (
        [t / BATCH / n * 1e9 for t, n in zip(one_thread(calls, effort), effort.chains, strict=True)]
        for calls in (ours, theirs)
    )
    figures = []
    for k, n in enumerate(effort.chains):
        target = None if k == 0 else Target("share", "at most", 1.5 if n <= 30 else 2.0)
        figures.append(Figure(f"{n} joints", each[k], "ns", peers[k], base=each[0], target=target, note=notes[k]))
    return figures


def _rotation(rng: np.random.Generator) -> np.ndarray:
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)
