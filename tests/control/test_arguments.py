"""Arguments of the laws: each refusal is one of chasles and names the argument."""

from typing import Any

import numpy as np
import pytest

import chasles as ch
from chasles import control

PARTICLE = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2 - q[1], name="particle")
SWING = ch.ConstrainedSystem(PARTICLE, ch.Constraint.holonomic(lambda q: (q @ q - 1.0) / 2, name="rod"))
ARM = ch.load("planar_3r")
POSE = ARM.forward_kinematics([0.3, 0.4, 0.5])


def still(*sizes: int) -> Any:
    return lambda t: tuple(np.zeros(size) for size in sizes)


LAWS: dict[str, Any] = {
    "hybrid": (control.HybridControl, SWING, still(1, 1, 1), {"K_p": 1.0, "K_v": 1.0, "independent": [0]}),
    "velocity": (control.HybridVelocityControl, SWING, still(1, 1), {"K_p": 1.0, "independent": [0]}),
    "gauge": (control.GaugeControl, SWING, still(1, 1, 1), {"K_p": 1.0, "K_d": 1.0, "independent": [0]}),
    "parallel": (
        control.ParallelControl,
        SWING,
        still(1, 1, 1),
        {"K_p": 1.0, "K_v": 1.0, "independent": [0], "actuated": [0]},
    ),
    "joints": (control.ComputedTorque, ARM, still(3, 3, 3), {"K_p": 1.0, "K_d": 1.0}),
    "acceleration": (control.ResolvedAcceleration, ARM, POSE, {"K_p": 1.0, "K_d": 1.0}),
    "rate": (control.ResolvedRate, ARM, POSE, {"K": 1.0}),
    "tracking": (control.PoseTracking, ARM, POSE, {"K_p": 1.0, "K_d": 1.0}),
}
FORCED, POSED = ("hybrid", "velocity", "gauge"), ("acceleration", "rate", "tracking")
MOVED = (*FORCED, "parallel", "joints")
REFUSED = r"(must|has a nan or an infinity|is not a rectangular array)"
WRONG = ("a", "1.0", ["a"], [[1.0, 2.0], [3.0]], 1j, None, {})


def made(which: str, desired: Any = None, **given: Any) -> Any:
    law, system, wanted, options = LAWS[which]
    return law(system, wanted if desired is None else desired, **{**options, **given})


@pytest.mark.parametrize("which", LAWS)
def test_gains(which: str) -> None:
    made(which)
    for key in (key for key in LAWS[which][3] if key.startswith("K")):
        for wrong in (*WRONG, np.nan, [[np.inf]], np.ones((7, 5))):
            with pytest.raises(ch.ChaslesError, match=f"^{key} {REFUSED}"):
                made(which, **{key: wrong})


@pytest.mark.parametrize("which", FORCED)
def test_forces(which: str) -> None:
    for wrong in (*(x for x in WRONG if x is not None), [np.nan], [1.0, 2.0], lambda t: [np.nan], lambda t: "a"):
        with pytest.raises(ch.ChaslesError, match=f"^force {REFUSED}"):
            made(which, force=wrong)
    for wrong in WRONG:
        with pytest.raises(ch.ChaslesError, match=f"^K_I {REFUSED}"):
            made(which, K_I=wrong)
    with pytest.raises(ch.ModelError, match=r"force must be a function of \(t\)"):
        made(which, force=lambda: [1.0])
    with pytest.raises(ch.ModelError, match=r"measure must be a function of \(t, q, qd, tau\)"):
        made(which, measure=lambda q: [1.0])
    for wrong in ("a", [np.nan]):
        with pytest.raises(ch.ChaslesError, match=f"^integral {REFUSED}"):
            made(which).reset(wrong)
    with pytest.raises(ch.ShapeError, match=r"^what measure returns must be real numbers"):
        made(which, K_I=1.0, measure=lambda *state: "a")(0.0, np.array([0.6, -0.8]), np.zeros(2))


@pytest.mark.parametrize("which", MOVED)
def test_desired_motions(which: str) -> None:
    wanted = LAWS[which][2](0.0)
    with pytest.raises(ch.ModelError, match=r"^desired must be a function"):
        made(which, 3.0)
    with pytest.raises(ch.ModelError, match=r"^desired must be a function of \(t\)"):
        made(which, lambda: wanted)
    for wrong in ("a", np.full(wanted[0].shape, np.nan)):
        with pytest.raises(ch.ChaslesError, match=f"^what desired returns {REFUSED}"):
            made(which, lambda t, wrong=wrong: (wrong, *wanted[1:]))


@pytest.mark.parametrize("which", ["hybrid", "velocity", "gauge", "parallel"])
def test_places(which: str) -> None:
    for wrong in ("a", [np.nan, 0.0], [0.0]):
        with pytest.raises(ch.ChaslesError, match=f"^at {REFUSED}"):
            made(which, at=wrong)
    with pytest.raises(ch.ModelError, match=r"^reference has a nan or an infinity"):
        made("gauge", reference=[np.nan, 0.0])


def test_driven_joints() -> None:
    with pytest.raises(ch.ModelError, match="actuated: 0 driven joints cannot cause all 1 motions of 'particle'"):
        made("parallel", actuated=[])
    for wrong in (["a"], [np.nan]):
        with pytest.raises(ch.ChaslesError, match=f"^preload {REFUSED}"):
            made("parallel", preload=wrong)


@pytest.mark.parametrize("which", POSED)
def test_paths(which: str) -> None:
    none = np.zeros(6)
    for wrong, says in (
        (lambda: POSE, r"path must be a function of \(t\)"),
        (lambda t: (np.full((4, 4), "a"), none, none), "the pose that path.t. returns must be real numbers"),
        (lambda t: (np.zeros((4, 4)), none, none), "the pose that path.t. returns is not a rigid motion"),
        (lambda t: (POSE, "a", none), "the twist of path.t. must be real numbers"),
        (lambda t: (POSE, none, none * np.nan), "the derivative of path.t. has a nan or an infinity"),
    ):
        with pytest.raises(ch.ChaslesError, match=f"^{says}"):
            made(which, wrong)


@pytest.mark.parametrize("key", ["velocity", "effort", "acceleration", "position"])
def test_limits(key: str) -> None:
    for wrong in ("a", ["a", 1.0, 2.0], [1.0, 2.0, 3.0, 4.0]):
        given = (wrong, wrong) if key == "position" else wrong
        with pytest.raises(ch.ChaslesError, match=f"^{key} must"):
            control.Limits(ARM, **{key: given})
    assert np.isinf(control.Limits(ARM, velocity=np.inf).velocity).all()
    assert control.Limits(ARM, position=(-1.0, [1.0, np.inf, 2.0])).upper.tolist() == [1.0, np.inf, 2.0]


def test_a_start_to_follow_from() -> None:
    for wrong in ("a", [np.nan] * 3):
        with pytest.raises(ch.ChaslesError, match=f"^q0 {REFUSED}"):
            made("rate").follow(wrong, 1.0)
