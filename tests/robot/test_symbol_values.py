"""Values of symbols when a robot is called: rows, parts, variations, and what is refused."""

import inspect
import pickle

import numpy as np
import pytest
from support.random_trees import random_mechanism
from support.sweeps import sweep
from support.symbolic import VALUES, agree, one_joint, planar_arm, symbolised
from support.tolerances import close

import chasles as ch
from chasles.graph.interpret import interpret
from chasles.model import arrival
from chasles.model.margins import margins
from chasles.robot.symbolic import FORWARDED, SymbolicRobot


def test_values_are_per_row_and_broadcast():
    arm = planar_arm()
    q = np.random.default_rng(5).normal(size=(3, 1, 2))
    l1 = np.array([0.3, 0.5, 0.9, 1.1])
    found = arm.mass_matrix(q, **(VALUES | {"l1": l1}))
    assert found.shape == (3, 4, 2, 2)
    for k in range(4):
        expected = arm.with_values(**(VALUES | {"l1": l1[k]})).mass_matrix(q[:, 0])
        assert close(found[:, k], expected, scale=1.0)
    task = arm.task_inertia(q[:, 0], rows="tx", **(VALUES | {"l1": l1[:3]}))
    for k in range(3):
        expected = arm.with_values(**(VALUES | {"l1": l1[k]})).task_inertia(q[k, 0], rows="tx")
        assert close(task[k], expected, scale=1.0)


def test_calls_with_symbols_that_change_and_stay():
    arm, q = planar_arm(), np.array([0.3, 0.5])
    once = arm.mass_matrix(q, **VALUES)
    other = arm.mass_matrix(q, **(VALUES | {"m1": 2.0}))
    assert not np.array_equal(once, other)
    assert np.array_equal(once, arm.mass_matrix(q, **VALUES))
    weightless = arm.task_bias(q, np.ones(2), rows="tx", gravity=False, **VALUES)
    assert close(weightless, arm.with_values(**VALUES).task_bias(q, np.ones(2), rows="tx", gravity=False))


def test_other_values_are_one_check_and_one_call(monkeypatch):
    arm, q = planar_arm(), np.zeros((5, 2))
    calls = {
        "mass_matrix": lambda values: arm.mass_matrix(q, **values),
        "forward_dynamics": lambda values: arm.forward_dynamics(q, q, q, **values),
        "task_bias": lambda values: arm.task_bias(q, q, rows="tx", gravity=False, **values),
        "task_inertia": lambda values: arm.task_inertia(q + 0.5, rows="tx ty", **values),
    }
    for call in calls.values():
        call(VALUES)

    def refuse(*_, **__):
        raise AssertionError("no longer called")

    monkeypatch.setattr(SymbolicRobot, "_prepare", refuse)
    monkeypatch.setattr(arrival, "Arrival", refuse)
    for call in calls.values():
        call(VALUES | {"m1": np.linspace(1.0, 2.0, 5)})
        call(VALUES | {"m1": 3})


def test_traced_values_pass():
    arm, q = planar_arm(), np.array([0.3, 0.5])
    rest = {name: x for name, x in VALUES.items() if name != "m1"}
    kernel = ch.compile(lambda m: arm.mass_matrix(q, m1=m, **rest), m=())
    assert close(kernel(1.2), arm.mass_matrix(q, **VALUES), scale=1.0)
    written = arm.kinetic_energy(q, [1.0, 0.0], m1=ch.symbols("m1"), m2=0.0, l1=1.0, l2=1.0, g=1.0)
    assert repr(written) == "m1/6" or "m1" in repr(written)


def test_partial_values():
    arm = planar_arm().with_values(m1=1.2, l1=0.5)
    assert arm.symbols == ("m2", "l2", "g") and isinstance(arm, SymbolicRobot)
    q = np.array([0.3, 0.5])
    rest = {name: VALUES[name] for name in arm.symbols}
    assert close(arm.mass_matrix(q, **rest), planar_arm().mass_matrix(q, **VALUES), scale=1.0)
    renamed = arm.with_values(m2=2 * ch.symbols("mass"))
    assert "mass" in renamed.symbols and "m2" not in renamed.symbols


