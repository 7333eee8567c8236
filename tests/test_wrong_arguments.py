"""Wrong arguments are refused by our own errors, which name the argument; none is taken for something else."""

from typing import Any

import numpy as np
import pytest

import chasles as ch
from chasles.conventions import from_mujoco_jacobian, to_coordinates, velocity_map

BAR = ch.Link(1.0, [0.5, 0.0, 0.0], [0.1, 0.1, 0.1])
HOMES = np.array([np.eye(4)] * 2)
SCREWS = [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], point=[1, 0, 0])]


def arm(**options: Any) -> ch.Robot:
    return ch.Robot.from_screws(SCREWS, HOMES, [BAR, BAR], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mimics": {"joint2": "joint1"}}, r"joint 'joint2': a mimic is given as \(joint it follows, factor, offset\)"),
        ({"mimics": {"joint2": ("joint1", 2.0)}}, "joint 'joint2': a mimic is given as"),
        ({"mimics": {"joint2": ("joint1", "a", 0)}}, "joint 'joint2': a mimic is given as"),
        ({"mimics": {"joint2": (0, 1.0, 0.0)}}, "joint 'joint2': a mimic is given as"),
        ({"mimics": {"joint2": 3}}, "joint 'joint2': a mimic is given as"),
        ({"mimics": [("joint2", "joint1", 1.0)]}, "mimics must be a mapping, .* got list"),
        ({"mimics": {3: ("joint1", 1.0, 0.0)}}, "joint 3 mimics 'joint1': there is no joint 3"),
        ({"base": 3}, r"base must be a chasles.Link\(mass, com, inertia\), got int"),
        ({"base": {"mass": 3}}, "base must be a chasles.Link.*, got dict"),
        ({"tool_link": 0.5}, "tool_link must be the name or the index of a link, got 0.5"),
        ({"tool_link": True}, "tool_link must be"),
        ({"tool_link": np.zeros(2)}, "tool_link must be"),
        ({"tool_link": 7}, "no link 7; there are 2"),
        ({"joint_names": 3}, "joint_names must be a list of names, got 3"),
        ({"joint_names": "ab"}, "joint_names must be a list of names, got 'ab'"),
        ({"joint_names": ["a", 3]}, r"joint_names\[1\] must be a string, got 3"),
        ({"joint_names": ["a", ""]}, r"joint_names\[1\] is empty"),
        ({"link_names": "ab"}, "link_names must be a list of names, got 'ab'"),
        ({"link_names": ["", "b"]}, r"link_names\[0\] is empty"),
        ({"link_names": [None, "b"]}, r"link_names\[0\] must be a string"),
        ({"kinds": 3}, "kinds must be a list of names"),
        ({"name": None}, "name must be a string, got None"),
        ({"name": 3}, "name must be a string, got 3"),
        ({"frames": {3: ("link1", np.eye(4))}}, "the name of a frame must be a string that is not empty, got 3"),
        ({"frames": {"": ("link1", np.eye(4))}}, "the name of a frame must be a string that is not empty, got ''"),
        ({"gravity": ["0", "0", "1"]}, "gravity must be real numbers"),
        ({"limits": {"lower": ["1", "2"]}}, r"limits\['lower'\] must be real numbers"),
        ({"armature": ["1", "2"]}, "armature must be real numbers"),
    ],
)
def test_from_screws(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ch.ModelError, match=message):
        arm(**options)


def test_of_two_screws() -> None:
    """The same checks come before a joint is taken apart."""
    pair = [ch.universal([1, 0, 0], [0, 1, 0]), SCREWS[1]]
    for options in ({"joint_names": "ab"}, {"tool_link": 0.5}, {"base": 3}, {"link_names": ["a", None]}):
        with pytest.raises(ch.ModelError, match=f"^{next(iter(options))}"):
            ch.Robot.from_screws(pair, HOMES, [BAR, BAR], **options)  # type: ignore[arg-type]


def test_names_in_an_array() -> None:
    assert arm(joint_names=np.array(["a", "b"])).joint_names == ("a", "b")


