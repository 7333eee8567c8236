"""Python, MATLAB and Rust of robots: the catalogue, larger robots, rollouts and searches."""

import numpy as np
import pytest
from support.kernels import states
from support.languages import COMPUTED
from support.node import interpreted
from support.printed_robots import REST, SHORT, found_two_of_three, robot_of, rollout, searched
from support.tolerances import close

import chasles as ch
from chasles import integrators

SLOW, SYSTEM = pytest.mark.slow, pytest.mark.system
OTHERS = [pytest.param("matlab", marks=SYSTEM), pytest.param("rust", marks=SYSTEM)]
ALL = ["python", *OTHERS]
FEW = ("inverse_dynamics", "forward_dynamics")


def agree(language, cases, tol=1e-12, scale=1.0):
    """Whether the language computes what the interpreter does."""
    for (kernel, x), outputs in zip(cases, COMPUTED[language](cases), strict=True):
        for o, found, expected in zip(kernel.outputs, outputs, interpreted(kernel, *x), strict=True):
            assert close(found, expected, tol, scale), f"{kernel.name}: {o.name}"
    return True


def small_states(kernel):
    return kernel, [0.5 * x for x in states(kernel, 2)]


@pytest.mark.parametrize("language", [pytest.param("python", marks=SLOW), *OTHERS])
@pytest.mark.parametrize("name", ["planar_2r", pytest.param("planar_3r", marks=pytest.mark.sweep)])
def test_the_whole_catalogue(language, name):
    cases = [small_states(robot_of(name).kernel(functions)) for functions in (SHORT, *REST)]
    assert agree(language, cases, scale=1e3)  # of what cancels


@pytest.mark.sweep
@pytest.mark.parametrize("language", [pytest.param("python", marks=SLOW), *OTHERS])
def test_functions_of_larger_robots(language):
    cases = [small_states(robot_of(name).kernel(SHORT)) for name in ("scara", "ur5", "panda", "kinds11")]
    assert agree(language, cases, scale=1e3)


@pytest.mark.parametrize("language", ALL)
def test_inverse_dynamics(language):
    assert agree(language, [small_states(robot_of("ur5").kernel("inverse_dynamics"))])


@pytest.mark.parametrize("language", [pytest.param("python", marks=SLOW), *OTHERS])
def test_a_thousand_states(language, rng):
    """As the library computes them."""
    robot = robot_of("ur5")
    q, qd, qdd = rng.uniform(-np.pi, np.pi, (1000, 6)), *rng.normal(size=(2, 1000, 6))
    ((found,),) = COMPUTED[language]([(robot.kernel("inverse_dynamics"), [q, qd, qdd])])
    assert close(found, robot.inverse_dynamics(q, qd, qdd), 1e-13)


@pytest.mark.parametrize("language", [pytest.param("python", marks=SLOW), *OTHERS])
def test_a_free_base_and_a_ball_joint(language):
    assert agree(language, [small_states(robot_of("every_joint").kernel(FEW))], scale=10.0)


@pytest.mark.parametrize("language", OTHERS)
def test_larger_robots_in_float32(language):
    kernels = [robot_of(name).kernel("inverse_dynamics", dtype="float32") for name in ("ur5", "panda")]
    assert agree(language, [small_states(kernel) for kernel in kernels], tol=1e-4)


@pytest.mark.parametrize("language", ALL)
def test_a_rollout(language, rng):
    assert agree(language, [rollout("rk4", rng)], tol=1e-11)


@pytest.mark.parametrize("language", [pytest.param("python", marks=SLOW), *OTHERS])
def test_rollouts(language, rng):
    assert agree(language, [rollout(method, rng) for method in integrators.names()], tol=1e-11)


@pytest.mark.parametrize("language", [pytest.param("python", marks=SLOW), *OTHERS])
def test_the_gradient_of_a_function_with_loops(language, rng):
    """A loop forward and one backward over what it kept."""

    def reached(q, push):
        return np.sum(ch.loop(lambda q, push: q + 0.1 * np.sin(q) + push, q, each={"push": push}, count=20) ** 2)

    kernel = ch.compile(reached, q=2, push=(20, 2)).gradient(["q", "push"])
    assert agree(language, [(kernel, [rng.normal(size=(2, 2)), 0.1 * rng.normal(size=(2, 20, 2))])])


@pytest.mark.parametrize("language", ALL)
def test_inverse_kinematics(language, rng):
    kernel, x = searched("planar_2r", rng)
    (outputs,) = COMPUTED[language]([(kernel, x)])
    assert found_two_of_three("planar_2r", kernel, x, outputs)
