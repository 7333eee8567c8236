"""Sampling control of robots with symbols, under constraints, of real arms; and what it refuses."""

from typing import Any

import numpy as np
import pytest
from support.sampling import PENDULUM, driven, made, upright
from support.tolerances import close

import chasles as ch
from chasles.control import MPPI, PredictiveSampling

SMALL: dict[str, Any] = {"dt": 0.05, "horizon": 6, "samples": 32, "noise": 1.0}
BAR = ch.Link(ch.symbols("m"), [0.0, 0.0, -0.5], [0.01, 0.01, 0.01])
LOADED = ch.Robot.from_screws([ch.screw([0.0, 1.0, 0.0])], [np.eye(4)], [BAR], name="bar")
PARTICLE = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2.0 - 9.81 * q[1], name="particle")
ROD = ch.ConstrainedSystem(PARTICLE, ch.Constraint.holonomic(lambda q: (q @ q - 1.0) / 2.0, name="rod"))


def speed(t, q, qd, tau):
    return qd @ qd


def test_each_sample_may_have_symbols_of_its_own(rng):
    """The costs are those of the robots with these numbers, one by one."""
    masses = rng.uniform(0.5, 2.0, 32)
    law = MPPI(LOADED, speed, temperature=1.0, symbols={"m": masses}, **SMALL)
    law.update(0.0, [0.5], [0.1])
    for number in (0, 9):
        alone = PredictiveSampling(LOADED, speed, symbols={"m": masses[number]}, **SMALL)
        alone.update(0.0, [0.5], [0.1])
        assert close(law.costs[number], alone.costs[number], 1e-12)
        assert np.abs(np.delete(law.costs, number) - alone.costs[number]).min() > 1e-6


def test_costs_may_name_symbols():
    """Each sample costs what the symbol is in it."""
    masses = np.linspace(1.0, 2.0, 32)
    law = made(
        PredictiveSampling,
        LOADED,
        lambda t, q, qd, tau, m: m,
        final_cost=lambda q, qd, m: 10.0 * m,
        symbols={"m": masses},
        **SMALL,
    )
    law.update(0.0, [0.0], [0.0])
    assert close(law.costs, masses * (10.0 + SMALL["dt"] * SMALL["horizon"]), 1e-12)


def test_symbols_are_given_in_full():
    for symbols, told in (({}, "has the symbol m: give"), ({"m": 1.0, "k": 2.0}, "no symbol 'k'; the system has m")):
        with pytest.raises(ch.ModelError, match=told):
            MPPI(LOADED, speed, temperature=1.0, symbols=symbols, **SMALL)
    with pytest.raises(ch.ShapeError, match=r"'m' must have shape \(\), or \(32,\), one a sample, got \(3,\)"):
        MPPI(LOADED, speed, temperature=1.0, symbols={"m": np.ones(3)}, **SMALL)


def test_under_constraints():
    """A particle on a rod is pushed aside, along the circle that it can go."""

    def aside(t, q, qd, tau):
        return 10.0 * (q[0] - 0.6) ** 2 + 0.1 * (qd @ qd)

    law = MPPI(ROD, aside, temperature=0.1, dt=0.05, horizon=12, samples=64, noise=8.0)
    q, qd = np.array([0.0, -1.0]), np.zeros(2)
    for k in range(40):
        tau = law(0.05 * k, q, qd)
        qd = qd + 0.05 * ROD.forward_dynamics(q, qd, tau).qdd
        q, qd = ROD.corrected(q + 0.05 * qd, qd)
    assert abs(q[0] - 0.6) < 0.1 and close(q @ q, 1.0, 1e-9)


def test_joints_on_groups():
    """A ball joint: costs are those of motions in Python."""
    link = ch.Link(1.0, [0.1, 0.0, -0.5], [0.2, 0.3, 0.4])
    ball = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [link], kinds=["spherical"])
    target = ball.random(1)

    def far(t, q, qd, tau):
        return (q - target) @ (q - target)

    law = PredictiveSampling(ball, far, **SMALL)
    q, qd = ball.random(2), np.linspace(-1.0, 1.0, ball.n)
    assert ball.nq > ball.n
    law.update(0.0, q, qd)
    total = 0.0
    for tau in law.sampled(3):
        total += far(0.0, q, qd, tau) * law.dt
        qd = qd + law.dt * ball.forward_dynamics(q, qd, tau)
        q = ball.integrate(q, law.dt * qd)
    assert close(law.costs[3], total, 1e-10)


