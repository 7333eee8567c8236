"""Laws in rollouts: those that are traced, and those that are refused by their names with the way to `simulate`."""

import math
import re

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles import control, paths

DT = 0.01
ARM = ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0])
SWING = ch.ConstrainedSystem(
    ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2 - q[1], name="particle"),
    ch.Constraint.holonomic(lambda q: (q @ q - 1.0) / 2, name="rod"),
)


def waving(t):
    """A desired motion, of a traced t too."""
    phase = np.array([1.0, 2.0])
    return np.sin(phase * t), phase * np.cos(phase * t), -(phase**2) * np.sin(phase * t)


def test_computed_torque(rng):
    law = control.ComputedTorque(ARM, waving, K_p=100.0, K_d=[20.0, 25.0])
    q, v = rng.normal(size=(2, 3, 2))
    own, other = ARM.rollout(q, v, law, dt=DT, steps=50), ARM.simulate(q, v, law, duration=0.5, dt=DT)
    assert close(own.q, other.q, 1e-12) and close(own.tau, other.tau, 1e-10)


def test_gravity_compensation_and_gains_that_change(rng):
    def law(t, q, qd, K, D=2.0):
        return ARM.gravity_forces(q) - K * q - D * qd

    q = rng.normal(size=(4, 2))
    own = ARM.rollout(q, np.zeros(2), law, dt=DT, steps=40, K=[10.0, 20.0])
    other = ARM.simulate(q, np.zeros(2), lambda *x: law(*x, np.array([10.0, 20.0])), duration=0.4, dt=DT)
    assert close(own.q, other.q, 1e-12)
    damped = ARM.rollout(q, np.zeros(2), law, dt=DT, steps=40, K=[10.0, 20.0], D=8.0)
    assert np.abs(damped.qd).max() < np.abs(own.qd).max()


def test_a_law_may_return_a_list_or_a_number():
    arrays = ARM.rollout([0.1, 0.2], [0.0, 0.0], lambda t, q, qd: np.stack([q[0], q[0]]), dt=DT, steps=5)
    for law in (lambda t, q, qd: [q[0], q[0]], lambda t, q, qd: q[0], lambda t, q, qd: q[:1]):
        assert close(ARM.rollout([0.1, 0.2], [0.0, 0.0], law, dt=DT, steps=5).q, arrays.q)


def test_a_law_with_limits():
    """`chasles.where` and np.clip are traced: effort that saturates."""

    def law(t, q, qd):
        return np.clip(-100.0 * q, -0.5, 0.5)

    own = ARM.rollout([0.5, -0.2], [0.0, 0.0], law, dt=DT, steps=30)
    assert close(own.q, ARM.simulate([0.5, -0.2], [0.0, 0.0], law, duration=0.3, dt=DT).q, 1e-12)
    assert (np.abs(own.tau) <= 0.5).all()


POSES = [ARM.forward_kinematics(q) for q in ([0.3, 0.5], [0.9, 0.7], [0.1, 1.2])]
CURVES = {
    "screw": paths.screw(POSES[0], POSES[1], 0.3),
    "geodesic": paths.geodesic(POSES[0], POSES[1], 0.3, "cubic"),
    "reversed": paths.screw(POSES[0], POSES[1], 0.3).reversed(),
    "joined": paths.screw(POSES[0], POSES[1], 0.2) + paths.geodesic(POSES[1], POSES[2], 0.2),
}


@pytest.mark.parametrize("name", CURVES)
def test_paths_of_a_traced_time(name):
    """Poses and twists, before the start and after the end too."""
    path, t = CURVES[name], np.linspace(-0.1, 0.6, 15)
    for one, other in zip(ch.compile(lambda t: tuple(path.motion(t)), t=())(t), path.motion(t), strict=True):
        assert close(one, other, 1e-12)
    several = ch.compile(lambda t: path(t), t=(2, 2))(t[:4].reshape(2, 2))
    assert close(several, path(t[:4].reshape(2, 2)), 1e-12)


@pytest.mark.slow
def test_a_law_along_a_path():
    """A spring from the tool to a path."""
    path = CURVES["joined"]

    def law(t, q, qd):
        at = path.motion(t)
        J = ARM.jacobian(q, expressed="mixed")[3:]
        off = ARM.forward_kinematics(q)[:3, 3] - at.pose[:3, 3]
        return ARM.gravity_forces(q) - J.T @ (50.0 * off) - 5.0 * qd

    def eager(t, q, qd):
        return law(t, q, qd)

    start = [0.3, 0.5], [0.0, 0.0]
    own, other = ARM.rollout(*start, law, dt=DT, steps=50), ARM.simulate(*start, eager, duration=0.5, dt=DT)
    assert close(own.q, other.q, 1e-11)


def with_if(t, q, qd):
    if q[0] > 0.0:
        return -q
    return q


def with_solve(t, q, qd):
    return np.linalg.solve(np.eye(2), q)


def with_float(t, q, qd):
    return math.sin(q[0]) * qd


def with_filled_array(t, q, qd):
    out = np.zeros(2)
    out[0] = q[1]
    return out


