"""Sampling control: MPPI and predictive sampling swing up, keep limits, repeat themselves, and find known plans."""

import math
from typing import Any

import numpy as np
import pytest
from support.sampling import CART_POLE, PENDULUM, driven, made, upright, upright_cart
from support.tolerances import close

import chasles as ch
from chasles.control import MPPI, PredictiveSampling

HANGING = (np.zeros(1), np.zeros(1))
SMALL: dict[str, Any] = {"dt": 0.05, "horizon": 12, "samples": 64, "noise": 2.0, "effort": 3.0}
SWING: dict[str, Any] = {"dt": 0.05, "horizon": 32, "samples": 128, "noise": 3.0, "effort": 4.0, "knots": 9}


@pytest.fixture(scope="module")
def mppi():
    return MPPI(PENDULUM, upright, temperature=0.3, **SMALL)


@pytest.fixture(scope="module")
def predictive():
    return PredictiveSampling(PENDULUM, upright, **SMALL)


@pytest.fixture(autouse=True)
def afresh(request):
    for name in ("mppi", "predictive"):
        if name in request.fixturenames:
            request.getfixturevalue(name).reset()


@pytest.mark.parametrize("kind", [MPPI, PredictiveSampling])
def test_a_pendulum_is_swung_up(kind):
    """With less than half of the torque that would hold it level."""
    q, qd, tau = driven(made(kind, PENDULUM, upright, **SWING), *HANGING, 110)
    assert np.cos(q[-10:, 0]).max() < -0.98 and np.abs(qd[-10:]).max() < 1.0
    assert np.abs(tau).max() <= 4.0


@pytest.mark.slow
@pytest.mark.parametrize("kind", [MPPI, PredictiveSampling])
def test_a_cart_swings_its_pole_up(kind):
    law = made(kind, CART_POLE, upright_cart, noise=[6.0, 0.0], effort=[12.0, 0.0], dt=0.04, horizon=40, samples=512)
    q, _, tau = driven(law, np.zeros(2), np.zeros(2), 200)
    assert np.cos(q[-10:, 1]).max() < -0.9 and np.abs(q[-10:, 0]).max() < 1.0
    assert np.abs(tau[:, 0]).max() <= 12.0 and not tau[:, 1].any()


def linear(horizon, dt, start, weight):
    """The plan of least sum of (q^2 + weight tau^2) dt + 5 q_H^2 + qd_H^2 for a unit mass, by least squares."""
    rows, rest = [], []

    def state(k):
        """q and qd after k steps: rows over the plan, and what they are without it."""
        speed = np.array([dt * (j < k) for j in range(horizon)], float)
        place = np.array([dt * dt * max(k - j, 0) for j in range(horizon)], float)
        return place, start[0] + k * dt * start[1], speed, start[1]

    for k in range(horizon):
        place, free, _, _ = state(k)
        rows += [place * math.sqrt(dt), math.sqrt(weight * dt) * np.eye(horizon)[k]]
        rest += [-free * math.sqrt(dt), 0.0]
    place, free, speed, drift = state(horizon)
    rows += [place * math.sqrt(5.0), speed]
    rest += [-free * math.sqrt(5.0), -drift]
    return np.linalg.lstsq(np.array(rows), np.array(rest), rcond=None)[0]


def test_a_known_optimum_is_found():
    mass = ch.LagrangianSystem(1, lambda q, qd: qd @ qd / 2.0, name="mass")
    law = MPPI(
        mass,
        lambda t, q, qd, tau: q[0] ** 2 + 0.02 * tau[0] ** 2,
        final_cost=lambda q, qd: 5.0 * q[0] ** 2 + qd[0] ** 2,
        dt=0.2,
        horizon=8,
        samples=2048,
        noise=0.6,
        temperature=0.05,
    )
    best = linear(8, 0.2, (1.0, 0.5), 0.02)
    far = np.abs(best).max()
    assert far > 3.0
    for _ in range(40):
        law.update(0.0, [1.0], [0.5])
    settled = []
    for _ in range(20):
        law.update(0.0, [1.0], [0.5])
        settled.append(law.plan[:, 0])
    assert np.abs(np.mean(settled, axis=0) - best).max() < 0.03 * far


