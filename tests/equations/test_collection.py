"""Equations in hand: their members, what they print, what is refused and how."""

from copy import copy

import numpy as np
import pytest
from support import textbook
from support.every_joint import every_joint, tree

import chasles as ch
from chasles.equations import equations, of_system
from chasles.equations.layout import with_signs
from chasles.formula.names import named
from chasles.formula.statement import Statement
from chasles.formula.tree import ONE, ZERO, Call, Comparison, Number, Product, Symbol
from chasles.graph.operand import Operand

ARM = ch.load("planar_2r")


def test_members_are_statements_computed_once():
    eq = ARM.equations()
    assert "mass_matrix" in eq and "lagrangian" not in eq and len(eq) == len(list(eq)) > 8
    assert isinstance(eq.mass_matrix, Statement) and eq.mass_matrix is eq["mass_matrix"]
    assert eq["centre_of_mass"].title == "centre of mass"
    assert repr(eq).startswith("<RobotEquations of 'planar_2r': mass_matrix, coriolis_matrix")


def test_print_has_the_main_ones_and_what_they_name_once():
    eq = textbook.planar_2r().equations()
    text = str(eq)
    assert text.startswith("τ = M q̈ + C q̇ + g\nM = ")
    assert text.count("β = ") == 1 and "g = ⎡" in text
    assert eq.latex().count(r"\beta =") == 1 and eq._repr_latex_().startswith("$$")
    assert eq.mathml().startswith("<math") and eq.sympy().keys() == {"mass_matrix", "coriolis_matrix", "gravity_forces"}


def test_the_same_coefficient_has_the_same_name_everywhere():
    eq = textbook.planar_2r().equations()
    names = [
        {str(x.left.name): x.right for x in getattr(eq, part).where} for part in ("overview", "motion", "mass_matrix")
    ]
    shared = set.intersection(*map(set, names))
    assert shared and all(names[0][key] == other[key] for other in names[1:] for key in shared)


def test_names_do_not_depend_on_what_is_asked_for_first():
    first, later = textbook.planar_2r().equations(), textbook.planar_2r().equations()
    K, M = later.kinetic_energy.text(), later.mass_matrix.text()
    assert (first.mass_matrix.text(), first.kinetic_energy.text()) == (M, K)
    assert first.mass_matrix.where[0].left.name == "alpha"


def test_what_files_leave_of_zeros_is_not_printed():
    """An axis that a file turns by 1.5707963268, not by a right angle."""
    dust = 5e-12
    axes = ch.screw([0, 0, 1]), ch.screw([0, 1, dust])
    arm = ch.Robot.from_screws(axes, [np.eye(4)] * 2, [ch.Link(1.0, [0.1, 0.0, 0.3], (0.1, 0.2, 0.25))] * 2)
    assert "e-" not in str(arm.equations()) and "e-" not in str(arm.equations(symbols="inertias"))


def test_coefficients_are_named_or_not():
    assert textbook.planar_2r().equations().mass_matrix.where
    assert not textbook.planar_2r().equations(names=False).mass_matrix.where


def test_coordinates_have_the_names_they_are_given():
    eq = ARM.equations(coordinates=["theta1", "theta2"])
    assert str(eq).startswith("τ = M θ̈ + C θ̇ + g\n")
    assert "θ̈₁" in str(eq.motion) and r"\ddot{\theta}_1" in eq.motion.latex()
    assert "thetadd1" in {x.name for x in eq.motion.sympy()[0].free_symbols}
    assert "q₁: shoulder" in ch.load("scara").equations().legend() and not ARM.equations().legend()


def test_velocities_that_are_no_rates_are_called_v():
    eq = tree(["free", "revolute"]).equations()
    assert [x.name for x in eq.leaves.qd] == ["v1", "v2", "v3", "v4", "v5", "v6", "qd8"]
    assert "q₁, ..., q₇: joint1, position, then quaternion (x, y, z, w) of length one; v₁, ..., v₆: " in eq.legend()
    assert "if" not in str(eq.gravity_forces)  # a quaternion of length one is not divided by its length


def test_christoffel_symbols_that_vanish_are_said_to():
    found = textbook.rolling_disk().equations().christoffel_symbols
    assert str(found) == "Γᵢⱼₖ = 0" and r"\Gamma_{ijk} &= 0" in found.latex() and found.sympy() == 0
    assert "Γᵢⱼₖ = Γᵢₖⱼ; all others are zero" in str(ARM.equations().christoffel_symbols)


def test_multipliers_are_told_by_their_constraints():
    eq = textbook.rolling_disk().equations()
    assert r"& \lambda_1 \text{: rolling[0]; } \lambda_2 \text{: rolling[1]}" in eq.latex()
    assert "λ₁: rolling[0]; λ₂: rolling[1]" in str(eq.constraint_forces)


