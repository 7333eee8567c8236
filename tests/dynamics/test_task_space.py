"""Operational space: Pinocchio, the laws it is defined by, singular configurations, wrong arguments."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from support.random_trees import pinocchio_model, random_kinds, random_mechanism
from support.redundant import BENT, floating, load, mimicking
from support.sweeps import sweep
from support.tolerances import EXACT, FLOAT64, close

import chasles as ch
from chasles.model.task import ALL, TOOL, task
from chasles.task import truncation


def state(robot: ch.Robot, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return robot.random(rng), rng.normal(size=robot.n), rng.normal(size=robot.n)


ROBOTS = {
    "panda": lambda: ch.load("panda"),
    "ur5": lambda: ch.load("ur5"),
    "scara": lambda: ch.load("scara"),
    "planar_3r": lambda: ch.load("planar_3r"),
    "mimics": mimicking,
    "free": floating,
    "groups": lambda: ch.Robot(random_kinds(3)),
    "tree": lambda: ch.Robot(random_mechanism(7)),
}


def robot_of(name: str) -> ch.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        return ROBOTS[name]()


def test_six_joints() -> None:
    """[TSK-1] as it is printed, for a square Jacobian."""
    robot = ch.load("ur5")
    q, qd, _ = state(robot, 3)
    J, M, b = robot.jacobian(q), robot.mass_matrix(q), robot.bias_forces(q, qd)
    Jd, inverse = robot.jacobian_derivative(q, qd), np.linalg.inv(J)
    lam = inverse.T @ M @ inverse
    scale = np.linalg.cond(J)
    assert close(robot.task_inertia(q), lam, FLOAT64 * scale)
    eta = inverse.T @ b - lam @ Jd @ inverse @ (J @ qd)
    assert close(robot.task_bias(q, qd), eta, FLOAT64 * scale, scale=float(np.abs(lam).max()))
    assert close(robot.task_gravity(q), inverse.T @ robot.gravity_forces(q), FLOAT64 * scale)
    assert close(robot.consistent_inverse(q), inverse, FLOAT64 * scale)
    assert close(robot.null_space_projector(q), np.zeros((6, 6)), FLOAT64 * scale, scale=1.0)


def test_acceleration_map() -> None:
    """[TSK-2] the joint forces of a motion of the tool; (9.95) of the source has J^-T b for b."""
    robot = ch.load("ur5")
    q, qd, qdd = state(robot, 3)
    J, Jd = robot.jacobian(q), robot.jacobian_derivative(q, qd)
    V, Vd = J @ qd, J @ qdd + Jd @ qd
    inverse = np.linalg.inv(J)
    again = inverse @ Vd - inverse @ Jd @ inverse @ V
    assert close(again, qdd, FLOAT64 * np.linalg.cond(J))
    b = robot.bias_forces(q, qd)
    tau = robot.mass_matrix(q) @ again + b
    assert close(tau, robot.inverse_dynamics(q, qd, qdd), FLOAT64 * np.linalg.cond(J))
    assert np.abs(tau - b + inverse.T @ b - robot.inverse_dynamics(q, qd, qdd)).max() > 1.0  # as printed
    force = robot.task_inertia(q) @ Vd + robot.task_bias(q, qd)
    assert close(J.T @ force, tau, FLOAT64 * np.linalg.cond(J) ** 2)


@pytest.mark.parametrize("name", sweep(ROBOTS, ["mimics"]))
def test_the_law(name: str) -> None:
    """tau = J^T F + N^T tau0 accelerates the task by Lam dV/dt + eta = F, for any tau0, any rows, any rank."""
    robot = robot_of(name)
    chosen = ((None, "body"), ("tx ty tz", "mixed"), ([3, 0], "space"))
    for seed, (rows, expressed) in enumerate(chosen):
        q, qd, tau0 = state(robot, seed)
        J = robot.task_jacobian(q, None, rows, expressed=expressed)
        full = robot.jacobian(q, expressed=expressed)
        assert close(J, full[list(task(None, rows)[0][1])], EXACT, scale=float(np.abs(full).max()))
        lam, eta = (
            robot.task_inertia(q, rows=rows, expressed=expressed),
            robot.task_bias(q, qd, rows=rows, expressed=expressed),
        )
        N = robot.null_space_projector(q, rows=rows, expressed=expressed)
        F = J @ np.random.default_rng(seed).normal(size=robot.n)  # a direction in which the task can move
        F = lam @ F
        tau = J.T @ F + N.T @ tau0
        qdd = robot.forward_dynamics(q, qd, tau)
        Vd = robot.acceleration(q, qd, qdd, expressed=expressed)[list(task(None, rows)[0][1])]
        size = float(np.linalg.norm(lam) * max(np.linalg.norm(Vd), 1.0) + np.linalg.norm(eta))
        assert close(lam @ Vd + eta, F, 1e-9, scale=size)
        assert close(J @ N, np.zeros_like(J), 1e-8, scale=float(np.abs(J).max()))
        assert close(N @ N, N, 1e-8, scale=1.0)
        free = robot.task_free_acceleration(q, qd, rows=rows, expressed=expressed)
        assert close(eta, -lam @ free, 1e-9, scale=size)


@pytest.mark.parametrize("name", sweep(ROBOTS, ["scara", "mimics", "groups"]))
def test_inverse_and_projector(name: str) -> None:
    """Jbar = M^-1 J^T Lam; what it lifts is M-orthogonal to what the task does not see."""
    robot = robot_of(name)
    q, qd, _ = state(robot, 5)
    J, M = robot.jacobian(q), robot.mass_matrix(q)
    lam, Jbar, N = robot.task_inertia(q), robot.consistent_inverse(q), robot.null_space_projector(q)
    size = float(np.abs(Jbar).max())
    assert close(M @ Jbar, J.T @ lam, 1e-8, scale=float(np.abs(M).max()) * size)
    assert close(N, np.eye(robot.n) - Jbar @ J, 1e-9, scale=max(1.0, size * float(np.abs(J).max())))
    assert close(Jbar.T @ M @ N, np.zeros((6, robot.n)), 1e-8, scale=float(np.abs(M).max()) * size)
    assert close(robot.task_mobility(q), J @ np.linalg.solve(M, J.T), 1e-9)
    assert close(robot.horizontal_lift(q, J @ qd), Jbar @ J @ qd, 1e-9, scale=size)


@pytest.mark.parametrize("seeds", sweep([(4, 16, 17), range(20)], 1), ids=["few", "all"])
def test_pinocchio(seeds: Sequence[int]) -> None:
    """Lam, eta and Jbar from Pinocchio's M and bias, on random trees."""
    checked = 0
    for seed in seeds:
        mech = random_mechanism(seed)
        robot, twin = ch.Robot(mech), pinocchio_model(mech)
        rng = np.random.default_rng(seed)
        q, qd = rng.uniform(-1.5, 1.5, (2, mech.n))
        if not mech.n:
            continue
        x, v = twin.into(list(q)), twin.into(list(qd))
        M = pin.crba(twin.model, twin.data, x)
        M = twin.both(np.triu(M) + np.triu(M, 1).T)
        b = twin.columns(pin.nonLinearEffects(twin.model, twin.data, x, v))
        J, Jd = robot.jacobian(q, "flange"), robot.jacobian_derivative(q, qd, "flange")
        rows = [k for k in rng.permutation(6)[: int(rng.integers(1, 4))]]
        J, Jd = J[rows], Jd[rows]
        A = J @ np.linalg.solve(M, J.T)
        if np.linalg.eigvalsh(A)[0] <= 1e-3 * np.trace(A) or np.linalg.cond(M) > 1e6:
            continue
        checked += 1
        lam = np.linalg.inv(A)
        assert close(robot.task_inertia(q, "flange", rows), lam, 1e-8)
        eta = lam @ (J @ np.linalg.solve(M, b) - Jd @ qd)
        size = float(np.abs(lam).max() * (np.abs(J @ np.linalg.solve(M, b)).max() + np.abs(Jd @ qd).max()))
        assert close(robot.task_bias(q, qd, "flange", rows), eta, 1e-8, scale=size)
        assert close(robot.consistent_inverse(q, "flange", rows), np.linalg.solve(M, J.T) @ lam, 1e-8)
    assert checked >= 3


