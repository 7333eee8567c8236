"""`system.equations()`: the equations of robots, Lagrangian systems and systems under constraints, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from chasles.arguments import flag, one_of, shown
from chasles.catalogue import Options
from chasles.equations.inertias import with_inertia_symbols
from chasles.equations.leaves import leaves
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
    given = _Given(symbols, coordinates, Options(frame, expressed), flag(names, "equations: names"))
    if symbols is not None:
        one_of(symbols, "equations: symbols", SYMBOLS)
    return _free(system, given) if isinstance(system, (Robot, LagrangianSystem)) else _constrained(system, given)


class _Given(NamedTuple):
    """What was asked for."""

    symbols: str | None
    coordinates: Sequence[str] | None
    options: Options
    names: bool


def _constrained(system: Any, given: _Given) -> SystemEquations:
    """Those of a system under constraints, a room that is imported for these alone."""
    from chasles.constrained import ConstrainedSystem
    from chasles.equations.of_constrained import ConstrainedEquations

    if not isinstance(system, ConstrainedSystem):
        form = "a Robot, a LagrangianSystem or a ConstrainedSystem"
        raise ModelError(f"equations are those of {form}, got {shown(system)}")
    return ConstrainedEquations(system, _free(system.system, given))


def _free(system: Any, given: _Given) -> SystemEquations:
    """Those of a system without constraints."""
    if isinstance(system, LagrangianSystem):
        return _of_lagrangian(system, given)
    if given.options.frame is not None:
        system.mechanism.frame(given.options.frame)
    marks = leaves(system, given.coordinates)
    if given.symbols is None:
        return RobotEquations(system, marks, given.names, given.options)
    symbolic, read = with_inertia_symbols(system)
    return RobotEquations(symbolic, replace(marks, own=read), given.names, given.options)


def _of_lagrangian(system: LagrangianSystem, given: _Given) -> SystemEquations:
    if given.symbols is not None:
        raise ModelError(
            f"equations: the numbers of {system.name!r} are inside its Lagrangian: write it with symbols, "
            'm, l = chasles.symbols("m l"), and they are printed'
        )
    if given.options.frame is not None:
        raise ModelError(f"equations: frame must be None, {system.name!r} has none, got {shown(given.options.frame)}")
    return LagrangianEquations(system, leaves(system, given.coordinates), given.names)