def test_in_a_simulation():
    """Asked once a step, from the beginning on; a batch is refused."""
    law = MPPI(PENDULUM, upright, temperature=0.3, **SMALL)
    law(3.0, [1.0], [0.0])
    motion = ch.simulate(PENDULUM, [0.0], [0.0], law, duration=0.5, dt=0.05, method="semi_implicit")
    law.begin()
    q, _, tau = driven(law, np.zeros(1), np.zeros(1), 11)
    assert close(motion.q, q, 1e-12) and close(motion.tau, tau, 1e-12)
    with pytest.raises(ch.ShapeError, match="of one state: q must be of one dimension"):
        ch.simulate(PENDULUM, np.zeros((3, 1)), np.zeros((3, 1)), law, duration=0.5, dt=0.05)


def test_systems_of_time():
    """A force that comes later is seen, at the times of the steps."""
    pushed = ch.LagrangianSystem(1, lambda q, qd, t: qd @ qd / 2.0 + q[0] * t, name="pushed")
    law = PredictiveSampling(pushed, lambda t, q, qd, tau: 0.0 * t, final_cost=lambda q, qd: qd[0], **SMALL)
    law.update(2.0, [0.0], [0.0])
    assert close(law.costs[0], 0.05 * np.sum(2.0 + 0.05 * np.arange(6)), 1e-12)


def test_other_methods():
    def end(q, qd):
        return q[0]

    found = {}
    for method in ("rk4", "semi_implicit"):
        law = PredictiveSampling(PENDULUM, lambda t, q, qd, tau: 0.0 * t, final_cost=end, method=method, **SMALL)
        law.update(0.0, [1.0], [0.0])
        found[method] = law.costs[0]
    motion = ch.simulate(PENDULUM, [1.0], [0.0], duration=0.3, dt=0.05, method="rk4")
    assert close(found["rk4"], motion.q[-1, 0], 1e-9) and abs(found["semi_implicit"] - found["rk4"]) > 1e-3


@pytest.mark.parametrize("knots", [None, 3])
@pytest.mark.parametrize("kind", [MPPI, PredictiveSampling])
def test_samples_that_do_not_stay_finite_have_no_say(kind, knots):
    """Though the cost of an infinite velocity is the least of all."""
    runaway = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 + q[0] ** 4 / 4, name="runaway")
    options = {"dt": 0.5, "horizon": 12, "samples": 64, "noise": 1.0, "knots": knots}
    law = made(kind, runaway, lambda t, q, qd, tau: 0.0 * t, final_cost=lambda q, qd: np.exp(-qd @ qd), **options)
    law.update(0.0, [0.0], [0.0])
    ended = np.isnan(law.costs)
    assert 5 < ended.sum() < 60 and law.best_sample in np.flatnonzero(~ended) and np.isfinite(law.plan).all()
    if kind is MPPI:
        assert not law.weights[ended].any()


@pytest.mark.parametrize("kind", [MPPI, PredictiveSampling])
def test_bad_samples_have_no_say(kind):
    def fenced(t, q, qd, tau):
        return upright(t, q, qd, tau) + 1e-9 * np.log(1.5 - tau[0])  # nan beyond 1.5

    law = made(kind, PENDULUM, fenced, temperature=10.0, **SMALL)
    law.update(0.0, [0.0], [0.0])
    bad = ~np.isfinite(law.costs)
    assert 5 < bad.sum() < 32 and (law.plan < 1.5).all()
    if kind is MPPI:
        assert not law.weights[bad].any() and (law.weights[~bad] > 0.0).all()
        assert close(law.plan, np.einsum("i,ijk->jk", law.weights, law.sampled(np.arange(32))), 1e-12)


@pytest.mark.parametrize("kind", [MPPI, PredictiveSampling])
def test_where_no_sample_is_good_it_says_where(kind):
    law = made(kind, PENDULUM, lambda t, q, qd, tau: np.sqrt(q[0]), **SMALL)
    with pytest.raises(ch.SimulationError, match=r"finite cost at t = 0.5, q = \[-2.0\], qd = \[0.25\]: look at the"):
        law(0.5, [-2.0], [0.25])
    with pytest.raises(ch.SimulationError, match=r"finite cost at t = 1, q = \[nan\]"):
        law(1.0, [np.nan], [0.0])


def branching(t, q, qd, tau):
    return q[0] if q[0] > 0.0 else -q[0]


@pytest.mark.parametrize("kind", [MPPI, PredictiveSampling])
def test_costs_are_what_rollouts_take(kind):
    """The same functions, refused in the same words."""
    for cost, error, told in (
        (
            branching,
            ch.TraceError,
            r"cost branching cannot be compiled into a rollout, at line \d+ of test_sampling_systems.py \(return",
        ),
        (lambda t, q, qd, tau: None, ch.ModelError, "cost <lambda> returns None"),
        (lambda t, q, qd, tau: "far", ch.ModelError, "cost <lambda> must return one number, got 'far'"),
    ):
        with pytest.raises(error, match=told) as caught:
            made(kind, PENDULUM, cost, **SMALL)
        with pytest.raises(error, match=told):
            ch.Rollout(PENDULUM, steps=3, cost=cost)
        assert "simulate" not in str(caught.value)
    with pytest.raises(ch.ModelError, match="final_cost <lambda> returns None"):
        made(kind, PENDULUM, upright, final_cost=lambda q, qd: None, **SMALL)
    one, number = (made(kind, PENDULUM, cost, **SMALL) for cost in (lambda t, q, *_: q, lambda t, q, *_: q[0]))
    for law in (one, number):
        law.update(0.0, [0.4], [0.0])
    assert (one.costs == number.costs).all()


