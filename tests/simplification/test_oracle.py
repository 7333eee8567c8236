"""Formulas have the values of the programs they were made of."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from support.formula_values import leaves_of, value, with_names
from support.printed import body_of
from support.random_expressions import VARIABLES, bounded, evaluate, points, trees
from support.random_trees import random_kinds, random_mechanism
from support.tolerances import close

import chasles as ch
from chasles.graph.interpret import interpret
from chasles.graph.program import Operand, Program
from chasles.graph.trace import trace
from chasles.simplification import Names, simplified
from chasles.zoo import names as zoo

pytestmark = pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
FUNCTIONS = ("mass_matrix", "coriolis_matrix", "gravity_forces", "inverse_dynamics", "forward_kinematics")


def agree(program: Program, rng: np.random.Generator, tolerance: float = 1e-11, **options: Any) -> None:
    """At random values of the inputs, the formulas are what the program computes."""
    leaves = leaves_of(program)
    found = simplified(program, leaves, **options)
    for _ in range(2):
        inputs = [[float(x) for x in rng.uniform(-2.0, 2.0, operand.size)] for operand in program.inputs]
        values = {x.name: y for names, row in zip(leaves, inputs, strict=True) for x, y in zip(names, row, strict=True)}
        values = with_names(found.where, values)
        for row, expected in zip(found.results, interpret(program, inputs), strict=True):
            assert close([value(x, values) for x in row], expected, tolerance, scale=1e-3)


@pytest.mark.parametrize("name", zoo())
def test_robots_of_the_zoo(name: str, rng: np.random.Generator) -> None:
    robot = ch.load(name)
    for function in ("gravity_forces",) if robot.n > 4 else FUNCTIONS:
        agree(body_of(robot.kernel(function)), rng)


@pytest.mark.parametrize("power", [2, 4, 6])
def test_powers_beside_constants(power: int, rng: np.random.Generator) -> None:
    """a s^n + b, c^n + b s^2 c^2 + a, where all terms may be brought to one degree."""

    def function(x: Any) -> Any:
        s, c = np.sin(x[0]), np.cos(x[0])
        sums = [x[1] * s**power + x[2], c**power + x[2] * s**2 * c**2 + x[1], x[2] + 3 * c**power, s**power - c**power]
        return np.stack([*sums, x[1] * (c**power + s**2) + x[2] * c**2, x[1] + (x[2] - x[1]) * c**power])

    agree(body_of(ch.compile(function, x=3)), rng, 1e-12)


def test_choices_within_choices(rng: np.random.Generator) -> None:
    agree(body_of(ch.load("planar_2r").kernel("task_inertia")), rng, 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", zoo())
def test_every_function_of_the_zoo(name: str, rng: np.random.Generator) -> None:
    robot, names = ch.load(name), Names()
    for function in (*FUNCTIONS, "forward_dynamics", "jacobian", "kinetic_energy"):
        agree(body_of(robot.kernel(function)), rng, names=names)


@pytest.mark.parametrize("name", ["scara", *(pytest.param(x, marks=pytest.mark.slow) for x in ("ur5", "panda"))])
@pytest.mark.parametrize("names", [True, False])
def test_symbolic_inertias(name: str, names: bool, rng: np.random.Generator) -> None:
    robot = ch.load(name)
    robot = robot.with_inertial_parameters(ch.symbols("p", shape=robot.inertial_parameters.shape))
    for function in ("mass_matrix", "inverse_dynamics"):
        agree(body_of(robot.kernel(function)), rng, names=names)


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(x, marks=pytest.mark.slow) for x in range(3, 30))])
def test_random_trees(seed: int, rng: np.random.Generator) -> None:
    agree(body_of(ch.Robot(random_mechanism(seed, 3)).kernel("inverse_dynamics")), rng)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_random_kinds_of_joints(seed: int, rng: np.random.Generator) -> None:
    robot = ch.Robot(random_kinds(seed))
    agree(body_of(robot.kernel("mass_matrix")), rng)
    agree(body_of(robot.kernel("gravity_forces")), rng)


@pytest.mark.parametrize("limit", [1, 6, pytest.param(1000, marks=pytest.mark.slow)])
def test_any_limit(limit: int, rng: np.random.Generator) -> None:
    agree(body_of(ch.load("puma560").kernel("gravity_forces")), rng, limit=limit)
    agree(body_of(ch.load("planar_2r").kernel("forward_dynamics")), rng, limit=limit)


@given(trees(), points())
def test_random_programs(tree: Any, x: list[float]) -> None:
    expected = bounded(tree, x)
    assume(expected.error < 1e-9 * (1.0 + abs(expected.value)))
    operands = Operand("v", (VARIABLES,)), Operand("y", ())
    program = trace(operands[:1], lambda v: [(operands[1], [evaluate(tree, v)])])
    leaves = leaves_of(program)
    found = simplified(program, leaves)
    values = with_names(found.where, {symbol.name: y for symbol, y in zip(leaves[0], x, strict=True)})
    assert close(value(found.results[0][0], values), expected.value, 1e-7, scale=1.0)
