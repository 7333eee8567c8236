"""Tracking on SE(3) by energy, and in the joints."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson
from scipy.linalg import expm
from support.following import NAMES, errors, path, response, robot, start, state
from support.motions import Ad, hat
from support.sweeps import sweep
from support.tolerances import FINITE_DIFFERENCE, close, small

import chasles as ch
from chasles.control import ComputedTorque, PoseTracking, ResolvedRate


def gains(name: str) -> dict[str, Any]:
    """A stiffness and a damping in proportion to the task's inertia, so that time steps suit all robots."""
    lam = robot(name).task_inertia(start(name))
    return {"K_p": 60.0 * lam, "K_d": 12.0 * lam}


@pytest.mark.parametrize("name", sweep(NAMES, ["tree", "groups"]))
def test_the_reference_and_its_derivative(name: str, rng: np.random.Generator) -> None:
    """dr/dt of (1), against differences of the lift along qd."""
    own, (q, qd), h = robot(name), state(name, 0.5), 1e-6
    X, X_rate = rng.normal(size=(2, 6))
    law = PoseTracking(own, path(name), **gains(name))
    r, rd = law.reference(q, qd, X, X_rate)
    close(r, own.horizontal_lift(q, X), 1e-10)
    ends = [own.horizontal_lift(own.integrate(q, s * qd), X + s * X_rate) for s in (h, -h)]
    close(rd, (ends[0] - ends[1]) / (2 * h), FINITE_DIFFERENCE)


@pytest.mark.parametrize("name", sweep(["panda", "ur5", "tree", "groups"], ["ur5", "groups"]))
def test_energy_is_lost_as_said(name: str) -> None:
    """U falls by the dissipation, to the order of the simulation, on a path and off it."""
    own, (q, qd) = robot(name), state(name)
    law = PoseTracking(own, path(name), null_damping=3.0, **gains(name))
    run = ch.simulate(own, q, qd, law, duration=0.1, dt=1e-3)
    states = list(zip(run.t, run.q, run.qd, strict=True))
    U = np.array([law.energy(*s) for s in states])
    lost = cumulative_simpson([law.dissipation(*s) for s in states], x=run.t, initial=0)
    assert (np.diff(U) <= 0.0).all() and lost[-1] > 0.1 * U[0]
    close(U + lost, np.full(len(U), U[0]), 1e-5)


SOME_ROWS = ["tx ty tz", "rx ry rz", "rx ry tx ty tz", "tz", "ry tx"]


@pytest.mark.parametrize("rows", sweep(SOME_ROWS, ["tx ty tz", "ry tx"]))
def test_energy_of_some_rows_is_lost_as_said(rows: str) -> None:
    """By the rows that are followed, the work of the others taken off; K_p of all others does not count."""
    own, (q, qd) = robot("ur5"), state("ur5", 0.1)
    P, D = 200.0 * np.eye(6), 5.0 * np.eye(6)
    P[3, 4] = P[4, 3] = 50.0
    law = PoseTracking(own, path("ur5"), K_p=P, K_d=D, rows=rows, null_damping=3.0)
    run = ch.simulate(own, q, qd, law, duration=0.02, dt=5e-4, t0=0.4)
    states = list(zip(run.t, run.q, run.qd, strict=True))
    U = np.array([law.energy(*s) for s in states])
    lost = cumulative_simpson([law.dissipation(*s) for s in states], x=run.t, initial=0)
    assert np.ptp(U) > 1e-4 * U[0] and small(U + lost - U[0], 1e-3 * np.ptp(U))
    left_out = np.isin(np.arange(6), [i for i in range(6) if i not in law.rows])
    same = PoseTracking(own, path("ur5"), K_p=P + np.diag(90.0 * left_out), K_d=D + np.diag(left_out), rows=rows,
                        null_damping=3.0)  # fmt: skip
    if min(law.rows) < 3:  # the error of an origin is in space axes, all three
        close(same(0.4, q, qd), law(0.4, q, qd), 1e-12)


