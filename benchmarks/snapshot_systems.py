"""The part of a snapshot that is no robot's: the user's functions, Lagrangians, constraints."""

import sys
from pathlib import Path
from typing import Any

import numpy as np

import chasles as ch

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from support import loops


def systems(record: Any) -> None:
    compiled(record)
    lagrangian(record)
    constrained(record)


def compiled(record: Any) -> None:
    """Functions by `chasles.compile`, and their derivatives."""
    robot = ch.load("ur5")

    def cost(q: Any, qd: Any) -> Any:
        place = robot.forward_kinematics(q)[:3, 3]
        return np.sum(place**2) + qd @ robot.mass_matrix(q) @ qd / 2 + np.tanh(q[0]) * np.hypot(q[1], q[2])

    def several(x: Any, A: Any, t: Any) -> Any:
        y = np.einsum("ij,j->i", A, np.sin(x)) + t
        bent = ch.where(x > 0.0, np.exp(-x), np.maximum(x, -0.5))
        turned = ch.SO3.exp(ch.Vec3(x[0], x[1], x[2]))
        return {"y": y, "bent": bent / (1.0 + np.abs(x)), "R": turned, "norm": np.linalg.norm(y) ** 1.5}

    made = ch.compile(cost, q=6, qd=6)
    derived = {"cost": made, "gradient": made.gradient("q"), "hessian": made.hessian("q"), "by qd": made.hessian("qd")}
    many = ch.compile(several, x=3, A=(3, 3), t=())
    derived |= {"several": many, "jacobian": many.jacobian("x"), "by A": many.jacobian("A")}
    derived |= {"single": ch.compile(several, dtype="float32", x=3, A=(3, 3), t=())}
    for name in ("inverse_dynamics", "jacobian", "potential_energy"):
        derived[f"d {name}"] = robot.kernel(name).jacobian("q")
    for name, kernel in derived.items():
        record.kernel(f"compile {name}", None, lambda kernel=kernel: kernel)


def lagrangian(record: Any) -> None:
    """A double pendulum, and one that is driven and damped."""

    def L(q: Any, qd: Any) -> Any:
        fast = qd[0] ** 2 + 0.5 * qd[1] ** 2 + qd[0] * qd[1] * np.cos(q[0] - q[1])
        return fast + 9.81 * (2.0 * np.cos(q[0]) + np.cos(q[1]))

    def driven(q: Any, qd: Any, t: Any) -> Any:
        return L(q, qd) + q[0] * np.sin(t)

    rng = record.rng("lagrangian")
    q, qd, tau, t = (rng.normal(size=(3, 2)) for _ in range(4))
    damped = ch.LagrangianSystem(2, driven, dissipation=lambda q, qd: 0.1 * np.sum(qd**2), forces=lambda q, qd: -q)
    for title, system in (("free", ch.LagrangianSystem(2, L)), ("driven", damped)):
        at = (t[:, 0],) if system.depends_on_time else ()
        record.attempt(f"{title} forward", lambda s=system, at=at: s.forward_dynamics(q, qd, tau, *at))
        record.attempt(f"{title} inverse", lambda s=system, at=at: s.inverse_dynamics(q, qd, tau, *at))
        record.attempt(f"{title} mass", lambda s=system, at=at: s.mass_matrix(q, *at))
        record.attempt(f"{title} bias", lambda s=system, at=at: s.bias_forces(q, qd, *at))
        record.attempt(f"{title} energy", lambda s=system, at=at: s.kinetic_energy(q, qd, *at))
        record.attempt(f"{title} motion", lambda s=system: ch.simulate(s, q[0], qd[0], duration=0.05, dt=0.01))


def constrained(record: Any) -> None:
    """Closed loops in the plane, a weld with redundant rows, rolling."""
    bar, cut, arms = loops.four_bar(), loops.cut_four_bar(), loops.three_arms()
    crank = np.array([0.7, 0.9, 1.3])
    closed = loops.four_bar_angles(crank)
    half = np.stack([closed[:, 0], closed[:, 1], np.pi + closed.sum(axis=1), -closed[:, 2]], axis=-1)
    place = np.stack([loops.three_arms_at((0.5, y)) for y in (0.3, 0.35, 0.4)])
    loop = ch.Constraint.loop_closure("tip0", "tip1", "tx ty", name="loop")
    cases = {
        "four-bar": (bar, loops.pinned(bar), closed),
        "three rows": (bar, loops.pinned(bar, rows=3), closed),
        "weld": (cut, loops.welded(cut, pose=loops.HALF_TURN), half),
        "closure": (arms, loop, place),
        "three arms": (arms, loops.three_arms_tied(arms), place),
    }
    for title, (robot, constraint, q) in cases.items():
        rng = record.rng(title)
        tau, qd = rng.normal(size=(2, *q.shape))
        system = ch.ConstrainedSystem(robot, constraint, start=q[0])
        found = record.attempt(f"{title} consistent", lambda s=system, q=q, qd=qd: s.consistent(q, qd))
        if found is None:
            continue
        q, qd = found[0], found[1]
        record.attempt(f"{title} forward", lambda s=system, a=(q, qd, tau): s.forward_dynamics(*a))
        record.attempt(f"{title} alone", lambda s=system, a=(q[0], qd[0], tau[0]): s.forward_dynamics(*a))
        record.attempt(f"{title} projections", lambda s=system, q=q: s.projections(q))
        record.attempt(f"{title} residual", lambda s=system, q=q: s.residual(q))
        record.attempt(f"{title} redundancy", lambda s=system: s.redundancy.describe())
        record.attempt(f"{title} motion", lambda s=system, a=(q[0], qd[0]): ch.simulate(s, *a, duration=0.02, dt=0.01))
