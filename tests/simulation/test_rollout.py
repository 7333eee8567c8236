"""Rollouts: the same motions as step by step in Python, in batches of any size, on any number of threads."""

import gc
import weakref
from importlib import import_module

import numpy as np
import pytest
from support.loops import at, disk, four_bar, four_bar_angles, particle, pinned
from support.sweeps import sweep
from support.tolerances import EXACT, close

import chasles as ch
from chasles import integrators
from chasles.integrators.equations import equations

DT = 0.01
ARM = ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0])  # with the kernels of all tests


def stepped(system, law, q, v, steps, method, t0=0.0):
    """(steps + 1, nq) and (steps + 1, n) by the method's steps on numbers, of one row."""
    scheme, law = integrators.find(method), equations(system, law)
    state = scheme.begin(law, t0, np.array(q, float), np.array(v, float))
    path = [scheme.end(law, t0, state)]
    for k in range(steps):
        state = scheme.step(law, t0 + k * DT, state, DT)
        path.append(scheme.end(law, t0 + (k + 1) * DT, state))
    return [np.array(x) for x in zip(*path, strict=True)]


def driven():
    """A particle whose equations depend on time."""
    return ch.LagrangianSystem(
        2, lambda q, qd, t: (1.0 + t) * (qd @ qd) / 2 - q @ q, forces=lambda q, qd, t: np.stack([np.sin(t), qd[0]])
    )


def closed_loop():
    robot = four_bar()
    return ch.ConstrainedSystem(robot, pinned(robot))


def ball():
    """A link on a ball joint that carries another: n = 4, nq = 5."""
    screws, homes = [np.zeros(6), ch.screw([0, 1, 0], point=[0.0, 0.0, 0.5])], [np.eye(4), at(0.0, 0.0, 0.5)]
    links = [ch.Link(1.0, (0.1, 0.0, 0.3), (0.1, 0.12, 0.05)), ch.Link(0.5, (0.0, 0.1, 0.2), (0.05, 0.04, 0.03))]
    return ch.Robot.from_screws(screws, homes, links, kinds=["spherical", "screw"], gravity=[0.0, 0.0, -9.81])


def start(system, rng):
    if isinstance(system, ch.ConstrainedSystem) and system.n == 3:
        return system.consistent(four_bar_angles(np.array(0.7)), [1.0, -0.5, 0.2])
    if isinstance(system, ch.ConstrainedSystem):
        return system.consistent(rng.normal(size=4), rng.normal(size=4))
    return system.random(rng), rng.normal(size=system.n)


def spring(t, q, qd):
    return np.cos(3.0 * t) - 0.3 * qd


SYSTEMS = {
    "robot": lambda: ARM,
    "ball": ball,
    "lagrangian": particle,
    "in time": driven,
    "four-bar": closed_loop,
    "disk": disk,
}


CASES = [(x, y) for x in SYSTEMS for y in integrators.names() if x in ("robot", "ball") or "variational" not in y]
FEW = [("robot", "variational4"), ("ball", "rk4"), ("lagrangian", "euler"), ("in time", "heun"), ("in time", "rk4")]
FEW += [("four-bar", "rk4"), ("four-bar", "semi_implicit"), ("disk", "dormand_prince"), ("disk", "semi_implicit")]


@pytest.mark.parametrize("case", sweep(CASES, FEW), ids="-".join)
def test_it_is_the_motion_of_the_steps(case, rng):
    """Every method on every kind of system, under a law of time and state: to rounding, the forces too."""
    name, method = case
    system = SYSTEMS[name]()
    q, v = start(system, rng)
    path, velocities = stepped(system, spring, q, v, 6, method, t0=0.5)
    motion = system.rollout(q, v, spring, dt=DT, steps=6, method=method, t0=0.5)
    assert close(motion.t, 0.5 + np.arange(7) * DT) and motion.finite_steps == 6
    assert close(motion.q, path, 1e-11) and close(motion.qd, velocities, 1e-11)
    assert close(motion.tau, spring(motion.t[:, None], motion.q, motion.qd), 1e-13)