def test_pinocchio_on_a_panda() -> None:
    """All of it from Pinocchio alone, its Jacobians too."""
    robot = ch.load("panda")
    twin = robot.to_pinocchio()
    model, data = twin.model, twin.model.createData()
    q, qd = BENT, np.random.default_rng(1).normal(size=7)
    x, v = twin.q(q), twin.v(qd)
    Minv = pin.computeMinverse(model, data, x)
    Minv = np.triu(Minv) + np.triu(Minv, 1).T
    frame = model.getFrameId("tool")
    J = pin.computeFrameJacobian(model, data, x, frame, pin.ReferenceFrame.LOCAL)
    pin.computeJointJacobiansTimeVariation(model, data, x, v)
    pin.updateFramePlacements(model, data)
    Jd = pin.getFrameJacobianTimeVariation(model, data, frame, pin.ReferenceFrame.LOCAL)
    J, Jd = twin.back_jacobian(J), twin.back_jacobian(Jd)
    b = twin.back_tau(pin.nonLinearEffects(model, data, x, v))
    Minv = np.linalg.inv(twin.back_matrix(np.linalg.inv(Minv)))
    lam = np.linalg.inv(J @ Minv @ J.T)
    assert close(robot.task_inertia(q), lam, 1e-8)
    assert close(robot.task_bias(q, qd), lam @ (J @ Minv @ b - Jd @ qd), 1e-8)
    assert close(robot.null_space_projector(q), np.eye(7) - Minv @ J.T @ lam @ J, 1e-8)