def test_the_origin_alone() -> None:
    """It gets onto the path, however the frame turns; all rows of a planar arm are the three that it has."""
    own, (q, qd) = robot("ur5"), state("ur5")
    law = PoseTracking(own, path("ur5"), K_p=400.0, K_d=60.0, rows="tx ty tz")
    run = ch.simulate(own, q, qd, law, duration=0.6, dt=4e-3, every=10)
    found = errors(law, run)
    assert small(found[:, :3], 0.0) and np.abs(found[-1]).max() < 0.2 * np.abs(found[0]).max()
    turned = own.forward_kinematics(run.q[-1])[:3, :3].T @ path("ur5")(run.t[-1])[:3, :3]
    assert np.abs(turned - np.eye(3)).max() > 0.1
    flat, x, v = robot("planar_3r"), np.array([0.4, 1.1, -0.5]), np.array([0.1, 0.2, -0.1])
    hold = flat.forward_kinematics(x + 0.2)
    every, three = (PoseTracking(flat, hold, K_p=40.0, K_d=6.0, rows=rows) for rows in (None, "rz tx ty"))
    close(every(0.0, x, v), three(0.0, x, v), 1e-9)


@pytest.mark.slow
def test_it_gets_onto_the_path_and_stays() -> None:
    own, (q, qd) = robot("ur5"), state("ur5")
    law = PoseTracking(own, path("ur5", 1.5), **gains("ur5"))
    run = ch.simulate(own, q, qd, law, duration=1.5, dt=2e-3, every=10)
    found = np.abs(errors(law, run)).max(axis=1)
    assert found[0] > 0.01 and found[-1] < 0.05 * found[0]
    exact = ch.simulate(own, start("ur5"), np.zeros(6), law, duration=0.3, dt=2e-3)
    assert small(errors(law, exact), 1e-8)


def test_frames_do_not_matter(rng: np.random.Generator) -> None:
    """The space frame never; the tool frame, if gains are carried along as inertias are."""
    arm, (q, qd), G, along = robot("ur5"), state("ur5"), expm(hat(rng.normal(size=6))), path("ur5")
    into, back = Ad(np.linalg.inv(G)), Ad(G)
    P, D = (k * (np.eye(6) + 0.1 * (A + A.T)) for k, A in zip((50.0, 5.0), rng.normal(size=(2, 6, 6)), strict=True))
    law = PoseTracking(arm, along, K_p=P, K_d=D)
    moved = arm.with_tool(arm.mechanism.frame(None).pose @ G)

    def turned(t: float) -> Any:
        return along(t) @ G, into @ along.velocity(t), into @ along.acceleration(t)

    other = PoseTracking(moved, turned, K_p=back.T @ P @ back, K_d=back.T @ D @ back)
    close(other(0.3, q, qd), law(0.3, q, qd), 1e-9)


def test_at_rest_it_is_a_spring(rng: np.random.Generator) -> None:
    """Gravity held, and -J^T F with F near K_p xi."""
    arm, q = robot("panda"), start("panda")
    xi = 1e-6 * rng.normal(size=6)
    law = PoseTracking(arm, arm.forward_kinematics(q) @ expm(-hat(xi)), **gains("panda"))
    pull = arm.gravity_forces(q) - law(0.0, q, np.zeros(7))
    close(pull, arm.jacobian(q).T @ (law.K_p @ xi), 1e-4)
    close(law.energy(0.0, q, np.zeros(7)), xi @ law.K_p @ xi / 2, 1e-6)