@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_it_is_what_simulate_computes(method, rng):
    q, v = rng.normal(size=(2, 3, 2))
    own = ARM.rollout(q, v, spring, dt=DT, steps=70, method=method, every=3)  # 24 states: more than one a third
    other = ch.simulate(ARM, q, v, spring, duration=0.7, dt=DT, method=method, every=3)
    assert (own.t == other.t).all() and own.q.shape == other.q.shape == (3, 25, 2)
    for part in ("q", "qd", "tau"):
        assert close(getattr(own, part), getattr(other, part), 1e-12)


@pytest.mark.parametrize("steps", [1, 8, 31, 32, 33, 64, 65, 77, 100])
def test_any_number_of_steps(steps, rng):
    """Chunks are no seams: the motion is the beginning of a longer one, to the last bit."""
    q, v = rng.normal(size=(2, 2))
    whole = ARM.rollout(q, v, spring, dt=DT, steps=101)
    part = ARM.rollout(q, v, spring, dt=DT, steps=steps)
    for name in ("t", "q", "qd", "tau"):
        assert (getattr(part, name) == getattr(whole, name)[: steps + 1]).all()
    few = ARM.rollout(q, v, spring, dt=DT, steps=steps, every=7)
    kept = [*range(0, steps, 7), steps]
    assert close(few.t, whole.t[kept]) and close(few.q, whole.q[kept], 1e-13) and close(few.tau, whole.tau[kept], 1e-12)


def test_a_number_of_steps_that_is_known(rng):
    """Kernels of these steps alone: the same states, in pieces of 32, of what is left, and of a part."""
    q, v = rng.normal(size=(2, 2))
    whole = ARM.rollout(q, v, spring, dt=DT, steps=75)
    kept = [*range(0, 75, 2), 75]
    known = ch.Rollout(ARM, spring, steps=75, every=2)(q, v, dt=DT)
    assert close(known.q, whole.q[kept], 1e-13) and close(known.t, whole.t[kept]) and known.finite_steps == 75


def test_a_method_that_keeps_more_than_the_state_goes_on_over_chunks(rng):
    q, v = rng.normal(size=(2, 2))
    path, _ = stepped(ARM, lambda t, q, v: np.zeros(2), q, v, 70, "variational")
    assert close(ARM.rollout(q, v, dt=DT, steps=70, method="variational").q, path, 1e-11)


@pytest.mark.parametrize("name", ["robot", "ball", "four-bar"])
def test_same_bits_in_any_batch_and_on_any_number_of_threads(name, rng):
    system = SYSTEMS[name]()
    states = [start(system, rng) for _ in range(3)]
    q, v = (np.array([x] * 70).reshape(-1, len(x[0])) for x in zip(*states, strict=True))
    before = ch.get_num_threads()
    try:
        found = []
        for threads in (1, 2, 3):
            ch.set_num_threads(threads)
            found.append(system.rollout(q, v, spring, dt=DT, steps=20))
    finally:
        ch.set_num_threads(before)
    alone = system.rollout(q[1], v[1], spring, dt=DT, steps=20)
    for part in ("q", "qd", "tau"):
        one, *others = (getattr(motion, part) for motion in found)
        assert all((one == x).all() for x in others)
        assert (one.reshape(70, 3, *one.shape[1:])[:, 1] == getattr(alone, part)).all()


def test_joint_forces_that_are_held(rng):
    q, v, held = rng.normal(size=(3, 3, 2))
    motion = ARM.rollout(q, v, held, dt=DT, steps=40)
    assert close(motion.q[0], stepped(ARM, lambda *_: held[0], q[0], v[0], 40, "rk4")[0], 1e-12)
    assert (motion.tau == held[:, None]).all()


