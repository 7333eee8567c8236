"""Functions that leave: what their files are made of, and the folder that they go to."""

import json
import os
import subprocess
import sys
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.export import targets
from chasles.export.export import exported
from chasles.export.functions import Options, own, subject
from chasles.graph.interpret import interpret


def plain(function):
    """A target of one file: the program as JSON, and the calls."""
    calls = [[reference.inputs, reference.outputs, function.allowed(reference)] for reference in function.references]
    operands = {name: [d.about, d.elements] for name, d in function.operands.items()}
    about = {"name": function.name, "about": function.about, "operands": operands, "calls": calls}
    return {f"{function.name}.json": json.dumps(about), f"sub/{function.name}.json": function.body.to_json()}


@pytest.fixture(autouse=True)
def plain_target(monkeypatch):
    real = targets.find
    module = SimpleNamespace(files=plain, ABOUT="JSON")
    monkeypatch.setattr(targets, "find", lambda name: module if name == "plain" else real(name))


@cache
def arm():
    return ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0])


def made(function, system=None, dtype="float64", **options) -> Any:
    return exported(subject(system or arm(), function, Options(**options), dtype), None, dtype)


def test_files_are_written_and_their_paths_come_back(tmp_path):
    paths = arm().export("inverse_dynamics", to="plain", folder=tmp_path / "new" / "id")
    folder = tmp_path / "new" / "id"
    assert paths == [folder / "inverse_dynamics.json", folder / "sub" / "inverse_dynamics.json"]
    found = json.loads(paths[0].read_text())
    assert found["operands"]["q"] == ["joint coordinates", [["joint1", "rad"], ["joint2", "rad"]]]
    assert found["operands"]["tau"][1] == [["joint1", "N m"], ["joint2", "N m"]]
    for (q, qd, qdd), (tau,), _ in found["calls"]:
        assert close(arm().inverse_dynamics(q, qd, qdd), tau, 1e-12)
    assert len(found["calls"]) == 5


def test_a_kernel_leaves_too(tmp_path):
    def root(x, y):
        """The root of a product."""
        return np.sqrt(x * y)

    kernel = ch.compile(root, x=2, y=())
    (path, _) = kernel.export("plain", tmp_path, name="square_root")
    found = json.loads(path.read_text())
    assert path.name == "square_root.json" and found["about"] == "The root of a product."
    (x, (y,)), (z,), _ = found["calls"][0]
    assert close(z, np.sqrt(np.array(x) * y), 1e-12)
    with pytest.raises(ch.ModelError, match="name must be a word of letters"):
        kernel.export("plain", tmp_path, name="square root")


FUNCTIONS = [
    ("mass_matrix", {"derivative": "q"}),
    (["mass_matrix", "gravity_forces"], {}),
    ("jacobian", {"expressed": "space"}),
    ("task_inertia", {"rows": "tx ty"}),
    ("inverse_dynamics", {"inputs": "tool_wrench", "parameters": "link2"}),
    ("step", {}),
    ("step", {"method": "semi_implicit", "dt": 1e-3}),
    (lambda t, q, qd, K: -K * q, {"parameters": {"K": 2}}),
]


@pytest.mark.parametrize(("function", "options"), FUNCTIONS, ids=lambda x: getattr(x, "__name__", str(x))[:30])
def test_calls_are_what_the_program_computes(function, options):
    found = made(function, **options)
    assert len(found.references) == 5 and found.tolerance <= 1e-11
    for reference in found.references:
        assert len(reference.inputs) == len(found.body.inputs)
        again = interpret(found.body, [list(x) for x in reference.inputs])
        for y, z, limit in zip(again, reference.outputs, found.allowed(reference), strict=True):
            assert np.abs(np.array(y, float) - z).max() <= limit
    named = {o.name for o in (*found.body.inputs, *found.body.outputs)} - {"K"}
    assert named == set(found.operands) and found.about


def test_dt_is_an_input_unless_it_is_given():
    free, fixed = made("step"), made("step", dt=1e-3)
    assert [o.name for o in free.body.inputs] == ["q", "qd", "tau", "dt"]
    assert [o.name for o in fixed.body.inputs] == ["q", "qd", "tau"]
    q, qd, tau = fixed.references[0].inputs
    for mine, other in zip(fixed.references[0].outputs, arm().step(q, qd, tau, dt=1e-3), strict=True):
        assert close(mine, other, 1e-12)


