"""Gradients of rollouts, by state, torques, parameters and symbols at once, beside differences and dual numbers."""

from functools import cache

import numpy as np
import pytest
from support.loops import at, disk, four_bar, four_bar_angles, particle, pinned
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.graph.interpret import interpret
from chasles.scalar.dual import Dual
from chasles.simulation.rollout_kernels import cost_kernel

DT, STEPS = 0.02, 20


def spring(t, q, qd, K):
    """Joint forces of gains, on velocities alone where q has no differences."""
    return -K * qd + np.cos(3.0 * t)


def cost(t, q, qd, tau, goal):
    return (q - goal) @ (q - goal) + 0.1 * (qd @ qd) + 0.01 * (tau @ tau) * (1.0 + t)


def final_cost(q, qd):
    return np.sin(q[0]) * 2.0 + (qd @ qd)


def pendulum():
    m = ch.symbols("payload")
    links = [ch.Link(1.0 + m, [0.5, 0.0, 0.0], [0.1, 0.1, 0.1]), ch.Link(0.4, [0.2, 0.1, 0.0], [0.02, 0.03, 0.04])]
    screws = [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], point=[1.0, 0.0, 0.0])]
    return ch.Robot.from_screws(screws, [np.eye(4), at(1.0, 0.0)], links, gravity=[0.0, -9.81, 0.0])


def ball():
    link = ch.Link(1.0 + ch.symbols("payload"), (0.1, 0.0, 0.3), (0.2, 0.22, 0.1))
    return ch.Robot.from_screws(np.zeros((1, 6)), [np.eye(4)], [link], kinds=["spherical"], gravity=[0.0, 0.0, -9.81])


def closed_loop():
    robot = four_bar()
    return ch.ConstrainedSystem(robot, pinned(robot))


def driven():
    return ch.LagrangianSystem(2, lambda q, qd, t: (1.0 + t) * (qd @ qd) / 2 - q @ q)


def made(system, method="rk4", steps=STEPS):
    return ch.Rollout(
        system,
        spring,
        steps=steps,
        method=method,
        parameters={"K": (system.n,), "goal": (system.nq,)},
        cost=cost,
        final_cost=final_cost,
    )


@cache
def swinging():
    """One for several tests."""
    return made(pendulum())


def inputs(system, rng, steps=STEPS):
    """q, qd, tau, K, goal, and symbols."""
    qd = rng.normal(size=system.n)
    if isinstance(system, ch.ConstrainedSystem):
        q, qd = system.consistent(four_bar_angles(np.array(0.7)) if system.n == 3 else rng.normal(size=4), qd)
    else:
        q = system.random(rng)
    rest = {"K": rng.uniform(0.5, 1.0, system.n), "goal": rng.normal(size=system.nq)}
    rest |= {"payload": 0.7} if getattr(system, "symbols", ()) else {}
    return {"q": q, "qd": qd, "tau": rng.normal(size=(steps, system.n)), **rest}


def differences(rollout, given, name, directions, h=1e-6):
    """Central differences of the cost along directions of an input, q by integrate."""

    def moved(step):
        if name == "q":
            values = {x: given[x] for x in getattr(rollout.system, "symbols", ())}
            return rollout.system.integrate(given["q"], step, **values)
        return given[name] + step

    return np.array(
        [
            np.subtract(*(rollout.cost(**{**given, name: moved(s * h * d)}, dt=DT) for s in (1.0, -1.0))) / (2.0 * h)
            for d in directions
        ]
    )


SYSTEMS = {"robot": pendulum, "ball": ball, "in time": driven}


METHODS = ["rk4", "semi_implicit", "euler", "heun", "dormand_prince", "variational", "variational4"]
CASES = [(x, y) for x in SYSTEMS for y in METHODS if x != "in time" or "variational" not in y]
FEW = [("robot", "variational"), ("ball", "semi_implicit"), ("in time", "semi_implicit")]