def with_an_error(t, q, qd):
    return {}["gain"]


TRACED = {
    with_if: "law with_if cannot be compiled into a rollout, at line .*if q.0. > 0.0.*chasles.where",
    with_solve: "law with_solve .*np.linalg.solve is not known to the tracer",
    with_float: r"law with_float .*math.sin\(q\[0\]\).*not a number yet",
    with_filled_array: "law with_filled_array .*out.0. = q.1.",
    with_an_error: "law with_an_error .*KeyError: 'gain'",
    control.PoseTracking(ARM, CURVES["screw"], K_p=1.0, K_d=1.0): "law PoseTracking cannot be compiled",
    control.ResolvedAcceleration(ARM, CURVES["screw"], K_p=1.0, K_d=1.0, rows="tx ty"): "law ResolvedAcceleration ",
    control.ComputedTorque(
        ARM, control.JointMotion(ARM, np.array([0.0, 1.0]), np.zeros((2, 2)), np.zeros((2, 2))), K_p=1.0, K_d=1.0
    ): "law ComputedTorque cannot be compiled into a rollout: t must be a finite number",
}


@pytest.mark.parametrize("law", TRACED, ids=lambda law: getattr(law, "__name__", type(law).__name__))
def test_what_cannot_be_traced(law):
    """The law is named, the line where it is the user's, and `simulate`, which takes it."""
    for method in ("rk4", "semi_implicit"):
        with pytest.raises(ch.TraceError, match=TRACED[law]) as error:
            ARM.rollout([0.3, 0.5], [0.0, 0.0], law, dt=DT, steps=2, method=method)
        assert "chasles.simulate takes any law" in str(error.value)
    with pytest.raises(ch.TraceError, match=TRACED[law]):
        ch.Rollout(ARM, law, steps=2)
    if law is not with_an_error:
        assert np.isfinite(ARM.simulate([0.3, 0.5], [0.0, 0.0], law, duration=2 * DT, dt=DT).q).all()


def test_laws_that_keep_something():
    def hanging(t):
        return np.array([0.6]), np.zeros(1), np.zeros(1)

    law = control.HybridControl(SWING, hanging, K_p=4.0, K_v=4.0, independent=[0], force=[0.0], K_I=0.5)
    with pytest.raises(ch.TraceError, match=r"law HybridControl .*keeps something.*chasles.simulate"):
        SWING.rollout([0.6, -0.8], [0.0, 0.0], law, dt=DT, steps=2)


WRONG = {
    "law <lambda> returns None": lambda t, q, qd: None,
    "law <lambda> must return an array of shape (2,), got (3,)": lambda t, q, qd: np.zeros(3),
    "law <lambda> must return an array of shape (2,), got ()": lambda t, q, qd: "fast",
    "law <lambda> must be a function of (t, q, qd), got one of (t, q)": lambda t, q: q,
    "missing a required argument: 'K'. Parameters of it are given by their names": lambda t, q, qd, K: q,
}


@pytest.mark.parametrize("message", WRONG)
def test_what_laws_must_return_and_take(message):
    with pytest.raises(ch.ChaslesError) as error:
        ARM.rollout([0.3, 0.5], [0.0, 0.0], WRONG[message], dt=DT, steps=2)
    assert message in str(error.value)


@pytest.mark.parametrize("found", [np.zeros(3), np.zeros((2, 1)), np.zeros((1, 1))], ids=np.shape)
def test_wrong_shapes_of_one_joint(found):
    """To which one number would be broadcast."""
    mass = ch.LagrangianSystem(1, lambda q, qd: qd @ qd / 2)

    def pushed(t, q, qd):
        return found * q[0]

    told = re.escape(f"law pushed must return an array of shape (1,), got {found.shape}")
    with pytest.raises(ch.ShapeError, match=told):
        mass.rollout([0.0], [0.0], pushed, dt=DT, steps=2)
    with pytest.raises(ch.ShapeError, match=told):
        ch.Rollout(mass, pushed, steps=2)


def nothing(t, q, qd):
    return q


LOCKED = ch.load("planar_2r").with_locked(dict.fromkeys(ch.load("planar_2r").joint_names, 0.0))
NONE = np.zeros(0)


@pytest.mark.parametrize(
    "moved",
    [
        lambda: LOCKED.step(NONE, NONE, NONE, dt=DT),
        lambda: LOCKED.rollout(NONE, NONE, dt=DT, steps=2),
        lambda: ch.Rollout(LOCKED, steps=2),
        lambda: ch.simulate(LOCKED, NONE, NONE, duration=2 * DT, dt=DT),
        lambda: ch.simulate(LOCKED, NONE, NONE, nothing, duration=2 * DT, dt=DT),
        lambda: ch.simulate(LOCKED, NONE, NONE, duration=2 * DT, method="dormand_prince", tolerance=1e-6),
        lambda: control.PredictiveSampling(LOCKED, nothing, dt=DT, horizon=2, samples=2, noise=1.0),
    ],
)
def test_robots_without_joints(moved):
    with pytest.raises(ch.ModelError, match="'planar_2r' has no joints: nothing moves"):
        moved()
