"""Ready-made constraints: rows are the derivative of values on every kind of joint, and minimal coordinates agree."""

import math

import numpy as np
import pytest
from support.random_trees import random_kinds
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.constraint.rows import ConstraintRows
from chasles.errors import FrameError, ModelError, TraceError
from chasles.surface.surface import Surface

Constraint = ch.Constraint
BAR = ch.Link(2.0, (0.5, 0.0, 0.0), (0.01, 0.2, 0.2))


def turned(robot: ch.Robot, seed: int = 0) -> np.ndarray:
    return robot.random(np.random.default_rng(seed))


def pose(x=0.0, y=0.0, z=0.0, turn=0.0) -> np.ndarray:
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s, 0.0, x], [s, c, 0.0, y], [0.0, 0.0, 1.0, z], [0.0, 0.0, 0.0, 1.0]])


def differences(system, f, q: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """(k, n) the derivative of f(q) along every velocity, by central differences."""
    ahead = [system.integrate(q, e) for e in step * np.eye(system.n)]
    behind = [system.integrate(q, e) for e in -step * np.eye(system.n)]
    return np.stack([(f(a) - f(b)) / (2.0 * step) for a, b in zip(ahead, behind, strict=True)], axis=-1)


def slopes_agree(system, constraint: ch.Constraint, q: np.ndarray) -> bool:
    rows = ConstraintRows(system, constraint.parts)
    expected = differences(system, rows.h, q)
    assert np.abs(expected).max() > 1e-3, "a constraint that nothing moves tests nothing"
    return close(rows.A(q), expected, FINITE_DIFFERENCE)


# rows and values

GROUPS = [ch.Robot(random_kinds(seed)) for seed in (1, 4, 9)]


def between(robot: ch.Robot) -> list[ch.Constraint]:
    a, b = robot.link_names[0], "tool"
    T = pose(0.1, -0.2, 0.3, 0.4)
    return [
        Constraint.loop_closure("base", b, "tx ty tz", pose=T),
        Constraint.loop_closure("base", b, "rx rz ty", pose=T),
        Constraint.loop_closure(a, b, [2, 3]),
        Constraint.distance("base", b, 0.7, point_a=(0.1, 0.2, 0.3), point_b=(0.3, 0.0, -0.1)),
        Constraint.point_on_surface(b, lambda p: p[0] * p[1] + np.sin(p[2]), point=(0.1, 0.0, 0.2)),
        Constraint.point_on_surface(b, Surface.ellipsoid(1.0, 2.0, 0.5).at(T), surface_frame="base"),
        Constraint.point_contact(b, 0.2, Surface.cylinder(0.1).at(T)),
    ]


@pytest.mark.parametrize("robot", GROUPS, ids=lambda robot: robot.name)
@pytest.mark.parametrize("k", range(7))
def test_rows_are_the_derivative_of_values_off_the_constraint_too(robot: ch.Robot, k: int):
    assert slopes_agree(robot, between(robot)[k], turned(robot, k))


def test_rows_of_a_full_closure_are_the_derivative_where_it_holds():
    robot = ch.load("ur5")
    q = turned(robot, 3)
    T = np.linalg.inv(robot.forward_kinematics(q, "upper_arm_link")) @ robot.forward_kinematics(q)
    closure = Constraint.loop_closure("upper_arm_link", "tool", pose=T)
    assert close(ConstraintRows(robot, closure.parts).h(q), np.zeros(6), 1e-12, 1.0)
    assert slopes_agree(robot, closure, q)


def test_a_moving_surface_carries_its_point():
    """Both frames move: what is left is their relative motion."""
    robot = ch.load("ur5")
    for surface in (Surface.sphere(0.3), Surface.ellipsoid(0.4, 0.2, 0.3)):
        assert slopes_agree(
            robot, Constraint.point_on_surface("tool", surface, surface_frame="upper_arm_link"), turned(robot, 5)
        )
        assert slopes_agree(
            robot, Constraint.point_contact("tool", 0.1, surface, surface_frame="upper_arm_link"), turned(robot)
        )


def test_fixed_joints_of_several_degrees():
    bodies = [ch.Link(1.0, inertia=(0.1, 0.2, 0.3))] * 3
    robot = ch.Robot.from_screws(
        np.zeros((3, 6)), [np.eye(4)] * 3, bodies, kinds=["free", "planar", "spherical"], joint_names=["f", "p", "s"]
    )
    rng = np.random.default_rng(2)
    q = robot.random(rng)
    constraint = Constraint.fixed({"f": q[:7], "p": q[7:10], "s": q[10:]})
    assert close(ConstraintRows(robot, constraint.parts).h(q), np.zeros(12), 1e-12, 1.0)
    assert slopes_agree(robot, constraint, q)  # where it holds
    assert slopes_agree(
        robot, Constraint.fixed({0: 0.3, 2: 0.1, 7: 0.2, 8: -0.1, 9: 1.0}), robot.random(rng)
    )  # anywhere


# minimal coordinates


def test_fixed_is_a_robot_with_joints_locked():
    robot = ch.load("ur5")
    names = robot.joint_names
    locked = robot.with_locked({names[1]: 0.3, names[4]: -0.5})
    cs = ch.ConstrainedSystem(robot, Constraint.fixed({names[1]: 0.3, 4: -0.5}))
    rng = np.random.default_rng(0)
    q, v, tau = np.array(robot.random(rng)), rng.normal(size=6), rng.normal(size=6) * 10
    q[[1, 4]], v[[1, 4]] = (0.3, -0.5), 0.0
    free = [0, 2, 3, 5]
    expected = locked.forward_dynamics(q[free], v[free], tau[free])
    assert close(cs.forward_dynamics(q, v, tau).qdd[free], expected, 1e-9)


def test_mimic_is_a_robot_with_a_mimic_joint():
    screws = [ch.screw((0, 0, 1), (0, 0, 0)), ch.screw((0, 0, 1), (1, 0, 0)), ch.screw((0, 0, 1), (2, 0, 0))]
    given = dict(joint_names=["a", "b", "c"], gravity=(0.0, -9.81, 0.0))
    homes = [pose(x) for x in (0.0, 1.0, 2.0)]
    robot = ch.Robot.from_screws(screws, homes, [BAR] * 3, **given)
    minimal = ch.Robot.from_screws(screws, homes, [BAR] * 3, mimics={"c": ("a", -1.5, 0.2)}, **given)
    cs = ch.ConstrainedSystem(robot, Constraint.mimic("c", "a", factor=-1.5, offset=0.2))
    q, v, tau = np.array([0.4, -0.7]), np.array([1.0, -2.0]), np.array([3.0, 1.0])
    full = np.array([q[0], q[1], -1.5 * q[0] + 0.2]), np.array([v[0], v[1], -1.5 * v[0]]), np.array([*tau, 0.0])
    assert close(cs.forward_dynamics(*full).qdd[:2], minimal.forward_dynamics(q, v, tau), 1e-9)


def four_bar_cut_at_a_pin() -> tuple[ch.Robot, ch.Constraint]:
    """A parallelogram: cranks of 1 m, coupler and ground of 1.5 m; a chain of three whose end is pinned down."""
    screws = [ch.screw((0, 0, 1), (x, 0, 0)) for x in (0.0, 1.0, 2.5)]
    robot = ch.Robot.from_screws(
        screws, [pose(0.0), pose(1.0), pose(2.5)], [BAR] * 3, tool=pose(3.5), gravity=(0.0, -9.81, 0.0)
    )
    return robot, Constraint.loop_closure("base", "tool", "rx ry tx ty tz", pose=pose(1.5))


def four_bar_cut_in_a_link() -> tuple[ch.Robot, ch.Constraint]:
    """The same with its coupler sawn through: two chains, welded."""
    screws = [ch.screw((0, 0, 1), (x, 0, 0)) for x in (0.0, 1.0, 1.5, 2.5)]
    half = [ch.Link(1.0, (x, 0.0, 0.0), (0.005, 0.05, 0.05)) for x in (0.25, -0.25)]
    robot = ch.Robot.from_screws(
        screws,
        [pose(x) for x in (0.0, 1.0, 1.5, 2.5)],
        [BAR, half[0], BAR, half[1]],
        [-1, 0, -1, 2],
        link_names=["crank", "left", "rocker", "right"],
        frames={"cut_left": ("left", pose(1.75)), "cut_right": ("right", pose(1.75))},
        gravity=(0.0, -9.81, 0.0),
    )
    return robot, Constraint.loop_closure("cut_left", "cut_right")


def parallelogram() -> ch.LagrangianSystem:
    """One angle: both cranks turn by it, the coupler only moves."""

    def lagrangian(q, qd):
        inertia = 2.0 * (0.2 + 2.0 * 0.25) + 2.0  # two cranks about their pins, the coupler on a circle of 1 m
        height = 2.0 * 2.0 * 0.5 * np.sin(q[0]) + 2.0 * np.sin(q[0])
        return 0.5 * inertia * qd[0] * qd[0] - 9.81 * height

    return ch.LagrangianSystem(1, lagrangian)


@pytest.mark.parametrize("cut", ["pin", "link"])
def test_a_four_bar_moves_as_in_its_one_coordinate(cut: str):
    robot, closure = four_bar_cut_at_a_pin() if cut == "pin" else four_bar_cut_in_a_link()
    start = np.array([1.0, -1.0, 1.0 + np.pi]) if cut == "pin" else np.array([1.0, -1.0, 1.0, -1.0])
    cs = ch.ConstrainedSystem(robot, closure, start=start)
    ways = np.array([1.0, -1.0, 1.0]) if cut == "pin" else np.array([1.0, -1.0, 1.0, -1.0])
    assert cs.degrees_of_freedom == 1
    minimal = parallelogram()
    for angle, rate, torque in ((1.0, 2.0, 0.0), (0.5, -1.0, 5.0), (2.2, 0.3, -2.0)):
        q = angle * ways + np.array([0.0, 0.0, np.pi, 0.0])[: robot.n] * (cut == "pin")
        tau = np.zeros(robot.n)
        tau[0] = torque
        assert np.abs(cs.residual(q)).max() < 1e-12
        expected = minimal.forward_dynamics([angle], [rate], [torque])[0]
        assert close(cs.forward_dynamics(q, rate * ways, tau).qdd, expected * ways, 1e-9)


def test_the_closure_of_a_planar_four_bar_is_redundant_with_a_certificate():
    robot, closure = four_bar_cut_in_a_link()
    cs = ch.ConstrainedSystem(robot, closure, start=np.array([1.0, -1.0, 1.0, -1.0]))
    assert cs.redundancy.rank == 3
    assert len(cs.redundancy.names) == 6
    assert cs.redundancy.left < 1e-12
    assert set(cs.redundancy.kept_names) == {"closure.rz", "closure.tx", "closure.ty"}
    robot, closure = four_bar_cut_at_a_pin()
    cs = ch.ConstrainedSystem(robot, closure)
    assert cs.redundancy.rank == 2
    assert set(cs.redundancy.kept_names) == {"closure.tx", "closure.ty"}


def test_the_multipliers_of_a_closure_are_the_wrench_on_b():
    """A pin that holds a chain at rest: its force and the motors' carry the weight."""
    robot, closure = four_bar_cut_at_a_pin()
    cs = ch.ConstrainedSystem(robot, closure)
    q = np.array([1.0, -1.0, 1.0 + np.pi])
    tau = np.zeros(3)
    _, multipliers = cs.forward_dynamics(q, tau, tau)
    qdd = cs.forward_dynamics(q, tau, tau).qdd
    force = dict(zip(cs.row_names, multipliers, strict=True))
    assert set(cs.row_units) == {"N"}
    wrench = np.array([0.0, 0.0, 0.0, force["closure.tx"], force["closure.ty"], 0.0])
    T = robot.forward_kinematics(q)
    own = np.concatenate([np.zeros(3), T[:3, :3].T @ wrench[3:]])
    assert close(robot.inverse_dynamics(q, np.zeros(3), qdd, tool_wrench=-own), np.zeros(3), FLOAT64, 50.0)


def test_a_rod_is_a_pendulum():
    """A particle that slides along three axes, at a distance from the base: the spherical pendulum. [EX-2]"""
    axes = [ch.prismatic(e) for e in np.eye(3)]
    robot = ch.Robot.from_screws(
        axes, [np.eye(4)] * 3, [ch.Link(1e-12), ch.Link(1e-12), ch.Link(0.7)], tool=np.eye(4), gravity=(0.0, 0.0, -9.81)
    )
    length = 1.3
    cs = ch.ConstrainedSystem(robot, Constraint.distance("base", "tool", length))

    def place(q):
        return length * np.stack([np.sin(q[0]) * np.cos(q[1]), np.sin(q[0]) * np.sin(q[1]), -np.cos(q[0])])

    x = ch.compile(place, q=2)
    J = x.jacobian("q")
    turn = J.jacobian("q")

    def lagrangian(q, qd):
        v = J(q) @ qd
        return 0.35 * (v @ v) - 0.7 * 9.81 * x(q)[2]

    pendulum = ch.LagrangianSystem(2, lagrangian)
    q, qd = np.array([0.8, 0.3]), np.array([1.2, -0.7])
    qdd = pendulum.forward_dynamics(q, qd, np.zeros(2))
    expected = J(q) @ qdd + np.einsum("ijk,j,k->i", turn(q), qd, qd)
    found, (force,) = cs.forward_dynamics(x(q), J(q) @ qd, np.zeros(3))
    assert close(found, expected, 1e-9)
    tension = 0.7 * (J(q) @ qd) @ (J(q) @ qd) / length + 0.7 * 9.81 * np.cos(q[0])
    assert close(-force, tension, 1e-9)


# wheels


def cart(radius: float = 0.1, half: float = 0.3) -> ch.Robot:
    """A planar base and two wheels."""
    screws = [np.zeros(6), ch.screw((0, 1, 0), (0, half, radius)), ch.screw((0, 1, 0), (0, -half, radius))]
    return ch.Robot.from_screws(
        screws,
        [pose(z=radius), pose(0.0, half, radius), pose(0.0, -half, radius)],
        [ch.Link(10.0, (0.05, 0.0, 0.0), (0.4, 0.5, 0.6)), *[ch.Link(0.5, inertia=(0.002, 0.004, 0.002))] * 2],
        [-1, 0, 0],
        kinds=["planar", "screw", "screw"],
        link_names=["base_link", "left", "right"],
    )


def test_a_differential_drive_goes_as_its_wheels_turn():
    r, half = 0.1, 0.3
    robot = cart(r, half)
    rolls = Constraint.wheel("left", r, name="left") + Constraint.wheel("right", r, lateral=False, name="right")
    cs = ch.ConstrainedSystem(robot, rolls)
    assert cs.degrees_of_freedom == 2
    q = turned(robot, 1)
    for left, right in ((1.0, 1.0), (1.0, -1.0), (0.3, 2.0)):
        v = np.array([r * (left + right) / 2, 0.0, r * (right - left) / (2 * half), left, right])
        assert close(cs.constraint_matrix(q) @ v, np.zeros(3), 1e-12, 1.0)
    both = ch.ConstrainedSystem(robot, Constraint.wheel("left", r) + Constraint.wheel("right", r))
    assert both.redundancy.rank == 3  # the wheels' axles lie in a line: they keep it from sliding across once


def test_a_rolling_disk_that_leans_stays_on_its_plane():
    r = 0.4
    disk = ch.Robot.from_screws(
        np.zeros((1, 6)), [np.eye(4)], [ch.Link(1.5, inertia=(0.03, 0.06, 0.03))], kinds=["free"], tool=np.eye(4)
    )
    rolls = Constraint.wheel("tool", r, height=0.0)
    assert rolls.names == ("wheel",)
    cs = ch.ConstrainedSystem(disk, rolls)
    assert cs.row_names == ("wheel.height", "wheel.along", "wheel.across") and cs.row_units == ("N", "N", "N")
    rng = np.random.default_rng(1)
    q = cs.project(disk.integrate(np.array([0.1, 0.2, r, 0.0, 0.0, 0.0, 1.0]), 0.3 * rng.normal(size=6)))
    height = ConstraintRows(disk, rolls.parts)
    assert close(height.A(q)[0], differences(disk, height.h, q)[0], FINITE_DIFFERENCE)
    q, v = cs.consistent(q, rng.normal(size=6) + np.array([0.0, 8.0, 0.0, 3.2, 0.0, 0.0]))  # fast: it stays up
    motion = ch.simulate(cs, q, v, duration=1.0, dt=1e-3)
    assert np.abs(motion.q[-1, :2] - q[:2]).max() > 0.1
    assert close(motion.energy, np.full(len(motion.t), motion.energy[0]), 1e-8)
    assert np.abs(cs.residual(motion.q)).max() < 1e-10


# names


def test_rows_are_called_by_what_they_hold():
    robot, closure = four_bar_cut_in_a_link()
    assert ConstraintRows(robot, closure.parts).names == tuple(
        f"closure.{x}" for x in ("rx", "ry", "rz", "tx", "ty", "tz")
    )
    some = Constraint.loop_closure("base", "left", "ty rz", name="weld")
    assert ConstraintRows(robot, some.parts).names == ("weld.rz", "weld.ty")
    base = cart()
    held = Constraint.fixed({base.joint_names[1]: 0.1, base.joint_names[0]: (0.0, 0.0, 0.0)})
    wheel, planar = base.joint_names[1], base.joint_names[0]
    assert ConstraintRows(base, held.parts).names == (f"fixed.{wheel}", *(f"fixed.{planar}[{k}]" for k in range(3)))
    rolls = Constraint.rolling("left", 0.1, Surface.plane(), spin=False)
    both = sum([rolls, rolls, Constraint.wheel("right", 0.1, lateral=False)])
    assert both.names == ("contact", "contact 2", "wheel")
    once = ("normal", "tangent1", "tangent2", "spin")
    expected = [f"{name}.{label}" for name in ("contact", "contact 2") for label in once]
    assert ConstraintRows(base, both.parts).names == (*expected, "wheel.along")
    with pytest.raises(TypeError):
        1 + rolls


def test_a_point_on_a_surface_given_by_parameters():
    """The same rows as with its implicit function, but for their length."""
    egg = Surface.ellipsoid(0.5, 0.7, 0.4)
    own = Surface.of(egg.point, near=[(u, v) for u in (-0.8, 0.0, 0.8) for v in np.linspace(-3.0, 3.0, 7)])
    robot = ch.load("ur5")
    found, known = (Constraint.point_on_surface("tool", surface) for surface in (own, egg))
    q = ch.ConstrainedSystem(robot, known).project(np.array([0.3, -1.2, 1.5, -0.4, 0.6, 0.2]))
    assert close(ConstraintRows(robot, found.parts).h(q), np.zeros(1), 1e-9, 1.0)
    assert slopes_agree(robot, found, q)
    A, B = ConstraintRows(robot, found.parts).A(q)[0], ConstraintRows(robot, known.parts).A(q)[0]
    assert close(A / np.linalg.norm(A), B / np.linalg.norm(B), 1e-9)


# what is refused


def test_errors_name_the_culprit():
    robot = ch.load("planar_3r")
    system = ch.LagrangianSystem(2, lambda q, qd: qd @ qd)

    def refused(constraint: ch.Constraint, words: str, kind=ModelError, of=robot):
        with pytest.raises(kind, match=words):
            ch.ConstrainedSystem(of, constraint)

    refused(Constraint.loop_closure("base", "tol"), "no frame 'tol'; did you mean 'tool'", FrameError)
    refused(Constraint.distance("base", "elbow", 1.0), "no frame 'elbow'", FrameError)
    refused(Constraint.loop_closure("base", "tool"), "has no frames", of=system)
    refused(Constraint.fixed({"joint9": 0.0}), "no coordinate 'joint9'; did you mean 'joint")
    refused(Constraint.fixed({3: 0.0}), "an index below 3, got 3")
    refused(Constraint.fixed({"joint1": (0.0, 1.0)}), "'joint1' has 1 coordinate, got a value of shape")
    refused(Constraint.mimic("joint1", "joint1"), "'joint1' cannot follow itself")
    refused(Constraint.mimic("q3", "q1"), "no coordinate 'q3'", of=system)
    refused(Constraint.loop_closure("base", "tool"), "no motion at all")
    for call, words in (
        (lambda: Constraint.loop_closure("base", "tool", "tx tq"), "no row 'tq'; there are rx ry rz tx ty tz"),
        (lambda: Constraint.loop_closure("base", "tool", [6]), "no row 6"),
        (lambda: Constraint.loop_closure("base", "tool", "tx tx"), "named twice"),
        (lambda: Constraint.loop_closure("base", "tool", []), "at least one row"),
        (lambda: Constraint.loop_closure("base", "tool", pose=np.eye(3)), "pose"),
        (lambda: Constraint.loop_closure("base", 3), "frame_b must be the name of a frame, got 3"),
        (lambda: Constraint.distance("base", "tool", 0.0), "length must be a positive number"),
        (lambda: Constraint.wheel("tool", -0.1), "radius must be a positive number"),
        (lambda: Constraint.wheel("tool", 0.1, axis=(0, 0, 0)), "axis must be a direction"),
        (lambda: Constraint.fixed({}), "name the coordinates"),
        (lambda: Constraint.point_on_surface("tool", 3), "surface must be a function"),
        (lambda: Constraint.point_on_surface("tool", lambda p: p), "implicit.p. must give one number"),
        (lambda: Constraint.point_contact("tool", Surface.plane(), Surface.plane()), "'plane' and 'plane' touch along"),
        (lambda: Constraint.point_contact("tool", 0.1, lambda p: p[0]), "surface must be a Surface"),
        (lambda: Constraint.loop_closure("base", "tool", 3.0), "'closure': rows must be some of rx .*, got 3.0"),
        (lambda: Constraint.loop_closure("base", "tool", True), "'closure': rows must be some of .* got True"),
        (lambda: Constraint.fixed({0: "a"}), "'fixed': the value of 0 must be real numbers, got text"),
        (lambda: Constraint.fixed({"x": [1, [2]]}), "'fixed': the value of 'x' is not a rectangular array"),
        (lambda: Constraint.fixed({0: np.nan}, name="hold"), "'hold': the value of 0 has a nan or an infinity"),
        (lambda: Constraint.mimic(0, 1, factor="x"), "'mimic': factor must be a finite number, got 'x'"),
        (lambda: Constraint.mimic(0, 1, offset=np.inf), "'mimic': offset must be a finite number, got inf"),
        (lambda: Constraint.wheel("tool", 0.1, height=np.nan), "'wheel': height must be a finite number, got nan"),
        (lambda: Constraint.wheel("tool", 0.1, height="x"), "'wheel': height must be a finite number, got 'x'"),
        (lambda: Constraint.wheel("tool", 0.1, lateral="no"), "'wheel': lateral must be True or False, got 'no'"),
        (lambda: Constraint.wheel("tool", 0.1, axis=(1, 2)), "'wheel': axis must have shape .3,., got .2,."),
        (lambda: Constraint.rolling("tool", 0.1, Surface.plane(), spin=1), "'contact': spin must be True or False"),
        (lambda: Constraint.rolling("tool", None, Surface.plane()), "'contact': tip, .* not negative, got None"),
        (lambda: Constraint.point_contact("tool", 0.1, Surface.plane(), surface_frame=3), "surface_frame must be"),
        (lambda: Constraint.fixed({0: 1.0}, name=""), "name of a constraint must be a string that is not empty"),
        (lambda: Constraint.holonomic(lambda q, t: q[0]), "h must be a function of .q., got one of .q, t."),
        (lambda: Constraint.fixed({0: 0.0}).is_holonomic(robot, tolerance="x"), "tolerance must be a positive number"),
        (lambda: Constraint.fixed({0: 0.0}).is_holonomic(robot, seed=0.5), "seed must be an integer"),
    ):
        with pytest.raises(ModelError, match=words):
            call()
    refused(Constraint.wheel("tool", 0.1, axis=(0, 0, 1)), "the wheel lies flat: axis .* is along the normal")
    refused(
        Constraint.pfaffian(lambda q: [[q[0]], [1.0, 2.0]]),
        "'pfaffian': A must return numbers in rows of one",
        of=system,
    )
    refused(Constraint.holonomic(lambda q: []), "'holonomic': h returns nothing", of=system)
    refused(Constraint.holonomic(lambda q: "x"), "'holonomic': h must return numbers, got 'x'", of=system)
    refused(
        Constraint.holonomic(lambda q: math.cos(q[0])), "'holonomic': h: .*np.cos, and not math.cos", TraceError, system
    )
    refused(Constraint.holonomic(lambda q: math.cos(q)), "'holonomic': h does what .* Use NumPy's", TraceError, system)
    refused(Constraint.of(lambda s, q: q, "two", labels=("a",)), "'two': 1 labels for 2 rows", of=system)
    refused(
        Constraint.holonomic(lambda q: (q[0] - 1.0) ** 2, "twice"), "twice: its gradient is zero wherever", of=system
    )


def test_a_quaternion_is_fixed_by_its_joint():
    ball = ch.Robot.from_screws(np.zeros((1, 6)), [np.eye(4)], [BAR], kinds=["spherical"], joint_names=["ball"])
    with pytest.raises(ModelError, match="belongs to a quaternion: name the joint 'ball'"):
        ch.ConstrainedSystem(ball, Constraint.fixed({0: 0.0}))
    with pytest.raises(ModelError, match="'ball' has 3 degrees of freedom, expected one"):
        ch.ConstrainedSystem(ball, Constraint.mimic("ball", 0))


def test_units_of_multipliers_are_those_that_their_constraints_say():
    everything = (
        Constraint.loop_closure("base", "tool", "rz tx")
        + Constraint.distance("base", "tool", 0.5)
        + Constraint.of(lambda system, q: q[0] - 0.1, "own")
    )
    rows = ConstraintRows(ch.load("scara"), everything.parts)
    assert rows.names == ("closure.rz", "closure.tx", "distance", "own") and rows.units == ("N m", "N", "N", "")
    spinless = Constraint.rolling("tool", ch.Surface.sphere(0.1), ch.Surface.plane(), spin=False).parts[1]
    assert spinless.row_units(3) == ("N", "N", "N m")
