"""Independent rows: those that follow from others are dropped, and linkages that move because of their dimensions."""

import numpy as np
import pytest
from support.loops import (
    GRAVITY,
    at,
    bar,
    four_bar,
    four_bar_angles,
    on_circle,
    particle,
    pinned,
    three_arms,
    three_arms_at,
    three_arms_tied,
)
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.constraint.projection import newton_projection
from chasles.constraint.rows import ConstraintRows

Z, CRANK = (0.0, 0.0, 1.0), 0.4
COLLINEAR = ((0.0, 0.0), (0.5, 0.0), (1.1, 0.0))
SPREAD = ((0.0, 0.0), (0.5, 0.1), (1.1, -0.2))


def locomotive(roots, rows="tx ty", pendulum=False):
    """Three parallel cranks of one length on the first of which hangs the rod that the others are pinned to."""
    tips = [(x + CRANK, y) for x, y in roots]
    joints = [roots[0], tips[0], roots[1], roots[2], *([(0.8, 0.0)] if pendulum else [])]
    robot = ch.Robot.from_screws(
        [ch.screw(Z, (*p, 0.0)) for p in joints],
        [at(*p) for p in joints],
        [bar(1.0, CRANK), bar(2.0, 1.1), bar(0.7, CRANK), bar(0.8, CRANK), bar(0.3, 0.5)][: len(joints)],
        parents=[-1, 0, -1, -1, 1][: len(joints)],
        link_names=["crank", "rod", "crank2", "crank3", "pendulum"][: len(joints)],
        gravity=GRAVITY,
        frames={
            f"{on}{k + 1}": (body, at(*tips[k])) for k in (1, 2) for on, body in (("r", "rod"), ("c", f"crank{k + 1}"))
        },
    )
    pins = [ch.Constraint.loop_closure(f"r{k}", f"c{k}", rows=rows, name=f"pin{k}") for k in (2, 3)]
    return robot, pins[0] + pins[1]


ALONG = np.array([1.0, -1.0, 1.0, 1.0])  # the rod moves parallel to itself


@pytest.mark.parametrize("th", sweep([0.7, 1.5, 0.05], [0.05]))
@pytest.mark.parametrize("given", sweep([True, False], [False]), ids=["start", "no start"])
@pytest.mark.parametrize("rows", sweep(["tx ty", "tx ty tz rx ry"], ["tx ty tz rx ry"]))
@pytest.mark.parametrize("roots", [COLLINEAR, SPREAD], ids=["collinear", "spread"])
def test_locomotive(roots, rows, given, th):
    """One degree of freedom of four equations; accelerations beside those of the crank's angle alone."""
    robot, pins = locomotive(roots, rows)
    q, w = th * ALONG, 3.0
    cs = ch.ConstrainedSystem(robot, pins, start=q if given else None)
    assert cs.redundancy.rank == 3 and cs.degrees_of_freedom == 1 and cs.redundancy.left < 1e-7
    tau = np.array([0.3, 0.0, -0.2, 0.1])
    crank = ALONG @ (tau - robot.bias_forces(q, w * ALONG)) / (ALONG @ robot.mass_matrix(q) @ ALONG)
    assert close(cs.forward_dynamics(q, w * ALONG, tau).qdd, crank * ALONG, 1e-7)


def test_locomotive_in_motion():
    robot, pins = locomotive(SPREAD)
    cs = ch.ConstrainedSystem(robot, pins)
    assert np.abs(cs.forward_dynamics(0.0 * ALONG, 3.0 * ALONG, np.zeros(4)).multipliers).max() < 20.0  # flat
    run = ch.simulate(cs, 0.7 * ALONG, 3.0 * ALONG, duration=1.0)
    assert np.abs(cs.residual(run.q)).max() < 1e-10 and close(run.q, run.q[:, :1] * ALONG, 1e-8)
    assert close(run.energy, np.full_like(run.energy, run.energy[0]), 1e-8)


@pytest.mark.parametrize("start", [0.7, 0.05, 0.0, 200 * np.pi, None])
def test_locomotive_with_a_pendulum(start):
    """From anywhere, also where it is flat: there the rank falls, and what is left of it beside is rounding."""
    robot, pins = locomotive(COLLINEAR, pendulum=True)
    q = np.r_[0.7 * ALONG, 0.3]
    cs = ch.ConstrainedSystem(robot, pins, start=None if start is None else np.r_[start * ALONG, 0.3])
    assert cs.redundancy.rank == 3 and cs.degrees_of_freedom == 2
    assert close(cs.reduced([0, 4]).velocities(q, [2.0, 1.0]), np.r_[2.0 * ALONG, 1.0], 1e-9)