@pytest.mark.parametrize("wrong", [{"mass": "1"}, {"com": ["1", "2", "3"]}, {"inertia": ["1", "1", "1"]}])
def test_text_is_no_inertia(wrong: dict[str, Any]) -> None:
    with pytest.raises(ch.ModelError, match=r"must be (a real number|real numbers)"):
        ch.Link(**{"mass": 1.0, **wrong})
    with pytest.raises(ch.ModelError, match="the name of a link must be a string, got 3"):
        ch.Link(1.0, name=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("names", [None, 3, [3], ["mass_matrix", None], b"mass_matrix"])
def test_kernel(names: Any) -> None:
    with pytest.raises(ch.ModelError, match="names"):
        arm().kernel(names)
    for key in ("inputs", "parameters"):
        with pytest.raises(ch.ModelError, match=key):
            arm().kernel("inverse_dynamics", **{key: names})


@pytest.mark.parametrize("rng", ["x", -1, 0.5])
def test_random(rng: Any) -> None:
    with pytest.raises(ch.ModelError, match=r"rng must be a numpy\.random\.Generator or a seed"):
        arm().random(rng)


def test_conventions() -> None:
    q = np.zeros(2)
    for robot in ("panda", None, 3):
        for function in (to_coordinates, velocity_map):
            with pytest.raises(ch.ModelError, match=r"robot must be a chasles\.Robot, got"):
                function(robot, q, "mujoco")
    for names, message in ((3, "must be a list of names"), ([3, 4], r"joint_names\[0\] must be a string")):
        with pytest.raises(ch.ModelError, match=message):
            to_coordinates(arm(), q, "mujoco", joint_names=names)  # type: ignore[arg-type]
    with pytest.raises(ch.ShapeError, match="q must be real numbers"):
        to_coordinates(arm(), ["0", "1"], "mujoco")
    for shapes in (((2, 4), (3, 4)), ((3, 4), (3, 5)), ((3,), (3,)), ((2, 3, 4), (3, 4))):
        with pytest.raises(ch.ShapeError, match="jacp"):
            from_mujoco_jacobian(*map(np.zeros, shapes))
    assert from_mujoco_jacobian(np.zeros((2, 3, 4)), np.ones((2, 3, 4)))[0, :, 0].tolist() == [1, 1, 1, 0, 0, 0]


def test_twins() -> None:
    twin = arm().to_pinocchio()
    for wrong in (np.zeros(2), np.zeros((3, 2)), np.zeros((2, 3)), 0.0, "x"):
        for function in (twin.matrix, twin.back_matrix):
            with pytest.raises(ch.ShapeError, match=r"^M must"):
                function(wrong)
        for function in (twin.jacobian, twin.back_jacobian):
            with pytest.raises(ch.ShapeError, match=r"^J must"):
                function(wrong)


def test_a_long_repr() -> None:
    n = 300
    robot = ch.Robot.from_screws(SCREWS[:1] * n, [np.eye(4)] * n, [BAR] * n)
    assert repr(robot) == f"<Robot 'robot': 300 joints ({'R ' * 20}...), 300 kg, tool on link300>"
    assert "..." not in repr(ch.load("panda"))


def test_random_keeps_the_limits_of_mimics() -> None:
    limits = {"lower": [-3.0, -0.5], "upper": [3.0, 1.0]}
    robot = arm(limits=limits, mimics={"joint2": ("joint1", -2.0, 0.25)})
    q = np.array([robot.random(k)[0] for k in range(200)])
    followed = -2.0 * q + 0.25
    assert followed.min() >= -0.5 and followed.max() <= 1.0 and np.ptp(followed) > 1.3
    apart = arm(limits={"lower": [-3.0, 8.0], "upper": [3.0, 9.0]}, mimics={"joint2": ("joint1", 1.0, 0.0)})
    assert np.ptp([apart.random(k)[0] for k in range(50)]) > 4.0
    loose = arm(limits={"lower": [-np.inf, -0.5], "upper": [np.inf, 1.0]}, mimics={"joint2": ("joint1", 2.0, 0.0)})
    assert all(-0.25 <= loose.random(k)[0] <= 0.5 for k in range(50))


@pytest.mark.parametrize(
    ("h", "says"),
    [
        (lambda q: q[5], "constraint 'rod': h raises IndexError: index 5"),
        (lambda q: {}["a"], "constraint 'rod': h raises KeyError"),
        (lambda q: q.none, "constraint 'rod': h raises AttributeError"),
        (lambda q: q[0] / 0, "constraint 'rod'"),
    ],
)
def test_what_goes_wrong_in_a_constraint_is_said_of_it(h: Any, says: str) -> None:
    particle = ch.LagrangianSystem(2, lambda q, qd: qd @ qd)
    with pytest.raises(ch.ChaslesError, match=says):
        ch.ConstrainedSystem(particle, ch.Constraint.holonomic(h, name="rod"))


def test_dir_has_the_public_names() -> None:
    assert set(ch.__all__) <= set(dir(ch))
