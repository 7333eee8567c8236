"""Reprs: short for any robot and batch, true, quick; and as HTML escaped, well-formed, with the library's values."""

import pickle
import time
from functools import cache

import numpy as np
import pytest
from support.html import cells, is_harmless, parsed, text_of, value
from support.large_results import HOSTILE, NAMES, hostile_robot, large, leaves, record_classes
from support.result_types import members

import chasles as ch
from chasles.model.facts import joint
from chasles.recorded_motion import summary
from chasles.reprs import Lines, between, brief, cut, fields, figure, listed

MOST = 300  # characters
SECONDS = 0.5


def shown(x: object) -> str:
    """The repr, which is short, soon there, and safe to print."""
    start = time.perf_counter()
    text = repr(x)
    assert time.perf_counter() - start < SECONDS
    assert len(text) <= MOST and text.count("\n") <= 2, f"{len(text)} characters: {text[:400]}"
    assert "\x1b" not in text and " object at 0x" not in text
    return text


def html_of(x: object) -> str:
    html = x._repr_html_()  # type: ignore[attr-defined]
    assert is_harmless(html) and parsed(html) is not None and "<script" not in html and len(html) < 50_000
    return html


@cache
def panda() -> ch.Robot:
    return ch.load("panda")


@cache
def arm() -> ch.Robot:
    return ch.load("planar_2r")


# every class that people are given


@pytest.mark.parametrize("cls", record_classes(), ids=lambda cls: cls.__name__)
def test_records_are_short_for_large_robots_and_batches(cls: type) -> None:
    made = large(cls)
    assert shown(made).startswith(f"<{cls.__name__}") or cls in (ch.Sampling, ch.Restart)
    if hasattr(cls, "_repr_html_") and cls is not ch.results.Page:  # whose HTML is the page
        assert text_of(html_of(made)).startswith(cls.__name__)


def test_results_of_all_classes_have_both() -> None:
    for name, cls in members():
        if name.startswith("results.") and name not in ("results.Method", "results.Operand", "results.PinocchioTwin"):
            typeset = hasattr(cls, "_repr_html_") or hasattr(cls, "_repr_latex_")
            told = typeset or cls in (ch.results.Gauge, ch.results.LiveView, ch.results.Reduced)
            assert told, f"{name} has no HTML repr"


def test_no_public_class_has_the_repr_of_an_object() -> None:
    for name, cls in members():
        if isinstance(cls, type) and not issubclass(cls, BaseException) and cls is not ch.System:
            assert cls.__repr__ is not object.__repr__, f"{name} has no repr"


@pytest.mark.parametrize("shape", [(), (1000,), (10, 1000)], ids=str)
def test_leaves_are_short(shape: tuple[int, ...]) -> None:
    for x in leaves(shape):
        assert type(x).__name__ in shown(x) and (not shape or str(shape) in repr(x))
        html_of(x)


def test_kernels_name_their_results() -> None:
    found = arm().kernel(["mass_matrix", "gravity_forces"])(np.zeros((10_000, 2)))
    assert shown(found) == "<MassMatrixGravityForces: mass_matrix (10000, 2, 2), gravity_forces (10000, 2)>"
    assert pickle.loads(pickle.dumps(found)).gravity_forces.shape == (10_000, 2)
    one = arm().kernel(["mass_matrix", "gravity_forces"])(np.zeros(2))
    rows = cells(html_of(one))
    assert [[value(x) for x in row] for row in rows[2:4]] == pytest.approx(one.mass_matrix, rel=1e-3)


# values


def test_numbers_are_those_of_the_result() -> None:
    rows = np.array([1e-3, 2.5, np.nan, 1e-12] * 5)
    found = ch.results.Solutions(np.zeros((20, 7)), rows < 1.0, rows)
    assert shown(found) == "<Solutions: q (20, 7), found 10 of 20, residual (20,) 1e-12 to 2.5, 5 not finite>"
    table = {row[0]: row[1:] for row in cells(html_of(found))}
    assert table["q"] == ["(20, 7)", "0 to 0"] and table["found"][1] == "10 of 20"
    assert table["residual"][1].endswith("2.5\u202frad,\u202fm, 5 not finite")


