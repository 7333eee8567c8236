"""Rows of a rollout: symbols of their own, and those that end."""

import re
import warnings

import numpy as np
import pytest
from support.loops import parallelogram
from support.tolerances import close

import chasles as ch

DT = 0.01
HALF = 0.5


def pendulum(**given):
    """A rod with a ball of symbolic mass at its end, in symbolic gravity."""
    m, g = (given.get(name, ch.symbols(name)) for name in ("payload", "g"))
    rod = ch.Link(1.0 + m, [0.5 + 0.0 * m, 0.0, 0.0], [0.1, 0.1, 0.1])
    return ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [rod], gravity=np.stack([0.0 * g, -g, 0.0 * g]))


def slider():
    return ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, name="slider")


def cubic(t, q, qd):
    """Faster and faster: beyond all bounds at t = 1 / (2 qd^2)."""
    return qd**3


def quietly(function, *given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return function(*given, **options)


def test_values_of_symbols_a_row(rng):
    """Domain randomisation: each row is the motion of the robot with its values."""
    robot, (q, qd) = pendulum(), rng.normal(size=(2, 4, 1))
    payload, g = rng.uniform(0.1, 2.0, 4), 9.81
    motion = robot.rollout(q, qd, dt=DT, steps=20, payload=payload, g=g)
    for k in range(4):
        alone = robot.with_values(payload=payload[k], g=g).rollout(q[k], qd[k], dt=DT, steps=20)
        assert close(motion.q[k], alone.q, 1e-13) and close(motion.qd[k], alone.qd, 1e-12)
    spread = robot.rollout(q[0], qd[0], dt=DT, steps=20, payload=payload[:, None], g=[9.81, 1.62])
    assert spread.q.shape == (4, 2, 21, 1) and close(spread.q[0, 0], motion.q[0], 1e-13)


def test_laws_may_name_symbols(rng):
    robot = pendulum()

    def held(t, q, qd, payload, g):
        return robot.gravity_forces(q, payload=payload, g=g)

    motion = robot.rollout([0.3], [0.0], held, dt=DT, steps=20, payload=[0.5, 1.0], g=9.81)
    assert close(motion.q, np.full((2, 21, 1), 0.3), 1e-13)


def test_parameters_a_row(rng):
    """By default a parameter is the same in all rows; with its shape given, rows have their own."""

    def spring(t, q, qd, K):
        return -K @ q if np.ndim(K) else -K * q

    mass = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2)
    q, K = rng.normal(size=(2, 2)), rng.normal(size=(2, 2))
    same = mass.rollout(q, np.zeros(2), spring, dt=DT, steps=5, K=K, parameters={"K": (2, 2)})
    assert close(same.q, mass.rollout(q, np.zeros(2), lambda t, x, v: -K @ x, dt=DT, steps=5).q)
    own = mass.rollout(q, np.zeros(2), spring, dt=DT, steps=5, K=[1.0, 4.0], parameters={"K": ()})
    assert close(own.q[1], mass.rollout(q[1], np.zeros(2), spring, dt=DT, steps=5, K=4.0).q)
    three = np.concatenate([q, q[:1]])
    assert close(mass.rollout(three, np.zeros(2), spring, dt=DT, steps=5, K=K).q[:2], same.q)


@pytest.mark.parametrize(("shape", "own"), [((2,), ()), ((2, 2), (2,)), ((2, 3), (3,))])
def test_a_parameter_that_could_be_one_a_row(shape, own):
    mass = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2)

    def pull(t, q, qd, K):
        return -np.sum(K) * q

    told = f"K has shape {shape}, and the batch (2,): give parameters={{'K': {own}}} if each row has its own, or "
    with pytest.raises(ch.ShapeError, match=re.escape(told + f"parameters={{'K': {shape}}} if it is the same for all")):
        mass.rollout(np.zeros((2, 2)), np.zeros(2), pull, dt=DT, steps=5, K=np.ones(shape))
    for q in (np.zeros((1, 2)), np.zeros(2), np.zeros((3, 2))):
        assert mass.rollout(q, np.zeros(2), pull, dt=DT, steps=5, K=np.ones(shape)).finite_steps is not None


