"""The forward map as a submersion: what holds of every robot, what of some, and what the literature claims of all."""

from typing import Any

import numpy as np
import pytest
from support.redundant import (
    AXIS,
    BENT,
    FLYWHEEL,
    ISOMETRIC,
    WEIGHT,
    E,
    applied,
    floating,
    gantry,
    in_line,
    mimicking,
    random_7r,
    regular,
    samples,
    tip_arm,
)
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.control.redundancy import Redundancy
from chasles.model.task import TOOL
from chasles.task import differential, partial_isometry_residual, whitened_jacobian
from chasles.task.workspace import ad

# the lift


@pytest.mark.parametrize("make", [random_7r, lambda: FLYWHEEL, floating], ids=["7R", "flywheel", "free"])
def test_horizontal_lift(make: Any) -> None:
    """[RED-1] a right inverse, M-orthogonal to ker J, of least energy."""
    robot = make()
    q = regular(robot)
    rng = np.random.default_rng(1)
    J, M, B = robot.jacobian(q), robot.mass_matrix(q), robot.consistent_inverse(q)
    X = rng.normal(size=(len(q), 6))
    v = robot.horizontal_lift(q, X)
    assert close(applied(J, v), X, 1e-8) and close(v, applied(B, X), FLOAT64)
    assert close(J @ B, np.broadcast_to(np.eye(6), (len(q), 6, 6)), 1e-8)
    V, H = robot.vertical_space(q), robot.horizontal_space(q)
    assert V.shape[-1] == robot.n - 6 and H.shape[-1] == 6
    assert close(J @ V, np.zeros((len(q), 6, robot.n - 6)), 1e-8, scale=float(np.abs(J).max()))
    both = np.concatenate([H, V], axis=-1)
    one = np.broadcast_to(np.eye(robot.n), (len(q), robot.n, robot.n))
    assert close(np.swapaxes(both, -1, -2) @ M @ both, one, 1e-8)
    assert close(np.swapaxes(V, -1, -2) @ M @ B, np.zeros((len(q), robot.n - 6, 6)), 1e-8, scale=1.0)
    energy = np.einsum("bi,bij,bj->b", v, M, v)
    assert close(energy, np.einsum("bi,bij,bj->b", X, robot.task_inertia(q), X), 1e-8)
    other = v + applied(V, rng.normal(size=(len(q), robot.n - 6)))
    assert (np.einsum("bi,bij,bj->b", other, M, other) > energy).all()


def test_weighted_inverses() -> None:
    robot, q = ch.load("panda"), BENT
    J = robot.jacobian(q)
    assert close(robot.jacobian_inverse(q, "moore-penrose"), np.linalg.pinv(J), 1e-9)
    assert close(robot.jacobian_inverse(q), robot.consistent_inverse(q), 1e-9)
    H = np.linalg.inv(WEIGHT)
    B = H @ J.T @ np.linalg.inv(J @ H @ J.T)
    assert close(robot.jacobian_inverse(q, WEIGHT), B, 1e-9)
    assert close(robot.jacobian_inverse(q, lambda q: WEIGHT + 0.0 * q[0]), B, 1e-9)
    assert close(robot.jacobian_inverse(q, lambda q: np.linalg.pinv(robot.jacobian(q))), np.linalg.pinv(J), 1e-9)
    many = robot.jacobian_inverse(np.stack([q, q]), robot.mass_matrix)
    assert close(many[1], robot.consistent_inverse(q), 1e-8)
    stretched = robot.jacobian_inverse(np.zeros(7), "moore-penrose")
    assert np.isfinite(stretched).all()
    J0 = robot.jacobian(np.zeros(7))
    assert close(J0 @ stretched @ J0, J0, 1e-9)


def test_rank_of_the_spaces() -> None:
    robot = ch.load("panda")
    assert robot.vertical_space(np.zeros(7)).shape == (7, 2)
    assert robot.vertical_space(BENT, rows="tx ty tz", expressed="mixed").shape == (7, 4)
    with pytest.raises(ch.ModelError, match="vertical_space: the rank of the task changes from 5 to 6"):
        robot.vertical_space(np.stack([np.zeros(7), BENT]))


