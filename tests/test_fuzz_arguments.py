"""Everything public, called with the whole zoo of wrong things, one argument at a time while the others are right.

What comes back is one of chasles's own errors, which names the argument, or a right answer where the odd thing is
legitimate: `legitimate` and TAKEN say where. New functions are found by themselves (support/public.py); one whose
arguments nobody knows fails, and says what to add to support/right_arguments.py. By default three expensive
constructors meet a part of the zoo; all of it with `pytest -m sweep tests/test_fuzz_arguments.py`.
"""

import re
import warnings
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from support.public import Public, functions, methods
from support.right_arguments import ARM, BY, SYMBOLIC, objects, results, right
from support.wrong_things import is_numeric, wrong_things

import chasles as ch

LIE = ("SE3", "SO3", "SpatialInertia", "Twist", "Vec3", "Wrench")  # components are any leaf, and nobody looks at them
EXPENSIVE = ("control.RollingContactControl", "control.SlidingContactControl")
NOT_CALLED = {  # with the reason
    "Program": "a program is checked by check(), which from_dict and from_json call",
    "Trajectory": "simulate and load make it",
    **{f"LagrangianSystem.{name}": "refused: it has no links" for name in ("page", "plot", "show")},
    "Robot.view": "it opens a port; tests/view/test_live.py gives it the zoo without",
    "paths.Path.inside": "what a path implements; motion() checks the times",
}
EMPTY = {"an empty list", "an empty dict", "an array of no size"}
TIMES = {"a long array", "an empty list", "an array of no size"}
NUMBERS = {"nan", "an infinity", *TIMES}
SAMPLING = ("MPPI", "PredictiveSampling")
HUGE = {"a huge integer", "huge integers", "an integer nobody can write"}
SYSTEMS = ("LagrangianSystem.", "ConstrainedSystem.")
TAKEN: dict[str, set[str]] = {  # what is odd and right, by function and parameter
    "*:folders": {"an empty list", "an array of no size"},
    "*:t": {"nan", "an infinity", *TIMES},  # of any shape; where nothing depends on it, any numbers
    "*:rng": HUGE,  # seeds
    "*:joint_names": {"strings"},
    "*:link_names": {"strings"},
    "*:coordinate_names": {"strings"},
    "*:coordinates": {"strings"},
    "Equations.recursion:inputs": EMPTY,
    "Equations.recursion:links": EMPTY,
    "symbols:names": {"strings"},
    "symbols:shape": EMPTY,
    "load:roots": {"an empty list", "an array of no size"},
    "load_text:roots": {"an empty list", "an array of no size"},
    "Robot.from_screws:frames": EMPTY,
    "Robot.from_screws:mimics": EMPTY,
    "Robot.from_screws:limits": {"an empty dict"},
    "Robot.kernel:inputs": EMPTY,
    **{
        f"{owner}.export:{x}": EMPTY
        for owner in ("Robot", "LagrangianSystem", "ConstrainedSystem")
        for x in ("inputs", "parameters")
    },
    "Robot.kernel:parameters": EMPTY,
    "Robot.with_locked:positions": EMPTY,
    "Surface.of:near": EMPTY,
    "Surface:near": EMPTY,
    "*:tau_or_law": {"nans", "infinities"},  # the row ends
    "Rollout:parameters": {"an empty dict"},
    **{f"{owner}rollout:parameters": {"an empty dict"} for owner in ("", "Robot.", *SYSTEMS)},
    "loop:each": EMPTY,
    "loop:given": EMPTY,
    "loop:carry": {"nan", "an infinity", "a long array", "an array of no size"},
    **{
        f"{path}:{name}": what
        for path in ("simulate", *(f"{kind}.simulate" for kind in ("Robot", "LagrangianSystem", "ConstrainedSystem")))
        for name, what in (
            ("saturate", {"an infinity", "infinities", "True"}),
            ("record", {"an empty dict"}),
            ("events", {"an empty list", "an array of no size"}),
        )
    },
    "Constraint.mimic:joint": {"text", *HUGE},  # refused where it meets a system, by its name there
    "Constraint.mimic:master": {"text", *HUGE},
    **{f"{kind}.plot:frames": EMPTY for kind in ("Robot", "ConstrainedSystem")},
    "plot.robot:frames": EMPTY,
    "Kernel.__call__:out": {"complex numbers", "objects"},  # they hold floats
    **{f"random.{name}:shape": EMPTY for name in ("uniform", "normal")},
    **{f"random.{f}:{x}": NUMBERS for f in ("uniform", "normal") for x in ("seed", "counter")},
    **{f"control.{law}:effort": {"an infinity"} for law in SAMPLING},
    **{f"control.{law}:{x}": {"an empty dict"} for law in SAMPLING for x in ("parameters", "symbols")},
    **{f"control.{law}.sampled:numbers": TIMES for law in SAMPLING},
    "control.Limits:velocity": {"an infinity", "infinities"},
    "control.Limits:effort": {"an infinity", "infinities"},
    "control.Limits:acceleration": {"an infinity", "infinities"},
    "Constraint.of:labels": {"strings", "a class", "a function of nothing", *EMPTY},  # asked where it meets a system
    "Surface:point": {"None"},
    "Surface:implicit": {"None"},
    "where:condition": {"nan", "an infinity", "nans", "infinities", "True"},
    "where:x": {"nan", "an infinity", "True"},
    "where:y": {"nan", "an infinity", "True"},
}