@pytest.mark.parametrize("case", sweep(CASES, FEW), ids="-".join)
def test_it_is_the_slope_of_the_cost(case, rng):
    name, method = case
    system = SYSTEMS[name]()
    rollout, given = made(system, method, 6), inputs(system, rng, 6)
    by = [x for x in given if x != "goal"]
    value, slopes = rollout.gradient(**given, by=by, dt=DT)
    assert close(value, rollout.cost(**given, dt=DT), 1e-13) and list(slopes) == by
    for x in by:
        size = (system.n,) if x == "q" else np.shape(given[x])
        assert slopes[x].shape == size
        directions = rng.normal(size=(3, *size))
        assert close(np.tensordot(directions, slopes[x], len(size)), differences(rollout, given, x, directions), 1e-6)


def test_what_leads_off_constraints_does_not_count_at_rest():
    """Also where a step is on the constraints as it is, and needs no correction."""
    mass = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2)
    circle = ch.ConstrainedSystem(mass, ch.Constraint.holonomic(lambda q: q @ q - 1.0, "circle"), start=[1.0, 0.0])
    roll = ch.Rollout(circle, steps=5, final_cost=lambda q, qd: q[0] + q[1])
    _, by = roll.gradient([1.0, 0.0], [0.0, 0.0], by=["q", "qd"], dt=0.01)
    assert close(by["q"], [0.0, 1.0]) and close(by["qd"], [0.0, 0.05])


@pytest.mark.parametrize("name", [pytest.param("four-bar", marks=pytest.mark.slow), "disk"])
def test_through_constraints(name, rng):
    """Along states that satisfy them; torques and gains are free."""
    system = {"four-bar": closed_loop, "disk": disk}[name]()
    rollout, given = made(system, "rk4", 6), inputs(system, rng, 6)
    _, slopes = rollout.gradient(**given, by=("q", "qd", "tau", "K"), dt=DT)
    for x in ("tau", "K"):
        directions = rng.normal(size=(3, *np.shape(given[x])))
        assert close(
            np.tensordot(directions, slopes[x], np.ndim(given[x])), differences(rollout, given, x, directions), 1e-5
        )
    allowed = system.projections(given["q"]).P_T @ rng.normal(size=system.n)
    assert close(slopes["qd"] @ allowed, differences(rollout, given, "qd", [allowed])[0], 1e-5)


def test_along_the_states_of_a_closed_loop(rng):
    """The crank turned a little, with all that it moves: what leads off the constraints does not count."""
    system = closed_loop()
    rollout, given = made(system, "semi_implicit", 6), inputs(system, rng, 6)

    def state(crank):
        beside = [four_bar_angles(np.array(crank + s * 1e-5)) for s in (1.0, -1.0)]
        return four_bar_angles(np.array(crank)), 0.8 * np.subtract(*beside) / 2e-5

    def along(h):
        (q1, v1), (q0, v0) = state(0.7 + h), state(0.7 - h)
        return (q1 - q0) / (2 * h), (v1 - v0) / (2 * h)

    given["q"], given["qd"] = state(0.7)
    _, slopes = rollout.gradient(**given, by=("q", "qd"), dt=DT)
    ends = [
        rollout.cost(**{**given, **dict(zip(("q", "qd"), state(0.7 + s), strict=True))}, dt=DT) for s in (1e-3, -1e-3)
    ]
    dq, dv = along(1e-3)
    assert close(slopes["q"] @ dq + slopes["qd"] @ dv, np.subtract(*ends) / 2e-3, 1e-4)


def test_it_is_that_of_dual_numbers(rng):
    """To rounding: the same program in forward mode."""
    rollout = swinging()
    given = inputs(rollout.system, rng)
    _, slopes = rollout.gradient(**given, by=("q", "tau", "payload"), dt=DT)
    program = cost_kernel(rollout._of, STEPS, True).program
    values = {**given, "dt": DT, "t0": 0.0}
    for x in ("q", "payload"):
        direction = rng.normal(size=np.shape(given[x]))
        leaves = [np.ravel(values[o.name]).tolist() for o in program.inputs]
        place = [o.name for o in program.inputs].index(x)
        leaves[place] = [Dual(y, d) for y, d in zip(leaves[place], np.ravel(direction).tolist(), strict=True)]
        ((found,),) = interpret(program, leaves)
        assert close(found.derivative, np.sum(direction * slopes[x]), 1e-11)