def almost_planar() -> ch.Robot:
    """A 3R whose last axis is tilted by 1e-7: its tool hardly moves along z."""
    axes = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1e-7, 1.0]])
    places = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.9, 0.0, 0.0]])
    screws = np.concatenate([axes, -np.cross(axes, places)], axis=-1)
    homes, tool = np.tile(np.eye(4), (3, 1, 1)), np.eye(4)
    homes[:, :3, 3], tool[0, 3] = places, 1.2
    links = [ch.Link(1.0, (0.1, 0.0, 0.0), (0.02, 0.02, 0.02))] * 3
    return ch.Robot.from_screws(screws, homes, links, None, tool)


def test_one_rank_for_every_inverse() -> None:
    """Rows are scaled by what their frame does, whatever the weight: the same direction is left out by all."""
    robot, q = almost_planar(), np.array([0.3, 0.7, -0.5])
    M = robot.mass_matrix(q)
    for options in ({"rows": "tz"}, {"rows": "tz tx"}, {}):
        B = robot.jacobian_inverse(q, "inertia", **options)
        for same in (M, lambda q: robot.mass_matrix(q)):
            close(robot.jacobian_inverse(q, same, **options), B, 1e-6, scale=max(1.0, float(np.abs(B).max())))
    assert not robot.jacobian_inverse(q, M, rows="tz").any() and not robot.jacobian_inverse(q, rows="tz").any()
    assert not robot.jacobian_inverse(q, "moore-penrose", rows="tz").any()
    assert robot.horizontal_space(q, rows="tz").shape == (3, 0)
    law = Redundancy(robot, None, [5], "inertia", 0.0, False)
    one = np.ones(6)
    assert np.abs(law.nearest(q, robot.jacobian(q), one, np.zeros(3), None)).max() < 1e8
    with pytest.raises(ch.ModelError, match="singular at all of 16 samples"):
        robot.repeatability(rows="tz")


SINGULAR = np.array([np.pi / 2, 0.0, np.pi / 2, -np.pi / 2, -np.pi / 2, 0.0])  # of isometric6: so is M = J^T J


@pytest.mark.parametrize(
    "function",
    ["submersion_residual", "partial_isometry_residual", "vertical_brackets", "jacobian_inverse", "horizontal_space"],
)
def test_rows_without_an_answer(function: str) -> None:
    """A row that is not finite, or where M is singular, is nan, and the others are as they are."""
    panda = ch.load("panda")
    found = getattr(panda, function)(np.stack([BENT, np.full(7, np.nan), BENT]))
    assert np.isnan(found[1]).all() and close(found[[0, 2]], np.stack([getattr(panda, function)(BENT)] * 2), 1e-9)
    assert np.isnan(getattr(panda, function)(np.full(7, np.nan))).all()
    q = regular(ISOMETRIC)[0]
    with np.errstate(all="ignore"):
        found = getattr(ISOMETRIC, function)(np.stack([q, SINGULAR]))
    assert np.isnan(found[1]).all() and np.isfinite(found[0]).all()


def test_spaces_without_an_answer() -> None:
    found = ch.load("panda").vertical_space(np.stack([np.full(7, np.nan), BENT]))
    assert found.shape == (2, 7, 1) and np.isnan(found[0]).all() and np.isfinite(found[1]).all()
    for function in ("vertical_space", "horizontal_space"):
        says = f"{function}: the mass matrix of robot 'isometric6' is singular at q"
        with np.errstate(all="ignore"), pytest.raises(ch.ModelError, match=says):
            getattr(ISOMETRIC, function)(SINGULAR)


def test_no_lift_does_not_agree() -> None:
    with np.errstate(all="ignore"):
        found = ISOMETRIC.inverses_agree(SINGULAR)
    assert not found and np.isnan(found.difference) and found.commutator < 1e-9


# Riemannian submersions


def test_full_rank_is_not_enough() -> None:
    """[RED-2] Proposition II.1 is false as stated: J has full rank, lengths are not kept."""
    robot = random_7r()
    q = regular(robot)
    assert (np.linalg.matrix_rank(robot.jacobian(q)) == 6).all()
    assert (robot.submersion_residual(q) > 0.1).all()
    assert ch.load("panda").submersion_residual(BENT) > 0.1


