"""Lifts of paths and the drift over loops: order, brackets, robots that drift and robots that do not."""

from typing import Any

import numpy as np
import pytest
from support.redundant import BENT, at, balanced_3r, floating, gantry, load, mimicking
from support.tolerances import close

import chasles as ch
from chasles.model.task import TOOL
from chasles.paths.lie import exp
from chasles.task.holonomy import holonomy

PANDA = ch.load("panda")
E = np.eye(6)


def circle(T0: np.ndarray, radius: float = 0.05) -> Any:
    def loop(t: Any) -> np.ndarray:
        angle = 2.0 * np.pi * np.asarray(t, dtype=float)
        T = np.broadcast_to(T0, (*angle.shape, 4, 4)).copy()
        T[..., 0, 3] += radius * (np.cos(angle) - 1.0)
        T[..., 1, 3] += radius * np.sin(angle)
        turn = np.zeros((*angle.shape, 6))
        turn[..., 0], turn[..., 1] = 0.2 * np.sin(angle), 0.2 * (1.0 - np.cos(angle))
        return T @ exp(turn)

    return loop


def square(T0: np.ndarray, side: float = 0.05) -> np.ndarray:
    corners = [(0, 0), (side, 0), (side, side), (0, side), (0, 0)]
    return np.stack([at(x, y) @ T0 for x, y in corners])


def small_loop(T0: np.ndarray, X: np.ndarray, Y: np.ndarray, s: float) -> np.ndarray:
    poses = [T0]
    for V in (X, Y, -X, -Y):
        poses.append(poses[-1] @ exp(s * V))
    return np.stack([*poses, T0])


@pytest.mark.parametrize(
    "inverse", ["inertia", "moore-penrose", np.diag(np.arange(1.0, 8.0))], ids=["inertia", "moore-penrose", "weight"]
)
def test_a_small_loop_is_its_bracket(inverse: Any) -> None:
    """[RED-11a] [RED-11b] s^2 V(X, Y), the side along X first: its size and its sign."""
    rng = np.random.default_rng(0)
    T0, V = PANDA.forward_kinematics(BENT), PANDA.vertical_brackets(BENT, inverse)
    for X, Y in ((E[0], E[4]), (E[3], E[4]), rng.normal(size=(2, 6))):
        expected = np.einsum("aij,i,j->a", V, X, Y)
        for s, error in ((2e-3, 0.05), (2e-4, 0.005)):
            found = PANDA.holonomy(small_loop(T0, X, Y, s), inverse, BENT, steps=40)
            assert close(found.drift / s**2, expected, error)


def test_order_four() -> None:
    loop = circle(PANDA.forward_kinematics(BENT))
    runs = [PANDA.holonomy(loop, "inertia", BENT, steps=steps) for steps in (16, 32, 64, 512)]
    errors = [np.abs(run.drift - runs[-1].drift).max() for run in runs[:-1]]
    assert errors[0] > errors[1] > errors[2] and errors[0] / errors[2] > 16.0**2 * 0.8
    assert all(error < run.error < 1e3 * error for run, error in zip(runs, errors, strict=False))  # what it says
    assert runs[-1].residual < 1e-12 and runs[-1].error < 1e-9 and runs[-1].size > 1e-2


@pytest.mark.slow
def test_loops_of_a_panda() -> None:
    """Ten loops: the drift of each, and the picture."""
    loop = circle(PANDA.forward_kinematics(BENT))
    found = PANDA.holonomy(loop, "moore-penrose", BENT, loops=10, steps=64)
    assert found.per_loop.shape == (10, 7) and found.q.shape == (641, 7) and found.t[-1] == 10.0
    assert close(found.per_loop.sum(axis=0), found.drift, 1e-12)
    assert found.size == np.abs(found.drift).max() > 1e-2
    assert close(found.per_loop[0], PANDA.holonomy(loop, "moore-penrose", BENT, steps=64).drift, 1e-12)
    assert close(PANDA.forward_kinematics(found.q[-1]), PANDA.forward_kinematics(BENT), 1e-9)
    assert "after 10 loops" in found.describe()
    figure = found.plot()
    assert [len(axes.lines) for axes in figure.axes] == [7, 7]
    vertical = PANDA.vertical_space(BENT)[:, 0]
    step = found.per_loop[0]
    assert abs(step @ vertical) / np.linalg.norm(step) / np.linalg.norm(vertical) > 0.8  # mostly along the fibre