def test_a_batch_of_twists_tells_its_range() -> None:
    V = ch.Twist(ch.Vec3(0.0, 0.0, np.linspace(-1.0, 2.0, 10_000)), ch.Vec3(1.0, 0.0, 0.0))
    assert shown(V) == "<Twist (10000,): w from (0, 0, -1) to (0, 0, 2), v from (1, 0, 0) to (1, 0, 0)>"
    assert "\u22121 to 2" in text_of(html_of(V))


def test_whole_numbers_keep_their_digits() -> None:
    many = np.arange(123456780, 123456789)
    assert brief(many[-2:]) == "[123456787, 123456788]" and brief(many) == "(9,) 123456780 to 123456788"
    assert text_of(between(many)) == "123456780 to 123456788"


def test_what_is_not_finite_is_counted() -> None:
    rows = np.array([1.0, np.nan] * 10)
    assert brief(rows) == "(20,) 1 to 1, 10 not finite" and brief(rows.reshape(4, 5)) == "(4, 5), 10 not finite"
    assert shown(ch.Vec3(rows, 0.0, 0.0)) == "<Vec3 (20,): from (1, 0, 0) to (1, 0, 0), 10 not finite>"


@pytest.mark.parametrize("x", [1.0, 0.25, 1 / 3, 1e-17 / 3, 2])
def test_what_looks_like_a_constructor_makes_it_again(x: float) -> None:
    for made in leaves(()):
        assert repr(made).startswith(("<", type(made).__name__))
    V = ch.Twist(ch.Vec3(x, 0.0, 1.0), ch.Vec3(0.0, 2.0, 0.0))
    text = shown(V)
    if text.startswith("<"):
        assert text.startswith(f"<Twist: w ({x:.8g}, 0.0, 1.0), v (") and len(repr(x)) > 10
    else:
        again = eval(text, {"Twist": ch.Twist, "Vec3": ch.Vec3})
        assert [*again.w, *again.v] == [*V.w, *V.v]


def test_a_screw_or_a_momentum_has_no_unit_of_its_own() -> None:
    """A Twist may be a screw, a velocity or the logarithm of a pose; a Wrench a force or a momentum."""
    w, v = ch.Vec3(0.0, 0.0, 1.0), ch.Vec3(0.0, 0.0, 0.0)
    for x in (ch.Twist(w, v), ch.Wrench(w, v)):
        assert not {"rad/s", "m/s", "N", "N\u202fm"} & set(text_of(html_of(x)).split())
        assert "/s" not in html_of(x) and cells(html_of(x))[0][1] == "(0, 0, 1)"


def test_a_pose_in_a_notebook_is_its_matrix() -> None:
    T = ch.SE3.exp(ch.Twist(ch.Vec3(0.1, 0.2, 0.3), ch.Vec3(1.0, 2.0, 3.0)))
    wanted = [[*row, x] for row, x in zip(T.R.matrix, T.p, strict=True)]
    assert [[value(x) for x in row] for row in cells(html_of(T))] == [pytest.approx(row, rel=1e-3) for row in wanted]


def test_the_table_of_a_robot_is_the_robot() -> None:
    m = panda().mechanism
    html = html_of(panda())
    rows = {row[0]: row for row in cells(html)}
    for i, name in enumerate(m.joint_names):
        row, known = rows[name], joint(m, i)
        low, _, high = row[4].partition(" to ")
        assert row[1] == "revolute" and row[7] == m.link_names[i]
        assert [value(low), value(high)] == pytest.approx([known["lower"], known["upper"]], rel=1e-3)
        axis = [value(x) for x in row[2].strip("()").split(", ")]
        assert axis == pytest.approx(m.screws[i, :3].tolist(), abs=1e-3)
        assert value(rows[m.link_names[i]][1]) == pytest.approx(m.links[i].mass, rel=1e-3)
    assert "16.82 kg" in text_of(html) and "7 joints" in text_of(html)


