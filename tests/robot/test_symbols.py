"""Symbols: numbers of a robot that are given later are as good as numbers that are given now."""

import copy
import gc
import inspect
import os
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from support.random_trees import random_mechanism

import chasles as ch
from chasles.catalogue import Options, catalogue, trace
from chasles.catalogue.entry import INPUTS
from chasles.graph.interpret import interpret
from chasles.graph.symbol import SYMBOLS, symbol
from chasles.model import arrival
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.margins import margins
from chasles.model.variations import _arguments, with_given_tree
from chasles.robot.symbolic import FORWARDED, SymbolicRobot
from chasles.symbol import OPTIONS

TOLERANCE = 1e-12
PLACES = ("screws", "homes", "links", "gravity", "losses")
FUNCTIONS = [name for name in catalogue() if not name.startswith(("forward_dynamics_second", "task_margin"))]
SMALL = [name for name in FUNCTIONS if "second" not in name and "curvature" not in name]


class Symbols:
    """Symbols in place of numbers, remembered with the numbers they stand for."""

    def __init__(self) -> None:
        self.values: dict[str, float] = {}

    def __call__(self, x: float) -> object:
        name = f"s{len(self.values)}"
        self.values[name] = float(x)
        return symbol(name)

    def array(self, x: np.ndarray, chosen: np.ndarray | None = None) -> np.ndarray:
        out = np.asarray(x, float).astype(object)
        for index in np.argwhere(np.ones(x.shape, bool) if chosen is None else chosen):
            out[tuple(index)] = self(out[tuple(index)])
        return out


def symbolised(m, places=PLACES, rows=None):
    """The mechanism with symbols for all numbers of some kinds, of some links, and the symbols' values."""
    made = Symbols()
    given = _arguments(m)
    rows = range(m.bodies) if rows is None else rows
    screws, homes, links = m.screws.astype(object), m.homes.astype(object), list(m.links)
    for i in rows:
        if "screws" in places and m.kinds[i] == "screw":
            turns = m.screws[i, :3].any()
            screws[i] = made.array(m.screws[i], np.arange(6) >= (0 if turns else 3))
        if "homes" in places:
            homes[i, :3] = made.array(m.homes[i, :3])
        if "links" in places:
            links[i] = Link(made(links[i].mass), made.array(links[i].com), made.array(links[i].inertia), links[i].name)
    given |= {"screws": screws, "homes": homes, "links": links}
    if "gravity" in places:
        given["gravity"] = made.array(m.gravity)
    if "losses" in places:
        given |= {key: made.array(given[key], given[key] != 0.0) for key in ("armature", "damping", "friction")}
    given["frames"] = {key: (owner, T) for key, (owner, T) in given["frames"].items()}
    return with_given_tree(mechanism(**given), m), made.values


def results(m, names, seed, values=None):
    """The results of catalogue functions at a random state, interpreted."""
    program = trace(m, names, Options())
    rng = np.random.default_rng(seed)
    state = {name: rng.normal(size=12) for name in INPUTS}
    given = []
    for operand in program.inputs:
        if operand.name in INPUTS:
            x = np.resize(state[operand.name], operand.size) * 0.7
            given.append(x.tolist())
        else:
            given.append(np.ravel((values or {})[operand.name]).tolist())
    return [np.array(row, float) for row in interpret(program, given)]


def agree(found, expected, tolerance=TOLERANCE):
    for x, y in zip(found, expected, strict=True):
        scale = max(1.0, float(np.abs(y).max(initial=0.0)))
        np.testing.assert_allclose(x, y, rtol=0.0, atol=tolerance * scale)


def planar_arm():
    """Two rods in a vertical plane, all of whose numbers are symbols."""
    m1, m2, l1, l2, g = ch.symbols("m1 m2 l1 l2 g")
    H, tool = np.eye(4).astype(object), np.eye(4).astype(object)
    H[0, 3], tool[0, 3] = l1, l1 + l2
    return ch.Robot.from_screws(
        [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], [l1, 0, 0])],
        [np.eye(4), H],
        [ch.Link(m, [l / 2, 0, 0], (0.0, m * l**2 / 12, m * l**2 / 12)) for m, l in ((m1, l1), (m2, l2))],
        tool=tool,
        gravity=[0, -g, 0],
        base=ch.Link(1.0, inertia=(1.0, 1.0, 1.0)),
        name="arm",
    )