def test_variations_keep_symbols():
    arm, q = planar_arm(), np.array([0.2, -0.4])
    free = arm.with_base("planar")
    assert free.symbols and free.n == 5
    assert free.mass_matrix(np.zeros(5), **VALUES).shape == (5, 5)
    locked = arm.with_locked({"joint2": 0.3})
    plain = arm.with_values(**VALUES)
    assert close(locked.mass_matrix([0.1], **VALUES), plain.with_locked({"joint2": 0.3}).mass_matrix([0.1]), scale=1.0)
    part = arm.subtree("link1")
    names = {name: VALUES[name] for name in part.symbols}
    assert close(part.mass_matrix([0.1], **names), plain.subtree("link1").mass_matrix([0.1]))
    assert arm.random(0).shape == q.shape and not arm.neutral().any()


def test_a_part_of_symbols_is_seen_from_where_it_begins():
    l, q = ch.symbols("l"), np.array([0.3])
    H, far = np.eye(4).astype(object), np.eye(4).astype(object)
    H[0, 3], far[0, 3] = l, 3.0 * l
    screws = [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], [l, 0, 0]), ch.screw([0, 1, 0], [3.0 * l, 0, 0])]
    arm = ch.Robot.from_screws(screws, [np.eye(4), H, far], [ch.Link(1.0, inertia=(1.0, 1.0, 1.0))] * 3)
    part, plain = arm.subtree("link2"), arm.with_values(l=0.4).subtree("link2")
    assert close(part.forward_kinematics(q, l=0.4), plain.forward_kinematics(q))
    assert close(part.forward_kinematics(0.0 * q, l=0.4)[:3, 3], [0.8, 0.0, 0.0])


def test_robots_pickle_and_compare():
    arm = planar_arm()
    again = pickle.loads(pickle.dumps(arm))
    assert again == arm and hash(again) == hash(arm) and type(again) is SymbolicRobot
    assert arm != arm.with_values(m1=1.0)
    assert arm.with_values(**VALUES) == arm.with_values(**VALUES)
    q = np.array([0.3, 0.5])
    assert np.array_equal(again.mass_matrix(q, **VALUES), arm.mass_matrix(q, **VALUES))
    assert "symbols m1 l1 m2 l2 g" in repr(arm)
    assert "m1 + m2 kg" in repr(arm) or "m2 + m1 kg" in repr(arm)  # which was made first in this process


@pytest.mark.slow
def test_every_method_that_forwards_takes_values():
    arm = planar_arm()
    plain = arm.with_values(**VALUES)
    rng = np.random.default_rng(6)
    for name in FORWARDED:
        parameters = inspect.signature(getattr(plain, name)).parameters.values()
        given = [rng.normal(size=2) for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        options = {"rows": "tx ty"} if "rows" in {p.name for p in parameters} else {}
        found, expected = getattr(arm, name)(*given, **options, **VALUES), getattr(plain, name)(*given, **options)
        if not isinstance(expected, tuple):
            found, expected = (found,), (expected,)
        agree(map(np.asarray, found), map(np.asarray, expected), 1e-10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.mass_matrix([0, 0]), r"mass_matrix: robot 'arm' has the symbols m1, .* without a value: give"),
        (lambda r: r.mass_matrix([0, 0], **(VALUES | {"m1": -1})), "link 'link1': its mass is negative.* m1 = -1$"),
        (lambda r: r.mass_matrix([0, 0], **(VALUES | {"m2": [1.0, 2.0, -3.0]})), r"'link2'.*m2 = -3 \(row 2\)"),
        (lambda r: r.mass_matrix([0, 0], **(VALUES | {"l1": np.nan})), "nan or an infinity, with .*l1 = nan"),
        (lambda r: r.mass_matrix([0, 0], **(VALUES | {"m1": "x"})), "m1 must be real numbers"),
        (lambda r: r.mass_matrix([0, 0], m3=1.0, **VALUES), "m3"),
        (lambda r: r.with_values(m3=1.0), "no symbol 'm3'; it has m1"),
        (lambda r: r.with_values(m1=-1.0), "link 'link1': its mass is negative"),
        (lambda r: r.with_values(m1=[1.0, 2.0]), r"m1 must have shape \(\), got \(2,\)"),
        (lambda r: r.forward_dynamics([0, 0], [0, 0], [0, 0], **(VALUES | {"m2": 0.0})), "singular.*'joint2'.*m2 = 0"),
        (lambda r: r.to_toml(), r"to_toml: robot 'arm' has the symbols .*with_values\(m1=\.\.\."),
        (lambda r: r.to_urdf(), "to_urdf.*with_values"),
        (lambda r: r.inverse_kinematics(np.eye(4)), "inverse_kinematics.*with_values"),
        (lambda r: r.geodesic([0, 0], [1, 1]), "geodesic.*with_values"),
        (lambda r: ch.simulate(r, [0, 0], [0, 0], duration=1.0, dt=0.1), r"^simulate: .*: use robot.with_values\(m1"),
        (lambda r: r.mass_matrix([0, 0], **(VALUES | {"m1": np.ones(2), "m2": np.ones(3)})), "do not broadcast: .*m2"),
    ],
)
def test_errors_name_the_symbol_and_the_way(call, message):
    with pytest.raises((ch.ChaslesError, TypeError), match=message):
        call(planar_arm())