def test_costs_are_those_of_the_motions(mppi):
    """Of two samples, rolled out in Python by semi-implicit steps."""
    mppi.update(0.0, [0.4], [0.2])
    for number in (0, 17):
        q, qd, total = np.array([0.4]), np.array([0.2]), 0.0
        for k, tau in enumerate(mppi.sampled(number)):
            total += upright(k * mppi.dt, q, qd, tau) * mppi.dt
            qd = qd + mppi.dt * PENDULUM.forward_dynamics(q, qd, tau)
            q = PENDULUM.integrate(q, mppi.dt * qd)
        assert close(mppi.costs[number], total, 1e-12)


def test_costs_on_lines_between_knots():
    def tracked(t, q, qd, tau):
        return (tau[0] - 1.0) ** 2 + t * tau[0]

    law = made(PredictiveSampling, PENDULUM, tracked, **SMALL | {"knots": 4})
    law.update(0.3, *HANGING)
    for number in (0, 5):
        knots = law.sampled(number)[:, 0]
        tau = np.interp(np.arange(12) / 4.0, np.arange(4), knots)
        t = 0.3 + 0.05 * np.arange(12)
        assert close(law.costs[number], 0.05 * np.sum((tau - 1.0) ** 2 + t * tau), 1e-12)


def test_samples_are_plans_with_normal_noise():
    law = made(MPPI, PENDULUM, upright, **SMALL | {"samples": 2000, "effort": False})
    law.reset(np.linspace(0.0, 1.0, 12)[:, None])
    before = law.plan
    law.update(0.0, *HANGING)
    noise = law.sampled(np.arange(1, 2000)) - before
    assert (law.sampled(0) == before).all()
    assert abs(noise.mean()) < 0.05 and abs(noise.std() - 2.0) < 0.05
    assert np.abs(np.corrcoef(noise[..., 0].T) - np.eye(12)).max() < 0.1


def test_limits_are_kept(mppi, predictive):
    for law in (mppi, predictive):
        law.update(0.0, *HANGING)
        plans = law.sampled(np.arange(64))
        assert np.abs(plans).max() == 3.0 and np.abs(law.plan).max() <= 3.0
    mppi.reset(np.full((12, 1), 100.0))
    assert (mppi.plan == 3.0).all()


def test_effort_is_the_robots_own():
    panda = ch.load("panda")
    law = PredictiveSampling(panda, lambda t, q, qd, tau: qd @ qd, dt=0.01, horizon=2, samples=2, noise=1.0)
    assert (law.effort == panda.limits["effort"]).all() and np.isfinite(law.effort).all()
    assert np.isinf(made(PredictiveSampling, PENDULUM, upright, **SMALL | {"effort": False}).effort).all()


def test_temperatures(mppi):
    """A low one chooses the best sample, a high one takes the mean of all."""
    plans = {}
    for temperature in (1e-6, 1e9):
        mppi.reset()
        mppi.temperature = temperature
        mppi.update(0.0, [0.4], [0.2])
        plans[temperature] = mppi.plan, mppi.effective_samples
    mppi.temperature = 0.3
    assert close(plans[1e-6][0], mppi.best, 1e-12) and plans[1e-6][1] == 1.0
    assert close(plans[1e9][0], mppi.sampled(np.arange(64)).mean(axis=0), 1e-6) and close(plans[1e9][1], 64.0, 1e-6)


def test_weights_and_groups(mppi, monkeypatch):
    """The plan is the mean by the weights, in whatever groups it is summed."""
    mppi.update(0.0, [0.4], [0.2])
    w, expected = mppi.weights, mppi.plan
    assert close(w.sum(), 1.0, 1e-12) and close(mppi.effective_samples, 1.0 / (w @ w), 1e-12)
    ratio = np.log(w[3] / w[9]) * mppi.temperature
    assert close(ratio, mppi.costs[9] - mppi.costs[3], 1e-9)
    assert close(expected, np.einsum("i,ijk->jk", w, mppi.sampled(np.arange(64))), 1e-12)
    monkeypatch.setattr("chasles.control.mppi.GROUP", 7)
    mppi.reset()
    mppi.update(0.0, [0.4], [0.2])
    assert close(mppi.plan, expected, 1e-12)


