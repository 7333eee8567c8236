"""Methods that forward to the catalogue: their signatures are what the catalogue says, and nothing holds a robot."""

import gc
import inspect
import pickle
import weakref
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import chasles as ch
from chasles.catalogue import catalogue
from chasles.robot.methods.forward import FORWARDED, Forward

CATALOGUE = catalogue()
UNNAMED = {"task_lift", "task_margin", "task_scale", "white_jacobian"}  # parts of others, which no method is
UNNAMED |= {
    "cheapest_forward_dynamics",
    "discrete_momenta",
    "discrete_step",
    "friction_forces",
    "impulse_response",
}  # of integrators


def functions(made: Forward) -> tuple[str, ...]:
    return tuple(made.choice[1].values()) if made.choice else (made.name,)


@pytest.mark.parametrize("name", FORWARDED)
def test_signatures_are_the_catalogue(name: str) -> None:
    made = FORWARDED[name]
    method = getattr(ch.Robot, name)
    names = {"np": np, "NDArray": Any, "Array": Any}
    for function in functions(made):
        item = CATALOGUE[function]
        assert made.inputs == item.inputs
        assert made.optional == item.optional
        options = {"frame", "rows"} & set(made.options)
        assert options == ({"frame", "rows"} if item.task else item.uses & {"frame"})
        assert ("expressed" in made.options) == ("expressed" in item.uses)
        assert ("damping" in made.parameters) == (item.together is not None)
        if made.result is None:
            assert len(item.outputs) == 1
        else:
            assert method.__wrapped__.__globals__[made.result]._fields == tuple(item.outputs)
    hints = get_type_hints(method.__wrapped__, {**method.__globals__, **names})
    if made.choice:
        assert get_args(hints[made.choice[0]]) == tuple(made.choice[1])
    if "expressed" in made.options:
        assert get_args(hints["expressed"]) == ("body", "space", "mixed")


def test_every_function_has_a_method() -> None:
    assert {function for made in FORWARDED.values() for function in functions(made)} == set(CATALOGUE) - UNNAMED


def test_a_method_looks_as_it_is_declared() -> None:
    method = ch.Robot.inverse_dynamics
    for _ in range(2):  # before it was called, or after, and after
        assert list(inspect.signature(method).parameters)[:5] == ["self", "q", "qd", "qdd", "tool_wrench"]
        assert method.__name__ == "inverse_dynamics" and method.__qualname__ == "DynamicsMethods.inverse_dynamics"
        assert method.__doc__ and "joint forces" in method.__doc__ and method.__annotations__["return"] == "Array"
        assert pickle.loads(pickle.dumps(method)) is method
        robot = ch.load("pendulum")
        assert robot.inverse_dynamics([0.1], qd=[0.0], qdd=[0.0]).shape == (1,)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'qdd'"):
        robot.inverse_dynamics([0.1], [0.0])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        robot.inverse_dynamics([0.1], [0.0], [0.0], speed=1.0)  # type: ignore[call-arg]


def test_options_have_calls_of_their_own() -> None:
    robot = ch.load("ur5")
    q = np.linspace(0.1, 0.6, 6)
    found = {key: robot.jacobian(q, expressed=key) for key in ("body", "space", "mixed")}  # type: ignore[arg-type]
    for key, J in found.items():
        assert np.array_equal(robot.kernel("jacobian", expressed=key)(q), J)  # type: ignore[arg-type]
        assert np.array_equal(robot.jacobian(q, expressed=key), J)  # type: ignore[arg-type]
    frame = robot.link_names[2]
    for _ in range(2):
        assert np.array_equal(robot.forward_kinematics(q, frame), robot.kernel("forward_kinematics", frame=frame)(q))
        assert np.array_equal(robot.forward_kinematics(q), robot.kernel("forward_kinematics")(q))
        assert np.array_equal(robot.task_jacobian(q, rows=1), robot.task_jacobian(q, rows="ry"))
        with pytest.raises(ch.ModelError, match="rows"):
            robot.task_jacobian(q, rows=True)
        assert robot.christoffel_symbols(q, kind=2).shape == (6, 6, 6)
        assert np.array_equal(robot.christoffel_symbols(q), robot.kernel("christoffel_symbols")(q))


def test_optional_inputs() -> None:
    robot = ch.load("ur5")
    q, qd, qdd, push = np.random.default_rng(0).normal(size=(4, 6))
    kernel = robot.kernel("inverse_dynamics", inputs=["tool_wrench", "base_acceleration"])
    for _ in range(2):
        tau = robot.inverse_dynamics(q, qd, qdd, tool_wrench=push, base_acceleration=qd)
        assert np.array_equal(tau, kernel(q, qd, qdd, push, qd))
        assert not np.array_equal(tau, robot.inverse_dynamics(q, qd, qdd))


def test_a_robot_that_was_used_is_freed_with_its_last_name() -> None:
    robot = ch.load("ur5")
    q = np.zeros(6)
    robot.inverse_dynamics(q, q, q)
    robot.inverse_dynamics(q, q, q, tool_wrench=q)
    robot.jacobian(q, expressed="mixed")
    robot.task_inertia(q, rows="tx ty")
    robot.christoffel_symbols(q)
    watched = weakref.ref(robot)
    gc.collect()
    gc.disable()
    try:
        del robot
        assert watched() is None
    finally:
        gc.enable()


def test_errors_have_no_other_behind_them() -> None:
    robot = ch.load("ur5")
    with pytest.raises(ch.ModelError) as caught:
        robot.jacobian(np.zeros(6), expressed="world")  # type: ignore[arg-type]
    assert caught.value.__context__ is None