def test_assemblies_that_cannot_move():
    """The cranks can be pinned crosswise too, where nothing moves: refused, and not taken for the others."""
    robot, pins = locomotive(SPREAD)
    rows, rng = ConstraintRows(robot, pins.parts), np.random.default_rng(0)
    q, left = newton_projection(rows, np.stack([robot.random(rng) for _ in range(60)]))
    smallest = np.linalg.svd(rows.A(q), compute_uv=False)[:, -1]
    stiff = q[(left < 1e-12) & (smallest > 1e-2)]
    assert len(stiff)
    with pytest.raises(ch.ModelError, match=r"no motion at all at the configurations found; .* start="):
        ch.ConstrainedSystem(robot, pins, start=stiff[0])
    cs = ch.ConstrainedSystem(robot, pins)
    with pytest.raises(ch.ModelError, match=r"an assembly .*: there pin\d\.t. does not follow .* row 1 of the batch"):
        ch.simulate(cs, np.stack([0.7 * ALONG, stiff[0]]), np.zeros(4), duration=0.1)


@pytest.mark.parametrize("power", [2, 4])
def test_shaky_is_not_moving(power):
    """Two curves that touch at the origin and cross elsewhere: at the origin there is a velocity, and no motion."""
    system = ch.LagrangianSystem(2, lambda q, qd: (qd @ qd) / 2, name="particle")
    curves = ch.Constraint.holonomic(lambda q: np.stack([q[1], q[1] - q[0] ** power * (q[0] - 1.0)]), "curves")
    with pytest.raises(ch.ModelError, match="no motion at all"):
        ch.ConstrainedSystem(system, curves)


# the linkage of Bennett: four skew axes, six equations of rank three instead of four

LENGTHS, TWIST = (0.5, 0.8), 0.6
TWISTS = (TWIST, np.arcsin(np.sin(TWIST) * LENGTHS[1] / LENGTHS[0]))


def bennett():
    T, screws, homes, links = np.eye(4), [], [], []
    for k in (0, 1, 0, 1):
        screws.append(ch.screw(T[:3, 2], T[:3, 3]))
        homes.append(T)
        links.append(ch.Link(1.0, (LENGTHS[k] / 2, 0.01, 0.02), (0.01, 0.03, 0.03)))
        c, s, move = np.cos(TWISTS[k]), np.sin(TWISTS[k]), np.eye(4)
        move[1:3, 1:3], move[0, 3] = [[c, -s], [s, c]], LENGTHS[k]
        T = T @ move
    return ch.Robot.from_screws(screws, homes, links, tool=T, name="Bennett's")


def bennett_angles(first):
    """tan(q1 / 2) tan(q2 / 2) = sin((b + a) / 2) / sin((b - a) / 2), q3 = -q1, q4 = -q2."""
    a, b = TWISTS
    second = 2.0 * np.arctan(np.sin((b + a) / 2) / np.sin((b - a) / 2) / np.tan(first / 2))
    return np.stack([first, second, -first, -second], axis=-1)


@pytest.mark.parametrize("given", [True, False], ids=["start", "no start"])
def test_bennett(given):
    robot, first = bennett(), 0.9
    q = bennett_angles(first)
    cs = ch.ConstrainedSystem(robot, ch.Constraint.loop_closure("base", "tool"), start=q if given else None)
    assert cs.degrees_of_freedom == 1 and cs.redundancy.rank == 3 and cs.redundancy.left < 1e-12
    assert np.abs(cs.residual(q)).max() < 1e-14
    h = 1e-4
    slope = (bennett_angles(first + h) - bennett_angles(first - h)) / (2 * h)
    bend = (bennett_angles(first + h) - 2 * q + bennett_angles(first - h)) / h**2
    qd = 1.3 * slope
    force = robot.mass_matrix(q) @ (1.3**2 * bend) + robot.bias_forces(q, qd)
    qdd = -slope * (slope @ force) / (slope @ robot.mass_matrix(q) @ slope) + 1.3**2 * bend
    assert close(cs.forward_dynamics(q, *cs.consistent(q, qd)[1:], np.zeros(4)).qdd, qdd, 1e-6)


def test_not_all_configurations_are_flat():
    """Of what is found near a crossing of branches, some is on one of them."""
    robot, pins = locomotive(COLLINEAR)
    q, left = newton_projection(ConstraintRows(robot, pins.parts), 0.1 * np.random.default_rng(0).normal(size=(60, 4)))
    assert ((left <= 1e-12) & (np.abs(q[:, 0]) > 1e-3)).sum() > 15


