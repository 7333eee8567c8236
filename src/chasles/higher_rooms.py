"""Methods that a room above computes: of systems by their names, of another class as `Class.method`.

    HIGHER[method] = "module.function":   x.method(...) is function(x, ...), imported when called

The one exception to the rule that imports point one way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import Any, TypeVar

HIGHER = {
    "equations": "chasles.equations.equations",
    "export": "chasles.export.export_system",
    "page": "chasles.view.show.system_page",
    "plot": "chasles.plot.robot",
    "report": "chasles.report.report",
    "rollout": "chasles.simulation.rollout",
    "show": "chasles.view.show.show_system",
    "simulate": "chasles.simulation.simulate",
    "step": "chasles.simulation.step",
    "view": "chasles.view.live.view",
    "Kernel.export": "chasles.export.export_kernel",
    "Trajectory.page": "chasles.view.show.motion_page",
    "Trajectory.show": "chasles.view.show.show_motion",
}

F = TypeVar("F", bound=Callable[..., Any])


@cache
def found(method: str) -> Callable[..., Any]:
    """The function behind a method of the table."""
    module, _, function = HIGHER[method].rpartition(".")
    return getattr(import_module(module), function)


def higher(declared: F) -> F:
    """The method that this signature and the table say."""
    name = declared.__qualname__ if declared.__qualname__ in HIGHER else declared.__name__

    @wraps(declared)
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        function = found(name)
        try:
            return function(self, *arguments, **options)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            called = f"{declared.__name__}()"  # not by its name in the room above
            raise TypeError(str(error).replace(f"{function.__name__}()", called, 1)) from None

    return method  # type: ignore[return-value]