def test_values_that_are_no_rigid_motion_or_axis():
    a, b = ch.symbols("a b")
    H = np.eye(4).astype(object)
    H[0, 0] = H[1, 1] = a
    robot = ch.Robot.from_screws([[0, 0, b, 0, 0, 0]], [H], [ch.Link(1.0, inertia=(1, 1, 1))], damping=[b])
    assert close(robot.mass_matrix([0.1], a=1.0, b=1.0), [[1.0]])
    with pytest.raises(ch.ModelError, match=r"home of link 'link1' is not a rigid motion.* a = 2 \(row 1\)"):
        robot.mass_matrix([0.1], a=[1.0, 2.0], b=1.0)
    with pytest.raises(ch.ModelError, match="screw of joint 'joint1' is zero, with b = 0"):
        robot.mass_matrix([0.1], a=1.0, b=0.0)
    with pytest.raises(ch.ModelError, match="joint 'joint1': its damping is negative"):
        robot.mass_matrix([0.1], a=1.0, b=-1.0)


def test_symbols_in_the_last_row_of_a_pose_are_refused():
    T = np.eye(4).astype(object)
    T[3, 0] = ch.symbols("s")
    with pytest.raises(ch.ModelError, match="home of link 'link1': its last row is 0, 0, 0, 1, and has no symbols"):
        one_joint(1.0, home=T)
    with pytest.raises(ch.ModelError, match="tool: its last row"):
        ch.load("ur5").with_tool(T)


def test_inertias_that_no_body_has_are_doubted_once():
    robot = one_joint(1.0, (1.0, 1.0, ch.symbols("s")))
    robot.mass_matrix([0.0], s=[1.0, 2.0])
    with pytest.warns(ch.ModelWarning, match=r"'link1': its principal inertias \(1, 1, 5\).* s = 5 \(row 1\)") as told:
        robot.mass_matrix([0.0], s=[1.0, 5.0])
        robot.mass_matrix([0.0], s=6.0)
    assert len(told) == 1


def test_no_rows_at_all():
    arm = planar_arm()
    values = VALUES | {"m1": np.ones(0)}
    assert arm.mass_matrix(np.ones((0, 2)), **values).shape == (0, 2, 2)
    assert arm.forward_dynamics(np.ones((0, 2)), [0, 0], [0, 0], **values).shape == (0, 2)
    assert arm.task_inertia(np.ones((0, 2)), rows="tx", **values).shape == (0, 1, 1)
    p = ch.symbols("p", shape=(6, 10))
    robot = ch.load("ur5").with_inertial_parameters(p)
    assert robot.mass_matrix(np.ones((0, 6)), p=np.ones((0, 6, 10))).shape == (0, 6, 6)


def test_values_of_which_one_row_is_singular():
    arm, x = planar_arm(), np.zeros((3, 2))
    with pytest.raises(ch.SingularMassMatrixError, match=r"forward_dynamics.*m2 = 0.*\(row 1\)"):
        arm.forward_dynamics(x, x, x, **(VALUES | {"m2": [1.0, 0.0, 2.0]}))
    a, b = ch.symbols("a b")
    screws = [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -a, 0]]
    point = ch.Robot.from_screws(screws, [np.eye(4)] * 2, [ch.Link(1.0, inertia=(1, 1, 1)), ch.Link(1.0, [b, 0, 0])])
    for _ in range(2):  # prepared or not
        assert np.isfinite(point.forward_dynamics([0, 0.5], [0, 0], [1, 1], a=0.5, b=1.0)).all()
        with pytest.raises(ch.SingularMassMatrixError, match=r"'joint2'.*b = 1, a = 1"):
            point.forward_dynamics([0, 0.5], [0, 0], [1, 1], a=1.0, b=1.0)


