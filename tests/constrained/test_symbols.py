"""Symbols in constraints: systems that have some are read, and computed with once they have values."""

import numpy as np
import pytest
from support import textbook
from support.four_bar import LENGTHS, four_bar
from support.tolerances import close

import chasles as ch


def particle(mass=1.0, gravity=9.81):
    return ch.LagrangianSystem(2, lambda q, qd: mass * (qd @ qd) / 2 - mass * gravity * q[1], name="particle")


def rod(length):
    return ch.Constraint.holonomic(lambda q: (q @ q - length**2) / 2, name="rod")


def of_length(name):
    return ch.ConstrainedSystem(particle(), rod(ch.symbols(name)))


def test_values_make_the_system_of_numbers():
    found = textbook.circle().with_values(m=2.0, g=9.81, l=0.7)
    expected = ch.ConstrainedSystem(particle(2.0), rod(0.7))
    assert textbook.circle().symbols == ("m", "g", "l") and found.symbols == ()
    q, qd, tau = np.array([0.0, -0.7]), np.array([0.3, 0.0]), np.array([0.1, 0.2])
    assert close(found.forward_dynamics(q, qd, tau).multipliers, expected.forward_dynamics(q, qd, tau).multipliers)
    assert close(found.project([0.3, 0.4]), [0.42, 0.56]) and close(found.residual(q), [0.0])


def test_rows_of_a_rolling_disk():
    disk = textbook.rolling_disk()
    found = disk.with_values(m=2.0, I1=0.3, I2=0.4, rho=0.5)
    assert close(found.constraint_matrix([0, 0, 0, 0]), [[1, 0, 0, -0.5], [0, 1, 0, 0]])
    qdd, _ = found.forward_dynamics(np.zeros(4), np.zeros(4), [0.0, 0.0, 0.3, 0.9])
    assert close(qdd, [0.5, 0.0, 1.0, 1.0])  # [EX-7]: I2 + m rho^2 is 0.9
    assert not found.constraint.is_holonomic(found.system)


def test_some_values_and_expressions():
    half = textbook.circle().with_values(l=0.7)
    assert half.symbols == ("m", "g") and close(half.project([3.0, 0.0]), [0.7, 0.0])
    named = textbook.circle().with_values(l=2 * ch.symbols("a"))
    assert named.symbols == ("m", "g", "a")
    assert close(named.with_values(a=0.35, m=1.0, g=1.0).project([3.0, 0.0]), [0.7, 0.0])


def test_a_robot_with_symbols():
    values = dict(zip(("l1", "l2", "l3"), LENGTHS, strict=True))
    symbolic = textbook.four_bar()
    assert symbolic.redundancy.dropped_names == ("pin.tz",) and symbolic.degrees_of_freedom == 1
    lengths = {f"lc{k + 1}": x / 2 for k, x in enumerate(LENGTHS)} | {f"m{k + 1}": x for k, x in enumerate(LENGTHS)}
    inertias = {f"I{k + 1}": x**3 / 12 for k, x in enumerate(LENGTHS)}
    found = symbolic.with_values(**values, **lengths, **inertias, g=9.81, d=0.45)
    q, qd = np.array([1.0, -0.8, -0.9]), np.array([2.0, 0.1, -0.3])
    assert found.row_names == four_bar().row_names
    assert close(found.constraint_matrix(q), four_bar().constraint_matrix(q))
    assert close(found.constraint_drift(q, qd), four_bar().constraint_drift(q, qd))
    assert close(found.residual(q), four_bar().residual(q))


def test_a_robot_whose_rows_are_numbers():
    """Masses are symbols, and no row has one: the rows are looked at as they are."""
    arm = ch.load("planar_2r").with_inertial_parameters(ch.symbols("p", shape=(2, 10)))
    closed = ch.ConstrainedSystem(arm, ch.Constraint.loop_closure("base", "tool", "ty tz"))
    assert closed.redundancy.kept_names == ("closure.ty",) and closed.redundancy.samples
    assert close(closed.constraint_matrix([0.0, 0.0]), [[1.8, 0.8]])
    with pytest.raises(ch.ModelError, match=r"dynamics: system 'planar_2r' has the symbols p, .*with_values\(p="):
        closed.forward_dynamics([0, 0], [0, 0], [0, 0])
    with pytest.raises(ch.ModelError, match="no motion at all"):
        ch.ConstrainedSystem(arm, ch.Constraint.fixed({"joint1": 0.0, "joint2": 0.0}))