@pytest.mark.parametrize("every", [1, 5])
@pytest.mark.parametrize("method", ["rk4", "semi_implicit", "euler"])
def test_a_row_that_ends_disturbs_no_other(method, every, rng):
    """In every lane of a vector: the others are the same bits as without it, it is nan from its step on."""
    speeds = rng.uniform(0.01, 0.3, (19, 1))
    options = {"dt": DT, "steps": 120, "every": every, "method": method}
    without = slider().rollout(np.ones((19, 1)), speeds, cubic, **options)
    assert (without.finite_steps == 120).all()
    for bad in (0, 3, 7, 8, 18):
        fast = speeds.copy()
        fast[bad] = 1.0
        motion = quietly(slider().rollout, np.ones((19, 1)), fast, cubic, **options)
        others = np.arange(19) != bad
        for part in ("q", "qd", "tau"):
            assert (getattr(motion, part)[others] == getattr(without, part)[others]).all()
        last = motion.finite_steps[bad]
        assert (motion.finite_steps[others] == 120).all() and 40 <= last < 120
        good = np.isfinite(motion.q[bad, :, 0])
        assert (good == (motion.t <= (last + HALF) * DT)).all()
        assert (np.isfinite(motion.qd[bad, :, 0]) == good).all() and np.isnan(motion.tau[bad, ~good]).all()
        alone = quietly(slider().rollout, [1.0], [1.0], cubic, **options)
        assert alone.finite_steps == last and np.array_equal(alone.q, motion.q[bad], equal_nan=True)


def test_the_step_that_is_reported(rng):
    """A force that is nan in one step: the state at its beginning is the last."""
    tau = np.zeros((3, 70, 1))
    tau[1, 40] = np.nan
    tau[2, 69] = np.inf
    with pytest.warns(RuntimeWarning) as caught:
        motion = slider().rollout(np.zeros((3, 1)), [1.0], tau, dt=DT)
    assert motion.finite_steps.tolist() == [70, 40, 69] and motion.finite_steps.dtype == np.int64
    assert np.isfinite(motion.q[1, :41]).all() and np.isnan(motion.q[1, 41:]).all() and np.isnan(motion.q[2, 70]).all()
    said = str(caught[0].message)
    assert "row 1 of the batch is no longer finite after 40 of 70 steps, at t = 0.4: it is nan from there on" in said
    assert "and so are 1 other rows" in said and caught[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="rollout: the motion is no longer finite after 0 of 3 steps"):
        slider().rollout([0.0], [1.0], [np.nan], dt=DT, steps=3)


def test_an_infinite_row_ends_too():
    """A velocity that overflows without ever being nan."""
    motion = quietly(slider().rollout, [0.0], [1e308], [1e308], dt=1.0, steps=5, method="euler")
    assert motion.finite_steps < 5 and np.isnan(motion.q[-1]).all() and np.isfinite(motion.q[motion.finite_steps]).all()


def test_a_constraint_that_ends():
    """Beyond the edge of a curve its rows are nan; the row beside it goes on."""
    edge = ch.Constraint.holonomic(lambda q: q[1] - np.sqrt(1.0 - q[0]) / 4, "edge")
    mass = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2)
    system = ch.ConstrainedSystem(mass, edge, start=[0.0, 0.25])
    start = system.consistent([[0.0, 0.25], [0.0, 0.25]], [[1.0, 0.0], [-0.1, 0.0]])
    motion = quietly(system.rollout, *start, dt=DT, steps=200)
    alone = system.rollout(start[0][1], start[1][1], dt=DT, steps=200)
    assert 50 < motion.finite_steps[0] < 150 and motion.finite_steps[1] == 200 and (motion.q[1] == alone.q).all()


