"""Rows at which a mass matrix is not positive definite: a warning names the robot, and the link or joint at fault.

Two kinds of robots have such rows; all others are not looked at.

    a link whose inertia has a negative eigenvalue     M may be indefinite: the row is nan (catalogue/trace.py)
    a joint that moves no inertia of its own link      M may be singular, as that of a gimbal whose axes are parallel

The first link that moves, from the base, moves by its own joint alone: where every joint moves its own link's inertia,
or a rotor, M is positive definite. The warning takes the place of NumPy's and follows np.errstate as that does.
"""

import warnings
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from chasles.catalogue.entry import INPUTS, Entry
from chasles.errors import MassMatrixWarning, caller
from chasles.model.checks import is_impossible
from chasles.model.mechanism import Mechanism
from chasles.model.merged_links import own_inertias
from chasles.robot.singular_mass import singular_velocity

_LEAST = 1e-12  # of a link's inertia: what a joint moves below it is none


def is_watched(m: Mechanism) -> bool:
    """Whether a mechanism may have a mass matrix that is singular or indefinite somewhere."""
    return not m.symbols and (bool(m.impossible_links) or any(not _moves_its_own(body) for body in m.tree.bodies))


def _moves_its_own(body: Any) -> bool:
    columns, G = body.columns, body.G
    if body.armature:
        return True
    own = np.array([[(G @ S).pair(T) for S in columns] for T in columns], dtype=float)
    size = abs(G.mass) + abs(G.S.xx) + abs(G.S.yy) + abs(G.S.zz)
    return bool(np.linalg.eigvalsh(own)[0] > _LEAST * size)


def watched(made: Callable[[Any], Callable[..., Any]], m: Mechanism, name: str, item: Entry) -> Callable[..., Any]:
    """A function of the catalogue that says at which joint or link it has no answer; the first input is q.

    made: what makes its call, with a decorator around all that is not machine code.
    """
    quiet, call = made(np.errstate(divide="ignore", invalid="ignore")), made(lambda call: call)

    def watch(*arguments: Any) -> Any:
        result = quiet(*arguments)
        first = result[0] if isinstance(result, tuple) else result
        if isinstance(first, float):
            total = first
        elif type(first) is np.ndarray:
            total = first.dot(first) if first.ndim == 1 else np.vdot(first, first)  # infinities of both signs add up
        else:  # traced
            return result
        if isfinite(total) or _is_said(m, name, arguments, np.asarray(first), item):
            return result
        return call(*arguments)  # for another reason, of which NumPy warns

    return watch


def _is_said(m: Mechanism, name: str, arguments: tuple[Any, ...], result: np.ndarray, item: Entry) -> bool:
    """Warn of the rows that have no answer; whether the mass matrix is the reason."""
    shape = next(iter(item.outputs.values()))
    lead = result.shape[: result.ndim - len(shape)]
    bad = ~np.isfinite(result).all(axis=tuple(range(len(lead), result.ndim)))
    for key, x in zip(item.inputs, arguments, strict=False):
        finite = np.isfinite(np.asarray(x, dtype=float))
        bad = bad & np.broadcast_to(finite.all(axis=tuple(range(-len(INPUTS[key]), 0))), lead)
    if not bad.any():
        return False
    q = np.broadcast_to(np.asarray(arguments[0], dtype=float), (*lead, m.coupling.nq))[bad].reshape(-1, m.coupling.nq)
    why = _reason(m, q[:1])
    if why is None:
        return False
    where = f"at {int(bad.sum())} of {bad.size} configurations" if lead else "at this configuration"
    text = f"{name}: the mass matrix of robot {m.name!r} is {why[0]} {where}: {why[1]}"
    rules = {np.geterr()[key] for key in ("divide", "invalid")}
    if "raise" in rules:
        raise FloatingPointError(text)
    if rules != {"ignore"}:
        warnings.warn(text, MassMatrixWarning, stacklevel=caller())
    return True


def _reason(m: Mechanism, q: np.ndarray) -> tuple[str, str] | None:
    """What the mass matrix is at one configuration (1, nq), and why; None where it is as it should be."""
    k = singular_velocity(m.tree, m.coupling, q, indefinite=True)
    if k is not None:
        joint = [own.name for own in m.own_joints for _ in own.joint.columns][k]
        return "singular", f"joint {joint!r} moves no inertia of its own there"
    if m.impossible_links and singular_velocity(m.tree, m.coupling, q) is not None:
        return "not positive definite", impossible(m)
    return None


def impossible(m: Mechanism) -> str:
    """Which links, moving or merged into such, have an inertia that no body has; "" where none has."""
    if not m.impossible_links:
        return ""
    own = [name for name, link in own_inertias(m).items() if is_impossible(link)]
    return f"no body has the inertia of link {', '.join(map(repr, (own or m.impossible_links)[:4]))}"
