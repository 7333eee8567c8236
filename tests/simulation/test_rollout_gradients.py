"""Gradients of rollouts: their work beside that of the rollout, and their values."""

import numpy as np
import pytest
from support.every_joint import tree
from support.random_trees import random_kinds
from support.sweeps import sweep
from support.tolerances import FINITE_DIFFERENCE, close

import chasles as ch
from chasles.backend.schedule import row_cost
from chasles.simulation.rollout_kernels import rollout_kernel

STEPS = 20


def kernel(robot, method, steps=STEPS, **more):
    return rollout_kernel(
        robot,
        lambda t, q, qd, gains: -gains * qd,
        steps=steps,
        method=method,
        torques=True,
        parameters={"gains": (robot.n,)},
        cost=lambda t, q, qd, tau: (qd**2).sum() + 1e-3 * (tau**2).sum(),
        final_cost=lambda q, qd: (q**2).sum(),
        **more,
    )


def with_symbols(robot):
    return robot.with_inertial_parameters(ch.symbols("p", shape=robot.inertial_parameters.shape))


WORK = [(method, symbols) for symbols in (False, True) for method in ("semi_implicit", "rk4")]


@pytest.mark.parametrize("case", sweep(WORK, [("semi_implicit", False), ("rk4", True)]), ids=str)
def test_work(case):
    """The rollout once, and back at most so many times as much: theory allows four, of plain reverse mode."""
    method, symbols = case
    most, of_call = (3.0, 2.1) if symbols else (2.7, 1.8)
    robot = with_symbols(ch.load("ur5")) if symbols else ch.load("ur5")
    made = kernel(robot, method, steps=100)
    by = ["q", "qd", "tau", "gains", *(["p"] if symbols else [])]
    gradient = made.gradient(by, value=True)
    assert isinstance(made.program, ch.Program) and isinstance(gradient.program, ch.Program)
    forward, back = gradient.program.loops
    assert row_cost(forward) == row_cost(made.program.loops[0])
    assert row_cost(gradient.program) < most * row_cost(made.program)
    stages = 4 if method == "rk4" else 1
    calls = [op for op, _ in back.step.nodes if op == "loop"]
    assert len(calls) == stages and len(back.step.loops) == 1  # compiled once
    assert back.step.loops[0].operations.total < of_call * forward.step.loops[0].operations.total


@pytest.mark.parametrize("robot", [ch.load("planar_2r"), ch.Robot(random_kinds(27))], ids=["screws", "a free joint"])
def test_work_of_a_rollout_made_once(robot):
    """`Rollout.gradient` goes through the steps once, and back; by q in tangent coordinates too."""
    roll = ch.Rollout(robot, steps=STEPS, final_cost=lambda q, qd: q @ q + qd @ qd)
    cost, gradient = roll._cost(True, None).program, roll._cost(True, ("q", "tau")).program
    assert isinstance(cost, ch.Program) and isinstance(gradient, ch.Program)
    assert len(gradient.loops) == 2 and row_cost(gradient) < 3.0 * row_cost(cost)


def test_the_code_does_not_grow_with_the_steps():
    robot = ch.load("planar_2r")
    short, long = (len(kernel(robot, "rk4", steps).gradient(["q", "tau"]).source) for steps in (50, 500))
    assert long < 1.01 * short


def robot_of(name):
    """A robot, and the values of its symbols."""
    planar = ch.load("planar_2r")
    if name == "symbols":
        return with_symbols(planar), {"p": planar.inertial_parameters}
    return {"planar_2r": planar, "free": tree(["free"])}.get(name) or ch.Robot(random_kinds(27)), {}


CASES = [("symbols", "semi_implicit"), ("free", "semi_implicit"), ("planar_2r", "semi_implicit"), ("symbols", "rk4")]


@pytest.mark.parametrize("case", sweep([*CASES, ("several kinds, friction", "rk4")], 2), ids="-".join)
def test_values(case, rng):
    (robot, values), method = robot_of(case[0]), case[1]
    made = kernel(robot, method)
    rows = 3
    q = np.stack([robot.random(rng) for _ in range(rows)])
    at = {"q": q, "qd": rng.normal(size=(rows, robot.n)), "dt": 1e-3, "t0": 0.0}
    at |= {"tau": rng.normal(size=(rows, STEPS, robot.n)), "gains": rng.uniform(0.1, 0.5, robot.n), **values}
    by = ["qd", "tau", "gains", "dt", *values]
    cost, *slopes = made.gradient(by, value=True)(**at)
    assert np.array_equal(cost, made(**at))
    way = {name: rng.normal(size=np.shape(at[name])) * (np.abs(at[name]) if name == "p" else 1.0) for name in by}
    way["dt"] *= 1e-3
    h = 1e-6
    ahead, behind = (made(**at | {name: at[name] + s * way[name] for name in by}) for s in (h, -h))
    along = sum((x * way[name]).reshape(rows, -1).sum(1) for name, x in zip(by, slopes, strict=True))
    assert close(along, (ahead - behind) / (2.0 * h), FINITE_DIFFERENCE)