def test_the_best_of_the_samples(predictive):
    predictive.update(0.0, [0.4], [0.2])
    cost, plan = predictive.costs.min(), predictive.plan
    assert predictive.costs[predictive.best_sample] == cost and (predictive.best == plan).all()
    predictive.update(0.0, [0.4], [0.2])
    assert predictive.costs[0] == cost  # the plan itself, to the last bit
    assert predictive.costs.min() <= cost


def test_the_same_seed_is_the_same_motion():
    """Whatever the number of threads, among which so many samples are shared."""
    many: dict[str, Any] = SMALL | {"samples": 512, "temperature": 0.3}
    mppi = MPPI(PENDULUM, upright, **many)
    motions, threads = [], ch.get_num_threads()
    try:
        for count in (1, 2):
            ch.set_num_threads(count)
            mppi.begin()
            motions.append(driven(mppi, *HANGING, 5))
    finally:
        ch.set_num_threads(threads)
    assert all((x == y).all() for x, y in zip(*motions, strict=True))
    other = MPPI(PENDULUM, upright, **many, seed=1)
    assert not (driven(other, *HANGING, 5)[2] == motions[0][2]).any()


def test_a_plan_goes_on_where_it_was(predictive):
    first = np.linspace(-1.0, 1.0, 12)[:, None]
    predictive.reset(first)
    predictive.update(0.0, *HANGING)
    plan = predictive.plan
    predictive(0.1, *HANGING)
    assert (predictive.sampled(0) == np.concatenate([plan[2:], plan[-1:], plan[-1:]])).all()
    assert predictive.time == 0.1 and (predictive.at([0.1, 0.12, 9.0]) == predictive.plan[[0, 0, -1]]).all()


def test_knots_go_on_along_their_lines():
    law = made(PredictiveSampling, PENDULUM, upright, **SMALL | {"knots": 4})
    law.reset([[0.0], [1.0], [-1.0], [2.0]])
    law.update(0.0, *HANGING)
    plan = law.plan
    assert close(law.at(0.1), plan[0] + (plan[1] - plan[0]) * 0.5, 1e-12) and law.spacing == 0.05 * 4
    law(0.1, *HANGING)
    middles = (plan + np.concatenate([plan[1:], plan[-1:]])) / 2.0
    assert close(law.sampled(0), middles, 1e-12)


def test_a_warm_start_helps(predictive):
    """What the plan costs that goes on, beside one from nothing."""
    q, qd = np.array([2.0]), np.array([0.0])
    for _ in range(10):
        predictive.update(0.0, q, qd)
    predictive(0.05, q, qd)
    warm = predictive.costs[0]
    predictive.begin()
    predictive(0.0, q, qd)
    assert warm < 0.9 * predictive.costs[0]


def test_parameters_change_without_compiling():
    traced = []

    def towards(t, q, qd, tau, goal, weight):
        traced.append(t)
        return (q[0] - goal) ** 2 + weight @ np.stack([qd[0] ** 2, tau[0] ** 2])

    law = PredictiveSampling(
        PENDULUM,
        towards,
        final_cost=lambda q, qd, goal: 3.0 * (q[0] - goal) ** 2,
        parameters={"goal": 0.0, "weight": [0.0, 0.1]},
        **SMALL,
    )
    count = len(traced)
    law.update(0.0, *HANGING)
    assert law.best_sample == 0 and law.costs[0] == 0.0
    law.set(goal=2.0)
    law.update(0.0, *HANGING)
    assert close(law.costs[0], 4.0 * 12 * 0.05 + 12.0, 1e-12) and len(traced) == count
    assert law.parameters["goal"] == 2.0
    with pytest.raises(ch.ModelError, match="no parameter 'gaol', but goal, weight"):
        law.set(gaol=1.0)
    with pytest.raises(ch.ShapeError, match="parameter 'weight' must have shape"):
        law.set(weight=[1.0])


def test_updates_in_a_call(mppi):
    twice = MPPI(PENDULUM, upright, temperature=0.3, updates=2, **SMALL)
    twice(0.0, *HANGING)
    mppi.update(0.0, *HANGING)
    mppi.update(0.0, *HANGING)
    assert (twice.plan == mppi.plan).all() and twice.iteration == 2