def test_joints_are_not_unwound():
    """Newton's steps beside a fall of the rank are long, and random angles are no solution."""
    robot = bennett()
    rows, rng = ConstraintRows(robot, ch.Constraint.loop_closure("base", "tool").parts), np.random.default_rng(0)
    start = np.stack([robot.neutral(), *(robot.random(rng) for _ in range(59))])
    q, left = newton_projection(rows, start)
    assert (left <= 1e-12).sum() > 50 and np.abs(q - start)[left <= 1e-12].max() < 20.0
    far = ch.ConstrainedSystem(robot, ch.Constraint.fixed({0: 4400.0}))  # though they may be if that is asked
    assert close(far.project(np.zeros(4)), [4400.0, 0.0, 0.0, 0.0])


def test_turns_are_no_scale():
    """However often a crank has turned, what is off is off, and is put back."""
    robot = four_bar()
    cs = ch.ConstrainedSystem(robot, pinned(robot))
    q, one = four_bar_angles(0.8), np.array([0.0, 0.0, 1.0])
    for turns in (1e3, 1e5):
        q[0] += 2 * np.pi * turns
        cs.refuse_inconsistent(q, np.zeros(3))
        with pytest.raises(ch.ModelError, match=r"constraint pin\[\d\] is not satisfied: off by"):
            cs.refuse_inconsistent(q + 1e-5 * one, np.zeros(3))
        rounding = 1e-15 * q[0] + 1e-12
        for back in (cs.corrected(q + 100 * rounding * one, np.zeros(3))[0], cs.project(q + 0.05)):
            assert np.abs(cs.residual(back)).max() < 4 * rounding


# rows that follow from others


def test_three_arms():
    """[EX-11]: 3x2R, with the equations out of the plane too: two of six rows follow, everywhere."""
    robot = three_arms()
    full, lean = (ch.ConstrainedSystem(robot, three_arms_tied(robot, rows)) for rows in (3, 2))
    assert full.redundancy.rank == lean.redundancy.rank == 4 and full.degrees_of_freedom == 2
    assert full.redundancy.dropped_names == ("tie[2]", "tie 2[2]")
    assert lean.redundancy.describe() == "4 rows, independent at 12 configurations"
    q = three_arms_at((0.5, 0.35))
    rng = np.random.default_rng(0)
    qd, tau = lean.projections(q).P_T @ rng.normal(size=6), rng.normal(size=6)
    a, b = full.forward_dynamics(q, qd, tau), lean.forward_dynamics(q, qd, tau)
    assert close(a.qdd, b.qdd) and close(a.multipliers, b.multipliers)


def test_equations_that_hold_elsewhere_too():
    """The sines of a turn vanish at pi as well, where the rank is four: rows that matter are not dropped for that."""
    robot = ch.load("panda")
    T = robot.forward_kinematics(robot.random(np.random.default_rng(1)), "tool")

    def h(q):
        X = robot.forward_kinematics(q, "tool")
        R = T[:3, :3].T @ X[:3, :3]
        return np.stack([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], *(X[:3, 3] - T[:3, 3])])

    cs = ch.ConstrainedSystem(robot, ch.Constraint.holonomic(h, "weld"))
    assert cs.redundancy.rank == 6 and cs.redundancy.dropped_names == () and cs.degrees_of_freedom == 1


def test_rows_that_vanish_somewhere():
    """Where one row vanishes and the other does not, the constraint still holds, by the multiplier of the other."""
    system = particle(n=3)
    rows = [ch.Constraint.pfaffian(lambda q, k=k: np.stack([q[k], 0.0 * q[k], 0.0 * q[k]]), f"by{k}") for k in (1, 2)]
    cs = ch.ConstrainedSystem(system, rows[0] + rows[1])
    assert cs.redundancy.rank == 1 and cs.row_names == ("by1", "by2")
    for y, z in ((0.2, 0.7), (0.2, 0.0), (0.0, 0.7)):
        qdd, multipliers = cs.forward_dynamics([0.0, y, z], [0.0, 0.5, 0.0], [3.0, 0.0, 0.0])
        assert close(qdd, [0.0, -9.81, 0.0]) and close(multipliers, np.array([y, z]) * -3.0 / (y * y + z * z))