@pytest.mark.slow
def test_ways_to_give_a_loop() -> None:
    """A function of times, of one time, an array of many poses: the same lift."""
    loop = circle(PANDA.forward_kinematics(BENT))
    drift = PANDA.holonomy(loop, "inertia", BENT, steps=64).drift
    assert close(PANDA.holonomy(lambda t: loop(float(t)), "inertia", BENT, steps=64).drift, drift, 1e-12)
    many = loop(np.linspace(0.0, 1.0, 401))
    assert close(PANDA.holonomy(many, "inertia", BENT).drift, drift, 1e-4)
    assert close(PANDA.holonomy(many, PANDA.mass_matrix, BENT).drift, drift, 1e-4)
    given = PANDA.holonomy(loop, lambda q: PANDA.consistent_inverse(q, expressed="mixed"), BENT, steps=64)
    assert close(given.drift, drift, 1e-8)
    starts = np.stack([BENT, PANDA.lift_path(loop, BENT, "moore-penrose").q[-1]])
    batch = PANDA.holonomy(loop, "inertia", starts, steps=64)
    assert batch.drift.shape == (2, 7) and batch.residual.shape == (2,)
    assert close(batch.drift[0], drift, 1e-10)
    assert close(batch.drift[1], PANDA.holonomy(loop, "inertia", starts[1], steps=64).drift, 1e-8)


def test_backwards_is_back() -> None:
    loop = circle(PANDA.forward_kinematics(BENT))
    there = PANDA.holonomy(loop, "inertia", BENT)
    back = PANDA.holonomy(lambda t: loop(1.0 - np.asarray(t)), "inertia", there.q[-1])
    assert close(back.drift, -there.drift, 1e-7)


def test_a_lifted_path() -> None:
    """Over a path that does not close: the frame follows, and the velocity is horizontal."""
    T0 = PANDA.forward_kinematics(BENT)
    path = np.stack([T0, T0 @ exp(0.1 * E[1] + 0.05 * E[3])])
    found = PANDA.lift_path(path, BENT)
    assert found.residual < 1e-12 and found.error < 1e-9
    assert close(PANDA.forward_kinematics(found.q[-1]), path[1], 1e-10)
    middle = len(found.t) // 2
    step = (found.q[middle + 1] - found.q[middle - 1]) / (found.t[middle + 1] - found.t[middle - 1])
    N = PANDA.null_space_projector(found.q[middle])
    assert close(N @ step, np.zeros(7), 1e-4, scale=float(np.abs(step).max()))
    assert close(PANDA.jacobian(found.q[middle]) @ step, 0.1 * E[1] + 0.05 * E[3], 1e-4)


def test_paths_of_the_library() -> None:
    from chasles import paths

    T0 = PANDA.forward_kinematics(BENT)
    end = T0 @ exp(0.1 * E[1] + 0.05 * E[3])
    found = PANDA.lift_path(paths.screw(T0, end, duration=3.0), BENT)
    assert close(found.q[-1], PANDA.lift_path(np.stack([T0, end]), BENT).q[-1], 1e-7)


def test_a_flat_chain_drifts() -> None:
    """[RED-12] a square of 5 cm on a balanced planar 3R, which is flat: Corollary III.2 is false."""
    robot, q = balanced_3r(), np.array([0.3, 1.4, 0.9])
    assert robot.flatness().is_flat
    loop = square(robot.forward_kinematics(q))
    chosen: Any = {"rows": "tx ty"}
    for inverse in ("inertia", "moore-penrose"):
        found = robot.holonomy(loop, inverse, q, **chosen)
        assert 5e-4 < found.size < 0.1 and found.error < 1e-10
        V = robot.vertical_brackets(q, inverse, rows="tx ty", expressed="mixed")[:, 0, 1]
        assert close(found.drift, 0.05**2 * V, 0.2)


@pytest.mark.slow
def test_robots_that_do_not_drift() -> None:
    """Where brackets vanish: a gantry, a flywheel that is held, a robot that is not redundant."""
    slide = gantry(1.0, 0.5, 0.7)
    assert slide.holonomy(square(np.eye(4)), "inertia", np.zeros(3), rows="tx ty").size < 1e-13
    flywheel, q = load("flywheel7"), np.full(7, 0.1)
    loop = circle(flywheel.forward_kinematics(q))
    assert flywheel.holonomy(loop, "moore-penrose", q).size < 1e-8
    assert flywheel.holonomy(loop, "inertia", q).size > 1e-3  # it turns the flywheel
    arm = ch.load("ur5")
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.9, 0.7])
    assert arm.holonomy(circle(arm.forward_kinematics(q)), "inertia", q).size < 1e-7


