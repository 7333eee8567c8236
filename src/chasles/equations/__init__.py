"""`system.equations()`: the equations of robots, Lagrangian systems and systems under constraints, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chasles.arguments import flag, one_of
from chasles.catalogue import Options
from chasles.constrained import ConstrainedSystem
from chasles.equations.inertias import with_inertia_symbols
from chasles.equations.leaves import leaves
from chasles.equations.of_constrained import ConstrainedEquations
from chasles.equations.of_lagrangian import LagrangianEquations
from chasles.equations.of_robot import RobotEquations
from chasles.equations.of_system import SystemEquations
from chasles.errors import ModelError
from chasles.formula.collection import Equations
from chasles.lagrangian import LagrangianSystem
from chasles.literals import Expressed
from chasles.robot import Robot

SYMBOLS = ("inertias",)


def equations(
    system: Any,
    *,
    symbols: str | None = None,
    coordinates: Sequence[str] | None = None,
    frame: str | None = None,
    expressed: Expressed = "body",
    names: bool = True,
) -> Equations:
    """The equations of a system: see `SystemMethods.equations`."""
    if isinstance(system, ConstrainedSystem):
        if isinstance(system.system, Robot) and symbols is not None:
            one_of(symbols, "equations: symbols", SYMBOLS)
        inner = _free(system.system, symbols, coordinates, frame, expressed, names)
        return ConstrainedEquations(system, inner)
    return _free(system, symbols, coordinates, frame, expressed, names)


def _free(
    system: Any,
    symbols: str | None,
    coordinates: Sequence[str] | None,
    frame: str | None,
    expressed: Expressed,
    names: bool,
) -> SystemEquations:
    flag(names, "equations: names")
    if symbols is not None:
        one_of(symbols, "equations: symbols", SYMBOLS)
    if isinstance(system, LagrangianSystem):
        if symbols is not None:
            raise ModelError(
                f"equations: the numbers of {system.name!r} are inside its Lagrangian: write it with symbols, "
                'm, l = chasles.symbols("m l"), and they are printed'
            )
        return LagrangianEquations(system, leaves(system, coordinates), names)
    if not isinstance(system, Robot):
        raise ModelError(f"equations are those of a Robot, a LagrangianSystem or a ConstrainedSystem, got {system!r}")
    options = Options(frame, expressed)
    if frame is not None:
        system.mechanism.frame(frame)
    marks = leaves(system, coordinates)
    if symbols is None:
        return RobotEquations(system, marks, names, options)
    symbolic, read = with_inertia_symbols(system)
    return RobotEquations(symbolic, replace(marks, own=read), names, options)