@pytest.mark.parametrize("order", [1, -1])
def test_rows_with_values_are_kept_first(order):
    """Of a constraint and the same one for velocities, in any order, that which can be put back is."""
    rod, same = on_circle(1.0), ch.Constraint.pfaffian(lambda q: 3.0 * q, "same")
    cs = ch.ConstrainedSystem(particle(), sum([rod, same][::order]))
    assert cs.row_names == ("circle",) and cs.redundancy.dropped_names == ("same",)
    run = ch.simulate(cs, [1.0, 0.0], [0.0, 0.0], duration=1.0, dt=1e-2)
    assert np.abs(cs.residual(run.q)).max() < 1e-11
    wheel = ch.Constraint.pfaffian(lambda q: np.stack([np.stack([q[1], q[0], 0.0]), np.stack([0.0, 0.0, 1.0])]), "both")
    both = [wheel, ch.Constraint.holonomic(lambda q: np.stack([q[0] * q[1] - 1.0, 2.0 * q[0] * q[1] - 2.0]), "xy")]
    cs = ch.ConstrainedSystem(particle(n=3), sum(both[::order]))
    assert cs.redundancy.rank == 2 and "both[1]" in cs.row_names and "both[0]" not in cs.row_names


# constraints that cannot be satisfied, or say nothing


def test_contradictions():
    walls = ch.Constraint.holonomic(lambda q: q[0], "wall") + ch.Constraint.holonomic(
        lambda q: q[0] - 1.0, "other wall"
    )
    with pytest.raises(ch.ModelError, match=r"wall, other wall are off by up to 0\.5\. They may contradict"):
        ch.ConstrainedSystem(particle(), walls)
    robot = four_bar()
    with pytest.raises(ch.ModelError, match=r"no configuration of 'four-bar' .* pin\[0\] is off by up to 3.3"):
        ch.ConstrainedSystem(robot, pinned(robot, place=(5.0, 0.0)))
    with pytest.raises(
        ch.ModelError, match=r"start is near no configuration of 'four-bar' .*: at best pin\[0\] is off"
    ):
        ch.ConstrainedSystem(robot, pinned(robot, place=(5.0, 0.0)), start=np.zeros(3))


def test_constraints_that_say_nothing_are_refused():
    free = ch.LagrangianSystem(2, lambda q, qd: (qd @ qd) / 2)
    with pytest.raises(ch.ModelError, match="nothing say nothing"):
        ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: 0.0 * q[0], "nothing"))


def test_groups_of_rows_that_depend_on_each_other():
    """Two beads on rays of their own and a wall: rows of a ray depend on each other, the wall is always used."""
    system = ch.LagrangianSystem(13, lambda q, qd: (qd @ qd) / 2)
    rays = [ch.Constraint.holonomic(lambda q, k=k: np.cross(q[k : k + 3], q[k + 3 : k + 6]), f"ray{k}") for k in (0, 6)]
    wall = ch.Constraint.holonomic(lambda q: q[12] - q[0], "wall")
    cs = ch.ConstrainedSystem(system, rays[0] + wall + rays[1])
    assert cs.redundancy.rank == 5 and cs.redundancy.groups == (((0, 1, 2), 2), ((4, 5, 6), 2))
    said = cs.redundancy.describe()
    assert "of ray0[0], ray0[1], ray0[2] 1 follows from the others, in a way" in said and "of ray6[0]" in said
    q, qd = cs.consistent(np.r_[0.0, 0.6, 0.8, 0.0, 0.3, 0.4, 0.6, 0.0, 0.8, 0.3, 0.0, 0.4, 0.0], np.ones(13))
    qdd, multipliers = cs.forward_dynamics(q, qd, np.ones(13))
    A = cs.constraint_matrix(q)
    assert close(multipliers, np.linalg.lstsq(A.T, qdd - np.ones(13), rcond=1e-9)[0])
    assert close(A @ qdd, -cs.constraint_drift(q, qd))


@pytest.mark.slow
def test_locomotive_flat():
    """Where the three roots lie in line the rank falls as it lies flat; where they do not it stays."""
    for roots, falls in ((COLLINEAR, True), (SPREAD, False)):
        robot, pins = locomotive(roots)
        cs = ch.ConstrainedSystem(robot, pins)
        q, w, tau = 0.0 * ALONG, 3.0, np.array([0.3, 0.0, -0.2, 0.1])
        crank = ALONG @ (tau - robot.bias_forces(q, w * ALONG)) / (ALONG @ robot.mass_matrix(q) @ ALONG)
        found = cs.forward_dynamics(q, w * ALONG, tau)
        assert close(found.qdd, crank * ALONG) and np.isnan(found.multipliers).any() == falls
        if falls:
            with pytest.raises(ch.ModelError, match="the rank of the constraints of 'robot' falls"):
                cs.gauge().frame(q)
        else:
            V, W = cs.gauge().frame(q).V_2, cs.gauge().root(q)
            assert close(np.abs(V[:, 0] @ W.T @ ALONG) ** 2, ALONG @ robot.mass_matrix(q) @ ALONG)
