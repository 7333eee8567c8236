"""Laws as programs of (t, q, qd) and their parameters.

A law that keeps something from one call to the next, or draws at random, computes something else when it is traced
again, or meets values of the trace before: both are refused, for the code would hold the first call alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from chasles.arguments import shown
from chasles.errors import ModelError, TraceError
from chasles.export.written_out import traced
from chasles.function.compile import compile
from chasles.graph.program import Loop, Program
from chasles.simulation.time_loop import operands, setup


def law_program(system: Any, law: Any, parameters: Any) -> Program | Loop:
    """tau of a law of a system. parameters: shapes of its own, by name."""
    try:
        first = _traced(system, law, parameters)
    except TraceError as error:
        said = str(error).replace("compiled into a rollout", "exported").partition(". chasles.simulate takes")[0]
        raise TraceError(f"{said}. A law that leaves is a function of traced (t, q, qd), without a state") from error
    try:
        same = _traced(system, law, parameters).to_json() == first.to_json()
    except TraceError:
        same = False
    if not same:
        raise TraceError(
            f"law {called(law)} cannot be exported: it computes something else each time it is called. Keep its state "
            'outside, as an input: a parameter of the law, parameters={"integral": 6}'
        )
    return first


def _traced(system: Any, law: Any, parameters: Any) -> Program | Loop:
    of = setup(operands(system, _shapes(parameters)), law)
    assert of.law is not None
    function, n = of.law, system.n

    def forces(t: Any, q: Any, qd: Any, **given: Any) -> Any:
        return {"tau": function.vector(n, t, q, qd, given=given)}

    shapes: dict[str, Any] = {"t": (), "q": system.nq, "qd": n, **of.shapes}
    return traced(compile(forces, **shapes))


def _shapes(parameters: Any) -> Mapping[str, Any] | None:
    if parameters and not isinstance(parameters, Mapping):
        raise ModelError(f'parameters of a law are shapes by name, {{"K": 6}}, got {shown(parameters)}')
    return parameters or None


def called(law: Any) -> str:
    """The name of a law: of a function, or of the class in the way of functions."""
    name = getattr(law, "__name__", None) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(law).__name__).lower()
    return name if name.isidentifier() else "law"


def first_line(law: Any) -> str:
    """Of what a function says of itself; "" of an object."""
    doc = (getattr(law, "__doc__", None) or "").strip().partition("\n")[0]
    return doc if hasattr(law, "__name__") and not isinstance(law, type) else ""