def test_a_batch_has_gradients_of_its_rows(rng):
    rollout = swinging()
    given = inputs(rollout.system, rng)
    given["q"], given["payload"] = rng.normal(size=(5, 2)), rng.uniform(0.1, 1.0, 5)
    value, slopes = rollout.gradient(**given, by=("q", "tau", "payload"), dt=DT, t0=0.3)
    assert value.shape == (5,) and slopes["tau"].shape == (5, STEPS, 2) and slopes["payload"].shape == (5,)
    for k in range(5):
        row = {**given, "q": given["q"][k], "payload": given["payload"][k]}
        alone = rollout.gradient(**row, by=("q", "tau", "payload"), dt=DT, t0=0.3)
        assert close(value[k], alone[0]) and all(close(slopes[x][k], alone[1][x]) for x in slopes)


def test_the_cost_is_the_sum_over_the_motion(rng):
    rollout = swinging()
    given = inputs(rollout.system, rng)
    motion = rollout(**given, dt=DT)
    running = [cost(*x, given["goal"]) for x in zip(motion.t[:-1], motion.q, motion.qd, motion.tau, strict=False)]
    assert close(rollout.cost(**given, dt=DT), sum(running) * DT + final_cost(motion.q[-1], motion.qd[-1]), 1e-12)


def test_descent_along_it_lowers_the_cost(rng):
    rollout = ch.Rollout(
        particle(), steps=30, cost=lambda t, q, qd, tau: 1e-3 * tau @ tau, final_cost=lambda q, qd: q @ q
    )
    tau, q, costs = np.zeros((30, 2)), [1.0, 0.0], []
    for _ in range(20):
        value, slopes = rollout.gradient(q, [0.0, 0.0], tau, by="tau", dt=DT)
        tau, costs = tau - 400.0 * slopes["tau"], [*costs, value]
    assert (np.diff(costs) < 0.0).all() and costs[-1] < 0.3 * costs[0]


def test_what_is_refused(rng):
    rollout = swinging()
    given = inputs(rollout.system, rng)
    for by, message in (
        ("mass", "by names 'mass', nothing that is given; there are q, qd, tau, K, goal, payload"),
        (("q", "q"), "by names 'q', twice"),
        ((), "by names nothing"),
        (3, "by must be"),
    ):
        with pytest.raises(ch.ModelError, match=message):
            rollout.gradient(**given, by=by, dt=DT)
    with pytest.raises(ch.ModelError, match="this Rollout has no cost: make it with cost= or final_cost="):
        ch.Rollout(particle(), steps=3).cost([0.0, 0.0], [0.0, 0.0], dt=DT)
    with pytest.raises(ch.ShapeError, match=r"cost <lambda> must return one number, got an array of shape \(2,\)"):
        ch.Rollout(particle(), steps=3, cost=lambda t, q, qd, tau: q)
    with pytest.raises(ch.ShapeError, match=r"rollout: tau must have shape \(..., 20, 2\)"):
        rollout.cost(**{**given, "tau": np.zeros((19, 2))}, dt=DT)
    with pytest.raises(ch.ModelError, match="no parameter 'unused': neither law nor costs take it"):
        ch.Rollout(particle(), lambda t, q, qd: q, steps=3, parameters={"unused": 2})


def test_a_row_that_ends_has_no_cost(rng):
    slider = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2)
    rollout = ch.Rollout(slider, lambda t, q, qd: qd**3, steps=150, final_cost=lambda q, qd: q[0])
    with pytest.warns(RuntimeWarning, match="the cost of row 1 of the batch is nan"):
        value, slopes = rollout.gradient(np.zeros((3, 1)), [[0.1], [1.0], [0.2]], by="qd", dt=0.01)
    assert np.isfinite(value).tolist() == [True, False, True] == np.isfinite(slopes["qd"][:, 0]).tolist()