def test_a_coefficient_of_one_is_not_written():
    system = ch.LagrangianSystem(1, lambda q, qd: qd @ qd / 2)
    (row,) = system.equations().motion.equations
    assert isinstance(row.right, Symbol) and str(system.equations().motion) == "τ₁ = q̈₁"


def test_friction_has_a_sign():
    rod = ch.Link(1.0, [0.5, 0, 0], [0.1, 0.1, 0.1])
    losses = {"damping": [0.3], "friction": [0.2]}
    robot = ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [rod], **losses).with_friction()
    eq = robot.equations()
    assert str(eq.motion) == "τ₁ = 0.35 q̈₁ + 0.3 q̇₁ + 0.2 sgn(q̇₁)"
    assert "sgn" in eq.friction_forces.latex() and str(eq).startswith("τ = M q̈ + f\n")
    assert eq.motion.sympy().subs({"qd1": -2.0, "qdd1": 0.0}) == -0.8


def test_signs_are_those_of_one_quantity():
    x, y = named("x"), named("y")

    def choice(v, w):
        below = Call("where", (Comparison("<", (w, ZERO)), Number(-ONE.value), ZERO))
        return Call("where", (Comparison("<", (ZERO, v)), ONE, below))

    assert with_signs((choice(x, x), choice(x, y))) == (Call("sign", (x,)), choice(x, y))
    low = Comparison("<", (x, ZERO))
    minus = Product((Number(-ONE.value), x))
    assert with_signs(Call("where", (low, minus, x))) == Call("abs", (x,))
    assert with_signs(Call("where", (low, x, minus))) == Call("where", (low, x, minus))  # -|x|


def test_a_large_robot_says_what_to_ask_for(monkeypatch):
    robot = every_joint()
    eq = robot.equations()
    assert "16 x 16 entries" in str(eq) and "eq.recursion()" in str(eq)
    with pytest.raises(ch.ModelError, match=r"christoffel_symbols of .*: 16 x 16 x 16 = 4,096 entries .*recursion"):
        _ = eq.christoffel_symbols
    monkeypatch.setattr(of_system, "MOST_OPERATIONS", 100)
    with pytest.raises(ch.ModelError, match=r"mass_matrix of .* operations are more than anybody reads"):
        _ = eq["mass_matrix"]
    assert len(eq.recursion()) > robot.mechanism.bodies


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"symbols": "masses"}, "symbols must be 'inertias'"),
        ({"coordinates": ["a"]}, "coordinates must be 2 different names"),
        ({"coordinates": ["a", "a"]}, "coordinates must be 2 different names"),
        ({"coordinates": ["a b", "c"]}, "coordinates must be names like"),
        ({"coordinates": "ab"}, "coordinates"),
        ({"frame": "nose"}, "no frame 'nose'"),
        ({"expressed": "world"}, "expressed"),
        ({"names": "yes"}, "names"),
    ],
)
def test_options_are_refused_by_name(options, words):
    with pytest.raises(ch.ChaslesError, match=words):
        ARM.equations(**options)


def test_what_is_not_there_is_named():
    with pytest.raises(ch.ModelError, match=r"several statements: eq.recursion\(\)"):
        ARM.equations()["recursion"]
    eq = ARM.equations()
    with pytest.raises(ch.ModelError, match="did you mean 'mass_matrix'"):
        _ = eq["mass_matrx"]
    with pytest.raises(ch.ModelError, match="no equations 3 of"):
        _ = eq[3]  # type: ignore[index]
    with pytest.raises(ch.ModelError, match="no equations 'lagrangian'"):
        _ = eq.lagrangian
    with pytest.raises(AttributeError, match="mass_matrix"):
        _ = eq.inertia_matrix  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="has no attribute 'mass_matrx'; did you mean 'mass_matrix'"):
        _ = eq.mass_matrx  # type: ignore[attr-defined]
    assert not hasattr(eq, "_repr_png_") and copy(eq).motion == eq.motion
    with pytest.raises(ch.ModelError, match="recursions are those of robots"):
        textbook.cart_pole().equations().recursion()


def test_a_lagrangian_has_its_numbers_inside():
    with pytest.raises(ch.ModelError, match="write it with symbols"):
        textbook.cart_pole().equations(symbols="inertias")
    t = ch.symbols("t")
    clock = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 - t * q[0])
    with pytest.raises(ch.ModelError, match="time is an argument"):
        print(clock.equations())


def test_symbols_that_are_there_already_and_names_twice():
    with pytest.raises(ch.ModelError, match="has symbols already"):
        textbook.planar_2r().equations(symbols="inertias")
    with pytest.raises(ch.ModelError, match="'m1' would be the name of two symbols"):
        print(textbook.planar_2r().equations(coordinates=["m1", "q2"]))
    with pytest.raises(ch.ModelError, match="equations are those of a Robot"):
        equations("panda")


