"""Velocities by name, also where some joints have several degrees of freedom."""

from functools import cache

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.constrained.velocities import coordinates_of, rates_are_velocities, velocity_names
from chasles.control import HybridControl, ParallelControl


def at(x, y=0.0, z=0.0):
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


@cache
def legs():
    """A plate on a planar joint, and two sliders beside it that each carry a bar; the bars' ends are on the plate."""
    link = ch.Link(1.0, [0.1, 0.02, 0.0], [0.01, 0.02, 0.03])
    robot = ch.Robot.from_screws(
        [np.zeros(6), ch.prismatic([0, 1, 0]), ch.screw([0, 0, 1], [-1.0, -0.5, 0]), ch.prismatic([0, 1, 0])],
        [at(0.0), at(-1.0, -0.5), at(-1.0, -0.5), at(1.0, 0.6)],
        [link] * 4,
        parents=[-1, -1, 1, -1],
        kinds=["planar", "screw", "screw", "screw"],
        joint_names=["plate", "slide0", "bar0", "slide1"],
        frames={"left": (0, at(-0.2)), "end0": (2, at(-0.2)), "right": (0, at(0.2)), "side": (3, at(1.0, 0.6))},
        name="legs",
    )

    def tips(q):
        left, end = (robot.forward_kinematics(q, f)[:2, 3] for f in ("left", "end0"))
        right, side = (robot.forward_kinematics(q, f)[:2, 3] for f in ("right", "side"))
        return np.concatenate([left - end, [(right - side) @ (right - side) - 1.0]])

    return ch.ConstrainedSystem(robot, ch.Constraint.holonomic(tips, "legs"), start=robot.neutral())


def on(cs, seed=0):
    rng = np.random.default_rng(seed)
    return cs.consistent(cs.integrate(cs.project(cs.neutral()), 0.05 * rng.normal(size=cs.n)), rng.normal(size=cs.n))


def test_names():
    cs = legs()
    names = ("plate[0]", "plate[1]", "plate[2]", "slide0", "bar0", "slide1")
    assert velocity_names(cs.system) == names and not rates_are_velocities(cs.system)
    assert coordinates_of(cs.system) == {2: 2, 3: 3, 4: 4, 5: 5}
    assert rates_are_velocities(ch.load("ur5")) and velocity_names(ch.load("ur5")) == ch.load("ur5").joint_names
    q, qd = on(cs)
    for chosen, picked in (
        (["slide0", "bar0", "slide1"], [3, 4, 5]),
        (["plate"], [0, 1, 2]),
        (["plate[2]", 3, 4], [2, 3, 4]),
    ):
        r = cs.reduced(chosen)
        assert r.names == tuple(names[k] for k in picked)
        assert close(r.of(q, qd), qd[picked]) and close(r.velocities(q, qd[picked]), qd)


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        (["slide0", "slide", "bar0"], "no velocity 'slide'; did you mean 'slide1'?"),
        (["plate", "plate[1]"], "has 'plate[1]' twice"),
        (["plate[3]", 3, 4], "there are plate[0], plate[1], plate[2], slide0, bar0, slide1"),
    ],
)
def test_refused(chosen, says):
    with pytest.raises(ch.ModelError) as error:
        legs().reduced(chosen)
    assert says in str(error.value) or "did you mean 'slide0'" in str(error.value)


def test_control_by_names():
    """Positions of sliders and bars are coordinates beside a joint that has none; the plate's are not."""
    cs = legs()
    q, qd = on(cs)
    x = q[[3, 4, 5]]

    def desired(t):
        return x + 0.1, np.zeros(3), np.zeros(3)

    options = {"K_p": 9.0, "K_v": 6.0, "independent": ["slide0", "bar0", "slide1"], "at": q}
    hybrid = HybridControl(cs, desired, **options)
    assert close(hybrid.error(0.0, q, qd)[0], np.full(3, -0.1))
    driven = ParallelControl(cs, desired, actuated=["slide0", "bar0", "slide1"], **options)
    tau = driven(0.0, q, qd)
    assert not tau[:3].any() and driven.actuated == [3, 4, 5]
    a, b = (cs.forward_dynamics(q, qd, law(0.0, q, qd)).qdd for law in (hybrid, driven))
    assert close(b, a, 1e-8)
    assert ParallelControl(cs, desired, actuated=["plate", "bar0"], **options).actuated == [0, 1, 2, 4]
    with pytest.raises(ch.ModelError, match="not those of coordinates"):
        HybridControl(cs, desired, K_p=9.0, K_v=6.0, independent=["plate"], at=q)