@pytest.mark.parametrize("robot", [ISOMETRIC, FLYWHEEL], ids=lambda r: r.name)
def test_riemannian_submersions(robot: ch.Robot) -> None:
    """[RED-6] J M^-1 J^T = 1, on one robot with M = J^T J and on one that is redundant."""
    q = regular(robot)
    assert (robot.submersion_residual(q) < 1e-12).all()
    J = robot.jacobian(q)
    if robot.n == 6:
        assert close(robot.mass_matrix(q), np.swapaxes(J, -1, -2) @ J, FLOAT64)
    assert close(robot.task_inertia(q), np.broadcast_to(np.eye(6), (len(q), 6, 6)), 1e-9)
    assert close(robot.submersion_residual(q[0], 2.0 * np.eye(6)), 1.0)


def test_another_metric() -> None:
    """With the tip's own inertia as W; in any axes the same number."""
    G = np.diag([1.0, 2.0, 2.5, 2.0, 2.0, 2.0])
    arm = tip_arm(ch.Link(2.0, inertia=(1.0, 2.0, 2.5)))
    q = regular(arm)
    assert (arm.submersion_residual(q, G) < 1e-10).all() and (arm.submersion_residual(q) > 0.1).all()
    D = np.diag([1.0, 1.0, 1.0, 10.0, 10.0, 10.0])
    A = arm.task_mobility(q[0])
    scaled = np.abs(np.linalg.eigvals(np.linalg.inv(D) @ G @ np.linalg.inv(D) @ (D @ A @ D)) - 1.0).max()
    assert scaled < 1e-9


def test_a_metric_that_is_not_diagonal() -> None:
    """The residual is that of the eigenvalues of W A."""
    robot, X = random_7r(), np.random.default_rng(3).normal(size=(6, 6))
    q, W = regular(robot), X @ X.T + np.eye(6)
    expected = np.abs(np.linalg.eigvals(W @ robot.task_mobility(q)) - 1.0).max(axis=-1)
    assert close(robot.submersion_residual(q, W), expected, 1e-8)


def test_partial_isometries() -> None:
    """[RED-18] K^+ = K^T exactly for them; J N^-1 is one exactly for Riemannian submersions."""
    for robot, isometric in ((ISOMETRIC, True), (FLYWHEEL, True), (random_7r(), False), (ch.load("panda"), False)):
        q = regular(robot)[0]
        K = whitened_jacobian(robot, q, None, TOOL)
        same = np.abs(np.linalg.pinv(K) - K.T).max()
        assert (robot.partial_isometry_residual(q) < 1e-10) == isometric == (same < 1e-10)
        assert (robot.submersion_residual(q) < 1e-10) == isometric
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.normal(size=(7, 7)))
    assert partial_isometry_residual(Q[:4]) < 1e-14 and partial_isometry_residual(Q[:, :4]) < 1e-14
    assert partial_isometry_residual(Q[:, :4] @ Q[:4]) < 1e-14 and partial_isometry_residual(0.5 * Q[:4]) > 0.1
    assert partial_isometry_residual(np.zeros((2, 3))) == 0.0
    with pytest.raises(ch.ShapeError, match="K must have shape"):
        partial_isometry_residual(np.zeros(3))


# inverses that agree


def test_inverses_do_not_agree_on_a_random_chain() -> None:
    """[RED-3a] [RED-3b] and their commutator says so."""
    robot = random_7r()
    found = robot.inverses_agree(regular(robot))
    assert not found and not found.agree.any()
    assert (found.commutator > 1e-3).all() and (found.difference > 1e-3).all()