def test_base_parameters_are_told_as_sums() -> None:
    found = arm().base_parameters()
    assert shown(found).startswith(f"<BaseParameters: {found.count} of 20 inertial parameters, condition ")
    rows = cells(html_of(found))[1:]
    assert [row[1] for row in rows] == found.describe()[:12]


def test_balance_tells_which_joints() -> None:
    found = arm().balance(samples=4)
    rows = {row[0]: value(row[1]) for row in cells(html_of(found))[1:]}
    assert rows == pytest.approx(dict(found.breaks), rel=1e-3)
    assert "not balanced" in shown(found) and repr(found.joint) in shown(found)


# robots


def test_a_robot_of_hostile_names() -> None:
    robot = hostile_robot()
    assert shown(robot).startswith("<Robot '<script>") and "kg, tool on link" in repr(robot)
    html = html_of(robot)
    assert "and 28 more" in text_of(html) and HOSTILE in text_of(html) and f"{NAMES[11]} " in text_of(html)
    for x in (
        robot.mechanism,
        robot.mechanism.tree,
        robot.mechanism.coupling,
        robot.links[0],
        robot.kernel("jacobian"),
    ):
        shown(x)
    html_of(robot.links[0])
    html_of(robot.kernel("potential_energy"))


def test_every_kind_of_joint_has_a_row() -> None:
    eye = np.eye(4)
    screws = [ch.prismatic([0, 0, 1]), ch.screw([0, 0, 1], pitch=0.5), *np.zeros((3, 6))]
    kinds = ["screw", "screw", "spherical", "planar", "free"]
    robot = ch.Robot.from_screws(screws, [eye] * 5, [ch.Link(1.0, inertia=[1, 1, 1])] * 5, kinds=kinds)
    rows = cells(html_of(robot))[1:6]
    assert [row[1] for row in rows] == ["prismatic", "helical, 0.5\u202fm/rad", "spherical", "planar", "free"]
    assert "14 degrees of freedom" in text_of(html_of(robot)) and rows[0][4] == "none"


def test_a_robot_with_symbols() -> None:
    names = [f"m{k}" for k in range(40)]
    masses = ch.symbols(" ".join(names))
    homes = np.tile(np.eye(4), (40, 1, 1))
    links = [ch.Link(m * m + 1.0, [m, 0.0, 0.0], [1, 1, m]) for m in masses]
    robot = ch.Robot.from_screws(np.tile(ch.screw([0, 0, 1]), (40, 1)), homes, links)
    assert "m39>" in shown(robot)
    assert "m0" in text_of(html_of(robot)) and "m0" in shown(robot.links[0]) and "m0" in html_of(robot.links[0])
    turned = ch.Robot.from_screws([ch.screw([masses[0], 0, 1])], homes[:1], [ch.Link(1.0)])
    assert "m0" in text_of(html_of(turned))


def test_doubts_are_lines() -> None:
    few, many = Lines(["x"]), Lines(f"{name} {'is doubtful ' * 9}" for name in NAMES)
    assert repr(few) == "('x',)" and few == ("x",) and repr(Lines()) == "()"
    assert "and 38 more" in shown(many) and "and 28 more" in text_of(html_of(many)) and many == tuple(many)
    assert type(panda().doubts) is Lines and type(pickle.loads(pickle.dumps(panda())).doubts) is Lines


# motions


def motion_of(rows: int, samples: int, system: object = None, **more: object) -> ch.Trajectory:
    t = np.linspace(0.0, 1.0, samples)
    q = np.stack([np.sin(t), -t], axis=-1)
    q = np.broadcast_to(q, (rows, samples, 2)) if rows else q
    return ch.Trajectory(t, q, q, q, system=system, **more)  # type: ignore[arg-type]


