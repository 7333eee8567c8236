"""Programs and kernels of a mechanism, by names of the catalogue."""

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

from chasles import arrays
from chasles.backend.host.cache import key
from chasles.catalogue.entry import INPUTS, Options, find
from chasles.catalogue.traceable import Traceable
from chasles.dynamics.linear_solve import factored
from chasles.errors import ModelError
from chasles.function.kernel import Kernel
from chasles.graph.deferred import Deferred
from chasles.graph.program import Operand, Program
from chasles.graph.trace import Results
from chasles.graph.trace import trace as traced_program
from chasles.model import symbolic
from chasles.model.mechanism import Mechanism
from chasles.model.task import size
from chasles.scalar import ops

LONG = 48  # bodies of a robot whose links had better be computed alike (backend/forms.py)
PARAMETERS = "parameters"  # the name of the symbols that kernel(parameters=...) stands for


def compute(mechanism: Mechanism, names: Sequence[str], given: Mapping[str, Any], options: Options) -> list[Any]:
    """The results of catalogue functions on leaves of any kind: nested lists, one for each output of each name."""
    robot = Traceable(symbolic.bound(mechanism, {x.name: arrays.flat(given[x.name]) for x in mechanism.symbols}))
    results = []
    for name in names:
        item = find(name)
        arguments = {key: given[key] for key in (*item.inputs, *item.optional) if key in given}
        result = item.compute(robot, options, **arguments)
        if "inverse" in item.needs and mechanism.impossible_links:
            result = _where_positive(robot, options, given["q"], result)
        results += result if len(item.outputs) > 1 else [result]
    return results


def _where_positive(robot: Traceable, options: Options, q: Any, result: Any) -> Any:
    """A result, and nan where the mass matrix, L D L^T, is not positive definite."""
    _, D = factored(find("mass_matrix").compute(robot, options, q))
    one: Any = 1.0
    for d in D:
        one = one * ops.where(ops.less(0.0, d), 1.0, nan)
    return _times(result, one)


def _times(x: Any, factor: Any) -> Any:
    """Every leaf of nested lists, times a factor."""
    return type(x)(_times(y, factor) for y in x) if isinstance(x, (list, tuple)) else x * factor


def trace(
    mechanism: Mechanism,
    names: Sequence[str],
    options: Options,
    optional: Sequence[str] = (),
    parameters: Sequence[int] = (),
) -> Program:
    """The program of one or several catalogue functions, sharing all common work.

    The mechanism's symbols are inputs after all others. parameters: links whose ten inertial parameters are symbols
    too, of one array (k, 10) called "parameters".
    """
    return _deferred(mechanism, names, options, optional, parameters).traced()


def _deferred(
    mechanism: Mechanism,
    names: Sequence[str],
    options: Options,
    optional: Sequence[str] = (),
    parameters: Sequence[int] = (),
) -> Deferred:
    recipe = _recipe(mechanism, names, options, optional, parameters)
    if parameters:
        from chasles.graph.symbol import symbol
        from chasles.model.variations import with_inertias

        rows = symbol(PARAMETERS, (len(parameters), 10))
        mechanism = with_inertias(mechanism, {i: rows[k] for k, i in enumerate(parameters)})
    items = [find(name) for name in names]
    wanted = {key for item in items for key in item.inputs} | set(optional)
    allowed = {key for item in items for key in (*item.inputs, *item.optional)}
    if wanted - allowed:
        raise ModelError(f"{', '.join(names)} takes no input {sorted(wanted - allowed)[0]!r}")
    sizes = {
        "n": mechanism.n,
        "nq": mechanism.coupling.nq,
        "links": mechanism.bodies,
        "parameters": 10 * mechanism.bodies,
        "frames": len(mechanism.frames),
        "m": size(options.task),
    }

    def shape(dims: tuple[int | str, ...]) -> tuple[int, ...]:
        return tuple(sizes[s] if isinstance(s, str) else s for s in dims)

    inputs = tuple(Operand(key, shape(dims)) for key, dims in INPUTS.items() if key in wanted)
    inputs += tuple(sorted(mechanism.symbols, key=lambda x: x.name != PARAMETERS))
    outputs = [Operand(key, shape(dims)) for item in items for key, dims in item.outputs.items()]

    def results(*leaves: Any) -> Results:
        given = {operand.name: x for operand, x in zip(inputs, leaves, strict=True)}
        return zip(outputs, map(arrays.flat, compute(mechanism, names, given, options)), strict=True)

    uniform = mechanism.bodies >= LONG
    return Deferred(inputs, tuple(outputs), recipe, lambda: traced_program(inputs, results, uniform=uniform))


def _recipe(mechanism: Mechanism, names: Sequence[str], *options: Any) -> str:
    """Empty where some function is not ours: nothing is known of what it computes."""
    ours = all(find(name).compute.__module__.partition(".")[0] == __name__.partition(".")[0] for name in names)
    return recipe(mechanism, tuple(names), *options) if ours else ""


def recipe(mechanism: Mechanism, *rest: Any) -> str:
    """The recipe (graph/deferred.py) of a program of a mechanism and plain data; empty where the robot has symbols."""
    return "" if mechanism.symbols else key(repr((rest, mechanism.key)))


def kernel(
    mechanism: Mechanism,
    names: Sequence[str],
    dtype: str = "float64",
    options: Options | None = None,
    optional: Sequence[str] = (),
    parameters: Sequence[int] = (),
    called: str | None = None,
    target: str = "cpu",
) -> Kernel:
    """The kernel of catalogue functions; `called`: its name, by default theirs."""
    program = _deferred(mechanism, names, options or Options(), optional, parameters)
    return Kernel(program, called or "+".join(names), dtype, target=target)
