"""Loops written as Python functions: `chasles.loop`.

What people take of loops they take from here, so that all of it is there: derivatives on dual numbers too.
"""

import inspect
import operator
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from chasles.arguments import refuse_foreign, shown
from chasles.arguments.arrays import DIMENSIONS
from chasles.errors import ChaslesError, TraceError
from chasles.graph import loop_derivative as _on_duals  # noqa: F401 - which loops need
from chasles.graph.array import plain, traced
from chasles.graph.node import Expr, Graph, less_equal, where
from chasles.graph.program import Equation, Loop, Operand, Restart, Rule, Status, flatten
from chasles.graph.run_loop import split
from chasles.scalar.dual import Dual
from chasles.scalar.leaf import is_leaf
from chasles.scalar.operations import CONDITIONS

__all__ = ["Equation", "Loop", "Restart", "Status", "loop"]


def loop(
    step: Callable[..., Any],
    carry: Any,
    *,
    count: int | None = None,
    each: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    rule: Rule = "steps",
) -> Any:
    """Repeat `step` inside the kernel: x = step(x), `count` times or until the step says that it is done.

    Where it starts is `carry`: a number or an array, a tuple of them (which the step takes as so many arguments) or a
    dict (by keyword). The step returns its next value, in the same form and shapes. It may return a pair (carry,
    {"until": condition, "record": values}): a row stops at the first iteration where the condition holds, or where it
    carries a nan; `values`, an array or a dict of them, are kept of every iteration. `loop` returns what the step
    returns: the last carry, or the pair of it and {"until": how it ended, "record": (count, ...) arrays}. How it ended
    is 1 where the condition held, 0 where count ran out, 2 at a nan. Where a row stopped early, what it did not record
    is 0. `until` may also be a number: the row goes on while it is 0. Without `count` nothing but `until` ends the
    loop, and nothing interrupts it.

    `count` is the most iterations; None, if `until` alone ends the loop. `each` are arrays (count, ...) by the name of
    the step's argument that takes slice k at iteration k; `given`, arrays by the name of the argument that takes them,
    always the same. Values of the function around the step may also just be used in it. `rule` says how the loop is
    differentiated: by its "steps", exactly as computed, in reverse with checkpoints (which needs count); or as a
    "fixed_point" x = step(x) by the implicit-function rule, for iterations that converge and carry nothing that does
    not come to rest. Derivatives by the start are then 0.

    The square root of a by Newton's iteration, x <- x - (x^2 - a) / (2 x):

        def newton(x):
            new = (x + a / x) / 2
            return new, {"until": abs(new - x) < 1e-12}
        x, how = ch.loop(newton, 1.0, count=50, rule="fixed_point")

    A time loop, every state kept:

        def euler(q, qd, tau):
            q, qd = q + dt * qd, qd + dt * robot.forward_dynamics(q, qd, tau)
            return (q, qd), {"record": {"q": q}}
        (q, qd), kept = ch.loop(euler, (q0, qd0), each={"tau": torques}, count=len(torques))

    An implicit step, Newton's iteration inside of the time loop, is a loop in the step of another. On numbers the loop
    just runs; on traced values it is one node of the trace.
    """
    count = operator.index(count) if isinstance(count, np.integer) else count
    for role, named in (("each", each), ("given", given)):
        if named is not None and not isinstance(named, Mapping):
            raise TraceError(f"{role} is a dict of arrays by the names of the step's arguments, got {shown(named)}")
    if each and count is None:
        raise TraceError(f"each {next(iter(each))!r} has one row per iteration: give count, how many there are")
    if not callable(step):
        raise TraceError(f"the step is a function of what is carried, got a {type(step).__name__}")
    if not isinstance(rule, str):
        raise TraceError(f"rule must be 'steps' or 'fixed_point', got {shown(rule)}")
    names, pack = _carry_names(step, carry)
    starts = {name: _numbers(name, x) for name, x in zip(names, pack(carry), strict=True)}
    steady = {name: _numbers(name, x) for name, x in (given or {}).items()}
    coming = {name: _numbers(name, x) for name, x in (each or {}).items()}
    _refuse_other(step, () if isinstance(carry, Mapping) else names, (*starts, *steady, *coming))
    for name, x in coming.items():
        if x.ndim == 0 or len(x) != count:
            raise TraceError(f"each {name!r} must have one row per iteration, ({count}, ...): its shape is {x.shape}")
    inputs = [Operand(name, x.shape) for name, x in (starts | steady).items()]
    inputs += [Operand(name, x.shape[1:]) for name, x in coming.items()]
    with _Step(len(inputs)) as graph:
        arguments = {o.name: _array([graph.input(k, i) for i in range(o.size)], o.shape) for k, o in enumerate(inputs)}
        by_place = [] if isinstance(carry, Mapping) else [arguments.pop(name) for name in names]
        carried, extras = _parts(step(*by_place, **arguments))
        outputs, results = _results(graph, names, starts, pack(carried), extras, {*(o.name for o in inputs)})
    captured: tuple[str, ...] = ()
    if graph.outer:
        captured = (_fresh("captured", {o.name for o in (*inputs, *outputs)}),)
        inputs.append(Operand(*captured, (len(graph.outer),)))
    made = Loop(
        flatten(tuple(inputs), tuple(outputs), results),
        tuple(names),
        count,
        (*steady, *captured),
        tuple(coming),
        tuple(o.name for o in outputs[len(names) + ("until" in extras) :]),
        outputs[len(names)].name if "until" in extras else None,
        rule,
    )
    arrays = (*starts.values(), *steady.values(), np.array(graph.outer, object), *coming.values())
    leaves = [_leaf(x) for array in arrays for x in array.reshape(-1)]
    rows = split(made.run(leaves), made.outputs)
    found = [_array(rows[o.name], o.shape) for o in made.outputs]
    last = found[: len(names)]
    packed = dict(zip(names, last, strict=True)) if isinstance(carry, Mapping) else _in_form_of(carry, last)
    if not extras:
        return packed
    kept = found[len(names) + ("until" in extras) :]
    record = extras.get("record")
    ends: dict[str, Any] = {"until": found[len(names)]} if "until" in extras else {}
    if record is not None:
        ends["record"] = dict(zip(record, kept, strict=True)) if isinstance(record, Mapping) else kept[0]
    return packed, ends