def test_the_condition() -> None:
    """[RED-3] J^+ = B exactly where W and J^+ J commute: both ways, with weights made to."""
    robot = ch.load("panda")
    J = robot.jacobian(BENT)
    plain = np.linalg.pinv(J)
    P, rng = plain @ J, np.random.default_rng(0)
    S = rng.normal(size=(7, 7))
    S = S @ S.T + np.eye(7)
    commuting = P @ S @ P + (np.eye(7) - P) @ S @ (np.eye(7) - P)
    for W, agree in ((commuting, True), (S, False)):
        commutator = np.abs(W @ P - P @ W).max()
        difference = np.abs(robot.jacobian_inverse(BENT, W) - plain).max()
        assert (commutator < 1e-10) == agree == (difference < 1e-8)


def test_a_constant_metric_is_not_enough() -> None:
    """[RED-3c] diag(1..7) is flat, and the inverses differ."""
    robot = ch.load("panda")
    assert np.abs(robot.jacobian_inverse(BENT, WEIGHT) - robot.jacobian_inverse(BENT, "moore-penrose")).max() > 0.1


def test_multiples_of_one_are() -> None:
    """[RED-3d], and a robot whose mass matrix is one."""
    robot = ch.load("panda")
    plain = robot.jacobian_inverse(BENT, "moore-penrose")
    assert close(robot.jacobian_inverse(BENT, 3.7 * np.eye(7)), plain, 1e-9)
    slide = gantry(0.0, 0.0, 1.3)
    assert close(slide.mass_matrix(np.zeros(3)), 1.3 * np.eye(3))
    assert slide.inverses_agree(np.zeros(3), rows="tx ty", expressed="mixed")


def test_the_counterexample() -> None:
    """[RED-4] flat, a Riemannian submersion, integrable, and the inverses differ."""
    robot, q = in_line(), np.array([0.3, -0.2])
    assert robot.flatness().is_flat
    assert robot.submersion_residual(q, rows="tx") < 1e-14
    assert robot.repeatability(rows="tx")
    assert close(robot.consistent_inverse(q, rows="tx")[:, 0], [0.0, 1.0], 1e-14)
    assert close(robot.jacobian_inverse(q, "moore-penrose", rows="tx")[:, 0], [0.5, 0.5], 1e-14)
    found = robot.inverses_agree(q, rows="tx")
    assert not found and found.commutator > 0.1


def test_the_gantry() -> None:
    """[RED-5] of another mass matrix that is no multiple of 1: the two agree."""
    robot, q = gantry(1.0, 0.5, 0.7), np.array([0.1, 0.2, 0.3])
    found = robot.inverses_agree(np.stack([q, -q]), rows="tx ty", expressed="mixed")
    assert found and found.agree.shape == (2,)
    assert found.commutator.max() < 1e-15 and found.difference.max() < 1e-15


def test_a_riemannian_submersion_is_not_enough() -> None:
    """[RED-10] flywheel7: the inverses differ by the flywheel's axis."""
    q = regular(FLYWHEEL)
    difference = np.abs(FLYWHEEL.jacobian_inverse(q, "moore-penrose") - FLYWHEEL.consistent_inverse(q))
    assert close(difference.max(axis=(1, 2)), np.full(len(q), AXIS[2]), 1e-9)
    assert not FLYWHEEL.inverses_agree(q).agree.any()


# motion in workspace


@pytest.mark.slow
def test_workspace_acceleration() -> None:
    """[RED-9] in general, with gravity and any velocity."""
    for robot in (ch.load("panda"), random_7r(), mimicking(), floating()):
        rng = np.random.default_rng(2)
        q, qd, tau = samples(robot), *rng.normal(size=(2, 4, robot.n))
        Xd = robot.acceleration(q, qd, robot.forward_dynamics(q, qd, tau))
        assert close(robot.workspace_acceleration(q, qd, tau), Xd, 1e-8)
        J, Jd, M = robot.jacobian(q), robot.jacobian_derivative(q, qd), robot.mass_matrix(q)
        C, g = robot.coriolis_matrix(q, qd), robot.gravity_forces(q)
        law = applied(J, np.linalg.solve(M, (tau - g)[..., None])[..., 0])
        law = law + applied(Jd - J @ np.linalg.solve(M, C), qd)
        assert close(robot.workspace_acceleration(q, qd, tau), law, 1e-7)


