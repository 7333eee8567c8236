"""Formulas are written as textbooks print them: collected, factored, named, in the shorter form."""

from collections.abc import Callable
from typing import Any
from unicodedata import normalize

import numpy as np
import pytest
from support import textbook
from support.formula_values import leaves_of, text
from support.printed import body_of

import chasles as ch
from chasles.graph.program import Program
from chasles.simplification import Names, simplified


def written(program: Program, **options: Any) -> tuple[list[str], list[str]]:
    """Elements of all outputs, and definitions of names, in plain text."""
    found = simplified(program, leaves_of(program), **options)
    where = [f"{text(equation.left)} = {text(equation.right)}" for equation in found.where]
    return [text(x) for row in found.results for x in row], where


def of(function: Callable[..., Any], **shapes: Any) -> str:
    """What a function of x computes."""
    results, where = written(body_of(ch.compile(function, **(shapes or {"x": 2}))))
    assert len(results) == 1 and not where
    return results[0]


def test_planar_arm_with_names() -> None:
    """[EX-3], the same names in M, C and g."""
    robot, names = textbook.planar_2r(), Names()
    M, where = written(body_of(robot.kernel("mass_matrix")), names=names)
    assert M == ["alpha + 2 beta c₂", "gamma + beta c₂", "gamma + beta c₂", "gamma"]
    assert where == ["alpha = I₁ + I₂ + m₁ l_c1² + m₂ (l₁² + l_c2²)", "beta = m₂ l₁ l_c2", "gamma = I₂ + m₂ l_c2²"]
    C, where = written(body_of(robot.kernel("coriolis_matrix")), names=names)
    assert C == ["-beta s₂ q̇₂", "-beta s₂ (q̇₁ + q̇₂)", "beta s₂ q̇₁", "0"]
    assert where == ["beta = m₂ l₁ l_c2"]
    g, where = written(body_of(robot.kernel("gravity_forces")), names=names)
    assert g == ["(m₁ l_c1 + m₂ l₁) g c₁ + m₂ g l_c2 c₁₂", "m₂ g l_c2 c₁₂"]
    assert not where and len(names.where) == 3


def test_planar_arm_without_names() -> None:
    """[EX-4]"""
    robot = textbook.point_masses()
    M, where = written(body_of(robot.kernel("mass_matrix")), names=False)
    assert ["(m₁ + m₂) L₁² + m₂ L₂² + 2 m₂ L₁ L₂ c₂", *["m₂ L₂ (L₂ + L₁ c₂)"] * 2, "m₂ L₂²"] == M
    assert not where
    tau, _ = written(body_of(robot.kernel("inverse_dynamics")), names=False)
    assert tau[0] == (
        "((m₁ + m₂) L₁² + m₂ L₂² + 2 m₂ L₁ L₂ c₂) q̈₁ + m₂ L₂ (L₂ + L₁ c₂) q̈₂ - m₂ L₁ L₂ s₂ q̇₂ (2 q̇₁ + q̇₂)"
        " + (m₁ + m₂) g L₁ c₁ + m₂ g L₂ c₁₂"
    )


def test_sums_of_angles() -> None:
    robot, names = textbook.planar_3r(), Names()
    M, _ = written(body_of(robot.kernel("mass_matrix")), names=names)
    assert M[0] == "alpha + 2 beta c₂ + 2 gamma c₂₃ + 2 delta c₃"
    g, _ = written(body_of(robot.kernel("gravity_forces")), names=names)
    assert g[0] == "(m₁ l_c1 + (m₂ + m₃) l₁) g c₁ + (m₂ l_c2 + m₃ l₂) g c₁₂ + m₃ g l_c3 c₁₂₃"
    tau, _ = written(body_of(robot.kernel("inverse_dynamics")), names=names)
    assert tau[2].endswith("zeta q̈₃ + gamma s₂₃ q̇₁² + delta s₃ (q̇₁ + q̇₂)² + m₃ g l_c3 c₁₂₃")


