"""What grows is named on the way: formulas stay short, names are few, and the same in every process."""

import os
import subprocess
import sys
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from support import textbook
from support.formula_values import leaves_of, text
from support.printed import body_of

import chasles as ch
from chasles.formula.tree import Formula, Number, Symbol
from chasles.simplification import Names, Simplified, simplified

pytestmark = pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
LOWER = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
LINES = """
import chasles as ch
from chasles.simplification import simplified
from support.formula_values import leaves_of
program = ch.load("stanford").kernel("mass_matrix").program
print(simplified(program, leaves_of(program), limit=8))
"""


def symbolic(name: str) -> ch.Robot:
    robot = ch.load(name)
    return robot.with_inertial_parameters(ch.symbols("p", shape=robot.inertial_parameters.shape))


def of(robot: ch.Robot, function: str = "mass_matrix", **options: Any) -> Simplified:
    program = body_of(robot.kernel(function))
    return simplified(program, leaves_of(program), **options)


def words(formula: Formula) -> int:
    """How many numbers and symbols a formula has."""
    if isinstance(formula, (Number, Symbol)):
        return 1
    parts = [getattr(formula, field.name) for field in fields(formula)]  # type: ignore[arg-type]
    inner = [x for part in parts for x in (part if isinstance(part, tuple) else (part,))]
    return sum(words(x) for x in inner if isinstance(x, Formula))


def test_a_seven_joint_arm_with_symbolic_inertias() -> None:
    """All of its mass matrix in short formulas."""
    found = of(symbolic("panda"))
    assert max(words(x) for x in found.results[0]) < 250
    assert max(words(x.right) for x in found.where) < 120
    assert len(found.where) < 100
    assert not any(isinstance(x, Symbol) and x.name.startswith("u") for x in found.results[0])
    defined = [text(x.left) for x in found.where]
    assert len(set(defined)) == len(defined)


def test_choices_within_choices_are_named() -> None:
    """An element of few terms may hold functions of functions, each of which says its arguments several times."""
    found = of(ch.load("planar_2r"), "task_inertia", limit=7)
    assert max(words(x) for x in found.results[0]) < 120
    assert sum(words(x.right) for x in found.where) < 1_000


def test_divisors_within_divisors_are_named() -> None:
    found = of(ch.load("ur5"), "impulse_response")
    assert sum(words(x.right) for x in found.where) < 20_000  # without names a million


def test_quantities_are_sums() -> None:
    """Products such as s_2 s_4 get no names."""
    for equation in of(symbolic("puma560")).where:
        assert " + " in text(equation.right) or " - " in text(equation.right)


def test_long_products_are_not_multiplied_out() -> None:
    program = body_of(ch.compile(lambda x: sum(x[:10]) * sum(x[10:]), x=20))
    found = simplified(program, leaves_of(program))
    assert text(found.results[0][0]).startswith("u₁ (x₁₁ + x₁₂ + ")
    assert text(found.where[0].right) == "x₁ + x₂ + x₃ + x₄ + x₅ + x₆ + x₇ + x₈ + x₉ + x₁₀"


def test_the_limit() -> None:
    short, full = of(ch.load("puma560"), limit=4), of(ch.load("puma560"), limit=1000)
    assert not full.where
    assert len(short.where) > 5
    assert max(map(words, short.results[0])) < max(map(words, full.results[0]))


def test_the_same_in_every_process() -> None:
    program = body_of(ch.load("stanford").kernel("mass_matrix"))
    paths = os.pathsep.join(sys.path)
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": paths}
    run = subprocess.run([sys.executable, "-c", LINES], capture_output=True, text=True, env=environment, check=True)
    assert run.stdout.strip() == str(simplified(program, leaves_of(program), limit=8))


def test_names_in_use_are_left_out() -> None:
    kernel = ch.compile(lambda q, alpha, m: sum(m, alpha) * q[0], q=1, alpha=(), m=3)
    found = simplified(body_of(kernel), leaves_of(body_of(kernel)))
    assert [text(x.left) for x in found.where] == ["beta"]
    found = simplified(body_of(kernel), leaves_of(body_of(kernel)), names=Names(["beta", "gamma"]))
    assert [text(x.left) for x in found.where] == ["delta"]


def test_names_beyond_the_alphabet() -> None:
    kernel = ch.compile(lambda q, p: [sum(p[i : i + 4]) * q for i in range(20)], q=(), p=23)
    found = simplified(body_of(kernel), leaves_of(body_of(kernel)))
    assert len(found.where) == 20
    assert [text(x.left) for x in found.where] == ["a" + str(k + 1).translate(LOWER) for k in range(20)]


def test_a_multiple_has_no_name_of_its_own() -> None:
    def f(q, p):
        first, second = 0.3 * p[0] + sum(p[1:]), sum(p)
        return [first * q, 2 * first * q, -second * q, 2 * second * q]

    kernel = ch.compile(f, q=(), p=4)
    found = simplified(body_of(kernel), leaves_of(body_of(kernel)))
    assert len(found.where) == 2
    assert [text(x) for x in found.results[0]] == ["alpha q", "2 alpha q", "-beta q", "2 beta q"]


def test_parameters_by_name() -> None:
    kernel = ch.compile(lambda x, k: sum(k) * x, x=(), k=4)
    program = body_of(kernel)
    assert not simplified(program, leaves_of(program)).where
    assert len(simplified(program, leaves_of(program), parameters=["k"]).where) == 1
    assert not simplified(program, leaves_of(program), parameters=["k"], names=False).where


def test_what_is_refused() -> None:
    program = body_of(textbook.planar_2r().kernel("mass_matrix"))
    leaves = leaves_of(program)
    with pytest.raises(ch.ShapeError, match="a list of symbols for each of 10 inputs, got 9"):
        simplified(program, leaves[:-1])
    with pytest.raises(ch.ShapeError, match="leaves of q must be 2 symbols, got 1"):
        simplified(program, [leaves[0][:1], *leaves[1:]])
    with pytest.raises(ch.ShapeError, match=r"must be symbols of formula\.tree, got 'q1'"):
        simplified(program, [["q1", "q2"], *leaves[1:]])  # type: ignore[list-item]
    for function in (lambda x: 0 * x[0] + np.nan, lambda x: x[0] * np.inf, lambda x: x[0] - np.inf):
        program = body_of(ch.compile(function, x=1))
        with pytest.raises(ch.ProgramError, match=r"output: a number in it is (nan|-?inf), and there is no formula"):
            simplified(program, leaves_of(program))
    looped = body_of(ch.compile(lambda x: ch.loop(lambda y: y * y, x, count=3), x=()))
    with pytest.raises(ch.ProgramError, match="a loop has no formula"):
        simplified(looped, leaves_of(looped))