def test_a_motion_in_a_notebook() -> None:
    event = ch.results.Occurrence(HOSTILE, 0.5, np.zeros(2), np.zeros(2))
    motion = motion_of(0, 501, arm(), events=(event,), signals={HOSTILE: np.zeros(501)})
    html = html_of(motion)
    rows = {row[0]: row[1:] for row in cells(html)}
    for name, x in zip(motion.labels.q, motion.q.T, strict=True):
        found = [value(entry) for entry in rows[name][:4]]
        assert found == pytest.approx([x[0], x[-1], x.min(), x.max()], rel=1e-3) and rows[name][4] == "rad"
    assert rows[HOSTILE][0] == "0.5\u202fs" and "<svg" in html and HOSTILE in text_of(html)


def test_of_many_coordinates_those_that_move_are_drawn() -> None:
    t, q = np.linspace(0.0, 1.0, 20), np.zeros((20, 40))
    q[:, 31] = t
    html = html_of(ch.Trajectory(t, q, q, q))
    legend = [x.text for x in parsed(html).iter("{http://www.w3.org/2000/svg}text")]
    assert "and 32 more" in legend and legend[5] == "q32"  # after title and ticks


def test_a_large_batch_of_motions_is_told_at_once() -> None:
    motion = motion_of(10_000, 500, arm())
    assert shown(motion).endswith("10000 motions of 500 samples over 1 s>")
    assert "the first of 10000" in text_of(html_of(motion))
    none = motion_of(3, 5)[0:0]
    assert "no time" in shown(none) and "no time" in text_of(html_of(none))
    x = np.zeros((0, 5, 2))
    empty = ch.Trajectory(np.arange(5.0), x, x, x)
    assert "0 motions of 5" in shown(empty) and "no motion" in html_of(empty)


def test_nothing_is_compiled_to_tell_a_motion(own_kernels: None) -> None:
    robot = ch.load("planar_2r").with_gravity([0.0, -3.5, 0.0])
    shown(motion_of(0, 51, robot))
    assert not robot.kernel("kinetic_energy").compiled and not robot.kernel("potential_energy").compiled


def test_the_change_of_energy_is_that_of_the_motion() -> None:
    motion = motion_of(3, 51, arm())
    told = summary.energy_change(motion)
    E = motion.energy
    assert told == pytest.approx(np.abs(E - E[..., :1]).max(), rel=1e-9)
    assert told == pytest.approx(summary.energy_change(motion), rel=1e-9)  # from what is known now
    assert f"energy changes by up to {told:.2g} J" in shown(motion)
    assert summary.energy_change(motion_of(3, 51)) is None


def test_a_motion_of_a_system_that_cannot_be_asked() -> None:
    def broken(q: object, qd: object) -> object:
        raise RuntimeError("no Lagrangian")

    system = ch.LagrangianSystem(2, broken, name=HOSTILE)
    assert "energy" not in shown(motion_of(0, 5, system))
    html_of(motion_of(0, 5, system))


# programs and systems


def test_programs() -> None:
    kernel = arm().kernel("inverse_dynamics")
    assert kernel.operations.total > 0  # traced, if it was not
    assert "operations>" in shown(kernel) and shown(kernel.program).startswith("<Program: q[2], qd[2], qdd[2] -> ")
    rows = cells(html_of(kernel))
    assert rows[1] == ["input", "q", "(2,)"] and rows[4] == ["output", "inverse_dynamics", "(2,)"]
    html_of(kernel.program)
    assert f"{kernel.operations.total} operations" in text_of(html_of(kernel.operations))
    program = ch.compile(lambda x: ch.loop(lambda y: y * y, x, count=3), x=()).program
    assert isinstance(program, ch.Program)
    loop = program.loops[0]
    assert shown(loop).startswith("<Loop of 3 steps: ")
    html_of(loop)


