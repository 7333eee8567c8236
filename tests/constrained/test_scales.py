"""Constraints in any units: what is satisfied does not depend on them; and functions that say nothing of velocities."""

import numpy as np
import pytest
from support.loops import four_bar, four_bar_angles, planar
from support.tolerances import close

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


def sphere_and_wall(scale, one):
    def h(q):
        return np.stack([scale * (q @ q - 1.0), q[0] - 0.1])

    parts = [ch.Constraint.holonomic(lambda q, k=k: h(q)[k], f"h{k}") for k in (0, 1)]
    system = ch.LagrangianSystem(3, lambda q, qd: (qd @ qd) / 2, name="particle")
    return ch.ConstrainedSystem(system, ch.Constraint.holonomic(h, "h") if one else sum(parts))


@pytest.mark.parametrize("one", [True, False], ids=["one function", "two"])
def test_rows_of_quite_different_sizes(one):
    """What is smaller than rounding of the other is refused, and all else is right."""
    for scale in (1e11, 1e13, 1e14):
        cs = sphere_and_wall(scale, one)
        q, qd = cs.consistent([0.6, 0.5, 0.4], [1.0, 0.2, 0.0])
        assert close(q[0], 0.1, 1e-11) and close(q @ q, 1.0, 1e-11) and abs(q @ qd) < 1e-11 and abs(qd[0]) < 1e-11
    with pytest.raises(ch.ModelError, match=r"constraint h(1|\[1\]): its rows are less than 1e-15 times as long"):
        sphere_and_wall(1e16, one)


def test_rounding_of_large_rows_is_none():
    """Three equations of a planar robot, the last of which is rounding, times a million."""
    robot = four_bar()
    tilted = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1e-16], [0.0, -1e-16, 1.0]])
    for scale in (1e-3, 1.0, 1e6):
        pin = ch.Constraint.holonomic(
            lambda q, s=scale: s * tilted @ (robot.forward_kinematics(q, "tip0")[:3, 3] - [0.9, 0.0, 0.0]), "pin"
        )
        assert ch.ConstrainedSystem(robot, pin).row_names == ("pin[0]", "pin[1]")


def test_micrometres_in_metres():
    """A rod of a micrometre: off by as much as itself is off, whatever 1e-6 is elsewhere."""
    r = 1e-6
    rod = ch.Constraint.holonomic(lambda q: (q @ q - r**2) / 2, "rod")
    cs = ch.ConstrainedSystem(particle(), rod, start=[r, 0.0])
    for off in (1.9, 1.01):
        with pytest.raises(ch.ModelError, match="constraint rod is not satisfied: off by"):
            ch.simulate(cs, [off * r, 0.0], [0.0, r], duration=1e-3, dt=1e-4)
    run = ch.simulate(cs, [(1.0 + 1e-6) * r, 0.0], [0.0, r], duration=1e-3, dt=1e-4)
    assert np.abs(np.linalg.norm(run.q[1:], axis=-1) / r - 1.0).max() < 1e-5


def test_a_step_where_none_brings_it_nearer():
    """From the top of a hill, all parts of Newton's step lead too far; one of length one leads off it."""
    hill = ch.Constraint.holonomic(lambda q: 1.0 + q[0] ** 2 - q[0] ** 4, "hill")
    cs = ch.ConstrainedSystem(particle(), hill)
    q = cs.project([[1e-12, 0.4], [2.0, -1.0]])
    assert close(np.abs(q[:, 0]), np.full(2, np.sqrt((1.0 + np.sqrt(5.0)) / 2.0)), 1e-11) and close(
        q[:, 1], [0.4, -1.0]
    )


def test_configurations_do_not_fly_off():
    """Beside where a gradient vanishes Newton's step is as long as you like, and what it meets there is rounding."""
    half = ch.Constraint.holonomic(lambda q: np.cos(q[0]) - 0.5, "half")
    cs = ch.ConstrainedSystem(particle(), half)
    for x in np.random.default_rng(0).uniform(1e-11, 1e-10, 20):
        try:
            assert abs(cs.project([x, 0.0])[0]) < 1e8
        except ch.ModelError as error:
            assert "q cannot be brought onto the constraints: half" in str(error)


def test_not_a_number_is_refused_without_warnings():
    root = ch.Constraint.holonomic(lambda q: np.sqrt(q[0]) - q[1], "root")
    cs = ch.ConstrainedSystem(particle(), root, start=[1.0, 1.0])
    with pytest.raises(ch.ModelError, match="constraint root is not satisfied: off by nan"):
        ch.simulate(cs, [-1.0, 1.0], [0.0, 0.0], duration=0.1)
    with pytest.raises(ch.ModelError, match="root stays off by nan"):
        cs.project([-1.0, 1.0])
    with pytest.raises(ch.ModelError, match=r"no configuration of 'particle' found .* nowhere is off by up to nan"):
        ch.ConstrainedSystem(particle(), ch.Constraint.holonomic(lambda q: np.sqrt(-1.0 - q[0] ** 2), "nowhere"))


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


# ready-made rows whose gradient vanishes on the constraint


def test_flat_rows_that_follow_are_dropped():
    """A link held at home by where its end is: along itself the end does not move, to first order."""
    robot = planar([(0.0, 0.0)], [(0.4, 0.5)], [(1.0, 0.8)])
    held = ch.Constraint.distance("base", "tip0", 0.9) + ch.Constraint.fixed({"joint01": 0.0})
    cs = ch.ConstrainedSystem(robot, held)
    assert cs.row_names == ("fixed.joint01",) and cs.redundancy.dropped_names == ("distance",)
    run = ch.simulate(cs, *cs.consistent([0.3, 0.0], [1.0, 0.0]), duration=0.1)
    assert abs(run.q[-1, 0] - 0.3) > 1e-3 and np.abs(cs.residual(run.q)).max() < 1e-12
    cs.inverse_dynamics(run.q[-1], run.qd[-1], cs.forward_dynamics(run.q[-1], run.qd[-1], np.zeros(2)).qdd)


def test_flat_rows_that_do_not_follow_are_refused():
    robot = planar([(0.0, 0.0)], [(0.4, 0.5)], [(1.0, 0.8)])
    with pytest.raises(ch.ModelError, match="constraint distance: its gradient is zero wherever it is satisfied"):
        ch.ConstrainedSystem(robot, ch.Constraint.distance("base", "tip0", 0.9))