def test_dt_of_a_rollout_too():
    free, fixed = made("rollout", steps=3), made("rollout", steps=3, dt=2e-3)
    assert [o.name for o in fixed.body.inputs] == [o.name for o in free.body.inputs if o.name != "dt"]
    assert [o.name for o in fixed.body.outputs] == [o.name for o in free.body.outputs]
    given = dict(zip((o.name for o in fixed.body.inputs), fixed.references[0].inputs, strict=True))
    tau = np.reshape(given["tau"], (3, 2)) if "tau" in given else None
    own = arm().rollout(given["q"], given["qd"], tau, dt=2e-3, steps=3)
    assert close(fixed.references[0].outputs[0], own.q[1:].ravel(), 1e-12)


def test_a_law_is_the_law():
    law = ch.control.ComputedTorque(
        arm(), lambda t: (np.stack([t, t * t]), np.stack([1.0, 2.0 * t]), np.stack([0.0 * t, 2.0])), K_p=9.0, K_d=6.0
    )
    found = made(law)
    assert found.name == "computed_torque" and [o.name for o in found.body.inputs] == ["t", "q", "qd"]
    (t,), q, qd = found.references[0].inputs
    assert close(found.references[0].outputs[0], law(t, np.array(q), np.array(qd)), 1e-12)


class Integral:
    def __init__(self, start):
        self.sum = start

    def __call__(self, t, q, qd):
        self.sum = self.sum + q
        return -self.sum


class Counter:
    calls = 0

    def __call__(self, t, q, qd):
        self.calls += 1
        return -q * self.calls


@pytest.mark.parametrize("law", [Integral(0), Integral(np.zeros(2)), Counter()], ids=["number", "array", "count"])
def test_a_law_that_keeps_something_is_refused(law):
    with pytest.raises(ch.TraceError, match=r"something else each time it is called.* a parameter of the law"):
        made(law)


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
def test_inverse_kinematics_is_that_of_the_robot(dtype):
    robot, limit = ch.load("scara"), {"float64": 1e-9, "float32": 1e-5}[dtype]
    found = made("inverse_kinematics", robot, dtype)
    assert found.tolerance >= 10 * limit and found.references
    for reference in found.references:
        q0, T = reference.inputs
        q, (reached,), (residual,) = reference.outputs
        T = np.reshape(T, (4, 4))
        own = robot.inverse_kinematics(T, q0)
        assert own.found and reached == 1.0 and residual <= limit and close(robot.forward_kinematics(q), T, 10 * limit)
        assert dtype == "float32" or close(q, own.q, 100 * limit)
    far = np.eye(4)
    far[0, 3] = 9.0
    q, found_it, residual = interpret(found.body, [[0.0] * 4, list(far.ravel())])
    assert found_it == [0.0] and residual[0] > 1.0


@cache
def bead():
    free = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2 - 9.81 * q[1], coordinate_names=["x", "y"])
    return free, ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: q @ q - 1.0, "rod"))


def test_systems_of_other_kinds():
    free, rod = bead()
    found = made("forward_dynamics", free)
    assert [o.name for o in found.body.outputs] == ["qdd"] and found.operands["q"].elements == (("x", ""), ("y", ""))
    found = made("forward_dynamics", rod)
    assert [o.name for o in found.body.outputs] == ["qdd", "multipliers", "pivot"]
    q, qd, tau = found.references[0].inputs
    own = rod.forward_dynamics(q, qd, tau)
    assert close(np.linalg.norm(q), 1.0, 1e-9) and close(found.references[0].outputs[0], own.qdd, 1e-9)
    assert [o.name for o in made("step", rod).body.outputs] == ["q_after", "qd_after"]


def test_rollouts():
    found = made(ch.Rollout(arm(), lambda t, q, qd: -qd, steps=4, every=2))
    assert found.body.outputs[0].shape == (2, 2) and found.operands["path"].elements[0][0] == "sample 0, joint1"
    q, qd, (dt,), (t0,) = found.references[0].inputs
    own = arm().rollout(q, qd, lambda t, q, qd: -qd, dt=dt, steps=4, t0=t0)
    assert close(found.references[0].outputs[0], own.q[2::2].ravel(), 1e-12)
    with pytest.raises(ch.ModelError, match="of another system"):
        made(ch.Rollout(ch.load("planar_2r"), steps=2))