class _Step(Graph):
    """The trace of a step: values of the traces around it become inputs of its last operand."""

    open = threading.local()

    def __init__(self, operand: int) -> None:
        super().__init__()
        self.parent: _Step | None = getattr(self.open, "step", None)
        self.depth = 1 + (self.parent.depth if self.parent else 0)
        self.operand = operand
        self.outer: list[Expr] = []
        self.places: dict[int, Expr] = {}

    def __enter__(self) -> "_Step":
        self.open.step = self
        return self

    def __exit__(self, *_: Any) -> None:
        self.open.step = self.parent
        self.depth = 0  # adopts no more

    def adopt(self, x: Expr) -> Expr:
        if self.depth <= x.graph.depth:
            return super().adopt(x)
        if self.parent is not None and x.graph.number < self.parent.number:  # from further out
            x = self.parent.adopt(x)
        if self.outer and x.graph is not self.outer[0].graph:
            return super().adopt(x)
        condition = x.op in CONDITIONS
        number = where(x, 1.0, 0.0) if condition else x
        if number.id not in self.places:
            self.places[number.id] = self.input(self.operand, len(self.outer))
            self.outer.append(number)
        place = self.places[number.id]
        return place > 0.5 if condition else place  # type: ignore[return-value]


def _numbers(name: str, x: Any) -> np.ndarray:
    """A value as an object array of leaves."""
    refuse_foreign(x, name, TraceError)
    try:
        found = plain(x)
    except ValueError:
        raise TraceError(f"{name} is not a rectangular array") from None
    if found.ndim > DIMENSIONS:
        raise TraceError(f"{name} has {found.ndim} dimensions, at most {DIMENSIONS} are taken")
    for leaf in found.flat:
        if not is_leaf(leaf):
            raise TraceError(f"a loop carries numbers, got {shown(leaf)} for {name}")
    return found


def _refuse_other(step: Callable[..., Any], by_place: Iterable[str], names: Iterable[str]) -> None:
    """Refuse a step that does not take what it is given."""
    try:
        signature = inspect.signature(step)
    except (TypeError, ValueError):
        return
    first = list(by_place)
    try:
        signature.bind(*first, **dict.fromkeys(name for name in names if name not in first))
    except TypeError as error:
        raise TraceError(f"the step does not take {', '.join(names) or 'nothing'}: {error}") from None


def _carry_names(step: Callable[..., Any], carry: Any) -> tuple[list[str], Callable[[Any], list[Any]]]:
    """The names of what is carried, and how its form becomes a list."""
    if isinstance(carry, Mapping):
        names = [str(name) for name in carry]

        def pack(x: Any) -> list[Any]:
            if not isinstance(x, Mapping) or set(x) != set(names):
                given = ", ".join(map(str, x)) if isinstance(x, Mapping) else f"a {type(x).__name__}"
                raise TraceError(f"the step must return a dict of {', '.join(names)}, as it is carried; got {given}")
            return [x[name] for name in names]

        return names, pack
    number = len(carry) if isinstance(carry, (tuple, list)) else 1
    try:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = [name for name, p in inspect.signature(step).parameters.items() if p.kind in kinds][:number]
    except (TypeError, ValueError):
        names = []
    names += [f"x{k}" for k in range(len(names), number)]

    def pack(x: Any) -> list[Any]:
        if not isinstance(carry, (tuple, list)):
            return [x]
        if not isinstance(x, (tuple, list)) or len(x) != number:
            got = f"{len(x)}" if isinstance(x, (tuple, list)) else f"a {type(x).__name__}"
            raise TraceError(f"the step must return {', '.join(names)}, the {number} it carries; got {got}")
        return list(x)

    return names, pack