def crossing():
    """A parallelogram that moves freely, and states on their way to where it is flat and away from there."""
    loop = parallelogram(2)
    system = ch.ConstrainedSystem(loop.system.with_gravity([0.0, 0.0, 0.0]), loop.constraint)
    q, qd = np.array([0.03, -0.03, 0.03 + np.pi]), np.array([3.0, -3.0, 3.0])
    return system, np.stack([q, q]), np.stack([-qd, qd])


def test_a_row_ends_where_the_rank_of_constraints_falls():
    """Where branches of the motion cross, a kernel does not know which one it is on."""
    system, q, qd = crossing()
    with pytest.warns(RuntimeWarning, match="row 0 of the batch is no longer finite after 0 of 10 steps"):
        motion = system.rollout(q, qd, dt=DT, steps=10)
    assert motion.finite_steps.tolist() == [0, 10] and np.isnan(motion.q[0, 1:]).all()
    assert close(motion.q[1, -1], q[1] + 0.1 * qd[1], 1e-10)
    mass = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2)
    axes = ch.ConstrainedSystem(mass, ch.Constraint.holonomic(lambda q: q[0] * q[1], "axes"), start=[-0.5, 0.0])
    with pytest.warns(RuntimeWarning, match="the motion is no longer finite after 49 of 100 steps"):
        motion = axes.rollout([-0.5, 0.0], [1.0, 0.0], dt=DT, steps=100)
    assert close(motion.q[:50, 0], -0.5 + motion.t[:50]) and np.isnan(motion.q[50:]).all()


def test_gradients_beside_a_row_that_ends():
    system, q, qd = crossing()
    roll = ch.Rollout(system, steps=10, final_cost=lambda q, qd: q @ q + qd @ qd)
    cost, by = quietly(roll.gradient, q, qd, by=["q", "qd"], dt=DT)
    alone, by_alone = roll.gradient(q[1], qd[1], by=["q", "qd"], dt=DT)
    assert np.isnan(cost[0]) and cost[1] == alone
    for name, x in by.items():
        assert np.isnan(x[0]).all() and (x[1] == by_alone[name]).all() and np.isfinite(x[1]).all()


