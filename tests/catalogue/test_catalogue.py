"""Every function of the catalogue, on every robot and every leaf: one text, one answer.

The reference is the function run eagerly on floats in the link frames as given, by the algorithms tested against
Pinocchio in tests/dynamics; here the catalogue's own path (cheap coordinates, tracing, machine code) must agree.
"""

import warnings
from functools import cache
from importlib import import_module
from typing import Any

import mpmath
import numpy as np
import pytest
from support.fifty_digits import mpmath as _registered  # noqa: F401  (makes mpmath numbers leaves)
from support.random_trees import pinocchio_model, random_mechanism
from support.sweeps import sweep
from support.tolerances import FLOAT32, FLOAT64, close

import chasles as ch
from chasles import arrays, zoo
from chasles.catalogue import INPUTS, Entry, Options, Traceable, catalogue, compute, trace
from chasles.catalogue.entry import declare
from chasles.graph.interpret import interpret
from chasles.graph.trace import nested
from chasles.lie import SE3
from chasles.model.coordinates import Aligned
from chasles.model.mechanism import Mechanism
from chasles.model.tree import Tree
from chasles.robot.methods.kernels import large
from chasles.scalar.dual import Dual

CATALOGUE = catalogue()


def is_long(item: Entry) -> bool:
    """Whether its program is: derivatives, tensors, regressors, functions of a task. They are tested on few robots."""
    shapes = item.outputs.values()
    return item.task or item.large is not None or len(shapes) > 1 or any("parameters" in shape for shape in shapes)


NAMES = tuple(name for name, item in CATALOGUE.items() if not is_long(item))
REST = tuple(name for name in CATALOGUE if name not in (*NAMES, "discrete_step"))  # which has no answer everywhere
ROBOTS = [*zoo.names(), *(f"random{k}" for k in range(20))]
BATCH = 5
# Revolute, sliding and screwing joints, gears, branches, several roots, merged links, axes that lie well and do not.
FEW = ["spherical_pendulum", "stanford", "panda", "random6", "random11"]