def _parts(result: Any) -> tuple[Any, Mapping[str, Any]]:
    """What a step carries on, and what else it says."""
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], Mapping):
        for name in result[1]:
            if name not in ("until", "record"):
                raise TraceError(f'a step returns (carry, {{"until": ..., "record": ...}}), and no {name!r}')
        return result
    return result, {}


def _results(
    graph: _Step,
    names: list[str],
    starts: dict[str, np.ndarray],
    carried: list[Any],
    extras: Mapping[str, Any],
    taken: set[str],
) -> tuple[list[Operand], list[list[Any]]]:
    """The outputs of the step and their flat elements: what is carried, until, the records."""
    outputs: list[Operand] = []
    results: list[list[Any]] = []

    def add(name: str, value: Any) -> None:
        array = plain(value)
        outputs.append(Operand(name, array.shape))
        results.append([_node_or_float(graph, name, x) for x in array.reshape(-1)])

    for name, value in zip(names, carried, strict=True):
        if value is None:
            raise TraceError(f"the step returns None for {name}: does it return what it carries?")
        if isinstance(value, (str, Mapping)) or inspect.isgenerator(value):
            raise TraceError(f"the step returns a {type(value).__name__} for {name}, which is no number or array")
        if plain(value).shape != starts[name].shape:
            raise TraceError(f"{name} starts as {starts[name].shape}, and the step returns {plain(value).shape}")
        add(name, value)
    if "until" in extras:
        if plain(extras["until"]).shape != ():
            raise TraceError(f"until must be one condition or number, its shape is {plain(extras['until']).shape}")
        add(_fresh("until", taken), _status(plain(extras["until"])[()], [x for row in results for x in row]))
    record = extras.get("record")
    if record is not None:
        for name, value in (record if isinstance(record, Mapping) else {"record": record}).items():
            add(_fresh(f"{name}", taken | {o.name for o in outputs}), value)
    return outputs, results


def _status(until: Any, carried: list[Any]) -> Any:
    """How a row is: 1 where the condition holds, or the number, else 0, but 2 where something carried is nan."""
    if isinstance(until, (bool, np.bool_)):
        until = float(until)
    if until is None or isinstance(until, str):
        raise TraceError(f"until must be one condition or number, got {until!r:.80}")
    if isinstance(until, Dual) or (not isinstance(until, Expr) and until is not None and float(until) != 0.0):
        return until
    well: Any = True
    for x in carried:
        if isinstance(x, Expr):
            well = less_equal(x, x) if well is True else well & less_equal(x, x)
    going = where(well, 0.0, float(Status.ENDED))
    if not isinstance(until, Expr):
        return going
    if until.op in CONDITIONS:
        return where(until, float(Status.FOUND), going)
    return where(less_equal(until, 0.0) & less_equal(0.0, until), going, until)


def _node_or_float(graph: _Step, name: str, x: Any) -> Any:
    """An element of a result as a node of the step, or a float."""
    if isinstance(x, Expr):
        x = x if x.graph is graph else graph.adopt(x)
        if x.op in CONDITIONS:
            raise TraceError(f"{name} is a condition; return chasles.where(condition, 1.0, 0.0)")
        return x
    if isinstance(x, Dual):
        raise TraceError(f"{name}: a dual number of the function around the step is used in it: pass it by given=")
    return _leaf(x)


def _leaf(x: Any) -> Any:
    if isinstance(x, (Expr, Dual)):
        return x
    try:
        return float(x) + 0.0
    except ChaslesError:
        raise
    except (TypeError, ValueError):
        raise TraceError(f"a loop carries numbers, got a {type(x).__name__}") from None


def _array(flat: list[Any], shape: tuple[int, ...]) -> Any:
    """Flat elements as an array of that shape; one of no shape as it is."""
    if shape == ():
        return flat[0]
    if not any(isinstance(x, (Expr, Dual)) for x in flat):
        return np.array(flat, float).reshape(shape)
    array = np.empty(len(flat), object)
    array[:] = flat
    return traced(array.reshape(shape))


def _in_form_of(carry: Any, last: list[Any]) -> Any:
    return tuple(last) if isinstance(carry, (tuple, list)) else last[0]


def _fresh(base: str, taken: set[str]) -> str:
    while base in taken:
        base += "_"
    return base