VALUES = {"m1": 1.2, "m2": 0.7, "l1": 0.5, "l2": 0.4, "g": 9.81}


# expressions


def test_symbols_are_the_same_by_name_and_fold():
    m1, l1 = ch.symbols("m1, l1")
    assert ch.symbols("m1") is m1
    assert m1 * l1 is l1 * m1
    assert m1 - m1 == 0.0 and m1 * 0.0 == 0.0 and m1 * 1.0 is m1
    assert ch.symbols(["m1"]) is m1
    assert np.cos(-m1) is np.cos(m1)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda m, l: m * l**2 / 12, "m1*l1**2/12"),
        (lambda m, l: l / m - 3 * m, "l1/m1 - 3*m1"),
        (lambda m, l: (m + 1) * (l - 2), "(m1 + 1)*(l1 - 2)"),
        (lambda m, l: -(m + l), "-(m1 + l1)"),
        (lambda m, l: 1 / m, "1/m1"),
        (lambda m, l: np.sin(m * l) + np.sqrt(l), "sin(m1*l1) + sqrt(l1)"),
        (lambda m, l: 0.3 * m**3, "3*m1**3/10"),
        (lambda m, l: m / (l * (m + l)), "m1/(l1*(m1 + l1))"),
        (lambda m, l: m - (l - 1.5), "m1 - (l1 - 1.5)"),
        (lambda m, l: np.pi * m, "3.141592653589793*m1"),
    ],
)
def test_they_print_as_they_are_written(make, text):
    found = make(*ch.symbols("m1 l1"))
    assert repr(found) == text


def test_arrays_of_symbols():
    p = ch.symbols("p", shape=(2, 3))
    assert p.shape == (2, 3)
    assert repr(p[1, 2] * 2) == "2*p[1, 2]"
    assert ch.symbols("p", shape=10)[3] is ch.symbols("p", shape=(10,))[3]


def test_long_expressions_print_shortened():
    m = ch.symbols("m1")
    for k in range(3000):
        m = np.sin(m) + float(k)
    assert len(repr(m)) < 1000


def test_they_pickle_and_copy():
    m1, l1 = ch.symbols("m1 l1")
    for x in (m1, m1 * l1**2 / 12, np.sin(m1) / (l1 - 2.5), np.where):
        assert pickle.loads(pickle.dumps(x)) is x
        assert copy.deepcopy(x) is x and copy.copy(x) is x
    p = ch.symbols("p", shape=(3,))
    assert all(a is b for a, b in zip(pickle.loads(pickle.dumps(p)), p, strict=True))


def test_expressions_that_nobody_keeps_are_gone():
    m1, l1 = ch.symbols("m1 l1")
    for k in range(100):
        m1 * float(k + 2) + l1
    gc.collect()
    before = len(SYMBOLS.table)
    for k in range(10_000):
        m1 * float(k + 2) + l1
    gc.collect()
    assert len(SYMBOLS.table) <= before


@pytest.mark.parametrize("name", ["q", "qd", "tau", "tool_wrench", "frame", "parameters", "1a", "a-b", "lambda", ""])
def test_names_that_cannot_be_given_by_keyword_are_refused(name):
    with pytest.raises(ch.ModelError, match=f"{name!r}" if name else "at least one"):
        ch.symbols(name)


def test_reserved_names_are_those_of_all_methods():
    for name in FORWARDED:
        assert set(inspect.signature(getattr(ch.Robot, name)).parameters) <= {*INPUTS, *OPTIONS}, name


def one_joint(mass, inertia=(0.0, 0.0, 0.0), home=None):
    home = np.eye(4) if home is None else home
    return ch.Robot.from_screws([[0, 0, 1, 0, 0, 0]], [home], [ch.Link(mass, [1.0, 0, 0], inertia)])