def test_the_flywheel_counts_the_area() -> None:
    """Its angle is minus the turn of the tool about its axis, summed: over a cone, the area on the sphere."""
    flywheel, q = load("flywheel7"), np.full(7, 0.1)
    T0 = flywheel.forward_kinematics(q)
    found = flywheel.holonomy(small_loop(T0, E[0], E[1], 1e-3), "inertia", q)
    assert close(found.drift[6] / 1e-6, 2.0 / np.sqrt(6.0), 0.01)


def test_on_a_group() -> None:
    """A free base moves as its arm does: a cat. Order 4 on the group too."""
    robot = floating()
    q = robot.integrate(robot.neutral(), np.r_[0.1, -0.2, 0.3, 0.1, 0.2, 0.3, 0.5, 0.7])
    T0 = robot.forward_kinematics(q)
    runs = [robot.holonomy(circle(T0, 0.3), "inertia", q, steps=steps) for steps in (16, 32, 512)]
    errors = [np.abs(run.drift - runs[-1].drift).max() for run in runs[:-1]]
    assert runs[-1].size > 1e-3 and errors[0] / errors[1] > 10.0 and runs[-1].residual < 1e-12
    V = robot.vertical_brackets(q)
    found = robot.holonomy(small_loop(T0, E[1], E[5], 2e-3), "inertia", q, steps=40)
    assert close(found.drift / 4e-6, V[:, 1, 5], 0.05)


def test_with_mimics() -> None:
    robot = mimicking()
    q = np.array([0.3, 0.4, -0.5])
    loop = circle(robot.forward_kinematics(q))
    found = robot.holonomy(loop, "inertia", q, rows="tx ty")
    assert found.residual < 1e-10 and found.error < 1e-6 and found.size > 1e-5


def test_a_path_out_of_reach() -> None:
    """nan, and the residual says why."""
    loop = circle(PANDA.forward_kinematics(BENT), 2.0)
    with np.errstate(all="ignore"):
        found = PANDA.holonomy(loop, "inertia", BENT, steps=32)
    assert np.isnan(found.drift).all() and found.residual > 1e-3
    assert "does not keep to its path" in found.describe()


def test_starts_that_are_found() -> None:
    loop = circle(PANDA.forward_kinematics(BENT))
    found = PANDA.holonomy(loop, steps=64)
    assert np.isfinite(found.drift).all() and found.residual < 1e-9
    far = np.stack([at(5.0), at(5.0, 0.1), at(5.0)])
    with pytest.raises(ch.ModelError, match="holonomy: no q0 found"):
        PANDA.holonomy(far)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loop": lambda T: np.stack([T, T @ exp(0.1 * E[3])])}, "loop does not close: its end is 0.0788"),
        ({"loop": lambda T: T}, r"loop must be a function of t or poses \(K, 4, 4\)"),
        ({"loop": lambda T: np.zeros((3, 4, 4))}, "loop is not a rigid motion"),
        ({"loop": lambda T: 3}, "loop must"),
        ({"loop": lambda T: lambda t: np.eye(3)}, "loop must"),
        ({"q0": BENT + 0.1}, "q0 is not on the path: the frame is"),
        ({"q0": BENT[:6]}, r"q0 must have shape \(..., 7\), got \(6,\)"),
        ({"q0": "a"}, "q0 must be real numbers"),
        ({"inverse": "jacobi"}, "inverse must be one of inertia, moore-penrose"),
        ({"loops": 0}, "loops must be a positive integer, got 0"),
        ({"steps": 1}, "steps must be an integer above 1, got 1"),
        ({"steps": True}, "steps must be"),
        ({"frame": ["tool", "panda_link6"]}, "frame must be one frame"),
        ({"q0": None, "rows": "tx"}, "q0 must be given"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    T0 = PANDA.forward_kinematics(BENT)
    options = dict(options)
    loop = options.pop("loop", circle)(T0)
    given = {"inverse": "inertia", "q0": BENT, **options}
    with pytest.raises(ch.ChaslesError, match=message):
        PANDA.holonomy(loop, **given)


def test_the_function_itself() -> None:
    loop = circle(PANDA.forward_kinematics(BENT))
    found = holonomy(PANDA, loop, "inertia", BENT, TOOL, steps=32)
    assert found.inverse == "inertia" and found.names == PANDA.joint_names