def test_names_only_where_they_save_words() -> None:
    """A cart-pole has none, a SCARA no name for m3 + m4."""
    motion = normalize("NFC", textbook.cart_pole().equations().motion.text())
    assert motion.splitlines() == [
        normalize("NFC", "τ₁ = (M + m) ẍ + m l cos(θ) θ̈ - m l sin(θ) θ̇²"),
        normalize("NFC", "τ₂ = m l cos(θ) ẍ + m l² θ̈ - m g l sin(θ)"),
    ]
    g, where = written(body_of(textbook.scara().kernel("gravity_forces")))
    assert g[2] == "-(m₃ + m₄) g" and not where


def test_decimals_of_names_are_of_one_kind() -> None:
    """h + 0.275 m is a first moment as h is; 1/0.275 h + m would be a mass."""
    found = ch.load("scara").equations(symbols="inertias").mass_matrix.text()
    assert "β = h_x2 + 0.275 (m₃ + m₄)" in found and "0.325 β c₂" in found


def test_numbers_beside_symbols() -> None:
    m, l = ch.symbols("m l")
    arm = ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [ch.Link(m, [l, 0, 0], (0.0, 0.2, 0.2))])
    assert written(body_of(arm.kernel("mass_matrix")))[0] == ["0.2 + m l²"]


def test_dust_is_left_out_where_it_is_asked_for() -> None:
    """What an angle of 1.57079633 in a file leaves of a zero."""
    program = body_of(ch.compile(lambda x: np.cos(x[0]) * 1.7 + 3e-10 * np.sin(x[0]) * x[1], x=2))
    assert written(program)[0] == ["1.7 c₁ + 3e-10 s₁ x₂"]
    assert written(program, names=Names(noise=1e-9))[0] == ["1.7 c₁"]


def test_sums_of_rates_once() -> None:
    C, _ = written(body_of(textbook.planar_3r().kernel("coriolis_matrix")))
    assert C[2] == "-(beta s₂₃ + gamma s₃) (q̇₁ + q̇₂ + q̇₃)"
    assert of(lambda x: (x[0] + x[1]) * (np.sin(x[2]) - 3 * np.cos(x[3])), x=4) == "(s₃ - 3 c₄) (x₁ + x₂)"


def test_numbers_in_front_and_last() -> None:
    (K,) = textbook.planar_2r().equations().kinetic_energy.equations
    assert text(K.right) == "(alpha + 2 beta c₂) q̇₁²/2 + (gamma + beta c₂) q̇₁ q̇₂ + gamma q̇₂²/2"
    assert of(lambda x: 0.5 * x[0] ** 2 + 0.5 * x[1] ** 2 - 0.245) == "0.5 x₁² + 0.5 x₂² - 0.245"
    assert of(lambda x: np.cos(x[0]) + 0.8 * np.cos(x[1]) - 1.2) == "c₁ + 0.8 c₂ - 1.2"
    program = body_of(ch.compile(lambda x: [0.5 * x[0], 0.5 * x[1] + 0.3 * x[0]], x=2))
    assert written(program)[0] == ["0.5 x₁", "0.3 x₁ + 0.5 x₂"]


def test_many_parallel_axes() -> None:
    M, _ = written(body_of(textbook.planar(5).kernel("mass_matrix")))
    assert M[0] == (
        "a₁ + 2 a₂ c₂ + 2 a₃ c₂₃ + 2 a₄ c₂₃₄ + 2 a₅ c₂₃₄₅ + 2 a₆ c₃ + 2 a₇ c₃₄ + 2 a₈ c₃₄₅"
        " + 2 a₉ c₄ + 2 a₁₀ c₄₅ + 2 a₁₁ c₅"
    )
    g, _ = written(body_of(textbook.planar(7).kernel("gravity_forces")))
    assert g[5:] == ["zeta c₁₂₃₄₅₆ + eta c₁₂₃₄₅₆₇", "eta c₁₂₃₄₅₆₇"]