def test_rounding_of_times():
    """Stages of a step ask at its end, and the next at its beginning, which may be less by rounding."""
    law = made(PredictiveSampling, PENDULUM, upright, **SMALL)
    law(0.3, [0.0], [0.0])
    law(0.1 + 0.1 + 0.1 - 1e-15, [0.0], [0.0])
    assert law.time == 0.3
    motion = ch.simulate(PENDULUM, [0.0], [0.0], law, duration=0.2, dt=0.01)
    assert np.isfinite(motion.q).all()


def test_what_is_refused():
    def law_of(cost=upright, **options):
        return made(MPPI, PENDULUM, cost, **SMALL | options)

    for options, told in {
        "no cost": ({"cost": 3.0}, "cost must be a function of"),
        "a parameter not given": (
            {"cost": lambda t, q, qd, tau, goal: goal},
            r"cost <lambda> must be a function of \(t, q, qd, tau\), got one of",
        ),
        "a parameter not taken": ({"parameters": {"goal": 1.0}}, "no cost takes the parameter 'goal'"),
        "a name that is taken": ({"parameters": {"plan": 1.0}}, "cannot be called 'plan'"),
        "a name that is none": ({"parameters": {3: 1.0}}, "the name of a parameter must be one that Python takes"),
        "no noise": ({"noise": 0.0}, "noise must be finite, and not zero for all joints"),
        "less than none": ({"noise": -1.0}, "noise must not be negative"),
        "knots that do not fit": ({"knots": 5}, "horizon = 6 must be a multiple of knots - 1 = 4"),
        "one sample": ({"samples": 1}, "samples must be"),
        "no heat": ({"temperature": 0.0}, "temperature must be"),
        "another method": ({"method": "rk5"}, "method must be one of"),
    }.values():
        with pytest.raises(ch.ModelError, match=told):
            law_of(**options)
    with pytest.raises(ch.ShapeError, match=r"must return one number, got an array of shape \(2,\)"):
        law_of(lambda t, q, qd, tau: np.stack([q[0], q[0]]))
    with pytest.raises(ch.ModelError, match="system must be a Robot"):
        MPPI("pendulum", upright, temperature=1.0, **SMALL)  # type: ignore[arg-type]
    law = law_of()
    for asked in (lambda: law.best, lambda: law.weights, lambda: law.effective_samples):
        with pytest.raises(ch.ModelError, match="nothing was sampled yet"):
            asked()
    law(1.0, [0.0], [0.0])
    with pytest.raises(ch.ModelError, match=r"begins at t = 1, after t = 0.5: call begin.*sample=law.dt"):
        law(0.5, [0.0], [0.0])
    with pytest.raises(ch.ShapeError, match="of one state"):
        law(1.0, np.zeros((3, 1)), np.zeros((3, 1)))
    with pytest.raises(ch.ShapeError, match="plan must have shape"):
        law.reset(np.zeros((5, 1)))


@pytest.mark.slow
def test_a_panda_reaches():
    """Two targets for its tool, one after the other; noise by the inertias, gravity in the first plan."""
    panda = ch.load("panda")

    def cost(t, q, qd, tau, target):
        away = panda.forward_kinematics(q)[:3, 3] - target
        return 200.0 * (away @ away) + 0.02 * (qd @ qd)

    q, qd = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8]), np.zeros(7)
    start = panda.forward_kinematics(q)[:3, 3]
    law = MPPI(
        panda,
        cost,
        dt=0.02,
        horizon=24,
        samples=1024,
        noise=3.0 * np.diag(panda.mass_matrix(q)),
        temperature=0.1,
        knots=5,
        parameters={"target": start},
    )
    law.reset(np.tile(panda.gravity_forces(q), (5, 1)))
    for target in (start + np.array([0.0, 0.2, 0.1]), start + np.array([0.0, -0.1, -0.1])):
        law.begin()
        law.set(target=target)
        path, speeds, tau = driven(law, q, qd, 60)
        away = np.linalg.norm(panda.forward_kinematics(path)[:, :3, 3] - target, axis=-1)
        assert away[0] > 0.13 and away[-10:].max() < 0.04
        assert (np.abs(tau) <= panda.limits["effort"]).all()
        q, qd = path[-1], speeds[-1]