def test_ready_made_constraints_take_symbols():
    L, k, c = ch.symbols("L k c")
    arm = ch.load("planar_2r")
    rod = ch.ConstrainedSystem(arm, ch.Constraint.distance("base", "tool", L))
    expected = ch.ConstrainedSystem(arm, ch.Constraint.distance("base", "tool", 1.2))
    assert close(rod.with_values(L=1.2).project([0.1, 0.5]), expected.project([0.1, 0.5]))
    along = ch.Constraint.distance("base", "tool", 1.2, point_b=[L, 0, 0])
    shifted = ch.Constraint.distance("base", "tool", 1.2, point_b=[0.1, 0, 0])
    found = ch.ConstrainedSystem(arm, along).with_values(L=0.1)
    assert close(found.residual([0.2, 0.4]), ch.ConstrainedSystem(arm, shifted).residual([0.2, 0.4]))
    follows = ch.ConstrainedSystem(arm, ch.Constraint.mimic("joint2", "joint1", factor=k, offset=c))
    assert close(follows.with_values(k=2.0, c=0.3).constraint_matrix([0.0, 0.0]), [[-2.0, 1.0]])
    assert "k q₁" in str(follows.equations().constraints)


def test_a_wheel_of_any_radius():
    """Upright, on rails: what goes ahead by r for each radian."""
    r = ch.symbols("r")
    cart = ch.Robot.from_screws(
        [ch.prismatic([1, 0, 0]), ch.screw([0, 1, 0])], [np.eye(4)] * 2, [ch.Link(1.0), ch.Link(1.0, inertia=(1, 1, 1))]
    )
    rolls = ch.ConstrainedSystem(cart, ch.Constraint.wheel("link2", r, lateral=False))
    assert rolls.equations().constraints.text().splitlines()[0] == "0 = q̇₁ - r q̇₂"
    assert close(rolls.with_values(r=0.3).constraint_matrix([0.1, 0.2]), [[1.0, -0.3]])


def test_rows_that_no_numbers_satisfy_are_all_kept():
    """Where random values make no mechanism, which rows follow is not known."""
    a = ch.symbols("a")
    never = ch.Constraint.holonomic(lambda q: q @ q + a**2, name="never")
    assert ch.ConstrainedSystem(particle(), never).redundancy.kept_names == ("never",)
    with pytest.raises(ch.ModelError, match="constraints idle say nothing: all their rows are zero"):
        ch.ConstrainedSystem(
            particle(), ch.Constraint.holonomic(lambda q: a + 0 * q[0], name="idle")
        ).equations().text()


@pytest.mark.parametrize(
    ("call", "function"),
    [
        (lambda s: s.simulate([0, -1], [0, 0], duration=0.1), "simulate"),
        (lambda s: s.rollout([0, -1], [0, 0], dt=0.1, steps=2), "rollout"),
        (lambda s: s.step([0, -1], [0, 0], [0, 0], dt=0.1), "step"),
        (lambda s: s.forward_dynamics([0, -1], [0, 0], [0, 0]), "dynamics"),
        (lambda s: s.projections([0, -1]), "dynamics"),
        (lambda s: s.project([0, -1]), "residual"),
        (lambda s: s.residual([0, -1]), "residual"),
        (lambda s: s.reduced(), "reduced"),
        (lambda s: s.gauge(), "gauge"),
    ],
)
def test_what_needs_numbers_says_so(call, function):
    told = rf"^{function}: system 'particle' has the symbols L, and this needs numbers: use system.with_values\(L=...\)"
    with pytest.raises(ch.ModelError, match=told):
        call(of_length("L"))


def test_rows_of_symbols_need_numbers():
    with pytest.raises(ch.ModelError, match="constraint_matrix: system 'rolling disk' has the symbols rho"):
        textbook.rolling_disk().constraint_matrix(np.zeros(4))
    disk = textbook.rolling_disk()
    with pytest.raises(ch.ModelError, match=r"is_holonomic: the constraint has the symbols rho, .*with_values\(rho"):
        disk.constraint.is_holonomic(disk.system)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"k": 1.0}, "with_values: 'particle' has no symbol 'k'; it has L"),
        ({"L": [1.0, 2.0]}, r"with_values: L must have shape \(\), got \(2,\)"),
        ({"L": "long"}, "with_values: L must be a real number"),
        ({"L": np.nan}, "with_values: L has a nan or an infinity"),
    ],
)
def test_values_are_checked(values, message):
    with pytest.raises(ch.ChaslesError, match=message):
        of_length("L").with_values(**values)


def test_what_is_wrong_in_a_function_with_symbols_is_said_of_it():
    rho = ch.symbols("rho")
    wrong = ch.Constraint.holonomic(lambda q: rho if q[0] > rho else q[1], name="bent")
    with pytest.raises(ch.TraceError, match=r"constraint 'bent': h.*where"):
        ch.ConstrainedSystem(particle(), wrong)