def test_axes_that_are_parallel_the_other_way() -> None:
    def f(x):
        angle = x[0] - x[1] + x[2]
        first = np.cos(x[0] - x[1]) * np.cos(x[2]) - np.sin(x[0] - x[1]) * np.sin(x[2])
        return np.cos(angle) * np.sin(x[1]) + x[2] * first * np.sin(x[1])

    assert of(f, x=3) == "c₁₋₂₊₃ s₂ (1 + x₃)"


def test_roots_that_divide_twice() -> None:
    def f(x):
        root = np.sqrt(2 + x[0])
        return (x[1] / root) * (3 / root)

    assert of(f) == "3 x₂/(2 + x₁)"
    assert of(lambda x: x[1] / np.sqrt(2 + x[0])) == "x₂/√(2 + x₁)"


def test_numbers_stay_decimals() -> None:
    assert written(body_of(ch.load("planar_3r").kernel("mass_matrix")))[0][0] == "4.0934 + 2.4 c₂ + 0.3 c₂₃ + 0.24 c₃"
    assert of(lambda x: 2.5 * x[0] + 0.3 * x[1]) == "2.5 x₁ + 0.3 x₂"


def test_what_divides_is_divided_by_term_by_term() -> None:
    """[EX-7]: the forces that hold a rolling disk."""
    first, second = (
        normalize("NFC", text(x.right)) for x in textbook.rolling_disk().equations().constraint_forces.equations
    )
    assert first == (
        "m rho cos(theta) (rho (cos(theta) tau₁ + sin(theta) tau₂) + tau₄)/(I₂ + m rho²)"
        " - m rho sin(theta) thetȧ phi̇ - tau₁"
    )
    assert second == (
        "m rho cos(theta) thetȧ phi̇ - tau₂"
        " + m rho sin(theta) (rho (cos(theta) tau₁ + sin(theta) tau₂) + tau₄)/(I₂ + m rho²)"
    )


def test_large_arm_in_numbers() -> None:
    """The largest entry of the UR5's mass matrix, in powers of sums of angles."""
    M, where = written(body_of(ch.load("ur5").kernel("mass_matrix")))
    assert not where
    assert M[0].startswith("3.0177 - 1.755 s₂² + 1.3589 c₂ c₂₃ - 0.015117 c₂ s₂₃₄ - 0.59156 s₂₃² - 0.013952 c₂₃ s₂₃₄")
    assert M[7] == "2.6069 + 1.3589 c₃ - 0.015117 s₃₄ - 0.013952 s₄ + 0.016686 s₅² s₆²"


def test_powers_or_double_angles() -> None:
    m, l, g = ch.symbols("m l g")
    screws, homes = [ch.screw([0, 0, 1]), ch.screw([0, 1, 0])], [np.eye(4), np.eye(4)]
    links = [ch.Link(0, [0, 0, 0], (0, 0, 0)), ch.Link(m, [0, 0, -1 * l], (0, 0, 0))]
    with pytest.warns(ch.ModelWarning):
        robot = ch.Robot.from_screws(screws, homes, links, gravity=[0, 0, -1 * g])
    assert written(body_of(robot.kernel("mass_matrix")))[0] == ["m l² s₂²", "0", "0", "m l²"]
    assert of(lambda x: np.cos(x[0]) ** 2 - np.sin(x[0]) ** 2) == "cos(2 x₁)"
    assert of(lambda x: x[1] * np.sin(x[0]) ** 2 + 3.0 * np.cos(x[0]) ** 2) == "3 c₁² + s₁² x₂"


