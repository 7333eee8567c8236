"""What the facts of operands say, in numbers: units by scaling a robot, signs, orders and frames by what they mean."""

import re
from functools import cache
from typing import Any, get_args

import numpy as np
import pytest
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.catalogue import catalogue
from chasles.export.axes import EXPRESSED, IN_WORDS, Axes
from chasles.export.draws import drawn
from chasles.export.facts import FUNCTIONS, INPUTS, UNKNOWN
from chasles.export.functions import Options, subject
from chasles.export.units import Unit
from chasles.graph.interpret import interpret
from chasles.literals import Expressed
from chasles.model.task import task

SIZES = {"kg": 3.0, "m": 1.25, "s": 0.8, "rad": 1.0}  # of the units of one world in those of another


def factor(unit: Unit) -> float:
    return float(np.prod([SIZES[name] ** float(x) for name, x in unit._asdict().items()]))


def arm(kg: float = 1.0, m: float = 1.0, s: float = 1.0, **more: Any) -> ch.Robot:
    """Turning, sliding, turning; of every kind of parameter something. The same robot in other units."""
    force, slides = kg * m / s**2, np.array([False, True, False])
    of_joint = np.where(slides, 1.0, m)  # by which a force of a slide becomes that of a joint, times m
    rng = np.random.default_rng(5)
    links, homes = [], []
    for k in range(3):
        A, home = rng.normal(size=(3, 3)), np.eye(4)
        home[:3, :3] = np.linalg.qr(A)[0] * np.sign(np.linalg.det(np.linalg.qr(A)[0]))
        home[:3, 3] = m * rng.normal(size=3)
        inertia = kg * m**2 * (A + A.T + 20.0 * np.eye(3))
        links.append(ch.Link(kg * (1.0 + k), m * rng.normal(size=3), inertia, f"link{k}"))
        homes.append(home)
    axes = rng.normal(size=(3, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    points = m * rng.normal(size=(3, 3))
    screws = [[0.0, 0.0, 0.0, *a] if b else ch.screw(a, p) for a, b, p in zip(axes, slides, points, strict=True)]
    tool = homes[2].copy()
    tool[:3, 3] += m * rng.normal(size=3)
    given = {
        "links": links,
        "tool": tool,
        "gravity": m / s**2 * np.array([1.0, -2.0, -9.0]),
        "armature": kg * of_joint**2 * [0.3, 0.2, 0.1],
        "damping": force * s / m * of_joint**2 * [0.5, 0.4, 0.3],
        "friction": force * of_joint * [0.5, 0.4, 0.3],
    }
    return ch.Robot.from_screws(screws, homes, **{**given, **more})


@cache
def robots() -> tuple[ch.Robot, ch.Robot]:
    return arm(), arm(**{name: SIZES[name] for name in ("kg", "m", "s")})


ROWS = "tx rz"
MEASURED = [x for x in sorted([*catalogue(), "step"]) if any(y.unit != UNKNOWN for y in FUNCTIONS[x].outputs.values())]
LONG = {"riemann_curvature", "mass_matrix_second_derivatives", "inverse_dynamics_second_derivatives"}
LONG |= {"forward_dynamics_second_derivatives"}
LONG |= {f"{x}_model_derivatives" for x in ("inverse_dynamics", "forward_dynamics", "jacobian")}


def program(robot: ch.Robot, name: str):
    if name == "step":
        return subject(robot, name, Options()).body
    entry = catalogue()[name]
    return subject(robot, name, Options(inputs=entry.optional, rows=ROWS if "task" in entry.uses else None)).body


def results(robot: ch.Robot, name: str, given: dict) -> list[np.ndarray]:
    body = program(robot, name)
    return [np.array(y, float) for y in interpret(body, [list(np.ravel(given[o.name])) for o in body.inputs])]


def units(axes: Axes, fact) -> np.ndarray | None:
    """The factor of each element, nan where its unit is none of ours."""
    if fact.unit == UNKNOWN:
        return None
    return np.array([np.nan if u is None else factor(u) for _, u in axes._elements(fact)])


@pytest.mark.parametrize("name", sweep(MEASURED, {*MEASURED} - LONG))
def test_units_are_those_of_the_numbers(name):
    """In units of other sizes all numbers change as their units say."""
    one, other = robots()
    told, axes = FUNCTIONS[name], Axes.of(one, task=task(None, ROWS))
    given = drawn(one, program(one, name), axes)(np.random.default_rng(0))
    scaled = {key: np.ravel(x) * units(axes, told.inputs.get(key, INPUTS[key])) for key, x in given.items()}
    for key, y, z in zip(told.outputs, results(one, name, given), results(other, name, scaled), strict=True):
        by = units(axes, told.outputs[key])
        if by is not None:
            known = np.isfinite(by)
            assert close(z[known] / by[known], y[known], 1e-9, scale=1e-3), key


TEN = {
    "m": lambda m, c, I: m,
    **{f"mc{a}": lambda m, c, I, k=k: m * c[k] for k, a in enumerate("xyz")},
    **{f"I{a}{b}": lambda m, c, I, i=i, k=k: I[i, k] for i, a in enumerate("xyz") for k, b in enumerate("xyz")},
}  # I about the origin of the link's frame


def named_values(robot, fact, values, **axes):
    """The flat array of an operand, each element found by its name in the header."""
    return np.array([values[name] for name, _ in Axes.of(robot, **axes).described(fact).elements])


def test_inertial_parameters_are_in_the_order_that_is_said(rng):
    robot, (q, qd, qdd) = robots()[0], rng.normal(size=(3, 3))
    m, c, A = 2.5, np.array([0.3, -0.2, 0.5]), rng.normal(size=(3, 3))
    inertia = 20.0 * np.eye(3) + A + A.T
    about_origin = inertia + m * (c @ c * np.eye(3) - np.outer(c, c))
    values = {f"link2, {name}": of(m, c, about_origin) for name, of in TEN.items()}
    given = named_values(robot, INPUTS["parameters"], values, given_links=("link2",))
    assert len(set(given)) == 10
    body = subject(robot, "inverse_dynamics", Options(parameters=["link2"])).body
    by_order = interpret(body, [list(q), list(qd), list(qdd), list(given)])[0]
    links = [*robot.mechanism.links[:2], ch.Link(m, c, inertia, "link2")]
    assert close(np.array(by_order, float), arm(links=links).inverse_dynamics(q, qd, qdd), 1e-12)
    said = " ".join(name for name, _ in Axes.of(robot, given_links=("a",)).described(INPUTS["parameters"]).elements)
    shown = re.search(r"m, m c, (.*)", IN_WORDS["parameter"])
    assert shown and said.replace("a, ", "") == f"m mcx mcy mcz {shown[1]}"


def pairing(robot, J, F):
    """J^T F of a Jacobian with rows of a twist and a wrench, both by the names in the header."""
    twist = [name for name, _ in Axes.of(robot).entries("twist")]
    wrench = [name for name, _ in Axes.of(robot).entries("wrench")]
    rows = {name: J[k] for k, name in enumerate(twist)}
    return sum(F[k] * rows[name.replace("f", "v").replace("m", "w")] for k, name in enumerate(wrench))


SIGNS = {"": "exerts on its surroundings", "-": "act on the links"}


def test_wrenches_act_as_it_is_said(rng):
    robot = robots()[0]
    q, qd, qdd = rng.normal(size=(3, 3))
    F, without = rng.normal(size=(3, 6)), robot.inverse_dynamics(q, qd, qdd)
    jacobians = [robot.jacobian(q, name) for name in robot.link_names]
    found = {
        "tool_wrench": (robot.inverse_dynamics(q, qd, qdd, tool_wrench=F[0]), pairing(robot, robot.jacobian(q), F[0])),
        "link_wrenches": (
            robot.inverse_dynamics(q, qd, qdd, link_wrenches=F),
            sum(pairing(robot, J, f) for J, f in zip(jacobians, F, strict=True)),
        ),
    }
    for name, (tau, paired) in found.items():
        sign = re.search(r"tau has (-?)J\^T of", INPUTS[name].about)
        assert sign and SIGNS[sign[1]] in INPUTS[name].about
        assert close(tau - without, -paired if sign[1] else paired, 1e-12), name


def test_twists_are_expressed_as_it_is_said(rng):
    """Axes and points as they are said; the velocity by differences of the pose."""
    robot, (q, qd), h = robots()[0], rng.normal(size=(2, 3)), 1e-6
    T, ahead, behind = (robot.forward_kinematics(robot.integrate(q, s * h * qd)) for s in (0.0, 1.0, -1.0))
    R, p, rate = T[:3, :3], T[:3, 3], (ahead - behind) / (2.0 * h)
    W = rate[:3, :3] @ R.T
    w = np.array([W[2, 1], W[0, 2], W[1, 0]])
    meant = {
        "in its own axes, at its own origin": (R, p),
        "in the axes and at the origin of the space frame": (np.eye(3), np.zeros(3)),
        "at its own origin, in the axes of the space frame": (np.eye(3), p),
    }
    names = [name for name, _ in Axes.of(robot).entries("twist")]
    for expressed in get_args(Expressed):
        axes, point = meant[EXPRESSED[expressed]]
        v = rate[:3, 3] + np.cross(w, point - p)
        values = dict(zip(["wx", "wy", "wz", "vx", "vy", "vz"], [*(axes.T @ w), *(axes.T @ v)], strict=True))
        assert EXPRESSED[expressed] in Axes.of(robot, expressed=expressed).filled(FUNCTIONS["velocity"].about)
        expected = np.array([values[name] for name in names])
        assert close(robot.velocity(q, qd, expressed=expressed), expected, 1e-8), expressed
        assert close(robot.jacobian(q, expressed=expressed) @ qd, expected, 1e-8), expressed


def test_poses_and_momenta_by_their_names(rng):
    robot, (q, qd) = robots()[0], rng.normal(size=(2, 3))
    T = robot.forward_kinematics(q)
    R = {f"R{a}{b}": T[i, k] for i, a in enumerate("xyz") for k, b in enumerate("xyz")}
    p = {f"p{a}": T[i, 3] for i, a in enumerate("xyz")}
    said = Axes.of(robot).described(FUNCTIONS["forward_kinematics"].outputs["forward_kinematics"]).elements
    assert [{**R, **p, "the constant 0": 0.0, "the constant 1": 1.0}[name] for name, _ in said] == list(T.ravel())
    momentum = dict(
        zip([x for x, _ in Axes.of(robot).entries("momentum")], robot.centroidal_momentum_matrix(q) @ qd, strict=True)
    )
    total = robot.inertial_parameters[:, 0].sum()
    linear = total * (robot.centre_of_mass_jacobian(q) @ qd)
    assert close(np.array([momentum[f"p{a}"] for a in "xyz"]), linear, 1e-12)
    assert [unit for x, unit in said if x.startswith("p")] == ["m"] * 3


def test_poses_of_inverse_kinematics_are_within_the_limits():
    """So that its self-test can find what it asks for."""
    robot = arm(limits={"lower": [-0.1, -0.05, -0.1], "upper": [0.1, 0.05, 0.1]})
    made = subject(robot, "inverse_kinematics", Options(rows="tx ty"))
    assert made.draw is not None
    for k in range(5):
        given = made.draw(np.random.default_rng(k))
        found = robot.inverse_kinematics(given["T"], q0=given["q0"], rows="tx ty tz rx ry rz", attempts=20)
        assert found.found, k