NEVER_RIGHT = ("a thing", "objects", "complex numbers", "a masked array", "rows of different lengths")
CALLED: dict[str, str] = {  # arguments whose refusal says what they are, not their names
    "Constraint:parts": "Parts",
    "Kernel:program": "Program",
    "Kernel.gradient:name": "input",
    "Kernel.hessian:name": "input",
    "Kernel.jacobian:name": "input",
    "LagrangianSystem.kernel:name": "function",
    "Loop.from_dict:data": "loop",
    "Loop.from_json:text": "loop",
    "Program.from_dict:data": "program",
    "Program.from_json:text": "program",
    "Robot:mechanism": "Mechanism",
    "Robot.from_mujoco:model": "MjModel",
    "Robot.from_pinocchio:model": "pinocchio.Model",
    "Robot.pinocchio_twin:model": "pinocchio.Model",
    "Robot.kernel:names": "function",
    "Robot.from_dh:rows": "row",
    "Constraint.loop_closure:rows": "row",
    "control.ComputedTorque.__call__:q": "q1",
    "control.ComputedTorque.error:q": "q1",
    "load:source": "robot",
    "loop:carry": "x",
    "Loop.run:leaves": "carries",
    "set_num_threads:count": "number of threads",
    "symbols:names": "name of a symbol",
    **{
        f"formulations.adjoint_derivatives.{name}:{which}": "link"
        for name in ("adjoint", "adjoint_derivative", "adjoint_second_derivative")
        for which in ("to", "start")
    },
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text is a right name of a file: what is written goes to a folder of the test."""
    monkeypatch.chdir(tmp_path)


PUBLIC = {public.path: public for public in functions() if public.path not in NOT_CALLED}
RESULTS = {public.path: public for name, one in results().items() for public in methods(name, type(one))}
PUBLIC |= RESULTS


def test_every_result_that_has_functions_is_called() -> None:
    leaves = ("Mat3", "Sym3")  # as LIE
    implemented = ("Method",)  # simulate, step and rollouts call it with what they have checked
    served = ("LiveView",)  # as Robot.view, which makes it
    for name in ch.results.__all__:
        own = [public.path for public in methods(name, getattr(ch.results, name))]
        assert not own or name in (*results(), *leaves, *implemented, *served), f"{own}: add an object to results()"


@pytest.mark.parametrize("path", PUBLIC)
def test_wrong_arguments(path: str) -> None:
    few = 8 if path in EXPENSIVE else 1
    assert not faults(PUBLIC[path], few)


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXPENSIVE)
def test_wrong_arguments_of_what_takes_long(path: str) -> None:
    assert not faults(PUBLIC[path], 1)


@pytest.mark.parametrize("name", ["mass_matrix", "gravity_forces", "potential_energy", "task_inertia"])
def test_robots_with_symbols(name: str) -> None:
    """A symbol's value is an argument, of every shape (...), as q is."""
    method, found = getattr(SYMBOLIC, name), []
    for label, wrong in wrong_things(1.0):
        found += fault(f"{name}:m", label, lambda x: method([0.1], m=x), wrong, 1.0)
        found += fault(f"{name}:q", label, lambda x: method(x, m=1.0), wrong, 1.0)
    for label, wrong in wrong_things(1.0):
        found += fault("with_values:m", label, lambda x: SYMBOLIC.with_values(m=x), wrong, 1.0)
    assert not [x for x in found if not x.endswith(tuple(f"m: {label} is taken" for label in TIMES))]


def test_leading_axes_that_do_not_broadcast() -> None:
    """Two arrays of a call, two rows of one and three of another."""
    found = []
    for path, public in PUBLIC.items():
        if path.split(".")[0] not in ("Robot", "LagrangianSystem", "ConstrainedSystem") or public.owner is None:
            continue
        given = right(public)
        arrays = [name for name in ("q", "q0", "qd", "v", "tau", "qdd", "q1") if np.ndim(given.get(name, 0)) == 1]
        if len(arrays) < 2 or path in ("ConstrainedSystem.inverse_dynamics", "Robot.minimum_energy_path"):
            continue
        rows = {name: np.stack([given[name]] * (2 + k)) for k, name in enumerate(arrays[:2])}
        try:
            call(public, {**given, **rows})
            found.append(f"{path} takes rows {[x.shape for x in rows.values()]}")
        except ch.ChaslesError:
            pass
        except Exception as error:
            found.append(f"{path}: {type(error).__name__}: {error}")
    assert not found


def faults(public: Public, few: int) -> list[str]:
    """What is wrong with a function's refusals. few: one in so many of the zoo."""
    try:
        given = right(public)
    except LookupError as error:
        return [str(error)]
    owner = public.path.rpartition(".")[0]
    if public.owner is not None and owner not in objects() | results():
        return [f"{public.path}: no object of {owner}: add one to OBJECTS in tests/support/right_arguments.py"]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        call(public, given)
        found = []
        for name, parameter in public.parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            for k, (label, wrong) in enumerate(wrong_things(given.get(name, parameter.default))):
                if (k + crc32(name.encode())) % few or (label == "None" and parameter.default is None):
                    continue
                what = f"{public.path}:{name}"
                found += fault(
                    what,
                    label,
                    lambda x, name=name: call(public, {**given, name: x}),
                    wrong,
                    given.get(name, parameter.default),
                )
    return found


def fault(what: str, label: str, function: Any, wrong: Any, usual: Any) -> list[str]:
    """Why what a function makes of a wrong thing is a fault, or nothing."""
    lie = what.split(".")[0].split(":")[0] in LIE
    try:
        if function(wrong) is NotImplemented:  # an operator leaves it to Python to refuse
            return []
    except ch.ChaslesError as error:
        return [] if lie or is_named(what, label, str(error)) else [f"{what} of {label} is not named: {error}"]
    except Exception as error:
        return [] if lie else [f"{what} of {label}: {type(error).__name__}: {error}"]
    return [] if lie or legitimate(what, label, usual) else [f"{what}: {label} is taken"]


def is_named(what: str, label: str, message: str) -> bool:
    """Whether a message names the argument, or says what it is; asked of things that are never right."""
    name = what.split(":")[1]
    words = (name, CALLED[what]) if what in CALLED else (name,)
    return label not in NEVER_RIGHT or any(re.search(rf"(?<![A-Za-z_]){re.escape(x)}", message) for x in words)


def legitimate(what: str, label: str, usual: Any) -> bool:
    """Whether an odd thing is right there. usual: what is right without doubt."""
    name = what.split(":")[1]
    if label in TAKEN.get(what, ()) or label in TAKEN.get(f"*:{name}", ()) or label in ("one", "minus one"):
        return True
    if label in ("nans", "infinities", "forty dimensions"):  # kernels pass nan on, and take as many axes as NumPy
        return is_numeric(usual)
    if label == "text":
        return isinstance(usual, str)
    return label == "True" and isinstance(usual, bool)


def call(public: Public, given: dict[str, Any]) -> Any:
    if public.owner is None:
        return public.function(**given)
    path, _, name = public.path.rpartition(".")
    one = BY.get(public.path, {}).get("self", (objects() | results())[path])
    places = [ARM.neutral()] if path == "Kernel" and name in ("__call__", "call") else []
    return getattr(type(one), name)(one, *places, **given)
