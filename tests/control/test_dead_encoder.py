"""A nan in one joint, also one that the task does not depend on, is nan in all that a law returns."""

from typing import Any

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.control import (
    ComputedTorque,
    GaugeControl,
    HybridControl,
    HybridVelocityControl,
    JointMotion,
    ParallelControl,
    PoseTracking,
    ResolvedAcceleration,
    ResolvedRate,
)
from chasles.control.law import ForceLaw

ARM = ch.load("planar_3r").with_gravity([0.0, 0.0, 0.0])
Q, QD = np.array([0.3, 0.5, -0.4]), np.array([0.1, 0.2, -0.1])
ELBOW = ARM.link_names[1]  # the last joint does not move it
TASK: dict[str, Any] = {"frame": ELBOW, "rows": "tx ty"}
POSE = ARM.forward_kinematics(Q, ELBOW)
WEIGHTS = np.array([1.0, 2.0, 3.0]) / 2.0
GANTRY = ch.Robot.from_screws(  # of which no joint moves another
    [ch.prismatic(axis) for axis in np.eye(3)], [np.eye(4)] * 3, [ch.Link(1.0, inertia=(0.1, 0.1, 0.1))] * 3
)
FREE = ch.LagrangianSystem(3, lambda q, qd: np.sum(WEIGHTS * qd * qd))
TIED, TIED_QD = np.array([0.2, 0.2, 0.1]), np.array([0.1, 0.1, 0.3])
ROD = ch.ConstrainedSystem(FREE, ch.Constraint.holonomic(lambda q: q[0] - q[1], "tie"))


def still(m: int) -> Any:
    return lambda t: (np.zeros(m), np.zeros(m), np.zeros(m))


LAWS = {
    "acceleration": lambda: ResolvedAcceleration(ARM, POSE, K_p=4.0, K_d=4.0, inverse="moore-penrose", **TASK),
    "limits": lambda: ResolvedAcceleration(ARM, POSE, K_p=4.0, K_d=4.0, limits=ch.control.Limits(ARM), **TASK),
    "pose": lambda: PoseTracking(ARM, POSE, K_p=4.0, K_d=4.0, frame=ELBOW),
    "computed": lambda: ComputedTorque(ARM, lambda t: (Q, QD, QD), K_p=4.0, K_d=4.0),
    "gantry": lambda: ComputedTorque(GANTRY, lambda t: (Q, QD, QD), K_p=4.0, K_d=4.0),
    "hybrid": lambda: HybridControl(ROD, still(2), K_p=4.0, K_v=4.0, independent=[0, 2]),
    "velocity": lambda: HybridVelocityControl(ROD, lambda t: still(2)(t)[:2], K_p=4.0, independent=[0, 2]),
    "gauge": lambda: GaugeControl(ROD, still(2), K_p=4.0, K_d=4.0, independent=[0, 2]),
    "parallel": lambda: ParallelControl(ROD, still(2), actuated=[0, 2], K_p=4.0, K_v=4.0, independent=[0, 2]),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_laws(name: str, wrong: float) -> None:
    """Alone, and as one row of three, which changes no other."""
    law = LAWS[name]()
    q, qd = (TIED, TIED_QD) if isinstance(law, ForceLaw) else (Q, QD)
    right = law(0.0, q, qd)
    assert np.isfinite(right).all()
    for k in range(3):
        for broken in ("q", "qd"):
            given = {"q": np.stack([q] * 3), "qd": np.stack([qd] * 3)}
            given[broken][1, k] = wrong
            with np.errstate(invalid="ignore"):
                assert np.isnan(law(0.0, given["q"][1], given["qd"][1])).all(), (broken, k)
                found = law(0.0, given["q"], given["qd"])
            assert np.isnan(found[1]).all() and close(found[[0, 2]], np.stack([right] * 2), 1e-12), (broken, k)


def test_errors_and_velocities() -> None:
    """Of a frame before the joint: what the laws are made of is nan too."""
    law, rate = LAWS["acceleration"](), ResolvedRate(ARM, POSE, inverse="moore-penrose", **TASK)
    broken = np.array([0.3, 0.5, np.nan])
    assert np.isfinite(ARM.forward_kinematics(broken, ELBOW)).all()
    with np.errstate(invalid="ignore"):
        assert np.isnan(law.error(0.0, broken, QD)[0][3:]).all()
        assert np.isnan(law.error(0.0, Q, broken)[1][3:]).all()
        assert np.isnan(law.acceleration(0.0, broken, QD)[3:]).all()
        assert np.isnan(law.acceleration(0.0, Q, broken)[3:]).all()
        assert np.isnan(rate.velocity(0.0, broken)[3:]).all() and np.isnan(rate(0.0, broken)).all()
    with pytest.raises(ch.ModelError, match="q0 has a nan"):
        rate.follow(broken, duration=1.0)


def test_motions_and_poses_that_are_not_numbers() -> None:
    with pytest.raises(ch.ModelError, match=r"^q has a nan"):
        JointMotion(ARM, np.array([0.0, 1.0]), np.full((2, 3), np.nan), np.zeros((2, 3)))
    with pytest.raises(ch.ModelError, match=r"^qd has a nan"):
        JointMotion(ARM, np.array([0.0, 1.0]), np.zeros((2, 3)), np.full((2, 3), np.nan))
    lost = POSE.copy()
    lost[0, 0] = np.nan

    def seen(t: float) -> Any:
        return (lost if t > 0.5 else POSE), np.zeros(6), np.zeros(6)

    with pytest.raises(ch.ModelError, match=r"the pose that path\(t\) returns has a nan"):
        ResolvedRate(ARM, seen, **TASK)(1.0, Q)


def test_a_simulation_names_it() -> None:
    """A sensor that fails on the way."""
    law = LAWS["acceleration"]()

    def seen(t: float, q: Any, qd: Any) -> Any:
        return law(t, np.where(np.arange(3) == 2, np.nan if t > 0.05 else q, q), qd)

    with pytest.raises(ch.SimulationError, match=r"control returned .nan, nan, nan. for t = 0.06"):
        ch.simulate(ARM, Q, QD, seen, duration=0.1, dt=0.02)