def test_tasks_near_singularities_row_by_row():
    arm, rng = planar_arm(), np.random.default_rng(7)
    q = rng.normal(size=(8, 2))
    q[::3, 1] = 0.0  # stretched
    l1 = rng.uniform(0.3, 1.0, 8)
    for options in ({}, {"damping": 0.05}):
        found = arm.task_inertia(q, rows="tx ty", **options, **(VALUES | {"l1": l1}))
        for k in range(8):
            one = arm.with_values(**(VALUES | {"l1": l1[k]}))
            expected = one.task_inertia(q[k], rows="tx ty", **options)
            assert close(found[k], expected, 1e-09, scale=1.0)


@pytest.mark.parametrize("seed", sweep(range(8), 1))
def test_margins_say_what_the_checks_say(seed):
    m = random_mechanism(seed, n=3)
    made, values = symbolised(m, ("links", "screws", "homes", "losses"))
    program, rng = margins(made), np.random.default_rng(seed)
    names = list(values)
    for k in range(40):
        given = dict(values)
        if k:
            name = names[rng.integers(len(names))]
            given[name] = rng.choice([0.0, -given[name], np.nan, np.inf, 3.0 * given[name], given[name] + 1e-7])
        with np.errstate(all="ignore"):
            good, doubt, _ = interpret(program, [[np.float64(given[x.name])] for x in program.inputs])[0]
        arrays = {name: np.array(x) for name, x in given.items()}
        try:
            here = arrival.check(made, arrays)
        except ch.ModelError:
            assert good == 0.0
        else:
            assert good == 1.0
            assert doubt or not arrival.doubts(here)


def test_plain_robots_have_none():
    robot = ch.load("ur5")
    assert robot.symbols == () and type(robot) is ch.Robot and robot.with_values() is robot
    with pytest.raises(ch.ModelError, match="no symbols"):
        robot.with_values(m1=1.0)
    same = robot.with_inertial_parameters(robot.inertial_parameters)
    assert same == robot
    with pytest.raises(ch.ModelError, match=r"shape \(6, 10\)"):
        robot.with_inertial_parameters(np.zeros((5, 10)))


def test_limits_stay_numbers():
    with pytest.raises(ch.ModelError, match="limits"):
        ch.Robot.from_screws([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [ch.Link(1.0)], limits={"lower": [ch.symbols("low")]})


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ch.compile(lambda x: x * ch.symbols("w"), x=2), ch.TraceError, "w is of symbols"),
        (lambda: ch.compile(lambda x: ch.symbols("w") * x, x=2), ch.TraceError, "w is of symbols"),
        (lambda: ch.symbols(None), ch.ModelError, "symbols takes names"),
        (lambda: ch.symbols("a", shape=2.5), ch.ModelError, "positive integers"),
        (lambda: ch.symbols("a", shape=None), ch.ModelError, "positive integers"),
        (lambda: rod().gravity_forces([1.0], w=np.ma.array([1.0, 2.0], mask=[0, 1])), ch.ShapeError, "masked"),
        (lambda: rod().gravity_forces([1.0], w=[[1.0, 2.0], [3.0]]), ch.ShapeError, "w is not a rectangular array"),
        (lambda: massless().forward_dynamics([0.0] * 2, [0.0] * 2, [0.0] * 2, l=0.5), ch.ChaslesError, "singular"),
        (lambda: massless().kernel("mass_matrix_inverse"), ch.ChaslesError, "singular, whatever the values"),
    ],
)
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")  # of the link without mass
def test_what_a_user_gets_wrong(call, error, text):
    with pytest.raises(error, match=text):
        call()


def rod():
    return ch.Robot.from_screws([[0, 1, 0, 0, 0, 0]], [np.eye(4)], [ch.Link(ch.symbols("w"), (0.5, 0, 0), (0.1,) * 3)])


def massless():
    """A second link without mass, at a symbolic place."""
    place = np.eye(4, dtype=object)
    place[0, 3] = ch.symbols("l")
    screws = [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -ch.symbols("l"), 0]]
    links = [ch.Link(1.0, (0.1, 0, 0), (0.1,) * 3), ch.Link(0.0)]
    return ch.Robot.from_screws(screws, [np.eye(4), place], links)