def test_joint_forces_one_a_step(rng):
    """Each acts in its own step, over chunks and with every= too; they broadcast with the states."""
    q, v = rng.normal(size=(2, 3, 2))
    each = rng.normal(size=(40, 2))
    motion = ARM.rollout(q, v, each, dt=DT)
    for k in (0, 1, 31, 32, 39):
        after = stepped(ARM, lambda *_, k=k: each[k], motion.q[1, k], motion.qd[1, k], 1, "rk4")
        assert close(motion.q[1, k + 1], after[0][1], 1e-13)
    kept = [*range(0, 40, 3), 40]
    few = ARM.rollout(q, v, np.stack([each] * 3), dt=DT, steps=40, every=3)
    assert close(few.q, motion.q[:, kept], 1e-13) and (few.tau[1] == each[np.minimum(kept, 39)]).all()


def test_joint_forces_beside_a_law(rng):
    q, v = rng.normal(size=(2, 3, 2))
    each, rollout = rng.normal(size=(40, 2)), ch.Rollout(ARM, spring, steps=40)
    both = rollout(q, v, each, dt=DT)
    law = np.array([spring(t, x, y) for t, x, y in zip(both.t, both.q[0], both.qd[0], strict=True)])
    assert close(both.tau[0], law + each[[*range(40), 39]], 1e-12)
    assert close(rollout(q, v, 0.0 * each, dt=DT).q, ARM.rollout(q, v, spring, dt=DT, steps=40).q, EXACT)


def test_another_call_compiles_nothing(monkeypatch, rng):
    """Whatever the numbers of rows and steps; another law, method, `every` or shape does."""
    module = import_module("chasles.simulation.rollout_kernels")
    made, make = [], module.compile
    monkeypatch.setattr(module, "compile", lambda f, **shapes: made.append(f.__name__) or make(f, **shapes))
    robot = ch.load("planar_2r").with_payload("tool", 0.25)

    class Law:
        def forces(self, t, q, qd, K):
            return -K * q

    law = Law()
    for steps, rows in ((33, ()), (65, (3,)), (1, (2, 2))):
        robot.rollout(rng.normal(size=(*rows, 2)), np.zeros(2), law.forces, dt=DT, steps=steps, K=2.0)
        robot.rollout(rng.normal(size=(*rows, 2)), np.zeros(2), dt=0.5 * DT, steps=steps)
        if steps == 33:
            assert made.count("advance") == 4 and made.count("end") == 1  # of 32 steps, and of what is left
            made.clear()
    assert not made
    for other in ({"K": np.ones(2)}, {"every": 2}, {"method": "euler"}, {"tau_or_law": Law().forces}):
        robot.rollout(
            **{"q0": [0, 0], "qd0": [0, 0], "tau_or_law": law.forces, "dt": DT, "steps": 2, "K": 2.0, **other}
        )
        assert made.count("advance") == 1
        made.clear()


def test_laws_and_systems_are_not_held():
    system = particle()

    class Law:
        def __call__(self, t, q, qd):
            return -q

    law = Law()
    assert system.rollout([1.0, 0.0], [0.0, 0.0], law, dt=DT, steps=2).q[-1, 0] < 1.0
    gone = weakref.ref(law), weakref.ref(system)
    del law, system
    gc.collect()
    assert [x() for x in gone] == [None, None]


def test_what_it_says_of_itself():
    motion = ARM.rollout(np.zeros((3, 2)), np.zeros(2), dt=DT, steps=5)
    assert "3 motions of 6 samples over 0.05 s" in repr(motion) and not motion.tau.any()


def test_a_final_cost_is_that_of_the_last_state(rng):
    rollout = ch.Rollout(ARM, steps=3, final_cost=lambda q, qd: q @ q)
    q = rng.normal(size=2)
    assert close(rollout.cost(q, np.zeros(2), dt=DT), np.sum(ARM.rollout(q, np.zeros(2), dt=DT, steps=3).q[-1] ** 2))
    assert repr(rollout) == f"<Rollout of {ARM.name!r}: 3 steps by rk4>" and rollout.parameters == {}
