"""Symbols of names that people type."""

import pytest

from chasles.formula.latex import Latex
from chasles.formula.names import GREEK, coordinate, entry, force, named
from chasles.formula.plain import Plain
from chasles.formula.tree import Symbol

LATEX, PLAIN = Latex({}, 5, 60.0), Plain({}, 5, 60.0)


@pytest.mark.parametrize(
    "name, latex, text",
    [
        ("m", "m", "m"),
        ("m1", "m_1", "m₁"),
        ("m_1", "m_1", "m₁"),
        ("q12", "q_{12}", "q₁₂"),
        ("lc2", "l_{c2}", "l_c2"),
        ("l_c2", "l_{c2}", "l_c2"),
        ("Ixx1", "I_{xx1}", "I_xx1"),
        ("Ixx", "I_{xx}", "I_xx"),
        ("kp", "k_p", "kₚ"),
        ("theta", r"\theta", "θ"),
        ("theta2", r"\theta_2", "θ₂"),
        ("theta_2", r"\theta_2", "θ₂"),
        ("θ2", r"\theta_2", "θ₂"),
        ("mu_s", r"\mu_s", "μₛ"),
        ("Omega", r"\Omega", "Ω"),
        ("Alpha", r"\mathrm{A}", "Α"),  # noqa: RUF001
        ("m_load", r"m_{\mathrm{load}}", "m_load"),
        ("m_load_1", r"m_{\mathrm{load},1}", "m[load,1]"),
        ("mass", r"\mathrm{mass}", "mass"),
        ("mass2", r"\mathrm{mass}_2", "mass₂"),
        ("dt", r"\mathrm{dt}", "dt"),
        ("my_long_name", r"\mathrm{my\_long\_name}", "my_long_name"),
        ("_x", r"\mathrm{\_x}", "_x"),
        ("x_", r"\mathrm{x\_}", "x_"),
        ("größe", r"\text{größe}", "größe"),
        ("质量", r"\text{U+8D28U+91CF}", "质量"),
        ("αβ", r"\text{$\alpha$$\beta$}", "αβ"),
        ("e", "e", "e"),
        ("i", "i", "i"),
        ("T_ab", "T_{ab}", "T_ab"),
        ("Gamma_ijk", r"\Gamma_{ijk}", "Γᵢⱼₖ"),
    ],
)
def test_names(name, latex, text):
    assert LATEX.symbol(named(name)).text == latex
    assert PLAIN.symbol(named(name)).text == text
    assert named(name).name == name


def test_elements_of_arrays_are_counted_from_zero_as_they_are_typed():
    x = named("p", (0, 3))
    assert (x.name, LATEX.symbol(x).text, PLAIN.symbol(x).text) == ("p_0_3", "p_{0,3}", "p[0,3]")
    assert LATEX.symbol(named("p1", (2,))).text == "p_{1,2}"
    assert PLAIN.symbol(named("p", (4,))).text == "p₄"


def test_coordinates_and_forces():
    assert [coordinate(2, k).name for k in range(3)] == ["q2", "qd2", "qdd2"]
    assert [LATEX.symbol(coordinate(2, k)).text for k in range(3)] == ["q_2", r"\dot{q}_2", r"\ddot{q}_2"]
    assert [PLAIN.symbol(coordinate(2, k)).text for k in range(3)] == ["q₂", "q̇₂", "q̈₂"]
    assert LATEX.symbol(coordinate(1, 1, "theta")).text == r"\dot{\theta}_1"
    assert LATEX.symbol(force(3)).text == r"\tau_3"
    assert len({coordinate(i, k) for i in range(1, 4) for k in range(3)}) == 9


def test_entries_of_a_matrix_are_counted_from_one():
    M = Symbol("M", "M", bold=True)
    assert LATEX.symbol(entry(M, (1, 2), (3, 3))).text == "M_{12}"
    assert LATEX.symbol(entry(M, (1, 2), (3, 12))).text == "M_{1,2}"
    assert LATEX.symbol(entry(M, (3,), (12,))).text == "M_3"
    assert LATEX.symbol(entry(Symbol("J1", "J", "1"), (6, 2), (6, 7))).text == "J_{1,62}"


def test_every_greek_letter_has_a_command_or_looks_like_a_latin_one():
    assert len(GREEK) == 48
    for name in GREEK:
        assert LATEX.symbol(named(name)).text.lstrip("\\") in (name, "o", *(f"mathrm{{{c}}}" for c in "ABEZHIKMNOPTX"))