def test_symbols_are_inputs():
    mass = ch.symbols("m")
    robot = ch.Robot.from_screws([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [ch.Link(mass, (0.1, 0, 0), (1, 1, 1))])
    found = made("mass_matrix", robot)
    assert [o.name for o in found.body.inputs] == ["q", "m"] and "symbol" in found.operands["m"].about


@pytest.mark.parametrize("function", ["inverse_dynamics", "discrete_step", "rollout"])
def test_a_payload_is_given_where_the_code_runs(function, tmp_path):
    robot = arm().with_payload("link2", ch.symbols("m"))
    options: dict[str, Any] = {"steps": 1, "dt": 1e-3} if function == "rollout" else {}
    path = robot.export(function, to="plain", folder=tmp_path, **options)[0]
    found = json.loads(path.read_text())
    assert "symbol" in found["operands"]["m"][0] and len(found["calls"]) == 5
    if function == "inverse_dynamics":
        (q, qd, qdd, (m,)), (tau,), _ = found["calls"][0]
        assert close(arm().with_payload("link2", m).inverse_dynamics(q, qd, qdd), tau, 1e-12)


def off(found, kernel):
    """How far another kernel is from the calls of a test, over what that allows."""
    worst = 0.0
    for reference in found.references:
        results = kernel(*(np.array(x, found.dtype) for x in reference.inputs))
        for y, z, limit in zip([results], reference.outputs, found.allowed(reference), strict=True):
            worst = max(worst, float(np.abs(np.ravel(y) - z).max()) / limit)
    return worst


def test_float32_has_its_own_tolerance_and_numbers():
    """What float32 does here passes by far; gravity of 9.80 and a mass that is off by a thousandth do not."""
    robot = ch.load("ur5")
    found = made("inverse_dynamics", robot, "float32")
    assert all(float(np.float32(x)) == x for x in found.references[0].inputs[0])
    assert found.tolerance <= 1e-5
    right = robot.kernel("inverse_dynamics", dtype="float32")
    heavier = np.array(robot.inertial_parameters)
    heavier[2] *= 1.001
    assert off(found, right) < 0.3
    for wrong in (robot.with_gravity([0.0, 0.0, -9.80]), robot.with_inertial_parameters(heavier)):
        assert off(found, wrong.kernel("inverse_dynamics", dtype="float32")) > 10.0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_tolerance_is_a_round_number_over_what_is_lost(dtype):
    """Of a difference of large numbers, whose inputs a test in float32 has exactly."""
    found = exported(own(ch.compile(lambda x: (x + 1e3) - 1e3, x=2)), None, dtype)
    eps = float(np.finfo(dtype).eps)
    assert 2.0 * 1e3 * eps / 4 < found.tolerance < 1e5 * eps and f"{found.tolerance:.0e}"[0] in "125"


def test_states_at_a_jump_or_without_a_result_are_left_out():
    def jumps(x):
        return np.stack([ch.where(x[0] < 1.0, 1.0, 2.0), np.sqrt(x[1] - 1.0)])

    found = exported(own(ch.compile(jumps, x=2)), None, "float64")
    assert all(np.isfinite(r.outputs[0]).all() and r.inputs[0][1] >= 1.0 for r in found.references)
    nowhere = exported(own(ch.compile(lambda x: np.sqrt(-1.0 - x * x), x=())), None, "float64")
    assert nowhere.references == ()


MISTAKES = [
    ("inverse_dynamcis", {}, "did you mean 'inverse_dynamics'"),
    ("rnea", {}, "did you mean 'inverse_dynamics'"),
    ("simulate", {}, "export 'step', or 'rollout'"),
    ("geodesic", {}, "no single compiled function"),
    ("inverse_dynamics", {"method": "rk4"}, "method: inverse_dynamics has no such option"),
    ("step", {"frame": "tool"}, "frame: step has no such option"),
    ("step", {"method": "rk5"}, "method must be one of"),
    ("step", {"dt": -1.0}, "dt"),
    ("rollout", {}, "say how many steps"),
    ("rollout", {"steps": "3"}, "steps must be"),
    ("rollout", {"steps": -1}, "steps must be"),
    ("mass_matrix", {"derivative": "qd"}, "qd"),
    (lambda t, q, qd: q if q[0] > 0 else qd, {}, "cannot be exported, at line"),
    (lambda q: q, {}, "must be a function of"),
    ([], {}, "at least one function"),
    (7, {}, "function must be a list of names"),
]


@pytest.mark.parametrize(("function", "options", "said"), MISTAKES, ids=lambda x: str(x)[:20])
def test_mistakes_are_told(function, options, said):
    with pytest.raises(ch.ChaslesError, match=said):
        made(function, **options)


def test_targets_that_are_not_there(tmp_path):
    for given, meant in (("C++", "c"), ("m", "matlab"), ("ts", "js"), ("tex", "latex")):
        with pytest.raises(ch.ModelError, match=f"did you mean '{meant}'") as error:
            targets.find(given)
        assert ", ".join(targets.names()) in str(error.value)
    for given in ("fortran", 7, None):
        with pytest.raises(ch.ModelError, match="to must be one of"):
            arm().export("mass_matrix", to=given, folder=tmp_path / "x")  # type: ignore[arg-type]
    assert not (tmp_path / "x").exists()


def test_files_of_others_stay(tmp_path):
    arm().export("mass_matrix", to="plain", folder=tmp_path)
    arm().with_gravity([0.0, -9.80, 0.0]).export("mass_matrix", to="plain", folder=tmp_path)  # which may be another
    arm().export("gravity_forces", to="plain", folder=tmp_path)
    (tmp_path / "mass_matrix.json").write_text("mine")
    with pytest.raises(ch.ModelError, match=r"mass_matrix\.json' was changed since it was exported"):
        arm().export("mass_matrix", to="plain", folder=tmp_path)
    (tmp_path / "jacobian.json").write_text("mine")
    with pytest.raises(ch.ModelError, match=r"jacobian\.json' exists, and is of no export.* overwrite=True"):
        arm().export("jacobian", to="plain", folder=tmp_path)
    assert (tmp_path / "jacobian.json").read_text() == "mine"
    arm().export("jacobian", to="plain", folder=tmp_path, overwrite=True)
    assert (tmp_path / "jacobian.json").read_text() != "mine"
    assert not list(tmp_path.rglob("*.part"))


def test_functions_of_others_stay(tmp_path):
    """Of another robot, another function of the same name, another target, and of crates, which hold one."""
    arm().export("mass_matrix", to="c", folder=tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    scara = ch.load("scara")
    for robot, function, to, name, said in (
        (
            scara,
            "mass_matrix",
            "c",
            None,
            r"mass_matrix\.c' is of mass_matrix of planar_2r in c: choose another name=,",
        ),
        (
            arm(),
            "jacobian",
            "c",
            "mass_matrix",
            r"mass_matrix\.c' is of mass_matrix of planar_2r in c: .* overwrite=True",
        ),
        (arm(), "jacobian", "cuda", None, r"CMakeLists\.txt' is of functions in c: choose another folder, or say"),
    ):
        with pytest.raises(ch.ModelError, match=said):
            robot.export(function, to=to, folder=tmp_path, name=name)
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}
    scara.export("mass_matrix", to="c", folder=tmp_path, name="mass_of_scara")
    arm().export("gravity_forces", to="c", folder=tmp_path, name="mass_matrix", overwrite=True)
    arm().export("gravity_forces", to="c", folder=tmp_path, name="mass_matrix")
    arm().export("jacobian", to="rust", folder=tmp_path / "crate")
    with pytest.raises(ch.ModelError, match="is of jacobian of planar_2r in rust: choose another folder"):
        arm().export("mass_matrix", to="rust", folder=tmp_path / "crate")


def test_a_test_without_calls_does_not_stay(tmp_path):
    """Of the same function; what others made, or have changed, does."""
    tests = {}
    for name in ("f", "g", "h"):
        ch.compile(lambda x: np.sqrt(x), x=2).export("c", tmp_path, name=name)
        tests[name] = tmp_path / f"{name}_test.c"
    tests["h"].write_text("mine")
    for name in ("f", "h"):
        ch.compile(lambda x: np.sqrt(-1.0 - x * x), x=2).export("c", tmp_path, name=name)
    assert [path.exists() for path in tests.values()] == [False, True, True]
    assert "f_test.c" not in json.loads((tmp_path / "chasles-export.json").read_text())["files"]


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a folder in which nobody can make one")
def test_a_folder_that_cannot_be_made():
    with pytest.raises(ch.ModelError, match="folder: '/proc/x' cannot be made: No such file"):
        arm().export("mass_matrix", to="plain", folder="/proc/x")


def test_places_that_cannot_be_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(ch.ModelError, match=r"file' is a file, and not a folder"):
            arm().export("mass_matrix", to="plain", folder=place)
    with pytest.raises(ch.ModelError, match="folder must be the path"):
        arm().export("mass_matrix", to="plain", folder=None)  # type: ignore[arg-type]


def test_a_robot_that_does_not_move():
    still = ch.Robot.from_screws([], [], [])
    with pytest.raises(ch.ModelError, match="has no joints"):
        made("mass_matrix", still)


TWICE = """
import sys
import chasles as ch
from chasles.export.targets import names
robot = ch.load("planar_2r")
for to in names() if sys.argv[2] == "all" else sys.argv[2].split():
    robot.export(["mass_matrix", "gravity_forces"], to=to, folder=f"{sys.argv[1]}/{to}")
"""


def written_by(folder, seed, which):
    """What another process writes, whose sets have another order."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    subprocess.run([sys.executable, "-c", TWICE, str(folder), which], check=True, env=environment, timeout=100)
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_bytes_in_another_process(tmp_path):
    ch.load("planar_2r").export(["mass_matrix", "gravity_forces"], to="c", folder=tmp_path / "here" / "c")
    other = written_by(tmp_path / "there", "1", "c")
    assert len(other) == 5
    for path, data in other.items():
        assert (tmp_path / "here" / path).read_bytes() == data


@pytest.mark.slow
def test_the_same_bytes_of_every_target(tmp_path):
    found = [written_by(tmp_path / seed, seed, "all") for seed in ("1", "2")]
    assert found[0] == found[1] and {path.parts[0] for path in found[0]} == set(targets.names())


def test_the_words_say_whose_function_it_is():
    said = made("gravity_forces").about
    assert said.endswith("Robot planar_2r; gravity (0 -9.81 0) m/s^2 in the space frame.")
    assert "friction of the joints count" not in said
    assert "under constraints: rod" in made("forward_dynamics", bead()[1]).about
    assert made("mass_matrix").operands["M"].about == "mass matrix M(q)"


def test_reduced_forms_of_constrained_systems():
    rod = bead()[1]
    reduced = rod.reduced(["x"])
    found = made(reduced, rod)
    assert [o.name for o in found.body.outputs] == ["ud", "qd", "multipliers"] and len(found.references) == 5
    for reference in found.references:
        q, u, tau = reference.inputs
        ud, qd, multipliers = reference.outputs
        assert close(qd, reduced.velocities(q, u), 1e-9) and close(ud, reduced.forward_dynamics(q, u, tau), 1e-9)
        assert close(multipliers, reduced.multipliers(q, u, tau), 1e-9)
    with pytest.raises(ch.ModelError, match="of another system"):
        made(reduced, bead()[0])


def test_a_kernel_of_one_s_own_has_the_facts_of_operands_that_are_called_so():
    found = made(ch.compile(lambda q, gain: gain * q, q=2, gain=()))
    assert found.operands["q"].elements[0] == ("joint1", "rad") and "gain" not in found.operands
    assert found.about.startswith("Robot planar_2r")
    other = made(ch.compile(lambda q: 2.0 * q, q=3))
    assert other.operands == {} and len(other.references) == 5


def test_what_float32_cannot_do_is_refused():
    def fixed_point(x):
        return ch.loop(lambda y: y - 1e-9 * (y * y - x), 1.0, count=3) - 1.0

    kernel = ch.compile(lambda x: fixed_point(x) * 1e9, x=())
    with pytest.raises(ch.ModelError, match="export it in float64"):
        exported(own(kernel), None, "float32")
    assert exported(own(kernel), None, "float64").references
