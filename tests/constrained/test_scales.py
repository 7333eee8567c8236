"""Constraints in any units: what is satisfied does not depend on them; and functions that say nothing of velocities."""

import numpy as np
import pytest
from loops import four_bar, four_bar_angles
from tolerances import close

import chasles as ch

g, l = 9.81, 0.7
SCALES = [1e-9, 1e-3, 1.0, 1e6]


def particle(unit=1.0):
    """A particle, its coordinates in metres over `unit`."""
    return ch.LagrangianSystem(2, lambda q, qd: unit**2 * (qd @ qd) / 2 - g * unit * q[1], name="particle")


def rod(scale=1.0, unit=1.0):
    h = ch.Constraint.holonomic(lambda q: scale * (q @ q - (l / unit) ** 2), "rod")
    return ch.ConstrainedSystem(particle(unit), h)


@pytest.mark.parametrize("scale", SCALES)
def test_scaled_functions(scale):
    """Starts off by 1e-4 are refused and by 1e-8 are not; motions agree; what is put back is back."""
    cs = rod(scale)
    a = np.array([0.6, 0.8])
    with pytest.raises(ch.ModelError, match="constraint rod is not satisfied: off by"):
        ch.simulate(cs, (l + 1e-4) * a, [0.0, 0.0], duration=0.1)
    with pytest.raises(ch.ModelError, match="constraint rod is not satisfied by the velocity"):
        ch.simulate(cs, l * a, 1e-4 * a, duration=0.1)
    run = ch.simulate(cs, (l + 1e-8) * a, 1e-8 * a, duration=0.2)
    assert close(run.q, ch.simulate(rod(), l * a, [0.0, 0.0], duration=0.2).q, 1e-6)
    assert np.abs(np.linalg.norm(run.q[1:], axis=-1) - l).max() < 1e-12
    off = np.array([0.5, -0.9])
    assert close(cs.project(off), l * off / np.linalg.norm(off), 1e-11)


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1.0])
def test_other_units_of_coordinates(unit):
    """Metres, millimetres and micrometres: the same motion."""
    cs, a = rod(1.0, unit), np.array([0.6, 0.8])
    q, qd = cs.consistent(0.9 * a / unit, [0.3 / unit, 0.0])
    run = ch.simulate(cs, q, qd, duration=0.3)
    metres = ch.simulate(rod(), *rod().consistent(0.9 * a, [0.3, 0.0]), duration=0.3)
    assert close(unit * run.q, metres.q, 1e-9) and close(unit * run.qd, metres.qd, 1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_rows_of_several_sizes(scale):
    """One of two rows in other units: the same configurations, the same accelerations."""
    robot, weights = four_bar(), np.array([1.0, scale])

    def pinned(w):
        return ch.Constraint.holonomic(lambda q: w * (robot.forward_kinematics(q, "tip0")[:2, 3] - [1.0, 0.0]), "pin")

    one, other = (ch.ConstrainedSystem(robot, pinned(w)) for w in (np.ones(2), weights))
    near = four_bar_angles(np.array([0.4, 1.1])) + 0.05
    q = other.project(near)
    assert np.abs(one.residual(q)).max() < 1e-11
    rng = np.random.default_rng(0)
    (q, qd), tau = other.consistent(q, rng.normal(size=(2, 3))), rng.normal(size=3)
    a, b = one.forward_dynamics(q, qd, tau), other.forward_dynamics(q, qd, tau)
    assert close(b.qdd, a.qdd, 1e-8) and close(weights * b.multipliers, a.multipliers, 1e-7)
    assert close(other.gauge().projections(q)[0], one.projections(q).P_w, 1e-7)


FLAT = {
    "square": lambda q: (q[0] - 1.0) ** 2,
    "small square": lambda q: 1e-6 * (q[0] - 1.0) ** 2,
    "fourth power": lambda q: (q[0] - 1.0) ** 4,
    "sum of squares": lambda q: (q[0] - 1.0) ** 2 + (q[1] - 2.0) ** 2,
    "square of a circle": lambda q: (q @ q - 1.0) ** 2,
    "cosine": lambda q: np.cos(q[0]) - 1.0,
}


@pytest.mark.parametrize("kind", FLAT)
def test_gradient_that_vanishes_is_refused(kind):
    with pytest.raises(ch.ModelError, match="constraint flat: its gradient is zero wherever it is satisfied"):
        ch.ConstrainedSystem(particle(), ch.Constraint.holonomic(FLAT[kind], "flat"))
    with pytest.raises(ch.ModelError, match="give a function whose gradient is not zero where it is"):
        ch.ConstrainedSystem(particle(), ch.Constraint.holonomic(FLAT[kind], "flat"), start=[1.0, 2.0])


def test_gradient_that_vanishes_by_row_and_by_robot():
    both = ch.Constraint.holonomic(lambda q: np.stack([q[0] - 1.0, (q[0] - 1.0) ** 2]), "both")
    with pytest.raises(ch.ModelError, match=r"constraint both\[1\]: its gradient"):
        ch.ConstrainedSystem(particle(), both)
    robot = ch.load("ur5")
    upright = ch.Constraint.holonomic(lambda q: robot.forward_kinematics(q)[2, 2] - 1.0, "upright")
    with pytest.raises(ch.ModelError, match="constraint upright: its gradient"):
        ch.ConstrainedSystem(robot, upright)


@pytest.mark.parametrize(
    "h",
    [
        lambda q: q @ q - 1e-10,  # a small circle
        lambda q: q[0] * q[1],  # whose gradient vanishes at one point
        lambda q: (q[0] - 1.0) ** 3 + 1e-3 * (q[0] - 1.0),
        lambda q: np.exp(20.0 * q[0]) - 1.0,
    ],
)
def test_gradients_that_are_small_somewhere_are_taken(h):
    assert ch.ConstrainedSystem(particle(), ch.Constraint.holonomic(h, "h")).degrees_of_freedom == 1