def test_bits_do_not_tell_what_else_is_alive():
    a, b, c, d = ch.symbols("ha hb hc hd")
    rng = np.random.default_rng(0)
    values = dict(zip(("ha", "hb", "hc", "hd"), rng.uniform(0.5, 2.0, (4, 1000)), strict=True))
    first = one_joint(a * b + c * d).kernel("mass_matrix")
    gc.collect()
    keep = c * d, d * c + b
    again = one_joint(c * d + b * a).kernel("mass_matrix")
    assert keep and again.program == first.program
    assert np.array_equal(again([0.0], **values), first([0.0], **values))


_ELSEWHERE = """
import pickle, sys
import numpy as np
import chasles as ch
keep = ch.symbols("pd pc pb pa")
more = keep[0] * keep[1]
robot, program, values, expected = pickle.load(sys.stdin.buffer)
assert robot.symbols == ("pa", "pb", "pc", "pd"), robot.symbols
kernel = robot.kernel("mass_matrix")
assert kernel.program == program
assert np.array_equal(kernel([0.0], *values), expected)
"""


def test_the_order_of_symbols_is_the_same_in_other_processes():
    a, b, c, d = ch.symbols("pa pb pc pd")
    robot = one_joint(a * b + c * d)
    assert robot.symbols == ("pa", "pb", "pc", "pd")
    values = list(np.random.default_rng(1).uniform(0.5, 2.0, (4, 100)))
    kernel = robot.kernel("mass_matrix")
    sent = pickle.dumps((robot, kernel.program, values, kernel([0.0], *values)))
    done = subprocess.run([sys.executable, "-c", _ELSEWHERE], input=sent, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


_FORKS = """
import os, signal, threading, time
import chasles as ch
stop, s = threading.Event(), ch.symbols("s")
ch.symbols("t")
def make():
    while not stop.is_set():
        y = s
        for _ in range(50):
            y = y * s + 1.0
for _ in range(3):
    threading.Thread(target=make, daemon=True).start()
for _ in range(60):
    pid = os.fork()
    if not pid:
        ch.symbols("t") * 3.0
        os._exit(0)
    end = time.monotonic() + 20.0
    while not os.waitpid(pid, os.WNOHANG)[0]:
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            raise SystemExit("a child hangs")
        time.sleep(0.001)
stop.set()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forks_while_symbols_are_made():
    done = subprocess.run([sys.executable, "-c", _FORKS], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_loops_of_symbols():
    s = ch.symbols("s")
    root = ch.loop(lambda x: (x + s / x) / 2, 1.0, count=6)
    assert repr(root) == "loop(1, s)[0]" and "loop" in repr(root * 2 + s)
    assert pickle.loads(pickle.dumps(root)) is root
    robot = one_joint(root, (1.0, 1.0, 1.0))
    assert robot.symbols == ("s",)
    assert robot.mass_matrix([0.0], s=[4.0, 9.0])[:, 0, 0] == pytest.approx([3.0, 4.0], abs=1e-4)
    assert robot.with_values(s=4.0).mass_matrix([0.0]) == pytest.approx(3.0, abs=1e-4)


def test_texts_of_what_is_not_finite_and_of_large_powers():
    a, b = ch.symbols("a b")
    assert repr(a * np.inf) == "inf*a" and repr(a + np.nan) == "a + nan" and repr(a - np.inf) == "a - inf"
    assert repr(ch.where(a < b, a, np.inf)) == "where((a < b), a, inf)"
    x = a + b
    for _ in range(60):
        x = x * x
    assert repr(x) == f"(a + b)**{2**60}" and repr(1 / x) == f"1/(a + b)**{2**60}"
    assert "a" in repr((3.0 * a) ** 60 * x)


# functions


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("seed", range(6))
def test_numbers_replaced_by_symbols_give_the_same(seed, place):
    m = replace(random_mechanism(seed, n=4), has_friction=place == "losses")
    made, values = symbolised(m, (place,))
    agree(results(made, SMALL, seed, values), results(m, SMALL, seed))


@pytest.mark.parametrize("seed", range(10, 16))
def test_all_numbers_of_one_link_replaced(seed):
    m = random_mechanism(seed, n=5)
    made, values = symbolised(m, PLACES, rows=[m.bodies // 2])
    agree(results(made, SMALL, seed, values), results(m, SMALL, seed))


@pytest.mark.parametrize("name", ["ur5", "scara"])
def test_every_function_of_the_catalogue(name):
    m = ch.load(name).mechanism
    made, values = symbolised(m, ("links", "gravity"), rows=[m.bodies - 1])
    agree(results(made, FUNCTIONS, 3, values), results(m, FUNCTIONS, 3), 1e-10)


def test_the_planar_arm_is_the_textbooks():
    arm, rng = planar_arm(), np.random.default_rng(0)
    assert isinstance(arm, ch.Robot) and arm.symbols == ("m1", "l1", "m2", "l2", "g")
    q, qd, qdd = rng.normal(size=(3, 20, 2))
    v = {name: rng.uniform(0.3, 2.0, 20) for name in arm.symbols}
    m1, m2, l1, l2, g = (v[name] for name in ("m1", "m2", "l1", "l2", "g"))
    c1, c2, c12, s2 = np.cos(q[:, 0]), np.cos(q[:, 1]), np.cos(q.sum(1)), np.sin(q[:, 1])
    M22, M12 = m2 * l2**2 / 3, m2 * l2**2 / 3 + m2 * l1 * l2 * c2 / 2
    M11 = m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * c2)
    h = m2 * l1 * l2 * s2 / 2
    bias = np.stack([-h * (2 * qd[:, 0] + qd[:, 1]) * qd[:, 1], h * qd[:, 0] ** 2], 1)
    weight = np.stack([g * ((m1 / 2 + m2) * l1 * c1 + m2 * l2 / 2 * c12), g * m2 * l2 / 2 * c12], 1)
    M = np.stack([M11, M12, M12, M22], 1).reshape(-1, 2, 2)
    tau = (M @ qdd[..., None])[..., 0] + bias + weight
    np.testing.assert_allclose(arm.mass_matrix(q, **v), M, atol=1e-13)
    np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd, **v), tau, atol=1e-12)
    np.testing.assert_allclose(arm.forward_dynamics(q, qd, tau, **v), qdd, atol=1e-9)
    T = arm.forward_kinematics(q, **v)
    np.testing.assert_allclose(T[:, 0, 3], l1 * c1 + l2 * c12, atol=1e-13)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_dh_parameters(convention):
    rng = np.random.default_rng(5)
    rows, made = rng.uniform(-1.0, 1.0, (4, 4)), Symbols()
    kinds = ["revolute", "prismatic", "revolute", "revolute"]
    links = [ch.Link(1.0 + i, rng.normal(size=3), (2.0, 3.0, 4.0)) for i in range(4)]
    plain = ch.Robot.from_dh([(*row, kind) for row, kind in zip(rows, kinds, strict=True)], links, convention)
    given = [(*made.array(row), kind) for row, kind in zip(rows, kinds, strict=True)]
    robot = ch.Robot.from_dh(given, links, convention)
    q, qd, qdd = rng.normal(size=(3, 4))
    expected = plain.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd, **made.values), expected, rtol=1e-11, atol=1e-11)
    lengths = [(symbol(f"a{i}"), row[1], symbol(f"d{i}"), row[3], kinds[i]) for i, row in enumerate(rows)]
    values = {f"a{i}": row[0] for i, row in enumerate(rows)} | {f"d{i}": row[2] for i, row in enumerate(rows)}
    robot = ch.Robot.from_dh(lengths, links, convention)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd, **values), expected, rtol=1e-11, atol=1e-11)


def test_body_screws_tool_payload_and_gravity():
    ur5, (a, m, x, g) = ch.load("ur5"), ch.symbols("a m x g")
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 6))
    T, S = np.eye(4), np.eye(4).astype(object)
    T[0, 3], S[0, 3] = 0.2, a
    plain = ur5.with_tool(T).with_payload("wrist_3_link", 1.5, [0.0, 0.1, 0.0]).with_gravity([0.0, 0.0, -3.7])
    robot = ur5.with_tool(S).with_payload("wrist_3_link", m, [0.0, x, 0.0]).with_gravity([0.0, 0.0, -g])
    values = {"a": 0.2, "m": 1.5, "x": 0.1, "g": 3.7}
    assert set(robot.symbols) == set(values)
    expected = plain.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd, **values), expected, atol=1e-12)
    np.testing.assert_allclose(robot.jacobian(q, **values), plain.jacobian(q), atol=1e-14)
    made = robot.with_values(**values)
    assert not made.symbols and type(made) is ch.Robot
    np.testing.assert_allclose(made.inverse_dynamics(q, qd, qdd), expected, atol=1e-12)
    body = ch.Robot.from_body_screws([[0, 0, 1, a, 0, 0]], S, [np.eye(4)], [ch.Link(1.0, inertia=(1, 1, 1))])
    assert body.symbols == ("a",)
    assert body.jacobian([0.3], a=2.0)[:, 0] == pytest.approx([0, 0, 1, 2, 0, 0])


def test_friction_and_armature():
    b, f, j = ch.symbols("b f j")
    arguments = ([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [ch.Link(1.0, inertia=(1, 1, 1))])
    robot = ch.Robot.from_screws(*arguments, damping=[b], friction=[f], armature=[j]).with_friction()
    tau = robot.inverse_dynamics([0.1], [2.0], [3.0], b=0.5, f=0.25, j=2.0)
    assert tau == pytest.approx([3.0 * (1.0 + 2.0) + 0.5 * 2.0 + 0.25])


# derivatives


def test_derivatives_by_symbols():
    arm, rng = planar_arm(), np.random.default_rng(2)
    q, qd, qdd = rng.normal(size=(3, 2))
    kernel = arm.kernel("inverse_dynamics")
    assert [x.name for x in kernel.inputs] == ["q", "qd", "qdd", *arm.symbols]
    values = [VALUES[name] for name in arm.symbols]
    for k, name in enumerate(arm.symbols):
        step = np.zeros(len(values))
        step[k] = 1e-6
        up, down = (kernel(q, qd, qdd, *(np.array(values) + s)) for s in (step, -step))
        np.testing.assert_allclose(kernel.jacobian(name)(q, qd, qdd, *values), (up - down) / 2e-6, atol=1e-7)


def test_derivatives_by_inertias_are_the_regressor():
    ur5 = ch.load("ur5")
    robot = ur5.with_inertial_parameters(ch.symbols("p", shape=(6, 10)))
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 6))
    kernel = robot.kernel("inverse_dynamics").jacobian("p")
    found = kernel(q, qd, qdd, ur5.inertial_parameters)
    np.testing.assert_allclose(found.reshape(6, 60), ur5.regressor(q, qd, qdd), atol=1e-12)


def test_derivatives_by_homes_are_the_model_derivatives():
    ur5 = ch.load("ur5")
    m, x = ur5.mechanism, symbol("x")
    i = 2
    X = np.eye(4).astype(object)
    X[1, 3] = x  # what joint i carries moves along y of link i, its own screw with it
    H = m.homes[i] @ X @ np.linalg.inv(m.homes[i])
    homes, screws = m.homes.astype(object), m.screws.astype(object)
    from chasles.model.poses import pose, twist

    for k in range(i, m.bodies):
        homes[k] = H @ m.homes[k]
        V = pose(H).Ad(twist(m.screws[k]))
        screws[k] = [*V.w, *V.v]
    robot = ch.Robot.from_screws(screws, homes, ur5.links)
    q, qd, qdd = np.random.default_rng(4).normal(size=(3, 6))
    found = robot.kernel("inverse_dynamics").jacobian("x")(q, qd, qdd, 0.0)
    expected = ur5.inverse_dynamics_model_derivatives(q, qd, qdd).homes
    np.testing.assert_allclose(found, expected[:, i, 4], atol=1e-11)


# calling


def test_values_are_per_row_and_broadcast():
    arm = planar_arm()
    q = np.random.default_rng(5).normal(size=(3, 1, 2))
    l1 = np.array([0.3, 0.5, 0.9, 1.1])
    found = arm.mass_matrix(q, **(VALUES | {"l1": l1}))
    assert found.shape == (3, 4, 2, 2)
    for k in range(4):
        expected = arm.with_values(**(VALUES | {"l1": l1[k]})).mass_matrix(q[:, 0])
        np.testing.assert_allclose(found[:, k], expected, atol=1e-14)
    task = arm.task_inertia(q[:, 0], rows="tx", **(VALUES | {"l1": l1[:3]}))
    for k in range(3):
        expected = arm.with_values(**(VALUES | {"l1": l1[k]})).task_inertia(q[k, 0], rows="tx")
        np.testing.assert_allclose(task[k], expected, rtol=1e-12)


def test_calls_with_symbols_that_change_and_stay():
    arm, q = planar_arm(), np.array([0.3, 0.5])
    once = arm.mass_matrix(q, **VALUES)
    other = arm.mass_matrix(q, **(VALUES | {"m1": 2.0}))
    assert not np.array_equal(once, other)
    assert np.array_equal(once, arm.mass_matrix(q, **VALUES))
    weightless = arm.task_bias(q, np.ones(2), rows="tx", gravity=False, **VALUES)
    assert weightless == pytest.approx(arm.with_values(**VALUES).task_bias(q, np.ones(2), rows="tx", gravity=False))


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
    np.testing.assert_allclose(kernel(1.2), arm.mass_matrix(q, **VALUES), atol=1e-14)
    written = arm.kinetic_energy(q, [1.0, 0.0], m1=ch.symbols("m1"), m2=0.0, l1=1.0, l2=1.0, g=1.0)
    assert repr(written) == "m1/6" or "m1" in repr(written)


def test_partial_values():
    arm = planar_arm().with_values(m1=1.2, l1=0.5)
    assert arm.symbols == ("m2", "l2", "g") and isinstance(arm, SymbolicRobot)
    q = np.array([0.3, 0.5])
    rest = {name: VALUES[name] for name in arm.symbols}
    np.testing.assert_allclose(arm.mass_matrix(q, **rest), planar_arm().mass_matrix(q, **VALUES), atol=1e-14)
    renamed = arm.with_values(m2=2 * ch.symbols("mass"))
    assert "mass" in renamed.symbols and "m2" not in renamed.symbols


def test_variations_keep_symbols():
    arm, q = planar_arm(), np.array([0.2, -0.4])
    free = arm.with_base("planar")
    assert free.symbols and free.n == 5
    assert free.mass_matrix(np.zeros(5), **VALUES).shape == (5, 5)
    locked = arm.with_locked({"joint2": 0.3})
    plain = arm.with_values(**VALUES)
    np.testing.assert_allclose(
        locked.mass_matrix([0.1], **VALUES), plain.with_locked({"joint2": 0.3}).mass_matrix([0.1]), atol=1e-13
    )
    part = arm.subtree("link1")
    names = {name: VALUES[name] for name in part.symbols}
    assert part.mass_matrix([0.1], **names) == pytest.approx(plain.subtree("link1").mass_matrix([0.1]))
    assert arm.random(0).shape == q.shape and not arm.neutral().any()


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


# errors


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
    assert robot.mass_matrix([0.1], a=1.0, b=1.0) == pytest.approx(1.0)
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
            np.testing.assert_allclose(found[k], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
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


# operations


@pytest.mark.parametrize(("name", "last", "all_of_them"), [("ur5", 400, 696), ("panda", 653, 789)])
def test_inertias_cost_what_parameters_cost(name, last, all_of_them):
    robot = ch.load(name)
    p = robot.inertial_parameters.astype(object)
    p[-1] = ch.symbols("p", shape=10)
    assert int(robot.with_inertial_parameters(p).kernel("inverse_dynamics").operations) <= last
    every = robot.with_inertial_parameters(ch.symbols("p", shape=p.shape))
    assert int(every.kernel("inverse_dynamics").operations) <= all_of_them
    assert int(robot.kernel("inverse_dynamics", parameters=robot.link_names[-1]).operations) == last
    assert int(robot.kernel("inverse_dynamics", parameters=list(robot.link_names)).operations) == all_of_them


def test_a_symbol_changes_nothing_where_it_is_not():
    panda = ch.load("panda")
    robot = panda.with_gravity([0.0, 0.0, -ch.symbols("g")])
    assert int(robot.kernel("mass_matrix").operations) == int(panda.kernel("mass_matrix").operations)
    assert [x.name for x in robot.kernel("mass_matrix").inputs] == ["q", "g"]


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
