"""Integrability: what is confined and what is not, on coordinates and on groups. [CON-5, CON-6]"""

import numpy as np
import pytest
from support.random_trees import random_kinds
from support.tolerances import FLOAT64, close

import chasles as ch
from chasles.errors import ModelError
from chasles.surface.surface import Surface

Constraint = ch.Constraint
RHO, MASS, HEADING, ROLL = 0.4, 1.5, 0.03, 0.12


def particle(n: int) -> ch.LagrangianSystem:
    return ch.LagrangianSystem(n, lambda q, qd: 0.5 * (qd @ qd))


def disk() -> tuple[ch.LagrangianSystem, ch.Constraint]:
    """x, y, heading and roll. [EX-7]"""

    def lagrangian(q, qd):
        return 0.5 * (MASS * (qd[0] * qd[0] + qd[1] * qd[1]) + HEADING * qd[2] * qd[2] + ROLL * qd[3] * qd[3])

    def rolls(q):
        zero = 0.0 * q[2]
        one = 1.0 + zero
        return np.stack(
            [np.stack([one, zero, zero, -RHO * np.cos(q[2])]), np.stack([zero, one, zero, -RHO * np.sin(q[2])])]
        )

    system = ch.LagrangianSystem(4, lagrangian, name="disk", coordinate_names=["x", "y", "heading", "roll"])
    return system, Constraint.pfaffian(rolls, "rolling")


def test_a_rolling_disk_is_not_confined():
    """da_1 = rho sin(h) dh ^ dr, da_2 = -rho cos(h) dh ^ dr; ker A: d/dh and (rho c, rho s, 0, 1). [CON-6]"""
    system, rolls = disk()
    found = rolls.is_holonomic(system)
    assert not found
    assert not found.is_holonomic
    assert found.row in ("rolling[0]", "rolling[1]")
    assert found.rank == 2
    assert found.samples == 16
    assert close(found.worst, 1.0 / np.sqrt(1.0 + RHO**2), FLOAT64)  # relative to |dA| = rho |sin h| or rho |cos h|
    assert "not holonomic" in found.describe()
    assert close([found.v @ found.v, found.w @ found.w, found.v @ found.w], [1.0, 1.0, 0.0], FLOAT64)


def test_a_rolling_disk_moves_as_published_and_keeps_its_energy():
    """[EX-7]"""
    system, rolls = disk()
    cs = ch.ConstrainedSystem(system, rolls)
    q, tau = np.array([0.3, -0.2, 0.7, 0.1]), np.array([0.0, 0.0, 0.2, -0.3])
    turn, roll = 1.1, -2.0
    c, s = np.cos(q[2]), np.sin(q[2])
    v = np.array([RHO * c * roll, RHO * s * roll, turn, roll])
    turning, rolling = tau[2] / HEADING, tau[3] / (ROLL + MASS * RHO**2)
    x = RHO * (c * rolling - s * turn * roll)
    y = RHO * (s * rolling + c * turn * roll)
    assert close(cs.forward_dynamics(q, v, tau).qdd, [x, y, turning, rolling], 1e-9)
    motion = ch.simulate(cs, q, v, duration=2.0, dt=1e-2)
    assert close(motion.energy, np.full(len(motion.t), motion.energy[0]), 1e-9)
    circle = abs(RHO * roll / turn)  # a disk left alone goes round in a circle
    ahead = np.array([q[0] - RHO * roll / turn * s, q[1] + RHO * roll / turn * c])
    assert close(np.linalg.norm(motion.q[:, :2] - ahead, axis=1), np.full(len(motion.t), circle), 1e-7)


def test_a_disk_that_keeps_its_heading_is_confined():
    system, rolls = disk()
    both = rolls + Constraint.fixed({"heading": 0.4})
    found = both.is_holonomic(system)
    assert found
    assert found.rank == 3
    assert "holonomic" in found.describe()


def test_a_row_may_be_integrable_only_with_others():
    """dz - y dx alone is a contact form; with dx = 0 it is dz = 0."""
    system = particle(3)
    alone = Constraint.pfaffian(lambda q: np.stack([-q[1], 0.0 * q[0], 1.0 + 0.0 * q[0]]))
    assert not alone.is_holonomic(system)
    assert (alone + Constraint.pfaffian(lambda q: np.array([1.0, 0.0, 0.0]))).is_holonomic(system)