def slow_at_the_end(q, qd):
    """Least, as it seems, where the motion has ended: 0 of an infinite velocity."""
    return np.exp(-qd @ qd)


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_a_row_that_ends_has_no_cost(method):
    """Not that of an infinite velocity; others have theirs, as bits."""
    roll = ch.Rollout(slider(), cubic, steps=60, method=method, final_cost=slow_at_the_end)
    q, qd = np.zeros((3, 1)), np.array([[0.1], [3.0], [0.2]])
    told = "the cost of row 1 of the batch is nan: its motion does not stay finite"
    with pytest.warns(RuntimeWarning, match=told) as caught:
        cost = roll.cost(q, qd, dt=DT)
    assert caught[0].filename == __file__
    with pytest.warns(RuntimeWarning, match=told):
        again, by = roll.gradient(q, qd, by=["q", "qd"], dt=DT)
    assert (
        np.isnan(cost[1]) and np.array_equal(again, cost, equal_nan=True) and all(np.isnan(x[1]) for x in by.values())
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = roll.cost(q[::2], qd[::2], dt=DT)
        _, by_alone = roll.gradient(q[::2], qd[::2], by="qd", dt=DT)
    assert (cost[::2] == alone).all() and (by["qd"][::2] == by_alone["qd"]).all() and np.isfinite(alone).all()
    with pytest.warns(RuntimeWarning, match="the cost of the motion is nan"):
        roll.cost([0.0], [3.0], dt=DT)


def arm():
    return ch.load("planar_2r")


OVER = np.zeros((4, 3, 2))
WRONG = {
    "steps must be a positive integer, got 0": {"steps": 0},
    "steps must be given": {"steps": None},
    "dt must be a positive number of seconds, got 0": {"dt": 0.0},
    "dt must be a positive number of seconds, got -1": {"dt": -1.0},
    "t0 = 1e+300 is too large": {"t0": 1e300},
    "every must be a positive integer, got -2": {"every": -2},
    "method must be one of": {"method": "rk5"},
    "project must be True or False": {"project": 1},
    "rollout: q0 must have shape (..., 2), got (3,)": {"q0": np.zeros(3)},
    "rollout: qd0 has a nan or an infinity, at (1,)": {"qd0": [[0.0, 0.0], [np.inf, 0.0]]},
    "the leading axes do not broadcast: q0 (2,), qd0 (3,)": {"q0": np.zeros((2, 2)), "qd0": np.zeros((3, 2))},
    "rollout: tau must have shape (..., 2), got (3,)": {"tau_or_law": np.zeros(3)},
    "tau_or_law must have shape (..., steps, 2), one a step, where steps= is not given": {
        "tau_or_law": np.zeros(2),
        "steps": None,
    },
    "tau_or_law has more axes than q0 and qd0, so that it must have shape (..., 5, 2)": {"tau_or_law": OVER},
    "no parameter 'K': there is no law to take it": {"K": 1.0},
    "parameters must have names of their own, got 'q': that name is taken": {"parameters": {"q": 2}},
    "parameters: 'K' must have a shape of positive integers, got (0,)": {"parameters": {"K": (0,)}},
    "keep fewer by every=": {"steps": 10**9},
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_refused(message):
    given = {"q0": np.zeros(2), "qd0": np.zeros(2), "dt": DT, "steps": 5, **WRONG[message]}
    with pytest.raises(ch.ChaslesError) as error:
        arm().rollout(**given)
    assert message in str(error.value)


def test_a_symbol_with_the_name_of_an_argument():
    robot = pendulum(payload=ch.symbols("dt"))
    with pytest.raises(ch.ModelError, match="symbol 'dt' of robot 'robot' has the name of an argument"):
        robot.rollout([0.0], [0.0], dt=DT, steps=2, g=9.81)
    assert robot.with_values(dt=1.0).rollout([0.0], [0.0], dt=DT, steps=2, g=9.81).finite_steps == 2


def test_values_that_are_refused():
    robot, start = pendulum(), ([0.0], [0.0])
    for values, message in (
        ({"g": 9.81}, "rollout: give payload=..."),
        ({"g": 9.81, "payload": 1.0, "mass": 2.0}, "no parameter 'mass'"),
        ({"g": 9.81, "payload": -3.0}, "payload"),
        ({"g": 9.81, "payload": np.zeros((2, 3)), "q0": np.zeros((4, 1))}, "do not broadcast"),
    ):
        given = {"q0": start[0], "qd0": start[1], **values}
        with pytest.raises(ch.ChaslesError, match=message):
            robot.rollout(dt=DT, steps=2, **given)
    with pytest.raises(ch.ModelError, match="system must be a Robot, LagrangianSystem or ConstrainedSystem, got int"):
        ch.rollout(3, [0.0], [0.0], dt=DT, steps=2)
    off = ch.ConstrainedSystem(
        ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2), ch.Constraint.holonomic(lambda q: q @ q - 1.0, "rod")
    )
    with pytest.raises(ch.ModelError, match="rod"):
        off.rollout([0.5, 0.0], [0.0, 0.0], dt=DT, steps=2)


def test_friction_a_row(rng):
    """Damping and dry friction as symbols: rows with more of it are slower."""
    viscous, dry = ch.symbols("viscous dry")
    link = ch.Link(1.0, [0.5, 0.0, 0.0], [0.1, 0.1, 0.1])
    robot = ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [link], damping=[viscous], friction=[dry],
                                 gravity=np.zeros(3)).with_friction()  # fmt: skip
    motion = robot.rollout([0.0], [1.0], dt=DT, steps=50, viscous=[0.0, 0.5, 0.0], dry=[0.0, 0.0, 0.2])
    assert (motion.qd[0] == 1.0).all() and (motion.qd[1:, -1] < 0.9).all()
    alone = robot.with_values(viscous=0.5, dry=0.0).rollout([0.0], [1.0], dt=DT, steps=50)
    assert close(motion.qd[1], alone.qd, 1e-13)