CASES: list[tuple[Callable[..., Any], str]] = [
    (lambda x: x[0] ** 2 - x[0] * x[0] + 0.1 * x[1] + 0.2 * x[1] - 0.3 * x[1], "0"),
    (lambda x: np.sin(x[0]) ** 2 + np.cos(x[0]) ** 2, "1"),
    (lambda x: np.sin(x[0] * x[1]) ** 2 + np.cos(x[0] * x[1]) ** 2, "1"),
    (lambda x: np.cos(x[0]) ** 4 - np.sin(x[0]) ** 4, "cos(2 x₁)"),
    (lambda x: 3 * np.cos(x[0]) ** 4 + 2 * np.cos(x[0]) ** 2 * np.sin(x[0]) ** 2 + 7, "7 + c₁⁴ + 2 c₁²"),
    (lambda x: 5 * np.cos(x[0]) ** 4 + 2 * np.sin(x[0]) ** 4, "2 s₁⁴ + 5 c₁⁴"),
    (lambda x: np.sin(x[0] + x[1]) * np.cos(x[1]) - np.cos(x[0] + x[1]) * np.sin(x[1]), "s₁"),
    (lambda x: np.sin(x[0] + np.pi / 2), "c₁"),
    (lambda x: np.cos(x[0] - np.pi / 2) + np.sin(x[0] + np.pi), "0"),
    (lambda x: np.sin(2 * x[0] - x[1]), "sin(2 x₁ - x₂)"),
    (lambda x: np.sin(x[0] + 0.3), "0.95534 s₁ + 0.29552 c₁"),
    (lambda x: np.sin(x[0] / 2), "sin(x₁/2)"),
    (lambda x: x[0] / 3 + x[1] / 12 + x[1] * 0.25, "(x₁ + x₂)/3"),
    (lambda x: x[0] / (x[0] + x[1]) + x[1] / (x[0] + x[1]), "1"),
    (lambda x: (x[0] ** 2 - x[1] ** 2) / (x[0] + x[1]), "x₁ - x₂"),
    (lambda x: 1 / (1 / x[0] + 1 / x[1]), "x₁ x₂/(x₁ + x₂)"),
    (lambda x: (x[0] * np.exp(x[0]) + np.exp(x[0]) + 3) / (1 + x[0]), "exp(x₁) + 3/(1 + x₁)"),
    (lambda x: (x[0] + 2 * np.cos(x[1]) ** 2) / (x[0] + 2), "1 - 2 s₂²/(2 + x₁)"),
    (lambda x: np.tan(x[0]) * np.cos(x[0]), "s₁"),
    (lambda x: np.sqrt(x[0] ** 2 + x[1] ** 2) ** 2 + np.exp(x[0] - x[0]), "1 + x₁² + x₂²"),
    (lambda x: np.sin(-x[0]) + np.arctan(-x[1]) + np.cosh(-x[0]), "cosh(x₁) - s₁ - atan(x₂)"),
    (lambda x: ch.where(x[0] < x[1], np.sin(x[0]), np.arctan2(x[0], x[1])), "⎧ s₁             if x₁ < x₂"),
    (lambda x: ch.where(x[0] < x[1], x[0], x[0] + 0.0), "x₁"),
    (lambda x: ch.where(x[0] < x[1], np.inf, x[0]), "⎧ ∞   if x₁ < x₂"),
    (lambda x: x[0] ** 2 + 2 * x[0] * x[1] + x[1] ** 2, "(x₁ + x₂)²"),
    (lambda x: x[0] ** 2 - 2 * x[0] * x[1] + x[1] ** 2, "(x₁ - x₂)²"),
    (lambda x: x[0] ** 2 + 3 * x[0] * x[1] + x[1] ** 2, "x₁² + 3 x₁ x₂ + x₂²"),
    (lambda x: -x[0] + x[1], "x₂ - x₁"),
    (lambda x: -x[0] - 2 * x[1], "-x₁ - 2 x₂"),
    (lambda x: x[0] ** 0.5, "√(x₁)"),
    (lambda x: 1.0 + 6e-17 * x[0] + 0.0 * x[1], "1"),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_functions_of_numbers(case: int) -> None:
    function, expected = CASES[case]
    assert of(function) == expected