@pytest.mark.slow
def test_a_wrong_model_leaves_a_small_error() -> None:
    """A load of five percent of the arm's mass: at rest the spring carries it."""
    arm = robot("ur5")
    plant = arm.with_payload(arm.link_names[-1], 0.05 * arm.total_mass)
    q = start("ur5")
    law = PoseTracking(arm, arm.forward_kinematics(q), K_p=[20.0] * 3 + [800.0] * 3, K_d=[2.0] * 3 + [80.0] * 3)
    run = ch.simulate(plant, q, np.zeros(6), law, duration=1.5, dt=1e-3, every=100)
    at = run.q[-1]
    found = law._at(0.0, at, np.zeros(6)).force
    close(arm.jacobian(at).T @ found, arm.gravity_forces(at) - plant.gravity_forces(at), 2e-2)
    assert np.abs(errors(law, run)[-1]).max() < 0.05


@pytest.mark.parametrize("name", sweep(["panda", "stanford", "tree"], ["tree"]))
def test_computed_torque_is_linear(name: str) -> None:
    own, (q, qd) = robot(name), state(name)
    motion = ResolvedRate(own, path(name), damping=1e-6).follow(start(name), dt=5e-3)
    law = ComputedTorque(own, motion, K_p=60.0, K_d=13.0)
    run = ch.simulate(own, q, qd, law, duration=0.3, dt=5e-3)
    found = np.array([law.error(*s)[0] for s in zip(run.t, run.q, run.qd, strict=True)])
    close(found, response(run.t, *law.error(0.0, q, qd), 60.0, 13.0), 1e-3)


def test_computed_torque_on_groups() -> None:
    own, (q, qd) = robot("groups"), state("groups")
    motion = ResolvedRate(own, path("groups"), damping=1e-6).follow(start("groups"), dt=1e-2)
    law = ComputedTorque(own, motion, K_p=100.0, K_d=20.0)
    run = ch.simulate(own, q, qd, law, duration=0.8, dt=1e-2)
    found = np.abs([law.error(*s)[0] for s in zip(run.t, run.q, run.qd, strict=True)]).max(axis=1)
    assert found[-1] < 0.02 * found[0]


def test_batches() -> None:
    arm, along = robot("panda"), path("panda")
    states = [state("panda", 0.1, seed) for seed in range(3)]
    q, qd = (np.stack([s[k] for s in states]) for k in (0, 1))
    motion = ResolvedRate(arm, along).follow(start("panda"), dt=5e-2)
    for law in (PoseTracking(arm, along, **gains("panda")), ComputedTorque(arm, motion, K_p=10.0, K_d=5.0)):
        for k in range(3):
            close(law(0.3, q, qd)[k], law(0.3, q[k], qd[k]), 1e-11)
    law = PoseTracking(arm, along, **gains("panda"))
    assert law.energy(0.3, q, qd).shape == law.dissipation(0.3, q, qd).shape == (3,)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: PoseTracking(robot("ur5"), np.eye(4), K_p=-1.0, K_d=1.0), "K_p must be symmetric, with no negative"),
        (lambda: PoseTracking(robot("ur5"), np.eye(4), K_p=1.0, K_d=np.eye(6) + np.eye(6, k=1)), "K_d must be symm"),
        (lambda: PoseTracking("ur5", np.eye(4), K_p=1.0, K_d=1.0), "robot must be"),  # type: ignore[arg-type]
        (lambda: ComputedTorque("ur5", lambda t: 0, K_p=1.0, K_d=1.0), "robot must be"),  # type: ignore[arg-type]
        (lambda: ComputedTorque(robot("ur5"), 3, K_p=1.0, K_d=1.0), "desired must be"),  # type: ignore[arg-type]
        (lambda: ComputedTorque(robot("ur5"), lambda t: 0, K_p=1.0, K_d=1.0), r"desired\(t\) must return"),
        (lambda: ComputedTorque(robot("ur5"), lambda t: [np.zeros(5)] * 3, K_p=1.0, K_d=1.0), "what desired returns"),
    ],
)
def test_refusals(call: Any, says: str) -> None:
    with pytest.raises((ch.ModelError, ch.ShapeError), match=says):
        call()
