"""Joint stops: what hits one comes back slower, what leans on one stays near; where there is no limit nothing acts."""

import numpy as np
import pytest
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.simulation.stops import Stops


def arm(lower=-0.5, upper=0.5, gravity=(0.0, 0.0, 0.0)):
    links = [ch.Link(1.0, (0.5, 0.0, 0.0), (0.05, 0.05, 0.05))]
    limits = {"lower": [lower], "upper": [upper]}
    return ch.Robot.from_screws([[0, 0, 1, 0, 0, 0]], [np.eye(4)], links, gravity=gravity, limits=limits)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("control", [None, lambda t, q, v: np.zeros(1)])
def test_a_bounce(sign, control):
    """In a few time constants of contact it turns round; energy is lost, and none gained."""
    run = ch.simulate(arm(), [0.0], [2.0 * sign], control, duration=1.0, dt=1e-3, stops=0.02)
    deepest = np.abs(run.q).max() - 0.5
    assert 0.2 * 0.02 * 2.0 < deepest < 0.37 * 0.02 * 2.0
    assert (run.energy <= run.energy[0]).all() and sign * run.qd[-1, 0] < 0.0 and run.energy[-1] < 0.2 * run.energy[0]
    forces = run.signals["stops"]
    assert forces.shape == run.qd.shape and (sign * forces <= 0.0).all() and (forces[np.abs(run.q) < 0.5] == 0.0).all()
    assert np.abs(forces).max() > 0.0 and (run.tau == 0.0).all()


def test_leaning_on_a_stop():
    """Under gravity it comes to rest where the spring holds it."""
    robot = arm(gravity=(0.0, -9.81, 0.0))
    run = ch.simulate(robot, [0.0], [0.0], duration=2.0, dt=1e-3, stops=True)
    stiffness = robot.mass_matrix([0.0])[0, 0] / 0.01**2
    sunk = 0.5 + run.q[-1, 0]
    assert abs(run.qd[-1, 0]) < 1e-6 and close(-sunk * stiffness, robot.gravity_forces(run.q[-1])[0], 1e-6)
    assert -5e-3 < sunk < 0.0


@pytest.mark.parametrize("control", [None, lambda t, q, v: np.zeros(1)])
def test_harder_and_softer(control):
    """Each has kernels of its own, of robots that are the same too."""
    runs = [ch.simulate(arm(), [0.0], [2.0], control, duration=0.4, stops=T) for T in (0.01, 0.02, 0.02, 0.04)]
    deepest = [run.q.max() - 0.5 for run in runs]
    assert close(np.divide(deepest[1:], deepest[0]), [2.0, 2.0, 4.0], 0.1)


def test_no_limit_no_stop():
    free = arm(-np.inf, np.inf)
    one, two = (ch.simulate(free, [0.0], [2.0], duration=0.5, stops=stops) for stops in (True, False))
    assert (one.q == two.q).all()
    assert one.signals["stops"].shape == one.qd.shape and not one.signals["stops"].any()
    rows = ch.simulate(free, np.zeros((3, 1)), [2.0], lambda t, q, v: 0.0, duration=0.01, stops=True)
    assert rows.signals["stops"].shape == rows.qd.shape == (3, 11, 1)
    half = ch.simulate(arm(-np.inf, 0.5), [0.0], [-2.0], duration=0.5, stops=True)
    assert close(half.q, two.q * -1.0)


def test_in_kernels_and_in_python():
    """Of an arm with six joints, the same."""
    robot = ch.load("ur5")
    narrow = 0.05 * np.ones(6)
    robot = ch.Robot.from_screws(
        robot.screws, robot.homes, robot.links, limits={"lower": -narrow, "upper": narrow}, parents=robot.parents
    )
    start = np.zeros(6), np.linspace(0.5, 1.0, 6)
    held, asked = (ch.simulate(robot, *start, law, duration=0.2, stops=True) for law in (None, lambda t, q, v: 0.0))
    assert close(held.q, asked.q) and np.abs(held.q).max() < 0.12 and np.abs(held.signals["stops"]).max() > 1.0


def polar():
    """An arm that turns and is drawn out, so that its inertia depends on how far it is."""
    links = [ch.Link(2.0, (0.1, 0, 0), (0.02, 0.02, 0.02)), ch.Link(1.0, (0, 0, 0), (0.01, 0.01, 0.01))]
    limits = {"lower": [-1.0, 0.05], "upper": [1.0, 1.0]}
    screws = [[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]]
    return ch.Robot.from_screws(screws, [np.eye(4)] * 2, links, limits=limits, gravity=(0.0, -9.81, 0.0))


@pytest.mark.parametrize("method", ["rk4", "variational"])
@pytest.mark.parametrize("name", sweep(["ur5", "polar", "panda"], ["ur5", "polar"]))
def test_no_energy_is_gained_with_the_longest_step(name, method, rng):
    """Many joints that fall into their stops, whose inertia is far less with the others free than with them at rest."""
    robot = polar() if name == "polar" else ch.load(name)
    lower, upper = robot.limits["lower"], robot.limits["upper"]
    middle, half = (upper + lower) / 2, (upper - lower) / 2
    q = np.stack([middle + 0.9 * half, *(middle + half * rng.uniform(-0.95, 0.95, (4, robot.n)))])
    qd = np.stack([np.full(robot.n, 1.5), *rng.uniform(-3.0, 3.0, (4, robot.n))])
    run = ch.simulate(robot, q, qd, duration=1.0, dt=5e-3, stops=True, method=method)
    scale = (run.energy[:, 0] - run.potential.min(axis=1))[:, None]
    assert (run.energy - run.energy[:, :1] < 1e-3 * scale).all() and np.abs(run.signals["stops"]).max() > 1.0


@pytest.mark.parametrize("name", ["panda", "ur5", "polar"])
def test_what_a_stop_meets(name, rng):
    """It accelerates no joint by more than a spring and damper of the joint alone, and all together by 1.75 of it."""
    robot = polar() if name == "polar" else ch.load(name)
    inertia = Stops(robot, 1.0, 0.1).k
    q = rng.uniform(robot.limits["lower"], robot.limits["upper"], (200, robot.n))
    gains = np.linalg.inv(robot.mass_matrix(q)) * inertia
    assert np.diagonal(gains, axis1=1, axis2=2).max() < 1.1
    assert 0.9 < np.linalg.eigvals(gains).real.max() < 2.0


def test_what_is_refused():
    particle = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, name="particle")
    with pytest.raises(ch.ModelError, match="stops: 'particle' is no robot, and its joints have no limits"):
        ch.simulate(particle, [0.0], [0.0], duration=0.1, stops=True)
    with pytest.raises(ch.ModelError, match=r"stops: steps of dt = 0\.02 are too long for stops of 0\.01 s"):
        ch.simulate(arm(), [0.0], [0.0], duration=0.1, dt=0.02, stops=True)
    for wrong in (0.0, -1.0, "hard", None):
        with pytest.raises(ch.ModelError, match="stops must be a positive number of seconds"):
            ch.simulate(arm(), [0.0], [0.0], duration=0.1, stops=wrong)
