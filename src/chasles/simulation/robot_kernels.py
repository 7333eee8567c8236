"""Kernels of a system's steps.

Those of a robot are known by what they are made from, and are not traced where their machine code is on disk: of a
large robot that would take longer than a short simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from chasles.catalogue.trace import recipe
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.deferred import Deferred
from chasles.graph.operand import Operand
from chasles.robot import Robot

Shapes = Mapping[str, int | tuple[int, ...]]


def kernel_of(
    system: Any, function: Callable[..., Any], inputs: Shapes, outputs: Shapes, *made_from: str | float | bool | None
) -> Kernel:
    """The kernel of a function of traced arrays, which has those inputs and returns those outputs by name.

    made_from: all that the function depends on beside the system, and its own name.
    """
    shapes: dict[str, Any] = dict(inputs)
    if not isinstance(system, Robot):
        return compile(function, **shapes)
    name = function.__name__
    known = recipe(system.mechanism, name, tuple(inputs.items()), tuple(outputs.items()), made_from)
    program = Deferred(_operands(inputs), _operands(outputs), known, lambda: _program(function, shapes))
    return Kernel(program, name)


def _program(function: Callable[..., Any], shapes: dict[str, Any]) -> Any:
    return compile(function, **shapes).program


def _operands(given: Shapes) -> tuple[Operand, ...]:
    return tuple(Operand(name, (x,) if isinstance(x, int) else x) for name, x in given.items())
