"""Functions of systems that leave, by their names: each with its program, words and units, and states to test it at.

Of a robot all of the catalogue, of other systems their kernels; of all of them a step of a method, a rollout, laws, and
of robots inverse kinematics. The user's own kernels have the facts of operands whose names are those of a robot's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chasles.arguments import count, instance, is_number, names, one_of, positive, shown, text
from chasles.constrained import ConstrainedSystem
from chasles.constrained.reduced import Reduced
from chasles.errors import ModelError
from chasles.export.axes import Axes
from chasles.export.draws import drawn
from chasles.export.exported import Described
from chasles.export.facts import FUNCTIONS, INPUTS, SHORT, UNKNOWN, Fact, Function
from chasles.export.laws import called, first_line, law_program
from chasles.export.references import Draw
from chasles.export.units import product, unit
from chasles.export.written_out import traced
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.program import Loop, Operand, Program
from chasles.hints import ATTRIBUTES, did_you_mean
from chasles.lagrangian import LagrangianSystem
from chasles.literals import Expressed
from chasles.model.task import TOOL, Frames, Rows, task
from chasles.robot import Robot
from chasles.simulation import Rollout
from chasles.simulation.compiled_steps import can_be_compiled, step_kernel
from chasles.simulation.fixed_steps import refuse_symbols
from chasles.simulation.rollout_kernels import rollout_kernel

MOTIONS = ("step", "rollout")
DTYPES = ("float64", "float32")
MOST_NUMBERS = 100_000  # of an operand, which a header lists and a test holds
SEARCH = {"attempts": 100, "iterations": 50}
SEARCH_TOLERANCE = {"float64": 1e-9, "float32": 1e-5}  # rad and m, at which inverse kinematics ends
INSTEAD = {
    "simulate": "its results have no size that is known before: export 'step', or 'rollout' with steps=",
    "linearize": "export 'step' with derivative='q', or 'forward_dynamics_derivatives'",
    "jacobian_inverse": "export 'consistent_inverse', or 'jacobian' and solve where you are",
}


@dataclass(frozen=True)
class Options:
    """What is chosen when a function is exported; None, and () of names: not chosen."""

    frame: Frames = None
    expressed: Expressed | None = None
    rows: Rows = None
    inputs: str | Sequence[str] = ()
    parameters: str | Sequence[str] | Mapping[str, Any] = ()
    derivative: str | None = None
    method: str | None = None
    dt: float | None = None
    steps: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.parameters, Mapping):
            object.__setattr__(self, "parameters", _words(self.parameters, "parameters"))
        object.__setattr__(self, "inputs", _words(self.inputs, "inputs"))
        if self.expressed is not None:
            one_of(self.expressed, "expressed", Expressed)

    def refuse_beyond(self, what: str, allowed: str) -> None:
        """Raise ModelError of an option that is given and that a function does not have."""
        for name, x in vars(self).items():
            given = bool(x) if name in ("inputs", "parameters") else x is not None
            if given and name not in allowed.split():
                raise ModelError(f"{name}: {what} has no such option")


def refuse_large(name: str, shape: Sequence[int], instead: str = "export a function of a part, and repeat it") -> None:
    """Raise ModelError of an operand that is too large for a source file."""
    size = math.prod(shape)
    if size > MOST_NUMBERS:
        raise ModelError(f"export: {name!r} has {size:,} numbers, and {MOST_NUMBERS:,} at most can leave: {instead}")


def _words(x: Any, what: str) -> tuple[str, ...]:
    return (x,) if isinstance(x, str) else tuple(names(x, what))


@dataclass(frozen=True)
class Subject:
    """A function with what is known of it."""

    body: Program | Loop
    name: str
    about: str = ""
    operands: Mapping[str, Described] = field(default_factory=dict)
    draw: Draw | None = None
    least_tolerance: float = 0.0
    system: str = ""  # the name of the robot or system whose function it is


@dataclass(frozen=True)
class _Found:
    """A kernel or program, its facts, and of which axes they are."""

    body: Any
    name: str
    told: Function
    axes: Axes


def subject(system: Any, function: Any, options: Options, dtype: str = "float64") -> Subject:
    """A function of a system: by its name or those of several, a law, a rollout, or a kernel with such operands."""
    instance(system, "export: system", (Robot, LagrangianSystem, ConstrainedSystem))
    if not system.n:
        raise ModelError(f"export: {system.name!r} has no joints, and nothing that moves")
    found = _short(_found(system, function, options, one_of(dtype, "dtype", DTYPES)))
    if options.derivative is not None:
        found = _derived(found, text(options.derivative, "derivative"))
    body, told, axes = found.body, found.told, found.axes
    facts = {**INPUTS, **told.inputs}
    told_of = {o.name: axes.described(facts[o.name]) for o in body.inputs if o.name in facts}
    told_of |= dict.fromkeys(_symbols(system), Described("a symbol of the robot, whose value is given here"))
    told_of |= {o.name: axes.described(told.outputs[o.name]) for o in body.outputs if o.name in told.outputs}
    sizes = {o.name: o.size for o in (*body.inputs, *body.outputs)}
    fit = {name: told_of[name] for name, size in sizes.items() if name in told_of and _fits(told_of[name], size)}
    least = 10.0 * SEARCH_TOLERANCE[dtype] if found.name == "inverse_kinematics" else 0.0
    about = " ".join(f"{x.rstrip('.')}." for x in (axes.filled(told.about), _of(system)) if x)
    return Subject(body, found.name, about, fit, drawn(system, body, axes), least, system.name)


def _of(system: Any) -> str:
    """Whose function it is, and what of it the numbers hold that nobody sees in them."""
    inner = getattr(system, "system", system)
    under = f", under constraints: {', '.join(system.row_names)}" if inner is not system else ""
    if not isinstance(inner, Robot):
        return f"System {system.name}{under}."
    mechanism = inner.mechanism
    gravity = " ".join(f"{x:g}" if is_number(x) else str(x) for x in mechanism.gravity)
    friction = "; damping and friction of the joints count" if mechanism.has_friction else ""
    return f"Robot {inner.name}{under}; gravity ({gravity}) m/s^2 in the space frame{friction}."


def _fits(described: Described, size: int) -> bool:
    return len(described.elements) in (0, size)


def _short(found: _Found) -> _Found:
    """With short names of outputs that are called as their functions are."""
    body, told = found.body, found.told
    if not isinstance(body, Program):
        return found
    names, taken = [], [o.name for o in (*body.inputs, *body.outputs)]
    for o in body.outputs:
        short = SHORT.get(o.name, o.name)
        names.append(o.name if short in (*taken, *names) else short)
    pairs = list(zip(names, body.outputs, strict=True))
    facts = {name: told.outputs[o.name] for name, o in pairs if o.name in told.outputs}
    short = replace(body, outputs=tuple(Operand(name, o.shape) for name, o in pairs))
    return replace(found, body=short, told=told._replace(outputs=facts))


def own(kernel: Kernel) -> Subject:
    """A kernel by itself."""
    return Subject(traced(kernel), kernel.name, " ".join(kernel.doc.partition("\n\n")[0].split()))


def _found(system: Any, function: Any, options: Options, dtype: str) -> _Found:
    if isinstance(function, Kernel):
        options.refuse_beyond(function.name, "derivative")
        told = Function(" ".join(function.doc.partition("\n\n")[0].split()), {})
        return _Found(traced(function), function.name, told, Axes.of(system))
    if isinstance(function, Reduced):
        options.refuse_beyond("a reduced form", "derivative")
        return _reduced(system, function)
    if isinstance(function, Rollout):
        options.refuse_beyond("a rollout", "derivative dt")
        return _rollout(system, function, options)
    if callable(function):
        return _law(system, function, options)
    chosen = (function,) if isinstance(function, str) else tuple(names(function, "function"))
    if len(chosen) == 1 and chosen[0] in MOTIONS:
        return (_step if chosen[0] == "step" else _rollout)(system, None, options)
    if isinstance(system, Robot):
        return _of_robot(system, chosen, options, dtype)
    return _of_system(system, chosen, options)


def _of_robot(robot: Robot, chosen: tuple[str, ...], options: Options, dtype: str) -> _Found:
    from chasles.catalogue import catalogue, find

    expressed = options.expressed or "body"
    if chosen == ("inverse_kinematics",):
        from chasles.ik.search_program import search_program

        options.refuse_beyond("inverse_kinematics", "frame rows")
        refuse_symbols(robot, "inverse_kinematics")
        which = task(options.frame, options.rows)
        ends: dict[str, Any] = {**SEARCH, "tolerance": SEARCH_TOLERANCE[dtype]}
        problem = robot._problem(frame=options.frame, rows=options.rows, limits=True, **ends)
        told, most = FUNCTIONS[chosen[0]], "{attempts} attempts of {iterations} steps".format(**SEARCH)
        about = f"{told.about}; it ends at a residual of {ends['tolerance']:g}, and after {most} at the latest"
        return _Found(search_program(problem), chosen[0], told._replace(about=about), Axes.of(robot, task=which))
    for name in chosen:
        if name not in catalogue():
            raise ModelError(f"export: {_no_function(robot, name)}")
    uses = {use for name in chosen for use in find(name).uses}
    read = {"frame": uses & {"frame", "task"}, "expressed": uses & {"expressed"}, "rows": uses & {"task"}}
    allowed = [name for name, used in read.items() if used]
    options.refuse_beyond(", ".join(chosen), " ".join(["derivative", "inputs", "parameters", *allowed]))
    if isinstance(options.parameters, Mapping) and options.parameters:
        raise ModelError("parameters: links whose inertia is an input; shapes by name are those of a law")
    links = tuple(options.parameters)
    kernel = robot.kernel(
        chosen,
        frame=options.frame,
        expressed=expressed,
        rows=options.rows,
        inputs=options.inputs,
        parameters=links,
    )
    tasks = any(find(name).task for name in chosen)
    frame = options.frame if isinstance(options.frame, str) else None
    which = task(options.frame, options.rows) if tasks else TOOL
    axes = Axes.of(robot, frame=frame, expressed=expressed, task=which, given_links=links)
    facts = [FUNCTIONS[name] for name in chosen]
    outputs = {key: fact for told in facts for key, fact in told.outputs.items()}
    inputs = {key: fact for told in facts for key, fact in told.inputs.items()}
    about = facts[0].about if len(facts) == 1 else "; ".join(told.about for told in facts)
    return _Found(traced(kernel), "_".join(chosen), Function(about, outputs, inputs), axes)


def known(system: Any) -> list[str]:
    """The functions of a system that have a name."""
    if isinstance(system, Robot):
        from chasles.catalogue import catalogue

        return sorted([*catalogue(), "inverse_kinematics", *MOTIONS])
    return sorted([*(_OF_CONSTRAINED if isinstance(system, ConstrainedSystem) else _OF_LAGRANGIAN), *MOTIONS])


def _no_function(system: Any, name: str) -> str:
    """Why there is no such function, and what there is."""
    there = known(system)
    if name in INSTEAD:
        return f"{name} is not exported; {INSTEAD[name]}"
    if callable(getattr(type(system), name, None)):
        return f"{name} is no single compiled function, and cannot leave; there are {', '.join(there)}"
    hint = did_you_mean(name, there, ATTRIBUTES) or ";"
    return f"no function {shown(name)} of {system.name!r}{hint} there are {', '.join(there)}"


_OF_CONSTRAINED: dict[str, Callable[[ConstrainedSystem], Kernel]] = {
    "forward_dynamics": lambda system: system.dynamics,
    "projections": lambda system: system.projector,
    "constraint_matrix": lambda system: compile(
        lambda q: {"constraint_matrix": system.constraint_matrix(q)}, q=system.nq
    ),
}
_OF_LAGRANGIAN = (
    *("mass_matrix", "bias_forces", "inverse_dynamics", "forward_dynamics", "kinetic_energy", "potential_energy"),
    *("energy", "christoffel_symbols", "coriolis_matrix", "momenta", "configuration_forces", "driving_forces"),
)


def _of_system(system: Any, chosen: tuple[str, ...], options: Options) -> _Found:
    what = type(system).__name__
    options.refuse_beyond(f"a {what}", "derivative")
    if len(chosen) != 1:
        raise ModelError(f"export: of a {what} one function at a time, got {', '.join(chosen) or 'none'}")
    (name,) = chosen
    constrained = isinstance(system, ConstrainedSystem)
    if name not in known(system):
        raise ModelError(f"export: {_no_function(system, name)}")
    if constrained:
        refuse_symbols(system, name)
    body = traced(_OF_CONSTRAINED[name](system) if constrained else system.kernel(name))
    told = FUNCTIONS["constrained_dynamics" if constrained and name == "forward_dynamics" else name]
    if isinstance(body, Program) and len(body.outputs) == 1:  # kernels of the user's functions call it "output"
        body = replace(body, outputs=(Operand(name, body.outputs[0].shape),))
    return _Found(body, name, told, Axes.of(system))


def _step(system: Any, _: Any, options: Options) -> _Found:
    options.refuse_beyond("step", "derivative method dt")
    refuse_symbols(system, "step")
    if not can_be_compiled(system):
        raise ModelError(f"step: {system.name!r} has no step that can be compiled")
    method = options.method or "rk4"
    body = traced(step_kernel(system, method))
    return _moving(body, "step", options.dt, Axes.of(system, method=method))


def _moving(body: Program | Loop, name: str, dt: float | None, axes: Axes) -> _Found:
    """A motion; where dt is given, it is a number in the program, and no input."""
    told = FUNCTIONS[name]
    if dt is None:
        return _Found(body, name, told, axes)
    kernel, seconds = Kernel(body, name), positive(dt, "dt", "of seconds")
    shapes: dict[str, Any] = {o.name: o.shape for o in body.inputs if o.name != "dt"}

    def motion(**given: Any) -> Any:
        found = kernel(*(seconds if o.name == "dt" else given[o.name] for o in body.inputs))
        results = found if len(body.outputs) > 1 else (found,)
        return {o.name: y for o, y in zip(body.outputs, results, strict=True)}

    about = f"{told.about.rstrip('.')}; dt = {seconds!r} s"
    return _Found(traced(compile(motion, **shapes)), name, told._replace(about=about), axes)


def _rollout(system: Any, made: Rollout | None, options: Options) -> _Found:
    if made is None:
        options.refuse_beyond("rollout", "derivative method dt steps")
        if options.steps is None:
            raise ModelError("steps: say how many steps the rollout has, as 100")
        steps, method, every, law, parameters = count(options.steps, "steps"), options.method or "rk4", 1, None, None
    else:
        if made.system is not system:
            raise ModelError(f"function: {made!r} is of another system than {system.name!r}")
        steps, method, law, parameters = made.steps, made.method, made.law, made._of.parameters
        every = made.every if made.steps % made.every == 0 else 1
    refuse_large("path", (steps // every, system.nq), "export fewer steps, or 'step', and repeat it where you are")
    kernel = rollout_kernel(system, law, steps=steps, method=method, every=every, parameters=parameters)
    axes = Axes.of(system, method=method, samples=steps // every)
    return _moving(traced(kernel), "rollout", options.dt, axes)


def _reduced(system: Any, function: Reduced) -> _Found:
    if function.constrained is not system:
        raise ModelError(f"function: {function!r} is of another system than {system.name!r}")
    axes = Axes.of(system, chosen=function.names)
    return _Found(traced(function.dynamics), "reduced_dynamics", FUNCTIONS["reduced_dynamics"], axes)


def _law(system: Any, law: Any, options: Options) -> _Found:
    name = called(law)
    options.refuse_beyond(name, "parameters derivative")
    told, doc = FUNCTIONS["law"], first_line(law)
    about = f"{told.about}: {doc}" if doc else told.about
    body = law_program(system, law, options.parameters)
    return _Found(body, name, Function(about, {"tau": told.outputs["law"]}), Axes.of(system))


def _derived(found: _Found, by: str) -> _Found:
    """The derivative of all outputs by an input."""
    facts = {**INPUTS, **found.told.inputs}
    kernel = Kernel(found.body, found.name).jacobian(by)
    outputs = {}
    for before, after in zip(found.body.outputs, kernel.outputs, strict=True):
        if before.name in found.told.outputs and by in facts:
            outputs[after.name] = _ratio(found.told.outputs[before.name], facts[by], by)
    told = Function(f"derivative by {by} of: {found.told.about}", outputs, found.told.inputs)
    return replace(found, body=traced(kernel), name=kernel.name, told=told)


def _ratio(above: Fact, below: Fact, by: str) -> Fact:
    axes = [*above.axes.split(), *(x[1:] if x.startswith("/") else f"/{x}" for x in below.axes.split())]
    ratio = product([(None if x.unit == UNKNOWN else unit(x.unit), power) for x, power in ((above, 1), (below, -1))])
    return Fact(f"derivative by {by} of: {above.about}", " ".join(axes), UNKNOWN if ratio is None else str(ratio))


def _symbols(system: Any) -> tuple[str, ...]:
    mechanism = getattr(getattr(system, "system", system), "mechanism", None)
    return tuple(x.name for x in mechanism.symbols) if mechanism is not None else ()