def test_a_multiple_of_a_gradient_is_integrable():
    """f dh is not closed, and yet h stays: only ker A counts. A small twist of it is found."""
    system = particle(3)

    def row(q, twist):
        f = np.exp(q[0] * q[1])
        return f * np.stack([2.0 * q[0], np.cos(q[1]) + twist * q[2] * q[0], 1.0 + 0.0 * q[0]])

    assert Constraint.pfaffian(lambda q: row(q, 0.0)).is_holonomic(system)
    found = Constraint.pfaffian(lambda q: row(q, 1e-5)).is_holonomic(system)
    assert 1e-7 < found.worst < 1e-4
    assert not found
    assert Constraint.pfaffian(lambda q: row(q, 1e-5)).is_holonomic(system, tolerance=1e-3)


def test_constant_rows_are_integrable():
    assert Constraint.pfaffian(lambda q: np.array([[1.0, 2.0, 3.0]])).is_holonomic(particle(3)).worst == 0.0


# groups: velocities that are not rates of coordinates


def single(kind: str) -> ch.Robot:
    body = ch.Link(1.2, (0.1, 0.0, 0.2), (0.05, 0.06, 0.07))
    return ch.Robot.from_screws(np.zeros((1, 6)), [np.eye(4)], [body], kinds=[kind], tool=np.eye(4))


def test_constant_rows_on_groups_are_confined_where_they_leave_a_subgroup():
    """A skate has v_y = 0 and is free to go anywhere; so has a body that does not turn about its own z."""
    for kind, row, confined in (
        ("planar", [0.0, 1.0, 0.0], False),
        ("planar", [0.0, 0.0, 1.0], True),
        ("spherical", [0.0, 0.0, 1.0], False),
        ("free", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], False),
        ("free", [0.0, 0.0, 0.0, 0.0, 0.0, 1.0], False),
    ):
        found = Constraint.pfaffian(lambda q, row=row: np.array(row)).is_holonomic(single(kind))
        assert found.is_holonomic == confined, (kind, row)
        if not confined:
            assert found.worst > 0.1
    turns = np.eye(6)[:3]
    assert Constraint.pfaffian(lambda q: turns).is_holonomic(single("free"))  # what only translates


@pytest.mark.parametrize("seed", [21, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 4, 9))])
def test_holonomic_constraints_are_found_holonomic_on_every_kind_of_joint(seed: int):
    robot = ch.Robot(random_kinds(seed))
    ellipsoid = Surface.ellipsoid(1.0, 2.0, 0.5)
    for constraint in (
        Constraint.distance("base", "tool", 2.0),
        Constraint.point_on_surface("tool", ellipsoid, point=(0.1, 0.2, 0.3)),
        Constraint.loop_closure("base", "tool", "tx rz"),
    ):
        found = constraint.is_holonomic(robot, samples=6)
        assert found, found.describe()


def test_a_full_closure_is_holonomic_though_its_rows_are_no_derivatives_elsewhere():
    T = np.eye(4)
    T[:3, 3] = 0.4, 0.1, 0.3
    arm = ch.load("iiwa14")
    found = Constraint.loop_closure("base", "tool", pose=T).is_holonomic(arm, samples=4)
    assert found, found.describe()
    assert found.rank == 6


@pytest.mark.parametrize("name", ["plane", pytest.param("ellipsoid", marks=pytest.mark.slow)])
def test_contact_is_holonomic_and_rolling_is_not(name: str):
    ball = single("free")
    surface = Surface.plane() if name == "plane" else Surface.ellipsoid(1.0, 2.0, 0.7)
    assert Constraint.point_contact("tool", 0.2, surface).is_holonomic(ball, samples=6)
    for spin in (True, False):
        found = Constraint.rolling("tool", 0.2, surface, spin=spin).is_holonomic(ball, samples=6)
        assert not found
        assert found.row != "contact.normal"  # the contact itself can be integrated


def test_a_coin_is_not_confined():
    ball = single("free")
    coin = Constraint.wheel("tool", 0.3, height=0.0).is_holonomic(ball, samples=6)
    assert not coin
    assert coin.row.startswith("wheel")


def test_what_is_refused():
    system, rolls = disk()
    with pytest.raises(ModelError, match="samples must be a positive integer, got 0"):
        rolls.is_holonomic(system, samples=0)
    with pytest.raises(ModelError, match="system must be a Robot or a LagrangianSystem, got int"):
        rolls.is_holonomic(3)
    nowhere = Constraint.holonomic(lambda q: q[0] * q[0] + 1.0, "nowhere")
    with pytest.raises(ModelError, match="no configuration of 'disk' found that satisfies nowhere"):
        nowhere.is_holonomic(system)
