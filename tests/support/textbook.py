"""Robots and systems of textbooks, in symbols, and SymPy's forms of their equations."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import sympy as sp

import chasles as ch
from chasles.formula.sympy_form import expressed


def at(*position: Any) -> Any:
    T = np.eye(4, dtype=object)
    T[:3, 3] = position
    return T


def planar(joints: int) -> ch.Robot:
    """An arm of revolute joints in the vertical x-y plane: m_i, l_i, lc_i, I_i about the centre of mass, and g."""
    m, l, lc, I = ([ch.symbols(f"{x}{k + 1}") for k in range(joints)] for x in ("m", "l", "lc", "I"))
    ends: list[Any] = [0.0]
    for length in l:
        ends.append(ends[-1] + length)
    return ch.Robot.from_screws(
        [ch.screw([0, 0, 1], point=[x, 0, 0]) for x in ends[:-1]],
        [at(x, 0, 0) for x in ends[:-1]],
        [ch.Link(m[k], [lc[k], 0, 0], (0.0, I[k], I[k])) for k in range(joints)],
        tool=at(ends[-1], 0, 0),
        gravity=[0, -ch.symbols("g"), 0],
        name=f"planar {joints}R",
    )


@cache
def planar_2r() -> ch.Robot:
    return planar(2)


@cache
def planar_3r() -> ch.Robot:
    return planar(3)


@cache
def point_masses() -> ch.Robot:
    """[EX-4]: two rods without mass, a point mass at the end of each."""
    m1, m2, L1, L2, g = ch.symbols("m1 m2 L1 L2 g")
    return ch.Robot.from_screws(
        [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], point=[L1, 0, 0])],
        [at(0, 0, 0), at(L1, 0, 0)],
        [ch.Link(m1, [L1, 0, 0], (0.0, 0.0, 0.0)), ch.Link(m2, [L2, 0, 0], (0.0, 0.0, 0.0))],
        tool=at(L1 + L2, 0, 0),
        gravity=[0, -g, 0],
        name="two point masses",
    )


@cache
def scara() -> ch.Robot:
    """Two revolute joints about z, a quill that moves down and a spindle that turns about it."""
    m, I = ch.symbols("m1 m2 m3 m4"), ch.symbols("I1 I2 I3 I4")
    l1, l2, lc1, lc2, g = ch.symbols("l1 l2 lc1 lc2 g")
    down = [0, 0, -1]
    return ch.Robot.from_screws(
        [
            ch.screw([0, 0, 1]),
            ch.screw([0, 0, 1], point=[l1, 0, 0]),
            ch.prismatic(down),
            ch.screw(down, point=[l1 + l2, 0, 0]),
        ],
        [at(0, 0, 0), at(l1, 0, 0), at(l1 + l2, 0, 0), at(l1 + l2, 0, 0)],
        [
            ch.Link(m[0], [lc1, 0, 0], (0.0, I[0], I[0])),
            ch.Link(m[1], [lc2, 0, 0], (0.0, I[1], I[1])),
            ch.Link(m[2], [0, 0, 0], (0.0, I[2], I[2])),
            ch.Link(m[3], [0, 0, 0], (0.0, I[3], I[3])),
        ],
        tool=at(l1 + l2, 0, 0),
        gravity=[0, 0, -g],
        name="SCARA",
    )


@cache
def elbow() -> ch.Robot:
    """[EX-5]: an axis z, then two axes -x at the height l0, l1 apart; frames at centres of mass, diagonal inertias."""
    m, l0, l1 = ch.symbols("m1 m2 m3"), *ch.symbols("l0 l1")
    r0, r1, r2, g = ch.symbols("r0 r1 r2 g")
    I = [ch.symbols(f"Ix{k} Iy{k} Iz{k}") for k in (1, 2, 3)]
    return ch.Robot.from_screws(
        [ch.screw([0, 0, 1]), ch.screw([-1, 0, 0], point=[0, 0, l0]), ch.screw([-1, 0, 0], point=[0, l1, l0])],
        [at(0, 0, r0), at(0, r1, l0), at(0, l1 + r2, l0)],
        [ch.Link(m[k], [0, 0, 0], I[k]) for k in range(3)],
        tool=at(0, l1 + r2, l0),
        gravity=[0, 0, -g],
        name="elbow arm",
    )


@cache
def cart_pole() -> ch.LagrangianSystem:
    """A cart of mass M, and a mass m on a rod l that stands up at theta = 0."""
    M, m, l, g = ch.symbols("M m l g")

    def lagrangian(q: Any, qd: Any) -> Any:
        (_, theta), (xd, thetad) = q, qd
        kinetic = (M + m) * xd**2 / 2 + m * l * xd * thetad * np.cos(theta) + m * l**2 * thetad**2 / 2
        return kinetic - m * g * l * np.cos(theta)

    return ch.LagrangianSystem(2, lagrangian, name="cart-pole", coordinate_names=["x", "theta"])


@cache
def spherical_pendulum() -> ch.LagrangianSystem:
    """[EX-2]: theta from the downward vertical, phi about it."""
    m, l, g = ch.symbols("m l g")

    def lagrangian(q: Any, qd: Any) -> Any:
        speed = qd[0] ** 2 + (np.sin(q[0]) * qd[1]) ** 2
        return m * l**2 * speed / 2 + m * g * l * np.cos(q[0])

    return ch.LagrangianSystem(2, lagrangian, name="spherical pendulum", coordinate_names=["theta", "phi"])


@cache
def circle() -> ch.ConstrainedSystem:
    """[EX-6]: a particle on a circle of radius l in a vertical plane."""
    m, g, l = ch.symbols("m g l")
    particle = ch.LagrangianSystem(
        2, lambda q, qd: m * (qd @ qd) / 2 - m * g * q[1], name="circle", coordinate_names=["x", "y"]
    )
    return ch.ConstrainedSystem(particle, ch.Constraint.holonomic(lambda q: (q @ q - l**2) / 2, name="rod"))


@cache
def rolling_disk() -> ch.ConstrainedSystem:
    """[EX-7]: of radius rho, upright, at (x, y), its heading theta and its turn phi."""
    m, I1, I2, rho = ch.symbols("m I1 I2 rho")

    def lagrangian(q: Any, qd: Any) -> Any:
        return m * (qd[0] ** 2 + qd[1] ** 2) / 2 + I1 * qd[2] ** 2 / 2 + I2 * qd[3] ** 2 / 2

    def rows(q: Any) -> Any:
        return np.array([[1, 0, 0, -rho * np.cos(q[2])], [0, 1, 0, -rho * np.sin(q[2])]])

    disk = ch.LagrangianSystem(4, lagrangian, name="rolling disk", coordinate_names=["x", "y", "theta", "phi"])
    return ch.ConstrainedSystem(disk, ch.Constraint.pfaffian(rows, "rolling"))


@cache
def four_bar() -> ch.ConstrainedSystem:
    """The planar arm of three joints, its tip pinned to the ground at a distance d."""
    pin = ch.Constraint.loop_closure("base", "tool", "tx ty tz", pose=at(ch.symbols("d"), 0, 0), name="pin")
    return ch.ConstrainedSystem(planar_3r(), pin)


def is_zero(difference: Any) -> bool:
    """Whether an expression, or every entry of a matrix, is zero: expanded in exponentials, which decides it."""
    entries = list(difference) if isinstance(difference, sp.MatrixBase) else [difference]
    return all(_numerator(x) == 0 for x in entries)


def _numerator(x: Any) -> Any:
    top = sp.numer(sp.together(sp.expand_trig(sp.nsimplify(x, rational=True))))
    angles = sorted({y.args[0] for y in top.atoms(sp.sin, sp.cos)}, key=str)
    marks = {y: (sp.Symbol(f"c_of_{k}"), sp.Symbol(f"s_of_{k}")) for k, y in enumerate(angles)}
    swaps = {sp.cos(y): c for y, (c, _) in marks.items()} | {sp.sin(y): s for y, (_, s) in marks.items()}
    flat = sp.expand(top.subs(swaps))
    for c, s in marks.values():
        flat = sp.expand(sp.rem(flat, s**2 + c**2 - 1, s)) if flat.has(s) else flat
    return flat


def sides(statement: Any) -> list[tuple[Any, Any]]:
    """Left and right of each equation of a statement, what it names put in."""
    known: dict[str, Any] = {}
    for x in statement.where:
        known[x.left.name] = expressed(x.right, known)
    return [(expressed(x.left, known), expressed(x.right, known)) for x in statement.equations]


def matrix(statement: Any) -> Any:
    """The right of the one equation of a statement."""
    ((_, right),) = sides(statement)
    return right


def without_dust(x: Any) -> Any:
    """An expression whose coefficients are rounded: what is below 1e-12 is none."""
    terms = sp.Add.make_args(sp.expand(sp.expand_trig(x)))
    return sp.Add(*(y for y in terms if abs(y.as_coeff_Mul()[0]) > 1e-12))