def test_euler_and_poincare() -> None:
    """[RED-8] Xd = ad_X^T X + J M^-1 tau on isometric6; with W on another tip."""
    rng = np.random.default_rng(3)
    tip = tip_arm(ch.Link(2.0, inertia=(1.0, 2.0, 2.5)))
    for robot, W in ((ISOMETRIC, None), (tip, np.diag([1.0, 2.0, 2.5, 2.0, 2.0, 2.0]))):
        q = regular(robot)
        qd, tau = rng.normal(size=(2, len(q), 6))
        expected = robot.workspace_acceleration(q, qd, tau)
        assert close(robot.reduced_acceleration(q, qd, tau, W), expected, 1e-8)
    X = rng.normal(size=6)
    assert close(ad(X) @ E[1], np.r_[np.cross(X[:3], E[1][:3]), np.cross(X[3:], E[1][:3])])
    panda = ch.load("panda").with_gravity((0, 0, 0))
    qd, tau = rng.normal(size=(2, 7))
    wrong = panda.reduced_acceleration(BENT, qd, tau) - panda.workspace_acceleration(BENT, qd, tau)
    assert np.abs(wrong).max() > 1e-2


def test_euler_and_poincare_of_a_redundant_robot() -> None:
    """[RED-9] holds for horizontal velocities on flywheel7, [RED-9b] fails with a vertical one."""
    q = regular(FLYWHEEL)
    rng = np.random.default_rng(4)
    qd, tau = rng.normal(size=(2, len(q), 7))
    flat = qd - applied(FLYWHEEL.null_space_projector(q), qd)
    expected = FLYWHEEL.workspace_acceleration(q, flat, tau)
    assert close(FLYWHEEL.reduced_acceleration(q, flat, tau), expected, 1e-9)
    off = FLYWHEEL.reduced_acceleration(q, qd, tau) - FLYWHEEL.workspace_acceleration(q, qd, tau)
    assert (np.abs(off).max(axis=1) > 1e-2).all()


# functions of the workspace


def theta(T: Any) -> Any:
    A = np.arange(16.0).reshape(4, 4) / 10.0
    return (A * T).sum() + T[0, 3] * T[1, 3] + np.sin(T[2, 0])


def test_gradients_are_pulled_back() -> None:
    """[RED-16] d vartheta = J^T eta, where the paper prints J^+."""
    for robot in (ch.load("panda"), floating()):
        q = samples(robot, 1)[0]
        slope, gradient = robot.task_gradient(q, theta)
        h = 1e-6
        numeric = [
            (
                theta(robot.forward_kinematics(robot.integrate(q, h * e)))
                - theta(robot.forward_kinematics(robot.integrate(q, -h * e)))
            )
            / (2 * h)
            for e in np.eye(robot.n)
        ]
        assert close(slope, numeric, FINITE_DIFFERENCE)
        assert close(robot.mass_matrix(q) @ gradient, slope, 1e-8)
        eta = differential(theta, robot.forward_kinematics(q))
        assert close(robot.jacobian(q).T @ eta, slope, FLOAT64)
        assert close(robot.task_gradient(q, eta)[0], slope, FLOAT64)
        printed = np.linalg.pinv(robot.jacobian(q)) @ eta
        assert np.abs(printed - slope).max() > 1e-2
    batch = robot.task_gradient(np.stack([q, q]), theta)
    assert close(batch[1][1], gradient, FLOAT64)


def test_gradients_are_lifted() -> None:
    """[RED-17] the lift of the gradient is the gradient exactly for Riemannian submersions."""
    for robot, same in ((FLYWHEEL, True), (ISOMETRIC, True), (random_7r(), False)):
        q = regular(robot)[0]
        gradient, lifted = robot.task_gradient(q, theta)[1], robot.lifted_gradient(q, theta)
        assert (np.abs(gradient - lifted).max() < 1e-8 * np.abs(gradient).max()) == same
    G = np.diag([1.0, 2.0, 2.5, 2.0, 2.0, 2.0])
    arm = tip_arm(ch.Link(2.0, inertia=(1.0, 2.0, 2.5)))
    q = regular(arm)[0]
    assert close(arm.lifted_gradient(q, theta, G), arm.task_gradient(q, theta)[1], 1e-8)
    eta = np.array([1.0, -2.0])
    lifted = ch.load("panda").lifted_gradient(BENT, eta, np.diag([1.0, 4.0]), rows="tx tz")
    assert close(lifted, ch.load("panda").consistent_inverse(BENT, rows="tx tz") @ [1.0, -0.5], FLOAT64)