def test_gravity_is_a_part() -> None:
    robot = ch.load("panda")
    qd = np.random.default_rng(0).normal(size=7)
    whole, rest = robot.task_bias(BENT, qd), robot.task_bias(BENT, qd, gravity=False)
    assert close(whole - rest, robot.task_gravity(BENT), 1e-9, scale=float(np.abs(whole).max()))
    assert close(robot.task_bias(BENT, 0.0 * qd), robot.task_gravity(BENT), 1e-9)
    assert np.abs(robot.task_gravity(BENT)).max() > 1.0
    light = robot.with_gravity((0, 0, 0))
    assert close(light.task_bias(BENT, qd), rest, 1e-9)


@pytest.mark.slow
def test_stacked_tasks() -> None:
    robot = ch.load("panda")
    qd = np.random.default_rng(2).normal(size=7)
    J = np.concatenate([robot.jacobian(BENT, "panda_link6")[3:], robot.jacobian(BENT)[[2, 3]]])
    chosen: Any = ["panda_link6", "tool"], ["tx ty tz", ["rz", 3]]
    assert close(robot.task_jacobian(BENT, *chosen), J, EXACT)
    Jd = robot.task_jacobian_derivative(BENT, qd, *chosen)
    ahead, behind = (robot.task_jacobian(BENT + s * 1e-6 * qd, *chosen) for s in (1.0, -1.0))
    assert close(Jd, (ahead - behind) / 2e-6, 1e-6)
    lam = robot.task_inertia(BENT, *chosen)
    assert close(lam, np.linalg.inv(J @ np.linalg.solve(robot.mass_matrix(BENT), J.T)), 1e-8)
    assert robot.task_inertia(BENT, ["panda_link4", None]).shape == (12, 12)
    assert robot.task_jacobian(BENT, ["panda_link4", None], "tz").shape == (2, 7)
    order = robot.task_inertia(BENT, rows="tz rx")
    assert close(order, robot.task_inertia(BENT, rows="rx tz")[::-1, ::-1], FLOAT64)