def test_a_program_on_disk_is_not_traced_to_be_told() -> None:
    from chasles.graph.deferred import Deferred

    def trace() -> ch.Program:
        raise AssertionError("traced")

    body = ch.compile(lambda x: x + 1.0, x=(3,)).program
    deferred = Deferred(body.inputs, body.outputs, "recipe", trace)
    assert shown(deferred) == f"<Program: x[3] -> {body.outputs[0].name}[3], not traced yet>"
    assert "not traced yet" in html_of(deferred)
    kernel = ch.Kernel(body, "f")
    kernel.program = deferred
    assert shown(kernel) == f"<Kernel f(x[3]) -> {body.outputs[0].name}[3], float64>"
    assert "operations" not in html_of(kernel)


def test_many_operands_are_counted() -> None:
    def total(**given: object) -> object:
        return sum(given.values())  # type: ignore[arg-type]

    names = [f"a_rather_long_name_{k}" for k in range(30)]
    source = f"def f({', '.join(names)}): return {' + '.join(names)}"
    space: dict[str, object] = {}
    exec(source, space)
    kernel = ch.compile(space["f"], **dict.fromkeys(names, ()))  # type: ignore[arg-type]
    assert "and 27 more" in shown(kernel) and "and 27 more" in shown(kernel.program)
    assert "and 19 more" in text_of(html_of(kernel))


def test_systems() -> None:
    names = [f"coordinate {HOSTILE} {k}" for k in range(40)]
    system = ch.LagrangianSystem(40, lambda q, qd: qd @ qd / 2.0, name=HOSTILE, coordinate_names=names)
    assert "40 coordinates (" in shown(system) and "LagrangianSystem of 40 coordinates" in text_of(html_of(system))
    held = ch.Constraint.holonomic(lambda q: q[0] - q[1], HOSTILE)
    constrained = ch.ConstrainedSystem(ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2.0, name=HOSTILE), held)
    assert "1 degrees of freedom of 2" in shown(constrained) and "holonomic" in text_of(html_of(constrained))
    for x in (held, constrained.redundancy, constrained.reduced(), constrained.gauge(), constrained.constraint):
        shown(x)
    html_of(held)
    html_of(constrained.redundancy)


def test_traced_arrays() -> None:
    x = ch.symbols("a_long_name", shape=(60, 50))
    assert repr(x[0, :2]).count("a_long_name") == 2
    assert (
        shown(x).startswith("<TracedArray (60, 50): a_long_name[0, 0], ") and repr(x[0, :2]).count("a_long_name") == 2
    )
    assert "a_long_name[0, 0]" in shown(x[:4, :4] @ x[:4, :4]) and shown(np.sin(x[0, 0]) * x[0, 1])


# words


def test_words() -> None:
    assert figure(0.5) == "0.5" and figure(np.float64(1 / 3)) == "0.333333" and figure(7) == "7"
    assert listed(["a", "b"]) == "a, b" and listed([]) == ""
    assert listed(map(str, range(100)), 10) == "0, 1, 2, 3, and 96 more"
    assert listed(["x" * 200], 20) == "1 of them"
    assert cut("x" * 1000).count("x") < 280 and cut("\x1b[31m") == "\\x1b[31m"
    assert brief({"a": 1.0}) == "{a: 1.0}" and brief(()) == "()" and brief(None) == "None"
    assert (
        brief(np.zeros((0, 3))) == "(0, 3)"
        and brief(np.array(2.0)) == "2.0"
        and brief(np.array([-0.0, 1.0])) == "[0, 1]"
    )
    assert brief(np.array("text")) == "'text'" and brief(np.array([None] * 3)) == "(3,)"
    assert brief(np.full(20, np.nan)) == "(20,), 20 not finite" and brief(np.sin) == "sin()"
    assert fields(ch.results.Linearization(1.0, 2.0)) == {"A": 1.0, "B": 2.0}  # type: ignore[arg-type]