# wrong arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.jacobian_inverse(BENT, "transpose"), "inverse must be one of inertia, moore-penrose"),
        (lambda r: r.jacobian_inverse(BENT, np.eye(6)), r"inverse: a weight must have shape \(7, 7\), got \(6, 6\)"),
        (lambda r: r.jacobian_inverse(BENT, -np.eye(7)), "inverse: a weight must be symmetric and positive definite"),
        (lambda r: r.jacobian_inverse(BENT, lambda q: np.eye(5)), "inverse: the function must give a weight"),
        (lambda r: r.jacobian_inverse(BENT[:6]), r"jacobian_inverse: q must have shape \(..., 7\), got \(6,\)"),
        (lambda r: r.jacobian_inverse("a"), "jacobian_inverse: q must be real numbers"),
        (lambda r: r.submersion_residual(BENT, np.eye(5)), r"W must have shape \(6, 6\), got \(5, 5\)"),
        (lambda r: r.submersion_residual(BENT, -np.eye(6)), "W must be symmetric and positive definite"),
        (lambda r: r.submersion_residual(BENT, "a"), "W must be real numbers"),
        (lambda r: r.base_curvature(BENT, np.zeros(5), np.zeros(6)), r"X must have shape \(..., 6\), got \(5,\)"),
        (lambda r: r.task_gradient(BENT, np.zeros(5)), r"theta must have shape \(..., 6\), got \(5,\)"),
        (lambda r: r.task_gradient(BENT, theta, rows="tx"), "theta of a pose is for all six rows"),
        (lambda r: r.task_gradient(BENT, "a"), "theta must be real numbers"),
        (lambda r: r.workspace_acceleration(BENT, BENT, np.zeros(6)), "tau must have shape"),
        (
            lambda r: r.workspace_acceleration(np.zeros((3, 7)), BENT, np.zeros((2, 7))),
            r"workspace_acceleration: the leading axes do not broadcast: q \(3,\), qd \(\), tau \(2,\)",
        ),
        (
            lambda r: r.horizontal_lift(np.zeros((3, 7)), np.zeros((2, 6))),
            r"horizontal_lift: the leading axes do not broadcast: q \(3,\), V \(2,\)",
        ),
        (
            lambda r: r.reduced_acceleration(np.zeros((3, 7)), BENT, np.zeros((2, 7))),
            "reduced_acceleration: the leading axes do not broadcast",
        ),
        (lambda r: r.task_gradient(np.zeros((3, 7)), np.zeros((2, 6))), "task_gradient: the leading axes"),
        (lambda r: r.lifted_gradient(np.zeros((3, 7)), np.zeros((2, 6))), "lifted_gradient: the leading axes"),
        (lambda r: r.base_curvature(np.zeros((3, 7)), E[0], np.zeros((2, 6))), "base_curvature: the leading axes"),
        (lambda r: r.repeatability(samples=0), "repeatability: samples must be a positive integer"),
        (lambda r: r.repeatability(tolerance=-1), "repeatability: tolerance must be"),
        (lambda r: r.repeatability(frame=["tool", "panda_link6"]), "the task of robot 'panda' is singular at all"),
        (lambda r: differential(theta, np.eye(3)), r"T must have shape \(..., 4, 4\)"),
    ],
)
def test_wrong_arguments(call: Any, message: str) -> None:
    with pytest.raises(ch.ChaslesError, match=message):
        call(ch.load("panda"))


def test_a_function_that_cannot_be_derived() -> None:
    def plain(q: Any) -> Any:
        return np.diag(np.asarray(q, dtype=float) ** 2 + 1.0)

    robot = ch.load("panda")
    assert robot.jacobian_inverse(BENT, plain).shape == (7, 6)
    with pytest.raises(ch.ModelError, match="must take traced values"):
        robot.vertical_brackets(BENT, plain)