@pytest.mark.parametrize("name", sweep(ROBOTS, ["mimics", "groups"]))
def test_a_batch_is_its_rows(name: str) -> None:
    robot = robot_of(name)
    rng = np.random.default_rng(4)
    q = np.stack([robot.random(rng) for _ in range(6)]).reshape(2, 3, -1)
    qd = rng.normal(size=(3, robot.n))
    for batch, one in (
        (robot.task_inertia(q), robot.task_inertia),
        (robot.task_gravity(q), robot.task_gravity),
        (robot.consistent_inverse(q), robot.consistent_inverse),
        (robot.null_space_projector(q), robot.null_space_projector),
    ):
        for at in np.ndindex(2, 3):
            single = one(q[at])
            assert close(batch[at], single, 1e-8, scale=float(np.abs(single).max()) + 1e-30)
    eta = robot.task_bias(q, qd)
    assert eta.shape == (2, 3, 6)
    single = robot.task_bias(q[1, 2], qd[2])
    assert close(eta[1, 2], single, 1e-8, scale=float(np.abs(single).max()))


SINGULAR = [
    ("planar_3r", np.zeros(3)),  # stretched
    pytest.param("panda", np.zeros(7), marks=pytest.mark.sweep),
    pytest.param("ur5", np.zeros(6), marks=pytest.mark.sweep),  # stretched, wrist in line
    ("ur5", np.array([0.3, -1.0, 1.2, 0.4, 0.0, 0.7])),  # the wrist alone
    ("pendulum", np.array([0.3])),
    ("scara", np.zeros(4)),
]


@pytest.mark.parametrize(("name", "q"), SINGULAR)
def test_singular_configurations(name: str, q: np.ndarray) -> None:
    """Finite, bounded nearby, and the generalized inverse of the mobility that is documented."""
    robot = ch.load(name)
    J, M, A = robot.jacobian(q), robot.mass_matrix(q), robot.task_mobility(q)
    assert np.linalg.eigvalsh(A)[0] < 1e-12 * np.trace(A)
    lam = robot.task_inertia(q)
    qd = np.linspace(-1.0, 1.0, robot.n)
    for x in (lam, robot.task_bias(q, qd), robot.task_gravity(q), robot.consistent_inverse(q)):
        assert np.isfinite(x).all()
    assert close(A @ lam @ A, A, 1e-8)
    assert close(lam @ A @ lam, lam, 1e-8)
    N = robot.null_space_projector(q)
    assert close(J @ N, np.zeros_like(J), 1e-8, scale=1.0)
    assert close(N @ N, N, 1e-8, scale=1.0)
    assert round(float(np.trace(N))) == robot.n - np.linalg.matrix_rank(J, tol=1e-9)
    V = J @ qd
    assert close(J @ robot.horizontal_lift(q, V), V, 1e-8)  # what can move is lifted exactly
    assert close(N.T @ M, M @ N, 1e-8)
    for damping in (1e-3, 0.1):
        damped = robot.task_inertia(q, damping=damping)
        scale = np.nan_to_num(1.0 / robot.kernel("task_scale")(q), posinf=0.0)
        assert np.linalg.eigvalsh(damped * np.outer(scale, scale))[-1] <= 1.0 / damping**2 * (1.0 + 1e-9)
        assert np.isfinite(robot.task_bias(q, qd, damping=damping)).all()
        assert np.isfinite(robot.null_space_projector(q, damping=damping)).all()
    both = robot.task_inertia(np.stack([q, robot.random(1), q]))
    assert close(both[0], lam, 1e-8) and close(both[2], lam, 1e-8)


