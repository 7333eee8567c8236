"""Methods that a room above the robot computes, and the protocol by which rooms below it see one."""

import inspect
import pydoc

import numpy as np
import pytest
from support.tolerances import EXACT, close

import chasles as ch
from chasles.higher_rooms import HIGHER, found
from chasles.robot.higher_rooms import HigherRoomMethods, SystemMethods
from chasles.robot_like import RobotLike


@pytest.mark.parametrize("key", HIGHER)
def test_a_method_has_the_signature_of_its_function_and_a_docstring(key):
    owner, _, name = key.rpartition(".")
    kind = getattr(ch, owner or "Robot")
    method, function = inspect.signature(getattr(kind, name)), inspect.signature(found(key))
    own, theirs = list(method.parameters.values())[1:], list(function.parameters.values())[1:]
    assert [(p.name, p.kind, p.default, p.annotation) for p in own] == [
        (p.name, p.kind, p.default, p.annotation) for p in theirs
    ]
    assert method.return_annotation == function.return_annotation
    assert len(getattr(kind, name).__doc__) > 100
    assert f"{name}(self, " in pydoc.render_doc(kind, renderer=pydoc.plaintext)


def test_the_table_is_all_there_is():
    """A method without its row fails when it is called; a row without its method is found by no reader."""
    declared = {
        name for owner in (HigherRoomMethods, SystemMethods) for name in vars(owner) if not name.startswith("_")
    }
    assert declared == {name for name in HIGHER if "." not in name}


def test_a_robot_simulates_itself():
    robot = ch.load("planar_2r")
    own = robot.simulate([0.3, 0.2], [0.0, 0.0], duration=0.05, dt=0.01)
    other = ch.simulate(robot, [0.3, 0.2], [0.0, 0.0], duration=0.05, dt=0.01)
    assert type(own) is type(other) and close(own.q, other.q, EXACT) and own.q.shape == (6, 2)
    with pytest.raises(TypeError, match="duration"):
        robot.simulate([0.3, 0.2], [0.0, 0.0])


@pytest.mark.parametrize("kind", [ch.Robot, ch.LagrangianSystem, ch.ConstrainedSystem])
def test_every_system_moves(kind):
    assert issubclass(kind, SystemMethods)
    shared = ("equations", "page", "plot", "rollout", "show", "simulate", "step")
    assert all(getattr(kind, name) is getattr(ch.Robot, name) for name in shared)


def test_errors_of_arguments_name_the_method():
    with pytest.raises(TypeError, match=r"^plot\(\) got an unexpected keyword argument 'style'"):
        ch.load("planar_2r").plot(style="fine")  # type: ignore[call-arg]

    def broken(t, q, qd):
        raise TypeError("robot() is mine")

    with pytest.raises(TypeError, match=r"^robot\(\) is mine"):
        ch.load("planar_2r").simulate([0.0, 0.0], [0.0, 0.0], broken, duration=0.1)


def test_a_system_of_a_lagrangian_simulates_itself():
    slider = ch.LagrangianSystem(1, lambda q, qd: qd @ qd / 2)
    on_a_rail = ch.ConstrainedSystem(
        ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2), ch.Constraint.holonomic(lambda q: q[1], "rail")
    )
    assert close(slider.simulate([0.0], [1.0], duration=0.05, dt=0.01).q[-1], [0.05], 1e-12)
    assert close(on_a_rail.simulate([0.0, 0.0], [1.0, 0.0], duration=0.05, dt=0.01).q[-1], [0.05, 0.0], 1e-12)


def test_a_robot_with_symbols_says_that_simulation_needs_numbers():
    mass = ch.symbols("m")
    robot = ch.Robot.from_screws([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [ch.Link(mass, (0.1, 0, 0), (1, 1, 1))])
    with pytest.raises(ch.ModelError, match=r"simulate: robot 'robot' has the symbols m, and this needs numbers"):
        robot.simulate([0.0], [0.0], duration=0.1)


def members():
    return [name for name in vars(RobotLike) if not name.startswith("_")]


@pytest.mark.parametrize("name", members())
def test_a_robot_is_like_a_robot(name):
    """What the protocol promises, Robot has, with the same parameters in the same places (types: pyright)."""
    wanted, had = vars(RobotLike)[name], inspect.getattr_static(ch.Robot, name)
    if isinstance(wanted, property):
        assert not inspect.isfunction(had)
        return
    own = list(inspect.signature(getattr(ch.Robot, name)).parameters.values())
    for k, p in enumerate(inspect.signature(wanted).parameters.values()):
        assert (own[k].name, own[k].kind, own[k].default) == (p.name, p.kind, p.default)