def test_a_constrained_system_has_its_own_and_those_of_the_system():
    eq = textbook.circle().equations()
    assert eq.mass_matrix is eq.free.mass_matrix and eq.lagrangian is eq.free.lagrangian
    assert list(eq)[:4] == ["constraints", "constraint_matrix", "motion", "constraint_forces"]
    assert "λ₁: rod" in str(eq) or "lambda1: rod" in str(eq)


def test_multipliers_that_are_not_unique_are_refused():
    """A row and a multiple of it, by something that turns."""

    def rows(q):
        zero = np.zeros_like(q[0])
        return np.stack(
            [np.stack([np.cos(q[2]), np.sin(q[2]), zero]), np.stack([np.cos(q[2]) * q[0], np.sin(q[2]) * q[0], zero])]
        )

    sledge = ch.LagrangianSystem(3, lambda q, qd: qd @ qd / 2)
    system = ch.ConstrainedSystem(sledge, ch.Constraint.pfaffian(rows, "runner"))
    assert system.redundancy.varies
    with pytest.raises(ch.ModelError, match="are not unique"):
        _ = system.equations().constraint_forces


def test_every_function_of_the_catalogue_prints():
    eq = ch.load("pendulum").equations()
    assert np.all([str(eq[name]) for name in ("bias_forces", "mass_matrix_inverse", "link_poses", "joint_wrenches")])
    assert str(eq["forward_dynamics"]).startswith("q̈ = ")


def test_guards_are_no_mathematics():
    """What makes results nan where rounding leaves nothing is not printed; what decides by numbers is refused."""
    eq = ARM.equations()
    assert str(eq["riemann_curvature"]).startswith("R₁₂₁₂ = 0.33094 c₂/(1 - 0.44843 c₂²)\n")
    assert " if " not in str(eq["sectional_curvature"])
    for name in ("manipulability", "task_inertia", "discrete_step"):
        with pytest.raises(ch.ModelError, match=rf"{name} of 'planar_2r' decides \d+ times .* robot.{name}\("):
            _ = eq[name]


@pytest.mark.parametrize(
    "name, member",
    [
        ("M11", "mass_matrix"),
        ("M_1_1", "overview"),
        ("lambda_1", "mass_matrix"),
        ("tau1", "gravity_forces"),
        ("C12", "coriolis_matrix"),
        ("q_1", "mass_matrix"),
        ("g1", "gravity_forces"),
        ("K", "kinetic_energy"),
        ("U", "potential_energy"),
    ],
)
def test_symbols_that_are_read_as_results_are_refused(name, member):
    """The first link has a length of that name."""
    robot = with_length(name)
    with pytest.raises(ch.ModelError, match=rf"{name}.* (give it another name|two symbols)"):
        getattr(robot.equations(), member)


def test_entries_told_by_their_coefficients_are_results_too():
    marks = ARM.equations().leaves
    rates = [Operand("coriolis_rates", (4, 2))]
    with pytest.raises(ch.ModelError, match="'C12' is read as C_1_2, a result"):
        marks.refuse_ambiguous([Operand("C12", ())], rates)
    marks.refuse_ambiguous([Operand("C34", ())], rates)


@pytest.mark.parametrize("name", ["g", "M", "K", "L2", "alpha", "c1", "s_2"])
def test_symbols_that_are_letters_of_nothing_else_are_printed(name):
    """g beside the vector of that letter, which is bold; names and cosines take other letters."""
    found = with_length(name).equations().mass_matrix
    assert name in {str(x) for x in found.sympy().free_symbols}
    assert len({x.left.letter + x.left.index for x in found.where}) == len(found.where)
    if name in ("c1", "s_2"):
        assert "cos(q₂)" in str(found) or "sin(q₂)" in str(found) or name == "c1"


def with_length(name):
    """Two links, the first as long as a symbol says."""
    length = ch.symbols(name)
    home = np.eye(4, dtype=object)
    home[0, 3] = length
    rod = ch.Link(1.5, [0.5, 0, 0], [0.1, 0.1, 0.1])
    screws = [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], point=[length, 0, 0])]
    return ch.Robot.from_screws(screws, [np.eye(4), home], [rod, rod], gravity=[0, -9.81, 0])


@pytest.mark.slow
def test_all_functions_of_the_catalogue_print():
    """But those that decide by numbers, as tasks do."""
    eq = ARM.equations()
    refused = set()
    for name in eq.known():
        try:
            assert str(eq[name])
        except ch.ModelError as error:
            assert "by its numbers" in str(error)
            refused.add(name)
    assert len(refused) == 10