def test_across_the_thresholds() -> None:
    """Towards a stretched arm: exact, then by eigenvalues and exact, then truncated."""
    robot = ch.load("planar_3r")
    for angle, rank in ((1e-2, 2), (1e-3, 2), (1e-4, 2), (1e-7, 1), (0.0, 1)):
        q = np.array([0.4, angle, 0.5 * angle])
        lam = robot.task_inertia(q, rows="tx ty", expressed="mixed")
        A = robot.task_mobility(q, rows="tx ty", expressed="mixed")
        assert np.linalg.matrix_rank(lam, tol=1e-6 * np.abs(lam).max() if rank == 1 else None) == rank
        assert close(A @ lam @ A, A, 1e-6)
    margins = [robot.kernel("task_margin", rows="tx ty")(np.array([0.4, a, 0.5 * a])) for a in (1.0, 1e-2, 1e-6)]
    assert margins[0] > margins[1] > truncation.SAFE_MARGIN > margins[2] > -1e-12


def near_singular(robot: ch.Robot, count: int) -> np.ndarray:
    """Configurations at all distances from those with joints at zero."""
    rng = np.random.default_rng(0)
    q = np.stack([robot.random(rng) for _ in range(count)])
    q[count // 2 :] *= rng.random(q[count // 2 :].shape) > 0.3
    return q + 10.0 ** rng.uniform(-6, -1, size=(count, 1)) * rng.normal(size=q.shape)


@pytest.mark.parametrize("name", sweep(["ur5", "panda"], 1))
def test_the_margin_is_a_bound(name: str) -> None:
    """1 / tr A'^-1: not above the least eigenvalue, so that none that should be left out is used."""
    robot = ch.load(name)
    q = near_singular(robot, 2000)
    A, S, margin = robot.task_mobility(q), robot.kernel("task_scale")(q), robot.kernel("task_margin")(q)
    least = np.linalg.eigvalsh(A * S[:, :, None] * S[:, None, :])[:, 0]
    clear = margin > truncation.SAFE_MARGIN
    assert 100 < clear.sum() < 2000
    assert (margin[clear] <= least[clear] * (1.0 + 1e-6)).all() and (margin[clear] >= least[clear] / 6.1).all()
    assert (least[clear] > truncation.LEAST_EIGENVALUE).all()
    assert close(robot.task_inertia(q), truncation.truncated(A, S), 1e-6)


def test_the_projector_when_truncated() -> None:
    """N N = N; J N is not zero, but as small as J is in the directions left out: below 1e-5 of the frame's motion."""
    robot = ch.load("ur5")
    for bend in (0.0, 1e-8, 1e-6, 1e-5):
        q = np.array([0.3, -1.2, 0.9, -0.5, bend, 0.2])
        J, N, S = robot.jacobian(q), robot.null_space_projector(q), robot.kernel("task_scale")(q)
        assert close(N @ N, N, 1e-9) and round(float(np.trace(N))) == 1
        W = robot.mass_matrix_sqrt(q)
        assert np.linalg.norm(S[:, None] * (J @ N) @ np.linalg.inv(W).T, 2) < np.sqrt(truncation.LEAST_EIGENVALUE)
    assert np.abs(J @ N).max() > 1e-6


def test_damping_is_exact_for_none() -> None:
    robot = ch.load("panda")
    exact = robot.task_inertia(BENT)
    assert close(robot.task_inertia(BENT, damping=1e-6), exact, 1e-6)
    errors = [np.abs(robot.task_inertia(BENT, damping=d) - exact).max() for d in (1e-3, 1e-2)]
    assert 50.0 < errors[1] / errors[0] < 110.0  # its square
    assert np.linalg.eigvalsh(exact - robot.task_inertia(BENT, damping=1e-2))[0] > 0.0  # it makes lighter


def test_units_do_not_matter() -> None:
    """The robot in millimetres: the same task, its rows scaled."""
    robot = ch.load("ur5")
    S = robot.screws.copy()
    S[:, 3:] *= 1e3
    homes, tool = robot.homes.copy(), robot.forward_kinematics(np.zeros(6))
    homes[:, :3, 3] *= 1e3
    tool[:3, 3] *= 1e3
    links = [ch.Link(x.mass, np.asarray(x.com) * 1e3, np.asarray(x.inertia) * 1e6) for x in robot.links]
    small = ch.Robot.from_screws(S, homes, links, tool=tool)
    D = np.diag([1.0] * 3 + [1e3] * 3)
    for q in (np.zeros(6), robot.random(3)):
        assert close(small.task_inertia(q), 1e6 * np.linalg.inv(D) @ robot.task_inertia(q) @ np.linalg.inv(D), 1e-7)


def test_turned_axes_do_not_matter() -> None:
    """Truncated in other axes of the same frame, it is the same inertia, turned."""
    robot, q = ch.load("ur5"), np.zeros(6)
    c, s = np.cos(0.7), np.sin(0.7)
    T = np.eye(4)
    T[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    tool = np.linalg.inv(robot.forward_kinematics(q, robot.link_names[-1])) @ robot.forward_kinematics(q)
    turned = robot.with_tool(tool @ T, robot.link_names[-1])
    Q = np.kron(np.eye(2), T[:3, :3])
    assert close(turned.task_inertia(q), Q.T @ robot.task_inertia(q) @ Q, 1e-8)


def test_traced() -> None:
    """In a user's function, with derivatives: as outside, where the task is regular."""
    robot = ch.load("panda")
    kernel = ch.compile(lambda q: robot.task_inertia(q, rows="tx ty tz"), q=7)
    assert close(kernel(BENT), robot.task_inertia(BENT, rows="tx ty tz"), 1e-9)
    slope = kernel.jacobian("q")(BENT)
    one = np.eye(7) * 1e-6
    difference = np.stack(
        [
            (robot.task_inertia(BENT + e, rows="tx ty tz") - robot.task_inertia(BENT - e, rows="tx ty tz")) / 2e-6
            for e in one
        ],
        axis=-1,
    )
    assert close(slope, difference, 1e-5)
    bias = ch.compile(lambda q, qd: robot.task_bias(q, qd), q=7, qd=7)
    qd = np.linspace(-1, 1, 7)
    assert close(bias(BENT, qd), robot.task_bias(BENT, qd), 1e-8)
    with pytest.raises(ch.ShapeError, match="damping is not for traced values"):
        ch.compile(lambda q: robot.task_inertia(q, damping=0.1), q=7)


def test_kernels() -> None:
    robot = ch.load("panda")
    kernel = robot.kernel(["task_inertia", "task_jacobian"], frame=["panda_link4", None], rows=["tz", "tx ty"])
    assert [o.shape for o in kernel.outputs] == [(3, 3), (3, 7)]
    lam, J = kernel(BENT)
    assert close(lam, robot.task_inertia(BENT, ["panda_link4", None], ["tz", "tx ty"]), 1e-9)
    single = robot.kernel("task_inertia", dtype="float32")(BENT)
    assert single.dtype == np.float32
    J, lam = robot.kernel(["jacobian", "task_inertia"], frame="panda_link6", rows="tx ty tz")(BENT)
    assert close(J, robot.jacobian(BENT, "panda_link6"), EXACT)
    assert close(lam, robot.task_inertia(BENT, "panda_link6", "tx ty tz"), 1e-9)
    with pytest.raises(ch.ModelError, match="rows: jacobian is not a function of a task"):
        robot.kernel("jacobian", rows="tx")
    with pytest.raises(ch.ChaslesError):
        robot.kernel("jacobian", frame=["tool", "panda_link4"])
    with pytest.raises(ch.ChaslesError):
        robot.kernel(["jacobian", "task_inertia"], frame=["tool", "panda_link4"])


def test_choosing() -> None:
    assert task() == TOOL == ((None, ALL),)
    assert task("a", "tz rx") == (("a", (5, 0)),)
    assert task(["a", None], [[3], None]) == (("a", (3,)), (None, ALL))
    assert task(("a", "b"), "tx") == (("a", (3,)), ("b", (3,)))
    assert task("a", 2) == (("a", (2,)),) and task("a", np.array([1, 2])) == (("a", (1, 2)),)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": "tw"}, "rows: no row 'tw'; there are rx ry rz tx ty tz, or 0 to 5"),
        ({"rows": 6}, "rows: no row 6"),
        ({"rows": [True]}, "rows: no row True"),
        ({"rows": []}, "rows: name at least one row"),
        ({"rows": "tx tx"}, "rows: a row is named twice"),
        ({"rows": 0.5}, "rows must be"),
        ({"frame": ["tool", "tool"], "rows": ["tx"]}, "rows must be one selection for each of 2 frames, got 1"),
        ({"frame": ["tool", 3]}, "frame must be the name of a frame"),
        ({"frame": []}, "frame must name at least one"),
        ({"frame": 3}, "frame must be"),
        ({"frame": "flange"}, "flange"),
        ({"expressed": "world"}, "expressed must be one of body, space, mixed, got 'world'"),
        ({"expressed": 3}, "expressed must be a name"),
        ({"damping": 0.0}, "damping must be a positive number, got 0.0"),
        ({"damping": -1}, "damping must be"),
        ({"damping": "a"}, "damping must be"),
        ({"damping": np.nan}, "damping must be"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    robot = ch.load("panda")
    for function in (robot.task_inertia, robot.consistent_inverse, robot.null_space_projector, robot.task_gravity):
        with pytest.raises(ch.ChaslesError, match=message):
            function(BENT, **options)
    with pytest.raises(ch.ChaslesError, match=message):
        robot.task_bias(BENT, BENT, **options)


def test_where_the_mass_matrix_is_singular() -> None:
    """What that row is, none can say; the others are as they are."""
    robot = load("spherical_pendulum")
    q = np.array([[0.3, 0.2], [0.3, np.pi / 2.0], [0.1, -0.4]])
    with np.errstate(all="ignore"):
        lam = robot.task_inertia(q)
    assert close(lam[0], robot.task_inertia(q[0]), 1e-9) and close(lam[2], robot.task_inertia(q[2]), 1e-9)


def test_a_robot_without_joints() -> None:
    robot = ch.load("panda")
    fixed = robot.with_locked(dict(zip(robot.joint_names, BENT, strict=True)))
    assert not fixed.task_inertia(np.zeros((3, 0))).any() and fixed.task_gravity(np.zeros(0)).shape == (6,)
    assert fixed.null_space_projector(np.zeros(0)).shape == (0, 0)


def test_wrong_shapes() -> None:
    robot = ch.load("panda")
    with pytest.raises(ch.ShapeError, match=r"q must have shape \(..., 7\), got \(6,\)"):
        robot.task_inertia(np.zeros(6))
    with pytest.raises(ch.ShapeError, match="qd"):
        robot.task_bias(BENT, np.zeros(6))
    with pytest.raises(ch.ShapeError, match="V must have shape"):
        robot.horizontal_lift(BENT, np.zeros(7))
    massless = ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [ch.Link(1.0)], tool=np.eye(4))
    with pytest.raises(ch.SingularMassMatrixError, match="joint1"):
        massless.task_inertia([0.0])


def wheel(lever: float) -> ch.Robot:
    """A wheel of inertia 0.5 about z; its tool is at x = lever, where it slides along y."""
    tool = np.eye(4)
    tool[0, 3] = lever
    return ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [ch.Link(1.0, [0, 0, 0], [0.5] * 3)], tool=tool)


@pytest.mark.parametrize("lever", [1.0, 1e-6, 1e-11])
def test_a_short_lever_slides(lever: float) -> None:
    """[TSK-1] the inertia of sliding is that of turning over the lever squared, wherever there is one."""
    lam = wheel(lever).task_inertia([0.3], rows="ty")
    assert close(lam, [[0.5 / lever**2]])


@pytest.mark.parametrize("lever", [1e-13, 1e-17, 0.0])
def test_a_frame_on_an_axis_does_not_slide(lever: float) -> None:
    """But for the dust of rounding, which has no inertia: not 1e34 kg."""
    assert close(wheel(lever).task_inertia([0.3], rows="ty"), [[0.0]], 0.0)
    assert close(wheel(lever).task_inertia([0.3], rows="rz"), [[0.5]])
