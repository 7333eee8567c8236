"""Mechanics of discrete steps: all that a variational integrator asks of a system.

A step of h seconds at velocities x, q' = integrate(q, h x), has a discrete Lagrangian L_d(q, q') and the momenta

    p_0 = -D_1 L_d,   p_1 = D_2 L_d                                               (1)

at its ends. Forces that are no part of L_d act as impulses, half of them at either end of the step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from chasles.dynamics.linear_solve import factored_from_tips
from chasles.function.compile import compile
from chasles.function.kernel import Kernel

Forces = Callable[[Any, Any, Any], Any]


class DiscreteMechanics(ABC):
    """A system under joint forces of (t, q, v)."""

    system: Any

    @abstractmethod
    def momenta(self, t: Any, q: Any, v: Any) -> Any:
        """(..., n) p of velocities v."""

    @abstractmethod
    def velocities(self, t: Any, q: Any, p: Any) -> Any:
        """(..., n) v of momenta p."""

    @abstractmethod
    def kept_forces(self, t: Any, q: Any) -> Any:
        """(..., n) those that depend on q alone and are no part of L_d."""

    @abstractmethod
    def asked_forces(self, t: Any, q: Any, v: Any) -> Any:
        """(..., n) joint forces, and those of the system that depend on velocities."""

    @abstractmethod
    def free_step(self, t: Any, q: Any, p: Any, h: Any, x: Any, lag: Any) -> tuple[Any, Any, Any, Any]:
        """q', p_1 and x of the step with p_0 = p, and by how much h x lags behind what is simply made of p.

        x, lag: those of the step before, or what they suggest. Where no step is found, p_1 is nan.
        """

    def settled(self, t: Any, q: Any, p: Any) -> Any:
        """(..., n) p at the end of a step."""
        return p


class FreeMechanics(DiscreteMechanics):
    """A system without constraints: on traced arrays, what constraints are added to."""

    def __init__(self, system: Any, forces: Forces) -> None:
        self.system, self.forces = system, forces

    @abstractmethod
    def step_momenta(self, t: Any, q: Any, x: Any, h: Any) -> tuple[Any, Any]:
        """(n,) p_0 and (n,) p_1."""

    @abstractmethod
    def tangent(self, t: Any, q: Any, x: Any, h: Any) -> Any:
        """(n, n) the derivative of p_0 by x, or near to it."""


def kept(cache: WeakKeyDictionary[Any, Kernel], system: Any, function: Callable[..., Any], **shapes: Any) -> Kernel:
    """The kernel of a function for a system, made once; t is an input of it where the system depends on time."""
    if system not in cache:
        time: dict[str, Any] = {"t": ()} if getattr(system, "depends_on_time", False) else {}
        cache[system] = compile(function, **shapes, **time)
    return cache[system]


def solved(M: Any, b: Any, symmetric: bool = True) -> Any:
    """(n,) M^-1 b of traced arrays."""
    return np.stack(factored_from_tips([list(row) for row in M], symmetric).solve(list(b)))