@cache
def mechanism_of(name: str) -> Mechanism:
    if name.startswith("random"):
        return random_mechanism(int(name[6:]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        return ch.load(name).mechanism


def states(mech: Mechanism, names: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    sizes = {"n": mech.n, "nq": mech.coupling.nq, "links": mech.bodies, "frames": len(mech.frames)}
    keys = [key for key in INPUTS if any(key in CATALOGUE[name].inputs for name in CATALOGUE)]
    reach = {"q": 0.3} if mech.name in ("isometric6", "flywheel7") else {}  # away from where M is singular
    if "discrete_step" in names:  # a step of unit time is a short one
        reach |= dict.fromkeys(("u", "v", "momenta"), 0.01)
    return {
        key: reach.get(key, 1.0)
        * rng.uniform(-1.5, 1.5, (BATCH, *(sizes[s] if isinstance(s, str) else s for s in INPUTS[key])))
        for key in keys
    }


def leaves(x: np.ndarray) -> Any:
    return nested([float(v) for v in x.ravel()], x.shape)


class AsGiven(Traceable):
    """A mechanism in its own link frames, with its own inertias: nothing aligned, nothing regrouped."""

    @property
    def aligned(self) -> Aligned:  # type: ignore[override]
        return Aligned(self.mechanism.tree, (SE3.identity(),) * self.mechanism.bodies)

    @property
    def cheap(self) -> Tree:  # type: ignore[override]
        return self.mechanism.tree


@cache
def reference(name: str, names: tuple[str, ...] = NAMES) -> list[np.ndarray]:
    """Every function at every state, on floats: a list by output of arrays (BATCH, ...)."""
    mech = mechanism_of(name)
    given = states(mech, names)
    plain, rows = AsGiven(mech), []
    for b in range(BATCH):
        state = {k: leaves(v[b]) for k, v in given.items()}
        results: list[Any] = []
        for item in (CATALOGUE[f] for f in names):
            result = item.compute(plain, Options(), **{k: state[k] for k in item.inputs})
            results += result if len(item.outputs) > 1 else [result]
        rows.append(results)
    shapes = shapes_of(mech, names)
    return [np.array([np.reshape(arrays.flat(row[f]), shape) for row in rows]) for f, shape in enumerate(shapes)]


def shapes_of(mech: Mechanism, names: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Of every output."""
    sizes = {"n": mech.n, "nq": mech.coupling.nq, "links": mech.bodies, "frames": len(mech.frames)}
    sizes |= {"parameters": 10 * mech.bodies, "m": 6}
    shapes = [shape for name in names for shape in CATALOGUE[name].outputs.values()]
    return [tuple(sizes.get(s, s) for s in shape) for shape in shapes]  # type: ignore[misc]


@pytest.mark.parametrize("robot", sweep(ROBOTS, FEW))
def test_compiled_is_eager(robot: str) -> None:
    mech, given = mechanism_of(robot), states(mechanism_of(robot))
    kernel = ch.Robot(mech).kernel(NAMES)
    results = kernel(*(given[o.name] for o in kernel.inputs))
    for name, result, expected in zip(NAMES, results, reference(robot), strict=True):
        assert close(result, expected, FLOAT64, scale=size(name, robot)), name


@pytest.mark.parametrize("robot", sweep(ROBOTS, ["random11"]))
def test_single_precision(robot: str) -> None:
    mech, given = mechanism_of(robot), states(mechanism_of(robot))
    kernel = ch.Robot(mech).kernel(NAMES, dtype="float32")
    results = kernel(*(given[o.name] for o in kernel.inputs))
    for name, result, expected in zip(NAMES, results, reference(robot), strict=True):
        assert result.dtype == np.float32
        assert close(result, expected, FLOAT32, scale=size(name, robot)), name


@pytest.mark.parametrize("name", REST)
@pytest.mark.parametrize("robot", sweep(["stanford", "scara", "random6", "random12"], ["random6"]))
def test_derivatives_and_tensors(robot: str, name: str) -> None:
    mech, given = mechanism_of(robot), states(mechanism_of(robot), (name,))
    kernel = ch.Robot(mech).kernel(name)
    results = kernel(*(given[o.name] for o in kernel.inputs))
    expected = reference(robot, (name,))
    scale = max(float(np.abs(x).max()) for x in expected)
    tolerance = FLOAT64
    if CATALOGUE[name].task:  # inverses of what may be nearly singular, or is
        scale, tolerance = max(scale, 1.0), 1e-8
    for o, result, x in zip(kernel.outputs, results if len(expected) > 1 else [results], expected, strict=True):
        assert close(result, x, tolerance, scale), o.name


def size(name: str, robot: str) -> float:
    """The size of what may cancel in a result: torques of the whole for a part of them."""
    if name in ("gravity_forces", "bias_forces", "inverse_dynamics", "coriolis_matrix", "potential_energy"):
        return float(np.abs(reference(robot)[NAMES.index("joint_wrenches")]).max()) if mechanism_of(robot).n else 0.0
    return 1.0


@pytest.mark.parametrize("robot", sweep(["panda", "scara", "random3", "random11"], ["scara", "random11"]))
def test_a_batch_in_each_leaf(robot: str) -> None:
    mech, given = mechanism_of(robot), states(mechanism_of(robot))
    flat = {k: nested([v.reshape(BATCH, -1)[:, i] for i in range(v[0].size)], v.shape[1:]) for k, v in given.items()}
    for f, result in enumerate(compute(mech, NAMES, flat, Options())):
        rows = np.stack([np.broadcast_to(x, BATCH) for x in arrays.flat(result)], axis=1)
        assert close(rows.reshape(BATCH, *shapes_of(mech, NAMES)[f]), reference(robot)[f]), NAMES[f]


@pytest.mark.parametrize("robot", ["stanford", "random5"])
def test_traced_and_interpreted_on_floats_duals_and_mpmath(robot: str) -> None:
    mech, given = mechanism_of(robot), states(mechanism_of(robot))
    program = trace(mech, NAMES, Options())
    row = [[float(x) for x in given[o.name][0].ravel()] for o in program.inputs]
    plain = interpret(program, row)
    dual = interpret(program, [[Dual(x, 0.5) for x in values] for values in row])
    exact = interpret(program, [[mpmath.mpf(x) for x in values] for values in row])
    step = 1e-6
    ahead, behind = (interpret(program, [[x + s * 0.5 * step for x in v] for v in row]) for s in (1, -1))
    for f, name in enumerate(NAMES):
        expected = reference(robot)[f][0].ravel()
        assert close(plain[f], expected, scale=size(name, robot)), name
        assert close([float(x) for x in exact[f]], expected, scale=size(name, robot)), name
        slopes = [x.derivative if isinstance(x, Dual) else 0.0 for x in dual[f]]
        difference = (np.array(ahead[f]) - np.array(behind[f])) / (2 * step)
        assert close(slopes, difference, 1e-6, scale=float(np.abs(expected).max()) + 1.0), name


@pytest.mark.parametrize("robot", sweep(ROBOTS, FEW))
def test_compiled_is_pinocchio(robot: str) -> None:
    """Where Pinocchio can express the robot: torques, accelerations, M and C, by the public methods. [NE-1, FD-3]"""
    import pinocchio as pin

    mech, given = mechanism_of(robot), states(mechanism_of(robot))
    twin, arm = pinocchio_model(mech), ch.Robot(mech)
    if robot == "spherical_pendulum":
        given["q"] = given["q"] * 0.5  # away from its singular configuration, where both lose digits
    for b in range(BATCH):
        q, qd, qdd = given["q"][b], given["qd"][b], given["qdd"][b]
        x, v, a = (twin.into(list(s)) for s in (q, qd, qdd))
        tau = twin.columns(pin.rnea(twin.model, twin.data, x, v, a))
        force = float(np.abs(arm.joint_wrenches(q, qd, qdd)).max())
        assert close(arm.inverse_dynamics(q, qd, qdd), tau, scale=force)
        M = pin.crba(twin.model, twin.data, x)
        M = twin.both(np.triu(M) + np.triu(M, 1).T)
        assert close(arm.mass_matrix(q), M)
        C = twin.both(pin.computeCoriolisMatrix(twin.model, twin.data, x, v))
        assert close(arm.coriolis_matrix(q, qd), C, scale=float(np.abs(M).max()))
        solved = arm.forward_dynamics(q, qd, tau)
        assert close(solved, qdd, FLOAT64 * max(1.0, float(np.linalg.cond(M)) / 1e3), scale=1.0)
        assert close(arm.mass_matrix_inverse(q) @ M, np.eye(mech.n), 1e-13 * max(1e3, float(np.linalg.cond(M))))


@pytest.mark.parametrize("name", CATALOGUE)
def test_options_that_are_read_are_declared(name: str) -> None:
    """`uses` is what a function reads, no more and no less."""
    read = set()

    class Watched(Options):
        def __getattribute__(self, key: str) -> Any:
            read.add(key)
            return super().__getattribute__(key)

    mech, options = mechanism_of("stanford"), Watched()
    read.clear()
    state = {key: leaves(x[0]) for key, x in states(mech).items()}
    CATALOGUE[name].compute(Traceable(mech), options, **{key: state[key] for key in CATALOGUE[name].inputs})
    assert read == CATALOGUE[name].uses


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_singular_mass_matrix_is_refused_where_its_inverse_is_needed(name: str) -> None:
    with pytest.warns(ch.ModelWarning):
        robot = ch.Robot.from_screws(
            [ch.screw([0, 0, 1]), ch.screw([0, 1, 0])], [np.eye(4)] * 2, [ch.Link(1.0, (0.3, 0.0, 0.0)), ch.Link(0.0)]
        )
    if "inverse" in CATALOGUE[name].needs:
        with pytest.raises(ch.SingularMassMatrixError, match=f"{name}: the mass matrix .* is singular"):
            robot.kernel(name)
        return
    given = states(robot.mechanism)
    kernel = robot.kernel(name)
    results = kernel(*(given[o.name] for o in kernel.inputs))
    assert all(np.isfinite(x).all() for x in (results if len(kernel.outputs) > 1 else [results]))


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_robot_without_mass_is_refused_where_one_is_needed(name: str) -> None:
    with pytest.warns(ch.ModelWarning):
        robot = ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [ch.Link(0.0)])
    if CATALOGUE[name].needs & {"mass", "inverse"}:
        with pytest.raises(ch.ChaslesError, match=name):
            robot.kernel(name)
    else:
        robot.kernel(name)


@pytest.mark.parametrize("name", CATALOGUE)
def test_what_large_robots_do_instead_and_parts_are_there(name: str) -> None:
    item = CATALOGUE[name]
    assert item.large is None or callable(large(item.large))
    assert set(item.parts) <= set(CATALOGUE) and (item.together is not None or not item.parts)
    assert set(item.inputs) | set(item.optional) <= set(INPUTS)


def test_facts_are_known_names() -> None:
    with pytest.raises(ch.ModelError, match="must be one of inverse, mass, metric, plane, got 'invers'"):
        declare("q", (), needs="invers")


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix"])
def test_long_robots_are_traced_with_signs_as_they_are(monkeypatch, name):
    """The numbers are the same whether sums absorb the signs of constants or, as from LONG bodies on, do not."""
    mech = mechanism_of("panda")
    given = {key: x[0].tolist() for key, x in states(mech).items()}
    found = []
    for bodies in (mech.bodies + 1, mech.bodies):
        monkeypatch.setattr(import_module("chasles.catalogue.trace"), "LONG", bodies)
        program = trace(mech, [name], Options())
        found.append((program.nodes, interpret(program, [given[operand.name] for operand in program.inputs])))
    (nodes, values), (uniform_nodes, uniform_values) = found
    assert nodes != uniform_nodes
    assert close(uniform_values, values, FLOAT64)
